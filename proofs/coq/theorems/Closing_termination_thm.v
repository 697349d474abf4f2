(** Prop. 6.2, termination: with the signed guard closing ends.

    Each round binds a row variable for good, or it touches dimensions only and
    binds one of these.  Row variables are never gained, since the deficit rule
    puts one in the place of another. *)

From Coq Require Import List Bool Arith Lia Wf_nat.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Tactics Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Closing Closing_thm.
Import ListNotations.

(** * Unsolved variables, counted *)

Definition covers_rows (L : list rvar) (C : config) : Prop := forall p, unsolved C (RV p) -> In p L.
Definition covers_dims (D : list dvar) (C : config) : Prop := forall a, unsolved C (DV a) -> In a D.

Lemma covers_used : forall C, covers_rows (rows_of (used C)) C /\ covers_dims (dims_of (used C)) C.
Proof. intros C; split; intros x [_ U]; [now apply in_rows_of | now apply in_dims_of]. Qed.

(** An unsolved variable after a step that binds nothing new. *)
Lemma step_unsolved : forall C pre c post r e v, well_formed C -> phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) -> unsolved (next C (pre ++ post) c e) v ->
  match binds e with
  | None => unsolved C v
  | Some b => v <> bound_var b /\ unsolved C (bound_var b) /\
              (unsolved C v \/ In v (vars (bound_value b)) /\ ~ In v (used C))
  end.
Proof.
  intros C pre c post r e v W E F [Fx U].
  assert (V : knows C c).
  { intros w I. destruct W as (_ & Wv & _). apply Wv, in_flat_map. exists c.
    rewrite E, !in_app_iff. simpl; auto. }
  unfold next in Fx, U. destruct (binds e) as [b|] eqn:Eb; simpl in Fx, U; [|split; auto].
  destruct (unsolved_before C c r e b v W V F Eb Fx U) as [N I].
  destruct (fires_binding C c r e V F b Eb) as (Fb & Ub & Nb & Vb).
  split; [auto | split; [split; auto|]]. destruct I as [I|I]; [|auto].
  destruct (Vb v I) as [J|J]; [left; apply (V v J) | auto].
Qed.

(** An equality binds to nothing fresh. *)
Lemma req_no_fresh : forall used B c r e, fires used B c r (Does e) -> is_req c ->
  forall b, binds e = Some b -> incl (vars (bound_value b)) (vars_c c).
Proof.
  assert (G : forall used B c r o, fires used B c r o -> is_req c ->
    match o with Fails => True | Does e =>
      forall b, binds e = Some b -> incl (vars (bound_value b)) (vars_c c) end).
  { intros used B c r o F Rc. each_rule F; try (destruct Rc; fail); split_outcome;
      try exact I; simpl; intros b E; try discriminate; injection E as <-; simpl.
    - apply incl_appr, middle_vars.
    - apply incl_appl, middle_vars.
    - apply incl_appr, strip_vars.
    - apply incl_appl, strip_vars. }
  intros used B c r e F. exact (G _ _ _ _ _ F).
Qed.

Section Next.
  Variables (C : config) (pre post : list constr) (c : constr) (r : rule) (e : effect).
  Hypothesis W : well_formed C.
  Hypothesis E : phi C = pre ++ c :: post.
  Hypothesis F : fires (used C) (store C) c r (Does e).

  Lemma next_knows : knows C c.
  Proof.
    intros w I. destruct W as (_ & Wv & _). apply Wv, in_flat_map. exists c.
    rewrite E, !in_app_iff. simpl; auto.
  Qed.

  (** Row variables are not gained, and an equality that binds one loses it. *)
  Lemma next_rows : forall L, covers_rows L C ->
    exists L', covers_rows L' (next C (pre ++ post) c e) /\ length L' <= length L /\
      (is_req c -> forall p V, binds e = Some (BindR p V) -> length L' < length L).
  Proof.
    intros L H. pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in K.
    pose proof (fun v => step_unsolved C pre c post r e v W E F) as U.
    destruct (binds e) as [[a t|p V]|] eqn:Eb.
    - exists L. split; [|split; [auto|discriminate]].
      intros q Uq. destruct (U _ Uq) as (_ & _ & [I|[I _]]); [auto|].
      simpl in I. destruct t; simpl in I; [|tauto]. destruct I as [I|[]]; discriminate.
    - assert (Ip : In p L).
      { apply H. destruct (fires_binding C c r e next_knows F _ Eb) as (Fb & Ub & _). split; auto. }
      pose proof (length_without p L Ip) as Lt.
      destruct K as [[Rc Ag]|(res & op & al & q & be & Ec & EV & Em & NC & La & Lb & Fr)].
      + exists (without p L). split; [|split; [exact (Nat.lt_le_incl _ _ Lt) | auto]].
        intros x Ux. destruct (U _ Ux) as (N & _ & [I|[I J]]); apply in_without.
        * split; [auto | simpl in N; congruence].
        * apply (req_no_fresh _ _ _ _ _ F Rc _ Eb) in I. destruct (next_knows _ I) as [_ Ux']. tauto.
      + exists (q :: without p L). split; [|split; [exact Lt | subst c; intros []]].
        intros x Ux. destruct (U _ Ux) as (N & _ & [I|[I J]]).
        * right. apply in_without. split; [auto | simpl in N; congruence].
        * left. simpl in I. subst V. apply no_other_row_var in I. simpl in I. congruence.
    - exists L. split; [|split; [auto|discriminate]]. intros q Uq. apply H, U, Uq.
  Qed.

  (** Where only dimensions are at stake, every binding loses one of these. *)
  Lemma next_dims : forall D, is_dim c -> covers_dims D C ->
    exists D', covers_dims D' (next C (pre ++ post) c e) /\ length D' <= length D /\
      (forall b, binds e = Some b -> length D' < length D).
  Proof.
    intros D Dc H. pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in K.
    pose proof (fun v => step_unsolved C pre c post r e v W E F) as U.
    destruct (binds e) as [[a t|p V]|] eqn:Eb.
    - assert (Ia : In a D).
      { apply H. destruct (fires_binding C c r e next_knows F _ Eb) as (Fb & Ub & _). split; auto. }
      pose proof (length_without a D Ia) as Lt. destruct K as (_ & _ & _ & _ & It).
      exists (without a D). split; [|split; [exact (Nat.lt_le_incl _ _ Lt) | auto]].
      intros x Ux. destruct (U _ Ux) as (N & _ & [I|[I J]]); apply in_without.
      + split; [auto | simpl in N; congruence].
      + simpl in I. apply It in I. destruct (next_knows _ I) as [_ Ux']. tauto.
    - destruct K as [[Rc _]|(res & op & al & q & be & -> & _)]; [destruct c; simpl in *; tauto | destruct Dc].
    - exists D. split; [|split; [auto|discriminate]]. intros q Uq. apply H, U, Uq.
  Qed.

  (** Dimension constraints lead to dimension constraints. *)
  Lemma next_all_dims : (forall d, In d (phi C) -> is_dim d) ->
    forall d, In d (phi (next C (pre ++ post) c e)) -> is_dim d.
  Proof.
    intros H d I.
    assert (Dc : is_dim c) by (apply H; rewrite E, in_app_iff; simpl; auto).
    pose proof (outcome_emits _ _ _ _ _ F) as Em. pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in Em, K.
    assert (Ms : forall x, In x ((pre ++ post) ++ emits e ++ (if again e then [c] else [])) -> is_dim x).
    { intros x J. rewrite !in_app_iff in J. destruct J as [[J|J]|[J|J]]; auto;
        try (apply H; rewrite E, in_app_iff; simpl; auto).
      destruct (again e); [destruct J as [<-|[]]; auto | destruct J]. }
    assert (Sb : forall s x, is_dim x -> is_dim (sub_c s x)) by (intros s [| | |]; auto).
    unfold next in I. destruct (binds e) as [[a t|p V]|] eqn:Eb; simpl in I; [| |auto].
    - apply in_map_iff in I as (x & <- & I). apply Sb. apply in_app_iff in I as [I|I]; [auto|].
      apply in_taken in I as [_ I]. destruct x; simpl in *; auto; discriminate.
    - destruct K as [[Rc _]|(res & op & al & q & be & -> & _)]; [destruct c; simpl in *; tauto | destruct Dc].
  Qed.
End Next.

(** * What one round does *)

(** A pending equation that closes a row variable. *)
Definition closing_row (c : constr) : Prop :=
  match c with REq R Q => tmid R <> None /\ tmid Q = None | _ => False end.

Definition fewer_rows (n : nat) (C : config) : Prop :=
  exists L, covers_rows L C /\ (length L < n \/ length L = n /\ exists c, In c (phi C) /\ closing_row c).

Lemma fires_closing_row : forall used B c r e, fires used B c r (Does e) -> closing_row c ->
  is_req c /\ exists p V, binds e = Some (BindR p V).
Proof.
  assert (G : forall used B c r o, fires used B c r o -> closing_row c ->
    match o with Fails => True | Does e => is_req c /\ exists p V, binds e = Some (BindR p V) end).
  { intros used B c r o F H. each_rule F; try exact I; try (destruct H; fail); simpl in H; destruct H; try congruence.
    unfold re_open_closed. destruct (_ <=? _); simpl; eauto. }
  intros used B c r e F. exact (G _ _ _ _ _ F).
Qed.

Lemma closing_row_sub : forall b c, closing_row c ->
  (forall p V, b = BindR p V -> tmid V <> None) -> closing_row (sub_c (as_subst b) c).
Proof.
  intros b [t u|t u|R Q|R Q] H V; simpl in *; try tauto. destruct H as [HR HQ]. unfold sub_r. rewrite HQ.
  destruct (tmid R) as [p|]; [|congruence]. simpl. split; [|auto].
  destruct b as [a t|q T]; simpl; [discriminate|]. destruct (Nat.eqb_spec p q) as [->|N]; simpl; [|discriminate].
  exact (V q T eq_refl).
Qed.

Lemma step_fewer_rows : forall n C c r C', well_formed C -> step C c r C' -> fewer_rows n C -> fewer_rows n C'.
Proof.
  intros n C c r C' W S (L & HL & H). inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  destruct (next_rows C pre post c r e W Ep F L HL) as (L' & HL' & Le & Lt).
  exists L'. split; [auto|].
  destruct H as [H|(H & d & Id & Cd)]; [left; lia|].
  destruct (lt_dec (length L') n) as [|Nl]; [auto|]. right. split; [lia|].
  rewrite Ep in Id. apply in_app_iff in Id. simpl in Id.
  assert (Dc : d = c \/ In d (pre ++ post)) by (rewrite in_app_iff; destruct Id as [|[|]]; auto).
  destruct Dc as [->|Dc].
  - destruct (fires_closing_row _ _ _ _ _ F Cd) as (Rc & p & V & Eb). specialize (Lt Rc p V Eb). lia.
  - pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in K. unfold next.
    destruct (binds e) as [b|] eqn:Eb; simpl.
    + exists (sub_c (as_subst b) d). split.
      * apply in_map. rewrite !in_app_iff. rewrite in_app_iff in Dc. tauto.
      * apply closing_row_sub; [auto|]. intros p V ->.
        destruct K as [[Rc _]|(res & op & al & q & be & _ & -> & _)]; [|discriminate].
        specialize (Lt Rc p V eq_refl). lia.
    + exists d. split; [|auto]. rewrite !in_app_iff. rewrite in_app_iff in Dc. tauto.
Qed.

Lemma deq_binds : forall used B y x r e, fires used B (DEq (DVar y) (DConst x)) r (Does e) -> binds e <> None.
Proof.
  intros used B y x r e F. each_firing F; try congruence. injection Eo as <-. discriminate.
Qed.

(** The same for dimensions, while no row constraint is pending. *)
Definition fewer_dims (n m : nat) (C : config) : Prop :=
  (forall d, In d (phi C) -> is_dim d) /\ (exists L, covers_rows L C /\ length L <= n) /\
  exists D, covers_dims D C /\
    (length D < m \/ length D = m /\ exists a x, In (DEq (DVar a) (DConst x)) (phi C)).

Lemma step_fewer_dims : forall n m C c r C', well_formed C -> step C c r C' -> fewer_dims n m C -> fewer_dims n m C'.
Proof.
  intros n m C c r C' W S (HD & (L & HL & Ln) & D & HDc & H).
  inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  assert (Dc : is_dim c) by (apply HD; rewrite Ep, in_app_iff; simpl; auto).
  destruct (next_rows C pre post c r e W Ep F L HL) as (L' & HL' & Le & _).
  destruct (next_dims C pre post c r e W Ep F D Dc HDc) as (D' & HD' & Ld & Lt).
  split; [now apply (next_all_dims C pre post c r e)|]. split; [exists L'; split; [auto|lia]|].
  exists D'. split; [auto|]. destruct H as [H|(H & a & x & Ia)]; [left; lia|].
  destruct (binds e) as [b|] eqn:Eb; [specialize (Lt b eq_refl); left; lia|].
  destruct (lt_dec (length D') m) as [|Nl]; [auto|]. right. split; [lia|]. exists a, x.
  rewrite Ep in Ia. apply in_app_iff in Ia. simpl in Ia. unfold next; rewrite Eb; simpl.
  destruct Ia as [Ia|[->|Ia]]; [rewrite !in_app_iff; auto | | rewrite !in_app_iff; auto].
  destruct (deq_binds _ _ _ _ _ _ F Eb).
Qed.

(** * Whole closings *)

Definition silent (C : config) : Prop :=
  well_formed C /\ facts_seen C /\ ~ positive_cycle (leads C) /\ ~ positive_cycle (trails C).

Inductive guarded_run : config -> config -> Prop :=
| G_nil C : guarded_run C C
| G_cons C C' C'' : guarded_step C C' -> guarded_run C' C'' -> guarded_run C C''.

Lemma guarded_silent : forall C C', guarded_step C C' -> silent C -> silent C'.
Proof.
  intros C C' ((c & r & S) & NL & NT) (W & FS & _).
  split; [eapply step_well_formed; eauto | split; [eapply step_facts_seen; eauto | auto]].
Qed.

Lemma guarded_run_silent : forall C C', guarded_run C C' -> silent C -> silent C'.
Proof. intros C C' R; induction R; eauto using guarded_silent. Qed.

Lemma guarded_run_kept : forall (P : config -> Prop),
  (forall C c r C', well_formed C -> step C c r C' -> P C -> P C') ->
  forall C C', guarded_run C C' -> silent C -> P C -> P C'.
Proof.
  intros P H C C' R; induction R as [|C C' C'' G R IH]; auto. intros Si HC. apply IH.
  - eapply guarded_silent; eauto.
  - destruct G as ((c & r & S) & _). apply (H C c r C'); auto. apply Si.
Qed.

(** Each re-solve ends. *)
Lemma silent_acc : forall C, silent C -> Acc (fun C' C => guarded_step C C') C.
Proof.
  intros C (W & FS & NL & NT).
  destruct (reset C _ _ W FS NL NT eq_refl (untouched_all _ _ _)) as (n3 & n4 & n5 & H).
  eapply state_acc; eauto.
Qed.

Lemma commit_silent : forall C bs, silent C -> (forall b, In b bs -> knows C (equation b)) -> silent (commit C bs).
Proof.
  intros C bs (W & FS & N) K. split; [|split; [exact FS | exact N]].
  apply extend_well_formed; [auto|]. now apply commit_knows.
Qed.

(** Solving first, then what follows once nothing is pending. *)
Lemma solve_then_close : forall C, Acc (fun C' C => guarded_step C C') C ->
  (forall C', guarded_run C C' -> phi C' = [] -> Acc (fun C' C => guarded_closing C C') C') ->
  Acc (fun C' C => guarded_closing C C') C.
Proof.
  intros C A; induction A as [C _ IH]; intros H. constructor. intros C' K.
  destruct K as [C C' G|C bs E N K].
  - apply IH; [auto|]. intros C'' R. apply H. eapply G_cons; eauto.
  - apply (Acc_inv (H C (G_nil C) E)). now apply GC_commit.
Qed.

(** A commitment, solved again: fewer row variables, or no more of these and fewer
    dimension variables. *)
Lemma commit_fewer : forall C bs C' L D, silent C -> phi C = [] -> bs <> [] ->
  (forall b, In b bs -> closed_value b /\ knows C (equation b)) ->
  guarded_run (commit C bs) C' -> phi C' = [] -> covers_rows L C -> covers_dims D C ->
  exists L' D', covers_rows L' C' /\ covers_dims D' C' /\
    (length L' < length L \/ (length L' <= length L /\ length D' < length D)).
Proof.
  intros C bs C' L D Si E N K R E2 HL HD.
  assert (Si' : silent (commit C bs)) by (apply commit_silent; [auto|]; intros b I; now apply K).
  destruct (existsb (fun b => match b with BindR _ _ => true | _ => false end) bs) eqn:Ex.
  - apply existsb_exists in Ex as (b & Ib & Eb). destruct b as [a t|p V]; [discriminate|].
    destruct (guarded_run_kept (fewer_rows (length L)) (step_fewer_rows (length L)) _ _ R Si') as (L' & HL' & H).
    { exists L. split; [exact HL|]. right. split; [auto|]. exists (equation (BindR p V)). split.
      - simpl. apply in_app_iff; right. exact (in_map equation bs _ Ib).
      - destruct (K _ Ib) as [Cv _]. simpl in *. split; [discriminate | auto]. }
    destruct H as [H|(_ & d & I & _)]; [|rewrite E2 in I; destruct I].
    destruct (covers_used C') as [_ HD']. exists L', (dims_of (used C')). auto.
  - destruct (guarded_run_kept (fewer_dims (length L) (length D)) (step_fewer_dims (length L) (length D)) _ _ R Si')
      as (_ & (L' & HL' & Ln') & D' & HD' & H).
    { assert (Ad : forall b, In b bs -> exists a x, b = BindD a (DConst x)).
      { intros [a t|p V] I.
        - destruct (K _ I) as [[x ->] _]. eauto.
        - assert (existsb (fun b => match b with BindR _ _ => true | _ => false end) bs = true)
            by (apply existsb_exists; eauto). congruence. }
      split; [|split].
      - intros d I. simpl in I. rewrite E in I. simpl in I. apply in_map_iff in I as (b & <- & I).
        destruct (Ad b I) as (a & x & ->). exact Logic.I.
      - exists L. split; [exact HL | lia].
      - exists D. split; [exact HD|]. right. split; [auto|]. destruct bs as [|b bs]; [congruence|].
        destruct (Ad b (or_introl eq_refl)) as (a & x & ->). exists a, x.
        simpl. rewrite E. simpl. auto. }
    destruct H as [H|(_ & a & x & I)]; [|rewrite E2 in I; destruct I].
    exists L', D'. auto.
Qed.

Lemma solved_then_close : forall n m C L D, silent C -> phi C = [] ->
  covers_rows L C -> length L = n -> covers_dims D C -> length D = m ->
  Acc (fun C' C => guarded_closing C C') C.
Proof.
  intros n; induction n as [n IHn] using lt_wf_ind. intros m; induction m as [m IHm] using lt_wf_ind.
  intros C L D Si E HL En HD Em. constructor. intros C' K.
  destruct K as [C C' ((c & r & S) & _)|C bs E' N K].
  { inversion S as [C0 pre c0 post r0 e Ep F]. rewrite E in Ep. destruct pre; discriminate. }
  assert (Si' : silent (commit C bs)) by (apply commit_silent; [auto|]; intros b I; now apply K).
  apply solve_then_close; [now apply silent_acc|]. intros C' R E2.
  pose proof (guarded_run_silent _ _ R Si') as Si2.
  destruct (commit_fewer C bs C' L D Si E' N K R E2 HL HD) as (L' & D' & HL' & HD' & Less).
  destruct (lt_dec (length L') n) as [Lt|Ge].
  - eapply (IHn (length L') Lt); eauto.
  - eapply (IHm (length D')); eauto; lia.
Qed.

(** 6.2.  Closing ends, whatever is committed and in whatever order: with the signed
    guard, solving and committing in turn cannot go on for ever. *)
Theorem prop_6_2_closing_ends_guarded : forall cs, Acc (fun C' C => guarded_closing C C') (initial cs).
Proof.
  intros cs.
  assert (N : ~ positive_cycle []) by (apply prop_4_6; exists (fun _ => 0); intros f []).
  assert (Si : silent (initial cs)).
  { split; [apply initial_well_formed | split; [intros f [] | auto]]. }
  apply solve_then_close; [now apply silent_acc|]. intros C R E.
  destruct (covers_used C) as [HL HD].
  eapply (solved_then_close _ _ C _ _ (guarded_run_silent _ _ R Si) E HL eq_refl HD eq_refl).
Qed.

(** 6.2.  The same with sequences. *)
Theorem prop_6_2_no_infinite_closing : forall cs (C : nat -> config), C 0 = initial cs ->
  ~ forall i, guarded_closing (C i) (C (S i)).
Proof.
  intros cs C E H.
  assert (G : forall X, Acc (fun C' C => guarded_closing C C') X -> forall i, C i <> X).
  { intros X A; induction A as [X _ IH]. intros i Ei. apply (IH (C (S i))) with (i := S i); auto.
    rewrite <- Ei. apply H. }
  exact (G _ (prop_6_2_closing_ends_guarded cs) 0 E).
Qed.
