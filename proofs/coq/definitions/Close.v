(** Def. 6.1 with Remark 6.3 as a program: which values closing commits, in which
    order, and how it ends.  The solver is an argument: all that closing does is
    add constraints and let it run. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard Solved Runs Taint Certificate Closing Queue Fire Solver.
Import ListNotations.

(** * Policies, tags, results *)

(** What closing knows of a leaf: everything below it, or its own caps, leaf by
    leaf.  What becomes of a deferred equation. *)
Inductive cap_policy : Type := Saturated | Stored.
Inductive word_policy : Type := Least_material | Upward_only.
Record close_policy : Type := Close_policy { caps_by : cap_policy; words_by : word_policy }.

(** Provenance: the variables of leaves, and of these the parameters. *)
Record tagging : Type := Tagging { leaves : list var; params : list var }.

Definition tags_of (T : tagging) : tags :=
  Tags (fun v => In v (leaves T)) (fun v => In v (params T)).

Inductive close_rule : Type := CL_leaf | CL_hole | CL_word | CL_bare | CL_up.

(** A value and its rule; where it was committed also the variable of the input
    that it is part of, unless it is that variable. *)
Definition commitment : Type := binding * close_rule.
Record assumption : Type := Assumption { a_binding : binding; a_rule : close_rule; a_within : option var }.

(** A place in a row: from the front in the leading flank, from the back in the
    trailing one. *)
Inductive side : Type := Front | Back.
Definition place : Type := side * nat.
Definition unknown : Type := var * option place.

Inductive closed : Type :=
| Closed_at (s : state) (l : list assumption)
| Failed_with (f : failure) (l : list assumption)
| Hole_at (v : var) (p : option place)
| Unfinished.

(** * Variables, oldest first *)

(** By number; of equal numbers the dimension first. *)
Definition older (v w : var) : bool :=
  match Nat.compare (number v) (number w) with
  | Lt => true
  | Gt => false
  | Eq => match v, w with DV _, RV _ => true | _, _ => false end
  end.

Fixpoint insert_var (v : var) (l : list var) : list var :=
  match l with
  | [] => [v]
  | w :: l' => if var_eqb v w then l else if older v w then v :: l else w :: insert_var v l'
  end.

(** Each once, oldest first. *)
Definition sort_vars (l : list var) : list var := fold_left (fun l v => insert_var v l) l [].

(** * Unsolved variables as parts of the input *)

Record piece : Type := Piece { owner : var; of_leaf : bool; of_param : bool }.
Definition pieces : Type := list (var * piece).

Fixpoint note_piece (v o : var) (l p : bool) (ps : pieces) : pieces :=
  match ps with
  | [] => [(v, Piece o l p)]
  | (w, x) :: ps' =>
      if var_eqb v w then (w, Piece (owner x) (of_leaf x || l) (of_param x || p)) :: ps'
      else if older v w then (v, Piece o l p) :: ps
      else (w, x) :: note_piece v o l p ps'
  end.

Fixpoint piece_at (ps : pieces) (v : var) : option piece :=
  match ps with
  | [] => None
  | (w, x) :: ps => if var_eqb v w then Some x else piece_at ps v
  end.

Definition is_param (ps : pieces) (v : var) : bool :=
  match piece_at ps v with Some x => of_param x | None => false end.

(** What is left in the values of the input's variables and of the leaves. *)
Definition pieces_of (cs : list constr) (T : tagging) (s : state) : pieces :=
  fold_left
    (fun ps o =>
       fold_left (fun ps v => note_piece v o (memberb o (leaves T)) (memberb o (params T)) ps)
                 (vars (apply (s_subst s) (var_term o))) ps)
    (sort_vars (flat_map vars_c cs ++ leaves T)) [].

(** * Adding to Φ *)

Definition add_all (P : policy) (s : state) (xs : list tagged) : state :=
  fold_left (fun s x => extended P s (fst x) (snd x)) xs s.

(** * Remark 6.3, dimensions *)

Definition sent_on : Type := list (dvar * dim).

Definition was_sent (l : sent_on) (a : dvar) (d : dim) : bool :=
  existsb (fun x => Nat.eqb (fst x) a && dim_eqb (snd x) d) l.

(** d ⊑ a and a ⊑ b are stored, d ⊑ b is neither stored nor was it sent. *)
Definition send_on (B : list tagged) (x : sent_on * list tagged) (y : tagged) : sent_on * list tagged :=
  match fst y with
  | DLe (DVar a) (DVar b) =>
      match t_lower B a with
      | None => x
      | Some (d, t) =>
          let there := match t_lower B b with Some (e, _) => dim_eqb e d | None => false end in
          if there || was_sent (fst x) b d then x
          else (fst x ++ [(b, d)], snd x ++ [(DLe (DConst d) (DVar b), t || snd y)])
      end
  | _ => x
  end.

Definition to_send (B : list tagged) (sent : sent_on) : sent_on * list tagged :=
  fold_left (send_on B) B (sent, []).

(** * Remark 6.3, rows *)

(** R and p for every cap R ⊑ <p>, in the order stored. *)
Definition caps_of (B : list tagged) : list (rterm * rvar) :=
  flat_map (fun x => match fst x with
                     | RLe R Q => match tmid Q with Some p => [(R, p)] | None => [] end
                     | _ => []
                     end) B.

Definition lower_of (B : list tagged) (a : dvar) : option dim :=
  match t_lower B a with Some (d, _) => Some d | None => None end.

(** The variable of a bare row variable. *)
Definition bare_of (R : rterm) : option rvar :=
  match tmid R with Some p => if Nat.eqb (known_rank R) 0 then Some p else None | None => None end.

(** l·X·r, with what is known of the axes. *)
Definition around (low : dvar -> option dim) (R : rterm) (X : part) : part :=
  let axis := fun t => match t with DConst d => Some d | DVar a => low a end in
  Part (map axis (tlead R) ++ p_lead X) (map axis (rev (ttrail R)) ++ p_trail X).

Definition opt_eqb (x y : option dim) : bool :=
  match x, y with Some d, Some e => dim_eqb d e | None, None => true | _, _ => false end.

Fixpoint opts_eqb (F G : list (option dim)) : bool :=
  match F, G with
  | [], [] => true
  | x :: F, y :: G => opt_eqb x y && opts_eqb F G
  | _, _ => false
  end.

Definition part_eqb (X Y : part) : bool :=
  opts_eqb (p_lead X) (p_lead Y) && opts_eqb (p_trail X) (p_trail Y).

Definition joins : Type := list (rvar * part).

Fixpoint join_at (J : joins) (p : rvar) : option part :=
  match J with
  | [] => None
  | (q, X) :: J => if Nat.eqb p q then Some X else join_at J p
  end.

Fixpoint set_join (J : joins) (p : rvar) (X : part) : joins :=
  match J with
  | [] => [(p, X)]
  | (q, Y) :: J => if Nat.eqb p q then (p, X) :: J else (q, Y) :: set_join J p X
  end.

(** The row variables that something must fit below of which an axis is written,
    or which is closed. *)
Definition tells (t : list rvar) (x : rterm * rvar) : list rvar :=
  let t' := if existsb (Nat.eqb (snd x)) t then t else snd x :: t in
  match bare_of (fst x) with
  | None => t'
  | Some q => if existsb (Nat.eqb q) t then t' else t
  end.

Definition telling (caps : list (rterm * rvar)) : list rvar :=
  Nat.iter (length caps) (fun t => fold_left tells caps t) [].

(** One cap joined to what is known; and did it change anything?  A variable
    whose caps say nothing counts as no axes if [open], and else makes the cap
    unknown; a cap that is such a variable says nothing. *)
Definition join_cap (open : bool) (tell : list rvar) (low : dvar -> option dim)
    (x : joins * bool) (cap : rterm * rvar) : joins * bool :=
  let inner :=
    match tmid (fst cap) with
    | None => Some (Part [] [])
    | Some q =>
        if open && negb (existsb (Nat.eqb q) tell)
        then match bare_of (fst cap) with Some _ => None | None => Some (Part [] []) end
        else join_at (fst x) q
    end in
  match inner with
  | None => x
  | Some inner =>
      let value := around low (fst cap) inner in
      match join_at (fst x) (snd cap) with
      | None => (set_join (fst x) (snd cap) value, true)
      | Some X =>
          let Y := part_join X value in
          (set_join (fst x) (snd cap) Y, snd x || negb (part_eqb Y X))
      end
  end.

(** Rounds until nothing changes. *)
Fixpoint join_rounds (n : nat) (open : bool) (tell : list rvar) (low : dvar -> option dim)
    (caps : list (rterm * rvar)) (J : joins) : joins :=
  match n with
  | O => J
  | S n =>
      let '(J', changed) := fold_left (join_cap open tell low) caps (J, false) in
      if changed then join_rounds n open tell low caps J' else J'
  end.

(** A join is made once for each variable that has caps, of so many axes at most;
    then each of these goes, or rises twice. *)
Definition axes_for (caps : list (rterm * rvar)) : nat :=
  length caps * list_sum (map (fun x => known_rank (fst x)) caps).

Definition rounds_for (caps : list (rterm * rvar)) : nat := S (length caps * S (3 * axes_for caps)).

Definition joins_of (open : bool) (B : list tagged) : joins :=
  let caps := caps_of B in
  join_rounds (rounds_for caps) open (telling caps) (lower_of B) caps [].

(** * What a leaf is given *)

Definition holes_in (e : side) (F : list (option dim)) : list place :=
  flat_map (fun x => match snd x with None => [(e, fst x)] | Some _ => [] end) (combine (seq 0 (length F)) F).

Definition holes (X : part) : list place := holes_in Front (p_lead X) ++ holes_in Back (p_trail X).

Definition writes_none (X : part) : bool := Nat.eqb (length (p_lead X) + length (p_trail X)) 0.

(** CL-leaf; CL-hole, but a parameter may have no holes. *)
Definition leaf_row (p : rvar) (X : part) (param : bool) : commitment + unknown :=
  let value := BindR p (term_of (filled X)) in
  match holes X with
  | [] => inl (value, CL_leaf)
  | h :: _ => if param then inr (RV p, Some h) else inl (value, CL_hole)
  end.

Definition leaf_dim (a : dvar) (d : dim) : commitment := (BindD a (DConst d), CL_leaf).
Definition leaf_bare (v : var) : commitment := (top_of v, CL_bare).

(** All of these, or the first that is unknown. *)
Fixpoint all_known {A : Type} (f : A -> list (commitment + unknown)) (l : list A) : list commitment + unknown :=
  match l with
  | [] => inl []
  | x :: l =>
      match f x with
      | inr u :: _ => inr u
      | inl c :: _ => match all_known f l with inl cs => inl (c :: cs) | inr u => inr u end
      | [] => all_known f l
      end
  end.

(** The leaves whose value is known. *)
Definition capped (B : list tagged) (J : joins) (ps : pieces) (ls : list var) : list commitment + unknown :=
  all_known
    (fun v =>
       match v with
       | DV a => match lower_of B a with Some d => [inl (leaf_dim a d)] | None => [] end
       | RV p => match join_at J p with Some X => [leaf_row p X (is_param ps v)] | None => [] end
       end) ls.

(** Where caps are open: those without holes, else those with. *)
Definition open_capped_if (sure : bool) (J : joins) (ps : pieces) (ls : list var) : list commitment + unknown :=
  all_known
    (fun v =>
       match v with
       | DV _ => []
       | RV p =>
           match join_at J p with
           | None => []
           | Some X =>
               let whole := match holes X with [] => true | _ => false end in
               if negb (writes_none X) && Bool.eqb whole sure then [leaf_row p X (is_param ps v)] else []
           end
       end) ls.

Definition open_capped (J : joins) (ps : pieces) (ls : list var) : list commitment + unknown :=
  match open_capped_if true J ps ls with
  | inl [] => open_capped_if false J ps ls
  | x => x
  end.

(** Def. 6.1 to the letter: the next leaf takes what its own caps say. *)
Definition part_joins (Xs : list part) : option part :=
  match Xs with [] => None | X :: Xs => Some (fold_left part_join Xs X) end.

Definition close_next (B : list tagged) (ps : pieces) (ls : list var) : list commitment + unknown :=
  match ls with
  | [] => inl []
  | v :: _ =>
      let given :=
        match v with
        | DV a =>
            match lower_of B a with
            | Some d => inl (leaf_dim a d)
            | None => if is_param ps v then inr (v, None) else inl (leaf_bare v)
            end
        | RV p =>
            match part_joins (map ground_part (row_caps (map fst B) p)) with
            | None => inl (leaf_bare v)
            | Some X => leaf_row p X (is_param ps v)
            end
        end in
      match given with inl c => inl [c] | inr u => inr u end
  end.

(** CL-bare; but a parameter's dimension must be known. *)
Definition close_bare (ps : pieces) (ls : list var) : list commitment + unknown :=
  let is_dim := fun v => match v with DV _ => true | RV _ => false end in
  match sort_vars (filter (fun v => is_dim v && is_param ps v) ls) with
  | v :: _ => inr (v, None)
  | [] => inl (map leaf_bare ls)
  end.

(** * Deferred equations *)

Definition put_for (a : dvar) (t u : dterm) : dterm :=
  match u with DVar b => if Nat.eqb a b then t else u | DConst _ => u end.

(** Is there one value for each variable that makes the terms of every pair equal?  [n] is how many pairs there are. *)
Fixpoint unifiable_from (n : nat) (l : list (dterm * dterm)) : bool :=
  match n, l with
  | S n, (DConst d, DConst e) :: l => dim_eqb d e && unifiable_from n l
  | S n, (DVar a, t) :: l | S n, (t, DVar a) :: l =>
      unifiable_from n (map (fun x => (put_for a t (fst x), put_for a t (snd x))) l)
  | _, _ => true
  end.

Definition unifiable (l : list (dterm * dterm)) : bool := unifiable_from (length l) l.

Definition first_of (f : nat -> bool) (n : nat) : option nat := List.find f (seq 0 n).

(** The least j such that s[j..] can be the front of t; |s| if there is none less. *)
Definition overlap (s t : list dterm) : nat :=
  match first_of (fun j => (length s - j <=? length t) && unifiable (combine (skipn j s) t)) (length s) with
  | Some j => j
  | None => length s
  end.

(** The least j such that s[j..]·s[..j] can be t; 0 if there is none. *)
Definition rotation (s t : list dterm) : nat :=
  match first_of (fun j => (length s =? length t) && unifiable (combine (skipn j s ++ firstn j s) t)) (length s) with
  | Some j => j
  | None => 0
  end.

(** CL-word: s<x> ≈ <y>t at its solution of least material. *)
Definition word_least (c : constr) : option binding :=
  match c with
  | REq R Q =>
      let '(front, back) := match ttrail R with [] => (R, Q) | _ => (Q, R) end in
      let s := tlead front in
      let t := ttrail back in
      match tmid front, tmid back with
      | Some x, Some y =>
          let j := if Nat.eqb x y then rotation s t else overlap s t in
          Some (BindR y (RTerm [] None (firstn j s)))
      | _, _ => None
      end
  | _ => None
  end.

(** How many axes an equation asks of its variables. *)
Definition demand (c : constr) : nat :=
  match c with REq R Q => known_rank R + known_rank Q | _ => 0 end.

(** The first of those that ask for the most. *)
Definition most_demanding (cs : list constr) : option constr :=
  fold_left
    (fun best c =>
       match best with
       | None => Some c
       | Some b => if demand b <? demand c then Some c else best
       end) cs None.

Definition deferred_of (B : list tagged) : list constr :=
  filter (fun c => match c with REq _ _ => true | _ => false end) (map fst B).

Definition close_words (W : word_policy) (B : list tagged) : list commitment :=
  match W with
  | Upward_only => []
  | Least_material =>
      match most_demanding (deferred_of B) with
      | None => []
      | Some c => match word_least c with Some b => [(b, CL_word)] | None => [] end
      end
  end.

(** * What is committed next *)

(** The first of these that commits something. *)
Definition or_else (x : list commitment + unknown) (y : unit -> list commitment + unknown) : list commitment + unknown :=
  match x with inl [] => y tt | _ => x end.

Definition chosen (K : close_policy) (B : list tagged) (ps : pieces) (ls : list var) : list commitment + unknown :=
  match caps_by K with
  | Saturated =>
      or_else (capped B (joins_of false B) ps ls) (fun _ =>
      or_else (open_capped (joins_of true B) ps ls) (fun _ =>
      or_else (inl (close_words (words_by K) B)) (fun _ =>
      close_bare ps ls)))
  | Stored =>
      or_else (close_next B ps ls) (fun _ => inl (close_words (words_by K) B))
  end.

(** CL-up, for everything that is left. *)
Definition close_up (ps : pieces) : list commitment := map (fun x => (top_of (fst x), CL_up)) ps.

Definition assumed (ps : pieces) (c : commitment) : assumption :=
  let v := bound_var (fst c) in
  Assumption (fst c) (snd c)
    match piece_at ps v with
    | Some x => if var_eqb (owner x) v then None else Some (owner x)
    | None => None
    end.

Definition commit_all (P : policy) (s : state) (bs : list commitment) : state :=
  add_all P s (tag_all true (map (fun c => equation (fst c)) bs)).

(** * The loops *)

Section Close.
Variable P : policy.
Variable K : close_policy.
(** The solver: none if its run was cut off. *)
Variable run : state -> option (state + failure).
(** Leaves are taken oldest first, unless they are put into another order. *)
Variable arrange : list var -> list var.
Variable cs : list constr.
Variable T : tagging.

(** d ⊑ a and a ⊑ b give d ⊑ b, until nothing is new. *)
Fixpoint forward (n : nat) (s : state) (sent : sent_on) : option (state + failure) :=
  match to_send (s_store s) sent with
  | (_, []) => Some (inl s)
  | (sent, news) =>
      match n with
      | O => None
      | S n =>
          match run (add_all P s news) with
          | Some (inl s) => forward n s sent
          | x => x
          end
      end
  end.

Definition forwarded (n : nat) (s : state) : option (state + failure) :=
  match caps_by K with Saturated => forward n s [] | Stored => Some (inl s) end.

(** What a hole is reported of: the oldest parameter whose value it is part of. *)
Definition hole (s : state) (ps : pieces) (u : unknown) : closed :=
  let has o := memberb (fst u) (vars (apply (s_subst s) (var_term o))) in
  let first := match piece_at ps (fst u) with Some x => owner x | None => fst u end in
  Hole_at (match find has (sort_vars (params T)) with Some o => o | None => first end) (snd u).

(** How a run goes on. *)
Definition and_then (x : option (state + failure)) (l : list assumption) (f : state -> closed) : closed :=
  match x with
  | None => Unfinished
  | Some (inr e) => Failed_with e l
  | Some (inl s) => f s
  end.

(** Commit and solve again, until only the rest is left; [n] bounds the rounds. *)
Fixpoint close_for (n : nat) (s : state) (l : list assumption) : closed :=
  and_then (forwarded n s) l (fun s =>
    let ps := pieces_of cs T s in
    let ls := arrange (map fst (filter (fun x => of_leaf (snd x)) ps)) in
    match chosen K (s_store s) ps ls with
    | inr u => hole s ps u
    | inl [] =>
        match close_up ps with
        | [] => Closed_at s l
        | bs => let l := l ++ map (assumed ps) bs in and_then (run (commit_all P s bs)) l (fun s => Closed_at s l)
        end
    | inl bs =>
        match n with
        | O => Unfinished
        | S n => let l := l ++ map (assumed ps) bs in and_then (run (commit_all P s bs)) l (fun s => close_for n s l)
        end
    end).

Definition close_within (n : nat) (s : state) : closed := and_then (run s) [] (fun s => close_for n s []).

End Close.

(** ** With the solver of this project *)

(** A run of so many steps at most. *)
Definition run_within (P : policy) (k : nat) (s : state) : option (state + failure) :=
  match snd (run_for P k s) with
  | Some (Solved_at s') => Some (inl s')
  | Some (Failed_at _ f) => Some (inr f)
  | None => None
  end.

(** Leaves oldest first; [n] bounds the steps of each run, and the rounds. *)
Definition close (P : policy) (K : close_policy) (n m : nat) (cs : list constr) (T : tagging) : closed :=
  close_within P K (run_within P n) (fun l => l) cs T n (started P m cs).

(** * What closing reports *)

(** γ_close on the input's variables. *)
Definition value_at (g : ground) (v : var) : binding :=
  match v with
  | DV a => BindD a (DConst (g_d g a))
  | RV p => BindR p (term_of (g_r g p))
  end.

Definition closed_values (cs : list constr) (s : state) : list binding :=
  map (value_at (greatest (s_subst s))) (sort_vars (flat_map vars_c cs)).

(** The row variables whose marker was placed by choice, with their values. *)
Definition placements (s : state) : list binding :=
  let chosen := filter (fun x => match snd x with Content => true | _ => false end) (s_sigma s) in
  map (fun v => match v with
                | DV a => BindD a (on_d (s_subst s) a)
                | RV p => BindR p (on_r (s_subst s) p)
                end)
      (sort_vars (map (fun x => bound_var (fst x)) chosen)).

(** The constraints of the input that mention the variable of a hole. *)
Definition uses (cs : list constr) (v : var) : list nat :=
  map fst (filter (fun x => mentions v (snd x)) (combine (seq 0 (length cs)) cs)).
