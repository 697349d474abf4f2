(** Prop. 7.6(iii): when an assignment must accumulate, and when it must initialise. *)

From Coq Require Import List Bool Arith Lia Permutation.
From Lozenge Require Import Projection Pass_thm Projection_thm Labelling_thm IndexMap IndexMap_thm Assignment.
Import ListNotations.

(** * The points of the product space *)

Lemma nodup_app : forall A (l k : list A), NoDup l -> NoDup k -> (forall x, In x l -> ~ In x k) -> NoDup (l ++ k).
Proof.
  intros A l k L K H. induction L as [|x l N L IH]; simpl; [exact K|]. constructor.
  - rewrite in_app_iff. intros [I|I]; [exact (N I)|]. apply (H x); simpl; auto.
  - apply IH. intros y Y. apply H. simpl; auto.
Qed.

Lemma points_spec : forall fs x, In x (points fs) <-> in_product x fs.
Proof.
  intros fs; induction fs as [|n fs IH]; intros x; simpl.
  - split; [intros [<-|[]]; constructor | intros H; inversion H; auto].
  - rewrite in_flat_map. split.
    + intros (i & I & M). apply in_seq in I. apply in_map_iff in M as (y & <- & Y).
      constructor; [lia | apply IH, Y].
    + intros H. inversion H as [|i k y fs' L P]; subst. exists i. split; [apply in_seq; lia|].
      apply in_map, IH, P.
Qed.

Lemma points_nodup : forall fs, NoDup (points fs).
Proof.
  intros fs; induction fs as [|n fs IH]; simpl; [repeat constructor; simpl; tauto|].
  assert (G : forall l, NoDup l -> NoDup (flat_map (fun i => map (cons i) (points fs)) l)).
  { intros l L. induction L as [|i l N L K]; simpl; [constructor|]. apply nodup_app; [|exact K|].
    - clear - IH. induction IH as [|x ps N P I]; simpl; constructor; [|exact I].
      rewrite in_map_iff. intros (y & [= ->] & Y). exact (N Y).
    - intros x X Y. apply in_map_iff in X as (y & <- & _). apply in_flat_map in Y as (j & J & Y).
      apply in_map_iff in Y as (z & [= -> _] & _). exact (N J). }
  apply G, seq_NoDup.
Qed.

Lemma address_eqb_iff : forall a b, address_eqb a b = true <-> a = b.
Proof. intros a b. unfold address_eqb. destruct (list_eq_dec Nat.eq_dec a b); split; congruence. Qed.

Lemma address_eqb_sym : forall a b, address_eqb a b = address_eqb b a.
Proof.
  intros a b. unfold address_eqb.
  destruct (list_eq_dec Nat.eq_dec a b), (list_eq_dec Nat.eq_dec b a); congruence.
Qed.

(** * Running *)

(** The points that fall on a cell, in the order of the loops. *)
Definition hits (place : list nat -> list nat) (xs : list (list nat)) (a : list nat) : list (list nat) :=
  filter (fun x => address_eqb (place x) a) xs.

Lemma hits_In : forall place xs a x, In x (hits place xs a) <-> In x xs /\ place x = a.
Proof. intros place xs a x. unfold hits. rewrite filter_In, address_eqb_iff. tauto. Qed.

Lemma hits_nodup : forall place xs a, NoDup xs -> NoDup (hits place xs a).
Proof. intros place xs a H. apply NoDup_filter, H. Qed.

Section Running.

Variables (V : Type) (op : V -> V -> V) (e : V).
Variable place : list nat -> list nat.

Lemma run_accumulate : forall f xs m a,
  fold_left (execute V op place Accumulate f) xs m a = fold_left op (map f (hits place xs a)) (m a).
Proof.
  intros f xs. induction xs as [|x xs IH]; intros m a; simpl; [reflexivity|].
  rewrite IH. unfold execute, store. rewrite (address_eqb_sym a (place x)).
  destruct (address_eqb (place x) a) eqn:B; [|reflexivity].
  apply address_eqb_iff in B as ->. reflexivity.
Qed.

Lemma last_cons : forall (x : V) l d, last (x :: l) d = last l x.
Proof. intros x l. revert x. induction l as [|y l IH]; intros x d; [reflexivity|]. simpl in *. destruct l; auto. Qed.

Lemma run_write : forall f xs m a,
  fold_left (execute V op place Write f) xs m a = last (map f (hits place xs a)) (m a).
Proof.
  intros f xs. induction xs as [|x xs IH]; intros m a; [reflexivity|].
  simpl fold_left. rewrite IH. unfold execute, store, hits. simpl filter. rewrite (address_eqb_sym a (place x)).
  destruct (address_eqb (place x) a) eqn:B; [|reflexivity].
  simpl map. rewrite last_cons. reflexivity.
Qed.

Hypothesis neutral_l : forall x, op e x = x.
Hypothesis neutral_r : forall x, op x e = x.

Lemma fold_neutral : forall (l : list (list nat)) acc, fold_left op (map (fun _ => e) l) acc = acc.
Proof. intros l; induction l as [|x l IH]; intros acc; simpl; [reflexivity|]. rewrite IH. apply neutral_r. Qed.

(** v at one point, nothing elsewhere. *)
Definition mark (v : V) (u x : list nat) : V := if address_eqb x u then v else e.

Lemma fold_mark_absent : forall v u l acc, ~ In u l -> fold_left op (map (mark v u) l) acc = acc.
Proof.
  intros v u l. induction l as [|x l IH]; intros acc N; simpl in *; [reflexivity|].
  unfold mark at 2. destruct (address_eqb x u) eqn:B; [apply address_eqb_iff in B; tauto|].
  rewrite neutral_r. apply IH. tauto.
Qed.

Lemma fold_mark : forall v u l, NoDup l -> In u l -> fold_left op (map (mark v u) l) e = v.
Proof.
  intros v u l N. induction N as [|x l H N IH]; intros I; simpl in *; [tauto|].
  rewrite neutral_l. unfold mark at 2. destruct (address_eqb x u) eqn:B.
  - apply address_eqb_iff in B as ->. apply fold_mark_absent, H.
  - apply IH. destruct I as [->|I]; [|exact I].
    rewrite (proj2 (address_eqb_iff u u) eq_refl) in B. discriminate.
Qed.

End Running.

(** * The order of the loops *)

Lemma fold_left_permutation : forall V (op : V -> V -> V), (forall x y z, op (op x y) z = op (op x z) y) ->
  forall l k, Permutation l k -> forall acc, fold_left op l acc = fold_left op k acc.
Proof.
  intros V op H l k P. induction P as [|x l k P IH|x y l|l k j P IH Q IK]; intros acc; simpl; auto.
  - now rewrite H.
  - now rewrite IH, IK.
Qed.

Lemma filter_permutation : forall A (f : A -> bool) l k, Permutation l k -> Permutation (filter f l) (filter f k).
Proof.
  intros A f l k P. induction P as [|x l k P IH|x y l|l k j P IH Q IK]; simpl.
  - constructor.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto using perm_swap.
  - eauto using Permutation_trans.
Qed.

(** 7.6.iii.  If it does not matter in which order values are accumulated, the loops may be
    nested and run in any order. *)
Theorem prop_7_6_iii_loop_order : forall V (op : V -> V -> V) e, (forall x y z, op (op x y) z = op (op x z) y) ->
  forall place erases xs ys f m a, Permutation xs ys ->
  meaning V op e place erases xs f m a = meaning V op e place erases ys f m a.
Proof.
  intros V op e H place erases xs ys f m a P. unfold meaning.
  apply fold_left_permutation; [exact H|]. apply Permutation_map, filter_permutation, P.
Qed.

(** * The proposition *)

Section Required.

Variables (V : Type) (op : V -> V -> V) (e v : V).
Hypothesis neutral_l : forall x, op e x = x.
Hypothesis neutral_r : forall x, op x e = x.
Hypothesis nontrivial : v <> e.

Variables (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat).
Hypothesis wide : Forall (lt 1) fs.
Hypothesis map_fits : fits env fs m dims.
Hypothesis sizes : forall n, In n dims -> 1 <= n.

Notation cell := (address env m).
Notation hit := (hits cell (points fs)).

Lemma run_body : forall P f mem a, run_program V op e cell P (points fs) f mem a =
  let d := if initialises P then e else mem a in
  match loop_body P with
  | Write => last (map f (hit a)) d
  | Accumulate => fold_left op (map f (hit a)) d
  end.
Proof.
  intros [i b] f mem a. unfold run_program. simpl.
  destruct b; [rewrite run_write | rewrite run_accumulate]; destruct i; reflexivity.
Qed.

Lemma meaning_hits : forall er f mem a, meaning V op e cell er (points fs) f mem a =
  fold_left op (map f (hit a)) (if er then e else mem a).
Proof. reflexivity. Qed.

Lemma hit_iff : forall a x, In x (hit a) <-> in_product x fs /\ cell x = a.
Proof. intros a x. rewrite hits_In, points_spec. tauto. Qed.

Lemma hit_injective : injective env fs m -> forall a, hit a = [] \/ exists x, hit a = [x].
Proof.
  intros H a. pose proof (hits_nodup cell (points fs) a (points_nodup fs)) as N.
  assert (U : forall x y, In x (hit a) -> In y (hit a) -> x = y).
  { intros x y X Y. apply hit_iff in X as [X E]. apply hit_iff in Y as [Y E']. apply H; congruence. }
  destruct (hit a) as [|x [|y l]]; [auto | eauto |]. exfalso.
  inversion N as [|x' l' M _]; subst. apply M. left. symmetry. apply U; simpl; auto.
Qed.

Lemma some_cell : exists a, in_domain a dims.
Proof.
  exists (tabulate (fun _ => 0) (length dims)). apply tabulate_below.
  intros i n N. apply nth_error_In, sizes in N. lia.
Qed.

(** Erasing: what each program needs. *)
Lemma write_injective : forall i, correct op e true (Program i Write) env fs m dims -> injective env fs m.
Proof.
  intros i C x y X Y E. destruct (list_eq_dec Nat.eq_dec x y) as [|N]; [assumption|]. exfalso.
  set (a := cell x). assert (D : in_domain a dims) by (eapply address_in_domain; eauto).
  assert (IX : In x (hit a)) by (apply hit_iff; auto).
  assert (IY : In y (hit a)) by (apply hit_iff; split; auto).
  pose proof (hits_nodup cell (points fs) a (points_nodup fs)) as U.
  destruct (exists_last (l := hit a)) as (l & z & Z); [intros H; rewrite H in IX; exact IX|].
  assert (W : exists u, u <> z /\ In u (hit a)).
  { destruct (list_eq_dec Nat.eq_dec x z) as [->|]; [exists y; split; [congruence | exact IY] | exists x; auto]. }
  destruct W as (u & NZ & IU). specialize (C (mark V e v u) (fun _ => e) a D).
  rewrite run_body, meaning_hits, fold_mark in C; auto. simpl in C.
  rewrite Z, map_app in C. simpl in C. rewrite last_last in C. unfold mark in C.
  destruct (address_eqb z u) eqn:B; [apply address_eqb_iff in B; congruence | congruence].
Qed.

Lemma write_surjective : correct op e true (Program false Write) env fs m dims -> surjective env fs m dims.
Proof.
  intros C a D. destruct (hit a) as [|x l] eqn:H.
  - specialize (C (fun _ => e) (fun _ => v) a D). rewrite run_body, meaning_hits, H in C. simpl in C. congruence.
  - exists x. apply hit_iff. rewrite H. simpl; auto.
Qed.

Lemma injective_write : injective env fs m -> correct op e true (Program true Write) env fs m dims.
Proof.
  intros I f mem a D. rewrite run_body, meaning_hits. simpl.
  destruct (hit_injective I a) as [-> | [x ->]]; simpl; [|symmetry]; auto.
Qed.

Lemma bijective_write : injective env fs m -> surjective env fs m dims ->
  correct op e true (Program false Write) env fs m dims.
Proof.
  intros I S f mem a D. rewrite run_body, meaning_hits. simpl.
  destruct (hit_injective I a) as [H | [x ->]]; simpl; [|symmetry; auto].
  destruct (S a D) as (x & X & E). assert (J : In x (hit a)) by (apply hit_iff; auto). rewrite H in J. destruct J.
Qed.

Lemma no_stale_accumulation : ~ correct op e true (Program false Accumulate) env fs m dims.
Proof.
  intros C. destruct some_cell as [a D]. specialize (C (fun _ => e) (fun _ => v) a D).
  rewrite run_body, meaning_hits in C. simpl in C. rewrite !fold_neutral in C by exact neutral_r. congruence.
Qed.

(** Prop. 7.6(iii) for an accumulator that erases. *)
Theorem prop_7_6_iii_accumulation :
  accumulation_required op e true env fs m dims <-> exists j, reduction fs m j.
Proof.
  pose proof (prop_7_6_i_no_reduction env fs m dims wide map_fits) as R. split.
  - intros A. destruct (reductions fs m) as [|j l] eqn:L.
    + destruct (A true). apply injective_write, R. intros j J. apply def_7_5_reductions in J. rewrite L in J. exact J.
    + exists j. apply def_7_5_reductions. rewrite L. simpl; auto.
  - intros [j J] i C. apply write_injective in C. rewrite R in C. exact (C j J).
Qed.

(** 7.6.iii.  If it erases, no program without initialising is right iff the map is not
    surjective or not injective. *)
Theorem prop_7_6_iii_initialisation :
  initialisation_required op e true env fs m dims <-> ~ surjective env fs m dims \/ ~ injective env fs m.
Proof.
  pose proof (prop_7_6_i_injectiveb env fs m dims wide map_fits) as I.
  pose proof (prop_7_6_ii_surjectiveb env fs m dims wide map_fits sizes) as S. split.
  - intros A. destruct (injectiveb fs m) eqn:BI; [|right; rewrite <- I; discriminate].
    destruct (surjectiveb m dims) eqn:BS; [|left; rewrite <- S; discriminate].
    exfalso. apply (A Write), bijective_write; [apply I | apply S]; reflexivity.
  - intros H [|] C; [|exact (no_stale_accumulation C)].
    destruct H as [H|H]; apply H; [exact (write_surjective C) | exact (write_injective _ C)].
Qed.

(** 7.6.iii.  An accumulator that keeps the old content: accumulating without initialising is
    right, and nothing else ever is. *)
Theorem prop_7_6_iii_keeping : forall P,
  correct op e false P env fs m dims <-> P = Program false Accumulate.
Proof.
  intros P. split.
  - intros C. destruct P as [i b]. destruct i.
    + exfalso. destruct some_cell as [a D]. specialize (C (fun _ => e) (fun _ => v) a D).
      rewrite run_body, meaning_hits in C. simpl in C. rewrite !fold_neutral in C by exact neutral_r.
      apply nontrivial. rewrite <- C. destruct b; [|reflexivity].
      induction (hit a) as [|x [|y l] IH]; simpl in *; auto.
    + destruct b; [|reflexivity]. exfalso.
      pose proof (origin fs wide) as O. set (x := tabulate (fun _ => 0) (length fs)) in *.
      assert (I : In x (hit (cell x))) by (apply hit_iff; auto).
      assert (D : in_domain (cell x) dims) by (eapply address_in_domain; eauto).
      specialize (C (fun _ => e) (fun _ => v) _ D). rewrite run_body, meaning_hits in C. simpl in C.
      rewrite !fold_neutral in C by exact neutral_r.
      destruct (exists_last (l := hit (cell x))) as (l & z & Z); [intros H; rewrite H in I; exact I|].
      rewrite Z, map_app in C. simpl in C. rewrite last_last in C. congruence.
  - intros -> f mem a D. rewrite run_body, meaning_hits. reflexivity.
Qed.

(** 7.6.iii.  All of it, read off the labels. *)
Theorem prop_7_6_iii_read_off : forall erases,
  (needs_accumulation erases fs m = true <-> accumulation_required op e erases env fs m dims) /\
  (needs_init erases fs m dims = true <-> initialisation_required op e erases env fs m dims).
Proof.
  pose proof (prop_7_6_i_injectiveb env fs m dims wide map_fits) as I.
  pose proof (prop_7_6_ii_surjectiveb env fs m dims wide map_fits sizes) as S.
  unfold needs_accumulation, needs_init. intros [|].
  - split; simpl.
    + rewrite prop_7_6_iii_accumulation. unfold injectiveb. pose proof (def_7_5_reductions fs m) as R.
      destruct (reductions fs m) as [|j l]; simpl.
      * split; [discriminate|]. intros [j J]. apply R in J. destruct J.
      * split; [|reflexivity]. intros _. exists j. apply R. simpl; auto.
    + rewrite prop_7_6_iii_initialisation, <- I, <- S.
      destruct (injectiveb fs m), (surjectiveb m dims); simpl; intuition congruence.
  - split; simpl.
    + split; [|reflexivity]. intros _ i C. apply prop_7_6_iii_keeping in C. discriminate.
    + split; [discriminate|]. intros H. destruct (H Accumulate). apply prop_7_6_iii_keeping. reflexivity.
Qed.

End Required.

(** * Where the printed statement fails: accumulators that keep the old content *)

(** 7.6.iii.  r[i] =+ a[i]: no reduction axis, and a plain write is wrong. *)
Theorem finding_7_6_iii_copy :
  let fs := [2] in let m := [Iterator 0] in let dims := [2] in let env := fun _ => 0 in
  fits env fs m dims /\ (forall j, ~ reduction fs m j) /\
  accumulation_required Nat.add 0 false env fs m dims.
Proof.
  simpl. split; [repeat constructor|]. split.
  - intros j [J N]. apply N. simpl in J. left. f_equal. lia.
  - intros i C. apply (prop_7_6_iii_keeping nat Nat.add 0 1) in C; try discriminate; try lia.
    + repeat constructor.
    + repeat constructor.
    + simpl; intuition lia.
Qed.

(** 7.6.iii.  r[i,i] =+ a[i]: not surjective, and initialising is wrong. *)
Theorem finding_7_6_iii_diagonal :
  let fs := [2] in let m := [Iterator 0; Iterator 0] in let dims := [2; 2] in let env := fun _ => 0 in
  fits env fs m dims /\ ~ surjective env fs m dims /\
  ~ initialisation_required Nat.add 0 false env fs m dims /\
  (forall b, ~ correct Nat.add 0 false (Program true b) env fs m dims).
Proof.
  simpl. assert (W : Forall (lt 1) [2]) by repeat constructor.
  assert (F : fits (fun _ => 0) [2] [Iterator 0; Iterator 0] [2; 2]) by repeat constructor.
  assert (D : forall n, In n [2; 2] -> 1 <= n) by (simpl; intuition lia).
  pose proof (prop_7_6_iii_keeping nat Nat.add 0 1 Nat.add_0_r ltac:(discriminate) _ _ _ _ W F D) as K.
  split; [exact F|]. split.
  - rewrite <- (prop_7_6_ii_surjectiveb _ _ _ _ W F D). discriminate.
  - split.
    + intros H. apply (H Accumulate), K. reflexivity.
    + intros b C. apply K in C. discriminate.
Qed.
