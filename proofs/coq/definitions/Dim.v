(** Section 1: dimensions and the broadcast order.

    A dimension is the size of one axis, together with a basis tag that says
    what the axis means.  Everything here computes; the order is given twice,
    as a proposition (the paper's wording) and as a boolean. *)

From Coq Require Import PArith List Bool Arith Sorted.
Import ListNotations.

(** Def. 1.1.  Basis tags are numbers, [default] is tag 0. *)
Definition basis := nat.
Definition default : basis := 0.

(** Def. 1.1.  [Unit] is the claim-free unit, [Atom n b] is the atom n_b.
    Sizes are [positive], so an atom of size zero cannot be written.
    [Unit], [Atom 1 default] and [Atom 1 b] are three different things. *)
Inductive dim : Type :=
| Unit
| Atom (n : positive) (b : basis).

(** The atom n_default: what a bare number in an example means. *)
Definition num (n : positive) : dim := Atom n default.

Definition is_atom (d : dim) : Prop :=
  match d with Unit => False | Atom _ _ => True end.

Definition dim_eqb (d e : dim) : bool :=
  match d, e with
  | Unit, Unit => true
  | Atom n b, Atom m c => Pos.eqb n m && Nat.eqb b c
  | _, _ => false
  end.

(** Def. 1.2.  The unit is the top: a result is below its operands. *)
Definition dim_le (d1 d2 : dim) : Prop := d2 = Unit \/ d1 = d2.

Definition dim_leb (d1 d2 : dim) : bool := dim_eqb d2 Unit || dim_eqb d1 d2.

Notation "d ⊑d e" := (dim_le d e) (at level 70).

(** The join never leaves D: two different dimensions meet only at the unit. *)
Definition dim_join (d e : dim) : dim := if dim_eqb d e then d else Unit.

(** Def. 1.1.  D with a fresh bottom. *)
Inductive dimb : Type :=
| Bot
| Val (d : dim).

Definition dimb_eqb (x y : dimb) : bool :=
  match x, y with
  | Bot, Bot => true
  | Val d, Val e => dim_eqb d e
  | _, _ => false
  end.

(** Def. 1.2, extended: the bottom is below everything. *)
Definition dimb_le (x y : dimb) : Prop :=
  match x, y with
  | Bot, _ => True
  | Val _, Bot => False
  | Val d, Val e => d ⊑d e
  end.

Definition dimb_leb (x y : dimb) : bool :=
  match x, y with
  | Bot, _ => true
  | Val _, Bot => false
  | Val d, Val e => dim_leb d e
  end.

Notation "x ⊑b y" := (dimb_le x y) (at level 70).

Definition dimb_lt (x y : dimb) : Prop := x ⊑b y /\ x <> y.

(** Prop. 1.3, the displayed formulas for meets and joins. *)
Definition dimb_meet (x y : dimb) : dimb :=
  match x, y with
  | Bot, _ | _, Bot => Bot
  | Val Unit, y => y
  | x, Val Unit => x
  | Val d, Val e => if dim_eqb d e then Val d else Bot
  end.

Definition dimb_join (x y : dimb) : dimb :=
  match x, y with
  | Bot, y => y
  | x, Bot => x
  | Val d, Val e => Val (dim_join d e)
  end.

(** A chain goes strictly up at every step. *)
Definition chain (c : list dimb) : Prop := Sorted dimb_lt c.

(** [y] covers [x]: it is above it, with nothing in between. *)
Definition covers (x y : dimb) : Prop :=
  dimb_lt x y /\ forall z, ~ (dimb_lt x z /\ dimb_lt z y).
