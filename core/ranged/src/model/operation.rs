//! The operations of a model file, and the shape rule that each stands for.

use super::super::context::Context;
use super::super::dim::{Dim, Size};
use super::super::error::{Operation, ShapeError, ShapeProblem};
use super::super::ops::{self, refuse};
use super::super::reshape::{Obligation, reshape};
use super::super::shape::{MAX_RANK, Shape};
use super::parse::{Reader, Scanner};
use super::{Layer, ModelError, ModelProblem, Role};
use lozenge_notation::Span;

/// Every operation.
pub(super) const NAMES: [&str; 30] = [
    "matmul",
    "linear",
    "embedding",
    "same",
    "reshape",
    "transpose",
    "permute",
    "concat",
    "stack",
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "add",
    "sub",
    "mul",
    "div",
    "pow",
    "maximum",
    "minimum",
    "relu",
    "gelu",
    "tanh",
    "sigmoid",
    "softmax",
    "exp",
    "log",
    "neg",
    "dropout",
];

const BROADCAST: [&str; 7] = ["add", "sub", "mul", "div", "pow", "maximum", "minimum"];
const REDUCE: [&str; 5] = ["sum", "mean", "max", "min", "prod"];

/// What an operation makes.
struct MadeLayer {
    shape: Shape,
    role: Role,
    parameters: Vec<Shape>,
    obligation: Option<Obligation>,
}

impl MadeLayer {
    fn new(shape: Shape, role: Role) -> Self {
        MadeLayer { shape, role, parameters: vec![], obligation: None }
    }
}

/// Reads the right side of `name = …` and adds the layer.
pub(super) fn operate(
    reader: &mut Reader,
    name: &str,
    name_span: Span,
    scanner: &mut Scanner<'_>,
) -> Result<(), ModelError> {
    let start = scanner.place();
    let Some((word, span)) = scanner.name() else {
        return Err(scanner.unexpected("an operation, as in relu x"));
    };
    let Some(operation) = NAMES.iter().find(|n| **n == word) else {
        let known = format!("there are {}", NAMES.join(", "));
        let name = word.chars().take(40).collect();
        return Err(ModelError::new(ModelProblem::Unknown { name, what: "operation", known }, span));
    };
    let made = made(reader, operation, scanner, span)?;
    let end = scanner.place();
    reader.add(Layer {
        name: name.to_owned(),
        operation: scanner.between(start, end),
        role: made.role,
        shape: made.shape,
        parameters: made.parameters,
        obligation: made.obligation,
        span: name_span,
    });
    Ok(())
}

fn made(
    reader: &mut Reader,
    word: &'static str,
    scanner: &mut Scanner<'_>,
    span: Span,
) -> Result<MadeLayer, ModelError> {
    let at = |error: ShapeError| ModelError::new(ModelProblem::Shape(Box::new(error)), span);
    let result = |shape| MadeLayer::new(shape, Role::Result);
    let view = |shape| MadeLayer::new(shape, Role::View);
    match word {
        "matmul" | "same" => {
            let (left, right) = (reader.tensor(scanner)?.0, reader.tensor(scanner)?.0);
            let context = &mut reader.model.context;
            match word {
                "same" => ops::unify_shapes(context, &left, &right).map(view),
                _ if left.rank() == 2 && right.rank() == 2 => ops::matmul(context, &left, &right).map(result),
                _ => ops::matmul_batched(context, &left, &right).map(result),
            }
            .map_err(at)
        }
        "linear" => {
            let (x, _) = reader.tensor(scanner)?;
            let width = size(scanner, "the number of outputs, as in linear x 256")?;
            let bias = !scanner.eat_word("nobias");
            linear(&reader.model.context, &x, width, bias).map_err(at)
        }
        "embedding" => {
            let (x, _) = reader.tensor(scanner)?;
            let rows = size(scanner, "the number of rows, as in embedding x 50000 512")?;
            let width = size(scanner, "the width, as in embedding x 50000 512")?;
            embedding(&reader.model.context, &x, rows, width).map_err(at)
        }
        "reshape" => {
            let (x, _) = reader.tensor(scanner)?;
            let target = scanner.targets(&mut reader.scope())?;
            let reshaped = reshape(&reader.model.context, &x, &target).map_err(at)?;
            Ok(MadeLayer { obligation: reshaped.obligation, ..view(reshaped.shape) })
        }
        "transpose" => {
            let (x, _) = reader.tensor(scanner)?;
            let (first, second) = (axis(scanner)?, axis(scanner)?);
            ops::transpose(&reader.model.context, &x, first, second).map(view).map_err(at)
        }
        "permute" => {
            let (x, _) = reader.tensor(scanner)?;
            let mut order = Vec::new();
            while !scanner.at_end() && order.len() <= MAX_RANK {
                order.push(axis(scanner)?);
            }
            ops::permute(&reader.model.context, &x, &order).map(view).map_err(at)
        }
        "concat" | "stack" => {
            let along = axis(scanner)?;
            let shapes = tensors(reader, scanner)?;
            if shapes.is_empty() {
                return Err(scanner.unexpected("the name of a tensor"));
            }
            let shapes: Vec<&Shape> = shapes.iter().collect();
            let rule = if word == "concat" { ops::concat } else { ops::stack };
            rule(&mut reader.model.context, &shapes, along).map(result).map_err(at)
        }
        _ if REDUCE.contains(&word) => {
            let (x, _) = reader.tensor(scanner)?;
            let along = axis(scanner)?;
            let keepdim = scanner.eat_word("keepdim");
            ops::reduce(&reader.model.context, &x, along, keepdim).map(result).map_err(at)
        }
        _ if BROADCAST.contains(&word) => {
            let shapes = tensors(reader, scanner)?;
            if shapes.len() < 2 {
                let problem =
                    ModelProblem::Operands { operation: word, takes: "two or more operands", found: shapes.len() };
                return Err(ModelError::new(problem, span));
            }
            let shapes: Vec<&Shape> = shapes.iter().collect();
            ops::broadcast(&mut reader.model.context, &shapes).map(result).map_err(at)
        }
        // Element by element: the shape stays.
        _ => Ok(result(reader.tensor(scanner)?.0)),
    }
}

/// All names to the end of the line.
fn tensors(reader: &Reader, scanner: &mut Scanner<'_>) -> Result<Vec<Shape>, ModelError> {
    let mut shapes = Vec::new();
    while !scanner.at_end() {
        shapes.push(reader.tensor(scanner)?.0);
    }
    Ok(shapes)
}

fn axis(scanner: &mut Scanner<'_>) -> Result<usize, ModelError> {
    match scanner.number()? {
        // Beyond what memory holds is beyond every rank as well.
        Some((n, _)) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        None => Err(scanner.unexpected("an axis, counted from 0")),
    }
}

fn size(scanner: &mut Scanner<'_>, expected: &'static str) -> Result<Size, ModelError> {
    match scanner.size()? {
        Some(size) => Ok(size),
        None => Err(scanner.unexpected(expected)),
    }
}

/// [… , k] with weights [k, n] and bias [n] → [… , n].
fn linear(context: &Context, x: &Shape, width: Size, bias: bool) -> Result<MadeLayer, ShapeError> {
    let Some((inner, before)) = x.0.split_last() else {
        let problem = ShapeProblem::Rank { found: 0, needed: "at least rank 1" };
        return Err(refuse(context, Operation::Linear, &[x], vec![], problem));
    };
    let width = Dim::Literal(width);
    let mut parameters = vec![Shape(vec![inner.clone(), width.clone()])];
    parameters.extend(bias.then(|| Shape(vec![width.clone()])));
    let shape = Shape(before.iter().cloned().chain([width]).collect());
    Ok(MadeLayer { parameters, ..MadeLayer::new(shape, Role::Result) })
}

/// An index is replaced by a row of a table of parameters.
fn embedding(context: &Context, x: &Shape, rows: Size, width: Size) -> Result<MadeLayer, ShapeError> {
    if x.rank() >= MAX_RANK {
        return Err(refuse(context, Operation::Embedding, &[x], vec![], ShapeProblem::RankLimit(x.rank() + 1)));
    }
    let (rows, width) = (Dim::Literal(rows), Dim::Literal(width));
    let shape = Shape(x.0.iter().cloned().chain([width.clone()]).collect());
    Ok(MadeLayer { parameters: vec![Shape(vec![rows, width])], ..MadeLayer::new(shape, Role::Result) })
}
