(** A configuration means exactly the input together with its bindings; from it
    5.5(ii) in both directions, 5.5(iii), and confluence (5.6) for runs of
    semantic steps. *)

From Coq Require Import List Bool Arith PArith.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Semantics Semantics_thm Rules Rules_thm Tactics
  Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Placement Placement_thm Closing Closing_thm Exact.
Import ListNotations.

(** * Steps *)

(** After a step, a solution from before that respects the bindings is a solution. *)
Lemma step_exact : forall C c r C' g, well_formed C -> step C c r C' -> satisfies g C ->
  respects g (sigma C') -> satisfies g C'.
Proof.
  intros C c r C' g W S (Hp & Hs & HR) R'.
  destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  assert (FB : forall b, binds e = Some b -> fixes (sigma C) (bound_var b)) by (intros; eapply fires_binding; eauto).
  apply next_satisfies; auto. split; [intros d I; apply Hp, P; auto | split; [auto | split; [auto|]]].
  assert (Hc : holds g c) by (apply Hp, P; auto).
  assert (B : match binds e with Some b => binding_holds g b | None => True end).
  { unfold next in R'. destruct (binds e) as [b|] eqn:Eb; [|exact Logic.I]. simpl in R'.
    apply (respects_comp g b (sigma C)) in R'; [tauto | auto]. }
  split; [|split; auto].
  destruct (commits_dec c r) as [Cm|Cm].
  - apply (lemma_5_1_policy _ _ _ _ _ F Cm g) in Hc. apply Hc.
  - destruct W as (_ & Wv & _).
    apply (lemma_5_1_semantic _ _ _ _ _ F Cm) in Hc; [| |exact Hs].
    + destruct Hc as (h & A & Ha & _). intros d I. apply (agree_holds g h); [|auto].
      intros v J. apply A. apply V. pose proof (outcome_vars _ _ _ _ _ F) as OV. simpl in OV.
      apply OV. apply in_flat_map. eauto.
    + intros v I. simpl in I. apply in_app_iff in I as [I|I]; [now apply V|].
      apply Wv. rewrite flat_map_app, in_app_iff. auto.
Qed.

Lemma step_respects : forall C c r C' g, well_formed C -> step C c r C' ->
  respects g (sigma C') -> respects g (sigma C).
Proof.
  intros C c r C' g W S K. destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & _).
  unfold next in K. destruct (binds e) as [b|] eqn:Eb; simpl in K; auto.
  apply respects_comp in K; [tauto|]. eapply fires_binding; eauto.
Qed.

Lemma run_respects : forall P C C' g, run P C C' -> well_formed C ->
  respects g (sigma C') -> respects g (sigma C).
Proof.
  intros P C C' g R; induction R as [C|C c r C' C'' N S R IH|C cs C'' N A R IH]; intros W K; auto.
  - eapply step_respects; eauto. apply IH; eauto using step_well_formed.
  - apply IH; [now apply extend_well_formed | exact K].
Qed.

Lemma run_exact : forall C C', run any_step C C' -> well_formed C ->
  forall g, satisfies g C' <-> satisfies g C /\ respects g (sigma C').
Proof.
  intros C C' R; induction R as [C|C c r C' C'' N S R IH|C cs C'' []]; intros W g.
  - split; [intros G; split; [auto | apply G] | tauto].
  - assert (W' : well_formed C') by (eapply step_well_formed; eauto). rewrite (IH W' g). split.
    + intros [G K]. split; [eapply step_sound; eauto | auto].
    + intros [G K]. split; auto. apply (step_exact C c r C' g W S G). eapply run_respects; eauto.
Qed.

(** Whatever was committed: a configuration reached means the input and its bindings. *)
Theorem lemma_5_1_exact : forall cs C, run any_step (initial cs) C ->
  forall g, satisfies g C <-> sol cs g /\ respects g (sigma C).
Proof. intros cs C R g. rewrite (run_exact _ _ R (initial_well_formed cs)). now rewrite initial_satisfies. Qed.

(** * 5.5(ii), in both directions *)

Lemma identity_holds : forall g b, sol (identity b) g <-> binding_holds g b.
Proof.
  intros g [a t|p R]; unfold sol; simpl; split.
  - intros G. apply (G (DEq (DVar a) t)). auto.
  - intros G c [<-|[]]. exact G.
  - intros G. rewrite <- (ground_rvar g p). apply prop_2_5_le_antisym.
    + apply (G (RLe (rvar_term p) R)). auto.
    + apply (G (RLe R (rvar_term p))). auto.
  - intros G c [<-|[<-|[]]]; simpl; rewrite ground_rvar, G; apply prop_2_5_le_refl.
Qed.

(** A step, with what it commits, keeps the meaning exactly. *)
Lemma step_committed : forall C pre c post r e ds g, well_formed C -> phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) -> committed c r e ds ->
  (satisfies g (next C (pre ++ post) c e) <-> satisfies g C /\ sol ds g).
Proof.
  intros C pre c post r e ds g W Ep F Cm.
  pose proof (Step C pre c post r e Ep F) as S.
  destruct (step_fixed C c r _ W S) as (V & _).
  assert (FB : forall b, binds e = Some b -> fixes (sigma C) (bound_var b)) by (intros; eapply fires_binding; eauto).
  split.
  - intros G. split; [eapply step_sound; eauto|].
    apply next_satisfies in G as (_ & _ & _ & _ & B & _); auto.
    destruct Cm as [(_ & b & Eb & ->)|(_ & _ & ->)]; [|apply sol_nil].
    rewrite Eb in B. now apply identity_holds.
  - intros [G D]. apply (step_exact C c r _ g W S G).
    destruct G as (Hp & Hs & HR).
    assert (Hc : holds g c) by (apply Hp; rewrite Ep, in_app_iff; simpl; auto).
    unfold next. destruct (binds e) as [b|] eqn:Eb; simpl; [|exact HR].
    apply respects_comp; [auto|]. split; [|exact HR].
    destruct Cm as [(_ & b' & Eb' & ->)|(NC & ND & ->)].
    + assert (b' = b) as -> by congruence. now apply identity_holds.
    + apply (fires_exact _ _ _ _ _ F NC ND g Hs) in Hc. destruct Hc as (_ & B & _). now rewrite Eb in B.
Qed.

Lemma committing_exact : forall C ds C', committing C ds C' -> well_formed C ->
  well_formed C' /\ forall g, satisfies g C' <-> satisfies g C /\ sol ds g.
Proof.
  intros C ds C' K; induction K as [C|C pre c post r e ds es C' Ep F Cm K IH|C cs es C' A K IH]; intros W.
  - split; [auto|]. intros g. split; [intros G; split; [auto | apply sol_nil] | tauto].
  - destruct IH as [W' IH]; [eapply step_well_formed; eauto; econstructor; eauto|]. split; [auto|].
    intros g. rewrite IH, (step_committed C pre c post r e ds g W Ep F Cm), sol_app. tauto.
  - destruct IH as [W' IH]; [now apply extend_well_formed|]. split; [auto|].
    intros g. rewrite IH, extend_satisfies, sol_app. tauto.
Qed.

Lemma committing_closing : forall C ds C', committing C ds C' -> closing C C'.
Proof.
  intros C ds C' K; induction K as [C|C pre c post r e ds es C' Ep F Cm K IH|C cs es C' A K IH].
  - constructor.
  - eapply Run_cons; eauto; [exact I | econstructor; eauto].
  - eapply Run_add; eauto. exact I.
Qed.

Lemma commits_bind : forall used B c r e, fires used B c r (Does e) -> commits c r ->
  exists p V, binds e = Some (BindR p V).
Proof.
  intros used B c r e F Cm. remember (Does e) as o eqn:Eo. destruct F; simpl in Cm; try tauto;
    unfold re_open_closed, re_nested, emit_bind in Eo;
    repeat match type of Eo with context [if ?x then _ else _] => destruct x end; try discriminate;
    injection Eo as <-; simpl; eauto.
Qed.

Lemma deficit_bind : forall used B c e, fires used B c RI_deficit (Does e) -> exists b, binds e = Some b.
Proof.
  intros used B c e F. remember (Does e) as o eqn:Eo. remember RI_deficit as r eqn:Er.
  destruct F; try discriminate. injection Eo as <-. simpl. eauto.
Qed.

(** Every run is such a run: what it commits can be read off. *)
Lemma run_committing : forall P C C', run P C C' -> exists ds, committing C ds C'.
Proof.
  intros P C C' R; induction R as [C|C c r C' C'' N S R (es & IH)|C cs C'' N A R (es & IH)];
    [exists []; constructor | | exists (cs ++ es); now constructor].
  destruct S as [C pre c post r e Ep F].
  assert (D : exists ds, committed c r e ds).
  { destruct (commits_dec c r) as [Cm|Cm].
    - destruct (commits_bind _ _ _ _ _ F Cm) as (p & V & Eb). exists (identity (BindR p V)). left. eauto.
    - assert (DD : r = RI_deficit \/ r <> RI_deficit) by (destruct r; auto; right; discriminate).
      destruct DD as [-> | ND]; [|exists []; right; auto].
      destruct (deficit_bind _ _ _ _ F) as (b & Eb). exists (identity b). left. eauto. }
  destruct D as (ds & D). exists (ds ++ es). econstructor; eauto.
Qed.

(** A configuration means the input, with the placements and the constraints that
    closing added: the policy-strengthened system. *)
Theorem cor_5_5_ii_strengthened : forall cs ds C, committing (initial cs) ds C ->
  forall g, satisfies g C <-> sol (cs ++ ds) g.
Proof.
  intros cs ds C K g. destruct (committing_exact _ _ _ K (initial_well_formed cs)) as [_ E].
  rewrite E, initial_satisfies, sol_app. tauto.
Qed.

(** 5.5: a run that ended, with its deferred equations resolved, fails iff the
    policy-strengthened system has no solution. *)
Theorem cor_5_5_ii_decision : forall cs ds C, committing (initial cs) ds C ->
  (fails C -> ~ exists g, sol (cs ++ ds) g) /\ (succeeds C -> exists g, sol (cs ++ ds) g) /\
  (fails C \/ succeeds C -> (fails C <-> ~ exists g, sol (cs ++ ds) g)).
Proof.
  intros cs ds C K.
  pose proof (cor_5_5_ii_strengthened cs ds C K) as E.
  pose proof (closing_kept cs _ _ (committing_closing _ _ _ K) (initial_invariant cs)) as Inv.
  assert (A : fails C -> ~ exists g, sol (cs ++ ds) g).
  { intros F (g & G). assert (Ex : exists h, satisfies h C) by (exists g; now apply E).
    destruct (semantic_no_failure cs C C Inv (Run_nil _ C) Ex) as [NR NG]. destruct F as [F|F]; auto. }
  assert (B : succeeds C -> exists g, sol (cs ++ ds) g).
  { intros [Ep N]. exists (greatest (sigma C)). apply E. now apply (closing_top_satisfies cs). }
  split; [exact A | split; [exact B|]]. intros [F|Sc]; split; auto. intros N. destruct N. auto.
Qed.

(** In the special case of a run without closing, in terms of its bindings. *)
Theorem cor_5_5_ii_bindings : forall cs C, run any_step (initial cs) C ->
  (fails C -> ~ exists g, sol cs g /\ respects g (sigma C)) /\
  (succeeds C -> exists g, sol cs g /\ respects g (sigma C)).
Proof.
  intros cs C R. split.
  - intros F (g & G). apply (r1a_failure_is_unsat cs C R F). exists g. now apply (lemma_5_1_exact cs).
  - intros [E N]. exists (greatest (sigma C)). split; [now apply cor_5_5_i_runs|].
    apply comp_respects. eapply run_well_formed; eauto using initial_well_formed.
Qed.

(** * 5.5(iii) *)

(** ** Whose markers are placed *)

(** The variable of a row term after a step. *)
Definition mid_after (e : effect) (m : option rvar) : option rvar :=
  match binds e with
  | Some (BindR p V) => if is_mid p m then tmid V else m
  | _ => m
  end.

Lemma mid_after_sub : forall e b T, binds e = Some b -> tmid (sub_r (as_subst b) T) = mid_after e (tmid T).
Proof.
  intros e [a t|p V] [l [q|] r] E; unfold mid_after; rewrite E; simpl; auto. now destruct (Nat.eqb q p).
Qed.

Lemma mid_after_sigma : forall C rest c e x,
  tmid (on_r (sigma (next C rest c e)) x) = mid_after e (tmid (on_r (sigma C) x)).
Proof.
  intros C rest c e x. unfold next. destruct (binds e) as [b|] eqn:E; cbn [sigma].
  - exact (mid_after_sub e b _ E).
  - unfold mid_after. now rewrite E.
Qed.

(** A row equality that a rule makes is one that it defers.  What an equality binds is in it, and so is the
    variable of the value. *)
Lemma outcome_req : forall used B c r o, fires used B c r o ->
  match o with
  | Fails => True
  | Does e =>
      (forall R Q, In (REq R Q) (stores e) ->
         exists R0 Q0, c = REq R0 Q0 /\ tmid R = tmid R0 /\ tmid Q = tmid Q0) /\
      (forall p V, is_req c -> binds e = Some (BindR p V) ->
         In (RV p) (vars_c c) /\ forall q, tmid V = Some q -> In (RV q) (vars_c c))
  end.
Proof.
  intros used B c r o F.
  each_outcome F; cbn [discard replace keep emit emit_store emit_bind grow de_bind di_pin di_pin_top di_antisym di_adj
    re_nested re_nested_sym re_deferred re_same_empty ri_cap ri_refl ri_closed_op ri_deficit stores binds];
    (split; [intros X Y J; repeat (destruct J as [J|J]); try discriminate J; try (injection J as <- <-)
            | intros x X Rc Eb; try discriminate Eb; injection Eb as <- <-; cbn [vars_c]; rewrite in_app_iff; split;
              auto using mid_var; intros y My; rewrite in_app_iff; cbn [strip cut middle tmid] in My]);
    try (destruct J; fail); try (destruct Rc; fail); try discriminate My; eauto 8 using mid_var.
Qed.

Lemma next_req : forall C pre c post r e R Q, phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
  let C' := next C (pre ++ post) c e in
  In (REq R Q) (phi C' ++ store C') -> exists R0 Q0, In (REq R0 Q0) (phi C ++ store C) /\
    tmid R = mid_after e (tmid R0) /\ tmid Q = mid_after e (tmid Q0).
Proof.
  intros C pre c post r e R Q Ep F C' J. destruct (outcome_req _ _ _ _ _ F) as [St _].
  pose proof (outcome_emits _ _ _ _ _ F) as Em. cbv beta iota in Em.
  assert (Ic : In c (phi C ++ store C)) by (rewrite Ep, !in_app_iff; simpl; auto).
  assert (Old : forall d, In d pre \/ In d post \/ In d (store C) -> In d (phi C ++ store C)).
  { intros d. rewrite Ep, !in_app_iff. simpl. tauto. }
  unfold C', next in J. destruct (binds e) as [b|] eqn:Eb; cbn [phi store] in J.
  - rewrite <- map_app in J. apply in_map_iff in J as (d & E & J).
    destruct d as [t u|t u|R0 Q0|R0 Q0]; try discriminate E. injection E as <- <-. exists R0, Q0.
    rewrite !(mid_after_sub e b) by exact Eb. split; [|auto].
    rewrite (binding_stores_nothing _ _ _ _ _ F), add_bounds_nil, !in_app_iff, in_taken, filter_In in J by congruence.
    specialize (Em (REq R0 Q0)). specialize (Old (REq R0 Q0)). simpl in Em.
    destruct (again e); simpl in J; decompose [or and] J; subst; auto; tauto.
  - unfold mid_after. rewrite Eb. rewrite !in_app_iff, in_add_bounds in J.
    assert (K : In (REq R Q) (phi C ++ store C) \/ In (REq R Q) (stores e)).
    { specialize (Em (REq R Q)). specialize (Old (REq R Q)). simpl in Em.
      destruct (again e); simpl in J; decompose [or] J; subst; auto; tauto. }
    destruct K as [K|K]; [eauto|]. destruct (St _ _ K) as (R0 & Q0 & -> & E1 & E2). eauto.
Qed.

Lemma equated_spec : forall cs q, In (RV q) (equated cs) <->
  exists R Q, In (REq R Q) cs /\ (tmid R = Some q \/ tmid Q = Some q).
Proof.
  intros cs q. unfold equated. rewrite in_flat_map. split.
  - intros ([t u|t u|R Q|R Q] & I & J); try (destruct J; fail). exists R, Q. split; [auto|].
    simpl in J. apply in_app_iff in J as [J|J]; apply no_other_row_var in J; auto.
  - intros (R & Q & I & J). exists (REq R Q). split; [auto|]. simpl. apply in_app_iff.
    destruct J as [J|J]; apply mid_var in J; auto.
Qed.

Lemma equated_vars : forall cs, incl (equated cs) (flat_map vars_c cs).
Proof.
  intros cs v I. apply in_flat_map in I as (c & I & J). apply in_flat_map. exists c. split; [auto|].
  destruct c; auto; destruct J.
Qed.

Lemma req_equated : forall C c, In c (phi C) -> is_req c -> incl (vars_c c) (equated (phi C ++ store C)).
Proof.
  intros C c I Rc v J. apply in_flat_map. exists c. rewrite in_app_iff. destruct c; simpl in Rc; tauto.
Qed.

(** The variables of equalities are what those of the input have become. *)
Definition traced (cs : list constr) (C : config) : Prop :=
  forall q, In (RV q) (equated (phi C ++ store C)) ->
    exists x, In (RV x) (equated cs) /\ tmid (on_r (sigma C) x) = Some q.

Lemma step_traced : forall cs C c r C', step C c r C' -> traced cs C -> traced cs C'.
Proof.
  intros cs C c r C' S T q I. destruct S as [C pre c post r e Ep F]. apply equated_spec in I as (R & Q & I & M).
  destruct (next_req C pre c post r e R Q Ep F I) as (R0 & Q0 & I0 & E1 & E2). rewrite E1, E2 in M.
  assert (X : exists p, In (RV p) (equated (phi C ++ store C)) /\ mid_after e (Some p) = Some q).
  { destruct M as [M|M]; [destruct (tmid R0) as [p|] eqn:M0 | destruct (tmid Q0) as [p|] eqn:M0];
      try (unfold mid_after in M; destruct (binds e) as [[]|]; discriminate M);
      exists p; split; auto; apply equated_spec; eauto. }
  destruct X as (p & Ip & Mp). destruct (T p Ip) as (x & Ix & Mx). exists x. split; [auto|].
  now rewrite mid_after_sigma, Mx.
Qed.

(** The same number of axes before the marker, at these variables. *)
Definition same_leads (V : list var) (g h : ground) : Prop :=
  forall q, In (RV q) V -> length (lead (g_r h q)) = length (lead (g_r g q)).

Lemma lead_length : forall g R, length (lead (ground_r g R)) =
  length (tlead R) + match tmid R with Some q => length (lead (g_r g q)) | None => 0 end.
Proof. intros g [l [q|] r]; unfold ground_r; simpl; now rewrite len_app, len_map. Qed.

(** Of the input's equated variables they decide those of the equalities reached. *)
Lemma traced_leads : forall cs C g h, traced cs C -> respects g (sigma C) -> respects h (sigma C) ->
  same_leads (equated cs) g h -> same_leads (equated (phi C ++ store C)) g h.
Proof.
  intros cs C g h T Rg Rh L q I. destruct (T q I) as (x & Ix & Mx). specialize (L x Ix).
  rewrite <- (Rg (RV x)), <- (Rh (RV x)) in L. cbn [ground_comp g_r] in L. rewrite !lead_length, Mx in L.
  revert L. apply Nat.add_cancel_l.
Qed.

(** A solution of the input extends to what is reached if at the variables of equalities its markers are where
    the bindings allow them to be. *)
Definition only_places (cs : list constr) (C : config) : Prop :=
  forall m k, respects m (sigma C) -> sol cs k -> same_leads (equated cs) m k ->
    exists h, agree_on (flat_map vars_c cs) k h /\ satisfies h C.

Lemma step_only_places : forall cs C c r C', well_formed C -> step C c r C' -> incl (flat_map vars_c cs) (used C) ->
  traced cs C -> only_places cs C -> only_places cs C'.
Proof.
  intros cs C c r C' W S U T O m k Rm Gk L. pose proof (step_respects _ _ _ _ m W S Rm) as Rm0.
  destruct (O m k Rm0 Gk L) as (h & A & Gh).
  destruct (commits_dec c r) as [Cm|Cm].
  2: { destruct (step_complete _ _ _ _ h W S Cm Gh) as (h' & A' & Gh'). exists h'. split; [|exact Gh'].
       intros v I. apply (agree_at_trans k h h' v); auto. }
  exists h. split; [exact A|]. apply (step_exact C c r C' h W S Gh).
  destruct (step_fixed C c r C' W S) as (Vc & rest & e & -> & F & P).
  assert (Ic : In c (phi C)) by (apply P; auto). pose proof (commits_req _ _ _ _ _ F Cm) as Rc.
  destruct (commits_bind _ _ _ _ _ F Cm) as (p & V & Eb).
  assert (Fx : fixes (sigma C) (bound_var (BindR p V))) by (eapply fires_binding; eauto).
  unfold next in *. rewrite Eb in *. cbn [sigma] in *. apply respects_comp in Rm; [|exact Fx].
  destruct Gh as (Hp & Hs & Rh). apply respects_comp; [exact Fx | split; [|exact Rh]]. simpl in *.
  assert (L' : same_leads (vars_c c) m h).
  { intros q I. apply (traced_leads cs C m h); auto; [|now apply (req_equated C c)].
    intros x Ix. rewrite <- (A (RV x) (equated_vars cs _ Ix)). now apply L. }
  destruct (outcome_req _ _ _ _ _ F) as [_ K]. destruct (K p V Rc Eb) as [Ip Iq].
  apply flat_equiv_same_marker.
  - pose proof (Hp c Ic) as Hc. apply (lemma_5_1_policy _ _ _ _ _ F Cm h) in Hc as (_ & Hb & _). now rewrite Eb in Hb.
  - rewrite lead_length, (L' p Ip), (proj1 Rm), lead_length. f_equal. destruct (tmid V) as [q|]; [|auto].
    symmetry. apply L'. auto.
Qed.

(** The solution with the markers where the step puts them. *)
Lemma step_moved : forall C c r C' g, well_formed C -> step C c r C' -> commits c r -> satisfies g C ->
  same_content g (ground_comp g (sigma C')).
Proof.
  intros C c r C' g W S Cm (Hp & Hs & HR). destruct (step_fixed C c r C' W S) as (Vc & rest & e & -> & F & P).
  destruct (commits_bind _ _ _ _ _ F Cm) as (p & V & Eb).
  assert (Hc : holds g c) by (apply Hp, P; auto).
  apply (lemma_5_1_policy _ _ _ _ _ F Cm g) in Hc as (_ & Hb & _). rewrite Eb in Hb. simpl in Hb.
  unfold next. rewrite Eb. cbn [sigma]. split.
  - intros a. cbn [ground_comp g_d comp on_d]. rewrite <- ground_d_comp. exact (HR (DV a)).
  - intros x. unfold flat_equiv. cbn [ground_comp g_r comp on_r as_subst]. rewrite <- ground_r_comp.
    rewrite <- (HR (RV x)). cbn [ground_comp g_r]. rewrite !flat_ground.
    destruct (tmid (on_r (sigma C) x)) as [q|]; simpl; auto.
    destruct (Nat.eqb_spec q p) as [->|N]; [|now rewrite ground_rvar]. now rewrite Hb.
Qed.

Definition placing (cs : list constr) (C : config) : Prop :=
  well_formed C /\ incl (flat_map vars_c cs) (used C) /\ traced cs C /\ only_places cs C.

Lemma initial_placing : forall cs, placing cs (initial cs).
Proof.
  intros cs. split; [apply initial_well_formed | split; [apply incl_refl | split]].
  - intros q I. cbn [initial phi store] in I. rewrite app_nil_r in I. exists q. auto.
  - intros m k _ K _. exists k. split; [intros [a|q] _; reflexivity | now apply initial_satisfies].
Qed.

Lemma step_placing : forall cs C c r C', step C c r C' -> placing cs C -> placing cs C'.
Proof.
  intros cs C c r C' S (W & Us & T & O). split; [exact (step_well_formed _ _ _ _ W S) | split; [|split]].
  - exact (incl_tran Us (step_used _ _ _ _ S)).
  - exact (step_traced cs C c r C' S T).
  - exact (step_only_places cs C c r C' W S Us T O).
Qed.

(** 5.1(iii) for whole runs.  Whatever was placed, a solution of the input is lost only by where its markers
    are, and only by those of variables of equalities: if the bindings allow these places, it extends, beyond
    the input's variables, to a solution of what is reached. *)
Theorem lemma_5_1_iii_runs : forall cs C, run any_step (initial cs) C ->
  forall m k, respects m (sigma C) -> sol cs k ->
  (forall q, In (RV q) (equated cs) -> length (lead (g_r k q)) = length (lead (g_r m q))) ->
  exists h, agree_on (flat_map vars_c cs) k h /\ satisfies h C.
Proof.
  intros cs C R. enough (G : forall D, run any_step D C -> placing cs D -> placing cs C).
  { exact (proj2 (proj2 (proj2 (G _ R (initial_placing cs))))). }
  clear. intros D R; induction R as [C|C c r C' C'' N S R IH|C ds C'' []]; eauto using step_placing.
Qed.

(** Where some solution fits every placement, a run loses satisfiability nowhere. *)
Lemma run_placeable : forall cs C C', run any_step C C' -> placeable cs -> placing cs C ->
  (forall g, satisfies g C -> sol cs g) -> (exists g, satisfies g C) -> exists g, satisfies g C'.
Proof.
  intros cs C C' R U; induction R as [C|C c r C' C'' N S R IH|C ds C'' []]; intros P Sd [g G]; [eauto|].
  pose proof (step_placing cs C c r C' S P) as P'. apply IH; auto.
  - intros h K. apply Sd. eapply step_sound; eauto. apply P.
  - destruct (commits_dec c r) as [Cm|Cm].
    + destruct (U g (ground_comp g (sigma C'))) as (k & Gk & L); [auto | eapply step_moved; eauto; apply P|].
      destruct P' as (W' & _ & _ & O'). destruct (O' (ground_comp g (sigma C')) k) as (h & _ & Gh); auto; [|eauto].
      apply comp_respects, W'.
    + destruct (step_complete _ _ _ _ g (proj1 P) S Cm G) as (h & _ & Gh). eauto.
Qed.

(** A constraint that is no inequality of rows does not look at markers. *)
Lemma blind_holds : forall g h c, same_content g h -> marker_blind c -> holds g c -> holds h c.
Proof.
  intros g h c (Hd & Hr) B G. destruct (dims_same g h Hd) as [D1 D2].
  assert (Fl : forall R, flat (ground_r h R) = flat (ground_r g R)).
  { intros R. rewrite !flat_ground, !D2. f_equal. f_equal. destruct (tmid R) as [q|]; simpl; [apply Hr | auto]. }
  destruct c as [t u|t u|R Q|R Q]; simpl in *; try (now rewrite !D1); [|tauto].
  unfold flat_equiv in *. now rewrite !Fl.
Qed.

(** 5.5(iii).  If the set is satisfiable, and wherever the markers of the variables of equalities are moved
    to some solution has them there, no run fails. *)
Theorem cor_5_5_iii_placeable : forall cs C, placeable cs -> (exists g, sol cs g) ->
  run any_step (initial cs) C -> ~ fails C.
Proof.
  intros cs C U [g G] R F. apply (r1a_failure_is_unsat cs C R F).
  apply (run_placeable cs (initial cs) C R U (initial_placing cs)).
  - intros h. apply initial_satisfies.
  - exists g. now apply initial_satisfies.
Qed.

(** 5.5(iii).  And one processes everything. *)
Theorem cor_5_5_iii_placeable_ends : forall cs, placeable cs -> (exists g, sol cs g) ->
  exists C, run any_step (initial cs) C /\ phi C = [].
Proof.
  intros cs U G. destruct (r1b_success_or_failure cs) as (C & R & [E|F]); [eauto|].
  destruct (cor_5_5_iii_placeable cs C U G R). exact F.
Qed.

(** 5.5(iii).  It is so where moving those markers keeps solutions. *)
Theorem cor_5_5_iii_equated_placeable : forall cs, undiscriminated_equated cs -> placeable cs.
Proof.
  intros cs U g h G [Hd Hr].
  exists (Ground (g_d h) (fun q => if in_dec var_eq_dec (RV q) (equated cs) then g_r h q else g_r g q)). split.
  - apply (U g); [auto | split; [exact Hd|] |]; intros q; simpl;
      destruct (in_dec _ _ _); try tauto; [apply Hr | reflexivity].
  - intros q I. simpl. destruct (in_dec _ _ _); tauto.
Qed.

Theorem cor_5_5_iii_equated : forall cs C, undiscriminated_equated cs -> (exists g, sol cs g) ->
  run any_step (initial cs) C -> ~ fails C.
Proof. intros cs C U. now apply cor_5_5_iii_placeable, cor_5_5_iii_equated_placeable. Qed.

Theorem cor_5_5_iii_equated_ends : forall cs, undiscriminated_equated cs -> (exists g, sol cs g) ->
  exists C, run any_step (initial cs) C /\ phi C = [].
Proof. intros cs U. now apply cor_5_5_iii_placeable_ends, cor_5_5_iii_equated_placeable. Qed.

(** 5.5(iii).  All the more where moving any markers does. *)
Theorem cor_5_5_iii_all_markers : forall cs, undiscriminated cs -> undiscriminated_equated cs.
Proof. intros cs U g h G S _. exact (U g h G S). Qed.

Theorem cor_5_5_iii : forall cs C, undiscriminated cs -> (exists g, sol cs g) -> run any_step (initial cs) C ->
  ~ fails C.
Proof. intros cs C U. now apply cor_5_5_iii_equated, cor_5_5_iii_all_markers. Qed.

Theorem cor_5_5_iii_ends : forall cs, undiscriminated cs -> (exists g, sol cs g) ->
  exists C, run any_step (initial cs) C /\ phi C = [].
Proof. intros cs U. now apply cor_5_5_iii_equated_ends, cor_5_5_iii_all_markers. Qed.

(** 5.5(iii).  It is so, too, where no row variable is in an equality and in an inequality: without
    equalities, for example. *)
Theorem cor_5_5_iii_apart : forall cs,
  (forall R Q p, In (RLe R Q) cs -> In (RV p) (vars_c (RLe R Q)) -> ~ In (RV p) (equated cs)) ->
  undiscriminated_equated cs.
Proof.
  intros cs A g h G [Hd Hr] Ho c I. specialize (G c I).
  destruct c as [t u|t u|R Q|R Q]; try (apply (blind_holds g h _ (conj Hd Hr)); [exact Logic.I | exact G]).
  apply (agree_holds g h); [|exact G]. intros [a|q] J; simpl; symmetry; [apply Hd | eauto].
Qed.

(** 5.5(iii).  This asks less: <p> ⊑ <q> has no equality, but p = q = [3]⋄[] is no solution any more when the
    marker of p moves. *)
Theorem cor_5_5_iii_equated_asks_less : undiscriminated_equated example_5_5_iii /\ ~ undiscriminated example_5_5_iii.
Proof.
  split; [apply cor_5_5_iii_apart; intros R Q p _ _ []|]. intros U.
  set (g := Ground (fun _ => Unit) (fun _ => [num 3] ·⋄· [])).
  set (h := Ground (fun _ => Unit) (fun p => if Nat.eqb p 0 then [] ·⋄· [num 3] else [num 3] ·⋄· [])).
  assert (X : solb example_5_5_iii h = true); [|discriminate X].
  apply solb_spec, (U g); [now apply solb_spec|]. split; [auto|]. intros [|q]; reflexivity.
Qed.

(** 5.5(iii).  And "some solution" less again: in F10's set, where p gets the marker of ⋄[3,5], p = [3]⋄[5] and
    q = [3]⋄[9,5] is no solution any more; but q can be p. *)
Theorem cor_5_5_iii_placeable_asks_less : placeable finding_f10 /\ ~ undiscriminated_equated finding_f10.
Proof.
  split.
  - intros g h G [Hd Hr]. exists (Ground (g_d h) (fun _ => g_r h 0)). split.
    + intros c [<-|[<-|[]]]; cbn [holds]; rewrite !ground_rvar; [|apply prop_2_5_le_refl].
      pose proof (G _ (or_introl eq_refl)) as E. cbn [holds] in E. rewrite ground_rvar in E.
      exact (eq_trans (Hr 0) E).
    + intros q I. simpl in I. destruct I as [I|[]]. now injection I as <-.
  - intros U.
    set (at_p := fun R => Ground (fun _ => Unit) (fun p => if Nat.eqb p 0 then R else [num 3] ·⋄· [num 9; num 5])).
    set (g := at_p ([num 3] ·⋄· [num 5])). set (h := at_p ([] ·⋄· [num 3; num 5])).
    assert (X : solb finding_f10 h = true); [|discriminate X].
    apply solb_spec, (U g); [now apply solb_spec | split; [auto|] |]; intros [|q]; try reflexivity.
    intros N. destruct N. simpl; auto.
Qed.

(** 5.5(iii).  A set without inequalities of rows is undiscriminated. *)
Theorem cor_5_5_iii_no_inequalities : forall cs, (forall c, In c cs -> marker_blind c) -> undiscriminated cs.
Proof.
  intros cs B g h G S c I. exact (blind_holds g h c S (B c I) (G c I)).
Qed.

(** * 5.6: confluence *)

(** Two runs of semantic steps that succeed give the same greatest solution. *)
Theorem thm_5_6_confluence : forall cs C D,
  run semantic_step (initial cs) C -> succeeds C -> run semantic_step (initial cs) D -> succeeds D ->
  agree_on (flat_map vars_c cs) (greatest (sigma C)) (greatest (sigma D)).
Proof.
  intros cs C D RC [EC NC] RD [ED ND] v I.
  pose proof (cor_5_5_i_runs cs C (run_any _ _ RC) EC NC) as SC.
  pose proof (cor_5_5_i_runs cs D (run_any _ _ RD) ED ND) as SD.
  destruct (thm_5_6_1 cs C RC EC) as [_ CC]. destruct (thm_5_6_1 cs D RD ED) as [_ CD].
  pose proof (prop_6_4_i _ _ _ _ CC _ SD v I) as L1. pose proof (prop_6_4_i _ _ _ _ CD _ SC v I) as L2.
  destruct v as [a|p]; simpl in *.
  - destruct L1 as [L1|L1], L2 as [L2|L2]; congruence.
  - now apply prop_2_5_le_antisym.
Qed.

(** And one of them never fails where the other succeeds. *)
Theorem thm_5_6_same_verdict : forall cs C D,
  run semantic_step (initial cs) C -> succeeds C -> run semantic_step (initial cs) D -> ~ fails D.
Proof.
  intros cs C D RC [EC NC] RD F. apply (cor_5_5_ii_runs cs D RD F).
  exists (greatest (sigma C)). apply cor_5_5_i_runs; eauto using run_any.
Qed.
