import Ranged.Definitions

/-
Ranged dimensions: what core/ranged answers on small cases, checked by evaluation. Written by `lozenge lean`; do
not edit. The names are 0 and 1.
-/
set_option autoImplicit false

namespace Ranged

/-! ### Unification: every pair of eleven dimensions -/

example : unifyDim (ν := Nat) (.literal 1) (.literal 1) = .success (.literal 1) := rfl
example : unifyDim (ν := Nat) (.literal 1) (.literal 2) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 1) (.literal 3) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 1) (.variable 0) = .bind 0 (.literal 1) := rfl
example : unifyDim (ν := Nat) (.literal 1) (.variable 1) = .bind 1 (.literal 1) := rfl
example : unifyDim (ν := Nat) (.literal 1) (.named 0 1 none) = .success (.named 0 1 (some 1)) := rfl
example : unifyDim (ν := Nat) (.literal 1) (.named 0 1 (some 2)) = .success (.named 0 1 (some 1)) := rfl
example : unifyDim (ν := Nat) (.literal 1) (.named 0 2 (some 3)) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 1) (.named 1 2 (some 2)) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 1) .dynamic = .success (.literal 1) := rfl
example : unifyDim (ν := Nat) (.literal 1) .broadcast = .success (.literal 1) := rfl
example : unifyDim (ν := Nat) (.literal 2) (.literal 1) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 2) (.literal 2) = .success (.literal 2) := rfl
example : unifyDim (ν := Nat) (.literal 2) (.literal 3) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 2) (.variable 0) = .bind 0 (.literal 2) := rfl
example : unifyDim (ν := Nat) (.literal 2) (.variable 1) = .bind 1 (.literal 2) := rfl
example : unifyDim (ν := Nat) (.literal 2) (.named 0 1 none) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.literal 2) (.named 0 1 (some 2)) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.literal 2) (.named 0 2 (some 3)) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.literal 2) (.named 1 2 (some 2)) = .success (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.literal 2) .dynamic = .success (.literal 2) := rfl
example : unifyDim (ν := Nat) (.literal 2) .broadcast = .success (.literal 2) := rfl
example : unifyDim (ν := Nat) (.literal 3) (.literal 1) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 3) (.literal 2) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 3) (.literal 3) = .success (.literal 3) := rfl
example : unifyDim (ν := Nat) (.literal 3) (.variable 0) = .bind 0 (.literal 3) := rfl
example : unifyDim (ν := Nat) (.literal 3) (.variable 1) = .bind 1 (.literal 3) := rfl
example : unifyDim (ν := Nat) (.literal 3) (.named 0 1 none) = .success (.named 0 3 (some 3)) := rfl
example : unifyDim (ν := Nat) (.literal 3) (.named 0 1 (some 2)) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 3) (.named 0 2 (some 3)) = .success (.named 0 3 (some 3)) := rfl
example : unifyDim (ν := Nat) (.literal 3) (.named 1 2 (some 2)) = .failure := rfl
example : unifyDim (ν := Nat) (.literal 3) .dynamic = .success (.literal 3) := rfl
example : unifyDim (ν := Nat) (.literal 3) .broadcast = .success (.literal 3) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.literal 1) = .bind 0 (.literal 1) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.literal 2) = .bind 0 (.literal 2) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.literal 3) = .bind 0 (.literal 3) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.variable 0) = .success (.variable 0) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.variable 1) = .bind 1 (.variable 0) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.named 0 1 none) = .bind 0 (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.named 0 1 (some 2)) = .bind 0 (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.named 0 2 (some 3)) = .bind 0 (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.variable 0) (.named 1 2 (some 2)) = .bind 0 (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.variable 0) .dynamic = .success (.variable 0) := rfl
example : unifyDim (ν := Nat) (.variable 0) .broadcast = .success (.variable 0) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.literal 1) = .bind 1 (.literal 1) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.literal 2) = .bind 1 (.literal 2) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.literal 3) = .bind 1 (.literal 3) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.variable 0) = .bind 1 (.variable 0) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.variable 1) = .success (.variable 1) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.named 0 1 none) = .bind 1 (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.named 0 1 (some 2)) = .bind 1 (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.named 0 2 (some 3)) = .bind 1 (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.variable 1) (.named 1 2 (some 2)) = .bind 1 (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.variable 1) .dynamic = .success (.variable 1) := rfl
example : unifyDim (ν := Nat) (.variable 1) .broadcast = .success (.variable 1) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.literal 1) = .success (.named 0 1 (some 1)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.literal 2) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.literal 3) = .success (.named 0 3 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.variable 0) = .bind 0 (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.variable 1) = .bind 1 (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.named 0 1 none) = .success (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.named 0 1 (some 2)) = .success (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.named 0 2 (some 3)) = .success (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) (.named 1 2 (some 2)) = .failure := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) .dynamic = .success (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) (.named 0 1 none) .broadcast = .success (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.literal 1) = .success (.named 0 1 (some 1)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.literal 2) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.literal 3) = .failure := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.variable 0) = .bind 0 (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.variable 1) = .bind 1 (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.named 0 1 none) = .success (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.named 0 1 (some 2)) = .success (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.named 0 2 (some 3)) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) (.named 1 2 (some 2)) = .failure := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) .dynamic = .success (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 1 (some 2)) .broadcast = .success (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.literal 1) = .failure := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.literal 2) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.literal 3) = .success (.named 0 3 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.variable 0) = .bind 0 (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.variable 1) = .bind 1 (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.named 0 1 none) = .success (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.named 0 1 (some 2)) = .success (.named 0 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.named 0 2 (some 3)) = .success (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) (.named 1 2 (some 2)) = .failure := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) .dynamic = .success (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 0 2 (some 3)) .broadcast = .success (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.literal 1) = .failure := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.literal 2) = .success (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.literal 3) = .failure := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.variable 0) = .bind 0 (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.variable 1) = .bind 1 (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.named 0 1 none) = .failure := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.named 0 1 (some 2)) = .failure := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.named 0 2 (some 3)) = .failure := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) (.named 1 2 (some 2)) = .success (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) .dynamic = .success (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) (.named 1 2 (some 2)) .broadcast = .success (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) .dynamic (.literal 1) = .success (.literal 1) := rfl
example : unifyDim (ν := Nat) .dynamic (.literal 2) = .success (.literal 2) := rfl
example : unifyDim (ν := Nat) .dynamic (.literal 3) = .success (.literal 3) := rfl
example : unifyDim (ν := Nat) .dynamic (.variable 0) = .success (.variable 0) := rfl
example : unifyDim (ν := Nat) .dynamic (.variable 1) = .success (.variable 1) := rfl
example : unifyDim (ν := Nat) .dynamic (.named 0 1 none) = .success (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) .dynamic (.named 0 1 (some 2)) = .success (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) .dynamic (.named 0 2 (some 3)) = .success (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) .dynamic (.named 1 2 (some 2)) = .success (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) .dynamic .dynamic = .success .dynamic := rfl
example : unifyDim (ν := Nat) .dynamic .broadcast = .success .broadcast := rfl
example : unifyDim (ν := Nat) .broadcast (.literal 1) = .success (.literal 1) := rfl
example : unifyDim (ν := Nat) .broadcast (.literal 2) = .success (.literal 2) := rfl
example : unifyDim (ν := Nat) .broadcast (.literal 3) = .success (.literal 3) := rfl
example : unifyDim (ν := Nat) .broadcast (.variable 0) = .success (.variable 0) := rfl
example : unifyDim (ν := Nat) .broadcast (.variable 1) = .success (.variable 1) := rfl
example : unifyDim (ν := Nat) .broadcast (.named 0 1 none) = .success (.named 0 1 none) := rfl
example : unifyDim (ν := Nat) .broadcast (.named 0 1 (some 2)) = .success (.named 0 1 (some 2)) := rfl
example : unifyDim (ν := Nat) .broadcast (.named 0 2 (some 3)) = .success (.named 0 2 (some 3)) := rfl
example : unifyDim (ν := Nat) .broadcast (.named 1 2 (some 2)) = .success (.named 1 2 (some 2)) := rfl
example : unifyDim (ν := Nat) .broadcast .dynamic = .success .broadcast := rfl
example : unifyDim (ν := Nat) .broadcast .broadcast = .success .broadcast := rfl

/-! ### Matrix products, with each dimension in the middle -/

example : matmulShape (ν := Nat) [(.literal 2), (.literal 1)] [(.literal 2), (.literal 1)] = none := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.literal 2)] [(.literal 2), (.literal 2)] = (some [(.literal 2), (.literal 2)]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.literal 3)] [(.literal 2), (.literal 3)] = none := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.variable 0)] [(.literal 2), (.variable 0)] = (some [(.literal 2), (.literal 2)]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.variable 1)] [(.literal 2), (.variable 1)] = (some [(.literal 2), (.literal 2)]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.named 0 1 none)] [(.literal 2), (.named 0 1 none)] = (some [(.literal 2), (.named 0 1 none)]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.named 0 1 (some 2))] [(.literal 2), (.named 0 1 (some 2))] = (some [(.literal 2), (.named 0 1 (some 2))]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.named 0 2 (some 3))] [(.literal 2), (.named 0 2 (some 3))] = (some [(.literal 2), (.named 0 2 (some 3))]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), (.named 1 2 (some 2))] [(.literal 2), (.named 1 2 (some 2))] = (some [(.literal 2), (.named 1 2 (some 2))]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), .dynamic] [(.literal 2), .dynamic] = (some [(.literal 2), .dynamic]) := rfl
example : matmulShape (ν := Nat) [(.literal 2), .broadcast] [(.literal 2), .broadcast] = (some [(.literal 2), .broadcast]) := rfl

/-! ### Elements, of each dimension with 3 -/

example : minElements (ν := Nat) [(.literal 1), (.literal 3)] = 3 := rfl
example : maxElements (ν := Nat) [(.literal 1), (.literal 3)] = (some 3) := rfl
example : minElements (ν := Nat) [(.literal 2), (.literal 3)] = 6 := rfl
example : maxElements (ν := Nat) [(.literal 2), (.literal 3)] = (some 6) := rfl
example : minElements (ν := Nat) [(.literal 3), (.literal 3)] = 9 := rfl
example : maxElements (ν := Nat) [(.literal 3), (.literal 3)] = (some 9) := rfl
example : minElements (ν := Nat) [(.variable 0), (.literal 3)] = 3 := rfl
example : maxElements (ν := Nat) [(.variable 0), (.literal 3)] = none := rfl
example : minElements (ν := Nat) [(.variable 1), (.literal 3)] = 3 := rfl
example : maxElements (ν := Nat) [(.variable 1), (.literal 3)] = none := rfl
example : minElements (ν := Nat) [(.named 0 1 none), (.literal 3)] = 3 := rfl
example : maxElements (ν := Nat) [(.named 0 1 none), (.literal 3)] = none := rfl
example : minElements (ν := Nat) [(.named 0 1 (some 2)), (.literal 3)] = 3 := rfl
example : maxElements (ν := Nat) [(.named 0 1 (some 2)), (.literal 3)] = (some 6) := rfl
example : minElements (ν := Nat) [(.named 0 2 (some 3)), (.literal 3)] = 6 := rfl
example : maxElements (ν := Nat) [(.named 0 2 (some 3)), (.literal 3)] = (some 9) := rfl
example : minElements (ν := Nat) [(.named 1 2 (some 2)), (.literal 3)] = 6 := rfl
example : maxElements (ν := Nat) [(.named 1 2 (some 2)), (.literal 3)] = (some 6) := rfl
example : minElements (ν := Nat) [.dynamic, (.literal 3)] = 3 := rfl
example : maxElements (ν := Nat) [.dynamic, (.literal 3)] = none := rfl
example : minElements (ν := Nat) [.broadcast, (.literal 3)] = 3 := rfl
example : maxElements (ν := Nat) [.broadcast, (.literal 3)] = none := rfl

/-! ### The worked example: two layers, Adam, the largest activation -/

example : TrainingMemory.total ⟨⟨813056, (some 813056)⟩, ⟨813056, (some 813056)⟩, ⟨1626112, (some 1626112)⟩, ⟨1024, (some 65536)⟩⟩ = ⟨3253248, (some 3317760)⟩ := rfl

end Ranged
