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

Definition mentions (v : var) (c : constr) : bool := existsb (var_eqb v) (vars_c c).

Definition is_rleb (c : constr) : bool := match c with RLe _ _ => true | _ => false end.

(** Substituting a binding passes its tag on to what mentions the variable; a
    placement ([pl]) taints only constraints that look at markers. *)
Definition t_substitute (b : binding) (t pl : bool) (x : constr * bool) : constr * bool :=
  (sub_c (as_subst b) (fst x),
   snd x || (mentions (bound_var b) (fst x) && (t || (pl && is_rleb (fst x))))).

(** As [add_bound].  A bound that is there keeps its place; its tag goes when the
    new one has none. *)
Fixpoint t_add_bound (B : list (constr * bool)) (x : constr * bool) : list (constr * bool) :=
  match B with
  | [] => [x]
  | y :: B' =>
      if same_bound (fst x) (fst y) then (fst y, snd y && snd x) :: B' else y :: t_add_bound B' x
  end.

Definition t_add_bounds (B xs : list (constr * bool)) : list (constr * bool) := fold_left t_add_bound xs B.

Definition t_taken (v : var) (B : list (constr * bool)) : list (constr * bool) :=
  by_kinds (map (fun k x => k (fst x)) (bound_kinds v)) B.

(** As [next], with the tag [t] for what the step makes. *)
Definition t_next (C : tconfig) (rest : list (constr * bool)) (c : constr) (e : effect) (t pl : bool) : tconfig :=
  let more := rest ++ tag_all t (emits e ++ (if again e then [c] else [])) in
  match binds e with
  | None =>
      TConfig more (t_sigma C) (t_add_bounds (t_store C) (tag_all t (stores e))) (t_used C)
              (t_leads C ++ tag_all t (lead_facts c)) (t_trails C ++ tag_all t (trail_facts c))
  | Some b =>
      let x := bound_var b in
      TConfig (map (t_substitute b t pl) (more ++ t_taken x (t_store C)))
              (comp (as_subst b) (t_sigma C))
              (map (t_substitute b t pl)
                   (t_add_bounds (filter (fun d => negb (stored_for x (fst d))) (t_store C)) (tag_all t (stores e))))
              (t_used C ++ vars (bound_value b))
              (t_leads C ++ tag_all t (lead_facts c) ++ tag_all (t || pl) (lead_facts_b b))
              (t_trails C ++ tag_all t (trail_facts c) ++ tag_all (t || pl) (trail_facts_b b))
  end.

(** A step is untainted only if its constraint is, and the rule would do the
    same with the untainted part of the store. *)
Inductive t_step : tconfig -> constr -> rule -> tconfig -> Prop :=
| T_step C pre c tc post r e t pl : t_phi C = pre ++ (c, tc) :: post ->
    fires (t_used C) (map fst (t_store C)) c r (Does e) ->
    (t = false -> tc = false /\ fires (t_used C) (untainted (t_store C)) c r (Does e)) ->
    (pl = false -> ~ commits c r) ->
    t_step C c r (t_next C (pre ++ post) c e t pl).

(** Constraints added from outside, with a tag. *)
Definition t_extend (C : tconfig) (cs : list constr) (t : bool) : tconfig :=
  TConfig (t_phi C ++ tag_all t cs) (t_sigma C) (t_store C) (t_used C) (t_leads C) (t_trails C).

(** What the untainted constraints and bounds entail. *)
Definition t_entails (C : tconfig) (cs : list constr) : Prop :=
  forall g, sol (untainted (t_phi C)) g -> sol (untainted (t_store C)) g -> sol cs g.

(** As [run].  What is added may be anything with a tag, and what is entailed
    without one. *)
Inductive t_run (P : kind -> Prop) : tconfig -> tconfig -> Prop :=
| T_nil C : t_run P C C
| T_cons C c r C' C'' : P (By_rule c r) -> t_step C c r C' -> t_run P C' C'' -> t_run P C C''
| T_add C cs t C'' : P (Adding cs) -> (forall c, In c cs -> knows (erase C) c) ->
    (t = false -> t_entails C cs) -> t_run P (t_extend C cs t) C'' -> t_run P C C''.

(** Failures without a tag. *)
Definition t_rule_fails (C : tconfig) : Prop :=
  exists c r, In (c, false) (t_phi C) /\ fires (t_used C) (untainted (t_store C)) c r Fails.

Definition t_guard_fails (C : tconfig) : Prop :=
  exists cs, incl cs (untainted (t_phi C)) /\
    (positive_cycle (untainted (t_leads C) ++ flat_map lead_facts cs) \/
     positive_cycle (untainted (t_trails C) ++ flat_map trail_facts cs)).
