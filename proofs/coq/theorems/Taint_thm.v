(** Untainted failures are failures of the input. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Taint.
Import ListNotations.

Lemma in_untainted : forall (A : Type) (l : list (A * bool)) x, In x (untainted l) <-> In (x, false) l.
Proof.
  intros A l x. unfold untainted. rewrite in_map_iff. split.
  - intros ([y t] & E & I). apply filter_In in I as [I N]. simpl in *. subst.
    apply negb_true_iff in N. now subst.
  - intros I. exists (x, false). split; [auto|]. apply filter_In; auto.
Qed.

Lemma in_tag_all : forall (A : Type) t (l : list A) x s, In (x, s) (tag_all t l) <-> In x l /\ s = t.
Proof.
  intros A t l x s. unfold tag_all. rewrite in_map_iff. split.
  - intros (y & E & I). injection E as -> ->. auto.
  - intros [I ->]. exists x; auto.
Qed.

Lemma tag_all_fst : forall (A : Type) t (l : list A), map fst (tag_all t l) = l.
Proof. intros; unfold tag_all. rewrite map_map. apply map_id. Qed.

Lemma var_eqb_spec : forall v w, var_eqb v w = true <-> v = w.
Proof.
  intros [a|p] [b|q]; simpl; rewrite ?Nat.eqb_eq; split; congruence.
Qed.

Lemma mentions_spec : forall v c, mentions v c = false -> ~ In v (vars_c c).
Proof.
  intros v c H I. unfold mentions in H. assert (E : existsb (var_eqb v) (vars_c c) = true).
  { apply existsb_exists. exists v. split; [auto|]. now apply var_eqb_spec. }
  congruence.
Qed.

(** * Forgetting the tags *)

Lemma erase_filter : forall (f : constr -> bool) (l : list (constr * bool)),
  map fst (filter (fun d => f (fst d)) l) = filter f (map fst l).
Proof. intros f l; induction l as [|[c t] l IH]; simpl; auto. destruct (f c); simpl; congruence. Qed.

Lemma erase_next : forall C rest c e t pl,
  erase (t_next C rest c e t pl) = next (erase C) (map fst rest) c e.
Proof.
  intros. unfold erase, t_next, next. destruct (binds e) as [b|]; simpl.
  - assert (S : forall l, map fst (map (t_substitute b t pl) l) = map (sub_c (as_subst b)) (map fst l)).
    { intros l. rewrite !map_map. reflexivity. }
    rewrite !S, !map_app, !tag_all_fst.
    rewrite (erase_filter (stored_for (bound_var b))), (erase_filter (fun d => negb (stored_for (bound_var b) d))).
    now rewrite !map_app.
  - now rewrite !map_app, !tag_all_fst.
Qed.

(** A run with tags is a run. *)
Theorem taint_erase : forall cs C, t_run (t_initial cs) C -> run any_step (initial cs) (erase C).
Proof.
  assert (E : forall C C', t_run C C' -> run any_step (erase C) (erase C')).
  { intros C C' R; induction R as [C|C C' C'' S R IH]; [constructor|].
    inversion S; subst. rewrite erase_next, map_app in IH.
    eapply Run_cons; [exact I | | exact IH]. apply (Step _ _ c _ r); auto.
    simpl. rewrite H. now rewrite map_app. }
  intros cs C R. apply E in R.
  assert (I : erase (t_initial cs) = initial cs).
  { unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst. }
  now rewrite I in R.
Qed.

(** * The invariant *)

Definition t_seen (C : tconfig) : Prop :=
  (forall d, In d (t_phi C ++ t_store C) -> forall v, In v (vars_c (fst d)) -> In v (t_used C)) /\
  (forall f, In f (t_leads C ++ t_trails C) ->
     (forall p, greater (fst f) = Some p -> In (RV p) (t_used C)) /\
     (forall p, lesser (fst f) = Some p -> In (RV p) (t_used C))).

(** [h] satisfies everything without a tag. *)
Definition t_holds (h : ground) (C : tconfig) : Prop :=
  (forall c, In (c, false) (t_phi C ++ t_store C) -> holds h c) /\
  (forall f, In (f, false) (t_leads C) -> fact_holds (lead_lengths h) f) /\
  (forall f, In (f, false) (t_trails C) -> fact_holds (trail_lengths h) f).

Lemma sub_unmentioned : forall g b c, ~ In (bound_var b) (vars_c c) ->
  (holds g (sub_c (as_subst b) c) <-> holds g c).
Proof.
  intros g b c N. rewrite <- def_3_4_grounding_composes. apply agree_holds.
  intros v I. assert (F : fixes (as_subst b) v) by (apply as_subst_other; congruence).
  unfold fixes in F. destruct v as [a|p]; simpl in *.
  - injection F as F. now rewrite F.
  - rewrite sub_rvar in F. injection F as F. now rewrite F, ground_rvar.
Qed.

Lemma step_seen : forall C C', t_step C C' -> t_seen C -> t_seen C'.
Proof.
  intros C C' S [Sv Sf]. inversion S as [C0 pre c tc post r e t pl E F Ft Fp]; subst.
  assert (Vc : forall v, In v (vars_c c) -> In v (t_used C)).
  { intros v I. apply (Sv (c, tc)); [rewrite E, !in_app_iff; simpl; auto | auto]. }
  pose proof (outcome_vars _ _ _ _ _ F) as OV. simpl in OV.
  pose proof (outcome_binding _ _ _ _ _ F Vc) as OB.
  assert (All : forall d, In d ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else []))) \/
            In d (t_store C) \/ In d (tag_all t (stores e)) ->
            forall v, In v (vars_c (fst d)) -> In v (t_used C)).
  { intros [d s] J v I. simpl in I. rewrite !in_app_iff, !in_tag_all, !in_app_iff in J.
    assert (X : In d (emits e) \/ In d (stores e) -> In v (t_used C)).
    { intros Y. apply Vc, OV, in_flat_map. exists d. rewrite in_app_iff. auto. }
    assert (Y : In (d, s) pre \/ In (d, s) post \/ In (d, s) (t_store C) -> In v (t_used C)).
    { intros Z. apply (Sv (d, s)); [|auto]. rewrite E, !in_app_iff. simpl. tauto. }
    destruct J as [[[J|J]|[[J|J] _]]|[J|[J _]]]; auto.
    destruct (again e); simpl in J; [destruct J as [<-|[]]; auto | tauto]. }
  unfold t_seen, t_next in *. destruct e as [em [b|] st ag]; simpl in *.
  - destruct OB as (Ix & _ & _). split.
    + intros d' I v J. apply in_app_iff.
      assert (exists d, d' = t_substitute b t pl d /\
        (In d ((pre ++ post) ++ tag_all t (em ++ (if ag then [c] else []))) \/ In d (t_store C) \/ In d (tag_all t st)))
        as (d & -> & D).
      { apply in_app_iff in I as [I|I]; apply in_map_iff in I as (d & <- & I); exists d; split; auto;
          apply in_app_iff in I as [I|I]; auto; apply filter_In in I; tauto. }
      simpl in J. apply vars_sub_c in J as (w & J & K).
      destruct (var_eq_dec w (bound_var b)) as [->|N].
      * right. now rewrite as_subst_self in K.
      * left. pose proof (as_subst_other b w N) as G. unfold fixes in G. rewrite G in K.
        apply vars_var_term in K. subst. eauto.
    + intros [f s] I. simpl. rewrite !in_app_iff, !in_tag_all in I.
      assert (D : In (f, s) (t_leads C ++ t_trails C) \/ In f (lead_facts c ++ trail_facts c) \/
                  In f (lead_facts_b b ++ trail_facts_b b)) by (rewrite !in_app_iff; tauto).
      destruct D as [D|[D|D]].
      * destruct (Sf _ D) as [A B]. simpl in *. split; intros p X; apply in_app_iff; left; auto.
      * destruct (facts_of_constr c f D) as [A B]. split; intros p X; apply in_app_iff; left; auto.
      * destruct (facts_of_binding b f D) as [A B].
        split; intros p X; apply in_app_iff; [destruct (A p X) as [->|]|destruct (B p X) as [->|]]; auto.
  - split.
    + intros d I v J. apply (All d); auto. rewrite app_assoc in I. rewrite !in_app_iff in *. tauto.
    + intros [f s] I. simpl. rewrite !in_app_iff, !in_tag_all in I.
      assert (D : In (f, s) (t_leads C ++ t_trails C) \/ In f (lead_facts c ++ trail_facts c))
        by (rewrite !in_app_iff; tauto).
      destruct D as [D|D]; [exact (Sf _ D)|].
      destruct (facts_of_constr c f D) as [A B]. split; intros p X; auto.
Qed.

(** Changing unused variables changes none of this. *)
Lemma t_holds_agree : forall C h k, t_seen C -> agree_on (t_used C) h k -> t_holds h C -> t_holds k C.
Proof.
  intros C h k [Sv Sf] A (Hc & Hl & Ht).
  split; [|split].
  - intros c I. apply (agree_holds h k); [|auto]. intros v J. apply A. exact (Sv _ I v J).
  - intros f I. specialize (Hl f I). destruct (Sf (f, false)) as [G L]; [apply in_app_iff; auto|].
    unfold fact_holds in *. simpl in *.
    assert (Q : forall x, (forall p, x = Some p -> In (RV p) (t_used C)) ->
              length_of (lead_lengths h) x = length_of (lead_lengths k) x).
    { intros [p|] X; simpl; auto. unfold lead_lengths. now rewrite (A (RV p) (X p eq_refl)). }
    rewrite <- (Q _ G), <- (Q _ L). exact Hl.
  - intros f I. specialize (Ht f I). destruct (Sf (f, false)) as [G L]; [apply in_app_iff; auto|].
    unfold fact_holds in *. simpl in *.
    assert (Q : forall x, (forall p, x = Some p -> In (RV p) (t_used C)) ->
              length_of (trail_lengths h) x = length_of (trail_lengths k) x).
    { intros [p|] X; simpl; auto. unfold trail_lengths. now rewrite (A (RV p) (X p eq_refl)). }
    rewrite <- (Q _ G), <- (Q _ L). exact Ht.
Qed.

(** What a step makes, given what it derives. *)
Lemma t_next_holds : forall C pre c tc post e t pl h,
  t_phi C = pre ++ (c, tc) :: post -> t_holds h C ->
  (t = false -> holds h c /\ sol (emits e ++ stores e) h) ->
  (forall b, binds e = Some b -> t = false ->
     (pl = false -> binding_holds h b) /\ binding_content h b) ->
  t_holds h (t_next C (pre ++ post) c e t pl).
Proof.
  intros C pre c tc post e t pl h E (Hc & Hl & Ht) Hn Hb.
  assert (Old : forall d, In (d, false) (pre ++ post) \/ In (d, false) (t_store C) -> holds h d).
  { intros d I. apply Hc. rewrite E, !in_app_iff in *. simpl. tauto. }
  assert (New : forall d s, In (d, s) (tag_all t (emits e ++ (if again e then [c] else []))) \/
                In (d, s) (tag_all t (stores e)) -> s = false -> holds h d).
  { intros d s I ->. rewrite !in_tag_all, !in_app_iff in I.
    assert (t = false) as -> by (destruct I as [[_ X]|[_ X]]; auto).
    destruct (Hn eq_refl) as [Hh Hd]. destruct I as [[[I|I] _]|[I _]].
    - apply Hd, in_app_iff; auto.
    - destruct (again e); simpl in I; [destruct I as [<-|[]]; auto | tauto].
    - apply Hd, in_app_iff; auto. }
  assert (Cl : t = false -> facts_hold (lead_lengths h) (lead_facts c) /\ facts_hold (trail_lengths h) (trail_facts c)).
  { intros T. apply r1a_inequality. exact (proj1 (Hn T)). }
  assert (Fin : forall d, (In (d, false) (pre ++ post) \/ In (d, false) (t_store C)) \/
      (In (d, false) (tag_all t (emits e ++ (if again e then [c] else []))) \/ In (d, false) (tag_all t (stores e))) ->
      holds h d) by (intros d [D|D]; eauto).
  unfold t_next. destruct (binds e) as [b|] eqn:Eb; simpl.
  - split; [|split].
    + intros d' I.
      assert (exists d, In (d, false) ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else [])) ++
                 t_store C ++ tag_all t (stores e)) /\ (d', false) = t_substitute b t pl (d, false))
        as (d & D & Eq).
      { simpl in I. rewrite <- map_app in I. apply in_map_iff in I as ([d s] & Eq & I).
        assert (s = false) as ->.
        { unfold t_substitute in Eq; simpl in Eq. injection Eq as _ Eq.
          apply orb_false_iff in Eq. tauto. }
        exists d. split; [|auto]. rewrite !in_app_iff in I. rewrite !in_app_iff.
        decompose [or] I; auto; match goal with X : In _ (filter _ _) |- _ => apply filter_In in X; tauto end. }
      assert (Hd : holds h d).
      { apply Fin. apply in_app_iff in D as [D|D]; [auto|]. apply in_app_iff in D as [D|D]; [auto|].
        apply in_app_iff in D as [D|D]; auto. }
      unfold t_substitute in Eq; simpl in Eq. injection Eq as -> Eq.
      destruct (mentions (bound_var b) d) eqn:Mn.
      * simpl in Eq. symmetry in Eq. apply orb_false_iff in Eq as [-> Eq].
        destruct (Hb b eq_refl eq_refl) as [Bi Bc]. destruct pl; simpl in Eq.
        -- apply lemma_5_1_substitute_content; auto. destruct d; simpl in *; auto. discriminate.
        -- apply lemma_5_1_substitute; auto.
      * apply sub_unmentioned; auto. now apply mentions_spec.
    + intros f I. simpl in I. rewrite !in_app_iff, !in_tag_all in I.
      destruct I as [I|[[I X]|[I X]]]; auto.
      * symmetry in X. apply (proj1 (Cl X)); auto.
      * symmetry in X. apply orb_false_iff in X as [-> ->].
        apply (proj1 (r1a_binding h b (proj1 (Hb b eq_refl eq_refl) eq_refl))); auto.
    + intros f I. simpl in I. rewrite !in_app_iff, !in_tag_all in I.
      destruct I as [I|[[I X]|[I X]]]; auto.
      * symmetry in X. apply (proj2 (Cl X)); auto.
      * symmetry in X. apply orb_false_iff in X as [-> ->].
        apply (proj2 (r1a_binding h b (proj1 (Hb b eq_refl eq_refl) eq_refl))); auto.
  - split; [|split].
    + intros d I. simpl in I. apply Fin. apply in_app_iff in I as [I|I]; apply in_app_iff in I as [I|I]; auto.
    + intros f I. simpl in I. rewrite in_app_iff, in_tag_all in I. destruct I as [I|[I X]]; auto.
      symmetry in X. apply (proj1 (Cl X)); auto.
    + intros f I. simpl in I. rewrite in_app_iff, in_tag_all in I. destruct I as [I|[I X]]; auto.
      symmetry in X. apply (proj2 (Cl X)); auto.
Qed.

Lemma t_step_holds : forall C C' h, t_step C C' -> t_seen C -> t_holds h C ->
  exists k, agree_on (t_used C) h k /\ t_holds k C'.
Proof.
  intros C C' h S Sn H. inversion S as [C0 pre c tc post r e t pl E F Ft Fp]; subst.
  assert (Id : agree_on (t_used C) h h) by (intros [a|p] _; reflexivity).
  destruct t.
  - (* a tainted step claims nothing *)
    exists h. split; [auto|]. eapply t_next_holds; eauto; intros; discriminate.
  - destruct (Ft eq_refl) as [-> F']. clear Ft.
    assert (Hc : holds h c) by (apply H; rewrite E, !in_app_iff; simpl; auto).
    assert (Hs : sol (untainted (t_store C)) h).
    { intros d I. apply in_untainted in I. apply H, in_app_iff; auto. }
    destruct (commits_dec c r) as [Cm|Nc].
    + destruct pl; [|destruct (Fp eq_refl Cm)].
      exists h. split; [auto|].
      apply (lemma_5_1_policy _ _ _ _ _ F' Cm h) in Hc as Ha.
      destruct Ha as (A1 & A2 & _).
      eapply t_next_holds; eauto; try discriminate.
      intros b Eb _. rewrite Eb in A2. split; [discriminate | auto].
    + assert (Hk : exists k, agree_on (t_used C) h k /\ after k c (Does e)).
      { apply (lemma_5_1_semantic _ _ _ _ _ F' Nc); auto. intros v I. simpl in I.
        apply in_app_iff in I as [I|I].
        - apply (proj1 Sn (c, false)); [rewrite E, !in_app_iff; simpl; auto | auto].
        - apply in_flat_map in I as (d & I & J). apply in_untainted in I.
          apply (proj1 Sn (d, false)); [apply in_app_iff|]; auto. }
      destruct Hk as (k & A & A1 & A2 & _). exists k. split; [auto|].
      pose proof (t_holds_agree C h k Sn A H) as Hk.
      assert (Hkc : holds k c) by (apply Hk; rewrite E, !in_app_iff; simpl; auto).
      eapply t_next_holds; eauto.
      intros b Eb _. rewrite Eb in A2. split; [auto|].
      destruct b; simpl in *; [auto|]. now rewrite A2.
Qed.

Lemma t_run_holds : forall C C', t_run C C' -> t_seen C -> forall h, t_holds h C ->
  exists k, t_holds k C'.
Proof.
  intros C C' R; induction R as [C|C C' C'' S R IH]; intros Sn h H; [eauto|].
  destruct (t_step_holds _ _ _ S Sn H) as (k & _ & Hk). apply (IH (step_seen _ _ S Sn) k Hk).
Qed.

(** What carries no tag is entailed: every solution of the input extends to one
    of all untainted constraints, bounds and facts. *)
Theorem taint_untainted_entailed : forall cs C, t_run (t_initial cs) C ->
  forall g, sol cs g -> exists h,
    sol (untainted (t_phi C)) h /\ sol (untainted (t_store C)) h /\
    facts_hold (lead_lengths h) (untainted (t_leads C)) /\
    facts_hold (trail_lengths h) (untainted (t_trails C)).
Proof.
  intros cs C R g H.
  assert (Sn : t_seen (t_initial cs)).
  { split; [|intros f []]. intros [d s] I v J. simpl in *. rewrite app_nil_r in I.
    apply in_tag_all in I as [I _]. apply in_flat_map; eauto. }
  assert (Hh : t_holds g (t_initial cs)).
  { split; [|split; intros f []]. intros c I. simpl in I. rewrite app_nil_r in I.
    apply in_tag_all in I as [I _]. auto. }
  destruct (t_run_holds _ _ R Sn g Hh) as (h & Hc & Hl & Ht). exists h.
  repeat split; intros x I; apply in_untainted in I; auto; apply Hc, in_app_iff; auto.
Qed.

(** An untainted failure of a rule: the input has no solution. *)
Theorem cor_5_5_ii_untainted : forall cs C, t_run (t_initial cs) C -> t_rule_fails C ->
  ~ exists g, sol cs g.
Proof.
  intros cs C R (c & r & I & F) (g & H).
  destruct (taint_untainted_entailed cs C R g H) as (h & Hp & Hs & _).
  apply in_untainted in I. exact (lemma_5_1_fail _ _ _ _ F h Hs (Hp c I)).
Qed.

(** A positive cycle of untainted facts: the input has no solution. *)
Theorem r1a_untainted_cycle : forall cs C, t_run (t_initial cs) C -> t_guard_fails C ->
  ~ exists g, sol cs g.
Proof.
  intros cs C R (ds & Inc & G) (g & H).
  destruct (taint_untainted_entailed cs C R g H) as (h & Hp & _ & Hl & Ht).
  assert (K : facts_hold (lead_lengths h) (flat_map lead_facts ds) /\
              facts_hold (trail_lengths h) (flat_map trail_facts ds)).
  { split; intros f J; apply in_flat_map in J as (d & J & Jf);
      apply (r1a_inequality h d); auto. }
  destruct G as [G|G]; apply (positive_cycle_infeasible _ G);
    [exists (lead_lengths h) | exists (trail_lengths h)]; apply facts_hold_app; tauto.
Qed.
