(** F15 again: a re-solve that never ends although the guard of Def. 4.5 watches. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Closing.
Import ListNotations.

(** [2]<q> ≈ <x>[2], <x> ⊑ <p>, [2]<p> ⊑ <q>, <x> ⊑ <z>, [2]⋄[] ⊑ <z>, with q = 0,
    x = 1, z = 2, p = 3; z is a leaf. *)
Definition finding_f15_guarded : list constr :=
  [REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [two]);
   RLe (rvar_term 1) (rvar_term 3);
   RLe (RTerm [two] (Some 3) []) (rvar_term 0);
   RLe (rvar_term 1) (rvar_term 2);
   RLe (RTerm [two] None []) (rvar_term 2)].

(** What the re-solve comes to: one pending constraint and one cap, as for F1. *)
Definition f15g_pending k := RLe (RTerm [two] (Some k) []) (RTerm [] (Some (S k)) [two]).
Definition f15g_cap k := RLe (RTerm [two] (Some (S k)) []) (rvar_term k).
Definition f15g_grow k := Effect [] (Some (BindR k (grown [] (S (S k)) [k]))) [] true.
Definition f15g_align k := Effect [DLe (DVar k) two] None [f15g_cap (S k)] false.
Definition f15g_pin k := Effect [DEq (DVar k) two] None [] false.
Definition f15g_bind k := Effect [] (Some (BindD k two)) [] false.
Definition f15g_again k := RLe (RTerm [two] (Some (S (S k))) [DVar k]) (RTerm [] (Some (S k)) [two]).
Definition f15g_returned k := RLe (RTerm [two] (Some (S k)) []) (RTerm [] (Some (S (S k))) [DVar k]).

Definition f15g_round k C :=
  let C1 := next C ([] ++ []) (f15g_pending k) (f15g_grow k) in
  let C2 := next C1 ([] ++ [f15g_returned k]) (f15g_again k) (f15g_align k) in
  let C3 := next C2 ([f15g_returned k] ++ []) (DLe (DVar k) two) (f15g_pin k) in
  next C3 ([f15g_returned k] ++ []) (DEq (DVar k) two) (f15g_bind k).

Fixpoint f15g_config D k := match k with 0 => D | S k => f15g_round (3 + k) (f15g_config D k) end.

Definition f15g_edges k := [Fact (Some k) (Some (S k)) 1; Fact (Some k) (Some (S (S k))) 1].

(** Before the rounds: all edges that are recorded, in the first solve and after. *)
Definition f15g_start_edges : list fact :=
  [Fact (Some 1) (Some 3) 0; Fact (Some 1) (Some 2) 0; Fact (Some 1) (Some 4) 1; Fact (Some 0) (Some 4) 1].
