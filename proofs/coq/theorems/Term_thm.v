(** Section 3, up to Lemma 3.3: what is true of substitutions. *)

From Coq Require Import PArith List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Term.
Import ListNotations.

Lemma dterm_eqb_eq : forall t u, dterm_eqb t u = true -> t = u.
Proof.
  intros [a|d] [b|e] H; simpl in H; try discriminate.
  - apply Nat.eqb_eq in H; congruence.
  - apply dim_eqb_eq in H; congruence.
Qed.

Lemma dterm_eqb_refl : forall t, dterm_eqb t t = true.
Proof. intros [a|d]; simpl; [apply Nat.eqb_refl | apply dim_eqb_refl]. Qed.

Lemma dterm_eqb_iff : forall t u, dterm_eqb t u = true <-> t = u.
Proof. intros t u; split; [apply dterm_eqb_eq | intros <-; apply dterm_eqb_refl]. Qed.

Lemma var_eqb_eq : forall v w, var_eqb v w = true <-> v = w.
Proof.
  intros [a|p] [b|q]; simpl; rewrite ?Nat.eqb_eq; split; intros H; congruence.
Qed.

Lemma dterm_eq_dec : forall t u : dterm, {t = u} + {t <> u}.
Proof. decide equality; [apply Nat.eq_dec | apply dim_eq_dec]. Qed.

Lemma rterm_eq_dec : forall R S : rterm, {R = S} + {R <> S}.
Proof.
  decide equality; try apply (list_eq_dec dterm_eq_dec).
  decide equality. apply Nat.eq_dec.
Qed.

Lemma term_eq_dec : forall X Y : term, {X = Y} + {X <> Y}.
Proof. decide equality; [apply dterm_eq_dec | apply rterm_eq_dec]. Qed.

Lemma not_in_dom : forall s v, ~ in_dom s v -> fixes s v.
Proof.
  unfold in_dom, fixes; intros s v H.
  destruct (term_eq_dec (apply s (var_term v)) (var_term v)); tauto.
Qed.

(** * Lemma 3.3 *)

Lemma sub_d_comp : forall s t u, sub_d (comp s t) u = sub_d s (sub_d t u).
Proof. intros s t [a|d]; reflexivity. Qed.

Lemma sub_l_comp : forall s t l,
  map (sub_d (comp s t)) l = map (sub_d s) (map (sub_d t) l).
Proof. intros; rewrite map_map; apply map_ext, sub_d_comp. Qed.

(** The marker case is associativity of splicing. *)
Lemma sub_r_comp : forall s t R, sub_r (comp s t) R = sub_r s (sub_r t R).
Proof.
  intros s t [l [p|] r]; unfold sub_r; simpl; rewrite !sub_l_comp; [|reflexivity].
  destruct (on_r t p) as [l' [q|] r']; unfold sub_r; simpl;
    rewrite !map_app, ?app_assoc; reflexivity.
Qed.

(** 3.3.  Holds for arbitrary raw maps; idempotency is not needed. *)
Theorem lemma_3_3 : forall s t X, apply (comp s t) X = apply s (apply t X).
Proof. intros s t [u|R]; simpl; f_equal; auto using sub_d_comp, sub_r_comp. Qed.

(** * Basic facts *)

Lemma apply_ext : forall s t X,
  (forall v, In v (vars X) -> apply s (var_term v) = apply t (var_term v)) ->
  apply s X = apply t X.
Proof.
  assert (D : forall s t l,
    (forall v, In v (flat_map vars_d l) -> apply s (var_term v) = apply t (var_term v)) ->
    map (sub_d s) l = map (sub_d t) l).
  { intros s t l H. apply map_ext_in. intros [a|d] I; simpl; auto.
    assert (K : TD (on_d s a) = TD (on_d t a)); [|congruence].
    apply (H (DV a)). apply in_flat_map. exists (DVar a); simpl; auto. }
  intros s t [[a|d]|[l m r]] H; simpl in *; auto.
  - apply (H (DV a)); auto.
  - unfold vars_r in H; simpl in H. f_equal.
    assert (Hl : map (sub_d s) l = map (sub_d t) l) by (apply D; intros; apply H, in_app_iff; auto).
    assert (Hr : map (sub_d s) r = map (sub_d t) r)
      by (apply D; intros; apply H; rewrite !in_app_iff; auto).
    unfold sub_r; simpl; rewrite Hl, Hr. destruct m as [p|]; auto.
    specialize (H (RV p)); simpl in H.
    assert (K : TR (sub_r s (rvar_term p)) = TR (sub_r t (rvar_term p)))
      by (apply H; rewrite !in_app_iff; simpl; auto).
    injection K; unfold sub_r; simpl; rewrite !app_nil_r. now intros -> -> ->.
Qed.

Lemma apply_id : forall X, apply id_subst X = X.
Proof.
  intros [[a|d]|[l [p|] r]]; simpl; auto; unfold sub_r; simpl; f_equal;
    rewrite ?app_nil_r, !(map_ext (sub_d id_subst) (fun t => t)), !map_id; auto;
    intros [|]; auto.
Qed.

Lemma id_var : forall v, apply id_subst (var_term v) = var_term v.
Proof. intros; apply apply_id. Qed.

(** A substitution leaves a term alone iff it fixes all of its variables.
    From left to right this uses that splicing cannot shorten a flank. *)
Lemma apply_fixed_iff : forall s X,
  apply s X = X <-> forall v, In v (vars X) -> fixes s v.
Proof.
  intros s X; split.
  - assert (D : forall l, map (sub_d s) l = l -> forall v, In v (flat_map vars_d l) -> fixes s v).
    { intros l H v I. apply in_flat_map in I as ([a|d] & I & J); simpl in J; [|tauto].
      destruct J as [<-|[]]. unfold fixes; simpl. f_equal.
      clear -H I. induction l as [|t l IH]; simpl in *; [tauto|].
      injection H as H1 H2. destruct I as [->|I]; auto. }
    destruct X as [[a|d]|[l m r]]; simpl; intros H v I.
    + destruct I as [<-|[]]. exact H.
    + tauto.
    + injection H; clear H; intros H. unfold sub_r in H; simpl in H.
      unfold vars_r in I; simpl in I. destruct m as [p|].
      * injection H as Hl Hm Hr. destruct (on_r s p) as [l' m' r'] eqn:E; simpl in *.
        assert (l' = []) as ->.
        { apply (f_equal (@length _)) in Hl. rewrite len_app, len_map in Hl.
          destruct l'; simpl in *; [auto | lia]. }
        assert (r' = []) as ->.
        { apply (f_equal (@length _)) in Hr. rewrite len_app, len_map in Hr.
          destruct r'; simpl in *; [auto | lia]. }
        rewrite app_nil_r in Hl. simpl in Hr. subst m'.
        rewrite in_app_iff in I; simpl in I. destruct I as [I|[<-|I]]; eauto.
        unfold fixes; simpl; unfold sub_r; simpl. now rewrite E.
      * injection H as Hl Hr. simpl in I. apply in_app_iff in I as [I|I]; eauto.
  - intros H. rewrite <- (apply_id X) at 2. apply apply_ext.
    intros v I. rewrite id_var. apply H, I.
Qed.

(** The variables of an instance are those of the values put in. *)
Lemma vars_apply : forall s X v,
  In v (vars (apply s X)) <->
  exists w, In w (vars X) /\ In v (vars (apply s (var_term w))).
Proof.
  intros s X v.
  assert (D : forall l, In v (flat_map vars_d (map (sub_d s) l)) <->
            exists w, In w (flat_map vars_d l) /\ In v (vars (apply s (var_term w)))).
  { intros l; induction l as [|[a|d] l IH]; simpl.
    - firstorder.
    - rewrite in_app_iff, IH. split.
      + intros [H|(w & H & K)]; [exists (DV a) | exists w]; auto.
      + intros (w & [<-|H] & K); [left; auto | right; eauto].
    - apply IH. }
  destruct X as [[a|d]|[l m r]].
  - simpl. split.
    + intros H; exists (DV a); auto.
    + intros (w & [<-|[]] & H); auto.
  - simpl; firstorder.
  - unfold vars at 1; unfold apply at 1. unfold vars at 1. unfold vars_r; simpl.
    unfold sub_r; destruct m as [p|]; simpl.
    + rewrite !flat_map_app, !in_app_iff, !D.
      assert (P : In v (vars (apply s (var_term (RV p)))) <->
        In v (flat_map vars_d (tlead (on_r s p))) \/
        In v (match tmid (on_r s p) with Some q => [RV q] | None => [] end) \/
        In v (flat_map vars_d (ttrail (on_r s p)))).
      { simpl; unfold vars_r, sub_r; simpl. rewrite app_nil_r, !in_app_iff. tauto. }
      split.
      * intros H. assert (In v (vars (apply s (var_term (RV p)))) \/
          (exists w, In w (flat_map vars_d l) /\ In v (vars (apply s (var_term w)))) \/
          (exists w, In w (flat_map vars_d r) /\ In v (vars (apply s (var_term w)))))
          as [K|[(w & I & K)|(w & I & K)]] by tauto.
        -- exists (RV p). rewrite in_app_iff; simpl; auto.
        -- exists w. rewrite in_app_iff; auto.
        -- exists w. rewrite in_app_iff; simpl; auto.
      * intros (w & I & K). rewrite in_app_iff in I; simpl in I.
        destruct I as [I|[<-|I]]; [|apply P in K; tauto|].
        -- left; left; eauto.
        -- right; right; right; eauto.
    + rewrite !in_app_iff, !D. split.
      * intros [(w & I & K)|(w & I & K)]; exists w; rewrite in_app_iff; auto.
      * intros (w & I & K). apply in_app_iff in I as [I|I]; eauto.
Qed.

Lemma subst_eq_apply : forall s t, subst_eq s t -> forall X, apply s X = apply t X.
Proof. intros; apply apply_ext; auto. Qed.

(** * Idempotency *)

(** Def. 3.2's condition says the same as: doing it twice changes nothing. *)
Theorem def_3_2_idempotent_iff : forall s, idempotent s <-> subst_eq (comp s s) s.
Proof.
  intros s; split.
  - intros H v. rewrite lemma_3_3.
    destruct (term_eq_dec (apply s (var_term v)) (var_term v)) as [E|N].
    + now rewrite !E.
    + apply apply_fixed_iff. intros w I. apply not_in_dom. intros D.
      apply (H w D). exists v; auto.
  - intros H v D (w & _ & I). apply D.
    assert (E : apply s (apply s (var_term w)) = apply s (var_term w))
      by (rewrite <- lemma_3_3; apply H).
    rewrite apply_fixed_iff in E. now apply E.
Qed.

Lemma idempotent_apply : forall s, idempotent s ->
  forall X, apply s (apply s X) = apply s X.
Proof.
  intros s H X. rewrite <- lemma_3_3. apply subst_eq_apply, def_3_2_idempotent_iff, H.
Qed.

(** 3.3.  Composites are idempotent if the second map does not bring back what the
    first one removed. *)
Theorem lemma_3_3_composite_idempotent : forall s t,
  idempotent s -> idempotent t -> (forall v, in_dom t v -> ~ in_ran s v) ->
  idempotent (comp s t).
Proof.
  intros s t Hs Ht Hst. apply def_3_2_idempotent_iff. intros x. rewrite lemma_3_3.
  apply apply_fixed_iff. intros v I. unfold fixes. rewrite lemma_3_3 in *.
  assert (fixes s v /\ fixes t v) as [Fs Ft]; [|now rewrite Ft, Fs].
  apply vars_apply in I as (y & Iy & Iv).
  destruct (term_eq_dec (apply s (var_term y)) (var_term y)) as [E|N].
  - rewrite E in Iv. assert (v = y) as ->.
    { clear -Iv. destruct y; simpl in Iv; [|unfold vars_r in Iv; simpl in Iv];
        destruct Iv as [<-|[]]; auto. }
    split; [exact E|].
    pose proof (idempotent_apply t Ht (var_term x)) as F.
    rewrite apply_fixed_iff in F. now apply F.
  - assert (R : in_ran s v) by (exists y; auto).
    split; apply not_in_dom; intros D; [apply (Hs v D R) | apply (Hst v D R)].
Qed.

(** Single bindings: what they move, and what they bring in. *)
Lemma bind_d_moves : forall a t v, in_dom (bind_d a t) v -> v = DV a.
Proof.
  intros a t [b|p] H; [|destruct H; reflexivity].
  destruct (Nat.eq_dec b a) as [->|N]; [auto|]. destruct H; unfold fixes; simpl.
  apply Nat.eqb_neq in N. now rewrite N.
Qed.

Lemma bind_r_moves : forall p R v, in_dom (bind_r p R) v -> v = RV p.
Proof.
  intros p R [b|q] H; [destruct H; reflexivity|].
  destruct (Nat.eq_dec q p) as [->|N]; [auto|]. destruct H; unfold fixes; simpl.
  unfold sub_r; simpl. apply Nat.eqb_neq in N. now rewrite N.
Qed.

Lemma bind_d_brings : forall a t v, in_ran (bind_d a t) v -> In v (vars_d t).
Proof.
  intros a t v (w & D & I). apply bind_d_moves in D as ->.
  simpl in I. now rewrite Nat.eqb_refl in I.
Qed.

Lemma bind_r_brings : forall p R v, in_ran (bind_r p R) v -> In v (vars_r R).
Proof.
  intros p R v (w & D & I). apply bind_r_moves in D as ->.
  simpl in I. unfold sub_r in I; simpl in I. rewrite Nat.eqb_refl, app_nil_r in I. exact I.
Qed.

Lemma bind_d_idempotent : forall a t, ~ In (DV a) (vars_d t) -> idempotent (bind_d a t).
Proof. intros a t H v D R. apply bind_d_moves in D as ->. now apply bind_d_brings in R. Qed.

Lemma bind_r_idempotent : forall p R, ~ In (RV p) (vars_r R) -> idempotent (bind_r p R).
Proof. intros p R H v D I. apply bind_r_moves in D as ->. now apply bind_r_brings in I. Qed.

(** 3.3.  The case a solver needs: bind one more variable to a term that does not
    contain it and that the substitution so far leaves alone. *)
Theorem lemma_3_3_binding_step : forall s, idempotent s ->
  (forall a t, ~ In (DV a) (vars_d t) -> apply s (TD t) = TD t ->
     idempotent (comp (bind_d a t) s)) /\
  (forall p R, ~ In (RV p) (vars_r R) -> apply s (TR R) = TR R ->
     idempotent (comp (bind_r p R) s)).
Proof.
  intros s Hs; split; intros x X H E; apply lemma_3_3_composite_idempotent;
    auto using bind_d_idempotent, bind_r_idempotent; intros v D I; apply D.
  - apply bind_d_brings in I. now apply (proj1 (apply_fixed_iff s (TD X)) E).
  - apply bind_r_brings in I. now apply (proj1 (apply_fixed_iff s (TR X)) E).
Qed.

(** 3.3.  Without a condition it fails, so the set of Def. 3.2's substitutions is
    not closed under the composition that Lemma 3.3 speaks of.  With row
    variables 0 and 1 and dimension variable 0:
    first 0 := [a]<1>, then 1 := <0>, together 0 := [a]<0>. *)
Theorem lemma_3_3_composite_not_idempotent :
  let t := bind_r 0 (RTerm [DVar 0] (Some 1) []) in
  let s := bind_r 1 (rvar_term 0) in
  idempotent s /\ idempotent t /\ ~ idempotent (comp s t).
Proof.
  split; [|split].
  - apply bind_r_idempotent. intros [J|[]]; discriminate.
  - apply bind_r_idempotent. intros [J|[J|[]]]; discriminate.
  - intros H. apply def_3_2_idempotent_iff in H. specialize (H (RV 0)). discriminate.
Qed.
