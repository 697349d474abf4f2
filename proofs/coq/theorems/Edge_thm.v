(** 5.5(iv): where every marker is at the left edge a placement is no choice, so
    nothing that a run decides or finds depends on how it was run. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm Tactics Guard Guard_thm
  Solved Solved_thm Runs Runs_thm Termination_thm Endless Fair Exact Exact_thm Drive Drive_thm Strategies Strategies_thm Solve_thm Edge.
Import ListNotations.

Lemma edgeb_spec : forall cs, edgeb cs = true <-> edge_set cs.
Proof.
  intros cs. unfold edgeb, edge_set. rewrite forallb_forall.
  assert (B : forall R, (match tlead R with [] => true | _ => false end) = true <-> edge_r R).
  { intros R. unfold edge_r. destruct (tlead R); split; congruence. }
  split; intros H c I; specialize (H c I); destruct c as [t u|t u|R Q|R Q]; simpl in *; auto;
    rewrite andb_true_iff, !B in *; auto.
Qed.

(** * The fragment is closed *)

Lemma edge_rvar : forall p, edge_r (rvar_term p).
Proof. reflexivity. Qed.

Lemma edge_cut : forall p q R, edge_r R -> edge_r (cut p q R).
Proof. unfold edge_r, cut. simpl. intros p q R ->. now destruct p. Qed.

Lemma edge_middle : forall R S k, edge_r R -> edge_r S -> placed R S = k -> edge_r (middle R S k).
Proof.
  unfold edge_r, placed, middle. simpl. intros R S k -> -> <-. reflexivity.
Qed.

Lemma edge_dims : forall cs, (forall c, In c cs -> is_dim c) -> edge_set cs.
Proof. intros cs H c I. specialize (H c I). destruct c; simpl in *; tauto. Qed.

Lemma edge_strip_lead : forall R S, edge_r R -> edge_r S ->
  known_rank (strip R S) = length (ttrail R) - common_trail R S.
Proof.
  unfold edge_r, known_rank, strip, cut. simpl. intros R S -> _. rewrite skipn_nil. simpl.
  rewrite len_firstn. lia.
Qed.

(** 5.5.iv.  A rule keeps to the fragment, and defers nothing. *)
Theorem cor_5_5_iv_rules : forall used B c r o, fires used B c r o -> edge_c c ->
  r <> RE_cross /\ r <> RE_same_rot /\
  match o with
  | Fails => True
  | Does e => edge_set (emits e ++ stores e) /\ (forall b, binds e = Some b -> edge_b b) /\
      forall d, In d (stores e) -> ~ is_req d
  end.
Proof.
  intros used B c r o F E.
  assert (S : forall d : constr, is_dim d -> edge_set [d]).
  { intros d H. apply edge_dims. intros x [<-|[]]. exact H. }
  pose proof (outcome_emits _ _ _ _ _ F) as Em.
  assert (D : r <> RE_cross /\ r <> RE_same_rot).
  { each_rule F; try (split; discriminate); destruct E as [ER EQ]; exfalso.
    - apply ZR. rewrite edge_strip_lead by auto. destruct (Nat.le_gt_cases (length (ttrail R)) (length (ttrail Q))) as [L|L].
      + unfold common_trail. lia.
      + destruct ZQ. rewrite edge_strip_lead by auto. unfold common_trail. lia.
    - apply Z. rewrite edge_strip_lead by auto. unfold known_rank, common_trail in *.
      rewrite ER, EQ in K. simpl in K. lia. }
  split; [apply D | split; [apply D|]].
  destruct o as [|e]; [exact I|].
  assert (K : edge_set (stores e) /\ (forall b, binds e = Some b -> edge_b b) /\ forall d, In d (stores e) -> ~ is_req d).
  { clear Em. remember (Does e) as o eqn:Eo. destruct D as [D1 D2].
    each_rule F; unfold di_ground, di_cap, re_closed, re_open_closed in Eo;
      try (destruct (lower B a) as [low|]); repeat (match type of Eo with context [if ?x then _ else _] => destruct x end);
      try discriminate Eo; injection Eo as <-; cbn [stores binds];
      (split; [|split]); try (intros x X; discriminate X); try (intros x X; injection X as <-; exact I);
      try (intros x [<-|[]] X; exact X); try (intros x []; fail); try (apply S; exact I); try congruence.
    all: try (intros x X; injection X as <-; simpl).
    - apply edge_middle; try apply E. reflexivity.
    - apply edge_middle; try apply E. reflexivity.
    - apply edge_cut, E.
    - apply edge_cut, E.
    - intros x [<-|[]]. split; [apply edge_cut, E | apply edge_rvar].
    - unfold edge_r. simpl. destruct E as [ER EQ]. unfold lead_deficit in La. rewrite EQ in La.
      destruct al; [auto | discriminate]. }
  destruct K as (K1 & K2). split; [|exact K2].
  intros d I. apply in_app_iff in I as [I|I]; [|auto]. exact (edge_dims _ Em d I).
Qed.

(** 5.5.iv.  RE-open-closed always places the marker at the left edge. *)
Theorem cor_5_5_iv_placed : forall R p S, edge_r R -> edge_r S -> placed R S = 0 /\
  (known_rank R <= length (tflat S) ->
   re_open_closed R p S = emit_bind (facing R S)
     (BindR p (RTerm [] None (firstn (length (ttrail S) - length (ttrail R)) (ttrail S))))).
Proof.
  unfold edge_r. intros R p S ER ES.
  assert (P : placed R S = 0) by (unfold placed; rewrite ER, ES; reflexivity).
  split; [exact P|]. intros K. unfold re_open_closed. destruct (Nat.leb_spec (known_rank R) (length (tflat S))); [|lia].
  unfold middle, tflat. rewrite P, ER, ES. simpl. now rewrite Nat.sub_0_r.
Qed.

Lemma edge_sub_r : forall s R, edge_subst s -> edge_r R -> edge_r (sub_r s R).
Proof.
  unfold edge_r. intros s [l [p|] t] H E; unfold sub_r; simpl in *; rewrite E; [|auto]. simpl. apply H.
Qed.

Lemma edge_sub_c : forall s c, edge_subst s -> edge_c c -> edge_c (sub_c s c).
Proof. intros s [t u|t u|R Q|R Q] H E; simpl in *; auto; destruct E; auto using edge_sub_r. Qed.

Lemma edge_as_subst : forall b, edge_b b -> edge_subst (as_subst b).
Proof.
  intros [a t|p R] E q; simpl in *; [apply edge_rvar|]. destruct (q =? p); [exact E | apply edge_rvar].
Qed.

Lemma edge_comp : forall s s', edge_subst s -> edge_subst s' -> edge_subst (comp s s').
Proof. intros s s' H K p. apply edge_sub_r; auto. Qed.

Lemma edge_step : forall C c r C', step C c r C' -> edge_config C -> edge_config C'.
Proof.
  intros C c r C' S (Ep & Es & Eg). inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
  assert (Ec : edge_c c) by (apply Ep; rewrite E, in_app_iff; simpl; auto).
  destruct (cor_5_5_iv_rules _ _ _ _ _ F Ec) as (_ & _ & Em & Eb & _).
  assert (Em' : forall d, In d ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) -> edge_c d).
  { intros d I. rewrite !in_app_iff in I. destruct I as [[I|I]|[I|I]].
    - apply Ep. rewrite E, in_app_iff. auto.
    - apply Ep. rewrite E, in_app_iff. simpl. auto.
    - apply Em. rewrite in_app_iff. auto.
    - destruct (again e); [destruct I as [<-|[]]; exact Ec | destruct I]. }
  assert (Est : forall d, In d (stores e) -> edge_c d) by (intros d I; apply Em; rewrite in_app_iff; auto).
  unfold next. destruct (binds e) as [b|]; (split; [|split]); cbn [phi store sigma]; auto.
  - pose proof (edge_as_subst b (Eb b eq_refl)) as Hb. intros d I. apply in_map_iff in I as (d0 & <- & I).
    apply edge_sub_c; [exact Hb|]. apply in_app_iff in I as [I|I]; [auto|]. apply in_taken in I as [I _]. auto.
  - pose proof (edge_as_subst b (Eb b eq_refl)) as Hb. intros d I. apply in_map_iff in I as (d0 & <- & I).
    apply edge_sub_c; [exact Hb|]. apply in_add_bounds in I as [I|I]; [|auto]. apply filter_In in I as [I _]. auto.
  - apply edge_comp; [apply edge_as_subst|]; auto.
  - intros d I. apply in_add_bounds in I as [I|I]; auto.
Qed.

Lemma edge_run : forall (P : kind -> Prop) C C', (forall k, P k -> edge_kind k) -> run P C C' -> edge_config C -> edge_config C'.
Proof.
  intros P C C' HP R; induction R as [C|C c r C' C'' K S R IH|C cs C'' K A R IH]; intros H; auto.
  - eauto using edge_step.
  - apply IH. destruct H as (H1 & H2 & H3). split; [|auto]. intros c I. apply in_app_iff in I as [I|I]; auto.
    exact (HP _ K c I).
Qed.

Lemma edge_any : forall k, any_step k -> edge_kind k.
Proof. intros [c r|cs] H; [exact I | destruct H]. Qed.

Lemma edge_initial : forall cs, edge_set cs -> edge_config (initial cs).
Proof. intros cs H. split; [exact H | split; [intros c [] | intros p; apply edge_rvar]]. Qed.

(** Nothing is deferred. *)
Lemma edge_store : forall (P : kind -> Prop) C C', (forall k, P k -> edge_kind k) -> run P C C' -> edge_config C ->
  (forall d, In d (store C) -> ~ is_req d) -> forall d, In d (store C') -> ~ is_req d.
Proof.
  assert (Sub : forall s d, is_req (sub_c s d) -> is_req d) by (intros s [| | |]; simpl; auto).
  intros P C C' HP R; induction R as [C|C c r C' C'' K S R IH|C cs C'' K A R IH]; intros H N; auto.
  - apply IH; [eapply edge_step; eauto|]. clear IH. destruct H as (Ep & _).
    inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
    assert (Ec : edge_c c) by (apply Ep; rewrite E, in_app_iff; simpl; auto).
    destruct (cor_5_5_iv_rules _ _ _ _ _ F Ec) as (_ & _ & _ & _ & Ns).
    intros d I. unfold next in I. destruct (binds e) as [b|]; cbn [store] in I.
    + apply in_map_iff in I as (d0 & <- & I). intros X. apply Sub in X.
      apply in_add_bounds in I as [I|I]; [apply filter_In in I as [I _]; exact (N _ I X) | exact (Ns _ I X)].
    + apply in_add_bounds in I as [I|I]; auto.
  - apply IH; auto. destruct H as (H1 & H2 & H3). split; [|auto]. intros c I. apply in_app_iff in I as [I|I]; auto.
    exact (HP _ K c I).
Qed.

(** 5.5.iv.  What is reached from a set at the left edge, also with additions, is at the
    left edge, and no equation is deferred. *)
Theorem cor_5_5_iv_closed : forall cs C, edge_set cs -> run edge_kind (initial cs) C ->
  edge_config C /\ forall d, In d (store C) -> ~ is_req d.
Proof.
  intros cs C E R. apply edge_initial in E. split.
  - exact (edge_run _ _ _ (fun _ K => K) R E).
  - apply (edge_store _ _ _ (fun _ K => K) R E). intros d [].
Qed.

Lemma edge_reached : forall cs C, edge_set cs -> run any_step (initial cs) C ->
  edge_config C /\ forall d, In d (store C) -> ~ is_req d.
Proof. intros cs C E R. apply (cor_5_5_iv_closed cs); auto. eapply run_mono; [|exact R]. exact edge_any. Qed.

(** * A placement is no choice *)

(** 5.5.iv.  Rows at the left edge with the same content are equal. *)
Theorem cor_5_5_iv_flat : forall V W, edge_row V -> edge_row W -> (V ≈ W <-> V = W).
Proof.
  intros [l t] [l' t'] E E'. unfold edge_row, flat_equiv, flat in *. simpl in *. subst. simpl.
  split; [now intros -> | now intros [= ->]].
Qed.

Lemma edge_ground_r : forall g R, edge_ground g -> edge_r R -> edge_row (ground_r g R).
Proof.
  intros g R H E. unfold edge_row, ground_r. simpl. rewrite E. simpl.
  destruct (tmid R) as [p|]; [apply H | reflexivity].
Qed.

(** So the binding of a placement is entailed. *)
Lemma edge_content : forall g b, edge_ground g -> edge_b b -> binding_content g b -> binding_holds g b.
Proof.
  intros g [a t|p R] H E B; simpl in *; auto. apply cor_5_5_iv_flat; auto. now apply edge_ground_r.
Qed.

Lemma agree_satisfies : forall C g h, well_formed C -> agree_on (used C) g h -> satisfies g C -> satisfies h C.
Proof.
  intros C g h W A (Hp & Hs & Hr). split; [|split; [|eapply agree_respects; eauto]]; intros c I;
    (apply (agree_holds g h); [|auto]); intros v J; apply A; destruct W as (_ & W & _); apply W, in_flat_map;
    exists c; rewrite in_app_iff; auto.
Qed.

(** Every step, placements included, keeps the solutions at the left edge. *)
Lemma edge_step_complete : forall C c r C' g, well_formed C -> edge_config C -> step C c r C' ->
  edge_ground g -> satisfies g C -> exists h, edge_ground h /\ agree_on (used C) g h /\ satisfies h C'.
Proof.
  intros C c r C' g W EC S Eg G.
  assert (W' : well_formed C') by (eapply step_well_formed; eauto).
  destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  assert (Ec : edge_c c) by (apply (proj1 EC), P; auto).
  destruct (cor_5_5_iv_rules _ _ _ _ _ F Ec) as (_ & _ & _ & Eb & _).
  pose proof (fires_binding C c r e V F) as FB.
  destruct (commits_dec c r) as [Cm|Cm].
  - exists g. split; [auto | split; [intros [a|p] _; reflexivity|]].
    apply (step_exact C c r _ g W S G).
    assert (Hc : holds g c) by (apply (proj1 G), P; auto).
    apply (lemma_5_1_policy _ _ _ _ _ F Cm g) in Hc as (_ & Hb & _).
    unfold next. destruct (binds e) as [b|]; [|apply G]. cbn [sigma]. apply respects_comp; [now apply FB|].
    split; [|apply G]. apply edge_content; auto.
  - destruct (step_complete C c r _ g W S Cm G) as (h & A & Hh).
    assert (Eh : forall p, In (RV p) (used (next C rest c e)) -> edge_row (g_r h p)).
    { assert (Eu : forall p, In (RV p) (used C) -> edge_row (g_r h p)).
      { intros p I. specialize (A _ I). simpl in A. rewrite <- A. apply Eg. }
      assert (Fx : forall b, binds e = Some b -> fixes (sigma C) (bound_var b)) by (intros b X; now apply FB).
      apply next_satisfies in Hh as (_ & _ & _ & _ & Hb & _); auto.
      unfold next. destruct (binds e) as [[a t|p0 R]|]; cbn [used]; auto; intros p I; apply in_app_iff in I as [I|I]; auto.
      - destruct t; simpl in I; [destruct I as [I|[]]; discriminate | destruct I].
      - apply no_other_row_var in I. destruct (FB _ eq_refl) as (_ & Iu & _). apply Eu in Iu.
        unfold edge_row in *. simpl in Hb. rewrite Hb in Iu. unfold ground_r in Iu. simpl in Iu. rewrite I in Iu.
        now apply app_eq_nil in Iu. }
    set (k := Ground (g_d h) (fun p => [] ·⋄· trail (g_r h p))).
    assert (Ak : agree_on (used (next C rest c e)) h k).
    { intros [a|p] I; simpl; [auto|]. apply Eh in I. unfold edge_row in I. destruct (g_r h p) as [l t]. simpl in *. now subst. }
    exists k. split; [intros p; reflexivity | split; [|eapply agree_satisfies; eauto]].
    intros v I. eapply agree_at_trans; [apply A; auto|]. apply Ak. eapply step_used; eauto.
Qed.

Lemma edge_run_complete : forall C C', run any_step C C' -> well_formed C -> edge_config C ->
  forall g, edge_ground g -> satisfies g C -> exists h, edge_ground h /\ agree_on (used C) g h /\ satisfies h C'.
Proof.
  intros C C' R; induction R as [C|C c r C' C'' N S R IH|C cs C'' []]; intros W EC g Eg G.
  - exists g; split; [auto | split; [intros [a|p] _; reflexivity | auto]].
  - destruct (edge_step_complete C c r C' g W EC S Eg G) as (h & Eh & A & Hh).
    destruct (IH (step_well_formed _ _ _ _ W S) (edge_step _ _ _ _ S EC) h Eh Hh) as (k & Ek & A' & Hk).
    exists k; split; [auto | split; [|auto]]. intros v I. eapply agree_at_trans; [apply A; auto|].
    apply A'. eapply step_used; eauto.
Qed.

(** 5.5.iv.  Whatever was placed, what is reached has exactly the solutions of the input
    at the left edge, forgetting the fresh variables. *)
Theorem cor_5_5_iv_preservation : forall cs C, edge_set cs -> run any_step (initial cs) C ->
  forall g, edge_ground g ->
  (sol cs g <-> exists h, edge_ground h /\ agree_on (flat_map vars_c cs) g h /\ satisfies h C).
Proof.
  intros cs C E R g Eg. split.
  - intros G. apply (edge_run_complete _ _ R (initial_well_formed cs) (edge_initial cs E) g Eg).
    now apply initial_satisfies.
  - intros (h & _ & A & H). apply (thm_5_6_sound cs C R) in H. apply (agree_sol h g); [|auto].
    intros v I. apply agree_at_sym. auto.
Qed.

(** 5.5.iv.  No guessing: each extends to one that respects every binding made. *)
Theorem cor_5_5_iv_bindings : forall cs C, edge_set cs -> run any_step (initial cs) C ->
  forall g, edge_sol cs g ->
  exists h, edge_sol cs h /\ agree_on (flat_map vars_c cs) g h /\ respects h (sigma C) /\ sol (store C) h.
Proof.
  intros cs C E R g [Eg G]. apply (cor_5_5_iv_preservation cs C E R g Eg) in G as (h & Eh & A & H).
  exists h. split; [split; [auto | now apply (thm_5_6_sound cs C R)] | split; [auto | split; apply H]].
Qed.

(** * The verdict *)

(** 5.5.iv.  A run fails, by a rule or by the signed guard, only where there is no
    solution at the left edge. *)
Theorem cor_5_5_iv_failure : forall cs C, edge_set cs -> run any_step (initial cs) C -> fails C ->
  ~ exists g, edge_sol cs g.
Proof.
  intros cs C E R F (g & Eg & G). apply (cor_5_5_iv_preservation cs C E R g Eg) in G as (h & _ & _ & H).
  apply (r1a_failure_is_unsat cs C R F). eauto.
Qed.

Lemma edge_greatest : forall s, edge_subst s -> edge_ground (greatest s).
Proof. intros s H p. apply edge_ground_r; [intros q; reflexivity | apply H]. Qed.

(** 5.5.iv.  Where everything is processed γ↑ is a solution at the left edge, *)
Theorem cor_5_5_iv_success : forall cs C, edge_set cs -> run any_step (initial cs) C -> phi C = [] ->
  succeeds C /\ edge_sol cs (greatest (sigma C)).
Proof.
  intros cs C E R D. destruct (edge_reached cs C E R) as ((_ & _ & Es) & N).
  split; [split; auto | split; [now apply edge_greatest | now apply cor_5_5_i_runs]].
Qed.

(** 5.5.iv.  and the greatest of them. *)
Theorem cor_5_5_iv_greatest : forall cs C, edge_set cs -> run any_step (initial cs) C ->
  forall g, edge_sol cs g -> forall v, In v (flat_map vars_c cs) -> below_at g (greatest (sigma C)) v.
Proof.
  intros cs C E R g G v I. destruct (cor_5_5_iv_bindings cs C E R g G) as (h & _ & A & Hr & _).
  apply (prop_5_4_ii _ h) with (v := v) in Hr. specialize (A v I). destruct v as [a|p]; simpl in *; now rewrite A.
Qed.

(** 5.5.iv.  A run that ended succeeded iff there is a solution at the left edge. *)
Theorem cor_5_5_iv_decision : forall cs C, edge_set cs -> run any_step (initial cs) C -> fails C \/ phi C = [] ->
  (phi C = [] <-> exists g, edge_sol cs g) /\ (fails C <-> ~ exists g, edge_sol cs g).
Proof.
  intros cs C E R D. pose proof (cor_5_5_iv_failure cs C E R) as A.
  assert (B : phi C = [] -> exists g, edge_sol cs g) by (intros X; exists (greatest (sigma C)); now apply cor_5_5_iv_success).
  destruct D as [D|D]; split; split; auto; intros X; exfalso; auto. now apply A.
Qed.

(** * Two runs, in any order of the statements *)

Lemma edge_sol_same : forall cs ds, (forall c, In c ds <-> In c cs) -> forall g, edge_sol ds g <-> edge_sol cs g.
Proof. intros cs ds S g. split; intros [Eg G]; (split; [exact Eg|]); intros c I; apply G, S, I. Qed.

Lemma edge_set_same : forall cs ds, (forall c, In c ds <-> In c cs) -> edge_set cs -> edge_set ds.
Proof. intros cs ds S E c I. apply E, S, I. Qed.

Lemma vars_same : forall cs ds, (forall c, In c ds <-> In c cs) ->
  forall v, In v (flat_map vars_c ds) <-> In v (flat_map vars_c cs).
Proof. intros cs ds S v. rewrite !in_flat_map. split; intros (c & I & J); exists c; (split; [now apply S | exact J]). Qed.

Lemma below_at_antisym : forall g h v, below_at g h v -> below_at h g v -> agree_at g h v.
Proof.
  intros g h [a|p] L1 L2; simpl in *; [|now apply prop_2_5_le_antisym].
  destruct L1 as [L1|L1], L2 as [L2|L2]; congruence.
Qed.

(** 5.5.iv.  Runs of the same statements, in any order and by any strategy, end alike. *)
Theorem cor_5_5_iv_verdict : forall cs ds C D, edge_set cs -> (forall c, In c ds <-> In c cs) ->
  run any_step (initial cs) C -> fails C \/ phi C = [] ->
  run any_step (initial ds) D -> fails D \/ phi D = [] ->
  (succeeds C <-> succeeds D) /\ (fails C <-> fails D).
Proof.
  intros cs ds C D E S RC EC RD ED. pose proof (edge_set_same cs ds S E) as E'.
  destruct (cor_5_5_iv_decision cs C E RC EC) as [C1 C2]. destruct (cor_5_5_iv_decision ds D E' RD ED) as [D1 D2].
  assert (X : (exists g, edge_sol ds g) <-> exists g, edge_sol cs g)
    by (split; intros (g & G); exists g; now apply (edge_sol_same cs ds S)).
  assert (SC : succeeds C <-> phi C = []) by (split; [now intros [] | intros Y; now apply (cor_5_5_iv_success cs)]).
  assert (SD : succeeds D <-> phi D = []) by (split; [now intros [] | intros Y; now apply (cor_5_5_iv_success ds)]).
  rewrite SC, SD, C1, C2, D1, D2, X. tauto.
Qed.

(** 5.5.iv.  And they find the same: axes and markers of every variable of the input. *)
Theorem cor_5_5_iv_values : forall cs ds C D, edge_set cs -> (forall c, In c ds <-> In c cs) ->
  run any_step (initial cs) C -> phi C = [] -> run any_step (initial ds) D -> phi D = [] ->
  agree_on (flat_map vars_c cs) (greatest (sigma C)) (greatest (sigma D)).
Proof.
  intros cs ds C D E S RC EC RD ED v I. pose proof (edge_set_same cs ds S E) as E'.
  assert (I' : In v (flat_map vars_c ds)) by now apply (vars_same cs ds S).
  destruct (cor_5_5_iv_success cs C E RC EC) as [_ SC]. destruct (cor_5_5_iv_success ds D E' RD ED) as [_ SD].
  apply (edge_sol_same cs ds S) in SD as SD'. apply (edge_sol_same cs ds S) in SC as SC'.
  apply below_at_antisym; [now apply (cor_5_5_iv_greatest ds D E' RD) | now apply (cor_5_5_iv_greatest cs C E RC)].
Qed.

(** 5.5.iv.  A solved form represents the solutions of the input at the left edge, *)
Theorem cor_5_5_iv_represents : forall cs C, edge_set cs -> run any_step (initial cs) C -> phi C = [] ->
  forall g, edge_ground g -> (sol cs g <->
    exists h, edge_ground h /\ agree_on (flat_map vars_c cs) g h /\ respects h (sigma C) /\ sol (store C) h).
Proof.
  intros cs C E R D g Eg. rewrite (cor_5_5_iv_preservation cs C E R g Eg). unfold satisfies. rewrite D.
  split; intros (h & Eh & A & H); exists h; split; auto; split; auto; [tauto|]. split; [apply sol_nil | tauto].
Qed.

(** 5.5.iv.  so two of them represent the same. *)
Theorem cor_5_5_iv_same_solutions : forall cs ds C D, edge_set cs -> (forall c, In c ds <-> In c cs) ->
  run any_step (initial cs) C -> phi C = [] -> run any_step (initial ds) D -> phi D = [] ->
  forall h, edge_ground h -> respects h (sigma C) -> sol (store C) h ->
  exists k, edge_ground k /\ agree_on (flat_map vars_c cs) h k /\ respects k (sigma D) /\ sol (store D) k.
Proof.
  intros cs ds C D E S RC EC RD ED h Eh Hr Hs. pose proof (edge_set_same cs ds S E) as E'.
  assert (G : sol cs h) by (apply (thm_5_6_sound cs C RC); split; [rewrite EC; apply sol_nil | auto]).
  assert (G' : sol ds h) by (intros c I; apply G, S, I).
  apply (cor_5_5_iv_represents ds D E' RD ED h Eh) in G' as (k & Ek & A & K). exists k. split; [auto | split; [|auto]].
  intros v I. apply A. now apply (vars_same cs ds S).
Qed.

(** * Runs end *)

(** 5.5.iv.  With the signed guard every run ends, and one that cannot go on has found
    whether there is a solution at the left edge. *)
Theorem cor_5_5_iv_decided : forall cs, edge_set cs ->
  Acc (fun C' C => guarded_step C C') (initial cs) /\
  forall C, run any_step (initial cs) C -> (forall C', ~ guarded_step C C') ->
    (phi C = [] <-> exists g, edge_sol cs g).
Proof.
  intros cs E. split; [apply r1b_termination|]. intros C R N. split.
  - intros D. exists (greatest (sigma C)). now apply cor_5_5_iv_success.
  - intros G. destruct (phi C) as [|c post] eqn:Ep; [auto|]. exfalso.
    destruct (def_4_3_some_rule_applies (used C) (store C) c) as (r & [|e] & F).
    + apply (cor_5_5_iv_failure cs C E R); [|exact G]. left. exists c, r. split; [rewrite Ep; simpl; auto | exact F].
    + pose proof (Step C [] c post r e Ep F) as S.
      assert (R' : run any_step (initial cs) (next C ([] ++ post) c e)).
      { eapply run_trans; [exact R|]. eapply Run_cons; [exact I | exact S | constructor]. }
      assert (Ng : ~ guard_fails (next C ([] ++ post) c e)).
      { intros X. apply (cor_5_5_iv_failure cs _ E R'); [right; exact X | exact G]. }
      apply (N (next C ([] ++ post) c e)). split; [eauto|].
      split; intros X; apply Ng; exists []; (split; [apply incl_nil_l|]); simpl; rewrite !app_nil_r; auto.
Qed.

(** * Statement by statement *)

Lemma shaped_solved_form : forall C, well_formed C -> (forall d, In d (store C) -> bound_shape d) ->
  (forall d, In d (store C) -> ~ is_req d) -> solved_form (sigma C) (store C).
Proof.
  intros C (Wi & Wv & _) Sh N. split; [exact Wi|]. intros c I. specialize (Sh c I). specialize (N c I).
  assert (Fx : forall v, In v (vars_c c) -> fixes (sigma C) v).
  { intros v J. apply Wv, in_flat_map. exists c. rewrite in_app_iff. auto. }
  destruct c as [t u|t [a|d]|T Q|T Q]; simpl in *; try tauto.
  - apply Fx, in_app_iff. simpl. auto.
  - destruct Sh as (p & ->). exists p. split; [auto|]. apply Fx, in_app_iff. right. simpl. auto.
Qed.

Lemma respects_holds : forall g s c, respects g s -> (holds g (sub_c s c) <-> holds g c).
Proof.
  intros g s c R. destruct (respects_ground g s R) as [Hd Hr].
  destruct c as [t u|t u|T Q|T Q]; simpl; now rewrite ?Hd, ?Hr.
Qed.

(** What holds on the way. *)
Lemma staged_means : forall U cs C, staged U cs C -> edge_set cs ->
  well_formed C /\ incl U (used C) /\ edge_config C /\ (forall d, In d (store C) -> ~ is_req d) /\ facts_entailed C /\
  (forall d, In d (store C) -> bound_shape d) /\
  (forall g, satisfies g C -> sol cs g) /\
  (forall g, edge_ground g -> sol cs g -> exists h, edge_ground h /\ agree_on U g h /\ satisfies h C).
Proof.
  intros U cs C H; induction H as [|cs C c r C' H IH S|cs C c H IH V]; intros E.
  - assert (F : forall v, fixes id_subst v) by (intros v; apply id_var).
    split; [|split; [apply incl_refl | split; [split; [intros c [] | split; [intros c [] | intros p; apply edge_rvar]]|]]].
    + split; [|split; [|split]]; simpl.
      * intros v D _. apply D, F.
      * intros v [].
      * intros v D. destruct D. apply F.
      * intros v (w & D & _). destruct D. apply F.
    + split; [intros d [] | split; [intros g _; split; intros f [] | split; [intros d [] | split; [intros g _ c [] |]]]].
      intros g Eg _. exists g. split; [auto | split; [intros [a|p] _; reflexivity|]].
      split; [intros c [] | split; [intros c [] | apply id_respects]].
  - destruct (IH E) as (W & Us & EC & N & Fa & Sh & So & Co).
    assert (R : run any_step C C') by (eapply Run_cons; [exact I | exact S | constructor]).
    split; [eapply step_well_formed; eauto | split; [eapply incl_tran; [exact Us | eapply step_used; eauto]|]].
    split; [eapply edge_step; eauto | split; [apply (edge_store _ _ _ edge_any R EC N) | split; [eapply step_facts; eauto|]]].
    split; [eapply step_shape; eauto | split; [intros g G; apply So; eapply step_sound; eauto|]].
    intros g Eg G. destruct (Co g Eg G) as (h & Eh & A & Hh).
    destruct (edge_step_complete C c r C' h W EC S Eh Hh) as (k & Ek & A' & Hk). exists k. split; [auto | split; [|auto]].
    intros v I. eapply agree_at_trans; [apply A; auto | apply A'; auto].
  - assert (E0 : edge_set cs) by (intros d I; apply E, in_app_iff; auto).
    assert (Ec : edge_c c) by (apply E, in_app_iff; right; now left).
    destruct (IH E0) as (W & Us & EC & N & Fa & Sh & So & Co). destruct EC as (E1 & E2 & E3).
    split; [apply extend_well_formed; [auto|]; intros d [<-|[]]; apply sub_knows; [auto | eapply incl_tran; eauto]|].
    split; [exact Us | split; [split; [|auto]|split; [exact N | split; [|split; [exact Sh | split]]]]].
    + intros d I. apply in_app_iff in I as [I|[<-|[]]]; [auto | now apply edge_sub_c].
    + intros g G. apply extend_satisfies in G as [G _]. exact (Fa g G).
    + intros g G. apply extend_satisfies in G as [G K]. intros d I. apply in_app_iff in I as [I|[<-|[]]]; [exact (So g G d I)|].
      apply (respects_holds g (sigma C)); [apply G | apply K; now left].
    + intros g Eg G. apply sol_app in G as [G K]. destruct (Co g Eg G) as (h & Eh & A & Hh). exists h.
      split; [auto | split; [auto|]]. apply extend_satisfies. split; [exact Hh|]. intros d [<-|[]].
      apply respects_holds; [apply Hh|]. apply (agree_holds g h); [intros v I; apply A; auto | apply K; now left].
Qed.

(** 5.5.iv.  It does not matter either how much is solved before the next statement comes, for example
    operation by operation: failure means that there is no solution at the left edge, and where all is
    processed γ↑ is the greatest. *)
Theorem cor_5_5_iv_staged : forall U cs C, staged U cs C -> edge_set cs ->
  (fails C -> ~ exists g, edge_sol cs g) /\
  (phi C = [] -> edge_sol cs (greatest (sigma C)) /\
     forall g, edge_sol cs g -> forall v, In v U -> below_at g (greatest (sigma C)) v).
Proof.
  intros U cs C H E. destruct (staged_means U cs C H E) as (W & _ & EC & N & Fa & Sh & So & Co). split.
  - intros F (g & Eg & G). destruct (Co g Eg G) as (h & _ & _ & Hh). destruct F as [(c & r & I & F)|(ds & Inc & F)].
    + exact (lemma_5_1_fail _ _ _ _ F h (proj1 (proj2 Hh)) (proj1 Hh c I)).
    + destruct (Fa h Hh) as [L T].
      assert (K : facts_hold (lead_lengths h) (flat_map lead_facts ds) /\ facts_hold (trail_lengths h) (flat_map trail_facts ds)).
      { split; intros f J; apply in_flat_map in J as (d & J & Jf); apply Inc in J;
          apply (r1a_inequality h d); auto; apply (proj1 Hh); auto. }
      destruct F as [F|F]; apply (positive_cycle_infeasible _ F);
        [exists (lead_lengths h) | exists (trail_lengths h)]; apply facts_hold_app; tauto.
  - intros D.
    pose proof (shaped_solved_form C W Sh N) as F.
    destruct (prop_5_4_i _ _ F) as [R Ss]. split.
    + split; [apply edge_greatest, EC|]. apply So. split; [rewrite D; apply sol_nil | auto].
    + intros g [Eg G] v I. destruct (Co g Eg G) as (h & _ & A & Hh).
      pose proof (prop_5_4_ii (sigma C) h (proj2 (proj2 Hh)) v) as L. specialize (A v I).
      destruct v as [a|p]; simpl in *; now rewrite A.
Qed.

(** * The guard of Def. 4.5 *)

(** In the fragment its edges are exact (outside they are not: F2). *)
Lemma edge_paper_edges : forall g c, edge_c c -> holds g c -> facts_hold (rank_lengths g) (paper_edges c).
Proof.
  intros g c E H. destruct c as [t u|t u|R Q|R Q]; try (intros f []).
  apply inequality_facts in H as [HL HT]. destruct E as [ER EQ]. unfold paper_edges.
  destruct (tmid R) as [p|] eqn:MR, (tmid Q) as [q|] eqn:MQ; try (intros f []).
  unfold fact_holds, lead_fact, trail_fact in HL, HT. cbn [greater lesser weight] in HL, HT.
  rewrite MR, MQ in HL, HT. cbn [length_of] in HL, HT. unfold edge_r in *.
  unfold lead_deficit, trail_deficit, known_rank, len in *. rewrite ER, EQ in *. cbn [length] in *.
  destruct (_ && negb _) eqn:X; intros f J; [destruct J|]. destruct J as [<-|[]].
  unfold fact_holds, rank_lengths, rank, lead_lengths, trail_lengths in *. cbn [greater lesser weight length_of].
  destruct (Nat.eqb_spec (0 - 0 + (length (ttrail Q) - length (ttrail R))) 0) as [Y|Y]; cbn [andb] in X.
  - apply negb_false_iff, Nat.eqb_eq in X. lia.
  - lia.
Qed.

Lemma edge_paper_binding : forall g b, binding_holds g b -> facts_hold (rank_lengths g)
  match b with
  | BindR p R => match tmid R with Some q => [Fact (Some p) (Some q) (Z.of_nat (known_rank R))] | None => [] end
  | BindD _ _ => []
  end.
Proof.
  intros g [a t|p R] H; [intros f []|]. simpl in H. destruct (tmid R) as [q|] eqn:M; [|intros f []].
  intros f [<-|[]]. unfold fact_holds, rank_lengths, rank. cbn [greater lesser weight length_of].
  rewrite H. unfold ground_r. rewrite M. simpl. rewrite !len_app, !len_map. unfold known_rank. lia.
Qed.

Lemma paper_run_run : forall C fs C', paper_run C fs C' -> run any_step C C'.
Proof.
  intros C fs C' R; induction R as [C pre c post r e Ep F|C fs C' gs C'' R IH R' IH'].
  - eapply Run_cons; [exact I | apply (Step C pre c post r e Ep F) | constructor].
  - eapply run_trans; eauto.
Qed.

(** Every solution of what is reached satisfies what was recorded. *)
Lemma paper_run_facts : forall C fs C', paper_run C fs C' -> well_formed C -> edge_config C ->
  forall g, satisfies g C' -> facts_hold (rank_lengths g) fs.
Proof.
  intros C fs C' R; induction R as [C pre c post r e Ep F|C fs C' gs C'' R IH R' IH']; intros W EC g G.
  - pose proof (Step C pre c post r e Ep F) as S. pose proof (step_sound _ _ _ _ g W S G) as (Hp & _).
    assert (Ic : In c (phi C)) by (rewrite Ep, in_app_iff; simpl; auto).
    destruct (step_fixed C c r _ W S) as (V & _).
    apply next_satisfies in G as (_ & _ & _ & _ & B & _); [|intros; eapply fires_binding; eauto].
    unfold paper_recorded. apply facts_hold_app. split; [apply edge_paper_edges; [now apply (proj1 EC) | auto]|].
    destruct (binds e) as [b|]; [|intros f []]. exact (edge_paper_binding g b B).
  - apply facts_hold_app. pose proof (paper_run_run _ _ _ R) as RR. pose proof (paper_run_run _ _ _ R') as RR'.
    assert (W' : well_formed C') by (eapply run_well_formed; eauto).
    assert (EC' : edge_config C') by (exact (edge_run _ _ _ edge_any RR EC)).
    split; [|now apply IH']. apply IH; auto. eapply run_sound; eauto.
Qed.

(** 5.5.iv.  The guard of Def. 4.5 fails, too, only where there is no solution at the left
    edge. *)
Theorem cor_5_5_iv_paper_guard : forall cs fs C ds, edge_set cs -> paper_run (initial cs) fs C ->
  incl ds (phi C) -> positive_cycle (fs ++ flat_map paper_edges ds) -> ~ exists g, edge_sol cs g.
Proof.
  intros cs fs C ds E R Inc P (g & Eg & G). pose proof (paper_run_run _ _ _ R) as RR.
  apply (cor_5_5_iv_preservation cs C E RR g Eg) in G as (h & _ & _ & H).
  apply (positive_cycle_infeasible _ P). exists (rank_lengths h). apply facts_hold_app. split.
  - exact (paper_run_facts _ _ _ R (initial_well_formed cs) (edge_initial cs E) h H).
  - intros f I. apply in_flat_map in I as (c & I & J). apply Inc in I.
    apply (edge_paper_edges h c); auto; [|now apply (proj1 H)].
    now apply (proj1 (proj1 (edge_reached cs C E RR))).
Qed.

(** * Just outside *)

(** 5.5.iv.  A set at the left edge may have solutions, and none at the left edge: 2.11's, as H1's
    fourth program. *)
Theorem cor_5_5_iv_not_all_solutions : edge_set finding_h1_rejected /\
  sol finding_h1_rejected finding_h1_solution /\ ~ exists g, edge_sol finding_h1_rejected g.
Proof.
  assert (E : edge_set finding_h1_rejected) by now apply edgeb_spec.
  destruct remark_2_14_iii_refuted as (_ & S & R & F). split; [exact E | split; [exact S|]].
  eapply cor_5_5_iv_failure; [exact E | exact R | left; exact F].
Qed.

(** 5.5.iv.  With one axis before one marker, two strategies end differently. *)
Theorem cor_5_5_iv_one_leading_axis :
  list_sum (map (fun c => match c with REq R Q | RLe R Q => length (tlead R) + length (tlead Q) | _ => 0 end)
                finding_h1_orders) = 1 /\
  run any_step (initial finding_h1_orders) (reached finding_h1_orders (repeat 0 6)) /\
  succeeds (reached finding_h1_orders (repeat 0 6)) /\
  run any_step (initial finding_h1_orders) (reached finding_h1_orders [2; 1; 0]) /\
  rule_fails (reached finding_h1_orders [2; 1; 0]).
Proof.
  split; [reflexivity|]. split; [apply reached_run; reflexivity|].
  split; [split; [reflexivity|]; intros d J; vm_compute in J; decompose [or] J; subst; simpl; tauto|].
  split; [apply reached_run; reflexivity|]. apply (fails_at_fails _ 0). reflexivity.
Qed.
