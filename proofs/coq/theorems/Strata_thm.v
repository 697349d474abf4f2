(** Conj. 8.2: the second stratum does not depend on any order. *)

From Coq Require Import List Bool Arith ZArith Permutation Lia.
From Lozenge Require Import Projection Pass_thm Projection_thm Labelling_thm Strata.
Import ListNotations.

Definition same_elements {A : Type} (l k : list A) : Prop := forall x, In x l <-> In x k.

Lemma nats_eqb_eq : forall l k, nats_eqb l k = true <-> l = k.
Proof.
  induction l as [|x l IH]; intros [|y k]; simpl; split; intros E; try discriminate; auto.
  - apply andb_true_iff in E as [A B]. apply Nat.eqb_eq in A as ->. apply IH in B as ->. reflexivity.
  - injection E as <- <-. rewrite Nat.eqb_refl. now apply IH.
Qed.

(** For what derived terms evaluate to, the test is equality. *)
Lemma label2_eqb_eq : forall sm pin it sz I ps t u,
  label2_eqb (evaluate sm pin it sz I ps t) (evaluate sm pin it sz I ps u) = true <->
  evaluate sm pin it sz I ps t = evaluate sm pin it sz I ps u.
Proof.
  intros sm pin it sz I ps [ts o|l] [us q|k]; simpl; split; intros E; try discriminate.
  - apply andb_true_iff in E as [A B]. apply nats_eqb_eq in A. apply Z.eqb_eq in B. congruence.
  - injection E as A B. apply andb_true_iff. split; [now apply nats_eqb_eq | now apply Z.eqb_eq].
  - apply nats_eqb_eq in E. congruence.
  - injection E as A. now apply nats_eqb_eq.
Qed.

Lemma existsb_ext : forall (A : Type) (f g : A -> bool) l k, (forall x, f x = g x) -> same_elements l k ->
  existsb f l = existsb g k.
Proof.
  intros A f g l k E S. apply bool_iff. rewrite !existsb_exists.
  split; intros (x & J & T); exists x; (split; [apply S; auto | congruence]).
Qed.

Lemma forallb_ext : forall (A : Type) (f g : A -> bool) l, (forall x, f x = g x) -> forallb f l = forallb g l.
Proof. intros A f g l E. induction l as [|x l IH]; simpl; [auto | now rewrite E, IH]. Qed.

(** * The same classes, the same terms in another order *)

Section Order.

Variables (sm sm' : pid -> pid -> bool) (pin pin' : pid -> option index) (it it' : pid -> bool).
Variables (sz : pid -> nat) (I J : indexed) (ps : list pid).
Hypothesis same_sm : forall p q, sm p q = sm' p q.
Hypothesis same_pin : forall p, pin p = pin' p.
Hypothesis same_it : forall p, it p = it' p.
Hypothesis same_terms : same_elements I J.

Lemma existsb_sm : forall p l, existsb (sm p) l = existsb (sm' p) l.
Proof. intros p l. apply existsb_ext; [auto | intros x; tauto]. Qed.

Lemma has_term_same : forall p, has_term sm I p = has_term sm' J p.
Proof. intros p. apply existsb_ext; auto. Qed.

Lemma moves_same : forall p, moves sm pin it sz I p = moves sm' pin' it' sz J p.
Proof.
  intros p. unfold moves. rewrite same_pin, same_it, has_term_same.
  assert (A : in_concat sm I p = in_concat sm' J p).
  { apply existsb_ext; [|auto]. intros [a [ts o|l]]; simpl; auto using existsb_sm. }
  assert (B : is_used sm I p = is_used sm' J p).
  { apply existsb_ext; [|auto]. intros h. apply existsb_sm. }
  now rewrite A, B.
Qed.

Lemma iterators2_same : iterators2 sm pin it sz I ps = iterators2 sm' pin' it' sz J ps.
Proof.
  unfold iterators2. rewrite (leaders_ext sm sm') by auto. f_equal. apply filter_ext. apply moves_same.
Qed.

Lemma number_same : forall p, number sm pin it sz I ps p = number sm' pin' it' sz J ps p.
Proof. intros p. unfold number. rewrite iterators2_same. now apply position_ext. Qed.

Lemma evaluate_same : forall t, evaluate sm pin it sz I ps t = evaluate sm' pin' it' sz J ps t.
Proof.
  intros [ts o|l]; simpl.
  - rewrite iterators2_same. f_equal.
    + apply map_ext. intros q. unfold factor. induction ts as [|x ts IH]; simpl; auto. now rewrite IH, same_sm.
    + unfold constant. induction ts as [|x ts IH]; simpl; auto. now rewrite IH, same_pin.
  - f_equal. apply map_ext. apply number_same.
Qed.

Lemma admissible_same : forall t, admissible sm pin I t = admissible sm' pin' J t.
Proof.
  intros t. unfold admissible.
  rewrite (forallb_ext _ (fun p => negb (has_term sm I p)) (fun p => negb (has_term sm' J p)))
    by (intros p; now rewrite has_term_same).
  f_equal. destruct t as [ts o|l].
  - apply forallb_ext. intros x. now rewrite same_pin.
  - f_equal; [apply forallb_ext; intros x; now rewrite same_pin|].
    induction l as [|p l IH]; simpl; [auto | now rewrite IH, existsb_sm].
Qed.

Lemma pin_fits_same : forall a t, pin_fits sm pin it sz I ps a t = pin_fits sm' pin' it' sz J ps a t.
Proof. intros a t. unfold pin_fits. now rewrite same_pin, evaluate_same. Qed.

End Order.

(** What the deferred checks come to: every term is admissible and fits its pin, and terms
    of one class are equal. *)
Definition checked (sm : pid -> pid -> bool) (pin : pid -> option index) (it : pid -> bool) (sz : pid -> nat)
    (I : indexed) (ps : list pid) : Prop :=
  (forall a t, In (a, t) I -> admissible sm pin I t = true /\ pin_fits sm pin it sz I ps a t = true) /\
  (forall a t b u, In (a, t) I -> In (b, u) I -> sm a b = true ->
     evaluate sm pin it sz I ps t = evaluate sm pin it sz I ps u).

Lemma deferred_iff : forall sm pin it sz I ps, (forall p q, sm p q = sm q p) ->
  deferred sm pin it sz I ps [] I = true <-> checked sm pin it sz I ps.
Proof.
  intros sm pin it sz I ps Sym.
  assert (G : forall l seen, deferred sm pin it sz I ps seen l = true <->
    (forall a t, In (a, t) l -> admissible sm pin I t = true /\ pin_fits sm pin it sz I ps a t = true) /\
    (forall a t b u, In (a, t) l -> In (b, u) (seen ++ l) -> sm a b = true ->
       evaluate sm pin it sz I ps t = evaluate sm pin it sz I ps u)).
  { induction l as [|[a t] l IH]; intros seen; simpl.
    - split; [intros _; split; intros; tauto | auto].
    - rewrite !andb_true_iff, IH, forallb_forall. split.
      + intros (((A & P) & S) & (Q1 & Q2)). split.
        * intros b u [E|K]; [injection E as <- <-; auto | auto].
        * intros b u c w [E|K] L M.
          -- injection E as <- <-. apply in_app_iff in L as [L|[E|L]].
             ++ specialize (S _ L). simpl in S. rewrite M in S. simpl in S. apply label2_eqb_eq in S. auto.
             ++ injection E as <- <-. auto.
             ++ symmetry. apply (Q2 c w a t L); [simpl; auto | now rewrite Sym].
          -- apply (Q2 b u c w K); [|exact M]. simpl. apply in_app_iff in L as [L|[E|L]]; auto;
               right; apply in_app_iff; auto.
      + intros (Q1 & Q2). split; [split; [apply Q1; auto|]|split].
        * intros [b u] K. simpl. destruct (sm a b) eqn:M; simpl; [|auto]. apply label2_eqb_eq. symmetry.
          apply (Q2 a t b u); auto. apply in_app_iff; auto.
        * intros b u K. apply Q1; auto.
        * intros b u c w K L M. apply (Q2 b u c w); auto. destruct L as [E|L]; [injection E as <- <-|].
          -- apply in_app_iff. simpl; auto.
          -- apply in_app_iff in L as [L|L]; apply in_app_iff; simpl; auto. }
  rewrite G. reflexivity.
Qed.

(** * Both strata *)

Lemma coupling_same : forall E F I J, same_equations E F -> same_elements I J ->
  same_equations (coupling E I) (coupling F J).
Proof.
  assert (H : forall E F I J, same_equations E F -> same_elements I J ->
    forall e, given (coupling E I) e -> given (coupling F J) e).
  { intros E F I J SE SI e G.
    assert (K : forall d, In d (coupling E I) -> given (coupling F J) d).
    { intros d D. unfold coupling in D. apply in_app_iff in D as [D|D].
      - apply filter_In in D as [D P]. destruct (proj1 (SE d) (or_introl D)) as [L|L]; [left | right];
          apply in_app_iff; left; apply filter_In; (split; [exact L|]); destruct d as [[p|i] [q|j]|q]; auto.
      - left. apply in_app_iff. right. apply in_flat_map in D as (h & Hh & D). apply in_flat_map. exists h.
        split; [now apply SI | exact D]. }
    destruct G as [G|G]; apply K in G; [exact G|].
    assert (FF : flip (flip e) = e) by (destruct e; reflexivity).
    destruct G as [G|G]; [right; exact G | left; now rewrite FF in G]. }
  intros E F I J SE SI e. split; apply H; auto; intros x; split; apply SE || apply SI.
Qed.

(** Pairs of ids, sizes all 1: coupling never fails. *)
Lemma coupling_succeeds : forall E I, exists k, solve (fun _ => 1) (coupling E I) = Done k.
Proof.
  intros E I. destruct (solve (fun _ => 1) (coupling E I)) as [k|f] eqn:S; [eauto|]. exfalso.
  assert (P : forall e, given (coupling E I) e -> exists p q, e = Eq (Proj p) (Proj q)).
  { assert (K : forall d, In d (coupling E I) -> exists p q, d = Eq (Proj p) (Proj q)).
    { intros d D. unfold coupling in D. apply in_app_iff in D as [D|D].
      - apply filter_In in D as [_ D]. destruct d as [[p|i] [q|j]|q]; try discriminate. eauto.
      - apply in_flat_map in D as ([a [ts o|[|p l]]] & _ & D); simpl in D; try tauto.
        apply in_map_iff in D as (q & <- & _). eauto. }
    intros e [G|G]; [auto|]. destruct (K _ G) as (p & q & E'). destruct e as [x y|x]; simpl in E'; [|discriminate].
    injection E' as -> ->. eauto. }
  destruct (proj1 (thm_7_4_fails_iff _ _) (ex_intro _ f S)) as [(p & q & _ & N)|[(p & i & j & (q & _ & G) & _)|(i & j & G & _)]].
  - auto.
  - destruct (P _ G) as (x & y & E'). discriminate.
  - destruct (P _ G) as (x & y & E'). discriminate.
Qed.

(** Coupled are the connected components of what concatenations join. *)
Theorem conj_8_2_coupling : forall E I k, solve (fun _ => 1) (coupling E I) = Done k ->
  forall p q, same k p q = true <-> co_iterated (coupling E I) p q.
Proof. intros E I k S. exact (thm_7_4_partition _ _ _ S). Qed.

Lemma well_formedb_same : forall axes E F, same_equations E F -> well_formedb axes E = well_formedb axes F.
Proof.
  assert (H : forall axes E F, same_equations E F -> well_formed axes E -> well_formed axes F).
  { intros axes E F S (A & B & C). split; [exact A | split; [exact B|]]. intros e p J K.
    destruct (proj2 (S e) (or_introl J)) as [L|L]; [apply (C e p L K)|].
    apply (C (flip e) p L). destruct e as [x y|x]; simpl in *; auto. rewrite in_app_iff in *. tauto. }
  intros axes E F S. apply bool_iff. rewrite !def_7_3_well_formedb.
  split; apply H; auto. intros e. split; apply S.
Qed.

Lemma known_ids_same : forall ps I J, same_elements I J -> known_ids ps I = known_ids ps J.
Proof.
  intros ps I J S. apply bool_iff. unfold known_ids. rewrite !forallb_forall.
  split; intros A h L; apply A, S, L.
Qed.

Lemma checked_same : forall sm sm' pin pin' it it' sz I J ps,
  (forall p q, sm p q = sm' p q) -> (forall p, pin p = pin' p) -> (forall p, it p = it' p) -> same_elements I J ->
  checked sm pin it sz I ps -> checked sm' pin' it' sz J ps.
Proof.
  intros sm sm' pin pin' it it' sz I J ps A B D S [C1 C2]. split.
  - intros a t K. apply S in K. destruct (C1 a t K) as [X Y].
    rewrite <- (admissible_same sm sm' pin pin' sz I J), <- (pin_fits_same sm sm' pin pin' it it' sz I J) by auto. auto.
  - intros a t b u K L M. apply S in K. apply S in L. rewrite <- A in M.
    rewrite <- !(evaluate_same sm sm' pin pin' it it' sz I J) by auto. eauto.
Qed.

(** Conj. 8.2: neither the order of the equations and their sides nor the order of the
    derived terms, nor repetitions of either, change the answer: both strata fail, or both
    give the same loops, labels and couplings. *)
Theorem conj_8_2 : forall axes E F I J, same_equations E F -> same_elements I J ->
  project2 axes E I = project2 axes F J.
Proof.
  intros axes E F I J SE SI. unfold project2.
  rewrite (well_formedb_same axes E F SE), (known_ids_same (map fst axes) I J SI).
  destruct (well_formedb axes F && known_ids (map fst axes) J); [|reflexivity].
  set (sz := size_in axes). set (ps := map fst axes).
  pose proof (thm_7_4_same_equations sz E F SE) as A.
  pose proof (thm_7_4_same_equations (fun _ => 1) _ _ (coupling_same E F I J SE SI)) as B.
  destruct (coupling_succeeds E I) as (k & Ek). destruct (coupling_succeeds F J) as (k' & Ek').
  rewrite Ek, Ek' in *. destruct B as (Bs & _).
  destruct (solve sz E) as [st|f] eqn:S, (solve sz F) as [st'|f'] eqn:S'; simpl in A; try tauto.
  destruct A as (As & Ap & Ai & _).
  assert (Sym : forall p q, same st p q = same st q p) by (apply same_sym).
  assert (Sym' : forall p q, same st' p q = same st' q p) by (apply same_sym).
  assert (D : deferred (same st) (pin_of st) (iterated st) sz I ps [] I =
              deferred (same st') (pin_of st') (iterated st') sz J ps [] J).
  { apply bool_iff. rewrite !deferred_iff by auto. split; apply checked_same; auto.
    intros x. split; apply SI. }
  rewrite <- D. destruct (deferred _ _ _ _ _ _ [] I) eqn:Df; [|reflexivity].
  rewrite <- (iterators2_same (same st) (same st') (pin_of st) (pin_of st') (iterated st) (iterated st') sz I J ps)
    by auto.
  apply deferred_iff in Df; [|exact Sym].
  f_equal. f_equal.
  - apply map_ext. intros p. f_equal. unfold label2_of.
    destruct (find (fun h => same st p (fst h)) I) as [[a t]|] eqn:Fi;
      destruct (find (fun h => same st' p (fst h)) J) as [[b u]|] eqn:Fj.
    + apply find_some in Fi as [Hi Mi]. apply find_some in Fj as [Hj Mj]. simpl in *.
      rewrite <- (evaluate_same (same st) (same st') (pin_of st) (pin_of st') (iterated st) (iterated st') sz I J) by auto.
      destruct Df as [_ Df]. apply (Df a t b u Hi); [now apply SI|].
      rewrite <- As in Mj. rewrite Sym in Mi. eapply same_trans; eauto.
    + apply find_some in Fi as [Hi Mi]. pose proof (find_none _ _ Fj (a, t) (proj1 (SI _) Hi)) as N. simpl in *.
      rewrite As in Mi. congruence.
    + apply find_some in Fj as [Hj Mj]. pose proof (find_none _ _ Fi (b, u) (proj2 (SI _) Hj)) as N. simpl in *.
      rewrite As in N. congruence.
    + rewrite Ap. destruct (pin_of st' p); [reflexivity|].
      rewrite (moves_same (same st) (same st') (pin_of st) (pin_of st') (iterated st) (iterated st') sz I J),
              (number_same (same st) (same st') (pin_of st) (pin_of st') (iterated st) (iterated st') sz I J) by auto.
      reflexivity.
  - apply map_ext. intros p. apply map_ext. intros q. apply Bs.
Qed.

(** In particular for permutations. *)
Theorem conj_8_2_permuted : forall axes E F I J, Permutation E F -> Permutation I J ->
  project2 axes E I = project2 axes F J.
Proof.
  intros axes E F I J P Q. apply conj_8_2; [now apply permutation_same_equations|].
  intros x. split; intros K; [eapply Permutation_in; eauto|].
  eapply Permutation_in; [apply Permutation_sym|]; eauto.
Qed.
