(** Cor. 5.7 and 5.8 for the solver that runs: what the standing of a binding
    claims is true. *)

From Coq Require Import List Bool Arith ZArith Lia Permutation.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Certificate Certificate_thm
  Solved Solved_thm Runs Runs_thm Termination_thm Taint Taint_thm Queue Queue_thm Cycle Cycle_thm Fire Fire_thm
  Solver Solver_thm Solve Solve_thm.
Import ListNotations.

(** * Bindings *)

(** Changing unused variables changes no claim about used ones. *)
Lemma claims_agree : forall V h k x, agree_on V h k -> In (bound_var (fst x)) V ->
  incl (vars (bound_value (fst x))) V -> claims h x -> claims k x.
Proof.
  intros V h k [[a t|p R] st] A Ix Iv H; unfold claims in *; simpl in *.
  - assert (E : g_d h a = g_d k a) by exact (A _ Ix).
    assert (F : ground_d h t = ground_d k t) by (apply agree_ground_d; intros v I; apply A, Iv, I).
    destruct st; [|now rewrite <- E, <- F|exact I]. now rewrite <- E, <- F.
  - assert (E : g_r h p = g_r k p) by exact (A _ Ix).
    assert (F : ground_r h R = ground_r k R) by (apply agree_ground_r; intros v I; apply A, Iv, I).
    destruct st; [|now rewrite <- E, <- F|exact I]. now rewrite <- E, <- F.
Qed.

(** The variables of the bindings are used. *)
Definition bound_used (l : list (binding * standing)) (V : list var) : Prop :=
  forall x, In x l -> In (bound_var (fst x)) V /\ incl (vars (bound_value (fst x))) V.

Lemma reports_used : forall C d C', reports C d C' -> incl (t_used C) (t_used C').
Proof.
  intros C d C' R. destruct R as [pre tc post E F Ft Ep]. unfold t_next.
  destruct (binds (d_effect d)); simpl; [apply incl_appl|]; apply incl_refl.
Qed.

Lemma reports_claims : forall C d C' l h, reports C d C' -> t_seen C -> t_holds h C ->
  bound_used l (t_used C) -> (forall x, In x l -> claims h x) ->
  exists k, agree_on (t_used C) h k /\ t_holds k C' /\ bound_used (sigma_after d l) (t_used C') /\
    forall x, In x (sigma_after d l) -> claims k x.
Proof.
  intros C d C' l h R Sn H U K. pose proof (reports_used C d C' R) as Inc.
  destruct R as [pre tc post E F Ft Ep].
  destruct (t_fired_holds C pre (d_on d) tc post (d_rule d) (d_effect d) (d_tainted d) (d_placed d) h E Ft)
    as (k & A & Hk & Hb); auto.
  { intros Z. apply commitsb_spec. now rewrite <- Ep. }
  exists k. split; [auto | split; [auto|]].
  assert (Old : forall x, In x l -> claims k x).
  { intros x I. destruct (U x I) as [Ux Uv]. apply (claims_agree (t_used C) h); auto. }
  assert (Uo : bound_used l (t_used (t_next C (pre ++ post) (d_on d) (d_effect d) (d_tainted d) (d_placed d)))).
  { intros x I. destruct (U x I) as [Ux Uv]. split; [auto | eapply incl_tran; eauto]. }
  unfold sigma_after. destruct (binds (d_effect d)) as [b|] eqn:Eb; [|auto]. split.
  - intros x [<-|I]; [|auto]. simpl. unfold t_next. rewrite Eb. simpl. split; [|apply incl_appr, incl_refl].
    apply in_app_iff. left.
    assert (Vc : forall v, In v (vars_c (d_on d)) -> In v (t_used C)).
    { intros v I. apply (proj1 Sn (d_on d, tc)); [rewrite E, !in_app_iff; simpl; auto | auto]. }
    pose proof (outcome_binding _ _ _ _ _ F Vc) as O. destruct (d_effect d) as [em [b'|] st ag]; simpl in Eb; [|discriminate].
    injection Eb as ->. now apply Vc.
  - intros x [<-|I]; [|auto]. unfold claims, standing_of; simpl.
    destruct (d_tainted d) eqn:T; [exact I|]. destruct (Hb b eq_refl eq_refl) as [Full Co].
    destruct (d_placed d); auto.
Qed.

Lemma steps_claims : forall P s ds s', steps P s ds s' -> forall C h, stands_for P s C ->
  t_seen C -> t_holds h C -> bound_used (s_sigma s) (t_used C) -> (forall x, In x (s_sigma s) -> claims h x) ->
  exists k, agree_on (t_used C) h k /\ forall x, In x (s_sigma s') -> claims k x.
Proof.
  intros P s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros C h H Sn Hh U K.
  - exists h. split; [intros [a|p] _; reflexivity | auto].
  - pose proof (step_of_reports P s C H) as X. rewrite E in X. destruct X as (Es & C' & Re & H').
    destruct (reports_claims C d C' (s_sigma s) h Re Sn Hh U K) as (k & A & Hk & U' & K').
    rewrite <- Es in U', K'.
    destruct (IH C' k H' (step_seen _ _ _ _ (reports_step _ _ _ Re) Sn) Hk U' K') as (m & A' & Km).
    exists m. split; [|auto]. intros v I. eapply agree_at_trans; [apply A; auto|].
    apply A'. now apply (reports_used C d C' Re).
Qed.

(** * Values *)

Lemma read_through_mono : forall l x v y, read_through l v y -> read_through (x :: l) v y.
Proof.
  intros l x v y H; induction H as [v y I E|v z w y I E J H IH];
    [apply Read_here | apply Read_on with (x := z) (w := w)]; simpl; auto.
Qed.

Lemma read_through_on : forall l v x w y, read_through l v x -> In w (vars (bound_value (fst x))) ->
  In y l -> bound_var (fst y) = w -> read_through l v y.
Proof.
  intros l v x w y H; induction H as [v x I E|v z u x I E J H IH]; intros K Iy Ey.
  - apply Read_on with (x := x) (w := w); auto. now apply Read_here.
  - apply Read_on with (x := z) (w := u); auto.
Qed.

(** The variables of a value, and the bindings that they come from. *)
Lemma value_read : forall l v w, In w (vars (apply (sigma_of (map fst l)) (var_term v))) ->
  w = v \/ exists x, read_through l v x /\ In w (vars (bound_value (fst x))).
Proof.
  intros l; induction l as [|x l IH]; intros v w I.
  - simpl map in I. simpl sigma_of in I. rewrite id_var in I. apply vars_var_term in I. auto.
  - simpl map in I. simpl sigma_of in I. rewrite lemma_3_3 in I. apply vars_apply in I as (y & Iy & Iw).
    destruct (var_eq_dec y (bound_var (fst x))) as [E|N].
    + subst y. rewrite as_subst_self in Iw. right. exists x. split; [|auto].
      destruct (IH v (bound_var (fst x)) Iy) as [E|(z & Rz & Iz)].
      * apply Read_here; simpl; auto.
      * eapply read_through_on; [apply read_through_mono; exact Rz | exact Iz | simpl; auto | auto].
    + pose proof (as_subst_other (fst x) y N) as F. unfold fixes in F. rewrite F in Iw.
      apply vars_var_term in Iw. subst y. destruct (IH v w Iy) as [E|(z & Rz & Iz)]; [auto|].
      right. exists z. split; [now apply read_through_mono | auto].
Qed.

(** Whatever the bindings that a value is read through leave as it is. *)
Lemma value_kept : forall (A : Type) (f : term -> A) (ok : binding * standing -> Prop) l,
  (forall x, In x l -> ok x -> forall T, f (apply (as_subst (fst x)) T) = f T) ->
  forall v, (forall x, read_through l v x -> ok x) ->
  f (apply (sigma_of (map fst l)) (var_term v)) = f (var_term v).
Proof.
  intros A f ok l; induction l as [|x l IH]; intros Ok v H.
  - simpl map. simpl sigma_of. now rewrite id_var.
  - simpl map. simpl sigma_of. rewrite lemma_3_3.
    rewrite <- (IH (fun y I => Ok y (or_intror I)) v (fun y R => H y (read_through_mono _ _ _ _ R))).
    set (T := apply (sigma_of (map fst l)) (var_term v)).
    destruct (in_dec var_eq_dec (bound_var (fst x)) (vars T)) as [I|N].
    + apply Ok; [simpl; auto|]. apply H. destruct (value_read l v _ I) as [E|(z & Rz & Iz)].
      * apply Read_here; simpl; auto.
      * eapply read_through_on; [apply read_through_mono; exact Rz | exact Iz | simpl; auto | auto].
    + f_equal. apply apply_fixed_iff. intros w I. apply as_subst_other. congruence.
Qed.

(** The full value of a term, and its content. *)
Definition full_value (h : ground) (T : term) : dim + row :=
  match T with TD t => inl (ground_d h t) | TR R => inr (ground_r h R) end.

Definition flat_value (h : ground) (T : term) : list dim :=
  match T with TD t => [ground_d h t] | TR R => flat (ground_r h R) end.

Lemma full_value_kept : forall h b T, binding_holds h b -> full_value h (apply (as_subst b) T) = full_value h T.
Proof.
  intros h b T H. destruct (respects_ground h _ (binding_respects h b H)) as [Gd Gr].
  destruct T as [t|R]; simpl; now rewrite ?Gd, ?Gr.
Qed.

Lemma flat_value_kept : forall h b T, binding_content h b -> flat_value h (apply (as_subst b) T) = flat_value h T.
Proof.
  intros h [a t|p V] T H.
  - pose proof (full_value_kept h (BindD a t) T H) as E. destruct T as [u|R]; simpl in *; congruence.
  - destruct T as [u|R]; simpl.
    + destruct u; reflexivity.
    + rewrite <- ground_r_comp, !flat_ground.
      assert (E : forall l, map (ground_d (ground_comp h (bind_r p V))) l = map (ground_d h) l)
        by (intros l; apply map_ext; intros [a|d]; reflexivity).
      rewrite !E. f_equal. f_equal. destruct (tmid R) as [q|]; simpl; [|auto].
      destruct (Nat.eqb_spec q p) as [->|N]; [symmetry; exact H | now rewrite ground_rvar].
Qed.

(** * The theorems *)

(** Cor. 5.7, repaired: every solution of the input extends to one for which all
    standings are true.  A variable whose value is read through entailed bindings
    only has that value in it; without choices in between, that content. *)
Theorem cor_5_7_standings : forall P n cs ds s, numbered n (flat_map vars_c cs) ->
  steps P (started P n cs) ds s -> forall g, sol cs g ->
  exists h, agree_on (flat_map vars_c cs) g h /\ (forall x, In x (s_sigma s) -> claims h x) /\
    forall v,
      ((forall x, read_through (s_sigma s) v x -> snd x = Entailed) ->
         agree_at (ground_comp h (s_subst s)) h v) /\
      ((forall x, read_through (s_sigma s) v x -> snd x <> Policy_choice) -> content_at h (s_subst s) v).
Proof.
  intros P n cs ds s N R g Hg.
  assert (Sn : t_seen (t_initial cs)).
  { split; [|intros f []]. intros [d t] I v J. simpl in *. rewrite app_nil_r in I.
    apply in_tag_all in I as [I _]. apply in_flat_map; eauto. }
  assert (Hh : t_holds g (t_initial cs)).
  { split; [|split; intros f []]. intros c I. simpl in I. rewrite app_nil_r in I.
    apply in_tag_all in I as [I _]. auto. }
  destruct (steps_claims P _ _ _ R (t_initial cs) g (start_stands P n cs N) Sn Hh) as (h & A & K);
    [intros x [] | intros x [] |].
  exists h. split; [exact A | split; [exact K|]]. intros v. split; intros H.
  - assert (E : full_value h (apply (s_subst s) (var_term v)) = full_value h (var_term v)).
    { apply (value_kept _ (full_value h) (fun x => snd x = Entailed)); [|exact H].
      intros x I Ox T. apply full_value_kept. specialize (K x I). unfold claims in K. now rewrite Ox in K. }
    destruct v as [a|p]; simpl in E |- *; [|rewrite sub_rvar, ground_rvar in E]; congruence.
  - assert (E : flat_value h (apply (s_subst s) (var_term v)) = flat_value h (var_term v)).
    { apply (value_kept _ (flat_value h) (fun x => snd x <> Policy_choice)); [|exact H].
      intros x I Ox T. apply flat_value_kept. specialize (K x I). unfold claims in K.
      destruct x as [[a t|p V] [| |]]; simpl in *; try tauto. now rewrite K. }
    destruct v as [a|p]; simpl in E |- *; [congruence|]. rewrite sub_rvar, ground_rvar in E.
    symmetry. exact E.
Qed.

(** Cor. 5.8, repaired: where all bindings are entailed and nothing is left open,
    σ is the least model. *)
Theorem cor_5_8_solve_principal : forall P n cs G N ds s, solve P n cs G N = (ds, Solved_form s) ->
  (forall x, In x (s_sigma s) -> snd x = Entailed) -> s_store s = [] ->
  models (s_subst s) cs /\
  forall m, models m cs -> subst_le_on (fun _ => True) (flat_map vars_c cs) (s_subst s) m.
Proof.
  intros P n cs G N ds s E Y B. pose proof (thm_5_6_solve_sound P n cs G N ds s E) as So.
  destruct (cor_5_5_solve_solved P n cs G N ds s E) as (_ & Id & _).
  rewrite B in So. apply cor_5_8_repaired; auto. intros g Hg.
  destruct (solve_steps P n cs G N ds _ E) as ([s'|s' f] & V & R & _); simpl in *.
  2: { destruct (f_tainted f); discriminate. }
  injection V as <-. destruct (cor_5_7_standings P n cs ds s N R g Hg) as (h & A & _ & K).
  exists h. split; [auto | split; [|apply sol_nil]]. intros v. apply K. intros x Rx.
  apply Y. clear - Rx. induction Rx; auto.
Qed.
