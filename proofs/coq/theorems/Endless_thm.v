(** Thm 5.2(b) fails: W1's set has no rank model, and a run on it goes on for ever. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Guard_thm Solved Runs Runs_thm Endless Fair.
Import ListNotations.

Lemma plays_app : forall C ms fs C' ms' fs' C'', plays C ms fs C' -> plays C' ms' fs' C'' ->
  plays C (ms ++ ms') (fs ++ fs') C''.
Proof.
  intros C ms fs C' ms' fs' C'' P Q; induction P as [C|C pre c post r e ms fs C' Ep F P IH]; [exact Q|].
  simpl. rewrite <- app_assoc. eapply Plays_cons; eauto.
Qed.

Lemma plays_one : forall C pre c post r e, phi C = pre ++ c :: post -> fires (used C) (store C) c r (Does e) ->
  plays C [(length pre, e)] (paper_recorded c e) (next C (pre ++ post) c e).
Proof.
  intros C pre c post r e Ep F. rewrite <- (app_nil_r (paper_recorded c e)).
  eapply Plays_cons; eauto. constructor.
Qed.

Lemma plays_nil_inv : forall C fs C', plays C [] fs C' -> fs = [] /\ C' = C.
Proof. intros C fs C' P. remember [] as l eqn:El. destruct P as [C|]; [auto | discriminate]. Qed.

(** Runs by moves are runs of Def. 4.5. *)
Lemma plays_paper : forall C ms fs C', plays C ms fs C' -> ms <> [] -> paper_run C fs C'.
Proof.
  intros C ms fs C' P; induction P as [C|C pre c post r e ms fs C' Ep F P IH]; intros N; [congruence|].
  destruct ms as [|m ms].
  - apply plays_nil_inv in P as [-> ->]. rewrite app_nil_r. econstructor; eauto.
  - eapply Paper_more; [econstructor; eauto | apply IH; discriminate].
Qed.

Lemma w1_round_shape : forall x y z a b c C, x <> y -> x <> z -> y <> z -> a <> b -> a <> c -> b <> c ->
  phi C = [w1_pending x y threes] -> store C = [w1_cap x y] -> ~ In (RV z) (used C) ->
  (forall d, In d [a; b; c] -> ~ In (DV d) (used C)) ->
  phi (w1_round x y z a b c C) = [w1_pending y z threes] /\ store (w1_round x y z a b c C) = [w1_cap y z] /\
  used (w1_round x y z a b c C) = used C ++ [RV z; DV a; DV b; DV c] /\
  plays C (w1_round_moves x y z a b c) (w1_edges x y z) (w1_round x y z a b c C).
Proof.
  intros x y z a b c C Nxy Nxz Nyz Nab Nac Nbc Ep Es Fz Fd.
  apply Nat.eqb_neq in Nxy as Exy. apply Nat.eqb_neq in Nxz as Exz. apply Nat.eqb_neq in Nyz as Eyz.
  apply Nat.eqb_neq in Nab as Eab. apply Nat.eqb_neq in Nac as Eac. apply Nat.eqb_neq in Nbc as Ebc.
  rewrite Nat.eqb_sym in Exy, Exz, Eyz, Eab, Eac, Ebc.
  unfold w1_round. set (be := [a; b; c]).
  set (C1 := next C ([] ++ []) (w1_pending x y threes) (w1_grow x z be)).
  assert (P1 : phi C1 = [w1_again y z (map DVar be) threes; w1_pending y z (map DVar be)] /\ store C1 = [] /\
               used C1 = used C ++ [RV z; DV a; DV b; DV c]).
  { unfold C1, next; simpl. rewrite Es, taken_one. simpl. unfold is_mid; simpl. rewrite Nat.eqb_refl. simpl.
    unfold sub_r; simpl. rewrite Nat.eqb_refl, Exy. simpl. auto. }
  assert (R1 : plays C [(0, w1_grow x z be)] (paper_recorded (w1_pending x y threes) (w1_grow x z be)) C1).
  { apply (plays_one _ [] (w1_pending x y threes) [] RI_deficit); [exact Ep|].
    apply (F_ri_deficit _ _ _ _ x [] z be); try reflexivity.
    - unfold covered; simpl; lia.
    - unfold be, fresh_vars; simpl. repeat constructor; simpl; intuition congruence.
    - intros v J. destruct J as [<-|J]; [auto|]. simpl in J. destruct J as [<-|[<-|[<-|[]]]]; apply Fd; simpl; auto. }
  destruct P1 as (P1 & S1 & U1). clearbody C1.
  set (C2 := next C1 _ _ _).
  assert (P2 : phi C2 = [w1_pending y z (map DVar be); DLe (DVar a) three; DLe (DVar b) three; DLe (DVar c) three] /\
               store C2 = [w1_cap y z] /\ used C2 = used C1).
  { unfold C2, next; simpl. rewrite S1. auto. }
  assert (R2 : plays C1 [(0, w1_align y z be)] (paper_recorded (w1_again y z (map DVar be) threes) (w1_align y z be)) C2).
  { apply (plays_one _ [] _ [w1_pending y z (map DVar be)] RI_cap); [exact P1|].
    apply (F_ri_cap _ _ (RTerm [two] (Some z) (map DVar be)) (RTerm [] (Some y) threes) y);
      [unfold covered; simpl; lia | reflexivity | discriminate]. }
  destruct P2 as (P2 & S2 & U2). clearbody C2.
  set (C3 := next C2 _ _ _).
  assert (P3 : phi C3 = [w1_pending y z (map DVar be); DLe (DVar b) three; DLe (DVar c) three; DEq (DVar a) three] /\
               store C3 = [w1_cap y z] /\ used C3 = used C2).
  { unfold C3, next; simpl. rewrite S2. auto. }
  assert (R3 : plays C2 [(1, w1_pin a)] (paper_recorded (DLe (DVar a) three) (w1_pin a)) C3).
  { apply (plays_one _ [_] _ [_; _] DI_pin); [exact P2 | apply F_di_pin; exact I]. }
  destruct P3 as (P3 & S3 & U3). clearbody C3.
  set (C4 := next C3 _ _ _).
  assert (P4 : phi C4 = [w1_pending y z [three; DVar b; DVar c]; DLe (DVar b) three; DLe (DVar c) three] /\
               store C4 = [w1_cap y z] /\ used C4 = used C3).
  { unfold C4, next; simpl. rewrite S3, taken_one. simpl. unfold sub_r; simpl. rewrite Nat.eqb_refl, Eab, Eac, app_nil_r. auto. }
  assert (R4 : plays C3 [(3, w1_bind a)] (paper_recorded (DEq (DVar a) three) (w1_bind a)) C4).
  { apply (plays_one _ [_; _; _] _ [] DE_bind); [exact P3 | apply F_de_bind; discriminate]. }
  destruct P4 as (P4 & S4 & U4). clearbody C4.
  set (C5 := next C4 _ _ _).
  assert (P5 : phi C5 = [w1_pending y z [three; DVar b; DVar c]; DLe (DVar c) three; DEq (DVar b) three] /\
               store C5 = [w1_cap y z] /\ used C5 = used C4).
  { unfold C5, next; simpl. rewrite S4. auto. }
  assert (R5 : plays C4 [(1, w1_pin b)] (paper_recorded (DLe (DVar b) three) (w1_pin b)) C5).
  { apply (plays_one _ [_] _ [_] DI_pin); [exact P4 | apply F_di_pin; exact I]. }
  destruct P5 as (P5 & S5 & U5). clearbody C5.
  set (C6 := next C5 _ _ _).
  assert (P6 : phi C6 = [w1_pending y z [three; three; DVar c]; DLe (DVar c) three] /\
               store C6 = [w1_cap y z] /\ used C6 = used C5).
  { unfold C6, next; simpl. rewrite S5, taken_one. simpl. unfold sub_r; simpl. rewrite Nat.eqb_refl, Ebc, app_nil_r. auto. }
  assert (R6 : plays C5 [(2, w1_bind b)] (paper_recorded (DEq (DVar b) three) (w1_bind b)) C6).
  { apply (plays_one _ [_; _] _ [] DE_bind); [exact P5 | apply F_de_bind; discriminate]. }
  destruct P6 as (P6 & S6 & U6). clearbody C6.
  set (C7 := next C6 _ _ _).
  assert (P7 : phi C7 = [w1_pending y z [three; three; DVar c]; DEq (DVar c) three] /\
               store C7 = [w1_cap y z] /\ used C7 = used C6).
  { unfold C7, next; simpl. rewrite S6. auto. }
  assert (R7 : plays C6 [(1, w1_pin c)] (paper_recorded (DLe (DVar c) three) (w1_pin c)) C7).
  { apply (plays_one _ [_] _ [] DI_pin); [exact P6 | apply F_di_pin; exact I]. }
  destruct P7 as (P7 & S7 & U7). clearbody C7.
  set (C8 := next C7 _ _ _).
  assert (P8 : phi C8 = [w1_pending y z threes] /\ store C8 = [w1_cap y z] /\ used C8 = used C7).
  { unfold C8, next; simpl. rewrite S7, taken_one. simpl. unfold sub_r; simpl. rewrite Nat.eqb_refl, app_nil_r. auto. }
  assert (R8 : plays C7 [(1, w1_bind c)] (paper_recorded (DEq (DVar c) three) (w1_bind c)) C8).
  { apply (plays_one _ [_] _ [] DE_bind); [exact P7 | apply F_de_bind; discriminate]. }
  destruct P8 as (P8 & S8 & U8).
  split; [exact P8 | split; [exact S8 | split; [congruence|]]].
  change (w1_edges x y z) with
    (paper_recorded (w1_pending x y threes) (w1_grow x z be) ++
     (paper_recorded (w1_again y z (map DVar be) threes) (w1_align y z be) ++
      (paper_recorded (DLe (DVar a) three) (w1_pin a) ++ (paper_recorded (DEq (DVar a) three) (w1_bind a) ++
       (paper_recorded (DLe (DVar b) three) (w1_pin b) ++ (paper_recorded (DEq (DVar b) three) (w1_bind b) ++
        (paper_recorded (DLe (DVar c) three) (w1_pin c) ++ paper_recorded (DEq (DVar c) three) (w1_bind c)))))))).
  apply (plays_app _ [_] _ C1); [exact R1|]. apply (plays_app _ [_] _ C2); [exact R2|].
  apply (plays_app _ [_] _ C3); [exact R3|]. apply (plays_app _ [_] _ C4); [exact R4|].
  apply (plays_app _ [_] _ C5); [exact R5|]. apply (plays_app _ [_] _ C6); [exact R6|].
  apply (plays_app _ [_] _ C7); [exact R7 | exact R8].
Qed.

(** Before the first full round. *)
Lemma w1_begins : exists C, w1_start = w1_round 1 2 3 1 2 3 C /\
  plays (initial finding_w1) [(0, w1_grow 0 2 [0]); (1, w1_align 1 2 [0]); (1, w1_pin 0); (1, w1_bind 0)]
    [Fact (Some 0) (Some 1) 1; Fact (Some 0) (Some 2) 1] C /\
  phi C = [w1_pending 1 2 threes] /\ store C = [w1_cap 1 2] /\
  forall v, In v (used C) -> match v with DV a => a < 1 | RV p => p < 3 end.
Proof.
  eexists. split; [reflexivity|]. split; [|split; [reflexivity | split; [reflexivity|]]].
  - change [Fact (Some 0) (Some 1) 1; Fact (Some 0) (Some 2) 1] with
      (paper_recorded (w1_pending 0 1 [three]) (w1_grow 0 2 [0]) ++
       (paper_recorded (w1_again 1 2 [DVar 0] [three]) (w1_align 1 2 [0]) ++
        (paper_recorded (DLe (DVar 0) three) (w1_pin 0) ++ paper_recorded (DEq (DVar 0) three) (w1_bind 0)))).
    eapply (plays_app _ [_]).
    { apply (plays_one _ [] _ [w1_pending 1 0 [three; three]] RI_deficit); [reflexivity|].
      apply (F_ri_deficit _ _ _ _ 0 [] 2 [0]); try reflexivity.
      - unfold covered; simpl; lia.
      - repeat constructor; simpl; intuition discriminate.
      - intros v J K. simpl in J, K. decompose [or] J; subst; decompose [or] K; try discriminate; tauto. }
    eapply (plays_app _ [_]).
    { apply (plays_one _ [w1_pending 1 2 [DVar 0; three; three]] _ [] RI_cap); [reflexivity|].
      apply (F_ri_cap _ _ (RTerm [two] (Some 2) [DVar 0]) (RTerm [] (Some 1) [three]) 1);
        [unfold covered; simpl; lia | reflexivity | discriminate]. }
    eapply (plays_app _ [_]).
    { apply (plays_one _ [w1_pending 1 2 [DVar 0; three; three]] _ [] DI_pin); [reflexivity | apply F_di_pin; exact I]. }
    apply (plays_one _ [w1_pending 1 2 [DVar 0; three; three]] _ [] DE_bind); [reflexivity | apply F_de_bind; discriminate].
  - intros v J. simpl in J. decompose [or] J; subst; try tauto; lia.
Qed.

Lemma w1_shape : forall k, phi (w1_config k) = [w1_pending (2 + k) (3 + k) threes] /\
  store (w1_config k) = [w1_cap (2 + k) (3 + k)] /\
  forall v, In v (used (w1_config k)) -> match v with DV a => a < 4 + 3 * k | RV p => p < 4 + k end.
Proof.
  intros k; induction k as [|k (Ep & Es & Eu)].
  - destruct w1_begins as (C & E & _ & Ep & Es & Eu). cbn [w1_config]. rewrite E.
    destruct (w1_round_shape 1 2 3 1 2 3 C) as (A & B & U & _); auto.
    + intros J. apply Eu in J. lia.
    + intros d Jd J. apply Eu in J. simpl in Jd. lia.
    + split; [exact A | split; [exact B|]]. rewrite U. intros v J. apply in_app_iff in J as [J|J].
      * apply Eu in J. destruct v; lia.
      * simpl in J. decompose [or] J; subst; try tauto; lia.
  - cbn [w1_config].
    destruct (w1_round_shape (2 + k) (3 + k) (4 + k) (4 + 3 * k) (5 + 3 * k) (6 + 3 * k) (w1_config k)) as (A &
      B & U & _);
      try lia; auto.
    + intros J. apply Eu in J. lia.
    + intros d Jd J. apply Eu in J. simpl in Jd. lia.
    + split; [exact A | split; [exact B|]]. rewrite U. intros v J. apply in_app_iff in J as [J|J].
      * apply Eu in J. destruct v; lia.
      * simpl in J. decompose [or] J; subst; try tauto; lia.
Qed.

(** The set has no rank model. *)
Lemma w1_no_rank_model : ~ exists v, rank_model finding_w1 v.
Proof.
  intros (v & H).
  pose proof (H (Fact (Some 0) (Some 1) 0) ltac:(simpl; auto)) as A.
  pose proof (H (Fact (Some 1) (Some 0) 1) ltac:(simpl; auto)) as B.
  unfold fact_holds in A, B; simpl in A, B. lia.
Qed.

(** 5.2.b.  Against 5.2(b): no rank model, and a run that never ends.  At the start of
    every round one constraint is pending, and the round begins with it, so nothing
    waits for ever.  What Def. 4.5 records never has a positive cycle, so its check
    never fires. *)
Theorem finding_w1_infinite_run :
  (~ exists v, rank_model finding_w1 v) /\
  paper_run (initial finding_w1) w1_start_edges (w1_config 0) /\
  (forall k, phi (w1_config k) = [w1_pending (2 + k) (3 + k) threes]) /\
  (forall k, paper_run (w1_config k) (w1_round_edges k) (w1_config (S k))) /\
  (forall n, ~ positive_cycle (w1_start_edges ++ flat_map w1_round_edges (seq 0 n))).
Proof.
  split; [exact w1_no_rank_model | split; [|split; [|split]]].
  - destruct w1_begins as (C & E & R & Ep & Es & Eu). cbn [w1_config]. rewrite E.
    unfold w1_start_edges. eapply Paper_more; [apply (plays_paper _ _ _ _ R); discriminate|].
    eapply plays_paper; [apply w1_round_shape; auto | discriminate].
    + intros J. apply Eu in J. lia.
    + intros d Jd J. apply Eu in J. simpl in Jd. lia.
  - intros k. apply w1_shape.
  - intros k. destruct (w1_shape k) as (Ep & Es & Eu). cbn [w1_config].
    eapply plays_paper; [apply w1_round_shape; try lia; auto | discriminate].
    + intros J. apply Eu in J. lia.
    + intros d Jd J. apply Eu in J. simpl in Jd. lia.
  - intros n. apply prop_4_6. exists (fun p => 3 * (n + 4 - p)).
    intros f J. apply in_app_iff in J as [J|J].
    + simpl in J. decompose [or] J; subst; try tauto; unfold fact_holds; cbn [greater lesser weight length_of]; lia.
    + apply in_flat_map in J as (k & K & J). apply in_seq in K.
      destruct J as [<-|[<-|[]]]; unfold fact_holds; cbn [greater lesser weight length_of]; lia.
Qed.

(** 5.2.b.  What is true of 5.2(b): without a rank model there is no solution, and no run
    gets everything processed with nothing deferred. *)
Theorem thm_5_2_b_no_success : forall cs, (~ exists v, rank_model cs v) ->
  (~ exists g, sol cs g) /\
  ~ exists C, run any_step (initial cs) C /\ phi C = [] /\ forall d, In d (store C) -> ~ is_req d.
Proof.
  intros cs N.
  assert (U : ~ exists g, sol cs g).
  { intros (g & H). apply N. exists (rank_lengths g). now apply def_5_2_1_solutions_are_rank_models. }
  split; [auto|]. intros (C & R & E & D). apply U. eexists. now apply (cor_5_5_i_runs cs C).
Qed.

(** 5.2.b.  With equations deferred a run may have nothing left to do, without a rank model. *)
Theorem thm_5_2_b_deferred : (~ exists v, rank_model example_5_2_b v) /\
  exists C, run any_step (initial example_5_2_b) C /\ phi C = [].
Proof.
  split.
  - intros (v & H).
    pose proof (H (Fact (Some 0) (Some 1) 0) ltac:(simpl; auto)) as A.
    pose proof (H (Fact (Some 1) (Some 0) 0) ltac:(simpl; auto)) as B.
    pose proof (H (Fact (Some 0) (Some 1) 1) ltac:(simpl; auto)) as D.
    unfold fact_holds in A, B, D; simpl in A, B, D. lia.
  - eexists. split.
    + eapply Run_cons; [exact I | eapply (Step _ [] _ _ RE_cross); [reflexivity|]|].
      { exact (F_re_cross _ _ (RTerm [two] (Some 0) []) 0 (RTerm [] (Some 1) [three]) 1
          eq_refl eq_refl ltac:(discriminate) ltac:(discriminate) ltac:(discriminate)). }
      eapply Run_cons; [exact I | eapply (Step _ [] _ _ RE_cross); [reflexivity|]|].
      { exact (F_re_cross _ _ (RTerm [two] (Some 0) []) 0 (RTerm [] (Some 1) [three; three]) 1
          eq_refl eq_refl ltac:(discriminate) ltac:(discriminate) ltac:(discriminate)). }
      apply Run_nil.
    + reflexivity.
Qed.
