//! What a library can hold, and what is written down: looked at before anything of that size is made.

use super::graph::{Node, Step, cells};
use super::refusal::{Language, Why};

/// The largest table that is written down, in cells.
const TABLE: u128 = 1 << 20;

/// The largest size that is written: whole numbers with a sign have no more.
const LARGEST: u64 = i64::MAX as u64;

/// The most axes of an array of NumPy. The evaluator of ONNX computes with these.
const AXES: usize = 64;

/// Refuses a table that is too large.
pub fn fits_table(cells: u128) -> Result<(), Why> {
    if cells > TABLE { Err(Why::Table(cells)) } else { Ok(()) }
}

/// Refuses an array that no library has.
pub fn check_array(dims: &[u64]) -> Result<(), Why> {
    if let Some(n) = dims.iter().find(|n| **n > LARGEST) {
        return Err(Why::Size(*n));
    }
    // An axis without elements hides nothing: a part of the axes may be taken together.
    let sizes: Vec<u64> = dims.iter().map(|n| (*n).max(1)).collect();
    if cells(&sizes) > LARGEST.into() {
        return Err(Why::Cells);
    }
    if dims.len() > AXES { Err(Why::Axes(dims.len())) } else { Ok(()) }
}

/// Refuses a step whose result no library has, or whose cells would have to be written down and are too many.
pub fn check_step(node: &Node, language: Language) -> Result<(), Why> {
    check_array(&node.dims)?;
    match &node.step {
        Step::Window { terms, .. } if language == Language::Onnx => {
            let sizes: Vec<u64> = terms.iter().map(|(_, n)| *n).collect();
            fits_table(cells(&sizes))
        }
        _ => Ok(()),
    }
}

/// Refuses what a parameter begins with where ONNX has no step for it: every cell is written down. Lists are as long as
/// the program has them.
pub fn check_initial(node: &Node, language: Language) -> Result<(), Why> {
    match node.step {
        Step::Full(_) | Step::Range if language == Language::Onnx => fits_table(cells(&node.dims)),
        _ => Ok(()),
    }
}
