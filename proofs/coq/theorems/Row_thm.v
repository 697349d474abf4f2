(** Section 2, up to Remark 2.11: what is true of rows. *)

From Coq Require Import PArith List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row.
Import ListNotations.

(** * Pointwise refinement *)

Lemma refinesb_spec : forall F G, refinesb F G = true <-> refines F G.
Proof.
  intros F; induction F as [|d F IH]; intros [|e G]; simpl; split; intros H;
    try discriminate; try constructor; try (inversion H; fail).
  - apply andb_true_iff in H as [H _]. now apply def_1_2_dim_leb.
  - apply andb_true_iff in H as [_ H]. now apply IH.
  - inversion H; subst. apply andb_true_iff; split; [now apply def_1_2_dim_leb | now apply IH].
Qed.

Lemma dims_eqb_eq : forall F G, dims_eqb F G = true <-> F = G.
Proof.
  intros F; induction F as [|d F IH]; intros [|e G]; simpl; split; intros H; try congruence.
  - apply andb_true_iff in H as [H K]. apply dim_eqb_eq in H. apply IH in K. congruence.
  - inversion H; subst. rewrite dim_eqb_refl. now apply IH.
Qed.

Lemma refines_refl : forall F, refines F F.
Proof. intros F; induction F; constructor; auto using dim_le_refl. Qed.

Lemma refines_length : forall F G, refines F G -> length F = length G.
Proof. intros F G H; induction H; simpl; auto. Qed.

Lemma refines_trans : forall F G H, refines F G -> refines G H -> refines F H.
Proof.
  intros F G H A; revert H; induction A as [|x y l l' L A IH]; intros K B; inversion B; subst; constructor.
  - eauto using dim_le_trans.
  - apply IH; auto.
Qed.

Lemma refines_antisym : forall F G, refines F G -> refines G F -> F = G.
Proof.
  intros F G A; induction A; intros B; inversion B; subst; auto.
  f_equal; auto using dim_le_antisym.
Qed.

Lemma refines_units : forall F n, length F = n -> refines F (repeat Unit n).
Proof.
  intros F n <-; induction F; simpl; constructor; auto using dim_le_unit.
Qed.

Lemma refines_app : forall F G F' G',
  refines F G -> refines F' G' -> refines (F ++ F') (G ++ G').
Proof. intros; apply Forall2_app; auto. Qed.

Lemma refines_app_inv : forall F F' G G', length F = length G ->
  refines (F ++ F') (G ++ G') -> refines F G /\ refines F' G'.
Proof.
  intros F; induction F as [|d F IH]; intros F' [|e G] G' L H; simpl in *; try discriminate.
  - split; [constructor | auto].
  - inversion H; subst. destruct (IH F' G G') as [A B]; auto.
    split; [constructor; auto | auto].
Qed.

Lemma refines_rev : forall F G, refines F G -> refines (rev F) (rev G).
Proof.
  intros F G H; induction H; simpl; [constructor|].
  apply refines_app; [auto | constructor; [auto | constructor]].
Qed.

(** 2.3.  The index form that the paper writes. *)
Theorem def_2_3_pointwise_by_index : forall F G,
  refines F G <->
  length F = length G /\ forall i, i < length F -> nth i F Unit ⊑d nth i G Unit.
Proof.
  intros F; induction F as [|d F IH]; intros [|e G]; simpl.
  - split; [|constructor]. split; [auto | intros; lia].
  - split; [intros H; inversion H | intros [H _]; discriminate].
  - split; [intros H; inversion H | intros [H _]; discriminate].
  - split.
    + intros H; inversion H as [|x y l l' Hd Ht]; subst. apply IH in Ht as [L P].
      split; [lia|]. intros [|i] Hi; auto. apply P; lia.
    + intros [L P]. constructor.
      * apply (P 0); lia.
      * apply IH. split; [lia|]. intros i Hi. apply (P (S i)); lia.
Qed.

(** * One flank *)

Lemma front_le_split : forall F G,
  front_le F G <-> exists F1 F2, F = F1 ++ F2 /\ refines F1 G.
Proof.
  intros F G; split.
  - revert F; induction G as [|e G IH]; intros [|d F] H; simpl in *; try tauto.
    + exists [], []; split; [auto | constructor].
    + exists [], (d :: F); split; [auto | constructor].
    + destruct H as [H K]. destruct (IH _ K) as (F1 & F2 & -> & R).
      exists (d :: F1), F2; split; [auto | constructor; auto].
  - intros (F1 & F2 & -> & R).
    induction R as [|d e F1 G H R IH]; [exact I | split; auto].
Qed.

Lemma back_le_split : forall F G,
  back_le F G <-> exists F1 F2, F = F1 ++ F2 /\ refines F2 G.
Proof.
  intros F G; unfold back_le; rewrite front_le_split; split.
  - intros (A & B & E & R). exists (rev B), (rev A); split.
    + rewrite <- rev_app_distr, <- E, rev_involutive; auto.
    + rewrite <- (rev_involutive G). now apply refines_rev.
  - intros (A & B & -> & R). exists (rev B), (rev A); split.
    + apply rev_app_distr.
    + now apply refines_rev.
Qed.

Lemma front_le_length : forall F G, front_le F G -> length G <= length F.
Proof.
  intros F G; revert F; induction G as [|e G IH]; intros [|d F]; simpl; try tauto; try lia.
  intros [_ H]; apply IH in H; lia.
Qed.

Lemma back_le_length : forall F G, back_le F G -> length G <= length F.
Proof. intros F G H; apply front_le_length in H; now rewrite !len_rev in H. Qed.

Lemma front_le_refl : forall F, front_le F F.
Proof. intros F; induction F; simpl; auto using dim_le_refl. Qed.

Lemma front_le_trans : forall F G H, front_le F G -> front_le G H -> front_le F H.
Proof.
  intros F G H; revert F G; induction H as [|e H IH]; intros [|d F] [|c G]; simpl; try tauto.
  intros [A B] [C D]; split; eauto using dim_le_trans.
Qed.

Lemma front_le_refines : forall F G, length F = length G -> front_le F G -> refines F G.
Proof.
  intros F G L H; apply front_le_split in H as (A & B & -> & R).
  pose proof (refines_length _ _ R) as K. rewrite len_app in L.
  destruct B; simpl in *; [now rewrite app_nil_r | lia].
Qed.

Lemma refines_front_le : forall F G, refines F G -> front_le F G.
Proof. intros F G R; apply front_le_split; exists F, []; now rewrite app_nil_r. Qed.

Lemma front_le_antisym : forall F G, front_le F G -> front_le G F -> F = G.
Proof.
  intros F G H K. pose proof (front_le_length _ _ H). pose proof (front_le_length _ _ K).
  apply refines_antisym; apply front_le_refines; auto; lia.
Qed.

Lemma back_le_refl : forall F, back_le F F.
Proof. intros; apply front_le_refl. Qed.

Lemma back_le_trans : forall F G H, back_le F G -> back_le G H -> back_le F H.
Proof. unfold back_le; intros; eauto using front_le_trans. Qed.

Lemma back_le_antisym : forall F G, back_le F G -> back_le G F -> F = G.
Proof.
  intros F G H K. rewrite <- (rev_involutive F), <- (rev_involutive G).
  f_equal. now apply front_le_antisym.
Qed.

Lemma back_le_refines : forall F G, length F = length G -> back_le F G -> refines F G.
Proof.
  intros F G L H. rewrite <- (rev_involutive F), <- (rev_involutive G).
  apply refines_rev, front_le_refines; [now rewrite !len_rev | auto].
Qed.

Lemma refines_back_le : forall F G, refines F G -> back_le F G.
Proof. intros F G R; apply refines_front_le, refines_rev, R. Qed.

Lemma back_le_nil : forall F, back_le F [].
Proof. intros; exact I. Qed.

(** * Joins of one flank *)

Lemma join_front_length : forall F G, length (join_front F G) = min (length F) (length G).
Proof. intros F; induction F; intros [|]; simpl; auto. Qed.

Lemma join_front_ub_l : forall F G, front_le F (join_front F G).
Proof. intros F; induction F; intros [|]; simpl; auto using dim_join_ub_l. Qed.

Lemma join_front_ub_r : forall F G, front_le G (join_front F G).
Proof. intros F; induction F; intros [|]; simpl; auto using dim_join_ub_r. Qed.

Lemma join_front_least : forall F G U,
  front_le F U -> front_le G U -> front_le (join_front F G) U.
Proof.
  intros F G U; revert F G.
  induction U as [|u U IH]; intros [|d F] [|e G]; simpl; try tauto.
  intros [A B] [C D]; split; auto using dim_join_least.
Qed.

Lemma join_back_length : forall F G, length (join_back F G) = min (length F) (length G).
Proof. intros; unfold join_back; now rewrite len_rev, join_front_length, !len_rev. Qed.

Lemma join_back_ub_l : forall F G, back_le F (join_back F G).
Proof. intros; unfold back_le, join_back; rewrite rev_involutive; apply join_front_ub_l. Qed.

Lemma join_back_ub_r : forall F G, back_le G (join_back F G).
Proof. intros; unfold back_le, join_back; rewrite rev_involutive; apply join_front_ub_r. Qed.

Lemma join_back_least : forall F G U,
  back_le F U -> back_le G U -> back_le (join_back F G) U.
Proof.
  intros; unfold back_le, join_back in *; rewrite rev_involutive; now apply join_front_least.
Qed.

(** * Cutting a flank short *)

Lemma front_le_firstn : forall F G n, front_le F G -> length G <= n -> front_le (firstn n F) G.
Proof.
  intros F G n; revert F n; induction G as [|e G IH]; intros [|d F] [|n] H L;
    simpl in *; try tauto; try lia.
  destruct H; split; [auto | apply IH; [auto | lia]].
Qed.

Lemma front_le_own_firstn : forall F n, front_le F (firstn n F).
Proof.
  intros F n; revert F; induction n as [|n IH]; intros [|d F]; simpl; auto using dim_le_refl.
Qed.

Lemma lastn_length : forall n F, n <= length F -> length (lastn n F) = n.
Proof.
  intros; unfold lastn; rewrite len_rev, len_firstn, len_rev; lia.
Qed.

Lemma back_le_lastn : forall F G n, back_le F G -> length G <= n -> back_le (lastn n F) G.
Proof.
  intros; unfold back_le, lastn; rewrite rev_involutive.
  apply front_le_firstn; [auto | now rewrite len_rev].
Qed.

Lemma back_le_own_lastn : forall F n, back_le F (lastn n F).
Proof. intros; unfold back_le, lastn; rewrite rev_involutive; apply front_le_own_firstn. Qed.

(** * The flanks decide *)

(** 2.3.  The boolean test on rows decides the row order. *)
Theorem def_2_3_row_leb : forall R S, row_leb R S = true <-> R ⊑r S.
Proof.
  intros; unfold row_leb, row_le.
  rewrite !andb_true_iff, !Nat.leb_le, refinesb_spec. tauto.
Qed.

(** A sequence [a ++ b ++ c] refines [l ++ units ++ r] when its ends do. *)
Lemma refines_middle : forall a b c l r k,
  refines a l -> refines c r -> length b = k ->
  refines (a ++ b ++ c) (l ++ repeat Unit k ++ r).
Proof. intros; repeat apply refines_app; auto using refines_units. Qed.

(** Taking such a refinement apart. *)
Lemma refines_middle_inv : forall F l r k,
  refines F (l ++ repeat Unit k ++ r) ->
  exists a b c, F = a ++ b ++ c /\ refines a l /\ refines c r /\ length b = k.
Proof.
  intros F l r k H.
  apply Forall2_app_inv_r in H as (a & F' & A & H & ->).
  apply Forall2_app_inv_r in H as (b & c & B & C & ->).
  exists a, b, c. repeat split; auto.
  apply refines_length in B. now rewrite repeat_length in B.
Qed.

(** 2.3.  The row order is the front order on leading flanks and the back order on
    trailing flanks, independently.  Most of what follows rests on this. *)
Theorem def_2_3_flank_decomposition : forall R2 R1,
  R2 ⊑r R1 <-> front_le (lead R2) (lead R1) /\ back_le (trail R2) (trail R1).
Proof.
  intros [l2 r2] [l1 r1]; unfold row_le, flat, expand, rank; simpl; split.
  - intros (Ll & Lr & H).
    apply refines_middle_inv in H as (a & b & c & E & A & C & B).
    pose proof (refines_length _ _ A) as La. pose proof (refines_length _ _ C) as Lc.
    split.
    + apply front_le_split. apply app_eq_app in E as [w [[-> _] | [-> _]]].
      * eauto.
      * rewrite len_app in La. destruct w; simpl in *; [|lia].
        exists l2, []; rewrite !app_nil_r in *; auto.
    + apply back_le_split. rewrite app_assoc in E.
      apply app_eq_app in E as [w [[_ ->] | [_ ->]]].
      * rewrite len_app in Lc. destruct w; simpl in *; [|lia].
        exists [], r2; auto.
      * eauto.
  - intros [Hl Hr].
    pose proof (front_le_length _ _ Hl). pose proof (back_le_length _ _ Hr).
    split; [auto | split; [auto|]].
    apply front_le_split in Hl as (a & b & -> & A).
    apply back_le_split in Hr as (b' & c & -> & C).
    rewrite <- app_assoc, (app_assoc b). apply refines_middle; auto.
    apply refines_length in A, C. rewrite !len_app. lia.
Qed.

Lemma row_le_intro : forall l2 r2 l1 r1,
  front_le l2 l1 -> back_le r2 r1 -> l2 ·⋄· r2 ⊑r l1 ·⋄· r1.
Proof. intros; now apply def_2_3_flank_decomposition. Qed.

Lemma row_le_rank : forall R2 R1, R2 ⊑r R1 -> rank R1 <= rank R2.
Proof. intros R2 R1 (A & B & _); unfold rank; lia. Qed.

Lemma expand_length : forall R n, rank R <= n -> length (expand R n) = n.
Proof.
  intros R n; unfold expand, rank; intros; rewrite !len_app, repeat_length; lia.
Qed.

Lemma expand_own_rank : forall R, expand R (rank R) = flat R.
Proof. intros R; unfold expand; now rewrite Nat.sub_diag. Qed.

Lemma flat_length : forall R, length (flat R) = rank R.
Proof. intros; unfold flat, rank; apply len_app. Qed.

(** * Lemma 2.4 and Props 2.5 to 2.7 *)

(** 2.4.  A lower row refines a higher one after both are expanded to any rank that is
    large enough. *)
Theorem lemma_2_4 : forall R2 R1 n, R2 ⊑r R1 -> rank R2 <= n ->
  refines (expand R2 n) (expand R1 n).
Proof.
  intros [l2 r2] [l1 r1] n H Hn.
  apply def_2_3_flank_decomposition in H as [Hl Hr]; simpl in *.
  apply front_le_split in Hl as (a & b & -> & A).
  apply back_le_split in Hr as (b' & c & -> & C).
  unfold expand, rank in *; simpl in *.
  rewrite !len_app in *.
  replace ((a ++ b) ++ repeat Unit (n - (length a + length b + (length b' + length c))) ++ b' ++ c)
    with (a ++ (b ++ repeat Unit (n - (length a + length b + (length b' + length c))) ++ b') ++ c)
    by now rewrite <- !app_assoc.
  apply refines_length in A as La. apply refines_length in C as Lc.
  apply refines_middle; auto. rewrite !len_app, repeat_length. lia.
Qed.

(** 2.5.  The row order is reflexive. *)
Theorem prop_2_5_le_refl : forall R, R ⊑r R.
Proof. intros; apply def_2_3_flank_decomposition; auto using front_le_refl, back_le_refl. Qed.

(** 2.5.  It is antisymmetric. *)
Theorem prop_2_5_le_antisym : forall R S, R ⊑r S -> S ⊑r R -> R = S.
Proof.
  intros [l r] [l' r'] H K.
  apply def_2_3_flank_decomposition in H as [A B], K as [C D]; simpl in *.
  f_equal; auto using front_le_antisym, back_le_antisym.
Qed.

(** 2.5.  It is transitive. *)
Theorem prop_2_5_le_trans : forall R S T, R ⊑r S -> S ⊑r T -> R ⊑r T.
Proof.
  intros R S T H K.
  apply def_2_3_flank_decomposition in H as [A B], K as [C D].
  apply def_2_3_flank_decomposition; eauto using front_le_trans, back_le_trans.
Qed.

(** 2.6.  Every row is below the empty row. *)
Theorem prop_2_6_empty_greatest : forall R, R ⊑r empty_row.
Proof. intros; apply def_2_3_flank_decomposition; simpl; split; [exact I | apply back_le_nil]. Qed.

(** 2.6.  No other row is above all rows. *)
Theorem prop_2_6_greatest_unique : forall T, (forall R, R ⊑r T) -> T = empty_row.
Proof. intros T H; apply prop_2_5_le_antisym; auto using prop_2_6_empty_greatest. Qed.

(** 2.7.  The join of two rows is above both. *)
Theorem prop_2_7_join_upper : forall R S, R ⊑r row_join R S /\ S ⊑r row_join R S.
Proof.
  intros; split; apply def_2_3_flank_decomposition; simpl;
    auto using join_front_ub_l, join_front_ub_r, join_back_ub_l, join_back_ub_r.
Qed.

(** 2.7.  It is below every other upper bound. *)
Theorem prop_2_7_join_least : forall R S U, R ⊑r U -> S ⊑r U -> row_join R S ⊑r U.
Proof.
  intros R S U H K.
  apply def_2_3_flank_decomposition in H as [A B], K as [C D].
  apply def_2_3_flank_decomposition; simpl; auto using join_front_least, join_back_least.
Qed.

(** 2.7.  The lengths that Prop. 2.7 displays. *)
Theorem prop_2_7_join_lengths : forall R S,
  length (lead (row_join R S)) = min (length (lead R)) (length (lead S)) /\
  length (trail (row_join R S)) = min (length (trail R)) (length (trail S)).
Proof. intros; simpl; auto using join_front_length, join_back_length. Qed.

(** 2.7.  The entries that Prop. 2.7 displays: front to front, back to back. *)
Theorem prop_2_7_join_entries : forall F G i, i < min (length F) (length G) ->
  nth i (join_front F G) Unit = dim_join (nth i F Unit) (nth i G Unit) /\
  nth i (rev (join_back F G)) Unit = dim_join (nth i (rev F) Unit) (nth i (rev G) Unit).
Proof.
  assert (E : forall F G i, i < min (length F) (length G) ->
    nth i (join_front F G) Unit = dim_join (nth i F Unit) (nth i G Unit)).
  { intros F; induction F as [|d F IH]; intros [|e G] [|i] H; simpl in *; try lia; auto.
    apply IH; lia. }
  intros F G i H; split; [auto|]. unfold join_back. rewrite rev_involutive.
  apply E. now rewrite !len_rev.
Qed.

(** * Flat equivalence *)

(** 2.9.  The boolean test decides flat equivalence. *)
Theorem def_2_9_flat_equivb : forall R S, flat_equivb R S = true <-> R ≈ S.
Proof. intros; apply dims_eqb_eq. Qed.

(** 2.9.  Equal flattenings, and equal ranks with equal expansions at that rank, are the
    same condition. *)
Theorem def_2_9_formulations : forall R S,
  R ≈ S <-> rank R = rank S /\ expand R (rank R) = expand S (rank S).
Proof.
  intros; rewrite !expand_own_rank; unfold flat_equiv; split; [|tauto].
  intros H; split; [|auto]. rewrite <- !flat_length. congruence.
Qed.

(** 2.10.i.  Rows below each other are identical. *)
Theorem prop_2_10_i : forall R S, R ⊑r S /\ S ⊑r R <-> R = S.
Proof.
  split; [intros []; now apply prop_2_5_le_antisym|].
  intros ->; auto using prop_2_5_le_refl.
Qed.

(** Comparable rows of equal rank have their markers at the same place. *)
Lemma row_le_same_rank : forall R S, R ⊑r S -> rank R = rank S ->
  length (lead R) = length (lead S) /\ length (trail R) = length (trail S).
Proof. intros R S (A & B & _); unfold rank; lia. Qed.

Lemma flat_equiv_rank : forall R S, R ≈ S -> rank R = rank S.
Proof. intros; rewrite <- !flat_length; congruence. Qed.

Lemma flat_equiv_same_marker : forall R S,
  R ≈ S -> length (lead R) = length (lead S) -> R = S.
Proof.
  intros [l r] [l' r'] E L; unfold flat_equiv, flat in E; simpl in *.
  apply app_eq_app in E as [w [[-> ->] | [-> ->]]]; rewrite len_app in L;
    destruct w; simpl in *; try lia; now rewrite app_nil_r.
Qed.

(** 2.10.ii.  Two different flat-equal rows are incomparable. *)
Theorem prop_2_10_ii : forall R S, R ≈ S -> R <> S -> ~ R ⊑r S /\ ~ S ⊑r R.
Proof.
  intros R S E N; pose proof (flat_equiv_rank _ _ E) as K.
  split; intros H; apply N.
  - apply row_le_same_rank in H as [L _]; auto using flat_equiv_same_marker.
  - apply row_le_same_rank in H as [L _]; auto using flat_equiv_same_marker.
Qed.

(** 2.10.iii.  [[3]·⋄·[2,4]] is below [[3]·⋄·[4]] and not below the flat-equal
    [[3,4]·⋄·[]]. *)
Theorem prop_2_10_iii_witness :
  [num 3] ·⋄· [num 4] ≈ [num 3; num 4] ·⋄· [] /\
  [num 3] ·⋄· [num 2; num 4] ⊑r [num 3] ·⋄· [num 4] /\
  ~ [num 3] ·⋄· [num 2; num 4] ⊑r [num 3; num 4] ·⋄· [].
Proof.
  split; [reflexivity|]. split.
  - now apply def_2_3_row_leb.
  - intros H; apply def_2_3_row_leb in H; discriminate.
Qed.

(** 2.10.iii.  Rows with the same rows below them are equal. *)
Theorem prop_2_10_iii_equal_downsets : forall R S,
  (forall X, X ⊑r R <-> X ⊑r S) -> R = S.
Proof. intros R S H; apply prop_2_5_le_antisym; apply H, prop_2_5_le_refl. Qed.

(** 2.10.iii.  No nontrivial equivalence respects the order. *)
Theorem prop_2_10_iii_no_congruence : forall E : row -> row -> Prop,
  (forall R S, E R S -> E S R) ->
  (forall X R S, E R S -> X ⊑r R -> X ⊑r S) ->
  forall R S, E R S -> R = S.
Proof. intros E Sy C R S H; apply prop_2_5_le_antisym; eauto using prop_2_5_le_refl. Qed.

(** 2.10.iv.  Flat equivalence is the kernel of expansion to a row's own rank. *)
Theorem prop_2_10_iv : forall R S,
  R ≈ S <-> expand R (rank R) = expand S (rank S).
Proof. intros; now rewrite !expand_own_rank. Qed.

(** 2.10.  The aside after Prop. 2.10.  Rows that expand alike at every common rank
    are flat-equal if their ranks agree. *)
Theorem prop_2_10_aside_finer : forall R S, rank R = rank S ->
  (forall n, rank R <= n -> expand R n = expand S n) -> R ≈ S.
Proof.
  intros R S K H. apply prop_2_10_iv. rewrite <- K. apply H. lia.
Qed.

(** 2.10.  The converse fails: flat-equal rows may expand differently. *)
Theorem prop_2_10_aside_not_contained :
  [num 3] ·⋄· [num 4] ≈ [num 3; num 4] ·⋄· [] /\
  expand ([num 3] ·⋄· [num 4]) 3 <> expand ([num 3; num 4] ·⋄· []) 3.
Proof. split; [reflexivity | discriminate]. Qed.

(** 2.10.  But not always, as the aside's wording suggests: these two different
    flat-equal rows expand alike at every rank. *)
Theorem prop_2_10_aside_correction : forall n, 1 <= n ->
  [Unit] ·⋄· [] <> [] ·⋄· [Unit] /\
  [Unit] ·⋄· [] ≈ [] ·⋄· [Unit] /\
  expand ([Unit] ·⋄· []) n = expand ([] ·⋄· [Unit]) n.
Proof.
  intros n Hn; split; [discriminate | split; [reflexivity|]].
  unfold expand, rank; simpl.
  rewrite app_nil_r. induction (n - 1) as [|k IH]; simpl; [auto | now rewrite IH].
Qed.

(** * Remark 2.11 *)

(** 2.11.  The system is rho ≈ []·⋄·[3,5] with [3]·⋄·[9,5] ⊑ rho.  Moving the marker
    decides whether the inequality holds. *)
Theorem remark_2_11_witness :
  let target := [] ·⋄· [num 3; num 5] in
  let below := [num 3] ·⋄· [num 9; num 5] in
  let good := [num 3] ·⋄· [num 5] in
  (good ≈ target /\ below ⊑r good) /\ (target ≈ target /\ ~ below ⊑r target).
Proof.
  split; split; try reflexivity.
  - now apply def_2_3_row_leb.
  - intros H; apply def_2_3_row_leb in H; discriminate.
Qed.

(** 2.11.  Among all values, [3]·⋄·[5] is the only solution. *)
Theorem remark_2_11_unique : forall x,
  x ≈ [] ·⋄· [num 3; num 5] -> [num 3] ·⋄· [num 9; num 5] ⊑r x ->
  x = [num 3] ·⋄· [num 5].
Proof.
  intros [l r] E H. unfold flat_equiv, flat in E; simpl in E.
  apply def_2_3_row_leb in H.
  destruct l as [|d [|e [|f l]]]; simpl in E.
  - subst r. discriminate.
  - inversion E; subst. reflexivity.
  - inversion E; subst. discriminate.
  - discriminate.
Qed.
