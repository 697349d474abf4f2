(** Cor. 5.5 and Thm 5.6 for the solver that runs. *)

From Coq Require Import List Bool Arith ZArith Lia Permutation.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Certificate Certificate_thm
  Solved Solved_thm Runs Runs_thm Termination_thm Taint Taint_thm Queue Queue_thm Cycle Cycle_thm Fire Fire_thm
  Solver Solver_thm Solve.
Import ListNotations.

(** * What the verdicts mean *)

(** The run behind a verdict. *)
Lemma solve_steps : forall P n cs G N ds v, solve P n cs G N = (ds, v) ->
  exists last, v = verdict_of last /\ steps P (started P n cs) ds (last_state last) /\
    step_of P (last_state last) = match last with Solved_at _ => Finished | Failed_at _ f => Stopped f end.
Proof.
  intros P n cs G N ds v E. unfold solve in E.
  destruct (run_from P (started P n cs) (r1b_follows_ends P n cs G N)) as [ds' last] eqn:R.
  injection E as <- <-. exists last. split; [auto|]. eapply def_4_4_run_from_steps; eauto.
Qed.

(** For any policy: a failure without the tag refutes. *)
Lemma failed_unsat : forall P n cs ds s f, numbered n (flat_map vars_c cs) ->
  steps P (started P n cs) ds s -> step_of P s = Stopped f -> f_tainted f = false -> ~ exists g, sol cs g.
Proof.
  intros P n cs ds s f N R E T.
  destruct (def_4_4_run_is_a_run P n cs ds s N R) as (C & RC & H & _).
  destruct (def_4_4_failure_is_a_failure P s C f H E T) as (C' & S & F).
  assert (RC' : t_run any_step (t_initial cs) C').
  { destruct S as [->|(c & r & S)]; [auto|]. clear - RC S.
    induction RC as [C|C c' r' C1 C2 K S' RC IH|C ds t C2 []]; [|eapply T_cons; eauto].
    eapply T_cons; [exact I | exact S | apply T_nil]. }
  destruct F as [F|F]; [eapply cor_5_5_ii_untainted | eapply r1a_untainted_cycle]; eauto.
Qed.

(** Cor. 5.5 (ii): what is called unsatisfiable has no solution. *)
Theorem cor_5_5_solve_unsat : forall P n cs G N ds f, solve P n cs G N = (ds, Unsat f) -> ~ exists g, sol cs g.
Proof.
  intros P n cs G N ds f E. apply solve_steps in E as ([s|s f'] & V & R & D); simpl in *; [discriminate|].
  destruct (f_tainted f') eqn:T; [discriminate|]. eapply failed_unsat; eauto.
Qed.

(** The same for so many steps under any guard. *)
Theorem cor_5_5_run_for_unsat : forall P n cs k ds s f, numbered n (flat_map vars_c cs) ->
  run_for P k (started P n cs) = (ds, Some (Failed_at s f)) -> f_tainted f = false -> ~ exists g, sol cs g.
Proof.
  intros P n cs k ds s f N E T. apply def_4_4_run_for_steps in E as (s' & R & L).
  destruct (L _ eq_refl) as [-> D]. eapply failed_unsat; eauto.
Qed.

(** What is reached where nothing waits. *)
Lemma done_reached : forall P n cs ds s, numbered n (flat_map vars_c cs) ->
  steps P (started P n cs) ds s -> step_of P s = Finished ->
  exists C, run any_step (initial cs) C /\ phi C = [] /\ sigma C = s_subst s /\ store C = map fst (s_store s) /\
    waiting (s_phi s) = [] /\
    ((forall d, In d ds -> d_placed d = false) -> run semantic_step (initial cs) C).
Proof.
  intros P n cs ds s N R D. destruct (def_4_4_run_is_a_run P n cs ds s N R) as (C & RC & H & Sem).
  pose proof (def_4_4_done P s C H D) as E. destruct H as [(_ & Pe & Es & Eb & _) _].
  exists (erase C). split; [now apply taint_erase|]. simpl. rewrite E, Es, Eb. repeat split; auto.
  - rewrite E in Pe. apply Permutation_sym in Pe. now apply Permutation_nil in Pe.
  - intros Y. now apply taint_erase, Sem.
Qed.

(** Def. 5.3 and Cor. 5.5 (i): in what is called solved nothing waits, σ is
    idempotent; if no equation is deferred it is a solved form, and γ↑ solves the
    input. *)
Theorem cor_5_5_solve_solved : forall P n cs G N ds s, solve P n cs G N = (ds, Solved_form s) ->
  waiting (s_phi s) = [] /\ idempotent (s_subst s) /\
  ((forall c, In c (map fst (s_store s)) -> ~ is_req c) ->
     solved_form (s_subst s) (map fst (s_store s)) /\ sol cs (greatest (s_subst s))).
Proof.
  intros P n cs G N ds s E. apply solve_steps in E as ([s'|s' f] & V & R & D); simpl in *.
  2: { destruct (f_tainted f); discriminate. }
  injection V as <-. destruct (done_reached P n cs ds s N R D) as (C & RC & E & Es & Eb & W & _).
  rewrite <- Es, <- Eb. split; [auto | split].
  - apply (run_well_formed _ _ _ RC (initial_well_formed cs)).
  - intros Y. split; [eapply def_5_3_reached | eapply cor_5_5_i_runs]; eauto.
Qed.

(** Thm 5.6 (1), soundness, with placements: bindings and bounds imply the input. *)
Theorem thm_5_6_solve_sound : forall P n cs G N ds s, solve P n cs G N = (ds, Solved_form s) ->
  sound_for cs (s_subst s) (map fst (s_store s)).
Proof.
  intros P n cs G N ds s E. apply solve_steps in E as ([s'|s' f] & V & R & D); simpl in *.
  2: { destruct (f_tainted f); discriminate. }
  injection V as <-. destruct (done_reached P n cs ds s N R D) as (C & RC & E & Es & Eb & _).
  rewrite <- Es, <- Eb. intros h Rh Hh. apply (thm_5_6_sound cs C RC). split; [rewrite E; apply sol_nil | auto].
Qed.

(** Thm 5.6 without placements: they represent the solutions, and every model is
    an instance of σ. *)
Theorem thm_5_6_solve_represents : forall P n cs G N ds s, solve P n cs G N = (ds, Solved_form s) ->
  (forall d, In d ds -> d_placed d = false) ->
  complete_for cs (flat_map vars_c cs) (s_subst s) (map fst (s_store s)) /\
  forall m, models m cs -> subst_le_on (fun _ => True) (flat_map vars_c cs) (s_subst s) m.
Proof.
  intros P n cs G N ds s E Y. apply solve_steps in E as ([s'|s' f] & V & R & D); simpl in *.
  2: { destruct (f_tainted f); discriminate. }
  injection V as <-. destruct (done_reached P n cs ds s N R D) as (C & _ & E & Es & Eb & _ & RC).
  rewrite <- Es, <- Eb. split.
  - exact (proj2 (thm_5_6_1 cs C (RC Y) E)).
  - intros m M. exact (thm_5_6_3 cs C m (RC Y) M).
Qed.

(** * Tags come from placements *)

Definition unplaced (s : state) : Prop :=
  untagged (waiting (s_phi s)) /\ untagged (s_store s) /\ untagged (s_leads s) /\ untagged (s_trails s).

Lemma untagged_perm : forall (A : Type) (l k : list (A * bool)), Permutation l k -> untagged k -> untagged l.
Proof. intros A l k P H x I. apply H. eapply Permutation_in; eauto. Qed.

Lemma untagged_add_bounds : forall xs B, untagged B -> untagged xs -> untagged (t_add_bounds B xs).
Proof.
  unfold t_add_bounds. intros xs; induction xs as [|x xs IH]; intros B H K; simpl; [auto|].
  apply IH; [|intros y I; apply K; simpl; auto].
  intros [c t] I. apply in_t_add_bound in I as [I|[->|(-> & t' & I & ->)]].
  - exact (H _ I).
  - apply K; simpl; auto.
  - pose proof (H _ I) as E. simpl in *. now rewrite E.
Qed.

Lemma untagged_substitute : forall b l, untagged l -> untagged (map (t_substitute b false false) l).
Proof.
  intros b l H x I. apply in_map_iff in I as (y & <- & I). unfold t_substitute; simpl.
  now rewrite (H y I), andb_false_r.
Qed.

Lemma placed_req : forall used B c r o, fires used B c r o -> commits c r -> is_req c.
Proof. intros used B c r o F K. destruct F; try exact I; destruct K. Qed.

Lemma note_by : forall s c ls ts t f, note s c (ls, ts, []) t = inr f -> f_by f = By_lead \/ f_by f = By_trail.
Proof.
  intros s c ls ts t f E. unfold note in E. simpl in E.
  destruct (record (s_leads s) ls t); [|injection E as <-; auto].
  destruct (record (s_trails s) ts t); [discriminate | injection E as <-; auto].
Qed.

Lemma step_unplaced : forall P s C, guard P = Signed -> stands_for P s C -> unplaced s ->
  match step_of P s with
  | Finished => True
  | Stopped f => f_tainted f = true -> is_req (f_on f) /\ (f_by f = By_lead \/ f_by f = By_trail)
  | Stepped d s' => d_placed d = false -> unplaced s'
  end.
Proof.
  intros P s C G [(_ & _ & _ & Eb & Nu & One) _] (Up & Us & Ul & Ut). unfold step_of.
  destruct (pop (order P) (s_phi s)) as [[[c tc] q]|] eqn:Po; [|exact I].
  apply pop_permutation in Po.
  assert (tc = false) as ->.
  { apply (Up (c, tc)). apply (Permutation_in _ (Permutation_sym Po)). simpl; auto. }
  assert (Uq : untagged (waiting q)).
  { intros x I. apply Up, (Permutation_in _ (Permutation_sym Po)). simpl; auto. }
  set (s0 := State q (s_sigma s) (s_store s) (s_next s) (s_leads s) (s_trails s) (s_ranks s)).
  destruct (note s0 c (on_constraint P c) false) as [s1|f] eqn:No.
  2: { unfold on_constraint in No. rewrite G in No. apply note_inr in No as (_ & _ & K).
       rewrite K by auto. discriminate. }
  unfold on_constraint in No. rewrite G in No.
  apply note_inl in No as (E1 & _ & E3 & E4 & E5 & E6 & _). simpl in *.
  assert (Ul1 : untagged (s_leads s1)) by (rewrite E5; apply untagged_app; auto using untagged_tag).
  assert (Ut1 : untagged (s_trails s1)) by (rewrite E6; apply untagged_app; auto using untagged_tag).
  rewrite <- E3 in Us, Eb. rewrite <- E4 in Nu. rewrite <- E1 in Uq.
  destruct (fire P (s_next s1) (s_store s1) c) as [[r o] u] eqn:Fi.
  assert (u = false) as ->.
  { destruct u; [|auto]. apply fire_tag in Fi as (d & I). exact (Us _ I). }
  rewrite Eb in Fi. apply (def_4_3_fire_is_a_rule _ _ _ _ _ _ _ (t_used C) Nu One) in Fi as [F _].
  simpl. destruct o as [|e]; [discriminate|]. rewrite carry_out_cases.
  destruct (commitsb c r) eqn:Cm.
  - apply commitsb_true in Cm. pose proof (placed_req _ _ _ _ _ F Cm) as Rc.
    destruct (binds e) as [b|]; [|discriminate].
    destruct (note _ c (on_binding P b) _) as [s2|f] eqn:No; [discriminate|]. intros _.
    unfold on_binding in No. rewrite G in No. split; [|eapply note_by; eauto].
    apply note_inr in No as (-> & _). exact Rc.
  - assert (K : unplaced (carried P s1 c false e false false)).
    { assert (Q : untagged (waiting (if again e then push_now (order P) (c, false)
                    (push_all (order P) (tag_all false (emits e)) (s_phi s1))
                    else push_all (order P) (tag_all false (emits e)) (s_phi s1)))).
      { assert (Q1 : untagged (waiting (push_all (order P) (tag_all false (emits e)) (s_phi s1)))).
        { eapply untagged_perm; [apply waiting_push_all|]. apply untagged_app; auto using untagged_tag. }
        destruct (again e); [|auto]. eapply untagged_perm; [apply waiting_push_now|].
        intros x [<-|I]; auto. }
      assert (B : untagged (t_add_bounds (s_store s1) (tag_all false (stores e))))
        by (apply untagged_add_bounds; auto using untagged_tag).
      unfold carried, unplaced. destruct (binds e) as [b|]; simpl; [|auto].
      split; [|split; [|auto]].
      - rewrite waiting_change_all. apply untagged_substitute.
        eapply untagged_perm; [apply waiting_push_all|]. apply untagged_app; [auto|].
        intros x I. apply in_t_taken in I as [I _]. auto.
      - apply untagged_substitute. intros x I. apply filter_In in I as [I _]. auto. }
    destruct (binds e) as [b|]; [|auto].
    unfold on_binding. rewrite G.
    destruct (note _ c (lead_facts_b b, trail_facts_b b, []) _) as [s2|f] eqn:No.
    + intros _. apply note_inl in No as (D1 & _ & D3 & _ & D5 & D6 & _).
      destruct K as (K1 & K2 & K3 & K4). unfold unplaced. rewrite D1, D3, D5, D6.
      repeat split; auto; apply untagged_app; auto using untagged_tag.
    + apply note_inr in No as (_ & _ & X). destruct K as (_ & _ & K3 & K4).
      simpl in X. rewrite X by auto. discriminate.
Qed.

Lemma steps_unplaced : forall P s ds s', guard P = Signed -> steps P s ds s' ->
  (forall d, In d ds -> d_placed d = false) -> forall C, stands_for P s C -> unplaced s ->
  unplaced s' /\ exists C', stands_for P s' C'.
Proof.
  intros P s ds s' G R; induction R as [s|s d s' ds s'' E R IH]; intros Y C H U; [eauto|].
  pose proof (step_unplaced P s C G H U) as K. rewrite E in K.
  destruct (def_4_4_step_is_a_step P s C d s' H E) as (C' & _ & H' & _).
  apply (IH (fun x I => Y x (or_intror I)) C' H'). apply K, Y. simpl; auto.
Qed.

(** What is rejected without a refutation rests on a placement: one that was
    committed, or that of the failing step, an equation whose binding closes a
    cycle (an equation itself records nothing). *)
Theorem cor_5_5_solve_rejected : forall P n cs G N ds f, solve P n cs G N = (ds, Rejected f) ->
  (exists d, In d ds /\ d_placed d = true) \/
  (is_req (f_on f) /\ (f_by f = By_lead \/ f_by f = By_trail)).
Proof.
  intros P n cs G N ds f E. apply solve_steps in E as ([s|s f'] & V & R & D); simpl in *; [discriminate|].
  destruct (f_tainted f') eqn:T; [|discriminate]. injection V as ->.
  destruct (existsb d_placed ds) eqn:X.
  { left. apply existsb_exists in X as (d & I & X). eauto. }
  right. assert (Y : forall d, In d ds -> d_placed d = false).
  { intros d I. destruct (d_placed d) eqn:Z; [|auto]. rewrite <- X. symmetry. apply existsb_exists. eauto. }
  assert (U : unplaced (started P n cs)).
  { repeat split; try (intros x []). simpl. rewrite waiting_new. apply untagged_tag. }
  destruct (steps_unplaced P _ _ _ G R Y _ (start_stands P n cs N) U) as (U' & C & H).
  pose proof (step_unplaced P s C G H U') as K. rewrite D in K. auto.
Qed.

(** * Inputs without row equalities *)

Lemma failed_on : forall P s f, step_of P s = Stopped f -> exists t, In (f_on f, t) (waiting (s_phi s)).
Proof.
  intros P s f E. unfold step_of in E. destruct (pop (order P) (s_phi s)) as [[[c tc] q]|] eqn:Po; [|discriminate].
  exists tc. assert (X : f_on f = c); [|rewrite X; eapply pop_In; eauto].
  destruct (note _ c (on_constraint P c) tc) as [s1|f'] eqn:No.
  - destruct (fire P (s_next s1) (s_store s1) c) as [[r [|e]] u]; [injection E as <-; auto|].
    rewrite carry_out_cases in E. destruct (binds e) as [b|]; [|discriminate].
    destruct (note _ c (on_binding P b) _) as [s2|f'] eqn:No2; [discriminate|]. injection E as ->.
    destruct (on_binding P b) as [[ls ts] rs]. now apply note_inr in No2.
  - injection E as ->. destruct (on_constraint P c) as [[ls ts] rs]. now apply note_inr in No.
Qed.

Lemma steps_no_req : forall P s ds s', steps P s ds s' -> forall C, stands_for P s C -> no_req (erase C) ->
  (forall d, In d ds -> d_placed d = false) /\ exists C', stands_for P s' C' /\ no_req (erase C').
Proof.
  intros P s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros C H Q; [split; [intros d []|eauto]|].
  destruct (def_4_4_step_is_a_step P s C d s' H E) as (C' & S & H' & _).
  apply erase_step in S. destruct (step_no_req _ _ _ _ S Q) as [Q' Sm].
  destruct (IH C' H' Q') as [Y K]. split; [|auto]. intros x [<-|I]; [|auto].
  rewrite (step_placed P s d s' E). destruct (commitsb (d_on d) (d_rule d)) eqn:Z; [|auto].
  apply commitsb_true in Z. now apply Sm in Z.
Qed.

(** R1c: on such inputs the solver decides, and finds the greatest solution. *)
Theorem r1c_solve_decides : forall P n cs G N ds v, (forall c, In c cs -> ~ is_req c) ->
  solve P n cs G N = (ds, v) ->
  match v with
  | Solved_form s => sol cs (greatest (s_subst s)) /\
      forall g, sol cs g -> forall x, In x (flat_map vars_c cs) -> below_at g (greatest (s_subst s)) x
  | Unsat _ => ~ exists g, sol cs g
  | Rejected _ => False
  end.
Proof.
  intros P n cs G N ds v Q E. destruct (solve_steps P n cs G N ds v E) as (last & V & R & D).
  assert (Q0 : no_req (erase (t_initial cs))).
  { intros c I. simpl in I. rewrite tag_all_fst, app_nil_r in I. auto. }
  destruct (steps_no_req P _ _ _ R _ (start_stands P n cs N) Q0) as (Y & C & H & Q').
  destruct v as [s|f|f].
  - destruct last as [s'|s' f]; simpl in *; [|destruct (f_tainted f); discriminate]. injection V as <-.
    destruct (done_reached P n cs ds s N R D) as (C' & RC & E' & Es & _). rewrite <- Es. split.
    + now apply (r1c_partial_correctness cs C' Q RC).
    + now apply (prop_6_4_inequalities cs C' Q RC).
  - eapply cor_5_5_solve_unsat; eauto.
  - destruct (cor_5_5_solve_rejected P n cs G N ds f E) as [(d & I & X)|[X _]].
    + rewrite (Y d I) in X. discriminate.
    + destruct last as [s'|s' f']; simpl in *; [discriminate|].
      destruct (f_tainted f'); [|discriminate]. injection V as ->.
      apply failed_on in D as (t & I). apply (Q' (f_on f')); [|exact X].
      apply in_app_iff. left. apply in_map_iff. exists (f_on f', t). split; [auto|].
      destruct H as [(_ & Pe & _) _]. eapply Permutation_in; eauto.
Qed.

(** * Adding constraints *)

Lemma replaced_fst : forall bs x, fst (fold_right replaced x bs) = sub_c (sigma_of (map fst bs)) (fst x).
Proof.
  assert (Id : forall c, sub_c id_subst c = c).
  { assert (Dd : forall t, sub_d id_subst t = t) by (intros [a|d]; reflexivity).
    assert (Dl : forall l, map (sub_d id_subst) l = l) by (intros l; rewrite <- map_id; now apply map_ext).
    assert (Dr : forall R, sub_r id_subst R = R).
    { intros [l [p|] r]; unfold sub_r; simpl; rewrite !Dl, ?app_nil_r; reflexivity. }
    intros [t u|t u|R Q|R Q]; simpl; now rewrite ?Dd, ?Dr. }
  assert (Co : forall s t c, sub_c (comp s t) c = sub_c s (sub_c t c)).
  { intros s t [u w|u w|R Q|R Q]; simpl; now rewrite ?sub_d_comp, ?sub_r_comp. }
  intros bs; induction bs as [|b bs IH]; intros x; simpl; [now rewrite Id|]. now rewrite Co, <- IH.
Qed.

(** A constraint of known variables, under σ. *)
Lemma sub_knows : forall C c, well_formed C -> incl (vars_c c) (used C) -> knows C (sub_c (sigma C) c).
Proof.
  intros C c (Wi & _ & Wd & Wr) H v I. apply vars_sub_c in I as (w & I & J).
  destruct (term_eq_dec (apply (sigma C) (var_term w)) (var_term w)) as [E|E].
  - rewrite E in J. apply vars_var_term in J. subst v. auto.
  - assert (Rv : in_ran (sigma C) v) by (exists w; auto). split; [|auto].
    apply not_in_dom. intros D. exact (Wi v D Rv).
Qed.

(** Adding a constraint to a state is adding it, under σ, to what the state stands for. *)
Lemma extended_stands : forall P s C c t, stands_for P s C ->
  let x := fold_right replaced (c, t) (s_sigma s) in
  stands_for P (extended P s c t) (t_extend C [fst x] (snd x)) /\ fst x = sub_c (t_sigma C) c.
Proof.
  intros P s C c t [(Pr & Pe & Es & Eb & Nu & One) Fa] x. split; [split|].
  - split; [|split; [|auto]].
    + now apply proper_push.
    + simpl. fold x. rewrite waiting_push. destruct x as [d u]. simpl. now apply Permutation_app_tail.
  - exact Fa.
  - unfold x. rewrite replaced_fst. simpl. unfold s_subst in Es. now rewrite Es.
Qed.

(** Def. 6.1: such an addition is one of the relation, entailed or with the tag. *)
Theorem def_6_1_extended_is_an_addition : forall P s C c t, stands_for P s C -> well_formed (erase C) ->
  incl (vars_c c) (t_used C) ->
  let x := fold_right replaced (c, t) (s_sigma s) in
  (snd x = false -> t_entails C [fst x]) ->
  t_run any_kind C (t_extend C [fst x] (snd x)) /\
  stands_for P (extended P s c t) (t_extend C [fst x] (snd x)).
Proof.
  intros P s C c t H W V x En. destruct (extended_stands P s C c t H) as [H' E]. fold x in H', E.
  split; [|auto]. apply T_add with (cs := [fst x]) (t := snd x); [exact I | | exact En | apply T_nil].
  intros d [<-|[]]. rewrite E. now apply (sub_knows (erase C)).
Qed.

(** ** Runs end from every state that is reached *)

(** What holds of every state that steps and additions reach. *)
Definition proper_state (P : policy) (s : state) : Prop :=
  exists C, stands_for P s C /\ well_formed (erase C) /\ facts_seen (erase C).

Lemma proper_start : forall P n cs, numbered n (flat_map vars_c cs) -> proper_state P (started P n cs).
Proof.
  intros P n cs N. exists (t_initial cs). split; [now apply start_stands|].
  assert (E : erase (t_initial cs) = initial cs).
  { unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst. }
  rewrite E. split; [apply initial_well_formed | intros f []].
Qed.

Lemma proper_next : forall P s d s', proper_state P s -> step_of P s = Stepped d s' -> proper_state P s'.
Proof.
  intros P s d s' (C & H & W & F) E. destruct (def_4_4_step_is_a_step P s C d s' H E) as (C' & S & H' & _).
  apply erase_step in S. exists C'. split; [auto|].
  split; [eapply step_well_formed | eapply step_facts_seen]; eauto.
Qed.

Lemma proper_steps : forall P s ds s', steps P s ds s' -> proper_state P s -> proper_state P s'.
Proof. intros P s ds s' R; induction R; eauto using proper_next. Qed.

(** All variables below a number. *)
Definition all_below (n : nat) : list var := map DV (seq 0 n) ++ map RV (seq 0 n).

Lemma in_all_below : forall n v, In v (all_below n) <-> number v < n.
Proof.
  intros n v. unfold all_below. rewrite in_app_iff, !in_map_iff. split.
  - intros [(x & <- & I)|(x & <- & I)]; apply in_seq in I; simpl; lia.
  - intros H. destruct v as [a|p]; simpl in H; [left; exists a | right; exists p]; (split; [auto|]); apply in_seq; lia.
Qed.

(** Every variable that has been given out may count as used. *)
Definition given_out (s : state) (C : tconfig) : tconfig :=
  TConfig (t_phi C) (t_sigma C) (t_store C) (all_below (s_next s)) (t_leads C) (t_trails C).

Lemma given_out_stands : forall P s C, stands_for P s C -> well_formed (erase C) ->
  (incl (t_used C) (all_below (s_next s)) /\ stands_for P s (given_out s C) /\ well_formed (erase (given_out s C)))%type.
Proof.
  intros P s C H W. unfold given_out.
  assert (Sub : incl (t_used C) (all_below (s_next s))).
  { intros v I. apply in_all_below. now apply H. }
  split; [exact Sub | split].
  - destruct H as [(Pr & Pe & Es & Eb & Nu & One) Fa]. split; [|exact Fa].
    repeat (split; [auto|]); [|auto]. intros v I. now apply in_all_below.
  - destruct W as (Wi & Wv & Wd & Wr). split; [exact Wi | split; [|split]].
    + intros v I. destruct (Wv v I). split; [auto | now apply Sub].
    + intros v I. now apply Sub, Wd.
    + intros v I. now apply Sub, Wr.
Qed.

(** Any constraint may be added whose variables have been given out. *)
Lemma proper_extended : forall P s c t, proper_state P s -> numbered (s_next s) (vars_c c) ->
  proper_state P (extended P s c t).
Proof.
  intros P s c t (C & H & W & F) N.
  set (D := given_out s C). destruct (given_out_stands P s C H W) as (Sub & HD & WD). fold D in HD, WD.
  assert (FD : facts_seen (erase D)).
  { intros f I. destruct (F f I) as [A B]. split; intros p E; apply Sub; auto. }
  destruct (extended_stands P s D c t HD) as [H' E].
  set (x := fold_right replaced (c, t) (s_sigma s)) in *.
  exists (t_extend D [fst x] (snd x)). split; [auto|]. rewrite erase_extend. split; [|exact FD].
  apply extend_well_formed; [auto|]. intros d [<-|[]]. rewrite E. apply (sub_knows (erase D)); [auto|].
  intros v I. apply in_all_below. auto.
Qed.

Lemma reached_proper : forall P n cs s, numbered n (flat_map vars_c cs) -> reached P n cs s -> proper_state P s.
Proof.
  intros P n cs s N R; induction R as [|s d s' R IH E|s c t R IH V].
  - now apply proper_start.
  - eapply proper_next; eauto.
  - now apply proper_extended.
Qed.

(** R1b: from every such state the program ends, so that closing can run it again. *)
Theorem r1b_reached_ends : forall P s, guard P = Signed -> proper_state P s -> Acc (follows P) s.
Proof.
  intros P s G (C & H & W & F). destruct (proj2 H G) as (_ & _ & Nl & Nt).
  apply (follows_acc P G (erase C)) with (C := C); auto. now apply silent_acc.
Qed.

(** R1b: so the program ends from everything that is reached, whatever was added. *)
Theorem r1b_additions_end : forall P n cs s, guard P = Signed -> numbered n (flat_map vars_c cs) ->
  reached P n cs s -> Acc (follows P) s.
Proof. intros P n cs s G N R. apply r1b_reached_ends; [auto|]. now apply (reached_proper P n cs). Qed.

(** What [resume] did. *)
Lemma resume_steps : forall P s A ds v, resume P s A = (ds, v) ->
  exists last, v = verdict_of last /\ steps P s ds (last_state last) /\
    step_of P (last_state last) = match last with Solved_at _ => Finished | Failed_at _ f => Stopped f end.
Proof.
  intros P s A ds v E. unfold resume in E. destruct (run_from P s A) as [ds' last] eqn:R.
  injection E as <- <-. exists last. split; [auto|]. eapply def_4_4_run_from_steps; eauto.
Qed.
