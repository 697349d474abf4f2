(** 8.3: parts of concatenations that are projected away, and closing with two units. *)

From Coq Require Import ZArith List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Staged Bounds.
Import ListNotations.
Local Open Scope Z_scope.

(** * The test *)

(** An axis has components, each with its labels; an axis that no label names has one component without any. *)
Definition component : Type := list nat.
Definition axis : Type := list component.
Definition side : Type := list (list axis).

Definition meets (complement : list nat) (c : component) : bool :=
  existsb (fun l => existsb (Nat.eqb l) complement) c.

(** ∀ slots ∃ axis ∀ components: complement ∩ component ≠ ∅. *)
Definition projected (other : side) (complement : list nat) : bool :=
  forallb (existsb (forallb (meets complement))) other.

(** For each component of a concatenation the complement is what the others have. *)
Definition discarded_of (other : side) (x : axis) : list nat :=
  if (2 <=? length x)%nat
  then flat_map (fun p => if projected other (concat (snd p)) then fst p else []) (picks x)
  else [].

Definition discardable (operands result : side) : list nat :=
  flat_map (discarded_of result) (concat operands) ++ flat_map (discarded_of operands) (concat result).

(** The same in words. *)
Definition discards (other : side) (x : axis) (l : nat) : Prop :=
  exists c others, In (c, others) (picks x) /\ others <> [] /\ In l c /\
    forall s, In s other -> exists y, In y s /\ forall d, In d y -> exists k, In k d /\ In k (concat others).

(** The same as core/staged/src/discard.rs has it, which looks each label up once.  The component that has a label; none where
    several have it. *)
Definition owner (x : axis) (l : nat) : option (option nat) :=
  match filter (fun i => existsb (Nat.eqb l) (nth i x [])) (seq 0 (length x)) with
  | [] => None
  | [i] => Some (Some i)
  | _ => Some None
  end.

Definition owners (x : axis) (c : component) : list (option nat) :=
  flat_map (fun l => match owner x l with Some o => [o] | None => [] end) c.

Definition same_owner (o p : option nat) : bool :=
  match o, p with Some i, Some j => Nat.eqb i j | None, None => true | _, _ => false end.

(** The components that must stay for this one to meet the others; none where nothing would do. *)
Definition kept_component (x : axis) (c : component) : option (list nat) :=
  match owners x c with
  | [] => None
  | Some i :: rest => Some (if forallb (same_owner (Some i)) rest then [i] else [])
  | None :: _ => Some []
  end.

Fixpoint kept_all {A : Type} (f : A -> option (list nat)) (l : list A) : option (list nat) :=
  match l with
  | [] => Some []
  | a :: l => match f a, kept_all f l with Some k, Some m => Some (k ++ m) | _, _ => None end
  end.

Fixpoint kept_some {A : Type} (f : A -> option (list nat)) (l : list A) : option (list nat) :=
  match l with
  | [] => None
  | a :: l =>
      match f a, kept_some f l with
      | Some k, Some m => Some (filter (fun i => existsb (Nat.eqb i) m) k)
      | Some k, None => Some k
      | None, m => m
      end
  end.

Definition kept_side (x : axis) (other : side) : option (list nat) :=
  kept_all (kept_some (kept_all (kept_component x))) other.

Definition quickly_discarded_of (other : side) (x : axis) : list nat :=
  if (2 <=? length x)%nat
  then match kept_side x other with
       | Some kept => flat_map (fun i => if existsb (Nat.eqb i) kept then [] else nth i x []) (seq 0 (length x))
       | None => []
       end
  else [].

Definition quickly_discardable (operands result : side) : list nat :=
  flat_map (quickly_discarded_of result) (concat operands) ++ flat_map (quickly_discarded_of operands) (concat result).

(** Axes that a row variable stands for: without labels, anywhere in each slot. *)
Inductive grown : list axis -> list axis -> Prop :=
| Grown_nil : grown [] []
| Grown_same x s t : grown s t -> grown (x :: s) (x :: t)
| Grown_axis s t : grown s t -> grown s ([[]] :: t).

(** * Solutions with zeros *)

(** An equation of two variables. *)
Definition equated (c : constr) : option (dvar * dvar) :=
  match c with DEq (DVar a) (DVar b) => Some (a, b) | _ => None end.

Definition both_zero (Z0 : dvar -> bool) (c : constr) : bool :=
  match equated c with Some (a, b) => Z0 a && Z0 b | None => false end.

(** D has no 0: of what is 0 no constraint speaks, but for an equation with another that is. *)
Definition solves (phi : list constr) (cs : list size_claim) (v : valuation) : Prop :=
  (forall c, In c phi -> both_zero (v_zero v) c = true \/
    holds (v_ground v) c /\ forall a, In (DV a) (vars_c c) -> v_zero v a = false) /\
  (forall c, In c cs -> says v c).

(** * What can be 0 *)

(** Equal by equations of two variables. *)
Inductive linked (phi : list constr) (a : dvar) : dvar -> Prop :=
| Linked_refl : linked phi a a
| Linked_step b c e : linked phi a b -> In e phi -> equated e = Some (b, c) \/ equated e = Some (c, b) -> linked phi a c.

(** The variables of a claim that are no parts of a concatenation. *)
Definition besides (c : size_claim) : list dvar :=
  match c with
  | Affine d stride o m _ =>
      unknowns (d :: o :: late stride ++ match m with Valid e k => k :: late e | _ => [] end)
  | Parts d _ => unknowns [d]
  | Elements rows divided _ coeff var =>
      unknowns (written rows ++ late coeff) ++ divided ++ match var with Some a => [a] | None => [] end
  | Axes rows axes => unknowns (written rows ++ axes)
  | At_least d _ => unknowns [d]
  end.

(** An axis of a tensor, or in a claim other than as a part. *)
Definition elsewhere (phi : list constr) (cs : list size_claim) (a : dvar) : Prop :=
  (exists c, In c phi /\ equated c = None /\ In (DV a) (vars_c c)) \/ exists c, In c cs /\ In a (besides c).

(** Discardable, and with all that equals it nowhere but in concatenations. *)
Definition may_be_zero (phi : list constr) (cs : list size_claim) (D : list nat) (a : dvar) : Prop :=
  forall b, linked phi a b -> In b D /\ ~ elsewhere phi cs b.

(** With [a] and what equals it some concatenation would be left without a part. *)
Definition last_part (phi : list constr) (cs : list size_claim) (Z0 : dvar -> bool) (a : dvar) : Prop :=
  exists d ps, In (Parts d ps) cs /\ (exists b, In (DVar b) ps /\ linked phi a b) /\
    forall t, In t ps -> exists b, t = DVar b /\ (Z0 b = true \/ linked phi a b).

(** * Closing with two units *)

Definition no_zeros : dvar -> bool := fun _ => false.

(** What equals [a] becomes 0 with it, if none is the last part; and whatever else is worked out, chosen or closed comes
    as a constraint that says nothing of zeros. *)
Inductive two_units (phi0 : list constr) (cs : list size_claim) (D : list nat) : list constr -> (dvar -> bool) -> Prop :=
| Units_start : two_units phi0 cs D phi0 no_zeros
| Units_zero phi Z0 Z1 a : two_units phi0 cs D phi Z0 -> may_be_zero phi cs D a -> ~ last_part phi cs Z0 a ->
    (forall b, Z1 b = true <-> Z0 b = true \/ linked phi a b) -> two_units phi0 cs D phi Z1
| Units_more phi Z0 c : two_units phi0 cs D phi Z0 -> (forall a, In (DV a) (vars_c c) -> Z0 a = false) ->
    two_units phi0 cs D (c :: phi) Z0.

(** * As a program *)

(** One variable for all that are equal. *)
Fixpoint rep (phi : list constr) (x : dvar) : dvar :=
  match phi with
  | [] => x
  | c :: phi =>
      match equated c with
      | Some (a, b) => if Nat.eqb (rep phi x) (rep phi a) then rep phi b else rep phi x
      | None => rep phi x
      end
  end.

Definition linkedb (phi : list constr) (a b : dvar) : bool := Nat.eqb (rep phi a) (rep phi b).

Definition elsewhereb (phi : list constr) (cs : list size_claim) (a : dvar) : bool :=
  existsb (fun c => match equated c with None => existsb (var_eqb (DV a)) (vars_c c) | Some _ => false end) phi ||
  existsb (fun c => existsb (Nat.eqb a) (besides c)) cs.

Definition in_equations (phi : list constr) : list dvar :=
  flat_map (fun c => match equated c with Some (a, b) => [a; b] | None => [] end) phi.

Definition may_be_zerob (phi : list constr) (cs : list size_claim) (D : list nat) (a : dvar) : bool :=
  forallb (fun b => implb (linkedb phi a b) (existsb (Nat.eqb b) D && negb (elsewhereb phi cs b))) (a :: in_equations phi).

Definition last_partb (phi : list constr) (cs : list size_claim) (Z0 : dvar -> bool) (a : dvar) : bool :=
  existsb (fun c =>
    match c with
    | Parts _ ps =>
        existsb (fun t => match t with DVar b => linkedb phi a b | DConst _ => false end) ps &&
        forallb (fun t => match t with DVar b => Z0 b || linkedb phi a b | DConst _ => false end) ps
    | _ => false
    end) cs.

Definition zero_next (phi : list constr) (cs : list size_claim) (D : list nat) (Z0 : dvar -> bool) (a : dvar) : dvar -> bool :=
  if may_be_zerob phi cs D a && negb (last_partb phi cs Z0 a) then fun b => Z0 b || linkedb phi a b else Z0.

(** One after the other, in this order. *)
Definition zeros (phi : list constr) (cs : list size_claim) (D order : list nat) : dvar -> bool :=
  fold_left (zero_next phi cs D) order no_zeros.

(** * Without the zeros *)

(** What is left of Φ and of the claims without the zeros. *)
Definition gone (Z0 : dvar -> bool) (t : dterm) : bool := match t with DVar a => Z0 a | DConst _ => false end.

Definition struck (Z0 : dvar -> bool) (phi : list constr) : list constr := filter (fun c => negb (both_zero Z0 c)) phi.

Definition strike (Z0 : dvar -> bool) (c : size_claim) : size_claim :=
  match c with Parts d ps => Parts d (filter (fun t => negb (gone Z0 t)) ps) | c => c end.

(** * Operations *)

(** The axes of a slot as lists of labels, which are variables: one label is the axis itself, and several are the parts
    of a variable of its own, numbered from [n] on. *)
Fixpoint axis_terms (n : nat) (axes : list (list nat)) : list dterm :=
  match axes with
  | [] => []
  | [l] :: axes => DVar l :: axis_terms (S n) axes
  | _ :: axes => DVar n :: axis_terms (S n) axes
  end.

Fixpoint axis_claims (n : nat) (axes : list (list nat)) : list size_claim :=
  match axes with
  | [] => []
  | [_] :: axes => axis_claims (S n) axes
  | ps :: axes => Parts (DVar n) (map DVar ps) :: axis_claims (S n) axes
  end.

Fixpoint slot_terms (n : nat) (slots : list (list (list nat))) : list (list dterm) :=
  match slots with
  | [] => []
  | s :: slots => axis_terms n s :: slot_terms (n + length s) slots
  end.

(** Every slot is a tensor, whose row has its axes. *)
Definition tensors (n : nat) (slots : list (list (list nat))) : list constr :=
  map (fun x => REq (rvar_term (fst x)) (RTerm [] None (snd x)))
    (combine (seq 0 (length slots)) (slot_terms n slots)).

Definition claims (n : nat) (slots : list (list (list nat))) : list size_claim := axis_claims n (concat slots).

(** Labels of known size, and labels that are equal. *)
Definition known_labels (known : list (nat * positive)) : list constr :=
  map (fun x => DEq (DVar (fst x)) (DConst (num (snd x)))) known.

Definition same_labels (same : list (nat * nat)) : list constr := map (fun x => DEq (DVar (fst x)) (DVar (snd x))) same.

Definition operations (n : nat) (slots : list (list (list nat))) (known : list (nat * positive)) (same : list (nat * nat)) :
  list constr := known_labels known ++ same_labels same ++ tensors n slots.

(** The test's view of such slots. *)
Definition labels_of (slots : list (list (list nat))) : side := map (map (map (fun l => [l]))) slots.

(** The closed values: labels as [f] says, and every whole as long as its parts together. *)
Definition label_size (f : nat -> dim) (Z0 : dvar -> bool) (l : nat) : Z := if Z0 l then 0 else Zpos (count (f l)).

Definition closed_dim (n : nat) (slots : list (list (list nat))) (f : nat -> dim) (Z0 : dvar -> bool) (a : dvar) : dim :=
  if (a <? n)%nat then f a else num (Z.to_pos (plus (map (label_size f Z0) (nth (a - n) (concat slots) [])))).

Definition closed_values (n : nat) (slots : list (list (list nat))) (f : nat -> dim) (Z0 : dvar -> bool) : valuation :=
  let h := closed_dim n slots f Z0 in
  Valuation (Ground h (fun k => [] ·⋄· map (ground_d (Ground h (fun _ => empty_row))) (nth k (slot_terms n slots) []))) Z0.

(** The policy: an unknown label is 1∅. *)
Definition policy_size (known : list (nat * positive)) (l : nat) : dim :=
  match find (fun x => Nat.eqb (fst x) l) known with Some x => num (snd x) | None => Unit end.

(** * Witnesses, with labels a = 0, b = 1, c = 2 and wholes from 3 on *)

Definition la : nat := 0. Definition lb : nat := 1. Definition lc : nat := 2.

Definition is_size (a : dvar) (n : positive) : constr := DEq (DVar a) (DConst (num n)).

(** a^b; b => a, with an operand of size 5. *)
Definition axis_operands : list (list (list nat)) := [[[la; lb]]; [[lb]]].
Definition axis_result : list (list (list nat)) := [[[la]]].
Definition axis_phi : list constr := is_size 3%nat 5 :: operations 3 (axis_operands ++ axis_result) [] [].
Definition axis_cs : list size_claim := claims 3 (axis_operands ++ axis_result).

(** a^b^c => a^b, c. *)
Definition together_operands : list (list (list nat)) := [[[la; lb; lc]]].
Definition together_result : list (list (list nat)) := [[[la; lb]; [lc]]].
Definition together_phi : list constr := operations 3 (together_operands ++ together_result) [] [].
Definition together_cs : list size_claim := claims 3 (together_operands ++ together_result).

(** a^b => a and a^b => b^a, with an operand of size 5. *)
Definition dropped : list (list (list nat)) := [[[la; lb]]; [[la]]].
Definition dropped_phi : list constr := is_size 3%nat 5 :: operations 3 dropped [] [].

Definition swapped : list (list (list nat)) := [[[la; lb]]; [[lb; la]]].
Definition swapped_phi : list constr := is_size 3%nat 5 :: operations 3 swapped [] [].

(** a^b, a^c => a, with operand axes of sizes 5 and 3. *)
Definition crossed_operands : list (list (list nat)) := [[[la; lb]; [la; lc]]].
Definition crossed_result : list (list (list nat)) := [[[la]]].
Definition crossed_phi : list constr := is_size 3%nat 5 :: is_size 4%nat 3 :: operations 3 (crossed_operands ++ crossed_result) [] [].
Definition crossed_cs : list size_claim := claims 3 (crossed_operands ++ crossed_result).
