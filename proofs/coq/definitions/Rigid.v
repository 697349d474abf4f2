(** Def. 2.12 to Remark 2.15: rows of two sorts, their joins, and the one-shot
    relation.

    A rigid row has no marker, so nothing can be put into it. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row.
Import ListNotations.

(** Def. 2.12. *)
Inductive row2 : Type :=
| Marked (R : row)
| Rigid (F : list dim).

(** The content of a row of either sort: the sequence without any marker. *)
Definition flat2 (X : row2) : list dim :=
  match X with Marked R => flat R | Rigid F => F end.

Definition rank2 (X : row2) : nat := length (flat2 X).

(** Def. 2.12, clauses (a) to (d), one per line.  A rigid row expands only to
    its own rank, which is why (b) needs equal ranks (inside [refines]). *)
Definition row2_le (X Y : row2) : Prop :=
  match X, Y with
  | Marked R2, Marked R1 => R2 ⊑r R1
  | Rigid F2, Rigid F1 => refines F2 F1
  | Rigid F, Marked R => rank R <= length F /\ refines F (expand R (length F))
  | Marked _, Rigid _ => False
  end.

Definition row2_leb (X Y : row2) : bool :=
  match X, Y with
  | Marked R2, Marked R1 => row_leb R2 R1
  | Rigid F2, Rigid F1 => refinesb F2 F1
  | Rigid F, Marked R => (rank R <=? length F) && refinesb F (expand R (length F))
  | Marked _, Rigid _ => false
  end.

Notation "X ⊑ Y" := (row2_le X Y) (at level 70).

(** Remark 2.15(ii).  Make the lower side rigid, then compare. *)
Definition oneshot (X Y : row2) : Prop := Rigid (flat2 X) ⊑ Y.

Definition oneshotb (X Y : row2) : bool := row2_leb (Rigid (flat2 X)) Y.

Notation "X ⊑¹ Y" := (oneshot X Y) (at level 70).

(** * Joins across the sorts

    Remark 2.14 leaves these open.  An upper bound of a rigid row is rigid of
    the same rank, or marked with both flanks together no longer than the row.
    When the longest possible flanks do not fit side by side, the upper bounds
    have several minimal elements, and no join exists. *)

Definition is_upper (X Y U : row2) : Prop := X ⊑ U /\ Y ⊑ U.

Definition is_lub (X Y Z : row2) : Prop :=
  is_upper X Y Z /\ forall U, is_upper X Y U -> Z ⊑ U.

Definition is_minimal_upper (X Y Z : row2) : Prop :=
  is_upper X Y Z /\ forall U, is_upper X Y U -> U ⊑ Z -> U = Z.

(** The candidate for a marked row [R] and a rigid row [F]: each flank of [R]
    joined with the end of [F] it lies on, cut to the shorter of the two. *)
Definition mixed_candidate (R : row) (F : list dim) : row :=
  join_front (lead R) F ·⋄· join_back (trail R) F.

(** It counts only if its flanks do not overlap inside [F]. *)
Definition mixed_join (R : row) (F : list dim) : option row2 :=
  if rank (mixed_candidate R F) <=? length F
  then Some (Marked (mixed_candidate R F)) else None.

Definition rigid_join (F G : list dim) : option row2 :=
  if length F =? length G then Some (Rigid (join_front F G))
  else if (length F =? 0) || (length G =? 0) then Some (Marked empty_row)
  else None.

Definition row2_join (X Y : row2) : option row2 :=
  match X, Y with
  | Marked R, Marked Q => Some (Marked (row_join R Q))
  | Rigid F, Rigid G => rigid_join F G
  | Marked R, Rigid F | Rigid F, Marked R => mixed_join R F
  end.
