//! Shape errors people can act on: what clashes, where each claim comes from, and what to try.

mod behind;
mod clash;
mod draw;
mod fits;
mod open;
mod part;
mod remedy;
mod sides;
mod size;
mod slots;
mod trace;
mod words;

use super::diagnostic::{Code, Diagnostic};
use super::error::ProgramError;
use super::generate::Marker;
use super::shape::Kind;
pub use behind::{Behind, Equation, Leaf, Witness};
pub(super) use clash::failed;
pub use draw::{Drawn, DrawnRow};
use lozenge_engine::solver::{Limit, Rule, Why};
use lozenge_notation::Span;
pub(super) use open::hole;
pub use sides::{Place, Side};
pub use size::SizeError;
use std::fmt;
pub use words::Words;

/// Why a program has no shapes.
#[derive(Clone, Debug)]
pub enum InferError {
    /// It is not well formed.
    Program(ProgramError),
    /// Two claims about shapes do not go together.
    Clash(Box<Clash>),
    /// A parameter has a dimension that nothing determines.
    Hole(Box<HoleError>),
    /// An index is not less than the size of its axis.
    Index(Box<IndexError>),
    /// A size that is worked out cannot be.
    Size(Box<SizeError>),
    /// A limit of the solver was reached.
    Limit(Limit),
}

impl From<ProgramError> for InferError {
    fn from(error: ProgramError) -> Self {
        InferError::Program(error)
    }
}

/// A step of the way from the program to the clash: what is said, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// The constraint of the program, by number.
    pub constraint: usize,
    /// The place.
    pub span: Span,
    /// What is said there; tensors without a name are given by their place.
    pub words: Words,
    /// Where the marker of its row comes from.
    pub marker: Marker,
}

/// One of the two claims that clash.
#[derive(Clone, PartialEq, Debug)]
pub struct ClashClaim {
    /// What is claimed.
    pub value: String,
    /// The links that say so, nearest first.
    pub because: Vec<Link>,
}

/// Two claims about shapes that do not go together.
#[derive(Clone, Debug)]
pub struct Clash {
    /// The rule that failed.
    pub rule: Rule,
    /// Why, as the solver says it.
    pub why: Why,
    /// The constraint it failed on, in the notation.
    pub constraint: String,
    /// Is it certain that there are no shapes? If not, a choice of where axes are inserted led here.
    pub certain: bool,
    /// Did everything fit until sizes were assumed for what is left open?
    pub closing: bool,
    /// The kind of row.
    pub kind: Kind,
    /// The label or named dimension, if it is about one.
    pub label: Option<String>,
    /// What is wrong, in a sentence.
    pub message: Words,
    /// The two axes or rows that do not fit, where they can be told.
    pub sides: Vec<Side>,
    /// The operation, or the statement, where it shows.
    pub span: Span,
    /// The applications of functions that it is part of, outermost first.
    pub calls: Vec<Span>,
    /// The result and the operands of that operation.
    pub operands: Vec<Drawn>,
    /// The claims.
    pub claims: Vec<ClashClaim>,
    /// Everything the clash rests on, in the program's order.
    pub chain: Vec<Link>,
    /// Size equations and commitments that it rests on.
    pub behind: Behind,
    /// What to try.
    pub remedies: Vec<String>,
}

/// A parameter's dimension that nothing determines.
#[derive(Clone, Debug)]
pub struct HoleError {
    /// The parameter.
    pub tensor: String,
    /// Where it is declared.
    pub span: Span,
    /// The kind of the row.
    pub kind: Kind,
    /// What is known of its shape.
    pub known: String,
    /// Where it is used.
    pub uses: Vec<Link>,
}

/// An index that is not less than the size of its axis.
#[derive(Clone, Debug)]
pub struct IndexError {
    /// The index.
    pub index: u64,
    /// How many elements the axis has.
    pub size: u64,
    /// The kind of the row.
    pub kind: Kind,
    /// The tensor.
    pub tensor: Words,
    /// Its shape.
    pub shape: String,
    /// Is it the index of a slice?
    pub slice: bool,
    /// The operation.
    pub span: Span,
    /// Is it certain? If not, an assumption about the axis led here.
    pub certain: bool,
    /// What it rests on.
    pub behind: Behind,
}

impl InferError {
    /// The place in the program, if there is one.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            InferError::Program(error) => error.span,
            InferError::Clash(clash) => clash.span,
            InferError::Hole(hole) => hole.span,
            InferError::Index(index) => index.span,
            InferError::Size(size) => size.span,
            InferError::Limit(_) => Span::default(),
        }
    }

    /// What a shape error rests on beside the program's constraints.
    #[must_use]
    pub fn behind(&self) -> Option<&Behind> {
        match self {
            InferError::Clash(clash) => Some(&clash.behind),
            InferError::Index(index) => Some(&index.behind),
            InferError::Size(size) => Some(&size.behind),
            InferError::Program(_) | InferError::Hole(_) | InferError::Limit(_) => None,
        }
    }

    /// What is wrong, in a sentence, for a program written in this source.
    #[must_use]
    pub fn headline(&self, source: &str) -> String {
        match self {
            InferError::Program(error) => error.problem.to_string(),
            InferError::Clash(clash) => clash.message.render(source),
            InferError::Hole(hole) => hole.to_string(),
            InferError::Index(index) => index.headline(source),
            InferError::Size(size) => size.to_string(),
            InferError::Limit(limit) => {
                let also = || format!("; that is also where sizes end, at {}", u64::MAX);
                let end = if *limit == Limit::Size { also() } else { String::new() };
                format!("the solver reached its limit on {}{end}", limit.name())
            }
        }
    }

    /// All there is to say, for a program written in this source, but for what to write instead.
    #[must_use]
    pub fn diagnostic(&self, source: &str) -> Diagnostic {
        let mut told = Diagnostic::new(Code::from(self), self.headline(source), self.span());
        match self {
            InferError::Program(_) | InferError::Limit(_) => {}
            InferError::Clash(clash) => draw::clash(clash, source, &mut told),
            InferError::Hole(hole) => draw::hole(hole, source, &mut told),
            InferError::Index(index) => draw::index(index, source, &mut told),
            InferError::Size(size) => draw::size(size, source, &mut told),
        }
        told
    }

    /// The whole explanation, for a program written in this source.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        self.diagnostic(source).render(None, source)
    }
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline(""))
    }
}

impl std::error::Error for InferError {}
