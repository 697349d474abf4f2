//! `Ranged/Definitions.lean`: the types and functions, with one arm of `unifyDim` for each rule of the table in Rust.

use lozenge::ranged::{Context, Dim, Kind, Range, UnifyRule};

const HEAD: &str = "\
/-
Ranged dimensions: definitions. Written by `lozenge lean` from core/ranged; do not edit.
Sizes are natural numbers, and names are of any type that can be compared.
-/
set_option autoImplicit false

namespace Ranged

/-- The five kinds of dimensions (D1). -/
inductive Dim (ν : Type) where
";

const BEFORE_UNIFY: &str = "
/-- Outermost axis first. -/
abbrev TensorShape (ν : Type) := List (Dim ν)

/-- What unifying two dimensions gives: a dimension, a variable with what it is narrowed to, or nothing. -/
inductive UnifyResult (ν : Type) where
  | success (d : Dim ν)
  | bind (id : Nat) (d : Dim ν)
  | failure

/-- v is at most the upper end, where there is one. -/
def below (v : Nat) : Option Nat → Prop
  | none => True
  | some h => v ≤ h

instance belowDecidable (v : Nat) : (hi : Option Nat) → Decidable (below v hi)
  | none => isTrue trivial
  | some h => inferInstanceAs (Decidable (v ≤ h))

/-- The upper end of a common range. -/
def meetHi : Option Nat → Option Nat → Option Nat
  | none, h => h
  | some a, none => some a
  | some a, some b => some (min a b)

/-- Unification of two dimensions (D4): a rule for each of the twenty-five pairs of kinds. -/
def unifyDim {ν : Type} [DecidableEq ν] : Dim ν → Dim ν → UnifyResult ν
";

const AFTER_UNIFY: &str = "
/-- A dimension after a variable was bound. -/
def Dim.subst {ν : Type} (i : Nat) (to : Dim ν) : Dim ν → Dim ν
  | .variable j => if i = j then to else .variable j
  | d => d

/-- [M, K] @ [K, N] → [M, N] (D6). -/
def matmulShape {ν : Type} [DecidableEq ν] : TensorShape ν → TensorShape ν → Option (TensorShape ν)
  | [m, k₁], [k₂, n] =>
    match unifyDim k₁ k₂ with
    | .success _ => some [m, n]
    | .bind i d => some [m.subst i d, n.subst i d]
    | .failure => none
  | _, _ => none

/-- Can two shapes be made equal, axis by axis, where no variable comes twice? -/
def shapesCompatible {ν : Type} [DecidableEq ν] : TensorShape ν → TensorShape ν → Bool
  | [], [] => true
  | x :: s, y :: t =>
    match unifyDim x y with
    | .failure => false
    | _ => shapesCompatible s t
  | _, _ => false
";

const AFTER_SIZES: &str = "
/-- The least number of elements. -/
def minElements {ν : Type} : TensorShape ν → Nat
  | [] => 1
  | d :: s => d.min * minElements s

/-- The greatest number of elements, where there is one. -/
def maxElements {ν : Type} : TensorShape ν → Option Nat
  | [] => some 1
  | d :: s =>
    match d.max, maxElements s with
    | some a, some b => some (a * b)
    | _, _ => none

/-- At least `min`, and at the most `max` where there is one. -/
structure Bounds where
  min : Nat
  max : Option Nat

/-- The sum, bound by bound. -/
def Bounds.plus (a b : Bounds) : Bounds where
  min := a.min + b.min
  max := match a.max, b.max with
    | some x, some y => some (x + y)
    | _, _ => none

/-- The parts of training memory, in bytes (D11). -/
structure TrainingMemory where
  parameters : Bounds
  gradients : Bounds
  optimizer : Bounds
  activations : Bounds

/-- All of it. -/
def TrainingMemory.total (tm : TrainingMemory) : Bounds :=
  ((tm.parameters.plus tm.gradients).plus tm.optimizer).plus tm.activations

/-- What a device has. -/
structure DeviceMemory where
  availableBytes : Nat

end Ranged
";

/// The constructor of a kind, with its fields.
fn constructor(kind: Kind) -> &'static str {
    match kind {
        Kind::Literal => "literal (value : Nat)",
        Kind::Var => "variable (id : Nat)",
        Kind::Named => "named (name : ν) (lo : Nat) (hi : Option Nat)",
        Kind::Dynamic => "dynamic",
        Kind::Broadcast => "broadcast",
    }
}

/// A dimension of this kind as a pattern, on the left or on the right.
fn pattern(kind: Kind, left: bool) -> &'static str {
    match (kind, left) {
        (Kind::Literal, true) => ".literal a",
        (Kind::Literal, false) => ".literal b",
        (Kind::Var, true) => ".variable i",
        (Kind::Var, false) => ".variable j",
        (Kind::Named, true) => ".named n lo hi",
        (Kind::Named, false) => ".named m lo' hi'",
        (Kind::Dynamic, _) => ".dynamic",
        (Kind::Broadcast, _) => ".broadcast",
    }
}

fn argument(kind: Kind, left: bool) -> String {
    let pattern = pattern(kind, left);
    if pattern.contains(' ') { format!("({pattern})") } else { pattern.to_owned() }
}

/// The right side of an arm: what the rule does with these patterns.
fn outcome(left: Kind, right: Kind) -> String {
    let success = |d: String| format!(".success {d}");
    match UnifyRule::of(left, right) {
        UnifyRule::Literal => "if a = b then .success (.literal a) else .failure".to_owned(),
        UnifyRule::Label if left == Kind::Literal => {
            "if lo' ≤ a ∧ below a hi' then .success (.named m a (some a)) else .failure".to_owned()
        }
        UnifyRule::Label => "if lo ≤ b ∧ below b hi then .success (.named n b (some b)) else .failure".to_owned(),
        UnifyRule::Names => "if n = m ∧ below (max lo lo') (meetHi hi hi')\n    then .success (.named n (max lo lo') (meetHi hi hi')) else .failure"
            .to_owned(),
        UnifyRule::Bind if left == Kind::Var => format!(".bind i {}", argument(right, false)),
        UnifyRule::Bind => format!(".bind j {}", argument(left, true)),
        UnifyRule::Merge => "if i = j then .success (.variable i)\n    else if i < j then .bind j (.variable i) else .bind i (.variable j)".to_owned(),
        UnifyRule::Dynamic if left == Kind::Dynamic => success(argument(right, false)),
        UnifyRule::Broadcast if left == Kind::Broadcast => success(argument(right, false)),
        UnifyRule::Dynamic | UnifyRule::Broadcast => success(argument(left, true)),
    }
}

/// The sizes that a kind allows by itself, as Rust has them.
fn own_range(kind: Kind) -> Range {
    match kind {
        Kind::Literal | Kind::Named => Range::ANY,
        Kind::Var => Context::new().fresh_var().range(),
        Kind::Dynamic => Dim::Dynamic.range(),
        Kind::Broadcast => Dim::Broadcast.range(),
    }
}

fn sizes() -> String {
    let wild = |kind: Kind| if kind == Kind::Var { ".variable _" } else { pattern(kind, true) };
    let mut text = "\n/-- The least size (D10). -/\ndef Dim.min {ν : Type} : Dim ν → Nat\n".to_owned();
    for kind in Kind::ALL {
        text += &match kind {
            Kind::Literal => "  | .literal v => v\n".to_owned(),
            Kind::Named => "  | .named _ lo _ => lo\n".to_owned(),
            _ => format!("  | {} => {}\n", wild(kind), own_range(kind).lo()),
        };
    }
    text += "\n/-- The greatest size, where there is one (D10). -/\ndef Dim.max {ν : Type} : Dim ν → Option Nat\n";
    for kind in Kind::ALL {
        text += &match kind {
            Kind::Literal => "  | .literal v => some v\n".to_owned(),
            Kind::Named => "  | .named _ _ hi => hi\n".to_owned(),
            _ => match own_range(kind).hi() {
                Some(hi) => format!("  | {} => some {hi}\n", wild(kind)),
                None => format!("  | {} => none\n", wild(kind)),
            },
        };
    }
    text
}

/// The file.
pub fn text() -> String {
    let mut text = HEAD.to_owned();
    for kind in Kind::ALL {
        text += &format!("  | {}\n", constructor(kind));
    }
    text += BEFORE_UNIFY;
    for left in Kind::ALL {
        for right in Kind::ALL {
            let name = UnifyRule::of(left, right);
            text += &format!(
                "  -- {name}\n  | {}, {} => {}\n",
                pattern(left, true),
                pattern(right, false),
                outcome(left, right)
            );
        }
    }
    text + AFTER_UNIFY + &sizes() + AFTER_SIZES
}
