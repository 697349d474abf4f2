(** Prop. 7.6(iii): what an assignment means, and the programs it may become. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Projection IndexMap.
Import ListNotations.

Section Assignments.

(** The values, the accumulating operation and its neutral element; the index map
    of the left side, which is what [place] stands for; the points in the order of
    the loops; what is computed at each point from the right side. *)
Variables (V : Type) (op : V -> V -> V) (e : V).
Variable place : list nat -> list nat.

Definition memory := list nat -> V.

Definition address_eqb (a b : list nat) : bool := if list_eq_dec Nat.eq_dec a b then true else false.

Definition store (m : memory) (a : list nat) (v : V) : memory :=
  fun b => if address_eqb b a then v else m b.

(** The body of the innermost loop: write, or read, combine and write. *)
Inductive body : Type := Write | Accumulate.

Definition execute (b : body) (f : list nat -> V) (m : memory) (x : list nat) : memory :=
  store m (place x) (match b with Write => f x | Accumulate => op (m (place x)) (f x) end).

(** A compiled assignment: with or without setting all cells to e first. *)
Record program : Type := Program { initialises : bool; loop_body : body }.

Definition run_program (P : program) (xs : list (list nat)) (f : list nat -> V) (m : memory) : memory :=
  fold_left (execute (loop_body P) f) xs (if initialises P then fun _ => e else m).

(** What the assignment means: in each cell all that falls on it is accumulated,
    from e if the accumulator erases (=:+), from the old content if not (=+). *)
Definition meaning (erases : bool) (xs : list (list nat)) (f : list nat -> V) (m : memory) : memory :=
  fun a => fold_left op (map f (filter (fun x => address_eqb (place x) a) xs)) (if erases then e else m a).

End Assignments.

(** All points of the product space, the last loop running fastest. *)
Fixpoint points (fs : list nat) : list (list nat) :=
  match fs with
  | [] => [[]]
  | n :: fs => flat_map (fun i => map (cons i) (points fs)) (seq 0 n)
  end.

(** The program leaves the right content in every cell of the left side, whatever
    was there and whatever is accumulated. *)
Definition correct {V : Type} (op : V -> V -> V) (e : V) (erases : bool) (P : program)
    (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat) : Prop :=
  forall f mem a, in_domain a dims ->
    run_program V op e (address env m) P (points fs) f mem a
    = meaning V op e (address env m) erases (points fs) f mem a.

(** No program that only writes will do. *)
Definition accumulation_required {V : Type} (op : V -> V -> V) (e : V) (erases : bool)
    (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat) : Prop :=
  forall init, ~ correct op e erases (Program init Write) env fs m dims.

(** No program that does not initialise will do. *)
Definition initialisation_required {V : Type} (op : V -> V -> V) (e : V) (erases : bool)
    (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat) : Prop :=
  forall b, ~ correct op e erases (Program false b) env fs m dims.

(** The same, read off. *)
Definition needs_accumulation (erases : bool) (fs : list nat) (m : list label) : bool :=
  negb (erases && injectiveb fs m).

Definition needs_init (erases : bool) (fs : list nat) (m : list label) (dims : list nat) : bool :=
  erases && negb (injectiveb fs m && surjectiveb m dims).
