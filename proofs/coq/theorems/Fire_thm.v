(** Defs 4.2 and 4.3: the rule that the program fires is one of the relation, and
    what it says about tags is true. *)

From Coq Require Import List Bool Arith Lia.
From Lozenge Require Import Compat Dim Dim_thm Row Row_thm Term Term_thm Semantics Semantics_thm
  Rules Rules_thm Guard Guard_thm Solved Solved_thm Runs Runs_thm Termination_thm
  Certificate Certificate_thm Taint Taint_thm Queue Fire.
Import ListNotations.

(** * Names *)

Lemma fresh_NoDup : forall n k j, NoDup (fresh_vars (seq n k) (n + k + j) (seq (n + k) j)).
Proof.
  intros n k j. unfold fresh_vars. rewrite <- map_app, <- seq_app. constructor.
  - intros I. apply in_map_iff in I as (x & E & _). discriminate.
  - generalize (seq_NoDup (k + j) n). induction (seq n (k + j)) as [|x l IH]; intros N; simpl; [constructor|].
    apply NoDup_cons_iff in N as [N M]. constructor; [|auto].
    intros I. apply in_map_iff in I as (y & E & I). injection E as ->. contradiction.
Qed.

Lemma fresh_new : forall n k j V, numbered n V ->
  forall v, In v (fresh_vars (seq n k) (n + k + j) (seq (n + k) j)) -> ~ In v V.
Proof.
  intros n k j V H v I J. apply H in J. unfold fresh_vars in I. rewrite <- map_app, <- seq_app in I.
  destruct I as [<-|I]; [simpl in J; lia|]. apply in_map_iff in I as (x & <- & I).
  apply in_seq in I. simpl in J. lia.
Qed.

(** * Tests *)

Lemma dterm_eqb_false : forall t u, dterm_eqb t u = false -> t <> u.
Proof. intros t u H ->. now rewrite dterm_eqb_refl in H. Qed.

Lemma rterm_eqb_false : forall R Q, rterm_eqb R Q = false -> R <> Q.
Proof.
  intros R Q H ->. destruct Q as [l m r]. unfold rterm_eqb in H; simpl in H.
  assert (D : forall k, dterms_eqb k k = true).
  { intros k; induction k as [|t k IH]; [reflexivity|]. unfold dterms_eqb in *; simpl.
    now rewrite dterm_eqb_refl. }
  assert (M : mid_eqb m m = true) by (destruct m; simpl; auto using Nat.eqb_refl).
  now rewrite !D, M in H.
Qed.

Lemma coveredb_spec : forall res op, coveredb res op = true <-> covered res op.
Proof. intros res op. unfold coveredb, covered. now rewrite andb_true_iff, !Nat.leb_le. Qed.

Lemma commitsb_spec : forall c r, commitsb c r = false -> ~ commits c r.
Proof.
  intros c r H. destruct r, c; simpl in *; try discriminate; try tauto.
  intros N. apply negb_false_iff, Nat.eqb_eq in H. auto.
Qed.

Lemma commitsb_true : forall c r, commitsb c r = true -> commits c r.
Proof.
  intros c r H. destruct r, c; simpl in *; try discriminate; try exact I.
  now apply negb_true_iff, Nat.eqb_neq in H.
Qed.

(** * Bounds below a variable *)

(** B holds at most one atom below each variable. *)
Definition one_atom (B : list constr) : Prop := forall d e a, is_atom d -> is_atom e ->
  In (DLe (DConst d) (DVar a)) B -> In (DLe (DConst e) (DVar a)) B -> d = e.

Lemma lower_in : forall B a d, lower B a = Some d -> is_atom d /\ In (DLe (DConst d) (DVar a)) B.
Proof.
  intros B a d. induction B as [|c B IH]; simpl; intros H; [discriminate|].
  destruct c as [t u|[x|[|n b]] [a'|e]|R Q|R Q]; try (destruct (IH H); now auto).
  destruct (Nat.eqb_spec a' a) as [->|N].
  - injection H as <-. split; simpl; auto.
  - destruct (IH H); now auto.
Qed.

Lemma lower_none : forall B a d, is_atom d -> lower B a = None -> ~ In (DLe (DConst d) (DVar a)) B.
Proof.
  intros B a d A. induction B as [|c B IH]; intros H I; simpl in H, I; [tauto|].
  destruct I as [->|I].
  - destruct d; [destruct A|]. simpl in H. rewrite Nat.eqb_refl in H. discriminate.
  - destruct c as [t u|[x|[|n b]] [a'|e]|R Q|R Q]; try (now apply IH).
    destruct (Nat.eqb a' a); [discriminate | now apply IH].
Qed.

Lemma t_lower_fst : forall B a, lower (map fst B) a = option_map fst (t_lower B a).
Proof.
  intros B a. induction B as [|[c t] B IH]; simpl; auto.
  destruct c as [t' u|[x|[|n b]] [a'|e]|R Q|R Q]; auto. destruct (Nat.eqb a' a); auto.
Qed.

Lemma t_lower_none : forall B a, t_lower B a = None -> lower (untainted B) a = None.
Proof.
  intros B a. induction B as [|[c t] B IH]; simpl; auto. unfold untainted in *; simpl.
  destruct c as [t' u|[x|[|n b]] [a'|e]|R Q|R Q]; intros H; destruct t; simpl; auto;
    destruct (Nat.eqb a' a); try discriminate; auto.
Qed.

Lemma t_lower_untainted : forall B a d, t_lower B a = Some (d, false) -> lower (untainted B) a = Some d.
Proof.
  intros B a d. induction B as [|[c t] B IH]; simpl; [discriminate|]. unfold untainted in *; simpl.
  destruct c as [t' u|[x|[|n b]] [a'|e]|R Q|R Q]; intros H; destruct t; simpl; auto;
    destruct (Nat.eqb a' a); try discriminate; auto; congruence.
Qed.

Lemma untainted_incl : forall (A : Type) (l : list (A * bool)), incl (untainted l) (map fst l).
Proof. intros A l x I. apply in_untainted in I. apply in_map_iff. exists (x, false); auto. Qed.

(** * Paths of adjacencies *)

Lemma adj_path_snoc : forall B a b c, adj_path B a b -> In (DLe (DVar b) (DVar c)) B -> adj_path B a c.
Proof.
  intros B a b c H. induction H as [a b I|a b b' I H IH]; intros J.
  - eapply Path_more; [exact I | now apply Path_one].
  - eapply Path_more; [exact I | auto].
Qed.

(** What a search met is stored. *)
Definition met_stored (B : list tagged) (m : met) : Prop :=
  forall b a t, met_at m b = Some (a, t) -> In (DLe (DVar a) (DVar b), t) B.

Lemma above_in : forall B a b t, In (b, t) (above B a) -> In (DLe (DVar a) (DVar b), t) B.
Proof.
  intros B a b t I. unfold above in I. apply in_flat_map in I as ([c s] & I & J).
  destruct c as [x u|[a'|x] [b'|y]|R Q|R Q]; try destruct J.
  destruct (Nat.eqb_spec a' a) as [->|N]; [|destruct J]. destruct J as [J|[]].
  now injection J as -> ->.
Qed.

Lemma search_stored : forall n B from to open m, met_stored B m -> met_stored B (search n B from to open m).
Proof.
  intros n; induction n as [|n IH]; intros B from to [|x open] m H; simpl; auto.
  destruct (met_at m to); [auto|].
  set (meet := fun (om : list dvar * met) (y : dvar * bool) => _).
  assert (G : forall l om, incl l (above B x) -> met_stored B (snd om) ->
            met_stored B (snd (fold_left meet l om))).
  { intros l; induction l as [|[b t] l IHl]; intros [o m'] I K; simpl; [auto|].
    apply IHl; [intros y J; apply I; simpl; auto|]. simpl.
    destruct (Nat.eqb b from), (met_at m' b); simpl; auto.
    intros b' a' t' E. simpl in E. destruct (Nat.eqb_spec b' b) as [->|N]; [|auto].
    injection E as <- <-. apply above_in, I. simpl; auto. }
  specialize (G (above B x) (open, m) (incl_refl _) H).
  destruct (fold_left meet (above B x) (open, m)) as [open' m']. now apply IH.
Qed.

Lemma back_path : forall n B m from x t t', met_stored B m -> back n m from x t = Some t' ->
  (x = from \/ adj_path (map fst B) from x) /\
  (t' = false -> t = false /\ (x = from \/ adj_path (untainted B) from x)).
Proof.
  intros n; induction n as [|n IH]; intros B m from x t t' H E; simpl in E;
    (destruct (Nat.eqb_spec x from) as [->|N]; [injection E as ->; auto|]); [discriminate|].
  destruct (met_at m x) as [[y s]|] eqn:M; [|discriminate]. apply H in M.
  destruct (IH _ _ _ _ _ _ H E) as [A U].
  assert (F : In (DLe (DVar y) (DVar x)) (map fst B)) by (apply in_map_iff; eexists; split; [|exact M]; auto).
  split.
  - right. destruct A as [->|A]; [now apply Path_one | eapply adj_path_snoc; eauto].
  - intros Et. destruct (U Et) as [Ts V]. apply orb_false_iff in Ts as [-> ->]. split; [auto|]. right.
    apply in_untainted in M. destruct V as [->|V]; [now apply Path_one | eapply adj_path_snoc; eauto].
Qed.

Lemma back_tag : forall n B m from x t, met_stored B m -> back n m from x t = Some true ->
  t = true \/ exists c, In (c, true) B.
Proof.
  intros n; induction n as [|n IH]; intros B m from x t H E; simpl in E;
    (destruct (Nat.eqb x from); [injection E as ->; auto|]); [discriminate|].
  destruct (met_at m x) as [[y s]|] eqn:M; [|discriminate]. apply H in M.
  destruct (IH _ _ _ _ _ H E) as [T|T]; [|auto]. apply orb_true_iff in T as [-> | ->]; eauto.
Qed.

(** A path that is found is there, and rests on no placement if it says so. *)
Theorem def_4_2_path_found : forall B from to t, from <> to -> path B from to = Some t ->
  adj_path (map fst B) from to /\ (t = false -> adj_path (untainted B) from to).
Proof.
  intros B from to t N E. unfold path in E. apply back_path with (B := B) in E as [A U].
  - split; [|intros T; apply U in T as [_ T]]; [destruct A | destruct T]; congruence || auto.
  - apply search_stored. intros b a s M. discriminate.
Qed.

(** * What fires *)

Lemma fire_deq_fires : forall V B t u r o s, fire_deq t u = (r, o, s) -> fires V B (DEq t u) r o.
Proof.
  intros V B t u r o s E. unfold fire_deq in E. destruct (dterm_eqb t u) eqn:D.
  - apply dterm_eqb_eq in D as ->. injection E as <- <- _. constructor.
  - apply dterm_eqb_false in D. destruct t as [a|d], u as [b|e]; injection E as <- <- _.
    + destruct (le_lt_dec a b) as [L|L].
      * rewrite max_r, min_l by lia. apply F_de_bind_sym. congruence.
      * rewrite max_l, min_r by lia. apply F_de_bind. congruence.
    + apply F_de_bind. discriminate.
    + apply F_de_bind_sym. discriminate.
    + apply F_de_clash. congruence.
Qed.

Lemma fire_req_fires : forall V B R Q r o s, fire_req R Q = (r, o, s) -> fires V B (REq R Q) r o.
Proof.
  intros V B R Q r o s E. unfold fire_req in E.
  destruct (tmid R) as [p|] eqn:ER, (tmid Q) as [q|] eqn:EQ; [|injection E as <- <- _..].
  - destruct (Nat.eqb_spec p q) as [->|N].
    + destruct (Nat.eqb_spec (known_rank R) (known_rank Q)) as [K|K]; simpl in E.
      * destruct (Nat.eqb_spec (known_rank (strip R Q)) 0) as [Z|Z]; injection E as <- <- _.
        -- now apply F_re_same_empty with (p := q).
        -- now apply F_re_same_rot with (p := q).
      * injection E as <- <- _. now apply F_re_same_occurs with (p := q).
    + destruct (known_rank (strip R Q)) eqn:KR, (known_rank (strip Q R)) eqn:KQ.
      * destruct (q <? p); injection E as <- <- _; [eapply F_re_nested | eapply F_re_nested_sym]; eauto.
      * injection E as <- <- _. eapply F_re_nested; eauto.
      * injection E as <- <- _. eapply F_re_nested_sym; eauto.
      * injection E as <- <- _. eapply F_re_cross; eauto; lia.
  - now apply F_re_open_closed.
  - now apply F_re_closed_open.
  - now apply F_re_closed.
Qed.

Lemma fire_rle_fires : forall V B n res op r o s, numbered n V -> fire_rle n res op = (r, o, s) ->
  fires V B (RLe res op) r o.
Proof.
  intros V B n res op r o s H E. unfold fire_rle in E. destruct (coveredb res op) eqn:C.
  - apply coveredb_spec in C. destruct (tmid op) as [p|] eqn:M.
    + destruct (rterm_eqb (residue res op) (rvar_term p)) eqn:D; injection E as <- <- _.
      * apply rterm_eqb_eq in D. now apply F_ri_refl with (p := p).
      * apply rterm_eqb_false in D. now apply F_ri_cap.
    + injection E as <- <- _. now apply F_ri_closed_op.
  - assert (N : ~ covered res op) by (intros K; apply coveredb_spec in K; congruence).
    destruct (tmid res) as [p|] eqn:M; injection E as <- <- _.
    + apply F_ri_deficit; auto using len_seq, fresh_NoDup.
      now apply fresh_new.
    + now apply F_ri_short_closed.
Qed.

Lemma no_tag : forall n c P B r o s, fire P n B c = (r, o, s) ->
  match c with DLe _ _ => True | _ => s = false end.
Proof.
  intros n c P B r o s E. destruct c as [t u|t u|R Q|R Q]; simpl in E; auto.
  - unfold fire_deq in E. destruct (dterm_eqb t u), t, u; congruence.
  - unfold fire_req in E.
    repeat match type of E with
    | context [match ?x with _ => _ end] => destruct x
    end; congruence.
  - unfold fire_rle in E.
    repeat match type of E with
    | context [match ?x with _ => _ end] => destruct x
    end; congruence.
Qed.

Lemma fire_dle_fires : forall V P B t u r o s, one_atom (map fst B) -> fire_dle P B t u = (r, o, s) ->
  fires V (map fst B) (DLe t u) r o /\ (s = false -> fires V (untainted B) (DLe t u) r o).
Proof.
  intros V P B t u r o s One E. unfold fire_dle in E.
  destruct (dterm_eqb u (DConst Unit)) eqn:T.
  { apply dterm_eqb_eq in T as ->. injection E as <- <- _. split; constructor. }
  destruct (dterm_eqb t u) eqn:D.
  { apply dterm_eqb_eq in D as ->. injection E as <- <- _. split; constructor. }
  apply dterm_eqb_false in T, D. destruct t as [a|d], u as [b|e].
  - assert (N : a <> b) by congruence.
    assert (Adj : (DI_adj, di_adj a b, false) = (r, o, s) ->
              fires V (map fst B) (DLe (DVar a) (DVar b)) r o /\
              (s = false -> fires V (untainted B) (DLe (DVar a) (DVar b)) r o))
      by (intros X; injection X as <- <- _; split; intros; now apply F_di_adj).
    destruct (antisym P); [|auto].
    destruct (path B b a) as [t|] eqn:Pa; [|auto].
    apply def_4_2_path_found in Pa as [A U]; [|auto]. injection E as <- <- <-.
    split; intros; now apply F_di_antisym; auto.
  - assert (A : is_atom e) by (destruct e; [congruence | exact I]).
    injection E as <- <- _. split; intros; now apply F_di_pin.
  - destruct d as [|n x]; [injection E as <- <- _; split; intros; apply F_di_pin_top|].
    unfold fire_cap in E. set (d := Atom n x) in *. assert (A : is_atom d) by exact I.
    pose proof (F_di_cap V (map fst B) d b A) as K1. pose proof (F_di_cap V (untainted B) d b A) as K2.
    unfold di_cap in K1, K2. pose proof (t_lower_fst B b) as L.
    destruct (t_lower B b) as [[y t]|] eqn:TL; simpl in L; rewrite L in K1.
    + destruct t.
      * destruct (dim_eqb_spec y d) as [->|Ny]; injection E as <- <- <-.
        -- split; [apply F_di_cap_keep; auto|]. intros _.
           destruct (lower (untainted B) b) as [y|] eqn:LU; [|exact K2].
           apply lower_in in LU as LI. destruct LI as [Ay Iy]. apply untainted_incl in Iy.
           apply lower_in in L as [_ L]. apply F_di_cap_keep; [auto|].
           rewrite LU. f_equal. now apply (One _ _ b).
        -- split; [exact K1 | discriminate].
      * rewrite (t_lower_untainted _ _ _ TL) in K2. destruct (dim_eqb y d); injection E as <- <- <-; auto.
    + rewrite (t_lower_none _ _ TL) in K2. injection E as <- <- <-. auto.
  - destruct d; injection E as <- <- _; split; intros; apply F_di_ground.
Qed.

(** What the program fires is a rule of the relation; without the tag also with
    only the untainted part of the store. *)
Theorem def_4_3_fire_is_a_rule : forall P n B c r o s V, numbered n V -> one_atom (map fst B) ->
  fire P n B c = (r, o, s) ->
  fires V (map fst B) c r o /\ (s = false -> fires V (untainted B) c r o).
Proof.
  intros P n B c r o s V N One E. destruct c as [t u|t u|R Q|R Q]; simpl in E.
  - split; intros; eapply fire_deq_fires; eauto.
  - eapply fire_dle_fires; eauto.
  - split; intros; eapply fire_req_fires; eauto.
  - split; intros; eapply fire_rle_fires; eauto.
Qed.

(** A tag that is used is there. *)
Lemma fire_tag : forall P n B c r o, fire P n B c = (r, o, true) -> exists d, In (d, true) B.
Proof.
  intros P n B c r o E. pose proof (no_tag _ _ _ _ _ _ _ E) as N.
  destruct c as [t u|t u|R Q|R Q]; try discriminate. clear N. simpl in E. unfold fire_dle in E.
  destruct (dterm_eqb u (DConst Unit)); [discriminate|]. destruct (dterm_eqb t u); [discriminate|].
  destruct t as [a|d], u as [b|e]; try (destruct d; discriminate); try discriminate.
  - destruct (antisym P); [|discriminate]. unfold path in E.
    destruct (back _ _ _ _ _) as [t|] eqn:Bk; [|discriminate]. injection E as _ _ ->.
    destruct (back_tag _ B _ _ _ _ (search_stored _ B _ _ _ [] (fun _ _ _ X => ltac:(discriminate X))) Bk) as [X|X];
      [discriminate | exact X].
  - destruct d as [|n' x]; [discriminate|]. unfold fire_cap in E.
    destruct (t_lower B b) as [[y t]|] eqn:L; [|discriminate].
    destruct t; [|destruct (dim_eqb y (Atom n' x)); discriminate]. clear E.
    induction B as [|[c t] B IH]; simpl in L; [discriminate|].
    assert (G : t_lower B b = Some (y, true) -> exists d, In (d, true) ((c, t) :: B)).
    { intros X. destruct (IH X) as (d & I). exists d. simpl; auto. }
    destruct c as [t' u|[z|[|k w]] [a'|e]|R Q|R Q]; auto.
    destruct (Nat.eqb a' b); [|auto]. injection L as _ ->. eexists; simpl; eauto.
Qed.
