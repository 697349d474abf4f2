(** Remark 6.3, rows: the rounds that join caps come to an end in time, and no
    solution lies below what they find (6.5). *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Rules Rules_thm Guard Guard_thm
  Solved Solved_thm Runs Runs_thm Taint Taint_thm Certificate Closing Closing_thm Queue Fire Fire_thm Solver Solver_thm
  Close Close_thm.
Import ListNotations.

(** * Which variables tell something *)

Lemma tells_cases : forall t x, tells t x = t \/ (tells t x = snd x :: t /\ ~ In (snd x) t).
Proof.
  intros t x. unfold tells.
  assert (N : existsb (Nat.eqb (snd x)) t = false -> ~ In (snd x) t).
  { intros E I. assert (F : existsb (Nat.eqb (snd x)) t = true).
    { apply existsb_exists. exists (snd x). split; [auto | apply Nat.eqb_refl]. }
    congruence. }
  destruct (bare_of (fst x)) as [q|]; [destruct (existsb (Nat.eqb q) t); [|auto]|];
    destruct (existsb (Nat.eqb (snd x)) t); auto.
Qed.

Lemma fold_tells : forall caps all t, incl caps all -> NoDup t -> incl t (map snd all) ->
  let t' := fold_left tells caps t in
  NoDup t' /\ incl t' (map snd all) /\ (t' = t \/ length t < length t').
Proof.
  intros caps; induction caps as [|x caps IH]; intros all t Ic N I; simpl; [auto|].
  assert (Ic' : incl caps all) by (intros y J; apply Ic; now right).
  destruct (tells_cases t x) as [->|[-> Nx]]; [now apply IH|].
  destruct (IH all (snd x :: t) Ic') as (A & B & C).
  - now constructor.
  - intros y [<-|J]; [apply in_map, Ic; now left | auto].
  - split; [auto | split; [auto|]]. right. destruct C as [->|C]; simpl in *; lia.
Qed.

(** Enough rounds: one more finds nothing. *)
Theorem remark_6_3_telling_ends : forall caps, fold_left tells caps (telling caps) = telling caps.
Proof.
  intros caps. unfold telling. set (f := fun t => fold_left tells caps t).
  assert (G : forall n, NoDup (Nat.iter n f []) /\ incl (Nat.iter n f []) (map snd caps) /\
    (f (Nat.iter n f []) = Nat.iter n f [] \/ n <= length (Nat.iter n f []))).
  { intros n; induction n as [|n (A & B & C)]; simpl.
    - split; [constructor | split; [intros x [] | right; lia]].
    - destruct (fold_tells caps caps (Nat.iter n f []) (incl_refl _) A B) as (A' & B' & C').
      split; [exact A' | split; [exact B'|]]. fold (f (Nat.iter n f [])) in *.
      destruct C as [C|C]; [left; now rewrite !C|]. destruct C' as [C'|C']; [left; now rewrite !C'|].
      right. unfold f in *. lia. }
  destruct (G (length caps)) as (A & B & [C|C]); [exact C|].
  destruct (fold_tells caps caps (Nat.iter (length caps) f []) (incl_refl _) A B) as (A' & B' & [D|D]);
    [exact D|]. pose proof (NoDup_incl_length A' B') as L. rewrite len_map in L. lia.
Qed.

(** * How much a join can still change *)

Definition weigh (x : option dim) : nat :=
  match x with None => 3 | Some (Atom _ _) => 2 | Some Unit => 1 end.

Definition weight_of (F : list (option dim)) : nat := list_sum (map weigh F).

Lemma weigh_bounds : forall x, 1 <= weigh x <= 3.
Proof. intros [[|n b]|]; simpl; lia. Qed.

Lemma weight_bound : forall F, weight_of F <= 3 * length F.
Proof.
  intros F; induction F as [|x F IH]; unfold weight_of in *; simpl; [lia|]. pose proof (weigh_bounds x). lia.
Qed.

Lemma opt_join_weigh : forall x y, opt_join x y = x \/ weigh (opt_join x y) < weigh x.
Proof.
  intros [d|] [e|]; simpl; auto.
  - destruct (dim_eqb d e) eqn:E.
    + apply dim_eqb_eq in E as ->. left. f_equal. destruct e; simpl; auto.
      unfold dim_join. now rewrite (proj2 (dim_eqb_eq _ _) eq_refl).
    + assert (J : dim_join d e = Unit) by (unfold dim_join; now rewrite E). rewrite J.
      destruct d; simpl; auto.
  - right. destruct e; simpl; lia.
Qed.

Lemma opt_joins_weight : forall F G, length (opt_joins F G) <= length F /\
  (opt_joins F G = F \/ weight_of (opt_joins F G) < weight_of F).
Proof.
  intros F; induction F as [|x F IH]; intros [|y G]; simpl; try (split; [lia | auto]; fail).
  - split; [lia|]. right. unfold weight_of; simpl. pose proof (weigh_bounds x). lia.
  - destruct (IH G) as [L H]. split; [lia|].
    destruct (opt_join_weigh x y) as [->|W], H as [->|H]; unfold weight_of in *; simpl; auto; right; try lia.
Qed.

Definition part_weight (X : part) : nat := weight_of (p_lead X) + weight_of (p_trail X).
Definition part_length (X : part) : nat := length (p_lead X) + length (p_trail X).

Lemma part_join_weight : forall X Y, part_length (part_join X Y) <= part_length X /\
  (part_join X Y = X \/ part_weight (part_join X Y) < part_weight X).
Proof.
  intros [l r] [l' r']. unfold part_join, part_length, part_weight; simpl.
  destruct (opt_joins_weight l l') as [A B], (opt_joins_weight r r') as [C D]. split; [lia|].
  destruct B as [->|B], D as [->|D]; auto; right; lia.
Qed.

Lemma opts_eqb_eq : forall F G, opts_eqb F G = true <-> F = G.
Proof.
  intros F; induction F as [|x F IH]; intros [|y G]; simpl; try (split; congruence).
  rewrite andb_true_iff, IH. split.
  - intros [E ->]. f_equal. destruct x, y; simpl in E; try discriminate; auto. apply dim_eqb_eq in E. congruence.
  - intros E. injection E as <- <-. split; [|auto]. destruct x; simpl; auto. now apply dim_eqb_eq.
Qed.

Lemma part_eqb_eq : forall X Y, part_eqb X Y = true <-> X = Y.
Proof.
  intros [l r] [l' r']. unfold part_eqb; simpl. rewrite andb_true_iff, !opts_eqb_eq. split.
  - intros [-> ->]; auto.
  - intros E. injection E as -> ->. auto.
Qed.

(** * Joins as a list *)

Definition joins_weight (J : joins) : nat := list_sum (map (fun x => part_weight (snd x)) J).

Lemma join_at_in : forall J p X, join_at J p = Some X -> In (p, X) J.
Proof.
  intros J; induction J as [|[q Y] J IH]; intros p X E; simpl in E; [discriminate|].
  destruct (Nat.eqb_spec p q) as [->|N]; [injection E as ->; now left | right; auto].
Qed.

Lemma join_at_none : forall J p, join_at J p = None -> ~ In p (map fst J).
Proof.
  intros J; induction J as [|[q Y] J IH]; intros p E; simpl in E |- *; [tauto|].
  destruct (Nat.eqb_spec p q) as [X|N]; [discriminate|]. intros [I|I]; [congruence|]. exact (IH p E I).
Qed.

Lemma set_join_new : forall J p X, join_at J p = None -> set_join J p X = J ++ [(p, X)].
Proof.
  intros J; induction J as [|[q Y] J IH]; intros p X E; simpl in *; [auto|].
  destruct (Nat.eqb p q); [discriminate|]. now rewrite IH.
Qed.

Lemma set_join_old : forall J p X Y, join_at J p = Some X ->
  map fst (set_join J p Y) = map fst J /\
  joins_weight (set_join J p Y) + part_weight X = joins_weight J + part_weight Y /\
  (forall x, In x (set_join J p Y) -> x = (p, Y) \/ In x J) /\ set_join J p X = J.
Proof.
  intros J; induction J as [|[q Z] J IH]; intros p X Y E; simpl in *; [discriminate|].
  destruct (Nat.eqb_spec p q) as [->|N].
  - injection E as ->. unfold joins_weight; simpl. repeat split; [lia | intros x [<-|I]; auto].
  - destruct (IH p X Y E) as (A & B & C & D). unfold joins_weight in *; simpl. repeat split.
    + now rewrite A.
    + lia.
    + intros x [<-|I]; [auto|]. destruct (C x I); auto.
    + now rewrite D.
Qed.

(** * The rounds *)

Section Rounds.
Variable open : bool.
Variable tell : list rvar.
Variable low : dvar -> option dim.
Variable caps : list (rterm * rvar).

Definition written : nat := list_sum (map (fun x => known_rank (fst x)) caps).

(** Every variable once, all of them have caps, and no join is too long. *)
Definition kept (J : joins) : Prop :=
  NoDup (map fst J) /\ incl (map fst J) (map snd caps) /\
  forall p X, In (p, X) J -> part_length X <= written * length J.

(** What can still change: the weights, and the joins that are not made yet. *)
Definition left_to_do (J : joins) : nat :=
  joins_weight J + (length caps - length J) * S (3 * axes_for caps).

Lemma kept_length : forall J, kept J -> length J <= length caps.
Proof.
  intros J (N & I & _). pose proof (NoDup_incl_length N I) as L. now rewrite !len_map in L.
Qed.

Lemma written_ge : forall R p, In (R, p) caps -> known_rank R <= written.
Proof.
  unfold written. intros R p. induction caps as [|x l IH]; intros I; [destruct I|]. simpl.
  destruct I as [->|I]; simpl; [lia|]. apply IH in I. lia.
Qed.

Lemma around_length : forall R X, part_length (around low R X) = known_rank R + part_length X.
Proof.
  intros R X. unfold around, part_length, known_rank; simpl.
  rewrite !len_app, !len_map, len_rev. lia.
Qed.

Lemma part_weight_bound : forall X, part_weight X <= 3 * part_length X.
Proof.
  intros X. unfold part_weight, part_length.
  pose proof (weight_bound (p_lead X)). pose proof (weight_bound (p_trail X)). lia.
Qed.

Lemma join_cap_kept : forall J b cap J' b', kept J -> In cap caps ->
  join_cap open tell low (J, b) cap = (J', b') ->
  kept J' /\ ((J' = J /\ b' = b) \/ (left_to_do J' < left_to_do J /\ b' = true)).
Proof.
  intros J b [R p] J' b' Kp Ic E. unfold join_cap in E. cbn [fst snd] in E.
  assert (In_ : forall q X, join_at J q = Some X -> part_length X <= written * length J).
  { intros q X F. apply join_at_in in F. destruct Kp as (_ & _ & L). eapply L; eauto. }
  match type of E with (match ?x with _ => _ end) = _ => destruct x as [inner|] eqn:Ei end.
  2: { injection E as <- <-. auto. }
  assert (Li : part_length inner <= written * length J).
  { destruct (tmid R) as [q|].
    - destruct (open && negb (existsb (Nat.eqb q) tell)).
      + destruct (bare_of R); [discriminate|]. injection Ei as <-. unfold part_length; simpl. lia.
      + eauto.
    - injection Ei as <-. unfold part_length; simpl. lia. }
  destruct (join_at J p) as [X|] eqn:Ep.
  - destruct (part_join_weight X (around low R inner)) as [Le W].
    destruct (set_join_old J p X (part_join X (around low R inner)) Ep) as (A & B & C & D).
    injection E as <- <-.
    assert (Ln : length (set_join J p (part_join X (around low R inner))) = length J).
    { rewrite <- (len_map _ _ fst), A, len_map. auto. }
    split.
    + destruct Kp as (N & I & L). split; [now rewrite A | split; [now rewrite A|]].
      rewrite Ln. intros q Y Iq. destruct (C _ Iq) as [F|Iq']; [|eauto]. injection F as -> ->.
      apply In_ in Ep. lia.
    + destruct W as [W|W].
      * left. rewrite W, D. rewrite (proj2 (part_eqb_eq X X) eq_refl). simpl. now rewrite orb_false_r.
      * right. split.
        -- unfold left_to_do. rewrite Ln. lia.
        -- apply orb_true_iff. right. apply negb_true_iff. destruct (part_eqb _ X) eqn:F; [|auto].
           apply part_eqb_eq in F. rewrite F in W. lia.
  - injection E as <- <-. rewrite set_join_new by auto.
    assert (Kp' : kept (J ++ [(p, around low R inner)])).
    { destruct Kp as (N & I & L). split; [|split].
      - rewrite map_app. simpl. apply join_at_none in Ep.
        apply NoDup_rev in N. rewrite <- (rev_involutive (map fst J ++ [p])). apply NoDup_rev.
        rewrite rev_app_distr. simpl. constructor; [|auto]. now rewrite <- in_rev.
      - rewrite map_app. apply incl_app; [auto|]. intros q [<-|[]]. simpl.
        apply in_map_iff. exists (R, p). auto.
      - rewrite len_app; simpl. intros q Y Iq. apply in_app_iff in Iq as [Iq|[F|[]]].
        + apply L in Iq. nia.
        + injection F as <- <-. rewrite around_length. pose proof (written_ge R p Ic). nia. }
    split; [exact Kp'|]. right. split; [|auto].
    pose proof (kept_length _ Kp') as Lc. rewrite len_app in Lc. simpl in Lc.
    unfold left_to_do, joins_weight. rewrite map_app, list_sum_app, len_app. simpl.
    pose proof (part_weight_bound (around low R inner)) as Pw.
    assert (Pl : part_length (around low R inner) <= axes_for caps).
    { rewrite around_length. pose proof (written_ge R p Ic). unfold axes_for. fold written. nia. }
    replace (length caps - length J) with (S (length caps - (length J + 1))) by lia. simpl. lia.
Qed.

Lemma round_kept : forall l J b J' b', incl l caps -> kept J ->
  fold_left (join_cap open tell low) l (J, b) = (J', b') ->
  kept J' /\ ((J' = J /\ b' = b) \/ (left_to_do J' < left_to_do J /\ b' = true)).
Proof.
  intros l; induction l as [|cap l IH]; intros J b J' b' Il Kp E; cbn [fold_left] in E.
  - injection E as <- <-. auto.
  - destruct (join_cap open tell low (J, b) cap) as [J1 b1] eqn:E1.
    destruct (join_cap_kept J b cap J1 b1 Kp (Il cap (or_introl eq_refl)) E1) as [Kp1 C1].
    destruct (IH J1 b1 J' b' (fun x I => Il x (or_intror I)) Kp1 E) as [Kp' C']. split; [auto|].
    destruct C1 as [[-> ->]|[L1 ->]]; [auto|]. destruct C' as [[-> ->]|[L' ->]]; right; split; auto. lia.
Qed.

Lemma join_rounds_end : forall n J, kept J -> left_to_do J < n ->
  let J' := join_rounds n open tell low caps J in
  fold_left (join_cap open tell low) caps (J', false) = (J', false).
Proof.
  intros n; induction n as [|n IH]; intros J Kp L; [lia|]. cbn zeta. cbn [join_rounds].
  destruct (fold_left (join_cap open tell low) caps (J, false)) as [J1 b1] eqn:E.
  destruct (round_kept caps J false J1 b1 (incl_refl _) Kp E) as [Kp1 [[-> ->]|[L1 ->]]]; [exact E|].
  apply IH; [auto | lia].
Qed.

End Rounds.

(** Enough rounds: one more changes nothing. *)
Theorem remark_6_3_joins_end : forall open B,
  let J := joins_of open B in
  let caps := caps_of B in
  fold_left (join_cap open (telling caps) (lower_of B)) caps (J, false) = (J, false).
Proof.
  intros open B. apply join_rounds_end.
  - split; [constructor | split; [intros x [] | intros p X []]].
  - unfold left_to_do, rounds_for, joins_weight. simpl. rewrite Nat.sub_0_r. lia.
Qed.

(** * 6.5: joins lie below every solution *)

(** [F] starts with a refinement of [G], where it is known. *)
Fixpoint opt_front (F : list (option dim)) (G : list dim) {struct G} : Prop :=
  match G, F with
  | [], _ => True
  | e :: G, x :: F => match x with Some d => d ⊑d e | None => True end /\ opt_front F G
  | _ :: _, [] => False
  end.

Lemma opt_front_trans : forall H G F, opt_front F G -> front_le G H -> opt_front F H.
Proof.
  intros H; induction H as [|h H IH]; intros [|e G] [|x F] A B; simpl in *; try tauto.
  destruct A as [A A'], B as [B B']. split; [|eauto]. destruct x as [d|]; [|auto]. eapply dim_le_trans; eauto.
Qed.

Lemma opt_front_join : forall H F G, opt_front F H -> opt_front G H -> opt_front (opt_joins F G) H.
Proof.
  intros H; induction H as [|h H IH]; intros [|x F] [|y G] A B; simpl in *; try tauto.
  destruct A as [A A'], B as [B B']. split; [|auto].
  destruct x as [d|], y as [e|]; simpl; auto. now apply dim_join_least.
Qed.

Lemma opt_front_solid : forall G F, opt_front F G -> ~ In None F -> front_le (map fill F) G.
Proof.
  intros G; induction G as [|e G IH]; intros [|x F] A N; simpl in *; try tauto.
  destruct A as [A A']. destruct x as [d|]; [|destruct N; auto]. simpl. split; [auto|]. apply IH; auto.
Qed.

Definition part_fits (X : part) (V : row) : Prop :=
  opt_front (p_lead X) (lead V) /\ opt_front (p_trail X) (rev (trail V)).

Lemma part_fits_filled : forall X V, part_fits X V -> ~ has_hole X -> filled X ⊑r V.
Proof.
  intros X V [A B] N. unfold has_hole in N. rewrite in_app_iff in N. apply def_2_3_flank_decomposition.
  unfold filled, back_le; simpl. rewrite rev_involutive. split; apply opt_front_solid; tauto.
Qed.

Lemma part_fits_trans : forall X V W, part_fits X V -> V ⊑r W -> part_fits X W.
Proof.
  intros X V W [A B] H. apply def_2_3_flank_decomposition in H as [C D]. split; eapply opt_front_trans; eauto.
Qed.

Lemma part_fits_join : forall X Y V, part_fits X V -> part_fits Y V -> part_fits (part_join X Y) V.
Proof. intros X Y V [A B] [C D]. split; now apply opt_front_join. Qed.

(** What is known of an axis lies below it. *)
Definition low_holds (g : ground) (low : dvar -> option dim) : Prop :=
  forall a d, low a = Some d -> d ⊑d g_d g a.

Lemma opt_front_app : forall g low l F G, low_holds g low -> opt_front F G ->
  opt_front (map (fun t => match t with DConst d => Some d | DVar a => low a end) l ++ F) (map (ground_d g) l ++ G).
Proof.
  intros g low l F G H A; induction l as [|t l IH]; simpl; [auto|]. split; [|auto].
  destruct t as [a|d]; simpl; [|apply dim_le_refl]. destruct (low a) as [d|] eqn:L; [now apply H | auto].
Qed.

Lemma around_fits : forall g low R X, low_holds g low -> part_fits X (ground_mid g (tmid R)) ->
  part_fits (around low R X) (ground_r g R).
Proof.
  intros g low R X H [A B]. unfold part_fits, around, ground_r; simpl. split.
  - now apply opt_front_app.
  - rewrite rev_app_distr, <- map_rev. now apply opt_front_app.
Qed.

Section Fits.
Variable g : ground.
Variable tell : list rvar.
Variable low : dvar -> option dim.
Variable caps : list (rterm * rvar).
Hypothesis low_ok : low_holds g low.
Hypothesis caps_ok : forall R p, In (R, p) caps -> ground_r g R ⊑r g_r g p.

Definition joins_fit (J : joins) : Prop := forall p X, join_at J p = Some X -> part_fits X (g_r g p).

Lemma join_at_set : forall J p X q, join_at (set_join J p X) q = if Nat.eqb q p then Some X else join_at J q.
Proof.
  intros J; induction J as [|[r Y] J IH]; intros p X q; simpl; [reflexivity|].
  destruct (Nat.eqb_spec p r) as [->|N]; simpl.
  - now destruct (Nat.eqb q r).
  - rewrite IH. destruct (Nat.eqb_spec q r) as [->|M]; [|reflexivity].
    destruct (Nat.eqb_spec r p) as [->|]; [congruence | reflexivity].
Qed.

Lemma joins_fit_set : forall J p X, joins_fit J -> part_fits X (g_r g p) -> joins_fit (set_join J p X).
Proof.
  intros J p X H A q Y E. rewrite join_at_set in E. destruct (Nat.eqb_spec q p) as [->|N]; [|auto].
  injection E as <-. exact A.
Qed.

Lemma join_cap_fits : forall J b cap, joins_fit J -> In cap caps ->
  joins_fit (fst (join_cap false tell low (J, b) cap)).
Proof.
  intros J b [R p] H I. unfold join_cap. cbn [fst snd andb].
  match goal with |- context [match ?x with Some _ => _ | None => (J, b) end] => destruct x as [inner|] eqn:Ei end;
    [|exact H].
  assert (A : part_fits (around low R inner) (g_r g p)).
  { apply (part_fits_trans _ (ground_r g R)); [|auto]. apply around_fits; [auto|].
    destruct (tmid R) as [q|]; simpl; [auto|]. injection Ei as <-. split; exact Logic.I. }
  destruct (join_at J p) as [X|] eqn:Ep; simpl; apply joins_fit_set; auto. apply part_fits_join; auto.
Qed.

Lemma round_fits : forall l J b, incl l caps -> joins_fit J ->
  joins_fit (fst (fold_left (join_cap false tell low) l (J, b))).
Proof.
  intros l; induction l as [|cap l IH]; intros J b Il H; cbn [fold_left]; [exact H|].
  pose proof (join_cap_fits J b cap H (Il cap (or_introl eq_refl))) as A.
  destruct (join_cap false tell low (J, b) cap) as [J1 b1]. apply IH; [|exact A].
  intros x I. apply Il. now right.
Qed.

Lemma join_rounds_fit : forall n J, joins_fit J -> joins_fit (join_rounds n false tell low caps J).
Proof.
  intros n; induction n as [|n IH]; intros J H; cbn [join_rounds]; [exact H|].
  pose proof (round_fits caps J false (incl_refl _) H) as A.
  destruct (fold_left (join_cap false tell low) caps (J, false)) as [J1 []]; auto.
Qed.
End Fits.

Lemma joins_of_fit : forall B g, (forall c, In c (map fst B) -> bound_shape c) -> sol (map fst B) g ->
  joins_fit g (joins_of false B).
Proof.
  intros B g Sh S. apply join_rounds_fit.
  - intros a d E. unfold lower_of in E. destruct (t_lower B a) as [[d' t]|] eqn:L; [|discriminate].
    injection E as ->. apply t_lower_in in L. apply (S (DLe (DConst d) (DVar a))).
    apply in_map_iff. eexists. split; [|exact L]. reflexivity.
  - intros R p I. apply in_flat_map in I as ([c t] & I & J). simpl in J.
    assert (Ic : In c (map fst B)) by (apply in_map_iff; exists (c, t); auto).
    destruct c as [| | |R' Q]; try (destruct J; fail). specialize (Sh _ Ic) as (q & ->). simpl in J.
    destruct J as [E|[]]. injection E as -> ->. specialize (S _ Ic). simpl in S. now rewrite ground_rvar in S.
  - intros p X E. discriminate.
Qed.

(** 6.5(i), with saturated caps: what is committed by CL-leaf lies below the value
    of that leaf in every solution of the store.  So it is the least that there is,
    if there is a solution with it. *)
Theorem prop_6_5_i_saturated : forall B ps ls bs b g, capped B (joins_of false B) ps ls = inl bs ->
  In (b, CL_leaf) bs -> (forall c, In c (map fst B) -> bound_shape c) -> sol (map fst B) g ->
  match b with
  | BindD a t => ground_d g t ⊑d g_d g a
  | BindR p t => ground_r g t ⊑r g_r g p
  end.
Proof.
  intros B ps ls bs b g E I Sh S. destruct (all_known_In _ _ _ _ E _ I) as ([a|p] & _ & K).
  - destruct (lower_of B a) as [d|] eqn:L; [|destruct K]. destruct K as [K|[]]. injection K as <-. simpl.
    unfold lower_of in L. destruct (t_lower B a) as [[d' t]|] eqn:L'; [|discriminate]. injection L as ->.
    apply t_lower_in in L'. apply (S (DLe (DConst d) (DVar a))). apply in_map_iff. eexists. split; [|exact L']. auto.
  - destruct (join_at (joins_of false B) p) as [X|] eqn:J; [|destruct K]. destruct K as [K|[]].
    unfold leaf_row in K. destruct (holes X) as [|h hs] eqn:Ho.
    + injection K as <-.
      assert (T0 : ground_r g (term_of (filled X)) = filled X).
      { destruct (filled X) as [l r]. unfold ground_r, term_of; simpl. rewrite app_nil_r, !map_map. simpl.
        now rewrite !map_id. }
      rewrite T0. apply part_fits_filled; [|now apply holes_none]. eapply joins_of_fit; eauto.
    + destruct (is_param ps (RV p)); [discriminate|]. injection K as <-. discriminate.
Qed.
