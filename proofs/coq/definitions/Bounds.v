(** 8.4(a), 8.5: what claims about sizes mean, the bounds that are read off them
    (ST-bounds), and staged runs. *)

From Coq Require Import ZArith List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Staged.
Import ListNotations.
Local Open Scope Z_scope.

(** * Valuations *)

(** A ground substitution, and the variables that are 0: discarded parts. *)
Record valuation : Type := Valuation { v_ground : ground; v_zero : dvar -> bool }.

Definition is_zero (v : valuation) (t : dterm) : bool :=
  match t with DVar a => v_zero v a | DConst _ => false end.

Definition size (v : valuation) (t : dterm) : Z :=
  if is_zero v t then 0 else Zpos (count (ground_d (v_ground v) t)).

(** 1∅ and what is 0 have no basis. *)
Definition basis_of (v : valuation) (t : dterm) : option basis :=
  if is_zero v t then None else match ground_d (v_ground v) t with Atom _ b => Some b | Unit => None end.

Definition agreeb (x y : option basis) : bool :=
  match x, y with Some b, Some c => Nat.eqb b c | _, _ => true end.

Definition one_basisb (v : valuation) (ts : list dterm) : bool :=
  forallb (fun t => forallb (fun u => agreeb (basis_of v t) (basis_of v u)) ts) ts.

Definition one_basis (v : valuation) (ts : list dterm) : Prop :=
  forall t u b c, In t ts -> In u ts -> basis_of v t = Some b -> basis_of v u = Some c -> b = c.

(** A number that counts distances. *)
Definition plain (v : valuation) (t : dterm) : Prop := basis_of v t = None \/ basis_of v t = Some default.
Definition plainb (v : valuation) (t : dterm) : bool := agreeb (basis_of v t) (Some default).

(** * Claims *)

(** A stride, dilation or coefficient: a number, or the size of a dimension. *)
Inductive factor : Type :=
| Known (n : Z)
| Late (t : dterm).

Definition factor_size (v : valuation) (f : factor) : Z := match f with Known n => n | Late t => size v t end.

Definition factor_ok (v : valuation) (f : factor) : Prop :=
  1 <= factor_size v f /\ match f with Known _ => True | Late t => plain v t end.

Definition factor_okb (v : valuation) (f : factor) : bool :=
  (1 <=? factor_size v f) && match f with Known _ => true | Late t => plainb v t end.

(** The three modes of an affine axis.  A padded kernel is not in the size. *)
Inductive mode : Type :=
| Strided
| Padded
| Valid (dilation : factor) (kernel : dterm).

Inductive size_claim : Type :=
| Affine (d : dterm) (stride : factor) (over : dterm) (m : mode) (offset : Z)
| Parts (d : dterm) (parts : list dterm)
| Elements (rows : list rterm) (divided : list dvar) (denom : positive) (coeff : factor) (var : option dvar)
| Axes (rows : list rterm) (axes : list dterm)
| At_least (d : dterm) (n : Z).

Definition times (l : list Z) : Z := fold_right Z.mul 1 l.
Definition plus (l : list Z) : Z := fold_right Z.add 0 l.

(** Stride 1 where the kernel takes nothing: the axis is the other one, basis included. *)
Definition is_identity (stride : factor) (m : mode) : bool :=
  match stride, m with Known 1, (Strided | Padded) => true | _, _ => false end.

(** The size equation of an affine axis, by its mode. *)
Definition affine_size (v : valuation) (stride : factor) (over : dterm) (m : mode) : Z :=
  match m with
  | Strided | Padded => factor_size v stride * size v over
  | Valid e k => factor_size v stride * (size v over - 1) + 1 + (size v k - 1) * factor_size v e
  end.

Definition row_size (v : valuation) (R : rterm) : Z := Zpos (elements (ground_r (v_ground v) R)).

Definition var_size (v : valuation) (x : option dvar) : Z :=
  match x with Some a => size v (DVar a) | None => 1 end.

(** What is no part of a concatenation is never 0: D has no 0 (F40). *)
Definition says (v : valuation) (c : size_claim) : Prop :=
  match c with
  | Affine d stride over m offset =>
      factor_ok v stride /\ 0 <= offset < factor_size v stride /\ 1 <= size v d /\ 1 <= size v over /\
      size v d = affine_size v stride over m /\ one_basis v [d; over] /\
      (is_identity stride m = true -> ground_d (v_ground v) d = ground_d (v_ground v) over) /\
      match m with
      | Strided | Padded => True
      | Valid e k => factor_ok v e /\ 1 <= size v k /\ plain v k /\ offset = 0
      end
  | Parts d parts =>
      1 <= size v d /\ size v d = plus (map (size v) parts) /\ one_basis v (d :: parts)
  | Elements rows divided denom coeff var =>
      factor_ok v coeff /\ 1 <= var_size v var /\ (forall a, In a divided -> 1 <= size v (DVar a)) /\
      (forall R t, In R rows -> In t (tlead R ++ ttrail R) -> 1 <= size v t) /\
      times (map (row_size v) rows) * times (map (fun a => size v (DVar a)) divided) * Zpos denom =
      factor_size v coeff * var_size v var
  | Axes rows axes =>
      (forall t, In t (flat_map (fun R => tlead R ++ ttrail R) rows ++ axes) -> 1 <= size v t) /\
      flat_map (fun R => flat (ground_r (v_ground v) R)) rows = map (ground_d (v_ground v)) axes
  | At_least d n => n <= size v d
  end.

Fixpoint dims_eqb (l k : list dim) : bool :=
  match l, k with
  | [], [] => true
  | d :: l, e :: k => dim_eqb d e && dims_eqb l k
  | _, _ => false
  end.

(** The check at the end, which knows nothing of the rules. *)
Definition saysb (v : valuation) (c : size_claim) : bool :=
  match c with
  | Affine d stride over m offset =>
      factor_okb v stride && (0 <=? offset) && (offset <? factor_size v stride) && (1 <=? size v d) &&
      (1 <=? size v over) && (size v d =? affine_size v stride over m) && one_basisb v [d; over] &&
      (negb (is_identity stride m) || dim_eqb (ground_d (v_ground v) d) (ground_d (v_ground v) over)) &&
      match m with
      | Strided | Padded => true
      | Valid e k => factor_okb v e && (1 <=? size v k) && plainb v k && (offset =? 0)
      end
  | Parts d parts =>
      (1 <=? size v d) && (size v d =? plus (map (size v) parts)) && one_basisb v (d :: parts)
  | Elements rows divided denom coeff var =>
      factor_okb v coeff && (1 <=? var_size v var) && forallb (fun a => 1 <=? size v (DVar a)) divided &&
      forallb (fun R => forallb (fun t => 1 <=? size v t) (tlead R ++ ttrail R)) rows &&
      (times (map (row_size v) rows) * times (map (fun a => size v (DVar a)) divided) * Zpos denom =?
       factor_size v coeff * var_size v var)
  | Axes rows axes =>
      forallb (fun t => 1 <=? size v t) (flat_map (fun R => tlead R ++ ttrail R) rows ++ axes) &&
      dims_eqb (flat_map (fun R => flat (ground_r (v_ground v) R)) rows) (map (ground_d (v_ground v)) axes)
  | At_least d n => n <=? size v d
  end.

(** A solution of Φ₀ with its claims.  [zs] can be 0, and of what is 0 no constraint speaks. *)
Definition solves_all (phi : list constr) (cs : list size_claim) (zs : dvar -> bool) (v : valuation) : Prop :=
  sol phi (v_ground v) /\ (forall c, In c cs -> says v c) /\
  forall a, v_zero v a = true -> zs a = true /\ ~ In (DV a) (flat_map vars_c phi).

Definition not_zero (v : valuation) (x : var) : bool := match x with DV a => negb (v_zero v a) | RV _ => true end.

(** What is looked at before success is reported. *)
Definition passes (phi : list constr) (cs : list size_claim) (v : valuation) : bool :=
  forallb (not_zero v) (flat_map vars_c phi) && solb phi (v_ground v) && forallb (saysb v) cs.

(** * Ranges *)

(** A bound, and whether it rests on a commitment. *)
Record limit : Type := Limit { number : Z; rests : bool }.
Record range : Type := Range { least : limit; most : option limit }.
Definition ranges : Type := dvar -> range.

Definition set_range (R : ranges) (a : dvar) (r : range) : ranges := fun b => if Nat.eqb a b then r else R b.

(** The ranges that are left; or one is empty, and whether that rests on a commitment. *)
Inductive narrowed : Type :=
| Narrowed (R : ranges)
| Refused (t : bool).

Definition and_then (r : narrowed) (f : ranges -> narrowed) : narrowed :=
  match r with Narrowed R => f R | Refused t => Refused t end.

Fixpoint each {A : Type} (f : A -> ranges -> narrowed) (l : list A) (R : ranges) : narrowed :=
  match l with [] => Narrowed R | a :: l => and_then (f a R) (each f l) end.

Definition checked (R : ranges) (a : dvar) (r : range) : narrowed :=
  match most r with
  | Some m => if number m <? number (least r) then Refused (rests (least r) || rests m) else Narrowed (set_range R a r)
  | None => Narrowed (set_range R a r)
  end.

(** x ≥ n, x ≤ n. *)
Definition raise (R : ranges) (a : dvar) (l : option limit) : narrowed :=
  match l with
  | None => Narrowed R
  | Some l => if number l <=? number (least (R a)) then Narrowed R else checked R a (Range l (most (R a)))
  end.

Definition lower_to (R : ranges) (a : dvar) (l : option limit) : narrowed :=
  match l with
  | None => Narrowed R
  | Some l =>
      match most (R a) with
      | Some m => if number m <=? number l then Narrowed R else checked R a (Range (least (R a)) (Some l))
      | None => checked R a (Range (least (R a)) (Some l))
      end
  end.

Definition on_limits (f : Z -> Z -> Z) (x y : option limit) : option limit :=
  match x, y with
  | Some x, Some y => Some (Limit (f (number x) (number y)) (rests x || rests y))
  | _, _ => None
  end.

Definition on_limit (f : Z -> Z) (x : option limit) : option limit :=
  match x with Some x => Some (Limit (f (number x)) (rests x)) | None => None end.

(** * Unknowns with coefficients or exponents *)

Fixpoint add_term (c : Z) (a : dvar) (l : list (Z * dvar)) : list (Z * dvar) :=
  match l with
  | [] => [(c, a)]
  | (d, b) :: l => if Nat.eqb a b then (d + c, b) :: l else (d, b) :: add_term c a l
  end.

(** Every unknown once; what cancels is left out. *)
Definition collect (l : list (Z * dvar)) : list (Z * dvar) :=
  filter (fun t => negb (fst t =? 0)) (fold_right (fun t => add_term (fst t) (snd t)) [] l).

(** Each with all the others. *)
Fixpoint picks {A : Type} (l : list A) : list (A * list A) :=
  match l with [] => [] | t :: l => (t, l) :: map (fun p => (fst p, t :: snd p)) (picks l) end.

(** * Size equations: Σ c·x + constant = 0 *)

Definition small (R : ranges) (t : Z * dvar) : option limit :=
  on_limit (Z.mul (fst t)) (if 0 <? fst t then Some (least (R (snd t))) else most (R (snd t))).

Definition large (R : ranges) (t : Z * dvar) : option limit :=
  on_limit (Z.mul (fst t)) (if 0 <? fst t then most (R (snd t)) else Some (least (R (snd t)))).

Definition sum_of (f : Z * dvar -> option limit) (start : limit) (l : list (Z * dvar)) : option limit :=
  fold_right (fun t => on_limits Z.add (f t)) (Some start) l.

(** Rounded inwards. *)
Definition up (c n : Z) : Z := - ((- n) / c).
Definition down (c n : Z) : Z := n / c.

(** c·x = −(the rest), for one of the unknowns; [R0] is read, [R] is narrowed. *)
Definition narrow_term (R0 : ranges) (start : limit) (p : (Z * dvar) * list (Z * dvar)) (R : ranges) : narrowed :=
  let '((c, a), others) := p in
  let low := sum_of (small R0) start others in
  let high := sum_of (large R0) start others in
  let for_least := if 0 <? c then on_limit Z.opp high else low in
  let for_most := if 0 <? c then on_limit Z.opp low else high in
  and_then (raise R a (on_limit (up (Z.abs c)) for_least)) (fun R => lower_to R a (on_limit (down (Z.abs c)) for_most)).

(** An equation without unknowns is checked. *)
Definition narrow_linear (l : list (Z * dvar)) (start : limit) (R : ranges) : narrowed :=
  match collect l with
  | [] => if number start =? 0 then Narrowed R else Refused (rests start)
  | l => each (narrow_term R start) (picks l) R
  end.

(** * Products: left · Π x^e = right, the negative exponents on the right *)

Fixpoint least_search (fuel : nat) (p n low high : Z) : Z :=
  match fuel with
  | O => low
  | S fuel =>
      if low <? high then
        let middle := low + (high - low) / 2 in
        if middle ^ p <? n then least_search fuel p n (middle + 1) high else least_search fuel p n low middle
      else low
  end.

Fixpoint most_search (fuel : nat) (p n low high : Z) : Z :=
  match fuel with
  | O => high
  | S fuel =>
      if low <? high then
        let middle := high - (high - low) / 2 in
        if n <? middle ^ p then most_search fuel p n low (middle - 1) else most_search fuel p n middle high
      else high
  end.

Definition fuel_for (n : Z) : nat := S (S (Z.to_nat (Z.log2_up n))).

(** The least x with x^p ≥ n, the greatest with x^p ≤ n. *)
Definition least_root (p n : Z) : Z := if p =? 1 then n else least_search (fuel_for n) p n 0 n.
Definition most_root (p n : Z) : Z := if p =? 1 then n else most_search (fuel_for n) p n 0 n.

(** An unknown of a product has an element. *)
Definition some_element (l : limit) : limit := Limit (Z.max 1 (number l)) (rests l).

Definition on_side (left : bool) (t : Z * dvar) : Z := if left then Z.max (fst t) 0 else Z.max (- fst t) 0.

Definition power_of (bound : range -> option limit) (R : ranges) (left : bool) (t : Z * dvar) : option limit :=
  if on_side left t =? 0 then Some (Limit 1 false)
  else on_limit (fun n => n ^ on_side left t) (bound (R (snd t))).

Definition side_of (bound : range -> option limit) (R : ranges) (left : bool) (start : limit) (l : list (Z * dvar)) :
  option limit := fold_right (fun t => on_limits Z.mul (power_of bound R left t)) (Some start) l.

(** A known factor for each side, and whether there are further axes on the left. *)
Record known_sides : Type := Sides { on_left : Z; on_right : Z; is_open : bool; sides_rest : bool }.

Definition side_start (k : known_sides) (left : bool) : limit :=
  Limit (if left then on_left k else on_right k) (sides_rest k).

Definition side_least (R : ranges) (k : known_sides) (left : bool) (l : list (Z * dvar)) : option limit :=
  side_of (fun r => Some (some_element (least r))) R left (side_start k left) l.

Definition side_most (R : ranges) (k : known_sides) (left : bool) (l : list (Z * dvar)) : option limit :=
  if left && is_open k then None else side_of most R left (side_start k left) l.

(** x^p = (the other side) / (the rest of this side). *)
Definition narrow_factor (k : known_sides) (p : (Z * dvar) * list (Z * dvar)) (R : ranges) : narrowed :=
  let '((e, a), others) := p in
  let left := 0 <? e in
  let at_least := on_limits (fun n by_ => least_root (Z.abs e) (up (Z.max 1 by_) n))
    (side_least R k (negb left) others) (side_most R k left others) in
  let at_most := on_limits (fun n by_ => most_root (Z.abs e) (down (Z.max 1 by_) n))
    (side_most R k (negb left) others) (side_least R k left others) in
  and_then (raise R a at_least) (fun R => lower_to R a at_most).

Definition narrow_factors (k : known_sides) (l : list (Z * dvar)) (R : ranges) : narrowed :=
  match collect l with
  | [] => if is_open k || (on_left k =? on_right k) then Narrowed R else Refused (sides_rest k)
  | l => each (narrow_factor k) (picks l) R
  end.

(** A range of one number is known. *)
Definition one_number (r : range) : option limit :=
  match most r with
  | Some m => if number m =? number (least r) then Some (Limit (number m) (rests (least r) || rests m)) else None
  | None => None
  end.

(** An unknown of a product where it is known; the same, or 1. *)
Definition only_known (r : range) : option limit := option_map some_element (one_number r).
Definition if_known (r : range) : option limit :=
  Some match one_number r with Some n => some_element n | None => Limit 1 false end.

(** Where all of the right is known, it is a multiple of what is known of the left, whatever else comes. *)
Definition quotient (k : known_sides) (l : list (Z * dvar)) (R : ranges) : narrowed :=
  match side_of only_known R false (side_start k false) l, side_of if_known R true (side_start k true) l with
  | Some n, Some by_ => if number n mod number by_ =? 0 then Narrowed R else Refused (rests n || rests by_)
  | _, _ => Narrowed R
  end.

Definition narrow_product (k : known_sides) (l : list (Z * dvar)) (R : ranges) : narrowed :=
  and_then (quotient k (collect l) R) (narrow_factors k l).

(** * What bounds are read off *)

(** The known parts together, and the unknowns. *)
Definition unknown_of (t : Z * dterm) : list (Z * dvar) :=
  match snd t with DVar a => [(fst t, a)] | DConst _ => [] end.

Definition known_of (t : Z * dterm) : Z :=
  match snd t with DVar _ => 0 | DConst d => fst t * Zpos (count d) end.

Definition factor_of (t : dterm) : Z := match t with DVar _ => 1 | DConst d => Zpos (count d) end.

(** A late factor is looked up: it is known where its range is one number. *)
Definition factor_at (R : ranges) (f : factor) : option limit :=
  match f with
  | Known n => Some (Limit n false)
  | Late (DConst d) => Some (Limit (Zpos (count d)) false)
  | Late (DVar a) => one_number (R a)
  end.

Definition narrow_terms (l : list (Z * dterm)) (constant : Z) (t : bool) (R : ranges) : narrowed :=
  narrow_linear (flat_map unknown_of l) (Limit (constant + plus (map known_of l)) t) R.

Definition written (rows : list rterm) : list dterm := flat_map (fun R => tlead R ++ ttrail R) rows.

Definition open_row (R : rterm) : bool := match tmid R with Some _ => true | None => false end.

(** A factor that is known is at least so much. *)
Definition factor_from (n : Z) (f : factor) (t : bool) (R : ranges) : narrowed :=
  match factor_at R f with
  | Some l => if number l <? n then Refused (t || rests l) else Narrowed R
  | None => Narrowed R
  end.

(** Factors are numbers from 1, and the offset is less than the stride; a valid convolution has none (F41). *)
Definition well_formed (stride : factor) (m : mode) (offset : Z) (t : bool) (R : ranges) : narrowed :=
  and_then (factor_from (1 + Z.max 0 offset) stride t R) (fun R =>
    match m with
    | Strided | Padded => Narrowed R
    | Valid e _ => if offset =? 0 then factor_from 1 e t R else Refused t
    end).

(** factor·(extent − less) as a term and what is added to it, wherever one of the two is known.  An extent that is known
    leaves the factor as the unknown (ST-force). *)
Definition readings (R : ranges) (f : factor) (extent : dterm) (less : Z) : list ((Z * dterm) * limit) :=
  match factor_at R f with
  | Some n => [((number n, extent), Limit (- (number n * less)) (rests n))]
  | None => []
  end ++
  match f, factor_at R (Late extent) with
  | Late u, Some n => [((number n - less, u), Limit 0 (rests n))]
  | _, _ => []
  end.

(** The size equation of an affine axis in each way that is linear: terms and constant. *)
Definition affine_forms (R : ranges) (d : dterm) (stride : factor) (over : dterm) (m : mode) :
  list (list (Z * dterm) * limit) :=
  match m with
  | Strided | Padded => map (fun s => ([(-1, d); fst s], snd s)) (readings R stride over 0)
  | Valid e k =>
      flat_map (fun s => map (fun e => ([(-1, d); fst s; fst e],
          Limit (1 + number (snd s) + number (snd e)) (rests (snd s) || rests (snd e)))) (readings R e k 1))
        (readings R stride over 1)
  end.

Definition narrow_affine (t : bool) (form : list (Z * dterm) * limit) (R : ranges) : narrowed :=
  narrow_terms (fst form) (number (snd form)) (t || rests (snd form)) R.

(** A coefficient as a known factor; and, where it has a name, as one more unknown on the right. *)
Definition coefficients (R : ranges) (f : factor) : list (limit * list (Z * dvar)) :=
  match factor_at R f with Some c => [(c, [])] | None => [] end ++
  match f with Late (DVar a) => [(Limit 1 false, [(-1, a)])] | _ => [] end.

Definition narrow_total (rows : list rterm) (divided : list dvar) (denom : positive) (var : option dvar) (t : bool)
  (coeff : limit * list (Z * dvar)) (R : ranges) : narrowed :=
  if number (fst coeff) <? 1 then Refused (t || rests (fst coeff)) else
  narrow_product
    (Sides (times (map factor_of (written rows)) * Zpos denom) (number (fst coeff)) (existsb open_row rows)
      (t || rests (fst coeff)))
    (flat_map (fun u => unknown_of (1, u)) (written rows) ++ map (pair 1) divided ++ snd coeff ++
     match var with Some a => [(-1, a)] | None => [] end) R.

(** One claim, with whether what was put into it rests on a commitment. *)
Definition narrow (i : size_claim * bool) (R : ranges) : narrowed :=
  let '(c, t) := i in
  match c with
  | Affine d stride over m offset =>
      and_then (well_formed stride m offset t R) (each (narrow_affine t) (affine_forms R d stride over m))
  | Parts d parts => narrow_terms ((-1, d) :: map (pair 1) parts) 0 t R
  | Elements rows divided denom coeff var =>
      each (narrow_total rows divided denom var t) (coefficients R coeff) R
  | Axes _ _ => Narrowed R
  | At_least (DVar a) n => raise R a (Some (Limit n t))
  | At_least (DConst d) n => if n <=? Zpos (count d) then Narrowed R else Refused t
  end.

(** The size equation of a claim by itself. *)
Definition equation_holds (v : valuation) (c : size_claim) : Prop :=
  match c with
  | Affine d stride over m _ => size v d = affine_size v stride over m
  | Parts d parts => size v d = plus (map (size v) parts)
  | Elements rows divided denom coeff var =>
      times (map (row_size v) rows) * times (map (fun a => size v (DVar a)) divided) * Zpos denom =
      factor_size v coeff * var_size v var
  | Axes _ _ => True
  | At_least d n => n <= size v d
  end.

Definition unknowns (ts : list dterm) : list dvar := flat_map (fun t => match t with DVar a => [a] | DConst _ => [] end) ts.

Definition late (f : factor) : list dterm := match f with Known _ => [] | Late t => [t] end.

(** The unknowns of the size equation. *)
Definition claimed (c : size_claim) : list dvar :=
  match c with
  | Affine d stride over m _ =>
      unknowns (d :: over :: late stride ++ match m with Valid e k => k :: late e | _ => [] end)
  | Parts d parts => unknowns (d :: parts)
  | Elements rows divided _ coeff var =>
      unknowns (written rows ++ late coeff) ++ divided ++ match var with Some a => [a] | None => [] end
  | Axes _ _ => []
  | At_least d _ => unknowns [d]
  end.

(** A total whose rows have all their axes, none of them 0. *)
Definition total_ready (v : valuation) (c : size_claim) : Prop :=
  match c with
  | Elements rows _ _ coeff _ =>
      existsb open_row rows = false /\ 1 <= factor_size v coeff /\ forall a, In a (claimed c) -> v_zero v a = false
  | _ => True
  end.

(** What a claim says of its factors and its offset. *)
Definition factors_hold (v : valuation) (c : size_claim) : Prop :=
  match c with
  | Affine _ stride _ m offset =>
      1 <= factor_size v stride /\ offset < factor_size v stride /\
      match m with Strided | Padded => True | Valid e _ => 1 <= factor_size v e /\ offset = 0 end
  | Elements _ _ _ coeff _ => 1 <= factor_size v coeff
  | _ => True
  end.

(** These have their values: the range of each is one number. *)
Definition exactly (v : valuation) (R : ranges) (V : list dvar) : Prop := forall a, In a V ->
  exists l, one_number (R a) = Some l /\ number l = size v (DVar a).

(** All claims, so many times. *)
Fixpoint bounds (rounds : nat) (is : list (size_claim * bool)) (R : ranges) : narrowed :=
  match rounds with
  | O => Narrowed R
  | S n => and_then (each narrow is R) (bounds n is)
  end.

(** An atom n below x leaves n elements and one: two or more are n. *)
Definition narrow_below (c : constr) (R : ranges) : narrowed :=
  match c with
  | DLe (DConst (Atom n _)) (DVar a) =>
      if 2 <=? number (least (R a)) then raise R a (Some (Limit (Zpos n) (rests (least (R a))))) else Narrowed R
  | _ => Narrowed R
  end.

(** The same with the atoms below. *)
Fixpoint bounds_below (phi : list constr) (rounds : nat) (is : list (size_claim * bool)) (R : ranges) : narrowed :=
  match rounds with
  | O => Narrowed R
  | S n => and_then (and_then (each narrow is R) (each narrow_below phi)) (bounds_below phi n is)
  end.

(** [R'] is within [R]. *)
Definition within (R' R : ranges) : Prop := forall a,
  number (least (R a)) <= number (least (R' a)) /\
  forall m, most (R a) = Some m -> exists m', most (R' a) = Some m' /\ number m' <= number m.

Definition not_empty (R : ranges) : Prop := forall a m, most (R a) = Some m -> number (least (R a)) <= number m.

(** No range goes below 0. *)
Definition from_zero (R : ranges) : Prop := forall a, 0 <= number (least (R a)).

(** Claims read in any order, as often as one likes. *)
Inductive narrowings (is : list (size_claim * bool)) (R : ranges) : ranges -> Prop :=
| Narrow_nil : narrowings is R R
| Narrow_cons R1 R2 i : narrowings is R R1 -> In i is -> narrow i R1 = Narrowed R2 -> narrowings is R R2.

(** No claim says anything new. *)
Definition settled (is : list (size_claim * bool)) (R : ranges) : Prop := forall i, In i is -> narrow i R = Narrowed R.

(** The same with the atoms below. *)
Inductive narrowings_below (phi : list constr) (is : list (size_claim * bool)) (R : ranges) : ranges -> Prop :=
| Below_nil : narrowings_below phi is R R
| Below_claim R1 R2 i : narrowings_below phi is R R1 -> In i is -> narrow i R1 = Narrowed R2 -> narrowings_below phi is R R2
| Below_atom R1 R2 c : narrowings_below phi is R R1 -> In c phi -> narrow_below c R1 = Narrowed R2 ->
    narrowings_below phi is R R2.

Definition settled_below (phi : list constr) (is : list (size_claim * bool)) (R : ranges) : Prop :=
  settled is R /\ forall c, In c phi -> narrow_below c R = Narrowed R.

(** Before any claim is looked at: at least one element, none where that may be, and with an
    atom below no more than it has. *)
Definition cap_at (a : dvar) (c : constr) : option limit :=
  match c with
  | DLe (DConst (Atom n _)) (DVar b) => if Nat.eqb a b then Some (Limit (Zpos n) false) else None
  | _ => None
  end.

Definition unbounded (phi : list constr) (zs : dvar -> bool) : ranges := fun a =>
  Range (Limit (if zs a then 0 else 1) false)
    (fold_right (fun c m => match cap_at a c with Some l => Some l | None => m end) None phi).

(** * Staged runs *)

(** The claims as far as they are instantiated, and the ranges. *)
Record state : Type := State { instances : list (size_claim * bool); st_ranges : ranges }.

(** The values keep to what rests on no commitment; with [b], to everything. *)
Definition rested (b t : bool) : Prop := t = true -> b = true.

Definition fits (b : bool) (v : valuation) (R : ranges) : Prop := forall a,
  (rested b (rests (least (R a))) -> number (least (R a)) <= size v (DVar a)) /\
  (forall m, most (R a) = Some m -> rested b (rests m) -> size v (DVar a) <= number m).

Definition meant (b : bool) (S : state) (v : valuation) : Prop :=
  (forall c t, In (c, t) (instances S) -> rested b t -> says v c) /\ fits b v (st_ranges S).

Definition same_on (V : list var) (v w : valuation) : Prop :=
  agree_on V (v_ground v) (v_ground w) /\ forall a, In (DV a) V -> v_zero v a = v_zero w a.

(** What the solver of the core adds is entailed, up to variables of its own: every solution
    of the input has one like it on [V] that keeps to the new state. *)
Definition entailed (V : list var) (S S' : state) : Prop :=
  forall v, meant false S v -> exists w, same_on V v w /\ meant false S' w.

Definition pin (R : ranges) (a : dvar) (n : Z) : ranges :=
  set_range R a (Range (Limit n true) (Some (Limit n true))).

(** Bounds in any order; the core; commitments, each within its range, each with the tag. *)
Inductive staged_run (V : list var) (S0 : state) : state -> Prop :=
| Run_start : staged_run V S0 S0
| Run_bounds S i R : staged_run V S0 S -> In i (instances S) -> narrow i (st_ranges S) = Narrowed R ->
    staged_run V S0 (State (instances S) R)
| Run_entailed S S' : staged_run V S0 S -> entailed V S S' -> staged_run V S0 S'
| Run_commit S a n : staged_run V S0 S ->
    number (least (st_ranges S a)) <= n ->
    (forall m, most (st_ranges S a) = Some m -> n <= number m) ->
    staged_run V S0 (State (instances S) (pin (st_ranges S) a n))
| Run_commit_claim S c : staged_run V S0 S -> staged_run V S0 (State ((c, true) :: instances S) (st_ranges S)).

Definition given (phi : list constr) (cs : list size_claim) (zs : dvar -> bool) : state :=
  State (map (fun c => (c, false)) cs) (unbounded phi zs).

(** * A run as a program *)

Inductive outcome : Type :=
| Closed (v : valuation)
| Unsat
| Rejected
| Broken
| Out_of_steps.

(** [choose] is the earliest stage that has something to commit; [finish] gives the values when nothing waits. *)
Fixpoint staged (choose : ranges -> option (dvar * Z)) (finish : ranges -> valuation)
  (phi : list constr) (cs : list size_claim) (rounds n : nat) (R : ranges) : outcome :=
  match bounds rounds (map (fun c => (c, false)) cs) R with
  | Refused t => if t then Rejected else Unsat
  | Narrowed R =>
      match choose R with
      | None => if passes phi cs (finish R) then Closed (finish R) else Broken
      | Some (a, k) =>
          match n with
          | O => Out_of_steps
          | S n => staged choose finish phi cs rounds n (pin R a k)
          end
      end
  end.
