(** Lemma 5.1: each rule keeps the solutions. *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Tactics.
Import ListNotations.

(** * Sequences with equal ends *)

Lemma app_eq_len : forall (A : Type) (a a' b b' : list A), length a = length a' ->
  (a ++ b = a' ++ b' <-> a = a' /\ b = b').
Proof.
  intros A a; induction a as [|x a IH]; intros [|x' a'] b b' L; simpl in *; try discriminate.
  - tauto.
  - injection L as L. specialize (IH a' b b' L). split.
    + intros E; injection E as -> E. apply IH in E as [-> ->]. auto.
    + intros [E ->]; injection E as -> ->. auto.
Qed.

Lemma app_eq_len_back : forall (A : Type) (a a' b b' : list A), length b = length b' ->
  (a ++ b = a' ++ b' <-> a = a' /\ b = b').
Proof.
  intros A a a' b b' L; split; [|intros [-> ->]; auto].
  intros E. assert (length a = length a').
  { apply (f_equal (@length _)) in E. rewrite !len_app in E. lia. }
  now apply app_eq_len in E.
Qed.

Lemma outer_eq : forall (A : Type) (a a' m m' b b' : list A),
  length a = length a' -> length b = length b' ->
  (a ++ m ++ b = a' ++ m' ++ b' <-> (a = a' /\ b = b') /\ m = m').
Proof.
  intros. rewrite app_eq_len by auto. rewrite app_eq_len_back by auto. tauto.
Qed.

Lemma front_le_app : forall F1 F2 G1 G2, length F1 = length G1 ->
  (front_le (F1 ++ F2) (G1 ++ G2) <-> refines F1 G1 /\ front_le F2 G2).
Proof.
  intros F1; induction F1 as [|d F1 IH]; intros F2 [|e G1] G2 L; simpl in *; try discriminate.
  - split; [intros; split; auto; constructor | tauto].
  - injection L as L. rewrite IH by auto. split.
    + intros (A & B & C). split; [constructor; auto | auto].
    + intros [A C]. inversion A; subst. auto.
Qed.

Lemma refines_rev_iff : forall F G, refines (rev F) (rev G) <-> refines F G.
Proof.
  intros; split; [|apply refines_rev].
  intros H. apply refines_rev in H. now rewrite !rev_involutive in H.
Qed.

Lemma back_le_app : forall F1 F2 G1 G2, length F2 = length G2 ->
  (back_le (F1 ++ F2) (G1 ++ G2) <-> back_le F1 G1 /\ refines F2 G2).
Proof.
  intros. unfold back_le. rewrite !rev_app_distr, front_le_app by now rewrite !len_rev.
  rewrite refines_rev_iff. tauto.
Qed.

(** * Solutions of lists of constraints *)

Lemma sol_nil : forall g, sol [] g.
Proof. intros g c []. Qed.

Lemma sol_cons : forall c cs g, sol (c :: cs) g <-> holds g c /\ sol cs g.
Proof.
  intros c cs g; unfold sol; simpl; split.
  - intros H; split; [apply H; auto | intros; apply H; auto].
  - intros [H K] x [<-|I]; auto.
Qed.

Lemma sol_app : forall cs ds g, sol (cs ++ ds) g <-> sol cs g /\ sol ds g.
Proof.
  intros cs ds g; unfold sol; split.
  - intros H; split; intros c I; apply H, in_app_iff; auto.
  - intros [H K] c I; apply in_app_iff in I as [I|I]; auto.
Qed.

Lemma sol_equalities : forall g F G, length F = length G ->
  (sol (equalities F G) g <-> map (ground_d g) F = map (ground_d g) G).
Proof.
  intros g F; induction F as [|t F IH]; intros [|u G] L; simpl in *; try discriminate.
  - split; [auto | intros; apply sol_nil].
  - injection L as L. unfold equalities in *; simpl. rewrite sol_cons, IH by auto. simpl.
    split; [intros [-> ->]; auto | intros E; injection E; auto].
Qed.

Lemma sol_inequalities : forall g F G, length F = length G ->
  (sol (inequalities F G) g <-> refines (map (ground_d g) F) (map (ground_d g) G)).
Proof.
  intros g F; induction F as [|t F IH]; intros [|u G] L; simpl in *; try discriminate.
  - split; [constructor | intros; apply sol_nil].
  - injection L as L. unfold inequalities in *; simpl. rewrite sol_cons, IH by auto. simpl.
    split; [intros [A B]; constructor; auto | intros E; inversion E; auto].
Qed.

(** * Grounded rows *)

Lemma flat_ground : forall g R, flat (ground_r g R) =
  map (ground_d g) (tlead R) ++ flat (ground_mid g (tmid R)) ++ map (ground_d g) (ttrail R).
Proof. intros; unfold flat, ground_r; simpl. now rewrite !app_assoc. Qed.

Lemma flat_ground_closed : forall g R, tmid R = None ->
  flat (ground_r g R) = map (ground_d g) (tflat R).
Proof. intros g R E. rewrite flat_ground, E. unfold tflat. now rewrite map_app. Qed.

Lemma rank_ground : forall g R,
  rank (ground_r g R) = known_rank R + rank (ground_mid g (tmid R)).
Proof.
  intros; unfold rank, known_rank; simpl. rewrite !len_app, !len_map. lia.
Qed.

Lemma ground_rvar : forall g p, ground_r g (rvar_term p) = g_r g p.
Proof. intros g p; unfold ground_r; simpl. rewrite app_nil_r. now destruct (g_r g p). Qed.

Lemma bare_term : forall R p, tmid R = Some p -> known_rank R = 0 -> R = rvar_term p.
Proof.
  intros [l m r] p; unfold known_rank; simpl; intros -> E.
  destruct l, r; simpl in *; try lia. reflexivity.
Qed.

Lemma length_tflat : forall R, length (tflat R) = known_rank R.
Proof. intros; apply len_app. Qed.

(** * Grounds that agree *)

Lemma agree_ground_d : forall g h t, agree_on (vars_d t) g h -> ground_d g t = ground_d h t.
Proof. intros g h [a|d] H; simpl; auto. apply (H (DV a)); simpl; auto. Qed.

Lemma agree_ground_l : forall g h l, agree_on (flat_map vars_d l) g h ->
  map (ground_d g) l = map (ground_d h) l.
Proof.
  intros g h l H; apply map_ext_in. intros t I. apply agree_ground_d.
  intros v J. apply H, in_flat_map; eauto.
Qed.

Lemma agree_ground_r : forall g h R, agree_on (vars_r R) g h -> ground_r g R = ground_r h R.
Proof.
  intros g h [l m r] H. unfold vars_r in H; simpl in H.
  assert (Hl : map (ground_d g) l = map (ground_d h) l).
  { apply agree_ground_l. intros v I; apply H, in_app_iff; auto. }
  assert (Hr : map (ground_d g) r = map (ground_d h) r).
  { apply agree_ground_l. intros v I; apply H; rewrite !in_app_iff; auto. }
  unfold ground_r; simpl. rewrite Hl, Hr. destruct m as [p|]; auto.
  simpl. rewrite (H (RV p)); [auto|]. rewrite !in_app_iff; simpl; auto.
Qed.

Lemma agree_holds : forall g h c, agree_on (vars_c c) g h -> holds g c <-> holds h c.
Proof.
  intros g h [t u|t u|R Q|R Q] H; simpl in *;
    (assert (H1 : agree_on (vars_d t) g h /\ agree_on (vars_d u) g h) ||
     assert (H1 : agree_on (vars_r R) g h /\ agree_on (vars_r Q) g h));
    try (split; intros v I; apply H, in_app_iff; auto); destruct H1 as [H1 H2].
  - now rewrite (agree_ground_d _ _ _ H1), (agree_ground_d _ _ _ H2).
  - now rewrite (agree_ground_d _ _ _ H1), (agree_ground_d _ _ _ H2).
  - now rewrite (agree_ground_r _ _ _ H1), (agree_ground_r _ _ _ H2).
  - now rewrite (agree_ground_r _ _ _ H1), (agree_ground_r _ _ _ H2).
Qed.

Lemma agree_at_sym : forall g h v, agree_at g h v -> agree_at h g v.
Proof. intros g h [a|p]; simpl; auto. Qed.

Lemma agree_at_trans : forall g h k v, agree_at g h v -> agree_at h k v -> agree_at g k v.
Proof. intros g h k [a|p]; simpl; congruence. Qed.

Lemma agree_off_on : forall F V g h, agree_off F g h -> (forall v, In v F -> ~ In v V) ->
  agree_on V g h.
Proof. intros F V g h H D v I. apply H. intros J. exact (D v J I). Qed.

Lemma agree_off_refl : forall F g, agree_off F g g.
Proof. intros F g [a|p] _; reflexivity. Qed.

(** * Simplifying [after] *)

Lemma after_discard : forall read g c, after_with read g c discard <-> True.
Proof. intros; simpl. split; auto. intros _; split; [apply sol_nil | split; auto; discriminate]. Qed.

Lemma after_replace : forall read g c d, after_with read g c (replace d) <-> holds g d.
Proof.
  intros; simpl. rewrite sol_cons. split; [tauto|].
  intros H; split; [split; auto; apply sol_nil | split; auto; discriminate].
Qed.

Lemma after_keep : forall read g c d, after_with read g c (keep d) <-> holds g d.
Proof.
  intros; simpl. rewrite sol_cons. split; [tauto|].
  intros H; split; [split; auto; apply sol_nil | split; auto; discriminate].
Qed.

Lemma after_emit : forall read g c cs, after_with read g c (emit cs) <-> sol cs g.
Proof.
  intros; simpl. rewrite app_nil_r. split; [tauto|].
  intros H; split; [auto | split; auto; discriminate].
Qed.

Lemma after_emit_store : forall read g c cs d,
  after_with read g c (emit_store cs d) <-> sol cs g /\ holds g d.
Proof.
  intros; simpl. rewrite sol_app, sol_cons. split; [tauto|].
  intros [H K]; split; [split; [auto | split; auto; apply sol_nil] | split; auto; discriminate].
Qed.

Lemma after_emit_bind : forall read g c cs b,
  after_with read g c (emit_bind cs b) <-> sol cs g /\ read g b.
Proof.
  intros; simpl. rewrite app_nil_r. split; [tauto|].
  intros [H K]; split; [auto | split; auto; discriminate].
Qed.

Lemma after_grow : forall read g c b,
  after_with read g c (grow b) <-> read g b /\ holds g c.
Proof.
  intros; simpl. split; [tauto|]. intros [H K]; split; [apply sol_nil | split; auto].
Qed.

(** * Dimension rules *)

(** 4.2.  DE-refl discards only what is always true. *)
Theorem lemma_5_1_de_refl : forall g t,
  holds g (DEq t t) <-> after g (DEq t t) discard.
Proof. intros. unfold after; rewrite after_discard. simpl; tauto. Qed.

(** 4.2.  DE-clash fails only on an equation without solution. *)
Theorem lemma_5_1_de_clash : forall g d e, d <> e ->
  (holds g (DEq (DConst d) (DConst e)) <-> after g (DEq (DConst d) (DConst e)) Fails).
Proof. intros; simpl. split; congruence || tauto. Qed.

(** 4.2.  DE-bind: an equation of a variable, on either side, has the solutions of the
    binding. *)
Theorem lemma_5_1_de_bind : forall g a t,
  (holds g (DEq (DVar a) t) <-> after g (DEq (DVar a) t) (de_bind a t)) /\
  (holds g (DEq t (DVar a)) <-> after g (DEq t (DVar a)) (de_bind a t)).
Proof.
  intros; unfold after, de_bind; rewrite !after_emit_bind; simpl.
  split; split.
  - intros H; split; [apply sol_nil | auto].
  - intros [_ H]; auto.
  - intros H; split; [apply sol_nil | auto].
  - intros [_ H]; auto.
Qed.

(** 4.2.  DI-top discards only what is always true. *)
Theorem lemma_5_1_di_top : forall g t,
  holds g (DLe t (DConst Unit)) <-> after g (DLe t (DConst Unit)) discard.
Proof. intros. unfold after; rewrite after_discard. simpl. split; auto using dim_le_unit. Qed.

(** 4.2.  So does DI-refl. *)
Theorem lemma_5_1_di_refl : forall g t, holds g (DLe t t) <-> after g (DLe t t) discard.
Proof. intros. unfold after; rewrite after_discard. simpl. split; auto using dim_le_refl. Qed.

(** 4.2.  DI-ground discards what is true and fails on what is false. *)
Theorem lemma_5_1_di_ground : forall g d e,
  holds g (DLe (DConst d) (DConst e)) <->
  after g (DLe (DConst d) (DConst e)) (di_ground d e).
Proof.
  intros g d e. unfold after, di_ground. simpl. rewrite <- def_1_2_dim_leb.
  destruct (dim_leb d e); [rewrite after_discard; tauto | simpl; split; [discriminate | tauto]].
Qed.

(** 4.2.  DI-pin: below an atom there is only that atom. *)
Theorem lemma_5_1_di_pin : forall g a d, is_atom d ->
  (holds g (DLe (DVar a) (DConst d)) <-> after g (DLe (DVar a) (DConst d)) (di_pin a d)).
Proof.
  intros g a d A. unfold after, di_pin; rewrite after_replace; simpl. split.
  - now apply dim_le_atom.
  - intros ->; apply dim_le_refl.
Qed.

(** 4.2.  DI-pin-top: above 1∅ there is only 1∅. *)
Theorem lemma_5_1_di_pin_top : forall g a,
  holds g (DLe (DConst Unit) (DVar a)) <-> after g (DLe (DConst Unit) (DVar a)) (di_pin_top a).
Proof.
  intros. unfold after, di_pin_top; rewrite after_replace; simpl. unfold dim_le.
  split; [intros [H|H]; congruence | auto].
Qed.

Lemma lower_in : forall B a d, lower B a = Some d ->
  is_atom d /\ In (DLe (DConst d) (DVar a)) B.
Proof.
  intros B; induction B as [|c B IH]; intros a d H; simpl in H; [discriminate|].
  assert (K : lower B a = Some d -> is_atom d /\ In (DLe (DConst d) (DVar a)) (c :: B)).
  { intros E; apply IH in E as [A I]; simpl; auto. }
  destruct c as [t u|[t|[|n b]] [a'|e]|R Q|R Q]; auto.
  destruct (Nat.eqb_spec a' a); auto. subst. injection H as <-. simpl; auto.
Qed.

(** Above two different atoms there is only the unit. *)
Lemma two_atoms : forall d e x, is_atom d -> d <> e -> d ⊑d x -> e ⊑d x -> x = Unit.
Proof. unfold dim_le; intros d e x A N [H|H] [K|K]; congruence. Qed.

(** 4.2.  The stored bound is needed: that is what [sol B g] is for. *)
Theorem lemma_5_1_di_cap : forall g B d a, is_atom d -> sol B g ->
  (holds g (DLe (DConst d) (DVar a)) <->
   after g (DLe (DConst d) (DVar a)) (di_cap B d a)).
Proof.
  intros g B d a A HB. unfold after, di_cap. destruct (lower B a) as [e|] eqn:E.
  - apply lower_in in E as [Ae I]. specialize (HB _ I). simpl in HB.
    destruct (dim_eqb_spec e d) as [->|N].
    + rewrite after_discard. simpl. tauto.
    + rewrite after_replace. simpl. split.
      * intros H. eapply (two_atoms e d); eauto.
      * intros ->. apply dim_le_unit.
  - rewrite after_keep. tauto.
Qed.

Lemma adj_path_le : forall g B a b, sol B g -> adj_path B a b -> g_d g a ⊑d g_d g b.
Proof.
  intros g B a b HB P; induction P as [a b I|a b c I P IH]; specialize (HB _ I); simpl in HB; auto.
  eapply dim_le_trans; eauto.
Qed.

(** 4.2.  DI-antisym: an inequality that closes a cycle of stored ones is an equality. *)
Theorem lemma_5_1_di_antisym : forall g B a b, sol B g -> adj_path B b a ->
  (holds g (DLe (DVar a) (DVar b)) <->
   after g (DLe (DVar a) (DVar b)) (di_antisym a b)).
Proof.
  intros g B a b HB P. apply (adj_path_le g) in P; auto.
  unfold after, di_antisym; rewrite after_replace; simpl. split.
  - intros; now apply dim_le_antisym.
  - intros ->; apply dim_le_refl.
Qed.

(** 4.2.  DI-adj keeps the inequality as it is. *)
Theorem lemma_5_1_di_adj : forall g a b,
  holds g (DLe (DVar a) (DVar b)) <-> after g (DLe (DVar a) (DVar b)) (di_adj a b).
Proof. intros; unfold after, di_adj; rewrite after_keep; tauto. Qed.

(** * Row equality *)

Lemma holds_req_sym : forall g R S, holds g (REq R S) <-> holds g (REq S R).
Proof. intros; simpl; unfold flat_equiv; split; auto. Qed.

(** 4.3.a.  RE-closed: closed rows are equal iff their ranks and their axes in flat order
    are; else it fails. *)
Theorem lemma_5_1_re_closed : forall g R S, tmid R = None -> tmid S = None ->
  (holds g (REq R S) <-> after g (REq R S) (re_closed R S)).
Proof.
  intros g R S ER ES. unfold after, re_closed, holds, flat_equiv.
  rewrite !flat_ground_closed by auto.
  destruct (Nat.eqb_spec (length (tflat R)) (length (tflat S))) as [E|N].
  - rewrite after_emit, sol_equalities by auto. tauto.
  - simpl. split; [|tauto]. intros E. apply (f_equal (@length _)) in E.
    rewrite !len_map in E. auto.
Qed.

Lemma skipn_twice : forall (A : Type) i j (F : list A), skipn j (skipn i F) = skipn (i + j) F.
Proof. intros A i; induction i; intros j [|x F]; simpl; auto. now destruct j. Qed.

(** A sequence cut into three. *)
Lemma cut_three : forall (A : Type) (F : list A) i j, i <= j -> j <= length F ->
  F = firstn i F ++ firstn (j - i) (skipn i F) ++ skipn j F.
Proof.
  intros A F i j H K. rewrite <- (firstn_skipn i F) at 1. f_equal.
  rewrite <- (firstn_skipn (j - i) (skipn i F)) at 1. f_equal.
  rewrite skipn_twice. f_equal. lia.
Qed.

(** The value that RE-open-closed gives has the uncovered middle as content,
    wherever its marker goes. *)
Lemma middle_content : forall open closed k, known_rank open <= length (tflat closed) ->
  length (tlead open) <= k <= length (tflat closed) - length (ttrail open) ->
  tflat (middle open closed k) =
  firstn (length (tflat closed) - length (ttrail open) - length (tlead open))
    (skipn (length (tlead open)) (tflat closed)).
Proof.
  intros open closed k K [L1 L2]. unfold middle; simpl. unfold tflat at 1; simpl.
  set (F := tflat closed) in *. set (i := length (tlead open)) in *.
  set (j := length F - length (ttrail open)) in *.
  assert (E : skipn k F = skipn (k - i) (skipn i F)) by (rewrite skipn_twice; f_equal; lia).
  rewrite E. generalize (skipn i F) as G. intros G.
  replace (j - i) with ((k - i) + (j - k)) by lia.
  clear. generalize (k - i) (j - k). intros a b. revert a.
  induction G as [|x G IH]; intros [|a]; simpl; auto.
  - now destruct b.
  - now rewrite IH.
Qed.

Lemma placed_inside : forall open closed, known_rank open <= length (tflat closed) ->
  length (tlead open) <= placed open closed <= length (tflat closed) - length (ttrail open).
Proof.
  intros open closed K. unfold placed, known_rank in *.
  destruct (Nat.leb_spec (length (tlead open)) (length (tlead closed)));
    destruct (Nat.leb_spec (length (tlead closed)) (length (tflat closed) - length (ttrail open)));
    simpl; lia.
Qed.

(** 4.3.b.  An open row equals a closed one iff its flanks equal the ends of the closed
    row, and the variable has the content in between: for every placement. *)
Theorem lemma_5_1_re_open_closed_content : forall g R p S k, tmid R = Some p -> tmid S = None ->
  known_rank R <= length (tflat S) ->
  length (tlead R) <= k <= length (tflat S) - length (ttrail R) ->
  (holds g (REq R S) <-> sol (facing R S) g /\ g_r g p ≈ ground_r g (middle R S k)).
Proof.
  intros g R p S k ER ES K L. unfold facing. rewrite sol_app.
  assert (length (tlead R) + length (ttrail R) <= length (tflat S)) as K' by exact K.
  rewrite !sol_equalities by (rewrite ?len_firstn, ?len_skipn; lia).
  unfold holds, flat_equiv. rewrite flat_ground, ER. simpl ground_mid.
  rewrite flat_ground_closed by auto.
  rewrite flat_ground_closed by reflexivity.
  rewrite middle_content by auto.
  rewrite (cut_three _ (tflat S) (length (tlead R)) (length (tflat S) - length (ttrail R))) at 1 by lia.
  rewrite !map_app, outer_eq; [tauto| |];
    rewrite !len_map, ?len_firstn, ?len_skipn; lia.
Qed.

(** 4.3.b.  RE-open-closed fails only if the open side has too many axes, and then nothing
    solves it. *)
Theorem lemma_5_1_re_open_closed_overflow : forall g R p S, tmid R = Some p -> tmid S = None ->
  length (tflat S) < known_rank R ->
  (holds g (REq R S) <-> after g (REq R S) (re_open_closed R p S)).
Proof.
  intros g R p S ER ES K. unfold re_open_closed.
  destruct (Nat.leb_spec (known_rank R) (length (tflat S))); [lia|]. simpl. split; [|tauto].
  intros E. apply flat_equiv_rank in E. rewrite !rank_ground, ES in E.
  rewrite length_tflat in *. simpl in E. unfold rank at 2 in E; simpl in E. lia.
Qed.

(** 4.3.b.  The binding refines: what replaces the equation implies it, and the content
    of the binding is entailed. *)
Theorem lemma_5_1_re_open_closed : forall g R p S, tmid R = Some p -> tmid S = None ->
  (after g (REq R S) (re_open_closed R p S) -> holds g (REq R S)) /\
  (holds g (REq R S) <-> content_after g (REq R S) (re_open_closed R p S)).
Proof.
  intros g R p S ER ES. destruct (le_lt_dec (known_rank R) (length (tflat S))) as [K|K].
  - assert (E : re_open_closed R p S =
      emit_bind (facing R S) (BindR p (middle R S (placed R S)))).
    { unfold re_open_closed. destruct (Nat.leb_spec (known_rank R) (length (tflat S))); [auto | lia]. }
    rewrite E. unfold after, content_after. rewrite !after_emit_bind.
    rewrite (lemma_5_1_re_open_closed_content g R p S (placed R S)) by auto using placed_inside.
    simpl. split; [|tauto]. intros [H ->]. split; [auto | reflexivity].
  - pose proof (lemma_5_1_re_open_closed_overflow g R p S ER ES K) as H.
    assert (E : re_open_closed R p S = Fails).
    { unfold re_open_closed. destruct (Nat.leb_spec (known_rank R) (length (tflat S))); [lia | auto]. }
    rewrite E in *. simpl in *. tauto.
Qed.

Lemma flat_empty_row : forall R, flat R = [] -> R = empty_row.
Proof. intros [l r] E. apply app_eq_nil in E as [E1 E2]. simpl in *; subst; auto. Qed.

(** 4.3.b.  With an empty middle there is nothing to place, and the step is exact. *)
Theorem lemma_5_1_re_open_closed_empty : forall g R p S, tmid R = Some p -> tmid S = None ->
  known_rank R = length (tflat S) ->
  (holds g (REq R S) <-> after g (REq R S) (re_open_closed R p S)).
Proof.
  intros g R p S ER ES K. split; [|apply lemma_5_1_re_open_closed; auto].
  intros H. apply (lemma_5_1_re_open_closed g R p S ER ES) in H. revert H.
  unfold re_open_closed. destruct (Nat.leb_spec (known_rank R) (length (tflat S))); [|simpl; tauto].
  unfold after, content_after. rewrite !after_emit_bind. intros [A B]; split; [auto|].
  simpl in *. unfold flat_equiv in B.
  assert (E : flat (ground_r g (middle R S (placed R S))) = []).
  { rewrite flat_ground_closed by reflexivity. rewrite middle_content by auto using placed_inside.
    replace (_ - _ - _) with 0 by (unfold known_rank in K; lia). reflexivity. }
  rewrite E in B. apply flat_empty_row in B, E. congruence.
Qed.

Lemma length_cut_lead : forall p q R, length (tlead (cut p q R)) = length (tlead R) - p.
Proof. intros; simpl; apply len_skipn. Qed.

Lemma length_cut_trail : forall p q R, q <= length (ttrail R) ->
  length (ttrail (cut p q R)) = length (ttrail R) - q.
Proof. intros; simpl. rewrite len_firstn. lia. Qed.

(** 5.1.i.  Dropping known outer axes of both sides: they are equal, and so is the rest. *)
Theorem lemma_5_1_strip : forall g R S p q,
  p <= length (tlead R) -> p <= length (tlead S) ->
  q <= length (ttrail R) -> q <= length (ttrail S) ->
  (holds g (REq R S) <->
   sol (equalities (firstn p (tlead R)) (firstn p (tlead S))) g /\
   sol (equalities (skipn (length (ttrail R) - q) (ttrail R))
                   (skipn (length (ttrail S) - q) (ttrail S))) g /\
   holds g (REq (cut p q R) (cut p q S))).
Proof.
  intros g R S p q A B C D.
  rewrite !sol_equalities by (rewrite ?len_firstn, ?len_skipn; lia).
  unfold holds, flat_equiv. rewrite !flat_ground.
  rewrite <- (firstn_skipn p (tlead R)) at 1. rewrite <- (firstn_skipn p (tlead S)) at 1.
  rewrite <- (firstn_skipn (length (ttrail R) - q) (ttrail R)) at 1.
  rewrite <- (firstn_skipn (length (ttrail S) - q) (ttrail S)) at 1.
  rewrite !map_app, <- !app_assoc.
  simpl. 
  replace (map (ground_d g) (firstn p (tlead R)) ++ map (ground_d g) (skipn p (tlead R)) ++
     flat (ground_mid g (tmid R)) ++ map (ground_d g) (firstn (length (ttrail R) - q) (ttrail R)) ++
     map (ground_d g) (skipn (length (ttrail R) - q) (ttrail R))) with
    (map (ground_d g) (firstn p (tlead R)) ++ (map (ground_d g) (skipn p (tlead R)) ++
     flat (ground_mid g (tmid R)) ++ map (ground_d g) (firstn (length (ttrail R) - q) (ttrail R))) ++
     map (ground_d g) (skipn (length (ttrail R) - q) (ttrail R))) by now rewrite <- !app_assoc.
  replace (map (ground_d g) (firstn p (tlead S)) ++ map (ground_d g) (skipn p (tlead S)) ++
     flat (ground_mid g (tmid S)) ++ map (ground_d g) (firstn (length (ttrail S) - q) (ttrail S)) ++
     map (ground_d g) (skipn (length (ttrail S) - q) (ttrail S))) with
    (map (ground_d g) (firstn p (tlead S)) ++ (map (ground_d g) (skipn p (tlead S)) ++
     flat (ground_mid g (tmid S)) ++ map (ground_d g) (firstn (length (ttrail S) - q) (ttrail S))) ++
     map (ground_d g) (skipn (length (ttrail S) - q) (ttrail S))) by now rewrite <- !app_assoc.
  rewrite outer_eq; [tauto| |]; rewrite !len_map, ?len_firstn, ?len_skipn; lia.
Qed.

Lemma common_lead_sym : forall R S, common_lead R S = common_lead S R.
Proof. intros; apply Nat.min_comm. Qed.

Lemma common_trail_sym : forall R S, common_trail R S = common_trail S R.
Proof. intros; apply Nat.min_comm. Qed.

Lemma strip_holds : forall g R S,
  holds g (REq R S) <-> sol (outer R S) g /\ holds g (REq (strip R S) (strip S R)).
Proof.
  intros g R S. unfold outer, strip. rewrite (common_lead_sym S R), (common_trail_sym S R), sol_app.
  rewrite (lemma_5_1_strip g R S (common_lead R S) (common_trail R S));
    [tauto|..]; unfold common_lead, common_trail; lia.
Qed.

(** 4.3.c.  RE-cross: the outer equalities and the residual equation have the same
    solutions. *)
Theorem lemma_5_1_re_cross : forall g R S,
  holds g (REq R S) <-> after g (REq R S) (re_deferred R S).
Proof. intros. unfold after, re_deferred. rewrite after_emit_store. apply strip_holds. Qed.

(** 4.3.d.  The same outcome, and the same reason, where both sides have one variable. *)
Theorem lemma_5_1_re_same_rot : forall g R S p, tmid R = Some p -> tmid S = Some p ->
  (holds g (REq R S) <-> after g (REq R S) (re_deferred R S)).
Proof. intros. apply lemma_5_1_re_cross. Qed.

(** 4.3.c.  RE-nested: the binding implies the equation, and the equation is equivalent to
    the binding's content with the outer equalities. *)
Theorem lemma_5_1_re_nested : forall g R p S, tmid R = Some p -> known_rank (strip R S) = 0 ->
  (after g (REq R S) (re_nested p R S) -> holds g (REq R S)) /\
  (holds g (REq R S) <-> content_after g (REq R S) (re_nested p R S)).
Proof.
  intros g R p S E K. unfold after, content_after, re_nested. rewrite !after_emit_bind.
  rewrite strip_holds, (bare_term (strip R S) p) by auto. simpl.
  rewrite ground_rvar. split; [|tauto]. intros [H ->]; split; [auto | reflexivity].
Qed.

Lemma nested_sym_exact : forall g R S q, tmid S = Some q -> known_rank (strip S R) = 0 ->
  (after g (REq R S) (re_nested_sym q R S) -> holds g (REq R S)) /\
  (holds g (REq R S) <-> content_after g (REq R S) (re_nested_sym q R S)).
Proof.
  intros g R S q E K. unfold after, content_after, re_nested_sym. rewrite !after_emit_bind.
  rewrite strip_holds, (bare_term (strip S R) q) by auto. simpl.
  rewrite ground_rvar. split; [intros [A ->]; split; [auto | reflexivity]|].
  split; intros [A B]; split; auto; now symmetry.
Qed.

Lemma known_rank_strip : forall R S, known_rank R = known_rank S ->
  known_rank (strip R S) = known_rank (strip S R).
Proof.
  intros R S H. unfold known_rank, strip in *.
  rewrite !length_cut_lead, !length_cut_trail by (unfold common_trail; lia).
  unfold common_lead, common_trail. lia.
Qed.

(** 4.3.d.  RE-same-empty: without surplus only the outer equalities matter. *)
Theorem lemma_5_1_re_same_empty : forall g R S p, tmid R = Some p -> tmid S = Some p ->
  known_rank R = known_rank S -> known_rank (strip R S) = 0 ->
  (holds g (REq R S) <-> after g (REq R S) (re_same_empty R S)).
Proof.
  intros g R S p ER ES E K. unfold after, re_same_empty. rewrite after_emit, strip_holds.
  rewrite (bare_term (strip R S) p), (bare_term (strip S R) p);
    auto; [|rewrite <- known_rank_strip; auto].
  simpl. split; [tauto | split; [auto | reflexivity]].
Qed.

(** 4.3.d.  No row equals itself with more axes: both sides have different ranks. *)
Theorem lemma_5_1_re_same_occurs : forall g R S p, tmid R = Some p -> tmid S = Some p ->
  known_rank R <> known_rank S -> (holds g (REq R S) <-> after g (REq R S) Fails).
Proof.
  intros g R S p ER ES N; simpl. split; [|tauto]. intros H. apply flat_equiv_rank in H.
  rewrite !rank_ground, ER, ES in H. lia.
Qed.

(** * Row inequality *)

(** 5.1.i.  Where the flanks of the operand are covered, the constraint is the aligned
    inequalities and the residue against what is inside the operand. *)
Theorem lemma_5_1_residue : forall g res op, covered res op ->
  (holds g (RLe res op) <->
   sol (aligned res op) g /\ holds g (RLe (residue res op) (RTerm [] (tmid op) []))).
Proof.
  intros g res op [A B]. unfold aligned. rewrite sol_app.
  rewrite !sol_inequalities by (rewrite ?len_firstn, ?len_skipn; lia).
  simpl holds. rewrite !def_2_3_flank_decomposition. simpl.
  rewrite <- (firstn_skipn (length (tlead op)) (tlead res)) at 1.
  rewrite <- (firstn_skipn (length (ttrail res) - length (ttrail op)) (ttrail res)) at 1.
  rewrite !map_app, <- app_assoc, (app_assoc (trail (ground_mid g (tmid res)))).
  rewrite app_nil_r.
  rewrite front_le_app by (rewrite !len_map, len_firstn; lia).
  rewrite back_le_app by (rewrite !len_map, len_skipn; lia).
  tauto.
Qed.

(** 4.3.i.  RI-cap: the aligned inequalities and the residue below the operand's variable
    have the same solutions. *)
Theorem lemma_5_1_ri_cap : forall g res op p, covered res op -> tmid op = Some p ->
  (holds g (RLe res op) <-> after g (RLe res op) (ri_cap res op p)).
Proof.
  intros g res op p C E. unfold after, ri_cap. rewrite after_emit_store.
  rewrite lemma_5_1_residue, E by auto. reflexivity.
Qed.

(** 4.3.i.  RI-refl: a residue that is the operand's own variable says nothing. *)
Theorem lemma_5_1_ri_refl : forall g res op p, covered res op -> tmid op = Some p ->
  residue res op = rvar_term p ->
  (holds g (RLe res op) <-> after g (RLe res op) (ri_refl res op)).
Proof.
  intros g res op p C E K. unfold after, ri_refl. rewrite after_emit.
  rewrite lemma_5_1_residue, E, K by auto. split; [tauto|].
  intros H; split; [auto | apply prop_2_5_le_refl].
Qed.

(** 4.3.ii.  RI-closed-op: inside a closed operand the result is free. *)
Theorem lemma_5_1_ri_closed_op : forall g res op, covered res op -> tmid op = None ->
  (holds g (RLe res op) <-> after g (RLe res op) (ri_closed_op res op)).
Proof.
  intros g res op C E. unfold after, ri_closed_op. rewrite after_emit.
  rewrite lemma_5_1_residue, E by auto. split; [tauto|].
  intros H; split; [auto | apply prop_2_6_empty_greatest].
Qed.

(** Each flank of the result is at least as long as the operand's. *)
Lemma rle_lengths : forall g res op, holds g (RLe res op) ->
  length (tlead op) + length (lead (ground_mid g (tmid op))) <=
    length (tlead res) + length (lead (ground_mid g (tmid res))) /\
  length (ttrail op) + length (trail (ground_mid g (tmid op))) <=
    length (ttrail res) + length (trail (ground_mid g (tmid res))).
Proof.
  intros g res op (A & B & _). simpl in *. rewrite !len_app, !len_map in *. lia.
Qed.

(** 4.3.iii.  RI-short-closed fails only where a flank is too short under every grounding. *)
Theorem lemma_5_1_ri_short_closed : forall g res op, ~ covered res op -> tmid res = None ->
  (holds g (RLe res op) <-> after g (RLe res op) Fails).
Proof.
  intros g res op C E. simpl after. split; [|tauto]. intros H. apply C.
  apply rle_lengths in H. rewrite E in H. unfold covered; simpl in H; lia.
Qed.

(** * RI-deficit *)

Definition set_d (a : dvar) (d : dim) (g : ground) : ground :=
  Ground (fun b => if Nat.eqb b a then d else g_d g b) (g_r g).

Definition set_r (p : rvar) (R : row) (g : ground) : ground :=
  Ground (g_d g) (fun q => if Nat.eqb q p then R else g_r g q).

Fixpoint set_ds (al : list dvar) (ds : list dim) (g : ground) : ground :=
  match al, ds with
  | a :: al, d :: ds => set_d a d (set_ds al ds g)
  | _, _ => g
  end.

Lemma set_ds_rows : forall al ds g, g_r (set_ds al ds g) = g_r g.
Proof. intros al; induction al; intros [|]; intros; simpl; auto. Qed.

Lemma set_ds_other : forall al ds g a, ~ In a al -> g_d (set_ds al ds g) a = g_d g a.
Proof.
  intros al; induction al as [|b al IH]; intros [|d ds] g a N; simpl in *; auto.
  destruct (Nat.eqb_spec a b); [subst; tauto | apply IH; tauto].
Qed.

Lemma set_ds_values : forall al ds g, NoDup al -> length al = length ds ->
  map (g_d (set_ds al ds g)) al = ds.
Proof.
  intros al; induction al as [|a al IH]; intros [|d ds] g N L; simpl in *; try discriminate; auto.
  inversion N; subst. rewrite Nat.eqb_refl. f_equal.
  transitivity (map (g_d (set_ds al ds g)) al); [|apply IH; auto].
  apply map_ext_in. intros b I.
  destruct (Nat.eqb_spec b a); [subst; tauto | auto].
Qed.

Lemma NoDup_app_inv : forall (A : Type) (l k : list A), NoDup (l ++ k) ->
  NoDup l /\ NoDup k /\ forall x, In x l -> ~ In x k.
Proof.
  intros A l; induction l as [|x l IH]; intros k H; simpl in *.
  - split; [constructor | split; [auto | tauto]].
  - inversion H; subst. destruct (IH k) as (A1 & A2 & A3); auto.
    rewrite in_app_iff in *. split; [constructor; tauto | split; [auto|]].
    intros y [<-|I]; [tauto | auto].
Qed.

Lemma map_ground_dvars : forall g al, map (ground_d g) (map DVar al) = map (g_d g) al.
Proof. intros; rewrite map_map; auto. Qed.

(** 5.1.i.  A row with long enough flanks is an instance of the grown pattern: values
    for the fresh variables exist, and nothing else changes. *)
Theorem lemma_5_1_deficit : forall g p al q be, NoDup (fresh_vars al q be) ->
  p <> q -> length al <= length (lead (g_r g p)) -> length be <= length (trail (g_r g p)) ->
  exists h, agree_off (fresh_vars al q be) g h /\ binding_holds h (BindR p (grown al q be)).
Proof.
  intros g p al q be N Npq La Lb.
  set (V := g_r g p) in *.
  set (i := length al). set (j := length (trail V) - length be).
  exists (set_r q (skipn i (lead V) ·⋄· firstn j (trail V))
           (set_ds (al ++ be) (firstn i (lead V) ++ skipn j (trail V)) g)).
  inversion N as [|? ? Nq Nd]; subst. rewrite <- map_app in Nd. apply NoDup_map_inv in Nd.
  assert (L : length (al ++ be) = length (firstn i (lead V) ++ skipn j (trail V))).
  { rewrite !len_app, len_firstn, len_skipn. unfold i, j. lia. }
  split.
  - intros [a|r] H; simpl in *.
    + symmetry; apply set_ds_other. intros I. apply H. right.
      rewrite <- map_app. now apply in_map.
    + destruct (Nat.eqb_spec r q); [subst; tauto | now rewrite set_ds_rows].
  - pose proof (set_ds_values _ _ g Nd L) as E. rewrite map_app in E.
    apply app_eq_len in E as [E1 E2]; [|rewrite len_map, len_firstn; unfold i; lia].
    unfold binding_holds, ground_r. cbn [grown tlead ttrail tmid]. rewrite !map_ground_dvars.
    simpl. rewrite !Nat.eqb_refl, set_ds_rows.
    destruct (Nat.eqb_spec p q); [congruence|]. simpl.
    rewrite E1, E2, !firstn_skipn. fold V. now destruct V.
Qed.

(** 4.3.iv.  Solutions extend to the fresh variables, and restrict back. *)
Theorem lemma_5_1_ri_deficit : forall g res op p al q be, tmid res = Some p ->
  length al = lead_deficit res op -> length be = trail_deficit res op ->
  NoDup (fresh_vars al q be) ->
  (forall v, In v (fresh_vars al q be) -> ~ In v (vars_c (RLe res op))) ->
  (holds g (RLe res op) <->
   exists h, agree_off (fresh_vars al q be) g h /\ after h (RLe res op) (ri_deficit p al q be)).
Proof.
  intros g res op p al q be E La Lb N F. unfold after, ri_deficit.
  assert (Npq : p <> q).
  { intros ->. apply (F (RV q)); [left; auto|]. simpl. apply in_app_iff; left.
    unfold vars_r. rewrite E, !in_app_iff. simpl; auto. }
  assert (K : forall h, agree_off (fresh_vars al q be) g h ->
            holds g (RLe res op) <-> holds h (RLe res op)).
  { intros h A. apply agree_holds. eapply agree_off_on; eauto. }
  split.
  - intros H. pose proof (rle_lengths _ _ _ H) as L. rewrite E in L. simpl in L.
    unfold lead_deficit, trail_deficit in *.
    destruct (lemma_5_1_deficit g p al q be) as (h & A & B); auto; try lia.
    exists h; split; [auto|]. rewrite after_grow. split; [auto | now apply K].
  - intros (h & A & H). rewrite after_grow in H. apply (K h A). tauto.
Qed.

(** * All rules together *)

Lemma after_other : forall read g c c' o, (holds g c <-> holds g c') ->
  (after_with read g c o <-> after_with read g c' o).
Proof. intros read g c c' [|e] H; simpl; tauto. Qed.

(** Every constraint has a rule. *)
Lemma fresh_exist : forall (used : list var) kl kr, exists al q be,
  length al = kl /\ length be = kr /\ NoDup (fresh_vars al q be) /\
  forall v, In v (fresh_vars al q be) -> ~ In v used.
Proof.
  intros used kl kr.
  set (id := fun v => match v with DV a => a | RV p => p end).
  set (n := S (list_max (map id used))).
  exists (seq n kl), n, (seq (n + kl) kr).
  split; [apply len_seq | split; [apply len_seq|]].
  unfold fresh_vars. rewrite <- map_app, <- seq_app. split.
  - constructor.
    + intros I. apply in_map_iff in I as (x & E & _). discriminate.
    + generalize (seq_NoDup (kl + kr) n). generalize (seq n (kl + kr)). intros l Nd.
      induction Nd as [|x l N Nd IH]; simpl; constructor; [|exact IH].
      intros I. apply in_map_iff in I as (y & [= ->] & I). auto.
  - assert (B : forall v, In v used -> id v < n).
    { intros v I.
      assert (F : Forall (fun k => k <= list_max (map id used)) (map id used))
        by (apply list_max_le; auto).
      rewrite Forall_forall in F. specialize (F _ (in_map id _ _ I)). unfold n; lia. }
    intros v [<-|I] J; apply B in J; simpl in J; [lia|].
    apply in_map_iff in I as (x & <- & I). apply in_seq in I. simpl in J. lia.
Qed.

(** 4.3.  Every constraint has a rule, whatever is stored. *)
Theorem def_4_3_some_rule_applies : forall used B c, exists r o, fires used B c r o.
Proof.
  intros used B [t u|t u|R Q|R Q].
  - destruct (dterm_eq_dec t u) as [->|N]; [eexists _, _; constructor|].
    destruct t as [a|d]; [eexists _, _; apply F_de_bind; congruence|].
    destruct u as [a|e]; [eexists _, _; apply F_de_bind_sym; congruence|].
    eexists _, _; apply F_de_clash; congruence.
  - destruct (dterm_eq_dec t u) as [->|N]; [eexists _, _; apply F_di_refl|].
    destruct t as [a|d], u as [b|e].
    + eexists _, _; apply F_di_adj; congruence.
    + destruct e as [|n k]; eexists _, _; [apply F_di_top | apply F_di_pin; exact I].
    + destruct d as [|n k]; eexists _, _; [apply F_di_pin_top | apply F_di_cap; exact I].
    + eexists _, _; apply F_di_ground.
  - destruct (tmid R) as [p|] eqn:ER, (tmid Q) as [q|] eqn:EQ.
    + destruct (Nat.eq_dec p q) as [->|N].
      * destruct (Nat.eq_dec (known_rank R) (known_rank Q)) as [E|E];
          [|eexists _, _; eapply F_re_same_occurs; eauto].
        destruct (Nat.eq_dec (known_rank (strip R Q)) 0);
          eexists _, _; [eapply F_re_same_empty | eapply F_re_same_rot]; eauto.
      * destruct (Nat.eq_dec (known_rank (strip R Q)) 0);
          [eexists _, _; eapply F_re_nested; eauto|].
        destruct (Nat.eq_dec (known_rank (strip Q R)) 0);
          eexists _, _; [eapply F_re_nested_sym | eapply F_re_cross]; eauto.
    + eexists _, _; eapply F_re_open_closed; eauto.
    + eexists _, _; eapply F_re_closed_open; eauto.
    + eexists _, _; eapply F_re_closed; eauto.
  - assert (D : covered R Q \/ ~ covered R Q) by (unfold covered; lia).
    destruct D as [C|C].
    + destruct (tmid Q) as [q|] eqn:EQ; [|eexists _, _; eapply F_ri_closed_op; eauto].
      destruct (rterm_eq_dec (residue R Q) (rvar_term q));
        eexists _, _; [eapply F_ri_refl | eapply F_ri_cap]; eauto.
    + destruct (tmid R) as [p|] eqn:ER; [|eexists _, _; eapply F_ri_short_closed; eauto].
      destruct (fresh_exist used (lead_deficit R Q) (trail_deficit R Q))
        as (al & q & be & La & Lb & N & F).
      eexists _, _; eapply F_ri_deficit; eauto.
Qed.

Lemma agree_sol : forall g h cs, agree_on (flat_map vars_c cs) g h -> sol cs g -> sol cs h.
Proof.
  intros g h cs A H c I. apply (agree_holds g h); [|auto].
  intros v J. apply A, in_flat_map; eauto.
Qed.

Lemma commits_dec : forall c r, commits c r \/ ~ commits c r.
Proof.
  intros c r; destruct r; simpl; try tauto. destruct c as [t u|t u|R Q|R Q]; try tauto.
  destruct (Nat.eq_dec (known_rank R) (known_rank Q)); tauto.
Qed.

(** Without fresh variables: all rules but RI-deficit and the placements. *)
Lemma fires_exact : forall used B c r o, fires used B c r o -> ~ commits c r -> r <> RI_deficit ->
  forall g, sol B g -> (holds g c <-> after g c o).
Proof.
  intros used B c r o F NC ND g HB.
  each_rule F; try (destruct NC; exact I); try congruence.
  - apply lemma_5_1_de_refl.
  - now apply lemma_5_1_de_clash.
  - apply lemma_5_1_de_bind.
  - apply lemma_5_1_de_bind.
  - apply lemma_5_1_di_top.
  - apply lemma_5_1_di_refl.
  - apply lemma_5_1_di_ground.
  - now apply lemma_5_1_di_pin.
  - apply lemma_5_1_di_pin_top.
  - now apply lemma_5_1_di_cap.
  - unfold after; rewrite after_keep; tauto.
  - now apply (lemma_5_1_di_antisym g B).
  - apply lemma_5_1_di_adj.
  - now apply lemma_5_1_re_closed.
  - simpl in NC. apply lemma_5_1_re_open_closed_empty; auto. rewrite length_tflat. lia.
  - simpl in NC. rewrite holds_req_sym.
    unfold after. rewrite (after_other _ g (REq Q R) (REq R Q)) by apply holds_req_sym.
    apply lemma_5_1_re_open_closed_empty; auto. rewrite length_tflat. lia.
  - apply lemma_5_1_re_cross.
  - eapply lemma_5_1_re_same_empty; eauto.
  - eapply lemma_5_1_re_same_occurs; eauto.
  - eapply lemma_5_1_re_same_rot; eauto.
  - now apply lemma_5_1_ri_cap.
  - eapply lemma_5_1_ri_refl; eauto.
  - now apply lemma_5_1_ri_closed_op.
  - now apply lemma_5_1_ri_short_closed.
Qed.

(** 5.1.i.  Semantic steps: solutions extend to the fresh variables, and restrict back. *)
Theorem lemma_5_1_semantic : forall used B c r o, fires used B c r o -> ~ commits c r ->
  (forall v, In v (flat_map vars_c (c :: B)) -> In v used) ->
  forall g, sol B g -> (holds g c <-> exists h, agree_on used g h /\ after h c o).
Proof.
  intros used B c r o F NC U g HB.
  assert (Uc : forall v, In v (vars_c c) -> In v used)
    by (intros; apply U; simpl; apply in_app_iff; auto).
  assert (UB : forall v, In v (flat_map vars_c B) -> In v used)
    by (intros; apply U; simpl; apply in_app_iff; auto).
  assert (D : r = RI_deficit \/ r <> RI_deficit) by (destruct r; auto; right; discriminate).
  split.
  - intros H. destruct D as [->|ND].
    + each_firing F.
      apply (lemma_5_1_ri_deficit g res op p al q be) in H as (h & A & H); auto.
      * exists h; split; [eapply agree_off_on; eauto | auto].
      * intros v J K. exact (Fr v J (Uc v K)).
    + exists g; split; [intros [a|p] _; reflexivity|].
      now apply (fires_exact used B c r o).
  - intros (h & A & H).
    apply (agree_holds g h); [intros v I; auto|].
    destruct D as [->|ND].
    + each_firing F. unfold after, ri_deficit in H. rewrite after_grow in H. tauto.
    + apply (fires_exact used B c r o); auto.
      apply (agree_sol g h); auto. intros v I; auto.
Qed.

(** 5.1.ii.  Placements: sound, with the content of the binding entailed. *)
Theorem lemma_5_1_policy : forall used B c r o, fires used B c r o -> commits c r ->
  forall g, (after g c o -> holds g c) /\ (holds g c <-> content_after g c o).
Proof.
  intros used B c r o F C g; destruct r; simpl in C; try tauto; each_firing F.
  - now apply lemma_5_1_re_open_closed.
  - rewrite (holds_req_sym g Q R).
    unfold after, content_after. rewrite !(after_other _ g (REq Q R) (REq R Q)) by apply holds_req_sym.
    now apply lemma_5_1_re_open_closed.
  - now apply lemma_5_1_re_nested.
  - now apply nested_sym_exact.
Qed.

(** Every rule, committing or not: what comes after implies what was before. *)
Lemma fires_sound : forall used B c r o, fires used B c r o ->
  forall g, sol B g -> after g c o -> holds g c.
Proof.
  intros used B c r o F g HB H.
  destruct (commits_dec c r) as [C|NC].
  1: exact (proj1 (lemma_5_1_policy used B c r o F C g) H).
  assert (D : r = RI_deficit \/ r <> RI_deficit) by (destruct r; auto; right; discriminate).
  destruct D as [->|ND]; [|exact (proj2 (fires_exact used B c r o F NC ND g HB) H)].
  each_firing F. unfold after, ri_deficit in H. rewrite after_grow in H. tauto.
Qed.

(** 5.1.i.  A rule fails only on a constraint that no solution of the store satisfies. *)
Theorem lemma_5_1_fail : forall used B c r, fires used B c r Fails ->
  forall g, sol B g -> ~ holds g c.
Proof.
  intros used B c r F g HB H.
  destruct (commits_dec c r) as [C|NC].
  - apply (lemma_5_1_policy used B c r Fails F C g) in H. exact H.
  - assert (ND : r <> RI_deficit) by (intros ->; each_firing F).
    apply (fires_exact used B c r Fails F NC ND g HB) in H. exact H.
Qed.

(** * Substituting a binding *)

Lemma binding_agrees : forall g b, binding_holds g b ->
  forall v, agree_at (ground_comp g (as_subst b)) g v.
Proof.
  intros g [a t|p R] H [b|q]; simpl in *.
  - destruct (Nat.eqb_spec b a); subst; auto.
  - apply ground_rvar.
  - auto.
  - destruct (Nat.eqb_spec q p); subst; auto. apply ground_rvar.
Qed.

(** 5.1.i.  A binding that holds may be substituted anywhere. *)
Theorem lemma_5_1_substitute : forall g b c, binding_holds g b ->
  (holds g (sub_c (as_subst b) c) <-> holds g c).
Proof.
  intros g b c H. rewrite <- def_3_4_grounding_composes. apply agree_holds.
  intros v _. now apply binding_agrees.
Qed.

(** 5.1.ii.  A placement of which only the content holds may be substituted wherever no
    marker is looked at. *)
Theorem lemma_5_1_substitute_content : forall g b c, binding_content g b -> marker_blind c ->
  (holds g (sub_c (as_subst b) c) <-> holds g c).
Proof.
  intros g [a t|p V] c H M; [now apply lemma_5_1_substitute|].
  rewrite <- def_3_4_grounding_composes. simpl in *. set (h := ground_comp g (bind_r p V)).
  assert (F : forall R, flat (ground_r h R) = flat (ground_r g R)).
  { intros R. rewrite !flat_ground. f_equal. f_equal. destruct (tmid R) as [q|]; simpl; auto.
    destruct (Nat.eqb_spec q p); subst; [symmetry; exact H|]. now rewrite ground_rvar. }
  destruct c as [t u|t u|R Q|R Q]; simpl in *; try tauto.
  unfold flat_equiv. now rewrite !F.
Qed.

(** 5.1.iii.  Where nothing looks at the marker of the bound variable, a placement loses
    nothing: every solution becomes one with that placement, by moving the
    marker of that variable only. *)
Theorem lemma_5_1_replacement : forall g p V, binding_content g (BindR p V) ->
  ~ In (RV p) (vars_r V) ->
  exists h, agree_off [RV p] g h /\ g_r g p ≈ g_r h p /\ binding_holds h (BindR p V) /\
    forall d, marker_blind d \/ ~ In (RV p) (vars_c d) -> (holds g d <-> holds h d).
Proof.
  intros g p V B N. set (h := set_r p (ground_r g V) g). exists h.
  assert (A : agree_off [RV p] g h).
  { intros [a|q] H; simpl; auto. destruct (Nat.eqb_spec q p); [subst; simpl in H; tauto | auto]. }
  assert (Out : forall W, ~ In (RV p) W -> agree_on W g h).
  { intros W NW v I. apply A. intros [<-|[]]. auto. }
  assert (Ep : g_r h p = ground_r g V) by (simpl; now rewrite Nat.eqb_refl).
  split; [auto | split; [rewrite Ep; exact B | split]].
  - unfold binding_holds. rewrite Ep. apply agree_ground_r, Out, N.
  - intros d [M|M]; [|now apply agree_holds, Out].
    assert (F : forall R, flat (ground_r g R) = flat (ground_r h R)).
    { intros R. rewrite !flat_ground. f_equal. f_equal. destruct (tmid R) as [q|]; auto.
      cbn [ground_mid]. destruct (Nat.eq_dec q p) as [->|Nq]; [rewrite Ep; exact B|].
      f_equal. apply (A (RV q)). intros [E|[]]; congruence. }
    destruct d as [t u|t u|R Q|R Q]; simpl in M; try tauto.
    simpl. unfold flat_equiv. now rewrite !F.
Qed.

(** * Primitive inferences *)

Lemma front_axis_ground : forall g R i t, front_axis R i = Some t ->
  nth_error (flat (ground_r g R)) i = Some (ground_d g t).
Proof.
  intros g R i t H. unfold front_axis in H. destruct (tmid R) as [p|] eqn:E.
  - rewrite flat_ground, nth_error_app1.
    + now apply map_nth_error.
    + rewrite len_map. apply nth_error_Some. congruence.
  - rewrite flat_ground_closed by auto. now apply map_nth_error.
Qed.

Lemma back_axis_ground : forall g R i t, back_axis R i = Some t ->
  nth_error (rev (flat (ground_r g R))) i = Some (ground_d g t).
Proof.
  intros g R i t H. unfold back_axis in H. destruct (tmid R) as [p|] eqn:E.
  - rewrite flat_ground, !rev_app_distr, <- app_assoc, nth_error_app1, <- map_rev.
    + now apply map_nth_error.
    + rewrite <- map_rev, len_map. apply nth_error_Some. congruence.
  - rewrite flat_ground_closed, <- map_rev by auto. now apply map_nth_error.
Qed.

(** 5.1.i.  Zip: the i-th axes of two equal rows are equal, from the front ... *)
Theorem lemma_5_1_zip_front : forall g R S i t u, front_axis R i = Some t -> front_axis S i = Some u ->
  holds g (REq R S) -> holds g (DEq t u).
Proof.
  intros g R S i t u A B H. apply (front_axis_ground g) in A, B.
  simpl in *. rewrite H in A. congruence.
Qed.

(** 5.1.i.  ... and from the back. *)
Theorem lemma_5_1_zip_back : forall g R S i t u, back_axis R i = Some t -> back_axis S i = Some u ->
  holds g (REq R S) -> holds g (DEq t u).
Proof.
  intros g R S i t u A B H. apply (back_axis_ground g) in A, B.
  simpl in *. rewrite H in A. congruence.
Qed.

Lemma drop_ground : forall g p q R R', drop p q R = Some R' ->
  exists a b, flat (ground_r g R) = a ++ flat (ground_r g R') ++ b /\ length a = p /\ length b = q.
Proof.
  intros g p q R R' H. unfold drop in H. destruct (tmid R) as [x|] eqn:E.
  - destruct (Nat.leb_spec p (length (tlead R))); [|discriminate].
    destruct (Nat.leb_spec q (length (ttrail R))); [|discriminate]. injection H as <-.
    exists (map (ground_d g) (firstn p (tlead R))),
      (map (ground_d g) (skipn (length (ttrail R) - q) (ttrail R))).
    rewrite !len_map, len_firstn, len_skipn. split; [|lia].
    rewrite !flat_ground. simpl.
    rewrite <- (firstn_skipn p (tlead R)) at 1.
    rewrite <- (firstn_skipn (length (ttrail R) - q) (ttrail R)) at 1.
    rewrite !map_app, <- !app_assoc. reflexivity.
  - destruct (Nat.leb_spec (p + q) (length (tflat R))); [|discriminate]. injection H as <-.
    exists (map (ground_d g) (firstn p (tflat R))),
      (map (ground_d g) (skipn (length (tflat R) - q) (tflat R))).
    rewrite !len_map, len_firstn, len_skipn. split; [|lia].
    rewrite !flat_ground_closed by auto.
    rewrite (cut_three _ (tflat R) p (length (tflat R) - q)) at 1 by lia.
    assert (E2 : forall l, tflat (RTerm l None []) = l) by (intros; apply app_nil_r).
    now rewrite E2, !map_app.
Qed.

(** 5.1.i.  Strip: equal rows stay equal when both lose p axes in front and q behind. *)
Theorem lemma_5_1_drop : forall g p q R S R' S', drop p q R = Some R' -> drop p q S = Some S' ->
  holds g (REq R S) -> holds g (REq R' S').
Proof.
  intros g p q R S R' S' A B H.
  destruct (drop_ground g _ _ _ _ A) as (a & b & E & La & Lb).
  destruct (drop_ground g _ _ _ _ B) as (a' & b' & E' & La' & Lb').
  simpl in *. unfold flat_equiv in *. rewrite E, E' in H.
  apply outer_eq in H; [tauto | lia | lia].
Qed.

Lemma front_le_nth : forall F G i e, front_le F G -> nth_error G i = Some e ->
  exists d, nth_error F i = Some d /\ d ⊑d e.
Proof.
  intros F G; revert F; induction G as [|x G IH]; intros [|y F] [|i] e H K; simpl in *;
    try discriminate; try tauto.
  - injection K as <-. exists y; tauto.
  - eapply IH; eauto. tauto.
Qed.

Lemma nth_error_map_app : forall g l k i t, nth_error l i = Some t ->
  nth_error (map (ground_d g) l ++ k) i = Some (ground_d g t).
Proof.
  intros g l k i t H. rewrite nth_error_app1; [now apply map_nth_error|].
  rewrite len_map. apply nth_error_Some. congruence.
Qed.

(** 5.1.i.  Align: the i-th leading axis of the result is below that of the operand ... *)
Theorem lemma_5_1_align_lead : forall g res op i t u, lead_axis res i = Some t -> lead_axis op i = Some u ->
  holds g (RLe res op) -> holds g (DLe t u).
Proof.
  intros g res op i t u A B H. unfold lead_axis in *.
  apply def_2_3_flank_decomposition in H as [H _]. simpl in H.
  apply (nth_error_map_app g _ (lead (ground_mid g (tmid res)))) in A.
  apply (nth_error_map_app g _ (lead (ground_mid g (tmid op)))) in B.
  destruct (front_le_nth _ _ _ _ H B) as (d & E & L). simpl. congruence.
Qed.

(** 5.1.i.  ... and the i-th trailing axis, counted from the back. *)
Theorem lemma_5_1_align_trail : forall g res op i t u, trail_axis res i = Some t -> trail_axis op i = Some u ->
  holds g (RLe res op) -> holds g (DLe t u).
Proof.
  intros g res op i t u A B H. unfold trail_axis in *.
  apply def_2_3_flank_decomposition in H as [_ H]. unfold back_le in H. simpl in H.
  rewrite !rev_app_distr, <- !map_rev in H.
  apply (nth_error_map_app g _ (rev (trail (ground_mid g (tmid res))))) in A.
  apply (nth_error_map_app g _ (rev (trail (ground_mid g (tmid op))))) in B.
  destruct (front_le_nth _ _ _ _ H B) as (d & E & L). simpl. congruence.
Qed.

(** 5.1.i.  Pin, pin to the top, and collapse, for arbitrary terms. *)
Theorem lemma_5_1_pin : forall g t d, is_atom d ->
  holds g (DLe t (DConst d)) -> holds g (DEq t (DConst d)).
Proof. intros g t d A H. now apply dim_le_atom. Qed.

(** 5.1.i.  Inference "pin-top", for any term. *)
Theorem lemma_5_1_pin_top : forall g t, holds g (DLe (DConst Unit) t) -> holds g (DEq t (DConst Unit)).
Proof. intros g t [H|H]; simpl in *; auto. Qed.

(** 5.1.i.  Inference "collapse": above two different atoms there is only 1∅. *)
Theorem lemma_5_1_collapse : forall g t d e, is_atom d -> d <> e ->
  holds g (DLe (DConst d) t) -> holds g (DLe (DConst e) t) -> holds g (DEq t (DConst Unit)).
Proof. intros g t d e A N H K. now apply (two_atoms d e). Qed.

Lemma le_chain_holds : forall g cs t u, sol cs g -> le_chain cs t u -> holds g (DLe t u).
Proof.
  intros g cs t u H C; induction C as [t|t u w I C IH]; [apply dim_le_refl|].
  specialize (H _ I). simpl in *. eapply dim_le_trans; eauto.
Qed.

(** 5.1.i.  Antisymmetry along a cycle: all terms on a cycle of inequalities are equal. *)
Theorem lemma_5_1_antisym_cycle : forall g cs t u, sol cs g ->
  le_chain cs t u -> le_chain cs u t -> holds g (DEq t u).
Proof.
  intros g cs t u H A B. apply (le_chain_holds g) in A, B; auto. now apply dim_le_antisym.
Qed.
