(** Prop. 4.6, the soundness of the signed guard, and findings F1 to F3. *)

From Coq Require Import List Bool Arith ZArith PArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm Guard.
Import ListNotations.
Local Open Scope Z_scope.

(** * Prop. 4.6 *)

Lemma length_of_nonneg : forall v x, length_of v x >= 0.
Proof. intros v [p|]; simpl; lia. Qed.

Lemma edge_holds : forall v fs x y k, facts_hold v fs -> edge fs x y k ->
  length_of v x >= length_of v y + k.
Proof.
  intros v fs x y k H [I|[-> ->]].
  - exact (H _ I).
  - pose proof (length_of_nonneg v x). simpl; lia.
Qed.

Lemma walk_holds : forall v fs x y w, facts_hold v fs -> walk fs x y w ->
  length_of v x >= length_of v y + w.
Proof.
  intros v fs x y w H W; induction W as [x y k E|x y z k w E W IH];
    apply (edge_holds v) in E; auto; lia.
Qed.

(** Adding the facts around a positive cycle. *)
Lemma positive_cycle_infeasible : forall fs, positive_cycle fs -> ~ feasible fs.
Proof. intros fs (x & w & W & P) [v H]. apply (walk_holds v) in W; auto. lia. Qed.

Lemma walk_app : forall fs x y z w u, walk fs x y w -> walk fs y z u -> walk fs x z (w + u).
Proof.
  intros fs x y z w u W; revert z u; induction W as [x y k E|x y y' k w E W IH]; intros z u U.
  - eapply Walk_more; eauto.
  - rewrite <- Z.add_assoc. eapply Walk_more; eauto.
Qed.

(** The converse eliminates one variable after the other.  What points at [x]
    is joined to what [x] points at; 0 is always among the latter. *)
Definition is_x (x : rvar) (y : vertex) : bool :=
  match y with Some p => (p =? x)%nat | None => false end.

Definition ins (x : rvar) (fs : list fact) : list (vertex * Z) :=
  map (fun f => (greater f, weight f))
      (filter (fun f => is_x x (lesser f) && negb (is_x x (greater f))) fs).

Definition outs (x : rvar) (fs : list fact) : list (vertex * Z) :=
  (None, 0) :: map (fun f => (lesser f, weight f))
      (filter (fun f => is_x x (greater f) && negb (is_x x (lesser f))) fs).

Definition eliminate (x : rvar) (fs : list fact) : list fact :=
  filter (fun f => negb (is_x x (greater f)) && negb (is_x x (lesser f))) fs ++
  flat_map (fun i => map (fun o => Fact (fst i) (fst o) (snd i + snd o)) (outs x fs)) (ins x fs).

Lemma is_x_spec : forall x y, is_x x y = true <-> y = Some x.
Proof.
  intros x [p|]; simpl; [|split; discriminate].
  rewrite Nat.eqb_eq. split; congruence.
Qed.

Lemma ins_spec : forall x fs y k, In (y, k) (ins x fs) <-> In (Fact y (Some x) k) fs /\ y <> Some x.
Proof.
  intros x fs y k. unfold ins. rewrite in_map_iff. split.
  - intros ([y' z' k'] & E & I). simpl in E. injection E as -> ->.
    apply filter_In in I as [I B]. simpl in B. apply andb_true_iff in B as [B C].
    apply is_x_spec in B as ->. split; [auto|]. intros ->.
    apply negb_true_iff in C. simpl in C. now rewrite Nat.eqb_refl in C.
  - intros [I N]. exists (Fact y (Some x) k). split; [auto|]. apply filter_In; split; [auto|].
    simpl. rewrite Nat.eqb_refl. simpl. apply negb_true_iff.
    destruct (is_x x y) eqn:E; auto. apply is_x_spec in E. congruence.
Qed.

Lemma outs_spec : forall x fs z k, In (z, k) (outs x fs) <->
  (z = None /\ k = 0) \/ (In (Fact (Some x) z k) fs /\ z <> Some x).
Proof.
  intros x fs z k. unfold outs; simpl. rewrite in_map_iff. split.
  - intros [E|([y' z' k'] & E & I)]; [left; injection E; auto | right].
    simpl in E. injection E as -> ->.
    apply filter_In in I as [I B]. simpl in B. apply andb_true_iff in B as [B C].
    apply is_x_spec in B as ->. split; [auto|]. intros ->.
    apply negb_true_iff in C. simpl in C. now rewrite Nat.eqb_refl in C.
  - intros [[-> ->]|[I N]]; [left; auto | right].
    exists (Fact (Some x) z k). split; [auto|]. apply filter_In; split; [auto|].
    simpl. rewrite Nat.eqb_refl. simpl. apply negb_true_iff.
    destruct (is_x x z) eqn:E; auto. apply is_x_spec in E. congruence.
Qed.

Lemma eliminate_spec : forall x fs y z k, In (Fact y z k) (eliminate x fs) <->
  (In (Fact y z k) fs /\ y <> Some x /\ z <> Some x) \/
  (exists k1 k2, In (y, k1) (ins x fs) /\ In (z, k2) (outs x fs) /\ k = k1 + k2).
Proof.
  intros x fs y z k. unfold eliminate. rewrite in_app_iff, filter_In, andb_true_iff, !negb_true_iff.
  rewrite in_flat_map. simpl greater; simpl lesser.
  assert (B : forall u, is_x x u = false <-> u <> Some x).
  { intros u. rewrite <- is_x_spec. destruct (is_x x u); split; congruence. }
  rewrite !B. apply or_iff_compat_l. split.
  - intros ([y' k1] & I & J). apply in_map_iff in J as ([z' k2] & E & J). simpl in E.
    injection E as -> -> <-. exists k1, k2. auto.
  - intros (k1 & k2 & I & J & ->). exists (y, k1). split; [auto|].
    apply in_map_iff. exists (z, k2). auto.
Qed.

(** A walk after elimination is a walk before. *)
Lemma eliminate_edge : forall x fs y z k, edge (eliminate x fs) y z k -> walk fs y z k.
Proof.
  intros x fs y z k [I|E]; [|constructor; right; auto].
  apply eliminate_spec in I as [(I & _)|(k1 & k2 & I & J & ->)]; [constructor; left; auto|].
  apply ins_spec in I as [I _]. eapply Walk_more; [left; eauto|].
  constructor. apply outs_spec in J as [[-> ->]|[J _]]; [right; auto | left; auto].
Qed.

Lemma eliminate_walk : forall x fs y z w, walk (eliminate x fs) y z w -> walk fs y z w.
Proof.
  intros x fs y z w W; induction W as [y z k E|y z u k w E W IH].
  - eapply eliminate_edge; eauto.
  - eapply walk_app; eauto using eliminate_edge.
Qed.

(** The largest value of a nonempty list, and where it is reached. *)
Definition best (v : lengths) (os : list (vertex * Z)) : Z :=
  fold_right Z.max 0 (map (fun o => length_of v (fst o) + snd o) os).

Lemma best_ge : forall v os z k, In (z, k) os -> best v os >= length_of v z + k.
Proof.
  intros v os z k; induction os as [|[z' k'] os IH]; simpl; [tauto|].
  unfold best in *; simpl. intros [E|I]; [injection E as -> ->; lia|]. apply IH in I. lia.
Qed.

Lemma best_nonneg : forall v os, best v os >= 0.
Proof. intros v os; induction os as [|o os IH]; unfold best in *; simpl; lia. Qed.

Lemma best_reached : forall v os, best v os = 0 \/
  exists z k, In (z, k) os /\ best v os = length_of v z + k.
Proof.
  intros v os; induction os as [|[z k] os IH]; [left; auto|].
  unfold best in *; simpl. set (m := fold_right Z.max 0 _) in *.
  destruct (Z.max_spec (length_of v z + k) m) as [[_ E]|[_ E]]; rewrite E.
  - destruct IH as [IH|(z' & k' & I & IH)]; [left; auto | right; exists z', k'; auto].
  - right; exists z, k; auto.
Qed.

Lemma set_len_other : forall x n v y, y <> Some x -> length_of (set_len x n v) y = length_of v y.
Proof.
  intros x n v [p|] N; simpl; auto. unfold set_len.
  destruct (Nat.eqb_spec p x); [subst; congruence | auto].
Qed.

Lemma set_len_same : forall x n v, length_of (set_len x n v) (Some x) = Z.of_nat n.
Proof. intros; simpl. unfold set_len. now rewrite Nat.eqb_refl. Qed.

Lemma vertex_eq_dec : forall x y : vertex, {x = y} + {x <> y}.
Proof. decide equality. apply Nat.eq_dec. Qed.

(** Put the eliminated variable back: its least possible value will do. *)
Lemma eliminate_feasible : forall x fs, (forall k, In (Fact (Some x) (Some x) k) fs -> k <= 0) ->
  feasible (eliminate x fs) -> feasible fs.
Proof.
  intros x fs Loop [v H].
  set (n := Z.to_nat (best v (outs x fs))).
  assert (N : Z.of_nat n = best v (outs x fs)).
  { unfold n. rewrite Z2Nat.id; auto. pose proof (best_nonneg v (outs x fs)). lia. }
  exists (set_len x n v). intros [y z k] I. unfold fact_holds; simpl greater; simpl lesser; simpl weight.
  destruct (vertex_eq_dec y (Some x)) as [->|Ny], (vertex_eq_dec z (Some x)) as [->|Nz].
  - apply Loop in I. lia.
  - rewrite set_len_same, set_len_other, N by auto.
    apply best_ge. apply outs_spec. auto.
  - rewrite set_len_same, set_len_other, N by auto.
    assert (J : In (y, k) (ins x fs)) by (apply ins_spec; auto).
    destruct (best_reached v (outs x fs)) as [E|(z & k2 & O & E)].
    + assert (K : In (Fact y None (k + 0)) (eliminate x fs)).
      { apply eliminate_spec. right. exists k, 0. repeat split; auto. apply outs_spec; auto. }
      specialize (H _ K). unfold fact_holds in H; simpl in H. lia.
    + assert (K : In (Fact y z (k + k2)) (eliminate x fs)).
      { apply eliminate_spec. right. exists k, k2. auto. }
      specialize (H _ K). unfold fact_holds in H; simpl in H. lia.
  - rewrite !set_len_other by auto.
    assert (K : In (Fact y z k) (eliminate x fs)) by (apply eliminate_spec; auto).
    exact (H _ K).
Qed.

Definition speaks_of (xs : list rvar) (fs : list fact) : Prop :=
  forall f, In f fs ->
    (forall p, greater f = Some p -> In p xs) /\ (forall p, lesser f = Some p -> In p xs).

Lemma eliminate_speaks : forall x xs fs, speaks_of (x :: xs) fs -> speaks_of xs (eliminate x fs).
Proof.
  intros x xs fs H [y z k] I. simpl.
  assert (G : forall f, In f fs -> greater f <> Some x -> forall p, greater f = Some p -> In p xs).
  { intros f If N p E. destruct (proj1 (H f If) p E) as [<-|J]; [congruence | auto]. }
  assert (L : forall f, In f fs -> lesser f <> Some x -> forall p, lesser f = Some p -> In p xs).
  { intros f If N p E. destruct (proj2 (H f If) p E) as [<-|J]; [congruence | auto]. }
  apply eliminate_spec in I as [(I & Ny & Nz)|(k1 & k2 & I & J & ->)].
  - split; [apply (G _ I Ny) | apply (L _ I Nz)].
  - apply ins_spec in I as [I Ny]. split; [apply (G _ I Ny)|].
    apply outs_spec in J as [[-> _]|[J Nz]]; [discriminate | apply (L _ J Nz)].
Qed.

(** Either there are lengths, or there is a positive cycle. *)
Lemma feasible_or_cycle : forall xs fs, speaks_of xs fs -> feasible fs \/ positive_cycle fs.
Proof.
  intros xs; induction xs as [|x xs IH]; intros fs S.
  - destruct (existsb (fun f => 0 <? weight f) fs) eqn:E.
    + right. apply existsb_exists in E as ([y z k] & I & P). simpl in P. apply Z.ltb_lt in P.
      destruct (S _ I) as [Sy Sz]. simpl in *.
      destruct y as [p|]; [destruct (Sy p eq_refl)|]. destruct z as [p|]; [destruct (Sz p eq_refl)|].
      exists None, k. split; [constructor; left; auto | lia].
    + left. exists (fun _ => 0%nat). intros [y z k] I.
      destruct (S _ I) as [Sy Sz]. simpl in *.
      destruct y as [p|]; [destruct (Sy p eq_refl)|]. destruct z as [p|]; [destruct (Sz p eq_refl)|].
      unfold fact_holds; simpl. destruct (Z.leb_spec k 0); [lia|].
      assert (K : existsb (fun f => 0 <? weight f) fs = true).
      { apply existsb_exists. eexists; split; eauto. simpl. apply Z.ltb_lt; lia. }
      congruence.
  - destruct (existsb (fun f => is_x x (greater f) && is_x x (lesser f) && (0 <? weight f)) fs) eqn:E.
    + right. apply existsb_exists in E as ([y z k] & I & P). simpl in P.
      apply andb_true_iff in P as [P Q]. apply andb_true_iff in P as [Py Pz].
      apply is_x_spec in Py, Pz. subst. apply Z.ltb_lt in Q.
      exists (Some x), k. split; [constructor; left; auto | lia].
    + destruct (IH (eliminate x fs)) as [F|(y & w & W & P)]; [now apply eliminate_speaks|left|right].
      * apply (eliminate_feasible x); auto. intros k I.
        destruct (Z.leb_spec k 0); [auto|].
        assert (K : existsb (fun f => is_x x (greater f) && is_x x (lesser f) && (0 <? weight f)) fs = true).
        { apply existsb_exists. eexists; split; eauto. simpl. rewrite Nat.eqb_refl. simpl.
          apply Z.ltb_lt; lia. }
        congruence.
      * exists y, w. split; [eapply eliminate_walk; eauto | auto].
Qed.

Definition spoken (fs : list fact) : list rvar :=
  flat_map (fun f => match greater f with Some p => [p] | None => [] end ++
                     match lesser f with Some p => [p] | None => [] end) fs.

Lemma speaks_of_spoken : forall fs, speaks_of (spoken fs) fs.
Proof.
  intros fs f I; split; intros p E; apply in_flat_map; exists f; split; auto; rewrite E;
    apply in_app_iff; simpl; auto.
Qed.

(** 4.6.  Facts x ≥ y + k between lengths, weights of either sign, have a solution in ℕ
    iff they have no cycle of positive weight. *)
Theorem prop_4_6 : forall fs, feasible fs <-> ~ positive_cycle fs.
Proof.
  intros fs; split.
  - intros F C. exact (positive_cycle_infeasible fs C F).
  - intros N. destruct (feasible_or_cycle (spoken fs) fs (speaks_of_spoken fs)); tauto.
Qed.

(** 4.6.  Constructively: one or the other. *)
Theorem prop_4_6_dichotomy : forall fs, feasible fs \/ positive_cycle fs.
Proof. intros fs; apply (feasible_or_cycle (spoken fs)), speaks_of_spoken. Qed.

(** * R1a: the facts of the signed guard are entailed *)

Lemma length_of_lead : forall g m, length_of (lead_lengths g) m = Z.of_nat (length (lead (ground_mid g m))).
Proof. intros g [p|]; reflexivity. Qed.

Lemma length_of_trail : forall g m, length_of (trail_lengths g) m = Z.of_nat (length (trail (ground_mid g m))).
Proof. intros g [p|]; reflexivity. Qed.

Lemma length_of_rank : forall g m, length_of (rank_lengths g) m = Z.of_nat (rank (ground_mid g m)).
Proof. intros g [p|]; reflexivity. Qed.

(** R1a.  Of an inequality, all four combinations of open and closed sides. *)
Lemma inequality_facts : forall g R Q, holds g (RLe R Q) ->
  fact_holds (lead_lengths g) (lead_fact R Q) /\ fact_holds (trail_lengths g) (trail_fact R Q).
Proof.
  intros g R Q H. apply rle_lengths in H as [A B].
  split; unfold fact_holds, lead_fact, trail_fact, len; simpl; rewrite ?length_of_lead, ?length_of_trail; lia.
Qed.

Theorem r1a_inequality : forall g c, holds g c ->
  facts_hold (lead_lengths g) (lead_facts c) /\ facts_hold (trail_lengths g) (trail_facts c).
Proof.
  intros g [t u|t u|R Q|R Q] H; simpl; try solve [split; intros f []].
  apply inequality_facts in H as [A B].
  destruct (both_closed R Q); [split; intros f []|]. split; intros f [<-|[]]; auto.
Qed.

(** R1a.  Of a binding, read as identity. *)
Theorem r1a_binding : forall g b, binding_holds g b ->
  facts_hold (lead_lengths g) (lead_facts_b b) /\ facts_hold (trail_lengths g) (trail_facts_b b).
Proof.
  intros g [a t|p R] H; simpl; [split; intros f []|].
  simpl in H.
  assert (A : length_of (lead_lengths g) (Some p) = len (tlead R) + length_of (lead_lengths g) (tmid R)).
  { rewrite !length_of_lead. cbn [ground_mid]. rewrite H; simpl. rewrite len_app, len_map. unfold len; lia. }
  assert (B : length_of (trail_lengths g) (Some p) = len (ttrail R) + length_of (trail_lengths g) (tmid R)).
  { rewrite !length_of_trail. cbn [ground_mid]. rewrite H; simpl. rewrite len_app, len_map. unfold len; lia. }
  split; intros f [<-|[<-|[]]]; unfold fact_holds; cbn [greater lesser weight]; lia.
Qed.

(** R1a.  So a positive cycle in either graph means that nothing satisfies all the
    constraints and bindings its facts come from. *)
Theorem r1a_positive_cycle : forall cs bs,
  positive_cycle (flat_map lead_facts cs ++ flat_map lead_facts_b bs) \/
  positive_cycle (flat_map trail_facts cs ++ flat_map trail_facts_b bs) ->
  ~ exists g, sol cs g /\ forall b, In b bs -> binding_holds g b.
Proof.
  intros cs bs [C|C] (g & H & K); apply (positive_cycle_infeasible _ C);
    [exists (lead_lengths g) | exists (trail_lengths g)];
    intros f I; apply in_app_iff in I as [I|I]; apply in_flat_map in I as (x & I & J);
    try (now apply (r1a_inequality g x (H x I))); now apply (r1a_binding g x (K x I)).
Qed.

(** * The rank abstraction *)

(** 5.2.1.  Every solution gives a rank model. *)
Theorem def_5_2_1_solutions_are_rank_models : forall cs g, sol cs g -> rank_model cs (rank_lengths g).
Proof.
  intros cs g H f I. apply in_flat_map in I as (c & I & J). specialize (H c I).
  destruct c as [t u|t u|R Q|R Q]; simpl in J; try tauto.
  - apply flat_equiv_rank in H. rewrite !rank_ground in H.
    destruct J as [<-|[<-|[]]]; unfold fact_holds, rank_fact; simpl; rewrite !length_of_rank; lia.
  - apply row_le_rank in H. rewrite !rank_ground in H.
    destruct J as [<-|[]]; unfold fact_holds, rank_fact; simpl; rewrite !length_of_rank; lia.
Qed.

(** * F2 *)

Lemma f2_solution : sol finding_f2 finding_f2_solution.
Proof. apply solb_spec. reflexivity. Qed.

(** F2.  The set is satisfiable, and yet the edges that Def. 4.5 records for its
    three constraints form a cycle of weight 2. *)
Theorem finding_f2_satisfiable_with_positive_cycle :
  sol finding_f2 finding_f2_solution /\
  flat_map paper_edges finding_f2 =
    [Fact (Some 0%nat) (Some 1%nat) 0; Fact (Some 1%nat) (Some 2%nat) 1; Fact (Some 2%nat) (Some 0%nat) 1] /\
  walk (flat_map paper_edges finding_f2) (Some 0%nat) (Some 0%nat) 2.
Proof.
  split; [exact f2_solution | split; [reflexivity|]].
  apply (Walk_more _ _ (Some 1%nat) _ 0 2); [left; simpl; auto|].
  apply (Walk_more _ _ (Some 2%nat) _ 1 1); [left; simpl; auto|].
  constructor. left; simpl; auto.
Qed.

(** F2.  So the recorded edges are not entailed, and a positive cycle of Def. 4.5's
    graph does not mean that there is no solution. *)
Theorem finding_f2_soundness_of_failing_refuted :
  ~ (forall cs g, sol cs g -> facts_hold (rank_lengths g) (flat_map paper_edges cs)) /\
  ~ (forall cs, positive_cycle (flat_map paper_edges cs) -> ~ exists g, sol cs g).
Proof.
  destruct finding_f2_satisfiable_with_positive_cycle as (S & _ & W).
  assert (P : positive_cycle (flat_map paper_edges finding_f2)).
  { exists (Some 0%nat), 2. split; [auto | lia]. }
  split; intros H.
  - apply (positive_cycle_infeasible _ P). exists (rank_lengths finding_f2_solution). now apply H.
  - apply (H _ P). exists finding_f2_solution. exact S.
Qed.

(** F2.  The culprit is the deficit edge of the second constraint alone: the
    constraint holds and the edge's fact does not. *)
Theorem finding_f2_deficit_edge_not_entailed :
  let c := RLe (RTerm [] (Some 1%nat) [three]) (RTerm [two] (Some 2%nat) []) in
  In c finding_f2 /\ holds finding_f2_solution c /\
  paper_edges c = [Fact (Some 1%nat) (Some 2%nat) 1] /\
  ~ fact_holds (rank_lengths finding_f2_solution) (Fact (Some 1%nat) (Some 2%nat) 1).
Proof.
  intros c. assert (I : In c finding_f2) by (simpl; auto).
  split; [auto | split; [exact (f2_solution c I) | split; [reflexivity|]]].
  unfold fact_holds; simpl. lia.
Qed.

(** F2.  The signed facts have no positive cycle. *)
Theorem finding_f2_signed_facts_feasible :
  ~ positive_cycle (flat_map lead_facts finding_f2) /\
  ~ positive_cycle (flat_map trail_facts finding_f2).
Proof.
  split; apply prop_4_6;
    [exists (lead_lengths finding_f2_solution) | exists (trail_lengths finding_f2_solution)];
    intros f I; apply in_flat_map in I as (c & I & J);
    now apply (r1a_inequality finding_f2_solution c (f2_solution c I)).
Qed.

(** * F1, F3 and the other witnesses of unsatisfiability *)

Lemma unsat_by_lead : forall cs x w, walk (flat_map lead_facts cs) x x w -> w > 0 -> ~ exists g, sol cs g.
Proof.
  intros cs x w W P (g & H). apply (r1a_positive_cycle cs []).
  - left. simpl. rewrite app_nil_r. exists x, w; auto.
  - exists g; split; [auto | intros b []].
Qed.

Lemma unsat_by_trail : forall cs x w, walk (flat_map trail_facts cs) x x w -> w > 0 -> ~ exists g, sol cs g.
Proof.
  intros cs x w W P (g & H). apply (r1a_positive_cycle cs []).
  - right. simpl. rewrite app_nil_r. exists x, w; auto.
  - exists g; split; [auto | intros b []].
Qed.

Lemma zero_rank_model : forall cs,
  forallb (fun f => weight f <=? 0) (flat_map rank_facts cs) = true ->
  rank_model cs (fun _ => 0%nat).
Proof.
  intros cs H f I. rewrite forallb_forall in H. specialize (H f I). apply Z.leb_le in H.
  unfold fact_holds. destruct (greater f), (lesser f); simpl; lia.
Qed.

(** F1.  F1's set has a rank model and, by trailing lengths, no solution. *)
Theorem finding_f1_rank_model_but_unsatisfiable :
  rank_model finding_f1 (fun _ => 0%nat) /\ ~ exists g, sol finding_f1 g.
Proof.
  split; [now apply zero_rank_model|].
  apply (unsat_by_trail _ (Some 0%nat) 1); [|lia].
  apply (Walk_more _ _ (Some 1%nat) _ 1 0); [left; simpl; auto | constructor; left; simpl; auto].
Qed.

(** F1.  Def. 4.5 sees nothing there: what it records has no positive cycle. *)
Theorem finding_f1_paper_guard_silent : ~ positive_cycle (flat_map paper_edges finding_f1).
Proof.
  apply prop_4_6. exists (fun p => if (p =? 0)%nat then 1%nat else 0%nat).
  intros f [<-|[]]. unfold fact_holds; simpl. lia.
Qed.

(** F3.  F3's set has a rank model and, by leading lengths, no solution. *)
Theorem finding_f3_rank_model_but_unsatisfiable :
  rank_model finding_f3 (fun _ => 0%nat) /\ ~ exists g, sol finding_f3 g.
Proof.
  split; [now apply zero_rank_model|].
  apply (unsat_by_lead _ (Some 0%nat) 1); [|lia]. constructor; left; simpl; auto.
Qed.

(** F3.  Lemma 5.2.2 fails there: the deficit rule binds p to [α]<p'>, and no rank
    model of that binding agrees with the rank model p = 0. *)
Theorem finding_f3_rank_conservativity_refuted : forall a q,
  rank_model finding_f3 (fun _ => 0%nat) /\
  fires [RV 0%nat] [] (RLe (RTerm [] (Some 0%nat) [three]) (RTerm [two] (Some 0%nat) []))
        RI_deficit (ri_deficit 0%nat [a] (S q) []) /\
  ~ exists v, v 0%nat = 0%nat /\
      fact_holds v (Fact (Some 0%nat) (Some (S q)) (Z.of_nat (known_rank (grown [a] (S q) [])))).
Proof.
  intros a q. split; [now apply zero_rank_model | split].
  - apply (F_ri_deficit [RV 0%nat] []); try reflexivity.
    + unfold covered; simpl; lia.
    + repeat constructor; simpl; intuition discriminate.
    + intros v [<-|[<-|[]]] [E|[]]; discriminate.
  - intros (v & E & H). unfold fact_holds in H; simpl in H. rewrite E in H. lia.
Qed.

(** R1b.  One flank at a time the lemma is true: lengths that satisfy the fact of the
    constraint extend to the fresh variable of the deficit rule. *)
Theorem r1b_flank_lengths_extend : forall v res op p al q be, tmid res = Some p -> p <> q ->
  length al = lead_deficit res op -> length be = trail_deficit res op ->
  (fact_holds v (lead_fact res op) ->
   exists n, facts_hold (set_len q n v) (lead_facts_b (BindR p (grown al q be)))) /\
  (fact_holds v (trail_fact res op) ->
   exists n, facts_hold (set_len q n v) (trail_facts_b (BindR p (grown al q be)))).
Proof.
  intros v res op p al q be E N La Lb.
  assert (G : forall k, (k <= v p)%nat -> exists n, forall f,
    f = Fact (Some p) (Some q) (Z.of_nat k) \/ f = Fact (Some q) (Some p) (- Z.of_nat k) ->
    fact_holds (set_len q n v) f).
  { intros k K. exists (v p - k)%nat. intros f [-> | ->]; unfold fact_holds; cbn [greater lesser weight];
      rewrite set_len_same, set_len_other by congruence; simpl; lia. }
  split; intros H; unfold fact_holds, lead_fact, trail_fact in H; cbn [greater lesser weight] in H;
    rewrite E in H; pose proof (length_of_nonneg v (tmid op)); simpl in H;
    unfold len, lead_deficit, trail_deficit in *;
    [destruct (G (length al)) as [n K] | destruct (G (length be)) as [n K]]; try lia;
    exists n; intros f; simpl; unfold len; rewrite len_map; intros [<-|[<-|[]]]; apply K; auto.
Qed.

(** 4.5a.  The set of 4.5a has no solution. *)
Theorem example_4_5a_unsatisfiable : ~ exists g, sol example_4_5a g.
Proof.
  apply (unsat_by_lead _ (Some 0%nat) 2); [|lia].
  apply (Walk_more _ _ (Some 1%nat) _ 1 1); [left; simpl; auto | constructor; left; simpl; auto].
Qed.

(** W1.  The set of W1 has no solution. *)
Theorem finding_w1_unsatisfiable : ~ exists g, sol finding_w1 g.
Proof.
  apply (unsat_by_trail _ (Some 0%nat) 3); [|lia].
  apply (Walk_more _ _ (Some 1%nat) _ 1 2); [left; simpl; auto | constructor; left; simpl; auto].
Qed.

(** W3.  The set of W3 has no solution. *)
Theorem finding_w3_unsatisfiable : ~ exists g, sol finding_w3 g.
Proof.
  apply (unsat_by_lead _ (Some 0%nat) 3); [|lia].
  apply (Walk_more _ _ (Some 1%nat) _ 1 2); [left; simpl; auto|].
  apply (Walk_more _ _ (Some 2%nat) _ 2 0); [left; simpl; auto|].
  constructor; left; simpl; auto.
Qed.
