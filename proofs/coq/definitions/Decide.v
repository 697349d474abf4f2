(** Remark 6.7 as a program: where the solver chose, search over the lengths of
    the flanks of every row variable.  Once these are fixed every row constraint
    is a set of dimension constraints, and those the solver decides. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Certificate Queue Cycle Fire Solver Solve Close.
Import ListNotations.

(** What the solver answers: γ↑ where that is a solution; that there is none;
    neither. *)
Inductive answer : Type := Has (g : ground) | Has_none | Says_nothing.

Definition answer_of (cs : list constr) (v : verdict) : answer :=
  match v with
  | Solved_form s => let g := greatest (s_subst s) in if solb cs g then Has g else Says_nothing
  | Unsat _ => Has_none
  | Rejected _ => Says_nothing
  end.

(** The solver with the signed guard. *)
Definition solver_answers (anti : bool) (o : strategy) (n : nat) (cs : list constr) : answer :=
  answer_of cs (snd (solve_signed anti o n cs)).

(** [Unlooked]: no solution up to the rank, and there may be one above.
    [Stuck]: the solver said nothing of closed rows. *)
Inductive decision : Type := Satisfied (g : ground) | Unsatisfiable | Unlooked | Stuck.

(** How many leading and trailing axes, one row variable after the other. *)
Definition chosen_lengths : Type := list (rvar * (nat * nat)).

Fixpoint lengths_at (ch : chosen_lengths) (p : rvar) : nat * nat :=
  match ch with
  | [] => (0, 0)
  | (q, n) :: ch => if Nat.eqb p q then n else lengths_at ch p
  end.

(** * Which ranks are possible *)

Definition row_vars (cs : list constr) : list rvar :=
  flat_map (fun v => match v with RV p => [p] | DV _ => [] end) (sort_vars (flat_map vars_c cs)).

(** The rank of each variable is at most this, where it has a bound. *)
Definition ranks : Type := list (rvar * nat).

Fixpoint rank_of (b : ranks) (p : rvar) : option nat :=
  match b with
  | [] => None
  | (q, n) :: b => if Nat.eqb p q then Some n else rank_of b p
  end.

Definition most (b : ranks) (R : rterm) : option nat :=
  match tmid R with
  | None => Some (known_rank R)
  | Some p => match rank_of b p with Some n => Some (n + known_rank R) | None => None end
  end.

(** The rank of the second row is at most that of the first. *)
Definition bound_by (x : ranks * bool) (larger smaller : rterm) : ranks * bool :=
  match most (fst x) larger, tmid smaller with
  | Some n, Some p =>
      let k := n - known_rank smaller in
      match rank_of (fst x) p with
      | Some m => if k <? m then ((p, k) :: fst x, true) else x
      | None => ((p, k) :: fst x, true)
      end
  | _, _ => x
  end.

Definition bound_constr (x : ranks * bool) (c : constr) : ranks * bool :=
  match c with
  | REq R Q => bound_by (bound_by x R Q) Q R
  | RLe res op => bound_by x res op
  | _ => x
  end.

Fixpoint bound_rounds (n : nat) (cs : list constr) (b : ranks) : ranks :=
  match n with
  | O => b
  | S n =>
      let '(b, changed) := fold_left bound_constr cs (b, false) in
      if changed then bound_rounds n cs b else b
  end.

Definition upper_bounds (cs : list constr) : ranks := bound_rounds (S (length (row_vars cs))) cs [].

(** * Which lengths the row constraints allow *)

Definition measured (ch : chosen_lengths) (R : rterm) : nat * nat :=
  let n := match tmid R with Some p => lengths_at ch p | None => (0, 0) end in
  (length (tlead R) + fst n, length (ttrail R) + snd n).

Definition allows (ch : chosen_lengths) (c : constr) : bool :=
  match c with
  | RLe res op =>
      let n := measured ch res in let m := measured ch op in
      (fst m <=? fst n) && (snd m <=? snd n)
  | REq R Q =>
      let n := measured ch R in let m := measured ch Q in
      Nat.eqb (fst n + snd n) (fst m + snd m)
  | _ => true
  end.

(** After how many variables a constraint can be judged. *)
Fixpoint place_of (ps : list rvar) (p : rvar) : nat :=
  match ps with [] => 0 | q :: ps => if Nat.eqb p q then 1 else S (place_of ps p) end.

Definition place_mid (ps : list rvar) (R : rterm) : nat :=
  match tmid R with Some p => place_of ps p | None => 0 end.

Definition judged_after (ps : list rvar) (c : constr) : nat :=
  match c with RLe R Q | REq R Q => max (place_mid ps R) (place_mid ps Q) | _ => 0 end.

Definition fits (cs : list constr) (ch : chosen_lengths) : bool :=
  forallb (fun c => negb (Nat.eqb (judged_after (row_vars cs) c) (length ch)) || allows ch c) cs.

(** * The rows of these lengths, each axis a variable of its own from [n] on *)

Fixpoint axes_of (n : nat) (ch : chosen_lengths) : list (rvar * rterm) :=
  match ch with
  | [] => []
  | (p, (l, t)) :: ch =>
      (p, RTerm (map DVar (seq n l)) None (map DVar (seq (n + l) t))) :: axes_of (n + l + t) ch
  end.

Fixpoint row_at (rs : list (rvar * rterm)) (p : rvar) : rterm :=
  match rs with
  | [] => rvar_term p
  | (q, R) :: rs => if Nat.eqb p q then R else row_at rs p
  end.

Definition lengths_subst (n : nat) (ch : chosen_lengths) : subst := Subst DVar (row_at (axes_of n ch)).

Definition axes_in (ch : chosen_lengths) : nat := list_sum (map (fun x => fst (snd x) + snd (snd x)) ch).

(** * The search *)

Fixpoint first_some {A B : Type} (f : A -> option B) (l : list A) : option B :=
  match l with
  | [] => None
  | x :: l => match f x with Some y => Some y | None => first_some f l end
  end.

Section Decide.
(** The solver: fresh variables have the numbers from the first argument on. *)
Variable solve : nat -> list constr -> answer.
Variable cs : list constr.
(** Above every variable of the set. *)
Variable n : nat.

(** A solution with these lengths, if there is one. *)
Definition with_lengths (ch : chosen_lengths) : option decision :=
  let s := lengths_subst n ch in
  match solve (n + axes_in ch) (map (sub_c s) cs) with
  | Has g => Some (Satisfied (ground_comp g s))
  | Has_none => None
  | Says_nothing => Some Stuck
  end.

Definition sum_of (todo : list (rvar * nat)) : nat := list_sum (map snd todo).

(** Lengths for the variables to come, each up to its rank, [left] axes in all:
    few axes first, then the marker further on. *)
Fixpoint tries (todo : list (rvar * nat)) (ch : chosen_lengths) (left : nat) : option decision :=
  if fits cs ch then
    match todo with
    | [] => if Nat.eqb left 0 then with_lengths ch else None
    | (p, high) :: todo =>
        let low := left - sum_of todo in
        first_some
          (fun rank => first_some (fun l => tries todo (ch ++ [(p, (l, rank - l))]) (left - rank)) (seq 0 (S rank)))
          (seq low (S (min left high) - low))
    end
  else None.

(** Few axes in all first; variables up to a rank. *)
Definition search_lengths (rank_bound : nat) : decision :=
  let b := upper_bounds cs in
  let high := fun p => match rank_of b p with Some k => min k rank_bound | None => rank_bound end in
  let cut := existsb (fun p => match rank_of b p with Some k => rank_bound <? k | None => true end) (row_vars cs) in
  let todo := map (fun p => (p, high p)) (row_vars cs) in
  match first_some (fun total => tries todo [] total) (seq 0 (S (sum_of todo))) with
  | Some d => d
  | None => if cut then Unlooked else Unsatisfiable
  end.

(** The deterministic run, a rank model, then the search. *)
Definition decide (rank_bound : nat) : decision :=
  match solve n cs with
  | Has_none => Unsatisfiable
  | Has g => Satisfied g
  | Says_nothing =>
      if positive_cycleb (flat_map rank_facts cs) then Unsatisfiable else search_lengths rank_bound
  end.

End Decide.

(** With the solver of this project. *)
Definition decide_signed (anti : bool) (o : strategy) (cs : list constr) (n rank_bound : nat) : decision :=
  decide (solver_answers anti o) cs (first_fresh n cs) rank_bound.
