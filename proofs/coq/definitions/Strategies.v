(** Sets on which the choice of the next constraint shows. *)

From Coq Require Import PArith List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Drive.
Import ListNotations.

Definition n7 : dterm := DConst (num 7).

(** F10, second witness: <p> ≈ [3]⋄[5], <p> ≈ []⋄[3,5], <q> ⊑ <p>, <q> ⊑ [3,7]⋄[],
    with p = 0 and q = 1. *)
Definition finding_f10_orders : list constr :=
  [REq (rvar_term 0) (RTerm [n3] None [n5]); REq (rvar_term 0) (RTerm [] None [n3; n5]);
   RLe (rvar_term 1) (rvar_term 0); RLe (rvar_term 1) (RTerm [n3; n7] None [])].

(** Two strategies: the oldest constraint first; the second equation, then the oldest. *)
Definition f10_first : config := reached finding_f10_orders (repeat 0 16).
Definition f10_second : config := reached finding_f10_orders (1 :: repeat 0 15).

(** H1, fourth program, y = 0, z = 1, i = 0, j = 1:
    []⋄[i,j] ≈ []⋄[3,5], []⋄[i,j] ≈ <y>, <z> ⊑ <y>, <z> ⊑ []⋄[3,9,5]. *)
Definition finding_h1_rejected : list constr :=
  [REq (RTerm [] None [DVar 0; DVar 1]) (RTerm [] None [n3; n5]);
   REq (RTerm [] None [DVar 0; DVar 1]) (rvar_term 0);
   RLe (rvar_term 1) (rvar_term 0);
   RLe (rvar_term 1) (RTerm [] None [n3; n9; n5])].

Definition finding_h1_solution : ground :=
  Ground (fun a => if Nat.eqb a 0 then num 3 else num 5)
         (fun p => if Nat.eqb p 0 then [num 3] ·⋄· [num 5] else [num 3] ·⋄· [num 3; num 9; num 5]).

(** 2.14: a row variable crosses sorts if one constraint equates it with a closed
    row, a rigid equation, and in another it is the host of a broadcast. *)
Definition rigid_equation (cs : list constr) (p : rvar) : Prop :=
  exists R, tmid R = None /\ (In (REq (rvar_term p) R) cs \/ In (REq R (rvar_term p)) cs).

Definition broadcast_host (cs : list constr) (p : rvar) : Prop :=
  exists R Q, In (RLe R Q) cs /\ tmid Q = Some p.

Definition crosses_sorts (cs : list constr) (p : rvar) : Prop := rigid_equation cs p /\ broadcast_host cs p.

(** A deferred equation that comes back and fails: [2]<x> ≈ <y>[3] and <x> ≈ []⋄[5],
    with x = 0 and y = 1. *)
Definition example_4_3_c : list constr :=
  [REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [three]); REq (rvar_term 0) (RTerm [] None [n5])].
