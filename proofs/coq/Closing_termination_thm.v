(** Prop. 6.2, termination: with the signed guard closing ends.

    Each round binds a row variable for good, or it touches dimensions only and
    binds one of these.  Row variables are never gained, since the deficit rule
    puts one in the place of another. *)

From Coq Require Import List Bool Arith Lia Wf_nat.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm Closing Closing_thm.
Import ListNotations.

(** * Unsolved variables, counted *)

Definition covers_rows (L : list rvar) (C : config) : Prop := forall p, unsolved C (RV p) -> In p L.
Definition covers_dims (D : list dvar) (C : config) : Prop := forall a, unsolved C (DV a) -> In a D.

Lemma covers_used : forall C, covers_rows (rows_of (used C)) C /\ covers_dims (dims_of (used C)) C.
Proof. intros C; split; intros x [_ U]; [now apply in_rows_of | now apply in_dims_of]. Qed.

(** An unsolved variable after a step that binds nothing new. *)
Lemma step_unsolved : forall C pre c post r e v, well_formed C -> phi C = pre ++ c :: post ->
  fires (used C) (store C) c r (Does e) -> unsolved (next C (pre ++ post) c e) v ->
  match binds e with
  | None => unsolved C v
  | Some b => v <> bound_var b /\ unsolved C (bound_var b) /\
              (unsolved C v \/ In v (vars (bound_value b)) /\ ~ In v (used C))
  end.
Proof.
  intros C pre c post r e v W E F [Fx U].
  assert (V : knows C c).
  { intros w I. destruct W as (_ & Wv & _). apply Wv, in_flat_map. exists c.
    rewrite E, !in_app_iff. simpl; auto. }
  unfold next in Fx, U. destruct (binds e) as [b|] eqn:Eb; simpl in Fx, U; [|split; auto].
  destruct (unsolved_before C c r e b v W V F Eb Fx U) as [N I].
  destruct (fires_binding C c r e V F b Eb) as (Fb & Ub & Nb & Vb).
  split; [auto | split; [split; auto|]]. destruct I as [I|I]; [|auto].
  destruct (Vb v I) as [J|J]; [left; apply (V v J) | auto].
Qed.

(** Row variables are not gained, and an equality between rows loses one. *)
Lemma step_rows : forall C c r C' L, well_formed C -> step C c r C' -> covers_rows L C ->
  exists L', covers_rows L' C' /\ length L' <= length L /\
    (is_req c -> (exists rest e p V, C' = next C rest c e /\ binds e = Some (BindR p V)) -> length L' < length L).
Proof.
  intros C c r C' L W S H. inversion S as [C0 pre c0 post r0 e Ep F]; subst C0 c0 r0 C'.
  pose proof (outcome_kinds _ _ _ _ _ F) as K. simpl in K.
  pose proof (fun v => step_unsolved C pre c post r e v W Ep F) as U.
  assert (Nx : forall rest e', next C (pre ++ post) c e = next C rest c e' -> forall p V,
            binds e' = Some (BindR p V) -> exists p V, binds e = Some (BindR p V)).
  { intros rest e' E p V Eb. destruct (binds e) as [[a t|q Q]|] eqn:Ee; eauto; exfalso.
    - apply (f_equal sigma) in E. unfold next in E. rewrite Ee, Eb in E. simpl in E.
      assert (Vc : knows C c).
      { intros w I. destruct W as (_ & Wv & _). apply Wv, in_flat_map. exists c. rewrite Ep, !in_app_iff. simpl; auto. }
      destruct (fires_binding C c r e Vc F _ Ee) as (Fa & _ & Na & _). simpl in Fa, Na.
      apply (f_equal (fun s => apply s (var_term (DV a)))) in E. rewrite !lemma_3_3 in E.
      unfold fixes in Fa. simpl in Fa, E. injection Fa as Fa. rewrite Fa in E. simpl in E.
      rewrite Nat.eqb_refl in E. injection E as E. apply Na. rewrite E. simpl; auto.
    - apply (f_equal used) in E. unfold next in E. rewrite Ee, Eb in E. simpl in E.
      apply (f_equal (@length _)) in E. rewrite app_length in E.
      destruct V as [l [m|] k]; simpl in E; unfold vars_r in E; simpl in E; rewrite ?app_length in E; simpl in E; lia || idtac. }
  destruct (binds e) as [[a t|p V]|] eqn:Eb.
  - exists L. split; [|split; [auto|]].
    + intros q Uq. destruct (U _ Uq) as (_ & _ & [I|[I _]]); [auto|]. simpl in I. destruct t; simpl in I; [|tauto].
      destruct I as [I|[]]; discriminate.
    + intros _ (rest & e' & q & V & E & Eb'). destruct (Nx _ _ E _ _ Eb') as (? & ? & ?). discriminate.
  - destruct K as [[Rc Ag]|(res & op & al & q & be & Ec & EV & Em & NC & La & Lb & Fr)].
    + admit.
    + admit.
  - admit.
Abort.
