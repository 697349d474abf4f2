(** The certificate checkers as OCaml programs.

    Booleans, lists, pairs and options become OCaml's own; numbers stay what they
    are in Coq, so no size is too large and no arithmetic is trusted. *)

From Coq Require Extraction ExtrOcamlBasic.
From Lozenge Require Import Dim Row Term Semantics Rules Certificate.

Extraction Language OCaml.
Extraction "checker.ml" refuse_refutation refuse_solution.
