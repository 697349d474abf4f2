//! Einsum specifications: `i, j; j, k => i, k` and all that may stand in them (spec/program.md).
//!
//! ```
//! use lozenge::program::einsum::Spec;
//! let spec: Spec = "... | h d; ... | h d => ... | h".parse()?;
//! assert_eq!(spec.operands.len(), 2);
//! assert_eq!(spec.to_string(), "...|hd; ...|hd => ...|h");
//! let error = "ij; jk -> ik".parse::<Spec>().unwrap_err();
//! assert_eq!(error.render("ij; jk -> ik").lines().last(), Some("  |             ^"));
//! # Ok::<(), lozenge::program::einsum::SpecError>(())
//! ```

mod error;
mod lexer;
mod numpy;
mod parse;
mod print;

pub use error::{SpecError, SpecProblem};
pub use lexer::is_multi_character;
pub use numpy::ours;
pub use parse::unspecified;

use super::ast::Convolution;
use super::shape::Kind;

/// A specification: operands on the left, the result on the right.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Spec {
    /// One slot for each operand.
    pub operands: Vec<SpecSlot>,
    /// The result's slot.
    pub result: SpecSlot,
}

/// The three rows of one tensor. A kind that is not written is the closed empty row.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SpecSlot {
    /// The batch row.
    pub batch: SpecRow,
    /// The input row.
    pub input: SpecRow,
    /// The output row.
    pub output: SpecRow,
}

impl SpecSlot {
    /// The row of a kind.
    #[must_use]
    pub fn row(&self, kind: Kind) -> &SpecRow {
        match kind {
            Kind::Batch => &self.batch,
            Kind::Input => &self.input,
            Kind::Output => &self.output,
        }
    }

    /// The axes, in the order of the rows.
    pub fn axes(&self) -> impl Iterator<Item = &Axis> {
        Kind::ALL.into_iter().flat_map(|kind| self.row(kind).axes())
    }

    fn axes_mut(&mut self) -> impl Iterator<Item = &mut Axis> {
        let rows = [&mut self.batch, &mut self.input, &mut self.output];
        rows.into_iter().flat_map(|row| row.lead.iter_mut().chain(&mut row.trail))
    }
}

/// A row of axes around at most one row variable. Without one all axes are trailing: the marker is at the
/// left edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SpecRow {
    /// Axes before the row variable.
    pub lead: Vec<Axis>,
    /// The row variable's name; `...` has the name of its kind.
    pub var: Option<String>,
    /// Axes after the row variable, or all of them.
    pub trail: Vec<Axis>,
}

impl SpecRow {
    /// All axes, front to back.
    pub fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.lead.iter().chain(&self.trail)
    }
}

/// An axis of a slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Axis {
    /// An axis that is read or written at this index only.
    Fixed(u64),
    /// A label: one dimension and one iterator wherever it occurs.
    Label(String),
    /// `_`: a label of its own at each occurrence.
    Anonymous,
    /// `a^b`: one after the other.
    Concat(Vec<String>),
    /// A strided or convolved axis.
    Affine(Affine),
}

/// `s*o`, `s*o+c`, `s*o=+c+d*k` (padded), `s*o<+c+d*k` (valid), `s*o+c+d*k` (the program says which).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Affine {
    /// The stride s.
    pub stride: Option<Factor>,
    /// The label o that the stride steps over.
    pub over: String,
    /// The constant offset c.
    pub offset: Option<u64>,
    /// The kernel, for a convolution.
    pub kernel: Option<Kernel>,
}

/// A stride or dilation: a number, or a name from outside.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Factor {
    /// A number.
    Number(u64),
    /// A name.
    Name(String),
}

/// The kernel of a convolution.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    /// `=` or `<`; none where the context says it.
    pub mode: Option<Convolution>,
    /// The dilation d.
    pub dilation: Option<Factor>,
    /// The label k.
    pub label: String,
}

impl Spec {
    /// Every slot, the result's last.
    pub fn slots(&self) -> impl Iterator<Item = &SpecSlot> {
        self.operands.iter().chain(std::iter::once(&self.result))
    }

    /// The axes of all slots.
    pub fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.slots().flat_map(SpecSlot::axes)
    }

    /// The same, with this mode for the convolutions that have none.
    #[must_use]
    pub fn with_mode(mut self, mode: Convolution) -> Self {
        for axis in self.operands.iter_mut().chain([&mut self.result]).flat_map(SpecSlot::axes_mut) {
            if let Axis::Affine(Affine { kernel: Some(kernel), .. }) = axis {
                kernel.mode.get_or_insert(mode);
            }
        }
        self
    }

    /// Does it have axes whose size is worked out?
    #[must_use]
    pub fn is_staged(&self) -> bool {
        self.axes().any(|axis| matches!(axis, Axis::Concat(_) | Axis::Affine(_)))
    }
}
