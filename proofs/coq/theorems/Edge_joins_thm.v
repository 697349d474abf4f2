(** Remark 6.3: the joins of caps do not depend on the order in which the caps are
    stored, on repetitions, or on names. *)

From Coq Require Import PArith List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Term Semantics Rules Guard Solved Runs Taint Certificate Closing Queue Fire Solver
  Close Joins_thm.
Import ListNotations.

(** * Parts are ordered by joins *)

Lemma dim_join_comm : forall d e, dim_join d e = dim_join e d.
Proof. intros d e. apply dim_le_antisym; apply dim_join_least; auto using dim_join_ub_l, dim_join_ub_r. Qed.

Lemma dim_join_idem : forall d, dim_join d d = d.
Proof. intros d. unfold dim_join. now rewrite dim_eqb_refl. Qed.

Lemma dim_join_assoc : forall d e f, dim_join d (dim_join e f) = dim_join (dim_join d e) f.
Proof.
  intros d e f. apply dim_le_antisym; repeat apply dim_join_least;
    eauto using dim_join_ub_l, dim_join_ub_r, dim_le_trans.
Qed.

Lemma opt_join_comm : forall x y, opt_join x y = opt_join y x.
Proof. intros [d|] [e|]; simpl; auto. now rewrite dim_join_comm. Qed.

Lemma opt_join_idem : forall x, opt_join x x = x.
Proof. intros [d|]; simpl; auto. now rewrite dim_join_idem. Qed.

Lemma opt_join_assoc : forall x y z, opt_join x (opt_join y z) = opt_join (opt_join x y) z.
Proof. intros [d|] [e|] [f|]; simpl; auto. now rewrite dim_join_assoc. Qed.

Lemma opt_joins_comm : forall F G, opt_joins F G = opt_joins G F.
Proof. intros F; induction F as [|x F IH]; intros [|y G]; simpl; auto. now rewrite opt_join_comm, IH. Qed.

Lemma opt_joins_idem : forall F, opt_joins F F = F.
Proof. intros F; induction F as [|x F IH]; simpl; auto. now rewrite opt_join_idem, IH. Qed.

Lemma opt_joins_assoc : forall F G H, opt_joins F (opt_joins G H) = opt_joins (opt_joins F G) H.
Proof. intros F; induction F as [|x F IH]; intros [|y G] [|z H]; simpl; auto. now rewrite opt_join_assoc, IH. Qed.

Lemma opt_joins_app : forall A F G, opt_joins (A ++ F) (A ++ G) = A ++ opt_joins F G.
Proof. intros A; induction A as [|x A IH]; intros F G; simpl; auto. now rewrite opt_join_idem, IH. Qed.

Lemma part_join_comm : forall X Y, part_join X Y = part_join Y X.
Proof. intros X Y. unfold part_join. f_equal; apply opt_joins_comm. Qed.

Lemma part_join_assoc : forall X Y Z, part_join X (part_join Y Z) = part_join (part_join X Y) Z.
Proof. intros X Y Z. unfold part_join. simpl. f_equal; apply opt_joins_assoc. Qed.

Definition part_le (X Y : part) : Prop := part_join Y X = Y.

Lemma part_le_refl : forall X, part_le X X.
Proof. intros [l r]. unfold part_le, part_join. simpl. now rewrite !opt_joins_idem. Qed.

Lemma part_le_trans : forall X Y Z, part_le X Y -> part_le Y Z -> part_le X Z.
Proof. unfold part_le. intros X Y Z H K. rewrite <- K, <- part_join_assoc, H. now rewrite K. Qed.

Lemma part_le_antisym : forall X Y, part_le X Y -> part_le Y X -> X = Y.
Proof. unfold part_le. intros X Y H K. rewrite <- H, part_join_comm. auto. Qed.

Lemma part_le_join : forall X Y Z, part_le X Z -> part_le Y Z -> part_le (part_join X Y) Z.
Proof. unfold part_le. intros X Y Z H K. now rewrite part_join_assoc, H. Qed.

Lemma around_le : forall low R X Y, part_le X Y -> part_le (around low R X) (around low R Y).
Proof.
  unfold part_le, around, part_join. simpl. intros low R X Y H. rewrite !opt_joins_app. f_equal; f_equal.
  - exact (f_equal p_lead H).
  - exact (f_equal p_trail H).
Qed.

(** * Which variables are told *)

Inductive told (caps : list (rterm * rvar)) : rvar -> Prop :=
| Told_here R p : In (R, p) caps -> bare_of R = None -> told caps p
| Told_through R p q : In (R, p) caps -> bare_of R = Some q -> told caps q -> told caps p.

Lemma existsb_in : forall p t, existsb (Nat.eqb p) t = true <-> In p t.
Proof.
  intros p t. rewrite existsb_exists. split; [intros (x & I & E); apply Nat.eqb_eq in E; now subst|].
  intros I. exists p. split; [exact I | apply Nat.eqb_refl].
Qed.

Lemma tells_sound : forall caps l t, incl l caps -> (forall p, In p t -> told caps p) ->
  forall p, In p (fold_left tells l t) -> told caps p.
Proof.
  intros caps l; induction l as [|[R q] l IH]; intros t Inc H p I; simpl in I; [auto|].
  apply (IH (tells t (R, q))) in I; [exact I | intros x J; apply Inc; now right|].
  assert (Iq : In (R, q) caps) by (apply Inc; now left).
  intros x J. unfold tells in J. cbn [fst snd] in J.
  assert (K : told caps q -> In x (if existsb (Nat.eqb q) t then t else q :: t) -> told caps x).
  { intros Tq K. destruct (existsb (Nat.eqb q) t); [auto|]. destruct K as [<-|K]; auto. }
  destruct (bare_of R) as [r|] eqn:Br; [|apply K; [eapply Told_here; eauto | exact J]].
  destruct (existsb (Nat.eqb r) t) eqn:Er; [|auto]. apply existsb_in in Er.
  apply K; [eapply Told_through; eauto | exact J].
Qed.

Lemma tells_stable : forall l t, fold_left tells l t = t -> forall x, In x l -> tells t x = t.
Proof.
  assert (G : forall l t, length t <= length (fold_left tells l t)).
  { intros l; induction l as [|y l IH]; intros t; simpl; [lia|]. specialize (IH (tells t y)).
    destruct (tells_cases t y) as [E|[E _]]; rewrite E in *; simpl in IH; [exact IH | lia]. }
  intros l; induction l as [|y l IH]; intros t H x I; [destruct I|]. simpl in H.
  assert (E : tells t y = t).
  { destruct (tells_cases t y) as [E|[E _]]; [exact E|]. exfalso. pose proof (G l (tells t y)) as L.
    rewrite H, E in L. simpl in L. lia. }
  rewrite E in H. destruct I as [<-|I]; auto.
Qed.

Lemma telling_told : forall caps p, In p (telling caps) <-> told caps p.
Proof.
  intros caps p. split.
  - unfold telling. assert (G : forall n q, In q (Nat.iter n (fun t => fold_left tells caps t) []) -> told caps q).
    { intros n; induction n as [|n IH]; intros q I; simpl in I; [destruct I|].
      eapply tells_sound; [apply incl_refl | exact IH | exact I]. }
    apply G.
  - intros T. pose proof (tells_stable caps _ (remark_6_3_telling_ends caps)) as St.
    assert (K : forall R q, In (R, q) caps -> (bare_of R = None \/ exists r, bare_of R = Some r /\ In r (telling caps)) ->
      In q (telling caps)).
    { intros R q I H. specialize (St _ I). unfold tells in St. cbn [fst snd] in St.
      assert (Q : (if existsb (Nat.eqb q) (telling caps) then telling caps else q :: telling caps) = telling caps ->
        In q (telling caps)).
      { destruct (existsb (Nat.eqb q) (telling caps)) eqn:E; [intros _; now apply existsb_in|].
        intros X. apply (f_equal (@length rvar)) in X. simpl in X. lia. }
      destruct H as [H|(r & H & J)]; rewrite H in St; [auto|]. apply existsb_in in J. rewrite J in St. auto. }
    induction T as [R p I B|R p q I B T IH]; eapply K; eauto.
Qed.

(** * The joins are the least that take up all caps *)

(** What is known of the inside of a cap. *)
Definition inside (open : bool) (tell : rvar -> Prop) (F : rvar -> option part) (R : rterm) (x : option part) : Prop :=
  match tmid R with
  | None => x = Some (Part [] [])
  | Some q => (open = true /\ ~ tell q /\ x = match bare_of R with Some _ => None | None => Some (Part [] []) end) \/
              ((open = false \/ tell q) /\ x = F q)
  end.

(** Every cap is taken up. *)
Definition takes_up (open : bool) (tell : rvar -> Prop) (low : dvar -> option dim) (caps : list (rterm * rvar))
    (F : rvar -> option part) : Prop :=
  forall R p X, In (R, p) caps -> inside open tell F R (Some X) -> exists Y, F p = Some Y /\ part_le (around low R X) Y.

Definition opt_le (x y : option part) : Prop := forall X, x = Some X -> exists Y, y = Some Y /\ part_le X Y.

Lemma inside_at : forall open caps J R,
  inside open (fun q => In q (telling caps)) (join_at J) R
    (match tmid R with
     | None => Some (Part [] [])
     | Some q =>
         if open && negb (existsb (Nat.eqb q) (telling caps))
         then match bare_of R with Some _ => None | None => Some (Part [] []) end
         else join_at J q
     end).
Proof.
  intros open caps J R. unfold inside. destruct (tmid R) as [q|]; [|auto].
  destruct open; simpl; [|auto]. destruct (existsb (Nat.eqb q) (telling caps)) eqn:E; simpl.
  - right. split; [|auto]. right. now apply existsb_in.
  - left. split; [auto | split; [|auto]]. intros I. apply existsb_in in I. congruence.
Qed.

Lemma inside_unique : forall open (tell : rvar -> Prop) F R x y, inside open tell F R x -> inside open tell F R y -> x = y.
Proof.
  intros open tell F R x y. unfold inside. destruct (tmid R) as [q|]; [|congruence].
  intros [(A & B & ->)|([A|A] & ->)] [(C & D & ->)|([C|C] & ->)]; auto; try congruence; try tauto.
Qed.

Section Joins.
Variable open : bool.
Variable B : list tagged.
Let caps := caps_of B.
Let tell := fun q => In q (telling caps).
Let J := joins_of open B.

Lemma flag_stays : forall l K, snd (fold_left (join_cap open (telling caps) (lower_of B)) l (K, true)) = true.
Proof.
  intros l; induction l as [|[R p] l IH]; intros K; simpl; [auto|].
  assert (E : exists K', join_cap open (telling caps) (lower_of B) (K, true) (R, p) = (K', true)).
  { unfold join_cap. cbn [fst snd]. match goal with |- context [match ?x with Some _ => _ | None => (K, true) end] => destruct x end; [|eauto].
    destruct (join_at K p); eauto. }
  destruct E as (K' & ->). apply IH.
Qed.

(** All caps are taken up, *)
Lemma joins_take_up : takes_up open tell (lower_of B) caps (join_at J).
Proof.
  assert (St : forall l, fold_left (join_cap open (telling caps) (lower_of B)) l (J, false) = (J, false) ->
    forall x, In x l -> join_cap open (telling caps) (lower_of B) (J, false) x = (J, false)).
  { intros l; induction l as [|y l IH]; intros H x I; [destruct I|]. simpl in H.
    assert (E : join_cap open (telling caps) (lower_of B) (J, false) y = (J, false)).
    { destruct (join_cap open (telling caps) (lower_of B) (J, false) y) as [K [|]] eqn:E.
      - pose proof (flag_stays l K) as X. rewrite H in X. discriminate.
      - f_equal. clear - E. unfold join_cap in E. cbn [fst snd] in E.
        match type of E with context [match ?x with Some _ => _ | None => (J, false) end] => destruct x as [z|] end; [|congruence].
        destruct (join_at J (snd y)) as [X|] eqn:Ej; [|discriminate]. injection E as <- E. apply negb_false_iff, part_eqb_eq in E.
        rewrite E. destruct (set_join_old J (snd y) X X Ej) as (_ & _ & _ & ->). reflexivity. }
    rewrite E in H. destruct I as [<-|I]; auto. }
  intros R p X I H. specialize (St caps (remark_6_3_joins_end open B) _ I). unfold join_cap in St. cbn [fst snd] in St.
  pose proof (inside_unique _ _ _ _ _ _ H (inside_at open caps J R)) as E. rewrite <- E in St.
  destruct (join_at J p) as [Y|] eqn:Ej; [|discriminate]. exists Y. split; [auto|].
  injection St as _ St. now apply negb_false_iff, part_eqb_eq in St.
Qed.

(** and whatever takes them all up is above. *)
Lemma joins_least : forall F, takes_up open tell (lower_of B) caps F -> forall p, opt_le (join_at J p) (F p).
Proof.
  intros F T.
  assert (One : forall K b R p, In (R, p) caps -> (forall q, opt_le (join_at K q) (F q)) ->
    forall q, opt_le (join_at (fst (join_cap open (telling caps) (lower_of B) (K, b) (R, p))) q) (F q)).
  { intros K b R p I H q. unfold join_cap. cbn [fst snd].
    pose proof (inside_at open caps K R) as Ins.
    destruct (match tmid R with None => _ | Some _ => _ end) as [x|]; [|apply H].
    assert (V : exists Y, F p = Some Y /\ part_le (around (lower_of B) R x) Y).
    { assert (Z : exists y, inside open tell F R (Some y) /\ part_le x y).
      { unfold inside in *. destruct (tmid R) as [r|]; [|injection Ins as ->; exists (Part [] []); auto using part_le_refl].
        destruct Ins as [(A & C & D)|(A & D)].
        - exists x. split; [left; auto | apply part_le_refl].
        - symmetry in D. destruct (H r x D) as (y & Ey & L). exists y. split; [right; auto | exact L]. }
      destruct Z as (y & Iy & L). destruct (T R p y I Iy) as (Y & EY & L'). exists Y. split; [exact EY|].
      eapply part_le_trans; [apply around_le; exact L | exact L']. }
    destruct V as (Y & EY & L). destruct (join_at K p) as [X|] eqn:Ek; cbn [fst]; intros Z E; rewrite join_at_set in E;
      destruct (Nat.eqb_spec q p) as [->|N]; try (now apply H); injection E as <-; exists Y; (split; [exact EY|]); auto.
    apply part_le_join; [|exact L]. destruct (H p X Ek) as (Y' & EY' & L'). congruence. }
  assert (Rounds : forall n K, (forall q, opt_le (join_at K q) (F q)) ->
    forall q, opt_le (join_at (join_rounds n open (telling caps) (lower_of B) caps K) q) (F q)).
  { assert (Fold : forall l x, incl l caps -> (forall q, opt_le (join_at (fst x) q) (F q)) ->
      forall q, opt_le (join_at (fst (fold_left (join_cap open (telling caps) (lower_of B)) l x)) q) (F q)).
    { intros l; induction l as [|[R p] l IH]; intros [K b] Inc H q; simpl; [apply H|].
      apply IH; [intros y I; apply Inc; now right|]. apply One; [apply Inc; now left | exact H]. }
    intros n; induction n as [|n IH]; intros K H q; simpl; [apply H|].
    pose proof (Fold caps (K, false) (incl_refl _) H) as G. destruct (fold_left _ caps (K, false)) as [K' [|]]; cbn [fst] in G; auto. }
  intros p. apply Rounds. intros q X E. discriminate.
Qed.
End Joins.

(** * Under another name *)

(** The caps of [B], renamed, are among those of [B']. *)
Definition caps_renamed (f : rterm -> rterm) (h : rvar -> rvar) (B B' : list tagged) : Prop :=
  forall R p, In (R, p) (caps_of B) -> In (f R, h p) (caps_of B') /\ tmid (f R) = option_map h (tmid R) /\
    bare_of (f R) = option_map h (bare_of R) /\
    forall X, around (lower_of B') (f R) X = around (lower_of B) R X.

Lemma told_renamed : forall f h B B', caps_renamed f h B B' -> forall p, told (caps_of B) p -> told (caps_of B') (h p).
Proof.
  intros f h B B' H p T; induction T as [R p I E|R p q I E T IH]; destruct (H R p I) as (I' & _ & Eb & _); rewrite E in Eb.
  - eapply Told_here; eauto.
  - eapply Told_through; eauto.
Qed.

Lemma joins_renamed : forall open f h B B', caps_renamed f h B B' ->
  (forall R p q, In (R, p) (caps_of B) -> tmid R = Some q -> told (caps_of B') (h q) -> told (caps_of B) q) ->
  forall p, opt_le (join_at (joins_of open B) p) (join_at (joins_of open B') (h p)).
Proof.
  intros open f h B B' H Back. apply (joins_least open B (fun p => join_at (joins_of open B') (h p))).
  intros R p X I Ins. destruct (H R p I) as (I' & M & Eb & Ar). rewrite <- Ar.
  apply (joins_take_up open B' (f R) (h p) X I'). unfold inside in *. rewrite M. destruct (tmid R) as [q|] eqn:Mq; simpl; [|exact Ins].
  rewrite Eb. destruct Ins as [(A & N & E)|(A & E)].
  - left. split; [exact A | split; [|now destruct (bare_of R)]]. intros T. apply N. apply telling_told in T. apply telling_told.
    eapply Back; eauto.
  - right. split; [|exact E]. destruct A as [A|A]; [auto|]. right. apply telling_told in A. apply telling_told.
    eapply told_renamed; eauto.
Qed.
