(** 5.6 at the left edge: what a solved form makes true of terms as they stand, and that
    every rule keeps it, in both directions. *)

From Coq Require Import PArith List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Term Term_thm Semantics Rules Rules_thm Tactics Guard Solved Solved_thm
  Runs Runs_thm Termination_thm Closing Fire_thm Closing_leaf_thm Edge Edge_thm.
Import ListNotations.

(** * Lists *)

Lemma suffix : forall (A : Type) (l : list A) n, n <= length l -> exists l1 l2, l = l1 ++ l2 /\ length l2 = n /\
  firstn (length l - n) l = l1 /\ skipn (length l - n) l = l2.
Proof.
  intros A l n L. exists (firstn (length l - n) l), (skipn (length l - n) l).
  split; [symmetry; apply firstn_skipn | split; [|auto]]. rewrite len_skipn. lia.
Qed.

Lemma forall2_len : forall (A B : Type) (P : A -> B -> Prop) l k, Forall2 P l k -> length l = length k.
Proof. intros A B P l k F; induction F; simpl; auto. Qed.

(** * Substitutions at the left edge *)

Section Settled.
Variable B : list constr.
Variable s : subst.
Hypothesis edge : edge_subst s.

Definition inner (m : option rvar) : list dterm := match m with Some p => ttrail (on_r s p) | None => [] end.
Definition inner_mid (m : option rvar) : option rvar := match m with Some p => tmid (on_r s p) | None => None end.

Lemma edge_form : forall R, edge_r R -> R = RTerm [] (tmid R) (ttrail R).
Proof. unfold edge_r. intros [l m t] E. simpl in *. now subst. Qed.

Lemma sub_edge : forall m l, sub_r s (RTerm [] m l) = RTerm [] (inner_mid m) (inner m ++ map (sub_d s) l).
Proof. intros [p|] l; unfold sub_r; simpl; [|auto]. now rewrite (edge p). Qed.

Lemma on_r_edge : forall p, on_r s p = RTerm [] (inner_mid (Some p)) (inner (Some p)).
Proof. intros p. apply edge_form, edge. Qed.

Lemma settled_equalities : forall F G, length F = length G ->
  (forall c, In c (equalities F G) -> settled B (sub_c s c)) <-> map (sub_d s) F = map (sub_d s) G.
Proof.
  intros F; induction F as [|t F IH]; intros [|u G] L; simpl in *; try discriminate.
  - split; [auto | intros _ c []].
  - injection L as L. specialize (IH G L). split.
    + intros H. f_equal; [apply (H (DEq t u)); auto|]. apply IH. intros c I. apply H. auto.
    + intros H. injection H as H1 H2. intros c [<-|I]; [exact H1|]. apply IH; auto.
Qed.

Lemma settled_inequalities : forall F G, length F = length G ->
  (forall c, In c (inequalities F G) -> settled B (sub_c s c)) <->
  Forall2 (settled_d B) (map (sub_d s) F) (map (sub_d s) G).
Proof.
  intros F; induction F as [|t F IH]; intros [|u G] L; simpl in *; try discriminate.
  - split; [constructor | intros _ c []].
  - injection L as L. specialize (IH G L). split.
    + intros H. constructor; [apply (H (DLe t u)); auto|]. apply IH. intros c I. apply H. auto.
    + intros H. inversion H as [|x y l k H1 H2]; subst. intros c [<-|I]; [exact H1|]. apply IH; auto.
Qed.

Lemma settled_r_app : forall m n A X l k, length l = length k ->
  settled_r B (RTerm [] m (A ++ l)) (RTerm [] n (X ++ k)) <->
  Forall2 (settled_d B) l k /\ settled_r B (RTerm [] m A) (RTerm [] n X).
Proof.
  intros m n A X l k L. unfold settled_r. simpl. split.
  - intros (a & b & E & F & H). apply Forall2_app_inv_r in F as (b1 & b2 & F1 & F2 & ->).
    pose proof (forall2_len _ _ _ _ _ F2) as L2. rewrite app_assoc in E. apply app_eq_len_back in E as [-> ->]; [|congruence].
    split; [auto|]. exists a, b1. auto.
  - intros (F & a & b & -> & F' & H). exists a, (b ++ l). rewrite app_assoc. split; [auto | split; [|auto]].
    now apply Forall2_app.
Qed.

Lemma settled_r_refl : forall m l, settled_r B (RTerm [] m l) (RTerm [] m l).
Proof.
  intros m l. exists [], l. split; [auto | split].
  - simpl. induction l; constructor; auto. now left.
  - simpl. intros q ->. now left.
Qed.

Lemma settled_r_closed : forall m l, settled_r B (RTerm [] m l) (RTerm [] None []).
Proof. intros m l. exists l, []. simpl. rewrite app_nil_r. split; [auto | split; [constructor | discriminate]]. Qed.

(** * One rule *)

(** What is stored: variables on the upper side, at most one atom below each. *)
Definition tidy : Prop := Closing_leaf_thm.one_atom B /\ forall c, In c B -> bound_shape c.

Definition binding_settled (b : binding) : Prop :=
  match b with BindD a t => on_d s a = sub_d s t | BindR p R => on_r s p = sub_r s R end.

Definition after_settled (c : constr) (e : effect) : Prop :=
  (forall d, In d (emits e ++ stores e) -> settled B (sub_c s d)) /\
  (forall b, binds e = Some b -> binding_settled b) /\
  (again e = true -> settled B (sub_c s c)).

Lemma settled_atom : forall d t, tidy -> is_atom d -> settled_d B t (DConst d) -> t = DConst d.
Proof.
  intros d t [_ Sh] A [H|[H|H]]; [auto | injection H as ->; destruct A | apply Sh in H; destruct H].
Qed.

(** Paths of stored inequalities. *)
Definition leads_to (t u : dterm) : Prop :=
  t = u \/ u = DConst Unit \/ (exists x y, t = DVar x /\ u = DVar y /\ adj_path B x y) \/
  (exists d y, t = DConst d /\ is_atom d /\ u = DVar y).

Lemma leads_step : forall t u w, tidy -> settled_d B t u -> leads_to u w -> leads_to t w.
Proof.
  intros t u w T H K. pose proof T as [[At _] Sh]. destruct K as [<-|[->|[(x & y & -> & -> & P)|(d & y & -> & A & ->)]]].
  - destruct H as [->|[->|H]]; [left; auto | right; left; auto|]. pose proof (Sh _ H) as Q. destruct u as [y|d]; [|destruct Q].
    destruct t as [x|d].
    + right; right; left. exists x, y. repeat split. now constructor.
    + right; right; right. exists d, y. repeat split. eapply At; eauto.
  - right; left; auto.
  - destruct H as [->|[H|H]]; [|discriminate|].
    + right; right; left. eauto.
    + destruct t as [z|d].
      * right; right; left. exists z, y. repeat split. eapply Path_more; eauto.
      * right; right; right. exists d, y. repeat split. eapply At; eauto.
  - apply settled_atom in H; auto. subst. right; right; right. eauto.
Qed.

Lemma leads_path : forall BC, tidy -> (forall d, In d BC -> settled B (sub_c s d)) ->
  forall a b, adj_path BC a b -> leads_to (on_d s a) (on_d s b).
Proof.
  intros BC T H a b P; induction P as [a b I|a b c I P IH].
  - eapply leads_step; [exact T | exact (H _ I) | left; auto].
  - eapply leads_step; [exact T | exact (H _ I) | exact IH].
Qed.

Lemma leads_back : forall t u, tidy -> acyclic B -> leads_to u t -> settled_d B t u -> t = u.
Proof.
  intros t u T Ac K H. pose proof T as [[At _] Sh].
  destruct H as [H|[->|H]]; [auto| |].
  - destruct K as [K|[K|[(x & y & K & _)|(d & y & K & A & _)]]]; auto; try discriminate.
    injection K as <-. destruct A.
  - pose proof (Sh _ H) as Q. destruct u as [y|d]; [|destruct Q].
    destruct K as [K|[->|[(x & z & Ex & -> & P)|(d & z & K & _)]]]; try discriminate; auto.
    + apply At in H. destruct H.
    + injection Ex as <-. f_equal. apply Ac; [now constructor | exact P].
Qed.

(** The rules for rows, each with its rows in normal form. *)
Lemma outer_edge : forall m n l k, outer (RTerm [] m l) (RTerm [] n k) =
  equalities (skipn (length l - min (length l) (length k)) l) (skipn (length k - min (length l) (length k)) k).
Proof. reflexivity. Qed.

Lemma strip_edge : forall m l Q, strip (RTerm [] m l) Q = RTerm [] m (firstn (length l - common_trail (RTerm [] m l) Q) l).
Proof. reflexivity. Qed.

Lemma settled_open_closed : forall p l k, length l <= length k ->
  let R := RTerm [] (Some p) l in let Q := RTerm [] None k in
  (forall d, In d (facing R Q) -> settled B (sub_c s d)) /\ binding_settled (BindR p (middle R Q (placed R Q))) <->
  sub_r s R = sub_r s Q.
Proof.
  intros p l k L R Q. destruct (suffix _ k (length l) L) as (k1 & k2 & Ek & L2 & E1 & E2).
  assert (M : middle R Q (placed R Q) = RTerm [] None k1).
  { destruct (cor_5_5_iv_placed R p Q eq_refl eq_refl) as [P _]. rewrite P. unfold middle, tflat, R, Q. simpl.
    rewrite Nat.sub_0_r. now rewrite E1. }
  assert (Fa : facing R Q = equalities l k2) by (unfold facing, tflat, R, Q; simpl; now rewrite E2).
  rewrite M, Fa, settled_equalities by auto. unfold R, Q. rewrite !sub_edge. unfold binding_settled.
  rewrite sub_edge, on_r_edge. cbn [inner inner_mid app]. rewrite Ek, map_app. split.
  - intros [-> H]. injection H as -> ->. reflexivity.
  - intros H. injection H as Hm Ht. apply app_eq_len_back in Ht as [-> ->]; [|now rewrite !len_map].
    rewrite Hm. auto.
Qed.

Lemma settled_nested : forall p q l k, length l <= length k ->
  let R := RTerm [] (Some p) l in let Q := RTerm [] (Some q) k in
  (binding_settled (BindR p (strip Q R)) /\ map (sub_d s) l = map (sub_d s) (skipn (length k - length l) k) <->
   sub_r s R = sub_r s Q) /\
  ((forall d, In d (outer R Q) -> settled B (sub_c s d)) <-> map (sub_d s) l = map (sub_d s) (skipn (length k - length l) k)) /\
  ((forall d, In d (outer Q R) -> settled B (sub_c s d)) <-> map (sub_d s) l = map (sub_d s) (skipn (length k - length l) k)).
Proof.
  intros p q l k L R Q. destruct (suffix _ k (length l) L) as (k1 & k2 & Ek & L2 & E1 & E2). split; [|split].
  - unfold R, Q. rewrite strip_edge. unfold common_trail. cbn [ttrail]. rewrite Nat.min_r, E1, E2 by lia.
    rewrite !sub_edge. unfold binding_settled. rewrite sub_edge, on_r_edge. cbn [inner inner_mid app].
    rewrite Ek, map_app, app_assoc. split.
    + intros [H ->]. injection H as -> ->. reflexivity.
    + intros H. injection H as Hm Ht. apply app_eq_len_back in Ht as [-> ->]; [|now rewrite !len_map]. rewrite Hm. auto.
  - unfold R, Q. rewrite outer_edge, Nat.min_l, Nat.sub_diag, E2 by lia. simpl skipn. now apply settled_equalities.
  - unfold R, Q. rewrite outer_edge, Nat.min_r, Nat.sub_diag, E2 by lia. simpl skipn. rewrite settled_equalities by auto.
    split; auto.
Qed.

Lemma settled_aligned : forall m n l k, length k <= length l ->
  let res := RTerm [] m l in let op := RTerm [] n k in
  (forall d, In d (aligned res op) -> settled B (sub_c s d)) /\
  settled_r B (sub_r s (residue res op)) (RTerm [] (inner_mid n) (inner n)) <->
  settled_r B (sub_r s res) (sub_r s op).
Proof.
  intros m n l k L res op. destruct (suffix _ l (length k) L) as (l1 & l2 & El & L2 & E1 & E2).
  assert (Ar : residue res op = RTerm [] m l1) by (unfold residue, cut, res, op; simpl; now rewrite E1).
  assert (Al : aligned res op = inequalities l2 k) by (unfold aligned, res, op; simpl; now rewrite E2).
  rewrite Ar, Al, settled_inequalities by auto. unfold res, op. rewrite !sub_edge, El, map_app, app_assoc.
  symmetry. apply settled_r_app. now rewrite !len_map.
Qed.

(** A rule keeps what is settled, in both directions. *)
Lemma fires_settled : forall used BC c r e, fires used BC c r (Does e) -> edge_c c -> tidy ->
  (forall d, In d BC -> settled B (sub_c s d)) ->
  (after_settled c e -> settled B (sub_c s c)) /\
  (r <> RI_deficit -> (r = DI_antisym -> acyclic B) -> settled B (sub_c s c) -> after_settled c e).
Proof.
  intros used BC c r e F E T HB.
  assert (One : forall d, (forall x, In x [d] -> settled B (sub_c s x)) <-> settled B (sub_c s d)).
  { intros d. split; [intros H; apply H; now left | intros H x [<-|[]]; exact H]. }
  destruct (cor_5_5_iv_rules _ _ _ _ _ F E) as (N1 & N2 & _). unfold after_settled.
  remember (Does e) as o eqn:Eo.
  each_rule F; try congruence;
    unfold di_ground, re_closed, re_open_closed in Eo;
    repeat (match type of Eo with context [if ?x then _ else _] => destruct x eqn:Tx end); try discriminate Eo.
  (* dimensions *)
  - injection Eo as <-. simpl. split; [auto|]. intros _ _ _. split; [intros d [] | split; discriminate].
  - injection Eo as <-. simpl. split.
    + intros (_ & H & _). exact (H _ eq_refl).
    + intros _ _ H. split; [intros d [] | split; [|discriminate]]. intros b X. injection X as <-. exact H.
  - injection Eo as <-. simpl. split.
    + intros (_ & H & _). symmetry. exact (H _ eq_refl).
    + intros _ _ H. split; [intros d [] | split; [|discriminate]]. intros b X. injection X as <-. symmetry. exact H.
  - injection Eo as <-. simpl. split; [right; left; auto|]. intros _ _ _. split; [intros d [] | split; discriminate].
  - injection Eo as <-. simpl. split; [left; auto|]. intros _ _ _. split; [intros d [] | split; discriminate].
  - injection Eo as <-. simpl. split.
    + intros _. unfold dim_leb in Tx. apply orb_true_iff in Tx as [Tx|Tx]; apply dim_eqb_eq in Tx; subst;
        [right; left | left]; auto.
    + intros _ _ _. split; [intros x [] | split; discriminate].
  - injection Eo as <-. simpl. split.
    + intros (H & _). left. apply (H (DEq (DVar a) (DConst d))). now left.
    + intros _ _ H. split; [|split; discriminate]. intros x [<-|[]]. simpl. eapply settled_atom; eauto.
  - injection Eo as <-. simpl. split.
    + intros (H & _). left. symmetry. apply (H (DEq (DVar a) (DConst Unit))). now left.
    + intros _ _ H. split; [|split; discriminate]. intros x [<-|[]]. simpl.
      destruct H as [H|[H|H]]; auto. pose proof T as [[Aa _] Sh]. pose proof (Sh _ H) as Q.
      destruct (on_d s a) as [y|d]; [|destruct Q]. apply Aa in H. destruct H.
  - unfold di_cap in Eo. destruct (lower BC a) as [x|] eqn:Lo.
    + apply lower_in in Lo as [Ax Ix]. apply HB in Ix. destruct (dim_eqb x d) eqn:Ex; injection Eo as <-; simpl.
      * apply dim_eqb_eq in Ex. subst x. split; [intros _; exact Ix|].
        intros _ _ _. split; [intros y [] | split; discriminate].
      * assert (Nx : x <> d) by (intros ->; now rewrite dim_eqb_refl in Ex). split.
        -- intros (H & _). right; left. apply (H (DEq (DVar a) (DConst Unit))). now left.
        -- intros _ _ H. split; [|split; discriminate]. intros y [<-|[]]. simpl in *. pose proof T as [[Aa Un] Sh].
           destruct Ix as [Ix|[Ix|Ix]]; auto.
           ++ rewrite <- Ix in H. apply settled_atom in H; auto. congruence.
           ++ destruct H as [H|[H|H]]; auto.
              ** rewrite <- H in Ix. apply Sh in Ix. destruct Ix.
              ** pose proof (Sh _ Ix) as Q. destruct (on_d s a) as [z|z]; [|destruct Q]. destruct Nx. eapply Un; eauto.
    + injection Eo as <-. cbn [emits stores binds again app]. rewrite One. split; [tauto|]. intros _ _ H. split; [exact H | split; discriminate].
  - injection Eo as <-. cbn [emits stores binds again app]. rewrite One. split; [tauto|]. intros _ _ H. split; [exact H | split; discriminate].
  - injection Eo as <-. cbn [emits stores binds again app]. rewrite One. cbn [sub_c settled]. split; [intros (H & _); left; exact H|].
    intros _ Ac H. split; [|split; discriminate].
    eapply leads_back; [exact T | now apply Ac | exact (leads_path BC T HB b a Pa) | exact H].
  - injection Eo as <-. cbn [emits stores binds again app]. rewrite One. split; [tauto|]. intros _ _ H. split; [exact H | split; discriminate].
  (* equalities of rows *)
  - injection Eo as <-. cbn [emits stores binds again emit]. rewrite app_nil_r. destruct E as [ER EQ].
    apply Nat.eqb_eq in Tx. rewrite settled_equalities by auto. unfold tflat. rewrite ER, EQ. simpl app.
    cbn [sub_c settled]. rewrite (edge_form R ER), (edge_form Q EQ), MR, MQ, !sub_edge. cbn [inner inner_mid app ttrail].
    split; [intros (H & _); now rewrite H|]. intros _ _ H. injection H as H. split; [exact H | split; discriminate].
  - injection Eo as <-. cbn [emits stores binds again emit_bind]. rewrite app_nil_r. destruct E as [ER EQ].
    apply Nat.leb_le in Tx. unfold known_rank, tflat in Tx. rewrite ER, EQ in Tx. simpl in Tx.
    rewrite (edge_form R ER), (edge_form Q EQ), MR, MQ. pose proof (settled_open_closed p _ _ Tx) as K. cbn zeta in K.
    cbn [sub_c settled]. rewrite <- K. split; [intros (H1 & H2 & _); split; [exact H1 | now apply H2]|].
    intros _ _ [H1 H2]. split; [exact H1 | split; [|discriminate]]. intros b X. injection X as <-. exact H2.
  - injection Eo as <-. cbn [emits stores binds again emit_bind]. rewrite app_nil_r. destruct E as [EQ ER].
    apply Nat.leb_le in Tx. unfold known_rank, tflat in Tx. rewrite ER, EQ in Tx. simpl in Tx.
    rewrite (edge_form R ER), (edge_form Q EQ), MR, MQ. pose proof (settled_open_closed p _ _ Tx) as K. cbn zeta in K.
    cbn [sub_c settled]. split.
    + intros (H1 & H2 & _). symmetry. apply K. split; [exact H1 | now apply H2].
    + intros _ _ H. symmetry in H. apply K in H as [H1 H2]. split; [exact H1 | split; [|discriminate]].
      intros b X. injection X as <-. exact H2.
  - injection Eo as <-. cbn [emits stores binds again emit_bind]. rewrite app_nil_r. destruct E as [ER EQ].
    rewrite edge_strip_lead in Z by auto. unfold common_trail in Z.
    assert (L : length (ttrail R) <= length (ttrail Q)) by lia.
    rewrite (edge_form R ER), (edge_form Q EQ), MR, MQ. cbn [sub_c settled].
    destruct (settled_nested p q _ _ L) as (K1 & K2 & _). rewrite <- K1, K2. split.
    + intros (H1 & H2 & _). split; [now apply H2 | exact H1].
    + intros _ _ [H1 H2]. split; [exact H2 | split; [|discriminate]]. intros b X. injection X as <-. exact H1.
  - injection Eo as <-. cbn [emits stores binds again emit_bind]. rewrite app_nil_r. destruct E as [ER EQ].
    rewrite edge_strip_lead in Z by auto. unfold common_trail in Z.
    assert (L : length (ttrail Q) <= length (ttrail R)) by lia.
    rewrite (edge_form R ER), (edge_form Q EQ), MR, MQ. cbn [sub_c settled].
    destruct (settled_nested q p _ _ L) as (K1 & _ & K2). rewrite K2. split.
    + intros (H1 & H2 & _). symmetry. apply K1. split; [now apply H2 | exact H1].
    + intros _ _ H. symmetry in H. apply K1 in H as [H1 H2]. split; [exact H2 | split; [|discriminate]].
      intros b X. injection X as <-. exact H1.
  - injection Eo as <-. cbn [emits stores binds again emit]. rewrite app_nil_r. destruct E as [ER EQ].
    unfold known_rank in K. rewrite ER, EQ in K. simpl in K.
    rewrite (edge_form R ER), (edge_form Q EQ), MR, MQ. rewrite outer_edge, K, Nat.min_id, Nat.sub_diag. simpl skipn.
    rewrite settled_equalities by auto. cbn [sub_c settled]. rewrite !sub_edge. split.
    + intros (-> & _). reflexivity.
    + intros _ _ H. injection H as H. apply app_eq_len_back in H as [_ H]; [|now rewrite !len_map].
      split; [exact H | split; discriminate].
  (* inequalities of rows *)
  - injection Eo as <-. cbn [emits stores binds again emit_store]. destruct E as [ER EQ]. destruct Cv as [_ L].
    rewrite (edge_form res ER), (edge_form op EQ), Mop. cbn [sub_c settled].
    destruct (settled_aligned (tmid res) (Some p) _ _ L) as [K1 K2]. rewrite <- on_r_edge in K1, K2.
    assert (St : forall x, In x [RLe (residue (RTerm [] (tmid res) (ttrail res)) (RTerm [] (Some p) (ttrail op))) (rvar_term p)] ->
      settled_r B (sub_r s (residue (RTerm [] (tmid res) (ttrail res)) (RTerm [] (Some p) (ttrail op)))) (on_r s p) ->
      settled B (sub_c s x)).
    { intros x [<-|[]] H. cbn [sub_c settled]. now rewrite sub_rvar. }
    split.
    + intros (H & _). apply K1. split; [intros d I; apply H, in_app_iff; auto|].
      rewrite <- (sub_rvar s p). refine (H (RLe _ _) _). apply in_app_iff. right. now left.
    + intros _ _ H. apply K2 in H as [H1 H2]. split; [|split; discriminate].
      intros d I. apply in_app_iff in I as [I|I]; auto.
  - injection Eo as <-. cbn [emits stores binds again emit]. rewrite app_nil_r. destruct E as [ER EQ]. destruct Cv as [_ L].
    revert Rs. rewrite (edge_form res ER), (edge_form op EQ), Mop. intros Rs. cbn [sub_c settled].
    destruct (settled_aligned (tmid res) (Some p) _ _ L) as [K1 K2]. rewrite Rs, sub_rvar, <- on_r_edge in K1, K2.
    split.
    + intros (H & _). apply K1. split; [exact H|]. rewrite on_r_edge. apply settled_r_refl.
    + intros _ _ H. apply K2 in H as [H1 _]. split; [exact H1 | split; discriminate].
  - injection Eo as <-. cbn [emits stores binds again emit]. rewrite app_nil_r. destruct E as [ER EQ]. destruct Cv as [_ L].
    rewrite (edge_form res ER), (edge_form op EQ), Mop. cbn [sub_c settled].
    destruct (settled_aligned (tmid res) None _ _ L) as [K1 K2]. cbn [inner inner_mid] in K1, K2. split.
    + intros (H & _). apply K1. split; [exact H|]. unfold residue, cut. cbn [tlead ttrail tmid skipn length].
      rewrite sub_edge. apply settled_r_closed.
    + intros _ _ H. apply K2 in H as [H1 _]. split; [exact H1 | split; discriminate].
  - injection Eo as <-. cbn [emits stores binds again grow]. split; [intros (_ & _ & H); auto | congruence].
Qed.
End Settled.

(** * Steps *)

Lemma sub_c_ext : forall s t c, (forall v, In v (vars_c c) -> apply s (var_term v) = apply t (var_term v)) ->
  sub_c s c = sub_c t c.
Proof.
  intros s t c H.
  assert (Dd : forall u, incl (vars_d u) (vars_c c) -> sub_d s u = sub_d t u).
  { intros u J. assert (X : apply s (TD u) = apply t (TD u)) by (apply apply_ext; auto). now injection X. }
  assert (Dr : forall R, incl (vars_r R) (vars_c c) -> sub_r s R = sub_r t R).
  { intros R J. assert (X : apply s (TR R) = apply t (TR R)) by (apply apply_ext; auto). now injection X. }
  destruct c as [u w|u w|R Q|R Q]; simpl in *; f_equal; (apply Dd || apply Dr);
    (apply incl_appl, incl_refl) || (apply incl_appr, incl_refl).
Qed.

Lemma sub_c_comp : forall s t c, sub_c (comp s t) c = sub_c s (sub_c t c).
Proof. intros s t [u w|u w|R Q|R Q]; simpl; now rewrite ?sub_d_comp, ?sub_r_comp. Qed.

Lemma sub_c_id : forall c, sub_c id_subst c = c.
Proof.
  assert (Dd : forall t, sub_d id_subst t = t) by (intros [a|d]; reflexivity).
  assert (Dr : forall R, sub_r id_subst R = R) by (intros R; pose proof (apply_id (TR R)) as X; now injection X).
  intros [t u|t u|R Q|R Q]; simpl; now rewrite ?Dd, ?Dr.
Qed.

Lemma sub_c_eq : forall s t c, subst_eq s t -> sub_c s c = sub_c t c.
Proof. intros s t c H. apply sub_c_ext. intros v _. apply H. Qed.

Lemma binding_settled_iff : forall s b, binding_settled s b <-> apply s (bound_value b) = apply s (var_term (bound_var b)).
Proof. intros s [a t|p R]; simpl; [|rewrite sub_rvar]; split; congruence. Qed.

Lemma binding_settled_subst : forall s b, binding_settled s b -> subst_eq (comp s (as_subst b)) s.
Proof.
  intros s b H v. rewrite lemma_3_3. destruct (var_eq_dec v (bound_var b)) as [->|N].
  - rewrite as_subst_self. now apply binding_settled_iff.
  - pose proof (as_subst_other b v N) as F. unfold fixes in F. now rewrite F.
Qed.

(** Respecting the composite is respecting both. *)
Lemma settled_comp : forall s b t, fixes t (bound_var b) ->
  (subst_eq (comp s (comp (as_subst b) t)) s <-> binding_settled s b /\ subst_eq (comp s t) s).
Proof.
  intros s b t F. split.
  - intros H.
    assert (Bs : binding_settled s b).
    { apply binding_settled_iff. specialize (H (bound_var b)). rewrite !lemma_3_3, F, as_subst_self in H. exact H. }
    split; [exact Bs|]. intros v. rewrite <- (H v), !lemma_3_3, <- (lemma_3_3 s (as_subst b)).
    symmetry. apply subst_eq_apply. now apply binding_settled_subst.
  - intros [Bs H] v. transitivity (apply s (apply t (var_term v))); [|rewrite <- lemma_3_3; apply H].
    rewrite !lemma_3_3, <- (lemma_3_3 s (as_subst b)). apply subst_eq_apply. now apply binding_settled_subst.
Qed.

(** All that is pending or stored is settled by [s], and [s] respects the bindings. *)
Definition settles (B : list constr) (s : subst) (C : config) : Prop :=
  (forall c, In c (phi C) -> settled B (sub_c s c)) /\ (forall c, In c (store C) -> settled B (sub_c s c)) /\
  subst_eq (comp s (sigma C)) s.

Lemma next_settles : forall B s C rest c e, (forall b, binds e = Some b -> fixes (sigma C) (bound_var b)) ->
  (settles B s (next C rest c e) <->
   (forall d, In d rest -> settled B (sub_c s d)) /\ (forall d, In d (store C) -> settled B (sub_c s d)) /\
   subst_eq (comp s (sigma C)) s /\ after_settled B s c e).
Proof.
  intros B s C rest c [em bd st ag] F. unfold settles, after_settled, next; simpl in *.
  assert (A : (forall d, In d (if ag then [c] else []) -> settled B (sub_c s d)) <-> (ag = true -> settled B (sub_c s c))).
  { destruct ag; split; intros H.
    - intros _. apply H. now left.
    - intros d [<-|[]]. auto.
    - discriminate.
    - intros d []. }
  destruct bd as [b|]; simpl.
  - rewrite settled_comp by auto.
    assert (K : binding_settled s b -> forall d, sub_c s (sub_c (as_subst b) d) = sub_c s d).
    { intros Bs d. rewrite <- sub_c_comp. apply sub_c_eq. now apply binding_settled_subst. }
    split.
    + intros (Hp & Hs & Bs & Hr). specialize (K Bs).
      assert (Hp' : forall d, In d ((rest ++ em ++ (if ag then [c] else [])) ++ taken (bound_var b) (store C)) ->
        settled B (sub_c s d)) by (intros d I; rewrite <- K; apply Hp; now apply in_map).
      assert (Hs' : forall d, In d (add_bounds (filter (fun d => negb (stored_for (bound_var b) d)) (store C)) st) ->
        settled B (sub_c s d)) by (intros d I; rewrite <- K; apply Hs; now apply in_map).
      split; [intros d I; apply Hp'; rewrite !in_app_iff; auto|]. split; [|split; [exact Hr|split; [|split]]].
      * intros d I. destruct (stored_for (bound_var b) d) eqn:Sf.
        -- apply Hp'. apply in_app_iff. right. now apply in_taken.
        -- apply Hs'. apply in_add_bounds. left. apply filter_In. now rewrite Sf.
      * intros d I. apply in_app_iff in I as [I|I]; [apply Hp'; rewrite !in_app_iff; auto | apply Hs', in_add_bounds; auto].
      * intros b' X. injection X as <-. exact Bs.
      * apply A. intros d I. apply Hp'. rewrite !in_app_iff. auto.
    + intros (Hr & Hs & Hc & He & Hb & Ha). specialize (Hb b eq_refl). specialize (K Hb).
      split; [|split; [|split; auto]]; intros d I; apply in_map_iff in I as (d0 & <- & I); rewrite K.
      * rewrite !in_app_iff in I. destruct I as [[I|[I|I]]|I]; auto.
        -- apply He, in_app_iff. auto.
        -- now apply (proj2 A Ha).
        -- apply in_taken in I as [I _]. auto.
      * apply in_add_bounds in I as [I|I]; [apply filter_In in I as [I _]; auto | apply He, in_app_iff; auto].
  - split.
    + intros (Hp & Hs & Hr). split; [intros d I; apply Hp; rewrite !in_app_iff; auto|].
      split; [intros d I; apply Hs, in_add_bounds; auto|]. split; [exact Hr | split; [|split; [discriminate|]]].
      * intros d I. apply in_app_iff in I as [I|I]; [apply Hp; rewrite !in_app_iff; auto | apply Hs, in_add_bounds; auto].
      * apply A. intros d I. apply Hp. rewrite !in_app_iff. auto.
    + intros (Hr & Hs & Hc & He & _ & Ha). split; [|split; [|exact Hc]]; intros d I.
      * rewrite !in_app_iff in I. destruct I as [I|[I|I]]; auto; [apply He, in_app_iff; auto | now apply (proj2 A Ha)].
      * apply in_add_bounds in I as [I|I]; [auto | apply He, in_app_iff; auto].
Qed.

Definition same_on (V : list var) (s t : subst) : Prop :=
  forall v, In v V -> apply s (var_term v) = apply t (var_term v).

(** Values for the fresh variables of a deficit. *)
Fixpoint put (al : list dvar) (ts : list dterm) (f : dvar -> dterm) (a : dvar) : dterm :=
  match al, ts with
  | x :: al, t :: ts => if Nat.eqb a x then t else put al ts f a
  | _, _ => f a
  end.

Lemma put_other : forall al ts f a, ~ In a al -> put al ts f a = f a.
Proof.
  intros al; induction al as [|x al IH]; intros [|t ts] f a N; simpl in *; auto.
  destruct (Nat.eqb_spec a x) as [->|Ne]; [tauto | auto].
Qed.

Lemma put_values : forall al ts f, NoDup al -> length al = length ts -> map (put al ts f) al = ts.
Proof.
  intros al; induction al as [|x al IH]; intros [|t ts] f N L; simpl in *; try discriminate; auto.
  apply NoDup_cons_iff in N as [Nx N]. injection L as L. rewrite Nat.eqb_refl. f_equal.
  transitivity (map (put al ts f) al); [|now apply IH]. apply map_ext_in. intros a I. destruct (Nat.eqb_spec a x) as [->|Ne]; [tauto | auto].
Qed.

Section Step.
Variable B : list constr.
Hypothesis neat : tidy B.

Lemma settles_agree : forall C s t, well_formed C -> same_on (used C) s t -> settles B s C -> settles B t C.
Proof.
  intros C s t (Wi & Wv & Wd & Wr) A (Hp & Hs & Hr).
  assert (K : forall c, In c (phi C ++ store C) -> sub_c t c = sub_c s c).
  { intros c I. symmetry. apply sub_c_ext. intros v J. apply A. apply Wv, in_flat_map. eauto. }
  split; [|split].
  - intros c I. rewrite K by (apply in_app_iff; auto). auto.
  - intros c I. rewrite K by (apply in_app_iff; auto). auto.
  - intros v. rewrite lemma_3_3. destruct (term_eq_dec (apply (sigma C) (var_term v)) (var_term v)) as [E|N]; [now rewrite E|].
    rewrite <- (A v (Wd v N)), <- (Hr v), lemma_3_3. apply apply_ext. intros w I. symmetry. apply A, Wr. exists v. auto.
Qed.

Lemma settles_back : forall C c r C' s, well_formed C -> edge_config C -> edge_subst s -> step C c r C' ->
  settles B s C' -> settles B s C.
Proof.
  intros C c r C' s W EC Es S H. destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  rewrite next_settles in H by (intros; eapply fires_binding; eauto). destruct H as (Hr & Hs & HR & Ha).
  split; [|auto]. intros d I. apply P in I as [->|I]; [|auto].
  assert (Ec : edge_c c) by (apply (proj1 EC), P; auto).
  destruct (fires_settled B s Es _ _ _ _ _ F Ec neat Hs) as [K _]. auto.
Qed.

Lemma settles_on : forall C c r C' s, well_formed C -> edge_config C -> edge_subst s -> step C c r C' ->
  (r = DI_antisym -> acyclic B) -> settles B s C ->
  exists t, edge_subst t /\ same_on (used C) s t /\ settles B t C'.
Proof.
  intros C c r C' s W EC Es S Ac (Hp & Hs & HR). pose proof (step_well_formed _ _ _ _ W S) as W'.
  destruct (step_fixed C c r C' W S) as (V & rest & e & -> & F & P).
  assert (Ec : edge_c c) by (apply (proj1 EC), P; auto). assert (Hc : settled B (sub_c s c)) by (apply Hp, P; auto).
  assert (FB : forall b, binds e = Some b -> fixes (sigma C) (bound_var b)) by (intros; eapply fires_binding; eauto).
  assert (D : r = RI_deficit \/ r <> RI_deficit) by (destruct r; auto; right; discriminate).
  destruct D as [->|D].
  2: { exists s. split; [exact Es | split; [intros v _; reflexivity|]]. apply next_settles; [exact FB|].
       split; [intros d I; apply Hp, P; auto | split; [exact Hs | split; [exact HR|]]].
       destruct (fires_settled B s Es _ _ _ _ _ F Ec neat Hs) as [_ K]. auto. }
  each_firing F. injection Eo as <-. destruct Ec as [ER EQ].
  (* the axes that the result lacks are there *)
  unfold lead_deficit in La. rewrite EQ in La. apply length_zero_iff_nil in La as ->. unfold trail_deficit in Lb.
  set (X := inner s (Some p)).
  assert (L : length be <= length X).
  { cbn [sub_c settled] in Hc. rewrite (edge_form res ER), (edge_form op EQ), !(sub_edge s Es) in Hc.
    destruct Hc as (l & k & El & F2 & _). cbn [ttrail] in El, F2. apply forall2_len in F2.
    apply (f_equal (@length dterm)) in El. rewrite !len_app, !len_map in *. rewrite Mres in El. fold X in El.
    rewrite Lb. lia. }
  destruct (suffix _ X (length be) L) as (X1 & X2 & EX & L2 & _ & _).
  set (t := Subst (put be X2 (on_d s)) (fun x => if Nat.eqb x q then RTerm [] (inner_mid s (Some p)) X1 else on_r s x)).
  assert (Nb : NoDup be).
  { unfold fresh_vars in Nd. simpl in Nd. apply NoDup_cons_iff in Nd as [_ Nd]. now apply NoDup_map_inv in Nd. }
  unfold fresh_vars in Fr. cbn [map app] in Fr.
  assert (A : same_on (used C) s t).
  { intros [a|x] I; simpl.
    - f_equal. symmetry. apply put_other. intros J. apply (Fr (DV a)); [right; now apply in_map | exact I].
    - rewrite !sub_rvar. simpl. destruct (Nat.eqb_spec x q) as [->|]; [|auto]. destruct (Fr (RV q)); [now left | exact I]. }
  exists t. split; [|split; [exact A|]].
  - intros x. simpl. destruct (x =? q); [reflexivity | apply Es].
  - apply next_settles; [exact FB|].
    assert (Ht : settles B t C) by (apply (settles_agree C s); auto; split; auto). destruct Ht as (Tp & Ts & Tr).
    split; [intros d I; apply Tp, P; auto | split; [exact Ts | split; [exact Tr|]]].
    split; [intros d [] | split; [|intros _; apply Tp, P; auto]].
    intros b I. injection I as <-. unfold binding_settled, grown. cbn [map].
    assert (Pq : p <> q).
    { intros ->. apply (Fr (RV q)); [now left|]. apply V. simpl. apply in_app_iff. left. now apply mid_var. }
    unfold sub_r. cbn [tmid tlead ttrail on_r t map app]. rewrite Nat.eqb_refl. cbn [tlead tmid ttrail].
    destruct (Nat.eqb_spec p q) as [|_]; [contradiction|]. rewrite (on_r_edge s Es p) at 1. fold X. rewrite EX. f_equal. f_equal.
    rewrite map_map. cbn [sub_d on_d t]. symmetry. now apply put_values.
Qed.

Lemma run_settles_back : forall C C' s, run any_step C C' -> well_formed C -> edge_config C -> edge_subst s ->
  settles B s C' -> settles B s C.
Proof.
  intros C C' s R; induction R as [C|C c r C' C'' K S R IH|C cs C'' []]; intros W EC Es H; auto.
  eapply settles_back; eauto. apply IH; eauto using step_well_formed, edge_step.
Qed.

Lemma run_settles : forall (P : kind -> Prop) C C', (forall k, P k -> any_step k) -> (forall c, P (By_rule c DI_antisym) -> acyclic B) ->
  run P C C' -> well_formed C -> edge_config C -> forall s, edge_subst s -> settles B s C ->
  exists t, edge_subst t /\ same_on (used C) s t /\ settles B t C'.
Proof.
  intros P C C' HP Ac R; induction R as [C|C c r C' C'' K S R IH|C cs C'' K A R IH]; intros W EC s Es H.
  - exists s. split; [auto | split; [intros v _; reflexivity | auto]].
  - destruct (settles_on C c r C' s W EC Es S) as (t & Et & A & H'); auto; [intros ->; eauto|].
    destruct (IH (step_well_formed _ _ _ _ W S) (edge_step _ _ _ _ S EC) t Et H') as (u & Eu & A' & H'').
    exists u. split; [auto | split; [|auto]]. intros v I. rewrite (A v I). apply A'. eapply step_used; eauto.
  - destruct (HP _ K).
Qed.
End Step.
