(** §5: the solver with the signed guard, as a function.  It needs no bound on the
    number of steps: [Solver_thm] says that every run ends. *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Dim Row Term Semantics Rules Certificate Queue Fire Solver Solver_thm.
Import ListNotations.

(** What was done, and the verdict.  Variables from [n] on are fresh. *)
Definition solve (P : policy) (n : nat) (cs : list constr)
    (G : guard P = Signed) (N : numbered n (flat_map vars_c cs)) : list did * verdict :=
  let '(ds, last) := run_from P (started P n cs) (r1b_follows_ends P n cs G N) in (ds, verdict_of last).

(** The same from a state that was reached, with constraints added or not. *)
Definition resume (P : policy) (s : state) (A : Acc (follows P) s) : list did * verdict :=
  let '(ds, last) := run_from P s A in (ds, verdict_of last).

(** The least number from [n] on above all variables of the constraints. *)
Definition first_fresh (n : nat) (cs : list constr) : nat :=
  fold_right (fun v m => max (S (number v)) m) n (flat_map vars_c cs).

Lemma first_fresh_numbered : forall n cs, numbered (first_fresh n cs) (flat_map vars_c cs).
Proof.
  intros n cs. unfold first_fresh. induction (flat_map vars_c cs) as [|w V IH]; intros v I; [destruct I|].
  cbn [fold_right]. destruct I as [->|I]; [lia|]. apply IH in I. lia.
Qed.

(** Without anything to show beforehand. *)
Definition solve_signed (anti : bool) (o : strategy) (n : nat) (cs : list constr) : list did * verdict :=
  solve (Policy Signed anti o) (first_fresh n cs) cs eq_refl (first_fresh_numbered n cs).
