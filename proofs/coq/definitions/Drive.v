(** A solver that runs: Defs 4.2 to 4.4 as functions.  A strategy is a list of
    places: which pending constraint is taken next. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Taint Certificate Queue Fire.
Import ListNotations.

(** The rule for a constraint, and its outcome: as in Fire.v, with antisymmetry, where
    nothing has a tag and the numbers above every variable seen are fresh. *)
Definition driven : policy := Policy Paper true Fifo.

Definition fire_at (V : list var) (B : list constr) (c : constr) : rule * outcome :=
  fst (fire driven (Certificate.above V 0) (tag_all false B) c).

(** One step at place i. *)
Definition step_at (C : config) (i : nat) : option (list fact * config) :=
  match nth_error (phi C) i with
  | None => None
  | Some c =>
      match snd (fire_at (used C) (store C) c) with
      | Fails => None
      | Does e => Some (paper_recorded c e, next C (firstn i (phi C) ++ skipn (S i) (phi C)) c e)
      end
  end.

(** Steps at these places; [None] if one is empty or its rule fails. *)
Fixpoint drive (C : config) (places : list nat) : option (list fact * config) :=
  match places with
  | [] => Some ([], C)
  | i :: places =>
      match step_at C i with
      | None => None
      | Some (fs, C') =>
          match drive C' places with None => None | Some (gs, C'') => Some (fs ++ gs, C'') end
      end
  end.

(** The configuration that is reached, and the facts of Def. 4.5 on the way. *)
Definition reached (cs : list constr) (places : list nat) : config :=
  match drive (initial cs) places with Some (_, C) => C | None => initial cs end.

Definition recorded (cs : list constr) (places : list nat) : list fact :=
  match drive (initial cs) places with Some (fs, _) => fs | None => [] end.

Definition drives (cs : list constr) (places : list nat) : bool :=
  match drive (initial cs) places with Some _ => true | None => false end.

Definition fails_at (C : config) (i : nat) : bool :=
  match nth_error (phi C) i with
  | None => false
  | Some c => match snd (fire_at (used C) (store C) c) with Fails => true | Does _ => false end
  end.
