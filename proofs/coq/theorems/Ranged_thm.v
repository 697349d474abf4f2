(** D4 to D10: ranged dimensions. *)

From Coq Require Import String NArith List Bool Arith Lia Permutation.
From Lozenge Require Import Compat Ranged.
Import ListNotations.
Local Open Scope N_scope.

(** * Ranges *)

Definition hi_above (v : N) (hi : option N) : Prop := match hi with Some h => v <= h | None => True end.

Lemma contains_spec : forall r v, contains r v = true <-> r_lo r <= v /\ hi_above v (r_hi r).
Proof.
  intros [lo [h|]] v; unfold contains, hi_above; simpl; rewrite andb_true_iff, N.leb_le; [rewrite N.leb_le|]; tauto.
Qed.

Lemma range_new_spec : forall lo hi r, range_new lo hi = Some r -> r = Range lo hi /\ hi_above lo hi.
Proof.
  intros lo [h|] r E; unfold range_new in E; simpl.
  - destruct (N.ltb_spec h lo) as [L|L]; [discriminate|]. injection E as <-. auto.
  - injection E as <-. auto.
Qed.

Lemma range_new_none : forall lo hi, range_new lo hi = None -> exists h, hi = Some h /\ h < lo.
Proof.
  intros lo [h|] E; unfold range_new in E; [|discriminate]. destruct (N.ltb_spec h lo) as [L|L]; [eauto | discriminate].
Qed.

Lemma range_meet_some : forall r s t, range_ok r -> range_ok s -> range_meet r s = Some t ->
  range_ok t /\ forall v, contains t v = true <-> contains r v = true /\ contains s v = true.
Proof.
  intros [lo hi] [lo' hi'] t [R1 R2] [S1 S2] E. unfold range_meet in E. cbn [r_lo r_hi] in *.
  destruct (range_new_spec _ _ _ E) as [-> H]. split.
  - split; cbn [r_lo r_hi]; [lia|]. exact H.
  - intros v. rewrite !contains_spec. cbn [r_lo r_hi]. destruct hi as [h|], hi' as [h'|]; simpl; lia.
Qed.

Lemma range_meet_none : forall r s v, range_meet r s = None -> contains r v = true -> contains s v = true -> False.
Proof.
  intros [lo hi] [lo' hi'] v E. rewrite !contains_spec. unfold range_meet in E. cbn [r_lo r_hi] in *.
  destruct (range_new_none _ _ E) as (h & Q & L). destruct hi as [a|], hi' as [b|]; try discriminate; injection Q as <-;
    unfold hi_above; lia.
Qed.

Lemma range_meet_comm : forall r s, range_meet r s = range_meet s r.
Proof.
  intros [lo hi] [lo' hi']. unfold range_meet. cbn [r_lo r_hi]. rewrite N.max_comm. f_equal.
  destruct hi as [a|], hi' as [b|]; auto. now rewrite N.min_comm.
Qed.

Lemma range_meet_same : forall r, range_ok r -> range_meet r r = Some r.
Proof.
  intros [lo hi] [R1 R2]. unfold range_meet. cbn [r_lo r_hi] in *. rewrite N.max_id.
  destruct hi as [h|]; [|reflexivity]. rewrite N.min_id. unfold range_new.
  destruct (N.ltb_spec h lo) as [L|L]; [lia | reflexivity].
Qed.

Lemma exactly_contains : forall v n, contains (exactly v) n = true <-> n = v.
Proof. intros v n. rewrite contains_spec. simpl. lia. Qed.

Lemma dim_eqb_spec : forall x y, dim_eqb x y = true <-> x = y.
Proof.
  intros x y; split.
  - destruct x as [a|a|n [lo hi]| |], y as [b|b|m [lo' hi']| |]; simpl; intros E; try discriminate; auto.
    + apply N.eqb_eq in E. congruence.
    + apply Nat.eqb_eq in E. congruence.
    + apply andb_true_iff in E. destruct E as [E1 E2]. unfold range_eqb in E2. apply andb_true_iff in E2.
      destruct E2 as [E2 E3]. apply String.eqb_eq in E1. apply N.eqb_eq in E2. cbn [r_lo r_hi] in *. subst.
      destruct hi as [h|], hi' as [h'|]; simpl in E3; try discriminate; auto. apply N.eqb_eq in E3. now subst.
  - intros ->. destruct y as [b|b|m [lo' [h|]]| |]; simpl; auto.
    + apply N.eqb_refl.
    + apply Nat.eqb_refl.
    + unfold range_eqb. simpl. now rewrite String.eqb_refl, !N.eqb_refl.
    + unfold range_eqb. simpl. now rewrite String.eqb_refl, !N.eqb_refl.
Qed.

(** * D4 without variables *)

(** The rules that need no context answer with exactly what the sides have in common. *)
Lemma meet_ok : forall x y d, is_var x = false -> is_var y = false -> dim_ok x -> dim_ok y -> meet x y = Ok d ->
  dim_ok d /\ is_var d = false /\ forall e p, means e p d <-> means e p x /\ means e p y.
Proof.
  intros x y d Vx Vy Ox Oy E. unfold means.
  destruct x as [a|a|n r| |], y as [b|b|m s| |]; try discriminate; simpl in E, Ox, Oy; try (injection E as <-);
    try (split; [simpl; auto; fail|]; split; [reflexivity|]; intros e p; tauto).
  - unfold rd_literal in E. destruct (N.eqb_spec a b) as [->|D]; [|discriminate]. injection E as <-.
    split; [exact Ox|]. split; [reflexivity|]. intros e p. tauto.
  - unfold rd_label in E. destruct (contains s a) eqn:C; [|discriminate]. injection E as <-.
    split; [unfold dim_ok, range_ok; simpl; lia|]. split; [reflexivity|]. intros e p. rewrite exactly_contains.
    split; [|tauto]. intros (P & L & ->). auto.
  - unfold rd_label in E. destruct (contains r b) eqn:C; [|discriminate]. injection E as <-.
    split; [unfold dim_ok, range_ok; simpl; lia|]. split; [reflexivity|]. intros e p. rewrite exactly_contains.
    split; [|tauto]. intros (P & L & ->). auto.
  - unfold rd_names in E. destruct (String.eqb_spec n m) as [->|D]; [|discriminate]. simpl in E.
    destruct (range_meet r s) as [t|] eqn:Q; [|discriminate]. injection E as <-.
    destruct (range_meet_some r s t Ox Oy Q) as [T1 T2]. split; [exact T1|]. split; [reflexivity|].
    intros e p. rewrite T2. tauto.
Qed.

Lemma meet_err : forall x y q, is_var x = false -> is_var y = false -> meet x y = Err q ->
  forall e p, means e p x -> means e p y -> False.
Proof.
  intros x y q Vx Vy E e p. unfold means.
  destruct x as [a|a|n r| |], y as [b|b|m s| |]; try discriminate; simpl in E.
  - unfold rd_literal in E. destruct (N.eqb_spec a b) as [->|D]; [discriminate|]. intros [A1 A2] [B1 B2]. congruence.
  - unfold rd_label in E. destruct (contains s a) eqn:C; [discriminate|]. intros (A1 & <-) (B1 & L & B2). congruence.
  - unfold rd_label in E. destruct (contains r b) eqn:C; [discriminate|]. intros (A1 & L & A2) (B1 & <-). congruence.
  - unfold rd_names in E. destruct (String.eqb_spec n m) as [->|D]; simpl in E.
    + destruct (range_meet r s) as [t|] eqn:Q; [discriminate|]. intros (A1 & L & A2) (B1 & M & B2).
      exact (range_meet_none r s _ Q A2 B2).
    + intros (A1 & L & A2) (B1 & M & B2). congruence.
Qed.

(** The sides change places: the same answer, or both fail. *)
Definition same_answer {A : Type} (x y : result A) : Prop :=
  match x, y with Ok a, Ok b => a = b | Err _, Err _ => True | _, _ => False end.

Lemma meet_comm : forall x y, is_var x = false -> is_var y = false -> same_answer (meet x y) (meet y x).
Proof.
  intros x y Vx Vy. destruct x as [a|a|n r| |], y as [b|b|m s| |]; try discriminate; simpl; auto.
  - unfold rd_literal. rewrite (N.eqb_sym b a). destruct (N.eqb_spec a b) as [->|D]; simpl; auto.
  - destruct (rd_label a m s); simpl; auto.
  - destruct (rd_label b n r); simpl; auto.
  - unfold rd_names. rewrite (String.eqb_sym m n). destruct (String.eqb_spec n m) as [->|D]; simpl; auto.
    rewrite (range_meet_comm s r). destruct (range_meet r s) as [t|]; simpl; auto.
Qed.

Lemma meet_same : forall x, is_var x = false -> dim_ok x -> meet x x = Ok x.
Proof.
  intros [a|a|n r| |] V O; simpl in *; auto; try discriminate.
  - unfold rd_literal. now rewrite N.eqb_refl.
  - unfold rd_names. rewrite String.eqb_refl. simpl. now rewrite range_meet_same.
Qed.

Lemma bound_facts : forall d, bound_ok d -> dim_ok d /\ is_var d = false.
Proof. intros [a|a|n r| |] B; simpl in *; auto; contradiction. Qed.

Lemma meet_bound : forall x y d, bound_ok x -> bound_ok y -> meet x y = Ok d -> bound_ok d.
Proof.
  intros x y d Bx By E. destruct (bound_facts x Bx) as [Ox Vx], (bound_facts y By) as [Oy Vy].
  destruct (meet_ok x y d Vx Vy Ox Oy E) as [O [V _]].
  destruct x as [a|a|n r| |], y as [b|b|m s| |]; try contradiction; simpl in E;
    unfold rd_literal, rd_label, rd_names in E.
  - destruct (a =? b); [|discriminate]. injection E as <-. exact O.
  - destruct (contains s a); [|discriminate]. injection E as <-. exact O.
  - destruct (contains r b); [|discriminate]. injection E as <-. exact O.
  - destruct (negb (n =? m)%string); [discriminate|]. destruct (range_meet r s) as [t|]; [|discriminate].
    injection E as <-. exact O.
Qed.

(** D1: a dimension stands for some axis. *)
Definition witness (d : dim) : axis := Axis (r_lo (range_of d)) (label_of d).

Lemma witness_means : forall d e, is_var d = false -> dim_ok d -> means e (witness d) d.
Proof.
  intros [a|a|n [lo hi]| |] e V O; simpl in O; try discriminate; unfold means, witness; simpl; try (split; [lia|auto]; fail).
  destruct O as [O1 O2]. cbn [r_lo r_hi] in *. split; [exact O1|]. split; [reflexivity|]. apply contains_spec. simpl.
  split; [lia | exact O2].
Qed.

(** What a dimension without a variable means does not depend on the variables. *)
Lemma means_env : forall d e f p, is_var d = false -> means e p d -> means f p d.
Proof. intros [a|a|n r| |] e f p V M; try discriminate; exact M. Qed.

(** * Looking up *)

Lemma put_length : forall (A : Type) i (x : A) l, length (put i x l) = length l.
Proof. intros A i x l; revert i; induction l as [|y l IH]; intros [|i]; simpl; auto. Qed.

Lemma put_same : forall (A : Type) i (x : A) l, (i < length l)%nat -> nth_error (put i x l) i = Some x.
Proof.
  intros A i x l; revert i; induction l as [|y l IH]; intros [|i] L; simpl in *; auto; try lia. apply IH. lia.
Qed.

Lemma put_other : forall (A : Type) i j (x : A) l, i <> j -> nth_error (put i x l) j = nth_error l j.
Proof.
  intros A i j x l; revert i j; induction l as [|y l IH]; intros [|i] [|j] D; simpl; auto. congruence.
Qed.

Lemma nth_in : forall (A : Type) (l : list A) i x, nth_error l i = Some x -> (i < length l)%nat.
Proof. intros A l i x E. apply nth_error_Some. congruence. Qed.

(** More steps than the number of a variable are enough. *)
Lemma class_enough : forall G, forest G -> forall i f, (i < f)%nat -> class_from f G i = class G i.
Proof.
  intros G F i. induction i as [i IH] using (well_founded_induction lt_wf). intros f L.
  destruct f as [|f]; [lia|]. unfold class. cbn [class_from]. destruct (nth_error G i) as [[to|b]|] eqn:E; auto.
  pose proof (F i _ E) as T. simpl in T. rewrite (IH to T f) by lia. now rewrite (IH to T i) by lia.
Qed.

(** The loop of Context::class: what a look-up does, without counting steps. *)
Lemma class_step : forall G i, forest G ->
  class G i = match nth_error G i with
              | None => None
              | Some (Link to) => class G to
              | Some (Root b) => Some (i, b)
              end.
Proof.
  intros G i F. unfold class at 1. cbn [class_from]. destruct (nth_error G i) as [[to|b]|] eqn:E; auto.
  apply class_enough; auto. exact (F i _ E).
Qed.

Lemma class_root : forall G, forest G -> forall i r b, class G i = Some (r, b) ->
  nth_error G r = Some (Root b) /\ (r <= i)%nat /\ class G r = Some (r, b).
Proof.
  intros G F i. induction i as [i IH] using (well_founded_induction lt_wf). intros r b E.
  rewrite class_step in E by auto. destruct (nth_error G i) as [[to|c]|] eqn:N; try discriminate.
  - pose proof (F i _ N) as T. simpl in T. destruct (IH to T r b E) as (A & B & C). split; [exact A|]. split; [lia | exact C].
  - injection E as <- <-. split; [exact N|]. split; [lia|]. rewrite class_step, N; auto.
Qed.

Lemma class_bound : forall G i r d, forest G -> class G i = Some (r, Some d) -> bound_ok d.
Proof. intros G i r d F E. destruct (class_root G F i r _ E) as (N & _). exact (F r _ N). Qed.

Lemma class_known : forall G, forest G -> forall i, (i < length G)%nat -> exists r b, class G i = Some (r, b).
Proof.
  intros G F i. induction i as [i IH] using (well_founded_induction lt_wf). intros L. rewrite class_step by auto.
  destruct (nth_error G i) as [[to|c]|] eqn:N.
  - pose proof (F i _ N) as T. simpl in T. apply (IH to T). lia.
  - eauto.
  - apply nth_error_None in N. lia.
Qed.

Lemma class_in : forall G i r b, forest G -> class G i = Some (r, b) -> (i < length G)%nat.
Proof.
  intros G i r b F E. rewrite class_step in E by auto. destruct (nth_error G i) as [n|] eqn:N; [|discriminate].
  exact (nth_in _ _ _ _ N).
Qed.

Lemma forest_write : forall G i n, forest G -> node_ok i n -> forest (write G i n).
Proof.
  intros G i n F O j m E. unfold write in E. destruct (Nat.eq_dec i j) as [<-|D].
  - assert (L : (i < length G)%nat) by (rewrite <- (put_length _ i n G); exact (nth_in _ _ _ _ E)).
    rewrite put_same in E by exact L. injection E as <-. exact O.
  - rewrite put_other in E by exact D. exact (F j m E).
Qed.

(** A link to the root of its class changes no look-up. *)
Lemma write_shorter : forall G i r b, forest G -> class G i = Some (r, b) -> (r < i)%nat ->
  forall j, class (write G i (Link r)) j = class G j.
Proof.
  intros G i r b F E L j. induction j as [j IH] using (well_founded_induction lt_wf).
  assert (F' : forest (write G i (Link r))) by (apply forest_write; auto).
  rewrite (class_step (write G i (Link r))) by auto. unfold write at 1.
  destruct (Nat.eq_dec i j) as [<-|D].
  - rewrite put_same by exact (class_in G i r b F E). rewrite (IH r L), E. exact (proj2 (proj2 (class_root G F i r b E))).
  - rewrite put_other by exact D. rewrite (class_step G j F). destruct (nth_error G j) as [[to|c]|] eqn:N; auto.
    apply IH. exact (F j _ N).
Qed.

Lemma same_refl : forall G, same_classes G G.
Proof. intros G. split; auto. Qed.

Lemma same_sym : forall G H, same_classes G H -> same_classes H G.
Proof. intros G H [L C]. split; auto. Qed.

Lemma same_trans : forall G H K, same_classes G H -> same_classes H K -> same_classes G K.
Proof. intros G H K [L C] [L' C']. split; [congruence | intros i; congruence]. Qed.

(** Path compression changes no look-up. *)
Lemma compress_same : forall fuel G i r b, forest G -> class G i = Some (r, b) ->
  forest (compress_from fuel G i r) /\ same_classes (compress_from fuel G i r) G.
Proof.
  intros fuel; induction fuel as [|f IH]; intros G i r b F E; cbn [compress_from]; [split; [auto | apply same_refl]|].
  pose proof E as E'. rewrite class_step in E' by auto.
  destruct (nth_error G i) as [[to|c]|] eqn:N; try (split; [auto | apply same_refl]; fail).
  pose proof (F i _ N) as T. simpl in T. destruct (class_root G F to r b E') as (_ & L & _).
  destruct (Nat.eqb_spec to r) as [Q|Q].
  - exact (IH G to r b F E').
  - assert (F' : forest (write G i (Link r))) by (apply forest_write; [exact F | simpl; lia]).
    assert (S' : forall j, class (write G i (Link r)) j = class G j) by (apply (write_shorter G i r b); auto; lia).
    destruct (IH (write G i (Link r)) to r b F') as [F2 S2]; [now rewrite S'|].
    split; [exact F2|]. apply (same_trans _ _ _ S2). split; [apply put_length | exact S'].
Qed.

Lemma root_spec : forall G a, forest G -> (a < length G)%nat -> exists G' r b,
  root G a = (G', Ok (r, b)) /\ class G a = Some (r, b) /\ forest G' /\ same_classes G' G.
Proof.
  intros G a F L. destruct (class_known G F a L) as (r & b & E). unfold root. rewrite E.
  destruct (compress_same (S a) G a r b F E) as [F' S']. exists (compress G a r), r, b. auto.
Qed.

(** A new bound at a root is the bound of its class. *)
Lemma write_root : forall G r b b', forest G -> nth_error G r = Some (Root b) -> node_ok r (Root b') ->
  forall j, class (write G r (Root b')) j =
    match class G j with
    | Some (s, c) => if Nat.eqb s r then Some (r, b') else Some (s, c)
    | None => None
    end.
Proof.
  intros G r b b' F N O j. induction j as [j IH] using (well_founded_induction lt_wf).
  assert (F' : forest (write G r (Root b'))) by (apply forest_write; auto).
  rewrite (class_step (write G r (Root b'))) by auto. unfold write at 1. rewrite (class_step G j F).
  destruct (Nat.eq_dec r j) as [<-|D].
  - rewrite put_same by exact (nth_in _ _ _ _ N). rewrite N, Nat.eqb_refl. reflexivity.
  - rewrite put_other by exact D. destruct (nth_error G j) as [[to|c]|] eqn:M; auto.
    + apply IH. exact (F j _ M).
    + destruct (Nat.eqb_spec j r) as [Q|Q]; [congruence | reflexivity].
Qed.

(** A root that gets a link to an older root: its class is part of the other. *)
Lemma write_link : forall G young old b c, forest G -> (old < young)%nat -> nth_error G young = Some (Root b) ->
  nth_error G old = Some (Root c) -> forall j, class (write G young (Link old)) j =
    match class G j with
    | Some (s, d) => if Nat.eqb s young then Some (old, c) else Some (s, d)
    | None => None
    end.
Proof.
  intros G young old b c F L Ny No j. induction j as [j IH] using (well_founded_induction lt_wf).
  assert (F' : forest (write G young (Link old))) by (apply forest_write; auto).
  rewrite (class_step (write G young (Link old))) by auto. unfold write at 1. rewrite (class_step G j F).
  destruct (Nat.eq_dec young j) as [<-|D].
  - rewrite put_same by exact (nth_in _ _ _ _ Ny). rewrite Ny, Nat.eqb_refl, (IH old L), (class_step G old F), No.
    destruct (Nat.eqb_spec old young) as [Q|Q]; [lia | reflexivity].
  - rewrite put_other by exact D. destruct (nth_error G j) as [[to|d]|] eqn:M; auto.
    + apply IH. exact (F j _ M).
    + destruct (Nat.eqb_spec j young) as [Q|Q]; [congruence | reflexivity].
Qed.

Lemma same_agrees : forall G H e, same_classes G H -> agrees G e -> agrees H e.
Proof. intros G H e [_ S] A i r b E. apply A. now rewrite S. Qed.

(** * Unification in a context *)

Definition bound_means (e : env) (p : axis) (b : option dim) : Prop :=
  match b with Some d => means e p d | None => True end.

(** A narrower bound of one class. *)
Lemma narrow_agrees : forall G G' a r b b', forest G -> class G a = Some (r, b) ->
  (forall e p, bound_means e p b' -> bound_means e p b) ->
  (forall j, class G' j = match class G j with
                          | Some (s, c) => if Nat.eqb s r then Some (r, b') else Some (s, c)
                          | None => None
                          end) ->
  forall e, agrees G' e <-> agrees G e /\ bound_means e (e a) b'.
Proof.
  intros G G' a r b b' F E W C e. split.
  - intros A. assert (Ca : class G' a = Some (r, b')) by (rewrite C, E, Nat.eqb_refl; reflexivity).
    destruct (A a r b' Ca) as (A1 & A2 & A3). split; [|exact A3].
    intros j s c Ej. specialize (C j). rewrite Ej in C. destruct (Nat.eqb_spec s r) as [->|D].
    + destruct (A j r b' C) as (J1 & J2 & J3). split; [exact J1|]. split; [exact J2|].
      destruct (class_root G F j r c Ej) as (N & _). destruct (class_root G F a r b E) as (N' & _).
      rewrite N in N'. injection N' as ->. exact (W e (e j) J3).
    + exact (A j s c C).
  - intros [A M] j s c Ej. rewrite C in Ej. destruct (class G j) as [[t d]|] eqn:Q; [|discriminate].
    destruct (Nat.eqb_spec t r) as [->|D].
    + injection Ej as <- <-. destruct (A j r d Q) as (J1 & J2 & J3). split; [exact J1|]. split; [exact J2|].
      destruct (A a r b E) as (A1 & _). rewrite J1, <- A1. exact M.
    + injection Ej as <- <-. exact (A j t d Q).
Qed.

(** What unification has to do, for each of its parts. *)
Definition unified (G : context) (x y : dim) (m : context * result dim) : Prop :=
  forest (fst m) /\ length (fst m) = length G /\
  match snd m with
  | Ok d => proper (fst m) d /\ (forall e, agrees (fst m) e <-> agrees G e /\ solves e (x, y)) /\
      forall e, agrees (fst m) e -> forall p, means e p d <-> means e p x /\ means e p y
  | Err _ => same_classes (fst m) G /\ forall e, agrees G e -> ~ solves e (x, y)
  end.

Lemma unified_sym : forall G x y m, unified G x y m -> unified G y x m.
Proof.
  intros G x y [G' [d|q]] (F & L & H); (split; [exact F|]; split; [exact L|]); simpl in *.
  - destruct H as (P & A & M). split; [exact P|]. split.
    + intros e. rewrite A. unfold solves. simpl.
      split; intros (A1 & p & P1 & P2); (split; [exact A1|]; exists p; auto).
    + intros e Ae p. rewrite (M e Ae). tauto.
  - destruct H as (S' & N). split; [exact S'|]. intros e Ae (p & P1 & P2). apply (N e Ae). exists p. auto.
Qed.

Lemma write_same : forall G i n, nth_error G i = Some n -> forall j, nth_error (write G i n) j = nth_error G j.
Proof.
  intros G i n E j. unfold write. destruct (Nat.eq_dec i j) as [<-|D]; [|now rewrite put_other].
  rewrite put_same by exact (nth_in _ _ _ _ E). now rewrite E.
Qed.

Lemma means_size : forall e p d, means e p d -> 1 <= a_size p.
Proof. intros e p d M. exact (proj1 M). Qed.

Lemma bind_unified : forall G a d, forest G -> (a < length G)%nat -> bound_ok d -> unified G (Var a) d (rd_bind G a d).
Proof.
  intros G a d F L B. destruct (bound_facts d B) as [O V]. unfold rd_bind.
  destruct (root_spec G a F L) as (G1 & r & b & E & Ca & F1 & S1). rewrite E. cbn [bind].
  destruct S1 as [L1 C1]. assert (C1a : class G1 a = Some (r, b)) by (now rewrite C1).
  destruct (class_root G1 F1 a r b C1a) as (N1 & _).
  assert (W : forall e p, bound_means e p b -> means e p d -> forall q,
    (match b with None => Ok d | Some x => meet x d end) <> Err q).
  { intros e p Mb Md q Q. destruct b as [x|]; [|discriminate].
    pose proof (class_bound G a r x F Ca) as Bx. destruct (bound_facts x Bx) as [Ox Vx].
    exact (meet_err x d q Vx V Q e p Mb Md). }
  destruct (match b with None => Ok d | Some x => meet x d end) as [t|q] eqn:Q.
  - assert (T : bound_ok t /\ forall e p, means e p t <-> bound_means e p b /\ means e p d).
    { destruct b as [x|]; simpl.
      - pose proof (class_bound G a r x F Ca) as Bx. destruct (bound_facts x Bx) as [Ox Vx].
        split; [exact (meet_bound x d t Bx B Q)|]. exact (proj2 (proj2 (meet_ok x d t Vx V Ox O Q))).
      - injection Q as <-. split; [exact B|]. tauto. }
    destruct T as [Bt Mt]. set (G2 := if is_bound b t then G1 else write G1 r (Root (Some t))).
    assert (F2 : forest G2 /\ length G2 = length G).
    { unfold G2. destruct (is_bound b t); [auto|]. split; [|unfold write; rewrite put_length; exact L1].
      apply forest_write; auto. }
    assert (C2 : forall j, class G2 j = match class G j with
                                        | Some (s, c) => if Nat.eqb s r then Some (r, Some t) else Some (s, c)
                                        | None => None
                                        end).
    { intros j. rewrite <- C1. unfold G2. destruct (is_bound b t) eqn:I.
      - destruct b as [x|]; [|discriminate]. simpl in I. apply dim_eqb_spec in I. subst x.
        destruct (class G1 j) as [[s c]|] eqn:Ej; [|reflexivity]. destruct (Nat.eqb_spec s r) as [->|D]; [|reflexivity].
        destruct (class_root G1 F1 j r c Ej) as (N2 & _). congruence.
      - apply (write_root G1 r b (Some t)); auto. }
    pose proof (narrow_agrees G G2 a r b (Some t) F Ca (fun e p M => proj1 (proj1 (Mt e p) M)) C2) as A2.
    split; [exact (proj1 F2)|]. split; [exact (proj2 F2)|]. cbn [fst snd].
    assert (R : (r < length G2)%nat) by (rewrite (proj2 F2), <- L1; exact (nth_in _ _ _ _ N1)).
    split; [split; [exact I | exact R]|]. split.
    + intros e. rewrite A2. split.
      * intros [A M]. split; [exact A|]. exists (e a). simpl. destruct (proj1 (Mt e (e a)) M) as [Mb Md].
        split; [|exact Md]. split; [exact (means_size _ _ _ Md) | reflexivity].
      * intros [A (p & P1 & P2)]. split; [exact A|]. destruct P1 as [_ ->]. apply Mt. split; [|exact P2].
        destruct (A a r b Ca) as (_ & _ & M). exact M.
    + intros e A p. destruct (proj1 (A2 e) A) as [A' M]. destruct (A' a r b Ca) as (A1 & _).
      destruct (proj1 (Mt e (e a)) M) as [Mb Md]. unfold means at 1 2. rewrite <- A1. split.
      * intros [P1 ->]. auto.
      * tauto.
  - split; [exact F1|]. split; [exact L1|]. cbn [fst snd]. split; [split; auto|].
    intros e A (p & P1 & P2). destruct P1 as [_ ->]. destruct (A a r b Ca) as (_ & _ & M). exact (W e (e a) M P2 q eq_refl).
Qed.

Lemma look_unified : forall G a d, forest G -> (a < length G)%nat -> (forall e p, means e p d <-> 1 <= a_size p) ->
  unified G (Var a) d (bind (root G a) (fun G '(r, _) => (G, Ok (Var r)))).
Proof.
  intros G a d F L M. destruct (root_spec G a F L) as (G1 & r & b & E & Ca & F1 & S1). rewrite E. cbn [bind].
  assert (Ag : forall e, agrees G1 e <-> agrees G e).
  { intros e. split; apply same_agrees; [exact S1 | now apply same_sym]. }
  split; [exact F1|]. split; [exact (proj1 S1)|]. cbn [fst snd]. split; [|split].
  - split; [exact I|]. simpl. assert (C1 : class G1 a = Some (r, b)) by (now rewrite (proj2 S1)).
    exact (nth_in _ _ _ _ (proj1 (class_root G1 F1 a r b C1))).
  - intros e. rewrite Ag. split; [|tauto]. intros A. split; [exact A|]. destruct (A a r b Ca) as (_ & A2 & _).
    exists (e a). simpl. rewrite M. unfold means. auto.
  - intros e A p. destruct (proj1 (Ag e) A a r b Ca) as (A1 & _). rewrite M. unfold means. rewrite <- A1. tauto.
Qed.

Lemma both_ok : forall x y b, (forall d, x = Some d -> bound_ok d) -> (forall d, y = Some d -> bound_ok d) ->
  both_bounds x y = Ok b ->
  (forall d, b = Some d -> bound_ok d) /\ forall e p, bound_means e p b <-> bound_means e p x /\ bound_means e p y.
Proof.
  intros [x|] [y|] b Bx By E; simpl in E; simpl; try (injection E as <-; simpl; split; [auto | intros; tauto]; fail).
  specialize (Bx x eq_refl). specialize (By y eq_refl). destruct (meet x y) as [d|q] eqn:Q; [|discriminate].
  injection E as <-. destruct (bound_facts x Bx) as [Ox Vx], (bound_facts y By) as [Oy Vy].
  split; [intros t T; injection T as <-; exact (meet_bound x y d Bx By Q)|].
  exact (proj2 (proj2 (meet_ok x y d Vx Vy Ox Oy Q))).
Qed.

Lemma both_err : forall x y q, (forall d, x = Some d -> bound_ok d) -> (forall d, y = Some d -> bound_ok d) ->
  both_bounds x y = Err q -> forall e p, bound_means e p x -> bound_means e p y -> False.
Proof.
  intros [x|] [y|] q Bx By E; simpl in E; try discriminate.
  specialize (Bx x eq_refl). specialize (By y eq_refl). destruct (meet x y) as [d|q'] eqn:Q; [discriminate|].
  destruct (bound_facts x Bx) as [Ox Vx], (bound_facts y By) as [Oy Vy]. exact (meet_err x y q' Vx Vy Q).
Qed.

(** What a look-up says after two classes were made one. *)
Definition merged (G G' : context) (old young : nat) (bound : option dim) : Prop :=
  forall j, class G' j = match class G j with
                         | Some (s, c) => if (Nat.eqb s old || Nat.eqb s young)%bool then Some (old, bound) else Some (s, c)
                         | None => None
                         end.

Lemma merge_agrees : forall G G' i j old young b c bound, forest G ->
  class G i = Some (old, b) -> class G j = Some (young, c) ->
  (forall e p, bound_means e p bound <-> bound_means e p b /\ bound_means e p c) -> merged G G' old young bound ->
  forall e, agrees G' e <-> agrees G e /\ e i = e j.
Proof.
  intros G G' i j old young b c bound F Ci Cj M C e. split.
  - intros A.
    assert (Ki : class G' i = Some (old, bound)) by (rewrite (C i), Ci, Nat.eqb_refl; reflexivity).
    assert (Kj : class G' j = Some (old, bound)) by (rewrite (C j), Cj, Nat.eqb_refl, orb_true_r; reflexivity).
    destruct (class_root G F i old b Ci) as (Ni & _ & Ci'). destruct (class_root G F j young c Cj) as (Nj & _ & Cj').
    assert (Ky : class G' young = Some (old, bound)) by (rewrite (C young), Cj', Nat.eqb_refl, orb_true_r; reflexivity).
    destruct (A i _ _ Ki) as (I1 & _). destruct (A j _ _ Kj) as (J1 & _). destruct (A young _ _ Ky) as (Y1 & _).
    split; [|congruence]. intros k s d Ck. pose proof (C k) as Dk. rewrite Ck in Dk.
    destruct (Nat.eqb_spec s old) as [->|D1]; [|destruct (Nat.eqb_spec s young) as [->|D2]]; simpl in Dk.
    + destruct (A k _ _ Dk) as (K1 & K2 & K3). split; [exact K1|]. split; [exact K2|].
      destruct (class_root G F k old d Ck) as (Nk & _). rewrite Ni in Nk. injection Nk as <-.
      exact (proj1 (proj1 (M e (e k)) K3)).
    + destruct (A k _ _ Dk) as (K1 & K2 & K3). split; [congruence|]. split; [exact K2|].
      destruct (class_root G F k young d Ck) as (Nk & _). rewrite Nj in Nk. injection Nk as <-.
      exact (proj2 (proj1 (M e (e k)) K3)).
    + exact (A k s d Dk).
  - intros [A Q] k s d Ck. rewrite (C k) in Ck. destruct (class G k) as [[t u]|] eqn:K; [|discriminate].
    destruct (A i _ _ Ci) as (I1 & I2 & I3). destruct (A j _ _ Cj) as (J1 & J2 & J3). destruct (A k _ _ K) as (K1 & K2 & K3).
    destruct (Nat.eqb_spec t old) as [->|D1]; [|destruct (Nat.eqb_spec t young) as [->|D2]]; simpl in Ck; injection Ck as <- <-.
    + split; [exact K1|]. split; [exact K2|]. apply M. rewrite K1, <- I1. split; [exact I3|]. rewrite Q. exact J3.
    + split; [congruence|]. split; [exact K2|]. apply M. rewrite K1, <- J1. split; [rewrite <- Q; exact I3 | exact J3].
    + auto.
Qed.

Lemma write_merged : forall G old young b c bound, forest G -> (old < young)%nat ->
  nth_error G old = Some (Root b) -> nth_error G young = Some (Root c) -> (forall d, bound = Some d -> bound_ok d) ->
  forest (write (write G young (Link old)) old (Root bound)) /\
  merged G (write (write G young (Link old)) old (Root bound)) old young bound.
Proof.
  intros G old young b c bound F L No Ny B.
  assert (F1 : forest (write G young (Link old))) by (apply forest_write; auto).
  assert (Ob : node_ok old (Root bound)) by (destruct bound as [d|]; simpl; auto).
  assert (N1 : nth_error (write G young (Link old)) old = Some (Root b)) by (unfold write; rewrite put_other by lia; exact No).
  split; [apply forest_write; auto|]. intros j.
  rewrite (write_root _ old b bound F1 N1 Ob), (write_link G young old c b F L Ny No).
  destruct (class G j) as [[s d]|]; [|reflexivity].
  destruct (Nat.eqb_spec s young) as [->|D].
  - rewrite Nat.eqb_refl, orb_true_r. reflexivity.
  - rewrite orb_false_r. destruct (Nat.eqb_spec s old) as [->|D2]; reflexivity.
Qed.

Lemma merge_unified : forall G a b, forest G -> (a < length G)%nat -> (b < length G)%nat ->
  unified G (Var a) (Var b) (rd_merge G a b).
Proof.
  intros G a b F La Lb. unfold rd_merge.
  destruct (root_spec G a F La) as (G1 & ra & ba & E1 & Ca & F1 & S1). rewrite E1. cbn [bind].
  assert (Lb1 : (b < length G1)%nat) by (rewrite (proj1 S1); exact Lb).
  destruct (root_spec G1 b F1 Lb1) as (G2 & rb & bb & E2 & Cb1 & F2 & S2). rewrite E2. cbn [bind].
  pose proof (same_trans _ _ _ S2 S1) as S3. rewrite (proj2 S1) in Cb1.
  assert (K : forall e, agrees G e -> (solves e (Var a, Var b) <-> e a = e b)).
  { intros e A. destruct (A a _ _ Ca) as (_ & A2 & _). unfold solves, means. simpl. split.
    - intros (p & (_ & ->) & (_ & Q)). exact Q.
    - intros Q. exists (e a). auto. }
  assert (A3 : forall e, agrees G2 e <-> agrees G e) by (intros e; split; apply same_agrees; [exact S3 | now apply same_sym]).
  destruct (class_root G F a ra ba Ca) as (Na & _ & Cra). destruct (class_root G F b rb bb Cb1) as (Nb & _ & Crb).
  assert (Bd : forall i r c, class G i = Some (r, c) -> forall d, c = Some d -> bound_ok d).
  { intros i r c Ci d ->. exact (class_bound G i r d F Ci). }
  assert (Nb2 : nth_error G2 ra = Some (Root ba) /\ nth_error G2 rb = Some (Root bb)).
  { split; [refine (proj1 (class_root G2 F2 a ra ba _)) | refine (proj1 (class_root G2 F2 b rb bb _))]; now rewrite (proj2 S3). }
  destruct Nb2 as [Na2 Nb2].
  destruct (Nat.eqb_spec (Nat.min ra rb) (Nat.max ra rb)) as [Q|Q].
  - assert (ra = rb) as <- by lia. rewrite Nat.min_id. clear Q.
    split; [exact F2|]. split; [exact (proj1 S3)|]. cbn [fst snd]. split; [|split].
    + split; [exact I|]. exact (nth_in _ _ _ _ Na2).
    + intros e. rewrite A3. split; [|tauto]. intros A. split; [exact A|]. apply K; [exact A|].
      destruct (A a _ _ Ca) as (I1 & _). destruct (A b _ _ Cb1) as (J1 & _). congruence.
    + intros e A p. apply A3 in A. destruct (A a _ _ Ca) as (I1 & _). destruct (A b _ _ Cb1) as (J1 & _).
      unfold means. rewrite J1, <- I1. tauto.
  - destruct (both_bounds ba bb) as [bound|q] eqn:E.
    + destruct (both_ok ba bb bound (Bd a ra ba Ca) (Bd b rb bb Cb1) E) as [Bb Mb].
      assert (Z : exists c d, nth_error G2 (Nat.min ra rb) = Some (Root c) /\ nth_error G2 (Nat.max ra rb) = Some (Root d)).
      { destruct (Nat.min_spec ra rb) as [[H ->]|[H ->]], (Nat.max_spec ra rb) as [[H' ->]|[H' ->]]; eauto; lia. }
      destruct Z as (c & d & Nc & Nd). assert (Lt : (Nat.min ra rb < Nat.max ra rb)%nat) by lia.
      destruct (write_merged G2 _ _ c d bound F2 Lt Nc Nd Bb) as [F4 C4].
      set (G4 := write (write G2 (Nat.max ra rb) (Link (Nat.min ra rb))) (Nat.min ra rb) (Root bound)) in *.
      assert (L4 : length G4 = length G) by (unfold G4, write; rewrite !put_length; exact (proj1 S3)).
      assert (C5 : merged G G4 (Nat.min ra rb) (Nat.max ra rb) bound) by (intros j; rewrite (C4 j), (proj2 S3 j); reflexivity).
      assert (A5 : forall e, agrees G4 e <-> agrees G e /\ e a = e b).
      { destruct (Nat.min_spec ra rb) as [[H H1]|[H H1]], (Nat.max_spec ra rb) as [[H' H2]|[H' H2]]; try lia;
          rewrite H1, H2 in C5; intros e.
        - exact (merge_agrees G G4 a b ra rb ba bb bound F Ca Cb1 Mb C5 e).
        - rewrite (merge_agrees G G4 b a rb ra bb ba bound F Cb1 Ca (fun e p => iff_trans (Mb e p) (and_comm _ _)) C5 e).
          split; intros [X Y]; auto. }
      split; [exact F4|]. split; [exact L4|]. cbn [fst snd]. split; [|split].
      * split; [exact I|]. simpl. rewrite L4, <- (proj1 S3). exact (nth_in _ _ _ _ Nc).
      * intros e. rewrite A5. split; intros [A H]; (split; [exact A|]); apply (K e A); exact H.
      * intros e A p. destruct (proj1 (A5 e) A) as [A' H]. destruct (A' a _ _ Ca) as (I1 & _).
        destruct (A' b _ _ Cb1) as (J1 & _). unfold means.
        assert (e (Nat.min ra rb) = e a) as -> by (destruct (Nat.min_spec ra rb) as [[_ ->]|[_ ->]]; congruence).
        rewrite <- H. tauto.
    + split; [exact F2|]. split; [exact (proj1 S3)|]. cbn [fst snd]. split; [exact S3|].
      intros e A H. apply (K e A) in H. destruct (A a _ _ Ca) as (_ & _ & Ma). destruct (A b _ _ Cb1) as (_ & _ & Mb).
      rewrite <- H in Mb. exact (both_err ba bb q (Bd a ra ba Ca) (Bd b rb bb Cb1) E e (e a) Ma Mb).
Qed.

(** Exactly the environments that allow it remain: for dimensions without variables that is all or none. *)
Lemma plain_unified : forall G x y, forest G -> dim_ok x -> dim_ok y -> is_var x = false -> is_var y = false ->
  unified G x y (G, meet x y).
Proof.
  intros G x y F Ox Oy Vx Vy. split; [exact F|]. split; [reflexivity|]. cbn [fst snd].
  destruct (meet x y) as [d|q] eqn:E.
  - destruct (meet_ok x y d Vx Vy Ox Oy E) as (O & V & M).
    split; [split; [exact O | destruct d as [v|v|n r| |]; simpl; auto; discriminate V]|]. split; [|auto].
    intros e. split; [|tauto]. intros A. split; [exact A|]. exists (witness d). simpl. apply M. now apply witness_means.
  - split; [apply same_refl|]. intros e _ (p & P1 & P2). exact (meet_err x y q Vx Vy E e p P1 P2).
Qed.

(** D4 in a context, with what D5 needs: the heart of both. *)
Lemma unify_unified : forall G x y, forest G -> proper G x -> proper G y -> unified G x y (unify G x y).
Proof.
  intros G x y F [Ox Kx] [Oy Ky].
  destruct x as [v|a|n r| |], y as [w|b|m s| |]; cbn [unify]; try (apply plain_unified; auto; fail).
  - apply unified_sym, bind_unified; auto.
  - apply bind_unified; auto.
  - now apply merge_unified.
  - apply bind_unified; auto.
  - apply look_unified; auto. intros e p. unfold means. tauto.
  - apply look_unified; auto. intros e p. unfold means. tauto.
  - apply unified_sym, bind_unified; auto.
  - apply unified_sym, look_unified; auto. intros e p. unfold means. tauto.
  - apply unified_sym, look_unified; auto. intros e p. unfold means. tauto.
Qed.

(** Every context has values: unification never leaves one that has none. *)
Lemma value_exists : forall G i r b p, forest G -> class G i = Some (r, b) -> 1 <= a_size p ->
  (forall e, bound_means e p b) -> exists e, agrees G e /\ e i = p.
Proof.
  intros G i r b p F E P M.
  exists (fun j => match class G j with
                   | Some (s, c) => if Nat.eqb s r then p else match c with Some d => witness d | None => Axis 1 None end
                   | None => Axis 1 None
                   end).
  split; [|rewrite E, Nat.eqb_refl; reflexivity].
  intros j s c Ej. rewrite Ej. destruct (class_root G F j s c Ej) as (Nj & _ & Es). rewrite Es.
  split; [reflexivity|]. destruct (Nat.eqb_spec s r) as [->|D].
  - split; [exact P|]. destruct (class_root G F i r b E) as (N & _). rewrite Nj in N. injection N as ->. apply M.
  - destruct c as [d|]; simpl; [|lia || (split; [lia | exact I])].
    destruct (bound_facts d (class_bound G j s d F Ej)) as [O V].
    split; [exact (means_size (fun _ => Axis 1 None) _ _ (witness_means d _ V O)) | now apply witness_means].
Qed.

Lemma agrees_exists : forall G, forest G -> exists e, agrees G e.
Proof.
  intros G F. exists (fun j => match class G j with Some (_, Some d) => witness d | _ => Axis 1 None end).
  intros j s c Ej. rewrite Ej. destruct (class_root G F j s c Ej) as (Nj & _ & Es). rewrite Es.
  split; [reflexivity|]. destruct c as [d|]; [|simpl; split; [lia | exact I]].
  destruct (bound_facts d (class_bound G j s d F Ej)) as [O V].
  split; [exact (means_size (fun _ => Axis 1 None) _ _ (witness_means d _ V O)) | now apply witness_means].
Qed.

(** * D4: unification is intersection *)

(** D4: the answer stands for exactly the axes that both sides have in common, and the context allows exactly the
    values for which there is one. *)
Theorem d4_intersection : forall G x y G' d, forest G -> proper G x -> proper G y -> unify G x y = (G', Ok d) ->
  (forall e, agrees G' e -> forall p, means e p d <-> means e p x /\ means e p y) /\
  (forall e, agrees G' e <-> agrees G e /\ exists p, means e p x /\ means e p y).
Proof.
  intros G x y G' d F Px Py E. pose proof (unify_unified G x y F Px Py) as U. rewrite E in U.
  destruct U as (_ & _ & _ & A & M). cbn [fst snd] in *. auto.
Qed.

(** D4: it fails iff they have none in common. *)
Theorem d4_fails_iff_disjoint : forall G x y, forest G -> proper G x -> proper G y ->
  ((exists q, snd (unify G x y) = Err q) <-> forall e p, agrees G e -> means e p x -> means e p y -> False).
Proof.
  intros G x y F Px Py. pose proof (unify_unified G x y F Px Py) as (F' & _ & H).
  destruct (unify G x y) as [G' [d|q]]; cbn [fst snd] in *.
  - split; [intros [q Q]; discriminate|]. intros N. exfalso. destruct H as (_ & A & _).
    destruct (agrees_exists G' F') as [e Ae]. destruct (proj1 (A e) Ae) as [Ag (p & P1 & P2)]. exact (N e p Ag P1 P2).
  - split; [|eauto]. intros _ e p Ae P1 P2. apply (proj2 H e Ae). exists p. auto.
Qed.

(** D4 for dimensions without variables, where no context is needed. *)
Theorem d4_without_variables : forall x y, is_var x = false -> is_var y = false -> dim_ok x -> dim_ok y ->
  match meet x y with
  | Ok d => (forall e p, means e p d <-> means e p x /\ means e p y) /\ exists p, forall e, means e p d
  | Err _ => forall e p, ~ (means e p x /\ means e p y)
  end.
Proof.
  intros x y Vx Vy Ox Oy. destruct (meet x y) as [d|q] eqn:E.
  - destruct (meet_ok x y d Vx Vy Ox Oy E) as (O & V & M). split; [exact M|]. exists (witness d). intros e.
    now apply witness_means.
  - intros e p [P1 P2]. exact (meet_err x y q Vx Vy E e p P1 P2).
Qed.

(** What a look-up says after a class got a new bound. *)
Definition rebound (G G' : context) (r : nat) (bound : option dim) : Prop :=
  forall j, class G' j = match class G j with
                         | Some (s, c) => if Nat.eqb s r then Some (r, bound) else Some (s, c)
                         | None => None
                         end.

(** RD-bind, look-up by look-up. *)
Lemma bind_classes : forall G a d r b, forest G -> class G a = Some (r, b) -> bound_ok d ->
  match (match b with None => Ok d | Some x => meet x d end) with
  | Ok t => snd (rd_bind G a d) = Ok (Var r) /\ rebound G (fst (rd_bind G a d)) r (Some t)
  | Err q => snd (rd_bind G a d) = Err q /\ same_classes (fst (rd_bind G a d)) G
  end.
Proof.
  intros G a d r b F Ca B. unfold rd_bind.
  destruct (root_spec G a F (class_in G a r b F Ca)) as (G1 & r' & b' & E & Ca' & F1 & S1). rewrite E. cbn [bind].
  rewrite Ca in Ca'. injection Ca' as <- <-.
  destruct (match b with None => Ok d | Some x => meet x d end) as [t|q] eqn:Q; [|split; [reflexivity | exact S1]].
  split; [reflexivity|]. cbn [fst]. intros j. rewrite <- (proj2 S1 j).
  assert (C1 : class G1 a = Some (r, b)) by (now rewrite (proj2 S1)).
  destruct (class_root G1 F1 a r b C1) as (N1 & _). destruct (is_bound b t) eqn:I.
  - destruct b as [x|]; [|discriminate]. simpl in I. apply dim_eqb_spec in I. subst x.
    destruct (class G1 j) as [[s c]|] eqn:Ej; [|reflexivity]. destruct (Nat.eqb_spec s r) as [->|D]; [|reflexivity].
    destruct (class_root G1 F1 j r c Ej) as (N2 & _). congruence.
  - apply (write_root G1 r b (Some t)); auto. simpl. destruct b as [x|]; [|injection Q as <-; exact B].
    exact (meet_bound x d t (class_bound G a r x F Ca) B Q).
Qed.

(** RD-merge, look-up by look-up. *)
Lemma merge_classes : forall G a b ra ba rb bb, forest G -> class G a = Some (ra, ba) -> class G b = Some (rb, bb) ->
  if Nat.eqb ra rb then snd (rd_merge G a b) = Ok (Var ra) /\ same_classes (fst (rd_merge G a b)) G
  else match both_bounds ba bb with
       | Ok bound => snd (rd_merge G a b) = Ok (Var (Nat.min ra rb)) /\
           merged G (fst (rd_merge G a b)) (Nat.min ra rb) (Nat.max ra rb) bound
       | Err q => snd (rd_merge G a b) = Err q /\ same_classes (fst (rd_merge G a b)) G
       end.
Proof.
  intros G a b ra ba rb bb F Ca Cb. unfold rd_merge.
  destruct (root_spec G a F (class_in G a ra ba F Ca)) as (G1 & r' & b' & E1 & Ca' & F1 & S1). rewrite E1. cbn [bind].
  rewrite Ca in Ca'. injection Ca' as <- <-.
  assert (Cb1 : class G1 b = Some (rb, bb)) by (now rewrite (proj2 S1)).
  destruct (root_spec G1 b F1 (class_in G1 b rb bb F1 Cb1)) as (G2 & r' & b' & E2 & Cb' & F2 & S2). rewrite E2. cbn [bind].
  rewrite Cb1 in Cb'. injection Cb' as <- <-. pose proof (same_trans _ _ _ S2 S1) as S3.
  assert (Na : nth_error G2 ra = Some (Root ba)).
  { refine (proj1 (class_root G2 F2 a ra ba _)). now rewrite (proj2 S3). }
  assert (Nb : nth_error G2 rb = Some (Root bb)).
  { refine (proj1 (class_root G2 F2 b rb bb _)). now rewrite (proj2 S3). }
  destruct (Nat.eqb_spec ra rb) as [->|D].
  - rewrite Nat.min_id, Nat.max_id, Nat.eqb_refl. split; [reflexivity | exact S3].
  - destruct (Nat.eqb_spec (Nat.min ra rb) (Nat.max ra rb)) as [Q|Q]; [lia|].
    destruct (both_bounds ba bb) as [bound|q] eqn:E; [|split; [reflexivity | exact S3]].
    split; [reflexivity|]. cbn [fst].
    assert (Ba : forall x, ba = Some x -> bound_ok x) by (intros x ->; exact (class_bound G a ra x F Ca)).
    assert (Bb : forall x, bb = Some x -> bound_ok x) by (intros x ->; exact (class_bound G b rb x F Cb)).
    destruct (both_ok ba bb bound Ba Bb E) as [Bo _].
    assert (Z : exists c d, nth_error G2 (Nat.min ra rb) = Some (Root c) /\ nth_error G2 (Nat.max ra rb) = Some (Root d)).
    { destruct (Nat.min_spec ra rb) as [[H ->]|[H ->]], (Nat.max_spec ra rb) as [[H' ->]|[H' ->]]; eauto; lia. }
    destruct Z as (c & d & Nc & Nd). assert (Lt : (Nat.min ra rb < Nat.max ra rb)%nat) by lia.
    intros j. rewrite (proj2 (write_merged G2 _ _ c d bound F2 Lt Nc Nd Bo) j), (proj2 S3 j). reflexivity.
Qed.

Lemma both_comm : forall x y, (forall d, x = Some d -> bound_ok d) -> (forall d, y = Some d -> bound_ok d) ->
  same_answer (both_bounds x y) (both_bounds y x).
Proof.
  intros [x|] [y|] Bx By; simpl; auto. destruct (bound_facts x (Bx x eq_refl)) as [Ox Vx].
  destruct (bound_facts y (By y eq_refl)) as [Oy Vy]. pose proof (meet_comm x y Vx Vy) as C.
  destruct (meet x y) as [d|p], (meet y x) as [d'|p']; simpl in *; try contradiction; auto. congruence.
Qed.

(** D4: the sides may change places: the answer is the same or both fail, and every look-up is the same. *)
Theorem d4_symmetric : forall G x y, forest G -> proper G x -> proper G y ->
  same_answer (snd (unify G x y)) (snd (unify G y x)) /\ same_classes (fst (unify G x y)) (fst (unify G y x)).
Proof.
  intros G x y F [Ox Kx] [Oy Ky].
  assert (R : forall m : context * result dim, same_answer (snd m) (snd m) /\ same_classes (fst m) (fst m)).
  { intros [H [d|q]]; (split; [simpl; auto | apply same_refl]). }
  destruct (is_var x) eqn:Vx, (is_var y) eqn:Vy.
  - destruct x as [v|a|n r| |], y as [w|b|m s| |]; try discriminate. cbn [unify]. simpl in Kx, Ky.
    destruct (class_known G F a Kx) as (ra & ba & Ca). destruct (class_known G F b Ky) as (rb & bb & Cb).
    pose proof (merge_classes G a b ra ba rb bb F Ca Cb) as M1.
    pose proof (merge_classes G b a rb bb ra ba F Cb Ca) as M2. rewrite (Nat.eqb_sym rb ra) in M2.
    pose proof (merge_unified G a b F Kx Ky) as (_ & L1 & _). pose proof (merge_unified G b a F Ky Kx) as (_ & L2 & _).
    assert (Ba : forall d, ba = Some d -> bound_ok d) by (intros d ->; exact (class_bound G a ra d F Ca)).
    assert (Bb : forall d, bb = Some d -> bound_ok d) by (intros d ->; exact (class_bound G b rb d F Cb)).
    pose proof (both_comm ba bb Ba Bb) as C. destruct (Nat.eqb_spec ra rb) as [->|D].
    + destruct M1 as [-> S1], M2 as [-> S2]. split; [reflexivity|]. exact (same_trans _ _ _ S1 (same_sym _ _ S2)).
    + destruct (both_bounds ba bb) as [c|p], (both_bounds bb ba) as [c'|p']; simpl in C; try contradiction.
      * subst c'. rewrite (Nat.min_comm rb ra), (Nat.max_comm rb ra) in M2. destruct M1 as [-> S1], M2 as [-> S2].
        split; [reflexivity|]. split; [congruence|]. intros j. now rewrite (S1 j), (S2 j).
      * destruct M1 as [-> S1], M2 as [-> S2]. split; [exact I|]. exact (same_trans _ _ _ S1 (same_sym _ _ S2)).
  - destruct x as [v|a|n r| |], y as [w|b|m s| |]; try discriminate; apply R.
  - destruct x as [v|a|n r| |], y as [w|b|m s| |]; try discriminate; apply R.
  - assert (unify G x y = (G, meet x y)) as ->
      by (destruct x as [v|a|n r| |], y as [w|b|m s| |]; try discriminate; reflexivity).
    assert (unify G y x = (G, meet y x)) as ->
      by (destruct x as [v|a|n r| |], y as [w|b|m s| |]; try discriminate; reflexivity).
    split; [now apply meet_comm | apply same_refl].
Qed.

Lemma resolve_same : forall G H d, same_classes G H -> resolve G d = resolve H d.
Proof. intros G H [v|a|n r| |] [L C]; simpl; auto. now rewrite C. Qed.

(** D4: a dimension with itself is itself: the answer resolves to the same, and no look-up changes. *)
Theorem d4_idempotent : forall G x, forest G -> proper G x -> exists G' d,
  unify G x x = (G', Ok d) /\ same_classes G' G /\ resolve G' d = resolve G x.
Proof.
  intros G x F [Ox Kx]. destruct (is_var x) eqn:V.
  - destruct x as [v|a|n r| |]; try discriminate. cbn [unify]. simpl in Kx. destruct (class_known G F a Kx) as (r & b & C).
    pose proof (merge_classes G a a r b r b F C C) as M. rewrite Nat.eqb_refl in M. destruct M as [M1 M2].
    destruct (rd_merge G a a) as [G' m]. cbn [fst snd] in *. subst m. exists G', (Var r). split; [reflexivity|].
    split; [exact M2|]. rewrite (resolve_same _ _ _ M2). simpl. rewrite C.
    now rewrite (proj2 (proj2 (class_root G F a r b C))).
  - exists G, x. assert (unify G x x = (G, meet x x)) as -> by (destruct x; try discriminate; reflexivity).
    rewrite meet_same by auto. split; [reflexivity|]. split; [apply same_refl | reflexivity].
Qed.

(** D4: the table of rules is symmetric. *)
Theorem d4_table_symmetric : forall x y, rule_of x y = rule_of y x.
Proof. intros [] []; reflexivity. Qed.

(** * D5: the order does not matter *)

(** D5: a failed unification changes no look-up (it may shorten links). *)
Theorem d5_failure_changes_nothing : forall G x y G' q, forest G -> proper G x -> proper G y ->
  unify G x y = (G', Err q) -> forest G' /\ same_classes G' G.
Proof.
  intros G x y G' q F Px Py E. pose proof (unify_unified G x y F Px Py) as U. rewrite E in U.
  destruct U as (F' & _ & S' & _). auto.
Qed.

(** D5: a failed operation of several steps leaves the context as it was. *)
Theorem d5_failed_steps_change_nothing : forall (A : Type) G (m : context * result A) G' q,
  transact G m = (G', Err q) -> G' = G.
Proof. intros A G [H [x|p]] G' q E; simpl in E; [discriminate | congruence]. Qed.

(** A context in which unification is done is one again: what the code keeps (D5). *)
Theorem d5_forest_kept : forall G x y, forest G -> proper G x -> proper G y ->
  forest (fst (unify G x y)) /\ length (fst (unify G x y)) = length G.
Proof. intros G x y F Px Py. destruct (unify_unified G x y F Px Py) as (F' & L & _). auto. Qed.

Lemma proper_length : forall G H d, length G = length H -> proper G d -> proper H d.
Proof. intros G H [v|a|n r| |] L [O K]; split; simpl in *; auto. now rewrite <- L. Qed.

Definition proper_pair (G : context) (q : dim * dim) : Prop := proper G (fst q) /\ proper G (snd q).

Lemma proper_pairs : forall G H l, length G = length H -> Forall (proper_pair G) l -> Forall (proper_pair H) l.
Proof.
  intros G H l L P. apply (Forall_impl _ (fun q (Q : proper_pair G q) =>
    conj (proper_length G H _ L (proj1 Q)) (proper_length G H _ L (proj2 Q))) P).
Qed.

(** D5: after a set of unifications the context allows exactly the solutions of the set. *)
Theorem d5_solutions : forall l G, forest G -> Forall (proper_pair G) l ->
  match unify_all G l with
  | (G', Ok _) => forest G' /\ length G' = length G /\ forall e, agrees G' e <-> agrees G e /\ Forall (solves e) l
  | (_, Err _) => forall e, agrees G e -> ~ Forall (solves e) l
  end.
Proof.
  intros l; induction l as [|[x y] l IH]; intros G F P; cbn [unify_all].
  - split; [exact F|]. split; [reflexivity|]. intros e. split; [auto | tauto].
  - inversion P as [|q k [Px Py] Pl]; subst. cbn [fst snd] in *.
    pose proof (unify_unified G x y F Px Py) as (F1 & L1 & U). destruct (unify G x y) as [G1 [d|q]]; cbn [fst snd bind] in *.
    + destruct U as (_ & A1 & _). pose proof (IH G1 F1 (proper_pairs G G1 l (eq_sym L1) Pl)) as I.
      destruct (unify_all G1 l) as [G2 [u|p]].
      * destruct I as (F2 & L2 & A2). split; [exact F2|]. split; [congruence|]. intros e. rewrite A2, A1, Forall_cons_iff. tauto.
      * intros e A S. apply Forall_cons_iff in S. destruct S as [S1 S2]. apply (I e); [|exact S2]. apply A1. auto.
    + intros e A S. apply Forall_cons_iff in S. exact (proj2 U e A (proj1 S)).
Qed.

(** D5: it fails iff there is no solution. *)
Theorem d5_fails_iff_unsolvable : forall l G, forest G -> Forall (proper_pair G) l ->
  ((exists q, snd (unify_all G l) = Err q) <-> ~ exists e, agrees G e /\ Forall (solves e) l).
Proof.
  intros l G F P. pose proof (d5_solutions l G F P) as S. destruct (unify_all G l) as [G' [u|q]]; cbn [snd].
  - split; [intros [q Q]; discriminate|]. intros N. exfalso. destruct S as (F' & _ & A).
    destruct (agrees_exists G' F') as [e Ae]. apply N. exists e. now apply A.
  - split; [|eauto]. intros _ (e & A & B). exact (S e A B).
Qed.

(** D5: a variable has, over all solutions, exactly the values that the bound of its class allows. *)
Theorem d5_values : forall l G G' u i r b, forest G -> Forall (proper_pair G) l -> unify_all G l = (G', Ok u) ->
  class G' i = Some (r, b) -> forall p,
  (exists e, agrees G e /\ Forall (solves e) l /\ e i = p) <->
  1 <= a_size p /\ match b with Some d => forall e, means e p d | None => True end.
Proof.
  intros l G G' u i r b F P E C p. pose proof (d5_solutions l G F P) as S. rewrite E in S. destruct S as (F' & _ & A).
  split.
  - intros (e & A1 & A2 & <-). destruct (proj2 (A e) (conj A1 A2) i r b C) as (_ & P1 & P2). split; [exact P1|].
    destruct b as [d|]; [|exact I]. destruct (bound_facts d (class_bound G' i r d F' C)) as [_ V].
    intros f. exact (means_env d e f _ V P2).
  - intros [P1 P2]. destruct (value_exists G' i r b p F' C P1) as (e & Ae & Ei).
    + intros f. destruct b as [d|]; [apply P2 | exact I].
    + exists e. destruct (proj1 (A e) Ae) as [A1 A2]. auto.
Qed.

(** A bound is known by what it allows. *)
Lemma bound_ext : forall b c, (forall d, b = Some d -> bound_ok d) -> (forall d, c = Some d -> bound_ok d) ->
  (forall e p, 1 <= a_size p -> (bound_means e p b <-> bound_means e p c)) -> b = c.
Proof.
  assert (H : forall b c, (forall d, b = Some d -> bound_ok d) -> (forall d, c = Some d -> bound_ok d) ->
    (forall e p, 1 <= a_size p -> (bound_means e p b <-> bound_means e p c)) ->
    match b, c with
    | None, Some _ | Some (Literal _), Some (Named _ _) => False
    | Some (Literal v), Some (Literal w) => v = w
    | Some (Named n (Range lo hi)), Some (Named m (Range lo' hi')) => n = m /\ lo' <= lo /\
        match hi, hi' with Some h, Some h' => h <= h' | None, Some _ => False | _, None => True end
    | _, _ => True
    end).
  { intros b c B C M. set (e := fun _ : nat => Axis 1 None).
    destruct b as [[v|v|n [lo hi]| |]|], c as [[w|w|m [lo' hi']| |]|]; try exact I;
      try (specialize (B _ eq_refl); simpl in B); try (specialize (C _ eq_refl); simpl in C); try contradiction;
      unfold bound_means, means in M.
    - specialize (M e (Axis v None)). simpl in M. destruct (M B) as [M1 _]. destruct M1; auto.
    - specialize (M e (Axis v None)). simpl in M. destruct (M B) as [M1 _]. destruct M1 as (_ & Q & _); auto. discriminate.
    - destruct B as [B1 B2], C as [C1 C2]. cbn [r_lo r_hi] in *.
      assert (K : forall k, lo <= k -> hi_above k hi -> n = m /\ lo' <= k /\ hi_above k hi').
      { intros k K1 K2. destruct (M e (Axis k (Some n))) as [M1 _]; [simpl; lia|]. simpl in M1. rewrite !contains_spec in M1.
        destruct M1 as (_ & Q & Q1 & Q2); [split; [lia|]; auto|]. injection Q as <-. auto. }
      destruct (K lo) as (K1 & K2 & K3); [lia | destruct hi; simpl; auto|]. split; [exact K1|]. split; [exact K2|].
      destruct hi as [h|], hi' as [h'|]; auto.
      + destruct (K h) as (_ & _ & Q); [lia | simpl; lia | exact Q].
      + destruct (K (N.max lo (h' + 1))) as (_ & _ & Q); [lia | exact I | simpl in Q; lia].
    - specialize (M e (Axis (w + 1) None)). simpl in M. destruct M as [M1 _]; [lia|]. destruct M1 as [_ Q]; [exact I | lia].
    - specialize (M e (Axis 1 None)). simpl in M. destruct M as [M1 _]; [lia|].
      destruct M1 as (_ & Q & _); [exact I | discriminate]. }
  intros b c B C M. pose proof (H b c B C M) as H1. pose proof (H c b C B (fun e p P => iff_sym (M e p P))) as H2.
  destruct b as [[v|v|n [lo hi]| |]|], c as [[w|w|m [lo' hi']| |]|];
    try (specialize (B _ eq_refl); simpl in B); try (specialize (C _ eq_refl); simpl in C); try contradiction; auto.
  - congruence.
  - destruct H1 as (-> & L1 & T1), H2 as (_ & L2 & T2). do 3 f_equal; [lia|].
    destruct hi as [h|], hi' as [h'|]; try contradiction; auto. f_equal. lia.
Qed.

(** Two variables of one class. *)
Definition linked (G : context) (i j : nat) : Prop :=
  exists r b c, class G i = Some (r, b) /\ class G j = Some (r, c).

Lemma linked_sym : forall G i j, linked G i j -> linked G j i.
Proof. intros G i j (r & b & c & Ci & Cj). exists r, c, b. auto. Qed.

Lemma linked_trans : forall G i j k, linked G i j -> linked G j k -> linked G i k.
Proof.
  intros G i j k (r & b & c & Ci & Cj) (s & b' & c' & Cj' & Ck). rewrite Cj in Cj'. injection Cj' as <- <-.
  exists r, b, c'. auto.
Qed.

(** Look-ups are known by the classes and by what the context allows. *)
Lemma same_outcome : forall G H, forest G -> forest H -> length G = length H ->
  (forall i j, linked G i j <-> linked H i j) -> (forall e, agrees G e <-> agrees H e) -> same_classes G H.
Proof.
  intros G H F F' L K A. split; [exact L|]. intros i.
  destruct (lt_dec i (length G)) as [Li|Li].
  - destruct (class_known G F i Li) as (r & b & C). rewrite L in Li. destruct (class_known H F' i Li) as (s & c & D).
    destruct (class_root G F i r b C) as (_ & _ & Cr). destruct (class_root H F' i s c D) as (_ & _ & Ds).
    assert (Kr : linked H i r) by (apply K; exists r, b, b; auto).
    assert (Ks : linked G i s) by (apply K; exists s, c, c; auto).
    destruct Kr as (t & b1 & b2 & T1 & T2). rewrite D in T1. injection T1 as <- <-.
    destruct (class_root H F' r s b2 T2) as (_ & L1 & _).
    destruct Ks as (t & b3 & b4 & T3 & T4). rewrite C in T3. injection T3 as <- <-.
    destruct (class_root G F s r b4 T4) as (_ & L2 & _).
    assert (r = s) as <- by lia. rewrite C, D. do 2 f_equal. apply bound_ext.
    + intros d ->. exact (class_bound G i r d F C).
    + intros d ->. exact (class_bound H i r d F' D).
    + assert (X : forall G1 G2 b1 b2, forest G1 -> class G1 i = Some (r, b1) -> class G2 i = Some (r, b2) ->
        (forall e, agrees G1 e -> agrees G2 e) -> (forall d, b2 = Some d -> is_var d = false) ->
        (forall d, b1 = Some d -> is_var d = false) ->
        forall e p, 1 <= a_size p -> bound_means e p b1 -> bound_means e p b2).
      { intros G1 G2 c1 c2 F1 C1 C2 A1 V2 V1 e p P M. destruct (value_exists G1 i r c1 p F1 C1 P) as (f & Af & <-).
        - intros g. destruct c1 as [d|]; [|exact I]. exact (means_env d e g p (V1 d eq_refl) M).
        - destruct (A1 f Af i r c2 C2) as (_ & _ & Q). destruct c2 as [d|]; [|exact I].
          exact (means_env d f e _ (V2 d eq_refl) Q). }
      assert (Vb : forall d, b = Some d -> is_var d = false)
        by (intros d ->; exact (proj2 (bound_facts d (class_bound G i r d F C)))).
      assert (Vc : forall d, c = Some d -> is_var d = false)
        by (intros d ->; exact (proj2 (bound_facts d (class_bound H i r d F' D)))).
      intros e p P. split.
      * exact (X G H b c F C D (fun f => proj1 (A f)) Vc Vb e p P).
      * exact (X H G c b F' D C (fun f => proj2 (A f)) Vb Vc e p P).
  - rewrite (class_step G i F), (class_step H i F'). rewrite (proj2 (nth_error_None G i)) by lia.
    now rewrite (proj2 (nth_error_None H i)) by lia.
Qed.

(** The classes that a set of unifications asks for. *)
Inductive joined (G : context) (l : list (dim * dim)) : nat -> nat -> Prop :=
| joined_old : forall i j, linked G i j -> joined G l i j
| joined_new : forall a b, In (Var a, Var b) l -> joined G l a b
| joined_sym : forall i j, joined G l i j -> joined G l j i
| joined_trans : forall i j k, joined G l i j -> joined G l j k -> joined G l i k.

(** All of one set is in the other, sides in any order. *)
Definition covers (k l : list (dim * dim)) : Prop := forall x y, In (x, y) l -> In (x, y) k \/ In (y, x) k.

Lemma joined_covers : forall G k l i j, covers k l -> joined G l i j -> joined G k i j.
Proof.
  intros G k l i j C J. induction J as [i j L|a b I|i j J IH|i j m J IH J' IH'].
  - now apply joined_old.
  - destruct (C _ _ I) as [Q|Q]; [now apply joined_new | now apply joined_sym, joined_new].
  - now apply joined_sym.
  - now apply joined_trans with j.
Qed.

(** A successful step: its classes are those that it asks for. *)
Lemma unify_linked : forall G x y d, forest G -> proper G x -> proper G y -> snd (unify G x y) = Ok d ->
  forall i j, linked (fst (unify G x y)) i j <-> joined G [(x, y)] i j.
Proof.
  intros G x y d F Px Py E.
  assert (Z : (forall a b, (x, y) = (Var a, Var b) -> False) ->
    (forall i j, linked (fst (unify G x y)) i j <-> linked G i j) ->
    forall i j, linked (fst (unify G x y)) i j <-> joined G [(x, y)] i j).
  { intros N S i j. rewrite S. split; [apply joined_old|]. intros J.
    induction J as [i j L|a b [I|[]]|i j J IH|i j m J IH J' IH'].
    - exact L.
    - exfalso. exact (N a b I).
    - now apply linked_sym.
    - now apply linked_trans with j. }
  assert (S : forall H, same_classes H G -> forall i j, linked H i j <-> linked G i j).
  { intros H [_ C] i j. unfold linked. rewrite !C. tauto. }
  assert (R : forall a c, bound_ok c -> proper G (Var a) -> snd (rd_bind G a c) = Ok d ->
    forall i j, linked (fst (rd_bind G a c)) i j <-> linked G i j).
  { intros a c B [_ K] Q i j. simpl in K. destruct (class_known G F a K) as (r & b & C).
    pose proof (bind_classes G a c r b F C B) as M.
    destruct (match b with None => Ok c | Some t => meet t c end) as [t|q]; destruct M as [M1 M2]; [|congruence].
    unfold linked. rewrite (M2 i), (M2 j). destruct (class G i) as [[s u]|], (class G j) as [[s' u']|].
    - assert (X : forall (k : nat) (v : option dim), exists v', (if Nat.eqb k r then Some (r, Some t) else Some (k, v)) =
        Some (k, v')).
      { intros k v. destruct (Nat.eqb_spec k r) as [->|D]; eauto. }
      destruct (X s u) as [w ->], (X s' u') as [w' ->]. split; intros (k & v & v' & E1 & E2).
      + injection E1 as -> _. injection E2 as -> _. eauto 6.
      + injection E1 as -> _. injection E2 as -> _. eauto 6.
    - split; intros (k & v & v' & E1 & E2); discriminate.
    - split; intros (k & v & v' & E1 & E2); discriminate.
    - split; intros (k & v & v' & E1 & E2); discriminate. }
  assert (T : forall a, proper G (Var a) -> same_classes (fst (bind (root G a) (fun H '(r, _) => (H, Ok (Var r))))) G).
  { intros a [_ K]. destruct (root_spec G a F K) as (G1 & r & b & Q & _ & _ & S1). rewrite Q. exact S1. }
  destruct x as [v|a|n r| |], y as [w|b|m s| |]; cbn [unify] in *;
    try (apply Z; [intros a' b' N; congruence | apply S, same_refl]; fail);
    try (apply Z; [intros a' b' N; congruence | apply S, T; assumption]; fail);
    try (apply Z; [intros a' b' N; congruence | apply R; [first [exact (proj1 Px) | exact (proj1 Py)] | assumption | exact
      E]]; fail).
  destruct (class_known G F a (proj2 Px)) as (ra & ba & Ca). destruct (class_known G F b (proj2 Py)) as (rb & bb & Cb).
  pose proof (merge_classes G a b ra ba rb bb F Ca Cb) as M. destruct (Nat.eqb_spec ra rb) as [<-|D].
  - destruct M as [_ M]. intros i j. rewrite (S _ M). split; [apply joined_old|]. intros J.
    induction J as [i j L|a' b' [I|[]]|i j J IH|i j m J IH J' IH'].
    + exact L.
    + injection I as <- <-. exists ra, ba, bb. auto.
    + now apply linked_sym.
    + now apply linked_trans with j.
  - destruct (both_bounds ba bb) as [c|q]; destruct M as [M1 M]; [|congruence]. intros i j.
    set (H := fst (rd_merge G a b)) in *. set (f := fun s => if (Nat.eqb s ra || Nat.eqb s rb)%bool then Nat.min ra rb else s).
    assert (M' : forall k s u, class G k = Some (s, u) -> exists u', class H k = Some (f s, u')).
    { intros k s u Ck. specialize (M k). rewrite Ck in M. unfold f.
      assert (((s =? Nat.min ra rb)%nat || (s =? Nat.max ra rb)%nat)%bool = ((s =? ra)%nat || (s =? rb)%nat)%bool) as Q.
      { destruct (Nat.min_spec ra rb) as [[X1 ->]|[X1 ->]], (Nat.max_spec ra rb) as [[X2 ->]|[X2 ->]]; auto;
          solve [apply orb_comm | lia]. }
      rewrite Q in M. destruct ((s =? ra)%nat || (s =? rb)%nat)%bool; eauto. }
    assert (N' : forall k, class G k = None -> class H k = None) by (intros k Ck; specialize (M k); now rewrite Ck in M).
    assert (Lr : forall k s u, class G k = Some (s, u) -> linked G k s).
    { intros k s u Ck. exists s, u, u. split; [exact Ck|]. exact (proj2 (proj2 (class_root G F k s u Ck))). }
    split.
    + intros (s & u & u' & Ci & Cj). destruct (class G i) as [[t v]|] eqn:Gi; [|rewrite (N' i Gi) in Ci; discriminate].
      destruct (class G j) as [[t' v']|] eqn:Gj; [|rewrite (N' j Gj) in Cj; discriminate].
      destruct (M' i t v Gi) as [w Wi]. destruct (M' j t' v' Gj) as [w' Wj]. rewrite Wi in Ci. rewrite Wj in Cj.
      assert (Q : f t = f t') by congruence. clear Ci Cj.
      assert (Jab : joined G [(Var a, Var b)] ra rb).
      { apply joined_trans with a; [apply joined_old, linked_sym, (Lr a ra ba Ca)|].
        apply joined_trans with b; [apply joined_new; simpl; auto | apply joined_old, (Lr b rb bb Cb)]. }
      assert (Jtt : joined G [(Var a, Var b)] t t').
      { assert (Jt : joined G [(Var a, Var b)] t t).
        { apply joined_trans with i; apply joined_old; [apply linked_sym|]; exact (Lr i t v Gi). }
        unfold f in Q. destruct (Nat.eqb_spec t ra) as [->|D1], (Nat.eqb_spec t' ra) as [->|D2]; simpl in Q; auto.
        - destruct (Nat.eqb_spec t' rb) as [->|D3]; auto. exfalso.
          destruct (Nat.min_spec ra rb) as [[_ X]|[_ X]]; congruence.
        - destruct (Nat.eqb_spec t rb) as [->|D3]; [now apply joined_sym|]. exfalso.
          destruct (Nat.min_spec ra rb) as [[_ X]|[_ X]]; congruence.
        - destruct (Nat.eqb_spec t rb) as [->|D3], (Nat.eqb_spec t' rb) as [->|D4]; auto.
          + exfalso. destruct (Nat.min_spec ra rb) as [[_ X]|[_ X]]; congruence.
          + exfalso. destruct (Nat.min_spec ra rb) as [[_ X]|[_ X]]; congruence.
          + congruence. }
      apply joined_trans with t; [apply joined_old; exact (Lr i t v Gi)|].
      apply joined_trans with t'; [exact Jtt | apply joined_old, linked_sym; exact (Lr j t' v' Gj)].
    + intros J. induction J as [i j L|a' b' [I|[]]|i j J IH|i j m J IH J' IH'].
      * destruct L as (s & u & u' & Ci & Cj). destruct (M' i s u Ci) as [w Wi]. destruct (M' j s u' Cj) as [w' Wj].
        exists (f s), w, w'. auto.
      * injection I as <- <-. destruct (M' a ra ba Ca) as [w Wi]. destruct (M' b rb bb Cb) as [w' Wj].
        exists (Nat.min ra rb), w, w'. unfold f in Wi, Wj. rewrite Nat.eqb_refl in Wi.
        rewrite Nat.eqb_refl, orb_true_r in Wj. auto.
      * now apply linked_sym.
      * now apply linked_trans with j.
Qed.

Lemma all_linked : forall l G u, forest G -> Forall (proper_pair G) l -> snd (unify_all G l) = Ok u ->
  forall i j, linked (fst (unify_all G l)) i j <-> joined G l i j.
Proof.
  intros l; induction l as [|[x y] l IH]; intros G u F P E i j; cbn [unify_all] in *.
  - split; [apply joined_old|]. intros J. induction J as [i j L|a b []|i j J IH|i j m J IH J' IH'].
    + exact L.
    + now apply linked_sym.
    + now apply linked_trans with j.
  - inversion P as [|q k [Px Py] Pl]; subst. cbn [fst snd] in *.
    destruct (d5_forest_kept G x y F Px Py) as [F1 L1]. pose proof (unify_linked G x y) as U.
    destruct (unify G x y) as [G1 [d|q]]; cbn [fst snd bind] in *; [|discriminate].
    specialize (U d F Px Py eq_refl). rewrite (IH G1 u F1 (proper_pairs G G1 l (eq_sym L1) Pl) E). split; intros J.
    + induction J as [i j L|a b I|i j J IH1|i j m J IH1 J' IH2].
      * apply U in L. apply (joined_covers G _ [(x, y)]); [|exact L]. intros a b [Q|[]]. rewrite <- Q. simpl. auto.
      * apply joined_new. simpl. auto.
      * now apply joined_sym.
      * now apply joined_trans with j.
    + induction J as [i j L|a b I|i j J IH1|i j m J IH1 J' IH2].
      * apply joined_old, U. now apply joined_old.
      * destruct I as [Q|I]; [|now apply joined_new]. apply joined_old, U. apply joined_new. simpl. auto.
      * now apply joined_sym.
      * now apply joined_trans with j.
Qed.

Lemma covers_solves : forall k l e, covers k l -> Forall (solves e) k -> Forall (solves e) l.
Proof.
  intros k l e C S. rewrite Forall_forall in *. intros [x y] I. destruct (C x y I) as [Q|Q]; [exact (S _ Q)|].
  destruct (S _ Q) as (p & P1 & P2). exists p. auto.
Qed.

(** D5: two lists of the same unifications, in any order, with sides in any order and any of them more than once:
    both fail, or every look-up has the same answer afterwards. *)
Theorem d5_one_outcome : forall k l G, forest G -> Forall (proper_pair G) k -> Forall (proper_pair G) l ->
  covers k l -> covers l k ->
  same_answer (snd (unify_all G k)) (snd (unify_all G l)) /\
  ((exists u, snd (unify_all G k) = Ok u) -> same_classes (fst (unify_all G k)) (fst (unify_all G l))).
Proof.
  intros k l G F Pk Pl Ckl Clk. pose proof (d5_solutions k G F Pk) as Sk. pose proof (d5_solutions l G F Pl) as Sl.
  pose proof (all_linked k G tt F Pk) as Lk. pose proof (all_linked l G tt F Pl) as Ll.
  destruct (unify_all G k) as [Gk [[]|p]], (unify_all G l) as [Gl [[]|q]]; cbn [fst snd] in *.
  - split; [reflexivity|]. intros _. destruct Sk as (Fk & Nk & Ak), Sl as (Fl & Nl & Al).
    apply same_outcome; auto; [congruence| |].
    + intros i j. rewrite (Lk eq_refl), (Ll eq_refl). split; apply joined_covers; assumption.
    + intros e. rewrite Ak, Al. split; intros [A S]; (split; [exact A|]);
        [apply (covers_solves k) | apply (covers_solves l)]; auto.
  - exfalso. destruct Sk as (Fk & _ & Ak). destruct (agrees_exists Gk Fk) as [e Ae]. apply Ak in Ae. destruct Ae as [A S].
    exact (Sl e A (covers_solves k l e Ckl S)).
  - exfalso. destruct Sl as (Fl & _ & Al). destruct (agrees_exists Gl Fl) as [e Ae]. apply Al in Ae. destruct Ae as [A S].
    exact (Sk e A (covers_solves l k e Clk S)).
  - split; [exact I|]. intros [u Q]. discriminate.
Qed.

(** D5: in particular any order. *)
Theorem d5_order : forall k l G, forest G -> Forall (proper_pair G) l -> Permutation k l ->
  same_answer (snd (unify_all G k)) (snd (unify_all G l)) /\
  ((exists u, snd (unify_all G k) = Ok u) ->
    forall d, resolve (fst (unify_all G k)) d = resolve (fst (unify_all G l)) d).
Proof.
  intros k l G F P Q. destruct (d5_one_outcome k l G F) as [A B]; auto.
  - now apply (Permutation_Forall (Permutation_sym Q)).
  - intros x y I. left. exact (Permutation_in _ (Permutation_sym Q) I).
  - intros x y I. left. exact (Permutation_in _ Q I).
  - split; [exact A|]. intros U d. apply resolve_same. auto.
Qed.

(** * Sizes *)

Lemma fits_spec : forall e n d, fits e n d <-> 1 <= n /\
  match d with
  | Literal v => n = v
  | Var a => a_size (e a) = n
  | Named _ r => contains r n = true
  | Dynamic | Broadcast => True
  end.
Proof.
  intros e n d. unfold fits, means. split.
  - intros (l & P & M). simpl in *. split; [exact P|]. destruct d as [v|a|m r| |]; auto.
    + rewrite <- M. reflexivity.
    + exact (proj2 M).
  - intros [P M]. destruct d as [v|a|m r| |].
    + exists None. auto.
    + exists (a_label (e a)). split; [exact P|]. rewrite <- M. now destruct (e a).
    + exists (Some m). simpl. auto.
    + exists None. auto.
    + exists None. auto.
Qed.

Lemma fits_range : forall e n d, fits e n d -> contains (range_of d) n = true.
Proof.
  intros e n d F. apply fits_spec in F. destruct F as [P F]. destruct d as [v|a|m r| |]; simpl; auto;
    apply contains_spec; simpl; subst; split; auto; lia.
Qed.

(** What a dimension stands for, its resolved form stands for too. *)
Lemma means_resolve : forall G e p d, agrees G e -> means e p d -> means e p (resolve G d).
Proof.
  intros G e p [v|a|n r| |] A M; auto. simpl. destruct (class G a) as [[r [b|]]|] eqn:C; auto.
  - destruct (A a r _ C) as (_ & _ & Q). destruct M as [_ ->]. exact Q.
  - destruct (A a r _ C) as (Q & _ & _). destruct M as [P ->]. split; auto.
Qed.

Lemma actual_resolve : forall G e ns s, agrees G e -> actual e ns s -> actual e ns (resolve_shape G s).
Proof.
  intros G e ns s A H. induction H as [|n d ns s [l M] H IH]; simpl; constructor; auto.
  exists l. now apply means_resolve.
Qed.

(** * D10: bounds of elements *)

Lemma combine_assoc : forall a b c,
  combine_bounds N.mul (combine_bounds N.mul a b) c = combine_bounds N.mul a (combine_bounds N.mul b c).
Proof.
  intros [x [x'|]] [y [y'|]] [z [z'|]]; unfold combine_bounds; simpl; now rewrite ?N.mul_assoc.
Qed.

Lemma elements_from : forall s b c,
  fold_left (fun b d => combine_bounds N.mul b (axis_bounds d)) s (combine_bounds N.mul b c) =
  combine_bounds N.mul b (fold_left (fun b d => combine_bounds N.mul b (axis_bounds d)) s c).
Proof. intros s; induction s as [|d s IH]; intros b c; simpl; [reflexivity|]. now rewrite combine_assoc, IH. Qed.

Lemma elements_cons : forall d s, elements (d :: s) = combine_bounds N.mul (axis_bounds d) (elements s).
Proof.
  intros d s. unfold elements. rewrite <- elements_from. cbn [fold_left]. f_equal.
  unfold combine_bounds, axis_bounds. cbn [b_min b_max]. rewrite N.mul_1_l, N.mul_1_r.
  destruct (r_hi (range_of d)) as [h|]; [|reflexivity]. now rewrite N.mul_1_l, N.mul_1_r.
Qed.

Lemma within_spec : forall b n, within b n = true <-> b_min b <= n /\ hi_above n (b_max b).
Proof. intros [lo hi] n. exact (contains_spec (Range lo hi) n). Qed.

Lemma elements_within : forall e ns s, actual e ns s -> within (elements s) (times ns) = true.
Proof.
  intros e ns s H. induction H as [|n d ns s M H IH]; [reflexivity|]. rewrite elements_cons.
  apply within_spec in IH. destruct IH as [I1 I2]. apply fits_range, contains_spec in M. destruct M as [M1 M2].
  apply within_spec. unfold times in *. cbn [fold_right]. split; [exact (N.mul_le_mono _ _ _ _ M1 I1)|].
  unfold combine_bounds, axis_bounds. cbn [b_max]. destruct (r_hi (range_of d)) as [h|]; simpl in *; auto.
  destruct (b_max (elements s)) as [m|]; simpl in *; auto. now apply N.mul_le_mono.
Qed.

(** D10: every actual number of elements is within the bounds of the resolved shape. *)
Theorem d10_within_bounds : forall G e ns s, agrees G e -> actual e ns s ->
  within (elements (resolve_shape G s)) (times ns) = true.
Proof. intros G e ns s A H. apply (elements_within e). now apply actual_resolve. Qed.

(** Values of variables that have in each class the size that is picked from its range. *)
Definition pick_env (pick : range -> N) (G : context) : env := fun j =>
  match class G j with
  | Some (_, Some d) => Axis (pick (range_of d)) (label_of d)
  | _ => Axis (pick any_range) None
  end.

Lemma range_of_ok : forall d, dim_ok d -> range_ok (range_of d).
Proof. intros [v|a|n r| |] O; simpl in *; unfold range_ok; simpl; auto; lia. Qed.

Lemma resolve_ok : forall G d, forest G -> dim_ok d -> dim_ok (resolve G d).
Proof.
  intros G [v|a|n r| |] F O; auto. simpl. destruct (class G a) as [[r [b|]]|] eqn:C; simpl; auto.
  exact (proj1 (bound_facts b (class_bound G a r b F C))).
Qed.

Lemma pick_agrees : forall pick G, forest G -> (forall r, range_ok r -> contains r (pick r) = true) ->
  agrees G (pick_env pick G) /\ forall d, dim_ok d -> fits (pick_env pick G) (pick (range_of (resolve G d))) d.
Proof.
  intros pick G F K.
  assert (P : forall r, range_ok r -> 1 <= pick r).
  { intros r O. pose proof (K r O) as Q. apply contains_spec in Q. destruct O as [O _], Q as [Q _]. lia. }
  assert (Any : range_ok any_range) by (split; simpl; [lia | exact I]).
  split.
  - intros i r b C. unfold pick_env. rewrite C. destruct (class_root G F i r b C) as (_ & _ & Cr). rewrite Cr.
    split; [reflexivity|]. destruct b as [d|]; simpl; [|auto].
    pose proof (class_bound G i r d F C) as B. destruct (bound_facts d B) as [O V]. apply range_of_ok in O.
    split; [auto|]. split; [simpl; auto|]. simpl. pose proof (K _ O) as Q.
    destruct d as [v|a|n s| |]; simpl in *; try contradiction; auto. now apply exactly_contains in Q.
  - intros d O. apply fits_spec. pose proof (range_of_ok _ (resolve_ok G d F O)) as R. split; [auto|].
    destruct d as [v|a|n s| |]; simpl; auto.
    + simpl in R. pose proof (K _ R) as Q. now apply exactly_contains in Q.
    + unfold pick_env. destruct (class G a) as [[r [b|]]|]; reflexivity.
Qed.

Lemma pick_actual : forall pick G s, forest G -> Forall dim_ok s ->
  (forall r, range_ok r -> contains r (pick r) = true) -> exists e, agrees G e /\
  actual e (map (fun d => pick (range_of d)) (resolve_shape G s)) s.
Proof.
  intros pick G s F O K. destruct (pick_agrees pick G F K) as [A B]. exists (pick_env pick G). split; [exact A|].
  induction O as [|d s Od Os IH]; simpl; constructor; auto.
Qed.

Lemma elements_min : forall s, b_min (elements s) = times (map (fun d => r_lo (range_of d)) s).
Proof. intros s; induction s as [|d s IH]; [reflexivity|]. rewrite elements_cons. simpl. now rewrite IH. Qed.

Definition top (r : range) : N := match r_hi r with Some h => h | None => r_lo r end.

Lemma elements_max : forall s m, b_max (elements s) = Some m -> m = times (map (fun d => top (range_of d)) s).
Proof.
  intros s; induction s as [|d s IH]; intros m E; [injection E as <-; reflexivity|].
  rewrite elements_cons in E. simpl in E.
  cbn [map]. unfold times in *. cbn [fold_right]. destruct (r_hi (range_of d)) as [h|] eqn:Q; [|discriminate].
  destruct (b_max (elements s)) as [k|]; [|discriminate]. injection E as <-. rewrite <- (IH k eq_refl).
  unfold top. now rewrite Q.
Qed.

(** D10: the lower bound is reached, by values that the context allows. *)
Theorem d10_lower_reached : forall G s, forest G -> Forall dim_ok s -> exists e ns,
  agrees G e /\ actual e ns s /\ times ns = b_min (elements (resolve_shape G s)).
Proof.
  intros G s F O. destruct (pick_actual r_lo G s F O) as (e & A & H).
  - intros [lo hi] [R1 R2]. apply contains_spec. simpl in *. split; [lia | exact R2].
  - exists e, (map (fun d => r_lo (range_of d)) (resolve_shape G s)). split; [exact A|]. split; [exact H|].
    symmetry. apply elements_min.
Qed.

(** D10: the upper bound is reached where there is one. *)
Theorem d10_upper_reached : forall G s m, forest G -> Forall dim_ok s ->
  b_max (elements (resolve_shape G s)) = Some m -> exists e ns, agrees G e /\ actual e ns s /\ times ns = m.
Proof.
  intros G s m F O E. destruct (pick_actual top G s F O) as (e & A & H).
  - intros [lo [h|]] [R1 R2]; apply contains_spec; unfold top; simpl in *; split; auto; lia.
  - exists e, (map (fun d => top (range_of d)) (resolve_shape G s)). split; [exact A|]. split; [exact H|].
    symmetry. now apply elements_max.
Qed.

Lemma times_some : forall k ns, (forall n, In n ns -> 1 <= n) -> (exists n, In n ns /\ k <= n) -> k <= times ns.
Proof.
  assert (One : forall ns, (forall n, In n ns -> 1 <= n) -> 1 <= times ns).
  { intros ns; induction ns as [|m ns IH]; intros P; unfold times in *; simpl in *; [lia|].
    pose proof (P m (or_introl eq_refl)). specialize (IH (fun n H => P n (or_intror H))). nia. }
  intros k ns; induction ns as [|m ns IH]; intros P (n & J & L); [destruct J|]. unfold times in *. simpl.
  pose proof (P m (or_introl eq_refl)). pose proof (One ns (fun n H => P n (or_intror H))) as Q. unfold times in Q.
  destruct J as [->|J]; [nia|]. specialize (IH (fun n H => P n (or_intror H)) (ex_intro _ n (conj J L))). nia.
Qed.

(** D10: where none is said there is none: every number is exceeded. *)
Theorem d10_no_upper_bound : forall G s k, forest G -> Forall dim_ok s ->
  b_max (elements (resolve_shape G s)) = None -> exists e ns, agrees G e /\ actual e ns s /\ k <= times ns.
Proof.
  intros G s k F O E. set (pick := fun r => match r_hi r with Some _ => r_lo r | None => N.max (r_lo r) k end).
  assert (K : forall r, range_ok r -> contains r (pick r) = true).
  { intros [lo [h|]] [R1 R2]; apply contains_spec; unfold pick; simpl in *; split; auto; lia. }
  destruct (pick_actual pick G s F O K) as (e & A & H). eexists e, _. split; [exact A|]. split; [exact H|].
  apply times_some.
  - intros n J. apply in_map_iff in J. destruct J as (d & <- & J). unfold resolve_shape in J. apply in_map_iff in J.
    destruct J as (c & <- & J). rewrite Forall_forall in O. pose proof (range_of_ok _ (resolve_ok G c F (O c J))) as R.
    pose proof (K _ R) as Q. apply contains_spec in Q. destruct R as [R _], Q as [Q _]. lia.
  - clear H A. revert E. generalize (resolve_shape G s) as t. intros t; induction t as [|d t IH]; intros E; [discriminate|].
    rewrite elements_cons in E. simpl in E. destruct (r_hi (range_of d)) as [h|] eqn:Q.
    + destruct (b_max (elements t)) as [m|]; [discriminate|]. destruct (IH eq_refl) as (n & J & L). exists n. simpl. auto.
    + exists (pick (range_of d)). split; [simpl; auto|]. unfold pick. rewrite Q. lia.
Qed.

(** D10: bytes are elements times the bytes of one. *)
Theorem d10_bytes : forall G e ns s k, agrees G e -> actual e ns s ->
  within (bytes (resolve_shape G s) k) (times ns * k) = true.
Proof.
  intros G e ns s k A H. pose proof (d10_within_bounds G e ns s A H) as W. apply within_spec in W. apply within_spec.
  unfold bytes, bounds_times. destruct (N.eqb_spec k 0) as [->|D]; simpl.
  - rewrite N.mul_0_r. lia.
  - destruct W as [W1 W2]. split; [now apply N.mul_le_mono_r|].
    destruct (b_max (elements (resolve_shape G s))) as [m|]; simpl in *; auto. now apply N.mul_le_mono_r.
Qed.

(** * D9: verification *)

Lemma seen_cons : forall V a n b, seen ((a, n) :: V) b = if Nat.eqb a b then Some n else seen V b.
Proof. reflexivity. Qed.

Lemma verify_axes_spec : forall ns s V, length ns = length s ->
  match verify_axes V ns s with
  | (V', Ok _) => forall e, stores V' e <-> stores V e /\ actual e ns s
  | (_, Err _) => forall e, stores V e -> ~ actual e ns s
  end.
Proof.
  intros ns; induction ns as [|n ns IH]; intros [|d s] V L; try discriminate; cbn [verify_axes].
  - intros e. split; [intros S; split; [exact S | constructor] | tauto].
  - injection L as L. destruct (N.eqb_spec n 0) as [->|Z]; simpl.
    { intros e _ H. inversion H as [|x y k t M R]; subst. apply fits_spec in M. lia. }
    destruct (contains (range_of d) n) eqn:C; simpl.
    2:{ intros e _ H. inversion H as [|x y k t M R]; subst. apply fits_range in M. congruence. }
    assert (P : 1 <= n) by lia.
    assert (Go : (forall e, fits e n d) -> match verify_axes V ns s with
      | (V', Ok _) => forall e, stores V' e <-> stores V e /\ actual e (n :: ns) (d :: s)
      | (_, Err _) => forall e, stores V e -> ~ actual e (n :: ns) (d :: s)
      end).
    { intros Q. pose proof (IH s V L) as I. destruct (verify_axes V ns s) as [V' [u|q]].
      - intros e. rewrite (I e). unfold actual. split; intros [S H]; (split; [exact S|]); [constructor; auto|].
        inversion H as [|x y k t M R]; subst. exact R.
      - intros e S H. inversion H as [|x y k t M R]; subst. exact (I e S R). }
    destruct d as [v|a|m r| |].
    + apply Go. intros e. apply fits_spec. split; [exact P|]. now apply exactly_contains in C.
    + clear Go. destruct (seen V a) as [m|] eqn:Sn.
      * destruct (N.eqb_spec n m) as [<-|D].
        { pose proof (IH s V L) as I. destruct (verify_axes V ns s) as [V' [u|q]].
          - intros e. rewrite (I e). split; intros [S H]; (split; [exact S|]).
            + constructor; [|exact H]. apply fits_spec. split; [exact P|]. exact (proj2 (S a n Sn)).
            + inversion H as [|x y k t M R]; subst. exact R.
          - intros e S H. inversion H as [|x y k t M R]; subst. exact (I e S R). }
        { intros e S H. inversion H as [|x y k t M R]; subst. apply fits_spec in M. destruct (S a m Sn) as [_ Q].
          destruct M as [_ M]. congruence. }
      * assert (St : forall e, stores ((a, n) :: V) e <-> stores V e /\ a_size (e a) = n).
        { intros e. split.
          - intros S. split; [|refine (proj2 (S a n _)); rewrite seen_cons, Nat.eqb_refl; reflexivity].
            intros b k Sb. apply S. rewrite seen_cons. destruct (Nat.eqb_spec a b) as [<-|D]; [congruence | exact Sb].
          - intros [S Q] b k Sb. rewrite seen_cons in Sb. destruct (Nat.eqb_spec a b) as [<-|D]; [|exact (S b k Sb)].
            injection Sb as <-. auto. }
        pose proof (IH s ((a, n) :: V) L) as I. destruct (verify_axes ((a, n) :: V) ns s) as [V' [u|q]].
        { intros e. rewrite (I e), (St e). split.
          - intros [[S Q] H]. split; [exact S|]. constructor; [|exact H]. apply fits_spec. auto.
          - intros [S H]. inversion H as [|x y k t M R]; subst. apply fits_spec in M. destruct M as [_ M]. auto. }
        { intros e S H. inversion H as [|x y k t M R]; subst. apply fits_spec in M. apply (I e); [|exact R].
          apply St. split; [exact S | exact (proj2 M)]. }
    + apply Go. intros e. apply fits_spec. auto.
    + apply Go. intros e. apply fits_spec. auto.
    + apply Go. intros e. apply fits_spec. auto.
Qed.

Lemma actual_length : forall e ns s, actual e ns s -> length ns = length s.
Proof. intros e ns s H. induction H as [|n d ns s M H IH]; simpl; auto. Qed.

Lemma verify_spec : forall V ns s,
  match verify V ns s with
  | (V', Ok _) => forall e, stores V' e <-> stores V e /\ actual e ns s
  | (_, Err _) => forall e, stores V e -> ~ actual e ns s
  end.
Proof.
  intros V ns s. unfold verify. destruct (Nat.eqb_spec (length ns) (length s)) as [L|L]; simpl.
  - exact (verify_axes_spec ns s V L).
  - intros e _ H. exact (L (actual_length e ns s H)).
Qed.

(** What was seen is a size. *)
Definition sizes_seen (V : verifier) : Prop := forall a n, seen V a = Some n -> 1 <= n.

Lemma verify_axes_seen : forall ns s V, sizes_seen V -> sizes_seen (fst (verify_axes V ns s)).
Proof.
  intros ns; induction ns as [|n ns IH]; intros [|d s] V S; cbn [verify_axes]; auto.
  destruct (N.eqb_spec n 0) as [->|Z]; simpl; [exact S|]. destruct (contains (range_of d) n); simpl; [|exact S].
  destruct d as [v|a|m r| |]; auto. destruct (seen V a) as [m|]; [destruct (n =? m); auto|].
  apply IH. intros b k. rewrite seen_cons. destruct (Nat.eqb a b); [intros Q; injection Q as <-; lia | apply S].
Qed.

Lemma verify_seen : forall V ns s, sizes_seen V -> sizes_seen (fst (verify V ns s)).
Proof. intros V ns s S. unfold verify. destruct (negb _); [exact S | now apply verify_axes_seen]. Qed.

Lemma stores_exists : forall V, sizes_seen V -> exists e, stores V e.
Proof.
  intros V S. exists (fun a => Axis (match seen V a with Some n => n | None => 1 end) None).
  intros a n E. simpl. rewrite E. split; [exact (S a n E) | reflexivity].
Qed.

(** D9: an actual shape is accepted iff there is one axis for each variable such that each size is one that the
    declared dimension stands for. *)
Theorem d9_accepted_iff : forall ns s, snd (verify [] ns s) = Ok tt <-> exists e, actual e ns s.
Proof.
  intros ns s. pose proof (verify_spec [] ns s) as V. pose proof (verify_seen [] ns s) as Q.
  destruct (verify [] ns s) as [V' [[]|q]]; cbn [fst snd] in *.
  - split; [|reflexivity]. intros _. destruct (stores_exists V') as [e S]; [apply Q; intros a n E; discriminate|].
    exists e. exact (proj2 (proj1 (V e) S)).
  - split; [discriminate|]. intros [e H]. exfalso. apply (V e); [intros a n E; discriminate | exact H].
Qed.

Lemma verify_run_spec : forall run V, sizes_seen V ->
  match verify_run V run with
  | (V', Ok _) => sizes_seen V' /\ forall e, stores V' e <-> stores V e /\ Forall (fun t => actual e (fst t) (snd t)) run
  | (_, Err _) => forall e, stores V e -> ~ Forall (fun t => actual e (fst t) (snd t)) run
  end.
Proof.
  intros run; induction run as [|[ns s] run IH]; intros V S; cbn [verify_run].
  - split; [exact S|]. intros e. split; [auto | tauto].
  - pose proof (verify_spec V ns s) as H. pose proof (verify_seen V ns s S) as Q.
    destruct (verify V ns s) as [V1 [u|p]]; cbn [fst] in Q.
    + specialize (IH V1 Q). destruct (verify_run V1 run) as [V2 [w|p]].
      * destruct IH as [S2 A2]. split; [exact S2|]. intros e. rewrite A2, (H e), Forall_cons_iff. tauto.
      * intros e St F. apply Forall_cons_iff in F. destruct F as [F1 F2]. apply (IH e); [|exact F2]. apply H. auto.
    + intros e St F. apply Forall_cons_iff in F. exact (H e St (proj1 F)).
Qed.

(** D9: all tensors of a run are accepted iff one axis for each variable serves all of them. *)
Theorem d9_run_accepted_iff : forall run,
  snd (verify_run [] run) = Ok tt <-> exists e, Forall (fun t => actual e (fst t) (snd t)) run.
Proof.
  intros run. assert (S : sizes_seen []) by (intros a n E; discriminate). pose proof (verify_run_spec run [] S) as H.
  destruct (verify_run [] run) as [V [[]|q]]; cbn [snd].
  - split; [|reflexivity]. intros _. destruct H as [S' A]. destruct (stores_exists V S') as [e Q]. exists e. now apply A.
  - split; [discriminate|]. intros [e F]. exfalso. apply (H e); [intros a n E; discriminate | exact F].
Qed.

(** Outside of D9: a refused tensor leaves the sizes that were seen before the wrong axis, and they count later. *)
Theorem d9_refused_is_remembered :
  let V := fst (verify [] [3; 5] [Var 0; Literal 2]) in
  snd (verify [] [3; 5] [Var 0; Literal 2]) = Err (Actual_size 5 (Literal 2)) /\
  snd (verify [] [4] [Var 0]) = Ok tt /\ snd (verify V [4] [Var 0]) = Err (Actual_size 4 (Var 0)).
Proof. repeat split; reflexivity. Qed.

(** Outside of D9: a variable that was narrowed is checked as its bound once it is resolved, so that two places of it
    may have two sizes; not resolved, its bound is not checked. *)
Theorem d9_narrowed_variables :
  let G := fst (unify [Root None] (Var 0) (Named "a" (Range 1 (Some 3)))) in
  snd (verify [] [1; 2] (resolve_shape G [Var 0; Var 0])) = Ok tt /\
  snd (verify [] [7; 7] [Var 0; Var 0]) = Ok tt /\
  forall e, agrees G e -> ~ actual e [1; 2] [Var 0; Var 0] /\ ~ actual e [7; 7] [Var 0; Var 0].
Proof.
  split; [reflexivity|]. split; [reflexivity|]. intros e A. split; intros H.
  - inversion H as [|x y k t M R]; subst. inversion R as [|x y k t M' R']; subst.
    apply fits_spec in M. apply fits_spec in M'. lia.
  - inversion H as [|x y k t M R]; subst. destruct M as [l M]. destruct (A 0%nat 0%nat _ eq_refl) as (_ & _ & _ & _ & C).
    destruct M as [_ M]. rewrite <- M in C. discriminate.
Qed.

(** * D8: reshaping *)

Lemma times_cons : forall n ns, times (n :: ns) = n * times ns.
Proof. reflexivity. Qed.

Lemma actual_one : forall e ns s, actual e ns s -> 1 <= times ns.
Proof.
  intros e ns s H. induction H as [|n d ns s M H IH]; [simpl; lia|]. apply fits_spec in M. rewrite times_cons. nia.
Qed.

Lemma only_spec : forall r v n, only r = Some v -> contains r n = true -> n = v.
Proof.
  intros [lo [h|]] v n E C; unfold only in E; simpl in E; [|discriminate]. destruct (N.eqb_spec h lo) as [->|D]; [|discriminate].
  injection E as <-. apply contains_spec in C. simpl in C. lia.
Qed.

Lemma product_spec : forall e ns s, actual e ns s -> 1 <= known (product_of s) /\ exists us,
  actual e us (unknown (product_of s)) /\ times ns = known (product_of s) * times us.
Proof.
  intros e ns s H. induction H as [|n d ns s M H (K & us & A & E)]; [simpl; split; [lia|]; exists []; split;
    [constructor | reflexivity]|].
  cbn [product_of]. rewrite times_cons, E. destruct (size_of d) as [v|] eqn:Q; cbn [known unknown].
  - assert (n = v) as -> by exact (only_spec _ _ _ Q (fits_range e n d M)). apply fits_spec in M. split; [nia|].
    exists us. split; [exact A | lia].
  - split; [exact K|]. exists (n :: us). split; [constructor; auto|]. rewrite times_cons. lia.
Qed.

Lemma take_same_spec : forall e d v vs v', take_same d v = Some v' -> actual e vs v -> exists n vs',
  fits e n d /\ actual e vs' v' /\ times vs = n * times vs'.
Proof.
  intros e d v; induction v as [|x v IH]; intros vs v' E A; simpl in E; [discriminate|].
  inversion A as [|n y ns t M R]; subst. destruct (dim_eqb x d && can_cancel x)%bool eqn:Q.
  - injection E as <-. apply andb_true_iff in Q. destruct Q as [Q _]. apply dim_eqb_spec in Q. subst x. exists n, ns. auto.
  - destruct (take_same d v) as [k|]; [|discriminate]. injection E as <-. destruct (IH ns k eq_refl R) as (m & ms & M1 & M2 & M3).
    exists m, (n :: ms). split; [exact M1|]. split; [constructor; auto|]. rewrite !times_cons, M3. lia.
Qed.

(** What is certainly equal can be taken out of both products. *)
Lemma cancel_spec : forall e u v us vs u' v', cancel u v = (u', v', true) -> actual e us u -> actual e vs v ->
  exists us' vs' c, 1 <= c /\ actual e us' u' /\ actual e vs' v' /\ times us = c * times us' /\ times vs = c * times vs'.
Proof.
  intros e u; induction u as [|d u IH]; intros v us vs u' v' E A B; simpl in E.
  - injection E as <- <-. exists us, vs, 1. split; [lia|]. split; [exact A|]. split; [exact B|]. lia.
  - inversion A as [|n y ns t M R]; subst. destruct (take_same d v) as [k|] eqn:T.
    + destruct (cancel u k) as [[u1 v1] c1] eqn:C. injection E as <- <- Q. apply andb_true_iff in Q. destruct Q as [V ->].
      destruct (take_same_spec e d v vs k T B) as (m & ms & M1 & M2 & M3).
      destruct (IH k ns ms u1 v1 C R M2) as (us' & vs' & c & C1 & C2 & C3 & C4 & C5).
      assert (m = n) as -> by (destruct d as [w|a|x r| |]; try discriminate; apply fits_spec in M, M1; destruct M, M1;
        congruence).
      apply fits_spec in M. exists us', vs', (n * c). rewrite times_cons, M3, C4, C5. split; [nia|]. split; [exact C2|].
      split; [exact C3|]. lia.
    + destruct (cancel u v) as [[u1 v1] c1] eqn:C. injection E as <- <- ->.
      destruct (IH v ns vs u1 v1 C R B) as (us' & vs' & c & C1 & C2 & C3 & C4 & C5).
      exists (n :: us'), vs', c. split; [exact C1|]. split; [constructor; auto|]. split; [exact C3|].
      rewrite !times_cons, C4. split; [lia | exact C5].
Qed.

Lemma elements_all : forall s, b_max (elements s) =
  match all_some (map (fun d => r_hi (range_of d)) s) with Some l => Some (times l) | None => None end.
Proof.
  intros s; induction s as [|d s IH]; [reflexivity|]. rewrite elements_cons. simpl. rewrite IH.
  destruct (r_hi (range_of d)) as [h|]; [|reflexivity]. destruct (all_some _) as [l|]; reflexivity.
Qed.

Lemma labelled_fits : forall e q pieces sign r, 1 <= q -> contains r q = true -> fits e q (labelled pieces sign r).
Proof.
  intros e q pieces sign r P C. apply fits_spec. split; [exact P|]. unfold labelled.
  cbv zeta. destruct (negb _ && _)%bool; [exact C|]. destruct (only r) as [v|] eqn:O; [|exact I].
  exact (only_spec r v q O C).
Qed.

Lemma scaled_fits : forall e us ds f d, 1 <= f -> actual e us ds -> scaled ds f = Some d -> fits e (f * times us) d.
Proof.
  intros e us ds f d P A E. unfold scaled in E. destruct (negb _); [discriminate|].
  destruct (range_new _ _) as [r|] eqn:R; [|discriminate]. injection E as <-. apply range_new_spec in R. destruct R as [-> _].
  pose proof (actual_one e us ds A) as O. apply labelled_fits; [nia|]. apply contains_spec. cbn [r_lo r_hi].
  pose proof (elements_within e us ds A) as W. apply within_spec in W. destruct W as [W1 W2].
  rewrite elements_min in W1. rewrite elements_all in W2. split; [now apply N.mul_le_mono_l|].
  destruct (all_some _) as [l|]; simpl in *; auto. now apply N.mul_le_mono_l.
Qed.

Lemma multiple_spec : forall n m, 1 <= m -> (multiple n m = true <-> exists k, n = m * k).
Proof.
  intros n m P. unfold multiple. rewrite N.eqb_eq. rewrite N.mod_divide by lia. split; intros [k E]; exists k; lia.
Qed.

(** What is inferred for -1 allows the quotient. *)
Lemma quotient_spec : forall e kb u us ka v vs q, 1 <= kb -> 1 <= ka -> 1 <= q -> actual e us u -> actual e vs v ->
  kb * times us = ka * times vs * q ->
  match quotient (Product kb u) (Product ka v) with Some d => fits e q d | None => False end.
Proof.
  intros e kb u us ka v vs q Pb Pa Pq A B E. unfold quotient. cbn [known unknown].
  assert (Dy : fits e q Dynamic) by (apply fits_spec; auto).
  destruct (multiple kb ka) eqn:M; simpl.
  - rewrite andb_false_r, orb_false_r. destruct v as [|y v]; [|exact Dy]. simpl. inversion B; subst.
    apply (multiple_spec kb ka Pa) in M. destruct M as [f Ef]. change (times []) with 1 in E. subst kb.
    rewrite (N.mul_comm ka f), N.div_mul by lia. assert (Q : q = f * times us) by nia. assert (Pf : 1 <= f) by nia.
    destruct u as [|d [|d' u]].
    + inversion A; subst. apply fits_spec. split; [exact Pq|]. change (times []) with 1. lia.
    + destruct (N.eqb_spec f 1) as [->|D].
      * inversion A as [|n z ns t X R]; subst. inversion R; subst. rewrite times_cons. change (times []) with 1.
        rewrite N.mul_1_l, N.mul_1_r. exact X.
      * destruct (scaled [d] f) as [c|] eqn:S; [|exact Dy]. rewrite Q. exact (scaled_fits e us [d] f c Pf A S).
    + destruct (scaled (d :: d' :: u) f) as [c|] eqn:S; [|exact Dy]. rewrite Q. exact (scaled_fits e us _ f c Pf A S).
  - destruct u as [|d u]; simpl; [|rewrite orb_true_r; exact Dy]. inversion A; subst. change (times []) with 1 in E.
    assert (K : multiple kb ka = true) by (apply (multiple_spec kb ka Pa); exists (times vs * q); lia). congruence.
Qed.

(** The dimensions of a target, without -1. *)
Definition dims_of (t : list target) : shape := flat_map (fun x => match x with Given d => [d] | Infer => [] end) t.

Lemma given_resolved : forall G t, given_of G t = resolve_shape G (dims_of t).
Proof. intros G t; induction t as [|[d|] t IH]; simpl; auto. f_equal. exact IH. Qed.

Lemma differ_spec : forall e ns ms s t, actual e ns s -> actual e ms t ->
  differ (product_of s) (elements s) (product_of t) (elements t) = true -> times ns <> times ms.
Proof.
  intros e ns ms s t A B D E. unfold differ in D. rewrite !orb_true_iff in D.
  pose proof (elements_within e ns s A) as W1. pose proof (elements_within e ms t B) as W2.
  apply within_spec in W1. apply within_spec in W2. destruct W1 as [W1 W1'], W2 as [W2 W2'].
  destruct (product_spec e ns s A) as (K1 & us & A' & E1). destruct (product_spec e ms t B) as (K2 & vs & B' & E2).
  assert (Q : forall (p p' : product) ks x, unknown p = [] -> actual e ks (unknown p) -> 1 <= known p' ->
    known p * times ks = known p' * x -> indivisible p p' = true -> False).
  { intros p p' ks x N H K Z I. unfold indivisible in I. rewrite N in *. inversion H; subst. change (times []) with 1 in Z.
    simpl in I.
    assert (M : multiple (known p) (known p') = true) by (apply (multiple_spec _ _ K); exists x; lia).
    rewrite M in I. discriminate. }
  destruct D as [[[D|D]|D]|D].
  - unfold below in D. destruct (b_max (elements s)) as [m|]; [|discriminate]. apply N.ltb_lt in D. simpl in W1'. lia.
  - unfold below in D. destruct (b_max (elements t)) as [m|]; [|discriminate]. apply N.ltb_lt in D. simpl in W2'. lia.
  - assert (N : unknown (product_of s) = []).
    { unfold indivisible in D. destruct (unknown (product_of s)); [reflexivity | discriminate]. }
    apply (Q (product_of s) (product_of t) us (times vs)); auto. congruence.
  - assert (N : unknown (product_of t) = []).
    { unfold indivisible in D. destruct (unknown (product_of t)); [reflexivity | discriminate]. }
    apply (Q (product_of t) (product_of s) vs (times us)); auto. congruence.
Qed.

(** Less than what is given is no multiple of it. *)
Lemma below_spec : forall e ns ms s t q, actual e ns s -> actual e ms t ->
  below (elements s) (elements t) = true -> times ns <> times ms * q.
Proof.
  intros e ns ms s t q A B D E. pose proof (actual_one e ns s A) as O.
  pose proof (elements_within e ns s A) as W1. pose proof (elements_within e ms t B) as W2.
  apply within_spec in W1. apply within_spec in W2. destruct W1 as [W1 W1'], W2 as [W2 W2'].
  unfold below in D. destruct (b_max (elements s)) as [m|]; [|discriminate]. apply N.ltb_lt in D. simpl in W1'.
  assert (1 <= q) by nia. nia.
Qed.

(** The sizes after cancelling. *)
Lemma cancelled : forall e ns ms s t u v, actual e ns s -> actual e ms t ->
  cancel (unknown (product_of s)) (unknown (product_of t)) = (u, v, true) ->
  exists us vs c, 1 <= c /\ actual e us u /\ actual e vs v /\
    times ns = c * (known (product_of s) * times us) /\ times ms = c * (known (product_of t) * times vs).
Proof.
  intros e ns ms s t u v A B C. destruct (product_spec e ns s A) as (K1 & us & A' & E1).
  destruct (product_spec e ms t B) as (K2 & vs & B' & E2).
  destruct (cancel_spec e _ _ us vs u v C A' B') as (us' & vs' & c & C1 & C2 & C3 & C4 & C5).
  exists us', vs', c. split; [exact C1|]. split; [exact C2|]. split; [exact C3|]. rewrite E1, E2, C4, C5. lia.
Qed.

Lemma nothing_spec : forall (A : Type) (l : list A), nothing l = true -> l = [].
Proof. intros A [|x l] E; [reflexivity | discriminate]. Qed.

Lemma resolve_representative : forall G d, forest G -> resolve G (representative G d) = resolve G d.
Proof.
  intros G [v|a|n r| |] F; try reflexivity. simpl. destruct (class G a) as [[r b]|] eqn:E; simpl; [|now rewrite E].
  destruct (class_root G F a r b E) as (_ & _ & ->). now destruct b.
Qed.

(** D8: what is kept of the new axes is what is known of them. *)
Theorem d8_kept : forall G t, forest G -> resolve_shape G (kept_of G t) = given_of G t.
Proof.
  intros G t F. induction t as [|[d|] t IH]; simpl; auto. now rewrite IH, resolve_representative.
Qed.

(** D8: a refused reshape is wrong for all sizes: no sizes have equal products, and with -1 there is no quotient. *)
Theorem d8_refused_is_wrong : forall G s t e ns ms, reshape G s t = Err Elements ->
  agrees G e -> actual e ns s -> actual e ms (dims_of t) ->
  match places_from 0 t with [] => times ns <> times ms | _ :: _ => forall q, times ns <> times ms * q end.
Proof.
  intros G s t e ns ms E A B C. apply (actual_resolve G e ns s A) in B. apply (actual_resolve G e ms _ A) in C.
  rewrite <- given_resolved in C. unfold reshape in E.
  destruct (Nat.ltb max_rank (length t)); [discriminate|]. destruct (Nat.ltb 1 (length (places_from 0 t))); [discriminate|].
  destruct (product_spec e ns _ B) as (K1 & _). destruct (product_spec e ms _ C) as (K2 & _).
  destruct (cancel _ _) as [[u v] c] eqn:Q. destruct (places_from 0 t) as [|place ps].
  - destruct (differ _ _ _ _) eqn:D; [exact (differ_spec e ns ms _ _ B C D)|].
    destruct c; [|discriminate]. simpl in E. destruct (nothing u) eqn:Nu; [|discriminate].
    destruct (nothing v) eqn:Nv; [|discriminate].
    apply nothing_spec in Nu, Nv. subst u v. simpl in E.
    destruct (N.eqb_spec (known (product_of (resolve_shape G s))) (known (product_of (given_of G t)))) as [X|X]; [discriminate|].
    destruct (cancelled e ns ms _ _ _ _ B C Q) as (us & vs & k & P & Au & Av & -> & ->). inversion Au; inversion Av; subst.
    change (times []) with 1. rewrite !N.mul_1_r. intros Z. apply X. nia.
  - intros q Z. destruct (below _ _) eqn:W; [exact (below_spec e ns ms _ _ q B C W Z)|].
    destruct (quotient _ _) as [d|] eqn:D; [discriminate|]. destruct c; [|discriminate].
    destruct (cancelled e ns ms _ _ _ _ B C Q) as (us & vs & k & P & Au & Av & E1 & E2).
    pose proof (actual_one e ns _ B) as O. assert (Pq : 1 <= q) by nia.
    pose proof (quotient_spec e _ u us _ v vs q K1 K2 Pq Au Av) as R. rewrite D in R. apply R. nia.
Qed.

(** D8: a reshape without a condition is right for all sizes: the products agree, and with -1 there is a quotient,
    which the inferred dimension allows. *)
Theorem d8_unconditional_is_right : forall G s t r e ns ms, reshape G s t = Ok r -> re_obligation r = None ->
  agrees G e -> actual e ns s -> actual e ms (dims_of t) ->
  match places_from 0 t with
  | [] => re_shape r = kept_of G t /\ times ns = times ms
  | place :: _ => exists d q, re_shape r = insert_at place d (kept_of G t) /\ times ns = times ms * q /\ fits e q d
  end.
Proof.
  intros G s t r e ns ms E N A B C. apply (actual_resolve G e ns s A) in B. apply (actual_resolve G e ms _ A) in C.
  rewrite <- given_resolved in C. unfold reshape in E.
  destruct (Nat.ltb max_rank (length t)); [discriminate|]. destruct (Nat.ltb 1 (length (places_from 0 t))); [discriminate|].
  destruct (product_spec e ns _ B) as (K1 & _). destruct (product_spec e ms _ C) as (K2 & _).
  destruct (cancel _ _) as [[u v] c] eqn:Q. destruct (places_from 0 t) as [|place ps].
  - destruct (differ _ _ _ _); [discriminate|].
    destruct c; [|destruct (nothing u), (nothing v); simpl in E; injection E as <-; simpl in N; discriminate].
    destruct (nothing u) eqn:Nu; [|simpl in E; injection E as <-; discriminate].
    destruct (nothing v) eqn:Nv; [|simpl in E; injection E as <-; discriminate].
    apply nothing_spec in Nu, Nv. subst u v. simpl in E.
    destruct (N.eqb_spec (known (product_of (resolve_shape G s))) (known (product_of (given_of G t)))) as [X|X]; [|discriminate].
    injection E as <-. split; [reflexivity|].
    destruct (cancelled e ns ms _ _ _ _ B C Q) as (us & vs & k & P & Au & Av & -> & ->). inversion Au; inversion Av; subst.
    now rewrite X.
  - destruct (below _ _); [discriminate|]. destruct (quotient _ _) as [d|] eqn:D.
    + destruct (c && nothing v && multiple _ _)%bool eqn:X; injection E as <-; [|discriminate].
      apply andb_true_iff in X. destruct X as [X M]. apply andb_true_iff in X. destruct X as [-> V]. apply nothing_spec in V.
      subst v.
      destruct (cancelled e ns ms _ _ _ _ B C Q) as (us & vs & k & P & Au & Av & E1 & E2).
      cbn [known] in M. apply (multiple_spec _ _ K2) in M. destruct M as [f Ef]. inversion Av; subst.
      change (times []) with 1 in *.
      pose proof (actual_one e us u Au) as O. exists d, (f * times us). split; [reflexivity|]. split.
      * rewrite E1, E2, Ef. lia.
      * assert (Pf : 1 <= f * times us) by nia.
        pose proof (quotient_spec e _ u us _ [] [] (f * times us) K1 K2 Pf Au Av) as R. rewrite D in R. apply R.
        change (times []) with 1. rewrite Ef. lia.
    + destruct c; [discriminate|]. simpl in E. injection E as <-. discriminate.
Qed.

(** D8: a condition is about this reshape, and holds exactly for the sizes whose products agree. *)
Theorem d8_condition : forall G s t r o, reshape G s t = Ok r -> re_obligation r = Some o ->
  o = Obligation (map (representative G) s) (re_shape r) /\ forall ns ms, holds o ns ms = true <-> times ns = times ms.
Proof.
  intros G s t r o E O. split; [|intros ns ms; unfold holds; apply N.eqb_eq]. unfold reshape in E.
  destruct (Nat.ltb max_rank (length t)); [discriminate|]. destruct (Nat.ltb 1 (length (places_from 0 t))); [discriminate|].
  destruct (cancel _ _) as [[u v] c]. destruct (places_from 0 t) as [|place ps].
  - destruct (differ _ _ _ _); [discriminate|]. destruct (_ && _ && _)%bool; [discriminate|]. injection E as <-. simpl in *.
    destruct (_ || _)%bool; [injection O as <-; reflexivity | discriminate].
  - destruct (below _ _); [discriminate|]. destruct (match quotient _ _ with Some d => Ok d | None => _ end) as [d|p]; [|discriminate]. injection E as <-. simpl in *.
    destruct (_ && _ && _)%bool; [discriminate | injection O as <-; reflexivity].
Qed.

Lemma unknown_in : forall s d, In d (unknown (product_of s)) -> In d s /\ size_of d = None.
Proof.
  intros s; induction s as [|x s IH]; intros d J; simpl in J; [destruct J|]. destruct (size_of x) eqn:Q; simpl in J.
  - destruct (IH d J). simpl. auto.
  - destruct J as [->|J]; [simpl; auto|]. destruct (IH d J). simpl. auto.
Qed.

Lemma take_same_in : forall d v k, take_same d v = Some k -> In d v /\ can_cancel d = true /\ incl k v.
Proof.
  intros d v; induction v as [|x v IH]; intros k E; simpl in E; [discriminate|].
  destruct (dim_eqb x d && can_cancel x)%bool eqn:Q.
  - injection E as <-. apply andb_true_iff in Q. destruct Q as [Q C]. apply dim_eqb_spec in Q. subst x. simpl.
    split; [auto|]. split; [exact C|]. apply incl_tl, incl_refl.
  - destruct (take_same d v) as [l|]; [|discriminate]. injection E as <-. destruct (IH l eq_refl) as (I1 & I2 & I3).
    split; [simpl; auto|]. split; [exact I2|]. intros y [->|J]; simpl; auto.
Qed.

Lemma cancel_certain : forall u v, (forall n r, In (Named n r) u -> In (Named n r) v -> False) -> snd (cancel u v) = true.
Proof.
  intros u; induction u as [|d u IH]; intros v H; simpl; [reflexivity|]. destruct (take_same d v) as [k|] eqn:T.
  - destruct (take_same_in d v k T) as (I1 & I2 & I3).
    assert (K : snd (cancel u k) = true) by (apply IH; intros n r J J'; apply (H n r); simpl; auto).
    destruct (cancel u k) as [[u' v'] c]. simpl in *. subst c. rewrite andb_true_r.
    destruct d as [w|a|n r| |]; try discriminate; [reflexivity|]. exfalso. apply (H n r); simpl; auto.
  - assert (K : snd (cancel u v) = true) by (apply IH; intros n r J J'; apply (H n r); simpl; auto).
    destruct (cancel u v) as [[u' v'] c]. exact K.
Qed.

(** D8: -1 allows every quotient, where no name with more than one size is on both sides. *)
Theorem d8_every_quotient : forall G s t r e ns ms q place ps, reshape G s t = Ok r -> places_from 0 t = place :: ps ->
  (forall n k, In (Named n k) (resolve_shape G s) -> In (Named n k) (given_of G t) -> only k <> None) ->
  agrees G e -> actual e ns s -> actual e ms (dims_of t) -> times ns = times ms * q ->
  exists d, re_shape r = insert_at place d (kept_of G t) /\ fits e q d.
Proof.
  intros G s t r e ns ms q place ps E T H A B C Z. apply (actual_resolve G e ns s A) in B. apply (actual_resolve G e ms _ A) in C.
  rewrite <- given_resolved in C. unfold reshape in E. rewrite T in E.
  destruct (Nat.ltb max_rank (length t)); [discriminate|]. destruct (Nat.ltb 1 (length (place :: ps))); [discriminate|].
  destruct (product_spec e ns _ B) as (K1 & _). destruct (product_spec e ms _ C) as (K2 & _).
  pose proof (cancel_certain (unknown (product_of (resolve_shape G s))) (unknown (product_of (given_of G t)))) as S.
  destruct (cancel _ _) as [[u v] c] eqn:Q. simpl in S.
  assert (c = true) as ->.
  { apply S. intros n k J J'. apply unknown_in in J. apply unknown_in in J'. destruct J as [J N], J' as [J' _].
    exact (H n k J J' N). }
  destruct (cancelled e ns ms _ _ _ _ B C Q) as (us & vs & k & P & Au & Av & E1 & E2).
  pose proof (actual_one e ns _ B) as O. assert (Pq : 1 <= q) by nia.
  pose proof (quotient_spec e _ u us _ v vs q K1 K2 Pq Au Av) as R.
  destruct (below _ _); [discriminate|]. destruct (quotient _ _) as [d|]; [|discriminate].
  exists d. injection E as <-. split; [reflexivity|]. apply R. nia.
Qed.

(** Outside of D8: a name on both sides is taken to be one size, so that -1 does not allow the quotient of two. *)
Theorem d8_shared_names :
  let a := Named "a" (Range 1 (Some 2)) in
  reshape [] [a; Literal 6] [Given a; Infer] =
    Ok (Reshaped [a; Literal 6] (Some (Obligation [a; Literal 6] [a; Literal 6]))) /\
  forall e, actual e [2; 6] [a; Literal 6] /\ actual e [1] [a] /\ times [2; 6] = times [1] * 12 /\ ~ fits e 12 (Literal 6).
Proof.
  split; [reflexivity|]. intros e. split; [|split; [|split; [reflexivity|]]].
  - repeat constructor; apply fits_spec; split; try reflexivity; lia.
  - repeat constructor; apply fits_spec; split; try reflexivity; lia.
  - intros F. apply fits_spec in F. lia.
Qed.

(** * D6: operations *)

(** The lists of axes that a shape stands for. *)
Definition stands (e : env) (ps : list axis) (s : shape) : Prop := Forall2 (means e) ps s.

(** An operation that asks for [C]: it succeeds with exactly the values for which [C] holds, and what is said of its
    answer is true of them; or it fails and there are none. *)
Definition outcome {A : Type} (G : context) (C : env -> Prop) (V : context -> A -> Prop) (m : context * result A) : Prop :=
  match m with
  | (G', Ok x) => forest G' /\ length G' = length G /\ (forall e, agrees G' e <-> agrees G e /\ C e) /\ V G' x
  | (_, Err _) => forall e, agrees G e -> ~ C e
  end.

Lemma outcome_transact : forall (A : Type) G C V (m : context * result A), outcome G C V m -> outcome G C V (transact G m).
Proof. intros A G C V [G' [x|q]] H; exact H. Qed.

Lemma outcome_unify : forall G x y, forest G -> proper G x -> proper G y ->
  outcome G (fun e => solves e (x, y))
    (fun G' d => proper G' d /\ forall e, agrees G' e -> forall p, means e p d <-> means e p x /\ means e p y) (unify G x y).
Proof.
  intros G x y F Px Py. destruct (unify_unified G x y F Px Py) as (F' & L & U).
  destruct (unify G x y) as [G' [d|q]]; cbn [fst snd outcome] in *.
  - destruct U as (P & A & M). auto.
  - exact (proj2 U).
Qed.

Lemma proper_all : forall G H l, length G = length H -> Forall (proper G) l -> Forall (proper H) l.
Proof. intros G H l L P. exact (Forall_impl _ (fun d => proper_length G H d L) P). Qed.

Lemma stands_cons : forall e p ps d s, stands e (p :: ps) (d :: s) <-> means e p d /\ stands e ps s.
Proof.
  intros e p ps d s. split; [intros H; inversion H; subst; auto | intros [M H]; now constructor].
Qed.

Lemma stands_length : forall e ps s, stands e ps s -> length ps = length s.
Proof. intros e ps s H. induction H as [|p d ps s M H IH]; simpl; auto. Qed.

Definition in_common (e : env) (s t : shape) : Prop := exists ps, stands e ps s /\ stands e ps t.

Lemma common_cons : forall e x s y t, in_common e (x :: s) (y :: t) <-> solves e (x, y) /\ in_common e s t.
Proof.
  intros e x s y t. split.
  - intros (ps & S & T). inversion S as [|p d ps' s' M S']; subst. apply stands_cons in T. destruct T as [N T].
    split; [exists p; auto | exists ps'; auto].
  - intros [(p & M & N) (ps & S & T)]. exists (p :: ps). split; now constructor.
Qed.

(** Two shapes of one rank: the lists of axes that both stand for. *)
Lemma axes_outcome : forall s t G, length s = length t -> forest G -> Forall (proper G) s -> Forall (proper G) t ->
  outcome G (fun e => in_common e s t)
    (fun G' ds => Forall (proper G') ds /\ forall e, agrees G' e -> forall ps, stands e ps ds <-> stands e ps s /\ stands e ps t)
    (unify_axes G s t).
Proof.
  intros s; induction s as [|x s IH]; intros [|y t] G L F Ps Pt; try discriminate; cbn [unify_axes].
  - cbn [outcome]. split; [exact F|]. split; [reflexivity|]. split.
    + intros e. split; [|tauto]. intros A. split; [exact A|]. exists []. split; constructor.
    + split; [constructor|]. intros e _ ps. tauto.
  - injection L as L. apply Forall_cons_iff in Ps, Pt. destruct Ps as [Px Ps], Pt as [Py Pt].
    pose proof (outcome_unify G x y F Px Py) as U. destruct (unify G x y) as [G1 [d|q]]; cbn [bind outcome] in *.
    + destruct U as (F1 & L1 & A1 & Pd & Md).
      pose proof (IH t G1 L F1 (proper_all _ _ _ (eq_sym L1) Ps) (proper_all _ _ _ (eq_sym L1) Pt)) as R.
      destruct (unify_axes G1 s t) as [G2 [ds|q]]; cbn [bind outcome] in *.
      * destruct R as (F2 & L2 & A2 & P2 & M2). split; [exact F2|]. split; [congruence|]. split.
        { intros e. rewrite A2, A1, common_cons. tauto. }
        split; [constructor; [exact (proper_length _ _ _ (eq_sym L2) Pd) | exact P2]|].
        intros e A ps. pose proof (proj1 (proj1 (A2 e) A)) as Ae. destruct ps as [|p ps].
        { split; [intros H; inversion H | intros [H _]; inversion H]. }
        rewrite !stands_cons, (M2 e A ps), (Md e Ae p). tauto.
      * intros e A C. apply common_cons in C. apply (R e); [apply A1; tauto | tauto].
    + intros e A C. apply common_cons in C. exact (U e A (proj1 C)).
Qed.

(** D6: two shapes are unified axis by axis; it fails iff the ranks differ or there is nothing in common. *)
Theorem d6_zip : forall s t G, forest G -> Forall (proper G) s -> Forall (proper G) t ->
  outcome G (fun e => in_common e s t)
    (fun G' ds => Forall (proper G') ds /\ forall e, agrees G' e -> forall ps, stands e ps ds <-> stands e ps s /\ stands e ps t)
    (zip G s t).
Proof.
  intros s t G F Ps Pt. unfold zip. destruct (Nat.eqb_spec (length s) (length t)) as [L|L]; simpl.
  - now apply axes_outcome.
  - intros e _ (ps & S & T). apply stands_length in S, T. congruence.
Qed.

(** D6: a product binds what its inner axes share, and its answer has the outer ones. *)
Theorem d6_matmul : forall G m k1 k2 n, forest G -> proper G k1 -> proper G k2 ->
  outcome G (fun e => exists p, means e p k1 /\ means e p k2) (fun _ s => s = [m; n]) (matmul G [m; k1] [k2; n]).
Proof.
  intros G m k1 k2 n F P1 P2. cbn [matmul]. pose proof (outcome_unify G k1 k2 F P1 P2) as U.
  destruct (unify G k1 k2) as [G' [d|q]]; cbn [bind outcome] in *; [|exact U].
  destruct U as (F' & L & A & _). auto.
Qed.

(** D6: what is no matrix is refused, and nothing changes. *)
Theorem d6_matmul_rank : forall G s t, (length s <> 2 \/ length t <> 2)%nat -> exists q, matmul G s t = (G, Err q).
Proof.
  intros G [|m [|k1 [|x s]]] [|k2 [|n [|y t]]] [H|H]; simpl in *; eauto; lia.
Qed.

(** What is in a column without the literal ones, from the first on. *)
Lemma column_outcome : forall ds x G, forest G -> proper G x -> Forall (proper G) ds ->
  outcome G (fun e => exists p, Forall (means e p) (x :: ds))
    (fun G' o => exists d, o = Some d /\ proper G' d /\
       forall e, agrees G' e -> forall p, means e p d <-> Forall (means e p) (x :: ds))
    (unify_column G (Some x) ds).
Proof.
  intros ds; induction ds as [|y ds IH]; intros x G F Px Pd; cbn [unify_column].
  - cbn [outcome]. split; [exact F|]. split; [reflexivity|]. split.
    + intros e. split; [|tauto]. intros A. split; [exact A|]. destruct x as [v|a|n r| |].
      * exists (witness (Literal v)). constructor; [|constructor]. apply witness_means; [reflexivity | exact (proj1 Px)].
      * destruct (class_known G F a (proj2 Px)) as (r & b & C). destruct (A a r b C) as (_ & S & _).
        exists (e a). constructor; [split; auto | constructor].
      * exists (witness (Named n r)). constructor; [|constructor]. apply witness_means; [reflexivity | exact (proj1 Px)].
      * exists (Axis 1 None). constructor; [split; [simpl; lia | exact I] | constructor].
      * exists (Axis 1 None). constructor; [split; [simpl; lia | exact I] | constructor].
    + exists x. split; [reflexivity|]. split; [exact Px|]. intros e _ p. rewrite Forall_cons_iff. split; [auto | tauto].
  - apply Forall_cons_iff in Pd. destruct Pd as [Py Pd]. pose proof (outcome_unify G x y F Px Py) as U.
    destruct (unify G x y) as [G1 [z|q]]; cbn [bind outcome] in *.
    + destruct U as (F1 & L1 & A1 & Pz & Mz). pose proof (IH z G1 F1 Pz (proper_all _ _ _ (eq_sym L1) Pd)) as R.
      assert (K : forall e, agrees G1 e -> forall p, Forall (means e p) (z :: ds) <-> Forall (means e p) (x :: y :: ds)).
      { intros e A p. rewrite !Forall_cons_iff, (Mz e A p). tauto. }
      assert (S : forall e p, Forall (means e p) (x :: y :: ds) -> solves e (x, y)).
      { intros e p H. rewrite !Forall_cons_iff in H. exists p. simpl. tauto. }
      destruct (unify_column G1 (Some z) ds) as [G2 [o|q]]; cbn [outcome] in *.
      * destruct R as (F2 & L2 & A2 & d & -> & P2 & M2). split; [exact F2|]. split; [congruence|]. split.
        { intros e. rewrite A2. split.
          - intros [A (p & H)]. destruct (proj1 (A1 e) A) as [Ag _]. split; [exact Ag|]. exists p. now apply (K e A).
          - intros [Ag (p & H)]. assert (A : agrees G1 e) by (apply A1; split; [exact Ag | exact (S e p H)]).
            split; [exact A|]. exists p. now apply (K e A). }
        exists d. split; [reflexivity|]. split; [exact P2|]. intros e A p. destruct (proj1 (A2 e) A) as [Ae _].
        rewrite (M2 e A p). exact (K e Ae p).
      * intros e Ag (p & H). assert (A : agrees G1 e) by (apply A1; split; [exact Ag | exact (S e p H)]).
        apply (R e A). exists p. now apply (K e A).
    + intros e Ag (p & H). rewrite !Forall_cons_iff in H. apply (U e Ag). exists p. simpl. tauto.
Qed.

(** What a column of a broadcast can be: what all of it has in common, apart from literal ones; of ones alone, 1. *)
Definition column_means (e : env) (p : axis) (c : list dim) : Prop :=
  match wide c with [] => a_size p = 1 | ds => Forall (means e p) ds end.

Lemma columns_outcome : forall cs G, forest G -> Forall (Forall (proper G)) cs ->
  outcome G (fun e => Forall (fun c => exists p, column_means e p c) cs)
    (fun G' ds => Forall (proper G') ds /\
       forall e, agrees G' e -> Forall2 (fun c d => forall p, means e p d <-> column_means e p c) cs ds)
    (broadcast_columns G cs).
Proof.
  intros cs; induction cs as [|c cs IH]; intros G F P; cbn [broadcast_columns].
  - cbn [outcome]. split; [exact F|]. split; [reflexivity|]. split; [intros e; split; [auto | tauto]|].
    split; [constructor|]. intros e _. constructor.
  - apply Forall_cons_iff in P. destruct P as [Pc P].
    assert (Col : outcome G (fun e => exists p, column_means e p c)
      (fun G' o => exists d, (match o with Some d => d | None => Literal 1 end) = d /\ proper G' d /\
         forall e, agrees G' e -> forall p, means e p d <-> column_means e p c) (unify_column G None (wide c))).
    { assert (Pw : Forall (proper G) (wide c)).
      { apply Forall_forall. intros d J. unfold wide in J. apply filter_In in J. rewrite Forall_forall in Pc. apply Pc. tauto. }
      unfold column_means. destruct (wide c) as [|x ds]; cbn [unify_column].
      - cbn [outcome]. split; [exact F|]. split; [reflexivity|]. split.
        + intros e. split; [|tauto]. intros A. split; [exact A|]. exists (Axis 1 None). reflexivity.
        + exists (Literal 1). split; [reflexivity|]. split; [split; [simpl; lia | exact I]|].
          intros e _ p. unfold means. split; [tauto|]. intros ->. split; [lia | reflexivity].
      - apply Forall_cons_iff in Pw. destruct Pw as [Px Pd]. pose proof (column_outcome ds x G F Px Pd) as R.
        destruct (unify_column G (Some x) ds) as [G1 [o|q]]; cbn [outcome] in *; [|exact R].
        destruct R as (F1 & L1 & A1 & d & -> & R). split; [exact F1|]. split; [exact L1|]. split; [exact A1|]. exists d. auto. }
    destruct (unify_column G None (wide c)) as [G1 [o|q]]; cbn [bind outcome] in *.
    + destruct Col as (F1 & L1 & A1 & d & Ed & Pd & Md). rewrite Ed.
      assert (P' : Forall (Forall (proper G1)) cs).
      { apply (Forall_impl _ (fun l => proper_all G G1 l (eq_sym L1)) P). }
      pose proof (IH G1 F1 P') as R. destruct (broadcast_columns G1 cs) as [G2 [ds|q]]; cbn [bind outcome] in *.
      * destruct R as (F2 & L2 & A2 & P2 & M2). split; [exact F2|]. split; [congruence|]. split.
        { intros e. rewrite A2, A1, Forall_cons_iff. tauto. }
        split; [constructor; [exact (proper_length _ _ _ (eq_sym L2) Pd) | exact P2]|].
        intros e A. constructor; [|now apply M2]. apply Md. now apply A2.
      * intros e A H. apply Forall_cons_iff in H. apply (R e); [apply A1; tauto | tauto].
    + intros e A H. apply Forall_cons_iff in H. exact (Col e A (proj1 H)).
Qed.

Lemma columns_proper : forall G parts, Forall (Forall (proper G)) parts -> Forall (Forall (proper G)) (columns_of parts).
Proof.
  intros G parts P. rewrite Forall_forall in *. intros c J. unfold columns_of in J. apply in_map_iff in J.
  destruct J as (k & <- & _). apply Forall_forall. intros d J. apply in_flat_map in J. destruct J as (s & Js & J).
  specialize (P s Js). rewrite Forall_forall in P. apply P. unfold in_column in J.
  destruct (Nat.ltb _ _); [destruct J|]. destruct (nth_error s _) as [x|] eqn:N; [|destruct J].
  destruct J as [<-|[]]. exact (nth_error_In _ _ N).
Qed.

(** D6: broadcasting is, column by column, the intersection of what does not stretch; it fails iff a column has none. *)
Theorem d6_broadcast : forall G parts, forest G -> Forall (Forall (proper G)) parts -> parts <> [] ->
  outcome G (fun e => Forall (fun c => exists p, column_means e p c) (columns_of parts))
    (fun G' ds => Forall (proper G') ds /\
       forall e, agrees G' e -> Forall2 (fun c d => forall p, means e p d <-> column_means e p c) (columns_of parts) ds)
    (broadcast G parts).
Proof.
  intros G parts F P N. destruct parts as [|s parts]; [congruence|]. cbn [broadcast].
  apply outcome_transact, columns_outcome; [exact F | now apply columns_proper].
Qed.

(** D6: a batched product binds what its inner axes share, and broadcasts the axes in front. *)
Theorem d6_matmul_batched : forall G bs bt m k1 k2 n, forest G ->
  Forall (proper G) bs -> Forall (proper G) bt -> proper G k1 -> proper G k2 ->
  outcome G (fun e => (exists p, means e p k1 /\ means e p k2) /\
      Forall (fun c => exists p, column_means e p c) (columns_of [bs; bt]))
    (fun G' s => exists ds, s = ds ++ [m; n] /\
       forall e, agrees G' e -> Forall2 (fun c d => forall p, means e p d <-> column_means e p c) (columns_of [bs; bt]) ds)
    (matmul_batched G (bs ++ [m; k1]) (bt ++ [k2; n])).
Proof.
  intros G bs bt m k1 k2 n F Ps Pt P1 P2. unfold matmul_batched. rewrite !rev_app_distr. cbn [rev app].
  rewrite !rev_involutive. apply outcome_transact. pose proof (outcome_unify G k1 k2 F P1 P2) as U.
  destruct (unify G k1 k2) as [G1 [d|q]]; cbn [bind outcome] in *; [|intros e A [C _]; exact (U e A C)].
  destruct U as (F1 & L1 & A1 & _).
  assert (P : Forall (Forall (proper G1)) [bs; bt]).
  { constructor; [exact (proper_all _ _ _ (eq_sym L1) Ps)|]. constructor;
      [exact (proper_all _ _ _ (eq_sym L1) Pt) | constructor]. }
  pose proof (columns_outcome (columns_of [bs; bt]) G1 F1 (columns_proper G1 _ P)) as R. unfold broadcast_dims.
  destruct (broadcast_columns G1 (columns_of [bs; bt])) as [G2 [ds|q]]; cbn [bind outcome] in *.
  - destruct R as (F2 & L2 & A2 & _ & M2). split; [exact F2|]. split; [congruence|]. split.
    + intros e. rewrite A2, A1. unfold solves. simpl. tauto.
    + exists ds. split; [reflexivity | exact M2].
  - intros e A [C H]. apply (R e); [apply A1; split; [exact A | exact C] | exact H].
Qed.

(** What several shapes stand for together. *)
Lemma stack_outcome : forall rest s G, forest G -> Forall (proper G) s -> Forall (Forall (proper G)) rest ->
  (forall e, agrees G e -> exists ps, stands e ps s) ->
  outcome G (fun e => exists ps, Forall (stands e ps) (s :: rest))
    (fun G' ds => forall e, agrees G' e -> forall ps, stands e ps ds <-> Forall (stands e ps) (s :: rest))
    (stack_rest G s rest).
Proof.
  intros rest; induction rest as [|t rest IH]; intros s G F Ps Pr Ex; cbn [stack_rest].
  - cbn [outcome]. split; [exact F|]. split; [reflexivity|]. split.
    + intros e. split; [|tauto]. intros A. split; [exact A|]. destruct (Ex e A) as [ps H]. exists ps. auto.
    + intros e _ ps. rewrite Forall_cons_iff. split; [auto | tauto].
  - apply Forall_cons_iff in Pr. destruct Pr as [Pt Pr]. pose proof (d6_zip s t G F Ps Pt) as Z.
    destruct (zip G s t) as [G1 [u|q]]; cbn [bind outcome] in *.
    + destruct Z as (F1 & L1 & A1 & P1 & M1).
      assert (Pr' : Forall (Forall (proper G1)) rest) by (exact (Forall_impl _ (fun l => proper_all G G1 l (eq_sym L1)) Pr)).
      assert (Ex' : forall e, agrees G1 e -> exists ps, stands e ps u).
      { intros e A. destruct (proj2 (proj1 (A1 e) A)) as (ps & H). exists ps. now apply (M1 e A). }
      pose proof (IH u G1 F1 P1 Pr' Ex') as R.
      assert (K : forall e, agrees G1 e -> forall ps, Forall (stands e ps) (u :: rest) <-> Forall (stands e ps) (s :: t :: rest)).
      { intros e A ps. rewrite !Forall_cons_iff, (M1 e A ps). tauto. }
      assert (S : forall e ps, Forall (stands e ps) (s :: t :: rest) -> in_common e s t).
      { intros e ps H. rewrite !Forall_cons_iff in H. exists ps. tauto. }
      destruct (stack_rest G1 u rest) as [G2 [ds|q]]; cbn [outcome] in *.
      * destruct R as (F2 & L2 & A2 & M2). split; [exact F2|]. split; [congruence|]. split.
        { intros e. rewrite A2. split.
          - intros [A (ps & H)]. destruct (proj1 (A1 e) A) as [Ag _]. split; [exact Ag|]. exists ps. now apply (K e A).
          - intros [Ag (ps & H)]. assert (A : agrees G1 e) by (apply A1; split; [exact Ag | exact (S e ps H)]).
            split; [exact A|]. exists ps. now apply (K e A). }
        intros e A ps. destruct (proj1 (A2 e) A) as [Ae _]. rewrite (M2 e A ps). exact (K e Ae ps).
      * intros e Ag (ps & H). assert (A : agrees G1 e) by (apply A1; split; [exact Ag | exact (S e ps H)]).
        apply (R e A). exists ps. now apply (K e A).
    + intros e Ag (ps & H). rewrite !Forall_cons_iff in H. apply (Z e Ag). exists ps. tauto.
Qed.

(** In a context that allows something, a shape stands for something. *)
Lemma stands_exists : forall G e s, forest G -> agrees G e -> Forall (proper G) s -> exists ps, stands e ps s.
Proof.
  intros G e s F A P. induction P as [|d s [O K] P [ps IH]]; [exists []; constructor|].
  destruct d as [v|a|n r| |].
  - exists (witness (Literal v) :: ps). constructor; [now apply witness_means | exact IH].
  - destruct (class_known G F a K) as (r & b & C). destruct (A a r b C) as (_ & S & _).
    exists (e a :: ps). constructor; [split; auto | exact IH].
  - exists (witness (Named n r) :: ps). constructor; [now apply witness_means | exact IH].
  - exists (Axis 1 None :: ps). constructor; [split; [simpl; lia | exact I] | exact IH].
  - exists (Axis 1 None :: ps). constructor; [split; [simpl; lia | exact I] | exact IH].
Qed.

(** D6: a stack unifies its shapes and has a new axis, as long as there are shapes. *)
Theorem d6_stack : forall G s rest along, forest G -> Forall (proper G) s -> Forall (Forall (proper G)) rest ->
  (along <= length s)%nat -> (length s < max_rank)%nat ->
  outcome G (fun e => exists ps, Forall (stands e ps) (s :: rest))
    (fun G' r => exists ds, r = insert_at along (Literal (N.of_nat (length (s :: rest)))) ds /\
       forall e, agrees G' e -> forall ps, stands e ps ds <-> Forall (stands e ps) (s :: rest))
    (stack G (s :: rest) along).
Proof.
  intros G s rest along F Ps Pr La Lr. unfold stack.
  destruct (Nat.leb_spec (S (length s)) along) as [X|X]; [lia|].
  destruct (Nat.ltb_spec max_rank (S (length s))) as [Y|Y]; [lia|]. apply outcome_transact.
  pose proof (stack_outcome rest s G F Ps Pr (fun e A => stands_exists G e s F A Ps)) as R.
  destruct (stack_rest G s rest) as [G1 [ds|q]]; cbn [bind outcome] in *; [|exact R].
  destruct R as (F1 & L1 & A1 & M1). split; [exact F1|]. split; [exact L1|]. split; [exact A1|]. exists ds. auto.
Qed.

Lemma put_id : forall (A : Type) i (x : A) l, nth_error l i = Some x -> put i x l = l.
Proof.
  intros A i x l; revert i; induction l as [|y l IH]; intros [|i] E; simpl in *; auto; try discriminate.
  - congruence.
  - now rewrite IH.
Qed.

Lemma put_put : forall (A : Type) i (x y : A) l, put i x (put i y l) = put i x l.
Proof. intros A i x y l; revert i; induction l as [|z l IH]; intros [|i]; simpl; auto. now rewrite IH. Qed.

Lemma put_forall : forall (A : Type) (P : A -> Prop) i x l, P x -> Forall P l -> Forall P (put i x l).
Proof.
  intros A P i x l H F; revert i. induction F as [|y l Hy F IH]; intros [|i]; simpl; constructor; auto.
Qed.

Lemma axes_dynamic : forall s t i G ds, nth_error s i = Some Dynamic -> nth_error t i = Some Dynamic ->
  snd (unify_axes G s t) = Ok ds -> nth_error ds i = Some Dynamic.
Proof.
  intros s; induction s as [|x s IH]; intros [|y t] i G ds Es Et E; try (destruct i; discriminate). cbn [unify_axes] in E.
  destruct (unify G x y) as [G1 [d|q]] eqn:U; cbn [bind] in E; [|discriminate].
  pose proof (IH t) as R. destruct (unify_axes G1 s t) as [G2 [k|q]] eqn:K; cbn [bind snd] in E; [|discriminate].
  injection E as <-. destruct i as [|i]; simpl in *.
  - injection Es as ->. injection Et as ->. cbn in U. congruence.
  - apply (R i G1); auto. now rewrite K.
Qed.

Lemma zip_dynamic : forall s t i G G' ds, nth_error s i = Some Dynamic -> zip G s (put i Dynamic t) = (G', Ok ds) ->
  nth_error ds i = Some Dynamic.
Proof.
  intros s t i G G' ds Es E. unfold zip in E. destruct (Nat.eqb_spec (length s) (length (put i Dynamic t))) as [L|L];
    [|discriminate].
  simpl in E. apply (axes_dynamic s (put i Dynamic t) i G); [exact Es| |now rewrite E].
  apply put_same. rewrite put_length in L. rewrite <- L. exact (nth_in _ _ _ _ Es).
Qed.

(** A sum of pieces allows every sum of their sizes. *)
Lemma sum_fits : forall e ns pieces d, pieces <> [] -> Forall2 (fits e) ns pieces -> sum pieces = Some d -> fits e (plus ns) d.
Proof.
  intros e ns pieces d N H E.
  assert (B : plus (map (fun d => r_lo (range_of d)) pieces) <= plus ns /\
    hi_above (plus ns) (match all_some (map (fun d => r_hi (range_of d)) pieces) with Some l => Some (plus l) | None => None
      end)).
  { clear N E. induction H as [|n x ns s M H [I1 I2]]; [simpl; lia|]. apply fits_range, contains_spec in M. destruct M as [M1 M2].
    unfold plus in *. simpl. split; [lia|]. destruct (r_hi (range_of x)) as [h|]; [|exact I].
    destruct (all_some _) as [l|]; [|exact I]. simpl in *. lia. }
  assert (P : 1 <= plus ns).
  { destruct H as [|n x ns s M H]; [congruence|]. apply fits_spec in M. unfold plus. simpl. lia. }
  unfold sum in E. destruct (existsb is_open pieces); [injection E as <-; apply fits_spec; auto|].
  destruct (range_new _ _) as [r|] eqn:R; [|discriminate]. injection E as <-. apply range_new_spec in R. destruct R as [-> _].
  apply labelled_fits; [exact P|]. apply contains_spec. exact B.
Qed.

Lemma sum_some : forall pieces, Forall dim_ok pieces -> sum pieces <> None.
Proof.
  intros pieces O E. unfold sum in E. destruct (existsb is_open pieces); [discriminate|].
  destruct (range_new _ _) as [r|] eqn:R; [discriminate|]. apply range_new_none in R. destruct R as (h & Q & L). clear E.
  revert h Q L.
  induction O as [|d s Od Os IH]; intros h Q L; simpl in *; [injection Q as <-; lia|].
  apply range_of_ok in Od. destruct Od as [_ Od]. destruct (r_hi (range_of d)) as [k|]; [|discriminate].
  destruct (all_some _) as [l|]; [|discriminate]. injection Q as <-. specialize (IH _ eq_refl). unfold plus in *. simpl in *. lia.
Qed.

(** The shapes apart from the axis along which they are joined, and the pieces along it. *)
Lemma concat_outcome : forall rest s G along pieces, forest G -> Forall (proper G) s -> Forall (Forall (proper G)) rest ->
  nth_error s along <> None ->
  outcome G (fun e => exists ps, Forall (fun t => stands e ps (put along Dynamic t)) (s :: rest))
    (fun G' '(joined, ks) => length joined = length s /\
       (forall e, agrees G' e -> forall ps, stands e ps (put along Dynamic joined) <->
         Forall (fun t => stands e ps (put along Dynamic t)) (s :: rest)) /\
       exists new, ks = pieces ++ new /\ Forall dim_ok new /\
         forall e, agrees G' e -> forall ns, Forall2 (fun n t => exists d, nth_error t along = Some d /\ fits e n d) ns rest ->
           Forall2 (fits e) ns new)
    (concat_rest G along s pieces rest).
Proof.
  intros rest; induction rest as [|t rest IH]; intros s G along pieces F Ps Pr Ns; cbn [concat_rest].
  - cbn [outcome]. split; [exact F|]. split; [reflexivity|]. split; [|split; [reflexivity|split]].
    + intros e. split; [|tauto]. intros A. split; [exact A|].
      destruct (stands_exists G e (put along Dynamic s) F A) as [ps H]; [apply put_forall; [split; exact I | exact Ps]|].
      exists ps. auto.
    + intros e _ ps. rewrite Forall_cons_iff. split; [auto | tauto].
    + exists []. rewrite app_nil_r. split; [reflexivity|]. split; [constructor|]. intros e _ ns H. inversion H; subst.
      constructor.
  - apply Forall_cons_iff in Pr. destruct Pr as [Pt Pr].
    set (pieces' := match nth_error t along with Some d => pieces ++ [resolve G d] | None => pieces end).
    assert (PD : proper G Dynamic) by (split; exact I).
    pose proof (d6_zip (put along Dynamic s) (put along Dynamic t) G F (put_forall _ _ along Dynamic s PD Ps)
      (put_forall _ _ along Dynamic t PD Pt)) as Z.
    destruct (zip G (put along Dynamic s) (put along Dynamic t)) as [G1 [u|q]] eqn:Ez; cbn [bind outcome] in *.
    + destruct Z as (F1 & L1 & A1 & P1 & M1).
      assert (Ls : (along < length s)%nat) by (now apply nth_error_Some).
      assert (Du : nth_error u along = Some Dynamic).
      { apply (zip_dynamic (put along Dynamic s) t along G G1 u); [|exact Ez]. now apply put_same. }
      assert (Lu : length u = length s).
      { destruct (agrees_exists G1 F1) as [e Ae]. destruct (proj2 (proj1 (A1 e) Ae)) as (ps & H1 & H2).
        assert (H : stands e ps u) by (now apply (M1 e Ae)). apply stands_length in H, H1. rewrite put_length in H1. congruence. }
      assert (Lt : length t = length s).
      { unfold zip in Ez. rewrite !put_length in Ez. destruct (Nat.eqb_spec (length s) (length t)) as [Q|Q];
          [auto | discriminate]. }
      assert (Pr' : Forall (Forall (proper G1)) rest) by (exact (Forall_impl _ (fun l => proper_all G G1 l (eq_sym L1)) Pr)).
      assert (Nu : nth_error u along <> None) by congruence.
      pose proof (IH u G1 along pieces' F1 P1 Pr' Nu) as R.
      set (all := fun e ps l => Forall (fun x => stands e ps (put along Dynamic x)) l) in *.
      assert (K : forall e, agrees G1 e -> forall ps, all e ps (u :: rest) <-> all e ps (s :: t :: rest)).
      { intros e A ps. unfold all. rewrite !Forall_cons_iff, (put_id _ along Dynamic u Du), (M1 e A ps). tauto. }
      assert (S : forall e ps, all e ps (s :: t :: rest) -> in_common e (put along Dynamic s) (put along Dynamic t)).
      { intros e ps H. unfold all in H. rewrite !Forall_cons_iff in H. exists ps. tauto. }
      destruct (concat_rest G1 along u pieces' rest) as [G2 [[joined ks]|q]]; cbn [outcome] in *.
      * destruct R as (F2 & L2 & A2 & Lj & M2 & new & Ek & Ok2 & Fk). split; [exact F2|]. split; [congruence|].
        split; [|split; [congruence|split]].
        { intros e. rewrite A2. split.
          - intros [A (ps & H)]. destruct (proj1 (A1 e) A) as [Ag _]. split; [exact Ag|]. exists ps. now apply (K e A).
          - intros [Ag (ps & H)]. assert (A : agrees G1 e) by (apply A1; split; [exact Ag | exact (S e ps H)]).
            split; [exact A|]. exists ps. now apply (K e A). }
        { intros e A ps. destruct (proj1 (A2 e) A) as [Ae _]. rewrite (M2 e A ps). exact (K e Ae ps). }
        { destruct (nth_error t along) as [d|] eqn:Et; [|apply nth_error_None in Et; lia].
          exists (resolve G d :: new). unfold pieces' in Ek. split; [rewrite Ek, <- app_assoc; reflexivity|].
          assert (Pd : proper G d) by (rewrite Forall_forall in Pt; exact (Pt d (nth_error_In _ _ Et))).
          split; [constructor; [exact (resolve_ok G d F (proj1 Pd)) | exact Ok2]|].
          intros e A ns H. inversion H as [|n x ns' l (d' & Ed & Fd) H']; subst. rewrite Et in Ed. injection Ed as <-.
          constructor; [|exact (Fk e A ns' H')]. destruct Fd as [l Ml]. exists l. apply means_resolve; [|exact Ml].
          apply A1. now apply A2. }
      * intros e Ag (ps & H). assert (A : agrees G1 e) by (apply A1; split; [exact Ag | exact (S e ps H)]).
        apply (R e A). exists ps. now apply (K e A).
    + intros e Ag (ps & H). rewrite !Forall_cons_iff in H. apply (Z e Ag). exists ps. tauto.
Qed.

(** D6: concatenation adds sizes along its axis, and unifies the others: the answer allows the sum of any sizes that
    the shapes have there; it fails iff the other axes have nothing in common. *)
Theorem d6_concat : forall G s rest along d, forest G -> Forall (proper G) s -> Forall (Forall (proper G)) rest ->
  nth_error s along = Some d ->
  outcome G (fun e => exists ps, Forall (fun t => stands e ps (put along Dynamic t)) (s :: rest))
    (fun G' r => exists total, nth_error r along = Some total /\
       (forall e, agrees G' e -> forall ps, stands e ps (put along Dynamic r) <->
         Forall (fun t => stands e ps (put along Dynamic t)) (s :: rest)) /\
       forall e, agrees G' e -> forall ns, Forall2 (fun n t => exists x, nth_error t along = Some x /\ fits e n x) ns (s ::
         rest) ->
         fits e (plus ns) total)
    (concat G (s :: rest) along).
Proof.
  intros G s rest along d F Ps Pr Ed. cbn [concat]. rewrite Ed. apply outcome_transact.
  assert (Pd : proper G d) by (rewrite Forall_forall in Ps; exact (Ps d (nth_error_In _ _ Ed))).
  assert (Ns : nth_error s along <> None) by congruence.
  pose proof (concat_outcome rest s G along [resolve G d] F Ps Pr Ns) as R.
  destruct (concat_rest G along s [resolve G d] rest) as [G1 [[joined ks]|q]]; cbn [bind outcome] in *; [|exact R].
  destruct R as (F1 & L1 & A1 & Lj & M1 & new & Ek & On & Fk). simpl in Ek. subst ks.
  destruct (sum (resolve G d :: new)) as [total|] eqn:Su.
  2:{ exfalso. apply (sum_some (resolve G d :: new)); [|exact Su].
  constructor; [exact (resolve_ok G d F (proj1 Pd)) | exact On]. }
  cbn [outcome]. split; [exact F1|]. split; [exact L1|]. split; [exact A1|].
  exists (match rest with [] => d | _ => total end). split; [|split].
  - apply put_same. rewrite Lj. now apply nth_error_Some.
  - intros e A ps. rewrite put_put. exact (M1 e A ps).
  - intros e A ns H. inversion H as [|n x ns' l (d' & Ed' & Fd) H']; subst. rewrite Ed in Ed'. injection Ed' as <-.
    destruct rest as [|t rest].
    + inversion H'; subst. unfold plus. simpl. now rewrite N.add_0_r.
    + apply (sum_fits e (n :: ns') (resolve G d :: new)); [discriminate| |exact Su]. constructor; [|exact (Fk e A ns' H')].
      destruct Fd as [l Ml]. exists l. apply means_resolve; [|exact Ml]. now apply A1.
Qed.

(** D6: literals add up to a literal. *)
Theorem d6_concat_literals : forall vs, vs <> [] -> sum (map Literal vs) = Some (Literal (plus vs)).
Proof.
  intros vs _. unfold sum.
  assert (O : existsb is_open (map Literal vs) = false) by (induction vs as [|v vs IH]; simpl; auto). rewrite O.
  assert (L : plus (map (fun d => r_lo (range_of d)) (map Literal vs)) = plus vs).
  { unfold plus. induction vs as [|v vs IH]; simpl in *; auto. rewrite IH; auto. }
  assert (H : all_some (map (fun d => r_hi (range_of d)) (map Literal vs)) = Some vs).
  { clear O L. induction vs as [|v vs IH]; simpl; auto. now rewrite IH. }
  rewrite L, H. unfold range_new. rewrite N.ltb_irrefl. unfold labelled.
  assert (La : labels_of [] (map Literal vs) = []) by (clear O L H; induction vs as [|v vs IH]; simpl; auto). rewrite La.
  unfold only. simpl. now rewrite N.eqb_refl.
Qed.

(** ** NumPy's broadcasting of sizes: aligned at the end, missing axes are 1, and 1 stretches *)

Definition size_at (rank c : nat) (s : list N) : N :=
  if Nat.ltb (c + length s) rank then 1 else nth (c + length s - rank) s 1.

Definition numpy_size (x y : N) : option N :=
  if (x =? y) || (y =? 1) then Some x else if x =? 1 then Some y else None.

Definition numpy (a b : list N) : option (list N) :=
  let rank := Nat.max (length a) (length b) in
  all_some (map (fun c => numpy_size (size_at rank c a) (size_at rank c b)) (seq 0 rank)).

Lemma wide_literals : forall rank c s, (c < rank)%nat ->
  wide (in_column rank c (map Literal s)) = if size_at rank c s =? 1 then [] else [Literal (size_at rank c s)].
Proof.
  intros rank c s L. unfold in_column, size_at. rewrite len_map.
  destruct (Nat.ltb_spec (c + length s) rank) as [Q|Q]; [reflexivity|].
  rewrite nth_error_map, (nth_error_nth' s 1) by lia. simpl. unfold wide. simpl.
  destruct (nth (c + length s - rank) s 1 =? 1); reflexivity.
Qed.

Lemma wide_app : forall c d, wide (c ++ d) = wide c ++ wide d.
Proof. intros c d. unfold wide. induction c as [|x c IH]; simpl; auto. destruct (negb (is_one x)); simpl; now rewrite ?IH. Qed.

(** D6: on literals broadcasting is NumPy's. *)
Theorem d6_literals_are_numpy : forall G a b,
  match numpy a b with
  | Some s => broadcast G [map Literal a; map Literal b] = (G, Ok (map Literal s))
  | None => exists q, broadcast G [map Literal a; map Literal b] = (G, Err q)
  end.
Proof.
  intros G a b. unfold numpy. cbn [broadcast]. unfold broadcast_dims, columns_of.
  assert (rank_of [map Literal a; map Literal b] = Nat.max (length a) (length b)) as ->.
  { unfold rank_of. simpl. rewrite !len_map. lia. }
  set (rank := Nat.max (length a) (length b)).
  assert (B : forall c, In c (seq 0 rank) -> (c < rank)%nat) by (intros c J; apply in_seq in J; lia).
  enough (E : match all_some (map (fun c => numpy_size (size_at rank c a) (size_at rank c b)) (seq 0 rank)) with
    | Some s => broadcast_columns G (map (fun c => flat_map (in_column rank c) [map Literal a; map Literal b]) (seq 0 rank)) =
        (G, Ok (map Literal s))
    | None => exists G' q, broadcast_columns G (map (fun c => flat_map (in_column rank c) [map Literal a;
      map Literal b]) (seq 0 rank)) =
        (G', Err q)
    end).
  { revert E. destruct (all_some _) as [s|]; intros E; [now rewrite E|]. destruct E as (G' & q & E). rewrite E. exists q.
    reflexivity. }
  revert B. generalize (seq 0 rank) as cs. intros cs; induction cs as [|c cs IH]; intros B; [reflexivity|].
  cbn [map broadcast_columns all_some]. specialize (IH (fun k J => B k (or_intror J))).
  assert (W : wide (flat_map (in_column rank c) [map Literal a; map Literal b]) =
    (if size_at rank c a =? 1 then [] else [Literal (size_at rank c a)]) ++
    (if size_at rank c b =? 1 then [] else [Literal (size_at rank c b)])).
  { cbn [flat_map]. rewrite app_nil_r, wide_app, !wide_literals by (apply B; simpl; auto). reflexivity. }
  rewrite W. clear W. generalize (size_at rank c a) as x. generalize (size_at rank c b) as y. intros y x.
  assert (U : match numpy_size x y with
    | Some v => exists o, unify_column G None ((if x =? 1 then [] else [Literal x]) ++ (if y =? 1 then [] else [Literal y]))
      = (G, Ok o) /\
        match o with Some d => d | None => Literal 1 end = Literal v
    | None => exists q, unify_column G None ((if x =? 1 then [] else [Literal x]) ++ (if y =? 1 then [] else [Literal y])) =
      (G, Err q)
    end).
  { unfold numpy_size. destruct (N.eqb_spec x y) as [<-|Q]; cbn [orb].
    - destruct (N.eqb_spec x 1) as [->|X]; cbn [app unify_column unify meet bind].
      + exists None. auto.
      + unfold rd_literal. rewrite N.eqb_refl. cbn. eauto.
    - destruct (N.eqb_spec y 1) as [->|Y].
      + destruct (N.eqb_spec x 1) as [X|X]; [congruence|]. cbn [app unify_column]. eauto.
      + destruct (N.eqb_spec x 1) as [->|X]; cbn [app unify_column unify meet bind]; [eauto|].
        unfold rd_literal. destruct (N.eqb_spec x y) as [E|E]; [congruence|]. cbn. eauto. }
  destruct (numpy_size x y) as [v|].
  - destruct U as (o & -> & Eo). cbn [bind]. destruct (all_some _) as [s|].
    + rewrite IH. cbn [bind]. now rewrite Eo.
    + destruct IH as (G' & q & ->). cbn [bind]. eauto.
  - destruct U as [q ->]. cbn [bind]. eauto.
Qed.

(** * D5: brackets *)

Lemma tree_outcome : forall t G, forest G -> Forall (proper G) (leaves t) ->
  outcome G (fun e => exists p, Forall (means e p) (leaves t))
    (fun G' d => proper G' d /\ forall e, agrees G' e -> forall p, means e p d <-> Forall (means e p) (leaves t))
    (unify_tree G t).
Proof.
  intros t; induction t as [d|l IHl r IHr]; intros G F P; cbn [unify_tree leaves] in *.
  - apply Forall_cons_iff in P. destruct P as [P _]. cbn [outcome]. split; [exact F|]. split; [reflexivity|]. split.
    + intros e. split; [|tauto]. intros A. split; [exact A|].
      destruct (stands_exists G e [d] F A) as [ps H]; [constructor; auto|]. inversion H as [|p x ps' s M H']; subst.
      exists p. auto.
    + split; [exact P|]. intros e _ p. rewrite Forall_cons_iff. split; [auto | tauto].
  - apply Forall_app in P. destruct P as [Pl Pr]. pose proof (IHl G F Pl) as L.
    destruct (unify_tree G l) as [G1 [x|q]]; cbn [bind outcome] in *.
    2:{ intros e A (p & H). apply Forall_app in H. apply (L e A). exists p. tauto. }
    destruct L as (F1 & L1 & A1 & Px & Mx). pose proof (IHr G1 F1 (proper_all _ _ _ (eq_sym L1) Pr)) as R.
    assert (B1 : forall e, agrees G e -> (exists p, Forall (means e p) (leaves l ++ leaves r)) -> agrees G1 e).
    { intros e A (p & H). apply Forall_app in H. apply A1. split; [exact A|]. exists p. tauto. }
    destruct (unify_tree G1 r) as [G2 [y|q]]; cbn [bind outcome] in *.
    2:{ intros e A H. apply (R e (B1 e A H)). destruct H as (p & H). apply Forall_app in H. exists p. tauto. }
    destruct R as (F2 & L2 & A2 & Py & My).
    assert (B2 : forall e, agrees G e -> (exists p, Forall (means e p) (leaves l ++ leaves r)) -> agrees G2 e).
    { intros e A H. apply A2. split; [exact (B1 e A H)|]. destruct H as (p & H). apply Forall_app in H. exists p. tauto. }
    assert (K : forall e, agrees G2 e -> forall p, means e p x /\ means e p y <-> Forall (means e p) (leaves l ++ leaves r)).
    { intros e A p. destruct (proj1 (A2 e) A) as [A' _]. rewrite Forall_app, (Mx e A' p), (My e A p). tauto. }
    pose proof (outcome_unify G2 x y F2 (proper_length _ _ _ (eq_sym L2) Px) Py) as U.
    destruct (unify G2 x y) as [G3 [d|q]]; cbn [outcome] in *.
    + destruct U as (F3 & L3 & A3 & Pd & Md). split; [exact F3|]. split; [congruence|]. split.
      * intros e. rewrite A3. split.
        { intros [A (p & H)]. destruct (proj1 (A2 e) A) as [A' _]. destruct (proj1 (A1 e) A') as [A'' _].
          split; [exact A''|]. exists p. now apply (K e A). }
        { intros [A H]. pose proof (B2 e A H) as A'. split; [exact A'|]. destruct H as (p & H). exists p. now apply (K e A'). }
      * split; [exact Pd|]. intros e A p. destruct (proj1 (A3 e) A) as [A' _]. rewrite (Md e A p). exact (K e A' p).
    + intros e A H. pose proof (B2 e A H) as A'. apply (U e A'). destruct H as (p & H). exists p. now apply (K e A').
Qed.

(** D5: x ⊔ y ⊔ … with any brackets stands for the axes that all of them have in common, and fails iff there are none. *)
Theorem d5_brackets : forall t G, forest G -> Forall (proper G) (leaves t) ->
  match unify_tree G t with
  | (G', Ok d) => (forall e, agrees G' e <-> agrees G e /\ exists p, Forall (means e p) (leaves t)) /\
      forall e, agrees G' e -> forall p, means e p d <-> Forall (means e p) (leaves t)
  | (_, Err _) => forall e p, agrees G e -> ~ Forall (means e p) (leaves t)
  end.
Proof.
  intros t G F P. pose proof (tree_outcome t G F P) as T. destruct (unify_tree G t) as [G' [d|q]]; cbn [outcome] in T.
  - destruct T as (_ & _ & A & _ & M). auto.
  - intros e p A H. apply (T e A). exists p. exact H.
Qed.

(** Every pair of dimensions of a list. *)
Definition pairs (l : list dim) : list (dim * dim) := list_prod l l.

Definition tree_classes (G : context) (t : brackets) (m : context * result dim) : Prop :=
  match m with
  | (G', Ok d) => (forall i j, linked G' i j <-> joined G (pairs (leaves t)) i j) /\
      (forall a, In (Var a) (leaves t) -> exists c, d = Var c /\ linked G' a c) /\
      (forall c, d = Var c -> exists a, In (Var a) (leaves t) /\ linked G' a c)
  | (_, Err _) => True
  end.

Lemma joined_weaken : forall G H k l i j, (forall a b, linked H a b -> joined G k a b) ->
  (forall a b, In (Var a, Var b) l -> joined G k a b) -> joined H l i j -> joined G k i j.
Proof.
  intros G H k l i j A B J. induction J as [i j L|a b I|i j J IH|i j m J IH J' IH']; auto.
  - now apply joined_sym.
  - now apply joined_trans with j.
Qed.

(** The answer to a variable is a variable of its class, and so is the answer to a pair. *)
Lemma unify_answer : forall G x y d, forest G -> proper G x -> proper G y -> snd (unify G x y) = Ok d ->
  (forall a, x = Var a \/ y = Var a -> exists c, d = Var c /\ linked (fst (unify G x y)) a c) /\
  (forall c, d = Var c -> exists a, (x = Var a \/ y = Var a)).
Proof.
  intros G x y d F Px Py E. pose proof (unify_unified G x y F Px Py) as U. pose proof (unify_linked G x y d F Px Py E) as K.
  assert (Ro : forall G' a r b, forest G' -> class G' a = Some (r, b) -> linked G' a r).
  { intros G' a r b F' C. exists r, b, b. split; [exact C|]. exact (proj2 (proj2 (class_root G' F' a r b C))). }
  assert (Ol : forall a r, linked G a r -> linked (fst (unify G x y)) a r) by (intros a r L; apply K; now apply joined_old).
  split.
  - intros a H.
    assert (N : forall v, snd (unify G x y) = snd (rd_bind G v (match x with Var _ => y | _ => x end)) ->
      (v < length G)%nat -> bound_ok (match x with Var _ => y | _ => x end) -> exists c, d = Var c /\ linked G v c).
    { intros v Ev Lv Bv. destruct (class_known G F v Lv) as (r & b & C). pose proof (bind_classes G v _ r b F C Bv) as M.
      destruct (match b with None => _ | Some t => _ end) as [t|q]; destruct M as [M1 _]; [|congruence].
      exists r. split; [congruence | exact (Ro G v r b F C)]. }
    assert (T : forall v, snd (unify G x y) = snd (bind (root G v) (fun H '(r, _) => (H, Ok (Var r)))) -> (v < length G)%nat ->
      exists c, d = Var c /\ linked G v c).
    { intros v Ev Lv. destruct (root_spec G v F Lv) as (G1 & r & b & Q & C & _). rewrite Q in Ev. cbn [bind snd] in Ev.
      exists r. split; [congruence | exact (Ro G v r b F C)]. }
    assert (Go : (exists c, d = Var c /\ linked G a c) -> exists c, d = Var c /\ linked (fst (unify G x y)) a c).
    { intros (c & Q & L). exists c. auto. }
    destruct x as [v|u|n r| |], y as [w|w|m s| |]; destruct H as [H|H]; try discriminate; injection H as ->;
      try (apply Go, N; [reflexivity | first [exact (proj2 Px) | exact (proj2 Py)] | first [exact (proj1 Px) | exact (proj1
        Py)]]; fail);
      try (apply Go, T; [reflexivity | first [exact (proj2 Px) | exact (proj2 Py)]]; fail).
    + clear N T Go U. destruct (class_known G F a (proj2 Px)) as (ra & ba & Ca).
      destruct (class_known G F w (proj2 Py)) as (rb & bb & Cb).
      pose proof (merge_classes G a w ra ba rb bb F Ca Cb) as M. cbn [unify] in *.
      assert (Jr : joined G [(Var a, Var w)] a ra /\ joined G [(Var a, Var w)] a rb).
      { split; [apply joined_old; exact (Ro G a ra ba F Ca)|]. apply joined_trans with w; [apply joined_new; simpl; auto|].
        apply joined_old. exact (Ro G w rb bb F Cb). }
      destruct (Nat.eqb_spec ra rb) as [<-|D].
      * destruct M as [M _]. exists ra. split; [congruence|]. now apply K.
      * destruct (both_bounds ba bb) as [c|q]; destruct M as [M _]; [|congruence]. exists (Nat.min ra rb).
        split; [congruence|]. apply K. destruct (Nat.min_spec ra rb) as [[_ ->]|[_ ->]]; tauto.
    + clear N T Go U. destruct (class_known G F u (proj2 Px)) as (ra & ba & Ca).
      destruct (class_known G F a (proj2 Py)) as (rb & bb & Cb).
      pose proof (merge_classes G u a ra ba rb bb F Ca Cb) as M. cbn [unify] in *.
      assert (Jr : joined G [(Var u, Var a)] a ra /\ joined G [(Var u, Var a)] a rb).
      { split; [|apply joined_old; exact (Ro G a rb bb F Cb)].
        apply joined_trans with u; [apply joined_sym, joined_new; simpl; auto|]. apply joined_old. exact (Ro G u ra ba F Ca). }
      destruct (Nat.eqb_spec ra rb) as [<-|D].
      * destruct M as [M _]. exists ra. split; [congruence|]. now apply K.
      * destruct (both_bounds ba bb) as [c|q]; destruct M as [M _]; [|congruence]. exists (Nat.min ra rb).
        split; [congruence|]. apply K. destruct (Nat.min_spec ra rb) as [[_ ->]|[_ ->]]; tauto.
  - intros c ->. destruct (is_var x) eqn:Vx; [destruct x as [v|u|n r| |]; try discriminate; eauto|].
    destruct (is_var y) eqn:Vy; [destruct y as [v|u|n r| |]; try discriminate; eauto|]. exfalso.
    assert (unify G x y = (G, meet x y)) as Q
      by (destruct x as [v|u|n r| |], y as [w|w|m s| |]; try discriminate; reflexivity).
    rewrite Q in E. cbn [snd] in E. destruct (meet_ok x y _ Vx Vy (proj1 Px) (proj1 Py) E) as (_ & V & _). discriminate.
Qed.

Lemma tree_linked : forall t G, forest G -> Forall (proper G) (leaves t) -> tree_classes G t (unify_tree G t).
Proof.
  intros t; induction t as [d|l IHl r IHr]; intros G F P; cbn [unify_tree].
  - cbn [tree_classes leaves]. apply Forall_cons_iff in P. destruct P as [[_ Kd] _].
    assert (Rf : forall a, d = Var a -> linked G a a).
    { intros a ->. destruct (class_known G F a Kd) as (r & b & C). exists r, b, b. auto. }
    split; [|split].
    + intros i j. split; [apply joined_old|]. intros J.
      induction J as [i j L|a b I|i j J IH|i j m J IH J' IH']; auto.
      * destruct I as [Q|[]]. injection Q as Q1 Q2. assert (a = b) as <- by congruence. auto.
      * now apply linked_sym.
      * now apply linked_trans with j.
    + intros a [->|[]]. exists a. auto.
    + intros c ->. exists c. split; [simpl; auto | auto].
  - cbn [leaves] in P. apply Forall_app in P. destruct P as [Pl Pr].
    pose proof (IHl G F Pl) as L. pose proof (tree_outcome l G F Pl) as Lo.
    destruct (unify_tree G l) as [G1 [x|q]]; cbn [bind tree_classes outcome] in *; [|exact I].
    destruct L as (L1 & L2 & L3). destruct Lo as (F1 & N1 & _ & Px & _).
    pose proof (proper_all _ _ _ (eq_sym N1) Pr) as Pr1.
    pose proof (IHr G1 F1 Pr1) as R. pose proof (tree_outcome r G1 F1 Pr1) as Ro.
    destruct (unify_tree G1 r) as [G2 [y|q]]; cbn [bind tree_classes outcome] in *; [|exact I].
    destruct R as (R1 & R2 & R3). destruct Ro as (F2 & N2 & _ & Py & _).
    pose proof (proper_length _ _ _ (eq_sym N2) Px) as Px2.
    pose proof (fun d => unify_linked G2 x y d F2 Px2 Py) as U. pose proof (fun d => unify_answer G2 x y d F2 Px2 Py) as V.
    destruct (unify G2 x y) as [G3 [d|q]]; cbn [fst snd] in *; [|exact I].
    specialize (U d eq_refl). destruct (V d eq_refl) as [V1 V2]. clear V.
    assert (G12 : forall i j, linked G1 i j -> linked G2 i j) by (intros i j H; apply R1; now apply joined_old).
    assert (G23 : forall i j, linked G2 i j -> linked G3 i j) by (intros i j H; apply U; now apply joined_old).
    assert (X : forall a, In (Var a) (leaves l ++ leaves r) -> exists c, d = Var c /\ linked G3 a c).
    { intros a J. apply in_app_iff in J. destruct J as [J|J].
      - destruct (L2 a J) as (c & -> & H). destruct (V1 c (or_introl eq_refl)) as (c' & -> & H'). exists c'.
        split; [reflexivity|].
        apply linked_trans with c; auto.
      - destruct (R2 a J) as (c & -> & H). destruct (V1 c (or_intror eq_refl)) as (c' & -> & H'). exists c'.
        split; [reflexivity|].
        apply linked_trans with c; auto. }
    set (all := pairs (leaves l ++ leaves r)).
    assert (Ja : forall a b, In (Var a) (leaves l ++ leaves r) -> In (Var b) (leaves l ++ leaves r) -> joined G all a b).
    { intros a b Ia Ib. apply joined_new. now apply in_prod. }
    assert (J1 : forall i j, linked G1 i j -> joined G all i j).
    { intros i j H. apply L1 in H. revert H. apply joined_weaken; [apply joined_old|]. intros a b H. apply in_prod_iff in H.
      apply Ja; apply in_app_iff; tauto. }
    assert (J2 : forall i j, linked G2 i j -> joined G all i j).
    { intros i j H. apply R1 in H. revert H. apply joined_weaken; [exact J1|]. intros a b H. apply in_prod_iff in H.
      apply Ja; apply in_app_iff; tauto. }
    split; [|split; [exact X|]].
    + intros i j. split; intros H.
      * apply U in H. revert H. apply joined_weaken; [exact J2|]. intros a b [Q|[]]. injection Q as -> ->.
        destruct (L3 a eq_refl) as (a' & Ia & Ha). destruct (R3 b eq_refl) as (b' & Ib & Hb).
        apply joined_trans with a'; [apply joined_sym, J1; exact Ha|].
        apply joined_trans with b'; [apply Ja; apply in_app_iff; auto | now apply J2].
      * induction H as [i j H|a b H|i j H IH|i j k H IH H' IH'].
        { apply G23, G12, L1. now apply joined_old. }
        { apply in_prod_iff in H. destruct H as [Ia Ib]. destruct (X a Ia) as (c & -> & Ha). destruct (X b Ib) as (c' & Q & Hb).
          injection Q as <-. apply linked_trans with c; [exact Ha | now apply linked_sym]. }
        { now apply linked_sym. }
        { now apply linked_trans with j. }
    + intros c ->. destruct (V2 c eq_refl) as (a & [-> | ->]).
      * destruct (L3 a eq_refl) as (a' & Ia & Ha). assert (Ia' : In (Var a') (leaves l ++ leaves r)) by (apply in_app_iff; auto).
        destruct (X a' Ia') as (c' & Q & H). injection Q as <-. exists a'. auto.
      * destruct (R3 a eq_refl) as (a' & Ia & Ha). assert (Ia' : In (Var a') (leaves l ++ leaves r)) by (apply in_app_iff; auto).
        destruct (X a' Ia') as (c' & Q & H). injection Q as <-. exists a'. auto.
Qed.

(** D5: two ways to take the same dimensions together, in any order and with any brackets: both fail, or the answers
    stand for the same axes and every look-up has the same answer afterwards. *)
Theorem d5_any_brackets : forall t u G, forest G -> Forall (proper G) (leaves t) -> Forall (proper G) (leaves u) ->
  (forall d, In d (leaves t) <-> In d (leaves u)) ->
  match unify_tree G t, unify_tree G u with
  | (G1, Ok x), (G2, Ok y) => same_classes G1 G2 /\ forall e, agrees G1 e -> forall p, means e p x <-> means e p y
  | (_, Err _), (_, Err _) => True
  | _, _ => False
  end.
Proof.
  intros t u G F Pt Pu S.
  assert (Q : forall e p, Forall (means e p) (leaves t) <-> Forall (means e p) (leaves u)).
  { intros e p. rewrite !Forall_forall. split; intros H d J; apply H, S, J. }
  pose proof (tree_outcome t G F Pt) as T. pose proof (tree_outcome u G F Pu) as U.
  pose proof (tree_linked t G F Pt) as Lt. pose proof (tree_linked u G F Pu) as Lu.
  destruct (unify_tree G t) as [G1 [x|q]], (unify_tree G u) as [G2 [y|q']]; cbn [outcome tree_classes] in *; auto.
  - destruct T as (F1 & N1 & A1 & _ & M1), U as (F2 & N2 & A2 & _ & M2).
    assert (A : forall e, agrees G1 e <-> agrees G2 e).
    { intros e. rewrite A1, A2. split; intros [A (p & H)]; (split; [exact A|]); exists p; now apply Q. }
    split.
    + apply same_outcome; auto; [congruence|]. intros i j. rewrite (proj1 Lt), (proj1 Lu).
      split; apply joined_covers; intros a b J; left; apply in_prod_iff in J; apply in_prod; apply S; tauto.
    + intros e A' p. rewrite (M1 e A' p), (M2 e (proj1 (A e) A') p). apply Q.
  - destruct T as (F1 & N1 & A1 & _ & M1). destruct (agrees_exists G1 F1) as [e Ae]. apply A1 in Ae. destruct Ae as [A (p & H)].
    apply (U e A). exists p. now apply Q.
  - destruct U as (F2 & N2 & A2 & _ & M2). destruct (agrees_exists G2 F2) as [e Ae]. apply A2 in Ae. destruct Ae as [A (p & H)].
    apply (T e A). exists p. now apply Q.
Qed.
