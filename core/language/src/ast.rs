//! Programs as data. The text, the JSON form and the builder all make this.

mod operators;

use super::numeral::Numeral;
use super::shape::Declared;
use lozenge_notation::Span;
#[cfg(feature = "json")]
use serde::Serialize;

pub use operators::{Accumulate, BinaryOp, Convolution, EinsumOp, PermuteOp, PrimitiveOp, TernaryOp, UnaryOp};

/// A program: statements, in order.
#[derive(Clone, PartialEq, Debug, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(deny_unknown_fields))]
pub struct Program {
    /// The statements.
    pub statements: Vec<Statement>,
}

/// A name, and where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "json", derive(Serialize), serde(into = "String"))]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name { text, span: Span::default() }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name::from(text.to_owned())
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.text
    }
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(rename_all = "lowercase"))]
#[allow(clippy::large_enum_variant, reason = "a program has few of these, and a box would show in every pattern")]
pub enum StatementKind {
    /// `input x: shape`
    Input(Declaration),
    /// `param w: shape`, `param w: shape = range`
    Param(Declaration),
    /// `const c: shape`
    Const(Declaration),
    /// `let y = expr`
    Let {
        /// y
        name: Name,
        /// The expression.
        value: Expr,
    },
    /// `fn f(x, y) = expr`
    Fn {
        /// f
        name: Name,
        /// The arguments' names.
        params: Vec<Name>,
        /// The body.
        body: Expr,
    },
    /// `h = 8`: what a dimension is.
    Dim {
        /// h
        name: Name,
        /// What it is.
        value: DimValue,
    },
    /// `elements x = 24`: how many elements a tensor has, over all its rows.
    Elements {
        /// x
        name: Name,
        /// How many.
        value: DimValue,
    },
    /// `convolution padded`: what an axis `o+k` is, in the statements from here on.
    Convolution(Convolution),
    /// `lhs =:+ rhs ~logic:"…"`
    Assign(Assignment),
}

/// A declared tensor.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(deny_unknown_fields))]
pub struct Declaration {
    /// Its name.
    pub name: Name,
    /// Its shape; left to inference if none.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub shape: Option<Declared>,
    /// What it begins with. Only a parameter has this.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub init: Option<Init>,
}

/// What a parameter begins with, unless it gets other data.
#[derive(Clone, PartialEq, Debug)]
pub enum Init {
    /// `range`: 0, 1, 2, … in the order of storage.
    Range,
    /// A number in every cell, or nested lists, which give the parameter its shape.
    Values(Array),
}

impl From<Name> for Declaration {
    fn from(name: Name) -> Self {
        Declaration { name, shape: None, init: None }
    }
}

impl From<&str> for Declaration {
    fn from(name: &str) -> Self {
        Name::from(name).into()
    }
}

/// What a named dimension is said to be.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(rename_all = "lowercase"))]
pub enum DimValue {
    /// A size, as in `h = 8`.
    Size(u64),
    /// The same as another, as in `d = h`.
    Same(Name),
    /// A multiple of another, as in `d = 2 * h`.
    Scaled(u64, Name),
}

/// An assignment.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(deny_unknown_fields))]
pub struct Assignment {
    /// What is written.
    pub target: Target,
    /// The operator.
    pub op: AssignOp,
    /// The right-hand side. Its outermost operator is the assignment's primitive.
    pub value: Expr,
    /// `~logic:"…"`
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub logic: Option<Quoted>,
}

/// The left-hand side of an assignment.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(rename_all = "lowercase"))]
#[allow(clippy::large_enum_variant, reason = "a program has few of these, and a box would show in every pattern")]
pub enum Target {
    /// A tensor that exists.
    Name(Name),
    /// `x.grad`
    Grad(Name),
    /// `{ x }`, `{ x: shape }`: a new tensor.
    New(
        #[cfg_attr(feature = "schema", schemars(with = "super::json::Short"))]
        #[cfg_attr(feature = "json", serde(serialize_with = "super::json::short"))]
        Declaration,
    ),
}

/// `=`, a colon if the target is erased first, and how values accumulate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(deny_unknown_fields))]
pub struct AssignOp {
    /// Is the target set to the neutral element first?
    pub erase: bool,
    /// The accumulation.
    pub accumulate: Accumulate,
}

/// Text in quotes, with the place of its content.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(from = "String", into = "String"))]
pub struct Quoted {
    /// The text between the quotes.
    pub text: String,
    /// Where that is.
    pub span: Span,
}

impl From<String> for Quoted {
    fn from(text: String) -> Self {
        Quoted { text, span: Span::default() }
    }
}

impl From<Quoted> for String {
    fn from(quoted: Quoted) -> String {
        quoted.text
    }
}

/// A specification in a program, with the names its solved sizes get.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(deny_unknown_fields))]
pub struct SpecUse {
    /// The specification.
    pub text: Quoted,
    /// `["h"; "d"]`
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub captures: Vec<Name>,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(rename_all = "lowercase"))]
pub enum ExprKind {
    /// A tensor by its name.
    Name(#[cfg_attr(feature = "schema", schemars(with = "Name"))] String),
    /// `x.grad`
    Grad(#[cfg_attr(feature = "schema", schemars(with = "Name"))] String),
    /// A scalar literal.
    Number(Numeral),
    /// A tensor literal: `[[1, 2], [3, 4]]`, output axes.
    Tensor(Array),
    /// `([[1, 2], [3, 4]]: shape)`: lists inside each other in the order of storage, batch, output, input.
    Literal {
        /// The numbers.
        values: Array,
        /// The shape.
        shape: Declared,
    },
    /// `dim h`: a scalar with a solved size.
    Size(#[cfg_attr(feature = "schema", schemars(with = "Name"))] String),
    /// `{ w }`, `{ w: shape }`, `{ w = 0.5 }`: a parameter of its own.
    Param(Declaration),
    /// A function of each element; with a specification, after a permutation.
    Unary {
        /// The function.
        op: UnaryOp,
        /// The specification, if any.
        #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
        spec: Option<SpecUse>,
        /// The operand.
        arg: Box<Expr>,
    },
    /// A pointwise operation, or (`*`) composition.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Its left operand.
        lhs: Box<Expr>,
        /// Its right operand.
        rhs: Box<Expr>,
    },
    /// `a / b` and `a ** b`: the outermost operator of an assignment, and nothing else.
    Primitive {
        /// The operator.
        op: PrimitiveOp,
        /// Its left operand.
        lhs: Box<Expr>,
        /// Its right operand.
        rhs: Box<Expr>,
    },
    /// `a +* "spec" b` and its kin.
    Einsum {
        /// The operator.
        op: EinsumOp,
        /// The specification.
        spec: SpecUse,
        /// Its left operand.
        lhs: Box<Expr>,
        /// Its right operand.
        rhs: Box<Expr>,
    },
    /// `a ++ "spec"`, `a @^^ "spec"`, `mean(a, "spec")`.
    Permute {
        /// The operator.
        op: PermuteOp,
        /// The specification.
        spec: SpecUse,
        /// The operand.
        arg: Box<Expr>,
    },
    /// `(a, b) ++^ "spec"`.
    Concat {
        /// The specification.
        spec: SpecUse,
        /// The operands.
        args: Vec<Expr>,
    },
    /// `a @| i`.
    Slice {
        /// The operand.
        arg: Box<Expr>,
        /// The index, from outside.
        index: Index,
    },
    /// `where c a b`, `fma a b c`; with a specification `(a, b, c) +* "spec"` and `where "spec" c a b`.
    Ternary {
        /// The function.
        op: TernaryOp,
        /// The specification, if any. `fma` has none.
        #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
        spec: Option<SpecUse>,
        /// Its operands.
        args: Box<[Expr; 3]>,
    },
    /// `f(x, y)`.
    Call {
        /// The function.
        function: Name,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `let x = value in body`.
    Let {
        /// x
        name: Name,
        /// Its value.
        value: Box<Expr>,
        /// Where it is visible.
        body: Box<Expr>,
    },
}

/// Numbers, or lists of arrays.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(untagged))]
pub enum Array {
    /// An element.
    Number(Numeral),
    /// An axis.
    List(Vec<Array>),
}

/// The index of a slice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(untagged))]
pub enum Index {
    /// A constant.
    Number(u64),
    /// A name that gets its value when the program runs.
    Name(#[cfg_attr(feature = "schema", schemars(with = "Name"))] String),
}
