(** The classes are those of the closures. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Compat Projection Pass_thm Projection_thm Classes.
Import ListNotations.

Lemma position_found : forall (A : Type) (f : A -> bool) l x, In x l -> f x = true ->
  exists y, nth_error l (position f l) = Some y /\ f y = true.
Proof.
  intros A f l x. induction l as [|y l IH]; simpl; [tauto|]. intros I H.
  destruct (f y) eqn:E; [exists y; auto|]. apply IH; [|exact H].
  destruct I as [->|I]; [congruence | exact I].
Qed.

(** Thm. 7.4, for the list: same leader, pin and mark as the closures say. *)
Theorem thm_7_4_classes_reflect : forall axes E cs, classes axes E = Done cs ->
  let ps := map fst axes in
  length cs = length ps /\
  forall k p c, nth_error ps k = Some p -> nth_error cs k = Some c ->
    (forall i, class_pin c = Some i <-> pinned E p i) /\
    (class_iterated c = true <-> marked E p) /\
    (forall k' q d, nth_error ps k' = Some q -> nth_error cs k' = Some d ->
      (leader c = leader d <-> co_iterated E p q)).
Proof.
  intros axes E cs H ps. unfold classes in H. destruct (well_formedb axes E); [|discriminate].
  destruct (solve (size_in axes) E) as [st|f] eqn:S; [|discriminate]. injection H as <-.
  fold ps. split; [apply len_map|]. intros k p c P C.
  rewrite nth_error_map, P in C. injection C as <-. simpl. split; [|split].
  - apply (thm_7_4_pins _ _ _ S).
  - apply (thm_7_4_iterate_set _ _ _ S).
  - intros k' q d Q D. rewrite nth_error_map, Q in D. injection D as <-. simpl.
    pose proof (thm_7_4_partition _ _ _ S) as T. split.
    + intros L.
      destruct (position_found _ (same st p) ps p) as (y & Y & YP); [eapply nth_error_In; eauto | apply T, Co_refl|].
      destruct (position_found _ (same st q) ps q) as (z & Z & ZQ); [eapply nth_error_In; eauto | apply T, Co_refl|].
      rewrite L, Z in Y. injection Y as <-. apply T in YP, ZQ.
      eapply Co_trans; [exact YP | apply Co_sym, ZQ].
    + intros CO. apply position_ext. intros x. apply eq_true_iff_eq. rewrite !T. split; intros X.
      * eapply Co_trans; [apply Co_sym, CO | exact X].
      * eapply Co_trans; [exact CO | exact X].
Qed.

(** 7.4.  A failure has a reason, unless the question was no question. *)
Theorem thm_7_4_classes_failure : forall axes E f, classes axes E = Failed f ->
  f = Malformed /\ well_formedb axes E = false \/ explains (size_in axes) E f.
Proof.
  intros axes E f H. unfold classes in H. destruct (well_formedb axes E).
  - destruct (solve (size_in axes) E) as [st|g] eqn:S; [discriminate|]. injection H as <-.
    right. exact (thm_7_4_reason _ _ _ S).
  - injection H as <-. auto.
Qed.
