(** What a configuration means: the input together with the commitments of the
    run that reached it. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Closing.
Import ListNotations.

(** Identity with a value, as constraints: at row sort both inequalities (2.5). *)
Definition identity (b : binding) : list constr :=
  match b with
  | BindD a t => [DEq (DVar a) t]
  | BindR p R => [RLe (rvar_term p) R; RLe R (rvar_term p)]
  end.

(** The placements of policy steps, and what the deficit rule says its fresh
    variables are.  Every other binding is entailed. *)
Definition committed (c : constr) (r : rule) (e : effect) (ds : list constr) : Prop :=
  ((commits c r \/ r = RI_deficit) /\ exists b, binds e = Some b /\ ds = identity b) \/
  (~ commits c r /\ r <> RI_deficit /\ ds = []).

(** 5.5: solving and closing, with all that is committed on the way.  A deferred
    equation is resolved by a constraint that closing adds. *)
Inductive committing : config -> list constr -> config -> Prop :=
| Commit_nil C : committing C [] C
| Commit_step C pre c post r e ds es C' : phi C = pre ++ c :: post ->
    fires (used C) (store C) c r (Does e) -> committed c r e ds ->
    committing (next C (pre ++ post) c e) es C' -> committing C (ds ++ es) C'
| Commit_add C cs es C' : (forall c, In c cs -> knows C c) ->
    committing (extend C cs) es C' -> committing C (cs ++ es) C'.

(** Nothing pending, nothing deferred. *)
Definition succeeds (C : config) : Prop := phi C = [] /\ forall d, In d (store C) -> ~ is_req d.

Definition fails (C : config) : Prop := rule_fails C \/ guard_fails C.

(** 5.5(iii): no constraint tells two placements apart.  Three readings, each asking
    less than the one before it.  The solutions do not change when markers move. *)
Definition same_content (g h : ground) : Prop :=
  (forall a, g_d h a = g_d g a) /\ forall q, g_r h q ≈ g_r g q.

Definition undiscriminated (cs : list constr) : Prop :=
  forall g h, sol cs g -> same_content g h -> sol cs h.

(** The variables of row equalities: the solver places the markers of what these
    become, and no others. *)
Definition equated (cs : list constr) : list var :=
  flat_map (fun c => match c with REq _ _ => vars_c c | _ => [] end) cs.

(** They do not change when these variables' markers move. *)
Definition undiscriminated_equated (cs : list constr) : Prop :=
  forall g h, sol cs g -> same_content g h ->
    (forall q, ~ In (RV q) (equated cs) -> g_r h q = g_r g q) -> sol cs h.

(** Wherever these markers are moved to, some solution has them there.  All else in it
    may differ. *)
Definition placeable (cs : list constr) : Prop :=
  forall g h, sol cs g -> same_content g h ->
    exists k, sol cs k /\ forall q, In (RV q) (equated cs) -> length (lead (g_r k q)) = length (lead (g_r h q)).

(** <p> ⊑ <q>, with p = 0 and q = 1: nothing is placed. *)
Definition example_5_5_iii : list constr := [RLe (rvar_term 0) (rvar_term 1)].

(** 5.7: the variable has two values in the solutions. *)
Definition has_two_values (cs : list constr) (v : var) : Prop :=
  exists g h, sol cs g /\ sol cs h /\ ~ agree_at g h v.
