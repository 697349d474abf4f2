(** Prop. 7.6(iii) for accumulators whose operation has no neutral element on both
    sides: subtraction and division, and plain overwriting. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Projection IndexMap IndexMap_thm Assignment Assignment_thm.
Import ListNotations.

Lemma some_point : forall fs, Forall (lt 1) fs -> exists x, in_product x fs.
Proof.
  intros fs; induction fs as [|n fs IH]; intros W; [exists []; constructor|].
  assert (n > 1 /\ Forall (lt 1) fs) as [L W'] by (inversion W; auto).
  destruct (IH W') as (y & Y). exists (0 :: y). constructor; [lia | exact Y].
Qed.

Section OneSided.

Variables (V : Type) (op : V -> V -> V) (e : V).
Variables (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat).
Hypothesis wide : Forall (lt 1) fs.
Hypothesis map_fits : fits env fs m dims.
Hypothesis sizes : forall n, In n dims -> 1 <= n.

Notation cell := (address env m).
Notation hit := (hits cell (points fs)).

(** x - 0 = x, but 0 - v is not v. *)
Hypothesis neutral_r : forall x, op x e = x.

(** If e is neutral on the right only, every program must accumulate, reduction axis
    or not, whether the accumulator erases or keeps. *)
Theorem prop_7_6_iii_one_sided : (exists v, op e v <> v) ->
  forall erases, accumulation_required op e erases env fs m dims.
Proof.
  intros (v & Nv) erases init C. destruct (some_point fs wide) as (x & X).
  set (a := cell x). assert (D : in_domain a dims) by (eapply address_in_domain; eauto).
  assert (IX : In x (hit a)) by (apply hit_iff; auto).
  destruct (exists_last (l := hit a)) as (l & z & Z); [intros E; rewrite E in IX; exact IX|].
  pose proof (hits_nodup cell (points fs) a (points_nodup fs)) as U. rewrite Z in U.
  assert (Nz : ~ In z l) by (apply NoDup_remove_2 in U; rewrite app_nil_r in U; exact U).
  specialize (C (mark V e v z) (fun _ => e) a D). rewrite run_body, meaning_hits, Z in C. cbn [initialises loop_body] in C.
  rewrite map_app in C. cbn [map] in C. rewrite last_last, fold_left_app, fold_mark_absent in C by auto.
  cbn [fold_left] in C. unfold mark in C. rewrite (proj2 (address_eqb_iff z z) eq_refl) in C.
  apply Nv. destruct erases; symmetry; exact C.
Qed.

(** And an erasing one must initialise. *)
Theorem prop_7_6_iii_one_sided_initialises : (exists v, op e v <> v) -> (exists w, w <> e) ->
  initialisation_required op e true env fs m dims.
Proof.
  intros N (w & Nw) [|] C.
  - exact (prop_7_6_iii_one_sided N true false C).
  - destruct (some_point fs wide) as (x & X). set (a := cell x).
    assert (D : in_domain a dims) by (eapply address_in_domain; eauto).
    specialize (C (fun _ => e) (fun _ => w) a D). rewrite run_body, meaning_hits in C. cbn [initialises loop_body] in C.
    rewrite !fold_neutral in C by exact neutral_r. congruence.
Qed.
End OneSided.

(** Overwriting (=:): the last value stays. *)
Section Overwriting.

Variables (V : Type) (e v : V).
Hypothesis nontrivial : v <> e.
Variables (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat).

Definition overwrite (old new : V) : V := new.

Lemma overwrite_fold : forall l d, fold_left overwrite l d = last l d.
Proof. intros l; induction l as [|x l IH]; intros d; [reflexivity|]. simpl fold_left. rewrite IH. symmetry. apply last_cons. Qed.

(** It never has to accumulate, and must initialise iff the map is not surjective:
    what it does at a cell that is written twice depends on the order of the loops. *)
Theorem prop_7_6_iii_overwriting :
  correct overwrite e true (Program true Write) env fs m dims /\
  (correct overwrite e true (Program false Write) env fs m dims <-> surjective env fs m dims).
Proof.
  assert (M : forall i f mem a, run_program V overwrite e (address env m) (Program i Write) (points fs) f mem a
    = last (map f (hits (address env m) (points fs) a)) (if i then e else mem a)).
  { intros i f mem a. rewrite run_body. reflexivity. }
  assert (N : forall f mem a, meaning V overwrite e (address env m) true (points fs) f mem a
    = last (map f (hits (address env m) (points fs) a)) e).
  { intros f mem a. rewrite meaning_hits. apply overwrite_fold. }
  split; [intros f mem a _; now rewrite M, N|]. split.
  - intros C a D. destruct (hits (address env m) (points fs) a) as [|x l] eqn:E.
    + specialize (C (fun _ => e) (fun _ => v) a D). rewrite M, N, E in C. simpl in C. congruence.
    + exists x. apply (hit_iff env fs m). rewrite E. simpl; auto.
  - intros S f mem a D. rewrite M, N. destruct (S a D) as (x & X & E).
    assert (J : In x (hits (address env m) (points fs) a)) by (apply (hit_iff env fs m); auto).
    destruct (hits (address env m) (points fs) a) as [|y l]; [destruct J|].
    simpl map. now rewrite !last_cons.
Qed.
End Overwriting.
