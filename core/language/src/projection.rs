//! §7 for the operations of a program: from inferred shapes to loop nests and index maps.
//!
//! [`project`] does it for one operation: fresh ids for its axes, its own constraints derived again and read as
//! equations ([`elaborate`], Def. 7.2), the union–find solver ([`solve()`], Def. 7.3), and what is read off the result
//! ([`Projections`], Def. 7.5, Prop. 7.6).
//!
//! ```
//! use lozenge::program::{infer, parse};
//! use lozenge::projection::project;
//! let program = parse("input a: 2, 3\ninput b: 3, 4\nlet c = a +* \"ij; jk => ik\" b")?;
//! let inferred = infer(&program)?;
//! let nest = project(&inferred, 0)?;
//! assert_eq!(nest.record.loops.iter().map(|l| (l.name.as_str(), l.size)).collect::<Vec<_>>(), [("i", 2), ("k", 4), ("j", 3)]);
//! assert_eq!(nest.record.reductions(), [2]);            // j: the result's map does not mention it
//! assert!(nest.record.is_surjective() && !nest.record.is_injective());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod again;
mod error;
mod label;
pub mod local;
mod names;
pub mod show;
mod situation;
mod turns;
mod writes;

pub use error::ProjectError;
pub use local::{Nest, Projected, project, project_all};
pub use lozenge_calculus::projection::{
    Address, AffineLabel, Atom, Class, Classes, Conflict, Elaboration, Equation, Index, Kind, Label, Loop, MapAxis,
    Proj, Projections, Slot, Sure, affine, elaborate, record,
};
pub use lozenge_engine::projection::solve;
pub use turns::has_idle_part;
pub use writes::Writes;
