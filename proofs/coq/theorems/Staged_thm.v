(** 8.1, and 8.4(b) relative to Hilbert's tenth problem. *)

From Coq Require Import PArith List Bool Arith Permutation Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm Solved Solved_thm Staged.
Import ListNotations.

(** * 8.1 *)

Lemma margin_eq : forall x y, left_margin x = left_margin y -> right_margin x = right_margin y -> x = y.
Proof. intros [a b] [c d]; simpl; congruence. Qed.

Lemma margin_bound : forall l x, In x l ->
  left_margin x <= left_margin (margin_of l) /\ right_margin x <= right_margin (margin_of l).
Proof.
  intros l; induction l as [|y l IH]; intros x J; [destruct J|]. simpl in *. destruct J as [->|J]; [lia|].
  destruct (IH x J). lia.
Qed.

Lemma margin_least : forall l m, (forall x, In x l -> left_margin x <= left_margin m /\ right_margin x <= right_margin m) ->
  left_margin (margin_of l) <= left_margin m /\ right_margin (margin_of l) <= right_margin m.
Proof.
  intros l; induction l as [|y l IH]; intros m B; simpl; [lia|].
  destruct (B y) as [Y1 Y2]; [simpl; auto|]. destruct (IH m) as [I1 I2]; [intros x J; apply B; simpl; auto | lia].
Qed.

(** The margin depends only on which uses there are: neither on their order nor on how
    often they are met. *)
Theorem prop_8_1 : forall l k, (forall x, In x l <-> In x k) -> margin_of l = margin_of k.
Proof.
  intros l k E.
  destruct (margin_least l (margin_of k)) as [A1 A2]; [intros x J; apply margin_bound, E, J|].
  destruct (margin_least k (margin_of l)) as [B1 B2]; [intros x J; apply margin_bound, E, J|].
  apply margin_eq; lia.
Qed.

Theorem prop_8_1_order : forall l k, Permutation l k -> margin_of l = margin_of k.
Proof.
  intros l k P. apply prop_8_1. intros x. split; intros J; [eapply Permutation_in; eauto|].
  eapply Permutation_in; [apply Permutation_sym|]; eauto.
Qed.

(** * 8.4(b) *)

(** Sizes as a ground substitution, all of basis default. *)
Definition sized (s : nat -> positive) : ground := Ground (fun a => num (s a)) (fun _ => empty_row).

(** What the four claims say, for any values. *)
Lemma number_iff : forall g z k, claim_holds g (is_number z k) <-> count (g_d g z) = k.
Proof. intros g z k. unfold claim_holds, is_number, elements, product; simpl. split; lia. Qed.

Lemma sum_says : forall g z x y, claim_holds g (is_sum z x y) -> count (g_d g z) = (count (g_d g x) + count (g_d g y))%positive.
Proof. intros g z x y [E _]. exact E. Qed.

Lemma sum_of_sizes : forall s z x y, s z = (s x + s y)%positive -> claim_holds (sized s) (is_sum z x y).
Proof. intros s z x y E. split; [exact E | reflexivity]. Qed.

Lemma product_iff : forall g z x y,
  claim_holds g (is_product z x y) <-> count (g_d g z) = (count (g_d g x) * count (g_d g y))%positive.
Proof. intros g z x y. unfold claim_holds, is_product, elements, product; simpl. split; lia. Qed.

Lemma same_iff : forall g x y, claim_holds g (is_same x y) <-> count (g_d g x) = count (g_d g y).
Proof. intros g x y. unfold claim_holds, is_same, elements, product; simpl. split; lia. Qed.

Lemma claims_app : forall g l k, claims_hold g (l ++ k) <-> claims_hold g l /\ claims_hold g k.
Proof.
  intros g l k. unfold claims_hold. split.
  - intros A. split; intros c J; apply A, in_app_iff; auto.
  - intros [A B] c J. apply in_app_iff in J as [J|J]; auto.
Qed.

Lemma claims_one : forall g c, claims_hold g [c] <-> claim_holds g c.
Proof. intros g c. unfold claims_hold. split; [intros A; apply A; simpl; auto | intros A d [<-|[]]; exact A]. Qed.

(** Where the claims hold, the variable of a term has its value. *)
Lemma reduce_sound : forall g e n, let '(cs, x, m) := reduce n e in
  claims_hold g cs -> count (g_d g x) = value_of (fun a => count (g_d g a)) e.
Proof.
  intros g e; induction e as [x|k|e IHe f IHf|e IHe f IHf]; intros n; simpl.
  - auto.
  - rewrite claims_one, number_iff. auto.
  - specialize (IHe n). destruct (reduce n e) as [[ce x] n1]. specialize (IHf n1).
    destruct (reduce n1 f) as [[cf y] n2]. rewrite !claims_app, claims_one. intros (A & B & D).
    apply sum_says in D. now rewrite D, IHe, IHf.
  - specialize (IHe n). destruct (reduce n e) as [[ce x] n1]. specialize (IHf n1).
    destruct (reduce n1 f) as [[cf y] n2]. rewrite !claims_app, claims_one, product_iff. intros (A & B & D).
    now rewrite D, IHe, IHf.
Qed.

Lemma reduce_system_sound : forall g sys n, claims_hold g (reduce_system n sys) ->
  forall e f, In (e, f) sys -> value_of (fun a => count (g_d g a)) e = value_of (fun a => count (g_d g a)) f.
Proof.
  intros g sys; induction sys as [|[e0 f0] sys IH]; intros n A e f J; [destruct J|]. simpl in A.
  pose proof (reduce_sound g e0 n) as Se. destruct (reduce n e0) as [[ce x] n1].
  pose proof (reduce_sound g f0 n1) as Sf. destruct (reduce n1 f0) as [[cf y] n2].
  rewrite !claims_app, claims_one, same_iff in A. destruct A as ((A & B & D) & E).
  destruct J as [J|J]; [injection J as <- <-; now rewrite <- Se, <- Sf | eapply IH; eauto].
Qed.

(** Values below n stay, and the claims on fresh variables are made true. *)
Definition below_same (n : nat) (s t : nat -> positive) : Prop := forall a, a < n -> s a = t a.

Definition stable (n : nat) (cs : list claim) (s : nat -> positive) : Prop :=
  forall t, below_same n s t -> claims_hold (sized t) cs.

Lemma value_below : forall e s t n, above e <= n -> below_same n s t -> value_of s e = value_of t e.
Proof.
  intros e; induction e as [x|k|e IHe f IHf|e IHe f IHf]; intros s t n L B; simpl in *; auto.
  - rewrite (IHe s t n), (IHf s t n); auto; lia.
  - rewrite (IHe s t n), (IHf s t n); auto; lia.
Qed.

Definition put (n : nat) (v : positive) (s : nat -> positive) : nat -> positive :=
  fun a => if Nat.eqb a n then v else s a.

Lemma put_below : forall n v s, below_same n s (put n v s).
Proof. intros n v s a L. unfold put. destruct (Nat.eqb_spec a n); [lia | auto]. Qed.

Lemma put_at : forall n v s, put n v s n = v.
Proof. intros n v s. unfold put. now rewrite Nat.eqb_refl. Qed.

Lemma below_trans : forall n m s t u, n <= m -> below_same n s t -> below_same m t u -> below_same n s u.
Proof. intros n m s t u L A B a La. rewrite A, B; auto; lia. Qed.

Lemma reduce_complete : forall e n s, above e <= n -> let '(cs, x, m) := reduce n e in
  n <= m /\ x < m /\ exists t, below_same n s t /\ t x = value_of s e /\ stable m cs t.
Proof.
  intros e; induction e as [x|k|e IHe f IHf|e IHe f IHf]; intros n s L; simpl in *.
  - split; [lia | split; [lia|]]. exists s. split; [intros a _; auto | split; [auto|]]. intros t _ c [].
  - split; [lia | split; [lia|]]. exists (put n k s). split; [apply put_below | split; [apply put_at|]].
    intros t B. rewrite claims_one, number_iff. simpl. rewrite <- B by lia. apply put_at.
  - specialize (IHe n s ltac:(lia)). destruct (reduce n e) as [[ce x] n1].
    destruct IHe as (L1 & X1 & t1 & B1 & V1 & S1). specialize (IHf n1 t1 ltac:(lia)).
    destruct (reduce n1 f) as [[cf y] n2]. destruct IHf as (L2 & X2 & t2 & B2 & V2 & S2).
    split; [lia | split; [lia|]]. exists (put n2 (value_of s e + value_of s f) t2).
    pose proof (put_below n2 (value_of s e + value_of s f) t2) as B3.
    split; [apply (below_trans n n1 s t1); [lia | auto |]; apply (below_trans n1 n2 t1 t2); auto|].
    split; [apply put_at|]. intros t B. rewrite !claims_app, claims_one.
    assert (Bt : below_same n2 t2 t) by (apply (below_trans n2 (S n2) t2 (put n2 (value_of s e + value_of s f) t2)); auto).
    split; [apply S1, (below_trans n1 n2 t1 t2); auto | split; [apply S2; auto|]].
    apply sum_of_sizes. rewrite <- (B n2) by lia. rewrite put_at.
    rewrite <- (Bt x) by lia. rewrite <- (Bt y) by lia. rewrite <- (B2 x) by lia.
    rewrite V1, V2. f_equal. apply (value_below f s t1 n); auto; lia.
  - specialize (IHe n s ltac:(lia)). destruct (reduce n e) as [[ce x] n1].
    destruct IHe as (L1 & X1 & t1 & B1 & V1 & S1). specialize (IHf n1 t1 ltac:(lia)).
    destruct (reduce n1 f) as [[cf y] n2]. destruct IHf as (L2 & X2 & t2 & B2 & V2 & S2).
    split; [lia | split; [lia|]]. exists (put n2 (value_of s e * value_of s f) t2).
    pose proof (put_below n2 (value_of s e * value_of s f) t2) as B3.
    split; [apply (below_trans n n1 s t1); [lia | auto |]; apply (below_trans n1 n2 t1 t2); auto|].
    split; [apply put_at|]. intros t B. rewrite !claims_app, claims_one.
    assert (Bt : below_same n2 t2 t) by (apply (below_trans n2 (S n2) t2 (put n2 (value_of s e * value_of s f) t2)); auto).
    split; [apply S1, (below_trans n1 n2 t1 t2); auto | split; [apply S2; auto|]].
    apply product_iff. simpl. rewrite <- (B n2) by lia. rewrite put_at.
    rewrite <- (Bt x) by lia. rewrite <- (Bt y) by lia. rewrite <- (B2 x) by lia.
    rewrite V1, V2. f_equal. apply (value_below f s t1 n); auto; lia.
Qed.

Lemma reduce_system_complete : forall sys n s, (forall e f, In (e, f) sys -> above e <= n /\ above f <= n) ->
  (forall e f, In (e, f) sys -> value_of s e = value_of s f) ->
  exists t, below_same n s t /\ claims_hold (sized t) (reduce_system n sys).
Proof.
  intros sys; induction sys as [|[e f] sys IH]; intros n s L E; simpl.
  - exists s. split; [intros a _; auto | intros c []].
  - destruct (L e f) as [Le Lf]; [simpl; auto|].
    pose proof (reduce_complete e n s Le) as Ce. destruct (reduce n e) as [[ce x] n1].
    destruct Ce as (L1 & X1 & t1 & B1 & V1 & S1).
    pose proof (reduce_complete f n1 t1 ltac:(lia)) as Cf. destruct (reduce n1 f) as [[cf y] n2].
    destruct Cf as (L2 & X2 & t2 & B2 & V2 & S2).
    assert (B12 : below_same n s t2) by (apply (below_trans n n1 s t1); auto).
    destruct (IH n2 t2) as (t & B & A).
    + intros e' f' J. destruct (L e' f'); [simpl; auto | lia].
    + intros e' f' J. destruct (L e' f') as [Le' Lf']; [simpl; auto|].
      rewrite <- (value_below e' s t2 n), <- (value_below f' s t2 n) by auto. apply E; simpl; auto.
    + exists t. split; [apply (below_trans n n2 s t2); auto; lia|].
      rewrite !claims_app, claims_one. split; [split; [|split]|exact A].
      * apply S1, (below_trans n1 n2 t1 t2); auto.
      * apply S2; auto.
      * apply same_iff. simpl. rewrite <- (B x), <- (B y) by lia. rewrite <- (B2 x) by lia.
        rewrite V1, V2. rewrite <- (value_below f s t1 n) by auto. apply E; simpl; auto.
Qed.

(** Each system of polynomial equations becomes a set of claims that can be satisfied iff
    the equations have a solution in positive integers. *)
Theorem conj_8_4_b_reduction : forall sys, claims_satisfiable (claims_of sys) <-> solvable sys.
Proof.
  intros sys. unfold claims_of. set (n := list_max _). split.
  - intros (g & A). exists (fun a => count (g_d g a)). intros e f J. eapply reduce_system_sound; eauto.
  - intros (s & E). destruct (reduce_system_complete sys n s) as (t & _ & A); [|auto | exists (sized t); exact A].
    intros e f J.
    assert (M : Nat.max (above e) (above f) <= n).
    { assert (F : Forall (fun k => k <= n) (map (fun ef => Nat.max (above (fst ef)) (above (snd ef))) sys))
        by (apply list_max_le; auto).
      rewrite Forall_forall in F. apply F. apply in_map_iff. exists (e, f). auto. }
    lia.
Qed.

(** So a procedure that decides claims decides Diophantine equations. *)
Theorem conj_8_4_b : forall decide : list claim -> bool,
  (forall cs, decide cs = true <-> claims_satisfiable cs) ->
  forall sys, decide (claims_of sys) = true <-> solvable sys.
Proof. intros decide D sys. rewrite D. apply conj_8_4_b_reduction. Qed.

(** * 8.4(b): what solved forms cannot say *)

(** One size that becomes 1∅. *)
Definition raise_six (d : dim) : dim := if dim_eqb d (num 6) then Unit else d.

Lemma raise_le : forall d e v, d ⊑d e -> v = d \/ v = raise_six d -> v ⊑d raise_six e.
Proof.
  intros d e v [-> | ->] V; [now left|]. unfold raise_six in *. destruct (dim_eqb e (num 6)) eqn:E; [now left|].
  destruct V as [-> | ->]; now right.
Qed.

(** No substitution with a store of caps has exactly the solutions of z = x·y: 5.6(1) fails
    for claims. *)
Theorem conj_8_4_b_no_representation : ~ exists s B, solved_form s B /\
  forall g, claim_holds g (is_product 2 0 1) <->
    exists h, agree_on [DV 0; DV 1; DV 2] g h /\ respects h s /\ sol B h.
Proof.
  intros (s & B & (Id & Res) & Rep).
  set (G := fun b c => Ground (fun i => match i with 0 => num 2 | 1 => num b | _ => num c end) (fun _ => empty_row)).
  destruct (proj1 (Rep (G 3 6)%positive)) as (h & Ah & Rh & Bh); [now apply product_iff|].
  destruct (proj1 (Rep (G 5 10)%positive)) as (h2 & A2 & R2 & _); [now apply product_iff|].
  assert (Vx : g_d h 0 = num 2) by (symmetry; apply (Ah (DV 0)); simpl; auto).
  assert (Vy : g_d h 1 = num 3) by (symmetry; apply (Ah (DV 1)); simpl; auto).
  assert (Vz : g_d h 2 = num 6) by (symmetry; apply (Ah (DV 2)); simpl; auto).
  assert (Hz : g_d h2 2 = num 10) by (symmetry; apply (A2 (DV 2)); simpl; auto).
  assert (Rd : forall a, ground_d h (on_d s a) = g_d h a) by (intros a; exact (Rh (DV a))).
  set (k := Ground (fun a => raise_six (g_d h a)) (fun _ => empty_row)).
  assert (Val : forall a, g_d (ground_comp k s) a = g_d h a \/ g_d (ground_comp k s) a = raise_six (g_d h a)).
  { intros a. specialize (Rd a). simpl. destruct (on_d s a) as [b|d]; simpl in *; [right | left]; congruence. }
  assert (Small : forall a d, g_d h a = d -> d <> num 6 -> g_d (ground_comp k s) a = d).
  { intros a d E N. assert (F : raise_six d = d).
    { unfold raise_six. destruct (dim_eqb d (num 6)) eqn:X; [apply dim_eqb_eq in X; contradiction | auto]. }
    destruct (Val a) as [V|V]; rewrite V, E; auto. }
  assert (Z : g_d (ground_comp k s) 2 = Unit).
  { simpl. specialize (Rd 2). pose proof (R2 (DV 2)) as Rz. simpl in Rz. destruct (on_d s 2) as [z|d]; simpl in *.
    - rewrite Rd, Vz. reflexivity.
    - assert (E : num 6 = num 10) by congruence. discriminate. }
  assert (Hs : claim_holds (ground_comp k s) (is_product 2 0 1)).
  { apply Rep. exists (ground_comp k s). split; [intros [a|p] _; reflexivity | split; [now apply comp_respects|]].
    intros c J. specialize (Res c J). specialize (Bh c J). destruct c as [t u|t u|R Q|R Q]; simpl in Res; try tauto.
    - destruct u as [a|d]; [|tauto]. unfold fixes in Res. simpl in Res. injection Res as Fa.
      assert (Ea : g_d (ground_comp k s) a = raise_six (g_d h a)) by (simpl; now rewrite Fa).
      change (ground_d (ground_comp k s) t ⊑d g_d (ground_comp k s) a). rewrite Ea. simpl in Bh.
      apply (raise_le (ground_d h t)); [exact Bh|]. destruct t as [b|d]; [exact (Val b) | now left].
    - destruct Res as (p & -> & Fp). unfold fixes in Fp. simpl in Fp. rewrite sub_rvar in Fp. injection Fp as Fp.
      simpl. rewrite (ground_rvar (ground_comp k s)). simpl. rewrite Fp, ground_rvar. apply prop_2_6_empty_greatest. }
  apply product_iff in Hs. rewrite Z, (Small 0 (num 2) Vx), (Small 1 (num 3) Vy) in Hs by discriminate. discriminate.
Qed.
