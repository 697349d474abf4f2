(** Def. 4.5 and Thm 5.2 at the left edge: the guard as the paper prints it.

    In general that guard rejects sets with a solution (F2) and lets runs go on for
    ever (F1).  Where every marker stands at the left edge it does neither, if the
    deficit rule's constraint is processed again at once.  If bindings are recorded
    in both directions (F46), runs end everywhere, in whatever order.

    Why they end: a variable grows because an operand is longer.  What it becomes is
    known to reach all that the operand's variable reaches, by facts whose weights
    come to 0 at least, and itself beside.  So each growth hands on a longer list of
    variables, and no list is longer than there are variables. *)

From Coq Require Import List Bool Arith ZArith Lia Wf_nat Permutation.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Taint Taint_thm Queue Queue_thm
  Cycle Cycle_thm Fire Fire_thm Endless Fair Endless_thm Fair_thm Termination_thm Solver Solver_thm
  Solve Solve_thm Edge Edge_thm Edge_solver_thm Edge_guard.
Import ListNotations.

(** * What is there after a step that binds *)

Lemma next_bound_permutation : forall C pre c post r e b, phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) -> binds e = Some b ->
  let C' := next C (pre ++ post) c e in
  Permutation (phi C' ++ store C')
    (map (sub_c (as_subst b)) (((if again e then [c] else []) ++ emits e) ++ pre ++ post ++ store C)).
Proof.
  intros C pre c post r e b E F Eb C'.
  assert (St0 : stores e = []) by (apply (binding_stores_nothing _ _ _ _ _ F); congruence).
  unfold C', next. rewrite Eb, St0. cbn [phi store]. rewrite add_bounds_nil, <- map_app.
  apply Permutation_map. rewrite (taken_permutation (bound_var b) (store C)), <- !app_assoc.
  assert (S : Permutation (filter (stored_for (bound_var b)) (store C) ++
                           filter (fun d => negb (stored_for (bound_var b) d)) (store C)) (store C)).
  { clear. induction (store C) as [|d l IH]; simpl; [constructor|].
    destruct (stored_for (bound_var b) d); simpl; [now apply perm_skip|].
    rewrite <- Permutation_middle. now apply perm_skip. }
  rewrite S. set (a := if again e then [c] else []).
  rewrite !app_assoc. apply Permutation_app_tail. rewrite <- !app_assoc.
  transitivity ((emits e ++ a) ++ pre ++ post).
  - rewrite (app_assoc pre post), app_assoc. rewrite <- app_assoc. rewrite Permutation_app_comm. reflexivity.
  - rewrite <- app_assoc, (Permutation_app_comm (emits e) (a ++ pre ++ post)), <- !app_assoc.
    apply Permutation_app_head. rewrite app_assoc, Permutation_app_comm. now rewrite <- ?app_assoc.
Qed.

(** * Soundness: ranks *)

Lemma rank_facts_le : forall v res op, facts_hold v (rank_facts (RLe res op)) <-> (rank_at v res >= rank_at v op)%Z.
Proof.
  intros v res op. unfold facts_hold, rank_at. simpl. split.
  - intros H. specialize (H _ (or_introl eq_refl)). unfold fact_holds, rank_fact in H; simpl in H. lia.
  - intros H f [<-|[]]. unfold fact_holds, rank_fact; simpl. lia.
Qed.

Lemma rank_facts_eq : forall v R Q, facts_hold v (rank_facts (REq R Q)) <-> rank_at v R = rank_at v Q.
Proof.
  intros v R Q. unfold facts_hold, rank_at. simpl. split.
  - intros H. pose proof (H _ (or_introl eq_refl)) as H1. pose proof (H _ (or_intror (or_introl eq_refl))) as H2.
    unfold fact_holds, rank_fact in H1, H2; simpl in H1, H2. lia.
  - intros H f [<-|[<-|[]]]; unfold fact_holds, rank_fact; simpl; lia.
Qed.

Lemma rank_model_each : forall cs v, rank_model cs v <-> forall c, In c cs -> facts_hold v (rank_facts c).
Proof.
  intros cs v. unfold rank_model, facts_hold. setoid_rewrite in_flat_map. split.
  - intros H c I f J. eauto.
  - intros H f (c & I & J). eauto.
Qed.

(** Of two closed rows nothing is asked. *)
Definition rank_fit (v : lengths) (c : constr) : Prop := closed_pair c = true \/ facts_hold v (rank_facts c).

Lemma printed_rank_model_each : forall cs v, printed_rank_model cs v <-> forall c, In c cs -> rank_fit v c.
Proof.
  intros cs v. unfold printed_rank_model, rank_fit. rewrite rank_model_each. setoid_rewrite filter_In. split.
  - intros H c I. destruct (closed_pair c) eqn:E; [auto|]. right. apply H. now rewrite E.
  - intros H c [I N]. destruct (H c I) as [E|K]; [now rewrite E in N | exact K].
Qed.

(** 5.2.1.  A rank model that compares closed rows as well is one as printed; ⋄ ⊑ ⋄[2] has none but as printed. *)
Theorem def_5_2_1_printed : (forall cs v, rank_model cs v -> printed_rank_model cs v) /\
  (forall v, printed_rank_model example_5_2_1 v) /\ ~ exists v, rank_model example_5_2_1 v.
Proof.
  split; [|split].
  - intros cs v H. apply printed_rank_model_each. intros c I. right. exact (proj1 (rank_model_each _ _) H c I).
  - intros v f [].
  - intros (v & H). specialize (H _ (or_introl eq_refl)). unfold fact_holds in H. simpl in H. lia.
Qed.

(** Ranks of a variable and its value agree. *)
Definition rank_binding (v : lengths) (b : binding) : Prop :=
  match b with BindR p R => rank_at v (rvar_term p) = rank_at v R | BindD _ _ => True end.

Lemma rank_at_sub : forall v b R, rank_binding v b -> rank_at v (sub_r (as_subst b) R) = rank_at v R.
Proof.
  intros v b [l [p|] t] H; unfold rank_at, known_rank, sub_r; cbn [tmid tlead ttrail]; [|now rewrite !len_map].
  rewrite !len_app, !len_map. destruct b as [a u|q V]; cbn [as_subst bind_d bind_r on_r]; [simpl; lia|].
  destruct (Nat.eqb_spec p q) as [->|N]; [|simpl; lia].
  unfold rank_binding, rank_at, known_rank in H. simpl in *. lia.
Qed.

Lemma rank_facts_sub : forall v b c, rank_binding v b -> facts_hold v (rank_facts c) ->
  facts_hold v (rank_facts (sub_c (as_subst b) c)).
Proof.
  intros v b [t u|t u|R Q|R Q] B H; cbn [sub_c]; try exact H.
  - rewrite rank_facts_eq in *. now rewrite !rank_at_sub.
  - rewrite rank_facts_le in *. now rewrite !rank_at_sub.
Qed.

Lemma closed_pair_sub : forall s c, closed_pair c = true -> closed_pair (sub_c s c) = true.
Proof.
  intros s [t u|t u|[l [p|] r] [l' [q|] r']|[l [p|] r] [l' [q|] r']] H; simpl in *; auto; discriminate.
Qed.

Lemma rank_fit_sub : forall v b c, rank_binding v b -> rank_fit v c -> rank_fit v (sub_c (as_subst b) c).
Proof. intros v b c B [H|H]; [left; now apply closed_pair_sub | right; now apply rank_facts_sub]. Qed.

(** Two closed rows that a rule does not reject leave only constraints between dimensions. *)
Lemma closed_pair_outcome : forall used B c r e, fires used B c r (Does e) -> closed_pair c = true ->
  stores e = [] /\ binds e = None.
Proof.
  intros used B c r e F H. each_firing F; simpl in H; try discriminate H; unfold both_closed in H;
    try (rewrite MR in H); try (rewrite MQ in H); try (rewrite Mres in H); try (rewrite Mop in H);
    try discriminate H; try (destruct (tmid res); discriminate H).
  - unfold re_closed in Eo. destruct (Nat.eqb _ _); [|discriminate Eo]. now injection Eo as <-.
  - now injection Eo as <-.
Qed.

Lemma rank_dim : forall v c, is_dim c -> facts_hold v (rank_facts c).
Proof. intros v [t u|t u|R Q|R Q] D; simpl in D; try tauto; intros f []. Qed.

(** The ranks of the sides of a constraint decide the rank of what is bound or stored. *)
Lemma rank_outcome : forall used B c r o v, fires used B c r o -> edge_c c -> facts_hold v (rank_facts c) ->
  match o with
  | Fails => True
  | Does e => (forall d, In d (stores e) -> facts_hold v (rank_facts d)) /\
      (is_req c -> forall b, binds e = Some b -> rank_binding v b)
  end.
Proof.
  assert (OC : forall v R p Q, edge_r R -> edge_r Q -> tmid R = Some p -> tmid Q = None -> rank_at v R = rank_at v Q ->
    rank_binding v (BindR p (middle R Q (placed R Q)))).
  { intros v R p Q ER EQ MR MQ H. unfold rank_binding, rank_at, middle, known_rank in *. unfold edge_r in *. cbn [tmid rvar_term tlead ttrail length] in *.
    rewrite len_firstn, len_skipn, len_firstn, len_skipn. rewrite MR, MQ, ER, EQ in H. cbn [length_of length] in H.
    unfold placed, tflat in *. rewrite ER, EQ in *. cbn [length app] in *. cbn [length_of].
    destruct (_ && _); cbn; lia. }
  assert (NE : forall v R p Q, edge_r R -> edge_r Q -> tmid R = Some p -> rank_at v R = rank_at v Q ->
    known_rank (strip R Q) = 0 -> rank_binding v (BindR p (strip Q R))).
  { intros v R p Q ER EQ MR H Z. rewrite edge_strip_lead in Z by auto.
    unfold rank_binding, rank_at in *. rewrite edge_strip_lead by auto. unfold known_rank, edge_r, common_trail in *.
    rewrite MR, ER, EQ in H. cbn [length_of length strip cut tmid rvar_term tlead ttrail] in *. lia. }
  intros used B c r o v F E H.
  pose proof (cor_5_5_iv_rules _ _ _ _ _ F E) as (N1 & N2 & _).
  each_outcome F; cbn [discard replace keep emit emit_store emit_bind grow di_pin di_pin_top di_antisym di_adj
    re_nested re_nested_sym re_deferred re_same_empty ri_cap ri_refl ri_closed_op ri_deficit stores binds];
    try congruence; (split; [intros x X; try (destruct X; fail) | intros Rc b1 X; try discriminate X]);
    try (destruct Rc; fail); try (destruct X as [<-|[]]; apply rank_dim; exact I);
    destruct E as [E1 E2]; try (injection X as <-).
  - apply OC; auto. now apply rank_facts_eq.
  - apply OC; auto. symmetry. now apply rank_facts_eq.
  - apply (NE v R p Q); auto. now apply rank_facts_eq.
  - apply (NE v Q q R); auto. symmetry. now apply rank_facts_eq.
  - destruct X as [<-|[]]. apply rank_facts_le. apply rank_facts_le in H. destruct Cv as [_ Cv].
    unfold rank_at, known_rank, residue, cut, edge_r in *. rewrite Mop in H.
    cbn [tmid tlead ttrail rvar_term length_of length] in *. rewrite E1, E2, skipn_nil, len_firstn in *.
    cbn [length] in *. lia.
Qed.

Lemma rank_fit_outcome : forall used B c r e v, fires used B c r (Does e) -> edge_c c -> rank_fit v c ->
  (forall d, In d (stores e) -> rank_fit v d) /\ (is_req c -> forall b, binds e = Some b -> rank_binding v b).
Proof.
  intros used B c r e v F E [H|H].
  - destruct (closed_pair_outcome _ _ _ _ _ F H) as [-> ->]. split; [intros d [] | discriminate].
  - destruct (rank_outcome _ _ _ _ _ v F E H) as [A K]. split; [|exact K]. intros d I. right. auto.
Qed.

(** At the left edge a printed fact says what ranks say. *)
Lemma rank_paper_edges : forall v c, edge_c c -> rank_fit v c -> facts_hold v (paper_edges c).
Proof.
  intros v c E [H|H]; destruct c as [t u|t u|R Q|R Q]; try (intros f []; fail).
  { unfold closed_pair, both_closed in H. unfold paper_edges.
    destruct (tmid R), (tmid Q); try discriminate H. intros f []. }
  apply rank_facts_le in H. destruct E as [ER EQ]. unfold paper_edges.
  destruct (tmid R) as [p|] eqn:MR, (tmid Q) as [q|] eqn:MQ; try (intros f []).
  unfold rank_at, edge_r in *. rewrite MR, MQ in H. cbn [length_of] in H.
  unfold lead_deficit, trail_deficit, known_rank in *. rewrite ER, EQ in *. cbn [length] in *.
  destruct (_ && negb _) eqn:X; intros f J; [destruct J|]. destruct J as [<-|[]].
  unfold fact_holds. cbn [greater lesser weight length_of].
  destruct (Nat.eqb_spec (0 - 0 + (length (ttrail Q) - length (ttrail R))) 0) as [Y|Y]; cbn [andb] in X.
  - apply negb_false_iff, Nat.eqb_eq in X. lia.
  - lia.
Qed.

(** The facts speak of variables that were seen. *)
Definition seen (fs : list fact) (V : list var) : Prop :=
  forall f, In f fs -> (forall p, greater f = Some p -> In (RV p) V) /\ (forall p, lesser f = Some p -> In (RV p) V).

Lemma seen_holds : forall fs V v w, seen fs V -> (forall p, In (RV p) V -> w p = v p) ->
  facts_hold v fs -> facts_hold w fs.
Proof.
  intros fs V v w S A H f I. destruct (S f I) as [G L]. specialize (H f I). unfold fact_holds in *.
  assert (X : forall y, (forall p, y = Some p -> In (RV p) V) -> length_of w y = length_of v y).
  { intros [p|] K; simpl; [|auto]. now rewrite A by auto. }
  now rewrite !X.
Qed.

Lemma paper_edges_seen : forall c, seen (paper_edges c) (vars_c c).
Proof.
  intros [t u|t u|R Q|R Q] f I; simpl in I; try tauto.
  destruct (tmid R) as [p|] eqn:MR, (tmid Q) as [q|] eqn:MQ; simpl in I; try tauto.
  destruct (_ && _); simpl in I; [tauto|]. destruct I as [<-|[]]. simpl.
  split; intros x X; injection X as <-; apply in_app_iff; auto using mid_var.
Qed.

Lemma rank_facts_seen : forall c, seen (rank_facts c) (vars_c c).
Proof.
  intros [t u|t u|R Q|R Q] f I; simpl in I; try tauto.
  - destruct I as [<-|[<-|[]]]; simpl; split; intros x X; apply in_app_iff; auto using mid_var.
  - destruct I as [<-|[]]; simpl; split; intros x X; apply in_app_iff; auto using mid_var.
Qed.

Lemma paper_recorded_seen : forall C c r e, (forall v, In v (vars_c c) -> fixes (sigma C) v /\ In v (used C)) ->
  fires (used C) (store C) c r (Does e) -> forall rest, seen (paper_recorded c e) (used (next C rest c e)).
Proof.
  intros C c r e V F rest f I. pose proof (fires_binding C c r e V F) as FB.
  unfold paper_recorded in I. apply in_app_iff in I as [I|I].
  - destruct (paper_edges_seen c f I) as [G L].
    assert (K : forall p, In (RV p) (vars_c c) -> In (RV p) (used (next C rest c e))).
    { intros p J. unfold next. destruct (binds e); cbn [used]; rewrite ?in_app_iff; [left|]; now apply V. }
    split; intros p X; apply K; auto.
  - destruct (binds e) as [[a t|p R]|] eqn:Eb; try (destruct I; fail).
    destruct (FB _ eq_refl) as (_ & U & _). cbn [bound_var] in U.
    destruct (tmid R) as [q|] eqn:M; [|destruct I]. destruct I as [<-|[]].
    unfold next. rewrite Eb. cbn [used greater lesser bound_value vars].
    split; intros x X; injection X as <-; apply in_app_iff; [auto | right; now apply mid_var].
Qed.

(** The binding read backwards speaks of the same variables. *)
Lemma backwards_recorded : forall c e f, In f (backwards e) ->
  exists h, In h (paper_recorded c e) /\ greater f = lesser h /\ lesser f = greater h.
Proof.
  intros c e f I. unfold backwards in I. unfold paper_recorded. destruct (binds e) as [[a t|p R]|]; try (destruct I; fail).
  destruct (tmid R) as [q|]; [|destruct I]. destruct I as [<-|[]].
  exists (Fact (Some p) (Some q) (Z.of_nat (known_rank R))). rewrite in_app_iff. simpl. auto.
Qed.

(** A configuration with lengths that all its constraints and all printed facts allow. *)
Definition rank_state (v : lengths) (C : config) (fs : list fact) : Prop :=
  well_formed C /\ edge_config C /\ ranked v C /\ facts_hold v fs /\ seen fs (used C).

Lemma ranked_pending : forall v C fs c, rank_state v C fs -> In c (phi C) -> facts_hold v (fs ++ paper_edges c).
Proof.
  intros v C fs c (W & EC & Rk & H & _) I. apply facts_hold_app. split; [exact H|].
  apply rank_paper_edges; [now apply (proj1 EC)|]. apply (proj1 (printed_rank_model_each _ _) Rk). rewrite in_app_iff. auto.
Qed.

(** A step keeps the rank model, extended to what is fresh, and its facts hold of it; so they do when
    the binding is read backwards. *)
Lemma rank_state_both : forall v C fs pre c post r e, rank_state v C fs -> phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) ->
  exists w, rank_state w (next C (pre ++ post) c e) (fs ++ paper_recorded c e ++ backwards e).
Proof.
  intros v C fs pre c post r e (W & EC & Rk & Fs & Sn) Ep F.
  pose proof (Step C pre c post r e Ep F) as S.
  pose proof (step_well_formed _ _ _ _ W S) as W'. pose proof (edge_step _ _ _ _ S EC) as EC'.
  destruct (step_fixed _ _ _ _ W S) as (V & _).
  assert (Ic : In c (phi C)) by (rewrite Ep, in_app_iff; simpl; auto).
  assert (Ec : edge_c c) by now apply (proj1 EC).
  assert (Rk' : forall d, In d (phi C) \/ In d (store C) -> rank_fit v d).
  { intros d I. apply (proj1 (printed_rank_model_each _ _) Rk). now rewrite in_app_iff. }
  assert (Hc : rank_fit v c) by auto.
  pose proof (outcome_emits _ _ _ _ _ F) as Em. pose proof (outcome_kinds _ _ _ _ _ F) as Ki.
  cbv beta iota in Em, Ki.
  destruct (rank_fit_outcome _ _ _ _ _ v F Ec Hc) as [St Bi].
  assert (Sn' : seen (fs ++ paper_recorded c e ++ backwards e) (used (next C (pre ++ post) c e))).
  { pose proof (paper_recorded_seen C c r e V F (pre ++ post)) as Sp.
    intros f I. apply in_app_iff in I as [I|I]; [|apply in_app_iff in I as [I|I]; [exact (Sp f I)|]].
    2: { destruct (backwards_recorded c e f I) as (h & J & G & L). destruct (Sp h J) as [Hg Hl]. rewrite G, L. auto. }
    destruct (Sn f I) as [G L]. pose proof (step_used _ _ _ _ S) as U. split; intros p X; apply U; auto. }
  (* it is enough to find lengths that agree so far and that fit the binding *)
  enough (X : exists w, (forall p, In (RV p) (used C) -> w p = v p) /\ forall b, binds e = Some b -> rank_binding w b).
  { destruct X as (w & A & B). exists w.
    assert (K : forall d, incl (vars_c d) (used C) -> rank_fit v d -> rank_fit w d).
    { intros d I [H|H]; [left; exact H | right; revert H]. apply (seen_holds _ (used C)); [|exact A].
      intros f J. destruct (rank_facts_seen d f J) as [G L]. split; intros p X; apply I; auto. }
    assert (Vs : forall d, In d (phi C) \/ In d (store C) -> incl (vars_c d) (used C)).
    { intros d I x J. destruct W as (_ & W & _). apply W. apply in_flat_map. exists d. now rewrite in_app_iff. }
    assert (Kc : rank_fit w c) by (apply K; auto).
    split; [exact W' | split; [exact EC' | split; [|split; [|exact Sn']]]].
    - apply printed_rank_model_each. intros d I. destruct (binds e) as [b|] eqn:Eb.
      + apply (Permutation_in _ (next_bound_permutation C pre c post r e b Ep F Eb)), in_map_iff in I as (d' & <- & I).
        apply rank_fit_sub; [auto|]. rewrite !in_app_iff in I.
        destruct I as [[I|I]|I].
        * destruct (again e); simpl in I; [destruct I as [<-|[]]; auto | tauto].
        * right. apply rank_dim. auto.
        * apply K; [apply Vs | apply Rk']; rewrite Ep, in_app_iff; simpl; tauto.
      + destruct Ki as [Ag _]. unfold next in I. rewrite Eb, Ag in I. cbn [phi store] in I.
        rewrite !in_app_iff, in_add_bounds in I. simpl in I.
        assert (J : In d (emits e) \/ In d (stores e) \/ In d (phi C) \/ In d (store C)).
        { rewrite Ep, in_app_iff. simpl. tauto. }
        destruct J as [J|[J|J]]; [right; apply rank_dim; auto | | apply K; auto].
        apply K; [|auto]. intros x X. apply V. pose proof (outcome_vars _ _ _ _ _ F) as OV. simpl in OV.
        apply OV, in_flat_map. exists d. rewrite in_app_iff. auto.
    - apply facts_hold_app. split; [exact (seen_holds _ _ _ _ Sn A Fs)|]. unfold paper_recorded, backwards.
      rewrite <- app_assoc. apply facts_hold_app. split; [now apply rank_paper_edges|].
      destruct (binds e) as [[a t|p R]|]; try (intros f []; fail).
      specialize (B _ eq_refl). destruct (tmid R) as [q|] eqn:M; [|intros f []].
      unfold rank_binding, rank_at in B. rewrite M in B. simpl in B.
      intros f [<-|[<-|[]]]; unfold fact_holds; simpl; lia. }
  destruct (binds e) as [[a t|p R]|] eqn:Eb.
  - exists v. split; [auto|]. intros b X. injection X as <-. exact I.
  - destruct Ki as [[Rc _]|(res & op & al & q & be & -> & -> & Em' & NC & La & Lb & Fr)].
    { exists v. split; [auto|]. intros b X. injection X as <-. now apply Bi. }
    (* the fresh variable gets what the deficit leaves *)
    assert (Uq : ~ In (RV q) (used C)) by (apply Fr; simpl; auto).
    assert (Up : In (RV p) (used C)).
    { apply V. simpl. apply in_app_iff. left. now apply mid_var. }
    exists (set_len q (v p - length be) v). split.
    + intros x I. unfold set_len. destruct (Nat.eqb_spec x q) as [->|]; [tauto | auto].
    + intros b X. injection X as <-.
      destruct Hc as [Hc|Hc]; [simpl in Hc; unfold both_closed in Hc; now rewrite Em' in Hc|].
      apply rank_facts_le in Hc. destruct Ec as [E1 E2].
      unfold rank_binding, rank_at, known_rank, grown, edge_r, lead_deficit, trail_deficit in *.
      rewrite E1, E2, Em' in *. cbn [tmid tlead ttrail rvar_term length_of length Nat.sub] in *.
      rewrite !len_map, La. unfold set_len. rewrite Nat.eqb_refl.
      destruct (Nat.eqb_spec p q) as [->|]; [tauto|].
      pose proof (length_of_nonneg v (tmid op)). lia.
  - exists v. split; [auto|]. discriminate.
Qed.

Lemma rank_state_step : forall v C fs pre c post r e, rank_state v C fs -> phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) ->
  exists w, rank_state w (next C (pre ++ post) c e) (fs ++ paper_recorded c e).
Proof.
  intros v C fs pre c post r e H Ep F. destruct (rank_state_both v C fs pre c post r e H Ep F) as (w & W & EC & Rk & Fs & Sn).
  rewrite app_assoc in Fs, Sn. exists w. split; [exact W | split; [exact EC | split; [exact Rk | split]]].
  - now apply facts_hold_app in Fs.
  - intros f I. apply Sn. rewrite in_app_iff. auto.
Qed.

Lemma rank_state_run : forall C fs C', paper_run C fs C' -> forall v es, rank_state v C es ->
  exists w, rank_state w C' (es ++ fs).
Proof.
  intros C fs C' R; induction R as [C pre c post r e Ep F|C fs C' gs C'' R IH R' IH']; intros v es H.
  - eapply rank_state_step; eauto.
  - destruct (IH v es H) as (w & Hw). destruct (IH' w (es ++ fs) Hw) as (u & Hu).
    exists u. now rewrite app_assoc.
Qed.

Lemma initial_rank_state : forall cs v, edge_set cs -> printed_rank_model cs v -> rank_state v (initial cs) [].
Proof.
  intros cs v E H. split; [apply initial_well_formed | split; [now apply edge_initial | split; [|split]]].
  - unfold ranked. simpl. now rewrite app_nil_r.
  - intros f [].
  - intros f [].
Qed.

(** What a step prints is among the trailing facts that R1 has of it. *)
Lemma edge_paper_trails : forall C c r e rest, edge_c c -> fires (used C) (store C) c r (Does e) ->
  incl (paper_recorded c e) (trails (next C rest c e)).
Proof.
  intros C c r e rest E F f I.
  assert (Eb : forall b, binds e = Some b -> edge_b b) by apply (cor_5_5_iv_rules _ _ _ _ _ F E).
  unfold paper_recorded in I. apply in_app_iff in I as [I|I].
  - assert (J : In f (trail_facts c)).
    { destruct c as [t u|t u|R Q|R Q]; simpl in I; try tauto. destruct E as [ER EQ].
      unfold trail_facts, both_closed, trail_fact, edge_r, known_rank, lead_deficit, trail_deficit, len in *.
      destruct (tmid R) as [p|], (tmid Q) as [q|]; simpl in I; try tauto. rewrite ER, EQ in I. cbn [length Nat.sub Nat.add] in I.
      destruct (_ && _) eqn:X; [destruct I|]. destruct I as [<-|[]]. left. f_equal.
      destruct (Nat.eqb_spec (length (ttrail Q) - length (ttrail R)) 0) as [Y|Y]; cbn [andb] in X; [|lia].
      apply negb_false_iff, Nat.eqb_eq in X. lia. }
    unfold next. destruct (binds e); cbn [trails]; rewrite !in_app_iff; auto.
  - destruct (binds e) as [[a t|p R]|] eqn:B; try (destruct I; fail).
    destruct (tmid R) as [q|] eqn:M; [|destruct I]. destruct I as [<-|[]].
    unfold next. rewrite B. cbn [trails trail_facts_b]. rewrite !in_app_iff. right. right. left.
    specialize (Eb _ eq_refl). simpl in Eb. unfold known_rank, edge_r, len in *. now rewrite Eb, M.
Qed.

Lemma step_trails : forall C c r C', step C c r C' -> incl (trails C) (trails C').
Proof.
  intros C c r C' S. destruct S as [C pre c post r e E F]. unfold next.
  destruct (binds e); cbn [trails]; intros f I; rewrite in_app_iff; auto.
Qed.

(** 4.5.  At the left edge every printed fact is one of the trailing facts of R1.  What R1 has there
    beside them: facts of surpluses, of closed sides, and bindings read backwards. *)
Theorem def_4_5_edge_signed : forall cs fs C, edge_set cs -> paper_run (initial cs) fs C -> incl fs (trails C).
Proof.
  intros cs fs C E R.
  enough (G : forall D, paper_run D fs C -> edge_config D -> incl fs (trails C) /\ incl (trails D) (trails C) /\ edge_config C).
  { now apply (G _ R), edge_initial. }
  clear. intros D R. induction R as [C pre c post r e Ep F|C fs C' gs C'' R IH R' IH']; intros EC.
  - pose proof (Step C pre c post r e Ep F) as S. split; [|split].
    + apply (edge_paper_trails C c r); [|exact F]. apply (proj1 EC). rewrite Ep, in_app_iff. simpl; auto.
    + exact (step_trails _ _ _ _ S).
    + exact (edge_step _ _ _ _ S EC).
  - destruct (IH EC) as (A & B & EC'). destruct (IH' EC') as (A' & B' & EC''). split; [|split; [|exact EC'']].
    + apply incl_app; [exact (incl_tran A B') | exact A'].
    + exact (incl_tran B B').
Qed.

(** 4.5.  So it holds, of ranks and of trailing lengths, of every ground that satisfies what is reached,
    wherever the markers of its values are. *)
Theorem def_4_5_edge_entailed : forall cs fs C, edge_set cs -> paper_run (initial cs) fs C ->
  forall g, satisfies g C -> facts_hold (rank_lengths g) fs /\ facts_hold (trail_lengths g) fs.
Proof.
  intros cs fs C E R g G. split.
  - exact (paper_run_facts _ _ _ R (initial_well_formed cs) (edge_initial cs E) g G).
  - intros f I. apply (r1a_recorded_facts_entailed cs C (paper_run_run _ _ _ R) g G).
    exact (def_4_5_edge_signed cs fs C E R f I).
Qed.

(** 4.5, sound failing, which F2 refutes in general: at the left edge a positive cycle of recorded
    facts, with those of what is pending or without, means that there is no rank model and so no
    solution, at the left edge or not.  Placements do not matter: they keep ranks. *)
Theorem def_4_5_edge_sound : forall cs fs C ds, edge_set cs -> paper_run (initial cs) fs C ->
  incl ds (phi C) -> positive_cycle (fs ++ flat_map paper_edges ds) ->
  (~ exists v, printed_rank_model cs v) /\ ~ exists g, sol cs g.
Proof.
  intros cs fs C ds E R Inc P.
  assert (N : ~ exists v, printed_rank_model cs v).
  { intros (v & H). destruct (rank_state_run _ _ _ R v [] (initial_rank_state cs v E H)) as (w & K). simpl in K.
    apply (positive_cycle_infeasible _ P). exists w. apply facts_hold_app. split; [apply K|].
    intros f I. apply in_flat_map in I as (c & I & J).
    exact (ranked_pending w C fs c K (Inc c I) f (in_or_app _ _ _ (or_intror J))). }
  split; [exact N|]. intros (g & G). apply N. exists (rank_lengths g).
  now apply def_5_2_1_printed, def_5_2_1_solutions_are_rank_models.
Qed.

(** F46: with bindings recorded in both directions it stays sound there. *)
Theorem finding_f46_edge_sound : forall cs fs C, edge_set cs -> both_run (initial cs) fs C -> positive_cycle fs ->
  (~ exists v, printed_rank_model cs v) /\ ~ exists g, sol cs g.
Proof.
  intros cs fs C E R P.
  assert (N : ~ exists v, printed_rank_model cs v).
  { intros (v & H). apply (initial_rank_state cs v E) in H.
    enough (G : forall D es u, both_run D fs C -> rank_state u D es -> exists w, rank_state w C (es ++ fs)).
    { destruct (G _ [] v R H) as (w & K). apply (positive_cycle_infeasible _ P). exists w. apply K. }
    clear. intros D es u R. revert es u. induction R as [C|C pre c post r e fs C' Ep F R IH]; intros es u H.
    - exists u. now rewrite app_nil_r.
    - destruct (rank_state_both u C es pre c post r e H Ep F) as (w & Hw). destruct (IH _ w Hw) as (z & Hz).
      exists z. now rewrite <- !app_assoc in Hz. }
  split; [exact N|]. intros (g & G). apply N. exists (rank_lengths g).
  now apply def_5_2_1_printed, def_5_2_1_solutions_are_rank_models.
Qed.

(** 5.2(a), the guard: on a set at the left edge with a rank model, as printed, it is never caught, in
    whatever order. *)
Theorem prop_5_2_edge_rank_model_printed : forall cs v fs C, edge_set cs -> printed_rank_model cs v ->
  paper_run (initial cs) fs C -> ~ positive_cycle fs.
Proof.
  intros cs v fs C E H R P.
  apply (proj1 (def_4_5_edge_sound cs fs C [] E R (incl_nil_l _)
                  (eq_ind_r positive_cycle P (app_nil_r fs)))). now exists v.
Qed.

(** 5.2(a).  So with one that compares closed rows. *)
Theorem prop_5_2_edge_rank_model : forall cs v fs C, edge_set cs -> rank_model cs v ->
  paper_run (initial cs) fs C -> ~ positive_cycle fs.
Proof. intros cs v fs C E H. apply (prop_5_2_edge_rank_model_printed cs v fs C E). now apply def_5_2_1_printed. Qed.

(** * Detection *)

(** ** Sums over lists of constraints *)

Definition count_rle (l : list constr) : nat := length (filter is_rleb l).

Lemma count_rle_app : forall l k, count_rle (l ++ k) = count_rle l + count_rle k.
Proof. intros l k. unfold count_rle. now rewrite filter_app, len_app. Qed.

Lemma count_rle_permutation : forall l k, Permutation l k -> count_rle l = count_rle k.
Proof. intros l k. apply filtered_permutation. Qed.

Lemma count_rle_map : forall s l, count_rle (map (sub_c s) l) = count_rle l.
Proof. intros s l; unfold count_rle; induction l as [|c l IH]; simpl; auto. destruct c; simpl; auto. Qed.

Lemma count_rle_dims : forall l, (forall c, In c l -> is_dim c) -> count_rle l = 0.
Proof.
  intros l H. unfold count_rle. induction l as [|c l IH]; simpl; auto.
  pose proof (H c (or_introl eq_refl)). destruct c; simpl in *; try tauto;
    apply IH; intros; apply H; simpl; auto.
Qed.

Lemma costs_app : forall m n reach l k, costs m n reach (l ++ k) = costs m n reach l + costs m n reach k.
Proof. intros; unfold costs. now rewrite map_app, list_sum_app. Qed.

Lemma costs_permutation : forall m n reach l k, Permutation l k -> costs m n reach l = costs m n reach k.
Proof.
  intros m n reach l k P; unfold costs; induction P as [|c l k P IH|c d l|l k j P IH P' IH']; simpl; try lia.
Qed.

Lemma costs_none : forall m n reach l, (forall c, In c l -> short c = false) -> costs m n reach l = 0.
Proof.
  intros m n reach l H. unfold costs. induction l as [|c l IH]; simpl; auto.
  unfold cost at 1. rewrite (H c) by (simpl; auto). apply IH. intros d I. apply H. simpl; auto.
Qed.

Lemma costs_map : forall m n reach reach' s l, (forall c, In c l -> cost m n reach' (sub_c s c) = cost m n reach c) ->
  costs m n reach' (map (sub_c s) l) = costs m n reach l.
Proof. intros m n reach reach' s l H. unfold costs. rewrite map_map. f_equal. now apply map_ext_in. Qed.

(** Each inequality may cost [k] more. *)
Lemma costs_more : forall m n reach reach' s k l,
  (forall c, In c l -> cost m n reach' (sub_c s c) <= cost m n reach c + if is_rleb c then k else 0) ->
  costs m n reach' (map (sub_c s) l) <= costs m n reach l + count_rle l * k.
Proof.
  intros m n reach reach' s k l H. unfold costs, count_rle. induction l as [|c l IH]; simpl; [lia|].
  pose proof (H c (or_introl eq_refl)) as Hc. assert (IH' := IH (fun d I => H d (or_intror I))). clear IH.
  destruct (is_rleb c); simpl; lia.
Qed.

Lemma dims_not_short : forall c, is_dim c -> short c = false.
Proof. intros [t u|t u|R Q|R Q] D; simpl in *; tauto. Qed.

(** What is stored is not short, and an inequality only in place of one. *)
Lemma outcome_not_short : forall used B c r o, fires used B c r o ->
  match o with
  | Fails => True
  | Does e => (forall d, In d (stores e) -> short d = false) /\ count_rle (stores e) <= count_rle [c]
  end.
Proof.
  intros used B c r o F.
  each_outcome F; cbn [discard replace keep emit emit_store emit_bind grow di_pin di_pin_top di_antisym di_adj
    re_nested re_nested_sym re_deferred re_same_empty ri_cap ri_refl ri_closed_op ri_deficit de_bind stores];
    (split; [intros x X; repeat (destruct X as [<-|X]); try (destruct X; fail); reflexivity | unfold count_rle; simpl; lia]).
Qed.

(** ** Variables that are known to be no longer *)

Lemma reaches_incl : forall fs hs u x, incl fs hs -> reaches fs u x -> reaches hs u x.
Proof. intros fs hs u x I [E|(k & W & K)]; [left; exact E | right; exists k; eauto using walk_incl]. Qed.

Lemma reaches_trans : forall fs u x y, reaches fs u x -> reaches fs x y -> reaches fs u y.
Proof.
  intros fs u x y [->|(k & W & K)] [<-|(j & V & J)]; [left; reflexivity | | |]; right; eauto.
  exists (k + j)%Z. split; [eapply walk_app; eauto | lia].
Qed.

(** One name in place of another. *)
Definition renamed (p q x : rvar) : rvar := if x =? p then q else x.

Lemma renamed_other : forall p q x, x <> p -> renamed p q x = x.
Proof. intros p q x N. unfold renamed. destruct (Nat.eqb_spec x p); congruence. Qed.

Lemma renamed_same : forall p q, renamed p q p = q.
Proof. intros p q. unfold renamed. now rewrite Nat.eqb_refl. Qed.

Lemma renamed_NoDup : forall p q l, NoDup l -> ~ In q l -> NoDup (map (renamed p q) l).
Proof.
  intros p q l N; induction N as [|x l I N IH]; intros Q; simpl; constructor.
  - intros J. apply in_map_iff in J as (y & E & J). unfold renamed in E.
    simpl in Q. destruct (Nat.eqb_spec y p) as [Ey|Ny], (Nat.eqb_spec x p) as [Ex|Nx].
    + apply I. now rewrite Ex, <- Ey.
    + apply Q. auto.
    + apply Q. right. now rewrite <- E.
    + apply I. now rewrite <- E.
  - apply IH. simpl in Q. tauto.
Qed.

(** For each open variable a list, without repetitions, of open variables that it reaches. *)
Definition reaching (fs : list fact) (L : list rvar) (reach : rvar -> list rvar) : Prop :=
  forall u, In u L -> NoDup (reach u) /\ incl (reach u) L /\ forall x, In x (reach u) -> reaches fs u x.

(** The four numbers: row equalities left; what can still grow; dimension variables left; work left. *)
Definition growth_measure (n1 n2 n3 n4 : nat) (C : config) (hs : list fact) : Prop :=
  well_formed C /\ count_req (phi C ++ store C) = n1 /\
  (exists m L reach, count_rle (phi C ++ store C) <= m /\
     (forall p, In (RV p) (open_vars C) -> In p L) /\ (forall p, In p L -> In (RV p) (used C)) /\
     reaching hs L reach /\ costs m (length L) reach (phi C ++ store C) <= n2) /\
  (exists D, (forall a, In (DV a) (open_vars C) -> In a D) /\ length D = n3) /\
  total (phi C) = n4.

Lemma growth_reset_with : forall C hs n1 n2, well_formed C ->
  count_req (phi C ++ store C) = n1 ->
  (exists m L reach, count_rle (phi C ++ store C) <= m /\
     (forall p, In (RV p) (open_vars C) -> In p L) /\ (forall p, In p L -> In (RV p) (used C)) /\
     reaching hs L reach /\ costs m (length L) reach (phi C ++ store C) <= n2) ->
  exists n3 n4, growth_measure n1 n2 n3 n4 C hs.
Proof.
  intros C hs n1 n2 W E1 E2. exists (length (dims_of (used C))), (total (phi C)).
  split; [auto | split; [auto | split; [auto | split; [|reflexivity]]]].
  exists (dims_of (used C)). split; [|auto]. intros a I. apply in_dims_of. now apply open_used.
Qed.

(** At first a variable reaches itself. *)
Lemma growth_reset : forall C hs n1, well_formed C -> count_req (phi C ++ store C) = n1 ->
  exists n2 n3 n4, growth_measure n1 n2 n3 n4 C hs.
Proof.
  intros C hs n1 W E1.
  set (m := count_rle (phi C ++ store C)). set (L := rows_of (used C)).
  exists (costs m (length L) (fun u => [u]) (phi C ++ store C)).
  apply growth_reset_with; auto. exists m, L, (fun u => [u]). split; [apply le_n|].
  split; [intros p I; apply in_rows_of; now apply open_used | split; [intros p I; now apply in_rows_of | split; [|apply le_n]]].
  intros u I. split; [repeat constructor; simpl; tauto | split].
  - intros x [<-|[]]. exact I.
  - intros x [<-|[]]. left. reflexivity.
Qed.

(** Putting in a binding of a dimension changes no length. *)
Lemma cost_sub_dim : forall m n reach a t c, cost m n reach (sub_c (bind_d a t) c) = cost m n reach c.
Proof.
  assert (G : forall a t R, tmid (sub_r (bind_d a t) R) = tmid R /\
                            length (tlead (sub_r (bind_d a t) R)) = length (tlead R) /\
                            length (ttrail (sub_r (bind_d a t) R)) = length (ttrail R)).
  { intros a t [l [p|] r]; unfold sub_r; simpl; rewrite ?len_app, ?len_map; simpl; repeat split; lia. }
  intros m n reach a t [t1 u|t1 u|R Q|R Q]; try reflexivity. unfold cost, short, height. cbn [sub_c].
  destruct (G a t R) as (_ & E2 & E3), (G a t Q) as (E4 & E5 & E6). now rewrite E2, E3, E4, E5, E6.
Qed.

(** Flanks and middles after a row variable has grown. *)
Lemma flanks_grown : forall p al q be R,
  length (tlead (sub_r (bind_r p (grown al q be)) R)) =
    length (tlead R) + (match tmid R with Some x => if x =? p then length al else 0 | None => 0 end) /\
  length (ttrail (sub_r (bind_r p (grown al q be)) R)) =
    (match tmid R with Some x => if x =? p then length be else 0 | None => 0 end) + length (ttrail R) /\
  tmid (sub_r (bind_r p (grown al q be)) R) =
    match tmid R with Some x => Some (renamed p q x) | None => None end.
Proof.
  intros p al q be [l [x|] t]; unfold sub_r, renamed; cbn [tmid ttrail tlead bind_r on_r].
  - rewrite !len_app, !len_map. destruct (x =? p); simpl; rewrite ?len_map; auto.
  - rewrite !len_map, Nat.add_0_r. auto.
Qed.

Lemma short_spec : forall res op, short (RLe res op) = false <-> covered res op.
Proof.
  intros res op. unfold short, covered. rewrite orb_false_iff, !Nat.ltb_ge. reflexivity.
Qed.

(** A result that grows keeps what it covers. *)
Lemma short_grown : forall p al q be R Q, tmid Q <> Some p ->
  short (sub_c (bind_r p (grown al q be)) (RLe R Q)) = true -> short (RLe R Q) = true.
Proof.
  intros p al q be R Q N H. destruct (short (RLe R Q)) eqn:X; [reflexivity|]. rewrite <- H. symmetry.
  apply short_spec in X as [A B]. cbn [sub_c]. apply short_spec. unfold covered.
  destruct (flanks_grown p al q be R) as (L1 & T1 & _), (flanks_grown p al q be Q) as (L2 & T2 & _).
  rewrite L1, T1, L2, T2. destruct (tmid Q) as [x|]; [|lia].
  destruct (Nat.eqb_spec x p); [congruence | lia].
Qed.

(** The heart of the matter.  [p] lacks axes that the operand has: it becomes [q] and the fresh axes.
    Then [q], too, is at least as long as the operand, and as all that the operand reaches; [p] was
    not among that, or the guard would have noticed.  So [q] reaches more than the operand did.
    Here [hs] is what the lists rest on before, [hs'] after, and [gs] what is recorded by then. *)
Lemma growth : forall C hs gs hs' pre post res op p al q be e m L reach,
  phi C = pre ++ RLe res op :: post ->
  fires (used C) (store C) (RLe res op) RI_deficit (Does e) ->
  e = Effect [] (Some (BindR p (grown al q be))) [] true -> tmid res = Some p -> ~ covered res op ->
  length al = lead_deficit res op -> length be = trail_deficit res op -> ~ In (RV q) (used C) ->
  incl hs gs -> incl (paper_recorded (RLe res op) e) gs -> incl gs hs' -> ~ positive_cycle gs ->
  (forall u, tmid op = Some u -> u <> p -> reaches hs' q u) ->
  count_rle (phi C ++ store C) <= m ->
  (forall x, In (RV x) (open_vars C) -> In x L) -> (forall x, In x L -> In (RV x) (used C)) ->
  reaching hs L reach ->
  let C' := next C (pre ++ post) (RLe res op) e in
  let L' := map (renamed p q) L in
  let reach' := fun u => if u =? q then q :: match tmid op with Some x => reach x | None => [] end
                         else map (renamed p q) (reach u) in
  reaching hs' L' reach' /\
  costs m (length L') reach' (phi C' ++ store C') < costs m (length L) reach (phi C ++ store C).
Proof.
  intros C hs gs fs' pre post res op p al q be e m L reach Ep F Ee Mp Sh La Lb Uq Inc IncR Inc' Pc Rep Cm HL1 HL2 HR
    C' L' reach'.
  assert (Pos : 0 < length al + length be).
  { rewrite La, Lb. unfold covered, lead_deficit, trail_deficit in *. lia. }
  assert (Open : forall x, In (RV x) (vars_c (RLe res op)) -> In x L).
  { intros x I. apply HL1. apply in_flat_map. exists (RLe res op). rewrite Ep, !in_app_iff. simpl. auto. }
  assert (Ip : In p L) by (apply Open; simpl; apply in_app_iff; left; now apply mid_var).
  assert (Nq : ~ In q L) by (intros I; apply Uq; auto).
  (* what is recorded *)
  assert (Rec : forall u, tmid op = Some u -> In (Fact (Some p) (Some u) (Z.of_nat (length al + length be))) gs).
  { intros u Mu. apply IncR. unfold paper_recorded. apply in_app_iff. left.
    cbn [paper_edges]. rewrite Mp, Mu, <- La, <- Lb.
    destruct (Nat.eqb_spec (length al + length be) 0) as [Z|Z]; [lia|]. cbn [andb]. simpl. auto. }
  assert (Bnd : In (Fact (Some p) (Some q) (Z.of_nat (length al + length be))) gs).
  { apply IncR. unfold paper_recorded. apply in_app_iff. right.
    rewrite Ee. cbn [binds grown tmid]. left. unfold known_rank. simpl. now rewrite !len_map. }
  (* the operand does not reach p *)
  assert (No : forall u, tmid op = Some u -> ~ In p (reach u)).
  { intros u Mu I. apply Pc. assert (Iu : In u L) by (apply Open; simpl; apply in_app_iff; right; now apply mid_var).
    destruct (HR u Iu) as (_ & _ & K). apply K in I. apply (reaches_incl _ gs) in I; [|exact Inc].
    specialize (Rec u Mu). destruct I as [->|(k & Wk & K0)].
    - exists (Some p), (Z.of_nat (length al + length be)). split; [apply Walk_one; left; exact Rec | lia].
    - exists (Some p), (Z.of_nat (length al + length be) + k)%Z. split; [|lia].
      eapply Walk_more; [left; exact Rec | exact Wk]. }
  assert (Nu : forall u, tmid op = Some u -> In u L /\ u <> p).
  { intros u Mu. split; [apply Open; simpl; apply in_app_iff; right; now apply mid_var|]. intros ->. apply Pc.
    exists (Some p), (Z.of_nat (length al + length be)). split; [apply Walk_one; left; auto | lia]. }
  assert (Iq : In q L') by (pose proof (in_map (renamed p q) L p Ip) as I; now rewrite renamed_same in I).
  assert (Il : forall x, In x L -> x <> p -> In x L').
  { intros x I N. apply (in_map (renamed p q)) in I. now rewrite (renamed_other p q x N) in I. }
  split.
  - intros x I. unfold reach'. destruct (Nat.eqb_spec x q) as [->|Nx].
    + destruct (tmid op) as [u|] eqn:Mu.
      * destruct (Nu u eq_refl) as [Iu Nup]. destruct (HR u Iu) as (ND & Iu' & Ru). specialize (No u eq_refl).
        split; [constructor; [intros J; apply Nq; auto | exact ND] | split].
        -- intros y [<-|J]; [exact Iq | apply Il; [auto | congruence]].
        -- intros y [<-|J]; [left; reflexivity|]. apply Ru in J.
           apply (reaches_incl _ fs') in J; [|exact (incl_tran Inc Inc')].
           exact (reaches_trans _ _ _ _ (Rep u eq_refl Nup) J).
      * split; [repeat constructor; simpl; tauto | split; intros y [<-|[]]; [exact Iq | left; reflexivity]].
    + assert (Ix : In x L /\ x <> p).
      { unfold L' in I. apply in_map_iff in I as (y & E & I). unfold renamed in E.
        destruct (Nat.eqb_spec y p) as [Ey|Ny]; [congruence | subst y; auto]. }
      destruct Ix as [Ix Nxp]. destruct (HR x Ix) as (ND & Ix' & Rx). split; [|split].
      * apply renamed_NoDup; [exact ND | intros J; apply Nq; auto].
      * unfold L'. intros y J. apply in_map_iff in J as (z & <- & J). apply in_map. auto.
      * intros y J. apply in_map_iff in J as (z & <- & J). apply Rx in J.
        apply (reaches_incl _ fs') in J; [|exact (incl_tran Inc Inc')].
        unfold renamed. destruct (Nat.eqb_spec z p) as [->|Nz]; [|exact J]. right.
        assert (B : edge fs' (Some p) (Some q) (Z.of_nat (length al + length be))) by (left; auto).
        destruct J as [->|(k & Wk & K)]; [congruence|].
        exists (k + Z.of_nat (length al + length be))%Z. split; [|lia]. eapply walk_app; [exact Wk | now apply Walk_one].
  - assert (Len : length L' = length L) by (unfold L'; apply len_map). rewrite Len.
    assert (P1 : Permutation (phi C' ++ store C')
      (map (sub_c (bind_r p (grown al q be))) (RLe res op :: pre ++ post ++ store C))).
    { pose proof (next_bound_permutation C pre _ post _ e _ Ep F (f_equal binds Ee)) as P.
      cbv zeta in P. fold C' in P. assert (Ea : again e = true /\ emits e = []) by now rewrite Ee.
      destruct Ea as [Ea Em]. rewrite Ea, Em in P. exact P. }
    assert (P2 : Permutation (phi C ++ store C) (RLe res op :: pre ++ post ++ store C)).
    { rewrite Ep, <- app_assoc. simpl. apply Permutation_sym, Permutation_middle. }
    rewrite (costs_permutation _ _ _ _ _ P1), (costs_permutation _ _ _ _ _ P2).
    rewrite (count_rle_permutation _ _ P2) in Cm.
    set (rest := pre ++ post ++ store C) in *. set (s := bind_r p (grown al q be)).
    set (h := height reach (RLe res op)).
    assert (Hh : h < length L).
    { unfold h, height. destruct (tmid op) as [u|] eqn:Mu.
      - destruct (Nu u eq_refl) as [Iu Nup]. destruct (HR u Iu) as (ND & Iu' & _). specialize (No u eq_refl).
        assert (X : length (p :: reach u) <= length L).
        { apply NoDup_incl_length; [now constructor|]. intros y [<-|J]; auto. }
        exact X.
      - destruct L; [destruct Ip | simpl; lia]. }
    assert (C0 : cost m (length L) reach' (sub_c s (RLe res op)) = 0).
    { unfold cost. replace (short (sub_c s (RLe res op))) with false; [reflexivity|]. symmetry.
      cbn [sub_c]. apply short_spec. unfold covered.
      destruct (flanks_grown p al q be res) as (L1 & T1 & _), (flanks_grown p al q be op) as (L2 & T2 & _).
      fold s in L1, T1, L2, T2. rewrite L1, T1, L2, T2, Mp, Nat.eqb_refl.
      unfold lead_deficit, trail_deficit in *.
      destruct (tmid op) as [u|]; [|lia]. destruct (Nu u eq_refl) as [_ N].
      apply Nat.eqb_neq in N. rewrite N. lia. }
    assert (C1 : cost m (length L) reach (RLe res op) = S m ^ (length L - h)).
    { unfold cost. fold h. destruct (short (RLe res op)) eqn:X; [reflexivity|]. apply short_spec in X. tauto. }
    set (k := S m ^ (length L - S h)).
    assert (Cr : costs m (length L) reach' (map (sub_c s) rest) <= costs m (length L) reach rest + count_rle rest * k).
    { apply costs_more. intros c I. destruct c as [t u|t u|R Q|R Q]; try (unfold cost; simpl; lia). cbn [is_rleb sub_c].
      destruct (flanks_grown p al q be Q) as (_ & _ & M2). fold s in M2.
      assert (Hx : forall x, tmid Q = Some x -> x <> q).
      { intros x Mx ->. apply Nq, HL1. apply in_flat_map. exists (RLe R Q). split.
        - apply (Permutation_in _ (Permutation_sym P2)). simpl; auto.
        - simpl. apply in_app_iff. right. now apply mid_var. }
      pose proof (short_grown p al q be R Q) as Sg. fold s in Sg. cbn [sub_c] in Sg.
      unfold cost. destruct (short (RLe (sub_r s R) (sub_r s Q))); [|lia].
      unfold height. rewrite M2. destruct (tmid Q) as [x|] eqn:Mx.
      - destruct (Nat.eqb_spec x p) as [->|Nx].
        + rewrite renamed_same. unfold reach'. rewrite Nat.eqb_refl.
          replace (length (q :: match tmid op with Some x => reach x | None => [] end)) with (S h)
            by (unfold h, height; destruct (tmid op); reflexivity).
          fold k. lia.
        + rewrite renamed_other by auto. unfold reach'. pose proof (Hx x eq_refl) as Nxq. apply Nat.eqb_neq in Nxq.
          rewrite Nxq, len_map, Sg by congruence. lia.
      - rewrite Sg by congruence. lia. }
    unfold costs in *. cbn [map list_sum fold_right] in *.
    change (fold_right Nat.add 0) with list_sum. rewrite C0, C1.
    replace (length L - h) with (S (length L - S h)) by lia. cbn [Nat.pow]. fold k.
    assert (K0 : k <> 0) by (unfold k; apply Nat.pow_nonzero; discriminate).
    unfold count_rle in Cm. cbn [filter is_rleb length] in Cm. fold (count_rle rest) in Cm.
    assert (X : count_rle rest * k <= m * k) by (apply Nat.mul_le_mono_r; lia). lia.
Qed.

(** An inequality that binds does it by the deficit rule. *)
Lemma deficit_effect : forall used B R1 R2 r e x V, fires used B (RLe R1 R2) r (Does e) -> binds e = Some (BindR x V) ->
  RI_deficit = r /\ e = Effect [] (Some (BindR x V)) [] true.
Proof.
  intros used B R1 R2 r e x V F Eb. each_firing F; try (injection Eo as <-; discriminate Eb).
  unfold ri_deficit, grow in Eo. injection Eo as <-. cbn [binds] in Eb. now rewrite Eb.
Qed.

(** After a deficit the fresh variable is known to be at least as long as the operand's. *)
Definition handed_on (c : constr) (e : effect) (hs : list fact) : Prop :=
  forall res op p al q be u, c = RLe res op -> e = Effect [] (Some (BindR p (grown al q be))) [] true ->
    tmid res = Some p -> tmid op = Some u -> u <> p ->
    length al = lead_deficit res op -> length be = trail_deficit res op -> 0 < length al + length be ->
    reaches hs q u.

(** So every step makes the numbers smaller, the first that changes deciding. *)
Lemma growth_decreases : forall n1 n2 n3 n4 C hs gs hs' pre c post r e, growth_measure n1 n2 n3 n4 C hs ->
  phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
  incl hs gs -> incl (paper_recorded c e) gs -> incl gs hs' -> ~ positive_cycle gs -> handed_on c e hs' ->
  exists m1 m2 m3 m4, growth_measure m1 m2 m3 m4 (next C (pre ++ post) c e) hs' /\
    (m1 < n1 \/ (m1 = n1 /\ (m2 < n2 \/ (m2 = n2 /\ (m3 < n3 \/ (m3 = n3 /\ m4 < n4)))))).
Proof.
  intros n1 n2 n3 n4 C hs gs hs' pre c post r e H Ep F Inc IncR Inc' Pc Ho.
  destruct H as (W & E1 & (m & L & reach & Cm & HL1 & HL2 & HR & E2) & (D & HD & E3) & E4).
  pose proof (step_well_formed _ _ _ _ W (Step C pre c post r e Ep F)) as W'.
  destruct (next_count C pre c post r e Ep F) as [Le Lt].
  set (C' := next C (pre ++ post) c e) in *.
  destruct (lt_dec (count_req (phi C' ++ store C')) n1) as [L1|L1].
  { destruct (growth_reset C' hs' _ W' eq_refl) as (m2 & m3 & m4 & St).
    eexists _, m2, m3, m4. split; [exact St | left; exact L1]. }
  assert (E1' : count_req (phi C' ++ store C') = n1) by lia. clear L1.
  pose proof (fun v => next_open_vars C pre c post r e v W Ep F) as OV. fold C' in OV.
  pose proof (outcome_kinds _ _ _ _ _ F) as K. cbv beta iota in K.
  pose proof (outcome_emits _ _ _ _ _ F) as Em. cbv beta iota in Em.
  destruct (outcome_not_short _ _ _ _ _ F) as [Ns Nc].
  assert (Ic : In c (phi C)) by (rewrite Ep, in_app_iff; simpl; auto).
  assert (Vc : forall v, In v (vars_c c) -> In v (open_vars C)).
  { intros v I. apply in_flat_map. exists c. rewrite in_app_iff. auto. }
  assert (HR' : reaching hs' L reach).
  { intros u I. destruct (HR u I) as (A & B & G). split; [auto | split; [auto|]]. intros z J.
    eapply reaches_incl; [|exact (G z J)]. exact (incl_tran Inc Inc'). }
  assert (P0 : Permutation (phi C ++ store C) (c :: pre ++ post ++ store C)).
  { rewrite Ep, <- app_assoc. simpl. apply Permutation_sym, Permutation_middle. }
  rewrite (count_rle_permutation _ _ P0) in Cm. rewrite (costs_permutation _ _ _ _ _ P0) in E2.
  change (c :: pre ++ post ++ store C) with ([c] ++ (pre ++ post ++ store C)) in Cm, E2.
  rewrite count_rle_app in Cm. rewrite costs_app in E2. set (rest := pre ++ post ++ store C) in *.
  destruct (binds e) as [[a t|p R]|] eqn:Eb.
  - (* a dimension variable is bound *)
    destruct K as (Dc & Ee & Ea & Ia & It).
    pose proof (next_bound_permutation C pre c post r e _ Ep F Eb) as P1. cbv zeta in P1. fold C' in P1.
    rewrite Ea, Ee in P1. cbn [app as_subst] in P1. fold rest in P1.
    exists n1, n2, (length (without a D)), (total (phi C')).
    split; [|right; split; [auto|]; right; split; [auto|]; left; rewrite <- E3; apply length_without; auto].
    split; [auto | split; [auto | split; [|split; [|reflexivity]]]].
    + exists m, L, reach. rewrite (count_rle_permutation _ _ P1), (costs_permutation _ _ _ _ _ P1), count_rle_map.
      split; [lia | split; [|split; [|split; [exact HR'|]]]].
      * intros p I. apply OV in I as [_ [I|I]]; [auto|]. apply HL1, Vc, It. exact I.
      * intros p I. unfold C', next. rewrite Eb. cbn [used]. apply in_app_iff; auto.
      * rewrite (costs_map m (length L) reach reach); [lia|]. intros d _. apply cost_sub_dim.
    + exists (without a D). split; [|auto]. intros x I. apply in_without.
      apply OV in I as [N I]. simpl in N, I. split; [|congruence].
      apply HD. destruct I as [I|I]; [auto | now apply Vc, It].
  - (* a row variable is bound *)
    destruct K as [[Rc _]|(res & op & al & q & be & -> & -> & Mp & NC & La & Lb & Fr)].
    { specialize (Lt Rc p R eq_refl). lia. }
    assert (Uq : ~ In (RV q) (used C)) by (apply Fr; simpl; auto).
    assert (Up : In (RV p) (open_vars C)) by (apply Vc; simpl; apply in_app_iff; left; now apply mid_var).
    assert (F' : fires (used C) (store C) (RLe res op) RI_deficit (Does e) /\
                 e = Effect [] (Some (BindR p (grown al q be))) [] true).
    { destruct (deficit_effect _ _ _ _ _ _ _ _ F Eb) as [<- Ee]. auto. }
    destruct F' as [F' Ee].
    destruct (growth C hs gs hs' pre post res op p al q be e m L reach) as [G1 G2]; auto.
    { intros u Mu N. apply (Ho res op p al q be u); auto.
      unfold covered, lead_deficit, trail_deficit in *. lia. }
    { rewrite (count_rle_permutation _ _ P0). exact Cm. }
    cbv zeta in G1, G2. fold C' in G1, G2. rewrite (costs_permutation _ _ _ _ _ P0) in G2.
    change (RLe res op :: rest) with ([RLe res op] ++ rest) in G2.
    rewrite (costs_app m (length L) reach [RLe res op] rest) in G2.
    set (reach' := fun u => if u =? q then _ else _) in G1, G2. set (L' := map (renamed p q) L) in *.
    pose proof (next_bound_permutation C pre _ post r e _ Ep F Eb) as P1. cbv zeta in P1. fold C' in P1.
    assert (Ea : again e = true /\ emits e = []) by now rewrite Ee.
    destruct Ea as [Ea Ees]. rewrite Ea, Ees in P1. cbn [app] in P1. fold rest in P1.
    destruct (growth_reset_with C' hs' n1
                (costs m (length L') reach' (phi C' ++ store C')) W' E1') as (m3 & m4 & St).
    { exists m, L', reach'. split; [|split; [|split; [|split; [exact G1 | apply le_n]]]].
      - rewrite (count_rle_permutation _ _ P1), count_rle_map. exact Cm.
      - intros x I. apply OV in I as [N [I|I]].
        + assert (Nx : x <> p) by (simpl in N; congruence).
          pose proof (in_map (renamed p q) L x (HL1 x I)) as J. now rewrite renamed_other in J.
        + cbn [bound_value vars] in I. apply no_other_row_var in I. simpl in I. injection I as <-.
          pose proof (in_map (renamed p q) L p (HL1 p Up)) as J. now rewrite renamed_same in J.
      - intros x I. unfold C', next. rewrite Eb. cbn [used]. apply in_app_iff.
        unfold L' in I. apply in_map_iff in I as (z & <- & I). unfold renamed.
        destruct (z =? p); [right; now apply (mid_var (grown al q be)) | auto]. }
    eexists n1, _, m3, m4. split; [exact St|]. right. split; [auto|]. left. lia.
  - (* nothing is bound *)
    destruct K as [Ea Ew].
    destruct (add_bounds_split (stores e) (store C)) as (new & Es & Inn & Fl).
    assert (P1 : phi C' ++ store C' = (pre ++ post ++ emits e) ++ store C ++ new).
    { unfold C', next. rewrite Eb, Ea. cbn [phi store]. now rewrite Es, app_nil_r, <- !app_assoc. }
    assert (Cn : count_rle new = count_rle (stores e)) by (unfold count_rle; now rewrite (Fl is_rleb)).
    exists n1, n2, n3, (total (phi C')). split.
    + split; [auto | split; [auto | split; [|split; [|reflexivity]]]].
      * exists m, L, reach. rewrite P1, !count_rle_app, !costs_app, Cn.
        unfold rest in Cm, E2. rewrite !count_rle_app in Cm. rewrite !costs_app in E2.
        rewrite (count_rle_dims (emits e) Em), (costs_none _ _ _ (emits e)) by (intros d I; apply dims_not_short; auto).
        rewrite (costs_none _ _ _ new) by auto.
        split; [lia | split; [intros p I; apply HL1, OV, I | split; [|split; [exact HR' | lia]]]].
        intros p I. unfold C', next. rewrite Eb. cbn [used]. auto.
      * exists D. split; [|auto]. intros a I. apply HD, OV, I.
    + right; split; [auto|]. right; split; [auto|]. right; split; [auto|].
      rewrite <- E4, Ep. unfold C', next; rewrite Eb, Ea; cbn [phi]. rewrite app_nil_r, !total_app.
      unfold total in *. simpl. lia.
Qed.

(** So what takes such steps ends. *)
Lemma growth_acc : forall (A : Type) (next_to : A -> A -> Prop) (inv : A -> Prop) (measured : A -> config * list fact),
  (forall x y, inv x -> next_to x y -> inv y) ->
  (forall x y n1 n2 n3 n4, inv x -> growth_measure n1 n2 n3 n4 (fst (measured x)) (snd (measured x)) -> next_to x y ->
     exists m1 m2 m3 m4, growth_measure m1 m2 m3 m4 (fst (measured y)) (snd (measured y)) /\
       (m1 < n1 \/ (m1 = n1 /\ (m2 < n2 \/ (m2 = n2 /\ (m3 < n3 \/ (m3 = n3 /\ m4 < n4))))))) ->
  forall x, inv x -> well_formed (fst (measured x)) -> Acc (fun y x => next_to x y) x.
Proof.
  intros A next_to inv measured Keep Dec x Ix W.
  destruct (growth_reset _ (snd (measured x)) _ W eq_refl) as (n2 & n3 & n4 & H). clear W. revert Ix.
  revert H. generalize (count_req (phi (fst (measured x)) ++ store (fst (measured x)))) as n1.
  intros n1. revert n2 n3 n4 x.
  induction n1 as [n1 I1] using lt_wf_ind. intros n2; induction n2 as [n2 I2] using lt_wf_ind.
  intros n3; induction n3 as [n3 I3] using lt_wf_ind. intros n4; induction n4 as [n4 I4] using lt_wf_ind.
  intros x H Ix. constructor. intros y S.
  destruct (Dec _ _ _ _ _ _ Ix H S) as (m1 & m2 & m3 & m4 & M & Lt).
  destruct Lt as [Lt|(-> & [Lt|(-> & [Lt|(-> & Lt)])])]; eauto.
Qed.

(** Processed again at once, the flanks are equally long, and that is recorded. *)
Lemma prompt_handed_on : forall fs c e, edge_c c -> handed_on c e (pending_facts fs (reprocessed c e)).
Proof.
  intros fs c e E res op p al q be u Ec Ee Mp Mu Nu La Lb Pos. subst c e. destruct E as [E1 E2]. unfold edge_r in E1, E2.
  right. exists 0%Z. split; [apply Walk_one; left | lia].
  unfold pending_facts, reprocessed. cbn [again binds as_subst sub_c]. rewrite in_app_iff. right.
  cbn [paper_edges]. destruct (flanks_grown p al q be res) as (L1 & T1 & M1), (flanks_grown p al q be op) as (L2 & T2 & M2).
  rewrite Mp in L1, T1, M1. rewrite Mu in L2, T2, M2. rewrite Nat.eqb_refl in L1, T1. rewrite renamed_same in M1.
  rewrite renamed_other in M2 by auto. apply Nat.eqb_neq in Nu. rewrite Nu in L2, T2.
  rewrite M1, M2. unfold lead_deficit, trail_deficit, known_rank in *. rewrite L1, T1, L2, T2.
  rewrite E1, E2 in *. cbn [length Nat.sub Nat.add] in *. rewrite La in *.
  replace (length be + length (ttrail res)) with (length (ttrail op)) by lia.
  cbn [Nat.sub Nat.add]. rewrite Nat.sub_diag, !Nat.eqb_refl. simpl. auto.
Qed.

(** From wherever a run at the left edge stands. *)
Lemma edge_acc : forall C fs now, well_formed C -> edge_config C -> Acc (fun y x => prompt_step x y) (C, fs, now).
Proof.
  intros C fs now W EC.
  apply (growth_acc turn prompt_step (fun x => edge_config (fst (fst x)))
           (fun x => (fst (fst x), pending_facts (snd (fst x)) (snd x)))); auto; clear.
  - intros x y H S. destruct S as [C fs now pre c post r e Ep F Now Pc]. cbn [fst snd] in *.
    exact (edge_step _ _ _ _ (Step C pre c post r e Ep F) H).
  - intros x y n1 n2 n3 n4 EC H S. destruct S as [C fs now pre c post r e Ep F Now Pc]. cbn [fst snd] in *.
    apply (growth_decreases n1 n2 n3 n4 C (pending_facts fs now) (fs ++ paper_recorded c e)
             (pending_facts (fs ++ paper_recorded c e) (reprocessed c e)) pre c post r e); auto.
    + intros f I. unfold pending_facts in I. apply in_app_iff in I as [I|I]; rewrite in_app_iff; [auto|right].
      destruct now as [d|]; [|destruct I]. rewrite (Now d eq_refl) in I. unfold paper_recorded. rewrite in_app_iff. auto.
    + apply incl_appr, incl_refl.
    + apply incl_appl, incl_refl.
    + apply prompt_handed_on. apply (proj1 EC). rewrite Ep, in_app_iff. simpl; auto.
Qed.

(** 5.2, which F1 and W1 refute in general: at the left edge, under the guard of Def. 4.5, every run ends
    in which the deficit rule's constraint is processed again at once, whatever is taken up otherwise. *)
Theorem prop_5_2_edge_ends : forall cs, edge_set cs -> Acc (fun y x => prompt_step x y) (initial cs, [], None).
Proof. intros cs E. apply edge_acc; [apply initial_well_formed | now apply edge_initial]. Qed.

(** 5.2D, the Detection Lemma, at the left edge: an infinite run would close a positive cycle. *)
Theorem prop_5_2_edge_no_infinite_run : forall cs (x : nat -> turn), edge_set cs -> x 0 = (initial cs, [], None) ->
  ~ forall i, prompt_step (x i) (x (S i)).
Proof.
  intros cs x E X H.
  assert (G : forall y, Acc (fun y x => prompt_step x y) y -> forall i, x i <> y).
  { intros y A; induction A as [y _ IH]. intros i Ei. apply (IH (x (S i))) with (i := S i); auto.
    rewrite <- Ei. apply H. }
  exact (G _ (prop_5_2_edge_ends cs E) 0 X).
Qed.

(** Read backwards, the binding does the same, reprocessed or not. *)
Lemma both_handed_on : forall fs c e, handed_on c e (fs ++ paper_recorded c e ++ backwards e).
Proof.
  intros fs c e res op p al q be u Ec Ee Mp Mu _ La Lb Pos. right. subst c.
  exists (- Z.of_nat (length al + length be) + Z.of_nat (length al + length be))%Z. split; [|lia].
  apply Walk_more with (y := Some p); [|apply Walk_one]; left; rewrite !in_app_iff.
  - right. right. unfold backwards. rewrite Ee. cbn [binds grown tmid]. left. unfold known_rank. simpl. now rewrite !len_map.
  - right. left. unfold paper_recorded. apply in_app_iff. left. cbn [paper_edges]. rewrite Mp, Mu, <- La, <- Lb.
    destruct (Nat.eqb_spec (length al + length be) 0) as [Z|Z]; [lia|]. cbn [andb]. simpl. auto.
Qed.

(** F46, 5.2D: with bindings recorded in both directions every run ends, on every set, at the left edge or
    not, in whatever order; the deficit rule's constraint may wait.  (Its failures refute nothing: F2.) *)
Theorem finding_f46_ends : forall cs, Acc (fun y x => both_step x y) (initial cs, []).
Proof.
  intros cs. apply (growth_acc _ both_step (fun _ => True) (fun x => x)); cbn [fst]; auto using initial_well_formed. clear.
  intros x y n1 n2 n3 n4 _ H S. destruct S as [C fs pre c post r e Ep F Pc]. cbn [fst snd] in *.
  apply (growth_decreases n1 n2 n3 n4 C fs (fs ++ paper_recorded c e ++ backwards e)
           (fs ++ paper_recorded c e ++ backwards e) pre c post r e); auto using both_handed_on, incl_refl.
  - apply incl_appl, incl_refl.
  - apply incl_appr, incl_appl, incl_refl.
Qed.

(** 5.2(a), as printed: on a set at the left edge with a rank model of 5.2.1 every run ends, in whatever order,
    without any guard.  For such a run records no positive cycle, in both directions neither. *)
Theorem prop_5_2_edge_a_printed : forall cs v, edge_set cs -> printed_rank_model cs v ->
  Acc (fun C' C => exists c r, step C c r C') (initial cs).
Proof.
  intros cs v E H. apply (initial_rank_state cs v E) in H.
  assert (G : forall x, Acc (fun y x => both_step x y) x -> forall w, rank_state w (fst x) (snd x) ->
    Acc (fun C' C => exists c r, step C c r C') (fst x)).
  { intros x A. induction A as [x _ IH]. intros w K. constructor. intros C' (c & r & S).
    destruct x as [C fs]. cbn [fst snd] in *. destruct S as [C pre c post r e Ep F].
    destruct (rank_state_both w C fs pre c post r e K Ep F) as (u & Ku).
    assert (B : both_step (C, fs) (next C (pre ++ post) c e, fs ++ paper_recorded c e ++ backwards e)).
    { apply (Both_step C fs pre c post r); auto. apply prop_4_6. exists u. apply Ku. }
    exact (IH _ B u Ku). }
  exact (G _ (finding_f46_ends cs) v H).
Qed.

(** 5.2(a).  So with one that compares closed rows. *)
Theorem prop_5_2_edge_a : forall cs v, edge_set cs -> rank_model cs v ->
  Acc (fun C' C => exists c r, step C c r C') (initial cs).
Proof. intros cs v E H. apply (prop_5_2_edge_a_printed cs v E). now apply def_5_2_1_printed. Qed.

(** * The program *)

(** ** It reprocesses at once, and records what Def. 4.5 prints *)

Lemma now_push_all : forall (A : Type) s (xs : list A) q, q_now (push_all s xs q) = q_now q.
Proof.
  intros A s xs. unfold push_all. induction xs as [|x xs IH]; intros q; simpl; [auto|].
  rewrite IH. destruct s; reflexivity.
Qed.

Lemma pop_now : forall (A : Type) s (q : queue A) x q', pop s q = Some (x, q') ->
  q_now q' = None /\ forall y, q_now q = Some y -> y = x.
Proof.
  intros A s [[y|] items later sd] x q' E; unfold pop in E; simpl in E.
  - injection E as <- <-. split; [reflexivity|]. intros z Z. now injection Z as <-.
  - split; [|discriminate]. destruct s as [| | |seed].
    + destruct items as [|z items]; [discriminate|]. now injection E as <- <-.
    + destruct (rev items) as [|z zs]; [discriminate|]. now injection E as <- <-.
    + destruct items as [|z items]; [|now injection E as <- <-].
      unfold take_front in E. destruct (rev later) as [|w ws]; [discriminate|]. now injection E as <- <-.
    + destruct items as [|z items]; [discriminate|].
      destruct (swap_remove _ _) as [[w rest]|]; [|discriminate]. now injection E as <- <-.
Qed.

Lemma carried_now : forall P s c tc e t pl, q_now (s_phi s) = None ->
  option_map fst (q_now (s_phi (carried P s c tc e t pl))) = reprocessed c e /\
  s_ranks (carried P s c tc e t pl) = s_ranks s.
Proof.
  intros P s c tc e t pl N. unfold carried, reprocessed.
  destruct (binds e) as [b|], (again e); cbn [s_phi s_ranks]; (split; [|reflexivity]);
    unfold change_all; cbn [q_now]; repeat rewrite now_push_all; unfold tagged in N |- *; rewrite ?N; reflexivity.
Qed.

Lemma note_ranks : forall s c ls ts rs t s', note s c (ls, ts, rs) t = inl s' ->
  s_ranks s' = s_ranks s ++ tag_all t rs /\
  (~ positive_cycle (map fst (s_ranks s)) -> ~ positive_cycle (map fst (s_ranks s'))).
Proof.
  intros s c ls ts rs t s' E. unfold note in E.
  destruct (record (s_leads s) ls t) as [leads|]; [|discriminate].
  destruct (record (s_trails s) ts t) as [trails|]; [|discriminate].
  destruct (record (s_ranks s) rs t) as [ranks|] eqn:R; [|discriminate].
  injection E as <-. simpl. now apply record_all in R.
Qed.

Lemma record_cycles : forall fs known t x, record known fs t = inr x -> positive_cycle (map fst known ++ fs).
Proof.
  intros fs; induction fs as [|f fs IH]; intros known t x E; simpl in E; [discriminate|].
  destruct (positive_cycleb (map fst (known ++ [(f, t)]))) eqn:P.
  - apply prop_4_6_positive_cycleb in P. eapply positive_cycle_incl; [|exact P].
    rewrite map_app. simpl. intros y I. rewrite in_app_iff in *. simpl in *. tauto.
  - apply IH in E. rewrite map_app, <- app_assoc in E. exact E.
Qed.

(** Where the printed guard objects, the recorded facts have a positive cycle. *)
Lemma note_objects : forall s c rs t f, note s c ([], [], rs) t = inr f -> positive_cycle (map fst (s_ranks s) ++ rs).
Proof.
  intros s c rs t f E. unfold note in E. simpl in E.
  destruct (record (s_ranks s) rs t) as [ranks|x] eqn:R; [discriminate|]. eapply record_cycles; eauto.
Qed.

Lemma paper_recorded_parts : forall c e, paper_recorded c e =
  paper_edges c ++ match binds e with Some b => paper_edges_b b | None => [] end.
Proof. intros c e. unfold paper_recorded. destruct (binds e) as [[a t|p R]|]; reflexivity. Qed.

(** One step under the printed guard: what it records, what is next, and why it stops. *)
Lemma step_of_paper : forall P s, guard P = Paper ->
  match step_of P s with
  | Finished => True
  | Stopped f =>
      (exists r, f_by f = By_rule r) \/
      (f_by f = By_rank /\ exists x, In x (waiting (s_phi s)) /\
         (positive_cycle (map fst (s_ranks s) ++ paper_edges (fst x)) \/
          exists r e u, fire P (s_next s) (s_store s) (fst x) = (r, Does e, u) /\
            positive_cycle (map fst (s_ranks s) ++ paper_recorded (fst x) e)))
  | Stepped d s' =>
      (forall x, q_now (s_phi s) = Some x -> fst x = d_on d) /\
      map fst (s_ranks s') = map fst (s_ranks s) ++ paper_recorded (d_on d) (d_effect d) /\
      (~ positive_cycle (map fst (s_ranks s)) -> ~ positive_cycle (map fst (s_ranks s'))) /\
      option_map fst (q_now (s_phi s')) = reprocessed (d_on d) (d_effect d)
  end.
Proof.
  intros P s G. unfold step_of. destruct (pop (order P) (s_phi s)) as [[[c tc] q]|] eqn:Po; [|exact I].
  pose proof (pop_In _ _ _ _ Po) as Ic. apply pop_now in Po as [Nq Nx].
  set (s0 := State q (s_sigma s) (s_store s) (s_next s) (s_leads s) (s_trails s) (s_ranks s)).
  unfold on_constraint. rewrite G.
  assert (By : forall s c rs t f, note s c ([], [], rs) t = inr f -> f_by f = By_rank).
  { clear. intros s c rs t f E. unfold note in E. simpl in E.
    destruct (record (s_ranks s) rs t); [discriminate|]. now injection E as <-. }
  destruct (note s0 c ([], [], paper_edges c) tc) as [s1|f] eqn:No.
  2: { right. split; [eauto|]. exists (c, tc). split; [exact Ic|]. left. exact (note_objects _ _ _ _ _ No). }
  pose proof (note_inl _ _ _ _ _ _ _ No) as (E1 & _ & E3 & E4 & _).
  apply note_ranks in No as [R1 N1]. cbn [s0 s_phi s_store s_next s_ranks] in E1, E3, E4, R1, N1.
  destruct (fire P (s_next s1) (s_store s1) c) as [[r o] u] eqn:Fi. rewrite E3, E4 in Fi.
  destruct o as [|e]; [left; exists r; reflexivity|].
  assert (Nq1 : q_now (s_phi s1) = None) by now rewrite E1.
  rewrite carry_out_cases.
  destruct (carried_now P s1 c tc e (tc || u) (commitsb c r) Nq1) as [Cn Cr].
  set (s2 := carried P s1 c tc e (tc || u) (commitsb c r)) in *.
  rewrite R1 in N1.
  destruct (binds e) as [b|] eqn:Eb.
  - unfold on_binding. rewrite G.
    destruct (note s2 c ([], [], paper_edges_b b) (tc || u || commitsb c r)) as [s3|f] eqn:No2.
    + pose proof (note_inl _ _ _ _ _ _ _ No2) as (D1 & _). apply note_ranks in No2 as [R2 N2].
      cbn [d_on d_effect]. rewrite D1, paper_recorded_parts, Eb. rewrite R2 in N2 |- *. rewrite Cr, R1 in *.
      rewrite !map_app, !tag_all_fst, <- !app_assoc in *. split; [|split; [|split]]; auto.
      intros x X. now rewrite (Nx x X).
    + right. split; [eauto|]. exists (c, tc). split; [exact Ic|]. right. exists r, e, u. split; [exact Fi|].
      apply note_objects in No2. rewrite Cr, R1, map_app, tag_all_fst, <- app_assoc in No2.
      now rewrite paper_recorded_parts, Eb.
  - cbn [d_on d_effect]. rewrite paper_recorded_parts, Eb, app_nil_r, Cr, R1 in *.
    rewrite map_app, tag_all_fst in *. split; [|split; [|split]]; auto. intros x X. now rewrite (Nx x X).
Qed.

(** ** It ends *)

Definition turn_of (s : state) (C : tconfig) : turn :=
  (erase C, map fst (s_ranks s), option_map fst (q_now (s_phi s))).

Lemma program_is_prompt : forall P s C d s', guard P = Paper -> stands_for P s C ->
  ~ positive_cycle (map fst (s_ranks s)) -> step_of P s = Stepped d s' ->
  exists C', stands_for P s' C' /\ ~ positive_cycle (map fst (s_ranks s')) /\ prompt_step (turn_of s C) (turn_of s' C').
Proof.
  intros P s C d s' G St Pc E. pose proof (step_of_paper P s G) as K. rewrite E in K.
  destruct K as (K1 & K2 & K3 & K4). specialize (K3 Pc).
  pose proof (step_of_reports P s C St) as R. rewrite E in R. destruct R as (_ & C' & R & St').
  exists C'. split; [exact St' | split; [exact K3|]]. unfold turn_of. rewrite K4, K2. rewrite K2 in K3.
  destruct R as [pre tc post Ep F _ _]. rewrite erase_next, map_app. apply (Prompt_step (erase C) _ _ _ _ _ (d_rule d)).
  - simpl. now rewrite Ep, map_app.
  - exact F.
  - intros x X. destruct (q_now (s_phi s)) as [y|] eqn:N; [|discriminate]. injection X as <-. auto.
  - exact K3.
Qed.

Lemma follows_prompt : forall P, guard P = Paper -> forall x, Acc (fun y x => prompt_step x y) x ->
  forall s C, turn_of s C = x -> stands_for P s C -> ~ positive_cycle (map fst (s_ranks s)) -> Acc (follows P) s.
Proof.
  intros P G x A; induction A as [x _ IH]; intros s C E H Pc. constructor. intros s' (d & S).
  destruct (program_is_prompt P s C d s' G H Pc S) as (C' & H' & Pc' & St).
  apply (IH (turn_of s' C')) with (C := C'); auto. now rewrite <- E.
Qed.

(** What holds of every state of the program at the left edge. *)
Definition silent_at_edge (P : policy) (s : state) : Prop := exists C, stands_for P s C /\
  well_formed (erase C) /\ edge_config (erase C) /\ ~ positive_cycle (map fst (s_ranks s)).

Lemma silent_start : forall P n cs, edge_set cs -> numbered n (flat_map vars_c cs) -> silent_at_edge P (started P n cs).
Proof.
  intros P n cs E N. exists (t_initial cs). split; [now apply start_stands|].
  assert (X : erase (t_initial cs) = initial cs).
  { unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst. }
  rewrite X. split; [apply initial_well_formed | split; [now apply edge_initial | exact no_cycle_nil]].
Qed.

Lemma silent_step : forall P s d s', guard P = Paper -> silent_at_edge P s -> step_of P s = Stepped d s' ->
  silent_at_edge P s'.
Proof.
  intros P s d s' G (C & H & W & EC & Pc) E. destruct (def_4_4_step_is_a_step P s C d s' H E) as (C' & S & H' & _).
  apply erase_step in S. pose proof (step_of_paper P s G) as K. rewrite E in K. exists C'.
  split; [auto | split; [eapply step_well_formed; eauto | split; [eapply edge_step; eauto | now apply K]]].
Qed.

Lemma silent_added : forall P s c t, silent_at_edge P s -> numbered (s_next s) (vars_c c) -> edge_c c ->
  silent_at_edge P (extended P s c t).
Proof.
  intros P s c t (C & H & W & EC & Pc) N Ec.
  set (D := given_out s C). destruct (given_out_stands P s C H W) as (Sub & HD & WD). fold D in HD, WD.
  destruct (extended_stands P s D c t HD) as [H' E].
  set (x := fold_right replaced (c, t) (s_sigma s)) in *.
  exists (t_extend D [fst x] (snd x)). split; [auto|]. rewrite erase_extend. destruct EC as (Ep & Es & Eg).
  split; [|split; [|exact Pc]].
  - apply extend_well_formed; [auto|]. intros d [<-|[]]. rewrite E. apply (sub_knows (erase D)); [auto|].
    intros v I. apply in_all_below. auto.
  - split; [|split; [exact Es | exact Eg]]. intros d I. simpl in I. apply in_app_iff in I as [I|[<-|[]]]; [auto|].
    rewrite E. now apply edge_sub_c.
Qed.

(** 5.2 for the program: with the guard as printed and any strategy it ends, from everything that is reached
    at the left edge, whatever was added there. *)
Theorem prop_5_2_edge_additions_end : forall P n cs s, guard P = Paper -> edge_set cs ->
  numbered n (flat_map vars_c cs) -> reached_at_edge P n cs s -> Acc (follows P) s.
Proof.
  intros P n cs s G E N R.
  assert (H : silent_at_edge P s).
  { induction R as [|s d s' R IH S|s c t R IH V Ec]; [now apply silent_start | eapply silent_step; eauto | now apply silent_added]. }
  destruct H as (C & H & W & EC & Pc). eapply (follows_prompt P G (turn_of s C)); eauto. now apply edge_acc.
Qed.

(** 5.2.  So it ends on every set at the left edge. *)
Theorem prop_5_2_edge_follows_ends : forall P n cs, guard P = Paper -> edge_set cs ->
  numbered n (flat_map vars_c cs) -> Acc (follows P) (started P n cs).
Proof. intros P n cs G E N. apply (prop_5_2_edge_additions_end P n cs); auto. constructor. Qed.

(** A run that ends does so within a number of steps. *)
Lemma run_for_ends : forall P s, Acc (follows P) s -> exists k ds last, run_for P k s = (ds, Some last).
Proof.
  intros P s A; induction A as [s _ IH]. destruct (step_of P s) as [|f|d s'] eqn:E.
  - exists 0, [], (Solved_at s). simpl. now rewrite E.
  - exists 0, [], (Failed_at s f). simpl. now rewrite E.
  - destruct (IH s' (ex_intro _ d E)) as (k & ds & last & R). exists (S k), (d :: ds), last. simpl. now rewrite E, R.
Qed.

(** ** What its guard says is true *)

(** Lengths that fit everything in a state. *)
Definition rank_fits (P : policy) (s : state) (v : lengths) : Prop :=
  exists C, stands_for P s C /\ rank_state v (erase C) (map fst (s_ranks s)).

Lemma rank_fits_step : forall P s v, guard P = Paper -> rank_fits P s v ->
  match step_of P s with
  | Finished => True
  | Stopped f => exists r, f_by f = By_rule r
  | Stepped d s' => exists w, rank_fits P s' w
  end.
Proof.
  intros P s v G (C & St & H). pose proof (step_of_paper P s G) as K. pose proof (step_of_reports P s C St) as R.
  destruct (step_of P s) as [|f|d s'] eqn:E; [exact I| |].
  - destruct K as [K|(_ & x & Ix & K)]; [exact K | exfalso].
    pose proof St as [(_ & Pe & _ & Es & Nu & One) _].
    assert (Ix' : In (fst x) (phi (erase C))) by (apply in_map; eapply Permutation_in; eauto).
    destruct K as [K|(r & e & u & Fi & K)].
    + apply (positive_cycle_infeasible _ K). exists v. exact (ranked_pending v _ _ _ H Ix').
    + rewrite Es in Fi. apply (def_4_3_fire_is_a_rule _ _ _ _ _ _ _ (t_used C) Nu One) in Fi as [F _].
      apply in_split in Ix' as (pre & post & Ep).
      destruct (rank_state_step v (erase C) _ pre (fst x) post r e H Ep F) as (w & Hw).
      apply (positive_cycle_infeasible _ K). exists w. apply Hw.
  - destruct K as (_ & K2 & _). destruct R as (_ & C' & R & St'). destruct R as [pre tc post Ep F _ _].
    destruct (rank_state_step v (erase C) (map fst (s_ranks s)) (map fst pre) (d_on d) (map fst post) (d_rule d) (d_effect d))
      as (w & Hw); [exact H | simpl; now rewrite Ep, map_app | exact F|].
    exists w. eexists. split; [exact St'|]. now rewrite erase_next, map_app, K2.
Qed.

Lemma rank_fits_steps : forall P s ds s', steps P s ds s' -> guard P = Paper ->
  (exists v, rank_fits P s v) -> exists v, rank_fits P s' v.
Proof.
  intros P s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros G (v & H); [eauto|].
  apply IH; [exact G|]. pose proof (rank_fits_step P s v G H) as K. now rewrite E in K.
Qed.

(** 4.5 for the program: where the printed guard stops it on a set at the left edge, there is no rank
    model, and no solution at all. *)
Theorem def_4_5_edge_program_sound : forall P n cs ds s f, guard P = Paper -> edge_set cs ->
  numbered n (flat_map vars_c cs) -> steps P (started P n cs) ds s -> step_of P s = Stopped f ->
  (forall r, f_by f <> By_rule r) -> (~ exists v, printed_rank_model cs v) /\ ~ exists g, sol cs g.
Proof.
  intros P n cs ds s f G E N R D Nr.
  assert (X : ~ exists v, printed_rank_model cs v).
  { intros (v & H). destruct (rank_fits_steps P _ _ _ R G) as (w & K).
    - exists v, (t_initial cs). split; [now apply start_stands|].
      replace (erase (t_initial cs)) with (initial cs).
      + now apply initial_rank_state.
      + unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst.
    - pose proof (rank_fits_step P s w G K) as Y. rewrite D in Y. destruct Y as (r & Y). exact (Nr r Y). }
  split; [exact X|]. intros (g & Hg). apply X. exists (rank_lengths g).
  now apply def_5_2_1_printed, def_5_2_1_solutions_are_rank_models.
Qed.

(** 4.5 and 5.2 together: with the guard as printed and any strategy, the program decides whether a set at
    the left edge has a solution there, and finds the greatest one. *)
Theorem prop_5_2_edge_decides : forall P n cs, guard P = Paper -> edge_set cs -> numbered n (flat_map vars_c cs) ->
  exists k ds last, run_for P k (started P n cs) = (ds, Some last) /\
  match last with
  | Solved_at s => edge_sol cs (greatest (s_subst s)) /\
      forall g, edge_sol cs g -> forall v, In v (flat_map vars_c cs) -> below_at g (greatest (s_subst s)) v
  | Failed_at s f => (~ exists g, edge_sol cs g) /\
      ((forall r, f_by f <> By_rule r) -> (~ exists v, printed_rank_model cs v) /\ ~ exists g, sol cs g)
  end.
Proof.
  intros P n cs G E N. destruct (run_for_ends P _ (prop_5_2_edge_follows_ends P n cs G E N)) as (k & ds & last & R).
  exists k, ds, last. split; [exact R|].
  apply def_4_4_run_for_steps in R as (s & R & L). destruct (L last eq_refl) as [-> D].
  pose proof (cor_5_5_iv_program P n cs ds _ E N R) as K. rewrite D in K.
  destruct last as [s|s f]; [exact K|]. split; [exact K|].
  intros Nr. exact (def_4_5_edge_program_sound P n cs ds s f G E N R D Nr).
Qed.

(** 5.2(a), (b) at the left edge: with a rank model, as printed, the program ends and its guard is silent;
    without one, also without one that compares closed rows, it fails. *)
Theorem prop_5_2_edge_a_b_printed : forall P n cs, guard P = Paper -> edge_set cs -> numbered n (flat_map vars_c cs) ->
  exists k ds last, run_for P k (started P n cs) = (ds, Some last) /\
  ((exists v, printed_rank_model cs v) -> forall s f, last = Failed_at s f -> exists r, f_by f = By_rule r) /\
  ((~ exists v, rank_model cs v) -> exists s f, last = Failed_at s f) /\
  ((~ exists v, printed_rank_model cs v) -> exists s f, last = Failed_at s f).
Proof.
  intros P n cs G E N. destruct (prop_5_2_edge_decides P n cs G E N) as (k & ds & last & R & K).
  exists k, ds, last. split; [exact R|]. split.
  - intros V s f ->. destruct K as [_ K]. destruct (f_by f) as [r| | |]; [eauto| | |];
      exfalso; (apply (proj1 (K ltac:(discriminate))); exact V).
  - enough (B : (~ exists v, rank_model cs v) -> exists s f, last = Failed_at s f).
    { split; [exact B|]. intros V. apply B. intros (v & H). apply V. exists v. now apply def_5_2_1_printed. }
    intros V. destruct last as [s|s f]; [|eauto]. exfalso. apply V. destruct K as [[_ K] _].
    exists (rank_lengths (greatest (s_subst s))). now apply def_5_2_1_solutions_are_rank_models.
Qed.

(** 5.2(a), (b).  So with rank models that compare closed rows. *)
Theorem prop_5_2_edge_a_b : forall P n cs, guard P = Paper -> edge_set cs -> numbered n (flat_map vars_c cs) ->
  exists k ds last, run_for P k (started P n cs) = (ds, Some last) /\
  ((exists v, rank_model cs v) -> forall s f, last = Failed_at s f -> exists r, f_by f = By_rule r) /\
  ((~ exists v, rank_model cs v) -> exists s f, last = Failed_at s f).
Proof.
  intros P n cs G E N. destruct (prop_5_2_edge_a_b_printed P n cs G E N) as (k & ds & last & R & A & B & _).
  exists k, ds, last. split; [exact R | split; [|exact B]]. intros (v & H). apply A. exists v. now apply def_5_2_1_printed.
Qed.

(** * Reprocessing later *)

(** The two inequalities at step n: the first lacks one axis, the second none. *)
Lemma later_shape : forall n, exists A B A' B',
  phi (later_config n) = [RLe (RTerm [] (Some n) A) (RTerm [] (Some (S n)) B);
                          RLe (RTerm [] (Some (S n)) A') (RTerm [] (Some n) B')] /\
  store (later_config n) = [] /\ length B = S (length A) /\ length B' = length A' /\
  forall v, In v (used (later_config n)) -> match v with DV a => a < n | RV p => p <= S n end.
Proof.
  intros n; induction n as [|n (A & B & A' & B' & Ep & Es & L & L' & U)].
  - exists [], [two], [], []. repeat split. intros v I. simpl in I. decompose [or] I; subst; try tauto; lia.
  - assert (Nn : (S n =? n) = false) by (apply Nat.eqb_neq; lia).
    exists A', (DVar n :: B'), (DVar n :: A), B.
    cbn [later_config]. unfold perform, taken_up. rewrite Ep. cbn [fst snd firstn skipn nth app].
    unfold next. cbn [later_effect binds emits again stores phi store used]. rewrite Es, taken_nil.
    cbn [app map sub_c as_subst bound_var filter add_bounds fold_left].
    unfold sub_r. cbn [tmid tlead ttrail bind_r on_r map app]. rewrite Nat.eqb_refl, Nn.
    cbn [grown rvar_term tlead tmid ttrail map app].
    assert (M : forall l, map (sub_d (bind_r n (grown [] (S (S n)) [n]))) l = l) by (intros l; apply map_sub_dvars).
    unfold bind_r in M. cbn [grown map] in M. rewrite !M. cbn [length].
    split; [reflexivity | split; [reflexivity | split; [lia | split; [lia|]]]].
    intros v I. apply in_app_iff in I as [I|I]; [apply U in I; destruct v; lia|].
    simpl in I. destruct I as [<-|[<-|[]]]; lia.
Qed.

(** 4.5, 5.2: at once is needed.  <p> ⊑ <q>[2], <q> ⊑ <p> has no rank model.  First in, first out, with the
    constraint of the deficit rule at the back, each line is looked at again only when its operand has
    grown; so flanks are never equally long, all edges lead to younger variables, and a fair run goes on
    for ever. *)
Theorem def_4_5_edge_later : edge_set example_4_5_later /\ (~ exists v, rank_model example_4_5_later v) /\
  infinite_run example_4_5_later later_config (fun _ => 0) later_edges /\
  fair later_config (fun _ => 0) /\ never_caught later_edges.
Proof.
  split; [now apply edgeb_spec | split; [|split; [|split]]].
  - intros (v & H). apply rank_model_each with (c := RLe (rvar_term 0) (RTerm [] (Some 1) [two])) in H as H1; [|simpl; auto].
    apply rank_model_each with (c := RLe (rvar_term 1) (rvar_term 0)) in H as H2; [|simpl; auto].
    apply rank_facts_le in H1, H2. unfold rank_at, known_rank in *. simpl in *. lia.
  - split; [reflexivity|]. intros n. destruct (later_shape n) as (A & B & A' & B' & Ep & Es & L & L' & U).
    set (c := RLe (RTerm [] (Some n) A) (RTerm [] (Some (S n)) B)) in *.
    set (d := RLe (RTerm [] (Some (S n)) A') (RTerm [] (Some n) B')) in *.
    assert (F : fires (used (later_config n)) (store (later_config n)) c RI_deficit (Does (later_effect n))).
    { apply (F_ri_deficit _ _ _ _ n [] (S (S n)) [n]).
      - unfold covered; simpl. lia.
      - reflexivity.
      - reflexivity.
      - unfold trail_deficit. simpl. lia.
      - repeat constructor; simpl; intuition discriminate.
      - intros v [<-|[<-|[]]] J; apply U in J; lia. }
    pose proof (Notes (later_config n) [] c [d] RI_deficit (later_effect n) Ep F) as N.
    assert (Er : paper_recorded c (later_effect n) = later_edges n).
    { unfold paper_recorded, later_edges, c. cbn [paper_edges tmid later_effect binds grown].
      unfold lead_deficit, trail_deficit, known_rank. cbn [tlead ttrail length map].
      replace (0 - 0 + (length B - length A)) with 1 by lia. reflexivity. }
    rewrite Er in N. cbn [later_config]. unfold perform, taken_up. rewrite Ep. exact N.
  - intros n j J. destruct (later_shape n) as (A & B & A' & B' & Ep & _). rewrite Ep in J. simpl in J.
    assert (X : j = 0 \/ j = 1) by lia. destruct X as [->| ->]; [exact (Up_now (fun _ => 0) n)|].
    apply Up_later; [discriminate|]. exact (Up_now (fun _ => 0) (S n)).
  - intros n. apply prop_4_6. exists (fun p => n + 2 - p). intros f I.
    apply in_flat_map in I as (k & K & I). apply in_seq in K.
    destruct I as [<-|[<-|[]]]; unfold fact_holds; cbn [greater lesser weight length_of]; lia.
Qed.

(** 4.5, 5.2.  The program, which processes it at once, fails on this set under every strategy. *)
Theorem def_4_5_edge_at_once : forall P, guard P = Paper ->
  exists k ds s f, run_for P k (started P 2 example_4_5_later) = (ds, Some (Failed_at s f)).
Proof.
  intros P G.
  destruct (prop_5_2_edge_a_b P 2 example_4_5_later G) as (k & ds & last & R & _ & K).
  - now apply edgeb_spec.
  - intros v I. simpl in I. decompose [or] I; subst; simpl; try tauto; lia.
  - destruct (K (proj1 (proj2 def_4_5_edge_later))) as (s & f & ->). eauto.
Qed.

(** * Just outside *)

Lemma prompt_at : forall C fs now pre c post r e gs, phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) -> (forall d, now = Some d -> d = c) ->
  fs ++ paper_recorded c e = gs -> ~ positive_cycle gs ->
  prompt_step (C, fs, now) (next C (pre ++ post) c e, gs, reprocessed c e).
Proof. intros C fs now pre c post r e gs Ep F N <- P. now apply (Prompt_step C fs now pre c post r e). Qed.

(** F1's round reprocesses at once. *)
Lemma f1_prompt_round : forall k fs, ~ positive_cycle (fs ++ f1_edges k) -> exists x y z,
  prompt_step (f1_config k, fs, None) x /\ prompt_step x y /\ prompt_step y z /\
  prompt_step z (f1_config (S k), fs ++ f1_edges k, None).
Proof.
  intros k fs Pc. destruct (f1_config_shape k) as (Ep & Es & Eu). cbn [f1_config]. unfold f1_round.
  set (C1 := next (f1_config k) ([] ++ []) (f1_pending k) (f1_grow k)).
  assert (Nk : (S k =? k) = false) by (apply Nat.eqb_neq; lia).
  assert (P1 : phi C1 = [f1_again k; f1_returned k]).
  { unfold C1, next; simpl. rewrite Es, taken_one. simpl. unfold f1_pending, f1_cap, is_mid; simpl.
    rewrite !Nat.eqb_refl. simpl. unfold sub_r; simpl. rewrite ?Nat.eqb_refl.
    replace (match k with 0 => false | S m' => k =? m' end) with (S k =? k) by reflexivity.
    rewrite ?Nk. reflexivity. }
  assert (Q1 : reprocessed (f1_pending k) (f1_grow k) = Some (f1_again k)).
  { unfold reprocessed, f1_grow, f1_pending, f1_again. cbn [again binds as_subst sub_c]. unfold sub_r.
    cbn [tmid tlead ttrail bind_r on_r]. rewrite Nat.eqb_refl, Nk. reflexivity. }
  set (C2 := next C1 ([] ++ [f1_returned k]) (f1_again k) (f1_align k)).
  assert (P2 : phi C2 = [f1_returned k; DLe (DVar k) three]) by reflexivity.
  set (C3 := next C2 ([f1_returned k] ++ []) (DLe (DVar k) three) (f1_pin k)).
  assert (P3 : phi C3 = [f1_returned k; DEq (DVar k) three]) by reflexivity.
  exists (C1, fs ++ f1_edges k, Some (f1_again k)), (C2, fs ++ f1_edges k, None), (C3, fs ++ f1_edges k, None).
  split; [|split; [|split]].
  - rewrite <- Q1. apply (prompt_at _ _ _ [] (f1_pending k) [] RI_deficit); try discriminate; auto.
    apply (F_ri_deficit _ _ _ _ k [] (S (S k)) [k]); try reflexivity.
    + unfold covered; simpl; lia.
    + repeat constructor; simpl; intuition discriminate.
    + intros v [<-|[<-|[]]] J; apply Eu in J; simpl in J; lia.
  - apply (prompt_at _ _ _ [] (f1_again k) [f1_returned k] RI_cap); auto.
    + apply (F_ri_cap _ _ (RTerm [two] (Some (S (S k))) [DVar k]) (RTerm [] (Some (S k)) [three]) (S k));
        [unfold covered; simpl; lia | reflexivity | discriminate].
    + intros d X. now injection X as <-.
    + unfold paper_recorded. simpl. apply app_nil_r.
  - apply (prompt_at _ _ _ [f1_returned k] (DLe (DVar k) three) [] DI_pin); try discriminate; auto.
    + apply F_di_pin; exact I.
    + apply app_nil_r.
  - apply (prompt_at _ _ _ [f1_returned k] (DEq (DVar k) three) [] DE_bind); try discriminate; auto.
    + apply F_de_bind; discriminate.
    + apply app_nil_r.
Qed.

(** F1.  One axis before a marker is enough: on F1's set, which has a rank model, runs under the guard of
    Def. 4.5 go on for ever though the deficit rule's constraint is processed again at once. *)
Theorem finding_f1_at_once : rank_model finding_f1 (fun _ => 0) /\
  ~ Acc (fun y x => prompt_step x y) (initial finding_f1, [], None).
Proof.
  split; [apply finding_f1_rank_model_but_unsatisfiable|].
  assert (Pc : forall k, ~ positive_cycle (flat_map f1_edges (seq 0 k))).
  { intros k. apply prop_4_6. exists (fun p => k + 2 - p). intros f J.
    apply in_flat_map in J as (i & K & J). apply in_seq in K.
    destruct J as [<-|[<-|[]]]; unfold fact_holds; simpl; lia. }
  set (start := fun k => (f1_config k, flat_map f1_edges (seq 0 k), @None constr)).
  assert (Ro : forall k, exists x y z, prompt_step (start k) x /\ prompt_step x y /\ prompt_step y z /\
                         prompt_step z (start (S k))).
  { intros k. unfold start.
    assert (E : flat_map f1_edges (seq 0 (S k)) = flat_map f1_edges (seq 0 k) ++ f1_edges k).
    { rewrite seq_S, flat_map_app. reflexivity. }
    rewrite E. apply f1_prompt_round. rewrite <- E. apply Pc. }
  assert (G : forall x, Acc (fun y x => prompt_step x y) x -> forall k, x <> start k).
  { intros x A.
    enough (H : forall k y z, x <> start k /\ ~ (prompt_step x (start k)) /\
                  ~ (prompt_step x y /\ prompt_step y (start k)) /\
                  ~ (prompt_step x y /\ prompt_step y z /\ prompt_step z (start k)))
      by (intros k; apply (H k x x)).
    induction A as [x _ IH]. intros k y z. split; [|split; [|split]].
    - intros ->. destruct (Ro k) as (a & b & c & S1 & S2 & S3 & S4).
      destruct (IH a S1 (S k) b c) as (_ & _ & _ & N). apply N. auto.
    - intros S1. now destruct (IH _ S1 k y y) as [N _].
    - intros [S1 S2]. now destruct (IH _ S1 k y y) as (_ & N & _).
    - intros (S1 & S2 & S3). destruct (IH _ S1 k z z) as (_ & _ & N & _). auto. }
  intros [A]. assert (A0 : Acc (fun y x => prompt_step x y) (start 0)); [|exact (G _ A0 0 eq_refl)].
  apply A. unfold start. cbn [f1_config].
  apply (prompt_at _ _ _ [] (f1_cap 0) [f1_pending 0] RI_cap); try discriminate; auto.
  apply (F_ri_cap _ _ (RTerm [two] (Some 1) []) (rvar_term 0) 0); [unfold covered; simpl; lia | reflexivity | discriminate].
Qed.
