//! The hunt: programs whose outcome depends on a placement, a strategy or the order of statements
//! (Cor. 5.5(iv), spec/findings/H1.md).
//!
//! `LOZENGE_HUNT=1000000` asks for that many programs, `LOZENGE_SEED` for others, `LOZENGE_WITNESSES=1` for
//! small programs of each sort.
#![allow(missing_docs)]

mod count;
mod moves;
mod outcome;
mod witnesses;
