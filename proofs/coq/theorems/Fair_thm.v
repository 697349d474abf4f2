(** Def. 4.4: the endless runs of F1 and W1 are fair, and so is that of 4.5a. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Row Term Semantics Rules Guard Guard_thm Solved Runs Runs_thm Endless Endless_thm Fair.
Import ListNotations.

(** * From rounds to an infinite run *)

Lemma perform_at : forall C pre c post e, phi C = pre ++ c :: post ->
  perform C (length pre, e) = next C (pre ++ post) c e /\ taken_up C (length pre) = c.
Proof.
  intros C pre c post e Ep. unfold perform, taken_up. cbn [fst snd]. rewrite Ep.
  rewrite firstn_app, Nat.sub_diag, firstn_all, app_nil_r, app_nth2, Nat.sub_diag by lia. cbn [nth].
  assert (E : skipn (S (length pre)) (pre ++ c :: post) = post) by (clear Ep; induction pre; simpl in *; auto).
  rewrite E. auto.
Qed.

Lemma plays_inv : forall C i e ms fs C', plays C ((i, e) :: ms) fs C' -> exists pre c post r rest,
  phi C = pre ++ c :: post /\ length pre = i /\ fires (used C) (store C) c r (Does e) /\
  fs = paper_recorded c e ++ rest /\ plays (next C (pre ++ post) c e) ms rest C'.
Proof.
  intros C i e ms fs C' P. remember ((i, e) :: ms) as l eqn:El.
  destruct P as [C|C pre c post r e' ms' rest C' Ep F P]; [discriminate|].
  injection El as <- <- <-. exists pre, c, post, r, rest. auto.
Qed.

Section Rounds.
Variables (D : nat -> config) (ms : nat -> list move) (fs : nat -> list fact).
Hypothesis rounds : forall k, plays (D k) (ms k) (fs k) (D (S k)).
Hypothesis busy : forall k, ms k <> [].

Let st (n : nat) : state := state_at ms (D 0) n.
Let C (n : nat) : config := config_of (st n).
Let mv (n : nat) : move := next_move ms (st n).
Let gs (n : nat) : list fact := paper_recorded (taken_up (C n) (fst (mv n))) (snd (mv n)).

Lemma flat_map_S : forall (A : Type) (f : nat -> list A) n, flat_map f (seq 0 (S n)) = flat_map f (seq 0 n) ++ f n.
Proof. intros A f n. rewrite seq_S, flat_map_app. simpl. now rewrite app_nil_r. Qed.

(** What is left of the round leads to the next one. *)
Lemma state_rounds : forall n, exists rest,
  plays (C n) (snd (st n)) rest (D (snd (fst (st n)))) /\
  flat_map gs (seq 0 n) ++ rest = flat_map fs (seq 0 (snd (fst (st n)))) /\
  notes (C n) (fst (mv n)) (gs n) (C (S n)).
Proof.
  assert (Go : forall n E k l rest, st n = (E, k, l) -> plays E l rest (D k) ->
    flat_map gs (seq 0 n) ++ rest = flat_map fs (seq 0 k) ->
    notes E (fst (mv n)) (gs n) (C (S n)) /\
    exists rest', plays (C (S n)) (snd (st (S n))) rest' (D (snd (fst (st (S n))))) /\
      flat_map gs (seq 0 (S n)) ++ rest' = flat_map fs (seq 0 (snd (fst (st (S n)))))).
  { intros n E k l rest Es P Q.
    assert (G : exists e0 l0 fs0 C0 k0, mv n = e0 /\ plays E (e0 :: l0) fs0 C0 /\ st (S n) = (perform E e0, k0, l0) /\
      C0 = D k0 /\ flat_map gs (seq 0 n) ++ fs0 = flat_map fs (seq 0 k0)).
    { unfold mv. unfold st in *. cbn [state_at]. rewrite Es. destruct l as [|m l].
      - apply plays_nil_inv in P as [-> Ed]. destruct (ms k) as [|m l] eqn:Em; [now apply busy in Em|].
        exists m, l, (fs k), (D (S k)), (S k). unfold next_move, due, advance. rewrite Em. cbn [hd tl].
        split; [auto | split; [pose proof (rounds k) as Rk; rewrite Em, Ed in Rk; exact Rk | split; [|split; auto]]].
        + unfold next_move, due. now rewrite Em.
        + rewrite app_nil_r in Q. now rewrite flat_map_S, Q.
      - exists m, l, rest, (D k), k. unfold next_move, due, advance. cbn [hd]. auto. }
    destruct G as ((i, e) & l' & fs0 & C0 & k0 & Em & P' & Es' & -> & Q').
    apply plays_inv in P' as (pre & c & post & r & fs1 & Ep & <- & F & -> & P1).
    destruct (perform_at E pre c post e Ep) as [Pe Pt].
    assert (Eg : gs n = paper_recorded c e).
    { unfold gs, C. rewrite Es, Em. cbn [fst snd config_of]. now rewrite Pt. }
    rewrite Em. cbn [fst snd].
    assert (Ec : C (S n) = next E (pre ++ post) c e) by (unfold C; rewrite Es', <- Pe; reflexivity).
    rewrite Ec, Eg. split; [econstructor; eauto|].
    exists fs1. rewrite Es'. cbn [fst snd]. split; [exact P1|].
    rewrite flat_map_S, Eg, <- app_assoc. exact Q'. }
  assert (Inv : forall n, exists rest, plays (C n) (snd (st n)) rest (D (snd (fst (st n)))) /\
    flat_map gs (seq 0 n) ++ rest = flat_map fs (seq 0 (snd (fst (st n))))).
  { intros n; induction n as [|n (rest & P & Q)].
    - exists []. split; [constructor | reflexivity].
    - destruct (st n) as [[E k] l] eqn:Es. unfold C in P. rewrite Es in P. cbn [config_of fst snd] in P, Q.
      destruct (Go n E k l rest Es P Q) as [_ G]. exact G. }
  intros n. destruct (Inv n) as (rest & P & Q). exists rest. split; [exact P | split; [exact Q|]].
  unfold C at 1. destruct (st n) as [[E k] l] eqn:Es. unfold C in P. rewrite Es in P.
  cbn [config_of fst snd] in P, Q |- *. exact (proj1 (Go n E k l rest Es P Q)).
Qed.

Lemma rounds_run : forall cs, D 0 = initial cs -> infinite_run cs C (fun n => fst (mv n)) gs.
Proof.
  intros cs E. split; [exact E|]. intros n. destruct (state_rounds n) as (_ & _ & _ & N). exact N.
Qed.

Lemma rounds_caught : (forall k, ~ positive_cycle (flat_map fs (seq 0 k))) -> never_caught gs.
Proof.
  intros N n. destruct (state_rounds n) as (rest & _ & Q & _). specialize (N (snd (fst (st n)))).
  rewrite <- Q in N. apply prop_4_6 in N as (v & V). apply prop_4_6. exists v. intros f I. apply V, in_app_iff. auto.
Qed.

(** Every round comes to its end. *)
Lemma round_ends : forall n, exists m k, n < m /\ st m = (D (S k), S k, []).
Proof.
  assert (Fin : forall l n k, snd (st n) = l -> snd (fst (st n)) = k -> exists m, n <= m /\ st m = (D k, k, [])).
  { intros l; induction l as [|m0 l IH]; intros n k El Ek; destruct (state_rounds n) as (rest & P & _ & _);
      unfold C in P; destruct (st n) as [[E k'] l'] eqn:Es; cbn [config_of fst snd] in *; subst.
    - apply plays_nil_inv in P as [_ <-]. exists n. auto.
    - assert (A : snd (st (S n)) = l /\ snd (fst (st (S n))) = k).
      { unfold st in *. cbn [state_at]. rewrite Es. auto. }
      destruct (IH (S n) k) as (m & L & Em); try tauto. exists m. split; [lia | exact Em]. }
  intros n. destruct (Fin (snd (st n)) n (snd (fst (st n))) eq_refl eq_refl) as (m & L & Em).
  assert (A : snd (fst (st (S m))) = S (snd (fst (st n)))).
  { unfold st in *. cbn [state_at]. rewrite Em. reflexivity. }
  destruct (Fin (snd (st (S m))) (S m) (S (snd (fst (st n)))) eq_refl A) as (m' & L' & Em').
  exists m', (snd (fst (st n))). split; [lia | exact Em'].
Qed.

(** If each round ends with one pending constraint, nothing waits for ever. *)
Lemma rounds_fair : (forall k, length (phi (D (S k))) = 1) -> fair C (fun n => fst (mv n)).
Proof.
  intros One.
  assert (Go : forall d n j, length (phi (C (n + d))) = 1 -> j < length (phi (C n)) -> comes_up (fun n => fst (mv n)) n j).
  { intros d; induction d as [|d IH]; intros n j L J; destruct (state_rounds n) as (_ & _ & _ & N).
    - rewrite Nat.add_0_r in L. replace j with (fst (mv n)); [constructor|].
      remember (C n) as E eqn:EE. remember (C (S n)) as E' eqn:EE'. remember (fst (mv n)) as i eqn:Ei.
      clear EE EE' Ei. destruct N as [E pre c post r e Ep F].
      rewrite Ep, len_app in L, J. simpl in L, J. lia.
    - destruct (Nat.eq_dec j (fst (mv n))) as [->|Ne]; [apply Up_now with (place := fun n => fst (mv n))|].
      apply Up_later; [exact Ne|]. apply IH; [now rewrite Nat.add_succ_comm|].
      assert (Len : length (phi (C n)) <= S (length (phi (C (S n)))) /\ fst (mv n) < length (phi (C n))).
      { remember (C n) as E eqn:EE. remember (C (S n)) as E' eqn:EE'. remember (fst (mv n)) as i eqn:Ei.
        clear - N. destruct N as [E pre c post r e Ep F]. rewrite Ep. unfold next.
        destruct (binds e); cbn [phi]; rewrite ?len_map, !len_app; simpl; lia. }
      destruct (Nat.ltb_spec j (fst (mv n))); lia. }
  intros n j J. destruct (round_ends n) as (m & k & L & Em).
  apply (Go (m - n)); [|exact J]. replace (n + (m - n)) with m by lia. unfold C. rewrite Em. apply One.
Qed.
End Rounds.

(** * F1 *)

Lemma f1_plays : forall k, plays (f1_config k) (f1_moves (S k)) (f1_edges k) (f1_config (S k)).
Proof.
  intros k. destruct (f1_config_shape k) as (Ep & Es & Eu). cbn [f1_config f1_moves]. unfold f1_round.
  change (f1_edges k) with
    (paper_recorded (f1_pending k) (f1_grow k) ++ (paper_recorded (f1_again k) (f1_align k) ++
     (paper_recorded (DLe (DVar k) three) (f1_pin k) ++ (paper_recorded (DEq (DVar k) three) (f1_bind k) ++ [])))).
  set (C1 := next (f1_config k) ([] ++ []) (f1_pending k) (f1_grow k)).
  assert (P1 : phi C1 = [f1_again k; f1_returned k]).
  { unfold C1, next; simpl. rewrite Es, taken_one. simpl. unfold f1_pending, f1_cap, is_mid; simpl.
    rewrite !Nat.eqb_refl. simpl. unfold sub_r; simpl. rewrite ?Nat.eqb_refl.
    replace (match k with 0 => false | S m' => k =? m' end) with (S k =? k) by reflexivity.
    assert (Nk : (S k =? k) = false) by (apply Nat.eqb_neq; lia).
    rewrite ?Nk. reflexivity. }
  apply (Plays_cons _ [] (f1_pending k) [] RI_deficit); [exact Ep | |].
  { apply (F_ri_deficit _ _ _ _ k [] (S (S k)) [k]); try reflexivity.
    - unfold covered; simpl; lia.
    - repeat constructor; simpl; intuition discriminate.
    - intros v [<-|[<-|[]]] J; apply Eu in J; simpl in J; lia. }
  fold C1. clearbody C1.
  set (C2 := next C1 ([] ++ [f1_returned k]) (f1_again k) (f1_align k)).
  assert (P2 : phi C2 = [f1_returned k; DLe (DVar k) three]) by reflexivity.
  apply (Plays_cons _ [] (f1_again k) [f1_returned k] RI_cap); [exact P1 | |fold C2; clearbody C2].
  { apply (F_ri_cap _ _ (RTerm [two] (Some (S (S k))) [DVar k]) (RTerm [] (Some (S k)) [three]) (S k));
      [unfold covered; simpl; lia | reflexivity | discriminate]. }
  set (C3 := next C2 ([f1_returned k] ++ []) (DLe (DVar k) three) (f1_pin k)).
  assert (P3 : phi C3 = [f1_returned k; DEq (DVar k) three]) by reflexivity.
  apply (Plays_cons _ [f1_returned k] (DLe (DVar k) three) [] DI_pin); [exact P2 | apply F_di_pin; exact I|].
  fold C3. clearbody C3.
  apply (Plays_cons _ [f1_returned k] (DEq (DVar k) three) [] DE_bind); [exact P3 | apply F_de_bind; discriminate|].
  apply Plays_nil.
Qed.

Lemma f1_starts : plays (initial finding_f1) (f1_moves 0) [] (f1_config 0).
Proof.
  apply (plays_one _ [] (f1_cap 0) [f1_pending 0] RI_cap); [reflexivity|].
  apply (F_ri_cap _ _ (RTerm [two] (Some 1) []) (rvar_term 0) 0); [unfold covered; simpl; lia | reflexivity | discriminate].
Qed.

(** 5.2(a) says that every fair run on F1's set ends, since it has a rank model. *)
Theorem finding_f1_fair : rank_model finding_f1 (fun _ => 0) /\
  exists C place fs, infinite_run finding_f1 C place fs /\ fair C place /\ never_caught fs.
Proof.
  split; [apply finding_f1_rank_model_but_unsatisfiable|].
  set (D := fun k => match k with 0 => initial finding_f1 | S k => f1_config k end).
  set (es := fun k => match k with 0 => [] | S k => f1_edges k end).
  assert (R : forall k, plays (D k) (f1_moves k) (es k) (D (S k))) by (intros [|k]; [apply f1_starts | apply f1_plays]).
  assert (B : forall k, f1_moves k <> []) by (intros [|k]; discriminate).
  eexists _, _, _. split; [apply (rounds_run D f1_moves es R B); reflexivity | split].
  - apply (rounds_fair D f1_moves es R B). intros k. cbn [D]. destruct (f1_config_shape k) as (-> & _). reflexivity.
  - apply (rounds_caught D f1_moves es R B). intros n. apply prop_4_6. exists (fun p => n + 2 - p).
    intros f J. apply in_flat_map in J as (k & K & J). apply in_seq in K. destruct k as [|k]; [destruct J|].
    destruct J as [<-|[<-|[]]]; unfold fact_holds; simpl; lia.
Qed.

(** * W1 *)

Theorem finding_w1_fair : (~ exists v, rank_model finding_w1 v) /\
  exists C place fs, infinite_run finding_w1 C place fs /\ fair C place /\ never_caught fs.
Proof.
  split; [exact w1_no_rank_model|].
  set (D := fun k => match k with 0 => initial finding_w1 | S k => w1_config k end).
  set (es := fun k => match k with 0 => w1_start_edges | S k => w1_round_edges k end).
  assert (R : forall k, plays (D k) (w1_moves k) (es k) (D (S k))).
  { intros [|k]; unfold D, es, w1_moves.
    - destruct w1_begins as (C & E & P & Ep & Es & Eu). cbn [w1_config]. rewrite E.
      apply (plays_app _ _ _ C); [exact P|]. apply w1_round_shape; try lia; auto.
      + intros J. apply Eu in J. lia.
      + intros d Jd J. apply Eu in J. simpl in Jd. lia.
    - destruct (w1_shape k) as (Ep & Es & Eu). cbn [w1_config]. apply w1_round_shape; try lia; auto.
      + intros J. apply Eu in J. lia.
      + intros d Jd J. apply Eu in J. simpl in Jd. lia. }
  assert (B : forall k, w1_moves k <> []) by (intros [|k]; discriminate).
  eexists _, _, _. split; [apply (rounds_run D w1_moves es R B); reflexivity | split].
  - apply (rounds_fair D w1_moves es R B). intros k. cbn [D]. destruct (w1_shape k) as (-> & _). reflexivity.
  - apply (rounds_caught D w1_moves es R B). intros n. apply prop_4_6. exists (fun p => 3 * (n + 4 - p)).
    intros f J. apply in_flat_map in J as (k & K & J). apply in_seq in K. destruct k as [|k].
    + simpl in J. decompose [or] J; subst; try tauto; unfold fact_holds; cbn [greater lesser weight length_of]; lia.
    + destruct J as [<-|[<-|[]]]; unfold fact_holds; cbn [greater lesser weight length_of]; lia.
Qed.

(** * 4.5a *)

Definition ex_4_5a_at (x y : rvar) (n : nat) (C : config) : Prop :=
  phi C = [ex_4_5a_pending x y [three; two]] /\ store C = [ex_4_5a_cap x y] /\
  forall v, In v (used C) -> match v with DV a => a < n | RV p => p <= y end.

Lemma ex_4_5a_round : forall x y n C, x < y -> ex_4_5a_at x y n C -> exists fs C',
  plays C (ex_4_5a_round_moves x y (S y) n (S n)) fs C' /\ ex_4_5a_at y (S y) (S (S n)) C'.
Proof.
  intros x y n C L (Ep & Es & Eu).
  assert (Nyx : (y =? x) = false) by (apply Nat.eqb_neq; lia).
  assert (Nn : (S n =? n) = false) by (apply Nat.eqb_neq; lia).
  remember (S y) as z eqn:Ez. remember (S n) as b eqn:Eb.
  set (C1 := next C ([] ++ []) (ex_4_5a_pending x y [three; two]) (ex_4_5a_grow x z [n; b])).
  assert (P1 : phi C1 = [RLe (RTerm [DVar n; DVar b] (Some z) []) (RTerm [three; two] (Some y) []);
                         ex_4_5a_pending y z [DVar n; DVar b]] /\ store C1 = [] /\
               used C1 = used C ++ [DV n; DV b; RV z]).
  { unfold C1, next; simpl. rewrite Es, taken_one. simpl. unfold is_mid; simpl. rewrite Nat.eqb_refl. simpl.
    unfold sub_r; simpl. rewrite Nat.eqb_refl, Nyx. simpl. auto. }
  assert (R1 : plays C [(0, ex_4_5a_grow x z [n; b])]
    (paper_recorded (ex_4_5a_pending x y [three; two]) (ex_4_5a_grow x z [n; b])) C1).
  { apply (plays_one _ [] (ex_4_5a_pending x y [three; two]) [] RI_deficit); [exact Ep|].
    apply (F_ri_deficit _ _ _ _ x [n; b] z []); try reflexivity.
    - unfold covered; simpl; lia.
    - subst b. repeat constructor; simpl; intros K; decompose [or] K; try discriminate; try tauto.
      assert (n <> S n) by lia. congruence.
    - intros v J K. apply Eu in K. simpl in J. destruct J as [<-|[<-|[<-|[]]]]; lia. }
  destruct P1 as (P1 & S1 & U1). clearbody C1.
  set (C2 := next C1 ([] ++ [ex_4_5a_pending y z [DVar n; DVar b]])
    (RLe (RTerm [DVar n; DVar b] (Some z) []) (RTerm [three; two] (Some y) []))
    (ex_4_5a_align [DLe (DVar n) three; DLe (DVar b) two] y z)).
  assert (P2 : phi C2 = [ex_4_5a_pending y z [DVar n; DVar b]; DLe (DVar n) three; DLe (DVar b) two] /\
               store C2 = [ex_4_5a_cap y z] /\ used C2 = used C1) by (unfold C2, next; simpl; rewrite S1; auto).
  assert (R2 : exists fs, plays C1 [(0, ex_4_5a_align [DLe (DVar n) three; DLe (DVar b) two] y z)] fs C2).
  { eexists. apply (plays_one _ [] _ [ex_4_5a_pending y z [DVar n; DVar b]] RI_cap); [exact P1|].
    apply (F_ri_cap _ _ (RTerm [DVar n; DVar b] (Some z) []) (RTerm [three; two] (Some y) []) y);
      [unfold covered; simpl; lia | reflexivity |].
    unfold residue, cut, rvar_term; simpl. intros E. injection E as E. lia. }
  destruct P2 as (P2 & S2 & U2). clearbody C2.
  set (C3 := next C2 ([ex_4_5a_pending y z [DVar n; DVar b]] ++ [DLe (DVar b) two]) (DLe (DVar n) three)
    (ex_4_5a_pin n three)).
  assert (P3 : phi C3 = [ex_4_5a_pending y z [DVar n; DVar b]; DLe (DVar b) two; DEq (DVar n) three] /\
               store C3 = [ex_4_5a_cap y z] /\ used C3 = used C2) by (unfold C3, next; simpl; rewrite S2; auto).
  assert (R3 : exists fs, plays C2 [(1, ex_4_5a_pin n three)] fs C3).
  { eexists. apply (plays_one _ [_] _ [_] DI_pin); [exact P2 | apply F_di_pin; exact I]. }
  destruct P3 as (P3 & S3 & U3). clearbody C3.
  set (C4 := next C3 ([ex_4_5a_pending y z [DVar n; DVar b]; DLe (DVar b) two] ++ []) (DEq (DVar n) three)
    (ex_4_5a_bind n three)).
  assert (P4 : phi C4 = [ex_4_5a_pending y z [three; DVar b]; DLe (DVar b) two] /\
               store C4 = [ex_4_5a_cap y z] /\ used C4 = used C3).
  { unfold C4, next; simpl. rewrite S3, taken_one. simpl. unfold sub_r; simpl. rewrite Nat.eqb_refl, Nn, app_nil_r. auto. }
  assert (R4 : exists fs, plays C3 [(2, ex_4_5a_bind n three)] fs C4).
  { eexists. apply (plays_one _ [_; _] _ [] DE_bind); [exact P3 | apply F_de_bind; discriminate]. }
  destruct P4 as (P4 & S4 & U4). clearbody C4.
  set (C5 := next C4 ([ex_4_5a_pending y z [three; DVar b]] ++ []) (DLe (DVar b) two) (ex_4_5a_pin b two)).
  assert (P5 : phi C5 = [ex_4_5a_pending y z [three; DVar b]; DEq (DVar b) two] /\
               store C5 = [ex_4_5a_cap y z] /\ used C5 = used C4) by (unfold C5, next; simpl; rewrite S4; auto).
  assert (R5 : exists fs, plays C4 [(1, ex_4_5a_pin b two)] fs C5).
  { eexists. apply (plays_one _ [_] _ [] DI_pin); [exact P4 | apply F_di_pin; exact I]. }
  destruct P5 as (P5 & S5 & U5). clearbody C5.
  set (C6 := next C5 ([ex_4_5a_pending y z [three; DVar b]] ++ []) (DEq (DVar b) two) (ex_4_5a_bind b two)).
  assert (P6 : phi C6 = [ex_4_5a_pending y z [three; two]] /\
               store C6 = [ex_4_5a_cap y z] /\ used C6 = used C5).
  { unfold C6, next; simpl. rewrite S5, taken_one. simpl. unfold sub_r; simpl. rewrite Nat.eqb_refl, app_nil_r. auto. }
  assert (R6 : exists fs, plays C5 [(1, ex_4_5a_bind b two)] fs C6).
  { eexists. apply (plays_one _ [_] _ [] DE_bind); [exact P5 | apply F_de_bind; discriminate]. }
  destruct P6 as (P6 & S6 & U6). clearbody C6.
  destruct R2 as (f2 & R2), R3 as (f3 & R3), R4 as (f4 & R4), R5 as (f5 & R5), R6 as (f6 & R6).
  eexists _, C6. split.
  - exact (plays_app _ [_] _ _ _ _ _ R1 (plays_app _ [_] _ _ _ _ _ R2 (plays_app _ [_] _ _ _ _ _ R3
      (plays_app _ [_] _ _ _ _ _ R4 (plays_app _ [_] _ _ _ _ _ R5 R6))))).
  - split; [exact P6 | split; [exact S6|]].
    rewrite U6, U5, U4, U3, U2, U1. intros v J. rewrite in_app_iff in J. destruct J as [J|J].
    + apply Eu in J. destruct v; lia.
    + simpl in J. destruct J as [<-|[<-|[<-|[]]]]; lia.
Qed.

Lemma ex_4_5a_starts : exists fs C, plays (initial example_4_5a) (ex_4_5a_moves 0) fs C /\ ex_4_5a_at 1 2 1 C.
Proof.
  eexists _, _. split.
  - unfold ex_4_5a_moves.
    eapply (Plays_cons _ [] _ [_] RI_deficit); [reflexivity | |].
    { apply (F_ri_deficit _ _ _ _ 0 [0] 2 []); try reflexivity.
      - unfold covered; simpl; lia.
      - repeat constructor; simpl; intuition discriminate.
      - intros v J K. simpl in J, K. decompose [or] J; subst; decompose [or] K; try discriminate; tauto. }
    eapply (Plays_cons _ [_] _ [] RI_cap); [reflexivity | |].
    { apply (F_ri_cap _ _ (RTerm [DVar 0] (Some 2) []) (RTerm [two] (Some 1) []) 1);
        [unfold covered; simpl; lia | reflexivity | discriminate]. }
    eapply (Plays_cons _ [_] _ [] DI_pin); [reflexivity | apply F_di_pin; exact I |].
    eapply (Plays_cons _ [_] _ [] DE_bind); [reflexivity | apply F_de_bind; discriminate |].
    apply Plays_nil.
  - split; [reflexivity | split; [reflexivity|]].
    intros v J. simpl in J. decompose [or] J; subst; try tauto; lia.
Qed.

(** What is played, as functions. *)
Lemma plays_fun : forall C ms fs C', plays C ms fs C' -> C' = fold_left perform ms C /\ fs = recorded_by C ms.
Proof.
  intros C ms fs C' P; induction P as [C|C pre c post r e ms fs C' Ep F P [-> ->]]; [auto|].
  destruct (perform_at C pre c post e Ep) as [Pe Pt]. cbn [fold_left recorded_by fst snd]. now rewrite Pe, Pt.
Qed.

(** 4.5a: the rules alone go on for ever, on a fair run. *)
Theorem example_4_5a_diverges : exists C place fs, infinite_run example_4_5a C place fs /\ fair C place.
Proof.
  set (D := fix D k := match k with 0 => initial example_4_5a | S k => fold_left perform (ex_4_5a_moves k) (D k) end).
  set (es := fun k => recorded_by (D k) (ex_4_5a_moves k)).
  assert (S0 : ex_4_5a_at 1 2 1 (D 1) /\ plays (D 0) (ex_4_5a_moves 0) (es 0) (D 1)).
  { destruct ex_4_5a_starts as (fs & C & P & A). destruct (plays_fun _ _ _ _ P) as [E1 E2].
    unfold es. cbn [D]. rewrite <- E1, <- E2. auto. }
  assert (A : forall k, ex_4_5a_at (1 + k) (2 + k) (1 + 2 * k) (D (S k)) /\
    plays (D k) (ex_4_5a_moves k) (es k) (D (S k))).
  { intros k; induction k as [|k [A _]]; [exact S0|].
    destruct (ex_4_5a_round _ _ _ _ (Nat.lt_succ_diag_r (1 + k)) A) as (fs & C & P & A').
    change (plays (D (S k)) (ex_4_5a_moves (S k)) fs C) in P. destruct (plays_fun _ _ _ _ P) as [E1 E2].
    unfold es. change (D (S (S k))) with (fold_left perform (ex_4_5a_moves (S k)) (D (S k))).
    rewrite <- E1, <- E2. split; [|exact P].
    replace (1 + 2 * S k) with (S (S (1 + 2 * k))) by lia. exact A'. }
  assert (R : forall k, plays (D k) (ex_4_5a_moves k) (es k) (D (S k))) by (intros k; apply A).
  assert (B : forall k, ex_4_5a_moves k <> []) by (intros [|k]; discriminate).
  eexists _, _, _. split; [apply (rounds_run D ex_4_5a_moves es R B); reflexivity|].
  apply (rounds_fair D ex_4_5a_moves es R B). intros k. destruct (A k) as ((-> & _) & _). reflexivity.
Qed.
