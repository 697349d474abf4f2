//! From programs to constraints: tensors, operations, and Φ with the origin of every constraint.
//!
//! [`logic`] has the table: one function for each way in which an operation relates its rows.

mod again;
mod alike;
mod apply;
mod declare;
mod known;
mod literal;
pub mod logic;
mod mean;
mod operate;
mod pattern;
mod room;
mod scope;
pub mod sized;
mod walk;

use super::ast::{Accumulate, Array, BinaryOp, Index, Program, Quoted, TernaryOp, UnaryOp};
use super::einsum::Spec;
use super::error::ProgramError;
use super::numeral::Numeral;
use super::shape::{ByKind, Kind, ShapeTerm};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm};
use lozenge_engine::closing::Tags;
use lozenge_notation::Span;
use lozenge_staged::SizeClaim;
pub(crate) use scope::similar;
pub use sized::ClaimOrigin;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The number of a tensor.
pub type TensorId = usize;

/// What a tensor is. All but the last two are leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// `input`
    Input,
    /// `param`: its shape must be determined.
    Param,
    /// `const`: a leaf whose shape the context may decide.
    Const,
    /// A number, a tensor literal, or `dim h`.
    Literal,
    /// The result of an operation.
    Interior,
    /// The gradient of another tensor, with the same shape.
    Gradient(TensorId),
}

impl Role {
    /// The name, for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Input => "input",
            Role::Param => "param",
            Role::Const => "const",
            Role::Literal => "literal",
            Role::Interior => "let",
            Role::Gradient(_) => "grad",
        }
    }

    /// Is its shape determined by its uses?
    #[must_use]
    pub fn is_leaf(self) -> bool {
        matches!(self, Role::Input | Role::Param | Role::Const | Role::Literal)
    }
}

/// A tensor of the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Its name; what a function application makes has the application before it, as in `f#1.w`.
    pub name: Option<Arc<str>>,
    /// What it is.
    pub role: Role,
    /// Its rows.
    pub shape: ShapeTerm,
    /// Where it is declared or computed.
    pub span: Span,
    /// Its value, for literals; what it begins with, for parameters that say it.
    pub value: Option<Literal>,
    /// The operation that makes it, for the result of an expression.
    pub by: Option<usize>,
    /// Where the marker of each row comes from.
    pub markers: ByKind<Marker>,
}

/// The value of a literal.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// A scalar; for a parameter, the same in every cell.
    Number(Numeral),
    /// Nested lists, in the order of storage.
    Array(Array),
    /// 0, 1, 2, … in the order of storage, for a parameter.
    Range,
    /// The size of a dimension, as solved.
    Size(String, Measure),
}

/// What a name for sizes stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The size of an axis.
    Dim(DimTerm),
    /// The product of the sizes of a row.
    Row(RowTerm),
}

/// How an operation relates the rows of its tensors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    /// Element by element, with broadcasting.
    Pointwise,
    /// Input and output rows change places.
    Transpose,
    /// The first operand's input meets the second operand's output.
    Compose,
    /// Composition, and a third operand element by element.
    ComposeAccumulate,
    /// A specification with several operands.
    Einsum,
    /// A specification with one operand.
    Permute,
    /// A specification whose operands are put one after the other.
    Block,
    /// The outermost batch axis at one index.
    Slice,
}

impl Logic {
    /// The name, for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Logic::Pointwise => "pointwise",
            Logic::Transpose => "transpose",
            Logic::Compose => "compose",
            Logic::ComposeAccumulate => "compose-accumulate",
            Logic::Einsum => "einsum",
            Logic::Permute => "permute",
            Logic::Block => "block",
            Logic::Slice => "slice",
        }
    }
}

/// What is computed from one element of each operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    /// The element itself.
    Copy,
    /// A function of one.
    Unary(UnaryOp),
    /// A function of two.
    Binary(BinaryOp),
    /// A function of three.
    Ternary(TernaryOp),
}

/// One operation: `result = accumulate of primitive(operands)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// The logic.
    pub logic: Logic,
    /// The primitive.
    pub primitive: Primitive,
    /// How values for one element of the result join.
    pub accumulate: Accumulate,
    /// Is the result set to the neutral element first? Only an assignment without a colon does not.
    pub erase: bool,
    /// Does each cell begin at the third operand? That is the expression `fma a b c`; as the primitive of an assignment `fma`
    /// is a·b + c at each point.
    pub begun: bool,
    /// The result.
    pub result: TensorId,
    /// The operands.
    pub operands: Vec<TensorId>,
    /// The specification, for the logics that have one. Applications of one function share theirs.
    pub spec: Option<Arc<Specification>>,
    /// What the labels and row variables of the specification stand for.
    pub template: pattern::Template,
    /// The strides and dilations of the specification that have names.
    pub factors: BTreeMap<String, DimTerm>,
    /// The index, for a slice.
    pub index: Option<Index>,
    /// Where it is written.
    pub span: Span,
    /// The applications of functions that it is part of, outermost first. The operations of one share them.
    pub calls: Arc<[Span]>,
    /// Its constraints.
    pub constraints: Range<usize>,
}

/// A specification as it is used.
#[derive(Clone, PartialEq, Debug)]
pub struct Specification {
    /// What it says.
    pub spec: Spec,
    /// The same as rows.
    pattern: Arc<pattern::Pattern>,
    /// How and where it is written.
    pub quoted: Quoted,
    /// The places of its slots, the result's last; none where it is not written in a text.
    slots: Vec<Span>,
    /// The labels that it projects away.
    discardable: BTreeSet<String>,
    /// The names of its strides and dilations.
    factors: BTreeSet<String>,
}

/// Which tensor of an operation a constraint speaks of, beside the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// The result against its slot of the specification.
    Result,
    /// An operand, from 0.
    Argument(usize),
    /// The first operand's input row against the second's output row.
    Between(usize, usize),
}

/// Where the marker of a tensor's row, or of a constraint's new row, comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Marker {
    /// Nothing is declared: the row is a variable, and its marker stands where that of its value does.
    Open,
    /// The row of a literal: before its axes.
    Literal,
    /// No row is new: markers stand where the tensors have them.
    Inherited,
    /// At a `...` or `..r..` of a declared shape or a specification.
    Ellipsis,
    /// A row without one: at the left edge.
    LeftEdge,
    /// After the axis that a slice takes off.
    Slice,
}

impl Marker {
    /// The name, for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Marker::Open => "open",
            Marker::Literal => "literal",
            Marker::Inherited => "inherited",
            Marker::Ellipsis => "ellipsis",
            Marker::LeftEdge => "left edge",
            Marker::Slice => "slice",
        }
    }
}

/// Where a constraint comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// The operation; none for a statement about a dimension.
    pub operation: Option<usize>,
    /// The operand.
    pub operand: Operand,
    /// The kind of the operand's row.
    pub kind: Kind,
    /// The label or named dimension, where the constraint is about one.
    pub label: Option<String>,
    /// Where the row's marker comes from.
    pub marker: Marker,
    /// The place of the operation, slot or statement.
    pub span: Span,
}

/// An axis that is touched at one index only. The calculus cannot say that its size is larger than the
/// index; closing comes first and the check after it.
#[derive(Clone, PartialEq, Debug)]
pub struct FixedIndex {
    /// The axis.
    pub axis: DimTerm,
    /// The index.
    pub index: u64,
    /// The operation.
    pub operation: usize,
    /// Which slot of it.
    pub operand: Operand,
    /// The kind of the row.
    pub kind: Kind,
}

/// A name for a solved size.
#[derive(Clone, PartialEq, Debug)]
pub struct Capture {
    /// The name, with the application before it as for tensors.
    pub name: String,
    /// What it measures.
    pub of: Measure,
    /// Where it is captured or declared.
    pub span: Span,
}

/// A program as tensors, operations and constraints.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Variables and bases.
    pub names: Names,
    /// The tensors, in order of appearance.
    pub tensors: Vec<Tensor>,
    /// Names of tensors, in order of definition. One tensor may have several.
    pub bindings: Vec<(Arc<str>, TensorId)>,
    /// Those among them that a tensor without a name could be given.
    pub(crate) numbered: BTreeSet<String>,
    /// Which of the program's functions were applied: the bodies of the others were not looked at.
    pub(crate) applied: Vec<bool>,
    /// The operations, in order.
    pub operations: Vec<Operation>,
    /// Φ.
    pub constraints: Vec<Constraint>,
    /// The origin of each constraint.
    pub origins: Vec<Origin>,
    /// Sizes that have names.
    pub captures: Vec<Capture>,
    /// Axes touched at one index.
    pub fixed: Vec<FixedIndex>,
    /// Claims about sizes, for the staged layer.
    pub claims: Vec<SizeClaim>,
    /// The origin of each claim.
    pub claim_origins: Vec<ClaimOrigin>,
    /// Labels that specifications project away, and names of sizes, that are no axes of tensors.
    pub discardable: BTreeSet<DimVar>,
    /// The variables of leaves and of parameters.
    pub tags: Tags,
    /// Applications that are alike, in the order of their constraints.
    pub(crate) alike: Vec<alike::Alike>,
}

/// The constraints of a program.
///
/// # Errors
/// A [`ProgramError`] for names, numbers of operands and specifications that cannot be right whatever
/// the shapes are.
pub fn generate(program: &Program) -> Result<Generated, ProgramError> {
    walk::run(program, false)
}

/// The same by the definition: every application walks the body of its function. [`generate`] copies what an earlier
/// one made where it can.
///
/// # Errors
/// As [`generate`].
pub fn generate_walking(program: &Program) -> Result<Generated, ProgramError> {
    walk::run(program, true)
}

/// Is it t, a number, and perhaps underscores? Tensors without a name are called so.
pub(crate) fn is_numbered(name: &str) -> bool {
    name.strip_prefix('t').is_some_and(|number| {
        let number = number.trim_end_matches('_');
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    })
}

impl Generated {
    /// The constraints up to one, in the order in which they are solved: what one operation says is taken up at once.
    pub(super) fn by_operation(&self, upto: usize) -> impl Iterator<Item = Range<usize>> {
        let (origins, mut start) = (&self.origins[..upto], 0);
        std::iter::from_fn(move || {
            let of = origins.get(start)?.operation;
            let is_of_it = |origin: &Origin| origin.operation == of;
            let count = || origins[start..].iter().take_while(|origin| is_of_it(origin)).count();
            // An operation knows its constraints.
            let end = of.map_or_else(|| start + count(), |o| self.operations[o].constraints.end.min(upto));
            debug_assert_eq!(end, start + count(), "the constraints of an operation stand together");
            Some(std::mem::replace(&mut start, end)..end)
        })
    }

    /// The tensor of this name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<TensorId> {
        self.bindings.iter().rev().find(|(n, _)| **n == *name).map(|(_, id)| *id)
    }
}
