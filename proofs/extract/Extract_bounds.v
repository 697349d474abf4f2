(** The bounds of size claims as OCaml, for the same comparison: a file of its own, as it has names of its own. *)

From Coq Require Extraction ExtrOcamlBasic.
From Lozenge Require Import Dim Row Term Rules Bounds Cancel.

Extraction Language OCaml.
Extraction "extracted_bounds.ml" bounds bounds_below bounds_cancelled unbounded claimed saysb.
