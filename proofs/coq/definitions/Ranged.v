(** D1 to D10: ranged dimensions, as core/ranged has them: what they mean, how they are unified, the shape rules
    of operations, reshaping, verification, and the bounds of elements.

    Sizes have no upper limit here.  In Rust a size is from 1 to 2^64 - 1 and a product is below 2^128; what does
    not fit is the error TooLarge, which is left out.  Errors carry what is wrong and not where. *)

From Coq Require Import String NArith List Bool Arith.
Import ListNotations.
Local Open Scope N_scope.

(** * Dimensions (D1) *)

(** Both ends are included; without [r_hi] there is no upper bound. *)
Record range : Type := Range { r_lo : N; r_hi : option N }.

Definition any_range : range := Range 1 None.

(** Range::new: none when the lower end is above the upper. *)
Definition range_new (lo : N) (hi : option N) : option range :=
  match hi with
  | Some h => if h <? lo then None else Some (Range lo hi)
  | None => Some (Range lo hi)
  end.

Definition exactly (v : N) : range := Range v (Some v).

Definition contains (r : range) (v : N) : bool :=
  (r_lo r <=? v) && match r_hi r with Some h => v <=? h | None => true end.

Definition range_meet (r s : range) : option range :=
  let hi := match r_hi r, r_hi s with
            | Some a, Some b => Some (N.min a b)
            | Some a, None => Some a
            | None, b => b
            end in
  range_new (N.max (r_lo r) (r_lo s)) hi.

(** The only size of a range, if there is only one. *)
Definition only (r : range) : option N :=
  match r_hi r with Some h => if h =? r_lo r then Some (r_lo r) else None | None => None end.

(** A variable is its number; what it is called is for people. *)
Inductive dim : Type :=
| Literal (v : N)
| Var (a : nat)
| Named (n : string) (r : range)
| Dynamic
| Broadcast.

(** Dim::range: the sizes it allows, whatever the variables are. *)
Definition range_of (d : dim) : range :=
  match d with
  | Literal v => exactly v
  | Named _ r => r
  | Var _ | Dynamic | Broadcast => any_range
  end.

Definition size_of (d : dim) : option N := only (range_of d).

Definition label_of (d : dim) : option string := match d with Named n _ => Some n | _ => None end.

(** A literal 1, as written. *)
Definition is_one (d : dim) : bool := match d with Literal v => v =? 1 | _ => false end.

Definition is_var (d : dim) : bool := match d with Var _ => true | _ => false end.

Definition hi_eqb (a b : option N) : bool :=
  match a, b with Some x, Some y => x =? y | None, None => true | _, _ => false end.

Definition range_eqb (r s : range) : bool := (r_lo r =? r_lo s) && hi_eqb (r_hi r) (r_hi s).

Definition dim_eqb (x y : dim) : bool :=
  match x, y with
  | Literal a, Literal b => a =? b
  | Var a, Var b => Nat.eqb a b
  | Named n r, Named m s => String.eqb n m && range_eqb r s
  | Dynamic, Dynamic => true
  | Broadcast, Broadcast => true
  | _, _ => false
  end.

(** What Rust's types ask for: sizes from 1 on, and no empty range. *)
Definition range_ok (r : range) : Prop := 1 <= r_lo r /\ match r_hi r with Some h => r_lo r <= h | None => True end.

Definition dim_ok (d : dim) : Prop :=
  match d with Literal v => 1 <= v | Named _ r => range_ok r | Var _ | Dynamic | Broadcast => True end.

Definition shape : Type := list dim.

(** The highest rank. *)
Definition max_rank : nat := 64.

(** * What they mean (D2) *)

(** A size, and the label it has, if any. *)
Record axis : Type := Axis { a_size : N; a_label : option string }.

(** An axis for each variable. *)
Definition env : Type := nat -> axis.

(** The axes that a dimension stands for.  There is no axis of size 0. *)
Definition means (e : env) (p : axis) (d : dim) : Prop :=
  1 <= a_size p /\
  match d with
  | Literal v => a_size p = v
  | Var a => p = e a
  | Named n r => a_label p = Some n /\ contains r (a_size p) = true
  | Dynamic | Broadcast => True
  end.

(** The sizes that a dimension stands for. *)
Definition fits (e : env) (n : N) (d : dim) : Prop := exists l, means e (Axis n l) d.

(** The actual sizes of a shape, with one axis for each variable. *)
Definition actual (e : env) (ns : list N) (s : shape) : Prop := Forall2 (fits e) ns s.

(** * Unification (D4) *)

(** What is wrong.  The last three are of D8 and D9. *)
Inductive problem : Type :=
| Literal_mismatch (a b : N)
| Out_of_range (n : string) (v : N) (r : range)
| Range_empty (n : string) (r s : range)
| Name_mismatch (n m : string)
| Foreign_variable (a : nat)
| Rank_mismatch (a b : nat)
| Rank_needed (found : nat)
| No_operands
| No_axis (i rank : nat)
| Rank_limit (rank : nat)
| Too_large
| Second_inferred
| Elements
| Actual_size (n : N) (d : dim).

Inductive result (A : Type) : Type :=
| Ok (x : A)
| Err (p : problem).
Arguments Ok {A} x.
Arguments Err {A} p.

Inductive kind : Type := KLiteral | KVar | KNamed | KDynamic | KBroadcast.

Definition kind_of (d : dim) : kind :=
  match d with
  | Literal _ => KLiteral | Var _ => KVar | Named _ _ => KNamed | Dynamic => KDynamic | Broadcast => KBroadcast
  end.

Inductive rule : Type := RD_literal | RD_label | RD_names | RD_bind | RD_merge | RD_dynamic | RD_broadcast.

(** UnifyRule::of: all twenty-five cases. *)
Definition rule_of (x y : kind) : rule :=
  match x, y with
  | KDynamic, _ | _, KDynamic => RD_dynamic
  | KBroadcast, _ | _, KBroadcast => RD_broadcast
  | KVar, KVar => RD_merge
  | KVar, (KLiteral | KNamed) | (KLiteral | KNamed), KVar => RD_bind
  | KLiteral, KLiteral => RD_literal
  | KLiteral, KNamed | KNamed, KLiteral => RD_label
  | KNamed, KNamed => RD_names
  end.

Definition rd_literal (a b : N) : result dim := if a =? b then Ok (Literal a) else Err (Literal_mismatch a b).

(** The label stays (F30). *)
Definition rd_label (v : N) (n : string) (r : range) : result dim :=
  if contains r v then Ok (Named n (exactly v)) else Err (Out_of_range n v r).

Definition rd_names (n : string) (r : range) (m : string) (s : range) : result dim :=
  if negb (String.eqb n m) then Err (Name_mismatch n m)
  else match range_meet r s with Some t => Ok (Named n t) | None => Err (Range_empty n r s) end.

(** The rules that need no context. *)
Definition meet (x y : dim) : result dim :=
  match x, y with
  | Dynamic, d | d, Dynamic => Ok d
  | Broadcast, d | d, Broadcast => Ok d
  | Var _, d | d, Var _ => Ok d
  | Literal a, Literal b => rd_literal a b
  | Literal v, Named n r | Named n r, Literal v => rd_label v n r
  | Named n r, Named m s => rd_names n r m s
  end.

(** * The context (D5) *)

(** A variable is in the class of an older one, or the oldest of its class, with what the class is narrowed to. *)
Inductive node : Type :=
| Link (to : nat)
| Root (bound : option dim).

(** The node of variable i is at place i. *)
Definition context : Type := list node.

(** Context::class.  Rust loops until it is at a root.  Links go to older variables, so that S i steps are enough. *)
Fixpoint class_from (fuel : nat) (G : context) (i : nat) : option (nat * option dim) :=
  match fuel with
  | O => None
  | S f =>
      match nth_error G i with
      | None => None
      | Some (Link to) => class_from f G to
      | Some (Root b) => Some (i, b)
      end
  end.

Definition class (G : context) (i : nat) : option (nat * option dim) := class_from (S i) G i.

(** [x] in place i, where there is such a place. *)
Fixpoint put {A : Type} (i : nat) (x : A) (l : list A) : list A :=
  match l, i with
  | [], _ => []
  | _ :: l, O => x :: l
  | y :: l, S i => y :: put i x l
  end.

Definition write (G : context) (i : nat) (n : node) : context := put i n G.

(** Context::compress: every variable on the way gets a link to the root. *)
Fixpoint compress_from (fuel : nat) (G : context) (i r : nat) : context :=
  match fuel with
  | O => G
  | S f =>
      match nth_error G i with
      | Some (Link to) => compress_from f (if Nat.eqb to r then G else write G i (Link r)) to r
      | _ => G
      end
  end.

Definition compress (G : context) (i r : nat) : context := compress_from (S i) G i r.

(** A step has a new context also where it fails, as &mut has. *)
Definition bind {A B : Type} (m : context * result A) (f : context -> A -> context * result B) : context * result B :=
  match m with
  | (G, Ok x) => f G x
  | (G, Err p) => (G, Err p)
  end.

(** Context::transact: all steps or none.  Rust writes a log and takes it back; here the old context is kept. *)
Definition transact {A : Type} (G : context) (m : context * result A) : context * result A :=
  match m with
  | (G', Ok x) => (G', Ok x)
  | (_, Err p) => (G, Err p)
  end.

Definition root (G : context) (a : nat) : context * result (nat * option dim) :=
  match class G a with
  | None => (G, Err (Foreign_variable a))
  | Some (r, b) => (compress G a r, Ok (r, b))
  end.

Definition is_bound (b : option dim) (d : dim) : bool :=
  match b with Some x => dim_eqb x d | None => false end.

Definition rd_bind (G : context) (a : nat) (d : dim) : context * result dim :=
  bind (root G a) (fun G '(r, b) =>
    match (match b with None => Ok d | Some x => meet x d end) with
    | Err p => (G, Err p)
    | Ok narrowed => (if is_bound b narrowed then G else write G r (Root (Some narrowed)), Ok (Var r))
    end).

(** What two classes are narrowed to together. *)
Definition both_bounds (x y : option dim) : result (option dim) :=
  match x, y with
  | Some x, Some y => match meet x y with Ok d => Ok (Some d) | Err p => Err p end
  | Some x, None => Ok (Some x)
  | None, y => Ok y
  end.

(** The older variable stands for both. *)
Definition rd_merge (G : context) (a b : nat) : context * result dim :=
  bind (root G a) (fun G '(ra, ba) =>
  bind (root G b) (fun G '(rb, bb) =>
    let old := Nat.min ra rb in
    let young := Nat.max ra rb in
    if Nat.eqb old young then (G, Ok (Var old))
    else match both_bounds ba bb with
         | Err p => (G, Err p)
         | Ok bound => (write (write G young (Link old)) old (Root bound), Ok (Var old))
         end)).

(** x ⊔ y (D4). *)
Definition unify (G : context) (x y : dim) : context * result dim :=
  match x, y with
  | Var a, Var b => rd_merge G a b
  | Var v, Dynamic | Var v, Broadcast | Dynamic, Var v | Broadcast, Var v =>
      bind (root G v) (fun G '(r, _) => (G, Ok (Var r)))
  | Var v, d | d, Var v => rd_bind G v d
  | _, _ => (G, meet x y)
  end.

Definition resolve (G : context) (d : dim) : dim :=
  match d with
  | Var a =>
      match class G a with
      | Some (_, Some b) => b
      | Some (r, None) => Var r
      | None => d
      end
  | _ => d
  end.

Definition resolve_shape (G : context) (s : shape) : shape := map (resolve G) s.

(** Context::representative: the oldest variable of the class. *)
Definition representative (G : context) (d : dim) : dim :=
  match d with
  | Var a => match class G a with Some (r, _) => Var r | None => d end
  | _ => d
  end.

(** What the code keeps of a context: links go to older variables, and a bound is a literal or a name. *)
Definition bound_ok (d : dim) : Prop := match d with Literal _ | Named _ _ => dim_ok d | _ => False end.

Definition node_ok (i : nat) (n : node) : Prop :=
  match n with
  | Link to => (to < i)%nat
  | Root b => match b with Some d => bound_ok d | None => True end
  end.

Definition forest (G : context) : Prop := forall i n, nth_error G i = Some n -> node_ok i n.

(** The variables of a dimension are of this context. *)
Definition known_in (G : context) (d : dim) : Prop := match d with Var a => (a < length G)%nat | _ => True end.

(** A dimension that Rust's types allow, with a variable of this context. *)
Definition proper (G : context) (d : dim) : Prop := dim_ok d /\ known_in G d.

(** The values that a context allows: a variable is the axis of the oldest of its class, and the bound allows it. *)
Definition agrees (G : context) (e : env) : Prop :=
  forall i r b, class G i = Some (r, b) ->
    e i = e r /\ 1 <= a_size (e i) /\ match b with Some d => means e (e i) d | None => True end.

(** Two contexts in which every look-up has the same answer. *)
Definition same_classes (G H : context) : Prop := length G = length H /\ forall i, class G i = class H i.

(** A set of unifications, one after the other until one fails. *)
Fixpoint unify_all (G : context) (l : list (dim * dim)) : context * result unit :=
  match l with
  | [] => (G, Ok tt)
  | (x, y) :: l => bind (unify G x y) (fun G _ => unify_all G l)
  end.

(** x ⊔ y ⊔ … with brackets. *)
Inductive brackets : Type :=
| One (d : dim)
| Both (l r : brackets).

Fixpoint leaves (t : brackets) : list dim :=
  match t with One d => [d] | Both l r => leaves l ++ leaves r end.

Fixpoint unify_tree (G : context) (t : brackets) : context * result dim :=
  match t with
  | One d => (G, Ok d)
  | Both l r => bind (unify_tree G l) (fun G x => bind (unify_tree G r) (fun G y => unify G x y))
  end.

(** An equation holds where its sides have an axis in common. *)
Definition solves (e : env) (q : dim * dim) : Prop := exists p, means e p (fst q) /\ means e p (snd q).

(** * Operations (D6) *)

Fixpoint unify_axes (G : context) (s t : shape) : context * result shape :=
  match s, t with
  | x :: s, y :: t =>
      bind (unify G x y) (fun G d => bind (unify_axes G s t) (fun G ds => (G, Ok (d :: ds))))
  | _, _ => (G, Ok [])
  end.

Definition zip (G : context) (s t : shape) : context * result shape :=
  if negb (Nat.eqb (length s) (length t)) then (G, Err (Rank_mismatch (length s) (length t)))
  else unify_axes G s t.

Definition unify_shapes (G : context) (s t : shape) : context * result shape := transact G (zip G s t).

Definition matmul (G : context) (s t : shape) : context * result shape :=
  match s, t with
  | [m; k1], [k2; n] => bind (unify G k1 k2) (fun G _ => (G, Ok [m; n]))
  | _, _ => (G, Err (Rank_needed (if Nat.eqb (length s) 2 then length t else length s)))
  end.

(** The part of a column that a shape has, aligned at the last axis. *)
Definition in_column (rank column : nat) (part : shape) : list dim :=
  if Nat.ltb (column + length part) rank then []
  else match nth_error part (column + length part - rank) with Some d => [d] | None => [] end.

(** What is in a column without the literal ones is unified from the first on. *)
Fixpoint unify_column (G : context) (so_far : option dim) (ds : list dim) : context * result (option dim) :=
  match ds with
  | [] => (G, Ok so_far)
  | d :: ds =>
      match so_far with
      | None => unify_column G (Some d) ds
      | Some x => bind (unify G x d) (fun G y => unify_column G (Some y) ds)
      end
  end.

Definition wide (ds : list dim) : list dim := filter (fun d => negb (is_one d)) ds.

Fixpoint broadcast_columns (G : context) (columns : list (list dim)) : context * result shape :=
  match columns with
  | [] => (G, Ok [])
  | c :: cs =>
      bind (unify_column G None (wide c)) (fun G d =>
      bind (broadcast_columns G cs) (fun G ds =>
        (G, Ok (match d with Some d => d | None => Literal 1 end :: ds))))
  end.

Definition rank_of (parts : list shape) : nat := fold_right Nat.max O (map (@length dim) parts).

Definition columns_of (parts : list shape) : list (list dim) :=
  map (fun c => flat_map (in_column (rank_of parts) c) parts) (seq 0 (rank_of parts)).

Definition broadcast_dims (G : context) (parts : list shape) : context * result shape :=
  broadcast_columns G (columns_of parts).

Definition broadcast (G : context) (parts : list shape) : context * result shape :=
  match parts with
  | [] => (G, Err No_operands)
  | _ => transact G (broadcast_dims G parts)
  end.

Definition matmul_batched (G : context) (s t : shape) : context * result shape :=
  match rev s, rev t with
  | k1 :: m :: before_s, n :: k2 :: before_t =>
      transact G (bind (unify G k1 k2) (fun G _ =>
        bind (broadcast_dims G [rev before_s; rev before_t]) (fun G dims => (G, Ok (dims ++ [m; n])))))
  | _, _ => (G, Err (Rank_needed (Nat.min (length s) (length t))))
  end.

(** The labels of the pieces, each once, in their order. *)
Fixpoint labels_of (seen : list string) (pieces : list dim) : list string :=
  match pieces with
  | [] => seen
  | d :: ds =>
      match label_of d with
      | Some n => if existsb (String.eqb n) seen then labels_of seen ds else labels_of (seen ++ [n]) ds
      | None => labels_of seen ds
      end
  end.

Definition longest_label : nat := 60.

(** A label that would get too long is dropped: another in its place could be that of another axis. *)
Definition labelled (pieces : list dim) (sign : string) (r : range) : dim :=
  let labels := labels_of [] pieces in
  let joined := String.concat sign labels in
  if negb (match labels with [] => true | _ => false end) && Nat.leb (String.length joined) longest_label
  then Named joined r
  else match only r with Some v => Literal v | None => Dynamic end.

Fixpoint all_some {A : Type} (l : list (option A)) : option (list A) :=
  match l with
  | [] => Some []
  | None :: _ => None
  | Some x :: l => match all_some l with Some k => Some (x :: k) | None => None end
  end.

Definition plus (l : list N) : N := fold_right N.add 0 l.
Definition times (l : list N) : N := fold_right N.mul 1 l.

(** Of no bound: known at run time only. *)
Definition is_open (d : dim) : bool := match d with Var _ | Dynamic | Broadcast => true | _ => false end.

Definition sum (pieces : list dim) : option dim :=
  if existsb is_open pieces then Some Dynamic
  else
    let lo := plus (map (fun d => r_lo (range_of d)) pieces) in
    let hi := match all_some (map (fun d => r_hi (range_of d)) pieces) with Some l => Some (plus l) | None => None end in
    match range_new lo hi with Some r => Some (labelled pieces "+" r) | None => None end.

(** The loop of concat: [shape] is unified with what there is, but for the axis along which they are joined. *)
Fixpoint concat_rest (G : context) (along : nat) (so_far : shape) (pieces : list dim) (rest : list shape)
  : context * result (shape * list dim) :=
  match rest with
  | [] => (G, Ok (so_far, pieces))
  | s :: rest =>
      let pieces := match nth_error s along with Some d => pieces ++ [resolve G d] | None => pieces end in
      bind (zip G (put along Dynamic so_far) (put along Dynamic s)) (fun G so_far =>
        concat_rest G along so_far pieces rest)
  end.

Definition concat (G : context) (shapes : list shape) (along : nat) : context * result shape :=
  match shapes with
  | [] => (G, Err No_operands)
  | first :: rest =>
      match nth_error first along with
      | None => (G, Err (No_axis along (length first)))
      | Some d =>
          transact G (bind (concat_rest G along first [resolve G d] rest) (fun G '(joined, pieces) =>
            match sum pieces with
            | None => (G, Err Too_large)
            | Some total => (G, Ok (put along (match rest with [] => d | _ => total end) joined))
            end))
      end
  end.

Fixpoint stack_rest (G : context) (so_far : shape) (rest : list shape) : context * result shape :=
  match rest with
  | [] => (G, Ok so_far)
  | s :: rest => bind (zip G so_far s) (fun G so_far => stack_rest G so_far rest)
  end.

Definition insert_at {A : Type} (i : nat) (x : A) (l : list A) : list A := firstn i l ++ x :: skipn i l.

Definition stack (G : context) (shapes : list shape) (along : nat) : context * result shape :=
  match shapes with
  | [] => (G, Err No_operands)
  | first :: rest =>
      let rank := S (length first) in
      if Nat.leb rank along then (G, Err (No_axis along rank))
      else if Nat.ltb max_rank rank then (G, Err (Rank_limit rank))
      else transact G (bind (stack_rest G first rest) (fun G joined =>
             (G, Ok (insert_at along (Literal (N.of_nat (length shapes))) joined))))
  end.

(** * Bounds of elements (D10) *)

Record bounds : Type := Bounds { b_min : N; b_max : option N }.

Definition combine_bounds (f : N -> N -> N) (a b : bounds) : bounds :=
  Bounds (f (b_min a) (b_min b)) (match b_max a, b_max b with Some x, Some y => Some (f x y) | _, _ => None end).

Definition axis_bounds (d : dim) : bounds := Bounds (r_lo (range_of d)) (r_hi (range_of d)).

Definition within (b : bounds) (n : N) : bool :=
  (b_min b <=? n) && match b_max b with Some m => n <=? m | None => true end.

Definition elements (s : shape) : bounds :=
  fold_left (fun b d => combine_bounds N.mul b (axis_bounds d)) s (Bounds 1 (Some 1)).

(** Nothing of what has no bound is nothing. *)
Definition bounds_times (b : bounds) (n : N) : bounds :=
  if n =? 0 then Bounds 0 (Some 0) else combine_bounds N.mul b (Bounds n (Some n)).

Definition bytes (s : shape) (element : N) : bounds := bounds_times (elements s) element.

(** * Reshaping (D8) *)

Inductive target : Type :=
| Given (d : dim)
| Infer.

Record obligation : Type := Obligation { o_input : shape; o_output : shape }.

(** Obligation::holds, of actual sizes. *)
Definition holds (o : obligation) (ns ms : list N) : bool := times ns =? times ms.

Record reshaped : Type := Reshaped { re_shape : shape; re_obligation : option obligation }.

(** A product with the sizes that are known apart from those that are not. *)
Record product : Type := Product { known : N; unknown : list dim }.

Fixpoint product_of (ds : list dim) : product :=
  match ds with
  | [] => Product 1 []
  | d :: ds =>
      let rest := product_of ds in
      match size_of d with
      | Some v => Product (v * known rest) (unknown rest)
      | None => Product (known rest) (d :: unknown rest)
      end
  end.

Definition can_cancel (d : dim) : bool := match d with Var _ | Named _ _ => true | _ => false end.

(** The list without the first that is the same. *)
Fixpoint take_same (d : dim) (l : list dim) : option (list dim) :=
  match l with
  | [] => None
  | x :: l =>
      if dim_eqb x d && can_cancel x then Some l
      else match take_same d l with Some k => Some (x :: k) | None => None end
  end.

(** What both have is taken out.  True when all of it is certainly equal: two axes with one label may differ. *)
Fixpoint cancel (u v : list dim) : list dim * list dim * bool :=
  match u with
  | [] => ([], v, true)
  | d :: u =>
      match take_same d v with
      | None => let '(u', v', c) := cancel u v in (d :: u', v', c)
      | Some v => let '(u', v', c) := cancel u v in (u', v', is_var d && c)
      end
  end.

Definition multiple (n m : N) : bool := n mod m =? 0.
Definition nothing {A : Type} (l : list A) : bool := match l with [] => true | _ => false end.

Definition below (a b : bounds) : bool := match b_max a with Some m => m <? b_min b | None => false end.
Definition indivisible (all part : product) : bool := nothing (unknown all) && negb (multiple (known all) (known part)).

Definition differ (before : product) (least : bounds) (after : product) (most : bounds) : bool :=
  below least most || below most least || indivisible before after || indivisible after before.

(** The product of named axes and a factor, as a name with its range. *)
Definition scaled (ds : list dim) (factor : N) : option dim :=
  if negb (forallb (fun d => match d with Named _ _ => true | _ => false end) ds) then None
  else
    let lo := factor * times (map (fun d => r_lo (range_of d)) ds) in
    let hi := match all_some (map (fun d => r_hi (range_of d)) ds) with
              | Some l => Some (factor * times l)
              | None => None
              end in
    match range_new lo hi with Some r => Some (labelled ds "*" r) | None => None end.

(** What -1 stands for: nothing when no size does, and Dynamic when nothing better can be said. *)
Definition quotient (before after : product) : option dim :=
  let divides := multiple (known before) (known after) in
  if nothing (unknown before) && negb divides then None
  else if negb (nothing (unknown after)) || negb divides then Some Dynamic
  else
    let factor := known before / known after in
    match unknown before with
    | [] => Some (Literal factor)
    | [one] => if factor =? 1 then Some one
               else Some (match scaled [one] factor with Some d => d | None => Dynamic end)
    | several => Some (match scaled several factor with Some d => d | None => Dynamic end)
    end.

Definition given_of (G : context) (t : list target) : shape :=
  flat_map (fun x => match x with Given d => [resolve G d] | Infer => [] end) t.

(** The same axes as the answer has them: a variable stays one, so that what is learnt later reaches it. *)
Definition kept_of (G : context) (t : list target) : shape :=
  flat_map (fun x => match x with Given d => [representative G d] | Infer => [] end) t.

Fixpoint places_from (i : nat) (t : list target) : list nat :=
  match t with
  | [] => []
  | Infer :: t => i :: places_from (S i) t
  | Given _ :: t => places_from (S i) t
  end.

Definition reshape (G : context) (s : shape) (t : list target) : result reshaped :=
  let input := resolve_shape G s in
  let given := given_of G t in
  let shown := map (representative G) s in
  let kept := kept_of G t in
  let places := places_from 0 t in
  if Nat.ltb max_rank (length t) then Err (Rank_limit (length t))
  else if Nat.ltb 1 (length places) then Err Second_inferred
  else
    let before := product_of input in
    let after := product_of given in
    let '(u, v, certain) := cancel (unknown before) (unknown after) in
    match places with
    | [] =>
        if differ before (elements input) after (elements given) then Err Elements
        else
          let left_over := negb (nothing u) || negb (nothing v) in
          if certain && negb left_over && negb (known before =? known after) then Err Elements
          else Ok (Reshaped kept (if left_over || negb certain then Some (Obligation shown kept) else None))
    | place :: _ =>
        if below (elements input) (elements given) then Err Elements else
        let before := Product (known before) u in
        let after := Product (known after) v in
        let answer := match quotient before after with
                      | Some d => Ok d
                      | None => if certain then Err Elements else Ok Dynamic
                      end in
        match answer with
        | Err p => Err p
        | Ok inferred =>
            let exact := certain && nothing v && multiple (known before) (known after) in
            let output := insert_at place inferred kept in
            Ok (Reshaped output (if exact then None else Some (Obligation shown output)))
        end
    end.

(** * Verification (D9) *)

(** The sizes of variables that were seen; the first entry of a variable counts. *)
Definition verifier : Type := list (nat * N).

Fixpoint seen (V : verifier) (a : nat) : option N :=
  match V with
  | [] => None
  | (b, n) :: V => if Nat.eqb b a then Some n else seen V a
  end.

(** The loop over the axes.  As in Rust, what was seen before an axis that is wrong stays. *)
Fixpoint verify_axes (V : verifier) (ns : list N) (s : shape) : verifier * result unit :=
  match ns, s with
  | n :: ns, d :: s =>
      if (n =? 0) || negb (contains (range_of d) n) then (V, Err (Actual_size n d))
      else
        match d with
        | Var a =>
            match seen V a with
            | Some m => if n =? m then verify_axes V ns s else (V, Err (Actual_size n d))
            | None => verify_axes ((a, n) :: V) ns s
            end
        | _ => verify_axes V ns s
        end
  | _, _ => (V, Ok tt)
  end.

Definition verify (V : verifier) (ns : list N) (s : shape) : verifier * result unit :=
  if negb (Nat.eqb (length ns) (length s)) then (V, Err (Rank_mismatch (length ns) (length s)))
  else verify_axes V ns s.

(** All tensors of a run, with one verifier, until one is refused. *)
Fixpoint verify_run (V : verifier) (run : list (list N * shape)) : verifier * result unit :=
  match run with
  | [] => (V, Ok tt)
  | (ns, s) :: run =>
      match verify V ns s with
      | (V, Ok _) => verify_run V run
      | (V, Err p) => (V, Err p)
      end
  end.

(** The environments that have the sizes that were seen. *)
Definition stores (V : verifier) (e : env) : Prop := forall a n, seen V a = Some n -> 1 <= n /\ a_size (e a) = n.
