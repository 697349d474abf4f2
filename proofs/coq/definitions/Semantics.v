(** Def. 3.4: constraints, solutions, models, and the order on substitutions. *)

From Coq Require Import PArith List Bool Arith.
From Lozenge Require Import Dim Row Term.
Import ListNotations.

(** Def. 3.4.  A ground substitution gives every variable a ground value. *)
Record ground : Type := Ground { g_d : dvar -> dim; g_r : rvar -> row }.

Definition ground_d (g : ground) (t : dterm) : dim :=
  match t with DVar a => g_d g a | DConst d => d end.

(** What stands at the marker: the value of the variable, or nothing. *)
Definition ground_mid (g : ground) (m : option rvar) : row :=
  match m with Some p => g_r g p | None => empty_row end.

(** As for substitution, the value is spliced in at the marker. *)
Definition ground_r (g : ground) (R : rterm) : row :=
  let V := ground_mid g (tmid R) in
  (map (ground_d g) (tlead R) ++ lead V) ·⋄· (trail V ++ map (ground_d g) (ttrail R)).

(** The composite that does [s] first. *)
Definition ground_comp (g : ground) (s : subst) : ground :=
  Ground (fun a => ground_d g (on_d s a)) (fun p => ground_r g (on_r s p)).

(** * Constraints *)

Inductive constr : Type :=
| DEq (t u : dterm)
| DLe (t u : dterm)
| REq (R S : rterm)
| RLe (R S : rterm).

(** Def. 3.4.  Dimension equality is identity, row equality is flat
    equivalence, inequalities are the orders of sections 1 and 2. *)
Definition holds (g : ground) (c : constr) : Prop :=
  match c with
  | DEq t u => ground_d g t = ground_d g u
  | DLe t u => ground_d g t ⊑d ground_d g u
  | REq R Q => ground_r g R ≈ ground_r g Q
  | RLe R Q => ground_r g R ⊑r ground_r g Q
  end.

Definition holdsb (g : ground) (c : constr) : bool :=
  match c with
  | DEq t u => dim_eqb (ground_d g t) (ground_d g u)
  | DLe t u => dim_leb (ground_d g t) (ground_d g u)
  | REq R Q => flat_equivb (ground_r g R) (ground_r g Q)
  | RLe R Q => row_leb (ground_r g R) (ground_r g Q)
  end.

Definition sub_c (s : subst) (c : constr) : constr :=
  match c with
  | DEq t u => DEq (sub_d s t) (sub_d s u)
  | DLe t u => DLe (sub_d s t) (sub_d s u)
  | REq R Q => REq (sub_r s R) (sub_r s Q)
  | RLe R Q => RLe (sub_r s R) (sub_r s Q)
  end.

(** [sol cs g]: [g] is one of the solutions of [cs]. *)
Definition sol (cs : list constr) (g : ground) : Prop :=
  forall c, In c cs -> holds g c.

Definition solb (cs : list constr) (g : ground) : bool := forallb (holdsb g) cs.

(** Every ground substitution is a solution. *)
Definition valid (cs : list constr) : Prop := forall g, sol cs g.

(** [models s cs]: grounding whatever [s] leaves open always gives a solution. *)
Definition models (s : subst) (cs : list constr) : Prop :=
  forall g, sol cs (ground_comp g s).

(** The order on substitutions: [s2] is an instance of [s1]. *)
Definition subst_le (s1 s2 : subst) : Prop := exists u, subst_eq (comp u s1) s2.

(** The same, compared only on the variables [V], with the witness drawn from
    the maps that satisfy [P]. *)
Definition subst_le_on (P : subst -> Prop) (V : list var) (s1 s2 : subst) : Prop :=
  exists u, P u /\ forall v, In v V -> apply (comp u s1) (var_term v) = apply s2 (var_term v).

(** * Deciding [models] by two groundings

    Give every dimension variable its own fresh atom.  Give every row variable
    first nothing, then a row with one fresh atom of its own on each side. *)

Inductive slot : Type :=
| SDim (a : dvar)
| SLead (p : rvar)
| STrail (p : rvar).

Definition ground_empty (f : slot -> dim) : ground :=
  Ground (fun a => f (SDim a)) (fun _ => empty_row).

Definition ground_wide (f : slot -> dim) : ground :=
  Ground (fun a => f (SDim a)) (fun p => [f (SLead p)] ·⋄· [f (STrail p)]).

(** All dimension terms that a constraint mentions. *)
Definition entries (c : constr) : list dterm :=
  match c with
  | DEq t u | DLe t u => [t; u]
  | REq R Q | RLe R Q => tlead R ++ ttrail R ++ tlead Q ++ ttrail Q
  end.

(** What makes the atoms of [f] fresh for [c]: they are atoms, all different,
    and none is mentioned in [c]. *)
Definition fresh_for (f : slot -> dim) (c : constr) : Prop :=
  (forall x, is_atom (f x)) /\
  (forall x y, f x = f y -> x = y) /\
  (forall x, ~ In (DConst (f x)) (entries c)).

(** Fresh atoms that always work: a basis tag above every tag mentioned. *)
Definition tag (t : dterm) : basis :=
  match t with DConst (Atom _ b) => b | _ => 0 end.

Definition fresh_tag (cs : list constr) : basis :=
  S (list_max (map tag (flat_map entries cs))).

Definition slot_atom (b : basis) (x : slot) : dim :=
  match x with
  | SDim a => Atom (Pos.of_succ_nat (3 * a)) b
  | SLead p => Atom (Pos.of_succ_nat (3 * p + 1)) b
  | STrail p => Atom (Pos.of_succ_nat (3 * p + 2)) b
  end.

Definition validb (cs : list constr) : bool :=
  let f := slot_atom (fresh_tag cs) in
  solb cs (ground_empty f) && solb cs (ground_wide f).

Definition modelsb (s : subst) (cs : list constr) : bool := validb (map (sub_c s) cs).

(** * Example 3.5: the system 3_b ⊑ a, with dimension variable 0 for a *)

Definition example_3_5 (b : basis) : list constr := [DLe (DConst (Atom 3 b)) (DVar 0)].
