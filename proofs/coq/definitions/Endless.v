(** An endless run on W1's set, which has no rank model, under the guard of
    Def. 4.5: against Thm 5.2(b). *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs.
Import ListNotations.

(** One round, with row variables x and y, and z and a, b, c fresh. *)

Definition w1_pending (x y : rvar) (t : list dterm) : constr :=
  RLe (RTerm [two] (Some x) []) (RTerm [] (Some y) t).

Definition w1_cap (x y : rvar) : constr := RLe (RTerm [two] (Some y) []) (rvar_term x).

Definition w1_again (y z : rvar) (t u : list dterm) : constr :=
  RLe (RTerm [two] (Some z) t) (RTerm [] (Some y) u).

Definition w1_grow (x z : rvar) (be : list dvar) : effect :=
  Effect [] (Some (BindR x (grown [] z be))) [] true.

Definition w1_align (y z : rvar) (be : list dvar) : effect :=
  Effect (map (fun a => DLe (DVar a) three) be) None [w1_cap y z] false.

Definition w1_pin (a : dvar) : effect := Effect [DEq (DVar a) three] None [] false.
Definition w1_bind (a : dvar) : effect := Effect [] (Some (BindD a three)) [] false.

Definition threes : list dterm := [three; three; three].

(** The deficit, its reprocessing, and the three axes that it pins. *)
Definition w1_round (x y z : rvar) (a b c : dvar) (C : config) : config :=
  let be := [a; b; c] in
  let C1 := next C ([] ++ []) (w1_pending x y threes) (w1_grow x z be) in
  let C2 := next C1 ([] ++ [w1_pending y z (map DVar be)]) (w1_again y z (map DVar be) threes) (w1_align y z be) in
  let ret t := w1_pending y z t in
  let C3 := next C2 ([ret [DVar a; DVar b; DVar c]] ++ [DLe (DVar b) three; DLe (DVar c) three])
                 (DLe (DVar a) three) (w1_pin a) in
  let C4 := next C3 ([ret [DVar a; DVar b; DVar c]; DLe (DVar b) three; DLe (DVar c) three] ++ [])
                 (DEq (DVar a) three) (w1_bind a) in
  let C5 := next C4 ([ret [three; DVar b; DVar c]] ++ [DLe (DVar c) three]) (DLe (DVar b) three) (w1_pin b) in
  let C6 := next C5 ([ret [three; DVar b; DVar c]; DLe (DVar c) three] ++ []) (DEq (DVar b) three) (w1_bind b) in
  let C7 := next C6 ([ret [three; three; DVar c]] ++ []) (DLe (DVar c) three) (w1_pin c) in
  next C7 ([ret [three; three; DVar c]] ++ []) (DEq (DVar c) three) (w1_bind c).

(** The first constraint once, which lacks one axis; then the second, which by
    now lacks three. *)
Definition w1_start : config :=
  let c1 := w1_pending 0 1 [three] in
  let C1 := next (initial finding_w1) ([] ++ [w1_pending 1 0 [three; three]]) c1 (w1_grow 0 2 [0]) in
  let C2 := next C1 ([w1_pending 1 2 [DVar 0; three; three]] ++ []) (w1_again 1 2 [DVar 0] [three]) (w1_align 1
    2 [0]) in
  let C3 := next C2 ([w1_pending 1 2 [DVar 0; three; three]] ++ []) (DLe (DVar 0) three) (w1_pin 0) in
  let C4 := next C3 ([w1_pending 1 2 [DVar 0; three; three]] ++ []) (DEq (DVar 0) three) (w1_bind 0) in
  w1_round 1 2 3 1 2 3 C4.

(** Then for ever: row variable k + 2 takes the place of k. *)
Fixpoint w1_config (k : nat) : config :=
  match k with
  | 0 => w1_start
  | S k => w1_round (2 + k) (3 + k) (4 + k) (4 + 3 * k) (5 + 3 * k) (6 + 3 * k) (w1_config k)
  end.

Definition w1_edges (x y z : rvar) : list fact := [Fact (Some x) (Some y) 3; Fact (Some x) (Some z) 3].

Definition w1_start_edges : list fact :=
  [Fact (Some 0) (Some 1) 1; Fact (Some 0) (Some 2) 1] ++ w1_edges 1 2 3.

Definition w1_round_edges (k : nat) : list fact := w1_edges (2 + k) (3 + k) (4 + k).

(** [2]<x> ≈ <y>[3] and [2]<x> ≈ <y>[3,3], with x = 0 and y = 1: the ranks of both
    cannot be right. *)
Definition example_5_2_b : list constr :=
  [REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [three]);
   REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [three; three])].
