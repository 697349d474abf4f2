(** Certificates are complete for untainted failures: whatever a run shows without a
    placement, the checker accepts a refutation of. *)

From Coq Require Import List Bool Arith ZArith PArith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Term Term_thm Semantics Certificate Certificate_thm Rules Rules_thm Guard
  Guard_thm Solved Runs Runs_thm Termination_thm Taint Taint_thm.
Import ListNotations.

(** * Small tests, the other way round *)

Lemma dterms_eqb_refl : forall l, dterms_eqb l l = true.
Proof. unfold dterms_eqb. intros l; induction l as [|t l IH]; simpl; [auto | now rewrite dterm_eqb_refl, IH]. Qed.

Lemma mid_eqb_refl : forall m, mid_eqb m m = true.
Proof. intros [p|]; simpl; [apply Nat.eqb_refl | auto]. Qed.

Lemma rterm_eqb_refl : forall R, rterm_eqb R R = true.
Proof. intros R. unfold rterm_eqb. now rewrite !dterms_eqb_refl, mid_eqb_refl. Qed.

Lemma constr_eqb_refl : forall c, constr_eqb c c = true.
Proof. intros [t u|t u|R Q|R Q]; simpl; now rewrite ?dterm_eqb_refl, ?rterm_eqb_refl. Qed.

Lemma same_word_refl : forall R, same_word R R = true.
Proof. intros R. unfold same_word. now rewrite rterm_eqb_refl. Qed.

Lemma held_at : forall before c, In (Holds c) before -> exists i, held before i = Some c.
Proof. intros before c J. apply In_nth_error in J as (i & E). exists i. unfold held. now rewrite E. Qed.

(** * One line more *)

(** [k] follows from the claims [K] by one inference, wherever they stand. *)
Definition by_one (phi : list constr) (K : list claim) (k : claim) : Prop :=
  forall before, incl K before -> exists i, forall top seen, follows phi before top seen (Line i k) = true.

(** All of [K] are claimed by one list of accepted lines, over the variables [U]. *)
Definition backed (phi : list constr) (U : list var) (K : list claim) : Prop :=
  exists ls, first_stray phi ls = None /\ incl (flat_map vars_c phi) U /\
    incl (flat_map vars_claim (map says ls)) U /\ incl K (map says ls).

Lemma stray_app : forall phi l ls before top seen i, stray_line phi before top seen i ls = None ->
  (forall top' seen', (forall v, In v seen' -> In v (flat_map vars_claim (map says ls)) \/ In v seen) ->
     follows phi (before ++ map says ls) top' seen' l = true) ->
  stray_line phi before top seen i (ls ++ [l]) = None.
Proof.
  intros phi l ls; induction ls as [|m ls IH]; intros before top seen i S F; simpl in *.
  - rewrite (app_nil_r before) in F. rewrite F; [auto|]. intros v J. auto.
  - destruct (follows phi before top seen m) eqn:E; [|discriminate]. apply IH; [exact S|].
    intros top' seen' Sub. rewrite <- app_assoc. simpl. apply F. intros v J.
    destruct (Sub v J) as [L|L]; [left; apply in_app_iff; auto|].
    apply in_app_iff in L as [L|L]; [left; apply in_app_iff; auto | auto].
Qed.

Lemma backed_weaken : forall phi U U' K K', backed phi U K -> incl U U' -> incl K' K -> backed phi U' K'.
Proof.
  intros phi U U' K K' (ls & S & P & V & A) IU IK. exists ls.
  split; [exact S | split; [|split]]; eapply incl_tran; eauto.
Qed.

Lemma backed_one : forall phi U K k, backed phi U K -> by_one phi K k -> incl (vars_claim k) U ->
  backed phi U (k :: K).
Proof.
  intros phi U K k (ls & S & P & V & A) B Vk. destruct (B (map says ls) A) as (i & F).
  exists (ls ++ [Line i k]). rewrite map_app. simpl. split; [|split; [exact P | split]].
  - unfold first_stray. apply stray_app; [exact S|]. intros top seen _. apply F.
  - rewrite flat_map_app. simpl. rewrite app_nil_r. apply incl_app; auto.
  - intros x [<-|J]; apply in_app_iff; simpl; auto.
Qed.

Lemma by_one_mono : forall phi K K' k, by_one phi K k -> incl K K' -> by_one phi K' k.
Proof. intros phi K K' k B J before A. apply B. eapply incl_tran; eauto. Qed.

Lemma backed_many : forall phi U K ks, backed phi U K -> (forall k, In k ks -> by_one phi K k /\ incl (vars_claim k) U) ->
  backed phi U (ks ++ K).
Proof.
  intros phi U K ks B; induction ks as [|k ks IH]; intros A; [exact B|]. simpl.
  assert (IH' : backed phi U (ks ++ K)) by (apply IH; intros x J; apply A; simpl; auto).
  destruct (A k) as [O V]; [simpl; auto|]. apply backed_one; auto.
  apply (by_one_mono phi K); [exact O | apply incl_appr, incl_refl].
Qed.

(** * The inferences *)

Lemma one_input : forall phi K c, In c phi -> by_one phi K (Holds c).
Proof.
  intros phi K c J before _. apply In_nth_error in J as (i & E). exists (ByInput i). intros top seen. cbn [follows because says].
  rewrite E. apply constr_eqb_refl.
Qed.

Lemma one_substitute : forall phi K c k v b, In (Holds c) K -> In k K -> replacement (Certificate.is_req c) k v = Some b ->
  by_one phi K (Holds (sub_c (as_subst b) c)).
Proof.
  intros phi K c k v b Jc Jk E before A. destruct (held_at before c (A _ Jc)) as (i & Hi).
  apply A, In_nth_error in Jk as (j & Ej). exists (BySubstitute i [(j, v)]). intros top seen.
  cbn [follows because says substituted]. rewrite Hi, Ej, E. apply constr_eqb_refl.
Qed.

Lemma one_zip : forall phi K R Q e n x y, In (Holds (REq R Q)) K -> axis_from e R n = Some x -> axis_from e Q n = Some y ->
  by_one phi K (Holds (DEq x y)) /\ by_one phi K (Holds (DEq y x)).
Proof.
  intros phi K R Q e n x y J X Y. split; intros before A; destruct (held_at before _ (A _ J)) as (i & Hi);
    exists (ByZip i e n); intros top seen; cbn [follows because says]; rewrite Hi, X, Y, !dterm_eqb_refl; simpl; auto using orb_true_r.
Qed.

Lemma one_strip : forall phi K R Q p q X Y R' Q', In (Holds (REq R Q)) K \/ In (Holds (REq Q R)) K ->
  drop p q R = Some X -> drop p q Q = Some Y -> same_word R' X = true -> same_word Q' Y = true ->
  by_one phi K (Holds (REq R' Q')).
Proof.
  intros phi K R Q p q X Y R' Q' J DX DY SX SY before A.
  destruct J as [J|J]; destruct (held_at before _ (A _ J)) as (i & Hi); exists (ByStrip i p q); intros top seen; cbn [follows because says];
    rewrite Hi, DX, DY, SX, SY; simpl; auto using orb_true_r.
Qed.

Lemma one_align : forall phi K res op e n x y, In (Holds (RLe res op)) K -> flank_axis e res n = Some x ->
  flank_axis e op n = Some y -> by_one phi K (Holds (DLe x y)).
Proof.
  intros phi K res op e n x y J X Y before A. destruct (held_at before _ (A _ J)) as (i & Hi).
  exists (ByAlign i e n). intros top seen. cbn [follows because says]. now rewrite Hi, X, Y, !dterm_eqb_refl.
Qed.

Lemma one_residue : forall phi K res op p, In (Holds (RLe res op)) K -> covered res op -> tmid op = Some p ->
  by_one phi K (Holds (RLe (residue res op) (rvar_term p))).
Proof.
  intros phi K res op p J Cv E before A. destruct (held_at before _ (A _ J)) as (i & Hi).
  exists (ByResidue i). intros top seen. cbn [follows because says]. rewrite Hi, E.
  rewrite (proj2 (Certificate_thm.coveredb_spec res op) Cv). apply constr_eqb_refl.
Qed.

Lemma one_empty : forall phi K p, In (Holds (REq (rvar_term p) empty_term)) K -> by_one phi K (Is p empty_term).
Proof.
  intros phi K p J before A. destruct (held_at before _ (A _ J)) as (i & Hi).
  exists (ByEmpty i). intros top seen. cbn [follows because says]. rewrite Hi, !rterm_eqb_refl. reflexivity.
Qed.

Lemma one_pin : forall phi K a d, In (Holds (DLe a (DConst d))) K -> is_atom d -> by_one phi K (Holds (DEq a (DConst d))).
Proof.
  intros phi K a d J At before A. destruct (held_at before _ (A _ J)) as (i & Hi).
  exists (ByPin i). intros top seen. cbn [follows because says]. rewrite Hi, !dterm_eqb_refl.
  destruct d; [destruct At | reflexivity].
Qed.

Lemma one_pin_top : forall phi K a, In (Holds (DLe (DConst Unit) a)) K -> by_one phi K (Holds (DEq a (DConst Unit))).
Proof.
  intros phi K a J before A. destruct (held_at before _ (A _ J)) as (i & Hi).
  exists (ByPinTop i). intros top seen. cbn [follows because says]. rewrite Hi, dterm_eqb_refl. reflexivity.
Qed.

Lemma one_collapse : forall phi K a d e, In (Holds (DLe (DConst d) a)) K -> In (Holds (DLe (DConst e) a)) K ->
  is_atom d -> is_atom e -> d <> e -> by_one phi K (Holds (DEq a (DConst Unit))).
Proof.
  intros phi K a d e Jd Je Ad Ae N before A. destruct (held_at before _ (A _ Jd)) as (i & Hi).
  destruct (held_at before _ (A _ Je)) as (j & Hj).
  exists (ByCollapse i j). intros top seen. cbn [follows because says]. rewrite Hi, Hj, !dterm_eqb_refl.
  assert (Nd : dterm_eqb (DConst d) (DConst e) = false).
  { simpl. destruct (dim_eqb d e) eqn:E; [apply dim_eqb_eq in E; congruence | auto]. }
  rewrite Nd. destruct d; [destruct Ad|]. destruct e; [destruct Ae|]. reflexivity.
Qed.

(** A path of stored inequalities, as links. *)
Lemma path_links : forall B before a b, adj_path B a b -> (forall c, In c B -> In (Holds c) before) ->
  exists is ls, all_some (link before) is = Some ls /\
    exists x l, ls = x :: l /\ fst x = DVar a /\ chained (fun x y => dterm_eqb (snd x) (fst y)) x l (DVar b, DVar b) = true.
Proof.
  intros B before a b P H; induction P as [a b J|a b c J P IH].
  - destruct (held_at before _ (H _ J)) as (i & Hi). exists [i], [(DVar a, DVar b)]. simpl. unfold link. rewrite Hi.
    split; [reflexivity|]. exists (DVar a, DVar b), []. simpl. now rewrite Nat.eqb_refl.
  - destruct (held_at before _ (H _ J)) as (i & Hi). destruct IH as (is & ls & E & x & l & -> & Fx & Ch).
    exists (i :: is), ((DVar a, DVar b) :: x :: l). cbn [all_some]. unfold link at 1. rewrite Hi, E.
    split; [reflexivity|]. exists (DVar a, DVar b), (x :: l). split; [reflexivity | split; [reflexivity|]].
    cbn [chained snd]. rewrite Fx, dterm_eqb_refl. exact Ch.
Qed.

Lemma chained_end : forall ls x y z, fst y = fst z ->
  chained (fun x y => dterm_eqb (snd x) (fst y)) x ls y = true ->
  chained (fun x y : dterm * dterm => dterm_eqb (snd x) (fst y)) x ls z = true.
Proof.
  intros ls; induction ls as [|w ls IH]; intros x y z E Ch; simpl in *; [now rewrite <- E|].
  apply andb_true_iff in Ch as [A B]. rewrite A. simpl. eapply IH; eauto.
Qed.

Lemma one_antisym : forall phi K B a b, In (Holds (DLe (DVar a) (DVar b))) K -> (forall c, In c B -> In (Holds c) K) ->
  adj_path B b a -> by_one phi K (Holds (DEq (DVar a) (DVar b))).
Proof.
  intros phi K B a b J HB P before A. destruct (held_at before _ (A _ J)) as (i & Hi).
  destruct (path_links B before b a P (fun c I => A _ (HB c I))) as (is & ls & E & x & l & -> & Fx & Ch).
  exists (ByAntisym (i :: is)). intros top seen. cbn [follows because says]. unfold antisymmetric. cbn [all_some].
  unfold link at 1. rewrite Hi, E. cbn [cyclic chained snd]. rewrite Fx, dterm_eqb_refl.
  rewrite (chained_end l x (DVar a, DVar a) (DVar a, DVar b) eq_refl Ch). cbn [existsb fst].
  rewrite Fx, !dterm_eqb_refl. simpl. now rewrite orb_true_r.
Qed.

(** * What the rules emit *)

Lemma zip_at : forall (mk : dterm -> dterm -> constr) F G d, In d (map (fun x => mk (fst x) (snd x)) (combine F G)) ->
  exists i x y, nth_error F i = Some x /\ nth_error G i = Some y /\ d = mk x y.
Proof.
  intros mk F; induction F as [|f F IH]; intros [|g G] d J; simpl in J; try tauto. destruct J as [<-|J].
  - exists 0, f, g. auto.
  - destruct (IH G d J) as (i & x & y & A & B & E). exists (S i), x, y. auto.
Qed.

Lemma nth_firstn : forall (A : Type) n (l : list A) i x, nth_error (firstn n l) i = Some x -> nth_error l i = Some x.
Proof.
  intros A n; induction n as [|n IH]; intros [|y l] [|i] x E; simpl in *; try discriminate; auto.
Qed.

Lemma nth_skipn : forall (A : Type) n (l : list A) i, nth_error (skipn n l) i = nth_error l (n + i).
Proof. intros A n; induction n as [|n IH]; intros [|y l] i; simpl; auto. now destruct i. Qed.

Lemma nth_rev : forall (A : Type) (l : list A) n x, nth_error l n = Some x -> nth_error (rev l) (length l - S n) = Some x.
Proof.
  intros A l; induction l as [|y l IH]; intros [|n] x E; simpl in *; try discriminate.
  - injection E as <-. rewrite nth_error_app2; rewrite len_rev; [|lia]. replace (length l - 0 - length l) with 0 by lia.
    reflexivity.
  - assert (L : n < length l) by (apply nth_error_Some; congruence).
    rewrite nth_error_app1; [now apply IH | rewrite len_rev; lia].
Qed.

(** Entry i of the last c entries is entry c - 1 - i from the back. *)
Lemma nth_back : forall (A : Type) c (l : list A) i x, c <= length l -> nth_error (skipn (length l - c) l) i = Some x ->
  i < c /\ nth_error (rev l) (c - S i) = Some x.
Proof.
  intros A c l i x L E. assert (Li : i < length (skipn (length l - c) l)) by (apply nth_error_Some; congruence).
  rewrite len_skipn in Li. split; [lia|]. rewrite nth_skipn in E. apply nth_rev in E.
  now replace (c - S i) with (length l - S (length l - c + i)) by lia.
Qed.

Lemma emits_outer : forall phi K R S p q d, tmid R = Some p -> tmid S = Some q ->
  In (Holds (REq R S)) K \/ In (Holds (REq S R)) K -> In d (outer R S) -> by_one phi K (Holds d).
Proof.
  intros phi K R S p q d ER ES J D. unfold outer in D. apply in_app_iff in D as [D|D];
    apply (zip_at DEq) in D as (i & x & y & X & Y & ->).
  - apply nth_firstn in X. apply nth_firstn in Y.
    assert (X' : axis_from Front R i = Some x) by (unfold axis_from, front_axis; now rewrite ER).
    assert (Y' : axis_from Front S i = Some y) by (unfold axis_from, front_axis; now rewrite ES).
    destruct J as [J|J]; [exact (proj1 (one_zip phi K R S Front i x y J X' Y')) | exact (proj2 (one_zip phi K S R Front i y x J Y' X'))].
  - apply nth_back in X as [_ X]; [|unfold common_trail; lia]. apply nth_back in Y as [_ Y]; [|unfold common_trail; lia].
    assert (X' : axis_from Back R (common_trail R S - Datatypes.S i) = Some x)
      by (unfold axis_from, back_axis; now rewrite ER).
    assert (Y' : axis_from Back S (common_trail R S - Datatypes.S i) = Some y)
      by (unfold axis_from, back_axis; now rewrite ES).
    destruct J as [J|J]; [exact (proj1 (one_zip phi K R S Back _ x y J X' Y')) | exact (proj2 (one_zip phi K S R Back _ y x J Y' X'))].
Qed.

Lemma emits_facing : forall phi K R p S d, tmid R = Some p -> tmid S = None -> known_rank R <= length (tflat S) ->
  In (Holds (REq R S)) K \/ In (Holds (REq S R)) K -> In d (facing R S) -> by_one phi K (Holds d).
Proof.
  intros phi K R p S d ER ES L J D. unfold facing in D. unfold known_rank in L. apply in_app_iff in D as [D|D];
    apply (zip_at DEq) in D as (i & x & y & X & Y & ->).
  - apply nth_firstn in Y.
    assert (X' : axis_from Front R i = Some x) by (unfold axis_from, front_axis; now rewrite ER).
    assert (Y' : axis_from Front S i = Some y) by (unfold axis_from, front_axis; now rewrite ES).
    destruct J as [J|J]; [exact (proj1 (one_zip phi K R S Front i x y J X' Y')) | exact (proj2 (one_zip phi K S R Front i y x J Y' X'))].
  - apply nth_back in Y as [_ Y]; [|lia]. apply nth_rev in X.
    assert (X' : axis_from Back R (length (ttrail R) - Datatypes.S i) = Some x)
      by (unfold axis_from, back_axis; now rewrite ER).
    assert (Y' : axis_from Back S (length (ttrail R) - Datatypes.S i) = Some y)
      by (unfold axis_from, back_axis; now rewrite ES).
    destruct J as [J|J]; [exact (proj1 (one_zip phi K R S Back _ x y J X' Y')) | exact (proj2 (one_zip phi K S R Back _ y x J Y' X'))].
Qed.

Lemma emits_closed : forall phi K R S d, tmid R = None -> tmid S = None ->
  In (Holds (REq R S)) K -> In d (equalities (tflat R) (tflat S)) -> by_one phi K (Holds d).
Proof.
  intros phi K R S d ER ES J D. apply (zip_at DEq) in D as (i & x & y & X & Y & ->).
  apply (one_zip phi K R S Front i x y); auto; unfold axis_from, front_axis; [now rewrite ER | now rewrite ES].
Qed.

Lemma emits_aligned : forall phi K res op d, covered res op -> In (Holds (RLe res op)) K -> In d (aligned res op) ->
  by_one phi K (Holds d).
Proof.
  intros phi K res op d [L1 L2] J D. unfold aligned in D. apply in_app_iff in D as [D|D];
    apply (zip_at DLe) in D as (i & x & y & X & Y & ->).
  - apply nth_firstn in X. apply (one_align phi K res op Front i); auto.
  - apply nth_back in X as [_ X]; [|lia]. apply nth_rev in Y.
    apply (one_align phi K res op Back (length (ttrail op) - S i)); auto.
Qed.

Lemma drop_strip : forall R S p, tmid R = Some p -> drop (common_lead R S) (common_trail R S) R = Some (strip R S).
Proof.
  intros R S p E. unfold drop. rewrite E. unfold common_lead, common_trail.
  rewrite (proj2 (Nat.leb_le _ _) (Nat.le_min_l (length (tlead R)) (length (tlead S)))).
  rewrite (proj2 (Nat.leb_le _ _) (Nat.le_min_l (length (ttrail R)) (length (ttrail S)))). reflexivity.
Qed.

Lemma common_sym : forall R S, common_lead R S = common_lead S R /\ common_trail R S = common_trail S R.
Proof. intros R S. unfold common_lead, common_trail. split; apply Nat.min_comm. Qed.

Lemma stores_deferred : forall phi K R S p q, tmid R = Some p -> tmid S = Some q -> In (Holds (REq R S)) K ->
  by_one phi K (Holds (REq (strip R S) (strip S R))).
Proof.
  intros phi K R S p q ER ES J.
  apply (one_strip phi K R S (common_lead R S) (common_trail R S) (strip R S) (strip S R)); auto using same_word_refl.
  - eapply drop_strip; eauto.
  - destruct (common_sym R S) as [-> ->]. eapply drop_strip; eauto.
Qed.

Lemma empty_known : forall R, known_rank R = 0 -> R = RTerm [] (tmid R) [].
Proof. intros [[|t l] m [|u r]] E; simpl in *; try discriminate; auto. Qed.

Lemma nested_content : forall phi K R p S q, tmid R = Some p -> tmid S = Some q -> known_rank (strip R S) = 0 ->
  In (Holds (REq R S)) K \/ In (Holds (REq S R)) K -> by_one phi K (Holds (REq (rvar_term p) (strip S R))).
Proof.
  intros phi K R p S q ER ES Z J.
  assert (E : strip R S = rvar_term p).
  { rewrite (empty_known _ Z). unfold strip, cut; simpl. now rewrite ER. }
  apply (one_strip phi K R S (common_lead R S) (common_trail R S) (strip R S) (strip S R)); auto.
  - eapply drop_strip; eauto.
  - destruct (common_sym R S) as [-> ->]. eapply drop_strip; eauto.
  - rewrite E. apply same_word_refl.
  - apply same_word_refl.
Qed.

Lemma open_closed_content : forall phi K R p S k, tmid R = Some p -> tmid S = None -> known_rank R <= length (tflat S) ->
  length (tlead R) <= k <= length (tflat S) - length (ttrail R) ->
  In (Holds (REq R S)) K \/ In (Holds (REq S R)) K -> by_one phi K (Holds (REq (rvar_term p) (middle R S k))).
Proof.
  intros phi K R p S k ER ES L B J.
  assert (DR : drop (length (tlead R)) (length (ttrail R)) R = Some (rvar_term p)).
  { unfold drop. rewrite ER, !Nat.leb_refl. simpl. unfold cut, rvar_term. rewrite skipn_all, Nat.sub_diag, ER. reflexivity. }
  apply (one_strip phi K R S (length (tlead R)) (length (ttrail R)) (rvar_term p)
    (RTerm (firstn (length (tflat S) - length (ttrail R) - length (tlead R)) (skipn (length (tlead R)) (tflat S))) None []));
    auto using same_word_refl.
  - unfold drop. rewrite ES. unfold known_rank in L. rewrite (proj2 (Nat.leb_le _ _) L). reflexivity.
  - unfold same_word. apply orb_true_iff. right. unfold closedb. simpl tmid. cbn [andb].
    rewrite middle_content by auto. unfold tflat at 3; simpl. rewrite app_nil_r. apply dterms_eqb_refl.
Qed.

Lemma middle_empty : forall R S k, known_rank R = length (tflat S) ->
  length (tlead R) <= k <= length (tflat S) - length (ttrail R) -> middle R S k = empty_term.
Proof.
  intros R S k E B. pose proof (middle_content R S k) as M. rewrite E in M. specialize (M (le_n _) B).
  unfold known_rank in E. replace (length (tflat S) - length (ttrail R) - length (tlead R)) with 0 in M by lia.
  simpl in M. unfold middle, tflat in *; simpl in *. apply app_eq_nil in M as [-> ->]. reflexivity.
Qed.

Lemma one_same : forall phi K c, In (Holds c) K -> by_one phi K (Holds c).
Proof.
  intros phi K c J before A. destruct (held_at before c (A _ J)) as (i & Hi). exists (BySubstitute i []).
  intros top seen. cbn [follows because says substituted]. rewrite Hi. apply constr_eqb_refl.
Qed.

(** Every constraint that a rule emits or stores is one inference away. *)
Lemma outcome_by_one : forall phi K used B c r o, fires used B c r o -> In (Holds c) K ->
  (forall d, In d B -> In (Holds d) K) ->
  match o with Fails => True | Does e => forall d, In d (emits e ++ stores e) -> by_one phi K (Holds d) end.
Proof.
  intros phi K used B c r o F J HB.
  destruct F as [t|d e N|a t N|a t N|t|t|d e|a d At|a|d a At|d a At Lo|a b N P|a b N|R S ER ES|R p S ER ES|R p S ER ES
    |R p S q ER ES N Z|R p S q ER ES N Z|R p S q ER ES N Z1 Z2|R S p ER ES KR Z|R S p ER ES KR|R S p ER ES KR Z
    |res op p Cv Eo Nr|res op p Cv Eo Er|res op Cv Eo|res op Cv Er|res op p al q be Cv Er La Lb ND Fr];
    try exact I; simpl; try (intros x []; fail); try (intros x [<-|[]]).
  - unfold di_ground. destruct (dim_leb d e); simpl; [intros x [] | exact I].
  - now apply one_pin.
  - now apply one_pin_top.
  - unfold di_cap. destruct (lower B a) as [e|] eqn:Lo.
    + destruct (dim_eqb e d) eqn:E; simpl; [intros x []|]. intros x [<-|[]].
      apply lower_in in Lo as [Ae Je]. apply (one_collapse phi K (DVar a) d e); auto.
      intros ->. rewrite dim_eqb_refl in E. discriminate.
    + simpl. intros x [<-|[]]. now apply one_same.
  - now apply one_same.
  - now apply (one_antisym phi K B).
  - now apply one_same.
  - unfold re_closed. destruct (Nat.eqb _ _); simpl; [|exact I]. intros x X. rewrite app_nil_r in X.
    now apply (emits_closed phi K R S).
  - unfold re_open_closed. destruct (Nat.leb_spec (known_rank R) (length (tflat S))) as [L|L]; simpl; [|exact I].
    intros x X. rewrite app_nil_r in X. apply (emits_facing phi K R p S); auto.
  - unfold re_open_closed. destruct (Nat.leb_spec (known_rank R) (length (tflat S))) as [L|L]; simpl; [|exact I].
    intros x X. rewrite app_nil_r in X. apply (emits_facing phi K R p S); auto.
  - intros x X. rewrite app_nil_r in X. apply (emits_outer phi K R S p q); auto.
  - intros x X. rewrite app_nil_r in X. apply (emits_outer phi K R S p q); auto.
  - intros x X. apply in_app_iff in X as [X|[<-|[]]]; [apply (emits_outer phi K R S p q); auto|].
    now apply (stores_deferred phi K R S p q).
  - intros x X. rewrite app_nil_r in X. apply (emits_outer phi K R S p p); auto.
  - intros x X. apply in_app_iff in X as [X|[<-|[]]]; [apply (emits_outer phi K R S p p); auto|].
    now apply (stores_deferred phi K R S p p).
  - intros x X. apply in_app_iff in X as [X|[<-|[]]]; [now apply (emits_aligned phi K res op)|].
    now apply one_residue.
  - intros x X. rewrite app_nil_r in X. now apply (emits_aligned phi K res op).
  - intros x X. rewrite app_nil_r in X. now apply (emits_aligned phi K res op).
Qed.

Lemma bare_dvars_map : forall al, bare_dvars (map DVar al) = Some al.
Proof. intros al; induction al as [|a al IH]; simpl; [auto | now rewrite IH]. Qed.

Lemma no_dupb_true : forall V, NoDup V -> no_dupb V = true.
Proof.
  intros V N; induction N as [|v V M N IH]; simpl; [auto|]. rewrite IH, andb_true_r. apply negb_true_iff.
  destruct (memberb v V) eqn:E; [apply memberb_spec in E; contradiction | auto].
Qed.

(** The deficit rule: one line. *)
Lemma backed_grow : forall phi U K res op p al q be, backed phi U K -> In (Holds (RLe res op)) K -> tmid res = Some p ->
  In (RV p) U -> length al = lead_deficit res op -> length be = trail_deficit res op ->
  NoDup (fresh_vars al q be) -> (forall v, In v (fresh_vars al q be) -> ~ In v U) ->
  backed phi (U ++ vars_r (grown al q be)) (Is p (grown al q be) :: K).
Proof.
  intros phi U K res op p al q be B J E Jp La Lb N Fr.
  assert (Ix : forall before, incl K before -> exists i, held before i = Some (RLe res op))
    by (intros before A; apply held_at, A, J).
  destruct B as (ls & S & P & V & A). destruct (Ix (map says ls) A) as (i & Hi).
  exists (ls ++ [Line (ByGrow i) (Is p (grown al q be))]). rewrite map_app. simpl map.
  split; [|split; [|split]].
  - unfold first_stray. apply stray_app; [exact S|]. intros top seen Sub. simpl app. cbn [follows because says].
    rewrite Hi. unfold grows, grown. cbn [tlead tmid ttrail]. rewrite !bare_dvars_map, E, mid_eqb_refl, La, Lb, !Nat.leb_refl.
    cbn [andb]. rewrite (no_dupb_true _ N). cbn [andb]. apply forallb_forall. intros v Jv. unfold newb.
    apply orb_true_iff. right. apply negb_true_iff. destruct (memberb v seen) eqn:M; [|auto].
    apply memberb_spec in M. exfalso. apply (Fr v Jv). destruct (Sub v M); auto.
  - apply incl_appl, P.
  - rewrite flat_map_app. simpl. rewrite app_nil_r. apply incl_app; [apply incl_appl, V|].
    intros v [<-|Jv]; apply in_app_iff; auto.
  - intros k [<-|Jk]; apply in_app_iff; simpl; auto.
Qed.

(** What is claimed of the binding of a step: its content, and the very row if no
    placement was committed. *)
Definition binding_claimed (K : list claim) (c : constr) (r : rule) (b : binding) : Prop :=
  exists k, In k K /\ replacement true k (bound_var b) = Some b /\
    (~ commits c r -> replacement false k (bound_var b) = Some b /\ forall p R, b = BindR p R -> k = Is p R).

Lemma bindd_claimed : forall K c r a t, In (Holds (DEq (DVar a) t)) K \/ In (Holds (DEq t (DVar a))) K /\ t <> DVar a ->
  binding_claimed K c r (BindD a t).
Proof.
  intros K c r a t [J|[J N]]; [exists (Holds (DEq (DVar a) t)) | exists (Holds (DEq t (DVar a)))];
    (split; [exact J|]); cbn [replacement bound_var]; rewrite ?dterm_eqb_refl.
  - split; [reflexivity|]. intros _. split; [reflexivity | discriminate].
  - assert (E : dterm_eqb t (DVar a) = false).
    { destruct (dterm_eqb t (DVar a)) eqn:E; [apply dterm_eqb_eq in E; contradiction | auto]. }
    rewrite E. split; [reflexivity|]. intros _. split; [reflexivity | discriminate].
Qed.

Lemma rule_backed : forall phi U B c r o K, fires U B c r o -> incl (vars_c c) U ->
  backed phi U K -> In (Holds c) K -> (forall d, In d B -> In (Holds d) K) ->
  match o with
  | Fails => True
  | Does e =>
      exists K', backed phi (U ++ match binds e with Some b => vars (bound_value b) | None => [] end) K' /\ incl K K' /\
        (forall d, In d (emits e ++ stores e) -> In (Holds d) K') /\
        (forall b, binds e = Some b -> binding_claimed K' c r b)
  end.
Proof.
  intros phi U B c r o K F Vc Bk J HB.
  pose proof (outcome_by_one phi K U B c r o F J HB) as One. pose proof (outcome_vars _ _ _ _ _ F) as OV.
  destruct o as [|e]; [exact I|]. simpl in OV.
  assert (Base : backed phi U (map Holds (emits e ++ stores e) ++ K)).
  { apply backed_many; [exact Bk|]. intros k Jk. apply in_map_iff in Jk as (d & <- & Jd). split; [auto|].
    simpl. intros v Jv. apply Vc, OV, in_flat_map. eauto. }
  assert (Em : forall d, In d (emits e ++ stores e) -> In (Holds d) (map Holds (emits e ++ stores e) ++ K)).
  { intros d Jd. apply in_app_iff. left. now apply in_map. }
  assert (IK : incl K (map Holds (emits e ++ stores e) ++ K)) by (apply incl_appr, incl_refl).
  set (K1 := map Holds (emits e ++ stores e) ++ K) in *.
  assert (Plain : binds e = None -> exists K', backed phi (U ++ match binds e with Some b => vars (bound_value b) | None => [] end) K' /\
    incl K K' /\ (forall d, In d (emits e ++ stores e) -> In (Holds d) K') /\
    (forall b, binds e = Some b -> binding_claimed K' c r b)).
  { intros Eb. exists K1. rewrite Eb, app_nil_r. repeat split; auto. discriminate. }
  assert (Content : forall p V, binds e = Some (BindR p V) -> by_one phi K (Holds (REq (rvar_term p) V)) ->
    incl (vars_c (REq (rvar_term p) V)) U -> (~ commits c r -> V = empty_term) ->
    exists K', backed phi (U ++ match binds e with Some b => vars (bound_value b) | None => [] end) K' /\
      incl K K' /\ (forall d, In d (emits e ++ stores e) -> In (Holds d) K') /\
      (forall b, binds e = Some b -> binding_claimed K' c r b)).
  { intros p V Eb O1 Vv Emp.
    assert (B2 : backed phi U (Holds (REq (rvar_term p) V) :: K1)).
    { apply backed_one; [exact Base | now apply (by_one_mono phi K) | exact Vv]. }
    destruct (commits_dec c r) as [Cm|Nc].
    - exists (Holds (REq (rvar_term p) V) :: K1).
      split; [eapply backed_weaken; [exact B2 | apply incl_appl, incl_refl | apply incl_refl]|].
      split; [apply incl_tl, IK | split; [intros d Jd; right; auto|]].
      intros b Eb'. assert (b = BindR p V) as -> by congruence. exists (Holds (REq (rvar_term p) V)).
      split; [left; auto | split; [|tauto]]. cbn [replacement bound_var]. now rewrite rterm_eqb_refl.
    - rewrite (Emp Nc) in *.
      assert (B3 : backed phi U (Is p empty_term :: Holds (REq (rvar_term p) empty_term) :: K1)).
      { apply backed_one; [exact B2 | apply one_empty; left; auto|].
        intros v Jv. apply Vv. simpl in *. destruct Jv as [<-|[]]. auto. }
      eexists. split; [eapply backed_weaken; [exact B3 | apply incl_appl, incl_refl | apply incl_refl]|].
      split; [do 2 apply incl_tl; exact IK | split; [intros d Jd; right; right; auto|]].
      intros b Eb'. assert (b = BindR p empty_term) as -> by congruence. exists (Is p empty_term).
      split; [left; auto|]. cbn [replacement bound_var]. rewrite Nat.eqb_refl. split; [reflexivity|].
      intros _. split; [reflexivity|]. intros p' R' Eq. injection Eq as <- <-. reflexivity. }
  remember (Does e) as o eqn:Eo.
  destruct F as [t|d e0 N|a t N|a t N|t|t|d e0|a d At|a|d a At|d a At Lo|a b N P|a b N|R S ER ES|R p S ER ES|R p S ER ES
    |R p S q ER ES N Z|R p S q ER ES N Z|R p S q ER ES N Z1 Z2|R S p ER ES KR Z|R S p ER ES KR|R S p ER ES KR Z
    |res op p Cv Ep Nr|res op p Cv Ep Er|res op Cv Ep|res op Cv Er|res op p al q be Cv Er La Lb ND Fr];
    unfold di_ground, di_cap, re_closed in Eo;
    try match type of Eo with context [lower ?B ?a] => destruct (lower B a) end;
    repeat match type of Eo with context [if dim_leb ?x ?y then _ else _] => destruct (dim_leb x y)
      | context [if dim_eqb ?x ?y then _ else _] => destruct (dim_eqb x y)
      | context [if Nat.eqb ?x ?y then _ else _] => destruct (Nat.eqb x y) end;
    try discriminate; try (apply Plain; injection Eo as <-; reflexivity).
  - exists K1. injection Eo as <-. simpl. split; [eapply backed_weaken; [exact Base | apply incl_appl, incl_refl | apply incl_refl]|].
    split; [auto | split; [auto|]]. intros b Eb. injection Eb as <-. apply bindd_claimed. left. now apply IK.
  - exists K1. injection Eo as <-. simpl. split; [eapply backed_weaken; [exact Base | apply incl_appl, incl_refl | apply incl_refl]|].
    split; [auto | split; [auto|]]. intros b Eb. injection Eb as <-. apply bindd_claimed. right. split; [now apply IK | exact N].
  - unfold re_open_closed in Eo. destruct (Nat.leb_spec (known_rank R) (length (tflat S))) as [L|L]; [|discriminate].
    pose proof (placed_inside R S L) as In1.
    apply (Content p (middle R S (placed R S))); [injection Eo as <-; reflexivity | apply open_closed_content; auto | |].
    + intros v Jv. apply Vc. simpl in *. destruct Jv as [<-|Jv]; [apply in_app_iff; left; now apply mid_var|].
      apply in_app_iff. right. now apply (middle_vars R S (placed R S)).
    + intros Nc. simpl in Nc. apply middle_empty; auto. rewrite length_tflat. lia.
  - unfold re_open_closed in Eo. destruct (Nat.leb_spec (known_rank R) (length (tflat S))) as [L|L]; [|discriminate].
    pose proof (placed_inside R S L) as In1.
    apply (Content p (middle R S (placed R S))); [injection Eo as <-; reflexivity | apply open_closed_content; auto | |].
    + intros v Jv. apply Vc. simpl in *. destruct Jv as [<-|Jv]; [apply in_app_iff; right; now apply mid_var|].
      apply in_app_iff. left. now apply (middle_vars R S (placed R S)).
    + intros Nc. simpl in Nc. apply middle_empty; auto. rewrite length_tflat. lia.
  - apply (Content p (strip S R)); [injection Eo as <-; reflexivity | eapply nested_content; eauto | |].
    + intros v Jv. apply Vc. simpl in *. destruct Jv as [<-|Jv]; [apply in_app_iff; left; now apply mid_var|].
      apply in_app_iff. right. now apply (strip_vars S R).
    + simpl. tauto.
  - apply (Content q (strip R S)); [injection Eo as <-; reflexivity | eapply nested_content; eauto | |].
    + intros v Jv. apply Vc. simpl in *. destruct Jv as [<-|Jv]; [apply in_app_iff; right; now apply mid_var|].
      apply in_app_iff. left. now apply (strip_vars R S).
    + simpl. tauto.
  - injection Eo as <-. cbn [binds bound_value vars].
    assert (Bg : backed phi (U ++ vars_r (grown al q be)) (Is p (grown al q be) :: K)).
    { apply (backed_grow phi U K res op); auto. apply Vc. simpl. apply in_app_iff. left. now apply mid_var. }
    eexists. split; [exact Bg|]. split; [apply incl_tl, incl_refl | split; [intros d []|]].
    intros b Eb. injection Eb as <-. exists (Is p (grown al q be)). split; [left; auto|].
    cbn [replacement bound_var]. rewrite Nat.eqb_refl. split; [reflexivity|]. intros _. split; [reflexivity|].
    intros p' R' Eq. injection Eq as <- <-. reflexivity.
Qed.

(** * Along a run *)

(** Everything without a tag is claimed, or is a fact of what is claimed. *)
Definition claimed (cs : list constr) (C : tconfig) (K : list claim) : Prop :=
  backed cs (t_used C) K /\
  (forall c, In (c, false) (t_phi C ++ t_store C) -> In (Holds c) K) /\
  (forall f, In (f, false) (t_leads C) -> exists k w, In k K /\ fact_of Front k w = Some f) /\
  (forall f, In (f, false) (t_trails C) -> exists k w, In k K /\ fact_of Back k w = Some f).

Lemma sub_absent : forall b c, ~ In (bound_var b) (vars_c c) -> sub_c (as_subst b) c = c.
Proof.
  intros b c N.
  assert (D : forall t, (forall v, In v (vars_d t) -> v <> bound_var b) -> sub_d (as_subst b) t = t).
  { intros t H. assert (E : apply (as_subst b) (TD t) = TD t)
      by (apply apply_fixed_iff; intros v J; apply as_subst_other, H, J). simpl in E. congruence. }
  assert (R : forall Q, (forall v, In v (vars_r Q) -> v <> bound_var b) -> sub_r (as_subst b) Q = Q).
  { intros Q H. assert (E : apply (as_subst b) (TR Q) = TR Q)
      by (apply apply_fixed_iff; intros v J; apply as_subst_other, H, J). simpl in E. congruence. }
  assert (Ne : forall v, In v (vars_c c) -> v <> bound_var b) by (intros v J ->; contradiction).
  destruct c as [t u|t u|Q S|Q S]; simpl in *; f_equal; (apply D || apply R); intros v J; apply Ne, in_app_iff; auto.
Qed.

Lemma facts_claimed : forall c K, In (Holds c) K ->
  (forall f, In f (lead_facts c) -> exists k w, In k K /\ fact_of Front k w = Some f) /\
  (forall f, In f (trail_facts c) -> exists k w, In k K /\ fact_of Back k w = Some f).
Proof.
  intros c K J. destruct c as [t u|t u|R Q|R Q]; simpl; try (split; intros f []; fail).
  destruct (both_closed R Q); split; intros f Jf; try (now destruct Jf);
    destruct Jf as [<-|[]]; exists (Holds (RLe R Q)), false; auto.
Qed.

Lemma binding_facts_claimed : forall b K, (forall p R, b = BindR p R -> In (Is p R) K) ->
  (forall f, In f (lead_facts_b b) -> exists k w, In k K /\ fact_of Front k w = Some f) /\
  (forall f, In f (trail_facts_b b) -> exists k w, In k K /\ fact_of Back k w = Some f).
Proof.
  intros [a t|p R] K J; simpl; [split; intros f []|].
  specialize (J p R eq_refl). split; intros f [<-|[<-|[]]];
    [exists (Is p R), false | exists (Is p R), true | exists (Is p R), false | exists (Is p R), true]; auto.
Qed.

Lemma step_claimed : forall cs C c r C' K, t_step C c r C' -> t_seen C -> claimed cs C K -> exists K', claimed cs C' K'.
Proof.
  intros cs C c r C' K S Sn (Bk & Hc & Hl & Ht).
  pose proof (step_seen C c r C' S Sn) as Sn'. destruct S as [C pre c tc post r e t pl Ep F Ft Fp].
  assert (Mono : forall K1, incl K K1 ->
    (forall f, In (f, false) (t_leads C) -> exists k w, In k K1 /\ fact_of Front k w = Some f) /\
    (forall f, In (f, false) (t_trails C) -> exists k w, In k K1 /\ fact_of Back k w = Some f)).
  { intros K1 I1. split; intros f Jf; [destruct (Hl f Jf) as (k & w & A & B) | destruct (Ht f Jf) as (k & w & A & B)]; eauto. }
  assert (Old : forall d, In (d, false) (pre ++ post) \/ In (d, false) (t_store C) -> In (Holds d) K).
  { intros d Jd. apply Hc. rewrite Ep, !in_app_iff in *. simpl. tauto. }
  (* what there is before a binding is substituted *)
  assert (Before : exists K1, backed cs (t_used C ++ match binds e with Some b => vars (bound_value b) | None => [] end) K1 /\
    incl K K1 /\
    (t = false -> In (Holds c) K1 /\ (forall d, In d (emits e ++ stores e) -> In (Holds d) K1) /\
       forall b, binds e = Some b -> binding_claimed K1 c r b)).
  { destruct t.
    - exists K. split; [eapply backed_weaken; [exact Bk | apply incl_appl, incl_refl | apply incl_refl]|].
      split; [apply incl_refl | discriminate].
    - destruct (Ft eq_refl) as [-> F'].
      assert (Jc : In (Holds c) K) by (apply Hc; rewrite Ep, !in_app_iff; simpl; auto).
      assert (Vc : incl (vars_c c) (t_used C)).
      { intros v Jv. apply (proj1 Sn (c, false)); [rewrite Ep, !in_app_iff; simpl; auto | exact Jv]. }
      pose proof (rule_backed cs (t_used C) _ c r _ K F' Vc Bk Jc) as Rb. simpl in Rb.
      destruct Rb as (K1 & B1 & I1 & E1 & C1).
      { intros d Jd. apply in_untainted in Jd. apply Hc, in_app_iff. auto. }
      exists K1. split; [exact B1 | split; [exact I1|]]. intros _. auto. }
  destruct Before as (K1 & B1 & I1 & N1). destruct (Mono K1 I1) as [Ml Mt].
  assert (More : forall d, In (d, false) ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else []))) \/
    In (d, false) (t_store C) \/ In (d, false) (tag_all t (stores e)) -> In (Holds d) K1).
  { intros d Jd. rewrite !in_app_iff, !in_tag_all, !in_app_iff in Jd.
    destruct Jd as [[Jd|[Jd Et]]|[Jd|[Jd Et]]]; [apply I1, Old; rewrite in_app_iff; auto | | apply I1, Old; auto |].
    - destruct (N1 (eq_sym Et)) as (Nc & Ne & _). destruct Jd as [Jd|Jd]; [apply Ne, in_app_iff; auto|].
      destruct (again e); simpl in Jd; [destruct Jd as [<-|[]]; auto | tauto].
    - destruct (N1 (eq_sym Et)) as (_ & Ne & _). apply Ne, in_app_iff. auto. }
  assert (Cf : (forall f, In (f, false) (tag_all t (lead_facts c)) -> exists k w, In k K1 /\ fact_of Front k w = Some f) /\
               (forall f, In (f, false) (tag_all t (trail_facts c)) -> exists k w, In k K1 /\ fact_of Back k w = Some f)).
  { split; intros f Jf; apply in_tag_all in Jf as [Jf Et]; destruct (N1 (eq_sym Et)) as (Nc & _);
      apply (facts_claimed c K1 Nc); exact Jf. }
  destruct Cf as [Cl Ct]. unfold t_next in *. destruct (binds e) as [b|] eqn:Eb.
  2: { exists K1. rewrite app_nil_r in B1. split; [exact B1 | split; [|split]]; simpl.
       - intros d Jd. apply More. apply in_app_iff in Jd as [Jd|Jd]; [auto | right].
         apply in_t_add_bounds in Jd as (_ & _ & Jd). now apply in_app_iff, Jd.
       - intros f Jf. apply in_app_iff in Jf as [Jf|Jf]; auto.
       - intros f Jf. apply in_app_iff in Jf as [Jf|Jf]; auto. }
  (* the binding substituted *)
  set (all := ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else [])) ++
               t_taken (bound_var b) (t_store C)) ++
              (filter (fun d => negb (stored_for (bound_var b) (fst d))) (t_store C) ++ tag_all t (stores e))).
  assert (In_all : forall x, In x all -> In x ((pre ++ post) ++ tag_all t (emits e ++ (if again e then [c] else []))) \/
    In x (t_store C) \/ In x (tag_all t (stores e))).
  { intros x Jx. unfold all in Jx. rewrite !in_app_iff, in_t_taken, !filter_In in Jx. rewrite !in_app_iff. tauto. }
  set (ks := map (fun x => Holds (fst x)) (filter (fun x => negb (snd x)) (map (t_substitute b t pl) all))).
  assert (Bs : backed cs (t_used C ++ vars (bound_value b)) (ks ++ K1)).
  { apply backed_many; [exact B1|]. intros k Jk. unfold ks in Jk. apply in_map_iff in Jk as ([d s] & <- & Jk).
    apply filter_In in Jk as [Jk Nt]. simpl in Nt. destruct s; [discriminate|]. cbn [fst].
    apply in_map_iff in Jk as ([x sx] & Ex & Jx). unfold t_substitute in Ex. cbn [fst snd] in Ex.
    injection Ex as <- Et. apply orb_false_iff in Et as [-> Et].
    assert (Jh : In (Holds x) K1) by (apply More, In_all, Jx). split.
    - destruct (mentions (bound_var b) x) eqn:M.
      + simpl in Et. apply orb_false_iff in Et as [-> Et].
        destruct (N1 eq_refl) as (_ & _ & Nb). destruct (Nb b eq_refl) as (k & Jk & Rt & Rf).
        destruct (Certificate.is_req x) eqn:Rq.
        * apply (one_substitute cs K1 x k (bound_var b) b Jh Jk). now rewrite Rq.
        * destruct pl.
          -- simpl in Et. destruct b as [a u|p V].
             ++ destruct k as [[t0 u0|t0 u0|R0 Q0|R0 Q0]|p0 R0]; try discriminate.
                apply (one_substitute cs K1 x (Holds (DEq t0 u0)) (DV a) (BindD a u) Jh Jk). exact Rt.
             ++ exfalso. destruct x as [t0 u0|t0 u0|R0 Q0|R0 Q0]; try discriminate;
                  unfold mentions in M; apply existsb_exists in M as (v & Jv & Ev); simpl in Jv;
                  apply in_app_iff in Jv as [Jv|Jv]; [destruct t0 | destruct u0 | destruct t0 | destruct u0];
                  simpl in Jv; try tauto; destruct Jv as [<-|[]]; discriminate.
          -- destruct (Rf (Fp eq_refl)) as [Rf' _]. apply (one_substitute cs K1 x k (bound_var b) b Jh Jk). now rewrite Rq.
      + apply mentions_spec in M. rewrite (sub_absent b x M). now apply one_same.
    - simpl. intros v Jv. apply vars_sub_c in Jv as (w & Jw & Kw). apply in_app_iff.
      destruct (var_eq_dec w (bound_var b)) as [->|Nw]; [right; now rewrite as_subst_self in Kw|].
      pose proof (as_subst_other b w Nw) as G. unfold fixes in G. rewrite G in Kw. apply vars_var_term in Kw as ->.
      destruct B1 as (ls & _ & _ & V1 & A1). specialize (A1 _ Jh).
      assert (Jv2 : In w (flat_map vars_claim (map says ls))) by (apply in_flat_map; exists (Holds x); auto).
      apply V1, in_app_iff in Jv2. tauto. }
  exists (ks ++ K1). split; [exact Bs | split; [|split]]; simpl.
  - intros d Jd. apply in_app_iff. left. unfold ks. apply in_map_iff. exists (d, false). split; [reflexivity|].
    apply filter_In. split; [|reflexivity]. unfold all. rewrite map_app. apply in_app_iff in Jd. apply in_app_iff.
    destruct Jd as [Jd|Jd]; [left; rewrite <- !app_assoc in *; exact Jd | right].
    apply in_map_iff in Jd as ([d0 s0] & Ed & Jd). unfold t_substitute in Ed. cbn [fst snd] in Ed.
    injection Ed as Ed Es. pose proof Es as Es'. apply orb_false_iff in Es' as [-> _].
    apply in_t_add_bounds in Jd as (_ & _ & Jd). apply in_map_iff. exists (d0, false). split; [|auto].
    unfold t_substitute. cbn [fst snd]. now rewrite Ed, Es.
  - intros f Jf. assert (Sub : incl K1 (ks ++ K1)) by (apply incl_appr, incl_refl).
    rewrite !in_app_iff in Jf. destruct Jf as [Jf|[Jf|Jf]].
    + destruct (Ml f Jf) as (k & w & A & E). eauto.
    + destruct (Cl f Jf) as (k & w & A & E). eauto.
    + apply in_tag_all in Jf as [Jf Et]. symmetry in Et. apply orb_false_iff in Et as [-> ->].
      destruct (N1 eq_refl) as (_ & _ & Nb). destruct (Nb b eq_refl) as (k & Jk & _ & Rf).
      destruct (Rf (Fp eq_refl)) as [_ Is']. apply (binding_facts_claimed b (ks ++ K1)); [|exact Jf].
      intros p R E. rewrite <- (Is' p R E). auto.
  - intros f Jf. assert (Sub : incl K1 (ks ++ K1)) by (apply incl_appr, incl_refl).
    rewrite !in_app_iff in Jf. destruct Jf as [Jf|[Jf|Jf]].
    + destruct (Mt f Jf) as (k & w & A & E). eauto.
    + destruct (Ct f Jf) as (k & w & A & E). eauto.
    + apply in_tag_all in Jf as [Jf Et]. symmetry in Et. apply orb_false_iff in Et as [-> ->].
      destruct (N1 eq_refl) as (_ & _ & Nb). destruct (Nb b eq_refl) as (k & Jk & _ & Rf).
      destruct (Rf (Fp eq_refl)) as [_ Is']. apply (binding_facts_claimed b (ks ++ K1)); [|exact Jf].
      intros p R E. rewrite <- (Is' p R E). auto.
Qed.

Lemma run_claimed : forall cs C C', t_run any_step C C' -> t_seen C -> (exists K, claimed cs C K) -> exists K, claimed cs C' K.
Proof.
  intros cs C C' R; induction R as [C|C c r C' C'' N S R IH|C ds t C'' []]; intros Sn (K & Cl); [eauto|].
  apply IH; [eapply step_seen; eauto | eapply step_claimed; eauto].
Qed.

Lemma initial_seen : forall cs, t_seen (t_initial cs).
Proof.
  intros cs. split; simpl; [|intros f []]. intros [d s] J v Jv. rewrite app_nil_r in J. apply in_tag_all in J as [J _].
  simpl in Jv. apply in_flat_map. eauto.
Qed.

Lemma initial_claimed : forall cs, claimed cs (t_initial cs) (map Holds cs ++ []).
Proof.
  intros cs. split; [|split; [|split; intros f []]].
  - apply backed_many.
    + exists []. split; [reflexivity | split; [apply incl_refl | split; intros x []]].
    + intros k J. apply in_map_iff in J as (c & <- & J). split; [now apply one_input|].
      intros v Jv. simpl in *. apply in_flat_map. eauto.
  - intros c J. simpl in J. rewrite app_nil_r in J. apply in_tag_all in J as [J _]. apply in_app_iff. left. now apply in_map.
Qed.

(** * The ends *)

(** Where a rule fails, the constraint is absurd to the checker too. *)
Lemma fails_absurd : forall used B c r o, fires used B c r o -> o = Fails -> absurd c = true.
Proof.
  intros used B c r o F.
  destruct F as [t|d e N|a t N|a t N|t|t|d e|a d At|a|d a At|d a At Lo|a b N P|a b N|R S ER ES|R p S ER ES|R p S ER ES
    |R p S q ER ES N Z|R p S q ER ES N Z|R p S q ER ES N Z1 Z2|R S p ER ES KR Z|R S p ER ES KR|R S p ER ES KR Z
    |res op p Cv Ep Nr|res op p Cv Ep Er|res op Cv Ep|res op Cv Er|res op p al q be Cv Er La Lb ND Fr];
    intros E; try discriminate; simpl.
  - apply negb_true_iff. destruct (dim_eqb d e) eqn:X; [apply dim_eqb_eq in X; contradiction | auto].
  - unfold di_ground in E. destruct (dim_leb d e); [discriminate | auto].
  - unfold di_cap in E. destruct (lower B a) as [e|]; [destruct (dim_eqb e d)|]; discriminate.
  - rewrite ER, ES. unfold re_closed in E. rewrite !length_tflat in E. destruct (Nat.eqb _ _); [discriminate | auto].
  - rewrite ER, ES. unfold re_open_closed in E. rewrite length_tflat in E.
    destruct (Nat.leb_spec (known_rank R) (known_rank S)); [discriminate | now apply Nat.ltb_lt].
  - rewrite ER, ES. unfold re_open_closed in E. rewrite length_tflat in E.
    destruct (Nat.leb_spec (known_rank R) (known_rank S)); [discriminate | now apply Nat.ltb_lt].
  - rewrite ER, ES, Nat.eqb_refl. simpl. apply negb_true_iff. now apply Nat.eqb_neq.
  - unfold closedb. rewrite Er. simpl. apply negb_true_iff.
    destruct (Certificate.coveredb res op) eqn:X; [apply Certificate_thm.coveredb_spec in X; contradiction | auto].
Qed.

(** A walk, without the steps down to 0. *)
Fixpoint linked (x : vertex) (l : list fact) (y : vertex) : Prop :=
  match l with
  | [] => x = y \/ y = None
  | f :: l => (greater f = x \/ greater f = None) /\ linked (lesser f) l y
  end.

Lemma walk_linked : forall fs x y w, walk fs x y w ->
  exists l, (forall f, In f l -> In f fs) /\ linked x l y /\ Certificate.total l = w.
Proof.
  intros fs x y w W; induction W as [x y k [J|[-> ->]]|x y z k w [J|[-> ->]] W (l & A & L & T)].
  - exists [Fact x y k]. split; [intros f [<-|[]]; exact J | split; [simpl; auto|]]. simpl. lia.
  - exists []. split; [intros f [] | split; [simpl; auto | reflexivity]].
  - exists (Fact x y k :: l). split; [intros f [<-|Jf]; auto | split; [simpl; auto|]]. simpl. lia.
  - exists l. split; [exact A | split; [|lia]]. destruct l as [|f l]; simpl in *; [|tauto].
    destruct L as [<-| ->]; auto.
Qed.

Lemma linked_chained : forall l f x, linked (lesser f) l x -> forall h, greater h = x \/ greater h = None ->
  chained goes_on f l h = true.
Proof.
  assert (G : forall m n, m = n -> mid_eqb m n = true) by (intros m n ->; apply mid_eqb_refl).
  intros l; induction l as [|g l IH]; intros f x L h Hh; simpl in *.
  - unfold goes_on. apply orb_true_iff. destruct Hh as [Hh|Hh]; [|right; auto].
    destruct L as [L|L]; [left | right]; apply G; congruence.
  - destruct L as [Lg L]. apply andb_true_iff. split; [|eapply IH; eauto].
    unfold goes_on. apply orb_true_iff. destruct Lg as [Lg|Lg]; [left | right]; apply G; congruence.
Qed.

Lemma cycle_cyclic : forall fs, positive_cycle fs ->
  exists l, (forall f, In f l -> In f fs) /\ cyclic goes_on l = true /\ (0 <? Certificate.total l)%Z = true.
Proof.
  intros fs (x & w & W & P). apply walk_linked in W as (l & A & L & T). exists l. split; [exact A|].
  destruct l as [|f l]; simpl in T; [lia|]. split; [|apply Z.ltb_lt; simpl; lia].
  simpl in L. destruct L as [Lf L]. simpl. apply (linked_chained l f x L). tauto.
Qed.

Lemma facts_found : forall e all l, (forall f, In f l -> exists k w, In k all /\ fact_of e k w = Some f) ->
  exists is, all_some (fun x => match nth_error all (fst x) with
                                | Some k => fact_of e k (snd x)
                                | None => None
                                end) is = Some l.
Proof.
  intros e all l; induction l as [|f l IH]; intros A; [exists []; reflexivity|].
  destruct IH as (is & E); [intros g J; apply A; simpl; auto|].
  destruct (A f) as (k & w & J & F); [simpl; auto|]. apply In_nth_error in J as (i & Ei).
  exists ((i, w) :: is). cbn [all_some fst snd]. now rewrite Ei, F, E.
Qed.

Lemma backed_refutes : forall cs U K, backed cs U K -> (forall all, incl K all -> exists t, ends all t = true) ->
  exists r, check_refutation cs r = true.
Proof.
  intros cs U K (ls & S & _ & _ & A) En. destruct (En (map says ls) A) as (t & T).
  exists (Refutation ls t). unfold check_refutation, refuse_refutation. cbn [lines the_end]. now rewrite S, T.
Qed.

(** Every failure without a tag, by a rule or by the signed guard, has a refutation that
    the checker accepts. *)
Theorem certificate_complete : forall cs C, t_run any_step (t_initial cs) C -> t_rule_fails C \/ t_guard_fails C ->
  exists r, check_refutation cs r = true.
Proof.
  intros cs C R Fl.
  destruct (run_claimed cs _ C R (initial_seen cs) (ex_intro _ _ (initial_claimed cs))) as (K & Bk & Hc & Hl & Ht).
  apply (backed_refutes cs (t_used C) K Bk). intros all A.
  destruct Fl as [(c & r & J & F)|(ds & Inc & G)].
  - assert (Jc : In (Holds c) all) by (apply A, Hc, in_app_iff; auto).
    destruct (held_at all c Jc) as (i & Hi). exists (EndAbsurd i). simpl. rewrite Hi. eapply fails_absurd; eauto.
  - assert (Pd : forall d, In d ds -> In (Holds d) K).
    { intros d Jd. apply Inc, in_untainted in Jd. apply Hc, in_app_iff. auto. }
    assert (Cy : exists e, exists l, (forall f, In f l -> exists k w, In k all /\ fact_of e k w = Some f) /\
      cyclic goes_on l = true /\ (0 <? Certificate.total l)%Z = true).
    { destruct G as [G|G]; apply cycle_cyclic in G as (l & Al & Cl & Tl); [exists Front | exists Back]; exists l;
        (split; [|auto]); intros f Jf; apply Al, in_app_iff in Jf as [Jf|Jf].
      - apply in_untainted in Jf. destruct (Hl f Jf) as (k & w & X & Y). eauto.
      - apply in_flat_map in Jf as (d & Jd & Jf). destruct (proj1 (facts_claimed d K (Pd d Jd)) f Jf) as (k & w & X & Y). eauto.
      - apply in_untainted in Jf. destruct (Ht f Jf) as (k & w & X & Y). eauto.
      - apply in_flat_map in Jf as (d & Jd & Jf). destruct (proj2 (facts_claimed d K (Pd d Jd)) f Jf) as (k & w & X & Y). eauto. }
    destruct Cy as (e & l & Al & Cl & Tl). destruct (facts_found e all l Al) as (is & E).
    exists (EndCycle e is). simpl. now rewrite E, Cl, Tl.
Qed.

(** * Runs without placements *)

(** A configuration in which nothing has a tag. *)
Definition untagged (C : config) : tconfig :=
  TConfig (tag_all false (phi C)) (sigma C) (tag_all false (store C)) (used C) (tag_all false (leads C))
          (tag_all false (trails C)).

Lemma tag_all_app : forall (A : Type) t (l k : list A), tag_all t (l ++ k) = tag_all t l ++ tag_all t k.
Proof. intros A t l k. apply map_app. Qed.

Lemma filter_tag_all : forall (f : constr -> bool) t l, filter (fun d => f (fst d)) (tag_all t l) = tag_all t (filter f l).
Proof. intros f t l. induction l as [|c l IH]; simpl; [auto|]. destruct (f c); simpl; now rewrite IH. Qed.

Lemma untainted_tag_all : forall (A : Type) (l : list A), untainted (tag_all false l) = l.
Proof. intros A l. unfold untainted. induction l as [|x l IH]; simpl; [auto | now rewrite IH]. Qed.

Lemma substitute_tag_all : forall b l, map (t_substitute b false false) (tag_all false l) = tag_all false (map (sub_c (as_subst b)) l).
Proof.
  intros b l. unfold tag_all. rewrite !map_map. apply map_ext. intros c. unfold t_substitute. simpl.
  now rewrite andb_false_r.
Qed.

Lemma taken_tag_all : forall v t B, t_taken v (tag_all t B) = tag_all t (taken v B).
Proof.
  intros v t. unfold t_taken, taken. induction (bound_kinds v) as [|k ks IH]; intros B; simpl; [auto|].
  rewrite tag_all_app, <- IH, (filter_tag_all k). do 2 f_equal. apply (filter_tag_all (fun x => negb (k x))).
Qed.

Lemma add_bounds_tag_all : forall cs B,
  t_add_bounds (tag_all false B) (tag_all false cs) = tag_all false (add_bounds B cs).
Proof.
  assert (One : forall c B, t_add_bound (tag_all false B) (c, false) = tag_all false (add_bound B c)).
  { intros c B; induction B as [|d B IH]; simpl; [auto|]. destruct (same_bound c d); simpl; [auto | now rewrite IH]. }
  unfold t_add_bounds, add_bounds. intros cs; induction cs as [|c cs IH]; intros B; simpl; [auto|]. now rewrite One, IH.
Qed.

Lemma untagged_next : forall C rest c e,
  t_next (untagged C) (tag_all false rest) c e false false = untagged (next C rest c e).
Proof.
  intros C rest c e. unfold t_next, next, untagged. destruct (binds e) as [b|]; simpl.
  - rewrite taken_tag_all, (filter_tag_all (fun d => negb (stored_for (bound_var b) d))), add_bounds_tag_all.
    rewrite <- !tag_all_app, !substitute_tag_all. reflexivity.
  - rewrite add_bounds_tag_all, <- !tag_all_app. reflexivity.
Qed.

Lemma semantic_untagged : forall C C', run semantic_step C C' -> t_run any_step (untagged C) (untagged C').
Proof.
  intros C C' R; induction R as [C|C c r C' C'' N S R IH|C cs C'' []]; [constructor|].
  apply (T_cons _ _ c r (untagged C')); [exact I | | exact IH].
  destruct S as [C pre c post r e Ep F]. rewrite <- untagged_next, tag_all_app.
  apply (T_step (untagged C) (tag_all false pre) c false (tag_all false post) r e false false).
  - simpl. rewrite Ep. apply map_app.
  - simpl. now rewrite tag_all_fst.
  - intros _. split; [reflexivity|]. simpl. now rewrite untainted_tag_all.
  - intros _. exact N.
Qed.

(** So every failure of a run of semantic steps has a refutation. *)
Theorem certificate_complete_semantic : forall cs C, run semantic_step (initial cs) C -> rule_fails C \/ guard_fails C ->
  exists r, check_refutation cs r = true.
Proof.
  intros cs C R Fl. apply (certificate_complete cs (untagged C)); [exact (semantic_untagged _ _ R)|].
  destruct Fl as [(c & r & J & F)|(ds & Inc & G)]; [left | right].
  - exists c, r. simpl. rewrite untainted_tag_all. split; [apply in_tag_all; auto | exact F].
  - exists ds. simpl. rewrite !untainted_tag_all. auto.
Qed.

(** Without row equalities certificates decide: a set has no solution iff the checker
    accepts a refutation of it. *)
Theorem certificate_decides_inequalities : forall cs, (forall c, In c cs -> ~ Runs.is_req c) ->
  ((~ exists g, sol cs g) <-> exists r, check_refutation cs r = true).
Proof.
  intros cs N. split; [|intros (r & E) (g & G); exact (certificate_refutation_sound cs r E g G)].
  intros U. destruct (r1b_success_or_failure cs) as (C & R & [E|Fl]).
  - exfalso. apply U. destruct (r1c_partial_correctness cs C N R) as [A _]. exists (greatest (sigma C)). now apply A.
  - apply (certificate_complete_semantic cs C); [|exact Fl]. apply (run_no_req _ _ R).
    intros d J. simpl in J. rewrite app_nil_r in J. auto.
Qed.
