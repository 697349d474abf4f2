//! A translated program as Python: a function of its leaves that gives a dictionary of its tensors.
//!
//! Nothing is changed in place, so `program(…, np=jax.numpy)` runs the same text in JAX.

use super::graph::{Fold, Node, Step, Written, cells};
use super::names::{Names, needed, outputs};
use super::translate::Translated;
use lozenge::program::Inference;
use lozenge::program::ast::{BinaryOp, UnaryOp};
use std::fmt::{Display, Write as _};

/// The text of a module.
pub fn module(inferred: &Inference, made: &Translated, names: &Names) -> String {
    let mut text = String::from("import numpy as np\n\n\n");
    let needed = needed(inferred, made);
    let mut arguments = Vec::new();
    let mut body = String::new();
    for id in &needed {
        let node = &made.graph.nodes[*id];
        let name = names.node(*id);
        match &node.step {
            Step::Leaf(tensor) => match made.initial.get(tensor) {
                None => arguments.push(name.to_owned()),
                Some(initial) => {
                    arguments.push(format!("{name}=None"));
                    let value = expression(&made.graph.nodes[*initial], &[]);
                    let _ = writeln!(body, "    if {name} is None:\n        {name} = {value}");
                }
            },
            Step::Index(_) => arguments.push(name.to_owned()),
            _ if made.initial.values().any(|initial| initial == id) => {}
            _ => {
                let args: Vec<&str> = node.args.iter().map(|arg| names.node(*arg)).collect();
                let _ = writeln!(body, "    {name} = {}", expression(node, &args));
            }
        }
    }
    arguments.push("np=np".to_owned());
    let _ = writeln!(text, "def program(*, {}):", arguments.join(", "));
    text.push_str("    \"\"\"Axes are in the order batch, output, input.\"\"\"\n");
    text.push_str(&body);
    let values = outputs(inferred)
        .filter_map(|(name, tensor)| Some(format!("{}: {}", quoted(&name), names.node(made.values[tensor]?))));
    let _ = writeln!(text, "    return {{{}}}", values.collect::<Vec<_>>().join(", "));
    text
}

/// A string of Python.
pub fn quoted(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| if c == '\'' || c == '\\' { vec!['\\', c] } else { vec![c] });
    format!("'{}'", escaped.collect::<String>())
}

/// `(2, 3)`, `(2,)`, `()`.
fn tuple<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.as_slice() {
        [only] => format!("({only},)"),
        items => format!("({})", items.join(", ")),
    }
}

fn number(x: f64) -> String {
    match x {
        x if x.is_nan() => "np.nan".to_owned(),
        x if x == f64::INFINITY => "np.inf".to_owned(),
        x if x == f64::NEG_INFINITY => "-np.inf".to_owned(),
        x => format!("{x:?}"),
    }
}

/// Lists inside each other.
fn nested(dims: &[u64], cells: &[String]) -> String {
    match dims {
        [] => cells.first().cloned().unwrap_or_default(),
        [_, rest @ ..] => {
            let each = usize::try_from(rest.iter().product::<u64>()).unwrap_or(1).max(1);
            let parts: Vec<String> = cells.chunks(each).map(|part| nested(rest, part)).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

fn array(dims: &[u64], cells: impl Iterator<Item = String>) -> String {
    format!("np.array({})", nested(dims, &cells.collect::<Vec<_>>()))
}

/// The places of an axis, as an array that broadcasts against one of this rank.
fn along(axis: usize, rank: usize, size: u64) -> String {
    if rank == axis + 1 {
        return format!("np.arange({size})");
    }
    // Axes before this one need not be there.
    let shape = (axis..rank).map(|i| if i == axis { size } else { 1 });
    format!("np.arange({size}).reshape({})", tuple(shape))
}

/// `2 * a + b + 1`.
fn affine(terms: impl Iterator<Item = (u64, String)>, offset: i128) -> String {
    let mut parts: Vec<String> =
        terms.map(|(factor, at)| if factor == 1 { at } else { format!("{factor} * {at}") }).collect();
    if offset != 0 || parts.is_empty() {
        parts.push(offset.to_string());
    }
    parts.join(" + ").replace("+ -", "- ")
}

fn selected(written: &[Written], dims: &[u64]) -> String {
    let rank = dims.len();
    let met = |it: &Written| {
        let terms = it.terms.iter().map(|(factor, axis)| (*factor, along(*axis, rank, dims[*axis])));
        format!("({} == {})", along(it.at, rank, dims[it.at]), affine(terms, it.offset.into()))
    };
    written.iter().map(met).collect::<Vec<_>>().join(" & ")
}

/// One step as an expression over the names of its operands.
fn expression(node: &Node, args: &[&str]) -> String {
    let all = args.join(", ");
    let x = args.first().copied().unwrap_or_default();
    match &node.step {
        Step::Leaf(_) | Step::Index(_) => String::new(),
        Step::Constant(cells) => array(&node.dims, cells.iter().map(|x| number(*x))),
        // Without axes as well: Python's own numbers raise an error at 1 / 0, and have complex powers.
        Step::Full(value) => format!("np.full({}, {})", tuple(&node.dims), number(*value)),
        Step::Range => {
            let count = cells(&node.dims);
            format!("np.arange({count}.0).reshape({})", tuple(&node.dims))
        }
        Step::Transpose(axes) => format!("np.transpose({x}, {})", tuple(axes)),
        Step::Squeeze(axes) => format!("np.squeeze({x}, {})", tuple(axes)),
        Step::Unsqueeze(axes) => format!("np.expand_dims({x}, {})", tuple(axes)),
        Step::Reshape => format!("np.reshape({x}, {})", tuple(&node.dims)),
        Step::Expand => format!("np.broadcast_to({x}, {})", tuple(&node.dims)),
        Step::Pad { before, after, value } => {
            let pairs = before.iter().zip(after).map(|(b, a)| format!("({b}, {a})"));
            format!("np.pad({x}, {}, constant_values={})", tuple(pairs), number(*value))
        }
        Step::Cut { axis, start, step } => {
            let stop = start + step * (node.dims[*axis].saturating_sub(1)) + 1;
            let by = if *step == 1 { String::new() } else { format!(":{step}") };
            format!("{x}[{}{start}:{stop}{by}]", ":, ".repeat(*axis))
        }
        Step::Pick { axis, at } => format!("{x}[{}{at}]", ":, ".repeat(*axis)),
        Step::PickAt { axis } => format!("np.take({x}, {}, axis={axis})", args.get(1).copied().unwrap_or_default()),
        Step::Window { axis, terms, offset } => {
            let rank = terms.len();
            let places = terms.iter().enumerate().map(|(i, (factor, n))| (*factor, along(i, rank, *n)));
            format!("np.take({x}, {}, axis={axis})", affine(places, (*offset).into()))
        }
        Step::Einsum(spec) => format!("np.einsum({}, {all})", quoted(spec)),
        Step::Unary(op) => unary(*op, x),
        Step::Binary(op) => binary(*op, x, args.get(1).copied().unwrap_or_default()),
        Step::Where => format!("np.where({x} != 0, {})", args[1..].join(", ")),
        Step::Reduce(fold, axes) => {
            let name = match fold {
                Fold::Sum => "sum",
                Fold::Product => "prod",
                Fold::Max => "max",
                Fold::Min => "min",
            };
            format!("np.{name}({x}, axis={})", tuple(axes))
        }
        Step::Concat(axis) => format!("np.concatenate(({all}), axis={axis})"),
        Step::Select { written, otherwise } => {
            format!("np.where({}, {x}, {})", selected(written, &node.dims), number(*otherwise))
        }
        Step::Overlay(mask) => {
            let cells = mask.iter().map(|holds| if *holds { "True".to_owned() } else { "False".to_owned() });
            format!("np.where({}, {all})", array(&node.dims, cells))
        }
        // Made for ONNX only.
        Step::Conv(_) => String::new(),
    }
}

fn unary(op: UnaryOp, x: &str) -> String {
    match op {
        UnaryOp::Relu => format!("np.maximum({x}, 0.0)"),
        UnaryOp::Recip => format!("1.0 / {x}"),
        UnaryOp::Neg => format!("-{x}"),
        UnaryOp::Not => format!("np.where({x} == 0, 1.0, 0.0)"),
        UnaryOp::Exp | UnaryOp::Log | UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Sqrt | UnaryOp::Tanh => {
            format!("np.{}({x})", op.text())
        }
    }
}

fn binary(op: BinaryOp, x: &str, y: &str) -> String {
    let truth = |condition: String| format!("np.where({condition}, 1.0, 0.0)");
    match op {
        BinaryOp::Add => format!("{x} + {y}"),
        BinaryOp::Sub => format!("{x} - {y}"),
        BinaryOp::Mul | BinaryOp::Compose => format!("{x} * {y}"),
        BinaryOp::Div => format!("{x} / {y}"),
        BinaryOp::Pow => format!("{x} ** {y}"),
        BinaryOp::Lt => truth(format!("{x} < {y}")),
        BinaryOp::Eq => truth(format!("{x} == {y}")),
        BinaryOp::Ne => truth(format!("{x} != {y}")),
        BinaryOp::And => truth(format!("({x} != 0) & ({y} != 0)")),
        BinaryOp::Or => truth(format!("({x} != 0) | ({y} != 0)")),
        BinaryOp::Max => format!("np.maximum({x}, {y})"),
        BinaryOp::Min => format!("np.minimum({x}, {y})"),
        BinaryOp::Gate => format!("np.where({x} > 0, {y}, 0.0)"),
    }
}
