(** F15: closing while an equation is deferred; and what holds without one. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm
  Closing Closing_thm Closing_leaf_thm Closing_dim_thm.
Import ListNotations.

(** * Step 3 can fail *)

(** Where step 3 succeeds, the tops are a solution. *)
Lemma upward_success : forall cs C bs C', closing (initial cs) C ->
  (forall b, In b bs -> upward C b) -> (forall v, unsolved C v -> In v (map bound_var bs)) ->
  solves (commit C bs) C' -> exists g, sol cs g /\ forall b, In b bs -> holds g (equation b).
Proof.
  intros cs C bs C' K Hb Cov S. apply (closing_kept cs) in K; [|apply initial_invariant].
  assert (Kc : closing_invariant cs (commit C bs)).
  { eapply closing_kept; [|exact K]. eapply Closing_add; [|apply Closing_nil].
    apply commit_knows. intros b I. now apply upward_knows, Hb. }
  assert (A : all_solved C').
  { apply (all_committed cs C bs); auto. intros b I. split; [now apply upward_knows,
      Hb | eapply upward_grounds; eauto]. }
  destruct S as [R E]. pose proof (closing_kept cs _ _ (run_closing _ _ _ R) Kc) as K'.
  destruct (closing_end cs C' K' E A) as (So & Sa & _). exists (gamma_close C'). split; [auto|].
  apply (run_sound _ _ _ R) in Sa; [|apply Kc]. apply extend_satisfies in Sa as [_ Sa].
  intros b I. apply Sa. now apply in_map.
Qed.

(** F15.  [3]<r> ≈ <r>[5] is deferred, and step 3 makes it 3 = 5. *)
Theorem finding_f15_step_3_fails : exists C,
  solves (initial finding_f15_shift) C /\ (forall v, unsolved C v -> v = RV 0) /\
  upward C (top_of (RV 0)) /\ exists C', run any_step (commit C [top_of (RV 0)]) C' /\ rule_fails C'.
Proof.
  assert (R : exists C, run any_step (initial finding_f15_shift) C /\ phi C = [] /\ store C = finding_f15_shift /\
                sigma C = id_subst /\ used C = used (initial finding_f15_shift)).
  { eexists. split.
    - go (@nil constr) RE_same_rot ltac:(exact (F_re_same_rot _ _ (RTerm [n3] (Some 0) []) (RTerm [] (Some 0) [n5]) 0
        eq_refl eq_refl eq_refl ltac:(discriminate))). apply Run_nil.
    - repeat split; reflexivity. }
  destruct R as (C & R & E & St & Si & Us). exists C.
  split; [split; auto | split; [|split]].
  - intros v [_ U]. rewrite Us in U. simpl in U. destruct U as [<-|[<-|[]]]; auto.
  - apply (Upward C (RV 0)). split; [rewrite Si; apply id_var | rewrite Us; simpl; auto].
  - destruct C as [ph sg st us le tr]. simpl in E, St, Si, Us. subst ph sg st us.
    eexists. split.
    + go (@nil constr) RE_open_closed ltac:(exact (F_re_open_closed _ _ (rvar_term 0) 0 (term_of empty_row)
        eq_refl eq_refl)).
      go (@nil constr) RE_closed ltac:(exact (F_re_closed _ _ (RTerm [n3] None []) (RTerm [] None [n5]) eq_refl
        eq_refl)).
      apply Run_nil.
    + exists (DEq n3 n5), DE_clash. split; [simpl; auto|]. apply F_de_clash. discriminate.
Qed.

(** F15.  So it is for [2]<x> ≈ <y>[3], which has solutions. *)
Theorem finding_f15_step_3_rejects_satisfiable : exists C,
  let cs := [finding_f6 [two] [n3]] in
  (exists g, sol cs g) /\ solves (initial cs) C /\
  forall bs, (forall b, In b bs -> upward C b) -> (forall v, unsolved C v -> In v (map bound_var bs)) ->
    ~ exists C', solves (commit C bs) C'.
Proof.
  assert (R : exists C, run any_step (initial [finding_f6 [two] [n3]]) C /\ phi C = [] /\
                sigma C = id_subst /\ used C = [RV 0; RV 1]).
  { eexists. split.
    - go (@nil constr) RE_cross ltac:(exact (F_re_cross _ _ (RTerm [two] (Some 0) []) 0 (RTerm [] (Some 1) [n3]) 1
        eq_refl eq_refl ltac:(discriminate) ltac:(discriminate) ltac:(discriminate))). apply Run_nil.
    - repeat split; reflexivity. }
  destruct R as (C & R & E & Si & Us). exists C. intros cs. split; [|split; [split; auto|]].
  - destruct (finding_f6_always_solvable top [two] [n3]) as (g & _ & H). exists g. intros c [<-|[]]. exact H.
  - intros bs Hb Cov (C' & S).
    destruct (upward_success cs C bs C' (run_closing _ _ _ R) Hb Cov S) as (g & H & T).
    assert (In (RV 0) (map bound_var bs)) as I.
    { apply Cov. split; [rewrite Si; apply id_var | rewrite Us; simpl; auto]. }
    apply in_map_iff in I as (b & Eb & I). pose proof (T b I) as Tb. destruct (Hb b I) as [[a|p] _]; [discriminate|].
    simpl in Eb. injection Eb as ->.
    specialize (H _ (or_introl eq_refl)). apply finding_f6_upward_close_rejects in H as [H _].
    apply H. simpl in Tb. rewrite ground_rvar in Tb. apply flat_empty_row. exact Tb.
Qed.

(** * Without a deferred equation step 3 cannot fail *)

Definition tops_only (C : config) : Prop :=
  forall R Q, In (REq R Q) (phi C ++ store C) -> Q = term_of empty_row.

Lemma fires_tops : forall used B R r o, fires used B (REq R (term_of empty_row)) r o ->
  match o with Fails => True | Does e => semantic_step (By_rule (REq R (term_of empty_row)) r) /\ stores e = [] end.
Proof.
  intros used B T r o F. each_firing F; try exact I; injection Ec as EL ER; subst; try discriminate.
  - unfold re_closed. destruct (_ =? _); simpl; auto.
  - unfold re_open_closed. destruct (Nat.leb_spec (known_rank T) (length (tflat (term_of empty_row)))) as [L|];
      [|exact I].
    simpl in *. split; [|auto]. intros N. apply N. unfold known_rank at 2. simpl. lia.
Qed.

Lemma step_tops : forall C c r C', step C c r C' -> tops_only C -> tops_only C' /\ semantic_step (By_rule c r).
Proof.
  intros C c r C' S H. inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  pose proof (outcome_emits _ _ _ _ _ F) as Em. simpl in Em.
  assert (Hc : forall R Q, c = REq R Q -> Q = term_of empty_row).
  { intros R Q ->. apply (H R). rewrite Ep, !in_app_iff. simpl; auto. }
  assert (Fc : semantic_step (By_rule c r) /\ forall R Q, ~ In (REq R Q) (stores e)).
  { destruct c as [t u|t u|R Q|R Q].
    1-2,4: split; [unfold semantic_step, commits; destruct r; auto; inversion F|].
    1-3: pose proof (outcome_no_req _ _ _ _ _ F) as O; simpl in O; intros X Y I;
      exact (O (fun x => x) _ (proj2 (in_app_iff _ _ _) (or_intror I)) Logic.I).
    specialize (Hc R Q eq_refl). subst Q. destruct (fires_tops _ _ _ _ _ F) as [A ->]. split; [auto | intros X Y []]. }
  destruct Fc as [Sm Ns]. split; [|auto].
  assert (More : forall R Q, In (REq R Q) ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/
            In (REq R Q) (store C) \/ In (REq R Q) (stores e) -> Q = term_of empty_row).
  { intros R Q J. rewrite !in_app_iff in J. destruct J as [[[J|J]|[J|J]]|[J|J]];
      try (apply (H R); rewrite Ep, !in_app_iff; simpl; tauto).
    - destruct (Em _ J).
    - destruct (again e); [destruct J as [J|[]]; eauto | destruct J].
    - destruct (Ns _ _ J). }
  intros R Q I. unfold next in I. destruct (binds e) as [b|]; simpl in I.
  - rewrite in_app_iff, !in_map_iff in I.
    assert (exists d, sub_c (as_subst b) d = REq R Q /\
      (In d ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/ In d (store C) \/ In d (stores e)))
        as (d & Ed & D).
    { destruct I as [(d & Ed & I)|(d & Ed & I)]; exists d; split; auto;
        [rewrite in_app_iff, in_taken in I | rewrite in_add_bounds, filter_In in I]; tauto. }
    destruct d as [t u|t u|R' Q'|R' Q']; try discriminate. simpl in Ed. injection Ed as _ <-.
    rewrite (More R' Q' D). reflexivity.
  - apply (More R). rewrite app_assoc, in_app_iff, in_add_bounds, <- app_assoc in I. tauto.
Qed.

Lemma run_tops : forall C C', run any_step C C' -> tops_only C -> run semantic_step C C'.
Proof.
  intros C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs C'' []]; intros H; [constructor|].
  destruct (step_tops _ _ _ _ S H) as [H' Sm]. eapply Run_cons; eauto.
Qed.

(** F15, repaired: once nothing is deferred, step 3 cannot fail, whichever of the
    unsolved variables are closed. *)
Theorem finding_f15_step_3_repaired : forall cs C bs C', closing (initial cs) C -> phi C = [] ->
  (forall d, In d (store C) -> ~ is_req d) -> (forall b, In b bs -> upward C b) ->
  run any_step (commit C bs) C' -> ~ rule_fails C' /\ ~ guard_fails C'.
Proof.
  intros cs C bs C' K E N Hb R. apply (closing_kept cs) in K; [|apply initial_invariant].
  assert (Kc : closing_invariant cs (commit C bs)).
  { eapply closing_kept; [|exact K]. eapply Closing_add; [|apply Closing_nil].
    apply commit_knows. intros b I. now apply upward_knows, Hb. }
  apply (semantic_no_failure cs _ _ Kc).
  - apply run_tops; [exact R|]. intros X Q I. simpl in I. rewrite E in I. simpl in I. apply in_app_iff in I as [I|I].
    + apply in_map_iff in I as (b & Eb & I). destruct (Hb b I) as [[a|p] _]; [discriminate|].
      simpl in Eb. injection Eb as _ <-. reflexivity.
    + destruct (N _ I Logic.I).
  - exists (greatest (sigma C)). apply extend_satisfies.
    split; [now apply (closing_top_satisfies cs)|]. intros c I. apply in_map_iff in I as (b & <- & I).
    destruct (Hb b I) as [v [F _]]. pose proof (top_value (sigma C) v F) as V.
    destruct v as [a|p]; simpl in V |- *; [exact V|]. rewrite ground_rvar. simpl. rewrite V. reflexivity.
Qed.

(** * The re-solve can run for ever *)

Lemma f15_shape : forall C, phi C = [f15_constraint 0] -> store C = [] ->
  (forall v, In v (used C) -> match v with DV a => a < 1 | RV p => p < 4 end) ->
  forall i, phi (f15_config C i) = [f15_constraint i] /\ store (f15_config C i) = [] /\
    forall v, In v (used (f15_config C i)) -> match v with DV a => a < 1 + i | RV p => p < 4 + i end.
Proof.
  intros C Ep0 Es0 Eu0. intros i; induction i as [|i (Ep & Es & Eu)]; [auto|].
  cbn [f15_config]. unfold next; cbn [binds again emits stores phi store used app bound_var bound_value].
  rewrite Es. simpl filter. cbn [map app].
  split; [|split; [reflexivity|]].
  - f_equal. unfold f15_constraint; cbn [sub_c]. f_equal; unfold sub_r; cbn [tmid tlead ttrail on_r bind_r as_subst];
      rewrite Nat.eqb_refl; cbn [tmid tlead ttrail grown map]; rewrite seq_S, map_app; simpl;
        now rewrite !map_sub_dvars.
  - intros v I. apply in_app_iff in I as [I|I].
    + apply Eu in I. destruct v; lia.
    + simpl in I. destruct I as [<-|[<-|[]]]; lia.
Qed.

Lemma f15_step : forall C, phi C = [f15_constraint 0] -> store C = [] ->
  (forall v, In v (used C) -> match v with DV a => a < 1 | RV p => p < 4 end) ->
  forall i, step (f15_config C i) (f15_constraint i) RI_deficit (f15_config C (S i)).
Proof.
  intros C Ep0 Es0 Eu0 i. destruct (f15_shape C Ep0 Es0 Eu0 i) as (Ep & Es & Eu).
  change (f15_config C (S i)) with (next (f15_config C i) ([] ++ []) (f15_constraint i)
    (Effect [] (Some (BindR (3 + i) (grown [1 + i] (4 + i) []))) [] true)).
  apply Step; [exact Ep|]. apply (F_ri_deficit _ _ _ _ (3 + i) [1 + i] (4 + i) []).
  - unfold covered; cbn [tlead length]. lia.
  - reflexivity.
  - unfold lead_deficit; cbn [tlead length]. lia.
  - reflexivity.
  - repeat constructor; simpl; intuition discriminate.
  - intros v [<-|[<-|[]]] J; apply Eu in J; lia.
Qed.

(** F15.  z is a leaf, and Def. 6.1 commits z = []⋄[2].  From there a run reaches a
    configuration with one pending constraint, on which the deficit rule fires for
    ever; nothing else is ever pending or stored.  The set is satisfiable. *)
Theorem finding_f15_resolve_runs_for_ever : exists C D,
  let T := only (RV 2) in
  let b := BindR 2 (term_of ([] ·⋄· [num 2])) in
  sol finding_f15 top /\ solves (initial finding_f15) C /\ leaf_value T C b /\
  run any_step (commit C [b]) (f15_config D 0) /\
  (forall i, phi (f15_config D i) = [f15_constraint i]) /\
  (forall i, step (f15_config D i) (f15_constraint i) RI_deficit (f15_config D (S i))).
Proof.
  assert (R : exists C, run any_step (initial finding_f15) C /\ phi C = [] /\ store C = finding_f15 /\
                sigma C = id_subst /\ used C = used (initial finding_f15)).
  { eexists. split.
    - go (@nil constr) RE_cross ltac:(exact (F_re_cross _ _ (RTerm [two] (Some 0) []) 0 (RTerm [] (Some 1) [two]) 1
        eq_refl eq_refl ltac:(discriminate) ltac:(discriminate) ltac:(discriminate))).
      go (@nil constr) RI_cap ltac:(apply (F_ri_cap _ _ _ _ 1); [unfold covered; simpl;
        lia | reflexivity | discriminate]).
      go (@nil constr) RI_cap ltac:(apply (F_ri_cap _ _ _ _ 2); [unfold covered; simpl;
        lia | reflexivity | discriminate]).
      go (@nil constr) RI_cap ltac:(apply (F_ri_cap _ _ _ _ 2); [unfold covered; simpl;
        lia | reflexivity | discriminate]).
      apply Run_nil.
    - repeat split; reflexivity. }
  destruct R as (C & R & E & St & Si & Us).
  assert (X : exists D, run any_step (commit C [BindR 2 (term_of ([] ·⋄· [num 2]))]) D /\
    phi D = [f15_constraint 0] /\ store D = [] /\
    (forall v, In v (used D) -> match v with DV a => a < 1 | RV p => p < 4 end)).
  { destruct C as [ph sg st us le tr]. simpl in E, St, Si, Us. subst ph sg st us.
    eexists. split.
    - go (@nil constr) RE_open_closed ltac:(exact (F_re_open_closed _ _ (rvar_term 2) 2 (term_of ([] ·⋄· [num
        2])) eq_refl eq_refl)).
      eapply Run_cons; [exact I | eapply (Step _ [_] _ _ RI_closed_op); [reflexivity|]|].
      { apply F_ri_closed_op; [unfold covered; simpl; lia | reflexivity]. }
      eapply Run_cons; [exact I | eapply (Step _ [_] _ _ DI_refl); [reflexivity | apply F_di_refl]|].
      go (@nil constr) RI_deficit ltac:(idtac).
      { apply (F_ri_deficit _ _ _ _ 0 [] 3 [0]); try reflexivity.
        - unfold covered; simpl; lia.
        - repeat constructor; simpl; intuition discriminate.
        - intros v J K. simpl in J, K. decompose [or] J; subst; decompose [or] K; try discriminate; tauto. }
      go (@nil constr) RI_closed_op ltac:(apply F_ri_closed_op; [unfold covered; simpl; lia | reflexivity]).
      eapply Run_cons; [exact I | eapply (Step _ [_] _ _ DI_pin); [reflexivity | apply F_di_pin; exact I]|].
      eapply Run_cons; [exact I | eapply (Step _ [_] _ _ DE_bind); [reflexivity | apply F_de_bind; discriminate]|].
      go (@nil constr) RE_nested ltac:(apply (F_re_nested_sym _ _ _ 3 _ 1); try reflexivity; discriminate).
      go (@nil constr) DE_refl ltac:(apply F_de_refl).
      apply Run_nil.
    - split; [reflexivity | split; [reflexivity|]].
      intros v J. simpl in J. decompose [or] J; subst; try tauto; lia. }
  destruct X as (D & RD & Ep & Es & Eu). exists C, D. intros T b.
  split; [apply solb_spec; reflexivity | split; [split; auto | split; [|split; [exact RD | split]]]].
  - apply leaf_row_is; [now rewrite St | |].
    + split; [split; [rewrite Si; apply id_var | rewrite Us; simpl; auto 10]|]. exists (RV 2). rewrite Si. simpl; auto.
    + intros (w & [] & _).
  - intros i. apply (f15_shape D Ep Es Eu i).
  - exact (f15_step D Ep Es Eu).
Qed.
