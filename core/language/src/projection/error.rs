//! Why an operation has no projections.

use crate::Span;
use lozenge_calculus::projection::solve::Conflict;
use lozenge_engine::solver::Limit;
use lozenge_staged::StrataConflict;
use std::fmt;

/// Why an operation has no projections. After a successful inference this does not happen (Lemma 7.7), but for limits
/// and requests for operations that are not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProjectError {
    /// There is no operation of this number.
    NoSuchOperation(usize),
    /// The local solve failed: Lemma 7.7 (a) would be refuted.
    Unsolved {
        /// The place of the operation.
        span: Span,
    },
    /// The local solve reached a limit.
    Limit {
        /// The place of the operation.
        span: Span,
        /// Which.
        limit: Limit,
    },
    /// The solver of Def. 7.3 failed.
    Conflict {
        /// The place of the operation.
        span: Span,
        /// Why.
        conflict: Conflict,
    },
    /// The second stratum failed (§8).
    Second {
        /// The place of the operation.
        span: Span,
        /// Why.
        conflict: StrataConflict,
    },
}

impl ProjectError {
    /// The place of the operation, if there is one.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            ProjectError::NoSuchOperation(_) => None,
            ProjectError::Unsolved { span }
            | ProjectError::Limit { span, .. }
            | ProjectError::Conflict { span, .. }
            | ProjectError::Second { span, .. } => Some(*span).filter(|span| span.is_known()),
        }
    }
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProjectError::NoSuchOperation(n) => write!(f, "the program has no operation {n}"),
            ProjectError::Unsolved { .. } => {
                f.write_str("the operation's own constraints have no solution (Lemma 7.7)")
            }
            ProjectError::Limit { limit, .. } => write!(f, "the solver reached its limit on {}", limit.name()),
            ProjectError::Conflict { conflict, .. } => conflict.fmt(f),
            ProjectError::Second { conflict, .. } => conflict.fmt(f),
        }
    }
}

impl std::error::Error for ProjectError {}
