(** Runs that remember what rests on a placement.

    Every pending constraint, stored bound and recorded fact carries a tag:
    [true] if it was derived through a placement.  A failure without the tag
    shows that the input has no solution, even if placements were committed
    elsewhere in the run. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs.
Import ListNotations.

Definition tag_all {A : Type} (t : bool) (l : list A) : list (A * bool) := map (fun x => (x, t)) l.

(** What carries no tag. *)
Definition untainted {A : Type} (l : list (A * bool)) : list A :=
  map fst (filter (fun x => negb (snd x)) l).

Record tconfig : Type := TConfig
  { t_phi : list (constr * bool); t_sigma : subst; t_store : list (constr * bool);
    t_used : list var; t_leads : list (fact * bool); t_trails : list (fact * bool) }.

Definition t_initial (cs : list constr) : tconfig :=
  TConfig (tag_all false cs) id_subst [] (flat_map vars_c cs) [] [].

(** The configuration without the tags. *)
Definition erase (C : tconfig) : config :=
  Config (map fst (t_phi C)) (t_sigma C) (map fst (t_store C)) (t_used C)
         (map fst (t_leads C)) (map fst (t_trails C)).

Definition var_eqb (v w : var) : bool :=
  match v, w with
  | DV a, DV b => Nat.eqb a b
  | RV p, RV q => Nat.eqb p q
  | _, _ => false
  end.

Definition mentions (v : var) (c : constr) : bool := existsb (var_eqb v) (vars_c c).

Definition is_rleb (c : constr) : bool := match c with RLe _ _ => true | _ => false end.

(** Substituting a binding passes its tag on to what mentions the variable; a
    placement ([pl]) taints only constraints that look at markers. *)
Definition t_substitute (b : binding) (t pl : bool) (x : constr * bool) : constr * bool :=
  (sub_c (as_subst b) (fst x),
   snd x || (mentions (bound_var b) (fst x) && (t || (pl && is_rleb (fst x))))).

(** As [next], with the tag [t] for what the step makes. *)
Definition t_next (C : tconfig) (rest : list (constr * bool)) (c : constr) (e : effect) (t pl : bool) : tconfig :=
  let more := rest ++ tag_all t (emits e ++ (if again e then [c] else [])) in
  match binds e with
  | None =>
      TConfig more (t_sigma C) (t_store C ++ tag_all t (stores e)) (t_used C)
              (t_leads C ++ tag_all t (lead_facts c)) (t_trails C ++ tag_all t (trail_facts c))
  | Some b =>
      let x := bound_var b in
      TConfig (map (t_substitute b t pl) (more ++ filter (fun d => stored_for x (fst d)) (t_store C)))
              (comp (as_subst b) (t_sigma C))
              (map (t_substitute b t pl)
                   (filter (fun d => negb (stored_for x (fst d))) (t_store C) ++ tag_all t (stores e)))
              (t_used C ++ vars (bound_value b))
              (t_leads C ++ tag_all t (lead_facts c) ++ tag_all (t || pl) (lead_facts_b b))
              (t_trails C ++ tag_all t (trail_facts c) ++ tag_all (t || pl) (trail_facts_b b))
  end.

(** A step is untainted only if its constraint is, and the rule would do the
    same with the untainted part of the store. *)
Inductive t_step : tconfig -> tconfig -> Prop :=
| T_step C pre c tc post r e t pl : t_phi C = pre ++ (c, tc) :: post ->
    fires (t_used C) (map fst (t_store C)) c r (Does e) ->
    (t = false -> tc = false /\ fires (t_used C) (untainted (t_store C)) c r (Does e)) ->
    (pl = false -> ~ commits c r) ->
    t_step C (t_next C (pre ++ post) c e t pl).

Inductive t_run : tconfig -> tconfig -> Prop :=
| T_nil C : t_run C C
| T_cons C C' C'' : t_step C C' -> t_run C' C'' -> t_run C C''.

(** Failures without a tag. *)
Definition t_rule_fails (C : tconfig) : Prop :=
  exists c r, In (c, false) (t_phi C) /\ fires (t_used C) (untainted (t_store C)) c r Fails.

Definition t_guard_fails (C : tconfig) : Prop :=
  exists cs, incl cs (untainted (t_phi C)) /\
    (positive_cycle (untainted (t_leads C) ++ flat_map lead_facts cs) \/
     positive_cycle (untainted (t_trails C) ++ flat_map trail_facts cs)).
