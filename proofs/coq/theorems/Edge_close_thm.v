(** 5.5(iv) and closing: it keeps to the left edge; done to the letter of Def. 6.1 it
    depends on the strategy even there. *)

From Coq Require Import PArith List Bool Arith ZArith Lia Permutation.
From Lozenge Require Import Dim Row Term Semantics Rules Rules_thm Guard Solved Solved_thm
  Runs Runs_thm Taint Taint_thm Queue Fire Solver Solver_thm Closing Closing_thm Close Close_thm Joins_thm
  Edge Edge_thm.
Import ListNotations.

(** * Values of leaves *)

Definition edge_part (X : part) : Prop := p_lead X = [].

Definition edge_joins (J : joins) : Prop := forall p X, In (p, X) J -> edge_part X.

Lemma edge_part_join : forall X Y, edge_part X -> edge_part (part_join X Y).
Proof. unfold edge_part, part_join. simpl. now intros X Y ->. Qed.

Lemma edge_around : forall low R X, edge_r R -> edge_part X -> edge_part (around low R X).
Proof. unfold edge_part, edge_r, around. simpl. now intros low R X -> ->. Qed.

Lemma edge_set_join : forall J p X, edge_joins J -> edge_part X -> edge_joins (set_join J p X).
Proof.
  intros J; induction J as [|[q Y] J IH]; intros p X H HX r Z I; simpl in I.
  - destruct I as [I|[]]. now injection I as <- <-.
  - destruct (Nat.eqb p q); destruct I as [I|I].
    + now injection I as <- <-.
    + apply (H r). now right.
    + injection I as <- <-. apply (H q). now left.
    + apply (IH p X) with (p := r); auto. intros r' Z' I'. apply (H r'). now right.
Qed.

Lemma edge_join_cap : forall open tell low J b cap, edge_joins J -> edge_r (fst cap) ->
  edge_joins (fst (join_cap open tell low (J, b) cap)).
Proof.
  intros open tell low J b [R p] H E. unfold join_cap. cbn [fst snd] in *.
  set (inner := match tmid R with None => _ | Some _ => _ end).
  assert (I : forall X, inner = Some X -> edge_part X).
  { intros X. unfold inner. destruct (tmid R) as [q|]; [|now intros [= <-]].
    destruct (open && _); [destruct (bare_of R); [discriminate | now intros [= <-]]|].
    intros Y. apply join_at_in in Y. exact (H _ _ Y). }
  clearbody inner. destruct inner as [X|]; [|exact H]. specialize (I X eq_refl).
  pose proof (edge_around low R X E I) as A. destruct (join_at J p) as [Y|] eqn:Ej; cbn [fst].
  - apply edge_set_join; [exact H|]. apply edge_part_join. apply join_at_in in Ej. exact (H _ _ Ej).
  - now apply edge_set_join.
Qed.

Lemma edge_join_rounds : forall open tell low caps, (forall cap, In cap caps -> edge_r (fst cap)) ->
  forall n J, edge_joins J -> edge_joins (join_rounds n open tell low caps J).
Proof.
  intros open tell low caps Hc n; induction n as [|n IH]; intros J H; simpl; [exact H|].
  assert (G : forall l x, (forall cap, In cap l -> edge_r (fst cap)) -> edge_joins (fst x) ->
    edge_joins (fst (fold_left (join_cap open tell low) l x))).
  { intros l; induction l as [|cap l IHl]; intros [J' b] Hl HJ; simpl; [exact HJ|].
    apply IHl; [intros c I; apply Hl; now right|]. apply edge_join_cap; [exact HJ | apply Hl; now left]. }
  specialize (G caps (J, false) Hc H). destruct (fold_left _ caps (J, false)) as [J' [|]]; auto.
Qed.

Lemma edge_caps_of : forall B, edge_set (map fst B) -> forall cap, In cap (caps_of B) -> edge_r (fst cap).
Proof.
  intros B E cap I. apply in_flat_map in I as ([c t] & I & J). apply (in_map fst) in I. apply E in I.
  cbn [fst] in *. destruct c as [| | |R Q]; try destruct J. destruct (tmid Q); [|destruct J].
  destruct J as [<-|[]]. apply I.
Qed.

Lemma edge_joins_of : forall open B, edge_set (map fst B) -> edge_joins (joins_of open B).
Proof. intros open B E. apply edge_join_rounds; [now apply edge_caps_of | intros p X []]. Qed.

Lemma edge_leaf_row : forall p X b c, edge_part X -> leaf_row p X b = inl c -> edge_b (fst c).
Proof.
  intros p X b c H. unfold leaf_row.
  assert (V : edge_r (term_of (filled X))) by (unfold edge_r, term_of, filled; simpl; now rewrite H).
  destruct (holes X); [|destruct b]; try discriminate; intros [= <-]; exact V.
Qed.

Lemma edge_top_of : forall v, edge_b (top_of v).
Proof. intros [a|p]; simpl; [exact I | reflexivity]. Qed.

Lemma edge_part_joins : forall Xs X, (forall Y, In Y Xs -> edge_part Y) -> part_joins Xs = Some X -> edge_part X.
Proof.
  intros [|Y Ys] X H E; [discriminate|]. simpl in E. injection E as <-.
  assert (G : forall l Z, edge_part Z -> edge_part (fold_left part_join l Z)).
  { intros l; induction l as [|W l IH]; intros Z HZ; simpl; auto using edge_part_join. }
  apply G, H. now left.
Qed.

(** What closing commits is at the left edge. *)
Lemma edge_chosen : forall K B ps ls bs, edge_set (map fst B) -> (forall d, In d (map fst B) -> ~ is_req d) ->
  chosen K B ps ls = inl bs -> forall c, In c bs -> edge_b (fst c).
Proof.
  intros K B ps ls bs E N X c I.
  assert (W : forall V, close_words V B = []).
  { intros V. unfold close_words, deferred_of. destruct V; auto.
    assert (F : filter (fun c => match c with REq _ _ => true | _ => false end) (map fst B) = []).
    { clear - N. induction (map fst B) as [|d l IH]; simpl; auto.
      destruct d as [t u|t u|R Q|R Q]; simpl; try (apply IH; intros x J; apply N; now right).
      destruct (N (REq R Q)); simpl; auto. }
    now rewrite F. }
  assert (J : forall open p X, join_at (joins_of open B) p = Some X -> edge_part X).
  { intros open p X' Y. apply join_at_in in Y. exact (edge_joins_of open B E _ _ Y). }
  unfold chosen, or_else in X. rewrite W in X. destruct (caps_by K).
  - destruct (capped _ _ _ _) as [[|c1 cs1]|u] eqn:E1; [| |discriminate].
    2: { injection X as <-. destruct (all_known_In _ _ _ _ E1 c I) as ([a|p] & _ & Y).
         - destruct (lower_of B a); [|destruct Y]. destruct Y as [Y|[]]. now injection Y as <-.
         - destruct (join_at _ p) as [X|] eqn:Ej; [|destruct Y]. destruct Y as [Y|[]]. eapply edge_leaf_row; eauto. }
    destruct (open_capped _ _ _) as [[|c2 cs2]|u] eqn:E2; [| |discriminate].
    2: { injection X as <-.
         assert (G : forall sure l, open_capped_if sure (joins_of true B) ps ls = inl l -> forall c, In c l -> edge_b (fst c)).
         { intros sure l El x Ix. destruct (all_known_In _ _ _ _ El x Ix) as ([a|p] & _ & Y); [destruct Y|].
           destruct (join_at _ p) as [X|] eqn:Ej; [|destruct Y]. cbn zeta in Y.
           match type of Y with context [if ?x then _ else _] => destruct x end; [|destruct Y].
           destruct Y as [Y|[]]. eapply edge_leaf_row; eauto. }
         unfold open_capped in E2. destruct (open_capped_if true _ _ _) as [[|y ys]|] eqn:E3; [| |discriminate].
         - exact (G _ _ E2 c I).
         - injection E2 as <- <-. exact (G _ _ E3 c I). }
    unfold close_bare in X. destruct (sort_vars _); [|discriminate]. injection X as <-.
    apply in_map_iff in I as (v & <- & _). apply edge_top_of.
  - destruct (close_next _ _ _) as [[|c1 cs1]|u] eqn:E1; [| |discriminate].
    { injection X as <-. destruct I. }
    injection X as <-. unfold close_next in E1. destruct ls as [|[a|p] ls]; [discriminate| |].
    + destruct (lower_of B a); [|destruct (is_param _ _); [discriminate|]]; injection E1 as <- <-;
        destruct I as [<-|[]]; exact Logic.I.
    + destruct (part_joins _) as [X|] eqn:Ej.
      * destruct (leaf_row _ _ _) as [x|] eqn:El; [|discriminate]. injection E1 as <- <-. destruct I as [<-|[]].
        eapply edge_leaf_row; [|exact El]. eapply edge_part_joins; [|exact Ej]. intros Y IY.
        apply in_map_iff in IY as (R & <- & IY). apply in_flat_map in IY as (d & Id & Jd). apply E in Id.
        unfold cap_on in Jd. destruct d as [| | |R' Q]; try destruct Jd. destruct (is_mid p (tmid Q)); [|destruct Jd].
        destruct Jd as [<-|[]]. destruct Id as [Id _]. unfold edge_part, ground_part; simpl. now rewrite Id.
      * injection E1 as <- <-. destruct I as [<-|[]]. reflexivity.
Qed.

Lemma edge_equation : forall b, edge_b b -> edge_c (equation b).
Proof. intros [a t|p R] H; simpl in *; auto. split; [apply edge_rvar | exact H]. Qed.

(** * Closing *)

Section Edge_close.
Variable P : policy.
Variable K : close_policy.
Variable run : state -> option (state + failure).
Variable arrange : list var -> list var.
Variable cs : list constr.
Variable T : tagging.
Hypothesis run_faithful : faithful P cs run.
Hypothesis arranged : forall l, incl (arrange l) l.
Hypothesis leaves_in : incl (leaves T) (flat_map vars_c cs).

(** Nothing is pending or deferred, and all is at the left edge. *)
Definition edge_rests (s : state) (C : tconfig) : Prop :=
  t_run any_kind (t_initial cs) C /\ stands_for P s C /\ t_phi C = [] /\ edge_config (erase C) /\
  forall d, In d (store (erase C)) -> ~ is_req d.

Lemma edge_add_run : forall s C xs s', edge_rests s C -> (forall x, In x xs -> addable C x) ->
  edge_set (map fst xs) -> run (add_all P s xs) = Some (inl s') -> exists C', edge_rests s' C'.
Proof.
  intros s C xs s' (R & H & E & EC & N) A Ex X.
  destruct (add_all_run P xs s C H A) as (C1 & R1 & H1 & E1).
  assert (R1' : t_run any_kind (t_initial cs) C1) by (eapply t_run_trans; eauto).
  pose proof (run_faithful _ C1 R1' H1) as F. rewrite X in F. destruct F as (C' & R' & H' & E').
  apply t_run_erase in R' as RE. rewrite E1 in RE.
  assert (EC1 : edge_config (extend (erase C) (map fst xs))).
  { destruct EC as (A1 & A2 & A3). split; [|auto]. intros c I. apply in_app_iff in I as [I|I]; auto. }
  exists C'. split; [|split; [auto | split; [auto | split]]].
  - eapply t_run_trans; [exact R1'|]. eapply t_run_mono; [|exact R']. intros k _. exact I.
  - exact (edge_run _ _ _ edge_any RE EC1).
  - exact (edge_store _ _ _ edge_any RE EC1 N).
Qed.

Lemma edge_forward : forall n s sent C s', edge_rests s C -> forward P run n s sent = Some (inl s') ->
  exists C', edge_rests s' C'.
Proof.
  intros n; induction n as [|n IH]; intros s sent C s' H X; simpl in X;
    destruct (to_send (s_store s) sent) as [sent' [|x xs]] eqn:S; try discriminate;
    try (injection X as <-; eauto).
  destruct (run (add_all P s (x :: xs))) as [[s1|f]|] eqn:E1; try discriminate.
  destruct (edge_add_run s C (x :: xs) s1 H) as (C1 & H1); auto; [| |eapply IH; eauto].
  - intros y I. destruct H as (R & H & _). apply (to_send_addable C sent).
    + apply (reached_well_formed cs C R).
    + destruct H as [(_ & _ & _ & Eb & _) _]. rewrite <- Eb, S. exact I.
  - intros c I. apply in_map_iff in I as ([c0 t] & <- & I).
    assert (I' : In (c0, t) (snd (to_send (s_store s) sent))) by now rewrite S.
    apply to_send_passed in I' as (d & a & b & u & w & Y & _). injection Y as -> _. exact Logic.I.
Qed.

Lemma edge_commit : forall s C bs s', edge_rests s C -> (forall c, In c bs -> knows (erase C) (equation (fst c))) ->
  (forall c, In c bs -> edge_b (fst c)) -> run (commit_all P s bs) = Some (inl s') -> exists C', edge_rests s' C'.
Proof.
  intros s C bs s' H Kn Eb X. eapply edge_add_run; [exact H | | |exact X].
  - intros [c t] I. apply in_tag_all in I as [I ->]. apply in_map_iff in I as (d & <- & I).
    now apply commitment_addable, Kn.
  - intros c I. rewrite tag_all_fst in I. apply in_map_iff in I as (d & <- & I). now apply edge_equation, Eb.
Qed.

Lemma edge_close_for : forall n s C l s' l', edge_rests s C ->
  close_for P K run arrange cs T n s l = Closed_at s' l' -> exists C', edge_rests s' C'.
Proof.
  assert (Fw : forall n s C s1, edge_rests s C -> forwarded P K run n s = Some (inl s1) -> exists C1, edge_rests s1 C1).
  { intros n s C s1 H X. unfold forwarded in X. destruct (caps_by K); [eapply edge_forward; eauto|].
    injection X as <-. eauto. }
  assert (Up : forall s C l s' l', edge_rests s C ->
    match close_up (pieces_of cs T s) with
    | [] => Closed_at s l
    | b :: bs =>
        let l := l ++ map (assumed (pieces_of cs T s)) (b :: bs) in
        and_then (run (commit_all P s (b :: bs))) l (fun s => Closed_at s l)
    end = Closed_at s' l' -> exists C', edge_rests s' C').
  { intros s C l s' l' H X. destruct (close_up (pieces_of cs T s)) as [|b bs] eqn:Ec; [injection X as <- _; eauto|].
    cbn zeta in X. unfold and_then in X. destruct (run (commit_all P s (b :: bs))) as [[s2|f]|] eqn:Er; try discriminate.
    injection X as <- _. rewrite <- Ec in Er. destruct H as (R & H & H'). eapply edge_commit; [split; eauto | | |exact Er].
    - intros c I. apply in_map_iff in I as ([v x] & <- & I). apply upward_knows. constructor.
      apply (pieces_unsolved P cs T leaves_in s C v R H). apply in_map_iff. exists (v, x). auto.
    - intros c I. apply in_map_iff in I as ([v x] & <- & I). apply edge_top_of. }
  intros n; induction n as [|n IH]; intros s C l s' l' H X; cbn [close_for] in X; unfold and_then at 1 in X.
  - destruct (forwarded P K run 0 s) as [[s1|f]|] eqn:Ef; try discriminate.
    destruct (Fw _ _ _ _ H Ef) as (C1 & H1). cbn zeta in X.
    destruct (chosen K (s_store s1) _ _) as [[|b bs]|u]; try discriminate. eapply Up; eauto.
  - destruct (forwarded P K run (S n) s) as [[s1|f]|] eqn:Ef; try discriminate.
    destruct (Fw _ _ _ _ H Ef) as (C1 & H1). cbn zeta in X.
    destruct (chosen K (s_store s1) _ _) as [[|b bs]|u] eqn:Ch; try discriminate; [eapply Up; eauto|].
    unfold and_then in X. destruct (run (commit_all P s1 (b :: bs))) as [[s2|f]|] eqn:Er; try discriminate.
    destruct (edge_commit s1 C1 (b :: bs) s2 H1) as (C2 & H2); auto; [| |eapply IH; eauto].
    + destruct H1 as (R1 & St & _). exact (chosen_knows P K arrange cs T arranged leaves_in s1 C1 (b :: bs) R1 St Ch).
    + destruct H1 as (_ & St & _ & EC & N). destruct St as [(_ & _ & _ & Eb & _) _].
      refine (edge_chosen _ _ _ _ _ _ _ Ch); rewrite Eb; [apply EC | exact N].
Qed.
End Edge_close.

(** 5.5.iv.  Whatever the policies of solving and closing: where closing ends with values, they are a
    solution at the left edge. *)
Theorem cor_5_5_iv_close : forall P K n m cs T s l, edge_set cs -> incl (leaves T) (flat_map vars_c cs) ->
  numbered m (flat_map vars_c cs) -> close P K n m cs T = Closed_at s l -> edge_sol cs (greatest (s_subst s)).
Proof.
  intros P K n m cs T s l E Le N X. split.
  - unfold close, close_within in X. unfold and_then in X.
    pose proof (run_within_faithful P cs n) as Fa.
    destruct (run_within P n (started P m cs)) as [[s0|f]|] eqn:Er; try discriminate.
    pose proof (Fa _ (t_initial cs) (T_nil _ _) (start_stands P m cs N)) as F. rewrite Er in F.
    destruct F as (C0 & R0 & H0 & E0).
    assert (R1 : run any_step (initial cs) (erase C0)) by now apply taint_erase.
    destruct (edge_reached cs _ E R1) as [EC Nr].
    assert (H : edge_rests P cs s0 C0).
    { split; [|auto]. eapply t_run_mono; [|exact R0]. intros k _. exact I. }
    destruct (edge_close_for P K _ _ cs T Fa (fun l => incl_refl l) Le n s0 C0 [] s l H X) as (C & _ & St & _ & (_ & _ & Es) & _).
    destruct St as [(_ & _ & Eq & _) _]. rewrite Eq. now apply edge_greatest.
  - pose proof (prop_6_2_close P K n m cs T Le N) as S. now rewrite X in S.
Qed.

(** The values that closing to the letter gives to p and q. *)
Definition ages_closed (K : cap_policy) (o : strategy) : option (list binding) :=
  match close (Policy Signed true o) (Close_policy K Least_material) 20 2 example_6_1_ages (Tagging [RV 0; RV 1] []) with
  | Closed_at s _ => Some (closed_values example_6_1_ages s)
  | _ => None
  end.

(** 5.5.iv.  Closing leaf by leaf, oldest first, as Def. 6.1 has it, gives a leaf at the left edge another
    axis under another strategy: how old the fresh variables are depends on it.  With Remark 6.3 it does not. *)
Theorem cor_5_5_iv_ages : edge_set example_6_1_ages /\
  ages_closed Stored Fifo = Some [BindR 0 (RTerm [] None [n3]); BindR 1 (RTerm [] None [n3])] /\
  ages_closed Stored Lifo = Some [BindR 0 (RTerm [] None [n3]); BindR 1 (RTerm [] None [DConst Unit])] /\
  ages_closed Saturated Fifo = ages_closed Saturated Lifo.
Proof. split; [now apply edgeb_spec|]. split; [|split]; vm_compute; reflexivity. Qed.
