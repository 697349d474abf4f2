//! §7 Projections: the solver in every order, the maps by enumeration, and generated programs.
#![allow(missing_docs)]

mod aliases;
mod blocks;
mod examples;
mod maps;
mod note;
mod programs;
mod said;
mod solver;
