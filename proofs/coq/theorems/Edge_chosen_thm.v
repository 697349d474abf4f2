(** 6.1, 6.3 at the left edge: what closing commits in configurations that are alike, is
    alike. *)

From Coq Require Import PArith List Bool Arith ZArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Term Term_thm Semantics Rules Rules_thm Guard Solved Solved_thm
  Runs Runs_thm Closing Taint Certificate Queue Fire Fire_thm Solver
  Closing_leaf_thm Close Close_thm Joins_thm Edge Edge_thm Edge_settled_thm Edge_confluence_thm Edge_joins_thm.
Import ListNotations.

(** * Names *)

(** The name that a variable has on the other side. *)
Definition row_name (f : subst) (p : rvar) : rvar := match tmid (on_r f p) with Some q => q | None => p end.

Definition name (f : subst) (v : var) : var :=
  match v with
  | DV a => match on_d f a with DVar b => DV b | DConst _ => v end
  | RV p => RV (row_name f p)
  end.

Lemma name_is : forall f v w, apply f (var_term v) = var_term w -> w = name f v.
Proof.
  intros f [a|p] [b|q] E; simpl in *; try discriminate.
  - injection E as ->. reflexivity.
  - rewrite sub_rvar in E. injection E as E. unfold row_name. now rewrite E.
Qed.

Section Alike.
Variables (V : list var) (C D : config) (f g : subst) (B B' : list tagged).
Hypothesis like : alike_by V C D f g.
Hypothesis goodC : good V C.
Hypothesis goodD : good V D.
Hypothesis storeC : map fst B = store C.
Hypothesis storeD : map fst B' = store D.

Lemma named : forall w, unsolved C w -> apply f (var_term w) = var_term (name f w) /\ unsolved D (name f w) /\
  name g (name f w) = w.
Proof.
  intros w U. destruct like as ((_ & _ & Rn & _) & _ & Un & _). destruct (Rn w U) as (w' & U' & E).
  pose proof (name_is f w w' E) as ->. split; [exact E | split; [exact U'|]].
  specialize (Un w U). rewrite E in Un. symmetry. now apply name_is.
Qed.

Lemma named_d : forall a, unsolved C (DV a) -> exists b, on_d f a = DVar b /\ unsolved D (DV b) /\ on_d g b = DVar a.
Proof.
  intros a U. destruct (named _ U) as (E & U' & Bk). simpl in *. destruct (on_d f a) as [b|d] eqn:Ea; [|discriminate].
  exists b. split; [auto | split; [exact U'|]]. destruct like as (_ & _ & Un & _). specialize (Un _ U). simpl in Un.
  rewrite Ea in Un. simpl in Un. congruence.
Qed.

Lemma named_r : forall p, unsolved C (RV p) -> on_r f p = rvar_term (row_name f p) /\ unsolved D (RV (row_name f p)) /\
  row_name g (row_name f p) = p.
Proof.
  intros p U. destruct (named _ U) as (E & U' & Bk). simpl in *. rewrite sub_rvar in E. injection E as E.
  split; [exact E | split; [exact U'|]]. now injection Bk.
Qed.

Lemma store_unsolved : forall c v, In c (store C) -> In v (vars_c c) -> unsolved C v.
Proof.
  intros c v I J. destruct (at_form _ _ goodC) as (_ & Wv & _). apply Wv, in_flat_map. exists c. rewrite in_app_iff. auto.
Qed.

Lemma back_again : forall c, (forall v, In v (vars_c c) -> unsolved C v) -> sub_c g (sub_c f c) = c.
Proof.
  intros c H. rewrite <- sub_c_comp. rewrite <- (sub_c_id c) at 2. apply sub_c_ext. intros v I. rewrite lemma_3_3, id_var.
  destruct like as (_ & _ & Un & _). auto.
Qed.

Lemma store_named : forall c, In c (store C) -> In (sub_c f c) (store D).
Proof. destruct like as ((_ & _ & _ & _ & Rb) & _). exact Rb. Qed.

Lemma lower_is : forall A a d, Closing_leaf_thm.one_atom (map fst A) ->
  (lower_of A a = Some d <-> In (DLe (DConst d) (DVar a)) (map fst A)).
Proof.
  intros A a d [At Un].
  assert (E : lower_of A a = lower (map fst A) a).
  { rewrite t_lower_fst. unfold lower_of. now destruct (t_lower A a) as [[x t]|]. }
  rewrite E. split; [intros L; now apply lower_in in L|]. intros I.
  destruct (lower (map fst A) a) as [x|] eqn:L.
  - f_equal. apply lower_in in L as [_ L]. eapply Un; eauto.
  - exfalso. eapply Closing_leaf_thm.lower_none; eauto.
Qed.

Lemma oneC : Closing_leaf_thm.one_atom (map fst B).
Proof. rewrite storeC. apply (at_tidy _ _ goodC). Qed.

Lemma oneD : Closing_leaf_thm.one_atom (map fst B').
Proof. rewrite storeD. apply (at_tidy _ _ goodD). Qed.

Lemma lower_named : forall a b, unsolved C (DV a) -> on_d f a = DVar b -> lower_of B' b = lower_of B a.
Proof.
  intros a b U E. destruct (named_d a U) as (b' & E' & _ & Eg). assert (b' = b) as -> by congruence.
  assert (K : forall d, lower_of B a = Some d <-> lower_of B' b = Some d).
  { intros d. rewrite (lower_is _ _ _ oneC), (lower_is _ _ _ oneD), storeC, storeD. split; intros I.
    - apply store_named in I. simpl in I. now rewrite E in I.
    - destruct like as (_ & (_ & _ & _ & _ & Rb) & _). apply Rb in I. simpl in I. now rewrite Eg in I. }
  destruct (lower_of B a) as [d|] eqn:L; [now apply K|]. destruct (lower_of B' b) as [d|] eqn:L'; [|auto].
  symmetry. now apply K.
Qed.

Lemma caps_named : caps_renamed (sub_r f) (row_name f) B B'.
Proof.
  intros R p I. unfold caps_of in I. apply in_flat_map in I as ([c t] & I & J). cbn [fst] in J.
  apply (in_map fst) in I as I'. rewrite storeC in I'. cbn [fst] in I'.
  destruct c as [| | |R0 Q]; try destruct J. destruct (tmid Q) as [q|] eqn:MQ; [|destruct J].
  destruct J as [J|[]]. injection J as -> ->.
  destruct (at_store _ _ goodC _ I') as ((q & EQ) & _). subst Q. simpl in MQ. injection MQ as ->.
  assert (U : forall v, In v (vars_r R) -> unsolved C v).
  { intros v Iv. eapply store_unsolved; [exact I'|]. simpl. apply in_app_iff. auto. }
  assert (Up : unsolved C (RV p)) by (eapply store_unsolved; [exact I'|]; simpl; apply in_app_iff; right; simpl; auto).
  assert (ER : edge_r R) by (destruct (at_edge _ _ goodC) as (_ & Es & _); apply Es in I'; apply I').
  destruct (named_r p Up) as (Ep & _ & _).
  assert (Sh : sub_r f R = RTerm [] (option_map (row_name f) (tmid R)) (map (sub_d f) (ttrail R))).
  { rewrite (edge_form R ER) at 1. destruct like as ((Ef & _) & _). rewrite (sub_edge f Ef).
    destruct (tmid R) as [q|] eqn:M; simpl; [|auto]. destruct (named_r q) as (Eq & _ & _); [apply U; now apply mid_var|].
    now rewrite Eq. }
  split; [|split; [|split]].
  - assert (K : In (RLe (sub_r f R) (rvar_term (row_name f p))) (map fst B')).
    { rewrite storeD. apply store_named in I'. simpl in I'. now rewrite sub_rvar, Ep in I'. }
    apply in_map_iff in K as ([c u] & Ec & K). cbn [fst] in Ec. subst c. unfold caps_of. apply in_flat_map.
    eexists. split; [exact K|]. simpl. auto.
  - now rewrite Sh.
  - unfold bare_of. rewrite Sh. unfold known_rank. cbn [tlead ttrail tmid]. rewrite len_map, ER. cbn [length].
    destruct (tmid R); simpl; [|auto]. now destruct (length (ttrail R) =? 0).
  - intros X. unfold around. rewrite Sh, ER. cbn [tlead ttrail map]. f_equal. f_equal. rewrite <- map_rev, map_map.
    apply map_ext_in. intros t0 It. apply in_rev in It. destruct t0 as [a|d]; simpl; [|auto].
    assert (Ua : unsolved C (DV a)).
    { apply U. unfold vars_r. rewrite !in_app_iff. right. right. apply in_flat_map. exists (DVar a). simpl. auto. }
    destruct (named_d a Ua) as (b & Eb & _). rewrite Eb. now apply lower_named.
Qed.
End Alike.

(** The other way round. *)
Lemma alike_by_sym : forall V C D f g, alike_by V C D f g -> alike_by V D C g f.
Proof. intros V C D f g (A & E & X & Y). repeat split; auto; apply A || apply E. Qed.

(** The same joins. *)
Lemma joins_named : forall V C D f g B B' open p, alike_by V C D f g -> good V C -> good V D ->
  map fst B = store C -> map fst B' = store D -> unsolved C (RV p) ->
  join_at (joins_of open B') (row_name f p) = join_at (joins_of open B) p.
Proof.
  intros V C D f g B B' open p L GC GD SC SD U. pose proof (alike_by_sym _ _ _ _ _ L) as L'.
  pose proof (caps_named V C D f g B B' L GC GD SC SD) as K. pose proof (caps_named V D C g f B' B L' GD GC SD SC) as K'.
  assert (Mid : forall A E h k A0 A0', alike_by V A E h k -> good V A -> map fst A0 = store A ->
    caps_renamed (sub_r k) (row_name k) A0' A0 ->
    forall R q r, In (R, q) (caps_of A0) -> tmid R = Some r -> told (caps_of A0') (row_name h r) -> told (caps_of A0) r).
  { intros A E h k A0 A0' LA GA SA Kb R q r I M T. apply (told_renamed _ _ _ _ Kb) in T.
    destruct (named_r V A E h k LA r) as (_ & _ & Bk); [|now rewrite Bk in T].
    unfold caps_of in I. apply in_flat_map in I as ([c t] & I & J). cbn [fst] in J. apply (in_map fst) in I. rewrite SA in I.
    cbn [fst] in I. destruct c as [| | |R0 Q]; try destruct J. destruct (tmid Q) as [q'|]; [|destruct J].
    destruct J as [J|[]]. injection J as -> ->. eapply store_unsolved; [exact GA | exact I|]. simpl. apply in_app_iff. left.
    now apply mid_var. }
  pose proof (joins_renamed open _ _ B B' K (Mid C D f g B B' L GC SC K') p) as H1.
  pose proof (joins_renamed open _ _ B' B K' (Mid D C g f B' B L' GD SD K) (row_name f p)) as H2.
  destruct (named_r V C D f g L p U) as (_ & _ & Bk). rewrite Bk in H2.
  destruct (join_at (joins_of open B) p) as [X|], (join_at (joins_of open B') (row_name f p)) as [Y|]; auto.
  - destruct (H1 X eq_refl) as (Y' & E & L1). destruct (H2 Y eq_refl) as (X' & E' & L2).
    injection E as <-. injection E' as <-. f_equal. now apply part_le_antisym.
  - destruct (H1 X eq_refl) as (Y' & E & _). discriminate.
  - destruct (H2 Y eq_refl) as (X' & E & _). discriminate.
Qed.

(** * What is committed *)

(** The same commitment under the names of the other side. *)
Definition like_commitment (f : subst) (c c' : commitment) : Prop := equation (fst c') = sub_c f (equation (fst c)).

Definition like_list (f : subst) (l l' : list commitment) : Prop :=
  (forall c, In c l -> exists c', In c' l' /\ like_commitment f c c') /\
  (forall c', In c' l' -> exists c, In c l /\ like_commitment f c c').

Definition like_choice (f : subst) (x y : list commitment + unknown) : Prop :=
  match x, y with
  | inl l, inl l' => like_list f l l'
  | inr _, inr _ => True
  | _, _ => False
  end.

Definition like_one (f : subst) (x y : list (commitment + unknown)) : Prop :=
  match x, y with
  | [], [] => True
  | [inl c], [inl c'] => like_commitment f c c'
  | [inr _], [inr _] => True
  | _, _ => False
  end.

Lemma like_nil : forall f l l', like_list f l l' -> (l = [] <-> l' = []).
Proof.
  intros f l l' [A B]. split; intros ->.
  - destruct l' as [|c l']; [auto|]. destruct (B c) as (x & [] & _). now left.
  - destruct l as [|c l]; [auto|]. destruct (A c) as (x & [] & _). now left.
Qed.

Lemma like_or_else : forall f x x' y y', like_choice f x x' -> like_choice f (y tt) (y' tt) ->
  like_choice f (or_else x y) (or_else x' y').
Proof.
  intros f [l|u] [l'|u'] y y' H K; simpl in *; try tauto. pose proof (like_nil f l l' H) as N. unfold or_else.
  destruct l as [|c l], l' as [|c' l']; auto.
  - destruct N as [N _]. specialize (N eq_refl). discriminate.
  - destruct N as [_ N]. specialize (N eq_refl). discriminate.
Qed.

Lemma all_known_like : forall (A : Type) f (h h' : A -> list (commitment + unknown)) ls ls',
  (forall v, In v ls -> exists v', In v' ls' /\ like_one f (h v) (h' v')) ->
  (forall v', In v' ls' -> exists v, In v ls /\ like_one f (h v) (h' v')) ->
  like_choice f (all_known h ls) (all_known h' ls').
Proof.
  intros A f h h' ls ls' H H'.
  assert (Spec : forall (k : A -> list (commitment + unknown)) l,
    (forall v, In v l -> k v = [] \/ exists x, k v = [x]) ->
    match all_known k l with
    | inl cs => (forall v u, In v l -> k v <> [inr u]) /\ forall v c, In v l -> k v = [inl c] -> In c cs
    | inr _ => exists v u, In v l /\ k v = [inr u]
    end).
  { intros k l; induction l as [|v l IH]; intros One; simpl; [split; [intros v u [] | intros v c []]|].
    assert (One' : forall w, In w l -> k w = [] \/ exists x, k w = [x]) by (intros w I; apply One; now right).
    specialize (IH One'). destruct (One v (or_introl eq_refl)) as [Ev|([c|u] & Ev)]; rewrite Ev.
    - destruct (all_known k l) as [cs|u].
      + destruct IH as [I1 I2]. split.
        * intros w u [<-|I]; [rewrite Ev; discriminate | auto].
        * intros w c [<-|I] E; [rewrite Ev in E; discriminate | eauto].
      + destruct IH as (w & u' & I & E). exists w, u'. split; [now right | exact E].
    - destruct (all_known k l) as [cs|u].
      + destruct IH as [I1 I2]. split.
        * intros w u [<-|I]; [rewrite Ev; discriminate | auto].
        * intros w c' [<-|I] E; [rewrite Ev in E; injection E as <-; now left | right; eauto].
      + destruct IH as (w & u' & I & E). exists w, u'. split; [now right | exact E].
    - exists v, u. split; [now left | exact Ev]. }
  assert (O : forall x y, like_one f x y -> (x = [] \/ exists z, x = [z]) /\ (y = [] \/ exists z, y = [z])).
  { intros [|[c|u] [|z x]] [|[c'|u'] [|z' y]] L; simpl in L; try tauto; eauto 6. }
  assert (S1 := Spec h ls). assert (S2 := Spec h' ls').
  assert (O1 : forall v, In v ls -> h v = [] \/ exists x, h v = [x]) by (intros v I; destruct (H v I) as (v' & _ & L); now apply O in L).
  assert (O2 : forall v, In v ls' -> h' v = [] \/ exists x, h' v = [x]) by (intros v I; destruct (H' v I) as (v' & _ & L); now apply O in L).
  specialize (S1 O1). specialize (S2 O2).
  destruct (all_known h ls) as [cs|u] eqn:E1, (all_known h' ls') as [cs'|u'] eqn:E2; simpl; auto.
  - split.
    + intros c I. destruct (all_known_In _ _ _ _ E1 c I) as (v & Iv & K). destruct (H v Iv) as (v' & Iv' & L).
      destruct (O1 v Iv) as [X|(x & X)]; rewrite X in K; [destruct K|]. destruct K as [->|[]]. rewrite X in L.
      destruct (h' v') as [|[c'|u'] [|z y]] eqn:X'; simpl in L; try tauto. exists c'. split; [|exact L].
      destruct S2 as [_ S2]. eauto.
    + intros c' I. destruct (all_known_In _ _ _ _ E2 c' I) as (v' & Iv' & K). destruct (H' v' Iv') as (v & Iv & L).
      destruct (O2 v' Iv') as [X|(x & X)]; rewrite X in K; [destruct K|]. destruct K as [->|[]]. rewrite X in L.
      destruct (h v) as [|[c|u] [|z y]] eqn:X'; simpl in L; try tauto. exists c. split; [|exact L].
      destruct S1 as [_ S1]. eauto.
  - destruct S2 as (v' & u0 & I & E). destruct (H' v' I) as (v & Iv & L). rewrite E in L.
    destruct (h v) as [|[c|u] [|z y]] eqn:X; simpl in L; try tauto. destruct S1 as [S1 _]. exact (S1 v u Iv X).
  - destruct S1 as (v & u0 & I & E). destruct (H v I) as (v' & Iv' & L). rewrite E in L.
    destruct (h' v') as [|[c|u'] [|z y]] eqn:X; simpl in L; try tauto. destruct S2 as [S2 _]. exact (S2 v' u' Iv' X).
Qed.

Section Chosen.
Variables (V : list var) (C D : config) (f g : subst) (B B' : list tagged).
Hypothesis like : alike_by V C D f g.
Hypothesis goodC : good V C.
Hypothesis goodD : good V D.
Hypothesis storeC : map fst B = store C.
Hypothesis storeD : map fst B' = store D.
Variables (ps ps' : pieces) (ls ls' : list var).
Hypothesis leaves_open : forall v, In v ls -> unsolved C v.
Hypothesis leaves_named : forall v, In v ls -> In (name f v) ls'.
Hypothesis leaves_back : forall v', In v' ls' -> exists v, In v ls /\ name f v = v'.
Hypothesis params_named : forall v, In v ls -> is_param ps' (name f v) = is_param ps v.

Lemma sub_term_of : forall s W, sub_r s (term_of W) = term_of W.
Proof.
  intros s W. unfold sub_r, term_of. simpl.
  assert (E : forall l, map (sub_d s) (map DConst l) = map DConst l) by (intros l; rewrite map_map; apply map_ext; auto).
  now rewrite !E.
Qed.

Lemma like_row : forall p X b, unsolved C (RV p) ->
  match leaf_row p X b, leaf_row (row_name f p) X b with
  | inl c, inl c' => like_commitment f c c'
  | inr _, inr _ => True
  | _, _ => False
  end.
Proof.
  intros p X b U. destruct (named_r V C D f g like p U) as (Ep & _). unfold leaf_row.
  assert (K : equation (BindR (row_name f p) (term_of (filled X))) = sub_c f (equation (BindR p (term_of (filled X))))).
  { cbn [equation sub_c]. now rewrite sub_rvar, Ep, sub_term_of. }
  destruct (holes X); [exact K|]. destruct b; [exact I | exact K].
Qed.

Lemma like_top : forall v, unsolved C v -> equation (top_of (name f v)) = sub_c f (equation (top_of v)).
Proof.
  intros [a|p] U.
  - destruct (named_d V C D f g like a U) as (b & E & _). simpl. now rewrite E.
  - destruct (named_r V C D f g like p U) as (Ep & _). cbn [top_of name equation sub_c].
    now rewrite sub_rvar, Ep, sub_term_of.
Qed.

Lemma like_leaf : forall (h h' : var -> list (commitment + unknown)),
  (forall v, In v ls -> like_one f (h v) (h' (name f v))) -> like_choice f (all_known h ls) (all_known h' ls').
Proof.
  intros h h' H. apply all_known_like.
  - intros v I. exists (name f v). auto.
  - intros v' I. destruct (leaves_back v' I) as (v & Iv & <-). exists v. auto.
Qed.

Lemma like_capped : like_choice f (capped B (joins_of false B) ps ls) (capped B' (joins_of false B') ps' ls').
Proof.
  apply like_leaf. intros [a|p] I; pose proof (leaves_open _ I) as U.
  - destruct (named_d V C D f g like a U) as (b & E & _). cbn [name]. rewrite E.
    rewrite (lower_named V C D f g B B' like goodC goodD storeC storeD a b U E).
    destruct (lower_of B a) as [d|]; simpl; [|exact Logic.I]. unfold like_commitment. simpl. now rewrite E.
  - pose proof (params_named _ I) as Pm. cbn [name] in Pm |- *.
    rewrite (joins_named V C D f g B B' false p like goodC goodD storeC storeD U).
    destruct (join_at (joins_of false B) p) as [X|]; simpl; [|exact Logic.I]. rewrite Pm.
    pose proof (like_row p X (is_param ps (RV p)) U) as K.
    destruct (leaf_row p X _), (leaf_row (row_name f p) X _); auto.
Qed.

Lemma like_open_if : forall sure, like_choice f (open_capped_if sure (joins_of true B) ps ls)
  (open_capped_if sure (joins_of true B') ps' ls').
Proof.
  intros sure. apply like_leaf. intros [a|p] I; pose proof (leaves_open _ I) as U.
  - cbn [name]. destruct (on_d f a); simpl; exact Logic.I.
  - pose proof (params_named _ I) as Pm. cbn [name] in Pm |- *.
    rewrite (joins_named V C D f g B B' true p like goodC goodD storeC storeD U).
    destruct (join_at (joins_of true B) p) as [X|]; simpl; [|exact Logic.I]. rewrite Pm.
    destruct (negb (writes_none X) && _); simpl; [|exact Logic.I].
    pose proof (like_row p X (is_param ps (RV p)) U) as K.
    destruct (leaf_row p X _), (leaf_row (row_name f p) X _); auto.
Qed.

Lemma like_bare : like_choice f (close_bare ps ls) (close_bare ps' ls').
Proof.
  unfold close_bare.
  set (l := filter (fun v => _ && is_param ps v) ls). set (l' := filter (fun v => _ && is_param ps' v) ls').
  assert (E : (exists v, In v l) <-> exists v, In v l').
  { unfold l, l'. split; intros (v & I); apply filter_In in I as [I Q].
    - exists (name f v). apply filter_In. split; [auto|]. rewrite (params_named v I).
      destruct v as [a|p]; [|discriminate]. cbn [name]. now destruct (on_d f a).
    - destruct (leaves_back v I) as (w & Iw & <-). exists w. apply filter_In. split; [auto|].
      rewrite (params_named w Iw) in Q. destruct w as [a|p]; [|discriminate]. cbn [name] in Q. now destruct (on_d f a). }
  assert (N : forall k, sort_vars k = [] <-> ~ exists v, In v k).
  { intros k. split.
    - intros X (v & I). apply sort_vars_In in I. rewrite X in I. destruct I.
    - intros X. destruct (sort_vars k) as [|v r] eqn:Y; [auto|]. exfalso. apply X. exists v. apply sort_vars_In. rewrite Y. now left. }
  pose proof (N l) as N1. pose proof (N l') as N2.
  destruct (sort_vars l) as [|v r], (sort_vars l') as [|v' r']; simpl; auto.
  - split.
    + intros c I. apply in_map_iff in I as (v & <- & I). exists (leaf_bare (name f v)). split; [apply in_map; auto|].
      apply like_top. auto.
    + intros c' I. apply in_map_iff in I as (v' & <- & I). destruct (leaves_back v' I) as (v & Iv & <-).
      exists (leaf_bare v). split; [now apply in_map | apply like_top; auto].
  - assert (X : v' :: r' = []) by (apply N2; intros X; apply N1; [auto | now apply E]). discriminate.
  - assert (X : v :: r = []) by (apply N1; intros X; apply N2; [auto | now apply E]). discriminate.
Qed.

(** With Remark 6.3 the same is chosen. *)
Lemma like_chosen : forall K K', caps_by K = Saturated -> caps_by K' = Saturated ->
  like_choice f (chosen K B ps ls) (chosen K' B' ps' ls').
Proof.
  intros K K' EK EK'.
  assert (W : forall A (E : config), good V E -> map fst A = store E -> forall U, close_words U A = []).
  { intros A E GE SE U. unfold close_words, deferred_of. destruct U; auto.
    assert (F : filter (fun c => match c with REq _ _ => true | _ => false end) (map fst A) = []).
    { rewrite SE. pose proof (at_store _ _ GE) as N. clear - N. induction (store E) as [|d l IH]; simpl; auto.
      destruct d as [t u|t u|R Q|R Q]; simpl; try (apply IH; intros x J; apply N; now right).
      destruct (N (REq R Q) (or_introl eq_refl)) as (_ & _ & X). now destruct X. }
    now rewrite F. }
  unfold chosen. rewrite EK, EK', (W B C goodC storeC), (W B' D goodD storeD).
  apply like_or_else; [apply like_capped|]. apply like_or_else.
  - unfold open_capped. pose proof (like_open_if true) as T. pose proof (like_open_if false) as F.
    destruct (open_capped_if true (joins_of true B) ps ls) as [[|c l]|u],
      (open_capped_if true (joins_of true B') ps' ls') as [[|c' l']|u']; simpl in T; try tauto; auto.
    + destruct T as [_ T]. destruct (T c') as (x & [] & _). now left.
    + destruct T as [T _]. destruct (T c) as (x & [] & _). now left.
  - apply like_or_else; [|apply like_bare]. split; intros c [].
Qed.
End Chosen.
