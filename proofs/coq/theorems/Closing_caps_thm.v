(** Remark 6.7(i), repaired: when committing the caps of dimension leaves fails. *)

From Coq Require Import List Bool Arith PArith Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Solved Solved_thm Runs Runs_thm Closing Closing_thm Closing_leaf_thm
  Closing_dim_thm.
Import ListNotations.

(** * Whether one variable is below another can be decided *)

Inductive reach (E : list (nat * nat)) : nat -> nat -> Prop :=
| Reach_refl x : reach E x x
| Reach_step x y z : In (x, y) E -> reach E y z -> reach E x z.

Lemma reach_trans : forall E x y z, reach E x y -> reach E y z -> reach E x z.
Proof. intros E x y z H K; induction H; auto. eapply Reach_step; eauto. Qed.

Lemma reach_cons : forall u v E x y,
  reach ((u, v) :: E) x y <-> reach E x y \/ (reach E x u /\ reach E v y).
Proof.
  intros u v E x y; split.
  - intros H; induction H as [x|x y z I H IH]; [left; constructor|].
    destruct I as [I|I].
    + injection I as <- <-. right. split; [constructor|]. tauto.
    + destruct IH as [IH|[A B]]; [left | right; split; [|auto]]; eapply Reach_step; eauto.
  - assert (M : forall x y, reach E x y -> reach ((u, v) :: E) x y).
    { intros a b H; induction H; [constructor | eapply Reach_step; simpl; eauto]. }
    intros [H|[A B]]; [auto|]. eapply reach_trans; [apply M, A|].
    eapply Reach_step; [left; reflexivity | auto].
Qed.

Lemma reach_dec : forall E x y, {reach E x y} + {~ reach E x y}.
Proof.
  intros E; induction E as [|[u v] E IH]; intros x y.
  - destruct (Nat.eq_dec x y) as [->|N]; [left; constructor|right].
    intros H; inversion H as [|u v w I K]; subst; [congruence | destruct I].
  - destruct (IH x y) as [A|A]; [left; apply reach_cons; auto|].
    destruct (IH x u) as [B|B]; [destruct (IH v y) as [D|D]|];
      [left; apply reach_cons; auto | right | right]; intros H; apply reach_cons in H; tauto.
Qed.

Definition edges (B : list constr) : list (nat * nat) :=
  flat_map (fun c => match c with DLe (DVar a) (DVar b) => [(a, b)] | _ => [] end) B.

Lemma in_edges : forall B a b, In (a, b) (edges B) <-> In (DLe (DVar a) (DVar b)) B.
Proof.
  intros B a b; unfold edges. rewrite in_flat_map. split.
  - intros (c & I & J). destruct c as [|[x|] [y|]| |]; simpl in J; try tauto.
    destruct J as [J|[]]. injection J as -> ->. auto.
  - intros I. eexists; split; [exact I|]. simpl; auto.
Qed.

Lemma below_reach : forall B x a, below B x a <-> reach (edges B) x a.
Proof.
  intros B x a; split.
  - intros [->|P]; [constructor|]. induction P as [a b I|a b c I P IH].
    + eapply Reach_step; [apply in_edges; eauto | constructor].
    + eapply Reach_step; [apply in_edges; eauto | auto].
  - intros H; induction H as [x|x y z I H [->|IH]]; [left; auto | |]; apply in_edges in I; right.
    + now apply Path_one.
    + now apply Path_more with y.
Qed.

Lemma below_dec : forall B x a, {below B x a} + {~ below B x a}.
Proof.
  intros B x a. destruct (reach_dec (edges B) x a) as [H|H]; [left | right]; now rewrite below_reach.
Qed.

(** * Commitments that can be kept *)

Section Store.
  Variables (B : list constr) (L : list dvar).
  Hypothesis HB : dim_bounds B.
  Hypothesis OA : one_atom B.
  Hypothesis Sat : saturated B.

  Lemma cap_lower : forall d a, In (DLe (DConst d) (DVar a)) B <-> lower B a = Some d.
  Proof.
    destruct OA as [A E]. intros d a; split.
    - intros I. destruct (lower B a) as [e|] eqn:El.
      + apply lower_in in El as [_ J]. now rewrite (E _ _ _ I J).
      + destruct (lower_none B a El d (A _ _ I) I).
    - intros H. now apply lower_in.
  Qed.

  Lemma caps_travel : forall x a d, below B x a -> lower B x = Some d -> lower B a = Some d.
  Proof.
    intros x a d [->|P]; [auto|]. induction P as [a b I|a b c I P IH]; rewrite <- !cap_lower; intros H.
    - eapply Sat; eauto.
    - apply cap_lower, IH, cap_lower. eapply Sat; eauto.
  Qed.

  (** Each variable below a committed one gets its atom, all others 1∅. *)
  Definition pinned (x : dvar) : option dvar :=
    find (fun a => if below_dec B x a then match lower B a with Some _ => true | None => false end else false) L.

  Definition kept : ground :=
    Ground (fun x => match pinned x with Some a => fill (lower B a) | None => Unit end) (fun _ => empty_row).

  Lemma pinned_some : forall x a, pinned x = Some a -> In a L /\ below B x a /\ exists d, lower B a = Some d.
  Proof.
    intros x a H. unfold pinned in H. apply find_some in H as [I H]. destruct (below_dec B x a); [|discriminate].
    destruct (lower B a) as [d|]; [eauto | discriminate].
  Qed.

  Lemma pinned_none : forall x a d, pinned x = None -> In a L -> below B x a -> lower B a = Some d -> False.
  Proof.
    intros x a d H I W E. unfold pinned in H. pose proof (find_none _ _ H a I) as F. simpl in F.
    destruct (below_dec B x a); [|tauto]. rewrite E in F. discriminate.
  Qed.

  Lemma torn_or : forall x a b d e, ~ torn B L -> In a L -> In b L -> below B x a -> below B x b ->
    lower B a = Some d -> lower B b = Some e -> d = e.
  Proof.
    intros x a b d e N Ia Ib Wa Wb Ea Eb. destruct (dim_eq_dec d e) as [|D]; [auto|].
    destruct N. exists x, a, b, d, e. auto 10.
  Qed.

  Lemma kept_solves : ~ torn B L -> sol B kept /\ forall a d, In a L -> lower B a = Some d -> g_d kept a = d.
  Proof.
    intros N. split.
    - intros c I. destruct (HB c I) as [(d & x & ->)|(x & y & ->)]; simpl.
      + destruct (pinned x) as [a|] eqn:E; [|apply dim_le_unit].
        apply pinned_some in E as (_ & W & _). apply cap_lower in I. rewrite (caps_travel x a d W I). apply dim_le_refl.
      + destruct (pinned y) as [b|] eqn:Ey; [|apply dim_le_unit].
        apply pinned_some in Ey as (Ib & Wb & e & Eb).
        assert (Wx : below B x b).
        { right. destruct Wb as [->|P]; [now apply Path_one | now apply Path_more with y]. }
        destruct (pinned x) as [a|] eqn:Ex; [|destruct (pinned_none x b e Ex Ib Wx Eb)].
        apply pinned_some in Ex as (Ia & Wa & d & Ea). rewrite Ea, Eb.
        rewrite (torn_or x a b d e); auto. apply dim_le_refl.
    - intros a d Ia Ea. simpl. destruct (pinned a) as [b|] eqn:E.
      + apply pinned_some in E as (Ib & Wb & e & Eb). rewrite Eb. simpl. symmetry.
        apply (torn_or a a b d e); auto. left; auto.
      + exfalso. apply (pinned_none a a d E Ia); [left; auto | auto].
  Qed.

  Lemma torn_unsolvable : torn B L ->
    ~ exists g, sol B g /\ forall a d, In a L -> lower B a = Some d -> g_d g a = d.
  Proof.
    intros (x & a & b & d & e & Ia & Ib & Wa & Wb & Ea & Eb & N) (g & H & K).
    assert (G : forall y f, below B x y -> In y L -> lower B y = Some f -> g_d g x = f).
    { intros y f W I E. pose proof (K y f I E) as Ky. apply lower_in in E as [A _].
      destruct W as [->|P]; [auto|]. apply (adj_path_le g B x y H) in P. rewrite Ky in P. now apply dim_le_atom in P. }
    apply N. rewrite <- (G a d), <- (G b e); auto.
  Qed.
End Store.

Lemma in_cap_values : forall B L b, In b (cap_values B L) <->
  exists a d, In a L /\ lower B a = Some d /\ b = BindD a (DConst d).
Proof.
  intros B L b; unfold cap_values. rewrite in_flat_map. split.
  - intros (a & I & J). destruct (lower B a) as [d|] eqn:E; [|destruct J]. destruct J as [<-|[]]. eauto.
  - intros (a & d & I & E & ->). exists a. rewrite E. simpl; auto.
Qed.

(** 6.7.i.  In a saturated dimension store, committing the caps of the variables [L] and
    solving again fails exactly if some variable lies below two of them that have
    different caps.  The values depend on the store alone, not on an order. *)
Theorem remark_6_7_i_repaired : forall cs C L, closing (initial cs) C -> phi C = [] ->
  dim_bounds (store C) -> saturated (store C) ->
  (torn (store C) L -> ~ exists C', solves (commit C (cap_values (store C) L)) C') /\
  (~ torn (store C) L -> forall C', run any_step (commit C (cap_values (store C) L)) C' ->
     ~ rule_fails C' /\ ~ guard_fails C').
Proof.
  intros cs C L K E HB Sat.
  assert (OA : one_atom (store C)) by (apply (closing_one_atom _ _ K); split; intros * []).
  apply (closing_kept cs) in K; [|apply initial_invariant].
  assert (Nr : no_req C).
  { intros d I. rewrite E in I. destruct (HB d I) as [(x & a & ->)|(a & b & ->)]; simpl; auto. }
  assert (Kn : forall a d, In (DLe (DConst d) (DVar a)) (store C) -> fixes (sigma C) (DV a) /\ In (DV a) (used C)).
  { intros a d I. destruct K as ((_ & Wv & _) & _). apply Wv, in_flat_map. eexists. split; [apply in_app_iff; eauto|].
    simpl; auto. }
  assert (Kc : closing_invariant cs (commit C (cap_values (store C) L))).
  { eapply closing_kept; [|exact K]. eapply Closing_add; [|apply Closing_nil].
    apply commit_knows. intros b I. apply in_cap_values in I as (a & d & _ & El & ->).
    apply lower_in in El as [_ I]. intros v [<-|[]]. eauto. }
  assert (Nc : no_req (commit C (cap_values (store C) L))).
  { apply commit_no_req; [auto|]. intros b I. apply in_cap_values in I as (a & d & _ & _ & ->). eauto. }
  split.
  - intros Tn (C' & S). destruct (resolve_success cs _ _ Kc Nc S) as (g & H).
    apply extend_satisfies in H as [(_ & H & _) Q].
    apply (torn_unsolvable (store C) L Tn). exists g. split; [auto|]. intros a d I El.
    apply (Q (DEq (DVar a) (DConst d))). apply (in_map equation _ (BindD a (DConst d))).
    apply in_cap_values. eauto.
  - intros Tn C' R. apply (resolve_failure cs _ _ Kc Nc R).
    destruct (kept_solves (store C) L HB OA Sat Tn) as [H Q].
    exists (ground_comp (kept (store C) L) (sigma C)).
    assert (Ag : forall v, fixes (sigma C) v -> agree_at (kept (store C) L) (ground_comp (kept (store C) L)
      (sigma C)) v).
    { intros [a|p] F; unfold fixes in F; simpl in F.
      - injection F as F. cbn [agree_at g_d ground_comp]. now rewrite F.
      - rewrite sub_rvar in F. injection F as F. cbn [agree_at g_r ground_comp]. rewrite F. now rewrite ground_rvar. }
    apply extend_satisfies. destruct K as ((Wi & Wv & _) & _). split.
    + split; [rewrite E; apply sol_nil | split; [|now apply comp_respects]].
      apply (agree_sol (kept (store C) L)); [|auto]. intros v I. apply Ag, Wv.
      rewrite flat_map_app, in_app_iff; auto.
    + intros c I. apply in_map_iff in I as (b & <- & I). apply in_cap_values in I as (a & d & Ia & El & ->).
      pose proof El as El'. apply lower_in in El' as [_ J]. destruct (Kn a d J) as [F _].
      pose proof (Ag (DV a) F) as X. cbn [agree_at] in X. cbn [equation holds ground_d].
      rewrite <- X. now apply Q.
Qed.

(** F4's store is torn: c lies below a, with cap 3, and b, with cap 5. *)
Theorem finding_f4_torn : dim_bounds finding_f4 /\ saturated finding_f4 /\ torn finding_f4 [0; 1].
Proof.
  split; [|split].
  - intros c I. unfold finding_f4, n3, n5 in I. simpl in I.
    decompose [or] I; subst; try tauto; [left | left | right | right]; eexists _, _; reflexivity.
  - intros d x y J1 J2. unfold finding_f4, n3, n5 in J1, J2. simpl in J1, J2.
    decompose [or] J1; decompose [or] J2; try tauto; congruence.
  - exists 2, 0, 1, (num 3), (num 5). repeat split; try reflexivity; simpl; auto; try discriminate;
      right; apply Path_one; simpl; auto.
Qed.
