import Ranged.Definitions

/-
Ranged dimensions: what the definitions mean, and theorems about them. Written by hand.
-/
set_option autoImplicit false

namespace Ranged

variable {ν : Type}

/-! ### Meaning (D2) -/

/-- An axis: a size, and the label it has, if any. -/
structure Axis (ν : Type) where
  size : Nat
  label : Option ν

/-- The axes that a dimension stands for, where `env` says what variables are. -/
def Dim.mem (env : Nat → Axis ν) (p : Axis ν) : Dim ν → Prop
  | .literal v => p.size = v
  | .variable i => p = env i
  | .named n lo hi => p.label = some n ∧ lo ≤ p.size ∧ below p.size hi
  | .dynamic => True
  | .broadcast => True

/-- Ranges have a size. -/
def Dim.wellFormed : Dim ν → Prop
  | .named _ lo hi => below lo hi
  | _ => True

theorem below_meetHi (v : Nat) (a b : Option Nat) : below v (meetHi a b) ↔ below v a ∧ below v b := by
  cases a with
  | none => exact ⟨fun h => ⟨trivial, h⟩, fun h => h.2⟩
  | some a =>
    cases b with
    | none => exact ⟨fun h => ⟨h, trivial⟩, fun h => h.1⟩
    | some b => exact Nat.le_min

theorem below_of_le (u v : Nat) (h : Option Nat) (le : u ≤ v) (b : below v h) : below u h := by
  cases h with
  | none => trivial
  | some h => exact Nat.le_trans le b

theorem meetHi_comm (a b : Option Nat) : meetHi a b = meetHi b a := by
  cases a <;> cases b <;> simp [meetHi, Nat.min_comm]

theorem meetHi_self (a : Option Nat) : meetHi a a = a := by
  cases a <;> simp [meetHi]

/-- A dimension whose range has a size stands for some axis. -/
theorem mem_of_wellFormed (d : Dim ν) (h : d.wellFormed) (env : Nat → Axis ν) : ∃ p, d.mem env p := by
  cases d with
  | literal v => exact ⟨⟨v, none⟩, rfl⟩
  | «variable» i => exact ⟨env i, rfl⟩
  | named n lo hi => exact ⟨⟨lo, some n⟩, rfl, Nat.le_refl _, h⟩
  | dynamic => exact ⟨⟨1, none⟩, trivial⟩
  | broadcast => exact ⟨⟨1, none⟩, trivial⟩

theorem named_literal (n : ν) (lo : Nat) (hi : Option Nat) (v : Nat) (c : lo ≤ v ∧ below v hi) (p : Axis ν) :
    (p.label = some n ∧ v ≤ p.size ∧ p.size ≤ v) ↔ p.size = v ∧ (p.label = some n ∧ lo ≤ p.size ∧ below p.size hi) := by
  constructor
  · intro ⟨l, a, b⟩
    have e : p.size = v := Nat.le_antisymm b a
    exact ⟨e, l, e ▸ c.1, e ▸ c.2⟩
  · intro ⟨e, l, _, _⟩
    exact ⟨l, Nat.le_of_eq e.symm, Nat.le_of_eq e⟩

theorem named_named (n : ν) (lo lo' : Nat) (hi hi' : Option Nat) (p : Axis ν) :
    (p.label = some n ∧ max lo lo' ≤ p.size ∧ below p.size (meetHi hi hi')) ↔
      (p.label = some n ∧ lo ≤ p.size ∧ below p.size hi) ∧ (p.label = some n ∧ lo' ≤ p.size ∧ below p.size hi') := by
  rw [below_meetHi, Nat.max_le]
  constructor
  · intro ⟨l, ⟨a, b⟩, c, d⟩
    exact ⟨⟨l, a, c⟩, ⟨l, b, d⟩⟩
  · intro ⟨⟨l, a, c⟩, ⟨_, b, d⟩⟩
    exact ⟨l, ⟨a, b⟩, c, d⟩

/-! ### Memory (D10, D11) -/

theorem min_le_max (d : Dim ν) (h : d.wellFormed) (m : Nat) (hm : d.max = some m) : d.min ≤ m := by
  cases d with
  | literal v => cases hm; exact Nat.le_refl _
  | named n lo hi =>
    have e : hi = some m := hm
    subst e
    exact h
  | _ => cases hm

/-- The least number of elements is at most the greatest, where ranges have sizes. -/
theorem min_le_max_elements (s : TensorShape ν) (h : ∀ d ∈ s, d.wellFormed) :
    ∀ max, maxElements s = some max → minElements s ≤ max := by
  induction s with
  | nil => intro m hm; cases hm; exact Nat.le_refl _
  | cons d s ih =>
    intro m hm
    simp only [maxElements] at hm
    split at hm
    · rename_i a b ha hb
      cases hm
      exact Nat.mul_le_mul (min_le_max d (h d (List.mem_cons_self ..)) a ha)
        (ih (fun e me => h e (List.mem_cons_of_mem _ me)) b hb)
    · cases hm

/-- The document states this for all shapes; a range that is upside down refutes it. -/
theorem document_min_le_max_fails :
    ∃ s : TensorShape Nat, ∃ max, maxElements s = some max ∧ ¬ minElements s ≤ max :=
  ⟨[.named 0 5 (some 3)], 3, rfl, by decide⟩

/-- Sizes that the dimensions of a shape allow. -/
def sizesFit : TensorShape ν → List Nat → Prop
  | [], [] => True
  | d :: s, n :: ns => d.min ≤ n ∧ below n d.max ∧ sizesFit s ns
  | _, _ => False

/-- Their product. -/
def product : List Nat → Nat
  | [] => 1
  | n :: ns => n * product ns

/-- Every actual number of elements lies between the two bounds. -/
theorem elements_within (s : TensorShape ν) (ns : List Nat) (h : sizesFit s ns) :
    minElements s ≤ product ns ∧ below (product ns) (maxElements s) := by
  induction s generalizing ns with
  | nil =>
    cases ns with
    | nil => exact ⟨Nat.le_refl _, Nat.le_refl _⟩
    | cons => exact h.elim
  | cons d s ih =>
    cases ns with
    | nil => exact h.elim
    | cons n ns =>
      obtain ⟨lo, hi, rest⟩ := h
      obtain ⟨least, most⟩ := ih ns rest
      refine ⟨Nat.mul_le_mul lo least, ?_⟩
      simp only [maxElements]
      split
      · rename_i a b ha hb
        rw [ha] at hi
        rw [hb] at most
        exact Nat.mul_le_mul hi most
      · trivial

theorem training_fits_if_max_fits (tm : TrainingMemory) (device : DeviceMemory) (actual most : Nat)
    (_ : tm.total.max = some most) (fits : most ≤ device.availableBytes)
    (_ : tm.total.min ≤ actual) (h : actual ≤ most) : actual ≤ device.availableBytes :=
  Nat.le_trans h fits

/-! ### Unification (D4) -/

variable [DecidableEq ν]

/-- A success is exactly what the two dimensions have in common. The document states instead that it equals one of
them, which `document_success_eq_fails` refutes. -/
theorem unifyDim_success (x y d : Dim ν) (h : unifyDim x y = .success d) (env : Nat → Axis ν) (p : Axis ν) :
    d.mem env p ↔ x.mem env p ∧ y.mem env p := by
  cases x <;> cases y <;> simp only [unifyDim] at h <;> (repeat' split at h) <;> cases h
  all_goals first
    | exact ⟨fun m => ⟨m, trivial⟩, fun m => m.1⟩
    | exact ⟨fun m => ⟨trivial, m⟩, fun m => m.2⟩
    | (rename_i e; subst e; exact ⟨fun m => ⟨m, m⟩, fun m => m.1⟩)
    | (rename_i c; exact named_literal _ _ _ _ c p)
    | (rename_i c; exact (named_literal _ _ _ _ c p).trans And.comm)
    | (rename_i c; obtain ⟨e, _⟩ := c; subst e; exact named_named _ _ _ _ _ p)

/-- A binding says that the variable is what the two have in common. -/
theorem unifyDim_bind (x y d : Dim ν) (i : Nat) (h : unifyDim x y = .bind i d) (env : Nat → Axis ν) (p : Axis ν) :
    x.mem env p ∧ y.mem env p ↔ p = env i ∧ d.mem env p := by
  cases x <;> cases y <;> simp only [unifyDim] at h <;> (repeat' split at h) <;> cases h
  all_goals first
    | exact Iff.rfl
    | exact And.comm

/-- A failure means that the two have nothing in common. -/
theorem unifyDim_failure (x y : Dim ν) (h : unifyDim x y = .failure) (env : Nat → Axis ν) (p : Axis ν) :
    ¬ (x.mem env p ∧ y.mem env p) := by
  cases x <;> cases y <;> simp only [unifyDim] at h <;> (repeat' split at h) <;> cases h
  all_goals rename_i c
  all_goals intro ⟨a, b⟩
  all_goals first
    | exact c (a.symm.trans b)
    | (obtain ⟨_, l, u⟩ := b; exact c ⟨(a : p.size = _) ▸ l, (a : p.size = _) ▸ u⟩)
    | (obtain ⟨_, l, u⟩ := a; exact c ⟨(b : p.size = _) ▸ l, (b : p.size = _) ▸ u⟩)
    | (obtain ⟨m, l, u⟩ := a
       obtain ⟨m', l', u'⟩ := b
       exact c ⟨Option.some.inj (m.symm.trans m'),
         below_of_le _ _ _ (Nat.max_le.mpr ⟨l, l'⟩) ((below_meetHi _ _ _).mpr ⟨u, u'⟩)⟩)

/-- The order of the two sides does not matter. -/
theorem unifyDim_comm (x y : Dim ν) : unifyDim x y = unifyDim y x := by
  cases x <;> cases y <;> simp only [unifyDim]
  case literal.literal a b =>
    by_cases e : a = b
    · subst e; rfl
    · rw [if_neg e, if_neg (fun f => e f.symm)]
  case variable.variable i j =>
    by_cases e : i = j
    · subst e; rfl
    · have e' : ¬ j = i := fun f => e f.symm
      by_cases l : i < j
      · have l' : ¬ j < i := Nat.lt_asymm l
        rw [if_neg e, if_pos l, if_neg e', if_neg l']
      · have l' : j < i := Nat.lt_of_le_of_ne (Nat.le_of_not_lt l) e'
        rw [if_neg e, if_neg l, if_neg e', if_pos l']
  case named.named n lo hi m lo' hi' =>
    by_cases e : n = m
    · subst e; rw [Nat.max_comm lo lo', meetHi_comm hi hi']
    · rw [if_neg (fun f => e f.1), if_neg (fun f => e f.1.symm)]

/-- A dimension with itself is itself. -/
theorem unifyDim_refl (d : Dim ν) (h : d.wellFormed) : unifyDim d d = .success d := by
  cases d with
  | named n lo hi =>
    have c : True ∧ below (max lo lo) (meetHi hi hi) := ⟨trivial, by rw [Nat.max_self, meetHi_self]; exact h⟩
    simp only [unifyDim]
    rw [if_pos c, Nat.max_self, meetHi_self]
  | _ => simp [unifyDim]

/-- What succeeds has a range with a size again. -/
theorem unifyDim_wellFormed (x y d : Dim ν) (hx : x.wellFormed) (hy : y.wellFormed)
    (h : unifyDim x y = .success d) : d.wellFormed := by
  cases x <;> cases y <;> simp only [unifyDim] at h <;> (repeat' split at h) <;> cases h
  all_goals first
    | exact hx
    | exact hy
    | exact Nat.le_refl _
    | (rename_i c; exact c.2)

/-- Three dimensions: when both ways of taking them together succeed, they stand for the same axes. -/
theorem unifyDim_assoc_mem (x y z xy yz l r : Dim ν)
    (h₁ : unifyDim x y = .success xy) (h₂ : unifyDim xy z = .success l)
    (h₃ : unifyDim y z = .success yz) (h₄ : unifyDim x yz = .success r)
    (env : Nat → Axis ν) (p : Axis ν) : l.mem env p ↔ r.mem env p := by
  rw [unifyDim_success _ _ _ h₂, unifyDim_success _ _ _ h₁, unifyDim_success _ _ _ h₄, unifyDim_success _ _ _ h₃]
  exact and_assoc

/-- Three dimensions: when one way of taking them together succeeds, the other does not fail. -/
theorem unifyDim_assoc_no_failure (x y z xy l : Dim ν)
    (hx : x.wellFormed) (hy : y.wellFormed) (hz : z.wellFormed) (env : Nat → Axis ν)
    (h₁ : unifyDim x y = .success xy) (h₂ : unifyDim xy z = .success l) :
    unifyDim y z ≠ .failure ∧ ∀ yz, unifyDim y z = .success yz → unifyDim x yz ≠ .failure := by
  have wl := unifyDim_wellFormed _ _ _ (unifyDim_wellFormed _ _ _ hx hy h₁) hz h₂
  obtain ⟨p, m⟩ := mem_of_wellFormed l wl env
  obtain ⟨mxy, mz⟩ := (unifyDim_success _ _ _ h₂ env p).mp m
  obtain ⟨mx, my⟩ := (unifyDim_success _ _ _ h₁ env p).mp mxy
  constructor
  · intro f
    exact unifyDim_failure _ _ f env p ⟨my, mz⟩
  · intro yz h f
    exact unifyDim_failure _ _ f env p ⟨mx, (unifyDim_success _ _ _ h env p).mpr ⟨my, mz⟩⟩

/-- The document's form of correctness is false: a range cut on both sides equals neither. -/
theorem document_success_eq_fails :
    ∃ x y d : Dim Nat, unifyDim x y = .success d ∧ d ≠ x ∧ d ≠ y :=
  ⟨.named 0 1 (some 64), .named 0 32 (some 128), .named 0 32 (some 64), rfl, by simp, by simp⟩

/-! ### Shapes (D6) -/

/-- A shape is compatible with itself, where its ranges have sizes. -/
theorem shapesCompatible_refl (s : TensorShape ν) (h : ∀ d ∈ s, d.wellFormed) : shapesCompatible s s = true := by
  induction s with
  | nil => rfl
  | cons d s ih =>
    have hd := unifyDim_refl d (h d (List.mem_cons_self ..))
    simp only [shapesCompatible, hd]
    exact ih fun e m => h e (List.mem_cons_of_mem _ m)

/-- Without that it need not be. -/
theorem document_refl_needs_ranges : ∃ s : TensorShape Nat, shapesCompatible s s = false :=
  ⟨[.named 0 5 (some 3)], rfl⟩

theorem matmulShape_deterministic (l r s₁ s₂ : TensorShape ν)
    (h₁ : matmulShape l r = some s₁) (h₂ : matmulShape l r = some s₂) : s₁ = s₂ :=
  Option.some.inj (h₁.symm.trans h₂)

/-- Where the inner dimensions have something in common, the product has the outer ones. -/
theorem matmulShape_success (m k₁ k₂ n d : Dim ν) (h : unifyDim k₁ k₂ = .success d) :
    matmulShape [m, k₁] [k₂, n] = some [m, n] := by
  simp only [matmulShape, h]

/-- Where they have nothing in common, there is no product. -/
theorem matmulShape_failure (m k₁ k₂ n : Dim ν) (h : unifyDim k₁ k₂ = .failure) :
    matmulShape [m, k₁] [k₂, n] = none := by
  simp only [matmulShape, h]

end Ranged
