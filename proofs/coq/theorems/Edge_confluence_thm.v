(** 5.6 at the left edge, placements included: two runs that succeed reach the same
    solved form, up to the names of the fresh variables. *)

From Coq Require Import PArith List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Row Term Term_thm Semantics Rules Rules_thm Tactics Guard Solved Solved_thm
  Runs Runs_thm Closing Closing_leaf_thm Close_thm Edge Edge_thm Edge_settled_thm.
Import ListNotations.

(** * Solved forms *)

(** No stored bound says nothing. *)
Definition proper_bound (c : constr) : Prop :=
  match c with DLe t u => t <> u | RLe R Q => R <> Q | DEq _ _ | REq _ _ => True end.

Lemma outcome_proper : forall used B c r o, fires used B c r o ->
  match o with Fails => True | Does e => forall d, In d (stores e) -> proper_bound d end.
Proof.
  intros used B c r o F.
  each_outcome F; simpl; try tauto; intros x [<-|[]]; simpl; try discriminate; try exact I; auto; congruence.
Qed.

Lemma bare_known_rank : forall s R p, sub_r s R = rvar_term p -> known_rank R = 0.
Proof.
  intros s [l [q|] r] p E; unfold sub_r in E; simpl in E; [|discriminate]. injection E as E1 _ E2.
  apply app_eq_nil in E1 as [E1 _]. apply app_eq_nil in E2 as [_ E2].
  apply map_eq_nil in E1, E2. now subst.
Qed.

Lemma proper_kept : forall b d, bound_shape d -> proper_bound d -> stored_for (bound_var b) d = false ->
  proper_bound (sub_c (as_subst b) d).
Proof.
  intros b [t u|t u|R Q|R Q] Sh Pr N; try exact I.
  - now rewrite dim_bound_kept.
  - destruct Sh as (p & ->). cbn [sub_c proper_bound] in *. rewrite sub_rvar. intros E. apply Pr.
    destruct (tmid R) as [q|] eqn:M.
    2: { destruct b as [a t|x V]; simpl in E, N.
         - unfold sub_r in E. rewrite M in E. discriminate.
         - apply orb_false_iff in N as [N _]. rewrite N in E. unfold sub_r in E. rewrite M in E. discriminate. }
    destruct b as [a t|x V]; simpl in E, N.
    + pose proof (bare_known_rank _ _ _ E) as K. pose proof (bare_term R q M K) as ->. exact E.
    + apply orb_false_iff in N as [N1 N2]. rewrite N1 in E. pose proof (bare_known_rank _ _ _ E) as K.
      pose proof (bare_term R q M K) as ->. rewrite K in N2. simpl in N2. rewrite andb_true_r in N2.
      rewrite sub_rvar in E. simpl in E. now rewrite N2 in E.
Qed.

Lemma step_proper : forall C c r C', step C c r C' -> (forall d, In d (store C) -> bound_shape d) ->
  (forall d, In d (store C) -> proper_bound d) -> forall d, In d (store C') -> proper_bound d.
Proof.
  intros C c r C' S Sh Pr d I. inversion S as [C0 pre c0 post r0 e E F]; subst C0 c0 r0 C'.
  pose proof (outcome_proper _ _ _ _ _ F) as O. simpl in O. pose proof (binding_stores_nothing _ _ _ _ _ F) as St.
  unfold next in I. destruct (binds e) as [b|]; cbn [store] in I.
  - rewrite St, add_bounds_nil in I by discriminate. apply in_map_iff in I as (d0 & <- & I).
    apply filter_In in I as [I N]. apply negb_true_iff in N. apply proper_kept; auto.
  - apply in_add_bounds in I as [I|I]; auto.
Qed.

(** What holds of every configuration that is reached, with the variables [V] of the input. *)
Record good (V : list var) (C : config) : Prop :=
  { at_edge : edge_config C;
    at_form : well_formed C;
    at_store : forall d, In d (store C) -> bound_shape d /\ proper_bound d /\ ~ is_req d;
    at_tidy : tidy (store C);
    at_root : rooted V C;
    at_used : incl V (used C) }.

Lemma good_initial : forall cs, edge_set cs -> good (flat_map vars_c cs) (initial cs).
Proof.
  intros cs E. split.
  - now apply edge_initial.
  - apply initial_well_formed.
  - intros d [].
  - split; [split; [intros d a [] | intros d e a []] | intros c []].
  - apply initial_rooted.
  - apply incl_refl.
Qed.

Lemma good_step : forall V C c r C', step C c r C' -> good V C -> good V C'.
Proof.
  intros V C c r C' S [EC W St [One Sh] Ro Us].
  assert (Sh' : forall d, In d (store C') -> bound_shape d) by (eapply step_shape; eauto).
  assert (R : run any_step C C') by (eapply Run_cons; [exact I | exact S | constructor]). split.
  - eapply edge_step; eauto.
  - eapply step_well_formed; eauto.
  - intros d I. split; [auto | split].
    + eapply step_proper; eauto; intros x J; now apply St.
    + apply (edge_store _ _ _ edge_any R EC); auto. intros x J. now apply St.
  - split; [|exact Sh']. eapply Closing_leaf_thm.step_one_atom; eauto.
  - eapply step_rooted; eauto.
  - eapply incl_tran; [exact Us | eapply step_used; eauto].
Qed.

Lemma good_extend : forall V C cs, edge_set cs -> (forall c, In c cs -> knows C c) -> good V C -> good V (extend C cs).
Proof.
  intros V C cs E Kn [EC W St T Ro Us]. split; auto.
  - destruct EC as (A1 & A2 & A3). split; [|auto]. intros c I. apply in_app_iff in I as [I|I]; auto.
  - now apply extend_well_formed.
Qed.

Lemma good_run : forall V C C', run any_step C C' -> good V C -> good V C'.
Proof. intros V C C' R; induction R as [C|C c r C' C'' K S R IH|C ds C'' []]; eauto using good_step. Qed.

(** The bindings settle what is stored. *)
Lemma solved_settles : forall V C, good V C -> phi C = [] -> settles (store C) (sigma C) C.
Proof.
  intros V C [EC (Wi & Wv & _) Hs _ _ _] E.
  split; [rewrite E; intros c [] | split].
  - intros c I. destruct (Hs c I) as (Sh & _ & N).
    assert (X : sub_c (sigma C) c = c).
    { rewrite <- (sub_c_id c) at 2. apply sub_c_ext. intros v J. rewrite id_var. apply Wv.
      apply in_flat_map. exists c. rewrite in_app_iff. auto. }
    rewrite X. destruct c as [t u|t u|R Q|R Q]; simpl in *; try tauto.
    + right; right. exact I.
    + destruct Sh as (p & ->). exists (ttrail R), []. simpl. rewrite app_nil_r.
      split; [auto | split; [constructor|]]. intros q Y. injection Y as <-. right.
      destruct EC as (_ & Es & _). apply Es in I as J. destruct J as [J _]. now rewrite <- (edge_form R J).
  - now apply def_3_2_idempotent_iff.
Qed.

(** One direction: what is reached from [D0] is an instance of what is reached from [C0]. *)
Lemma solved_instance : forall (P : kind -> Prop) V C0 D0 C D s, good V C0 -> good V D0 -> renames V C0 D0 s ->
  (forall k, P k -> any_step k) -> (forall c, P (By_rule c DI_antisym) -> acyclic (store D)) ->
  run P C0 C -> run any_step D0 D -> phi D = [] ->
  exists u, edge_subst u /\ same_on V (comp u (sigma C)) (sigma D) /\ settles (store D) u C.
Proof.
  intros P V C0 D0 C D s GC GD (Es & Rs & _ & Rp & Rb) HP Ac RC RD ED.
  pose proof (good_run V D0 D RD GD) as H. pose proof (solved_settles V D H ED) as Hs.
  pose proof (at_tidy _ _ H) as T. assert (Ed : edge_subst (sigma D)) by apply (at_edge _ _ H).
  apply (run_settles_back (store D) T _ _ _ RD (at_form _ _ GD) (at_edge _ _ GD) Ed) in Hs as (Hp & Hb & Hr).
  set (w := comp (comp (sigma D) s) (sigma C0)).
  assert (Ew : edge_subst w) by (repeat apply edge_comp; auto; apply (at_edge _ _ GC)).
  destruct (at_form _ _ GC) as (Wi & Wv & _).
  assert (Sw : forall c, In c (phi C0 ++ store C0) -> sub_c w c = sub_c (sigma D) (sub_c s c)).
  { intros c I. unfold w. rewrite <- sub_c_comp. apply sub_c_ext. intros v J. rewrite lemma_3_3.
    assert (X : fixes (sigma C0) v) by (apply Wv, in_flat_map; eauto). unfold fixes in X. now rewrite X. }
  assert (H0 : settles (store D) w C0).
  { split; [|split].
    - intros c I. rewrite Sw by (apply in_app_iff; auto). auto.
    - intros c I. rewrite Sw by (apply in_app_iff; auto). auto.
    - intros v. unfold w. rewrite !lemma_3_3. now rewrite (idempotent_apply _ Wi). }
  destruct (run_settles (store D) T P _ _ HP Ac RC (at_form _ _ GC) (at_edge _ _ GC) _ Ew H0) as (u & Eu & A & Hu).
  exists u. split; [exact Eu | split; [|exact Hu]]. intros v I.
  destruct Hu as (_ & _ & Hu). rewrite (Hu v), <- (A v) by (now apply (at_used _ _ GC)).
  unfold w. rewrite !lemma_3_3, (Rs v I), <- lemma_3_3. apply Hr.
Qed.

(** Two substitutions that undo each other on a variable give it another name. *)
Lemma undone_renames : forall s t w, edge_subst s -> apply t (apply s (var_term w)) = var_term w ->
  exists w', apply s (var_term w) = var_term w'.
Proof.
  intros s t [a|p] Es H; simpl in *.
  - destruct (on_d s a) as [b|d] eqn:E; simpl in H; [|discriminate]. now exists (DV b).
  - rewrite sub_rvar in *. injection H as H. pose proof (bare_known_rank _ _ _ H) as K.
    destruct (tmid (on_r s p)) as [q|] eqn:M.
    + exists (RV q). simpl. now rewrite <- (bare_term _ _ M K).
    + unfold sub_r in H. rewrite M in H. discriminate.
Qed.

Lemma solved_renames : forall V C D s t, good V C -> good V D -> phi C = [] -> edge_subst s ->
  same_on V (comp s (sigma C)) (sigma D) -> settles (store D) s C ->
  (forall w, unsolved C w -> apply t (apply s (var_term w)) = var_term w) -> renames V C D s.
Proof.
  intros V0 C D s t HC HD EC Es A (_ & Hs & _) U. split; [exact Es | split; [|split; [|split]]].
  - intros v I. rewrite <- lemma_3_3. now apply A.
  - intros w Uw. destruct (undone_renames s t w Es (U w Uw)) as (w' & E). exists w'. split; [|exact E].
    destruct (at_root _ _ HC w Uw) as (o & Io & Iw).
    apply (value_unsolved D o); [apply HD | now apply (at_used _ _ HD)|].
    rewrite <- (A o Io), lemma_3_3. apply vars_apply. exists w. split; [exact Iw|]. rewrite E. now apply vars_var_term.
  - rewrite EC. intros c [].
  - intros c I. destruct (at_store _ _ HC c I) as (Sh & Pr & N). specialize (Hs c I).
    assert (V : forall v, In v (vars_c c) -> unsolved C v).
    { intros v J. destruct (at_form _ _ HC) as (_ & Wv & _). apply Wv, in_flat_map. exists c. rewrite in_app_iff. auto. }
    assert (Back : sub_c t (sub_c s c) = c).
    { rewrite <- sub_c_comp. rewrite <- (sub_c_id c) at 2. apply sub_c_ext. intros v J. rewrite lemma_3_3, id_var. auto. }
    destruct c as [u w|u w|R Q|R Q]; simpl in Sh; try tauto.
    + destruct w as [a|d]; [|destruct Sh]. cbn [sub_c settled] in *. destruct Hs as [Hs|[Hs|Hs]]; [| |exact Hs].
      * exfalso. apply Pr. rewrite Hs in Back. injection Back as B1 B2. congruence.
      * exfalso. assert (Ua : unsolved C (DV a)) by (apply V; simpl; apply in_app_iff; simpl; auto).
        apply U in Ua. simpl in Ua, Hs. rewrite Hs in Ua. discriminate.
    + destruct Sh as (p & ->). cbn [sub_c settled] in *. rewrite sub_rvar in *.
      assert (Up : unsolved C (RV p)) by (apply V; simpl; apply in_app_iff; right; simpl; auto).
      destruct (undone_renames s t (RV p) Es (U _ Up)) as ([b|q] & E); simpl in E; rewrite sub_rvar in E; [discriminate|].
      injection E as E. rewrite E in *. destruct Hs as (l & k & El & F & Hs). simpl in F. inversion F; subst k.
      rewrite app_nil_r in El. specialize (Hs q eq_refl).
      assert (ER : edge_r (sub_r s R)).
      { apply edge_sub_r; [exact Es|]. destruct (at_edge _ _ HC) as (_ & Est & _). apply Est in I. apply I. }
      rewrite <- El, <- (edge_form _ ER) in Hs. destruct Hs as [Hs|Hs]; [|exact Hs].
      exfalso. apply Pr. rewrite Hs, ?sub_rvar in Back. congruence.
Qed.

(** Runs from configurations that are alike end alike, where both succeed: if none uses DI-antisym, or
    if all cycles were collapsed. *)
Lemma alike_runs : forall V C0 D0 C D, good V C0 -> good V D0 -> alike V C0 D0 ->
  (run plain_step C0 C /\ run plain_step D0 D \/
   run any_step C0 C /\ run any_step D0 D /\ acyclic (store C) /\ acyclic (store D)) ->
  phi C = [] -> phi D = [] -> alike V C D.
Proof.
  intros V C0 D0 C D GC GD (s0 & t0 & Rs & Rt & _) R EC ED.
  assert (PA : forall k, plain_step k -> any_step k) by (intros [c r|l]; simpl; auto).
  assert (X : run any_step C0 C /\ run any_step D0 D /\
    (exists s, edge_subst s /\ same_on V (comp s (sigma C)) (sigma D) /\ settles (store D) s C) /\
    (exists t, edge_subst t /\ same_on V (comp t (sigma D)) (sigma C) /\ settles (store C) t D)).
  { destruct R as [[RC RD]|(RC & RD & AC & AD)].
    - assert (RC' := run_mono _ _ _ _ PA RC). assert (RD' := run_mono _ _ _ _ PA RD).
      split; [auto | split; [auto | split]].
      + apply (solved_instance plain_step V C0 D0 C D s0); auto. intros c []. reflexivity.
      + apply (solved_instance plain_step V D0 C0 D C t0); auto. intros c []. reflexivity.
    - split; [auto | split; [auto | split]].
      + apply (solved_instance any_step V C0 D0 C D s0); auto.
      + apply (solved_instance any_step V D0 C0 D C t0); auto. }
  destruct X as (RC & RD & (s & Es & As & Hs) & (t & Et & At & Ht)).
  pose proof (good_run V C0 C RC GC) as HC. pose proof (good_run V D0 D RD GD) as HD.
  assert (Un : forall A A' f g, good V A -> same_on V (comp f (sigma A)) (sigma A') ->
    same_on V (comp g (sigma A')) (sigma A) -> forall w, unsolved A w -> apply g (apply f (var_term w)) = var_term w).
  { intros A A' f g HA Af Ag w Uw. destruct (at_root _ _ HA w Uw) as (o & Io & Iw).
    rewrite <- lemma_3_3. refine (proj1 (apply_fixed_iff (comp g f) _) _ w Iw).
    rewrite lemma_3_3. specialize (Af o Io). specialize (Ag o Io). rewrite lemma_3_3 in Af, Ag. now rewrite Af. }
  exists s, t. split; [|split; [|split]].
  - eapply solved_renames; eauto.
  - eapply solved_renames; eauto.
  - eapply Un; eauto.
  - eapply Un; eauto.
Qed.

Lemma alike_initial : forall cs ds, (forall c, In c ds <-> In c cs) ->
  alike (flat_map vars_c cs) (initial cs) (initial ds).
Proof.
  intros cs ds S. exists id_subst, id_subst.
  assert (Id : forall w, fixes id_subst w) by (intros w; apply id_var).
  assert (R : forall V as_ bs, incl as_ bs -> renames V (initial as_) (initial bs) id_subst).
  { intros V as_ bs Inc. split; [intros p; apply edge_rvar | split; [|split; [|split]]].
    - intros v _. simpl. now rewrite !id_var.
    - intros w [_ U]. exists w. split; [|apply id_var]. split; [apply Id|]. simpl in *.
      apply in_flat_map in U as (c & I & J). apply in_flat_map. exists c. split; [now apply Inc | exact J].
    - intros c I. rewrite sub_c_id. simpl in *. auto.
    - intros c []. }
  split; [apply R; intros c I; now apply S | split; [apply R; intros c I; now apply S|]].
  split; intros w _; now rewrite !id_var.
Qed.

Lemma good_same : forall V W C, (forall v, In v V <-> In v W) -> good V C -> good W C.
Proof.
  intros V W C S [h1 h2 h3 h4 h5 h6]. split; auto.
  - intros w Uw. destruct (h5 w Uw) as (o & Io & Iw). exists o. split; [now apply S | auto].
  - intros v I. apply h6. now apply S.
Qed.

(** 5.6.c.  At the left edge, placements included.  Runs that succeed, by any strategy and in any order of
    the statements, reach the same solved form up to the names of fresh variables, if none uses
    DI-antisym, or if all cycles were collapsed. *)
Theorem cor_5_5_iv_confluence : forall cs ds C D, edge_set cs -> (forall c, In c ds <-> In c cs) ->
  (run plain_step (initial cs) C /\ run plain_step (initial ds) D \/
   run any_step (initial cs) C /\ run any_step (initial ds) D /\ acyclic (store C) /\ acyclic (store D)) ->
  phi C = [] -> phi D = [] -> alike (flat_map vars_c cs) C D.
Proof.
  intros cs ds C D E S R EC ED. apply (alike_runs _ (initial cs) (initial ds)); auto using good_initial, alike_initial.
  apply (good_same (flat_map vars_c ds)); [intros v; now apply vars_same | apply good_initial].
  exact (edge_set_same cs ds S E).
Qed.
