(** Section 2: rows, that is, shapes with a marker.

    A row lists dimensions before and after a marker; the marker is the one
    place where broadcasting may put further axes. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim.
Import ListNotations.

(** Def. 2.1.  Two flanks around the marker.  Equality of rows is equality of
    both flanks, so it sees where the marker is. *)
Record row : Type := Row { lead : list dim; trail : list dim }.

Notation "l ·⋄· r" := (Row l r) (at level 65).

Definition empty_row : row := [] ·⋄· [].

Definition rank (R : row) : nat := length (lead R) + length (trail R).

(** Def. 2.9.  The row without its marker. *)
Definition flat (R : row) : list dim := lead R ++ trail R.

(** Def. 2.2.  Units are put in at the marker until the length is [n].
    The paper asks for [rank R <= n]; below that nothing is put in. *)
Definition expand (R : row) (n : nat) : list dim :=
  lead R ++ repeat Unit (n - rank R) ++ trail R.

(** Pointwise refinement of sequences of equal length. *)
Definition refines : list dim -> list dim -> Prop := Forall2 dim_le.

Fixpoint refinesb (F G : list dim) : bool :=
  match F, G with
  | [], [] => true
  | d :: F, e :: G => dim_leb d e && refinesb F G
  | _, _ => false
  end.

(** Def. 2.3.  (i) each flank fits on its own side; (ii) the lower row refines
    the upper one expanded to the lower row's rank. *)
Definition row_le (R2 R1 : row) : Prop :=
  length (lead R1) <= length (lead R2) /\
  length (trail R1) <= length (trail R2) /\
  refines (flat R2) (expand R1 (rank R2)).

Definition row_leb (R2 R1 : row) : bool :=
  (length (lead R1) <=? length (lead R2)) &&
  (length (trail R1) <=? length (trail R2)) &&
  refinesb (flat R2) (expand R1 (rank R2)).

Notation "R ⊑r S" := (row_le R S) (at level 70).

(** Prop. 2.7.  Joins entry by entry, as long as both sequences last. *)
Fixpoint join_front (F G : list dim) : list dim :=
  match F, G with
  | d :: F, e :: G => dim_join d e :: join_front F G
  | _, _ => []
  end.

(** The same, aligned at the back. *)
Definition join_back (F G : list dim) : list dim := rev (join_front (rev F) (rev G)).

(** The last [n] entries, as [firstn] is the first [n]. *)
Definition lastn (n : nat) (F : list dim) : list dim := rev (firstn n (rev F)).

Definition row_join (R1 R2 : row) : row :=
  join_front (lead R1) (lead R2) ·⋄· join_back (trail R1) (trail R2).

(** Def. 2.9.  Flat equivalence: equal once the marker is forgotten. *)
Definition flat_equiv (R S : row) : Prop := flat R = flat S.

Notation "R ≈ S" := (flat_equiv R S) (at level 70).

Fixpoint dims_eqb (F G : list dim) : bool :=
  match F, G with
  | [], [] => true
  | d :: F, e :: G => dim_eqb d e && dims_eqb F G
  | _, _ => false
  end.

Definition flat_equivb (R S : row) : bool := dims_eqb (flat R) (flat S).

Definition row_eqb (R S : row) : bool :=
  dims_eqb (lead R) (lead S) && dims_eqb (trail R) (trail S).

(** The two halves of the row order, each a statement about one flank.
    [front_le F G]: [F] starts with a refinement of [G]. *)
Fixpoint front_le (F G : list dim) {struct G} : Prop :=
  match G, F with
  | [], _ => True
  | e :: G, d :: F => d ⊑d e /\ front_le F G
  | _ :: _, [] => False
  end.

(** [back_le F G]: [F] ends with a refinement of [G]. *)
Definition back_le (F G : list dim) : Prop := front_le (rev F) (rev G).
