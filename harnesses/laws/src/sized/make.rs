//! Making programs. A shape of every tensor is kept beside: statements that it has no result for are made again, most
//! of the time, so that a good share of the programs has shapes.

use super::meaning::{Universe, results};
use super::{Affine, Axis, Basis, Dim, Kernel, Label, Program, Role, Spec, Statement};
use crate::programs::Numbers;

/// The program of this number under a seed: 1–3 leaves, 1–4 further statements, ranks 1 and 2.
#[must_use]
pub fn program(seed: u64, case: u64) -> Program {
    let mut numbers = Numbers::of(seed, case);
    let px = numbers.percent(30);
    let universe = Universe::up_to(12, px);
    let mut maker = Maker { numbers, px, open: 3, universe, shapes: Vec::new(), statements: Vec::new() };
    for _ in 0..=maker.numbers.below(3) {
        maker.leaf();
    }
    for _ in 0..=maker.numbers.below(4) {
        maker.statement();
    }
    Program { statements: maker.statements }
}

struct Maker {
    numbers: Numbers,
    /// Does the program have a basis beside default?
    px: bool,
    /// How many axes may still be `?`: brute force tries all of their sizes.
    open: usize,
    universe: Universe,
    /// A shape of every tensor that is there.
    shapes: Vec<Vec<Dim>>,
    statements: Vec<Statement>,
}

impl Maker {
    fn leaf(&mut self) {
        let role = self.numbers.pick(&[Role::Input, Role::Input, Role::Input, Role::Const, Role::Param]);
        let rank = 1 + usize::from(self.numbers.percent(40));
        let axes: Vec<Option<Dim>> = (0..rank).map(|_| self.leaf_axis(role)).collect();
        let shape = axes.iter().map(|axis| axis.unwrap_or_else(|| self.size())).collect();
        self.shapes.push(shape);
        self.statements.push(Statement::Leaf(role, axes));
    }

    fn leaf_axis(&mut self, role: Role) -> Option<Dim> {
        let unknown = if role == Role::Param { 15 } else { 35 };
        if self.open > 0 && self.numbers.percent(unknown) {
            self.open -= 1;
            return None;
        }
        if self.numbers.percent(10) { Some(Dim::Unit) } else { Some(self.size()) }
    }

    fn size(&mut self) -> Dim {
        let n = self.numbers.pick(&[1, 2, 2, 3, 3, 4, 4, 5, 6, 6]);
        let basis = if self.px && self.numbers.percent(60) { Basis::Px } else { Basis::Default };
        Dim::Atom(n, basis)
    }

    /// A statement that fits the shapes that are kept; sometimes, and after many attempts, one that does not.
    fn statement(&mut self) {
        let mut last = self.any_statement();
        for _ in 0..12 {
            let mut fits = results(&last, &self.shapes, &self.universe);
            if !fits.is_empty() {
                let at = self.numbers.below(fits.len());
                return self.push(last, fits.swap_remove(at));
            }
            if self.numbers.percent(30) {
                break;
            }
            last = self.any_statement();
        }
        let shape = (0..self.rank(&last)).map(|_| self.size()).collect();
        self.push(last, shape);
    }

    fn push(&mut self, statement: Statement, shape: Vec<Dim>) {
        self.statements.push(statement);
        self.shapes.push(shape);
    }

    fn rank(&self, statement: &Statement) -> usize {
        match statement {
            Statement::Leaf(_, axes) => axes.len(),
            Statement::Pointwise(of) => of.first().map_or(0, |x| self.shapes[*x].len()),
            Statement::Spec(_, spec) | Statement::Block(_, spec) => spec.result.len(),
        }
    }

    fn any_statement(&mut self) -> Statement {
        let x = self.numbers.below(self.shapes.len());
        let y = self.numbers.below(self.shapes.len());
        match self.numbers.below(100) {
            0..=9 => Statement::Pointwise(vec![x]),
            10..=24 => {
                let same: Vec<usize> =
                    (0..self.shapes.len()).filter(|y| self.shapes[*y].len() == self.shapes[x].len()).collect();
                Statement::Pointwise(vec![x, self.numbers.pick(&same)])
            }
            25..=33 => self.block(x, y),
            34..=54 => {
                let spec = SpecMaker::new(&mut self.numbers).binary(self.shapes[x].len(), self.shapes[y].len());
                Statement::Spec(vec![x, y], spec)
            }
            _ => Statement::Spec(vec![x], SpecMaker::new(&mut self.numbers).unary(self.shapes[x].len())),
        }
    }

    /// `"i; j => i^j"`, with an axis beside that both have where there are two.
    fn block(&mut self, x: usize, y: usize) -> Statement {
        let mut maker = SpecMaker::new(&mut self.numbers);
        let (first, second) = (maker.new_label(), maker.new_label());
        let shared = maker.new_label();
        let slot = |part: Label, rank: usize| match rank {
            1 => vec![Axis::Label(part)],
            _ => vec![Axis::Label(part), Axis::Label(shared)],
        };
        let slots = vec![slot(first, self.shapes[x].len()), slot(second, self.shapes[y].len())];
        let mut result = vec![Axis::Concat(vec![first, second])];
        if slots.iter().any(|slot| slot.len() > 1) {
            result.push(Axis::Label(shared));
        }
        Statement::Block(vec![x, y], Spec { slots, result })
    }
}

/// A specification under way.
struct SpecMaker<'n> {
    numbers: &'n mut Numbers,
    labels: Vec<Label>,
}

impl<'n> SpecMaker<'n> {
    fn new(numbers: &'n mut Numbers) -> Self {
        SpecMaker { numbers, labels: Vec::new() }
    }

    fn new_label(&mut self) -> Label {
        let label = char::from(b'i' + u8::try_from(self.labels.len()).unwrap_or(0));
        self.labels.push(label);
        label
    }

    /// One that is there already, in so many of a hundred.
    fn label(&mut self, known: usize) -> Label {
        if !self.labels.is_empty() && self.numbers.percent(known) {
            return self.numbers.pick(&self.labels);
        }
        self.new_label()
    }

    fn unary(mut self, rank: usize) -> Spec {
        let slot = (0..rank).map(|_| self.operand_axis()).collect();
        let result = self.result();
        Spec { slots: vec![slot], result }
    }

    /// Mostly a convolution with the second operand as its kernel, or a product.
    fn binary(mut self, first: usize, second: usize) -> Spec {
        let convolved = self.numbers.percent(60);
        let mut kernel = None;
        let mut slot = Vec::new();
        for _ in 0..first {
            if convolved && kernel.is_none() {
                let axis = self.convolved();
                kernel = if let Axis::Affine(Affine { kernel: Some(k), .. }) = &axis { Some(k.label) } else { None };
                slot.push(axis);
            } else {
                slot.push(self.operand_axis());
            }
        }
        let mut other: Vec<Axis> = kernel.into_iter().map(Axis::Label).collect();
        while other.len() < second {
            let axis = if self.numbers.percent(70) { Axis::Label(self.label(50)) } else { self.operand_axis() };
            other.insert(self.numbers.below(other.len() + 1), axis);
        }
        if self.numbers.percent(50) {
            slot.reverse();
        }
        let result = self.result();
        Spec { slots: vec![slot, other], result }
    }

    fn operand_axis(&mut self) -> Axis {
        match self.numbers.below(100) {
            0..=34 => Axis::Label(self.label(12)),
            35..=46 => Axis::Fixed(self.numbers.below(4) as u64),
            47..=71 => self.strided(8),
            72..=88 => self.concat(10),
            89..=95 => self.convolved(),
            _ => Axis::Any,
        }
    }

    fn strided(&mut self, known: usize) -> Axis {
        let stride = self.numbers.pick(&[1, 2, 2, 2, 3, 3]);
        let offset = if self.numbers.percent(15) { self.numbers.below(stride) as u64 } else { 0 };
        Axis::Affine(Affine { stride: stride as u64, over: self.label(known), offset, kernel: None })
    }

    fn convolved(&mut self) -> Axis {
        let stride = self.numbers.pick(&[1, 1, 2, 3]);
        let dilation = self.numbers.pick(&[1, 1, 2]);
        let valid = self.numbers.percent(70);
        let (over, label) = (self.label(5), self.new_label());
        Axis::Affine(Affine { stride, over, offset: 0, kernel: Some(Kernel { valid, dilation, label }) })
    }

    /// No label stands twice in a concatenation.
    fn concat(&mut self, known: usize) -> Axis {
        let mut parts: Vec<Label> = Vec::new();
        for _ in 0..2 + usize::from(self.numbers.percent(10)) {
            let part = self.label(known);
            let part = if parts.contains(&part) { self.new_label() } else { part };
            parts.push(part);
        }
        Axis::Concat(parts)
    }

    fn result(&mut self) -> Vec<Axis> {
        (0..=usize::from(self.numbers.percent(40))).map(|_| self.result_axis()).collect()
    }

    fn result_axis(&mut self) -> Axis {
        match self.numbers.below(100) {
            0..=64 => Axis::Label(self.label(92)),
            65..=72 => Axis::Fixed(self.numbers.below(4) as u64),
            73..=84 => self.strided(90),
            85..=92 => self.concat(75),
            93..=97 => {
                let over = self.label(90);
                let kernel = Kernel { valid: self.numbers.percent(70), dilation: 1, label: self.label(50) };
                Axis::Affine(Affine { stride: 1, over, offset: 0, kernel: Some(kernel) })
            }
            _ => Axis::Any,
        }
    }
}
