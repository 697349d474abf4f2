(** Thm. 7.4, Lemma 7.7(b), Thm. 7.8(2): what the solver computes, when it fails,
    and that neither order nor other operations matter. *)

From Coq Require Import List Bool Arith Lia Permutation.
From Lozenge Require Import Projection Pass_thm.
Import ListNotations.

(** * Thm. 7.4: closures *)

Theorem thm_7_4_partition : forall sz E st, solve sz E = Done st ->
  forall p q, same st p q = true <-> co_iterated E p q.
Proof. intros sz E st H. pose proof (solve_invariant sz E) as I. rewrite H in I. apply (inv_same _ _ _ I). Qed.

Theorem thm_7_4_pins : forall sz E st, solve sz E = Done st ->
  forall p i, pin_of st p = Some i <-> pinned E p i.
Proof. intros sz E st H. pose proof (solve_invariant sz E) as I. rewrite H in I. exact (inv_pin_of _ _ _ I). Qed.

Theorem thm_7_4_iterate_set : forall sz E st, solve sz E = Done st ->
  forall p, iterated st p = true <-> marked E p.
Proof. intros sz E st H. pose proof (solve_invariant sz E) as I. rewrite H in I. exact (inv_iterated _ _ _ I). Qed.

Theorem thm_7_4_fails_iff : forall sz E, (exists f, solve sz E = Failed f) <->
  size_conflict sz E \/ pin_conflict E \/ index_conflict E.
Proof.
  intros sz E. pose proof (solve_invariant sz E) as I. destruct (solve sz E) as [st|f].
  - split; [intros [f [=]] | intros C; destruct (invariant_no_conflict _ _ _ I C)].
  - split; [intros _; exact (explains_conflict _ _ _ I) | eauto].
Qed.

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

(** Nor do repetitions and the sides of Eq matter. *)
Theorem thm_7_4_same_equations : forall sz E F, same_equations E F ->
  match solve sz E, solve sz F with
  | Done st, Done st' =>
      (forall p q, same st p q = same st' p q) /\
      (forall p, pin_of st p = pin_of st' p) /\
      (forall p, iterated st p = iterated st' p) /\
      (forall ps, nest_of sz st ps = nest_of sz st' ps)
  | Failed _, Failed _ => True
  | _, _ => False
  end.
Proof.
  intros sz E F H. pose proof (thm_7_4_fails_iff sz E) as A. pose proof (thm_7_4_fails_iff sz F) as B.
  assert (C : conflict sz E <-> conflict sz F).
  { pose proof (same_equations_sym _ _ H) as H'.
    split; intros [X|[X|X]].
    1, 4: left. 3, 5: right; left. 5, 6: right; right.
    all: destruct X as (p & q & X).
    1, 2: exists p, q; destruct X; split; [eapply co_same_equations; eauto | auto].
    1, 2: destruct X as (j & X & Y & N); exists p, q, j;
          repeat split; [eapply pinned_same_equations; eauto | eapply pinned_same_equations; eauto | auto].
    all: exists p, q; destruct X; split; [apply H + apply H'; auto | auto]. }
  destruct (solve sz E) as [st|f] eqn:S, (solve sz F) as [st'|f'] eqn:S'; auto.
  - split; [eapply same_agree; eauto|]. split; [eapply pins_agree; eauto|].
    split; [eapply iterated_agree; eauto|]. intros ps. unfold nest_of.
    destruct (labels_agree _ _ _ _ _ ps H S S') as [-> L]. f_equal.
    apply map_ext. intros p. rewrite L. reflexivity.
  - destruct A as [_ A]. destruct (A (proj2 C (proj1 B (ex_intro _ _ eq_refl)))). discriminate.
  - destruct B as [_ B]. destruct (B (proj1 C (proj1 A (ex_intro _ _ eq_refl)))). discriminate.
Qed.

Theorem thm_7_4_order_independent : forall sz E F, Permutation E F ->
  match solve sz E, solve sz F with
  | Done st, Done st' =>
      (forall p q, same st p q = same st' p q) /\
      (forall p, pin_of st p = pin_of st' p) /\
      (forall p, iterated st p = iterated st' p) /\
      (forall ps, nest_of sz st ps = nest_of sz st' ps)
  | Failed _, Failed _ => True
  | _, _ => False
  end.
Proof. intros sz E F P. apply thm_7_4_same_equations, permutation_same_equations, P. Qed.

(** The paper's rules, word for word, do not check pins when classes merge. *)
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

(** * Labels *)

Section Leaders.

Variable eqv : pid -> pid -> bool.
Hypothesis eqv_refl : forall p, eqv p p = true.
Hypothesis eqv_sym : forall p q, eqv p q = eqv q p.
Hypothesis eqv_trans : forall p q r, eqv p q = true -> eqv q r = true -> eqv p r = true.

Lemma leaders_in : forall ps p, In p (leaders eqv ps) -> In p ps.
Proof.
  induction ps as [|q ps IH]; simpl; [tauto|]. intros p [H|H]; [auto|].
  apply filter_In in H as [H _]. auto.
Qed.

Lemma leaders_cover : forall ps p, In p ps -> exists l, In l (leaders eqv ps) /\ eqv p l = true.
Proof.
  induction ps as [|q ps IH]; simpl; [tauto|]. intros p [->|H].
  - exists p. auto.
  - destruct (IH p H) as (l & L & S). destruct (eqv q l) eqn:Q.
    + exists q. split; [auto|]. rewrite eqv_sym in Q. eauto.
    + exists l. split; [|exact S]. right. apply filter_In. rewrite Q. auto.
Qed.

(** No two leaders are in one class. *)
Definition apart : list pid -> Prop := ForallOrdPairs (fun p q => eqv p q = false).

Lemma apart_filter : forall f l, apart l -> apart (filter f l).
Proof.
  intros f l H. induction H as [|x l H K IH]; simpl; [constructor|]. destruct (f x); [|exact IH].
  constructor; [|exact IH]. apply Forall_forall. intros y Y. apply filter_In in Y as [Y _].
  rewrite Forall_forall in H. auto.
Qed.

Lemma leaders_apart : forall ps, apart (leaders eqv ps).
Proof.
  induction ps as [|q ps IH]; simpl; constructor.
  - apply Forall_forall. intros y Y. apply filter_In in Y as [_ Y]. apply negb_true_iff, Y.
  - apply apart_filter, IH.
Qed.

Lemma position_leader : forall L s l, apart L -> nth_error L s = Some l -> position (eqv l) L = s.
Proof.
  intros L s l H. revert s. induction H as [|x L H K IH]; intros s N; [destruct s; discriminate|].
  destruct s as [|s]; simpl in *.
  - injection N as ->. rewrite eqv_refl. reflexivity.
  - rewrite eqv_sym. rewrite Forall_forall in H. rewrite (H l) by (eapply nth_error_In; eauto).
    rewrite (IH s N). reflexivity.
Qed.

End Leaders.

Lemma position_found : forall A (f : A -> bool) l, (exists x, In x l /\ f x = true) ->
  exists x, nth_error l (position f l) = Some x /\ f x = true.
Proof.
  intros A f l. induction l as [|y l IH]; intros (x & I & F); simpl in *; [tauto|].
  destruct (f y) eqn:Y; [exists y; auto|]. apply IH. exists x. destruct I; [congruence | auto].
Qed.

Lemma same_refl : forall st p, same st p p = true.
Proof. intros. apply same_iff. reflexivity. Qed.

Lemma same_sym : forall st p q, same st p q = same st q p.
Proof. intros. apply Nat.eqb_sym. Qed.

Lemma same_trans : forall st p q r, same st p q = true -> same st q r = true -> same st p r = true.
Proof. intros st p q r. rewrite !same_iff. congruence. Qed.

Lemma same_ext : forall st p q, same st p q = true -> forall r, same st p r = same st q r.
Proof. intros st p q H r. apply same_iff in H. unfold same. rewrite H. reflexivity. Qed.

Lemma loops_iff : forall sz E st, solve sz E = Done st -> forall p, loops sz st p = true <-> looped sz E p.
Proof.
  intros sz E st S p. unfold loops, looped. pose proof (thm_7_4_pins _ _ _ S p) as P.
  destruct (pin_of st p) as [i|].
  - split; [discriminate|]. intros [N _]. destruct (N i). apply P. reflexivity.
  - rewrite andb_true_iff, Nat.ltb_lt, (thm_7_4_iterate_set _ _ _ S). split; [|tauto].
    intros [M L]. split; [|auto]. intros i I. apply P in I. discriminate.
Qed.

(** An id with an iterator: which, and of what size. *)
Lemma iterator_of : forall sz E st, solve sz E = Done st -> forall ps p, In p ps -> loops sz st p = true ->
  exists l, nth_error (iterators sz st ps) (position (same st p) (iterators sz st ps)) = Some l /\
            same st p l = true /\ sz p = sz l.
Proof.
  intros sz E st S ps p I L.
  destruct (leaders_cover (same st) (same_refl st) (same_sym st) (same_trans st) (filter (loops sz st) ps) p)
    as (l & A & B).
  { apply filter_In. auto. }
  destruct (position_found _ (same st p) (iterators sz st ps)) as (x & X & Y); [exists l; auto|].
  exists x. split; [exact X|]. split; [exact Y|].
  pose proof (solve_invariant sz E) as V. rewrite S in V.
  apply (inv_size _ _ _ V), (inv_same _ _ _ V), Y.
Qed.

Lemma label_looped : forall sz st ps p, loops sz st p = true ->
  label_of sz st ps p = Iterator (position (same st p) (iterators sz st ps)).
Proof.
  intros sz st ps p. unfold loops, label_of. destruct (pin_of st p); [discriminate|]. intros ->. reflexivity.
Qed.

Lemma label_iterator : forall sz st ps p s, label_of sz st ps p = Iterator s -> loops sz st p = true.
Proof.
  intros sz st ps p s. unfold loops, label_of. destruct (pin_of st p); [discriminate|].
  destruct (iterated st p && (1 <? sz p)); [reflexivity | discriminate].
Qed.

Definition numbered (fs : list nat) : list (nat * nat) := combine (seq 0 (length fs)) fs.

Lemma in_numbered : forall fs s n, In (s, n) (numbered fs) <-> nth_error fs s = Some n.
Proof.
  intros fs s n. unfold numbered.
  assert (G : forall k, In (s, n) (combine (seq k (length fs)) fs) <-> k <= s /\ nth_error fs (s - k) = Some n).
  { induction fs as [|x fs IH]; intros k; simpl.
    - split; [tauto|]. intros [_ H]. destruct (s - k); discriminate.
    - rewrite IH. split.
      + intros [[= <- <-]|[A B]]; [rewrite Nat.sub_diag; auto|].
        split; [lia|]. replace (s - k) with (S (s - S k)) by lia. exact B.
      + intros [A B]. destruct (Nat.eq_dec k s) as [->|N].
        * left. rewrite Nat.sub_diag in B. simpl in B. congruence.
        * right. split; [lia|]. replace (s - k) with (S (s - S k)) in B by lia. exact B. }
  rewrite (G 0), Nat.sub_0_r. split; [tauto|]. intros H. split; [lia | exact H].
Qed.

Lemma map_fst_combine : forall A B (l : list A) (k : list B), length l = length k -> map fst (combine l k) = l.
Proof. induction l as [|x l IH]; intros [|y k] H; simpl in *; try discriminate; auto. f_equal. auto. Qed.

(** What the solver returns is an output in the sense of Def. 7.3. *)
Theorem thm_7_4_output : forall sz E st ps, solve sz E = Done st ->
  is_output sz E ps (label_of sz st ps) (numbered (factors (nest_of sz st ps))).
Proof.
  intros sz E st ps S. pose proof (thm_7_4_pins _ _ _ S) as P. pose proof (loops_iff _ _ _ S) as L.
  split.
  - intros p i _ H. apply P in H. unfold label_of. rewrite H. reflexivity.
  - intros p _ H. apply L in H. eexists. apply label_looped, H.
  - intros p _ H K. unfold label_of. destruct (pin_of st p) as [i|] eqn:Q.
    + destruct (H i). apply P, Q.
    + destruct (iterated st p && (1 <? sz p)) eqn:B; [|reflexivity].
      destruct K. apply L. unfold loops. rewrite Q. exact B.
  - intros p q s t I J A B. rewrite <- (thm_7_4_partition _ _ _ S).
    pose proof (label_iterator _ _ _ _ _ A) as A'. pose proof (label_iterator _ _ _ _ _ B) as B'.
    rewrite label_looped in A, B by assumption. injection A as <-. injection B as <-. split.
    + intros H. destruct (iterator_of _ _ _ S ps p I A') as (l & X & Y & _).
      destruct (iterator_of _ _ _ S ps q J B') as (k & X' & Y' & _).
      rewrite H in X. rewrite X in X'. injection X' as <-. rewrite same_sym in Y'. eapply same_trans; eauto.
    + intros H. apply position_ext. apply same_ext, H.
  - unfold numbered. rewrite map_fst_combine by apply seq_length. apply seq_NoDup.
  - intros s n. rewrite in_numbered. simpl. split.
    + intros H. rewrite nth_error_map in H. destruct (nth_error _ s) as [l|] eqn:X; [|discriminate].
      injection H as <-. assert (I : In l (iterators sz st ps)) by (eapply nth_error_In; eauto).
      apply leaders_in, filter_In in I as [I K]. exists l. split; [exact I|]. split; [|reflexivity].
      rewrite label_looped by exact K. f_equal.
      apply position_leader; [apply same_refl | apply same_sym | apply leaders_apart | exact X].
    + intros (p & I & A & ->). pose proof (label_iterator _ _ _ _ _ A) as A'.
      rewrite label_looped in A by exact A'. injection A as <-.
      destruct (iterator_of _ _ _ S ps p I A') as (l & X & _ & Z).
      rewrite nth_error_map, X. simpl. congruence.
Qed.

(** * Uniqueness *)

Definition label_is (s : nat) (l : label) : bool :=
  match l with Iterator t => s =? t | Given _ => false end.

(** From the names of one output to those of another. *)
Definition translate (ps : list pid) (lab lab' : pid -> label) (s : nat) : nat :=
  match find (fun p => label_is s (lab p)) ps with
  | Some p => match lab' p with Iterator t => t | Given _ => s end
  | None => s
  end.

Lemma output_iterator : forall sz E ps lab P, is_output sz E ps lab P ->
  forall p s, In p ps -> lab p = Iterator s -> ~ ~ looped sz E p.
Proof.
  intros sz E ps lab P O p s I L N.
  assert (K : forall i, ~ pinned E p i) by (intros i H; rewrite (out_pinned _ _ _ _ _ O p i I H) in L; discriminate).
  rewrite (out_other _ _ _ _ _ O p I K N) in L. discriminate.
Qed.

(** Whether a class gets an iterator is the same in both. *)
Lemma outputs_iterate : forall sz E ps lab P lab' P', is_output sz E ps lab P -> is_output sz E ps lab' P' ->
  forall p s, In p ps -> lab p = Iterator s -> exists t, lab' p = Iterator t.
Proof.
  intros sz E ps lab P lab' P' O O' p s I L. destruct (lab' p) as [t|i] eqn:L'; [eauto|].
  exfalso. apply (output_iterator _ _ _ _ _ O p s I L). intros H.
  destruct (out_looped _ _ _ _ _ O' p I H) as [t T]. congruence.
Qed.

Lemma translate_iterator : forall sz E ps lab P lab' P', is_output sz E ps lab P -> is_output sz E ps lab' P' ->
  forall p s, In p ps -> lab p = Iterator s -> lab' p = Iterator (translate ps lab lab' s).
Proof.
  intros sz E ps lab P lab' P' O O' p s I L. unfold translate.
  destruct (find _ ps) as [q|] eqn:F.
  - apply find_some in F as [J M]. destruct (lab q) as [u|] eqn:Lq; [|discriminate].
    apply Nat.eqb_eq in M as <-.
    destruct (outputs_iterate _ _ _ _ _ _ _ O O' p s I L) as [t T].
    destruct (outputs_iterate _ _ _ _ _ _ _ O O' q s J Lq) as [u U].
    rewrite U, T. f_equal. apply (out_classes _ _ _ _ _ O' p q t u I J T U).
    apply (out_classes _ _ _ _ _ O p q s s I J L Lq). reflexivity.
  - pose proof (find_none _ _ F p I) as N. simpl in N. rewrite L in N. simpl in N.
    rewrite Nat.eqb_refl in N. discriminate.
Qed.

(** Two outputs for the same equations differ by a bijection between the names of
    their iterators, which keeps their sizes. *)
Theorem thm_7_4_unique : forall sz E st, solve sz E = Done st ->
  forall ps lab P lab' P',
  is_output sz E ps lab P -> is_output sz E ps lab' P' ->
  exists f g,
    (forall p, In p ps -> lab' p = rename f (lab p)) /\
    (forall s n, In (s, n) P -> In (f s, n) P' /\ g (f s) = s) /\
    (forall s n, In (s, n) P' -> In (g s, n) P /\ f (g s) = s).
Proof.
  intros sz E st S ps lab P lab' P' O O'.
  exists (translate ps lab lab'), (translate ps lab' lab).
  pose proof (translate_iterator _ _ _ _ _ _ _ O O') as T.
  pose proof (translate_iterator _ _ _ _ _ _ _ O' O) as T'.
  split; [|split].
  - intros p I. destruct (lab p) as [s|i] eqn:L; simpl; [auto|].
    destruct (lab' p) as [s|j] eqn:L'; [rewrite (T' p s I L') in L; discriminate|].
    destruct (pin_of st p) as [k|] eqn:Q.
    + apply (thm_7_4_pins _ _ _ S) in Q. apply (out_pinned _ _ _ _ _ O') in Q as K; [|exact I].
      apply (out_pinned _ _ _ _ _ O) in Q; [|exact I]. congruence.
    + assert (N : forall j, ~ pinned E p j).
      { intros k K. apply (thm_7_4_pins _ _ _ S) in K. congruence. }
      assert (M : ~ looped sz E p).
      { intros K. destruct (out_looped _ _ _ _ _ O p I K). congruence. }
      rewrite (out_other _ _ _ _ _ O' p I N M) in L'. rewrite (out_other _ _ _ _ _ O p I N M) in L.
      congruence.
  - intros s n H. apply (out_factors _ _ _ _ _ O) in H as (p & I & L & ->). split.
    + apply (out_factors _ _ _ _ _ O'). exists p. auto.
    + apply T in L as L'; [|exact I]. apply T' in L'; [|exact I]. congruence.
  - intros s n H. apply (out_factors _ _ _ _ _ O') in H as (p & I & L & ->). split.
    + apply (out_factors _ _ _ _ _ O). exists p. auto.
    + apply T' in L as L'; [|exact I]. apply T in L'; [|exact I]. congruence.
Qed.

(** * The whole pass, [project] *)

Lemma memb_In : forall p ps, memb p ps = true <-> In p ps.
Proof.
  intros p ps. unfold memb. rewrite existsb_exists. split.
  - intros (q & I & H). apply Nat.eqb_eq in H as ->. exact I.
  - intros I. exists p. rewrite Nat.eqb_refl. auto.
Qed.

Lemma distinctb_NoDup : forall ps, distinctb ps = true <-> NoDup ps.
Proof.
  induction ps as [|p ps IH]; simpl.
  - split; [constructor | reflexivity].
  - rewrite andb_true_iff, negb_true_iff, <- not_true_iff_false, memb_In, IH. split.
    + intros [A B]. constructor; auto.
    + intros H. inversion H; auto.
Qed.

Theorem def_7_3_well_formedb : forall axes E, well_formedb axes E = true <-> well_formed axes E.
Proof.
  intros axes E. unfold well_formedb, well_formed.
  rewrite !andb_true_iff, distinctb_NoDup, !forallb_forall. split.
  - intros [[A B] C]. split; [exact A|]. split.
    + intros p n I. apply Nat.leb_le, (B (p, n)), I.
    + intros e p I J. apply memb_In. specialize (C e I). rewrite forallb_forall in C. auto.
  - intros (A & B & C). split; [split; [exact A|]|].
    + intros [p n] I. apply Nat.leb_le. eauto.
    + intros e I. apply forallb_forall. intros p J. apply memb_In. eauto.
Qed.

Lemma project_Done : forall axes E n, project axes E = Done n ->
  well_formed axes E /\ exists st, solve (size_in axes) E = Done st /\
    n = nest_of (size_in axes) st (map fst axes).
Proof.
  intros axes E n. unfold project. destruct (well_formedb axes E) eqn:W; [|discriminate].
  apply def_7_3_well_formedb in W. destruct (solve _ E) as [st|f] eqn:S; [|discriminate].
  intros [= <-]. eauto.
Qed.

(** With the iterators numbered by the order of the axes, the output does not
    depend on the order of the equations at all. *)
Theorem thm_7_4_project_order : forall axes E F, Permutation E F ->
  forall n, project axes E = Done n <-> project axes F = Done n.
Proof.
  assert (H : forall axes E F, Permutation E F -> forall n, project axes E = Done n -> project axes F = Done n).
  { intros axes E F P n H. apply project_Done in H as (W & st & S & ->).
    assert (W' : well_formedb axes F = true).
    { apply def_7_3_well_formedb. destruct W as (A & B & C). split; [exact A|]. split; [exact B|].
      intros e p I. apply (C e p). eapply Permutation_in; [apply Permutation_sym, P | exact I]. }
    unfold project. rewrite W'. pose proof (thm_7_4_order_independent (size_in axes) E F P) as O.
    rewrite S in O. destruct (solve (size_in axes) F) as [st'|f]; [|tauto].
    destruct O as (_ & _ & _ & O). rewrite O. reflexivity. }
  intros axes E F P n. split; apply H; auto using Permutation_sym.
Qed.

Theorem thm_7_4_project_fails_iff : forall axes E, well_formed axes E ->
  ((exists f, project axes E = Failed f) <->
   size_conflict (size_in axes) E \/ pin_conflict E \/ index_conflict E).
Proof.
  intros axes E W. rewrite <- thm_7_4_fails_iff. apply def_7_3_well_formedb in W.
  unfold project. rewrite W. destruct (solve (size_in axes) E) as [st|f].
  - split; intros [f [=]].
  - split; intros _; eauto.
Qed.

(** * Lemma 7.7(b): locality *)

Lemma given_app : forall E F e, given (E ++ F) e <-> given E e \/ given F e.
Proof. intros E F e. unfold given. rewrite !in_app_iff. tauto. Qed.

Lemma given_ids : forall E e p, given E e -> In p (ids_of e) -> exists d, In d E /\ In p (ids_of d).
Proof.
  intros E e p [H|H] I; [eauto|]. exists (flip e). split; [exact H|].
  destruct e as [q r|q]; simpl in *; [|exact I]. rewrite in_app_iff in *. tauto.
Qed.

(** Whatever the other operations say, as long as they use other ids: the classes
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

Theorem thm_7_8_2_sizes : forall sz E st, solve sz E = Done st ->
  forall p q, same st p q = true -> sz p = sz q.
Proof.
  intros sz E st S p q H. pose proof (solve_invariant sz E) as I. rewrite S in I.
  apply (inv_size _ _ _ I), (inv_same _ _ _ I), H.
Qed.

(** The classes are an equivalence that contains the pairs of E, and lie in every
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

(** Two axes of the same size need not run together: sizes alone say nothing. *)
Theorem thm_7_8_2_strictly_finer : exists sz E st p q,
  solve sz E = Done st /\ sz p = sz q /\ same st p q = false.
Proof.
  exists (fun _ => 3), [Iter (Proj 0); Iter (Proj 1)]. eexists. exists 0, 1.
  split; [reflexivity|]. split; reflexivity.
Qed.
