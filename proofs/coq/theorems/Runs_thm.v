(** Thm 5.6, Cor. 5.5 and R1a for whole runs. *)

From Coq Require Import List Bool Arith Lia Permutation.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs.
Import ListNotations.

(** * The store *)

Lemma same_bound_eq : forall c d, same_bound c d = true -> c = d.
Proof.
  intros [t u|t u|R Q|R Q] [t' u'|t' u'|R' Q'|R' Q'] H; try discriminate. simpl in H.
  apply andb_true_iff in H as [A B]. apply dterm_eqb_eq in A, B. congruence.
Qed.

Lemma same_bound_refl : forall t u, same_bound (DLe t u) (DLe t u) = true.
Proof. intros; simpl. now rewrite !dterm_eqb_refl. Qed.

(** A bound is added at the end, or not at all. *)
Lemma add_bound_cases : forall B c,
  add_bound B c = if existsb (same_bound c) B then B else B ++ [c].
Proof.
  intros B c; induction B as [|d B IH]; simpl; auto.
  destruct (same_bound c d); simpl; [auto|]. rewrite IH. now destruct (existsb _ _).
Qed.

Lemma in_add_bound : forall B c d, In d (add_bound B c) <-> In d B \/ d = c.
Proof.
  intros B c d. rewrite add_bound_cases. destruct (existsb (same_bound c) B) eqn:E.
  - split; [auto|]. intros [I| ->]; [auto|].
    apply existsb_exists in E as (x & I & E). apply same_bound_eq in E. now subst.
  - rewrite in_app_iff. simpl. split; intros [I|I]; auto. destruct I as [I|[]]; auto.
Qed.

Lemma in_add_bounds : forall cs B d, In d (add_bounds B cs) <-> In d B \/ In d cs.
Proof.
  unfold add_bounds. intros cs; induction cs as [|c cs IH]; intros B d; simpl; [tauto|].
  rewrite IH, in_add_bound. split; intros H; intuition auto.
Qed.

Lemma incl_add_bounds : forall B cs, incl B (add_bounds B cs).
Proof. intros B cs d I. apply in_add_bounds; auto. Qed.

Lemma add_bounds_nil : forall B, add_bounds B [] = B.
Proof. reflexivity. Qed.

(** What is new stands at the end; of row bounds that is all of them. *)
Lemma add_bounds_split : forall cs B, exists new, add_bounds B cs = B ++ new /\ incl new cs /\
  forall f, (forall t u, f (DLe t u) = false) -> filter f new = filter f cs.
Proof.
  unfold add_bounds. intros cs; induction cs as [|c cs IH]; intros B.
  - exists []. rewrite app_nil_r. split; [auto | split; [apply incl_refl | auto]].
  - destruct (IH (add_bound B c)) as (new & E & Inc & Fl). simpl fold_left. rewrite E, add_bound_cases.
    destruct (existsb (same_bound c) B) eqn:X.
    + exists new. split; [auto | split; [apply incl_tl; auto|]]. intros f Hf.
      apply existsb_exists in X as (d & _ & X). destruct c; try discriminate. simpl. rewrite Hf. auto.
    + exists (c :: new). rewrite <- app_assoc. split; [auto | split].
      * intros d [<-|I]; simpl; auto.
      * intros f Hf. simpl. now rewrite Fl.
Qed.

(** No dimension bound is stored twice. *)
Definition dims_once (B : list constr) : Prop :=
  NoDup (filter (fun c => match c with DLe _ _ => true | _ => false end) B).

Lemma add_bounds_once : forall cs B, dims_once B -> dims_once (add_bounds B cs).
Proof.
  unfold add_bounds. intros cs; induction cs as [|c cs IH]; intros B H; simpl; [auto|]. apply IH.
  rewrite add_bound_cases. destruct (existsb (same_bound c) B) eqn:E; [auto|].
  unfold dims_once in *. rewrite filter_app. destruct c as [t u|t u|R Q|R Q]; simpl; rewrite ?app_nil_r; auto.
  apply (Permutation_NoDup (Permutation_cons_append _ _)). constructor; [|auto]. intros I. apply filter_In in I as [I _].
  assert (X : existsb (same_bound (DLe t u)) B = true).
  { apply existsb_exists. exists (DLe t u). split; [auto | apply same_bound_refl]. }
  congruence.
Qed.

Lemma by_kinds_permutation : forall (A : Type) (ks : list (A -> bool)) l,
  Permutation (by_kinds ks l) (filter (fun x => existsb (fun k => k x) ks) l).
Proof.
  intros A ks; induction ks as [|k ks IH]; intros l; simpl.
  - induction l as [|x l IHl]; simpl; auto.
  - rewrite IH. clear IH. induction l as [|x l IHl]; simpl; [auto|].
    destruct (k x); simpl; [auto|]. destruct (existsb _ ks); simpl; auto.
    rewrite <- IHl. symmetry. apply Permutation_middle.
Qed.

Lemma stored_for_kinds : forall v c, stored_for v c = existsb (fun k => k c) (bound_kinds v).
Proof.
  intros [a|p] [t u|t u|R Q|R Q]; simpl; rewrite ?orb_false_r; auto.
  destruct t; simpl; auto. now rewrite orb_diag.
Qed.

(** What is taken out, in another order. *)
Lemma taken_permutation : forall v B, Permutation (taken v B) (filter (stored_for v) B).
Proof.
  intros v B. unfold taken. rewrite by_kinds_permutation.
  rewrite (filter_ext _ _ (stored_for_kinds v)). reflexivity.
Qed.

Lemma in_taken : forall v B d, In d (taken v B) <-> In d B /\ stored_for v d = true.
Proof.
  intros v B d. rewrite <- filter_In. split; apply Permutation_in;
    [|symmetry]; apply taken_permutation.
Qed.

Lemma taken_nil : forall v, taken v [] = [].
Proof. intros [a|p]; reflexivity. Qed.

Lemma taken_one : forall v c, taken v [c] = if stored_for v c then [c] else [].
Proof.
  intros v c. pose proof (taken_permutation v [c]) as P. simpl in P. destruct (stored_for v c); symmetry in P.
  - now apply Permutation_length_1_inv.
  - now apply Permutation_nil.
Qed.

(** * Which variables a rule mentions *)

Lemma firstn_incl : forall (A : Type) n (l : list A), incl (firstn n l) l.
Proof. intros A n l x I. rewrite <- (firstn_skipn n l). apply in_app_iff; auto. Qed.

Lemma skipn_incl : forall (A : Type) n (l : list A), incl (skipn n l) l.
Proof. intros A n l x I. rewrite <- (firstn_skipn n l). apply in_app_iff; auto. Qed.

Lemma flat_map_incl : forall (A B : Type) (f : A -> list B) l k, incl l k ->
  incl (flat_map f l) (flat_map f k).
Proof.
  intros A B f l k H x I. apply in_flat_map in I as (y & I & J). apply in_flat_map; eauto.
Qed.

(** The variables of the axes [l] are among those of the row [R]. *)
Definition axes_of (l : list dterm) (R : rterm) : Prop := incl l (tflat R).

Lemma axes_vars : forall l R, axes_of l R -> incl (flat_map vars_d l) (vars_r R).
Proof.
  intros l R H v I. apply (flat_map_incl _ _ vars_d) in H. apply H in I.
  unfold tflat in I. rewrite flat_map_app, in_app_iff in I. unfold vars_r. rewrite !in_app_iff. tauto.
Qed.

Lemma zip_vars : forall (mk : dterm -> dterm -> constr) F G R S,
  (forall t u, vars_c (mk t u) = vars_d t ++ vars_d u) -> axes_of F R -> axes_of G S ->
  incl (flat_map vars_c (map (fun x => mk (fst x) (snd x)) (combine F G))) (vars_r R ++ vars_r S).
Proof.
  intros mk F G R S V HF HG v I. apply in_flat_map in I as (c & I & J).
  apply in_map_iff in I as ([t u] & <- & I). rewrite V in J; simpl in J.
  pose proof (in_combine_l _ _ _ _ I). pose proof (in_combine_r _ _ _ _ I).
  apply in_app_iff in J as [J|J]; apply in_app_iff; [left; apply (axes_vars F) | right; apply (axes_vars G)];
    auto; apply in_flat_map; eauto.
Qed.

Lemma equalities_vars : forall F G R S, axes_of F R -> axes_of G S ->
  incl (flat_map vars_c (equalities F G)) (vars_r R ++ vars_r S).
Proof. intros; now apply zip_vars. Qed.

Lemma inequalities_vars : forall F G R S, axes_of F R -> axes_of G S ->
  incl (flat_map vars_c (inequalities F G)) (vars_r R ++ vars_r S).
Proof. intros; now apply zip_vars. Qed.

Lemma axes_lead : forall R n, axes_of (firstn n (tlead R)) R /\ axes_of (skipn n (tlead R)) R /\ axes_of (tlead R) R.
Proof.
  intros; unfold axes_of, tflat; repeat split; apply incl_appl;
    auto using firstn_incl, skipn_incl, incl_refl.
Qed.

Lemma axes_trail : forall R n, axes_of (firstn n (ttrail R)) R /\ axes_of (skipn n (ttrail R)) R /\ axes_of (ttrail R) R.
Proof.
  intros; unfold axes_of, tflat; repeat split; apply incl_appr;
    auto using firstn_incl, skipn_incl, incl_refl.
Qed.

Lemma cut_vars : forall p q R, incl (vars_r (cut p q R)) (vars_r R).
Proof.
  intros p q R v I. unfold vars_r in I; simpl in I. rewrite !in_app_iff in I.
  destruct I as [I|[I|I]].
  - eapply axes_vars; [|exact I]. apply axes_lead.
  - unfold vars_r. rewrite !in_app_iff; auto.
  - eapply axes_vars; [|exact I]. apply axes_trail.
Qed.

Lemma outer_vars : forall R S, incl (flat_map vars_c (outer R S)) (vars_r R ++ vars_r S).
Proof.
  intros R S. unfold outer. rewrite flat_map_app. apply incl_app; apply equalities_vars;
    apply axes_lead || apply axes_trail.
Qed.

Lemma aligned_vars : forall R S, incl (flat_map vars_c (aligned R S)) (vars_r R ++ vars_r S).
Proof.
  intros R S. unfold aligned. rewrite flat_map_app. apply incl_app; apply inequalities_vars;
    (apply axes_lead || apply axes_trail); exact 0.
Qed.

Lemma facing_vars : forall R S, incl (flat_map vars_c (facing R S)) (vars_r R ++ vars_r S).
Proof.
  intros R S. unfold facing. rewrite flat_map_app. apply incl_app; apply equalities_vars;
    try (apply firstn_incl); try (apply skipn_incl);
    [apply (axes_lead R 0) | apply (axes_trail R 0)].
Qed.

Lemma middle_vars : forall R S k, incl (vars_r (middle R S k)) (vars_r S).
Proof.
  intros R S k v I. unfold vars_r in I; simpl in I. rewrite in_app_iff in I.
  destruct I as [I|I]; (eapply axes_vars; [|exact I]); intros t J;
    apply firstn_incl, skipn_incl in J; exact J.
Qed.

Lemma mid_var : forall R p, tmid R = Some p -> In (RV p) (vars_r R).
Proof. intros R p E. unfold vars_r. rewrite E, !in_app_iff; simpl; auto. Qed.

Lemma no_other_row_var : forall R p, In (RV p) (vars_r R) -> tmid R = Some p.
Proof.
  intros R p I. unfold vars_r in I. rewrite !in_app_iff in I.
  assert (N : forall l, ~ In (RV p) (flat_map vars_d l)).
  { intros l J. apply in_flat_map in J as ([a|d] & _ & J); simpl in J; [|tauto].
    destruct J; [discriminate | tauto]. }
  destruct I as [I|[I|I]]; try (now apply N in I).
  destruct (tmid R); simpl in I; [destruct I as [E|[]]; congruence | tauto].
Qed.

Lemma strip_vars : forall R S, incl (vars_r (strip R S)) (vars_r R).
Proof. intros; apply cut_vars. Qed.

Lemma incl_swap : forall (A : Type) (l k m : list A), incl l (k ++ m) -> incl l (m ++ k).
Proof. intros A l k m H x I. apply H in I. rewrite in_app_iff in *. tauto. Qed.

(** Nothing new is emitted or stored. *)
Lemma outcome_vars : forall used B c r o, fires used B c r o ->
  match o with Fails => True | Does e => incl (flat_map vars_c (emits e ++ stores e)) (vars_c c) end.
Proof.
  intros used B c r o F.
  each_outcome F; cbn [de_bind discard di_pin di_pin_top di_antisym di_adj re_nested re_nested_sym re_deferred
      re_same_empty ri_cap ri_refl ri_closed_op ri_deficit emit emit_store emit_bind grow replace keep
      emits stores app flat_map vars_c];
    rewrite ?flat_map_app, ?app_nil_r; cbn [flat_map vars_c vars_d app]; rewrite ?app_nil_r;
    auto using incl_nil_l, incl_refl, outer_vars, aligned_vars, facing_vars, incl_swap.
  - apply equalities_vars; apply incl_refl.
  - apply incl_app; [apply outer_vars|]. apply incl_app; [apply incl_appl | apply incl_appr]; apply strip_vars.
  - apply incl_app; [apply outer_vars|]. apply incl_app; [apply incl_appl | apply incl_appr]; apply strip_vars.
  - apply incl_app; [apply aligned_vars|].
    apply incl_app; [apply incl_appl, cut_vars | apply incl_appr].
    intros v [<-|[]]. now apply mid_var.
Qed.

(** A bound variable occurs in the constraint and not in its value; the value
    mentions variables of the constraint, and fresh ones. *)
Lemma outcome_binding : forall used B c r o, fires used B c r o ->
  (forall v, In v (vars_c c) -> In v used) ->
  match o with
  | Does (Effect _ (Some b) _ _) =>
      In (bound_var b) (vars_c c) /\ ~ In (bound_var b) (vars (bound_value b)) /\
      forall v, In v (vars (bound_value b)) -> In v (vars_c c) \/ ~ In v used
  | _ => True
  end.
Proof.
  assert (OC : forall R p S, tmid R = Some p -> tmid S = None ->
    match re_open_closed R p S with
    | Does (Effect _ (Some b) _ _) =>
        bound_var b = RV p /\ ~ In (RV p) (vars (bound_value b)) /\
        incl (vars (bound_value b)) (vars_r S)
    | _ => True end).
  { intros R p S ER ES. unfold re_open_closed. destruct (_ <=? _); simpl; auto.
    split; [auto | split; [|apply middle_vars]].
    intros J. apply no_other_row_var in J. discriminate. }
  intros used B c r o F U.
  each_rule F; try exact I; try (split_outcome; exact I).
  - simpl. split; [auto | split].
    + destruct t as [b|d]; simpl; [|tauto]. intros [E|[]]; congruence.
    + intros v J; left; auto.
  - simpl. split; [apply in_app_iff; simpl; auto | split].
    + destruct t as [b|d]; simpl; [|tauto]. intros [E|[]]; congruence.
    + intros v J; left; apply in_app_iff; auto.
  - specialize (OC R p Q MR MQ). destruct (re_open_closed R p Q) as [|[? [b|] ? ?]]; auto.
    destruct OC as (-> & N & V). simpl. split; [apply in_app_iff; left; now apply mid_var | split; [auto|]].
    intros v J; left. apply in_app_iff; right; auto.
  - specialize (OC R p Q MR MQ). destruct (re_open_closed R p Q) as [|[? [b|] ? ?]]; auto.
    destruct OC as (-> & N & V). simpl. split; [apply in_app_iff; right; now apply mid_var | split; [auto|]].
    intros v J; left. apply in_app_iff; left; auto.
  - simpl. split; [apply in_app_iff; left; now apply mid_var | split].
    + intros J. apply no_other_row_var in J. simpl in J. congruence.
    + intros v J; left. apply in_app_iff; right. now apply strip_vars in J.
  - simpl. split; [apply in_app_iff; right; now apply mid_var | split].
    + intros J. apply no_other_row_var in J. simpl in J. congruence.
    + intros v J; left. apply in_app_iff; left. now apply strip_vars in J.
  - assert (Ip : In (RV p) (vars_c (RLe res op))) by (simpl; apply in_app_iff; left; now apply mid_var).
    split; [auto | split].
    + simpl bound_var; simpl bound_value. simpl vars. intros J. apply no_other_row_var in J. simpl in J. injection J as ->.
      apply (Fr (RV p)); [left; auto | auto].
    + intros v J. right. apply Fr. simpl in J. unfold vars_r in J; simpl in J.
      rewrite !in_app_iff in J. simpl in J. unfold fresh_vars; simpl. rewrite in_app_iff.
      assert (M : forall l, In v (flat_map vars_d (map DVar l)) -> In v (map DV l)).
      { intros l K. rewrite flat_map_concat_map, map_map in K. simpl in K.
        apply in_concat in K as (x & K & L). apply in_map_iff in K as (y & <- & K).
        destruct L as [<-|[]]. now apply in_map. }
      destruct J as [J|[J|J]]; auto.
Qed.

(** * Substituting one binding *)

Lemma as_subst_other : forall b v, v <> bound_var b -> fixes (as_subst b) v.
Proof.
  intros b v N. apply not_in_dom. intros D. apply N.
  destruct b as [a t|p R]; [apply bind_d_moves in D | apply bind_r_moves in D]; auto.
Qed.

Lemma as_subst_self : forall b, apply (as_subst b) (var_term (bound_var b)) = bound_value b.
Proof.
  intros [a t|p R]; simpl.
  - now rewrite Nat.eqb_refl.
  - unfold sub_r; simpl. rewrite Nat.eqb_refl, app_nil_r. now destruct R.
Qed.

Lemma vars_var_term : forall v w, In w (vars (var_term v)) <-> w = v.
Proof.
  intros [a|p] w; simpl; [|unfold vars_r; simpl]; split; intros H; auto;
    destruct H as [H|[]]; auto.
Qed.

Lemma vars_sub_c : forall s c v, In v (vars_c (sub_c s c)) ->
  exists w, In w (vars_c c) /\ In v (vars (apply s (var_term w))).
Proof.
  intros s c v I.
  assert (D : forall t, In v (vars_d (sub_d s t)) ->
            exists w, In w (vars_d t) /\ In v (vars (apply s (var_term w))))
    by (intros t; apply (vars_apply s (TD t))).
  assert (R : forall T, In v (vars_r (sub_r s T)) ->
            exists w, In w (vars_r T) /\ In v (vars (apply s (var_term w))))
    by (intros T; apply (vars_apply s (TR T))).
  destruct c as [t u|t u|T U|T U]; simpl in *; apply in_app_iff in I as [I|I];
    (apply D in I || apply R in I); destruct I as (w & J & K); exists w; rewrite in_app_iff; auto.
Qed.

Lemma var_eq_dec : forall v w : var, {v = w} + {v <> w}.
Proof. decide equality; apply Nat.eq_dec. Qed.

Lemma vars_one_binding : forall b c v, ~ In (bound_var b) (vars (bound_value b)) ->
  In v (vars_c (sub_c (as_subst b) c)) ->
  v <> bound_var b /\ (In v (vars_c c) \/ In v (vars (bound_value b))).
Proof.
  intros b c v N I. apply vars_sub_c in I as (w & J & K).
  destruct (var_eq_dec w (bound_var b)) as [->|D].
  - rewrite as_subst_self in K. split; [|auto]. intros ->. auto.
  - pose proof (as_subst_other b w D) as F. unfold fixes in F. rewrite F in K.
    apply vars_var_term in K. subst. auto.
Qed.

Lemma respects_ground : forall g s, respects g s ->
  (forall t, ground_d g (sub_d s t) = ground_d g t) /\ (forall R, ground_r g (sub_r s R) = ground_r g R).
Proof.
  intros g s H; split; intros.
  - rewrite <- ground_d_comp. apply agree_ground_d. intros v _; apply H.
  - rewrite <- ground_r_comp. apply agree_ground_r. intros v _; apply H.
Qed.

Lemma binding_respects : forall g b, binding_holds g b -> respects g (as_subst b).
Proof. intros g b H v. now apply binding_agrees. Qed.

(** Respecting the composite is respecting both. *)
Lemma respects_comp : forall g b s, fixes s (bound_var b) ->
  (respects g (comp (as_subst b) s) <-> binding_holds g b /\ respects g s).
Proof.
  intros g b s F. split.
  - intros H.
    assert (B : binding_holds g b).
    { specialize (H (bound_var b)). destruct b as [a t|p R]; unfold fixes in F; simpl in *.
      - injection F as F. rewrite F in H. simpl in H. rewrite Nat.eqb_refl in H. auto.
      - rewrite sub_rvar in F. injection F as F. rewrite F, sub_rvar in H. simpl in H.
        rewrite Nat.eqb_refl in H. auto. }
    split; [auto|]. destruct (respects_ground g _ (binding_respects g b B)) as [Gd Gr].
    intros v. specialize (H v). destruct v as [a|p]; simpl in *; [rewrite <- H, Gd | rewrite <- H, Gr]; auto.
  - intros [B H]. destruct (respects_ground g _ (binding_respects g b B)) as [Gd Gr].
    intros v. specialize (H v). destruct v as [a|p]; simpl in *; [rewrite Gd | rewrite Gr]; auto.
Qed.

Lemma sol_sub : forall g b cs, binding_holds g b -> (sol (map (sub_c (as_subst b)) cs) g <-> sol cs g).
Proof.
  intros g b cs B; split.
  - intros H c I. apply (lemma_5_1_substitute g b c B). apply H. now apply in_map.
  - intros H c I. apply in_map_iff in I as (d & <- & I). apply (lemma_5_1_substitute g b d B). auto.
Qed.

Lemma sol_filter : forall g (f : constr -> bool) cs,
  sol cs g <-> sol (filter f cs) g /\ sol (filter (fun c => negb (f c)) cs) g.
Proof.
  intros g f cs; split.
  - intros H; split; intros c I; apply filter_In in I as [I _]; auto.
  - intros [H K] c I. destruct (f c) eqn:E.
    + apply H, filter_In; auto.
    + apply K, filter_In; rewrite E; auto.
Qed.

Lemma sol_add_bounds : forall g B cs, sol (add_bounds B cs) g <-> sol B g /\ sol cs g.
Proof.
  intros g B cs; split.
  - intros H; split; intros c I; apply H, in_add_bounds; auto.
  - intros [H K] c I. apply in_add_bounds in I as [I|I]; auto.
Qed.

Lemma sol_taken : forall g v B, sol (taken v B) g <-> sol (filter (stored_for v) B) g.
Proof.
  intros g v B; split; intros H c I; apply H; [apply filter_In in I; now apply in_taken|].
  apply in_taken in I. now apply filter_In.
Qed.

(** * One step *)

(** The new configuration, read as constraints and one binding. *)
Lemma next_satisfies : forall g C rest c e,
  (forall b, binds e = Some b -> fixes (sigma C) (bound_var b)) ->
  (satisfies g (next C rest c e) <->
   sol rest g /\ sol (store C) g /\ respects g (sigma C) /\ after g c (Does e)).
Proof.
  intros g C rest c [em bd st ag] F. unfold satisfies, next; simpl in *.
  assert (A : sol (if ag then [c] else []) g <-> (ag = true -> holds g c)).
  { destruct ag; split; intros H.
    - intros _. apply H; simpl; auto.
    - intros d [<-|[]]; auto.
    - discriminate.
    - apply sol_nil. }
  destruct bd as [b|]; simpl.
  - rewrite respects_comp by auto.
    assert (K : binding_holds g b ->
      (sol (map (sub_c (as_subst b)) ((rest ++ em ++ (if ag then [c] else [])) ++ taken (bound_var b) (store C))) g /\
       sol (map (sub_c (as_subst b)) (add_bounds (filter (fun d => negb (stored_for (bound_var b) d)) (store C)) st)) g <->
       sol rest g /\ sol (store C) g /\ sol (em ++ st) g /\ (ag = true -> holds g c))).
    { intros B. rewrite !sol_sub, sol_add_bounds, !sol_app, sol_taken, (sol_filter g (stored_for (bound_var b)) (store C)), A by auto. tauto. }
    tauto.
  - rewrite sol_add_bounds, !sol_app, A. tauto.
Qed.

Lemma step_fixed : forall C c r C', well_formed C -> step C c r C' ->
  (forall v, In v (vars_c c) -> fixes (sigma C) v /\ In v (used C)) /\
  exists rest e, C' = next C rest c e /\ fires (used C) (store C) c r (Does e) /\
    (forall d, In d (phi C) <-> d = c \/ In d rest).
Proof.
  intros C c r C' (_ & W & _) S. inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'. split.
  - intros v I. apply W. apply in_flat_map. exists c. split; [|auto].
    apply in_app_iff; left. rewrite E. apply in_app_iff; simpl; auto.
  - exists (pre ++ post), e. split; [auto | split; [auto|]]. intros d. rewrite E, !in_app_iff. simpl.
    split; intros K; decompose [or] K; auto.
Qed.

Lemma fires_binding : forall C c r e, (forall v, In v (vars_c c) -> fixes (sigma C) v /\ In v (used C)) ->
  fires (used C) (store C) c r (Does e) -> forall b, binds e = Some b ->
  fixes (sigma C) (bound_var b) /\ In (bound_var b) (used C) /\
  ~ In (bound_var b) (vars (bound_value b)) /\
  forall v, In v (vars (bound_value b)) -> In v (vars_c c) \/ ~ In v (used C).
Proof.
  intros C c r e V F b E. pose proof (outcome_binding _ _ _ _ _ F (fun v I => proj2 (V v I))) as K.
  destruct e as [? [b'|] ? ?]; simpl in E; [|discriminate]. injection E as ->.
  destruct K as (K1 & K2 & K3). repeat split; auto; now apply V.
Qed.

(** Soundness of every step, placements included. *)
Lemma step_sound : forall C c r C' g, well_formed C -> step C c r C' ->
  satisfies g C' -> satisfies g C.
Proof.
  intros C c r C' g W S H. destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  rewrite next_satisfies in H by (intros; eapply fires_binding; eauto).
  destruct H as (Hr & Hs & HR & Ha).
  split; [|auto]. intros d I. apply P in I as [->|I]; [|auto]. eapply fires_sound; eauto.
Qed.

Lemma agree_respects : forall C g h, well_formed C -> agree_on (used C) g h ->
  respects g (sigma C) -> respects h (sigma C).
Proof.
  intros C g h (_ & _ & Dm & Rn) A R v.
  destruct (term_eq_dec (apply (sigma C) (var_term v)) (var_term v)) as [E|N].
  - destruct v as [a|p]; simpl in E |- *.
    + injection E as E. now rewrite E.
    + rewrite sub_rvar in E. injection E as E. now rewrite E, ground_rvar.
  - assert (U : agree_on (vars (apply (sigma C) (var_term v))) g h).
    { intros w J. apply A, Rn. exists v; auto. }
    pose proof (A v (Dm v N)) as Av. specialize (R v). destruct v as [a|p]; simpl in *.
    + rewrite <- Av, <- R. symmetry. now apply agree_ground_d.
    + rewrite sub_rvar in U. rewrite <- Av, <- R. symmetry. now apply agree_ground_r.
Qed.

(** Completeness of every step that commits no placement. *)
Lemma step_complete : forall C c r C' g, well_formed C -> step C c r C' -> semantic_step (By_rule c r) ->
  satisfies g C -> exists h, agree_on (used C) g h /\ satisfies h C'.
Proof.
  intros C c r C' g W S N (Hp & Hs & HR).
  destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  assert (U : forall d, In d (phi C ++ store C) -> forall v, In v (vars_c d) -> In v (used C)).
  { intros d I v J. destruct W as (_ & W & _). apply W. apply in_flat_map; eauto. }
  assert (Ic : In c (phi C)) by (apply P; auto).
  assert (Hc : exists h, agree_on (used C) g h /\ after h c (Does e)).
  { apply (lemma_5_1_semantic _ _ _ _ _ F N); auto. intros v I. simpl in I.
    apply in_app_iff in I as [I|I]; [now apply V|]. apply in_flat_map in I as (d & I & J).
    apply (U d); [apply in_app_iff|]; auto. }
  destruct Hc as (h & A & Ha). exists h; split; [auto|].
  assert (K : forall d, In d (phi C ++ store C) -> holds g d -> holds h d).
  { intros d I. apply (agree_holds g h). intros v J. apply A. now apply (U d). }
  apply next_satisfies; [intros; eapply fires_binding; eauto|].
  split; [|split; [|split; [eapply agree_respects; eauto | auto]]].
  - intros d I. assert (In d (phi C)) by (apply P; auto).
    apply K; [apply in_app_iff; auto | auto].
  - intros d I. apply K; [apply in_app_iff; auto | auto].
Qed.

(** Well-formedness is kept. *)
Lemma step_well_formed : forall C c r C', well_formed C -> step C c r C' -> well_formed C'.
Proof.
  intros C c r C' W S. destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  pose proof (fires_binding C c r e V F) as FB. pose proof (outcome_vars _ _ _ _ _ F) as OV. simpl in OV.
  destruct W as (Wi & Wv & Wd & Wr).
  assert (Vr : forall d, In d (phi C ++ store C) -> forall v, In v (vars_c d) ->
            fixes (sigma C) v /\ In v (used C)).
  { intros d I v J. apply Wv. apply in_flat_map; eauto. }
  (* every constraint of the new configuration, before substitution *)
  assert (All : forall d, In d (rest ++ emits e ++ (if again e then [c] else [])) \/ In d (store C) \/ In d (stores e) ->
            forall v, In v (vars_c d) -> fixes (sigma C) v /\ In v (used C)).
  { intros d I v J. rewrite !in_app_iff in I.
    assert (E : In d (emits e) \/ In d (stores e) -> In v (vars_c c)).
    { intros K. apply OV. apply in_flat_map. exists d. rewrite in_app_iff. auto. }
    destruct I as [[I|[I|I]]|[I|I]]; auto.
    - apply (Vr d); auto. apply in_app_iff; left. apply P; auto.
    - destruct (again e); simpl in I; [destruct I as [<-|[]]; auto | tauto].
    - apply (Vr d); auto. apply in_app_iff; auto. }
  destruct e as [em [b|] st ag]; unfold next; simpl in *.
  - destruct (FB b eq_refl) as (Fx & Ux & Nx & Vx). clear FB.
    assert (Fv : forall v, In v (vars (bound_value b)) -> fixes (sigma C) v).
    { intros v I. destruct (Vx v I) as [J|J]; [now apply V|]. apply not_in_dom. intros D. auto. }
    assert (Sv : apply (sigma C) (bound_value b) = bound_value b) by now apply apply_fixed_iff.
    assert (Fo : forall v, v <> bound_var b -> fixes (sigma C) v -> fixes (comp (as_subst b) (sigma C)) v).
    { intros v N K. unfold fixes in *. rewrite lemma_3_3, K. now apply as_subst_other. }
    split; [|split; [|split]].
    + simpl. destruct (lemma_3_3_binding_step (sigma C) Wi) as [Bd Br].
      destruct b as [a t|p R]; [apply Bd | apply Br]; auto.
    + simpl. intros v I. apply in_flat_map in I as (d' & I & J).
      assert (exists d, d' = sub_c (as_subst b) d /\
        (In d (rest ++ em ++ (if ag then [c] else [])) \/ In d (store C) \/ In d st)) as (d & -> & D).
      { apply in_app_iff in I as [I|I]; apply in_map_iff in I as (d & <- & I); exists d; split; auto;
          [rewrite in_app_iff, in_taken in I | rewrite in_add_bounds, filter_In in I]; tauto. }
      apply vars_one_binding in J as [N J]; [|auto].
      rewrite in_app_iff. destruct J as [J|J].
      * destruct (All d D v J) as [K1 K2]. auto.
      * auto.
    + simpl. intros v D. apply in_app_iff. left.
      destruct (var_eq_dec v (bound_var b)) as [->|N]; [auto|].
      apply Wd. intros K. apply D. auto.
    + simpl. intros v (w & D & I). rewrite lemma_3_3 in I. apply vars_apply in I as (y & Iy & Iv).
      assert (Uy : In y (used C)).
      { destruct (term_eq_dec (apply (sigma C) (var_term w)) (var_term w)) as [E|E].
        - rewrite E in Iy. apply vars_var_term in Iy. subst y.
          destruct (var_eq_dec w (bound_var b)) as [->|N]; [auto|]. destruct D. auto.
        - apply Wr. exists w; auto. }
      apply in_app_iff. destruct (var_eq_dec y (bound_var b)) as [->|N].
      * rewrite as_subst_self in Iv. auto.
      * pose proof (as_subst_other b y N) as K. unfold fixes in K. rewrite K in Iv.
        apply vars_var_term in Iv. subst; auto.
  - split; [auto | split; [|split; auto]]. simpl. intros v I.
    apply in_flat_map in I as (d & I & J). apply (All d); auto.
    rewrite app_assoc, in_app_iff, in_add_bounds, <- app_assoc in I. tauto.
Qed.

Lemma step_used : forall C c r C', step C c r C' -> incl (used C) (used C').
Proof.
  intros C c r C' S. inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
  unfold next. destruct (binds e); simpl; auto using incl_refl.
  apply incl_appl, incl_refl.
Qed.

Lemma initial_well_formed : forall cs, well_formed (initial cs).
Proof.
  intros cs. assert (F : forall v, fixes id_subst v) by (intros v; apply id_var).
  split; [|split; [|split]]; simpl.
  - intros v D _. apply D, F.
  - intros v I. rewrite app_nil_r in I. auto.
  - intros v D. destruct D. apply F.
  - intros v (w & D & _). destruct D. apply F.
Qed.

Lemma id_respects : forall g, respects g id_subst.
Proof. intros g [a|p]; simpl; [reflexivity | apply ground_rvar]. Qed.

Lemma initial_satisfies : forall g cs, satisfies g (initial cs) <-> sol cs g.
Proof.
  intros; unfold satisfies; simpl. split; [tauto|].
  intros H; split; [auto | split; [apply sol_nil | apply id_respects]].
Qed.

(** * Adding constraints *)

Lemma extend_well_formed : forall C cs, well_formed C -> (forall c, In c cs -> knows C c) ->
  well_formed (extend C cs).
Proof.
  intros C cs (Wi & Wv & Wd & Wr) K. split; [auto | split; [|auto]].
  intros v I. simpl in I. apply in_flat_map in I as (c & I & J).
  rewrite !in_app_iff in I. destruct I as [[I|I]|I].
  - apply Wv, in_flat_map. exists c. rewrite in_app_iff. auto.
  - exact (K c I v J).
  - apply Wv, in_flat_map. exists c. rewrite in_app_iff. auto.
Qed.

Lemma extend_satisfies : forall g C cs, satisfies g (extend C cs) <-> satisfies g C /\ sol cs g.
Proof. intros g C cs; unfold satisfies; simpl. rewrite sol_app. tauto. Qed.

(** * Whole runs *)

Lemma run_well_formed : forall P C C', run P C C' -> well_formed C -> well_formed C'.
Proof. intros P C C' R; induction R; eauto using step_well_formed, extend_well_formed. Qed.

Lemma run_used : forall P C C', run P C C' -> incl (used C) (used C').
Proof.
  intros P C C' R; induction R; auto using incl_refl.
  eapply incl_tran; eauto using step_used.
Qed.

Lemma run_sound : forall P C C', run P C C' -> well_formed C ->
  forall g, satisfies g C' -> satisfies g C.
Proof.
  intros P C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs C'' _ K R IH]; intros W g H; auto.
  - eauto using step_sound, step_well_formed.
  - apply IH in H; [|now apply extend_well_formed]. now apply extend_satisfies in H.
Qed.

Lemma run_complete : forall C C', run semantic_step C C' -> well_formed C ->
  forall g, satisfies g C -> exists h, agree_on (used C) g h /\ satisfies h C'.
Proof.
  intros C C' R; induction R as [C|C c r C' C'' N S R IH|C cs C'' []]; intros W g H.
  - exists g; split; [intros [a|p] _; reflexivity | auto].
  - destruct (step_complete _ _ _ _ g W S N H) as (h & A & Hh).
    destruct (IH (step_well_formed _ _ _ _ W S) h Hh) as (k & A' & Hk).
    exists k; split; [|auto]. intros v I. eapply agree_at_trans; [apply A; auto|].
    apply A'. now apply (step_used _ _ _ _ S).
Qed.

(** 5.6.1.  Lemma 5.1 along a run, any steps: solutions at the end are solutions of the input. *)
Theorem thm_5_6_sound : forall cs C, run any_step (initial cs) C ->
  forall g, satisfies g C -> sol cs g.
Proof.
  intros cs C R g H. apply (proj1 (initial_satisfies g cs)).
  eapply run_sound; eauto using initial_well_formed.
Qed.

(** 5.1.i.  Semantic steps only: the solutions of the input are exactly the solutions of
    what is reached, forgetting the fresh variables. *)
Theorem thm_5_6_preservation : forall cs C, run semantic_step (initial cs) C ->
  forall g, sol cs g <-> exists h, agree_on (flat_map vars_c cs) g h /\ satisfies h C.
Proof.
  intros cs C R g. split.
  - intros H. apply (proj2 (initial_satisfies g cs)) in H.
    exact (run_complete _ _ R (initial_well_formed cs) g H).
  - intros (h & A & H). apply (run_sound _ _ _ R (initial_well_formed cs)) in H.
    apply (proj1 (initial_satisfies h cs)) in H. apply (agree_sol h g); [|auto].
    intros v I. apply agree_at_sym. auto.
Qed.

(** 5.6.1.  Representation: bindings and stored bounds together. *)
Theorem thm_5_6_1 : forall cs C, run semantic_step (initial cs) C -> phi C = [] ->
  sound_for cs (sigma C) (store C) /\
  complete_for cs (flat_map vars_c cs) (sigma C) (store C).
Proof.
  intros cs C R E. split.
  - intros h Rh Hh. apply (thm_5_6_preservation cs C R h). exists h.
    split; [intros [a|p] _; reflexivity|]. split; [rewrite E; apply sol_nil | auto].
  - intros g H. apply (thm_5_6_preservation cs C R g) in H as (h & A & _ & Hs & Hr). eauto.
Qed.

(** 5.6.2.  No guessing: at any time every solution extends to the bindings made. *)
Theorem thm_5_6_2 : forall cs C, run semantic_step (initial cs) C ->
  forall g, sol cs g -> exists h, agree_on (flat_map vars_c cs) g h /\ respects h (sigma C).
Proof.
  intros cs C R g H. apply (thm_5_6_preservation cs C R g) in H as (h & A & _ & _ & Hr). eauto.
Qed.

(** 5.6.3.  Most general, for runs of semantic steps: every model is an instance. *)
Theorem thm_5_6_3 : forall cs C m, run semantic_step (initial cs) C -> models m cs ->
  subst_le_on (fun _ => True) (flat_map vars_c cs) (sigma C) m.
Proof. intros cs C m R M. apply (thm_5_6_most_general cs); auto. now apply thm_5_6_2. Qed.

(** Cor. 5.8, for runs: semantic steps and an empty store give the least model. *)
Theorem cor_5_8_runs : forall cs C, run semantic_step (initial cs) C -> phi C = [] -> store C = [] ->
  models (sigma C) cs /\
  forall m, models m cs -> subst_le_on (fun _ => True) (flat_map vars_c cs) (sigma C) m.
Proof.
  intros cs C R E S. destruct (thm_5_6_1 cs C R E) as [So Co]. rewrite S in *.
  apply cor_5_8_repaired; auto.
  apply (run_well_formed _ _ _ R (initial_well_formed cs)).
Qed.

(** * The order of the pending constraints does not matter *)

Definition reordered (C D : config) : Prop :=
  Permutation (phi C) (phi D) /\ sigma C = sigma D /\ store C = store D /\ used C = used D /\
  leads C = leads D /\ trails C = trails D.

Lemma reordered_refl : forall C, reordered C C.
Proof. intros C. repeat split. apply Permutation_refl. Qed.

Lemma reordered_sym : forall C D, reordered C D -> reordered D C.
Proof. intros C D (Rp & Es & Eb & Eu & El & Et). repeat split; auto using Permutation_sym. Qed.

Lemma reordered_trans : forall C D E, reordered C D -> reordered D E -> reordered C E.
Proof.
  intros C D E (Rp & Es & Eb & Eu & El & Et) (Rp' & Es' & Eb' & Eu' & El' & Et').
  repeat split; try congruence. eapply Permutation_trans; eauto.
Qed.

Lemma next_reordered : forall C D rest rest' c e, reordered C D -> Permutation rest rest' ->
  reordered (next C rest c e) (next D rest' c e).
Proof.
  intros C D rest rest' c e (_ & Es & Eb & Eu & El & Et) P. unfold next, reordered.
  rewrite Es, Eb, Eu, El, Et. destruct (binds e) as [b|]; simpl; repeat split.
  - now apply Permutation_map, Permutation_app_tail, Permutation_app_tail.
  - now apply Permutation_app_tail.
Qed.

Lemma step_reordered : forall C D c r C', reordered C D -> step C c r C' ->
  exists D', step D c r D' /\ reordered C' D'.
Proof.
  intros C D c r C' R S. inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
  assert (I : In c (phi D)).
  { apply (Permutation_in _ (proj1 R)). rewrite E, in_app_iff. simpl; auto. }
  apply in_split in I as (pre' & post' & E').
  exists (next D (pre' ++ post') c e). split.
  - destruct R as (_ & _ & Eb & Eu & _). apply Step; [auto|]. now rewrite <- Eb, <- Eu.
  - apply next_reordered; [exact R|]. apply (Permutation_app_inv _ _ _ _ c). rewrite <- E, <- E'. apply R.
Qed.

Lemma extend_reordered : forall C D cs, reordered C D -> reordered (extend C cs) (extend D cs).
Proof.
  intros C D cs (Rp & Es & Eb & Eu & El & Et). unfold reordered, extend; simpl. rewrite Es, Eb, Eu, El, Et.
  repeat split. now apply Permutation_app_tail.
Qed.

Lemma run_reordered : forall P C D C', reordered C D -> run P C C' ->
  exists D', run P D D' /\ reordered C' D'.
Proof.
  intros P C D C' R H. revert D R.
  induction H as [C|C c r C' C'' K S H IH|C cs C'' K A H IH]; intros D R.
  - exists D. split; [apply Run_nil | auto].
  - destruct (step_reordered _ _ _ _ _ R S) as (D' & S' & R'). destruct (IH D' R') as (D'' & H' & R'').
    exists D''. split; [eapply Run_cons; eauto | auto].
  - destruct (IH (extend D cs) (extend_reordered C D cs R)) as (D'' & H' & R'').
    exists D''. split; [|auto]. eapply Run_add; [exact K | | exact H'].
    destruct R as (_ & Es & _ & Eu & _). intros c I. specialize (A c I). unfold knows in *. now rewrite <- Es, <- Eu.
Qed.

(** * Solved forms are reached *)

Lemma outcome_shape : forall used B c r o, fires used B c r o ->
  match o with Fails => True | Does e => forall d, In d (stores e) -> bound_shape d end.
Proof.
  intros used B c r o F.
  each_outcome F; simpl; try tauto; intros d' [<-|[]]; simpl; eauto.
Qed.

Lemma shape_kept : forall b d, bound_shape d -> stored_for (bound_var b) d = false ->
  bound_shape (sub_c (as_subst b) d).
Proof.
  intros b [t u|t [a|d]|R Q|R Q] H N; simpl in *; auto; try tauto.
  - destruct b as [a' t'|p R]; simpl in *; auto.
    rewrite Nat.eqb_sym. apply orb_false_iff in N as [_ N]. rewrite Nat.eqb_sym in N. now rewrite N.
  - destruct H as (p & ->). destruct b as [a t|p' R']; rewrite sub_rvar; simpl in *; [eauto|].
    apply orb_false_iff in N as [N _]. rewrite N. eauto.
Qed.

Lemma shape_sub : forall s d, is_req d -> bound_shape (sub_c s d).
Proof. intros s [| | |]; simpl; tauto. Qed.

Lemma binding_stores_nothing : forall used B c r e, fires used B c r (Does e) ->
  binds e <> None -> stores e = [].
Proof.
  assert (G : forall used B c r o, fires used B c r o ->
    match o with Fails => True | Does e => binds e <> None -> stores e = [] end).
  { intros used B c r o F.
    each_outcome F; simpl; auto; congruence. }
  intros used B c r e F. exact (G _ _ _ _ _ F).
Qed.

(** A dimension bound that stays in the store is not changed by the binding. *)
Lemma dim_bound_kept : forall b t u, stored_for (bound_var b) (DLe t u) = false ->
  sub_c (as_subst b) (DLe t u) = DLe t u.
Proof.
  intros [a t'|p R] t u N; simpl in *.
  - apply orb_false_iff in N as [Nt Nu]. destruct t as [x|d], u as [y|d']; simpl in *; rewrite ?Nt, ?Nu; auto.
  - destruct t, u; reflexivity.
Qed.

Lemma step_dims_once : forall C c r C', step C c r C' -> dims_once (store C) -> dims_once (store C').
Proof.
  intros C c r C' S H. inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
  pose proof (binding_stores_nothing _ _ _ _ _ F) as St.
  unfold next. destruct (binds e) as [b|]; simpl; [|now apply add_bounds_once].
  rewrite St, add_bounds_nil by congruence. unfold dims_once in *. clear -H.
  set (dle := fun c => match c with DLe _ _ => true | _ => false end) in *.
  assert (K : incl (filter dle (map (sub_c (as_subst b))
            (filter (fun d => negb (stored_for (bound_var b) d)) (store C)))) (filter dle (store C)) /\
          NoDup (filter dle (map (sub_c (as_subst b))
            (filter (fun d => negb (stored_for (bound_var b) d)) (store C))))); [|tauto].
  induction (store C) as [|d B IH]; simpl in *; [split; [apply incl_refl | constructor]|].
  assert (H' : NoDup (filter dle B)) by (destruct (dle d); [now inversion H | auto]).
  destruct (IH H') as [Inc Nd]. destruct (stored_for (bound_var b) d) eqn:N; simpl.
  - split; [|auto]. destruct (dle d); [apply incl_tl|]; auto.
  - destruct d as [t u|t u|R Q|R Q]; try (split; assumption).
    rewrite (dim_bound_kept b t u N). cbn [dle]. cbn [dle] in H. apply NoDup_cons_iff in H as [Ni _].
    split; [apply incl_cons; [simpl; auto | apply incl_tl; auto]|]. constructor; auto.
Qed.

Lemma run_dims_once : forall P C C', run P C C' -> dims_once (store C) -> dims_once (store C').
Proof. intros P C C' R; induction R; eauto using step_dims_once. Qed.

Lemma step_shape : forall C c r C', step C c r C' ->
  (forall d, In d (store C) -> bound_shape d) -> forall d, In d (store C') -> bound_shape d.
Proof.
  intros C c r C' S H d I. inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  pose proof (outcome_shape _ _ _ _ _ F) as O. simpl in O.
  pose proof (binding_stores_nothing _ _ _ _ _ F) as E.
  unfold next in I. destruct (binds e) as [b|]; simpl in I.
  - rewrite E, add_bounds_nil in I by congruence.
    apply in_map_iff in I as (d' & <- & I). apply filter_In in I as [I N].
    apply negb_true_iff in N. apply shape_kept; auto.
  - apply in_add_bounds in I as [I|I]; auto.
Qed.

Lemma run_shape : forall P C C', run P C C' ->
  (forall d, In d (store C) -> bound_shape d) -> forall d, In d (store C') -> bound_shape d.
Proof. intros P C C' R; induction R; eauto using step_shape. Qed.

(** 5.3.  A run that has processed everything, and deferred nothing, is in solved form. *)
Theorem def_5_3_reached : forall cs C, run any_step (initial cs) C -> phi C = [] ->
  (forall d, In d (store C) -> ~ is_req d) -> solved_form (sigma C) (store C).
Proof.
  intros cs C R E N. destruct (run_well_formed _ _ _ R (initial_well_formed cs)) as (Wi & Wv & _).
  split; [auto|]. intros d I.
  assert (B : bound_shape d) by (eapply run_shape; eauto; intros ? []).
  specialize (N d I).
  assert (V : forall v, In v (vars_c d) -> fixes (sigma C) v).
  { intros v J. apply Wv. rewrite E. simpl. apply in_flat_map; eauto. }
  destruct d as [t u|t [a|x]|T U|T U]; simpl in *; try tauto.
  - apply V. apply in_app_iff; simpl; auto.
  - destruct B as (p & ->). exists p. split; [auto|]. apply V. apply in_app_iff; right. simpl; auto.
Qed.

(** 5.5.i.  Success: whatever was committed on the way, γ↑ solves the input. *)
Theorem cor_5_5_i_runs : forall cs C, run any_step (initial cs) C -> phi C = [] ->
  (forall d, In d (store C) -> ~ is_req d) -> sol cs (greatest (sigma C)).
Proof.
  intros cs C R E N. pose proof (def_5_3_reached cs C R E N) as F.
  apply (cor_5_5_success cs (sigma C) (store C) F).
  intros h Rh Hh. apply (thm_5_6_sound cs C R h).
  split; [rewrite E; apply sol_nil | auto].
Qed.

(** * Failing runs *)

Lemma facts_hold_app : forall v fs hs, facts_hold v (fs ++ hs) <-> facts_hold v fs /\ facts_hold v hs.
Proof.
  intros v fs hs; unfold facts_hold; split.
  - intros H; split; intros f I; apply H, in_app_iff; auto.
  - intros [H K] f I; apply in_app_iff in I as [I|I]; auto.
Qed.

Lemma step_facts : forall C c r C', well_formed C -> step C c r C' ->
  facts_entailed C -> facts_entailed C'.
Proof.
  intros C c r C' W S H g Hg. pose proof (step_sound _ _ _ _ g W S Hg) as HC.
  destruct (H g HC) as [HL HT].
  destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  assert (Hc : holds g c) by (apply (proj1 HC); apply P; auto).
  apply r1a_inequality in Hc as [CL CT].
  rewrite next_satisfies in Hg by (intros; eapply fires_binding; eauto).
  destruct Hg as (_ & _ & _ & Ha). unfold next. simpl in Ha.
  destruct (binds e) as [b|]; simpl; rewrite !facts_hold_app; auto.
  destruct Ha as (_ & B & _). apply r1a_binding in B as [BL BT]. auto.
Qed.

(** R1a, for runs: every recorded fact is entailed by the configuration. *)
Theorem r1a_recorded_facts_entailed : forall cs C, run any_step (initial cs) C -> facts_entailed C.
Proof.
  intros cs C R. assert (F : facts_entailed (initial cs)) by (intros g _; split; intros f []).
  pose proof (initial_well_formed cs) as W.
  induction R as [C|C c r C' C'' _ S R IH|C ds C'' []]; eauto using step_facts, step_well_formed.
Qed.

(** R1a.  A configuration at which a rule or the guard fails has no solution. *)
Theorem r1a_failure_is_unsat : forall cs C, run any_step (initial cs) C ->
  rule_fails C \/ guard_fails C -> ~ exists g, satisfies g C.
Proof.
  intros cs C R [(c & r & I & F)|(ds & Inc & G)] (g & H).
  - destruct H as (Hp & Hs & _). exact (lemma_5_1_fail _ _ _ _ F g Hs (Hp c I)).
  - pose proof (r1a_recorded_facts_entailed cs C R g H) as [L T].
    assert (K : facts_hold (lead_lengths g) (flat_map lead_facts ds) /\
                facts_hold (trail_lengths g) (flat_map trail_facts ds)).
    { split; intros f J; apply in_flat_map in J as (d & J & Jf); apply Inc in J;
        apply (r1a_inequality g d); auto; apply (proj1 H); auto. }
    destruct G as [G|G]; apply (positive_cycle_infeasible _ G);
      [exists (lead_lengths g) | exists (trail_lengths g)]; apply facts_hold_app; tauto.
Qed.

Lemma run_mono : forall (P Q : kind -> Prop) C C', (forall k, P k -> Q k) -> run P C C' -> run Q C C'.
Proof.
  intros P Q C C' H R; induction R as [C|C c r C' C'' K S R IH|C cs C'' K A R IH];
    [apply Run_nil | eapply Run_cons | eapply Run_add]; eauto.
Qed.

Lemma run_trans : forall P C C' C'', run P C C' -> run P C' C'' -> run P C C''.
Proof.
  intros P C C' C'' R R'; induction R as [C|C c r C0 C1 K S R IH|C cs C1 K A R IH];
    [auto | eapply Run_cons | eapply Run_add]; eauto.
Qed.

Lemma run_any : forall C C', run semantic_step C C' -> run any_step C C'.
Proof. intros C C'. apply run_mono. intros [c r|cs]; simpl; auto. Qed.

(** 5.5.ii.  Failure: after semantic steps only, the input has no solution. *)
Theorem cor_5_5_ii_runs : forall cs C, run semantic_step (initial cs) C ->
  rule_fails C \/ guard_fails C -> ~ exists g, sol cs g.
Proof.
  intros cs C R F (g & H). apply (thm_5_6_preservation cs C R g) in H as (h & _ & H).
  apply (r1a_failure_is_unsat cs C (run_any _ _ R) F). eauto.
Qed.

(** * Inputs without row equalities *)

Definition no_req (C : config) : Prop := forall d, In d (phi C ++ store C) -> ~ is_req d.

Lemma outcome_no_req : forall used B c r o, fires used B c r o -> ~ is_req c ->
  match o with Fails => True | Does e => forall d, In d (emits e ++ stores e) -> ~ is_req d end.
Proof.
  assert (Zip : forall F G d, In d (inequalities F G) -> ~ is_req d).
  { intros F G d I. apply in_map_iff in I as (x & <- & _). simpl; auto. }
  assert (A : forall R S d, In d (aligned R S) -> ~ is_req d).
  { intros R S d I. apply in_app_iff in I as [I|I]; eauto. }
  intros used B c r o F N.
  each_rule F; try (destruct N; exact I); split_outcome;
    simpl; try tauto; intros d' J; rewrite ?in_app_iff in J; simpl in J;
    repeat match goal with J : _ \/ _ |- _ => destruct J as [J|J] end; subst; simpl in *; try tauto; eauto.
Qed.

Lemma step_no_req : forall C c r C', step C c r C' -> no_req C -> no_req C' /\ semantic_step (By_rule c r).
Proof.
  intros C c r C' S N. inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
  assert (Nc : ~ is_req c) by (apply N; rewrite E, !in_app_iff; simpl; auto).
  pose proof (outcome_no_req _ _ _ _ _ F Nc) as O. simpl in O.
  assert (Sub : forall s d, ~ is_req d -> ~ is_req (sub_c s d)) by (intros s [| | |]; auto).
  assert (Rest : forall d, In d ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) \/
                 In d (store C) \/ In d (stores e) -> ~ is_req d).
  { intros d J. rewrite !in_app_iff in J.
    destruct J as [[[J|J]|[J|J]]|[J|J]];
      try (apply N; rewrite E, !in_app_iff; simpl; tauto);
      try (apply O; rewrite in_app_iff; tauto).
    destruct (again e); simpl in J; [destruct J as [<-|[]]; auto | tauto]. }
  split.
  - intros d I. unfold next in I. destruct (binds e) as [b|]; simpl in I.
    + apply in_app_iff in I as [I|I]; apply in_map_iff in I as (d' & <- & I); apply Sub, Rest;
        [rewrite in_app_iff, in_taken in I | rewrite in_add_bounds, filter_In in I]; tauto.
    + apply Rest. rewrite app_assoc, in_app_iff, in_add_bounds, <- app_assoc in I. tauto.
  - unfold semantic_step, commits. destruct r; auto; [destruct c; simpl in *; tauto|].
    each_firing F; destruct Nc; exact I.
Qed.

Lemma run_no_req : forall C C', run any_step C C' -> no_req C -> run semantic_step C C' /\ no_req C'.
Proof.
  intros C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs C'' []]; intros N.
  - split; [constructor | auto].
  - destruct (step_no_req _ _ _ _ S N) as [N' Sm]. destruct (IH N') as [R' N''].
    split; [eapply Run_cons; eauto | auto].
Qed.

(** R1c without termination: on such inputs a finished run shows a solution, and
    a failed one shows that there is none. *)
Theorem r1c_partial_correctness : forall cs C, (forall c, In c cs -> ~ is_req c) ->
  run any_step (initial cs) C ->
  (phi C = [] -> sol cs (greatest (sigma C))) /\
  (rule_fails C \/ guard_fails C -> ~ exists g, sol cs g).
Proof.
  intros cs C N R. destruct (run_no_req _ _ R) as [R' N'].
  { intros d I. simpl in I. rewrite app_nil_r in I. auto. }
  split.
  - intros E. apply cor_5_5_i_runs; auto. intros d I. apply N', in_app_iff; auto.
  - now apply cor_5_5_ii_runs.
Qed.

(** 6.4.i.  And γ↑ is then the greatest solution. *)
Theorem prop_6_4_inequalities : forall cs C, (forall c, In c cs -> ~ is_req c) ->
  run any_step (initial cs) C -> phi C = [] ->
  forall g, sol cs g -> forall v, In v (flat_map vars_c cs) -> below_at g (greatest (sigma C)) v.
Proof.
  intros cs C N R E. destruct (run_no_req _ _ R) as [R' _].
  { intros d I. simpl in I. rewrite app_nil_r in I. auto. }
  destruct (thm_5_6_1 cs C R' E) as [_ Co]. now apply prop_6_4_i with (B := store C).
Qed.

(** * F3: without a guard the run never ends *)

Lemma map_sub_dvars : forall p R l, map (sub_d (bind_r p R)) l = l.
Proof. intros p R l; rewrite <- map_id; apply map_ext; intros []; reflexivity. Qed.

Lemma f3_config_shape : forall i, phi (f3_config i) = [f3_constraint i] /\ store (f3_config i) = [] /\
  forall v, In v (used (f3_config i)) -> match v with DV a => a < i | RV p => p <= i end.
Proof.
  intros i; induction i as [|i (Ep & Es & Eu)].
  - split; [reflexivity | split; [reflexivity|]]. intros v [<-|[<-|[]]]; auto.
  - simpl f3_config. unfold next; cbn [binds again emits stores phi store used app bound_var bound_value].
    rewrite Es, taken_nil. simpl filter. cbn [map app].
    split; [|split; [reflexivity|]].
    + f_equal. unfold f3_constraint; simpl sub_c. f_equal; unfold sub_r; cbn [tmid tlead ttrail on_r bind_r];
        rewrite Nat.eqb_refl; cbn [tmid tlead ttrail grown map]; rewrite seq_S, map_app; simpl.
      * now rewrite !map_sub_dvars.
      * now rewrite !map_sub_dvars.
    + intros v I. apply in_app_iff in I as [I|I].
      * apply Eu in I. destruct v; lia.
      * simpl in I. destruct I as [<-|[<-|[]]]; lia.
Qed.

(** F3.  The deficit rule fires for ever on a set that has a rank model. *)
Theorem finding_f3_infinite_run :
  f3_config 0 = initial finding_f3 /\
  forall i, step (f3_config i) (f3_constraint i) RI_deficit (f3_config (S i)).
Proof.
  split; [reflexivity|]. intros i. destruct (f3_config_shape i) as (Ep & Es & Eu).
  change (f3_config (S i)) with (next (f3_config i) ([] ++ []) (f3_constraint i)
    (Effect [] (Some (BindR i (grown [i] (S i) []))) [] true)).
  apply Step; [exact Ep|]. apply (F_ri_deficit _ _ _ _ i [i] (S i) []).
  - unfold covered; simpl. lia.
  - reflexivity.
  - unfold lead_deficit; cbn [tlead length]. lia.
  - reflexivity.
  - repeat constructor; simpl; intuition discriminate.
  - intros v [<-|[<-|[]]] J; apply Eu in J; simpl in J; lia.
Qed.

(** * F1: the guard of Def. 4.5 never sees the cycle *)

Lemma f1_config_shape : forall k,
  phi (f1_config k) = [f1_pending k] /\ store (f1_config k) = [f1_cap k] /\
  forall v, In v (used (f1_config k)) -> match v with DV a => a < k | RV p => p <= S k end.
Proof.
  intros k; induction k as [|k (Ep & Es & Eu)].
  - split; [reflexivity | split; [reflexivity|]].
    intros v I. simpl in I. decompose [or] I; subst; auto; tauto.
  - cbn [f1_config]. unfold f1_round.
    set (C1 := next (f1_config k) _ _ _).
    assert (P1 : phi C1 = [f1_again k; f1_returned k] /\ store C1 = [] /\
                 used C1 = used (f1_config k) ++ [RV (S (S k)); DV k]).
    { unfold C1, next; simpl. rewrite Es, taken_one. simpl. unfold f1_pending, f1_cap, is_mid; simpl.
      rewrite !Nat.eqb_refl. simpl. unfold sub_r; simpl. rewrite ?Nat.eqb_refl.
      replace (match k with 0 => false | S m' => k =? m' end) with (S k =? k) by reflexivity.
      assert (Nk : (S k =? k) = false) by (apply Nat.eqb_neq; lia). 
      rewrite ?Nk. simpl. auto. }
    destruct P1 as (P1 & S1 & U1). clearbody C1.
    unfold next; simpl. rewrite S1, U1. simpl.
    unfold sub_r; simpl. rewrite ?Nat.eqb_refl. simpl.
    split; [reflexivity | split; [reflexivity|]].
    intros v I. rewrite !in_app_iff in I. simpl in I.
    destruct I as [[I|I]|I]; [apply Eu in I; destruct v; lia | decompose [or] I; subst; try tauto; lia | tauto].
Qed.

(** F1.  An infinite run that takes up every pending constraint in every round, on a
    set with a rank model; what Def. 4.5 records never has a positive cycle. *)
Theorem finding_f1_infinite_run :
  paper_run (initial finding_f1) [] (f1_config 0) /\
  (forall k, paper_run (f1_config k) (f1_edges k) (f1_config (S k))) /\
  (forall n, ~ positive_cycle (flat_map f1_edges (seq 0 n))).
Proof.
  split; [|split].
  - change [] with (paper_recorded (f1_cap 0) (Effect [] None [f1_cap 0] false)) at 1.
    apply (Paper_one _ [] (f1_cap 0) [f1_pending 0] RI_cap); [reflexivity|].
    apply (F_ri_cap _ _ (RTerm [two] (Some 1) []) (rvar_term 0) 0); [unfold covered; simpl; lia | reflexivity | discriminate].
  - intros k. destruct (f1_config_shape k) as (Ep & Es & Eu).
    change (f1_edges k) with
      (paper_recorded (f1_pending k) (f1_grow k) ++
       (paper_recorded (f1_again k) (f1_align k) ++
        (paper_recorded (DLe (DVar k) three) (f1_pin k) ++
         paper_recorded (DEq (DVar k) three) (f1_bind k)))).
    cbn [f1_config]. unfold f1_round.
    set (C1 := next (f1_config k) ([] ++ []) (f1_pending k) (f1_grow k)).
    assert (P1 : phi C1 = [f1_again k; f1_returned k]).
    { unfold C1, next; simpl. rewrite Es, taken_one. simpl. unfold f1_pending, f1_cap, is_mid; simpl.
      rewrite !Nat.eqb_refl. simpl. unfold sub_r; simpl. rewrite ?Nat.eqb_refl.
      replace (match k with 0 => false | S m' => k =? m' end) with (S k =? k) by reflexivity.
      assert (Nk : (S k =? k) = false) by (apply Nat.eqb_neq; lia).
      rewrite ?Nk. reflexivity. }
    apply Paper_more with (C' := C1); [|clearbody C1].
    { apply (Paper_one _ [] (f1_pending k) [] RI_deficit); [exact Ep|].
      apply (F_ri_deficit _ _ _ _ k [] (S (S k)) [k]); try reflexivity.
      - unfold covered; simpl; lia.
      - repeat constructor; simpl; intuition discriminate.
      - intros v [<-|[<-|[]]] J; apply Eu in J; simpl in J; lia. }
    set (C2 := next C1 ([] ++ [f1_returned k]) (f1_again k) (f1_align k)).
    assert (P2 : phi C2 = [f1_returned k; DLe (DVar k) three]) by reflexivity.
    apply Paper_more with (C' := C2); [|clearbody C2].
    { apply (Paper_one _ [] (f1_again k) [f1_returned k] RI_cap); [exact P1|].
      apply (F_ri_cap _ _ (RTerm [two] (Some (S (S k))) [DVar k]) (RTerm [] (Some (S k)) [three]) (S k));
        [unfold covered; simpl; lia | reflexivity | discriminate]. }
    set (C3 := next C2 ([f1_returned k] ++ []) (DLe (DVar k) three) (f1_pin k)).
    assert (P3 : phi C3 = [f1_returned k; DEq (DVar k) three]) by reflexivity.
    apply Paper_more with (C' := C3); [|clearbody C3].
    { apply (Paper_one _ [f1_returned k] (DLe (DVar k) three) [] DI_pin); [exact P2|].
      apply F_di_pin. exact I. }
    apply (Paper_one _ [f1_returned k] (DEq (DVar k) three) [] DE_bind); [exact P3|].
    apply F_de_bind. discriminate.
  - intros n. apply prop_4_6. exists (fun p => n + 2 - p).
    intros f I. apply in_flat_map in I as (k & J & I). apply in_seq in J.
    destruct I as [<-|[<-|[]]]; unfold fact_holds; simpl; lia.
Qed.

(** * F5 and F10 as runs *)

(** F5.  A run on F5's satisfiable set fails, after one placement. *)
Theorem finding_f5_run_rejects :
  (exists g, sol finding_f5 g) /\
  exists C, run any_step (initial finding_f5) C /\ rule_fails C.
Proof.
  split; [exists finding_f5_solution; exact finding_f5_satisfiable|].
  eexists. split.
  - eapply Run_cons; [exact I | eapply (Step _ [] _ _ RE_nested); [reflexivity|] |].
    { apply (F_re_nested _ _ _ 0 _ 1); try reflexivity. discriminate. }
    eapply Run_cons; [exact I | eapply (Step _ [_] _ [] RI_cap); [reflexivity|] |].
    { apply (F_ri_cap _ _ _ _ 1); [unfold covered; simpl; lia | reflexivity | discriminate]. }
    eapply Run_cons; [exact I | eapply (Step _ [] _ [] RI_deficit); [reflexivity|] |].
    { apply (F_ri_deficit _ _ _ _ 1 [0] 2 []); try reflexivity.
      - unfold covered; simpl; lia.
      - repeat constructor; simpl; intuition discriminate.
      - intros v J K. simpl in J, K. decompose [or] J; subst; decompose [or] K; try discriminate; tauto. }
    apply Run_nil.
  - eexists _, RI_short_closed. split; [simpl; right; left; reflexivity|].
    apply F_ri_short_closed; [unfold covered; simpl; lia | reflexivity].
Qed.

(** F10.  The run of F10 reaches the solved form that the theorems on F10 speak of. *)
Theorem finding_f10_run_reaches :
  exists C, run any_step (initial finding_f10) C /\ phi C = [] /\ store C = [] /\
    on_r (sigma C) 0 = on_r finding_f10_sigma 0 /\ on_r (sigma C) 1 = on_r finding_f10_sigma 1.
Proof.
  eexists. split.
  - eapply Run_cons; [exact I | eapply (Step _ [] _ _ RE_open_closed); [reflexivity|] |].
    { exact (F_re_open_closed _ _ (rvar_term 0) 0 (RTerm [] None [n3; n5]) eq_refl eq_refl). }
    eapply Run_cons; [exact I | eapply (Step _ [] _ [] RI_deficit); [reflexivity|] |].
    { apply (F_ri_deficit _ _ _ _ 1 [] 2 [0; 1]); try reflexivity.
      - unfold covered; simpl; lia.
      - repeat constructor; simpl; intuition discriminate.
      - intros v J K. simpl in J, K. decompose [or] J; subst; decompose [or] K; try discriminate; tauto. }
    eapply Run_cons; [exact I | eapply (Step _ [] _ [] RI_closed_op); [reflexivity|] |].
    { apply F_ri_closed_op; [unfold covered; simpl; lia | reflexivity]. }
    eapply Run_cons; [exact I | eapply (Step _ [] _ [_] DI_pin); [reflexivity|] |].
    { apply F_di_pin. exact I. }
    eapply Run_cons; [exact I | eapply (Step _ [] _ [_] DI_pin); [reflexivity|] |].
    { apply F_di_pin. exact I. }
    eapply Run_cons; [exact I | eapply (Step _ [] _ [_] DE_bind); [reflexivity|] |].
    { apply F_de_bind. discriminate. }
    eapply Run_cons; [exact I | eapply (Step _ [] _ [] DE_bind); [reflexivity|] |].
    { apply F_de_bind. discriminate. }
    apply Run_nil.
  - repeat split; reflexivity.
Qed.
