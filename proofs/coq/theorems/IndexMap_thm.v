(** Def. 7.5, Prop. 7.6 and Thm. 7.8(1): index maps. *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Compat Projection Pass_thm Projection_thm Labelling_thm IndexMap.
Import ListNotations.

(** * Points and lists *)

Lemma Forall2_length : forall A B (R : A -> B -> Prop) l k, Forall2 R l k -> length l = length k.
Proof. intros A B R l k H. induction H; simpl; congruence. Qed.

Lemma Forall2_nth_error : forall A B (R : A -> B -> Prop) l k, Forall2 R l k ->
  forall i x, nth_error l i = Some x -> exists y, nth_error k i = Some y /\ R x y.
Proof.
  intros A B R l k H. induction H as [|x y l k H K IH]; intros [|i] z N; simpl in *; try discriminate.
  - injection N as <-. eauto.
  - eauto.
Qed.

Lemma Forall2_nth_error_r : forall A B (R : A -> B -> Prop) l k, Forall2 R l k ->
  forall i y, nth_error k i = Some y -> exists x, nth_error l i = Some x /\ R x y.
Proof.
  intros A B R l k H. induction H as [|x y l k H K IH]; intros [|i] z N; simpl in *; try discriminate.
  - injection N as <-. eauto.
  - eauto.
Qed.

Lemma Forall2_by_nth : forall A B (R : A -> B -> Prop) l k, length l = length k ->
  (forall i x y, nth_error l i = Some x -> nth_error k i = Some y -> R x y) -> Forall2 R l k.
Proof.
  intros A B R. intros l; induction l as [|x l IH]; intros [|y k] L H; simpl in L; try discriminate; constructor.
  - apply (H 0); reflexivity.
  - apply IH; [lia|]. intros i. apply (H (S i)).
Qed.

Lemma nth_of_error : forall A (l : list A) i x d, nth_error l i = Some x -> nth i l d = x.
Proof. intros A l i x d H. apply nth_error_nth with (1 := H). Qed.

(** The point or address that is f(i) at i. *)
Definition tabulate (f : nat -> nat) (n : nat) : list nat := map f (seq 0 n).

Lemma nth_error_tabulate : forall f n i, i < n -> nth_error (tabulate f n) i = Some (f i).
Proof.
  intros f n i H. unfold tabulate. rewrite nth_error_map.
  rewrite (nth_error_nth' (seq 0 n) 0) by (rewrite len_seq; exact H).
  rewrite seq_nth by exact H. reflexivity.
Qed.

Lemma tabulate_below : forall f ns, (forall i n, nth_error ns i = Some n -> f i < n) ->
  Forall2 lt (tabulate f (length ns)) ns.
Proof.
  intros f ns H. apply Forall2_by_nth.
  - unfold tabulate. rewrite len_map, len_seq. reflexivity.
  - intros i x y X Y. assert (i < length ns) by (apply nth_error_Some; congruence).
    rewrite nth_error_tabulate in X by assumption. injection X as <-. auto.
Qed.

Lemma value_fits : forall env fs x l n, in_product x fs -> label_fits env fs l n -> value env x l < n.
Proof.
  intros env fs x [j|[c|s]] n P H; simpl in *; auto.
  destruct (Forall2_nth_error_r _ _ _ _ _ P _ _ H) as (v & V & L).
  rewrite (nth_of_error _ _ _ _ 0 V). exact L.
Qed.

(** Every address that a fitting map gives is in the domain. *)
Lemma address_in_domain : forall env fs m dims, fits env fs m dims ->
  forall x, in_product x fs -> in_domain (address env m x) dims.
Proof.
  intros env fs m dims F x P. unfold in_domain, address.
  induction F as [|l n m dims H F IH]; simpl; constructor; auto.
  eapply value_fits; eauto.
Qed.

Lemma nth_error_address : forall env m x k l, nth_error m k = Some l ->
  nth_error (address env m x) k = Some (value env x l).
Proof. intros env m x k l H. unfold address. rewrite nth_error_map, H. reflexivity. Qed.

(** * Def. 7.5 *)

Lemma is_iterator_iff : forall j l, is_iterator j l = true <-> l = Iterator j.
Proof.
  intros j [k|i]; simpl; [|split; discriminate]. rewrite Nat.eqb_eq. split; congruence.
Qed.

Lemma mentions_iff : forall j m, existsb (is_iterator j) m = true <-> In (Iterator j) m.
Proof.
  intros j m. rewrite existsb_exists. split.
  - intros (l & I & H). apply is_iterator_iff in H as ->. exact I.
  - intros I. exists (Iterator j). split; [exact I|]. apply is_iterator_iff. reflexivity.
Qed.

(** 7.5.  The function lists exactly the reduction axes. *)
Theorem def_7_5_reductions : forall fs m j, In j (reductions fs m) <-> reduction fs m j.
Proof.
  intros fs m j. unfold reductions, reduction.
  rewrite filter_In, in_seq, negb_true_iff, <- not_true_iff_false, mentions_iff. intuition lia.
Qed.

(** A point with one coordinate changed. *)
Definition set_at (j v : nat) (x : list nat) : list nat :=
  tabulate (fun i => if i =? j then v else nth i x 0) (length x).

Lemma nth_set_at : forall j v x i, i < length x -> nth i (set_at j v x) 0 = if i =? j then v else nth i x 0.
Proof. intros j v x i H. apply nth_of_error. unfold set_at. rewrite nth_error_tabulate by exact H. reflexivity. Qed.

Lemma set_at_product : forall j v x fs n, in_product x fs -> nth_error fs j = Some n -> v < n ->
  in_product (set_at j v x) fs.
Proof.
  intros j v x fs n P J V. unfold in_product, set_at. rewrite (Forall2_length _ _ _ _ _ P). apply tabulate_below.
  intros i k K. destruct (Nat.eqb_spec i j) as [->|]; [congruence|].
  destruct (Forall2_nth_error_r _ _ _ _ _ P _ _ K) as (u & U & L).
  rewrite (nth_of_error _ _ _ _ 0 U). exact L.
Qed.

Lemma in_product_length : forall x fs, in_product x fs -> length x = length fs.
Proof. intros x fs. apply Forall2_length. Qed.

Lemma origin : forall fs, Forall (lt 1) fs -> in_product (tabulate (fun _ => 0) (length fs)) fs.
Proof.
  intros fs H. apply tabulate_below. intros i n N. apply nth_error_In in N.
  rewrite Forall_forall in H. specialize (H _ N). lia.
Qed.

Lemma address_ext : forall env m x y, (forall l, In l m -> value env x l = value env y l) ->
  address env m x = address env m y.
Proof. intros env m x y H. apply map_ext_in, H. Qed.

(** Changing a coordinate that the map does not mention. *)
Lemma address_set_at : forall env m fs j v x, in_product x fs -> ~ In (Iterator j) m ->
  (forall k, In (Iterator k) m -> k < length fs) -> address env m (set_at j v x) = address env m x.
Proof.
  intros env m fs j v x P N K. apply address_ext. intros [k|[c|s]] I; simpl; auto.
  rewrite nth_set_at by (rewrite (in_product_length _ _ P); auto).
  destruct (Nat.eqb_spec k j) as [->|]; [destruct (N I) | reflexivity].
Qed.

Lemma fits_iterator : forall env fs m dims, fits env fs m dims -> forall k, In (Iterator k) m -> k < length fs.
Proof.
  intros env fs m dims F k I. apply In_nth_error in I as [i I].
  destruct (Forall2_nth_error _ _ _ _ _ F _ _ I) as (n & _ & L). simpl in L.
  apply nth_error_Some. congruence.
Qed.

(** 7.5.  A loop is a reduction axis exactly if the address never depends on it. *)
Theorem def_7_5_independent : forall env fs m dims, Forall (lt 1) fs -> fits env fs m dims ->
  forall j n, nth_error fs j = Some n ->
  (reduction fs m j <->
   forall x v, in_product x fs -> v < n -> address env m (set_at j v x) = address env m x).
Proof.
  intros env fs m dims G F j n J. assert (L : j < length fs) by (apply nth_error_Some; congruence). split.
  - intros [_ N] x v P V. eapply address_set_at; eauto using fits_iterator.
  - intros H. split; [exact L|]. intros I. pose proof (origin fs G) as O.
    assert (B : 1 < n) by (rewrite Forall_forall in G; eapply G, nth_error_In; eauto).
    specialize (H _ 1 O B). apply In_nth_error in I as [k K].
    apply (nth_error_address env) with (x := set_at j 1 (tabulate (fun _ => 0) (length fs))) in K as A.
    apply (nth_error_address env) with (x := tabulate (fun _ => 0) (length fs)) in K.
    rewrite H, K in A. injection A as A. simpl in A.
    rewrite nth_set_at in A by (rewrite (in_product_length _ _ O); exact L).
    rewrite Nat.eqb_refl in A. rewrite (nth_of_error _ _ _ 0) in A; [discriminate|].
    apply nth_error_tabulate, L.
Qed.

(** * Prop. 7.6(i) *)

(** 7.6.i.  An index map is injective iff every iterator occurs in it. *)
Theorem prop_7_6_i : forall env fs m dims, Forall (lt 1) fs -> fits env fs m dims ->
  (injective env fs m <-> forall j, j < length fs -> In (Iterator j) m).
Proof.
  intros env fs m dims G F. split.
  - intros H j J. destruct (existsb (is_iterator j) m) eqn:B; [apply mentions_iff, B|].
    apply not_true_iff_false in B. rewrite mentions_iff in B. exfalso.
    destruct (nth_error fs j) as [n|] eqn:N; [|apply nth_error_None in N; lia].
    assert (L : 1 < n) by (rewrite Forall_forall in G; eapply G, nth_error_In; eauto).
    pose proof (origin fs G) as O. set (x := tabulate (fun _ => 0) (length fs)) in *.
    assert (E : set_at j 1 x = x).
    { apply H; [eapply set_at_product; eauto | exact O |]. eapply address_set_at; eauto using fits_iterator. }
    apply (f_equal (fun y => nth j y 0)) in E.
    rewrite nth_set_at in E by (rewrite (in_product_length _ _ O); exact J).
    rewrite Nat.eqb_refl in E. rewrite (nth_of_error _ x j 0) in E; [discriminate|].
    apply nth_error_tabulate, J.
  - intros H x y X Y E. pose proof (in_product_length _ _ X) as LX. pose proof (in_product_length _ _ Y) as LY.
    apply nth_ext with (d := 0) (d' := 0); [congruence|]. intros j J. rewrite LX in J.
    specialize (H j J). apply In_nth_error in H as [k K].
    apply (nth_error_address env) with (x := x) in K as A. apply (nth_error_address env) with (x := y) in K.
    rewrite E, K in A. injection A as A. simpl in A. auto.
Qed.

(** 7.6.i.  That is, iff there is no reduction axis. *)
Theorem prop_7_6_i_no_reduction : forall env fs m dims, Forall (lt 1) fs -> fits env fs m dims ->
  (injective env fs m <-> forall j, ~ reduction fs m j).
Proof.
  intros env fs m dims G F. rewrite (prop_7_6_i env fs m dims G F). split.
  - intros H j [J N]. auto.
  - intros H j J. destruct (existsb (is_iterator j) m) eqn:B; [apply mentions_iff, B|].
    apply not_true_iff_false in B. rewrite mentions_iff in B. destruct (H j). split; auto.
Qed.

(** 7.6.i.  The boolean test on labels decides injectivity. *)
Theorem prop_7_6_i_injectiveb : forall env fs m dims, Forall (lt 1) fs -> fits env fs m dims ->
  (injectiveb fs m = true <-> injective env fs m).
Proof.
  intros env fs m dims G F. rewrite (prop_7_6_i_no_reduction env fs m dims G F).
  pose proof (def_7_5_reductions fs m) as R. unfold injectiveb. destruct (reductions fs m) as [|j l].
  - split; [|reflexivity]. intros _ j J. apply R in J. exact J.
  - split; [discriminate|]. intros H. destruct (H j). apply R. simpl; auto.
Qed.

(** * Prop. 7.6(ii) *)

Lemma wide_labels_spec : forall m dims l, length m = length dims ->
  (In l (wide_labels m dims) <-> exists k n, nth_error m k = Some l /\ nth_error dims k = Some n /\ 1 < n).
Proof.
  intros m dims l L. unfold wide_labels. rewrite in_map_iff. split.
  - intros ([l' n] & <- & I). apply filter_In in I as [I B]. simpl in B. apply Nat.ltb_lt in B.
    apply In_nth_error in I as [k K]. simpl. exists k, n.
    revert dims L k K. induction m as [|a m IH]; intros [|d dims] L [|k] K; simpl in *; try discriminate.
    + injection K as -> ->. auto.
    + apply (IH dims); [lia | exact K].
  - intros (k & n & A & B & C). exists (l, n). split; [reflexivity|]. apply filter_In.
    split; [|apply Nat.ltb_lt, C]. clear C.
    revert dims L k A B. induction m as [|a m IH]; intros [|d dims] L [|k] A B; simpl in *; try discriminate.
    + left. congruence.
    + right. apply (IH dims) with (k := k); auto.
Qed.

(** 7.6.ii.  It is surjective iff every axis of size > 1 has an iterator, and no two of
    them the same. *)
Theorem prop_7_6_ii : forall env fs m dims, Forall (lt 1) fs -> fits env fs m dims ->
  (forall n, In n dims -> 1 <= n) ->
  (surjective env fs m dims <-> all_iterate m dims /\ none_shared m dims).
Proof.
  intros env fs m dims G F D. split.
  - intros H. assert (Z : forall k n v, nth_error dims k = Some n -> v < n ->
      exists x, in_product x fs /\
        address env m x = tabulate (fun i => if i =? k then v else 0) (length dims)).
    { intros k n v K V. apply H, tabulate_below. intros i d I.
      destruct (Nat.eqb_spec i k) as [->|]; [congruence|]. apply nth_error_In in I. specialize (D _ I). lia. }
    split.
    + intros k n K N. destruct (Forall2_nth_error_r _ _ _ _ _ F _ _ K) as (l & L & _).
      destruct l as [j|i]; [eauto|]. exfalso.
      assert (C : exists c, forall x, value env x (Given i) = c) by (destruct i; simpl; eauto).
      destruct C as [c C].
      destruct (Z k n (if c =? 0 then 1 else 0) K) as (x & _ & A); [destruct (c =? 0); lia|].
      apply (nth_error_address env) with (x := x) in L. rewrite A in L.
      rewrite nth_error_tabulate, Nat.eqb_refl in L by (apply nth_error_Some; congruence).
      rewrite C in L. injection L as L. destruct (Nat.eqb_spec c 0); lia.
    + intros k k' j n n' K N K' N' J J'. destruct (Nat.eq_dec k k') as [|X]; [assumption|]. exfalso.
      destruct (Z k n 1 K N) as (x & _ & A).
      apply (nth_error_address env) with (x := x) in J, J'. rewrite A in J, J'.
      rewrite nth_error_tabulate in J, J' by (apply nth_error_Some; congruence).
      rewrite Nat.eqb_refl in J. destruct (Nat.eqb_spec k' k); congruence.
  - intros [W U] a A.
    set (x := tabulate (fun j => nth (position (is_iterator j) m) a 0) (length fs)).
    exists x. split.
    + apply tabulate_below. intros j n J.
      assert (B : 1 < n) by (rewrite Forall_forall in G; eapply G, nth_error_In; eauto).
      destruct (existsb (is_iterator j) m) eqn:M.
      * apply existsb_exists in M. apply position_found in M as (l & L & I).
        apply is_iterator_iff in I as ->.
        destruct (Forall2_nth_error _ _ _ _ _ F _ _ L) as (d & K & I). simpl in I.
        destruct (Forall2_nth_error_r _ _ _ _ _ A _ _ K) as (v & V & I').
        rewrite (nth_of_error _ _ _ _ 0 V). congruence.
      * rewrite nth_overflow; [lia|]. rewrite (Forall2_length _ _ _ _ _ A), <- (Forall2_length _ _ _ _ _ F).
        clear - M. induction m as [|l m IH]; simpl in *; [lia|].
        destruct (is_iterator j l); [discriminate|]. specialize (IH M). lia.
    + apply nth_ext with (d := 0) (d' := 0).
      { unfold address. rewrite len_map, (Forall2_length _ _ _ _ _ F), (Forall2_length _ _ _ _ _ A). reflexivity. }
      unfold address at 1. rewrite len_map. intros k K.
      destruct (nth_error m k) as [l|] eqn:L; [|apply nth_error_None in L; lia].
      rewrite (nth_of_error _ _ _ _ 0 (nth_error_address env m x k l L)).
      destruct (Forall2_nth_error _ _ _ _ _ F _ _ L) as (n & N & I).
      destruct (Forall2_nth_error_r _ _ _ _ _ A _ _ N) as (v & V & B).
      rewrite (nth_of_error _ _ _ _ 0 V). destruct l as [j|i].
      * simpl in *. assert (J : j < length fs) by (apply nth_error_Some; congruence).
        assert (C : 1 < n) by (rewrite Forall_forall in G; eapply G, nth_error_In; eauto).
        unfold x. rewrite (nth_of_error _ _ _ _ 0 (nth_error_tabulate _ _ _ J)).
        destruct (position_found _ (is_iterator j) m) as (l & L' & M).
        { exists (Iterator j). split; [eapply nth_error_In; eauto | apply is_iterator_iff; reflexivity]. }
        apply is_iterator_iff in M as ->.
        destruct (Forall2_nth_error _ _ _ _ _ F _ _ L') as (n' & N' & I'). simpl in I'.
        rewrite I in I'. injection I' as <-.
        rewrite (U _ _ j n n N' C N C L' L). apply nth_of_error, V.
      * assert (n <= 1).
        { destruct (Nat.leb_spec n 1) as [|C]; [assumption|]. destruct (W k n N C) as [j J]. congruence. }
        destruct i as [c|s]; simpl in *; lia.
Qed.

Lemma surjectiveb_iff : forall m dims, length m = length dims ->
  (surjectiveb m dims = true <-> all_iterate m dims /\ none_shared m dims).
Proof.
  intros m. induction m as [|l m IH]; intros [|n dims] L; simpl in L; try discriminate.
  - unfold surjectiveb, all_iterate, none_shared; simpl. split; [|reflexivity].
    intros _. split; intros [|k]; discriminate.
  - assert (A : all_iterate (l :: m) (n :: dims) <-> (1 < n -> exists j, l = Iterator j) /\ all_iterate m dims).
    { split.
      - intros H. split; [|intros k; apply (H (S k))].
        intros N. destruct (H 0 n eq_refl N) as [j J]. injection J as ->. eauto.
      - intros [H K] [|k] d D N; simpl in *; [|eauto]. injection D as <-. destruct (H N) as [j ->]. eauto. }
    assert (B : none_shared (l :: m) (n :: dims) <->
      (1 < n -> forall j, l = Iterator j -> ~ In (Iterator j) (wide_labels m dims)) /\ none_shared m dims).
    { split.
      - intros H. split.
        + intros N j -> I. apply wide_labels_spec in I as (k & d & M & D & K); [|lia].
          discriminate (H 0 (S k) j n d eq_refl N D K eq_refl M).
        + intros k k' j d d' D N D' N' J J'.
          assert (X := H (S k) (S k') j d d' D N D' N' J J'). congruence.
      - intros [H K] [|k] [|k'] j d d' D N D' N' J J'; simpl in *; auto.
        + injection D as <-. injection J as ->. exfalso. apply (H N j eq_refl), wide_labels_spec; [lia|]. eauto.
        + injection D' as <-. injection J' as ->. exfalso. apply (H N' j eq_refl), wide_labels_spec; [lia|]. eauto.
        + f_equal. exact (K k k' j d d' D N D' N' J J'). }
    rewrite A, B. specialize (IH dims ltac:(lia)). unfold surjectiveb, wide_labels in *. simpl.
    destruct (Nat.ltb_spec 1 n) as [N|N]; simpl.
    + destruct l as [j|i].
      * rewrite andb_true_iff, negb_true_iff, <- not_true_iff_false, mentions_iff, IH. split.
        -- intros (X & Y & Z). repeat split; eauto. intros _ k [= <-]. exact X.
        -- intros ((_ & Y) & X & Z). split; [apply X; auto | auto].
      * split; [discriminate|]. intros ((X & _) & _). destruct (X N). discriminate.
    + rewrite IH. split; [intros (Y & Z) | tauto]. repeat split; auto; intros; lia.
Qed.

(** 7.6.ii.  The boolean test on labels decides surjectivity. *)
Theorem prop_7_6_ii_surjectiveb : forall env fs m dims, Forall (lt 1) fs -> fits env fs m dims ->
  (forall n, In n dims -> 1 <= n) ->
  (surjectiveb m dims = true <-> surjective env fs m dims).
Proof.
  intros env fs m dims G F D. rewrite (prop_7_6_ii env fs m dims G F D).
  apply surjectiveb_iff, (Forall2_length _ _ _ _ _ F).
Qed.

(** * Thm. 7.8(1) *)

Lemma lookup_map : forall A (d : A) (f : pid -> A) ps p, In p ps ->
  lookup d (map (fun p => (p, f p)) ps) p = f p.
Proof.
  intros A d f ps p. induction ps as [|q ps IH]; simpl; [tauto|].
  destruct (Nat.eqb_spec p q) as [->|N]; [auto|]. intros [->|H]; [congruence | auto].
Qed.

Lemma size_in_pos : forall axes E, well_formed axes E -> forall p, 1 <= size_in axes p.
Proof.
  intros axes E (_ & H & _) p. unfold size_in. induction axes as [|[q n] axes IH]; simpl; [lia|].
  destruct (p =? q); [apply (H q); simpl; auto|]. apply IH. intros r k I. apply (H r). simpl; auto.
Qed.

Lemma factors_wide : forall axes E n, project axes E = Done n -> Forall (lt 1) (factors n).
Proof.
  intros axes E n H. apply project_Done in H as (W & st & S & ->). simpl.
  apply Forall_forall. intros k K. apply in_map_iff in K as (p & <- & I).
  apply leaders_in, filter_In in I as [_ I]. unfold loops in I. destruct (pin_of st p); [discriminate|].
  apply andb_true_iff in I as [_ I]. apply Nat.ltb_lt, I.
Qed.

(** 7.8.1.  Each component: an iterator runs over an axis of its own size, a fixed or
    external index is inside its axis. *)
Theorem thm_7_8_1_components : forall axes E n env, project axes E = Done n ->
  in_range env (size_in axes) E ->
  forall tensor, incl tensor (map fst axes) ->
  fits env (factors n) (index_map n tensor) (map (size_in axes) tensor).
Proof.
  intros axes E n env H R tensor T. apply project_Done in H as (W & st & S & ->).
  pose proof (size_in_pos _ _ W) as pos.
  unfold fits, index_map. induction tensor as [|p tensor IH]; simpl; constructor.
  - assert (I : In p (map fst axes)) by (apply T; simpl; auto).
    rewrite lookup_map by exact I. unfold label_of.
    pose proof (thm_7_4_pins _ _ _ S p) as P.
    destruct (pin_of st p) as [i|] eqn:Q.
    + destruct (proj1 (P i) eq_refl) as (q & C & G).
      apply (thm_7_4_partition _ _ _ S), (thm_7_8_2_sizes _ _ _ S) in C. rewrite C.
      specialize (R q i G). destruct i; exact R.
    + destruct (iterated st p && (1 <? size_in axes p)) eqn:B; [|simpl; apply pos].
      assert (L : loops (size_in axes) st p = true) by (unfold loops; rewrite Q; exact B).
      destruct (iterator_of _ _ _ S _ _ I L) as (l & X & _ & Z). simpl. rewrite nth_error_map, X. simpl. congruence.
  - apply IH. intros q Q. apply T. simpl; auto.
Qed.

(** 7.8.1.  So at every point of the product space every tensor is addressed within its
    sizes. *)
Theorem thm_7_8_1 : forall axes E n env, project axes E = Done n ->
  in_range env (size_in axes) E ->
  forall tensor, incl tensor (map fst axes) ->
  forall x, in_product x (factors n) ->
  in_domain (address env (index_map n tensor) x) (map (size_in axes) tensor).
Proof.
  intros axes E n env H R tensor T x P. eapply address_in_domain; [|exact P].
  eapply thm_7_8_1_components; eauto.
Qed.

(** 7.6.ii.  Both, for the maps that the solver gives. *)
Theorem prop_7_6_project : forall axes E n env, project axes E = Done n ->
  in_range env (size_in axes) E ->
  forall lhs, incl lhs (map fst axes) ->
  let m := index_map n lhs in
  let dims := map (size_in axes) lhs in
  (injectiveb (factors n) m = true <-> injective env (factors n) m) /\
  (surjectiveb m dims = true <-> surjective env (factors n) m dims).
Proof.
  intros axes E n env H R lhs L m dims.
  pose proof (factors_wide _ _ _ H) as G. pose proof (thm_7_8_1_components _ _ _ _ H R lhs L) as F.
  split; [eapply prop_7_6_i_injectiveb; eauto|]. apply prop_7_6_ii_surjectiveb; auto.
  intros d D. apply in_map_iff in D as (p & <- & _).
  apply project_Done in H as (W & _). apply (size_in_pos _ _ W).
Qed.
