(** Section 1: what is true of dimensions. *)

From Coq Require Import PArith List Bool Arith Lia Sorted.
From Lozenge Require Import Dim.
Import ListNotations.

(** * The booleans decide the propositions *)

Lemma dim_eqb_spec : forall d e, reflect (d = e) (dim_eqb d e).
Proof.
  intros [|n b] [|m c]; simpl; try (constructor; congruence).
  destruct (Pos.eqb_spec n m), (Nat.eqb_spec b c); simpl; constructor; congruence.
Qed.

Lemma dim_eqb_eq : forall d e, dim_eqb d e = true <-> d = e.
Proof. intros d e; destruct (dim_eqb_spec d e); split; congruence. Qed.

Lemma dim_eqb_refl : forall d, dim_eqb d d = true.
Proof. intros d; apply dim_eqb_eq; reflexivity. Qed.

Lemma dim_eq_dec : forall d e : dim, {d = e} + {d <> e}.
Proof. intros d e; destruct (dim_eqb_spec d e); auto. Qed.

(** 1.2.  The boolean test on dimensions decides the broadcast order. *)
Theorem def_1_2_dim_leb : forall d e, dim_leb d e = true <-> d ⊑d e.
Proof.
  intros d e; unfold dim_leb, dim_le.
  rewrite orb_true_iff, !dim_eqb_eq; reflexivity.
Qed.

(** 1.2.  So does the test on dimensions with bottom. *)
Theorem def_1_2_dimb_leb : forall x y, dimb_leb x y = true <-> x ⊑b y.
Proof.
  intros [|d] [|e]; simpl; try apply def_1_2_dim_leb; split; auto; discriminate.
Qed.

(** * Prop. 1.3 on D *)

Lemma dim_le_refl : forall d, d ⊑d d.
Proof. right; reflexivity. Qed.

Lemma dim_le_unit : forall d, d ⊑d Unit.
Proof. left; reflexivity. Qed.

Lemma dim_le_trans : forall d e f, d ⊑d e -> e ⊑d f -> d ⊑d f.
Proof. unfold dim_le; intros d e f [-> | ->] [-> | ->]; auto. Qed.

Lemma dim_le_antisym : forall d e, d ⊑d e -> e ⊑d d -> d = e.
Proof. unfold dim_le; intros d e [-> | ->] [-> | ]; auto. Qed.

Lemma dim_le_atom : forall d e, is_atom e -> d ⊑d e -> d = e.
Proof. intros d e A [-> | H]; [destruct A | exact H]. Qed.

Lemma dim_join_ub_l : forall d e, d ⊑d dim_join d e.
Proof. intros d e; unfold dim_join, dim_le; destruct (dim_eqb d e); auto. Qed.

Lemma dim_join_ub_r : forall d e, e ⊑d dim_join d e.
Proof. intros d e; unfold dim_join, dim_le; destruct (dim_eqb_spec d e); auto. Qed.

Lemma dim_join_least : forall d e u, d ⊑d u -> e ⊑d u -> dim_join d e ⊑d u.
Proof.
  unfold dim_join, dim_le; intros d e u [-> | ->] H; auto.
  destruct (dim_eqb_spec u e); auto. destruct H; [auto | congruence].
Qed.

(** * Prop. 1.3 on D with bottom: a partial order *)

(** 1.3.  The order with bottom is reflexive. *)
Theorem prop_1_3_le_refl : forall x, x ⊑b x.
Proof. intros x; destruct x; simpl; auto using dim_le_refl. Qed.

(** 1.3.  It is antisymmetric. *)
Theorem prop_1_3_le_antisym : forall x y, x ⊑b y -> y ⊑b x -> x = y.
Proof.
  intros [|d] [|e]; simpl; try tauto.
  intros; f_equal; auto using dim_le_antisym.
Qed.

(** 1.3.  It is transitive. *)
Theorem prop_1_3_le_trans : forall x y z, x ⊑b y -> y ⊑b z -> x ⊑b z.
Proof. intros [|d] [|e] [|f]; simpl; try tauto. apply dim_le_trans. Qed.

(** 1.3.  ⊥ is below everything. *)
Theorem prop_1_3_bottom : forall x, Bot ⊑b x.
Proof. exact (fun _ => I). Qed.

(** 1.3.  1∅ is above everything. *)
Theorem prop_1_3_top : forall x, x ⊑b Val Unit.
Proof. intros x; destruct x; simpl; auto using dim_le_unit. Qed.

(** * Prop. 1.3: the formulas are greatest lower and least upper bounds *)

(** 1.3.  The join formula gives the least upper bound. *)
Theorem prop_1_3_join_is_lub : forall x y u,
  dimb_join x y ⊑b u <-> x ⊑b u /\ y ⊑b u.
Proof.
  intros [|d] [|e] [|u]; simpl; try tauto.
  split.
  - intros H; split.
    + exact (dim_le_trans _ _ _ (dim_join_ub_l d e) H).
    + exact (dim_le_trans _ _ _ (dim_join_ub_r d e) H).
  - intros [H K]; auto using dim_join_least.
Qed.

(** 1.3.  The meet formula gives the greatest lower bound. *)
Theorem prop_1_3_meet_is_glb : forall x y w,
  w ⊑b dimb_meet x y <-> w ⊑b x /\ w ⊑b y.
Proof.
  intros x y [|w]; [simpl; tauto|].
  pose proof (dim_le_unit w) as T.
  destruct x as [|[|n b]], y as [|[|m c]]; try (simpl; tauto).
  unfold dimb_meet.
  destruct (dim_eqb_spec (Atom n b) (Atom m c)) as [E|E].
  - rewrite <- E. tauto.
  - simpl; split; [tauto|].
    intros [H K]. apply E. apply dim_le_atom in H, K; simpl; auto. congruence.
Qed.

(** 1.3.  The formulas as the paper displays them. *)
Theorem prop_1_3_formulas : forall x d e, is_atom d -> is_atom e -> d <> e ->
  dimb_meet x x = x /\ dimb_meet x (Val Unit) = x /\ dimb_meet (Val d) (Val e) = Bot /\
  dimb_join x x = x /\ dimb_join x Bot = x /\ dimb_join (Val d) (Val e) = Val Unit.
Proof.
  intros x d e Hd He N.
  repeat split.
  - destruct x as [|[|n b]]; auto. unfold dimb_meet. now rewrite dim_eqb_refl.
  - destruct x as [|[|n b]]; auto.
  - unfold dimb_meet. destruct d as [|n b], e as [|m c]; try contradiction.
    now destruct (dim_eqb_spec (Atom n b) (Atom m c)).
  - destruct x as [|x]; auto. simpl. unfold dim_join. now rewrite dim_eqb_refl.
  - now destruct x.
  - simpl. unfold dim_join. now destruct (dim_eqb_spec d e).
Qed.

(** * Prop. 1.3: shape of the lattice *)

(** The level of an element: bottom 0, atoms 1, unit 2. *)
Definition level (x : dimb) : nat :=
  match x with Bot => 0 | Val (Atom _ _) => 1 | Val Unit => 2 end.

Lemma dimb_lt_level : forall x y, dimb_lt x y -> level x < level y.
Proof.
  intros [|[|n b]] [|[|m c]] [L N]; simpl in *; try lia; try tauto.
  - destruct L; congruence.
  - destruct L; congruence.
Qed.

(** 1.3.  A strictly rising chain has at most three elements. *)
Theorem prop_1_3_height_at_most_2 : forall c, chain c -> length c <= 3.
Proof.
  intros c H.
  assert (G : forall x c, chain (x :: c) -> length c + level x <= 2).
  { clear c H. intros x c; revert x.
    induction c as [|y c IH]; intros x H; simpl.
    - destruct x as [|[|]]; simpl; lia.
    - apply Sorted_inv in H as [H L]. apply HdRel_inv in L.
      apply dimb_lt_level in L. apply IH in H. lia. }
  destruct c as [|x c]; simpl; [lia|]. apply G in H. lia.
Qed.

(** 1.3.  ⊥, an atom, 1∅ is such a chain. *)
Theorem prop_1_3_height_reached : forall d, is_atom d ->
  chain [Bot; Val d; Val Unit].
Proof.
  intros [|n b] []; repeat constructor; simpl; auto using dim_le_unit; congruence.
Qed.

(** 1.3.  Comparable atoms are equal. *)
Theorem prop_1_3_atoms_antichain : forall d e, is_atom d -> is_atom e ->
  d ⊑d e -> d = e.
Proof. intros d e _; apply dim_le_atom. Qed.

(** 1.3.  Nothing lies strictly between ⊥ and an atom. *)
Theorem prop_1_3_atom_covers_bottom : forall d, is_atom d -> covers Bot (Val d).
Proof.
  intros [|n b] []; split.
  - split; simpl; congruence || auto.
  - intros z [H K]; apply dimb_lt_level in H, K; simpl in *; lia.
Qed.

(** 1.3.  Nothing lies strictly between an atom and 1∅. *)
Theorem prop_1_3_unit_covers_atom : forall d, is_atom d -> covers (Val d) (Val Unit).
Proof.
  intros [|n b] []; split.
  - split; simpl; auto using dim_le_unit; congruence.
  - intros z [H K]; apply dimb_lt_level in H, K; simpl in *; lia.
Qed.

(** Def. 1.1: the three things of size one are three. *)
Theorem def_1_1_three_ones : forall b, b <> default ->
  Unit <> Atom 1 default /\ Unit <> Atom 1 b /\ Atom 1 default <> Atom 1 b.
Proof. repeat split; congruence. Qed.

(** * Prop. 1.4 *)

(** 1.4.  Any three different atoms make a diamond M3, where distributivity fails. *)
Theorem prop_1_4_diamond : forall a b c,
  is_atom a -> is_atom b -> is_atom c -> a <> b -> a <> c -> b <> c ->
  dimb_meet (Val a) (dimb_join (Val b) (Val c)) = Val a /\
  dimb_join (dimb_meet (Val a) (Val b)) (dimb_meet (Val a) (Val c)) = Bot.
Proof.
  intros a b c Ha Hb Hc ab ac bc.
  destruct (prop_1_3_formulas Bot b c Hb Hc bc) as (_ & _ & _ & _ & _ & ->).
  destruct (prop_1_3_formulas (Val a) a b Ha Hb ab) as (_ & -> & -> & _).
  destruct (prop_1_3_formulas Bot a c Ha Hc ac) as (_ & _ & -> & _).
  auto.
Qed.

(** 1.4.  The five elements are a sublattice. *)
Theorem prop_1_4_diamond_closed : forall a b c x y,
  let M3 := [Bot; Val a; Val b; Val c; Val Unit] in
  In x M3 -> In y M3 -> In (dimb_meet x y) M3 /\ In (dimb_join x y) M3.
Proof.
  intros a b c x y M3 Hx Hy.
  assert (HB : In Bot M3) by (simpl; auto).
  assert (HU : In (Val Unit) M3) by (simpl; auto 10).
  clearbody M3. split.
  - destruct x as [|[|n k]], y as [|[|m j]]; simpl; auto. now destruct (_ && _).
  - destruct x as [|d], y as [|e]; simpl; auto. unfold dim_join. now destruct (dim_eqb d e).
Qed.

(** 1.4.  The lattice is not distributive. *)
Theorem prop_1_4_not_distributive :
  ~ (forall x y z, dimb_meet x (dimb_join y z) = dimb_join (dimb_meet x y) (dimb_meet x z)).
Proof.
  intros H. specialize (H (Val (num 1)) (Val (num 2)) (Val (num 3))). discriminate.
Qed.

(** 1.4.  The statement of Prop. 1.4 says "not modular", and its proof withdraws
    that.  Here is the corrected half: the lattice is modular. *)
Theorem prop_1_4_modular : forall x y z, x ⊑b z ->
  dimb_join x (dimb_meet y z) = dimb_meet (dimb_join x y) z.
Proof.
  intros x y z H.
  destruct x as [|d]; [reflexivity|].
  destruct z as [|z]; [destruct H|].
  destruct H as [-> | ->].
  - rewrite !(proj1 (proj2 (prop_1_3_formulas _ (num 1) (num 2) I I ltac:(discriminate)))).
    reflexivity.
  - destruct z as [|n b]; [destruct y as [|[|]]; reflexivity|].
    destruct y as [|[|m c]]; unfold dimb_meet, dimb_join, dim_join.
    + now rewrite dim_eqb_refl.
    + now rewrite dim_eqb_refl.
    + destruct (dim_eqb_spec (Atom m c) (Atom n b)) as [-> | E].
      * now rewrite !dim_eqb_refl.
      * destruct (dim_eqb_spec (Atom n b) (Atom m c)); [congruence | reflexivity].
Qed.
