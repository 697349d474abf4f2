(** Def. 6.1 and Prop. 6.2 for the program that closes: whatever it commits, it is
    a closing of the relation, so its values solve the input. *)

From Coq Require Import List Bool Arith PArith Permutation Sorted Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm
  Guard Guard_thm Solved Solved_thm Runs Runs_thm Taint Taint_thm Certificate Closing Closing_thm
  Queue Queue_thm Fire Fire_thm Solver Solver_thm Solve_thm Close.
Import ListNotations.

(** * Runs with tags *)

Lemma t_run_trans : forall P C C' C'', t_run P C C' -> t_run P C' C'' -> t_run P C C''.
Proof.
  intros P C C' C'' R R'; induction R as [C|C c r C0 C1 K S R IH|C cs t C1 K A En R IH];
    [auto | eapply T_cons | eapply T_add]; eauto.
Qed.

Lemma t_run_mono : forall (P Q : kind -> Prop) C C', (forall k, P k -> Q k) -> t_run P C C' -> t_run Q C C'.
Proof.
  intros P Q C C' H R; induction R as [C|C c r C' C'' K S R IH|C cs t C'' K A En R IH];
    [apply T_nil | eapply T_cons | eapply T_add]; eauto.
Qed.

Lemma t_run_erase : forall P C C', t_run P C C' -> run P (erase C) (erase C').
Proof.
  intros P C C' R; induction R as [C|C c r C' C'' K S R IH|C cs t C'' K A En R IH]; [constructor| |].
  - eapply Run_cons; [exact K | apply erase_step; exact S | exact IH].
  - eapply Run_add; [exact K | exact A | now rewrite <- erase_extend with (t := t)].
Qed.

(** The solver as the relation sees it, on what closing can reach: success is a
    run to the end, and a failure without the tag is one of the relation. *)
Definition faithful (P : policy) (cs : list constr) (run : state -> option (state + failure)) : Prop :=
  forall s C, t_run any_kind (t_initial cs) C -> stands_for P s C ->
  match run s with
  | Some (inl s') => exists C', t_run any_step C C' /\ stands_for P s' C' /\ t_phi C' = []
  | Some (inr f) => f_tainted f = false ->
      exists C', t_run any_step C C' /\ (t_rule_fails C' \/ t_guard_fails C')
  | None => True
  end.

(** * Everything unsolved is part of a variable of the input *)

Definition rooted (V : list var) (C : config) : Prop :=
  forall v, unsolved C v -> exists o, In o V /\ In v (vars (apply (sigma C) (var_term o))).

Lemma step_rooted : forall V C c r C', well_formed C -> step C c r C' -> rooted V C -> rooted V C'.
Proof.
  intros V C c r C' W S H v [Fx U]. destruct (step_fixed C c r C' W S) as (Kn & rest & e & -> & F & _).
  unfold next in *. destruct (binds e) as [b|] eqn:Eb; simpl in *; [|now apply H].
  destruct (unsolved_before C c r e b v W Kn F Eb Fx U) as [N [I|Un]].
  - destruct (fires_binding C c r e Kn F b Eb) as (Fb & Ub & _).
    destruct (H (bound_var b) (conj Fb Ub)) as (o & Io & J). exists o. split; [auto|].
    rewrite lemma_3_3. apply vars_apply. exists (bound_var b). split; [auto|]. now rewrite as_subst_self.
  - destruct (H v Un) as (o & Io & J). exists o. split; [auto|].
    rewrite lemma_3_3. apply vars_apply. exists v. split; [auto|].
    rewrite (as_subst_other b v N). now apply vars_var_term.
Qed.

Lemma run_rooted : forall V P C C', run P C C' -> well_formed C -> rooted V C -> rooted V C'.
Proof.
  intros V P C C' R; induction R as [C|C c r C' C'' _ S R IH|C cs C'' _ K R IH]; intros W H; auto.
  - eauto using step_well_formed, step_rooted.
  - apply IH; [now apply extend_well_formed | exact H].
Qed.

Lemma initial_rooted : forall cs, rooted (flat_map vars_c cs) (initial cs).
Proof.
  intros cs v [_ U]. exists v. split; [exact U|]. simpl. rewrite id_var. now apply vars_var_term.
Qed.

(** What the value of a known variable leaves open is unsolved. *)
Lemma value_unsolved : forall C o v, well_formed C -> In o (used C) ->
  In v (vars (apply (sigma C) (var_term o))) -> unsolved C v.
Proof.
  intros C o v (Wi & _ & Wd & Wr) U J.
  destruct (term_eq_dec (apply (sigma C) (var_term o)) (var_term o)) as [E|E].
  - rewrite E in J. apply vars_var_term in J. subst v. split; auto.
  - assert (Rv : in_ran (sigma C) v) by (exists o; auto). split; [|auto].
    apply not_in_dom. intros D. exact (Wi v D Rv).
Qed.

(** * Adding constraints *)

Lemma sub_c_fixed : forall s c, (forall v, In v (vars_c c) -> fixes s v) -> sub_c s c = c.
Proof.
  intros s c H.
  assert (D : forall t, incl (vars_d t) (vars_c c) -> sub_d s t = t).
  { intros t I. assert (E : apply s (TD t) = TD t) by (apply apply_fixed_iff; intros v J; apply H, I, J).
    now injection E. }
  assert (R : forall T, incl (vars_r T) (vars_c c) -> sub_r s T = T).
  { intros T I. assert (E : apply s (TR T) = TR T) by (apply apply_fixed_iff; intros v J; apply H, I, J).
    now injection E. }
  destruct c as [t u|t u|X Y|X Y]; simpl in *; f_equal;
    (apply D || apply R); intros v J; apply in_app_iff; auto.
Qed.

Lemma replaced_snd : forall bs x, snd (fold_right replaced x bs) = false -> snd x = false.
Proof.
  intros bs; induction bs as [|b bs IH]; intros x F; [exact F|].
  apply orb_false_iff in F as [F _]. auto.
Qed.

Lemma add_stands : forall P s C c u, stands_for P s C -> knows (erase C) c ->
  exists t, (t = false -> u = false) /\ stands_for P (extended P s c u) (t_extend C [c] t).
Proof.
  intros P s C c u H K. destruct (extended_stands P s C c u H) as [H' E].
  rewrite E, sub_c_fixed in H' by (intros v I; apply (K v I)).
  eexists. split; [|exact H']. intros F. apply (replaced_snd _ _ F).
Qed.

(** Constraints may be added that are known, and entailed by what is stored unless
    they have the tag. *)
Definition addable (C : tconfig) (x : tagged) : Prop :=
  knows (erase C) (fst x) /\
  (snd x = false -> forall g, sol (untainted (t_store C)) g -> holds g (fst x)).

Lemma add_all_run : forall P xs s C, stands_for P s C -> (forall x, In x xs -> addable C x) ->
  exists C', t_run any_kind C C' /\ stands_for P (add_all P s xs) C' /\
    erase C' = extend (erase C) (map fst xs).
Proof.
  intros P xs; induction xs as [|x xs IH]; intros s C H A.
  - exists C. split; [apply T_nil | split; [exact H|]]. unfold extend; simpl. rewrite app_nil_r. now destruct C.
  - destruct (A x (or_introl eq_refl)) as [K En]. destruct (add_stands P s C (fst x) (snd x) H K) as (t & T & H').
    assert (A' : forall y, In y xs -> addable (t_extend C [fst x] t) y).
    { intros y I. exact (A y (or_intror I)). }
    destruct (IH (extended P s (fst x) (snd x)) (t_extend C [fst x] t) H' A') as (C' & R & H'' & E).
    exists C'. split; [|split; [exact H''|]].
    + apply T_add with (cs := [fst x]) (t := t); [exact I | | | exact R].
      * intros c [<-|[]]. exact K.
      * intros F g _ Hs c [<-|[]]. auto.
    + rewrite E, erase_extend. unfold extend; simpl. now rewrite <- app_assoc.
Qed.

(** * Remark 6.3, dimensions: what is sent on is entailed *)

Lemma t_lower_in : forall B a d t, t_lower B a = Some (d, t) -> In (DLe (DConst d) (DVar a), t) B.
Proof.
  intros B a d t; induction B as [|[c u] B IH]; simpl; [discriminate|].
  destruct c as [t' w|[x|[|n b]] [a'|e]|R Q|R Q]; auto.
  destruct (Nat.eqb_spec a' a) as [->|N]; [|auto]. intros E. injection E as <- <-. auto.
Qed.

(** d ⊑ a and a ⊑ b are in the store. *)
Definition passed_on (B : list tagged) (x : tagged) : Prop :=
  exists d a b t u, x = (DLe (DConst d) (DVar b), t || u) /\
    In (DLe (DConst d) (DVar a), t) B /\ In (DLe (DVar a) (DVar b), u) B.

Lemma to_send_passed : forall B sent x, In x (snd (to_send B sent)) -> passed_on B x.
Proof.
  intros B sent. unfold to_send.
  assert (G : forall l acc, incl l B -> (forall x, In x (snd acc) -> passed_on B x) ->
    forall x, In x (snd (fold_left (send_on B) l acc)) -> passed_on B x).
  { intros l; induction l as [|y l IH]; intros acc I H x J; simpl in J; [auto|].
    apply (IH (send_on B acc y)); auto.
    - intros z Iz. apply I. now right.
    - intros z Iz. unfold send_on in Iz. destruct y as [c u]. simpl in Iz.
      destruct c as [t w|[a|d] [b|e]|R Q|R Q]; auto.
      destruct (t_lower B a) as [[d t]|] eqn:L; [|auto].
      destruct ((_ || _)%bool); [auto|]. simpl in Iz. apply in_app_iff in Iz as [Iz|[<-|[]]]; [auto|].
      exists d, a, b, t, u. split; [auto|]. split; [now apply t_lower_in | apply I; now left]. }
  intros x. apply G; [apply incl_refl | intros z []].
Qed.

Theorem remark_6_3_sent_on_entailed : forall B sent c, In (c, false) (snd (to_send B sent)) ->
  forall g, sol (untainted B) g -> holds g c.
Proof.
  intros B sent c I g H. apply to_send_passed in I as (d & a & b & t & u & E & J & K).
  injection E as -> E. symmetry in E. apply orb_false_iff in E as [-> ->].
  apply in_untainted in J, K. apply H in J, K. simpl in *. eapply dim_le_trans; eauto.
Qed.

Lemma to_send_addable : forall C sent x, well_formed (erase C) ->
  In x (snd (to_send (t_store C) sent)) -> addable C x.
Proof.
  intros C sent [c t] (_ & Wv & _) I. split.
  - apply to_send_passed in I as (d & a & b & t' & u & E & J & K). injection E as -> ->.
    intros v [<-|[]]. apply Wv. apply in_flat_map. exists (DLe (DVar a) (DVar b)). split; [|simpl; auto].
    simpl. apply in_app_iff. right. apply in_map_iff. exists (DLe (DVar a) (DVar b), u). auto.
  - intros T g H. simpl in T. subst t. eapply remark_6_3_sent_on_entailed; eauto.
Qed.

(** * The variables that are left *)

Lemma insert_var_In : forall v w l, In w (insert_var v l) <-> w = v \/ In w l.
Proof.
  intros v w l; induction l as [|x l IH]; simpl; [intuition|].
  destruct (var_eqb v x) eqn:E.
  - apply var_eqb_eq in E as ->. simpl. intuition.
  - destruct (older v x); simpl; [|rewrite IH]; intuition.
Qed.

Lemma sort_vars_In : forall v l, In v (sort_vars l) <-> In v l.
Proof.
  intros v l. unfold sort_vars.
  assert (G : forall k, In v (fold_left (fun l v => insert_var v l) l k) <-> In v l \/ In v k).
  { induction l as [|x l IH]; intros k; simpl; [intuition|]. rewrite IH, insert_var_In. intuition. }
  rewrite G. simpl. intuition.
Qed.

Lemma in_note_piece : forall v o l p ps w, In w (map fst (note_piece v o l p ps)) <-> w = v \/ In w (map fst ps).
Proof.
  intros v o l p ps w; induction ps as [|[u x] ps IH]; simpl; [intuition|].
  destruct (var_eqb v u) eqn:E.
  - apply var_eqb_eq in E as ->. simpl. intuition.
  - destruct (older v u); simpl; [|rewrite IH]; intuition.
Qed.

Lemma note_all_In : forall o l p vs ps w,
  In w (map fst (fold_left (fun ps v => note_piece v o l p ps) vs ps)) <-> In w vs \/ In w (map fst ps).
Proof.
  intros o l p vs; induction vs as [|v vs IH]; intros ps w; simpl; [intuition|].
  rewrite IH, in_note_piece. intuition.
Qed.

Lemma pieces_In : forall cs T s v, In v (map fst (pieces_of cs T s)) <->
  exists o, In o (flat_map vars_c cs ++ leaves T) /\ In v (vars (apply (s_subst s) (var_term o))).
Proof.
  intros cs T s v. unfold pieces_of.
  assert (G : forall os ps,
    In v (map fst (fold_left (fun ps o => fold_left (fun ps v => note_piece v o (memberb o (leaves T))
            (memberb o (params T)) ps) (vars (apply (s_subst s) (var_term o))) ps) os ps)) <->
    (exists o, In o os /\ In v (vars (apply (s_subst s) (var_term o)))) \/ In v (map fst ps)).
  { intros os; induction os as [|o os IH]; intros ps; simpl.
    - split; [auto|]. intros [(o & [] & _)|I]; auto.
    - rewrite IH, note_all_In. split.
      + intros [(o' & I & J)|[J|I]]; [left; eauto | left; eauto | auto].
      + intros [(o' & [->|I] & J)|I]; eauto. }
  rewrite G. simpl. split.
  - intros [(o & I & J)|[]]. exists o. split; [now apply sort_vars_In | auto].
  - intros (o & I & J). left. exists o. split; [now apply sort_vars_In | auto].
Qed.

(** * What is chosen *)

Lemma all_known_In : forall A (f : A -> list (commitment + unknown)) l cs, all_known f l = inl cs ->
  forall c, In c cs -> exists x, In x l /\ In (inl c) (f x).
Proof.
  intros A f l; induction l as [|x l IH]; intros cs E c I; simpl in E.
  - injection E as <-. destruct I.
  - destruct (f x) as [|[c'|u] rest] eqn:F.
    + destruct (IH cs E c I) as (y & J & K). exists y. split; [now right | auto].
    + destruct (all_known f l) as [cs'|u]; [|discriminate]. injection E as <-.
      destruct I as [->|I].
      * exists x. rewrite F. split; now left.
      * destruct (IH cs' eq_refl c I) as (y & J & K). exists y. split; [now right | auto].
    + discriminate.
Qed.

(** A value without variables, for one of these. *)
Definition gives (ls : list var) (c : commitment) : Prop :=
  In (bound_var (fst c)) ls /\ vars (bound_value (fst c)) = [].

Lemma term_of_vars : forall R, vars_r (term_of R) = [].
Proof.
  assert (N : forall l, flat_map vars_d (map DConst l) = []) by (intros l; induction l; simpl; auto).
  intros R. unfold vars_r, term_of; simpl. now rewrite !N.
Qed.

Lemma leaf_row_gives : forall p X b c ls, In (RV p) ls -> leaf_row p X b = inl c -> gives ls c.
Proof.
  intros p X b c ls I E. unfold leaf_row in E. split; destruct (holes X); [|destruct b| |destruct b];
    try discriminate; injection E as <-; simpl; auto; apply term_of_vars.
Qed.

Lemma leaf_bare_gives : forall v ls, In v ls -> gives ls (leaf_bare v).
Proof. intros [a|p] ls I; split; simpl; auto. Qed.

Lemma capped_gives : forall B J ps ls cs, capped B J ps ls = inl cs -> forall c, In c cs -> gives ls c.
Proof.
  intros B J ps ls cs E c I. destruct (all_known_In _ _ _ _ E c I) as ([a|p] & Iv & K).
  - destruct (lower_of B a) as [d|]; [|destruct K]. destruct K as [K|[]]. injection K as <-.
    split; simpl; auto.
  - destruct (join_at J p) as [X|]; [|destruct K]. destruct K as [K|[]]. eapply leaf_row_gives; eauto.
Qed.

Lemma open_capped_if_gives : forall b J ps ls cs, open_capped_if b J ps ls = inl cs ->
  forall c, In c cs -> gives ls c.
Proof.
  intros b J ps ls cs E c I. destruct (all_known_In _ _ _ _ E c I) as ([a|p] & Iv & K); [destruct K|].
  destruct (join_at J p) as [X|]; [|destruct K].
  cbn zeta in K. match type of K with context [if ?x then _ else _] => destruct x end; [|destruct K].
  destruct K as [K|[]]. eapply leaf_row_gives; eauto.
Qed.

Lemma open_capped_gives : forall J ps ls cs, open_capped J ps ls = inl cs -> forall c, In c cs -> gives ls c.
Proof.
  intros J ps ls cs E. unfold open_capped in E.
  destruct (open_capped_if true J ps ls) as [[|c0 cs0]|u] eqn:F; [| |discriminate].
  - exact (open_capped_if_gives _ _ _ _ _ E).
  - injection E as <-. exact (open_capped_if_gives _ _ _ _ _ F).
Qed.

Lemma close_next_gives : forall B ps ls cs, close_next B ps ls = inl cs -> forall c, In c cs -> gives ls c.
Proof.
  intros B ps [|v ls] cs E c I; simpl in E; [injection E as <-; destruct I|].
  assert (Iv : In v (v :: ls)) by (now left).
  match type of E with (match ?g with _ => _ end) = _ => destruct g as [c'|u] eqn:G end; [|discriminate].
  injection E as <-. destruct I as [<-|[]]. destruct v as [a|p].
  - destruct (lower_of B a) as [d|]; [injection G as <-; split; simpl; auto|].
    destruct (is_param ps (DV a)); [discriminate|]. injection G as <-. now apply leaf_bare_gives.
  - destruct (part_joins _) as [X|]; [eapply leaf_row_gives; eauto|].
    injection G as <-. now apply leaf_bare_gives.
Qed.

Lemma close_bare_gives : forall ps ls cs, close_bare ps ls = inl cs -> forall c, In c cs -> gives ls c.
Proof.
  intros ps ls cs E c I. unfold close_bare in E. destruct (sort_vars _); [|discriminate].
  injection E as <-. apply in_map_iff in I as (v & <- & I). now apply leaf_bare_gives.
Qed.

(** A value for a variable of a stored equation, of axes of that equation. *)
Definition solves_word (B : list tagged) (c : commitment) : Prop :=
  exists e, In e (map fst B) /\ incl (vars_c (equation (fst c))) (vars_c e) /\ closed_value (fst c).

Lemma most_demanding_In : forall cs c, most_demanding cs = Some c -> In c cs.
Proof.
  unfold most_demanding.
  assert (G : forall cs best c, fold_left (fun best c => match best with None => Some c
      | Some b => if demand b <? demand c then Some c else best end) cs best = Some c ->
    In c cs \/ best = Some c).
  { intros cs; induction cs as [|x cs IH]; intros best c E; simpl in E; [auto|].
    destruct (IH _ _ E) as [I|F]; [left; now right|].
    destruct best as [b|]; [destruct (demand b <? demand x)|]; try (injection F as ->); auto;
      left; now left. }
  intros cs c E. destruct (G cs None c E) as [I|F]; [auto | discriminate].
Qed.

Lemma word_least_vars : forall e b, word_least e = Some b -> incl (vars_c (equation b)) (vars_c e).
Proof.
  intros [t u|t u|R Q|R Q] b E; try discriminate. unfold word_least in E.
  assert (G : forall F H x, tmid H = Some x -> forall j v,
    In v (vars_c (equation (BindR x (RTerm [] None (firstn j (tlead F)))))) -> In v (vars_r F) \/ In v (vars_r H)).
  { intros F H x Ex j v I. simpl in I. unfold vars_r in I; simpl in I.
    destruct I as [<-|I]; [right; now apply mid_var|]. left. eapply axes_vars; [|exact I]. apply axes_lead. }
  intros v I. simpl. apply in_app_iff. destruct (ttrail R) as [|t r].
  - destruct (tmid R) as [x|]; [|discriminate]. destruct (tmid Q) as [y|] eqn:Ey; [|discriminate].
    injection E as <-. exact (G R Q y Ey _ v I).
  - destruct (tmid Q) as [x|]; [|discriminate]. destruct (tmid R) as [y|] eqn:Ey; [|discriminate].
    injection E as <-. apply or_comm. exact (G Q R y Ey _ v I).
Qed.

Lemma word_least_closed : forall e b, word_least e = Some b -> closed_value b.
Proof.
  intros [t u|t u|R Q|R Q] b E; try discriminate. unfold word_least in E.
  destruct (ttrail R); destruct (tmid R), (tmid Q); try discriminate; injection E as <-; reflexivity.
Qed.

Lemma close_words_solves : forall W B c, In c (close_words W B) -> solves_word B c.
Proof.
  intros [|] B c I; simpl in I; [|destruct I].
  destruct (most_demanding (deferred_of B)) as [e|] eqn:M; [|destruct I].
  destruct (word_least e) as [b|] eqn:L; [|destruct I]. destruct I as [<-|[]].
  exists e. split; [|split; [now apply word_least_vars | exact (word_least_closed e b L)]].
  apply most_demanding_In in M. unfold deferred_of in M. now apply filter_In in M.
Qed.

(** Whatever is chosen is a value for a leaf, or for a deferred equation. *)
Lemma chosen_cases : forall K B ps ls cs, chosen K B ps ls = inl cs ->
  forall c, In c cs -> gives ls c \/ solves_word B c.
Proof.
  intros K B ps ls cs E c I. unfold chosen, or_else in E. destruct (caps_by K).
  - destruct (capped _ _ _ _) as [[|c1 cs1]|u] eqn:E1; [| |discriminate].
    2: { injection E as <-. left. eapply capped_gives; eauto. }
    destruct (open_capped _ _ _) as [[|c2 cs2]|u] eqn:E2; [| |discriminate].
    2: { injection E as <-. left. eapply open_capped_gives; eauto. }
    destruct (close_words _ _) as [|c3 cs3] eqn:E3.
    + left. eapply close_bare_gives; eauto.
    + injection E as <-. right. eapply close_words_solves. now rewrite E3.
  - destruct (close_next _ _ _) as [[|c1 cs1]|u] eqn:E1; [| |discriminate].
    + injection E as <-. right. eapply close_words_solves; eauto.
    + injection E as <-. left. eapply close_next_gives; eauto.
Qed.

(** * Closing *)

Section Close_thm.
Variable P : policy.
Variable K : close_policy.
Variable run : state -> option (state + failure).
Variable arrange : list var -> list var.
Variable cs : list constr.
Variable T : tagging.
Hypothesis run_faithful : faithful P cs run.
Hypothesis arranged : forall l, incl (arrange l) l.
Hypothesis leaves_in : incl (leaves T) (flat_map vars_c cs).

(** Nothing is pending, and the state stands for what a closing reaches. *)
Definition rests (s : state) : Prop :=
  exists C, t_run any_kind (t_initial cs) C /\ stands_for P s C /\ t_phi C = [].

Lemma reached_well_formed : forall C, t_run any_kind (t_initial cs) C ->
  closing_invariant cs (erase C) /\ rooted (flat_map vars_c cs) (erase C) /\
  incl (flat_map vars_c cs) (t_used C).
Proof.
  intros C R. pose proof (taint_erase _ _ _ R) as R'. split; [|split].
  - eapply closing_kept; [exact R' | apply initial_invariant].
  - eapply run_rooted; [exact R' | apply initial_well_formed | apply initial_rooted].
  - exact (run_used _ _ _ R').
Qed.

Lemma run_rests : forall s C, t_run any_kind (t_initial cs) C -> stands_for P s C ->
  match run s with
  | Some (inl s') => exists C', t_run any_step C C' /\ t_run any_kind (t_initial cs) C' /\ stands_for P s' C' /\ t_phi C' = []
  | Some (inr f) => f_tainted f = false -> ~ exists g, sol cs g
  | None => True
  end.
Proof.
  intros s C R H. pose proof (run_faithful s C R H) as F. destruct (run s) as [[s'|f]|]; [| |exact I].
  - destruct F as (C' & R' & H' & E). exists C'. split; [exact R' | split; [|auto]].
    eapply t_run_trans; [exact R|]. eapply t_run_mono; [|exact R']. intros k _. exact I.
  - intros Tf. destruct (F Tf) as (C' & R' & Fa).
    assert (R'' : t_run any_kind (t_initial cs) C').
    { eapply t_run_trans; [exact R|]. eapply t_run_mono; [|exact R']. intros k _. exact I. }
    destruct Fa as [Fa|Fa]; [eapply cor_5_5_ii_untainted | eapply r1a_untainted_cycle]; eauto.
Qed.

(** Known constraints added, and solved again. *)
Lemma add_run_rests : forall s C xs, t_run any_kind (t_initial cs) C -> stands_for P s C -> t_phi C = [] ->
  (forall x, In x xs -> addable C x) ->
  match run (add_all P s xs) with
  | Some (inl s') => exists C', solves (extend (erase C) (map fst xs)) (erase C') /\
      t_run any_kind (t_initial cs) C' /\ stands_for P s' C' /\ t_phi C' = []
  | Some (inr f) => f_tainted f = false -> ~ exists g, sol cs g
  | None => True
  end.
Proof.
  intros s C xs R H E A. destruct (add_all_run P xs s C H A) as (C1 & R1 & H1 & E1).
  assert (R1' : t_run any_kind (t_initial cs) C1) by (eapply t_run_trans; eauto).
  pose proof (run_rests _ C1 R1' H1) as F. destruct (run (add_all P s xs)) as [[s'|f]|]; [|exact F | exact I].
  destruct F as (C' & R' & R'' & H' & E'). exists C'. split; [|auto]. split.
  - rewrite <- E1. eapply t_run_erase. exact R'.
  - simpl. now rewrite E'.
Qed.

Lemma forward_rests : forall n s sent C, t_run any_kind (t_initial cs) C -> stands_for P s C -> t_phi C = [] ->
  match forward P run n s sent with
  | None => True
  | Some (inl s') => rests s'
  | Some (inr f) => f_tainted f = false -> ~ exists g, sol cs g
  end.
Proof.
  intros n; induction n as [|n IH]; intros s sent C R H E; simpl;
    destruct (to_send (s_store s) sent) as [sent' [|x xs]] eqn:S; auto; try (exists C; auto).
  assert (A : forall y, In y (x :: xs) -> addable C y).
  { intros y I. apply (to_send_addable C sent).
    - apply (reached_well_formed C R).
    - destruct H as [(_ & _ & _ & Eb & _) _]. rewrite <- Eb, S. exact I. }
  pose proof (add_run_rests s C (x :: xs) R H E A) as F.
  destruct (run (add_all P s (x :: xs))) as [[s'|f]|]; [|exact F | exact I].
  destruct F as (C' & _ & R' & H' & E'). now apply (IH s' sent' C').
Qed.

Lemma forwarded_rests : forall n s C, t_run any_kind (t_initial cs) C -> stands_for P s C -> t_phi C = [] ->
  match forwarded P K run n s with
  | None => True
  | Some (inl s') => rests s'
  | Some (inr f) => f_tainted f = false -> ~ exists g, sol cs g
  end.
Proof.
  intros n s C R H E. unfold forwarded. destruct (caps_by K); [eapply forward_rests; eauto | exists C; auto].
Qed.

(** The pieces are the unsolved variables. *)
Lemma pieces_unsolved : forall s C v, t_run any_kind (t_initial cs) C -> stands_for P s C ->
  In v (map fst (pieces_of cs T s)) <-> unsolved (erase C) v.
Proof.
  intros s C v R H. destruct (reached_well_formed C R) as (Inv & Ro & Us).
  assert (Es : s_subst s = sigma (erase C)) by (destruct H as [(_ & _ & Es & _) _]; exact Es).
  rewrite pieces_In, Es. split.
  - intros (o & I & J). eapply value_unsolved; [apply Inv | | exact J].
    apply Us. apply in_app_iff in I as [I|I]; auto.
  - intros U. destruct (Ro v U) as (o & I & J). exists o. split; [apply in_app_iff; auto | auto].
Qed.

Lemma commitment_addable : forall C (c : commitment), knows (erase C) (equation (fst c)) ->
  addable C (equation (fst c), true).
Proof. intros C c Kn. split; [exact Kn | discriminate]. Qed.

Lemma chosen_knows : forall s C bs, t_run any_kind (t_initial cs) C -> stands_for P s C ->
  chosen K (s_store s) (pieces_of cs T s)
    (arrange (map fst (filter (fun x => of_leaf (snd x)) (pieces_of cs T s)))) = inl bs ->
  forall c, In c bs -> knows (erase C) (equation (fst c)).
Proof.
  intros s C bs R H E c I v J. destruct (chosen_cases _ _ _ _ _ E c I) as [[Iv Ev]|(e & Ie & Inc & _)].
  - assert (v = bound_var (fst c)) as ->.
    { destruct (fst c) as [a t|p X]; simpl in *; rewrite Ev in J; simpl in J; destruct J as [J|[]]; auto. }
    apply (pieces_unsolved s C); auto. apply arranged in Iv.
    apply in_map_iff in Iv as (x & <- & Iv). apply filter_In in Iv as [Iv _]. now apply in_map.
  - destruct (reached_well_formed C R) as (((_ & Wv & _) & _) & _). apply Wv.
    apply in_flat_map. exists e. split; [|now apply Inc]. simpl. apply in_app_iff. right.
    destruct H as [(_ & _ & _ & Eb & _) _]. now rewrite <- Eb.
Qed.

(** What closing comes to. *)
Definition comes_to (x : closed) : Prop :=
  match x with
  | Closed_at s _ => exists C, closing (initial cs) C /\ phi C = [] /\ sigma C = s_subst s /\ all_solved C
  | Failed_with f _ => f_tainted f = false -> ~ exists g, sol cs g
  | Hole_at _ _ | Unfinished => True
  end.

Lemma commit_fst : forall bs : list commitment,
  map fst (tag_all true (map (fun c => equation (fst c)) bs)) = map equation (map fst bs).
Proof. intros bs. now rewrite tag_all_fst, map_map. Qed.

Lemma commit_rests : forall s C bs, t_run any_kind (t_initial cs) C -> stands_for P s C -> t_phi C = [] ->
  (forall c, In c bs -> knows (erase C) (equation (fst c))) ->
  match run (commit_all P s bs) with
  | Some (inl s') => exists C', solves (commit (erase C) (map fst bs)) (erase C') /\
      t_run any_kind (t_initial cs) C' /\ stands_for P s' C' /\ t_phi C' = []
  | Some (inr f) => f_tainted f = false -> ~ exists g, sol cs g
  | None => True
  end.
Proof.
  intros s C bs R H E Kn.
  assert (Ad : forall x, In x (tag_all true (map (fun c : commitment => equation (fst c)) bs)) -> addable C x).
  { intros [c t] Ix. apply in_tag_all in Ix as [Ix ->]. apply in_map_iff in Ix as (d & <- & Ix).
    now apply commitment_addable, Kn. }
  pose proof (add_run_rests s C _ R H E Ad) as F. rewrite commit_fst in F. exact F.
Qed.

(** Everything that is left goes up. *)
Lemma close_up_comes : forall s C l, t_run any_kind (t_initial cs) C -> stands_for P s C -> t_phi C = [] ->
  comes_to (match close_up (pieces_of cs T s) with
            | [] => Closed_at s l
            | b :: bs =>
                let l := l ++ map (assumed (pieces_of cs T s)) (b :: bs) in
                and_then (run (commit_all P s (b :: bs))) l (fun s => Closed_at s l)
            end).
Proof.
  intros s C l R H E. set (ps := pieces_of cs T s).
  assert (Up : forall c, In c (close_up ps) -> upward (erase C) (fst c)).
  { intros c Ic. apply in_map_iff in Ic as ([v x] & <- & Iv). simpl. constructor.
    apply (pieces_unsolved s C v R H). apply in_map_iff. exists (v, x). auto. }
  assert (Cov : forall v, unsolved (erase C) v -> In v (map bound_var (map fst (close_up ps)))).
  { intros v Uv. apply (pieces_unsolved s C v R H) in Uv. apply in_map_iff in Uv as ([w x] & <- & Iv).
    rewrite map_map. apply in_map_iff. exists (top_of w, CL_up).
    split; [now destruct w | apply in_map_iff; exists (w, x); auto]. }
  destruct (close_up ps) as [|b bs].
  - exists (erase C). split; [exact (taint_erase _ _ _ R)|]. split; [simpl; now rewrite E|].
    split; [destruct H as [(_ & _ & Es & _) _]; symmetry; exact Es|]. intros v Uv.
    destruct (vars (apply (sigma (erase C)) (var_term v))) as [|w W] eqn:Ev; [auto|]. exfalso.
    apply (Cov w). eapply value_unsolved; [apply (reached_well_formed C R) | exact Uv | rewrite Ev; now left].
  - assert (Kn : forall c, In c (b :: bs) -> knows (erase C) (equation (fst c))).
    { intros c Ic. apply upward_knows. auto. }
    pose proof (commit_rests s C (b :: bs) R H E Kn) as F.
    cbn zeta. unfold and_then.
    destruct (run (commit_all P s (b :: bs))) as [[s2|f]|]; [|exact F | exact I].
    destruct F as (C2 & So & R2 & H2 & E2). exists (erase C2).
    split; [exact (taint_erase _ _ _ R2)|]. split; [simpl; now rewrite E2|].
    split; [destruct H2 as [(_ & _ & Es & _) _]; symmetry; exact Es|].
    apply (all_committed cs (erase C) (map fst (b :: bs)) (erase C2)).
    + apply (reached_well_formed C R).
    + intros d Id. apply in_map_iff in Id as (c & <- & Ic). split; [now apply Kn|].
      eapply upward_grounds. now apply Up.
    + exact Cov.
    + exact So.
Qed.

Lemma close_for_comes : forall n s l, rests s -> comes_to (close_for P K run arrange cs T n s l).
Proof.
  intros n; induction n as [|n IH]; intros s l (C & R & H & E); cbn [close_for].
  - pose proof (forwarded_rests 0 s C R H E) as Fw.
    destruct (forwarded P K run 0 s) as [[s1|f]|]; cbn [and_then]; [|exact Fw | exact I].
    destruct Fw as (C1 & R1 & H1 & E1). cbn zeta.
    destruct (chosen K (s_store s1) _ _) as [[|b bs]|u]; [|exact I | exact I].
    now apply (close_up_comes s1 C1).
  - pose proof (forwarded_rests (S n) s C R H E) as Fw.
    destruct (forwarded P K run (S n) s) as [[s1|f]|]; cbn [and_then]; [|exact Fw | exact I].
    destruct Fw as (C1 & R1 & H1 & E1). cbn zeta.
    destruct (chosen K (s_store s1) _ _) as [[|b bs]|u] eqn:Ch; [| |exact I].
    + now apply (close_up_comes s1 C1).
    + pose proof (commit_rests s1 C1 (b :: bs) R1 H1 E1 (chosen_knows s1 C1 (b :: bs) R1 H1 Ch)) as F.
      destruct (run (commit_all P s1 (b :: bs))) as [[s2|f]|]; cbn [and_then]; [|exact F | exact I].
      destruct F as (C2 & _ & R2 & H2 & E2). apply IH. exists C2. auto.
Qed.

Lemma close_comes : forall n m, numbered m (flat_map vars_c cs) ->
  comes_to (close_within P K run arrange cs T n (started P m cs)).
Proof.
  intros n m N. unfold close_within.
  pose proof (run_rests (started P m cs) (t_initial cs) (T_nil _ _) (start_stands P m cs N)) as F.
  destruct (run (started P m cs)) as [[s|f]|]; cbn [and_then]; [|exact F | exact I].
  destruct F as (C & _ & R & H & E). apply close_for_comes. exists C. auto.
Qed.

End Close_thm.

(** Prop. 6.2.  Where the program ends with values, they are those of a closing of
    the relation: every variable has a ground value, and they solve the input. *)
Theorem prop_6_2_close_sound : forall P K run arrange cs T n m s l,
  faithful P cs run -> (forall l, incl (arrange l) l) -> incl (leaves T) (flat_map vars_c cs) ->
  numbered m (flat_map vars_c cs) ->
  close_within P K run arrange cs T n (started P m cs) = Closed_at s l ->
  sol cs (greatest (s_subst s)) /\
  (forall v, In v (flat_map vars_c cs) -> vars (apply (s_subst s) (var_term v)) = []) /\
  exists C, closing (initial cs) C /\ phi C = [] /\ sigma C = s_subst s /\ all_solved C.
Proof.
  intros P K run arrange cs T n m s l Fa Ar Le N E.
  pose proof (close_comes P K run arrange cs T Fa Ar Le n m N) as H. rewrite E in H.
  destruct H as (C & R & Ep & Es & A).
  pose proof (closing_kept cs _ _ R (initial_invariant cs)) as Inv.
  destruct (closing_end cs C Inv Ep A) as (So & _). unfold gamma_close in So. rewrite Es in So.
  split; [exact So | split; [|exists C; auto]]. intros v I. rewrite <- Es. apply A. exact (run_used _ _ _ R v I).
Qed.

(** Where it fails without the tag there is no solution, whatever was committed
    before. *)
Theorem prop_6_2_close_unsat : forall P K run arrange cs T n m f l,
  faithful P cs run -> (forall l, incl (arrange l) l) -> incl (leaves T) (flat_map vars_c cs) ->
  numbered m (flat_map vars_c cs) ->
  close_within P K run arrange cs T n (started P m cs) = Failed_with f l -> f_tainted f = false ->
  ~ exists g, sol cs g.
Proof.
  intros P K run arrange cs T n m f l Fa Ar Le N E Tf.
  pose proof (close_comes P K run arrange cs T Fa Ar Le n m N) as H. rewrite E in H. exact (H Tf).
Qed.

(** * The solver of this project *)

Lemma run_for_faithful : forall P n s C, stands_for P s C ->
  match snd (run_for P n s) with
  | Some (Solved_at s') => exists C', t_run any_step C C' /\ stands_for P s' C' /\ t_phi C' = []
  | Some (Failed_at _ f) => f_tainted f = false ->
      exists C', t_run any_step C C' /\ (t_rule_fails C' \/ t_guard_fails C')
  | None => True
  end.
Proof.
  intros P n; induction n as [|n IH]; intros s C H; simpl; pose proof (step_of_cases P s C H) as G;
    destruct (step_of P s) as [|f|d s']; simpl; auto.
  - exists C. split; [apply T_nil | auto].
  - intros Tf. destruct (G Tf) as (C' & [->|(c & r & S)] & Fa).
    + exists C. split; [apply T_nil | auto].
    + exists C'. split; [|auto]. eapply T_cons; [exact I | exact S | apply T_nil].
  - exists C. split; [apply T_nil | auto].
  - intros Tf. destruct (G Tf) as (C' & [->|(c & r & S)] & Fa).
    + exists C. split; [apply T_nil | auto].
    + exists C'. split; [|auto]. eapply T_cons; [exact I | exact S | apply T_nil].
  - destruct G as (_ & C' & S & H'). specialize (IH s' C' H').
    destruct (run_for P n s') as [ds [[s2|s2 f]|]]; simpl in *; auto.
    + destruct IH as (C2 & R & X). exists C2. split; [|auto]. eapply T_cons; [exact I | exact S | exact R].
    + intros Tf. destruct (IH Tf) as (C2 & R & X). exists C2. split; [|auto].
      eapply T_cons; [exact I | exact S | exact R].
Qed.

Lemma run_within_faithful : forall P cs k, faithful P cs (run_within P k).
Proof.
  intros P cs k s C _ H. pose proof (run_for_faithful P k s C H) as G. unfold run_within.
  destruct (snd (run_for P k s)) as [[s'|s' f]|]; auto.
Qed.

(** Prop. 6.2 for the whole program. *)
Theorem prop_6_2_close : forall P K n m cs T, incl (leaves T) (flat_map vars_c cs) ->
  numbered m (flat_map vars_c cs) ->
  match close P K n m cs T with
  | Closed_at s _ => sol cs (greatest (s_subst s))
  | Failed_with f _ => f_tainted f = false -> ~ exists g, sol cs g
  | Hole_at _ _ | Unfinished => True
  end.
Proof.
  intros P K n m cs T Le N. destruct (close P K n m cs T) as [s l|f l|v p|] eqn:E; auto; unfold close in E.
  - eapply prop_6_2_close_sound; eauto using run_within_faithful. intros l'. apply incl_refl.
  - eapply prop_6_2_close_unsat; eauto using run_within_faithful. intros l'. apply incl_refl.
Qed.

(** * Where caps go through a variable, saturation sees more *)

Definition signed_fifo : policy := Policy Signed true Fifo.

Definition through_q : list constr :=
  [RLe (RTerm [n3] (Some 1) []) (rvar_term 0); RLe (RTerm [n5] None []) (rvar_term 1)].

Definition value_of_p (x : closed) : option row :=
  match x with Closed_at s _ => Some (g_r (greatest (s_subst s)) 0) | _ => None end.

Definition closed_p (C : cap_policy) : option row :=
  value_of_p (close signed_fifo (Close_policy C Least_material) 100 2 through_q (Tagging [RV 0] [])).

(** [3]<q> ⊑ <p> and [5]⋄[] ⊑ <q>, p a leaf: [3,5]⋄[] with saturated caps, [3]⋄[]
    from its own. *)
Theorem remark_6_3_caps_through_a_variable :
  closed_p Saturated = Some ([num 3%positive; num 5%positive] ·⋄· []) /\
  closed_p Stored = Some ([num 3%positive] ·⋄· []).
Proof. split; vm_compute; reflexivity. Qed.

(** * Def. 6.1 to the letter: the values of step 1 *)

(** Strictly older first. *)
Lemma older_irrefl : forall v, older v v = false.
Proof. intros [a|p]; unfold older; simpl; now rewrite Nat.compare_refl. Qed.

Lemma older_trans : forall u v w, older u v = true -> older v w = true -> older u w = true.
Proof.
  intros u v w A B. unfold older in *.
  destruct (Nat.compare_spec (number u) (number v)), (Nat.compare_spec (number v) (number w)),
    (Nat.compare_spec (number u) (number w)); try discriminate; try lia; auto;
    destruct u, v, w; simpl in *; try discriminate; auto; lia.
Qed.

Lemma older_total : forall v w, var_eqb v w = false -> older v w = false -> older w v = true.
Proof.
  intros v w N O. unfold older in *.
  destruct (Nat.compare_spec (number v) (number w)) as [E|L|L]; try discriminate.
  - rewrite E, Nat.compare_refl. destruct v, w; simpl in *; auto; subst; rewrite ?Nat.eqb_refl in N; discriminate.
  - apply Nat.compare_lt_iff in L. now rewrite L.
Qed.

Definition sorted (ps : pieces) : Prop := StronglySorted (fun v w => older v w = true) (map fst ps).

Lemma sorted_note : forall v o l p ps, sorted ps -> sorted (note_piece v o l p ps).
Proof.
  unfold sorted. intros v o l p ps; induction ps as [|[u x] ps IH]; intros H; simpl.
  - repeat constructor.
  - inversion H as [|u' us S F]; subst. destruct (var_eqb v u) eqn:E; [exact H|].
    destruct (older v u) eqn:O; simpl.
    + constructor; [exact H|]. constructor; [exact O|]. rewrite Forall_forall in *. intros w I.
      eapply older_trans; [exact O | auto].
    + constructor; [now apply IH|]. rewrite Forall_forall in *. intros w I.
      apply in_note_piece in I as [->|I]; [now apply older_total | auto].
Qed.

Lemma piece_at_none : forall ps v, ~ In v (map fst ps) -> piece_at ps v = None.
Proof.
  intros ps v; induction ps as [|[u x] ps IH]; intros N; simpl; [auto|].
  destruct (var_eqb v u) eqn:E; [apply var_eqb_eq in E as ->; destruct N; now left|].
  apply IH. intros I. apply N. now right.
Qed.

Lemma piece_at_in : forall ps v x, sorted ps -> In (v, x) ps -> piece_at ps v = Some x.
Proof.
  unfold sorted. intros ps v x; induction ps as [|[u y] ps IH]; intros H I; [destruct I|]. simpl in *.
  inversion H as [|u' us S F]; subst. destruct I as [E|I].
  - injection E as -> ->. now rewrite (proj2 (var_eqb_eq v v) eq_refl).
  - destruct (var_eqb v u) eqn:E; [|auto]. apply var_eqb_eq in E as ->.
    rewrite Forall_forall in F. specialize (F u (in_map fst _ _ I)). now rewrite older_irrefl in F.
Qed.

Lemma piece_at_note : forall v o l p ps w, sorted ps ->
  piece_at (note_piece v o l p ps) w =
  if var_eqb w v
  then Some (match piece_at ps v with
             | Some x => Piece (owner x) (of_leaf x || l) (of_param x || p)
             | None => Piece o l p
             end)
  else piece_at ps w.
Proof.
  unfold sorted. intros v o l p ps w; induction ps as [|[u x] ps IH]; intros H; simpl; [reflexivity|].
  inversion H as [|u' us S F]; subst. destruct (var_eqb v u) eqn:E.
  - apply var_eqb_eq in E as ->. simpl. now destruct (var_eqb w u).
  - destruct (older v u) eqn:O; simpl.
    + rewrite (piece_at_none ps v); [reflexivity|]. intros I.
      rewrite Forall_forall in F. specialize (F v I). pose proof (older_trans _ _ _ O F) as X.
      now rewrite older_irrefl in X.
    + destruct (var_eqb w u) eqn:E'; [|now apply IH]. apply var_eqb_eq in E' as ->.
      destruct (var_eqb u v) eqn:E''; [|reflexivity]. apply var_eqb_eq in E'' as ->.
      now rewrite (proj2 (var_eqb_eq v v) eq_refl) in E.
Qed.

(** What is said of a piece. *)
Definition flag (f : piece -> bool) (ps : pieces) (v : var) : bool :=
  match piece_at ps v with Some x => f x | None => false end.

(** A flag is set once an owner sets it. *)
Definition sets (f : piece -> bool) (b : bool -> bool -> bool) : Prop :=
  (forall o l p, f (Piece o l p) = b l p) /\
  (forall x l p, f (Piece (owner x) (of_leaf x || l) (of_param x || p)) = f x || b l p).

Lemma of_leaf_sets : sets of_leaf (fun l _ => l).
Proof. split; reflexivity. Qed.

Lemma of_param_sets : sets of_param (fun _ p => p).
Proof. split; reflexivity. Qed.

Lemma flag_note : forall f b v o l p ps w, sets f b -> sorted ps ->
  flag f (note_piece v o l p ps) w = flag f ps w || (var_eqb w v && b l p).
Proof.
  intros f b v o l p ps w [S1 S2] H. unfold flag. rewrite piece_at_note by auto.
  destruct (var_eqb w v) eqn:E; simpl; [|now rewrite orb_false_r].
  apply var_eqb_eq in E as ->. destruct (piece_at ps v) as [x|]; simpl; auto.
Qed.

Lemma flag_notes : forall f b o l p vs ps w, sets f b -> sorted ps ->
  let ps' := fold_left (fun ps v => note_piece v o l p ps) vs ps in
  sorted ps' /\ flag f ps' w = flag f ps w || (memberb w vs && b l p).
Proof.
  intros f b o l p vs; induction vs as [|v vs IH]; intros ps w S H; simpl.
  - split; [exact H | now rewrite orb_false_r].
  - destruct (IH (note_piece v o l p ps) w S (sorted_note v o l p ps H)) as [A B].
    split; [exact A|]. rewrite B, (flag_note f b) by auto. unfold memberb; simpl.
    destruct (flag f ps w), (var_eqb w v), (existsb (var_eqb w) vs), (b l p); reflexivity.
Qed.

Lemma flag_pieces : forall f b cs T s w, sets f b ->
  sorted (pieces_of cs T s) /\
  (flag f (pieces_of cs T s) w = true <->
   exists o, In o (flat_map vars_c cs ++ leaves T) /\ In w (vars (apply (s_subst s) (var_term o))) /\
     b (memberb o (leaves T)) (memberb o (params T)) = true).
Proof.
  intros f b cs T s w S. unfold pieces_of.
  assert (M : forall v l, memberb v l = true <-> In v l).
  { intros v l. unfold memberb. rewrite existsb_exists. split.
    - intros (x & I & E). apply var_eqb_eq in E as ->. auto.
    - intros I. exists v. split; [auto | now apply var_eqb_eq]. }
  assert (G : forall os ps, sorted ps ->
    let ps' := fold_left (fun ps o => fold_left (fun ps v => note_piece v o (memberb o (leaves T))
                 (memberb o (params T)) ps) (vars (apply (s_subst s) (var_term o))) ps) os ps in
    sorted ps' /\ (flag f ps' w = true <-> flag f ps w = true \/
      exists o, In o os /\ In w (vars (apply (s_subst s) (var_term o))) /\
        b (memberb o (leaves T)) (memberb o (params T)) = true)).
  { intros os; induction os as [|o os IH]; intros ps H; cbn [fold_left]; cbn zeta.
    - split; [exact H|]. split; [auto|]. intros [X|(o & [] & _)]; auto.
    - destruct (flag_notes f b o (memberb o (leaves T)) (memberb o (params T))
                  (vars (apply (s_subst s) (var_term o))) ps w S H) as [A B].
      cbn zeta in A, B. destruct (IH _ A) as [A' B']. cbn zeta in A', B'. split; [exact A'|].
      rewrite B', B, orb_true_iff, andb_true_iff, M. split.
      + intros [[X|[X Y]]|(o' & I & X)]; [auto | right; exists o; simpl; auto | right; exists o'; simpl; auto].
      + intros [X|(o' & [<-|I] & X & Y)]; [auto | auto | right; eauto]. }
  destruct (G (sort_vars (flat_map vars_c cs ++ leaves T)) [] (SSorted_nil _)) as [A B].
  split; [exact A|]. rewrite B. unfold flag; simpl. split.
  - intros [X|(o & I & X)]; [discriminate|]. exists o. rewrite <- sort_vars_In. auto.
  - intros (o & I & X). right. exists o. rewrite sort_vars_In. auto.
Qed.

Lemma memberb_In : forall v l, memberb v l = true <-> In v l.
Proof.
  intros v l. unfold memberb. rewrite existsb_exists. split.
  - intros (x & I & E). apply var_eqb_eq in E as ->. auto.
  - intros I. exists v. split; [auto | now apply var_eqb_eq].
Qed.

(** Holes. *)
Lemma holes_in_none : forall (e : side) F k,
  flat_map (fun x : nat * option dim => match snd x with None => [(e, fst x)] | Some _ => [] end)
           (combine (seq k (length F)) F) = [] <-> ~ In None F.
Proof.
  intros e F; induction F as [|x F IH]; intros k; simpl; [tauto|].
  destruct x as [d|]; simpl.
  - rewrite IH. split; intros N; [intros [X|I]; [discriminate | auto] | auto].
  - split; [discriminate | intros N; destruct N; auto].
Qed.

Lemma holes_none : forall X, holes X = [] <-> ~ has_hole X.
Proof.
  intros X. unfold holes, has_hole. rewrite in_app_iff. split.
  - intros E. apply app_eq_nil in E as [A B].
    apply holes_in_none in A, B. tauto.
  - intros N. assert (A : holes_in Front (p_lead X) = []) by (apply holes_in_none; tauto).
    assert (B : holes_in Back (p_trail X) = []) by (apply holes_in_none; tauto).
    now rewrite A, B.
Qed.

Lemma part_joins_joined : forall caps, (forall R, In R caps -> writes R = true) ->
  match part_joins (map ground_part caps) with Some X => X | None => Part [] [] end = joined caps.
Proof.
  intros caps H. unfold joined.
  assert (E : filter writes caps = caps).
  { clear - H. induction caps as [|R caps IH]; simpl; [auto|]. rewrite (H R (or_introl eq_refl)).
    f_equal. apply IH. intros Q I. apply H. now right. }
  rewrite E. destruct caps as [|R caps]; simpl; [auto|]. generalize (ground_part R) as X. clear.
  induction caps as [|Q caps IH]; intros X; simpl; auto.
Qed.

(** Under [Stored] the program gives a leaf the value of step 1, and a hole means
    that there is none; but where a cap is a bare variable the relation leaves it
    out (F20), and the program takes it for a cap without axes. *)
Theorem def_6_1_stored_values : forall P cs T s C v ls,
  t_run any_kind (t_initial cs) C -> stands_for P s C ->
  incl (leaves T) (flat_map vars_c cs) -> incl (params T) (leaves T) ->
  In v (map fst (filter (fun x => of_leaf (snd x)) (pieces_of cs T s))) ->
  (forall p R, v = RV p -> In R (row_caps (map fst (s_store s)) p) -> writes R = true) ->
  match close_next (s_store s) (pieces_of cs T s) (v :: ls) with
  | inl bs => exists c, bs = [c] /\ bound_var (fst c) = v /\ leaf_value (tags_of T) (erase C) (fst c)
  | inr _ => forall b, bound_var b = v -> ~ leaf_value (tags_of T) (erase C) b
  end.
Proof.
  intros P cs T s C v ls R H Le Pa Iv Wr.
  assert (Es : s_subst s = sigma (erase C)) by (destruct H as [(_ & _ & Es & _) _]; exact Es).
  assert (Eb : map fst (s_store s) = store (erase C)) by (destruct H as [(_ & _ & _ & Eb & _) _]; now rewrite Eb).
  set (ps := pieces_of cs T s) in *.
  assert (Op : open_leaf (tags_of T) (erase C) v).
  { split.
    - apply (pieces_unsolved P cs T Le s C v R H). apply in_map_iff in Iv as (x & <- & I).
      apply filter_In in I as [I _]. now apply in_map.
    - destruct (flag_pieces of_leaf (fun l _ => l) cs T s v of_leaf_sets) as [So Fl]. fold ps in So, Fl.
      apply in_map_iff in Iv as ([w x] & E & I). simpl in E. subst w. apply filter_In in I as [I L].
      destruct (proj1 Fl) as (o & _ & J & M).
      { unfold flag. now rewrite (piece_at_in ps v x So I). }
      exists o. rewrite <- Es. split; [now apply memberb_In | exact J]. }
  assert (Par : is_param ps v = true <-> part_of (erase C) (param (tags_of T)) v).
  { destruct (flag_pieces of_param (fun _ p => p) cs T s v of_param_sets) as [_ Fl]. fold ps in Fl.
    change (is_param ps v) with (flag of_param ps v). rewrite Fl. unfold part_of. rewrite <- Es. split.
    - intros (o & _ & J & M). exists o. split; [now apply memberb_In | exact J].
    - intros (o & M & J). exists o. simpl in M. split; [apply in_app_iff; right; auto|].
      split; [exact J | now apply memberb_In]. }
  assert (Lo : forall a, lower_of (s_store s) a = lower (store (erase C)) a).
  { intros a. rewrite <- Eb, t_lower_fst. unfold lower_of. now destruct (t_lower (s_store s) a) as [[d t]|]. }
  unfold close_next. destruct v as [a|p].
  - rewrite Lo. destruct (lower (store (erase C)) a) as [d|] eqn:L.
    + exists (leaf_dim a d). split; [auto | split; [auto|]]. now constructor.
    + destruct (is_param ps (DV a)) eqn:Pm.
      * intros b E X. destruct X as [a' d O L'|a' O L' N|p O N]; simpl in E; [| |discriminate];
          injection E as ->; [congruence|]. apply N, Par. reflexivity.
      * exists (leaf_bare (DV a)). split; [auto | split; [auto|]]. simpl. apply Leaf_bare; auto.
        intros X. apply Par in X. discriminate.
  - pose proof (part_joins_joined (row_caps (map fst (s_store s)) p) (fun R' I => Wr p R' eq_refl I)) as J.
    rewrite Eb in J |- *. set (caps := row_caps (store (erase C)) p) in *.
    destruct (part_joins (map ground_part caps)) as [X|].
    + subst X. unfold leaf_row. destruct (holes (joined caps)) as [|h hs] eqn:Ho.
      * eexists. split; [reflexivity | split; [reflexivity|]]. simpl. constructor; [exact Op|].
        intros _. now apply holes_none.
      * destruct (is_param ps (RV p)) eqn:Pm.
        -- intros b E X. destruct X as [a' d O L'|a' O L' N|p' O N]; simpl in E; [discriminate | discriminate|].
           injection E as ->. fold caps in N. apply holes_none in N; [congruence|]. now apply Par.
        -- eexists. split; [reflexivity | split; [reflexivity|]]. simpl. constructor; [exact Op|].
           intros X. apply Par in X. discriminate.
    + eexists. split; [reflexivity | split; [reflexivity|]]. simpl.
      assert (E : term_of empty_row = term_of (filled (joined caps))) by (rewrite <- J; reflexivity).
      rewrite E. constructor; [exact Op|]. fold caps. rewrite <- J. intros _ [].
Qed.

(** * Def. 6.1 to the letter: the whole of closing *)

Section Stored_thm.
Variable P : policy.
Variable run : state -> option (state + failure).
Variable cs : list constr.
Variable T : tagging.
Hypothesis run_faithful : faithful P cs run.
Hypothesis leaves_in : incl (leaves T) (flat_map vars_c cs).
Hypothesis params_in : incl (params T) (leaves T).
Hypothesis caps_write : forall C p R, closing (initial cs) C -> In R (row_caps (store C) p) -> writes R = true.

Definition to_the_letter : close_policy := Close_policy Stored Upward_only.

Lemma no_leaf_left : forall s C, t_run any_kind (t_initial cs) C -> stands_for P s C ->
  map fst (filter (fun x : var * piece => of_leaf (snd x)) (pieces_of cs T s)) = [] ->
  forall v, ~ open_leaf (tags_of T) (erase C) v.
Proof.
  intros s C R H E v [U (o & L & J)].
  assert (Es : s_subst s = sigma (erase C)) by (destruct H as [(_ & _ & Es & _) _]; exact Es).
  destruct (flag_pieces of_leaf (fun l _ => l) cs T s v of_leaf_sets) as [So Fl].
  assert (F : flag of_leaf (pieces_of cs T s) v = true).
  { apply Fl. exists o. rewrite Es. split; [apply in_app_iff; right; exact L|].
    split; [exact J | now apply memberb_In]. }
  apply (pieces_unsolved P cs T leaves_in s C v R H) in U. apply in_map_iff in U as ([w x] & Ew & I).
  simpl in Ew. subst w. unfold flag in F. rewrite (piece_at_in _ v x So I) in F.
  assert (In v (map fst (filter (fun x : var * piece => of_leaf (snd x)) (pieces_of cs T s)))) as X.
  { apply in_map_iff. exists (v, x). split; [auto|]. apply filter_In. auto. }
  rewrite E in X. destruct X.
Qed.

Lemma stored_phase : forall n s l C s' l', t_run any_kind (t_initial cs) C -> stands_for P s C -> t_phi C = [] ->
  close_for P to_the_letter run (fun l => l) cs T n s l = Closed_at s' l' ->
  exists C1 bs C', leaf_phase (tags_of T) (erase C) C1 /\ (forall b, In b bs -> upward C1 b) /\
    (forall v, unsolved C1 v -> In v (map bound_var bs)) /\ solves (commit C1 bs) C' /\ sigma C' = s_subst s'.
Proof.
  assert (Last : forall s l C s' l', t_run any_kind (t_initial cs) C -> stands_for P s C -> t_phi C = [] ->
    map fst (filter (fun x : var * piece => of_leaf (snd x)) (pieces_of cs T s)) = [] ->
    match close_up (pieces_of cs T s) with
    | [] => Closed_at s l
    | b :: bs =>
        let l := l ++ map (assumed (pieces_of cs T s)) (b :: bs) in
        and_then (run (commit_all P s (b :: bs))) l (fun s => Closed_at s l)
    end = Closed_at s' l' ->
    exists C1 bs C', leaf_phase (tags_of T) (erase C) C1 /\ (forall b, In b bs -> upward C1 b) /\
      (forall v, unsolved C1 v -> In v (map bound_var bs)) /\ solves (commit C1 bs) C' /\ sigma C' = s_subst s').
  { intros s l C s' l' R H E No X. exists (erase C), (map fst (close_up (pieces_of cs T s))).
    assert (Up : forall c, In c (close_up (pieces_of cs T s)) -> upward (erase C) (fst c)).
    { intros c Ic. apply in_map_iff in Ic as ([v x] & <- & Iv). simpl. constructor.
      apply (pieces_unsolved P cs T leaves_in s C v R H). apply in_map_iff. exists (v, x). auto. }
    assert (Cov : forall v, unsolved (erase C) v -> In v (map bound_var (map fst (close_up (pieces_of cs T s))))).
    { intros v Uv. apply (pieces_unsolved P cs T leaves_in s C v R H) in Uv. apply in_map_iff in Uv as ([w x] & <- & Iv).
      rewrite map_map. apply in_map_iff. exists (top_of w, CL_up).
      split; [now destruct w | apply in_map_iff; exists (w, x); auto]. }
    assert (Ph : leaf_phase (tags_of T) (erase C) (erase C)).
    { apply Leaves_done. now apply (no_leaf_left s C). }
    assert (Up' : forall b, In b (map fst (close_up (pieces_of cs T s))) -> upward (erase C) b).
    { intros b I. apply in_map_iff in I as (c & <- & I). auto. }
    destruct (close_up (pieces_of cs T s)) as [|b bs].
    - injection X as -> _. exists (erase C). split; [exact Ph | split; [exact Up' | split; [exact Cov|]]].
      split; [|destruct H as [(_ & _ & Es & _) _]; symmetry; exact Es]. split; [|simpl; now rewrite E].
      assert (Ec : commit (erase C) (map fst ([] : list commitment)) = erase C).
      { unfold commit, extend; simpl. rewrite app_nil_r. now destruct C. }
      rewrite Ec. constructor.
    - cbn zeta in X.
      pose proof (commit_rests P run cs run_faithful s C (b :: bs) R H E) as F.
      destruct (run (commit_all P s (b :: bs))) as [[s2|f]|]; cbn [and_then] in X; try discriminate.
      injection X as -> _. destruct F as (C2 & So & _ & H2 & _).
      { intros c Ic. apply upward_knows. auto. }
      exists (erase C2). split; [exact Ph | split; [exact Up' | split; [exact Cov | split; [exact So|]]]].
      destruct H2 as [(_ & _ & Es & _) _]. symmetry. exact Es. }
  intros n; induction n as [|n IH]; intros s l C s' l' R H E X; cbn [close_for] in X; unfold forwarded in X;
    cbn [caps_by to_the_letter and_then] in X; unfold chosen in X; cbn [caps_by words_by to_the_letter] in X;
    destruct (map fst (filter (fun x : var * piece => of_leaf (snd x)) (pieces_of cs T s))) as [|v ls] eqn:Lv.
  - exact (Last s l C s' l' R H E Lv X).
  - pose proof (def_6_1_stored_values P cs T s C v ls R H leaves_in params_in) as V. rewrite Lv in V.
    specialize (V (or_introl eq_refl)).
    destruct (close_next (s_store s) (pieces_of cs T s) (v :: ls)) as [bs|u]; [|discriminate].
    destruct V as (c & -> & _); [|discriminate].
    intros p Q -> I. eapply caps_write; [exact (taint_erase _ _ _ R)|].
    destruct H as [(_ & _ & _ & Eb & _) _]. rewrite Eb in I. exact I.
  - exact (Last s l C s' l' R H E Lv X).
  - pose proof (def_6_1_stored_values P cs T s C v ls R H leaves_in params_in) as V. rewrite Lv in V.
    specialize (V (or_introl eq_refl)).
    destruct (close_next (s_store s) (pieces_of cs T s) (v :: ls)) as [bs|u]; [|discriminate].
    destruct V as (c & -> & Bv & Lf).
    { intros p Q -> I. eapply caps_write; [exact (taint_erase _ _ _ R)|].
      destruct H as [(_ & _ & _ & Eb & _) _]. rewrite Eb in I. exact I. }
    cbn [or_else] in X. cbn zeta in X.
    pose proof (commit_rests P run cs run_faithful s C [c] R H E) as F.
    destruct (run (commit_all P s [c])) as [[s2|f]|]; cbn [and_then] in X; try discriminate.
    destruct F as (C2 & So & R2 & H2 & E2).
    { intros d [<-|[]]. eapply leaf_value_knows; eauto. }
    destruct (IH s2 _ C2 s' l' R2 H2 E2 X) as (C1 & bs & C' & Ph & Rest).
    exists C1, bs, C'. split; [|exact Rest]. apply (Leaves_more (tags_of T) (erase C) [fst c] (erase C2)); auto.
    intros b [<-|[]]. exact Lf.
Qed.

Lemma stored_closes : forall n m s l, numbered m (flat_map vars_c cs) ->
  close_within P to_the_letter run (fun l => l) cs T n (started P m cs) = Closed_at s l ->
  exists C, closes (tags_of T) cs C /\ sigma C = s_subst s.
Proof.
  intros n m s l N X. unfold close_within in X.
  pose proof (run_rests P run cs run_faithful (started P m cs) (t_initial cs) (T_nil _ _) (start_stands P m cs N)) as F.
  destruct (run (started P m cs)) as [[s0|f]|]; cbn [and_then] in X; try discriminate.
  destruct F as (C & R1 & R & H & E).
  destruct (stored_phase n s0 [] C s l R H E X) as (C1 & bs & C' & Ph & Up & Cov & So & Es).
  exists C'. split; [|exact Es]. apply (Closes (tags_of T) cs (erase C) C1 bs C'); auto. split.
  - apply (taint_erase _ _ _ R1).
  - simpl. now rewrite E.
Qed.
End Stored_thm.

(** Without saturation, and with deferred equations closed upward, the program is
    Def. 6.1, as long as no bare variable is ever a cap (F20). *)
Theorem def_6_1_close_closes : forall P cs T n m s l,
  incl (leaves T) (flat_map vars_c cs) -> incl (params T) (leaves T) -> numbered m (flat_map vars_c cs) ->
  (forall C p R, closing (initial cs) C -> In R (row_caps (store C) p) -> writes R = true) ->
  close P to_the_letter n m cs T = Closed_at s l ->
  exists C, closes (tags_of T) cs C /\ gamma_close C = greatest (s_subst s).
Proof.
  intros P cs T n m s l Le Pa N Wr X.
  destruct (stored_closes P (run_within P n) cs T (run_within_faithful P cs n) Le Pa Wr n m s l N X) as (C & Cl & Es).
  exists C. split; [exact Cl|]. unfold gamma_close. now rewrite Es.
Qed.
