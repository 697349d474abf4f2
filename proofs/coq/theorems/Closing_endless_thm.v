(** F15 again, against 6.2(i) under the guard of Def. 4.5 itself. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Dim Row Row_thm Term Semantics Rules Rules_thm Guard Guard_thm Solved Runs Runs_thm Closing
  Closing_endless.
Import ListNotations.

Definition f15g_good k C := phi C = [f15g_pending k] /\ store C = [f15g_cap k] /\
  forall v, In v (used C) -> match v with DV a => a < k | RV p => p <= S k end.

Lemma f15g_round_good : forall k C, f15g_good k C -> f15g_good (S k) (f15g_round k C) /\ paper_run C (f15g_edges k) (f15g_round k C).
Proof.
  intros k C (Ep & Es & Eu). unfold f15g_round.
  set (C1 := next C ([] ++ []) (f15g_pending k) (f15g_grow k)).
  assert (P1 : phi C1 = [f15g_again k; f15g_returned k] /\ store C1 = [] /\ used C1 = used C ++ [RV (S (S k)); DV k]).
  { unfold C1, next; simpl. rewrite Es, taken_one. simpl. unfold f15g_pending, f15g_cap, is_mid; simpl.
    rewrite !Nat.eqb_refl. simpl. unfold sub_r; simpl. rewrite ?Nat.eqb_refl.
    replace (match k with 0 => false | S m' => k =? m' end) with (S k =? k) by reflexivity.
    assert (Nk : (S k =? k) = false) by (apply Nat.eqb_neq; lia). rewrite ?Nk. simpl. auto. }
  split.
  - destruct P1 as (P1 & S1 & U1). clearbody C1. unfold f15g_good, next; simpl. rewrite S1, U1. simpl.
    unfold sub_r; simpl. rewrite ?Nat.eqb_refl. simpl. split; [reflexivity | split; [reflexivity|]].
    intros v I. rewrite !in_app_iff in I. simpl in I.
    destruct I as [[I|I]|I]; [apply Eu in I; destruct v; lia | decompose [or] I; subst; try tauto; lia | tauto].
  - change (f15g_edges k) with (paper_recorded (f15g_pending k) (f15g_grow k) ++ (paper_recorded (f15g_again k) (f15g_align k) ++
      (paper_recorded (DLe (DVar k) two) (f15g_pin k) ++ paper_recorded (DEq (DVar k) two) (f15g_bind k)))).
    apply Paper_more with (C' := C1).
    { apply (Paper_one _ [] (f15g_pending k) [] RI_deficit); [exact Ep|].
      apply (F_ri_deficit _ _ _ _ k [] (S (S k)) [k]); try reflexivity.
      - unfold covered; simpl; lia.
      - repeat constructor; simpl; intuition discriminate.
      - intros v [<-|[<-|[]]] J; apply Eu in J; simpl in J; lia. }
    destruct P1 as (P1 & _). clearbody C1.
    set (C2 := next C1 ([] ++ [f15g_returned k]) (f15g_again k) (f15g_align k)).
    assert (P2 : phi C2 = [f15g_returned k; DLe (DVar k) two]) by reflexivity.
    apply Paper_more with (C' := C2); [|clearbody C2].
    { apply (Paper_one _ [] (f15g_again k) [f15g_returned k] RI_cap); [exact P1|].
      apply (F_ri_cap _ _ (RTerm [two] (Some (S (S k))) [DVar k]) (RTerm [] (Some (S k)) [two]) (S k));
        [unfold covered; simpl; lia | reflexivity | discriminate]. }
    set (C3 := next C2 ([f15g_returned k] ++ []) (DLe (DVar k) two) (f15g_pin k)).
    assert (P3 : phi C3 = [f15g_returned k; DEq (DVar k) two]) by reflexivity.
    apply Paper_more with (C' := C3); [|clearbody C3].
    { apply (Paper_one _ [f15g_returned k] (DLe (DVar k) two) [] DI_pin); [exact P2|]. apply F_di_pin. exact I. }
    apply (Paper_one _ [f15g_returned k] (DEq (DVar k) two) [] DE_bind); [exact P3|]. apply F_de_bind. discriminate.
Qed.

Ltac paper_step pre c post r e := eapply (Paper_more _ (paper_recorded c e)); [apply (Paper_one _ pre c post r e); [reflexivity|] |].
Ltac cov := unfold covered; simpl; lia.

(** z is committed to [2]⋄[], as Def. 6.1 says; the re-solve never ends, and what Def. 4.5 has recorded since
   the beginning never has a positive cycle. *)
Theorem finding_f15_guarded_resolve_runs_for_ever : exists C D es fs,
  sol finding_f15_guarded top /\ paper_run (initial finding_f15_guarded) es C /\ phi C = [] /\
  leaf_value (only (RV 2)) C (BindR 2 (term_of ([num 2] ·⋄· []))) /\
  paper_run (commit C [BindR 2 (term_of ([num 2] ·⋄· []))]) fs D /\
  (forall k, phi (f15g_config D k) = [f15g_pending (3 + k)]) /\
  (forall k, paper_run (f15g_config D k) (f15g_edges (3 + k)) (f15g_config D (S k))) /\
  forall n, ~ positive_cycle ((es ++ fs) ++ flat_map (fun k => f15g_edges (3 + k)) (seq 0 n)).
Proof.
  assert (A : exists C es, paper_run (initial finding_f15_guarded) es C /\ incl es f15g_start_edges /\ phi C = [] /\
    store C = [REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [two]); RLe (rvar_term 1) (rvar_term 3);
               RLe (RTerm [two] (Some 3) []) (rvar_term 0); RLe (rvar_term 1) (rvar_term 2);
               RLe (RTerm [two] None []) (rvar_term 2)] /\
    used C = flat_map vars_c finding_f15_guarded /\ sigma C = id_subst).
  { eexists _, _. split.
    - paper_step (@nil constr) (REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [two]))
         [RLe (rvar_term 1) (rvar_term 3); RLe (RTerm [two] (Some 3) []) (rvar_term 0);
          RLe (rvar_term 1) (rvar_term 2); RLe (RTerm [two] None []) (rvar_term 2)] RE_cross
         (Effect [] None [REq (RTerm [two] (Some 0) []) (RTerm [] (Some 1) [two])] false).
      { refine (F_re_cross _ _ (RTerm [two] (Some 0) []) 0 (RTerm [] (Some 1) [two]) 1 _ _ _ _ _);
          try reflexivity; discriminate. }
      paper_step (@nil constr) (RLe (rvar_term 1) (rvar_term 3))
         [RLe (RTerm [two] (Some 3) []) (rvar_term 0); RLe (rvar_term 1) (rvar_term 2); RLe (RTerm [two] None []) (rvar_term 2)]
         RI_cap (Effect [] None [RLe (rvar_term 1) (rvar_term 3)] false).
      { apply (F_ri_cap _ _ (rvar_term 1) (rvar_term 3) 3); [cov | reflexivity | discriminate]. }
      paper_step (@nil constr) (RLe (RTerm [two] (Some 3) []) (rvar_term 0)) [RLe (rvar_term 1) (rvar_term 2); RLe (RTerm [two] None []) (rvar_term 2)]
         RI_cap (Effect [] None [RLe (RTerm [two] (Some 3) []) (rvar_term 0)] false).
      { apply (F_ri_cap _ _ (RTerm [two] (Some 3) []) (rvar_term 0) 0); [cov | reflexivity | discriminate]. }
      paper_step (@nil constr) (RLe (rvar_term 1) (rvar_term 2)) [RLe (RTerm [two] None []) (rvar_term 2)]
         RI_cap (Effect [] None [RLe (rvar_term 1) (rvar_term 2)] false).
      { apply (F_ri_cap _ _ (rvar_term 1) (rvar_term 2) 2); [cov | reflexivity | discriminate]. }
      apply (Paper_one _ [] (RLe (RTerm [two] None []) (rvar_term 2)) [] RI_cap
         (Effect [] None [RLe (RTerm [two] None []) (rvar_term 2)] false)); [reflexivity|].
      apply (F_ri_cap _ _ (RTerm [two] None []) (rvar_term 2) 2); [cov | reflexivity | discriminate].
    - split; [intros f I; simpl in I; unfold f15g_start_edges; simpl; tauto | repeat split; reflexivity]. }
  destruct A as (C & es & R & Ie & Ep & Es & Eu & Eg).
  set (b := BindR 2 (term_of ([num 2] ·⋄· []))).
  assert (B : exists D fs, paper_run (commit C [b]) fs D /\ incl fs f15g_start_edges /\ f15g_good 3 D).
  { destruct C as [ph sg st us ld tr]; simpl in *; subst. eexists _, _. split.
    - unfold commit, extend, b; cbn [map equation phi sigma store used leads trails app term_of lead trail].
      paper_step (@nil constr) (REq (rvar_term 2) (RTerm [two] None [])) (@nil constr) RE_open_closed
         (Effect [] (Some (BindR 2 (RTerm [two] None []))) [] false).
      { exact (F_re_open_closed _ _ (rvar_term 2) 2 (RTerm [two] None []) eq_refl eq_refl). }
      paper_step (@nil constr) (RLe (rvar_term 1) (RTerm [two] None [])) [RLe (RTerm [two] None []) (RTerm [two] None [])] RI_deficit
         (Effect [] (Some (BindR 1 (grown [0] 4 []))) [] true).
      { apply (F_ri_deficit _ _ _ _ 1 [0] 4 []); try reflexivity; [cov | repeat constructor; simpl; intuition discriminate |].
        intros v [<-|[<-|[]]] J; simpl in J; intuition discriminate. }
      (* [2]⋄[] ⊑ [2]⋄[] *)
      paper_step (@nil constr) (RLe (RTerm [two] None []) (RTerm [two] None []))
         [RLe (RTerm [DVar 0] (Some 4) []) (RTerm [two] None []); RLe (RTerm [DVar 0] (Some 4) []) (rvar_term 3);
          REq (RTerm [two] (Some 0) []) (RTerm [DVar 0] (Some 4) [two])] RI_closed_op (Effect [DLe two two] None [] false).
      { apply (F_ri_closed_op _ _ (RTerm [two] None []) (RTerm [two] None [])); [cov | reflexivity]. }
      paper_step (@nil constr) (RLe (RTerm [DVar 0] (Some 4) []) (RTerm [two] None []))
         [RLe (RTerm [DVar 0] (Some 4) []) (rvar_term 3); REq (RTerm [two] (Some 0) []) (RTerm [DVar 0] (Some 4) [two]); DLe two two]
         RI_closed_op (Effect [DLe (DVar 0) two] None [] false).
      { apply (F_ri_closed_op _ _ (RTerm [DVar 0] (Some 4) []) (RTerm [two] None [])); [cov | reflexivity]. }
      paper_step [RLe (RTerm [DVar 0] (Some 4) []) (rvar_term 3); REq (RTerm [two] (Some 0) []) (RTerm [DVar 0] (Some 4) [two]); DLe two two]
         (DLe (DVar 0) two) (@nil constr) DI_pin (f15g_pin 0).
      { apply F_di_pin. exact I. }
      paper_step [RLe (RTerm [DVar 0] (Some 4) []) (rvar_term 3); REq (RTerm [two] (Some 0) []) (RTerm [DVar 0] (Some 4) [two]); DLe two two]
         (DEq (DVar 0) two) (@nil constr) DE_bind (f15g_bind 0).
      { apply F_de_bind. discriminate. }
      paper_step [RLe (RTerm [two] (Some 4) []) (rvar_term 3); REq (RTerm [two] (Some 0) []) (RTerm [two] (Some 4) [two])]
         (DLe two two) (@nil constr) DI_refl (Effect [] None [] false).
      { apply F_di_refl. }
      paper_step [RLe (RTerm [two] (Some 4) []) (rvar_term 3)] (REq (RTerm [two] (Some 0) []) (RTerm [two] (Some 4) [two])) (@nil constr)
         RE_nested (Effect [DEq two two] (Some (BindR 0 (RTerm [] (Some 4) [two]))) [] false).
      { refine (F_re_nested _ _ (RTerm [two] (Some 0) []) 0 (RTerm [two] (Some 4) [two]) 4 _ _ _ _); try reflexivity; discriminate. }
      paper_step [RLe (RTerm [two] (Some 4) []) (rvar_term 3)] (DEq two two) [f15g_pending 3] DE_refl (Effect [] None [] false).
      { apply F_de_refl. }
      apply (Paper_one _ [] (RLe (RTerm [two] (Some 4) []) (rvar_term 3)) [f15g_pending 3] RI_cap (Effect [] None [f15g_cap 3] false)); [reflexivity|].
      apply (F_ri_cap _ _ (RTerm [two] (Some 4) []) (rvar_term 3) 3); [cov | reflexivity | discriminate].
    - split; [intros f I; simpl in I; unfold f15g_start_edges; simpl; tauto | split; [reflexivity | split; [reflexivity|]]].
      intros v I. simpl in I. decompose [or] I; subst; try tauto; lia. }
  destruct B as (D & fs & Rf & If & G).
  assert (Gk : forall k, f15g_good (3 + k) (f15g_config D k)).
  { intros k; induction k as [|k IH]; [exact G|]. simpl f15g_config. replace (3 + S k) with (S (3 + k)) by lia. now apply f15g_round_good. }
  exists C, D, es, fs. split; [|split; [exact R | split; [exact Ep | split; [|split; [exact Rf | split; [|split]]]]]].
  - intros c I. simpl in I. decompose [or] I; subst; try tauto; simpl; try reflexivity;
      apply prop_2_6_empty_greatest.
  - assert (J : joined (row_caps (store C) 2) = ground_part (RTerm [two] None [])) by (rewrite Es; reflexivity).
    assert (Eb : b = BindR 2 (term_of (filled (joined (row_caps (store C) 2))))) by (rewrite J; reflexivity).
    rewrite Eb.
    apply Leaf_row.
    + split; [split; [rewrite Eg; reflexivity | rewrite Eu; simpl; tauto]|].
      exists (RV 2). split; [reflexivity | rewrite Eg; simpl; auto].
    + intros (w & [] & _).
  - intros k. apply Gk.
  - intros k. apply f15g_round_good. apply Gk.
  - intros n. apply prop_4_6. exists (fun p => match p with 0 | 1 => n + 9 | 2 => 0 | _ => n + 8 - p end).
    intros f I. rewrite !in_app_iff in I. destruct I as [[I|I]|I].
    + apply Ie in I. simpl in I. decompose [or] I; subst; try tauto; unfold fact_holds; simpl; lia.
    + apply If in I. simpl in I. decompose [or] I; subst; try tauto; unfold fact_holds; simpl; lia.
    + apply in_flat_map in I as (k & J & I). apply in_seq in J.
      destruct I as [<-|[<-|[]]]; unfold fact_holds; simpl; lia.
Qed.

