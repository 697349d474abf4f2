(** Lemma 5.1(iii): what a placement does to one solution. *)

From Coq Require Import List Bool Arith PArith.
From Lozenge Require Import Dim Row Term Semantics Rules Solved Runs.
Import ListNotations.

(** The solution [g] with the marker of p moved to where the placement p := V has
    it, and with it the markers of what is bound through p. *)
Definition moved (g : ground) (s : subst) (p : rvar) (V : rterm) : ground :=
  ground_comp (Ground (g_d g) (fun q => if Nat.eqb q p then ground_r g V else g_r g q)) s.

(** [h] is [g] but for these markers: contents are the same, and so are the
    unsolved variables other than p. *)
Definition only_markers (g h : ground) (s : subst) (p : rvar) : Prop :=
  (forall a, g_d h a = g_d g a) /\ (forall q, g_r h q ≈ g_r g q) /\
  (forall q, fixes s (RV q) -> q <> p -> g_r h q = g_r g q).

(** 5.7: [2]<x> ≈ <y>[3] and []⋄[3] ⊑ <x>, with x = 0 and y = 1. *)
Definition example_5_7 : list constr :=
  [REq (RTerm [DConst (num 2)] (Some 0) []) (RTerm [] (Some 1) [n3]); RLe (RTerm [] None [n3]) (rvar_term 0)].
