(** Section 7: projections.  From the solved shapes of one operation to its loops.

    Interface of the solver, [project axes E]:
    - [axes] lists the projection ids of the operation, each with its size;
    - [E] lists the equations, in the order in which they are processed:
      [Eq (Proj p) (Proj q)]       p and q run together,
      [Eq (Proj p) (Sol (Fix c))]  p is pinned at the position c,
      [Eq (Proj p) (Sol (Ext s))]  p is pinned at the symbol s, given from outside,
      [Eq (Sol i) (Sol j)]         the two given indices are the same,
      [Iter (Proj p)]              p is iterated;
      the two sides of [Eq] may be swapped;
    - the answer is [Failed] with the first conflict met, or [Done] with the sizes
      of the loops, outermost first, and a label for every id of [axes], in that
      order.  Loops are numbered in the order in which [axes] first names an id of
      their class.
    Ids, symbols, positions and sizes are numbers.  [axes] must list every id of
    [E] once and with a size of at least 1, else the answer is [Failed Malformed].

    Everything here computes, except for the propositions that say what the
    computed things mean. *)

From Coq Require Import List Bool Arith.
Import ListNotations.

(** * Def. 7.1: the projection language *)

Definition pid := nat.
Definition symbol := nat.

(** An index from outside: a fixed position or an external symbol. *)
Inductive index : Type :=
| Fix (c : nat)
| Ext (s : symbol).

Inductive atom : Type :=
| Proj (p : pid)
| Sol (i : index).

Inductive equation : Type :=
| Eq (q r : atom)
| Iter (q : atom).

Definition index_eqb (i j : index) : bool :=
  match i, j with
  | Fix c, Fix d => c =? d
  | Ext s, Ext t => s =? t
  | _, _ => false
  end.

(** * Def. 7.3: the solver *)

(** The partition is a forest: a link (a, b) makes the root b the parent of the
    root a, the newest link first.  Pins and iterate marks are kept with the ids
    that they came with, and read off modulo the partition. *)
Record state : Type := State
  { links : list (pid * pid); pins : list (pid * index); marks : list pid }.

Definition start : state := State [] [] [].

(** Find: from an id to the root of its tree. *)
Fixpoint root (ls : list (pid * pid)) (p : pid) : pid :=
  match ls with
  | [] => p
  | (a, b) :: ls => let r := root ls p in if r =? a then b else r
  end.

Definition same (st : state) (p q : pid) : bool := root (links st) p =? root (links st) q.

(** The pin of the class of p. *)
Definition pin_of (st : state) (p : pid) : option index :=
  match find (fun e => same st p (fst e)) (pins st) with
  | Some e => Some (snd e)
  | None => None
  end.

(** Is the class of p in the iterate set? *)
Definition iterated (st : state) (p : pid) : bool := existsb (same st p) (marks st).

(** Why a pass stops. *)
Inductive failure : Type :=
| Malformed
| SizeClash (p q : pid)
| PinClash (p : pid) (i j : index)
| IndexClash (i j : index).

Inductive result (A : Type) : Type :=
| Done (a : A)
| Failed (f : failure).
Arguments Done {A} a.
Arguments Failed {A} f.

Definition link (st : state) (p q : pid) : state :=
  State ((root (links st) p, root (links st) q) :: links st) (pins st) (marks st).

(** Eq(Proj p, Proj q).  Union; the size of a class is that of its root. *)
Definition merge (sz : pid -> nat) (st : state) (p q : pid) : result state :=
  if same st p q then Done st
  else if negb (sz (root (links st) p) =? sz (root (links st) q)) then Failed (SizeClash p q)
  else match pin_of st p, pin_of st q with
       | Some i, Some j => if index_eqb i j then Done (link st p q) else Failed (PinClash p i j)
       | _, _ => Done (link st p q)
       end.

(** Eq(Proj p, Sol i). *)
Definition pin (st : state) (p : pid) (i : index) : result state :=
  let st' := State (links st) ((p, i) :: pins st) (marks st) in
  match pin_of st p with
  | Some j => if index_eqb j i then Done st' else Failed (PinClash p j i)
  | None => Done st'
  end.

Definition step (sz : pid -> nat) (st : state) (e : equation) : result state :=
  match e with
  | Eq (Proj p) (Proj q) => merge sz st p q
  | Eq (Proj p) (Sol i) => pin st p i
  | Eq (Sol i) (Proj p) => pin st p i
  | Eq (Sol i) (Sol j) => if index_eqb i j then Done st else Failed (IndexClash i j)
  | Iter (Proj p) => Done (State (links st) (pins st) (p :: marks st))
  | Iter (Sol _) => Done st
  end.

Fixpoint run (step : state -> equation -> result state) (st : state) (E : list equation) : result state :=
  match E with
  | [] => Done st
  | e :: E => match step st e with Done st' => run step st' E | Failed f => Failed f end
  end.

Definition solve (sz : pid -> nat) (E : list equation) : result state := run (step sz) start E.

(** The paper's words alone: merging looks at sizes only.  Of two pins the later
    one, which comes first in the list, is then read off. *)
Definition merge_unchecked (sz : pid -> nat) (st : state) (p q : pid) : result state :=
  if same st p q then Done st
  else if negb (sz (root (links st) p) =? sz (root (links st) q)) then Failed (SizeClash p q)
  else Done (link st p q).

Definition step_unchecked (sz : pid -> nat) (st : state) (e : equation) : result state :=
  match e with
  | Eq (Proj p) (Proj q) => merge_unchecked sz st p q
  | _ => step sz st e
  end.

Definition solve_unchecked (sz : pid -> nat) (E : list equation) : result state :=
  run (step_unchecked sz) start E.

(** ** Labels and the product space *)

(** Loop j, or an index that no loop moves. *)
Inductive label : Type :=
| Iterator (j : nat)
| Given (i : index).

(** Does the class of p get an iterator?  Pins dominate, and size 1 needs none. *)
Definition loops (sz : pid -> nat) (st : state) (p : pid) : bool :=
  match pin_of st p with Some _ => false | None => iterated st p && (1 <? sz p) end.

(** The first id of every class, in the order of the list. *)
Fixpoint leaders (same : pid -> pid -> bool) (ps : list pid) : list pid :=
  match ps with
  | [] => []
  | p :: ps => p :: filter (fun q => negb (same p q)) (leaders same ps)
  end.

Fixpoint position {A : Type} (f : A -> bool) (l : list A) : nat :=
  match l with
  | [] => 0
  | x :: l => if f x then 0 else S (position f l)
  end.

(** One id for every iterator. *)
Definition iterators (sz : pid -> nat) (st : state) (ps : list pid) : list pid :=
  leaders (same st) (filter (loops sz st) ps).

Definition label_of (sz : pid -> nat) (st : state) (ps : list pid) (p : pid) : label :=
  match pin_of st p with
  | Some i => Given i
  | None =>
      if iterated st p && (1 <? sz p) then Iterator (position (same st p) (iterators sz st ps))
      else Given (Fix 0)
  end.

(** What the operation compiles to: the sizes of its loops, and a label for every id. *)
Record nest : Type := Nest { factors : list nat; labels : list (pid * label) }.

Definition nest_of (sz : pid -> nat) (st : state) (ps : list pid) : nest :=
  Nest (map sz (iterators sz st ps)) (map (fun p => (p, label_of sz st ps p)) ps).

(** ** The whole pass *)

Fixpoint lookup {A : Type} (default : A) (l : list (pid * A)) (p : pid) : A :=
  match l with
  | [] => default
  | (q, a) :: l => if p =? q then a else lookup default l p
  end.

Definition size_in (axes : list (pid * nat)) : pid -> nat := lookup 1 axes.

Definition ids_of (e : equation) : list pid :=
  let of_atom a := match a with Proj p => [p] | Sol _ => [] end in
  match e with Eq q r => of_atom q ++ of_atom r | Iter q => of_atom q end.

Definition memb (p : pid) (ps : list pid) : bool := existsb (Nat.eqb p) ps.

Fixpoint distinctb (ps : list pid) : bool :=
  match ps with [] => true | p :: ps => negb (memb p ps) && distinctb ps end.

Definition well_formedb (axes : list (pid * nat)) (E : list equation) : bool :=
  distinctb (map fst axes)
  && forallb (fun a => 1 <=? snd a) axes
  && forallb (fun e => forallb (fun p => memb p (map fst axes)) (ids_of e)) E.

Definition well_formed (axes : list (pid * nat)) (E : list equation) : Prop :=
  NoDup (map fst axes) /\
  (forall p n, In (p, n) axes -> 1 <= n) /\
  (forall e p, In e E -> In p (ids_of e) -> In p (map fst axes)).

Definition project (axes : list (pid * nat)) (E : list equation) : result nest :=
  if well_formedb axes E then
    match solve (size_in axes) E with
    | Done st => Done (nest_of (size_in axes) st (map fst axes))
    | Failed f => Failed f
    end
  else Failed Malformed.

(** The index map of a tensor: the label of each of its axes. *)
Definition index_map (n : nest) (tensor : list pid) : list label :=
  map (lookup (Given (Fix 0)) (labels n)) tensor.

(** * What the solver is to compute: closures of the equations *)

(** Eq is symmetric. *)
Definition flip (e : equation) : equation :=
  match e with Eq q r => Eq r q | Iter q => Iter q end.

Definition given (E : list equation) (e : equation) : Prop := In e E \/ In (flip e) E.

(** The same equations, whatever their order, repetitions and sides. *)
Definition same_equations (E F : list equation) : Prop := forall e, given E e <-> given F e.

(** ≡, the least equivalence on ids that contains the given pairs. *)
Inductive co_iterated (E : list equation) : pid -> pid -> Prop :=
| Co_pair p q : given E (Eq (Proj p) (Proj q)) -> co_iterated E p q
| Co_refl p : co_iterated E p p
| Co_sym p q : co_iterated E p q -> co_iterated E q p
| Co_trans p q r : co_iterated E p q -> co_iterated E q r -> co_iterated E p r.

(** The class of p receives the pin i. *)
Definition pinned (E : list equation) (p : pid) (i : index) : Prop :=
  exists q, co_iterated E p q /\ given E (Eq (Proj q) (Sol i)).

(** The class of p is marked for iteration. *)
Definition marked (E : list equation) (p : pid) : Prop :=
  exists q, co_iterated E p q /\ given E (Iter (Proj q)).

(** The class of p is to get an iterator. *)
Definition looped (sz : pid -> nat) (E : list equation) (p : pid) : Prop :=
  (forall i, ~ pinned E p i) /\ marked E p /\ 1 < sz p.

(** Thm. 7.4, the three causes of failure. *)
Definition size_conflict (sz : pid -> nat) (E : list equation) : Prop :=
  exists p q, co_iterated E p q /\ sz p <> sz q.

Definition pin_conflict (E : list equation) : Prop :=
  exists p i j, pinned E p i /\ pinned E p j /\ i <> j.

Definition index_conflict (E : list equation) : Prop :=
  exists i j, given E (Eq (Sol i) (Sol j)) /\ i <> j.

Definition conflict (sz : pid -> nat) (E : list equation) : Prop :=
  size_conflict sz E \/ pin_conflict E \/ index_conflict E.

(** What a reported failure claims of the equations. *)
Definition explains (sz : pid -> nat) (E : list equation) (f : failure) : Prop :=
  match f with
  | Malformed => False
  | SizeClash p q => co_iterated E p q /\ sz p <> sz q
  | PinClash p i j => pinned E p i /\ pinned E p j /\ i <> j
  | IndexClash i j => given E (Eq (Sol i) (Sol j)) /\ i <> j
  end.

(** Two answers that say the same: both fail, or both have the same partition,
    pins, iterate set, product space and labels. *)
Definition same_answer (sz : pid -> nat) (a b : result state) : Prop :=
  match a, b with
  | Done st, Done st' =>
      (forall p q, same st p q = same st' p q) /\
      (forall p, pin_of st p = pin_of st' p) /\
      (forall p, iterated st p = iterated st' p) /\
      (forall ps, nest_of sz st ps = nest_of sz st' ps)
  | Failed _, Failed _ => True
  | _, _ => False
  end.

(** Def. 7.3, labels, with the names of the iterators left open: any names, one
    for each class that is to get one.  [product] gives their sizes. *)
Record is_output (sz : pid -> nat) (E : list equation) (ps : list pid)
    (lab : pid -> label) (product : list (nat * nat)) : Prop := Is_output
  { out_pinned : forall p i, In p ps -> pinned E p i -> lab p = Given i;
    out_looped : forall p, In p ps -> looped sz E p -> exists s, lab p = Iterator s;
    out_other : forall p, In p ps -> (forall i, ~ pinned E p i) -> ~ looped sz E p -> lab p = Given (Fix 0);
    out_classes : forall p q s t, In p ps -> In q ps -> lab p = Iterator s -> lab q = Iterator t ->
      (s = t <-> co_iterated E p q);
    out_names : NoDup (map fst product);
    out_factors : forall s n, In (s, n) product <-> exists p, In p ps /\ lab p = Iterator s /\ n = sz p }.

Definition rename (f : nat -> nat) (l : label) : label :=
  match l with Iterator s => Iterator (f s) | Given i => Given i end.
