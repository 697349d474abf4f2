(** Where the choice of the next constraint shows; F2 as a run; what RE-open-closed
    and deferred equations do. *)

From Coq Require Import PArith List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Row Row_thm Rigid Rigid_thm Term Semantics Semantics_thm Rules Rules_thm Guard Guard_thm
  Solved Solved_thm Runs Runs_thm Exact Drive Drive_thm Strategies.
Import ListNotations.

(** * 2.15(v): two strategies, two contents *)

(** Two runs of one set succeed with nothing stored, and their solutions differ at
    q in content, even in rank. *)
Theorem remark_2_15_v_refuted :
  run any_step (initial finding_f10_orders) f10_first /\ phi f10_first = [] /\ store f10_first = [] /\
  run any_step (initial finding_f10_orders) f10_second /\ phi f10_second = [] /\ store f10_second = [] /\
  g_r (greatest (sigma f10_first)) 1 = [num 3; num 7] ·⋄· [num 5] /\
  g_r (greatest (sigma f10_second)) 1 = [num 3; num 7] ·⋄· [num 3; num 5] /\
  ~ g_r (greatest (sigma f10_first)) 1 ≈ g_r (greatest (sigma f10_second)) 1.
Proof.
  split; [apply reached_run; reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
  split; [apply reached_run; reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
  split; [reflexivity|]. split; [reflexivity|]. intros E. vm_compute in E. discriminate.
Qed.

(** No solution of one run is a solution of the other: they differ at p and q alike. *)
Theorem remark_2_15_v_no_common_solution : forall g,
  ~ (respects g (sigma f10_first) /\ respects g (sigma f10_second)).
Proof.
  intros g [A B]. specialize (A (RV 0)). specialize (B (RV 0)).
  vm_compute in A. vm_compute in B. rewrite <- A in B. discriminate.
Qed.

(** * F2 as a run *)

(** Oldest first, the third constraint meets the guard of Def. 4.5: what it would
    record closes a cycle of weight 2.  The set has a solution. *)
Theorem finding_f2_run_rejected : exists c,
  sol finding_f2 finding_f2_solution /\
  paper_run (initial finding_f2) (recorded finding_f2 [0; 0]) (reached finding_f2 [0; 0]) /\
  ~ positive_cycle (recorded finding_f2 [0; 0]) /\
  nth_error (phi (reached finding_f2 [0; 0])) 0 = Some c /\
  walk (recorded finding_f2 [0; 0] ++ paper_edges c) (Some 0) (Some 0) 2.
Proof.
  exists (RLe (RTerm [two] (Some 2) []) (RTerm [] (Some 0) [three])).
  split; [exact f2_solution|]. split; [apply reached_paper_run; [reflexivity | discriminate]|].
  split; [|split; [reflexivity|]].
  - apply prop_4_6. exists (fun p => match p with 0 | 1 => 1 | _ => 0 end). intros f J. vm_compute in J.
    decompose [or] J; subst; try tauto; unfold fact_holds; simpl; lia.
  - apply (Walk_more _ _ (Some 1) _ 0 2); [left; vm_compute; auto|].
    apply (Walk_more _ _ (Some 2) _ 1 1); [left; vm_compute; auto|].
    constructor. left. vm_compute. auto 6.
Qed.

(** Another run on it, newest constraint first, succeeds without a cycle. *)
Theorem finding_f2_run_accepted : exists places,
  paper_run (initial finding_f2) (recorded finding_f2 places) (reached finding_f2 places) /\
  succeeds (reached finding_f2 places) /\ ~ positive_cycle (recorded finding_f2 places).
Proof.
  exists [2; 2; 2; 2; 1; 1; 2; 1; 1; 0; 1; 1; 0; 0; 0; 0]. split; [apply reached_paper_run; [reflexivity | discriminate]|].
  split; [split; [reflexivity|]|].
  - intros d J. vm_compute in J. decompose [or] J; subst; simpl; tauto.
  - apply prop_4_6. exists (fun p => match p with 0 | 1 => 1 | 2 => 2 | _ => 0 end). intros f J. vm_compute in J.
    decompose [or] J; subst; try tauto; unfold fact_holds; simpl; lia.
Qed.

(** * 2.14(iii): H1's fourth program *)

(** In its constraints a row variable is equated with a closed row and is the host
    of a broadcast; they have a solution, and a run on them fails. *)
Theorem remark_2_14_iii_refuted :
  crosses_sorts finding_h1_rejected 0 /\ sol finding_h1_rejected finding_h1_solution /\
  run any_step (initial finding_h1_rejected) (reached finding_h1_rejected (repeat 0 16)) /\
  rule_fails (reached finding_h1_rejected (repeat 0 16)).
Proof.
  split; [|split; [|split]].
  - split.
    + exists (RTerm [] None [DVar 0; DVar 1]). split; [reflexivity | right; simpl; auto].
    + exists (rvar_term 1), (rvar_term 0). split; [simpl; auto | reflexivity].
  - apply solb_spec. reflexivity.
  - apply reached_run. reflexivity.
  - apply (fails_at_fails _ 0). reflexivity.
Qed.

(** * 4.3(b): where the marker goes *)

(** The marker inherits the closed side's split where that falls into the middle: the
    value is the closed side without the axes that the open side shows.  Else it is at
    the left edge. *)
Theorem def_4_3_b_placement : forall R p S, tmid R = Some p -> tmid S = None ->
  known_rank R <= known_rank S ->
  re_open_closed R p S =
    emit_bind (facing R S)
      (BindR p (if (length (tlead R) <=? length (tlead S)) && (length (ttrail R) <=? length (ttrail S))
                then cut (length (tlead R)) (length (ttrail R)) S
                else RTerm [] None (firstn (known_rank S - known_rank R) (skipn (length (tlead R)) (tflat S))))).
Proof.
  intros R p S ER ES K. unfold re_open_closed. rewrite length_tflat.
  destruct (Nat.leb_spec (known_rank R) (known_rank S)) as [_|N]; [|lia]. f_equal. f_equal.
  unfold placed, middle. rewrite !length_tflat. unfold known_rank in *.
  replace (length (tlead S) <=? length (tlead S) + length (ttrail S) - length (ttrail R))
    with (length (ttrail R) <=? length (ttrail S)).
  2: { destruct (Nat.leb_spec (length (ttrail R)) (length (ttrail S)));
       destruct (Nat.leb_spec (length (tlead S)) (length (tlead S) + length (ttrail S) - length (ttrail R))); auto; lia. }
  destruct (Nat.leb_spec (length (tlead R)) (length (tlead S))) as [L|L];
    destruct (Nat.leb_spec (length (ttrail R)) (length (ttrail S))) as [T|T]; cbn [andb].
  - unfold cut, tflat. rewrite ES. f_equal.
    + rewrite skipn_app, firstn_app, len_skipn, Nat.sub_diag, app_nil_r.
      apply firstn_all2. rewrite len_skipn. lia.
    + rewrite skipn_app, Nat.sub_diag, skipn_all. simpl. f_equal. lia.
  - f_equal; [rewrite Nat.sub_diag; reflexivity | f_equal; lia].
  - f_equal; [rewrite Nat.sub_diag; reflexivity | f_equal; lia].
  - f_equal; [rewrite Nat.sub_diag; reflexivity | f_equal; lia].
Qed.

(** * 4.3(c), (d): deferred equations return *)

(** A binding of one of its variables sends a deferred equation back. *)
Theorem def_4_3_deferred_returns : forall C rest c e b R Q p,
  binds e = Some b -> bound_var b = RV p -> In (REq R Q) (store C) -> tmid R = Some p \/ tmid Q = Some p ->
  In (sub_c (as_subst b) (REq R Q)) (phi (next C rest c e)) /\
  (stores e = [] -> forall d, In d (store (next C rest c e)) -> exists d0, In d0 (store C) /\ d0 <> REq R Q /\
     d = sub_c (as_subst b) d0).
Proof.
  intros C rest c e b R Q p Eb Ev J M. unfold next. rewrite Eb. cbn [phi store].
  assert (St : stored_for (bound_var b) (REq R Q) = true).
  { rewrite Ev. simpl. destruct M as [-> | ->]; simpl; rewrite Nat.eqb_refl; auto using orb_true_r. }
  split.
  - apply in_map, in_app_iff. right. apply in_taken. auto.
  - intros Es d K. rewrite Es, add_bounds_nil in K. apply in_map_iff in K as (d0 & <- & K).
    apply filter_In in K as [K N]. exists d0. split; [auto | split; [|auto]].
    intros ->. rewrite St in N. discriminate.
Qed.

(** So a clash that only the deferred equation shows is found: after two steps nothing
    else is pending, and two steps later a rule fails. *)
Theorem def_4_3_deferred_checked :
  run any_step (initial example_4_3_c) (reached example_4_3_c [0; 0]) /\
  store (reached example_4_3_c [0]) = [REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [three])] /\
  phi (reached example_4_3_c [0; 0]) = [REq (RTerm [two] None [n5]) (RTerm [] (Some 1) [three])] /\
  store (reached example_4_3_c [0; 0]) = [] /\
  run any_step (initial example_4_3_c) (reached example_4_3_c [0; 0; 0]) /\
  rule_fails (reached example_4_3_c [0; 0; 0]).
Proof.
  split; [apply reached_run; reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
  split; [reflexivity|]. split; [apply reached_run; reflexivity|].
  apply (fails_at_fails _ 0). reflexivity.
Qed.
