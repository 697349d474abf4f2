(** What the certificate checkers accept is true. *)

From Coq Require Import List Bool Arith ZArith Lia.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Certificate.
From Lozenge Require Import Dim_thm Row_thm Term_thm Semantics_thm Rules_thm Guard_thm.
Import ListNotations.

(** * The tests *)

Lemma list_eqb_eq : forall (A : Type) (eqb : A -> A -> bool),
  (forall x y, eqb x y = true -> x = y) -> forall l k, list_eqb eqb l k = true -> l = k.
Proof.
  intros A eqb E l; induction l as [|x l IH]; intros [|y k] H; simpl in H; try discriminate; auto.
  apply andb_true_iff in H as [H K]. apply E in H. apply IH in K. congruence.
Qed.

Lemma mid_eqb_eq : forall m n, mid_eqb m n = true -> m = n.
Proof. intros [p|] [q|] H; simpl in H; try discriminate; auto. apply Nat.eqb_eq in H; congruence. Qed.

Lemma dterms_eqb_eq : forall l k, dterms_eqb l k = true -> l = k.
Proof. apply list_eqb_eq, dterm_eqb_eq. Qed.

Lemma rterm_eqb_eq : forall R Q, rterm_eqb R Q = true -> R = Q.
Proof.
  intros [l m r] [l' m' r'] H. unfold rterm_eqb in H; simpl in H.
  apply andb_true_iff in H as [H C]. apply andb_true_iff in H as [A B].
  apply dterms_eqb_eq in A, C. apply mid_eqb_eq in B. congruence.
Qed.

Lemma constr_eqb_eq : forall c d, constr_eqb c d = true -> c = d.
Proof.
  intros [t u|t u|R Q|R Q] [t' u'|t' u'|R' Q'|R' Q'] H; simpl in H; try discriminate;
    apply andb_true_iff in H as [A B];
    (apply dterm_eqb_eq in A, B || apply rterm_eqb_eq in A, B); congruence.
Qed.

Lemma memberb_spec : forall v V, memberb v V = true <-> In v V.
Proof.
  intros v V; unfold memberb. rewrite existsb_exists. split.
  - intros (w & I & E). apply var_eqb_eq in E. now subst.
  - intros I. exists v; split; [auto|]. now apply var_eqb_eq.
Qed.

Lemma not_memberb : forall v V, negb (memberb v V) = true -> ~ In v V.
Proof. intros v V H I. apply memberb_spec in I. rewrite I in H. discriminate. Qed.

(** All numbers of [V] are below [top]. *)
Definition below (top : nat) (V : list var) : Prop := forall v, In v V -> number v < top.

Lemma above_spec : forall V n, n <= above V n /\ below (above V n) V.
Proof.
  unfold below; intros V; induction V as [|w V IH]; intros n; [split; [apply le_n | intros v []]|].
  change (above (w :: V) n) with (Nat.max (S (number w)) (above V n)).
  destruct (IH n) as [A B]. split; [lia|].
  intros v [<-|I]; [lia|]. specialize (B v I). lia.
Qed.

Lemma below_app : forall top V W, below top V -> below (above W top) (W ++ V).
Proof.
  intros top V W B v I. destruct (above_spec W top) as [A C].
  apply in_app_iff in I as [I|I]; [auto|]. specialize (B v I). lia.
Qed.

Lemma newb_spec : forall top V v, below top V -> newb top V v = true -> ~ In v V.
Proof.
  intros top V v B H. unfold newb in H. apply orb_true_iff in H as [H|H]; [|now apply not_memberb].
  intros I. apply Nat.leb_le in H. specialize (B v I). lia.
Qed.

Lemma no_dupb_spec : forall V, no_dupb V = true -> NoDup V.
Proof.
  intros V; induction V as [|v V IH]; simpl; intros H; constructor; apply andb_true_iff in H as [H K]; auto.
  now apply not_memberb.
Qed.

Lemma bare_dvars_spec : forall l al, bare_dvars l = Some al -> l = map DVar al.
Proof.
  intros l; induction l as [|[a|d] l IH]; intros al H; simpl in H; try discriminate.
  - injection H as <-. reflexivity.
  - destruct (bare_dvars l) as [al'|]; simpl in H; [|discriminate].
    injection H as <-. simpl. f_equal. auto.
Qed.

Lemma all_some_in : forall (A B : Type) (f : A -> option B) l k, all_some f l = Some k ->
  forall y, In y k -> exists x, In x l /\ f x = Some y.
Proof.
  intros A B f l; induction l as [|x l IH]; intros k H y I; simpl in H.
  - injection H as <-. destruct I.
  - destruct (f x) as [z|] eqn:E; [|discriminate].
    destruct (all_some f l) as [k'|]; [|discriminate]. injection H as <-.
    destruct I as [<-|I]; [exists x; simpl; auto|].
    destruct (IH _ eq_refl _ I) as (w & J & F). exists w; simpl; auto.
Qed.

Lemma closedb_spec : forall R, closedb R = true -> tmid R = None.
Proof. intros R H. unfold closedb in H. destruct (tmid R); [discriminate | auto]. Qed.

(** ≈ does not tell them apart. *)
Lemma same_word_flat : forall g R Q, same_word R Q = true ->
  flat (ground_r g R) = flat (ground_r g Q).
Proof.
  intros g R Q H. unfold same_word in H. apply orb_true_iff in H as [H|H].
  - apply rterm_eqb_eq in H. now subst.
  - apply andb_true_iff in H as [H W]. apply andb_true_iff in H as [A B].
    apply closedb_spec in A, B. apply dterms_eqb_eq in W.
    rewrite !flat_ground_closed by auto. now rewrite W.
Qed.

Lemma atom_term_spec : forall t, atom_term t = true -> exists d, t = DConst d /\ is_atom d.
Proof. intros [a|[|n b]] H; simpl in H; try discriminate. eexists; split; [reflexivity | exact I]. Qed.

Lemma unit_term_spec : forall t, unit_term t = true -> t = DConst Unit.
Proof. intros t H. now apply dterm_eqb_eq. Qed.

(** * What a claim means *)

Definition true_of (g : ground) (k : claim) : Prop :=
  match k with Holds c => holds g c | Is p R => binding_holds g (BindR p R) end.

Definition all_true (g : ground) (ks : list claim) : Prop := forall k, In k ks -> true_of g k.

Lemma all_true_app : forall g ks k, all_true g ks -> true_of g k -> all_true g (ks ++ [k]).
Proof. intros g ks k H K k' I. apply in_app_iff in I as [I|[<-|[]]]; auto. Qed.

Lemma nth_true : forall g ks i k, all_true g ks -> nth_error ks i = Some k -> true_of g k.
Proof. intros g ks i k H E. apply H. eapply nth_error_In; eauto. Qed.

Lemma held_true : forall g ks i c, all_true g ks -> held ks i = Some c -> holds g c.
Proof.
  intros g ks i c H E. unfold held in E.
  destruct (nth_error ks i) as [[d|p R]|] eqn:N; try discriminate.
  injection E as <-. exact (nth_true _ _ _ _ H N).
Qed.

Lemma held_in : forall ks i c, held ks i = Some c -> In (Holds c) ks.
Proof.
  intros ks i c E. unfold held in E.
  destruct (nth_error ks i) as [[d|p R]|] eqn:N; try discriminate.
  injection E as <-. eapply nth_error_In; eauto.
Qed.

Lemma agree_true : forall g h k, agree_on (vars_claim k) g h -> true_of g k -> true_of h k.
Proof.
  intros g h [c|p R] A H; simpl in *.
  - now apply (agree_holds g h).
  - rewrite <- (agree_ground_r g h R); [|intros v I; apply A; simpl; auto].
    rewrite <- H. symmetry. apply (A (RV p)); simpl; auto.
Qed.

(** * Substitution *)

Lemma replacement_sound : forall g blind k v b, true_of g k -> replacement blind k v = Some b ->
  binding_holds g b \/ (blind = true /\ binding_content g b).
Proof.
  intros g blind [[t u|t u|R Q|R Q]|p R] [a|q] b H E; simpl in E; try discriminate.
  - destruct (dterm_eqb t (DVar a)) eqn:T.
    + apply dterm_eqb_eq in T as ->. injection E as <-. left; exact H.
    + destruct (dterm_eqb u (DVar a)) eqn:U; [|discriminate].
      apply dterm_eqb_eq in U as ->. injection E as <-. left; symmetry; exact H.
  - destruct blind; [|discriminate]. right; split; [auto|].
    destruct (rterm_eqb R (rvar_term q)) eqn:T.
    + apply rterm_eqb_eq in T as ->. injection E as <-. simpl in *. now rewrite ground_rvar in H.
    + destruct (rterm_eqb Q (rvar_term q)) eqn:U; [|discriminate].
      apply rterm_eqb_eq in U as ->. injection E as <-. simpl in *. rewrite ground_rvar in H.
      symmetry; exact H.
  - destruct (Nat.eqb_spec p q); [|discriminate]. subst. injection E as <-. left; exact H.
Qed.

Lemma substituted_sound : forall g before, all_true g before ->
  forall w c c', substituted before c w = Some c' -> holds g c -> holds g c'.
Proof.
  intros g before A w; induction w as [|[i v] w IH]; intros c c' E H; simpl in E.
  - now injection E as <-.
  - destruct (nth_error before i) as [k|] eqn:N; [|discriminate].
    destruct (replacement (is_req c) k v) as [b|] eqn:B; [|discriminate].
    apply (IH _ _ E). apply (replacement_sound g) in B as [B|[Bl B]]; [| |eapply nth_true; eauto].
    + now apply lemma_5_1_substitute.
    + apply lemma_5_1_substitute_content; auto. destruct c; simpl in *; try discriminate; exact I.
Qed.

(** * Antisymmetry *)

Lemma chained_le : forall g ls x y,
  (forall z, In z (x :: ls) -> holds g (DLe (fst z) (snd z))) ->
  chained (fun x y => dterm_eqb (snd x) (fst y)) x ls y = true ->
  forall z, In z (x :: ls) -> holds g (DLe (fst x) (fst z)) /\ holds g (DLe (fst z) (fst y)).
Proof.
  intros g ls; induction ls as [|n ls IH]; intros x y H C z I; simpl in C.
  - destruct I as [<-|[]]. apply dterm_eqb_eq in C.
    specialize (H x (or_introl eq_refl)). simpl in *. rewrite C in H.
    split; [apply dim_le_refl | exact H].
  - apply andb_true_iff in C as [E C]. apply dterm_eqb_eq in E.
    assert (X : holds g (DLe (fst x) (fst n))).
    { specialize (H x (or_introl eq_refl)). simpl in *. now rewrite E in H. }
    assert (IH' := fun z I => IH n y (fun z I => H z (or_intror I)) C z I).
    simpl in *. destruct I as [<-|I].
    + split; [apply dim_le_refl|]. destruct (IH' n) as [_ L]; auto. eapply dim_le_trans; eauto.
    + destruct (IH' z I) as [L1 L2]. split; [eapply dim_le_trans; eauto | auto].
Qed.

Lemma antisymmetric_sound : forall g before cycle s t, all_true g before ->
  antisymmetric before cycle s t = true -> holds g (DEq s t).
Proof.
  intros g before cycle s t A H. unfold antisymmetric in H.
  destruct (all_some (link before) cycle) as [ls|] eqn:E; [|discriminate].
  apply andb_true_iff in H as [H T]. apply andb_true_iff in H as [C Q].
  apply existsb_exists in Q as (x & Ix & X). apply existsb_exists in T as (y & Iy & Y).
  apply dterm_eqb_eq in X, Y. subst s t.
  assert (L : forall z, In z ls -> holds g (DLe (fst z) (snd z))).
  { intros z I. destruct (all_some_in _ _ _ _ _ E z I) as (i & _ & F). unfold link in F.
    destruct (held before i) as [[|t u| |]|] eqn:N; try discriminate. injection F as <-.
    exact (held_true _ _ _ _ A N). }
  destruct ls as [|z ls]; [destruct Ix|]. simpl in C.
  destruct (chained_le g ls z z L C x Ix) as [X1 X2].
  destruct (chained_le g ls z z L C y Iy) as [Y1 Y2].
  simpl in *. apply dim_le_antisym; eapply dim_le_trans; eauto.
Qed.

(** * One line *)

Ltac split_ands :=
  repeat match goal with
  | H : (_ && _)%bool = true |- _ => apply andb_true_iff in H as [? ?]
  | H : dterm_eqb _ _ = true |- _ => apply dterm_eqb_eq in H
  | H : rterm_eqb _ _ = true |- _ => apply rterm_eqb_eq in H
  | H : constr_eqb _ _ = true |- _ => apply constr_eqb_eq in H
  | H : unit_term _ = true |- _ => apply unit_term_spec in H
  end; subst.

Lemma coveredb_spec : forall res op, coveredb res op = true <-> covered res op.
Proof.
  intros; unfold coveredb, covered. now rewrite andb_true_iff, !Nat.leb_le.
Qed.

Lemma zip_sound : forall g e R Q n x y, axis_from e R n = Some x -> axis_from e Q n = Some y ->
  holds g (REq R Q) -> holds g (DEq x y).
Proof.
  intros g [|] R Q n x y A B H; [eapply lemma_5_1_zip_front | eapply lemma_5_1_zip_back]; eauto.
Qed.

Lemma align_sound : forall g e res op n x y, flank_axis e res n = Some x -> flank_axis e op n = Some y ->
  holds g (RLe res op) -> holds g (DLe x y).
Proof.
  intros g [|] res op n x y A B H; [eapply lemma_5_1_align_lead | eapply lemma_5_1_align_trail]; eauto.
Qed.

(** Growing: values for the fresh variables exist, and nothing else changes. *)
Lemma grows_sound : forall g top seen res op p R, grows top seen res op p R = true ->
  below top seen -> incl (vars_c (RLe res op)) seen -> holds g (RLe res op) ->
  exists h, agree_on seen g h /\ true_of h (Is p R).
Proof.
  intros g top seen res op p [l m r] H T V L. unfold grows in H; cbn [tlead tmid ttrail] in H.
  destruct (bare_dvars l) as [al|] eqn:El; [|discriminate].
  destruct m as [q|]; [|discriminate].
  destruct (bare_dvars r) as [be|] eqn:Er; [|discriminate].
  apply bare_dvars_spec in El, Er. subst l r.
  apply andb_true_iff in H as [H F]. apply andb_true_iff in H as [H N].
  apply andb_true_iff in H as [H Lb]. apply andb_true_iff in H as [M La].
  apply mid_eqb_eq in M. apply Nat.leb_le in La, Lb. apply no_dupb_spec in N.
  rewrite forallb_forall in F.
  assert (F' : forall v, In v (fresh_vars al q be) -> ~ In v seen).
  { intros v I. apply (newb_spec top); auto. }
  assert (P : In (RV p) seen).
  { apply V. simpl. apply in_app_iff; left. unfold vars_r. rewrite M.
    apply in_app_iff; right; simpl; auto. }
  assert (Npq : p <> q). { intros ->. apply (F' (RV q)); simpl; auto. }
  apply rle_lengths in L. rewrite M in L. simpl in L. destruct L as [L1 L2].
  unfold lead_deficit, trail_deficit in *.
  destruct (lemma_5_1_deficit g p al q be N Npq) as (h & A & B); try lia.
  exists h; split; [|exact B]. eapply agree_off_on; eauto.
Qed.

(** A line that follows is true where the claims before it are, up to values for
    fresh variables. *)
Lemma follows_sound : forall phi before top seen l g, follows phi before top seen l = true ->
  below top seen ->
  (forall k, In k before -> incl (vars_claim k) seen) ->
  sol phi g -> all_true g before ->
  exists h, agree_on seen g h /\ true_of h (says l).
Proof.
  intros phi before top seen [why k] g F Top V P A. unfold follows in F; cbn [because says] in F.
  assert (Same : true_of g k -> exists h, agree_on seen g h /\ true_of h k).
  { intros T. exists g; split; [|exact T]. intros [a|p] _; reflexivity. }
  simpl says.
  destruct why as [i|i w|i e n|i p q|i e n|i|i|i|i|i|i j|cycle].
  - (* input *)
    apply Same. destruct k as [c|]; [|discriminate].
    destruct (nth_error phi i) as [c'|] eqn:N; [|discriminate]. split_ands.
    apply P. eapply nth_error_In; eauto.
  - (* substitute *)
    apply Same. destruct k as [c|]; [|discriminate].
    destruct (held before i) as [c'|] eqn:N; [|discriminate].
    destruct (substituted before c' w) as [c''|] eqn:E; [|discriminate]. split_ands.
    eapply substituted_sound; eauto. eapply held_true; eauto.
  - (* zip *)
    apply Same. destruct k as [[s t| | |]|]; try discriminate.
    destruct (held before i) as [[| |R Q|]|] eqn:N; try discriminate.
    destruct (axis_from e R n) as [x|] eqn:X; [|discriminate].
    destruct (axis_from e Q n) as [y|] eqn:Y; [|discriminate].
    pose proof (zip_sound g e R Q n x y X Y (held_true _ _ _ _ A N)) as Z.
    apply orb_true_iff in F as [F|F]; split_ands; [exact Z | symmetry; exact Z].
  - (* strip *)
    apply Same. destruct k as [[| |R' Q'|]|]; try discriminate.
    destruct (held before i) as [[| |R Q|]|] eqn:N; try discriminate.
    destruct (drop p q R) as [X|] eqn:EX; [|discriminate].
    destruct (drop p q Q) as [Y|] eqn:EY; [|discriminate].
    pose proof (lemma_5_1_drop g p q R Q X Y EX EY (held_true _ _ _ _ A N)) as Z.
    simpl in *. unfold flat_equiv in *.
    apply orb_true_iff in F as [F|F]; apply andb_true_iff in F as [F1 F2];
      apply (same_word_flat g) in F1, F2; congruence.
  - (* align *)
    apply Same. destruct k as [[|s t| |]|]; try discriminate.
    destruct (held before i) as [[| | |res op]|] eqn:N; try discriminate.
    destruct (flank_axis e res n) as [x|] eqn:X; [|discriminate].
    destruct (flank_axis e op n) as [y|] eqn:Y; [|discriminate]. split_ands.
    exact (align_sound g e res op n x y X Y (held_true _ _ _ _ A N)).
  - (* residue *)
    apply Same. destruct k as [c|]; [|discriminate].
    destruct (held before i) as [[| | |res op]|] eqn:N; try discriminate.
    destruct (tmid op) as [p|] eqn:M; [|discriminate].
    apply andb_true_iff in F as [C F]. apply constr_eqb_eq in F. subst c.
    apply coveredb_spec in C. apply (held_true g) in N; auto.
    apply (lemma_5_1_residue g res op C) in N as [_ N]. now rewrite M in N.
  - (* grow *)
    destruct k as [|p R]; [discriminate|].
    destruct (held before i) as [[| | |res op]|] eqn:N; try discriminate.
    eapply grows_sound; eauto; [|eapply held_true; eauto].
    exact (V _ (held_in _ _ _ N)).
  - (* empty *)
    apply Same. destruct k as [|p R]; [discriminate|].
    apply andb_true_iff in F as [E F]. apply rterm_eqb_eq in E. subst R.
    destruct (held before i) as [[| |X Y|]|] eqn:N; try discriminate.
    apply (held_true g) in N; auto. simpl in *. unfold flat_equiv in N.
    change (ground_r g empty_term) with empty_row. apply flat_empty_row.
    apply orb_true_iff in F as [F|F]; split_ands; rewrite ground_rvar in N;
      [rewrite N | rewrite <- N]; reflexivity.
  - (* pin *)
    apply Same. destruct k as [[s t| | |]|]; try discriminate.
    destruct (held before i) as [[|a d| |]|] eqn:N; try discriminate. split_ands.
    match goal with H : atom_term _ = true |- _ => apply atom_term_spec in H as (e & -> & At) end.
    apply lemma_5_1_pin; auto. eapply held_true; eauto.
  - (* pin-top *)
    apply Same. destruct k as [[s t| | |]|]; try discriminate.
    destruct (held before i) as [[|d a| |]|] eqn:N; try discriminate. split_ands.
    apply lemma_5_1_pin_top. eapply held_true; eauto.
  - (* collapse *)
    apply Same. destruct k as [[s t| | |]|]; try discriminate.
    destruct (held before i) as [[|d a| |]|] eqn:N; try discriminate.
    destruct (held before j) as [[|e b| |]|] eqn:M; try discriminate. split_ands.
    repeat match goal with H : atom_term _ = true |- _ => apply atom_term_spec in H as (? & -> & ?) end.
    match goal with H : negb (dterm_eqb (DConst ?x) (DConst ?y)) = true |- _ =>
      apply (lemma_5_1_collapse g b x y); auto;
      [ intros ->; rewrite dterm_eqb_refl in H; discriminate | | ] end;
      eapply held_true; eauto.
  - (* antisym *)
    apply Same. destruct k as [[s t| | |]|]; try discriminate.
    eapply antisymmetric_sound; eauto.
Qed.

(** * All lines *)

(** Every solution of [phi] extends, on the fresh variables met so far, to a
    ground substitution that makes every claim so far true. *)
Definition extendable (phi : list constr) (ks : list claim) : Prop :=
  forall g, sol phi g -> exists h, agree_on (flat_map vars_c phi) g h /\ all_true h ks.

Lemma lines_sound : forall phi ls before top seen i,
  stray_line phi before top seen i ls = None -> below top seen ->
  incl (flat_map vars_c phi) seen -> (forall k, In k before -> incl (vars_claim k) seen) ->
  extendable phi before -> extendable phi (before ++ map says ls).
Proof.
  intros phi ls; induction ls as [|l ls IH]; intros before top seen i H Top Vp Vb E; simpl in H.
  - now rewrite app_nil_r.
  - destruct (follows phi before top seen l) eqn:F; [|discriminate].
    simpl map. change (says l :: map says ls) with ([says l] ++ map says ls). rewrite app_assoc.
    apply (IH _ _ _ _ H).
    + now apply below_app.
    + intros v I. apply in_app_iff; right; auto.
    + intros k I v J. apply in_app_iff. apply in_app_iff in I as [I|[<-|[]]]; [right|left; auto].
      exact (Vb _ I v J).
    + intros g Sg. destruct (E g Sg) as (h & Ah & Th).
      destruct (follows_sound _ _ _ _ _ h F Top Vb) as (h' & Ah' & T); auto.
      { eapply agree_sol; eauto. }
      exists h'; split.
      * intros v I. eapply agree_at_trans; [apply Ah, I | apply Ah', Vp, I].
      * apply all_true_app; [|exact T]. intros k I. apply (agree_true h); [|auto].
        intros v J. apply Ah'. exact (Vb k I v J).
Qed.

(** * Ends *)

Lemma absurd_sound : forall g c, absurd c = true -> ~ holds g c.
Proof.
  intros g [t u|t u|R Q|R Q] H K; simpl in H.
  - destruct t as [a|d]; [discriminate|]. destruct u as [b|e]; [discriminate|].
    simpl in K. subst e. rewrite dim_eqb_refl in H. discriminate.
  - destruct t as [a|d]; [discriminate|]. destruct u as [b|e]; [discriminate|].
    simpl in K. apply def_1_2_dim_leb in K. rewrite K in H. discriminate.
  - apply flat_equiv_rank in K. rewrite !rank_ground in K.
    destruct (tmid R) as [p|] eqn:MR; destruct (tmid Q) as [q|] eqn:MQ; simpl in K;
      change (rank empty_row) with 0 in K.
    + apply andb_true_iff in H as [E H]. apply Nat.eqb_eq in E. subst q.
      apply negb_true_iff, Nat.eqb_neq in H. lia.
    + apply Nat.ltb_lt in H. lia.
    + apply Nat.ltb_lt in H. lia.
    + apply negb_true_iff, Nat.eqb_neq in H. lia.
  - apply andb_true_iff in H as [C H]. apply closedb_spec in C.
    apply rle_lengths in K. rewrite C in K. simpl in K.
    assert (Cv : coveredb R Q = true); [|now rewrite Cv in H].
    apply coveredb_spec. unfold covered. lia.
Qed.

Definition side_lengths (e : side) : ground -> lengths :=
  match e with Front => lead_lengths | Back => trail_lengths end.

Lemma fact_of_sound : forall g e k back f, true_of g k -> fact_of e k back = Some f ->
  fact_holds (side_lengths e g) f.
Proof.
  intros g e [[t u|t u|R Q|R Q]|p R] back f H E; destruct back; simpl in E; try discriminate;
    injection E as <-.
  - destruct (inequality_facts g R Q H) as [A B]. destruct e; auto.
  - destruct (r1a_binding g (BindR p R) H) as [A B].
    destruct e; [apply A | apply B]; right; left; reflexivity.
  - destruct (r1a_binding g (BindR p R) H) as [A B].
    destruct e; [apply A | apply B]; left; reflexivity.
Qed.

Lemma goes_on_length : forall v f h, goes_on f h = true ->
  (length_of v (lesser f) >= length_of v (greater h))%Z.
Proof.
  intros v f h H. unfold goes_on in H. apply orb_true_iff in H as [H|H]; apply mid_eqb_eq in H.
  - rewrite H; lia.
  - rewrite H. apply length_of_nonneg.
Qed.

(** Adding the facts along a chain. *)
Lemma chained_sum : forall v fs f h, facts_hold v (f :: fs) -> chained goes_on f fs h = true ->
  (length_of v (greater f) >= length_of v (greater h) + total (f :: fs))%Z.
Proof.
  intros v fs; induction fs as [|n fs IH]; intros f h H C; simpl in C.
  - pose proof (H f (or_introl eq_refl)) as F. unfold fact_holds in F.
    apply (goes_on_length v) in C. simpl total. lia.
  - apply andb_true_iff in C as [J C]. apply (goes_on_length v) in J.
    pose proof (H f (or_introl eq_refl)) as F. unfold fact_holds in F.
    specialize (IH n h (fun x I => H x (or_intror I)) C).
    simpl total in *. lia.
Qed.

Lemma ends_sound : forall g ks e, all_true g ks -> ends ks e = true -> False.
Proof.
  intros g ks [i|e facts] A H; simpl in H.
  - destruct (held ks i) as [c|] eqn:N; [|discriminate].
    apply (absurd_sound g c H). eapply held_true; eauto.
  - match type of H with match all_some ?f _ with _ => _ end = _ => set (reads := f) in H end.
    destruct (all_some reads facts) as [fs|] eqn:E; [|discriminate].
    apply andb_true_iff in H as [C W]. apply Z.ltb_lt in W.
    assert (F : facts_hold (side_lengths e g) fs).
    { intros f I. destruct (all_some_in _ _ _ _ _ E f I) as ([i back] & _ & R). unfold reads in R.
      simpl in R. destruct (nth_error ks i) as [k|] eqn:N; [|discriminate].
      eapply fact_of_sound; eauto. eapply nth_true; eauto. }
    destruct fs as [|f fs]; [discriminate|]. simpl in C.
    pose proof (chained_sum _ fs f f F C). lia.
Qed.

(** * The checkers *)

Lemma first_stray_sound : forall phi ls, first_stray phi ls = None -> extendable phi (map says ls).
Proof.
  intros phi ls L. change (map says ls) with ([] ++ map says ls).
  apply (lines_sound _ _ _ _ _ _ L).
  - apply above_spec.
  - apply incl_refl.
  - intros k [].
  - intros g _. exists g; split; [intros [a|p] _; reflexivity | intros k []].
Qed.

(** 5.5.ii.  A set whose refutation is accepted has no solution. *)
Theorem certificate_refutation_sound : forall phi r, check_refutation phi r = true ->
  forall g, ~ sol phi g.
Proof.
  intros phi [ls e] H g Sg. unfold check_refutation, refuse_refutation in H; simpl in H.
  destruct (first_stray phi ls) as [i|] eqn:L; [discriminate|].
  destruct (ends (map says ls) e) eqn:E; [|discriminate].
  destruct (first_stray_sound phi ls L g Sg) as (h & _ & T). exact (ends_sound h _ e T E).
Qed.

(** 5.5.ii.  Even before the end: what the lines claim follows from the set. *)
Theorem certificate_lines_entailed : forall phi ls, first_stray phi ls = None ->
  forall g, sol phi g -> exists h, agree_on (flat_map vars_c phi) g h /\
    forall c, In (Holds c) (map says ls) -> holds h c.
Proof.
  intros phi ls L g Sg. destruct (first_stray_sound phi ls L g Sg) as (h & A & T).
  exists h; split; [exact A|]. intros c I. exact (T _ I).
Qed.

Lemma violated_spec : forall g phi i, violated g i phi = None <-> sol phi g.
Proof.
  intros g phi; induction phi as [|c phi IH]; intros i; simpl.
  - split; [intros _ c [] | auto].
  - destruct (holdsb g c) eqn:E.
    + apply def_3_4_holdsb in E. rewrite IH. split; intros H.
      * intros d [<-|I]; auto.
      * intros d I. apply H; simpl; auto.
    + split; [discriminate|]. intros H. exfalso.
      specialize (H c (or_introl eq_refl)). apply def_3_4_holdsb in H. congruence.
Qed.

Lemma ground_of_extends : forall s, extends s (ground_of s).
Proof. intros s; split; intros x y E; simpl; now rewrite E. Qed.

Lemma extends_agree : forall s g v, extends s g -> assigned s v = true -> agree_at (ground_of s) g v.
Proof.
  intros s g [a|p] [D R] H; simpl in *.
  - destruct (value a (dim_values s)) eqn:E; [|discriminate]. symmetry; auto.
  - destruct (value p (row_values s)) eqn:E; [|discriminate]. symmetry; auto.
Qed.

(** 3.4.  Accepted values are a solution, whatever variables outside the set are. *)
Theorem certificate_solution_sound : forall phi s, check_solution phi s = true ->
  forall g, extends s g -> sol phi g.
Proof.
  intros phi s H g X. unfold check_solution, refuse_solution in H.
  destruct (find _ _) as [v|] eqn:F; [discriminate|].
  destruct (violated (ground_of s) 0 phi) eqn:W; [discriminate|].
  apply violated_spec in W. eapply agree_sol; [|exact W].
  intros v I. apply extends_agree; auto.
  pose proof (find_none _ _ F v I) as N. simpl in N. now apply negb_false_iff in N.
Qed.

(** 3.4.  So accepted values show that there is a solution, and the check is exact. *)
Theorem certificate_solution_exact : forall phi s, check_solution phi s = true <->
  (forall v, In v (flat_map vars_c phi) -> assigned s v = true) /\ sol phi (ground_of s).
Proof.
  intros phi s. unfold check_solution, refuse_solution.
  destruct (find _ _) as [v|] eqn:F.
  - apply find_some in F as [I N]. apply negb_true_iff in N. simpl. split; [discriminate|].
    intros [A _]. rewrite (A v I) in N. discriminate.
  - assert (A : forall v, In v (flat_map vars_c phi) -> assigned s v = true).
    { intros v I. pose proof (find_none _ _ F v I) as N. simpl in N. now apply negb_false_iff in N. }
    rewrite <- (violated_spec (ground_of s) phi 0).
    destruct (violated (ground_of s) 0 phi); simpl; split; try discriminate; auto; intros [_ E]; congruence.
Qed.
