//! Random programs with size claims: strides, convolutions, concatenations, fixed indices, bases.
//!
//! [`program`] makes the program of a number under a seed. [`meaning`](holds) says what its statements mean on ground
//! shapes, written from spec/8-staged.md and Def. 2.3, without the code of the solver or of `core/staged`; all of its
//! solutions up to a size are [`solutions`]. Ranks are always right: the laws are about sizes.

mod brute;
mod make;
mod meaning;
mod shrink;

pub use brute::{Solutions, solutions};
pub use make::program;
pub use meaning::{Universe, holds, results};
pub use shrink::{shrink, smaller};
use std::fmt::{self, Display, Write};

/// The bases that generated programs have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// What is written without one.
    Default,
    /// `px`.
    Px,
}

/// Def. 1.1: 1∅, or a size with a basis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dim {
    /// 1∅.
    Unit,
    /// n with a basis.
    Atom(u64, Basis),
}

impl Dim {
    /// How many elements it has.
    #[must_use]
    pub fn elements(self) -> u64 {
        match self {
            Dim::Unit => 1,
            Dim::Atom(n, _) => n,
        }
    }

    /// Its basis; 1∅ has none.
    #[must_use]
    pub fn basis(self) -> Option<Basis> {
        match self {
            Dim::Unit => None,
            Dim::Atom(_, basis) => Some(basis),
        }
    }
}

impl Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Unit => f.write_str("unit"),
            Dim::Atom(n, Basis::Default) => write!(f, "{n}"),
            Dim::Atom(n, Basis::Px) => write!(f, "{n}:px"),
        }
    }
}

/// A label of a specification.
pub type Label = char;

/// `<+e*k` and `=+e*k`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// `<`.
    pub valid: bool,
    /// e.
    pub dilation: u64,
    /// k.
    pub label: Label,
}

/// `s*o+c`, `s*o<+e*k`, `s*o=+e*k`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Affine {
    /// s.
    pub stride: u64,
    /// o.
    pub over: Label,
    /// c; 0 where there is a kernel.
    pub offset: u64,
    /// The kernel.
    pub kernel: Option<Kernel>,
}

/// An axis of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Axis {
    /// A label.
    Label(Label),
    /// A fixed index.
    Fixed(u64),
    /// `_`.
    Any,
    /// A strided or convolved axis.
    Affine(Affine),
    /// `a^b`.
    Concat(Vec<Label>),
}

impl Axis {
    /// Is its size worked out?
    #[must_use]
    pub fn is_sized(&self) -> bool {
        matches!(self, Axis::Affine(_) | Axis::Concat(_))
    }
}

impl Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Axis::Label(label) => write!(f, "{label}"),
            Axis::Fixed(index) => write!(f, "{index}"),
            Axis::Any => f.write_str("_"),
            Axis::Concat(labels) => f.write_str(&joined(labels, "^")),
            Axis::Affine(Affine { stride, over, offset, kernel }) => {
                if *stride > 1 || kernel.is_none() {
                    write!(f, "{stride}*")?;
                }
                write!(f, "{over}")?;
                if *offset > 0 {
                    write!(f, "+{offset}")?;
                }
                let Some(Kernel { valid, dilation, label }) = kernel else { return Ok(()) };
                f.write_str(if *valid { "<+" } else { "=+" })?;
                if *dilation > 1 {
                    write!(f, "{dilation}*")?;
                }
                write!(f, "{label}")
            }
        }
    }
}

/// A specification on output rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The operands' slots.
    pub slots: Vec<Vec<Axis>>,
    /// The result's.
    pub result: Vec<Axis>,
}

impl Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots: Vec<String> = self.slots.iter().map(|slot| joined(slot, ", ")).collect();
        write!(f, "{} => {}", slots.join("; "), joined(&self.result, ", "))
    }
}

/// How a leaf is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `input`.
    Input,
    /// `param`.
    Param,
    /// `const`.
    Const,
}

/// A statement; tensors are given by the number of the statement that makes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// A leaf with these axes; `?` where there is none.
    Leaf(Role, Vec<Option<Dim>>),
    /// `x ++ "…"`, `x +* "…" y`.
    Spec(Vec<usize>, Spec),
    /// `(x, y) ++^ "…"`.
    Block(Vec<usize>, Spec),
    /// `sin x`, `x + y`.
    Pointwise(Vec<usize>),
}

impl Statement {
    /// What it reads.
    #[must_use]
    pub fn operands(&self) -> &[usize] {
        match self {
            Statement::Leaf(..) => &[],
            Statement::Spec(of, _) | Statement::Block(of, _) | Statement::Pointwise(of) => of,
        }
    }

    fn write(&self, f: &mut impl Write, number: usize, prefix: &str) -> fmt::Result {
        let name = |i: &usize| format!("{prefix}{i}");
        let result = name(&number);
        match self {
            Statement::Leaf(role, axes) => {
                let word = match role {
                    Role::Input => "input",
                    Role::Param => "param",
                    Role::Const => "const",
                };
                let axes: Vec<String> = axes.iter().map(|a| a.map_or("?".to_owned(), |d| d.to_string())).collect();
                writeln!(f, "{word} {result}: {}", axes.join(", "))
            }
            Statement::Pointwise(of) => match of.as_slice() {
                [x] => writeln!(f, "let {result} = sin {}", name(x)),
                of => writeln!(f, "let {result} = {}", of.iter().map(name).collect::<Vec<_>>().join(" + ")),
            },
            Statement::Block(of, spec) => {
                let of: Vec<String> = of.iter().map(name).collect();
                writeln!(f, "let {result} = ({}) ++^ \"{spec}\"", of.join(", "))
            }
            Statement::Spec(of, spec) => match of.as_slice() {
                [x, y] => writeln!(f, "let {result} = {} +* \"{spec}\" {}", name(x), name(y)),
                of => writeln!(f, "let {result} = {} ++ \"{spec}\"", of.iter().map(name).collect::<String>()),
            },
        }
    }
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Every statement makes a tensor.
    pub statements: Vec<Statement>,
}

impl Program {
    /// Its text, with names that begin so.
    #[must_use]
    pub fn text(&self, prefix: &str) -> String {
        let mut text = String::new();
        for (i, statement) in self.statements.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = statement.write(&mut text, i, prefix);
        }
        text
    }

    /// Does a leaf say `px`?
    #[must_use]
    pub fn has_px(&self) -> bool {
        let px = |axis: &Option<Dim>| axis.and_then(Dim::basis) == Some(Basis::Px);
        self.statements.iter().any(|s| matches!(s, Statement::Leaf(_, axes) if axes.iter().any(px)))
    }
}

fn joined<T: Display>(parts: &[T], between: &str) -> String {
    parts.iter().map(T::to_string).collect::<Vec<_>>().join(between)
}
