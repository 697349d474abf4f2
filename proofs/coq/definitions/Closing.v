(** Def. 6.1: closing, from a solved form to one ground solution.

    A value enters the set as an equality, and the solver runs again.  So the
    definitions below add no way to bind: they only say what is added. *)

From Coq Require Import List Bool Arith Cantor.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs.
Import ListNotations.

(** * Adding constraints to a configuration *)

(** A value for a variable, as an equality. *)
Definition equation (b : binding) : constr :=
  match b with BindD a t => DEq (DVar a) t | BindR p R => REq (rvar_term p) R end.

Definition commit (C : config) (bs : list binding) : config := extend C (map equation bs).

(** Solving, with constraints added at any time: values, caps that are sent on,
    anything.  What is proved of this holds for every policy. *)
Definition closing : config -> config -> Prop := run any_kind.

(** * Values *)

Definition term_of (R : row) : rterm := RTerm (map DConst (lead R)) None (map DConst (trail R)).

Definition unsolved (C : config) (v : var) : Prop := fixes (sigma C) v /\ In v (used C).

(** The row terms stored below a row variable. *)
Definition cap_on (p : rvar) (c : constr) : list rterm :=
  match c with RLe R Q => if is_mid p (tmid Q) then [R] else [] | _ => [] end.

Definition row_caps (B : list constr) (p : rvar) : list rterm := flat_map (cap_on p) B.

(** The ground part of a cap: [None] where it has a variable.  The trailing
    flank is kept from the outside inwards, as joins align it. *)
Record part : Type := Part { p_lead : list (option dim); p_trail : list (option dim) }.

Definition known (t : dterm) : option dim :=
  match t with DConst d => Some d | DVar _ => None end.

Definition ground_part (R : rterm) : part :=
  Part (map known (tlead R)) (map known (rev (ttrail R))).

(** A place is a hole of the join only if it is one in every cap. *)
Definition opt_join (x y : option dim) : option dim :=
  match x, y with
  | Some d, Some e => Some (dim_join d e)
  | None, z | z, None => z
  end.

Fixpoint opt_joins (F G : list (option dim)) : list (option dim) :=
  match F, G with x :: F, y :: G => opt_join x y :: opt_joins F G | _, _ => [] end.

Definition part_join (X Y : part) : part :=
  Part (opt_joins (p_lead X) (p_lead Y)) (opt_joins (p_trail X) (p_trail Y)).

(** A cap that is a bare variable writes nothing. *)
Definition writes (R : rterm) : bool :=
  match tmid R with None => true | Some _ => negb (Nat.eqb (known_rank R) 0) end.

(** The join of the ground parts.  No cap, no axes. *)
Definition joined (caps : list rterm) : part :=
  match filter writes caps with
  | [] => Part [] []
  | R :: Rs => fold_left (fun X Q => part_join X (ground_part Q)) Rs (ground_part R)
  end.

Definition fill (x : option dim) : dim := match x with Some d => d | None => Unit end.

Definition filled (X : part) : row := map fill (p_lead X) ·⋄· rev (map fill (p_trail X)).

Definition has_hole (X : part) : Prop := In None (p_lead X ++ p_trail X).

(** The join of a list of rows that is not empty. *)
Definition row_joins (V : row) (Vs : list row) : row := fold_left row_join Vs V.

(** Caps without row variables, in which a place is known in all or in none. *)
Definition same_holes (F G : list dterm) : Prop :=
  forall i t u, nth_error F i = Some t -> nth_error G i = Some u -> (known t = None <-> known u = None).

Definition even_caps (caps : list rterm) : Prop :=
  forall R Q, In R caps -> In Q caps -> tmid R = None /\ same_holes (tlead R) (tlead Q) /\
    same_holes (rev (ttrail R)) (rev (ttrail Q)).

(** * The policy *)

(** Which variables of the input belong to leaves, and which of these to
    parameters of the program. *)
Record tags : Type := Tags { leaf : var -> Prop; param : var -> Prop }.

(** One leaf, two leaves; no parameters. *)
Definition only (v : var) : tags := Tags (eq v) (fun _ => False).
Definition both (v w : var) : tags := Tags (fun x => x = v \/ x = w) (fun _ => False).

(** What the solver made belongs to the variable whose value it is part of. *)
Definition part_of (C : config) (T : var -> Prop) (v : var) : Prop :=
  exists w, T w /\ In v (vars (apply (sigma C) (var_term w))).

Definition open_leaf (T : tags) (C : config) (v : var) : Prop :=
  unsolved C v /\ part_of C (leaf T) v.

(** Step 1: downward.  There is no value where it says error. *)
Inductive leaf_value (T : tags) (C : config) : binding -> Prop :=
| Leaf_cap a d : open_leaf T C (DV a) -> lower (store C) a = Some d ->
    leaf_value T C (BindD a (DConst d))
| Leaf_bare a : open_leaf T C (DV a) -> lower (store C) a = None -> ~ part_of C (param T) (DV a) ->
    leaf_value T C (BindD a (DConst Unit))
| Leaf_row p : open_leaf T C (RV p) ->
    (part_of C (param T) (RV p) -> ~ has_hole (joined (row_caps (store C) p))) ->
    leaf_value T C (BindR p (term_of (filled (joined (row_caps (store C) p))))).

(** Step 3: upward. *)
Definition top_of (v : var) : binding :=
  match v with DV a => BindD a (DConst Unit) | RV p => BindR p (term_of empty_row) end.

Inductive upward (C : config) : binding -> Prop :=
| Upward v : unsolved C v -> upward C (top_of v).

(** Step 2: solve again, to the end. *)
Definition solves (C C' : config) : Prop := run any_step C C' /\ phi C' = [].

(** Steps 1 and 2, any leaves at a time, until no leaf is open. *)
Inductive leaf_phase (T : tags) : config -> config -> Prop :=
| Leaves_done C : (forall v, ~ open_leaf T C v) -> leaf_phase T C C
| Leaves_more C bs C' C'' : (forall b, In b bs -> leaf_value T C b) -> solves (commit C bs) C' ->
    leaf_phase T C' C'' -> leaf_phase T C C''.

(** All of Def. 6.1.  Step 3 leaves no unsolved variable out. *)
Inductive closes (T : tags) (cs : list constr) : config -> Prop :=
| Closes C0 C1 bs C : solves (initial cs) C0 -> leaf_phase T C0 C1 ->
    (forall b, In b bs -> upward C1 b) ->
    (forall v, unsolved C1 v -> In v (map bound_var bs)) ->
    solves (commit C1 bs) C -> closes T cs C.

(** γ_close. *)
Definition gamma_close (C : config) : ground := greatest (sigma C).

(** Every variable that was seen has a ground value. *)
Definition all_solved (C : config) : Prop :=
  forall v, In v (used C) -> vars (apply (sigma C) (var_term v)) = [].

(** * With the guard *)

(** Values without row variables: what closing commits. *)
Definition closed_value (b : binding) : Prop :=
  match b with BindD _ t => exists d, t = DConst d | BindR _ R => tmid R = None end.

(** A guarded step, or, when nothing is pending, values for some variables. *)
Inductive guarded_closing : config -> config -> Prop :=
| GC_step C C' : guarded_step C C' -> guarded_closing C C'
| GC_commit C bs : phi C = [] -> bs <> [] ->
    (forall b, In b bs -> closed_value b /\ knows C (equation b)) -> guarded_closing C (commit C bs).

(** * Dimension stores *)

(** Atoms below variables, and inequalities between variables: nothing else. *)
Definition dim_bounds (B : list constr) : Prop :=
  forall c, In c B ->
    (exists d a, c = DLe (DConst d) (DVar a)) \/ exists a b, c = DLe (DVar a) (DVar b).

(** Caps can travel no further: what is stored below a variable is stored below
    all that is above it. *)
Definition saturated (B : list constr) : Prop :=
  forall d a b, In (DLe (DConst d) (DVar a)) B -> In (DLe (DVar a) (DVar b)) B ->
    In (DLe (DConst d) (DVar b)) B.

Definition below (B : list constr) (x a : dvar) : Prop := x = a \/ adj_path B x a.

(** A variable lies below two of the variables [L] that have different caps. *)
Definition torn (B : list constr) (L : list dvar) : Prop :=
  exists x a b d e, In a L /\ In b L /\ below B x a /\ below B x b /\
    lower B a = Some d /\ lower B b = Some e /\ d <> e.

(** The values of step 1 for the variables [L], those that have a cap. *)
Definition cap_values (B : list constr) (L : list dvar) : list binding :=
  flat_map (fun a => match lower B a with Some d => [BindD a (DConst d)] | None => [] end) L.

(** * Sets of the findings *)

(** 6.3: 3 ⊑ a, a ⊑ b, 5 ⊑ b, with a = 0 and b = 1. *)
Definition example_6_3 : list constr :=
  [DLe n3 (DVar 0); DLe (DVar 0) (DVar 1); DLe n5 (DVar 1)].

(** F4: 3 ⊑ a, 5 ⊑ b, c ⊑ a, c ⊑ b, with a = 0, b = 1, c = 2. *)
Definition finding_f4 : list constr :=
  [DLe n3 (DVar 0); DLe n5 (DVar 1); DLe (DVar 2) (DVar 0); DLe (DVar 2) (DVar 1)].

(** F13: a ⊑ b, and [a]⋄[] ⊑ <p>. *)
Definition finding_f13_bare : list constr := [DLe (DVar 0) (DVar 1)].
Definition finding_f13_hole : list constr := [RLe (RTerm [DVar 0] None []) (rvar_term 0)].

(** F15: [3]<r> ≈ <r>[5]. *)
Definition finding_f15_shift : list constr :=
  [REq (RTerm [n3] (Some 0) []) (RTerm [] (Some 0) [n5])].

(** F15: [2]<x> ≈ <y>[2], <x>[2] ⊑ <y>, <x> ⊑ <z>, []⋄[2] ⊑ <z>, with x = 0, y = 1, z = 2. *)
Definition finding_f15 : list constr :=
  [REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [two]);
   RLe (RTerm [] (Some 0) [two]) (rvar_term 1);
   RLe (rvar_term 0) (rvar_term 2);
   RLe (RTerm [] None [two]) (rvar_term 2)].

(** What its re-solve comes to: one constraint that lacks a leading axis, again
    and again.  Row variable i + 3 is the current one. *)
Definition f15_constraint (i : nat) : constr :=
  let al := map DVar (seq 1 i) in
  RLe (RTerm al (Some (3 + i)) [two; two]) (RTerm (two :: al) (Some (3 + i)) []).

Fixpoint f15_config (C : config) (i : nat) : config :=
  match i with
  | 0 => C
  | S i => next (f15_config C i) [] (f15_constraint i)
             (Effect [] (Some (BindR (3 + i) (grown [1 + i] (4 + i) []))) [] true)
  end.

(** * 6.7: placements and word solutions as branches *)

(** A step; or another place for the marker of an entailed middle; or, when
    nothing is pending, any value for a row variable of a deferred equation. *)
Inductive branch : config -> config -> Prop :=
| B_step C c r C' : step C c r C' -> branch C C'
| B_place C pre c post R p Q k : phi C = pre ++ c :: post -> c = REq R Q \/ c = REq Q R ->
    tmid R = Some p -> tmid Q = None -> known_rank R <= length (tflat Q) ->
    length (tlead R) <= k -> k <= length (tflat Q) - length (ttrail R) ->
    branch C (next C (pre ++ post) c (Effect (facing R Q) (Some (BindR p (middle R Q k))) [] false))
| B_word C R Q p V : phi C = [] -> In (REq R Q) (store C) -> tmid R = Some p \/ tmid Q = Some p ->
    knows C (equation (BindR p V)) -> branch C (commit C [BindR p V]).

Inductive branches : config -> config -> Prop :=
| Branches_nil C : branches C C
| Branches_cons C C' C'' : branch C C' -> branches C' C'' -> branches C C''.

(** Flanks of given lengths in place of the row variables, made of variables from
    [N] on. *)
Definition axis_name (N : nat) (p : rvar) (j : nat) : dvar := N + Cantor.to_nat (p, j).

Definition sized (N : nat) (vl vt : lengths) (p : rvar) : rterm :=
  RTerm (map (fun i => DVar (axis_name N p (2 * i))) (seq 0 (vl p))) None
        (map (fun i => DVar (axis_name N p (2 * i + 1))) (seq 0 (vt p))).

Definition size_subst (N : nat) (vl vt : lengths) : subst := Subst DVar (sized N vl vt).

(** Above every dimension variable of the set. *)
Definition above_all (cs : list constr) : nat :=
  S (list_max (map (fun v => match v with DV a => a | RV _ => 0 end) (flat_map vars_c cs))).

Definition at_lengths (vl vt : lengths) (cs : list constr) : list constr :=
  map (sub_c (size_subst (above_all cs) vl vt)) cs.

(** The rows of the set have these lengths. *)
Definition has_lengths (vl vt : lengths) (cs : list constr) (g : ground) : Prop :=
  forall p, In (RV p) (flat_map vars_c cs) -> lead_lengths g p = vl p /\ trail_lengths g p = vt p.
