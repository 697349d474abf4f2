//! Certificates: evidence for a verdict that can be checked without trusting the solver.
//!
//! That Φ is satisfiable is shown by a ground substitution; checking it is evaluating Def. 3.4. That it is
//! not is shown by a [`Refutation`]: lines, each a constraint of Φ or following from earlier lines by one
//! of eleven small inferences, and an end that no ground substitution survives. [`check_refutation`] accepts a
//! refutation only if every line follows. It shares nothing with the solver but §§1–3.
//!
//! ```
//! use lozenge::certificate::{check_refutation, LineClaim, Ending, Inference, Line, Refutation};
//! use lozenge::{names::Names, notation::parse_system};
//! let mut names = Names::new();
//! let phi = parse_system("a = 2\na = 3", &mut names)?;
//! let clash = parse_system("3 = 2", &mut names)?.remove(0);
//! let a = names.lookup("a").unwrap();
//! let lines = vec![
//!     Line { by: Inference::Input(0), claim: LineClaim::Holds(phi[0].clone()) },
//!     Line { by: Inference::Input(1), claim: LineClaim::Holds(phi[1].clone()) },
//!     Line { by: Inference::Substitute { into: 0, with: vec![(1, a)] }, claim: LineClaim::Holds(clash) },
//! ];
//! assert!(check_refutation(&phi, &Refutation { lines, end: Ending::Absurd(2) }).is_ok());
//! # Ok::<(), lozenge::notation::NotationError>(())
//! ```
//!
//! Document: spec/certificates.md.

mod check;
mod infer;
mod refute;

pub use crate::row::Edge;
pub use check::{MOST_WORK, Refusal, check_refutation, check_solution};

use crate::constraint::Constraint;
use crate::term::{RowTerm, RowVar, Var};

/// What a line claims of every solution (extended to the fresh variables met so far).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LineClaim {
    /// The constraint holds.
    Holds(Constraint),
    /// The row variable is this very row, marker included.
    Is(RowVar, RowTerm),
}

/// Why a line follows. Numbers are those of earlier lines, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inference {
    /// It is this constraint of Φ.
    Input(usize),
    /// Another line, with variables replaced one after the other by what lines say they equal. A line
    /// ⟨ρ⟩ ≈ R may be used only inside ≈, where markers are not looked at.
    Substitute {
        /// The line.
        into: usize,
        /// Lines with the variable each replaces.
        with: Vec<(usize, Var)>,
    },
    /// From R₁ ≈ R₂: the axes with this number from one end are equal.
    Zip {
        /// The equality.
        line: usize,
        /// From which end.
        edge: Edge,
        /// The number from 0.
        index: usize,
    },
    /// From R₁ ≈ R₂: what is left without so many axes at both ends.
    Strip {
        /// The equality.
        line: usize,
        /// Axes dropped at the front.
        front: usize,
        /// Axes dropped at the back.
        back: usize,
    },
    /// From R₂ ⊑ R₁: the axes with this number in the same flank of both are related.
    Align {
        /// The inequality.
        line: usize,
        /// Which flank.
        edge: Edge,
        /// The number from 0, counted from the outer end.
        index: usize,
    },
    /// From R₂ ⊑ l·⟨ρ⟩·r: what R₂ has inside these flanks is below ⟨ρ⟩.
    Residue(usize),
    /// From l₂·⟨ρ⟩·r₂ ⊑ R₁ with longer flanks in R₁: ρ is some fresh axes around a fresh variable.
    Grow(usize),
    /// From ⟨ρ⟩ ≈ []·⋄·[]: ρ is the empty row, the only one with that content.
    Empty(usize),
    /// From α ⊑ d, d an atom: α = d.
    Pin(usize),
    /// From 1∅ ⊑ α: α = 1∅.
    PinTop(usize),
    /// From d ⊑ α and e ⊑ α, two atoms: α = 1∅.
    Collapse(usize, usize),
    /// From a cycle of ⊑: two of its members are equal.
    Antisym(Vec<usize>),
}

impl Inference {
    /// What it is called in JSON and in spec/certificates.md.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Inference::Input(_) => "input",
            Inference::Substitute { .. } => "substitute",
            Inference::Zip { .. } => "zip",
            Inference::Strip { .. } => "strip",
            Inference::Align { .. } => "align",
            Inference::Residue(_) => "residue",
            Inference::Grow(_) => "grow",
            Inference::Empty(_) => "empty",
            Inference::Pin(_) => "pin",
            Inference::PinTop(_) => "pin-top",
            Inference::Collapse(..) => "collapse",
            Inference::Antisym(_) => "antisym",
        }
    }
}

/// A line of a refutation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Why it follows.
    pub by: Inference,
    /// What it claims.
    pub claim: LineClaim,
}

/// What no ground substitution survives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// This line is false of every ground substitution.
    Absurd(usize),
    /// The facts that these lines state about one flank's length form a cycle of positive weight. A
    /// line ρ = l·⟨ρ′⟩·r states an equality, so it can be read from right to left as well.
    Cycle {
        /// Which flank.
        edge: Edge,
        /// The lines, each with whether it is read backwards.
        facts: Vec<(usize, bool)>,
    },
}

/// A refutation of Φ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The lines.
    pub lines: Vec<Line>,
    /// The end.
    pub end: Ending,
}
