(** Defs 7.3, 7.5, Prop. 7.6, Thm. 7.8: the product space, index maps, and what
    they say about the assignment that uses them. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Projection.
Import ListNotations.

(** * Points and addresses *)

(** A point of the product space gives every loop a value.  An address gives
    every axis a position. *)
Definition in_product (x fs : list nat) : Prop := Forall2 lt x fs.
Definition in_domain (a dims : list nat) : Prop := Forall2 lt a dims.

(** [env] gives the values of the external symbols. *)
Definition value (env : symbol -> nat) (x : list nat) (l : label) : nat :=
  match l with
  | Iterator j => nth j x 0
  | Given (Fix c) => c
  | Given (Ext s) => env s
  end.

Definition address (env : symbol -> nat) (m : list label) (x : list nat) : list nat :=
  map (value env x) m.

(** Thm. 7.8(1), component by component. *)
Definition label_fits (env : symbol -> nat) (fs : list nat) (l : label) (n : nat) : Prop :=
  match l with
  | Iterator j => nth_error fs j = Some n
  | Given (Fix c) => c < n
  | Given (Ext s) => env s < n
  end.

Definition fits (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat) : Prop :=
  Forall2 (label_fits env fs) m dims.

(** The side condition of Def. 7.2, and the caller's promise for symbols. *)
Definition index_fits (env : symbol -> nat) (i : index) (n : nat) : Prop :=
  match i with Fix c => c < n | Ext s => env s < n end.

Definition in_range (env : symbol -> nat) (sz : pid -> nat) (E : list equation) : Prop :=
  forall p i, given E (Eq (Proj p) (Sol i)) -> index_fits env i (sz p).

(** Def. 7.5.  Loop j is a reduction axis: it is nowhere in the left side's map. *)
Definition reduction (fs : list nat) (m : list label) (j : nat) : Prop :=
  j < length fs /\ ~ In (Iterator j) m.

Definition is_iterator (j : nat) (l : label) : bool :=
  match l with Iterator k => j =? k | Given _ => false end.

Definition reductions (fs : list nat) (m : list label) : list nat :=
  filter (fun j => negb (existsb (is_iterator j) m)) (seq 0 (length fs)).

Definition injective (env : symbol -> nat) (fs : list nat) (m : list label) : Prop :=
  forall x y, in_product x fs -> in_product y fs -> address env m x = address env m y -> x = y.

Definition surjective (env : symbol -> nat) (fs : list nat) (m : list label) (dims : list nat) : Prop :=
  forall a, in_domain a dims -> exists x, in_product x fs /\ address env m x = a.

(** Prop. 7.6(i), read off. *)
Definition injectiveb (fs : list nat) (m : list label) : bool :=
  match reductions fs m with [] => true | _ => false end.

(** Prop. 7.6(ii): every axis of size > 1 has an iterator, no two the same. *)
Definition all_iterate (m : list label) (dims : list nat) : Prop :=
  forall k n, nth_error dims k = Some n -> 1 < n -> exists j, nth_error m k = Some (Iterator j).

Definition none_shared (m : list label) (dims : list nat) : Prop :=
  forall k k' j n n', nth_error dims k = Some n -> 1 < n -> nth_error dims k' = Some n' -> 1 < n' ->
    nth_error m k = Some (Iterator j) -> nth_error m k' = Some (Iterator j) -> k = k'.

Definition wide_labels (m : list label) (dims : list nat) : list label :=
  map fst (filter (fun c => 1 <? snd c) (combine m dims)).

Fixpoint distinct_iteratorsb (m : list label) : bool :=
  match m with
  | [] => true
  | Iterator j :: m => negb (existsb (is_iterator j) m) && distinct_iteratorsb m
  | Given _ :: _ => false
  end.

Definition surjectiveb (m : list label) (dims : list nat) : bool := distinct_iteratorsb (wide_labels m dims).
