//! Programs as data. The text, the JSON form and the builder all make this.

use super::numeral::Numeral;
use super::shape::Declared;
use lozenge_notation::Span;
#[cfg(feature = "json")]
use serde::Serialize;

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
    /// `param w: shape`
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
}

impl From<Name> for Declaration {
    fn from(name: Name) -> Self {
        Declaration { name, shape: None }
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
    /// `dim h`: a scalar with a solved size.
    Size(#[cfg_attr(feature = "schema", schemars(with = "Name"))] String),
    /// `{ w }`, `{ w: shape }`: a parameter of its own.
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
    /// `a ++ "spec"`, `a @^^ "spec"`.
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
    /// `where c a b`, `fma a b c`.
    Ternary {
        /// The function.
        op: TernaryOp,
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
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize), serde(untagged))]
pub enum Index {
    /// A constant.
    Number(u64),
    /// A name that gets its value when the program runs.
    Name(#[cfg_attr(feature = "schema", schemars(with = "Name"))] String),
}

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal $words:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", derive(Serialize))]
        pub enum $name {
            $(#[doc = $words] #[cfg_attr(feature = "json", serde(rename = $text))] $variant,)*
        }

        impl $name {
            /// Every one.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// As it is written.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

operators! {
    /// Functions of one operand.
    UnaryOp {
        Relu "relu" "max(x, 0)";
        Exp "exp" "eˣ";
        Log "log" "ln x";
        Sin "sin" "sin x";
        Cos "cos" "cos x";
        Sqrt "sqrt" "√x";
        Tanh "tanh" "tanh x";
        Recip "recip" "1 / x";
        Neg "neg" "−x";
        Not "not" "1 if x = 0, else 0";
    }
}

operators! {
    /// Operators between two operands, without a specification.
    BinaryOp {
        Add "+" "x + y";
        Sub "-" "x − y";
        Mul "*." "x · y, element by element";
        Div "/." "x / y";
        Pow "**." "xʸ";
        Lt "<" "1 if x < y, else 0";
        Eq "=" "1 if x = y, else 0";
        Ne "<>" "1 if x ≠ y, else 0";
        Compose "*" "composition: the matrix product";
        And "&&" "1 if neither is 0, else 0";
        Or "||" "1 if one is not 0, else 0";
        Max "max" "the larger";
        Min "min" "the smaller";
        Gate "relu_gate" "y if x > 0, else 0";
    }
}

impl BinaryOp {
    /// Is it written between its operands? The others are functions of two, as `max a b`.
    #[must_use]
    pub fn is_infix(self) -> bool {
        !matches!(self, BinaryOp::Max | BinaryOp::Min | BinaryOp::Gate)
    }
}

operators! {
    /// Operators that only an assignment has, beside `+`, `-`, `*` and the comparisons.
    PrimitiveOp {
        Div "/" "x / y";
        Pow "**" "xʸ";
    }
}

impl PrimitiveOp {
    /// The operation on tensors that computes the same.
    #[must_use]
    pub fn pointwise(self) -> BinaryOp {
        match self {
            PrimitiveOp::Div => BinaryOp::Div,
            PrimitiveOp::Pow => BinaryOp::Pow,
        }
    }
}

operators! {
    /// Operators between two operands, with a specification.
    EinsumOp {
        Product "+*" "the sum of products";
        Sum "+++" "the sum of sums";
        Tropical "@^+" "the maximum of sums";
    }
}

operators! {
    /// Operators on one operand, with a specification.
    PermuteOp {
        Sum "++" "permute, and sum what is left out";
        Max "@^^" "permute, and take the maximum over what is left out";
    }
}

operators! {
    /// Functions of three operands.
    TernaryOp {
        Where "where" "a where c is not 0, else b";
        Fma "fma" "a * b + c";
        Mul3 "mul3" "a · b · c, element by element";
    }
}

operators! {
    /// How a value joins what is there.
    Accumulate {
        Replace "" "replaces it";
        Add "+" "the sum";
        Sub "-" "the difference";
        Mul "*" "the product";
        Div "/" "the quotient";
        Pow "**" "the power";
        Max "@^" "the maximum";
        Min "@-" "the minimum";
        And "&&" "1 if both are not 0";
        Or "||" "1 if one is not 0";
    }
}

impl Accumulate {
    /// Its neutral element, as a real number: what cells hold that no point writes, after the target was erased.
    #[must_use]
    pub fn neutral(self) -> f64 {
        match self {
            Accumulate::Replace | Accumulate::Add | Accumulate::Sub | Accumulate::Or => 0.0,
            Accumulate::Mul | Accumulate::Div | Accumulate::Pow | Accumulate::And => 1.0,
            Accumulate::Max => f64::NEG_INFINITY,
            Accumulate::Min => f64::INFINITY,
        }
    }
}
