(** Towards Thm. 7.4: the invariant of the pass of Def. 7.3. *)

From Coq Require Import List Bool Arith Lia Permutation.
From Lozenge Require Import Projection.
Import ListNotations.

(** * Small facts *)

Lemma index_eqb_eq : forall i j, index_eqb i j = true <-> i = j.
Proof.
  intros [c|s] [d|t]; simpl; try (split; discriminate); rewrite Nat.eqb_eq; split; congruence.
Qed.

Lemma index_eqb_neq : forall i j, index_eqb i j = false <-> i <> j.
Proof. intros i j. rewrite <- not_true_iff_false, index_eqb_eq. tauto. Qed.

Lemma same_iff : forall st p q, same st p q = true <-> root (links st) p = root (links st) q.
Proof. intros. apply Nat.eqb_eq. Qed.

Lemma same_refl : forall st p, same st p p = true.
Proof. intros. apply same_iff. reflexivity. Qed.

Lemma same_sym : forall st p q, same st p q = same st q p.
Proof. intros. apply Nat.eqb_sym. Qed.

Lemma same_trans : forall st p q r, same st p q = true -> same st q r = true -> same st p r = true.
Proof. intros st p q r. rewrite !same_iff. congruence. Qed.

Lemma same_ext : forall st p q, same st p q = true -> forall r, same st p r = same st q r.
Proof. intros st p q H r. apply same_iff in H. unfold same. rewrite H. reflexivity. Qed.

Lemma given_flip : forall E e, given E (flip e) <-> given E e.
Proof. intros E [q r|q]; unfold given; simpl; tauto. Qed.

Lemma given_sides : forall E q r, given E (Eq q r) <-> given E (Eq r q).
Proof. intros E q r. exact (given_flip E (Eq r q)). Qed.

Lemma given_cons : forall e E d, given (e :: E) d <-> (e = d \/ e = flip d) \/ given E d.
Proof. intros e E d. unfold given; simpl. tauto. Qed.

(** * The least equivalence *)

Lemma co_least : forall E (R : pid -> pid -> Prop),
  (forall p, R p p) -> (forall p q, R p q -> R q p) -> (forall p q r, R p q -> R q r -> R p r) ->
  (forall p q, given E (Eq (Proj p) (Proj q)) -> R p q) ->
  forall p q, co_iterated E p q -> R p q.
Proof. intros E R rf sy tr H p q C. induction C; eauto. Qed.

Lemma co_mono : forall E F, (forall e, given E e -> given F e) ->
  forall p q, co_iterated E p q -> co_iterated F p q.
Proof.
  intros E F H. apply co_least; eauto using Co_refl, Co_sym, Co_trans.
  intros p q G. apply Co_pair, H, G.
Qed.

Lemma co_same_equations : forall E F, same_equations E F ->
  forall p q, co_iterated E p q <-> co_iterated F p q.
Proof. intros E F H p q. split; apply co_mono; intros e; apply H. Qed.

Lemma pinned_mono : forall E F, (forall e, given E e -> given F e) ->
  forall p i, pinned E p i -> pinned F p i.
Proof. intros E F H p i (q & C & G). exists q. eauto using co_mono. Qed.

Lemma marked_mono : forall E F, (forall e, given E e -> given F e) ->
  forall p, marked E p -> marked F p.
Proof. intros E F H p (q & C & G). exists q. eauto using co_mono. Qed.

Lemma pinned_same_equations : forall E F, same_equations E F ->
  forall p i, pinned E p i <-> pinned F p i.
Proof. intros E F H p i. split; apply pinned_mono; intros e; apply H. Qed.

Lemma marked_same_equations : forall E F, same_equations E F ->
  forall p, marked E p <-> marked F p.
Proof. intros E F H p. split; apply marked_mono; intros e; apply H. Qed.

Lemma explains_mono : forall sz E F f, (forall e, given E e -> given F e) ->
  explains sz E f -> explains sz F f.
Proof.
  intros sz E F [|p q|p i j|i j] H; simpl; [tauto| | |].
  - intros [C N]. eauto using co_mono.
  - intros (P & Q & N). eauto using pinned_mono.
  - intros [G N]. auto.
Qed.

Lemma conflict_mono : forall sz E F, (forall e, given E e -> given F e) -> conflict sz E -> conflict sz F.
Proof.
  intros sz E F H [(p & q & C & N)|[(p & i & j & P & Q & N)|(i & j & G & N)]].
  - left. exists p, q. eauto using co_mono.
  - right; left. exists p, i, j. eauto using pinned_mono.
  - right; right. exists i, j. auto.
Qed.

Lemma explains_conflict : forall sz E f, explains sz E f -> conflict sz E.
Proof.
  intros sz E [|p q|p i j|i j]; simpl; [tauto| | |]; intros H.
  - left. exists p, q. exact H.
  - right; left. exists p, i, j. exact H.
  - right; right. exists i, j. exact H.
Qed.

Lemma same_equations_sym : forall E F, same_equations E F -> same_equations F E.
Proof. intros E F H e. symmetry. apply H. Qed.

(** * The invariant of the pass *)

(** The state says of the equations met so far what their closures say. *)
Record invariant (sz : pid -> nat) (E : list equation) (st : state) : Prop := Invariant
  { inv_root : forall p, root (links st) (root (links st) p) = root (links st) p;
    inv_same : forall p q, same st p q = true <-> co_iterated E p q;
    inv_pins : forall p i, In (p, i) (pins st) <-> given E (Eq (Proj p) (Sol i));
    inv_marks : forall p, In p (marks st) <-> given E (Iter (Proj p));
    inv_size : forall p q, co_iterated E p q -> sz p = sz q;
    inv_pin : forall p i j, pinned E p i -> pinned E p j -> i = j;
    inv_index : forall i j, given E (Eq (Sol i) (Sol j)) -> i = j }.

Lemma invariant_no_conflict : forall sz E st, invariant sz E st -> ~ conflict sz E.
Proof.
  intros sz E st I [(p & q & C & N)|[(p & i & j & P & Q & N)|(i & j & G & N)]]; apply N.
  - eapply inv_size; eauto.
  - eapply inv_pin; eauto.
  - eapply inv_index; eauto.
Qed.

Lemma invariant_start : forall sz, invariant sz [] start.
Proof.
  assert (N : forall e, ~ given [] e) by (unfold given; simpl; tauto).
  assert (C : forall p q, co_iterated [] p q -> p = q).
  { apply co_least; try congruence. intros p q G. destruct (N _ G). }
  intros sz. split; simpl.
  - reflexivity.
  - intros p q. rewrite same_iff. simpl. split; [intros ->; apply Co_refl | apply C].
  - intros p i. split; [tauto | apply N].
  - intros p. split; [tauto | apply N].
  - intros p q D. apply C in D as ->. reflexivity.
  - intros p i j (q & _ & G). destruct (N _ G).
  - intros i j G. destruct (N _ G).
Qed.

Lemma pin_of_Some : forall st p i, pin_of st p = Some i -> exists q, same st p q = true /\ In (q, i) (pins st).
Proof.
  intros st p i. unfold pin_of. destruct (find _ _) as [[q j]|] eqn:F; [|discriminate].
  intros [= <-]. apply find_some in F as [F G]. exists q. auto.
Qed.

Lemma pin_of_None : forall st p, pin_of st p = None -> forall q i, In (q, i) (pins st) -> same st p q = false.
Proof.
  intros st p. unfold pin_of. destruct (find _ _) as [e|] eqn:F; [discriminate|].
  intros _ q i I. exact (find_none _ _ F _ I).
Qed.

Lemma inv_pin_of : forall sz E st, invariant sz E st -> forall p i, pin_of st p = Some i <-> pinned E p i.
Proof.
  intros sz E st I p i. split.
  - intros H. apply pin_of_Some in H as (q & S & H). exists q. split.
    + apply (inv_same _ _ _ I), S.
    + apply (inv_pins _ _ _ I), H.
  - intros P. destruct (pin_of st p) as [j|] eqn:F.
    + f_equal. apply (inv_pin _ _ _ I p); [|exact P].
      apply pin_of_Some in F as (q & S & H). exists q. split.
      * apply (inv_same _ _ _ I), S.
      * apply (inv_pins _ _ _ I), H.
    + destruct P as (q & C & G). apply (inv_pins _ _ _ I) in G. apply (inv_same _ _ _ I) in C.
      rewrite (pin_of_None _ _ F _ _ G) in C. discriminate.
Qed.

Lemma inv_iterated : forall sz E st, invariant sz E st -> forall p, iterated st p = true <-> marked E p.
Proof.
  intros sz E st I p. unfold iterated, marked. rewrite existsb_exists.
  split; intros (q & A & B); exists q.
  - split; [apply (inv_same _ _ _ I), B | apply (inv_marks _ _ _ I), A].
  - split; [apply (inv_marks _ _ _ I), B | apply (inv_same _ _ _ I), A].
Qed.

(** * One step *)

(** An equation that is no pair leaves ≡ as it is. *)
Lemma co_cons_other : forall e E, (forall p q, e <> Eq (Proj p) (Proj q)) ->
  forall p q, co_iterated (e :: E) p q <-> co_iterated E p q.
Proof.
  intros e E H p q. split; [|apply co_mono; intros d; rewrite given_cons; tauto].
  revert p q. apply co_least; eauto using Co_refl, Co_sym, Co_trans.
  intros p q G. apply given_cons in G as [[G|G]|G].
  - destruct (H _ _ G).
  - destruct (H _ _ G).
  - apply Co_pair, G.
Qed.

(** A pair that is there already, too. *)
Lemma co_cons_known : forall p q E, co_iterated E p q ->
  forall x y, co_iterated (Eq (Proj p) (Proj q) :: E) x y <-> co_iterated E x y.
Proof.
  intros p q E H x y. split; [|apply co_mono; intros d; rewrite given_cons; tauto].
  revert x y. apply co_least; eauto using Co_refl, Co_sym, Co_trans.
  intros x y G. apply given_cons in G as [[G|G]|G].
  - injection G as <- <-. exact H.
  - injection G as <- <-. apply Co_sym, H.
  - apply Co_pair, G.
Qed.

(** A new pair joins two classes. *)
Lemma co_cons_pair : forall p q E x y, co_iterated (Eq (Proj p) (Proj q) :: E) x y ->
  co_iterated E x y \/
  (co_iterated E x p /\ co_iterated E q y) \/ (co_iterated E x q /\ co_iterated E p y).
Proof.
  intros p q E. apply co_least.
  - intros x. left. apply Co_refl.
  - intros x y [H|[[H K]|[H K]]]; eauto 6 using Co_sym.
  - intros x y z [H|[[H K]|[H K]]] [H'|[[H' K']|[H' K']]]; eauto 8 using Co_sym, Co_trans.
  - intros x y G. apply given_cons in G as [[G|G]|G].
    + injection G as <- <-. right; left. split; apply Co_refl.
    + injection G as <- <-. right; right. split; apply Co_refl.
    + left. apply Co_pair, G.
Qed.

Lemma same_link : forall st p q x y, same (link st p q) x y = true <->
  same st x y = true \/
  (same st x p = true /\ same st q y = true) \/ (same st x q = true /\ same st p y = true).
Proof.
  intros st p q x y. rewrite !same_iff. simpl.
  destruct (Nat.eqb_spec (root (links st) x) (root (links st) p));
    destruct (Nat.eqb_spec (root (links st) y) (root (links st) p)); intuition congruence.
Qed.

(** The parts of the invariant that an equation does not touch. *)
Lemma given_other : forall e E d, e <> d -> e <> flip d -> (given (e :: E) d <-> given E d).
Proof. intros e E d N M. rewrite given_cons. tauto. Qed.

Lemma pinned_cons_other : forall e E, (forall p q, e <> Eq (Proj p) (Proj q)) ->
  (forall p i, e <> Eq (Proj p) (Sol i)) -> (forall p i, e <> Eq (Sol i) (Proj p)) ->
  forall p i, pinned (e :: E) p i <-> pinned E p i.
Proof.
  intros e E N M M' p i. unfold pinned.
  split; intros (q & C & G); exists q; (split; [apply (co_cons_other e E N), C|]).
  - apply given_cons in G as [[G|G]|G]; [destruct (M _ _ G) | destruct (M' _ _ G) | exact G].
  - apply given_cons; right; exact G.
Qed.

(** Def. 7.3, Eq(Proj p, Proj q): classes, sizes and pins. *)
Lemma step_merge : forall sz E st p q, invariant sz E st ->
  match merge sz st p q with
  | Done st' => invariant sz (Eq (Proj p) (Proj q) :: E) st'
  | Failed f => explains sz (Eq (Proj p) (Proj q) :: E) f
  end.
Proof.
  intros sz E st p q I. set (F := Eq (Proj p) (Proj q) :: E).
  assert (GM : forall e, given E e -> given F e) by (intros; apply given_cons; auto).
  assert (M : co_iterated F p q) by (apply Co_pair, given_cons; auto).
  assert (GP : forall x i, given F (Eq (Proj x) (Sol i)) <-> given E (Eq (Proj x) (Sol i)))
    by (intros; apply given_other; discriminate).
  assert (GI : forall x, given F (Iter (Proj x)) <-> given E (Iter (Proj x)))
    by (intros; apply given_other; discriminate).
  assert (GS : forall i j, given F (Eq (Sol i) (Sol j)) <-> given E (Eq (Sol i) (Sol j)))
    by (intros; apply given_other; discriminate).
  assert (R : forall x, sz (root (links st) x) = sz x).
  { intros x. apply (inv_size _ _ _ I), (inv_same _ _ _ I), same_iff, (inv_root _ _ _ I). }
  unfold merge. destruct (same st p q) eqn:S.
  - (* the pair is there already *)
    apply (inv_same _ _ _ I) in S. pose proof (co_cons_known p q E S) as C. fold F in C.
    assert (P : forall x i, pinned F x i -> pinned E x i).
    { intros x i (y & D & G). exists y. split; [apply C, D | apply GP, G]. }
    split.
    + apply (inv_root _ _ _ I).
    + intros x y. rewrite C. apply (inv_same _ _ _ I).
    + intros x i. rewrite GP. apply (inv_pins _ _ _ I).
    + intros x. rewrite GI. apply (inv_marks _ _ _ I).
    + intros x y. rewrite C. apply (inv_size _ _ _ I).
    + intros x i j A B. exact (inv_pin _ _ _ I x i j (P _ _ A) (P _ _ B)).
    + intros i j. rewrite GS. apply (inv_index _ _ _ I).
  - rewrite !R. destruct (Nat.eqb_spec (sz p) (sz q)) as [Z|Z]; simpl.
    2: simpl; auto.
    (* what is pinned in the joined class was pinned in one of the two *)
    assert (P : forall x i, pinned F x i ->
      pinned E x i \/ co_iterated E x p \/ co_iterated E x q).
    { intros x i (y & D & G). apply GP in G.
      apply co_cons_pair in D as [D|[[D _]|[D _]]]; unfold pinned; eauto. }
    assert (Q : forall x i, co_iterated E x p \/ co_iterated E x q -> pinned F x i ->
      pinned E p i \/ pinned E q i).
    { intros x i J (y & D & G). apply GP in G. unfold pinned.
      apply co_cons_pair in D as [D|[[_ D]|[_ D]]]; [|eauto|eauto].
      destruct J; [left | right]; exists y; eauto using Co_sym, Co_trans. }
    assert (X : (forall i j, pinned E p i -> pinned E q j -> i = j) -> invariant sz F (link st p q)).
    { intros A. split.
      - intros x. simpl. assert (N : root (links st) p <> root (links st) q)
          by (rewrite <- same_iff, S; discriminate).
        destruct (Nat.eqb_spec (root (links st) x) (root (links st) p)) as [e|e];
          rewrite !(inv_root _ _ _ I).
        + destruct (Nat.eqb_spec (root (links st) q) (root (links st) p)); congruence.
        + destruct (Nat.eqb_spec (root (links st) x) (root (links st) p)); congruence.
      - intros x y. rewrite same_link, !(inv_same _ _ _ I). split; [|apply co_cons_pair].
        intros [H|[[H K]|[H K]]]; apply (co_mono E F GM) in H;
          try (apply (co_mono E F GM) in K); eauto using Co_sym, Co_trans.
      - intros x i. simpl. rewrite GP. apply (inv_pins _ _ _ I).
      - intros x. simpl. rewrite GI. apply (inv_marks _ _ _ I).
      - intros x y D. apply co_cons_pair in D as [D|[[D D']|[D D']]];
          try (apply (inv_size _ _ _ I) in D'); apply (inv_size _ _ _ I) in D; congruence.
      - intros x i j H K.
        assert (J : co_iterated E x p \/ co_iterated E x q -> i = j).
        { intros J. pose proof (inv_pin _ _ _ I) as U.
          destruct (Q _ _ J H), (Q _ _ J K); eauto. symmetry; eauto. }
        destruct (P _ _ H) as [H'|]; auto. destruct (P _ _ K) as [K'|]; auto.
        exact (inv_pin _ _ _ I _ _ _ H' K').
      - intros i j. rewrite GS. apply (inv_index _ _ _ I). }
    destruct (pin_of st p) as [i|] eqn:Pp.
    1: destruct (pin_of st q) as [j|] eqn:Pq.
    + apply (inv_pin_of _ _ _ I) in Pp, Pq. destruct (index_eqb i j) eqn:N.
      * apply index_eqb_eq in N as <-. apply X. intros k l K L. pose proof (inv_pin _ _ _ I) as U.
        transitivity i; [symmetry|]; eauto.
      * apply index_eqb_neq in N. simpl.
        split; [eapply pinned_mono; eauto|]. split; [|exact N].
        destruct Pq as (y & C & G). exists y. split; [|apply GM, G].
        eapply Co_trans; [exact M | eapply co_mono; eauto].
    + apply X. intros k l _ L. apply (inv_pin_of _ _ _ I) in L. congruence.
    + apply X. intros k l K. apply (inv_pin_of _ _ _ I) in K. congruence.
Qed.

(** Eq(Proj p, Sol i). *)
Lemma step_pin : forall sz E st p i e, e = Eq (Proj p) (Sol i) \/ e = Eq (Sol i) (Proj p) ->
  invariant sz E st ->
  match pin st p i with
  | Done st' => invariant sz (e :: E) st'
  | Failed f => explains sz (e :: E) f
  end.
Proof.
  intros sz E st p i e He I. set (F := e :: E).
  assert (N : forall x y, e <> Eq (Proj x) (Proj y)) by (intros; destruct He; subst; discriminate).
  assert (C : forall x y, co_iterated F x y <-> co_iterated E x y) by (apply co_cons_other, N).
  assert (GM : forall e, given E e -> given F e) by (intros; apply given_cons; auto).
  assert (GI : forall x, given F (Iter (Proj x)) <-> given E (Iter (Proj x)))
    by (intros; apply given_other; destruct He; subst; discriminate).
  assert (GS : forall k j, given F (Eq (Sol k) (Sol j)) <-> given E (Eq (Sol k) (Sol j)))
    by (intros; apply given_other; destruct He; subst; discriminate).
  assert (GP : forall x j, given F (Eq (Proj x) (Sol j)) <-> (p, i) = (x, j) \/ given E (Eq (Proj x) (Sol j))).
  { intros x j. unfold F. rewrite given_cons. simpl.
    assert ((e = Eq (Proj x) (Sol j) \/ e = Eq (Sol j) (Proj x)) <-> (p, i) = (x, j)); [|tauto].
    destruct He; subst e; split; [intros [H|H]| |intros [H|H]|]; intros; try discriminate;
      try (injection H; intros; subst; reflexivity);
      match goal with H : (_, _) = _ |- _ => injection H; intros; subst; auto end. }
  assert (P : forall x j, pinned F x j -> pinned E x j \/ (j = i /\ co_iterated E x p)).
  { intros x j (y & D & G). apply C in D. apply GP in G as [[= <- <-]|G]; unfold pinned; eauto. }
  assert (X : (forall j, pinned E p j -> j = i) ->
    invariant sz F (State (links st) ((p, i) :: pins st) (marks st))).
  { intros A. split.
    - apply (inv_root _ _ _ I).
    - intros x y. rewrite C. apply (inv_same _ _ _ I).
    - intros x j. simpl. rewrite GP, (inv_pins _ _ _ I). tauto.
    - intros x. rewrite GI. apply (inv_marks _ _ _ I).
    - intros x y. rewrite C. apply (inv_size _ _ _ I).
    - assert (B : forall x j, co_iterated E x p -> pinned E x j -> j = i).
      { intros x j D (y & D' & G). apply A. exists y. eauto using Co_sym, Co_trans. }
      intros x j k J K. apply P in J as [J|[-> J]]; apply P in K as [K|[-> K]]; auto.
      + exact (inv_pin _ _ _ I _ _ _ J K).
      + eauto.
      + symmetry; eauto.
    - intros k j. rewrite GS. apply (inv_index _ _ _ I). }
  unfold pin. destruct (pin_of st p) as [j|] eqn:Pp.
  - apply (inv_pin_of _ _ _ I) in Pp. destruct (index_eqb j i) eqn:Q.
    + apply index_eqb_eq in Q as ->. apply X. intros j J. exact (inv_pin _ _ _ I _ _ _ J Pp).
    + apply index_eqb_neq in Q. simpl. split; [eapply pinned_mono; eauto|].
      split; [|exact Q]. exists p. split; [apply Co_refl | apply GP; auto].
  - apply X. intros j J. apply (inv_pin_of _ _ _ I) in J. congruence.
Qed.

(** The other equations. *)
Lemma step_rest : forall sz E st e,
  (exists p, e = Iter (Proj p)) \/ (exists i, e = Iter (Sol i)) \/ (exists i j, e = Eq (Sol i) (Sol j)) ->
  invariant sz E st ->
  match step sz st e with
  | Done st' => invariant sz (e :: E) st'
  | Failed f => explains sz (e :: E) f
  end.
Proof.
  intros sz E st e He I.
  assert (N : forall x y, e <> Eq (Proj x) (Proj y))
    by (intros; destruct He as [[? ->]|[[? ->]|[? [? ->]]]]; discriminate).
  pose proof (co_cons_other e E N) as C.
  assert (GP : forall x j, given (e :: E) (Eq (Proj x) (Sol j)) <-> given E (Eq (Proj x) (Sol j)))
    by (intros; apply given_other; destruct He as [[? ->]|[[? ->]|[? [? ->]]]]; discriminate).
  assert (P : forall x j, pinned (e :: E) x j <-> pinned E x j)
    by (apply pinned_cons_other; intros; destruct He as [[? ->]|[[? ->]|[? [? ->]]]]; discriminate).
  assert (X : forall ms, (forall x, In x ms <-> given (e :: E) (Iter (Proj x))) ->
    (forall i j, given (e :: E) (Eq (Sol i) (Sol j)) -> i = j) ->
    invariant sz (e :: E) (State (links st) (pins st) ms)).
  { intros ms A B. split; auto.
    - apply (inv_root _ _ _ I).
    - intros x y. rewrite C. apply (inv_same _ _ _ I).
    - intros x j. rewrite GP. apply (inv_pins _ _ _ I).
    - intros x y. rewrite C. apply (inv_size _ _ _ I).
    - intros x j k. rewrite !P. apply (inv_pin _ _ _ I). }
  destruct He as [[p ->]|[[i ->]|[i [j ->]]]]; simpl.
  - apply X.
    + intros x. simpl. rewrite given_cons, (inv_marks _ _ _ I). simpl. intuition congruence.
    + intros i j G. apply given_cons in G as [[G|G]|G]; try discriminate. exact (inv_index _ _ _ I _ _ G).
  - destruct st. apply X; intros *; simpl.
    + rewrite given_cons. rewrite <- (inv_marks _ _ _ I). simpl. intuition congruence.
    + intros G. apply given_cons in G as [[G|G]|G]; try discriminate. exact (inv_index _ _ _ I _ _ G).
  - destruct (index_eqb i j) eqn:Q.
    + apply index_eqb_eq in Q as <-. destruct st. apply X; intros *; simpl.
      * rewrite given_cons. rewrite <- (inv_marks _ _ _ I). simpl. intuition congruence.
      * intros G. apply given_cons in G as [[G|G]|G]; try (injection G; congruence).
        exact (inv_index _ _ _ I _ _ G).
    + apply index_eqb_neq in Q. simpl. split; [|exact Q]. apply given_cons. auto.
Qed.

Lemma step_invariant : forall sz E st e, invariant sz E st ->
  match step sz st e with
  | Done st' => invariant sz (e :: E) st'
  | Failed f => explains sz (e :: E) f
  end.
Proof.
  intros sz E st [[p|i] [q|j]|[p|i]] I.
  - apply step_merge, I.
  - apply step_pin; auto.
  - apply step_pin; auto.
  - apply step_rest; eauto 6.
  - apply step_rest; eauto.
  - apply step_rest; eauto.
Qed.

(** * The whole pass *)

Lemma run_invariant : forall sz E D st, invariant sz D st ->
  match run (step sz) st E with
  | Done st' => invariant sz (rev E ++ D) st'
  | Failed f => explains sz (rev E ++ D) f
  end.
Proof.
  intros sz E. induction E as [|e E IH]; intros D st I; simpl; [exact I|].
  pose proof (step_invariant sz D st e I) as S. destruct (step sz st e) as [st'|f].
  - specialize (IH _ _ S). rewrite <- app_assoc. exact IH.
  - eapply explains_mono; [|exact S]. intros d. unfold given. simpl. rewrite !in_app_iff.
    simpl. intuition.
Qed.

Lemma invariant_same_equations : forall sz E F st, same_equations E F -> invariant sz E st -> invariant sz F st.
Proof.
  intros sz E F st H I. pose proof (same_equations_sym _ _ H) as H'. split.
  - apply (inv_root _ _ _ I).
  - intros p q. rewrite (co_same_equations F E H'). apply (inv_same _ _ _ I).
  - intros p i. rewrite (H' _). apply (inv_pins _ _ _ I).
  - intros p. rewrite (H' _). apply (inv_marks _ _ _ I).
  - intros p q. rewrite (co_same_equations F E H'). apply (inv_size _ _ _ I).
  - intros p i j. rewrite !(pinned_same_equations F E H'). apply (inv_pin _ _ _ I).
  - intros i j. rewrite (H' _). apply (inv_index _ _ _ I).
Qed.

Lemma solve_invariant : forall sz E,
  match solve sz E with
  | Done st => invariant sz E st
  | Failed f => explains sz E f
  end.
Proof.
  intros sz E. assert (H : same_equations (rev E ++ []) E).
  { intros e. unfold given. rewrite app_nil_r, <- !in_rev. tauto. }
  pose proof (run_invariant sz E [] start (invariant_start sz)) as R. unfold solve.
  destruct (run (step sz) start E) as [st|f].
  - eapply invariant_same_equations; eauto.
  - eapply explains_mono; [|exact R]. intros e. apply H.
Qed.
