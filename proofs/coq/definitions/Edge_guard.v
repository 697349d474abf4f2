(** Def. 4.5: runs in which the deficit rule's constraint is processed again at once,
    as the program does; runs whose bindings are recorded in both directions; and what
    is left to grow.  At the left edge these decide whether a run ends. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Endless Fair Queue Fire Solver Edge.
Import ListNotations.

(** * Reprocessing at once *)

(** A configuration, what the guard of Def. 4.5 has recorded, and the constraint
    that is to be processed before all others, if there is one. *)
Definition turn : Type := config * list fact * option constr.

(** "Then reprocess" (4.3): the consumed constraint, with the binding put in. *)
Definition reprocessed (c : constr) (e : effect) : option constr :=
  if again e then Some (match binds e with Some b => sub_c (as_subst b) c | None => c end) else None.

(** A step after which the guard of Def. 4.5 is silent.  The order is free but for
    what is to be reprocessed. *)
Inductive prompt_step : turn -> turn -> Prop :=
| Prompt_step C fs now pre c post r e : phi C = pre ++ c :: post ->
    fires (used C) (store C) c r (Does e) -> (forall d, now = Some d -> d = c) ->
    ~ positive_cycle (fs ++ paper_recorded c e) ->
    prompt_step (C, fs, now) (next C (pre ++ post) c e, fs ++ paper_recorded c e, reprocessed c e).

(** * Both directions *)

(** F46: a binding read backwards as well, ρ′ ≥ ρ − k beside ρ ≥ ρ′ + k. *)
Definition backwards (e : effect) : list fact :=
  match binds e with
  | Some (BindR p R) =>
      match tmid R with Some q => [Fact (Some q) (Some p) (- Z.of_nat (known_rank R))] | None => [] end
  | _ => []
  end.

(** A step after which that guard is silent.  The order is free. *)
Inductive both_step : config * list fact -> config * list fact -> Prop :=
| Both_step C fs pre c post r e : phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
    ~ positive_cycle (fs ++ paper_recorded c e ++ backwards e) ->
    both_step (C, fs) (next C (pre ++ post) c e, fs ++ paper_recorded c e ++ backwards e).

(** A run together with what it records. *)
Inductive both_run : config -> list fact -> config -> Prop :=
| Both_nil C : both_run C [] C
| Both_cons C pre c post r e fs C' : phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
    both_run (next C (pre ++ post) c e) fs C' -> both_run C (paper_recorded c e ++ backwards e ++ fs) C'.

(** * The program *)

(** What it reaches by steps, and by adding constraints at the left edge. *)
Inductive reached_at_edge (P : policy) (n : nat) (cs : list constr) : state -> Prop :=
| Edge_start : reached_at_edge P n cs (started P n cs)
| Edge_step s d s' : reached_at_edge P n cs s -> step_of P s = Stepped d s' -> reached_at_edge P n cs s'
| Edge_added s c t : reached_at_edge P n cs s -> numbered (s_next s) (vars_c c) -> edge_c c ->
    reached_at_edge P n cs (extended P s c t).

(** * Ranks *)

(** The rank that lengths of its variable give to a row term. *)
Definition rank_at (v : lengths) (R : rterm) : Z := (length_of v (tmid R) + Z.of_nat (known_rank R))%Z.

(** 5.2.1 as printed lists what two open rows say, and an open and a closed one.  It has
    nothing of two closed rows, of which [rank_model] compares the ranks. *)
Definition closed_pair (c : constr) : bool :=
  match c with REq R Q | RLe R Q => both_closed R Q | _ => false end.

Definition printed_rank_model (cs : list constr) : lengths -> Prop :=
  rank_model (filter (fun c => negb (closed_pair c)) cs).

(** Such a rank model of all that is pending and stored. *)
Definition ranked (v : lengths) (C : config) : Prop := printed_rank_model (phi C ++ store C) v.

(** ⋄ ⊑ ⋄[2]: two closed rows that do not fit. *)
Definition example_5_2_1 : list constr := [RLe (RTerm [] None []) (RTerm [] None [two])].

(** * What a run can still grow *)

(** An inequality whose result lacks axes: one for the deficit rule. *)
Definition short (c : constr) : bool :=
  match c with
  | RLe res op => (length (tlead res) <? length (tlead op)) || (length (ttrail res) <? length (ttrail op))
  | _ => false
  end.

(** How many variables that of the operand reaches; none if it is closed. *)
Definition height (reach : rvar -> list rvar) (c : constr) : nat :=
  match c with
  | RLe _ op => match tmid op with Some u => length (reach u) | None => 0 end
  | _ => 0
  end.

(** The higher its operand, the less can grow because of a short inequality. *)
Definition cost (m n : nat) (reach : rvar -> list rvar) (c : constr) : nat :=
  if short c then S m ^ (n - height reach c) else 0.

Definition costs (m n : nat) (reach : rvar -> list rvar) (l : list constr) : nat :=
  list_sum (map (cost m n reach) l).

(** What has been recorded by the time the next constraint has been looked at. *)
Definition pending_facts (fs : list fact) (now : option constr) : list fact :=
  fs ++ match now with Some c => paper_edges c | None => [] end.

(** Facts lead from [u] to [x] and lose nothing. *)
Definition reaches (fs : list fact) (u x : rvar) : Prop :=
  u = x \/ exists k, walk fs (Some u) (Some x) k /\ (k >= 0)%Z.

(** * Reprocessing later *)

(** <p> ⊑ <q>[2] and <q> ⊑ <p>, with p = 0 and q = 1. *)
Definition example_4_5_later : list constr :=
  [RLe (rvar_term 0) (RTerm [] (Some 1) [two]); RLe (rvar_term 1) (rvar_term 0)].

(** First in, first out, the constraint of the deficit rule at the back: row variable
    n + 2 takes the place of n. *)
Definition later_effect (n : nat) : effect := Effect [] (Some (BindR n (grown [] (S (S n)) [n]))) [] true.

Fixpoint later_config (n : nat) : config :=
  match n with
  | 0 => initial example_4_5_later
  | S n => perform (later_config n) (0, later_effect n)
  end.

Definition later_edges (n : nat) : list fact := [Fact (Some n) (Some (S n)) 1; Fact (Some n) (Some (S (S n))) 1].
