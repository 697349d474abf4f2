(** Def. 4.4: whatever the order, the queue loses nothing and adds nothing. *)

From Coq Require Import List Bool Arith NArith Permutation Lia.
From Lozenge Require Import Compat Queue.
Import ListNotations.

Section Queue_thm.
Context {A : Type}.
Implicit Types (q : queue A) (x : A) (s : strategy).

(** Only rounds keep things for later. *)
Definition proper s q : Prop := match s with Rounds => True | _ => q_later q = [] end.

Lemma proper_new : forall s items, proper s (@new_queue A s items).
Proof. intros [| | |seed] items; simpl; auto. Qed.

Lemma proper_push : forall s x q, proper s q -> proper s (push s x q).
Proof. intros [| | |seed] x q; simpl; auto. Qed.

Lemma proper_push_all : forall s xs q, proper s q -> proper s (push_all s xs q).
Proof.
  intros s xs; unfold push_all; induction xs as [|x xs IH]; intros q P; simpl; auto using proper_push.
Qed.

Lemma proper_push_now : forall s x q, proper s q -> proper s (push_now s x q).
Proof. intros [| | |seed] x [[y|] items later sd]; simpl; auto. Qed.

Lemma proper_change_all : forall s f q, proper s q -> proper s (change_all f q).
Proof. intros [| | |seed] f q; simpl; auto; intros ->; auto. Qed.

Lemma proper_pop : forall s q x q', proper s q -> pop s q = Some (x, q') -> proper s q'.
Proof.
  intros s [[y|] items later sd] x q' P E; unfold pop in E; simpl in *.
  - injection E as <- <-. exact P.
  - destruct s as [| | |seed]; simpl in *; auto; subst later.
    + destruct items as [|z items]; [discriminate|]. now injection E as <- <-.
    + destruct (rev items); [discriminate|]. now injection E as <- <-.
    + destruct items as [|z items]; [discriminate|].
      destruct (swap_remove _ _) as [[w rest]|]; [|discriminate]. now injection E as <- <-.
Qed.

Lemma waiting_new : forall s items, waiting (@new_queue A s items) = items.
Proof. intros s items. unfold waiting; simpl. apply app_nil_r. Qed.

Lemma waiting_push : forall s x q, Permutation (waiting (push s x q)) (waiting q ++ [x]).
Proof.
  intros s x [now items later sd]. unfold waiting. rewrite <- !app_assoc.
  destruct s; simpl; apply Permutation_app_head; rewrite <- ?app_assoc; try reflexivity;
    apply Permutation_app_head, Permutation_app_comm.
Qed.

Lemma waiting_push_all : forall s xs q, Permutation (waiting (push_all s xs q)) (waiting q ++ xs).
Proof.
  intros s xs; unfold push_all; induction xs as [|x xs IH]; intros q; simpl.
  - now rewrite app_nil_r.
  - rewrite IH, waiting_push, <- app_assoc. reflexivity.
Qed.

Lemma waiting_push_now : forall s x q, Permutation (waiting (push_now s x q)) (x :: waiting q).
Proof.
  intros s x [[y|] items later sd]; unfold waiting; simpl; [|reflexivity]. apply perm_skip.
  pose proof (waiting_push s y (Queue None items later sd)) as P. unfold waiting in P; simpl in P.
  transitivity ((items ++ later) ++ [y]); [|apply Permutation_sym, Permutation_cons_append].
  rewrite <- P. destruct s; simpl; reflexivity.
Qed.

Lemma waiting_change_all : forall f q, waiting (change_all f q) = map f (waiting q).
Proof. intros f [[y|] items later sd]; unfold waiting; simpl; now rewrite map_app. Qed.

Lemma removelast_rev : forall (l : list A) x xs, rev l = x :: xs -> l = removelast l ++ [x].
Proof.
  intros l x xs E. assert (N : l <> []) by (intros ->; discriminate).
  rewrite (app_removelast_last x N) at 1. f_equal. f_equal.
  pose proof (app_removelast_last x N) as R. rewrite R, rev_app_distr in E. simpl in E. congruence.
Qed.

Lemma swap_remove_permutation : forall i (l : list A) x rest,
  swap_remove i l = Some (x, rest) -> Permutation l (x :: rest).
Proof.
  intros i l x rest E. unfold swap_remove in E. rewrite <- (firstn_skipn i l) at 1.
  destruct (skipn i l) as [|y tl] eqn:S; [discriminate|].
  injection E as <- <-. rewrite <- Permutation_middle. apply perm_skip, Permutation_app_head.
  destruct (rev tl) as [|z zs] eqn:R.
  - apply (f_equal (@rev A)) in R. rewrite rev_involutive in R. now subst.
  - rewrite (removelast_rev tl z zs R) at 1. apply Permutation_sym, Permutation_cons_append.
Qed.

Lemma swap_remove_some : forall i (l : list A), i < length l -> swap_remove i l <> None.
Proof.
  intros i l H E. unfold swap_remove in E. destruct (skipn i l) as [|x tl] eqn:S; [|discriminate].
  apply (f_equal (@length A)) in S. rewrite len_skipn in S. simpl in S. lia.
Qed.

Lemma pop_permutation : forall s q x q', pop s q = Some (x, q') ->
  Permutation (waiting q) (x :: waiting q').
Proof.
  intros s [[y|] items later sd] x q' E; unfold pop in E; simpl in E.
  - injection E as <- <-. reflexivity.
  - destruct s as [| | |seed].
    + destruct items as [|z items]; [discriminate|]. injection E as <- <-. reflexivity.
    + destruct (rev items) as [|z zs] eqn:R; [discriminate|]. injection E as <- <-.
      unfold waiting; simpl. rewrite (removelast_rev items z zs R) at 1.
      rewrite <- app_assoc. simpl. apply Permutation_sym, Permutation_middle.
    + destruct items as [|z items].
      * unfold take_front in E. destruct (rev later) as [|w ws] eqn:R; [discriminate|].
        injection E as <- <-. unfold waiting; simpl. rewrite app_nil_r, <- R.
        apply Permutation_rev.
      * injection E as <- <-. reflexivity.
    + destruct items as [|z items]; [discriminate|].
      destruct (swap_remove _ _) as [[w rest]|] eqn:W; [|discriminate]. injection E as <- <-.
      apply swap_remove_permutation in W. unfold waiting; cbn [q_now q_items q_later].
      apply (Permutation_app_tail later W).
Qed.

Lemma pop_none : forall s q, proper s q -> pop s q = None -> waiting q = [].
Proof.
  intros s [[y|] items later sd] P E; unfold pop in E; simpl in E; [discriminate|].
  unfold waiting; simpl. destruct s as [| | |seed]; simpl in P; try subst later.
  - destruct items as [|z items]; [reflexivity | discriminate].
  - destruct (rev items) as [|z zs] eqn:R; [|discriminate].
    apply (f_equal (@rev A)) in R. rewrite rev_involutive in R. now subst.
  - destruct items as [|z items]; [|discriminate].
    unfold take_front in E. destruct (rev later) as [|w ws] eqn:R; [|discriminate].
    apply (f_equal (@rev A)) in R. rewrite rev_involutive in R. now subst.
  - destruct items as [|z items]; [reflexivity|]. exfalso.
    destruct (swap_remove _ _) as [[w rest]|] eqn:W; [discriminate|].
    apply swap_remove_some in W; auto.
    set (m := mixed (next_seed sd)). set (n := N.of_nat (length (z :: items))).
    assert (B : (m mod n < n)%N) by (apply N.mod_lt; subst n; simpl; discriminate).
    subst n. lia.
Qed.

(** What is taken was waiting. *)
Lemma pop_In : forall s q x q', pop s q = Some (x, q') -> In x (waiting q).
Proof.
  intros s q x q' E. apply pop_permutation in E.
  apply (Permutation_in x (Permutation_sym E)). now left.
Qed.

End Queue_thm.
