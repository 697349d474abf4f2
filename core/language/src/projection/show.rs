//! An operation as a loop nest, in pseudocode.

use super::Index;
use super::local::Projected;
use super::turns::has_idle_part;
use super::writes::Writes;
use crate::Inference;
use crate::ast::{Accumulate, BinaryOp, TernaryOp};
use crate::generate::{Generated, Literal, Logic, Operation, Primitive, TensorId};
use lozenge_calculus::projection::affine::AffineLabel;
use lozenge_calculus::projection::record::{Label, Projections, Slot};

/// A line of pseudocode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// How deep it stands.
    pub depth: usize,
    /// The code.
    pub code: String,
    /// A remark beside it.
    pub note: String,
}

impl Line {
    fn new(depth: usize, code: impl Into<String>, note: impl Into<String>) -> Self {
        Line { depth, code: code.into(), note: note.into() }
    }
}

/// What a tensor is called in pseudocode: its name, the number it is, or `t` and its own number, with underscores behind
/// it where the program has a name like that.
#[must_use]
pub fn tensor_name(generated: &Generated, id: TensorId) -> String {
    let tensor = &generated.tensors[id];
    match (&tensor.name, &tensor.value) {
        (Some(name), _) => name.to_string(),
        (None, Some(Literal::Number(n))) => n.brief(),
        (None, Some(Literal::Size(name, _))) => format!("dim {name}"),
        (None, _) => numbered(generated, id),
    }
}

fn numbered(generated: &Generated, id: TensorId) -> String {
    let mut text = format!("t{id}");
    while generated.numbered.contains(&text) {
        text.push('_');
    }
    text
}

/// `a[i, j]`: a tensor at its index map.
#[must_use]
pub fn access(record: &Projections, name: &str, slot: Slot) -> String {
    let index = |label: &Label| match label {
        Label::Iter(i) => record.loops.get(*i).map_or(String::new(), |it| it.name.clone()),
        Label::At(Index::Fix(c)) => c.to_string(),
        Label::At(Index::External(name)) => format!("!{name}"),
        Label::Affine(affine) => affine_text(record, affine),
        Label::Concat(parts) if has_idle_part(record, parts) => placed_parts(record, parts),
        Label::Concat(parts) => joined_parts(record, parts),
    };
    let axes: Vec<String> = record.map(slot).iter().map(|axis| index(&axis.label)).collect();
    format!("{name}[{}]", axes.join(", "))
}

fn name_of(record: &Projections, i: usize) -> String {
    record.loops.get(i).map_or(String::new(), |it| it.name.clone())
}

/// `c^d`: the parts one after the other.
fn joined_parts(record: &Projections, parts: &[(usize, u64)]) -> String {
    parts.iter().map(|(i, _)| name_of(record, *i)).collect::<Vec<_>>().join("^")
}

/// `4 + c`, or `(4 + c)^(6 + d)`: the parts that have a turn, each from where it begins.
fn placed_parts(record: &Projections, parts: &[(usize, u64)]) -> String {
    let turns = parts.iter().filter(|(i, _)| record.loops.get(*i).is_some_and(|it| it.size > 0));
    let from = |(i, start): &(usize, u64)| match start {
        0 => name_of(record, *i),
        start => format!("{start} + {}", name_of(record, *i)),
    };
    match turns.map(from).collect::<Vec<_>>().as_slice() {
        // No turn, no cell: the names say what would be walked.
        [] => joined_parts(record, parts),
        [one] => one.clone(),
        several => several.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join("^"),
    }
}

/// `2*o + k - 1`.
fn affine_text(record: &Projections, affine: &AffineLabel) -> String {
    let term = |(factor, i): &(u64, usize)| match factor {
        1 => name_of(record, *i),
        factor => format!("{factor}*{}", name_of(record, *i)),
    };
    let sum = affine.terms.iter().map(term).collect::<Vec<_>>().join(" + ");
    match (sum.is_empty(), affine.offset) {
        (false, 0) => sum,
        (true, offset) => offset.to_string(),
        (false, offset) if offset < 0 => format!("{sum} - {}", offset.unsigned_abs()),
        (false, offset) => format!("{sum} + {offset}"),
    }
}

/// What the primitive makes of its operands.
fn combined(primitive: Primitive, args: &[String]) -> String {
    match (primitive, args) {
        (Primitive::Copy, args) => args.join(", "),
        (Primitive::Unary(op), args) => format!("{}({})", op.text(), args.join(", ")),
        (Primitive::Ternary(TernaryOp::Mul3), args) => args.join(" * "),
        (Primitive::Ternary(op), args) => format!("{}({})", op.text(), args.join(", ")),
        (Primitive::Binary(BinaryOp::Mul), [a, b]) => format!("{a} * {b}"),
        (Primitive::Binary(op), [a, b]) if op.is_infix() => {
            format!("{a} {} {b}", op.text().trim_end_matches('.'))
        }
        (Primitive::Binary(op), args) => format!("{}({})", op.text(), args.join(", ")),
    }
}

/// The neutral element of an accumulation, as it is written.
fn neutral(accumulate: Accumulate) -> String {
    accumulate.neutral().to_string()
}

/// `c[i] := e`, or how e joins what is there.
fn written(target: &str, accumulate: Accumulate, reads_back: bool, value: &str) -> String {
    match accumulate {
        Accumulate::Max if reads_back => format!("{target} := max({target}, {value})"),
        Accumulate::Min if reads_back => format!("{target} := min({target}, {value})"),
        Accumulate::Replace => format!("{target} := {value}"),
        _ if !reads_back => format!("{target} := {value}"),
        op => format!("{target} {}= {value}", op.text()),
    }
}

/// What a target is called that is read as it was before the assignment.
fn as_before(name: &str) -> String {
    format!("{name}.before")
}

/// The loop nest of an operation.
#[must_use]
pub fn nest(inferred: &Inference, projected: &Projected) -> Vec<Line> {
    let generated = &inferred.generated;
    let op: &Operation = &generated.operations[projected.operation];
    let name = |slot: usize| tensor_name(generated, projected.tensors[slot]);
    let record = &projected.record;
    let target = access(record, &name(0), Slot::Lhs);
    let writes = Writes::of(record, op.logic);
    let copied = op.operands.contains(&op.result) && !writes.in_place(record, op);
    let read = |i: usize| {
        let before = copied && projected.tensors[i + 1] == op.result;
        access(record, &if before { as_before(&name(0)) } else { name(i + 1) }, Slot::Rhs(i))
    };
    let args: Vec<String> = (0..record.rhs.len()).map(read).collect();
    if op.begun {
        // c once for each cell, then the products: see spec/interpreter.md.
        let [a, b, c] = args.as_slice() else { return Vec::new() };
        let mut lines = loops(record, |i| !record.reductions().contains(&i));
        lines.push(Line::new(lines.len(), written(&target, Accumulate::Replace, false, c), ""));
        let mut products = loops(record, |_| true);
        products.push(Line::new(products.len(), written(&target, Accumulate::Add, true, &format!("{a} * {b}")), ""));
        lines.extend(products);
        return lines;
    }
    let mut lines = Vec::new();
    if copied {
        lines.push(Line::new(0, format!("copy {} to {}", name(0), as_before(&name(0))), ""));
    }
    if writes.needs_init(op.accumulate, op.erase) {
        lines.push(Line::new(0, format!("fill {} with {}", name(0), neutral(op.accumulate)), ""));
    }
    lines.extend(loops(record, |_| true));
    if op.logic == Logic::Block {
        // Each operand where its own parts have their turn.
        let depth = record.factors().len();
        let back = writes.reads_back(op.accumulate, op.erase);
        let body = |arg: &String| Line::new(depth, written(&target, op.accumulate, back, arg), "");
        lines.extend(args.iter().map(body));
        return lines;
    }
    let body =
        written(&target, op.accumulate, writes.reads_back(op.accumulate, op.erase), &combined(op.primitive, &args));
    lines.push(Line::new(record.factors().len(), body, ""));
    lines
}

/// The heads of the loops that are wanted, each inside the one before it.
fn loops(record: &Projections, wanted: impl Fn(usize) -> bool) -> Vec<Line> {
    let reductions = record.reductions();
    let factors = record.factors().into_iter().filter(|factor| factor.iter().any(|i| wanted(*i)));
    let head = |(depth, factor): (usize, Vec<usize>)| {
        let note = if factor.iter().all(|i| reductions.contains(i)) { "reduction" } else { "" };
        let one = |i: &usize| record.loops.get(*i).map(|it| format!("{} in 0..{}", it.name, it.size));
        let ranges: Vec<String> = factor.iter().filter_map(one).collect();
        Line::new(depth, format!("for {}", ranges.join(", then ")), note)
    };
    factors.enumerate().map(head).collect()
}
