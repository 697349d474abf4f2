(** Lemma 7.7(a), its bookkeeping: the constraints of one operation, and the same
    derived again with the closed shapes. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Closing Einsum.
Import ListNotations.

(** A pointwise operation: the result below each operand.  One with a specification:
    each slot's template is equated with the tensor's row. *)
Inductive operation : Type :=
| Pointwise (res : rterm) (ops : list rterm)
| Specified (slots : list slot_row).

Definition op_constraints (o : operation) : list constr :=
  match o with
  | Pointwise res ops => map (RLe res) ops
  | Specified slots => map slot_equation slots
  end.

(** A program gives the constraints of its operations, and others: what is declared
    about leaves. *)
Definition program_constraints (os : list operation) (declared : list constr) : list constr :=
  flat_map op_constraints os ++ declared.

(** Rows of tensors have no variable of a specification. *)
Definition of_tensor (spec : var -> bool) (R : rterm) : Prop := forall v, In v (vars_r R) -> spec v = false.

Definition scoped (spec : var -> bool) (o : operation) : Prop :=
  match o with
  | Pointwise res ops => of_tensor spec res /\ forall R, In R ops -> of_tensor spec R
  | Specified slots => forall s, In s slots -> of_tensor spec (tensor s)
  end.

(** The derivation again: closed shapes in place of the tensors' variables, fresh names
    for those of the specification. *)
Definition rederived (spec : var -> bool) (rename : nat -> nat) (g : ground) : subst :=
  Subst (fun a => if spec (DV a) then DVar (rename a) else DConst (g_d g a))
        (fun p => if spec (RV p) then rvar_term (rename p) else term_of (g_r g p)).

Definition rederive (spec : var -> bool) (rename : nat -> nat) (g : ground) (o : operation) : list constr :=
  map (sub_c (rederived spec rename g)) (op_constraints o).

(** The templates of an operation. *)
Definition templates (o : operation) : list rterm :=
  match o with Pointwise _ _ => [] | Specified slots => map template slots end.
