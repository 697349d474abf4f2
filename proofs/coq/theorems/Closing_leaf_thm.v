(** Prop. 6.5: what leaf closing is least among; F13. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm
  Closing Closing_thm.
Import ListNotations.

(** * Dimensions: at most one atom is stored below a variable *)

Lemma lower_none : forall B a, lower B a = None -> forall d, is_atom d -> ~ In (DLe (DConst d) (DVar a)) B.
Proof.
  intros B; induction B as [|c B IH]; intros a E d A I; simpl in *; [tauto|].
  destruct I as [->|I].
  - destruct d; simpl in *; [tauto|]. rewrite Nat.eqb_refl in E. discriminate.
  - destruct c as [t u|[y|[|n b]] [a'|x]|R Q|R Q]; try (eapply IH; eauto; fail).
    destruct (Nat.eqb a' a); [discriminate | eapply IH; eauto].
Qed.

Definition one_atom (B : list constr) : Prop :=
  (forall d a, In (DLe (DConst d) (DVar a)) B -> is_atom d) /\
  (forall d e a, In (DLe (DConst d) (DVar a)) B -> In (DLe (DConst e) (DVar a)) B -> d = e).

Lemma outcome_atom : forall used B c r o, fires used B c r o -> one_atom B ->
  match o with Fails => True | Does e => forall d a, In (DLe (DConst d) (DVar a)) (stores e) ->
    is_atom d /\ forall x, In (DLe (DConst x) (DVar a)) B -> x = d end.
Proof.
  intros used B c r o F [OA OE].
  each_rule F; try exact I;
    try (split_outcome; simpl; try tauto; intros x a' [E|[]]; discriminate).
  - unfold di_cap. destruct (lower B a) as [x|] eqn:E.
    + destruct (dim_eqb x d); simpl; tauto.
    + simpl. intros d' a' [Eq|[]]. injection Eq as <- <-. split; [auto|].
      intros x Ix. destruct (lower_none B a E x (OA _ _ Ix) Ix).
  - intros d' a' [Eq|[]]. injection Eq as <- <-. split; [auto|]. intros x Ix.
    apply (OE x d a); [auto|]. now apply lower_in.
Qed.

Lemma step_one_atom : forall C c r C', step C c r C' -> one_atom (store C) -> one_atom (store C').
Proof.
  intros C c r C' S OA. inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  pose proof (outcome_atom _ _ _ _ _ F OA) as O. simpl in O. destruct OA as [OA OE].
  pose proof (binding_stores_nothing _ _ _ _ _ F) as St.
  unfold next. destruct (binds e) as [b|]; simpl.
  - rewrite St, add_bounds_nil by congruence.
    assert (Old : forall d a, In (DLe (DConst d) (DVar a)) (map (sub_c (as_subst b))
              (filter (fun d => negb (stored_for (bound_var b) d)) (store C))) ->
              In (DLe (DConst d) (DVar a)) (store C)).
    { intros d a I. apply in_map_iff in I as (c' & E & I). apply filter_In in I as [I N].
      apply negb_true_iff in N. destruct c' as [| t u | |]; try discriminate. simpl in E. injection E as E1 E2.
      destruct b as [x v|p V]; simpl in N, E1, E2.
      - apply orb_false_iff in N as [N1 N2].
        destruct t as [y|y]; simpl in E1, N1; [rewrite N1 in E1; discriminate|].
        destruct u as [z|z]; simpl in E2, N2; [rewrite N2 in E2 | discriminate]. congruence.
      - destruct t, u; simpl in *; congruence. }
    split; intros; eauto.
  - assert (One : forall x y, In x (stores e) -> In y (stores e) -> x = y).
    { pose proof (outcome_stores _ _ _ _ _ F) as Z. simpl in Z.
      destruct Z as [-> | (d & -> & _)]; [intros x y []|]. intros x y [<-|[]] [<-|[]]. reflexivity. }
    split.
    + intros d a I. apply in_add_bounds in I as [I|I]; [eauto | now apply (O d a)].
    + intros d e' a I J. apply in_add_bounds in I as [I|I]; apply in_add_bounds in J as [J|J]; eauto.
      * now apply (O e' a).
      * symmetry. now apply (O d a).
      * specialize (One _ _ I J). congruence.
Qed.

Lemma closing_one_atom : forall C C', closing C C' -> one_atom (store C) -> one_atom (store C').
Proof. intros C C' K; induction K; eauto using step_one_atom. Qed.

(** * 6.5(i) *)

(** 6.5.i.  The value of a dimension leaf with a cap, all of whose caps are ground: it is
    above the caps, and below everything else that is. *)
Theorem prop_6_5_i_dimension : forall T cs C a t, closing (initial cs) C ->
  leaf_value T C (BindD a t) ->
  (exists u, In (DLe u (DVar a)) (store C)) ->
  (forall u, In (DLe u (DVar a)) (store C) -> exists d, u = DConst d) ->
  exists d, t = DConst d /\
    (forall e, In (DLe (DConst e) (DVar a)) (store C) -> e ⊑d d) /\
    (forall x, (forall e, In (DLe (DConst e) (DVar a)) (store C) -> e ⊑d x) -> d ⊑d x).
Proof.
  intros T cs C a t K L (u & Iu) G.
  apply closing_one_atom in K; [|split; intros * []]. destruct K as [OA OE].
  inversion L as [a' d O E|a' O E N|]; subst.
  - exists d. split; [auto|]. apply lower_in in E as [_ I]. split; [|auto].
    intros e J. rewrite (OE e d a J I). apply dim_le_refl.
  - exfalso. destruct (G u Iu) as (d & ->). exact (lower_none _ _ E d (OA _ _ Iu) Iu).
Qed.

(** A row without holes, as a part. *)
Definition solid (V : row) : part := Part (map Some (lead V)) (map Some (rev (trail V))).

Lemma map_fill : forall l, map fill (map Some l) = l.
Proof. intros l; induction l; simpl; congruence. Qed.

Lemma filled_solid : forall V, filled (solid V) = V.
Proof. intros [l r]. unfold filled; simpl. now rewrite !map_fill, rev_involutive. Qed.

Lemma opt_joins_some : forall F G, opt_joins (map Some F) (map Some G) = map Some (join_front F G).
Proof. intros F; induction F as [|d F IH]; intros [|e G]; simpl; auto. now rewrite IH. Qed.

Lemma solid_join : forall V W, part_join (solid V) (solid W) = solid (row_join V W).
Proof.
  intros [l r] [l' r']. unfold part_join, solid, row_join, join_back; simpl.
  now rewrite !opt_joins_some, rev_involutive.
Qed.

Lemma known_ground : forall l, flat_map vars_d l = [] -> map known l = map Some (map (ground_d top) l).
Proof. intros l; induction l as [|[a|d] l IH]; simpl; intros H; try discriminate; auto. now rewrite IH. Qed.

Lemma ground_part_solid : forall R, vars_r R = [] -> ground_part R = solid (ground_r top R) /\ writes R = true.
Proof.
  intros [l m r] E. unfold vars_r in E; simpl in E.
  apply app_eq_nil in E as [El E]. apply app_eq_nil in E as [Em Er]. destruct m; [discriminate|].
  split; [|reflexivity]. unfold ground_part, solid, ground_r; simpl. rewrite app_nil_r.
  rewrite map_rev, (known_ground l El), (known_ground r Er). now rewrite map_rev.
Qed.

Lemma row_joins_upper : forall Vs V, V ⊑r row_joins V Vs /\ forall W, In W Vs -> W ⊑r row_joins V Vs.
Proof.
  intros Vs; induction Vs as [|U Vs IH]; intros V; simpl; [split; [apply prop_2_5_le_refl | intros W []]|].
  destruct (IH (row_join V U)) as [A B]. destruct (prop_2_7_join_upper V U) as [J1 J2].
  split; [eapply prop_2_5_le_trans; eauto|].
  intros W [<-|I]; [eapply prop_2_5_le_trans; eauto | auto].
Qed.

Lemma row_joins_least : forall Vs V U, V ⊑r U -> (forall W, In W Vs -> W ⊑r U) -> row_joins V Vs ⊑r U.
Proof.
  intros Vs; induction Vs as [|X Vs IH]; intros V U A B; simpl; auto. apply IH; [|intros; apply B; simpl; auto].
  apply prop_2_7_join_least; auto. apply B; simpl; auto.
Qed.

Lemma joined_ground : forall R Rs, (forall Q, In Q (R :: Rs) -> vars_r Q = []) ->
  filled (joined (R :: Rs)) = row_joins (ground_r top R) (map (ground_r top) Rs).
Proof.
  intros R Rs H. unfold joined.
  assert (W : filter writes (R :: Rs) = R :: Rs).
  { assert (G : forall l, (forall Q, In Q l -> vars_r Q = []) -> filter writes l = l).
    { intros l; induction l as [|Q l IH]; intros K; simpl; auto.
      destruct (ground_part_solid Q) as [_ ->]; [apply K; simpl; auto|]. f_equal. apply IH.
      intros; apply K; simpl; auto. }
    auto. }
  rewrite W. clear W. destruct (ground_part_solid R) as [-> _]; [apply H; simpl; auto|].
  assert (H' : forall Q, In Q Rs -> vars_r Q = []) by (intros; apply H; simpl; auto). clear H.
  unfold row_joins. generalize (ground_r top R) as V. induction Rs as [|Q Rs IH]; intros V; simpl.
  - apply filled_solid.
  - destruct (ground_part_solid Q) as [-> _]; [apply H'; simpl; auto|]. rewrite solid_join.
    apply IH. intros; apply H'; simpl; auto.
Qed.

Lemma ground_closed_term : forall g R, vars_r R = [] -> ground_r g R = ground_r top R.
Proof. intros g R E. apply agree_ground_r. rewrite E. intros v []. Qed.

(** 6.5.i.  The same for a row leaf. *)
Theorem prop_6_5_i_row : forall T C p t, leaf_value T C (BindR p t) ->
  row_caps (store C) p <> [] -> (forall R, In R (row_caps (store C) p) -> vars_r R = []) ->
  exists V, t = term_of V /\
    (forall R g, In R (row_caps (store C) p) -> ground_r g R ⊑r V) /\
    (forall U, (forall R g, In R (row_caps (store C) p) -> ground_r g R ⊑r U) -> V ⊑r U).
Proof.
  intros T C p t L N G. inversion L as [| |p' O H]; subst p' t.
  eexists; split; [reflexivity|]. destruct (row_caps (store C) p) as [|R Rs]; [congruence|].
  rewrite joined_ground by auto.
  destruct (row_joins_upper (map (ground_r top) Rs) (ground_r top R)) as [A B]. split.
  - intros Q g I. rewrite (ground_closed_term g Q (G Q I)). destruct I as [<-|I]; [auto|].
    apply B. now apply in_map.
  - intros U HU. apply row_joins_least; [apply HU; simpl; auto|].
    intros W I. apply in_map_iff in I as (Q & <- & I). apply HU; simpl; auto.
Qed.

(** 6.5.i.  The equality fixes the content only; with ground caps the bounds fix the
    marker, so the leaf has exactly the committed value in the end. *)
Theorem prop_6_5_i_row_kept : forall T C p t g, leaf_value T C (BindR p t) ->
  row_caps (store C) p <> [] -> (forall R, In R (row_caps (store C) p) -> vars_r R = []) ->
  (forall c, In c (store C) -> bound_shape c) ->
  sol (store C) g -> holds g (REq (rvar_term p) t) -> t = term_of (g_r g p).
Proof.
  intros T C p t g L N G Sh H E.
  destruct (prop_6_5_i_row T C p t L N G) as (V & -> & _ & Least).
  assert (A : V ⊑r g_r g p).
  { apply Least. intros R h I. rewrite (ground_closed_term h R (G R I)), <- (ground_closed_term g R (G R I)).
    unfold row_caps in I. apply in_flat_map in I as (c & I & J).
    specialize (H c I). specialize (Sh c I). destruct c as [| | |R' Q]; simpl in J; try tauto.
    destruct Sh as (q & ->). simpl in J. destruct (Nat.eqb_spec q p) as [->|]; [|destruct J].
    destruct J as [->|[]]. simpl in H. now rewrite ground_rvar in H. }
  assert (T0 : ground_r g (term_of V) = V).
  { destruct V as [l r]. unfold ground_r, term_of; simpl. rewrite app_nil_r, !map_map. simpl. now rewrite !map_id. }
  simpl in E. rewrite ground_rvar in E.
  assert (E' : g_r g p ≈ V) by (rewrite <- T0; exact E).
  f_equal. destruct (row_eqb V (g_r g p)) eqn:B.
  - unfold row_eqb in B. apply andb_true_iff in B as [B1 B2]. apply dims_eqb_eq in B1, B2.
    destruct V, (g_r g p); simpl in *. congruence.
  - assert (Nq : V <> g_r g p).
    { intros Q. rewrite Q in B. unfold row_eqb in B.
      rewrite !(proj2 (dims_eqb_eq _ _) eq_refl) in B. discriminate. }
    destruct (prop_2_10_ii V (g_r g p)) as [K _]; [symmetry; exact E' | auto | tauto].
Qed.

(** * F13: without a cap the committed value is the greatest *)

Lemma leaf_row_is : forall T C p V, V = filled (joined (row_caps (store C) p)) -> open_leaf T C (RV p) ->
  (part_of C (param T) (RV p) -> ~ has_hole (joined (row_caps (store C) p))) ->
  leaf_value T C (BindR p (term_of V)).
Proof. intros T C p V -> O H. now apply Leaf_row. Qed.

(** F13.  A leaf without a cap gets the greatest value, and there is no least one. *)
Theorem finding_f13_least_needs_a_cap : exists C,
  solves (initial finding_f13_bare) C /\
  (forall u, ~ In (DLe u (DVar 0)) (store C)) /\
  leaf_value (only (DV 0)) C (BindD 0 (DConst Unit)) /\
  (forall g, sol finding_f13_bare g -> g_d g 0 ⊑d Unit) /\
  ~ exists x, (exists g, sol finding_f13_bare g /\ g_d g 0 = x) /\
              forall g, sol finding_f13_bare g -> x ⊑d g_d g 0.
Proof.
  eexists. split; [split|split; [|split; [|split]]].
  - eapply Run_cons; [exact I | eapply (Step _ [] _ _ DI_adj); [reflexivity | apply F_di_adj; discriminate]|].
    apply Run_nil.
  - reflexivity.
  - simpl. intros u [E|[]]. discriminate.
  - apply Leaf_bare; [|reflexivity|].
    + split; [split; [reflexivity | simpl; auto]|]. exists (DV 0). simpl; auto.
    + intros (w & [] & _).
  - intros g _. apply dim_le_unit.
  - intros (x & _ & H).
    assert (S : forall n, sol finding_f13_bare (Ground (fun _ => num n) (fun _ => empty_row))).
    { intros n c [<-|[]]. apply dim_le_refl. }
    pose proof (H _ (S 3%positive)) as E3. pose proof (H _ (S 5%positive)) as E5.
    apply dim_le_atom in E3; [|exact I]. apply dim_le_atom in E5; [|exact I].
    simpl in E3, E5. rewrite E3 in E5. discriminate.
Qed.

(** * F13: at a hole *)

(** F13.  Closing commits p = [1∅]⋄[].  Solutions with an atom in the hole exist; every
    one of them is strictly below that, none is incomparable. *)
Theorem finding_f13_holes_are_comparable : exists C,
  solves (initial finding_f13_hole) C /\
  has_hole (joined (row_caps (store C) 0)) /\
  leaf_value (only (RV 0)) C (BindR 0 (term_of ([Unit] ·⋄· []))) /\
  (forall d, is_atom d -> exists g, sol finding_f13_hole g /\ g_r g 0 = [d] ·⋄· []) /\
  (forall g d l r, sol finding_f13_hole g -> is_atom d -> g_r g 0 = (d :: l) ·⋄· r ->
     g_r g 0 ⊑r [Unit] ·⋄· [] /\ g_r g 0 <> [Unit] ·⋄· []).
Proof.
  eexists. split; [split|split; [|split; [|split]]].
  - eapply Run_cons; [exact I | eapply (Step _ [] _ _ RI_cap); [reflexivity|]|].
    { apply (F_ri_cap _ _ _ _ 0); [unfold covered; simpl; lia | reflexivity | discriminate]. }
    apply Run_nil.
  - reflexivity.
  - simpl. left. reflexivity.
  - apply (leaf_row_is (only (RV 0)) _ 0); [reflexivity| |].
    + split; [split; [reflexivity | simpl; auto]|]. exists (RV 0). simpl; auto.
    + intros (w & [] & _).
  - intros d A. exists (Ground (fun _ => d) (fun _ => [d] ·⋄· [])). split; [|reflexivity].
    intros c [<-|[]]. simpl. rewrite ground_rvar. apply prop_2_5_le_refl.
  - intros g d l r H A E. split.
    + rewrite E. apply def_2_3_flank_decomposition. simpl. split; [|apply back_le_nil].
      split; [apply dim_le_unit | exact I].
    + rewrite E. intros K. injection K as -> _ _. destruct A.
Qed.

(** * The repair, for any closed caps

    A place is known in all caps or in none.  Then whatever the holes are, the
    least value above the caps is below the committed one; and if there is a
    hole, two different atoms in it give values that are not comparable, so that
    there is no least one. *)

(** Entry by entry: what is known is there, and a hole satisfies [P]. *)
Definition fits (P : dim -> Prop) (d : dim) (x : option dim) : Prop :=
  match x with Some e => d = e | None => P d end.

Definition row_fits (P : dim -> Prop) (V : row) (X : part) : Prop :=
  Forall2 (fits P) (lead V) (p_lead X) /\ Forall2 (fits P) (rev (trail V)) (p_trail X).

Definition alike (X Y : list (option dim)) : Prop :=
  forall i x y, nth_error X i = Some x -> nth_error Y i = Some y -> (x = None <-> y = None).

Lemma alike_tail : forall x y X Y, alike (x :: X) (y :: Y) -> (x = None <-> y = None) /\ alike X Y.
Proof.
  intros x y X Y H; split; [apply (H 0); reflexivity|]. intros i a b Ia Ib. apply (H (S i)); auto.
Qed.

Lemma fits_join : forall (P : dim -> Prop), (forall d e, P d -> P e -> P (dim_join d e)) ->
  forall F X, Forall2 (fits P) F X -> forall G Y, Forall2 (fits P) G Y -> alike X Y ->
  Forall2 (fits P) (join_front F G) (opt_joins X Y).
Proof.
  intros P J F X H; induction H as [|d x F X Hd H IH]; intros G Y K A; [destruct K; constructor|].
  destruct K as [|e y G Y He K]; [constructor|]. apply alike_tail in A as [A1 A2]. simpl. constructor; auto.
  destruct x as [x|], y as [y|]; simpl in *; subst; auto; destruct A1 as [B1 B2];
    [specialize (B2 eq_refl) | specialize (B1 eq_refl)]; discriminate.
Qed.

Lemma alike_joins : forall X Y Z, alike X Z -> alike Y Z -> alike (opt_joins X Y) Z.
Proof.
  intros X; induction X as [|x X IH]; intros Y Z HX HY i a b; [destruct i; discriminate|].
  destruct Y as [|y Y]; [destruct i; discriminate|]. destruct Z as [|z Z]; [destruct i; discriminate|].
  apply alike_tail in HX as [X1 X2]. apply alike_tail in HY as [Y1 Y2].
  destruct i as [|i]; simpl; [|apply IH; auto].
  intros E1 E2. injection E1 as <-. injection E2 as <-.
  destruct x, y; simpl; split; intros; try discriminate; intuition congruence.
Qed.

Lemma same_holes_alike : forall F G, same_holes F G -> alike (map known F) (map known G).
Proof.
  intros F G H i x y Ix Iy. rewrite nth_error_map in Ix, Iy.
  destruct (nth_error F i) as [t|] eqn:Et; [|discriminate]. destruct (nth_error G i) as [u|] eqn:Eu; [|discriminate].
  simpl in Ix, Iy. injection Ix as <-. injection Iy as <-. eauto.
Qed.

Lemma ground_part_fits : forall (P : dim -> Prop) g R, tmid R = None -> (forall a, P (g_d g a)) ->
  row_fits P (ground_r g R) (ground_part R).
Proof.
  intros P g [l m r] E H. simpl in E. subst m. unfold row_fits, ground_part, ground_r; simpl. rewrite app_nil_r.
  assert (G : forall k, Forall2 (fits P) (map (ground_d g) k) (map known k)).
  { intros k; induction k as [|[a|d] k IH]; simpl; constructor; simpl; auto. }
  split; [apply G|]. rewrite <- map_rev. apply G.
Qed.

Lemma even_caps_fit : forall (P : dim -> Prop) g, (forall d e, P d -> P e -> P (dim_join d e)) ->
  (forall a, P (g_d g a)) -> forall R Rs, even_caps (R :: Rs) ->
  row_fits P (row_joins (ground_r g R) (map (ground_r g) Rs)) (joined (R :: Rs)).
Proof.
  intros P g J Hg R Rs Ev. unfold joined.
  assert (W : filter writes (R :: Rs) = R :: Rs).
  { assert (G : forall l, (forall Q, In Q l -> tmid Q = None) -> filter writes l = l).
    { intros l; induction l as [|Q l IH]; intros K; simpl; auto. unfold writes at 1.
      rewrite (K Q) by (simpl; auto). f_equal. apply IH. intros; apply K; simpl; auto. }
    apply G. intros Q I. apply (Ev Q Q I I). }
  rewrite W. clear W. unfold row_joins.
  assert (Gen : forall Rs V X, row_fits P V X ->
    (forall Q, In Q Rs -> tmid Q = None /\ alike (p_lead X) (map known (tlead Q)) /\ alike (p_trail X) (map
      known (rev (ttrail Q)))) ->
    (forall Q T, In Q Rs -> In T Rs -> same_holes (tlead Q) (tlead T) /\ same_holes (rev (ttrail Q)) (rev
      (ttrail T))) ->
    row_fits P (fold_left row_join (map (ground_r g) Rs) V) (fold_left (fun X Q => part_join X (ground_part Q)) Rs X)).
  { clear Rs Ev. intros Rs; induction Rs as [|Q Rs IH]; intros V X F A B; simpl; auto.
    destruct (A Q (or_introl eq_refl)) as (Eq & A1 & A2).
    destruct (ground_part_fits P g Q Eq Hg) as [G1 G2]. destruct F as [F1 F2].
    apply IH.
    - split; simpl.
      + apply fits_join; auto.
      + unfold join_back. rewrite rev_involutive. apply fits_join; auto.
    - intros T I. destruct (A T (or_intror I)) as (Et & B1 & B2). split; [auto|].
      destruct (B Q T (or_introl eq_refl) (or_intror I)) as [C1 C2]. simpl.
      split; apply alike_joins; auto using same_holes_alike.
    - intros T U I1 I2. apply B; simpl; auto. }
  apply Gen.
  - apply ground_part_fits; auto. apply (Ev R R); simpl; auto.
  - intros Q I. destruct (Ev R Q) as (_ & A & B); simpl; auto. destruct (Ev Q R) as (E & _); simpl; auto.
    split; [auto|]. split; apply same_holes_alike; auto.
  - intros Q T I1 I2. destruct (Ev Q T) as (_ & A & B); simpl; auto.
Qed.

Lemma fits_refines : forall P F X, Forall2 (fits P) F X -> refines F (map fill X).
Proof.
  intros P F X H; induction H as [|d x F X Hd H IH]; simpl; constructor; auto.
  destruct x; simpl in *; subst; [apply dim_le_refl | apply dim_le_unit].
Qed.

Lemma row_fits_below : forall P V X, row_fits P V X -> V ⊑r filled X.
Proof.
  intros P V X [A B]. apply def_2_3_flank_decomposition. unfold filled; simpl. split.
  - apply refines_front_le. eapply fits_refines; eauto.
  - unfold back_le. rewrite rev_involutive. apply refines_front_le. eapply fits_refines; eauto.
Qed.

Lemma fits_hole : forall P F X, Forall2 (fits P) F X -> In None X ->
  exists d i, nth_error F i = Some d /\ P d /\ nth_error X i = Some None.
Proof.
  intros P F X H; induction H as [|d x F X Hd H IH]; intros I; simpl in I; [tauto|].
  destruct I as [->|I]; [exists d, 0; auto|]. destruct (IH I) as (e & i & A & B & C). exists e, (S i); auto.
Qed.

Lemma front_le_at : forall F G i d e, front_le F G -> nth_error F i = Some d -> nth_error G i = Some e -> d ⊑d e.
Proof.
  intros F G i d e H A B. destruct (front_le_nth F G i e H B) as (d' & A' & L). congruence.
Qed.

(** F13.  For any closed caps that agree on their holes: the least value above them is
    below the committed one whatever fills the holes, and different atoms in a hole give
    incomparable values. *)
Theorem finding_f13_repaired : forall R Rs, even_caps (R :: Rs) ->
  let V := filled (joined (R :: Rs)) in
  let least g := row_joins (ground_r g R) (map (ground_r g) Rs) in
  (forall g, least g ⊑r V) /\
  (has_hole (joined (R :: Rs)) -> forall d e, is_atom d -> is_atom e -> d <> e ->
     let at_ x := least (Ground (fun _ => x) (fun _ => empty_row)) in
     ~ at_ d ⊑r at_ e /\ ~ at_ e ⊑r at_ d).
Proof.
  intros R Rs Ev V least. split.
  - intros g. apply (row_fits_below (fun _ => True)). apply even_caps_fit; auto.
  - intros Ho d e Ad Ae N at_.
    assert (Fit : forall x, row_fits (eq x) (at_ x) (joined (R :: Rs))).
    { intros x. apply even_caps_fit; auto. intros a b <- <-. unfold dim_join. now rewrite dim_eqb_refl. }
    assert (No : forall x y, is_atom y -> x <> y -> ~ at_ x ⊑r at_ y).
    { intros x y Ay Nx L. apply def_2_3_flank_decomposition in L as [LL LT].
      destruct (Fit x) as [Fl Ft], (Fit y) as [Gl Gt].
      assert (Side : forall F G X, Forall2 (fits (eq x)) F X -> Forall2 (fits (eq y)) G X -> front_le F G ->
        ~ In None X).
      { intros F G X A B K I. destruct (fits_hole _ _ _ A I) as (a & i & Fa & <- & Xa).
        assert (exists b, nth_error G i = Some b /\ y = b) as (b & Gb & <-).
        { clear - B Xa. revert i Xa. induction B as [|b x' G X Hb B IH]; intros [|i] E; simpl in *;
            try discriminate; eauto.
          injection E as ->. eauto. }
        pose proof (front_le_at F G i x y K Fa Gb) as D. apply dim_le_atom in D; auto. }
      unfold has_hole in Ho. apply in_app_iff in Ho as [Ho|Ho].
      - exact (Side _ _ _ Fl Gl LL Ho).
      - exact (Side _ _ _ Ft Gt LT Ho). }
    split; apply No; auto.
Qed.
