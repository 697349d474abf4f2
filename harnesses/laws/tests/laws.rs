//! The proof harnesses, one module a file. A file that is not listed here is not run; tests/tests/architecture.rs looks.
#![allow(missing_docs)]

// Small rows by the million: a third of the time of a harness goes into allocating them otherwise.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod assignments;
mod certificates;
mod closing;
mod deciding;
mod dimensions;
mod edge;
mod further;
mod gradients;
#[path = "guard/main.rs"]
mod guard;
#[path = "hunt/main.rs"]
mod hunt;
mod interp;
mod layers;
mod layers_again;
mod layers_inputs;
mod layers_mutants;
mod layers_order;
mod layers_words;
mod letter;
mod markers;
mod mistakes;
mod notes;
mod one_leaf;
mod paper;
mod plans;
#[path = "programs/main.rs"]
mod programs;
#[path = "projections/main.rs"]
mod projections;
mod provenance;
mod ranged;
mod ranged_document;
mod ranged_memory;
mod ranged_models;
#[path = "ranged_operations/main.rs"]
mod ranged_operations;
mod reread;
mod rigid;
mod rows;
mod rules;
mod scalars;
#[path = "sized/main.rs"]
mod sized;
mod solving;
mod sources;
#[path = "staged/main.rs"]
mod staged;
mod strata;
mod technical;
mod terms;
mod witnesses;
