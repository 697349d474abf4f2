//! Making a program: leaves, statements, operations.

use super::Numbers;
use lozenge::program::Program;
use lozenge::program::ast::{
    Accumulate, AssignOp, Assignment, BinaryOp, Declaration, DimValue, EinsumOp, Expr, Index, PermuteOp, Statement,
    StatementKind, Target, TernaryOp,
};
use lozenge::program::shape::{ByKind, Declared, DeclaredAxis, DeclaredRow, Kind, RowName};

/// What is being made.
pub(super) struct Maker<'n> {
    pub(super) numbers: &'n mut Numbers,
    /// The tensors that have a name.
    tensors: Vec<String>,
    /// A function of this many arguments, if there is one.
    function: Option<usize>,
    params: usize,
    /// The sizes of this program.
    sizes: Vec<u64>,
}

/// The program of a number under a seed.
#[must_use]
pub fn program(seed: u64, case: u64) -> Program {
    let numbers = &mut Numbers::of(seed, case);
    let sizes = if numbers.percent(60) { vec![3] } else { vec![3, 3, 5, 1] };
    let mut maker = Maker { numbers, tensors: Vec::new(), function: None, params: 0, sizes };
    let mut statements = Vec::new();
    let leaves = 1 + maker.numbers.below(3);
    for name in ["x", "y", "z"].into_iter().take(leaves) {
        statements.push(maker.leaf(name));
    }
    if maker.numbers.percent(8) {
        statements.push(maker.define_function());
    }
    let count = 2 + maker.numbers.below(5);
    for name in ["a", "b", "c", "d", "e", "f"].into_iter().take(count) {
        statements.push(maker.statement(name));
    }
    let statements = statements.into_iter().map(|kind| Statement { kind, span: Default::default() }).collect();
    Program { statements }
}

impl Maker<'_> {
    fn leaf(&mut self, name: &str) -> StatementKind {
        let shape = if self.numbers.percent(40) { None } else { Some(self.shape()) };
        let declaration = Declaration { shape, ..name.into() };
        self.tensors.push(name.to_owned());
        match self.numbers.below(20) {
            0..=13 => StatementKind::Input(declaration),
            14..=16 => StatementKind::Param(declaration),
            _ => StatementKind::Const(declaration),
        }
    }

    fn shape(&mut self) -> Declared {
        let rows = ByKind::of(|kind| {
            let written = match kind {
                Kind::Batch => 40,
                Kind::Input => 25,
                Kind::Output => 95,
            };
            if self.numbers.percent(written) { self.row() } else { DeclaredRow::default() }
        });
        Declared { rows, ..Declared::default() }
    }

    fn row(&mut self) -> DeclaredRow {
        let mut row = DeclaredRow::default();
        if self.numbers.percent(45) {
            row.var = Some(if self.numbers.percent(85) { RowName::Any } else { RowName::Named("r".to_owned()) });
            row.lead = (0..self.numbers.pick(&[0, 0, 0, 1, 1, 2])).map(|_| self.axis()).collect();
            row.trail = (0..self.numbers.pick(&[0, 0, 1, 1, 2])).map(|_| self.axis()).collect();
        } else {
            row.trail = (0..self.numbers.pick(&[0, 1, 1, 2, 2, 3])).map(|_| self.axis()).collect();
        }
        row
    }

    fn axis(&mut self) -> DeclaredAxis {
        match self.numbers.below(20) {
            0..=12 => DeclaredAxis::Size(self.numbers.pick(&self.sizes), None),
            13 => DeclaredAxis::Size(3, Some("rgb".to_owned())),
            14 | 15 => DeclaredAxis::Named("n".to_owned()),
            16 => DeclaredAxis::Unit,
            _ => DeclaredAxis::Unknown,
        }
    }

    fn define_function(&mut self) -> StatementKind {
        let arguments = 1 + self.numbers.below(2);
        let outer = std::mem::take(&mut self.tensors);
        self.tensors = ["u", "v"].into_iter().take(arguments).map(str::to_owned).collect();
        let params = self.tensors.iter().map(|name| name.as_str().into()).collect();
        let body = self.operation(1);
        self.tensors = outer;
        self.function = Some(arguments);
        StatementKind::Fn { name: "g".into(), params, body }
    }

    fn statement(&mut self, name: &str) -> StatementKind {
        match self.numbers.below(20) {
            0..=15 => {
                let value = self.operation(2);
                self.tensors.push(name.to_owned());
                StatementKind::Let { name: name.into(), value }
            }
            16 if self.numbers.percent(30) => StatementKind::Dim { name: "n".into(), value: DimValue::Size(3) },
            _ => self.assignment(name),
        }
    }

    /// Into a new tensor, or into one that exists: `x =+ …`.
    fn assignment(&mut self, name: &str) -> StatementKind {
        let target = if self.numbers.percent(50) {
            self.tensors.push(name.to_owned());
            Target::New(name.into())
        } else {
            Target::Name(self.numbers.pick(&self.tensors).as_str().into())
        };
        let accumulate = self.numbers.pick(&[Accumulate::Replace, Accumulate::Add]);
        let op = AssignOp { erase: accumulate == Accumulate::Add && self.numbers.percent(50), accumulate };
        let (value, logic) = match self.numbers.below(6) {
            0 => (self.name(), Some("T".to_owned())),
            1 => (self.name().compose(self.name()), Some("@".to_owned())),
            2 => (self.name(), Some(self.spec(1))),
            3 => (self.name(), None),
            _ => (self.name() + self.name(), None),
        };
        let logic = logic.map(Into::into);
        StatementKind::Assign(Assignment { target, op, value, logic })
    }

    fn name(&mut self) -> Expr {
        let name = self.numbers.pick(&self.tensors);
        Expr::name(&name)
    }

    /// A name most often, a number, a parameter, or an operation inside.
    fn operand(&mut self, depth: usize) -> Expr {
        match self.numbers.below(40) {
            0 => 2.0.into(),
            1 => {
                self.params += 1;
                Expr::param(&format!("w{}", self.params), None)
            }
            2..=5 if depth > 1 => self.operation(depth - 1),
            _ => self.name(),
        }
    }

    fn operation(&mut self, depth: usize) -> Expr {
        match self.numbers.below(40) {
            0..=2 => self.operand(depth).relu(),
            3..=13 => self.operand(depth).binary(BinaryOp::Add, self.operand(depth)),
            14..=17 => self.operand(depth).compose(self.operand(depth)),
            18..=27 => {
                let spec = self.spec(1);
                self.operand(depth).permute(PermuteOp::Sum, spec.as_str())
            }
            28..=31 => {
                let spec = self.spec(2);
                self.operand(depth).einsum(EinsumOp::Product, spec.as_str(), self.operand(depth))
            }
            32..=36 => self.operand(depth).slice(Index::Name("i".to_owned())),
            37 => Expr::ternary(TernaryOp::Where, [self.operand(depth), self.operand(depth), self.operand(depth)]),
            38 => Expr::ternary(TernaryOp::Fma, [self.operand(depth), self.operand(depth), self.operand(depth)]),
            _ => match self.function {
                Some(n) => {
                    let args = (0..n).map(|_| self.operand(depth)).collect();
                    Expr::call("g", args)
                }
                None => self.name() + self.name(),
            },
        }
    }
}
