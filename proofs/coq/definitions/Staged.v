(** Section 8: margins (8.1), and claims about sizes, against which Diophantine
    equations can be measured (8.4(b)). *)

From Coq Require Import PArith List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics.
Import ListNotations.

(** * 8.1: margins *)

(** The margin of an axis on both sides: the maximum over its uses. *)
Record margin : Type := Margin { left_margin : nat; right_margin : nat }.

Definition margin_max (x y : margin) : margin :=
  Margin (Nat.max (left_margin x) (left_margin y)) (Nat.max (right_margin x) (right_margin y)).

Definition margin_of (uses : list margin) : margin := fold_right margin_max (Margin 0 0) uses.

(** * Claims about sizes *)

(** What a dimension counts: 1∅ one, an atom its number, whatever its basis. *)
Definition count (d : dim) : positive := match d with Unit => 1 | Atom n _ => n end.

Definition product (l : list positive) : positive := fold_right Pos.mul 1%positive l.

(** The number of elements of a row. *)
Definition elements (R : row) : positive := product (map count (flat R)).

(** 1∅ goes with every basis. *)
Definition goes_with (d e : dim) : Prop :=
  match d, e with Atom _ b, Atom _ c => b = c | _, _ => True end.

Inductive claim : Type :=
| Concat (d p : dvar) (ps : list dvar)
| Total (rows : list rterm) (divided : list dvar) (denom coeff : positive) (v : option dvar).

(** Concat: d = p + the others, all of one basis.  Total: the elements of the rows, times
    the divisors, times denom, are coeff or coeff·v: nothing is rounded. *)
Definition claim_holds (g : ground) (c : claim) : Prop :=
  match c with
  | Concat d p ps =>
      count (g_d g d) = fold_left (fun n q => Pos.add n (count (g_d g q))) ps (count (g_d g p)) /\
      forall x y, In x (d :: p :: ps) -> In y (d :: p :: ps) -> goes_with (g_d g x) (g_d g y)
  | Total rows divided denom coeff v =>
      (product (map (fun R => elements (ground_r g R)) rows) * product (map (fun a => count (g_d g a)) divided) * denom =
       coeff * match v with Some a => count (g_d g a) | None => 1 end)%positive
  end.

Definition claims_hold (g : ground) (cs : list claim) : Prop := forall c, In c cs -> claim_holds g c.

Definition claims_satisfiable (cs : list claim) : Prop := exists g, claims_hold g cs.

(** * Polynomial equations in positive integers *)

Inductive poly : Type :=
| PVar (x : nat)
| PNum (k : positive)
| PAdd (e f : poly)
| PMul (e f : poly).

Fixpoint value_of (s : nat -> positive) (e : poly) : positive :=
  match e with
  | PVar x => s x
  | PNum k => k
  | PAdd e f => (value_of s e + value_of s f)%positive
  | PMul e f => (value_of s e * value_of s f)%positive
  end.

(** A system: pairs of sides.  Negative coefficients stand on the other side. *)
Definition solvable (sys : list (poly * poly)) : Prop :=
  exists s, forall e f, In (e, f) sys -> value_of s e = value_of s f.

Fixpoint above (e : poly) : nat :=
  match e with
  | PVar x => S x
  | PNum _ => 0
  | PAdd e f | PMul e f => Nat.max (above e) (above f)
  end.

(** * The reduction *)

Definition axes (l : list dvar) : rterm := RTerm [] None (map DVar l).

(** z = k, z = x + y, z = x·y, x = y. *)
Definition is_number (z : dvar) (k : positive) : claim := Total [axes [z]] [] 1 k None.
Definition is_sum (z x y : dvar) : claim := Concat z x [y].
Definition is_product (z x y : dvar) : claim := Total [axes [x; y]] [] 1 1 (Some z).
Definition is_same (x y : dvar) : claim := Total [axes [x]] [] 1 1 (Some y).

(** A variable for every subterm, from n on: the claims, the variable of the whole,
    the next free one. *)
Fixpoint reduce (n : nat) (e : poly) : list claim * dvar * nat :=
  match e with
  | PVar x => ([], x, n)
  | PNum k => ([is_number n k], n, S n)
  | PAdd e f =>
      let '(ce, x, n1) := reduce n e in
      let '(cf, y, n2) := reduce n1 f in
      (ce ++ cf ++ [is_sum n2 x y], n2, S n2)
  | PMul e f =>
      let '(ce, x, n1) := reduce n e in
      let '(cf, y, n2) := reduce n1 f in
      (ce ++ cf ++ [is_product n2 x y], n2, S n2)
  end.

Fixpoint reduce_system (n : nat) (sys : list (poly * poly)) : list claim :=
  match sys with
  | [] => []
  | (e, f) :: sys =>
      let '(ce, x, n1) := reduce n e in
      let '(cf, y, n2) := reduce n1 f in
      (ce ++ cf ++ [is_same x y]) ++ reduce_system n2 sys
  end.

Definition claims_of (sys : list (poly * poly)) : list claim :=
  reduce_system (list_max (map (fun ef => Nat.max (above (fst ef)) (above (snd ef))) sys)) sys.
