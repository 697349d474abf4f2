(** D13: on literal programs ranged dimensions and the broadcast order agree wherever no literal 1 is stretched. *)

From Coq Require Import PArith NArith List Bool Arith Lia.
From Lozenge Require Import Dim Row Term Semantics Rules Literal Row_thm Rules_thm.
From Lozenge Require Ranged.
Import ListNotations.

(** * Columns of a broadcast *)

(** The columns of two shapes, from the last axis on. *)
Fixpoint cols {A : Type} (F G : list A) : list (list A) :=
  match F, G with
  | x :: F, y :: G => [x; y] :: cols F G
  | [], G => map (fun y => [y]) G
  | F, [] => map (fun x => [x]) F
  end.

Definition at_place {A : Type} (F : list A) (j : nat) : list A := match nth_error F j with Some x => [x] | None => [] end.

Lemma cols_places : forall (A : Type) (F G : list A),
  map (fun j => at_place F j ++ at_place G j) (seq 0 (Nat.max (length F) (length G))) = cols F G.
Proof.
  intros A F; induction F as [|x F IH]; intros G.
  - simpl. induction G as [|y G IG]; [reflexivity|]. simpl. f_equal. rewrite <- seq_shift, map_map, <- IG.
    apply map_ext. intros [|j]; reflexivity.
  - destruct G as [|y G].
    + simpl. f_equal. rewrite <- seq_shift, map_map. clear. induction F as [|z F IF]; [reflexivity|]. simpl. f_equal.
      rewrite <- seq_shift, map_map, <- IF. apply map_ext. intros [|j]; reflexivity.
    + simpl. f_equal. rewrite <- seq_shift, map_map. exact (IH G).
Qed.

Lemma map_down : forall (A : Type) (h : nat -> A) r, map (fun c => h (r - S c)) (seq 0 r) = rev (map h (seq 0 r)).
Proof.
  intros A h r; induction r as [|r IH]; [reflexivity|].
  replace (rev (map h (seq 0 (S r)))) with (h r :: rev (map h (seq 0 r))) by (rewrite seq_S, map_app, rev_app_distr; reflexivity).
  cbn [seq map]. replace (S r - 1) with r by lia. f_equal. rewrite <- IH, <- seq_shift, map_map. apply map_ext. intros c.
  reflexivity.
Qed.

Lemma nth_rev : forall (A : Type) (l : list A) i, i < length l -> nth_error (rev l) i = nth_error l (length l - S i).
Proof.
  intros A l i L. destruct (nth_error l (length l - S i)) as [x|] eqn:E.
  - rewrite (nth_error_nth' (rev l) x) by now rewrite rev_length. rewrite rev_nth by exact L.
    f_equal. apply nth_error_nth. exact E.
  - apply nth_error_None in E. lia.
Qed.

Lemma in_column_place : forall r c (s : Ranged.shape), c < r -> length s <= r -> Ranged.in_column r c s = at_place (rev s) (r - S c).
Proof.
  intros r c s L M. unfold Ranged.in_column, at_place. destruct (Nat.ltb_spec (c + length s) r) as [X|X].
  - rewrite (proj2 (nth_error_None (rev s) (r - S c))); [reflexivity | rewrite rev_length; lia].
  - rewrite nth_rev by lia. replace (length s - S (r - S c)) with (c + length s - r) by lia. reflexivity.
Qed.

Lemma columns_cols : forall s t, Ranged.columns_of [s; t] = rev (cols (rev s) (rev t)).
Proof.
  intros s t. rewrite <- cols_places, <- map_down, !rev_length. unfold Ranged.columns_of, Ranged.rank_of. simpl map at 2 3.
  simpl fold_right.
  rewrite Nat.max_0_r. apply map_ext_in. intros c J. apply in_seq in J. simpl. rewrite app_nil_r.
  now rewrite !in_column_place by lia.
Qed.

(** * Literal columns *)

Lemma literal_inj : forall x y, literal x = literal y -> x = y.
Proof. intros x y E. now injection E. Qed.

Lemma unify_literals : forall x y, Ranged.unify [] (literal x) (literal y) =
  ([], if Pos.eqb x y then Ranged.Ok (literal x) else Ranged.Err (Ranged.Literal_mismatch (Npos x) (Npos y))).
Proof. intros x y. unfold Ranged.unify, literal, Ranged.meet, Ranged.rd_literal. simpl. reflexivity. Qed.

Lemma is_one_literal : forall x, Ranged.is_one (literal x) = Pos.eqb x 1.
Proof. reflexivity. Qed.

(** What a column comes to. *)
Definition column (c : list Ranged.dim) (x : positive) : Prop :=
  exists d, Ranged.unify_column [] None (Ranged.wide c) = ([], Ranged.Ok d) /\
    match d with Some d => d | None => Ranged.Literal 1 end = literal x.

Lemma column_one : forall x, column [literal x] x.
Proof.
  intros x. unfold column, Ranged.wide. cbn [filter]. rewrite is_one_literal. destruct (Pos.eqb_spec x 1) as [->|D]; cbn [negb].
  - exists None. split; reflexivity.
  - exists (Some (literal x)). split; reflexivity.
Qed.

Lemma column_same : forall x, column [literal x; literal x] x.
Proof.
  intros x. unfold column, Ranged.wide. cbn [filter]. rewrite is_one_literal. destruct (Pos.eqb_spec x 1) as [->|D]; cbn [negb].
  - exists None. split; reflexivity.
  - exists (Some (literal x)). split; [|reflexivity]. cbn [Ranged.unify_column]. rewrite unify_literals, Pos.eqb_refl.
    reflexivity.
Qed.

Lemma columns_come : forall C V, Forall2 column C V -> Ranged.broadcast_columns [] C = ([], Ranged.Ok (map literal V)).
Proof.
  intros C V F; induction F as [|c x C V (d & U & E) F IH]; [reflexivity|]. cbn [Ranged.broadcast_columns].
  rewrite U. cbn [Ranged.bind]. rewrite IH. cbn [Ranged.bind]. now rewrite E.
Qed.

(** A column of two literals that differ, none of them 1, has no size; and then the broadcast has none. *)
Lemma columns_each : forall C G sh, Ranged.broadcast_columns [] C = (G, Ranged.Ok sh) ->
  (forall c, In c C -> exists l, c = map literal l /\ length l <= 2) -> forall c, In c C -> exists d, snd (Ranged.unify_column [] None (Ranged.wide c)) = Ranged.Ok d.
Proof.
  intros C; induction C as [|c C IH]; intros G sh E L x J; [destruct J|]. cbn [Ranged.broadcast_columns] in E.
  destruct (L c (or_introl eq_refl)) as (l & -> & Ll).
  assert (X : fst (Ranged.unify_column [] None (Ranged.wide (map literal l))) = []).
  { destruct l as [|a [|b [|]]]; simpl in Ll; try lia; unfold Ranged.wide; cbn [map filter];
      repeat match goal with |- context [Ranged.is_one ?d] => destruct (Ranged.is_one d); cbn [negb] end; try reflexivity.
    cbn [Ranged.unify_column]. rewrite unify_literals. destruct (Pos.eqb a b); reflexivity. }
  destruct (Ranged.unify_column [] None (Ranged.wide (map literal l))) as [G1 [d|q]] eqn:U; cbn [fst] in X; subst G1;
    cbn [Ranged.bind] in E; [|discriminate].
  destruct (Ranged.broadcast_columns [] C) as [G2 [ds|q]] eqn:B; cbn [Ranged.bind] in E; [|discriminate].
  destruct J as [<-|J]; [exists d; now rewrite U | exact (IH G2 ds eq_refl (fun c Jc => L c (or_intror Jc)) x J)].
Qed.

(** * Broadcasts *)

(** The same sizes as far as both go, and the longer one. *)
Definition same_front (F G : list positive) : Prop := forall x y, In (x, y) (combine F G) -> x = y.

Fixpoint longer (F G : list positive) : list positive :=
  match F, G with
  | x :: F, _ :: G => x :: longer F G
  | [], G => G
  | F, [] => F
  end.

Lemma same_front_cons : forall x y F G, same_front (x :: F) (y :: G) <-> x = y /\ same_front F G.
Proof.
  intros x y F G. unfold same_front. simpl. split.
  - intros H. split; [apply H; auto | intros a b J; apply H; auto].
  - intros [<- H] a b [J|J]; [congruence | auto].
Qed.

Lemma Forall2_back : forall (A B : Type) (P : A -> B -> Prop) l k, Forall2 P l k -> Forall2 P (rev l) (rev k).
Proof. intros A B P l k F; induction F; simpl; [constructor | apply Forall2_app; auto]. Qed.

Lemma columns_same : forall F G, same_front F G -> Forall2 column (cols (map literal F) (map literal G)) (longer F G).
Proof.
  assert (One : forall l, Forall2 column (map (fun y => [y]) (map literal l)) l).
  { intros l; induction l; simpl; constructor; auto using column_one. }
  intros F; induction F as [|x F IH]; intros G S; [exact (One G)|]. destruct G as [|y G]; [exact (One (x :: F))|].
  apply same_front_cons in S. destruct S as [<- S]. simpl. constructor; [apply column_same | auto].
Qed.

Lemma broadcast_same : forall s t, same_front (rev s) (rev t) ->
  snd (Ranged.broadcast [] [map literal s; map literal t]) = Ranged.Ok (map literal (rev (longer (rev s) (rev t)))).
Proof.
  intros s t S. unfold Ranged.broadcast, Ranged.broadcast_dims. rewrite columns_cols, <- !map_rev.
  rewrite (columns_come _ (rev (longer (rev s) (rev t)))); [reflexivity|]. apply Forall2_back. now apply columns_same.
Qed.

Lemma stretches_same : forall s t, same_front (rev s) (rev t) -> stretches (map literal s) (map literal t) = false.
Proof.
  intros s t S. unfold stretches. rewrite <- !map_rev. revert S. generalize (rev s) (rev t). clear.
  intros F; induction F as [|x F IH]; intros [|y G] S; auto. apply same_front_cons in S. destruct S as [<- S]. simpl.
  rewrite (IH G S), xorb_nilpotent. reflexivity.
Qed.

Lemma cols_in : forall (A : Type) (F G : list A) x y, In (x, y) (combine F G) -> In [x; y] (cols F G).
Proof.
  intros A F; induction F as [|a F IH]; intros [|b G] x y J; simpl in J; try contradiction.
  destruct J as [J|J]; [injection J as <- <-; left; reflexivity | right; auto].
Qed.

Lemma cols_literal : forall F G c, In c (cols (map literal F) (map literal G)) -> exists l, c = map literal l /\ length l <= 2.
Proof.
  assert (One : forall l c, In c (map (fun y => [y]) (map literal l)) -> exists l, c = map literal l /\ length l <= 2).
  { intros l c J. rewrite map_map in J. apply in_map_iff in J. destruct J as (x & <- & _). exists [x]. simpl. auto. }
  intros F; induction F as [|x F IH]; intros G c J; [exact (One G c J)|]. destruct G as [|y G]; [exact (One (x :: F) c J)|].
  simpl in J. destruct J as [<-|J]; [exists [x; y]; simpl; auto | exact (IH G c J)].
Qed.

Lemma combine_literals : forall F G x y, In (x, y) (combine F G) -> In (literal x, literal y) (combine (map literal F) (map literal G)).
Proof. intros F; induction F as [|a F IH]; intros [|b G] x y J; simpl in *; auto.
destruct J as [J|J]; [left; congruence | right; auto]. Qed.

(** A broadcast that has a shape and stretches no 1 is of sizes that are the same. *)
Lemma broadcast_front : forall s t sh, snd (Ranged.broadcast [] [map literal s; map literal t]) = Ranged.Ok sh ->
  stretches (map literal s) (map literal t) = false -> same_front (rev s) (rev t).
Proof.
  intros s t sh E St x y J. pose proof (combine_literals _ _ _ _ J) as Jl. rewrite !map_rev in Jl.
  assert (O : Pos.eqb x 1 = Pos.eqb y 1).
  { unfold stretches in St. destruct (Pos.eqb x 1) eqn:X, (Pos.eqb y 1) eqn:Y; auto; exfalso;
      rewrite <- not_true_iff_false in St; apply St, existsb_exists; exists (literal x, literal y); (split; [exact Jl|]);
      cbn [fst snd]; rewrite !is_one_literal, X, Y; reflexivity. }
  unfold Ranged.broadcast, Ranged.broadcast_dims in E. rewrite columns_cols in E.
  destruct (Ranged.broadcast_columns [] (rev (cols (rev (map literal s)) (rev (map literal t))))) as [G [k|q]] eqn:B; cbn in E;
    [|discriminate].
  destruct (columns_each _ _ _ B) with (c := [literal x; literal y]) as (d & U).
  - intros c Jc. apply in_rev in Jc. rewrite <- !map_rev in Jc. exact (cols_literal _ _ c Jc).
  - apply -> in_rev. apply cols_in. exact Jl.
  - unfold Ranged.wide in U. cbn [filter] in U. rewrite !is_one_literal, O in U.
    destruct (Pos.eqb_spec y 1) as [->|D]; cbn [negb] in U.
    + now apply Pos.eqb_eq in O.
    + cbn [Ranged.unify_column] in U. rewrite unify_literals in U. destruct (Pos.eqb_spec x y) as [Q|Q]; [exact Q | discriminate].
Qed.

(** * Rows below literal rows *)

Lemma below_atom : forall d p, d ⊑d num p <-> d = num p.
Proof. intros d p. split; [intros [H|H]; [discriminate | exact H] | intros ->; right; reflexivity]. Qed.

Lemma num_inj : forall x y, num x = num y -> x = y.
Proof. intros x y E. now injection E. Qed.

Lemma map_num_inj : forall x y, map num x = map num y -> x = y.
Proof. intros x; induction x as [|a x IH]; intros [|b y] E; try discriminate; auto. injection E as -> E. f_equal. auto. Qed.

Lemma front_both : forall F G R, front_le R (map num F) -> front_le R (map num G) -> length R = Nat.max (length F) (length G) ->
  same_front F G /\ R = map num (longer F G).
Proof.
  assert (One : forall G R, front_le R (map num G) -> length R = length G -> R = map num G).
  { intros G; induction G as [|y G IG]; intros [|d R] H L; try discriminate; auto. destruct H as [D H]. apply below_atom in D.
    subst. simpl. f_equal. auto. }
  intros F; induction F as [|x F IH]; intros G R A B L.
  - split; [intros a b [] | exact (One G R B L)].
  - destruct G as [|y G]; [split; [intros a b [] | exact (One (x :: F) R A L)]|].
    destruct R as [|d R]; [destruct A|]. destruct A as [D A], B as [E B]. apply below_atom in D, E. subst d. apply num_inj in E.
    subst y.
    simpl in L. injection L as L. destruct (IH G R A B L) as [S Q]. split; [now apply same_front_cons | simpl; now rewrite Q].
Qed.

Lemma front_longer : forall F G, same_front F G -> front_le (map num (longer F G)) (map num F) /\ front_le (map num (longer F G)) (map num G).
Proof.
  intros F; induction F as [|x F IH]; intros [|y G] S; simpl; auto using front_le_refl.
  - split; [auto|]. split; [now right | apply front_le_refl].
  - split; [|exact I]. split; [now right | apply front_le_refl].
  - apply same_front_cons in S. destruct S as [<- S]. destruct (IH G S). repeat split; auto; now right.
Qed.

Lemma literal_rows : forall R s, ([] ·⋄· R ⊑r [] ·⋄· map num s) <-> front_le (rev R) (map num (rev s)).
Proof.
  intros R s. rewrite def_2_3_flank_decomposition. unfold back_le. simpl. rewrite map_rev. tauto.
Qed.

Lemma longer_length : forall F G, length (longer F G) = Nat.max (length F) (length G).
Proof. intros F; induction F as [|x F IH]; intros [|y G]; simpl; auto. Qed.

(** D13, one broadcast of two literal shapes of any rank: a row of the greater rank is below both, with 1 of basis default,
    iff the shapes broadcast without stretching a 1; and then it is the shape of the broadcast. *)
Theorem d13_broadcast : forall s t R, length R = Nat.max (length s) (length t) ->
  (([] ·⋄· R ⊑r [] ·⋄· map num s) /\ ([] ·⋄· R ⊑r [] ·⋄· map num t) <->
   exists x, snd (Ranged.broadcast [] [map literal s; map literal t]) = Ranged.Ok (map literal x) /\
     stretches (map literal s) (map literal t) = false /\ R = map num x).
Proof.
  intros s t R L. rewrite !literal_rows. split.
  - intros [A B]. destruct (front_both _ _ _ A B) as [S E]; [now rewrite !rev_length|].
    exists (rev (longer (rev s) (rev t))). split; [now apply broadcast_same|]. split; [now apply stretches_same|].
    rewrite map_rev, <- E. now rewrite rev_involutive.
  - intros (x & O & St & ->). pose proof (broadcast_front s t _ O St) as S. rewrite (broadcast_same s t S) in O.
    injection O as O. assert (Q : rev x = longer (rev s) (rev t)).
    { assert (Q : rev (longer (rev s) (rev t)) = x).
      { clear -O. revert x O. induction (rev (longer (rev s) (rev t))) as [|a l IH]; intros [|b x] E; try discriminate; auto.
        injection E as -> E. f_equal. auto. }
      rewrite <- Q. apply rev_involutive. }
    rewrite <- map_rev, Q. now apply front_longer.
Qed.

(** * Other steps *)

Lemma map_literal_inj : forall x y, map literal x = map literal y -> x = y.
Proof. intros x; induction x as [|a x IH]; intros [|b y] E; try discriminate; auto. injection E as -> E. f_equal. auto. Qed.

Lemma axes_same : forall s, Ranged.unify_axes [] (map literal s) (map literal s) = ([], Ranged.Ok (map literal s)).
Proof.
  intros s; induction s as [|x s IH]; [reflexivity|]. cbn [map Ranged.unify_axes]. rewrite unify_literals, Pos.eqb_refl.
  cbn [Ranged.bind]. rewrite IH. reflexivity.
Qed.

Lemma zip_same : forall s, Ranged.zip [] (map literal s) (map literal s) = ([], Ranged.Ok (map literal s)).
Proof. intros s. unfold Ranged.zip. rewrite Nat.eqb_refl. apply axes_same. Qed.

Lemma zip_inv : forall s t G sh, Ranged.zip [] (map literal s) (map literal t) = (G, Ranged.Ok sh) -> s = t.
Proof.
  intros s t G sh E. unfold Ranged.zip in E. rewrite !map_length in E.
  destruct (Nat.eqb_spec (length s) (length t)) as [L|L]; [|discriminate].
  simpl in E. revert t G sh L E. induction s as [|x s IH]; intros [|y t] G sh L E; try discriminate; auto.
  cbn [map Ranged.unify_axes] in E. rewrite unify_literals in E.
  destruct (Pos.eqb_spec x y) as [->|D]; cbn [Ranged.bind] in E; [|discriminate].
  destruct (Ranged.unify_axes [] (map literal s) (map literal t)) as [G1 [k|q]] eqn:U; cbn [Ranged.bind] in E; [|discriminate].
  f_equal. apply (IH t G1 k); [now injection L | exact U].
Qed.

Lemma put_map : forall (A B : Type) (f : A -> B) l i x, map f (Ranged.put i x l) = Ranged.put i (f x) (map f l).
Proof. intros A B f l; induction l as [|y l IH]; intros [|i] x; simpl; auto. now rewrite IH. Qed.

Lemma swapped_map : forall (A B : Type) (f : A -> B) i j l, swapped i j (map f l) = option_map (map f) (swapped i j l).
Proof.
  intros A B f i j l. unfold swapped. rewrite !nth_error_map.
  destruct (nth_error l i) as [x|], (nth_error l j) as [y|]; simpl; auto.
  now rewrite !put_map.
Qed.

Lemma reduced_map : forall (A B : Type) (f : A -> B) one i keep l, reduced (f one) i keep (map f l) = option_map (map f) (reduced one i keep l).
Proof.
  intros A B f one i keep l. unfold reduced. rewrite map_length. destruct (i <? length l); [|reflexivity]. cbn [option_map].
  rewrite !map_app, firstn_map, skipn_map. destruct keep; reflexivity.
Qed.

Lemma insert_map : forall (A B : Type) (f : A -> B) i x l, Ranged.insert_at i (f x) (map f l) = map f (Ranged.insert_at i x l).
Proof. intros A B f i x l. unfold Ranged.insert_at. now rewrite map_app, firstn_map, map_cons, skipn_map. Qed.

Lemma insert_length : forall (A : Type) i (x : A) l, i <= length l -> length (Ranged.insert_at i x l) = S (length l).
Proof. intros A i x l L. unfold Ranged.insert_at. rewrite app_length, firstn_length. simpl. rewrite skipn_length. lia. Qed.

Lemma default_literal : forall p, literal_term (num 1) p = DConst (num p).
Proof. intros p. unfold literal_term. destruct (Pos.eqb_spec p 1) as [->|]; reflexivity. Qed.

Lemma ground_axes : forall g l, ground_r g (axes_row l) = [] ·⋄· map (ground_d g) l.
Proof. reflexivity. Qed.

(** * Steps *)

Lemma shape_at : forall g rows shapes a r, same_shapes g rows shapes -> nth_error rows a = Some r ->
  exists x, operand shapes a = map literal x /\ map (ground_d g) r = map num x.
Proof.
  intros g rows shapes a r F; revert a. induction F as [|r' s rows shapes (x & -> & E) F IH]; intros [|a] J; simpl in J;
    try discriminate.
  - injection J as <-. exists x. auto.
  - exact (IH a J).
Qed.

(** What solves the constraints of a step gives its row the shape of the run. *)
Lemma solved_step : forall g rows shapes n s cs row m, same_shapes g rows shapes ->
  translate_step (num 1) rows n s = Some (cs, row, m) -> sol cs g -> length row <= Ranged.max_rank ->
  exists x, run_step shapes s = Some (map literal x) /\ step_stretches shapes s = false /\ map (ground_d g) row = map num x.
Proof.
  intros g rows shapes n s cs row m F T So L. destruct s as [sizes|a b|a b|a b|a i j|a i keep|a b i]; cbn [translate_step] in T.
  - injection T as <- <- <-. exists sizes. split; [reflexivity|]. split; [reflexivity|]. rewrite map_map. apply map_ext.
    intros p. now rewrite default_literal.
  - destruct (nth_error rows a) as [x|] eqn:Ea; [|discriminate]. destruct (nth_error rows b) as [y|] eqn:Eb; [|discriminate].
    injection T as <- <- <-. destruct (shape_at _ _ _ _ _ F Ea) as (u & Ua & Va).
    destruct (shape_at _ _ _ _ _ F Eb) as (v & Ub & Vb).
    pose proof (So _ (or_introl eq_refl)) as A. pose proof (So _ (or_intror (or_introl eq_refl))) as B. cbn [holds] in A, B.
    rewrite !ground_axes in A, B. rewrite Va in A. rewrite Vb in B.
    assert (Q : length x = length u /\ length y = length v).
    { split; [rewrite <- (map_length (ground_d g) x), Va | rewrite <- (map_length (ground_d g) y), Vb]; apply map_length. }
    destruct Q as [Qx Qy].
    destruct (proj1 (d13_broadcast u v (map (ground_d g) (map DVar (seq n (Nat.max (length x) (length y))))) ltac:(rewrite !map_length, seq_length; congruence)) (conj A B))
      as (z & O & St & E).
    exists z. cbn [run_step step_stretches]. rewrite Ua, Ub, O. auto.
  - destruct (nth_error rows a) as [x|] eqn:Ea; [|discriminate]. destruct x as [|mx [|k1 [|]]]; try discriminate.
    destruct (nth_error rows b) as [y|] eqn:Eb; [|discriminate]. destruct y as [|k2 [|l [|]]]; try discriminate.
    injection T as <- <- <-. destruct (shape_at _ _ _ _ _ F Ea) as (u & Ua & Va).
    destruct (shape_at _ _ _ _ _ F Eb) as (v & Ub & Vb).
    destruct u as [|u1 [|u2 [|]]]; try discriminate. destruct v as [|v1 [|v2 [|]]]; try discriminate.
    pose proof (So _ (or_introl eq_refl)) as A. cbn [holds] in A. injection Va as V1 V2. injection Vb as V3 V4.
    rewrite V2, V3 in A. apply num_inj in A. subst v1. exists [u1; v2]. cbn [run_step step_stretches]. rewrite Ua, Ub.
    cbn [map Ranged.matmul].
    rewrite unify_literals, Pos.eqb_refl. cbn. rewrite V1, V4. auto.
  - destruct (nth_error rows a) as [x|] eqn:Ea; [|discriminate]. destruct (nth_error rows b) as [y|] eqn:Eb; [|discriminate].
    injection T as <- <- <-. destruct (shape_at _ _ _ _ _ F Ea) as (u & Ua & Va).
    destruct (shape_at _ _ _ _ _ F Eb) as (v & Ub & Vb).
    pose proof (So _ (or_introl eq_refl)) as A. cbn [holds] in A. rewrite !ground_axes in A. unfold flat_equiv, flat in A.
    simpl in A.
    rewrite Va, Vb in A. apply map_num_inj in A. subst v. exists u. cbn [run_step step_stretches]. rewrite Ua, Ub.
    unfold Ranged.unify_shapes.
    rewrite zip_same. cbn. auto.
  - destruct (nth_error rows a) as [x|] eqn:Ea; [|discriminate]. destruct (swapped i j x) as [y|] eqn:W; [|discriminate].
    injection T as <- <- <-. destruct (shape_at _ _ _ _ _ F Ea) as (u & Ua & Va).
    pose proof (swapped_map _ _ (ground_d g) i j x) as Q. rewrite Va, swapped_map, W in Q.
    destruct (swapped i j u) as [z|] eqn:Wu; [|discriminate].
    injection Q as Q. exists z. cbn [run_step step_stretches]. rewrite Ua, swapped_map, Wu. auto.
  - destruct (nth_error rows a) as [x|] eqn:Ea; [|discriminate].
    destruct (reduced (literal_term (num 1) 1) i keep x) as [y|] eqn:W; [|discriminate].
    injection T as <- <- <-. destruct (shape_at _ _ _ _ _ F Ea) as (u & Ua & Va).
    pose proof (reduced_map _ _ (ground_d g) (literal_term (num 1) 1) i keep x) as Q.
    change (ground_d g (literal_term (num 1) 1)) with (num 1) in Q. rewrite Va, reduced_map, W in Q.
    destruct (reduced 1%positive i keep u) as [z|] eqn:Wu; [|discriminate].
    injection Q as Q. exists z. cbn [run_step step_stretches]. rewrite Ua, reduced_map, Wu. auto.
  - destruct (nth_error rows a) as [x|] eqn:Ea; [|discriminate]. destruct (nth_error rows b) as [y|] eqn:Eb; [|discriminate].
    destruct (Nat.leb_spec i (length x)) as [Li|Li]; [|discriminate].
    injection T as <- <- <-. destruct (shape_at _ _ _ _ _ F Ea) as (u & Ua & Va).
    destruct (shape_at _ _ _ _ _ F Eb) as (v & Ub & Vb).
    pose proof (So _ (or_introl eq_refl)) as A. cbn [holds] in A. rewrite !ground_axes in A. unfold flat_equiv, flat in A.
    simpl in A.
    rewrite Va, Vb in A. apply map_num_inj in A. subst v.
    assert (Lx : length x = length u) by (rewrite <- (map_length (ground_d g) x), Va; apply map_length).
    rewrite insert_length in L by exact Li. exists (Ranged.insert_at i 2%positive u). cbn [run_step step_stretches].
    rewrite Ua, Ub.
    unfold Ranged.stack. rewrite map_length. destruct (Nat.leb_spec (S (length u)) i) as [X|X]; [lia|].
    destruct (Nat.ltb_spec Ranged.max_rank (S (length u))) as [Y|Y]; [lia|]. cbn [Ranged.stack_rest]. rewrite zip_same.
    cbn [Ranged.bind Ranged.transact snd ok length N.of_nat]. split; [|split; [reflexivity|]].
    + f_equal. change (Ranged.Literal (N.pos (Pos.of_succ_nat 1))) with (literal 2). apply insert_map.
    + rewrite <- (insert_map _ _ (ground_d g)), <- (insert_map _ _ num), Va. reflexivity.
Qed.

(** The variables of a row, and of constraints, are below [n]. *)
Definition below (n : nat) (v : var) : Prop := match v with DV a => a < n | RV _ => False end.
Definition row_below (n : nat) (r : list dterm) : Prop := forall v, In v (flat_map vars_d r) -> below n v.
Definition same_below (n : nat) (g h : ground) : Prop := (forall a, a < n -> g_d g a = g_d h a) /\ forall p, g_r g p = g_r h p.

Lemma row_values : forall n r g h, row_below n r -> same_below n g h -> map (ground_d g) r = map (ground_d h) r.
Proof.
  intros n r g h B [S _]. apply map_ext_in. intros [a|d] J; [|reflexivity]. apply S. apply (B (DV a)).
  apply in_flat_map. exists (DVar a). simpl. auto.
Qed.

Lemma rows_same : forall n rows shapes g h, (forall r, In r rows -> row_below n r) -> same_below n g h ->
  same_shapes g rows shapes -> same_shapes h rows shapes.
Proof.
  intros n rows shapes g h B S F; induction F as [|r s rows shapes (x & E & V) F IH]; [constructor|]. constructor.
  - exists x. split; [exact E|]. rewrite <- V. symmetry. apply (row_values n); [apply B; left; reflexivity | exact S].
  - apply IH. intros r' J. apply B. right. exact J.
Qed.

Lemma sol_same : forall n cs g h, (forall c, In c cs -> forall v, In v (vars_c c) -> below n v) -> same_below n g h -> sol cs g -> sol cs h.
Proof.
  intros n cs g h B [Sd Sr] H c J. apply (agree_holds g h); [|auto].
  intros [a|p] I; simpl; [apply Sd; exact (B c J _ I) | apply Sr].
Qed.

Lemma below_more : forall n m v, n <= m -> below n v -> below m v.
Proof. intros n m [a|p] L B; simpl in *; [lia | exact B]. Qed.

Lemma row_at : forall g rows shapes a, same_shapes g rows shapes -> a < length rows ->
  exists r x, nth_error rows a = Some r /\ In r rows /\ operand shapes a = map literal x /\ map (ground_d g) r = map num x.
Proof.
  intros g rows shapes a F L. destruct (nth_error rows a) as [r|] eqn:E; [|apply nth_error_None in E; lia].
  destruct (shape_at _ _ _ _ _ F E) as (x & U & V). exists r, x. repeat split; auto. exact (nth_error_In _ _ E).
Qed.

Lemma axes_below : forall n x y, row_below n x -> row_below n y ->
  forall v, In v (vars_r (axes_row x) ++ vars_r (axes_row y)) -> below n v.
Proof. intros n x y Bx By v J. unfold vars_r in J. simpl in J. apply in_app_iff in J. destruct J; auto. Qed.

Lemma sub_below : forall n r k, row_below n r -> (forall t, In t k -> In t r \/ vars_d t = []) -> row_below n k.
Proof.
  intros n r k B H v J. apply in_flat_map in J. destruct J as (t & Jt & Jv). destruct (H t Jt) as [X|X].
  - apply B. apply in_flat_map. eauto.
  - rewrite X in Jv. destruct Jv.
Qed.

Lemma put_in : forall (A : Type) (l : list A) i x t, In t (Ranged.put i x l) -> t = x \/ In t l.
Proof.
  intros A l; induction l as [|y l IH]; intros [|i] x t J; simpl in *; auto; destruct J as [<-|J]; auto.
  destruct (IH i x t J); auto.
Qed.

Lemma swapped_in : forall (A : Type) i j (l k : list A), swapped i j l = Some k -> forall t, In t k -> In t l.
Proof.
  intros A i j l k E t J. unfold swapped in E. destruct (nth_error l i) as [x|] eqn:X; [|discriminate].
  destruct (nth_error l j) as [y|] eqn:Y; [|discriminate]. injection E as <-.
  apply put_in in J. destruct J as [->|J]; [exact (nth_error_In _ _ X)|].
  apply put_in in J. destruct J as [->|J]; [exact (nth_error_In _ _ Y) | exact J].
Qed.

Lemma first_in : forall (A : Type) n (l : list A) t, In t (firstn n l) -> In t l.
Proof. intros A n l t J. rewrite <- (firstn_skipn n l). apply in_app_iff. auto. Qed.

Lemma skip_in : forall (A : Type) n (l : list A) t, In t (skipn n l) -> In t l.
Proof. intros A n l t J. rewrite <- (firstn_skipn n l). apply in_app_iff. auto. Qed.

(** A step that has a shape and stretches no 1: its constraints can be solved. *)
Lemma run_solved : forall g rows shapes n s sh, same_shapes g rows shapes -> (forall r, In r rows -> row_below n r) ->
  (forall a, In a (operands s) -> a < length rows) -> run_step shapes s = Some sh -> step_stretches shapes s = false ->
  exists cs row m h x, translate_step (num 1) rows n s = Some (cs, row, m) /\ n <= m /\ row_below m row /\
    (forall c, In c cs -> forall v, In v (vars_c c) -> below m v) /\ same_below n g h /\ sol cs h /\
    sh = map literal x /\ map (ground_d h) row = map num x.
Proof.
  intros g rows shapes n s sh F B O R St.
  assert (Refl : same_below n g g) by (split; auto).
  destruct s as [sizes|a b|a b|a b|a i j|a i keep|a b i]; cbn [run_step step_stretches translate_step operands] in *.
  - injection R as <-. exists [], (map (literal_term (num 1)) sizes), n, g, sizes. split; [reflexivity|]. split; [auto|].
    split; [intros v J; apply in_flat_map in J; destruct J as (t & Jt & Jv); apply in_map_iff in Jt; destruct Jt as (p & <- & _);
      destruct Jv|].
    split; [intros c []|]. split; [exact Refl|]. split; [intros c []|]. split; [reflexivity|]. rewrite map_map. apply map_ext.
    intros p. now rewrite default_literal.
  - destruct (row_at _ _ _ a F) as (x & u & Ea & Ja & Ua & Va); [apply O; simpl; auto|].
    destruct (row_at _ _ _ b F) as (y & v & Eb & Jb & Ub & Vb); [apply O; simpl; auto|]. rewrite Ea, Eb. rewrite Ua, Ub in R, St.
    destruct (snd (Ranged.broadcast [] [map literal u; map literal v])) as [k|q] eqn:Br; [|discriminate]. injection R as ->.
    pose proof (broadcast_front u v _ Br St) as Sf. pose proof (broadcast_same u v Sf) as Q. rewrite Br in Q. injection Q as ->.
    set (z := rev (longer (rev u) (rev v))) in *. set (rank := Nat.max (length x) (length y)).
    assert (Lx : length x = length u) by (rewrite <- (map_length (ground_d g) x), Va; apply map_length).
    assert (Ly : length y = length v) by (rewrite <- (map_length (ground_d g) y), Vb; apply map_length).
    assert (Lz : length z = rank) by (unfold z, rank; rewrite rev_length, longer_length, !rev_length; congruence).
    set (h := Ground (fun c => if c <? n then g_d g c else nth (c - n) (map num z) Unit) (g_r g)).
    assert (Sh : same_below n g h) by (split; [intros c Lc; simpl; now rewrite (proj2 (Nat.ltb_lt c n) Lc) | reflexivity]).
    assert (V : map (ground_d h) (map DVar (seq n rank)) = map num z).
    { rewrite map_map. apply (nth_ext _ _ Unit Unit); [rewrite !map_length, seq_length; auto|].
      intros i Li. rewrite map_length, seq_length in Li.
      rewrite (nth_indep _ Unit (ground_d h (DVar 0))) by now rewrite map_length, seq_length.
      rewrite (map_nth (fun c => ground_d h (DVar c))), seq_nth by exact Li. cbn [ground_d h g_d].
      destruct (Nat.ltb_spec (n + i) n) as [X|X]; [lia|]. now replace (n + i - n) with i by lia. }
    assert (Bn : row_below (n + rank) (map DVar (seq n rank))).
    { intros w J. apply in_flat_map in J. destruct J as (t & Jt & Jv). apply in_map_iff in Jt. destruct Jt as (c & <- & Jc).
      apply in_seq in Jc. destruct Jv as [<-|[]]. simpl. lia. }
    assert (Bx : row_below (n + rank) x) by (intros w J; apply (below_more n); [lia | exact (B x Ja w J)]).
    assert (By : row_below (n + rank) y) by (intros w J; apply (below_more n); [lia | exact (B y Jb w J)]).
    eexists _, _, _, h, z. split; [reflexivity|]. split; [fold rank; lia|]. split; [exact Bn|]. split; [|split; [exact Sh|]].
    + intros c [<-|[<-|[]]]; cbn [vars_c]; now apply axes_below.
    + destruct (proj2 (d13_broadcast u v (map num z) ltac:(rewrite map_length; unfold rank in Lz; congruence))) as [A C].
      { exists z. auto. }
      split; [|split; [reflexivity | exact V]]. intros c [<-|[<-|[]]]; cbn [holds]; rewrite !ground_axes; fold rank; rewrite V.
      * rewrite <- (row_values n x g h (B x Ja) Sh), Va. exact A.
      * rewrite <- (row_values n y g h (B y Jb) Sh), Vb. exact C.
  - destruct (row_at _ _ _ a F) as (x & u & Ea & Ja & Ua & Va); [apply O; simpl; auto|].
    destruct (row_at _ _ _ b F) as (y & v & Eb & Jb & Ub & Vb); [apply O; simpl; auto|]. rewrite Ea, Eb. rewrite Ua, Ub in R.
    destruct u as [|u1 [|u2 [|]]]; try discriminate. destruct v as [|v1 [|v2 [|]]]; try discriminate.
    cbn [map Ranged.matmul] in R.
    rewrite unify_literals in R. destruct (Pos.eqb_spec u2 v1) as [->|D]; cbn in R; [|discriminate]. injection R as <-.
    destruct x as [|x1 [|x2 [|]]]; try discriminate. destruct y as [|y1 [|y2 [|]]]; try discriminate.
    injection Va as V1 V2. injection Vb as V3 V4. exists [DEq x2 y1], [x1; y2], n, g, [u1; v2].
    split; [reflexivity|]. split; [auto|]. pose proof (B _ Ja) as Bx. pose proof (B _ Jb) as By. unfold row_below in Bx, By.
    simpl in Bx, By.
    split; [|split; [|split; [exact Refl|split; [|split; [reflexivity|]]]]].
    + intros w J. simpl in J. rewrite !in_app_iff in J. rewrite app_nil_r in *.
      destruct J as [J|[J|[]]]; [apply Bx | apply By]; rewrite ?in_app_iff; auto.
    + intros c [<-|[]] w J. cbn [vars_c] in J. rewrite app_nil_r in *. apply in_app_iff in J.
      destruct J as [J|J]; [apply Bx | apply By]; rewrite ?in_app_iff; auto.
    + intros c [<-|[]]. cbn [holds]. congruence.
    + simpl. congruence.
  - destruct (row_at _ _ _ a F) as (x & u & Ea & Ja & Ua & Va); [apply O; simpl; auto|].
    destruct (row_at _ _ _ b F) as (y & v & Eb & Jb & Ub & Vb); [apply O; simpl; auto|]. rewrite Ea, Eb. rewrite Ua, Ub in R.
    unfold Ranged.unify_shapes in R. destruct (Ranged.zip [] (map literal u) (map literal v)) as [G [k|q]] eqn:Z; cbn in R;
      [|discriminate].
    apply zip_inv in Z as Q. subst v. rewrite zip_same in Z. injection Z as <- <-. injection R as <-.
    eexists _, _, _, g, u. split; [reflexivity|]. split; [auto|]. split; [exact (B x Ja)|].
    split; [|split; [exact Refl|split; [|auto]]].
    + intros c [<-|[]]. cbn [vars_c]. apply axes_below; auto.
    + intros c [<-|[]]. cbn [holds]. rewrite !ground_axes, Va, Vb. reflexivity.
  - destruct (row_at _ _ _ a F) as (x & u & Ea & Ja & Ua & Va); [apply O; simpl; auto|]. rewrite Ea. rewrite Ua, swapped_map in R.
    destruct (swapped i j u) as [z|] eqn:W; [|discriminate]. injection R as <-.
    pose proof (swapped_map _ _ (ground_d g) i j x) as Q. rewrite Va, swapped_map, W in Q.
    destruct (swapped i j x) as [y|] eqn:Wx; [|discriminate].
    injection Q as Q. exists [], y, n, g, z. split; [reflexivity|]. split; [auto|].
    split; [apply (sub_below n x); [exact (B x Ja) | intros t J; left; exact (swapped_in _ _ _ _ _ Wx t J)]|].
    split; [intros c []|]. split; [exact Refl|]. split; [intros c []|]. auto.
  - destruct (row_at _ _ _ a F) as (x & u & Ea & Ja & Ua & Va); [apply O; simpl; auto|]. rewrite Ea. rewrite Ua, reduced_map in R.
    destruct (reduced 1%positive i keep u) as [z|] eqn:W; [|discriminate]. injection R as <-.
    pose proof (reduced_map _ _ (ground_d g) (literal_term (num 1) 1) i keep x) as Q.
    change (ground_d g (literal_term (num 1) 1)) with (num 1) in Q. rewrite Va, reduced_map, W in Q.
    destruct (reduced (literal_term (num 1) 1) i keep x) as [y|] eqn:Wx; [|discriminate].
    injection Q as Q. exists [], y, n, g, z. split; [reflexivity|]. split; [auto|].
    split; [|split; [intros c []|split; [exact Refl|split; [intros c []|auto]]]].
    apply (sub_below n x); [exact (B x Ja)|]. intros t J. unfold reduced in Wx. destruct (i <? length x); [|discriminate].
    injection Wx as <-.
    rewrite !in_app_iff in J. destruct J as [J|[J|J]]; [left; exact (first_in _ _ _ _ J) | | left; exact (skip_in _ (S i) x t J)].
    right. destruct keep; [destruct J as [<-|[]]; reflexivity | destruct J].
  - destruct (row_at _ _ _ a F) as (x & u & Ea & Ja & Ua & Va); [apply O; simpl; auto|].
    destruct (row_at _ _ _ b F) as (y & v & Eb & Jb & Ub & Vb); [apply O; simpl; auto|]. rewrite Ea, Eb. rewrite Ua, Ub in R.
    assert (Lx : length x = length u) by (rewrite <- (map_length (ground_d g) x), Va; apply map_length).
    unfold Ranged.stack in R. rewrite map_length in R. destruct (Nat.leb_spec (S (length u)) i) as [X|X]; [discriminate|].
    destruct (Nat.ltb_spec Ranged.max_rank (S (length u))) as [Y|Y]; [discriminate|]. cbn [Ranged.stack_rest] in R.
    destruct (Ranged.zip [] (map literal u) (map literal v)) as [G [k|q]] eqn:Z; cbn in R; [|discriminate].
    apply zip_inv in Z as Q. subst v. rewrite zip_same in Z. injection Z as <- <-. injection R as <-.
    destruct (Nat.leb_spec i (length x)) as [Li|Li]; [|lia].
    eexists _, _, _, g, (Ranged.insert_at i 2%positive u). split; [reflexivity|]. split; [auto|].
    split; [|split; [|split; [exact Refl|split; [|split]]]].
    + apply (sub_below n x); [exact (B x Ja)|]. intros t J. unfold Ranged.insert_at in J. apply in_app_iff in J.
      destruct J as [J|[<-|J]]; [left; exact (first_in _ _ _ _ J) | right; reflexivity | left; exact (skip_in _ _ _ _ J)].
    + intros c [<-|[]]. cbn [vars_c]. apply axes_below; auto.
    + intros c [<-|[]]. cbn [holds]. rewrite !ground_axes, Va, Vb. reflexivity.
    + change (Ranged.Literal 2) with (literal 2). apply insert_map.
    + rewrite <- (insert_map _ _ (ground_d g)), <- (insert_map _ _ num), Va. reflexivity.
Qed.

(** * Programs *)

Lemma translate_incl : forall one p rows n cs all, translate_from one rows n p = Some (cs, all) -> incl rows all.
Proof.
  intros one p; induction p as [|s p IH]; intros rows n cs all T; simpl in T; [injection T as <- <-; apply incl_refl|].
  destruct (translate_step one rows n s) as [[[c r] m]|]; [|discriminate].
  destruct (translate_from one (rows ++ [r]) m p) as [[ds al]|] eqn:E; [|discriminate]. injection T as <- <-.
  intros x J. apply (IH _ _ _ _ E), in_app_iff. auto.
Qed.

Lemma solved_run : forall p g rows shapes n st cs all, same_shapes g rows shapes -> translate_from (num 1) rows n p = Some (cs, all) ->
  sol cs g -> (forall r, In r all -> length r <= Ranged.max_rank) ->
  exists out, run_from shapes st p = Some (out, st) /\ same_shapes g all out.
Proof.
  intros p; induction p as [|s p IH]; intros g rows shapes n st cs all F T S L; simpl in T.
  - injection T as <- <-. exists shapes. auto.
  - destruct (translate_step (num 1) rows n s) as [[[c r] m]|] eqn:E; [|discriminate].
    destruct (translate_from (num 1) (rows ++ [r]) m p) as [[ds al]|] eqn:E2; [|discriminate]. injection T as <- <-.
    assert (Jr : In r al) by (apply (translate_incl _ _ _ _ _ _ E2), in_app_iff; right; simpl; auto).
    destruct (solved_step g rows shapes n s c r m F E) as (x & R & St & V); [intros k J; apply S, in_app_iff; auto | auto |].
    simpl. rewrite R, St, orb_false_r. apply (IH g (rows ++ [r]) (shapes ++ [map literal x]) m st ds al); auto.
    + apply Forall2_app; [exact F|]. constructor; [eauto | constructor].
    + intros k J. apply S, in_app_iff. auto.
Qed.

Lemma run_from_stretched : forall p shapes out b, run_from shapes true p = Some (out, b) -> b = true.
Proof.
  intros p; induction p as [|s p IH]; intros shapes out b R; simpl in R; [injection R as <- <-; reflexivity|].
  destruct (run_step shapes s); [exact (IH _ _ _ R) | discriminate].
Qed.

Lemma run_translated : forall p g rows shapes n out, same_shapes g rows shapes -> (forall r, In r rows -> row_below n r) ->
  well_formed (length rows) p -> run_from shapes false p = Some (out, false) ->
  exists cs all h, translate_from (num 1) rows n p = Some (cs, all) /\ same_below n g h /\ sol cs h.
Proof.
  intros p; induction p as [|s p IH]; intros g rows shapes n out F B W R; simpl in R.
  - exists [], rows, g. split; [reflexivity|]. split; [split; auto | intros c []].
  - destruct W as [O W]. destruct (run_step shapes s) as [sh|] eqn:E; [|discriminate].
    destruct (step_stretches shapes s) eqn:St; [apply run_from_stretched in R; discriminate|].
    destruct (run_solved g rows shapes n s sh F B O E St) as (cs & row & m & h & x & T & Le & Bm & Cm & Sh & So & -> & V).
    assert (B' : forall r, In r (rows ++ [row]) -> row_below m r).
    { intros r J. apply in_app_iff in J. destruct J as [J|[<-|[]]]; [|exact Bm]. intros v Jv.
      apply (below_more n); [exact Le | exact (B r J v Jv)]. }
    destruct (IH h (rows ++ [row]) (shapes ++ [map literal x]) m out) as (ds & all & k & T2 & Sk & Sd); auto.
    + apply Forall2_app; [exact (rows_same n rows shapes g h B Sh F)|]. constructor; [eauto | constructor].
    + rewrite app_length, Nat.add_1_r. exact W.
    + exists (cs ++ ds), all, k. split; [simpl; now rewrite T, T2|]. split.
      * destruct Sh as [S1 S2], Sk as [S3 S4]. split; [intros a La; rewrite S1 by exact La; apply S3; lia | intros q; rewrite S2;
          apply S4].
      * intros c J. apply in_app_iff in J. destruct J as [J|J]; [exact (sol_same m cs h k Cm Sk So c J) | exact (Sd c J)].
Qed.

(** D13.  A program on literal shapes, up to the highest rank: with 1 of basis default its constraints have a solution iff
    the program has shapes and stretches no literal 1; and then every solution has these shapes. *)
Theorem d13_programs : forall p, well_formed 0 p -> ranks_fit (num 1) p ->
  (forall shapes, run p = Some (shapes, false) -> exists cs rows, translate (num 1) p = Some (cs, rows) /\
    (exists g, sol cs g) /\ forall g, sol cs g -> same_shapes g rows shapes) /\
  (run p = None \/ (exists shapes, run p = Some (shapes, true)) ->
    forall cs rows, translate (num 1) p = Some (cs, rows) -> ~ exists g, sol cs g).
Proof.
  intros p W L.
  assert (A : forall cs rows g, translate (num 1) p = Some (cs, rows) -> sol cs g ->
    exists shapes, run p = Some (shapes, false) /\ same_shapes g rows shapes).
  { intros cs rows g T S. apply (solved_run p g [] [] 0 false cs rows); auto; [constructor | exact (L cs rows T)]. }
  split.
  - intros shapes R.
    destruct (run_translated p (Ground (fun _ => Unit) (fun _ => empty_row)) [] [] 0 shapes) as (cs & rows & h & T & _ & S); auto;
      [constructor | intros r []|].
    exists cs, rows. split; [exact T|]. split; [eauto|]. intros g Sg. destruct (A cs rows g T Sg) as (k & R2 & Q).
    rewrite R in R2. injection R2 as <-. exact Q.
  - intros N cs rows T [g S]. destruct (A cs rows g T S) as (k & R & _). destruct N as [N|[k2 N]]; rewrite N in R; discriminate.
Qed.

(** D13.  The witness: [3, 4] and [1, 4] broadcast, the 1 is stretched, and no row is below both. *)
Theorem d13_witness : let p := [Input [3; 4]%positive; Input [1; 4]%positive; Broadcast 0 1] in
  run p = Some (map (map literal) [[3; 4]; [1; 4]; [3; 4]]%positive, true) /\
  forall cs rows, translate (num 1) p = Some (cs, rows) -> ~ exists g, sol cs g.
Proof.
  intros p. split; [reflexivity|]. apply d13_programs.
  - simpl. split; [intros a []|]. split; [intros a []|]. split; [intros a [<-|[<-|[]]]; lia | exact I].
  - intros cs rows T r J. injection T as <- <-. simpl in J. unfold Ranged.max_rank.
    repeat (destruct J as [<-|J]; [simpl; lia|]). destruct J.
  - right. eexists. reflexivity.
Qed.

(** D13 ends at the highest rank: a stack of two shapes of rank 64 is refused by the rules, and its constraints hold. *)
Theorem d13_highest_rank : let p := [Input (repeat 2%positive 64); Stack 0 0 0] in
  run p = None /\ exists cs rows, translate (num 1) p = Some (cs, rows) /\ exists g, sol cs g.
Proof.
  intros p. split; [reflexivity|]. eexists _, _. split; [reflexivity|].
  exists (Ground (fun _ => Unit) (fun _ => empty_row)). intros c [<-|[]]. reflexivity.
Qed.

(** * With 1∅ for a literal 1 *)

(** The value of a literal: 1∅ for 1. *)
Definition unit_num (p : positive) : dim := if Pos.eqb p 1 then Unit else num p.

(** Of two sizes one is 1, or they are the same; and what they broadcast to. *)
Definition fit (x y : positive) : Prop := x = 1%positive \/ y = 1%positive \/ x = y.
Definition fit_front (F G : list positive) : Prop := forall x y, In (x, y) (combine F G) -> fit x y.
Definition wider (x y : positive) : positive := if Pos.eqb x 1 then y else x.

Fixpoint widest (F G : list positive) : list positive :=
  match F, G with
  | x :: F, y :: G => wider x y :: widest F G
  | [], G => G
  | F, [] => F
  end.

Lemma fit_front_cons : forall x y F G, fit_front (x :: F) (y :: G) <-> fit x y /\ fit_front F G.
Proof.
  intros x y F G. unfold fit_front. simpl. split.
  - intros H. split; [apply H; auto | intros a b J; apply H; auto].
  - intros [P H] a b [J|J]; [injection J as <- <-; exact P | auto].
Qed.

Lemma column_fit : forall x y, fit x y -> column [literal x; literal y] (wider x y).
Proof.
  intros x y H. unfold column, wider, Ranged.wide. cbn [filter]. rewrite !is_one_literal.
  destruct (Pos.eqb_spec x 1) as [->|X]; [exact (column_one y)|]. cbn [negb].
  destruct (Pos.eqb_spec y 1) as [->|Y]; cbn [negb]; [exists (Some (literal x)); split; reflexivity|].
  destruct H as [H|[H|H]]; try contradiction. subst y. exists (Some (literal x)). split; [|reflexivity].
  cbn [Ranged.unify_column]. rewrite unify_literals, Pos.eqb_refl. reflexivity.
Qed.

Lemma columns_fit : forall F G, fit_front F G -> Forall2 column (cols (map literal F) (map literal G)) (widest F G).
Proof.
  assert (One : forall l, Forall2 column (map (fun y => [y]) (map literal l)) l).
  { intros l; induction l; simpl; constructor; auto using column_one. }
  intros F; induction F as [|x F IH]; intros G S; [exact (One G)|]. destruct G as [|y G]; [exact (One (x :: F))|].
  apply fit_front_cons in S. destruct S as [P S]. simpl. constructor; [now apply column_fit | auto].
Qed.

Lemma broadcast_fit : forall s t, fit_front (rev s) (rev t) ->
  snd (Ranged.broadcast [] [map literal s; map literal t]) = Ranged.Ok (map literal (rev (widest (rev s) (rev t)))).
Proof.
  intros s t S. unfold Ranged.broadcast, Ranged.broadcast_dims. rewrite columns_cols, <- !map_rev.
  rewrite (columns_come _ (rev (widest (rev s) (rev t)))); [reflexivity|]. apply Forall2_back. now apply columns_fit.
Qed.

Lemma broadcast_fits : forall s t sh, snd (Ranged.broadcast [] [map literal s; map literal t]) = Ranged.Ok sh -> fit_front (rev s) (rev t).
Proof.
  intros s t sh E x y J. pose proof (combine_literals _ _ _ _ J) as Jl. rewrite !map_rev in Jl.
  unfold Ranged.broadcast, Ranged.broadcast_dims in E. rewrite columns_cols in E.
  destruct (Ranged.broadcast_columns [] (rev (cols (rev (map literal s)) (rev (map literal t))))) as [G [k|q]] eqn:B; cbn in E;
    [|discriminate].
  destruct (columns_each _ _ _ B) with (c := [literal x; literal y]) as (d & U).
  - intros c Jc. apply in_rev in Jc. rewrite <- !map_rev in Jc. exact (cols_literal _ _ c Jc).
  - apply -> in_rev. apply cols_in. exact Jl.
  - unfold fit. destruct (Pos.eqb_spec x 1) as [X|X]; [auto|]. destruct (Pos.eqb_spec y 1) as [Y|Y]; [auto|]. right. right.
    unfold Ranged.wide in U. cbn [filter] in U.
    rewrite !is_one_literal, (proj2 (Pos.eqb_neq x 1) X), (proj2 (Pos.eqb_neq y 1) Y) in U.
    cbn [negb Ranged.unify_column] in U. rewrite unify_literals in U.
    destruct (Pos.eqb_spec x y) as [Q|Q]; [exact Q | discriminate].
Qed.

Lemma unit_below : forall d x y, d ⊑d unit_num x -> d ⊑d unit_num y -> fit x y /\ d ⊑d unit_num (wider x y).
Proof.
  intros d x y A B. unfold unit_num, wider, fit in *. destruct (Pos.eqb_spec x 1) as [->|X]; [auto|].
  destruct (Pos.eqb_spec y 1) as [->|Y].
  - rewrite (proj2 (Pos.eqb_neq x 1) X). auto.
  - rewrite (proj2 (Pos.eqb_neq x 1) X). pose proof (proj1 (below_atom _ _) A) as A1.
    pose proof (proj1 (below_atom _ _) B) as B1. rewrite A1 in B1. apply num_inj in B1. auto.
Qed.

Lemma unit_wider : forall x y, fit x y -> unit_num (wider x y) ⊑d unit_num x /\ unit_num (wider x y) ⊑d unit_num y.
Proof.
  intros x y H. unfold unit_num, wider. destruct (Pos.eqb_spec x 1) as [->|X].
  - split; [left; reflexivity | right; reflexivity].
  - destruct (Pos.eqb_spec x 1) as [X'|_]; [contradiction|]. split; [right; reflexivity|].
    destruct (Pos.eqb_spec y 1) as [->|Y]; [left; reflexivity|]. destruct H as [H|[H|H]]; try contradiction. subst. right.
    reflexivity.
Qed.

Lemma unit_front : forall F G R, front_le R (map unit_num F) -> front_le R (map unit_num G) -> length R = Nat.max (length F) (length G) ->
  fit_front F G /\ refines R (map unit_num (widest F G)).
Proof.
  assert (One : forall G R, front_le R (map unit_num G) -> length R = length G -> refines R (map unit_num G)).
  { intros G R H L. apply front_le_refines; [now rewrite map_length | exact H]. }
  intros F; induction F as [|x F IH]; intros G R A B L.
  - split; [intros a b [] | exact (One G R B L)].
  - destruct G as [|y G]; [split; [intros a b [] | exact (One (x :: F) R A L)]|].
    destruct R as [|d R]; [destruct A|]. destruct A as [D A], B as [E B]. destruct (unit_below d x y D E) as [P Q].
    simpl in L. injection L as L. destruct (IH G R A B L) as [S T]. split; [now apply fit_front_cons | simpl; now constructor].
Qed.

Lemma unit_widest : forall F G, fit_front F G -> front_le (map unit_num (widest F G)) (map unit_num F) /\
  front_le (map unit_num (widest F G)) (map unit_num G).
Proof.
  intros F; induction F as [|x F IH]; intros [|y G] S; simpl; auto using front_le_refl.
  - split; [auto|]. split; [now right | apply front_le_refl].
  - split; [|exact I]. split; [now right | apply front_le_refl].
  - apply fit_front_cons in S. destruct S as [P S]. destruct (IH G S), (unit_wider x y P). repeat split; auto.
Qed.

Lemma unit_rows : forall R s, ([] ·⋄· R ⊑r [] ·⋄· map unit_num s) <-> front_le (rev R) (map unit_num (rev s)).
Proof. intros R s. rewrite def_2_3_flank_decomposition. unfold back_le. simpl. rewrite map_rev. tauto. Qed.

(** D13 with 1∅ for a literal 1: two literal shapes of any rank broadcast iff some row of the greater rank is below both; and
    the shape of the broadcast is the greatest such row. *)
Theorem d13_unit_broadcast : forall s t,
  ((exists sh, snd (Ranged.broadcast [] [map literal s; map literal t]) = Ranged.Ok sh) <->
   exists R, length R = Nat.max (length s) (length t) /\ ([] ·⋄· R ⊑r [] ·⋄· map unit_num s) /\ ([] ·⋄· R ⊑r [] ·⋄· map unit_num t)) /\
  forall sh, snd (Ranged.broadcast [] [map literal s; map literal t]) = Ranged.Ok sh -> exists x, sh = map literal x /\
    length x = Nat.max (length s) (length t) /\
    ([] ·⋄· map unit_num x ⊑r [] ·⋄· map unit_num s) /\ ([] ·⋄· map unit_num x ⊑r [] ·⋄· map unit_num t) /\
    forall R, length R = Nat.max (length s) (length t) -> ([] ·⋄· R ⊑r [] ·⋄· map unit_num s) -> ([] ·⋄· R ⊑r [] ·⋄· map unit_num t) ->
      refines R (map unit_num x).
Proof.
  intros s t.
  assert (A : forall sh, snd (Ranged.broadcast [] [map literal s;
    map literal t]) = Ranged.Ok sh -> exists x, sh = map literal x /\
    length x = Nat.max (length s) (length t) /\
    ([] ·⋄· map unit_num x ⊑r [] ·⋄· map unit_num s) /\ ([] ·⋄· map unit_num x ⊑r [] ·⋄· map unit_num t) /\
    forall R, length R = Nat.max (length s) (length t) -> ([] ·⋄· R ⊑r [] ·⋄· map unit_num s) -> ([] ·⋄· R ⊑r [] ·⋄· map unit_num t) ->
      refines R (map unit_num x)).
  { intros sh E. pose proof (broadcast_fits s t sh E) as F. rewrite (broadcast_fit s t F) in E. injection E as <-.
    exists (rev (widest (rev s) (rev t))). split; [reflexivity|].
    assert (W : forall F G, length (widest F G) = Nat.max (length F) (length G)).
    { clear. intros F; induction F as [|x F IH]; intros [|y G]; simpl; auto. }
    split; [now rewrite rev_length, W, !rev_length|]. rewrite !unit_rows, map_rev, rev_involutive.
    destruct (unit_widest _ _ F) as [U V]. split; [exact U|]. split; [exact V|]. intros R L B C. rewrite unit_rows in B, C.
    destruct (unit_front _ _ _ B C) as [_ Q]; [now rewrite !rev_length|].
    apply refines_rev in Q. now rewrite rev_involutive in Q. }
  split; [split|exact A].
  - intros (sh & E). destruct (A sh E) as (x & _ & L & B & C & _). exists (map unit_num x). rewrite map_length. auto.
  - intros (R & L & B & C). rewrite unit_rows in B, C. destruct (unit_front _ _ _ B C) as [F _]; [now rewrite !rev_length|].
    eexists. exact (broadcast_fit s t F).
Qed.

(** D13 with 1∅ ends there: what is below 1∅ is free.  [1, 1] broadcast with itself is no factor of [3, 2] by the rules, and its
    constraints have a solution. *)
Theorem d13_unit_is_free : let p := [Input [1; 1]%positive; Broadcast 0 0; Input [3; 2]%positive; Matmul 1 2] in
  run p = None /\ exists cs rows, translate Unit p = Some (cs, rows) /\ exists g, sol cs g.
Proof.
  intros p. split; [reflexivity|]. eexists _, _. split; [reflexivity|].
  exists (Ground (fun a => match a with 1 => num 3 | _ => Unit end) (fun _ => empty_row)).
  intros c J. simpl in J. repeat (destruct J as [<-|J]); try destruct J; cbn [holds]; rewrite ?ground_axes;
    try (apply def_2_3_row_leb; reflexivity). reflexivity.
Qed.
