//! Ranged dimensions: a second system of shapes, beside the broadcast order of the paper.
//!
//! A dimension is a literal, an inference variable, a name with a range of sizes, unknown until run time, or a
//! broadcast axis ([`dim`]). Shapes are unified dimension by dimension ([`unify`], [`context`]), operations have
//! shape rules ([`ops`], [`reshape`]), actual shapes are checked against declared ones ([`verify`]), and ranges give
//! bounds of memory ([`memory`], [`training`], [`model`]). [`relation`] translates literal programs into the calculus
//! of the other modules. The chapter is `spec/ranged.md`; what differs from the document it follows is in
//! `spec/findings`, F30 to F38.
//!
//! ```
//! use lozenge::ranged::{Context, Shape, ops};
//! let mut context = Context::new();
//! let (x, w) = (Shape::parse("[batch:1..64, _k]", &mut context)?, Shape::parse("[784, 256]", &mut context)?);
//! let y = ops::matmul(&mut context, &x, &w)?;
//! assert_eq!(context.resolve_shape(&y).to_string(), "[batch:1..64, 256]");
//! assert_eq!(context.resolve_shape(&x).to_string(), "[batch:1..64, 784]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod context;
pub mod dim;
pub mod error;
pub mod memory;
pub mod model;
pub mod notation;
pub mod ops;
pub mod relation;
pub mod reshape;
pub mod shape;
pub mod spec;
pub mod training;
pub mod unify;
pub mod verify;

pub use context::Context;
pub use dim::{Dim, DimVar, Kind, Range, Size};
pub use error::{Operation, Position, ShapeError, ShapeProblem};
pub use shape::Shape;
pub use unify::{Clash, UnifyRule, unify_dims};
