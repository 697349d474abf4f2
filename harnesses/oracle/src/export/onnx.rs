//! A translated program as a graph of ONNX. Elements are doubles; indices from outside are 64-bit whole numbers.

use super::graph::{Conv, Fold, Id, Node, Step, Written, cells};
use super::layout::counts;
use super::names::{Names, needed, outputs};
use super::proto::{
    Element, GraphParts, Message, int_attribute, ints_attribute, model, node, tensor, tensor_attribute, text_attribute,
    value_info,
};
use super::translate::Translated;
use lozenge::program::Inference;
use lozenge::program::ast::{BinaryOp, UnaryOp};
use lozenge::program::generate::TensorId;
use std::collections::{BTreeMap, BTreeSet};

/// The bytes of a model. With `shapes`, the sizes of results are written down; else only those of inputs.
pub fn bytes(inferred: &Inference, made: &Translated, names: &Names, shapes: bool) -> Vec<u8> {
    let taken = names.nodes.values().chain(names.tensors.values()).cloned().collect();
    let mut writer = Writer { made, names, parts: GraphParts::default(), taken };
    for id in needed(inferred, made) {
        if !made.initial.values().any(|initial| *initial == id) {
            writer.step(id);
        }
    }
    let mut seen = BTreeSet::new();
    for (_, id) in outputs(inferred) {
        if seen.insert(id)
            && let Some(value) = made.values[id]
        {
            writer.output(&names.tensors[&id], value, shapes);
        }
    }
    model(&writer.parts, &properties(inferred, names))
}

/// The numbers of axes of each tensor that has a name, and its names, where these are others than in the model. A key may
/// stand once only.
fn properties(inferred: &Inference, names: &Names) -> Vec<(String, String)> {
    let mut called: BTreeMap<TensorId, Vec<&str>> = BTreeMap::new();
    for (name, id) in &inferred.generated.bindings {
        called.entry(*id).or_default().extend((**name != *names.tensors[id]).then_some(&**name));
    }
    let mut properties = Vec::new();
    for (_, id) in &inferred.generated.bindings {
        let (ident, Some(called)) = (&names.tensors[id], called.remove(id)) else { continue };
        properties.push((format!("lozenge.rows.{ident}"), counts(inferred, *id)));
        if !called.is_empty() {
            properties.push((format!("lozenge.name.{ident}"), called.join(", ")));
        }
    }
    properties
}

fn signed<'n>(numbers: impl IntoIterator<Item = &'n u64>) -> Vec<i64> {
    numbers.into_iter().map(|n| i64::try_from(*n).unwrap_or(i64::MAX)).collect()
}

fn places(axes: &[usize]) -> Vec<i64> {
    axes.iter().map(|axis| i64::try_from(*axis).unwrap_or(i64::MAX)).collect()
}

fn raw<const N: usize, T>(cells: impl IntoIterator<Item = T>, bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    cells.into_iter().flat_map(bytes).collect()
}

struct Writer<'a> {
    made: &'a Translated,
    names: &'a Names,
    parts: GraphParts,
    taken: BTreeSet<String>,
}

impl Writer<'_> {
    /// A name of its own for a part of what a node needs.
    fn fresh(&mut self, name: &str, part: &str) -> String {
        let mut text = format!("{name}_{part}");
        while !self.taken.insert(text.clone()) {
            text.push('_');
        }
        text
    }

    fn op(&mut self, op: &str, inputs: &[String], output: &str, attributes: &[Message]) {
        self.parts.nodes.push(node(op, inputs, output, attributes));
    }

    /// An operation whose result has a name of its own.
    fn between(&mut self, op: &str, inputs: &[String], (name, part): (&str, &str), attributes: &[Message]) -> String {
        let output = self.fresh(name, part);
        self.op(op, inputs, &output, attributes);
        output
    }

    fn ints(&mut self, name: &str, part: &str, dims: &[i64], numbers: &[i64]) -> String {
        let name = self.fresh(name, part);
        let raw = raw(numbers, |n: &i64| n.to_le_bytes());
        self.parts.initializers.push(tensor(&name, Element::Int64, dims, &raw));
        name
    }

    fn list(&mut self, name: &str, part: &str, numbers: &[i64]) -> String {
        self.ints(name, part, &[i64::try_from(numbers.len()).unwrap_or(i64::MAX)], numbers)
    }

    fn number(&mut self, name: &str, part: &str, x: f64) -> String {
        let name = self.fresh(name, part);
        self.parts.initializers.push(tensor(&name, Element::Double, &[], &x.to_le_bytes()));
        name
    }

    fn mask(&mut self, name: &str, dims: &[u64], cells: impl Iterator<Item = bool>) -> String {
        let mask = self.fresh(name, "mask");
        let raw = raw(cells, |holds| [u8::from(holds)]);
        self.parts.initializers.push(tensor(&mask, Element::Bool, &signed(dims), &raw));
        mask
    }

    /// A result of the whole graph.
    fn output(&mut self, name: &str, value: Id, shapes: bool) {
        if self.names.node(value) != name {
            let from = self.names.node(value).to_owned();
            self.op("Identity", &[from], name, &[]);
        }
        let dims = signed(&self.made.graph.nodes[value].dims);
        let dims: Vec<Option<i64>> = dims.into_iter().map(|n| shapes.then_some(n)).collect();
        self.parts.outputs.push(value_info(name, Element::Double, &dims));
    }

    fn step(&mut self, id: Id) {
        let made = self.made;
        let it = &made.graph.nodes[id];
        let name = self.names.node(id).to_owned();
        let args: Vec<String> = it.args.iter().map(|arg| self.names.node(*arg).to_owned()).collect();
        match &it.step {
            Step::Leaf(tensor) => {
                let dims: Vec<Option<i64>> = signed(&it.dims).into_iter().map(Some).collect();
                self.parts.inputs.push(value_info(&name, Element::Double, &dims));
                if let Some(initial) = made.initial.get(tensor) {
                    self.constant(&name, &made.graph.nodes[*initial]);
                }
            }
            Step::Index(_) => self.parts.inputs.push(value_info(&name, Element::Int64, &[])),
            Step::Full(x) if cells(&it.dims) > 1 => {
                let shape = self.list(&name, "shape", &signed(&it.dims));
                let value = tensor("", Element::Double, &[1], &x.to_le_bytes());
                self.op("ConstantOfShape", &[shape], &name, &[tensor_attribute("value", &value)]);
            }
            Step::Constant(_) | Step::Full(_) | Step::Range => self.constant(&name, it),
            Step::Unary(op) => self.unary(*op, &args, &name),
            Step::Binary(op) => self.binary(*op, &args, &name),
            Step::Where => {
                let condition = self.truth(&args[0], (&name, "condition"));
                self.op("Where", &[condition, args[1].clone(), args[2].clone()], &name, &[]);
            }
            Step::Einsum(spec) if is_matmul(spec) => self.op("MatMul", &args, &name, &[]),
            Step::Einsum(spec) => self.op("Einsum", &args, &name, &[text_attribute("equation", spec)]),
            Step::Concat(axis) => self.op("Concat", &args, &name, &[int_attribute("axis", places(&[*axis])[0])]),
            Step::Reduce(fold, axes) => {
                let axes = self.list(&name, "axes", &places(axes));
                self.op(reduction(*fold), &[args[0].clone(), axes], &name, &[int_attribute("keepdims", 0)]);
            }
            Step::Select { written, otherwise } => {
                let mask = self.mask(&name, &it.dims, selected(written, &it.dims).into_iter());
                let otherwise = self.number(&name, "otherwise", *otherwise);
                self.op("Where", &[mask, args[0].clone(), otherwise], &name, &[]);
            }
            Step::Overlay(mask) => {
                let mask = self.mask(&name, &it.dims, mask.iter().copied());
                self.op("Where", &[mask, args[0].clone(), args[1].clone()], &name, &[]);
            }
            Step::Conv(conv) => self.op("Conv", &args, &name, &conv_attributes(conv)),
            _ => self.moved(it, &args, &name),
        }
    }

    /// Cells that are known. How many they may be was looked at before.
    #[allow(clippy::cast_precision_loss)]
    fn constant(&mut self, name: &str, it: &Node) {
        let count = cells(&it.dims);
        let cells: Vec<f64> = match &it.step {
            Step::Constant(cells) => cells.clone(),
            Step::Range => (0..count).map(|i| i as f64).collect(),
            Step::Full(x) => (0..count).map(|_| *x).collect(),
            _ => Vec::new(),
        };
        let raw = raw(cells, f64::to_le_bytes);
        self.parts.initializers.push(tensor(name, Element::Double, &signed(&it.dims), &raw));
    }

    /// Steps that move cells.
    fn moved(&mut self, it: &Node, args: &[String], name: &str) {
        let x = args[0].clone();
        match &it.step {
            Step::Transpose(axes) => self.op("Transpose", &[x], name, &[ints_attribute("perm", &places(axes))]),
            Step::Squeeze(axes) | Step::Unsqueeze(axes) => {
                let op = if matches!(it.step, Step::Squeeze(_)) { "Squeeze" } else { "Unsqueeze" };
                let axes = self.list(name, "axes", &places(axes));
                self.op(op, &[x, axes], name, &[]);
            }
            Step::Reshape | Step::Expand => {
                let op = if it.step == Step::Reshape { "Reshape" } else { "Expand" };
                let shape = self.list(name, "shape", &signed(&it.dims));
                self.op(op, &[x, shape], name, &[]);
            }
            Step::Pad { before, after, value } => {
                let pads = self.list(name, "pads", &signed(before.iter().chain(after)));
                let value = self.number(name, "value", *value);
                self.op("Pad", &[x, pads, value], name, &[text_attribute("mode", "constant")]);
            }
            Step::Cut { axis, start, step } => {
                let stop = start + step * it.dims[*axis].saturating_sub(1) + 1;
                let mut inputs = vec![x];
                for (part, n) in [("start", *start), ("stop", stop), ("axis", *axis as u64), ("step", *step)] {
                    inputs.push(self.list(name, part, &signed(&[n])));
                }
                self.op("Slice", &inputs, name, &[]);
            }
            Step::Pick { axis, at } => {
                let index = self.ints(name, "index", &[], &signed(&[*at]));
                self.op("Gather", &[x, index], name, &[int_attribute("axis", places(&[*axis])[0])]);
            }
            Step::PickAt { axis } => self.op("Gather", args, name, &[int_attribute("axis", places(&[*axis])[0])]),
            Step::Window { axis, terms, offset } => {
                let dims: Vec<u64> = terms.iter().map(|(_, n)| *n).collect();
                let index = |point: Vec<u64>| offset + terms.iter().zip(point).map(|((f, _), i)| f * i).sum::<u64>();
                let table: Vec<u64> = points(&dims).map(index).collect();
                let index = self.ints(name, "index", &signed(&dims), &signed(&table));
                self.op("Gather", &[x, index], name, &[int_attribute("axis", places(&[*axis])[0])]);
            }
            _ => {}
        }
    }

    /// Is it not 0?
    fn truth(&mut self, x: &str, named: (&str, &str)) -> String {
        self.between("Cast", &[x.to_owned()], named, &[int_attribute("to", Element::Bool as i64)])
    }

    /// 1 or 0.
    fn number_of(&mut self, condition: String, name: &str) {
        self.op("Cast", &[condition], name, &[int_attribute("to", Element::Double as i64)]);
    }

    fn unary(&mut self, op: UnaryOp, args: &[String], name: &str) {
        let op = match op {
            UnaryOp::Relu => "Relu",
            UnaryOp::Exp => "Exp",
            UnaryOp::Log => "Log",
            UnaryOp::Sin => "Sin",
            UnaryOp::Cos => "Cos",
            UnaryOp::Sqrt => "Sqrt",
            UnaryOp::Tanh => "Tanh",
            UnaryOp::Recip => "Reciprocal",
            UnaryOp::Neg => "Neg",
            UnaryOp::Not => {
                let holds = self.truth(&args[0], (name, "holds"));
                let not = self.between("Not", &[holds], (name, "not"), &[]);
                return self.number_of(not, name);
            }
        };
        self.op(op, args, name, &[]);
    }

    fn binary(&mut self, op: BinaryOp, args: &[String], name: &str) {
        let simple = match op {
            BinaryOp::Add => "Add",
            BinaryOp::Sub => "Sub",
            BinaryOp::Mul | BinaryOp::Compose => "Mul",
            BinaryOp::Div => "Div",
            BinaryOp::Pow => "Pow",
            BinaryOp::Max => "Max",
            BinaryOp::Min => "Min",
            BinaryOp::Gate => {
                let zero = self.number(name, "zero", 0.0);
                let open = self.between("Greater", &[args[0].clone(), zero.clone()], (name, "open"), &[]);
                return self.op("Where", &[open, args[1].clone(), zero], name, &[]);
            }
            BinaryOp::Lt | BinaryOp::Eq | BinaryOp::Ne => {
                let compare = if op == BinaryOp::Lt { "Less" } else { "Equal" };
                let mut holds = self.between(compare, args, (name, "holds"), &[]);
                if op == BinaryOp::Ne {
                    holds = self.between("Not", &[holds], (name, "not"), &[]);
                }
                return self.number_of(holds, name);
            }
            BinaryOp::And | BinaryOp::Or => {
                let one = self.truth(&args[0], (name, "one"));
                let other = self.truth(&args[1], (name, "other"));
                let op = if op == BinaryOp::And { "And" } else { "Or" };
                let holds = self.between(op, &[one, other], (name, "holds"), &[]);
                return self.number_of(holds, name);
            }
        };
        self.op(simple, args, name, &[]);
    }
}

fn reduction(fold: Fold) -> &'static str {
    match fold {
        Fold::Sum => "ReduceSum",
        Fold::Product => "ReduceProd",
        Fold::Max => "ReduceMax",
        Fold::Min => "ReduceMin",
    }
}

fn conv_attributes(conv: &Conv) -> [Message; 3] {
    [
        ints_attribute("dilations", &signed(&conv.dilations)),
        ints_attribute("pads", &signed(conv.before.iter().chain(&conv.after))),
        ints_attribute("strides", &signed(&conv.strides)),
    ]
}

/// Every point of these sizes, the last fastest.
fn points(dims: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let dims = dims.to_vec();
    // A table has few of them.
    (0..u64::try_from(cells(&dims)).unwrap_or(0)).map(move |mut n| {
        let mut point: Vec<u64> = dims.iter().rev().map(|size| (n % size, n /= size).0).collect();
        point.reverse();
        point
    })
}

/// Where all these indices are met.
fn selected(written: &[Written], dims: &[u64]) -> Vec<bool> {
    let met = |point: &Vec<u64>, it: &Written| {
        let sum: i128 = it.terms.iter().map(|(factor, axis)| i128::from(*factor) * i128::from(point[*axis])).sum();
        i128::from(point[it.at]) == sum + i128::from(it.offset)
    };
    points(dims).map(|point| written.iter().all(|it| met(&point, it))).collect()
}

/// Is it `…ij,…jk->…ik`, with the same letters before, each once?
fn is_matmul(spec: &str) -> bool {
    let Some(((a, b), c)) = spec.split_once("->").and_then(|(terms, c)| Some((terms.split_once(',')?, c))) else {
        return false;
    };
    let [a, b, c] = [a, b, c].map(|term| term.chars().collect::<Vec<char>>());
    let ([batch @ .., i, j], [same @ .., k, l], [kept @ .., m, n]) = (a.as_slice(), b.as_slice(), c.as_slice()) else {
        return false;
    };
    let letters: BTreeSet<&char> = batch.iter().chain([i, j, l]).collect();
    batch == same && batch == kept && (j, i, l) == (k, m, n) && letters.len() == batch.len() + 3
}
