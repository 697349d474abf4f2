(** Lemma 7.7(a), from programs: that the constraints of an operation are some of the
    program's, and that they are local once shapes are put in. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Semantics_thm Rules Rules_thm Guard Solved Solved_thm Runs Runs_thm
  Closing Closing_thm Einsum Local Local_thm Operation.
Import ListNotations.

Lemma ground_term_of : forall h V, ground_r h (term_of V) = V.
Proof.
  intros h [l r]. unfold term_of, ground_r; simpl. rewrite app_nil_r, !map_map. simpl. now rewrite !map_id.
Qed.

Lemma rederived_closed : forall spec rename g R, of_tensor spec R -> closed_ground (sub_r (rederived spec rename g) R).
Proof.
  intros spec rename g [l m r] O. unfold of_tensor, vars_r in O; simpl in O.
  assert (A : forall k, incl k (l ++ r) -> forall t, In t (map (sub_d (rederived spec rename g)) k) -> exists d, t = DConst d).
  { intros k K t J. apply in_map_iff in J as ([a|d] & <- & J); simpl; [|eauto].
    rewrite O; [eauto|]. apply K in J. apply in_app_iff in J as [J|J]; rewrite !in_app_iff;
      [left | right; right]; apply in_flat_map; exists (DVar a); simpl; auto. }
  assert (L : incl l (l ++ r)) by (apply incl_appl, incl_refl).
  assert (T : incl r (l ++ r)) by (apply incl_appr, incl_refl).
  destruct m as [p|]; unfold sub_r, closed_ground, tflat; simpl.
  - rewrite O by (rewrite !in_app_iff; simpl; auto). simpl. split; [reflexivity|].
    assert (G : forall k t, In t (map DConst k) -> exists d, t = DConst d)
      by (intros k t J; apply in_map_iff in J as (d & <- & _); eauto).
    intros t J. rewrite !in_app_iff in J. destruct J as [[J|J]|[J|J]]; eauto.
  - split; [reflexivity|]. intros t J. apply in_app_iff in J as [J|J]; eauto.
Qed.

(** The first part: what is derived again is local. *)
Theorem lemma_7_7_a_local : forall spec rename g o, scoped spec o ->
  forall c, In c (rederive spec rename g o) -> local c.
Proof.
  intros spec rename g o S c J. apply in_map_iff in J as (d & <- & J).
  destruct o as [res ops|slots]; simpl in J; apply in_map_iff in J as (x & <- & J); simpl in *.
  - destruct S as [A B]. split; apply rederived_closed; auto.
  - right. apply rederived_closed. auto.
Qed.

(** The second: the constraints of an operation are some of the program's. *)
Lemma op_included : forall os declared o, In o os -> incl (op_constraints o) (program_constraints os declared).
Proof. intros os declared o J c K. apply in_app_iff. left. apply in_flat_map. eauto. Qed.

(** The third: the closed shapes, with the specification's variables renamed back, are
    its solution. *)
Lemma rederived_solution : forall spec rename back g o cs, (forall x, back (rename x) = x) ->
  sol cs g -> incl (op_constraints o) cs ->
  sol (rederive spec rename g o) (Ground (fun a => g_d g (back a)) (fun p => g_r g (back p))).
Proof.
  intros spec rename back g o cs B S J. apply (lemma_7_7_a_solution cs (op_constraints o) g); auto.
  intros [a|p] _; simpl.
  - destruct (spec (DV a)); simpl; now rewrite ?B.
  - destruct (spec (RV p)); simpl; [now rewrite ground_rvar; simpl; rewrite B | now rewrite ground_term_of].
Qed.

(** 7.7(a): if closing solved the program, then whatever operation is derived again, no
    run on its constraints fails or defers, one of them succeeds, and every run that has
    processed everything has eliminated the variables of the templates. *)
Theorem lemma_7_7_a : forall T os declared C o spec rename back,
  closes T (program_constraints os declared) C -> In o os -> scoped spec o -> (forall x, back (rename x) = x) ->
  let cs := rederive spec rename (gamma_close C) o in
  (forall D, run any_step (initial cs) D -> ~ rule_fails D /\ ~ guard_fails D /\ store D = []) /\
  (exists D, run any_step (initial cs) D /\ phi D = [] /\ store D = []) /\
  (forall D R v, run any_step (initial cs) D -> phi D = [] -> In R (templates o) ->
     In v (vars_r (sub_r (rederived spec rename (gamma_close C)) R)) -> eliminated (sigma D) v).
Proof.
  intros T os declared C o spec rename back K J S B cs.
  destruct (prop_6_2_closing_sound T _ C K) as (_ & G & _).
  pose proof (lemma_7_7_a_local spec rename (gamma_close C) o S) as L. fold cs in L.
  pose proof (rederived_solution spec rename back (gamma_close C) o _ B G (op_included os declared o J)) as H. fold cs in H.
  split; [intros D; exact (lemma_7_7_a_never_fails cs _ L H D)|].
  split; [exact (lemma_7_7_a_succeeds cs _ L H)|].
  intros D R v RD E I V. apply (lemma_7_7_a_eliminates cs _ D L H RD E v).
  destruct o as [res ops|slots]; simpl in I; [destruct I|]. apply in_map_iff in I as (s & <- & I).
  exists (sub_r (rederived spec rename (gamma_close C)) (template s)),
         (sub_r (rederived spec rename (gamma_close C)) (tensor s)).
  split; [|split; [apply rederived_closed; now apply S | exact V]].
  left. unfold cs, rederive. apply in_map_iff. exists (slot_equation s). split; [reflexivity|]. now apply in_map.
Qed.
