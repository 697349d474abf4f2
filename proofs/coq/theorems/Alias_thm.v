(** Prop. 7.6(iii) where the target is an operand too: it holds if operands are read as
    they were before, and in place if every point reads no cell but the one that it alone writes. *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Projection IndexMap IndexMap_thm Assignment Assignment_thm Alias.
Import ListNotations.

(** * Reading before *)

(** 7.6.iii.  If the target is read as it was before, a program is right for all right sides
    that read it iff it is right for all that do not. *)
Theorem prop_7_6_iii_read_before : forall V (op : V -> V -> V) e erases P env fs m dims,
  correct_before op e erases P env fs m dims <-> correct op e erases P env fs m dims.
Proof.
  intros V op e erases P env fs m dims. split; intros C.
  - intros f. exact (C (fun _ => f)).
  - intros g mem. exact (C (g mem) mem).
Qed.

(** * In place *)

Section InPlace.

Variables (V : Type) (op : V -> V -> V) (e : V).

Lemma in_place_before : forall place b (g : reader V) old xs, NoDup xs ->
  (forall x y, In x xs -> In y xs -> place x = place y -> x = y) ->
  (forall x mem, In x xs -> mem (place x) = old (place x) -> g mem x = g old x) ->
  forall mem, (forall x, In x xs -> mem (place x) = old (place x)) ->
  fold_left (execute_in_place V op place b g) xs mem = fold_left (execute V op place b (g old)) xs mem.
Proof.
  intros place b g old xs N. induction N as [|x xs M N IH]; intros I G mem H; [reflexivity|]. simpl fold_left.
  replace (execute_in_place V op place b g mem x) with (execute V op place b (g old) mem x).
  - apply IH; [intros; apply I; simpl; auto | intros; apply G; simpl; auto |].
    intros y Y. unfold execute, store. destruct (address_eqb (place y) (place x)) eqn:B; [|apply H; simpl; auto].
    apply address_eqb_iff, I in B; simpl; auto. subst y. destruct (M Y).
  - unfold execute_in_place, execute. rewrite (G x mem); simpl; auto. apply H. simpl; auto.
Qed.

Variables (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat).

(** It does so if the target is read at the map that it is written at. *)
Lemma own_cell_same_map : forall h : list nat -> V -> V,
  reads_own_cell env fs m (fun mem x => h x (mem (address env m x))).
Proof. intros h x mem mem' _ H. now rewrite H. Qed.

(** 7.6.iii.  If every point reads of the target only the cell that it writes, and no two
    points write the same, then a program that does not initialise does in place what it does
    reading before, in every cell. *)
Theorem prop_7_6_iii_in_place_same : forall g b mem, injective env fs m -> reads_own_cell env fs m g ->
  run_in_place V op e (address env m) (Program false b) (points fs) g mem
  = run_before V op e (address env m) (Program false b) (points fs) g mem.
Proof.
  intros g b mem I G. unfold run_in_place, run_before, run_program. simpl. apply in_place_before.
  - apply points_nodup.
  - intros x y X Y. apply I; apply points_spec; assumption.
  - intros x mem' X. apply G, points_spec, X.
  - reflexivity.
Qed.

(** 7.6.iii.  So what is right without initialising is right in place. *)
Theorem prop_7_6_iii_in_place : forall erases g b, injective env fs m -> reads_own_cell env fs m g ->
  correct op e erases (Program false b) env fs m dims ->
  right_in_place op e erases (Program false b) env fs m dims g.
Proof.
  intros erases g b I G C mem a D. rewrite prop_7_6_iii_in_place_same by assumption.
  apply (proj2 (prop_7_6_iii_read_before _ _ _ _ _ _ _ _ _) C), D.
Qed.

Hypothesis neutral_l : forall x, op e x = x.
Hypothesis wide : Forall (lt 1) fs.
Hypothesis map_fits : fits env fs m dims.
Hypothesis sizes : forall n, In n dims -> 1 <= n.

(** 7.6.iii.  The program that the two tests ask for together is right. *)
Theorem prop_7_6_iii_read_off_right : forall erases,
  correct op e erases (program_read_off erases fs m dims) env fs m dims.
Proof.
  pose proof (prop_7_6_i_injectiveb env fs m dims wide map_fits) as I.
  pose proof (prop_7_6_ii_surjectiveb env fs m dims wide map_fits sizes) as S.
  intros erases. unfold program_read_off, needs_init, needs_accumulation.
  destruct erases, (injectiveb fs m), (surjectiveb m dims); simpl;
    first [ intros f mem a _; rewrite run_body; reflexivity
          | apply bijective_write; intuition congruence
          | apply injective_write; intuition congruence ].
Qed.

(** 7.6.iii.  Read off the labels: where the tests ask for no initialising and there is no
    reduction axis, the program that they ask for is right in place. *)
Theorem prop_7_6_iii_in_place_read_off : forall erases g,
  injectiveb fs m = true -> needs_init erases fs m dims = false -> reads_own_cell env fs m g ->
  right_in_place op e erases (program_read_off erases fs m dims) env fs m dims g.
Proof.
  intros erases g I N G. pose proof (prop_7_6_iii_read_off_right erases) as C.
  unfold program_read_off in *. rewrite N in *.
  apply prop_7_6_iii_in_place; [|exact G | exact C].
  apply (prop_7_6_i_injectiveb env fs m dims wide map_fits), I.
Qed.

End InPlace.

(** * Where the printed statement fails: the target read in place *)

(** It is wrong for this content of the target, at this cell. *)
Ltac wrong_at mem a :=
  let H := fresh in intros H; specialize (H mem a ltac:(repeat constructor)); vm_compute in H; discriminate H.

(** F65.  x[i] =:+ x[i] + 1: initialising is not needed, does no harm if x is read before,
    and is wrong in place. *)
Theorem finding_f65_initialised :
  let fs := [2] in let m := [Iterator 0] in let dims := [2] in let env := fun _ => 0 in
  let g := fun mem x => mem (address env m x) + 1 in
  needs_init true fs m dims = false /\
  correct_before Nat.add 0 true (Program true Write) env fs m dims /\
  right_in_place Nat.add 0 true (Program false Write) env fs m dims g /\
  (forall b, ~ right_in_place Nat.add 0 true (Program true b) env fs m dims g).
Proof.
  cbv zeta. assert (W : Forall (lt 1) [2]) by repeat constructor.
  assert (F : fits (fun _ => 0) [2] [Iterator 0] [2]) by repeat constructor.
  assert (D : forall n, In n [2] -> 1 <= n) by (simpl; intuition lia).
  split; [reflexivity|]. split; [|split].
  - apply prop_7_6_iii_read_before, injective_write; [reflexivity|].
    apply (prop_7_6_i_injectiveb _ _ _ _ W F). reflexivity.
  - apply (prop_7_6_iii_in_place_read_off nat Nat.add 0 _ _ _ _ Nat.add_0_l W F D true); try reflexivity.
    exact (own_cell_same_map _ _ _ _ (fun _ v => v + 1)).
  - intros [|]; wrong_at (fun _ : list nat => 1) [0].
Qed.

(** F65.  x[i,i] =:+ x[i,i] + 1: initialising is required, and what it erases was to be
    read; so no program is right in place. *)
Theorem finding_f65_erased :
  let fs := [2] in let m := [Iterator 0; Iterator 0] in let dims := [2; 2] in let env := fun _ => 0 in
  let g := fun mem x => mem (address env m x) + 1 in
  reads_own_cell env fs m g /\
  initialisation_required Nat.add 0 true env fs m dims /\
  correct_before Nat.add 0 true (Program true Write) env fs m dims /\
  (forall P, ~ right_in_place Nat.add 0 true P env fs m dims g).
Proof.
  cbv zeta. assert (W : Forall (lt 1) [2]) by repeat constructor.
  assert (F : fits (fun _ => 0) [2] [Iterator 0; Iterator 0] [2; 2]) by repeat constructor.
  assert (D : forall n, In n [2; 2] -> 1 <= n) by (simpl; intuition lia).
  split; [|split; [|split]].
  - exact (own_cell_same_map _ _ _ _ (fun _ v => v + 1)).
  - apply (prop_7_6_iii_read_off nat Nat.add 0 1 Nat.add_0_l Nat.add_0_r ltac:(discriminate) _ _ _ _ W F D true).
    reflexivity.
  - apply prop_7_6_iii_read_before, injective_write; [reflexivity|].
    apply (prop_7_6_i_injectiveb _ _ _ _ W F). reflexivity.
  - intros [[|] b].
    + destruct b; wrong_at (fun _ : list nat => 1) [0; 0].
    + destruct b; wrong_at (fun _ : list nat => 1) [0; 1].
Qed.

(** F65.  x[i,j] =:+ x[j,i]: neither initialising nor accumulating is required, writing is
    right if x is read before, and no program is right in place. *)
Theorem finding_f65_transposed :
  let fs := [2; 2] in let m := [Iterator 0; Iterator 1] in let dims := [2; 2] in let env := fun _ => 0 in
  let g := fun mem x => mem (address env [Iterator 1; Iterator 0] x) in
  needs_init true fs m dims = false /\ needs_accumulation true fs m = false /\
  correct_before Nat.add 0 true (Program false Write) env fs m dims /\
  (forall P, ~ right_in_place Nat.add 0 true P env fs m dims g).
Proof.
  cbv zeta. assert (W : Forall (lt 1) [2; 2]) by repeat constructor.
  assert (F : fits (fun _ => 0) [2; 2] [Iterator 0; Iterator 1] [2; 2]) by repeat constructor.
  assert (D : forall n, In n [2; 2] -> 1 <= n) by (simpl; intuition lia).
  split; [reflexivity|]. split; [reflexivity|]. split.
  - apply prop_7_6_iii_read_before.
    exact (prop_7_6_iii_read_off_right nat Nat.add 0 _ _ _ _ Nat.add_0_l W F D true).
  - intros [[|] b].
    + destruct b; wrong_at (hd 0) [0; 1].
    + destruct b; wrong_at (hd 0) [1; 0].
Qed.

(** F65.  x[i,j] =+ x[j,i]: accumulating is right if x is read before, and no program is
    right in place. *)
Theorem finding_f65_kept :
  let fs := [2; 2] in let m := [Iterator 0; Iterator 1] in let dims := [2; 2] in let env := fun _ => 0 in
  let g := fun mem x => mem (address env [Iterator 1; Iterator 0] x) in
  correct_before Nat.add 0 false (Program false Accumulate) env fs m dims /\
  (forall P, ~ right_in_place Nat.add 0 false P env fs m dims g).
Proof.
  cbv zeta. split.
  - apply prop_7_6_iii_read_before. intros f mem a _. rewrite run_body. reflexivity.
  - intros [[|] b].
    + destruct b; wrong_at (hd 0) [0; 1].
    + destruct b; [wrong_at (hd 0) [1; 1] | wrong_at (hd 0) [1; 0]].
Qed.

(** F65.  x[0] =+ x[0], twice: each point reads the cell that it writes, and no program is
    right in place, for the map is not injective. *)
Theorem finding_f65_reduced :
  let fs := [2] in let m := [Given (Fix 0)] in let dims := [1] in let env := fun _ => 0 in
  let g := fun mem x => mem (address env m x) in
  reads_own_cell env fs m g /\
  correct_before Nat.add 0 false (Program false Accumulate) env fs m dims /\
  (forall P, ~ right_in_place Nat.add 0 false P env fs m dims g).
Proof.
  cbv zeta. split; [|split].
  - exact (own_cell_same_map _ _ _ _ (fun _ v => v)).
  - apply prop_7_6_iii_read_before. intros f mem a _. rewrite run_body. reflexivity.
  - intros [[|] [|]]; wrong_at (fun _ : list nat => 1) [0].
Qed.
