(** 5.5(iv) for the solver that runs: at the left edge no policy changes what it says. *)

From Coq Require Import List Bool Arith ZArith Lia Permutation.
From Lozenge Require Import Dim Row Term Semantics Rules Rules_thm Guard Guard_thm Solved Solved_thm
  Runs Runs_thm Taint Taint_thm Queue Queue_thm Cycle Cycle_thm Fire Fire_thm Solver Solver_thm Solve Solve_thm
  Exact Edge Edge_thm.
Import ListNotations.

(** * What the guards record *)

Definition noted_hold (g : ground) (n : noted) : Prop :=
  let '(ls, ts, rs) := n in
  facts_hold (lead_lengths g) ls /\ facts_hold (trail_lengths g) ts /\ facts_hold (rank_lengths g) rs.

Definition state_facts (g : ground) (s : state) : Prop :=
  noted_hold g (map fst (s_leads s), map fst (s_trails s), map fst (s_ranks s)).

Lemma no_facts : forall v, facts_hold v [].
Proof. intros v f []. Qed.

(** In the fragment all three guards record only what every solution satisfies. *)
Lemma on_constraint_holds : forall P g c, edge_c c -> holds g c -> noted_hold g (on_constraint P c).
Proof.
  intros P g c E H. unfold on_constraint. destruct (guard P); simpl; auto using no_facts.
  - destruct (r1a_inequality g c H). auto using no_facts.
  - auto using no_facts, edge_paper_edges.
Qed.

Lemma on_binding_holds : forall P g b, binding_holds g b -> noted_hold g (on_binding P b).
Proof.
  intros P g b H. unfold on_binding. destruct (guard P); simpl; auto using no_facts.
  - destruct (r1a_binding g b H). auto using no_facts.
  - pose proof (edge_paper_binding g b H). destruct b; auto using no_facts.
Qed.

Lemma record_any : forall v fs known t, facts_hold v (map fst known) -> facts_hold v fs ->
  exists k, record known fs t = inl k /\ facts_hold v (map fst k).
Proof.
  intros v fs; induction fs as [|f fs IH]; intros known t H K; simpl; [eauto|].
  assert (H' : facts_hold v (map fst (known ++ [(f, t)]))).
  { rewrite map_app. apply facts_hold_app. split; [auto|]. intros x [<-|[]]. apply K. simpl; auto. }
  destruct (positive_cycleb (map fst (known ++ [(f, t)]))) eqn:P.
  - exfalso. apply prop_4_6_positive_cycleb in P. apply (positive_cycle_infeasible _ P). now exists v.
  - apply IH; [exact H'|]. intros x I. apply K. simpl; auto.
Qed.

Lemma note_any : forall g s c n t, state_facts g s -> noted_hold g n ->
  exists s', note s c n t = inl s' /\ state_facts g s'.
Proof.
  intros g s c [[ls ts] rs] t (H1 & H2 & H3) (K1 & K2 & K3). unfold note.
  destruct (record_any _ ls (s_leads s) t H1 K1) as (l & -> & L).
  destruct (record_any _ ts (s_trails s) t H2 K2) as (m & -> & M).
  destruct (record_any _ rs (s_ranks s) t H3 K3) as (r & -> & Hr).
  eexists. split; [reflexivity|]. split; auto.
Qed.

(** * One step *)

(** A guard objects only to facts that do not hold of any ground for which the pending
    constraint and the binding of its rule hold. *)
Lemma step_of_facts : forall P s,
  match step_of P s with
  | Finished => True
  | Stopped f => exists x r o u, In x (waiting (s_phi s)) /\ fire P (s_next s) (s_store s) (fst x) = (r, o, u) /\
      forall g, state_facts g s -> noted_hold g (on_constraint P (fst x)) ->
        (forall e b, o = Does e -> binds e = Some b -> noted_hold g (on_binding P b)) -> o = Fails
  | Stepped d s' => forall g, state_facts g s -> noted_hold g (on_constraint P (d_on d)) ->
      (forall b, binds (d_effect d) = Some b -> noted_hold g (on_binding P b)) -> state_facts g s'
  end.
Proof.
  intros P s. unfold step_of. destruct (pop (order P) (s_phi s)) as [[[c tc] q]|] eqn:Po; [|exact I].
  pose proof (pop_In _ _ _ _ Po) as Ic.
  set (s0 := State q (s_sigma s) (s_store s) (s_next s) (s_leads s) (s_trails s) (s_ranks s)).
  destruct (fire P (s_next s) (s_store s) c) as [[r o] u] eqn:Fi.
  destruct (note s0 c (on_constraint P c) tc) as [s1|f] eqn:No.
  2: { exists (c, tc), r, o, u. split; [exact Ic | split; [exact Fi|]]. intros g H Hc _.
       destruct (note_any g s0 c (on_constraint P c) tc H Hc) as (s1 & X & _). congruence. }
  assert (E : s_next s1 = s_next s /\ s_store s1 = s_store s /\
    forall g, state_facts g s -> noted_hold g (on_constraint P c) -> state_facts g s1).
  { destruct (on_constraint P c) as [[ls ts] rs]. pose proof No as No'.
    apply note_inl in No' as (_ & _ & E2 & E1 & _). split; [exact E1 | split; [exact E2|]]. intros g H Hc.
    destruct (note_any g s0 c (ls, ts, rs) tc H Hc) as (s2 & X & H2). congruence. }
  destruct E as (E1 & E2 & H1). rewrite E1, E2, Fi. destruct o as [|e].
  { exists (c, tc), r, Fails, u. auto. }
  rewrite carry_out_cases. set (s2 := carried P s1 c tc e (tc || u) (commitsb c r)).
  assert (H2 : forall g, state_facts g s1 -> state_facts g s2) by (intros g X; unfold s2, carried; destruct (binds e); exact X).
  destruct (binds e) as [b|] eqn:Eb; cbn [d_on d_effect]; [|auto].
  destruct (note s2 c (on_binding P b) _) as [s3|f] eqn:No2; cbn [d_on d_effect].
  - intros g H Hc K. destruct (note_any g s2 c (on_binding P b) (tc || u || commitsb c r) (H2 g (H1 g H Hc)) (K b Eb))
      as (s4 & X & H4). congruence.
  - exists (c, tc), r, (Does e), u. split; [exact Ic | split; [exact Fi|]]. intros g H Hc K.
    destruct (note_any g s2 c (on_binding P b) (tc || u || commitsb c r) (H2 g (H1 g H Hc)) (K e b eq_refl Eb))
      as (s4 & X & _). congruence.
Qed.

(** What holds of every state that is reached. *)
Definition edge_state (P : policy) (s : state) (C : tconfig) : Prop :=
  stands_for P s C /\ well_formed (erase C) /\ edge_config (erase C) /\
  forall g, satisfies g (erase C) -> state_facts g s.

Lemma edge_pending : forall P s C g x, edge_state P s C -> satisfies g (erase C) -> In x (waiting (s_phi s)) ->
  edge_c (fst x) /\ holds g (fst x).
Proof.
  intros P s C g x ((( _ & Pe & _) & _) & _ & (Ep & _) & _) (Hp & _) I.
  assert (J : In (fst x) (phi (erase C))) by (apply in_map; eapply Permutation_in; eauto). auto.
Qed.

Lemma edge_step_of : forall P s C, edge_state P s C ->
  match step_of P s with
  | Finished => True
  | Stopped f => ~ exists g, edge_ground g /\ satisfies g (erase C)
  | Stepped d s' => exists C', reports C d C' /\ edge_state P s' C'
  end.
Proof.
  intros P s C H. pose proof H as (St & W & EC & Fa).
  assert (On : forall g, satisfies g (erase C) -> forall x, In x (waiting (s_phi s)) -> noted_hold g (on_constraint P (fst x))).
  { intros g G x I. destruct (edge_pending P s C g x H G I). now apply on_constraint_holds. }
  pose proof (step_of_reports P s C St) as Re.
  destruct (step_of P s) as [|f|d s'] eqn:E; [exact I| |].
  - intros (g & Eg & G).
    pose proof (step_of_facts P s) as K. rewrite E in K. destruct K as ((c & tc) & r & o & u & I & Fi & K).
    cbn [fst] in *. destruct (edge_pending P s C g _ H G I) as [Ec Hc]. cbn [fst] in *.
    pose proof St as [(_ & Pe & _ & Es & Nu & One) _].
    rewrite Es in Fi. apply (def_4_3_fire_is_a_rule _ _ _ _ _ _ _ (t_used C) Nu One) in Fi as [F _].
    assert (Ic : In c (phi (erase C))) by (apply (in_map fst _ (c, tc)); eapply Permutation_in; eauto).
    destruct o as [|e]; [exact (lemma_5_1_fail _ _ _ _ F g (proj1 (proj2 G)) Hc)|].
    apply in_split in Ic as (pre & post & Ep). pose proof (Step (erase C) pre c post r e Ep F) as S.
    destruct (edge_step_complete _ _ _ _ g W EC S Eg G) as (h & _ & _ & Hh).
    pose proof (step_sound _ _ _ _ h W S Hh) as Gh.
    assert (X : Does e = Fails); [|discriminate].
    apply (K h (Fa h Gh) (On h Gh (c, tc) I)). intros e' b X Eb. injection X as <-. apply on_binding_holds.
    destruct (step_fixed _ _ _ _ W S) as (V & _).
    apply next_satisfies in Hh as (_ & _ & _ & _ & B & _); [now rewrite Eb in B|].
    intros b' Eb'. eapply fires_binding; eauto.
  - destruct Re as (_ & C' & Re & St'). exists C'.
    pose proof (reports_step _ _ _ Re) as TS. pose proof (erase_step _ _ _ _ TS) as S.
    split; [exact Re|]. split; [exact St'|]. split; [eapply step_well_formed; eauto|].
    split; [eapply edge_step; eauto|]. intros g G. pose proof (step_sound _ _ _ _ g W S G) as G0.
    destruct Re as [pre tc post Ep F Ft Epl].
    assert (Ic : In (d_on d) (phi (erase C))) by (apply (in_map fst _ (d_on d, tc)); rewrite Ep, in_app_iff; simpl; auto).
    pose proof (step_of_facts P s) as K. rewrite E in K. apply K; [now apply Fa | |].
    { apply on_constraint_holds; [exact (proj1 EC _ Ic) | exact (proj1 G0 _ Ic)]. }
    intros b Eb. apply on_binding_holds.
    rewrite erase_next in G. apply next_satisfies in G as (_ & _ & _ & _ & B & _); [now rewrite Eb in B|].
    destruct (step_fixed _ _ _ _ W S) as (V & _). intros b' Eb'. eapply fires_binding; eauto.
Qed.

Lemma edge_start : forall P n cs, edge_set cs -> numbered n (flat_map vars_c cs) ->
  edge_state P (started P n cs) (t_initial cs).
Proof.
  intros P n cs E N. split; [now apply start_stands|].
  assert (X : erase (t_initial cs) = initial cs).
  { unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst. }
  rewrite X. split; [apply initial_well_formed | split; [now apply edge_initial|]].
  intros g _. repeat split; apply no_facts.
Qed.

Lemma edge_steps : forall P s ds s', steps P s ds s' -> forall C, edge_state P s C ->
  exists C', t_run any_step C C' /\ edge_state P s' C'.
Proof.
  intros P s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros C H; [exists C; split; [constructor | auto]|].
  pose proof (edge_step_of P s C H) as K. rewrite E in K. destruct K as (C' & S & H'). apply reports_step in S.
  destruct (IH C' H') as (C'' & R' & H''). exists C''. split; [|auto]. eapply T_cons; [exact I | exact S | exact R'].
Qed.

(** * Whole runs *)

(** 5.5.iv.  Any policy, any guard: where the program stops, tainted or not, there is no solution at
    the left edge; where it finishes γ↑ is the greatest one. *)
Theorem cor_5_5_iv_program : forall P n cs ds s, edge_set cs -> numbered n (flat_map vars_c cs) ->
  steps P (started P n cs) ds s ->
  match step_of P s with
  | Finished => edge_sol cs (greatest (s_subst s)) /\
      forall g, edge_sol cs g -> forall v, In v (flat_map vars_c cs) -> below_at g (greatest (s_subst s)) v
  | Stopped _ => ~ exists g, edge_sol cs g
  | Stepped _ _ => True
  end.
Proof.
  intros P n cs ds s E N R. destruct (edge_steps P _ _ _ R _ (edge_start P n cs E N)) as (C & RC & H).
  apply taint_erase in RC. pose proof (edge_step_of P s C H) as K.
  destruct (step_of P s) as [|f|d s'] eqn:D; [| |exact I].
  - destruct H as (St & _). pose proof (def_4_4_done P s C St D) as Ep.
    destruct St as [(_ & _ & Es & _) _]. rewrite Es. change (t_sigma C) with (sigma (erase C)). split.
    + apply cor_5_5_iv_success; auto. simpl. now rewrite Ep.
    + now apply cor_5_5_iv_greatest.
  - intros (g & Eg & G). apply K. apply (cor_5_5_iv_preservation cs _ E RC g Eg) in G as (h & Eh & _ & Hh). eauto.
Qed.

(** 5.5.iv.  The solver with the signed guard decides whether there is a solution at the left edge. *)
Theorem cor_5_5_iv_solve : forall P n cs G N ds v, edge_set cs -> solve P n cs G N = (ds, v) ->
  match v with
  | Solved_form s => edge_sol cs (greatest (s_subst s)) /\
      forall g, edge_sol cs g -> forall x, In x (flat_map vars_c cs) -> below_at g (greatest (s_subst s)) x
  | Unsat _ | Rejected _ => ~ exists g, edge_sol cs g
  end.
Proof.
  intros P n cs G N ds v E X. apply solve_steps in X as (last & -> & R & D).
  pose proof (cor_5_5_iv_program P n cs ds (last_state last) E N R) as K. rewrite D in K.
  destruct last as [s|s f]; simpl in *; [exact K|]. now destruct (f_tainted f).
Qed.

(** Two greatest solutions of the same statements agree. *)
Lemma edge_greatest_agree : forall cs ds h k, (forall c, In c ds <-> In c cs) ->
  (edge_sol cs h /\ forall g, edge_sol cs g -> forall v, In v (flat_map vars_c cs) -> below_at g h v) ->
  (edge_sol ds k /\ forall g, edge_sol ds g -> forall v, In v (flat_map vars_c ds) -> below_at g k v) ->
  agree_on (flat_map vars_c cs) h k.
Proof.
  intros cs ds h k S [Sh Gh] [Sk Gk] v I.
  assert (I' : In v (flat_map vars_c ds)) by now apply (vars_same cs ds S).
  apply (below_at_antisym h k v).
  - apply Gk; [now apply (edge_sol_same cs ds S) | exact I'].
  - apply Gh; [now apply (edge_sol_same cs ds S) | exact I].
Qed.

(** The same result: both fail, or both succeed with the same values at the variables of
    the input. *)
Definition same_result (cs : list constr) (x y : option state) : Prop :=
  match x, y with
  | Some s, Some s' => agree_on (flat_map vars_c cs) (greatest (s_subst s)) (greatest (s_subst s'))
  | None, None => True
  | _, _ => False
  end.

Definition end_state (x : end_of_run) : option state := match x with Solved_at s => Some s | Failed_at _ _ => None end.

Definition verdict_state (v : verdict) : option state :=
  match v with Solved_form s => Some s | Unsat _ | Rejected _ => None end.

Lemma verdict_end : forall x, verdict_state (verdict_of x) = end_state x.
Proof. intros [s|s f]; simpl; [auto|]. now destruct (f_tainted f). Qed.

Lemma same_ends : forall P P' n n' cs cs' ds ds' last last',
  edge_set cs -> (forall c, In c cs' <-> In c cs) ->
  numbered n (flat_map vars_c cs) -> numbered n' (flat_map vars_c cs') ->
  steps P (started P n cs) ds (last_state last) ->
  step_of P (last_state last) = match last with Solved_at _ => Finished | Failed_at _ f => Stopped f end ->
  steps P' (started P' n' cs') ds' (last_state last') ->
  step_of P' (last_state last') = match last' with Solved_at _ => Finished | Failed_at _ f => Stopped f end ->
  same_result cs (end_state last) (end_state last').
Proof.
  intros P P' n n' cs cs' ds ds' last last' E S N N' R D R' D'.
  pose proof (cor_5_5_iv_program P n cs ds _ E N R) as K. rewrite D in K.
  pose proof (cor_5_5_iv_program P' n' cs' ds' _ (edge_set_same cs cs' S E) N' R') as K'. rewrite D' in K'.
  pose proof (edge_sol_same cs cs' S) as X.
  destruct last as [s|s f], last' as [s'|s' f']; simpl in *; auto.
  - now apply (edge_greatest_agree cs cs').
  - apply K'. exists (greatest (s_subst s)). now apply X.
  - apply K. exists (greatest (s_subst s')). now apply X.
Qed.

(** 5.5.iv.  With the signed guard: the strategy, the order of the statements, the numbers of the fresh
    variables and DI-antisym change nothing. *)
Theorem cor_5_5_iv_solve_same : forall P P' n n' cs cs' G G' N N' ds ds' v v',
  edge_set cs -> (forall c, In c cs' <-> In c cs) ->
  solve P n cs G N = (ds, v) -> solve P' n' cs' G' N' = (ds', v') ->
  same_result cs (verdict_state v) (verdict_state v').
Proof.
  intros P P' n n' cs cs' G G' N N' ds ds' v v' E S X X'.
  apply solve_steps in X as (last & -> & R & D). apply solve_steps in X' as (last' & -> & R' & D').
  rewrite !verdict_end. exact (same_ends P P' n n' cs cs' ds ds' last last' E S N N' R D R' D').
Qed.

(** 5.5.iv.  With any guard, where both runs end. *)
Theorem cor_5_5_iv_run_for_same : forall P P' n n' cs cs' k k' ds ds' last last',
  edge_set cs -> (forall c, In c cs' <-> In c cs) ->
  numbered n (flat_map vars_c cs) -> numbered n' (flat_map vars_c cs') ->
  run_for P k (started P n cs) = (ds, Some last) -> run_for P' k' (started P' n' cs') = (ds', Some last') ->
  same_result cs (end_state last) (end_state last').
Proof.
  intros P P' n n' cs cs' k k' ds ds' last last' E S N N' X X'.
  apply def_4_4_run_for_steps in X as (s & R & L). destruct (L _ eq_refl) as [-> D].
  apply def_4_4_run_for_steps in X' as (s' & R' & L'). destruct (L' _ eq_refl) as [-> D'].
  exact (same_ends P P' n n' cs cs' ds ds' last last' E S N N' R D R' D').
Qed.
