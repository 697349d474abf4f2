(** Defs 4.2 and 4.3 as a program: which rule fires, and what it does. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Taint Certificate Queue.
Import ListNotations.

(** What a rule may be asked to do without: DI-antisym is §10's. *)
Inductive guard_kind : Type := Signed | Paper | NoGuard.
Record policy : Type := Policy { guard : guard_kind; antisym : bool; order : strategy }.

(** A constraint, and whether it rests on a placement. *)
Definition tagged : Type := constr * bool.

(** lb(a), with its tag. *)
Fixpoint t_lower (B : list tagged) (a : dvar) : option (dim * bool) :=
  match B with
  | [] => None
  | (DLe (DConst (Atom n b)) (DVar a'), t) :: B' =>
      if Nat.eqb a' a then Some (Atom n b, t) else t_lower B' a
  | _ :: B' => t_lower B' a
  end.

(** The adjacencies that leave [a], in the order stored. *)
Definition above (B : list tagged) (a : dvar) : list (dvar * bool) :=
  flat_map (fun x => match x with
                     | (DLe (DVar a') (DVar b), t) => if Nat.eqb a' a then [(b, t)] else []
                     | _ => []
                     end) B.

(** For each variable that a search met: from where, and the tag of that adjacency. *)
Definition met := list (dvar * (dvar * bool)).

Fixpoint met_at (m : met) (a : dvar) : option (dvar * bool) :=
  match m with
  | [] => None
  | (b, x) :: m => if Nat.eqb a b then Some x else met_at m a
  end.

(** The search looks first at what it met last, until [to] is met. *)
Fixpoint search (n : nat) (B : list tagged) (from to : dvar) (open : list dvar) (m : met) : met :=
  match n, open with
  | S n, at_ :: open =>
      match met_at m to with
      | Some _ => m
      | None =>
          let meet := fun (om : list dvar * met) (x : dvar * bool) =>
            let '(open, m) := om in
            match Nat.eqb (fst x) from, met_at m (fst x) with
            | false, None => (fst x :: open, (fst x, (at_, snd x)) :: m)
            | _, _ => om
            end in
          let '(open', m') := fold_left meet (above B at_) (open, m) in
          search n B from to open' m'
      end
  | _, _ => m
  end.

(** Back from [at_] to [from]: is an adjacency on the way tagged? *)
Fixpoint back (n : nat) (m : met) (from at_ : dvar) (t : bool) : option bool :=
  if Nat.eqb at_ from then Some t
  else
    match n, met_at m at_ with
    | S n, Some (previous, t') => back n m from previous (t || t')
    | _, _ => None
    end.

(** A path of stored adjacencies, if there is one: whether it rests on a placement. *)
Definition path (B : list tagged) (from to : dvar) : option bool :=
  let n := S (length B) in
  back n (search n B from to [from] []) from to false.

(** What fires: the rule, what it does, and whether it used a stored bound that
    rests on a placement. *)
Definition fired : Type := rule * outcome * bool.

(** The rules for t = u, in the order in which they are tried.  Of two variables
    the younger is bound. *)
Definition fire_deq (t u : dterm) : fired :=
  if dterm_eqb t u then (DE_refl, discard, false)
  else
    match t, u with
    | DConst _, DConst _ => (DE_clash, Fails, false)
    | DVar a, DVar b => (DE_bind, de_bind (max a b) (DVar (min a b)), false)
    | DVar a, u => (DE_bind, de_bind a u, false)
    | t, DVar a => (DE_bind, de_bind a t, false)
    end.

Definition fire_cap (B : list tagged) (d : dim) (a : dvar) : fired :=
  match t_lower B a with
  | None => (DI_cap, keep (DLe (DConst d) (DVar a)), false)
  | Some (e, t) =>
      if dim_eqb e d
      then if t then (DI_cap, keep (DLe (DConst d) (DVar a)), false) else (DI_cap, discard, false)
      else (DI_cap, replace (DEq (DVar a) (DConst Unit)), t)
  end.

Definition fire_dle (P : policy) (B : list tagged) (t u : dterm) : fired :=
  if dterm_eqb u (DConst Unit) then (DI_top, discard, false)
  else if dterm_eqb t u then (DI_refl, discard, false)
  else
    match t, u with
    | DConst d, DConst e => (DI_ground, di_ground d e, false)
    | DVar a, DConst d => (DI_pin, di_pin a d, false)
    | DConst Unit, DVar a => (DI_pin_top, di_pin_top a, false)
    | DConst d, DVar a => fire_cap B d a
    | DVar a, DVar b =>
        match (if antisym P then path B b a else None) with
        | Some t => (DI_antisym, di_antisym a b, t)
        | None => (DI_adj, di_adj a b, false)
        end
    end.

(** The rules for R ≈ Q.  Without a surplus the younger variable is bound. *)
Definition fire_req (R Q : rterm) : fired :=
  match tmid R, tmid Q with
  | None, None => (RE_closed, re_closed R Q, false)
  | Some p, None => (RE_open_closed, re_open_closed R p Q, false)
  | None, Some q => (RE_open_closed, re_open_closed Q q R, false)
  | Some p, Some q =>
      if Nat.eqb p q then
        if negb (Nat.eqb (known_rank R) (known_rank Q)) then (RE_same_occurs, Fails, false)
        else if Nat.eqb (known_rank (strip R Q)) 0 then (RE_same_empty, re_same_empty R Q, false)
        else (RE_same_rot, re_deferred R Q, false)
      else
        match known_rank (strip R Q), known_rank (strip Q R) with
        | 0, 0 => if q <? p then (RE_nested, re_nested p R Q, false)
                  else (RE_nested, re_nested_sym q R Q, false)
        | 0, _ => (RE_nested, re_nested p R Q, false)
        | _, 0 => (RE_nested, re_nested_sym q R Q, false)
        | _, _ => (RE_cross, re_deferred R Q, false)
        end
  end.

(** The rules for R_res ⊑ R_op.  Fresh variables have the numbers from [n] on. *)
Definition fire_rle (n : nat) (res op : rterm) : fired :=
  if coveredb res op then
    match tmid op with
    | None => (RI_closed_op, ri_closed_op res op, false)
    | Some p =>
        if rterm_eqb (residue res op) (rvar_term p) then (RI_refl, ri_refl res op, false)
        else (RI_cap, ri_cap res op p, false)
    end
  else
    match tmid res with
    | None => (RI_short_closed, Fails, false)
    | Some p =>
        let k := lead_deficit res op in
        let j := trail_deficit res op in
        (RI_deficit, ri_deficit p (seq n k) (n + k + j) (seq (n + k) j), false)
    end.

Definition fire (P : policy) (n : nat) (B : list tagged) (c : constr) : fired :=
  match c with
  | DEq t u => fire_deq t u
  | DLe t u => fire_dle P B t u
  | REq R Q => fire_req R Q
  | RLe R Q => fire_rle n R Q
  end.

(** Every variable of [V] has a number below [n], so those from [n] on are fresh. *)
Definition numbered (n : nat) (V : list var) : Prop := forall v, In v V -> number v < n.

(** Is the marker of the binding placed by choice? *)
Definition commitsb (c : constr) (r : rule) : bool :=
  match r, c with
  | RE_nested, _ => true
  | RE_open_closed, REq R Q => negb (Nat.eqb (known_rank R) (known_rank Q))
  | _, _ => false
  end.
