(** Prop. 5.4, Thm 5.6(3), Cor. 5.8 and the findings about solved forms. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Rigid Rigid_thm Term Term_thm
  Semantics Semantics_thm Rules Rules_thm Solved.
Import ListNotations.

(** * Composing with an idempotent substitution *)

Lemma sub_rvar : forall s p, sub_r s (rvar_term p) = on_r s p.
Proof. intros s p; unfold sub_r; simpl. rewrite app_nil_r. now destruct (on_r s p). Qed.

Lemma idempotent_values : forall s, idempotent s ->
  (forall a, sub_d s (on_d s a) = on_d s a) /\ (forall p, sub_r s (on_r s p) = on_r s p).
Proof.
  intros s H. apply def_3_2_idempotent_iff in H. split.
  - intros a. specialize (H (DV a)). simpl in H. congruence.
  - intros p. specialize (H (RV p)). simpl in H. rewrite !sub_rvar in H. simpl in H. congruence.
Qed.

(** Whatever is grounded after an idempotent substitution respects it. *)
Lemma comp_respects : forall g s, idempotent s -> respects (ground_comp g s) s.
Proof.
  intros g s H. apply idempotent_values in H as [Hd Hr]. intros [a|p]; simpl.
  - now rewrite ground_d_comp, Hd.
  - now rewrite ground_r_comp, Hr.
Qed.

(** * Prop. 5.4 *)

Lemma top_value : forall s v, fixes s v -> agree_at (greatest s) top v.
Proof.
  intros s [a|p] H; unfold fixes in H; simpl in H.
  - injection H as H. simpl. now rewrite H.
  - rewrite sub_rvar in H. injection H as H. simpl. now rewrite H.
Qed.

(** 5.4.i.  γ↑ satisfies the store and the bindings. *)
Theorem prop_5_4_i : forall s B, solved_form s B ->
  respects (greatest s) s /\ sol B (greatest s).
Proof.
  intros s B [I R]; split; [now apply comp_respects|].
  intros c Ic. apply R in Ic. destruct c as [t u|t [a|d]|Q1 Q2|Q1 Q2]; simpl in Ic; try tauto.
  - pose proof (top_value s (DV a) Ic) as E. simpl in E |- *. rewrite E. apply dim_le_unit.
  - destruct Ic as (p & -> & F). pose proof (top_value s (RV p) F) as E.
    simpl in E |- *. rewrite ground_rvar. simpl. rewrite E. apply prop_2_6_empty_greatest.
Qed.

Lemma ground_d_top : forall g t, ground_d g t ⊑d ground_d top t.
Proof. intros g [a|d]; simpl; [apply dim_le_unit | apply dim_le_refl]. Qed.

Lemma ground_l_top : forall g l, refines (map (ground_d g) l) (map (ground_d top) l).
Proof. intros g l; induction l; simpl; constructor; auto using ground_d_top. Qed.

Lemma ground_r_top : forall g R, ground_r g R ⊑r ground_r top R.
Proof.
  intros g [l m r]. apply def_2_3_flank_decomposition; simpl.
  assert (E : ground_mid top m = empty_row) by (destruct m; auto). rewrite E; simpl. split.
  - apply front_le_app; [now rewrite !len_map|]. split; [apply ground_l_top | exact I].
  - rewrite <- (app_nil_l (map (ground_d top) r)).
    apply back_le_app; [now rewrite !len_map|]. split; [apply back_le_nil | apply ground_l_top].
Qed.

(** 5.4.ii.  it is above every ground substitution that respects the bindings, at
    every variable. *)
Theorem prop_5_4_ii : forall s g, respects g s -> forall v, below_at g (greatest s) v.
Proof.
  intros s g H [a|p]; specialize (H (DV a)) || specialize (H (RV p)); simpl in *; rewrite <- H.
  - apply ground_d_top.
  - apply ground_r_top.
Qed.

(** 5.4.i.  The limit: under γ↑ a deferred x·t = s·x holds iff s and t are the same. *)
Theorem prop_5_4_deferred : forall p s t,
  holds top (REq (RTerm [] (Some p) t) (RTerm s (Some p) [])) <->
  map (ground_d top) t = map (ground_d top) s.
Proof.
  intros p s t; simpl. unfold flat_equiv, flat; simpl. rewrite !app_nil_r. split; auto.
Qed.

(** * What follows from a representation *)

(** 5.5.i.  Reaching a solved form shows that there is a solution, namely γ↑. *)
Theorem cor_5_5_success : forall cs s B, solved_form s B -> sound_for cs s B ->
  sol cs (greatest s).
Proof. intros cs s B F S. apply prop_5_4_i in F as [R H]. now apply S. Qed.

(** Prop. 6.4(i): where the representation is complete, γ↑ is the greatest solution. *)
Theorem prop_6_4_i : forall cs V s B, complete_for cs V s B ->
  forall g, sol cs g -> forall v, In v V -> below_at g (greatest s) v.
Proof.
  intros cs V s B C g H v I. destruct (C g H) as (h & A & R & _).
  apply (prop_5_4_ii s h) with (v := v) in R. specialize (A v I).
  destruct v as [a|p]; simpl in *; now rewrite A.
Qed.

(** * Thm 5.6(3): most general *)

(** Reading a fresh atom back. *)
Definition slot_of (i q : nat) : slot :=
  match i with 0 => SDim q | 1 => SLead q | _ => STrail q end.

Definition decode (b : basis) (d : dim) : option slot :=
  match d with
  | Atom n c =>
      if Nat.eqb c b then
        let k := pred (Pos.to_nat n) in
        Some (slot_of (Nat.modulo k 3) (Nat.div k 3))
      else None
  | Unit => None
  end.

Lemma decode_atom : forall b x, decode b (slot_atom b x) = Some x.
Proof.
  intros b x.
  assert (D : forall a i, i < 3 -> Nat.div (3 * a + i) 3 = a /\ Nat.modulo (3 * a + i) 3 = i).
  { intros a i L. split; symmetry; [now apply Nat.div_unique with (r := i) | now apply Nat.mod_unique with (q := a)]. }
  destruct x as [a|p|p]; unfold decode, slot_atom; rewrite Nat.eqb_refl, SuccNat2Pos.id_succ;
    cbn [Init.Nat.pred].
  - replace (3 * a) with (3 * a + 0) by lia. destruct (D a 0) as [-> ->]; auto; lia.
  - destruct (D p 1) as [-> ->]; auto; lia.
  - destruct (D p 2) as [-> ->]; auto; lia.
Qed.

Lemma decode_some : forall b d x, decode b d = Some x -> d = slot_atom b x.
Proof.
  intros b [|n c] x H; unfold decode in H; [discriminate|].
  destruct (Nat.eqb_spec c b) as [->|]; [|discriminate].
  assert (E : x = slot_of (pred (Pos.to_nat n) mod 3) (pred (Pos.to_nat n) / 3)) by congruence.
  rewrite E. clear E H.
  assert (exists k, n = Pos.of_succ_nat k) as (k & ->).
  { exists (pred (Pos.to_nat n)). pose proof (Pos2Nat.is_pos n). apply Pos2Nat.inj.
    rewrite SuccNat2Pos.id_succ. lia. }
  rewrite SuccNat2Pos.id_succ. cbn [Init.Nat.pred].
  pose proof (Nat.div_mod k 3 ltac:(lia)) as E. pose proof (Nat.mod_upper_bound k 3 ltac:(lia)) as U.
  revert E U. generalize (Nat.modulo k 3) (Nat.div k 3). intros i q E U.
  destruct i as [|[|i]]; unfold slot_atom, slot_of; f_equal; f_equal; lia.
Qed.

Definition undim (b : basis) (d : dim) : dterm :=
  match decode b d with Some (SDim a) => DVar a | _ => DConst d end.

Definition unrow (b : basis) (R : row) : rterm :=
  let closed := RTerm (map (undim b) (lead R)) None (map (undim b) (trail R)) in
  match rev (lead R), trail R with
  | d :: l, e :: r =>
      match decode b d, decode b e with
      | Some (SLead p), Some (STrail _) => RTerm (map (undim b) (rev l)) (Some p) (map (undim b) r)
      | _, _ => closed
      end
  | _, _ => closed
  end.

Section Back.
  Variable b : basis.
  Notation f := (slot_atom b).

  Lemma decode_val : forall t, clean f t ->
    decode b (val f t) = match t with DVar a => Some (SDim a) | DConst _ => None end.
  Proof.
    intros [a|d] C; simpl; [apply (decode_atom b (SDim a))|].
    destruct (decode b d) as [x|] eqn:E; auto. apply decode_some in E. subst. now destruct (C x).
  Qed.

  Lemma undim_val : forall t, clean f t -> undim b (val f t) = t.
  Proof. intros t C. unfold undim. rewrite decode_val by auto. now destruct t. Qed.

  Lemma undims_val : forall l, clean_list f l -> map (undim b) (map (val f) l) = l.
  Proof.
    intros l; induction l as [|t l IH]; intros C; simpl; auto. rewrite undim_val, IH; auto.
    - intros u I; apply C; simpl; auto.
    - apply C; simpl; auto.
  Qed.

  Lemma unrow_open : forall l p r, clean_list f l -> clean_list f r ->
    unrow b ((map (val f) l ++ [f (SLead p)]) ·⋄· (f (STrail p) :: map (val f) r)) = RTerm l (Some p) r.
  Proof.
    intros l p r Cl Cr. unfold unrow; cbn [lead trail]. rewrite rev_app_distr. cbn [rev app].
    rewrite !decode_atom, rev_involutive, !undims_val; auto.
  Qed.

  Lemma unrow_closed : forall l r, clean_list f l -> clean_list f r ->
    unrow b (map (val f) l ·⋄· map (val f) r) = RTerm l None r.
  Proof.
    intros l r Cl Cr. unfold unrow; cbn [lead trail]. rewrite !undims_val by auto.
    rewrite <- map_rev. destruct (rev l) as [|t k] eqn:E; auto. destruct r as [|u r]; auto.
    cbn [map]. rewrite decode_val; [destruct t; auto|].
    apply Cl. apply in_rev. rewrite E; simpl; auto.
  Qed.
End Back.

(** 5.6.3.  If every solution extends to one that respects [s], then every model is an
    instance of [s]: exactly, markers included. *)
Theorem thm_5_6_most_general : forall cs V s m,
  (forall g, sol cs g -> exists h, agree_on V g h /\ respects h s) ->
  models m cs -> subst_le_on (fun _ => True) V s m.
Proof.
  intros cs V s m H M.
  set (pair := fun v => match v with DV a => DEq (on_d s a) (on_d m a)
                                   | RV p => REq (on_r s p) (on_r m p) end).
  set (b := fresh_tag (map pair V)). set (f := slot_atom b).
  assert (Fr : forall v, In v V -> clean_list f (entries (pair v))).
  { intros v I t J x ->. destruct (slot_atom_fresh (map pair V) (pair v)) as (_ & _ & K).
    - now apply in_map.
    - exact (K x J). }
  destruct (H _ (M (ground_empty f))) as (hA & AA & RA).
  destruct (H _ (M (ground_wide f))) as (hB & AB & RB).
  set (u := Subst (fun a => undim b (g_d hB a)) (fun p => unrow b (g_r hB p))).
  assert (D : forall t0 t1, clean f t0 -> clean f t1 ->
            ground_d hB t0 = val f t1 -> sub_d u t0 = t1).
  { intros [x|d] t1 C0 C1 E; simpl in *.
    - rewrite E. now apply undim_val.
    - subst d. destruct t1 as [y|e]; simpl in *; auto. now destruct (C0 (SDim y)). }
  assert (DL : forall l0 l1, clean_list f l0 -> clean_list f l1 ->
            map (ground_d hB) l0 = map (val f) l1 -> map (sub_d u) l0 = l1).
  { intros l0; induction l0 as [|t0 l0 IH]; intros [|t1 l1] C0 C1 E; simpl in *; try discriminate; auto.
    injection E as E1 E2. f_equal.
    - apply D; auto; [apply C0 | apply C1]; simpl; auto.
    - apply IH; auto; intros t J; [apply C0 | apply C1]; simpl; auto. }
  exists u. split; [auto|]. intros v I.
  specialize (AA v I). specialize (AB v I). specialize (RA v). specialize (RB v).
  specialize (Fr v I). destruct v as [a|p].
  - simpl in *. f_equal. apply D; [apply Fr; simpl; auto | apply Fr; simpl; auto|].
    rewrite RB, <- AB. reflexivity.
  - simpl in Fr |- *. rewrite !sub_rvar. simpl. f_equal.
    simpl in AA, AB, RA, RB. rewrite <- RA in AA. rewrite <- RB in AB. clear RA RB.
    destruct (on_r s p) as [l0 m0 r0], (on_r m p) as [l1 m1 r1]. simpl in Fr.
    apply clean_app in Fr as [Cl0 Fr]. apply clean_app in Fr as [Cr0 Fr].
    apply clean_app in Fr as [Cl1 Cr1].
    unfold ground_r in AA, AB; simpl in AA, AB.
    change (ground_d (ground_wide f)) with (val f) in AB.
    injection AA as AL AT. injection AB as BL BT.
    assert (EA : ground_mid (ground_empty f) m1 = empty_row) by (destruct m1; auto).
    rewrite EA in AL, AT. simpl in AL, AT. rewrite app_nil_r in AL.
    apply (f_equal (@length _)) in AL, AT. rewrite !len_app, !len_map in AL, AT.
    destruct m0 as [x|].
    + simpl in BL, BT. set (X := g_r hB x) in *.
      assert (exists la lb, l1 = la ++ lb /\ length la = length l0) as (la & lb & -> & La).
      { exists (firstn (length l0) l1), (skipn (length l0) l1).
        rewrite firstn_skipn, len_firstn. split; [auto | lia]. }
      assert (exists rb ra, r1 = rb ++ ra /\ length ra = length r0) as (rb & ra & -> & Ra).
      { exists (firstn (length r1 - length r0) r1), (skipn (length r1 - length r0) r1).
        rewrite firstn_skipn, len_skipn. split; [auto | lia]. }
      apply clean_app in Cl1 as [Cla Clb]. apply clean_app in Cr1 as [Crb Cra].
      rewrite map_app, <- app_assoc in BL. apply app_eq_len in BL as [BL1 BL2];
        [|now rewrite !len_map].
      rewrite map_app, app_assoc in BT. apply app_eq_len_back in BT as [BT1 BT2];
        [|now rewrite !len_map].
      assert (EX : unrow b X = RTerm lb m1 rb).
      { destruct X as [XL XT]; simpl in *. subst XL XT. destruct m1 as [q|]; simpl.
        - now apply unrow_open.
        - rewrite app_nil_r. now apply unrow_closed. }
      unfold sub_r; cbn [tmid tlead ttrail on_r u]. fold X. rewrite EX. simpl.
      now rewrite (DL l0 la), (DL r0 ra).
    + simpl in AL, AT, BL, BT. destruct m1 as [q|].
      * apply (f_equal (@length _)) in BL. simpl in BL.
        rewrite !len_app, !len_map in BL. simpl in BL. lia.
      * simpl in BL, BT. rewrite !app_nil_r in BL.
        unfold sub_r; simpl. now rewrite (DL l0 l1), (DL r0 r1).
Qed.

(** Cor. 5.8, repaired: if the store is empty and the bindings represent the
    solutions exactly, then σ⋆ is a model and the least one on [V]. *)
Theorem cor_5_8_repaired : forall cs V s, idempotent s ->
  sound_for cs s [] -> complete_for cs V s [] ->
  models s cs /\ forall m, models m cs -> subst_le_on (fun _ => True) V s m.
Proof.
  intros cs V s I S C; split.
  - intros g. apply S; [now apply comp_respects | apply sol_nil].
  - intros m M. apply (thm_5_6_most_general cs); auto.
    intros g H. destruct (C g H) as (h & A & R & _). eauto.
Qed.

(** * F11: an adjacency in the store *)

Lemma dle_valid : forall t u, (forall g, ground_d g t ⊑d ground_d g u) -> term_le t u.
Proof.
  intros t u H. destruct (slot_atom_fresh [DLe t u] (DLe t u)) as (Fa & Fi & Fc); [simpl; auto|].
  set (f := slot_atom (fresh_tag [DLe t u])) in *.
  apply (val_le f Fa Fi).
  - intros x E. apply (Fc x). simpl; auto.
  - intros x E. apply (Fc x). simpl; auto.
  - assert (E : forall x, val f x = ground_d (ground_empty f) x) by (intros []; reflexivity).
    rewrite !E. apply H.
Qed.

(** F11.  The identity with the stored a ⊑ b is a solved form that represents the set
    exactly, but it is no model, and there is no least model. *)
Theorem finding_f11_cor_5_8_refuted :
  let V := [DV 0; DV 1] in
  solved_form id_subst finding_f11 /\
  sound_for finding_f11 id_subst finding_f11 /\ complete_for finding_f11 V id_subst finding_f11 /\
  ~ models id_subst finding_f11 /\
  ~ exists s, models s finding_f11 /\
      forall m, models m finding_f11 -> subst_le_on (fun _ => True) V s m.
Proof.
  intros V. split; [|split; [|split; [|split]]].
  - split.
    + apply def_3_2_idempotent_iff. intros v. rewrite lemma_3_3, !apply_id. reflexivity.
    + intros c [<-|[]]. reflexivity.
  - intros h _ H; exact H.
  - intros g H. exists g. split; [intros [a|p] _; reflexivity | split; [|auto]].
    intros [a|p]; simpl; [reflexivity | apply ground_rvar].
  - intros H. specialize (H (Ground (fun a => if Nat.eqb a 0 then num 3 else num 5) (fun _ => empty_row))
                            _ (or_introl eq_refl)).
    simpl in H. destruct H; discriminate.
  - intros (s & M & L).
    assert (T : term_le (on_d s 0) (on_d s 1)).
    { apply dle_valid. intros g. exact (M g _ (or_introl eq_refl)). }
    assert (M1 : models (bind_d 1 (DConst Unit)) finding_f11).
    { intros g c [<-|[]]. apply dim_le_unit. }
    assert (M2 : models (bind_d 1 (DVar 0)) finding_f11).
    { intros g c [<-|[]]. apply dim_le_refl. }
    destruct (L _ M1) as (u1 & _ & U1). destruct (L _ M2) as (u2 & _ & U2).
    pose proof (U1 (DV 0) (or_introl eq_refl)) as A0.
    pose proof (U1 (DV 1) (or_intror (or_introl eq_refl))) as A1.
    pose proof (U2 (DV 1) (or_intror (or_introl eq_refl))) as B1.
    simpl in A0, A1, B1. destruct T as [T|T].
    + rewrite T in B1. discriminate.
    + rewrite T in A0. rewrite A0 in A1. discriminate.
Qed.

(** * F12: bindings must be read as identity *)

(** F12.  Read up to ≈, the solved form has a solution that the input has not, after
    steps that are all semantic. *)
Theorem finding_f12_flat_reading_refuted :
  exists g, respects_flat g finding_f12_sigma /\ ~ sol finding_f12 g.
Proof.
  exists (Ground (fun _ => Unit) (fun p => if Nat.eqb p 0 then [] ·⋄· [num 3] else empty_row)).
  split.
  - split; [reflexivity|]. intros [|[|p]]; reflexivity.
  - intros H. apply solb_spec in H. discriminate.
Qed.

(** F12.  Read as identity, it represents the input exactly. *)
Theorem finding_f12_identity_reading :
  sound_for finding_f12 finding_f12_sigma [] /\
  complete_for finding_f12 [RV 0] finding_f12_sigma [].
Proof.
  split.
  - intros h R _ c [<-|[]]. specialize (R (RV 0)). simpl in R |- *. rewrite ground_rvar, <- R.
    apply def_2_3_flank_decomposition; simpl. split; [|apply back_le_nil].
    split; [apply dim_le_refl | exact I].
  - intros g H. specialize (H _ (or_introl eq_refl)). simpl in H. rewrite ground_rvar in H.
    apply def_2_3_flank_decomposition in H as [H _]. simpl in H.
    destruct (g_r g 0) as [[|d l] r] eqn:E; simpl in H; [tauto|].
    destruct H as [H _]. apply dim_le_atom in H; [|exact I]. subst d.
    exists (set_r 1 (l ·⋄· r) g). split; [|split; [|apply sol_nil]].
    + intros v [<-|[]]. reflexivity.
    + intros [a|[|[|p]]]; simpl; auto.
      * rewrite E. unfold ground_r; simpl. now rewrite app_nil_r.
      * unfold ground_r; simpl. now rewrite app_nil_r.
      * rewrite ground_rvar. reflexivity.
Qed.

(** F12.  The same after a placement: up to ≈ even a policy step would be unsound. *)
Theorem finding_f12_flat_reading_refuted_policy :
  (exists g, respects_flat g finding_f12_policy_sigma /\ ~ sol finding_f12_policy g) /\
  sound_for finding_f12_policy finding_f12_policy_sigma [].
Proof.
  split.
  - exists (Ground (fun _ => Unit) (fun p => if Nat.eqb p 0 then [] ·⋄· [num 3; num 5] else empty_row)).
    split.
    + split; [reflexivity|]. intros [|p]; reflexivity.
    + intros H. apply solb_spec in H. discriminate.
  - intros h R _ c I. specialize (R (RV 0)). simpl in R.
    apply def_3_4_holdsb. destruct I as [<-|[<-|[]]]; simpl; rewrite ground_rvar, <- R; reflexivity.
Qed.

(** * F5: equating two row variables commits a placement *)

(** F5.  F5's set has a solution. *)
Theorem finding_f5_satisfiable : sol finding_f5 finding_f5_solution.
Proof. apply solb_spec. reflexivity. Qed.

(** F5.  No solution satisfies a binding of one of its two variables to the other. *)
Theorem finding_f5_binding_rejects : forall g, sol finding_f5 g ->
  ~ binding_holds g (BindR 1 (rvar_term 0)) /\ ~ binding_holds g (BindR 0 (rvar_term 1)).
Proof.
  intros g H.
  assert (A : g_r g 0 ⊑r [num 3] ·⋄· []).
  { specialize (H (RLe (rvar_term 0) (RTerm [n3] None []))). simpl in H. rewrite ground_rvar in H. auto. }
  assert (B : [] ·⋄· [num 3] ⊑r g_r g 1).
  { specialize (H (RLe (RTerm [] None [n3]) (rvar_term 1))). simpl in H. rewrite ground_rvar in H. auto. }
  assert (N : g_r g 1 <> g_r g 0).
  { intros E. rewrite E in B. pose proof (prop_2_5_le_trans _ _ _ B A) as K.
    apply def_2_3_row_leb in K. discriminate. }
  simpl. rewrite !ground_rvar. split; congruence.
Qed.

(** * F6: crossing equations *)

(** F6.  s·x = y·t alone always has a solution: y = s, x = t. *)
Theorem finding_f6_always_solvable : forall g0 s t,
  exists g, g_d g = g_d g0 /\ holds g (finding_f6 s t).
Proof.
  intros g0 s t.
  exists (Ground (g_d g0) (fun p => if Nat.eqb p 0 then [] ·⋄· map (ground_d g0) t
                                   else [] ·⋄· map (ground_d g0) s)).
  split; [auto|]. simpl. unfold flat_equiv, flat, ground_r; simpl.
  rewrite !app_nil_r. apply f_equal2; apply map_ext; intros []; reflexivity.
Qed.

(** F6.  With s = [2] and t = [3] no solution has an empty x or an empty y. *)
Theorem finding_f6_upward_close_rejects : forall g,
  holds g (finding_f6 [DConst (num 2)] [n3]) -> g_r g 0 <> empty_row /\ g_r g 1 <> empty_row.
Proof.
  intros g H. simpl in H. unfold flat_equiv, flat, ground_r in H; simpl in H.
  split; intros E; rewrite E in H; simpl in H.
  - destruct (lead (g_r g 1)) as [|d l]; simpl in H.
    + destruct (trail (g_r g 1)) as [|e r]; simpl in H; [discriminate|].
      injection H as _ H. now destruct r.
    + injection H as _ H. now destruct l, (trail (g_r g 1)).
  - discriminate.
Qed.

(** * 6.4(ii): no greatest solution in the marked order *)

(** 6.4.ii.  The set of 6.4(ii) has a sound solved form, a solution not below its γ↑, and
    no greatest solution at all. *)
Theorem prop_6_4_ii_counterexample :
  solved_form example_6_4_ii_sigma [] /\ sound_for example_6_4_ii example_6_4_ii_sigma [] /\
  g_r (greatest example_6_4_ii_sigma) 0 = [] ·⋄· [num 3; num 5] /\
  (exists g, sol example_6_4_ii g /\ ~ g_r g 0 ⊑r g_r (greatest example_6_4_ii_sigma) 0) /\
  ~ exists h, sol example_6_4_ii h /\ forall g, sol example_6_4_ii g -> g_r g 0 ⊑r g_r h 0.
Proof.
  assert (S : forall l r, flat (l ·⋄· r) = [num 3; num 5] ->
            sol example_6_4_ii (Ground (fun _ => Unit) (fun _ => l ·⋄· r))).
  { intros l r E c [<-|[]]. simpl. rewrite ground_rvar. exact E. }
  split; [|split; [|split; [reflexivity | split]]].
  - split; [|intros c []]. apply bind_r_idempotent. intros [].
  - intros h R _ c [<-|[]]. specialize (R (RV 0)). simpl in R |- *. rewrite ground_rvar, <- R. reflexivity.
  - exists (Ground (fun _ => Unit) (fun _ => [num 3] ·⋄· [num 5])).
    split; [apply S; reflexivity|]. intros H. apply def_2_3_row_leb in H. discriminate.
  - intros (h & H & G).
    pose proof (G _ (S [num 3] [num 5] eq_refl)) as A. pose proof (G _ (S [] [num 3; num 5] eq_refl)) as B.
    specialize (H _ (or_introl eq_refl)). simpl in A, B, H. rewrite ground_rvar in H.
    apply flat_equiv_rank in H. destruct A as (A1 & A2 & _), B as (B1 & B2 & _).
    unfold rank in H. simpl in *. lia.
Qed.

(** * F10: a placement can force content elsewhere *)

(** F10.  The solved form of the run is sound, the given values are a model ... *)
Theorem finding_f10_setting :
  idempotent finding_f10_sigma /\ sound_for finding_f10 finding_f10_sigma [] /\
  models finding_f10_model finding_f10.
Proof.
  split; [|split].
  - apply def_3_2_idempotent_iff. intros [a|[|[|p]]]; reflexivity.
  - intros h R _. pose proof (R (RV 0)) as R0. pose proof (R (RV 1)) as R1. simpl in R0, R1.
    intros c [<-|[<-|[]]]; simpl; rewrite ?ground_rvar, <- ?R0, <- ?R1.
    + reflexivity.
    + apply def_2_3_flank_decomposition; simpl. split; [exact I|].
      rewrite <- (app_nil_l [num 3; num 5]).
      unfold ground_r; simpl. apply (back_le_app _ _ [] [num 3; num 5]); [reflexivity|].
      split; [apply back_le_nil | apply refines_refl].
  - apply def_3_4_modelsb. reflexivity.
Qed.

(** F10.  ... and no instance of the solved form gives q the content of the model, so
    "up to ≈" does not save 5.6(3); nor is the model's q below γ↑(q) in the
    one-shot relation, against 6.4(iii). *)
Theorem finding_f10_content_differs :
  (forall u g, ~ ground_r g (sub_r u (on_r finding_f10_sigma 1)) ≈ ground_r g (on_r finding_f10_model 1)) /\
  (forall g, ~ Marked (ground_r g (on_r finding_f10_model 1)) ⊑¹ Marked (g_r (greatest finding_f10_sigma) 1)).
Proof.
  split.
  - intros u g H. rewrite <- ground_r_comp in H. unfold flat_equiv, flat, ground_r in H. simpl in H.
    apply (f_equal (@rev _)) in H. rewrite !rev_app_distr in H. simpl in H. discriminate.
  - intros g H. apply remark_2_15_oneshotb in H. discriminate.
Qed.
