(** 8.4(c): a fragment of the claims about sizes in which no guess forecloses a solution. *)

From Coq Require Import ZArith List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Staged Bounds.
Import ListNotations.
Local Open Scope Z_scope.

(** * Claims that are equations of numbers *)

(** A variable, 1∅, or a size of basis default. *)
Definition plain_term (t : dterm) : Prop :=
  match t with DVar _ | DConst Unit => True | DConst (Atom _ b) => b = default end.

(** Factors are known, bases are default; and an axis that is another one by its claim is an equation of Φ. *)
Definition simple (c : size_claim) : Prop :=
  match c with
  | Affine d (Known s) o m offset =>
      1 <= s /\ 0 <= offset < s /\ is_identity (Known s) m = false /\ plain_term d /\ plain_term o /\
      match m with
      | Strided | Padded => True
      | Valid (Known e) k => 1 <= e /\ plain_term k /\ offset = 0
      | Valid (Late _) _ => False
      end
  | Parts d parts => forall t, In t (d :: parts) -> plain_term t
  | At_least _ _ => True
  | _ => False
  end.

(** Its size equation: terms and constant. *)
Definition equation_terms (c : size_claim) : list (Z * dterm) :=
  match c with
  | Affine d (Known s) o (Strided | Padded) _ => [(-1, d); (s, o)]
  | Affine d (Known s) o (Valid (Known e) k) _ => [(-1, d); (s, o); (e, k)]
  | Parts d parts => (-1, d) :: map (pair 1) parts
  | _ => []
  end.

Definition equation_constant (c : size_claim) : Z :=
  match c with Affine _ (Known s) _ (Valid (Known e) _) _ => 1 - s - e | _ => 0 end.

(** Its unknowns with their coefficients, each once. *)
Definition unknown_terms (c : size_claim) : list (Z * dvar) := collect (flat_map unknown_of (equation_terms c)).

(** * The fragment *)

(** More than one number is left. *)
Definition loose (R : ranges) (a : dvar) : Prop := one_number (R a) = None.

(** An unknown at its least or, where [flip] says so, at its greatest size. *)
Definition corner (flip : dvar -> bool) (R : ranges) (a : dvar) : Z :=
  match flip a, most (R a) with true, Some m => number m | _, _ => number (least (R a)) end.

(** Whether the sum is least or greatest there. *)
Definition oriented (flip : dvar -> bool) (t : Z * dvar) : Z := if flip (snd t) then - fst t else fst t.

(** Two unknowns at most, and one of them makes the sum least where the other makes it greatest: strides, padded axes, windows
    of known size; with flips, two parts of a known whole. *)
Definition paired (flip : dvar -> bool) (R : ranges) (c : size_claim) : Prop :=
  (forall t others u, In (t, others) (picks (unknown_terms c)) -> In u others -> loose R (snd t) -> loose R (snd u) ->
    oriented flip t * oriented flip u < 0) /\
  (forall t, In t (unknown_terms c) -> loose R (snd t) -> flip (snd t) = true -> most (R (snd t)) <> None).

(** All unknowns but one are new, and have no coefficient. *)
Definition entered (R : ranges) (V : list dvar) (l : list (Z * dvar)) : Prop :=
  l = [] \/ exists t others, In (t, others) (picks l) /\
    forall u, In u others -> loose R (snd u) -> Z.abs (fst u) = 1 /\ ~ In (snd u) V.

(** Each claim hangs on what comes before it by one unknown at most. *)
Fixpoint hangs_on (R : ranges) (V : list dvar) (cs : list size_claim) : Prop :=
  match cs with
  | [] => True
  | c :: cs => entered R V (unknown_terms c) /\ hangs_on R (map snd (unknown_terms c) ++ V) cs
  end.

Definition all_unknowns (cs : list size_claim) : list dvar := flat_map (fun c => map snd (unknown_terms c)) cs.

(** * Guesses *)

(** Sizes as a valuation: every basis is default, nothing is 0. *)
Definition of_sizes (n : dvar -> Z) : valuation :=
  Valuation (Ground (fun a => num (Z.to_pos (n a))) (fun _ => empty_row)) (fun _ => false).

Definition in_range (R : ranges) (a : dvar) (n : Z) : Prop :=
  number (least (R a)) <= n /\ forall m, most (R a) = Some m -> n <= number m.

Definition from_one (R : ranges) : Prop := forall a, 1 <= number (least (R a)).

(** The claims are a core of pairs, whatever cycles they are on, and a forest that hangs on it and on [x]: concatenations,
    and windows without stride or dilation. *)
Definition split_at (cs : list size_claim) (R : ranges) (x : dvar) (flip : dvar -> bool) (core tree : list size_claim) : Prop :=
  (forall c, In c cs <-> In c (core ++ tree)) /\ (forall c, In c core -> paired flip R c) /\
  hangs_on R (x :: all_unknowns core) tree.

(** A guess for [x]; in the core, at its least or greatest size. *)
Definition safe (cs : list size_claim) (R : ranges) (x : dvar) (n : Z) : Prop :=
  in_range R x n /\ exists flip core tree, split_at cs R x flip core tree /\
    (In x (all_unknowns core) -> n = corner flip R x).

(** From every unknown the claims are such, with the unknown at its least size. *)
Definition fragment (cs : list size_claim) (R : ranges) : Prop :=
  forall x, loose R x -> exists flip core tree, split_at cs R x flip core tree /\ flip x = false.

Definition untagged (cs : list size_claim) : list (size_claim * bool) := map (fun c => (c, false)) cs.

(** Bounds in any order; and once they are settled a guess. *)
Inductive guessed (guess : ranges -> dvar -> Z -> Prop) (cs : list size_claim) (R0 : ranges) : ranges -> Prop :=
| Guessed_start : guessed guess cs R0 R0
| Guessed_bounds R R' c : guessed guess cs R0 R -> In c cs -> narrow (c, false) R = Narrowed R' -> guessed guess cs R0 R'
| Guessed_next R a n : guessed guess cs R0 R -> settled (untagged cs) R -> guess R a n -> guessed guess cs R0 (pin R a n).

(** ST-dim-least: some unknown, at its least size. *)
Definition least_guess (R : ranges) (a : dvar) (n : Z) : Prop := loose R a /\ n = number (least (R a)).

(** All claims hold of values within the ranges. *)
Definition open_to (cs : list size_claim) (R : ranges) (v : valuation) : Prop :=
  (forall c, In c cs -> says v c) /\ fits true v R.

(** * Just outside *)

(** Bounds are settled and there is a solution; and with the least size of [x] there is none. *)
Definition forecloses (cs : list size_claim) (R : ranges) (x : dvar) : Prop :=
  (forall c, In c cs -> simple c) /\ settled (untagged cs) R /\ not_empty R /\ from_one R /\ loose R x /\
  (exists v, open_to cs R v) /\ ~ exists v, open_to cs (pin R x (number (least (R x)))) v.

Definition between (low high : Z) : range := Range (Limit low false) (Some (Limit high false)).

(** Each of the first three variables has its range, and of the others each at least one element. *)
Definition three (x y z : range) : ranges := fun a =>
  match a with 0%nat => x | 1%nat => y | 2%nat => z | _ => Range (Limit 1 false) None end.

Definition whole (n : positive) : dterm := DConst (num n).

(** Three concatenations of 4, of each two of three parts.  Every claim is a pair by itself; there is no flip for all. *)
Definition odd_cycle : list size_claim :=
  [Parts (whole 4) [DVar 0%nat; DVar 1%nat]; Parts (whole 4) [DVar 1%nat; DVar 2%nat]; Parts (whole 4) [DVar 2%nat; DVar 0%nat]].

(** One concatenation in which two unknowns besides [x] have a coefficient: 10 = 2·a + 2·b + 3·x. *)
Definition coefficients : list size_claim :=
  [Parts (whole 10) [DVar 1%nat; DVar 1%nat; DVar 2%nat; DVar 2%nat; DVar 0%nat; DVar 0%nat; DVar 0%nat]].

(** A concatenation that hangs on a pair by both of its unknowns: y = 2·z and 8 = y + z + x. *)
Definition two_hooks : list size_claim :=
  [Affine (DVar 1%nat) (Known 2) (DVar 2%nat) Strided 0; Parts (whole 8) [DVar 1%nat; DVar 2%nat; DVar 0%nat]].

(** * Inside *)

(** x = 2·y = 3·z, a cycle of two strides, and a concatenation. *)
Definition inside : list size_claim :=
  [Affine (DVar 0%nat) (Known 2) (DVar 1%nat) Strided 0; Affine (DVar 0%nat) (Known 3) (DVar 2%nat) Strided 0;
   Parts (DVar 3%nat) [DVar 4%nat; DVar 5%nat]].

Definition inside_settled : ranges := fun a =>
  Range (Limit (match a with 0%nat => 6 | 1%nat => 3 | 2%nat | 3%nat => 2 | _ => 1 end) false) None.
