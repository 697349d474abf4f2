(** Def. 5.3 to Cor. 5.8: solved forms, without looking at how they were reached. *)

From Coq Require Import List Bool Arith PArith.
From Lozenge Require Import Dim Row Rigid Term Semantics Rules.
Import ListNotations.

(** Bindings read as identity: [g] gives x and σ(x) the same value, for all x. *)
Definition respects (g : ground) (s : subst) : Prop :=
  forall v, agree_at (ground_comp g s) g v.

(** The reading of the paper, at row sort only up to ≈. *)
Definition respects_flat (g : ground) (s : subst) : Prop :=
  (forall a, g_d g a = ground_d g (on_d s a)) /\
  (forall p, g_r g p ≈ ground_r g (on_r s p)).

(** What may be left in the store: bounds whose upper side is a bare variable
    that is not solved.  These are atom caps, adjacencies and row caps. *)
Definition residual_bound (s : subst) (c : constr) : Prop :=
  match c with
  | DLe _ (DVar a) => fixes s (DV a)
  | RLe _ Q => exists p, Q = rvar_term p /\ fixes s (RV p)
  | _ => False
  end.

(** Def. 5.3, with no deferred equation left. *)
Definition solved_form (s : subst) (B : list constr) : Prop :=
  idempotent s /\ forall c, In c B -> residual_bound s c.

(** Everything at its top. *)
Definition top : ground := Ground (fun _ => Unit) (fun _ => empty_row).

(** γ↑: unsolved variables at their tops, solved ones through σ. *)
Definition greatest (s : subst) : ground := ground_comp top s.

(** One ground below another, at one variable. *)
Definition below_at (g h : ground) (v : var) : Prop :=
  match v with DV a => g_d g a ⊑d g_d h a | RV p => g_r g p ⊑r g_r h p end.

(** Thm 5.6(1): [s] with the store [B] represents the solutions of [cs], seen
    at the variables [V]. *)
Definition sound_for (cs : list constr) (s : subst) (B : list constr) : Prop :=
  forall h, respects h s -> sol B h -> sol cs h.

Definition complete_for (cs : list constr) (V : list var) (s : subst) (B : list constr) : Prop :=
  forall g, sol cs g -> exists h, agree_on V g h /\ respects h s /\ sol B h.

(** * Sets of the findings *)

Definition n3 : dterm := DConst (num 3).
Definition n5 : dterm := DConst (num 5).
Definition n9 : dterm := DConst (num 9).

(** F11: a ⊑ b, with a = 0 and b = 1. *)
Definition finding_f11 : list constr := [DLe (DVar 0) (DVar 1)].

(** F12: <p> ⊑ [3]⋄[], solved by p := [3]<p'>, with p = 0 and p' = 1. *)
Definition finding_f12 : list constr := [RLe (rvar_term 0) (RTerm [n3] None [])].
Definition finding_f12_sigma : subst := bind_r 0 (RTerm [n3] (Some 1) []).

(** F12, second set: <p> ≈ [3]⋄[5] and [3]⋄[9,5] ⊑ <p>, solved by p := [3]⋄[5]. *)
Definition finding_f12_policy : list constr :=
  [REq (rvar_term 0) (RTerm [n3] None [n5]); RLe (RTerm [n3] None [n9; n5]) (rvar_term 0)].
Definition finding_f12_policy_sigma : subst := bind_r 0 (RTerm [n3] None [n5]).

(** F5: <p> ≈ <q>, <p> ⊑ [3]⋄[], []⋄[3] ⊑ <q>. *)
Definition finding_f5 : list constr :=
  [REq (rvar_term 0) (rvar_term 1);
   RLe (rvar_term 0) (RTerm [n3] None []);
   RLe (RTerm [] None [n3]) (rvar_term 1)].
Definition finding_f5_solution : ground :=
  Ground (fun _ => Unit) (fun p => if Nat.eqb p 0 then [num 3] ·⋄· [] else [] ·⋄· [num 3]).

(** F6: s<x> ≈ <y>t, with x = 0 and y = 1. *)
Definition finding_f6 (s t : list dterm) : constr :=
  REq (RTerm s (Some 0) []) (RTerm [] (Some 1) t).

(** 6.4(ii): <p> ≈ []⋄[3,5]; the run binds p := []⋄[3,5]. *)
Definition example_6_4_ii : list constr := [REq (rvar_term 0) (RTerm [] None [n3; n5])].
Definition example_6_4_ii_sigma : subst := bind_r 0 (RTerm [] None [n3; n5]).

(** F10: the same with <q> ⊑ <p>; the run adds q := <q'>[3,5]. *)
Definition finding_f10 : list constr :=
  [REq (rvar_term 0) (RTerm [] None [n3; n5]); RLe (rvar_term 1) (rvar_term 0)].
Definition finding_f10_sigma : subst :=
  comp (bind_r 1 (RTerm [] (Some 2) [n3; n5])) (bind_r 0 (RTerm [] None [n3; n5])).

(** A model of it: p := [3]⋄[5], q := [3]⋄[9,5]. *)
Definition finding_f10_model : subst :=
  comp (bind_r 1 (RTerm [n3] None [n9; n5])) (bind_r 0 (RTerm [n3] None [n5])).
