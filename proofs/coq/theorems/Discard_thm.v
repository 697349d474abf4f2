(** 8.3: closing with two units is sound, where it is repaired; as printed it is not, and it is not greatest. *)

From Coq Require Import ZArith List Bool Arith Lia.
From Lozenge Require Import Dim Row Term Semantics Rules Solved Runs Solver Closing Fire Close Staged Bounds Discard
  Dim_thm Semantics_thm Close_tags_thm Bounds_thm.
Import ListNotations.
Local Open Scope Z_scope.

(** * The test *)

Lemma meets_spec : forall C c, meets C c = true <-> exists k, In k c /\ In k C.
Proof.
  intros C c. unfold meets. rewrite existsb_exists. split.
  - intros (k & J & E). rewrite existsb_exists in E. destruct E as (m & Jm & E). apply Nat.eqb_eq in E. subst. eauto.
  - intros (k & J & E). exists k. split; [exact J|]. apply existsb_exists. exists k. split; [exact E | apply Nat.eqb_refl].
Qed.

Lemma projected_spec : forall other C, projected other C = true <->
  forall s, In s other -> exists y, In y s /\ forall d, In d y -> exists k, In k d /\ In k C.
Proof.
  intros other C. unfold projected. rewrite forallb_forall. split; intros H s J; specialize (H s J).
  - apply existsb_exists in H. destruct H as (y & Jy & H). exists y. split; [exact Jy|].
    intros d Jd. rewrite forallb_forall in H. apply meets_spec. auto.
  - destruct H as (y & Jy & H). apply existsb_exists. exists y. split; [exact Jy|]. apply forallb_forall. intros d Jd.
    apply meets_spec. auto.
Qed.

Lemma picks_length : forall (A : Type) (l : list A) t o, In (t, o) (picks l) -> length l = S (length o).
Proof.
  intros A l; induction l as [|u l IH]; intros t o J; simpl in J; [destruct J|].
  destruct J as [J|J]; [injection J as <- <-; reflexivity|].
  apply in_map_iff in J. destruct J as ([t' o'] & E & J). injection E as <- <-. simpl. now rewrite (IH _ _ J).
Qed.

(** 8.3.  The test is the one with four quantifiers. *)
Theorem conj_8_3_test : forall operands result l, In l (discardable operands result) <->
  (exists x, In x (concat operands) /\ discards result x l) \/ (exists x, In x (concat result) /\ discards operands x l).
Proof.
  assert (S : forall other x l, In l (discarded_of other x) <-> discards other x l).
  { intros other x l. unfold discarded_of, discards. destruct (Nat.leb_spec 2 (length x)) as [L|L].
    - rewrite in_flat_map. split.
      + intros ([c o] & J & K). cbn [fst snd] in K. destruct (projected other (concat o)) eqn:E; [|destruct K].
        exists c, o. split; [exact J|]. split; [|split; [exact K | now apply projected_spec]].
        intros ->. pose proof (picks_length _ x c [] J) as P. simpl in P. lia.
      + intros (c & o & J & _ & K & E). exists (c, o). split; [exact J|]. cbn [fst snd].
        rewrite (proj2 (projected_spec other (concat o)) E). exact K.
    - split; [intros []|]. intros (c & o & J & N & _). pose proof (picks_length _ x c o J) as P.
      destruct o; [congruence | simpl in P; lia]. }
  intros operands result l. unfold discardable. rewrite in_app_iff, !in_flat_map.
  split; (intros [(x & J & K)|(x & J & K)]; [left | right]; exists x; split; [exact J | now apply S | exact J | now apply S]).
Qed.

Lemma grown_slot : forall C s t, grown s t -> existsb (forallb (meets C)) t = existsb (forallb (meets C)) s.
Proof. intros C s t G; induction G; simpl; congruence. Qed.

Lemma grown_projected : forall C l k, Forall2 grown l k -> projected k C = projected l C.
Proof. intros C l k F; induction F as [|s t l k G F IH]; [reflexivity|]. unfold projected in *. simpl.
now rewrite (grown_slot C s t G), IH. Qed.

Lemma grown_discarded : forall l k x, Forall2 grown l k -> discarded_of k x = discarded_of l x.
Proof.
  intros l k x F. unfold discarded_of. destruct (2 <=? length x)%nat; [|reflexivity].
  induction (picks x) as [|p ps IH]; [reflexivity|]. simpl. now rewrite (grown_projected _ l k F), IH.
Qed.

Lemma grown_all : forall other l k, Forall2 grown l k ->
  flat_map (discarded_of other) (concat k) = flat_map (discarded_of other) (concat l).
Proof.
  intros other l k F; induction F as [|s t l k G F IH]; [reflexivity|]. simpl. rewrite !flat_map_app, IH. f_equal.
  clear -G. induction G as [|x s t G IH|s t G IH]; simpl; congruence.
Qed.

(** 8.3.  Axes that row variables stand for never change the test, wherever they are put. *)
Theorem conj_8_3_rows : forall operands result operands' result', Forall2 grown operands operands' -> Forall2 grown result result' ->
  discardable operands' result' = discardable operands result.
Proof.
  intros o r o' r' Fo Fr. unfold discardable. rewrite (grown_all r' o o' Fo), (grown_all o' r r' Fr).
  f_equal; apply flat_map_ext; intros x; now apply grown_discarded.
Qed.

Lemma not_all : forall (A : Type) (f : A -> bool) l, forallb f l = false -> exists x, In x l /\ f x = false.
Proof.
  intros A f l; induction l as [|x l IH]; intros E; [discriminate|]. simpl in E. apply andb_false_iff in E. destruct E as [E|E].
  - exists x. simpl. auto.
  - destruct (IH E) as (y & J & F). exists y. simpl. auto.
Qed.

(** * The test as it is run *)

Lemma mem_spec : forall l k, existsb (Nat.eqb l) k = true <-> In l k.
Proof.
  intros l k. rewrite existsb_exists. split; [intros (x & J & E); apply Nat.eqb_eq in E; now subst | intros J; exists l; split;
    [exact J | apply Nat.eqb_refl]].
Qed.

Lemma picks_nth : forall (A : Type) (l : list A) t o, In (t, o) (picks l) <-> exists i, nth_error l i = Some t /\ o = firstn i l ++ skipn (S i) l.
Proof.
  intros A l; induction l as [|u l IH]; intros t o; simpl.
  - split; [intros [] | intros ([|i] & E & _); discriminate].
  - split.
    + intros [E|J]; [injection E as <- <-; exists 0%nat; auto|]. apply in_map_iff in J. destruct J as ([t' o'] & E & J).
      injection E as <- <-.
      apply IH in J. destruct J as (i & E & ->). exists (S i). auto.
    + intros ([|i] & E & ->); [left; simpl in E; injection E as ->; reflexivity|]. right. apply in_map_iff.
      exists (t, firstn i l ++ skipn (S i) l). split; [reflexivity|]. apply IH. eauto.
Qed.

(** The others of component [i] have a label iff another component has it. *)
Lemma others_have : forall (x : axis) i l, (i < length x)%nat -> In l (concat (firstn i x ++ skipn (S i) x)) <->
  exists j, j <> i /\ (j < length x)%nat /\ In l (nth j x []).
Proof.
  intros x i l L. rewrite in_concat. split.
  - intros (c & J & Jl). apply in_app_iff in J. destruct J as [J|J]; apply (In_nth _ _ []) in J; destruct J as (j & Lj & <-).
    + rewrite firstn_length in Lj. exists j. split; [lia|]. split; [lia|]. rewrite <- (firstn_skipn i x), app_nth1; [exact Jl|].
      rewrite firstn_length. lia.
    + rewrite skipn_length in Lj. exists (S i + j)%nat. split; [lia|]. split; [lia|].
      rewrite <- (firstn_skipn (S i) x), app_nth2; rewrite firstn_length; [|lia].
      replace (S i + j - Nat.min (S i) (length x))%nat with j by lia. exact Jl.
  - intros (j & D & Lj & Jl). exists (nth j x []). split; [|exact Jl]. apply in_app_iff.
    destruct (Nat.lt_ge_cases j i) as [Q|Q].
    + left. rewrite <- (firstn_skipn i x) at 1. rewrite app_nth1 by (rewrite firstn_length; lia). apply nth_In.
      rewrite firstn_length. lia.
    + right. rewrite <- (firstn_skipn (S i) x) at 1. rewrite app_nth2; rewrite firstn_length; [|lia].
      apply nth_In. rewrite skipn_length. lia.
Qed.

(** A label is one of the others of [i] iff it has an owner and that is not [i]. *)
Lemma owner_spec : forall (x : axis) i l, (i < length x)%nat -> (exists j, j <> i /\ (j < length x)%nat /\ In l (nth j x [])) <->
  exists o, owner x l = Some o /\ o <> Some i.
Proof.
  intros x i l L. unfold owner. set (is := filter (fun i => existsb (Nat.eqb l) (nth i x [])) (seq 0 (length x))).
  assert (M : forall j, In j is <-> (j < length x)%nat /\ In l (nth j x [])).
  { intros j. unfold is. rewrite filter_In, in_seq, mem_spec. split; intros [A B]; split; auto; lia. }
  assert (N : NoDup is) by (apply NoDup_filter, seq_NoDup).
  split.
  - intros (j & D & J). apply M in J. destruct is as [|a [|b is']]; [destruct J | | exists None; split; [reflexivity |
      discriminate]].
    destruct J as [<-|[]]. exists (Some a). split; [reflexivity | congruence].
  - intros (o & E & D). destruct is as [|a [|b is']]; [discriminate| |].
    + injection E as <-. exists a. split; [congruence | apply M; simpl; auto].
    + destruct (Nat.eq_dec a i) as [->|Q].
      * exists b. split; [|apply M; simpl; auto]. intros ->. inversion N as [|? ? H]. apply H. simpl. auto.
      * exists a. split; [exact Q | apply M; simpl; auto].
Qed.

Lemma same_owner_spec : forall o p, same_owner o p = true <-> o = p.
Proof.
  intros [i|] [j|]; simpl; split; intros E; try discriminate; auto; [apply Nat.eqb_eq in E; now subst | injection E as ->;
    apply Nat.eqb_refl].
Qed.

(** It would do, and [i] need not stay. *)
Definition lets_go (k : option (list nat)) (i : nat) : Prop := exists m, k = Some m /\ ~ In i m.

Lemma component_spec : forall x i c, (i < length x)%nat ->
  lets_go (kept_component x c) i <-> exists k, In k c /\ In k (concat (firstn i x ++ skipn (S i) x)).
Proof.
  intros x i c L.
  assert (Q : (exists k, In k c /\ In k (concat (firstn i x ++ skipn (S i) x))) <-> exists o, In o (owners x c) /\ o <> Some i).
  { unfold owners. split.
    - intros (k & J & H). apply (others_have x i k L), (owner_spec x i k L) in H. destruct H as (o & E & D). exists o.
      split; [|exact D].
      apply in_flat_map. exists k. split; [exact J|]. rewrite E. simpl. auto.
    - intros (o & J & D). apply in_flat_map in J. destruct J as (k & J & E). exists k. split; [exact J|].
      apply (others_have x i k L), (owner_spec x i k L). destruct (owner x k) as [p|]; [|destruct E]. destruct E as [<-|[]].
      eauto. }
  rewrite Q. unfold lets_go, kept_component. destruct (owners x c) as [|[j|] rest].
  - split; [intros (m & E & _); discriminate | intros (o & [] & _)].
  - split.
    + intros (m & E & N). injection E as <-. destruct (forallb (same_owner (Some j)) rest) eqn:F.
      * exists (Some j). split; [left; reflexivity|]. intros E. injection E as ->. apply N. left. reflexivity.
      * destruct (not_all _ _ _ F) as (o & J & E). destruct (same_owner o (Some i)) eqn:X; [|exists o; split; [right; exact J|]].
        -- apply same_owner_spec in X. subst o. exists (Some j). split; [left; reflexivity|]. intros Y. rewrite Y in E.
           rewrite (proj2 (same_owner_spec (Some i) (Some i)) eq_refl) in E. discriminate.
        -- intros Y. apply same_owner_spec in Y. congruence.
    + intros (o & J & D). eexists. split; [reflexivity|]. destruct (forallb (same_owner (Some j)) rest) eqn:F; [|intros []].
      intros [->|[]]. destruct J as [J|J]; [congruence|]. rewrite forallb_forall in F. specialize (F o J).
      apply same_owner_spec in F. congruence.
  - split; [intros _; exists None; split; [left; reflexivity | discriminate] | intros _; exists []; auto].
Qed.

Lemma all_spec : forall (A : Type) (f : A -> option (list nat)) l i, lets_go (kept_all f l) i <-> forall a, In a l -> lets_go (f a) i.
Proof.
  intros A f l i; induction l as [|a l IH]; simpl.
  - split; [intros _ a [] | intros _; exists []; auto].
  - split.
    + intros (m & E & N) b J. destruct (f a) as [k|] eqn:Fa; [|discriminate]. destruct (kept_all f l) as [m'|]; [|discriminate].
      injection E as <-. rewrite in_app_iff in N. destruct J as [<-|J]; [exists k; auto | apply IH; [exists m'; auto | exact J]].
    + intros H. destruct (H a (or_introl eq_refl)) as (k & -> & Nk).
      destruct (proj2 IH (fun b J => H b (or_intror J))) as (m & -> & Nm).
      exists (k ++ m). rewrite in_app_iff. tauto.
Qed.

Lemma some_spec : forall (A : Type) (f : A -> option (list nat)) l i, lets_go (kept_some f l) i <-> exists a, In a l /\ lets_go (f a) i.
Proof.
  intros A f l i; induction l as [|a l IH]; simpl.
  - split; [intros (m & E & _); discriminate | intros (a & [] & _)].
  - split.
    + intros (m & E & N). destruct (f a) as [k|] eqn:Fa.
      * destruct (kept_some f l) as [m'|] eqn:K.
        -- injection E as <-. destruct (in_dec Nat.eq_dec i k) as [Y|Y]; [|exists a; split; [auto | rewrite Fa; exists k; auto]].
           destruct (proj1 IH) as (b & J & G); [|exists b; auto]. exists m'. split; [reflexivity|]. intros J. apply N.
           apply filter_In.
           split; [exact Y | now apply mem_spec].
        -- injection E as <-. exists a. split; [auto|]. rewrite Fa. exists k. auto.
      * destruct (proj1 IH) as (b & J & G); [exists m; auto | exists b; auto].
    + intros (b & J & G). destruct J as [<-|J].
      * destruct G as (k & -> & Nk). destruct (kept_some f l) as [m|]; [|exists k; auto].
        eexists. split; [reflexivity|]. rewrite filter_In. tauto.
      * destruct (proj2 IH (ex_intro _ b (conj J G))) as (m & -> & Nm). destruct (f a) as [k|]; [|exists m; auto].
        eexists. split; [reflexivity|]. rewrite filter_In, mem_spec. tauto.
Qed.

(** 8.3.  The test as it is run, which looks every label up once, is the same test. *)
Theorem conj_8_3_quick_test : forall operands result l, In l (quickly_discardable operands result) <-> In l (discardable operands result).
Proof.
  assert (S : forall other x l, In l (quickly_discarded_of other x) <-> In l (discarded_of other x)).
  { intros other x l. unfold quickly_discarded_of, discarded_of. destruct (2 <=? length x)%nat; [|tauto].
    assert (K : forall i, (i < length x)%nat -> lets_go (kept_side x other) i <-> projected other (concat (firstn i x ++ skipn (S i) x)) = true).
    { intros i L. rewrite projected_spec. unfold kept_side. rewrite all_spec. split; intros H s J; specialize (H s J).
      - apply some_spec in H. destruct H as (y & Jy & H). exists y. split; [exact Jy|]. intros d Jd.
        apply (component_spec x i d L). exact (proj1 (all_spec _ _ _ _) H d Jd).
      - destruct H as (y & Jy & H). apply some_spec. exists y. split; [exact Jy|]. apply all_spec. intros d Jd.
        apply (component_spec x i d L). auto. }
    rewrite in_flat_map. split.
    - intros J. destruct (kept_side x other) as [kept|] eqn:E; [|destruct J]. apply in_flat_map in J. destruct J as (i & Ji & Jl).
      apply in_seq in Ji. assert (L : (i < length x)%nat) by lia. destruct (existsb (Nat.eqb i) kept) eqn:M; [destruct Jl|].
      exists (nth i x [], firstn i x ++ skipn (S i) x).
      split; [apply picks_nth; exists i; split; [now apply nth_error_nth' | reflexivity]|].
      cbn [fst snd]. rewrite (proj1 (K i L)); [exact Jl|]. exists kept. split; [reflexivity|]. intros Y. apply mem_spec in Y.
      congruence.
    - intros ([c o] & J & Jl). cbn [fst snd] in Jl. apply picks_nth in J. destruct J as (i & Ni & ->).
      assert (L : (i < length x)%nat) by (apply nth_error_Some; congruence).
      destruct (projected other (concat (firstn i x ++ skipn (S i) x))) eqn:P; [|destruct Jl].
      destruct (proj2 (K i L) P) as (kept & -> & N). apply in_flat_map. exists i. split; [apply in_seq; lia|].
      destruct (existsb (Nat.eqb i) kept) eqn:M; [apply mem_spec in M; contradiction|].
      exact (eq_ind_r (fun y => In l y) Jl (nth_error_nth x i [] Ni)). }
  intros operands result l. unfold quickly_discardable, discardable. rewrite !in_app_iff, !in_flat_map.
  split; (intros [(x & J & K)|(x & J & K)]; [left | right]; exists x; split; [exact J | now apply S | exact J | now apply S]).
Qed.

(** 8.3.  The table of the chapter. *)
Theorem conj_8_3_table : let spec operands result := discardable (labels_of operands) (labels_of result) in
  spec [[[la; lb]]] [[[la]]] = [lb] /\ spec [[[la; lb]]] [[[lb]]] = [la] /\ spec [[[la; lb]]] [[[la; lb]]] = [] /\
  spec [[[lb; lc]]] [[[la]]] = [] /\ spec [[[la]]; [[lb]]] [[[la; lb]]] = [] /\ spec [[[la]]; [[lb]]] [[[la; lc]]] = [].
Proof. repeat split; reflexivity. Qed.

(** * What is kept while variables become 0 *)

Lemma linked_trans : forall phi a b c, linked phi a b -> linked phi b c -> linked phi a c.
Proof. intros phi a b c H K; induction K; [exact H | econstructor; eauto]. Qed.

Lemma equated_vars : forall c a b, equated c = Some (a, b) -> c = DEq (DVar a) (DVar b) /\ vars_c c = [DV a; DV b].
Proof. intros [[x|] [y|]| | |] a b E; try discriminate. injection E as <- <-. auto. Qed.

(** What equals a zero is one; each is discardable and nowhere but in concatenations; and no concatenation loses all parts. *)
Record zeros_kept (phi : list constr) (cs : list size_claim) (D : list nat) (Z0 : dvar -> bool) : Prop := Kept
  { kept_linked : forall a b, Z0 a = true -> linked phi a b -> Z0 b = true;
    kept_only : forall a, Z0 a = true -> In a D /\ ~ elsewhere phi cs a;
    kept_part : forall d ps, In (Parts d ps) cs -> ps <> [] -> exists t, In t ps /\ gone Z0 t = false }.

Lemma two_units_kept : forall phi0 cs D phi Z0, two_units phi0 cs D phi Z0 -> zeros_kept phi cs D Z0 /\ incl phi0 phi.
Proof.
  intros phi0 cs D phi Z0 H; induction H as [|phi Z0 Z1 a H [IH I] M L E|phi Z0 c H [IH I] N].
  - split; [|apply incl_refl]. split; try discriminate. intros d [|t ps] J Ne; [congruence|].
    exists t. split; [left; reflexivity | destruct t; reflexivity].
  - split; [|exact I]. split.
    + intros b c B K. apply E. apply E in B. destruct B as [B|B]; [left; exact (kept_linked _ _ _ _ IH b c B K) | right;
        eapply linked_trans; eauto].
    + intros b B. apply E in B. destruct B as [B|B]; [exact (kept_only _ _ _ _ IH b B) | exact (M b B)].
    + intros d ps J Ne. destruct (forallb (gone Z1) ps) eqn:F; [|exact (not_all _ _ _ F)].
      exfalso. rewrite forallb_forall in F. destruct (kept_part _ _ _ _ IH d ps J Ne) as (t & Jt & G). apply L. exists d, ps.
      assert (P : forall t, In t ps -> exists b, t = DVar b /\ (Z0 b = true \/ linked phi a b)).
      { intros [b|x] Jb; specialize (F _ Jb); [exists b; split; [reflexivity | now apply E] | discriminate]. }
      split; [exact J|]. split; [|exact P]. destruct (P t Jt) as (b & -> & [B|B]); [simpl in G; congruence | eauto].
  - split; [|intros x J; right; auto]. split.
    + intros a b A K. induction K as [|b b' e K IK J Q]; [exact A|]. destruct J as [<-|J].
      * exfalso. assert (X : In (DV b) (vars_c c)).
        { destruct Q as [Q|Q]; apply equated_vars in Q; destruct Q as [_ ->]; simpl; auto. }
        rewrite (N b X) in IK. discriminate.
      * apply (kept_linked _ _ _ _ IH b b'); [exact IK|]. econstructor; [apply Linked_refl | exact J | exact Q].
    + intros a A. destruct (kept_only _ _ _ _ IH a A) as [B W]. split; [exact B|]. intros [(e & [<-|J] & Q & X)|X].
      * rewrite (N a X) in A. discriminate.
      * apply W. left. eauto.
      * apply W. right. exact X.
    + exact (kept_part _ _ _ _ IH).
Qed.

(** A constraint speaks of zeros only where it equates two. *)
Lemma both_or_none : forall phi cs D Z0 c, zeros_kept phi cs D Z0 -> In c phi ->
  both_zero Z0 c = true \/ both_zero Z0 c = false /\ forall a, In (DV a) (vars_c c) -> Z0 a = false.
Proof.
  intros phi cs D Z0 c K J. unfold both_zero. destruct (equated c) as [[a b]|] eqn:E.
  - destruct (equated_vars _ _ _ E) as [_ V].
    assert (X : Z0 a = Z0 b).
    { destruct (Z0 a) eqn:A, (Z0 b) eqn:B; auto; exfalso.
      - rewrite (kept_linked _ _ _ _ K a b A) in B; [discriminate|]. econstructor; [apply Linked_refl | exact J | auto].
      - rewrite (kept_linked _ _ _ _ K b a B) in A; [discriminate|]. econstructor; [apply Linked_refl | exact J | auto]. }
    rewrite <- X. destruct (Z0 a) eqn:A; [left; reflexivity|]. right. split; [reflexivity|].
    intros x I. rewrite V in I. destruct I as [I|[I|[]]]; injection I as <-; congruence.
  - right. split; [reflexivity|]. intros a I. destruct (Z0 a) eqn:A; [|reflexivity].
    exfalso. apply (proj2 (kept_only _ _ _ _ K a A)). left. eauto.
Qed.

(** * Claims without their zeros *)

Lemma size_kept : forall g Z0 t, gone Z0 t = false -> size (Valuation g Z0) t = size (Valuation g no_zeros) t.
Proof. intros g Z0 [a|d] G; unfold size; simpl in *; [now rewrite G | reflexivity]. Qed.

Lemma basis_kept : forall g Z0 t, gone Z0 t = false -> basis_of (Valuation g Z0) t = basis_of (Valuation g no_zeros) t.
Proof. intros g Z0 [a|d] G; unfold basis_of; simpl in *; [now rewrite G | reflexivity]. Qed.

Lemma size_gone : forall g Z0 t, gone Z0 t = true -> size (Valuation g Z0) t = 0.
Proof. intros g Z0 [a|d] G; unfold size; simpl in *; [now rewrite G | discriminate]. Qed.

Lemma basis_gone : forall g Z0 t, gone Z0 t = true -> basis_of (Valuation g Z0) t = None.
Proof. intros g Z0 [a|d] G; unfold basis_of; simpl in *; [now rewrite G | discriminate]. Qed.

Lemma factor_kept : forall g Z0 f, (forall t, In t (late f) -> gone Z0 t = false) ->
  factor_size (Valuation g Z0) f = factor_size (Valuation g no_zeros) f /\
  (factor_ok (Valuation g Z0) f <-> factor_ok (Valuation g no_zeros) f).
Proof.
  intros g Z0 [n|t] H; [split; reflexivity|]. specialize (H t (or_introl eq_refl)). unfold factor_ok, plain. simpl.
  rewrite (size_kept g Z0 t H), (basis_kept g Z0 t H). split; reflexivity.
Qed.

Lemma one_basis_kept : forall g Z0 ts, (forall t, In t ts -> gone Z0 t = false) ->
  one_basis (Valuation g Z0) ts <-> one_basis (Valuation g no_zeros) ts.
Proof.
  intros g Z0 ts H. split; intros O t u b c Jt Ju Et Eu; apply (O t u b c Jt Ju);
    (rewrite basis_kept in * by auto || rewrite <- basis_kept with (Z0 := Z0) in * by auto); auto.
Qed.

Lemma parts_sum : forall g Z0 ps, plus (map (size (Valuation g Z0)) ps) =
  plus (map (size (Valuation g no_zeros)) (filter (fun t => negb (gone Z0 t)) ps)).
Proof.
  intros g Z0 ps; induction ps as [|t ps IH]; [reflexivity|]. simpl. destruct (gone Z0 t) eqn:G; simpl.
  - now rewrite (size_gone g Z0 t G).
  - rewrite (size_kept g Z0 t G). unfold plus in *. lia.
Qed.

Lemma parts_basis : forall g Z0 d ps, gone Z0 d = false ->
  one_basis (Valuation g Z0) (d :: ps) <-> one_basis (Valuation g no_zeros) (d :: filter (fun t => negb (gone Z0 t)) ps).
Proof.
  intros g Z0 d ps Gd.
  assert (F : forall t, In t (d :: filter (fun t => negb (gone Z0 t)) ps) <-> In t (d :: ps) /\ gone Z0 t = false).
  { intros t. simpl. rewrite filter_In, negb_true_iff. split; [intros [<-|[]]; auto | intros [[<-|] ]; auto]. }
  split; intros O t u b c Jt Ju Et Eu.
  - apply F in Jt, Ju. destruct Jt as [Jt Gt], Ju as [Ju Gu]. apply (O t u b c Jt Ju); rewrite basis_kept; auto.
  - destruct (gone Z0 t) eqn:Gt; [rewrite basis_gone in Et by auto; discriminate|].
    destruct (gone Z0 u) eqn:Gu; [rewrite basis_gone in Eu by auto; discriminate|].
    rewrite basis_kept in Et, Eu by auto. apply (O t u b c); auto; apply F; auto.
Qed.

Lemma says_struck : forall g Z0 c, (forall a, In a (besides c) -> Z0 a = false) ->
  says (Valuation g Z0) c <-> says (Valuation g no_zeros) (strike Z0 c).
Proof.
  intros g Z0 c H.
  assert (U : forall l, (forall a, In a (unknowns l) -> Z0 a = false) -> forall t, In t l -> gone Z0 t = false).
  { intros l Hl [a|d] J; [|reflexivity]. apply Hl, unknowns_in, J. }
  destruct c as [d s o m off|d ps|rows dv dn co va|rows axes|d k]; cbn [besides strike] in *.
  - pose proof (U _ H) as G. assert (Gd : gone Z0 d = false) by (apply G; simpl; auto).
    assert (Go : gone Z0 o = false) by (apply G; simpl; auto).
    destruct (factor_kept g Z0 s) as [Fs Ks]; [intros t J; apply G; simpl; rewrite in_app_iff; auto|].
    pose proof (one_basis_kept g Z0 [d; o]) as Ob.
    assert (Q : one_basis (Valuation g Z0) [d; o] <-> one_basis (Valuation g no_zeros) [d; o])
      by (apply Ob; intros t [<-|[<-|[]]]; auto).
    cbn [says]. rewrite Fs, Ks, Q, (size_kept g Z0 d Gd), (size_kept g Z0 o Go).
    destruct m as [| |e k]; unfold affine_size; rewrite ?Fs, ?(size_kept g Z0 o Go); try reflexivity.
    assert (Gk : gone Z0 k = false) by (apply G; simpl; rewrite in_app_iff; simpl; auto).
    destruct (factor_kept g Z0 e) as [Fe Ke]; [intros t J; apply G; simpl; rewrite in_app_iff; simpl; auto|].
    unfold plain. rewrite Fe, Ke, (size_kept g Z0 k Gk), (basis_kept g Z0 k Gk). reflexivity.
  - pose proof (U _ H d (or_introl eq_refl)) as Gd. cbn [says].
    rewrite (size_kept g Z0 d Gd), (parts_sum g Z0 ps), (parts_basis g Z0 d ps Gd). reflexivity.
  - assert (G : forall t, In t (written rows ++ late co) -> gone Z0 t = false) by (apply U; intros a J; apply H, in_app_iff;
      auto).
    destruct (factor_kept g Z0 co) as [Fc Kc]; [intros t J; apply G, in_app_iff; auto|].
    assert (Dv : forall a, In a dv -> size (Valuation g Z0) (DVar a) = size (Valuation g no_zeros) (DVar a)).
    { intros a J. apply size_kept. simpl. apply H. rewrite !in_app_iff. auto. }
    assert (Va : var_size (Valuation g Z0) va = var_size (Valuation g no_zeros) va).
    { destruct va as [a|]; [|reflexivity]. apply size_kept. simpl. apply H. rewrite !in_app_iff. simpl. auto. }
    assert (Ro : forall R t, In R rows -> In t (tlead R ++ ttrail R) ->
      size (Valuation g Z0) t = size (Valuation g no_zeros) t).
    { intros R t JR J. apply size_kept, G, in_app_iff. left. apply in_flat_map. eauto. }
    cbn [says]. rewrite Fc, Kc, Va, (map_ext_in _ _ dv Dv).
    assert (A : (forall a, In a dv -> 1 <= size (Valuation g Z0) (DVar a)) <->
      forall a, In a dv -> 1 <= size (Valuation g no_zeros) (DVar a)).
    { split; intros X a J; specialize (X a J); rewrite (Dv a J) in *; auto. }
    assert (B : (forall R t, In R rows -> In t (tlead R ++ ttrail R) -> 1 <= size (Valuation g Z0) t) <->
      forall R t, In R rows -> In t (tlead R ++ ttrail R) -> 1 <= size (Valuation g no_zeros) t).
    { split; intros X R t JR J; specialize (X R t JR J); rewrite (Ro R t JR J) in *; auto. }
    rewrite A, B. reflexivity.
  - pose proof (U _ H) as G. unfold written in G. cbn [says].
    split; intros [X E]; (split; [|exact E]); intros t J; specialize (X t J); rewrite (size_kept g Z0 t (G t J)) in *; exact X.
  - cbn [says]. rewrite (size_kept g Z0 d (U _ H d (or_introl eq_refl))). reflexivity.
Qed.

Lemma besides_kept : forall phi cs D Z0 c, zeros_kept phi cs D Z0 -> In c cs -> forall a, In a (besides c) -> Z0 a = false.
Proof.
  intros phi cs D Z0 c K J a B. destruct (Z0 a) eqn:A; [|reflexivity].
  exfalso. apply (proj2 (kept_only _ _ _ _ K a A)). right. eauto.
Qed.

Lemma kept_solves : forall phi cs D Z0 g, zeros_kept phi cs D Z0 ->
  solves phi cs (Valuation g Z0) <-> sol (struck Z0 phi) g /\ forall c, In c (map (strike Z0) cs) -> says (Valuation g no_zeros) c.
Proof.
  intros phi cs D Z0 g K. unfold solves, struck. cbn [v_zero v_ground]. split; intros [A B]; split.
  - intros c J. apply filter_In in J. destruct J as [J N]. apply negb_true_iff in N.
    destruct (A c J) as [X|[X _]]; [congruence | exact X].
  - intros c J. apply in_map_iff in J. destruct J as (c' & <- & J).
    apply (says_struck g Z0 c' (besides_kept _ _ _ _ _ K J)). auto.
  - intros c J. destruct (both_or_none _ _ _ _ c K J) as [X|[X V]]; [left; exact X|]. right. split; [|exact V].
    apply A. apply filter_In. split; [exact J | now rewrite X].
  - intros c J. apply (says_struck g Z0 c (besides_kept _ _ _ _ _ K J)). apply B. now apply in_map.
Qed.

(** * Soundness *)

(** 8.3, repaired.  However far closing with two units has come, its zeros drop out: values without them solve what is left
    iff with them they solve everything; and in what is left every concatenation has a part. *)
Theorem conj_8_3_zeros_drop_out : forall phi0 cs D phi Z0, two_units phi0 cs D phi Z0 ->
  (forall g, solves phi cs (Valuation g Z0) <->
    sol (struck Z0 phi) g /\ forall c, In c (map (strike Z0) cs) -> says (Valuation g no_zeros) c) /\
  (forall c, In c (struck Z0 phi) -> forall a, In (DV a) (vars_c c) -> Z0 a = false) /\
  ((forall d ps, In (Parts d ps) cs -> ps <> []) -> forall d ps, In (Parts d ps) (map (strike Z0) cs) -> ps <> []).
Proof.
  intros phi0 cs D phi Z0 H. destruct (two_units_kept _ _ _ _ _ H) as [K _]. split; [|split].
  - intros g. exact (kept_solves phi cs D Z0 g K).
  - intros c J. apply filter_In in J. destruct J as [J N]. apply negb_true_iff in N.
    destruct (both_or_none _ _ _ _ c K J) as [X|[_ X]]; [congruence | exact X].
  - intros Ne d ps J. apply in_map_iff in J. destruct J as (c & E & J). destruct c as [| d' qs | | |]; try discriminate.
    injection E as <- <-. destruct (kept_part _ _ _ _ K d' qs J (Ne _ _ J)) as (t & Jt & G).
    intros X. assert (Q : In t (filter (fun t => negb (gone Z0 t)) qs)) by (apply filter_In; now rewrite G).
    rewrite X in Q. destruct Q.
Qed.

(** 8.3, repaired: soundness as in 6.2.  Values that close what is left satisfy Φ₀ and all claims, with the zeros put back;
    and only what is discardable and nowhere but in concatenations is 0. *)
Theorem conj_8_3_sound : forall phi0 cs D phi Z0 g, two_units phi0 cs D phi Z0 ->
  sol (struck Z0 phi) g -> (forall c, In c (map (strike Z0) cs) -> says (Valuation g no_zeros) c) ->
  solves phi0 cs (Valuation g Z0) /\ forall a, Z0 a = true -> may_be_zero phi0 cs D a.
Proof.
  intros phi0 cs D phi Z0 g H S C. destruct (two_units_kept _ _ _ _ _ H) as [K I]. split.
  - destruct (proj2 (kept_solves phi cs D Z0 g K) (conj S C)) as [A B]. split; [intros c J; exact (A c (I c J)) | exact B].
  - intros a A b L.
    assert (L' : linked phi a b) by (induction L as [|b c e L IH J Q]; [constructor | econstructor; eauto]).
    destruct (kept_only _ _ _ _ K b (kept_linked _ _ _ _ K a b A L')) as [X W]. split; [exact X|].
    intros [(c & J & Q & V)|Y]; apply W; [left; eauto | right; exact Y].
Qed.

(** 8.3 with closing: Def. 6.1 closes what is left of Φ, the claims are checked of its values without the zeros. *)
Theorem conj_8_3_closing : forall P K n m T s l phi0 cs D phi Z0, two_units phi0 cs D phi Z0 ->
  numbered m (flat_map vars_c (struck Z0 phi) ++ leaves T) -> close P K n m (struck Z0 phi) T = Closed_at s l ->
  forallb (saysb (Valuation (greatest (s_subst s)) no_zeros)) (map (strike Z0) cs) = true ->
  solves phi0 cs (Valuation (greatest (s_subst s)) Z0).
Proof.
  intros P K n m T s l phi0 cs D phi Z0 H N E C.
  pose proof (prop_6_2_close_any_tags P K n m (struck Z0 phi) T N) as S. rewrite E in S.
  apply (conj_8_3_sound phi0 cs D phi Z0); auto. intros c J. apply conj_8_4_a_check_reflect. rewrite forallb_forall in C. auto.
Qed.

(** * Operations: closing always succeeds *)

Lemma axis_claims_in : forall axes n c, In c (axis_claims n axes) ->
  exists i ps, nth_error axes i = Some ps /\ c = Parts (DVar (n + i)%nat) (map DVar ps).
Proof.
  intros axes; induction axes as [|ps axes IH]; intros n c J; [destruct J|].
  assert (X : c = Parts (DVar n) (map DVar ps) \/ In c (axis_claims (S n) axes)).
  { destruct ps as [|l [|l' ps]]; [destruct J as [<-|J]; auto | auto | destruct J as [<-|J]; auto]. }
  destruct X as [->|X].
  - exists 0%nat, ps. split; [reflexivity | now rewrite Nat.add_0_r].
  - destruct (IH _ _ X) as (i & qs & N & ->). exists (S i), qs. split; [exact N | now rewrite Nat.add_succ_r].
Qed.

Lemma combine_nth : forall (A : Type) (L : list A) (x : A) k n m, In (k, x) (combine (seq n m) L) -> nth (k - n) L x = x /\ (n <= k)%nat.
Proof.
  intros A L; induction L as [|y L IH]; intros x k n [|m] J; simpl in J; try contradiction.
  destruct J as [J|J]; [injection J as <- <-; rewrite Nat.sub_diag; simpl; auto|].
  destruct (IH _ _ _ _ J) as [E Le]. split; [|lia]. destruct (k - n)%nat as [|j] eqn:Q; [lia|].
  replace (k - S n)%nat with j in E by lia. exact E.
Qed.

(** 8.3, repaired.  An operation, or several that share labels: some labels have sizes, some are equal, the wholes are
    unknown.  Whatever variables became 0 one after the other, in whatever order, the tops for the others and the sums
    for the wholes satisfy everything. *)
Theorem conj_8_3_closes : forall n slots known same D f phi Z0,
  (forall ps l, In ps (concat slots) -> In l ps -> (l < n)%nat) -> ~ In [] (concat slots) ->
  (forall l k, In (l, k) known -> (l < n)%nat /\ f l = num k) -> (forall l k, In (l, k) same -> (l < n)%nat /\ (k < n)%nat /\ f l = f k) ->
  (forall l, f l = Unit \/ exists k, f l = num k) ->
  two_units (operations n slots known same) (claims n slots) D phi Z0 ->
  solves (operations n slots known same) (claims n slots) (closed_values n slots f Z0).
Proof.
  intros n slots known same D f phi Z0 Ln Ne Kn Sa Pl H. destruct (two_units_kept _ _ _ _ _ H) as [K I].
  set (v := closed_values n slots f Z0).
  assert (Lab : forall l, (l < n)%nat -> g_d (v_ground v) l = f l).
  { intros l L. simpl. unfold closed_dim. now rewrite (proj2 (Nat.ltb_lt l n) L). }
  split.
  - intros c J. destruct (both_or_none _ _ _ _ c K (I c J)) as [X|[_ X]]; [left; exact X|]. right. split; [|exact X].
    unfold operations in J. rewrite !in_app_iff in J. destruct J as [J|[J|J]]; apply in_map_iff in J.
    + destruct J as ([l k] & <- & J). destruct (Kn l k J) as [L E]. simpl fst. simpl snd. cbn [holds ground_d]. rewrite Lab; auto.
    + destruct J as ([l k] & <- & J). destruct (Sa l k J) as (L & M & E). simpl fst. simpl snd. cbn [holds ground_d].
      rewrite !Lab; auto.
    + destruct J as ([k ts] & <- & J). cbn [fst snd holds]. destruct (combine_nth _ _ _ _ _ _ J) as [E _].
      rewrite Nat.sub_0_r in E.
      unfold flat_equiv, flat, ground_r. cbn [tlead tmid ttrail ground_mid map app lead trail rvar_term empty_row].
      rewrite app_nil_r. simpl g_r.
      assert (Q : nth k (slot_terms n slots) [] = ts).
      { destruct (Nat.lt_ge_cases k (length (slot_terms n slots))) as [L|L].
        - rewrite <- E. now apply nth_indep.
        - exfalso. clear E. apply in_combine_l in J as J'. apply in_seq in J'.
          assert (W : length (slot_terms n slots) = length slots).
          { clear. revert n. induction slots as [|s r IH]; intros n; simpl; [reflexivity | now rewrite IH]. }
          lia. }
      rewrite Q. apply map_ext. intros [a|d]; reflexivity.
  - intros c J. destruct (axis_claims_in _ _ _ J) as (i & ps & Ni & ->). pose proof (nth_error_In _ _ Ni) as Jp.
    assert (S : forall l, In l ps -> size v (DVar l) = label_size f Z0 l).
    { intros l Jl. unfold size, label_size. cbn [is_zero]. change (v_zero v l) with (Z0 l). destruct (Z0 l); [reflexivity|].
      cbn [ground_d]. now rewrite Lab by eauto. }
    assert (T : plus (map (size v) (map DVar ps)) = plus (map (label_size f Z0) ps)).
    { rewrite map_map. f_equal. now apply map_ext_in. }
    assert (Nn : forall l, 0 <= label_size f Z0 l) by (intros l; unfold label_size; destruct (Z0 l); lia).
    assert (One : 1 <= plus (map (label_size f Z0) ps)).
    { destruct (kept_part _ _ _ _ K _ _ J) as (t & Jt & G); [intros E; apply Ne; destruct ps; [exact Jp | discriminate]|].
      apply in_map_iff in Jt. destruct Jt as (l & <- & Jl). simpl in G. clear - Jl G Nn.
      induction ps as [|x ps IH]; [destruct Jl|].
      assert (R : 0 <= plus (map (label_size f Z0) ps)).
      { clear - Nn. induction ps as [|y ps IH]; simpl; [lia|]. specialize (Nn y). unfold plus in *. simpl. lia. }
      change (plus (map (label_size f Z0) (x :: ps))) with (label_size f Z0 x + plus (map (label_size f Z0) ps)).
      destruct Jl as [->|Jl]; [unfold label_size at 1; rewrite G; lia | specialize (IH Jl); specialize (Nn x); lia]. }
    assert (D0 : Z0 (n + i)%nat = false) by (apply (besides_kept _ _ _ _ _ K J); simpl; auto).
    assert (Gd : g_d (v_ground v) (n + i)%nat = num (Z.to_pos (plus (map (label_size f Z0) ps)))).
    { simpl. unfold closed_dim. destruct (Nat.ltb_spec (n + i) n) as [L|L]; [lia|].
      replace (n + i - n)%nat with i by lia. now rewrite (nth_error_nth _ _ [] Ni). }
    assert (Sd : size v (DVar (n + i)%nat) = plus (map (label_size f Z0) ps)).
    { unfold size. cbn [is_zero]. change (v_zero v (n + i)%nat) with (Z0 (n + i)%nat). rewrite D0. cbn [ground_d]. rewrite Gd.
      simpl. apply Z2Pos.id. lia. }
    cbn [says]. rewrite Sd, T. split; [exact One|]. split; [reflexivity|].
    assert (B : forall t b, In t (DVar (n + i)%nat :: map DVar ps) -> basis_of v t = Some b -> b = default).
    { intros t b Jt E. unfold basis_of in E. destruct (is_zero v t); [discriminate|].
      destruct Jt as [<-|Jt]; [cbn [ground_d] in E; rewrite Gd in E; simpl in E; congruence|].
      apply in_map_iff in Jt. destruct Jt as (l & <- & Jl). cbn [ground_d] in E. rewrite Lab in E by eauto.
      destruct (Pl l) as [Q|(k & Q)]; rewrite Q in E; simpl in E; congruence. }
    intros t u b c Jt Ju Et Eu. rewrite (B t b Jt Et). symmetry. exact (B u c Ju Eu).
Qed.

Lemma find_known : forall known l k, NoDup (map fst known) -> In (l, k) known -> find (fun x : nat * positive => Nat.eqb (fst x) l) known = Some (l, k).
Proof.
  intros known l k; induction known as [|[m j] known IH]; intros N J; [destruct J|]. simpl in N. apply NoDup_cons_iff in N.
  destruct N as [Nm N]. simpl. destruct (Nat.eqb_spec m l) as [->|D].
  - destruct J as [J|J]; [congruence|]. exfalso. apply Nm. exact (in_map fst _ _ J).
  - destruct J as [J|J]; [congruence | auto].
Qed.

(** 8.3, repaired, as a policy: known labels have their sizes, of the others some are 0 and the rest 1∅. *)
Theorem conj_8_3_policy : forall n slots known D phi Z0,
  (forall ps l, In ps (concat slots) -> In l ps -> (l < n)%nat) -> ~ In [] (concat slots) ->
  (forall l, In l (map fst known) -> (l < n)%nat) -> NoDup (map fst known) ->
  two_units (operations n slots known []) (claims n slots) D phi Z0 ->
  solves (operations n slots known []) (claims n slots) (closed_values n slots (policy_size known) Z0).
Proof.
  intros n slots known D phi Z0 Ln Ne Kn N H. apply (conj_8_3_closes n slots known [] D (policy_size known) phi Z0); auto.
  - intros l k J. split; [apply Kn; exact (in_map fst _ _ J)|]. unfold policy_size. now rewrite (find_known known l k N J).
  - intros l k [].
  - intros l. unfold policy_size. destruct (find _ known) as [x|]; [right; eauto | left; reflexivity].
Qed.

(** * As printed it is not *)

Definition solvesb (phi : list constr) (cs : list size_claim) (v : valuation) : bool :=
  forallb (fun c => holdsb (v_ground v) c && forallb (not_zero v) (vars_c c)) phi && forallb (saysb v) cs.

Lemma solvesb_solves : forall phi cs v, solvesb phi cs v = true -> solves phi cs v.
Proof.
  intros phi cs v E. apply andb_true_iff in E. destruct E as [A B]. rewrite forallb_forall in A, B. split.
  - intros c J. right. specialize (A c J). apply andb_true_iff in A. destruct A as [A V]. split; [now apply def_3_4_holdsb|].
    intros a I. rewrite forallb_forall in V. specialize (V _ I). simpl in V. now apply negb_true_iff in V.
  - intros c J. apply conj_8_4_a_check_reflect. auto.
Qed.

(** Values of the first variables, the rows of the tensors, and the zeros. *)
Definition values (ds : list dim) (rows : list (list dim)) (zs : list nat) : valuation :=
  Valuation (Ground (fun a => nth a ds Unit) (fun k => [] ·⋄· nth k rows [])) (fun a => existsb (Nat.eqb a) zs).

(** 8.3 as printed is not sound: in a^b; b => a the label b is discardable, and it is an axis of the second operand.  There
    are solutions, and none with b at 0. *)
Theorem conj_8_3_axis : In lb (discardable (labels_of axis_operands) (labels_of axis_result)) /\
  (exists v, solves axis_phi axis_cs v) /\ (forall v, v_zero v lb = true -> ~ solves axis_phi axis_cs v) /\
  forall D, ~ may_be_zero axis_phi axis_cs D lb.
Proof.
  split; [simpl; auto|]. split; [|split].
  - exists (values [num 4; num 1; Unit; num 5] [[num 5]; [num 1]; [num 4]] []). apply solvesb_solves. reflexivity.
  - intros v Zb [S _]. destruct (S (REq (rvar_term 1%nat) (RTerm [] None [DVar lb]))) as [X|[_ X]]; [simpl; auto | discriminate|].
    rewrite (X lb) in Zb; [discriminate | simpl; auto].
  - intros D M. apply (M lb (Linked_refl _ _)). left. exists (REq (rvar_term 1%nat) (RTerm [] None [DVar lb])).
    split; [simpl; auto | split; [reflexivity | simpl; auto]].
Qed.

Lemma linked_none : forall phi a b, (forall c, In c phi -> equated c = None) -> linked phi a b -> b = a.
Proof. intros phi a b N L; induction L as [|b c e L IH J Q]; [reflexivity|]. rewrite (N e J) in Q. destruct Q; discriminate. Qed.

(** 8.3 as printed is not sound, also where only parts become 0: in a^b^c => a^b, c all labels are discardable, a and b are
    nothing but parts, each of them can be 0, and not both. *)
Theorem conj_8_3_together : discardable (labels_of together_operands) (labels_of together_result) = [la; lb; lc] /\
  may_be_zero together_phi together_cs [la; lb; lc] la /\ may_be_zero together_phi together_cs [la; lb; lc] lb /\
  (exists v, v_zero v la = true /\ solves together_phi together_cs v) /\
  (exists v, v_zero v lb = true /\ solves together_phi together_cs v) /\
  forall v, v_zero v la = true -> v_zero v lb = true -> ~ solves together_phi together_cs v.
Proof.
  assert (M : forall x, x = la \/ x = lb -> may_be_zero together_phi together_cs [la; lb; lc] x).
  { intros x Q b L. apply linked_none in L; [|intros c [<-|[<-|[]]]; reflexivity]. subst b.
    split; [simpl; intuition congruence|]. intros [(c & J & _ & V)|(c & J & V)]; simpl in J.
    - destruct J as [<-|[<-|[]]]; simpl in V; destruct Q as [-> | ->]; intuition discriminate.
    - destruct J as [<-|[<-|[]]]; simpl in V; destruct Q as [-> | ->]; intuition discriminate. }
  split; [reflexivity|]. split; [auto|]. split; [auto|]. split; [|split].
  - exists (values [Unit; Unit; Unit; num 2; num 1] [[num 2]; [num 1; Unit]] [la]). split; [reflexivity|]. apply solvesb_solves.
    reflexivity.
  - exists (values [Unit; Unit; Unit; num 2; num 1] [[num 2]; [num 1; Unit]] [lb]). split; [reflexivity|]. apply solvesb_solves.
    reflexivity.
  - intros v Za Zb [_ C]. destruct (C (Parts (DVar 4%nat) [DVar la; DVar lb])) as (A & B & _); [simpl; auto|].
    unfold size at 2 in B. rewrite B in A. unfold size in A. simpl in A. rewrite Za, Zb in A. lia.
Qed.

(** * The program *)

Lemma linked_sym : forall phi a b, linked phi a b -> linked phi b a.
Proof.
  intros phi a b L; induction L as [|b c e L IH J Q]; [constructor|]. apply (linked_trans _ _ b); [|exact IH].
  econstructor; [apply Linked_refl | exact J | tauto].
Qed.

Lemma linked_incl : forall phi psi a b, incl phi psi -> linked phi a b -> linked psi a b.
Proof. intros phi psi a b I L; induction L; [constructor | econstructor; eauto]. Qed.

Lemma linkedb_spec : forall phi a b, linkedb phi a b = true <-> linked phi a b.
Proof.
  intros phi a b. unfold linkedb. rewrite Nat.eqb_eq. revert a b. induction phi as [|c phi IH]; intros a b; simpl.
  - split; [intros ->; constructor | intros L; now induction L as [|b c e L I J Q]].
  - assert (I : incl phi (c :: phi)) by (intros x J; right; exact J).
    destruct (equated c) as [[u w]|] eqn:E.
    + assert (Luw : linked (c :: phi) u w) by (econstructor; [apply Linked_refl | left; reflexivity | auto]). split.
      * assert (X : forall x, linked (c :: phi) x (if rep phi x =? rep phi u then w else x)%nat /\
          rep phi (if rep phi x =? rep phi u then w else x)%nat = (if rep phi x =? rep phi u then rep phi w else rep phi x)%nat).
        { intros x. destruct (Nat.eqb_spec (rep phi x) (rep phi u)) as [Q|Q]; [|split; [constructor | reflexivity]].
          split; [|reflexivity]. apply (linked_trans _ _ u); [|exact Luw]. apply (linked_incl phi); [exact I | now apply IH]. }
        intros Q. destruct (X a) as [A1 A2], (X b) as [B1 B2]. rewrite <- A2, <- B2 in Q.
        apply (linked_trans _ _ _ _ A1). apply linked_sym in B1. apply (fun y => linked_trans _ _ _ _ y B1).
        apply (linked_incl phi); [exact I | now apply IH].
      * intros L; induction L as [|b d e L IL J Q]; [reflexivity|]. rewrite IL. clear IL L. destruct J as [<-|J].
        -- rewrite E in Q. destruct Q as [Q|Q]; injection Q as <- <-; rewrite Nat.eqb_refl;
             destruct (Nat.eqb_spec (rep phi w) (rep phi u)) as [R|R]; congruence.
        -- assert (Q' : rep phi b = rep phi d) by (apply IH; econstructor; [apply Linked_refl | exact J | exact Q]).
           now rewrite Q'.
    + rewrite IH. split; [apply linked_incl; exact I|]. intros L; induction L as [|b d e L IL J Q]; [constructor|].
      destruct J as [<-|J]; [rewrite E in Q; destruct Q; discriminate|]. econstructor; eauto.
Qed.

Lemma elsewhereb_spec : forall phi cs a, elsewhereb phi cs a = true <-> elsewhere phi cs a.
Proof.
  intros phi cs a. unfold elsewhereb, elsewhere. rewrite orb_true_iff, !existsb_exists.
  assert (V : forall l, existsb (var_eqb (DV a)) l = true <-> In (DV a) l).
  { intros l. rewrite existsb_exists. split.
    - intros ([b|p] & J & E); simpl in E; [apply Nat.eqb_eq in E; now subst | discriminate].
    - intros J. exists (DV a). split; [exact J | simpl; apply Nat.eqb_refl]. }
  split; (intros [(c & J & H)|(c & J & H)]; [left; exists c | right; exists c]; (split; [exact J|])).
  - destruct (equated c); [discriminate|]. split; [reflexivity | now apply V].
  - now apply mem_spec.
  - destruct H as [-> H]. now apply V.
  - now apply mem_spec.
Qed.

Lemma linked_in : forall phi a b, linked phi a b -> b = a \/ In b (in_equations phi).
Proof.
  intros phi a b L; induction L as [|b c e L IH J Q]; [auto|]. right. apply in_flat_map. exists e. split; [exact J|].
  destruct Q as [-> | ->]; simpl; auto.
Qed.

Lemma may_be_zerob_spec : forall phi cs D a, may_be_zerob phi cs D a = true <-> may_be_zero phi cs D a.
Proof.
  intros phi cs D a. unfold may_be_zerob, may_be_zero. rewrite forallb_forall.
  assert (Q : forall b, existsb (Nat.eqb b) D && negb (elsewhereb phi cs b) = true <-> In b D /\ ~ elsewhere phi cs b).
  { intros b. rewrite andb_true_iff, negb_true_iff, mem_spec, <- elsewhereb_spec, not_true_iff_false. tauto. }
  split.
  - intros H b L. apply Q. assert (J : In b (a :: in_equations phi)) by (destruct (linked_in phi a b L); simpl; auto).
    specialize (H b J). rewrite (proj2 (linkedb_spec phi a b) L) in H. exact H.
  - intros H b _. destruct (linkedb phi a b) eqn:L; [|reflexivity]. simpl. apply Q, H. now apply linkedb_spec.
Qed.

Lemma last_partb_spec : forall phi cs Z0 a, last_partb phi cs Z0 a = true <-> last_part phi cs Z0 a.
Proof.
  intros phi cs Z0 a. unfold last_partb, last_part. rewrite existsb_exists. split.
  - intros (c & J & H). destruct c as [|d ps| | |]; try discriminate. apply andb_true_iff in H. destruct H as [A B].
    exists d, ps. split; [exact J|]. rewrite existsb_exists in A. rewrite forallb_forall in B. split.
    + destruct A as ([b|d'] & Jb & L); [|discriminate]. exists b. split; [exact Jb | now apply linkedb_spec].
    + intros [b|d'] Jt; specialize (B _ Jt); [|discriminate]. exists b. split; [reflexivity|]. apply orb_true_iff in B.
      destruct B as [B|B]; [auto | right; now apply linkedb_spec].
  - intros (d & ps & J & (b & Jb & L) & G). exists (Parts d ps). split; [exact J|]. apply andb_true_iff. split.
    + apply existsb_exists. exists (DVar b). split; [exact Jb | now apply linkedb_spec].
    + apply forallb_forall. intros t Jt. destruct (G t Jt) as (b' & -> & [X|X]); apply orb_true_iff; [auto | right;
        now apply linkedb_spec].
Qed.

Lemma last_part_more : forall phi cs Z0 Z1 a, (forall b, Z0 b = true -> Z1 b = true) -> last_part phi cs Z0 a -> last_part phi cs Z1 a.
Proof.
  intros phi cs Z0 Z1 a H (d & ps & J & L & G). exists d, ps. split; [exact J|]. split; [exact L|]. intros t Jt.
  destruct (G t Jt) as (b & E & [X|X]); exists b; auto.
Qed.

(** 8.3, repaired, as a program.  Whatever the order, every step is one of closing with two units; and once each variable
    had its turn, what can be 0 is 0, or would be the last part. *)
Theorem conj_8_3_program : forall phi cs D order, two_units phi cs D phi (zeros phi cs D order) /\
  (incl D order -> forall a, may_be_zero phi cs D a -> zeros phi cs D order a = true \/ last_part phi cs (zeros phi cs D order) a).
Proof.
  intros phi cs D order.
  assert (X : forall order Z0, two_units phi cs D phi Z0 ->
    two_units phi cs D phi (fold_left (zero_next phi cs D) order Z0) /\
    (forall b, Z0 b = true -> fold_left (zero_next phi cs D) order Z0 b = true) /\
    forall a, In a order -> may_be_zero phi cs D a -> fold_left (zero_next phi cs D) order Z0 a = true \/
      last_part phi cs (fold_left (zero_next phi cs D) order Z0) a).
  { clear order. intros order; induction order as [|a order IH]; intros Z0 H; simpl; [split; [exact H | split; [auto |
      intros a []]]|].
    assert (S : two_units phi cs D phi (zero_next phi cs D Z0 a) /\ (forall b, Z0 b = true -> zero_next phi cs D Z0 a b = true) /\
      (may_be_zero phi cs D a -> zero_next phi cs D Z0 a a = true \/ last_part phi cs (zero_next phi cs D Z0 a) a)).
    { unfold zero_next. destruct (may_be_zerob phi cs D a) eqn:M; simpl.
      - apply may_be_zerob_spec in M. destruct (last_partb phi cs Z0 a) eqn:L; simpl.
        + apply last_partb_spec in L. auto.
        + split; [|split; [intros b B; now rewrite B|]].
          * apply (Units_zero phi cs D phi Z0 _ a H M); [intros Y; apply last_partb_spec in Y; congruence|].
            intros b. rewrite orb_true_iff, linkedb_spec. tauto.
          * intros _. left. apply orb_true_iff. right. apply linkedb_spec. constructor.
      - split; [exact H|]. split; [auto|]. intros Y. apply may_be_zerob_spec in Y. congruence. }
    destruct S as (S1 & S2 & S3). destruct (IH _ S1) as (T1 & T2 & T3). split; [exact T1|]. split; [auto|].
    intros b [<-|J] Mb; [|auto]. destruct (S3 Mb) as [Y|Y]; [left; auto | right; apply (last_part_more _ _ _ _ _ T2 Y)]. }
  destruct (X order no_zeros (Units_start _ _ _)) as (A & _ & B). split; [exact A|]. intros I a M. apply B; [|exact M].
  apply I. exact (proj1 (M a (Linked_refl _ _))).
Qed.

(** 8.3, repaired.  It excludes no solution: whatever is 0 in one, if each can be, becomes 0 one after the other, and no part
    is the last one on the way.  So zeros that claims force are such steps as well. *)
Theorem conj_8_3_excludes_nothing : forall phi cs D v, solves phi cs v -> (forall a, v_zero v a = true -> may_be_zero phi cs D a) ->
  exists Z0, two_units phi cs D phi Z0 /\ forall a, Z0 a = v_zero v a.
Proof.
  intros phi cs D v [S C] M. set (Z1 := v_zero v) in *.
  assert (Li : forall a b, linked phi a b -> Z1 a = true -> Z1 b = true).
  { intros a b L A. induction L as [|b c e L IH J Q]; [exact A|]. destruct (S e J) as [X|[_ X]].
    - unfold both_zero in X. destruct Q as [Q|Q]; rewrite Q in X; apply andb_true_iff in X; tauto.
    - exfalso. assert (Y : In (DV b) (vars_c e)) by (destruct Q as [Q|Q]; apply equated_vars in Q; destruct Q as [_ ->]; simpl; auto).
      specialize (X b Y). congruence. }
  assert (Pa : forall d ps, In (Parts d ps) cs -> exists t, In t ps /\ gone Z1 t = false).
  { intros d ps J. destruct (forallb (gone Z1) ps) eqn:F; [|exact (not_all _ _ _ F)]. exfalso.
    destruct (C _ J) as (A & B & _). rewrite forallb_forall in F.
    assert (Q : plus (map (size v) ps) = 0); [|lia].
    clear -F. induction ps as [|t ps IH]; [reflexivity|]. change (plus (map (size v) (t :: ps))) with (size v t + plus (map (size v) ps)).
    rewrite IH by (intros u J; apply F; right; exact J). specialize (F t (or_introl eq_refl)).
    destruct t as [a|e]; [|discriminate]. unfold size. simpl in *. unfold Z1 in F. rewrite F. reflexivity. }
  assert (X : forall l, (forall a, In a l -> Z1 a = true) -> exists Z0, two_units phi cs D phi Z0 /\
    (forall a, Z0 a = true -> Z1 a = true) /\ forall a, In a l -> Z0 a = true).
  { intros l; induction l as [|a l IH]; intros H; [exists no_zeros; split; [constructor | split; [discriminate | intros a []]]|].
    destruct (IH (fun b J => H b (or_intror J))) as (Z0 & T & Le & Al). pose proof (H a (or_introl eq_refl)) as A.
    exists (fun b => Z0 b || linkedb phi a b). split; [|split].
    - apply (Units_zero phi cs D phi Z0 _ a T (M a A)); [|intros b; rewrite orb_true_iff, linkedb_spec; tauto].
      intros (d & ps & J & _ & G). destruct (Pa d ps J) as (t & Jt & Gt). destruct (G t Jt) as (b & -> & [Y|Y]); simpl in Gt.
      + rewrite (Le b Y) in Gt. discriminate.
      + rewrite (Li a b Y A) in Gt. discriminate.
    - intros b Y. apply orb_true_iff in Y. destruct Y as [Y|Y]; [auto|]. apply linkedb_spec in Y. exact (Li a b Y A).
    - intros b [<-|J]; apply orb_true_iff; [right; apply linkedb_spec; constructor | left; auto]. }
  destruct (X (filter Z1 D)) as (Z0 & T & Le & Al); [intros a J; now apply filter_In in J|].
  exists Z0. split; [exact T|]. intros a. destruct (Z1 a) eqn:A.
  - apply Al. apply filter_In. split; [exact (proj1 (M a A a (Linked_refl _ _))) | exact A].
  - destruct (Z0 a) eqn:B; [rewrite (Le a B) in A; discriminate | reflexivity].
Qed.

(** 8.3, repaired.  So every specification closes: with the zeros of the program, in any order, and 1∅ for the other labels
    that are unknown, everything holds. *)
Theorem conj_8_3_every_specification : forall n operands result known order,
  let slots := operands ++ result in
  let phi := operations n slots known [] in
  let D := discardable (labels_of operands) (labels_of result) in
  (forall ps l, In ps (concat slots) -> In l ps -> (l < n)%nat) -> ~ In [] (concat slots) ->
  (forall l, In l (map fst known) -> (l < n)%nat) -> NoDup (map fst known) ->
  solves phi (claims n slots) (closed_values n slots (policy_size known) (zeros phi (claims n slots) D order)).
Proof.
  intros n operands result known order slots phi D Ln Ne Kn N.
  apply (conj_8_3_policy n slots known D phi); auto. apply conj_8_3_program.
Qed.

(** 8.3, repaired, on a^b^c => a^b, c with c at 2: a is 0, b is the last part of a^b and stays. *)
Theorem conj_8_3_repaired : let slots := together_operands ++ together_result in
  let phi := operations 3 slots [(lc, 2%positive)] [] in
  let v := closed_values 3 slots (policy_size [(lc, 2%positive)]) (zeros phi (claims 3 slots) [la; lb; lc] [la; lb; lc]) in
  map (fun a => size v (DVar a)) [la; lb; lc; 3%nat; 4%nat] = [0; 1; 2; 3; 1] /\ solves phi (claims 3 slots) v.
Proof. split; [reflexivity | apply solvesb_solves; reflexivity]. Qed.

(** * Nor is it greatest *)

(** At the first variables of the list, [w] is below [v]. *)
Definition below_at (l : list nat) (w v : valuation) : Prop := forall a, In a l -> g_d (v_ground w) a ⊑d g_d (v_ground v) a.

Lemma sum_five : forall v cs d, (forall c, In c [Parts (DVar d) [DVar la; DVar lb]] -> In c cs) -> (forall c, In c cs -> says v c) ->
  g_d (v_ground v) d = num 5 -> v_zero v d = false -> size v (DVar la) + size v (DVar lb) = 5.
Proof.
  intros v cs d I C E Z0. destruct (C _ (I _ (or_introl eq_refl))) as (_ & B & _). unfold size at 1 in B. simpl in B.
  rewrite Z0, E in B. simpl in B. lia.
Qed.

Lemma five_is : forall phi cs v, solves (is_size 3%nat 5 :: phi) cs v -> g_d (v_ground v) 3%nat = num 5 /\ v_zero v 3%nat = false.
Proof.
  intros phi cs v [S _]. destruct (S _ (or_introl eq_refl)) as [X|[H V]]; [discriminate|].
  split; [exact H | apply V; simpl; auto].
Qed.

(** 8.3 as printed is not greatest: in a^b => a, of an operand of size 5, b is discarded and a is 5.  With b at 1 there is a
    solution with 4, which is not below 5. *)
Theorem conj_8_3_not_greatest : discardable (labels_of [[[la; lb]]]) (labels_of [[[la]]]) = [lb] /\
  (exists v, v_zero v lb = true /\ solves dropped_phi (claims 3 dropped) v) /\
  forall v, v_zero v lb = true -> solves dropped_phi (claims 3 dropped) v -> g_d (v_ground v) la = num 5 /\
  exists w, solves dropped_phi (claims 3 dropped) w /\ ~ below_at [la] w v.
Proof.
  split; [reflexivity|]. split.
  - exists (values [num 5; Unit; Unit; num 5] [[num 5]; [num 5]] [lb]). split; [reflexivity|]. apply solvesb_solves. reflexivity.
  - intros v Zb S. destruct (five_is _ _ _ S) as [E Z3].
    pose proof (sum_five v (claims 3 dropped) 3%nat (fun c J => J) (proj2 S) E Z3) as Q.
    assert (Sb : size v (DVar lb) = 0) by (unfold size; simpl; now rewrite Zb).
    assert (A : g_d (v_ground v) la = num 5).
    { destruct (proj2 S (Parts (DVar 3%nat) [DVar la; DVar lb]) (or_introl eq_refl)) as (_ & _ & O).
      rewrite Sb in Q. unfold size in Q. cbn [is_zero ground_d] in Q. destruct (v_zero v la) eqn:Za; [discriminate|].
      destruct (g_d (v_ground v) la) as [|n b] eqn:G; simpl in Q; [discriminate|]. assert (n = 5%positive) as -> by lia.
      rewrite (O (DVar la) (DVar 3%nat) b default); [reflexivity | simpl; auto | simpl; auto | |];
        unfold basis_of; simpl; [now rewrite Za, G | now rewrite Z3, E]. }
    split; [exact A|]. exists (values [num 4; num 1; Unit; num 5] [[num 5]; [num 4]] []).
    split; [apply solvesb_solves; reflexivity|]. intros B. specialize (B la (or_introl eq_refl)). rewrite A in B.
    destruct B as [B|B]; discriminate.
Qed.

(** 8.3: there the variables of the order have a greatest solution, which closing misses: a at 1∅, with b at 4. *)
Theorem conj_8_3_greatest_missed : exists w, solves dropped_phi (claims 3 dropped) w /\ size w (DVar lb) = 4 /\
  forall v, below_at [la] v w.
Proof.
  exists (values [Unit; num 4; Unit; num 5] [[num 5]; [Unit]] []). split; [apply solvesb_solves; reflexivity|].
  split; [reflexivity|]. intros v a [<-|[]]. left. reflexivity.
Qed.

(** 8.3 as printed is not greatest, also relative to what is 0: in a^b => b^a nothing is discardable, and of an operand of
    size 5 no solution is above all others. *)
Theorem conj_8_3_no_greatest : discardable (labels_of [[[la; lb]]]) (labels_of [[[lb; la]]]) = [] /\
  (exists v, solves swapped_phi (claims 3 swapped) v) /\
  forall v, (forall a, v_zero v a = false) -> solves swapped_phi (claims 3 swapped) v ->
  exists w, (forall a, v_zero w a = false) /\ solves swapped_phi (claims 3 swapped) w /\ ~ below_at [la; lb] w v.
Proof.
  set (w1 := values [Unit; num 4; Unit; num 5; num 5] [[num 5]; [num 5]] []).
  set (w2 := values [num 4; Unit; Unit; num 5; num 5] [[num 5]; [num 5]] []).
  assert (S1 : solves swapped_phi (claims 3 swapped) w1) by (apply solvesb_solves; reflexivity).
  assert (S2 : solves swapped_phi (claims 3 swapped) w2) by (apply solvesb_solves; reflexivity).
  split; [reflexivity|]. split; [eauto|]. intros v Nz S. destruct (five_is _ _ _ S) as [E Z3].
  assert (Q : size v (DVar la) + size v (DVar lb) = 5).
  { apply (sum_five v (claims 3 swapped) 3%nat); auto; [intros c [<-|[]]; simpl; auto | exact (proj2 S)]. }
  destruct (g_d (v_ground v) la) as [|n b] eqn:Ga.
  - exists w2. split; [reflexivity|]. split; [exact S2|]. intros B. specialize (B lb (or_intror (or_introl eq_refl))).
    unfold size in Q. cbn [is_zero ground_d] in Q. rewrite !Nz, Ga in Q.
    destruct B as [B|B]; [rewrite B in Q | rewrite <- B in Q]; discriminate.
  - exists w1. split; [reflexivity|]. split; [exact S1|]. intros B. specialize (B la (or_introl eq_refl)).
    rewrite Ga in B. destruct B as [B|B]; discriminate.
Qed.

(** * A zero that bounds exclude *)

(** 8.3, repaired, can foreclose a solution: in a^b, a^c => a, of axes of sizes 5 and 3, both b and c are discardable, are
    nothing but parts and not the last ones.  With c at 0 there is a solution; with b at 0 there is none, and the claims
    say so beforehand: b has at least 2. *)
Theorem conj_8_3_foreclosed : discardable (labels_of crossed_operands) (labels_of crossed_result) = [lb; lc] /\
  may_be_zero crossed_phi crossed_cs [lb; lc] lb /\ ~ last_part crossed_phi crossed_cs no_zeros lb /\
  (exists v, v_zero v lc = true /\ solves crossed_phi crossed_cs v) /\
  (forall v, v_zero v lb = true -> ~ solves crossed_phi crossed_cs v) /\
  forall v, solves crossed_phi crossed_cs v -> 2 <= size v (DVar lb).
Proof.
  assert (N : forall c, In c crossed_phi -> equated c = None) by (intros c J; simpl in J; repeat (destruct J as [<-|J];
    [reflexivity|]); destruct J).
  assert (Two : forall v, solves crossed_phi crossed_cs v -> 2 <= size v (DVar lb)).
  { intros v S. destruct (five_is _ _ _ S) as [E5 Z5]. destruct S as [S C].
    destruct (S _ (or_intror (or_introl eq_refl))) as [X|[E3 V]]; [discriminate|].
    pose proof (V 4%nat (or_introl eq_refl)) as Z3. cbn [holds ground_d] in E3.
    destruct (C _ (or_introl eq_refl)) as (_ & A & _). destruct (C _ (or_intror (or_introl eq_refl))) as (_ & B & _).
    assert (P : 0 <= size v (DVar lc)) by (unfold size; destruct (is_zero _ _); lia).
    assert (W5 : size v (DVar 3%nat) = 5) by (unfold size; cbn [is_zero ground_d]; now rewrite Z5, E5).
    assert (W3 : size v (DVar 4%nat) = 3) by (unfold size; cbn [is_zero ground_d]; now rewrite Z3, E3).
    cbn [map plus fold_right] in A, B. lia. }
  split; [reflexivity|]. split; [|split; [|split; [|split]]].
  - intros b L. apply (linked_none _ _ _ N) in L. subst b. split; [simpl; auto|].
    intros [(c & J & _ & V)|(c & J & V)]; simpl in J; repeat (destruct J as [<-|J]; [simpl in V; intuition discriminate|]);
      destruct J.
  - intros (d & ps & J & (b & Jb & L) & G). apply (linked_none _ _ _ N) in L. subst b.
    assert (Q : In (DVar la) ps) by (simpl in J; destruct J as [J|[J|[]]]; injection J as <- <-; simpl; auto).
    destruct (G _ Q) as (b & E & [X|X]); [discriminate|]. apply (linked_none _ _ _ N) in X. injection E as E. subst b.
    discriminate.
  - exists (values [num 3; num 2; Unit; num 5; num 3] [[num 5; num 3]; [num 3]] [lc]). split; [reflexivity|].
    apply solvesb_solves. reflexivity.
  - intros v Zb S. specialize (Two v S). unfold size in Two. simpl in Two. rewrite Zb in Two. lia.
  - exact Two.
Qed.
