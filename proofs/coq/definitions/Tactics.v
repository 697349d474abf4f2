(** Tactics for proofs about the rules.

    [each_rule F], for [F : fires used B c r o]: one case for each way to fire,
    in the order of [fires], with these names.
    - terms: [t]; [d], [d']; [a], [b]; [R], [Q] and their variables [p], [q];
      [res], [op]; the fresh [al], [q], [be];
    - [Ne] what differs, [At] an atom, [Lo] the stored bound, [Pa] the path;
    - [MR], [MQ], [Mres], [Mop] the middles, [Z], [ZR], [ZQ] the surpluses, [K] the ranks;
    - [Cv] covered, [Sh] too short, [Rs] the residue;
    - [La], [Lb], [Nd], [Fr] of the fresh variables. *)

From Coq Require Import List Bool Arith.
From Lozenge Require Import Dim Row Term Semantics Rules.

Ltac each_rule F :=
  destruct F as
    [ t | d d' Ne | a t Ne | a t Ne
    | t | t | d d' | a d At | a | d a At | d a At Lo | a b Ne Pa | a b Ne
    | R Q MR MQ | R p Q MR MQ | R p Q MR MQ
    | R p Q q MR MQ Ne Z | R p Q q MR MQ Ne Z | R p Q q MR MQ Ne ZR ZQ
    | R Q p MR MQ K Z | R Q p MR MQ K | R Q p MR MQ K Z
    | res op p Cv Mop Rs | res op p Cv Mop Rs | res op Cv Mop
    | res op Sh Mres | res op p al q be Sh Mres La Lb Nd Fr ].

(** Splits an outcome that depends on a test. *)
Ltac split_outcome :=
  unfold di_ground, di_cap, re_closed, re_open_closed;
  try match goal with |- context [lower ?B ?a] => destruct (lower B a) end;
  repeat match goal with |- context [if ?x then _ else _] => destruct x end.

(** Both, for a goal [match o with Fails => True | Does e => ... end]. *)
Ltac each_outcome F := each_rule F; try exact I; split_outcome; try exact I.

(** [each_rule] where the constraint, the rule or the outcome is not a variable:
    only the cases that fit it, with [Ec], [Eo] for what it is equal to. *)
Ltac each_firing F :=
  match type of F with fires _ _ ?c ?r ?o =>
    let c' := fresh "c" in let r' := fresh "r" in let o' := fresh "o" in
    tryif is_var c then idtac else remember c as c' eqn:Ec in F;
    tryif is_var r then idtac else remember r as r' eqn:Er in F;
    tryif is_var o then idtac else remember o as o' eqn:Eo in F;
    each_rule F;
    try match goal with
        | E : @eq constr _ _ |- _ => discriminate E
        | E : @eq rule _ _ |- _ => discriminate E
        | E : @eq outcome _ _ |- _ => discriminate E
        end
  end.
