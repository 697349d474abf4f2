(** 5.5(iv): the solver that runs collapses all cycles, so its runs end alike (5.6) at
    the left edge; a path of adjacencies is found where there is one. *)

From Coq Require Import PArith List Bool Arith ZArith Lia Permutation.
From Lozenge Require Import Compat Dim Row Term Term_thm Semantics Semantics_thm Rules Rules_thm Tactics Guard Solved Solved_thm
  Runs Runs_thm Termination_thm Closing Closing_thm Exact Taint Taint_thm Certificate Queue Queue_thm Fire Fire_thm Solver Solver_thm
  Solve Solve_thm Closing_leaf_thm Close Close_thm Edge Edge_thm Edge_solver_thm Edge_settled_thm Edge_confluence_thm.
Import ListNotations.
(** * DI-antisym finds every path *)

(** What a search met: each variable once, from where it started or from one met before. *)
Fixpoint met_in_order (from : dvar) (m : met) : Prop :=
  match m with
  | [] => True
  | (b, (a, _)) :: m => (a = from \/ In a (map fst m)) /\ ~ In b (map fst m) /\ met_in_order from m
  end.

Lemma met_at_none : forall m a, met_at m a = None <-> ~ In a (map fst m).
Proof.
  intros m a; induction m as [|[b x] m IH]; simpl; [tauto|].
  destruct (Nat.eqb_spec a b) as [->|N]; [split; [discriminate | tauto]|]. rewrite IH. split; intros H; [|tauto].
  intros [E|I]; [congruence | tauto].
Qed.

Lemma back_complete : forall n from m m1 m2 x t, m = m1 ++ m2 -> met_in_order from m -> length m2 <= n ->
  x = from \/ In x (map fst m2) -> back n m from x t <> None.
Proof.
  intros n; induction n as [|n IH]; intros from m m1 m2 x t E O L [->|I]; simpl;
    try (rewrite Nat.eqb_refl; discriminate).
  - destruct m2; [destruct I | simpl in L; lia].
  - destruct (Nat.eqb_spec x from) as [->|N]; [discriminate|].
    apply in_map_iff in I as ([x' [a t']] & Ex & I). simpl in Ex. subst x'. apply in_split in I as (p & q & ->).
    assert (M : met_at m x = Some (a, t') /\ (a = from \/ In a (map fst q))).
    { clear - E O. rewrite app_assoc in E. revert m E O. induction (m1 ++ p) as [|[b [a' s]] l IHl]; intros m E O; subst m; simpl in *.
      - rewrite Nat.eqb_refl. tauto.
      - destruct O as (_ & Nb & O). destruct (IHl _ eq_refl O) as [H1 H2]. destruct (Nat.eqb_spec x b) as [->|_]; [|auto].
        exfalso. apply Nb. rewrite map_app, in_app_iff. simpl. auto. }
    destruct M as [-> A]. apply (IH from m (m1 ++ p ++ [(x, (a, t'))]) q); auto.
    + rewrite E, <- !app_assoc. reflexivity.
    + rewrite len_app in L. simpl in L. lia.
Qed.

(** Everything met or to be looked at; what was looked at has no neighbour outside. *)
Definition search_state (B : list tagged) (from : dvar) (open : list dvar) (m : met) : Prop :=
  met_in_order from m /\ ~ In from (map fst m) /\ incl (map fst m) (flat_map (fun x => match fst x with DLe _ (DVar b) => [b] | _ => [] end) B) /\
  incl open (from :: map fst m) /\
  forall x, In x (from :: map fst m) -> In x open \/ forall b t, In (b, t) (above B x) -> In b (from :: map fst m).

Lemma order_nodup : forall from m, met_in_order from m -> NoDup (map fst m).
Proof. intros from m; induction m as [|[b [a t]] m IH]; simpl; intros H; constructor; tauto. Qed.

Lemma above_complete : forall B a b, In (DLe (DVar a) (DVar b)) (map fst B) -> exists t, In (b, t) (above B a).
Proof.
  intros B a b I. apply in_map_iff in I as ([c t] & E & I). simpl in E. subst c. exists t.
  unfold above. apply in_flat_map. exists (DLe (DVar a) (DVar b), t). split; [exact I|]. rewrite Nat.eqb_refl. now left.
Qed.

Lemma search_complete : forall n B from to open m, search_state B from open m ->
  length open + (length B - length m) <= n -> adj_path (map fst B) from to -> from <> to ->
  let m' := search n B from to open m in met_in_order from m' /\ In to (map fst m') /\ length m' <= length B.
Proof.
  assert (Size : forall B from open m, search_state B from open m -> length m <= length B).
  { intros B from open m (O & _ & Inc & _). pose proof (NoDup_incl_length (order_nodup from m O) Inc) as L.
    rewrite len_map in L. eapply Nat.le_trans; [exact L|].
    clear. induction B as [|[c t] B IH]; simpl; [lia|]. rewrite len_app. destruct c as [| u [b|d]| |]; simpl; lia. }
  assert (Done : forall B from to m, search_state B from [] m -> adj_path (map fst B) from to -> from <> to -> In to (map fst m)).
  { intros B from to m (_ & _ & _ & _ & Cl) P N.
    assert (R : forall x y, adj_path (map fst B) x y -> In x (from :: map fst m) -> In y (from :: map fst m)).
    { intros x y Q; induction Q as [x y I|x y z I Q IH]; intros J; destruct (Cl x J) as [[]|K];
        destruct (above_complete B _ _ I) as (t & A); [exact (K _ _ A) | exact (IH (K _ _ A))]. }
    destruct (R _ _ P (or_introl eq_refl)) as [E|I]; [contradiction | exact I]. }
  intros n; induction n as [|n IH]; intros B from to open m S L P N.
  - destruct open; [|simpl in L; lia]. simpl. split; [apply S | split; [eapply Done; eauto | eapply Size; eauto]].
  - destruct open as [|x open]; [simpl; split; [apply S | split; [eapply Done; eauto | eapply Size; eauto]]|].
    cbn [search]. destruct (met_at m to) as [y|] eqn:M.
    { simpl. split; [apply S | split; [|eapply Size; eauto]].
      destruct (in_dec Nat.eq_dec to (map fst m)) as [I|I]; [exact I|]. apply met_at_none in I. congruence. }
    set (meet := fun (om : list dvar * met) (y : dvar * bool) => _).
    assert (G : forall l (o : list dvar) (k : met), incl l (above B x) -> In x (from :: map fst k) -> search_state B from (x :: o) k ->
      let om := fold_left meet l (o, k) in
      search_state B from (x :: fst om) (snd om) /\ In x (from :: map fst (snd om)) /\
      (forall b t, In (b, t) l -> In b (from :: map fst (snd om))) /\ incl (map fst k) (map fst (snd om)) /\
      length (fst om) + length k = length o + length (snd om)).
    { intros l; induction l as [|[b t] l IHl]; intros o k Il Ix Sk; cbn [fold_left].
      - cbn [fst snd]. split; [exact Sk | split; [exact Ix | split; [intros b t [] | split; [apply incl_refl | lia]]]].
      - assert (Il' : incl l (above B x)) by (intros y J; apply Il; now right).
        assert (Ib : In (b, t) (above B x)) by (apply Il; now left).
        remember (meet (o, k) (b, t)) as om eqn:Eo. unfold meet in Eo. cbn [fst snd] in Eo.
        destruct (Nat.eqb_spec b from) as [Eb|Nb].
        + subst om. destruct (IHl o k Il' Ix Sk) as (A1 & A2 & A3 & A4 & A5). split; [exact A1 | split; [exact A2 | split; [|auto]]].
          intros b' t' [J|J]; [injection J as <- <-; left; auto | eauto].
        + destruct (met_at k b) as [z|] eqn:Mb.
          * subst om. destruct (IHl o k Il' Ix Sk) as (A1 & A2 & A3 & A4 & A5). split; [exact A1 | split; [exact A2 | split; [|auto]]].
            intros b' t' [J|J]; [|eauto]. injection J as <- <-. right. apply A4.
            destruct (in_dec Nat.eq_dec b (map fst k)) as [I|I]; [exact I|]. apply met_at_none in I. congruence.
          * subst om. apply met_at_none in Mb. destruct Sk as (O & Nf & Inc & Op & Cl).
            assert (Sk' : search_state B from (x :: b :: o) ((b, (x, t)) :: k)).
            { split; [|split; [|split; [|split]]].
              - simpl. split; [destruct Ix as [E|I]; auto | auto].
              - simpl. intros [E|I]; [congruence | auto].
              - intros y [<-|J]; [|auto]. apply above_in in Ib. apply in_flat_map. exists (DLe (DVar x) (DVar b), t). split; [exact Ib | now left].
              - intros y J. simpl. destruct J as [<-|[<-|J]]; [|auto|].
                + destruct Ix as [E|I]; auto.
                + destruct (Op y (or_intror J)) as [E|I]; auto.
              - intros y J. simpl in J. destruct J as [J|[J|J]].
                + destruct (Cl y (or_introl J)) as [[I|I]|K]; [left; left; exact I | left; right; right; exact I|].
                  right. intros c u Ic. destruct (K c u Ic) as [E|I]; [left; exact E | right; right; exact I].
                + left. right. left. exact J.
                + destruct (Cl y (or_intror J)) as [[I|I]|K]; [left; left; exact I | left; right; right; exact I|].
                  right. intros c u Ic. destruct (K c u Ic) as [E|I]; [left; exact E | right; right; exact I]. }
            assert (Ix' : In x (from :: map fst ((b, (x, t)) :: k))) by (destruct Ix as [E|I]; [left; exact E | right; right; exact I]).
            destruct (IHl (b :: o) ((b, (x, t)) :: k) Il' Ix' Sk') as (A1 & A2 & A3 & A4 & A5).
            split; [exact A1 | split; [exact A2 | split; [|split]]].
            -- intros b' t' [J|J]; [injection J as <- <-; right; apply A4; now left | eauto].
            -- intros y J. apply A4. now right.
            -- cbn [length] in A5. rewrite Nat.add_succ_r in A5. simpl in A5. now injection A5. }
    destruct S as (O & Nf & Inc & Op & Cl).
    assert (Ix : In x (from :: map fst m)) by (apply Op; now left).
    specialize (G (above B x) open m (incl_refl _) Ix (conj O (conj Nf (conj Inc (conj Op Cl))))). cbn zeta in G.
    destruct (fold_left meet (above B x) (open, m)) as [open' m']. cbn [fst snd] in G.
    destruct G as (S' & _ & Ab & Km & Len). apply IH; auto.
    + destruct S' as (O' & Nf' & Inc' & Op' & Cl'). split; [exact O' | split; [exact Nf' | split; [exact Inc' | split]]].
      * intros y J. apply Op'. now right.
      * intros y J. destruct (Cl' y J) as [[<-|I]|K]; [right; exact Ab | left; exact I | right; exact K].
    + pose proof (Size _ _ _ _ S') as Z. simpl in L. lia.
Qed.

(** 4.2.  A path is found where there is one. *)
Theorem def_4_2_path_complete : forall B from to, from <> to -> adj_path (map fst B) from to -> path B from to <> None.
Proof.
  intros B from to N P. unfold path.
  assert (St : search_state B from [from] []).
  { split; [exact I | split; [intros [] | split; [intros x [] | split]]].
    - intros x J. exact J.
    - intros x [<-|[]]. left. now left. }
  destruct (search_complete (S (length B)) B from to [from] [] St) as (O & I & L); auto; [cbn [length]; rewrite Nat.sub_0_r; apply Nat.le_refl|].
  eapply (back_complete _ from _ []); [reflexivity | exact O | | right; exact I].
  eapply Nat.le_trans; [exact L | apply Nat.le_succ_diag_r].
Qed.

(** * Cycles stay collapsed *)

Lemma adj_path_incl : forall B B' a b, (forall x y, In (DLe (DVar x) (DVar y)) B -> In (DLe (DVar x) (DVar y)) B') ->
  adj_path B a b -> adj_path B' a b.
Proof. intros B B' a b H P; induction P; [apply Path_one | eapply Path_more]; eauto. Qed.

Lemma acyclic_incl : forall B B', (forall x y, In (DLe (DVar x) (DVar y)) B -> In (DLe (DVar x) (DVar y)) B') ->
  acyclic B' -> acyclic B.
Proof. intros B B' H A a b P Q. apply A; eapply adj_path_incl; eauto. Qed.

Lemma adj_path_trans : forall B a b c, adj_path B a b -> adj_path B b c -> adj_path B a c.
Proof. intros B a b c P; induction P; intros Q; eapply Path_more; eauto. Qed.

(** One more inequality. *)
Lemma path_with : forall B B' a b, (forall x y, In (DLe (DVar x) (DVar y)) B' -> In (DLe (DVar x) (DVar y)) B \/ x = a /\ y = b) ->
  forall x y, adj_path B' x y -> adj_path B x y \/ (x = a \/ adj_path B x a) /\ (y = b \/ adj_path B b y).
Proof.
  intros B B' a b H x y P; induction P as [x y I|x z y I P IH].
  - apply H in I as [I|[-> ->]]; [left; now constructor | right; auto].
  - apply H in I as [I|[-> ->]].
    + destruct IH as [IH|[[->|IH] K]]; [left; eapply Path_more; eauto | right | right].
      * split; [right; now constructor | exact K].
      * split; [right; eapply Path_more; eauto | exact K].
    + destruct IH as [IH|[_ K]]; right; auto.
Qed.

Lemma acyclic_with : forall B B' a b, (forall x y, In (DLe (DVar x) (DVar y)) B' -> In (DLe (DVar x) (DVar y)) B \/ x = a /\ y = b) ->
  acyclic B -> a <> b -> ~ adj_path B b a -> acyclic B'.
Proof.
  intros B B' a b H A N Np x y P Q. apply (path_with B B' a b H) in P, Q.
  assert (J : forall u v, (u = a \/ adj_path B u a) -> (v = b \/ adj_path B b v) -> adj_path B v u \/ v = u -> False).
  { intros u v Hu Hv Hvu. apply Np.
    assert (K : adj_path B b u \/ b = u).
    { destruct Hv as [->|Hv]; [tauto|]. destruct Hvu as [Hvu| ->]; [left; eapply adj_path_trans; eauto | auto]. }
    destruct Hu as [->|Hu]; destruct K as [K|K]; [exact K | congruence | eapply adj_path_trans; eauto | now subst]. }
  destruct P as [P|[P1 P2]], Q as [Q|[Q1 Q2]].
  - now apply A.
  - destruct (J y x Q1 Q2 (or_introl P)).
  - destruct (J x y P1 P2 (or_introl Q)).
  - destruct (J y y Q1 P2 (or_intror eq_refl)).
Qed.

Lemma next_acyclic : forall C rest c r e, fires (used C) (store C) c r (Does e) -> acyclic (store C) ->
  (forall a b, In (DLe (DVar a) (DVar b)) (stores e) -> c = DLe (DVar a) (DVar b) /\ a <> b /\ ~ adj_path (store C) b a) ->
  acyclic (store (next C rest c e)).
Proof.
  intros C rest c r e F A H. pose proof (binding_stores_nothing _ _ _ _ _ F) as St.
  unfold next. destruct (binds e) as [b|]; cbn [store].
  - rewrite St, add_bounds_nil by discriminate. eapply acyclic_incl; [|exact A]. intros x y I.
    apply in_map_iff in I as (d & E & I). apply filter_In in I as [I N]. apply negb_true_iff in N.
    destruct d as [t u|t u|R Q|R Q]; try discriminate. rewrite dim_bound_kept in E by auto. now rewrite <- E.
  - assert (D : (exists a b, In (DLe (DVar a) (DVar b)) (stores e)) \/ ~ exists a b, In (DLe (DVar a) (DVar b)) (stores e)).
    { clear. induction (stores e) as [|d l IH]; [right; intros (a & b & []) |].
      destruct IH as [(a & b & I)|N]; [left; exists a, b; now right|].
      destruct d as [t u|[a|x] [b|y]|R Q|R Q];
        try (right; intros (a' & b' & [I|I]); [discriminate | apply N; eauto]; fail).
      left. exists a, b. now left. }
    destruct D as [(a & b & I)|N].
    + destruct (H a b I) as (Ec & Nab & Np). eapply acyclic_with; [|exact A | exact Nab | exact Np].
      intros x y J. apply in_add_bounds in J as [J|J]; [auto|]. right. destruct (H x y J) as (Ec' & _). rewrite Ec in Ec'.
      injection Ec' as -> ->. auto.
    + eapply acyclic_incl; [|exact A]. intros x y J. apply in_add_bounds in J as [J|J]; [auto|]. destruct N. eauto.
Qed.

(** What the program fired. *)
Lemma step_of_fire : forall P s d s', step_of P s = Stepped d s' ->
  exists u, fire P (s_next s) (s_store s) (d_on d) = (d_rule d, Does (d_effect d), u).
Proof.
  intros P s d s' E. unfold step_of in E. destruct (pop (order P) (s_phi s)) as [[[c tc] q]|]; [|discriminate].
  destruct (note _ c (on_constraint P c) tc) as [s1|f] eqn:No; [|discriminate].
  destruct (on_constraint P c) as [[ls ts] rs]. apply note_inl in No as (_ & _ & E3 & E4 & _). simpl in E3, E4.
  rewrite E3, E4 in E. destruct (fire P (s_next s) (s_store s) c) as [[r [|e]] u] eqn:Fi; [discriminate|].
  destruct (carry_out P s1 c tc e (tc || u) (commitsb c r)) as [s2|f]; [|discriminate].
  injection E as <- <-. simpl. eauto.
Qed.

Lemma fire_plain : forall P n B c r o u, antisym P = false -> fire P n B c = (r, o, u) -> r <> DI_antisym.
Proof.
  intros P n B c r o u A E ->. destruct c as [t w|t w|R Q|R Q]; simpl in E.
  - unfold fire_deq in E. destruct (dterm_eqb t w), t, w; discriminate.
  - unfold fire_dle in E. rewrite A in E. destruct (dterm_eqb w (DConst Unit)); [discriminate|].
    destruct (dterm_eqb t w); [discriminate|]. destruct t as [a|[|m y]], w as [b|e]; try discriminate.
    unfold fire_cap in E. destruct (t_lower B b) as [[x [|]]|]; try discriminate; destruct (dim_eqb x _); discriminate.
  - unfold fire_req in E. destruct (tmid R) as [p|], (tmid Q) as [q|]; try discriminate.
    destruct (p =? q); [destruct (negb _); [discriminate|]; destruct (_ =? 0); discriminate|].
    destruct (known_rank (strip R Q)), (known_rank (strip Q R)); try discriminate. destruct (q <? p); discriminate.
  - unfold fire_rle in E. destruct (coveredb R Q); [|destruct (tmid R); discriminate].
    destruct (tmid Q); [|discriminate]. destruct (rterm_eqb _ _); discriminate.
Qed.

Lemma fire_adj : forall P n B c r e u v w, antisym P = true -> fire P n B c = (r, Does e, u) ->
  In (DLe (DVar v) (DVar w)) (stores e) -> c = DLe (DVar v) (DVar w) /\ v <> w /\ ~ adj_path (map fst B) w v.
Proof.
  intros P n B c r e u v w A E I.
  assert (D : exists x y, c = DLe x y).
  { destruct c as [t1 t2|t1 t2|R1 Q1|R1 Q1]; eauto; exfalso; simpl in E.
    - unfold fire_deq in E. destruct (dterm_eqb t1 t2), t1, t2; try discriminate; injection E as _ <- _; destruct I.
    - apply (fire_req_fires [] []) in E. each_firing E;
        unfold re_closed, re_open_closed in Eo; repeat (match type of Eo with context [if ?x then _ else _] => destruct x end);
        try discriminate Eo; injection Eo as <-; solve [destruct I | destruct I as [I|[]]; discriminate I].
    - unfold fire_rle in E. destruct (coveredb R1 Q1); [|destruct (tmid R1); [injection E as _ <- _; destruct I | discriminate]].
      destruct (tmid Q1) as [x|]; [|injection E as _ <- _; destruct I].
      destruct (rterm_eqb _ _); injection E as _ <- _; [destruct I|]. destruct I as [I|[]]. discriminate. }
  destruct D as (x & y & ->). simpl in E. unfold fire_dle in E. rewrite A in E.
  destruct (dterm_eqb y (DConst Unit)); [injection E as _ <- _; destruct I|].
  destruct (dterm_eqb x y) eqn:Exy; [injection E as _ <- _; destruct I|].
  destruct x as [x|[|m k]], y as [y|d].
  - destruct (path B y x) as [tg|] eqn:Pa; injection E as _ <- _; [destruct I as [I|[]] || destruct I; discriminate|].
    destruct I as [I|[]]. injection I as -> ->.
    apply dterm_eqb_false in Exy. assert (Nvw : v <> w) by congruence. split; [auto | split; [exact Nvw|]].
    intros Q. apply (def_4_2_path_complete B w v) in Q; auto.
  - injection E as _ <- _. destruct I.
  - injection E as _ <- _. destruct I.
  - injection E as _ E _. unfold di_ground in E. destruct (dim_leb _ _); [injection E as <-; destruct I | discriminate].
  - unfold fire_cap in E. destruct (t_lower B y) as [[x [|]]|]; try (destruct (dim_eqb x _)); injection E as _ <- _;
      solve [destruct I | destruct I as [I|[]]; discriminate I].
  - injection E as _ E _. unfold di_ground in E. destruct (dim_leb _ _); [injection E as <-; destruct I | discriminate].
Qed.

(** * Runs of the program *)

(** The kinds of steps that a policy has. *)
Definition steps_of (P : policy) : kind -> Prop := if antisym P then any_step else plain_step.

Definition collapsed (P : policy) (C : config) : Prop := antisym P = true -> acyclic (store C).

Lemma program_steps : forall P s ds s', steps P s ds s' -> forall C, edge_state P s C -> collapsed P (erase C) ->
  exists C', t_run any_step C C' /\ run (steps_of P) (erase C) (erase C') /\ edge_state P s' C' /\ collapsed P (erase C').
Proof.
  intros P s ds s' R; induction R as [s|s d s' ds s'' E R IH]; intros C H A.
  { exists C. split; [constructor | split; [constructor | auto]]. }
  pose proof (edge_step_of P s C H) as K. rewrite E in K.
  destruct K as (C1 & Re & H1). pose proof (reports_step _ _ _ Re) as TS. pose proof (erase_step _ _ _ _ TS) as S.
  destruct (step_of_fire P s d s' E) as (u & Fi).
  assert (A1 : collapsed P (erase C1)).
  { intros An. destruct Re as [pre tc post Ep F Ft Epl]. rewrite erase_next.
    apply (next_acyclic _ _ _ (d_rule d)); [exact F | now apply A|]. intros a b I.
    destruct H as ([(_ & _ & _ & Eb & _) _] & _). simpl. rewrite <- Eb. eapply fire_adj; eauto. }
  destruct (IH C1 H1 A1) as (C' & TR & R' & H' & A'). exists C'. split; [eapply T_cons; [exact I | exact TS | exact TR]|].
  split; [|auto]. eapply Run_cons; [|exact S | exact R'].
  unfold steps_of. destruct (antisym P) eqn:An; [exact I|]. simpl. eapply fire_plain; eauto.
Qed.

(** The solver to its end, from any state. *)
Lemma program_run : forall P k s C, edge_state P s C -> collapsed P (erase C) ->
  match run_within P k s with
  | Some (inl s') => exists C', t_run any_step C C' /\ run (steps_of P) (erase C) (erase C') /\
      edge_state P s' C' /\ collapsed P (erase C') /\ t_phi C' = []
  | Some (inr _) => ~ exists g, edge_ground g /\ satisfies g (erase C)
  | None => True
  end.
Proof.
  intros P k s C H A. unfold run_within. destruct (run_for P k s) as [ds [last|]] eqn:E; cbn [snd]; [|exact I].
  apply def_4_4_run_for_steps in E as (s' & R & L). destruct (L _ eq_refl) as [-> D].
  destruct (program_steps P s ds _ R C H A) as (C' & TR & R' & H' & A').
  destruct last as [s1|s1 f]; cbn [last_state] in *.
  - exists C'. repeat (split; [auto|]). apply (def_4_4_done P s1); [apply H' | exact D].
  - intros (g & Eg & G). pose proof (edge_step_of P s1 C' H') as K. rewrite D in K. apply K.
    destruct H as (_ & W & EC & _). apply t_run_erase in TR.
    destruct (edge_run_complete _ _ TR W EC g Eg G) as (h & Eh & _ & Hh). eauto.
Qed.

(** * What is alike has solutions alike *)

Lemma alike_satisfiable : forall V C D, good V C -> good V D -> alike V C D ->
  (exists g, edge_ground g /\ satisfies g C) -> exists h, edge_ground h /\ satisfies h D.
Proof.
  intros V C D GC GD (s & t & _ & (Et & _ & _ & Tp & Tb) & _) (g & Eg & Hp & Hs & Hr).
  destruct (at_form _ _ GD) as (Wi & Wv & _).
  set (w := comp t (sigma D)). exists (ground_comp g w). split; [|split; [|split]].
  - intros p. apply edge_ground_r; [exact Eg|]. unfold w. apply edge_comp; [exact Et | apply (at_edge _ _ GD)].
  - intros c I. apply def_3_4_grounding_composes. apply Hp. replace (sub_c w c) with (sub_c t c); [auto|].
    apply sub_c_ext. intros v J. unfold w. rewrite lemma_3_3.
    assert (X : fixes (sigma D) v) by (apply Wv, in_flat_map; exists c; rewrite in_app_iff; auto). unfold fixes in X. now rewrite X.
  - intros c I. apply def_3_4_grounding_composes. apply Hs. replace (sub_c w c) with (sub_c t c); [auto|].
    apply sub_c_ext. intros v J. unfold w. rewrite lemma_3_3.
    assert (X : fixes (sigma D) v) by (apply Wv, in_flat_map; exists c; rewrite in_app_iff; auto). unfold fixes in X. now rewrite X.
  - unfold w. intros [a|p]; simpl.
    + rewrite ground_d_comp. simpl. destruct (idempotent_values _ Wi) as [Hd _]. rewrite sub_d_comp, Hd. reflexivity.
    + rewrite ground_r_comp. simpl. destruct (idempotent_values _ Wi) as [_ Hrr]. rewrite sub_r_comp, Hrr. reflexivity.
Qed.

Lemma alike_sym : forall V C D, alike V C D -> alike V D C.
Proof. intros V C D (s & t & A & B & X & Y). exists t, s. repeat split; auto; apply A || apply B. Qed.

(** A good configuration in which nothing is pending has a solution at the left edge. *)
Lemma solved_satisfiable : forall V C, good V C -> phi C = [] -> exists g, edge_ground g /\ satisfies g C.
Proof.
  intros V C [EC W St _ _ _] E. exists (greatest (sigma C)). split; [apply edge_greatest, EC|].
  assert (F : solved_form (sigma C) (store C)) by (apply shaped_solved_form; [exact W | |]; intros d I; now apply St).
  destruct (prop_5_4_i _ _ F) as [R H]. split; [rewrite E; intros c [] | auto].
Qed.

(** Two runs of the program from states that are alike end alike. *)
Lemma phase : forall P P' V k k' s s' C C', antisym P = antisym P' ->
  edge_state P s C -> edge_state P' s' C' -> good V (erase C) -> good V (erase C') ->
  collapsed P (erase C) -> collapsed P' (erase C') -> alike V (erase C) (erase C') ->
  match run_within P k s, run_within P' k' s' with
  | Some (inl s1), Some (inl s1') => exists C1 C1',
      t_run any_step C C1 /\ t_run any_step C' C1' /\ edge_state P s1 C1 /\ edge_state P' s1' C1' /\
      t_phi C1 = [] /\ t_phi C1' = [] /\
      collapsed P (erase C1) /\ collapsed P' (erase C1') /\ alike V (erase C1) (erase C1')
  | Some (inr _), Some (inl _) | Some (inl _), Some (inr _) => False
  | _, _ => True
  end.
Proof.
  intros P P' V k k' s s' C C' An H H' G G' A A' L.
  pose proof (program_run P k s C H A) as R. pose proof (program_run P' k' s' C' H' A') as R'.
  assert (Go : forall Q C0 C1, good V (erase C0) -> t_phi C1 = [] -> run (steps_of Q) (erase C0) (erase C1) ->
    exists g, edge_ground g /\ satisfies g (erase C0)).
  { intros Q C0 C1 G0 E R0.
    assert (RA : run any_step (erase C0) (erase C1)).
    { eapply run_mono; [|exact R0]. unfold steps_of. destruct (antisym Q); [auto|]. intros [c r|l]; simpl; auto. }
    destruct (solved_satisfiable V (erase C1) (good_run _ _ _ RA G0)) as (g & Eg & Hg); [simpl; now rewrite E|].
    exists g. split; [exact Eg|]. eapply run_sound; [exact RA | apply G0 | exact Hg]. }
  destruct (run_within P k s) as [[s1|f]|], (run_within P' k' s') as [[s1'|f']|]; auto.
  - destruct R as (C1 & TR & RC & H1 & A1 & E1), R' as (C1' & TR' & RC' & H1' & A1' & E1'). exists C1, C1'.
    repeat (split; [assumption|]). apply (alike_runs V (erase C) (erase C')); auto.
    + unfold steps_of, collapsed in *. rewrite <- An in *. destruct (antisym P); [right | left]; auto.
    + simpl. now rewrite E1.
    + simpl. now rewrite E1'.
  - destruct R as (C1 & TR & RC & H1 & A1 & E1). apply R'. eapply alike_satisfiable; [exact G | exact G' | exact L | eauto].
  - destruct R' as (C1' & TR' & RC' & H1' & A1' & E1'). apply R.
    eapply alike_satisfiable; [exact G' | exact G | apply alike_sym; exact L | eauto].
Qed.

(** 5.6.c.  For the program: where it solves a set at the left edge under two policies, in any order of the
    statements, the solved forms are the same up to the names of fresh variables. *)
Theorem cor_5_5_iv_solve_alike : forall P P' n n' cs cs' G G' N N' ds ds' s s',
  edge_set cs -> (forall c, In c cs' <-> In c cs) -> antisym P = antisym P' ->
  solve P n cs G N = (ds, Solved_form s) -> solve P' n' cs' G' N' = (ds', Solved_form s') ->
  exists C C', run any_step (initial cs) C /\ sigma C = s_subst s /\ store C = map fst (s_store s) /\
    run any_step (initial cs') C' /\ sigma C' = s_subst s' /\ store C' = map fst (s_store s') /\
    alike (flat_map vars_c cs) C C'.
Proof.
  intros P P' n n' cs cs' G G' N N' ds ds' s s' E S An X X'.
  assert (One : forall Q j xs (GQ : guard Q = Signed) (NQ : numbered j (flat_map vars_c xs)) es x, edge_set xs ->
    solve Q j xs GQ NQ = (es, Solved_form x) ->
    exists C, run any_step (initial xs) C /\ run (steps_of Q) (initial xs) C /\ collapsed Q C /\ phi C = [] /\
      sigma C = s_subst x /\ store C = map fst (s_store x)).
  { intros Q j xs GQ NQ es x Ex Y. apply solve_steps in Y as ([y|y f] & V & R & D); simpl in V.
    2: { destruct (f_tainted f); discriminate. }
    injection V as ->. simpl in R, D.
    assert (Er : erase (t_initial xs) = initial xs).
    { unfold erase, t_initial, initial; simpl. now rewrite tag_all_fst. }
    destruct (program_steps Q _ _ _ R (t_initial xs) (edge_start Q j xs Ex NQ)) as (C & TR & RC & H & A).
    { rewrite Er. intros _ a b Pa. inversion Pa as [u v []|u v w []]. }
    rewrite Er in RC. exists (erase C). apply t_run_erase in TR. rewrite Er in TR.
    pose proof (def_4_4_done Q y C (proj1 H) D) as Ep. destruct H as ([(_ & _ & Es & Eb & _) _] & _).
    repeat (split; [assumption|]). split; [simpl; now rewrite Ep | split; [now rewrite Es | simpl; now rewrite Eb]]. }
  destruct (One P n cs G N ds s E X) as (C & R & RC & A & Ep & Es & Eb).
  destruct (One P' n' cs' G' N' ds' s' (edge_set_same cs cs' S E) X') as (C' & R' & RC' & A' & Ep' & Es' & Eb').
  exists C, C'. repeat (split; [assumption|]). apply (cor_5_5_iv_confluence cs cs'); auto.
  unfold steps_of, collapsed in *. rewrite <- An in *. destruct (antisym P); [right | left]; auto.
Qed.
