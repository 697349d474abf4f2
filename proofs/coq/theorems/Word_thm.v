(** CL-word: a deferred equation s<x> ≈ <y>t is closed at a solution of fewest axes,
    if it has a solution.  With two variables it always has one, with one variable
    iff s can be turned into t. *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Semantics Rules Tactics Solved
  Runs Runs_thm Closing Closing_thm Close.
Import ListNotations.

(** * The first number that passes a test *)

Lemma find_least : forall f n k,
  match List.find f (seq k n) with
  | Some j => k <= j < k + n /\ f j = true /\ forall i, k <= i < j -> f i = false
  | None => forall i, k <= i < k + n -> f i = false
  end.
Proof.
  intros f n; induction n as [|n IH]; intros k; simpl; [intros i L; lia|].
  destruct (f k) eqn:E; [split; [lia | split; [exact E | intros i L; lia]]|].
  specialize (IH (S k)). destruct (List.find f (seq (S k) n)) as [j|].
  - destruct IH as (L & T & F). split; [lia | split; [exact T|]]. intros i Li.
    destruct (Nat.eq_dec i k) as [->|D]; [exact E | apply F; lia].
  - intros i Li. destruct (Nat.eq_dec i k) as [->|D]; [exact E | apply IH; lia].
Qed.

Lemma first_of_least : forall f n,
  match first_of f n with
  | Some j => j < n /\ f j = true /\ forall i, i < j -> f i = false
  | None => forall i, i < n -> f i = false
  end.
Proof.
  intros f n. unfold first_of. pose proof (find_least f n 0) as H. destruct (List.find f (seq 0 n)) as [j|].
  - destruct H as (L & T & F). split; [lia | split; [exact T | intros i Li; apply F; lia]].
  - intros i Li. apply H. lia.
Qed.

(** * Pairs of terms that can be made equal *)

Definition equates (g : ground) (l : list (dterm * dterm)) : Prop :=
  forall t u, In (t, u) l -> ground_d g t = ground_d g u.

Lemma equates_cons : forall g t u l, equates g ((t, u) :: l) <-> ground_d g t = ground_d g u /\ equates g l.
Proof.
  intros g t u l. split.
  - intros H. split; [apply H; now left | intros v w I; apply H; now right].
  - intros [E H] v w [I|I]; [injection I as <- <-; exact E | now apply H].
Qed.

(** One variable has another value. *)
Definition with_dim (g : ground) (a : dvar) (d : dim) : ground :=
  Ground (fun b => if Nat.eqb a b then d else g_d g b) (g_r g).

Lemma put_with : forall g a t u, ground_d (with_dim g a (ground_d g t)) u = ground_d g (put_for a t u).
Proof. intros g a t [b|d]; simpl; [now destruct (Nat.eqb a b) | reflexivity]. Qed.

Lemma put_equal : forall g a t u, g_d g a = ground_d g t -> ground_d g (put_for a t u) = ground_d g u.
Proof. intros g a t [b|d] E; simpl; [|reflexivity]. destruct (Nat.eqb_spec a b) as [<-|D]; simpl; auto. Qed.

Lemma put_own : forall a t, put_for a t t = t.
Proof. intros a [b|d]; simpl; [now destruct (Nat.eqb a b) | reflexivity]. Qed.

Definition put_all (a : dvar) (t : dterm) (l : list (dterm * dterm)) : list (dterm * dterm) :=
  map (fun x => (put_for a t (fst x), put_for a t (snd x))) l.

Lemma equates_put : forall g a t l, equates (with_dim g a (ground_d g t)) l <-> equates g (put_all a t l).
Proof.
  intros g a t l; induction l as [|[v w] l IH]; simpl; [split; intros H v w []|].
  rewrite !equates_cons, IH, !put_with. reflexivity.
Qed.

(** No occurs check: a term is a variable or a constant.  A variable that is put
    for itself stays. *)
Lemma equates_bind : forall a t l,
  (exists g, equates g ((DVar a, t) :: l)) <-> exists g, equates g (put_all a t l).
Proof.
  intros a t l. split; intros (g & H).
  - apply equates_cons in H as [E H]. exists g. intros v w I.
    apply in_map_iff in I as ([v' w'] & Ep & I). simpl in Ep. injection Ep as <- <-.
    rewrite !put_equal by exact E. now apply H.
  - exists (with_dim g a (ground_d g t)). apply equates_cons. split; [|now apply equates_put].
    rewrite !put_with, put_own. simpl. now rewrite Nat.eqb_refl.
Qed.

Lemma equates_swap : forall g t u l, equates g ((t, u) :: l) <-> equates g ((u, t) :: l).
Proof. intros g t u l. rewrite !equates_cons. split; intros [E H]; auto. Qed.

Lemma unifiable_from_iff : forall n l, length l <= n -> unifiable_from n l = true <-> exists g, equates g l.
Proof.
  intros n; induction n as [|n IH]; intros l L.
  - destruct l as [|x l]; [|simpl in L; lia]. split; [|reflexivity].
    intros _. exists top. intros t u [].
  - assert (B : forall a t k, length k <= n -> unifiable_from n (put_all a t k) = true <->
      exists g, equates g ((DVar a, t) :: k)).
    { intros a t k Lk. rewrite equates_bind. apply IH. unfold put_all. now rewrite len_map. }
    destruct l as [|[t u] l]; simpl in L.
    + split; [|reflexivity]. intros _. exists top. intros t u [].
    + apply le_S_n in L. destruct t as [a|d]; [exact (B a u l L)|]. destruct u as [a|e].
      * etransitivity; [exact (B a (DConst d) l L)|]. split; intros (g & H); exists g; now apply equates_swap.
      * simpl. rewrite andb_true_iff, dim_eqb_eq, (IH l L). split.
        -- intros [-> (g & H)]. exists g. now apply equates_cons.
        -- intros (g & H). apply equates_cons in H as [E H]. simpl in E. eauto.
Qed.

(** CL-word: the test says whether values can be given to the variables that make
    the terms of every pair equal. *)
Theorem cl_word_unifiable : forall l,
  unifiable l = true <-> exists g, forall t u, In (t, u) l -> ground_d g t = ground_d g u.
Proof. intros l. exact (unifiable_from_iff (length l) l (le_n _)). Qed.

(** Term by term, as far as the first sequence goes. *)
Lemma equates_combine : forall g k l, length k <= length l ->
  equates g (combine k l) <-> map (ground_d g) k = firstn (length k) (map (ground_d g) l).
Proof.
  intros g k; induction k as [|t k IH]; intros [|u l] L; simpl in *; try lia;
    try (split; [reflexivity | intros _ v w []]).
  rewrite equates_cons, IH by lia. split; [intros [-> ->]; reflexivity | intros E; injection E; auto].
Qed.

Lemma unifiable_front : forall k l, length k <= length l ->
  unifiable (combine k l) = true <-> exists g, map (ground_d g) k = firstn (length k) (map (ground_d g) l).
Proof.
  intros k l L. rewrite cl_word_unifiable. split; intros (g & H); exists g; now apply (equates_combine g k l L).
Qed.

Lemma unifiable_same : forall k l, length k = length l ->
  unifiable (combine k l) = true <-> exists g, map (ground_d g) k = map (ground_d g) l.
Proof.
  intros k l L. rewrite unifiable_front by lia.
  assert (A : forall g, firstn (length k) (map (ground_d g) l) = map (ground_d g) l).
  { intros g. rewrite L, <- (len_map _ _ (ground_d g) l). apply firstn_all. }
  split; intros (g & E); exists g; now rewrite A in *.
Qed.

(** * Words *)

(** If Y is not longer than s, it is the front of s. *)
Lemma word_split : forall s X Y t : list dim, s ++ X = Y ++ t -> length Y <= length s ->
  Y = firstn (length Y) s /\ skipn (length Y) s ++ X = t.
Proof.
  intros s X Y; revert s; induction Y as [|d Y IH]; intros [|e s] t E L; simpl in *; try lia; auto.
  injection E as -> E. destruct (IH s t E) as [F G]; [lia|]. split; [now f_equal | exact G].
Qed.

(** A solution of sX = Xt is as many times s as fit, and then a front of s that
    turns s into t. *)
Lemma word_turn : forall (s t X : list dim), s <> [] -> s ++ X = X ++ t ->
  exists j, j < length s /\ j <= length X /\ skipn j s ++ firstn j s = t.
Proof.
  intros s t X N. remember (length X) as n eqn:En. revert X En.
  induction n as [n IH] using lt_wf_ind. intros X -> E. destruct (le_lt_dec (length s) (length X)) as [L|L].
  - destruct (word_split X t s X) as [F G]; [auto | auto|].
    rewrite <- (firstn_skipn (length s) X), <- F in E. rewrite <- app_assoc in E. apply app_inv_head in E.
    destruct (IH (length (skipn (length s) X))) with (X := skipn (length s) X) as (j & Lj & Lx & T); auto.
    + rewrite len_skipn. assert (length s <> 0) by (intros Z; now apply length_zero_iff_nil in Z). lia.
    + exists j. rewrite len_skipn in Lx. split; [auto | split; [lia | exact T]].
  - destruct (word_split s X X t E) as [F G]; [lia|]. exists (length X). split; [auto | split; [auto|]]. now rewrite <- F.
Qed.

(** * Equations *)

(** s<x> ≈ <y>t. *)
Definition word (s : list dterm) (x y : rvar) (t : list dterm) : constr :=
  REq (RTerm s (Some x) []) (RTerm [] (Some y) t).

Lemma word_holds : forall g s x y t, holds g (word s x y t) <->
  map (ground_d g) s ++ flat (g_r g x) = flat (g_r g y) ++ map (ground_d g) t.
Proof.
  intros g s x y t. simpl. unfold flat_equiv, flat; simpl. rewrite app_nil_r, !app_assoc. reflexivity.
Qed.

Lemma word_ranks : forall g s x y t, holds g (word s x y t) ->
  length s + rank (g_r g x) = rank (g_r g y) + length t.
Proof.
  intros g s x y t H. apply word_holds in H. apply (f_equal (@length _)) in H.
  now rewrite !len_app, !len_map, !flat_length in H.
Qed.

Lemma value_rank : forall g j s, j <= length s -> rank (ground_r g (RTerm [] None (firstn j s))) = j.
Proof. intros g j s L. unfold rank, ground_r; simpl. rewrite len_map, len_firstn. lia. Qed.

(** Two variables have other values; if they are one, it has the first. *)
Definition with_rows (g : ground) (y : rvar) (Y : row) (x : rvar) (X : row) : ground :=
  Ground (g_d g) (fun p => if Nat.eqb p y then Y else if Nat.eqb p x then X else g_r g p).

Lemma with_rows_d : forall g y Y x X t, ground_d (with_rows g y Y x X) t = ground_d g t.
Proof. intros g y Y x X [a|d]; reflexivity. Qed.

Lemma with_rows_l : forall g y Y x X l, map (ground_d (with_rows g y Y x X)) l = map (ground_d g) l.
Proof. intros g y Y x X l. apply map_ext. intros t. apply with_rows_d. Qed.

(** Values that fit make a solution; if x and y are one variable, it must be one value. *)
Lemma word_build : forall g s x y t j X, x <> y \/ X = [] ·⋄· firstn j (map (ground_d g) s) ->
  map (ground_d g) s ++ flat X = firstn j (map (ground_d g) s) ++ map (ground_d g) t ->
  exists h, holds h (word s x y t) /\ g_r h y = ground_r h (RTerm [] None (firstn j s)).
Proof.
  intros g s x y t j X D E. set (Y := [] ·⋄· firstn j (map (ground_d g) s)).
  exists (with_rows g y Y x X). split.
  - apply word_holds. rewrite !with_rows_l. simpl. rewrite !Nat.eqb_refl.
    destruct (Nat.eqb_spec x y) as [->|N]; [|exact E].
    destruct D as [D|D]; [congruence|]. subst X. exact E.
  - simpl. rewrite Nat.eqb_refl. unfold ground_r, Y. simpl. now rewrite with_rows_l, firstn_map.
Qed.

(** ** Two variables *)

Definition overlaps (s t : list dterm) (j : nat) : bool :=
  (length s - j <=? length t) && unifiable (combine (skipn j s) t).

Lemma overlaps_iff : forall s t j,
  overlaps s t j = true <-> exists g X, skipn j (map (ground_d g) s) ++ X = map (ground_d g) t.
Proof.
  intros s t j. unfold overlaps. rewrite andb_true_iff, Nat.leb_le, <- len_skipn. split.
  - intros [L U]. apply (unifiable_front _ _ L) in U as (g & E). exists g, (skipn (length (skipn j s)) (map (ground_d g) t)).
    rewrite skipn_map, E. apply firstn_skipn.
  - intros (g & X & E). rewrite skipn_map in E.
    assert (L : length (skipn j s) <= length t).
    { apply (f_equal (@length _)) in E. rewrite len_app, !len_map in E. lia. }
    split; [exact L|]. apply (unifiable_front _ _ L). exists g.
    rewrite <- E, <- (len_map _ _ (ground_d g) (skipn j s)), firstn_app, Nat.sub_diag, firstn_all.
    simpl. now rewrite app_nil_r.
Qed.

Lemma overlap_found : forall s t, overlap s t <= length s /\
  exists g X, skipn (overlap s t) (map (ground_d g) s) ++ X = map (ground_d g) t.
Proof.
  intros s t. pose proof (first_of_least (overlaps s t) (length s)) as H.
  change (overlap s t) with (match first_of (overlaps s t) (length s) with Some j => j | None => length s end).
  destruct (first_of (overlaps s t) (length s)) as [j|].
  - destruct H as (L & T & _). split; [lia | now apply overlaps_iff].
  - split; [lia|]. exists top. eexists.
    rewrite <- (len_map _ _ (ground_d top) s), skipn_all. reflexivity.
Qed.

Lemma overlap_least : forall s t g X Y, map (ground_d g) s ++ X = Y ++ map (ground_d g) t -> overlap s t <= length Y.
Proof.
  intros s t g X Y E. destruct (le_lt_dec (overlap s t) (length Y)) as [L|L]; [exact L | exfalso].
  pose proof (proj1 (overlap_found s t)) as Ls.
  destruct (word_split _ _ _ _ E) as [_ F]; [rewrite len_map; lia|].
  assert (T : overlaps s t (length Y) = true) by (apply overlaps_iff; eauto).
  pose proof (first_of_least (overlaps s t) (length s)) as H.
  change (overlap s t) with (match first_of (overlaps s t) (length s) with Some j => j | None => length s end) in L, Ls.
  destruct (first_of (overlaps s t) (length s)) as [j|]; [destruct H as (_ & _ & H)|]; rewrite H in T by lia; discriminate.
Qed.

(** ** One variable *)

Definition turns (s t : list dterm) (j : nat) : bool :=
  (length s =? length t) && unifiable (combine (skipn j s ++ firstn j s) t).

Lemma turns_tests : forall s t j, turns s t j = true <->
  length s = length t /\ unifiable (combine (skipn j s ++ firstn j s) t) = true.
Proof. intros s t j. unfold turns. now rewrite andb_true_iff, Nat.eqb_eq. Qed.

Lemma turns_iff : forall s t j, turns s t j = true <->
  exists g, skipn j (map (ground_d g) s) ++ firstn j (map (ground_d g) s) = map (ground_d g) t.
Proof.
  intros s t j. rewrite turns_tests.
  assert (Ln : length (skipn j s ++ firstn j s) = length s).
  { rewrite len_app, Nat.add_comm, <- len_app. now rewrite firstn_skipn. }
  split.
  - intros [L U]. apply unifiable_same in U as (g & E); [|lia]. exists g. now rewrite skipn_map, firstn_map, <- map_app.
  - intros (g & E). rewrite skipn_map, firstn_map, <- map_app in E.
    assert (L : length s = length t).
    { apply (f_equal (@length _)) in E. rewrite !len_map in E. lia. }
    split; [exact L|]. apply unifiable_same; [lia | eauto].
Qed.

Lemma turns_solved : forall s x t j, turns s t j = true ->
  exists g, holds g (word s x x t) /\ g_r g x = ground_r g (RTerm [] None (firstn j s)).
Proof.
  intros s x t j T. apply turns_iff in T as (g & E). eapply (word_build g s x x t j); [right; reflexivity|].
  rewrite <- E, app_assoc, firstn_skipn. reflexivity.
Qed.

Lemma solved_turns : forall s x t g, s <> [] -> holds g (word s x x t) ->
  exists j, j < length s /\ j <= rank (g_r g x) /\ turns s t j = true.
Proof.
  intros s x t g N H. apply word_holds in H.
  destruct (word_turn _ _ _ (fun E => N (map_eq_nil _ _ E)) H) as (j & L & Lx & E).
  rewrite len_map in L. rewrite flat_length in Lx. exists j. split; [exact L | split; [exact Lx|]]. apply turns_iff. eauto.
Qed.

Lemma rotation_short : forall s t, rotation s t <= length s.
Proof.
  intros s t. pose proof (first_of_least (turns s t) (length s)) as H.
  change (rotation s t) with (match first_of (turns s t) (length s) with Some j => j | None => 0 end).
  destruct (first_of (turns s t) (length s)) as [j|]; [destruct H as [L _]|]; lia.
Qed.

Lemma rotation_least : forall s t j, j < length s -> turns s t j = true ->
  rotation s t <= j /\ turns s t (rotation s t) = true.
Proof.
  intros s t j L T. pose proof (first_of_least (turns s t) (length s)) as H.
  change (rotation s t) with (match first_of (turns s t) (length s) with Some j => j | None => 0 end).
  destruct (first_of (turns s t) (length s)) as [i|]; [|rewrite H in T by exact L; discriminate].
  destruct H as (_ & Ti & H). split; [|exact Ti]. destruct (le_lt_dec i j) as [Li|Li]; [exact Li|].
  rewrite H in T by exact Li. discriminate.
Qed.

(** * What is committed *)

(** If [c] has a solution, it has one in which y is V, marker and all; and in no
    solution has y fewer axes than V, or x fewer than in such a one. *)
Definition fewest (c : constr) (x y : rvar) (V : rterm) : Prop :=
  ((exists g, holds g c) -> exists g, holds g c /\ g_r g y = ground_r g V) /\
  (forall g g', holds g' c -> rank (ground_r g V) <= rank (g_r g' y)) /\
  (forall g g', holds g c -> g_r g y = ground_r g V -> holds g' c -> rank (g_r g x) <= rank (g_r g' x)).

(** The difference of the ranks is fixed: x needs no proof of its own. *)
Lemma fewest_y : forall s x y t V,
  ((exists g, holds g (word s x y t)) -> exists g, holds g (word s x y t) /\ g_r g y = ground_r g V) ->
  (forall g g', holds g' (word s x y t) -> rank (ground_r g V) <= rank (g_r g' y)) -> fewest (word s x y t) x y V.
Proof.
  intros s x y t V A B. split; [exact A | split; [exact B|]]. intros g g' H E H'. specialize (B g g' H').
  rewrite <- E in B. apply word_ranks in H, H'. lia.
Qed.

Lemma word_solvable : forall s x y t, x <> y ->
  exists g, holds g (word s x y t) /\ g_r g y = ground_r g (RTerm [] None (firstn (overlap s t) s)).
Proof.
  intros s x y t D. destruct (overlap_found s t) as (_ & g & X & E).
  eapply (word_build g s x y t (overlap s t) ([] ·⋄· X)); [now left|].
  rewrite <- E. unfold flat; simpl. rewrite app_assoc, firstn_skipn. reflexivity.
Qed.

Lemma overlap_fewest : forall s x y t, x <> y -> fewest (word s x y t) x y (RTerm [] None (firstn (overlap s t) s)).
Proof.
  intros s x y t D. apply fewest_y; [intros _; now apply word_solvable|]. intros g g' H.
  rewrite value_rank by apply overlap_found. rewrite <- flat_length. apply word_holds in H. eapply overlap_least; eauto.
Qed.

Lemma rotation_fewest : forall s x t, fewest (word s x x t) x x (RTerm [] None (firstn (rotation s t) s)).
Proof.
  intros s x t. apply fewest_y.
  - intros (g & H). destruct s as [|d s].
    + (* then t is empty too *)
      assert (Et : t = []) by (apply word_ranks in H; simpl in H; apply length_zero_iff_nil; lia). subst t.
      apply (word_build g [] x x [] 0 empty_row); [now right | reflexivity].
    + destruct (solved_turns (d :: s) x t g) as (j & L & _ & T); [discriminate | exact H|].
      apply turns_solved. now apply (rotation_least (d :: s) t j).
  - intros g g' H. rewrite value_rank by apply rotation_short. destruct s as [|d s]; [apply Nat.le_0_l|].
    destruct (solved_turns (d :: s) x t g') as (j & L & Lx & T); [discriminate | exact H|].
    destruct (rotation_least (d :: s) t j L T) as [R _]. lia.
Qed.

(** So many axes of s does y get. *)
Definition axes_taken (s : list dterm) (x y : rvar) (t : list dterm) : nat :=
  if Nat.eqb x y then rotation s t else overlap s t.

Lemma taken_fewest : forall s x y t, axes_taken s x y t <= length s /\
  fewest (word s x y t) x y (RTerm [] None (firstn (axes_taken s x y t) s)).
Proof.
  intros s x y t. unfold axes_taken. destruct (Nat.eqb_spec x y) as [->|D].
  - split; [apply rotation_short | apply rotation_fewest].
  - split; [apply overlap_found | now apply overlap_fewest].
Qed.

Lemma holds_swap : forall g R Q, holds g (REq R Q) <-> holds g (REq Q R).
Proof. intros g R Q. simpl. unfold flat_equiv. split; auto. Qed.

Lemma fewest_swap : forall R Q x y V, fewest (REq R Q) x y V -> fewest (REq Q R) x y V.
Proof.
  intros R Q x y V (A & B & C). split; [|split].
  - intros (g & H). destruct A as (h & K & E); [exists g; now apply holds_swap|].
    exists h. split; [now apply holds_swap | exact E].
  - intros g g' H. apply B. now apply holds_swap.
  - intros g g' H E H'. apply C; auto; now apply holds_swap.
Qed.

(** CL-word: for s<x> ≈ <y>t, y is bound to a front of s, with the marker before it.
    With x and y two variables there is a solution; whenever there is one there is one
    with that value, and none has fewer axes for y, or for x. *)
Theorem cl_word_least : forall s x y t,
  let c := REq (RTerm s (Some x) []) (RTerm [] (Some y) t) in
  exists j, j <= length s /\ word_least c = Some (BindR y (RTerm [] None (firstn j s))) /\
    (x <> y -> exists g, holds g c) /\ fewest c x y (RTerm [] None (firstn j s)).
Proof.
  intros s x y t. exists (axes_taken s x y t). destruct (taken_fewest s x y t) as [L F]. split; [exact L|].
  split; [reflexivity | split; [|exact F]]. intros D. destruct (word_solvable s x y t D) as (g & H & _). eauto.
Qed.

(** The same with the sides the other way round, if t is not empty. *)
Theorem cl_word_least_swapped : forall s x y t, t <> [] ->
  let c := REq (RTerm [] (Some y) t) (RTerm s (Some x) []) in
  exists j, j <= length s /\ word_least c = Some (BindR y (RTerm [] None (firstn j s))) /\
    (x <> y -> exists g, holds g c) /\ fewest c x y (RTerm [] None (firstn j s)).
Proof.
  intros s x y [|u t] N; [congruence|]. destruct (cl_word_least s x y (u :: t)) as (j & L & E & A & F).
  exists j. split; [exact L | split; [exact E | split; [|now apply fewest_swap]]].
  intros D. destruct (A D) as (g & H). exists g. now apply holds_swap.
Qed.

(** If t is empty, <y> is taken for the front, and it is x that is bound: to no axes. *)
Theorem cl_word_least_bare : forall s x y,
  let c := REq (RTerm [] (Some y) []) (RTerm s (Some x) []) in
  word_least c = Some (BindR x (RTerm [] None [])) /\
  (x <> y -> exists g, holds g c) /\ fewest c y x (RTerm [] None []).
Proof.
  intros s x y c. split; [unfold c, word_least; simpl; now destruct (Nat.eqb y x)|].
  assert (Z : forall g, rank (ground_r g (RTerm [] None [])) = 0) by reflexivity.
  assert (A : x <> y \/ (exists g, holds g c) -> exists g, holds g c /\ g_r g x = ground_r g (RTerm [] None [])).
  { intros D. exists (with_rows top x empty_row y ([] ·⋄· map (ground_d top) s)).
    split; [|simpl; now rewrite Nat.eqb_refl].
    apply holds_swap. apply (word_holds _ s x y []). rewrite !with_rows_l. simpl. rewrite !Nat.eqb_refl.
    unfold flat. destruct (Nat.eqb_spec y x) as [->|N]; simpl; [|reflexivity].
    destruct D as [D|(h & H)]; [congruence|]. apply holds_swap, (word_ranks h s x x []) in H. simpl in H.
    assert (Es : s = []) by (apply length_zero_iff_nil; lia). now subst s. }
  split; [intros D; destruct A as (g & H & _); eauto|].
  split; [intros H; apply A; now right | split; [intros g g' _; rewrite Z; lia|]].
  intros g g' H E H'. apply holds_swap in H, H'. apply (word_ranks _ s x y []) in H, H'. simpl in H, H'.
  rewrite E, Z in H. lia.
Qed.

(** * One variable on both sides *)

(** CL-word: s<x> ≈ <x>t has a solution iff both are empty or a turn of s can be t. *)
Theorem cl_word_solvable : forall s x t,
  (exists g, holds g (REq (RTerm s (Some x) []) (RTerm [] (Some x) t))) <->
  (s = [] /\ t = []) \/
  exists j, j < length s /\ length s = length t /\ unifiable (combine (skipn j s ++ firstn j s) t) = true.
Proof.
  intros s x t. change (REq (RTerm s (Some x) []) (RTerm [] (Some x) t)) with (word s x x t).
  split.
  - intros (g & H). destruct s as [|d s].
    + left. split; [reflexivity|]. apply word_ranks in H. simpl in H. apply length_zero_iff_nil. lia.
    + right. destruct (solved_turns (d :: s) x t g) as (j & L & _ & Tj); [discriminate | exact H|].
      exists j. split; [exact L | now apply turns_tests].
  - intros [[-> ->]|(j & L & H)].
    + exists top. reflexivity.
    + destruct (turns_solved s x t j) as (g & K & _); [now apply turns_tests | eauto].
Qed.

(** So if the rotation finds none, there is none, unless both are empty. *)
Theorem cl_word_unsolvable : forall s x t,
  (forall g, ~ holds g (REq (RTerm s (Some x) []) (RTerm [] (Some x) t))) <->
  ((s <> [] \/ t <> []) /\
   first_of (fun j => (length s =? length t) && unifiable (combine (skipn j s ++ firstn j s) t)) (length s) = None).
Proof.
  intros s x t. change (first_of _ (length s)) with (first_of (turns s t) (length s)).
  pose proof (cl_word_solvable s x t) as C. pose proof (first_of_least (turns s t) (length s)) as F.
  split.
  - intros N. split.
    + destruct s as [|d s]; [|left; discriminate]. right. intros ->. destruct (proj2 C) as (g & H); [now left | exact (N g H)].
    + destruct (first_of (turns s t) (length s)) as [j|]; [exfalso | reflexivity]. destruct F as (L & Tj & _).
      destruct (proj2 C) as (g & H); [right; exists j; split; [exact L | now apply turns_tests] | exact (N g H)].
  - intros [D E] g H. rewrite E in F. destruct (proj1 C (ex_intro _ g H)) as [[-> ->]|(j & L & U)]; [tauto|].
    apply turns_tests in U. rewrite F in U by exact L. discriminate.
Qed.

(** * What closing finds in the store *)

(** s<x> ≈ <y>t, written in one order or the other, with axes on both sides. *)
Definition crossing (c : constr) : Prop :=
  match c with
  | REq R Q => exists s x y t, s <> [] /\ t <> [] /\
      ((R = RTerm s (Some x) [] /\ Q = RTerm [] (Some y) t) \/ (R = RTerm [] (Some y) t /\ Q = RTerm s (Some x) []))
  | _ => True
  end.

(** What two rows have in common is gone at either end, so each has its surplus at
    one end, if it has one. *)
Lemma strip_crossing : forall R Q x y, tmid R = Some x -> tmid Q = Some y ->
  known_rank (strip R Q) <> 0 -> known_rank (strip Q R) <> 0 -> crossing (REq (strip R Q) (strip Q R)).
Proof.
  intros [l m r] [l' m' r'] x y ER EQ. simpl in ER, EQ. subst m m'.
  unfold known_rank, strip, Rules.cut, common_lead, common_trail; simpl.
  rewrite (Nat.min_comm (length l') (length l)), (Nat.min_comm (length r') (length r)).
  assert (Z : forall (A : Type) (k : list A) n, length k = n -> n <> 0 -> k <> []).
  { intros A k n <- N ->. now apply N. }
  assert (S0 : forall (A : Type) n (k : list A), length k <= n -> skipn n k = []).
  { intros A n k L. apply length_zero_iff_nil. rewrite len_skipn. lia. }
  rewrite !len_skipn, !len_firstn. intros NR NQ.
  destruct (le_lt_dec (length l') (length l)) as [L|L]; destruct (le_lt_dec (length r') (length r)) as [K|K]; try lia.
  - exists (skipn (min (length l) (length l')) l), x, y, (firstn (length r' - min (length r) (length r')) r').
    split; [eapply Z; [apply len_skipn | lia] | split; [eapply Z; [apply len_firstn | lia] | left]].
    replace (length r - min (length r) (length r')) with 0 by lia. rewrite (S0 _ _ l') by lia. auto.
  - exists (skipn (min (length l) (length l')) l'), y, x, (firstn (length r - min (length r) (length r')) r).
    split; [eapply Z; [apply len_skipn | lia] | split; [eapply Z; [apply len_firstn | lia] | right]].
    replace (length r' - min (length r) (length r')) with 0 by lia. rewrite (S0 _ _ l) by lia. auto.
Qed.

Lemma strip_rank : forall R Q, known_rank R = known_rank Q -> known_rank (strip R Q) = known_rank (strip Q R).
Proof.
  intros R Q. unfold known_rank, strip, Rules.cut, common_lead, common_trail; simpl.
  rewrite !len_skipn, !len_firstn. lia.
Qed.

Lemma outcome_crossing : forall used B c r o, fires used B c r o ->
  match o with Fails => True | Does e => forall d, In d (stores e) -> crossing d end.
Proof.
  intros used B c r o F. each_outcome F; simpl; try tauto; intros d' [<-|[]]; simpl; auto.
  - exact (strip_crossing R Q p q MR MQ ZR ZQ).
  - apply (strip_crossing R Q p p MR MQ Z). now rewrite <- strip_rank.
Qed.

(** A binding of another variable changes nothing but axes. *)
Lemma sub_crossing : forall b c, crossing c -> stored_for (bound_var b) c = false -> crossing (sub_c (as_subst b) c).
Proof.
  intros b [t u|t u|R Q|R Q] C N; auto. destruct C as (s & x & y & t & Ns & Nt & C).
  assert (M : forall l, l <> [] -> map (sub_d (as_subst b)) l <> []) by (intros l D E; now apply map_eq_nil in E).
  assert (G : forall p, (forall q, bound_var b = RV q -> Nat.eqb p q = false) -> on_r (as_subst b) p = rvar_term p).
  { intros p D. destruct b as [a u|q V]; simpl; [reflexivity|]. now rewrite (D q eq_refl). }
  exists (map (sub_d (as_subst b)) s), x, y, (map (sub_d (as_subst b)) t). split; [auto | split; [auto|]].
  assert (D : on_r (as_subst b) x = rvar_term x /\ on_r (as_subst b) y = rvar_term y).
  { split; apply G; intros q E; rewrite E in N; simpl in N;
      destruct C as [[-> ->]|[-> ->]]; simpl in N; apply orb_false_iff in N as [N1 N2]; auto. }
  destruct D as [Dx Dy].
  destruct C as [[-> ->]|[-> ->]]; [left | right]; unfold sub_r; simpl; rewrite Dx, Dy; simpl; now rewrite app_nil_r.
Qed.

Lemma step_crossing : forall C c r C', step C c r C' ->
  (forall d, In d (store C) -> crossing d) -> forall d, In d (store C') -> crossing d.
Proof.
  intros C c r C' S H d I. inversion S as [C0 pre c0 post r0 e Eph F]; subst C0 c0 r0 C'.
  pose proof (outcome_crossing _ _ _ _ _ F) as O. simpl in O.
  pose proof (binding_stores_nothing _ _ _ _ _ F) as E.
  unfold next in I. destruct (binds e) as [b|]; simpl in I.
  - rewrite E, add_bounds_nil in I by congruence.
    apply in_map_iff in I as (d' & <- & I). apply filter_In in I as [I N].
    apply negb_true_iff in N. apply sub_crossing; auto.
  - apply in_add_bounds in I as [I|I]; auto.
Qed.

Lemma closing_crossing : forall C C', closing C C' ->
  (forall d, In d (store C) -> crossing d) -> forall d, In d (store C') -> crossing d.
Proof.
  intros C C' K; induction K as [C|C c r C' C'' _ S K IH|C ds C'' _ A K IH]; auto.
  intros H. apply IH. eapply step_crossing; eauto.
Qed.

(** Whatever is added while solving, a deferred equation is s<x> ≈ <y>t or <y>t ≈ s<x>
    with neither s nor t empty; so y is what CL-word binds, and at the fewest axes. *)
Theorem cl_word_stored : forall cs C R Q, closing (initial cs) C -> In (REq R Q) (store C) ->
  exists s x y t j, s <> [] /\ t <> [] /\
    ((R = RTerm s (Some x) [] /\ Q = RTerm [] (Some y) t) \/ (R = RTerm [] (Some y) t /\ Q = RTerm s (Some x) [])) /\
    word_least (REq R Q) = Some (BindR y (RTerm [] None (firstn j s))) /\
    (x <> y -> exists g, holds g (REq R Q)) /\ fewest (REq R Q) x y (RTerm [] None (firstn j s)).
Proof.
  intros cs C R Q K I.
  destruct (closing_crossing _ _ K) with (d := REq R Q) as (s & x & y & t & Ns & Nt & E); [intros d [] | exact I|].
  exists s, x, y, t. destruct E as [[-> ->]|[-> ->]].
  - destruct (cl_word_least s x y t) as (j & _ & H). exists j. split; [exact Ns | split; [exact Nt | split; [auto | exact H]]].
  - destruct (cl_word_least_swapped s x y t Nt) as (j & _ & H). exists j.
    split; [exact Ns | split; [exact Nt | split; [auto | exact H]]].
Qed.
