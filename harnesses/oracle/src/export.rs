//! `lozenge export`: a program in the words of another library (spec/translations.md).

mod conv;
mod einsum;
mod graph;
mod index;
mod layout;
mod limits;
mod names;
mod numpy;
mod onnx;
mod operation;
mod place;
mod proto;
mod refusal;
mod translate;

use crate::infer::{self, Inferred};
use crate::output::{Answer, Exit, Failure, Json, Output};
use crate::policy::PolicyArgs;
use crate::project::nests;
use crate::whole::{Target, apart};
use einsum::Einsum;
use lozenge::program::Inference;
use lozenge::projection::Projected;
use names::Names;
use refusal::{Language, Refusal};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use translate::{Translated, translate};

const EXAMPLES: &str = "\
Examples:
  lozenge export tests/programs/mlp.loz --numpy             a function in Python
  lozenge export tests/programs/mlp.loz --onnx mlp.onnx     a graph of ONNX
  lozenge export tests/programs/mlp.loz --onnx m.onnx --shapes   with every shape that was inferred
  lozenge export program.loz --einsum                       a string for each sum of products

Axes are in the order of storage: batch, output, input. spec/translations.md has the table of
what becomes what.
Exit status: 0 exported, 1 the shapes do not fit or the language cannot say it, 2 bad input,
3 a limit was reached.";

/// Write a program for NumPy, ONNX or einsum
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A program, as text or in its JSON form; - is standard input
    file: PathBuf,
    #[command(flatten)]
    to: To,
    /// Write the inferred shapes of results into the graph
    #[arg(long, requires = "onnx")]
    shapes: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// The language; exactly one.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct To {
    /// A graph of ONNX, into this file
    #[arg(long, value_name = "FILE")]
    onnx: Option<PathBuf>,
    /// A function in Python
    #[arg(long)]
    numpy: bool,
    /// An einsum string for each operation
    #[arg(long)]
    einsum: bool,
}

/// Infers, translates and writes.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let Inferred { inference, source, .. } = match infer::inferred(&args.file, args.policy.policy(false), out) {
        Ok(inferred) => inferred,
        Err(answer) => return answer,
    };
    let nests = nests(&inference, &source)?;
    let written = match &args.to {
        To { einsum: true, .. } => write_einsum(&inference, &nests, out),
        To { onnx: Some(file), .. } => write_onnx(&inference, &nests, (file, args), out),
        To { .. } => write_numpy(&inference, &nests, out),
    };
    match written {
        Ok(()) => Ok(Exit::Yes),
        Err(Unwritten::Refused(refusal)) => refused(&refusal, &source.text, out),
        Err(Unwritten::Failed(failure)) => Err(failure),
    }
}

/// Why nothing was written.
enum Unwritten {
    Refused(Refusal),
    Failed(Failure),
}

impl From<Refusal> for Unwritten {
    fn from(refusal: Refusal) -> Self {
        Unwritten::Refused(refusal)
    }
}

impl<E: Into<Failure>> From<E> for Unwritten {
    fn from(error: E) -> Self {
        Unwritten::Failed(error.into())
    }
}

/// The answer to an export.
#[derive(Serialize)]
struct ExportJson {
    verdict: &'static str,
    language: &'static str,
    /// The text, for NumPy.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The strings, for einsum.
    #[serde(skip_serializing_if = "Option::is_none")]
    einsums: Option<Vec<Einsum>>,
    /// What these read and the program has written out, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    literals: Option<Json>,
    /// Tensors by name: their values, rows and arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    tensors: Option<Json>,
    /// The argument of each index from outside, and what it must be below.
    #[serde(skip_serializing_if = "Option::is_none")]
    indices: Option<Json>,
    /// How many cells all arrays have together.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<u64>,
    /// Sizes that have names.
    captures: Json,
}

fn exported(language: Language, inferred: &Inference) -> ExportJson {
    let sizes: Map<String, Value> = inferred.sizes.iter().map(|size| (size.name.clone(), size.size.into())).collect();
    ExportJson {
        verdict: "exported",
        language: language.name(),
        code: None,
        einsums: None,
        literals: None,
        tensors: None,
        indices: None,
        cells: None,
        captures: Json(sizes.into()),
    }
}

/// The answer with what the steps of a program are called.
fn named(language: Language, inferred: &Inference, made: &Translated, names: &Names) -> ExportJson {
    ExportJson {
        tensors: Some(layout::tensors(inferred, made, names)),
        indices: Some(layout::indices(made, names)),
        cells: Some(layout::cells(inferred, made)),
        ..exported(language, inferred)
    }
}

fn write_einsum(inferred: &Inference, nests: &[Projected], out: &mut Output) -> Result<(), Unwritten> {
    let einsums = einsum::all(inferred, nests)?;
    let literals = einsum::literals(inferred, nests);
    if out.json {
        let literals = Some(einsum::literals_json(literals));
        let answer = ExportJson { einsums: Some(einsums), literals, ..exported(Language::Einsum, inferred) };
        return Ok(out.json(&answer)?);
    }
    for literal in &literals {
        out.line(&literal.text())?;
    }
    for einsum in &einsums {
        out.line(&einsum.text())?;
    }
    Ok(())
}

fn write_numpy(inferred: &Inference, nests: &[Projected], out: &mut Output) -> Result<(), Unwritten> {
    let made = translate(inferred, nests, Language::Numpy)?;
    let names = Names::of(inferred, &made);
    let code = numpy::module(inferred, &made, &names);
    if out.json {
        let answer = ExportJson { code: Some(code), ..named(Language::Numpy, inferred, &made, &names) };
        return Ok(out.json(&answer)?);
    }
    for line in code.lines() {
        out.line(line)?;
    }
    Ok(())
}

fn write_onnx(
    inferred: &Inference,
    nests: &[Projected],
    (file, args): (&Path, &Args),
    out: &mut Output,
) -> Result<(), Unwritten> {
    let target = Target::open(file)?;
    apart(&[Some(&target)], [args.file.as_path()])?;
    let made = translate(inferred, nests, Language::Onnx)?;
    let names = Names::of(inferred, &made);
    let bytes = onnx::bytes(inferred, &made, &names, args.shapes);
    target.write(&bytes)?;
    if out.json {
        return Ok(out.json(&named(Language::Onnx, inferred, &made, &names))?);
    }
    Ok(out.line(&format!("wrote {}, {} bytes", file.display(), bytes.len()))?)
}

/// The answer to a program that the language cannot say.
#[derive(Serialize)]
struct RefusedJson {
    verdict: &'static str,
    language: &'static str,
    reason: &'static str,
    message: String,
    position: Option<[usize; 2]>,
}

fn refused(refusal: &Refusal, text: &str, out: &mut Output) -> Answer {
    let position = refusal.span.is_known().then(|| refusal.span.position(text));
    if out.json {
        let message = refusal.to_string();
        let position = position.map(|(line, column)| [line, column]);
        let (language, reason) = (refusal.language.name(), refusal.why.name());
        out.json(&RefusedJson { verdict: "refused", language, reason, message, position })?;
    } else {
        let place = position.map_or(String::new(), |(line, column)| format!("{line}:{column}: "));
        out.line(&format!("refused: {place}{refusal}"))?;
    }
    Ok(Exit::No)
}
