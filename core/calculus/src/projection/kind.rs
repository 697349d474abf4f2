//! The three rows of a shape.
//!
//! Chapter: spec/7-projections.md.

use std::fmt;

/// The three kinds of row of a shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Before `|`.
    Batch,
    /// Before `->`.
    Input,
    /// The last.
    Output,
}

impl Kind {
    /// In the order in which they are written.
    pub const ALL: [Kind; 3] = [Kind::Batch, Kind::Input, Kind::Output];

    /// `batch`, `input` or `output`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Batch => "batch",
            Kind::Input => "input",
            Kind::Output => "output",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
