(** Def. 2.12 to Remark 2.15: what is true of rows of two sorts. *)

From Coq Require Import PArith List Bool Arith Lia Relations.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Rigid.
Import ListNotations.

(** * The order *)

(** 2.12.  The boolean test decides the order on rows of two sorts. *)
Theorem def_2_12_row2_leb : forall X Y, row2_leb X Y = true <-> X ⊑ Y.
Proof.
  intros [R|F] [S|G]; simpl.
  - apply def_2_3_row_leb.
  - split; [discriminate | tauto].
  - rewrite andb_true_iff, Nat.leb_le, refinesb_spec; tauto.
  - apply refinesb_spec.
Qed.

(** 2.12.  Clause (c) flank by flank.  The third condition keeps the two flanks from
    overlapping inside the rigid row. *)
Theorem def_2_12_rigid_flank_decomposition : forall F R,
  Rigid F ⊑ Marked R <->
  front_le F (lead R) /\ back_le F (trail R) /\ rank R <= length F.
Proof.
  intros F [l r]; unfold row2_le, expand, rank; simpl; split.
  - intros [K H]. apply refines_middle_inv in H as (a & b & c & -> & A & C & _).
    split; [apply front_le_split; eauto | split; [|auto]].
    apply back_le_split. rewrite app_assoc. eauto.
  - intros (Hl & Hr & K); split; [auto|].
    apply front_le_split in Hl as (a & w & E & A).
    apply back_le_split in Hr as (v & c & E' & C).
    pose proof (refines_length _ _ A). pose proof (refines_length _ _ C).
    assert (L : length F = length a + length w) by (rewrite E; apply len_app).
    assert (L' : length F = length v + length c) by (rewrite E'; apply len_app).
    rewrite E in E'. apply app_eq_app in E' as [m [[-> ->] | [-> ->]]].
    + destruct m; rewrite !len_app in *; simpl in *; [|lia].
      rewrite app_nil_r in *. subst F.
      apply refines_middle with (b := []); simpl; auto; rewrite len_app in *; lia.
    + subst F. apply refines_middle; auto. rewrite !len_app in *. lia.
Qed.

(** 2.13.  The order on both sorts is reflexive. *)
Theorem prop_2_13_le_refl : forall X, X ⊑ X.
Proof. intros [R|F]; simpl; auto using prop_2_5_le_refl, refines_refl. Qed.

(** 2.13.  It is antisymmetric. *)
Theorem prop_2_13_le_antisym : forall X Y, X ⊑ Y -> Y ⊑ X -> X = Y.
Proof.
  intros [R|F] [S|G]; try (simpl; tauto); intros H K; f_equal.
  - now apply prop_2_5_le_antisym.
  - now apply refines_antisym.
Qed.

(** 2.13.  It is transitive. *)
Theorem prop_2_13_le_trans : forall X Y Z, X ⊑ Y -> Y ⊑ Z -> X ⊑ Z.
Proof.
  intros [R|F] [S|G] [T|H] A B; try (simpl in *; tauto).
  - eapply prop_2_5_le_trans; eauto.
  - apply def_2_12_rigid_flank_decomposition in A as (A1 & A2 & A3).
    pose proof (row_le_rank _ _ B).
    apply def_2_3_flank_decomposition in B as [B1 B2].
    apply def_2_12_rigid_flank_decomposition.
    split; [|split]; [eauto using front_le_trans | eauto using back_le_trans | lia].
  - destruct B as [K B]. simpl. apply refines_length in A as L.
    rewrite L. split; [auto | eauto using refines_trans].
  - eapply refines_trans; eauto.
Qed.

(** 2.13.  The empty marked row is above everything. *)
Theorem prop_2_13_top : forall X, X ⊑ Marked empty_row.
Proof.
  intros [R|F].
  - apply prop_2_6_empty_greatest.
  - apply def_2_12_rigid_flank_decomposition; simpl.
    split; [exact I | split; [exact I | unfold rank; simpl; lia]].
Qed.

(** 2.13.  Nothing else is. *)
Theorem prop_2_13_top_unique : forall T, (forall X, X ⊑ T) -> T = Marked empty_row.
Proof. intros T H; apply prop_2_13_le_antisym; auto using prop_2_13_top. Qed.

(** 2.13.  On rigid rows, equal content, equality and mutual inequality are one. *)
Theorem prop_2_13_rigid_equality : forall F G,
  (F = G <-> Rigid F = Rigid G) /\ (F = G <-> Rigid F ⊑ Rigid G /\ Rigid G ⊑ Rigid F).
Proof.
  intros F G; split; split; try congruence.
  - intros ->; auto using prop_2_13_le_refl.
  - intros [A B]; apply (prop_2_13_le_antisym _ _ A) in B; congruence.
Qed.

(** ** Clause (d) is forced *)

(** 2.13.  The paper's instance.  Keep clause (a), allow marked rows below rigid rows
    of equal rank, and ask for transitivity: a row of rank 2 lands below a
    rigid row of rank 1. *)
Theorem prop_2_13_clause_d_forced : forall rel : row2 -> row2 -> Prop,
  (forall X Y Z, rel X Y -> rel Y Z -> rel X Z) ->
  (forall R S, R ⊑r S -> rel (Marked R) (Marked S)) ->
  (forall R F, rank R = length F -> refines (flat R) F -> rel (Marked R) (Rigid F)) ->
  rel (Marked ([num 5] ·⋄· [num 3])) (Rigid [num 3]).
Proof.
  intros rel T A D. apply T with (Marked ([] ·⋄· [num 3])).
  - apply A. now apply def_2_3_row_leb.
  - apply D; [reflexivity | apply refines_refl].
Qed.

(** 2.13.  In general: one single marked row below a rigid row drags in marked rows
    of every larger rank. *)
Theorem prop_2_13_clause_d_forced_all_ranks : forall (rel : row2 -> row2 -> Prop) R F,
  (forall X Y Z, rel X Y -> rel Y Z -> rel X Z) ->
  (forall R S, R ⊑r S -> rel (Marked R) (Marked S)) ->
  rel (Marked R) (Rigid F) ->
  forall n, rank R <= n -> exists S, rank S = n /\ rel (Marked S) (Rigid F).
Proof.
  intros rel [l r] F T A D n Hn.
  exists ((l ++ repeat Unit (n - rank (l ·⋄· r))) ·⋄· r). split.
  - unfold rank in *; simpl in *; rewrite len_app, repeat_length; lia.
  - apply T with (Marked (l ·⋄· r)); auto. apply A, row_le_intro.
    + apply front_le_split; eauto using refines_refl.
    + apply back_le_refl.
Qed.

(** 2.13.  So no transitive relation has clause (a), respects rank below rigid rows,
    and relates any marked row to any rigid row. *)
Theorem prop_2_13_clause_d_only_choice : forall rel : row2 -> row2 -> Prop,
  (forall X Y Z, rel X Y -> rel Y Z -> rel X Z) ->
  (forall R S, R ⊑r S -> rel (Marked R) (Marked S)) ->
  (forall R F, rel (Marked R) (Rigid F) -> rank R = length F) ->
  forall R F, ~ rel (Marked R) (Rigid F).
Proof.
  intros rel T A D R F H.
  destruct (prop_2_13_clause_d_forced_all_ranks rel R F T A H (S (rank R))) as (S' & K & B);
    [lia|].
  apply D in B. apply D in H. lia.
Qed.

(** 2.13.  As the paper has it: clauses (a) to (c) are enough.  By (c) the content of a marked row of a rank that is
    too large lies below it, and so below the rigid row, which (b) excludes. *)
Theorem prop_2_13_clause_d_from_the_others : forall rel : row2 -> row2 -> Prop,
  (forall X Y Z, rel X Y -> rel Y Z -> rel X Z) ->
  (forall R S, R ⊑r S -> rel (Marked R) (Marked S)) ->
  (forall F G, rel (Rigid F) (Rigid G) -> refines F G) ->
  (forall F R, Rigid F ⊑ Marked R -> rel (Rigid F) (Marked R)) ->
  forall R F, ~ rel (Marked R) (Rigid F).
Proof.
  intros rel T A B C R F H.
  destruct (prop_2_13_clause_d_forced_all_ranks rel R F T A H (rank R + S (length F))) as (Q & K & D); [lia|].
  assert (L : refines (flat Q) F).
  { apply B, T with (Marked Q); [apply C | exact D].
    simpl. rewrite flat_length, expand_own_rank. auto using refines_refl. }
  apply refines_length in L. rewrite flat_length in L. lia.
Qed.

(** ** A marked row sits directly above its flattening *)

(** 2.13.  A marked row is above its rigid flattening. *)
Theorem prop_2_13_flat_below : forall R, Rigid (flat R) ⊑ Marked R.
Proof.
  intros; simpl. rewrite flat_length, expand_own_rank. auto using refines_refl.
Qed.

(** 2.13.  Nothing lies strictly between the two. *)
Theorem prop_2_13_flat_covered : forall R X,
  Rigid (flat R) ⊑ X -> X ⊑ Marked R -> X = Rigid (flat R) \/ X = Marked R.
Proof.
  intros R [S|F] A B.
  - right. f_equal. destruct A as [K A]. rewrite flat_length in *.
    pose proof (row_le_rank _ _ B). assert (E : rank S = rank R) by lia.
    apply row_le_same_rank in B as L; [destruct L as [L _]|auto].
    apply flat_equiv_same_marker; [|auto].
    apply refines_antisym.
    + destruct B as (_ & _ & B). now rewrite E, expand_own_rank in B.
    + rewrite <- E, expand_own_rank in A. exact A.
  - left. f_equal. simpl in A. apply refines_length in A as L.
    destruct B as [_ B]. rewrite <- L, flat_length, expand_own_rank in B.
    symmetry; now apply refines_antisym.
Qed.

(** Remark 2.14 on the witness of Remark 2.11: with the rigid value [3,5] the
    inequality fails, whichever sort the lower side has.  For the marked lower
    side of the witness, the clause that refuses is (d). *)
Theorem remark_2_14_witness_determinate :
  ~ Marked ([num 3] ·⋄· [num 9; num 5]) ⊑ Rigid [num 3; num 5] /\
  ~ Rigid [num 3; num 9; num 5] ⊑ Rigid [num 3; num 5].
Proof. split; intros H; apply def_2_12_row2_leb in H; discriminate. Qed.

(** * Joins across the sorts (the question left open in Remark 2.14) *)

Lemma is_upper_sym : forall X Y U, is_upper X Y U -> is_upper Y X U.
Proof. unfold is_upper; tauto. Qed.

Lemma is_lub_sym : forall X Y Z, is_lub X Y Z -> is_lub Y X Z.
Proof. intros X Y Z [A B]; split; auto using is_upper_sym. Qed.

(** 2.14.  Joins are unique where they exist. *)
Theorem remark_2_14_lub_unique : forall X Y Z W, is_lub X Y Z -> is_lub X Y W -> Z = W.
Proof. intros X Y Z W [A B] [C D]; apply prop_2_13_le_antisym; auto. Qed.

Lemma mixed_candidate_rank : forall R F,
  rank (mixed_candidate R F) =
  min (length (lead R)) (length F) + min (length (trail R)) (length F).
Proof. intros; unfold rank; simpl; now rewrite join_front_length, join_back_length. Qed.

Lemma mixed_is_lub : forall R F, rank (mixed_candidate R F) <= length F ->
  is_lub (Marked R) (Rigid F) (Marked (mixed_candidate R F)).
Proof.
  intros R F K; split; [split|].
  - apply def_2_3_flank_decomposition; simpl; auto using join_front_ub_l, join_back_ub_l.
  - apply def_2_12_rigid_flank_decomposition; simpl;
      auto using join_front_ub_r, join_back_ub_r.
  - intros [U|U] [A B]; [|destruct A].
    apply def_2_3_flank_decomposition in A as [A1 A2].
    apply def_2_12_rigid_flank_decomposition in B as (B1 & B2 & _).
    apply def_2_3_flank_decomposition; simpl; auto using join_front_least, join_back_least.
Qed.

(** The candidate's two flanks, each alone, are upper bounds.  A join would
    have to hold both at once. *)
Lemma mixed_no_lub : forall R F Z, length F < rank (mixed_candidate R F) ->
  ~ is_lub (Marked R) (Rigid F) Z.
Proof.
  intros R F [Z|Z] K [[A B] L]; [|destruct A].
  rewrite mixed_candidate_rank in K.
  assert (H1 : Marked Z ⊑ Marked (join_front (lead R) F ·⋄· [])).
  { apply L; split.
    - apply def_2_3_flank_decomposition; simpl; auto using join_front_ub_l, back_le_nil.
    - apply def_2_12_rigid_flank_decomposition; simpl.
      split; [apply join_front_ub_r | split; [exact I|]].
      unfold rank; simpl; rewrite join_front_length; lia. }
  assert (H2 : Marked Z ⊑ Marked ([] ·⋄· join_back (trail R) F)).
  { apply L; split.
    - apply def_2_3_flank_decomposition; simpl; auto using join_back_ub_l.
    - apply def_2_12_rigid_flank_decomposition; simpl.
      split; [exact I | split; [apply join_back_ub_r|]].
      unfold rank; simpl; rewrite join_back_length; lia. }
  destruct H1 as [H1 _], H2 as (_ & H2 & _), B as [B _]; simpl in *.
  rewrite join_front_length in H1. rewrite join_back_length in H2.
  unfold rank in B. lia.
Qed.

(** 2.14.  Rigid rows of equal rank: join entry by entry. *)
Theorem remark_2_14_rigid_same_rank : forall F G, length F = length G ->
  is_lub (Rigid F) (Rigid G) (Rigid (join_front F G)).
Proof.
  intros F G E. pose proof (join_front_length F G) as K. rewrite E, Nat.min_id in K.
  split; [split|].
  - apply front_le_refines; [congruence | apply join_front_ub_l].
  - apply front_le_refines; [congruence | apply join_front_ub_r].
  - intros [U|U] [A B].
    + apply def_2_12_rigid_flank_decomposition in A as (A1 & A2 & A3), B as (B1 & B2 & _).
      apply def_2_12_rigid_flank_decomposition.
      split; [auto using join_front_least | split; [|congruence]].
      apply back_le_trans with (join_back F G); [|auto using join_back_least].
      (* at equal length both alignments join the same entries *)
      assert (X : forall A B, length A = length B -> join_back A B = join_front A B).
      { clear. intros A B E. apply refines_antisym.
        - apply back_le_refines.
          + rewrite join_back_length, join_front_length; auto.
          + apply join_back_least; apply refines_back_le, front_le_refines;
              auto using join_front_ub_l, join_front_ub_r;
              rewrite join_front_length; lia.
        - apply front_le_refines.
          + rewrite join_back_length, join_front_length; auto.
          + apply join_front_least; apply refines_front_le, back_le_refines;
              auto using join_back_ub_l, join_back_ub_r;
              rewrite join_back_length; lia. }
      rewrite X by auto. apply back_le_refl.
    + simpl in *. apply front_le_refines.
      * apply refines_length in A. congruence.
      * apply join_front_least; apply refines_front_le; auto.
Qed.

Lemma rigid_uppers_are_marked : forall F G U, length F <> length G ->
  is_upper (Rigid F) (Rigid G) U -> exists R, U = Marked R.
Proof.
  intros F G [U|U] E [A B]; eauto.
  apply refines_length in A, B. congruence.
Qed.

(** 2.14.  Rigid rows of different ranks, one of them empty: only the top is left. *)
Theorem remark_2_14_rigid_rank_zero : forall F G, length F <> length G ->
  F = [] \/ G = [] -> is_lub (Rigid F) (Rigid G) (Marked empty_row).
Proof.
  intros F G N E; split; [split; apply prop_2_13_top|].
  intros U H. destruct (rigid_uppers_are_marked _ _ _ N H) as [[l r] ->].
  destruct H as [[A _] [B _]]. unfold rank in *; simpl in *.
  assert (length l = 0 /\ length r = 0) as [X Y] by (destruct E; subst; simpl in *; lia).
  destruct l; [|discriminate]. destruct r; [|discriminate].
  apply (prop_2_13_le_refl (Marked empty_row)).
Qed.

(** 2.14.  Rigid rows of different ranks, none of them empty: two different minimal
    upper bounds, one with all entries before the marker, one with all after. *)
Theorem remark_2_14_rigid_two_minimal_uppers : forall F G,
  length F <> length G -> F <> [] -> G <> [] ->
  let A := Marked (join_front F G ·⋄· []) in
  let B := Marked ([] ·⋄· join_back F G) in
  is_minimal_upper (Rigid F) (Rigid G) A /\ is_minimal_upper (Rigid F) (Rigid G) B /\
  ~ A ⊑ B /\ ~ B ⊑ A.
Proof.
  intros F G N NF NG A B.
  assert (LF : 0 < length F) by (destruct F; [congruence | simpl; lia]).
  assert (LG : 0 < length G) by (destruct G; [congruence | simpl; lia]).
  pose proof (join_front_length F G) as LA. pose proof (join_back_length F G) as LB.
  assert (UA : is_upper (Rigid F) (Rigid G) A).
  { split; apply def_2_12_rigid_flank_decomposition; unfold rank; simpl;
      (split; [auto using join_front_ub_l, join_front_ub_r | split; [exact I | lia]]). }
  assert (UB : is_upper (Rigid F) (Rigid G) B).
  { split; apply def_2_12_rigid_flank_decomposition; unfold rank; simpl;
      (split; [exact I | split; [auto using join_back_ub_l, join_back_ub_r | lia]]). }
  repeat split; try apply UA; try apply UB.
  - intros U HU LU. destruct (rigid_uppers_are_marked _ _ _ N HU) as [[l r] ->].
    apply prop_2_13_le_antisym; auto. destruct HU as [U1 U2].
    apply def_2_12_rigid_flank_decomposition in U1 as (U1 & _ & K1), U2 as (U2 & _ & K2).
    destruct LU as [LU _]. unfold rank in *; simpl in *.
    destruct r; [|simpl in *; lia].
    apply row_le_intro; [auto using join_front_least | apply back_le_refl].
  - intros U HU LU. destruct (rigid_uppers_are_marked _ _ _ N HU) as [[l r] ->].
    apply prop_2_13_le_antisym; auto. destruct HU as [U1 U2].
    apply def_2_12_rigid_flank_decomposition in U1 as (_ & U1 & K1), U2 as (_ & U2 & K2).
    destruct LU as (_ & LU & _). unfold rank in *; simpl in *.
    destruct l; [|simpl in *; lia].
    apply row_le_intro; [exact I | auto using join_back_least].
  - intros (_ & H & _); simpl in H; lia.
  - intros (H & _); simpl in H; lia.
Qed.

(** 2.14.  They have no least upper bound. *)
Theorem remark_2_14_rigid_no_join : forall F G,
  length F <> length G -> F <> [] -> G <> [] ->
  forall Z, ~ is_lub (Rigid F) (Rigid G) Z.
Proof.
  intros F G N NF NG Z [UZ LZ].
  destruct (remark_2_14_rigid_two_minimal_uppers F G N NF NG) as ([UA MA] & [UB MB] & X & _).
  apply X. rewrite <- (MA _ UZ (LZ _ UA)). apply LZ; auto.
Qed.

(** 2.14.  A marked row whose rank fits into the rigid one: join each flank. *)
Theorem remark_2_14_mixed_fits : forall l r F, length l + length r <= length F ->
  is_lub (Marked (l ·⋄· r)) (Rigid F) (Marked (join_front l F ·⋄· join_back r F)) /\
  length (join_front l F) = length l /\ length (join_back r F) = length r.
Proof.
  intros l r F K. rewrite join_front_length, join_back_length.
  split; [|lia]. apply (mixed_is_lub (l ·⋄· r)). rewrite mixed_candidate_rank; simpl; lia.
Qed.

(** 2.14.  The exact condition for a marked and a rigid row to have a join. *)
Theorem remark_2_14_mixed_iff : forall l r F,
  (exists Z, is_lub (Marked (l ·⋄· r)) (Rigid F) Z) <->
  length l + length r <= length F \/ F = [] \/ l = [] \/ r = [].
Proof.
  intros l r F.
  assert (E : rank (mixed_candidate (l ·⋄· r) F) <= length F <->
              length l + length r <= length F \/ F = [] \/ l = [] \/ r = []).
  { rewrite mixed_candidate_rank; simpl.
    destruct F, l, r; simpl; split; intros H; try lia; auto;
      destruct H as [H|[H|[H|H]]]; try discriminate; lia. }
  rewrite <- E. split.
  - intros [Z H]. apply Nat.nlt_ge; intros K. exact (mixed_no_lub _ _ _ K H).
  - intros K; eauto using mixed_is_lub.
Qed.

(** 2.14.  Where it exists, the join is the candidate. *)
Theorem remark_2_14_mixed_formula : forall R F Z,
  is_lub (Marked R) (Rigid F) Z -> Z = Marked (mixed_candidate R F).
Proof.
  intros R F Z H. apply remark_2_14_lub_unique with (1 := H). apply mixed_is_lub.
  apply Nat.nlt_ge; intros K. exact (mixed_no_lub _ _ _ K H).
Qed.

(** ** All minimal upper bounds where no join exists

    In both cases the upper bounds are the marked rows above two given flanks,
    with a bound on the rank. *)

Definition capped (P Q : list dim) (n : nat) (R : row) : Prop :=
  front_le P (lead R) /\ back_le Q (trail R) /\ rank R <= n.

Lemma capped_minimal : forall P Q n R, n <= length P + length Q ->
  (capped P Q n R /\ (forall U, capped P Q n U -> U ⊑r R -> U = R) <->
   exists p q, p + q = n /\ p <= length P /\ q <= length Q /\
               R = firstn p P ·⋄· lastn q Q).
Proof.
  intros P Q n R K.
  assert (C : forall p q, p + q = n -> p <= length P -> q <= length Q ->
              capped P Q n (firstn p P ·⋄· lastn q Q)).
  { intros p q E Hp Hq; split; [|split]; simpl.
    - apply front_le_own_firstn.
    - apply back_le_own_lastn.
    - unfold rank; simpl. rewrite len_firstn, lastn_length; lia. }
  split.
  - intros [(Hl & Hr & Hn) M].
    pose proof (front_le_length _ _ Hl). pose proof (back_le_length _ _ Hr).
    destruct R as [l r]; unfold rank in Hn; simpl in *.
    assert (exists p q, p + q = n /\ p <= length P /\ q <= length Q /\
                        length l <= p /\ length r <= q) as (p & q & E & Hp & Hq & Lp & Lq).
    { exists (length l + min (length P - length l) (n - length l - length r)).
      exists (n - (length l + min (length P - length l) (n - length l - length r))). lia. }
    exists p, q. repeat split; auto. symmetry. apply M; [auto|].
    apply row_le_intro; auto using front_le_firstn, back_le_lastn.
  - intros (p & q & E & Hp & Hq & ->). split; [auto|].
    intros [l r] (Hl & Hr & Hn) H. apply prop_2_5_le_antisym; [auto|].
    destruct H as (Ll & Lr & _). unfold rank in *; simpl in *.
    rewrite len_firstn in Ll. rewrite lastn_length in Lr by auto.
    apply row_le_intro; [apply front_le_firstn | apply back_le_lastn]; auto; lia.
Qed.

(** 2.14.  One row per way to share the smaller rank between the two flanks. *)
Theorem remark_2_14_rigid_minimal_uppers : forall F G Z, length F <> length G ->
  (is_minimal_upper (Rigid F) (Rigid G) Z <->
   exists p q, p + q = min (length F) (length G) /\
               Z = Marked (firstn p (join_front F G) ·⋄· lastn q (join_back F G))).
Proof.
  intros F G Z N.
  assert (C : forall R, is_upper (Rigid F) (Rigid G) (Marked R) <->
              capped (join_front F G) (join_back F G) (min (length F) (length G)) R).
  { intros R; unfold is_upper, capped; rewrite !def_2_12_rigid_flank_decomposition; split.
    - intros ((A1 & A2 & A3) & B1 & B2 & B3).
      split; [|split]; [auto using join_front_least | auto using join_back_least | lia].
    - intros (A & B & K). repeat split; try lia.
      + apply front_le_trans with (2 := A), join_front_ub_l.
      + apply back_le_trans with (2 := B), join_back_ub_l.
      + apply front_le_trans with (2 := A), join_front_ub_r.
      + apply back_le_trans with (2 := B), join_back_ub_r. }
  pose proof (join_front_length F G) as LP. pose proof (join_back_length F G) as LQ.
  pose proof (fun R => capped_minimal (join_front F G) (join_back F G)
                         (min (length F) (length G)) R ltac:(lia)) as M.
  split.
  - intros [U L]. destruct (rigid_uppers_are_marked _ _ _ N U) as [R ->].
    destruct (proj1 (M R)) as (p & q & E & _ & _ & ->); [|eauto].
    split; [now apply C|]. intros V HV HL.
    assert (X : Marked V = Marked R) by (apply L; [now apply C | exact HL]). congruence.
  - intros (p & q & E & ->).
    destruct (proj2 (M (firstn p (join_front F G) ·⋄· lastn q (join_back F G)))) as [U L].
    { exists p, q. repeat split; auto; lia. }
    split; [now apply C|]. intros V HV HL.
    destruct (rigid_uppers_are_marked _ _ _ N HV) as [R ->]. f_equal.
    apply L; [now apply C | exact HL].
Qed.

(** 2.14.  If the marked rank is at least the rigid one, the minimal upper bounds are
    exactly the joined ends, one row for each split of the rigid rank that the flanks
    allow. *)
Theorem remark_2_14_mixed_minimal_uppers : forall l r F Z,
  length F <= length l + length r ->
  (is_minimal_upper (Marked (l ·⋄· r)) (Rigid F) Z <->
   exists p q, p + q = length F /\ p <= length l /\ q <= length r /\
               Z = Marked (firstn p (join_front l F) ·⋄· lastn q (join_back r F))).
Proof.
  intros l r F Z K.
  assert (C : forall R, is_upper (Marked (l ·⋄· r)) (Rigid F) (Marked R) <->
              capped (join_front l F) (join_back r F) (length F) R).
  { intros R; unfold is_upper, capped; rewrite def_2_12_rigid_flank_decomposition.
    change (Marked (l ·⋄· r) ⊑ Marked R) with (l ·⋄· r ⊑r R).
    rewrite def_2_3_flank_decomposition; simpl; split.
    - intros ((A1 & A2) & B1 & B2 & B3).
      split; [|split]; [auto using join_front_least | auto using join_back_least | lia].
    - intros (A & B & L). repeat split; try lia.
      + apply front_le_trans with (2 := A), join_front_ub_l.
      + apply back_le_trans with (2 := B), join_back_ub_l.
      + apply front_le_trans with (2 := A), join_front_ub_r.
      + apply back_le_trans with (2 := B), join_back_ub_r. }
  pose proof (join_front_length l F) as LP. pose proof (join_back_length r F) as LQ.
  pose proof (fun R => capped_minimal (join_front l F) (join_back r F)
                         (length F) R ltac:(lia)) as M.
  split.
  - intros [U L]. destruct Z as [R|Z]; [|destruct U as [[] _]].
    destruct (proj1 (M R)) as (p & q & E & Hp & Hq & ->).
    + split; [now apply C|]. intros V HV HL.
      assert (X : Marked V = Marked R) by (apply L; [now apply C | exact HL]). congruence.
    + exists p, q. repeat split; auto; lia.
  - intros (p & q & E & Hp & Hq & ->).
    destruct (proj2 (M (firstn p (join_front l F) ·⋄· lastn q (join_back r F)))) as [U L].
    { exists p, q. repeat split; auto; lia. }
    split; [now apply C|]. intros V HV HL.
    destruct V as [R|V]; [|destruct HV as [[] _]]. f_equal.
    apply L; [now apply C | exact HL].
Qed.

(** 2.14.  The function computes the join exactly when there is one. *)
Theorem remark_2_14_join_correct : forall X Y Z,
  row2_join X Y = Some Z <-> is_lub X Y Z.
Proof.
  assert (S1 : forall X Y Z, row2_join X Y = Some Z -> is_lub X Y Z).
  { assert (M : forall R F Z, mixed_join R F = Some Z -> is_lub (Marked R) (Rigid F) Z).
    { unfold mixed_join; intros R F Z.
      destruct (Nat.leb_spec (rank (mixed_candidate R F)) (length F)); [|discriminate].
      intros [= <-]. now apply mixed_is_lub. }
    intros [R|F] [S|G] Z; simpl; intros H; auto using is_lub_sym.
    - injection H as <-. split; [split; apply prop_2_7_join_upper|].
      intros [U|U] [A B]; [|destruct A]. now apply prop_2_7_join_least.
    - revert H; unfold rigid_join.
      destruct (Nat.eqb_spec (length F) (length G)) as [E|N].
      + intros [= <-]. now apply remark_2_14_rigid_same_rank.
      + destruct F, G; simpl; try discriminate; intros [= <-];
          apply remark_2_14_rigid_rank_zero; auto. }
  assert (S2 : forall X Y Z, row2_join X Y = None -> ~ is_lub X Y Z).
  { assert (M : forall R F Z, mixed_join R F = None -> ~ is_lub (Marked R) (Rigid F) Z).
    { unfold mixed_join; intros R F Z.
      destruct (Nat.leb_spec (rank (mixed_candidate R F)) (length F)); [discriminate|].
      intros _. now apply mixed_no_lub. }
    intros [R|F] [S|G] Z; simpl; intros H K.
    - discriminate.
    - exact (M _ _ _ H K).
    - exact (M _ _ _ H (is_lub_sym _ _ _ K)).
    - revert H; unfold rigid_join.
      destruct (Nat.eqb_spec (length F) (length G)) as [E|N]; [discriminate|].
      destruct F as [|d F]; [discriminate|]. destruct G as [|e G]; [discriminate|]. intros _.
      revert K. apply remark_2_14_rigid_no_join; auto; discriminate. }
  intros X Y Z; split; [apply S1|]. intros H.
  destruct (row2_join X Y) as [W|] eqn:E.
  - f_equal. apply remark_2_14_lub_unique with X Y; auto.
  - destruct (S2 X Y Z E H).
Qed.

(** 2.14.  It returns nothing exactly when there is none. *)
Theorem remark_2_14_join_exists_iff : forall X Y,
  (exists Z, is_lub X Y Z) <-> row2_join X Y <> None.
Proof.
  intros X Y; split.
  - intros [Z H]; apply remark_2_14_join_correct in H; congruence.
  - destruct (row2_join X Y) as [Z|] eqn:E; [|congruence].
    exists Z; now apply remark_2_14_join_correct.
Qed.

(** * The one-shot relation (Remark 2.15) *)

Lemma flat2_below : forall X, Rigid (flat2 X) ⊑ X.
Proof. intros [R|F]; [apply prop_2_13_flat_below | apply prop_2_13_le_refl]. Qed.

(** 2.15.  The boolean test decides the one-shot relation. *)
Theorem remark_2_15_oneshotb : forall X Y, oneshotb X Y = true <-> X ⊑¹ Y.
Proof. intros; apply def_2_12_row2_leb. Qed.

(** 2.15.  The one-shot relation is reflexive. *)
Theorem remark_2_15_oneshot_refl : forall X, X ⊑¹ X.
Proof. exact flat2_below. Qed.

(** 2.15.  It contains the order. *)
Theorem remark_2_15_order_implies_oneshot : forall X Y, X ⊑ Y -> X ⊑¹ Y.
Proof. intros X Y H; apply prop_2_13_le_trans with X; auto using flat2_below. Qed.

(** 2.15.  It composes with the hereditary order on its right. *)
Theorem remark_2_15_oneshot_then_order : forall X Y Z, X ⊑¹ Y -> Y ⊑ Z -> X ⊑¹ Z.
Proof. intros X Y Z; apply prop_2_13_le_trans. Qed.

Lemma oneshot_rank : forall X Y, X ⊑¹ Y -> rank2 Y <= rank2 X.
Proof.
  intros X [R|F]; unfold oneshot, rank2; simpl; intros H.
  - rewrite flat_length. apply H.
  - apply refines_length in H. lia.
Qed.

Lemma oneshot_same_rank : forall X Y, rank2 X = rank2 Y ->
  X ⊑¹ Y -> refines (flat2 X) (flat2 Y).
Proof.
  intros X [R|F]; unfold oneshot, rank2; simpl; intros E H; [|auto].
  destruct H as [_ H]. now rewrite E, flat_length, expand_own_rank in H.
Qed.

(** 2.15.  Mutual one-shot comparison is equality of content, for both sorts. *)
Theorem remark_2_15_mutual_oneshot : forall X Y,
  X ⊑¹ Y /\ Y ⊑¹ X <-> flat2 X = flat2 Y.
Proof.
  intros X Y; split.
  - intros [A B]. pose proof (oneshot_rank _ _ A). pose proof (oneshot_rank _ _ B).
    apply refines_antisym; apply oneshot_same_rank; auto; lia.
  - intros E; unfold oneshot; split; [rewrite E | rewrite <- E]; apply flat2_below.
Qed.

(** Def. 3.4 names three readings of row equality; they are one relation. *)
Theorem def_3_4_three_formulations : forall R S,
  (R ≈ S <-> Rigid (flat R) = Rigid (flat S)) /\
  (R ≈ S <-> Marked R ⊑¹ Marked S /\ Marked S ⊑¹ Marked R).
Proof.
  intros R S; split.
  - unfold flat_equiv; split; congruence.
  - symmetry; apply remark_2_15_mutual_oneshot.
Qed.

(** 2.15.  The paper calls the one-shot relation an order.  It is reflexive, and
    antisymmetric up to content, but it is not transitive: its middle row is
    used once with its marker and once without. *)
Theorem remark_2_15_oneshot_not_transitive :
  Marked ([num 5; num 3] ·⋄· []) ⊑¹ Marked ([] ·⋄· [num 3]) /\
  Marked ([] ·⋄· [num 3]) ⊑¹ Marked ([num 3] ·⋄· []) /\
  ~ Marked ([num 5; num 3] ·⋄· []) ⊑¹ Marked ([num 3] ·⋄· []).
Proof.
  split; [|split].
  - now apply remark_2_15_oneshotb.
  - now apply remark_2_15_oneshotb.
  - intros H; apply remark_2_15_oneshotb in H; discriminate.
Qed.

(** 2.15.  What can be saved: the transitive closure is a preorder (it contains the
    reflexive one-shot relation), and its induced equivalence is still equality
    of content. *)
Theorem remark_2_15_oneshot_closure_kernel : forall X Y,
  clos_trans row2 oneshot X Y /\ clos_trans row2 oneshot Y X <-> flat2 X = flat2 Y.
Proof.
  assert (K : forall X Y, clos_trans row2 oneshot X Y ->
    rank2 Y <= rank2 X /\ (rank2 X = rank2 Y -> refines (flat2 X) (flat2 Y))).
  { intros X Y H; induction H as [X Y H | X Y Z _ [L1 R1] _ [L2 R2]].
    - split; [now apply oneshot_rank | intros E; now apply oneshot_same_rank].
    - split; [lia|]. intros E. apply refines_trans with (flat2 Y); [apply R1 | apply R2]; lia. }
  intros X Y; split.
  - intros [A B]. apply K in A as [A1 A2], B as [B1 B2].
    apply refines_antisym; [apply A2 | apply B2]; lia.
  - intros E. apply remark_2_15_mutual_oneshot in E as [A B]. split; apply t_step; auto.
Qed.

(** Remark 2.15(ii)'s witness: [3]·x·[4] against the literal []·⋄·[3,5,4].  The
    marked order forces rank four or more, the one-shot relation takes x = [5]. *)
Theorem remark_2_15_template_witness :
  (forall l r, num 3 :: l ·⋄· r ++ [num 4] ⊑r [] ·⋄· [num 3; num 5; num 4] ->
     4 <= rank (num 3 :: l ·⋄· r ++ [num 4])) /\
  Marked ([num 3] ·⋄· [num 5; num 4]) ⊑¹ Marked ([] ·⋄· [num 3; num 5; num 4]).
Proof.
  split.
  - intros l r (_ & H & _); unfold rank; simpl in *; rewrite len_app in *; simpl in *; lia.
  - now apply remark_2_15_oneshotb.
Qed.
