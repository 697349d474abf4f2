(** What the running solver does are steps. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Dim Dim_thm Row Term Term_thm Semantics Rules Rules_thm Guard Solved Runs Taint Taint_thm
  Certificate Certificate_thm Queue Fire Fire_thm Drive.
Import ListNotations.

Lemma tag_all_lower : forall B a, t_lower (tag_all false B) a = option_map (fun d => (d, false)) (lower B a).
Proof.
  intros B a; induction B as [|c B IH]; simpl; [auto|].
  destruct c as [t u|[x|[|n b]] [a'|e]|R Q|R Q]; auto. destruct (Nat.eqb a' a); auto.
Qed.

Lemma fire_dle_untagged : forall V P B t u r o s, fire_dle P (tag_all false B) t u = (r, o, s) ->
  fires V B (DLe t u) r o.
Proof.
  intros V P B t u r o s E. unfold fire_dle in E.
  destruct (dterm_eqb u (DConst Unit)) eqn:T.
  { apply dterm_eqb_eq in T as ->. injection E as <- <- _. constructor. }
  destruct (dterm_eqb t u) eqn:D.
  { apply dterm_eqb_eq in D as ->. injection E as <- <- _. constructor. }
  apply dterm_eqb_false in T, D. destruct t as [a|d], u as [b|e].
  - assert (N : a <> b) by congruence.
    destruct (antisym P); [|injection E as <- <- _; now apply F_di_adj].
    destruct (path (tag_all false B) b a) as [t|] eqn:Pa; injection E as <- <- _; [|now apply F_di_adj].
    apply def_4_2_path_found in Pa as [A _]; [|auto]. rewrite tag_all_fst in A. now apply F_di_antisym.
  - assert (A : is_atom e) by (destruct e; [congruence | exact I]). injection E as <- <- _. now apply F_di_pin.
  - destruct d as [|n x]; [injection E as <- <- _; apply F_di_pin_top|].
    unfold fire_cap in E. rewrite tag_all_lower in E. pose proof (F_di_cap V B (Atom n x) b I) as K. unfold di_cap in K.
    destruct (lower B b) as [y|]; simpl option_map in E; cbv iota in E.
    + destruct (dim_eqb y (Atom n x)); injection E as <- <- _; exact K.
    + injection E as <- <- _. exact K.
  - destruct d; injection E as <- <- _; apply F_di_ground.
Qed.

(** The function picks a rule that applies. *)
Theorem def_4_3_fire : forall V B c, fires V B c (fst (fire_at V B c)) (snd (fire_at V B c)).
Proof.
  intros V B c. unfold fire_at.
  assert (N : numbered (Certificate.above V 0) V) by exact (proj2 (above_spec V 0)).
  destruct (fire driven (Certificate.above V 0) (tag_all false B) c) as [[r o] s] eqn:E. cbn [fst snd].
  destruct c as [t u|t u|R Q|R Q]; simpl in E.
  - eapply fire_deq_fires; eauto.
  - eapply fire_dle_untagged; eauto.
  - eapply fire_req_fires; eauto.
  - eapply fire_rle_fires; eauto.
Qed.

Lemma step_at_step : forall C i fs C', step_at C i = Some (fs, C') -> exists c r e pre post,
  phi C = pre ++ c :: post /\ fires (used C) (store C) c r (Does e) /\ fs = paper_recorded c e /\
  C' = next C (pre ++ post) c e.
Proof.
  intros C i fs C' E. unfold step_at in E. destruct (nth_error (phi C) i) as [c|] eqn:Ec; [|discriminate].
  pose proof (def_4_3_fire (used C) (store C) c) as F.
  destruct (snd (fire_at (used C) (store C) c)) as [|e] eqn:Eo; [discriminate|]. injection E as <- <-.
  exists c, (fst (fire_at (used C) (store C) c)), e, (firstn i (phi C)), (skipn (S i) (phi C)).
  split; [|auto]. clear - Ec. revert i Ec. induction (phi C) as [|d l IH]; intros [|i] Ec; try discriminate; simpl in *.
  - now injection Ec as <-.
  - f_equal. now apply IH.
Qed.

(** What is driven is a run. *)
Theorem def_4_4_drive : forall places C fs C', drive C places = Some (fs, C') ->
  run any_step C C' /\ (places <> [] -> paper_run C fs C').
Proof.
  intros places; induction places as [|i places IH]; intros C fs C' E; simpl in E.
  - injection E as <- <-. split; [constructor | congruence].
  - destruct (step_at C i) as [[gs C1]|] eqn:E1; [|discriminate].
    destruct (drive C1 places) as [[hs C2]|] eqn:E2; [|discriminate]. injection E as <- <-.
    apply step_at_step in E1 as (c & r & e & pre & post & Ep & F & -> & ->).
    destruct (IH _ _ _ E2) as [R P]. split.
    + eapply Run_cons; [exact I | econstructor; eauto | exact R].
    + intros _. destruct places as [|j places].
      * simpl in E2. injection E2 as <- <-. rewrite app_nil_r. econstructor; eauto.
      * eapply Paper_more; [econstructor; eauto | apply P; discriminate].
Qed.

Lemma reached_run : forall cs places, drives cs places = true -> run any_step (initial cs) (reached cs places).
Proof.
  intros cs places E. unfold drives, reached in *.
  destruct (drive (initial cs) places) as [[fs C]|] eqn:Ed; [|discriminate]. now apply def_4_4_drive in Ed.
Qed.

Lemma reached_paper_run : forall cs places, drives cs places = true -> places <> [] ->
  paper_run (initial cs) (recorded cs places) (reached cs places).
Proof.
  intros cs places E N. unfold drives, reached, recorded in *.
  destruct (drive (initial cs) places) as [[fs C]|] eqn:Ed; [|discriminate].
  exact (proj2 (def_4_4_drive _ _ _ _ Ed) N).
Qed.

Lemma fails_at_fails : forall C i, fails_at C i = true -> rule_fails C.
Proof.
  intros C i E. unfold fails_at in E. destruct (nth_error (phi C) i) as [c|] eqn:Ec; [|discriminate].
  pose proof (def_4_3_fire (used C) (store C) c) as F.
  destruct (snd (fire_at (used C) (store C) c)) as [|e] eqn:Eo; [|discriminate].
  exists c, (fst (fire_at (used C) (store C) c)). split; [eapply nth_error_In; eauto | exact F].
Qed.
