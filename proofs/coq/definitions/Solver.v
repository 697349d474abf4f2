(** Defs 4.1 and 4.4 as programs: what becomes of a configuration, and a run step
    by step.  [Solver_thm] says that each step is one of the relation of [Taint],
    and that a run under the signed guard ends. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Taint Queue Cycle Fire.
Import ListNotations.

(** * Configurations *)

(** Can a binding be relied upon: wholly, up to its marker, or not at all? *)
Inductive standing : Type := Entailed | Content | Policy_choice.

(** Φ in the order of a strategy, σ as the bindings it is made of (the last one
    first), B, the number of the next fresh variable, and the facts of each guard. *)
Record state : Type := State
  { s_phi : queue tagged; s_sigma : list (binding * standing); s_store : list tagged;
    s_next : nat; s_leads : list (fact * bool); s_trails : list (fact * bool);
    s_ranks : list (fact * bool) }.

Definition sigma_of (bs : list binding) : subst :=
  fold_right (fun b s => comp (as_subst b) s) id_subst bs.

Definition s_subst (s : state) : subst := sigma_of (map fst (s_sigma s)).

(** ⟨Φ; ∅; ∅⟩, where variables from [n] on are fresh. *)
Definition started (P : policy) (n : nat) (cs : list constr) : state :=
  State (new_queue (order P) (tag_all false cs)) [] [] n [] [] [].

(** Failures: a rule, or a guard (leading lengths, trailing lengths, ranks). *)
Inductive failed_by : Type := By_rule (r : rule) | By_lead | By_trail | By_rank.
Record failure : Type := Failure { f_by : failed_by; f_on : constr; f_tainted : bool }.

(** * The guard *)

Definition recorded : Type := (list (fact * bool)) + bool.

(** Facts are recorded one by one.  Where they come to a positive cycle: does
    every such cycle rest on a placement? *)
Fixpoint record (known : list (fact * bool)) (fs : list fact) (t : bool) : recorded :=
  match fs with
  | [] => inl known
  | f :: fs =>
      let known := known ++ [(f, t)] in
      if positive_cycleb (map fst known) then inr (negb (positive_cycleb (untainted known)))
      else record known fs t
  end.

(** What each guard records: for a constraint that is looked at, for a binding. *)
Definition paper_edges_b (b : binding) : list fact :=
  match b with
  | BindR p R =>
      match tmid R with Some q => [Fact (Some p) (Some q) (Z.of_nat (known_rank R))] | None => [] end
  | BindD _ _ => []
  end.

(** Lead facts, trail facts, edges of Def. 4.5. *)
Definition noted : Type := list fact * list fact * list fact.

Definition on_constraint (P : policy) (c : constr) : noted :=
  match guard P with
  | Signed => (lead_facts c, trail_facts c, [])
  | Paper => ([], [], paper_edges c)
  | NoGuard => ([], [], [])
  end.

Definition on_binding (P : policy) (b : binding) : noted :=
  match guard P with
  | Signed => (lead_facts_b b, trail_facts_b b, [])
  | Paper => ([], [], paper_edges_b b)
  | NoGuard => ([], [], [])
  end.

(** With these facts, or the failure. The facts of Def. 4.5 are not entailed
    (F2), so a cycle of them refutes nothing. *)
Definition note (s : state) (c : constr) (n : noted) (t : bool) : state + failure :=
  let '(ls, ts, rs) := n in
  match record (s_leads s) ls t with
  | inr tainted => inr (Failure By_lead c tainted)
  | inl leads =>
      match record (s_trails s) ts t with
      | inr tainted => inr (Failure By_trail c tainted)
      | inl trails =>
          match record (s_ranks s) rs t with
          | inr _ => inr (Failure By_rank c true)
          | inl ranks => inl (State (s_phi s) (s_sigma s) (s_store s) (s_next s) leads trails ranks)
          end
      end
  end.

(** * Steps *)

(** What a step did: what a derivation keeps of it. *)
Record did : Type := Did
  { d_rule : rule; d_on : constr; d_tainted : bool; d_effect : effect; d_placed : bool }.

Definition standing_of (t pl : bool) : standing :=
  if t then Policy_choice else if pl then Content else Entailed.

(** The variables that a binding makes: those from the next number on. *)
Definition next_after (n : nat) (b : binding) : nat :=
  fold_left (fun n v => max n (S (match v with DV a => a | RV p => p end))) (vars (bound_value b)) n.

(** Carries out an effect: as [t_next], in the order of the strategy. *)
Definition carry_out (P : policy) (s : state) (c : constr) (tc : bool) (e : effect) (t pl : bool) : state + failure :=
  let q := push_all (order P) (tag_all t (emits e)) (s_phi s) in
  let q := if again e then push_now (order P) (c, tc) q else q in
  let B := t_add_bounds (s_store s) (tag_all t (stores e)) in
  match binds e with
  | None => inl (State q (s_sigma s) B (s_next s) (s_leads s) (s_trails s) (s_ranks s))
  | Some b =>
      let x := bound_var b in
      let q := push_all (order P) (t_taken x B) q in
      let s' := State (change_all (t_substitute b t pl) q)
                      ((b, standing_of t pl) :: s_sigma s)
                      (map (t_substitute b t pl) (filter (fun d => negb (stored_for x (fst d))) B))
                      (next_after (s_next s) b) (s_leads s) (s_trails s) (s_ranks s) in
      note s' c (on_binding P b) (t || pl)
  end.

Inductive stepped : Type :=
| Finished
| Stopped (f : failure)
| Stepped (d : did) (s : state).

(** One step: the guard looks at the constraint first, then its rule does. *)
Definition step_of (P : policy) (s : state) : stepped :=
  match pop (order P) (s_phi s) with
  | None => Finished
  | Some ((c, tc), q) =>
      let s := State q (s_sigma s) (s_store s) (s_next s) (s_leads s) (s_trails s) (s_ranks s) in
      match note s c (on_constraint P c) tc with
      | inr f => Stopped f
      | inl s =>
          let '(r, o, used) := fire P (s_next s) (s_store s) c in
          let t := tc || used in
          match o with
          | Fails => Stopped (Failure (By_rule r) c t)
          | Does e =>
              let pl := commitsb c r in
              match carry_out P s c tc e t pl with
              | inr f => Stopped f
              | inl s' => Stepped (Did r c t e pl) s'
              end
          end
      end
  end.

(** * Runs *)

Definition follows (P : policy) (s' s : state) : Prop := exists d, step_of P s = Stepped d s'.

Inductive end_of_run : Type :=
| Solved_at (s : state)
| Failed_at (s : state) (f : failure).

(** A run to its end, with what each step did.  It needs to know that it ends. *)
Fixpoint run_from (P : policy) (s : state) (A : Acc (follows P) s) {struct A} : list did * end_of_run :=
  match step_of P s as x return step_of P s = x -> list did * end_of_run with
  | Finished => fun _ => ([], Solved_at s)
  | Stopped f => fun _ => ([], Failed_at s f)
  | Stepped d s' => fun E =>
      let '(ds, last) := run_from P s' (Acc_inv A (ex_intro _ d E)) in (d :: ds, last)
  end eq_refl.

(** The first [n] steps, for guards under which a run may not end. *)
Fixpoint run_for (P : policy) (n : nat) (s : state) : list did * option end_of_run :=
  match step_of P s with
  | Finished => ([], Some (Solved_at s))
  | Stopped f => ([], Some (Failed_at s f))
  | Stepped d s' =>
      match n with
      | O => ([], None)
      | S n => let '(ds, last) := run_for P n s' in (d :: ds, last)
      end
  end.

(** The same as a relation: what the steps between two states did. *)
Inductive steps (P : policy) : state -> list did -> state -> Prop :=
| Steps_nil s : steps P s [] s
| Steps_cons s d s' ds s'' : step_of P s = Stepped d s' -> steps P s' ds s'' -> steps P s (d :: ds) s''.

Definition last_state (x : end_of_run) : state := match x with Solved_at s | Failed_at s _ => s end.

(** ** Cor. 5.7: how firmly a variable is bound *)

(** What the standing of a binding claims. *)
Definition claims (h : ground) (x : binding * standing) : Prop :=
  match snd x with
  | Entailed => binding_holds h (fst x)
  | Content => binding_content h (fst x)
  | Policy_choice => True
  end.

(** The bindings that the value of a variable is read through. *)
Inductive read_through (l : list (binding * standing)) : var -> binding * standing -> Prop :=
| Read_here v x : In x l -> bound_var (fst x) = v -> read_through l v x
| Read_on v x w y : In x l -> bound_var (fst x) = v -> In w (vars (bound_value (fst x))) ->
    read_through l w y -> read_through l v y.

(** At one variable, the reading of the paper: the value up to its marker. *)
Definition content_at (h : ground) (s : subst) (v : var) : Prop :=
  match v with
  | DV a => g_d h a = ground_d h (on_d s a)
  | RV p => g_r h p ≈ ground_r h (on_r s p)
  end.

(** * Adding constraints *)

(** Replaces a bound variable, with the tag that the standing of the binding gives. *)
Definition replaced (x : binding * standing) : tagged -> tagged :=
  t_substitute (fst x) (match snd x with Policy_choice => true | _ => false end)
                       (match snd x with Content => true | _ => false end).

(** A constraint added later: what σ has bound is replaced in it as everywhere,
    in the order in which it was bound. *)
Definition extended (P : policy) (s : state) (c : constr) (t : bool) : state :=
  State (push (order P) (fold_right replaced (c, t) (s_sigma s)) (s_phi s)) (s_sigma s) (s_store s)
        (s_next s) (s_leads s) (s_trails s) (s_ranks s).

(** What is reached by steps, and by adding constraints whose variables have been
    given out. *)
Inductive reached (P : policy) (n : nat) (cs : list constr) : state -> Prop :=
| Reached_start : reached P n cs (started P n cs)
| Reached_step s d s' : reached P n cs s -> step_of P s = Stepped d s' -> reached P n cs s'
| Reached_added s c t : reached P n cs s -> numbered (s_next s) (vars_c c) -> reached P n cs (extended P s c t).

(** * The verdicts of §5 *)

Inductive verdict : Type := Solved_form (s : state) | Unsat (f : failure) | Rejected (f : failure).

Definition verdict_of (x : end_of_run) : verdict :=
  match x with
  | Solved_at s => Solved_form s
  | Failed_at _ f => if f_tainted f then Rejected f else Unsat f
  end.
