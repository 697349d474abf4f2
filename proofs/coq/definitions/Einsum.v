(** Remark 2.15(ii) to (iv): an einsum read for checking, and for inference. *)

From Coq Require Import PArith List Bool Arith.
From Lozenge Require Import Dim Row Rigid Term Semantics.
Import ListNotations.

(** The row of a tensor, with the template that the specification gives it. *)
Record slot_row : Type := SlotRow { tensor : rterm; template : rterm }.

Record einsum : Type := Einsum { result : slot_row; operands : list slot_row }.

(** (iii) Results broadcast on the left: l·<ρ>·r grounds to l·⋄·(flat(γρ)·r). *)
Definition left_marked (g : ground) (T : rterm) : row :=
  map (ground_d g) (tlead T) ·⋄· (flat (ground_mid g (tmid T)) ++ map (ground_d g) (ttrail T)).

(** (ii) Checking: result ⊑¹ its template, each operand's template ⊑¹ the operand. *)
Definition checks (g : ground) (e : einsum) : Prop :=
  Marked (ground_r g (tensor (result e))) ⊑¹ Marked (left_marked g (template (result e))) /\
  forall s, In s (operands e) -> Marked (ground_r g (template s)) ⊑¹ Marked (ground_r g (tensor s)).

(** (iv) Inference: templates are equated with the tensors' rows. *)
Definition slot_equation (s : slot_row) : constr := REq (template s) (tensor s).
Definition equations (e : einsum) : list constr := map slot_equation (result e :: operands e).

(** A result without axes, and an operand []⋄[1∅] read by the template []⋄[3]: the
    operand broadcasts into the template. *)
Definition example_2_15_iv : einsum :=
  Einsum (SlotRow (RTerm [] None []) (RTerm [] None []))
         [SlotRow (RTerm [] None [DConst Unit]) (RTerm [] None [DConst (num 3)])].
