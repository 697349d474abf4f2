(** Remark 6.7: what the search over lengths decides. *)

From Coq Require Import List Bool Arith Permutation Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm
  Guard Guard_thm Certificate Queue Queue_thm Cycle Cycle_thm Solved Solved_thm Runs Runs_thm Taint Taint_thm
  Closing Closing_thm Closing_branch_thm Fire Fire_thm Solver Solver_thm Solve Solve_thm Close Close_thm Decide.
Import ListNotations.

(** A solver that can be believed: γ↑ solves, and "none" means none, if the
    variables it counts as fresh are. *)
Definition truthful (solve : nat -> list constr -> answer) : Prop :=
  (forall n cs g, solve n cs = Has g -> sol cs g) /\
  (forall n cs, numbered n (flat_map vars_c cs) -> solve n cs = Has_none -> ~ exists g, sol cs g).

(** * The search *)

Lemma first_some_found : forall A B (f : A -> option B) l y, first_some f l = Some y ->
  exists x, In x l /\ f x = Some y.
Proof.
  intros A B f l y; induction l as [|x l IH]; simpl; [discriminate|].
  destruct (f x) as [z|] eqn:E; intros H.
  - injection H as ->. eauto.
  - destruct (IH H) as (w & I & F). eauto.
Qed.

Lemma first_some_none : forall A B (f : A -> option B) l, first_some f l = None ->
  forall x, In x l -> f x = None.
Proof.
  intros A B f l; induction l as [|x l IH]; simpl; [tauto|].
  destruct (f x) as [z|] eqn:E; [discriminate|]. intros H y [<-|I]; auto.
Qed.

Lemma with_lengths_sat : forall solve cs n ch g, truthful solve ->
  with_lengths solve cs n ch = Some (Satisfied g) -> sol cs g.
Proof.
  intros solve cs n ch g [So _] E. unfold with_lengths in E.
  destruct (solve _ _) as [h| |] eqn:A; try discriminate. injection E as <-.
  apply So in A. intros c I. apply def_3_4_grounding_composes. apply A. now apply in_map.
Qed.

Lemma with_lengths_not : forall solve cs n ch,
  with_lengths solve cs n ch <> Some Unsatisfiable /\ with_lengths solve cs n ch <> Some Unlooked.
Proof.
  intros solve cs n ch. unfold with_lengths. destruct (solve _ _); split; discriminate.
Qed.

Lemma tries_some : forall solve cs n todo ch left d, tries solve cs n todo ch left = Some d ->
  exists ch', with_lengths solve cs n ch' = Some d.
Proof.
  intros solve cs n todo; induction todo as [|[p high] todo IH]; intros ch left d E; cbn [tries] in E;
    destruct (fits cs ch); try discriminate.
  - destruct (Nat.eqb left 0); [eauto | discriminate].
  - apply first_some_found in E as (rank & _ & E).
    apply first_some_found in E as (l & _ & E). eauto.
Qed.

Lemma search_cases : forall solve cs n k,
  search_lengths solve cs n k = Unsatisfiable \/ search_lengths solve cs n k = Unlooked \/
  exists ch, with_lengths solve cs n ch = Some (search_lengths solve cs n k).
Proof.
  intros solve cs n k. unfold search_lengths.
  match goal with |- context [first_some ?f ?l] => destruct (first_some f l) as [d|] eqn:E end.
  - right; right. apply first_some_found in E as (total & _ & E). now apply tries_some in E.
  - match goal with |- context [if ?b then _ else _] => destruct b end; auto.
Qed.

(** The witness solves. *)
Theorem remark_6_7_decide_sat : forall solve cs n k g, truthful solve ->
  decide solve cs n k = Satisfied g -> sol cs g.
Proof.
  intros solve cs n k g Tr E. unfold decide in E. destruct (solve n cs) as [h| |] eqn:A.
  - injection E as <-. now apply Tr in A.
  - discriminate.
  - destruct (positive_cycleb _); [discriminate|].
    destruct (search_cases solve cs n k) as [H|[H|(ch & H)]]; try congruence.
    rewrite E in H. eapply with_lengths_sat; eauto.
Qed.

(** * Every solution has lengths that are tried *)

Section Lengths_of.
Variable g : ground.

Definition lengths_in (p : rvar) : nat * nat := (length (lead (g_r g p)), length (trail (g_r g p))).
Definition lengths_for (ps : list rvar) : chosen_lengths := map (fun p => (p, lengths_in p)) ps.
Definition rank_in (p : rvar) : nat := fst (lengths_in p) + snd (lengths_in p).

Lemma rank_in_rank : forall p, rank_in p = rank (g_r g p).
Proof. reflexivity. Qed.

Lemma lengths_at_for : forall ps p, In p ps -> lengths_at (lengths_for ps) p = lengths_in p.
Proof.
  intros ps; induction ps as [|q ps IH]; intros p I; [destruct I|]. simpl.
  destruct (Nat.eqb_spec p q) as [->|N]; [reflexivity|]. apply IH. destruct I; [congruence | auto].
Qed.

Lemma place_of_prefix : forall ps qs p, In p (ps ++ qs) -> place_of (ps ++ qs) p <= length ps -> In p ps.
Proof.
  intros ps; induction ps as [|q ps IH]; intros qs p I L; simpl in *.
  - destruct qs as [|q qs]; [destruct I|]. simpl in L. destruct (Nat.eqb p q); lia.
  - destruct (Nat.eqb_spec p q) as [->|N]; [auto|]. right. apply (IH qs); [|lia].
    destruct I; [congruence | auto].
Qed.

(** ** The bounds are bounds *)

Definition bounds_hold (b : ranks) : Prop := forall p k, rank_of b p = Some k -> rank_in p <= k.

Lemma bounds_hold_cons : forall p k b, rank_in p <= k -> bounds_hold b -> bounds_hold ((p, k) :: b).
Proof.
  intros p k b H B q m E. simpl in E. destruct (Nat.eqb_spec q p) as [->|N]; [|auto].
  injection E as <-. exact H.
Qed.

Lemma most_holds : forall b R m, bounds_hold b -> most b R = Some m -> rank (ground_r g R) <= m.
Proof.
  intros b R m B E. unfold most in E. rewrite rank_ground. destruct (tmid R) as [p|]; simpl.
  - destruct (rank_of b p) as [k|] eqn:F; [|discriminate]. injection E as <-.
    apply B in F. rewrite rank_in_rank in F. lia.
  - injection E as <-. unfold rank, empty_row; simpl. lia.
Qed.

Lemma bound_by_holds : forall x R Q, rank (ground_r g Q) <= rank (ground_r g R) ->
  bounds_hold (fst x) -> bounds_hold (fst (bound_by x R Q)).
Proof.
  intros [b t] R Q L B. unfold bound_by. simpl fst in *.
  destruct (most b R) as [m|] eqn:M; [|exact B]. apply (most_holds _ _ _ B) in M.
  destruct (tmid Q) as [p|] eqn:Eq; [|exact B].
  assert (K : rank_in p <= m - known_rank Q).
  { rewrite (rank_ground g Q), Eq in L. cbn [ground_mid] in L. rewrite rank_in_rank. lia. }
  destruct (rank_of b p) as [k|]; [destruct (m - known_rank Q <? k)|];
    try exact B; apply bounds_hold_cons; auto.
Qed.

Lemma bound_constr_holds : forall c x, holds g c -> bounds_hold (fst x) -> bounds_hold (fst (bound_constr x c)).
Proof.
  intros [t u|t u|R Q|R Q] x H B; simpl; auto.
  - apply flat_equiv_rank in H. apply bound_by_holds; [lia|]. apply bound_by_holds; [lia | auto].
  - apply row_le_rank in H. apply bound_by_holds; auto.
Qed.

Lemma bound_rounds_hold : forall k cs b, sol cs g -> bounds_hold b -> bounds_hold (bound_rounds k cs b).
Proof.
  intros k cs; induction k as [|k IH]; intros b S B; simpl; [auto|].
  assert (F : forall ds x, sol ds g -> bounds_hold (fst x) -> bounds_hold (fst (fold_left bound_constr ds x))).
  { intros ds; induction ds as [|d ds IHd]; intros x Sd Bx; simpl; [auto|]. apply IHd.
    - intros c I. apply Sd. now right.
    - apply bound_constr_holds; [apply Sd; now left | auto]. }
  specialize (F cs (b, false) S B). destruct (fold_left bound_constr cs (b, false)) as [b' []]; auto.
Qed.

Lemma upper_bounds_hold : forall cs, sol cs g -> bounds_hold (upper_bounds cs).
Proof. intros cs S. apply bound_rounds_hold; [auto|]. intros p k E. discriminate. Qed.

(** ** The constraints allow them *)

Lemma row_vars_in : forall cs p, In p (row_vars cs) <-> In (RV p) (flat_map vars_c cs).
Proof.
  intros cs p. unfold row_vars. rewrite in_flat_map. split.
  - intros ([a|q] & I & J); [destruct J|]. destruct J as [->|[]]. exact (proj1 (sort_vars_In _ _) I).
  - intros I. exists (RV p). split; [now apply sort_vars_In | simpl; auto].
Qed.

Lemma mid_in_vars : forall R p, tmid R = Some p -> In (RV p) (vars_r R).
Proof. intros R p E. unfold vars_r. rewrite E, !in_app_iff. simpl; auto. Qed.

Lemma measured_for : forall ps R, (forall p, tmid R = Some p -> In p ps) ->
  measured (lengths_for ps) R =
    (length (tlead R) + length (lead (ground_mid g (tmid R))),
     length (ttrail R) + length (trail (ground_mid g (tmid R)))).
Proof.
  intros ps R H. unfold measured. destruct (tmid R) as [p|]; simpl; [|reflexivity].
  rewrite lengths_at_for by auto. reflexivity.
Qed.

Lemma fits_for : forall cs ps qs, sol cs g -> row_vars cs = ps ++ qs -> fits cs (lengths_for ps) = true.
Proof.
  intros cs ps qs S E. apply forallb_forall. intros c I. apply orb_true_iff.
  destruct (Nat.eqb_spec (judged_after (row_vars cs) c) (length (lengths_for ps))) as [J|]; [right | now left].
  unfold lengths_for in J. rewrite len_map in J.
  assert (M : forall R, incl (vars_r R) (vars_c c) -> place_mid (row_vars cs) R <= length ps ->
    forall p, tmid R = Some p -> In p ps).
  { intros R V L p Ep. unfold place_mid in L. rewrite Ep in L. rewrite E in L.
    apply (place_of_prefix ps qs); [|auto]. rewrite <- E. apply row_vars_in.
    apply in_flat_map. exists c. split; [auto|]. apply V. now apply mid_in_vars. }
  specialize (S c I). destruct c as [t u|t u|R Q|R Q]; try reflexivity; cbn [judged_after] in J; cbn [allows];
    (rewrite (measured_for ps R);
      [rewrite (measured_for ps Q); [|apply M; [intros v Iv; simpl; apply in_app_iff; auto | lia]]
      |apply M; [intros v Iv; simpl; apply in_app_iff; auto | lia]]); cbn [fst snd].
  - apply Nat.eqb_eq. apply flat_equiv_rank in S. unfold rank in S. simpl in S.
    rewrite !len_app, !len_map in S. simpl in S. lia.
  - apply (rle_lengths g R Q) in S as [A B]. apply andb_true_iff. split; apply Nat.leb_le; lia.
Qed.

(** ** And so they are tried *)

Lemma axes_in_app : forall x y, axes_in (x ++ y) = axes_in x + axes_in y.
Proof. intros x y. unfold axes_in. now rewrite map_app, list_sum_app. Qed.

Lemma tries_none : forall solve cs n todo ps left, sol cs g -> row_vars cs = ps ++ map fst todo ->
  (forall p h, In (p, h) todo -> rank_in p <= h) ->
  left = axes_in (lengths_for (map fst todo)) ->
  tries solve cs n todo (lengths_for ps) left = None ->
  with_lengths solve cs n (lengths_for (row_vars cs)) = None.
Proof.
  intros solve cs n todo; induction todo as [|[p high] todo IH]; intros ps left So E Hi L T; cbn [tries] in T;
    rewrite (fits_for cs ps _ So E) in T.
  - simpl in E. rewrite app_nil_r in E. rewrite E. subst left. exact T.
  - assert (Sum : axes_in (lengths_for (map fst todo)) <= sum_of todo).
    { clear - Hi. induction todo as [|[q h] todo IHt]; [reflexivity|].
      unfold axes_in, lengths_for, sum_of in *; simpl in *.
      assert (A : rank_in q <= h) by (apply (Hi q h); auto). unfold rank_in in A; simpl in A.
      assert (B : forall r k, (p, high) = (r, k) \/ In (r, k) todo -> rank_in r <= k).
      { intros r k [I|I]; [apply Hi; auto | apply Hi; auto]. }
      specialize (IHt B). lia. }
    assert (Le : left = rank_in p + axes_in (lengths_for (map fst todo))) by (subst left; reflexivity).
    assert (Hp : rank_in p <= high) by (apply (Hi p high); simpl; auto).
    pose proof (first_some_none _ _ _ _ T (rank_in p)) as T1. cbv beta in T1.
    assert (I1 : In (rank_in p) (seq (left - sum_of todo) (S (min left high) - (left - sum_of todo)))).
    { apply in_seq. lia. }
    specialize (T1 I1). pose proof (first_some_none _ _ _ _ T1 (fst (lengths_in p))) as T2. cbv beta in T2.
    assert (I2 : In (fst (lengths_in p)) (seq 0 (S (rank_in p)))) by (apply in_seq; unfold rank_in; lia).
    specialize (T2 I2).
    apply (IH (ps ++ [p]) (left - rank_in p)); auto.
    + rewrite E, <- app_assoc. reflexivity.
    + intros q h I. apply (Hi q h). now right.
    + lia.
    + unfold lengths_for. rewrite map_app. simpl.
      replace (lengths_in p) with (fst (lengths_in p), rank_in p - fst (lengths_in p)); [exact T2|].
      unfold rank_in. destruct (lengths_in p) as [l t]; simpl. f_equal. lia.
Qed.

(** ** With these lengths there is a solution *)

Definition contents (ps : list rvar) : list dim := flat_map (fun p => lead (g_r g p) ++ trail (g_r g p)) ps.

(** The axes have their values, from [n] on. *)
Definition spread_from (n : nat) (ps : list rvar) : ground :=
  Ground (fun a => if a <? n then g_d g a else nth (a - n) (contents ps) Unit) (fun _ => empty_row).

Lemma map_seq_nth : forall (h : nat -> dim) l m, (forall i, i < length l -> h (m + i) = nth i l Unit) ->
  map h (seq m (length l)) = l.
Proof.
  intros h l; induction l as [|d l IH]; intros m H; simpl; [auto|]. f_equal.
  - specialize (H 0). rewrite Nat.add_0_r in H. apply H. simpl; lia.
  - apply IH. intros i L. specialize (H (S i)). simpl in H. rewrite <- Nat.add_succ_comm in H. apply H. lia.
Qed.

Lemma axes_values : forall h ps m p,
  (forall i, i < length (contents ps) -> g_d h (m + i) = nth i (contents ps) Unit) -> In p ps ->
  ground_r h (row_at (axes_of m (lengths_for ps)) p) = g_r g p.
Proof.
  intros h ps; induction ps as [|q ps IH]; intros m p H I; [destruct I|]. simpl.
  simpl in H. rewrite !len_app in H.
  destruct (Nat.eqb_spec p q) as [->|N].
  - unfold ground_r; simpl. rewrite app_nil_r, !map_map. simpl.
    rewrite (map_seq_nth (g_d h) (lead (g_r g q))), (map_seq_nth (g_d h) (trail (g_r g q))).
    + now destruct (g_r g q).
    + intros i L. rewrite <- Nat.add_assoc, H by lia. rewrite <- app_assoc, app_nth2_plus, app_nth1; auto.
    + intros i L. rewrite H by lia. rewrite <- app_assoc, app_nth1; auto.
  - apply IH; [|destruct I; [congruence | auto]]. intros i L.
    rewrite <- !Nat.add_assoc. rewrite H by lia.
    rewrite Nat.add_assoc, <- len_app, app_nth2_plus. reflexivity.
Qed.

Lemma lengths_solution : forall cs n, sol cs g -> numbered n (flat_map vars_c cs) ->
  sol (map (sub_c (lengths_subst n (lengths_for (row_vars cs)))) cs) (spread_from n (row_vars cs)).
Proof.
  intros cs n S Nb c I. apply in_map_iff in I as (d & <- & I).
  apply def_3_4_grounding_composes. apply (agree_holds g); [|auto]. intros v J.
  assert (Iv : In v (flat_map vars_c cs)) by (apply in_flat_map; eauto).
  destruct v as [a|p]; cbn [agree_at ground_comp g_d g_r lengths_subst on_d on_r].
  - simpl. specialize (Nb _ Iv). simpl in Nb. destruct (Nat.ltb_spec a n); [auto | lia].
  - symmetry. apply axes_values; [|now apply row_vars_in]. intros i L. simpl.
    destruct (Nat.ltb_spec (n + i) n); [lia|]. f_equal. lia.
Qed.

Lemma axes_numbered : forall ps m p v, In p ps ->
  In v (vars_r (row_at (axes_of m (lengths_for ps)) p)) -> number v < m + axes_in (lengths_for ps).
Proof.
  intros ps; induction ps as [|q ps IH]; intros m p v I J; [destruct I|]. simpl in J.
  unfold lengths_for, axes_in in *; simpl in *. destruct (Nat.eqb_spec p q) as [->|N].
  - assert (G : forall x y, In v (flat_map vars_d (map DVar (seq x y))) -> x <= number v < x + y).
    { intros x y K. apply in_flat_map in K as (t & K & Kv). apply in_map_iff in K as (a & <- & K).
      apply in_seq in K. destruct Kv as [<-|[]]. exact K. }
    unfold vars_r in J; simpl in J. rewrite in_app_iff in J. destruct J as [J|J]; apply G in J; lia.
  - assert (Ip : In p ps) by (destruct I; [congruence | auto]). specialize (IH _ _ _ Ip J). lia.
Qed.

End Lengths_of.

Lemma sub_numbered : forall g cs n, numbered n (flat_map vars_c cs) ->
  numbered (n + axes_in (lengths_for g (row_vars cs)))
    (flat_map vars_c (map (sub_c (lengths_subst n (lengths_for g (row_vars cs)))) cs)).
Proof.
  intros g cs n Nb v I. apply in_flat_map in I as (c & I & J). apply in_map_iff in I as (d & <- & I).
  set (s := lengths_subst n (lengths_for g (row_vars cs))) in *.
  assert (W : exists w, In w (vars_c d) /\ In v (vars (apply s (var_term w)))).
  { assert (D : forall t, In v (vars_d (sub_d s t)) -> exists w, In w (vars_d t) /\ In v (vars (apply s (var_term w)))).
    { intros t K. apply (proj1 (vars_apply s (TD t) v)). exact K. }
    assert (R : forall T, In v (vars_r (sub_r s T)) -> exists w, In w (vars_r T) /\ In v (vars (apply s (var_term w)))).
    { intros T K. apply (proj1 (vars_apply s (TR T) v)). exact K. }
    destruct d as [t u|t u|X Y|X Y]; simpl in *; apply in_app_iff in J as [J|J];
      (apply D in J || apply R in J); destruct J as (w & Iw & K); exists w; rewrite in_app_iff; auto. }
  destruct W as (w & Iw & K).
  assert (Iw' : In w (flat_map vars_c cs)) by (apply in_flat_map; eauto).
  destruct w as [a|p].
  - simpl in K. destruct K as [<-|[]]. specialize (Nb _ Iw'). lia.
  - simpl in K. rewrite sub_rvar in K. simpl in K. eapply axes_numbered in K; [exact K|].
    now apply row_vars_in.
Qed.

Lemma search_unsat : forall solve cs n k, truthful solve -> numbered n (flat_map vars_c cs) ->
  search_lengths solve cs n k = Unsatisfiable -> ~ exists g, sol cs g.
Proof.
  intros solve cs n k Tr Nb E (g & S). unfold search_lengths in E.
  set (b := upper_bounds cs) in *.
  set (todo := map (fun p => (p, match rank_of b p with Some j => min j k | None => k end)) (row_vars cs)) in *.
  match type of E with context [first_some ?f ?l] => destruct (first_some f l) as [d|] eqn:F end.
  { apply first_some_found in F as (total & _ & F). apply tries_some in F as (ch & F). subst d.
    now apply with_lengths_not in F. }
  match type of E with context [if ?x then _ else _] => destruct x eqn:Cut end; [discriminate|].
  assert (Fst : map fst todo = row_vars cs).
  { unfold todo. rewrite map_map. simpl. apply map_id. }
  assert (Hi : forall p h, In (p, h) todo -> rank_in g p <= h).
  { intros p h I. unfold todo in I. apply in_map_iff in I as (q & Eq & I). injection Eq as -> <-.
    pose proof (upper_bounds_hold g cs S p) as B. fold b in B.
    assert (C : match rank_of b p with Some j => k <? j | None => true end = false).
    { destruct (match rank_of b p with Some j => k <? j | None => true end) eqn:X; [|auto].
      assert (Y : existsb (fun p => match rank_of b p with Some j => k <? j | None => true end) (row_vars cs) = true).
      { apply existsb_exists. eauto. }
      congruence. }
    destruct (rank_of b p) as [j|]; [|discriminate]. apply Nat.ltb_ge in C. specialize (B j eq_refl). lia. }
  assert (W : with_lengths solve cs n (lengths_for g (row_vars cs)) = None).
  { pose proof (first_some_none _ _ _ _ F (axes_in (lengths_for g (row_vars cs)))) as T. cbv beta in T.
    apply (tries_none g solve cs n todo [] (axes_in (lengths_for g (row_vars cs)))); auto.
    - now rewrite Fst.
    - apply T. apply in_seq. rewrite <- Fst. clear - Hi. split; [lia|].
      induction todo as [|[p h] l IH]; [simpl; unfold axes_in; simpl; lia|].
      unfold axes_in, lengths_for, sum_of in *; simpl in *.
      assert (A : rank_in g p <= h) by (apply (Hi p h); auto). unfold rank_in in A; simpl in A.
      assert (B : forall q j, In (q, j) l -> rank_in g q <= j) by (intros q j I; apply Hi; auto).
      specialize (IH B). lia. }
  unfold with_lengths in W. destruct (solve _ _) as [h| |] eqn:A; try discriminate.
  apply Tr in A; [|now apply sub_numbered]. apply A. eexists. now apply lengths_solution.
Qed.

(** "Unsatisfiable" means that there is no solution. *)
Theorem remark_6_7_decide_unsat : forall solve cs n k, truthful solve -> numbered n (flat_map vars_c cs) ->
  decide solve cs n k = Unsatisfiable -> ~ exists g, sol cs g.
Proof.
  intros solve cs n k Tr Nb E. unfold decide in E. destruct (solve n cs) as [h| |] eqn:A.
  - discriminate.
  - now apply Tr in A.
  - destruct (positive_cycleb (flat_map rank_facts cs)) eqn:C; [|eapply search_unsat; eauto].
    apply prop_4_6_positive_cycleb in C. intros (g & S).
    apply (positive_cycle_infeasible _ C). exists (rank_lengths g). now apply def_5_2_1_solutions_are_rank_models.
Qed.

(** * The solver of this project *)

Lemma solver_truthful : forall anti o, truthful (solver_answers anti o).
Proof.
  intros anti o. unfold solver_answers, solve_signed. split.
  - intros n cs g E. destruct (solve _ _ cs _ _) as [ds [s|f|f]]; simpl in E; try discriminate.
    destruct (solb cs (greatest (s_subst s))) eqn:S; [|discriminate]. injection E as <-. now apply solb_spec.
  - intros n cs _ E. destruct (solve _ _ cs _ _) as [ds [s|f|f]] eqn:V; simpl in E; try discriminate.
    + destruct (solb cs (greatest (s_subst s))); discriminate.
    + eapply cor_5_5_solve_unsat; eauto.
Qed.

(** Remark 6.7 for the whole program. *)
Theorem remark_6_7_decide : forall anti o cs n k,
  match decide_signed anti o cs n k with
  | Satisfied g => sol cs g
  | Unsatisfiable => ~ exists g, sol cs g
  | Unlooked | Stuck => True
  end.
Proof.
  intros anti o cs n k. destruct (decide_signed anti o cs n k) as [g| | |] eqn:E; auto; unfold decide_signed in E.
  - eapply remark_6_7_decide_sat; eauto using solver_truthful.
  - eapply remark_6_7_decide_unsat; eauto using solver_truthful, first_fresh_numbered.
Qed.

(** ** On closed rows the solver always answers *)

(** An equation of closed rows that fails without resting on a placement refutes. *)
Lemma closed_req_fails : forall P s f, guard P = Signed -> unplaced s -> step_of P s = Stopped f ->
  is_req (f_on f) -> rows_closed (f_on f) -> f_tainted f = false.
Proof.
  intros P s f G (Up & _ & Ul & Ut) E Rq Cl. unfold step_of in E.
  destruct (pop (order P) (s_phi s)) as [[[c tc] q]|] eqn:Po; [|discriminate].
  apply pop_permutation in Po.
  assert (tc = false) as ->.
  { apply (Up (c, tc)). apply (Permutation_in _ (Permutation_sym Po)). simpl; auto. }
  unfold on_constraint in E. rewrite G in E.
  destruct (note _ c (lead_facts c, trail_facts c, []) false) as [s1|f'] eqn:No.
  2: { injection E as ->. apply note_inr in No as (_ & _ & X). apply X; auto. }
  destruct (fire P (s_next s1) (s_store s1) c) as [[r o] u] eqn:Fi.
  assert (Ec : f_on f = c).
  { destruct o as [|e]; [injection E as <-; reflexivity|]. rewrite carry_out_cases in E.
    destruct (binds e) as [b|]; [|discriminate]. unfold on_binding in E. rewrite G in E.
    destruct (note _ c (lead_facts_b b, trail_facts_b b, []) _) as [s2|f'] eqn:No2; [discriminate|].
    injection E as ->. now apply note_inr in No2. }
  rewrite Ec in Rq, Cl. destruct c as [| |R Q|]; try (destruct Rq; fail). destruct Cl as [CR CQ].
  unfold fire, fire_req in Fi. rewrite CR, CQ in Fi. unfold re_closed in Fi.
  destruct (Nat.eqb _ _); injection Fi as <- <- <-; [|injection E as <-; reflexivity].
  unfold carry_out in E. simpl in E. discriminate.
Qed.

Lemma steps_rows_closed : forall P s ds s', steps P s ds s' -> forall C, stands_for P s C ->
  (forall d, In d (phi (erase C) ++ store (erase C)) -> rows_closed d) ->
  (forall d, In d ds -> d_placed d = false) /\
  exists C', stands_for P s' C' /\ forall d, In d (phi (erase C') ++ store (erase C')) -> rows_closed d.
Proof.
  intros P s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros C H Cl; [split; [intros d []|eauto]|].
  destruct (def_4_4_step_is_a_step P s C d s' H E) as (C' & S & H' & _). apply erase_step in S.
  destruct (step_rows_closed _ _ _ _ S Cl) as [Cl' Sm]. destruct (IH C' H' Cl') as [Y X].
  split; [|exact X]. intros x [<-|I]; [|auto].
  rewrite (step_placed P s d s' E). destruct (commitsb (d_on d) (d_rule d)) eqn:Z; [|auto].
  apply commitsb_true in Z. now apply Sm in Z.
Qed.

Lemma closed_answered : forall P n cs G N, (forall c, In c cs -> rows_closed c) ->
  answer_of cs (snd (solve P n cs G N)) <> Says_nothing.
Proof.
  intros P n cs G N Cl. destruct (solve P n cs G N) as [ds v] eqn:V. cbn [snd].
  assert (Cl0 : forall d, In d (phi (erase (t_initial cs)) ++ store (erase (t_initial cs))) -> rows_closed d).
  { intros d I. simpl in I. rewrite tag_all_fst, app_nil_r in I. auto. }
  destruct (solve_steps P n cs G N ds v V) as (last & Ev & R & D).
  destruct (steps_rows_closed P _ _ _ R _ (start_stands P n cs N) Cl0) as (Y & C & H & Cl').
  destruct v as [s|f|f]; simpl; [|discriminate|].
  - destruct last as [s'|s' f]; simpl in *; [|destruct (f_tainted f); discriminate]. injection Ev as <-.
    destruct (cor_5_5_solve_solved P n cs G N ds s V) as (_ & _ & X).
    destruct (solb cs (greatest (s_subst s))) eqn:Sb; [discriminate|]. exfalso.
    assert (So : sol cs (greatest (s_subst s))); [|apply solb_spec in So; congruence].
    apply X. intros c I Rq.
    destruct (done_reached P n cs ds s N R D) as (C1 & RC & _ & _ & Eb & _). rewrite <- Eb in I.
    pose proof (closing_kept _ _ _ (run_closing _ _ _ RC) (initial_invariant _)) as (_ & _ & De & _).
    specialize (De c I).
    assert (Cl1 : rows_closed c).
    { destruct (run_rows_closed _ _ RC) as [_ Z]; [intros d J; simpl in J; rewrite app_nil_r in J; auto|].
      apply Z, in_app_iff. auto. }
    destruct c; simpl in *; tauto.
  - exfalso. destruct last as [s'|s' f']; simpl in *; [discriminate|].
    destruct (f_tainted f') eqn:Tf; [|discriminate]. injection Ev as ->.
    assert (U0 : unplaced (started P n cs)).
    { repeat split; try (intros x []). simpl. rewrite waiting_new. apply untagged_tag. }
    destruct (steps_unplaced P _ _ _ G R Y _ (start_stands P n cs N) U0) as (U & C1 & H1).
    pose proof (step_unplaced P s' C1 G H1 U) as K. rewrite D in K. specialize (K Tf).
    destruct (failed_on P s' f' D) as (t & I).
    assert (Cf : rows_closed (f_on f')).
    { apply Cl', in_app_iff. left. simpl. apply in_map_iff. exists (f_on f', t). split; [auto|].
      destruct H as [(_ & Pe & _) _]. eapply Permutation_in; eauto. }
    pose proof (closed_req_fails P s' f' G U D (proj1 K) Cf) as X. congruence.
Qed.

(** So the search decides, up to its rank. *)
Theorem remark_6_7_never_stuck : forall anti o cs n k, decide_signed anti o cs n k <> Stuck.
Proof.
  intros anti o cs n k E. unfold decide_signed, decide in E.
  destruct (solver_answers anti o (first_fresh n cs) cs); try discriminate.
  destruct (positive_cycleb _); [discriminate|].
  assert (W : forall ch, (forall p, In p (row_vars cs) -> In p (map fst ch)) ->
    with_lengths (solver_answers anti o) cs (first_fresh n cs) ch <> Some Stuck).
  { intros ch Ic X. unfold with_lengths, solver_answers, solve_signed in X.
    match type of X with context [answer_of ?d (snd (solve ?q ?m ?d ?g ?nn))] =>
      pose proof (closed_answered q m d g nn) as A; destruct (answer_of d (snd (solve q m d g nn))) end;
      try discriminate. apply A; [|reflexivity].
    assert (Ra : forall l m p, In p (map fst l) -> tmid (row_at (axes_of m l) p) = None).
    { intros l; induction l as [|[q [x y]] l IH]; intros m p I; [destruct I|]. simpl.
      destruct (Nat.eqb_spec p q) as [->|N]; [reflexivity|]. apply IH. destruct I; [simpl in *; congruence | auto]. }
    intros d I. apply in_map_iff in I as (c & <- & I).
    assert (M : forall R, incl (vars_r R) (vars_c c) ->
      tmid (sub_r (lengths_subst (first_fresh n cs) ch) R) = None).
    { intros R V. unfold sub_r. destruct (tmid R) as [p|] eqn:Ep; [|reflexivity]. simpl. apply Ra, Ic, row_vars_in.
      apply in_flat_map. exists c. split; [auto|]. apply V. now apply mid_in_vars. }
    destruct c as [t u|t u|R Q|R Q]; simpl; auto; split; apply M; intros v J; simpl; apply in_app_iff; auto. }
  unfold search_lengths in E.
  set (b := upper_bounds cs) in *.
  set (todo := map (fun p => (p, match rank_of b p with Some j => min j k | None => k end)) (row_vars cs)) in *.
  match type of E with context [first_some ?f ?l] => destruct (first_some f l) as [d|] eqn:F end.
  2: { match type of E with context [if ?x then _ else _] => destruct x end; discriminate. }
  subst d. apply first_some_found in F as (total & _ & F).
  assert (G : forall todo ch left, tries (solver_answers anti o) cs (first_fresh n cs) todo ch left = Some Stuck ->
    exists ch', map fst ch' = map fst ch ++ map fst todo /\
      with_lengths (solver_answers anti o) cs (first_fresh n cs) ch' = Some Stuck).
  { clear. intros todo; induction todo as [|[p high] todo IH]; intros ch left E; cbn [tries] in E;
      destruct (fits cs ch); try discriminate.
    - destruct (Nat.eqb left 0); [|discriminate]. exists ch. simpl. now rewrite app_nil_r.
    - apply first_some_found in E as (rank & _ & E). apply first_some_found in E as (l & _ & E).
      destruct (IH _ _ E) as (ch' & A & B). exists ch'. split; [|auto]. rewrite A, map_app, <- app_assoc. reflexivity. }
  destruct (G todo [] total F) as (ch & Ef & X). apply W in X; [exact X|].
  intros p I. rewrite Ef. simpl. unfold todo. rewrite map_map. simpl. now rewrite map_id.
Qed.
