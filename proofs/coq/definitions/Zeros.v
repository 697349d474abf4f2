(** 8.3 with bounds: guesses of least sizes, where that can be 0. *)

From Coq Require Import ZArith List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Staged Bounds Fragment Discard.
Import ListNotations.
Local Open Scope Z_scope.

(** Sizes as a valuation: every basis is default, and what has no elements is 0. *)
Definition of_counts (n : dvar -> Z) : valuation :=
  Valuation (Ground (fun a => num (Z.to_pos (n a))) (fun _ => empty_row)) (fun a => n a =? 0).

(** What can be 0 is nowhere but in concatenations. *)
Definition only_parts (zs : dvar -> bool) (cs : list size_claim) : Prop :=
  forall c a, In c cs -> In a (besides c) -> zs a = false.

(** Everything else has an element. *)
Definition from_least (zs : dvar -> bool) (R : ranges) : Prop := forall a, (if zs a then 0 else 1) <= number (least (R a)).

(** All claims hold of values within the ranges, and only what can be is 0. *)
Definition open_with (zs : dvar -> bool) (cs : list size_claim) (R : ranges) (v : valuation) : Prop :=
  open_to cs R v /\ forall a, v_zero v a = true -> zs a = true.

(** a^b, a^c => a of axes of sizes 5 and 3, with a = 0, b = 1, c = 2: the claims, and their bounds before they are read
    and when they are settled. *)
Definition crossed_sizes : list size_claim :=
  [Parts (whole 5) [DVar 0%nat; DVar 1%nat]; Parts (whole 3) [DVar 0%nat; DVar 2%nat]].

Definition crossed_zeros (a : dvar) : bool := (Nat.eqb a 1 || Nat.eqb a 2)%bool.

Definition crossed_start : ranges := unbounded [] crossed_zeros.

Definition crossed_settled : ranges := three (between 1 3) (between 2 4) (between 0 2).
