(** Def. 7.3: what a pass of the projection solver makes of every id, as data that
    a program can print and compare. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Projection.
Import ListNotations.

(** For an id: where the first id of its class stands in [axes], the pin of the
    class, and whether it is iterated. *)
Record class : Type := Class { leader : nat; class_pin : option index; class_iterated : bool }.

Definition class_of (st : state) (ps : list pid) (p : pid) : class :=
  Class (position (same st p) ps) (pin_of st p) (iterated st p).

(** A class for every id of [axes], in that order. *)
Definition classes (axes : list (pid * nat)) (E : list equation) : result (list class) :=
  if well_formedb axes E then
    match solve (size_in axes) E with
    | Done st => Done (map (class_of st (map fst axes)) (map fst axes))
    | Failed f => Failed f
    end
  else Failed Malformed.
