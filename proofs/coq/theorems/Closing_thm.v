(** Prop. 6.2: closing is sound, and it ends under the signed guard. *)

From Coq Require Import List Bool Arith ZArith Lia Wf_nat.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Closing.
Import ListNotations.

(** * Deferred equations *)

(** Deferred equations are open on both sides: binding a variable of one takes
    it out of the store. *)
Definition deferred_open (c : constr) : Prop :=
  match c with REq R Q => tmid R <> None /\ tmid Q <> None | _ => True end.

Lemma outcome_deferred : forall used B c r o, fires used B c r o ->
  match o with Fails => True | Does e => forall d, In d (stores e) -> deferred_open d end.
Proof.
  intros used B c r o F.
  each_outcome F; simpl; try tauto; intros d' [<-|[]]; simpl; auto; split; congruence.
Qed.

Lemma step_deferred : forall C c r C', step C c r C' ->
  (forall d, In d (store C) -> deferred_open d) -> forall d, In d (store C') -> deferred_open d.
Proof.
  intros C c r C' S H d I. inversion S as [C0 pre c0 post r0 e Eph F]; subst C0 c0 r0 C'.
  pose proof (outcome_deferred _ _ _ _ _ F) as O. simpl in O.
  pose proof (binding_stores_nothing _ _ _ _ _ F) as E.
  unfold next in I. destruct (binds e) as [b|]; simpl in I.
  - rewrite E, add_bounds_nil in I by congruence.
    apply in_map_iff in I as (d' & <- & I). apply filter_In in I as [I N].
    apply negb_true_iff in N. specialize (H d' I).
    destruct d' as [t u|t u|R Q|R Q]; simpl in *; auto.
    assert (G : forall T, tmid T <> None -> (forall p, bound_var b = RV p -> is_mid p (tmid T) = false) ->
              tmid (sub_r (as_subst b) T) <> None).
    { intros T NT NP. unfold sub_r. destruct (tmid T) as [q|]; [|congruence]. simpl.
      destruct b as [a t|p V]; simpl in *; [congruence|].
      specialize (NP p eq_refl). rewrite NP. simpl. congruence. }
    destruct H as [HR HQ]. split; apply G; auto; intros p Ep; rewrite Ep in N;
      apply orb_false_iff in N; tauto.
  - apply in_add_bounds in I as [I|I]; auto.
Qed.

(** * What holds of every configuration that closing reaches *)

Lemma Closing_nil : forall C, closing C C.
Proof. exact (Run_nil any_kind). Qed.

Lemma Closing_step : forall C c r C' C'', step C c r C' -> closing C' C'' -> closing C C''.
Proof. intros C c r C' C''. exact (Run_cons any_kind C c r C' C'' I). Qed.

Lemma Closing_add : forall C cs C'', (forall c, In c cs -> knows C c) -> closing (extend C cs) C'' -> closing C C''.
Proof. intros C cs C''. exact (Run_add any_kind C cs C'' I). Qed.

Definition closing_invariant (cs : list constr) (C : config) : Prop :=
  well_formed C /\ (forall d, In d (store C) -> bound_shape d) /\
  (forall d, In d (store C) -> deferred_open d) /\ facts_entailed C /\
  (forall g, satisfies g C -> sol cs g).

Lemma closing_kept : forall cs C C', closing C C' -> closing_invariant cs C -> closing_invariant cs C'.
Proof.
  intros cs C C' K; induction K as [C|C c r C' C'' _ S K IH|C ds C'' _ A K IH]; auto;
    intros (W & Sh & De & Fa & So); apply IH.
  - split; [eapply step_well_formed; eauto | split; [eapply step_shape; eauto | split; [eapply step_deferred; eauto|]]].
    split; [eapply step_facts; eauto|]. intros g H. apply So. eapply step_sound; eauto.
  - split; [now apply extend_well_formed | split; [auto | split; [auto | split]]].
    + intros g H. apply extend_satisfies in H as [H _]. apply Fa in H. exact H.
    + intros g H. apply extend_satisfies in H as [H _]. auto.
Qed.

Lemma initial_invariant : forall cs, closing_invariant cs (initial cs).
Proof.
  intros cs. split; [apply initial_well_formed | split; [intros d []|split; [intros d [] | split]]].
  - intros g _; split; intros f [].
  - intros g H. exact (proj1 (initial_satisfies g cs) H).
Qed.

Lemma run_closing : forall P C C', run P C C' -> closing C C'.
Proof. intros P C C'. apply run_mono. intros k _. exact I. Qed.

Lemma closing_trans : forall C C' C'', closing C C' -> closing C' C'' -> closing C C''.
Proof. exact (run_trans any_kind). Qed.

(** A solved form, of any closing. *)
Lemma closing_solved_form : forall cs C, closing_invariant cs C -> phi C = [] ->
  (forall d, In d (store C) -> ~ is_req d) -> solved_form (sigma C) (store C).
Proof.
  intros cs C (W & Sh & _) E N. destruct W as (Wi & Wv & _). split; [auto|]. intros d I.
  specialize (Sh d I). specialize (N d I).
  assert (V : forall v, In v (vars_c d) -> fixes (sigma C) v).
  { intros v J. apply Wv. rewrite E. simpl. apply in_flat_map; eauto. }
  destruct d as [t u|t [a|x]|T U|T U]; simpl in *; try tauto.
  - apply V. apply in_app_iff; simpl; auto.
  - destruct Sh as (p & ->). exists p. split; [auto|]. apply V. apply in_app_iff; right. simpl; auto.
Qed.

Lemma closing_top_satisfies : forall cs C, closing_invariant cs C -> phi C = [] ->
  (forall d, In d (store C) -> ~ is_req d) -> satisfies (greatest (sigma C)) C.
Proof.
  intros cs C K E N. destruct (prop_5_4_i _ _ (closing_solved_form cs C K E N)) as [R H].
  split; [rewrite E; apply sol_nil | auto].
Qed.

(** 6.2.  Whatever is added while solving, by whatever policy: if in the end nothing
    is pending and nothing deferred, γ↑ of the bindings solves the input. *)
Theorem prop_6_2_any_policy : forall cs C, closing (initial cs) C -> phi C = [] ->
  (forall d, In d (store C) -> ~ is_req d) -> sol cs (greatest (sigma C)).
Proof.
  intros cs C K E N. apply (closing_kept cs) in K; [|apply initial_invariant].
  apply K. now apply (closing_top_satisfies cs).
Qed.

(** Semantic steps do not fail where there is a solution. *)
Lemma semantic_no_failure : forall cs C C', closing_invariant cs C -> run semantic_step C C' ->
  (exists g, satisfies g C) -> ~ rule_fails C' /\ ~ guard_fails C'.
Proof.
  intros cs C C' K R (g & H).
  destruct (run_complete _ _ R (proj1 K) g H) as (h & _ & Hh).
  pose proof (closing_kept cs _ _ (run_closing _ _ _ R) K) as (_ & _ & _ & Fa & _).
  split.
  - intros (c & r & I & F). exact (lemma_5_1_fail _ _ _ _ F h (proj1 (proj2 Hh)) (proj1 Hh c I)).
  - intros (ds & Inc & G). destruct (Fa h Hh) as [L T].
    assert (Fs : facts_hold (lead_lengths h) (flat_map lead_facts ds) /\
                 facts_hold (trail_lengths h) (flat_map trail_facts ds)).
    { split; intros f J; apply in_flat_map in J as (d & J & Jf); apply Inc in J;
        apply (r1a_inequality h d); auto; apply (proj1 Hh); auto. }
    destruct G as [G|G]; apply (positive_cycle_infeasible _ G);
      [exists (lead_lengths h) | exists (trail_lengths h)]; apply facts_hold_app; tauto.
Qed.

(** * Where step 3 ends: every variable has a ground value *)

(** Equations that make all their variables ground. *)
Definition grounds (c : constr) : Prop :=
  match c with
  | DEq _ u => exists d, u = DConst d
  | REq _ Q => vars_r Q = []
  | _ => False
  end.

(** Every unsolved variable waits in such an equation. *)
Definition awaited (C : config) : Prop :=
  forall v, unsolved C v -> exists c, In c (phi C) /\ grounds c /\ In v (vars_c c).

Lemma in_combine_exists : forall (A B : Type) (l : list A) (k : list B) x, length l = length k -> In x l ->
  exists y, In (x, y) (combine l k).
Proof.
  intros A B l; induction l as [|a l IH]; intros [|b k] x E I; simpl in *; try discriminate; [tauto|].
  destruct I as [->|I]; [eauto|]. injection E as E. destruct (IH k x E I) as (y & J). eauto.
Qed.

Lemma ground_axes : forall Q u, vars_r Q = [] -> In u (tflat Q) -> exists d, u = DConst d.
Proof.
  intros Q [a|d] E I; [|eauto]. exfalso.
  assert (J : In (DV a) (vars_r Q)).
  { apply (axes_vars (tflat Q)); [apply incl_refl|]. apply in_flat_map. exists (DVar a). simpl; auto. }
  rewrite E in J. destruct J.
Qed.

Lemma equalities_ground : forall F G v Q, length F = length G -> vars_r Q = [] -> incl G (tflat Q) ->
  In v (flat_map vars_d F) -> exists d, In d (equalities F G) /\ grounds d /\ In v (vars_c d).
Proof.
  intros F G v Q E VQ IG I. apply in_flat_map in I as (t & I & J).
  destruct (in_combine_exists _ _ F G t E I) as (u & K).
  exists (DEq t u). split; [|split].
  - apply in_map_iff. exists (t, u). auto.
  - apply (ground_axes Q); auto. apply IG. eapply in_combine_r; eauto.
  - simpl. apply in_app_iff; auto.
Qed.

Lemma fires_grounds : forall used B c r e, fires used B c r (Does e) -> grounds c ->
  (forall b, binds e = Some b -> vars (bound_value b) = []) /\
  forall v, In v (vars_c c) -> (exists b, binds e = Some b /\ v = bound_var b) \/
    exists d, In d (emits e) /\ grounds d /\ In v (vars_c d).
Proof.
  assert (G : forall used B c r o, fires used B c r o -> grounds c ->
    match o with Fails => True | Does e =>
      (forall b, binds e = Some b -> vars (bound_value b) = []) /\
      forall v, In v (vars_c c) -> (exists b, binds e = Some b /\ v = bound_var b) \/
        exists d, In d (emits e) /\ grounds d /\ In v (vars_c d) end).
  { intros used B c r o F Gc.
    assert (Mid : forall (R : rterm) p, tmid R = Some p -> vars_r R = [] -> False).
    { intros R p E V. apply mid_var in E. rewrite V in E. destruct E. }
    each_rule F; try exact I; try (destruct Gc; fail); try (simpl in Gc; exfalso; eapply Mid; eauto; fail).
    - destruct Gc as [d ->]. simpl. split; [discriminate | tauto].
    - destruct Gc as [d ->]. simpl. split; [intros b E; injection E as <-; reflexivity|].
      intros v [<-|[]]. left; eauto.
    - destruct Gc as [d Ed]. discriminate.
    - unfold re_closed. destruct (Nat.eqb_spec (length (tflat R)) (length (tflat Q))) as [E|]; [|exact I].
      simpl. split; [discriminate|]. simpl in Gc. intros v J. right.
      rewrite Gc, app_nil_r in J. apply (equalities_ground _ _ v Q E Gc (incl_refl _)).
      unfold vars_r in J. rewrite MR in J. unfold tflat. now rewrite flat_map_app.
    - unfold re_open_closed. destruct (Nat.leb_spec (known_rank R) (length (tflat Q))) as [L|]; [|exact I].
      simpl. simpl in Gc. split.
      + intros b E; injection E as <-. simpl.
        destruct (vars_r (middle R Q (placed R Q))) as [|v V] eqn:Ev; [auto|].
        pose proof (middle_vars R Q (placed R Q) v) as J. rewrite Ev, Gc in J. destruct J; simpl; auto.
      + intros v J. rewrite Gc, app_nil_r in J. unfold vars_r in J. rewrite MR in J. rewrite !in_app_iff in J.
        unfold known_rank in L. destruct J as [J|[J|J]].
        * right. destruct (equalities_ground (tlead R) (firstn (length (tlead R)) (tflat Q)) v Q) as (d & I1 &
            I2); auto.
          { rewrite len_firstn. lia. } { apply firstn_incl. }
          exists d. split; [|auto]. unfold facing. apply in_app_iff; auto.
        * destruct J as [<-|[]]. left; eexists; split; reflexivity.
        * right. destruct (equalities_ground (ttrail R) (skipn (length (tflat Q) - length (ttrail R)) (tflat
            Q)) v Q) as (d & I1 & I2); auto.
          { rewrite len_skipn. lia. } { apply skipn_incl. }
          exists d. split; [|auto]. unfold facing. apply in_app_iff; auto. }
  intros used B c r e F. exact (G _ _ _ _ _ F).
Qed.

Lemma grounds_sub : forall s c, grounds c -> grounds (sub_c s c).
Proof.
  intros s [t u|t u|R Q|R Q] H; simpl in *; auto.
  - destruct H as [d ->]. simpl. eauto.
  - destruct (vars_r (sub_r s Q)) as [|v V] eqn:E; [auto|].
    destruct (proj1 (vars_apply s (TR Q) v)) as (w & I & _); [simpl; rewrite E; simpl; auto|].
    simpl in I. rewrite H in I. destruct I.
Qed.

Lemma vars_sub_c_in : forall s c v w, In w (vars_c c) -> In v (vars (apply s (var_term w))) ->
  In v (vars_c (sub_c s c)).
Proof.
  intros s c v w I J.
  assert (D : forall t, In w (vars_d t) -> In v (vars_d (sub_d s t))).
  { intros t K. apply (proj2 (vars_apply s (TD t) v)). exists w; auto. }
  assert (R : forall T, In w (vars_r T) -> In v (vars_r (sub_r s T))).
  { intros T K. apply (proj2 (vars_apply s (TR T) v)). exists w; auto. }
  destruct c; simpl in *; apply in_app_iff in I as [I|I]; apply in_app_iff; auto.
Qed.

(** What is unsolved after a binding was so before, or comes with the value. *)
Lemma unsolved_before : forall C c rest e b v, well_formed C -> knows C c ->
  fires (used C) (store C) c rest (Does e) -> binds e = Some b ->
  fixes (comp (as_subst b) (sigma C)) v -> In v (used C ++ vars (bound_value b)) ->
  v <> bound_var b /\ (In v (vars (bound_value b)) \/ unsolved C v).
Proof.
  intros C c r e b v (Wi & Wv & Wd & Wr) V F Eb Fx U.
  destruct (fires_binding C c r e V F b Eb) as (Fb & Ub & Nb & Vb).
  assert (Nv : v <> bound_var b).
  { intros ->. unfold fixes in Fx, Fb. rewrite lemma_3_3, Fb, as_subst_self in Fx.
    apply Nb. rewrite Fx. now apply vars_var_term. }
  split; [auto|]. destruct (in_dec var_eq_dec v (vars (bound_value b))) as [I|N]; [auto|right].
  apply in_app_iff in U as [U|U]; [|tauto]. split; [|auto].
  apply not_in_dom. intros D. unfold fixes in Fx. rewrite lemma_3_3 in Fx.
  assert (I : In v (vars (apply (as_subst b) (apply (sigma C) (var_term v))))).
  { rewrite Fx. now apply vars_var_term. }
  apply vars_apply in I as (w & Iw & Iv). destruct (var_eq_dec w (bound_var b)) as [->|Nw].
  - rewrite as_subst_self in Iv. auto.
  - pose proof (as_subst_other b w Nw) as K. unfold fixes in K. rewrite K in Iv.
    apply vars_var_term in Iv. subst w. apply (Wi v D). exists v; auto.
Qed.

Lemma step_awaited : forall C c r C', well_formed C -> step C c r C' -> awaited C -> awaited C'.
Proof.
  intros C c r C' W S H v [Fx U]. destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  assert (Em : forall d, In d (emits e) -> In d (rest ++ emits e ++ (if again e then [c] else []))).
  { intros d I. rewrite !in_app_iff. auto. }
  assert (Re : forall d, In d rest -> In d (rest ++ emits e ++ (if again e then [c] else []))).
  { intros d I. rewrite !in_app_iff. auto. }
  unfold next in *. destruct (binds e) as [b|] eqn:Eb; simpl in Fx, U |- *.
  - destruct (unsolved_before C c r e b v W V F Eb Fx U) as [Nv Iv].
    destruct (fires_binding C c r e V F b Eb) as (Fb & Ub & Nb & Vb).
    assert (Sub : forall d w, In d (rest ++ emits e ++ (if again e then [c] else [])) -> grounds d ->
              In w (vars_c d) -> In v (vars (apply (as_subst b) (var_term w))) ->
              exists d', In d' (map (sub_c (as_subst b))
                (((rest ++ emits e ++ (if again e then [c] else [])) ++ taken (bound_var b) (store C)))) /\
                grounds d' /\ In v (vars_c d')).
    { intros d w I G J K. exists (sub_c (as_subst b) d). split; [|split].
      - apply in_map, in_app_iff; auto.
      - now apply grounds_sub.
      - eapply vars_sub_c_in; eauto. }
    assert (Self : In v (vars (apply (as_subst b) (var_term v)))).
    { pose proof (as_subst_other b v Nv) as K. unfold fixes in K. rewrite K. now apply vars_var_term. }
    destruct Iv as [Iv|Uv].
    + destruct (H (bound_var b)) as (d & I & G & J); [split; auto|].
      apply P in I as [->|I].
      * destruct (fires_grounds _ _ _ _ _ F G) as [Z _]. rewrite (Z b Eb) in Iv. destruct Iv.
      * apply (Sub d (bound_var b)); auto. now rewrite as_subst_self.
    + destruct (H v Uv) as (d & I & G & J). apply P in I as [->|I].
      * destruct (fires_grounds _ _ _ _ _ F G) as [_ Z].
        destruct (Z v J) as [(b' & Eb' & Ev)|(d & I1 & I2 & I3)]; [congruence|]. apply (Sub d v); auto.
      * apply (Sub d v); auto.
  - destruct (H v) as (d & I & G & J); [split; auto|]. apply P in I as [->|I].
    + destruct (fires_grounds _ _ _ _ _ F G) as [_ Z].
      destruct (Z v J) as [(b' & Eb' & Ev)|(d & I1 & I2 & I3)]; [congruence|]. exists d; auto.
    + exists d; auto.
Qed.

Lemma run_awaited : forall P C C', run P C C' -> well_formed C -> awaited C -> awaited C'.
Proof.
  intros P C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs C'' _ K R IH]; intros W H; auto.
  - eauto using step_well_formed, step_awaited.
  - apply IH; [now apply extend_well_formed|]. intros v U. destruct (H v U) as (d & I & G). exists d.
    simpl. rewrite in_app_iff. auto.
Qed.

Lemma awaited_all_solved : forall C, well_formed C -> awaited C -> phi C = [] -> all_solved C.
Proof.
  intros C (Wi & Wv & Wd & Wr) H E v U.
  assert (N : forall w, ~ unsolved C w).
  { intros w Uw. destruct (H w Uw) as (c & I & _). rewrite E in I. destruct I. }
  destruct (vars (apply (sigma C) (var_term v))) as [|w V] eqn:Ev; [auto|exfalso].
  assert (Iw : In w (vars (apply (sigma C) (var_term v)))) by (rewrite Ev; simpl; auto).
  destruct (term_eq_dec (apply (sigma C) (var_term v)) (var_term v)) as [F|D].
  - apply (N v). split; auto.
  - assert (Rw : in_ran (sigma C) w) by (exists v; auto).
    apply (N w). split; [|auto]. apply not_in_dom. intros Dw. exact (Wi w Dw Rw).
Qed.

Lemma all_solved_store : forall cs C, closing_invariant cs C -> all_solved C -> store C = [].
Proof.
  intros cs C ((Wi & Wv & _) & Sh & De & _) A.
  destruct (store C) as [|d B] eqn:E; [auto|exfalso].
  assert (Id : In d (d :: B)) by (simpl; auto).
  assert (N : forall v, ~ In v (vars_c d)).
  { intros v I. destruct (Wv v) as [F U].
    - apply in_flat_map. exists d. rewrite in_app_iff. auto.
    - specialize (A v U). unfold fixes in F. rewrite F in A. destruct v; discriminate. }
  specialize (Sh d Id). specialize (De d Id).
  destruct d as [t u|t [a|x]|R Q|R Q]; simpl in *; try tauto.
  - apply (N (DV a)). apply in_app_iff; simpl; auto.
  - destruct De as [De _]. destruct (tmid R) as [p|] eqn:Ep; [|congruence].
    apply (N (RV p)). apply in_app_iff; left. now apply mid_var.
  - destruct Sh as (p & ->). apply (N (RV p)). apply in_app_iff; right; simpl; auto.
Qed.

Lemma ground_top_value : forall g C v, respects g (sigma C) ->
  vars (apply (sigma C) (var_term v)) = [] -> agree_at g (gamma_close C) v.
Proof.
  intros g C v R E. specialize (R v). destruct v as [a|p]; simpl in *.
  - rewrite <- R. apply agree_ground_d. rewrite E. intros w [].
  - rewrite sub_rvar in E. rewrite <- R. apply agree_ground_r. rewrite E. intros w [].
Qed.

(** The last configuration has exactly one solution, γ_close, and it is a
    solution of the input. *)
Lemma closing_end : forall cs C, closing_invariant cs C -> phi C = [] -> all_solved C ->
  sol cs (gamma_close C) /\ satisfies (gamma_close C) C /\
  forall g, satisfies g C -> agree_on (used C) g (gamma_close C).
Proof.
  intros cs C K E A. pose proof (all_solved_store cs C K A) as St.
  assert (S : satisfies (gamma_close C) C).
  { apply (closing_top_satisfies cs); auto. rewrite St. intros d []. }
  split; [now apply K | split; [auto|]].
  intros g (_ & _ & R) v U. apply ground_top_value; auto.
Qed.

(** * Def. 6.1 *)

Lemma leaf_value_knows : forall T C b, leaf_value T C b -> knows C (equation b).
Proof.
  assert (N : forall l, flat_map vars_d (map DConst l) = []).
  { intros l; induction l; simpl; auto. }
  intros T C b H v I. destruct H as [a d [U _] _|a [U _] _ _|p [U _] _]; simpl in I.
  - destruct I as [<-|[]]. exact U.
  - destruct I as [<-|[]]. exact U.
  - unfold vars_r in I; simpl in I. rewrite !N in I. destruct I as [<-|[]]. exact U.
Qed.

Lemma upward_knows : forall C b, upward C b -> knows C (equation b).
Proof. intros C b H v I. destruct H as [[a|p] U]; simpl in I; destruct I as [<-|[]]; exact U. Qed.

Lemma commit_knows : forall C bs, (forall b, In b bs -> knows C (equation b)) ->
  forall c, In c (map equation bs) -> knows C c.
Proof. intros C bs H c I. apply in_map_iff in I as (b & <- & I). auto. Qed.

Lemma solves_closing : forall C bs C', (forall b, In b bs -> knows C (equation b)) ->
  solves (commit C bs) C' -> closing C C'.
Proof.
  intros C bs C' K [R _]. apply Closing_add with (cs := map equation bs).
  - now apply commit_knows.
  - eapply run_closing; eauto.
Qed.

Lemma leaf_phase_closing : forall T C C', leaf_phase T C C' -> phi C = [] -> closing C C' /\ phi C' = [].
Proof.
  intros T C C' L; induction L as [C N|C bs C' C'' H S L IH]; intros E.
  - split; [constructor | auto].
  - destruct (IH (proj2 S)) as [K E']. split; [|auto]. eapply closing_trans; [|exact K].
    eapply solves_closing; [|exact S]. intros b I. eapply leaf_value_knows; eauto.
Qed.

Lemma closes_closing : forall T cs C, closes T cs C -> closing (initial cs) C /\ phi C = [].
Proof.
  intros T cs C [C0 C1 bs C' [R0 E0] L H _ S]. split; [|exact (proj2 S)].
  destruct (leaf_phase_closing _ _ _ L E0) as [K _].
  apply closing_trans with (C' := C0); [eapply run_closing; eauto|].
  apply closing_trans with (C' := C1); [exact K|].
  eapply solves_closing; [|exact S]. intros b I. now apply upward_knows, H.
Qed.

(** Where every unsolved variable was given a ground value, success leaves
    nothing open. *)
Lemma all_committed : forall cs C bs C', closing_invariant cs C ->
  (forall b, In b bs -> knows C (equation b) /\ grounds (equation b)) ->
  (forall v, unsolved C v -> In v (map bound_var bs)) -> solves (commit C bs) C' -> all_solved C'.
Proof.
  intros cs C bs C' K Hb Cov [R E].
  assert (W : well_formed (commit C bs)).
  { apply extend_well_formed; [apply K|]. apply commit_knows. intros b I. now apply Hb. }
  apply awaited_all_solved; [eapply run_well_formed; eauto | | exact E].
  apply (run_awaited _ _ _ R W). intros v U.
  pose proof (Cov v U) as I. apply in_map_iff in I as (b & <- & I). exists (equation b).
  simpl. split; [apply in_app_iff; right; now apply in_map|]. split; [now apply Hb|].
  destruct b; simpl; auto.
Qed.

Lemma upward_grounds : forall C b, upward C b -> grounds (equation b).
Proof. intros C b [[a|p] _]; simpl; eauto. Qed.

(** Prop. 6.2, soundness.  If closing meets neither error nor failure, then every
    variable has a ground value, these values solve the input, and they are the
    only solution of the configuration that closing ends with. *)
Theorem prop_6_2_closing_sound : forall T cs C, closes T cs C ->
  all_solved C /\ sol cs (gamma_close C) /\
  forall g, satisfies g C <-> agree_on (used C) g (gamma_close C).
Proof.
  intros T cs C H. destruct (closes_closing T cs C H) as [K E].
  pose proof (closing_kept cs _ _ K (initial_invariant cs)) as Inv.
  assert (A : all_solved C).
  { destruct H as [C0 C1 bs C' [R0 E0] L Hb Cov S].
    destruct (leaf_phase_closing _ _ _ L E0) as [K1 _].
    apply (all_committed cs C1 bs); auto.
    - apply (closing_kept cs (initial cs)); [|apply initial_invariant].
      eapply closing_trans; [exact (run_closing _ _ _ R0) | exact K1].
    - intros b I. split; [now apply upward_knows, Hb | eapply upward_grounds; eauto]. }
  destruct (closing_end cs C Inv E A) as (So & Sa & Un).
  split; [auto | split; [auto|]]. intros g; split; [apply Un|].
  intros Ag. pose proof (all_solved_store cs C Inv A) as St.
  split; [rewrite E; apply sol_nil | split; [rewrite St; apply sol_nil|]].
  eapply agree_respects with (g := gamma_close C); [apply Inv | | apply Sa].
  intros v U. apply agree_at_sym. auto.
Qed.
