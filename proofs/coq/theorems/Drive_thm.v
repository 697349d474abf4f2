(** What the running solver does are steps. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Dim Dim_thm Row Term Semantics Rules Rules_thm Guard Solved Runs Certificate Certificate_thm Drive.
Import ListNotations.

Lemma adj_pathb_sound : forall fuel B a b, adj_pathb fuel B a b = true -> adj_path B a b.
Proof.
  induction fuel as [|fuel IH]; intros B a b E; [discriminate|]. simpl in E.
  apply existsb_exists in E as (c & J & E). destruct c as [t u|[x|d] [y|d']|R Q|R Q]; try discriminate.
  apply andb_true_iff in E as [E1 E2]. apply Nat.eqb_eq in E1 as ->.
  apply orb_true_iff in E2 as [E2|E2]; [apply Nat.eqb_eq in E2 as ->; now constructor|].
  eapply Path_more; eauto.
Qed.

Lemma coveredb_iff : forall res op, coveredb res op = true <-> covered res op.
Proof. intros; unfold coveredb, covered. rewrite andb_true_iff, !Nat.leb_le. tauto. Qed.

Lemma fresh_above : forall V v, In v V -> name_of v < fresh_from V.
Proof.
  intros V v J. unfold fresh_from. apply Nat.lt_succ_r.
  assert (F : Forall (fun k => k <= list_max (map name_of V)) (map name_of V)) by (apply list_max_le; auto).
  rewrite Forall_forall in F. apply F, in_map, J.
Qed.

Lemma fresh_names : forall n k l, NoDup (fresh_vars (seq n k) n (seq (n + k) l)) /\
  forall v, In v (fresh_vars (seq n k) n (seq (n + k) l)) -> n <= name_of v.
Proof.
  intros n k l. unfold fresh_vars. rewrite <- map_app, <- seq_app. split.
  - constructor.
    + intros J. apply in_map_iff in J as (x & E & _). discriminate.
    + apply FinFun.Injective_map_NoDup; [intros x y E; injection E; auto | apply seq_NoDup].
  - intros v [<-|J]; [simpl; lia|]. apply in_map_iff in J as (x & <- & J). apply in_seq in J. simpl. lia.
Qed.

(** The function picks a rule that applies. *)
Theorem def_4_3_fire : forall V B c, fires V B c (fst (fire V B c)) (snd (fire V B c)).
Proof.
  intros V B [t u|t u|R Q|R Q]; simpl.
  - unfold fire_deq. destruct (dterm_eqb t u) eqn:E.
    + apply dterm_eqb_eq in E as ->. constructor.
    + assert (N : t <> u) by (intros ->; rewrite dterm_eqb_refl in E; discriminate).
      destruct t as [a|d], u as [b|e]; simpl; try (apply F_de_bind; congruence).
      * apply F_de_bind_sym. discriminate.
      * apply F_de_clash. congruence.
  - unfold fire_dle. destruct t as [a|[|n b]], u as [a'|[|m b']]; simpl; try constructor; try exact I.
    destruct (Nat.eqb_spec a a') as [->|N]; [constructor|].
    destruct (adj_pathb (length B) B a' a) eqn:E; simpl.
    + apply F_di_antisym; [auto | eapply adj_pathb_sound; eauto].
    + now apply F_di_adj.
  - unfold fire_req. destruct (tmid R) as [p|] eqn:ER, (tmid Q) as [q|] eqn:EQ; simpl.
    + destruct (Nat.eqb_spec p q) as [->|N].
      * destruct (Nat.eqb_spec (known_rank R) (known_rank Q)) as [K|K]; simpl.
        -- destruct (Nat.eqb_spec (known_rank (strip R Q)) 0); simpl.
           ++ eapply F_re_same_empty; eauto.
           ++ eapply F_re_same_rot; eauto.
        -- eapply F_re_same_occurs; eauto.
      * destruct (Nat.eqb_spec (known_rank (strip R Q)) 0); simpl; [eapply F_re_nested; eauto|].
        destruct (Nat.eqb_spec (known_rank (strip Q R)) 0); simpl; [eapply F_re_nested_sym; eauto | eapply F_re_cross; eauto].
    + now apply F_re_open_closed.
    + now apply F_re_closed_open.
    + now apply F_re_closed.
  - unfold fire_rle. destruct (coveredb R Q) eqn:Cv.
    + apply coveredb_iff in Cv. destruct (tmid Q) as [q|] eqn:EQ; simpl.
      * destruct (rterm_eqb (residue R Q) (rvar_term q)) eqn:E; simpl.
        -- apply rterm_eqb_eq in E. eapply F_ri_refl; eauto.
        -- apply F_ri_cap; auto. intros K. rewrite K in E. unfold rterm_eqb in E; simpl in E. rewrite Nat.eqb_refl in E. discriminate.
      * now apply F_ri_closed_op.
    + assert (N : ~ covered R Q) by (intros K; apply coveredb_iff in K; congruence).
      destruct (tmid R) as [p|] eqn:ER; simpl; [|now apply F_ri_short_closed].
      destruct (fresh_names (fresh_from V) (lead_deficit R Q) (trail_deficit R Q)) as [ND Ab].
      apply F_ri_deficit; auto using seq_length.
      intros v J K. apply Ab in J. apply fresh_above in K. lia.
Qed.

Lemma step_at_step : forall C i fs C', step_at C i = Some (fs, C') -> exists c r e pre post,
  phi C = pre ++ c :: post /\ fires (used C) (store C) c r (Does e) /\ fs = paper_recorded c e /\
  C' = next C (pre ++ post) c e.
Proof.
  intros C i fs C' E. unfold step_at in E. destruct (nth_error (phi C) i) as [c|] eqn:Ec; [|discriminate].
  pose proof (def_4_3_fire (used C) (store C) c) as F.
  destruct (snd (fire (used C) (store C) c)) as [|e] eqn:Eo; [discriminate|]. injection E as <- <-.
  exists c, (fst (fire (used C) (store C) c)), e, (firstn i (phi C)), (skipn (S i) (phi C)).
  split; [|auto]. clear - Ec. revert i Ec. induction (phi C) as [|d l IH]; intros [|i] Ec; try discriminate; simpl in *.
  - now injection Ec as <-.
  - f_equal. now apply IH.
Qed.

(** What is driven is a run. *)
Theorem def_4_4_drive : forall places C fs C', drive C places = Some (fs, C') ->
  run any_step C C' /\ (places <> [] -> paper_run C fs C').
Proof.
  induction places as [|i places IH]; intros C fs C' E; simpl in E.
  - injection E as <- <-. split; [constructor | congruence].
  - destruct (step_at C i) as [[gs C1]|] eqn:E1; [|discriminate].
    destruct (drive C1 places) as [[hs C2]|] eqn:E2; [|discriminate]. injection E as <- <-.
    apply step_at_step in E1 as (c & r & e & pre & post & Ep & F & -> & ->).
    destruct (IH _ _ _ E2) as [R P]. split.
    + eapply Run_cons; [exact I | econstructor; eauto | exact R].
    + intros _. destruct places as [|j places].
      * simpl in E2. injection E2 as <- <-. rewrite app_nil_r. econstructor; eauto.
      * eapply Paper_more; [econstructor; eauto | apply P; discriminate].
Qed.

Lemma reached_run : forall cs places, drives cs places = true -> run any_step (initial cs) (reached cs places).
Proof.
  intros cs places E. unfold drives, reached in *.
  destruct (drive (initial cs) places) as [[fs C]|] eqn:Ed; [|discriminate]. now apply def_4_4_drive in Ed.
Qed.

Lemma reached_paper_run : forall cs places, drives cs places = true -> places <> [] ->
  paper_run (initial cs) (recorded cs places) (reached cs places).
Proof.
  intros cs places E N. unfold drives, reached, recorded in *.
  destruct (drive (initial cs) places) as [[fs C]|] eqn:Ed; [|discriminate].
  exact (proj2 (def_4_4_drive _ _ _ _ Ed) N).
Qed.

Lemma fails_at_fails : forall C i, fails_at C i = true -> rule_fails C.
Proof.
  intros C i E. unfold fails_at in E. destruct (nth_error (phi C) i) as [c|] eqn:Ec; [|discriminate].
  pose proof (def_4_3_fire (used C) (store C) c) as F.
  destruct (snd (fire (used C) (store C) c)) as [|e] eqn:Eo; [|discriminate].
  exists c, (fst (fire (used C) (store C) c)). split; [eapply nth_error_In; eauto | exact F].
Qed.
