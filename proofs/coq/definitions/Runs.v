(** Defs 4.1 and 4.4: configurations, steps and runs, with the guard of R1. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved.
Import ListNotations.

(** Def. 4.1: constraints to process, bindings, stored bounds.  Beside them the
    variables seen so far, and the recorded facts about leading and trailing
    lengths. *)
Record config : Type := Config
  { phi : list constr; sigma : subst; store : list constr;
    used : list var; leads : list fact; trails : list fact }.

Definition initial (cs : list constr) : config :=
  Config cs id_subst [] (flat_map vars_c cs) [] [].

(** Lemma 5.1's reading of a configuration, bindings as identity. *)
Definition satisfies (g : ground) (C : config) : Prop :=
  sol (phi C) g /\ sol (store C) g /\ respects g (sigma C).

(** * Binding *)

Definition bound_var (b : binding) : var :=
  match b with BindD a _ => DV a | BindR p _ => RV p end.

Definition bound_value (b : binding) : term :=
  match b with BindD _ t => TD t | BindR _ R => TR R end.

Definition is_dvar (a : dvar) (t : dterm) : bool :=
  match t with DVar b => Nat.eqb b a | DConst _ => false end.

Definition is_mid (p : rvar) (m : option rvar) : bool :=
  match m with Some q => Nat.eqb q p | None => false end.

(** Is this bound stored for the variable?  Atom bounds and caps are stored for
    their upper side, inequalities between two variables for both, deferred
    equations for their row variables. *)
Definition stored_for (v : var) (c : constr) : bool :=
  match v, c with
  | DV a, DLe t u => is_dvar a t || is_dvar a u
  | RV p, RLe R Q => is_mid p (tmid Q) || (is_mid p (tmid R) && Nat.eqb (known_rank R) 0)
  | RV p, REq R Q => is_mid p (tmid R) || is_mid p (tmid Q)
  | _, _ => false
  end.

(** * The store *)

(** The same dimension bound?  Row bounds are never taken for the same. *)
Definition same_bound (c d : constr) : bool :=
  match c, d with
  | DLe t u, DLe t' u' => dterm_eqb t t' && dterm_eqb u u'
  | _, _ => false
  end.

(** As far as dimension bounds go B is a set: one that is there stays where it
    is.  Everything else goes to the end. *)
Fixpoint add_bound (B : list constr) (c : constr) : list constr :=
  match B with
  | [] => [c]
  | d :: B' => if same_bound c d then B else d :: add_bound B' c
  end.

Definition add_bounds (B cs : list constr) : list constr := fold_left add_bound cs B.

(** The kinds of bounds stored for a variable, in the order in which they are
    sent back: lb(x), x ⊑ b, a ⊑ x; R ⊑ <x>, <x> ⊑ <r>, equations. *)
Definition bound_kinds (v : var) : list (constr -> bool) :=
  match v with
  | DV a =>
      [fun c => match c with DLe (DConst _) u => is_dvar a u | _ => false end;
       fun c => match c with DLe t _ => is_dvar a t | _ => false end;
       fun c => match c with DLe _ u => is_dvar a u | _ => false end]
  | RV p =>
      [fun c => match c with RLe _ Q => is_mid p (tmid Q) | _ => false end;
       fun c => match c with RLe R _ => is_mid p (tmid R) && Nat.eqb (known_rank R) 0 | _ => false end;
       fun c => match c with REq R Q => is_mid p (tmid R) || is_mid p (tmid Q) | _ => false end]
  end.

(** Kind by kind, each in the order of the list; what has gone is not looked at
    again. *)
Fixpoint by_kinds {A : Type} (ks : list (A -> bool)) (l : list A) : list A :=
  match ks with
  | [] => []
  | k :: ks' => filter k l ++ by_kinds ks' (filter (fun x => negb (k x)) l)
  end.

(** What binding [v] takes out of the store. *)
Definition taken (v : var) (B : list constr) : list constr := by_kinds (bound_kinds v) B.

(** * Steps *)

(** What a rule's effect makes of a configuration whose other constraints are
    [rest].  A binding sends back what is stored for its variable, and is
    substituted everywhere. *)
Definition next (C : config) (rest : list constr) (c : constr) (e : effect) : config :=
  let more := rest ++ emits e ++ (if again e then [c] else []) in
  match binds e with
  | None =>
      Config more (sigma C) (add_bounds (store C) (stores e)) (used C)
             (leads C ++ lead_facts c) (trails C ++ trail_facts c)
  | Some b =>
      let s := as_subst b in
      let x := bound_var b in
      Config (map (sub_c s) (more ++ taken x (store C)))
             (comp s (sigma C))
             (map (sub_c s) (add_bounds (filter (fun d => negb (stored_for x d)) (store C)) (stores e)))
             (used C ++ vars (bound_value b))
             (leads C ++ lead_facts c ++ lead_facts_b b)
             (trails C ++ trail_facts c ++ trail_facts_b b)
  end.

(** Any pending constraint may be taken next. *)
Inductive step : config -> constr -> rule -> config -> Prop :=
| Step C pre c post r e : phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
    step C c r (next C (pre ++ post) c e).

(** The constraint speaks of unsolved variables only. *)
Definition knows (C : config) (c : constr) : Prop :=
  forall v, In v (vars_c c) -> fixes (sigma C) v /\ In v (used C).

(** Constraints added from outside. *)
Definition extend (C : config) (cs : list constr) : config :=
  Config (phi C ++ cs) (sigma C) (store C) (used C) (leads C) (trails C).

(** What may happen to a configuration: a rule consumes a constraint, or
    constraints are added. *)
Inductive kind : Type :=
| By_rule (c : constr) (r : rule)
| Adding (cs : list constr).

(** A run in which everything that happens satisfies [P]. *)
Inductive run (P : kind -> Prop) : config -> config -> Prop :=
| Run_nil C : run P C C
| Run_cons C c r C' C'' : P (By_rule c r) -> step C c r C' -> run P C' C'' -> run P C C''
| Run_add C cs C'' : P (Adding cs) -> (forall c, In c cs -> knows C c) ->
    run P (extend C cs) C'' -> run P C C''.

(** The solver alone; the solver without placements; anything. *)
Definition any_step (k : kind) : Prop := match k with By_rule _ _ => True | Adding _ => False end.
Definition semantic_step (k : kind) : Prop := match k with By_rule c r => ~ commits c r | Adding _ => False end.
Definition any_kind (k : kind) : Prop := True.

(** Failure by a rule. *)
Definition rule_fails (C : config) : Prop :=
  exists c r, In c (phi C) /\ fires (used C) (store C) c r Fails.

(** Failure by the guard: a positive cycle, with the facts of the constraint
    that is looked at or without. *)
Definition guard_fails (C : config) : Prop :=
  exists cs, incl cs (phi C) /\
    (positive_cycle (leads C ++ flat_map lead_facts cs) \/
     positive_cycle (trails C ++ flat_map trail_facts cs)).

(** A step after which the guard is silent: the recorded facts have no positive
    cycle, on either side. *)
Definition guarded_step (C C' : config) : Prop :=
  (exists c r, step C c r C') /\ ~ positive_cycle (leads C') /\ ~ positive_cycle (trails C').

(** Every solution of the configuration satisfies the recorded facts. *)
Definition facts_entailed (C : config) : Prop := forall g, satisfies g C ->
  facts_hold (lead_lengths g) (leads C) /\ facts_hold (trail_lengths g) (trails C).

(** Only equalities between rows are ever deferred. *)
Definition is_req (c : constr) : Prop := match c with REq _ _ => True | _ => False end.

(** * What holds of every configuration that is reached *)

Definition well_formed (C : config) : Prop :=
  idempotent (sigma C) /\
  (forall v, In v (flat_map vars_c (phi C ++ store C)) -> fixes (sigma C) v /\ In v (used C)) /\
  (forall v, in_dom (sigma C) v -> In v (used C)) /\
  (forall v, in_ran (sigma C) v -> In v (used C)).

(** Bounds have a bare variable on their upper side. *)
Definition bound_shape (c : constr) : Prop :=
  match c with
  | DLe _ (DVar _) => True
  | RLe _ Q => exists p, Q = rvar_term p
  | REq _ _ => True
  | _ => False
  end.

(** * F3 run without a guard *)

Definition f3_constraint (i : nat) : constr :=
  let al := map DVar (seq 0 i) in
  RLe (RTerm al (Some i) [three]) (RTerm (two :: al) (Some i) []).

Fixpoint f3_config (i : nat) : config :=
  match i with
  | 0 => initial finding_f3
  | S i => next (f3_config i) [] (f3_constraint i)
             (Effect [] (Some (BindR i (grown [i] (S i) []))) [] true)
  end.

(** * F1 under the guard of Def. 4.5 *)

(** What that guard records at a step: the edge of the consumed constraint, and
    the edge of a binding to an open row. *)
Definition paper_recorded (c : constr) (e : effect) : list fact :=
  paper_edges c ++
  match binds e with
  | Some (BindR p R) =>
      match tmid R with Some q => [Fact (Some p) (Some q) (Z.of_nat (known_rank R))] | None => [] end
  | _ => []
  end.

(** A run together with what is recorded on the way. *)
Inductive paper_run : config -> list fact -> config -> Prop :=
| Paper_one C pre c post r e : phi C = pre ++ c :: post ->
    fires (used C) (store C) c r (Does e) ->
    paper_run C (paper_recorded c e) (next C (pre ++ post) c e)
| Paper_more C fs C' gs C'' : paper_run C fs C' -> paper_run C' gs C'' -> paper_run C (fs ++ gs) C''.

(** Round k: one pending constraint and one cap; the variables are numbered in
    the order in which they appear. *)
Definition f1_pending (k : nat) : constr :=
  RLe (RTerm [two] (Some k) []) (RTerm [] (Some (S k)) [three]).
Definition f1_cap (k : nat) : constr := RLe (RTerm [two] (Some (S k)) []) (rvar_term k).

Definition f1_grow (k : nat) : effect := Effect [] (Some (BindR k (grown [] (S (S k)) [k]))) [] true.
Definition f1_align (k : nat) : effect := Effect [DLe (DVar k) three] None [f1_cap (S k)] false.
Definition f1_pin (k : nat) : effect := Effect [DEq (DVar k) three] None [] false.
Definition f1_bind (k : nat) : effect := Effect [] (Some (BindD k three)) [] false.

Definition f1_again (k : nat) : constr :=
  RLe (RTerm [two] (Some (S (S k))) [DVar k]) (RTerm [] (Some (S k)) [three]).
Definition f1_returned (k : nat) : constr :=
  RLe (RTerm [two] (Some (S k)) []) (RTerm [] (Some (S (S k))) [DVar k]).

(** The deficit, its reprocessing, and the axis that it pins. *)
Definition f1_round (k : nat) (C : config) : config :=
  let C1 := next C ([] ++ []) (f1_pending k) (f1_grow k) in
  let C2 := next C1 ([] ++ [f1_returned k]) (f1_again k) (f1_align k) in
  let C3 := next C2 ([f1_returned k] ++ []) (DLe (DVar k) three) (f1_pin k) in
  next C3 ([f1_returned k] ++ []) (DEq (DVar k) three) (f1_bind k).

Fixpoint f1_config (k : nat) : config :=
  match k with
  | 0 => next (initial finding_f1) ([] ++ [f1_pending 0]) (f1_cap 0) (Effect [] None [f1_cap 0] false)
  | S k => f1_round k (f1_config k)
  end.

Definition f1_edges (k : nat) : list fact :=
  [Fact (Some k) (Some (S k)) 1; Fact (Some k) (Some (S (S k))) 1].
