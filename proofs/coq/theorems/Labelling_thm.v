(** Thm. 7.4: the output is an output, and unique up to the names of the iterators. *)

From Coq Require Import List Bool Arith Lia Permutation.
From Lozenge Require Import Compat Projection Pass_thm Projection_thm.
Import ListNotations.

(** * Labels *)

Section Leaders.

Variable eqv : pid -> pid -> bool.
Hypothesis eqv_refl : forall p, eqv p p = true.
Hypothesis eqv_sym : forall p q, eqv p q = eqv q p.
Hypothesis eqv_trans : forall p q r, eqv p q = true -> eqv q r = true -> eqv p r = true.

Lemma leaders_in : forall ps p, In p (leaders eqv ps) -> In p ps.
Proof.
  intros ps; induction ps as [|q ps IH]; simpl; [tauto|]. intros p [H|H]; [auto|].
  apply filter_In in H as [H _]. auto.
Qed.

Lemma leaders_cover : forall ps p, In p ps -> exists l, In l (leaders eqv ps) /\ eqv p l = true.
Proof.
  intros ps; induction ps as [|q ps IH]; simpl; [tauto|]. intros p [->|H].
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
  intros ps; induction ps as [|q ps IH]; simpl; constructor.
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
Proof. intros A B l; induction l as [|x l IH]; intros [|y k] H; simpl in *; try discriminate; auto. f_equal. auto. Qed.

(** 7.4.  What the solver returns is an output in the sense of Def. 7.3. *)
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
  - unfold numbered. rewrite map_fst_combine by apply len_seq. apply seq_NoDup.
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

(** 7.4.  Two outputs for the same equations differ by a bijection between the names of
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
  intros ps; induction ps as [|p ps IH]; simpl.
  - split; [constructor | reflexivity].
  - rewrite andb_true_iff, negb_true_iff, <- not_true_iff_false, memb_In, IH. split.
    + intros [A B]. constructor; auto.
    + intros H. inversion H; auto.
Qed.

(** 7.3.  The boolean test decides whether every id is listed once, with a size of at
    least 1. *)
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

(** 7.4.  With the iterators numbered by the order of the axes, the output does not
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
    unfold same_answer in O. rewrite S in O. destruct (solve (size_in axes) F) as [st'|f]; [|tauto].
    destruct O as (_ & _ & _ & O). rewrite O. reflexivity. }
  intros axes E F P n. split; apply H; auto using Permutation_sym.
Qed.

(** 7.4.  On well-formed input the whole pass fails iff there is one of the three
    conflicts. *)
Theorem thm_7_4_project_fails_iff : forall axes E, well_formed axes E ->
  ((exists f, project axes E = Failed f) <->
   size_conflict (size_in axes) E \/ pin_conflict E \/ index_conflict E).
Proof.
  intros axes E W. rewrite <- thm_7_4_fails_iff. apply def_7_3_well_formedb in W.
  unfold project. rewrite W. destruct (solve (size_in axes) E) as [st|f].
  - split; intros [f [=]].
  - split; intros _; eauto.
Qed.
