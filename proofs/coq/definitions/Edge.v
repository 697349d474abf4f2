(** 5.5(iv): sets in which every marker is at the left edge.

    The paper conjectures that programs never see where a marker was placed.  They
    do (H1, F16); here is where they do not. *)

From Coq Require Import PArith List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Closing.
Import ListNotations.

(** * Terms: no axis before the marker *)

Definition edge_r (R : rterm) : Prop := tlead R = [].

Definition edge_c (c : constr) : Prop :=
  match c with
  | REq R Q | RLe R Q => edge_r R /\ edge_r Q
  | DEq _ _ | DLe _ _ => True
  end.

Definition edge_set (cs : list constr) : Prop := forall c, In c cs -> edge_c c.

(** The same as a test. *)
Definition edgeb (cs : list constr) : bool :=
  let bare := fun R => match tlead R with [] => true | _ => false end in
  forallb (fun c => match c with
                    | REq R Q | RLe R Q => bare R && bare Q
                    | DEq _ _ | DLe _ _ => true
                    end) cs.

Definition edge_b (b : binding) : Prop := match b with BindR _ R => edge_r R | BindD _ _ => True end.

Definition edge_subst (s : subst) : Prop := forall p, edge_r (on_r s p).

Definition edge_config (C : config) : Prop :=
  edge_set (phi C) /\ edge_set (store C) /\ edge_subst (sigma C).

(** What may happen to it: any step, and additions at the left edge. *)
Definition edge_kind (k : kind) : Prop := match k with By_rule _ _ => True | Adding cs => edge_set cs end.

(** * Values *)

Definition edge_row (V : row) : Prop := lead V = [].

Definition edge_ground (g : ground) : Prop := forall p, edge_row (g_r g p).

(** The solutions at the left edge.  A set at the left edge may have others. *)
Definition edge_sol (cs : list constr) (g : ground) : Prop := edge_ground g /\ sol cs g.

(** * Statement by statement *)

(** Statements over the variables [U] come in at any time, between any steps, and what
    is bound by then is replaced in them: [cs] are those that came so far. *)
Inductive staged (U : list var) : list constr -> config -> Prop :=
| Staged_start : staged U [] (Config [] id_subst [] U [] [])
| Staged_step cs C c r C' : staged U cs C -> step C c r C' -> staged U cs C'
| Staged_add cs C c : staged U cs C -> incl (vars_c c) U -> staged U (cs ++ [c]) (extend C [sub_c (sigma C) c]).

(** * Solved forms, up to the names of variables *)

(** True of the terms as they stand, where [B] is stored. *)
Definition settled_d (B : list constr) (t u : dterm) : Prop := t = u \/ u = DConst Unit \/ In (DLe t u) B.

(** Of rows at the left edge: the axes that face each other, and what the result has before them. *)
Definition settled_r (B : list constr) (R Q : rterm) : Prop :=
  exists l k, ttrail R = l ++ k /\ Forall2 (settled_d B) k (ttrail Q) /\
    forall q, tmid Q = Some q ->
      RTerm [] (tmid R) l = rvar_term q \/ In (RLe (RTerm [] (tmid R) l) (rvar_term q)) B.

Definition settled (B : list constr) (c : constr) : Prop :=
  match c with
  | DEq t u => t = u
  | DLe t u => settled_d B t u
  | REq R Q => R = Q
  | RLe R Q => settled_r B R Q
  end.

(** What DI-antisym leaves: no two variables below each other. *)
Definition acyclic (B : list constr) : Prop := forall a b, adj_path B a b -> adj_path B b a -> a = b.

(** [s] gives every unsolved variable the name that it has in [D]. *)
Definition renames (V : list var) (C D : config) (s : subst) : Prop :=
  edge_subst s /\
  (forall v, In v V -> apply s (apply (sigma C) (var_term v)) = apply (sigma D) (var_term v)) /\
  (forall w, unsolved C w -> exists w', unsolved D w' /\ apply s (var_term w) = var_term w') /\
  (forall c, In c (phi C) -> In (sub_c s c) (phi D)) /\
  (forall c, In c (store C) -> In (sub_c s c) (store D)).

Definition alike_by (V : list var) (C D : config) (s t : subst) : Prop :=
  renames V C D s /\ renames V D C t /\
  (forall w, unsolved C w -> apply t (apply s (var_term w)) = var_term w) /\
  (forall w, unsolved D w -> apply s (apply t (var_term w)) = var_term w).

(** The same up to names: bindings at the variables [V], pending and stored constraints. *)
Definition alike (V : list var) (C D : config) : Prop := exists s t, alike_by V C D s t.

(** Any step but DI-antisym. *)
Definition plain_step (k : kind) : Prop :=
  match k with By_rule _ r => r <> DI_antisym | Adding _ => False end.

(** * Just outside *)

(** H1, first program, with k = 0, j = 1, v = 0, x = 1, c = 2: one axis before a marker.
    [k]<v> ≈ <x>, <c> ⊑ <x>, []⋄[j] ≈ <c>. *)
Definition finding_h1_orders : list constr :=
  [REq (RTerm [DVar 0] (Some 0) []) (rvar_term 1);
   RLe (rvar_term 2) (rvar_term 1);
   REq (RTerm [] None [DVar 1]) (rvar_term 2)].

(** Two leaves p = 0 and q = 1 on which Def. 6.1 to the letter depends on the strategy:
    <p> ⊑ []⋄[1∅], <q> ⊑ []⋄[1∅], []⋄[3] ⊑ <p>, <p> ⊑ <q>. *)
Definition example_6_1_ages : list constr :=
  [RLe (rvar_term 0) (RTerm [] None [DConst Unit]); RLe (rvar_term 1) (RTerm [] None [DConst Unit]);
   RLe (RTerm [] None [n3]) (rvar_term 0); RLe (rvar_term 0) (rvar_term 1)].
