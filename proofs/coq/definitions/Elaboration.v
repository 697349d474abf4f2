(** Def. 7.2: from the ground constraints of one operation to projection equations. *)

From Coq Require Import List Bool Arith PArith.
From Lozenge Require Import Dim Row Projection IndexMap.
Import ListNotations.

(** An axis of the operation: its projection term, which is its id or an index that
    a slice supplies, and its solved dimension. *)
Record axis : Type := Axis { of_axis : atom; dim_of : dim }.

(** A ground row of axes, with its marker. *)
Record axes_row : Type := AxesRow { lead_axes : list axis; trail_axes : list axis }.

Definition flat_axes (R : axes_row) : list axis := lead_axes R ++ trail_axes R.

Definition row_of (R : axes_row) : row := map dim_of (lead_axes R) ·⋄· map dim_of (trail_axes R).

Definition size (d : dim) : nat := match d with Unit => 1 | Atom n _ => Pos.to_nat n end.

(** Φ_op.  [Terminal] marks an axis that is to be visited in any case. *)
Inductive op_constr : Type :=
| AxisEq (a b : axis)
| AxisLe (res op : axis)
| RowEq (R Q : axes_row)
| RowLe (res op : axes_row)
| Terminal (a : axis).

Definition op_holds (c : op_constr) : Prop :=
  match c with
  | AxisEq a b => dim_of a = dim_of b
  | AxisLe res op => dim_of res ⊑d dim_of op
  | RowEq R Q => row_of R ≈ row_of Q
  | RowLe res op => row_of res ⊑r row_of op
  | Terminal _ => True
  end.

(** P1. *)
Definition elab_eq (a b : axis) : list equation := [Eq (of_axis a) (of_axis b)].

(** P2, P3. *)
Definition elab_le (res op : axis) : list equation :=
  if size (dim_of op) =? 1 then [Eq (of_axis op) (Sol (Fix 0))] else [Eq (of_axis res) (of_axis op)].

(** P6, and what P5 does with a result axis that nothing reaches. *)
Definition elab_iter (a : axis) : list equation := [Iter (of_axis a)].

(** P5, one aligned pair: where P2 cuts the operand off, the result iterates. *)
Definition elab_pair (res op : axis) : list equation :=
  elab_le res op ++ if size (dim_of op) =? 1 then elab_iter res else [].

Definition elab_pairs (f : axis -> axis -> list equation) (l k : list axis) : list equation :=
  flat_map (fun c => f (fst c) (snd c)) (combine l k).

(** P5: alignment from the outer edges, and the axes between. *)
Definition surplus (res op : axes_row) : list axis :=
  skipn (length (lead_axes op)) (lead_axes res)
  ++ firstn (length (trail_axes res) - length (trail_axes op)) (trail_axes res).

Definition elab_row_le (res op : axes_row) : list equation :=
  elab_pairs elab_pair (lead_axes res) (lead_axes op)
  ++ flat_map elab_iter (surplus res op)
  ++ elab_pairs elab_pair (rev (trail_axes res)) (rev (trail_axes op)).

Definition elaborate (c : op_constr) : list equation :=
  match c with
  | AxisEq a b => elab_eq a b
  | AxisLe res op => elab_le res op
  | RowEq R Q => elab_pairs elab_eq (flat_axes R) (flat_axes Q)
  | RowLe res op => elab_row_le res op
  | Terminal a => elab_iter a
  end.

Definition elaboration (cs : list op_constr) : list equation := flat_map elaborate cs.

(** ** What is given: sizes of ids, slices in range *)

Definition axes_of (c : op_constr) : list axis :=
  match c with
  | AxisEq a b => [a; b]
  | AxisLe res op => [res; op]
  | RowEq R Q => flat_axes R ++ flat_axes Q
  | RowLe res op => flat_axes res ++ flat_axes op
  | Terminal a => [a]
  end.

(** An id has the size of its axis; an index from outside is inside its axis: that
    is checked for positions and promised for symbols. *)
Definition atom_sized (env : symbol -> nat) (sz : pid -> nat) (q : atom) (n : nat) : Prop :=
  match q with Proj p => sz p = n | Sol i => index_fits env i n end.

Definition axis_sized (env : symbol -> nat) (sz : pid -> nat) (a : axis) : Prop :=
  atom_sized env sz (of_axis a) (size (dim_of a)).

Definition all_sized (env : symbol -> nat) (sz : pid -> nat) (cs : list op_constr) : Prop :=
  forall c a, In c cs -> In a (axes_of c) -> axis_sized env sz a.

(** No axis gets its index from outside. *)
Definition unsliced (cs : list op_constr) : Prop :=
  forall c a, In c cs -> In a (axes_of c) -> exists p, of_axis a = Proj p.

(** * The examples *)

(** Matrix product c = a b, sizes 2 by 3 and 3 by 4.  Ids: c 0 1, a 2 3, b 4 5. *)
Definition example_product : list (pid * nat) * list equation :=
  ([(0, 2); (1, 4); (2, 2); (3, 3); (4, 3); (5, 4)],
   [Eq (Proj 0) (Proj 2); Eq (Proj 3) (Proj 4); Eq (Proj 1) (Proj 5)] ++ map (fun p => Iter (Proj p)) [2; 3; 4; 5]).

(** Adding a column: result [2,3], operands [2,3] and [2,1∅].  Ids: 0 1, 2 3, 4 5. *)
Definition example_axis (p : pid) (d : dim) : axis := Axis (Proj p) d.

Definition example_column : list (pid * nat) * list op_constr :=
  let r := AxesRow [] [example_axis 0 (num 2); example_axis 1 (num 3)] in
  ([(0, 2); (1, 3); (2, 2); (3, 3); (4, 2); (5, 1)],
   [RowLe r (AxesRow [] [example_axis 2 (num 2); example_axis 3 (num 3)]);
    RowLe r (AxesRow [] [example_axis 4 (num 2); example_axis 5 Unit]);
    Terminal (example_axis 2 (num 2)); Terminal (example_axis 4 (num 2))]).

(** The result's axis copied from an axis of size 3, with no terminal: 0, 1. *)
Definition example_bare_copy : list (pid * nat) * list op_constr :=
  ([(0, 3); (1, 3)],
   [RowLe (AxesRow [] [example_axis 0 (num 3)]) (AxesRow [] [example_axis 1 (num 3)])]).
