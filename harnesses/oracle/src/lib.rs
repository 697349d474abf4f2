//! The command `lozenge`: order queries, the solver, the oracle and the claim index, for people and for programs.
//!
//! A subcommand is one module with `Args` and `run(&Args, &mut Output) -> Answer`. To add one,
//! write the module, then give it a line in `command::Command` and a line in `command::dispatch`.
//!
//! Without the feature `command` it is what a page needs, for WebAssembly: what reads, infers and tells.
#![forbid(unsafe_code)]
// A page uses a part of each module.
#![cfg_attr(not(feature = "command"), allow(dead_code))]

mod answer;
mod ascii;
mod check;
mod claims;
mod close;
mod contained;
mod decide;
mod engine;
mod eq;
mod explain;
mod export;
mod ground;
mod infer;
mod interrupt;
mod join;
mod le;
mod lean;
mod margins;
mod markers;
mod oracle;
mod output;
mod parse;
mod picture;
pub mod playground;
mod policy;
mod progress;
mod project;
pub mod readers;
mod run;
mod schema;
mod solve;
#[cfg(unix)]
mod statm;
mod system;
mod told;
mod version;
mod warnings;
mod whole;

#[cfg(feature = "command")]
mod certify;
#[cfg(feature = "command")]
mod checkout;
#[cfg(feature = "command")]
mod command;
#[cfg(feature = "command")]
mod compare;
#[cfg(feature = "command")]
mod completions;
#[cfg(feature = "command")]
mod conform;
#[cfg(feature = "command")]
mod corpus;
#[cfg(feature = "command")]
mod findings;
#[cfg(feature = "command")]
mod fuzz;
#[cfg(feature = "command")]
mod made;
#[cfg(feature = "command")]
mod man;
#[cfg(feature = "command")]
mod memory;
#[cfg(feature = "command")]
mod report;
#[cfg(feature = "command")]
mod serve;
#[cfg(feature = "command")]
mod spec;
#[cfg(feature = "command")]
mod supervise;

#[cfg(feature = "command")]
pub use command::main;
