(** Def. 4.5, Prop. 4.6 and their repair: facts about lengths.

    A fact says x ≥ y + k, where x and y are lengths of row variables or the
    number 0, and k may be negative. *)

From Coq Require Import List Bool Arith ZArith PArith.
From Lozenge Require Import Dim Row Term Semantics Rules.
Import ListNotations.
Local Open Scope Z_scope.

(** A row variable, or the number 0 (for closed rows). *)
Definition vertex := option rvar.

Record fact : Type := Fact { greater : vertex; lesser : vertex; weight : Z }.

(** Lengths for the row variables: natural numbers. *)
Definition lengths := rvar -> nat.

Definition length_of (v : lengths) (x : vertex) : Z :=
  match x with Some p => Z.of_nat (v p) | None => 0 end.

(** One length changed. *)
Definition set_len (x : rvar) (n : nat) (v : lengths) : lengths :=
  fun p => if (p =? x)%nat then n else v p.

Definition fact_holds (v : lengths) (f : fact) : Prop :=
  length_of v (greater f) >= length_of v (lesser f) + weight f.

Definition facts_hold (v : lengths) (fs : list fact) : Prop := forall f, In f fs -> fact_holds v f.

Definition feasible (fs : list fact) : Prop := exists v, facts_hold v fs.

(** The graph: a fact is an edge from its greater to its lesser side.  That
    lengths are not negative adds an edge of weight 0 from everywhere to 0. *)
Definition edge (fs : list fact) (x y : vertex) (k : Z) : Prop :=
  In (Fact x y k) fs \/ (y = None /\ k = 0).

Inductive walk (fs : list fact) : vertex -> vertex -> Z -> Prop :=
| Walk_one x y k : edge fs x y k -> walk fs x y k
| Walk_more x y z k w : edge fs x y k -> walk fs y z w -> walk fs x z (k + w).

Definition positive_cycle (fs : list fact) : Prop := exists x w, walk fs x x w /\ w > 0.

(** * What constraints say about lengths *)

Definition len (l : list dterm) : Z := Z.of_nat (length l).

(** R1: leading and trailing lengths apart, with their signs. *)
Definition lead_fact (res op : rterm) : fact :=
  Fact (tmid res) (tmid op) (len (tlead op) - len (tlead res)).

Definition trail_fact (res op : rterm) : fact :=
  Fact (tmid res) (tmid op) (len (ttrail op) - len (ttrail res)).

(** Of two closed rows the rule itself compares the lengths. *)
Definition both_closed (res op : rterm) : bool :=
  match tmid res, tmid op with None, None => true | _, _ => false end.

Definition lead_facts (c : constr) : list fact :=
  match c with RLe res op => if both_closed res op then [] else [lead_fact res op] | _ => [] end.

Definition trail_facts (c : constr) : list fact :=
  match c with RLe res op => if both_closed res op then [] else [trail_fact res op] | _ => [] end.

(** A binding is an equality of lengths: both directions. *)
Definition lead_facts_b (b : binding) : list fact :=
  match b with
  | BindD _ _ => []
  | BindR p R => [Fact (Some p) (tmid R) (len (tlead R)); Fact (tmid R) (Some p) (- len (tlead R))]
  end.

Definition trail_facts_b (b : binding) : list fact :=
  match b with
  | BindD _ _ => []
  | BindR p R => [Fact (Some p) (tmid R) (len (ttrail R)); Fact (tmid R) (Some p) (- len (ttrail R))]
  end.

(** Lengths that a ground substitution gives. *)
Definition lead_lengths (g : ground) : lengths := fun p => length (lead (g_r g p)).
Definition trail_lengths (g : ground) : lengths := fun p => length (trail (g_r g p)).
Definition rank_lengths (g : ground) : lengths := fun p => rank (g_r g p).

(** Def. 5.2.1: the rank abstraction.  Two closed rows are compared as well; without that
    it is [printed_rank_model], in Edge_guard.v. *)
Definition rank_fact (R S : rterm) : fact :=
  Fact (tmid R) (tmid S) (Z.of_nat (known_rank S) - Z.of_nat (known_rank R)).

Definition rank_facts (c : constr) : list fact :=
  match c with
  | RLe res op => [rank_fact res op]
  | REq R Q => [rank_fact R Q; rank_fact Q R]
  | _ => []
  end.

Definition rank_model (cs : list constr) (v : lengths) : Prop :=
  facts_hold v (flat_map rank_facts cs).

(** Def. 4.5: what its graph records when R_res ⊑ R_op is processed, both sides
    open: nothing for a mere surplus, else the axes that are lacking. *)
Definition paper_edges (c : constr) : list fact :=
  match c with
  | RLe res op =>
      match tmid res, tmid op with
      | Some p, Some q =>
          let k := (lead_deficit res op + trail_deficit res op)%nat in
          if (k =? 0)%nat && negb ((known_rank res =? known_rank op)%nat) then []
          else [Fact (Some p) (Some q) (Z.of_nat k)]
      | _, _ => []
      end
  | _ => []
  end.

(** * The sets of the findings, row variables 0, 1, 2 *)

Definition two : dterm := DConst (num 2).
Definition three : dterm := DConst (num 3).

(** F1: [2]<q> ⊑ <p> and [2]<p> ⊑ <q>[3], with p = 0 and q = 1. *)
Definition finding_f1 : list constr :=
  [RLe (RTerm [two] (Some 1%nat) []) (rvar_term 0%nat);
   RLe (RTerm [two] (Some 0%nat) []) (RTerm [] (Some 1%nat) [three])].

(** F2: <a> ⊑ <b>, <b>[3] ⊑ [2]<c>, [2]<c> ⊑ <a>[3], with a = 0, b = 1, c = 2. *)
Definition finding_f2 : list constr :=
  [RLe (rvar_term 0%nat) (rvar_term 1%nat);
   RLe (RTerm [] (Some 1%nat) [three]) (RTerm [two] (Some 2%nat) []);
   RLe (RTerm [two] (Some 2%nat) []) (RTerm [] (Some 0%nat) [three])].

Definition finding_f2_solution : ground :=
  Ground (fun _ => Unit)
         (fun p => if Nat.eqb p 2 then [] ·⋄· [num 3] else [num 2] ·⋄· []).

(** F3: <p>[3] ⊑ [2]<p>, with p = 0. *)
Definition finding_f3 : list constr :=
  [RLe (RTerm [] (Some 0%nat) [three]) (RTerm [two] (Some 0%nat) [])].

(** W1: [2]<p> ⊑ <q>[3] and [2]<q> ⊑ <p>[3,3]. *)
Definition finding_w1 : list constr :=
  [RLe (RTerm [two] (Some 0%nat) []) (RTerm [] (Some 1%nat) [three]);
   RLe (RTerm [two] (Some 1%nat) []) (RTerm [] (Some 0%nat) [three; three])].

(** W3: four inequalities, p = 0, q = 1, r = 2. *)
Definition finding_w3 : list constr :=
  [RLe (rvar_term 0%nat) (RTerm [two] (Some 1%nat) []);
   RLe (RTerm [] (Some 1%nat) [two]) (RTerm [two; two] (Some 2%nat) []);
   RLe (RTerm [] (Some 2%nat) [two; two]) (rvar_term 0%nat);
   RLe (RTerm [two; two] (Some 1%nat) [two]) (rvar_term 0%nat)].

(** 4.5a: <p> ⊑ [2]<q> and <q> ⊑ [3]<p>. *)
Definition example_4_5a : list constr :=
  [RLe (rvar_term 0%nat) (RTerm [two] (Some 1%nat) []);
   RLe (rvar_term 1%nat) (RTerm [three] (Some 0%nat) [])].
