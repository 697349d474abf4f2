//! Why a program is not translated.

use lozenge::notation::Span;
use std::fmt;

/// What a program is translated to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Onnx,
    Numpy,
    Einsum,
}

impl Language {
    /// As it is written on the command line and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Language::Onnx => "onnx",
            Language::Numpy => "numpy",
            Language::Einsum => "einsum",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::Onnx => "ONNX",
            Language::Numpy => "NumPy",
            Language::Einsum => "an einsum string",
        })
    }
}

/// What cannot be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The program reads the gradient of a tensor.
    Gradient(String),
    /// An operation has more iterators than there are letters.
    Letters(usize),
    /// Values that replace each other in one cell.
    Replaced,
    /// Powers that join in one cell.
    Powers,
    /// A table of this many cells would have to be written down.
    Table(u128),
    /// A size beyond 64-bit whole numbers with a sign.
    Size(u64),
    /// More cells than 64-bit whole numbers with a sign can count.
    Cells,
    /// More axes than the arrays of NumPy have.
    Axes(usize),
    /// An index that is too far outside its axis.
    Outside,
    /// Not a sum of products.
    Primitive(&'static str),
    /// An axis that is not read or written by an iterator of its own.
    Index(String),
    /// An assignment that keeps what is there.
    Keeps,
    /// Axes that run one after the other, or operands that are read so.
    Concatenated,
    /// A result with an iterator that no operand has.
    Stretched(String),
}

impl Why {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Why::Gradient(_) => "gradient",
            Why::Letters(_) => "letters",
            Why::Replaced => "replaced",
            Why::Powers => "powers",
            Why::Table(_) => "table",
            Why::Size(_) | Why::Cells => "size",
            Why::Axes(_) => "axes",
            Why::Outside => "outside",
            Why::Primitive(_) => "primitive",
            Why::Index(_) => "index",
            Why::Keeps => "keeps",
            Why::Concatenated => "concatenated",
            Why::Stretched(_) => "stretched",
        }
    }
}

/// A refusal: what, where, and in which language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub language: Language,
    pub why: Why,
    pub span: Span,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = self.language;
        match &self.why {
            Why::Gradient(of) => write!(f, "{language} has no gradients: this reads that of `{of}`"),
            Why::Letters(n) => write!(f, "{language} has 52 letters for axes: this operation needs {n}"),
            Why::Replaced => write!(f, "{language} has no last value: here values replace each other in one cell"),
            Why::Powers => write!(f, "{language} has no power over an axis: here several join in one cell"),
            Why::Table(n) => write!(f, "{language} needs a table of {n} cells for this, which is too large"),
            Why::Size(n) => write!(f, "{language} has no axis of size {n}"),
            Why::Cells => write!(f, "{language} has no array of 2^63 elements or more"),
            Why::Axes(n) => write!(f, "{language} is evaluated with arrays of at most 64 axes: here is one of {n}"),
            Why::Outside => write!(f, "{language} has no index so far outside an axis"),
            Why::Primitive(op) => write!(f, "{language} has sums of products only: this has `{op}`"),
            Why::Index(index) => write!(f, "{language} has an iterator for each axis only: this has the index {index}"),
            Why::Keeps => write!(f, "{language} makes new tensors only: this assignment keeps what is there"),
            Why::Concatenated => write!(f, "{language} has no axes and no operands one after the other"),
            Why::Stretched(name) => {
                write!(f, "{language} has no axis that only the result has: here that is {name}")
            }
        }
    }
}
