(** F14: searching over placements and word solutions does not decide; searching
    over lengths does, for each choice of lengths. *)

From Coq Require Import List Bool Arith PArith Cantor Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Closing Closing_thm.
Import ListNotations.

(** * No branch succeeds on F5's satisfiable set *)

(** The equation is pending, between p or what p has grown to, and the bare q. *)
Definition f14_pending (C : config) : Prop :=
  count_req (phi C ++ store C) = 1 /\
  (forall R Q, In (RLe R Q) (phi C ++ store C) -> tmid R <> Some 1) /\
  exists R p, In (REq R (rvar_term 1)) (phi C) /\ tmid R = Some p /\ p <> 1 /\
    forall g, respects g (sigma C) -> ground_r g R = g_r g 0.

(** Or it was solved, by a binding. *)
Definition f14_bound (C : config) : Prop :=
  count_req (phi C ++ store C) = 0 /\ forall g, satisfies g C -> g_r g 0 = g_r g 1.

Lemma count_req_in : forall l c, In c l -> is_req c -> 1 <= count_req l.
Proof.
  intros l c I H. unfold count_req.
  assert (J : In c (filter is_reqb l)) by (apply filter_In; split; [auto | destruct c; simpl in *; tauto]).
  destruct (filter is_reqb l); [destruct J | simpl; lia].
Qed.

Lemma cut_nothing : forall R, cut 0 0 R = R.
Proof. intros [l m r]. unfold cut; simpl. now rewrite Nat.sub_0_r, firstn_all. Qed.

Lemma strip_bare : forall R p, strip R (rvar_term p) = R /\ strip (rvar_term p) R = rvar_term p.
Proof.
  intros R p. unfold strip, common_lead, common_trail; simpl. rewrite !Nat.min_0_r. split; apply cut_nothing.
Qed.

(** The equation can only be solved by binding one side to the other. *)
Lemma f14_fires : forall used B R p r e, tmid R = Some p -> p <> 1 ->
  fires used B (REq R (rvar_term 1)) r (Does e) ->
  exists b, binds e = Some b /\ (exists q V, b = BindR q V) /\
    forall g, binding_holds g b -> ground_r g R = g_r g 1.
Proof.
  intros used B T x r e ET N F. each_firing F; injection Ec as EL ER; subst; try (simpl in *; congruence).
  - destruct (strip_bare T 1) as [E1 E2]. injection Eo as <-. eexists. split; [reflexivity|]. rewrite E2.
    split; [eauto|]. intros g H. simpl in H. rewrite ground_rvar in H. rewrite E1 in Z.
    rewrite (bare_term T p) by auto. now rewrite ground_rvar.
  - destruct (strip_bare T 1) as [E1 E2]. injection Eo as <-. eexists. split; [reflexivity|]. rewrite E1.
    split; [eauto|]. intros g H. simpl in *. congruence.
  - destruct (strip_bare T 1) as [_ E2]. destruct ZQ. now rewrite E2.
Qed.

Lemma mid_bind_d : forall a t T, tmid (sub_r (bind_d a t) T) = tmid T.
Proof. intros a t [l [p|] r]; reflexivity. Qed.

Lemma mid_bind_r : forall p V T, tmid (sub_r (bind_r p V) T) =
  match tmid T with Some q => if Nat.eqb q p then tmid V else Some q | None => None end.
Proof. intros p V [l [q|] r]; simpl; auto. destruct (Nat.eqb q p); reflexivity. Qed.

Lemma f14_step : forall C c r C', closing_invariant finding_f5 C -> step C c r C' ->
  f14_pending C \/ f14_bound C -> f14_pending C' \/ f14_bound C'.
Proof.
  intros C c r C' K S H. pose proof (proj1 K) as W. pose proof (step_sound C c r C') as So.
  inversion S as [C0 pre c0 post r0 e Ep F E0 E1 E2 HC]; subst C0 c0 r0.
  destruct (next_count C pre c post r e Ep F) as [Le Lt]. rewrite HC in *.
  destruct H as [(Cn & Nr & R & p & Ie & Em & Np & Gr)|(Cn & Eq)].
  2: { right. split; [lia|]. intros g Hg. apply Eq. eapply So; eauto. }
  assert (U1 : In (RV 1) (used C)).
  { destruct W as (_ & Wv & _). apply Wv, in_flat_map. exists (REq R (rvar_term 1)).
    split; [apply in_app_iff; auto|]. simpl. apply in_app_iff; simpl; auto. }
  assert (Dc : is_req c \/ ~ is_req c) by (destruct c; simpl; auto).
  destruct Dc as [Rc|Nc].
  - (* the equation itself *)
    assert (c = REq R (rvar_term 1)) as ->.
    { rewrite Ep in Ie, Cn. apply in_app_iff in Ie. simpl in Ie.
      rewrite !count_req_app in Cn. change (c :: post) with ([c] ++ post) in Cn. rewrite count_req_app in Cn.
      assert (1 <= count_req [c]) by (apply (count_req_in [c] c); simpl; auto).
      destruct Ie as [Ie|[->|Ie]]; [|auto|];
        pose proof (count_req_in _ _ Ie Logic.I); lia. }
    destruct (f14_fires _ _ R p r e Em Np F) as (b & Eb & (q & V & ->) & Hb).
    right. split; [specialize (Lt Rc q V Eb); lia|].
    intros g Hg. pose proof (So g W S Hg) as (_ & _ & Rs).
    rewrite <- (Gr g Rs). apply Hb. rewrite <- HC in Hg.
    rewrite next_satisfies in Hg.
    + destruct Hg as (_ & _ & _ & Ha). simpl in Ha. rewrite Eb in Ha. apply Ha.
    + intros b' Eb'. destruct (step_fixed C _ r C' W S) as (Vc & _). eapply (fires_binding C _ r e); eauto.
  - (* something else *)
    left. rewrite <- HC.
    assert (Ie' : In (REq R (rvar_term 1)) (pre ++ post)).
    { rewrite Ep, in_app_iff in Ie. simpl in Ie. apply in_app_iff. destruct Ie as [|[->|]]; auto.
        destruct Nc; exact Logic.I. }
    assert (All : forall T Q, In (RLe T Q) ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/
              In (RLe T Q) (store C) \/ In (RLe T Q) (stores e) -> tmid T <> Some 1).
    { assert (Own : forall T Q, c = RLe T Q -> tmid T <> Some 1).
      { intros T Q ->. apply (Nr T Q). rewrite Ep, !in_app_iff. simpl; auto. }
      pose proof (outcome_emits _ _ _ _ _ F) as Me. pose proof (outcome_stores _ _ _ _ _ F) as Ms. simpl in Me, Ms.
      intros T Q J. rewrite !in_app_iff in J. destruct J as [[[J|J]|[J|J]]|[J|J]];
        try (apply (Nr T Q); rewrite Ep, !in_app_iff; simpl; tauto).
      - destruct (Me _ J).
      - destruct (again e); [destruct J as [J|[]]; eauto | destruct J].
      - destruct Ms as [Ms|(d & Ms & D)]; rewrite Ms in J; [destruct J|]. destruct J as [->|[]].
        destruct D as [D|[[D _]|(_ & D & _)]]; try (destruct D; fail).
        simpl in D. destruct (both_closed T Q) eqn:Ec.
        { unfold both_closed in Ec. destruct (tmid T); [destruct (tmid Q)|]; discriminate. }
        destruct c as [| | |T' Q']; try discriminate. simpl in D. destruct (both_closed T' Q'); [discriminate|].
        unfold lead_fact in D. injection D as D1 _ _. rewrite D1. eauto. }
    pose proof (outcome_kinds _ _ _ _ _ F) as Kd. simpl in Kd.
    destruct (step_fixed C c r C' W S) as (Vc & _).
    assert (Ct : forall C1 R', In (REq R' (rvar_term 1)) (phi C1) -> 1 <= count_req (phi C1 ++ store C1)).
    { intros C1 R' J. eapply count_req_in; [apply in_app_iff; left; exact J | exact Logic.I]. }
    destruct (binds e) as [[a t|q V]|] eqn:Eb.
    + (* a dimension variable is bound *)
      assert (J : In (REq (sub_r (bind_d a t) R) (rvar_term 1)) (phi (next C (pre ++ post) c e))).
      { unfold next; rewrite Eb; simpl. apply in_map_iff. exists (REq R (rvar_term 1)). split; [reflexivity|].
        rewrite !in_app_iff. apply in_app_iff in Ie'. tauto. }
      split; [|split].
      * pose proof (Ct _ _ J). rewrite HC in *. lia.
      * intros T Q I. unfold next in I; rewrite Eb in I; simpl in I. rewrite in_app_iff, !in_map_iff in I.
        assert (exists d, sub_c (bind_d a t) d = RLe T Q /\
          (In d ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/ In d (store C) \/ In d (stores
            e))) as (d & Ed & D).
        { destruct I as [(d & Ed & I)|(d & Ed & I)]; exists d; split; auto;
            [rewrite in_app_iff, in_taken in I | rewrite in_add_bounds, filter_In in I]; tauto. }
        destruct d as [| | |T' Q']; try discriminate. simpl in Ed. injection Ed as <- <-.
        rewrite mid_bind_d. eauto.
      * exists (sub_r (bind_d a t) R), p. split; [exact J | split; [now rewrite mid_bind_d | split; [auto|]]].
        intros g Rs. unfold next in Rs; rewrite Eb in Rs; simpl in Rs.
        apply (respects_comp g (BindD a t)) in Rs as [Bh Rs].
        -- rewrite <- (Gr g Rs). exact (proj2 (respects_ground g _ (binding_respects g (BindD a t) Bh)) R).
        -- apply (fires_binding C c r e Vc F _ Eb).
    + (* the deficit rule *)
      destruct Kd as [[Rc _]|(res & op & al & x & be & Ec & EV & Er & _ & _ & _ & Fr)]; [tauto|]. subst c V.
      assert (Nq : q <> 1).
      { intros ->. apply (Nr res op); [|auto]. rewrite Ep, !in_app_iff. simpl; auto. }
      assert (Nx : x <> 1) by (intros ->; apply (Fr (RV 1)); simpl; auto).
      assert (Mid : forall T, tmid T <> Some 1 -> tmid (sub_r (bind_r q (grown al x be)) T) <> Some 1).
      { intros T NT. rewrite mid_bind_r. destruct (tmid T) as [y|]; [|discriminate].
        destruct (Nat.eqb y q); simpl; congruence. }
      assert (J : In (REq (sub_r (bind_r q (grown al x be)) R) (rvar_term 1)) (phi (next C (pre ++ post) (RLe
        res op) e))).
      { unfold next; rewrite Eb; simpl. apply in_map_iff. exists (REq R (rvar_term 1)). split.
        - cbn [sub_c]. f_equal. rewrite sub_rvar. cbn [on_r bind_r].
            destruct (Nat.eqb_spec 1 q); [congruence | reflexivity].
        - rewrite !in_app_iff. apply in_app_iff in Ie'. tauto. }
      split; [|split].
      * pose proof (Ct _ _ J). rewrite HC in *. lia.
      * intros T Q I. unfold next in I; rewrite Eb in I; simpl in I. rewrite in_app_iff, !in_map_iff in I.
        assert (exists d, sub_c (bind_r q (grown al x be)) d = RLe T Q /\
          (In d ((pre ++ post) ++ emits e ++ (if again e then [RLe res op] else [])) \/ In d (store C) \/ In d
            (stores e))) as (d & Ed & D).
        { destruct I as [(d & Ed & I)|(d & Ed & I)]; exists d; split; auto;
            [rewrite in_app_iff, in_taken in I | rewrite in_add_bounds, filter_In in I]; tauto. }
        destruct d as [| | |T' Q']; try discriminate. cbn [sub_c] in Ed. injection Ed as <- <-. eauto.
      * destruct (tmid (sub_r (bind_r q (grown al x be)) R)) as [y|] eqn:Ey.
        -- exists (sub_r (bind_r q (grown al x be)) R), y. split; [exact J | split; [auto | split]].
           ++ intros ->. apply (Mid R); [congruence | exact Ey].
           ++ intros g Rs. unfold next in Rs; rewrite Eb in Rs; simpl in Rs.
              apply (respects_comp g (BindR q (grown al x be))) in Rs as [Bh Rs].
              ** rewrite <- (Gr g Rs). exact (proj2 (respects_ground g _ (binding_respects g (BindR q (grown al
                   x be)) Bh)) R).
              ** apply (fires_binding C _ r e Vc F _ Eb).
        -- rewrite mid_bind_r, Em in Ey. destruct (Nat.eqb p q); discriminate.
    + (* nothing is bound *)
      assert (J : In (REq R (rvar_term 1)) (phi (next C (pre ++ post) c e))).
      { unfold next; rewrite Eb; simpl. rewrite !in_app_iff. apply in_app_iff in Ie'. tauto. }
      split; [|split].
      * pose proof (Ct _ _ J). rewrite HC in *. lia.
      * intros T Q I. apply (All T Q). unfold next in I; rewrite Eb in I; simpl in I.
        rewrite app_assoc, in_app_iff, in_add_bounds, <- app_assoc in I. tauto.
      * exists R, p. split; [exact J | split; [auto | split; [auto|]]].
        intros g Rs. unfold next in Rs; rewrite Eb in Rs; simpl in Rs. auto.
Qed.

Lemma f14_initial : f14_pending (initial finding_f5).
Proof.
  split; [reflexivity | split].
  - intros R Q I. simpl in I. destruct I as [I|[I|[I|[]]]]; [discriminate | |]; injection I as <- _; discriminate.
  - exists (rvar_term 0), 0. repeat split; simpl; auto. intros g _. apply ground_rvar.
Qed.

Lemma f14_branches : forall C C', branches C C' -> closing_invariant finding_f5 C -> f14_pending C \/ f14_bound C ->
  closing_invariant finding_f5 C' /\ (f14_pending C' \/ f14_bound C').
Proof.
  intros C C' B; induction B as [C|C C' C'' B _ IH]; intros K H; [auto|].
  destruct B as [C c r C' S|C pre c post R p Q k Ep Ec Em Eq _ _ _|C R Q p V E I _ _].
  - apply IH; [|eapply f14_step; eauto]. eapply closing_kept; [|exact K].
    eapply Closing_step; [exact S | constructor].
  - (* no pending equation has a closed side *)
    exfalso. assert (Ic : In c (phi C)) by (rewrite Ep, in_app_iff; simpl; auto).
    assert (Rc : is_req c) by (destruct Ec as [-> | ->]; exact Logic.I).
    destruct H as [(Cn & _ & R' & p' & Ie & Em' & Np & _)|(Cn & _)].
    + assert (c = REq R' (rvar_term 1)) as ->.
      { rewrite Ep in Ie, Cn. apply in_app_iff in Ie. simpl in Ie.
        rewrite !count_req_app in Cn. change (c :: post) with ([c] ++ post) in Cn. rewrite count_req_app in Cn.
        assert (1 <= count_req [c]) by (apply (count_req_in [c] c); simpl; auto).
        destruct Ie as [Ie|[->|Ie]]; [|auto|]; pose proof (count_req_in _ _ Ie Logic.I); lia. }
      destruct Ec as [Ec|Ec]; injection Ec as E1 E2; subst; simpl in *; congruence.
    + assert (1 <= count_req (phi C ++ store C)) by (apply (count_req_in _ c); [apply in_app_iff|]; auto). lia.
  - (* nothing is deferred *)
    exfalso. destruct H as [(Cn & _ & R' & p' & Ie & _)|(Cn & _)].
    + rewrite E in Ie. destruct Ie.
    + assert (1 <= count_req (phi C ++ store C)) by (apply (count_req_in _ (REq R Q)); [apply in_app_iff;
        auto | exact Logic.I]). lia.
Qed.

(** F14.  F5's set has a solution, and no branch succeeds: every choice of placements
    around entailed middles and of solutions for deferred equations ends badly. *)
Theorem finding_f14_no_branch_succeeds :
  (exists g, sol finding_f5 g) /\ ~ exists C, branches (initial finding_f5) C /\ phi C = [].
Proof.
  split; [exists finding_f5_solution; exact finding_f5_satisfiable|].
  intros (C & B & E).
  destruct (f14_branches _ _ B (initial_invariant _) (or_introl f14_initial)) as (K & [H|(Cn & Eq)]).
  - destruct H as (_ & _ & R & p & I & _). rewrite E in I. destruct I.
  - assert (Sa : satisfies (greatest (sigma C)) C).
    { apply (closing_top_satisfies finding_f5); auto. intros d I Rd.
      assert (1 <= count_req (phi C ++ store C)) by (apply (count_req_in _ d); [apply in_app_iff|]; auto). lia. }
    pose proof (Eq _ Sa) as E01. apply K in Sa. apply finding_f5_binding_rejects in Sa as [N _].
    apply N. simpl. rewrite ground_rvar. auto.
Qed.

(** * With the lengths fixed *)

Lemma above_all_spec : forall cs a, In (DV a) (flat_map vars_c cs) -> a < above_all cs.
Proof.
  intros cs a I. unfold above_all.
  assert (H : In a (map (fun v => match v with DV a => a | RV _ => 0 end) (flat_map vars_c cs))).
  { apply in_map_iff. exists (DV a). auto. }
  pose proof (proj1 (list_max_le _ _) (Nat.le_refl (list_max (map (fun v => match v with DV a => a | RV _ => 0
    end) (flat_map vars_c cs))))) as F.
  rewrite Forall_forall in F. specialize (F a H). lia.
Qed.

(** Values for the axes, read off the rows. *)
Definition axis_value (N : nat) (g : ground) (a : dvar) : dim :=
  if a <? N then g_d g a
  else let (p, j) := Cantor.of_nat (a - N) in
       if Nat.even j then nth (Nat.div2 j) (lead (g_r g p)) Unit else nth (Nat.div2 j) (trail (g_r g p)) Unit.

Definition spread (N : nat) (g : ground) : ground := Ground (axis_value N g) (fun _ => empty_row).

Lemma axis_value_name : forall N g p j, axis_value N g (axis_name N p j) =
  if Nat.even j then nth (Nat.div2 j) (lead (g_r g p)) Unit else nth (Nat.div2 j) (trail (g_r g p)) Unit.
Proof.
  intros N g p j. unfold axis_value, axis_name. destruct (Nat.ltb_spec (N + to_nat (p, j)) N) as [L|_]; [lia|].
  replace (N + to_nat (p, j) - N) with (to_nat (p, j)) by lia. now rewrite cancel_of_to.
Qed.

Lemma map_nth_seq : forall (l : list dim), map (fun i => nth i l Unit) (seq 0 (length l)) = l.
Proof.
  intros l; induction l as [|d l IH]; simpl; auto. f_equal.
  rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma spread_sized : forall N g vl vt p, length (lead (g_r g p)) = vl p -> length (trail (g_r g p)) = vt p ->
  ground_r (spread N g) (sized N vl vt p) = g_r g p.
Proof.
  intros N g vl vt p El Et. unfold ground_r, sized; simpl. rewrite app_nil_r, !map_map, <- El, <- Et.
  assert (A : forall i, ground_d (spread N g) (DVar (axis_name N p (2 * i))) = nth i (lead (g_r g p)) Unit).
  { intros i. cbn [ground_d spread g_d]. rewrite axis_value_name, Nat.even_mul, Nat.div2_double. reflexivity. }
  assert (B : forall i, ground_d (spread N g) (DVar (axis_name N p (2 * i + 1))) = nth i (trail (g_r g p)) Unit).
  { intros i. cbn [ground_d spread g_d]. rewrite axis_value_name, Nat.add_1_r, Nat.even_succ, Nat.div2_succ_double.
    rewrite <- Nat.negb_even, Nat.even_mul. reflexivity. }
  rewrite (map_ext _ _ A), (map_ext _ _ B), !map_nth_seq. now destruct (g_r g p).
Qed.

(** Solutions of given lengths are solutions of the set with axes put in. *)
Lemma at_lengths_solution : forall vl vt cs g, has_lengths vl vt cs g -> sol cs g ->
  sol (at_lengths vl vt cs) (spread (above_all cs) g).
Proof.
  intros vl vt cs g HL H c I. apply in_map_iff in I as (d & <- & I).
  apply def_3_4_grounding_composes. apply (agree_holds g); [|auto]. intros v J.
  assert (Iv : In v (flat_map vars_c cs)) by (apply in_flat_map; eauto).
  destruct v as [a|p]; cbn [agree_at ground_comp g_d g_r size_subst on_d on_r].
  - simpl. unfold axis_value. destruct (Nat.ltb_spec a (above_all cs)) as [|L]; [auto|].
    pose proof (above_all_spec cs a Iv). lia.
  - destruct (HL p Iv) as [El Et]. symmetry. now apply spread_sized.
Qed.

Lemma at_lengths_back : forall vl vt cs h, sol (at_lengths vl vt cs) h ->
  let g := ground_comp h (size_subst (above_all cs) vl vt) in sol cs g /\ has_lengths vl vt cs g.
Proof.
  intros vl vt cs h H g. split.
  - intros c I. apply def_3_4_grounding_composes. apply H. unfold at_lengths. now apply in_map.
  - intros p _. unfold lead_lengths, trail_lengths, g; simpl. rewrite app_nil_r, !len_map, !len_seq. auto.
Qed.

(** No row variable is left, so no step commits a placement. *)
Definition rows_closed (c : constr) : Prop :=
  match c with REq R Q | RLe R Q => tmid R = None /\ tmid Q = None | _ => True end.

Lemma rows_closed_sub : forall s c, rows_closed c -> rows_closed (sub_c s c).
Proof.
  assert (M : forall s R, tmid R = None -> tmid (sub_r s R) = None).
  { intros s R E. unfold sub_r. rewrite E. reflexivity. }
  intros s [| |R Q|R Q]; simpl; auto; intros [A B]; auto.
Qed.

Lemma step_rows_closed : forall C c r C', step C c r C' ->
  (forall d, In d (phi C ++ store C) -> rows_closed d) ->
  (forall d, In d (phi C' ++ store C') -> rows_closed d) /\ semantic_step (By_rule c r).
Proof.
  intros C c r C' S H. inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  assert (Cc : rows_closed c) by (apply H; rewrite Ep, !in_app_iff; simpl; auto).
  pose proof (outcome_emits _ _ _ _ _ F) as Em. simpl in Em.
  assert (O : semantic_step (By_rule c r) /\ forall d, In d (stores e) -> rows_closed d).
  { assert (G : forall used B c r o, fires used B c r o -> rows_closed c ->
      match o with Fails => True | Does e => semantic_step (By_rule c r) /\ forall d, In d (stores e) -> rows_closed d end).
    { clear. intros used B c r o F Cc. unfold semantic_step, commits.
      each_rule F; simpl in Cc; try (destruct Cc; congruence); try exact I; split_outcome;
        simpl; try exact I; split; auto; intros x J; try (destruct J; fail); destruct J as [<-|[]]; simpl; auto. }
    exact (G _ _ _ _ _ F Cc). }
  destruct O as [Sm St]. split; [|auto].
  assert (All : forall d, In d ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/
            In d (store C) \/ In d (stores e) -> rows_closed d).
  { intros d J. rewrite !in_app_iff in J. destruct J as [[[J|J]|[J|J]]|[J|J]]; auto;
      try (apply H; rewrite Ep, !in_app_iff; simpl; tauto).
    - apply Em in J. destruct d; simpl in *; tauto.
    - destruct (again e); [destruct J as [<-|[]]; auto | destruct J]. }
  intros d I. unfold next in I. destruct (binds e) as [b|]; simpl in I.
  - apply in_app_iff in I as [I|I]; apply in_map_iff in I as (d' & <- & I); apply rows_closed_sub, All;
      [rewrite in_app_iff, in_taken in I | rewrite in_add_bounds, filter_In in I]; tauto.
  - apply All. rewrite app_assoc, in_app_iff, in_add_bounds, <- app_assoc in I. tauto.
Qed.

Lemma run_rows_closed : forall C C', run any_step C C' -> (forall d, In d (phi C ++ store C) -> rows_closed d) ->
  run semantic_step C C' /\ (forall d, In d (phi C' ++ store C') -> rows_closed d).
Proof.
  intros C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs C'' []]; intros H; [split; [constructor | auto]|].
  destruct (step_rows_closed _ _ _ _ S H) as [H' Sm]. destruct (IH H') as [R' H'']. split; [|auto].
  eapply Run_cons; eauto.
Qed.

(** F14, repaired.  Satisfiability is satisfiability at some lengths; and for
    given lengths the solver decides, without any choice: it ends, success comes
    with a solution of these lengths, and failure means that there is none. *)
Theorem finding_f14_repaired : forall cs,
  ((exists g, sol cs g) <-> exists vl vt h, sol (at_lengths vl vt cs) h) /\
  forall vl vt, exists C, run any_step (initial (at_lengths vl vt cs)) C /\
    ((phi C = [] /\ exists g, sol cs g /\ has_lengths vl vt cs g) \/
     ((rule_fails C \/ guard_fails C) /\ ~ exists g, sol cs g /\ has_lengths vl vt cs g)).
Proof.
  intros cs. split.
  - split.
    + intros (g & H). exists (lead_lengths g), (trail_lengths g), (spread (above_all cs) g).
      apply at_lengths_solution; [|auto]. intros p _. auto.
    + intros (vl & vt & h & H). eexists. apply (at_lengths_back _ _ _ _ H).
  - intros vl vt. destruct (r1b_success_or_failure (at_lengths vl vt cs)) as (C & R & H). exists C. split; [auto|].
    destruct (run_rows_closed _ _ R) as [R' Cl].
    { intros d I. simpl in I. rewrite app_nil_r in I. apply in_map_iff in I as (c & <- & _).
      assert (M : forall T, tmid (sub_r (size_subst (above_all cs) vl vt) T) = None).
      { intros [l [p|] k]; reflexivity. }
      destruct c; simpl; auto. }
    destruct H as [E|H]; [left | right]; (split; [auto|]).
    + eexists. apply at_lengths_back. apply (cor_5_5_i_runs _ C R E). intros d I Rd.
      pose proof (closing_kept _ _ _ (run_closing _ _ _ R) (initial_invariant _)) as (_ & _ & De & _).
      specialize (De d I). specialize (Cl d (proj2 (in_app_iff _ _ _) (or_intror I))).
      destruct d; simpl in *; tauto.
    + intros (g & Hg & HL). apply (cor_5_5_ii_runs _ C R' H). eexists. apply at_lengths_solution; eauto.
Qed.
