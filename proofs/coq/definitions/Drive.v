(** A solver that runs: Defs 4.2 to 4.4 as functions.  A strategy is a list of
    places: which pending constraint is taken next. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Certificate.
Import ListNotations.

(** Above every variable that was seen: fresh names. *)
Definition name_of (v : var) : nat := match v with DV a => a | RV p => p end.
Definition fresh_from (V : list var) : nat := S (list_max (map name_of V)).

(** Is there a path of stored inequalities from a up to b? *)
Fixpoint adj_pathb (fuel : nat) (B : list constr) (a b : dvar) : bool :=
  match fuel with
  | 0 => false
  | S fuel =>
      existsb (fun c => match c with
                        | DLe (DVar x) (DVar y) =>
                            Nat.eqb x a && (Nat.eqb y b || adj_pathb fuel B y b)
                        | _ => false
                        end) B
  end.

Definition coveredb (res op : rterm) : bool :=
  (length (tlead op) <=? length (tlead res)) && (length (ttrail op) <=? length (ttrail res)).

(** The rule for a constraint, and its outcome. *)
Definition fire_deq (t u : dterm) : rule * outcome :=
  if dterm_eqb t u then (DE_refl, discard)
  else match t, u with
       | DVar a, u => (DE_bind, de_bind a u)
       | t, DVar a => (DE_bind, de_bind a t)
       | DConst _, DConst _ => (DE_clash, Fails)
       end.

Definition fire_dle (B : list constr) (t u : dterm) : rule * outcome :=
  match t, u with
  | _, DConst Unit => (DI_top, discard)
  | DConst d, DConst e => (DI_ground, di_ground d e)
  | DVar a, DConst d => (DI_pin, di_pin a d)
  | DConst Unit, DVar a => (DI_pin_top, di_pin_top a)
  | DConst d, DVar a => (DI_cap, di_cap B d a)
  | DVar a, DVar b =>
      if Nat.eqb a b then (DI_refl, discard)
      else if adj_pathb (length B) B b a then (DI_antisym, di_antisym a b) else (DI_adj, di_adj a b)
  end.

Definition fire_req (R Q : rterm) : rule * outcome :=
  match tmid R, tmid Q with
  | None, None => (RE_closed, re_closed R Q)
  | Some p, None => (RE_open_closed, re_open_closed R p Q)
  | None, Some q => (RE_open_closed, re_open_closed Q q R)
  | Some p, Some q =>
      if Nat.eqb p q then
        if negb (Nat.eqb (known_rank R) (known_rank Q)) then (RE_same_occurs, Fails)
        else if Nat.eqb (known_rank (strip R Q)) 0 then (RE_same_empty, re_same_empty R Q)
        else (RE_same_rot, re_deferred R Q)
      else if Nat.eqb (known_rank (strip R Q)) 0 then (RE_nested, re_nested p R Q)
      else if Nat.eqb (known_rank (strip Q R)) 0 then (RE_nested, re_nested q Q R)
      else (RE_cross, re_deferred R Q)
  end.

Definition fire_rle (n : nat) (res op : rterm) : rule * outcome :=
  if coveredb res op then
    match tmid op with
    | None => (RI_closed_op, ri_closed_op res op)
    | Some p => if rterm_eqb (residue res op) (rvar_term p) then (RI_refl, ri_refl res op)
                else (RI_cap, ri_cap res op p)
    end
  else
    match tmid res with
    | None => (RI_short_closed, Fails)
    | Some p => (RI_deficit, ri_deficit p (seq n (lead_deficit res op)) n
                               (seq (n + lead_deficit res op) (trail_deficit res op)))
    end.

Definition fire (V : list var) (B : list constr) (c : constr) : rule * outcome :=
  match c with
  | DEq t u => fire_deq t u
  | DLe t u => fire_dle B t u
  | REq R Q => fire_req R Q
  | RLe R Q => fire_rle (fresh_from V) R Q
  end.

(** One step at place i. *)
Definition step_at (C : config) (i : nat) : option (list fact * config) :=
  match nth_error (phi C) i with
  | None => None
  | Some c =>
      match snd (fire (used C) (store C) c) with
      | Fails => None
      | Does e => Some (paper_recorded c e, next C (firstn i (phi C) ++ skipn (S i) (phi C)) c e)
      end
  end.

(** Steps at these places; [None] if one is empty or its rule fails. *)
Fixpoint drive (C : config) (places : list nat) : option (list fact * config) :=
  match places with
  | [] => Some ([], C)
  | i :: places =>
      match step_at C i with
      | None => None
      | Some (fs, C') =>
          match drive C' places with None => None | Some (gs, C'') => Some (fs ++ gs, C'') end
      end
  end.

(** The configuration that is reached, and the facts of Def. 4.5 on the way. *)
Definition reached (cs : list constr) (places : list nat) : config :=
  match drive (initial cs) places with Some (_, C) => C | None => initial cs end.

Definition recorded (cs : list constr) (places : list nat) : list fact :=
  match drive (initial cs) places with Some (fs, _) => fs | None => [] end.

Definition drives (cs : list constr) (places : list nat) : bool :=
  match drive (initial cs) places with Some _ => true | None => false end.

Definition fails_at (C : config) (i : nat) : bool :=
  match nth_error (phi C) i with
  | None => false
  | Some c => match snd (fire (used C) (store C) c) with Fails => true | Does _ => false end
  end.
