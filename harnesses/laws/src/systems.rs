//! Small systems, and runs watched step by step against brute force (§§4–5).

mod denotation;
mod small;
mod watch;

pub use denotation::Denotation;
pub use small::{SmallSystem, Values, dim_constraints, flanks, row_constraints, row_terms, simpler, three, two};
pub use watch::{Ending, Watched, watch};

use lozenge::constraint::Constraint;
use lozenge::solver::{Policy, Strategy};

/// One strategy of each kind (Def. 4.4).
pub const STRATEGIES: [Strategy; 4] = [Strategy::Fifo, Strategy::Lifo, Strategy::Random(7), Strategy::Rounds];

/// The default policy with another strategy.
#[must_use]
pub fn with(strategy: Strategy) -> Policy {
    Policy { strategy, ..Policy::default() }
}

/// R2: is no axis written before a marker?
#[must_use]
pub fn is_at_left_edge(phi: &[Constraint]) -> bool {
    phi.iter().all(|c| match c {
        Constraint::RowEq(s, t) | Constraint::RowLe(s, t) => s.lead.is_empty() && t.lead.is_empty(),
        Constraint::DimEq(..) | Constraint::DimLe(..) => true,
    })
}
