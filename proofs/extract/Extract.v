(** The certificate checkers, and the model that Rust is compared with, as OCaml.

    Booleans, lists, pairs and options become OCaml's own; numbers stay what they
    are in Coq, so no size is too large and no arithmetic is trusted. *)

From Coq Require Extraction ExtrOcamlBasic.
From Lozenge Require Import Dim Row Rigid Term Semantics Rules Guard Solved Runs Certificate Queue Cycle Fire Solver Solve
  Closing Close Decide Model
  Projection IndexMap Assignment Elaboration Classes.

Extraction Language OCaml.
Extraction "extracted.ml"
  refuse_refutation refuse_solution
  dim_leb dim_join dimb_leb dimb_meet dimb_join coversb
  rank flat expansion row_leb row_join row_eqb flat_equivb
  rank2 flat2 row2_leb oneshotb row2_join minimal_uppers
  vars var_term apply sub_c subst_of compose domain range_vars idempotentb subst_eqb subst_leb witness_on
  vars_c assigned ground_of holdsb value_d value_r modelled violations
  positive_cycleb started step_of run_from run_for verdict_of s_subst bound_var bound_value
  solve_signed close_within value_at uses sort_vars greatest solb decide decide_signed answer_of
  project classes elaborate reductions injectiveb surjectiveb needs_accumulation needs_init.
