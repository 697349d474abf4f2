(** Lemma 7.7(a): the local solve has a solution, never fails, and eliminates every
    variable of the specification. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Local.
Import ListNotations.

(** * The solution *)

(** 7.7.a.  The operation's constraints are some of the program's.  [s] puts the closed
    shapes in place of the tensors' variables and renames the specification's, so
    that under [h] everything has the value that closing gave it. *)
Theorem lemma_7_7_a_solution : forall program operation g s h,
  sol program g -> incl operation program ->
  agree_on (flat_map vars_c operation) g (ground_comp h s) ->
  sol (map (sub_c s) operation) h.
Proof.
  intros program operation g s h S I A c J. apply in_map_iff in J as (d & <- & J).
  apply (def_3_4_grounding_composes h s d). apply (agree_sol g _ operation A); [|exact J].
  intros e K. apply S, I, K.
Qed.

(** * No failure *)

Lemma closed_ground_sub : forall s R, closed_ground R -> closed_ground (sub_r s R).
Proof.
  intros s R [M G]. unfold sub_r. rewrite M. split; [reflexivity|]. intros t I. unfold tflat in *. simpl in I.
  rewrite <- map_app in I. apply in_map_iff in I as (u & <- & I). destruct (G u I) as [d ->]. simpl. eauto.
Qed.

Lemma local_sub : forall s c, local c -> local (sub_c s c).
Proof.
  intros s [t u|t u|R Q|R Q]; simpl; auto.
  - intros (d & e & -> & ->). simpl. eauto.
  - intros [H|H]; auto using closed_ground_sub.
  - intros [H K]; auto using closed_ground_sub.
Qed.

Lemma zip_In : forall (mk : dterm -> dterm -> constr) F G d, In d (map (fun x => mk (fst x) (snd x)) (combine F G)) ->
  exists t u, d = mk t u /\ In t F /\ In u G.
Proof.
  intros mk F G d I. apply in_map_iff in I as ([t u] & <- & I). simpl.
  exists t, u. eauto using in_combine_l, in_combine_r.
Qed.

Lemma equalities_local : forall F G d, In d (equalities F G) -> local d.
Proof. intros F G d I. apply (zip_In DEq) in I as (t & u & -> & _). exact I. Qed.

Lemma aligned_local : forall R Q, closed_ground R -> closed_ground Q -> forall d, In d (aligned R Q) -> local d.
Proof.
  intros R Q [_ G] [_ H] d I.
  assert (K : forall F F', incl F (tflat R) -> incl F' (tflat Q) -> In d (inequalities F F') -> local d).
  { intros F F' A B J. apply (zip_In DLe) in J as (t & u & -> & T & U).
    destruct (G t (A t T)) as [a ->], (H u (B u U)) as [b ->]. simpl. eauto. }
  unfold aligned, tflat in *. apply in_app_iff in I as [I|I]; eapply K; eauto.
  - apply incl_appl, firstn_incl.
  - apply incl_appl, incl_refl.
  - apply incl_appr, skipn_incl.
  - apply incl_appr, incl_refl.
Qed.

(** What a step on such a constraint can be. *)
Lemma local_outcome : forall used c r e, local c -> fires used [] c r (Does e) ->
  stores e = [] /\ again e = false /\ (forall d, In d (emits e) -> local d) /\
  (semantic_step (By_rule c r) \/
   exists R p Q, (c = REq R Q \/ c = REq Q R) /\ tmid R = Some p /\ tmid Q = None /\
     Does e = re_open_closed R p Q).
Proof.
  assert (G : forall used c r o, fires used [] c r o -> local c ->
    match o with Fails => True | Does e =>
      stores e = [] /\ again e = false /\ (forall d, In d (emits e) -> local d) /\
      (semantic_step (By_rule c r) \/
       exists R p Q, (c = REq R Q \/ c = REq Q R) /\ tmid R = Some p /\ tmid Q = None /\
         Does e = re_open_closed R p Q)
    end).
  { intros used c r o F L. each_rule F; simpl in L; try exact I;
      try (destruct L as (x & y & E1 & E2); discriminate);
      try match type of L with _ \/ _ => destruct L as [[L1 L2]|[L1 L2]]; congruence end;
      try match type of L with _ /\ _ => destruct L as [[L1 L2] [L3 L4]]; congruence end;
      try (simpl; split; [reflexivity|]; split; [reflexivity|]; split; [intros x []|]; left; tauto).
    - (* DI-ground *)
      unfold di_ground. destruct (dim_leb d d'); [|exact I]. simpl. repeat split; auto. intros x [].
    - (* RE-closed *)
      unfold re_closed. destruct (_ =? _); [|exact I]. simpl. repeat split; auto. apply equalities_local.
    - (* RE-open-closed *)
      unfold re_open_closed. destruct (_ <=? _) eqn:X; [|exact I]. simpl.
      repeat split; auto; [intros c I; apply in_app_iff in I as [I|I]; eapply equalities_local; eauto|].
      right; exists R, p, Q; unfold re_open_closed; rewrite X; auto.
    - unfold re_open_closed. destruct (_ <=? _) eqn:X; [|exact I]. simpl.
      repeat split; auto; [intros c I; apply in_app_iff in I as [I|I]; eapply equalities_local; eauto|].
      right; exists R, p, Q; unfold re_open_closed; rewrite X; auto.
    - (* RI-closed-op *)
      destruct L as [L L']. simpl. repeat split; auto. apply aligned_local; auto. }
  intros used c r e L F. exact (G _ _ _ _ F L).
Qed.

Lemma fixed_agrees : forall g s v, fixes s v -> agree_at (ground_comp g s) g v.
Proof.
  intros g s [a|p] F; unfold fixes in F; simpl in *.
  - injection F as F. now rewrite F.
  - rewrite sub_rvar in F. injection F as F. now rewrite F, ground_rvar.
Qed.

(** All pending constraints are local, nothing is stored, and there is a solution. *)
Definition on_course (C : config) : Prop :=
  (forall c, In c (phi C) -> local c) /\ store C = [] /\ exists g, satisfies g C.

(** A constraint that is local either ignores markers or has no variables. *)
Lemma closed_ground_vars : forall R, closed_ground R -> vars_r R = [].
Proof.
  intros [l m r] [M G]. unfold vars_r, tflat in *. simpl in *. subst m. simpl.
  assert (K : forall k, incl k (l ++ r) -> flat_map vars_d k = []).
  { intros k; induction k as [|t k IH]; intros I; simpl; [reflexivity|].
    destruct (G t) as [d ->]; [apply I; simpl; auto|]. simpl. apply IH. intros u U. apply I. simpl; auto. }
  rewrite !K; auto using incl_appl, incl_appr, incl_refl.
Qed.

Lemma local_blind : forall c p, local c -> marker_blind c \/ ~ In (RV p) (vars_c c).
Proof.
  intros [t u|t u|R Q|R Q] p L; simpl in *; auto.
  destruct L as [A B]. rewrite (closed_ground_vars R A), (closed_ground_vars Q B). auto.
Qed.

Lemma step_on_course : forall C c r C', well_formed C -> on_course C -> step C c r C' -> on_course C'.
Proof.
  intros C c r C' W (L & St & g & Sg) S.
  destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  assert (Lc : local c) by (apply L, P; auto).
  pose proof (fires_binding C c r e V F) as FB.
  assert (F' : fires (used C) [] c r (Does e)) by (rewrite <- St; exact F).
  destruct (local_outcome _ _ _ _ Lc F') as (Se & Ae & Le & K).
  split; [|split].
  - assert (X : forall d, In d (rest ++ emits e ++ (if again e then [c] else [])) -> local d).
    { intros d I. rewrite Ae, !in_app_iff in I. destruct I as [I|[I|[]]]; [apply L, P; auto | auto]. }
    unfold next. destruct (binds e) as [b|]; simpl; [|exact X].
    rewrite St, taken_nil, app_nil_r. intros d I. apply in_map_iff in I as (d' & <- & I). apply local_sub, X, I.
  - unfold next. destruct (binds e) as [b|]; simpl; rewrite St, Se; reflexivity.
  - destruct K as [K|(R & p & Q & Ec & MR & MQ & Ee)].
    + destruct (step_complete C c r _ g W S K Sg) as (h & _ & H). eauto.
    + destruct Sg as (Sp & _ & _). assert (Hc : holds g (REq R Q)).
      { assert (H : holds g c) by (apply Sp, P; auto). destruct Ec as [->| ->]; [exact H|].
        simpl in *. unfold flat_equiv in *. congruence. }
      pose proof (proj1 (proj2 (lemma_5_1_re_open_closed g R p Q MR MQ)) Hc) as H. revert H Ee.
      unfold re_open_closed. destruct (_ <=? _); [|discriminate]. unfold content_after.
      rewrite after_emit_bind. intros [Hf Hb] [= Ee]. set (val := middle R Q (placed R Q)) in *.
      assert (B : binds e = Some (BindR p val)) by (rewrite Ee; reflexivity).
      destruct (FB _ B) as (Fp & _ & Np & Vp). simpl in Fp, Np, Vp.
      destruct (lemma_5_1_replacement g p val Hb Np) as (k & Ak & _ & Bk & Hk).
      set (h := ground_comp k (sigma C)).
      assert (A : forall v, fixes (sigma C) v -> agree_at h k v) by (intros; now apply fixed_agrees).
      assert (T : forall d, local d -> (forall v, In v (vars_c d) -> fixes (sigma C) v) -> holds g d -> holds h d).
      { intros d Ld Vd H. apply (agree_holds k h); [intros v I; apply agree_at_sym; auto|].
        apply Hk; [apply local_blind, Ld | exact H]. }
      assert (Vr : forall d v, In d (phi C) -> In v (vars_c d) -> fixes (sigma C) v).
      { intros d v I J. destruct W as (_ & W & _). apply W. apply in_flat_map. exists d.
        split; [apply in_app_iff; auto | exact J]. }
      exists h. apply next_satisfies; [intros b Eb; eapply FB, Eb|]. split; [|split; [|split]].
      * intros d I. assert (In d (phi C)) by (apply P; auto).
        apply T; [apply L; auto | intros v; apply (Vr d); auto | auto].
      * rewrite St. apply sol_nil.
      * apply comp_respects. destruct W as (W & _). exact W.
      * rewrite Ee. change (after h c (emit_bind (facing R Q) (BindR p val))).
        unfold after. rewrite after_emit_bind. split.
        -- intros d I. apply T; [apply Le; rewrite Ee; exact I | | apply Hf, I].
           intros v J. assert (In v (vars_c c)); [|now apply V].
           destruct Ec as [->| ->]; simpl; rewrite in_app_iff.
           ++ apply in_app_iff. apply (facing_vars R Q), in_flat_map. eauto.
           ++ apply or_comm, in_app_iff. apply (facing_vars R Q), in_flat_map. eauto.
        -- simpl. pose proof (A (RV p) Fp) as Ap. simpl in Ap. simpl. rewrite Ap.
           simpl in Bk. rewrite Bk. apply agree_ground_r. intros v I. apply agree_at_sym, A.
           destruct (Vp v I) as [J|J]; [now apply V|].
           destruct (term_eq_dec (apply (sigma C) (var_term v)) (var_term v)) as [X|X]; [exact X|].
           destruct W as (_ & _ & W & _). destruct J. apply W, X.
Qed.

Lemma run_on_course : forall C C', run any_step C C' -> well_formed C -> on_course C -> on_course C'.
Proof.
  intros C C' R. induction R as [C|C c r C' C'' _ S R IH|C cs C'' []]; eauto using step_on_course, step_well_formed.
Qed.

(** 7.7.a.  Whatever is taken next, whatever was placed where: no rule fails, the guard is
    silent, nothing is stored or deferred. *)
Theorem lemma_7_7_a_never_fails : forall cs g, (forall c, In c cs -> local c) -> sol cs g ->
  forall C, run any_step (initial cs) C -> ~ rule_fails C /\ ~ guard_fails C /\ store C = [].
Proof.
  intros cs g L S C R.
  assert (O : on_course C).
  { eapply run_on_course; eauto using initial_well_formed.
    split; [exact L|]. split; [reflexivity|]. exists g. now apply initial_satisfies. }
  destruct O as (_ & St & H). pose proof (r1a_failure_is_unsat cs C R) as N. tauto.
Qed.

(** 7.7.a.  So a run to the end exists; by R1b all guarded runs are finite. *)
Theorem lemma_7_7_a_succeeds : forall cs g, (forall c, In c cs -> local c) -> sol cs g ->
  exists C, run any_step (initial cs) C /\ phi C = [] /\ store C = [].
Proof.
  intros cs g L S. destruct (r1b_success_or_failure cs) as (C & R & H).
  destruct (lemma_7_7_a_never_fails cs g L S C R) as (A & B & D). exists C. tauto.
Qed.

(** * Elimination *)

Lemma map_same : forall (f f' : dterm -> dim) l, map f l = map f' l -> forall t, In t l -> f t = f' t.
Proof.
  intros f f' l. induction l as [|u l IH]; simpl; [tauto|]. intros [= A B] t [<-|I]; auto.
Qed.

(** Template variables have the same content in all solutions. *)
Lemma anchored_forced : forall cs g h, sol cs g -> sol cs h ->
  forall v, anchored cs v ->
  match v with DV a => g_d g a = g_d h a | RV p => g_r g p ≈ g_r h p end.
Proof.
  intros cs g h Sg Sh v (R & Q & I & G & J).
  assert (E : forall k, sol cs k -> flat (ground_r k R) = flat (ground_r k Q)).
  { intros k Sk. destruct I as [I|I]; apply Sk in I; simpl in I; unfold flat_equiv in I; congruence. }
  assert (EQ : ground_r g Q = ground_r h Q).
  { apply agree_ground_r. rewrite (closed_ground_vars Q G). intros w []. }
  pose proof (E g Sg) as A. pose proof (E h Sh) as B. rewrite EQ, <- B in A. rewrite !flat_ground in A.
  assert (X : map (ground_d g) (tlead R) = map (ground_d h) (tlead R) /\
              flat (ground_mid g (tmid R)) = flat (ground_mid h (tmid R)) /\
              map (ground_d g) (ttrail R) = map (ground_d h) (ttrail R)).
  { apply app_eq_len in A as [A1 A2]; [|rewrite !len_map; reflexivity].
    apply app_eq_len_back in A2 as [A2 A3]; [|rewrite !len_map; reflexivity]. auto. }
  destruct X as (X1 & X2 & X3).
  assert (D : forall l a, map (ground_d g) l = map (ground_d h) l ->
    In (DV a) (flat_map vars_d l) -> g_d g a = g_d h a).
  { intros l a M K. apply in_flat_map in K as (t & T & K). destruct t as [b|]; simpl in K; [|destruct K].
    destruct K as [[= ->]|[]]. exact (map_same _ _ l M (DVar a) T). }
  unfold vars_r in J. rewrite !in_app_iff in J. destruct v as [a|p].
  - destruct J as [J|[J|J]]; eauto. destruct (tmid R); simpl in J; intuition discriminate.
  - assert (M : tmid R = Some p) by (apply no_other_row_var; unfold vars_r; rewrite !in_app_iff; exact J).
    rewrite M in X2. exact X2.
Qed.

(** 7.7.a.  At the end every variable of a template is bound to ground material: to its
    value in the solution, up to the place of markers. *)
Theorem lemma_7_7_a_eliminates : forall cs g C, (forall c, In c cs -> local c) -> sol cs g ->
  run any_step (initial cs) C -> phi C = [] ->
  forall v, anchored cs v ->
  eliminated (sigma C) v /\
  match v with
  | DV a => on_d (sigma C) a = DConst (g_d g a)
  | RV p => map DConst (flat (g_r g p)) = tflat (on_r (sigma C) p)
  end.
Proof.
  intros cs g C L S R E v A.
  destruct (lemma_7_7_a_never_fails cs g L S C R) as (_ & _ & St).
  assert (W : well_formed C) by (eapply run_well_formed; eauto using initial_well_formed).
  assert (H : forall k, sol cs (ground_comp k (sigma C))).
  { intros k. apply (thm_5_6_sound cs C R). split; [rewrite E; apply sol_nil|].
    split; [rewrite St; apply sol_nil|]. apply comp_respects. destruct W as (W & _). exact W. }
  assert (K : forall k, match v with
    | DV a => g_d g a = ground_d k (on_d (sigma C) a)
    | RV p => flat (g_r g p) = flat (ground_r k (on_r (sigma C) p)) end).
  { intros k. exact (anchored_forced cs g _ S (H k) v A). }
  (* three ways to ground what is left *)
  set (k1 := Ground (fun _ => Unit) (fun _ => empty_row)).
  set (k2 := Ground (fun _ => num 2) (fun _ => empty_row)).
  set (k3 := Ground (fun _ => Unit) (fun _ => [Unit] ·⋄· [])).
  assert (D : forall t, ground_d k1 t = ground_d k2 t -> t = DConst (ground_d k1 t)).
  { intros [b|d] X; [discriminate X | reflexivity]. }
  destruct v as [a|p].
  - pose proof (D _ (eq_trans (eq_sym (K k1)) (K k2))) as X. rewrite <- (K k1) in X.
    split; [exists (g_d g a)|]; exact X.
  - set (T := on_r (sigma C) p) in *.
    assert (M : tmid T = None).
    { destruct (tmid T) as [q|] eqn:M; [|reflexivity]. exfalso.
      pose proof (eq_trans (eq_sym (K k1)) (K k3)) as X. apply (f_equal (@length dim)) in X.
      rewrite !flat_ground, M, !len_app, !len_map in X. simpl in X. lia. }
    pose proof (eq_trans (eq_sym (K k1)) (K k2)) as X. rewrite !flat_ground_closed in X by exact M.
    assert (Y : forall t, In t (tflat T) -> t = DConst (ground_d k1 t)).
    { intros t I. apply D. exact (map_same _ _ _ X t I). }
    split.
    + split; [exact M|]. intros t I. exists (ground_d k1 t). auto.
    + rewrite (K k1), flat_ground_closed, map_map by exact M.
      rewrite <- (map_id (tflat T)) at 2. apply map_ext_in. intros t I. symmetry. auto.
Qed.
