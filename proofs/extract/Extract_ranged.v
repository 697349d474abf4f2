(** Ranged dimensions as OCaml, for the same comparison: a file of its own, as it has names of its own. *)

From Coq Require Extraction ExtrOcamlBasic.
From Coq Require Import NArith.
From Lozenge Require Import Ranged.

Extraction Language OCaml.
Extraction "extracted_ranged.ml"
  N.add N.mul N.div_eucl
  unify unify_shapes matmul matmul_batched broadcast concat stack reshape elements bytes verify class.
