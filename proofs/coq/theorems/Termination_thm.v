(** R1b and R1c: runs with the signed guard end, and decide inequality-only sets.

    Every guarded step makes a tuple of five numbers smaller, the first that
    changes deciding: row equalities left; inequalities whose facts have not
    been recorded yet; the lengths that a solution of the recorded facts gives
    to the open row variables; dimension variables left; work left in Φ. *)

From Coq Require Import List Bool Arith ZArith Lia Wf_nat Permutation.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm.
Import ListNotations.

(** * Constraints whose facts are already recorded *)

Definition touched (fl ft : list fact) (c : constr) : Prop :=
  (forall v, facts_hold v fl -> facts_hold v (lead_facts c)) /\
  (forall v, facts_hold v ft -> facts_hold v (trail_facts c)).

(** At most so many constraints of the list are not. *)
Inductive untouched (fl ft : list fact) : list constr -> nat -> Prop :=
| U_nil : untouched fl ft [] 0
| U_touched c l n : touched fl ft c -> untouched fl ft l n -> untouched fl ft (c :: l) n
| U_any c l n : untouched fl ft l n -> untouched fl ft (c :: l) (S n).

Lemma untouched_all : forall fl ft l, untouched fl ft l (length l).
Proof. intros fl ft l; induction l; simpl; [constructor | now apply U_any]. Qed.

Lemma untouched_none : forall fl ft l, (forall c, In c l -> touched fl ft c) -> untouched fl ft l 0.
Proof.
  intros fl ft l; induction l as [|c l IH]; intros H; [constructor | apply U_touched; [apply H; simpl; auto|]].
  apply IH. intros; apply H; simpl; auto.
Qed.

Lemma untouched_app : forall fl ft l k n m, untouched fl ft l n -> untouched fl ft k m ->
  untouched fl ft (l ++ k) (n + m).
Proof. intros fl ft l k n m H K; induction H; simpl; auto using U_touched, U_any. Qed.

Lemma untouched_app_inv : forall fl ft l k n, untouched fl ft (l ++ k) n ->
  exists a b, n = a + b /\ untouched fl ft l a /\ untouched fl ft k b.
Proof.
  intros fl ft l; induction l as [|c l IH]; intros k n H; simpl in H.
  - exists 0, n. repeat split; auto. constructor.
  - inversion H as [|c' l' n' T U|c' l' n' U]; subst.
    + destruct (IH _ _ U) as (a & b & -> & A & B). exists a, b. auto using U_touched.
    + destruct (IH _ _ U) as (a & b & -> & A & B). exists (S a), b. auto using U_any.
Qed.

Lemma untouched_remove : forall fl ft pre c post n, untouched fl ft (pre ++ c :: post) n ->
  (touched fl ft c /\ untouched fl ft (pre ++ post) n) \/
  (exists k, k < n /\ untouched fl ft (pre ++ post) k).
Proof.
  intros fl ft pre c post n H. apply untouched_app_inv in H as (a & b & -> & A & B).
  inversion B as [|c' l' n T U|c' l' n U]; subst.
  - left. auto using untouched_app.
  - right. exists (a + n). split; [lia | auto using untouched_app].
Qed.

Lemma untouched_permutation : forall fl ft l k, Permutation l k ->
  forall n, untouched fl ft l n -> untouched fl ft k n.
Proof.
  intros fl ft l k P; induction P as [|x l k P IH|x y l|l k m P IH P' IH']; intros n U; auto.
  - inversion U as [|c l' n' T U'|c l' n' U']; subst; [apply U_touched | apply U_any]; auto.
  - inversion U as [|c l' n' T U'|c l' n' U']; subst;
      inversion U' as [|c' l'' n'' T' U''|c' l'' n'' U'']; subst; auto using U_touched, U_any.
Qed.

Lemma untouched_filter : forall fl ft f l n, untouched fl ft l n ->
  exists a b, n = a + b /\ untouched fl ft (filter f l) a /\
              untouched fl ft (filter (fun c => negb (f c)) l) b.
Proof.
  intros fl ft f l n H; induction H as [|c l n T H (a & b & -> & A & B)|c l n H (a & b & -> & A & B)]; simpl.
  - exists 0, 0. repeat split; constructor.
  - exists a, b. destruct (f c); simpl; auto using U_touched.
  - destruct (f c); simpl; [exists (S a), b | exists a, (S b)]; repeat split; auto using U_any.
Qed.

Lemma untouched_map : forall fl ft fl' ft' h l n,
  (forall c, touched fl ft c -> touched fl' ft' (h c)) ->
  untouched fl ft l n -> untouched fl' ft' (map h l) n.
Proof. intros fl ft fl' ft' h l n H U; induction U; simpl; [constructor | apply U_touched | apply U_any]; auto. Qed.

Lemma untouched_mono : forall fl ft fl' ft' l n, incl fl fl' -> incl ft ft' ->
  untouched fl ft l n -> untouched fl' ft' l n.
Proof.
  intros fl ft fl' ft' l n Hl Ht U. rewrite <- (map_id l). apply (untouched_map fl ft); auto.
  intros c [A B]; split; intros v H; [apply A | apply B]; intros f I; auto.
Qed.

(** A constraint is touched once its own facts are recorded. *)
Lemma touched_own : forall fl ft c, incl (lead_facts c) fl -> incl (trail_facts c) ft -> touched fl ft c.
Proof. intros fl ft c A B; split; intros v H f I; auto. Qed.

(** What is closed stays closed. *)
Lemma both_closed_sub : forall s R Q, both_closed (sub_r s R) (sub_r s Q) = false -> both_closed R Q = false.
Proof. intros s [l [p|] r] [l' [q|] r']; simpl; auto. Qed.

(** Substituting a binding whose facts are recorded. *)
Lemma touched_sub : forall fl ft b c, touched fl ft c ->
  incl (lead_facts_b b) fl -> incl (trail_facts_b b) ft ->
  touched fl ft (sub_c (as_subst b) c).
Proof.
  intros fl ft b c [A B] Il It.
  assert (Lm : forall b (R : rterm) (v : lengths),
    facts_hold v (lead_facts_b b) ->
    (length_of v (tmid (sub_r (as_subst b) R)) + len (tlead (sub_r (as_subst b) R)) =
     length_of v (tmid R) + len (tlead R))%Z).
  { clear. intros b [l [p|] r] v H; unfold sub_r, len; cbn [tmid tlead ttrail];
      [|rewrite len_map; lia].
    rewrite len_app, len_map. destruct b as [a t|q V]; cbn [as_subst bind_d bind_r on_r]; [simpl; lia|].
    destruct (Nat.eqb_spec p q) as [->|N]; [|simpl; lia].
    assert (H1 := H _ (or_introl eq_refl)). assert (H2 := H _ (or_intror (or_introl eq_refl))).
    unfold fact_holds in H1, H2; simpl in H1, H2 |- *. unfold len in *. lia. }
  assert (Lt : forall b (R : rterm) (v : lengths),
    facts_hold v (trail_facts_b b) ->
    (length_of v (tmid (sub_r (as_subst b) R)) + len (ttrail (sub_r (as_subst b) R)) =
     length_of v (tmid R) + len (ttrail R))%Z).
  { clear. intros b [l [p|] r] v H; unfold sub_r, len; cbn [tmid tlead ttrail];
      [|rewrite len_map; lia].
    rewrite len_app, len_map. destruct b as [a t|q V]; cbn [as_subst bind_d bind_r on_r]; [simpl; lia|].
    destruct (Nat.eqb_spec p q) as [->|N]; [|simpl; lia].
    assert (H1 := H _ (or_introl eq_refl)). assert (H2 := H _ (or_intror (or_introl eq_refl))).
    unfold fact_holds in H1, H2; simpl in H1, H2 |- *. unfold len in *. lia. }
  split; intros v H.
  - specialize (A v H). assert (Hb : facts_hold v (lead_facts_b b)) by (intros f I; auto).
    destruct c as [t u|t u|R Q|R Q]; simpl in *; auto.
    destruct (both_closed (sub_r (as_subst b) R) (sub_r (as_subst b) Q)) eqn:E; [intros f []|].
    apply both_closed_sub in E. rewrite E in A. intros f [<-|[]].
    specialize (A _ (or_introl eq_refl)). unfold fact_holds, lead_fact in *; simpl in *.
    pose proof (Lm b R v Hb). pose proof (Lm b Q v Hb). lia.
  - specialize (B v H). assert (Hb : facts_hold v (trail_facts_b b)) by (intros f I; auto).
    destruct c as [t u|t u|R Q|R Q]; simpl in *; auto.
    destruct (both_closed (sub_r (as_subst b) R) (sub_r (as_subst b) Q)) eqn:E; [intros f []|].
    apply both_closed_sub in E. rewrite E in B. intros f [<-|[]].
    specialize (B _ (or_introl eq_refl)). unfold fact_holds, trail_fact in *; simpl in *.
    pose proof (Lt b R v Hb). pose proof (Lt b Q v Hb). lia.
Qed.

(** * What each rule does to the numbers *)

Definition is_dim (c : constr) : Prop := match c with DEq _ _ | DLe _ _ => True | _ => False end.

Lemma is_dim_facts : forall c, is_dim c -> lead_facts c = [] /\ trail_facts c = [].
Proof. intros [| | |]; simpl; tauto. Qed.

Lemma equalities_dim : forall F G d, In d (equalities F G) -> is_dim d.
Proof. intros F G d I. apply in_map_iff in I as (x & <- & _). exact I. Qed.

Lemma inequalities_dim : forall F G d, In d (inequalities F G) -> is_dim d.
Proof. intros F G d I. apply in_map_iff in I as (x & <- & _). exact I. Qed.

Lemma outer_dim : forall R S d, In d (outer R S) -> is_dim d.
Proof. intros R S d I. apply in_app_iff in I as [I|I]; eapply equalities_dim; eauto. Qed.

Lemma facing_dim : forall R S d, In d (facing R S) -> is_dim d.
Proof. intros R S d I. apply in_app_iff in I as [I|I]; eapply equalities_dim; eauto. Qed.

Lemma aligned_dim : forall R S d, In d (aligned R S) -> is_dim d.
Proof. intros R S d I. apply in_app_iff in I as [I|I]; eapply inequalities_dim; eauto. Qed.

(** Only dimension constraints are emitted. *)
Lemma outcome_emits : forall used B c r o, fires used B c r o ->
  match o with Fails => True | Does e => forall d, In d (emits e) -> is_dim d end.
Proof.
  intros used B c r o F.
  each_outcome F; simpl; try tauto; eauto using outer_dim, facing_dim, aligned_dim, equalities_dim;
    intros d' [<-|[]]; exact I.
Qed.

(** What is stored is a dimension bound, a deferred equation in place of an
    equation, or a cap with the facts of the consumed constraint. *)
Lemma outcome_stores : forall used B c r o, fires used B c r o ->
  match o with
  | Fails => True
  | Does e => stores e = [] \/ exists d, stores e = [d] /\
      (is_dim d \/ (is_req d /\ is_req c) \/
       (~ is_req d /\ lead_facts d = lead_facts c /\ trail_facts d = trail_facts c))
  end.
Proof.
  intros used B c r o F.
  each_outcome F; simpl; auto; right; (eexists; split; [reflexivity|]); simpl; auto.
  right; right. split; [auto|]. destruct Cv as [Hl Ht]. unfold both_closed. rewrite Mop.
  cbn [residue cut tmid rvar_term]. unfold lead_fact, trail_fact, residue, cut, len; cbn [tlead ttrail tmid rvar_term].
  rewrite len_skipn, len_firstn, Mop. destruct (tmid res); split; do 2 f_equal; simpl; lia.
Qed.

(** How much work a constraint is. *)
Definition work (c : constr) : nat :=
  match c with
  | DEq _ _ => 1
  | DLe _ _ => 2
  | REq R Q | RLe R Q => S (2 * (known_rank R + known_rank Q))
  end.

Definition total (l : list constr) : nat := list_sum (map work l).

Lemma total_app : forall l k, total (l ++ k) = total l + total k.
Proof. intros; unfold total. now rewrite map_app, list_sum_app. Qed.

Lemma total_equalities : forall F G, total (equalities F G) <= length F.
Proof.
  unfold total, equalities. intros F; induction F as [|t F IH]; intros [|u G]; simpl; try lia.
  specialize (IH G). lia.
Qed.

Lemma total_inequalities : forall F G, total (inequalities F G) <= 2 * length G.
Proof.
  unfold total, inequalities. intros F; induction F as [|t F IH]; intros [|u G]; simpl; try lia.
  specialize (IH G). lia.
Qed.

Lemma total_outer : forall R S, total (outer R S) <= known_rank R.
Proof.
  intros R S. unfold outer. rewrite total_app.
  pose proof (total_equalities (firstn (common_lead R S) (tlead R)) (firstn (common_lead R S) (tlead S))) as A.
  pose proof (total_equalities (skipn (length (ttrail R) - common_trail R S) (ttrail R))
                (skipn (length (ttrail S) - common_trail R S) (ttrail S))) as B.
  rewrite len_firstn in A. rewrite len_skipn in B. unfold known_rank. lia.
Qed.

Lemma total_aligned : forall R S, total (aligned R S) <= 2 * known_rank S.
Proof.
  intros R S. unfold aligned. rewrite total_app.
  pose proof (total_inequalities (firstn (length (tlead S)) (tlead R)) (tlead S)).
  pose proof (total_inequalities (skipn (length (ttrail R) - length (ttrail S)) (ttrail R)) (ttrail S)).
  unfold known_rank. lia.
Qed.

(** The kinds of steps. *)
Lemma outcome_kinds : forall used B c r o, fires used B c r o ->
  match o with
  | Fails => True
  | Does e =>
      match binds e with
      | None => again e = false /\ total (emits e) < work c
      | Some (BindD a t) =>
          is_dim c /\ emits e = [] /\ again e = false /\
          In (DV a) (vars_c c) /\ incl (vars_d t) (vars_c c)
      | Some (BindR p R) =>
          (is_req c /\ again e = false) \/
          (exists res op al q be, c = RLe res op /\ R = grown al q be /\ tmid res = Some p /\
             ~ covered res op /\
             length al = lead_deficit res op /\ length be = trail_deficit res op /\
             (forall v, In v (fresh_vars al q be) -> ~ In v used))
      end
  end.
Proof.
  intros used B c r o F.
  each_outcome F; simpl; try exact I; auto; try (split; [reflexivity | unfold total; simpl; lia]).
  - repeat split; auto using incl_tl, incl_refl.
  - repeat split; auto; [apply in_app_iff; simpl; auto | apply incl_appl, incl_refl].
  - split; [auto|]. pose proof (total_equalities (tflat R) (tflat Q)). rewrite length_tflat in *.
    unfold total in *. lia.
  - split; [auto|]. pose proof (total_outer R Q). unfold total in *. lia.
  - split; [auto|]. pose proof (total_outer R Q). unfold total in *. lia.
  - split; [auto|]. pose proof (total_outer R Q). unfold total in *. lia.
  - split; [auto|]. pose proof (total_aligned res op). unfold total in *. lia.
  - split; [auto|]. pose proof (total_aligned res op). unfold total in *. lia.
  - split; [auto|]. pose proof (total_aligned res op). unfold total in *. lia.
  - right. exists res, op, al, q, be. repeat split; auto.
Qed.

(** * Counting row equalities *)

Definition is_reqb (c : constr) : bool := match c with REq _ _ => true | _ => false end.

Definition count_req (l : list constr) : nat := length (filter is_reqb l).

Lemma count_req_app : forall l k, count_req (l ++ k) = count_req l + count_req k.
Proof. intros; unfold count_req. now rewrite filter_app, len_app. Qed.

Lemma count_req_map : forall s l, count_req (map (sub_c s) l) = count_req l.
Proof.
  intros s l; unfold count_req; induction l as [|c l IH]; simpl; auto.
  destruct c; simpl; auto.
Qed.

Lemma count_req_filter : forall f l,
  count_req (filter f l) + count_req (filter (fun c => negb (f c)) l) = count_req l.
Proof.
  intros f l; unfold count_req; induction l as [|c l IH]; simpl; auto.
  destruct (f c); simpl; destruct c; simpl; lia.
Qed.

Lemma filtered_permutation : forall (f : constr -> bool) l k, Permutation l k ->
  length (filter f l) = length (filter f k).
Proof.
  intros f l k P; induction P as [|c l k P IH|c d l|l k m P IH P' IH']; simpl; auto.
  - destruct (f c); simpl; auto.
  - destruct (f c), (f d); simpl; auto.
  - congruence.
Qed.

Lemma count_req_permutation : forall l k, Permutation l k -> count_req l = count_req k.
Proof. intros l k. apply filtered_permutation. Qed.

Lemma count_req_add : forall B cs, count_req (add_bounds B cs) = count_req B + count_req cs.
Proof.
  intros B cs. destruct (add_bounds_split cs B) as (new & -> & _ & Fl).
  rewrite count_req_app. unfold count_req. now rewrite (Fl is_reqb).
Qed.

Lemma count_req_none : forall l, (forall c, In c l -> is_dim c) -> count_req l = 0.
Proof.
  intros l H. unfold count_req. induction l as [|c l IH]; simpl; auto.
  pose proof (H c (or_introl eq_refl)). destruct c; simpl in *; try tauto;
    apply IH; intros; apply H; simpl; auto.
Qed.

(** * The recorded facts speak of variables that were seen *)

Definition facts_seen (C : config) : Prop :=
  forall f, In f (leads C ++ trails C) ->
    (forall p, greater f = Some p -> In (RV p) (used C)) /\
    (forall p, lesser f = Some p -> In (RV p) (used C)).

Lemma facts_of_constr : forall c f, In f (lead_facts c ++ trail_facts c) ->
  (forall p, greater f = Some p -> In (RV p) (vars_c c)) /\
  (forall p, lesser f = Some p -> In (RV p) (vars_c c)).
Proof.
  intros [t u|t u|R Q|R Q] f I; simpl in I; try tauto.
  destruct (both_closed R Q); simpl in I; [tauto|].
  destruct I as [<-|[<-|[]]]; simpl; split; intros p E; apply in_app_iff; auto using mid_var.
Qed.

Lemma facts_of_binding : forall b f, In f (lead_facts_b b ++ trail_facts_b b) ->
  (forall p, greater f = Some p -> RV p = bound_var b \/ In (RV p) (vars (bound_value b))) /\
  (forall p, lesser f = Some p -> RV p = bound_var b \/ In (RV p) (vars (bound_value b))).
Proof.
  intros [a t|p R] f I; simpl in I; try tauto.
  destruct I as [<-|[<-|[<-|[<-|[]]]]]; simpl; split; intros q E;
    try (right; now apply mid_var); left; congruence.
Qed.

Lemma step_facts_seen : forall C c r C', well_formed C -> step C c r C' -> facts_seen C -> facts_seen C'.
Proof.
  intros C c r C' W S H. destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & _).
  pose proof (fires_binding C c r e V F) as FB.
  intros f I. unfold next in *. destruct (binds e) as [b|]; simpl in *.
  - destruct (FB b eq_refl) as (_ & Ux & _ & _).
    assert (D : In f (leads C ++ trails C) \/ In f (lead_facts c ++ trail_facts c) \/
                In f (lead_facts_b b ++ trail_facts_b b)) by (rewrite !in_app_iff in *; tauto).
    destruct D as [D|[D|D]].
    + destruct (H f D) as [A B]. split; intros p E; apply in_app_iff; left; auto.
    + destruct (facts_of_constr c f D) as [A B]. split; intros p E; apply in_app_iff; left; apply V; auto.
    + destruct (facts_of_binding b f D) as [A B].
      split; intros p E; apply in_app_iff; [destruct (A p E) as [->|]|destruct (B p E) as [->|]]; auto.
  - assert (D : In f (leads C ++ trails C) \/ In f (lead_facts c ++ trail_facts c))
      by (rewrite !in_app_iff in *; tauto).
    destruct D as [D|D]; [auto|].
    destruct (facts_of_constr c f D) as [A B]. split; intros p E; apply V; auto.
Qed.

(** * The five numbers *)

Definition open_vars (C : config) : list var := flat_map vars_c (phi C ++ store C).

Definition potential (vl vt : lengths) (L : list rvar) : nat := list_sum (map (fun p => vl p + vt p) L).

Definition state (n1 n2 n3 n4 n5 : nat) (C : config) : Prop :=
  well_formed C /\ facts_seen C /\
  count_req (phi C ++ store C) = n1 /\
  untouched (leads C) (trails C) (phi C ++ store C) n2 /\
  (exists vl vt L, facts_hold vl (leads C) /\ facts_hold vt (trails C) /\
     (forall p, In (RV p) (open_vars C) -> In p L) /\
     (forall p, In p L -> In (RV p) (used C)) /\ potential vl vt L = n3) /\
  (exists D, (forall a, In (DV a) (open_vars C) -> In a D) /\ length D = n4) /\
  total (phi C) = n5.

Definition rows_of (V : list var) : list rvar :=
  flat_map (fun v => match v with RV p => [p] | DV _ => [] end) V.

Definition dims_of (V : list var) : list dvar :=
  flat_map (fun v => match v with DV a => [a] | RV _ => [] end) V.

Lemma in_rows_of : forall V p, In p (rows_of V) <-> In (RV p) V.
Proof.
  intros V p; unfold rows_of. rewrite in_flat_map. split.
  - intros ([a|q] & I & J); simpl in J; [tauto|]. destruct J as [->|[]]. auto.
  - intros I. exists (RV p); simpl; auto.
Qed.

Lemma in_dims_of : forall V a, In a (dims_of V) <-> In (DV a) V.
Proof.
  intros V a; unfold dims_of. rewrite in_flat_map. split.
  - intros ([b|q] & I & J); simpl in J; [|tauto]. destruct J as [->|[]]. auto.
  - intros I. exists (DV a); simpl; auto.
Qed.

Lemma open_used : forall C v, well_formed C -> In v (open_vars C) -> In v (used C).
Proof. intros C v (_ & W & _) I. exact (proj2 (W v I)). Qed.

(** While the guard is silent, the last three numbers exist. *)
Lemma reset : forall C n1 n2, well_formed C -> facts_seen C ->
  ~ positive_cycle (leads C) -> ~ positive_cycle (trails C) ->
  count_req (phi C ++ store C) = n1 ->
  untouched (leads C) (trails C) (phi C ++ store C) n2 ->
  exists n3 n4 n5, state n1 n2 n3 n4 n5 C.
Proof.
  intros C n1 n2 W FS NL NT E U.
  apply prop_4_6 in NL as [vl Hl]. apply prop_4_6 in NT as [vt Ht].
  assert (O : forall v, In v (open_vars C) -> In v (used C)) by (intros v I; now apply open_used).
  exists (potential vl vt (rows_of (used C))), (length (dims_of (used C))), (total (phi C)).
  split; [auto | split; [auto | split; [auto | split; [auto | split; [|split; [|reflexivity]]]]]].
  - exists vl, vt, (rows_of (used C)). repeat split; auto; intros p I; apply in_rows_of; auto.
  - exists (dims_of (used C)). split; [|auto]. intros a I. apply in_dims_of; auto.
Qed.

(** The same with the lengths given. *)
Lemma reset_with : forall C n1 n2 vl vt L, well_formed C -> facts_seen C ->
  count_req (phi C ++ store C) = n1 ->
  untouched (leads C) (trails C) (phi C ++ store C) n2 ->
  facts_hold vl (leads C) -> facts_hold vt (trails C) ->
  (forall p, In (RV p) (open_vars C) -> In p L) -> (forall p, In p L -> In (RV p) (used C)) ->
  exists n4 n5, state n1 n2 (potential vl vt L) n4 n5 C.
Proof.
  intros C n1 n2 vl vt L W FS E U Hl Ht HL1 HL2.
  assert (O : forall v, In v (open_vars C) -> In v (used C)) by (intros v I; now apply open_used).
  exists (length (dims_of (used C))), (total (phi C)).
  split; [auto | split; [auto | split; [auto | split; [auto | split; [|split; [|reflexivity]]]]]].
  - exists vl, vt, L. auto.
  - exists (dims_of (used C)). split; [|auto]. intros a I. apply in_dims_of; auto.
Qed.

(** The new lists, up to substitution: what stays, what is new. *)
Lemma next_count : forall C pre c post r e, phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) ->
  let C' := next C (pre ++ post) c e in
  count_req (phi C' ++ store C') <= count_req (phi C ++ store C) /\
  (is_req c -> forall p R, binds e = Some (BindR p R) ->
     count_req (phi C' ++ store C') < count_req (phi C ++ store C)).
Proof.
  intros C pre c post r e E F C'.
  pose proof (outcome_emits _ _ _ _ _ F) as Em. pose proof (outcome_stores _ _ _ _ _ F) as St.
  pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in Em, St, K.
  apply count_req_none in Em.
  assert (Cc : is_req c -> count_req [c] = 1) by (destruct c; simpl; tauto || reflexivity).
  assert (C0 : count_req [] = 0) by reflexivity.
  assert (Sc : count_req (stores e) <= count_req [c]).
  { destruct St as [-> | (d & -> & D)]; [lia|].
    destruct D as [D|[[D Dc]|[D _]]].
    - destruct d; simpl in D; try tauto; unfold count_req at 1; simpl; lia.
    - rewrite (Cc Dc). destruct d; unfold count_req; simpl; lia.
    - destruct d; simpl in D; try tauto; unfold count_req at 1; simpl; lia. }
  rewrite E. unfold C', next. destruct (binds e) as [b|] eqn:Eb; simpl.
  - assert (St0 : stores e = []) by (apply (binding_stores_nothing _ _ _ _ _ F); congruence).
    assert (Ag : count_req (if again e then [c] else []) <= count_req [c]) by (destruct (again e); lia).
    assert (Ag0 : is_req c -> forall p R, b = BindR p R -> again e = false).
    { intros Rc p R ->. destruct K as [[_ K]|(res & op & al & q & be & -> & _)]; [auto | destruct Rc]. }
    rewrite <- map_app, count_req_map, St0, add_bounds_nil.
    rewrite !count_req_app, (count_req_permutation _ _ (taken_permutation _ _)). change (c :: post) with ([c] ++ post). rewrite !count_req_app.
    pose proof (count_req_filter (stored_for (bound_var b)) (store C)) as Fl.
    split; [lia|]. intros Rc p R Eq. injection Eq as ->.
    rewrite (Ag0 Rc p R eq_refl). rewrite (Cc Rc). lia.
  - destruct K as [Ag _]. rewrite Ag. rewrite !count_req_app, count_req_add. change (c :: post) with ([c] ++ post).
    rewrite !count_req_app. split; [lia|]. intros; discriminate.
Qed.

Lemma next_untouched : forall C pre c post r e n, phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) ->
  untouched (leads C) (trails C) (phi C ++ store C) n ->
  let C' := next C (pre ++ post) c e in
  (touched (leads C) (trails C) c /\ untouched (leads C') (trails C') (phi C' ++ store C') n) \/
  exists k, k < n /\ untouched (leads C') (trails C') (phi C' ++ store C') k.
Proof.
  intros C pre c post r e n E F U C'.
  pose proof (outcome_emits _ _ _ _ _ F) as Em. pose proof (outcome_stores _ _ _ _ _ F) as St.
  simpl in Em, St.
  assert (G : forall k, untouched (leads C) (trails C) (pre ++ post ++ store C) k ->
            untouched (leads C') (trails C') (phi C' ++ store C') k).
  { intros k Uk.
    assert (Il : incl (leads C) (leads C') /\ incl (lead_facts c) (leads C')).
    { unfold C', next. destruct (binds e); simpl; split; intros f I; rewrite !in_app_iff; auto. }
    assert (It : incl (trails C) (trails C') /\ incl (trail_facts c) (trails C')).
    { unfold C', next. destruct (binds e); simpl; split; intros f I; rewrite !in_app_iff; auto. }
    destruct Il as [Il Ilc], It as [It Itc].
    apply (untouched_mono _ _ (leads C') (trails C')) in Uk; auto.
    assert (Tc : touched (leads C') (trails C') c) by now apply touched_own.
    assert (Te : forall d, In d (emits e ++ (if again e then [c] else [])) -> touched (leads C') (trails C') d).
    { intros d I. apply in_app_iff in I as [I|I].
      - apply Em, is_dim_facts in I as [I1 I2]. apply touched_own; rewrite ?I1, ?I2; apply incl_nil_l.
      - destruct (again e); simpl in I; [destruct I as [<-|[]]; auto | tauto]. }
    assert (Ts : forall d, In d (stores e) -> touched (leads C') (trails C') d).
    { destruct St as [-> | (d & -> & D)]; intros d' I; [destruct I|]. destruct I as [<-|[]].
      destruct D as [D|[[D _]|(_ & D1 & D2)]].
      - apply is_dim_facts in D as [I1 I2]. apply touched_own; rewrite ?I1, ?I2; apply incl_nil_l.
      - destruct d; simpl in D; try tauto. apply touched_own; apply incl_nil_l.
      - apply touched_own; rewrite ?D1, ?D2; auto. }
    apply untouched_none in Te.
    assert (Add : forall B k, untouched (leads C') (trails C') B k ->
              untouched (leads C') (trails C') (add_bounds B (stores e)) k).
    { intros B m Um. destruct (add_bounds_split (stores e) B) as (new & -> & Inc & _).
      rewrite <- (Nat.add_0_r m). apply untouched_app; [auto|]. apply untouched_none. auto. }
    rewrite app_assoc in Uk. apply untouched_app_inv in Uk as (a & b0 & -> & Ua & Ub).
    unfold C', next in *. destruct (binds e) as [b|] eqn:Eb; simpl in *.
    - rewrite <- map_app.
      apply (untouched_map (leads C ++ lead_facts c ++ lead_facts_b b)
                           (trails C ++ trail_facts c ++ trail_facts_b b)).
      + intros d T. apply touched_sub; auto; intros f I; rewrite !in_app_iff; auto.
      + apply (untouched_filter _ _ (stored_for (bound_var b))) in Ub as (x & y & -> & Ux & Uy).
        replace (a + (x + y)) with (((a + 0) + x) + y) by lia.
        repeat apply untouched_app; auto.
        eapply untouched_permutation; [symmetry; apply taken_permutation | auto].
    - replace (a + b0) with ((a + 0) + b0) by lia.
      repeat apply untouched_app; auto. }
  rewrite E, <- app_assoc in U. simpl in U.
  destruct (untouched_remove _ _ _ _ _ _ U) as [[T K]|(k & L & K)].
  - left. auto.
  - right. exists k. auto.
Qed.

Lemma next_open_vars : forall C pre c post r e v, well_formed C -> phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) ->
  In v (open_vars (next C (pre ++ post) c e)) ->
  match binds e with
  | None => In v (open_vars C)
  | Some b => v <> bound_var b /\ (In v (open_vars C) \/ In v (vars (bound_value b)))
  end.
Proof.
  intros C pre c post r e v W E F I.
  assert (Vc : forall w, In w (vars_c c) -> In w (open_vars C)).
  { intros w J. apply in_flat_map. exists c. split; [|auto]. rewrite E, !in_app_iff. simpl; auto. }
  assert (V : forall w, In w (vars_c c) -> fixes (sigma C) w /\ In w (used C)).
  { intros w J. destruct W as (_ & W & _). apply W. now apply Vc. }
  pose proof (outcome_vars _ _ _ _ _ F) as OV. simpl in OV.
  assert (All : forall d, In d ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/
                In d (store C) \/ In d (stores e) -> In v (vars_c d) -> In v (open_vars C)).
  { intros d J K. rewrite !in_app_iff in J.
    assert (X : In d (emits e) \/ In d (stores e) -> In v (open_vars C)).
    { intros Y. apply Vc, OV, in_flat_map. exists d. rewrite in_app_iff. auto. }
    assert (Y : In d pre \/ In d post \/ In d (store C) -> In v (open_vars C)).
    { intros Z. apply in_flat_map. exists d. split; [|auto]. rewrite E, !in_app_iff. simpl. tauto. }
    destruct J as [[[J|J]|[J|J]]|[J|J]]; auto.
    destruct (again e); simpl in J; [destruct J as [<-|[]]; auto | tauto]. }
  unfold open_vars, next in I. destruct (binds e) as [b|] eqn:Eb; simpl in I.
  - destruct (fires_binding C c r e V F b Eb) as (_ & _ & Nx & _).
    apply in_flat_map in I as (d' & I & J).
    assert (exists d, d' = sub_c (as_subst b) d /\
      (In d ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/ In d (store C) \/ In d (stores e)))
      as (d & -> & D).
    { apply in_app_iff in I as [I|I]; apply in_map_iff in I as (d & <- & I); exists d; split; auto;
        [rewrite in_app_iff, in_taken in I | rewrite in_add_bounds, filter_In in I]; tauto. }
    apply vars_one_binding in J as [N J]; [|auto]. split; [auto|].
    destruct J as [J|J]; [left; eauto | auto].
  - apply in_flat_map in I as (d & I & J). apply (All d); [|auto].
    rewrite app_assoc, in_app_iff, in_add_bounds, <- app_assoc in I. tauto.
Qed.

Lemma potential_other : forall vl vt q a b L, ~ In q L ->
  potential (set_len q a vl) (set_len q b vt) L = potential vl vt L.
Proof.
  intros vl vt q a b L N. unfold potential. f_equal. apply map_ext_in. intros p I.
  unfold set_len. destruct (Nat.eqb_spec p q); [subst; tauto | auto].
Qed.

Definition without (p : nat) (L : list nat) : list nat := filter (fun x => negb (x =? p)) L.

Lemma in_without : forall p L x, In x (without p L) <-> In x L /\ x <> p.
Proof.
  intros p L x. unfold without. rewrite filter_In, negb_true_iff, Nat.eqb_neq. tauto.
Qed.

Lemma potential_without : forall vl vt p L, In p L ->
  potential vl vt (without p L) + (vl p + vt p) <= potential vl vt L.
Proof.
  intros vl vt p L I. unfold potential, without.
  assert (G : forall L, list_sum (map (fun p => vl p + vt p) (filter (fun x => negb (x =? p)) L)) <=
                        list_sum (map (fun p => vl p + vt p) L)).
  { clear. intros L; induction L as [|x L IH]; simpl; auto. destruct (x =? p); simpl; lia. }
  induction L as [|x L IH]; simpl in *; [tauto|].
  destruct (Nat.eqb_spec x p) as [->|N]; simpl.
  - specialize (G L). lia.
  - destruct I as [->|I]; [congruence|]. specialize (IH I). lia.
Qed.

Lemma length_without : forall p L, In p L -> length (without p L) < length L.
Proof.
  intros p L I. unfold without.
  assert (G : forall L, length (filter (fun x => negb (x =? p)) L) <= length L).
  { clear. intros L; induction L as [|x L IH]; simpl; auto. destruct (x =? p); simpl; lia. }
  induction L as [|x L IH]; simpl in *; [tauto|].
  destruct (Nat.eqb_spec x p) as [->|N]; simpl.
  - specialize (G L). lia.
  - destruct I as [->|I]; [congruence|]. specialize (IH I). lia.
Qed.

(** Lengths after a deficit step. *)
Lemma deficit_lengths : forall (v : lengths) p q k fs, p <> q -> k <= v p ->
  (forall f, In f fs -> greater f <> Some q /\ lesser f <> Some q) -> facts_hold v fs ->
  facts_hold (set_len q (v p - k) v)
    (fs ++ [Fact (Some p) (Some q) (Z.of_nat k); Fact (Some q) (Some p) (- Z.of_nat k)%Z]).
Proof.
  intros v p q k fs N K Q H f I. apply in_app_iff in I as [I|I].
  - destruct (Q f I) as [A B]. specialize (H f I). unfold fact_holds in *.
    rewrite !set_len_other by auto. exact H.
  - destruct I as [<-|[<-|[]]]; unfold fact_holds; cbn [greater lesser weight];
      rewrite set_len_same, set_len_other by congruence; simpl; lia.
Qed.

Lemma step_decreases : forall n1 n2 n3 n4 n5 C c r C', state n1 n2 n3 n4 n5 C -> step C c r C' ->
  ~ positive_cycle (leads C') -> ~ positive_cycle (trails C') ->
  exists m1 m2 m3 m4 m5, state m1 m2 m3 m4 m5 C' /\
    (m1 < n1 \/ (m1 = n1 /\ (m2 < n2 \/ (m2 = n2 /\ (m3 < n3 \/ (m3 = n3 /\
    (m4 < n4 \/ (m4 = n4 /\ m5 < n5)))))))).
Proof.
  intros n1 n2 n3 n4 n5 C c r C' (W & FS & E1 & U & (vl & vt & L & Hl & Ht & HL1 & HL2 & E3) & (D & HD & E4) & E5)
    S NL NT.
  pose proof (step_well_formed _ _ _ _ W S) as W'. pose proof (step_facts_seen _ _ _ _ W S FS) as FS'.
  inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'. set (C' := next C (pre ++ post) c e) in *.
  destruct (next_count C pre c post r e Ep F) as [Le Lt]. fold C' in Le, Lt.
  destruct (lt_dec (count_req (phi C' ++ store C')) n1) as [L1|L1].
  { destruct (reset C' _ _ W' FS' NL NT eq_refl (untouched_all _ _ _)) as (m3 & m4 & m5 & St).
    eexists _, _, m3, m4, m5. split; [exact St | left; exact L1]. }
  assert (E1' : count_req (phi C' ++ store C') = n1) by lia. clear L1.
  destruct (next_untouched C pre c post r e n2 Ep F U) as [[T U']|(k & Lk & U')]; fold C' in U'.
  2: { destruct (reset C' _ _ W' FS' NL NT E1' U') as (m3 & m4 & m5 & St).
       eexists _, _, m3, m4, m5. split; [exact St | right; auto]. }
  pose proof (fun v => next_open_vars C pre c post r e v W Ep F) as OV. fold C' in OV.
  pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in K.
  assert (Ic : In c (phi C)) by (rewrite Ep, in_app_iff; simpl; auto).
  assert (Vc : forall v, In v (vars_c c) -> In v (open_vars C)).
  { intros v I. apply in_flat_map. exists c. rewrite in_app_iff. auto. }
  destruct T as [Tl Tt]. specialize (Tl vl Hl). specialize (Tt vt Ht).
  destruct (binds e) as [[a t|p R]|] eqn:Eb.
  - (* a dimension variable is bound *)
    destruct K as (Dc & Ee & Ea & Ia & It). apply is_dim_facts in Dc as [Fl Ft].
    exists n1, n2, n3, (length (without a D)), (total (phi C')).
    split; [|right; split; [auto|]; right; split; [auto|]; right; split; [auto|]; left; rewrite <- E4;
             apply length_without; auto].
    split; [auto | split; [auto | split; [auto | split; [auto | split; [|split; [|reflexivity]]]]]].
    + exists vl, vt, L. unfold C', next; rewrite Eb; simpl. rewrite Fl, Ft, !app_nil_r.
      split; [auto | split; [auto | split; [|split; [|auto]]]].
      * intros p I.
        assert (J : In (RV p) (open_vars C')) by (unfold open_vars, C', next; rewrite Eb; exact I).
        apply OV in J as [_ [J|J]]; [auto|]. apply HL1, Vc, It. exact J.
      * intros p I. apply in_app_iff; auto.
    + exists (without a D). split; [|auto]. intros x I. apply in_without.
      apply OV in I as [N I]. simpl in N, I. split; [|congruence].
      apply HD. destruct I as [I|I]; [auto | now apply Vc, It].
  - (* a row variable is bound *)
    destruct K as [[Rc _]|(res & op & al & q & be & -> & -> & Em & NC & La & Lb & Fr)].
    { specialize (Lt Rc p R eq_refl). lia. }
    assert (Uq : ~ In (RV q) (used C)) by (apply Fr; simpl; auto).
    assert (Ip : In (RV p) (vars_c (RLe res op))) by (simpl; apply in_app_iff; left; now apply mid_var).
    assert (Up : In (RV p) (used C)) by (apply open_used; auto).
    assert (Npq : p <> q) by congruence.
    assert (Open : both_closed res op = false) by (unfold both_closed; now rewrite Em).
    assert (Kl : length al <= vl p).
    { simpl in Tl. rewrite Open in Tl. specialize (Tl _ (or_introl eq_refl)). unfold fact_holds, lead_fact, len in Tl; simpl in Tl.
      rewrite Em in Tl. simpl in Tl. pose proof (length_of_nonneg vl (tmid op)).
      rewrite La. unfold lead_deficit. lia. }
    assert (Kt : length be <= vt p).
    { simpl in Tt. rewrite Open in Tt. specialize (Tt _ (or_introl eq_refl)). unfold fact_holds, trail_fact, len in Tt; simpl in Tt.
      rewrite Em in Tt. simpl in Tt. pose proof (length_of_nonneg vt (tmid op)).
      rewrite Lb. unfold trail_deficit. lia. }
    assert (Pos : 1 <= length al + length be).
    { rewrite La, Lb. unfold covered, lead_deficit, trail_deficit in *. lia. }
    set (vl' := set_len q (vl p - length al) vl). set (vt' := set_len q (vt p - length be) vt).
    assert (Qn : forall f, In f (leads C ++ trails C) \/ In f (lead_facts (RLe res op) ++ trail_facts (RLe res op)) ->
              greater f <> Some q /\ lesser f <> Some q).
    { intros f I. destruct I as [I|I].
      - destruct (FS f I) as [A B]. split; intros X; apply Uq; auto.
      - destruct (facts_of_constr _ f I) as [A B].
        split; intros X; apply Uq; apply open_used; auto. }
    destruct (reset_with C' n1 n2 vl' vt' (q :: without p L) W' FS' E1' U') as (m4 & m5 & St).
    + unfold C', next; rewrite Eb; cbn [leads]. rewrite app_assoc.
      cbn [lead_facts_b grown tlead tmid]. unfold len. rewrite len_map.
      apply deficit_lengths; auto.
      * intros f I. apply Qn. apply in_app_iff in I as [I|I]; rewrite !in_app_iff; auto.
      * intros f I. apply in_app_iff in I as [I|I]; auto.
    + unfold C', next; rewrite Eb; cbn [trails]. rewrite app_assoc.
      cbn [trail_facts_b grown ttrail tmid]. unfold len. rewrite len_map.
      apply deficit_lengths; auto.
      * intros f I. apply Qn. apply in_app_iff in I as [I|I]; rewrite !in_app_iff; auto.
      * intros f I. apply in_app_iff in I as [I|I]; auto.
    + intros x I. apply OV in I as [N [I|I]].
      * right. apply in_without. split; [auto | simpl in N; congruence].
      * simpl in I. apply no_other_row_var in I. simpl in I. left. congruence.
    + intros x I. unfold C', next; rewrite Eb; cbn [used]. apply in_app_iff.
      destruct I as [<-|I]; [right; simpl; now apply mid_var|].
      apply in_without in I as [I _]. left; auto.
    + eexists n1, n2, _, m4, m5. split; [exact St|]. right; split; [auto|]. right; split; [auto|]. left.
      rewrite <- E3. unfold potential at 1. simpl. fold (potential vl' vt' (without p L)).
      unfold vl', vt'. rewrite potential_other.
      * pose proof (potential_without vl vt p L (HL1 p (Vc _ Ip))).
        unfold set_len. rewrite !Nat.eqb_refl. lia.
      * intros J. apply in_without in J as [J _]. auto.
  - (* nothing is bound *)
    destruct K as [Ea Ew].
    exists n1, n2, n3, n4, (total (phi C')).
    split.
    + split; [auto | split; [auto | split; [auto | split; [auto | split; [|split; [|reflexivity]]]]]].
      * exists vl, vt, L. split; [|split; [|split; [|split]]]; auto.
        -- unfold C', next; rewrite Eb; simpl. intros f I. apply in_app_iff in I as [I|I]; auto.
        -- unfold C', next; rewrite Eb; simpl. intros f I. apply in_app_iff in I as [I|I]; auto.
        -- intros p I. unfold C', next; rewrite Eb; simpl. auto.
      * exists D. split; auto.
    + right; split; [auto|]. right; split; [auto|]. right; split; [auto|]. right; split; [auto|].
      rewrite <- E5, Ep. unfold C', next; rewrite Eb, Ea; simpl. rewrite app_nil_r, !total_app.
      unfold total in *. simpl. lia.
Qed.

(** * The theorems *)

Lemma state_acc : forall n1 n2 n3 n4 n5 C, state n1 n2 n3 n4 n5 C ->
  Acc (fun C' C => guarded_step C C') C.
Proof.
  intros n1; induction n1 as [n1 I1] using lt_wf_ind. intros n2; induction n2 as [n2 I2] using lt_wf_ind.
  intros n3; induction n3 as [n3 I3] using lt_wf_ind. intros n4; induction n4 as [n4 I4] using lt_wf_ind.
  intros n5; induction n5 as [n5 I5] using lt_wf_ind.
  intros C H. constructor. intros C' ((c & r & S) & NL & NT).
  destruct (step_decreases _ _ _ _ _ _ _ _ _ H S NL NT) as (m1 & m2 & m3 & m4 & m5 & St & Dec).
  destruct Dec as [Dec|(-> & [Dec|(-> & [Dec|(-> & [Dec|(-> & Dec)])])])]; eauto.
Qed.

Lemma initial_state : forall cs, exists n1 n2 n3 n4 n5, state n1 n2 n3 n4 n5 (initial cs).
Proof.
  intros cs.
  assert (N : ~ positive_cycle []) by (apply prop_4_6; exists (fun _ => 0); intros f []).
  assert (F : facts_seen (initial cs)) by (intros f []).
  destruct (reset (initial cs) _ _ (initial_well_formed cs) F N N eq_refl (untouched_all _ _ _))
    as (n3 & n4 & n5 & H).
  eexists _, _, n3, n4, n5. exact H.
Qed.

(** R1b: with the signed guard every run ends, whatever is taken next. *)
Theorem r1b_termination : forall cs, Acc (fun C' C => guarded_step C C') (initial cs).
Proof.
  intros cs. destruct (initial_state cs) as (n1 & n2 & n3 & n4 & n5 & H). eapply state_acc; eauto.
Qed.

(** R1b.  The same, said with sequences: there is no infinite guarded run. *)
Theorem r1b_no_infinite_run : forall cs (C : nat -> config), C 0 = initial cs ->
  ~ forall i, guarded_step (C i) (C (S i)).
Proof.
  intros cs C E H.
  assert (G : forall X, Acc (fun C' C => guarded_step C C') X -> forall i, C i <> X).
  { intros X A; induction A as [X _ IH]. intros i Ei. apply (IH (C (S i))) with (i := S i); auto.
    rewrite <- Ei. apply H. }
  exact (G _ (r1b_termination cs) 0 E).
Qed.

(** R1b.  Every run can be continued until it succeeds or fails. *)
Theorem r1b_success_or_failure : forall cs, exists C, run any_step (initial cs) C /\
  (phi C = [] \/ rule_fails C \/ guard_fails C).
Proof.
  intros cs. pose proof (r1b_termination cs) as A.
  induction A as [C _ IH].
  destruct (phi C) as [|c post] eqn:E; [exists C; split; [constructor | auto]|].
  destruct (def_4_3_some_rule_applies (used C) (store C) c) as (r & [|e] & F).
  - exists C. split; [constructor|]. right; left. exists c, r. rewrite E; simpl; auto.
  - set (C' := next C ([] ++ post) c e).
    assert (S : step C c r C') by (apply Step; auto).
    assert (G : guard_fails C' \/ guarded_step C C').
    { destruct (prop_4_6_dichotomy (leads C')) as [Fl|Pl].
      - destruct (prop_4_6_dichotomy (trails C')) as [Ft|Pt].
        + right. split; [eauto|]. split; now apply prop_4_6.
        + left. exists []. split; [apply incl_nil_l|]. right. simpl. now rewrite app_nil_r.
      - left. exists []. split; [apply incl_nil_l|]. left. simpl. now rewrite app_nil_r. }
    destruct G as [G|G].
    + exists C'. split; [|auto]. eapply Run_cons; [exact I | exact S | constructor].
    + destruct (IH C' G) as (C'' & R & H). exists C''. split; [|auto].
      eapply Run_cons; [exact I | exact S | exact R].
Qed.

(** R1c: on inputs without row equalities the guarded solver decides whether
    there is a solution, and finds the greatest one. *)
Theorem r1c_decision : forall cs, (forall c, In c cs -> ~ is_req c) ->
  exists C, run any_step (initial cs) C /\
    ((phi C = [] /\ sol cs (greatest (sigma C))) \/
     ((rule_fails C \/ guard_fails C) /\ ~ exists g, sol cs g)).
Proof.
  intros cs N. destruct (r1b_success_or_failure cs) as (C & R & H). exists C. split; [auto|].
  destruct (r1c_partial_correctness cs C N R) as [P Q]. destruct H as [H|H]; auto.
Qed.
