(** Defs 3.1 and 3.2: terms and substitutions. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row.
Import ListNotations.

(** Variables of the two sorts.  Names are numbers. *)
Definition dvar := nat.
Definition rvar := nat.

Inductive var : Type :=
| DV (a : dvar)
| RV (p : rvar).

(** Def. 3.1.  Dimension terms: a variable, or a dimension. *)
Inductive dterm : Type :=
| DVar (a : dvar)
| DConst (d : dim).

(** Def. 3.1.  Row terms.  The middle holds a row variable or, when [None], the
    bare marker.  So a row term has at most one row variable, at the marker,
    because of its type; no later step can break that. *)
Record rterm : Type := RTerm
  { tlead : list dterm; tmid : option rvar; ttrail : list dterm }.

(** A term of either sort. *)
Inductive term : Type :=
| TD (t : dterm)
| TR (R : rterm).

(** A bare row variable is the row term with empty flanks. *)
Definition rvar_term (p : rvar) : rterm := RTerm [] (Some p) [].

Definition var_term (v : var) : term :=
  match v with DV a => TD (DVar a) | RV p => TR (rvar_term p) end.

(** * Equality, as tests *)

Definition var_eqb (v w : var) : bool :=
  match v, w with
  | DV a, DV b => Nat.eqb a b
  | RV p, RV q => Nat.eqb p q
  | _, _ => false
  end.

Definition dterm_eqb (t u : dterm) : bool :=
  match t, u with
  | DVar a, DVar b => Nat.eqb a b
  | DConst d, DConst e => dim_eqb d e
  | _, _ => false
  end.

(** * Variables of a term *)

Definition vars_d (t : dterm) : list var :=
  match t with DVar a => [DV a] | DConst _ => [] end.

Definition vars_r (R : rterm) : list var :=
  flat_map vars_d (tlead R)
  ++ match tmid R with Some p => [RV p] | None => [] end
  ++ flat_map vars_d (ttrail R).

Definition vars (X : term) : list var :=
  match X with TD t => vars_d t | TR R => vars_r R end.

(** * Substitutions *)

(** A raw substitution: any map that respects sorts.  The paper asks for finite
    and idempotent maps; finiteness plays no part in what is proved here, and
    idempotency is the predicate below. *)
Record subst : Type := Subst { on_d : dvar -> dterm; on_r : rvar -> rterm }.

Definition id_subst : subst := Subst DVar rvar_term.

(** Single bindings. *)
Definition bind_d (a : dvar) (t : dterm) : subst :=
  Subst (fun b => if Nat.eqb b a then t else DVar b) rvar_term.

Definition bind_r (p : rvar) (R : rterm) : subst :=
  Subst DVar (fun q => if Nat.eqb q p then R else rvar_term q).

Definition sub_d (s : subst) (t : dterm) : dterm :=
  match t with DVar a => on_d s a | DConst d => DConst d end.

(** Def. 3.2.  At the marker the value is spliced in: its flanks go inside the
    flanks of the host, and its middle becomes the middle. *)
Definition sub_r (s : subst) (R : rterm) : rterm :=
  match tmid R with
  | None => RTerm (map (sub_d s) (tlead R)) None (map (sub_d s) (ttrail R))
  | Some p =>
      let V := on_r s p in
      RTerm (map (sub_d s) (tlead R) ++ tlead V) (tmid V)
            (ttrail V ++ map (sub_d s) (ttrail R))
  end.

Definition apply (s : subst) (X : term) : term :=
  match X with TD t => TD (sub_d s t) | TR R => TR (sub_r s R) end.

(** Lemma 3.3.  [comp s t] does [t] first. *)
Definition comp (s t : subst) : subst :=
  Subst (fun a => sub_d s (on_d t a)) (fun p => sub_r s (on_r t p)).

(** Equality of substitutions: the same value at every variable. *)
Definition subst_eq (s t : subst) : Prop :=
  forall v, apply s (var_term v) = apply t (var_term v).

(** * Domain, range, idempotency *)

Definition fixes (s : subst) (v : var) : Prop := apply s (var_term v) = var_term v.

Definition in_dom (s : subst) (v : var) : Prop := ~ fixes s v.

Definition in_ran (s : subst) (v : var) : Prop :=
  exists w, in_dom s w /\ In v (vars (apply s (var_term w))).

(** Def. 3.2.  No variable of the domain occurs in the range. *)
Definition idempotent (s : subst) : Prop := forall v, in_dom s v -> ~ in_ran s v.
