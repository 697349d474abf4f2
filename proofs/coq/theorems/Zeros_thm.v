(** 8.3 with bounds: where ST-zero keeps to them, it forecloses nothing in the fragment of 8.4(c). *)

From Coq Require Import ZArith List Bool Arith Lia.
From Lozenge Require Import Dim Row Term Semantics Staged Bounds Fragment Discard Zeros Bounds_thm Fragment_thm.
Import ListNotations.
Local Open Scope Z_scope.

(** * Values with zeros *)

Lemma count_of : forall n a, 0 <= n a -> size (of_counts n) (DVar a) = n a.
Proof.
  intros n a H. unfold size. simpl. destruct (Z.eqb_spec (n a) 0) as [E|E]; [auto | rewrite Z2Pos.id; lia].
Qed.

Lemma counts_value : forall n l, (forall a, 0 <= n a) -> linear_value (of_counts n) l = value n l.
Proof. intros n l H; induction l as [|t l IH]; [reflexivity|]. now rewrite linear_cons, value_cons, count_of, IH. Qed.

Lemma counts_fit : forall R n, from_zero R -> (forall a, in_range R a (n a)) -> fits true (of_counts n) R.
Proof.
  intros R n O H a. destruct (H a) as [L M]. specialize (O a). rewrite count_of by lia. split; [auto | intros m E _; auto].
Qed.

Lemma counts_basis : forall n t b, plain_term t -> basis_of (of_counts n) t = Some b -> b = default.
Proof.
  intros n [a|[|k b']] b P E; unfold basis_of in E; simpl in *; [destruct (n a =? 0) in E|..]; congruence.
Qed.

Lemma counts_plain : forall n t, plain_term t -> plain (of_counts n) t.
Proof.
  intros n t P. unfold plain. destruct (basis_of (of_counts n) t) as [b|] eqn:E; [|auto].
  right. f_equal. exact (counts_basis n t b P E).
Qed.

Lemma counts_one_basis : forall n ts, (forall t, In t ts -> plain_term t) -> one_basis (of_counts n) ts.
Proof.
  intros n ts P t u b c Jt Ju Et Eu. rewrite (counts_basis n t b (P t Jt) Et). symmetry. exact (counts_basis n u c (P u Ju) Eu).
Qed.

Lemma counts_balance : forall n c, (forall a, 0 <= n a) -> known_part c + value n (unknown_terms c) = 0 ->
  equation_constant c + terms_value (of_counts n) (equation_terms c) = 0.
Proof.
  intros n c H E. unfold unknown_terms, known_part in E. rewrite <- (counts_value n _ H), linear_collect in E.
  pose proof (terms_split (of_counts n) (equation_terms c)). lia.
Qed.

(** What a claim asks of values: its equation, or so many elements. *)
Definition counts_right (n : dvar -> Z) (c : size_claim) : Prop :=
  match c with
  | At_least (DVar a) k => k <= n a
  | At_least (DConst d) k => k <= Zpos (count d)
  | _ => known_part c + value n (unknown_terms c) = 0
  end.

Lemma counts_say : forall n c, (forall a, 0 <= n a) -> (forall a, In a (besides c) -> 1 <= n a) -> simple c -> counts_right n c ->
  says (of_counts n) c.
Proof.
  intros n c H B S Q. pose proof (counts_balance n c H) as T.
  assert (O : forall t l, In t l -> (forall a, In a (unknowns l) -> 1 <= n a) -> 1 <= size (of_counts n) t).
  { intros [a|d] l J U; [rewrite count_of by auto; apply U, unknowns_in, J | unfold size; simpl; lia]. }
  destruct c as [d [s|t] o m offset|d parts|rows divided denom coeff var|rows axes|d k]; try contradiction.
  - destruct S as (S1 & S2 & S3 & Pd & Po & Sm). specialize (T Q). cbn [besides] in B.
    assert (Od : 1 <= size (of_counts n) d) by (refine (O d _ _ B); simpl; auto).
    assert (Oo : 1 <= size (of_counts n) o) by (refine (O o _ _ B); simpl; auto).
    assert (E : size (of_counts n) d = affine_size (of_counts n) (Known s) o m).
    { destruct m as [| |[e|t] k]; [| | |tauto]; cbn [equation_terms equation_constant] in T; rewrite !terms_cons in T;
        cbn [fst snd] in T; change (terms_value (of_counts n) []) with 0 in T; cbn [affine_size factor_size]; lia. }
    cbn [says]. split; [split; [exact S1 | auto]|]. split; [exact S2|]. split; [exact Od|]. split; [exact Oo|]. split; [exact E|].
    split; [apply counts_one_basis; intros t [<-|[<-|[]]]; auto|].
    split; [rewrite S3; discriminate|]. destruct m as [| |[e|t] k]; auto; [|tauto].
    destruct Sm as (E1 & Pk & ->). split; [split; [exact E1 | auto]|].
    split; [refine (O k _ _ B); simpl; auto|]. split; [now apply counts_plain | reflexivity].
  - specialize (T Q). cbn [equation_terms equation_constant] in T. rewrite terms_cons, terms_parts in T. cbn [fst snd] in T.
    split; [refine (O d _ _ B); simpl; auto|]. split; [lia | now apply counts_one_basis].
  - cbn [says]. destruct d as [a|d]; simpl in Q; [rewrite count_of by auto; exact Q | exact Q].
Qed.

Lemma settled_counts : forall t k R n, narrow (At_least t k, false) R = Narrowed R ->
  (forall a, in_range R a (n a)) -> counts_right n (At_least t k).
Proof.
  intros [a|d] k R n E I; simpl in *.
  - destruct (raise_within R a (Some (Limit k false)) R E) as [_ W].
    destruct (W (within_refl R)) as [_ L]. specialize (L _ eq_refl). cbn [number] in L. destruct (I a). lia.
  - destruct (Z.leb_spec k (Zpos (count d))) as [L|L]; [exact L | discriminate].
Qed.

(** * The fragment *)

Lemma tree_counts : forall R cs V n, not_empty R -> (forall c, In c cs -> simple c /\ narrow (c, false) R = Narrowed R) ->
  hangs_on R V cs -> (forall a, in_range R a (n a)) ->
  exists m, (forall a, In a V -> m a = n a) /\ (forall a, in_range R a (m a)) /\ forall c, In c cs -> counts_right m c.
Proof.
  intros R cs; induction cs as [|c cs IH]; intros V n N C H G.
  { exists n. split; [auto | split; [exact G | intros c []]]. }
  destruct H as [En H]. destruct (C c (or_introl eq_refl)) as [S E].
  assert (X : exists m, (forall a, In a V -> m a = n a) /\ (forall a, in_range R a (m a)) /\
    (is_equation c -> known_part c + value m (unknown_terms c) = 0)).
  { assert (Q : is_equation c \/ ~ is_equation c) by (destruct c; simpl; tauto). destruct Q as [Q|Q].
    - destruct (entered_balances c R V n S Q N E En G) as (m & A & B & D). exists m. auto.
    - exists n. split; [auto | split; [exact G | tauto]]. }
  destruct X as (n1 & Same1 & G1 & B1).
  destruct (IH (map snd (unknown_terms c) ++ V) n1 N (fun c' J => C c' (or_intror J)) H G1) as (m & Same & Gm & B).
  exists m. split; [|split; [exact Gm|]].
  - intros a J. rewrite Same by (apply in_app_iff; auto). auto.
  - intros c' [<-|J]; [|auto].
    assert (V1 : is_equation c -> known_part c + value m (unknown_terms c) = 0).
    { intros Q. rewrite (value_same m n1); [auto|]. intros a J. apply Same, in_app_iff. auto. }
    destruct c as [d s o md off|d parts|rows dv dn co va|rows axes|d k]; try (exact (V1 Logic.I)).
    exact (settled_counts d k R m E Gm).
Qed.

(** 8.3 with bounds.  Once bounds are settled, a guess that is safe, 0 included, is part of a solution of all claims within
    them. *)
Theorem conj_8_3_safe : forall zs cs R x n, (forall c, In c cs -> simple c) -> only_parts zs cs ->
  settled (untagged cs) R -> not_empty R -> from_least zs R -> safe cs R x n ->
  exists v, size v (DVar x) = n /\ open_with zs cs R v.
Proof.
  intros zs cs R x n C Op S N O (I & flip & core & tree & (Same & Co & H) & Lx).
  assert (Cs : forall c, In c (core ++ tree) -> simple c /\ narrow (c, false) R = Narrowed R).
  { intros c J. apply Same in J. split; [auto|]. apply S. exact (in_map (fun c => (c, false)) cs c J). }
  set (start := fun a => if Nat.eqb x a then n else corner flip R a).
  assert (G0 : forall a, in_range R a (start a)).
  { intros a. unfold start. destruct (Nat.eqb_spec x a) as [<-|Q]; [exact I | now apply corner_in_range]. }
  destruct (tree_counts R tree (x :: all_unknowns core) start N) as (m & Eq & G & B); auto.
  { intros c J. apply Cs, in_app_iff. auto. }
  assert (Z0 : from_zero R) by (intros a; specialize (O a); destruct (zs a); lia).
  assert (M0 : forall a, 0 <= m a) by (intros a; specialize (Z0 a); destruct (G a); lia).
  assert (M1 : forall a, zs a = false -> 1 <= m a) by (intros a E; specialize (O a); rewrite E in O; destruct (G a); lia).
  exists (of_counts m). split; [|split; [split|]].
  - rewrite count_of by auto. rewrite (Eq x) by (left; reflexivity). unfold start. now rewrite Nat.eqb_refl.
  - intros c J. apply counts_say; auto; [intros a Ja; apply M1; exact (Op c a J Ja)|].
    apply Same in J. destruct (Cs c J) as [Sc E]. apply in_app_iff in J. destruct J as [J|J]; [|auto].
    assert (V : is_equation c -> known_part c + value m (unknown_terms c) = 0).
    { intros Q. rewrite (value_same m (corner flip R)); [exact (corner_balances flip c R Sc Q (Co c J) N E)|].
      intros a K. assert (Ka : In a (all_unknowns core)) by (apply in_flat_map; exists c; auto).
      rewrite (Eq a) by (right; exact Ka). unfold start. destruct (Nat.eqb_spec x a) as [<-|Q']; [exact (Lx Ka) | reflexivity]. }
    destruct c as [d s o md off|d parts|rows dv dn co va|rows axes|d k]; try (exact (V Logic.I)).
    exact (settled_counts d k R m E G).
  - now apply counts_fit.
  - intros a E. simpl in E. apply Z.eqb_eq in E. destruct (zs a) eqn:Q; [reflexivity|]. specialize (M1 a Q). lia.
Qed.

(** 8.3 with bounds.  In the fragment of 8.4(c) every unknown can take its least size, 0 where its bounds allow that, in any
    order: each time when bounds are settled a solution is left within them, and no claim is refused, if there was one. *)
Theorem conj_8_3_least : forall zs cs R0 R, (forall c, In c cs -> simple c) -> only_parts zs cs -> fragment cs R0 ->
  from_least zs R0 -> (exists v, open_with zs cs R0 v) -> guessed least_guess cs R0 R ->
  (exists v, open_with zs cs R v) /\ forall c, In c cs -> exists R', narrow (c, false) R = Narrowed R'.
Proof.
  intros zs cs R0 R Si Op Fr O Ex G.
  assert (X : within R R0 /\ from_least zs R /\ exists v, open_with zs cs R v).
  { induction G as [|R R' c G (IW & IO & v & (C & F) & Zv) J E|R a n G (IW & IO & v & Ov & Zv) S Le].
    - split; [apply within_refl | auto].
    - destruct (narrow_goes_in _ _ _ E) as [W _]. split; [exact (within_trans _ _ _ W IW) | split].
      + intros a. destruct (W a) as [L _]. specialize (IO a). lia.
      + exists v. split; [|exact Zv]. split; [exact C|]. exact (conj_8_4_a_bounds_keep_solutions true v c false R R' (C c J) F E).
    - pose proof (open_not_empty cs R v Ov) as N.
      destruct (conj_8_3_safe zs cs R a n Si Op S N IO) as (w & Sw & (Cw & Fw) & Zw).
      { apply (fragment_least_safe cs R0); auto. now apply within_looser. }
      assert (In_ : in_range R a n).
      { rewrite <- Sw. destruct (Fw a) as [L M]. split; [exact (L (fun _ => eq_refl)) | intros m E;
          exact (M m E (fun _ => eq_refl))]. }
      pose proof (pin_within R a n In_) as W. split; [exact (within_trans _ _ _ W IW) | split].
      + intros b. destruct (W b) as [L _]. specialize (IO b). lia.
      + exists w. split; [|exact Zw]. split; [exact Cw|]. intros b. unfold pin, set_range.
        destruct (Nat.eqb_spec a b) as [<-|Q]; [|apply Fw].
        simpl. split; [intros _; lia | intros m M _; injection M as <-; simpl; lia]. }
  destruct X as (_ & _ & v & Ov). split; [eauto|]. intros c J. exact (open_not_refused cs R v c (proj1 Ov) J).
Qed.

(** * A zero outside its bounds *)

(** The sizes that the two claims allow, read off them: b has at least 2. *)
Lemma crossed_bounds : forall v, open_with crossed_zeros crossed_sizes crossed_start v -> fits true v crossed_settled.
Proof.
  intros v ((C & F) & Z0). destruct (C _ (or_introl eq_refl)) as (_ & A & _).
  destruct (C _ (or_intror (or_introl eq_refl))) as (_ & B & _).
  change (size v (whole 5)) with 5 in A. change (size v (whole 3)) with 3 in B. cbn [map plus fold_right] in A, B.
  pose proof (proj1 (F 0%nat) (fun _ => eq_refl)) as F0. pose proof (proj1 (F 1%nat) (fun _ => eq_refl)) as F1.
  pose proof (proj1 (F 2%nat) (fun _ => eq_refl)) as F2. cbn in F0, F1, F2.
  intros [|[|[|a]]]; (split; [intros _; cbn [crossed_settled three between least number] | intros m E _;
    cbn [crossed_settled three between most] in E;
    try discriminate; injection E as <-; cbn [number]]); try lia.
  pose proof (proj1 (F (S (S (S a)))) (fun _ => eq_refl)) as Fa. exact Fa.
Qed.

(** 8.3 with bounds: a^b, a^c => a of axes of sizes 5 and 3 is in the fragment, and its bounds are these.  The least size of
    each unknown forecloses nothing, c at 0 included; b at 0 is outside its bounds, and forecloses all. *)
Theorem conj_8_3_outside_bounds : (forall c, In c crossed_sizes -> simple c) /\ only_parts crossed_zeros crossed_sizes /\
  settled (untagged crossed_sizes) crossed_settled /\ from_least crossed_zeros crossed_settled /\
  fragment crossed_sizes crossed_settled /\ (exists v, open_with crossed_zeros crossed_sizes crossed_settled v) /\
  number (least (crossed_settled 1%nat)) = 2 /\ number (least (crossed_settled 2%nat)) = 0 /\
  ~ exists v, open_with crossed_zeros crossed_sizes (pin crossed_start 1%nat 0) v.
Proof.
  split; [all_parts|]. split; [intros c a [<-|[<-|[]]] []|]. split; [settles|].
  split; [intros [|[|[|a]]]; simpl; lia|]. split; [|split; [|split; [reflexivity | split; [reflexivity|]]]].
  - intros x _. exists (fun _ => false), [].
    set (c1 := Parts (whole 5) [DVar 0%nat; DVar 1%nat]). set (c2 := Parts (whole 3) [DVar 0%nat; DVar 2%nat]).
    assert (E1 : unknown_terms c1 = [(1, 1%nat); (1, 0%nat)]) by reflexivity.
    assert (E2 : unknown_terms c2 = [(1, 2%nat); (1, 0%nat)]) by reflexivity.
    assert (P : forall a b V, unknown_terms a = [(1, b); (1, 0%nat)] ->
      (~ In b V -> entered crossed_settled V (unknown_terms a)) /\ (~ In 0%nat V -> entered crossed_settled V (unknown_terms a))).
    { intros a b V ->. split; intros N; right; [exists (1, 0%nat), [(1, b)] | exists (1, b), [(1, 0%nat)]];
        (split; [simpl; auto | intros u [<-|[]] _; auto]). }
    destruct (Nat.eq_dec x 2) as [->|N2]; [exists [c2; c1] | exists [c1; c2]];
      (split; [split; [intros c; simpl; tauto | split; [intros c []|]] | reflexivity]);
      (split; [|split; [|exact Logic.I]]).
    + apply (proj2 (P c2 2%nat _ E2)). simpl. lia.
    + apply (proj1 (P c1 1%nat _ E1)). rewrite E2. simpl. lia.
    + destruct (Nat.eq_dec x 1) as [->|N1]; [apply (proj2 (P c1 1%nat _ E1)) | apply (proj1 (P c1 1%nat _ E1))]; simpl; lia.
    + apply (proj1 (P c2 2%nat _ E2)). rewrite E1. simpl. lia.
  - exists (of_counts (sizes_of 3 2 0)). split; [split|].
    + intros c J. apply conj_8_4_a_check_reflect. simpl in J. repeat (destruct J as [<-|J]; [reflexivity|]). destruct J.
    + apply counts_fit; [intros [|[|[|a]]]; simpl; lia | solved].
    + intros [|[|[|a]]] E; simpl in *; auto; discriminate.
  - intros (v & (C & F) & Z0). assert (O : open_with crossed_zeros crossed_sizes crossed_start v).
    { split; [|exact Z0]. split; [exact C|]. intros a. destruct (Nat.eq_dec a 1) as [->|D].
      - split; [intros _; simpl; unfold size; destruct (is_zero v _); lia | intros m E; discriminate].
      - specialize (F a). unfold pin, set_range in F. rewrite (proj2 (Nat.eqb_neq 1 a)) in F by auto. exact F. }
    pose proof (proj1 (crossed_bounds v O 1%nat) (fun _ => eq_refl)) as L.
    pose proof (proj2 (F 1%nat) _ eq_refl (fun _ => eq_refl)) as U. simpl in L, U. lia.
Qed.

(** * Bounds keep a part *)

Lemma value_app : forall n l k, value n (l ++ k) = value n l + value n k.
Proof. intros n l k; induction l as [|t l IH]; [reflexivity|]. rewrite <- app_comm_cons, !value_cons, IH. lia. Qed.

Lemma value_collect : forall n l, value n (collect l) = value n l.
Proof.
  intros n l. unfold collect. set (k := fold_right _ _ _).
  assert (E : value n k = value n l).
  { subst k. induction l as [|t l IH]; [reflexivity|]. simpl. rewrite value_cons, <- IH. clear IH.
    generalize (fold_right (fun t => add_term (fst t) (snd t)) [] l) as k.
    intros k; induction k as [|[d e] k IH]; [reflexivity|]. simpl.
    destruct (Nat.eqb_spec (snd t) e) as [Q|Q]; rewrite !value_cons; simpl; [subst e|rewrite IH]; lia. }
  rewrite <- E. clear E. induction k as [|[c a] k IH]; [reflexivity|]. simpl.
  destruct (Z.eqb_spec c 0) as [->|N]; simpl; rewrite !value_cons, IH; simpl; lia.
Qed.

(** The size of a term for these sizes of variables. *)
Definition term_count (n : dvar -> Z) (t : dterm) : Z := match t with DVar a => n a | DConst d => Zpos (count d) end.

Lemma parts_value : forall n d ps, known_part (Parts d ps) + value n (unknown_terms (Parts d ps)) =
  plus (map (term_count n) ps) - term_count n d.
Proof.
  intros n d ps. unfold known_part, unknown_terms. rewrite value_collect. cbn [equation_constant equation_terms].
  assert (X : forall l, plus (map known_of l) + value n (flat_map unknown_of l) = plus (map (fun t => fst t * term_count n (snd t)) l)).
  { intros l; induction l as [|[c t] l IH]; [reflexivity|]. cbn [map flat_map]. rewrite value_app.
    change (plus (known_of (c, t) :: map known_of l)) with (known_of (c, t) + plus (map known_of l)).
    change (plus ((fst (c, t) * term_count n (snd (c, t))) :: map (fun t => fst t * term_count n (snd t)) l)) with
      (c * term_count n t + plus (map (fun t => fst t * term_count n (snd t)) l)). rewrite <- IH.
    destruct t as [a|e]; unfold known_of, unknown_of; cbn [fst snd term_count];
      [rewrite value_cons; cbn [fst snd]; change (value n []) with 0 | change (value n []) with 0]; lia. }
  specialize (X ((-1, d) :: map (pair 1) ps)). rewrite Z.add_0_l, X. cbn [map]. rewrite map_map. cbn [fst snd].
  change (plus ((-1 * term_count n d) :: map (fun t => 1 * term_count n t) ps)) with
    (-1 * term_count n d + plus (map (fun t => 1 * term_count n t) ps)).
  rewrite (map_ext (fun t => 1 * term_count n t) (term_count n)) by (intros t; lia). lia.
Qed.

(** The coefficient of a variable. *)
Definition mark (x : dvar) : dvar -> Z := fun a => if Nat.eqb x a then 1 else 0.

Lemma value_none : forall x l, ~ In x (map snd l) -> value (mark x) l = 0.
Proof.
  intros x l; induction l as [|[c a] l IH]; intros N; [reflexivity|]. rewrite value_cons, IH by (intros J; apply N; simpl; auto).
  unfold mark. cbn [fst snd]. destruct (Nat.eqb_spec x a) as [<-|Q]; [exfalso; apply N; simpl; auto | lia].
Qed.

Lemma value_mark : forall x c l, NoDup (map snd l) -> In (c, x) l -> value (mark x) l = c.
Proof.
  intros x c l; induction l as [|[e a] l IH]; intros N J; [destruct J|]. cbn [map snd] in N. apply NoDup_cons_iff in N.
  destruct N as [Na N]. rewrite value_cons. unfold mark at 1. cbn [fst snd]. destruct J as [J|J].
  - injection J as <- <-. rewrite Nat.eqb_refl, value_none by exact Na. lia.
  - rewrite (IH N J). destruct (Nat.eqb_spec x a) as [<-|Q]; [exfalso; apply Na; exact (in_map snd _ _ J) | lia].
Qed.

Lemma plus_least : forall (f : dterm -> Z) l t, (forall u, In u l -> 0 <= f u) -> In t l -> f t <= plus (map f l).
Proof.
  intros f l t; induction l as [|u l IH]; intros H J; [destruct J|]. change (plus (map f (u :: l))) with (f u + plus (map f l)).
  assert (N : 0 <= plus (map f l)).
  { clear -H. assert (H' : forall u, In u l -> 0 <= f u) by (intros w J; apply H; right; exact J). clear H.
    induction l as [|w l IH]; [cbn; lia|]. change (plus (map f (w :: l))) with (f w + plus (map f l)).
    specialize (H' w (or_introl eq_refl)) as Hw.
    assert (0 <= plus (map f l)) by (apply IH; intros z J; apply H'; right; exact J). lia. }
  destruct J as [<-|J]; [lia|]. specialize (H u (or_introl eq_refl)) as Hu.
  assert (f t <= plus (map f l)) by (apply IH; [intros w Jw; apply H; right; exact Jw | exact J]). lia.
Qed.

Lemma plus_zero : forall (f : dterm -> Z) l, (forall u, In u l -> f u = 0) -> plus (map f l) = 0.
Proof.
  intros f l; induction l as [|u l IH]; intros H; [reflexivity|]. change (plus (map f (u :: l))) with (f u + plus (map f l)).
  rewrite (H u (or_introl eq_refl)), IH; [reflexivity|]. intros w J. apply H. right. exact J.
Qed.

(** 8.3 with bounds.  Where the settled bounds of a part allow 0, another part can have an element: whoever keeps to the
    bounds never takes the last part. *)
Theorem conj_8_3_bounds_keep_a_part : forall d ps R x, (forall t, In t (d :: ps) -> plain_term t) ->
  narrow (Parts d ps, false) R = Narrowed R -> not_empty R -> from_zero R ->
  (forall a, d = DVar a -> 1 <= number (least (R a))) -> In (DVar x) ps -> number (least (R x)) = 0 ->
  exists t, In t ps /\ t <> DVar x /\ forall b m, t = DVar b -> most (R b) = Some m -> 1 <= number m.
Proof.
  intros d ps R x Pl E N Z0 Dd Jx Lx.
  set (left := fun t => match t with
    | DVar b => negb (Nat.eqb b x) && match most (R b) with Some m => 1 <=? number m | None => true end
    | DConst _ => true
    end).
  destruct (existsb left ps) eqn:F.
  { apply existsb_exists in F. destruct F as (t & J & F). exists t. split; [exact J|]. destruct t as [b|e].
    - simpl in F. apply andb_true_iff in F. destruct F as [F1 F2]. apply negb_true_iff, Nat.eqb_neq in F1. split; [congruence|].
      intros b' m Q M. injection Q as <-. rewrite M in F2. now apply Z.leb_le.
    - split; [discriminate | intros b m Q; discriminate]. }
  exfalso.
  assert (P : forall t, In t ps -> exists b, t = DVar b /\ (b = x \/ exists m, most (R b) = Some m /\ number m = 0 /\ number (least (R b)) = 0)).
  { intros t J. assert (G : left t = false) by (rewrite <- not_true_iff_false; intros Y; rewrite <- not_true_iff_false in F;
      apply F, existsb_exists; eauto).
    destruct t as [b|e]; [|discriminate]. exists b. split; [reflexivity|]. simpl in G.
    destruct (Nat.eqb_spec b x) as [Q|Q]; [auto|]. right.
    simpl in G. destruct (most (R b)) as [m|] eqn:M; [|discriminate]. apply Z.leb_gt in G. specialize (N b m M).
    specialize (Z0 b).
    exists m. split; [reflexivity|]. lia. }
  set (n := corner (fun _ => false) R). set (c := Parts d ps). set (l := unknown_terms c). set (k := known_part c).
  assert (Ps : plus (map (term_count n) ps) = 0).
  { apply plus_zero. intros t J. destruct (P t J) as (b & -> & [->|(m & _ & _ & Q)]); simpl; unfold n, corner; [exact Lx |
      exact Q]. }
  assert (Sum : k + value n l <= -1).
  { unfold k, l, c. rewrite parts_value, Ps. assert (1 <= term_count n d); [|lia]. destruct d as [a|e]; simpl; [|lia].
    unfold n, corner. apply Dd. reflexivity. }
  assert (Nd : NoDup (map snd l)) by apply collect_nodup.
  (* The coefficient of x is positive, and nothing else is loose but d, which has none. *)
  assert (Co : forall y, value (mark y) l = value (mark y) (flat_map unknown_of ((-1, d) :: map (pair 1) ps)))
    by (intros y; apply value_collect).
  assert (Cv : forall y, value (mark y) (flat_map unknown_of (map (pair 1) ps)) =
    plus (map (fun t => match t with DVar b => mark y b | DConst _ => 0 end) ps)).
  { intros y. clear. induction ps as [|[b|e] ps IH]; [reflexivity| |]; cbn [map flat_map unknown_of snd fst app].
    - rewrite value_cons, IH. cbn [fst snd]. cbn [plus fold_right]. unfold plus. lia.
    - exact IH. }
  assert (Cd : forall y, value (mark y) (unknown_of (-1, d)) = match d with DVar a => - mark y a | DConst _ => 0 end).
  { intros y. destruct d as [a|e]; [|reflexivity]. unfold unknown_of. cbn [snd fst]. rewrite value_cons.
    change (value (mark y) []) with 0. cbn [fst snd]. lia. }
  assert (Dx : forall a, d = DVar a -> a <> x) by (intros a Q Y; specialize (Dd a Q); subst; lia).
  assert (Pos : 1 <= value (mark x) l).
  { rewrite Co. cbn [flat_map]. rewrite value_app, Cd, Cv.
    assert (1 <= plus (map (fun t => match t with DVar b => mark x b | DConst _ => 0 end) ps)).
    { pose proof (plus_least (fun t => match t with DVar b => mark x b | DConst _ => 0 end) ps (DVar x)) as Q.
      unfold mark in Q at 2. rewrite Nat.eqb_refl in Q. apply Q; [|exact Jx].
      intros [b|e] _; [unfold mark; destruct (Nat.eqb x b)|]; lia. }
    destruct d as [a|e]; [|lia]. unfold mark at 1.
    destruct (Nat.eqb_spec x a) as [Q|Q]; [exfalso; exact (Dx a eq_refl (eq_sym Q)) | lia]. }
  assert (Jl : exists p, In (p, x) l).
  { destruct (in_dec Nat.eq_dec x (map snd l)) as [J|J]; [|rewrite value_none in Pos by exact J; lia].
    apply in_map_iff in J. destruct J as ([p y] & Q & J). simpl in Q. subst y. eauto. }
  destruct Jl as (p & Jp). assert (Pp : 0 < p) by (rewrite (value_mark x p l Nd Jp) in Pos; lia).
  destruct (picks_of _ l (p, x) Jp) as (others & Jo).
  destruct (settled_linear c R Pl Logic.I E) as [_ A]. destruct (A _ Jo) as [Lo _]. cbn [fst snd] in Lo.
  destruct (corner_sum true (fun _ => false) R k others) as (y & Y & Ny).
  - intros u J L Q. discriminate.
  - intros [q b] J L. cbn [fst snd] in *. unfold oriented. cbn [fst snd].
    assert (Jq : In (q, b) l) by exact (proj2 (picks_in _ _ _ _ Jo) _ J).
    assert (Db : b <> x).
    { intros ->. pose proof (Permutation.Permutation_map snd (picks_perm _ _ _ _ Jo)) as Pm.
      apply Permutation.Permutation_sym in Pm. apply (Permutation.Permutation_NoDup Pm) in Nd. cbn [map snd] in Nd.
      apply NoDup_cons_iff in Nd. apply (proj1 Nd). exact (in_map snd _ _ J). }
    assert (Np : ~ In (DVar b) ps).
    { intros Jb. destruct (P _ Jb) as (b' & Q & [->|(m & M & M0 & L0)]); injection Q as <-; [exact (Db eq_refl)|].
      unfold loose, one_number in L. rewrite M, M0, L0 in L. discriminate. }
    rewrite <- (value_mark b q l Nd Jq), Co. cbn [flat_map]. rewrite value_app, Cd, Cv.
    rewrite (plus_zero (fun t => match t with DVar b' => mark b b' | DConst _ => 0 end)).
    2: { intros [b'|e] Jb; [|reflexivity]. unfold mark. destruct (Nat.eqb_spec b b') as [<-|Q]; [contradiction | reflexivity]. }
    assert (Nz : value (mark b) l <> 0).
    { rewrite (value_mark b q l Nd Jq). exact (collect_nonzero _ _ Jq). }
    rewrite Co in Nz. cbn [flat_map] in Nz. rewrite value_app, Cd, Cv in Nz.
    rewrite (plus_zero (fun t => match t with DVar b' => mark b b' | DConst _ => 0 end)) in Nz.
    2: { intros [b'|e] Jb; [|reflexivity]. unfold mark. destruct (Nat.eqb_spec b b') as [<-|Q]; [contradiction | reflexivity]. }
    destruct d as [a|e]; [|lia]. unfold mark in *. destruct (Nat.eqb b a); lia.
  - destruct (lo_says R k p x others 0 ltac:(lia) Lo ltac:(lia)) as [Q _]. specialize (Q Pp y Y).
    rewrite <- (value_perm n _ _ (picks_perm _ _ _ _ Jo)), value_cons in Sum. cbn [fst snd] in Sum.
    assert (Nx : n x = 0) by exact Lx. rewrite Nx in Sum. fold n in Ny. lia.
Qed.
