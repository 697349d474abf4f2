(** Def. 4.4: the solver that runs is the relation that everything is proved about.

    A state stands for a configuration with tags.  Each step of the program is a
    step of the relation, so what is proved of runs holds of the program. *)

From Coq Require Import List Bool Arith ZArith Lia Permutation.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm
  Certificate Certificate_thm Taint Taint_thm Queue Queue_thm Cycle Cycle_thm Fire Fire_thm Solver.
Import ListNotations.

(** * Lists with tags *)

Lemma untainted_app : forall (A : Type) (l k : list (A * bool)), untainted (l ++ k) = untainted l ++ untainted k.
Proof. intros A l k. unfold untainted. now rewrite filter_app, map_app. Qed.

Lemma untainted_tag : forall (A : Type) t (l : list A), untainted (tag_all t l) = if t then [] else l.
Proof.
  intros A t l. unfold untainted, tag_all. induction l as [|x l IH]; simpl; [now destruct t|].
  destruct t; simpl; [auto | now rewrite IH].
Qed.

Definition untagged {A : Type} (l : list (A * bool)) : Prop := forall x, In x l -> snd x = false.

Lemma untagged_all : forall (A : Type) (l : list (A * bool)), untagged l -> untainted l = map fst l.
Proof.
  intros A l H. unfold untainted. induction l as [|[x t] l IH]; simpl; [auto|].
  assert (E : t = false) by (apply (H (x, t)); simpl; auto). subst t. simpl. f_equal.
  apply IH. intros y I. apply H. simpl; auto.
Qed.

Lemma untagged_app : forall (A : Type) (l k : list (A * bool)), untagged l -> untagged k -> untagged (l ++ k).
Proof. intros A l k H K x I. apply in_app_iff in I as [I|I]; auto. Qed.

Lemma untagged_tag : forall (A : Type) (l : list A), untagged (tag_all false l).
Proof. intros A l [x t] I. now apply in_tag_all in I. Qed.

(** * The guard *)

Lemma walk_incl : forall fs hs x y k, incl fs hs -> walk fs x y k -> walk hs x y k.
Proof.
  intros fs hs x y k H W. assert (E : forall x y k, edge fs x y k -> edge hs x y k).
  { intros x' y' k' [I|I]; [left; auto | right; auto]. }
  induction W as [x y k I|x y z k w I W IH]; [apply Walk_one | apply Walk_more with (y := y)]; auto.
Qed.

Lemma positive_cycle_incl : forall fs hs, incl fs hs -> positive_cycle fs -> positive_cycle hs.
Proof. intros fs hs H (x & w & W & P). exists x, w. split; [eapply walk_incl; eauto | auto]. Qed.

Lemma no_cycle_nil : ~ positive_cycle [].
Proof. apply prop_4_6. exists (fun _ => 0). intros f []. Qed.

(** Recording goes on as long as there is no positive cycle. *)
Lemma record_all : forall fs known t k, record known fs t = inl k ->
  k = known ++ tag_all t fs /\ (~ positive_cycle (map fst known) -> ~ positive_cycle (map fst k)).
Proof.
  intros fs; induction fs as [|f fs IH]; intros known t k E; simpl in E.
  - injection E as <-. split; [symmetry; apply app_nil_r | auto].
  - destruct (positive_cycleb (map fst (known ++ [(f, t)]))) eqn:P; [discriminate|].
    apply IH in E as [-> N]. split; [now rewrite <- app_assoc|]. intros _. apply N.
    intros X. apply prop_4_6_positive_cycleb in X. congruence.
Qed.

Lemma record_cycle : forall fs known t, record known fs t = inr false ->
  positive_cycle (untainted (known ++ tag_all t fs)).
Proof.
  intros fs; induction fs as [|f fs IH]; intros known t E; simpl in E; [discriminate|].
  destruct (positive_cycleb (map fst (known ++ [(f, t)]))) eqn:P.
  - injection E as E. apply negb_false_iff, prop_4_6_positive_cycleb in E.
    eapply positive_cycle_incl; [|exact E]. rewrite !untainted_app. intros x I.
    apply in_app_iff in I. apply in_app_iff. destruct I as [I|I]; [auto|right].
    apply in_untainted in I. apply in_untainted. destruct I as [I|[]]. injection I as -> ->. simpl; auto.
  - apply IH in E. now rewrite <- app_assoc in E.
Qed.

Lemma record_untagged : forall fs known t, untagged known -> record known fs false = inr t -> t = false.
Proof.
  intros fs; induction fs as [|f fs IH]; intros known t U E; simpl in E; [discriminate|].
  assert (U' : untagged (known ++ [(f, false)])) by (apply untagged_app; [auto | apply (untagged_tag _ [f])]).
  destruct (positive_cycleb (map fst (known ++ [(f, false)]))) eqn:P.
  - rewrite untagged_all, P in E by auto. now injection E as <-.
  - now apply IH in E.
Qed.

Lemma note_inl : forall s c ls ts rs t s', note s c (ls, ts, rs) t = inl s' ->
  s_phi s' = s_phi s /\ s_sigma s' = s_sigma s /\ s_store s' = s_store s /\ s_next s' = s_next s /\
  s_leads s' = s_leads s ++ tag_all t ls /\ s_trails s' = s_trails s ++ tag_all t ts /\
  (~ positive_cycle (map fst (s_leads s)) -> ~ positive_cycle (map fst (s_leads s'))) /\
  (~ positive_cycle (map fst (s_trails s)) -> ~ positive_cycle (map fst (s_trails s'))).
Proof.
  intros s c ls ts rs t s' E. unfold note in E.
  destruct (record (s_leads s) ls t) as [leads|] eqn:L; [|discriminate].
  destruct (record (s_trails s) ts t) as [trails|] eqn:T; [|discriminate].
  destruct (record (s_ranks s) rs t) as [ranks|] eqn:R; [|discriminate].
  injection E as <-. simpl. apply record_all in L as [-> NL]. apply record_all in T as [-> NT].
  repeat split; auto.
Qed.

Lemma note_inr : forall s c ls ts rs t f, note s c (ls, ts, rs) t = inr f -> f_on f = c /\
  (f_tainted f = false ->
     positive_cycle (untainted (s_leads s ++ tag_all t ls)) \/
     positive_cycle (untainted (s_trails s ++ tag_all t ts))) /\
  (untagged (s_leads s) -> untagged (s_trails s) -> rs = [] -> t = false -> f_tainted f = false).
Proof.
  intros s c ls ts rs t f E. unfold note in E.
  destruct (record (s_leads s) ls t) as [leads|x] eqn:L.
  - destruct (record (s_trails s) ts t) as [trails|x] eqn:T.
    + destruct (record (s_ranks s) rs t) as [ranks|x] eqn:R; [discriminate|].
      injection E as <-. simpl. split; [auto | split; [discriminate|]]. intros _ _ ->. discriminate.
    + injection E as <-. simpl. split; [auto | split].
      * intros ->. right. now apply record_cycle.
      * intros _ U _ ->. eapply record_untagged; eauto.
  - injection E as <-. simpl. split; [auto | split].
    + intros ->. left. now apply record_cycle.
    + intros U _ _ ->. eapply record_untagged; eauto.
Qed.

(** Only the signed guard refutes. *)
Lemma note_signed : forall P s c c' t f,
  note s c' (on_constraint P c) t = inr f \/ (exists b, note s c' (on_binding P b) t = inr f) ->
  f_tainted f = false -> guard P = Signed.
Proof.
  intros P s c c' t f E T.
  assert (G : forall rs, note s c' ([], [], rs) t = inr f -> False).
  { intros rs X. unfold note in X. simpl in X. destruct (record (s_ranks s) rs t); [discriminate|].
    injection X as <-. discriminate. }
  unfold on_constraint, on_binding in E.
  destruct (guard P); [auto | |]; exfalso; destruct E as [E|(b & E)]; eauto.
Qed.

(** * At most one atom below each variable *)

Lemma outcome_atoms : forall used B c r o, fires used B c r o ->
  match o with
  | Fails => True
  | Does e => forall d a, is_atom d -> In (DLe (DConst d) (DVar a)) (stores e) ->
      stores e = [DLe (DConst d) (DVar a)] /\ (lower B a = None \/ lower B a = Some d)
  end.
Proof.
  intros used B c r o F.
  destruct F as [| | | | | |d e|a d A| |d a A|d a A L|a b N Pa| |R Q|R p Q ER EQ|R p Q ER EQ| | | | | | | | | | |];
    try exact I; unfold di_ground, re_closed, re_open_closed;
    repeat match goal with |- context [if ?x then _ else _] => destruct x end;
    simpl; try exact I; try tauto;
    try (intros d' a' A' [X|[]]; discriminate).
  - unfold di_cap. destruct (lower B a) as [e|] eqn:L; [destruct (dim_eqb e d)|]; simpl; try tauto.
    intros d' a' A' [X|[]]. injection X as -> ->. auto.
  - intros d' a' A' [X|[]]. injection X as -> ->. auto.
Qed.

Lemma step_one_atom : forall C c r C', step C c r C' -> one_atom (store C) -> one_atom (store C').
Proof.
  intros C c r C' S H. inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
  pose proof (outcome_atoms _ _ _ _ _ F) as O. pose proof (binding_stores_nothing _ _ _ _ _ F) as St.
  simpl in O. unfold next. destruct (binds e) as [b|]; simpl.
  - rewrite St, add_bounds_nil by congruence.
    assert (K : forall d a, In (DLe (DConst d) (DVar a)) (map (sub_c (as_subst b))
              (filter (fun x => negb (stored_for (bound_var b) x)) (store C))) ->
              In (DLe (DConst d) (DVar a)) (store C)).
    { intros d a I. apply in_map_iff in I as (x & X & I). apply filter_In in I as [I N].
      apply negb_true_iff in N. destruct x as [t u|t u|R Q|R Q]; try discriminate.
      rewrite dim_bound_kept in X by auto. now rewrite <- X. }
    intros d d' a A A' I I'. apply K in I, I'. eapply H; eauto.
  - assert (G : forall d d' a, is_atom d -> is_atom d' -> In (DLe (DConst d) (DVar a)) (stores e) ->
              In (DLe (DConst d') (DVar a)) (store C) -> d = d').
    { intros d d' a A A' I I'. destruct (O d a A I) as [_ [L|L]].
      - now apply (lower_none _ _ d' A') in L.
      - apply lower_in in L as [_ L]. eapply H; eauto. }
    intros d d' a A A' I I'. apply in_add_bounds in I, I'. destruct I as [I|I], I' as [I'|I'].
    + eapply H; eauto.
    + symmetry. eapply G; eauto.
    + eapply G; eauto.
    + destruct (O d a A I) as [X _], (O d' a A' I') as [X' _]. congruence.
Qed.

(** * States and configurations *)

Definition same_parts (P : policy) (s : state) (C : tconfig) : Prop :=
  proper (order P) (s_phi s) /\ Permutation (waiting (s_phi s)) (t_phi C) /\
  s_subst s = t_sigma C /\ s_store s = t_store C /\ numbered (s_next s) (t_used C) /\
  one_atom (map fst (t_store C)).

(** The signed guard records all facts, and is silent. *)
Definition same_facts (P : policy) (s : state) (C : tconfig) : Prop := guard P = Signed ->
  s_leads s = t_leads C /\ s_trails s = t_trails C /\
  ~ positive_cycle (map fst (t_leads C)) /\ ~ positive_cycle (map fst (t_trails C)).

Definition stands_for (P : policy) (s : state) (C : tconfig) : Prop := same_parts P s C /\ same_facts P s C.

Lemma start_stands : forall P n cs, numbered n (flat_map vars_c cs) -> stands_for P (started P n cs) (t_initial cs).
Proof.
  intros P n cs N. split.
  - repeat split; auto.
    + apply proper_new.
    + simpl. now rewrite waiting_new.
    + intros d e a _ _ [].
  - intros _. repeat split; apply no_cycle_nil.
Qed.

Lemma next_after_numbered : forall n b V, numbered n V -> numbered (next_after n b) (V ++ vars (bound_value b)).
Proof.
  intros n b V H. unfold next_after.
  assert (G : forall W m, m <= fold_left (fun n v => max n (S (match v with DV a => a | RV p => p end))) W m /\
            forall v, In v W -> number v < fold_left (fun n v => max n (S (match v with DV a => a | RV p => p end))) W m).
  { intros W; induction W as [|w W IH]; intros m; simpl; [split; [lia | tauto]|].
    destruct (IH (max m (S match w with DV a => a | RV p => p end))) as [L K]. split; [lia|].
    intros v [->|I]; [destruct v; simpl; lia | auto]. }
  destruct (G (vars (bound_value b)) n) as [L K]. intros v I. apply in_app_iff in I as [I|I]; auto.
  apply H in I. lia.
Qed.

(** * Steps *)

Lemma fires_again : forall used B c r e, fires used B c r (Does e) -> again e = true ->
  exists R Q, c = RLe R Q.
Proof.
  assert (G : forall used B c r o, fires used B c r o ->
    match o with Fails => True | Does e => again e = true -> exists R Q, c = RLe R Q end).
  { intros used B c r o F. destruct F; try exact I; unfold di_ground, di_cap, re_closed, re_open_closed;
      try match goal with |- context [lower ?B ?a] => destruct (lower B a) end;
      repeat match goal with |- context [if ?x then _ else _] => destruct x end;
      simpl; try exact I; try discriminate; eauto. }
  intros used B c r e F. exact (G _ _ _ _ _ F).
Qed.

(** What [carry_out] makes before the guard looks at a binding. *)
Definition carried (P : policy) (s : state) (c : constr) (tc : bool) (e : effect) (t pl : bool) : state :=
  let q := push_all (order P) (tag_all t (emits e)) (s_phi s) in
  let q := if again e then push_now (order P) (c, tc) q else q in
  let B := t_add_bounds (s_store s) (tag_all t (stores e)) in
  match binds e with
  | None => State q (s_sigma s) B (s_next s) (s_leads s) (s_trails s) (s_ranks s)
  | Some b =>
      State (change_all (t_substitute b t pl) (push_all (order P) (t_taken (bound_var b) B) q))
            ((b, standing_of t pl) :: s_sigma s)
            (map (t_substitute b t pl) (filter (fun d => negb (stored_for (bound_var b) (fst d))) B))
            (next_after (s_next s) b) (s_leads s) (s_trails s) (s_ranks s)
  end.

Lemma carry_out_cases : forall P s c tc e t pl, carry_out P s c tc e t pl =
  match binds e with
  | None => inl (carried P s c tc e t pl)
  | Some b => note (carried P s c tc e t pl) c (on_binding P b) (t || pl)
  end.
Proof. intros P s c tc e t pl. unfold carry_out, carried. destruct (binds e); reflexivity. Qed.

Lemma carried_parts : forall P s C pre c tc post r e t pl,
  proper (order P) (s_phi s) -> Permutation (waiting (s_phi s)) (pre ++ post) ->
  t_phi C = pre ++ (c, tc) :: post ->
  s_subst s = t_sigma C -> s_store s = t_store C -> numbered (s_next s) (t_used C) ->
  one_atom (map fst (t_store C)) ->
  t_step C c r (t_next C (pre ++ post) c e t pl) ->
  fires (t_used C) (map fst (t_store C)) c r (Does e) -> (again e = true -> t = tc) ->
  same_parts P (carried P s c tc e t pl) (t_next C (pre ++ post) c e t pl).
Proof.
  intros P s C pre c tc post r e t pl Pr Pe Ep Es Eb Nu One St F Ag.
  assert (One' : one_atom (map fst (t_store (t_next C (pre ++ post) c e t pl)))).
  { apply erase_step in St. exact (step_one_atom _ _ _ _ St One). }
  pose proof (binding_stores_nothing _ _ _ _ _ F) as Ns.
  set (q1 := push_all (order P) (tag_all t (emits e)) (s_phi s)).
  set (q2 := if again e then push_now (order P) (c, tc) q1 else q1).
  assert (Pr2 : proper (order P) q2).
  { unfold q2, q1. destruct (again e); [apply proper_push_now|]; now apply proper_push_all. }
  assert (Pe2 : Permutation (waiting q2)
            ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else [])))).
  { assert (P1 : Permutation (waiting q1) ((pre ++ post) ++ tag_all t (emits e))).
    { unfold q1. rewrite waiting_push_all. now apply Permutation_app_tail. }
    unfold q2. destruct (again e); simpl.
    - rewrite waiting_push_now, P1, (Ag eq_refl). unfold tag_all. rewrite map_app. simpl.
      rewrite app_assoc. apply Permutation_cons_append.
    - now rewrite app_nil_r. }
  unfold same_parts. split; [|split; [|split; [|split; [|split; [|exact One']]]]];
    unfold carried, t_next in *; fold q1; fold q2; destruct (binds e) as [b|] eqn:Bi; simpl; auto.
  - now apply proper_change_all, proper_push_all.
  - rewrite waiting_change_all, waiting_push_all.
    apply Permutation_map, Permutation_app; [exact Pe2|].
    rewrite Ns by congruence. simpl. now rewrite Eb.
  - unfold s_subst in *; simpl. now rewrite Es.
  - rewrite Ns by congruence. simpl. now rewrite Eb.
  - now rewrite Eb.
  - now apply next_after_numbered.
Qed.

Lemma t_step_leads : forall C rest c e t pl, t_leads (t_next C rest c e t pl) =
  match binds e with
  | None => t_leads C ++ tag_all t (lead_facts c)
  | Some b => (t_leads C ++ tag_all t (lead_facts c)) ++ tag_all (t || pl) (lead_facts_b b)
  end.
Proof. intros C rest c e t pl. unfold t_next. destruct (binds e); simpl; [apply app_assoc | auto]. Qed.

Lemma t_step_trails : forall C rest c e t pl, t_trails (t_next C rest c e t pl) =
  match binds e with
  | None => t_trails C ++ tag_all t (trail_facts c)
  | Some b => (t_trails C ++ tag_all t (trail_facts c)) ++ tag_all (t || pl) (trail_facts_b b)
  end.
Proof. intros C rest c e t pl. unfold t_next. destruct (binds e); simpl; [apply app_assoc | auto]. Qed.

(** Only rules for dimensions look at what is stored. *)
Lemma fire_facts : forall P n B c r o u tc, fire P n B c = (r, o, u) ->
  tag_all (tc || u) (lead_facts c) = tag_all tc (lead_facts c) /\
  tag_all (tc || u) (trail_facts c) = tag_all tc (trail_facts c).
Proof.
  intros P n B c r o u tc E. apply no_tag in E. destruct c; simpl; auto. rewrite E, orb_false_r. auto.
Qed.

Lemma failing_cycle : forall C ls ts c tc, In (c, tc) (t_phi C) ->
  ls = lead_facts c -> ts = trail_facts c ->
  positive_cycle (untainted (t_leads C ++ tag_all tc ls)) \/
  positive_cycle (untainted (t_trails C ++ tag_all tc ts)) -> t_guard_fails C.
Proof.
  intros C ls ts c tc I -> -> H. exists (if tc then [] else [c]). split.
  - intros d J. destruct tc; [destruct J|]. destruct J as [<-|[]]. now apply in_untainted.
  - rewrite !untainted_app, !untainted_tag in H.
    destruct tc; simpl; rewrite ?app_nil_r in *; auto.
Qed.

(** The step of the relation that a step of the program reports. *)
Inductive reports (C : tconfig) (d : did) : tconfig -> Prop :=
| Reports pre tc post : t_phi C = pre ++ (d_on d, tc) :: post ->
    fires (t_used C) (map fst (t_store C)) (d_on d) (d_rule d) (Does (d_effect d)) ->
    (d_tainted d = false ->
       tc = false /\ fires (t_used C) (untainted (t_store C)) (d_on d) (d_rule d) (Does (d_effect d))) ->
    d_placed d = commitsb (d_on d) (d_rule d) ->
    reports C d (t_next C (pre ++ post) (d_on d) (d_effect d) (d_tainted d) (d_placed d)).

Lemma reports_step : forall C d C', reports C d C' -> t_step C (d_on d) (d_rule d) C'.
Proof.
  intros C d C' R. destruct R as [pre tc post E F Ft Ep]. apply (T_step C pre _ tc post); auto.
  intros Z. apply commitsb_spec. now rewrite <- Ep.
Qed.

(** σ with what a step bound. *)
Definition sigma_after (d : did) (l : list (binding * standing)) : list (binding * standing) :=
  match binds (d_effect d) with
  | Some b => (b, standing_of (d_tainted d) (d_placed d)) :: l
  | None => l
  end.

(** What a step of the program is, whatever it is. *)
Lemma step_of_reports : forall P s C, stands_for P s C ->
  match step_of P s with
  | Finished => t_phi C = []
  | Stopped f => f_tainted f = false ->
      exists C', (C' = C \/ exists c r, t_step C c r C') /\ (t_rule_fails C' \/ t_guard_fails C')
  | Stepped d s' => s_sigma s' = sigma_after d (s_sigma s) /\
      exists C', reports C d C' /\ stands_for P s' C'
  end.
Proof.
  intros P s C [(Pr & Pe & Es & Eb & Nu & One) Fa]. unfold step_of.
  destruct (pop (order P) (s_phi s)) as [[[c tc] q]|] eqn:Po.
  2: { apply (pop_none _ _ Pr) in Po. rewrite Po in Pe. now apply Permutation_nil in Pe. }
  assert (Pq : proper (order P) q) by (eapply proper_pop; eauto).
  apply pop_permutation in Po.
  assert (Ic : In (c, tc) (t_phi C)).
  { apply (Permutation_in _ Pe), (Permutation_in _ (Permutation_sym Po)). simpl; auto. }
  destruct (in_split _ _ Ic) as (pre & post & Ep).
  assert (Pw : Permutation (waiting q) (pre ++ post)).
  { apply (Permutation_app_inv [] (waiting q) pre post (c, tc)). simpl.
    now rewrite <- Po, Pe, Ep. }
  set (s0 := State q (s_sigma s) (s_store s) (s_next s) (s_leads s) (s_trails s) (s_ranks s)).
  destruct (note s0 c (on_constraint P c) tc) as [s1|f] eqn:No.
  2: { intros T. assert (G : guard P = Signed) by (apply (note_signed P s0 c c tc f); auto).
       exists C. split; [auto|]. right. destruct (Fa G) as (El & Et & _).
       unfold on_constraint in No. rewrite G in No. apply note_inr in No as (_ & No & _).
       specialize (No T). simpl in No. rewrite El, Et in No. eapply failing_cycle; eauto. }
  assert (N1 : s_phi s1 = q /\ s_sigma s1 = s_sigma s /\ s_store s1 = s_store s /\ s_next s1 = s_next s /\
    (guard P = Signed -> s_leads s1 = t_leads C ++ tag_all tc (lead_facts c) /\
       s_trails s1 = t_trails C ++ tag_all tc (trail_facts c) /\
       ~ positive_cycle (map fst (s_leads s1)) /\ ~ positive_cycle (map fst (s_trails s1)))).
  { destruct (on_constraint P c) as [[ls ts] rs] eqn:On.
    apply note_inl in No as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8). simpl in *.
    split; [auto | split; [auto | split; [auto | split; [auto|]]]]. intros G. destruct (Fa G) as (El & Et & Nl & Nt).
    unfold on_constraint in On. rewrite G in On. injection On as <- <- _. rewrite El, Et in *. auto. }
  destruct N1 as (E1 & E2 & E3 & E4 & Fa1).
  assert (Es1 : s_subst s1 = t_sigma C) by (unfold s_subst in *; now rewrite E2).
  rewrite <- E3 in Eb. rewrite <- E4 in Nu.
  destruct (fire P (s_next s1) (s_store s1) c) as [[r o] u] eqn:Fi.
  pose proof (fire_facts _ _ _ _ _ _ _ tc Fi) as [Fl Ft].
  assert (Hu : match c with DLe _ _ => True | _ => u = false end) by (eapply no_tag; eauto).
  rewrite Eb in Fi. apply (def_4_3_fire_is_a_rule _ _ _ _ _ _ _ (t_used C) Nu One) in Fi as [F FU].
  destruct o as [|e].
  { simpl. intros T. apply orb_false_iff in T as [-> ->]. exists C. split; [auto|]. left.
    exists c, r. auto. }
  set (t := tc || u) in *. set (pl := commitsb c r).
  assert (Re : reports C (Did r c t e pl) (t_next C (pre ++ post) c e t pl)).
  { apply (Reports C (Did r c t e pl) pre tc post); auto.
    simpl. intros T. apply orb_false_iff in T as [-> ->]. auto. }
  pose proof (reports_step _ _ _ Re) as St. simpl in St.
  assert (Ag : again e = true -> t = tc).
  { intros A. destruct (fires_again _ _ _ _ _ F A) as (R & Q & ->). unfold t. rewrite Hu. apply orb_false_r. }
  set (C' := t_next C (pre ++ post) c e t pl) in *.
  assert (Pa : same_parts P (carried P s1 c tc e t pl) C').
  { apply (carried_parts P s1 C pre c tc post r); auto; now rewrite E1. }
  assert (Ca : s_leads (carried P s1 c tc e t pl) = s_leads s1 /\ s_trails (carried P s1 c tc e t pl) = s_trails s1)
    by (unfold carried; destruct (binds e); auto).
  assert (Sg : s_sigma (carried P s1 c tc e t pl) = sigma_after (Did r c t e pl) (s_sigma s)).
  { unfold carried, sigma_after. simpl. rewrite <- E2. destruct (binds e); auto. }
  destruct Ca as [Cl Ct]. rewrite carry_out_cases.
  pose proof (t_step_leads C (pre ++ post) c e t pl) as Hl.
  pose proof (t_step_trails C (pre ++ post) c e t pl) as Ht. fold C' in Hl, Ht. rewrite Fl in Hl. rewrite Ft in Ht.
  destruct (binds e) as [b|].
  2: { split; [exact Sg|]. exists C'. split; [exact Re|]. split; [exact Pa|].
       intros G. destruct (Fa1 G) as (El & Et & Nl & Nt). rewrite Hl, Ht, Cl, Ct, <- El, <- Et. auto. }
  destruct (note (carried P s1 c tc e t pl) c (on_binding P b) (t || pl)) as [s2|f] eqn:No2.
  - destruct (on_binding P b) as [[ls ts] rs] eqn:On.
    apply note_inl in No2 as (D1 & D2 & D3 & D4 & D5 & D6 & D7 & D8).
    split; [rewrite D2; exact Sg|]. exists C'. split; [exact Re|]. split.
    + unfold same_parts, s_subst in *. now rewrite D1, D2, D3, D4.
    + intros G. destruct (Fa1 G) as (El & Et & Nl & Nt). unfold on_binding in On. rewrite G in On.
      injection On as <- <- _. rewrite Hl, Ht. rewrite Cl, Ct in *. rewrite El in D5, D7. rewrite Et in D6, D8.
      rewrite <- D5, <- D6. rewrite El in Nl. rewrite Et in Nt. auto.
  - intros T. assert (G : guard P = Signed) by (eapply (note_signed P _ c c); eauto).
    exists C'. split; [right; eauto|]. right. destruct (Fa1 G) as (El & Et & _ & _).
    unfold on_binding in No2. rewrite G in No2. apply note_inr in No2 as (_ & No2 & _).
    specialize (No2 T). rewrite Cl, Ct, El, Et, <- Hl, <- Ht in No2.
    exists []. split; [apply incl_nil_l|]. simpl. rewrite !app_nil_r. exact No2.
Qed.

(** The same with less of what a step reports. *)
Lemma step_of_cases : forall P s C, stands_for P s C ->
  match step_of P s with
  | Finished => t_phi C = []
  | Stopped f => f_tainted f = false ->
      exists C', (C' = C \/ exists c r, t_step C c r C') /\ (t_rule_fails C' \/ t_guard_fails C')
  | Stepped d s' => d_placed d = commitsb (d_on d) (d_rule d) /\
      exists C', t_step C (d_on d) (d_rule d) C' /\ stands_for P s' C'
  end.
Proof.
  intros P s C H. pose proof (step_of_reports P s C H) as K. destruct (step_of P s) as [|f|d s']; auto.
  destruct K as (_ & C' & R & H'). split; [now destruct R|].
  exists C'. split; [now apply reports_step | auto].
Qed.

(** Def. 4.4: a step of the program is a step of the relation, and under the
    signed guard one after which the guard is silent. *)
Theorem def_4_4_step_is_a_step : forall P s C d s', stands_for P s C -> step_of P s = Stepped d s' ->
  exists C', t_step C (d_on d) (d_rule d) C' /\ stands_for P s' C' /\
    (guard P = Signed -> guarded_step (erase C) (erase C')).
Proof.
  intros P s C d s' H E. pose proof (step_of_cases P s C H) as K. rewrite E in K.
  destruct K as (_ & C' & S & H'). exists C'. split; [auto | split; [auto|]]. intros G.
  destruct (proj2 H' G) as (_ & _ & Nl & Nt). split; [|auto].
  exists (d_on d), (d_rule d). now apply erase_step.
Qed.

(** Where nothing waits, nothing is left to process. *)
Theorem def_4_4_done : forall P s C, stands_for P s C -> step_of P s = Finished -> t_phi C = [].
Proof. intros P s C H E. pose proof (step_of_cases P s C H) as K. now rewrite E in K. Qed.

(** A failure without the tag is one of the relation, at this configuration or,
    where a binding closes a cycle, at the next. *)
Theorem def_4_4_failure_is_a_failure : forall P s C f, stands_for P s C -> step_of P s = Stopped f ->
  f_tainted f = false ->
  exists C', (C' = C \/ exists c r, t_step C c r C') /\ (t_rule_fails C' \/ t_guard_fails C').
Proof. intros P s C f H E T. pose proof (step_of_cases P s C H) as K. rewrite E in K. auto. Qed.

(** A step says whether it commits a placement. *)
Lemma step_placed : forall P s d s', step_of P s = Stepped d s' -> d_placed d = commitsb (d_on d) (d_rule d).
Proof.
  intros P s d s' E. unfold step_of in E. destruct (pop (order P) (s_phi s)) as [[[c tc] q]|]; [|discriminate].
  destruct (note _ c (on_constraint P c) tc) as [s1|f]; [|discriminate].
  destruct (fire P (s_next s1) (s_store s1) c) as [[r [|e]] u]; [discriminate|].
  destruct (carry_out P s1 c tc e (tc || u) (commitsb c r)) as [s2|f]; [|discriminate].
  injection E as <- <-. reflexivity.
Qed.

(** * Runs *)

Definition step_kind (d : did) : kind := Runs.By_rule (d_on d) (d_rule d).

Lemma steps_run : forall P (K : kind -> Prop) s ds s', steps P s ds s' ->
  (forall d, In d ds -> K (step_kind d)) -> forall C, stands_for P s C ->
  exists C', t_run K C C' /\ stands_for P s' C'.
Proof.
  intros P K s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros HK C H.
  - exists C. split; [apply T_nil | auto].
  - destruct (def_4_4_step_is_a_step P s C d s' H E) as (C' & S & H' & _).
    destruct (IH (fun x I => HK x (or_intror I)) C' H') as (C'' & R' & H'').
    exists C''. split; [|auto]. eapply T_cons; [|exact S | exact R']. apply HK. simpl; auto.
Qed.

Lemma steps_placed : forall P s ds s', steps P s ds s' ->
  forall d, In d ds -> d_placed d = false -> semantic_step (step_kind d).
Proof.
  intros P s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros x I N; [destruct I|].
  destruct I as [<-|I]; [|auto]. apply commitsb_spec. now rewrite <- (step_placed P s d s' E).
Qed.

(** What [run_from] did is a sequence of steps, to a state with no next one. *)
Theorem def_4_4_run_from_steps : forall P s (A : Acc (follows P) s) ds last, run_from P s A = (ds, last) ->
  steps P s ds (last_state last) /\
  step_of P (last_state last) = match last with Solved_at _ => Finished | Failed_at _ f => Stopped f end.
Proof.
  intros P s A. induction A as [s a IH] using Acc_inv_dep. intros ds last. cbn [run_from].
  assert (G : forall o (E : step_of P s = o),
    (match o as x return step_of P s = x -> list did * end_of_run with
     | Finished => fun _ => ([], Solved_at s)
     | Stopped f => fun _ => ([], Failed_at s f)
     | Stepped d s' => fun E =>
         let '(ds, last) := run_from P s' (Acc_inv (Acc_intro s a) (ex_intro _ d E)) in (d :: ds, last)
     end E) = (ds, last) ->
    steps P s ds (last_state last) /\
    step_of P (last_state last) = match last with Solved_at _ => Finished | Failed_at _ f => Stopped f end).
  2: { exact (G _ eq_refl). }
  intros [|f|d s'] E X.
  - injection X as <- <-. split; [constructor | exact E].
  - injection X as <- <-. split; [constructor | exact E].
  - destruct (run_from P s' (Acc_inv (Acc_intro s a) (ex_intro _ d E))) as [ds' last'] eqn:R.
    injection X as <- <-. simpl in R. apply IH in R as [R L]. split; [econstructor; eauto | exact L].
Qed.

(** So is what [run_for] did. *)
Theorem def_4_4_run_for_steps : forall P n s ds x, run_for P n s = (ds, x) -> exists s', steps P s ds s' /\
  forall last, x = Some last -> s' = last_state last /\
    step_of P s' = match last with Solved_at _ => Finished | Failed_at _ f => Stopped f end.
Proof.
  intros P n; induction n as [|n IH]; intros s ds x R; simpl in R;
    destruct (step_of P s) as [|f|d s'] eqn:E;
    try (injection R as <- <-; exists s; split; [constructor|]; intros last X; injection X as <-; auto).
  - injection R as <- <-. exists s. split; [constructor | discriminate].
  - destruct (run_for P n s') as [ds' x'] eqn:R'. injection R as <- <-.
    destruct (IH s' ds' x' R') as (s'' & S & L). exists s''. split; [econstructor; eauto | auto].
Qed.

(** Def. 4.4: what the program reaches, a run of the relation reaches. *)
Theorem def_4_4_run_is_a_run : forall P n cs ds s, numbered n (flat_map vars_c cs) ->
  steps P (started P n cs) ds s ->
  exists C, t_run any_step (t_initial cs) C /\ stands_for P s C /\
    ((forall d, In d ds -> d_placed d = false) -> t_run semantic_step (t_initial cs) C).
Proof.
  intros P n cs ds s N R. apply (start_stands P) in N.
  assert (Dec : (forall d, In d ds -> d_placed d = false) \/ ~ (forall d, In d ds -> d_placed d = false)).
  { destruct (existsb d_placed ds) eqn:X.
    - right. intros Y. apply existsb_exists in X as (d & I & X). rewrite (Y d I) in X. discriminate.
    - left. intros d I. destruct (d_placed d) eqn:Y; [|auto]. rewrite <- X. symmetry.
      apply existsb_exists. eauto. }
  destruct Dec as [Y|Y].
  - destruct (steps_run P semantic_step _ _ _ R (fun d I => steps_placed _ _ _ _ R d I (Y d I)) _ N)
      as (C & RC & H). exists C. split; [|auto]. clear - RC.
    induction RC as [C|C c r C' C'' K S R IH|C cs' t C'' []]; [apply T_nil | eapply T_cons; eauto; exact I].
  - destruct (steps_run P any_step _ _ _ R (fun d I => Logic.I) _ N) as (C & RC & H).
    exists C. split; [auto | split; [auto | tauto]].
Qed.

(** * Runs end *)

Lemma follows_acc : forall P, guard P = Signed -> forall X, Acc (fun C' C => guarded_step C C') X ->
  forall s C, erase C = X -> stands_for P s C -> Acc (follows P) s.
Proof.
  intros P G X A; induction A as [X _ IH]; intros s C E H. constructor. intros s' (d & S).
  destruct (def_4_4_step_is_a_step P s C d s' H S) as (C' & _ & H' & St).
  apply (IH (erase C')) with (C := C'); auto. rewrite <- E. auto.
Qed.

(** A configuration from which the guard has nothing to say. *)
Lemma silent_acc : forall C, well_formed C -> facts_seen C -> ~ positive_cycle (leads C) ->
  ~ positive_cycle (trails C) -> Acc (fun C' C => guarded_step C C') C.
Proof.
  intros C W F Nl Nt. destruct (reset C _ _ W F Nl Nt eq_refl (untouched_all _ _ _)) as (n3 & n4 & n5 & H).
  eapply state_acc; eauto.
Qed.

(** R1b: with the signed guard the program ends. *)
Theorem r1b_follows_ends : forall P n cs, guard P = Signed -> numbered n (flat_map vars_c cs) ->
  Acc (follows P) (started P n cs).
Proof.
  intros P n cs G N. apply (start_stands P) in N.
  apply (follows_acc P G (initial cs) (r1b_termination cs) _ (t_initial cs)); [|auto].
  unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst.
Qed.
