(** 5.3, 5.7, 6.4(i), 6.7(iii), R1a: what the answer of a run says about its input. *)

From Coq Require Import List Bool Arith PArith.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Semantics Semantics_thm Rules Rules_thm Guard Guard_thm
  Solved Solved_thm Runs Runs_thm Placement Placement_thm Closing Closing_thm Closing_leaf_thm Exact Exact_thm.
Import ListNotations.

(** * Def. 5.3: one atom below a variable *)

(** Def. 5.3: whatever the run, at most one atom is stored below a variable. *)
Theorem def_5_3_one_atom : forall P cs C, run P (initial cs) C -> one_atom (store C).
Proof.
  intros P cs C R. apply (closing_one_atom (initial cs) C); [eapply run_closing; eauto|]. split; intros * [].
Qed.

(** * Cor. 5.7, with the caveats of 5.6 *)

Lemma agree_at_dec : forall g h v, agree_at g h v \/ ~ agree_at g h v.
Proof.
  intros g h [a|p]; simpl.
  - destruct (dim_eq_dec (g_d g a) (g_d h a)); auto.
  - destruct (g_r g p) as [l r], (g_r h p) as [l' r'].
    destruct (list_eq_dec dim_eq_dec l l') as [->|N]; [|right; congruence].
    destruct (list_eq_dec dim_eq_dec r r') as [->|N]; [auto | right; congruence].
Qed.

(** Every solution extends to the bindings; an unsolved variable has two values, or
    only its top. *)
Theorem cor_5_7 : forall cs C, run semantic_step (initial cs) C -> succeeds C ->
  (forall g, sol cs g -> exists h, agree_on (flat_map vars_c cs) g h /\ respects h (sigma C)) /\
  (forall v, fixes (sigma C) v -> ~ has_two_values cs v -> forall g, sol cs g -> agree_at g top v).
Proof.
  intros cs C R [E N]. split; [intros g G; exact (thm_5_6_2 cs C R g G)|].
  intros v Fx One g G. destruct (agree_at_dec g top v) as [A|A]; [exact A|]. exfalso. apply One.
  destruct (cor_5_7_repaired cs C (run_any _ _ R)) as [_ T]. destruct (T E N v Fx) as (h & H & K).
  exists g, h. split; [auto | split; [auto|]]. intros B. apply A.
  destruct v; simpl in *; congruence.
Qed.

(** * Prop. 6.4(i) *)

(** γ↑ is the greatest solution of the input with the commitments of the run. *)
Theorem prop_6_4_i_strengthened : forall cs ds C, committing (initial cs) ds C -> succeeds C ->
  sol (cs ++ ds) (greatest (sigma C)) /\
  forall g, sol (cs ++ ds) g -> forall v, below_at g (greatest (sigma C)) v.
Proof.
  intros cs ds C K [E N].
  pose proof (cor_5_5_ii_strengthened cs ds C K) as X.
  pose proof (closing_kept cs _ _ (committing_closing _ _ _ K) (initial_invariant cs)) as Inv.
  split; [apply X; now apply (closing_top_satisfies cs)|].
  intros g G v. apply X in G as (_ & _ & R). now apply prop_5_4_ii.
Qed.

(** The paper adds that on undiscriminated inputs these are all solutions, and γ↑ is
    greatest without qualification.  It is not: such an input may have no greatest
    solution. *)
Theorem prop_6_4_i_undiscriminated_refuted :
  undiscriminated example_6_4_ii /\ (exists g, sol example_6_4_ii g) /\
  ~ exists g, sol example_6_4_ii g /\ forall h, sol example_6_4_ii h -> below_at h g (RV 0).
Proof.
  split; [apply cor_5_5_iii_no_inequalities; intros c [<-|[]]; exact I|].
  destruct prop_6_4_ii_counterexample as (_ & _ & _ & (g & G & _) & N).
  split; [eauto | exact N].
Qed.

(** * Remark 6.7(iii) *)

(** Whatever is processed in whatever order by semantic steps: the same solutions, so
    the same answer to whether there is one. *)
Theorem remark_6_7_iii : forall cs C D, run semantic_step (initial cs) C -> run semantic_step (initial cs) D ->
  ((exists g, satisfies g C) <-> (exists g, satisfies g D)) /\
  (forall g, satisfies g C -> exists h, agree_on (flat_map vars_c cs) g h /\ satisfies h D).
Proof.
  intros cs C D RC RD.
  assert (A : forall E F, run semantic_step (initial cs) E -> run semantic_step (initial cs) F ->
    forall g, satisfies g E -> exists h, agree_on (flat_map vars_c cs) g h /\ satisfies h F).
  { intros E F RE RF g G. apply (thm_5_6_preservation cs F RF g), (thm_5_6_sound cs E (run_any _ _ RE)), G. }
  split; [|apply A; auto].
  split; intros (g & G); [destruct (A C D RC RD g G) as (h & _ & H) | destruct (A D C RD RC g G) as (h & _ & H)]; eauto.
Qed.

(** * R1a, in terms of the input *)

(** Every solution of the input extends, beyond its variables, to one of all recorded
    facts, if no placement was committed; with placements, every solution of the input
    that keeps to them. *)
Theorem r1a_entailed_by_input : forall cs C, run semantic_step (initial cs) C -> forall g, sol cs g ->
  exists h, agree_on (flat_map vars_c cs) g h /\
    facts_hold (lead_lengths h) (leads C) /\ facts_hold (trail_lengths h) (trails C).
Proof.
  intros cs C R g G. apply (thm_5_6_preservation cs C R g) in G as (h & A & H).
  exists h. split; [exact A|]. exact (r1a_recorded_facts_entailed cs C (run_any _ _ R) h H).
Qed.

Theorem r1a_entailed_by_commitments : forall cs ds C, committing (initial cs) ds C -> forall g, sol (cs ++ ds) g ->
  facts_hold (lead_lengths g) (leads C) /\ facts_hold (trail_lengths g) (trails C).
Proof.
  intros cs ds C K g G.
  destruct (closing_kept cs _ _ (committing_closing _ _ _ K) (initial_invariant cs)) as (_ & _ & _ & Fa & _).
  apply Fa. now apply (cor_5_5_ii_strengthened cs ds C K).
Qed.
