/-
Ranged dimensions: definitions. Written by `lozenge lean` from core/ranged; do not edit.
Sizes are natural numbers, and names are of any type that can be compared.
-/
set_option autoImplicit false

namespace Ranged

/-- The five kinds of dimensions (D1). -/
inductive Dim (ν : Type) where
  | literal (value : Nat)
  | variable (id : Nat)
  | named (name : ν) (lo : Nat) (hi : Option Nat)
  | dynamic
  | broadcast

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
  -- RD-literal
  | .literal a, .literal b => if a = b then .success (.literal a) else .failure
  -- RD-bind
  | .literal a, .variable j => .bind j (.literal a)
  -- RD-label
  | .literal a, .named m lo' hi' => if lo' ≤ a ∧ below a hi' then .success (.named m a (some a)) else .failure
  -- RD-dynamic
  | .literal a, .dynamic => .success (.literal a)
  -- RD-broadcast
  | .literal a, .broadcast => .success (.literal a)
  -- RD-bind
  | .variable i, .literal b => .bind i (.literal b)
  -- RD-merge
  | .variable i, .variable j => if i = j then .success (.variable i)
    else if i < j then .bind j (.variable i) else .bind i (.variable j)
  -- RD-bind
  | .variable i, .named m lo' hi' => .bind i (.named m lo' hi')
  -- RD-dynamic
  | .variable i, .dynamic => .success (.variable i)
  -- RD-broadcast
  | .variable i, .broadcast => .success (.variable i)
  -- RD-label
  | .named n lo hi, .literal b => if lo ≤ b ∧ below b hi then .success (.named n b (some b)) else .failure
  -- RD-bind
  | .named n lo hi, .variable j => .bind j (.named n lo hi)
  -- RD-names
  | .named n lo hi, .named m lo' hi' => if n = m ∧ below (max lo lo') (meetHi hi hi')
    then .success (.named n (max lo lo') (meetHi hi hi')) else .failure
  -- RD-dynamic
  | .named n lo hi, .dynamic => .success (.named n lo hi)
  -- RD-broadcast
  | .named n lo hi, .broadcast => .success (.named n lo hi)
  -- RD-dynamic
  | .dynamic, .literal b => .success (.literal b)
  -- RD-dynamic
  | .dynamic, .variable j => .success (.variable j)
  -- RD-dynamic
  | .dynamic, .named m lo' hi' => .success (.named m lo' hi')
  -- RD-dynamic
  | .dynamic, .dynamic => .success .dynamic
  -- RD-dynamic
  | .dynamic, .broadcast => .success .broadcast
  -- RD-broadcast
  | .broadcast, .literal b => .success (.literal b)
  -- RD-broadcast
  | .broadcast, .variable j => .success (.variable j)
  -- RD-broadcast
  | .broadcast, .named m lo' hi' => .success (.named m lo' hi')
  -- RD-dynamic
  | .broadcast, .dynamic => .success .broadcast
  -- RD-broadcast
  | .broadcast, .broadcast => .success .broadcast

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

/-- The least size (D10). -/
def Dim.min {ν : Type} : Dim ν → Nat
  | .literal v => v
  | .variable _ => 1
  | .named _ lo _ => lo
  | .dynamic => 1
  | .broadcast => 1

/-- The greatest size, where there is one (D10). -/
def Dim.max {ν : Type} : Dim ν → Option Nat
  | .literal v => some v
  | .variable _ => none
  | .named _ _ hi => hi
  | .dynamic => none
  | .broadcast => none

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
