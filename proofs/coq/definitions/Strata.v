(** Conj. 8.2: the second stratum of projection inference.

    Some ids are indexed by a derived term: a sum of other ids with factors, or a
    concatenation of others.  The first stratum is Def. 7.3; derived terms are evaluated
    on its classes, then checked, and concatenations couple what they join. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Projection.
Import ListNotations.

Inductive derived : Type :=
| Affine (terms : list (nat * pid)) (offset : Z)
| Concat (parts : list pid).

Definition ids_in (t : derived) : list pid :=
  match t with Affine ts _ => map snd ts | Concat ps => ps end.

Definition indexed : Type := list (pid * derived).

(** A label of the second stratum: one of the first; a sum, with a factor for each
    iterator; or iterators one after the other. *)
Inductive label2 : Type :=
| Plain (l : label)
| Sum (factors : list nat) (constant : Z)
| Joined (its : list nat).

Fixpoint nats_eqb (l k : list nat) : bool :=
  match l, k with
  | [], [] => true
  | x :: l, y :: k => Nat.eqb x y && nats_eqb l k
  | _, _ => false
  end.

Definition label2_eqb (x y : label2) : bool :=
  match x, y with
  | Sum l c, Sum k d => nats_eqb l k && Z.eqb c d
  | Joined l, Joined k => nats_eqb l k
  | _, _ => false
  end.

(** * On the classes of the first stratum *)

Section Classes.

(** What the first stratum says: classes, pins, iterate set; and sizes, derived terms,
    all ids. *)
Variables (sm : pid -> pid -> bool) (pin : pid -> option index) (it : pid -> bool).
Variables (sz : pid -> nat) (I : indexed) (ps : list pid).

(** The class of p has a derived term, is a part of one, is a part of a concatenation. *)
Definition has_term (p : pid) : bool := existsb (fun h => sm p (fst h)) I.
Definition is_used (p : pid) : bool := existsb (fun h => existsb (sm p) (ids_in (snd h))) I.
Definition in_concat (p : pid) : bool :=
  existsb (fun h => match snd h with Concat l => existsb (sm p) l | Affine _ _ => false end) I.

(** Does it get an iterator?  A part of a concatenation does even if its size is 1:
    whether it is its turn matters. *)
Definition moves (p : pid) : bool :=
  match pin p with
  | Some _ => false
  | None => negb (has_term p) && (in_concat p || (it p || is_used p) && (1 <? sz p))
  end.

Definition iterators2 : list pid := leaders sm (filter moves ps).

Definition number (p : pid) : nat := position (sm p) iterators2.

(** Evaluating: pinned classes are constants, others keep their factors, added up. *)
Definition constant (ts : list (nat * pid)) (o : Z) : Z :=
  fold_right (fun x c => (match pin (snd x) with Some (Fix n) => Z.of_nat (fst x * n) | _ => 0 end + c)%Z) o ts.

Definition factor (ts : list (nat * pid)) (q : pid) : nat :=
  fold_right (fun x n => (if sm q (snd x) then fst x else 0) + n) 0 ts.

Definition evaluate (t : derived) : label2 :=
  match t with
  | Affine ts o => Sum (map (factor ts) iterators2) (constant ts o)
  | Concat l => Joined (map number l)
  end.

(** No term over a class that has one itself, none over an index that is only known
    later; the parts of a concatenation have iterators of their own. *)
Fixpoint apartb (l : list pid) : bool :=
  match l with [] => true | p :: l => negb (existsb (sm p) l) && apartb l end.

Definition admissible (t : derived) : bool :=
  forallb (fun p => negb (has_term p)) (ids_in t) &&
  match t with
  | Affine ts _ => forallb (fun x => match pin (snd x) with Some (Ext _) => false | _ => true end) ts
  | Concat l => forallb (fun p => match pin p with Some _ => false | None => true end) l && apartb l
  end.

(** A class with a term and a pin: the term must be that constant. *)
Definition pin_fits (a : pid) (t : derived) : bool :=
  match pin a with
  | None => true
  | Some (Ext _) => false
  | Some (Fix n) =>
      match evaluate t with
      | Sum ks c => forallb (Nat.eqb 0) ks && Z.eqb c (Z.of_nat n)
      | _ => false
      end
  end.

(** The deferred checks, in the order of the list: a class has one term. *)
Fixpoint deferred (seen l : indexed) : bool :=
  match l with
  | [] => true
  | (a, t) :: l =>
      admissible t && pin_fits a t &&
      forallb (fun h => negb (sm a (fst h)) || label2_eqb (evaluate (snd h)) (evaluate t)) seen &&
      deferred ((a, t) :: seen) l
  end.

Definition label2_of (p : pid) : label2 :=
  match find (fun h => sm p (fst h)) I with
  | Some h => evaluate (snd h)
  | None =>
      match pin p with
      | Some i => Plain (Given i)
      | None => if moves p then Plain (Iterator (number p)) else Plain (Given (Fix 0))
      end
  end.

End Classes.

(** * Coupling *)

(** Connected components: the pairs of the first stratum, and the parts of each
    concatenation with its first. *)
Definition is_pair (e : equation) : bool := match e with Eq (Proj _) (Proj _) => true | _ => false end.

Definition coupling (E : list equation) (I : indexed) : list equation :=
  filter is_pair E ++
  flat_map (fun h => match snd h with
                     | Concat (p :: l) => map (fun q => Eq (Proj p) (Proj q)) l
                     | _ => []
                     end) I.

(** * Both strata *)

(** Loops, labels, and which loops run one after the other. *)
Record nest2 : Type := Nest2 { factors2 : list nat; labels2 : list (pid * label2); coupled : list (list bool) }.

Definition known_ids (ps : list pid) (I : indexed) : bool :=
  forallb (fun h => memb (fst h) ps && forallb (fun p => memb p ps) (ids_in (snd h))) I.

Definition project2 (axes : list (pid * nat)) (E : list equation) (I : indexed) : option nest2 :=
  let sz := size_in axes in
  let ps := map fst axes in
  if well_formedb axes E && known_ids ps I then
    match solve sz E, solve (fun _ => 1) (coupling E I) with
    | Done st, Done k =>
        let its := iterators2 (same st) (pin_of st) (iterated st) sz I ps in
        if deferred (same st) (pin_of st) (iterated st) sz I ps [] I
        then Some (Nest2 (map sz its)
               (map (fun p => (p, label2_of (same st) (pin_of st) (iterated st) sz I ps p)) ps)
               (map (fun p => map (same k p) its) its))
        else None
    | _, _ => None
    end
  else None.

(** The same derived terms, whatever their order and repetitions. *)
Definition same_elements {A : Type} (l k : list A) : Prop := forall x, In x l <-> In x k.

(** * Names left open *)

(** A label with any names for the iterators; a sum gives every name its factor. *)
Inductive named : Type :=
| NPlain (l : label)
| NSum (k : nat -> nat) (c : Z)
| NJoined (names : list nat).

(** A labelling of the ids [ps], as the second stratum asks for it: one name for each
    class that gets an iterator. *)
Record is_output2 (sm : pid -> pid -> bool) (pin : pid -> option index) (it : pid -> bool) (sz : pid -> nat)
    (I : indexed) (ps : list pid) (lab : pid -> named) : Prop := Is_output2
  { o2_affine : forall p a ts o, In p ps -> In (a, Affine ts o) I -> sm p a = true ->
      exists k, lab p = NSum k (constant pin ts o) /\
        forall q s, In q ps -> lab q = NPlain (Iterator s) -> k s = factor sm ts q;
    o2_concat : forall p a l, In p ps -> In (a, Concat l) I -> sm p a = true ->
      exists ss, lab p = NJoined ss /\ Forall2 (fun q s => lab q = NPlain (Iterator s)) l ss;
    o2_moves : forall p, In p ps -> moves sm pin it sz I p = true -> exists s, lab p = NPlain (Iterator s);
    o2_other : forall p, In p ps -> has_term sm I p = false -> moves sm pin it sz I p = false ->
      lab p = NPlain (Given (match pin p with Some i => i | None => Fix 0 end));
    o2_classes : forall p q s t, In p ps -> In q ps -> lab p = NPlain (Iterator s) -> lab q = NPlain (Iterator t) ->
      (s = t <-> sm p q = true) }.

(** The same label up to renaming, for the names [used]. *)
Definition renames (f : nat -> nat) (used : nat -> Prop) (x y : named) : Prop :=
  match x, y with
  | NPlain l, NPlain l' => l' = rename f l
  | NSum k c, NSum k' c' => c = c' /\ forall s, used s -> k' (f s) = k s
  | NJoined l, NJoined l' => l' = map f l
  | _, _ => False
  end.

(** The solver's own names are numbers. *)
Definition named_of (x : label2) : named :=
  match x with
  | Plain l => NPlain l
  | Sum ks c => NSum (fun s => nth s ks 0) c
  | Joined l => NJoined l
  end.
