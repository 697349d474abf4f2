(** The functions of [Model] say what the propositions say. *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Rigid Rigid_thm Term Term_thm
  Semantics Semantics_thm Rules Rules_thm Certificate Certificate_thm Model.
Import ListNotations.

(** * Dimensions and rows *)

(** 1.3.  The boolean test decides whether one element covers another. *)
Theorem prop_1_3_covers_reflect : forall x y, coversb x y = true <-> covers x y.
Proof.
  intros x y; split.
  - destruct x as [|[|n b]], y as [|[|m c]]; simpl; try discriminate; intros _.
    + now apply prop_1_3_atom_covers_bottom.
    + now apply prop_1_3_unit_covers_atom.
  - intros [[L N] C]. destruct x as [|[|n b]], y as [|[|m c]]; simpl in *; auto; try tauto.
    + exfalso. apply (C (Val (Atom BinNums.xH default))). repeat split; simpl; auto; try discriminate. now left.
    + destruct L as [L|L]; discriminate.
    + destruct L as [L|L]; [discriminate | congruence].
Qed.

(** 2.2.  The function for expansion answers exactly where the rank allows it, and with
    the expansion. *)
Theorem def_2_2_expansion_reflect : forall R n F,
  expansion R n = Some F <-> rank R <= n /\ F = expand R n.
Proof.
  intros R n F; unfold expansion. destruct (Nat.leb_spec (rank R) n); split.
  - now intros [= <-].
  - now intros [_ ->].
  - discriminate.
  - lia.
Qed.

Lemma in_splits : forall n P Q Z, In Z (splits n P Q) <->
  exists p q, p + q = n /\ p <= length P /\ q <= length Q /\
              Z = Marked (firstn p P ·⋄· lastn q Q).
Proof.
  intros n P Q Z; unfold splits. rewrite in_map_iff. split.
  - intros (p & <- & I). apply filter_In in I as [I B]. apply in_seq in I.
    apply andb_true_iff in B as [B1 B2]. apply Nat.leb_le in B1, B2.
    exists p, (n - p). repeat split; auto; lia.
  - intros (p & q & E & Hp & Hq & ->). exists p. replace (n - p) with q by lia.
    split; [reflexivity|]. apply filter_In. split; [apply in_seq; lia|].
    apply andb_true_iff; split; apply Nat.leb_le; lia.
Qed.

(** A least upper bound is the only minimal one. *)
Lemma lub_minimal : forall X Y Z W, is_lub X Y Z -> (W = Z <-> is_minimal_upper X Y W).
Proof.
  intros X Y Z W [U L]; split.
  - intros ->. split; [exact U|]. intros V HV HL. apply prop_2_13_le_antisym; auto.
  - intros [UW M]. symmetry. apply M; auto.
Qed.

Lemma minimal_upper_sym : forall X Y Z, is_minimal_upper X Y Z <-> is_minimal_upper Y X Z.
Proof. unfold is_minimal_upper, is_upper; firstorder. Qed.

Lemma no_mixed_join : forall R F, mixed_join R F = None -> length F < rank R.
Proof.
  unfold mixed_join; intros R F. destruct (Nat.leb_spec (rank (mixed_candidate R F)) (length F)); [discriminate|].
  intros _. unfold mixed_candidate, rank in *; simpl in *.
  rewrite join_front_length, join_back_length in *. lia.
Qed.

(** 2.14.  The list of minimal upper bounds has exactly the minimal upper bounds. *)
Theorem remark_2_14_minimal_uppers_reflect : forall X Y Z,
  In Z (minimal_uppers X Y) <-> is_minimal_upper X Y Z.
Proof.
  intros X Y Z; unfold minimal_uppers. destruct (row2_join X Y) as [J|] eqn:E.
  - apply remark_2_14_join_correct in E. rewrite <- (lub_minimal _ _ _ Z E). simpl.
    intuition congruence.
  - assert (M : forall R F, mixed_join R F = None ->
      (In Z (splits (length F) (join_front (lead R) F) (join_back (trail R) F)) <->
       is_minimal_upper (Marked R) (Rigid F) Z)).
    { intros [l r] F N. apply no_mixed_join in N; unfold rank in N; simpl in *.
      rewrite remark_2_14_mixed_minimal_uppers by lia. rewrite in_splits, join_front_length, join_back_length.
      split; intros (p & q & H & Hp & Hq & ->); exists p, q; repeat split; lia. }
    destruct X as [R|F], Y as [Q|G]; simpl in E.
    + discriminate.
    + now apply M.
    + rewrite minimal_upper_sym. now apply M.
    + unfold rigid_join in E. destruct (Nat.eqb_spec (length F) (length G)) as [|N]; [discriminate|].
      rewrite remark_2_14_rigid_minimal_uppers by exact N.
      rewrite in_splits, join_front_length, join_back_length.
      split; [intros (p & q & H & _ & _ & ->) | intros (p & q & H & ->)]; exists p, q; repeat split; lia.
Qed.

(** * Finite substitutions *)

Lemma rterm_eqb_iff : forall R Q, rterm_eqb R Q = true <-> R = Q.
Proof.
  intros R Q; split; [apply rterm_eqb_eq|]. intros <-.
  assert (L : forall l, dterms_eqb l l = true).
  { intros l; induction l as [|t l IH]; simpl; auto. apply andb_true_iff; split; [now apply dterm_eqb_iff | exact IH]. }
  unfold rterm_eqb. rewrite !L. destruct (tmid R); simpl; rewrite ?Nat.eqb_refl; reflexivity.
Qed.

Lemma term_eqb_iff : forall X Y, term_eqb X Y = true <-> X = Y.
Proof.
  intros [t|R] [u|Q]; simpl; rewrite ?dterm_eqb_iff, ?rterm_eqb_iff; split; intros H; congruence.
Qed.

Lemma value_mapped : forall (A B : Type) (f : A -> B) x l,
  value x (mapped f l) = option_map f (value x l).
Proof.
  intros A B f x l. induction l as [|[y v] l IH]; simpl; auto. now destruct (x =? y).
Qed.

Lemma value_app : forall (A : Type) x (l k : list (nat * A)),
  value x (l ++ k) = match value x l with Some v => Some v | None => value x k end.
Proof.
  intros A x l k. induction l as [|[y v] l IH]; simpl; auto. now destruct (x =? y).
Qed.

Lemma value_bound : forall (A : Type) x (v : A) l, value x l = Some v -> In x (map fst l).
Proof.
  intros A x v l. induction l as [|[y w] l IH]; simpl; [discriminate|].
  destruct (Nat.eqb_spec x y); auto.
Qed.

Lemma apply_rvar : forall s p, apply s (var_term (RV p)) = TR (on_r s p).
Proof.
  intros s p; simpl; unfold sub_r; simpl. rewrite app_nil_r. now destruct (on_r s p).
Qed.

(** Values at every variable determine a substitution. *)
Lemma subst_eq_iff : forall s t, subst_eq s t <->
  (forall a, on_d s a = on_d t a) /\ (forall p, on_r s p = on_r t p).
Proof.
  intros s t; split.
  - intros E; split; intros x.
    + pose proof (E (DV x)) as K; simpl in K; congruence.
    + pose proof (E (RV x)) as K; rewrite !apply_rvar in K; congruence.
  - intros [D R] [a|p]; [simpl; now rewrite D | rewrite !apply_rvar; now rewrite R].
Qed.

(** 3.3.  Composing finite bindings is composing the substitutions they are. *)
Theorem lemma_3_3_compose_reflect : forall s t,
  subst_eq (subst_of (compose s t)) (comp (subst_of s) (subst_of t)).
Proof.
  intros s t. apply subst_eq_iff; split; intros x; simpl; rewrite value_app, value_mapped.
  - now destruct (value x (dim_terms t)).
  - destruct (value x (row_terms t)); simpl; auto. unfold sub_r; simpl. rewrite app_nil_r.
    destruct (value x (row_terms s)) as [[l m r]|]; auto.
Qed.

Lemma fixesb_iff : forall s v, fixesb s v = true <-> fixes (subst_of s) v.
Proof. intros; apply term_eqb_iff. Qed.

Lemma unbound_fixed : forall s v, ~ In v (bound s) -> fixes (subst_of s) v.
Proof.
  intros s v N. unfold fixes. destruct v as [a|p]; [simpl | rewrite apply_rvar; simpl].
  - destruct (value a (dim_terms s)) as [t|] eqn:E; auto. exfalso; apply N.
    apply value_bound in E. apply in_app_iff; left.
    apply in_map_iff in E as (x & <- & I). apply in_map_iff; eauto.
  - destruct (value p (row_terms s)) as [t|] eqn:E; auto. exfalso; apply N.
    apply value_bound in E. apply in_app_iff; right.
    apply in_map_iff in E as (x & <- & I). apply in_map_iff; eauto.
Qed.

(** 3.2.  The domain of finite bindings, as a list, is that of the substitution they are. *)
Theorem def_3_2_domain_reflect : forall s v, In v (domain s) <-> in_dom (subst_of s) v.
Proof.
  intros s v; unfold domain, in_dom. rewrite filter_In, negb_true_iff, <- fixesb_iff, not_true_iff_false.
  split; [tauto|]. intros F; split; auto.
  destruct (in_dec (fun x y => Bool.reflect_dec _ _ (Bool.iff_reflect _ _ (iff_sym (var_eqb_eq x y)))) v (bound s)) as [I|N];
    auto. apply unbound_fixed, fixesb_iff in N. congruence.
Qed.

(** 3.2.  So are the variables of the range. *)
Theorem def_3_2_range_reflect : forall s v, In v (range_vars s) <-> in_ran (subst_of s) v.
Proof.
  intros s v; unfold range_vars, in_ran. rewrite in_flat_map.
  split; intros (w & D & I); exists w; split; auto; now apply def_3_2_domain_reflect.
Qed.

Lemma memberb_iff : forall v V, memberb v V = true <-> In v V.
Proof.
  intros v V; unfold memberb. rewrite existsb_exists. split.
  - intros (w & I & E). apply var_eqb_eq in E. now subst.
  - intros I; exists v; split; auto. now apply var_eqb_eq.
Qed.

(** 3.2.  The boolean test on finite bindings decides idempotency. *)
Theorem def_3_2_idempotent_reflect : forall s, idempotentb s = true <-> idempotent (subst_of s).
Proof.
  intros s; unfold idempotentb, idempotent. rewrite forallb_forall.
  split; intros H v D.
  - apply def_3_2_domain_reflect, H, negb_true_iff in D. intros R.
    apply def_3_2_range_reflect, memberb_iff in R. congruence.
  - apply negb_true_iff, not_true_iff_false. rewrite memberb_iff, def_3_2_range_reflect.
    now apply H, def_3_2_domain_reflect.
Qed.

(** 3.2.  The boolean test on finite bindings decides equality of substitutions. *)
Theorem def_3_2_equality_reflect : forall s t,
  subst_eqb s t = true <-> subst_eq (subst_of s) (subst_of t).
Proof.
  intros s t; unfold subst_eqb, subst_eq. rewrite forallb_forall. split; intros H v.
  - destruct (memberb v (bound s ++ bound t)) eqn:M.
    + now apply term_eqb_iff, H, memberb_iff.
    + assert (N : ~ In v (bound s) /\ ~ In v (bound t)).
      { rewrite <- not_true_iff_false, memberb_iff, in_app_iff in M. tauto. }
      destruct N as [N1 N2]. rewrite (unbound_fixed s v N1), (unbound_fixed t v N2). reflexivity.
  - intros _. apply term_eqb_iff, H.
Qed.

(** 3.4.  For idempotent σ₁, the boolean test on finite bindings decides σ₁ ≤ σ₂. *)
Theorem def_3_4_subst_le_reflect : forall s1 s2, idempotent (subst_of s1) ->
  (subst_leb s1 s2 = true <-> subst_le (subst_of s1) (subst_of s2)).
Proof.
  intros s1 s2 I. unfold subst_leb. rewrite def_3_2_equality_reflect, def_3_4_subst_le_iff by exact I.
  pose proof (lemma_3_3_compose_reflect s2 s1) as C.
  split; intros E v; rewrite <- (E v), (C v); reflexivity.
Qed.

(** * Matching *)

(** [w] does what [u] says. *)
Definition obeys (w : subst) (u : bindings) : Prop :=
  (forall a t, value a (dim_terms u) = Some t -> on_d w a = t) /\
  (forall p R, value p (row_terms u) = Some R -> on_r w p = R).

(** What a step of matching achieves: the witnesses with [P] are those of the result. *)
Definition exact (u : bindings) (P : subst -> Prop) (o : option bindings) : Prop :=
  forall w, obeys w u /\ P w <-> match o with Some u' => obeys w u' | None => False end.

Lemma exact_if : forall u (P : subst -> Prop) (b : bool),
  (forall w, obeys w u -> (P w <-> b = true)) -> exact u P (if b then Some u else None).
Proof.
  intros u P b H w. destruct b; split.
  - tauto.
  - intros O; split; auto. now apply H.
  - intros [O Q]. apply H in Q; [discriminate | exact O].
  - tauto.
Qed.

Lemma match_d_exact : forall u p t, exact u (fun w => sub_d w p = t) (match_d u p t).
Proof.
  intros u [a|d] t; simpl.
  - destruct (value a (dim_terms u)) as [t'|] eqn:E.
    + apply exact_if. intros w [D _]. rewrite dterm_eqb_iff, (D _ _ E). tauto.
    + intros w; split.
      * intros [[D R] <-]. split; simpl; auto. intros b t'.
        destruct (Nat.eqb_spec b a); [intros [= <-]; now subst | apply D].
      * intros [D R]; simpl in D, R. split; [split; auto|].
        -- intros b t' V. apply D. destruct (Nat.eqb_spec b a); [congruence | exact V].
        -- apply D. now rewrite Nat.eqb_refl.
  - apply exact_if. intros w _. rewrite <- (dterm_eqb_iff (DConst d) t). simpl. tauto.
Qed.

Lemma match_mid_exact : forall u m T,
  exact u (fun w => match m with Some p => on_r w p | None => empty_term end = T) (match_mid u m T).
Proof.
  intros u [p|] T; simpl.
  - destruct (value p (row_terms u)) as [T'|] eqn:E.
    + apply exact_if. intros w [_ R]. rewrite rterm_eqb_iff, (R _ _ E). tauto.
    + intros w; split.
      * intros [[D R] <-]. split; simpl; auto. intros q T'.
        destruct (Nat.eqb_spec q p); [intros [= <-]; now subst | apply R].
      * intros [D R]; simpl in D, R. split; [split; auto|].
        -- intros q T' V. apply R. destruct (Nat.eqb_spec q p); [congruence | exact V].
        -- apply R. now rewrite Nat.eqb_refl.
  - apply exact_if. intros w _. symmetry. apply rterm_eqb_iff.
Qed.

Lemma exact_then : forall u P Q o f,
  exact u P o -> (forall u', exact u' Q (f u')) ->
  exact u (fun w => P w /\ Q w) (match o with Some u' => f u' | None => None end).
Proof.
  intros u P Q o f HP HQ w. specialize (HP w). destruct o as [u'|].
  - rewrite <- (HQ u' w), <- HP. tauto.
  - tauto.
Qed.

Lemma exact_ext : forall u P Q o, (forall w, P w <-> Q w) -> exact u P o -> exact u Q o.
Proof. intros u P Q o H E w. rewrite <- (E w), H. tauto. Qed.

Lemma match_l_exact : forall ps u ts, exact u (fun w => map (sub_d w) ps = ts) (match_l u ps ts).
Proof.
  intros ps; induction ps as [|p ps IH]; intros u [|t ts]; simpl.
  - intros w; tauto.
  - intros w; split; [intros [_ H]; discriminate | tauto].
  - intros w; split; [intros [_ H]; discriminate | tauto].
  - eapply exact_ext; [|apply exact_then with (f := fun u' => match_l u' ps ts);
      [apply match_d_exact | intros u'; apply IH]].
    intros w; split; [intros [<- <-]; reflexivity | intros [= <- <-]; auto].
Qed.

Lemma sub_r_by_parts : forall w P,
  let V := match tmid P with Some p => on_r w p | None => empty_term end in
  sub_r w P = RTerm (map (sub_d w) (tlead P) ++ tlead V) (tmid V) (ttrail V ++ map (sub_d w) (ttrail P)).
Proof.
  intros w [l [p|] r]; unfold sub_r; simpl; auto. now rewrite app_nil_r.
Qed.

Lemma match_r_exact : forall u P T, exact u (fun w => sub_r w P = T) (match_r u P T).
Proof.
  intros u P [l' m' r']; unfold match_r; simpl.
  set (k := length r' - length (ttrail P)).
  eapply exact_ext; [|eapply exact_then; [apply match_l_exact | intros u'; apply exact_then with
    (f := fun u'' => match_mid u'' (tmid P) (RTerm (skipn (length (tlead P)) l') m' (firstn k r')));
    [apply match_l_exact | intros u''; apply match_mid_exact]]].
  intros w; cbv beta. rewrite sub_r_by_parts.
  set (V := match tmid P with Some p => on_r w p | None => empty_term end). split.
  - intros (A & B & ->); simpl. rewrite A, B, !firstn_skipn. reflexivity.
  - intros [= <- <- <-]. subst k. rewrite len_app, len_map.
    replace (length (ttrail V) + length (ttrail P) - length (ttrail P)) with (length (ttrail V)) by lia.
    rewrite <- (len_map _ _ (sub_d w) (tlead P)).
    rewrite !firstn_app, !skipn_app, !Nat.sub_diag, !firstn_all, !skipn_all. simpl. rewrite !app_nil_r.
    repeat split. now destruct V.
Qed.

Lemma match_t_exact : forall u v s1 s2,
  exact u (fun w => apply w (apply s1 (var_term v)) = apply s2 (var_term v))
    (match_t u (apply s1 (var_term v)) (apply s2 (var_term v))).
Proof.
  intros u [a|p] s1 s2; [simpl | rewrite !apply_rvar; simpl].
  - eapply exact_ext; [|apply match_d_exact]. intros w; split; congruence.
  - eapply exact_ext; [|apply match_r_exact]. intros w; split; congruence.
Qed.

Lemma match_on_exact : forall V u s1 s2,
  exact u (fun w => forall v, In v V -> apply w (apply s1 (var_term v)) = apply s2 (var_term v))
    (match_on u V s1 s2).
Proof.
  intros V; induction V as [|v V IH]; intros u s1 s2; simpl.
  - intros w; split; [tauto|]. intros O; split; auto. intros v [].
  - eapply exact_ext; [|apply exact_then with (f := fun u' => match_on u' V s1 s2);
      [apply match_t_exact | intros u'; apply IH]].
    intros w; split; [intros [A B] x [<-|I]; auto | auto].
Qed.

Lemma subst_of_obeys : forall u, obeys (subst_of u) u.
Proof. intros u; split; intros x t E; simpl; now rewrite E. Qed.

(** 3.4.  A witness is found iff there is one; and it is one. *)
Theorem def_3_4_witness_reflect : forall V s1 s2,
  match witness_on V s1 s2 with
  | Some u => forall v, In v V ->
      apply (comp (subst_of u) (subst_of s1)) (var_term v) = apply (subst_of s2) (var_term v)
  | None => ~ subst_le_on (fun _ => True) V (subst_of s1) (subst_of s2)
  end.
Proof.
  intros V s1 s2; unfold witness_on.
  pose proof (match_on_exact V (Bindings [] []) (subst_of s1) (subst_of s2)) as M.
  destruct (match_on _ _ _ _) as [u|].
  - intros v I. rewrite lemma_3_3. apply (proj2 (M (subst_of u)) (subst_of_obeys u)); auto.
  - intros (w & _ & H). apply (M w). split; [split; discriminate|].
    intros v I. rewrite <- lemma_3_3. now apply H.
Qed.

(** * Solutions *)

(** 3.4.  The program decides whether finite bindings model a constraint set. *)
Theorem def_3_4_models_reflect : forall s cs, modelled s cs = true <-> models (subst_of s) cs.
Proof. intros; apply def_3_4_modelsb. Qed.

(** 3.4.  The value of a term under a composite is that of its instance. *)
Theorem def_3_4_value_reflect : forall g s,
  (forall t, value_d g s t = ground_d (ground_of g) (sub_d (subst_of s) t)) /\
  (forall R, value_r g s R = ground_r (ground_of g) (sub_r (subst_of s) R)).
Proof. intros g s; split; intros x; [apply ground_d_comp | apply ground_r_comp]. Qed.

Lemma in_violations : forall g cs i n,
  In n (violations g i cs) <-> exists c, i <= n /\ nth_error cs (n - i) = Some c /\ ~ holds g c.
Proof.
  intros g cs; induction cs as [|c cs IH]; intros i n; simpl.
  - split; [tauto|]. intros (c & _ & E & _). destruct (n - i); discriminate.
  - assert (Later : (exists d, S i <= n /\ nth_error cs (n - S i) = Some d /\ ~ holds g d) <->
                i <> n /\ exists d, i <= n /\ nth_error (c :: cs) (n - i) = Some d /\ ~ holds g d).
    { split.
      - intros (d & L & E & H). split; [lia|]. exists d; repeat split; auto; [lia|].
        replace (n - i) with (S (n - S i)) by lia. exact E.
      - intros (N & d & L & E & H). exists d; repeat split; auto; [lia|].
        replace (n - i) with (S (n - S i)) in E by lia. exact E. }
    rewrite <- (IH (S i) n) in Later. clear IH.
    destruct (holdsb g c) eqn:H.
    + apply def_3_4_holdsb in H. rewrite Later. split; [tauto|]. intros (d & L & E & F).
      split; [|eauto]. intros <-. rewrite Nat.sub_diag in E. simpl in E. congruence.
    + simpl. rewrite Later. split.
      * intros [<-|[_ X]]; auto. exists c. rewrite Nat.sub_diag. repeat split; auto.
        rewrite <- def_3_4_holdsb. congruence.
      * intros X. destruct (Nat.eq_dec i n); tauto.
Qed.

(** 3.4.  The list of violations has exactly the numbers of the constraints that do not
    hold. *)
Theorem def_3_4_violations_reflect : forall g cs n,
  In n (violations g 0 cs) <-> exists c, nth_error cs n = Some c /\ ~ holds g c.
Proof.
  intros g cs n. rewrite in_violations, Nat.sub_0_r.
  split; intros (c & H); exists c; intuition lia.
Qed.
