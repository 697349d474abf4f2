(** Prop. 4.6: the rounds of Cycle.v decide whether there is a positive cycle. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Guard_thm Cycle.
Import ListNotations.
Local Open Scope Z_scope.

Lemma vertex_eqb_spec : forall x y, vertex_eqb x y = true <-> x = y.
Proof.
  intros [p|] [q|]; simpl; try (split; congruence).
  rewrite Nat.eqb_eq. split; congruence.
Qed.

Lemma vertex_eqb_refl : forall x, vertex_eqb x x = true.
Proof. intros x. now apply vertex_eqb_spec. Qed.

Lemma value_of_set : forall v x k y,
  value_of (set_value v x k) y = if vertex_eqb y x then k else value_of v y.
Proof.
  intros v; induction v as [|[z j] v IH]; intros x k y; simpl; [reflexivity|].
  destruct (vertex_eqb x z) eqn:E; simpl.
  - apply vertex_eqb_spec in E as <-. now destruct (vertex_eqb y x).
  - destruct (vertex_eqb y z) eqn:F; [|apply IH].
    apply vertex_eqb_spec in F as ->. destruct (vertex_eqb z x) eqn:G; [|reflexivity].
    apply vertex_eqb_spec in G as ->. now rewrite vertex_eqb_refl in E.
Qed.

(** * What a round does *)

Lemma raise_rises : forall f v x, value_of v x <= value_of (lift v f) x.
Proof.
  intros f v x. unfold lift. destruct (Z.leb_spec (value_of v (lesser f) + weight f) (value_of v (greater f))).
  - lia.
  - rewrite value_of_set. destruct (vertex_eqb x (greater f)) eqn:E; [|lia].
    apply vertex_eqb_spec in E as ->. lia.
Qed.

Lemma round_rises : forall fs v x, value_of v x <= value_of (round fs v) x.
Proof.
  unfold round. intros fs; induction fs as [|f fs IH]; intros v x; simpl; [lia|].
  pose proof (raise_rises f v x). specialize (IH (lift v f) x). lia.
Qed.

Lemma raise_reaches : forall f v,
  value_of v (lesser f) + weight f <= value_of (lift v f) (greater f).
Proof.
  intros f v. unfold lift. destruct (Z.leb_spec (value_of v (lesser f) + weight f) (value_of v (greater f))).
  - lia.
  - rewrite value_of_set, vertex_eqb_refl. lia.
Qed.

Lemma round_reaches : forall fs v f, In f fs ->
  value_of v (lesser f) + weight f <= value_of (round fs v) (greater f).
Proof.
  intros fs; induction fs as [|f' fs IH]; intros v f; [intros []|]. unfold round; simpl. intros [->|I].
  - pose proof (raise_reaches f v) as A. pose proof (round_rises fs (lift v f) (greater f)) as B.
    unfold round in B. lia.
  - specialize (IH (lift v f') f I). pose proof (raise_rises f' v (lesser f)) as A.
    unfold round in *. lia.
Qed.

(** Lengths that satisfy the facts stay above the values. *)
Definition below (v : values) (L : lengths) : Prop := forall x, value_of v x <= length_of L x.

Lemma raise_below : forall L f v, fact_holds L f -> below v L -> below (lift v f) L.
Proof.
  intros L f v H B x. unfold lift.
  destruct (value_of v (lesser f) + weight f <=? value_of v (greater f)); [apply B|].
  rewrite value_of_set. destruct (vertex_eqb x (greater f)) eqn:E; [|apply B].
  apply vertex_eqb_spec in E as ->. unfold fact_holds in H. specialize (B (lesser f)). lia.
Qed.

Lemma round_below : forall L fs v, facts_hold L fs -> below v L -> below (round fs v) L.
Proof.
  unfold round. intros L fs; induction fs as [|f fs IH]; intros v H B; simpl; [auto|].
  apply IH.
  - intros f' I. apply H. now right.
  - apply raise_below; [apply H; now left | auto].
Qed.

Definition nonnegative (v : values) : Prop := forall x, 0 <= value_of v x.

Lemma round_nonnegative : forall fs v, nonnegative v -> nonnegative (round fs v).
Proof. intros fs v H x. pose proof (round_rises fs v x). specialize (H x). lia. Qed.

(** * Values that settle satisfy the facts *)

Lemma settled_feasible : forall fs v, nonnegative v -> settled fs v = true -> feasible fs.
Proof.
  intros fs v N S. apply andb_true_iff in S as [Z0 S]. apply Z.eqb_eq in Z0.
  rewrite forallb_forall in S.
  set (L := fun p => Z.to_nat (value_of v (Some p))).
  assert (E : forall x, length_of L x = value_of v x).
  { intros [p|]; simpl; [|auto]. unfold L. rewrite Z2Nat.id; auto. }
  exists L. intros f I. specialize (S f I). apply Z.leb_le in S.
  unfold fact_holds. rewrite !E. lia.
Qed.

Lemma settles_feasible : forall n fs v, nonnegative v -> settles n fs v = true -> feasible fs.
Proof.
  intros n; induction n as [|n IH]; intros fs v N S; simpl in S; apply orb_true_iff in S as [S|S];
    eauto using settled_feasible; [discriminate|].
  destruct (value_of v None =? 0); [|discriminate].
  eauto using round_nonnegative.
Qed.

(** * Facts that can be satisfied settle *)

Lemma vertices_In : forall fs f, In f fs ->
  In (greater f) (vertices fs) /\ In (lesser f) (vertices fs).
Proof.
  intros fs f I.
  assert (A : forall xs x, In x xs -> In x (fold_right
    (fun x xs => if existsb (vertex_eqb x) xs then xs else x :: xs) [None] xs)).
  { intros xs; induction xs as [|y xs IH]; intros x J; [destruct J|]. simpl.
    destruct (existsb _ _) eqn:E.
    - destruct J as [->|J]; [|auto]. apply existsb_exists in E as (z & K & E).
      apply vertex_eqb_spec in E as ->. auto.
    - destruct J as [->|J]; [now left | right; auto]. }
  split; apply A, in_flat_map; exists f; simpl; auto.
Qed.

(** The vertices whose value is still under their length. *)
Definition short (v : values) (L : lengths) (x : vertex) : bool := value_of v x <? length_of L x.

Definition shorts (v : values) (L : lengths) (xs : list vertex) : nat := length (filter (short v L) xs).

Lemma filter_le : forall A (f g : A -> bool) l, (forall x, f x = true -> g x = true) ->
  (length (filter f l) <= length (filter g l))%nat.
Proof.
  intros A f g l H; induction l as [|x l IH]; simpl; [lia|].
  specialize (H x). destruct (f x), (g x); simpl; first [lia | discriminate (H eq_refl)].
Qed.

Lemma filter_lt : forall A (f g : A -> bool) l x, (forall x, f x = true -> g x = true) ->
  In x l -> f x = false -> g x = true -> (length (filter f l) < length (filter g l))%nat.
Proof.
  intros A f g l x H; induction l as [|y l IH]; simpl; [tauto|].
  intros [->|I] F G.
  - rewrite F, G. pose proof (filter_le A f g l H). simpl; lia.
  - specialize (IH I F G). specialize (H y). destruct (f y), (g y); simpl; first [lia | discriminate (H eq_refl)].
Qed.

Lemma filter_none : forall A (f : A -> bool) l x, length (filter f l) = 0%nat -> In x l -> f x = false.
Proof.
  intros A f l x E I. destruct (f x) eqn:F; [|reflexivity].
  assert (J : In x (filter f l)) by (apply filter_In; auto).
  destruct (filter f l); [destruct J | discriminate].
Qed.

Definition total (L : lengths) (xs : list vertex) : Z := fold_right Z.add 0 (map (length_of L) xs).

Lemma total_nonneg : forall L xs, 0 <= total L xs.
Proof.
  intros L xs; unfold total; induction xs as [|x xs IH]; simpl; [lia|].
  pose proof (length_of_nonneg L x). lia.
Qed.

Lemma total_le : forall L M xs, (forall x, length_of M x <= length_of L x) -> total M xs <= total L xs.
Proof. intros L M xs H; unfold total; induction xs as [|x xs IH]; simpl; [lia|]. specialize (H x). lia. Qed.

Lemma total_lt : forall L M xs x, (forall x, length_of M x <= length_of L x) -> In x xs ->
  length_of M x < length_of L x -> total M xs < total L xs.
Proof.
  intros L M xs x H I Lt; induction xs as [|y xs IH]; [destruct I|].
  unfold total in *; simpl. destruct I as [->|I].
  - pose proof (total_le L M xs H) as T. unfold total in T. lia.
  - specialize (IH I). specialize (H y). lia.
Qed.

(** Every length that no value has reached, one less. *)
Definition lowered (v : values) (L : lengths) : lengths :=
  fun p => if short v L (Some p) then pred (L p) else L p.

Lemma lowered_length : forall v L x, nonnegative v -> below v L ->
  length_of (lowered v L) x = if short v L x then length_of L x - 1 else length_of L x.
Proof.
  intros v L [p|] N B; unfold lowered; simpl.
  - destruct (short v L (Some p)) eqn:E; [|auto]. unfold short in E. apply Z.ltb_lt in E. simpl in E.
    specialize (N (Some p)). lia.
  - destruct (short v L None) eqn:E; [|auto]. unfold short in E. apply Z.ltb_lt in E. simpl in E.
    specialize (N None). lia.
Qed.

Definition fact_holdsb (L : lengths) (f : fact) : bool :=
  length_of L (lesser f) + weight f <=? length_of L (greater f).

(** No value is short: they are the lengths. *)
Lemma no_shorts_settled : forall fs v L, facts_hold L fs -> nonnegative v -> below v L ->
  shorts v L (vertices fs) = 0%nat -> settled fs v = true.
Proof.
  intros fs v L H N B E. apply andb_true_iff. split.
  - apply Z.eqb_eq. specialize (N None). specialize (B None). simpl in B. lia.
  - apply forallb_forall. intros f I. apply Z.leb_le.
    assert (R : forall x, In x (vertices fs) -> value_of v x = length_of L x).
    { intros x J. apply (filter_none _ _ _ x E) in J. unfold short in J. apply Z.ltb_ge in J.
      specialize (B x). lia. }
    destruct (vertices_In fs f I) as [G K]. rewrite (R _ G), (R _ K). specialize (H f I).
    unfold fact_holds in H. lia.
Qed.

(** If the short lengths can be lowered they are; else a fact holds them up from
    a length that is reached, and the round reaches one more. *)
Lemma feasible_settles : forall fs n s v L, facts_hold L fs -> nonnegative v -> below v L ->
  (shorts v L (vertices fs) <= n)%nat -> total L (vertices fs) <= Z.of_nat s -> settles n fs v = true.
Proof.
  intros fs n; induction n as [|n IHn].
  - intros s v L H N B E _. simpl. rewrite (no_shorts_settled fs v L); auto. lia.
  - intros s; induction s as [s IHs] using lt_wf_ind. intros v L H N B E T.
    destruct (Nat.eq_dec (shorts v L (vertices fs)) 0) as [Z0|Z0].
    { simpl. now rewrite (no_shorts_settled fs v L). }
    pose proof (lowered_length v L) as Low.
    assert (Le : forall x, length_of (lowered v L) x <= length_of L x).
    { intros x. rewrite Low by auto. destruct (short v L x); lia. }
    destruct (forallb (fact_holdsb (lowered v L)) fs) eqn:F.
    + rewrite forallb_forall in F.
      assert (X : exists x, In x (vertices fs) /\ short v L x = true).
      { unfold shorts in Z0. destruct (filter (short v L) (vertices fs)) as [|x l] eqn:Q;
          [simpl in Z0; lia|]. exists x. apply filter_In. rewrite Q. now left. }
      destruct X as (x & I & Sx).
      assert (Lt : total (lowered v L) (vertices fs) < total L (vertices fs)).
      { apply (total_lt L _ _ x); auto. rewrite Low, Sx by auto. lia. }
      pose proof (total_nonneg (lowered v L) (vertices fs)) as Nn.
      apply (IHs (Z.to_nat (total (lowered v L) (vertices fs)))) with (L := lowered v L); auto; try lia.
      * intros f J. specialize (F f J). apply Z.leb_le in F. unfold fact_holds. lia.
      * intros y. rewrite Low by auto. specialize (B y). unfold short.
        destruct (Z.ltb_spec (value_of v y) (length_of L y)); lia.
      * transitivity (shorts v L (vertices fs)); [|auto]. apply filter_le. intros y Sy.
        unfold short in *. apply Z.ltb_lt in Sy. apply Z.ltb_lt. specialize (Le y). lia.
    + simpl. apply orb_true_iff. right.
      assert (V0 : value_of v None =? 0 = true).
      { apply Z.eqb_eq. specialize (N None). specialize (B None). simpl in B. lia. }
      rewrite V0. apply (IHn s) with (L := L); auto using round_nonnegative, round_below.
      assert (X : exists f, In f fs /\ fact_holdsb (lowered v L) f = false).
      { clear - F. induction fs as [|f fs IH]; simpl in F; [discriminate|].
        destruct (fact_holdsb (lowered v L) f) eqn:G.
        - destruct (IH F) as (f' & I & E). exists f'. split; [now right | auto].
        - exists f. split; [now left | auto]. }
      destruct X as (f & I & E'). unfold fact_holdsb in E'. apply Z.leb_gt in E'.
      rewrite !Low in E' by auto. specialize (H f I) as Hf. unfold fact_holds in Hf.
      destruct (short v L (lesser f)) eqn:Sl; destruct (short v L (greater f)) eqn:Sg; try lia.
      assert (Lt : (shorts (round fs v) L (vertices fs) < shorts v L (vertices fs))%nat); [|lia].
      apply (filter_lt _ _ _ _ (greater f)); auto.
      * intros y Sy. unfold short in *. apply Z.ltb_lt in Sy. apply Z.ltb_lt.
        pose proof (round_rises fs v y). lia.
      * now apply vertices_In.
      * unfold short in *. apply Z.ltb_ge in Sl. apply Z.ltb_ge.
        pose proof (round_reaches fs v f I). lia.
Qed.

Lemma settles_iff : forall fs, settles (S (length (vertices fs))) fs [] = true <-> feasible fs.
Proof.
  intros fs; split.
  - apply settles_feasible. intros x; simpl; lia.
  - intros [L H]. apply (feasible_settles fs _ (Z.to_nat (total L (vertices fs)))) with (L := L); auto.
    + intros x; simpl; lia.
    + intros x; simpl. pose proof (length_of_nonneg L x). lia.
    + unfold shorts. pose proof (filter_le _ (short [] L) (fun _ => true) (vertices fs)) as A.
      assert (B : filter (fun _ => true) (vertices fs) = vertices fs).
      { generalize (vertices fs) as l. intros l; induction l as [|x l IH]; simpl; [auto | now rewrite IH]. }
      rewrite B in A. specialize (A (fun _ _ => eq_refl)). lia.
    + pose proof (total_nonneg L (vertices fs)). lia.
Qed.

Theorem prop_4_6_positive_cycleb : forall fs, positive_cycleb fs = true <-> positive_cycle fs.
Proof.
  intros fs. unfold positive_cycleb. rewrite negb_true_iff.
  pose proof (settles_iff fs) as I. pose proof (prop_4_6 fs) as P. split.
  - intros E. destruct (prop_4_6_dichotomy fs) as [F|C]; [|auto]. apply I in F. congruence.
  - intros C. destruct (settles _ fs []) eqn:E; [|auto]. destruct I as [I _].
    apply P in C; [destruct C | auto].
Qed.
