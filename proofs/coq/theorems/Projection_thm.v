(** Thm. 7.4, Lemma 7.7(b), Thm. 7.8(2): what the solver computes, when it fails,
    and that neither order nor other operations matter. *)

From Coq Require Import List Bool Arith Lia Permutation.
From Lozenge Require Import Projection Pass_thm.
Import ListNotations.

(** * Thm. 7.4: closures *)

(** 7.4.  On success two ids are in one class iff they are related by ≡, the least
    equivalence that contains the given pairs. *)
Theorem thm_7_4_partition : forall sz E st, solve sz E = Done st ->
  forall p q, same st p q = true <-> co_iterated E p q.
Proof. intros sz E st H. pose proof (solve_invariant sz E) as I. rewrite H in I. apply (inv_same _ _ _ I). Qed.

(** 7.4.  The pin of an id is what some id of its ≡-class was pinned at. *)
Theorem thm_7_4_pins : forall sz E st, solve sz E = Done st ->
  forall p i, pin_of st p = Some i <-> pinned E p i.
Proof. intros sz E st H. pose proof (solve_invariant sz E) as I. rewrite H in I. exact (inv_pin_of _ _ _ I). Qed.

(** 7.4.  An id is iterated iff some id of its ≡-class was marked. *)
Theorem thm_7_4_iterate_set : forall sz E st, solve sz E = Done st ->
  forall p, iterated st p = true <-> marked E p.
Proof. intros sz E st H. pose proof (solve_invariant sz E) as I. rewrite H in I. exact (inv_iterated _ _ _ I). Qed.

(** 7.4.  The solver fails iff some class has two sizes, or two different pins, or two
    given indices that should agree differ. *)
Theorem thm_7_4_fails_iff : forall sz E, (exists f, solve sz E = Failed f) <->
  size_conflict sz E \/ pin_conflict E \/ index_conflict E.
Proof.
  intros sz E. pose proof (solve_invariant sz E) as I. destruct (solve sz E) as [st|f].
  - split; [intros [f [=]] | intros C; destruct (invariant_no_conflict _ _ _ I C)].
  - split; [intros _; exact (explains_conflict _ _ _ I) | eauto].
Qed.

(** 7.4.  The conflict that it reports is one of the equations. *)
Theorem thm_7_4_reason : forall sz E f, solve sz E = Failed f -> explains sz E f.
Proof. intros sz E f H. pose proof (solve_invariant sz E) as I. rewrite H in I. exact I. Qed.

(** * Order *)

Lemma permutation_same_equations : forall E F, Permutation E F -> same_equations E F.
Proof.
  intros E F P e. unfold given.
  split; intros [H|H]; [left|right|left|right]; (eapply Permutation_in; [|exact H]); auto using Permutation_sym.
Qed.

Lemma bool_iff : forall b c, (b = true <-> c = true) -> b = c.
Proof. intros [] [] H; auto; [symmetry|]; apply H; reflexivity. Qed.

Lemma pins_agree : forall sz E F st st', same_equations E F -> solve sz E = Done st -> solve sz F = Done st' ->
  forall p, pin_of st p = pin_of st' p.
Proof.
  intros sz E F st st' H S S' p.
  pose proof (thm_7_4_pins _ _ _ S p) as A. pose proof (thm_7_4_pins _ _ _ S' p) as B.
  pose proof (pinned_same_equations E F H p) as C.
  destruct (pin_of st p) as [i|].
  - symmetry. apply B, C, A. reflexivity.
  - destruct (pin_of st' p) as [i|]; [|reflexivity]. apply A, C, B. reflexivity.
Qed.

Lemma same_agree : forall sz E F st st', same_equations E F -> solve sz E = Done st -> solve sz F = Done st' ->
  forall p q, same st p q = same st' p q.
Proof.
  intros sz E F st st' H S S' p q. apply bool_iff.
  rewrite (thm_7_4_partition _ _ _ S), (thm_7_4_partition _ _ _ S'). apply co_same_equations, H.
Qed.

Lemma iterated_agree : forall sz E F st st', same_equations E F -> solve sz E = Done st -> solve sz F = Done st' ->
  forall p, iterated st p = iterated st' p.
Proof.
  intros sz E F st st' H S S' p. apply bool_iff.
  rewrite (thm_7_4_iterate_set _ _ _ S), (thm_7_4_iterate_set _ _ _ S'). apply marked_same_equations, H.
Qed.

Lemma leaders_ext : forall f g ps, (forall p q, f p q = g p q) -> leaders f ps = leaders g ps.
Proof.
  intros f g ps H. induction ps as [|p ps IH]; simpl; [reflexivity|].
  rewrite IH. f_equal. apply filter_ext. intros q. rewrite H. reflexivity.
Qed.

Lemma position_ext : forall A (f g : A -> bool) l, (forall x, f x = g x) -> position f l = position g l.
Proof. intros A f g l H. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite H, IH. reflexivity. Qed.

Lemma labels_agree : forall sz E F st st' ps, same_equations E F -> solve sz E = Done st -> solve sz F = Done st' ->
  iterators sz st ps = iterators sz st' ps /\ forall p, label_of sz st ps p = label_of sz st' ps p.
Proof.
  intros sz E F st st' ps H S S'.
  assert (L : iterators sz st ps = iterators sz st' ps).
  { unfold iterators. rewrite (leaders_ext (same st) (same st')) by (eapply same_agree; eauto).
    f_equal. apply filter_ext. intros p. unfold loops.
    rewrite (pins_agree _ _ _ _ _ H S S'), (iterated_agree _ _ _ _ _ H S S'). reflexivity. }
  split; [exact L|]. intros p. unfold label_of.
  rewrite (pins_agree _ _ _ _ _ H S S'), (iterated_agree _ _ _ _ _ H S S'), L.
  rewrite (position_ext _ (same st p) (same st' p)); [reflexivity|].
  intros q. eapply same_agree; eauto.
Qed.

(** 7.4.  Nor do repetitions and the sides of Eq matter. *)
Theorem thm_7_4_same_equations : forall sz E F, same_equations E F ->
  same_answer sz (solve sz E) (solve sz F).
Proof.
  intros sz E F H. unfold same_answer.
  pose proof (thm_7_4_fails_iff sz E) as A. pose proof (thm_7_4_fails_iff sz F) as B.
  assert (C : conflict sz E <-> conflict sz F) by (split; apply conflict_mono; intros e; apply H).
  destruct (solve sz E) as [st|f] eqn:S, (solve sz F) as [st'|f'] eqn:S'; auto.
  - split; [eapply same_agree; eauto|]. split; [eapply pins_agree; eauto|].
    split; [eapply iterated_agree; eauto|]. intros ps. unfold nest_of.
    destruct (labels_agree _ _ _ _ _ ps H S S') as [-> L]. f_equal.
    apply map_ext. intros p. rewrite L. reflexivity.
  - destruct A as [_ A]. destruct (A (proj2 C (proj1 B (ex_intro _ _ eq_refl)))). discriminate.
  - destruct B as [_ B]. destruct (B (proj1 C (proj1 A (ex_intro _ _ eq_refl)))). discriminate.
Qed.

(** 7.4.  In particular, two lists that differ by a permutation do. *)
Theorem thm_7_4_order_independent : forall sz E F, Permutation E F ->
  same_answer sz (solve sz E) (solve sz F).
Proof. intros sz E F P. apply thm_7_4_same_equations, permutation_same_equations, P. Qed.

(** 7.3.  The paper's rules, word for word, do not check pins when classes merge. *)
Theorem finding_7_3_unchecked_merge :
  let sz := fun _ => 2 in
  let E := [Eq (Proj 0) (Sol (Fix 0)); Eq (Proj 1) (Sol (Fix 1)); Eq (Proj 0) (Proj 1)] in
  let F := [Eq (Proj 0) (Sol (Fix 0)); Eq (Proj 0) (Proj 1); Eq (Proj 1) (Sol (Fix 1))] in
  Permutation E F /\ pin_conflict E /\
  (exists st, solve_unchecked sz E = Done st) /\
  (exists f, solve_unchecked sz F = Failed f).
Proof.
  simpl. split; [apply perm_skip, perm_swap|]. split.
  - exists 0, (Fix 0), (Fix 1). split; [|split; [|discriminate]].
    + exists 0. split; [apply Co_refl | left; simpl; auto].
    + exists 1. split; [apply Co_pair; left; simpl; auto | left; simpl; auto].
  - split; eexists; reflexivity.
Qed.

(** * Lemma 7.7(b): locality *)

Lemma given_app : forall E F e, given (E ++ F) e <-> given E e \/ given F e.
Proof. intros E F e. unfold given. rewrite !in_app_iff. tauto. Qed.

Lemma given_ids : forall E e p, given E e -> In p (ids_of e) -> exists d, In d E /\ In p (ids_of d).
Proof.
  intros E e p [H|H] I; [eauto|]. exists (flip e). split; [exact H|].
  destruct e as [q r|q]; simpl in *; [|exact I]. rewrite in_app_iff in *. tauto.
Qed.

(** 7.7.b.  Whatever the other operations say, as long as they use other ids: the classes
    of this operation's ids, their pins and their marks are the same. *)
Theorem lemma_7_7_b : forall E F,
  (forall d e p, In d E -> In e F -> In p (ids_of d) -> ~ In p (ids_of e)) ->
  forall p, (exists d, In d E /\ In p (ids_of d)) ->
  (forall q, co_iterated (E ++ F) p q <-> co_iterated E p q) /\
  (forall i, pinned (E ++ F) p i <-> pinned E p i) /\
  (marked (E ++ F) p <-> marked E p).
Proof.
  intros E F A.
  set (here := fun p => exists d, In d E /\ In p (ids_of d)).
  assert (M : forall e, given E e -> given (E ++ F) e) by (intros; apply given_app; auto).
  assert (X : forall e p, here p -> In p (ids_of e) -> given (E ++ F) e -> given E e).
  { intros e p (d & D & I) J G. apply given_app in G as [G|G]; [exact G|].
    destruct (given_ids _ _ _ G J) as (d' & D' & J'). destruct (A d d' p D D' I J'). }
  assert (C : forall p q, co_iterated (E ++ F) p q -> here p \/ here q -> co_iterated E p q /\ here p /\ here q).
  { intros p q H. induction H as [p q G|p|p q H IH|p q r H IH K IK].
    - intros B. assert (G' : given E (Eq (Proj p) (Proj q))).
      { destruct B as [B|B]; apply (X _ _ B); simpl; auto. }
      split; [apply Co_pair, G'|].
      split; apply (given_ids _ _ _ G'); simpl; auto.
    - intros B. split; [apply Co_refl | tauto].
    - intros B. destruct IH as (I & J & K); [tauto|]. eauto using Co_sym.
    - intros [B|B].
      + destruct IH as (I & _ & J); [auto|]. destruct IK as (I' & _ & J'); [auto|]. eauto using Co_trans.
      + destruct IK as (I & J & _); [auto|]. destruct IH as (I' & J' & _); [auto|]. eauto using Co_trans. }
  intros p B. split; [|split].
  - intros q. split; [|apply co_mono, M]. intros H. apply C; auto.
  - intros i. split; [|apply pinned_mono, M]. intros (q & H & G).
    destruct (C _ _ H) as (H' & _ & B'); [auto|]. exists q. split; [exact H'|]. eapply X; eauto. simpl; auto.
  - split; [|apply marked_mono, M]. intros (q & H & G).
    destruct (C _ _ H) as (H' & _ & B'); [auto|]. exists q. split; [exact H'|]. eapply X; eauto. simpl; auto.
Qed.

(** * Thm. 7.8(2) *)

(** 7.8.2.  Ids of one class have the same size. *)
Theorem thm_7_8_2_sizes : forall sz E st, solve sz E = Done st ->
  forall p q, same st p q = true -> sz p = sz q.
Proof.
  intros sz E st S p q H. pose proof (solve_invariant sz E) as I. rewrite S in I.
  apply (inv_size _ _ _ I), (inv_same _ _ _ I), H.
Qed.

(** 7.8.2.  The classes are an equivalence that contains the pairs of E, and lie in every
    other such equivalence. *)
Theorem thm_7_8_2_least : forall sz E st, solve sz E = Done st ->
  (forall p, same st p p = true) /\
  (forall p q, same st p q = true -> same st q p = true) /\
  (forall p q r, same st p q = true -> same st q r = true -> same st p r = true) /\
  (forall p q, given E (Eq (Proj p) (Proj q)) -> same st p q = true) /\
  (forall R : pid -> pid -> Prop,
     (forall p, R p p) -> (forall p q, R p q -> R q p) -> (forall p q r, R p q -> R q r -> R p r) ->
     (forall p q, given E (Eq (Proj p) (Proj q)) -> R p q) ->
     forall p q, same st p q = true -> R p q).
Proof.
  intros sz E st S. pose proof (thm_7_4_partition _ _ _ S) as P.
  split; [apply same_refl|]. split; [intros p q; rewrite same_sym; auto|]. split; [apply same_trans|].
  split; [intros p q G; apply P, Co_pair, G|].
  intros R rf sy tr H p q C. apply P in C. exact (co_least E R rf sy tr H p q C).
Qed.

(** 7.8.2.  Two axes of the same size need not run together: sizes alone say nothing. *)
Theorem thm_7_8_2_strictly_finer : exists sz E st p q,
  solve sz E = Done st /\ sz p = sz q /\ same st p q = false.
Proof.
  exists (fun _ => 3), [Iter (Proj 0); Iter (Proj 1)]. eexists. exists 0, 1.
  split; [reflexivity|]. split; reflexivity.
Qed.
