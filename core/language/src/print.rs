//! Programs as text. What is printed is read back as the same program.

use super::ast::{Array, Assignment, Declaration, DimValue, Expr, ExprKind, Index, Program, SpecUse, Statement};
use super::ast::{EinsumOp, Init, Name, StatementKind, Target, TernaryOp};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statements.iter().try_for_each(|statement| writeln!(f, "{statement}"))
    }
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        self.shape.as_ref().map_or(Ok(()), |shape| write!(f, ": {shape}"))?;
        self.init.as_ref().map_or(Ok(()), |init| write!(f, " = {init}"))
    }
}

impl fmt::Display for Init {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Init::Range => f.write_str("range"),
            Init::Values(array) => array.fmt(f),
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StatementKind::Input(declaration) => write!(f, "input {declaration}"),
            StatementKind::Param(declaration) => write!(f, "param {declaration}"),
            StatementKind::Const(declaration) => write!(f, "const {declaration}"),
            StatementKind::Let { name, value } => write!(f, "let {} = {value}", name.text),
            StatementKind::Fn { name, params, body } => write!(f, "fn {}({}) = {body}", name.text, names(params)),
            StatementKind::Dim { name, value } => write!(f, "{} = {value}", name.text),
            StatementKind::Elements { name, value } => write!(f, "elements {} = {value}", name.text),
            StatementKind::Convolution(mode) => write!(f, "convolution {}", mode.text()),
            StatementKind::Assign(Assignment { target, op, value, logic }) => {
                match target {
                    Target::Name(name) => f.write_str(&name.text)?,
                    Target::Grad(name) => write!(f, "{}.grad", name.text)?,
                    Target::New(declaration) => write!(f, "{{ {declaration} }}")?,
                }
                let colon = if op.erase { ":" } else { "" };
                write!(f, " ={colon}{} {value}", op.accumulate.text())?;
                logic.as_ref().map_or(Ok(()), |logic| write!(f, " ~logic:\"{}\"", logic.text))
            }
        }
    }
}

impl fmt::Display for DimValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DimValue::Size(n) => n.fmt(f),
            DimValue::Same(other) => f.write_str(&other.text),
            DimValue::Scaled(n, other) => write!(f, "{n} * {}", other.text),
        }
    }
}

impl fmt::Display for SpecUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.text.text)?;
        if self.captures.is_empty() {
            return Ok(());
        }
        let quoted: Vec<String> = self.captures.iter().map(|name| format!("\"{}\"", name.text)).collect();
        write!(f, " [{}]", quoted.join("; "))
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Array::Number(n) => n.fmt(f),
            Array::List(list) => {
                f.write_str("[")?;
                for (i, item) in list.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
        }
    }
}

/// An operand: in brackets, unless it is one word.
struct Operand<'a>(&'a Expr);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = match &self.0.kind {
            ExprKind::Name(_) | ExprKind::Grad(_) | ExprKind::Tensor(_) | ExprKind::Size(_) => true,
            ExprKind::Param(_) | ExprKind::Literal { .. } | ExprKind::Call { .. } => true,
            ExprKind::Number(n) => n.value().is_sign_positive(),
            ExprKind::Permute { op, .. } => !op.is_infix(),
            _ => false,
        };
        if one { self.0.fmt(f) } else { write!(f, "({})", self.0) }
    }
}

fn list(args: &[Expr]) -> String {
    args.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Grad(name) => write!(f, "{name}.grad"),
            ExprKind::Number(n) => n.fmt(f),
            ExprKind::Tensor(array) => array.fmt(f),
            ExprKind::Literal { values, shape } => write!(f, "({values}: {shape})"),
            ExprKind::Size(name) => write!(f, "dim {name}"),
            ExprKind::Param(declaration) => write!(f, "{{ {declaration} }}"),
            ExprKind::Unary { op, spec: None, arg } => write!(f, "{} {}", op.text(), Operand(arg)),
            ExprKind::Unary { op, spec: Some(spec), arg } => write!(f, "{} {spec} {}", op.text(), Operand(arg)),
            ExprKind::Binary { op, lhs, rhs } if op.is_infix() => {
                write!(f, "{} {} {}", Operand(lhs), op.text(), Operand(rhs))
            }
            // With commas: in `max x (y)` the two would be read back as an application, and so in `where c f (x)`.
            ExprKind::Binary { op, lhs, rhs } => write!(f, "{}({lhs}, {rhs})", op.text()),
            ExprKind::Primitive { op, lhs, rhs } => write!(f, "{} {} {}", Operand(lhs), op.text(), Operand(rhs)),
            ExprKind::Einsum { op, spec, lhs, rhs } => {
                write!(f, "{} {} {spec} {}", Operand(lhs), op.text(), Operand(rhs))
            }
            ExprKind::Permute { op, spec, arg } if op.is_infix() => {
                write!(f, "{} {} {spec}", Operand(arg), op.text())
            }
            ExprKind::Permute { op, spec, arg } => write!(f, "{}({arg}, {spec})", op.text()),
            ExprKind::Concat { spec, args } => write!(f, "({}) ++^ {spec}", list(args)),
            ExprKind::Slice { arg, index: Index::Number(i) } => write!(f, "{} @| {i}", Operand(arg)),
            ExprKind::Slice { arg, index: Index::Name(i) } => write!(f, "{} @| {i}", Operand(arg)),
            ExprKind::Ternary { op, spec: None, args } => write!(f, "{}({})", op.text(), list(&args[..])),
            ExprKind::Ternary { op: TernaryOp::Mul3, spec: Some(spec), args } => {
                write!(f, "({}) {} {spec}", list(&args[..]), EinsumOp::Product.text())
            }
            ExprKind::Ternary { op, spec: Some(spec), args } => {
                write!(f, "{} {spec} ({})", op.text(), list(&args[..]))
            }
            ExprKind::Call { function, args } => write!(f, "{}({})", function.text, list(args)),
            ExprKind::Let { name, value, body } => write!(f, "let {} = {value} in {body}", name.text),
        }
    }
}
