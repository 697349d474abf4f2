(** Untainted failures are failures of the input. *)

From Coq Require Import List Bool Arith ZArith Lia Permutation.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Taint.
Import ListNotations.

Lemma in_untainted : forall (A : Type) (l : list (A * bool)) x, In x (untainted l) <-> In (x, false) l.
Proof.
  intros A l x. unfold untainted. rewrite in_map_iff. split.
  - intros ([y t] & E & I). apply filter_In in I as [I N]. simpl in *. subst.
    apply negb_true_iff in N. now subst.
  - intros I. exists (x, false). split; [auto|]. apply filter_In; auto.
Qed.

Lemma in_tag_all : forall (A : Type) t (l : list A) x s, In (x, s) (tag_all t l) <-> In x l /\ s = t.
Proof.
  intros A t l x s. unfold tag_all. rewrite in_map_iff. split.
  - intros (y & E & I). injection E as -> ->. auto.
  - intros [I ->]. exists x; auto.
Qed.

Lemma tag_all_fst : forall (A : Type) t (l : list A), map fst (tag_all t l) = l.
Proof. intros; unfold tag_all. rewrite map_map. apply map_id. Qed.

Lemma mentions_spec : forall v c, mentions v c = false -> ~ In v (vars_c c).
Proof.
  intros v c H I. unfold mentions in H. assert (E : existsb (var_eqb v) (vars_c c) = true).
  { apply existsb_exists. exists v. split; [auto|]. now apply var_eqb_eq. }
  congruence.
Qed.

(** * Forgetting the tags *)

Lemma erase_filter : forall (f : constr -> bool) (l : list (constr * bool)),
  map fst (filter (fun d => f (fst d)) l) = filter f (map fst l).
Proof. intros f l; induction l as [|[c t] l IH]; simpl; auto. destruct (f c); simpl; congruence. Qed.

Lemma erase_by_kinds : forall (ks : list (constr -> bool)) (l : list (constr * bool)),
  map fst (by_kinds (map (fun k x => k (fst x)) ks) l) = by_kinds ks (map fst l).
Proof.
  intros ks; induction ks as [|k ks IH]; intros l; simpl; [auto|].
  now rewrite map_app, IH, (erase_filter k), (erase_filter (fun x => negb (k x))).
Qed.

Lemma erase_taken : forall v B, map fst (t_taken v B) = taken v (map fst B).
Proof. intros v B. apply erase_by_kinds. Qed.

Lemma erase_add_bound : forall B x, map fst (t_add_bound B x) = add_bound (map fst B) (fst x).
Proof.
  intros B x; induction B as [|y B IH]; simpl; [auto|]. destruct (same_bound (fst x) (fst y)); simpl; congruence.
Qed.

Lemma erase_add_bounds : forall xs B, map fst (t_add_bounds B xs) = add_bounds (map fst B) (map fst xs).
Proof.
  unfold t_add_bounds, add_bounds. intros xs; induction xs as [|x xs IH]; intros B; simpl; [auto|].
  now rewrite IH, erase_add_bound.
Qed.

(** What is taken out, with its tag. *)
Lemma in_t_taken : forall v B d, In d (t_taken v B) <-> In d B /\ stored_for v (fst d) = true.
Proof.
  intros v B d.
  assert (P : Permutation (t_taken v B) (filter (fun d => stored_for v (fst d)) B)).
  { assert (E : forall x : constr * bool,
      existsb (fun k => k x) (map (fun k x => k (fst x)) (bound_kinds v)) = stored_for v (fst x)).
    { intros x. rewrite stored_for_kinds. induction (bound_kinds v) as [|k ks IH]; simpl; congruence. }
    unfold t_taken. rewrite by_kinds_permutation, (filter_ext _ _ E). reflexivity. }
  rewrite <- (filter_In (fun d => stored_for v (fst d))).
  split; apply Permutation_in; [|symmetry]; exact P.
Qed.

(** A bound in the new store was there, or is the new one; of its tag nothing is
    lost unless one of both had none. *)
Lemma in_t_add_bound : forall B x c s, In (c, s) (t_add_bound B x) ->
  In (c, s) B \/ (c, s) = x \/ (c = fst x /\ exists s', In (c, s') B /\ s = s' && snd x).
Proof.
  intros B x c s; induction B as [|[d s'] B IH]; simpl; [intuition|].
  destruct (same_bound (fst x) d) eqn:E; simpl; intros [I|I]; auto.
  - apply same_bound_eq in E. injection I as -> <-. right; right. split; [auto|]. eauto.
  - destruct (IH I) as [J|[J|(J & s'' & K & L)]]; auto. right; right. split; [auto|]. exists s''; auto.
Qed.

Lemma in_t_add_bounds : forall xs B c s, In (c, s) (t_add_bounds B xs) ->
  exists s', In (c, s') (B ++ xs) /\ (s = false -> In (c, false) (B ++ xs)).
Proof.
  unfold t_add_bounds. intros xs; induction xs as [|[d t] xs IH]; intros B c s I; simpl in I.
  - exists s. rewrite app_nil_r. split; [auto | intros ->; auto].
  - destruct (IH _ _ _ I) as (s' & J & K).
    assert (X : forall u, In (c, u) (t_add_bound B (d, t) ++ xs) -> exists v, In (c, v) (B ++ (d, t) :: xs) /\
              (u = false -> In (c, false) (B ++ (d, t) :: xs))).
    { intros u L. apply in_app_iff in L as [L|L].
      - apply in_t_add_bound in L as [L|[L|(-> & v & L & ->)]].
        + exists u. rewrite !in_app_iff. split; [auto | intros ->; auto].
        + injection L as -> ->. exists t. rewrite !in_app_iff. simpl. split; [auto | intros ->; auto].
        + exists v. simpl in *. rewrite !in_app_iff. split; [auto|]. simpl.
          intros E. apply andb_false_iff in E as [-> | ->]; auto.
      - exists u. rewrite !in_app_iff. simpl. split; [auto | intros ->; auto]. }
    destruct (X _ J) as (v & L & _). exists v. split; [auto|]. intros E. destruct (X _ (K E)) as (_ & _ & Y). auto.
Qed.

(** Nothing that is stored is lost, and nothing without a tag gets one. *)
Lemma t_add_bounds_keeps : forall xs B c s, In (c, s) (B ++ xs) ->
  exists s', In (c, s') (t_add_bounds B xs) /\ (s = false -> s' = false).
Proof.
  assert (One : forall B x c s, In (c, s) B \/ (c, s) = x ->
            exists s', In (c, s') (t_add_bound B x) /\ (s = false -> s' = false)).
  { intros B x c s; induction B as [|[d s'] B IH]; simpl; intros H.
    - destruct H as [[]|<-]. exists s. simpl; auto.
    - destruct (same_bound (fst x) d) eqn:E; simpl.
      + apply same_bound_eq in E. destruct H as [[H|H]|H].
        * injection H as -> ->. exists (s && snd x). split; [auto | intros ->; auto].
        * exists s; auto.
        * subst x. simpl in *. subst d. exists (s' && s). split; [auto | intros ->; apply andb_false_r].
      + destruct H as [[H|H]|H].
        * exists s. auto.
        * destruct IH as (u & I & J); [auto|]. eauto.
        * destruct IH as (u & I & J); [auto|]. eauto. }
  unfold t_add_bounds. intros xs; induction xs as [|x xs IH]; intros B c s I; simpl.
  - rewrite app_nil_r in I. exists s; auto.
  - assert (Y : exists u, In (c, u) (t_add_bound B x ++ xs) /\ (s = false -> u = false)).
    { rewrite in_app_iff in I. simpl in I. destruct I as [I|[I|I]].
      - destruct (One B x c s) as (u & J & K); [auto|]. exists u. rewrite !in_app_iff. auto.
      - destruct (One B x c s) as (u & J & K); [auto|]. exists u. rewrite !in_app_iff. auto.
      - exists s. rewrite !in_app_iff. auto. }
    destruct Y as (u & J & K). destruct (IH _ _ _ J) as (v & L & M). exists v. auto.
Qed.

Lemma erase_next : forall C rest c e t pl,
  erase (t_next C rest c e t pl) = next (erase C) (map fst rest) c e.
Proof.
  intros C rest c e t pl. unfold erase, t_next, next. destruct (binds e) as [b|]; simpl.
  - assert (S : forall l, map fst (map (t_substitute b t pl) l) = map (sub_c (as_subst b)) (map fst l)).
    { intros l. rewrite !map_map. reflexivity. }
    rewrite !S, !map_app, erase_taken, erase_add_bounds, !tag_all_fst.
    rewrite (erase_filter (fun d => negb (stored_for (bound_var b) d))).
    now rewrite !map_app.
  - now rewrite erase_add_bounds, !map_app, !tag_all_fst.
Qed.

Lemma erase_step : forall C c r C', t_step C c r C' -> step (erase C) c r (erase C').
Proof.
  intros C c r C' S. inversion S as [C0 pre c0 tc post r0 e t pl E F Ft Fp]; subst.
  rewrite erase_next, map_app. apply Step; [|auto]. simpl. now rewrite E, map_app.
Qed.

Lemma erase_extend : forall C cs t, erase (t_extend C cs t) = extend (erase C) cs.
Proof. intros C cs t. unfold erase, t_extend, extend; simpl. now rewrite map_app, tag_all_fst. Qed.

(** R1a.  A run with tags is a run. *)
Theorem taint_erase : forall P cs C, t_run P (t_initial cs) C -> run P (initial cs) (erase C).
Proof.
  assert (E : forall P C C', t_run P C C' -> run P (erase C) (erase C')).
  { intros P C C' R; induction R as [C|C c r C' C'' K S R IH|C cs t C'' K A En R IH]; [constructor| |].
    - eapply Run_cons; [exact K | apply erase_step; exact S | exact IH].
    - eapply Run_add; [exact K | exact A | now rewrite <- erase_extend with (t := t)]. }
  intros P cs C R. apply E in R.
  assert (I : erase (t_initial cs) = initial cs).
  { unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst. }
  now rewrite I in R.
Qed.

(** * The order of the pending constraints does not matter *)

Definition t_reordered (C D : tconfig) : Prop :=
  Permutation (t_phi C) (t_phi D) /\ t_sigma C = t_sigma D /\ t_store C = t_store D /\ t_used C = t_used D /\
  t_leads C = t_leads D /\ t_trails C = t_trails D.

Lemma t_reordered_refl : forall C, t_reordered C C.
Proof. intros C. repeat split. apply Permutation_refl. Qed.

Lemma t_next_reordered : forall C D rest rest' c e t pl, t_reordered C D -> Permutation rest rest' ->
  t_reordered (t_next C rest c e t pl) (t_next D rest' c e t pl).
Proof.
  intros C D rest rest' c e t pl (_ & Es & Eb & Eu & El & Et) P. unfold t_next, t_reordered.
  rewrite Es, Eb, Eu, El, Et. destruct (binds e) as [b|]; simpl; repeat split.
  - now apply Permutation_map, Permutation_app_tail, Permutation_app_tail.
  - now apply Permutation_app_tail.
Qed.

Lemma t_step_reordered : forall C D c r C', t_reordered C D -> t_step C c r C' ->
  exists D', t_step D c r D' /\ t_reordered C' D'.
Proof.
  intros C D c r C' R S. inversion S as [C0 pre c0 tc post r0 e t pl E F Ft Fp]; subst C0 c0 r0 C'.
  assert (I : In (c, tc) (t_phi D)).
  { apply (Permutation_in _ (proj1 R)). rewrite E, in_app_iff. simpl; auto. }
  apply in_split in I as (pre' & post' & E').
  exists (t_next D (pre' ++ post') c e t pl). split.
  - destruct R as (_ & _ & Eb & Eu & _). apply (T_step D pre' c tc post'); [auto | | | auto]; rewrite <- Eb, <- Eu; auto.
  - apply t_next_reordered; [exact R|]. apply (Permutation_app_inv _ _ _ _ (c, tc)). rewrite <- E, <- E'. apply R.
Qed.

Lemma t_run_reordered : forall P C D C', t_reordered C D -> t_run P C C' ->
  exists D', t_run P D D' /\ t_reordered C' D'.
Proof.
  intros P C D C' R H. revert D R.
  induction H as [C|C c r C' C'' K S H IH|C cs t C'' K A En H IH]; intros D R.
  - exists D. split; [apply T_nil | auto].
  - destruct (t_step_reordered _ _ _ _ _ R S) as (D' & S' & R'). destruct (IH D' R') as (D'' & H' & R'').
    exists D''. split; [eapply T_cons; eauto | auto].
  - destruct R as (Rp & Es & Eb & Eu & El & Et). destruct (IH (t_extend D cs t)) as (D'' & H' & R'').
    { unfold t_reordered, t_extend; simpl. rewrite Es, Eb, Eu, El, Et. repeat split. now apply Permutation_app_tail. }
    exists D''. split; [|auto]. eapply T_add; [exact K | | | exact H'].
    + intros c I. specialize (A c I). unfold knows, erase in *; simpl in *. now rewrite <- Es, <- Eu.
    + intros T g Hp Hs. apply (En T); [|now rewrite Eb]. intros d I. apply in_untainted in I.
      apply Hp, in_untainted. now apply (Permutation_in _ Rp).
Qed.

(** * The invariant *)

Definition t_seen (C : tconfig) : Prop :=
  (forall d, In d (t_phi C ++ t_store C) -> forall v, In v (vars_c (fst d)) -> In v (t_used C)) /\
  (forall f, In f (t_leads C ++ t_trails C) ->
     (forall p, greater (fst f) = Some p -> In (RV p) (t_used C)) /\
     (forall p, lesser (fst f) = Some p -> In (RV p) (t_used C))).

(** [h] satisfies everything without a tag. *)
Definition t_holds (h : ground) (C : tconfig) : Prop :=
  (forall c, In (c, false) (t_phi C ++ t_store C) -> holds h c) /\
  (forall f, In (f, false) (t_leads C) -> fact_holds (lead_lengths h) f) /\
  (forall f, In (f, false) (t_trails C) -> fact_holds (trail_lengths h) f).

Lemma sub_unmentioned : forall g b c, ~ In (bound_var b) (vars_c c) ->
  (holds g (sub_c (as_subst b) c) <-> holds g c).
Proof.
  intros g b c N. rewrite <- def_3_4_grounding_composes. apply agree_holds.
  intros v I. assert (F : fixes (as_subst b) v) by (apply as_subst_other; congruence).
  unfold fixes in F. destruct v as [a|p]; simpl in *.
  - injection F as F. now rewrite F.
  - rewrite sub_rvar in F. injection F as F. now rewrite F, ground_rvar.
Qed.

Lemma step_seen : forall C c r C', t_step C c r C' -> t_seen C -> t_seen C'.
Proof.
  intros C c r C' S [Sv Sf]. inversion S as [C0 pre c0 tc post r0 e t pl E F Ft Fp]; subst C0 c0 r0 C'.
  assert (Vc : forall v, In v (vars_c c) -> In v (t_used C)).
  { intros v I. apply (Sv (c, tc)); [rewrite E, !in_app_iff; simpl; auto | auto]. }
  pose proof (outcome_vars _ _ _ _ _ F) as OV. simpl in OV.
  pose proof (outcome_binding _ _ _ _ _ F Vc) as OB.
  assert (All : forall d, In d ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else []))) \/
            In d (t_store C) \/ In d (tag_all t (stores e)) ->
            forall v, In v (vars_c (fst d)) -> In v (t_used C)).
  { intros [d s] J v I. simpl in I. rewrite !in_app_iff, !in_tag_all, !in_app_iff in J.
    assert (X : In d (emits e) \/ In d (stores e) -> In v (t_used C)).
    { intros Y. apply Vc, OV, in_flat_map. exists d. rewrite in_app_iff. auto. }
    assert (Y : In (d, s) pre \/ In (d, s) post \/ In (d, s) (t_store C) -> In v (t_used C)).
    { intros Z. apply (Sv (d, s)); [|auto]. rewrite E, !in_app_iff. simpl. tauto. }
    destruct J as [[[J|J]|[[J|J] _]]|[J|[J _]]]; auto.
    destruct (again e); simpl in J; [destruct J as [<-|[]]; auto | tauto]. }
  unfold t_seen, t_next in *. destruct e as [em [b|] st ag]; simpl in *.
  - destruct OB as (Ix & _ & _). split.
    + intros d' I v J. apply in_app_iff.
      assert (exists d, fst d' = sub_c (as_subst b) (fst d) /\
        (In d ((pre ++ post) ++ tag_all t (em ++ (if ag then [c] else []))) \/ In d (t_store C) \/ In d (tag_all t st)))
        as (d & Ed & D).
      { apply in_app_iff in I as [I|I]; apply in_map_iff in I as (d & <- & I).
        - exists d. split; [auto|]. rewrite in_app_iff, in_t_taken in I. tauto.
        - destruct d as [d s]. destruct (in_t_add_bounds _ _ _ _ I) as (s' & I' & _).
          exists (d, s'). split; [auto|]. rewrite in_app_iff, filter_In in I'. tauto. }
      rewrite Ed in J. apply vars_sub_c in J as (w & J & K).
      destruct (var_eq_dec w (bound_var b)) as [->|N].
      * right. now rewrite as_subst_self in K.
      * left. pose proof (as_subst_other b w N) as G. unfold fixes in G. rewrite G in K.
        apply vars_var_term in K. subst. eauto.
    + intros [f s] I. simpl. rewrite !in_app_iff, !in_tag_all in I.
      assert (D : In (f, s) (t_leads C ++ t_trails C) \/ In f (lead_facts c ++ trail_facts c) \/
                  In f (lead_facts_b b ++ trail_facts_b b)) by (rewrite !in_app_iff; tauto).
      destruct D as [D|[D|D]].
      * destruct (Sf _ D) as [A B]. simpl in *. split; intros p X; apply in_app_iff; left; auto.
      * destruct (facts_of_constr c f D) as [A B]. split; intros p X; apply in_app_iff; left; auto.
      * destruct (facts_of_binding b f D) as [A B].
        split; intros p X; apply in_app_iff; [destruct (A p X) as [->|]|destruct (B p X) as [->|]]; auto.
  - split.
    + intros [d s] I v J. apply in_app_iff in I as [I|I]; [apply (All (d, s)); auto|].
      destruct (in_t_add_bounds _ _ _ _ I) as (s' & I' & _). apply in_app_iff in I'.
      apply (All (d, s')); tauto.
    + intros [f s] I. simpl. rewrite !in_app_iff, !in_tag_all in I.
      assert (D : In (f, s) (t_leads C ++ t_trails C) \/ In f (lead_facts c ++ trail_facts c))
        by (rewrite !in_app_iff; tauto).
      destruct D as [D|D]; [exact (Sf _ D)|].
      destruct (facts_of_constr c f D) as [A B]. split; intros p X; auto.
Qed.

(** Changing unused variables changes none of this. *)
Lemma t_holds_agree : forall C h k, t_seen C -> agree_on (t_used C) h k -> t_holds h C -> t_holds k C.
Proof.
  intros C h k [Sv Sf] A (Hc & Hl & Ht).
  split; [|split].
  - intros c I. apply (agree_holds h k); [|auto]. intros v J. apply A. exact (Sv _ I v J).
  - intros f I. specialize (Hl f I). destruct (Sf (f, false)) as [G L]; [apply in_app_iff; auto|].
    unfold fact_holds in *. simpl in *.
    assert (Q : forall x, (forall p, x = Some p -> In (RV p) (t_used C)) ->
              length_of (lead_lengths h) x = length_of (lead_lengths k) x).
    { intros [p|] X; simpl; auto. unfold lead_lengths. now rewrite (A (RV p) (X p eq_refl)). }
    rewrite <- (Q _ G), <- (Q _ L). exact Hl.
  - intros f I. specialize (Ht f I). destruct (Sf (f, false)) as [G L]; [apply in_app_iff; auto|].
    unfold fact_holds in *. simpl in *.
    assert (Q : forall x, (forall p, x = Some p -> In (RV p) (t_used C)) ->
              length_of (trail_lengths h) x = length_of (trail_lengths k) x).
    { intros [p|] X; simpl; auto. unfold trail_lengths. now rewrite (A (RV p) (X p eq_refl)). }
    rewrite <- (Q _ G), <- (Q _ L). exact Ht.
Qed.

(** What a step makes, given what it derives. *)
Lemma t_next_holds : forall C pre c tc post e t pl h,
  t_phi C = pre ++ (c, tc) :: post -> t_holds h C ->
  (t = false -> holds h c /\ sol (emits e ++ stores e) h) ->
  (forall b, binds e = Some b -> t = false ->
     (pl = false -> binding_holds h b) /\ binding_content h b) ->
  t_holds h (t_next C (pre ++ post) c e t pl).
Proof.
  intros C pre c tc post e t pl h E (Hc & Hl & Ht) Hn Hb.
  assert (Old : forall d, In (d, false) (pre ++ post) \/ In (d, false) (t_store C) -> holds h d).
  { intros d I. apply Hc. rewrite E, !in_app_iff in *. simpl. tauto. }
  assert (New : forall d s, In (d, s) (tag_all t (emits e ++ (if again e then [c] else []))) \/
                In (d, s) (tag_all t (stores e)) -> s = false -> holds h d).
  { intros d s I ->. rewrite !in_tag_all, !in_app_iff in I.
    assert (t = false) as -> by (destruct I as [[_ X]|[_ X]]; auto).
    destruct (Hn eq_refl) as [Hh Hd]. destruct I as [[[I|I] _]|[I _]].
    - apply Hd, in_app_iff; auto.
    - destruct (again e); simpl in I; [destruct I as [<-|[]]; auto | tauto].
    - apply Hd, in_app_iff; auto. }
  assert (Cl : t = false -> facts_hold (lead_lengths h) (lead_facts c) /\ facts_hold (trail_lengths h) (trail_facts c)).
  { intros T. apply r1a_inequality. exact (proj1 (Hn T)). }
  assert (Fin : forall d, (In (d, false) (pre ++ post) \/ In (d, false) (t_store C)) \/
      (In (d, false) (tag_all t (emits e ++ (if again e then [c] else []))) \/ In (d, false) (tag_all t (stores e))) ->
      holds h d) by (intros d [D|D]; eauto).
  unfold t_next. destruct (binds e) as [b|] eqn:Eb; simpl.
  - split; [|split].
    + intros d' I.
      assert (exists d, In (d, false) ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else [])) ++
                 t_store C ++ tag_all t (stores e)) /\ (d', false) = t_substitute b t pl (d, false))
        as (d & D & Eq).
      { simpl in I. rewrite <- map_app in I. apply in_map_iff in I as ([d s] & Eq & I).
        assert (s = false) as ->.
        { unfold t_substitute in Eq; simpl in Eq. injection Eq as _ Eq.
          apply orb_false_iff in Eq. tauto. }
        exists d. split; [|auto]. rewrite !in_app_iff. rewrite in_app_iff in I. destruct I as [I|I].
        - rewrite !in_app_iff, in_t_taken in I. tauto.
        - destruct (in_t_add_bounds _ _ _ _ I) as (_ & _ & I'). specialize (I' eq_refl).
          rewrite in_app_iff, filter_In in I'. tauto. }
      assert (Hd : holds h d).
      { apply Fin. apply in_app_iff in D as [D|D]; [auto|]. apply in_app_iff in D as [D|D]; [auto|].
        apply in_app_iff in D as [D|D]; auto. }
      unfold t_substitute in Eq; simpl in Eq. injection Eq as -> Eq.
      destruct (mentions (bound_var b) d) eqn:Mn.
      * simpl in Eq. symmetry in Eq. apply orb_false_iff in Eq as [-> Eq].
        destruct (Hb b eq_refl eq_refl) as [Bi Bc]. destruct pl; simpl in Eq.
        -- apply lemma_5_1_substitute_content; auto. destruct d; simpl in *; auto. discriminate.
        -- apply lemma_5_1_substitute; auto.
      * apply sub_unmentioned; auto. now apply mentions_spec.
    + intros f I. simpl in I. rewrite !in_app_iff, !in_tag_all in I.
      destruct I as [I|[[I X]|[I X]]]; auto.
      * symmetry in X. apply (proj1 (Cl X)); auto.
      * symmetry in X. apply orb_false_iff in X as [-> ->].
        apply (proj1 (r1a_binding h b (proj1 (Hb b eq_refl eq_refl) eq_refl))); auto.
    + intros f I. simpl in I. rewrite !in_app_iff, !in_tag_all in I.
      destruct I as [I|[[I X]|[I X]]]; auto.
      * symmetry in X. apply (proj2 (Cl X)); auto.
      * symmetry in X. apply orb_false_iff in X as [-> ->].
        apply (proj2 (r1a_binding h b (proj1 (Hb b eq_refl eq_refl) eq_refl))); auto.
  - split; [|split].
    + intros d I. simpl in I. apply Fin. apply in_app_iff in I as [I|I].
      * apply in_app_iff in I as [I|I]; auto.
      * destruct (in_t_add_bounds _ _ _ _ I) as (_ & _ & I'). specialize (I' eq_refl).
        apply in_app_iff in I' as [I'|I']; auto.
    + intros f I. simpl in I. rewrite in_app_iff, in_tag_all in I. destruct I as [I|[I X]]; auto.
      symmetry in X. apply (proj1 (Cl X)); auto.
    + intros f I. simpl in I. rewrite in_app_iff, in_tag_all in I. destruct I as [I|[I X]]; auto.
      symmetry in X. apply (proj2 (Cl X)); auto.
Qed.

(** What a binding without the tag says: all of it, or its content where it is a
    placement. *)
Definition t_binding (h : ground) (b : binding) (t pl : bool) : Prop :=
  t = false -> (pl = false -> binding_holds h b) /\ binding_content h b.

Lemma t_fired_holds : forall C pre c tc post r e t pl h, t_phi C = pre ++ (c, tc) :: post ->
  (t = false -> tc = false /\ fires (t_used C) (untainted (t_store C)) c r (Does e)) ->
  (pl = false -> ~ commits c r) -> t_seen C -> t_holds h C ->
  exists k, agree_on (t_used C) h k /\ t_holds k (t_next C (pre ++ post) c e t pl) /\
    forall b, binds e = Some b -> t_binding k b t pl.
Proof.
  intros C pre c tc post r e t pl h E Ft Fp Sn H.
  assert (G : forall k, t_holds k C -> (t = false -> holds k c /\ sol (emits e ++ stores e) k) ->
            (forall b, binds e = Some b -> t_binding k b t pl) ->
            t_holds k (t_next C (pre ++ post) c e t pl) /\ forall b, binds e = Some b -> t_binding k b t pl).
  { intros k Hk Hn Hb. split; [eapply t_next_holds; eauto | auto]. }
  assert (Id : agree_on (t_used C) h h) by (intros [a|p] _; reflexivity).
  destruct t.
  - (* a tainted step claims nothing *)
    exists h. split; [auto|]. apply G; [auto | discriminate | intros b _; discriminate].
  - destruct (Ft eq_refl) as [-> F']. clear Ft.
    assert (Hc : holds h c) by (apply H; rewrite E, !in_app_iff; simpl; auto).
    assert (Hs : sol (untainted (t_store C)) h).
    { intros d I. apply in_untainted in I. apply H, in_app_iff; auto. }
    destruct (commits_dec c r) as [Cm|Nc].
    + destruct pl; [|destruct (Fp eq_refl Cm)].
      exists h. split; [auto|].
      apply (lemma_5_1_policy _ _ _ _ _ F' Cm h) in Hc as Ha.
      destruct Ha as (A1 & A2 & _).
      apply G; [auto | auto|]. intros b Eb _. rewrite Eb in A2. split; [discriminate | auto].
    + assert (Hk : exists k, agree_on (t_used C) h k /\ after k c (Does e)).
      { apply (lemma_5_1_semantic _ _ _ _ _ F' Nc); auto. intros v I. simpl in I.
        apply in_app_iff in I as [I|I].
        - apply (proj1 Sn (c, false)); [rewrite E, !in_app_iff; simpl; auto | auto].
        - apply in_flat_map in I as (d & I & J). apply in_untainted in I.
          apply (proj1 Sn (d, false)); [apply in_app_iff|]; auto. }
      destruct Hk as (k & A & A1 & A2 & _). exists k. split; [auto|].
      pose proof (t_holds_agree C h k Sn A H) as Hk.
      assert (Hkc : holds k c) by (apply Hk; rewrite E, !in_app_iff; simpl; auto).
      apply G; [auto | auto|].
      intros b Eb _. rewrite Eb in A2. split; [auto|].
      destruct b; simpl in *; [auto|]. now rewrite A2.
Qed.

Lemma t_step_holds : forall C c r C' h, t_step C c r C' -> t_seen C -> t_holds h C ->
  exists k, agree_on (t_used C) h k /\ t_holds k C'.
Proof.
  intros C c r C' h S Sn H. inversion S as [C0 pre c0 tc post r0 e t pl E F Ft Fp]; subst C0 c0 r0 C'.
  destruct (t_fired_holds C pre c tc post r e t pl h E Ft Fp Sn H) as (k & A & Hk & _). eauto.
Qed.

(** Adding what is entailed, or has a tag. *)
Lemma t_extend_seen : forall C cs t, (forall c, In c cs -> knows (erase C) c) -> t_seen C -> t_seen (t_extend C cs t).
Proof.
  intros C cs t K [Sv Sf]. split; [|exact Sf]. intros [d s] I v J. simpl in *.
  rewrite !in_app_iff, in_tag_all in I. destruct I as [[I|[I _]]|I].
  - apply (Sv (d, s)); [apply in_app_iff|]; auto.
  - exact (proj2 (K d I v J)).
  - apply (Sv (d, s)); [apply in_app_iff|]; auto.
Qed.

Lemma t_extend_holds : forall C cs t h, (t = false -> t_entails C cs) -> t_holds h C -> t_holds h (t_extend C cs t).
Proof.
  intros C cs t h En (Hc & Hl & Ht). split; [|auto]. intros c I. simpl in I.
  rewrite !in_app_iff, in_tag_all in I. destruct I as [[I|[I E]]|I].
  - apply Hc, in_app_iff; auto.
  - apply (En (eq_sym E)); [| |exact I]; intros d J; apply in_untainted in J; apply Hc, in_app_iff; auto.
  - apply Hc, in_app_iff; auto.
Qed.

Lemma t_run_holds : forall P C C', t_run P C C' -> t_seen C -> forall h, t_holds h C ->
  exists k, t_holds k C'.
Proof.
  intros P C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs t C'' _ K En R IH]; intros Sn h H; [eauto| |].
  - destruct (t_step_holds _ _ _ _ _ S Sn H) as (k & _ & Hk). apply (IH (step_seen _ _ _ _ S Sn) k Hk).
  - apply (IH (t_extend_seen _ _ _ K Sn) h). now apply t_extend_holds.
Qed.

(** 5.1.iii.  What carries no tag is entailed: every solution of the input extends to one
    of all untainted constraints, bounds and facts. *)
Theorem taint_untainted_entailed : forall P cs C, t_run P (t_initial cs) C ->
  forall g, sol cs g -> exists h,
    sol (untainted (t_phi C)) h /\ sol (untainted (t_store C)) h /\
    facts_hold (lead_lengths h) (untainted (t_leads C)) /\
    facts_hold (trail_lengths h) (untainted (t_trails C)).
Proof.
  intros P cs C R g H.
  assert (Sn : t_seen (t_initial cs)).
  { split; [|intros f []]. intros [d s] I v J. simpl in *. rewrite app_nil_r in I.
    apply in_tag_all in I as [I _]. apply in_flat_map; eauto. }
  assert (Hh : t_holds g (t_initial cs)).
  { split; [|split; intros f []]. intros c I. simpl in I. rewrite app_nil_r in I.
    apply in_tag_all in I as [I _]. auto. }
  destruct (t_run_holds _ _ _ R Sn g Hh) as (h & Hc & Hl & Ht). exists h.
  repeat split; intros x I; apply in_untainted in I; auto; apply Hc, in_app_iff; auto.
Qed.

(** 5.5.ii.  An untainted failure of a rule: the input has no solution. *)
Theorem cor_5_5_ii_untainted : forall P cs C, t_run P (t_initial cs) C -> t_rule_fails C ->
  ~ exists g, sol cs g.
Proof.
  intros P cs C R (c & r & I & F) (g & H).
  destruct (taint_untainted_entailed P cs C R g H) as (h & Hp & Hs & _).
  apply in_untainted in I. exact (lemma_5_1_fail _ _ _ _ F h Hs (Hp c I)).
Qed.

(** R1a.  A positive cycle of untainted facts: the input has no solution. *)
Theorem r1a_untainted_cycle : forall P cs C, t_run P (t_initial cs) C -> t_guard_fails C ->
  ~ exists g, sol cs g.
Proof.
  intros P cs C R (ds & Inc & G) (g & H).
  destruct (taint_untainted_entailed P cs C R g H) as (h & Hp & _ & Hl & Ht).
  assert (K : facts_hold (lead_lengths h) (flat_map lead_facts ds) /\
              facts_hold (trail_lengths h) (flat_map trail_facts ds)).
  { split; intros f J; apply in_flat_map in J as (d & J & Jf);
      apply (r1a_inequality h d); auto. }
  destruct G as [G|G]; apply (positive_cycle_infeasible _ G);
    [exists (lead_lengths h) | exists (trail_lengths h)]; apply facts_hold_app; tauto.
Qed.
