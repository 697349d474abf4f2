(** Lemma 7.7(a): the constraints of one operation, derived again with ground
    tensor rows. *)

From Coq Require Import List.
From Lozenge Require Import Dim Row Term Semantics Rules.
Import ListNotations.

(** A row of a tensor whose shape is solved and closed. *)
Definition closed_ground (R : rterm) : Prop :=
  tmid R = None /\ forall t, In t (tflat R) -> exists d, t = DConst d.

(** What one operation gives: labels are equated, templates are equated with tensor
    rows, tensor rows are compared.  So a row variable of a template is never
    under ⊑, and no equation has one on both sides. *)
Definition local (c : constr) : Prop :=
  match c with
  | DEq _ _ => True
  | DLe t u => exists d e, t = DConst d /\ u = DConst e
  | REq R Q => closed_ground R \/ closed_ground Q
  | RLe R Q => closed_ground R /\ closed_ground Q
  end.

(** A variable that stands in a template: some equation has it on one side and a
    tensor row on the other. *)
Definition anchored (cs : list constr) (v : var) : Prop :=
  exists R Q, (In (REq R Q) cs \/ In (REq Q R) cs) /\ closed_ground Q /\ In v (vars_r R).

(** No variable is left in a value. *)
Definition eliminated (s : subst) (v : var) : Prop :=
  match v with
  | DV a => exists d, on_d s a = DConst d
  | RV p => closed_ground (on_r s p)
  end.
