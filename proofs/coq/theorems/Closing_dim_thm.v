(** Remarks 6.3, 6.6 and 6.7(i): closing at dimension sort; F4. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Solved Solved_thm Runs Runs_thm Closing Closing_thm Closing_leaf_thm.
Import ListNotations.

(** * Re-solving without row equalities is exact *)

Lemma commit_no_req : forall C bs, no_req C -> (forall b, In b bs -> exists a t, b = BindD a t) ->
  no_req (commit C bs).
Proof.
  intros C bs N H d I. simpl in I. rewrite <- app_assoc, !in_app_iff in I.
  destruct I as [I|[I|I]]; try (apply N, in_app_iff; auto; fail).
  apply in_map_iff in I as (b & <- & I). destruct (H b I) as (a & t & ->). simpl; auto.
Qed.

(** Success shows a solution of the commitments, ... *)
Lemma resolve_success : forall cs C C', closing_invariant cs C -> no_req C -> solves C C' ->
  exists g, satisfies g C.
Proof.
  intros cs C C' K N [R E]. destruct (run_no_req _ _ R N) as [_ N'].
  pose proof (closing_kept cs _ _ (run_closing _ _ _ R) K) as K'.
  exists (greatest (sigma C')). apply (run_sound _ _ _ R); [apply K|].
  apply (closing_top_satisfies cs); auto. intros d I. apply N', in_app_iff; auto.
Qed.

(** ... and a solution of them shows that no run on them fails. *)
Lemma resolve_failure : forall cs C C', closing_invariant cs C -> no_req C -> run any_step C C' ->
  (exists g, satisfies g C) -> ~ rule_fails C' /\ ~ guard_fails C'.
Proof.
  intros cs C C' K N R. destruct (run_no_req _ _ R N) as [R' _]. exact (semantic_no_failure cs _ _ K R').
Qed.

(** * Explicit runs *)

(** Take the pending constraint after [pre], by rule [r]. *)
Ltac go pre r tac := eapply Run_cons; [exact I | eapply (Step _ pre _ _ r); [reflexivity | tac] |].

(** * 6.3 *)

Lemma example_6_3_solutions : forall g, sol example_6_3 g ->
  g_d g 1 = Unit /\ (g_d g 0 = num 3 \/ g_d g 0 = Unit).
Proof.
  intros g H.
  pose proof (H _ (or_introl eq_refl)) as A. pose proof (H _ (or_intror (or_introl eq_refl))) as B.
  pose proof (H _ (or_intror (or_intror (or_introl eq_refl)))) as D. simpl in A, B, D.
  assert (E : g_d g 1 = Unit).
  { apply (two_atoms (num 3) (num 5)); [exact I | discriminate | eapply dim_le_trans; eauto | exact D]. }
  split; [auto|]. destruct A as [A|A]; auto.
Qed.

(** 6.3.  After solving, 3 is committed for a and 5 for b.  Both at once violate a ⊑ b.
    With a first and solving again, b becomes 1∅.  With b first nothing
    succeeds, although there are solutions. *)
Theorem remark_6_3 : exists C,
  let T := both (DV 0) (DV 1) in
  let a := BindD 0 n3 in let b := BindD 1 n5 in
  solves (initial example_6_3) C /\ leaf_value T C a /\ leaf_value T C b /\
  (forall g, binding_holds g a -> binding_holds g b -> ~ sol example_6_3 g) /\
  (exists C', solves (commit C [a]) C' /\ g_d (gamma_close C') 0 = num 3 /\
     g_d (gamma_close C') 1 = Unit /\ all_solved C' /\ sol example_6_3 (gamma_close C')) /\
  (~ exists C', solves (commit C [b]) C') /\ exists g, sol example_6_3 g.
Proof.
  assert (R : exists C, run any_step (initial example_6_3) C /\ phi C = [] /\ store C = example_6_3 /\
                sigma C = id_subst /\ used C = used (initial example_6_3) /\ no_req C).
  { eexists. split.
    - go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 3) 0 I)).
      go (@nil constr) DI_adj ltac:(apply F_di_adj; discriminate).
      go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 5) 1 I)).
      apply Run_nil.
    - repeat split; try reflexivity. intros d J. simpl in J. decompose [or] J; subst; simpl; tauto. }
  destruct R as (C & R & E & St & Si & Us & N). exists C. intros T a b.
  assert (U : forall v, v = DV 0 \/ v = DV 1 -> open_leaf T C v).
  { intros v Hv. split; [split|]; rewrite ?Si, ?Us.
    - apply id_var. - destruct Hv as [-> | ->]; simpl; auto.
    - exists v. rewrite Si, id_var. split; [exact Hv | now apply vars_var_term]. }
  assert (La : leaf_value T C a) by (apply Leaf_cap; [apply U; auto | now rewrite St]).
  assert (Lb : leaf_value T C b) by (apply Leaf_cap; [apply U; auto | now rewrite St]).
  pose proof (closing_kept _ _ _ (run_closing _ _ _ R) (initial_invariant _)) as K.
  assert (Kb : forall x, leaf_value T C x -> closing_invariant example_6_3 (commit C [x])).
  { intros x Lx. eapply closing_kept; [|exact K]. eapply Closing_add; [|apply Closing_nil].
    apply commit_knows. intros y [<-|[]]. eapply leaf_value_knows; eauto. }
  split; [split; auto | split; [auto | split; [auto | split; [|split; [|split]]]]].
  - intros g Ha Hb H. apply example_6_3_solutions in H as [H _]. simpl in Hb. rewrite Hb in H. discriminate.
  - assert (X : exists C', run any_step (commit C [a]) C' /\ phi C' = [] /\
       g_d (gamma_close C') 0 = num 3 /\ g_d (gamma_close C') 1 = Unit /\ all_solved C').
    { destruct C as [ph sg st us le tr]. simpl in E, St, Si, Us. subst ph sg st us.
      eexists. split.
      - go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
        go (@nil constr) DI_refl ltac:(apply F_di_refl).
        go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 3) 1 I)).
        go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
        go (@nil constr) DI_top ltac:(apply F_di_top).
        apply Run_nil.
      - split; [reflexivity | split; [reflexivity | split; [reflexivity|]]].
        intros v J. simpl in J. decompose [or] J; subst; try reflexivity; tauto. }
    destruct X as (C' & R' & E' & G0 & G1 & A). exists C'.
    pose proof (closing_kept _ _ _ (run_closing _ _ _ R') (Kb a La)) as K'.
    split; [split; auto | split; [auto | split; [auto | split; [auto|]]]].
    now apply (closing_end _ _ K' E' A).
  - intros (C' & S). destruct (resolve_success _ _ _ (Kb b Lb)
      (commit_no_req C [b] N ltac:(intros x [<-|[]]; eexists _, _; reflexivity)) S) as (g & H).
    apply extend_satisfies in H as [H1 H2]. apply K in H1. apply example_6_3_solutions in H1 as [H1 _].
    specialize (H2 _ (or_introl eq_refl)). simpl in H2. rewrite H1 in H2. discriminate.
  - exists (Ground (fun a => if Nat.eqb a 0 then num 3 else Unit) (fun _ => empty_row)).
    apply solb_spec. reflexivity.
Qed.

(** * 6.6 *)

(** 6.6.  Closing gives 3, γ↑ gives 1∅; both are solutions, and neither is an instance
    of the other. *)
Theorem remark_6_6 : exists C0 C,
  let cs := example_3_5 default in
  solves (initial cs) C0 /\ closes (only (DV 0)) cs C /\
  g_d (gamma_close C) 0 = num 3 /\ g_d (greatest (sigma C0)) 0 = Unit /\
  sol cs (gamma_close C) /\ sol cs (greatest (sigma C0)) /\
  ~ subst_le (bind_d 0 n3) (bind_d 0 (DConst Unit)) /\ ~ subst_le (bind_d 0 (DConst Unit)) (bind_d 0 n3).
Proof.
  assert (R : exists C, run any_step (initial (example_3_5 default)) C /\ phi C = [] /\
                store C = example_3_5 default /\ sigma C = id_subst /\ used C = [DV 0]).
  { eexists. split.
    - go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 3) 0 I)). apply Run_nil.
    - repeat split; reflexivity. }
  destruct R as (C0 & R0 & E0 & St & Si & Us). exists C0.
  assert (L : leaf_value (only (DV 0)) C0 (BindD 0 n3)).
  { apply Leaf_cap; [|now rewrite St]. split; [split; [rewrite Si; apply id_var | rewrite Us; simpl; auto]|].
    exists (DV 0). rewrite Si. simpl; auto. }
  assert (X : exists C, run any_step (commit C0 [BindD 0 n3]) C /\ phi C = [] /\ used C = [DV 0] /\
                g_d (gamma_close C) 0 = num 3 /\ forall v, ~ unsolved C v).
  { destruct C0 as [ph sg st us le tr]. simpl in E0, St, Si, Us. subst ph sg st us. eexists. split.
    - go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
      go (@nil constr) DI_refl ltac:(apply F_di_refl). apply Run_nil.
    - repeat split; try reflexivity. intros v [F U]. simpl in U. destruct U as [<-|[]]. discriminate. }
  destruct X as (C & R & E & Us' & G & N). exists C. intros cs.
  assert (Cl : closes (only (DV 0)) cs C).
  { apply (Closes _ _ C0 C []); [split; auto | | intros b [] | intros v U; destruct (N v U) |].
    - apply (Leaves_more _ _ [BindD 0 n3] C); [intros b [<-|[]]; exact L | split; auto|].
      apply Leaves_done. intros v [U _]. exact (N v U).
    - unfold commit, extend. simpl. rewrite app_nil_r. destruct C as [ph sg st us le tr]; simpl in *. subst ph.
        split; [apply Run_nil | auto]. }
  split; [split; auto | split; [exact Cl | split; [exact G | split; [now rewrite Si | split; [|split]]]]].
  - now apply (prop_6_2_closing_sound _ _ _ Cl).
  - apply cor_5_5_i_runs; auto. rewrite St. intros d [<-|[]]; simpl; auto.
  - exact (example_3_5_incomparable default).
Qed.

(** * F4 *)

Lemma finding_f4_solutions : forall g, sol finding_f4 g -> ~ (g_d g 0 = num 3 /\ g_d g 1 = num 5).
Proof.
  intros g H [A B].
  pose proof (H (DLe (DVar 2) (DVar 0)) ltac:(simpl; auto)) as HA.
  pose proof (H (DLe (DVar 2) (DVar 1)) ltac:(simpl; auto)) as HB. simpl in HA, HB. rewrite A in HA. rewrite B in HB.
  apply dim_le_atom in HA; [|exact I]. apply dim_le_atom in HB; [|exact I]. rewrite HA in HB. discriminate.
Qed.

Lemma finding_f4_solved : exists C, run any_step (initial finding_f4) C /\ phi C = [] /\ store C = finding_f4 /\
  sigma C = id_subst /\ used C = used (initial finding_f4) /\ no_req C.
Proof.
  eexists. split.
  - go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 3) 0 I)).
    go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 5) 1 I)).
    go (@nil constr) DI_adj ltac:(apply F_di_adj; discriminate).
    go (@nil constr) DI_adj ltac:(apply F_di_adj; discriminate).
    apply Run_nil.
  - repeat split; try reflexivity. intros d J. simpl in J. decompose [or] J; subst; simpl; tauto.
Qed.

(** F4.  The set is satisfiable, its store saturated and without holes.  Closing
    commits a = 3 and b = 5, and no run on that succeeds, in either order. *)
Theorem finding_f4_rejects_satisfiable : exists C,
  let T := both (DV 0) (DV 1) in
  let a := BindD 0 n3 in let b := BindD 1 n5 in
  (exists g, sol finding_f4 g) /\
  solves (initial finding_f4) C /\ saturated (store C) /\ leaf_value T C a /\ leaf_value T C b /\
  (~ exists C', solves (commit C [a; b]) C') /\ (~ exists C', solves (commit C [b; a]) C').
Proof.
  destruct finding_f4_solved as (C & R & E & St & Si & Us & N). exists C. intros T a b.
  assert (U : forall v, v = DV 0 \/ v = DV 1 -> open_leaf T C v).
  { intros v Hv. split; [split|]; rewrite ?Si, ?Us.
    - apply id_var. - destruct Hv as [-> | ->]; simpl; auto.
    - exists v. rewrite Si, id_var. split; [exact Hv | now apply vars_var_term]. }
  assert (La : leaf_value T C a) by (apply Leaf_cap; [apply U; auto | now rewrite St]).
  assert (Lb : leaf_value T C b) by (apply Leaf_cap; [apply U; auto | now rewrite St]).
  pose proof (closing_kept _ _ _ (run_closing _ _ _ R) (initial_invariant _)) as K.
  assert (No : forall bs, (forall x, In x bs -> x = a \/ x = b) -> In a bs -> In b bs ->
            ~ exists C', solves (commit C bs) C').
  { intros bs H Ia Ib (C' & S).
    assert (Kc : closing_invariant finding_f4 (commit C bs)).
    { eapply closing_kept; [|exact K]. eapply Closing_add; [|apply Closing_nil].
      apply commit_knows. intros y Iy. destruct (H y Iy) as [-> | ->]; eapply leaf_value_knows; eauto. }
    destruct (resolve_success _ _ _ Kc (commit_no_req C bs N ltac:(intros x Ix; destruct (H x Ix) as [-> | ->];
      eexists _, _; reflexivity)) S) as (g & Hg).
    apply extend_satisfies in Hg as [H1 H2]. apply K in H1. apply (finding_f4_solutions g H1).
    split; [apply (H2 (equation a)) | apply (H2 (equation b))]; now apply in_map. }
  split; [|split; [split; auto | split; [|split; [auto | split; [auto | split]]]]].
  - exists (Ground (fun x => if Nat.eqb x 2 then num 3 else Unit) (fun _ => empty_row)).
    apply solb_spec. reflexivity.
  - rewrite St. intros d x y J1 J2. unfold finding_f4, n3, n5 in J1, J2. simpl in J1, J2.
      decompose [or] J1; decompose [or] J2; try tauto; congruence.
  - apply No; simpl; auto. intros x [<-|[<-|[]]]; auto.
  - apply No; simpl; auto. intros x [<-|[<-|[]]]; auto.
Qed.

(** F4.  Solved again after each leaf, closing succeeds, but the values depend on who
    comes first. *)
Theorem finding_f4_order_matters : exists C C',
  let T := both (DV 0) (DV 1) in
  closes T finding_f4 C /\ closes T finding_f4 C' /\
  g_d (gamma_close C) 0 = num 3 /\ g_d (gamma_close C) 1 = Unit /\
  g_d (gamma_close C') 0 = Unit /\ g_d (gamma_close C') 1 = num 5.
Proof.
  destruct finding_f4_solved as (C & R & E & St & Si & Us & N). set (T := both (DV 0) (DV 1)).
  assert (U : forall v, v = DV 0 \/ v = DV 1 -> open_leaf T C v).
  { intros v Hv. split; [split|]; rewrite ?Si, ?Us.
    - apply id_var. - destruct Hv as [-> | ->]; simpl; auto.
    - exists v. rewrite Si, id_var. split; [exact Hv | now apply vars_var_term]. }
  assert (La : leaf_value T C (BindD 0 n3)) by (apply Leaf_cap; [apply U; auto | now rewrite St]).
  assert (Lb : leaf_value T C (BindD 1 n5)) by (apply Leaf_cap; [apply U; auto | now rewrite St]).
  assert (X : exists C', run any_step (commit C [BindD 0 n3]) C' /\ phi C' = [] /\
     g_d (gamma_close C') 0 = num 3 /\ g_d (gamma_close C') 1 = Unit /\ forall v, ~ unsolved C' v).
  { destruct C as [ph sg st us le tr]. simpl in E, St, Si, Us. subst ph sg st us. eexists. split.
    - go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
      go (@nil constr) DI_refl ltac:(apply F_di_refl).
      go (@nil constr) DI_pin ltac:(exact (F_di_pin _ _ 2 (num 3) I)).
      go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
      go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 3) 1 I)).
      go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
      go (@nil constr) DI_top ltac:(apply F_di_top).
      apply Run_nil.
    - repeat split; try reflexivity. intros v [F V]. simpl in V. decompose [or] V; subst; try discriminate F; tauto. }
  assert (Y : exists C', run any_step (commit C [BindD 1 n5]) C' /\ phi C' = [] /\
     g_d (gamma_close C') 0 = Unit /\ g_d (gamma_close C') 1 = num 5 /\ forall v, ~ unsolved C' v).
  { destruct C as [ph sg st us le tr]. simpl in E, St, Si, Us. subst ph sg st us. eexists. split.
    - go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
      go (@nil constr) DI_refl ltac:(apply F_di_refl).
      go (@nil constr) DI_pin ltac:(exact (F_di_pin _ _ 2 (num 5) I)).
      go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
      go (@nil constr) DI_cap ltac:(exact (F_di_cap _ _ (num 5) 0 I)).
      go (@nil constr) DE_bind ltac:(apply F_de_bind; discriminate).
      go (@nil constr) DI_top ltac:(apply F_di_top).
      apply Run_nil.
    - repeat split; try reflexivity. intros v [F V]. simpl in V. decompose [or] V; subst; try discriminate F; tauto. }
  assert (Z : forall b D, leaf_value T C b -> run any_step (commit C [b]) D -> phi D = [] ->
            (forall v, ~ unsolved D v) -> closes T finding_f4 D).
  { intros b D Hb HR HE HN. apply (Closes _ _ C D []); [split; auto | | intros x [] | intros v V; destruct (HN v V) |].
    - apply (Leaves_more _ _ [b] D); [intros x [<-|[]]; exact Hb | split; auto|].
      apply Leaves_done. intros v [V _]. exact (HN v V).
    - unfold commit, extend. simpl. rewrite app_nil_r. destruct D as [ph sg st us le tr]; simpl in *. subst ph.
        split; [apply Run_nil | auto]. }
  destruct X as (CX & RX & EX & X0 & X1 & NX), Y as (CY & RY & EY & Y0 & Y1 & NY).
  exists CX, CY. repeat split; eauto.
Qed.
