(** Remark 2.15(iii), (iv). *)

From Coq Require Import PArith List Bool Arith.
From Lozenge Require Import Compat Dim Row Row_thm Rigid Rigid_thm Term Semantics Rules Rules_thm Solved Runs Closing
  Closing_thm Exact Placement_thm Einsum.
Import ListNotations.

Lemma left_marked_flat : forall g T, flat (left_marked g T) = flat (ground_r g T).
Proof. intros g T. rewrite flat_ground. reflexivity. Qed.

(** (iii) The convention changes no content; it puts the marker right after the
    declared leading axes, at the far left if there are none. *)
Theorem remark_2_15_iii : forall g T,
  left_marked g T ≈ ground_r g T /\ length (lead (left_marked g T)) = length (tlead T) /\
  (tlead T = [] -> left_marked g T = [] ·⋄· flat (ground_r g T)).
Proof.
  intros g T. split; [apply left_marked_flat | split].
  - simpl. apply len_map.
  - intros E. unfold left_marked. rewrite E. rewrite flat_ground, E. reflexivity.
Qed.

Lemma same_content_flat : forall g h, same_content g h -> forall R, flat (ground_r h R) = flat (ground_r g R).
Proof.
  intros g h (Hd & Hr) R. destruct (dims_same g h Hd) as [_ D2]. rewrite !flat_ground, !D2. f_equal. f_equal.
  destruct (tmid R) as [q|]; simpl; [apply Hr | auto].
Qed.

(** So the check looks at no marker of a variable of a template: only at those of
    tensors that stand above. *)
Theorem remark_2_15_iii_no_marker_choice : forall e g h, same_content g h ->
  (forall s, In s (operands e) -> ground_r h (tensor s) = ground_r g (tensor s)) ->
  (checks g e <-> checks h e).
Proof.
  intros e g h S O. pose proof (same_content_flat g h S) as Fl. destruct S as (Hd & Hr).
  destruct (dims_same g h Hd) as [_ D2].
  assert (L : forall T, left_marked h T = left_marked g T).
  { intros T. unfold left_marked. rewrite !D2. f_equal. f_equal.
    destruct (tmid T) as [q|]; simpl; [apply Hr | auto]. }
  unfold checks, oneshot; simpl. rewrite L, Fl. split; intros [A B]; split; auto; intros s I; specialize (B s I).
  - rewrite Fl, O; auto.
  - rewrite Fl, O in B; auto.
Qed.

(** (iv) An equality is both one-shot comparisons. *)
Theorem remark_2_15_iv_each : forall g R Q, holds g (REq R Q) <->
  Marked (ground_r g R) ⊑¹ Marked (ground_r g Q) /\ Marked (ground_r g Q) ⊑¹ Marked (ground_r g R).
Proof. intros g R Q. apply (def_3_4_three_formulations (ground_r g R) (ground_r g Q)). Qed.

(** The solutions of the equations pass the check. *)
Theorem remark_2_15_iv : forall e g, sol (equations e) g -> checks g e.
Proof.
  intros e g H. split.
  - assert (E : holds g (slot_equation (result e))) by (apply H; simpl; auto). simpl in E.
    apply (def_3_4_three_formulations (left_marked g (template (result e))) (ground_r g (tensor (result e)))).
    unfold flat_equiv in *. rewrite left_marked_flat. exact E.
  - intros s I. assert (E : holds g (slot_equation s)) by (apply H; simpl; right; now apply in_map).
    apply remark_2_15_iv_each in E. tauto.
Qed.

(** Not conversely: an operand of size 1∅ passes where the template has 3. *)
Theorem remark_2_15_iv_proper : (forall g, checks g example_2_15_iv) /\ ~ exists g, sol (equations example_2_15_iv) g.
Proof.
  split.
  - intros g. split.
    + apply remark_2_15_oneshotb. reflexivity.
    + intros s [<-|[]]. apply remark_2_15_oneshotb. reflexivity.
  - intros (g & H). assert (E : holds g (slot_equation (SlotRow (RTerm [] None [DConst Unit]) (RTerm [] None [DConst (num 3)]))))
      by (apply H; simpl; auto). discriminate E.
Qed.

(** What solving and closing give passes the check of every einsum of the input. *)
Theorem remark_2_15_iv_outputs : forall T cs C e, closes T cs C -> incl (equations e) cs ->
  checks (gamma_close C) e.
Proof.
  intros T cs C e K I. apply remark_2_15_iv. destruct (prop_6_2_closing_sound T cs C K) as (_ & S & _).
  intros c J. apply S, I, J.
Qed.
