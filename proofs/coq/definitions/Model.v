(** What the bridge to the Rust code runs: booleans and functions on finite data
    for relations that the other files state as propositions.

    A substitution there is any map.  Here it is a finite list of bindings, which
    a program can print and compare.  [Model_thm] proves that each function says
    what the proposition says. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Rigid Term Semantics Rules Certificate.
Import ListNotations.

(** * Dimensions and rows *)

(** Prop. 1.3.  [y] covers [x]. *)
Definition coversb (x y : dimb) : bool :=
  match x, y with
  | Bot, Val (Atom _ _) | Val (Atom _ _), Val Unit => true
  | _, _ => false
  end.

(** Def. 2.2, with its condition. *)
Definition expansion (R : row) (n : nat) : option (list dim) :=
  if rank R <=? n then Some (expand R n) else None.

(** Remark 2.14.  One row per way to share [n] axes between two flanks. *)
Definition splits (n : nat) (P Q : list dim) : list row2 :=
  map (fun p => Marked (firstn p P ·⋄· lastn (n - p) Q))
      (filter (fun p => (p <=? length P) && (n - p <=? length Q)) (seq 0 (S n))).

(** The minimal upper bounds of two rows of either sort. *)
Definition minimal_uppers (X Y : row2) : list row2 :=
  match row2_join X Y with
  | Some Z => [Z]
  | None =>
      match X, Y with
      | Rigid F, Rigid G => splits (min (length F) (length G)) (join_front F G) (join_back F G)
      | Marked R, Rigid F | Rigid F, Marked R =>
          splits (length F) (join_front (lead R) F) (join_back (trail R) F)
      | Marked _, Marked _ => []
      end
  end.

(** * Finite substitutions *)

(** The first binding of a variable counts; a variable without one is fixed. *)
Record bindings : Type := Bindings
  { dim_terms : list (dvar * dterm); row_terms : list (rvar * rterm) }.

Definition subst_of (s : bindings) : subst :=
  Subst (fun a => match value a (dim_terms s) with Some t => t | None => DVar a end)
        (fun p => match value p (row_terms s) with Some R => R | None => rvar_term p end).

Definition mapped {A B : Type} (f : A -> B) (l : list (nat * A)) : list (nat * B) :=
  map (fun x => (fst x, f (snd x))) l.

(** Lemma 3.3: [t] first. *)
Definition compose (s t : bindings) : bindings :=
  Bindings (mapped (sub_d (subst_of s)) (dim_terms t) ++ dim_terms s)
           (mapped (sub_r (subst_of s)) (row_terms t) ++ row_terms s).

Definition bound (s : bindings) : list var :=
  map (fun x => DV (fst x)) (dim_terms s) ++ map (fun x => RV (fst x)) (row_terms s).

Definition term_eqb (X Y : term) : bool :=
  match X, Y with
  | TD t, TD u => dterm_eqb t u
  | TR R, TR Q => rterm_eqb R Q
  | _, _ => false
  end.

Definition fixesb (s : bindings) (v : var) : bool :=
  term_eqb (apply (subst_of s) (var_term v)) (var_term v).

Definition domain (s : bindings) : list var := filter (fun v => negb (fixesb s v)) (bound s).

Definition range_vars (s : bindings) : list var :=
  flat_map (fun v => vars (apply (subst_of s) (var_term v))) (domain s).

Definition idempotentb (s : bindings) : bool :=
  forallb (fun v => negb (memberb v (range_vars s))) (domain s).

Definition subst_eqb (s t : bindings) : bool :=
  forallb (fun v => term_eqb (apply (subst_of s) (var_term v)) (apply (subst_of t) (var_term v)))
          (bound s ++ bound t).

(** Def. 3.4: [s1] ≤ [s2], for idempotent [s1]. *)
Definition subst_leb (s1 s2 : bindings) : bool := subst_eqb (compose s2 s1) s2.

(** ** The order on some variables, by matching

    [u] holds what the witness must do so far.  A step gives it the values that
    make [p] become [t], or finds that none do. *)

Definition match_d (u : bindings) (p t : dterm) : option bindings :=
  match p with
  | DConst _ => if dterm_eqb p t then Some u else None
  | DVar a =>
      match value a (dim_terms u) with
      | Some t' => if dterm_eqb t' t then Some u else None
      | None => Some (Bindings ((a, t) :: dim_terms u) (row_terms u))
      end
  end.

Fixpoint match_l (u : bindings) (ps ts : list dterm) : option bindings :=
  match ps, ts with
  | [], [] => Some u
  | p :: ps, t :: ts =>
      match match_d u p t with Some u' => match_l u' ps ts | None => None end
  | _, _ => None
  end.

(** What stands inside the flanks goes to the row variable. *)
Definition match_mid (u : bindings) (m : option rvar) (T : rterm) : option bindings :=
  match m with
  | None => if rterm_eqb empty_term T then Some u else None
  | Some p =>
      match value p (row_terms u) with
      | Some T' => if rterm_eqb T' T then Some u else None
      | None => Some (Bindings (dim_terms u) ((p, T) :: row_terms u))
      end
  end.

Definition match_r (u : bindings) (P T : rterm) : option bindings :=
  let k := length (ttrail T) - length (ttrail P) in
  match match_l u (tlead P) (firstn (length (tlead P)) (tlead T)) with
  | None => None
  | Some u =>
      match match_l u (ttrail P) (skipn k (ttrail T)) with
      | None => None
      | Some u =>
          match_mid u (tmid P)
            (RTerm (skipn (length (tlead P)) (tlead T)) (tmid T) (firstn k (ttrail T)))
      end
  end.

Definition match_t (u : bindings) (P T : term) : option bindings :=
  match P, T with
  | TD p, TD t => match_d u p t
  | TR P, TR T => match_r u P T
  | _, _ => None
  end.

Fixpoint match_on (u : bindings) (V : list var) (s1 s2 : subst) : option bindings :=
  match V with
  | [] => Some u
  | v :: V =>
      match match_t u (apply s1 (var_term v)) (apply s2 (var_term v)) with
      | Some u' => match_on u' V s1 s2
      | None => None
      end
  end.

(** Def. 3.4: a witness for [s1] ≤ [s2] on [V], if there is one. *)
Definition witness_on (V : list var) (s1 s2 : bindings) : option bindings :=
  match_on (Bindings [] []) V (subst_of s1) (subst_of s2).

(** * Solutions *)

Definition modelled (s : bindings) (cs : list constr) : bool := modelsb (subst_of s) cs.

(** The value of a term under the composite that does [s] first. *)
Definition value_d (g : solution) (s : bindings) (t : dterm) : dim :=
  ground_d (ground_comp (ground_of g) (subst_of s)) t.

Definition value_r (g : solution) (s : bindings) (R : rterm) : row :=
  ground_r (ground_comp (ground_of g) (subst_of s)) R.

(** The constraints that do not hold, counted from [i]. *)
Fixpoint violations (g : ground) (i : nat) (cs : list constr) : list nat :=
  match cs with
  | [] => []
  | c :: cs => if holdsb g c then violations g (S i) cs else i :: violations g (S i) cs
  end.
