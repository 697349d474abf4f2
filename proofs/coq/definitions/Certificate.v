(** Certificates: evidence for a verdict, and programs that check it.

    The format is that of spec/certificates.md.  A refutation is a list of lines
    and an end.  A line claims something of every solution, extended to the fresh
    variables met so far, and names the earlier lines that it follows from.
    Everything here computes; [Certificate_thm] proves that what is accepted is
    true, and the programs are extracted. *)

From Coq Require Import List Bool Arith ZArith PArith.
From Lozenge Require Import Dim Row Term Semantics Rules Guard.
Import ListNotations.

(** * The format *)

(** One end of a row, or one of its flanks. *)
Inductive side : Type := Front | Back.

(** A constraint holds; or a row variable is this very row, marker included. *)
Inductive claim : Type :=
| Holds (c : constr)
| Is (p : rvar) (R : rterm).

(** Why a line follows.  Lines are numbered from 0. *)
Inductive inference : Type :=
| ByInput (i : nat)
| BySubstitute (i : nat) (with_lines : list (nat * var))
| ByZip (i : nat) (e : side) (axis : nat)
| ByStrip (i front back : nat)
| ByAlign (i : nat) (e : side) (axis : nat)
| ByResidue (i : nat)
| ByGrow (i : nat)
| ByEmpty (i : nat)
| ByPin (i : nat)
| ByPinTop (i : nat)
| ByCollapse (i j : nat)
| ByAntisym (cycle : list nat).

Record line : Type := Line { because : inference; says : claim }.

(** The end: a line that is never true, or lines whose facts about the lengths of
    one flank sum to a length that exceeds itself, each with whether it is read
    backwards. *)
Inductive ending : Type :=
| EndAbsurd (i : nat)
| EndCycle (e : side) (facts : list (nat * bool)).

Record refutation : Type := Refutation { lines : list line; the_end : ending }.

(** Values for finitely many variables. *)
Record solution : Type := Solution
  { dim_values : list (dvar * dim); row_values : list (rvar * row) }.

(** Why a certificate is refused. *)
Inductive refusal : Type :=
| LineRefused (i : nat)
| EndRefused
| Unassigned (v : var)
| Violated (i : nat).

(** * Equality of terms, as programs *)

Fixpoint list_eqb {A : Type} (eqb : A -> A -> bool) (l k : list A) : bool :=
  match l, k with
  | [], [] => true
  | x :: l, y :: k => eqb x y && list_eqb eqb l k
  | _, _ => false
  end.

Definition mid_eqb (m n : option rvar) : bool :=
  match m, n with
  | None, None => true
  | Some p, Some q => Nat.eqb p q
  | _, _ => false
  end.

Definition dterms_eqb : list dterm -> list dterm -> bool := list_eqb dterm_eqb.

Definition rterm_eqb (R Q : rterm) : bool :=
  dterms_eqb (tlead R) (tlead Q) && mid_eqb (tmid R) (tmid Q) && dterms_eqb (ttrail R) (ttrail Q).

Definition constr_eqb (c d : constr) : bool :=
  match c, d with
  | DEq t u, DEq t' u' => dterm_eqb t t' && dterm_eqb u u'
  | DLe t u, DLe t' u' => dterm_eqb t t' && dterm_eqb u u'
  | REq R Q, REq R' Q' => rterm_eqb R R' && rterm_eqb Q Q'
  | RLe R Q, RLe R' Q' => rterm_eqb R R' && rterm_eqb Q Q'
  | _, _ => false
  end.

Definition memberb (v : var) (V : list var) : bool := existsb (var_eqb v) V.

Definition number (v : var) : nat := match v with DV a => a | RV p => p end.

(** A number above all of [V], and at least [n]. *)
Definition above (V : list var) (n : nat) : nat :=
  fold_right (fun v m => Nat.max (S (number v)) m) n V.

(** Not one of [V]; to look at [top], above all of [V], is enough most of the time. *)
Definition newb (top : nat) (V : list var) (v : var) : bool :=
  (top <=? number v) || negb (memberb v V).

Fixpoint no_dupb (V : list var) : bool :=
  match V with [] => true | v :: V => negb (memberb v V) && no_dupb V end.

(** * Small tests *)

Definition atom_term (t : dterm) : bool :=
  match t with DConst (Atom _ _) => true | _ => false end.

Definition unit_term (t : dterm) : bool := dterm_eqb t (DConst Unit).

Definition closedb (R : rterm) : bool := match tmid R with None => true | Some _ => false end.

Definition empty_term : rterm := RTerm [] None [].

(** Equal as far as ≈ sees: closed rows by their flat content. *)
Definition same_word (R Q : rterm) : bool :=
  rterm_eqb R Q || (closedb R && closedb Q && dterms_eqb (tflat R) (tflat Q)).

(** The variables of flanks that consist of variables only. *)
Fixpoint bare_dvars (l : list dterm) : option (list dvar) :=
  match l with
  | [] => Some []
  | DVar a :: l => option_map (cons a) (bare_dvars l)
  | DConst _ :: _ => None
  end.

Definition vars_claim (k : claim) : list var :=
  match k with Holds c => vars_c c | Is p R => RV p :: vars_r R end.

(** Every element is joined to the next, and the last to [y]. *)
Fixpoint chained {A : Type} (joins : A -> A -> bool) (x : A) (l : list A) (y : A) : bool :=
  match l with
  | [] => joins x y
  | z :: l => joins x z && chained joins z l y
  end.

Definition cyclic {A : Type} (joins : A -> A -> bool) (l : list A) : bool :=
  match l with [] => false | x :: l => chained joins x l x end.

(** All values, if all are there. *)
Fixpoint all_some {A B : Type} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | x :: l =>
      match f x, all_some f l with Some y, Some k => Some (y :: k) | _, _ => None end
  end.

(** * Lines *)

(** The constraint that a line claims. *)
Definition held (before : list claim) (i : nat) : option constr :=
  match nth_error before i with Some (Holds c) => Some c | _ => None end.

(** What a line lets us replace.  The content of a row is enough inside ≈ only;
    [blind] says that we are there. *)
Definition replacement (blind : bool) (k : claim) (v : var) : option binding :=
  match k, v with
  | Is p R, RV q => if Nat.eqb p q then Some (BindR q R) else None
  | Holds (DEq t u), DV a =>
      if dterm_eqb t (DVar a) then Some (BindD a u)
      else if dterm_eqb u (DVar a) then Some (BindD a t) else None
  | Holds (REq R Q), RV p =>
      if blind then
        if rterm_eqb R (rvar_term p) then Some (BindR p Q)
        else if rterm_eqb Q (rvar_term p) then Some (BindR p R) else None
      else None
  | _, _ => None
  end.

Definition is_req (c : constr) : bool := match c with REq _ _ => true | _ => false end.

Fixpoint substituted (before : list claim) (c : constr) (w : list (nat * var)) : option constr :=
  match w with
  | [] => Some c
  | (i, v) :: w =>
      match nth_error before i with
      | Some k =>
          match replacement (is_req c) k v with
          | Some b => substituted before (sub_c (as_subst b) c) w
          | None => None
          end
      | None => None
      end
  end.

Definition axis_from (e : side) : rterm -> nat -> option dterm :=
  match e with Front => front_axis | Back => back_axis end.

Definition flank_axis (e : side) : rterm -> nat -> option dterm :=
  match e with Front => lead_axis | Back => trail_axis end.

Definition coveredb (res op : rterm) : bool :=
  (length (tlead op) <=? length (tlead res)) && (length (ttrail op) <=? length (ttrail res)).

(** [p] is at most the axes that it lacks around a variable, all of them new. *)
Definition grows (top : nat) (seen : list var) (res op : rterm) (p : rvar) (R : rterm) : bool :=
  match bare_dvars (tlead R), tmid R, bare_dvars (ttrail R) with
  | Some al, Some q, Some be =>
      mid_eqb (tmid res) (Some p) &&
      (length al <=? lead_deficit res op) && (length be <=? trail_deficit res op) &&
      no_dupb (fresh_vars al q be) &&
      forallb (newb top seen) (fresh_vars al q be)
  | _, _, _ => false
  end.

Definition link (before : list claim) (i : nat) : option (dterm * dterm) :=
  match held before i with Some (DLe t u) => Some (t, u) | _ => None end.

Definition antisymmetric (before : list claim) (cycle : list nat) (s t : dterm) : bool :=
  match all_some (link before) cycle with
  | Some ls =>
      cyclic (fun x y => dterm_eqb (snd x) (fst y)) ls &&
      existsb (fun x => dterm_eqb (fst x) s) ls && existsb (fun x => dterm_eqb (fst x) t) ls
  | None => false
  end.

(** Does a line follow from the input [phi] and the claims before it?  [seen] are
    the variables met so far, [top] is above their numbers. *)
Definition follows (phi : list constr) (before : list claim) (top : nat) (seen : list var)
    (l : line) : bool :=
  match because l, says l with
  | ByInput i, Holds c =>
      match nth_error phi i with Some c' => constr_eqb c' c | None => false end
  | BySubstitute i w, Holds c =>
      match held before i with
      | Some c' =>
          match substituted before c' w with Some c'' => constr_eqb c'' c | None => false end
      | None => false
      end
  | ByZip i e n, Holds (DEq s t) =>
      match held before i with
      | Some (REq R Q) =>
          match axis_from e R n, axis_from e Q n with
          | Some x, Some y =>
              (dterm_eqb s x && dterm_eqb t y) || (dterm_eqb s y && dterm_eqb t x)
          | _, _ => false
          end
      | _ => false
      end
  | ByStrip i p q, Holds (REq R' Q') =>
      match held before i with
      | Some (REq R Q) =>
          match drop p q R, drop p q Q with
          | Some X, Some Y =>
              (same_word R' X && same_word Q' Y) || (same_word R' Y && same_word Q' X)
          | _, _ => false
          end
      | _ => false
      end
  | ByAlign i e n, Holds (DLe s t) =>
      match held before i with
      | Some (RLe res op) =>
          match flank_axis e res n, flank_axis e op n with
          | Some x, Some y => dterm_eqb s x && dterm_eqb t y
          | _, _ => false
          end
      | _ => false
      end
  | ByResidue i, Holds c =>
      match held before i with
      | Some (RLe res op) =>
          match tmid op with
          | Some p => coveredb res op && constr_eqb (RLe (residue res op) (rvar_term p)) c
          | None => false
          end
      | _ => false
      end
  | ByGrow i, Is p R =>
      match held before i with Some (RLe res op) => grows top seen res op p R | _ => false end
  | ByEmpty i, Is p R =>
      rterm_eqb R empty_term &&
      match held before i with
      | Some (REq X Y) =>
          (rterm_eqb X (rvar_term p) && rterm_eqb Y empty_term) ||
          (rterm_eqb Y (rvar_term p) && rterm_eqb X empty_term)
      | _ => false
      end
  | ByPin i, Holds (DEq s t) =>
      match held before i with
      | Some (DLe a d) => atom_term d && dterm_eqb s a && dterm_eqb t d
      | _ => false
      end
  | ByPinTop i, Holds (DEq s t) =>
      match held before i with
      | Some (DLe d a) => unit_term d && dterm_eqb s a && unit_term t
      | _ => false
      end
  | ByCollapse i j, Holds (DEq s t) =>
      match held before i, held before j with
      | Some (DLe d a), Some (DLe e b) =>
          atom_term d && atom_term e && negb (dterm_eqb d e) && dterm_eqb a b &&
          dterm_eqb s a && unit_term t
      | _, _ => false
      end
  | ByAntisym cycle, Holds (DEq s t) => antisymmetric before cycle s t
  | _, _ => false
  end.

(** * Ends *)

(** False of every ground substitution, for a plain reason. *)
Definition absurd (c : constr) : bool :=
  match c with
  | DEq (DConst d) (DConst e) => negb (dim_eqb d e)
  | DLe (DConst d) (DConst e) => negb (dim_leb d e)
  | REq R Q =>
      match tmid R, tmid Q with
      | None, None => negb (known_rank R =? known_rank Q)
      | Some _, None => known_rank Q <? known_rank R
      | None, Some _ => known_rank R <? known_rank Q
      | Some p, Some q => Nat.eqb p q && negb (known_rank R =? known_rank Q)
      end
  | RLe res op => closedb res && negb (coveredb res op)
  | _ => false
  end.

(** The axes of one flank. *)
Definition flank_of (e : side) (R : rterm) : list dterm :=
  match e with Front => tlead R | Back => ttrail R end.

(** What a claim says about the lengths of one flank. *)
Definition fact_of (e : side) (k : claim) (backwards : bool) : option fact :=
  match k, backwards with
  | Holds (RLe res op), false =>
      Some (Fact (tmid res) (tmid op) (len (flank_of e op) - len (flank_of e res)))
  | Is p R, false => Some (Fact (Some p) (tmid R) (len (flank_of e R)))
  | Is p R, true => Some (Fact (tmid R) (Some p) (- len (flank_of e R)))
  | _, _ => None
  end.

(** The next fact goes on where this one stops; a length is at least 0. *)
Definition goes_on (f h : fact) : bool :=
  mid_eqb (lesser f) (greater h) || mid_eqb (greater h) None.

Definition total (fs : list fact) : Z := fold_right (fun f s => weight f + s)%Z 0%Z fs.

Definition ends (all : list claim) (e : ending) : bool :=
  match e with
  | EndAbsurd i => match held all i with Some c => absurd c | None => false end
  | EndCycle e facts =>
      match all_some (fun x => match nth_error all (fst x) with
                               | Some k => fact_of e k (snd x)
                               | None => None
                               end) facts with
      | Some fs => cyclic goes_on fs && (0 <? total fs)%Z
      | None => false
      end
  end.

(** * The checkers *)

(** The first line that does not follow, counted from [i]. *)
Fixpoint stray_line (phi : list constr) (before : list claim) (top : nat) (seen : list var)
    (i : nat) (ls : list line) : option nat :=
  match ls with
  | [] => None
  | l :: ls =>
      if follows phi before top seen l
      then
        let met := vars_claim (says l) in
        stray_line phi (before ++ [says l]) (above met top) (met ++ seen) (S i) ls
      else Some i
  end.

(** The first line of a refutation that does not follow. *)
Definition first_stray (phi : list constr) (ls : list line) : option nat :=
  let met := flat_map vars_c phi in stray_line phi [] (above met 0) met 0 ls.

Definition refuse_refutation (phi : list constr) (r : refutation) : option refusal :=
  match first_stray phi (lines r) with
  | Some i => Some (LineRefused i)
  | None => if ends (map says (lines r)) (the_end r) then None else Some EndRefused
  end.

Definition accepted (r : option refusal) : bool := match r with None => true | Some _ => false end.

(** Does the refutation show that [phi] has no solution? *)
Definition check_refutation (phi : list constr) (r : refutation) : bool :=
  accepted (refuse_refutation phi r).

Fixpoint value {A : Type} (x : nat) (l : list (nat * A)) : option A :=
  match l with
  | [] => None
  | (y, v) :: l => if Nat.eqb x y then Some v else value x l
  end.

Definition assigned (s : solution) (v : var) : bool :=
  match v with
  | DV a => match value a (dim_values s) with Some _ => true | None => false end
  | RV p => match value p (row_values s) with Some _ => true | None => false end
  end.

(** [g] gives the variables of [s] the values of [s]. *)
Definition extends (s : solution) (g : ground) : Prop :=
  (forall a d, value a (dim_values s) = Some d -> g_d g a = d) /\
  (forall p R, value p (row_values s) = Some R -> g_r g p = R).

(** One such [g]. *)
Definition ground_of (s : solution) : ground :=
  Ground (fun a => match value a (dim_values s) with Some d => d | None => Unit end)
         (fun p => match value p (row_values s) with Some R => R | None => empty_row end).

(** The first constraint that fails, counted from [i]. *)
Fixpoint violated (g : ground) (i : nat) (phi : list constr) : option nat :=
  match phi with
  | [] => None
  | c :: phi => if holdsb g c then violated g (S i) phi else Some i
  end.

Definition refuse_solution (phi : list constr) (s : solution) : option refusal :=
  match find (fun v => negb (assigned s v)) (flat_map vars_c phi) with
  | Some v => Some (Unassigned v)
  | None => option_map Violated (violated (ground_of s) 0 phi)
  end.

(** Do these values solve [phi]?  Every variable must have one. *)
Definition check_solution (phi : list constr) (s : solution) : bool :=
  accepted (refuse_solution phi s).
