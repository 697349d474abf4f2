(** Lemma 5.1(iii) in full, and Cor. 5.7. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Placement.
Import ListNotations.

Lemma commits_req : forall used B c r o, fires used B c r o -> commits c r -> is_req c.
Proof. intros used B c r o F C. each_rule F; simpl in *; tauto. Qed.

Lemma dims_same : forall g h, (forall a, g_d h a = g_d g a) ->
  (forall t, ground_d h t = ground_d g t) /\ (forall l, map (ground_d h) l = map (ground_d g) l).
Proof.
  intros g h H. assert (A : forall t, ground_d h t = ground_d g t) by (intros [a|d]; simpl; auto).
  split; [auto | intros l; now apply map_ext].
Qed.

(** Lemma 5.1(iii).  A solution survives a placement, after moving markers, iff no
    marked inequality among the constraints tells it from the one with moved markers. *)
Theorem lemma_5_1_iii : forall C pre c post r e p V g, well_formed C -> phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) -> commits c r -> binds e = Some (BindR p V) -> satisfies g C ->
  ((exists h, only_markers g h (sigma C) p /\ satisfies h (next C (pre ++ post) c e)) <->
   forall R Q, In (RLe R Q) (phi C ++ store C) -> holds (moved g (sigma C) p V) (RLe R Q)).
Proof.
  intros C pre c post r e p V g W Ep F Cm Eb (Hp & Hs & Hr).
  pose proof (commits_req _ _ _ _ _ F Cm) as Rc. destruct W as (Wi & Wv & Wd & Wr).
  assert (Vc : forall v, In v (vars_c c) -> fixes (sigma C) v /\ In v (used C)).
  { intros v I. apply Wv, in_flat_map. exists c. rewrite Ep, !in_app_iff. simpl; auto. }
  destruct (fires_binding C c r e Vc F _ Eb) as (Fp & Up & Np & Vp). simpl in Fp, Up, Np, Vp.
  assert (FV : forall v, In v (vars_r V) -> fixes (sigma C) v).
  { intros v I. destruct (Vp v I) as [J|J]; [now apply Vc|]. apply not_in_dom. auto. }
  set (h0 := Ground (g_d g) (fun q => if Nat.eqb q p then ground_r g V else g_r g q)).
  set (m := moved g (sigma C) p V).
  assert (Em : m = ground_comp h0 (sigma C)) by reflexivity.
  assert (H0p : g_r h0 p = ground_r g V) by (simpl; now rewrite Nat.eqb_refl).
  assert (H0o : forall v, v <> RV p -> agree_at g h0 v).
  { intros [a|q] N; simpl; auto. destruct (Nat.eqb_spec q p); [congruence | auto]. }
  assert (Fix : forall v, fixes (sigma C) v -> agree_at h0 m v).
  { intros [a|q] K; unfold fixes in K; simpl in K.
    - injection K as K. rewrite Em. cbn [agree_at g_d ground_comp]. now rewrite K.
    - rewrite sub_rvar in K. injection K as K. rewrite Em. cbn [agree_at g_r ground_comp]. rewrite K.
        now rewrite ground_rvar. }
  assert (All : forall d v, In d (phi C ++ store C) -> In v (vars_c d) -> fixes (sigma C) v).
  { intros d v I J. apply Wv, in_flat_map. eauto. }
  assert (Hm : forall d, In d (phi C ++ store C) -> (holds h0 d <-> holds m d)).
  { intros d I. apply agree_holds. intros v J. apply Fix. eauto. }
  assert (D0 : (forall t, ground_d h0 t = ground_d g t) /\ forall l, map (ground_d h0) l = map (ground_d g) l)
    by (apply dims_same; reflexivity).
  assert (V0 : ground_r h0 V = ground_r g V).
  { symmetry. apply agree_ground_r. intros v I. apply H0o. intros ->. auto. }
  assert (Ca : content_after g c (Does e)).
  { apply (lemma_5_1_policy _ _ _ _ _ F Cm g). apply Hp. rewrite Ep, in_app_iff. simpl; auto. }
  unfold content_after, after_with in Ca. rewrite Eb in Ca. destruct Ca as (Ca & Cb & _). simpl in Cb.
  assert (Fl : forall R, flat (ground_r h0 R) = flat (ground_r g R)).
  { intros R. rewrite !flat_ground, !(proj2 D0). f_equal. f_equal. destruct (tmid R) as [q|]; auto.
    cbn [ground_mid]. destruct (Nat.eq_dec q p) as [->|N]; [rewrite H0p; symmetry; exact Cb|].
    f_equal. symmetry. apply (H0o (RV q)). congruence. }
  assert (Dm : forall a, g_d m a = g_d g a).
  { intros a. rewrite Em. cbn [g_d ground_comp]. rewrite (proj1 D0). exact (Hr (DV a)). }
  assert (NB : forall b, binds e = Some b -> fixes (sigma C) (bound_var b)).
  { intros b E. rewrite Eb in E. injection E as <-. exact Fp. }
  split.
  - intros (h & (Hd & Hc & Ho) & Sh) R Q I.
    apply (next_satisfies h C (pre ++ post) c e NB) in Sh as (Sr & Ss & Srs & Sa).
    simpl in Sa. rewrite Eb in Sa. destruct Sa as (_ & Bh & _). simpl in Bh.
    assert (Agree : forall v, fixes (sigma C) v -> agree_at h h0 v).
    { assert (VV : ground_r h V = ground_r g V).
      { apply agree_ground_r. intros [a|q] J; simpl; [auto|]. apply Ho; [now apply FV|]. intros ->. auto. }
      intros [a|q] K; simpl; [auto|]. destruct (Nat.eqb_spec q p) as [->|N]; [congruence | auto]. }
    apply (Hm _ I). apply (agree_holds h h0); [intros v J; apply Agree; eauto|].
    apply in_app_iff in I as [I|I]; [|auto]. apply Sr. rewrite Ep, in_app_iff in I. simpl in I. apply in_app_iff.
    destruct I as [I|[->|I]]; auto. destruct Rc.
  - intros HL. exists m. split.
    + split; [exact Dm | split].
      * intros q. unfold flat_equiv. rewrite Em. cbn [g_r ground_comp]. rewrite Fl. f_equal. exact (Hr (RV q)).
      * intros q K N. rewrite <- (Fix (RV q) K). symmetry. apply (H0o (RV q)). congruence.
    + apply (next_satisfies m C (pre ++ post) c e NB).
      assert (Old : forall d, In d (phi C ++ store C) -> holds m d).
      { intros d I. assert (Hd : holds g d) by (apply in_app_iff in I as [I|I]; auto).
        destruct d as [t u|t u|R Q|R Q]; [| | |now apply HL]; apply (Hm _ I); cbn [holds] in Hd |- *.
        - now rewrite !(proj1 D0).
        - now rewrite !(proj1 D0).
        - unfold flat_equiv. now rewrite !Fl. }
      split; [|split; [|split]].
      * intros d I. apply Old. rewrite Ep, !in_app_iff. apply in_app_iff in I. simpl. tauto.
      * intros d I. apply Old, in_app_iff. auto.
      * rewrite Em. now apply comp_respects.
      * assert (St : stores e = []) by (apply (binding_stores_nothing _ _ _ _ _ F); congruence).
        pose proof (outcome_emits _ _ _ _ _ F) as Me. pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in Me, K.
        rewrite Eb in K. rewrite St, app_nil_r in Ca. simpl. rewrite Eb, St, app_nil_r. split; [|split].
        -- intros d I. specialize (Ca d I). specialize (Me d I). pose proof (proj1 (dims_same g m Dm)) as G.
           destruct d; simpl in *; try tauto; now rewrite !G.
        -- unfold binding_holds. transitivity (g_r h0 p); [symmetry; exact (Fix (RV p) Fp)|].
           rewrite H0p, <- V0. apply agree_ground_r. intros v I. apply Fix. auto.
        -- intros Ag. destruct K as [[_ K]|(res & op & al & q & be & -> & _)]; [congruence | destruct Rc].
Qed.

(** * Cor. 5.7 *)

(** 5.7.  With semantic steps the bindings are entailed, given the free variables; and
    after any run without deferred equations an unsolved variable can be at its
    top, so if it has one value only, it is that. *)
Theorem cor_5_7_repaired : forall cs C, run any_step (initial cs) C ->
  (run semantic_step (initial cs) C -> forall g, sol cs g ->
     exists h, agree_on (flat_map vars_c cs) g h /\ respects h (sigma C)) /\
  (phi C = [] -> (forall d, In d (store C) -> ~ is_req d) ->
     forall v, fixes (sigma C) v -> exists g, sol cs g /\ agree_at g top v).
Proof.
  intros cs C R. split.
  - intros R' g H. exact (thm_5_6_2 cs C R' g H).
  - intros E N v Fx. exists (greatest (sigma C)). split; [now apply cor_5_5_i_runs | now apply top_value].
Qed.

(** 5.7.  After a placement a binding need not be entailed: F10's run binds q to
    <q'>[3,5], and in a solution q has another content. *)
Theorem cor_5_7_placement_refuted : exists C g,
  run any_step (initial finding_f10) C /\ phi C = [] /\ store C = [] /\ sol finding_f10 g /\
  ~ exists h, agree_on (flat_map vars_c finding_f10) g h /\ respects h (sigma C).
Proof.
  destruct finding_f10_run_reaches as (C & R & E & St & _ & E1).
  exists C, (Ground (fun _ => Unit) (fun p => if Nat.eqb p 0 then [num 3] ·⋄· [num 5] else [num 3] ·⋄· [num 9; num 5])).
  split; [auto | split; [auto | split; [auto | split; [apply solb_spec; reflexivity|]]]].
  intros (h & A & Rs). specialize (Rs (RV 1)). specialize (A (RV 1) ltac:(simpl; auto)).
  cbn [agree_at ground_comp g_r] in Rs, A. rewrite <- A, E1 in Rs. apply (f_equal trail) in Rs.
  unfold ground_r in Rs. simpl in Rs. apply (f_equal (@rev _)) in Rs. rewrite rev_app_distr in Rs. simpl in Rs.
    discriminate.
Qed.

(** 5.7.  While an equation is deferred, an unsolved variable may have one value only
    and not its top: here x = []⋄[3]. *)
Theorem cor_5_7_deferred_refuted : exists C,
  run any_step (initial example_5_7) C /\ phi C = [] /\ fixes (sigma C) (RV 0) /\
  (exists g, sol example_5_7 g) /\ forall g, sol example_5_7 g -> g_r g 0 = [] ·⋄· [num 3].
Proof.
  eexists. split.
  - eapply Run_cons; [exact I | eapply (Step _ [] _ _ RE_cross); [reflexivity|]|].
    { exact (F_re_cross _ _ (RTerm [DConst (num 2)] (Some 0) []) 0 (RTerm [] (Some 1) [n3]) 1
        eq_refl eq_refl ltac:(discriminate) ltac:(discriminate) ltac:(discriminate)). }
    eapply Run_cons; [exact I | eapply (Step _ [] _ _ RI_cap); [reflexivity|]|].
    { apply (F_ri_cap _ _ _ _ 0); [unfold covered; simpl; lia | reflexivity | discriminate]. }
    apply Run_nil.
  - split; [reflexivity | split; [reflexivity | split]].
    + exists (Ground (fun _ => Unit) (fun p => if Nat.eqb p 0 then [] ·⋄· [num 3] else [] ·⋄· [num 2])).
      apply solb_spec. reflexivity.
    + intros g H.
      pose proof (H _ (or_introl eq_refl)) as A. pose proof (H _ (or_intror (or_introl eq_refl))) as B.
      simpl in A, B. rewrite ground_rvar in B.
      apply def_2_3_flank_decomposition in B as [BL BT]. simpl in BL. unfold back_le in BT. simpl in BT.
      unfold flat_equiv, flat, ground_r in A. simpl in A. rewrite app_nil_r in A.
      destruct (g_r g 0) as [l r]. simpl in *. destruct l as [|x l]; [|destruct BL].
      destruct (rev r) as [|d k] eqn:Er.
      * assert (r = []) by (rewrite <- (rev_involutive r), Er; reflexivity). subst r. simpl in A.
        exfalso. destruct (lead (g_r g 1)) as [|y l']; simpl in A.
        -- destruct (trail (g_r g 1)) as [|z t]; simpl in A; [discriminate|]. injection A as _ A. now destruct t.
        -- injection A as _ A. now destruct l', (trail (g_r g 1)).
      * simpl in BT. destruct BT as [Bd Bk]. destruct k; [|destruct Bk].
        assert (r = [d]) by (rewrite <- (rev_involutive r), Er; reflexivity). subst r.
        simpl in A. rewrite app_assoc in A.
        change [num 2; d] with ([num 2] ++ [d]) in A. apply app_inj_tail in A as [_ <-]. reflexivity.
Qed.
