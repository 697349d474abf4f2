(** Prop. 6.2 for the whole program that closes, whatever is tagged: a leaf need
    not occur in the input. *)

From Coq Require Import List Bool Arith Permutation Sorted Lia.
From Lozenge Require Import Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm Rules Rules_thm
  Guard Guard_thm Solved Solved_thm Runs Runs_thm Taint Taint_thm Certificate Closing Closing_thm
  Queue Queue_thm Fire Fire_thm Solver Solver_thm Solve_thm Close Close_thm Close_ends_thm.
Import ListNotations.

(** * Equations that say nothing, to mention the leaves *)

Definition mention (v : var) : constr :=
  match v with DV a => DEq (DVar a) (DVar a) | RV p => REq (rvar_term p) (rvar_term p) end.

Definition with_leaves (cs : list constr) (T : tagging) : list constr := cs ++ map mention (leaves T).

Lemma mention_vars : forall v w, In w (vars_c (mention v)) <-> w = v.
Proof. intros [a|p] w; simpl; intuition congruence. Qed.

Lemma with_leaves_vars : forall cs T v,
  In v (flat_map vars_c (with_leaves cs T)) <-> In v (flat_map vars_c cs ++ leaves T).
Proof.
  intros cs T v. unfold with_leaves. rewrite flat_map_app, !in_app_iff.
  assert (E : In v (flat_map vars_c (map mention (leaves T))) <-> In v (leaves T)); [|tauto].
  rewrite in_flat_map. split.
  - intros (c & I & J). apply in_map_iff in I as (w & <- & I). apply mention_vars in J as ->. auto.
  - intros I. exists (mention v). split; [now apply in_map | now apply mention_vars].
Qed.

Lemma with_leaves_sol : forall cs T g, sol (with_leaves cs T) g <-> sol cs g.
Proof.
  intros cs T g. unfold with_leaves. split.
  - intros H c I. apply H, in_app_iff. auto.
  - intros H c I. apply in_app_iff in I as [I|I]; [auto|]. apply in_map_iff in I as (v & <- & _).
    destruct v; reflexivity.
Qed.

(** The solver discards them. *)
Definition mentioned (cs : list constr) (T : tagging) : tconfig :=
  TConfig (tag_all false cs) id_subst [] (flat_map vars_c (with_leaves cs T)) [] [].

Lemma mention_fires : forall used B v, exists r, fires used B (mention v) r (Does (Effect [] None [] false)) /\
  lead_facts (mention v) = [] /\ trail_facts (mention v) = [].
Proof.
  intros used B [a|p].
  - exists DE_refl. split; [apply F_de_refl | auto].
  - exists RE_same_empty. split; [|auto].
    exact (F_re_same_empty used B (rvar_term p) (rvar_term p) p eq_refl eq_refl eq_refl eq_refl).
Qed.

Lemma mentions_go : forall cs U vs,
  t_run any_step (TConfig (tag_all false (cs ++ map mention vs)) id_subst [] U [] [])
                 (TConfig (tag_all false cs) id_subst [] U [] []).
Proof.
  intros cs U vs; induction vs as [|v vs IH]; simpl.
  - rewrite app_nil_r. apply T_nil.
  - destruct (mention_fires U [] v) as (r & F & El & Et).
    eapply T_cons; [exact I | | exact IH].
    assert (N : TConfig (tag_all false (cs ++ map mention vs)) id_subst [] U [] [] =
      t_next (TConfig (tag_all false (cs ++ mention v :: map mention vs)) id_subst [] U [] [])
             (tag_all false cs ++ tag_all false (map mention vs)) (mention v) (Effect [] None [] false) false false).
    { unfold t_next; simpl. rewrite El, Et. unfold tag_all. rewrite map_app, app_nil_r. reflexivity. }
    rewrite N. apply (T_step _ (tag_all false cs) (mention v) false (tag_all false (map mention vs)) r).
    + simpl. unfold tag_all. now rewrite map_app.
    + exact F.
    + intros _. split; [reflexivity | exact F].
    + intros _ X. destruct v; inversion F; subst; simpl in X; auto.
Qed.

Lemma mentioned_reached : forall cs T, t_run any_kind (t_initial (with_leaves cs T)) (mentioned cs T).
Proof.
  intros cs T. eapply t_run_mono; [|apply mentions_go]. intros k _. exact I.
Qed.

Lemma mentioned_stands : forall P m cs T, numbered m (flat_map vars_c cs ++ leaves T) ->
  stands_for P (started P m cs) (mentioned cs T).
Proof.
  intros P m cs T N. destruct (start_stands P m cs) as [(Pr & Pe & Es & Eb & _ & One) Fa].
  { intros v I. apply N, in_app_iff. auto. }
  split; [|exact Fa]. split; [exact Pr | split; [exact Pe | split; [exact Es | split; [exact Eb | split; [|exact One]]]]].
  intros v I. apply N. now apply with_leaves_vars.
Qed.

(** * The order of variables is one *)

Definition ordered : list var -> Prop := StronglySorted (fun v w => older v w = true).

Lemma insert_ordered : forall v l, ordered l -> ordered (insert_var v l).
Proof.
  unfold ordered. intros v l; induction l as [|u l IH]; intros H; simpl; [repeat constructor|].
  inversion H as [|u' us S F]; subst. destruct (var_eqb v u) eqn:E; [exact H|]. destruct (older v u) eqn:O.
  - constructor; [exact H|]. constructor; [exact O|]. rewrite Forall_forall in *. intros w I.
    eapply older_trans; [exact O | auto].
  - constructor; [now apply IH|]. rewrite Forall_forall in *. intros w I.
    apply insert_var_In in I as [->|I]; [now apply older_total | auto].
Qed.

Lemma sort_ordered : forall l, ordered (sort_vars l).
Proof.
  intros l. unfold sort_vars.
  assert (G : forall k, ordered k -> ordered (fold_left (fun l v => insert_var v l) l k)).
  { induction l as [|v l IH]; intros k H; simpl; [auto|]. apply IH. now apply insert_ordered. }
  apply G. constructor.
Qed.

Lemma ordered_unique : forall l k, ordered l -> ordered k -> (forall v, In v l <-> In v k) -> l = k.
Proof.
  unfold ordered. intros l; induction l as [|v l IH]; intros [|w k] Hl Hk E; auto.
  - destruct (proj2 (E w)); now left.
  - destruct (proj1 (E v)); now left.
  - inversion Hl as [|v' l' Sl Fl]; inversion Hk as [|w' k' Sk Fk]; subst. rewrite Forall_forall in Fl, Fk.
    assert (v = w) as ->.
    { destruct (proj1 (E v) (or_introl eq_refl)) as [X|X]; [auto|].
      destruct (proj2 (E w) (or_introl eq_refl)) as [Y|Y]; [auto|].
      pose proof (older_trans _ _ _ (Fl w Y) (Fk v X)) as Z. now rewrite older_irrefl in Z. }
    f_equal. apply IH; auto. intros u. split; intros I.
    + destruct (proj1 (E u) (or_intror I)) as [<-|J]; [|auto].
      specialize (Fl _ I). now rewrite older_irrefl in Fl.
    + destruct (proj2 (E u) (or_intror I)) as [<-|J]; [|auto].
      specialize (Fk _ I). now rewrite older_irrefl in Fk.
Qed.

Lemma pieces_with_leaves : forall cs T s, pieces_of cs T s = pieces_of (with_leaves cs T) T s.
Proof.
  intros cs T s. unfold pieces_of.
  replace (sort_vars (flat_map vars_c (with_leaves cs T) ++ leaves T))
    with (sort_vars (flat_map vars_c cs ++ leaves T)); [reflexivity|].
  apply ordered_unique; [apply sort_ordered | apply sort_ordered|]. intros v.
  rewrite !sort_vars_In, (in_app_iff (flat_map vars_c (with_leaves cs T))), with_leaves_vars, !in_app_iff. tauto.
Qed.

Lemma close_for_with_leaves : forall P K run arrange cs T n s l,
  close_for P K run arrange cs T n s l = close_for P K run arrange (with_leaves cs T) T n s l.
Proof.
  intros P K run arrange cs T n; induction n as [|n IH]; intros s l; cbn [close_for];
    destruct (forwarded P K run _ s) as [[s1|f]|]; cbn [and_then]; auto; rewrite pieces_with_leaves; auto.
  destruct (chosen _ _ _ _) as [[|b bs]|u]; auto. cbn zeta.
  destruct (run (commit_all P s1 (b :: bs))) as [[s2|f]|]; cbn [and_then]; auto.
Qed.

(** * Whatever is tagged *)

(** Prop. 6.2, soundness: values solve the input, and where the program fails
    without the tag there is no solution. *)
Theorem prop_6_2_close_any_tags : forall P K n m cs T, numbered m (flat_map vars_c cs ++ leaves T) ->
  match close P K n m cs T with
  | Closed_at s _ => sol cs (greatest (s_subst s))
  | Failed_with f _ => f_tainted f = false -> ~ exists g, sol cs g
  | Hole_at _ _ | Unfinished => True
  end.
Proof.
  intros P K n m cs T N.
  assert (Le : incl (leaves T) (flat_map vars_c (with_leaves cs T))).
  { intros v I. apply with_leaves_vars, in_app_iff. auto. }
  assert (G : comes_to (with_leaves cs T) (close P K n m cs T)).
  { unfold close, close_within.
    pose proof (run_rests P (run_within P n) (with_leaves cs T) (run_within_faithful P _ n) _ _
      (mentioned_reached cs T) (mentioned_stands P m cs T N)) as F.
    destruct (run_within P n (started P m cs)) as [[s|f]|]; cbn [and_then]; [|exact F | exact I].
    destruct F as (C & _ & R & H & E). rewrite close_for_with_leaves.
    apply (close_for_comes P K (run_within P n) (fun l => l) (with_leaves cs T) T (run_within_faithful P _ n)); auto.
    - intros l. apply incl_refl.
    - exists C. auto. }
  destruct (close P K n m cs T) as [s l|f l|v p|]; auto; simpl in G.
  - destruct G as (C & R & Ep & Es & A).
    pose proof (closing_kept _ _ _ R (initial_invariant _)) as Inv.
    destruct (closing_end _ C Inv Ep A) as (So & _). unfold gamma_close in So. rewrite Es in So.
    now apply with_leaves_sol in So.
  - intros Tf (g & S). apply (G Tf). exists g. now apply with_leaves_sol.
Qed.

(** Prop. 6.2, termination. *)
Theorem prop_6_2_close_ends_any_tags : forall P K cs T m, guard P = Signed ->
  numbered m (flat_map vars_c cs ++ leaves T) ->
  exists x N, x <> Unfinished /\ forall n, N <= n -> close P K n m cs T = x.
Proof.
  intros P K cs T m G Nu.
  assert (Le : incl (leaves T) (flat_map vars_c (with_leaves cs T))).
  { intros v I. apply with_leaves_vars, in_app_iff. auto. }
  destruct (reached_run P (with_leaves cs T) G (started P m cs) (mentioned cs T)
    (conj (mentioned_reached cs T) (mentioned_stands P m cs T Nu))) as (x & N1 & A & B).
  destruct x as [s|f].
  - destruct (B s eq_refl) as (C & Re & E & _). destruct (sized_some (erase C)) as (n & d & k & Sz).
    destruct (close_for_ends P K (fun l => l) (with_leaves cs T) T G (fun l => incl_refl l) Le n d k s [])
      as (x & N2 & Nx & H); [exists C; auto|].
    exists x, (max N1 N2). split; [exact Nx|]. intros i Li. unfold close, close_within. rewrite A by lia.
    cbn [and_then]. rewrite close_for_with_leaves. apply H; lia.
  - exists (Failed_with f []), N1. split; [discriminate|]. intros i Li. unfold close, close_within.
    rewrite A by lia. reflexivity.
Qed.
