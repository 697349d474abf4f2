//! Random tensor programs with shrinking, made as data and not through text.
//!
//! [`program`] makes the program of a number under a seed: 1–3 leaves, 2–6 further statements, small ranks,
//! few sizes, so that a good share of the programs has shapes. [`smaller`] lists what a program shrinks to,
//! and [`reorder`] puts its statements into another order that respects definitions.

use lozenge::program::Program;
use lozenge::program::ast::{
    Accumulate, AssignOp, Assignment, BinaryOp, Declaration, DimValue, EinsumOp, Expr, ExprKind, Index, PermuteOp,
    SpecUse, Statement, StatementKind, Target, TernaryOp,
};
use lozenge::program::shape::{ByKind, Declared, DeclaredAxis, DeclaredRow, Kind, RowName};
use std::collections::BTreeSet;

/// SplitMix64: the same numbers on every platform.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of one case of a seeded run.
    #[must_use]
    pub fn of(seed: u64, case: u64) -> Self {
        let mut numbers = Numbers(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ case);
        numbers.next();
        numbers.0 ^= case.rotate_left(32);
        numbers
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap_or(0)
    }

    /// True in so many of a hundred.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// The text of a program with one operation that has this specification, on operands of these shapes (with ` & `
/// between them).
#[must_use]
pub fn of_spec(spec: &str, operands: &str) -> String {
    let shapes: Vec<&str> = operands.split(" & ").collect();
    let inputs: String = shapes.iter().enumerate().map(|(i, s)| format!("input a{i}: {s}\n")).collect();
    let value = match shapes.len() {
        1 => format!("a0 ++ \"{spec}\""),
        _ if spec.contains('^') => format!("(a0, a1) ++^ \"{spec}\""),
        _ => format!("a0 +* \"{spec}\" a1"),
    };
    let named = ["stride", "dilation"].into_iter().filter(|name| spec.contains(name));
    let sizes: String = named.map(|name| format!("{name} = 2\n")).collect();
    format!("{sizes}{inputs}let r = {value}\n")
}

/// What is being made.
struct Maker<'n> {
    numbers: &'n mut Numbers,
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
        let declaration = Declaration { name: name.into(), shape };
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

    /// A specification of single characters: labels and an ellipsis at every place.
    fn spec(&mut self, operands: usize) -> String {
        let mut labels: Vec<char> = Vec::new();
        let mut ellipses = ByKind::of(|_| false);
        let slots: Vec<String> = (0..operands).map(|_| self.slot(&mut labels, &mut ellipses)).collect();
        let result = self.result_slot(&labels, &ellipses);
        format!("{} => {result}", slots.join("; "))
    }

    fn slot(&mut self, labels: &mut Vec<char>, ellipses: &mut ByKind<bool>) -> String {
        let rows = ByKind::of(|kind| {
            let (some, open) = match kind {
                Kind::Batch => (20, 65),
                Kind::Input => (12, 55),
                Kind::Output => (85, 55),
            };
            let open = self.numbers.percent(open);
            let axes = if self.numbers.percent(some) { 1 + self.numbers.below(2) } else { 0 };
            let mut text: Vec<String> = (0..axes).map(|_| self.label(labels)).collect();
            if open {
                let at = self.numbers.below(text.len() + 1);
                text.insert(at, "...".to_owned());
                set(ellipses, kind);
            }
            text.concat()
        });
        write_slot(&rows)
    }

    fn label(&mut self, labels: &mut Vec<char>) -> String {
        if !labels.is_empty() && self.numbers.percent(15) {
            return self.numbers.pick(labels).to_string();
        }
        match self.numbers.below(20) {
            0 => "0".to_owned(),
            1 => "_".to_owned(),
            _ => {
                let label = char::from(b'i' + u8::try_from(labels.len()).unwrap_or(0));
                labels.push(label);
                label.to_string()
            }
        }
    }

    /// Each label goes to a kind, or is summed over; an ellipsis stays, mostly.
    fn result_slot(&mut self, labels: &[char], ellipses: &ByKind<bool>) -> String {
        let mut rows: ByKind<Vec<String>> = ByKind::default();
        let mut left = labels.to_vec();
        while !left.is_empty() {
            let label = left.swap_remove(self.numbers.below(left.len())).to_string();
            match self.numbers.below(20) {
                0..=3 => {}
                4 => rows.batch.push(label),
                5 => rows.input.push(label),
                _ => rows.output.push(label),
            }
        }
        let rows = ByKind::of(|kind| {
            let mut row = rows.get(kind).clone();
            if *ellipses.get(kind) && self.numbers.percent(85) {
                let at = self.numbers.below(row.len() + 1);
                row.insert(at, "...".to_owned());
            }
            row.concat()
        });
        write_slot(&rows)
    }
}

fn set(ellipses: &mut ByKind<bool>, kind: Kind) {
    match kind {
        Kind::Batch => ellipses.batch = true,
        Kind::Input => ellipses.input = true,
        Kind::Output => ellipses.output = true,
    }
}

fn write_slot(rows: &ByKind<String>) -> String {
    let batch = if rows.batch.is_empty() { String::new() } else { format!("{}|", rows.batch) };
    let arrow = if rows.input.is_empty() && !(rows.output.is_empty()) { "" } else { "->" };
    format!("{batch}{}{arrow}{}", rows.input, rows.output)
}

// Names that statements define and use.

fn uses(expr: &Expr, out: &mut BTreeSet<String>) {
    if let ExprKind::Name(name) = &expr.kind {
        out.insert(name.clone());
    }
    if let ExprKind::Call { function, .. } = &expr.kind {
        out.insert(function.text.clone());
    }
    operands(expr).into_iter().for_each(|operand| uses(operand, out));
}

/// The expressions right inside one.
#[must_use]
pub fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Unary { arg, .. } | ExprKind::Permute { arg, .. } | ExprKind::Slice { arg, .. } => vec![&**arg],
        ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Primitive { lhs, rhs, .. }
        | ExprKind::Einsum { lhs, rhs, .. } => {
            vec![&**lhs, &**rhs]
        }
        ExprKind::Concat { args, .. } | ExprKind::Call { args, .. } => args.iter().collect(),
        ExprKind::Ternary { args, .. } => args.iter().collect(),
        ExprKind::Let { value, body, .. } => vec![&**value, &**body],
        _ => Vec::new(),
    }
}

fn defines(kind: &StatementKind) -> Option<&str> {
    match kind {
        StatementKind::Input(d) | StatementKind::Param(d) | StatementKind::Const(d) => Some(&d.name.text),
        StatementKind::Let { name, .. } | StatementKind::Fn { name, .. } => Some(&name.text),
        StatementKind::Assign(Assignment { target: Target::New(new), .. }) => Some(&new.name.text),
        StatementKind::Dim { .. } | StatementKind::Assign(_) => None,
    }
}

fn needs(kind: &StatementKind) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    match kind {
        StatementKind::Let { value, .. } => uses(value, &mut out),
        StatementKind::Fn { params, body, .. } => {
            uses(body, &mut out);
            out.retain(|name| params.iter().all(|p| p.text != *name));
        }
        StatementKind::Assign(Assignment { target, value, .. }) => {
            uses(value, &mut out);
            match target {
                Target::Name(name) | Target::Grad(name) => out.insert(name.text.clone()),
                Target::New(new) => out.remove(&new.name.text),
            };
        }
        _ => {}
    }
    out
}

/// The statements in another order, each after what it uses.
#[must_use]
pub fn reorder(program: &Program, numbers: &mut Numbers) -> Program {
    let mut left: Vec<&Statement> = program.statements.iter().collect();
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    let mut statements = Vec::new();
    while !left.is_empty() {
        let ready = |s: &Statement| needs(&s.kind).iter().all(|name| defined.contains(name.as_str()));
        let open: Vec<usize> = (0..left.len()).filter(|i| ready(left[*i])).collect();
        if open.is_empty() {
            return program.clone();
        }
        let next = left.remove(open[numbers.below(open.len())]);
        defined.extend(defines(&next.kind));
        statements.push(next.clone());
    }
    Program { statements }
}

// Shrinking.

/// Programs one step smaller. Some may not be well formed.
#[must_use]
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut out = Vec::new();
    let all = &program.statements;
    for i in 0..all.len() {
        let mut statements = all.clone();
        statements.remove(i);
        out.push(Program { statements });
    }
    for (i, statement) in all.iter().enumerate() {
        for kind in smaller_kinds(&statement.kind) {
            let mut statements = all.clone();
            statements[i].kind = kind;
            out.push(Program { statements });
        }
    }
    out
}

fn smaller_kinds(kind: &StatementKind) -> Vec<StatementKind> {
    let declared = |d: &Declaration| -> Vec<Declaration> {
        let with = |shape| Declaration { name: d.name.clone(), shape };
        let Some(shape) = &d.shape else { return Vec::new() };
        [None].into_iter().chain(smaller_shapes(shape).into_iter().map(Some)).map(with).collect()
    };
    match kind {
        StatementKind::Input(d) => declared(d).into_iter().map(StatementKind::Input).collect(),
        StatementKind::Param(d) | StatementKind::Const(d) => {
            let input = StatementKind::Input(d.clone());
            let same = |d| match kind {
                StatementKind::Param(_) => StatementKind::Param(d),
                _ => StatementKind::Const(d),
            };
            [input].into_iter().chain(declared(d).into_iter().map(same)).collect()
        }
        StatementKind::Let { name, value } => {
            let with = |value| StatementKind::Let { name: name.clone(), value };
            smaller_exprs(value).into_iter().map(with).collect()
        }
        StatementKind::Fn { name, params, body } => {
            let with = |body| StatementKind::Fn { name: name.clone(), params: params.clone(), body };
            smaller_exprs(body).into_iter().map(with).collect()
        }
        StatementKind::Dim { .. } => Vec::new(),
        StatementKind::Assign(it) => {
            let mut out = Vec::new();
            if let Target::New(new) = &it.target
                && it.logic.is_none()
            {
                out.push(StatementKind::Let { name: new.name.clone(), value: it.value.clone() });
            }
            let plain = AssignOp { erase: false, accumulate: Accumulate::Replace };
            if it.op != plain {
                out.push(StatementKind::Assign(Assignment { op: plain, ..it.clone() }));
            }
            let logics = it.logic.iter().flat_map(|q| smaller_specs(&q.text)).map(|t| Some(t.into()));
            for logic in logics.chain(it.logic.is_some().then_some(None)) {
                out.push(StatementKind::Assign(Assignment { logic, ..it.clone() }));
            }
            for value in smaller_exprs(&it.value) {
                out.push(StatementKind::Assign(Assignment { value, ..it.clone() }));
            }
            out
        }
    }
}

fn smaller_exprs(expr: &Expr) -> Vec<Expr> {
    let mut out: Vec<Expr> = operands(expr).into_iter().cloned().collect();
    if matches!(expr.kind, ExprKind::Call { .. } | ExprKind::Ternary { .. } | ExprKind::Einsum { .. }) {
        let parts = operands(expr);
        if let [a, b, ..] = parts.as_slice() {
            out.push((*a).clone().binary(BinaryOp::Add, (*b).clone()));
        }
    }
    match &expr.kind {
        ExprKind::Permute { op, spec, arg } => {
            out.extend(smaller_exprs(arg).into_iter().map(|a| a.permute(*op, spec.clone())));
            out.extend(specs(spec).map(|spec| (**arg).clone().permute(*op, spec)));
        }
        ExprKind::Einsum { op, spec, lhs, rhs } => {
            let texts = specs(spec).map(|spec| (**lhs).clone().einsum(*op, spec, (**rhs).clone()));
            out.extend(texts);
        }
        ExprKind::Binary { op, lhs, rhs } => {
            out.extend(smaller_exprs(lhs).into_iter().map(|a| a.binary(*op, (**rhs).clone())));
            out.extend(smaller_exprs(rhs).into_iter().map(|b| (**lhs).clone().binary(*op, b)));
        }
        ExprKind::Slice { arg, index } => {
            out.extend(smaller_exprs(arg).into_iter().map(|a| a.slice(index.clone())));
        }
        _ => {}
    }
    out
}

fn specs(spec: &SpecUse) -> impl Iterator<Item = SpecUse> {
    smaller_specs(&spec.text.text).into_iter().map(|text| SpecUse::from(text.as_str()))
}

/// One label, ellipsis or bar less.
fn smaller_specs(text: &str) -> Vec<String> {
    if matches!(text, "T" | "@" | ".") {
        return Vec::new();
    }
    let mut out: Vec<String> =
        text.match_indices("...").map(|(at, found)| format!("{}{}", &text[..at], &text[at + found.len()..])).collect();
    for (at, found) in text.match_indices(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|') {
        out.push(format!("{}{}", &text[..at], &text[at + found.len()..]));
    }
    out.extend(text.contains("->").then(|| text.replacen("->", "", 1)));
    out
}

fn smaller_shapes(shape: &Declared) -> Vec<Declared> {
    let mut out = Vec::new();
    for kind in Kind::ALL {
        let row = shape.rows.get(kind);
        for smaller in smaller_rows(row) {
            let rows = ByKind::of(|k| if k == kind { smaller.clone() } else { shape.rows.get(k).clone() });
            out.push(Declared { rows, ..shape.clone() });
        }
    }
    out
}

fn smaller_rows(row: &DeclaredRow) -> Vec<DeclaredRow> {
    let mut out = Vec::new();
    if row.var.is_some() {
        let mut closed = row.clone();
        closed.var = None;
        closed.trail = [std::mem::take(&mut closed.lead), closed.trail].concat();
        out.push(closed);
    }
    if row.var == Some(RowName::Named("r".to_owned())) {
        out.push(DeclaredRow { var: Some(RowName::Any), ..row.clone() });
    }
    for i in 0..row.lead.len() {
        let mut less = row.clone();
        less.lead.remove(i);
        out.push(less);
    }
    for i in 0..row.trail.len() {
        let mut less = row.clone();
        less.trail.remove(i);
        out.push(less);
    }
    let plain = |axis: &DeclaredAxis| !matches!(axis, DeclaredAxis::Size(3, None) | DeclaredAxis::Unknown);
    for i in (0..row.lead.len()).filter(|i| plain(&row.lead[*i])) {
        let mut less = row.clone();
        less.lead[i] = DeclaredAxis::Size(3, None);
        out.push(less);
    }
    for i in (0..row.trail.len()).filter(|i| plain(&row.trail[*i])) {
        let mut less = row.clone();
        less.trail[i] = DeclaredAxis::Size(3, None);
        out.push(less);
    }
    out
}

/// The smallest program reached from this one by single steps that keep a property.
#[must_use]
pub fn shrink(mut program: Program, keeps: impl Fn(&Program) -> bool) -> Program {
    while let Some(next) = smaller(&program).into_iter().find(&keeps) {
        program = next;
    }
    program
}
