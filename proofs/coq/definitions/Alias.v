(** Prop. 7.6(iii) where the target is an operand too, as in x =:+ x ~logic:"ij => ji":
    what is computed at a point depends on what the target holds. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Projection IndexMap Assignment.
Import ListNotations.

(** What is computed at each point, from the content of the target. *)
Definition reader (V : Type) := memory V -> list nat -> V.

Section Aliases.

Variables (V : Type) (op : V -> V -> V) (e : V).
Variable place : list nat -> list nat.

(** The meaning: operands are read as they were before the assignment. *)
Definition meaning_before (erases : bool) (xs : list (list nat)) (g : reader V) (m : memory V) : memory V :=
  meaning V op e place erases xs (g m) m.

(** A program that reads them so, off a copy of the target. *)
Definition run_before (P : program) (xs : list (list nat)) (g : reader V) (m : memory V) : memory V :=
  run_program V op e place P xs (g m) m.

(** In place: each point reads the target as it is by then, initialised or written. *)
Definition execute_in_place (b : body) (g : reader V) (m : memory V) (x : list nat) : memory V :=
  execute V op place b (g m) m x.

Definition run_in_place (P : program) (xs : list (list nat)) (g : reader V) (m : memory V) : memory V :=
  fold_left (execute_in_place (loop_body P) g) xs (if initialises P then fun _ => e else m).

End Aliases.

(** The program is right whatever is read of the target, if it is read before. *)
Definition correct_before {V : Type} (op : V -> V -> V) (e : V) (erases : bool) (P : program)
    (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat) : Prop :=
  forall g mem a, in_domain a dims ->
    run_before V op e (address env m) P (points fs) g mem a
    = meaning_before V op e (address env m) erases (points fs) g mem a.

(** The program is right in place for the right side [g]. *)
Definition right_in_place {V : Type} (op : V -> V -> V) (e : V) (erases : bool) (P : program)
    (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat) (g : reader V) : Prop :=
  forall mem a, in_domain a dims ->
    run_in_place V op e (address env m) P (points fs) g mem a
    = meaning_before V op e (address env m) erases (points fs) g mem a.

(** Of the target every point reads at most the cell that it writes. *)
Definition reads_own_cell {V : Type} (env : symbol -> nat) (fs : list nat) (m : list label) (g : reader V) : Prop :=
  forall x mem mem', in_product x fs -> mem (address env m x) = mem' (address env m x) -> g mem x = g mem' x.

(** The program that [needs_init] and [needs_accumulation] ask for. *)
Definition program_read_off (erases : bool) (fs : list nat) (m : list label) (dims : list nat) : program :=
  Program (needs_init erases fs m dims) (if needs_accumulation erases fs m then Accumulate else Write).
