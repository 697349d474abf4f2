(** Prop. 4.6 as a program: is there a positive cycle among facts?

    Values start at 0 and rise until every fact holds.  A round lets them travel
    one fact further, so without a positive cycle nothing rises in more rounds
    than there are vertices. *)

From Coq Require Import List Bool Arith ZArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard.
Import ListNotations.
Local Open Scope Z_scope.

(** Values of vertices; 0 where there is none. *)
Definition values := list (vertex * Z).

Definition vertex_eqb (x y : vertex) : bool :=
  match x, y with
  | Some p, Some q => (p =? q)%nat
  | None, None => true
  | _, _ => false
  end.

Fixpoint value_of (v : values) (x : vertex) : Z :=
  match v with
  | [] => 0
  | (y, k) :: v => if vertex_eqb x y then k else value_of v x
  end.

Fixpoint set_value (v : values) (x : vertex) (k : Z) : values :=
  match v with
  | [] => [(x, k)]
  | (y, j) :: v => if vertex_eqb x y then (x, k) :: v else (y, j) :: set_value v x k
  end.

(** One fact raises its greater side to what it asks for. *)
Definition lift (v : values) (f : fact) : values :=
  let needed := value_of v (lesser f) + weight f in
  if needed <=? value_of v (greater f) then v else set_value v (greater f) needed.

Definition round (fs : list fact) (v : values) : values := fold_left lift fs v.

(** Does every fact hold, and 0 stay 0? *)
Definition settled (fs : list fact) (v : values) : bool :=
  (value_of v None =? 0) &&
  forallb (fun f => value_of v (lesser f) + weight f <=? value_of v (greater f)) fs.

(** So many rounds at most. *)
Fixpoint settles (n : nat) (fs : list fact) (v : values) : bool :=
  settled fs v ||
  match n with
  | O => false
  | S n => if value_of v None =? 0 then settles n fs (round fs v) else false
  end.

(** The vertices, each once. *)
Definition vertices (fs : list fact) : list vertex :=
  fold_right (fun x xs => if existsb (vertex_eqb x) xs then xs else x :: xs) [None]
             (flat_map (fun f => [greater f; lesser f]) fs).

Definition positive_cycleb (fs : list fact) : bool :=
  negb (settles (S (length (vertices fs))) fs []).
