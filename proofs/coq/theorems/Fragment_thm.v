(** 8.4(c): where no guess forecloses a solution. *)

From Coq Require Import ZArith List Bool Arith Lia Permutation.
From Lozenge Require Import Dim Row Term Semantics Staged Bounds Fragment Bounds_thm.
Import ListNotations.
Local Open Scope Z_scope.

(** * Numbers for the unknowns *)

Definition value (n : dvar -> Z) (l : list (Z * dvar)) : Z := plus (map (fun t => fst t * n (snd t)) l).

Lemma value_cons : forall n t l, value n (t :: l) = fst t * n (snd t) + value n l.
Proof. reflexivity. Qed.

Lemma value_same : forall n m l, (forall a, In a (map snd l) -> n a = m a) -> value n l = value m l.
Proof.
  intros n m l; induction l as [|t l IH]; intros E; [reflexivity|]. rewrite !value_cons, IH, (E (snd t)); simpl; auto.
  intros a J. apply E. simpl. auto.
Qed.

Lemma picks_perm : forall (A : Type) (l : list A) t others, In (t, others) (picks l) -> Permutation (t :: others) l.
Proof.
  intros A l; induction l as [|u l IH]; intros t others J; simpl in J; [destruct J|].
  destruct J as [J|J]; [injection J as <- <-; apply Permutation_refl|].
  apply in_map_iff in J. destruct J as ([t' o'] & E & J). simpl in E. injection E as <- <-.
  apply perm_trans with (u :: t' :: o'); [apply perm_swap | apply perm_skip; auto].
Qed.

Lemma value_perm : forall n l k, Permutation l k -> value n l = value n k.
Proof. intros n l k P; induction P; rewrite ?value_cons; lia. Qed.

Lemma add_nodup : forall c a l, NoDup (map snd l) -> NoDup (map snd (add_term c a l)).
Proof.
  intros c a l; induction l as [|[d b] l IH]; intros N; simpl.
  - constructor; [intros [] | constructor].
  - inversion N as [|x y H K]; subst. destruct (Nat.eqb_spec a b) as [<-|D]; simpl; [exact N|]. constructor; [|auto].
    intros J. apply in_map_iff in J. destruct J as (t & E & J). destruct (add_in _ _ _ _ J) as [Q|(e & Q)]; [congruence|].
    apply H. rewrite <- E. exact (in_map snd _ _ Q).
Qed.

Lemma collect_nodup : forall l, NoDup (map snd (collect l)).
Proof.
  intros l. unfold collect.
  assert (N : NoDup (map snd (fold_right (fun t => add_term (fst t) (snd t)) [] l))).
  { induction l as [|t l IH]; simpl; [constructor | now apply add_nodup]. }
  revert N. generalize (fold_right (fun t => add_term (fst t) (snd t)) [] l) as k. intros k; induction k as [|t k IH]; intros N; [exact N|].
  inversion N as [|x y H K]; subst. simpl. destruct (negb (fst t =? 0)); simpl; [|auto]. constructor; [|auto].
  intros J. apply H. apply in_map_iff in J. destruct J as (u & E & J). apply filter_In in J. rewrite <- E. now apply in_map.
Qed.

Lemma size_of : forall n a, 1 <= n a -> size (of_sizes n) (DVar a) = n a.
Proof. intros n a H. unfold size. simpl. rewrite Z2Pos.id; lia. Qed.

Lemma value_of : forall n l, (forall a, 1 <= n a) -> linear_value (of_sizes n) l = value n l.
Proof. intros n l H; induction l as [|t l IH]; [reflexivity|]. now rewrite linear_cons, value_cons, size_of, IH. Qed.

Lemma fits_of : forall R n, from_one R -> (forall a, in_range R a (n a)) -> fits true (of_sizes n) R.
Proof.
  intros R n O H a. destruct (H a) as [L M]. specialize (O a). rewrite size_of by lia. split; [auto | intros m E _; auto].
Qed.

(** * What settled bounds say *)

(** The constant of a size equation with its known sizes. *)
Definition known_part (c : size_claim) : Z := equation_constant c + plus (map known_of (equation_terms c)).

Definition is_equation (c : size_claim) : Prop := match c with At_least _ _ => False | _ => True end.

Lemma each_one : forall (A : Type) (f : A -> ranges -> narrowed) x R, each f [x] R = f x R.
Proof. intros A f x R. simpl. now destruct (f x R). Qed.

Lemma from_known : forall n s R, n <= s -> factor_from n (Known s) false R = Narrowed R.
Proof. intros n s R H. unfold factor_from. simpl. destruct (Z.ltb_spec s n) as [X|X]; [lia | reflexivity]. Qed.

(** A factor that is a number is read one way, and is well formed. *)
Lemma narrow_simple : forall c R, simple c -> is_equation c ->
  narrow (c, false) R = narrow_linear (flat_map unknown_of (equation_terms c)) (Limit (known_part c) false) R.
Proof.
  intros [d [s|t] o m offset|d parts|rows divided denom coeff var|rows axes|d n] R S I; try contradiction.
  - destruct S as (S1 & S2 & _ & _ & _ & Sm). cbn [narrow]. unfold well_formed. rewrite from_known by lia.
    destruct m as [| |[e|t] k]; [| | |destruct Sm]; cbn [and_then affine_forms readings factor_at map flat_map app].
    1, 2: rewrite each_one; unfold narrow_affine, narrow_terms, known_part; cbn [fst snd number rests orb equation_constant];
      now rewrite Z.mul_0_r.
    destruct Sm as (E1 & _ & ->). cbn [Z.eqb]. rewrite from_known by lia. cbn [and_then]. rewrite each_one.
    unfold narrow_affine, narrow_terms, known_part. cbn [fst snd number rests orb equation_constant equation_terms].
    do 2 f_equal. lia.
  - reflexivity.
Qed.

Lemma settled_linear : forall c R, simple c -> is_equation c -> narrow (c, false) R = Narrowed R ->
  (unknown_terms c = [] -> known_part c = 0) /\
  forall p, In p (picks (unknown_terms c)) ->
    at_lo R (snd (fst p)) (term_lo (Limit (known_part c) false) R p) /\
    at_hi R (snd (fst p)) (term_hi (Limit (known_part c) false) R p).
Proof.
  intros c R S I E. rewrite (narrow_simple c R S I) in E. unfold narrow_linear in E. fold (unknown_terms c) in E.
  destruct (unknown_terms c) as [|t l].
  - simpl in E. destruct (Z.eqb_spec (known_part c) 0) as [Z0|Z0]; [|discriminate]. split; [auto | intros p []].
  - split; [discriminate|].
    apply (proj2 (each_tight _ (narrow_term R (Limit (known_part c) false)) (fun p => snd (fst p))
      (fun p _ => term_lo (Limit (known_part c) false) R p) (fun p _ => term_hi (Limit (known_part c) false) R p)
      (picks (t :: l)) (fun p R' => term_tight R (Limit (known_part c) false) p R'))). exact E.
Qed.

(** A claim holds of sizes that balance its equation. *)
Definition balanced (n : dvar -> Z) (c : size_claim) : Prop :=
  match c with
  | At_least t k => k <= size (of_sizes n) t
  | _ => known_part c + value n (unknown_terms c) = 0
  end.

Lemma basis_plain : forall n t b, plain_term t -> basis_of (of_sizes n) t = Some b -> b = default.
Proof. intros n [a|[|k b']] b P E; simpl in *; unfold basis_of in E; simpl in E; congruence. Qed.

Lemma plain_says : forall n t, plain_term t -> plain (of_sizes n) t.
Proof.
  intros n t P. unfold plain. destruct (basis_of (of_sizes n) t) as [b|] eqn:E; [|auto].
  right. f_equal. exact (basis_plain n t b P E).
Qed.

Lemma one_basis_plain : forall n ts, (forall t, In t ts -> plain_term t) -> one_basis (of_sizes n) ts.
Proof.
  intros n ts P t u b c Jt Ju Et Eu. rewrite (basis_plain n t b (P t Jt) Et). symmetry. exact (basis_plain n u c (P u Ju) Eu).
Qed.

Lemma size_one : forall n t, (forall a, 1 <= n a) -> 1 <= size (of_sizes n) t.
Proof. intros n [a|d] H; [rewrite size_of; auto | unfold size; simpl; lia]. Qed.

Lemma balance_terms : forall n c, (forall a, 1 <= n a) -> known_part c + value n (unknown_terms c) = 0 ->
  equation_constant c + terms_value (of_sizes n) (equation_terms c) = 0.
Proof.
  intros n c H E. unfold unknown_terms, known_part in E. rewrite <- (value_of n _ H), linear_collect in E.
  pose proof (terms_split (of_sizes n) (equation_terms c)). lia.
Qed.

Lemma balanced_says : forall n c, (forall a, 1 <= n a) -> simple c -> balanced n c -> says (of_sizes n) c.
Proof.
  intros n c H S B. pose proof (balance_terms n c H) as T. pose proof (fun t => size_one n t H) as O.
  destruct c as [d [s|t] o m offset|d parts|rows divided denom coeff var|rows axes|d k]; try contradiction.
  - destruct S as (S1 & S2 & S3 & Pd & Po & Sm). specialize (T B).
    assert (Q : size (of_sizes n) d = affine_size (of_sizes n) (Known s) o m).
    { destruct m as [| |[e|t] k]; [| | |tauto]; cbn [equation_terms equation_constant] in T; rewrite !terms_cons in T;
        cbn [fst snd] in T; change (terms_value (of_sizes n) []) with 0 in T; cbn [affine_size factor_size]; lia. }
    cbn [says]. split; [split; [exact S1 | auto]|]. split; [exact S2|]. split; [apply O|]. split; [apply O|]. split; [exact Q|].
    split; [apply one_basis_plain; intros t [<-|[<-|[]]]; auto|].
    split; [rewrite S3; discriminate|]. destruct m as [| |[e|t] k]; auto; [|tauto].
    destruct Sm as (E1 & Pk & ->). split; [split; [exact E1 | auto]|]. split; [apply O|]. split; [now apply plain_says | reflexivity].
  - specialize (T B). cbn [equation_terms equation_constant] in T. rewrite terms_cons, terms_parts in T. cbn [fst snd] in T.
    split; [apply O|]. split; [lia | now apply one_basis_plain].
  - exact B.
Qed.

Lemma settled_least : forall t k R n, narrow (At_least t k, false) R = Narrowed R -> (forall a, 1 <= n a) ->
  (forall a, in_range R a (n a)) -> balanced n (At_least t k).
Proof.
  intros [a|d] k R n E H I; simpl in *.
  - rewrite size_of by auto. destruct (raise_within R a (Some (Limit k false)) R E) as [_ W].
    destruct (W (within_refl R)) as [_ L]. specialize (L _ eq_refl). cbn [number] in L. destruct (I a). lia.
  - destruct (Z.leb_spec k (Zpos (count d))) as [L|L]; [exact L | discriminate].
Qed.

(** * Pairs: the corner balances them *)

Lemma single_most : forall R a, ~ loose R a -> exists m, most (R a) = Some m /\ number m = number (least (R a)).
Proof.
  intros R a L. unfold loose, one_number in L. destruct (most (R a)) as [m|]; [|exfalso; auto].
  destruct (Z.eqb_spec (number m) (number (least (R a)))) as [E|E]; [eauto | exfalso; auto].
Qed.

Lemma loose_dec : forall R a, {loose R a} + {~ loose R a}.
Proof. intros R a. unfold loose. destruct (one_number (R a)); [right; discriminate | left; reflexivity]. Qed.

Lemma corner_single : forall flip R a, ~ loose R a -> corner flip R a = number (least (R a)).
Proof.
  intros flip R a L. destruct (single_most R a L) as (m & M & E). unfold corner. rewrite M. destruct (flip a); auto.
Qed.

Lemma corner_in_range : forall flip R a, not_empty R -> in_range R a (corner flip R a).
Proof.
  intros flip R a N. unfold corner, in_range. specialize (N a).
  destruct (flip a), (most (R a)) as [m|]; try (specialize (N m eq_refl)); split; try lia; intros h E; inversion E; subst; lia.
Qed.

(** There are greatest sizes where they are asked for. *)
Definition topped (flip : dvar -> bool) (R : ranges) (u : Z * dvar) : Prop :=
  loose R (snd u) -> flip (snd u) = true -> most (R (snd u)) <> None.

(** Where the unknowns that are left have one orientation, the sum is least or, with [up], greatest at the corner. *)
Lemma corner_sum : forall (up : bool) flip R k l, (forall u, In u l -> topped flip R u) ->
  (forall u, In u l -> loose R (snd u) -> if up then oriented flip u < 0 else 0 < oriented flip u) ->
  exists x, sum_of ((if up then large else small) R) (Limit k false) l = Some x /\ number x = k + value (corner flip R) l.
Proof.
  intros up flip R k l; induction l as [|[c a] l IH]; intros Tp P.
  - exists (Limit k false). split; [reflexivity|]. change (value (corner flip R) []) with 0. cbn [number]. lia.
  - destruct IH as (x & X & N); [intros u J; apply Tp; right; exact J | intros u J; apply P; right; exact J|].
    unfold sum_of in *. cbn [fold_right]. rewrite X. rewrite value_cons. cbn [fst snd].
    destruct (loose_dec R a) as [L|L].
    + specialize (P (c, a) (or_introl eq_refl) L). specialize (Tp (c, a) (or_introl eq_refl) L).
      unfold oriented in P. unfold corner at 1. cbn [fst snd] in *. destruct (flip a) in P, Tp |- *;
        [destruct (most (R a)) as [m|] eqn:M in Tp |- *; [|exfalso; exact (Tp eq_refl eq_refl)]|];
        destruct up; unfold small, large; cbn [fst snd]; destruct (Z.ltb_spec 0 c) as [Q|Q]; try lia; rewrite ?M;
        (eexists; split; [reflexivity|]; cbn [number]; lia).
    + rewrite (corner_single flip R a L). destruct (single_most R a L) as (m & M & E).
      destruct up; unfold small, large; cbn [fst snd]; rewrite M; destruct (0 <? c);
        (eexists; split; [reflexivity|]; cbn [number]; rewrite ?E; lia).
Qed.

(** What the bounds of one unknown say of the whole sum, with [y] for what the others add up to. *)
Lemma lo_says : forall R k p x others n, p <> 0 -> at_lo R x (term_lo (Limit k false) R ((p, x), others)) ->
  number (least (R x)) <= n ->
  (0 < p -> forall y, sum_of (large R) (Limit k false) others = Some y -> 0 <= p * n + number y) /\
  (p < 0 -> forall y, sum_of (small R) (Limit k false) others = Some y -> p * n + number y <= 0).
Proof.
  intros R k p x others n Np Lo Le. unfold term_lo in Lo. cbn [fst snd] in Lo. split; intros P y Y.
  - rewrite (proj2 (Z.ltb_lt 0 p) P), Y in Lo. specialize (Lo _ eq_refl). cbn [number] in Lo. rewrite Z.abs_eq in Lo by lia.
    pose proof (up_ge p (- number y) P). nia.
  - destruct (Z.ltb_spec 0 p) as [Q|Q]; [lia|]. rewrite Y in Lo. specialize (Lo _ eq_refl). cbn [number] in Lo.
    rewrite Z.abs_neq in Lo by lia. pose proof (up_ge (- p) (number y) ltac:(lia)). nia.
Qed.

Lemma hi_says : forall R k p x others n, p <> 0 -> at_hi R x (term_hi (Limit k false) R ((p, x), others)) ->
  (forall m, most (R x) = Some m -> n <= number m) ->
  (0 < p -> forall y, sum_of (small R) (Limit k false) others = Some y -> p * n + number y <= 0) /\
  (p < 0 -> forall y, sum_of (large R) (Limit k false) others = Some y -> 0 <= p * n + number y).
Proof.
  intros R k p x others n Np Hi Le. unfold term_hi in Hi. cbn [fst snd] in Hi. split; intros P y Y.
  - rewrite (proj2 (Z.ltb_lt 0 p) P), Y in Hi. destruct (Hi _ eq_refl) as (m & M & X). specialize (Le m M). cbn [number] in X.
    rewrite Z.abs_eq in X by lia. pose proof (down_le p (- number y) P). nia.
  - destruct (Z.ltb_spec 0 p) as [Q|Q]; [lia|]. rewrite Y in Hi. destruct (Hi _ eq_refl) as (m & M & X). specialize (Le m M).
    cbn [number] in X. rewrite Z.abs_neq in X by lia. pose proof (down_le (- p) (number y) ltac:(lia)). nia.
Qed.

(** One unknown: the sum is on one side of 0 where the other unknown is oriented against it. *)
Lemma corner_side : forall flip R k p x others, p <> 0 -> topped flip R (p, x) -> (forall u, In u others -> topped flip R u) ->
  loose R x -> (forall u, In u others -> loose R (snd u) -> oriented flip (p, x) * oriented flip u < 0) ->
  at_lo R x (term_lo (Limit k false) R ((p, x), others)) -> at_hi R x (term_hi (Limit k false) R ((p, x), others)) ->
  0 <= oriented flip (p, x) * (k + value (corner flip R) ((p, x) :: others)).
Proof.
  intros flip R k p x others Np Tx Tp L Op Lo Hi. rewrite value_cons. specialize (Tx L). cbn [fst snd] in *.
  unfold corner at 1. unfold oriented at 1 in Op. unfold oriented. cbn [fst snd] in *. destruct (flip x) in Tx, Op |- *.
  - destruct (most (R x)) as [m|] eqn:M; [|exfalso; exact (Tx eq_refl eq_refl)].
    destruct (hi_says R k p x others (number m) Np Hi) as [A B]; [intros h E; rewrite M in E; injection E as <-; lia|].
    destruct (Z.ltb_spec 0 p) as [P|P].
    + destruct (corner_sum false flip R k others Tp) as (y & Y & N); [intros u J Lu; specialize (Op u J Lu); nia|].
      specialize (A P y Y). nia.
    + destruct (corner_sum true flip R k others Tp) as (y & Y & N); [intros u J Lu; specialize (Op u J Lu); nia|].
      specialize (B ltac:(lia) y Y). nia.
  - destruct (lo_says R k p x others (number (least (R x))) Np Lo) as [A B]; [lia|].
    destruct (Z.ltb_spec 0 p) as [P|P].
    + destruct (corner_sum true flip R k others Tp) as (y & Y & N); [intros u J Lu; specialize (Op u J Lu); nia|].
      specialize (A P y Y). nia.
    + destruct (corner_sum false flip R k others Tp) as (y & Y & N); [intros u J Lu; specialize (Op u J Lu); nia|].
      specialize (B ltac:(lia) y Y). nia.
Qed.

(** One unknown by itself has its value. *)
Lemma corner_alone : forall flip R k p x others, p <> 0 -> not_empty R -> (forall u, In u others -> ~ loose R (snd u)) ->
  at_lo R x (term_lo (Limit k false) R ((p, x), others)) -> at_hi R x (term_hi (Limit k false) R ((p, x), others)) ->
  k + value (corner flip R) ((p, x) :: others) = 0.
Proof.
  intros flip R k p x others Np N Op Lo Hi. rewrite value_cons. cbn [fst snd].
  destruct (corner_in_range flip R x N) as [G M].
  assert (Tp : forall u, In u others -> topped flip R u) by (intros u J L; exfalso; exact (Op u J L)).
  destruct (corner_sum false flip R k others Tp) as (y & Y & Ny); [intros u J L; exfalso; exact (Op u J L)|].
  destruct (corner_sum true flip R k others Tp) as (z & Z0 & Nz); [intros u J L; exfalso; exact (Op u J L)|].
  destruct (lo_says R k p x others _ Np Lo G) as [A B]. destruct (hi_says R k p x others _ Np Hi M) as [C D].
  destruct (Z.lt_trichotomy p 0) as [P|[P|P]]; [|lia|].
  - specialize (B P y Y). specialize (D P z Z0). lia.
  - specialize (A P z Z0). specialize (C P y Y). lia.
Qed.

Lemma picks_of : forall (A : Type) (l : list A) t, In t l -> exists others, In (t, others) (picks l).
Proof.
  intros A l; induction l as [|u l IH]; intros t J; [destruct J|]. destruct J as [<-|J].
  - exists l. left. reflexivity.
  - destruct (IH t J) as (o & P). exists (u :: o). right. apply in_map_iff. exists (t, o). auto.
Qed.

Lemma opposite : forall p q t, p * q < 0 -> 0 <= p * t -> 0 <= q * t -> t = 0.
Proof.
  intros p q t H A B. destruct (Z.lt_trichotomy t 0) as [T|[T|T]]; [exfalso | exact T | exfalso]; nia.
Qed.

Lemma corner_balances : forall flip c R, simple c -> is_equation c -> paired flip R c -> not_empty R ->
  narrow (c, false) R = Narrowed R -> known_part c + value (corner flip R) (unknown_terms c) = 0.
Proof.
  intros flip c R S I [T Tp] N E. destruct (settled_linear c R S I E) as [Z0 A].
  pose proof (collect_nonzero (flat_map unknown_of (equation_terms c))) as Nz. fold (unknown_terms c) in Nz.
  set (l := unknown_terms c) in *. set (k := known_part c) in *.
  assert (W : forall t others, In (t, others) (picks l) -> value (corner flip R) l = value (corner flip R) (t :: others)).
  { intros t others J. symmetry. apply value_perm. exact (picks_perm _ _ _ _ J). }
  pose proof (Exists_dec (fun t : Z * dvar => loose R (snd t)) l (fun t => loose_dec R (snd t))) as [L|L].
  2: { destruct l as [|[p x] r]; [rewrite (Z0 eq_refl); reflexivity|].
       destruct (A ((p, x), r) (or_introl eq_refl)) as [Lo Hi].
       apply corner_alone; auto; [exact (Nz (p, x) (or_introl eq_refl))|].
       intros u J L'. apply L, Exists_exists. exists u. split; [right; exact J | exact L']. }
  apply Exists_exists in L. destruct L as ([p x] & Jt & L). destruct (picks_of _ l (p, x) Jt) as (others & J).
  pose proof (Nz _ Jt) as Np. cbn [fst] in Np. destruct (A _ J) as [Lo Hi].
  assert (Ot : forall t o, In (t, o) (picks l) -> forall u, In u o -> topped flip R u).
  { intros t o P u Ju. exact (Tp u (proj2 (picks_in _ _ _ _ P) u Ju)). }
  pose proof (Exists_dec (fun u : Z * dvar => loose R (snd u)) others (fun t => loose_dec R (snd t))) as [Lu|Lu].
  2: { rewrite (W _ _ J). apply corner_alone; auto. intros u Ju L'. apply Lu, Exists_exists. eauto. }
  (* A second one, oriented against it. *)
  apply Exists_exists in Lu. destruct Lu as ([q y] & Ju & Lu).
  assert (Jq : In (q, y) l) by exact (proj2 (picks_in _ _ _ _ J) _ Ju).
  destruct (picks_of _ l (q, y) Jq) as (o2 & J2). destruct (A _ J2) as [Lo2 Hi2]. pose proof (Nz _ Jq) as Nq. cbn [fst] in Nq.
  pose proof (corner_side flip R k p x others Np (Tp _ Jt) (Ot _ _ J) L (fun u P Q => T _ _ u J P L Q) Lo Hi) as B1.
  pose proof (corner_side flip R k q y o2 Nq (Tp _ Jq) (Ot _ _ J2) Lu (fun u P Q => T _ _ u J2 P Lu Q) Lo2 Hi2) as B2.
  rewrite <- (W _ _ J) in B1. rewrite <- (W _ _ J2) in B2. pose proof (T _ _ _ J Ju L Lu) as Q.
  exact (opposite _ _ _ Q B1 B2).
Qed.

(** * Trees: every size that is within its bounds is part of a solution *)

Lemma small_large : forall R s l x y, not_empty R -> sum_of (small R) s l = Some x -> sum_of (large R) s l = Some y ->
  number x <= number y.
Proof.
  intros R s l; induction l as [|[c a] l IH]; intros x y N X Y.
  - injection X as <-. injection Y as <-. lia.
  - apply on_limits_spec in X, Y. destruct X as (x1 & x2 & X1 & X2 & Nx & _). destruct Y as (y1 & y2 & Y1 & Y2 & Ny & _).
    specialize (IH x2 y2 N X2 Y2). rewrite Nx, Ny. unfold small, large in X1, Y1. cbn [fst snd] in *.
    apply on_limit_spec in X1, Y1. destruct X1 as (u & U & Nu & _). destruct Y1 as (w & W & Nw & _).
    destruct (Z.ltb_spec 0 c) as [P|P].
    + injection U as <-. specialize (N a w W). nia.
    + injection W as <-. specialize (N a u U). nia.
Qed.

(** What is between the least and the most of a sum without coefficients is one of its values. *)
Lemma fill : forall R k others, not_empty R -> NoDup (map snd others) -> (forall u, In u others -> loose R (snd u) -> Z.abs (fst u) = 1) ->
  forall T n,
  (forall x, sum_of (small R) (Limit k false) others = Some x -> number x <= T) ->
  (forall x, sum_of (large R) (Limit k false) others = Some x -> T <= number x) ->
  exists m, (forall a, ~ In a (map snd others) -> m a = n a) /\ (forall a, In a (map snd others) -> in_range R a (m a)) /\
    k + value m others = T.
Proof.
  intros R k others N; induction others as [|[c b] l IH]; intros D U T n Lo Hi.
  - exists n. split; [auto | split; [intros a []|]]. specialize (Lo _ eq_refl). specialize (Hi _ eq_refl). cbn [number] in *.
    change (value n []) with 0. lia.
  - cbn [map snd] in D. apply NoDup_cons_iff in D. destruct D as [Db D].
    pose proof (U (c, b) (or_introl eq_refl)) as Uc. cbn [fst snd] in Uc.
    specialize (IH D (fun u J => U u (or_intror J))).
    pose proof (fun x y => small_large R (Limit k false) l x y N) as SL.
    change (sum_of (small R) (Limit k false) ((c, b) :: l)) with
      (on_limits Z.add (small R (c, b)) (sum_of (small R) (Limit k false) l)) in Lo.
    change (sum_of (large R) (Limit k false) ((c, b) :: l)) with
      (on_limits Z.add (large R (c, b)) (sum_of (large R) (Limit k false) l)) in Hi.
    assert (X : exists z, in_range R b z /\
      (forall x, sum_of (small R) (Limit k false) l = Some x -> number x <= T - c * z) /\
      (forall x, sum_of (large R) (Limit k false) l = Some x -> T - c * z <= number x)).
    { unfold small at 1 in Lo. unfold large at 1 in Hi. cbn [fst snd] in Lo, Hi. specialize (N b). unfold in_range.
      destruct (loose_dec R b) as [L|L].
      2: { destruct (single_most R b L) as (m & M & E). rewrite M in *. exists (number (least (R b))).
           split; [split; [lia | intros m' X; injection X as <-; lia]|].
           split; intros x X; rewrite X in *; destruct (0 <? c); cbn [on_limit on_limits] in Lo, Hi;
             try (specialize (Lo _ eq_refl)); try (specialize (Hi _ eq_refl)); cbn [number] in *; rewrite ?E in *; lia. }
      specialize (Uc L). destruct (sum_of (small R) (Limit k false) l) as [lo|]; destruct (sum_of (large R) (Limit k false) l) as [hi|];
        try (specialize (SL _ _ eq_refl eq_refl));
        (assert (c = 1 \/ c = -1) as [->| ->] by lia); cbn [Z.ltb Z.compare] in Lo, Hi;
        destruct (most (R b)) as [m|]; cbn [on_limit on_limits] in Lo, Hi;
        try (specialize (N m eq_refl)); try (specialize (Lo _ eq_refl)); try (specialize (Hi _ eq_refl)); cbn [number] in *;
        match goal with
        | |- exists z, _ /\ (forall x, Some ?lo = Some x -> number x <= T - -1 * z) /\ _ =>
            exists (Z.max (number (least (R b))) (number lo - T))
        | |- exists z, _ /\ _ /\ (forall x, Some ?hi = Some x -> T - 1 * z <= number x) =>
            exists (Z.max (number (least (R b))) (T - number hi))
        | |- _ => exists (number (least (R b)))
        end;
        (split; [split; [lia | intros m' E; inversion E; subst; lia] | split; intros x E; inversion E; subst; lia]). }
    destruct X as (z & Iz & Lz & Hz). destruct (IH (T - c * z) (fun a => if Nat.eqb b a then z else n a) Lz Hz) as (m & Same & In_ & V).
    assert (Mb : m b = z) by (rewrite Same by exact Db; now rewrite Nat.eqb_refl).
    exists m. split; [|split].
    + intros a J. cbn [map snd] in J. rewrite Same by (intros K; apply J; right; exact K).
      destruct (Nat.eqb_spec b a) as [<-|Q]; [exfalso; apply J; left; reflexivity | reflexivity].
    + intros a [<-|J]; [cbn [snd]; rewrite Mb; exact Iz | exact (In_ a J)].
    + rewrite value_cons. cbn [fst snd]. rewrite Mb. lia.
Qed.

(** A claim of which at most one unknown has its size already. *)
Lemma entered_balances : forall c R V n, simple c -> is_equation c -> not_empty R -> narrow (c, false) R = Narrowed R ->
  entered R V (unknown_terms c) -> (forall a, in_range R a (n a)) ->
  exists m, (forall a, In a V -> m a = n a) /\ (forall a, in_range R a (m a)) /\ known_part c + value m (unknown_terms c) = 0.
Proof.
  intros c R V n S I N E En G. destruct (settled_linear c R S I E) as [Z0 A].
  destruct En as [Nil|([c0 a0] & others & Jp & New)].
  { exists n. split; [auto | split; [exact G|]]. rewrite Nil. rewrite (Z0 Nil). reflexivity. }
  pose proof (picks_perm _ _ _ _ Jp) as P.
  assert (D : NoDup (map snd ((c0, a0) :: others))).
  { apply (Permutation_NoDup (l := map snd (unknown_terms c))); [apply Permutation_map, Permutation_sym, P | apply collect_nodup]. }
  cbn [map snd] in D. apply NoDup_cons_iff in D. destruct D as [Da D].
  assert (Nz : c0 <> 0).
  { apply (collect_nonzero (flat_map unknown_of (equation_terms c)) (c0, a0)). exact (proj1 (picks_in _ _ _ _ Jp)). }
  destruct (A _ Jp) as [Lo Hi]. destruct (G a0) as [Ga Gm]. unfold term_lo, term_hi in Lo, Hi. cbn [fst snd] in *.
  destruct (fill R (known_part c) others N D (fun u J L => proj1 (New u J L)) (- (c0 * n a0)) n) as (m & Same & Ins & V0).
  - intros x X. destruct (Z.ltb_spec 0 c0) as [Q|Q]; rewrite X in *; cbn [on_limit number] in *.
    + destruct (Hi _ eq_refl) as (h & M & L). specialize (Gm h M). cbn [number] in L. rewrite Z.abs_eq in L by lia.
      pose proof (down_le c0 (- number x) Q). nia.
    + specialize (Lo _ eq_refl). cbn [number] in Lo. rewrite Z.abs_neq in Lo by lia.
      pose proof (up_ge (- c0) (number x) ltac:(lia)). nia.
  - intros x X. destruct (Z.ltb_spec 0 c0) as [Q|Q]; rewrite X in *; cbn [on_limit number] in *.
    + specialize (Lo _ eq_refl). cbn [number] in Lo. rewrite Z.abs_eq in Lo by lia.
      pose proof (up_ge c0 (- number x) Q). nia.
    + destruct (Hi _ eq_refl) as (h & M & L). specialize (Gm h M). cbn [number] in L. rewrite Z.abs_neq in L by lia.
      pose proof (down_le (- c0) (number x) ltac:(lia)). nia.
  - exists m. split; [|split].
    + intros a J. destruct (in_dec Nat.eq_dec a (map snd others)) as [K|K]; [|exact (Same a K)].
      destruct (loose_dec R a) as [L|L].
      * exfalso. apply in_map_iff in K. destruct K as (u & <- & K). exact (proj2 (New u K L) J).
      * destruct (single_most R a L) as (h & M & Eh). destruct (Ins a K) as [X1 X2]. destruct (G a) as [Y1 Y2].
        specialize (X2 h M). specialize (Y2 h M). lia.
    + intros a. destruct (in_dec Nat.eq_dec a (map snd others)) as [K|K]; [exact (Ins a K) | rewrite (Same a K); apply G].
    + rewrite <- (value_perm m _ _ P), value_cons. cbn [fst snd]. rewrite (Same a0 Da). lia.
Qed.

(** Sizes of [V] within their bounds are those of a solution. *)
Lemma tree_extends : forall R cs V n, not_empty R -> from_one R -> (forall c, In c cs -> simple c /\ narrow (c, false) R = Narrowed R) ->
  hangs_on R V cs -> (forall a, in_range R a (n a)) ->
  exists m, (forall a, In a V -> m a = n a) /\ (forall a, in_range R a (m a)) /\ forall c, In c cs -> balanced m c.
Proof.
  intros R cs; induction cs as [|c cs IH]; intros V n N O C H G.
  { exists n. split; [auto | split; [exact G | intros c []]]. }
  destruct H as [En H]. destruct (C c (or_introl eq_refl)) as [S E].
  assert (X : exists m, (forall a, In a V -> m a = n a) /\ (forall a, in_range R a (m a)) /\
    (is_equation c -> known_part c + value m (unknown_terms c) = 0)).
  { assert (Q : is_equation c \/ ~ is_equation c) by (destruct c; simpl; tauto). destruct Q as [Q|Q].
    - destruct (entered_balances c R V n S Q N E En G) as (m & A & B & D). exists m. auto.
    - exists n. split; [auto | split; [exact G | tauto]]. }
  destruct X as (n1 & Same1 & G1 & B1).
  destruct (IH (map snd (unknown_terms c) ++ V) n1 N O (fun c' J => C c' (or_intror J)) H G1) as (m & Same & Gm & B).
  exists m. split; [|split; [exact Gm|]].
  - intros a J. rewrite Same by (apply in_app_iff; auto). auto.
  - intros c' [<-|J]; [|auto].
    assert (V1 : is_equation c -> known_part c + value m (unknown_terms c) = 0).
    { intros Q. rewrite (value_same m n1); [auto|]. intros a J. apply Same, in_app_iff. auto. }
    destruct c as [d s o md off|d parts|rows dv dn co va|rows axes|d k]; try (exact (V1 Logic.I)).
    apply (settled_least d k R m E); [|exact Gm]. intros a. specialize (O a). destruct (Gm a). lia.
Qed.

(** * Guesses *)

(** Sizes of [x] and of the core are those of a solution. *)
Lemma split_extends : forall cs R x n flip core tree, (forall c, In c cs -> simple c) ->
  settled (untagged cs) R -> not_empty R -> from_one R -> in_range R x n -> split_at cs R x flip core tree ->
  (In x (all_unknowns core) -> n = corner flip R x) -> exists v, size v (DVar x) = n /\ open_to cs R v.
Proof.
  intros cs R x n flip core tree C S N O I (Same & Co & H) Lx.
  assert (Cs : forall c, In c (core ++ tree) -> simple c /\ narrow (c, false) R = Narrowed R).
  { intros c J. apply Same in J. split; [auto|]. apply S. exact (in_map (fun c => (c, false)) cs c J). }
  set (start := fun a => if Nat.eqb x a then n else corner flip R a).
  assert (G0 : forall a, in_range R a (start a)).
  { intros a. unfold start. destruct (Nat.eqb_spec x a) as [<-|Q]; [exact I | now apply corner_in_range]. }
  destruct (tree_extends R tree (x :: all_unknowns core) start N O) as (m & Eq & G & B); auto.
  { intros c J. apply Cs, in_app_iff. auto. }
  assert (M1 : forall a, 1 <= m a) by (intros a; specialize (O a); destruct (G a); lia).
  exists (of_sizes m). split.
  { rewrite size_of by auto. rewrite (Eq x) by (left; reflexivity). unfold start. now rewrite Nat.eqb_refl. }
  split; [|now apply fits_of]. intros c J. apply Same in J. destruct (Cs c J) as [Sc E]. apply balanced_says; [exact M1 | exact Sc|].
  apply in_app_iff in J. destruct J as [J|J]; [|auto].
  assert (V : is_equation c -> known_part c + value m (unknown_terms c) = 0).
  { intros Q. rewrite (value_same m (corner flip R)); [exact (corner_balances flip c R Sc Q (Co c J) N E)|].
    intros a K. assert (Ka : In a (all_unknowns core)) by (apply in_flat_map; exists c; auto).
    rewrite (Eq a) by (right; exact Ka). unfold start. destruct (Nat.eqb_spec x a) as [<-|Q']; [exact (Lx Ka) | reflexivity]. }
  destruct c as [d s o md off|d parts|rows dv dn co va|rows axes|d k]; try (exact (V Logic.I)).
  exact (settled_least d k R m E M1 G).
Qed.

(** 8.4(c).  Once bounds are settled, a guess that is safe is part of a solution of all claims within them. *)
Theorem conj_8_4_c_safe : forall cs R x n, (forall c, In c cs -> simple c) ->
  settled (untagged cs) R -> not_empty R -> from_one R -> safe cs R x n -> exists v, size v (DVar x) = n /\ open_to cs R v.
Proof. intros cs R x n C S N O (I & flip & core & tree & Sp & Lx). exact (split_extends cs R x n flip core tree C S N O I Sp Lx). Qed.

Lemma open_not_empty : forall cs R v, open_to cs R v -> not_empty R.
Proof.
  intros cs R v [_ F] a m M. destruct (F a) as [L H].
  pose proof (L (fun _ => eq_refl)). pose proof (H m M (fun _ => eq_refl)). lia.
Qed.

Lemma open_not_refused : forall cs R v c, open_to cs R v -> In c cs -> exists R', narrow (c, false) R = Narrowed R'.
Proof.
  intros cs R v c [C F] J. pose proof (narrow_keeps true v c false R F (fun _ => C c J)) as K.
  destruct (narrow (c, false) R) as [R'|t]; [eauto|]. exfalso. apply K. intros _. reflexivity.
Qed.

(** An unknown that is left was one before. *)
Definition looser (R R' : ranges) : Prop := forall a,
  (loose R' a -> loose R a) /\ (most (R a) <> None -> most (R' a) <> None).

Lemma within_looser : forall R R', not_empty R' -> within R' R -> looser R R'.
Proof.
  intros R R' N W a. destruct (W a) as [L M]. split.
  - intros Lo. destruct (loose_dec R a) as [X|X]; [exact X|]. exfalso. destruct (single_most R a X) as (m & Em & E).
    destruct (M m Em) as (m' & Em' & Le). specialize (N a m' Em'). unfold loose, one_number in Lo. rewrite Em' in Lo.
    destruct (Z.eqb_spec (number m') (number (least (R' a)))) as [Q|Q]; [discriminate | lia].
  - intros X. destruct (most (R a)) as [m|]; [|exfalso; auto]. destruct (M m eq_refl) as (m' & -> & _). discriminate.
Qed.

Lemma pin_within : forall R a n, in_range R a n -> within (pin R a n) R.
Proof.
  intros R a n [L M] b. unfold pin, set_range. destruct (Nat.eqb_spec a b) as [<-|Q]; [|apply within_refl]. simpl. split; [exact L|].
  intros m E. eexists. split; [reflexivity|]. simpl. auto.
Qed.

(** If every guess that is made is part of a solution, then after every guess there is one. *)
Lemma guesses_keep : forall (guess : ranges -> dvar -> Z -> Prop) cs R0,
  (forall R a n, within R R0 -> settled (untagged cs) R -> not_empty R -> from_one R -> guess R a n ->
    exists v, size v (DVar a) = n /\ open_to cs R v) ->
  from_one R0 -> (exists v, open_to cs R0 v) -> forall R, guessed guess cs R0 R ->
  within R R0 /\ from_one R /\ exists v, open_to cs R v.
Proof.
  intros guess cs R0 K O Ex R H; induction H as [|R R' c H (IW & IO & v & C & F) J E|R a n H (IW & IO & v & Ov) S G].
  - split; [apply within_refl | auto].
  - destruct (narrow_goes_in _ _ _ E) as [W _]. split; [exact (within_trans _ _ _ W IW) | split].
    + intros a. destruct (W a) as [L _]. specialize (IO a). lia.
    + exists v. split; [exact C|]. exact (conj_8_4_a_bounds_keep_solutions true v c false R R' (C c J) F E).
  - destruct (K R a n IW S (open_not_empty cs R v Ov) IO G) as (w & Sw & Cw & Fw).
    assert (In_ : in_range R a n).
    { rewrite <- Sw. destruct (Fw a) as [L M]. split; [exact (L (fun _ => eq_refl)) | intros m E; exact (M m E (fun _ => eq_refl))]. }
    pose proof (pin_within R a n In_) as W. split; [exact (within_trans _ _ _ W IW) | split].
    + intros b. destruct (W b) as [L _]. specialize (IO b). lia.
    + exists w. split; [exact Cw|]. intros b. unfold pin, set_range. destruct (Nat.eqb_spec a b) as [<-|Q]; [|apply Fw].
      simpl. split; [intros _; lia | intros m M _; injection M as <-; simpl; lia].
Qed.

(** 8.4(c).  Guesses that are safe foreclose nothing: if the claims have a solution within the bounds of the start, then
    after every guess one is left, and no claim is refused. *)
Theorem conj_8_4_c_safe_guesses : forall cs R0 R, (forall c, In c cs -> simple c) -> from_one R0 ->
  (exists v, open_to cs R0 v) -> guessed (safe cs) cs R0 R ->
  (exists v, open_to cs R v) /\ forall c, In c cs -> exists R', narrow (c, false) R = Narrowed R'.
Proof.
  intros cs R0 R Si O Ex G. destruct (guesses_keep (safe cs) cs R0) with (R := R) as (_ & _ & v & Ov); auto.
  - intros R1 a n _ S N O1 Sf. exact (conj_8_4_c_safe cs R1 a n Si S N O1 Sf).
  - split; [eauto | intros c J; exact (open_not_refused cs R v c Ov J)].
Qed.

Lemma paired_looser : forall flip R R' c, looser R R' -> paired flip R c -> paired flip R' c.
Proof.
  intros flip R R' c L [A B]. split.
  - intros t others u J Ju Lt Lu. apply (A t others u J Ju); [apply (proj1 (L (snd t)) Lt) | apply (proj1 (L (snd u)) Lu)].
  - intros t J Lt F. apply (L (snd t)). apply B; auto. now apply (L (snd t)).
Qed.

Lemma hangs_looser : forall R R' cs V, looser R R' -> hangs_on R V cs -> hangs_on R' V cs.
Proof.
  intros R R' cs; induction cs as [|c cs IH]; intros V L H; [exact Logic.I|]. destruct H as [En H]. split; [|auto].
  destruct En as [En|(t & others & J & New)]; [left; exact En | right; exists t, others; split; [exact J|]].
  intros u Ju Lu. apply New; [exact Ju | now apply (L (snd u))].
Qed.

Lemma fragment_least_safe : forall cs R R' a n, looser R R' -> not_empty R' -> fragment cs R -> least_guess R' a n -> safe cs R' a n.
Proof.
  intros cs R R' a n L N Fr [Lo ->]. destruct (Fr a (proj1 (L a) Lo)) as (flip & core & tree & (Same & Co & H) & Fx).
  split; [split; [lia | intros m M; exact (N a m M)]|]. exists flip, core, tree. split.
  - split; [exact Same | split; [intros c J; apply (paired_looser flip R); auto | now apply (hangs_looser R)]].
  - intros _. unfold corner. now rewrite Fx.
Qed.

(** 8.4(c).  In the fragment least sizes can be guessed, of any unknown in any order: each time when bounds are settled, a
    solution is left within them, and no claim is refused, if there was one at the start. *)
Theorem conj_8_4_c : forall cs R0 R, (forall c, In c cs -> simple c) -> fragment cs R0 -> from_one R0 ->
  (exists v, open_to cs R0 v) -> guessed least_guess cs R0 R ->
  (exists v, open_to cs R v) /\ forall c, In c cs -> exists R', narrow (c, false) R = Narrowed R'.
Proof.
  intros cs R0 R Si Fr O Ex G. destruct (guesses_keep least_guess cs R0) with (R := R) as (_ & _ & v & Ov); auto.
  - intros R1 a n W S N O1 L. apply conj_8_4_c_safe; auto.
    apply (fragment_least_safe cs R0); auto. now apply within_looser.
  - split; [eauto | intros c J; exact (open_not_refused cs R v c Ov J)].
Qed.

(** 8.4(c).  There bounds decide: once they are settled, there is a solution within them. *)
Theorem conj_8_4_c_decided : forall cs R x, (forall c, In c cs -> simple c) -> fragment cs R -> loose R x ->
  settled (untagged cs) R -> not_empty R -> from_one R -> exists v, open_to cs R v.
Proof.
  intros cs R x C Fr L S N O. destruct (conj_8_4_c_safe cs R x (number (least (R x)))) as (v & _ & Ov); eauto.
  apply (fragment_least_safe cs R R); auto; [|split; auto]. apply within_looser; [exact N | apply within_refl].
Qed.

(** * Just outside *)

Lemma three_not_empty : forall x y z, (forall r, In r [x; y; z] -> forall m, most r = Some m -> number (least r) <= number m) ->
  not_empty (three x y z).
Proof. intros x y z H [|[|[|a]]] m E; simpl in *; try discriminate; eapply H; eauto; simpl; auto. Qed.

Lemma three_from_one : forall x y z, 1 <= number (least x) -> 1 <= number (least y) -> 1 <= number (least z) -> from_one (three x y z).
Proof. intros x y z A B C [|[|[|a]]]; simpl; lia. Qed.

(** Sizes of the three that are a solution. *)
Definition sizes_of (x y z : Z) : dvar -> Z := fun a => match a with 0%nat => x | 1%nat => y | 2%nat => z | _ => 1 end.

Ltac settles := intros i J; simpl in J; repeat (destruct J as [<-|J]; [reflexivity|]); destruct J.
Ltac ready := split; [apply three_not_empty; intros r J m E; simpl in J; repeat (destruct J as [<-|J]; [injection E as <-; simpl; lia|]); destruct J
  | split; [apply three_from_one; simpl; lia | split; [reflexivity|]]].
Ltac solved := intros [|[|[|a]]]; (split; [simpl; lia | intros m E; simpl in E; try discriminate; injection E as <-; simpl; lia]).
Ltac plain_parts := intros t J; simpl in J; repeat (destruct J as [<-|J]; [simpl; auto|]); destruct J.
Ltac all_parts := intros c J; simpl in J; repeat (destruct J as [<-|J]; [plain_parts|]); destruct J.
Ltac has_solution x y z := exists (of_sizes (sizes_of x y z)); split;
  [intros c J; apply conj_8_4_a_check_reflect; simpl in J; repeat (destruct J as [<-|J]; [reflexivity|]); destruct J
  | apply fits_of; [apply three_from_one; simpl; lia | solved]].

(** 8.4(c).  Where no flip fits all pairs of a cycle, the least size of each unknown forecloses the solution. *)
Theorem conj_8_4_c_odd_cycle : forecloses odd_cycle (three (between 1 3) (between 1 3) (between 1 3)) 0%nat.
Proof.
  split; [all_parts|].
  split; [settles|]. ready. split.
  - has_solution 2 2 2.
  - intros (v & C & F). pose proof (C _ (or_introl eq_refl)) as (_ & A & _). pose proof (C _ (or_intror (or_introl eq_refl))) as (_ & B & _).
    pose proof (C _ (or_intror (or_intror (or_introl eq_refl)))) as (_ & D & _).
    destruct (F 0%nat) as [_ Up]. specialize (Up _ eq_refl (fun _ => eq_refl)).
    cbn [map plus fold_right number least pin set_range three between Nat.eqb] in *. change (size v (whole 4)) with 4 in *. lia.
Qed.

(** 8.4(c).  Where two unknowns besides the one that is guessed have a coefficient, its least size can foreclose all solutions. *)
Theorem conj_8_4_c_coefficients : forecloses coefficients (three (between 1 2) (between 1 2) (between 1 2)) 0%nat.
Proof.
  split; [all_parts|].
  split; [settles|]. ready. split.
  - has_solution 2 1 1.
  - intros (v & C & F). pose proof (C _ (or_introl eq_refl)) as (_ & A & _).
    destruct (F 0%nat) as [Lo Up]. specialize (Up _ eq_refl (fun _ => eq_refl)). specialize (Lo (fun _ => eq_refl)).
    cbn [map plus fold_right number least pin set_range three between Nat.eqb] in *. change (size v (whole 10)) with 10 in *. lia.
Qed.

(** 8.4(c).  So it can where a claim hangs on the others by two unknowns. *)
Theorem conj_8_4_c_two_hooks : forecloses two_hooks (three (between 1 5) (between 2 6) (between 1 3)) 0%nat.
Proof.
  split; [intros c [<-|[<-|[]]]; [simpl; repeat split; lia | plain_parts]|].
  split; [settles|]. ready. split.
  - has_solution 2 4 2.
  - intros (v & C & F). pose proof (C _ (or_introl eq_refl)) as (_ & _ & _ & _ & A & _).
    pose proof (C _ (or_intror (or_introl eq_refl))) as (_ & B & _).
    destruct (F 0%nat) as [Lo Up]. specialize (Up _ eq_refl (fun _ => eq_refl)). specialize (Lo (fun _ => eq_refl)).
    cbn [map plus fold_right number least pin set_range three between Nat.eqb affine_size factor_size] in *.
    change (size v (whole 8)) with 8 in *. lia.
Qed.

(** What forecloses a solution is outside. *)
Theorem conj_8_4_c_outside : forall cs R x, forecloses cs R x -> ~ fragment cs R.
Proof.
  intros cs R x (Si & S & N & O & L & _ & No) Fr. apply No.
  destruct (conj_8_4_c_safe cs R x (number (least (R x)))) as (v & Sv & Cv & Fv); auto.
  - apply (fragment_least_safe cs R R); auto; [|split; auto]. apply within_looser; [exact N | apply within_refl].
  - exists v. split; [exact Cv|]. intros b. unfold pin, set_range. destruct (Nat.eqb_spec x b) as [<-|Q]; [|apply Fv].
    simpl. split; [intros _; lia | intros m M _; injection M as <-; simpl; lia].
Qed.

(** * Inside *)

(** 8.4(c).  There is something in the fragment: a cycle of strides beside a concatenation, all of unknown size. *)
Theorem conj_8_4_c_inside : (forall c, In c inside -> simple c) /\ settled (untagged inside) inside_settled /\
  not_empty inside_settled /\ from_one inside_settled /\ fragment inside inside_settled.
Proof.
  split; [|split; [|split; [|split]]].
  - intros c [<-|[<-|[<-|[]]]]; [simpl; repeat split; lia | simpl; repeat split; lia | plain_parts].
  - intros i [<-|[<-|[<-|[]]]]; reflexivity.
  - intros a m E. discriminate.
  - intros [|[|[|[|a]]]]; simpl; lia.
  - intros x _. exists (fun _ => false), (firstn 2 inside), (skipn 2 inside). split; [split; [|split]|reflexivity].
    + intros c. reflexivity.
    + assert (P : forall p q a b, p * q < 0 -> forall t others u, In (t, others) (picks [(p, a); (q, b)]) -> In u others ->
        oriented (fun _ => false) t * oriented (fun _ => false) u < 0).
      { intros p q a b H t others u [E|[E|[]]] J; injection E as <- <-; destruct J as [<-|[]]; unfold oriented; simpl; lia. }
      intros c [<-|[<-|[]]]; (split; [|discriminate]); intros t others u J Ju _ _; refine (P _ _ _ _ _ t others u J Ju); simpl; lia.
    + split; [|exact Logic.I]. right.
      assert (D : x = 3%nat \/ x = 4%nat \/ x <> 3%nat /\ x <> 4%nat) by lia. destruct D as [->|[->|D]].
      * exists (-1, 3%nat), [(1, 5%nat); (1, 4%nat)]. split; [simpl; auto|].
        intros u [<-|[<-|[]]] _; (split; [reflexivity|]); simpl; lia.
      * exists (1, 4%nat), [(1, 5%nat); (-1, 3%nat)]. split; [simpl; auto|].
        intros u [<-|[<-|[]]] _; (split; [reflexivity|]); simpl; lia.
      * exists (1, 5%nat), [(1, 4%nat); (-1, 3%nat)]. split; [simpl; auto|].
        intros u [<-|[<-|[]]] _; (split; [reflexivity|]); simpl; lia.
Qed.
