(** Def. 7.2 and Thm. 7.8: equations that come from constraints which hold. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Projection Pass_thm Projection_thm Labelling_thm
  IndexMap IndexMap_thm Elaboration.
Import ListNotations.

(** Both sides of an equation fit one size. *)
Definition equation_sized (env : symbol -> nat) (sz : pid -> nat) (d : equation) : Prop :=
  match d with
  | Eq q r => exists n, atom_sized env sz q n /\ atom_sized env sz r n
  | Iter _ => True
  end.

Lemma elab_pairs_cons : forall f a l b k, elab_pairs f (a :: l) (b :: k) = f a b ++ elab_pairs f l k.
Proof. reflexivity. Qed.

Section Elaborated.

Variables (env : symbol -> nat) (sz : pid -> nat).
Notation sized := (Forall (equation_sized env sz)).
Notation axis_ok := (axis_sized env sz).

Lemma elab_eq_sized : forall a b, axis_ok a -> axis_ok b -> dim_of a = dim_of b -> sized (elab_eq a b).
Proof.
  intros a b A B H. repeat constructor. exists (size (dim_of a)). split; [exact A|]. rewrite H. exact B.
Qed.

Lemma elab_le_sized : forall res op, axis_ok res -> axis_ok op -> dim_of res ⊑d dim_of op ->
  sized (elab_le res op).
Proof.
  intros res op A B H. unfold elab_le. destruct (Nat.eqb_spec (size (dim_of op)) 1) as [E|N].
  - repeat constructor. exists 1. split; [rewrite <- E; exact B | simpl; auto].
  - apply elab_eq_sized; auto. destruct H as [H|H]; [|exact H]. rewrite H in N. destruct (N eq_refl).
Qed.

Lemma elab_iter_sized : forall l, sized (flat_map elab_iter l).
Proof. intros l; induction l; simpl; constructor; simpl; auto. Qed.

Lemma elab_pair_sized : forall res op, axis_ok res -> axis_ok op -> dim_of res ⊑d dim_of op ->
  sized (elab_pair res op).
Proof.
  intros res op A B H. apply Forall_app. split; [apply elab_le_sized; auto|].
  destruct (size (dim_of op) =? 1); [|constructor]. repeat constructor.
Qed.

Lemma elab_row_eq_sized : forall l k, Forall axis_ok l -> Forall axis_ok k -> map dim_of l = map dim_of k ->
  sized (elab_pairs elab_eq l k).
Proof.
  intros l; induction l as [|a l IH]; intros [|b k] A B H; try discriminate; [constructor|].
  inversion A; inversion B; subst. injection H as H H'. rewrite elab_pairs_cons.
  apply Forall_app. split; [apply elab_eq_sized; auto | apply IH; auto].
Qed.

Lemma elab_front_sized : forall l k, Forall axis_ok l -> Forall axis_ok k ->
  front_le (map dim_of l) (map dim_of k) -> sized (elab_pairs elab_pair l k).
Proof.
  intros l; induction l as [|a l IH]; intros [|b k] A B H; try constructor.
  inversion A; inversion B; subst. destruct H as [H H']. rewrite elab_pairs_cons.
  apply Forall_app. split; [apply elab_pair_sized; auto | apply IH; auto].
Qed.

Lemma elaborate_sized : forall c, (forall a, In a (axes_of c) -> axis_ok a) -> op_holds c -> sized (elaborate c).
Proof.
  intros [a b|res op|R Q|res op|a] A H; simpl in *.
  - apply elab_eq_sized; auto.
  - apply elab_le_sized; auto.
  - unfold flat_equiv, flat, row_of in H. simpl in H. rewrite <- !map_app in H.
    apply elab_row_eq_sized; [apply Forall_forall | apply Forall_forall | exact H];
      intros a I; apply A, in_app_iff; auto.
  - apply def_2_3_flank_decomposition in H as [L T]. unfold row_of in *. simpl in *.
    assert (P : forall l, incl l (flat_axes res ++ flat_axes op) -> Forall axis_ok l)
      by (intros l I; apply Forall_forall; auto).
    unfold flat_axes in P.
    apply Forall_app. split; [|apply Forall_app; split].
    + apply elab_front_sized; auto; apply P; intros a I; rewrite !in_app_iff; auto.
    + apply elab_iter_sized.
    + unfold back_le in T. rewrite <- !map_rev in T. apply elab_front_sized; auto;
        apply P; intros a I; apply in_rev in I; rewrite !in_app_iff; auto.
  - repeat constructor.
Qed.

Lemma elaboration_sized : forall cs, all_sized env sz cs -> Forall op_holds cs -> sized (elaboration cs).
Proof.
  intros cs A H. apply Forall_forall. intros d D. apply in_flat_map in D as (c & C & D).
  assert (S : sized (elaborate c)).
  { apply elaborate_sized; [intros a; apply A, C|]. rewrite Forall_forall in H. auto. }
  rewrite Forall_forall in S. auto.
Qed.

Lemma given_sized : forall E, sized E -> forall q r, given E (Eq q r) ->
  exists n, atom_sized env sz q n /\ atom_sized env sz r n.
Proof.
  intros E S q r [G|G]; rewrite Forall_forall in S; apply S in G; simpl in G; [exact G|].
  destruct G as (n & A & B). eauto.
Qed.

(** 7.2.  The side condition of Def. 7.2 holds of every pin that is emitted. *)
Theorem def_7_2_in_range : forall cs, all_sized env sz cs -> Forall op_holds cs ->
  in_range env sz (elaboration cs).
Proof.
  intros cs A H p i G. destruct (given_sized _ (elaboration_sized cs A H) _ _ G) as (n & X & Y).
  simpl in X. subst n. exact Y.
Qed.

(** 7.2.  Ids that are joined have the same size. *)
Theorem def_7_2_sizes_agree : forall cs, all_sized env sz cs -> Forall op_holds cs ->
  ~ size_conflict sz (elaboration cs).
Proof.
  intros cs A H (p & q & C & N). apply N. revert p q C N.
  enough (X : forall p q, co_iterated (elaboration cs) p q -> sz p = sz q) by eauto.
  apply co_least; try congruence. intros p q G.
  destruct (given_sized _ (elaboration_sized cs A H) _ _ G) as (n & X & Y). simpl in *. congruence.
Qed.

End Elaborated.

(** Without slices the local solve always succeeds: all pins are 0. *)
Lemma elab_pairs_In : forall f l k d, In d (elab_pairs f l k) ->
  exists a b, In a l /\ In b k /\ In d (f a b).
Proof.
  intros f l k d I. apply in_flat_map in I as ([a b] & C & I).
  exists a, b. split; [eapply in_combine_l; eauto|]. split; [eapply in_combine_r; eauto | exact I].
Qed.

Definition plain (d : equation) : Prop :=
  match d with
  | Eq (Proj _) (Proj _) | Eq (Proj _) (Sol (Fix 0)) | Iter (Proj _) => True
  | _ => False
  end.

Lemma skipn_In : forall A n (l : list A) x, In x (skipn n l) -> In x l.
Proof. intros A n l x I. rewrite <- (firstn_skipn n l). apply in_app_iff. auto. Qed.

Lemma firstn_In : forall A n (l : list A) x, In x (firstn n l) -> In x l.
Proof. intros A n l x I. rewrite <- (firstn_skipn n l). apply in_app_iff. auto. Qed.

Lemma elaborate_plain : forall c, (forall a, In a (axes_of c) -> exists p, of_axis a = Proj p) ->
  forall d, In d (elaborate c) -> plain d.
Proof.
  intros c A.
  assert (EQ : forall a b, In a (axes_of c) -> In b (axes_of c) -> forall d, In d (elab_eq a b) -> plain d).
  { intros a b I J d [<-|[]]. destruct (A a I) as [p P], (A b J) as [q Q]. rewrite P, Q. constructor. }
  assert (LE : forall a b, In a (axes_of c) -> In b (axes_of c) -> forall d, In d (elab_le a b) -> plain d).
  { intros a b I J d. unfold elab_le. destruct (size (dim_of b) =? 1); [|apply EQ; auto].
    intros [<-|[]]. destruct (A b J) as [q Q]. rewrite Q. constructor. }
  assert (IT : forall a, In a (axes_of c) -> forall d, In d (elab_iter a) -> plain d).
  { intros a I d [<-|[]]. destruct (A a I) as [p P]. rewrite P. constructor. }
  assert (PA : forall a b, In a (axes_of c) -> In b (axes_of c) -> forall d, In d (elab_pair a b) -> plain d).
  { intros a b I J d. unfold elab_pair. rewrite in_app_iff. intros [H|H]; [eapply (LE a b); eauto|].
    destruct (size (dim_of b) =? 1); [exact (IT a I d H) | destruct H]. }
  destruct c as [a b|res op|R Q|res op|a]; simpl in *; intros d D.
  - eapply (EQ a b); simpl; auto.
  - eapply (LE res op); auto.
  - apply elab_pairs_In in D as (a & b & I & J & D). eapply (EQ a b); auto; apply in_app_iff; auto.
  - unfold elab_row_le in D. unfold flat_axes in *. rewrite !in_app_iff in D. destruct D as [D|[D|D]].
    + apply elab_pairs_In in D as (a & b & I & J & D). apply (PA a b); auto; rewrite !in_app_iff; auto.
    + apply in_flat_map in D as (a & I & D). apply (IT a); [|exact D]. unfold surplus in I.
      rewrite in_app_iff in I. rewrite !in_app_iff.
      destruct I as [I|I]; [apply skipn_In in I | apply firstn_In in I]; auto.
    + apply elab_pairs_In in D as (a & b & I & J & D). apply in_rev in I. apply in_rev in J.
      apply (PA a b); auto; rewrite !in_app_iff; auto.
  - eapply (IT a); auto.
Qed.

(** 7.2.  If the constraints hold and nothing is sliced, the solver succeeds. *)
Theorem def_7_2_unsliced_succeeds : forall env sz cs, all_sized env sz cs -> Forall op_holds cs -> unsliced cs ->
  exists st, solve sz (elaboration cs) = Done st.
Proof.
  intros env sz cs A H U. destruct (solve sz (elaboration cs)) as [st|f] eqn:S; [eauto|]. exfalso.
  assert (P : forall d, In d (elaboration cs) -> plain d).
  { intros d D. apply in_flat_map in D as (c & C & D). eapply elaborate_plain; eauto. }
  assert (Z : forall p i, pinned (elaboration cs) p i -> i = Fix 0).
  { intros p i (q & _ & [G|G]); apply P in G; simpl in G; [|destruct G].
    destruct i as [[|c]|s]; tauto. }
  destruct (proj1 (thm_7_4_fails_iff sz (elaboration cs)) (ex_intro _ f S)) as [C|[C|C]].
  - exact (def_7_2_sizes_agree env sz cs A H C).
  - destruct C as (p & i & j & I & J & N). apply Z in I, J. congruence.
  - destruct C as (i & j & [G|G] & _); apply P in G; exact G.
Qed.

(** Thm. 7.8(1), from shapes to addresses. *)
Theorem thm_7_8_1_from_shapes : forall axes cs n env, Forall op_holds cs ->
  all_sized env (size_in axes) cs -> project axes (elaboration cs) = Done n ->
  forall tensor, incl tensor (map fst axes) ->
  forall x, in_product x (factors n) ->
  in_domain (address env (index_map n tensor) x) (map (size_in axes) tensor).
Proof.
  intros axes cs n env H A P tensor T x X. eapply thm_7_8_1; eauto. apply def_7_2_in_range; auto.
Qed.

(** * The marks of P6 *)

(** 7.2.  Where every id is marked, exactly the pinned ids and those of size 1 get no loop. *)
Theorem def_7_2_terminals : forall axes E n, project axes E = Done n ->
  (forall p, In p (map fst axes) -> marked E p) ->
  forall p, In p (map fst axes) ->
  ((exists j, index_map n [p] = [Iterator j]) <-> (forall i, ~ pinned E p i) /\ 1 < size_in axes p).
Proof.
  intros axes E n H M p I. apply project_Done in H as (W & st & S & ->).
  unfold index_map. simpl map at 1. rewrite lookup_map by exact I.
  pose proof (loops_iff _ _ _ S p) as L. unfold looped in L. split.
  - intros [j [= J]]. apply label_iterator, L in J. tauto.
  - intros [N B]. eexists. f_equal. apply label_looped, L. auto.
Qed.

(** 7.2.  Without marks, axes that P3 joins are read at 0 only: a copy of three entries
    copies one. *)
Theorem finding_7_2_bare_copy :
  let axes := fst example_bare_copy in let cs := snd example_bare_copy in
  Forall op_holds cs /\
  exists n, project axes (elaboration cs) = Done n /\ factors n = [] /\
    forall env, ~ surjective env (factors n) (index_map n [0]) (map (size_in axes) [0]).
Proof.
  simpl. split.
  - repeat constructor; simpl; right; reflexivity.
  - eexists. split; [reflexivity|]. split; [reflexivity|]. intros env H.
    destruct (H [1]) as (x & _ & A); [repeat constructor | discriminate A].
Qed.

(** * The examples *)

(** 7.6.i.  Matrix product: three loops, the third is the reduction axis; surjective, not
    injective. *)
Theorem example_7_6_product : exists n,
  project (fst example_product) (snd example_product) = Done n /\
  index_map n [0; 1] = [Iterator 0; Iterator 1] /\
  index_map n [2; 3] = [Iterator 0; Iterator 2] /\
  index_map n [4; 5] = [Iterator 2; Iterator 1] /\
  reductions (factors n) (index_map n [0; 1]) = [2] /\
  surjectiveb (index_map n [0; 1]) [2; 4] = true /\
  injectiveb (factors n) (index_map n [0; 1]) = false.
Proof. eexists. split; [reflexivity|]. repeat split. Qed.

(** 7.2.  Adding a column: the column's second axis is pinned at 0. *)
Theorem example_7_2_column : exists n,
  project (fst example_column) (elaboration (snd example_column)) = Done n /\
  index_map n [0; 1] = [Iterator 0; Iterator 1] /\
  index_map n [4; 5] = [Iterator 0; Given (Fix 0)] /\
  reductions (factors n) (index_map n [0; 1]) = [].
Proof. eexists. split; [reflexivity|]. repeat split. Qed.
