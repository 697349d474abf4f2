//! Programs built in Rust, without text.
//!
//! ```
//! use lozenge::program::{Program, ast::Expr, infer};
//! let (x, w) = (Expr::name("x"), Expr::name("w"));
//! let program = Program::builder()
//!     .input("x", "5 | 3".parse().ok())
//!     .param("w", "... -> 7".parse().ok())
//!     .bind("y", (w.compose(x) + 1.0).relu())
//!     .build();
//! assert_eq!(program.to_string(), "input x: 5 | 3\nparam w: ... -> 7\nlet y = relu ((w * x) + 1.0)\n");
//! assert_eq!(infer(&program).unwrap().show("y").as_deref(), Some("5 | 7"));
//! # Ok::<(), lozenge::program::ProgramError>(())
//! ```

use super::ast::{
    Array, AssignOp, Assignment, BinaryOp, Declaration, DimValue, EinsumOp, Expr, ExprKind, Index, PermuteOp,
};
use super::ast::{
    Convolution, Init, Name, Program, Quoted, SpecUse, Statement, StatementKind, Target, TernaryOp, UnaryOp,
};
use super::einsum::ours;
use super::error::ProgramError;
use super::parse::{parse, parse_shape};
use super::shape::Declared;
use lozenge_notation::Span;
use std::ops::{Add, Sub};
use std::str::FromStr;

/// A program under construction.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    statements: Vec<Statement>,
}

impl Program {
    /// An empty program to add statements to.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The program as text, and the same program with its places in that text: for errors with excerpts.
    ///
    /// # Errors
    /// A [`ProgramError`] when a name is not one that can be written.
    pub fn placed(&self) -> Result<(String, Program), ProgramError> {
        let text = self.to_string();
        let program = parse(&text)?;
        Ok((text, program))
    }
}

impl FromStr for Declared {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        parse_shape(text)
    }
}

impl Builder {
    fn push(mut self, kind: StatementKind) -> Self {
        self.statements.push(Statement { kind, span: Span::default() });
        self
    }

    /// `input name: shape`
    #[must_use]
    pub fn input(self, name: &str, shape: Option<Declared>) -> Self {
        self.push(StatementKind::Input(Declaration { shape, ..name.into() }))
    }

    /// `param name: shape`
    #[must_use]
    pub fn param(self, name: &str, shape: Option<Declared>) -> Self {
        self.push(StatementKind::Param(Declaration { shape, ..name.into() }))
    }

    /// `param name: shape = init`
    #[must_use]
    pub fn initialised(self, name: &str, shape: Option<Declared>, init: Init) -> Self {
        self.push(StatementKind::Param(Declaration { shape, init: Some(init), ..name.into() }))
    }

    /// `const name: shape`
    #[must_use]
    pub fn constant(self, name: &str, shape: Option<Declared>) -> Self {
        self.push(StatementKind::Const(Declaration { shape, ..name.into() }))
    }

    /// `let name = value`
    #[must_use]
    pub fn bind(self, name: &str, value: Expr) -> Self {
        self.push(StatementKind::Let { name: name.into(), value })
    }

    /// `fn name(params) = body`
    #[must_use]
    pub fn function(self, name: &str, params: &[&str], body: Expr) -> Self {
        let params = params.iter().map(|p| Name::from(*p)).collect();
        self.push(StatementKind::Fn { name: name.into(), params, body })
    }

    /// `name = value`, for a dimension
    #[must_use]
    pub fn dim(self, name: &str, value: DimValue) -> Self {
        self.push(StatementKind::Dim { name: name.into(), value })
    }

    /// `elements name = value`, for a tensor
    #[must_use]
    pub fn elements(self, name: &str, value: DimValue) -> Self {
        self.push(StatementKind::Elements { name: name.into(), value })
    }

    /// `convolution mode`
    #[must_use]
    pub fn convolution(self, mode: Convolution) -> Self {
        self.push(StatementKind::Convolution(mode))
    }

    /// `target =op value ~logic:"…"`
    #[must_use]
    pub fn assign(self, target: Target, op: AssignOp, value: Expr, logic: Option<&str>) -> Self {
        let logic = logic.map(|text| Quoted::from(ours(text)));
        self.push(StatementKind::Assign(Assignment { target, op, value, logic }))
    }

    /// The program.
    #[must_use]
    pub fn build(self) -> Program {
        Program { statements: self.statements }
    }
}

impl From<ExprKind> for Expr {
    fn from(kind: ExprKind) -> Self {
        Expr { kind, span: Span::default() }
    }
}

impl From<f64> for Expr {
    fn from(n: f64) -> Self {
        ExprKind::Number(n.into()).into()
    }
}

impl From<&str> for SpecUse {
    fn from(text: &str) -> Self {
        SpecUse { text: ours(text).into(), captures: Vec::new() }
    }
}

impl SpecUse {
    /// This specification, with these labels captured.
    #[must_use]
    pub fn capture(mut self, names: &[&str]) -> Self {
        self.captures.extend(names.iter().map(|name| Name::from(*name)));
        self
    }
}

macro_rules! unary {
    ($($method:ident $op:ident)*) => {$(
        #[doc = concat!("The function `", stringify!($method), "`, element by element.")]
        #[must_use]
        pub fn $method(self) -> Expr {
            ExprKind::Unary { op: UnaryOp::$op, spec: None, arg: Box::new(self) }.into()
        }
    )*};
}

impl Expr {
    /// A tensor by its name.
    #[must_use]
    pub fn name(name: &str) -> Expr {
        ExprKind::Name(name.to_owned()).into()
    }

    /// `{ name: shape }`: a parameter of its own.
    #[must_use]
    pub fn param(name: &str, shape: Option<Declared>) -> Expr {
        ExprKind::Param(Declaration { shape, ..name.into() }).into()
    }

    /// `(values: shape)`
    #[must_use]
    pub fn literal(values: Array, shape: Declared) -> Expr {
        ExprKind::Literal { values, shape }.into()
    }

    /// `dim name`
    #[must_use]
    pub fn size(name: &str) -> Expr {
        ExprKind::Size(name.to_owned()).into()
    }

    /// `name(args)`
    #[must_use]
    pub fn call(name: &str, args: Vec<Expr>) -> Expr {
        ExprKind::Call { function: name.into(), args }.into()
    }

    unary! { relu Relu exp Exp log Log sin Sin cos Cos sqrt Sqrt tanh Tanh recip Recip }

    /// A pointwise operation, or composition.
    #[must_use]
    pub fn binary(self, op: BinaryOp, rhs: impl Into<Expr>) -> Expr {
        ExprKind::Binary { op, lhs: Box::new(self), rhs: Box::new(rhs.into()) }.into()
    }

    /// `self * rhs`: composition, the matrix product.
    #[must_use]
    pub fn compose(self, rhs: impl Into<Expr>) -> Expr {
        self.binary(BinaryOp::Compose, rhs)
    }

    /// `self *. rhs`: the product, element by element.
    #[must_use]
    pub fn times(self, rhs: impl Into<Expr>) -> Expr {
        self.binary(BinaryOp::Mul, rhs)
    }

    /// `self /. rhs`.
    #[must_use]
    pub fn over(self, rhs: impl Into<Expr>) -> Expr {
        self.binary(BinaryOp::Div, rhs)
    }

    /// `self +* "spec" rhs` and its kin.
    #[must_use]
    pub fn einsum(self, op: EinsumOp, spec: impl Into<SpecUse>, rhs: impl Into<Expr>) -> Expr {
        ExprKind::Einsum { op, spec: spec.into(), lhs: Box::new(self), rhs: Box::new(rhs.into()) }.into()
    }

    /// `self ++ "spec"`, `self @^^ "spec"`, `mean(self, "spec")`.
    #[must_use]
    pub fn permute(self, op: PermuteOp, spec: impl Into<SpecUse>) -> Expr {
        ExprKind::Permute { op, spec: spec.into(), arg: Box::new(self) }.into()
    }

    /// `self @| index`.
    #[must_use]
    pub fn slice(self, index: Index) -> Expr {
        ExprKind::Slice { arg: Box::new(self), index }.into()
    }

    /// `where a b c`, `fma a b c`.
    #[must_use]
    pub fn ternary(op: TernaryOp, args: [Expr; 3]) -> Expr {
        ExprKind::Ternary { op, spec: None, args: Box::new(args) }.into()
    }

    /// `(a, b, c) +* "spec"`, `where "spec" c a b`.
    #[must_use]
    pub fn specified(op: TernaryOp, spec: impl Into<SpecUse>, args: [Expr; 3]) -> Expr {
        ExprKind::Ternary { op, spec: Some(spec.into()), args: Box::new(args) }.into()
    }
}

impl<T: Into<Expr>> Add<T> for Expr {
    type Output = Expr;

    fn add(self, rhs: T) -> Expr {
        self.binary(BinaryOp::Add, rhs)
    }
}

impl<T: Into<Expr>> Sub<T> for Expr {
    type Output = Expr;

    fn sub(self, rhs: T) -> Expr {
        self.binary(BinaryOp::Sub, rhs)
    }
}
