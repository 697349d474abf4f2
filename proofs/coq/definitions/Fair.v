(** Def. 4.4: infinite runs, and which of them are fair. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Endless.
Import ListNotations.

(** One step, with the place of the constraint that is taken up and with what the
    guard of Def. 4.5 records. *)
Inductive notes : config -> nat -> list fact -> config -> Prop :=
| Notes C pre c post r e : phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
    notes C (length pre) (paper_recorded c e) (next C (pre ++ post) c e).

(** An infinite run: configurations, places, recorded facts. *)
Record infinite_run (cs : list constr) (C : nat -> config) (place : nat -> nat) (fs : nat -> list fact) : Prop :=
  { starts : C 0 = initial cs;
    goes_on : forall n, notes (C n) (place n) (fs n) (C (S n)) }.

(** The constraint at place j before step n is taken up some time.  What is not
    taken up moves to the left by one if it stood behind. *)
Inductive comes_up (place : nat -> nat) : nat -> nat -> Prop :=
| Up_now n : comes_up place n (place n)
| Up_later n j : j <> place n -> comes_up place (S n) (if j <? place n then j else j - 1) -> comes_up place n j.

(** Def. 4.4: no pending constraint waits for ever. *)
Definition fair (C : nat -> config) (place : nat -> nat) : Prop :=
  forall n j, j < length (phi (C n)) -> comes_up place n j.

(** What the guard of Def. 4.5 has recorded never has a positive cycle. *)
Definition never_caught (fs : nat -> list fact) : Prop :=
  forall n, ~ positive_cycle (flat_map fs (seq 0 n)).

(** * Runs given by the moves of their rounds *)

Definition move : Type := nat * effect.

Definition taken_up (C : config) (i : nat) : constr := nth i (phi C) (DEq (DVar 0) (DVar 0)).

Definition perform (C : config) (m : move) : config :=
  next C (firstn (fst m) (phi C) ++ skipn (S (fst m)) (phi C)) (taken_up C (fst m)) (snd m).

Inductive plays : config -> list move -> list fact -> config -> Prop :=
| Plays_nil C : plays C [] [] C
| Plays_cons C pre c post r e ms fs C' : phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
    plays (next C (pre ++ post) c e) ms fs C' ->
    plays C ((length pre, e) :: ms) (paper_recorded c e ++ fs) C'.

Fixpoint recorded_by (C : config) (ms : list move) : list fact :=
  match ms with
  | [] => []
  | m :: ms => paper_recorded (taken_up C (fst m)) (snd m) ++ recorded_by (perform C m) ms
  end.

(** A configuration, the number of the next round, and what is left of this one. *)
Definition state : Type := config * nat * list move.

Definition due (ms : nat -> list move) (s : state) : list move :=
  match s with (_, k, []) => ms k | (_, _, l) => l end.

Definition next_move (ms : nat -> list move) (s : state) : move := hd (0, Effect [] None [] false) (due ms s).

Definition advance (ms : nat -> list move) (s : state) : state :=
  match s with
  | (C, k, []) => (perform C (next_move ms s), S k, tl (ms k))
  | (C, k, _ :: l) => (perform C (next_move ms s), k, l)
  end.

Fixpoint state_at (ms : nat -> list move) (C : config) (n : nat) : state :=
  match n with 0 => (C, 0, []) | S n => advance ms (state_at ms C n) end.

Definition config_of (s : state) : config := fst (fst s).

(** * The rounds of F1 and W1 *)

Definition f1_moves (k : nat) : list move :=
  match k with
  | 0 => [(0, Effect [] None [f1_cap 0] false)]
  | S k => [(0, f1_grow k); (0, f1_align k); (1, f1_pin k); (1, f1_bind k)]
  end.

Definition w1_round_moves (x y z : rvar) (a b c : dvar) : list move :=
  [(0, w1_grow x z [a; b; c]); (0, w1_align y z [a; b; c]); (1, w1_pin a); (3, w1_bind a); (1, w1_pin b);
   (2, w1_bind b); (1, w1_pin c); (1, w1_bind c)].

Definition w1_moves (k : nat) : list move :=
  match k with
  | 0 => [(0, w1_grow 0 2 [0]); (1, w1_align 1 2 [0]); (1, w1_pin 0); (1, w1_bind 0)]
         ++ w1_round_moves 1 2 3 1 2 3
  | S k => w1_round_moves (2 + k) (3 + k) (4 + k) (4 + 3 * k) (5 + 3 * k) (6 + 3 * k)
  end.

(** * 4.5a: pending <x> ⊑ t<y>, stored <y> ⊑ <x> *)

Definition ex_4_5a_pending (x y : rvar) (t : list dterm) : constr := RLe (rvar_term x) (RTerm t (Some y) []).
Definition ex_4_5a_cap (x y : rvar) : constr := RLe (rvar_term y) (rvar_term x).
Definition ex_4_5a_grow (x z : rvar) (al : list dvar) : effect :=
  Effect [] (Some (BindR x (grown al z []))) [] true.
Definition ex_4_5a_align (ds : list constr) (y z : rvar) : effect := Effect ds None [ex_4_5a_cap y z] false.
Definition ex_4_5a_pin (a : dvar) (t : dterm) : effect := Effect [DEq (DVar a) t] None [] false.
Definition ex_4_5a_bind (a : dvar) (t : dterm) : effect := Effect [] (Some (BindD a t)) [] false.

Definition ex_4_5a_round_moves (x y z : rvar) (a b : dvar) : list move :=
  [(0, ex_4_5a_grow x z [a; b]); (0, ex_4_5a_align [DLe (DVar a) three; DLe (DVar b) two] y z);
   (1, ex_4_5a_pin a three); (2, ex_4_5a_bind a three); (1, ex_4_5a_pin b two); (1, ex_4_5a_bind b two)].

Definition ex_4_5a_moves (k : nat) : list move :=
  match k with
  | 0 => [(0, ex_4_5a_grow 0 2 [0]); (1, ex_4_5a_align [DLe (DVar 0) two] 1 2); (1, ex_4_5a_pin 0 two);
          (1, ex_4_5a_bind 0 two)]
  | S k => ex_4_5a_round_moves (1 + k) (2 + k) (3 + k) (1 + 2 * k) (2 + 2 * k)
  end.
