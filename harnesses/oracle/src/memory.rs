//! `lozenge memory`: what training a model takes, layer by layer (spec/ranged.md, D11).

mod table;

use crate::output::{Answer, BAD, Exit, Failure, GOOD, Output, TITLE, paint};
use crate::system::Source;
use lozenge::notation::Problem;
use lozenge::ranged::memory::Bounds;
use lozenge::ranged::model::{Estimate, Model, ModelError, ModelProblem, Role, parse_bytes};
use lozenge::ranged::training::{Activations, DType, Fit, Optimizer};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge memory tests/models/mnist.txt                    a table, and the sum
  lozenge memory model.txt --device '24 GiB'               does it fit?
  lozenge memory model.txt --optimizer sgd --dtype bf16    with other settings
  lozenge memory - < model.txt                             from standard input

A model file declares tensors and applies operations, one a line; spec/ranged.md has the grammar.
Exit status: 0 estimated, or it fits; 1 it does not or may not fit, or the shapes do not; 2 bad input;
3 a limit: 64 bits for a size or the end of a range, 128 for elements and bytes, 64 axes, 10,000 statements.";

/// Estimate the memory that training a model takes
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model file; - is standard input
    model: PathBuf,
    /// Memory of the device, as in 24GiB
    #[arg(long, value_name = "BYTES", value_parser = device)]
    device: Option<u128>,
    /// The optimizer: sgd, momentum, adagrad, rmsprop, lion, adadelta, adam, adamw, amsgrad
    #[arg(long, value_parser = |text: &str| named(&Optimizer::ALL, |o| o.name(), text))]
    optimizer: Option<Optimizer>,
    /// How elements are stored: f64, f32, f16, bf16, f8, i64, i32, i16, i8, bool
    #[arg(long, value_parser = |text: &str| named(&DType::ALL, |d| d.name(), text))]
    dtype: Option<DType>,
    /// Which results count: all of them, or the largest alone
    #[arg(long, value_parser = |text: &str| named(&Activations::ALL, |a| a.name(), text))]
    activations: Option<Activations>,
}

fn device(text: &str) -> Result<u128, String> {
    parse_bytes(text).map_err(|error| error.to_string())
}

fn named<T: Copy>(all: &[T], name: fn(&T) -> &'static str, text: &str) -> Result<T, String> {
    let known = || format!("one of {}", all.iter().map(name).collect::<Vec<_>>().join(", "));
    all.iter().find(|item| name(item) == text).copied().ok_or_else(known)
}

/// Estimates and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let source = Source::read(&args.model)?;
    let estimated = Model::parse(&source.text).and_then(|mut model| {
        model.dtype = args.dtype.unwrap_or(model.dtype);
        model.optimizer = args.optimizer.unwrap_or(model.optimizer);
        model.activations = args.activations.unwrap_or(model.activations);
        model.device = args.device.or(model.device);
        let estimate = model.estimate()?;
        Ok((model, estimate))
    });
    let (model, estimate) = match estimated {
        Ok(both) => both,
        Err(error) => return refused(&error, source, out),
    };
    let fit = model.device.map(|device| Fit::of(estimate.total, device));
    if out.json {
        out.json(&json(&model, &estimate, fit))?;
    } else {
        table::print(&model, &estimate, out)?;
        if let (Some(fit), Some(device)) = (fit, model.device) {
            let style = if fit == Fit::Always { GOOD } else { BAD };
            let why = table::against(estimate.total, device, out.ascii);
            out.line(&format!("{}: {why}", paint(style, &fit.to_string())))?;
        }
    }
    Ok(Exit::from(fit.is_none_or(|fit| fit == Fit::Always)))
}

/// Shapes that do not fit are an answer; a text that is no model is not.
fn refused(error: &ModelError, source: Source, out: &mut Output) -> Answer {
    let text = &source.text;
    let exit = match error.problem {
        ModelProblem::Shape(_) if !error.problem.is_limit() => Exit::No,
        ModelProblem::Shape(_) | ModelProblem::TooLarge | ModelProblem::Statements => Exit::Limit,
        _ => {
            let kind = if error.problem.is_limit() { "limit" } else { "parse" };
            if !out.json {
                return Err(Failure::input(kind, error.render(text)));
            }
            let (message, span) = (error.problem.to_string(), error.span);
            return Err(Failure::Text { kind, source: Box::new(source), message, span });
        }
    };
    if out.json {
        let (line, column) = error.span.position(text);
        let verdict = if exit == Exit::Limit { "limit" } else { "unsat" };
        out.json(&RefusedJson {
            verdict,
            message: error.to_string(),
            position: [line, column],
            text: error.render(text),
        })?;
    } else {
        for line in error.render(text).lines() {
            let line = out.text(line);
            out.line(&line)?;
        }
    }
    Ok(exit)
}

#[derive(Serialize)]
struct RefusedJson {
    verdict: &'static str,
    message: String,
    /// Line and column in the model.
    position: [usize; 2],
    /// The whole explanation, for people.
    text: String,
}

/// Without `max` there is no upper bound.
#[derive(Serialize)]
struct BoundsJson {
    min: u128,
    max: Option<u128>,
}

impl From<Bounds> for BoundsJson {
    fn from(bounds: Bounds) -> Self {
        BoundsJson { min: bounds.min, max: bounds.max }
    }
}

#[derive(Serialize)]
struct LayerJson<'m> {
    name: &'m str,
    operation: &'m str,
    role: &'static str,
    shape: String,
    parameters: BoundsJson,
    activations: BoundsJson,
    total: BoundsJson,
}

#[derive(Serialize)]
struct MemoryJson<'m> {
    verdict: String,
    dtype: &'static str,
    optimizer: &'static str,
    counted: &'static str,
    layers: Vec<LayerJson<'m>>,
    parameter_count: BoundsJson,
    parameters: BoundsJson,
    gradients: BoundsJson,
    optimizer_state: BoundsJson,
    activations: BoundsJson,
    total: BoundsJson,
    device: Option<u128>,
    /// What only a run can tell.
    obligations: Vec<String>,
}

fn json<'m>(model: &'m Model, estimate: &Estimate, fit: Option<Fit>) -> MemoryJson<'m> {
    let layer =
        |(layer, bytes): (&'m lozenge::ranged::model::Layer, &lozenge::ranged::model::LayerEstimate)| LayerJson {
            name: &layer.name,
            operation: &layer.operation,
            role: role(layer.role),
            shape: layer.shape.to_string(),
            parameters: bytes.parameters.into(),
            activations: bytes.activations.into(),
            total: bytes.total.into(),
        };
    let training = &estimate.training;
    MemoryJson {
        verdict: fit.map_or_else(|| "estimated".to_owned(), |fit| fit.to_string()),
        dtype: model.dtype.name(),
        optimizer: model.optimizer.name(),
        counted: model.activations.name(),
        layers: model.layers.iter().zip(&estimate.layers).map(layer).collect(),
        parameter_count: estimate.parameters.into(),
        parameters: training.parameters.into(),
        gradients: training.gradients.into(),
        optimizer_state: training.optimizer.into(),
        activations: training.activations.into(),
        total: estimate.total.into(),
        device: model.device,
        obligations: obligations(model),
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Parameter => "parameter",
        Role::Result => "result",
        Role::View => "view",
    }
}

/// What only a run can tell, layer by layer.
fn obligations(model: &Model) -> Vec<String> {
    let owed = model.layers.iter().filter_map(|l| Some(format!("{}: {}", l.name, l.obligation.as_ref()?)));
    owed.collect()
}

/// A heading with what the estimate rests on.
fn settings(model: &Model) -> String {
    let states = match model.optimizer.states() {
        0 => "keeps nothing".to_owned(),
        n => format!("keeps {n} per parameter"),
    };
    let counted = match model.activations {
        Activations::All => "inputs and all results count",
        Activations::Largest => "the largest result counts",
    };
    let (dtype, optimizer) = (model.dtype, model.optimizer.name());
    let bytes = if dtype.bytes() == 1 { "byte" } else { "bytes" };
    let text = format!("{}, {} {bytes} each; {optimizer} {states}; {counted}", dtype.name(), dtype.bytes());
    paint(TITLE, &text)
}
