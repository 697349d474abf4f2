(** 8.4(a), 8.5: what cancels loses no solution. *)

From Coq Require Import ZArith List Bool Arith Lia Permutation.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Taint Solver Closing Fire Close Staged
  Bounds Cancel Bounds_thm.
Import ListNotations.
Local Open Scope Z_scope.

(** * The size equation of a claim *)

Lemma equation_value : forall b v c t R l k, fits b v R -> (rested b t -> says v c) -> equation R (c, t) = Some (l, k) ->
  rested b (rests k) -> number k + terms_value v l = 0.
Proof.
  intros b v [d stride o m offset|d parts|rows divided denom coeff var|rows axes|d n] t R l k F H E; cbn [equation] in E;
    try discriminate.
  - destruct (affine_forms R d stride o m) as [|form forms] eqn:Q; [discriminate|]. injection E as <- <-.
    cbn [number rests]. intros T. apply rested_or in T. destruct T as [T U]. destruct (H T) as (_ & _ & _ & _ & E & _).
    apply (forms_hold b v R d stride o m form F); [rewrite Q; now left | exact U | exact E].
  - injection E as <- <-. cbn [number rests]. intros T. destruct (H T) as (_ & E & _).
    rewrite terms_cons, terms_parts. cbn [fst snd]. lia.
Qed.

Lemma sum_value : forall b v c t R l k, fits b v R -> (rested b t -> says v c) -> sum R (c, t) = Some (l, k) ->
  rested b (rests k) -> number k + linear_value v l = 0.
Proof.
  intros b v c t R l k F H E T. unfold sum in E. destruct (equation R (c, t)) as [[l0 k0]|] eqn:Q; [|discriminate].
  injection E as <- <-. cbn [number rests] in *. pose proof (equation_value b v c t R l0 k0 F H Q T).
  rewrite linear_collect. pose proof (terms_split v l0). lia.
Qed.

Lemma linear_opposite : forall v l, linear_value v (opposite l) = - linear_value v l.
Proof.
  intros v l; induction l as [|t l IH]; [reflexivity|]. unfold opposite in *. cbn [map].
  rewrite !linear_cons, IH. cbn [fst snd]. lia.
Qed.

(** * Cancelling *)

Lemma less_keeps : forall b v l k l' k' R, fits b v R ->
  (rested b (rests k) -> number k + linear_value v l = 0) ->
  (rested b (rests k') -> number k' + linear_value v l' = 0) -> keeps b v (narrow_less l k l' k' R).
Proof.
  intros b v l k l' k' R F E E'. unfold narrow_less. apply linear_keeps; [exact F|]. cbn [number rests].
  intros T. apply rested_or in T. destruct T as [T T']. rewrite linear_app, linear_opposite.
  specialize (E T). specialize (E' T'). lia.
Qed.

Lemma cancel_keeps : forall b v c t c' t' R, fits b v R -> (rested b t -> says v c) -> (rested b t' -> says v c') ->
  keeps b v (cancel (c, t) (c', t') R).
Proof.
  intros b v c t c' t' R F H H'. unfold cancel.
  destruct (sum R (c, t)) as [[l k]|] eqn:E; [|exact F]. destruct (sum R (c', t')) as [[l' k']|] eqn:E'; [|exact F].
  pose proof (sum_value b v c t R l k F H E) as X. pose proof (sum_value b v c' t' R l' k' F H' E') as X'.
  destruct (shares (loose R l) (loose R l')); [now apply less_keeps|].
  destruct (shares (loose R l) (loose R (opposite l'))); [|exact F].
  apply less_keeps; [exact F | exact X |]. cbn [number rests]. intros T. specialize (X' T). rewrite linear_opposite. lia.
Qed.

Lemma pairs_in : forall (A : Type) (l : list A) x y, In (x, y) (pairs l) -> In x l /\ In y l.
Proof.
  intros A l; induction l as [|a l IH]; intros x y J; [destruct J|]. cbn [pairs] in J. apply in_app_or in J.
  destruct J as [J|J].
  - apply in_map_iff in J. destruct J as (z & E & J). injection E as <- <-. simpl; auto.
  - destruct (IH x y J). simpl; auto.
Qed.

Lemma bounds_cancelled_keep : forall b v rounds is R, fits b v R ->
  (forall c t, In (c, t) is -> rested b t -> says v c) -> keeps b v (bounds_cancelled rounds is R).
Proof.
  intros b v rounds; induction rounds as [|n IH]; intros is R F H; cbn [bounds_cancelled]; [exact F|].
  apply then_keeps.
  - apply each_keeps; [|exact F]. intros [c t] R' J F'. apply narrow_keeps; [exact F' | exact (H c t J)].
  - intros R' F'. apply then_keeps; [|intros R'' F''; apply IH; auto].
    apply each_keeps; [|exact F']. intros [[c t] [c' t']] R'' J F''. destruct (pairs_in _ _ _ _ J) as [J1 J2].
    cbn [fst snd]. apply cancel_keeps; [exact F'' | exact (H c t J1) | exact (H c' t' J2)].
Qed.

(** 8.4(a), 8.5.  What cancels in two claims loses no solution of them: neither of those within all ranges, nor, with
    [b] false, of those within the ranges that rest on no commitment. *)
Theorem conj_8_4_a_cancel_keeps_solutions : forall b v c t c' t' R R', says v c -> says v c' -> fits b v R ->
  cancel (c, t) (c', t') R = Narrowed R' -> fits b v R'.
Proof.
  intros b v c t c' t' R R' S S' F E. pose proof (cancel_keeps b v c t c' t' R F (fun _ => S) (fun _ => S')) as K.
  now rewrite E in K.
Qed.

(** Rounds with it that refuse have no solution. *)
Theorem conj_8_4_a_cancel_is_unsat : forall phi cs zs rounds t,
  bounds_cancelled rounds (map (fun c => (c, false)) cs) (unbounded phi zs) = Refused t ->
  ~ exists v, solves_all phi cs zs v.
Proof.
  intros phi cs zs rounds t E (v & So & Cs & Zs).
  pose proof (bounds_cancelled_keep true v rounds (map (fun c => (c, false)) cs) (unbounded phi zs)
    (unbounded_fits true phi zs v So Zs)) as K.
  rewrite E in K. apply K; [|intros _; reflexivity].
  intros c t' J _. apply in_map_iff in J. destruct J as (c' & Ec & J). injection Ec as <- <-. auto.
Qed.

(** What a run adds by it is entailed, as what the core adds: so a run with it is one of those that 8.4(a) is about. *)
Theorem conj_8_4_a_cancel_runs : forall V S0 S i j R, staged_run V S0 S -> In i (instances S) -> In j (instances S) ->
  cancel i j (st_ranges S) = Narrowed R -> staged_run V S0 (State (instances S) R).
Proof.
  intros V S0 S [c t] [c' t'] R H J J' E. apply (Run_entailed V S0 S); [exact H|].
  intros v (Cv & Fv). exists v. split; [apply same_on_refl|]. split; [exact Cv|].
  pose proof (cancel_keeps false v c t c' t' (st_ranges S) Fv (Cv c t J) (Cv c' t' J')) as K. now rewrite E in K.
Qed.

(** Two claims of a run that are refused together without the tag have no solution. *)
Theorem conj_8_4_a_cancel_unsat_is_true : forall V phi cs zs S i j, staged_run V (given phi cs zs) S ->
  In i (instances S) -> In j (instances S) -> cancel i j (st_ranges S) = Refused false ->
  ~ exists v, solves_all phi cs zs v.
Proof.
  intros V phi cs zs S [c t] [c' t'] H J J' E (v & Sv).
  destruct (run_meant _ _ _ H v (given_meant false _ _ _ _ Sv)) as (w & _ & Cw & Fw).
  pose proof (cancel_keeps false w c t c' t' (st_ranges S) Fw (Cw c t J) (Cw c' t' J')) as K.
  rewrite E in K. apply K. intros X. exact X.
Qed.

(** * What it is for *)

Lemma plus_permutation : forall l k, Permutation l k -> plus l = plus k.
Proof. intros l k P; induction P as [|n l k P IH|n m l|l k j P IH Q IH']; unfold plus in *; simpl; lia. Qed.

(** Concatenations of the same parts in any order have as many elements. *)
Theorem conj_8_4_a_same_parts : forall v d e l k, Permutation l k -> says v (Parts d l) -> says v (Parts e k) ->
  size v d = size v e.
Proof.
  intros v d e l k P (_ & D & _) (_ & E & _). rewrite D, E. apply plus_permutation. now apply Permutation_map.
Qed.

(** Of concatenations with as many elements, a part that is not shared has as many as that of the other. *)
Theorem conj_8_4_a_same_wholes : forall v d e a b l k, Permutation l k -> size v d = size v e ->
  says v (Parts d (a :: l)) -> says v (Parts e (b :: k)) -> size v a = size v b.
Proof.
  intros v d e a b l k P W (_ & D & _) (_ & E & _). pose proof (plus_permutation _ _ (Permutation_map (size v) P)).
  unfold plus in *. simpl in D, E. lia.
Qed.

(** Not so their bases: where all parts are 1∅, two wholes of the same parts can have different ones. *)
Theorem conj_8_4_a_same_parts_bases : exists v d e p, says v (Parts d [p; p]) /\ says v (Parts e [p; p]) /\
  ground_d (v_ground v) d <> ground_d (v_ground v) e.
Proof.
  exists (Valuation (Ground (fun _ => Unit) (fun _ => Row [] [])) (fun _ => false)).
  exists (DConst (Atom 2 0%nat)), (DConst (Atom 2 1%nat)), (DConst Unit).
  split; [|split; [|discriminate]]; apply conj_8_4_a_check_reflect; reflexivity.
Qed.
