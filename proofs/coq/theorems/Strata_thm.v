(** Conj. 8.2: the second stratum does not depend on any order. *)

From Coq Require Import List Bool Arith ZArith Permutation Lia.
From Lozenge Require Import Projection Pass_thm Projection_thm Labelling_thm Strata.
Import ListNotations.

Lemma nats_eqb_eq : forall l k, nats_eqb l k = true <-> l = k.
Proof.
  intros l; induction l as [|x l IH]; intros [|y k]; simpl; split; intros E; try discriminate; auto.
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
  { intros l; induction l as [|[a t] l IH]; intros seen; simpl.
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

(** * Up to renaming *)

Section Names.

Variables (sm : pid -> pid -> bool) (pin : pid -> option index) (it : pid -> bool) (sz : pid -> nat).
Variables (I : indexed) (ps : list pid).
Hypothesis sm_refl : forall p, sm p p = true.
Hypothesis sm_sym : forall p q, sm p q = sm q p.
Hypothesis sm_trans : forall p q r, sm p q = true -> sm q r = true -> sm p r = true.
Hypothesis all_checked : checked sm pin it sz I ps.
Hypothesis known : known_ids ps I = true.

Notation output := (is_output2 sm pin it sz I ps).

Lemma named_cases : forall p, In p ps ->
  (exists a t, In (a, t) I /\ sm p a = true) \/ has_term sm I p = false.
Proof.
  intros p J. destruct (has_term sm I p) eqn:Ht; [left | auto].
  apply existsb_exists in Ht as ([a t] & K & M). eauto.
Qed.

Lemma term_not_plain : forall lab p a t s, output lab -> In p ps -> In (a, t) I -> sm p a = true ->
  lab p <> NPlain s.
Proof.
  intros lab p a [ts o|l] s O J K M E.
  - destruct (o2_affine _ _ _ _ _ _ _ O p a ts o J K M) as (k & L & _). congruence.
  - destruct (o2_concat _ _ _ _ _ _ _ O p a l J K M) as (ss & L & _). congruence.
Qed.

(** Whether a class has an iterator is the same in all outputs. *)
Lemma named_moves : forall lab p s, output lab -> In p ps -> lab p = NPlain (Iterator s) ->
  moves sm pin it sz I p = true.
Proof.
  intros lab p s O J E. destruct (named_cases p J) as [(a & t & K & M)|N].
  - now destruct (term_not_plain lab p a t _ O J K M E).
  - destruct (moves sm pin it sz I p) eqn:Mv; [auto|].
    rewrite (o2_other _ _ _ _ _ _ _ O p J N Mv) in E. discriminate.
Qed.

Definition name_is (s : nat) (x : named) : bool :=
  match x with NPlain (Iterator t) => s =? t | _ => false end.

Definition translate2 (lab lab' : pid -> named) (s : nat) : nat :=
  match find (fun p => name_is s (lab p)) ps with
  | Some p => match lab' p with NPlain (Iterator t) => t | _ => s end
  | None => s
  end.

Lemma translate2_iterator : forall lab lab', output lab -> output lab' -> forall p s, In p ps ->
  lab p = NPlain (Iterator s) -> lab' p = NPlain (Iterator (translate2 lab lab' s)).
Proof.
  intros lab lab' O O' p s J E. unfold translate2.
  destruct (find (fun q => name_is s (lab q)) ps) as [q|] eqn:Fd.
  - apply find_some in Fd as [K M].
    assert (Eq : lab q = NPlain (Iterator s)).
    { destruct (lab q) as [[t|i]|k c|l]; try discriminate. simpl in M. apply Nat.eqb_eq in M as ->. reflexivity. }
    destruct (o2_moves _ _ _ _ _ _ _ O' p J (named_moves lab p s O J E)) as (t & Tp).
    destruct (o2_moves _ _ _ _ _ _ _ O' q K (named_moves lab q s O K Eq)) as (u & Tq).
    rewrite Tq, Tp. f_equal. f_equal. apply (o2_classes _ _ _ _ _ _ _ O' p q t u J K Tp Tq).
    apply (o2_classes _ _ _ _ _ _ _ O p q s s J K E Eq). reflexivity.
  - pose proof (find_none _ _ Fd p J) as N. simpl in N. rewrite E in N. simpl in N. rewrite Nat.eqb_refl in N. discriminate.
Qed.

Lemma parts_known : forall a l q, In (a, Concat l) I -> In q l -> In q ps.
Proof.
  intros a l q K L. unfold known_ids in known. rewrite forallb_forall in known. specialize (known _ K).
  apply andb_true_iff in known as [_ P]. rewrite forallb_forall in P. apply memb_In, P, L.
Qed.

(** Two outputs differ by a bijection between the names of their iterators. *)
Lemma outputs_rename : forall lab lab', output lab -> output lab' ->
  let used := fun s => exists p, In p ps /\ lab p = NPlain (Iterator s) in
  (forall p, In p ps -> renames (translate2 lab lab') used (lab p) (lab' p)) /\
  (forall s, used s -> translate2 lab' lab (translate2 lab lab' s) = s).
Proof.
  intros lab lab' O O' used. pose proof (translate2_iterator lab lab' O O') as T.
  pose proof (translate2_iterator lab' lab O' O) as T'. split.
  - intros p J. destruct (named_cases p J) as [(a & t & K & M)|N].
    + destruct t as [ts o|l].
      * destruct (o2_affine _ _ _ _ _ _ _ O p a ts o J K M) as (k & -> & A).
        destruct (o2_affine _ _ _ _ _ _ _ O' p a ts o J K M) as (k' & -> & A').
        simpl. split; [auto|]. intros s (q & Q & E). rewrite (A q s Q E). apply A'; auto.
      * destruct (o2_concat _ _ _ _ _ _ _ O p a l J K M) as (ss & -> & A).
        destruct (o2_concat _ _ _ _ _ _ _ O' p a l J K M) as (ss' & -> & A'). simpl.
        assert (Kn : forall q, In q l -> In q ps) by (intros q; now apply (parts_known a l)).
        clear - A A' T Kn. revert ss' A'. induction A as [|q s l ss E A IH]; intros ss' A';
          inversion A' as [|q' s' l' ss2 E' A2]; subst; [reflexivity|]. simpl. f_equal.
        -- specialize (T q s (Kn q (or_introl eq_refl)) E). congruence.
        -- apply IH; auto. intros x X. apply Kn. simpl; auto.
    + destruct (moves sm pin it sz I p) eqn:Mv.
      * destruct (o2_moves _ _ _ _ _ _ _ O p J Mv) as (s & E). rewrite E, (T p s J E). reflexivity.
      * rewrite (o2_other _ _ _ _ _ _ _ O p J N Mv), (o2_other _ _ _ _ _ _ _ O' p J N Mv). reflexivity.
  - intros s (p & J & E). pose proof (T p s J E) as E'. pose proof (T' p _ J E') as E''. congruence.
Qed.

(** What the solver returns is an output. *)
Lemma number_of : forall p, In p ps -> moves sm pin it sz I p = true ->
  exists l, nth_error (iterators2 sm pin it sz I ps) (number sm pin it sz I ps p) = Some l /\ sm p l = true.
Proof.
  intros p J Mv. unfold number.
  destruct (leaders_cover sm sm_refl sm_sym sm_trans (filter (moves sm pin it sz I) ps) p) as (l & A & B).
  { apply filter_In. auto. }
  apply (position_found _ (sm p)). exists l. auto.
Qed.

Lemma sm_ext : forall p q, sm p q = true -> forall r, sm p r = sm q r.
Proof.
  intros p q M r. apply bool_iff. split; intros K; [|eapply sm_trans; eauto].
  eapply sm_trans; [|exact K]. now rewrite sm_sym.
Qed.

Lemma factor_ext : forall ts p q, sm p q = true -> factor sm ts p = factor sm ts q.
Proof.
  intros ts p q M. unfold factor. induction ts as [|x ts IH]; simpl; [auto|].
  now rewrite IH, (sm_ext p q M).
Qed.

Lemma has_no_term : forall p, has_term sm I p = false -> find (fun h => sm p (fst h)) I = None.
Proof.
  intros p N. destruct (find (fun h => sm p (fst h)) I) as [h|] eqn:Fd; [|auto].
  apply find_some in Fd as [K M]. assert (H : has_term sm I p = true) by (apply existsb_exists; eauto). congruence.
Qed.

Lemma moving_no_term : forall p, moves sm pin it sz I p = true -> has_term sm I p = false /\ pin p = None.
Proof.
  intros p Mv. unfold moves in Mv. destruct (pin p); [discriminate|]. apply andb_true_iff in Mv as [A _].
  apply negb_true_iff in A. auto.
Qed.

Lemma label2_moving : forall p, moves sm pin it sz I p = true ->
  label2_of sm pin it sz I ps p = Plain (Iterator (number sm pin it sz I ps p)).
Proof.
  intros p Mv. destruct (moving_no_term p Mv) as [N P]. unfold label2_of.
  now rewrite (has_no_term p N), P, Mv.
Qed.

Lemma label2_term : forall p a t, In (a, t) I -> sm p a = true ->
  label2_of sm pin it sz I ps p = evaluate sm pin it sz I ps t.
Proof.
  intros p a t K M. unfold label2_of. destruct (find (fun h => sm p (fst h)) I) as [[b u]|] eqn:Fd.
  - apply find_some in Fd as [L Q]. simpl in Q. destruct all_checked as [_ C]. apply (C b u a t); auto.
    rewrite sm_sym in Q. eapply sm_trans; eauto.
  - pose proof (find_none _ _ Fd (a, t) K) as N. simpl in N. congruence.
Qed.

Lemma label2_iterator : forall p s, In p ps -> named_of (label2_of sm pin it sz I ps p) = NPlain (Iterator s) ->
  moves sm pin it sz I p = true /\ s = number sm pin it sz I ps p.
Proof.
  intros p s J E. destruct (named_cases p J) as [(a & t & K & M)|N].
  - rewrite (label2_term p a t K M) in E. destruct t; discriminate.
  - unfold label2_of in E. rewrite (has_no_term p N) in E. destruct (pin p); [discriminate|].
    destruct (moves sm pin it sz I p); [|discriminate]. injection E as <-. auto.
Qed.

Lemma solver_output : output (fun p => named_of (label2_of sm pin it sz I ps p)).
Proof.
  split.
  - intros p a ts o J K M. rewrite (label2_term p a _ K M). simpl. eexists. split; [reflexivity|].
    intros q s Q E. apply label2_iterator in E as [Mv ->]; [|exact Q].
    destruct (number_of q Q Mv) as (l & Nl & Ml).
    rewrite (nth_error_nth _ _ 0 (map_nth_error (factor sm ts) _ _ Nl)). symmetry. now apply factor_ext.
  - intros p a l J K M. rewrite (label2_term p a _ K M). simpl. eexists. split; [reflexivity|].
    assert (Mv : forall q, In q l -> moves sm pin it sz I q = true).
    { intros q L. destruct all_checked as [C _]. destruct (C a (Concat l) K) as [A _]. unfold admissible in A.
      simpl in A. rewrite !andb_true_iff, !forallb_forall in A. destruct A as (A & (P & _)).
      specialize (A q L). specialize (P q L). unfold moves. destruct (pin q); [discriminate|]. rewrite A. simpl.
      apply orb_true_iff. left. apply existsb_exists. exists (a, Concat l). split; [exact K|]. simpl.
      apply existsb_exists. eauto. }
    clear - Mv. induction l as [|q l IH]; simpl; constructor.
    + rewrite (label2_moving q); [reflexivity | apply Mv; simpl; auto].
    + apply IH. intros x X. apply Mv. simpl; auto.
  - intros p J Mv. rewrite (label2_moving p Mv). simpl. eauto.
  - intros p J N Mv. unfold label2_of. rewrite (has_no_term p N). destruct (pin p); [reflexivity|]. now rewrite Mv.
  - intros p q s t J K E F. apply label2_iterator in E as [Mp ->]; [|exact J].
    apply label2_iterator in F as [Mq ->]; [|exact K]. split.
    + intros H. destruct (number_of p J Mp) as (l & X & Y). destruct (number_of q K Mq) as (k & X' & Y').
      rewrite H, X' in X. injection X as <-. rewrite sm_sym in Y'. eapply sm_trans; eauto.
    + intros H. unfold number. apply position_ext. now apply sm_ext.
Qed.
End Names.

(** Conj. 8.2: where both strata succeed, what they return is a labelling as the second
    stratum asks for, and every other differs by a bijection between the names of the
    iterators. *)
Theorem conj_8_2_unique : forall axes E I n, project2 axes E I = Some n -> exists st,
  solve (size_in axes) E = Done st /\
  let output := is_output2 (same st) (pin_of st) (iterated st) (size_in axes) I (map fst axes) in
  let lab := fun p => named_of (label2_of (same st) (pin_of st) (iterated st) (size_in axes) I (map fst axes) p) in
  labels2 n = map (fun p => (p, label2_of (same st) (pin_of st) (iterated st) (size_in axes) I (map fst axes) p))
                  (map fst axes) /\
  output lab /\
  forall lab', output lab' -> exists f g,
    let used := fun s => exists p, In p (map fst axes) /\ lab p = NPlain (Iterator s) in
    (forall p, In p (map fst axes) -> renames f used (lab p) (lab' p)) /\ (forall s, used s -> g (f s) = s).
Proof.
  intros axes E I n P. unfold project2 in P.
  destruct (well_formedb axes E && known_ids (map fst axes) I) eqn:W; [|discriminate].
  apply andb_true_iff in W as [_ Kn].
  destruct (solve (size_in axes) E) as [st|f] eqn:S; [|discriminate].
  destruct (solve (fun _ => 1) (coupling E I)) as [k|f]; [|discriminate].
  destruct (deferred _ _ _ _ _ _ [] I) eqn:D; [|discriminate]. injection P as <-.
  apply deferred_iff in D; [|apply same_sym].
  exists st. split; [auto | split; [reflexivity|]].
  assert (O : is_output2 (same st) (pin_of st) (iterated st) (size_in axes) I (map fst axes)
    (fun p => named_of (label2_of (same st) (pin_of st) (iterated st) (size_in axes) I (map fst axes) p))).
  { apply solver_output; auto using same_refl, same_sym. apply same_trans. }
  split; [exact O|]. intros lab' O'.
  destruct (outputs_rename _ _ _ _ _ _ Kn _ _ O O') as [A B]. eauto.
Qed.
