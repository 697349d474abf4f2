(** Defs 4.2 and 4.3: the rules of the solver.

    A rule consumes one constraint.  What it puts in its place is data, an
    [outcome]; Lemma 5.1 then says, rule by rule, that the outcome has the same
    solutions.  Inequalities of rows are read flank by flank. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics.
Import ListNotations.

(** * Outcomes *)

Inductive binding : Type :=
| BindD (a : dvar) (t : dterm)
| BindR (p : rvar) (R : rterm).

(** Constraints that go back into the set, a binding, bounds for the store (as
    the constraints they stand for), and whether the consumed constraint is
    processed again. *)
Record effect : Type := Effect
  { emits : list constr; binds : option binding; stores : list constr; again : bool }.

Inductive outcome : Type :=
| Fails
| Does (e : effect).

Definition discard : outcome := Does (Effect [] None [] false).
Definition replace (c : constr) : outcome := Does (Effect [c] None [] false).
Definition keep (c : constr) : outcome := Does (Effect [] None [c] false).
Definition emit (cs : list constr) : outcome := Does (Effect cs None [] false).
Definition emit_store (cs : list constr) (c : constr) : outcome := Does (Effect cs None [c] false).
Definition emit_bind (cs : list constr) (b : binding) : outcome := Does (Effect cs (Some b) [] false).
Definition grow (b : binding) : outcome := Does (Effect [] (Some b) [] true).

(** A binding means that the variable has exactly this value. *)
Definition binding_holds (g : ground) (b : binding) : Prop :=
  match b with
  | BindD a t => g_d g a = ground_d g t
  | BindR p R => g_r g p = ground_r g R
  end.

(** Its content: the same without the marker. *)
Definition binding_content (g : ground) (b : binding) : Prop :=
  match b with
  | BindD a t => g_d g a = ground_d g t
  | BindR p R => g_r g p ≈ ground_r g R
  end.

Definition after_with (read : ground -> binding -> Prop) (g : ground) (c : constr) (o : outcome) : Prop :=
  match o with
  | Fails => False
  | Does e =>
      sol (emits e ++ stores e) g /\
      match binds e with Some b => read g b | None => True end /\
      (again e = true -> holds g c)
  end.

(** [after g c o]: [g] satisfies what [o] puts in place of [c]. *)
Definition after : ground -> constr -> outcome -> Prop := after_with binding_holds.

(** The same with only the content of the binding. *)
Definition content_after : ground -> constr -> outcome -> Prop := after_with binding_content.

(** * Variables, and grounds that agree on them *)

Definition vars_c (c : constr) : list var :=
  match c with
  | DEq t u | DLe t u => vars_d t ++ vars_d u
  | REq R Q | RLe R Q => vars_r R ++ vars_r Q
  end.

(** The same value at one variable. *)
Definition agree_at (g h : ground) (v : var) : Prop :=
  match v with DV a => g_d g a = g_d h a | RV p => g_r g p = g_r h p end.

Definition agree_on (V : list var) (g h : ground) : Prop := forall v, In v V -> agree_at g h v.

(** The same value everywhere but at the variables [F]. *)
Definition agree_off (F : list var) (g h : ground) : Prop := forall v, ~ In v F -> agree_at g h v.

(** * Axes of two sides that face each other *)

Definition tflat (R : rterm) : list dterm := tlead R ++ ttrail R.

Definition known_rank (R : rterm) : nat := length (tlead R) + length (ttrail R).

Definition equalities (F G : list dterm) : list constr :=
  map (fun x => DEq (fst x) (snd x)) (combine F G).

Definition inequalities (F G : list dterm) : list constr :=
  map (fun x => DLe (fst x) (snd x)) (combine F G).

(** Without the first [p] leading and the last [q] trailing axes. *)
Definition cut (p q : nat) (R : rterm) : rterm :=
  RTerm (skipn p (tlead R)) (tmid R) (firstn (length (ttrail R) - q) (ttrail R)).

(** How many leading, and trailing, axes two rows have in common. *)
Definition common_lead (R S : rterm) : nat := min (length (tlead R)) (length (tlead S)).
Definition common_trail (R S : rterm) : nat := min (length (ttrail R)) (length (ttrail S)).

Definition strip (R S : rterm) : rterm := cut (common_lead R S) (common_trail R S) R.

(** Those common axes, as equalities. *)
Definition outer (R S : rterm) : list constr :=
  equalities (firstn (common_lead R S) (tlead R)) (firstn (common_lead R S) (tlead S)) ++
  equalities (skipn (length (ttrail R) - common_trail R S) (ttrail R))
             (skipn (length (ttrail S) - common_trail R S) (ttrail S)).

(** The axes that a result lacks at each end. *)
Definition lead_deficit (res op : rterm) : nat := length (tlead op) - length (tlead res).
Definition trail_deficit (res op : rterm) : nat := length (ttrail op) - length (ttrail res).

Definition covered (res op : rterm) : Prop :=
  length (tlead op) <= length (tlead res) /\ length (ttrail op) <= length (ttrail res).

(** Where the result covers the operand's flanks: the axes that face each
    other, and what the result has inside them. *)
Definition aligned (res op : rterm) : list constr :=
  inequalities (firstn (length (tlead op)) (tlead res)) (tlead op) ++
  inequalities (skipn (length (ttrail res) - length (ttrail op)) (ttrail res)) (ttrail op).

Definition residue (res op : rterm) : rterm := cut (length (tlead op)) (length (ttrail op)) res.

(** * The rules *)

(** Def. 4.2, with the bounds already stored where a rule looks at them. *)

(** lb(a): an atom stored below [a]. *)
Fixpoint lower (B : list constr) (a : dvar) : option dim :=
  match B with
  | [] => None
  | DLe (DConst (Atom n b)) (DVar a') :: B' =>
      if Nat.eqb a' a then Some (Atom n b) else lower B' a
  | _ :: B' => lower B' a
  end.

(** Stored inequalities between variables that lead from [a] up to [b]. *)
Inductive adj_path (B : list constr) : dvar -> dvar -> Prop :=
| Path_one a b : In (DLe (DVar a) (DVar b)) B -> adj_path B a b
| Path_more a b c : In (DLe (DVar a) (DVar b)) B -> adj_path B b c -> adj_path B a c.

Definition de_bind (a : dvar) (t : dterm) : outcome := emit_bind [] (BindD a t).

Definition di_ground (d e : dim) : outcome := if dim_leb d e then discard else Fails.

Definition di_pin (a : dvar) (d : dim) : outcome := replace (DEq (DVar a) (DConst d)).

Definition di_pin_top (a : dvar) : outcome := replace (DEq (DVar a) (DConst Unit)).

Definition di_cap (B : list constr) (d : dim) (a : dvar) : outcome :=
  match lower B a with
  | None => keep (DLe (DConst d) (DVar a))
  | Some e => if dim_eqb e d then discard else replace (DEq (DVar a) (DConst Unit))
  end.

Definition di_antisym (a b : dvar) : outcome := replace (DEq (DVar a) (DVar b)).

Definition di_adj (a b : dvar) : outcome := keep (DLe (DVar a) (DVar b)).

(** Def. 4.3, equality. *)

(** (a) both closed: the flat contents, axis by axis. *)
Definition re_closed (R S : rterm) : outcome :=
  if Nat.eqb (length (tflat R)) (length (tflat S)) then emit (equalities (tflat R) (tflat S)) else Fails.

(** (b) open against closed.  The variable gets the uncovered middle; [split]
    is where the marker goes, counted in the content of the closed side. *)
Definition middle (open closed : rterm) (split : nat) : rterm :=
  RTerm (firstn (split - length (tlead open)) (skipn (length (tlead open)) (tflat closed))) None
        (firstn (length (tflat closed) - length (ttrail open) - split) (skipn split (tflat closed))).

(** The closed side's own split where it falls into the middle, else the left edge. *)
Definition placed (open closed : rterm) : nat :=
  if (length (tlead open) <=? length (tlead closed)) &&
     (length (tlead closed) <=? length (tflat closed) - length (ttrail open))
  then length (tlead closed) else length (tlead open).

Definition facing (open closed : rterm) : list constr :=
  equalities (tlead open) (firstn (length (tlead open)) (tflat closed)) ++
  equalities (ttrail open) (skipn (length (tflat closed) - length (ttrail open)) (tflat closed)).

Definition re_open_closed (open : rterm) (p : rvar) (closed : rterm) : outcome :=
  if known_rank open <=? length (tflat closed)
  then emit_bind (facing open closed) (BindR p (middle open closed (placed open closed)))
  else Fails.

(** (c) two variables, both surpluses on the side of [S]. *)
Definition re_nested (p : rvar) (R S : rterm) : outcome :=
  emit_bind (outer R S) (BindR p (strip S R)).

(** The same where the surpluses are on the first side, that of [R]. *)
Definition re_nested_sym (q : rvar) (R S : rterm) : outcome :=
  emit_bind (outer R S) (BindR q (strip R S)).

(** (c), (d) the residual equation is kept. *)
Definition re_deferred (R S : rterm) : outcome :=
  emit_store (outer R S) (REq (strip R S) (strip S R)).

(** (d) the same variable, no surplus. *)
Definition re_same_empty (R S : rterm) : outcome := emit (outer R S).

(** Def. 4.3, inequality. *)
Definition ri_cap (res op : rterm) (p : rvar) : outcome :=
  emit_store (aligned res op) (RLe (residue res op) (rvar_term p)).

Definition ri_refl (res op : rterm) : outcome := emit (aligned res op).

Definition ri_closed_op (res op : rterm) : outcome := emit (aligned res op).

(** The result grows by the fresh variables [al], [q], [be]. *)
Definition grown (al : list dvar) (q : rvar) (be : list dvar) : rterm :=
  RTerm (map DVar al) (Some q) (map DVar be).

Definition ri_deficit (p : rvar) (al : list dvar) (q : rvar) (be : list dvar) : outcome :=
  grow (BindR p (grown al q be)).

Definition fresh_vars (al : list dvar) (q : rvar) (be : list dvar) : list var :=
  RV q :: map DV al ++ map DV be.

(** * Which rule applies to which constraint *)

Inductive rule : Type :=
| DE_refl | DE_clash | DE_bind
| DI_top | DI_refl | DI_ground | DI_pin | DI_pin_top | DI_cap | DI_antisym | DI_adj
| RE_closed | RE_open_closed | RE_nested | RE_cross | RE_same_empty | RE_same_occurs | RE_same_rot
| RI_cap | RI_refl | RI_closed_op | RI_short_closed | RI_deficit.

(** [fires used B c r o]: rule [r], applied to [c] with the bounds [B] stored,
    has the outcome [o].  [used] are the variables that are not fresh.
    [F_di_cap_keep]: a bound that is stored already may be stored again, which takes
    the tag from one that rests on a placement, if the new one does not. *)
Inductive fires (used : list var) (B : list constr) : constr -> rule -> outcome -> Prop :=
| F_de_refl t : fires used B (DEq t t) DE_refl discard
| F_de_clash d e : d <> e -> fires used B (DEq (DConst d) (DConst e)) DE_clash Fails
| F_de_bind a t : t <> DVar a -> fires used B (DEq (DVar a) t) DE_bind (de_bind a t)
| F_de_bind_sym a t : t <> DVar a -> fires used B (DEq t (DVar a)) DE_bind (de_bind a t)
| F_di_top t : fires used B (DLe t (DConst Unit)) DI_top discard
| F_di_refl t : fires used B (DLe t t) DI_refl discard
| F_di_ground d e : fires used B (DLe (DConst d) (DConst e)) DI_ground (di_ground d e)
| F_di_pin a d : is_atom d -> fires used B (DLe (DVar a) (DConst d)) DI_pin (di_pin a d)
| F_di_pin_top a : fires used B (DLe (DConst Unit) (DVar a)) DI_pin_top (di_pin_top a)
| F_di_cap d a : is_atom d -> fires used B (DLe (DConst d) (DVar a)) DI_cap (di_cap B d a)
| F_di_cap_keep d a : is_atom d -> lower B a = Some d ->
    fires used B (DLe (DConst d) (DVar a)) DI_cap (keep (DLe (DConst d) (DVar a)))
| F_di_antisym a b : a <> b -> adj_path B b a ->
    fires used B (DLe (DVar a) (DVar b)) DI_antisym (di_antisym a b)
| F_di_adj a b : a <> b -> fires used B (DLe (DVar a) (DVar b)) DI_adj (di_adj a b)
| F_re_closed R S : tmid R = None -> tmid S = None -> fires used B (REq R S) RE_closed (re_closed R S)
| F_re_open_closed R p S : tmid R = Some p -> tmid S = None ->
    fires used B (REq R S) RE_open_closed (re_open_closed R p S)
| F_re_closed_open R p S : tmid R = Some p -> tmid S = None ->
    fires used B (REq S R) RE_open_closed (re_open_closed R p S)
| F_re_nested R p S q : tmid R = Some p -> tmid S = Some q -> p <> q -> known_rank (strip R S) = 0 ->
    fires used B (REq R S) RE_nested (re_nested p R S)
| F_re_nested_sym R p S q : tmid R = Some p -> tmid S = Some q -> p <> q -> known_rank (strip S R) = 0 ->
    fires used B (REq R S) RE_nested (re_nested_sym q R S)
| F_re_cross R p S q : tmid R = Some p -> tmid S = Some q -> p <> q ->
    known_rank (strip R S) <> 0 -> known_rank (strip S R) <> 0 ->
    fires used B (REq R S) RE_cross (re_deferred R S)
| F_re_same_empty R S p : tmid R = Some p -> tmid S = Some p -> known_rank R = known_rank S ->
    known_rank (strip R S) = 0 -> fires used B (REq R S) RE_same_empty (re_same_empty R S)
| F_re_same_occurs R S p : tmid R = Some p -> tmid S = Some p -> known_rank R <> known_rank S ->
    fires used B (REq R S) RE_same_occurs Fails
| F_re_same_rot R S p : tmid R = Some p -> tmid S = Some p -> known_rank R = known_rank S ->
    known_rank (strip R S) <> 0 -> fires used B (REq R S) RE_same_rot (re_deferred R S)
| F_ri_cap res op p : covered res op -> tmid op = Some p -> residue res op <> rvar_term p ->
    fires used B (RLe res op) RI_cap (ri_cap res op p)
| F_ri_refl res op p : covered res op -> tmid op = Some p -> residue res op = rvar_term p ->
    fires used B (RLe res op) RI_refl (ri_refl res op)
| F_ri_closed_op res op : covered res op -> tmid op = None ->
    fires used B (RLe res op) RI_closed_op (ri_closed_op res op)
| F_ri_short_closed res op : ~ covered res op -> tmid res = None ->
    fires used B (RLe res op) RI_short_closed Fails
| F_ri_deficit res op p al q be : ~ covered res op -> tmid res = Some p ->
    length al = lead_deficit res op -> length be = trail_deficit res op ->
    NoDup (fresh_vars al q be) -> (forall v, In v (fresh_vars al q be) -> ~ In v used) ->
    fires used B (RLe res op) RI_deficit (ri_deficit p al q be).

(** The steps that commit a placement: RE-nested always, RE-open-closed unless
    the middle is empty, that is, unless both sides show equally many axes. *)
Definition commits (c : constr) (r : rule) : Prop :=
  match r, c with
  | RE_nested, _ => True
  | RE_open_closed, REq R Q => known_rank R <> known_rank Q
  | _, _ => False
  end.

(** * Primitive inferences

    What one line of a refutation may conclude.  An axis counted from the front
    of a closed row may lie beyond its marker, where ≈ does not look. *)

Definition front_axis (R : rterm) (i : nat) : option dterm :=
  nth_error (match tmid R with None => tflat R | Some _ => tlead R end) i.

Definition back_axis (R : rterm) (i : nat) : option dterm :=
  nth_error (rev (match tmid R with None => tflat R | Some _ => ttrail R end)) i.

(** Drop [p] axes at the front and [q] at the back, if there are so many. *)
Definition drop (p q : nat) (R : rterm) : option rterm :=
  match tmid R with
  | Some _ =>
      if (p <=? length (tlead R)) && (q <=? length (ttrail R)) then Some (cut p q R) else None
  | None =>
      if p + q <=? length (tflat R)
      then Some (RTerm (firstn (length (tflat R) - q - p) (skipn p (tflat R))) None [])
      else None
  end.

(** Axes of one flank, counted from the outside. *)
Definition lead_axis (R : rterm) (i : nat) : option dterm := nth_error (tlead R) i.
Definition trail_axis (R : rterm) (i : nat) : option dterm := nth_error (rev (ttrail R)) i.

(** A chain of inequalities between dimension terms. *)
Inductive le_chain (cs : list constr) : dterm -> dterm -> Prop :=
| Chain_nil t : le_chain cs t t
| Chain_step t u w : In (DLe t u) cs -> le_chain cs u w -> le_chain cs t w.

(** A binding as a substitution. *)
Definition as_subst (b : binding) : subst :=
  match b with BindD a t => bind_d a t | BindR p R => bind_r p R end.

(** Constraints that do not look at markers. *)
Definition marker_blind (c : constr) : Prop :=
  match c with RLe _ _ => False | _ => True end.
