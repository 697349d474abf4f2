(** 8.5: what two size equations share cancels (ST-cancel). *)

From Coq Require Import ZArith List Bool Arith.
From Lozenge Require Import Dim Row Term Rules Bounds.
Import ListNotations.
Local Open Scope Z_scope.

(** The size equation of a claim: Σ c·x + constant = 0, and whether that rests on a commitment.  Of several readings of an
    affine axis the first: that in which its factors are known. *)
Definition equation (R : ranges) (i : size_claim * bool) : option (list (Z * dterm) * limit) :=
  let '(c, t) := i in
  match c with
  | Affine d stride over m _ =>
      option_map (fun form => (fst form, Limit (number (snd form)) (t || rests (snd form))))
        (hd_error (affine_forms R d stride over m))
  | Parts d parts => Some ((-1, d) :: map (pair 1) parts, Limit 0 t)
  | _ => None
  end.

(** The unknowns, each once, and what is known. *)
Definition sum (R : ranges) (i : size_claim * bool) : option (list (Z * dvar) * limit) :=
  match equation R i with
  | Some (l, k) => Some (collect (flat_map unknown_of l), Limit (number k + plus (map known_of l)) (rests k))
  | None => None
  end.

(** An unknown whose range is one number is known. *)
Definition loose (R : ranges) (l : list (Z * dvar)) : list (Z * dvar) :=
  filter (fun t => match one_number (R (snd t)) with Some _ => false | None => true end) l.

Definition has (l : list (Z * dvar)) (t : Z * dvar) : bool :=
  existsb (fun u => (fst t =? fst u) && Nat.eqb (snd t) (snd u)) l.

Definition opposite (l : list (Z * dvar)) : list (Z * dvar) := map (fun t => (- fst t, snd t)) l.

(** They share two terms at least, and all but one of each. *)
Definition shares (l k : list (Z * dvar)) : bool :=
  let shared := length (filter (has k) l) in
  Nat.leb 2 shared && Nat.leb (length l) (S shared) && Nat.leb (length k) (S shared).

(** One less the other. *)
Definition narrow_less (l : list (Z * dvar)) (k : limit) (l' : list (Z * dvar)) (k' : limit) (R : ranges) : narrowed :=
  narrow_linear (l ++ opposite l') (Limit (number k - number k') (rests k || rests k')) R.

(** Two claims, in either sign. *)
Definition cancel (i j : size_claim * bool) (R : ranges) : narrowed :=
  match sum R i, sum R j with
  | Some (l, k), Some (l', k') =>
      if shares (loose R l) (loose R l') then narrow_less l k l' k' R
      else if shares (loose R l) (loose R (opposite l')) then
        narrow_less l k (opposite l') (Limit (- number k') (rests k')) R
      else Narrowed R
  | _, _ => Narrowed R
  end.

(** Every two of them. *)
Fixpoint pairs {A : Type} (l : list A) : list (A * A) :=
  match l with [] => [] | a :: l => map (pair a) l ++ pairs l end.

(** All claims, and all two of them, so many times. *)
Fixpoint bounds_cancelled (rounds : nat) (is : list (size_claim * bool)) (R : ranges) : narrowed :=
  match rounds with
  | O => Narrowed R
  | S n =>
      and_then (each narrow is R) (fun R =>
      and_then (each (fun p => cancel (fst p) (snd p)) (pairs is) R) (bounds_cancelled n is))
  end.
