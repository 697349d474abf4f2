(** 8.4(a): bounds lose no solution, and what a staged run commits satisfies everything. *)

From Coq Require Import ZArith List Bool Arith Lia.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Taint Solver Closing Fire Close Staged
  Dim_thm Row_thm Semantics_thm Close_thm Bounds.
Import ListNotations.
Local Open Scope Z_scope.

(** * Bounds that rest on commitments *)

Lemma rested_or : forall b t u, rested b (t || u) <-> rested b t /\ rested b u.
Proof. unfold rested. intros b [] []; simpl; tauto. Qed.

(** What holds of a result. *)
Definition keeps (b : bool) (v : valuation) (r : narrowed) : Prop :=
  match r with Narrowed R => fits b v R | Refused t => ~ rested b t end.

(** A limit is a bound of [n], from below or from above. *)
Definition below (b : bool) (l : option limit) (n : Z) : Prop := forall x, l = Some x -> rested b (rests x) -> number x <= n.
Definition over (b : bool) (l : option limit) (n : Z) : Prop := forall x, l = Some x -> rested b (rests x) -> n <= number x.

Lemma then_keeps : forall b v r f, keeps b v r -> (forall R, fits b v R -> keeps b v (f R)) -> keeps b v (and_then r f).
Proof. intros b v [R|t] f K F; simpl in *; auto. Qed.

Lemma each_keeps : forall b v (A : Type) (f : A -> ranges -> narrowed) l R,
  (forall a R, In a l -> fits b v R -> keeps b v (f a R)) -> fits b v R -> keeps b v (each f l R).
Proof.
  intros b v A f l; induction l as [|a l IH]; intros R F H; simpl; [exact H|].
  apply then_keeps; [apply F; simpl; auto|]. intros R' H'. apply IH; auto. intros a' R'' J. apply F. simpl; auto.
Qed.

Lemma checked_keeps : forall b v R a r, fits b v R ->
  (rested b (rests (least r)) -> number (least r) <= size v (DVar a)) ->
  over b (most r) (size v (DVar a)) -> keeps b v (checked R a r).
Proof.
  intros b v R a r F L M.
  assert (K : fits b v (set_range R a r)).
  { intros x. unfold set_range. destruct (Nat.eqb_spec a x) as [<-|N]; [split; [exact L | exact M] | apply F]. }
  unfold checked. destruct (most r) as [m|] eqn:E; [|exact K].
  destruct (Z.ltb_spec (number m) (number (least r))) as [X|X]; [|exact K].
  simpl. rewrite rested_or. intros [A B]. specialize (L A). specialize (M m eq_refl B). lia.
Qed.

Lemma raise_keeps : forall b v R a l, fits b v R -> below b l (size v (DVar a)) -> keeps b v (raise R a l).
Proof.
  intros b v R a [l|] F L; simpl; [|exact F]. destruct (number l <=? number (least (R a))); [exact F|].
  apply checked_keeps; simpl; auto. exact (proj2 (F a)).
Qed.

Lemma lower_keeps : forall b v R a l, fits b v R -> over b l (size v (DVar a)) -> keeps b v (lower_to R a l).
Proof.
  intros b v R a [l|] F L; simpl; [|exact F].
  destruct (most (R a)) as [m|]; [destruct (number m <=? number l); [exact F|]|];
    apply checked_keeps; simpl; auto; exact (proj1 (F a)).
Qed.

(** * Sums *)

Definition linear_value (v : valuation) (l : list (Z * dvar)) : Z := plus (map (fun t => fst t * size v (DVar (snd t))) l).

Lemma linear_cons : forall v t l, linear_value v (t :: l) = fst t * size v (DVar (snd t)) + linear_value v l.
Proof. reflexivity. Qed.

Lemma linear_app : forall v l k, linear_value v (l ++ k) = linear_value v l + linear_value v k.
Proof.
  intros v l k; induction l as [|t l IH]; [reflexivity|]. rewrite <- app_comm_cons, !linear_cons, IH. lia.
Qed.

Lemma linear_add : forall v c a l, linear_value v (add_term c a l) = c * size v (DVar a) + linear_value v l.
Proof.
  intros v c a l; induction l as [|[d e] l IH]; [reflexivity|]. simpl.
  destruct (Nat.eqb_spec a e) as [<-|N]; rewrite !linear_cons; simpl; [|rewrite IH]; lia.
Qed.

Lemma linear_collect : forall v l, linear_value v (collect l) = linear_value v l.
Proof.
  intros v l. unfold collect. set (k := fold_right _ _ _).
  assert (E : linear_value v k = linear_value v l).
  { subst k. induction l as [|t l IH]; [reflexivity|]. simpl. now rewrite linear_add, IH, linear_cons. }
  rewrite <- E. clear E. induction k as [|[c a] k IH]; [reflexivity|]. simpl.
  destruct (Z.eqb_spec c 0) as [->|N]; simpl; rewrite !linear_cons, IH; simpl; lia.
Qed.

Lemma linear_picks : forall v l t others, In (t, others) (picks l) ->
  linear_value v l = fst t * size v (DVar (snd t)) + linear_value v others.
Proof.
  intros v l; induction l as [|u l IH]; intros t others J; simpl in J; [destruct J|].
  destruct J as [J|J]; [injection J as <- <-; apply linear_cons|].
  apply in_map_iff in J. destruct J as ([t' o'] & E & J). simpl in E. injection E as <- <-.
  rewrite !linear_cons, (IH _ _ J). lia.
Qed.

Lemma picks_in : forall (A : Type) (l : list A) t others, In (t, others) (picks l) -> In t l /\ incl others l.
Proof.
  intros A l; induction l as [|u l IH]; intros t others J; simpl in J; [destruct J|].
  destruct J as [J|J]; [injection J as <- <-; split; [left; auto | intros x; simpl; auto]|].
  apply in_map_iff in J. destruct J as ([t' o'] & E & J). simpl in E. injection E as <- <-.
  destruct (IH _ _ J) as [X Y]. split; [right; auto|]. intros x [<-|Jx]; [left; auto | right; auto].
Qed.

Lemma collect_nonzero : forall l t, In t (collect l) -> fst t <> 0.
Proof.
  intros l t J. apply filter_In in J. destruct J as [_ J]. destruct (Z.eqb_spec (fst t) 0); [discriminate | auto].
Qed.

Lemma on_limit_spec : forall f l x, on_limit f l = Some x -> exists y, l = Some y /\ number x = f (number y) /\ rests x = rests y.
Proof. intros f [y|] x E; [injection E as <-; exists y; auto | discriminate]. Qed.

Lemma on_limits_spec : forall f l k x, on_limits f l k = Some x -> exists y z, l = Some y /\ k = Some z /\
  number x = f (number y) (number z) /\ rests x = rests y || rests z.
Proof. intros f [y|] [z|] x E; try discriminate. injection E as <-. exists y, z. auto. Qed.

Lemma small_below : forall b v R t, fits b v R -> below b (small R t) (fst t * size v (DVar (snd t))).
Proof.
  intros b v R [c a] F x E H. apply on_limit_spec in E. destruct E as (y & E & N & T). simpl in *. rewrite N.
  rewrite T in H. destruct (Z.ltb_spec 0 c) as [P|P].
  - injection E as <-. pose proof (proj1 (F a) H). nia.
  - pose proof (proj2 (F a) y E H). nia.
Qed.

Lemma large_over : forall b v R t, fits b v R -> over b (large R t) (fst t * size v (DVar (snd t))).
Proof.
  intros b v R [c a] F x E H. apply on_limit_spec in E. destruct E as (y & E & N & T). simpl in *. rewrite N.
  rewrite T in H. destruct (Z.ltb_spec 0 c) as [P|P].
  - pose proof (proj2 (F a) y E H). nia.
  - injection E as <-. pose proof (proj1 (F a) H). nia.
Qed.

Lemma sum_below : forall b v R start l, fits b v R ->
  below b (sum_of (small R) start l) (number start + linear_value v l).
Proof.
  intros b v R start l F; induction l as [|t l IH]; intros x E H.
  - injection E as <-. unfold linear_value. simpl. lia.
  - apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply rested_or in H.
    destruct H as [Hy Hz]. pose proof (small_below b v R t F y Ey Hy). pose proof (IH z Ez Hz).
    rewrite linear_cons. lia.
Qed.

Lemma sum_over : forall b v R start l, fits b v R ->
  over b (sum_of (large R) start l) (number start + linear_value v l).
Proof.
  intros b v R start l F; induction l as [|t l IH]; intros x E H.
  - injection E as <-. unfold linear_value. simpl. lia.
  - apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply rested_or in H.
    destruct H as [Hy Hz]. pose proof (large_over b v R t F y Ey Hy). pose proof (IH z Ez Hz).
    rewrite linear_cons. lia.
Qed.

Lemma up_le : forall c n x, 0 < c -> n <= c * x -> up c n <= x.
Proof. intros c n x P H. unfold up. assert (- x <= - n / c) by (apply Z.div_le_lower_bound; lia). lia. Qed.

Lemma down_ge : forall c n x, 0 < c -> c * x <= n -> x <= down c n.
Proof. intros c n x P H. unfold down. apply Z.div_le_lower_bound; lia. Qed.

(** The start of every sum has a tag of its own. *)
Lemma sum_start : forall f start l x, sum_of f start l = Some x -> rests x = false -> rests start = false.
Proof.
  intros f start l; induction l as [|t l IH]; intros x E H; [injection E as <-; exact H|].
  apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply orb_false_iff in H.
  apply (IH z); tauto.
Qed.

Lemma sum_rested : forall b f start l x, sum_of f start l = Some x -> rested b (rests x) -> rested b (rests start).
Proof.
  intros b f start l x E H. destruct b; [intros _; reflexivity|]. destruct (rests x) eqn:X; [now specialize (H eq_refl)|].
  rewrite (sum_start f start l x E X). intros X'. exact X'.
Qed.

Lemma term_keeps : forall b v R0 start c a others R, fits b v R0 -> fits b v R -> c <> 0 ->
  (rested b (rests start) -> number start + c * size v (DVar a) + linear_value v others = 0) ->
  keeps b v (narrow_term R0 start ((c, a), others) R).
Proof.
  intros b v R0 start c a others R F0 F N E. unfold narrow_term.
  assert (Lo : forall x, sum_of (small R0) start others = Some x -> rested b (rests x) -> number x <= - (c * size v (DVar a))).
  { intros x Ex H. pose proof (sum_below b v R0 start others F0 x Ex H). specialize (E (sum_rested b _ _ _ _ Ex H)). lia. }
  assert (Hi : forall x, sum_of (large R0) start others = Some x -> rested b (rests x) -> - (c * size v (DVar a)) <= number x).
  { intros x Ex H. pose proof (sum_over b v R0 start others F0 x Ex H). specialize (E (sum_rested b _ _ _ _ Ex H)). lia. }
  apply then_keeps; [apply raise_keeps; auto | intros R' F'; apply lower_keeps; auto];
    intros x Ex H; apply on_limit_spec in Ex; destruct Ex as (y & Ey & Nx & Tx); rewrite Nx; rewrite Tx in H;
    destruct (Z.ltb_spec 0 c) as [P|P].
  - apply on_limit_spec in Ey. destruct Ey as (z & Ez & Nz & Tz). rewrite Tz in H. specialize (Hi z Ez H).
    apply up_le; lia.
  - specialize (Lo y Ey H). apply up_le; [lia|]. rewrite Z.abs_neq; lia.
  - apply on_limit_spec in Ey. destruct Ey as (z & Ez & Nz & Tz). rewrite Tz in H. specialize (Lo z Ez H).
    apply down_ge; lia.
  - specialize (Hi y Ey H). apply down_ge; [lia|]. rewrite Z.abs_neq; lia.
Qed.

Lemma linear_keeps : forall b v l start R, fits b v R ->
  (rested b (rests start) -> number start + linear_value v l = 0) -> keeps b v (narrow_linear l start R).
Proof.
  intros b v l start R F E. unfold narrow_linear. destruct (collect l) as [|t0 k0] eqn:C.
  { destruct (Z.eqb_spec (number start) 0) as [X|X]; [exact F|]. simpl. intros H. specialize (E H).
    rewrite <- linear_collect, C in E. change (linear_value v []) with 0 in E. lia. }
  rewrite <- C. apply each_keeps; [|exact F].
  intros [[c a] others] R' J F'. apply term_keeps; auto.
  - destruct (picks_in _ _ _ _ J) as [X _]. exact (collect_nonzero l (c, a) X).
  - intros H. specialize (E H). rewrite <- linear_collect, (linear_picks v _ _ _ J) in E. simpl in E. lia.
Qed.

(** * Products *)

Definition power (v : valuation) (left : bool) (t : Z * dvar) : Z := size v (DVar (snd t)) ^ on_side left t.

Definition side (v : valuation) (left : bool) (l : list (Z * dvar)) : Z := times (map (power v left) l).

Definition all_some (v : valuation) (l : list (Z * dvar)) : Prop := forall t, In t l -> 1 <= size v (DVar (snd t)).

Lemma side_cons : forall v left t l, side v left (t :: l) = power v left t * side v left l.
Proof. reflexivity. Qed.

Lemma on_side_nonneg : forall left t, 0 <= on_side left t.
Proof. intros [] t; unfold on_side; lia. Qed.

Lemma power_pos : forall v left t, 1 <= size v (DVar (snd t)) -> 1 <= power v left t.
Proof.
  intros v left t H. unfold power. pose proof (on_side_nonneg left t) as N.
  pose proof (Z.pow_pos_nonneg (size v (DVar (snd t))) (on_side left t)). lia.
Qed.

Lemma all_some_cons : forall v t l, all_some v (t :: l) <-> 1 <= size v (DVar (snd t)) /\ all_some v l.
Proof.
  intros v t l. unfold all_some. simpl. split.
  - intros H. split; auto.
  - intros [H K] u [<-|J]; auto.
Qed.

Lemma side_pos : forall v left l, all_some v l -> 1 <= side v left l.
Proof.
  intros v left l; induction l as [|t l IH]; intros H; [unfold side; simpl; lia|].
  apply all_some_cons in H. destruct H as [H K]. rewrite side_cons. specialize (IH K).
  pose proof (power_pos v left t H). nia.
Qed.

Lemma power_merge : forall v c d a, 1 <= size v (DVar a) ->
  power v true (d + c, a) * power v false (d, a) * power v false (c, a) =
  power v false (d + c, a) * power v true (d, a) * power v true (c, a).
Proof.
  intros v c d a H. unfold power. simpl snd. pose proof (on_side_nonneg true (d + c, a)).
  pose proof (on_side_nonneg false (d + c, a)). pose proof (on_side_nonneg true (d, a)).
  pose proof (on_side_nonneg false (d, a)). pose proof (on_side_nonneg true (c, a)).
  pose proof (on_side_nonneg false (c, a)).
  rewrite <- !Z.pow_add_r by lia. f_equal. unfold on_side. simpl fst. lia.
Qed.

Lemma side_add : forall v c a l, 1 <= size v (DVar a) ->
  side v true (add_term c a l) * side v false l * power v false (c, a) =
  side v false (add_term c a l) * side v true l * power v true (c, a).
Proof.
  intros v c a l H; induction l as [|[d e] l IH].
  - unfold side. simpl. lia.
  - simpl. destruct (Nat.eqb_spec a e) as [<-|N]; rewrite !side_cons.
    + pose proof (power_merge v c d a H) as M.
      transitivity (power v true (d + c, a) * power v false (d, a) * power v false (c, a) * side v true l * side v false l);
        [ring | rewrite M; ring].
    + transitivity (side v true (add_term c a l) * side v false l * power v false (c, a) *
                    power v true (d, e) * power v false (d, e)); [ring | rewrite IH; ring].
Qed.

Lemma add_in : forall c a l t, In t (add_term c a l) -> snd t = a \/ exists d, In (d, snd t) l.
Proof.
  intros c a l; induction l as [|[d e] l IH]; intros t J; simpl in J.
  - destruct J as [<-|[]]; auto.
  - destruct (Nat.eqb_spec a e) as [<-|N]; destruct J as [<-|J]; auto.
    + right. exists (fst t). right. now rewrite <- surjective_pairing.
    + right. exists d. left. reflexivity.
    + destruct (IH t J) as [->|(x & X)]; [auto | right; exists x; right; auto].
Qed.

Lemma merged_some : forall v l, all_some v l -> all_some v (fold_right (fun t => add_term (fst t) (snd t)) [] l).
Proof.
  intros v l; induction l as [|t l IH]; intros H; simpl; [exact H|]. apply all_some_cons in H. destruct H as [H K].
  intros u J. destruct (add_in _ _ _ _ J) as [->|(d & X)]; [exact H | exact (IH K (d, snd u) X)].
Qed.

Lemma side_filter : forall v left k, side v left (filter (fun t => negb (fst t =? 0)) k) = side v left k.
Proof.
  intros v left k; induction k as [|[c a] k IH]; [reflexivity|]. simpl.
  destruct (Z.eqb_spec c 0) as [->|N]; simpl; rewrite !side_cons, IH; [|reflexivity].
  destruct left; unfold power, on_side; cbn [fst snd Z.opp Z.max Z.compare]; rewrite Z.pow_0_r; lia.
Qed.

Lemma side_collect : forall v l, all_some v l ->
  side v true (collect l) * side v false l = side v false (collect l) * side v true l.
Proof.
  intros v l H. unfold collect. rewrite !side_filter.
  induction l as [|[c a] l IH]; [reflexivity|]. apply all_some_cons in H. destruct H as [H K]. specialize (IH K).
  simpl. set (k := fold_right _ _ _) in *. rewrite !side_cons. pose proof (side_add v c a k H) as A.
  pose proof (side_pos v true k (merged_some v l K)). pose proof (side_pos v false k (merged_some v l K)).
  assert (X : side v true k * side v false k *
    (side v true (add_term c a k) * (power v false (c, a) * side v false l)) =
    side v true k * side v false k * (side v false (add_term c a k) * (power v true (c, a) * side v true l))).
  { transitivity ((side v true (add_term c a k) * side v false k * power v false (c, a)) * (side v true k * side v false l));
      [ring | rewrite A, IH; ring]. }
  apply Z.mul_cancel_l in X; [exact X | nia].
Qed.

Lemma collect_some : forall v l, all_some v l -> all_some v (collect l).
Proof. intros v l H t J. apply filter_In in J. exact (merged_some v l H t (proj1 J)). Qed.

Lemma side_picks : forall v left l t others, In (t, others) (picks l) -> side v left l = power v left t * side v left others.
Proof.
  intros v left l; induction l as [|u l IH]; intros t others J; simpl in J; [destruct J|].
  destruct J as [J|J]; [injection J as <- <-; apply side_cons|].
  apply in_map_iff in J. destruct J as ([t' o'] & E & J). simpl in E. injection E as <- <-.
  rewrite !side_cons, (IH _ _ J). ring.
Qed.

Lemma least_search_le : forall fuel p n low high y, 0 < p -> 0 <= low -> n <= y ^ p -> low <= y ->
  least_search fuel p n low high <= y.
Proof.
  intros fuel; induction fuel as [|fuel IH]; intros p n low high y P Z0 H L; simpl; [exact L|].
  destruct (Z.ltb_spec low high) as [X|X]; [|exact L].
  assert (D : 0 <= (high - low) / 2) by (apply Z.div_pos; lia).
  destruct (Z.ltb_spec ((low + (high - low) / 2) ^ p) n) as [Y|Y]; apply IH; auto; try lia.
  destruct (Z.le_gt_cases (low + (high - low) / 2 + 1) y) as [W|W]; [exact W|].
  assert (y ^ p <= (low + (high - low) / 2) ^ p) by (apply Z.pow_le_mono_l; lia). lia.
Qed.

Lemma most_search_ge : forall fuel p n low high y, 0 < p -> 0 <= low -> 0 <= y -> y ^ p <= n -> y <= high ->
  y <= most_search fuel p n low high.
Proof.
  intros fuel; induction fuel as [|fuel IH]; intros p n low high y P Z0 Y0 H L; simpl; [exact L|].
  destruct (Z.ltb_spec low high) as [X|X]; [|exact L].
  assert (D : 0 <= (high - low) / 2) by (apply Z.div_pos; lia).
  assert (D2 : (high - low) / 2 <= high - low) by (apply Z.div_le_upper_bound; lia).
  destruct (Z.ltb_spec n ((high - (high - low) / 2) ^ p)) as [Y|Y]; apply IH; auto; try lia.
  destruct (Z.le_gt_cases y (high - (high - low) / 2 - 1)) as [W|W]; [exact W|].
  assert ((high - (high - low) / 2) ^ p <= y ^ p) by (apply Z.pow_le_mono_l; lia). lia.
Qed.

Lemma least_root_le : forall p n y, 0 < p -> 0 <= y -> n <= y ^ p -> least_root p n <= y.
Proof.
  intros p n y P Y H. unfold least_root. destruct (Z.eqb_spec p 1) as [->|N]; [rewrite Z.pow_1_r in H; exact H|].
  apply least_search_le; auto; lia.
Qed.

Lemma most_root_ge : forall p n y, 0 < p -> 0 <= y -> y ^ p <= n -> y <= most_root p n.
Proof.
  intros p n y P Y H. unfold most_root. destruct (Z.eqb_spec p 1) as [->|N]; [rewrite Z.pow_1_r in H; exact H|].
  apply most_search_ge; auto; try lia. destruct (Z.eq_dec y 0) as [->|Y'].
  - rewrite Z.pow_0_l in H by lia. exact H.
  - assert (y ^ 1 <= y ^ p) by (apply Z.pow_le_mono_r; lia). rewrite Z.pow_1_r in *. lia.
Qed.

Lemma side_of_rested : forall b bound R left start l x, side_of bound R left start l = Some x -> rested b (rests x) ->
  rested b (rests start).
Proof.
  intros b bound R left start l; induction l as [|t l IH]; intros x E H; [injection E as <-; exact H|].
  apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply rested_or in H.
  apply (IH z); tauto.
Qed.

Lemma side_least_below : forall b v R k left l x, fits b v R -> all_some v l ->
  (rested b (sides_rest k) -> 1 <= number (side_start k left)) ->
  side_least R k left l = Some x -> rested b (rests x) ->
  1 <= number x <= number (side_start k left) * side v left l.
Proof.
  intros b v R k left l x F A S. unfold side_least. revert x.
  induction l as [|t l IH]; intros x E H.
  - injection E as <-. specialize (S H). change (side v left []) with 1. lia.
  - apply all_some_cons in A. destruct A as [A A'].
    apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply rested_or in H.
    destruct H as [Hy Hz]. specialize (IH A' z Ez Hz). rewrite N, side_cons.
    assert (P : 1 <= number y <= power v left t).
    { unfold power_of in Ey. destruct (Z.eqb_spec (on_side left t) 0) as [Z0|Z0].
      - injection Ey as <-. unfold power. rewrite Z0, Z.pow_0_r. cbn [number]. lia.
      - apply on_limit_spec in Ey. destruct Ey as (u & Eu & Nu & Tu). injection Eu as <-. rewrite Tu in Hy. cbn [rests some_element] in Hy. cbn [number some_element] in Nu.
        pose proof (proj1 (F (snd t)) Hy) as L. rewrite Nu. unfold power. pose proof (on_side_nonneg left t). split.
        + pose proof (Z.pow_pos_nonneg (Z.max 1 (number (least (R (snd t))))) (on_side left t)). lia.
        + apply Z.pow_le_mono_l. lia. }
    assert (number y * number z <= power v left t * (number (side_start k left) * side v left l))
      by (apply Z.mul_le_mono_nonneg; lia). nia.
Qed.

Lemma side_most_over : forall b v R k left l x, fits b v R -> all_some v l ->
  (rested b (sides_rest k) -> 1 <= number (side_start k left)) ->
  side_most R k left l = Some x -> rested b (rests x) ->
  (left = true -> is_open k = false) /\ number (side_start k left) * side v left l <= number x.
Proof.
  intros b v R k left l x F A S. unfold side_most.
  destruct (left && is_open k) eqn:O; [discriminate|]. intros E H.
  split; [intros ->; exact O|]. clear O. revert x E H.
  induction l as [|t l IH]; intros x E H.
  - injection E as <-. specialize (S H). change (side v left []) with 1. lia.
  - apply all_some_cons in A. destruct A as [A A'].
    apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply rested_or in H.
    destruct H as [Hy Hz]. specialize (IH A' z Ez Hz). rewrite N, side_cons.
    pose proof (side_of_rested b _ _ _ _ _ _ Ez Hz) as Hs. specialize (S Hs).
    pose proof (side_pos v left l A') as Sp. pose proof (power_pos v left t A) as Pp.
    assert (P : power v left t <= number y).
    { unfold power_of in Ey. destruct (Z.eqb_spec (on_side left t) 0) as [Z0|Z0].
      - injection Ey as <-. unfold power. rewrite Z0, Z.pow_0_r. simpl. lia.
      - apply on_limit_spec in Ey. destruct Ey as (u & Eu & Nu & Tu). rewrite Tu in Hy.
        pose proof (proj2 (F (snd t)) u Eu Hy) as L. rewrite Nu. unfold power. apply Z.pow_le_mono_l. lia. }
    assert (power v left t * (number (side_start k left) * side v left l) <= number y * number z)
      by (apply Z.mul_le_mono_nonneg; nia). nia.
Qed.

(** What a product says: [w] is what the open rows add. *)
Definition product_says (v : valuation) (k : known_sides) (l : list (Z * dvar)) : Prop :=
  1 <= on_left k /\ 1 <= on_right k /\ all_some v l /\
  exists w, 1 <= w /\ (is_open k = false -> w = 1) /\ on_left k * side v true l * w = on_right k * side v false l.

Lemma side_least_rested : forall b R k left l x, side_least R k left l = Some x -> rested b (rests x) ->
  rested b (sides_rest k).
Proof. intros b R k left l x E H. exact (side_of_rested b _ _ _ _ _ _ E H). Qed.

(** x^p·(rest) = other, with what the open rows add on its side. *)
Lemma factor_sides : forall v k e a others, e <> 0 -> product_says v k ((e, a) :: others) ->
  exists w u, 1 <= w /\ 1 <= u /\ (is_open k = false -> w = 1 /\ u = 1) /\ (0 < e -> u = 1) /\ (e < 0 -> w = 1) /\
    size v (DVar a) ^ Z.abs e * (number (side_start k (0 <? e)) * side v (0 <? e) others) * w =
    number (side_start k (negb (0 <? e))) * side v (negb (0 <? e)) others * u.
Proof.
  intros v k e a others N (L & Rr & A & w & W & O & E). rewrite !side_cons in E.
  destruct (Z.ltb_spec 0 e) as [P|P].
  - exists w, 1. repeat split; auto; try lia.
    assert (T : power v true (e, a) = size v (DVar a) ^ Z.abs e)
      by (unfold power, on_side; simpl; f_equal; lia).
    assert (U : power v false (e, a) = 1)
      by (unfold power, on_side; simpl; replace (Z.max (- e) 0) with 0 by lia; apply Z.pow_0_r).
    rewrite T, U in E. simpl. nia.
  - exists 1, w. repeat split; auto; try lia.
    assert (T : power v false (e, a) = size v (DVar a) ^ Z.abs e)
      by (unfold power, on_side; simpl; f_equal; lia).
    assert (U : power v true (e, a) = 1)
      by (unfold power, on_side; simpl; replace (Z.max e 0) with 0 by lia; apply Z.pow_0_r).
    rewrite T, U in E. simpl. nia.
Qed.

Lemma factor_keeps : forall b v k e a others R, fits b v R -> e <> 0 ->
  (rested b (sides_rest k) -> product_says v k ((e, a) :: others)) ->
  keeps b v (narrow_factor k ((e, a), others) R).
Proof.
  intros b v k e a others R F N E. unfold narrow_factor.
  assert (St : forall left, rested b (sides_rest k) -> 1 <= number (side_start k left)).
  { intros left H. destruct (E H) as (L & Rr & _). destruct left; simpl; auto. }
  apply then_keeps; [apply raise_keeps; auto | intros R' F'; apply lower_keeps; auto];
    intros x Ex H; apply on_limits_spec in Ex; destruct Ex as (y & z & Ey & Ez & Nx & Tx); rewrite Nx; rewrite Tx in H;
    apply rested_or in H; destruct H as [Hy Hz].
  - pose proof (E (side_least_rested b _ _ _ _ _ Ey Hy)) as Es. pose proof (factor_sides v k e a others N Es) as Fs.
    destruct Es as (_ & _ & A & _). apply all_some_cons in A. destruct A as [A A'].
    destruct Fs as (w & u & W & U & O & Pe & Ne & Eq). simpl in A.
    pose proof (side_least_below b v R k _ _ y F A' (St _) Ey Hy) as B.
    pose proof (side_most_over b v R k _ _ z F A' (St _) Ez Hz) as [Op M].
    apply least_root_le; [lia | lia |]. apply up_le; [lia|].
    assert (W1 : w = 1). { destruct (Z.ltb_spec 0 e) as [P|P]; [apply O, Op; reflexivity | apply Ne; lia]. }
    subst w. pose proof (Z.pow_pos_nonneg (size v (DVar a)) (Z.abs e)).
    set (X := size v (DVar a) ^ Z.abs e) in *. set (rest := number (side_start k (0 <? e)) * side v (0 <? e) others) in *.
    set (other := number (side_start k (negb (0 <? e))) * side v (negb (0 <? e)) others) in *.
    assert (X * rest <= X * Z.max 1 (number z)) by (apply Z.mul_le_mono_nonneg_l; lia). nia.
  - pose proof (E (side_least_rested b _ _ _ _ _ Ez Hz)) as Es. pose proof (factor_sides v k e a others N Es) as Fs.
    destruct Es as (_ & _ & A & _). apply all_some_cons in A. destruct A as [A A'].
    destruct Fs as (w & u & W & U & O & Pe & Ne & Eq). simpl in A.
    pose proof (side_least_below b v R k _ _ z F A' (St _) Ez Hz) as B.
    pose proof (side_most_over b v R k _ _ y F A' (St _) Ey Hy) as [Op M].
    apply most_root_ge; [lia | lia |]. apply down_ge; [lia|].
    assert (U1 : u = 1). { destruct (Z.ltb_spec 0 e) as [P|P]; [apply Pe; auto | apply O, Op; reflexivity]. }
    subst u. pose proof (Z.pow_pos_nonneg (size v (DVar a)) (Z.abs e)).
    set (X := size v (DVar a) ^ Z.abs e) in *. set (rest := number (side_start k (0 <? e)) * side v (0 <? e) others) in *.
    set (other := number (side_start k (negb (0 <? e))) * side v (negb (0 <? e)) others) in *.
    rewrite Z.max_r by lia.
    assert (number z * X <= X * rest * w) by (assert (number z * X <= rest * X) by (apply Z.mul_le_mono_nonneg_r; lia); nia).
    lia.
Qed.

Lemma product_collect : forall v k l, product_says v k l -> product_says v k (collect l).
Proof.
  intros v k l (L & Rr & A & w & W & O & E). split; [exact L | split; [exact Rr | split; [now apply collect_some|]]].
  exists w. split; [exact W | split; [exact O|]]. pose proof (side_collect v l A) as C.
  pose proof (side_pos v false l A) as P.
  assert (X : side v false l * (on_left k * side v true (collect l) * w) = side v false l * (on_right k * side v false (collect l))).
  { transitivity (on_left k * w * (side v true (collect l) * side v false l)); [ring|]. rewrite C.
    transitivity (side v false (collect l) * (on_left k * side v true l * w)); [ring | rewrite E; ring]. }
  apply Z.mul_cancel_l in X; [exact X | lia].
Qed.

Lemma factors_keep : forall b v l k R, fits b v R -> (rested b (sides_rest k) -> product_says v k l) ->
  keeps b v (narrow_factors k l R).
Proof.
  intros b v l k R F E. unfold narrow_factors. destruct (collect l) as [|t0 k0] eqn:C.
  { destruct (is_open k) eqn:O; [exact F|]. simpl. destruct (Z.eqb_spec (on_left k) (on_right k)) as [X|X]; [exact F|].
    simpl. intros H. destruct (product_collect v k l (E H)) as (_ & _ & _ & w & _ & W & Eq). rewrite C, (W O) in Eq.
    change (side v true []) with 1 in Eq. change (side v false []) with 1 in Eq. lia. }
  rewrite <- C. apply each_keeps; [|exact F].
  intros [[e a] others] R' J F'. destruct (picks_in _ _ _ _ J) as [X Y]. apply factor_keeps; auto.
  - exact (collect_nonzero l (e, a) X).
  - intros H. destruct (product_collect v k l (E H)) as (L & Rr & A & w & W & O & Eq).
    split; [exact L | split; [exact Rr | split]].
    + apply all_some_cons. split; [exact (A _ X) | intros t Jt; apply A, Y, Jt].
    + exists w. split; [exact W | split; [exact O|]].
      rewrite !side_cons. rewrite !(side_picks v _ _ _ _ J) in Eq. exact Eq.
Qed.

(** ** Quotients *)

Lemma one_spec : forall r l, one_number r = Some l ->
  exists m, most r = Some m /\ number m = number l /\ number (least r) = number l.
Proof.
  intros r l E. unfold one_number in E. destruct (most r) as [m|]; [|discriminate].
  destruct (Z.eqb_spec (number m) (number (least r))) as [Q|Q]; [|discriminate]. injection E as <-. exists m. auto.
Qed.

Lemma one_size : forall b v R a l, fits b v R -> one_number (R a) = Some l -> rested b (rests l) ->
  number l = size v (DVar a).
Proof.
  intros b v R a l F E H. unfold one_number in E. destruct (most (R a)) as [m|] eqn:M; [|discriminate].
  destruct (Z.eqb_spec (number m) (number (least (R a)))) as [Q|Q]; [|discriminate]. injection E as <-.
  simpl in H. apply rested_or in H. destruct H as [H1 H2]. pose proof (proj1 (F a) H1).
  pose proof (proj2 (F a) m M H2). simpl. lia.
Qed.

(** All of a side that is known. *)
Lemma side_known : forall b v R left start l x, fits b v R -> all_some v l ->
  side_of only_known R left start l = Some x -> rested b (rests x) -> number x = number start * side v left l.
Proof.
  intros b v R left start l x F A. revert x. induction l as [|t l IH]; intros x E H.
  - injection E as <-. change (side v left []) with 1. lia.
  - apply all_some_cons in A. destruct A as [A A'].
    apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply rested_or in H.
    destruct H as [Hy Hz]. rewrite N, (IH A' z Ez Hz), side_cons. unfold power_of in Ey. unfold power.
    destruct (Z.eqb_spec (on_side left t) 0) as [Z0|Z0].
    + injection Ey as <-. rewrite Z0, Z.pow_0_r. cbn [number]. ring.
    + apply on_limit_spec in Ey. destruct Ey as (u & Eu & -> & Tu). rewrite Tu in Hy. unfold only_known in Eu.
      destruct (one_number (R (snd t))) as [n|] eqn:O; [|discriminate]. injection Eu as <-. cbn [number rests some_element] in *.
      rewrite (one_size b v R (snd t) n F O Hy), Z.max_r by exact A. ring.
Qed.

Lemma divide_times : forall a b c d, (a | c) -> (b | d) -> (a * b | c * d).
Proof. intros a b c d [x ->] [y ->]. exists (x * y). ring. Qed.

(** What is known of a side divides it. *)
Lemma side_divides : forall b v R left start l x, fits b v R -> all_some v l ->
  side_of if_known R left start l = Some x -> rested b (rests x) -> (number x | number start * side v left l).
Proof.
  intros b v R left start l x F A. revert x. induction l as [|t l IH]; intros x E H.
  - injection E as <-. apply Z.divide_factor_l.
  - apply all_some_cons in A. destruct A as [A A'].
    apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & N & T). rewrite T in H. apply rested_or in H.
    destruct H as [Hy Hz]. rewrite N, side_cons.
    replace (number start * (power v left t * side v left l)) with (power v left t * (number start * side v left l)) by ring.
    apply divide_times; [|exact (IH A' z Ez Hz)]. unfold power_of in Ey. unfold power.
    destruct (Z.eqb_spec (on_side left t) 0) as [Z0|Z0]; [injection Ey as <-; apply Z.divide_1_l|].
    apply on_limit_spec in Ey. destruct Ey as (u & Eu & -> & Tu). rewrite Tu in Hy. unfold if_known in Eu.
    destruct (one_number (R (snd t))) as [n|] eqn:O; injection Eu as <-; cbn [number rests some_element] in *.
    + rewrite (one_size b v R (snd t) n F O Hy), Z.max_r by exact A. apply Z.divide_refl.
    + rewrite Z.pow_1_l by apply on_side_nonneg. apply Z.divide_1_l.
Qed.

Lemma quotient_keeps : forall b v k l R, fits b v R -> (rested b (sides_rest k) -> product_says v k l) ->
  keeps b v (quotient k l R).
Proof.
  intros b v k l R F E. unfold quotient.
  destruct (side_of only_known R false (side_start k false) l) as [n|] eqn:En; [|exact F].
  destruct (side_of if_known R true (side_start k true) l) as [d|] eqn:Ed; [|exact F].
  destruct (Z.eqb_spec (number n mod number d) 0) as [X|X]; [exact F|].
  simpl. rewrite rested_or. intros [Hn Hd]. apply X.
  destruct (E (side_of_rested b _ _ _ _ _ _ En Hn)) as (L & Rr & A & w & W & _ & Eq).
  pose proof (side_divides b v R true _ l d F A Ed Hd) as D. rewrite (side_known b v R false _ l n F A En Hn).
  cbn [side_start number] in *. pose proof (side_pos v true l A).
  apply Z.mod_divide; [intros Z0; rewrite Z0 in D; apply Z.divide_0_l in D; nia|].
  rewrite <- Eq. now apply Z.divide_mul_l.
Qed.

Lemma product_keeps : forall b v l k R, fits b v R -> (rested b (sides_rest k) -> product_says v k l) ->
  keeps b v (narrow_product k l R).
Proof.
  intros b v l k R F E. apply then_keeps; [|intros R' F'; now apply factors_keep].
  apply quotient_keeps; [exact F|]. intros H. apply product_collect, E, H.
Qed.

(** * Each claim *)

Lemma factor_at_size : forall b v R f l, fits b v R -> factor_at R f = Some l -> rested b (rests l) ->
  number l = factor_size v f.
Proof.
  intros b v R [n|[a|d]] l F E H; simpl in E.
  - injection E as <-. reflexivity.
  - exact (one_size b v R a l F E H).
  - injection E as <-. reflexivity.
Qed.

Definition terms_value (v : valuation) (l : list (Z * dterm)) : Z := plus (map (fun t => fst t * size v (snd t)) l).

Lemma terms_cons : forall v t l, terms_value v (t :: l) = fst t * size v (snd t) + terms_value v l.
Proof. reflexivity. Qed.

Lemma terms_parts : forall v l, terms_value v (map (pair 1) l) = plus (map (size v) l).
Proof.
  intros v l; induction l as [|u l IH]; [reflexivity|]. cbn [map]. rewrite terms_cons, IH. cbn [fst snd].
  change (plus (size v u :: map (size v) l)) with (size v u + plus (map (size v) l)). lia.
Qed.

Lemma terms_split : forall v l, linear_value v (flat_map unknown_of l) + plus (map known_of l) = terms_value v l.
Proof.
  intros v l; induction l as [|[c [a|d]] l IH]; [reflexivity| |]; unfold terms_value, plus in *; simpl in *.
  - rewrite linear_cons. simpl. lia.
  - unfold known_of at 1. simpl. unfold size at 1. simpl. lia.
Qed.

Lemma terms_keep : forall b v l c t R, fits b v R -> (rested b t -> c + terms_value v l = 0) ->
  keeps b v (narrow_terms l c t R).
Proof.
  intros b v l c t R F E. unfold narrow_terms. apply linear_keeps; [exact F|]. simpl. intros H. specialize (E H).
  pose proof (terms_split v l). lia.
Qed.

Lemma times_app : forall l k, times (l ++ k) = times l * times k.
Proof. intros l k; induction l as [|n l IH]; [simpl app; change (times []) with 1; ring|]. simpl. rewrite IH. ring. Qed.

Lemma times_pos : forall l, (forall n, In n l -> 1 <= n) -> 1 <= times l.
Proof.
  intros l; induction l as [|n l IH]; intros H; simpl; [lia|]. specialize (IH (fun m J => H m (or_intror J))).
  specialize (H n (or_introl eq_refl)). nia.
Qed.

Lemma product_times : forall l, Zpos (product l) = times (map Zpos l).
Proof. intros l; induction l as [|n l IH]; [reflexivity|]. simpl. rewrite <- IH. reflexivity. Qed.

Definition counts (l : list dim) : Z := times (map (fun d => Zpos (count d)) l).

Lemma counts_app : forall l k, counts (l ++ k) = counts l * counts k.
Proof. intros l k. unfold counts. now rewrite map_app, times_app. Qed.

Lemma counts_pos : forall l, 1 <= counts l.
Proof. intros l. apply times_pos. intros n J. apply in_map_iff in J. destruct J as (d & <- & _). lia. Qed.

Lemma counts_terms : forall v l, (forall t, In t l -> 1 <= size v t) ->
  counts (map (ground_d (v_ground v)) l) = times (map (size v) l).
Proof.
  intros v l; induction l as [|t l IH]; intros H; [reflexivity|]. unfold counts in *. simpl. rewrite IH by (intros u J; apply H; simpl; auto).
  f_equal. specialize (H t (or_introl eq_refl)). unfold size in *. destruct (is_zero v t); [lia | reflexivity].
Qed.

(** A row: what is written, times what stands at its marker. *)
Lemma row_times : forall v R, (forall t, In t (tlead R ++ ttrail R) -> 1 <= size v t) ->
  exists w, 1 <= w /\ (open_row R = false -> w = 1) /\ row_size v R = times (map (size v) (tlead R ++ ttrail R)) * w.
Proof.
  intros v R H. set (V := ground_mid (v_ground v) (tmid R)). exists (counts (lead V) * counts (trail V)).
  split; [pose proof (counts_pos (lead V)); pose proof (counts_pos (trail V)); nia | split].
  - unfold open_row, V. destruct (tmid R); [discriminate | reflexivity].
  - unfold row_size, elements. rewrite product_times, map_map. fold (counts (flat (ground_r (v_ground v) R))).
    unfold ground_r. fold V. unfold flat. cbn [lead trail]. rewrite !counts_app, map_app, times_app.
    rewrite !counts_terms by (intros t J; apply H; rewrite in_app_iff; auto). ring.
Qed.

Lemma rows_times : forall v rows, (forall R t, In R rows -> In t (tlead R ++ ttrail R) -> 1 <= size v t) ->
  exists w, 1 <= w /\ (existsb open_row rows = false -> w = 1) /\
    times (map (row_size v) rows) = times (map (size v) (written rows)) * w.
Proof.
  intros v rows; induction rows as [|R rows IH]; intros H.
  - exists 1. simpl. auto with zarith.
  - destruct IH as (w & W & O & E); [intros Q t J; apply H; simpl; auto|].
    destruct (row_times v R) as (u & U & P & D); [intros t; apply H; simpl; auto|].
    exists (u * w). split; [nia | split].
    + simpl. intros X. apply orb_false_iff in X. destruct X as [X Y]. rewrite O, P by auto. reflexivity.
    + change (times (map (row_size v) (R :: rows))) with (row_size v R * times (map (row_size v) rows)).
      change (written (R :: rows)) with ((tlead R ++ ttrail R) ++ written rows).
      rewrite E, D, (map_app _ (tlead R ++ ttrail R)), (times_app (map (size v) (tlead R ++ ttrail R))). ring.
Qed.

Lemma side_app : forall v left l k, side v left (l ++ k) = side v left l * side v left k.
Proof. intros v left l k. unfold side. now rewrite map_app, times_app. Qed.

Lemma side_written : forall v l,
  side v true (flat_map (fun u => unknown_of (1, u)) l) * times (map factor_of l) = times (map (size v) l) /\
  side v false (flat_map (fun u => unknown_of (1, u)) l) = 1.
Proof.
  intros v l; induction l as [|u l [IH JH]]; [split; reflexivity|].
  change (map factor_of (u :: l)) with (factor_of u :: map factor_of l).
  change (map (size v) (u :: l)) with (size v u :: map (size v) l).
  change (times (factor_of u :: map factor_of l)) with (factor_of u * times (map factor_of l)).
  change (times (size v u :: map (size v) l)) with (size v u * times (map (size v) l)).
  rewrite <- IH. destruct u as [a|d]; cbn [flat_map unknown_of snd fst app factor_of].
  - rewrite !side_cons, JH. unfold power, on_side. cbn [fst snd]. change (Z.max 1 0) with 1. change (Z.max (-1) 0) with 0.
    rewrite Z.pow_1_r, Z.pow_0_r. split; [ring | reflexivity].
  - split; [|exact JH]. change (size v (DConst d)) with (Zpos (count d)). ring.
Qed.

Lemma side_divided : forall v l, side v true (map (pair 1) l) = times (map (fun a => size v (DVar a)) l) /\
  side v false (map (pair 1) l) = 1.
Proof.
  intros v l; induction l as [|a l [IH JH]]; [split; reflexivity|]; simpl.
  rewrite !side_cons, IH, JH. unfold power, on_side. cbn [fst snd]. change (Z.max 1 0) with 1. change (Z.max (-1) 0) with 0.
  rewrite Z.pow_1_r, Z.pow_0_r. split; reflexivity.
Qed.

Lemma factors_pos : forall l, 1 <= times (map factor_of l).
Proof. intros l. apply times_pos. intros n J. apply in_map_iff in J. destruct J as ([a|d] & <- & _); simpl; lia. Qed.

(** A coefficient, read one way: what is known of it, times its unknowns on the right. *)
Definition coefficient_says (v : valuation) (coeff : factor) (c : limit * list (Z * dvar)) : Prop :=
  1 <= number (fst c) /\ all_some v (snd c) /\ side v true (snd c) = 1 /\
  number (fst c) * side v false (snd c) = factor_size v coeff.

Lemma side_right : forall v a, side v true [(-1, a)] = 1 /\ side v false [(-1, a)] = size v (DVar a).
Proof.
  intros v a. rewrite !side_cons. unfold power, on_side. cbn [fst snd]. change (Z.max (-1) 0) with 0.
  change (Z.max (- -1) 0) with 1. rewrite Z.pow_1_r, Z.pow_0_r. unfold side. simpl. split; ring.
Qed.

Lemma coefficients_say : forall b v R coeff c, fits b v R -> In c (coefficients R coeff) -> rested b (rests (fst c)) ->
  1 <= factor_size v coeff -> coefficient_says v coeff c.
Proof.
  intros b v R coeff c F J H O. unfold coefficients in J. apply in_app_iff in J. destruct J as [J|J].
  - destruct (factor_at R coeff) as [n|] eqn:E; [|destruct J]. destruct J as [<-|[]]. cbn [fst] in H.
    unfold coefficient_says. cbn [fst snd]. rewrite (factor_at_size b v R coeff n F E H).
    repeat split; [exact O | intros t [] | change (side v false []) with 1; ring].
  - destruct coeff as [n|[a|d]]; try destruct J as [<-|[]]; try destruct J. unfold coefficient_says. cbn [fst snd number].
    destruct (side_right v a) as [-> ->]. repeat split; [lia | | cbn [factor_size]; ring].
    apply all_some_cons. split; [exact O | intros t []].
Qed.

Lemma elements_product : forall v rows divided denom coeff var c t, says v (Elements rows divided denom coeff var) ->
  coefficient_says v coeff c ->
  product_says v (Sides (times (map factor_of (written rows)) * Zpos denom) (number (fst c)) (existsb open_row rows) t)
    (flat_map (fun u => unknown_of (1, u)) (written rows) ++ map (pair 1) divided ++ snd c ++
     match var with Some a => [(-1, a)] | None => [] end).
Proof.
  intros v rows divided denom coeff var c t (C & V & D & Rs & E) (O1 & Sc & Tc & Fc).
  pose proof (factors_pos (written rows)) as Fp. split; [simpl; nia | split; [exact O1 | split]].
  - intros u J. rewrite !in_app_iff in J. destruct J as [J|[J|[J|J]]].
    + apply in_flat_map in J. destruct J as ([a|d] & X & Y); [|destruct Y]. destruct Y as [<-|[]]. simpl.
      unfold written in X. apply in_flat_map in X. destruct X as (R & X & Y). exact (Rs R _ X Y).
    + apply in_map_iff in J. destruct J as (a & <- & J). exact (D a J).
    + exact (Sc u J).
    + destruct var as [a|]; [|destruct J]. destruct J as [<-|[]]. exact V.
  - destruct (rows_times v rows Rs) as (w & W & O & P). exists w. split; [exact W | split; [exact O|]].
    cbn [on_left on_right]. rewrite !side_app. destruct (side_written v (written rows)) as [A B].
    destruct (side_divided v divided) as [A' B']. rewrite A', B, B', Tc. rewrite P, <- A, <- Fc in E.
    assert (X : side v true (match var with Some a => [(-1, a)] | None => [] end) = 1 /\
                side v false (match var with Some a => [(-1, a)] | None => [] end) = var_size v var).
    { destruct var as [a|]; [apply side_right | split; reflexivity]. }
    destruct X as [-> ->]. rewrite !Z.mul_1_l, !Z.mul_1_r.
    transitivity (number (fst c) * side v false (snd c) * var_size v var); [rewrite <- E; ring | ring].
Qed.

Lemma total_keeps : forall b v rows divided denom coeff var t c R, fits b v R ->
  (rested b t -> says v (Elements rows divided denom coeff var)) ->
  (rested b (rests (fst c)) -> 1 <= factor_size v coeff -> coefficient_says v coeff c) ->
  keeps b v (narrow_total rows divided denom var t c R).
Proof.
  intros b v rows divided denom coeff var t c R F H C. unfold narrow_total.
  assert (Both : rested b (t || rests (fst c)) ->
    says v (Elements rows divided denom coeff var) /\ coefficient_says v coeff c).
  { intros T. apply rested_or in T. destruct T as [T Tc]. specialize (H T). split; [exact H|]. exact (C Tc (proj1 (proj1 H))). }
  destruct (Z.ltb_spec (number (fst c)) 1) as [X|X].
  - simpl. intros T. destruct (Both T) as [_ (O & _)]. lia.
  - apply product_keeps; [exact F|]. intros T. destruct (Both T) as [S Cs]. now apply (elements_product v _ _ _ coeff).
Qed.

(** Each reading of a product is what the product counts. *)
Lemma reading_size : forall b v R f extent less s, fits b v R -> In s (readings R f extent less) ->
  rested b (rests (snd s)) ->
  fst (fst s) * size v (snd (fst s)) + number (snd s) = factor_size v f * (size v extent - less).
Proof.
  intros b v R f extent less s F J H. unfold readings in J. apply in_app_iff in J. destruct J as [J|J].
  - destruct (factor_at R f) as [n|] eqn:E; [|destruct J]. destruct J as [<-|[]]. cbn [fst snd number rests] in *.
    rewrite (factor_at_size b v R f n F E H). ring.
  - destruct f as [n|u]; [destruct J|]. destruct (factor_at R (Late extent)) as [n|] eqn:E; [|destruct J].
    destruct J as [<-|[]]. cbn [fst snd number rests] in *. rewrite (factor_at_size b v R (Late extent) n F E H).
    cbn [factor_size]. ring.
Qed.

Lemma forms_hold : forall b v R d stride o m form, fits b v R -> In form (affine_forms R d stride o m) ->
  rested b (rests (snd form)) -> size v d = affine_size v stride o m ->
  number (snd form) + terms_value v (fst form) = 0.
Proof.
  assert (Two : forall b v R d stride o form, fits b v R ->
    In form (map (fun s => ([(-1, d); fst s], snd s)) (readings R stride o 0)) -> rested b (rests (snd form)) ->
    size v d = factor_size v stride * size v o -> number (snd form) + terms_value v (fst form) = 0).
  { intros b v R d stride o form F J H E. apply in_map_iff in J. destruct J as (s & <- & J). cbn [fst snd] in *.
    pose proof (reading_size b v R stride o 0 s F J H). rewrite !terms_cons. cbn [fst snd].
    change (terms_value v []) with 0. lia. }
  intros b v R d stride o [| |e k] form F J H E; cbn [affine_forms affine_size] in *.
  - exact (Two b v R d stride o form F J H E).
  - exact (Two b v R d stride o form F J H E).
  - apply in_flat_map in J. destruct J as (s & Js & J). apply in_map_iff in J. destruct J as (e' & <- & Je).
    cbn [fst snd number rests] in *. apply rested_or in H. destruct H as [Hs He].
    pose proof (reading_size b v R stride o 1 s F Js Hs). pose proof (reading_size b v R e k 1 e' F Je He).
    rewrite !terms_cons. cbn [fst snd]. change (terms_value v []) with 0. lia.
Qed.

Lemma from_keeps : forall b v n f t R, fits b v R -> (rested b t -> n <= factor_size v f) ->
  keeps b v (factor_from n f t R).
Proof.
  intros b v n f t R F H. unfold factor_from. destruct (factor_at R f) as [l|] eqn:E; [|exact F].
  destruct (Z.ltb_spec (number l) n) as [X|X]; [|exact F]. simpl. rewrite rested_or. intros [T Tl].
  pose proof (factor_at_size b v R f l F E Tl). specialize (H T). lia.
Qed.

Lemma formed_keeps : forall b v d stride o m offset t R, fits b v R -> (rested b t -> says v (Affine d stride o m offset)) ->
  keeps b v (well_formed stride m offset t R).
Proof.
  intros b v d stride o m offset t R F H. apply then_keeps.
  - apply from_keeps; [exact F|]. intros T. destruct (H T) as ((O & _) & B & _). lia.
  - intros R' F'. destruct m as [| |e k]; [exact F' | exact F'|]. destruct (Z.eqb_spec offset 0) as [X|X].
    + apply from_keeps; [exact F'|]. intros T. destruct (H T) as (_ & _ & _ & _ & _ & _ & _ & (O & _) & _). exact O.
    + simpl. intros T. destruct (H T) as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & Z0). auto.
Qed.

(** One claim narrows, and loses no solution of it. *)
Lemma narrow_keeps : forall b v c t R, fits b v R -> (rested b t -> says v c) -> keeps b v (narrow (c, t) R).
Proof.
  intros b v [d stride o m offset|d parts|rows divided denom coeff var|rows axes|d n] t R F H; cbn [narrow].
  - apply then_keeps; [now apply (formed_keeps b v d stride o)|]. intros R1 F1. apply each_keeps; [|exact F1].
    intros form R2 J F2. apply terms_keep; [exact F2|]. intros T. apply rested_or in T. destruct T as [T Tf].
    apply (forms_hold b v R d stride o m form F J Tf). apply (H T).
  - apply terms_keep; [exact F|]. intros T. destruct (H T) as (_ & E & _). rewrite terms_cons, terms_parts. cbn [fst snd]. lia.
  - apply each_keeps; [|exact F]. intros c R1 J F1. apply (total_keeps b v rows divided denom coeff); [exact F1 | exact H|].
    exact (coefficients_say b v R coeff c F J).
  - exact F.
  - destruct d as [a|d].
    2: { destruct (Z.leb_spec n (Zpos (count d))) as [X|X]; [exact F|]. simpl. intros T. specialize (H T). simpl in H.
         change (size v (DConst d)) with (Zpos (count d)) in H. lia. }
    apply (raise_keeps b v R a (Some (Limit n t))); [exact F|].
    intros x E T. injection E as <-. exact (H T).
Qed.

Lemma bounds_keep : forall b v rounds is R, fits b v R -> (forall c t, In (c, t) is -> rested b t -> says v c) ->
  keeps b v (bounds rounds is R).
Proof.
  intros b v rounds; induction rounds as [|n IH]; intros is R F H; simpl; [exact F|].
  apply then_keeps; [|intros R' F'; apply IH; auto].
  apply each_keeps; [|exact F]. intros [c t] R' J F'. apply narrow_keeps; [exact F' | exact (H c t J)].
Qed.

(** * The check *)

Lemma agreeb_spec : forall x y, agreeb x y = true <-> forall b c, x = Some b -> y = Some c -> b = c.
Proof.
  intros [b|] [c|]; simpl; split; intros H; auto; try discriminate; try (intros b' c' X Y; discriminate).
  - intros b' c' X Y. injection X as <-. injection Y as <-. now apply Nat.eqb_eq.
  - apply Nat.eqb_eq. auto.
Qed.

Lemma one_basisb_spec : forall v ts, one_basisb v ts = true <-> one_basis v ts.
Proof.
  intros v ts. unfold one_basisb, one_basis. rewrite forallb_forall. split.
  - intros H t u b c It Iu. specialize (H t It). rewrite forallb_forall in H. specialize (H u Iu).
    apply agreeb_spec. exact H.
  - intros H t It. apply forallb_forall. intros u Iu. apply agreeb_spec. intros b c. apply H; auto.
Qed.

Lemma plainb_spec : forall v t, plainb v t = true <-> plain v t.
Proof.
  intros v t. unfold plainb, plain. destruct (basis_of v t) as [b|]; simpl; [|tauto].
  rewrite Nat.eqb_eq. split; [intros ->; auto | intros [H|H]; [discriminate | now injection H]].
Qed.

Lemma factor_okb_spec : forall v f, factor_okb v f = true <-> factor_ok v f.
Proof.
  intros v f. unfold factor_okb, factor_ok. rewrite andb_true_iff, Z.leb_le.
  destruct f as [n|t]; [tauto | rewrite plainb_spec; tauto].
Qed.

Lemma dims_eqb_spec : forall l k, dims_eqb l k = true <-> l = k.
Proof.
  intros l; induction l as [|d l IH]; intros [|e k]; simpl; split; intros H; try discriminate; auto.
  - apply andb_true_iff in H. destruct H as [A B]. apply dim_eqb_eq in A. apply IH in B. congruence.
  - injection H as <- <-. apply andb_true_iff. split; [now apply dim_eqb_eq | now apply IH].
Qed.

(** 8.4(a).  The check at the end decides what claims mean. *)
Theorem conj_8_4_a_check_reflect : forall v c, saysb v c = true <-> says v c.
Proof.
  intros v [d stride o m offset|d parts|rows divided denom coeff var|rows axes|d n]; simpl.
  - rewrite !andb_true_iff, orb_true_iff, negb_true_iff, factor_okb_spec, !Z.leb_le, Z.ltb_lt, Z.eqb_eq, one_basisb_spec, dim_eqb_eq.
    assert (I : (is_identity stride m = false \/ ground_d (v_ground v) d = ground_d (v_ground v) o) <->
                (is_identity stride m = true -> ground_d (v_ground v) d = ground_d (v_ground v) o)).
    { destruct (is_identity stride m); split; intros X; auto; [|intros Y; discriminate].
      intros _. destruct X as [X|X]; [discriminate | exact X]. }
    rewrite I. destruct m as [| |e k]; [tauto | tauto |].
    rewrite !andb_true_iff, factor_okb_spec, Z.leb_le, plainb_spec, Z.eqb_eq. tauto.
  - rewrite !andb_true_iff, Z.leb_le, Z.eqb_eq, one_basisb_spec. tauto.
  - rewrite !andb_true_iff, factor_okb_spec, Z.leb_le, !forallb_forall, Z.eqb_eq.
    assert (A : (forall a, In a divided -> (1 <=? size v (DVar a)) = true) <-> forall a, In a divided -> 1 <= size v (DVar a)).
    { split; intros X a J; apply Z.leb_le; auto. }
    assert (B : (forall R, In R rows -> forallb (fun t => 1 <=? size v t) (tlead R ++ ttrail R) = true) <->
                forall R t, In R rows -> In t (tlead R ++ ttrail R) -> 1 <= size v t).
    { split.
      - intros X R t J K. specialize (X R J). rewrite forallb_forall in X. apply Z.leb_le. auto.
      - intros X R J. apply forallb_forall. intros t K. apply Z.leb_le. eauto. }
    rewrite A, B. tauto.
  - rewrite andb_true_iff, dims_eqb_spec, forallb_forall. split; intros [X E]; (split; [|exact E]).
    + intros t J. apply Z.leb_le. auto.
    + intros t J. apply Z.leb_le. auto.
  - apply Z.leb_le.
Qed.

(** * Bounds *)

Lemma cap_over : forall a c l v, cap_at a c = Some l -> holds (v_ground v) c -> size v (DVar a) <= number l.
Proof.
  intros a [t u|t u|R Q|R Q] l v E H; try discriminate. simpl in E.
  destruct t as [x|[|n b]]; try discriminate. destruct u as [x|d]; [|discriminate].
  destruct (Nat.eqb_spec a x) as [<-|N]; [|discriminate]. injection E as <-. simpl in *.
  unfold size. simpl. destruct (v_zero v a); [lia|]. destruct H as [H|H]; [rewrite H | rewrite <- H]; simpl; lia.
Qed.

(** 8.5.  Before any claim is looked at, every solution is within the ranges. *)
Lemma unbounded_fits : forall b phi zs v, sol phi (v_ground v) ->
  (forall a, v_zero v a = true -> zs a = true /\ ~ In (DV a) (flat_map vars_c phi)) ->
  fits b v (unbounded phi zs).
Proof.
  intros b phi zs v So Zs a. unfold unbounded. simpl. split.
  - intros _. unfold size. simpl. specialize (Zs a). destruct (v_zero v a); [rewrite (proj1 (Zs eq_refl)); lia|]. destruct (zs a); lia.
  - intros m E _. clear Zs. revert So E. induction phi as [|c phi IH]; intros So E; simpl in E; [discriminate|].
    destruct (cap_at a c) as [l|] eqn:Ec.
    + injection E as <-. eapply cap_over; [exact Ec | apply So; simpl; auto].
    + apply IH; [intros c' J; apply So; simpl; auto | exact E].
Qed.

(** 8.4(a), 8.5.  Reading bounds off a claim loses no solution of it: neither of those within all
    ranges, nor, with [b] false, of those within the ranges that rest on no commitment. *)
Theorem conj_8_4_a_bounds_keep_solutions : forall b v c t R R', says v c -> fits b v R ->
  narrow (c, t) R = Narrowed R' -> fits b v R'.
Proof.
  intros b v c t R R' S F E. pose proof (narrow_keeps b v c t R F (fun _ => S)) as K. now rewrite E in K.
Qed.

(** Nor do rounds over all claims. *)
Theorem conj_8_4_a_rounds_keep_solutions : forall b v rounds is R R', (forall c t, In (c, t) is -> rested b t -> says v c) ->
  fits b v R -> bounds rounds is R = Narrowed R' -> fits b v R'.
Proof.
  intros b v rounds is R R' S F E. pose proof (bounds_keep b v rounds is R F S) as K. now rewrite E in K.
Qed.

(** ST-force.  A factor times an extent is what each of its readings counts: that of a known factor, and that of an
    unknown one whose extent is known. *)
Theorem conj_8_4_a_force : forall b v R f extent less c t k, fits b v R -> In ((c, t), k) (readings R f extent less) ->
  rested b (rests k) -> c * size v t + number k = factor_size v f * (size v extent - less).
Proof. intros b v R f extent less c t k F J H. exact (reading_size b v R f extent less ((c, t), k) F J H). Qed.

(** ST-total.  A product that is refused since it does not divide has no solution within the ranges, whatever its unknowns
    and its open rows are. *)
Theorem conj_8_4_a_not_divisible : forall b v k l R t, fits b v R -> quotient k l R = Refused t -> rested b t ->
  ~ product_says v k l.
Proof.
  intros b v k l R t F E T P. pose proof (quotient_keeps b v k l R F (fun _ => P)) as K. rewrite E in K. exact (K T).
Qed.

(** An empty range is a refusal: no solution of the claims is within the ranges; and where it
    rests on no commitment, none at all. *)
Theorem conj_8_4_a_empty_is_unsat : forall phi cs zs rounds t,
  bounds rounds (map (fun c => (c, false)) cs) (unbounded phi zs) = Refused t -> ~ exists v, solves_all phi cs zs v.
Proof.
  intros phi cs zs rounds t E (v & So & Cs & Zs).
  pose proof (bounds_keep true v rounds (map (fun c => (c, false)) cs) (unbounded phi zs) (unbounded_fits true phi zs v So Zs)) as K.
  rewrite E in K. apply K; [|intros _; reflexivity].
  intros c t' J _. apply in_map_iff in J. destruct J as (c' & Ec & J). injection Ec as <- <-. auto.
Qed.

(** A range of one number is the number of elements. *)
Theorem conj_8_4_a_singleton_is_entailed : forall phi cs zs rounds R a l,
  bounds rounds (map (fun c => (c, false)) cs) (unbounded phi zs) = Narrowed R -> one_number (R a) = Some l ->
  forall v, solves_all phi cs zs v -> size v (DVar a) = number l.
Proof.
  intros phi cs zs rounds R a l E O v (So & Cs & Zs).
  pose proof (bounds_keep true v rounds (map (fun c => (c, false)) cs) (unbounded phi zs) (unbounded_fits true phi zs v So Zs)) as K.
  rewrite E in K. symmetry. apply (factor_at_size true v R (Late (DVar a)) l); [apply K | exact O | intros _; reflexivity].
  intros c t' J _. apply in_map_iff in J. destruct J as (c' & Ec & J). injection Ec as <- <-. auto.
Qed.

(** * Staged runs *)

Lemma same_on_refl : forall V v, same_on V v v.
Proof. intros V v. split; [intros [a|p] _; reflexivity | auto]. Qed.

Lemma pin_fits : forall v R a n, fits false v R -> fits false v (pin R a n).
Proof.
  intros v R a n F x. unfold pin, set_range. destruct (Nat.eqb_spec a x) as [<-|N]; [|apply F]. simpl. split.
  - intros X. now specialize (X eq_refl).
  - intros m E X. injection E as <-. now specialize (X eq_refl).
Qed.

Lemma run_meant : forall V S0 S, staged_run V S0 S -> forall v, meant false S0 v -> exists w, same_on V v w /\ meant false S w.
Proof.
  intros V S0 S H; induction H as [|S i R H IH J E|S S' H IH E|S a n H IH L M|S c H IH]; intros v Mv.
  - exists v. split; [apply same_on_refl | exact Mv].
  - destruct (IH v Mv) as (w & Sw & Cw & Fw). exists w. split; [exact Sw | split; [exact Cw|]]. simpl. destruct i as [c t].
    pose proof (narrow_keeps false w c t (st_ranges S) Fw (Cw c t J)) as K. now rewrite E in K.
  - destruct (IH v Mv) as (w & (Aw & Zw) & Mw). destruct (E w Mw) as (u & (Au & Zu) & Mu). exists u. split; [|exact Mu]. split.
    + intros x J. specialize (Aw x J). specialize (Au x J). destruct x as [a|p]; simpl in *; congruence.
    + intros a J. rewrite Zw, Zu; auto.
  - destruct (IH v Mv) as (w & Sw & Cw & Fw). exists w. split; [exact Sw | split; [exact Cw|]]. now apply pin_fits.
  - destruct (IH v Mv) as (w & Sw & Cw & Fw). exists w. split; [exact Sw | split; [|exact Fw]].
    intros c' t [X|J] T; [injection X as <- <-; now specialize (T eq_refl) | exact (Cw c' t J T)].
Qed.

Lemma given_meant : forall b phi cs zs v, solves_all phi cs zs v -> meant b (given phi cs zs) v.
Proof.
  intros b phi cs zs v (So & Cs & Zs). split; [|now apply unbounded_fits].
  intros c t J _. apply in_map_iff in J. destruct J as (c' & Ec & J). injection Ec as <- <-. auto.
Qed.

(** 8.4(a), 8.5.  Whatever was committed: a claim that is refused without the tag has no solution together
    with the rest of the input. *)
Theorem conj_8_4_a_unsat_is_true : forall V phi cs zs S i, staged_run V (given phi cs zs) S -> In i (instances S) ->
  narrow i (st_ranges S) = Refused false -> ~ exists v, solves_all phi cs zs v.
Proof.
  intros V phi cs zs S [c t] H J E (v & Sv). destruct (run_meant _ _ _ H v (given_meant false _ _ _ _ Sv)) as (w & _ & Cw & Fw).
  pose proof (narrow_keeps false w c t (st_ranges S) Fw (Cw c t J)) as K. rewrite E in K. apply K. intros X. exact X.
Qed.

(** What a run says without the tag holds of every solution: a number of elements, for the variables
    of the input. *)
Theorem conj_8_4_a_untagged_is_entailed : forall V phi cs zs S a l, staged_run V (given phi cs zs) S -> In (DV a) V ->
  one_number (st_ranges S a) = Some l -> rests l = false ->
  forall v, solves_all phi cs zs v -> size v (DVar a) = number l.
Proof.
  intros V phi cs zs S a l H J E T v Sv. destruct (run_meant _ _ _ H v (given_meant false _ _ _ _ Sv)) as (w & (Aw & Zw) & Cw & Fw).
  assert (X : size v (DVar a) = size w (DVar a)).
  { unfold size. simpl. rewrite (Zw a J). specialize (Aw (DV a) J). simpl in Aw. now rewrite Aw. }
  rewrite X. symmetry. apply (factor_at_size false w (st_ranges S) (Late (DVar a)) l Fw E). rewrite T. intros Y. exact Y.
Qed.

Lemma passes_spec : forall phi cs v, passes phi cs v = true ->
  sol phi (v_ground v) /\ (forall c, In c cs -> says v c) /\
  forall a, In (DV a) (flat_map vars_c phi) -> v_zero v a = false.
Proof.
  intros phi cs v H. unfold passes in H. rewrite !andb_true_iff, !forallb_forall in H. destruct H as [[Z0 A] B].
  split; [now apply solb_spec | split].
  - intros c J. apply conj_8_4_a_check_reflect. auto.
  - intros a J. specialize (Z0 (DV a) J). simpl in Z0. now apply negb_true_iff in Z0.
Qed.

Lemma staged_says : forall choose finish phi cs rounds n R v, staged choose finish phi cs rounds n R = Closed v ->
  sol phi (v_ground v) /\ (forall c, In c cs -> says v c) /\
  forall a, In (DV a) (flat_map vars_c phi) -> v_zero v a = false.
Proof.
  intros choose finish phi cs rounds n; induction n as [|n IH]; intros R v E; simpl in E;
    destruct (bounds rounds (map (fun c => (c, false)) cs) R) as [R'|[]]; try discriminate;
    destruct (choose R') as [[a k]|]; try discriminate; try (now apply (IH (pin R' a k)));
    destruct (passes phi cs (finish R')) eqn:X; try discriminate; injection E as <-; now apply passes_spec.
Qed.

Lemma staged_unsat : forall choose finish phi cs rounds n R v, staged choose finish phi cs rounds n R = Unsat ->
  (forall c, In c cs -> says v c) -> ~ fits false v R.
Proof.
  intros choose finish phi cs rounds n; induction n as [|n IH]; intros R v E Cs F; simpl in E;
    (assert (K : keeps false v (bounds rounds (map (fun c => (c, false)) cs) R));
      [apply bounds_keep; [exact F | intros c t J _; apply in_map_iff in J; destruct J as (c' & Ec & J); injection Ec as <- <-; auto]|]);
    destruct (bounds rounds (map (fun c => (c, false)) cs) R) as [R'|[]]; try discriminate;
    try (apply K; intros X; exact X);
    destruct (choose R') as [[a k]|]; try discriminate;
    try (destruct (passes phi cs (finish R')); discriminate).
  apply (IH (pin R' a k) v E Cs). now apply pin_fits.
Qed.

(** 8.4(a).  Where the program of the stages succeeds, whatever it chose, the values satisfy Φ₀ and all claims;
    where it says that there is no solution, there is none. *)
Theorem conj_8_4_a : forall choose finish phi cs zs rounds n,
  match staged choose finish phi cs rounds n (unbounded phi zs) with
  | Closed v => sol phi (v_ground v) /\ (forall c, In c cs -> says v c) /\
      forall a, In (DV a) (flat_map vars_c phi) -> v_zero v a = false
  | Unsat => ~ exists v, solves_all phi cs zs v
  | Rejected | Broken | Out_of_steps => True
  end.
Proof.
  intros choose finish phi cs zs rounds n. destruct (staged _ _ _ _ _ _ _) as [v| | | |] eqn:E; auto.
  - exact (staged_says _ _ _ _ _ _ _ _ E).
  - intros (v & So & Cs & Zs). apply (staged_unsat _ _ _ _ _ _ _ v E Cs). now apply unbounded_fits.
Qed.

(** 8.4(a) with closing: Φ₀ is closed together with what the stages committed, and the claims are checked of
    the values.  Then they satisfy Φ₀ with its claims. *)
Theorem conj_8_4_a_closing : forall P K n m phi bs T s l cs zs zero,
  incl (leaves T) (flat_map vars_c (phi ++ map equation bs)) -> numbered m (flat_map vars_c (phi ++ map equation bs)) ->
  close P K n m (phi ++ map equation bs) T = Closed_at s l ->
  forallb (saysb (Valuation (greatest (s_subst s)) zero)) cs = true ->
  (forall a, zero a = true -> zs a = true /\ ~ In (DV a) (flat_map vars_c phi)) ->
  solves_all phi cs zs (Valuation (greatest (s_subst s)) zero) /\
  forall b, In b bs -> holds (greatest (s_subst s)) (equation b).
Proof.
  intros P K n m phi bs T s l cs zs zero Le N E C Zs.
  pose proof (prop_6_2_close P K n m (phi ++ map equation bs) T Le N) as H. rewrite E in H. split.
  - split; [intros c J; apply H; apply in_app_iff; auto | split; [|exact Zs]].
    intros c J. apply conj_8_4_a_check_reflect. rewrite forallb_forall in C. auto.
  - intros b J. apply H. apply in_app_iff. right. now apply in_map.
Qed.

(** * The rules and the check have the same equations *)

Lemma exactly_at : forall v R V a, exactly v R V -> In a V ->
  exists m, most (R a) = Some m /\ number m = size v (DVar a) /\ number (least (R a)) = size v (DVar a).
Proof.
  intros v R V a E J. destruct (E a J) as (l & O & N). destruct (one_spec _ _ O) as (m & M & X & Y).
  exists m. split; [exact M | split; congruence].
Qed.

Lemma exactly_incl : forall v R V W, incl W V -> exactly v R V -> exactly v R W.
Proof. intros v R V W I E a J. apply E, I, J. Qed.

Lemma raise_exact : forall v R V a l R', exactly v R V -> In a V -> raise R a (Some l) = Narrowed R' ->
  number l <= size v (DVar a) /\ R' = R.
Proof.
  intros v R V a l R' E J H. destruct (exactly_at v R V a E J) as (m & M & X & Y). simpl in H.
  destruct (Z.leb_spec (number l) (number (least (R a)))) as [L|L]; [injection H as <-; split; [lia | reflexivity]|].
  unfold checked in H. simpl in H. rewrite M in H. destruct (Z.ltb_spec (number m) (number l)) as [Q|Q]; [discriminate | lia].
Qed.

Lemma lower_exact : forall v R V a l R', exactly v R V -> In a V -> lower_to R a (Some l) = Narrowed R' ->
  size v (DVar a) <= number l.
Proof.
  intros v R V a l R' E J H. destruct (exactly_at v R V a E J) as (m & M & X & Y). simpl in H. rewrite M in H.
  destruct (Z.leb_spec (number m) (number l)) as [L|L]; [lia|].
  unfold checked in H. simpl in H. destruct (Z.ltb_spec (number l) (number (least (R a)))) as [Q|Q]; [discriminate | lia].
Qed.

Lemma merged_vars : forall l, incl (map snd (collect l)) (map snd l).
Proof.
  intros l a J. apply in_map_iff in J. destruct J as (t & <- & J). apply filter_In in J. destruct J as [J _]. revert t J.
  induction l as [|u l IH]; intros t J; simpl in J; [destruct J|].
  destruct (add_in _ _ _ _ J) as [->|(d & X)]; [left; reflexivity | right; exact (IH (d, snd t) X)].
Qed.

Lemma sums_exact : forall v R start l, exactly v R (map snd l) ->
  (exists x, sum_of (small R) start l = Some x /\ number x = number start + linear_value v l) /\
  (exists x, sum_of (large R) start l = Some x /\ number x = number start + linear_value v l).
Proof.
  intros v R start l; induction l as [|[c a] l IH]; intros E.
  - change (linear_value v []) with 0. split; exists start; (split; [reflexivity | lia]).
  - destruct IH as ((x & X & Nx) & (y & Y & Ny)); [intros b J; apply E; simpl; auto|].
    destruct (exactly_at v R _ a E (or_introl eq_refl)) as (m & M & P & Q). rewrite linear_cons. cbn [fst snd].
    unfold sum_of in *. cbn [fold_right]. rewrite X, Y. unfold small, large. cbn [fst snd]. rewrite M.
    destruct (0 <? c); simpl; split; eexists; (split; [reflexivity | simpl; rewrite ?P, ?Q, ?Nx, ?Ny; ring]).
Qed.

Lemma up_ge : forall c n, 0 < c -> n <= c * up c n.
Proof. intros c n P. unfold up. pose proof (Z.mul_div_le (- n) c P). lia. Qed.

Lemma down_le : forall c n, 0 < c -> c * down c n <= n.
Proof. intros c n P. unfold down. apply Z.mul_div_le. exact P. Qed.

Lemma linear_exact : forall v l start R R', exactly v R (map snd l) -> narrow_linear l start R = Narrowed R' ->
  number start + linear_value v l = 0.
Proof.
  intros v l start R R' E H. unfold narrow_linear in H. pose proof (collect_nonzero l) as Nz.
  pose proof (exactly_incl v R _ _ (merged_vars l) E) as Ec. rewrite <- (linear_collect v l).
  destruct (collect l) as [|[c a] k].
  - destruct (Z.eqb_spec (number start) 0) as [X|X]; [|discriminate]. change (linear_value v []) with 0. lia.
  - specialize (Nz (c, a) (or_introl eq_refl)). cbn [fst] in Nz. cbn [picks each] in H.
    destruct (narrow_term R start (c, a, k) R) as [R1|t] eqn:T; [|discriminate]. unfold narrow_term in T.
    destruct (sums_exact v R start k) as ((x & X & Nx) & (y & Y & Ny)); [intros b J; apply Ec; simpl; auto|].
    rewrite X, Y in T. rewrite linear_cons. cbn [fst snd].
    assert (Ia : In a (map snd ((c, a) :: k))) by (left; reflexivity).
    destruct (Z.ltb_spec 0 c) as [P|P]; cbn [on_limit number rests] in T.
    + destruct (raise R a _) as [R2|t] eqn:T1 in T; [|discriminate]. cbn [and_then] in T.
      destruct (raise_exact _ _ _ _ _ _ Ec Ia T1) as [L ->]. pose proof (lower_exact _ _ _ _ _ _ Ec Ia T) as M.
      cbn [number] in L, M. pose proof (up_ge (Z.abs c) (- number y)). pose proof (down_le (Z.abs c) (- number x)).
      rewrite Z.abs_eq in * by lia. apply (Z.mul_le_mono_nonneg_l _ _ c) in L, M; lia.
    + destruct (raise R a _) as [R2|t] eqn:T1 in T; [|discriminate]. cbn [and_then] in T.
      destruct (raise_exact _ _ _ _ _ _ Ec Ia T1) as [L ->]. pose proof (lower_exact _ _ _ _ _ _ Ec Ia T) as M.
      cbn [number] in L, M. pose proof (up_ge (Z.abs c) (number x)). pose proof (down_le (Z.abs c) (number y)).
      rewrite Z.abs_neq in * by lia. apply (Z.mul_le_mono_nonneg_l _ _ (- c)) in L, M; lia.
Qed.

Lemma least_search_ge : forall fuel p n low high, 0 < p -> 0 <= low <= high -> n <= high ^ p ->
  high - low < 2 ^ Z.of_nat fuel -> n <= least_search fuel p n low high ^ p.
Proof.
  intros fuel; induction fuel as [|fuel IH]; intros p n low high P L H G; cbn [least_search].
  - change (2 ^ Z.of_nat 0) with 1 in G. replace low with high by lia. exact H.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r in G by lia. destruct (Z.ltb_spec low high) as [X|X]; [|replace low with high by lia; exact H].
    pose proof (Z.div_mod (high - low) 2). pose proof (Z.mod_pos_bound (high - low) 2).
    destruct (Z.ltb_spec ((low + (high - low) / 2) ^ p) n) as [Y|Y]; apply IH; auto; lia.
Qed.

Lemma most_search_le : forall fuel p n low high, 0 < p -> 0 <= low <= high -> low ^ p <= n ->
  high - low < 2 ^ Z.of_nat fuel -> most_search fuel p n low high ^ p <= n.
Proof.
  intros fuel; induction fuel as [|fuel IH]; intros p n low high P L H G; cbn [most_search].
  - change (2 ^ Z.of_nat 0) with 1 in G. replace high with low by lia. exact H.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r in G by lia. destruct (Z.ltb_spec low high) as [X|X]; [|replace high with low by lia; exact H].
    pose proof (Z.div_mod (high - low) 2). pose proof (Z.mod_pos_bound (high - low) 2).
    destruct (Z.ltb_spec n ((high - (high - low) / 2) ^ p)) as [Y|Y]; apply IH; auto; lia.
Qed.

Lemma fuel_enough : forall n, 0 <= n -> n < 2 ^ Z.of_nat (fuel_for n).
Proof.
  intros n H. unfold fuel_for. rewrite !Nat2Z.inj_succ, Z2Nat.id by apply Z.log2_up_nonneg.
  pose proof (Z.log2_up_nonneg n). rewrite !Z.pow_succ_r by lia.
  destruct (Z.le_gt_cases n 1) as [X|X]; [pose proof (Z.pow_pos_nonneg 2 (Z.log2_up n)); lia|].
  pose proof (Z.log2_up_spec n X). lia.
Qed.

Lemma least_root_ge : forall p n, 0 < p -> 0 <= n -> n <= least_root p n ^ p.
Proof.
  intros p n P H. unfold least_root. destruct (Z.eqb_spec p 1) as [->|N]; [rewrite Z.pow_1_r; lia|].
  apply least_search_ge; auto; [lia | | pose proof (fuel_enough n H); lia].
  destruct (Z.eq_dec n 0) as [->|N0]; [rewrite Z.pow_0_l; lia|].
  assert (n ^ 1 <= n ^ p) by (apply Z.pow_le_mono_r; lia). rewrite Z.pow_1_r in *. lia.
Qed.

Lemma most_root_le : forall p n, 0 < p -> 0 <= n -> most_root p n ^ p <= n.
Proof.
  intros p n P H. unfold most_root. destruct (Z.eqb_spec p 1) as [->|N]; [rewrite Z.pow_1_r; lia|].
  apply most_search_le; auto; [lia | rewrite Z.pow_0_l; lia | pose proof (fuel_enough n H); lia].
Qed.

Lemma sides_exact : forall v R k left l, exactly v R (map snd l) -> all_some v l ->
  (exists x, side_least R k left l = Some x /\ number x = number (side_start k left) * side v left l) /\
  (is_open k = false -> exists x, side_most R k left l = Some x /\ number x = number (side_start k left) * side v left l).
Proof.
  intros v R k left l E A. unfold side_least, side_most.
  assert (G : forall bound, (forall a, In a (map snd l) -> exists y, bound (R a) = Some y /\ number y = size v (DVar a)) ->
    exists x, side_of bound R left (side_start k left) l = Some x /\ number x = number (side_start k left) * side v left l).
  { intros bound. clear E A. induction l as [|t l IH]; intros H.
    - exists (side_start k left). split; [reflexivity|]. change (side v left []) with 1. lia.
    - destruct IH as (x & X & N); [intros a J; apply H; simpl; auto|].
      destruct (H (snd t) (or_introl eq_refl)) as (y & Y & M). rewrite side_cons.
      unfold side_of in *. cbn [fold_right]. rewrite X. unfold power_of. rewrite Y. unfold power.
      destruct (Z.eqb_spec (on_side left t) 0) as [Z0|Z0]; cbn [on_limit on_limits number];
        (eexists; split; [reflexivity | cbn [number]; rewrite N]); [rewrite Z0, Z.pow_0_r; ring | rewrite M; ring]. }
  split.
  - apply G. intros a J. destruct (exactly_at v R _ a E J) as (m & M & P & Q). eexists. split; [reflexivity|].
    apply in_map_iff in J. destruct J as (t & <- & J). specialize (A t J). cbn [number some_element]. lia.
  - intros O. rewrite O, andb_false_r. apply G. intros a J. destruct (exactly_at v R _ a E J) as (m & M & P & Q). eauto.
Qed.

Lemma factors_exact : forall v l k R R', exactly v R (map snd l) -> all_some v l -> is_open k = false ->
  1 <= on_left k -> 1 <= on_right k -> narrow_factors k l R = Narrowed R' ->
  on_left k * side v true l = on_right k * side v false l.
Proof.
  intros v l k R R' E A O K1 K2 H. unfold narrow_factors in H. pose proof (collect_nonzero l) as Nz.
  pose proof (exactly_incl v R _ _ (merged_vars l) E) as Ec. pose proof (collect_some v l A) as Ac.
  assert (Goal : on_left k * side v true (collect l) = on_right k * side v false (collect l)).
  { destruct (collect l) as [|[e a] o].
    - rewrite O in H. simpl in H. change (side v true []) with 1. change (side v false []) with 1.
      destruct (Z.eqb_spec (on_left k) (on_right k)) as [X|X]; [lia | discriminate].
    - specialize (Nz (e, a) (or_introl eq_refl)). cbn [fst] in Nz. cbn [picks each] in H.
      destruct (narrow_factor k (e, a, o) R) as [R1|t] eqn:T; [|discriminate]. unfold narrow_factor in T.
      assert (Ia : In a (map snd ((e, a) :: o))) by (left; reflexivity).
      apply all_some_cons in Ac. destruct Ac as [Aa Ao]. cbn [snd] in Aa.
      assert (Eo : exactly v R (map snd o)) by (intros x J; apply Ec; simpl; auto).
      destruct (sides_exact v R k (0 <? e) o Eo Ao) as ((r1 & Er1 & N1) & M1). destruct (M1 O) as (r2 & Er2 & N2).
      destruct (sides_exact v R k (negb (0 <? e)) o Eo Ao) as ((o1 & Eo1 & N3) & M2). destruct (M2 O) as (o2 & Eo2 & N4).
      rewrite Er1, Er2, Eo1, Eo2 in T. cbn [on_limits] in T.
      destruct (raise R a _) as [R2|t] eqn:T1 in T; [|discriminate]. cbn [and_then] in T.
      destruct (raise_exact _ _ _ _ _ _ Ec Ia T1) as [L ->]. pose proof (lower_exact _ _ _ _ _ _ Ec Ia T) as M.
      cbn [number] in L, M. rewrite N2, N3 in L. rewrite N1, N4 in M.
      assert (P1 : 1 <= number (side_start k (0 <? e)) * side v (0 <? e) o)
        by (pose proof (side_pos v (0 <? e) o Ao); destruct (0 <? e); cbn [side_start number] in *; nia).
      assert (P2 : 1 <= number (side_start k (negb (0 <? e))) * side v (negb (0 <? e)) o)
        by (pose proof (side_pos v (negb (0 <? e)) o Ao); destruct (negb (0 <? e)); cbn [side_start number] in *; nia).
      set (rest := number (side_start k (0 <? e)) * side v (0 <? e) o) in *.
      set (other := number (side_start k (negb (0 <? e))) * side v (negb (0 <? e)) o) in *.
      rewrite Z.max_r in L, M by lia.
      assert (U0 : 0 <= up rest other) by (pose proof (up_ge rest other ltac:(lia)); nia).
      assert (D0 : 0 <= down rest other) by (apply Z.div_pos; lia).
      pose proof (least_root_ge (Z.abs e) (up rest other) ltac:(lia) U0) as Lr.
      pose proof (most_root_le (Z.abs e) (down rest other) ltac:(lia) D0) as Mr.
      assert (X1 : up rest other <= size v (DVar a) ^ Z.abs e).
      { destruct (Z.le_gt_cases 0 (least_root (Z.abs e) (up rest other))) as [Y|Y].
        - assert (least_root (Z.abs e) (up rest other) ^ Z.abs e <= size v (DVar a) ^ Z.abs e)
            by (apply Z.pow_le_mono_l; lia). lia.
        - exfalso. revert Y. unfold least_root. destruct (Z.abs e =? 1); [lia|].
          assert (B : forall f p n low high, 0 <= low -> 0 <= least_search f p n low high).
          { intros f; induction f as [|f IH]; intros p n low high Z0; cbn [least_search]; [exact Z0|].
            destruct (Z.ltb_spec low high) as [W|W]; [|exact Z0].
            assert (0 <= (high - low) / 2) by (apply Z.div_pos; lia).
            destruct (_ <? n); apply IH; lia. }
          specialize (B (fuel_for (up rest other)) (Z.abs e) (up rest other) 0 (up rest other)). lia. }
      assert (X2 : size v (DVar a) ^ Z.abs e <= down rest other).
      { assert (size v (DVar a) ^ Z.abs e <= most_root (Z.abs e) (down rest other) ^ Z.abs e)
          by (apply Z.pow_le_mono_l; lia). lia. }
      pose proof (up_ge rest other ltac:(lia)) as Ug. pose proof (down_le rest other ltac:(lia)) as Dl.
      assert (Eq : rest * size v (DVar a) ^ Z.abs e = other).
      { apply (Z.mul_le_mono_nonneg_l _ _ rest) in X1, X2; lia. }
      rewrite !side_cons. unfold rest, other in Eq. clear - Eq Nz.
      unfold power at 1 2. cbn [snd]. destruct (Z.ltb_spec 0 e) as [P|P]; cbn [side_start number negb] in Eq; unfold on_side; cbn [fst].
      + replace (Z.max e 0) with (Z.abs e) by lia. replace (Z.max (- e) 0) with 0 by lia. rewrite Z.pow_0_r.
        transitivity (on_left k * side v true o * size v (DVar a) ^ Z.abs e); [ring | rewrite Eq; ring].
      + replace (Z.max (- e) 0) with (Z.abs e) by lia. replace (Z.max e 0) with 0 by lia. rewrite Z.pow_0_r.
        transitivity (on_right k * side v false o * size v (DVar a) ^ Z.abs e); [rewrite Eq; ring | ring]. }
  pose proof (side_collect v l A) as C. pose proof (side_pos v true _ (collect_some v l A)) as P.
  pose proof (side_pos v false _ (collect_some v l A)) as P'.
  assert (X : side v false (collect l) * (on_left k * side v true l) = side v false (collect l) * (on_right k * side v false l)).
  { transitivity (on_left k * (side v false (collect l) * side v true l)); [ring|]. rewrite <- C.
    transitivity (on_left k * side v true (collect l) * side v false l); [ring | rewrite Goal; ring]. }
  apply Z.mul_cancel_l in X; [exact X | lia].
Qed.

(** A check narrows nothing. *)
Lemma quotient_same : forall k l R R', quotient k l R = Narrowed R' -> R' = R.
Proof.
  intros k l R R'. unfold quotient.
  destruct (side_of only_known R false (side_start k false) l) as [n|]; [|congruence].
  destruct (side_of if_known R true (side_start k true) l) as [d|]; [|congruence].
  destruct (number n mod number d =? 0); congruence.
Qed.

Lemma product_factors : forall k l R R', narrow_product k l R = Narrowed R' -> narrow_factors k l R = Narrowed R'.
Proof.
  intros k l R R' H. unfold narrow_product in H. destruct (quotient k (collect l) R) as [R1|t] eqn:Q; [|discriminate].
  apply quotient_same in Q. now subst R1.
Qed.

Lemma from_same : forall n f t R R', factor_from n f t R = Narrowed R' -> R' = R.
Proof. intros n f t R R'. unfold factor_from. destruct (factor_at R f) as [l|]; [destruct (number l <? n)|]; congruence. Qed.

Lemma formed_same : forall stride m offset t R R', well_formed stride m offset t R = Narrowed R' -> R' = R.
Proof.
  intros stride m offset t R R' H. unfold well_formed in H.
  destruct (factor_from (1 + Z.max 0 offset) stride t R) as [R1|t1] eqn:E; [|discriminate]. apply from_same in E. subst R1.
  cbn [and_then] in H. destruct m as [| |e k]; [congruence | congruence|].
  destruct (offset =? 0); [exact (from_same _ _ _ _ _ H) | discriminate].
Qed.

Lemma factor_exact : forall v R f, exactly v R (unknowns (late f)) ->
  exists l, factor_at R f = Some l /\ number l = factor_size v f.
Proof.
  intros v R [n|[a|d]] E; simpl.
  - eexists. split; reflexivity.
  - apply E. left. reflexivity.
  - eexists. split; reflexivity.
Qed.

Lemma unknowns_of : forall l, map snd (flat_map unknown_of l) = unknowns (map snd l).
Proof. intros l; induction l as [|[c [a|d]] l IH]; [reflexivity| |]; simpl; now rewrite IH. Qed.

Lemma terms_exact : forall v l c t R R', exactly v R (unknowns (map snd l)) -> narrow_terms l c t R = Narrowed R' ->
  c + terms_value v l = 0.
Proof.
  intros v l c t R R' E H. rewrite <- unknowns_of in E. pose proof (linear_exact v _ _ R R' E H) as X. cbn [number] in X.
  pose proof (terms_split v l). lia.
Qed.

Lemma unknowns_app : forall l k, unknowns (l ++ k) = unknowns l ++ unknowns k.
Proof. intros l k. apply flat_map_app. Qed.

Lemma unknowns_in : forall l a, In a (unknowns l) <-> In (DVar a) l.
Proof.
  intros l a. unfold unknowns. rewrite in_flat_map. split.
  - intros ([b|d] & J & X); [|destruct X]. destruct X as [<-|[]]. exact J.
  - intros J. exists (DVar a). split; [exact J | left; reflexivity].
Qed.

Lemma written_unknowns : forall l, map snd (flat_map (fun u => unknown_of (1, u)) l) = unknowns l.
Proof. intros l; induction l as [|[a|d] l IH]; [reflexivity| |]; simpl; now rewrite IH. Qed.

(** 8.4(a).  The rule of a claim and its check have the same equation, in every mode: where all unknowns have one number
    and the rule does not refuse, the equation holds of these numbers. *)
Theorem conj_8_4_a_same_equation : forall v c t R R', exactly v R (claimed c) -> total_ready v c ->
  narrow (c, t) R = Narrowed R' -> equation_holds v c.
Proof.
  intros v [d stride o m offset|d parts|rows divided denom coeff var|rows axes|d n] t R R' E W H; cbn [narrow] in H;
    cbn [claimed] in E; cbn [equation_holds].
  - assert (I : forall l, incl l (d :: o :: late stride ++ match m with Valid e k => k :: late e | _ => [] end) ->
                exactly v R (unknowns l)).
    { intros l I. apply (exactly_incl v R _ _) with (2 := E). intros a. rewrite !unknowns_in. apply I. }
    destruct (well_formed stride m offset t R) as [R0|t0] eqn:W0; [|discriminate]. apply formed_same in W0. subst R0.
    cbn [and_then] in H. destruct (factor_exact v R stride) as (s & Es & Ns);
      [apply I; intros x J; simpl; rewrite in_app_iff; auto|].
    destruct m as [| |e k]; cbn [affine_size affine_forms] in *; unfold readings in H; rewrite Es in H.
    1, 2: cbn [app map each] in H; destruct (narrow_affine t _ R) as [R1|t1] eqn:H1 in H; [|discriminate];
      apply (terms_exact v) in H1; [|apply I; intros x; simpl; rewrite ?in_app_iff; tauto];
      cbn [fst snd number] in H1; rewrite !terms_cons in H1; cbn [fst snd] in H1; change (terms_value v []) with 0 in H1;
      rewrite Ns in H1; lia.
    destruct (factor_exact v R e) as (e' & Ee & Ne);
      [apply I; intros x J; simpl; rewrite in_app_iff; simpl; auto|]. rewrite Ee in H.
    cbn [app map flat_map each] in H. destruct (narrow_affine t _ R) as [R1|t1] eqn:H1 in H; [|discriminate].
    apply (terms_exact v) in H1; [|apply I; intros x; simpl; rewrite ?in_app_iff; simpl; tauto].
    cbn [fst snd number] in H1. rewrite !terms_cons in H1. cbn [fst snd] in H1. change (terms_value v []) with 0 in H1.
    rewrite Ns, Ne in H1. lia.
  - apply (terms_exact v) in H.
    + rewrite terms_cons, terms_parts in H. cbn [fst snd] in H. lia.
    + cbn [map snd]. rewrite map_map. cbn [snd]. rewrite map_id. exact E.
  - destruct W as (O & Co & Z0).
    assert (Pos : forall a, In a (unknowns (written rows ++ late coeff) ++ divided ++ match var with Some a => [a] | None => [] end) ->
              1 <= size v (DVar a)).
    { intros a J. unfold size. cbn [is_zero]. rewrite (Z0 a J). lia. }
    destruct (factor_exact v R coeff) as (c & Ec & Nc).
    { apply (exactly_incl v R _ _) with (2 := E). intros a J. rewrite unknowns_app, !in_app_iff. auto. }
    unfold coefficients in H. rewrite Ec in H. cbn [app each] in H.
    destruct (narrow_total rows divided denom var t (c, []) R) as [R1|t1] eqn:H1 in H; [|discriminate]. clear H.
    unfold narrow_total in H1. cbn [fst snd app] in H1. destruct (Z.ltb_spec (number c) 1) as [X|X]; [discriminate|].
    apply product_factors in H1. rename H1 into H.
    assert (V : incl (map snd (flat_map (fun u => unknown_of (1, u)) (written rows) ++ map (pair 1) divided ++
                  match var with Some a => [(-1, a)] | None => [] end))
                (unknowns (written rows ++ late coeff) ++ divided ++ match var with Some a => [a] | None => [] end)).
    { intros a. rewrite !map_app, written_unknowns, map_map, unknowns_app, !in_app_iff. cbn [snd]. rewrite map_id.
      destruct var as [b|]; simpl; tauto. }
    apply (factors_exact v) in H.
    + cbn [on_left on_right] in H. rewrite !side_app in H. destruct (side_written v (written rows)) as [A B].
      destruct (side_divided v divided) as [A' B']. rewrite A', B, B' in H.
      destruct (rows_times v rows) as (w & _ & Ow & P).
      { intros Q [a|d] J K; [|unfold size; simpl; lia]. apply Pos. rewrite unknowns_app, !in_app_iff. left. left.
        apply unknowns_in. unfold written. apply in_flat_map. exists Q. auto. }
      rewrite P, (Ow O), <- A.
      assert (Xs : side v true (match var with Some a => [(-1, a)] | None => [] end) = 1 /\
                  side v false (match var with Some a => [(-1, a)] | None => [] end) = var_size v var).
      { destruct var as [a|]; [apply side_right | split; reflexivity]. }
      destruct Xs as [X1 X2]. rewrite X1, X2, Nc in H.
      transitivity (factor_size v coeff * (1 * (1 * var_size v var))); [rewrite <- H; ring | ring].
    + exact (exactly_incl v R _ _ V E).
    + intros u J. apply Pos, V, in_map, J.
    + exact O.
    + cbn [on_left]. pose proof (factors_pos (written rows)). nia.
    + cbn [on_right]. rewrite Nc. exact Co.
  - exact I.
  - destruct d as [a|d].
    + destruct (raise_exact v R _ a _ R' E (or_introl eq_refl) H) as [L _]. exact L.
    + destruct (Z.leb_spec n (Zpos (count d))) as [X|X]; [|discriminate]. exact X.
Qed.

(** And the same conditions on factors and offsets. *)
Theorem conj_8_4_a_same_factors : forall v c t R R', exactly v R (claimed c) -> narrow (c, t) R = Narrowed R' ->
  factors_hold v c.
Proof.
  assert (From : forall v n f t R R', exactly v R (unknowns (late f)) -> factor_from n f t R = Narrowed R' -> n <= factor_size v f).
  { intros v n f t R R' E H. destruct (factor_exact v R f E) as (l & El & Nl). unfold factor_from in H. rewrite El in H.
    destruct (Z.ltb_spec (number l) n) as [X|X]; [discriminate | lia]. }
  intros v [d stride o m offset|d parts|rows divided denom coeff var|rows axes|d n] t R R' E H; cbn [narrow factors_hold] in *;
    try exact I.
  - destruct (well_formed stride m offset t R) as [R0|u] eqn:W; [|discriminate]. unfold well_formed in W. clear H.
    assert (Sub : forall l, incl l (d :: o :: late stride ++ match m with Valid e k => k :: late e | _ => [] end) ->
              exactly v R (unknowns l)).
    { intros l Sub. apply (exactly_incl v R _ _) with (2 := E). intros a. cbn [claimed]. rewrite !unknowns_in. apply Sub. }
    destruct (factor_from (1 + Z.max 0 offset) stride t R) as [R1|u] eqn:W1; [|discriminate].
    pose proof (from_same _ _ _ _ _ W1) as X. subst R1. apply (From v) in W1; [|apply Sub; intros x J; simpl; rewrite in_app_iff; auto].
    split; [lia | split; [lia|]]. cbn [and_then] in W. destruct m as [| |e k]; [exact I | exact I|].
    destruct (Z.eqb_spec offset 0) as [Z0|Z0]; [|discriminate]. split; [|exact Z0].
    apply (From v _ _ _ _ _) with (2 := W). apply Sub. intros x J. simpl. rewrite in_app_iff. simpl. auto.
  - destruct (factor_exact v R coeff) as (c & Ec & Nc).
    { apply (exactly_incl v R _ _) with (2 := E). intros a J. cbn [claimed]. rewrite unknowns_app, !in_app_iff. auto. }
    unfold coefficients in H. rewrite Ec in H. cbn [app each] in H.
    destruct (narrow_total rows divided denom var t (c, []) R) as [R1|u] eqn:H1 in H; [|discriminate].
    unfold narrow_total in H1. cbn [fst] in H1. destruct (Z.ltb_spec (number c) 1) as [X|X]; [discriminate | lia].
Qed.

(** ** A total over one open row *)

(** ST-total.  Where all is known but one open row, the total is refused exactly if it has no solution: there is one once it
    divides, with one axis of the size that is left. *)
Theorem conj_8_4_a_divisible : forall before p after denom n R,
  (exists v, says v (Elements [RTerm (map DConst before) (Some p) (map DConst after)] [] denom (Known n) None)) <->
  exists R', narrow (Elements [RTerm (map DConst before) (Some p) (map DConst after)] [] denom (Known n) None, false) R = Narrowed R'.
Proof.
  intros before p after denom n R. set (row := RTerm (map DConst before) (Some p) (map DConst after)).
  set (known := counts before * counts after * Zpos denom).
  assert (Ft : forall l, times (map factor_of (map DConst l)) = counts l) by (intros l; unfold counts; rewrite map_map; reflexivity).
  assert (Kn : times (map factor_of (written [row])) * Zpos denom = known).
  { unfold written, row, known. cbn [flat_map tlead ttrail]. now rewrite app_nil_r, map_app, times_app, !Ft. }
  assert (Nu : forall l, flat_map (fun u => unknown_of (1, u)) (map DConst l) = []) by (intros l; induction l; auto).
  assert (Un : flat_map (fun u => unknown_of (1, u)) (written [row]) = []).
  { unfold written, row. cbn [flat_map tlead ttrail]. now rewrite app_nil_r, flat_map_app, !Nu. }
  assert (Kp : 1 <= known) by (unfold known; pose proof (counts_pos before); pose proof (counts_pos after); nia).
  assert (Sz : forall v, row_size v row = counts before * counts (lead (g_r (v_ground v) p)) *
                (counts (trail (g_r (v_ground v) p)) * counts after)).
  { intros v. unfold row_size, elements. rewrite product_times, map_map. fold (counts (flat (ground_r (v_ground v) row))).
    unfold row, ground_r, flat. cbn [tlead tmid ttrail ground_mid lead trail].
    assert (Id : forall l, map (ground_d (v_ground v)) (map DConst l) = l) by (intros l; rewrite map_map; apply map_id).
    rewrite !Id, !counts_app. reflexivity. }
  assert (Nr : narrow (Elements [row] [] denom (Known n) None, false) R =
    if n <? 1 then Refused false else if n mod known =? 0 then Narrowed R else Refused false).
  { cbn [narrow coefficients factor_at app each]. unfold narrow_total. cbn [fst snd number rests orb app map].
    destruct (n <? 1); [reflexivity|]. rewrite Un. unfold narrow_product, quotient.
    cbn [app collect fold_right filter side_of side_start on_left on_right number rests sides_rest orb].
    rewrite Kn. destruct (n mod known =? 0); reflexivity. }
  rewrite Nr. clear Nr. split.
  - intros (v & (C & _) & _ & _ & _ & E). cbn [factor_size var_size map times fold_right] in *. rewrite Sz in E.
    destruct (Z.ltb_spec n 1) as [X|X]; [lia|]. destruct (Z.eqb_spec (n mod known) 0) as [Y|Y]; [eauto|]. exfalso. apply Y.
    apply Z.mod_divide; [lia|]. exists (counts (lead (g_r (v_ground v) p)) * counts (trail (g_r (v_ground v) p))).
    unfold known. transitivity (n * 1); [ring | rewrite <- E; ring].
  - intros (R' & E). destruct (Z.ltb_spec n 1) as [X|X]; [discriminate|].
    destruct (Z.eqb_spec (n mod known) 0) as [Y|Y]; [|discriminate]. apply Z.mod_divide in Y; [|lia]. destruct Y as [q Q].
    assert (Qp : 1 <= q) by nia.
    exists (Valuation (Ground (fun _ => Unit) (fun _ => Row [] [Atom (Z.to_pos q) default])) (fun _ => false)).
    split; [split; [exact X | exact I]|]. split; [simpl; lia|]. split; [intros a []|]. split.
    + intros Q' t _ _. unfold size. destruct (is_zero _ t) eqn:Z0; [destruct t; discriminate | lia].
    + cbn [factor_size var_size map times fold_right]. rewrite Sz. cbn [v_ground g_r lead trail]. unfold counts at 2 3.
      cbn [map times fold_right count]. rewrite Z2Pos.id by lia. rewrite Q. unfold known. ring.
Qed.

(** ** What bounds alone do not say *)

(** 8 = s·4: the stride is worked out, where one with a name is an unknown. *)
Theorem conj_8_4_a_worked_out : exists R l,
  narrow (Affine (DConst (num 8)) (Late (DVar 0%nat)) (DConst (num 4)) Strided 0, false) (unbounded [] (fun _ => false)) = Narrowed R /\
  one_number (R 0%nat) = Some l /\ number l = 2.
Proof. eexists. eexists. split; [reflexivity | split; reflexivity]. Qed.

(** elements of [2, x, y, z] = 15: its factors leave 1 to 7 elements to each of x, y and z, and then say nothing new; but it
    does not divide, and is refused. *)
Theorem conj_8_4_a_odd :
  let start := unbounded [] (fun _ => false) in
  let seven := Range (Limit 1 false) (Some (Limit 7 false)) in
  let end_ := set_range (set_range (set_range start 2%nat seven) 1%nat seven) 0%nat seven in
  let narrow_it := narrow_factors (Sides 2 15 false false) [(1, 0%nat); (1, 1%nat); (1, 2%nat)] in
  narrow_it start = Narrowed end_ /\ narrow_it end_ = Narrowed end_ /\
  narrow (Elements [RTerm [DConst (num 2); DVar 0%nat; DVar 1%nat; DVar 2%nat] None []] [] 1 (Known 15) None, false) start =
    Refused false.
Proof. split; [|split]; reflexivity. Qed.

(** * The order does not matter *)

Lemma within_refl : forall R, within R R.
Proof. intros R a. split; [lia | intros m M; exists m; split; [exact M | lia]]. Qed.

Lemma within_trans : forall R1 R2 R3, within R1 R2 -> within R2 R3 -> within R1 R3.
Proof.
  intros R1 R2 R3 A B a. destruct (A a) as [L M]. destruct (B a) as [L' M']. split; [lia|].
  intros m E. destruct (M' m E) as (m1 & E1 & X1). destruct (M m1 E1) as (m2 & E2 & X2). exists m2. split; [exact E2 | lia].
Qed.

Lemma checked_within : forall R a r R', checked R a r = Narrowed R' -> number (least (R a)) <= number (least r) ->
  (forall m, most (R a) = Some m -> exists m', most r = Some m' /\ number m' <= number m) -> within R' R /\ R' a = r.
Proof.
  intros R a r R' E L M.
  assert (X : R' = set_range R a r).
  { unfold checked in E. destruct (most r) as [m|]; [destruct (number m <? number (least r))|]; congruence. }
  subst R'. split; [|unfold set_range; now rewrite Nat.eqb_refl].
  intros x. unfold set_range. destruct (Nat.eqb_spec a x) as [<-|N]; [split; auto | apply within_refl].
Qed.

Lemma raise_within : forall R a l R', raise R a l = Narrowed R' -> within R' R /\ (within R R' ->
  R' = R /\ forall x, l = Some x -> number x <= number (least (R a))).
Proof.
  intros R a [l|] R' E; simpl in E.
  - destruct (Z.leb_spec (number l) (number (least (R a)))) as [L|L].
    + injection E as <-. split; [apply within_refl|]. intros _. split; [reflexivity|]. intros x X. injection X as <-. exact L.
    + apply checked_within in E; [|simpl; lia | intros m M; exists m; split; [exact M | lia]].
      destruct E as [W Ra]. split; [exact W|]. intros B. destruct (B a) as [X _]. rewrite Ra in X. simpl in X. lia.
  - injection E as <-. split; [apply within_refl|]. intros _. split; [reflexivity | discriminate].
Qed.

Lemma lower_within : forall R a l R', lower_to R a l = Narrowed R' -> within R' R /\ (within R R' ->
  R' = R /\ forall x, l = Some x -> exists m, most (R a) = Some m /\ number m <= number x).
Proof.
  intros R a [l|] R' E; simpl in E.
  - destruct (most (R a)) as [m|] eqn:M; [destruct (Z.leb_spec (number m) (number l)) as [L|L]|].
    + injection E as <-. split; [apply within_refl|]. intros _. split; [reflexivity|]. intros x X. injection X as <-. eauto.
    + apply checked_within in E; [|simpl; lia | intros m' M'; rewrite M in M'; injection M' as <-; exists l; split; [reflexivity | lia]].
      destruct E as [W Ra]. split; [exact W|]. intros B. destruct (B a) as [_ X]. rewrite Ra in X.
      destruct (X l eq_refl) as (m' & Y & Z0). rewrite M in Y. injection Y as <-. lia.
    + apply checked_within in E; [|simpl; lia | intros m' M'; rewrite M in M'; discriminate].
      destruct E as [W Ra]. split; [exact W|]. intros B. destruct (B a) as [_ X]. rewrite Ra in X.
      destruct (X l eq_refl) as (m' & Y & Z0). rewrite M in Y. discriminate.
  - injection E as <-. split; [apply within_refl|]. intros _. split; [reflexivity | discriminate].
Qed.

Definition tighten (a : dvar) (lo hi : option limit) (R : ranges) : narrowed :=
  and_then (raise R a lo) (fun R => lower_to R a hi).

Definition at_lo (F : ranges) (a : dvar) (lo : option limit) : Prop := forall x, lo = Some x -> number x <= number (least (F a)).
Definition at_hi (F : ranges) (a : dvar) (hi : option limit) : Prop :=
  forall x, hi = Some x -> exists m, most (F a) = Some m /\ number m <= number x.

Lemma tighten_within : forall a lo hi R R', tighten a lo hi R = Narrowed R' -> within R' R /\ (within R R' ->
  R' = R /\ at_lo R a lo /\ at_hi R a hi).
Proof.
  intros a lo hi R R' E. unfold tighten in E. destruct (raise R a lo) as [R1|t] eqn:E1; [|discriminate]. cbn [and_then] in E.
  apply raise_within in E1. apply lower_within in E. destruct E1 as [W1 S1]. destruct E as [W2 S2].
  split; [exact (within_trans _ _ _ W2 W1)|]. intros B.
  destruct (S1 (within_trans _ _ _ B W2)) as [-> L]. destruct (S2 B) as [-> H]. auto.
Qed.

Lemma tighten_above : forall a lo hi F R, within F R -> not_empty F -> at_lo F a lo -> at_hi F a hi ->
  exists R', tighten a lo hi R = Narrowed R' /\ within F R'.
Proof.
  assert (Ch : forall F R a r, within F R -> not_empty F -> number (least r) <= number (least (F a)) -> at_hi F a (most r) ->
             exists R', checked R a r = Narrowed R' /\ within F R').
  { intros F R a r W N L H. exists (set_range R a r). split.
    - unfold checked. destruct (most r) as [m|]; [|reflexivity]. destruct (H m eq_refl) as (m' & M & X).
      specialize (N a m' M). destruct (Z.ltb_spec (number m) (number (least r))) as [Y|Y]; [lia | reflexivity].
    - intros x. unfold set_range. destruct (Nat.eqb_spec a x) as [<-|Ne]; [split; auto | apply W]. }
  intros a lo hi F R W N L H. unfold tighten.
  assert (X : exists R1, raise R a lo = Narrowed R1 /\ within F R1).
  { destruct lo as [l|]; simpl; [|eauto]. destruct (number l <=? number (least (R a))); [eauto|].
    apply Ch; [exact W | exact N | exact (L l eq_refl) | exact (proj2 (W a))]. }
  destruct X as (R1 & -> & W1). cbn [and_then]. destruct hi as [h|]; simpl; [|eauto].
  destruct (most (R1 a)) as [m|]; [destruct (number m <=? number h); [eauto|]|];
    (apply Ch; [exact W1 | exact N | exact (proj1 (W1 a)) | exact H]).
Qed.

Lemma each_tight : forall (A : Type) (f : A -> ranges -> narrowed) (v : A -> dvar) (lo hi : A -> ranges -> option limit) l,
  (forall x R, f x R = tighten (v x) (lo x R) (hi x R) R) ->
  (forall R R', each f l R = Narrowed R' -> within R' R) /\
  (forall F, each f l F = Narrowed F -> forall x, In x l -> at_lo F (v x) (lo x F) /\ at_hi F (v x) (hi x F)).
Proof.
  intros A f v lo hi l T.
  assert (D : forall l R R', each f l R = Narrowed R' -> within R' R).
  { clear l. intros l; induction l as [|x l IH]; intros R R' E; simpl in E; [injection E as <-; apply within_refl|].
    destruct (f x R) as [R1|t] eqn:E1; [|discriminate]. rewrite T in E1. apply tighten_within in E1.
    exact (within_trans _ _ _ (IH R1 R' E) (proj1 E1)). }
  split; [apply D|]. intros F; induction l as [|x l IH]; intros E y J; [destruct J|]. simpl in E.
  destruct (f x F) as [R1|t] eqn:E1; [|discriminate]. rewrite T in E1. apply tighten_within in E1. destruct E1 as [W S].
  cbn [and_then] in E. destruct (S (D l R1 F E)) as (-> & L & H). destruct J as [<-|J]; [auto | exact (IH E y J)].
Qed.

Lemma each_above : forall (A : Type) (f : A -> ranges -> narrowed) l F, not_empty F ->
  (forall x R, In x l -> within F R -> exists R', f x R = Narrowed R' /\ within F R') ->
  forall R, within F R -> exists R', each f l R = Narrowed R' /\ within F R'.
Proof.
  intros A f l F N; induction l as [|x l IH]; intros H R W; simpl; [eauto|].
  destruct (H x R (or_introl eq_refl) W) as (R1 & -> & W1). apply IH; auto. intros y R2 J. apply H. simpl; auto.
Qed.

(** A bound that is read off [R] is no stronger than the one of [F]. *)
Definition weak_lo (x y : option limit) : Prop := forall l, x = Some l -> exists k, y = Some k /\ number l <= number k.
Definition weak_hi (x y : option limit) : Prop := forall l, x = Some l -> exists k, y = Some k /\ number k <= number l.

Lemma weak_lo_at : forall F a x y, weak_lo x y -> at_lo F a y -> at_lo F a x.
Proof. intros F a x y W A l E. destruct (W l E) as (k & Ek & L). specialize (A k Ek). lia. Qed.

Lemma weak_hi_at : forall F a x y, weak_hi x y -> at_hi F a y -> at_hi F a x.
Proof. intros F a x y W A l E. destruct (W l E) as (k & Ek & L). destruct (A k Ek) as (m & M & X). exists m. split; [exact M | lia]. Qed.

Lemma small_weak : forall F R t, within F R -> weak_lo (small R t) (small F t) /\ weak_hi (large R t) (large F t).
Proof.
  intros F R [c a] W. destruct (W a) as [L M]. unfold small, large, weak_lo, weak_hi. cbn [fst snd].
  destruct (Z.ltb_spec 0 c) as [P|P]; split; intros l E; apply on_limit_spec in E; destruct E as (y & Ey & N & _).
  - injection Ey as <-. eexists. split; [reflexivity|]. cbn [number]. rewrite N. nia.
  - destruct (M y Ey) as (m & Em & X). rewrite Em. eexists. split; [reflexivity|]. cbn [number]. rewrite N. nia.
  - destruct (M y Ey) as (m & Em & X). rewrite Em. eexists. split; [reflexivity|]. cbn [number]. rewrite N. nia.
  - injection Ey as <-. eexists. split; [reflexivity|]. cbn [number]. rewrite N. nia.
Qed.

Lemma sums_weak : forall F R s s' l, within F R -> number s = number s' ->
  weak_lo (sum_of (small R) s l) (sum_of (small F) s' l) /\ weak_hi (sum_of (large R) s l) (sum_of (large F) s' l).
Proof.
  intros F R s s' l W Es; induction l as [|t l [IH JH]].
  - split; intros x E; injection E as <-; exists s'; (split; [reflexivity | lia]).
  - destruct (small_weak F R t W) as [A B]. split; intros x E; apply on_limits_spec in E;
      destruct E as (y & z & Ey & Ez & N & _); unfold sum_of in *; cbn [fold_right].
    + destruct (A y Ey) as (y' & -> & Y). destruct (IH z Ez) as (z' & -> & Z1). eexists. split; [reflexivity|]. cbn [number]. lia.
    + destruct (B y Ey) as (y' & -> & Y). destruct (JH z Ez) as (z' & -> & Z1). eexists. split; [reflexivity|]. cbn [number]. lia.
Qed.

Lemma on_limit_weak : forall f x y, (forall n m, n <= m -> f n <= f m) ->
  (weak_lo x y -> weak_lo (on_limit f x) (on_limit f y)) /\ (weak_hi x y -> weak_hi (on_limit f x) (on_limit f y)).
Proof.
  intros f x y M. split; intros W l E; apply on_limit_spec in E; destruct E as (z & Ez & N & _);
    destruct (W z Ez) as (k & -> & L); (eexists; split; [reflexivity | cbn [number]; rewrite N; auto]).
Qed.

Lemma opp_weak : forall x y, (weak_lo x y -> weak_hi (on_limit Z.opp x) (on_limit Z.opp y)) /\
  (weak_hi x y -> weak_lo (on_limit Z.opp x) (on_limit Z.opp y)).
Proof.
  intros x y. split; intros W l E; apply on_limit_spec in E; destruct E as (z & Ez & N & _);
    destruct (W z Ez) as (k & -> & L); (eexists; split; [reflexivity | cbn [number]; rewrite N; lia]).
Qed.

Lemma up_mono : forall c n m, 0 < c -> n <= m -> up c n <= up c m.
Proof. intros c n m P H. unfold up. assert (- m / c <= - n / c) by (apply Z.div_le_mono; lia). lia. Qed.

Lemma down_mono : forall c n m, 0 < c -> n <= m -> down c n <= down c m.
Proof. intros c n m P H. unfold down. apply Z.div_le_mono; lia. Qed.

Definition term_lo (s : limit) (R0 : ranges) (p : (Z * dvar) * list (Z * dvar)) : option limit :=
  on_limit (up (Z.abs (fst (fst p)))) (if 0 <? fst (fst p) then on_limit Z.opp (sum_of (large R0) s (snd p)) else sum_of (small R0) s (snd p)).
Definition term_hi (s : limit) (R0 : ranges) (p : (Z * dvar) * list (Z * dvar)) : option limit :=
  on_limit (down (Z.abs (fst (fst p)))) (if 0 <? fst (fst p) then on_limit Z.opp (sum_of (small R0) s (snd p)) else sum_of (large R0) s (snd p)).

Lemma term_tight : forall R0 s p R, narrow_term R0 s p R = tighten (snd (fst p)) (term_lo s R0 p) (term_hi s R0 p) R.
Proof. intros R0 s [[c a] o] R. reflexivity. Qed.

Lemma linear_above : forall F R l s s', within F R -> not_empty F -> number s = number s' ->
  narrow_linear l s' F = Narrowed F -> exists R', narrow_linear l s R = Narrowed R' /\ within F R'.
Proof.
  intros F R l s s' W N Es H. unfold narrow_linear in *. pose proof (collect_nonzero l) as Nz.
  destruct (collect l) as [|t k] eqn:C.
  - rewrite Es. destruct (number s' =? 0); [eauto | discriminate].
  - rewrite <- C in *. clear t k C. apply each_above; auto. intros p R1 J W1. rewrite term_tight.
    destruct (each_tight _ (narrow_term F s') (fun p => snd (fst p)) (fun p _ => term_lo s' F p) (fun p _ => term_hi s' F p)
      (picks (collect l)) (fun p R => term_tight F s' p R)) as [_ St].
    destruct (St F H p J) as [L U]. destruct (sums_weak F R s s' (snd p) W Es) as [A B].
    assert (P : 0 < Z.abs (fst (fst p))).
    { destruct p as [q o]. destruct (picks_in _ _ _ _ J) as [X _]. specialize (Nz q X). cbn [fst]. lia. }
    apply tighten_above; auto.
    + apply (weak_lo_at F _ _ _) with (2 := L). unfold term_lo.
      apply on_limit_weak; [intros n m; now apply up_mono|]. destruct (0 <? fst (fst p)); [now apply opp_weak | exact A].
    + apply (weak_hi_at F _ _ _) with (2 := U). unfold term_hi.
      apply on_limit_weak; [intros n m; now apply down_mono|]. destruct (0 <? fst (fst p)); [now apply opp_weak | exact B].
Qed.

Lemma least_root_nonneg : forall p n, 0 <= n -> 0 <= least_root p n.
Proof.
  intros p n H. unfold least_root. destruct (p =? 1); [exact H|].
  assert (B : forall f p n low high, 0 <= low -> 0 <= least_search f p n low high).
  { intros f; induction f as [|f IH]; intros q k low high Z0; cbn [least_search]; [exact Z0|].
    destruct (Z.ltb_spec low high) as [W|W]; [|exact Z0].
    assert (0 <= (high - low) / 2) by (apply Z.div_pos; lia).
    destruct (_ <? k); apply IH; lia. }
  apply B. lia.
Qed.

Lemma least_root_mono : forall p n m, 0 < p -> 0 <= n <= m -> least_root p n <= least_root p m.
Proof.
  intros p n m P H. apply least_root_le; [exact P | apply least_root_nonneg; lia|].
  pose proof (least_root_ge p m P ltac:(lia)). lia.
Qed.

Lemma most_root_mono : forall p n m, 0 < p -> 0 <= n <= m -> most_root p n <= most_root p m.
Proof.
  intros p n m P H. apply most_root_ge; [exact P | |].
  - apply most_root_ge; [exact P | lia | rewrite Z.pow_0_l; lia].
  - pose proof (most_root_le p n P ltac:(lia)). lia.
Qed.

Lemma most_nonneg : forall F a m, not_empty F -> from_zero F -> most (F a) = Some m -> 0 <= number m.
Proof. intros F a m N Z0 M. specialize (N a m M). specialize (Z0 a). lia. Qed.

Lemma sides_weak : forall F R k k' left l, within F R -> not_empty F -> from_zero F ->
  on_left k = on_left k' -> on_right k = on_right k' -> is_open k = is_open k' -> 1 <= on_left k -> 1 <= on_right k ->
  (forall x, side_least R k left l = Some x -> exists y, side_least F k' left l = Some y /\ 1 <= number x <= number y) /\
  (forall x, side_most R k left l = Some x -> exists y, side_most F k' left l = Some y /\ 0 <= number y <= number x).
Proof.
  intros F R k k' left l W N Z0 E1 E2 E3 K1 K2. unfold side_least, side_most. rewrite <- E3.
  assert (St : number (side_start k left) = number (side_start k' left) /\ 1 <= number (side_start k left))
    by (destruct left; simpl; auto).
  destruct St as [St Sp].
  assert (Least : forall x, side_of (fun r => Some (some_element (least r))) R left (side_start k left) l = Some x ->
    exists y, side_of (fun r => Some (some_element (least r))) F left (side_start k' left) l = Some y /\ 1 <= number x <= number y).
  { induction l as [|t l IH]; intros x E.
    - injection E as <-. exists (side_start k' left). split; [reflexivity | lia].
    - apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & Nx & _). destruct (IH z Ez) as (z' & Ez' & Lz).
      unfold side_of in *. cbn [fold_right]. rewrite Ez'. unfold power_of in *.
      destruct (Z.eqb_spec (on_side left t) 0) as [Q|Q].
      + injection Ey as <-. eexists. split; [reflexivity|]. cbn [number] in *. lia.
      + apply on_limit_spec in Ey. destruct Ey as (u & Eu & Ny & _). injection Eu as <-. eexists. split; [reflexivity|].
        cbn [number some_element] in *. destruct (W (snd t)) as [L _]. pose proof (on_side_nonneg left t).
        assert (1 <= number y) by (rewrite Ny; pose proof (Z.pow_pos_nonneg (Z.max 1 (number (least (R (snd t))))) (on_side left t)); lia).
        assert (number y <= Z.max 1 (number (least (F (snd t)))) ^ on_side left t) by (rewrite Ny; apply Z.pow_le_mono_l; lia).
        rewrite Nx. split; [nia|]. apply Z.mul_le_mono_nonneg; lia. }
  split; [exact Least|]. destruct (left && is_open k); [discriminate|]. clear Least.
  induction l as [|t l IH]; intros x E.
  - injection E as <-. exists (side_start k' left). split; [reflexivity | lia].
  - apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & Nx & _). destruct (IH z Ez) as (z' & Ez' & Lz).
    unfold side_of in *. cbn [fold_right]. rewrite Ez'. unfold power_of in *.
    destruct (Z.eqb_spec (on_side left t) 0) as [Q|Q].
    + injection Ey as <-. eexists. split; [reflexivity|]. cbn [number] in *. lia.
    + apply on_limit_spec in Ey. destruct Ey as (u & Eu & Ny & _). destruct (W (snd t)) as [_ M].
      destruct (M u Eu) as (m & Em & Lm). rewrite Em. eexists. split; [reflexivity|]. cbn [number].
      pose proof (most_nonneg F (snd t) m N Z0 Em). pose proof (on_side_nonneg left t).
      assert (0 <= number m ^ on_side left t) by (apply Z.pow_nonneg; lia).
      assert (number m ^ on_side left t <= number y) by (rewrite Ny; apply Z.pow_le_mono_l; lia).
      rewrite Nx. split; [nia|]. apply Z.mul_le_mono_nonneg; lia.
Qed.

Definition factor_lo (k : known_sides) (p : (Z * dvar) * list (Z * dvar)) (R : ranges) : option limit :=
  on_limits (fun n by_ => least_root (Z.abs (fst (fst p))) (up (Z.max 1 by_) n))
    (side_least R k (negb (0 <? fst (fst p))) (snd p)) (side_most R k (0 <? fst (fst p)) (snd p)).
Definition factor_hi (k : known_sides) (p : (Z * dvar) * list (Z * dvar)) (R : ranges) : option limit :=
  on_limits (fun n by_ => most_root (Z.abs (fst (fst p))) (down (Z.max 1 by_) n))
    (side_most R k (negb (0 <? fst (fst p))) (snd p)) (side_least R k (0 <? fst (fst p)) (snd p)).

Lemma factor_tight : forall k p R, narrow_factor k p R = tighten (snd (fst p)) (factor_lo k p R) (factor_hi k p R) R.
Proof. intros k [[e a] o] R. reflexivity. Qed.

Lemma up_anti : forall c d n, 0 < c <= d -> 0 <= n -> up d n <= up c n.
Proof.
  intros c d n P H. apply up_le; [lia|]. pose proof (up_ge c n ltac:(lia)) as U.
  assert (0 <= up c n) by nia. nia.
Qed.

Lemma factors_above : forall F R l k k', within F R -> not_empty F -> from_zero F ->
  on_left k = on_left k' -> on_right k = on_right k' -> is_open k = is_open k' -> 1 <= on_left k -> 1 <= on_right k ->
  narrow_factors k' l F = Narrowed F -> exists R', narrow_factors k l R = Narrowed R' /\ within F R'.
Proof.
  intros F R l k k' W N Z0 E1 E2 E3 K1 K2 H. unfold narrow_factors in *. pose proof (collect_nonzero l) as Nz.
  destruct (collect l) as [|t o] eqn:C.
  - rewrite E1, E2, E3. destruct (is_open k' || (on_left k' =? on_right k')); [eauto | discriminate].
  - rewrite <- C in *. clear t o C. apply each_above; auto. intros p R1 J W1. rewrite factor_tight.
    destruct (each_tight _ (narrow_factor k') (fun p => snd (fst p)) (factor_lo k') (factor_hi k')
      (picks (collect l)) (factor_tight k')) as [_ St].
    destruct (St F H p J) as [L U].
    destruct (sides_weak F R1 k k' (0 <? fst (fst p)) (snd p) W1 N Z0 E1 E2 E3 K1 K2) as [A B].
    destruct (sides_weak F R1 k k' (negb (0 <? fst (fst p))) (snd p) W1 N Z0 E1 E2 E3 K1 K2) as [A' B'].
    assert (P : 0 < Z.abs (fst (fst p))).
    { destruct p as [q o]. destruct (picks_in _ _ _ _ J) as [X _]. specialize (Nz q X). cbn [fst]. lia. }
    apply tighten_above; auto.
    + apply (weak_lo_at F _ _ _) with (2 := L). unfold factor_lo. intros x E. apply on_limits_spec in E.
      destruct E as (y & z & Ey & Ez & Nx & _). destruct (A' y Ey) as (y' & -> & Y). destruct (B z Ez) as (z' & -> & Y').
      eexists. split; [reflexivity|]. cbn [number]. rewrite Nx. apply least_root_mono; [exact P|].
      pose proof (up_ge (Z.max 1 (number z)) (number y) ltac:(lia)).
      pose proof (up_mono (Z.max 1 (number z)) (number y) (number y') ltac:(lia) ltac:(lia)).
      pose proof (up_anti (Z.max 1 (number z')) (Z.max 1 (number z)) (number y') ltac:(lia) ltac:(lia)). split; [nia | lia].
    + apply (weak_hi_at F _ _ _) with (2 := U). unfold factor_hi. intros x E. apply on_limits_spec in E.
      destruct E as (y & z & Ey & Ez & Nx & _). destruct (B' y Ey) as (y' & -> & Y). destruct (A z Ez) as (z' & -> & Y').
      eexists. split; [reflexivity|]. cbn [number]. rewrite Nx. apply most_root_mono; [exact P|].
      unfold down. split; [apply Z.div_pos; lia|].
      transitivity (number y' / Z.max 1 (number z)); [apply Z.div_le_compat_l; lia | apply Z.div_le_mono; lia].
Qed.

(** What is one number stays that number. *)
Lemma one_above : forall F R a l, within F R -> not_empty F -> one_number (R a) = Some l ->
  exists k, one_number (F a) = Some k /\ number k = number l.
Proof.
  intros F R a l W N E. apply one_spec in E. destruct E as (m & M & X & Y). destruct (W a) as [L H].
  destruct (H m M) as (m' & M' & X'). pose proof (N a m' M'). unfold one_number. rewrite M'.
  destruct (Z.eqb_spec (number m') (number (least (F a)))) as [Q|Q]; [|lia]. eexists. split; [reflexivity|]. cbn [number]. lia.
Qed.

Lemma factor_at_above : forall F R f l, within F R -> not_empty F -> factor_at R f = Some l ->
  exists k, factor_at F f = Some k /\ number k = number l.
Proof.
  intros F R [n|[a|d]] l W N E; simpl in *; try (eexists; split; [exact E | reflexivity]). exact (one_above F R a l W N E).
Qed.

(** More is known: a side that was known is the same, and what is known of another is a multiple of what was. *)
Lemma known_above : forall F R left s s' l x, within F R -> not_empty F -> number s = number s' ->
  side_of only_known R left s l = Some x -> exists y, side_of only_known F left s' l = Some y /\ number y = number x.
Proof.
  intros F R left s s' l x W N Es. revert x. induction l as [|t l IH]; intros x E.
  - injection E as <-. exists s'. auto.
  - apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & Nx & _). destruct (IH z Ez) as (z' & Ez' & Nz).
    unfold side_of in *. cbn [fold_right]. rewrite Ez'. unfold power_of in *. destruct (on_side left t =? 0).
    + injection Ey as <-. eexists. split; [reflexivity|]. cbn [number] in *. lia.
    + apply on_limit_spec in Ey. destruct Ey as (u & Eu & Ny & _). unfold only_known in *.
      destruct (one_number (R (snd t))) as [n|] eqn:O; [|discriminate]. injection Eu as <-.
      destruct (one_above F R (snd t) n W N O) as (n' & -> & Nn). eexists. split; [reflexivity|].
      cbn [number some_element] in *. now rewrite Nx, Ny, Nn, Nz.
Qed.

Lemma divides_above : forall F R left s s' l x, within F R -> not_empty F -> number s = number s' -> 1 <= number s ->
  side_of if_known R left s l = Some x ->
  exists y, side_of if_known F left s' l = Some y /\ 1 <= number x /\ 1 <= number y /\ (number x | number y).
Proof.
  intros F R left s s' l x W N Es S1. revert x. induction l as [|t l IH]; intros x E.
  - injection E as <-. exists s'. rewrite <- Es. repeat split; [exact S1 | exact S1 | apply Z.divide_refl].
  - apply on_limits_spec in E. destruct E as (y & z & Ey & Ez & Nx & _). destruct (IH z Ez) as (z' & Ez' & Z1 & Z2 & Dz).
    unfold side_of in *. cbn [fold_right]. rewrite Ez', Nx. unfold power_of in *. destruct (on_side left t =? 0).
    + injection Ey as <-. eexists. split; [reflexivity|]. cbn [number] in *. rewrite !Z.mul_1_l. auto.
    + apply on_limit_spec in Ey. destruct Ey as (u & Eu & Ny & _). rewrite Ny. unfold if_known in *. eexists. split; [reflexivity|].
      cbn [number on_limit]. pose proof (on_side_nonneg left t) as P.
      assert (Dy : forall n, 1 <= n -> 1 <= n ^ on_side left t)
        by (intros n On; pose proof (Z.pow_pos_nonneg n (on_side left t)); lia).
      destruct (one_number (R (snd t))) as [n|] eqn:O; injection Eu as <-; cbn [number some_element].
      * destruct (one_above F R (snd t) n W N O) as (n' & -> & Nn). cbn [number some_element]. rewrite Nn.
        specialize (Dy (Z.max 1 (number n)) ltac:(lia)).
        repeat split; [nia | nia | apply divide_times; [apply Z.divide_refl | exact Dz]].
      * rewrite Z.pow_1_l by exact P.
        assert (1 <= number match one_number (F (snd t)) with Some n => some_element n | None => Limit 1 false end ^ on_side left t)
          by (apply Dy; destruct (one_number (F (snd t))); cbn [number some_element]; lia).
        repeat split; [lia | nia | apply divide_times; [apply Z.divide_1_l | exact Dz]].
Qed.

Lemma quotient_above : forall F R l k k', within F R -> not_empty F -> on_left k = on_left k' -> on_right k = on_right k' ->
  1 <= on_left k -> quotient k' l F = Narrowed F -> quotient k l R = Narrowed R.
Proof.
  intros F R l k k' W N E1 E2 K1 H. unfold quotient in *.
  destruct (side_of only_known R false (side_start k false) l) as [n|] eqn:En; [|reflexivity].
  destruct (side_of if_known R true (side_start k true) l) as [d|] eqn:Ed; [|reflexivity].
  destruct (known_above F R false (side_start k false) (side_start k' false) l n W N E2 En) as (n' & En' & Nn).
  destruct (divides_above F R true (side_start k true) (side_start k' true) l d W N E1 K1 Ed) as (d' & Ed' & D1 & D2 & Dd).
  rewrite En', Ed', Nn in H. destruct (Z.eqb_spec (number n mod number d') 0) as [X|X]; [|discriminate].
  destruct (Z.eqb_spec (number n mod number d) 0) as [Y|Y]; [reflexivity|]. exfalso. apply Y.
  apply Z.mod_divide; [lia|]. apply Z.mod_divide in X; [|lia]. exact (Z.divide_trans _ _ _ Dd X).
Qed.

Lemma product_above : forall F R l k k', within F R -> not_empty F -> from_zero F ->
  on_left k = on_left k' -> on_right k = on_right k' -> is_open k = is_open k' -> 1 <= on_left k -> 1 <= on_right k ->
  narrow_product k' l F = Narrowed F -> exists R', narrow_product k l R = Narrowed R' /\ within F R'.
Proof.
  intros F R l k k' W N Z0 E1 E2 E3 K1 K2 H. pose proof (product_factors _ _ _ _ H) as Hf. unfold narrow_product in *.
  destruct (quotient k' (collect l) F) as [F1|t] eqn:Q; [|discriminate]. pose proof (quotient_same _ _ _ _ Q) as X. subst F1.
  rewrite (quotient_above F R (collect l) k k' W N E1 E2 K1 Q). exact (factors_above F R l k k' W N Z0 E1 E2 E3 K1 K2 Hf).
Qed.

Lemma terms_above : forall F R l c t t', within F R -> not_empty F -> narrow_terms l c t' F = Narrowed F ->
  exists R', narrow_terms l c t R = Narrowed R' /\ within F R'.
Proof.
  intros F R l c t t' W N H. unfold narrow_terms in *.
  apply (linear_above F R (flat_map unknown_of l) (Limit (c + plus (map known_of l)) t) (Limit (c + plus (map known_of l)) t'));
    auto.
Qed.

(** What narrows to nothing new changes nothing. *)
Definition steady (f : ranges -> narrowed) : Prop :=
  forall R R', f R = Narrowed R' -> within R' R /\ (within R R' -> R' = R).

Lemma each_steady : forall (A : Type) (f : A -> ranges -> narrowed) l, (forall x, steady (f x)) -> steady (each f l).
Proof.
  intros A f l S; induction l as [|x l IH]; intros R R' E; simpl in E; [injection E as <-; split; [apply within_refl | auto]|].
  destruct (f x R) as [R1|t] eqn:E1; [|discriminate]. destruct (S x R R1 E1) as [W1 S1]. destruct (IH R1 R' E) as [W2 S2].
  split; [exact (within_trans _ _ _ W2 W1)|]. intros B. pose proof (S1 (within_trans _ _ _ B W2)) as X. subst R1. exact (S2 B).
Qed.

Lemma each_settled : forall (A : Type) (f : A -> ranges -> narrowed) l F, (forall x, steady (f x)) ->
  each f l F = Narrowed F -> forall x, In x l -> f x F = Narrowed F.
Proof.
  intros A f l F S; induction l as [|y l IH]; intros E x J; [destruct J|]. simpl in E.
  destruct (f y F) as [R1|t] eqn:E1; [|discriminate]. destruct (S y F R1 E1) as [_ S1].
  pose proof (S1 (proj1 (each_steady A f l S R1 F E))) as X. subst R1. destruct J as [<-|J]; [exact E1 | exact (IH E x J)].
Qed.

Lemma linear_steady : forall l s, steady (narrow_linear l s).
Proof.
  intros l s R R' E. unfold narrow_linear in E. destruct (collect l) as [|t k].
  - destruct (number s =? 0); [injection E as <-; split; [apply within_refl | auto] | discriminate].
  - revert E. apply each_steady. intros p R1 R2 E. rewrite term_tight in E. destruct (tighten_within _ _ _ _ _ E) as [W S].
    split; [exact W | intros B; apply (S B)].
Qed.

Lemma total_steady : forall rows divided denom var t c, steady (narrow_total rows divided denom var t c).
Proof.
  intros rows divided denom var t c R R' E. unfold narrow_total in E. destruct (number (fst c) <? 1); [discriminate|].
  apply product_factors in E. unfold narrow_factors in E. destruct (collect _) as [|u k] in E.
  - destruct (_ || _) in E; [injection E as <-; split; [apply within_refl | auto] | discriminate].
  - revert E. apply each_steady. intros p R1 R2 E. rewrite factor_tight in E. destruct (tighten_within _ _ _ _ _ E) as [W S].
    split; [exact W | intros B; apply (S B)].
Qed.

Lemma from_above : forall F R n f t, within F R -> not_empty F -> factor_from n f t F = Narrowed F ->
  factor_from n f t R = Narrowed R.
Proof.
  intros F R n f t W N H. unfold factor_from in *. destruct (factor_at R f) as [l|] eqn:E; [|reflexivity].
  destruct (factor_at_above F R f l W N E) as (k & Ek & Nk). rewrite Ek, Nk in H. destruct (number l <? n); [discriminate | reflexivity].
Qed.

Lemma formed_above : forall F R stride m offset t, within F R -> not_empty F -> well_formed stride m offset t F = Narrowed F ->
  well_formed stride m offset t R = Narrowed R.
Proof.
  intros F R stride m offset t W N H. unfold well_formed in *.
  destruct (factor_from (1 + Z.max 0 offset) stride t F) as [F1|u] eqn:E; [|discriminate].
  pose proof (from_same _ _ _ _ _ E) as X. subst F1. rewrite (from_above F R _ _ _ W N E). cbn [and_then] in *.
  destruct m as [| |e k]; [reflexivity | reflexivity|]. destruct (offset =? 0); [exact (from_above F R _ _ _ W N H) | discriminate].
Qed.

(** The ways to read a claim that there are stay. *)
Lemma readings_above : forall F R f extent less s, within F R -> not_empty F -> In s (readings R f extent less) ->
  exists s', In s' (readings F f extent less) /\ fst s' = fst s /\ number (snd s') = number (snd s).
Proof.
  intros F R f extent less s W N J. unfold readings in *. apply in_app_iff in J. destruct J as [J|J].
  - destruct (factor_at R f) as [n|] eqn:E; [|destruct J]. destruct J as [<-|[]].
    destruct (factor_at_above F R f n W N E) as (n' & -> & Nn). eexists. split; [left; reflexivity|]. cbn [fst snd number]. now rewrite Nn.
  - destruct f as [n|u]; [destruct J|]. destruct (factor_at R (Late extent)) as [n|] eqn:E; [|destruct J]. destruct J as [<-|[]].
    destruct (factor_at_above F R _ n W N E) as (n' & -> & Nn). eexists. split; [apply in_app_iff; right; left; reflexivity|].
    cbn [fst snd number]. now rewrite Nn.
Qed.

Lemma forms_above : forall F R d stride o m form, within F R -> not_empty F -> In form (affine_forms R d stride o m) ->
  exists form', In form' (affine_forms F d stride o m) /\ fst form' = fst form /\ number (snd form') = number (snd form).
Proof.
  assert (Two : forall F R d stride o form, within F R -> not_empty F ->
    In form (map (fun s : (Z * dterm) * limit => ([(-1, d); fst s], snd s)) (readings R stride o 0)) ->
    exists form', In form' (map (fun s => ([(-1, d); fst s], snd s)) (readings F stride o 0)) /\
      fst form' = fst form /\ number (snd form') = number (snd form)).
  { intros F R d stride o form W N J. apply in_map_iff in J. destruct J as (s & <- & J).
    destruct (readings_above F R _ _ _ s W N J) as (s' & J' & Ef & En). eexists. split; [apply in_map_iff; exists s'; auto|].
    cbn [fst snd]. now rewrite Ef. }
  intros F R d stride o [| |e k] form W N J; cbn [affine_forms] in *.
  - exact (Two F R d stride o form W N J).
  - exact (Two F R d stride o form W N J).
  - apply in_flat_map in J. destruct J as (s & Js & J). apply in_map_iff in J. destruct J as (u & <- & Ju).
    destruct (readings_above F R _ _ _ s W N Js) as (s' & Js' & Ef & En).
    destruct (readings_above F R _ _ _ u W N Ju) as (u' & Ju' & Gf & Gn). eexists. split.
    + apply in_flat_map. exists s'. split; [exact Js' | apply in_map_iff; exists u'; auto].
    + cbn [fst snd number]. now rewrite Ef, En, Gf, Gn.
Qed.

Lemma coefficients_above : forall F R f c, within F R -> not_empty F -> In c (coefficients R f) ->
  exists c', In c' (coefficients F f) /\ number (fst c') = number (fst c) /\ snd c' = snd c.
Proof.
  intros F R f c W N J. unfold coefficients in *. apply in_app_iff in J. destruct J as [J|J].
  - destruct (factor_at R f) as [n|] eqn:E; [|destruct J]. destruct J as [<-|[]].
    destruct (factor_at_above F R f n W N E) as (n' & -> & Nn). eexists. split; [left; reflexivity | auto].
  - exists c. split; [apply in_app_iff; right; exact J | auto].
Qed.

Lemma total_above : forall F R rows divided denom var t c c', within F R -> not_empty F -> from_zero F ->
  number (fst c') = number (fst c) -> snd c' = snd c -> narrow_total rows divided denom var t c' F = Narrowed F ->
  exists R', narrow_total rows divided denom var t c R = Narrowed R' /\ within F R'.
Proof.
  intros F R rows divided denom var t c c' W N Z0 Nc Sc H. unfold narrow_total in *. rewrite Nc, Sc in H.
  destruct (Z.ltb_spec (number (fst c)) 1) as [X|X]; [discriminate|].
  apply (product_above F R _ _ _ W N Z0) with (6 := H); try reflexivity; cbn [on_left on_right]; [|exact X].
  pose proof (factors_pos (written rows)). nia.
Qed.

(** One claim, read where a settled state is within: that state stays within. *)
Lemma narrow_above : forall i F R, within F R -> not_empty F -> from_zero F -> narrow i F = Narrowed F ->
  exists R', narrow i R = Narrowed R' /\ within F R'.
Proof.
  intros [c t] F R W N Z0 H. destruct c as [d stride o m offset|d parts|rows divided denom coeff var|rows axes|d n]; cbn [narrow] in *.
  - destruct (well_formed stride m offset t F) as [F1|u] eqn:E; [|discriminate]. pose proof (formed_same _ _ _ _ _ _ E) as X. subst F1.
    rewrite (formed_above F R _ _ _ _ W N E). cbn [and_then] in *. apply each_above; [exact N | | exact W]. intros form R1 J W1.
    destruct (forms_above F R _ _ _ _ form W N J) as (form' & J' & Ef & En).
    pose proof (each_settled _ (narrow_affine t) _ F (fun x => linear_steady _ _) H form' J') as Hf.
    unfold narrow_affine in *. rewrite Ef, En in Hf. exact (terms_above F R1 _ _ _ _ W1 N Hf).
  - exact (terms_above F R _ _ _ _ W N H).
  - apply each_above; [exact N | | exact W]. intros c R1 J W1. destruct (coefficients_above F R coeff c W N J) as (c' & J' & Nc & Sc).
    apply (total_above F R1 _ _ _ _ _ c c' W1 N Z0 Nc Sc).
    exact (each_settled _ _ _ F (total_steady rows divided denom var t) H c' J').
  - eauto.
  - destruct d as [a|d].
    + destruct (raise_within F a _ F H) as [_ S]. destruct (S (within_refl F)) as [_ L].
      destruct (tighten_above a (Some (Limit n t)) None F R W N L) as (R' & E & X); [intros x Y; discriminate|].
      exists R'. split; [|exact X]. unfold tighten in E. destruct (raise R a (Some (Limit n t))) as [R1|b]; [exact E | discriminate].
    + destruct (n <=? Z.pos (count d)); [eauto | discriminate].
Qed.

(** 8.5.  A settled state within the start stays within, whatever is read in which order; and nothing is refused. *)
Theorem conj_8_4_a_settled_stays : forall is F R0 R, settled is F -> not_empty F -> from_zero F -> within F R0 ->
  narrowings is R0 R -> within F R /\ forall i, In i is -> exists R', narrow i R = Narrowed R'.
Proof.
  intros is F R0 R S N Z0 W H.
  assert (X : within F R).
  { induction H as [|R1 R2 i H IH J E]; [exact W|]. destruct (narrow_above i F R1 IH N Z0 (S i J)) as (R' & E' & W').
    rewrite E in E'. injection E' as <-. exact W'. }
  split; [exact X|]. intros i J. destruct (narrow_above i F R X N Z0 (S i J)) as (R' & E & _). eauto.
Qed.

Definition goes_in (R R' : ranges) : Prop := within R' R /\ (not_empty R -> not_empty R').

Lemma goes_in_refl : forall R, goes_in R R.
Proof. intros R. split; [apply within_refl | auto]. Qed.

Lemma checked_not_empty : forall R a r R', checked R a r = Narrowed R' -> not_empty R -> not_empty R'.
Proof.
  intros R a r R' E N x m. unfold checked in E. destruct (most r) as [m0|] eqn:M.
  - destruct (Z.ltb_spec (number m0) (number (least r))) as [X|X]; [discriminate|]. injection E as <-. unfold set_range.
    destruct (Nat.eqb a x); [|apply N]. rewrite M. intros Y. injection Y as <-. lia.
  - injection E as <-. unfold set_range. destruct (Nat.eqb a x); [|apply N]. rewrite M. discriminate.
Qed.

Lemma raise_goes_in : forall R a l R', raise R a l = Narrowed R' -> goes_in R R'.
Proof.
  intros R a l R' E. split; [exact (proj1 (raise_within R a l R' E))|]. destruct l as [l|]; simpl in E.
  - destruct (number l <=? number (least (R a))); [injection E as <-; auto | exact (checked_not_empty _ _ _ _ E)].
  - injection E as <-. auto.
Qed.

Lemma lower_goes_in : forall R a l R', lower_to R a l = Narrowed R' -> goes_in R R'.
Proof.
  intros R a l R' E. split; [exact (proj1 (lower_within R a l R' E))|]. destruct l as [l|]; simpl in E.
  - destruct (most (R a)) as [m|]; [destruct (number m <=? number l); [injection E as <-; auto|]|];
      exact (checked_not_empty _ _ _ _ E).
  - injection E as <-. auto.
Qed.

Lemma goes_in_trans : forall R1 R2 R3, goes_in R1 R2 -> goes_in R2 R3 -> goes_in R1 R3.
Proof. intros R1 R2 R3 [A B] [C D]. split; [exact (within_trans _ _ _ C A) | auto]. Qed.

Lemma tighten_goes_in : forall a lo hi R R', tighten a lo hi R = Narrowed R' -> goes_in R R'.
Proof.
  intros a lo hi R R' E. unfold tighten in E. destruct (raise R a lo) as [R1|t] eqn:E1; [|discriminate].
  exact (goes_in_trans _ _ _ (raise_goes_in _ _ _ _ E1) (lower_goes_in _ _ _ _ E)).
Qed.

Lemma each_goes_in : forall (A : Type) (f : A -> ranges -> narrowed) l, (forall x R R', f x R = Narrowed R' -> goes_in R R') ->
  forall R R', each f l R = Narrowed R' -> goes_in R R'.
Proof.
  intros A f l H; induction l as [|x l IH]; intros R R' E; simpl in E; [injection E as <-; apply goes_in_refl|].
  destruct (f x R) as [R1|t] eqn:E1; [|discriminate]. exact (goes_in_trans _ _ _ (H _ _ _ E1) (IH _ _ E)).
Qed.

Lemma linear_goes_in : forall l s R R', narrow_linear l s R = Narrowed R' -> goes_in R R'.
Proof.
  intros l s R R' E. unfold narrow_linear in E. destruct (collect l) as [|t k].
  - destruct (number s =? 0); [injection E as <-; apply goes_in_refl | discriminate].
  - apply each_goes_in in E; [exact E|]. intros p R1 R2 E1. rewrite term_tight in E1. exact (tighten_goes_in _ _ _ _ _ E1).
Qed.

Lemma narrow_goes_in : forall i R R', narrow i R = Narrowed R' -> goes_in R R'.
Proof.
  intros [c t] R R' E. destruct c as [d stride o m offset|d parts|rows divided denom coeff var|rows axes|d n]; cbn [narrow] in E.
  - destruct (well_formed stride m offset t R) as [R1|u] eqn:E1; [|discriminate]. apply formed_same in E1. subst R1.
    apply each_goes_in in E; [exact E|]. intros form R1 R2 E1. exact (linear_goes_in _ _ _ _ E1).
  - exact (linear_goes_in _ _ _ _ E).
  - apply each_goes_in in E; [exact E|]. intros p R1 R2 E1. unfold narrow_total in E1.
    destruct (number (fst p) <? 1); [discriminate|]. apply product_factors in E1. unfold narrow_factors in E1.
    destruct (collect _) as [|u k] in E1.
    + destruct (_ || _) in E1; [injection E1 as <-; apply goes_in_refl | discriminate].
    + apply each_goes_in in E1; [exact E1|]. intros q R3 R4 E2. rewrite factor_tight in E2. exact (tighten_goes_in _ _ _ _ _ E2).
  - injection E as <-. apply goes_in_refl.
  - destruct d as [a|d]; [exact (raise_goes_in _ _ _ _ E)|].
    destruct (n <=? Z.pos (count d)); [injection E as <-; apply goes_in_refl | discriminate].
Qed.

Lemma narrowings_go_in : forall is R0 R, narrowings is R0 R -> goes_in R0 R.
Proof.
  intros is R0 R H; induction H as [|R1 R2 i H IH J E]; [apply goes_in_refl | exact (goes_in_trans _ _ _ IH (narrow_goes_in _ _ _ E))].
Qed.

(** Before any claim is looked at, no range is empty. *)
Lemma unbounded_ready : forall phi zs, not_empty (unbounded phi zs) /\ from_zero (unbounded phi zs).
Proof.
  intros phi zs. split.
  - intros a m. unfold unbounded. cbn [least most number]. induction phi as [|c phi IH]; intros E; cbn [fold_right] in E; [discriminate|].
    destruct (cap_at a c) as [l|] eqn:Ec; [|exact (IH E)]. injection E as <-.
    destruct c as [t u|t u|Q T|Q T]; try discriminate. simpl in Ec. destruct t as [x|[|n b]]; try discriminate.
    destruct u as [x|d]; [|discriminate]. destruct (Nat.eqb a x); [|discriminate]. injection Ec as <-. simpl. destruct (zs a); lia.
  - intros a. simpl. destruct (zs a); lia.
Qed.

(** Ranges that lie within each other have the same numbers. *)
Lemma within_same : forall F G, within F G -> within G F -> forall a, number (least (F a)) = number (least (G a)) /\
  option_map number (most (F a)) = option_map number (most (G a)).
Proof.
  intros F G A B a. destruct (A a) as [LA MA]. destruct (B a) as [LB MB]. split; [lia|]. destruct (most (F a)) as [m|].
  - destruct (MB m eq_refl) as (k & Ek & X). destruct (MA k Ek) as (m' & Em & Y). injection Em as <-. rewrite Ek. simpl. f_equal. lia.
  - destruct (most (G a)) as [k|]; [|reflexivity]. destruct (MA k eq_refl) as (m' & Em & _). discriminate.
Qed.

(** 8.5.  The order in which bounds are read does not matter: where two ways settle, the ranges have the same numbers. *)
Theorem conj_8_4_a_bounds_order : forall phi zs is F G,
  narrowings is (unbounded phi zs) F -> settled is F -> narrowings is (unbounded phi zs) G -> settled is G ->
  forall a, number (least (F a)) = number (least (G a)) /\
    option_map number (most (F a)) = option_map number (most (G a)).
Proof.
  intros phi zs is F G HF SF HG SG. destruct (unbounded_ready phi zs) as [N Z0]. set (R0 := unbounded phi zs) in *.
  destruct (narrowings_go_in _ _ _ HF) as [WF NF]. destruct (narrowings_go_in _ _ _ HG) as [WG NG].
  assert (ZF : from_zero F) by (intros x; specialize (Z0 x); destruct (WF x) as [L _]; lia).
  assert (ZG : from_zero G) by (intros x; specialize (Z0 x); destruct (WG x) as [L _]; lia).
  apply within_same;
    [exact (proj1 (conj_8_4_a_settled_stays is F R0 G SF (NF N) ZF WF HG)) |
     exact (proj1 (conj_8_4_a_settled_stays is G R0 F SG (NG N) ZG WG HF))].
Qed.

(** * Atoms below *)

Lemma below_keeps : forall b v c R, holds (v_ground v) c -> (forall a, In (DV a) (vars_c c) -> v_zero v a = false) ->
  fits b v R -> keeps b v (narrow_below c R).
Proof.
  intros b v [t u|t u|Q S|Q S] R H Z0 F; try exact F. destruct t as [x|[|n c]]; try exact F. destruct u as [a|d]; [|exact F].
  cbn [narrow_below]. destruct (Z.leb_spec 2 (number (least (R a)))) as [X|X]; [|exact F].
  apply raise_keeps; [exact F|]. intros l E T. injection E as <-. cbn [number rests] in *. pose proof (proj1 (F a) T) as L.
  assert (Za : v_zero v a = false) by (apply Z0; simpl; auto). unfold size in *. cbn [is_zero] in *. rewrite Za in *.
  cbn [ground_d holds] in *. destruct H as [H|H]; [rewrite H in L; simpl in L; lia | rewrite <- H; simpl; lia].
Qed.

Lemma bounds_below_keep : forall b v phi rounds is R, sol phi (v_ground v) ->
  (forall a, In (DV a) (flat_map vars_c phi) -> v_zero v a = false) -> (forall c t, In (c, t) is -> rested b t -> says v c) ->
  fits b v R -> keeps b v (bounds_below phi rounds is R).
Proof.
  intros b v phi rounds is R So Zs Cs; revert R; induction rounds as [|n IH]; intros R F; simpl; [exact F|].
  apply then_keeps; [|exact IH]. apply then_keeps.
  - apply each_keeps; [|exact F]. intros [c t] R' J F'. apply narrow_keeps; [exact F' | exact (Cs c t J)].
  - intros R1 F1. apply each_keeps; [|exact F1]. intros c R' J F'. apply below_keeps; [exact (So c J) | | exact F'].
    intros a Ja. apply Zs, in_flat_map. eauto.
Qed.

Lemma solves_all_parts : forall phi cs zs v, solves_all phi cs zs v ->
  (forall a, In (DV a) (flat_map vars_c phi) -> v_zero v a = false) /\
  forall b c t, In (c, t) (map (fun c => (c, false)) cs) -> rested b t -> says v c.
Proof.
  intros phi cs zs v (So & Cs & Zs). split.
  - intros a J. destruct (v_zero v a) eqn:E; [|reflexivity]. destruct (Zs a E) as [_ X]. contradiction.
  - intros b c t J _. apply in_map_iff in J. destruct J as (c' & Ec & J). injection Ec as <- <-. auto.
Qed.

(** 8.5.  With the atoms below, every solution stays within the ranges, however many rounds there are. *)
Theorem conj_8_4_a_below_keeps_solutions : forall b phi cs zs rounds R v, solves_all phi cs zs v ->
  bounds_below phi rounds (map (fun c => (c, false)) cs) (unbounded phi zs) = Narrowed R -> fits b v R.
Proof.
  intros b phi cs zs rounds R v S E. destruct (solves_all_parts _ _ _ _ S) as [Z0 Cs]. destruct S as (So & _ & Zs).
  pose proof (bounds_below_keep b v phi rounds _ _ So Z0 (Cs b) (unbounded_fits b phi zs v So Zs)) as K. now rewrite E in K.
Qed.

(** And a refusal is for want of solutions. *)
Theorem conj_8_4_a_below_is_unsat : forall phi cs zs rounds t,
  bounds_below phi rounds (map (fun c => (c, false)) cs) (unbounded phi zs) = Refused t -> ~ exists v, solves_all phi cs zs v.
Proof.
  intros phi cs zs rounds t E (v & S). destruct (solves_all_parts _ _ _ _ S) as [Z0 Cs]. destruct S as (So & _ & Zs).
  pose proof (bounds_below_keep true v phi rounds _ _ So Z0 (Cs true) (unbounded_fits true phi zs v So Zs)) as K.
  rewrite E in K. apply K. intros _. reflexivity.
Qed.

Lemma below_goes_in : forall c R R', narrow_below c R = Narrowed R' -> goes_in R R'.
Proof.
  intros [t u|t u|Q S|Q S] R R' E; try (injection E as <-; apply goes_in_refl).
  destruct t as [x|[|n c]]; try (injection E as <-; apply goes_in_refl). destruct u as [a|d]; [|injection E as <-; apply goes_in_refl].
  cbn [narrow_below] in E. destruct (2 <=? number (least (R a))); [exact (raise_goes_in _ _ _ _ E) | injection E as <-; apply goes_in_refl].
Qed.

Lemma below_above : forall c F R, within F R -> not_empty F -> narrow_below c F = Narrowed F ->
  exists R', narrow_below c R = Narrowed R' /\ within F R'.
Proof.
  intros [t u|t u|Q S|Q S] F R W N H; try (exists R; split; [reflexivity | exact W]).
  destruct t as [x|[|n c]]; try (exists R; split; [reflexivity | exact W]).
  destruct u as [a|d]; [|exists R; split; [reflexivity | exact W]]. cbn [narrow_below] in *.
  destruct (Z.leb_spec 2 (number (least (R a)))) as [X|X]; [|eauto]. destruct (W a) as [L _].
  destruct (Z.leb_spec 2 (number (least (F a)))) as [Y|Y]; [|lia].
  destruct (raise_within F a _ F H) as [_ St]. destruct (St (within_refl F)) as [_ At]. specialize (At _ eq_refl). cbn [number] in At.
  destruct (tighten_above a (Some (Limit (Zpos n) (rests (least (R a))))) None F R W N) as (R' & E & B);
    [intros l El; injection El as <-; exact At | intros l El; discriminate|].
  exists R'. split; [|exact B]. unfold tighten in E. destruct (raise R a _) as [R1|t]; [exact E | discriminate].
Qed.

Lemma below_stays : forall phi is F R0 R, settled_below phi is F -> not_empty F -> from_zero F -> within F R0 ->
  narrowings_below phi is R0 R -> within F R.
Proof.
  intros phi is F R0 R [Sc Sa] N Z0 W H; induction H as [|R1 R2 i H IH J E|R1 R2 c H IH J E]; [exact W| |].
  - destruct (narrow_above i F R1 IH N Z0 (Sc i J)) as (R' & E' & W'). rewrite E in E'. injection E' as <-. exact W'.
  - destruct (below_above c F R1 IH N (Sa c J)) as (R' & E' & W'). rewrite E in E'. injection E' as <-. exact W'.
Qed.

Lemma below_go_in : forall phi is R0 R, narrowings_below phi is R0 R -> goes_in R0 R.
Proof.
  intros phi is R0 R H; induction H as [|R1 R2 i H IH J E|R1 R2 c H IH J E]; [apply goes_in_refl| |].
  - exact (goes_in_trans _ _ _ IH (narrow_goes_in _ _ _ E)).
  - exact (goes_in_trans _ _ _ IH (below_goes_in _ _ _ E)).
Qed.

(** 8.5.  Nor does it matter when the atoms below are read. *)
Theorem conj_8_4_a_below_order : forall phi zs is F G,
  narrowings_below phi is (unbounded phi zs) F -> settled_below phi is F ->
  narrowings_below phi is (unbounded phi zs) G -> settled_below phi is G ->
  forall a, number (least (F a)) = number (least (G a)) /\
    option_map number (most (F a)) = option_map number (most (G a)).
Proof.
  intros phi zs is F G HF SF HG SG. destruct (unbounded_ready phi zs) as [N Z0]. set (R0 := unbounded phi zs) in *.
  destruct (below_go_in _ _ _ _ HF) as [WF NF]. destruct (below_go_in _ _ _ _ HG) as [WG NG].
  assert (ZF : from_zero F) by (intros x; specialize (Z0 x); destruct (WF x) as [L _]; lia).
  assert (ZG : from_zero G) by (intros x; specialize (Z0 x); destruct (WG x) as [L _]; lia).
  apply within_same; [exact (below_stays phi is F R0 G SF (NF N) ZF WF HG) | exact (below_stays phi is G R0 F SG (NG N) ZG WG HF)].
Qed.
