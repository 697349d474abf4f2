(** Def. 3.4 and Example 3.5: what is true of solutions and models. *)

From Coq Require Import PArith List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics.
Import ListNotations.

(** * Booleans, grounding and composition *)

(** 3.4.  The boolean test decides whether a ground substitution satisfies a constraint. *)
Theorem def_3_4_holdsb : forall g c, holdsb g c = true <-> holds g c.
Proof.
  intros g [t u|t u|R Q|R Q]; simpl.
  - apply dim_eqb_eq.
  - apply def_1_2_dim_leb.
  - apply def_2_9_flat_equivb.
  - apply def_2_3_row_leb.
Qed.

Lemma solb_spec : forall cs g, solb cs g = true <-> sol cs g.
Proof.
  intros; unfold solb, sol. rewrite forallb_forall.
  split; intros H c I; apply def_3_4_holdsb, H, I.
Qed.

Lemma ground_d_comp : forall g s t, ground_d (ground_comp g s) t = ground_d g (sub_d s t).
Proof. intros g s [a|d]; reflexivity. Qed.

Lemma ground_l_comp : forall g s l,
  map (ground_d (ground_comp g s)) l = map (ground_d g) (map (sub_d s) l).
Proof. intros; rewrite map_map; apply map_ext, ground_d_comp. Qed.

Lemma ground_r_comp : forall g s R, ground_r (ground_comp g s) R = ground_r g (sub_r s R).
Proof.
  intros g s [l [p|] r]; unfold ground_r; simpl; rewrite !ground_l_comp.
  - rewrite !map_app, !app_assoc. reflexivity.
  - reflexivity.
Qed.

(** 3.4.  Substituting and then grounding satisfies a constraint iff the grounding
    satisfies the instance. *)
Theorem def_3_4_grounding_composes : forall g s c,
  holds (ground_comp g s) c <-> holds g (sub_c s c).
Proof.
  intros g s [t u|t u|R Q|R Q]; simpl;
    rewrite ?ground_d_comp, ?ground_r_comp; reflexivity.
Qed.

(** 3.4.  Being a model is validity of the instance. *)
Theorem def_3_4_models_is_validity : forall s cs,
  models s cs <-> valid (map (sub_c s) cs).
Proof.
  intros s cs; unfold models, valid, sol; split.
  - intros H g c I. apply in_map_iff in I as (c' & <- & I).
    apply def_3_4_grounding_composes; auto.
  - intros H g c I. apply def_3_4_grounding_composes. apply H, in_map, I.
Qed.

(** * Two groundings decide validity *)

(** On terms: the order that survives every grounding. *)
Definition term_le (t u : dterm) : Prop := u = DConst Unit \/ t = u.

Lemma term_le_ground : forall g t u, term_le t u -> ground_d g t ⊑d ground_d g u.
Proof. intros g t u [-> | ->]; [apply dim_le_unit | apply dim_le_refl]. Qed.

Lemma terms_le_ground : forall g l k, Forall2 term_le l k ->
  refines (map (ground_d g) l) (map (ground_d g) k).
Proof. intros g l k H; induction H; simpl; constructor; auto using term_le_ground. Qed.

(** A fresh mark that stands at the end of one sequence, and is found below
    nothing but itself, shows where the other sequence ends. *)
Lemma front_le_mark : forall (p : dim -> Prop) y x F G,
  p y -> is_atom y -> length x <= 1 -> (forall d, In d F -> ~ p d) ->
  front_le (F ++ x) (G ++ [y]) -> x = [y] /\ refines F G.
Proof.
  intros p y x F G Py Ay Lx HF; revert F HF.
  induction G as [|e G IH]; intros [|d F] HF H; simpl in *.
  - destruct x as [|c [|]]; simpl in *; try lia; try tauto.
    destruct H as [H _]. apply dim_le_atom in H; auto. subst.
    split; [auto | constructor].
  - destruct H as [H _]. apply dim_le_atom in H; auto. subst. destruct (HF y); auto.
  - exfalso. destruct x as [|c x]; simpl in *; [tauto|]. destruct H as [_ H].
    apply front_le_length in H. rewrite len_app in H; simpl in H. lia.
  - destruct H as [H K]. destruct (IH F) as [E R]; auto.
    split; [auto | constructor; auto].
Qed.

(** A mark that occurs once splits a sequence in one way only. *)
Lemma split_at_mark : forall (p : dim -> Prop) F F' y y' G G',
  p y -> p y' -> (forall d, In d F -> ~ p d) -> (forall d, In d F' -> ~ p d) ->
  F ++ y :: G = F' ++ y' :: G' -> F = F' /\ y = y' /\ G = G'.
Proof.
  intros p F; induction F as [|d F IH]; intros [|d' F'] y y' G G' Py Py' H H' E;
    simpl in *; injection E; intros.
  - auto.
  - subst. destruct (H' d'); auto.
  - subst. destruct (H y'); auto.
  - destruct (IH F' y y' G G') as (? & ? & ?); auto. subst; auto.
Qed.

Section Small_model.
  Variable f : slot -> dim.
  Hypothesis f_atom : forall x, is_atom (f x).
  Hypothesis f_inj : forall x y, f x = f y -> x = y.

  (** A term that mentions none of the fresh atoms. *)
  Definition clean (t : dterm) : Prop := forall x, t <> DConst (f x).

  (** Both groundings give dimension terms these values. *)
  Definition val (t : dterm) : dim :=
    match t with DVar a => f (SDim a) | DConst d => d end.

  Lemma val_inj : forall t u, clean t -> clean u -> val t = val u -> t = u.
  Proof.
    intros [a|d] [b|e] Ct Cu; simpl; intros E.
    - apply f_inj in E. congruence.
    - subst. destruct (Cu (SDim a)); auto.
    - subst. destruct (Ct (SDim b)); auto.
    - congruence.
  Qed.

  Lemma val_le : forall t u, clean t -> clean u -> val t ⊑d val u -> term_le t u.
  Proof.
    intros t u Ct Cu [E|E]; [left | right; now apply val_inj].
    destruct u as [b|e]; simpl in E; [|congruence].
    specialize (f_atom (SDim b)). rewrite E in f_atom. destruct f_atom.
  Qed.

  Definition clean_list (l : list dterm) : Prop := forall t, In t l -> clean t.

  Lemma vals_inj : forall l k, clean_list l -> clean_list k -> map val l = map val k -> l = k.
  Proof.
    intros l; induction l as [|t l IH]; intros [|u k] Cl Ck E; simpl in *; try discriminate; auto.
    injection E as E1 E2. f_equal.
    - apply val_inj; auto; [apply Cl | apply Ck]; simpl; auto.
    - apply IH; auto; intros x I; [apply Cl | apply Ck]; simpl; auto.
  Qed.

  Lemma vals_le : forall l k, clean_list l -> clean_list k ->
    refines (map val l) (map val k) -> Forall2 term_le l k.
  Proof.
    intros l; induction l as [|t l IH]; intros [|u k] Cl Ck R; simpl in *; inversion R; subst; constructor.
    - apply val_le; auto; [apply Cl | apply Ck]; simpl; auto.
    - apply IH; auto; intros x I; [apply Cl | apply Ck]; simpl; auto.
  Qed.

  Lemma clean_app : forall l k, clean_list (l ++ k) -> clean_list l /\ clean_list k.
  Proof. intros l k H; split; intros t I; apply H, in_app_iff; auto. Qed.

  Lemma clean_rev : forall l, clean_list l -> clean_list (rev l).
  Proof. intros l H t I; apply H. now apply in_rev. Qed.

  (** Marks: the fresh atoms of row variables, on either side. *)
  Definition is_lead_mark (d : dim) : Prop := exists p, d = f (SLead p).
  Definition is_trail_mark (d : dim) : Prop := exists p, d = f (STrail p).

  Lemma no_lead_mark : forall l, clean_list l -> forall d, In d (map val l) -> ~ is_lead_mark d.
  Proof.
    intros l C d I [p ->]. apply in_map_iff in I as ([a|d] & E & I); simpl in E.
    - apply f_inj in E. discriminate.
    - subst. exact (C _ I (SLead p) eq_refl).
  Qed.

  Lemma no_trail_mark : forall l, clean_list l -> forall d, In d (map val l) -> ~ is_trail_mark d.
  Proof.
    intros l C d I [p ->]. apply in_map_iff in I as ([a|d] & E & I); simpl in E.
    - apply f_inj in E. discriminate.
    - subst. exact (C _ I (STrail p) eq_refl).
  Qed.

  Notation A := (ground_empty f).
  Notation B := (ground_wide f).

  (** Row equality: the wide grounding alone forces equal terms, up to the
      marker when both rows are closed. *)
  Lemma req_small : forall R Q,
    clean_list (tlead R ++ ttrail R ++ tlead Q ++ ttrail Q) ->
    holds B (REq R Q) -> forall g, holds g (REq R Q).
  Proof.
    intros [l m r] [l' m' r'] C H g; simpl in *.
    apply clean_app in C as [Cl C]. apply clean_app in C as [Cr C].
    apply clean_app in C as [Cl' Cr'].
    unfold flat_equiv, flat, ground_r in *; simpl in *. change (ground_d B) with val in H.
    destruct m as [p|], m' as [p'|]; simpl in *.
    - rewrite <- !app_assoc in H; simpl in H.
      apply (split_at_mark is_lead_mark) in H as (E1 & E2 & E3);
        try (now apply no_lead_mark); try (eexists; reflexivity).
      apply vals_inj in E1; auto. apply f_inj in E2. injection E3 as _ E3.
      apply vals_inj in E3; auto. injection E2 as ->. subst. reflexivity.
    - exfalso. rewrite <- !app_assoc, app_nil_l in H. simpl in H.
      assert (I : In (f (SLead p)) (map val (l' ++ r'))).
      { rewrite map_app, <- H. apply in_app_iff; simpl; auto. }
      apply (no_lead_mark (l' ++ r')) in I; [apply I; eexists; eauto|].
      intros t J; apply in_app_iff in J as [J|J]; auto.
    - exfalso. rewrite <- !app_assoc, app_nil_l in H. simpl in H.
      assert (I : In (f (SLead p')) (map val (l ++ r))).
      { rewrite map_app, H. apply in_app_iff; simpl; auto. }
      apply (no_lead_mark (l ++ r)) in I; [apply I; eexists; eauto|].
      intros t J; apply in_app_iff in J as [J|J]; auto.
    - rewrite !app_nil_r in *. rewrite <- !map_app in *.
      apply vals_inj in H; [congruence| |];
        intros t J; apply in_app_iff in J as [J|J]; auto.
  Qed.

  (** Row inequality with a closed operand: the empty grounding decides. *)
  Lemma rle_closed_small : forall R l' r',
    clean_list (tlead R ++ ttrail R ++ l' ++ r') ->
    holds A (RLe R (RTerm l' None r')) -> forall g, holds g (RLe R (RTerm l' None r')).
  Proof.
    intros [l m r] l' r' C H g; simpl in *.
    apply clean_app in C as [Cl C]. apply clean_app in C as [Cr C].
    apply clean_app in C as [Cl' Cr'].
    apply def_2_3_flank_decomposition in H as [Hl Hr].
    apply def_2_3_flank_decomposition.
    unfold ground_r in *; simpl in *. change (ground_d A) with val in *.
    assert (E : ground_mid A m = empty_row) by (destruct m; reflexivity).
    rewrite E in *; simpl in *. rewrite !app_nil_r in *. split.
    - apply front_le_split in Hl as (F1 & F2 & E1 & R1).
      apply map_eq_app in E1 as (k1 & k2 & -> & <- & <-).
      apply clean_app in Cl as [Ck _]. apply vals_le in R1; auto.
      apply front_le_split. exists (map (ground_d g) k1), (map (ground_d g) k2 ++ lead (ground_mid g m)).
      rewrite map_app, <- app_assoc. auto using terms_le_ground.
    - apply back_le_split in Hr as (F1 & F2 & E1 & R1).
      apply map_eq_app in E1 as (k1 & k2 & -> & <- & <-).
      apply clean_app in Cr as [_ Ck]. apply vals_le in R1; auto.
      apply back_le_split. exists (trail (ground_mid g m) ++ map (ground_d g) k1), (map (ground_d g) k2).
      rewrite map_app, <- app_assoc. auto using terms_le_ground.
  Qed.

  (** Row inequality with an open operand: the wide grounding decides, and the
      result must carry the same variable behind flanks of the same lengths. *)
  Lemma rle_open_small : forall R l' p r',
    clean_list (tlead R ++ ttrail R ++ l' ++ r') ->
    holds B (RLe R (RTerm l' (Some p) r')) ->
    forall g, holds g (RLe R (RTerm l' (Some p) r')).
  Proof.
    intros [l m r] l' p r' C H g; simpl in *.
    apply clean_app in C as [Cl C]. apply clean_app in C as [Cr C].
    apply clean_app in C as [Cl' Cr'].
    apply def_2_3_flank_decomposition in H as [Hl Hr].
    apply def_2_3_flank_decomposition.
    unfold back_le in Hr.
    unfold ground_r in *; simpl in *. change (ground_d B) with val in *.
    simpl in Hr; rewrite rev_app_distr, <- !map_rev in Hr.
    apply (front_le_mark is_lead_mark) in Hl as [El Rl];
      [| eexists; reflexivity | apply f_atom | destruct m; simpl; lia | now apply no_lead_mark].
    apply (front_le_mark is_trail_mark) in Hr as [Er Rr];
      [| eexists; reflexivity | apply f_atom | destruct m; simpl; lia
       | apply no_trail_mark; now apply clean_rev].
    destruct m as [q|]; simpl in El; [|discriminate].
    injection El as El. apply f_inj in El. injection El as ->.
    apply vals_le in Rl; auto.
    rewrite !map_rev in Rr. apply refines_rev in Rr. rewrite !rev_involutive in Rr.
    apply vals_le in Rr; auto.
    split.
    - apply refines_front_le, refines_app; auto using terms_le_ground, refines_refl.
    - apply refines_back_le, refines_app; auto using terms_le_ground, refines_refl.
  Qed.
End Small_model.

(** 3.4.  The small-model theorem.  A constraint holds under every grounding iff it
    holds under two: all row variables empty, and all row variables with one
    fresh atom on each side. *)
Theorem def_3_4_two_groundings : forall f c, fresh_for f c ->
  ((forall g, holds g c) <-> holds (ground_empty f) c /\ holds (ground_wide f) c).
Proof.
  intros f c (Fa & Fi & Fc); split; [auto|]. intros [HA HB] g.
  assert (C : clean_list f (entries c)).
  { intros t I x ->. exact (Fc x I). }
  destruct c as [t u|t u|R Q|R Q]; simpl in C.
  - assert (E : t = u); [|subst; reflexivity].
    apply (val_inj f Fi); try (apply C; simpl; auto).
    destruct t, u; exact HA.
  - apply term_le_ground. apply (val_le f Fa Fi); try (apply C; simpl; auto).
    destruct t, u; exact HA.
  - eapply req_small; eauto.
  - destruct Q as [l' [p|] r'].
    + eapply rle_open_small; eauto.
    + eapply rle_closed_small; eauto.
Qed.

(** 3.4.  Neither grounding is enough alone. *)
Theorem def_3_4_both_groundings_needed : forall f, (forall x y, f x = f y -> x = y) ->
  (forall x, is_atom (f x)) ->
  (let c := RLe (rvar_term 0) (rvar_term 1) in
   holds (ground_empty f) c /\ ~ holds (ground_wide f) c) /\
  (let c := RLe (rvar_term 0) (RTerm [DConst Unit] None []) in
   ~ holds (ground_empty f) c /\ holds (ground_wide f) c).
Proof.
  intros f Fi Fa; split; split; simpl.
  - apply prop_2_5_le_refl.
  - intros H. apply def_2_3_flank_decomposition in H as [[H _] _].
    apply dim_le_atom in H; auto. apply Fi in H. discriminate.
  - intros [H _]. simpl in H. lia.
  - apply row_le_intro; [split; [apply dim_le_unit | exact I] | apply back_le_nil].
Qed.

(** Fresh atoms exist, so the test is a program. *)
Lemma slot_atom_fresh : forall cs c, In c cs -> fresh_for (slot_atom (fresh_tag cs)) c.
Proof.
  intros cs c Ic; split; [|split].
  - intros [a|p|p]; exact I.
  - intros [a|p|p] [a'|p'|p'] E; injection E as E; try lia;
      try (f_equal; lia).
  - intros x I.
    assert (K : tag (DConst (slot_atom (fresh_tag cs) x)) <= list_max (map tag (flat_map entries cs))).
    { assert (F : Forall (fun k => k <= list_max (map tag (flat_map entries cs)))
                    (map tag (flat_map entries cs))) by (apply list_max_le; auto).
      rewrite Forall_forall in F. apply F. apply in_map, in_flat_map. eauto. }
    destruct x; simpl in K; unfold fresh_tag in K; lia.
Qed.

(** 3.4.  The program that tries the two groundings decides validity of a constraint set. *)
Theorem def_3_4_validb : forall cs, validb cs = true <-> valid cs.
Proof.
  intros cs; unfold validb. rewrite andb_true_iff, !solb_spec. split.
  - intros [HA HB] g c I. apply (def_3_4_two_groundings _ _ (slot_atom_fresh cs c I)); auto.
  - intros H; split; apply H.
Qed.

(** 3.4.  So [s] models [cs] is decidable, for all constraint sets. *)
Theorem def_3_4_modelsb : forall s cs, modelsb s cs = true <-> models s cs.
Proof. intros; unfold modelsb. rewrite def_3_4_validb. symmetry; apply def_3_4_models_is_validity. Qed.

(** * The order on substitutions *)

(** 3.4.  For idempotent [s1], the witness can always be [s2] itself. *)
Theorem def_3_4_subst_le_iff : forall s1 s2, idempotent s1 ->
  (subst_le s1 s2 <-> subst_eq (comp s2 s1) s2).
Proof.
  intros s1 s2 H; split.
  - intros [u E] v. rewrite lemma_3_3.
    rewrite <- (subst_eq_apply _ _ E), <- E, !lemma_3_3.
    now rewrite idempotent_apply.
  - intros E; exists s2; exact E.
Qed.

(** 3.4.  ≤ is reflexive and transitive. *)
Theorem def_3_4_subst_le_preorder :
  (forall s, subst_le s s) /\
  (forall s1 s2 s3, subst_le s1 s2 -> subst_le s2 s3 -> subst_le s1 s3).
Proof.
  split.
  - intros s; exists id_subst; intros v. rewrite lemma_3_3. apply apply_id.
  - intros s1 s2 s3 [u E] [w F]. exists (comp w u). intros v.
    rewrite !lemma_3_3. rewrite <- F, lemma_3_3, <- E, lemma_3_3. reflexivity.
Qed.

(** 3.4.  On a set of variables, arbitrary witnesses keep the order transitive. *)
Theorem def_3_4_restricted_order_trans : forall V s1 s2 s3,
  let any := fun _ : subst => True in
  subst_le_on any V s1 s2 -> subst_le_on any V s2 s3 -> subst_le_on any V s1 s3.
Proof.
  intros V s1 s2 s3 any (u & _ & E) (w & _ & F). exists (comp w u); split; [exact I|].
  intros v Hv. rewrite !lemma_3_3. rewrite <- F, lemma_3_3, <- E, lemma_3_3; auto.
Qed.

(** 3.4.  Idempotent witnesses do not.  Row variable 0 goes to [0,1], to [2,3] and to
    [1,0] (dimension variables); only the swap of 0 and 1 leads from the first
    to the last, and it is not idempotent. *)
Theorem def_3_4_restricted_order_not_trans :
  let to x y := bind_r 0 (RTerm [] None [DVar x; DVar y]) in
  let V := [RV 0] in
  idempotent (to 0 1) /\ idempotent (to 2 3) /\ idempotent (to 1 0) /\
  subst_le_on idempotent V (to 0 1) (to 2 3) /\
  subst_le_on idempotent V (to 2 3) (to 1 0) /\
  ~ subst_le_on idempotent V (to 0 1) (to 1 0).
Proof.
  intros to V.
  assert (I : forall x y, idempotent (to x y)).
  { intros x y; apply bind_r_idempotent. intros [H|[H|[]]]; discriminate. }
  split; [apply I | split; [apply I | split; [apply I|]]].
  split; [|split].
  - exists (comp (bind_d 0 (DVar 2)) (bind_d 1 (DVar 3))). split.
    + apply lemma_3_3_binding_step; [apply bind_d_idempotent| |reflexivity];
        intros [H|[]]; discriminate.
    + intros v [<-|[]]. reflexivity.
  - exists (comp (bind_d 2 (DVar 1)) (bind_d 3 (DVar 0))). split.
    + apply lemma_3_3_binding_step; [apply bind_d_idempotent| |reflexivity];
        intros [H|[]]; discriminate.
    + intros v [<-|[]]. reflexivity.
  - intros (u & Hu & E). specialize (E (RV 0) (or_introl eq_refl)).
    injection E as E0 E1. apply def_3_2_idempotent_iff in Hu.
    specialize (Hu (DV 0)). simpl in Hu. rewrite E0 in Hu. simpl in Hu. congruence.
Qed.

(** * Example 3.5 *)

(** 3.5.  Every model sends the variable to 3_b or to the unit. *)
Theorem example_3_5_only_two_values : forall b s, models s (example_3_5 b) ->
  on_d s 0 = DConst (Atom 3 b) \/ on_d s 0 = DConst Unit.
Proof.
  intros b s H. destruct (on_d s 0) as [a|d] eqn:E.
  - exfalso.
    specialize (H (Ground (fun _ => Atom 5 b) (fun _ => empty_row)) _ (or_introl eq_refl)).
    simpl in H. rewrite E in H. simpl in H. destruct H; discriminate.
  - specialize (H (Ground (fun _ => Unit) (fun _ => empty_row)) _ (or_introl eq_refl)).
    simpl in H. rewrite E in H. simpl in H. destruct H as [-> | <-]; auto.
Qed.

(** 3.5.  { 3_b ⊑ α } is modelled by α ↦ 3_b and by α ↦ 1∅, but not by the identity. *)
Theorem example_3_5_models : forall b,
  models (bind_d 0 (DConst (Atom 3 b))) (example_3_5 b) /\
  models (bind_d 0 (DConst Unit)) (example_3_5 b) /\
  ~ models id_subst (example_3_5 b).
Proof.
  intros b; split; [|split].
  - intros g c [<-|[]]. right; reflexivity.
  - intros g c [<-|[]]. left; reflexivity.
  - intros H. apply example_3_5_only_two_values in H as [H|H]; discriminate.
Qed.

(** 3.5.  The two models are incomparable. *)
Theorem example_3_5_incomparable : forall b,
  ~ subst_le (bind_d 0 (DConst (Atom 3 b))) (bind_d 0 (DConst Unit)) /\
  ~ subst_le (bind_d 0 (DConst Unit)) (bind_d 0 (DConst (Atom 3 b))).
Proof. intros b; split; intros [u U]; specialize (U (DV 0)); discriminate. Qed.

(** 3.5.  No model is below both, even among maps that are not idempotent. *)
Theorem example_3_5_no_least_model : forall b,
  ~ exists s, models s (example_3_5 b) /\
              forall s', models s' (example_3_5 b) -> subst_le s s'.
Proof.
  intros b (s & M & L).
  destruct (example_3_5_models b) as (M1 & M2 & _).
  destruct (L _ M1) as [u U]. destruct (L _ M2) as [w W].
  specialize (U (DV 0)). specialize (W (DV 0)). simpl in U, W.
  destruct (example_3_5_only_two_values b s M) as [E|E]; rewrite E in *; simpl in *; discriminate.
Qed.
