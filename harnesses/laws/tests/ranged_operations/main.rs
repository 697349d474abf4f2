//! Ranged dimensions, D6 to D9: operations, reshaping and verification (spec/ranged.md).
#![allow(missing_docs)]

mod operations;
mod reshape;
mod verify;

use lozenge::ranged::{Context, Dim, Shape};
use lozenge_harnesses::ranged::{literal, shapes};

fn shape(text: &str) -> Shape {
    Shape::parse(text, &mut Context::new()).expect("a shape")
}

fn literals(sizes: &[u64]) -> Shape {
    Shape(sizes.iter().map(|n| literal(*n)).collect())
}

/// Every list of these sizes up to this length.
fn lists(sizes: &[u64], longest: usize) -> Vec<Vec<u64>> {
    let dims: Vec<Dim> = sizes.iter().map(|n| literal(*n)).collect();
    let size = |d: &Dim| d.size().expect("a literal").get();
    shapes(&dims, longest).iter().map(|s| s.0.iter().map(size).collect()).collect()
}
