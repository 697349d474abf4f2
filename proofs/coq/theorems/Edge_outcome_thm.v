(** 5.5(iv): what solving and closing (with Remark 6.3) give at the left edge does not
    depend on the strategy or on the order of the statements. *)

From Coq Require Import PArith List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm Guard Solved Solved_thm
  Runs Runs_thm Closing Closing_thm Taint Taint_thm Certificate Queue Fire Fire_thm Solver Solver_thm
  Closing_leaf_thm Close Close_thm Close_ends_thm Edge Edge_thm Edge_solver_thm Edge_close_thm Edge_settled_thm
  Edge_confluence_thm Edge_alike_thm Edge_chosen_thm.
Import ListNotations.

(** * Adding and solving again *)

(** A state at rest: nothing is pending. *)
Record at_rest (P : policy) (V : list var) (cs : list constr) (s : state) (C : tconfig) : Prop :=
  { by_run : t_run any_kind (t_initial cs) C;
    in_edge : edge_state P s C;
    is_good : good V (erase C);
    is_done : t_phi C = [];
    is_flat : collapsed P (erase C) }.

Lemma add_all_keeps : forall P xs s, s_leads (add_all P s xs) = s_leads s /\ s_trails (add_all P s xs) = s_trails s /\
  s_ranks (add_all P s xs) = s_ranks s.
Proof.
  intros P xs; induction xs as [|x xs IH]; intros s; simpl; [auto|].
  destruct (IH (extended P s (fst x) (snd x))) as (-> & -> & ->). auto.
Qed.

Lemma add_rest : forall P V cs s C xs, at_rest P V cs s C -> (forall x, In x xs -> addable C x) -> edge_set (map fst xs) ->
  exists C1, t_run any_kind (t_initial cs) C1 /\ edge_state P (add_all P s xs) C1 /\ good V (erase C1) /\
    collapsed P (erase C1) /\ erase C1 = extend (erase C) (map fst xs).
Proof.
  intros P V cs s C xs [R (St & W & EC & Fa) G E A] Ad Ex.
  destruct (add_all_run P xs s C St Ad) as (C1 & R1 & H1 & E1). exists C1.
  assert (Kn : forall c, In c (map fst xs) -> knows (erase C) c).
  { intros c I. apply in_map_iff in I as (x & <- & I). now apply Ad. }
  pose proof (good_extend V (erase C) (map fst xs) Ex Kn G) as G1. rewrite <- E1 in G1.
  split; [eapply t_run_trans; eauto | split; [|split; [exact G1 | split; [|exact E1]]]].
  - split; [exact H1 | split; [apply G1 | split; [apply G1|]]]. intros g Hg. rewrite E1 in Hg.
    apply extend_satisfies in Hg as [Hg _]. specialize (Fa g Hg). unfold state_facts in *.
    destruct (add_all_keeps P xs s) as (-> & -> & ->). exact Fa.
  - intros An. rewrite E1. simpl. now apply A.
Qed.

Lemma alike_extend : forall V C D f g xs ys, alike_by V C D f g ->
  (forall c, In c xs -> In (sub_c f c) ys) -> (forall d, In d ys -> In (sub_c g d) xs) ->
  alike V (extend C xs) (extend D ys).
Proof.
  intros V C D f g xs ys (A & A' & X & Y) H H'. exists f, g.
  assert (K : forall E E' h l k, renames V E E' h -> (forall c, In c l -> In (sub_c h c) k) ->
    renames V (extend E l) (extend E' k) h).
  { intros E E' h l k (R1 & R2 & R3 & R4 & R5) Hl. repeat (split; [assumption|]). split; [|exact R5].
    intros c I. simpl in *. apply in_app_iff in I. apply in_app_iff. destruct I; auto. }
  split; [now apply K | split; [now apply K | auto]].
Qed.

(** What follows from adding the same on both sides. *)
Definition both_rest (P P' : policy) (V : list var) (cs cs' : list constr) (x y : option (state + failure)) : Prop :=
  match x, y with
  | Some (inl s), Some (inl s') => exists C C', at_rest P V cs s C /\ at_rest P' V cs' s' C' /\ alike V (erase C) (erase C')
  | Some (inr _), Some (inl _) | Some (inl _), Some (inr _) => False
  | _, _ => True
  end.

Lemma run_more : forall ds D D1, t_run any_kind (t_initial ds) D -> t_run any_step D D1 -> t_run any_kind (t_initial ds) D1.
Proof. intros ds D D1 R R1. eapply t_run_trans; [exact R|]. eapply t_run_mono; [|exact R1]. intros x _. exact I. Qed.

Section Outcome.
Variables (P P' : policy) (V : list var) (cs cs' : list constr) (k k' : nat).
Hypothesis same_rules : antisym P = antisym P'.

Lemma add_phase : forall s s' C C' f g xs ys, at_rest P V cs s C -> at_rest P' V cs' s' C' ->
  alike_by V (erase C) (erase C') f g ->
  (forall x, In x xs -> addable C x) -> edge_set (map fst xs) ->
  (forall x, In x ys -> addable C' x) -> edge_set (map fst ys) ->
  (forall c, In c (map fst xs) -> In (sub_c f c) (map fst ys)) ->
  (forall d, In d (map fst ys) -> In (sub_c g d) (map fst xs)) ->
  both_rest P P' V cs cs' (run_within P k (add_all P s xs)) (run_within P' k' (add_all P' s' ys)).
Proof.
  intros s s' C C' f g xs ys H H' L Ax Ex Ay Ey Xy Yx.
  destruct (add_rest P V cs s C xs H Ax Ex) as (C1 & R1 & S1 & G1 & A1 & E1).
  destruct (add_rest P' V cs' s' C' ys H' Ay Ey) as (C1' & R1' & S1' & G1' & A1' & E1').
  assert (L1 : alike V (erase C1) (erase C1')) by (rewrite E1, E1'; eapply alike_extend; eauto).
  pose proof (phase P P' V k k' _ _ C1 C1' same_rules S1 S1' G1 G1' A1 A1' L1) as Ph. unfold both_rest.
  destruct (run_within P k (add_all P s xs)) as [[s2|e]|], (run_within P' k' (add_all P' s' ys)) as [[s2'|e']|]; auto.
  destruct Ph as (D & D' & RD & RD' & SD & SD' & ED & ED' & AD & AD' & LD). exists D, D'.
  split; [|split; [|exact LD]]; split; auto; try (eapply run_more; eauto);
    [eapply good_run; [eapply t_run_erase; exact RD | exact G1] | eapply good_run; [eapply t_run_erase; exact RD' | exact G1']].
Qed.

(** One side alone. *)
Lemma add_run : forall Q ds j s C xs s1, at_rest Q V ds s C -> (forall x, In x xs -> addable C x) -> edge_set (map fst xs) ->
  run_within Q j (add_all Q s xs) = Some (inl s1) ->
  good V (extend (erase C) (map fst xs)) /\
  exists C1, at_rest Q V ds s1 C1 /\ run any_step (extend (erase C) (map fst xs)) (erase C1).
Proof.
  intros Q ds j s C xs s1 H Ax Ex X. destruct (add_rest Q V ds s C xs H Ax Ex) as (C1 & R1 & S1 & G1 & A1 & E1).
  rewrite <- E1. split; [exact G1|]. pose proof (program_run Q j _ C1 S1 A1) as Pr. rewrite X in Pr.
  destruct Pr as (D & TD & RD & SD & AD & ED). exists D. apply t_run_erase in TD as TD'. split; [|exact TD'].
  split; auto; [eapply run_more; eauto | eapply good_run; eauto].
Qed.

(** * Remark 6.3: caps are sent on alike *)

Lemma to_send_spec : forall B sent, let x := to_send B sent in
  (forall y, In y (snd x) -> exists d a b, fst y = DLe (DConst d) (DVar b) /\ lower_of B a = Some d /\
     In (DLe (DVar a) (DVar b)) (map fst B) /\ lower_of B b <> Some d) /\
  (forall a b d, In (DLe (DVar a) (DVar b)) (map fst B) -> lower_of B a = Some d ->
     lower_of B b = Some d \/ In (b, d) sent \/ In (DLe (DConst d) (DVar b)) (map fst (snd x))) /\
  (forall b d, In (b, d) (fst x) -> In (b, d) sent \/ In (DLe (DConst d) (DVar b)) (map fst (snd x))).
Proof.
  intros B sent. unfold to_send.
  assert (Ws : forall l a d, was_sent l a d = true <-> In (a, d) l).
  { intros l a d. unfold was_sent. rewrite existsb_exists. split.
    - intros ([b e] & I & E). apply andb_true_iff in E as [E1 E2]. apply Nat.eqb_eq in E1. apply dim_eqb_eq in E2. simpl in *. now subst.
    - intros I. exists (a, d). split; [exact I|]. simpl. now rewrite Nat.eqb_refl, dim_eqb_refl. }
  assert (G : forall l (acc : sent_on * list tagged), incl l B ->
    (forall y, In y (snd acc) -> exists d a b, fst y = DLe (DConst d) (DVar b) /\ lower_of B a = Some d /\
       In (DLe (DVar a) (DVar b)) (map fst B) /\ lower_of B b <> Some d) ->
    (forall b d, In (b, d) (fst acc) -> In (b, d) sent \/ In (DLe (DConst d) (DVar b)) (map fst (snd acc))) ->
    let x := fold_left (send_on B) l acc in
    (forall y, In y (snd x) -> exists d a b, fst y = DLe (DConst d) (DVar b) /\ lower_of B a = Some d /\
       In (DLe (DVar a) (DVar b)) (map fst B) /\ lower_of B b <> Some d) /\
    (forall a b d, In (DLe (DVar a) (DVar b)) (map fst l) -> lower_of B a = Some d ->
       lower_of B b = Some d \/ In (b, d) sent \/ In (DLe (DConst d) (DVar b)) (map fst (snd x))) /\
    (forall b d, In (b, d) (fst x) -> In (b, d) sent \/ In (DLe (DConst d) (DVar b)) (map fst (snd x))) /\
    incl (snd acc) (snd x)).
  { intros l; induction l as [|y l IH]; intros acc Inc H1 H2; cbn [fold_left].
    - split; [exact H1 | split; [intros a b d [] | split; [exact H2 | apply incl_refl]]].
    - assert (Iy : In y B) by (apply Inc; now left). assert (Inc' : incl l B) by (intros z I; apply Inc; now right).
      assert (S : (forall z, In z (snd (send_on B acc y)) -> exists d a b, fst z = DLe (DConst d) (DVar b) /\ lower_of B a = Some d /\
          In (DLe (DVar a) (DVar b)) (map fst B) /\ lower_of B b <> Some d) /\
        (forall b d, In (b, d) (fst (send_on B acc y)) -> In (b, d) sent \/ In (DLe (DConst d) (DVar b)) (map fst (snd (send_on B acc y)))) /\
        incl (snd acc) (snd (send_on B acc y)) /\
        (forall a b d, fst y = DLe (DVar a) (DVar b) -> lower_of B a = Some d ->
          lower_of B b = Some d \/ In (b, d) sent \/ In (DLe (DConst d) (DVar b)) (map fst (snd (send_on B acc y))))).
      { destruct y as [c t]. unfold send_on. cbn [fst snd].
        destruct c as [t1 t2|[a|e] [b|e']|R Q|R Q]; try (split; [exact H1 | split; [exact H2 | split; [apply incl_refl | intros a' b' d' E; discriminate E]]]).
        assert (Lo : lower_of B a = match t_lower B a with Some (d, _) => Some d | None => None end) by reflexivity.
        destruct (t_lower B a) as [[d u]|].
        2: { split; [exact H1 | split; [exact H2 | split; [apply incl_refl|]]]. intros a' b' d' E L. injection E as <- <-. rewrite Lo in L. discriminate. }
        assert (There : (match t_lower B b with Some (e, _) => dim_eqb e d | None => false end) = true <-> lower_of B b = Some d).
        { unfold lower_of. destruct (t_lower B b) as [[e w]|]; [|split; discriminate]. rewrite dim_eqb_eq. split; congruence. }
        destruct (match t_lower B b with Some (e, _) => dim_eqb e d | None => false end) eqn:Th; cbn [orb].
        { split; [exact H1 | split; [exact H2 | split; [apply incl_refl|]]]. intros a' b' d' E L. injection E as <- <-. rewrite Lo in L. injection L as <-. left. now apply There. }
        destruct (was_sent (fst acc) b d) eqn:Wa.
        { split; [exact H1 | split; [exact H2 | split; [apply incl_refl|]]]. intros a' b' d' E L. injection E as <- <-. rewrite Lo in L. injection L as <-.
          right. apply H2. now apply Ws. }
        cbn [fst snd]. split; [|split; [|split]].
        - intros z I. apply in_app_iff in I as [I|[<-|[]]]; [auto|]. exists d, a, b. split; [auto | split; [exact Lo | split]].
          + apply in_map_iff. eexists. split; [|exact Iy]. reflexivity.
          + intros X. apply There in X. discriminate.
        - intros b' d' I. rewrite map_app, in_app_iff. apply in_app_iff in I as [I|[I|[]]].
          + destruct (H2 b' d' I); auto.
          + injection I as <- <-. right. right. now left.
        - apply incl_appl, incl_refl.
        - intros a' b' d' E L. injection E as <- <-. rewrite Lo in L. injection L as <-. right. right.
          rewrite map_app, in_app_iff. right. now left. }
      destruct S as (S1 & S2 & S3 & S4). destruct (IH (send_on B acc y) Inc' S1 S2) as (K1 & K2 & K3 & K4).
      split; [exact K1 | split; [|split; [exact K3 | eapply incl_tran; eauto]]].
      intros a b d [I|I] L; [|eauto]. destruct (S4 a b d I L) as [X|[X|X]]; auto. right. right.
      apply in_map_iff in X as (z & Ez & Iz). apply in_map_iff. exists z. split; [exact Ez | now apply K4]. }
  destruct (G B (sent, []) (incl_refl _)) as (K1 & K2 & K3 & _); [intros y [] | intros b d I; now left | cbn zeta; auto].
Qed.

(** What was sent on stays settled. *)
Definition sent_ok (s : state) (sent : sent_on) : Prop := forall b d, In (b, d) sent ->
  settled_d (map fst (s_store s)) (DConst d) (on_d (s_subst s) b).

Lemma rest_parts : forall Q ds s C, at_rest Q V ds s C -> map fst (s_store s) = store (erase C) /\ s_subst s = sigma (erase C).
Proof. intros Q ds s C H. destruct (in_edge _ _ _ _ _ H) as ([(_ & _ & Es & Eb & _) _] & _). split; [now rewrite Eb | exact Es]. Qed.

Lemma sent_kept : forall Q ds s C s1 C1 xs sent sent', at_rest Q V ds s C -> at_rest Q V ds s1 C1 ->
  good V (extend (erase C) xs) -> run any_step (extend (erase C) xs) (erase C1) -> sent_ok s sent ->
  (forall b d, In (b, d) sent' -> In (b, d) sent \/ In (DLe (DConst d) (DVar b)) xs) -> sent_ok s1 sent'.
Proof.
  intros Q ds s C s1 C1 xs sent sent' H H1 Gx R Ok Inc b d I.
  destruct (rest_parts Q ds s C H) as [Eb Es]. destruct (rest_parts Q ds s1 C1 H1) as [Eb1 Es1]. rewrite Eb1, Es1.
  assert (E1 : phi (erase C1) = []) by (simpl; now rewrite (is_done _ _ _ _ _ H1)).
  pose proof (solved_settles V (erase C1) (is_good _ _ _ _ _ H1) E1) as Se.
  apply (run_settles_back _ (at_tidy _ _ (is_good _ _ _ _ _ H1)) _ _ _ R (at_form _ _ Gx) (at_edge _ _ Gx)) in Se as (Sp & Ss & Sr);
    [|apply (at_edge _ _ (is_good _ _ _ _ _ H1))].
  assert (Rs : sub_d (sigma (erase C1)) (on_d (sigma (erase C)) b) = on_d (sigma (erase C1)) b).
  { specialize (Sr (DV b)). simpl in Sr. now injection Sr. }
  destruct (Inc b d I) as [J|J].
  - specialize (Ok b d J). rewrite Eb, Es in Ok. rewrite <- Rs. destruct Ok as [Ok|[Ok|Ok]].
    + left. now rewrite <- Ok.
    + right; left. now rewrite Ok.
    + exact (Ss _ Ok).
  - apply (Sp (DLe (DConst d) (DVar b))). simpl. apply in_app_iff. auto.
Qed.

(** One side of what is sent on. *)
Lemma news_named : forall Q Q' ds ds' s s' C C' f g sent sent', at_rest Q V ds s C -> at_rest Q' V ds' s' C' ->
  alike_by V (erase C) (erase C') f g -> sent_ok s' sent' ->
  forall c, In c (map fst (snd (to_send (s_store s) sent))) -> In (sub_c f c) (map fst (snd (to_send (s_store s') sent'))).
Proof.
  intros Q Q' ds ds' s s' C C' f g sent sent' H H' L Ok c I.
  destruct (rest_parts Q ds s C H) as [Eb Es]. destruct (rest_parts Q' ds' s' C' H') as [Eb' Es'].
  pose proof (is_good _ _ _ _ _ H) as G. pose proof (is_good _ _ _ _ _ H') as G'.
  apply in_map_iff in I as (y & <- & I). destruct (to_send_spec (s_store s) sent) as (S1 & _).
  destruct (S1 y I) as (d & a & b & -> & La & Ia & Nb). rewrite Eb in Ia.
  assert (Ua : unsolved (erase C) (DV a)) by (eapply store_unsolved; [exact G | exact Ia | simpl; auto]).
  assert (Ub : unsolved (erase C) (DV b)) by (eapply store_unsolved; [exact G | exact Ia | simpl; auto]).
  destruct (named_d V _ _ f g L a Ua) as (a' & Ea & _). destruct (named_d V _ _ f g L b Ub) as (b' & Eb2 & Ub' & _).
  pose proof (lower_named V _ _ f g _ _ L G G' Eb Eb' a a' Ua Ea) as Na.
  pose proof (lower_named V _ _ f g _ _ L G G' Eb Eb' b b' Ub Eb2) as Nb'.
  apply (store_named V _ _ f g L) in Ia. simpl in Ia. rewrite Ea, Eb2 in Ia.
  simpl. rewrite Eb2. destruct (to_send_spec (s_store s') sent') as (_ & S2 & _).
  destruct (S2 a' b' d) as [X|[X|X]]; [now rewrite Eb' | now rewrite Na | congruence | | exact X].
  exfalso. apply Nb. rewrite <- Nb'. apply Ok in X. rewrite Es' in X.
  assert (F : on_d (sigma (erase C')) b' = DVar b').
  { destruct Ub' as [F _]. unfold fixes in F. simpl in F. now injection F. }
  rewrite F in X. destruct X as [X|[X|X]]; try discriminate.
  apply (lower_is _ _ _ (oneD V (erase C') (s_store s') G' Eb')). exact X.
Qed.

Lemma news_addable : forall Q ds s C sent, at_rest Q V ds s C ->
  (forall x, In x (snd (to_send (s_store s) sent)) -> addable C x) /\ edge_set (map fst (snd (to_send (s_store s) sent))).
Proof.
  intros Q ds s C sent H. split.
  - intros x I. destruct (in_edge _ _ _ _ _ H) as ([(_ & _ & _ & Eb & _) _] & W & _). rewrite Eb in I. eapply to_send_addable; eauto.
  - intros c I. apply in_map_iff in I as (x & <- & I). destruct (to_send_spec (s_store s) sent) as (S1 & _).
    destruct (S1 x I) as (d & a & b & -> & _). exact Logic.I.
Qed.

Lemma both_done : forall s s' C C', at_rest P V cs s C -> at_rest P' V cs' s' C' -> alike V (erase C) (erase C') ->
  both_rest P P' V cs cs' (Some (inl s)) (Some (inl s')).
Proof. intros s s' C C' H H' L. exists C, C'. auto. Qed.

Lemma forward_alike : forall n n' s s' sent sent' C C', at_rest P V cs s C -> at_rest P' V cs' s' C' ->
  alike V (erase C) (erase C') -> sent_ok s sent -> sent_ok s' sent' ->
  both_rest P P' V cs cs' (forward P (run_within P k) n s sent) (forward P' (run_within P' k') n' s' sent').
Proof.
  intros n; induction n as [|n IH]; intros n' s s' sent sent' C C' H H' L Ok Ok'.
  all: destruct L as (f & g & L); pose proof (alike_by_sym _ _ _ _ _ L) as L'.
  all: pose proof (news_named _ _ _ _ _ _ _ _ _ _ sent sent' H H' L Ok') as N1.
  all: pose proof (news_named _ _ _ _ _ _ _ _ _ _ sent' sent H' H L' Ok) as N2.
  all: destruct (news_addable _ _ _ _ sent H) as [Ad Ed]; destruct (news_addable _ _ _ _ sent' H') as [Ad' Ed'].
  all: destruct (to_send_spec (s_store s) sent) as (_ & _ & S3); destruct (to_send_spec (s_store s') sent') as (_ & _ & S3').
  all: assert (Nil : snd (to_send (s_store s) sent) = [] <-> snd (to_send (s_store s') sent') = []).
  all: try (split; intros X; rewrite X in *;
    [destruct (snd (to_send (s_store s') sent')) as [|y l]; [auto | destruct (N2 (fst y)); now left]
    |destruct (snd (to_send (s_store s) sent)) as [|y l]; [auto | destruct (N1 (fst y)); now left]]).
  - destruct n' as [|n']; cbn [forward]; destruct (to_send (s_store s) sent) as [t [|x xs]], (to_send (s_store s') sent') as [t' [|x' xs']];
      cbn [snd] in Nil; try (exact I); try (apply (both_done s s' C C'); auto; exists f, g; exact L);
      try (destruct Nil as [_ Nil]; specialize (Nil eq_refl); discriminate);
      try (destruct Nil as [Nil _]; specialize (Nil eq_refl); discriminate).
  - destruct n' as [|n']; cbn [forward]; destruct (to_send (s_store s) sent) as [t [|x xs]], (to_send (s_store s') sent') as [t' [|x' xs']];
      cbn [snd fst] in *; try (apply (both_done s s' C C'); auto; exists f, g; exact L);
      try (destruct Nil as [_ Nil]; specialize (Nil eq_refl); discriminate);
      try (destruct Nil as [Nil _]; specialize (Nil eq_refl); discriminate).
    + destruct (run_within P k (add_all P s (x :: xs))) as [[s1|e]|]; simpl; auto.
      destruct (forward _ _ n s1 t) as [[|]|]; simpl; auto.
    + pose proof (add_phase s s' C C' f g (x :: xs) (x' :: xs') H H' L Ad Ed Ad' Ed' N1 N2) as Ph.
      pose proof (add_run P cs k s C (x :: xs)) as A1. pose proof (add_run P' cs' k' s' C' (x' :: xs')) as A2.
      destruct (run_within P k (add_all P s (x :: xs))) as [[s1|e]|], (run_within P' k' (add_all P' s' (x' :: xs'))) as [[s1'|e']|];
        simpl in Ph; try tauto; try exact I.
      * destruct Ph as (C1 & C1' & H1 & H1' & L1). apply (IH n' s1 s1' t t' C1 C1'); auto.
        -- destruct (A1 s1 H Ad Ed eq_refl) as (Gx & D1 & HD & RD). eapply (sent_kept P cs s C s1 D1); eauto.
        -- destruct (A2 s1' H' Ad' Ed' eq_refl) as (Gx & D1 & HD & RD). eapply (sent_kept P' cs' s' C' s1' D1); eauto.
      * simpl. destruct (forward _ _ n s1 t) as [[|]|]; exact I.
Qed.
End Outcome.

(** * Closing *)

(** Values that are alike agree. *)
Lemma alike_agree : forall V C D, good V C -> alike V C D -> agree_on V (greatest (sigma C)) (greatest (sigma D)).
Proof.
  intros V C D G (f & g & L) v I. pose proof L as ((_ & Rv & _) & _). specialize (Rv v I).
  assert (U : forall w, In w (vars (apply (sigma C) (var_term v))) -> agree_at top (ground_comp top f) w).
  { intros w J. assert (Uw : unsolved C w) by (apply (value_unsolved C v w); [apply G | now apply (at_used _ _ G) | exact J]).
    destruct w as [a|p]; simpl.
    - destruct (named_d V C D f g L a Uw) as (b & -> & _). reflexivity.
    - destruct (named_r V C D f g L p Uw) as (-> & _). rewrite ground_rvar. reflexivity. }
  destruct v as [a|p]; simpl in *.
  - injection Rv as <-. rewrite <- ground_d_comp. now apply agree_ground_d.
  - rewrite !sub_rvar in *. injection Rv as <-. rewrite <- ground_r_comp. now apply agree_ground_r.
Qed.

(** The same outcome: the same values, or both fail, or both lack something of a parameter;
    where none was cut off. *)
Definition same_closed (V : list var) (x y : closed) : Prop :=
  match x, y with
  | Unfinished, _ | _, Unfinished => True
  | Closed_at s _, Closed_at s' _ => agree_on V (greatest (s_subst s)) (greatest (s_subst s'))
  | Failed_with _ _, Failed_with _ _ | Hole_at _ _, Hole_at _ _ => True
  | _, _ => False
  end.

Lemma rest_agree : forall P P' V cs cs' s s' C C', at_rest P V cs s C -> at_rest P' V cs' s' C' -> alike V (erase C) (erase C') ->
  agree_on V (greatest (s_subst s)) (greatest (s_subst s')).
Proof.
  intros P P' V cs cs' s s' C C' H H' L. destruct (rest_parts V P cs s C H) as [_ ->].
  destruct (rest_parts V P' cs' s' C' H') as [_ ->]. apply alike_agree; [apply H | exact L].
Qed.

Section Leaves.
Variables (V : list var) (T : tagging).
Hypothesis leaves_in : incl (leaves T) V.

Lemma leaves_are : forall Q ds s C v, at_rest Q V ds s C -> (forall w, In w V <-> In w (flat_map vars_c ds)) ->
  (In v (map fst (filter (fun x => of_leaf (snd x)) (pieces_of ds T s))) <->
   unsolved (erase C) v /\ exists o, In o (leaves T) /\ In v (vars (apply (sigma (erase C)) (var_term o)))).
Proof.
  intros Q ds s C v H HV. destruct (rest_parts V Q ds s C H) as [_ Es].
  destruct (flag_pieces of_leaf (fun l _ => l) ds T s v of_leaf_sets) as [So Fl]. rewrite Es in Fl.
  assert (K : In v (map fst (filter (fun x => of_leaf (snd x)) (pieces_of ds T s))) <-> flag of_leaf (pieces_of ds T s) v = true).
  { unfold flag. split.
    - intros I. apply in_map_iff in I as ([w x] & <- & I). apply filter_In in I as [I L]. simpl in *.
      now rewrite (piece_at_in _ _ _ So I).
    - destruct (piece_at (pieces_of ds T s) v) as [x|] eqn:E; [|discriminate]. intros L.
      assert (I : In (v, x) (pieces_of ds T s)).
      { clear - E. induction (pieces_of ds T s) as [|[w y] ps IH]; simpl in *; [discriminate|].
        destruct (var_eqb v w) eqn:Ev; [|right; auto]. apply var_eqb_eq in Ev as ->. injection E as ->. now left. }
      apply in_map_iff. exists (v, x). split; [auto|]. apply filter_In. auto. }
  rewrite K, Fl. split.
  - intros (o & Io & Iv & M). apply memberb_In in M. split; [|eauto].
    apply (value_unsolved (erase C) o v); [apply (is_good _ _ _ _ _ H) | | exact Iv].
    apply (at_used _ _ (is_good _ _ _ _ _ H)). auto.
  - intros (_ & o & Io & Iv). exists o. split; [apply in_app_iff; auto | split; [exact Iv | now apply memberb_In]].
Qed.

Lemma params_are : forall Q ds s C v, at_rest Q V ds s C -> (forall w, In w V <-> In w (flat_map vars_c ds)) ->
  (is_param (pieces_of ds T s) v = true <->
   exists o, In o V /\ In o (params T) /\ In v (vars (apply (sigma (erase C)) (var_term o)))).
Proof.
  intros Q ds s C v H HV. destruct (rest_parts V Q ds s C H) as [_ Es].
  destruct (flag_pieces of_param (fun _ p => p) ds T s v of_param_sets) as [_ Fl]. rewrite Es in Fl.
  change (is_param (pieces_of ds T s) v) with (flag of_param (pieces_of ds T s) v). rewrite Fl. split.
  - intros (o & Io & Iv & M). apply memberb_In in M. exists o. split; [|auto].
    apply in_app_iff in Io as [Io|Io]; [now apply HV | auto].
  - intros (o & Io & M & Iv). exists o. split; [apply in_app_iff; left; now apply HV | split; [exact Iv | now apply memberb_In]].
Qed.

(** A value of one side is a value of the other. *)
Lemma value_named : forall C D f g o v, alike_by V C D f g -> good V C -> In o V ->
  In v (vars (apply (sigma C) (var_term o))) -> In (name f v) (vars (apply (sigma D) (var_term o))).
Proof.
  intros C D f g o v L G Io Iv. pose proof L as ((_ & Rv & _) & _). rewrite <- (Rv o Io). apply vars_apply. exists v.
  split; [exact Iv|]. destruct (named V C D f g L v) as (E & _).
  { apply (value_unsolved C o v); [apply G | now apply (at_used _ _ G) | exact Iv]. }
  rewrite E. now apply vars_var_term.
Qed.

Section Loop.
Variables (P P' : policy) (K K' : close_policy) (cs cs' : list constr) (k k' : nat).
Hypothesis same_rules : antisym P = antisym P'.
Hypothesis saturated : caps_by K = Saturated.
Hypothesis saturated' : caps_by K' = Saturated.
Hypothesis vars_cs : forall w, In w V <-> In w (flat_map vars_c cs).
Hypothesis vars_cs' : forall w, In w V <-> In w (flat_map vars_c cs').

Let leaves_of (ds : list constr) (s : state) : list var :=
  map fst (filter (fun x => of_leaf (snd x)) (pieces_of ds T s)).

Lemma chosen_alike : forall s s' C C' f g, at_rest P V cs s C -> at_rest P' V cs' s' C' -> alike_by V (erase C) (erase C') f g ->
  like_choice f (chosen K (s_store s) (pieces_of cs T s) (leaves_of cs s))
                (chosen K' (s_store s') (pieces_of cs' T s') (leaves_of cs' s')).
Proof.
  intros s s' C C' f g H H' L. pose proof (alike_by_sym _ _ _ _ _ L) as L'.
  destruct (rest_parts V P cs s C H) as [Eb _]. destruct (rest_parts V P' cs' s' C' H') as [Eb' _].
  pose proof (is_good _ _ _ _ _ H) as G. pose proof (is_good _ _ _ _ _ H') as G'.
  apply (like_chosen V (erase C) (erase C') f g); auto; unfold leaves_of.
  - intros v I. now apply (leaves_are P cs s C v H vars_cs).
  - intros v I. apply (leaves_are P cs s C v H vars_cs) in I as (U & o & Io & Iv).
    apply (leaves_are P' cs' s' C' _ H' vars_cs'). split; [now apply (named V _ _ f g L)|].
    exists o. split; [exact Io|]. eapply value_named; eauto.
  - intros v' I. apply (leaves_are P' cs' s' C' v' H' vars_cs') in I as (U & o & Io & Iv).
    exists (name g v'). split; [|now apply (named V _ _ g f L')].
    apply (leaves_are P cs s C _ H vars_cs). split; [now apply (named V _ _ g f L')|].
    exists o. split; [exact Io|]. eapply value_named; eauto.
  - intros v I. apply (leaves_are P cs s C v H vars_cs) in I as (U & _).
    assert (X : is_param (pieces_of cs' T s') (name f v) = true <-> is_param (pieces_of cs T s) v = true).
    { rewrite (params_are P' cs' s' C' _ H' vars_cs'), (params_are P cs s C v H vars_cs). split.
      - intros (o & Io & M & Iv). exists o. split; [exact Io | split; [exact M|]].
        destruct (named V _ _ f g L v U) as (_ & _ & Bk). rewrite <- Bk. eapply value_named; eauto.
      - intros (o & Io & M & Iv). exists o. split; [exact Io | split; [exact M|]]. eapply value_named; eauto. }
    destruct (is_param (pieces_of cs' T s') (name f v)), (is_param (pieces_of cs T s) v); auto; [symmetry|]; now apply X.
Qed.

Lemma commit_alike : forall s s' C C' f g bs bs', at_rest P V cs s C -> at_rest P' V cs' s' C' ->
  alike_by V (erase C) (erase C') f g -> like_list f bs bs' ->
  (forall c, In c bs -> knows (erase C) (equation (fst c)) /\ edge_b (fst c)) ->
  (forall c, In c bs' -> knows (erase C') (equation (fst c)) /\ edge_b (fst c)) ->
  both_rest P P' V cs cs' (run_within P k (commit_all P s bs)) (run_within P' k' (commit_all P' s' bs')).
Proof.
  intros s s' C C' f g bs bs' H H' L [L1 L2] Kn Kn'. unfold commit_all.
  assert (Ad : forall E l, (forall c : commitment, In c l -> knows (erase E) (equation (fst c)) /\ edge_b (fst c)) ->
    (forall x, In x (tag_all true (map (fun c : commitment => equation (fst c)) l)) -> addable E x) /\
    edge_set (map fst (tag_all true (map (fun c : commitment => equation (fst c)) l)))).
  { intros E l Hl. split.
    - intros [c t] I. apply in_tag_all in I as [I ->]. apply in_map_iff in I as (d & <- & I).
      now apply commitment_addable, Hl.
    - rewrite tag_all_fst. intros c I. apply in_map_iff in I as (d & <- & I). now apply edge_equation, Hl. }
  destruct (Ad C bs Kn) as [A1 A2]. destruct (Ad C' bs' Kn') as [A3 A4].
  apply (add_phase P P' V cs cs' k k' same_rules s s' C C' f g); auto.
  - rewrite !tag_all_fst. intros c I. apply in_map_iff in I as (d & <- & I). destruct (L1 d I) as (d' & I' & E).
    rewrite <- E. apply in_map_iff. exists d'. auto.
  - rewrite !tag_all_fst. intros c I. apply in_map_iff in I as (d' & <- & I). destruct (L2 d' I) as (d & I' & E).
    rewrite E, (back_again V (erase C) (erase C') f g L); [apply in_map_iff; eauto|].
    intros v J. now apply (proj1 (Kn d I')).
Qed.

(** Everything that is left goes up. *)
Lemma close_up_alike : forall s s' C C' l l', at_rest P V cs s C -> at_rest P' V cs' s' C' -> alike V (erase C) (erase C') ->
  same_closed V
    (match close_up (pieces_of cs T s) with
     | [] => Closed_at s l
     | bs =>
         let l := l ++ map (assumed (pieces_of cs T s)) bs in
         and_then (run_within P k (commit_all P s bs)) l (fun s => Closed_at s l)
     end)
    (match close_up (pieces_of cs' T s') with
     | [] => Closed_at s' l'
     | bs =>
         let l := l' ++ map (assumed (pieces_of cs' T s')) bs in
         and_then (run_within P' k' (commit_all P' s' bs)) l (fun s => Closed_at s l)
     end).
Proof.
  intros s s' C C' l l' H H' (f & g & L). pose proof (alike_by_sym _ _ _ _ _ L) as L'.
  assert (Un : forall Q ds s0 C0 v, at_rest Q V ds s0 C0 -> (forall w, In w V <-> In w (flat_map vars_c ds)) ->
    In v (map fst (pieces_of ds T s0)) <-> unsolved (erase C0) v).
  { intros Q ds s0 C0 v H0 HV. apply (pieces_unsolved Q ds T); [intros w I; apply HV; auto | apply H0 | apply (in_edge _ _ _ _ _ H0)]. }
  assert (Up : forall Q ds s0 C0, at_rest Q V ds s0 C0 -> (forall w, In w V <-> In w (flat_map vars_c ds)) ->
    forall c, In c (close_up (pieces_of ds T s0)) <-> exists v, unsolved (erase C0) v /\ c = (top_of v, CL_up)).
  { intros Q ds s0 C0 H0 HV c. unfold close_up. rewrite in_map_iff. split.
    - intros ([v x] & <- & I). exists v. split; [|auto]. apply (Un Q ds s0 C0 v H0 HV). apply (in_map fst) in I. exact I.
    - intros (v & U & ->). apply (Un Q ds s0 C0 v H0 HV) in U. apply in_map_iff in U as ([w x] & E & I). simpl in E. subst w.
      exists (v, x). auto. }
  assert (Li : like_list f (close_up (pieces_of cs T s)) (close_up (pieces_of cs' T s'))).
  { split.
    - intros c I. apply (Up P cs s C H vars_cs) in I as (v & U & ->). exists (top_of (name f v), CL_up).
      split; [apply (Up P' cs' s' C' H' vars_cs'); exists (name f v); split; [now apply (named V _ _ f g L) | auto]|].
      unfold like_commitment. cbn [fst]. now apply (like_top V (erase C) (erase C') f g L).
    - intros c I. apply (Up P' cs' s' C' H' vars_cs') in I as (v' & U & ->).
      destruct (named V _ _ g f L' v' U) as (_ & U0 & Bk). exists (top_of (name g v'), CL_up).
      split; [apply (Up P cs s C H vars_cs); eauto|]. unfold like_commitment. cbn [fst]. rewrite <- Bk at 1.
      now apply (like_top V (erase C) (erase C') f g L). }
  assert (Kn : forall Q ds s0 C0, at_rest Q V ds s0 C0 -> (forall w, In w V <-> In w (flat_map vars_c ds)) ->
    forall c, In c (close_up (pieces_of ds T s0)) -> knows (erase C0) (equation (fst c)) /\ edge_b (fst c)).
  { intros Q ds s0 C0 H0 HV c I. apply (Up Q ds s0 C0 H0 HV) in I as (v & U & ->). cbn [fst].
    split; [apply upward_knows; now constructor | apply edge_top_of]. }
  pose proof (like_nil _ _ _ Li) as Nil.
  pose proof (commit_alike s s' C C' f g _ _ H H' L Li (Kn P cs s C H vars_cs) (Kn P' cs' s' C' H' vars_cs')) as Ph.
  destruct (close_up (pieces_of cs T s)) as [|b bs], (close_up (pieces_of cs' T s')) as [|b' bs'].
  - simpl. eapply rest_agree; eauto. exists f, g. exact L.
  - destruct Nil as [Nil _]. specialize (Nil eq_refl). discriminate.
  - destruct Nil as [_ Nil]. specialize (Nil eq_refl). discriminate.
  - cbn zeta. unfold and_then.
    destruct (run_within P k (commit_all P s (b :: bs))) as [[s1|e]|], (run_within P' k' (commit_all P' s' (b' :: bs'))) as [[s1'|e']|];
      simpl in Ph |- *; try tauto. destruct Ph as (C1 & C1' & H1 & H1' & L1). eapply rest_agree; eauto.
Qed.

Lemma chosen_fits : forall Q Kq ds s C bs, at_rest Q V ds s C -> (forall w, In w V <-> In w (flat_map vars_c ds)) ->
  chosen Kq (s_store s) (pieces_of ds T s) (leaves_of ds s) = inl bs ->
  forall c, In c bs -> knows (erase C) (equation (fst c)) /\ edge_b (fst c).
Proof.
  intros Q Kq ds s C bs H HV Ch c I. destruct (rest_parts V Q ds s C H) as [Eb _]. split.
  - eapply (chosen_knows Q Kq (fun l => l) ds T); [intros l; apply incl_refl | intros w J; apply HV; auto | apply H |
      apply (in_edge _ _ _ _ _ H) | exact Ch | exact I].
  - refine (edge_chosen _ _ _ _ _ _ _ Ch c I); rewrite Eb.
    + apply (at_edge _ _ (is_good _ _ _ _ _ H)).
    + intros d J. now apply (at_store _ _ (is_good _ _ _ _ _ H)).
Qed.

Lemma close_for_alike : forall n n' s s' l l' C C', at_rest P V cs s C -> at_rest P' V cs' s' C' -> alike V (erase C) (erase C') ->
  same_closed V (close_for P K (run_within P k) (fun l => l) cs T n s l)
                (close_for P' K' (run_within P' k') (fun l => l) cs' T n' s' l').
Proof.
  assert (Shape : forall Q Kq j ds n s l, caps_by Kq = Saturated ->
    close_for Q Kq (run_within Q j) (fun l => l) ds T n s l =
    and_then (forward Q (run_within Q j) n s []) l (fun s =>
      match chosen Kq (s_store s) (pieces_of ds T s) (leaves_of ds s) with
      | inr u => hole T s (pieces_of ds T s) u
      | inl [] =>
          match close_up (pieces_of ds T s) with
          | [] => Closed_at s l
          | bs => let l := l ++ map (assumed (pieces_of ds T s)) bs in
                  and_then (run_within Q j (commit_all Q s bs)) l (fun s => Closed_at s l)
          end
      | inl bs =>
          match n with
          | O => Unfinished
          | S n => let l := l ++ map (assumed (pieces_of ds T s)) bs in
                   and_then (run_within Q j (commit_all Q s bs)) l
                     (fun s => close_for Q Kq (run_within Q j) (fun l => l) ds T n s l)
          end
      end)).
  { intros Q Kq j ds n s l Sat. destruct n; cbn [close_for]; unfold forwarded; rewrite Sat; reflexivity. }
  assert (Left : forall x, same_closed V x Unfinished) by (intros []; exact I).
  intros n; induction n as [|n IH]; intros n' s s' l l' C C' H H' L; rewrite !Shape by assumption;
    assert (X : sent_ok s [] /\ sent_ok s' []) by (split; intros b d []);
    match goal with |- same_closed V (and_then (forward _ _ ?m _ _) _ _) _ =>
      pose proof (forward_alike P P' V cs cs' k k' same_rules m n' s s' [] [] C C' H H' L (proj1 X) (proj2 X)) as Fw;
      destruct (forward P (run_within P k) m s []) as [[s1|e]|], (forward P' (run_within P' k') n' s' []) as [[s1'|e']|]
    end; simpl in Fw; try tauto; cbn [and_then]; try apply Left; try exact I;
    destruct Fw as (C1 & C1' & H1 & H1' & f & g & L1); pose proof (chosen_alike s1 s1' C1 C1' f g H1 H1' L1) as Ch;
    pose proof (chosen_fits P K cs s1 C1) as F1; pose proof (chosen_fits P' K' cs' s1' C1') as F2;
    destruct (chosen K (s_store s1) _ _) as [[|b bs]|u], (chosen K' (s_store s1') _ _) as [[|b' bs']|u']; simpl in Ch; try tauto; try exact I;
    try (destruct (proj2 Ch b') as (y & [] & _); now left); try (destruct (proj1 Ch b) as (y & [] & _); now left);
    try (apply (close_up_alike s1 s1' C1 C1'); auto; exists f, g; exact L1).
  destruct n' as [|n']; [apply Left|]. cbn zeta.
  pose proof (commit_alike s1 s1' C1 C1' f g _ _ H1 H1' L1 Ch (F1 _ H1 vars_cs eq_refl) (F2 _ H1' vars_cs' eq_refl)) as Ph.
  destruct (run_within P k (commit_all P s1 (b :: bs))) as [[s2|e]|], (run_within P' k' (commit_all P' s1' (b' :: bs'))) as [[s2'|e']|];
    simpl in Ph; try tauto; cbn [and_then]; try apply Left; try exact I.
  destruct Ph as (C2 & C2' & H2 & H2' & L2). eapply IH; eauto.
Qed.
End Loop.
End Leaves.

(** 5.5.iv.  Solving and closing, with caps as in Remark 6.3: the strategy, the guard, the order of the
    statements and the numbers of fresh variables do not decide whether there are values, nor which
    (if both ways come to an end). *)
Theorem cor_5_5_iv_close_same : forall P P' K K' n n' m m' cs cs' T,
  edge_set cs -> (forall c, In c cs' <-> In c cs) -> antisym P = antisym P' ->
  caps_by K = Saturated -> caps_by K' = Saturated -> incl (leaves T) (flat_map vars_c cs) ->
  numbered m (flat_map vars_c cs) -> numbered m' (flat_map vars_c cs') ->
  same_closed (flat_map vars_c cs) (close P K n m cs T) (close P' K' n' m' cs' T).
Proof.
  intros P P' K K' n n' m m' cs cs' T E S An Sat Sat' Le N N'. set (V := flat_map vars_c cs).
  pose proof (edge_set_same cs cs' S E) as E'.
  assert (HV : forall w, In w V <-> In w (flat_map vars_c cs')) by (intros w; symmetry; now apply vars_same).
  assert (Er : forall ds, erase (t_initial ds) = initial ds).
  { intros ds. unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst. }
  assert (G : good V (erase (t_initial cs))) by (rewrite Er; now apply good_initial).
  assert (G' : good V (erase (t_initial cs'))).
  { rewrite Er. apply (good_same (flat_map vars_c cs')); [intros w; symmetry; apply HV | now apply good_initial]. }
  assert (A : forall Q ds, collapsed Q (erase (t_initial ds))).
  { intros Q ds _ a b Pa. simpl in Pa. inversion Pa as [x y []|x y z []]. }
  assert (L : alike V (erase (t_initial cs)) (erase (t_initial cs'))) by (rewrite !Er; now apply alike_initial).
  pose proof (phase P P' V n n' _ _ _ _ An (edge_start P m cs E N) (edge_start P' m' cs' E' N') G G' (A P cs) (A P' cs') L) as Ph.
  unfold close, close_within.
  destruct (run_within P n (started P m cs)) as [[s|e]|], (run_within P' n' (started P' m' cs')) as [[s'|e']|];
    try tauto; cbn [and_then]; try exact I;
    try (match goal with |- same_closed _ ?x Unfinished => destruct x; exact I end).
  destruct Ph as (C & C' & R & R' & H & H' & D & D' & F & F' & LC).
  apply (close_for_alike V T Le P P' K K' cs cs' n n' An Sat Sat' (fun w => iff_refl _) HV n n' s s' [] [] C C'); auto.
  - split; auto; [eapply run_more; [apply T_nil | exact R] | eapply good_run; [eapply t_run_erase; exact R | exact G]].
  - split; auto; [eapply run_more; [apply T_nil | exact R'] | eapply good_run; [eapply t_run_erase; exact R' | exact G']].
Qed.

(** 5.5.iv.  With the signed guard both ways come to an end: alike, and with the same values. *)
Theorem cor_5_5_iv_close_decided : forall P P' K K' m m' cs cs' T,
  edge_set cs -> (forall c, In c cs' <-> In c cs) -> antisym P = antisym P' -> guard P = Signed -> guard P' = Signed ->
  caps_by K = Saturated -> caps_by K' = Saturated -> incl (leaves T) (flat_map vars_c cs) ->
  numbered m (flat_map vars_c cs) -> numbered m' (flat_map vars_c cs') ->
  exists x y n, (forall j, n <= j -> close P K j m cs T = x /\ close P' K' j m' cs' T = y) /\
    x <> Unfinished /\ y <> Unfinished /\ same_closed (flat_map vars_c cs) x y.
Proof.
  intros P P' K K' m m' cs cs' T E S An G G' Sat Sat' Le N N'.
  assert (Le' : incl (leaves T) (flat_map vars_c cs')) by (intros v I; apply (vars_same cs cs' S); auto).
  destruct (prop_6_2_close_ends P K cs T m G Le N) as (x & a & Nx & Hx).
  destruct (prop_6_2_close_ends P' K' cs' T m' G' Le' N') as (y & b & Ny & Hy).
  exists x, y, (a + b). split; [intros j L; split; [apply Hx | apply Hy]; lia|].
  pose proof (cor_5_5_iv_close_same P P' K K' (a + b) (a + b) m m' cs cs' T E S An Sat Sat' Le N N') as C.
  rewrite Hx, Hy in C by lia. auto.
Qed.
