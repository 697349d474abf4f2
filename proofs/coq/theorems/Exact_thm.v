(** A configuration means exactly the input together with its bindings; from it
    5.5(ii) in both directions, 5.5(iii), and confluence (5.6) for runs of
    semantic steps. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Semantics Semantics_thm Rules Rules_thm Guard Guard_thm
  Solved Solved_thm Runs Runs_thm Termination_thm Placement Placement_thm Closing Closing_thm Exact.
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

Lemma moved_markers : forall C g p V, well_formed C -> respects g (sigma C) -> g_r g p ≈ ground_r g V ->
  respects (moved g (sigma C) p V) (sigma C) /\ same_content g (moved g (sigma C) p V).
Proof.
  intros C g p V (Wi & _) HR Cb. unfold moved.
  set (h0 := Ground (g_d g) (fun q => if Nat.eqb q p then ground_r g V else g_r g q)).
  destruct (dims_same g h0 (fun _ => eq_refl)) as [D1 D2].
  split; [now apply comp_respects | split].
  - intros a. cbn [g_d ground_comp]. rewrite D1. exact (HR (DV a)).
  - intros q. unfold flat_equiv. cbn [g_r ground_comp]. transitivity (flat (ground_r g (on_r (sigma C) q))).
    + rewrite !flat_ground, !D2. f_equal. f_equal. destruct (tmid (on_r (sigma C) q)) as [x|]; auto.
      cbn [ground_mid h0 g_r]. destruct (Nat.eqb_spec x p) as [->|N]; auto.
    + f_equal. exact (HR (RV q)).
Qed.

(** Where no placement is told apart, a run loses satisfiability nowhere. *)
Lemma run_undiscriminated : forall cs C C', run any_step C C' -> undiscriminated cs -> well_formed C ->
  (forall g, satisfies g C <-> sol cs g /\ respects g (sigma C)) ->
  (exists g, satisfies g C) -> exists g, satisfies g C'.
Proof.
  intros cs C C' R U; induction R as [C|C c r C' C'' N S R IH|C ds C'' []]; intros W Ex [g G]; [eauto|].
  assert (W' : well_formed C') by (eapply step_well_formed; eauto).
  assert (Ex' : forall h, satisfies h C' <-> sol cs h /\ respects h (sigma C')).
  { intros h; split.
    - intros K. split; [apply Ex; eapply step_sound; eauto | apply K].
    - intros [K1 K2]. apply (step_exact C c r C' h W S); [|exact K2]. apply Ex. split; [exact K1|].
      eapply step_respects; eauto. }
  apply IH; auto.
  destruct (commits_dec c r) as [Cm|Cm].
  - destruct S as [C pre c post r e Ep F]. destruct (commits_bind _ _ _ _ _ F Cm) as (p & V & Eb).
    destruct (lemma_5_1_iii C pre c post r e p V g W Ep F Cm Eb G) as [_ Back].
    destruct Back as (h & _ & Hh); [|eauto].
    assert (Hc : holds g c) by (apply (proj1 G); rewrite Ep, in_app_iff; simpl; auto).
    apply (lemma_5_1_policy _ _ _ _ _ F Cm g) in Hc. destruct Hc as (_ & Hb & _). rewrite Eb in Hb. simpl in Hb.
    destruct (moved_markers C g p V W (proj2 (proj2 G)) Hb) as (M1 & M2).
    assert (M : satisfies (moved g (sigma C) p V) C).
    { apply Ex. split; auto. apply (U g); auto. now apply Ex. }
    intros R' Q I. apply in_app_iff in I as [I|I]; [exact (proj1 M _ I) | exact (proj1 (proj2 M) _ I)].
  - destruct (step_complete _ _ _ _ g W S Cm G) as (h & _ & Hh). eauto.
Qed.

(** Satisfiable and undiscriminated: no run fails, *)
Theorem cor_5_5_iii : forall cs C, undiscriminated cs -> (exists g, sol cs g) -> run any_step (initial cs) C ->
  ~ fails C.
Proof.
  intros cs C U [g G] R F. apply (r1a_failure_is_unsat cs C R F).
  apply (run_undiscriminated cs (initial cs) C R U (initial_well_formed cs)).
  - intros h. rewrite initial_satisfies. split; [intros K; split; [auto | apply id_respects] | tauto].
  - exists g. now apply initial_satisfies.
Qed.

(** and one processes everything. *)
Theorem cor_5_5_iii_ends : forall cs, undiscriminated cs -> (exists g, sol cs g) ->
  exists C, run any_step (initial cs) C /\ phi C = [].
Proof.
  intros cs U G. destruct (r1b_success_or_failure cs) as (C & R & [E|F]); [eauto|].
  destruct (cor_5_5_iii cs C U G R). exact F.
Qed.

(** A set without inequalities of rows is undiscriminated. *)
Theorem cor_5_5_iii_no_inequalities : forall cs, (forall c, In c cs -> marker_blind c) -> undiscriminated cs.
Proof.
  intros cs B g h G (Hd & Hr) c I. specialize (G c I). specialize (B c I).
  destruct (dims_same g h Hd) as [D1 D2].
  assert (Fl : forall R, flat (ground_r h R) = flat (ground_r g R)).
  { intros R. rewrite !flat_ground, !D2. f_equal. f_equal. destruct (tmid R) as [q|]; simpl; [apply Hr | auto]. }
  destruct c as [t u|t u|R Q|R Q]; simpl in *; try (now rewrite !D1); [|tauto].
  unfold flat_equiv in *. now rewrite !Fl.
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
