(** Prop. 6.2, termination, for the program that closes: under the signed guard it
    ends, and how it ends does not depend on how long it was allowed to run.

    A commitment loses a row variable, or a dimension variable and no row variable.
    What is sent on loses a dimension variable, or gives one its first atom. *)

From Coq Require Import List Bool Arith Permutation Lia Wf_nat.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm
  Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Taint Taint_thm Certificate
  Closing Closing_thm Closing_termination_thm Queue Queue_thm Cycle Cycle_thm Fire Fire_thm Solver Solver_thm Solve_thm
  Close Close_thm.
Import ListNotations.

(** * The numbers that fall *)

Definition uncapped (B : list constr) (a : dvar) : bool :=
  match lower B a with None => true | Some _ => false end.

(** At most so many unsolved row variables, dimension variables, and of these
    without an atom below. *)
Definition sized (n m k : nat) (C : config) : Prop :=
  exists L D, covers_rows L C /\ length L <= n /\ covers_dims D C /\ length D <= m /\
    length (filter (uncapped (store C)) D) <= k.

Lemma sized_some : forall C, exists n m k, sized n m k C.
Proof.
  intros C. destruct (covers_used C) as [HL HD]. eexists _, _, _.
  exists (rows_of (used C)), (dims_of (used C)). eauto.
Qed.

Lemma sized_mono : forall n m k n' m' k' C, sized n m k C -> n <= n' -> m <= m' -> k <= k' -> sized n' m' k' C.
Proof. intros n m k n' m' k' C (L & D & A & B & E & F & G) Hn Hm Hk. exists L, D. repeat split; auto; lia. Qed.

(** ** Commitments *)

Lemma commit_less : forall n m k C bs C', silent C -> phi C = [] -> bs <> [] ->
  (forall b, In b bs -> closed_value b /\ knows C (equation b)) ->
  guarded_run (commit C bs) C' -> phi C' = [] -> sized n m k C ->
  exists n' m' k', sized n' m' k' C' /\ (n' < n \/ (n' <= n /\ m' < m)).
Proof.
  intros n m k C bs C' Si E N K R E2 (L & D & HL & Ln & HD & Dm & _).
  destruct (commit_fewer C bs C' L D Si E N K R E2 HL HD) as (L' & D' & HL' & HD' & Less).
  exists (length L'), (length D'). eexists. split; [exists L', D'; eauto | lia].
Qed.

(** ** What is sent on *)

Lemma lower_more : forall B B' a, incl B B' -> lower B a <> None -> lower B' a <> None.
Proof.
  intros B B' a I H E. destruct (lower B a) as [d|] eqn:L; [|congruence].
  apply lower_in in L as [A J]. exact (Fire_thm.lower_none B' a d A E (I _ J)).
Qed.

Lemma fires_cap : forall used B d b r e, is_atom d -> fires used B (DLe (DConst d) (DVar b)) r (Does e) ->
  lower B b = Some d \/ stores e = [DLe (DConst d) (DVar b)] \/ In (DEq (DVar b) (DConst Unit)) (emits e).
Proof.
  assert (G : forall used B c r o, fires used B c r o -> forall d b, is_atom d -> c = DLe (DConst d) (DVar b) ->
    match o with Fails => True | Does e =>
      lower B b = Some d \/ stores e = [DLe (DConst d) (DVar b)] \/ In (DEq (DVar b) (DConst Unit)) (emits e) end).
  { intros used B c r o F d b A E. destruct F; try exact I; try discriminate; try congruence.
    - injection E as <- <-. destruct A.
    - injection E as -> ->. unfold di_cap. destruct (lower B b) as [x|] eqn:L; simpl; [|auto].
      destruct (dim_eqb x d) eqn:X; simpl; [|auto]. apply dim_eqb_eq in X as ->. auto.
    - injection E as -> ->. simpl. auto. }
  intros used B d b r e A F. exact (G _ _ _ _ _ F d b A eq_refl).
Qed.

Lemma constr_eq_dec : forall c d : constr, {c = d} + {c <> d}.
Proof. decide equality; apply dterm_eq_dec || apply rterm_eq_dec. Qed.

(** While d ⊑ b, which was not stored, is on its way: a variable has gone or will
    go, or it is still pending, or it is the first atom below b. *)
Definition sending (n : nat) (D0 : list dvar) (B0 : list constr) (d : dim) (b : dvar) (C : config) : Prop :=
  (forall c, In c (phi C) -> is_dim c) /\ one_atom (store C) /\ (exists L, covers_rows L C /\ length L <= n) /\
  ((exists D, covers_dims D C /\ length D < length D0) \/
   (covers_dims D0 C /\ incl B0 (store C) /\
    ((exists a x, In (DEq (DVar a) (DConst x)) (phi C)) \/ In (DLe (DConst d) (DVar b)) (phi C) \/
     (lower B0 b = None /\ lower (store C) b <> None)))).

Lemma step_sending : forall n D0 B0 d b, is_atom d -> lower B0 b <> Some d ->
  forall C c r C', well_formed C -> step C c r C' -> sending n D0 B0 d b C -> sending n D0 B0 d b C'.
Proof.
  intros n D0 B0 d b A Nd C c r C' W S (HD & One & (L & HL & Ln) & H).
  assert (One' : one_atom (store C')) by (eapply step_one_atom; eauto).
  inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  assert (Dc : is_dim c) by (apply HD; rewrite Ep, in_app_iff; simpl; auto).
  destruct (next_rows C pre post c r e W Ep F L HL) as (L' & HL' & Le & _).
  split; [now apply (next_all_dims C pre post c r e)|]. split; [exact One'|].
  split; [exists L'; split; [auto|lia]|].
  destruct H as [(D & HDc & Lt)|(HDc & Inc & H)].
  - destruct (next_dims C pre post c r e W Ep F D Dc HDc) as (D' & HD' & Ld & _).
    left. exists D'. split; [auto | lia].
  - destruct (next_dims C pre post c r e W Ep F D0 Dc HDc) as (D' & HD' & Ld & Lt).
    destruct (binds e) as [bd|] eqn:Eb; [left; exists D'; split; [auto | eauto]|].
    right. assert (HDn : covers_dims D0 (next C (pre ++ post) c e)).
    { intros a U. apply HDc. pose proof (step_unsolved C pre c post r e (DV a) W Ep F U) as X.
      now rewrite Eb in X. }
    split; [exact HDn|]. unfold next; rewrite Eb; simpl.
    assert (Inc' : incl B0 (add_bounds (store C) (stores e))).
    { intros x I. apply in_add_bounds. auto. }
    split; [exact Inc'|].
    assert (Ph : forall x, In x (phi C) -> x <> c -> In x ((pre ++ post) ++ emits e ++ (if again e then [c] else []))).
    { intros x I Nx. rewrite Ep in I. apply in_app_iff in I. simpl in I. rewrite !in_app_iff.
      destruct I as [I|[I|I]]; auto. congruence. }
    destruct H as [(a & x & Ia)|[Ib|[Lb Cb]]].
    + left. exists a, x. apply Ph; [auto|]. intros <-. inversion F; subst; discriminate.
    + destruct (constr_eq_dec (DLe (DConst d) (DVar b)) c) as [<-|Nc]; [|right; left; auto].
      destruct (fires_cap _ _ _ _ _ _ A F) as [Lo|[St|Em]].
      * right; right. apply lower_in in Lo as Lo'. destruct Lo' as [_ Io].
        assert (N0 : lower B0 b = None).
        { destruct (lower B0 b) as [x|] eqn:L0; [|auto]. apply lower_in in L0 as [Ax Ix].
          rewrite (One d x b A Ax Io (Inc _ Ix)) in Nd. now destruct Nd. }
        split; [exact N0|]. apply (lower_more (store C)); [apply incl_add_bounds | congruence].
      * right; right.
        assert (In' : In (DLe (DConst d) (DVar b)) (add_bounds (store C) (stores e))).
        { apply in_add_bounds. right. rewrite St. simpl; auto. }
        split.
        -- destruct (lower B0 b) as [x|] eqn:L0; [|auto]. exfalso. apply lower_in in L0 as [Ax Ix].
           assert (One2 : one_atom (add_bounds (store C) (stores e))).
           { unfold next in One'. rewrite Eb in One'. exact One'. }
           rewrite (One2 d x b A Ax In' (Inc' _ Ix)) in Nd. now destruct Nd.
        -- intros X. exact (Fire_thm.lower_none _ b d A X In').
      * left. exists b, Unit. rewrite !in_app_iff. auto.
    + right; right. split; [exact Lb|]. apply (lower_more (store C)); [apply incl_add_bounds | auto].
Qed.

Lemma send_less : forall n m k C xs C', silent C -> one_atom (store C) -> phi C = [] -> xs <> [] ->
  (forall c, In c xs -> knows C c /\ exists d b, c = DLe (DConst d) (DVar b) /\ is_atom d /\ lower (store C) b <> Some d) ->
  guarded_run (extend C xs) C' -> phi C' = [] -> sized n m k C ->
  exists m' k', sized n m' k' C' /\ (m' < m \/ (m' <= m /\ k' < k)).
Proof.
  intros n m k C xs C' (W & FS & Cy) One E N K R E2 (L & D & HL & Ln & HD & Dm & Ck).
  destruct xs as [|c xs]; [congruence|].
  destruct (K c (or_introl eq_refl)) as (Kc & d & b & -> & A & Nd).
  assert (Si' : silent (extend C (DLe (DConst d) (DVar b) :: xs))).
  { split; [|split; [exact FS | exact Cy]]. apply extend_well_formed; [auto|]. intros c I. now apply K. }
  assert (S0 : sending n D (store C) d b (extend C (DLe (DConst d) (DVar b) :: xs))).
  { split; [|split; [exact One | split; [exists L; auto|]]].
    - intros c I. simpl in I. rewrite E in I. simpl in I. destruct I as [<-|I]; [exact Logic.I|].
      destruct (K c (or_intror I)) as (_ & d' & b' & -> & _). exact Logic.I.
    - right. split; [exact HD | split; [apply incl_refl|]]. right; left. simpl. rewrite E. simpl; auto. }
  destruct (guarded_run_kept _ (step_sending n D (store C) d b A Nd) _ _ R Si' S0) as (_ & _ & (L' & HL' & Ln') & H).
  destruct H as [(D' & HD' & Lt)|(HD' & Inc & H)].
  - exists (length D'). eexists. split; [|left; lia]. exists L', D'. eauto 10.
  - destruct H as [(a & x & I)|[I|[L0 L1]]]; try (rewrite E2 in I; destruct I).
    assert (Lt : length (filter (uncapped (store C')) D) < length (filter (uncapped (store C)) D)).
    { assert (Ib : In b D).
      { apply HD. destruct (Kc (DV b)) as [Fb Ub]; [simpl; auto | split; auto]. }
      apply (Cycle_thm.filter_lt _ _ _ _ b); [|exact Ib | |].
      - intros a U. unfold uncapped in *. destruct (lower (store C) a) as [x|] eqn:X; [|auto].
        assert (Y : lower (store C') a <> None) by (apply (lower_more (store C)); [auto | congruence]).
        destruct (lower (store C') a); [discriminate | congruence].
      - unfold uncapped. destruct (lower (store C') b); [auto | congruence].
      - unfold uncapped. now rewrite L0. }
    exists m, (length (filter (uncapped (store C')) D)). split; [|right; split; lia].
    exists L', D. auto 10.
Qed.

(** * The solver ends *)

Lemma run_within_ends : forall P s, Acc (follows P) s ->
  exists x N, forall k, N <= k -> run_within P k s = Some x.
Proof.
  intros P s A; induction A as [s _ IH]. destruct (step_of P s) as [|f|d s'] eqn:E.
  - exists (inl s), 0. intros k _. unfold run_within. destruct k; simpl; now rewrite E.
  - exists (inr f), 0. intros k _. unfold run_within. destruct k; simpl; now rewrite E.
  - destruct (IH s') as (x & N & H); [exists d; auto|]. exists x, (S N). intros [|k] L; [lia|].
    specialize (H k (le_S_n _ _ L)). unfold run_within in *. simpl. rewrite E.
    now destruct (run_for P k s') as [ds last].
Qed.

Lemma run_within_guarded : forall P k s s' C, guard P = Signed -> stands_for P s C ->
  run_within P k s = Some (inl s') ->
  exists C', t_run any_step C C' /\ guarded_run (erase C) (erase C') /\ stands_for P s' C' /\ t_phi C' = [].
Proof.
  intros P k s s' C G. unfold run_within. revert s C; induction k as [|k IH]; intros s C H E; simpl in E;
    destruct (step_of P s) as [|f|d s1] eqn:S; simpl in E; try discriminate.
  - injection E as <-. exists C. split; [apply T_nil | split; [apply G_nil | split; [auto|]]]. eapply def_4_4_done; eauto.
  - injection E as <-. exists C. split; [apply T_nil | split; [apply G_nil | split; [auto|]]]. eapply def_4_4_done; eauto.
  - destruct (def_4_4_step_is_a_step P s C d s1 H S) as (C1 & St & H1 & Gs). specialize (IH s1 C1 H1).
    destruct (run_for P k s1) as [ds last]; simpl in *.
    destruct (IH E) as (C' & R & Gr & H' & E'). exists C'. split; [|split; [|auto]].
    + eapply T_cons; [exact I | exact St | exact R].
    + eapply G_cons; [exact (Gs G) | exact Gr].
Qed.

Lemma run_facts_seen : forall P C C', run P C C' -> well_formed C -> facts_seen C -> facts_seen C'.
Proof.
  intros P C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs C'' _ K R IH]; intros W F; auto.
  - eauto using step_well_formed, step_facts_seen.
  - apply IH; [now apply extend_well_formed | exact F].
Qed.

Lemma gives_closed : forall ls c, gives ls c -> closed_value (fst c).
Proof.
  intros ls [[a t|p R] r] [_ E]; simpl in *.
  - destruct t as [b|d]; [discriminate | eauto].
  - destruct (tmid R) as [q|] eqn:M; [|auto]. apply mid_var in M. rewrite E in M. destruct M.
Qed.

Lemma to_send_new : forall B sent x, In x (snd (to_send B sent)) ->
  exists d b, fst x = DLe (DConst d) (DVar b) /\ is_atom d /\ lower (map fst B) b <> Some d.
Proof.
  intros B sent. unfold to_send.
  assert (G : forall l acc, (forall x, In x (snd acc) ->
      exists d b, fst x = DLe (DConst d) (DVar b) /\ is_atom d /\ lower (map fst B) b <> Some d) ->
    forall x, In x (snd (fold_left (send_on B) l acc)) ->
      exists d b, fst x = DLe (DConst d) (DVar b) /\ is_atom d /\ lower (map fst B) b <> Some d).
  { intros l; induction l as [|y l IH]; intros acc H x J; simpl in J; [auto|].
    apply (IH (send_on B acc y)); auto. intros z Iz. unfold send_on in Iz. destruct y as [c u]. simpl in Iz.
    destruct c as [t w|[a|d] [b|e]|R Q|R Q]; auto.
    destruct (t_lower B a) as [[d t]|] eqn:L; [|auto].
    match type of Iz with context [if ?x then _ else _] => destruct x eqn:Th end; simpl in Iz; [auto|].
    apply orb_false_iff in Th as [Th _]. apply in_app_iff in Iz as [Iz|[<-|[]]]; [auto|].
    exists d, b. split; [auto|]. split.
    - assert (X : lower (map fst B) a = Some d) by (rewrite t_lower_fst, L; reflexivity).
      now apply lower_in in X.
    - rewrite t_lower_fst. destruct (t_lower B b) as [[e t']|]; simpl; [|discriminate].
      intros X. injection X as ->. now rewrite (proj2 (dim_eqb_eq d d) eq_refl) in Th. }
  intros x. apply G. intros z [].
Qed.

(** * Closing ends *)

Section Ends.
Variable P : policy.
Variable K : close_policy.
Variable arrange : list var -> list var.
Variable cs : list constr.
Variable T : tagging.
Hypothesis signed : guard P = Signed.
Hypothesis arranged : forall l, incl (arrange l) l.
Hypothesis leaves_in : incl (leaves T) (flat_map vars_c cs).

Definition reached (s : state) (C : tconfig) : Prop :=
  t_run any_kind (t_initial cs) C /\ stands_for P s C.

Lemma reached_silent : forall s C, reached s C -> silent (erase C) /\ one_atom (store (erase C)) /\ Acc (follows P) s.
Proof.
  intros s C [R H]. pose proof (taint_erase _ _ _ R) as R'.
  assert (W : well_formed (erase C)) by (eapply run_well_formed; [exact R' | apply initial_well_formed]).
  assert (F : facts_seen (erase C)).
  { eapply run_facts_seen; [exact R' | apply initial_well_formed | intros f []]. }
  destruct (proj2 H signed) as (_ & _ & Nl & Nt).
  split; [split; [auto | split; [auto | split; auto]]|]. split; [apply H|].
  apply r1b_reached_ends; [exact signed|]. exists C. auto.
Qed.

(** A run from what was reached, however long it may take at least. *)
Lemma reached_run : forall s C, reached s C ->
  exists x N, (forall k, N <= k -> run_within P k s = Some x) /\
    forall s', x = inl s' -> exists C', reached s' C' /\ t_phi C' = [] /\ guarded_run (erase C) (erase C').
Proof.
  intros s C [R H]. destruct (reached_silent s C (conj R H)) as (_ & _ & A).
  destruct (run_within_ends P s A) as (x & N & E). exists x, N. split; [exact E|]. intros s' ->.
  specialize (E N (Nat.le_refl N)). destruct (run_within_guarded P N s s' C signed H E) as (C' & R' & G & H' & E').
  exists C'. split; [split; [|auto] | auto]. eapply t_run_trans; [exact R|].
  eapply t_run_mono; [|exact R']. intros k _. exact I.
Qed.

Lemma reached_add : forall s C xs, reached s C -> (forall x, In x xs -> addable C x) ->
  exists x N, (forall k, N <= k -> run_within P k (add_all P s xs) = Some x) /\
    forall s', x = inl s' -> exists C', reached s' C' /\ t_phi C' = [] /\
      guarded_run (extend (erase C) (map fst xs)) (erase C').
Proof.
  intros s C xs [R H] A. destruct (add_all_run P xs s C H A) as (C1 & R1 & H1 & E1).
  rewrite <- E1. apply reached_run. split; [|auto]. eapply t_run_trans; eauto.
Qed.

(** Nothing is pending, and so much is open. *)
Definition ready (n m k : nat) (s : state) : Prop :=
  exists C, reached s C /\ t_phi C = [] /\ sized n m k (erase C).

Lemma forward_ends : forall n m k s sent, ready n m k s ->
  exists x N, (forall i j, N <= i -> N <= j -> forward P (run_within P j) i s sent = Some x) /\
    forall s', x = inl s' -> exists k', ready n m k' s'.
Proof.
  intros n m; induction m as [m IHm] using lt_wf_ind. intros k; induction k as [k IHk] using lt_wf_ind.
  intros s sent (C & Re & E & Sz).
  assert (Eb : s_store s = t_store C) by (destruct Re as [_ [(_ & _ & _ & Eb & _) _]]; exact Eb).
  destruct (to_send (s_store s) sent) as [sent' [|y ys]] eqn:Sd.
  - exists (inl s), 0. split.
    + intros i j _ _. destruct i; cbn [forward]; now rewrite Sd.
    + intros s' X. injection X as <-. exists k, C. auto.
  - destruct (reached_silent s C Re) as (Si & One & _).
    assert (Ad : forall x, In x (y :: ys) -> addable C x).
    { intros x I. apply (to_send_addable C sent); [apply Si|]. rewrite <- Eb, Sd. exact I. }
    destruct (reached_add s C (y :: ys) Re Ad) as (x & N1 & H1 & G1). destruct x as [s1|f].
    + destruct (G1 s1 eq_refl) as (C1 & Re1 & E1 & Gr).
      destruct (send_less n m k (erase C) (map fst (y :: ys)) (erase C1)) as (m' & k' & Sz' & Lt); auto.
      * simpl. now rewrite E.
      * discriminate.
      * intros c I. apply in_map_iff in I as (z & <- & I). split; [apply (Ad z I)|].
        destruct (to_send_new (s_store s) sent z) as (d & b & A & B & D); [now rewrite Sd|].
        exists d, b. split; [auto | split; [auto|]]. simpl. now rewrite <- Eb.
      * simpl. now rewrite E1.
      * assert (IH : exists x N, (forall i j, N <= i -> N <= j -> forward P (run_within P j) i s1 sent' = Some x) /\
            forall s', x = inl s' -> exists k', ready n m k' s').
        { destruct Lt as [Lt|[Le Lt]].
          - destruct (IHm m' Lt k' s1 sent') as (x & N & A & B); [exists C1; auto|].
            exists x, N. split; [exact A|]. intros s' X. destruct (B s' X) as (k2 & C2 & X1 & X2 & X3).
            exists k2, C2. split; [auto | split; [auto|]]. eapply sized_mono; eauto. lia.
          - apply (IHk k' Lt). exists C1. split; [auto | split; [auto|]]. eapply sized_mono; eauto. }
        destruct IH as (x & N2 & A & B). exists x, (S (max N1 N2)). split; [|exact B].
        intros [|i] j Li Lj; [lia|]. cbn [forward]. rewrite Sd, H1 by lia. apply A; lia.
    + exists (inr f), (S N1). split; [|discriminate]. intros [|i] j Li Lj; [lia|].
      cbn [forward]. rewrite Sd, H1 by lia. reflexivity.
Qed.

Lemma forwarded_ends : forall n m k s, ready n m k s ->
  exists x N, (forall i j, N <= i -> N <= j -> forwarded P K (run_within P j) i s = Some x) /\
    forall s', x = inl s' -> exists k', ready n m k' s'.
Proof.
  intros n m k s H. unfold forwarded. destruct (caps_by K); [now apply (forward_ends n m k)|].
  exists (inl s), 0. split; [auto|]. intros s' X. injection X as <-. eauto.
Qed.

Lemma reached_commit : forall s C bs, reached s C ->
  (forall c, In c bs -> knows (erase C) (equation (fst c))) ->
  exists x N, (forall k, N <= k -> run_within P k (commit_all P s bs) = Some x) /\
    forall s', x = inl s' -> exists C', reached s' C' /\ t_phi C' = [] /\
      guarded_run (commit (erase C) (map fst bs)) (erase C').
Proof.
  intros s C bs Re Kn.
  destruct (reached_add s C (tag_all true (map (fun c : commitment => equation (fst c)) bs)) Re) as (x & N & A & B).
  { intros [c t] Ix. apply in_tag_all in Ix as [Ix ->]. apply in_map_iff in Ix as (d & <- & Ix).
    now apply commitment_addable, Kn. }
  rewrite commit_fst in B. exists x, N. split; [exact A | exact B].
Qed.

Lemma close_for_ends : forall n m k s l, ready n m k s ->
  exists x N, x <> Unfinished /\
    forall i j, N <= i -> N <= j -> close_for P K (run_within P j) arrange cs T i s l = x.
Proof.
  intros n; induction n as [n IHn] using lt_wf_ind. intros m; induction m as [m IHm] using lt_wf_ind. intros k s l Rd.
  destruct (forwarded_ends n m k s Rd) as (x & N1 & F & B). destruct x as [s1|f].
  2: { exists (Failed_with f l), N1. split; [discriminate|]. intros i j Li Lj.
       destruct i; cbn [close_for]; rewrite F by lia; reflexivity. }
  destruct (B s1 eq_refl) as (k1 & C & Re & E & Sz).
  destruct (reached_silent s1 C Re) as (Si & _ & _).
  set (ps := pieces_of cs T s1). set (ls := arrange (map fst (filter (fun x => of_leaf (snd x)) ps))).
  destruct (chosen K (s_store s1) ps ls) as [[|b bs]|u] eqn:Ch.
  - assert (Kn : forall c, In c (close_up ps) -> knows (erase C) (equation (fst c))).
    { intros c Ic. apply in_map_iff in Ic as ([v y] & <- & Iv). simpl. apply upward_knows. constructor.
      destruct Re as [R H]. apply (pieces_unsolved P cs T leaves_in s1 C v R H). apply in_map_iff. exists (v, y). auto. }
    destruct (close_up ps) as [|b bs] eqn:Up.
    + exists (Closed_at s1 l), N1. split; [discriminate|]. intros i j Li Lj.
      destruct i; cbn [close_for]; rewrite F by lia; cbn [and_then]; fold ps ls; rewrite Ch, Up; reflexivity.
    + destruct (reached_commit s1 C (b :: bs) Re Kn) as (x & N2 & A & _).
      exists (let l := l ++ map (assumed ps) (b :: bs) in and_then (Some x) l (fun s => Closed_at s l)), (max N1 N2).
      split; [destruct x; discriminate|]. intros i j Li Lj.
      destruct i; cbn [close_for]; rewrite F by lia; cbn [and_then]; fold ps ls; rewrite Ch, Up; cbn zeta;
        rewrite A by lia; reflexivity.
  - assert (Kn : forall c, In c (b :: bs) -> knows (erase C) (equation (fst c))).
    { destruct Re as [R H]. exact (chosen_knows P K arrange cs T arranged leaves_in s1 C (b :: bs) R H Ch). }
    destruct (reached_commit s1 C (b :: bs) Re Kn) as (x & N2 & A & B2).
    set (l' := l ++ map (assumed ps) (b :: bs)). destruct x as [s2|f].
    + destruct (B2 s2 eq_refl) as (C2 & Re2 & E2 & Gr).
      destruct (commit_less n m k1 (erase C) (map fst (b :: bs)) (erase C2)) as (n' & m' & k' & Sz' & Lt); auto.
      * simpl. now rewrite E.
      * discriminate.
      * intros d Id. apply in_map_iff in Id as (c & <- & Ic). split; [|now apply Kn].
        destruct (chosen_cases _ _ _ _ _ Ch c Ic) as [Gi|(_ & _ & _ & Cv)]; [eapply gives_closed; eauto | exact Cv].
      * simpl. now rewrite E2.
      * assert (IH : exists x N, x <> Unfinished /\ forall i j, N <= i -> N <= j ->
            close_for P K (run_within P j) arrange cs T i s2 l' = x).
        { destruct Lt as [Lt|[Le Lt]].
          - apply (IHn n' Lt m' k'). exists C2. auto.
          - apply (IHm m' Lt k'). exists C2. split; [auto | split; [auto|]]. eapply sized_mono; eauto. }
        destruct IH as (x & N3 & Nx & H). exists x, (S (max N1 (max N2 N3))). split; [exact Nx|].
        intros [|i] j Li Lj; [lia|]. cbn [close_for]. rewrite F by lia. cbn [and_then]. fold ps ls. rewrite Ch.
        cbn zeta. rewrite A by lia. cbn [and_then]. apply H; lia.
    + exists (Failed_with f l'), (S (max N1 N2)). split; [discriminate|].
      intros [|i] j Li Lj; [lia|]. cbn [close_for]. rewrite F by lia. cbn [and_then]. fold ps ls. rewrite Ch.
      cbn zeta. rewrite A by lia. reflexivity.
  - exists (hole T s1 ps u), N1. split; [discriminate|]. intros i j Li Lj.
    destruct i; cbn [close_for]; rewrite F by lia; cbn [and_then]; fold ps ls; rewrite Ch; reflexivity.
Qed.

Lemma close_ends : forall m, numbered m (flat_map vars_c cs) ->
  exists x N, x <> Unfinished /\ forall i j, N <= i -> N <= j ->
    close_within P K (run_within P j) arrange cs T i (started P m cs) = x.
Proof.
  intros m Nu.
  destruct (reached_run (started P m cs) (t_initial cs) (conj (T_nil _ _) (start_stands P m cs Nu))) as (x & N1 & A & B).
  destruct x as [s|f].
  - destruct (B s eq_refl) as (C & Re & E & _). destruct (sized_some (erase C)) as (n & d & k & Sz).
    destruct (close_for_ends n d k s []) as (x & N2 & Nx & H); [exists C; auto|].
    exists x, (max N1 N2). split; [exact Nx|]. intros i j Li Lj. unfold close_within. rewrite A by lia.
    cbn [and_then]. apply H; lia.
  - exists (Failed_with f []), N1. split; [discriminate|]. intros i j Li Lj. unfold close_within.
    rewrite A by lia. reflexivity.
Qed.

End Ends.

(** Prop. 6.2: under the signed guard the program that closes comes to an end, and
    always to the same one once it may run long enough. *)
Theorem prop_6_2_close_ends : forall P K cs T m, guard P = Signed ->
  incl (leaves T) (flat_map vars_c cs) -> numbered m (flat_map vars_c cs) ->
  exists x N, x <> Unfinished /\ forall n, N <= n -> close P K n m cs T = x.
Proof.
  intros P K cs T m G Le Nu.
  destruct (close_ends P K (fun l => l) cs T G (fun l => incl_refl l) Le m Nu) as (x & N & Nx & H).
  exists x, N. split; [exact Nx|]. intros n L. unfold close. auto.
Qed.
