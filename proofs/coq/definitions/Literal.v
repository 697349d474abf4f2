(** D13: programs on literal shapes, run by the rules of ranged dimensions, and translated into constraints of section 3.

    As in core/ranged/src/relation.rs.  There are no variables, so that the context of a run stays empty. *)

From Coq Require Import PArith NArith List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics.
From Lozenge Require Ranged.
Import ListNotations.

(** Operands are numbers of earlier steps. *)
Inductive step : Type :=
| Input (sizes : list positive)
| Broadcast (a b : nat)
| Matmul (a b : nat)
| Unify (a b : nat)
| Transpose (a i j : nat)
| Reduce (a i : nat) (keep : bool)
| Stack (a b i : nat).

Definition operands (s : step) : list nat :=
  match s with
  | Input _ => []
  | Broadcast a b | Matmul a b | Unify a b | Stack a b _ => [a; b]
  | Transpose a _ _ | Reduce a _ _ => [a]
  end.

Fixpoint well_formed (n : nat) (p : list step) : Prop :=
  match p with [] => True | s :: p => (forall a, In a (operands s) -> a < n) /\ well_formed (S n) p end.

(** * Rules on axes alone *)

(** Two axes change places. *)
Definition swapped {A : Type} (i j : nat) (l : list A) : option (list A) :=
  match nth_error l i, nth_error l j with Some x, Some y => Some (Ranged.put j x (Ranged.put i y l)) | _, _ => None end.

(** An axis goes, or becomes [one]. *)
Definition reduced {A : Type} (one : A) (i : nat) (keep : bool) (l : list A) : option (list A) :=
  if i <? length l then Some (firstn i l ++ (if keep then [one] else []) ++ skipn (S i) l) else None.

(** * The run *)

Definition literal (p : positive) : Ranged.dim := Ranged.Literal (Npos p).

Definition ok {A : Type} (r : Ranged.result A) : option A := match r with Ranged.Ok x => Some x | Ranged.Err _ => None end.

Definition operand {A : Type} (l : list (list A)) (a : nat) : list A := nth a l [].

Definition run_step (shapes : list Ranged.shape) (s : step) : option Ranged.shape :=
  match s with
  | Input sizes => Some (map literal sizes)
  | Broadcast a b => ok (snd (Ranged.broadcast [] [operand shapes a; operand shapes b]))
  | Matmul a b => ok (snd (Ranged.matmul [] (operand shapes a) (operand shapes b)))
  | Unify a b => ok (snd (Ranged.unify_shapes [] (operand shapes a) (operand shapes b)))
  | Transpose a i j => swapped i j (operand shapes a)
  | Reduce a i keep => reduced (literal 1) i keep (operand shapes a)
  | Stack a b i => ok (snd (Ranged.stack [] [operand shapes a; operand shapes b] i))
  end.

(** A literal 1 meets another size. *)
Definition stretches (s t : Ranged.shape) : bool :=
  existsb (fun p => xorb (Ranged.is_one (fst p)) (Ranged.is_one (snd p))) (combine (rev s) (rev t)).

Definition step_stretches (shapes : list Ranged.shape) (s : step) : bool :=
  match s with Broadcast a b => stretches (operand shapes a) (operand shapes b) | _ => false end.

(** The shape of every step, and whether a 1 was stretched. *)
Fixpoint run_from (shapes : list Ranged.shape) (stretched : bool) (p : list step) : option (list Ranged.shape * bool) :=
  match p with
  | [] => Some (shapes, stretched)
  | s :: p =>
      match run_step shapes s with
      | Some x => run_from (shapes ++ [x]) (stretched || step_stretches shapes s) p
      | None => None
      end
  end.

Definition run (p : list step) : option (list Ranged.shape * bool) := run_from [] false p.

(** * The translation *)

(** []·⋄·[…] *)
Definition axes_row (axes : list dterm) : rterm := RTerm [] None axes.

(** A literal 1 becomes [one]: 1 of basis default, or 1∅. *)
Definition literal_term (one : dim) (p : positive) : dterm := DConst (if Pos.eqb p 1 then one else num p).

(** The constraints of a step, its row, and the next variable. *)
Definition translate_step (one : dim) (rows : list (list dterm)) (n : nat) (s : step) : option (list constr * list dterm * nat) :=
  match s with
  | Input sizes => Some ([], map (literal_term one) sizes, n)
  | Broadcast a b =>
      match nth_error rows a, nth_error rows b with
      | Some x, Some y =>
          let rank := Nat.max (length x) (length y) in
          let result := map DVar (seq n rank) in
          Some ([RLe (axes_row result) (axes_row x); RLe (axes_row result) (axes_row y)], result, n + rank)
      | _, _ => None
      end
  | Matmul a b =>
      match nth_error rows a, nth_error rows b with
      | Some [m; k1], Some [k2; l] => Some ([DEq k1 k2], [m; l], n)
      | _, _ => None
      end
  | Unify a b =>
      match nth_error rows a, nth_error rows b with
      | Some x, Some y => Some ([REq (axes_row x) (axes_row y)], x, n)
      | _, _ => None
      end
  | Transpose a i j =>
      match nth_error rows a with
      | Some x => match swapped i j x with Some y => Some ([], y, n) | None => None end
      | None => None
      end
  | Reduce a i keep =>
      match nth_error rows a with
      | Some x => match reduced (literal_term one 1) i keep x with Some y => Some ([], y, n) | None => None end
      | None => None
      end
  | Stack a b i =>
      match nth_error rows a, nth_error rows b with
      | Some x, Some y =>
          if i <=? length x then Some ([REq (axes_row x) (axes_row y)], Ranged.insert_at i (literal_term one 2) x, n) else None
      | _, _ => None
      end
  end.

Fixpoint translate_from (one : dim) (rows : list (list dterm)) (n : nat) (p : list step) : option (list constr * list (list dterm)) :=
  match p with
  | [] => Some ([], rows)
  | s :: p =>
      match translate_step one rows n s with
      | Some (cs, row, m) =>
          match translate_from one (rows ++ [row]) m p with Some (ds, all) => Some (cs ++ ds, all) | None => None end
      | None => None
      end
  end.

Definition translate (one : dim) (p : list step) : option (list constr * list (list dterm)) := translate_from one [] 0 p.

(** The rows of the steps have these literal shapes as their values. *)
Definition same_shapes (g : ground) (rows : list (list dterm)) (shapes : list Ranged.shape) : Prop :=
  Forall2 (fun r s => exists x, s = map literal x /\ map (ground_d g) r = map num x) rows shapes.

(** No stack goes beyond the highest rank. *)
Definition ranks_fit (one : dim) (p : list step) : Prop :=
  forall cs rows, translate one p = Some (cs, rows) -> forall r, In r rows -> length r <= Ranged.max_rank.
