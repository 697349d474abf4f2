(** Def. 4.4: in which order pending things are taken, as a program. *)

From Coq Require Import List Bool Arith NArith.
Import ListNotations.

(** The order is free; these are four ways to choose it.  [Rounds] takes what the
    last round emitted, in reverse. *)
Inductive strategy : Type := Fifo | Lifo | Rounds | Random (seed : N).

Section Queue.
Context {A : Type}.

(** What waits: at most one thing to be taken before all others, the things of
    this round, those of the next; and where the generator of [Random] stands. *)
Record queue : Type := Queue
  { q_now : option A; q_items : list A; q_later : list A; q_seed : N }.

Definition new_queue (s : strategy) (items : list A) : queue :=
  Queue None items [] (match s with Random seed => seed | _ => 0%N end).

(** Everything that waits. *)
Definition waiting (q : queue) : list A :=
  match q_now q with Some x => [x] | None => [] end ++ q_items q ++ q_later q.

Definition push (s : strategy) (x : A) (q : queue) : queue :=
  match s with
  | Rounds => Queue (q_now q) (q_items q) (q_later q ++ [x]) (q_seed q)
  | _ => Queue (q_now q) (q_items q ++ [x]) (q_later q) (q_seed q)
  end.

Definition push_all (s : strategy) (xs : list A) (q : queue) : queue :=
  fold_left (fun q x => push s x q) xs q.

(** "Then reprocess": before anything else. *)
Definition push_now (s : strategy) (x : A) (q : queue) : queue :=
  let q' := match q_now q with Some y => push s y q | None => q end in
  Queue (Some x) (q_items q') (q_later q') (q_seed q').

Definition change_all (f : A -> A) (q : queue) : queue :=
  Queue (option_map f (q_now q)) (map f (q_items q)) (map f (q_later q)) (q_seed q).

(** SplitMix64, the generator that the other layers use. *)
Definition word (n : N) : N := N.modulo n 18446744073709551616.

Definition mixed (z : N) : N :=
  let z := word (N.mul (N.lxor z (N.shiftr z 30)) 13787848793156543929) in
  let z := word (N.mul (N.lxor z (N.shiftr z 27)) 10723151780598845931) in
  N.lxor z (N.shiftr z 31).

Definition next_seed (n : N) : N := word (n + 11400714819323198485).

(** The thing at place [i]; the last one takes its place. *)
Definition swap_remove (i : nat) (l : list A) : option (A * list A) :=
  match skipn i l with
  | [] => None
  | x :: rest =>
      Some (x, firstn i l ++
               match rev rest with [] => [] | y :: _ => y :: removelast rest end)
  end.

Definition take_front (now : option A) (later : list A) (seed : N) (l : list A) : option (A * queue) :=
  match l with [] => None | x :: l => Some (x, Queue now l later seed) end.

Definition pop (s : strategy) (q : queue) : option (A * queue) :=
  match q_now q with
  | Some x => Some (x, Queue None (q_items q) (q_later q) (q_seed q))
  | None =>
      match s with
      | Fifo => take_front None (q_later q) (q_seed q) (q_items q)
      | Lifo =>
          match rev (q_items q) with
          | [] => None
          | x :: _ => Some (x, Queue None (removelast (q_items q)) (q_later q) (q_seed q))
          end
      | Rounds =>
          match q_items q with
          | [] => take_front None [] (q_seed q) (rev (q_later q))
          | _ => take_front None (q_later q) (q_seed q) (q_items q)
          end
      | Random _ =>
          match q_items q with
          | [] => None
          | _ =>
              let seed := next_seed (q_seed q) in
              let i := N.to_nat (N.modulo (mixed seed) (N.of_nat (length (q_items q)))) in
              match swap_remove i (q_items q) with
              | Some (x, rest) => Some (x, Queue None rest (q_later q) seed)
              | None => None
              end
          end
      end
  end.

End Queue.
Arguments queue : clear implicits.
