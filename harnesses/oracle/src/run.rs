//! `lozenge run`: the values of a program, and gradients.

pub mod data;
mod missing;
pub mod npy;
mod number;
mod shown;
mod table;

use crate::infer::{self, Inferred};
use crate::output::{Answer, Exit, FAINT, Failure, Output, TITLE, paint};
use crate::policy::PolicyArgs;
use crate::progress::Progress;
use crate::project::tensor;
use crate::warnings::{self, WarningArgs, WarningJson};
use crate::whole;
use data::{DataError, Given, JsonScalar, value_json};
use lozenge::interp::{
    Inputs, Options, Outcome, Rational, RunError, RunLimits, Tropical, Value, dims, run_with, small_enough,
};
use lozenge::program::Inference;
use lozenge::projection::{ProjectError, project_all};
use serde::Serialize;
use serde_json::{Map, Value as Json};
pub use shown::computed;
use shown::{gradients, shown};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  lozenge run tests/programs/mlp.loz --fill range:-1:0.1
  lozenge run program.loz --data x=range --data w=weights.npy
  lozenge run program.loz --data 'x=[[1, 2], [3, 4]]' --scalar rational
  lozenge run program.loz --fill 1 --grad loss          the gradient of every parameter
  lozenge run program.loz --fill 1 --grad loss --wrt x  and that of the input x
  lozenge run program.loz --data x=x.json --index i=2 --save out/   values as .npy files
  lozenge run program.loz --fill range --precision 4    four significant digits

Data is a number (in every cell), range (0, 1, 2, …), range:START:STEP, lists, or a .json or
.npy file. Axes are in the order of storage: batch, output, input. What the program reads needs
data; data for anything that it computes or assigns first is refused.
Where data is missing, the message has the flags to pass.
In i64 and rational every number is exact, as it is written; floating-point numbers have the shortest
digits that read back as the same number, or as many as --precision says.
Warnings go to standard error; spec/warnings.md lists them.
Exit status: 0 it ran, 1 the shapes do not fit, an operation has no result, or --deny-warnings
found one, 2 bad input, 3 a limit was reached.";

/// Run a program: values of tensors, and gradients
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A program, as text or in its JSON form; - is standard input
    file: PathBuf,
    /// The value of an input, parameter or constant
    #[arg(long, value_name = "NAME=DATA")]
    data: Vec<String>,
    /// What tensors without data get: a number, range, or range:START:STEP
    #[arg(long, value_name = "DATA", allow_hyphen_values = true)]
    fill: Option<String>,
    /// The value of an index that a slice takes from outside
    #[arg(long, value_name = "NAME=N")]
    index: Vec<String>,
    /// Also the gradients of this tensor (of the sum of its cells)
    #[arg(long, value_name = "NAME")]
    grad: Option<String>,
    /// And those with respect to this tensor, as an input; those of parameters are always there
    #[arg(long, value_name = "NAME", requires = "grad")]
    wrt: Vec<String>,
    /// What the cells hold
    #[arg(long, value_enum, default_value_t)]
    scalar: Kind,
    /// Only these tensors
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Show every cell
    #[arg(long)]
    full: bool,
    /// Show floating-point numbers with so many significant digits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=17))]
    precision: Option<u8>,
    /// Walk the loops as the definition says, without a plan
    #[arg(long)]
    naive: bool,
    /// Write the values into this folder, as .npy files
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// The most cells of all tensors and gradients together
    #[arg(long, value_name = "N", default_value_t = RunLimits::default().elements)]
    max_elements: u128,
    /// The most points of all loops together, those of gradients too
    #[arg(long, value_name = "N", default_value_t = RunLimits::default().points)]
    max_points: u128,
    #[command(flatten)]
    warnings: WarningArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// The kinds of scalar.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    // No doc comments here, as for colours.
    #[default]
    F64,
    I64,
    Rational,
    Tropical,
}

impl Kind {
    /// As it is written in requests.
    pub const ALL: [(&'static str, Kind); 4] =
        [("f64", Kind::F64), ("i64", Kind::I64), ("rational", Kind::Rational), ("tropical", Kind::Tropical)];
}

/// What is to be run, apart from the kind of scalar.
#[derive(Default)]
pub struct Job {
    /// Data by tensor.
    pub data: Vec<(usize, String, Given)>,
    /// What other tensors get.
    pub fill: Option<lozenge::interp::Fill>,
    /// Indices.
    pub externals: BTreeMap<String, u64>,
    /// The tensors that gradients are asked for, beside those of parameters, as they were called.
    pub wrt: Vec<(String, usize)>,
    /// How.
    pub options: Options,
}

impl Job {
    /// One more tensor's data; one tensor may have several names.
    pub fn give(&mut self, id: usize, name: String, given: Given) -> Result<(), String> {
        match self.data.iter().find(|(other, _, _)| *other == id) {
            None => {
                self.data.push((id, name, given));
                Ok(())
            }
            Some((_, other, _)) if *other == name => Err(format!("`{name}` has data twice: give it once")),
            Some((_, other, _)) => Err(format!("`{name}` and `{other}` are one tensor: give its data once")),
        }
    }

    /// The data as values of these scalars; else the name of the tensor, and why not.
    pub fn values<S: JsonScalar>(
        &self,
        inferred: &Inference,
    ) -> Result<BTreeMap<usize, Value<S>>, (String, DataError)> {
        let value = |(id, name, given): &(usize, String, Given)| {
            let value = given.value(&dims(inferred, *id)).map_err(|error| (name.clone(), error))?;
            Ok((*id, value))
        };
        self.data.iter().map(value).collect()
    }
}

/// Infers, runs and prints.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let policy = args.policy.policy(false);
    let inferred = match infer::inferred(&args.file, policy, out) {
        Ok(inferred) => inferred,
        Err(answer) => return answer,
    };
    let job = job(args, &inferred.inference)?;
    warnings::tell(&inferred.warnings, &inferred.source, policy, out);
    match args.scalar {
        Kind::F64 => finish::<f64>(args, &inferred, &job, out),
        Kind::I64 => finish::<i64>(args, &inferred, &job, out),
        Kind::Rational => finish::<Rational>(args, &inferred, &job, out),
        Kind::Tropical => finish::<Tropical>(args, &inferred, &job, out),
    }
}

fn job(args: &Args, inferred: &Inference) -> Result<Job, Failure> {
    let pair = |text: &str, what: &str| match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(Failure::input("usage", format!("{}: expected {what}", crate::output::visible(text)))),
    };
    let mut job = Job::default();
    for text in &args.data {
        let (name, value) = pair(text, "NAME=DATA")?;
        let id = tensor(inferred, &name)?;
        job.give(id, name, Given::of_argument(&value)?).map_err(|why| Failure::input("data", why))?;
    }
    for text in &args.index {
        let (name, value) = pair(text, "NAME=N")?;
        let expected = || format!("{}: expected a whole number from 0", crate::output::visible(text));
        let index = value.parse().map_err(|_| Failure::input("usage", expected()))?;
        if job.externals.insert(name.clone(), index).is_some() {
            return Err(Failure::input("usage", format!("the index `{name}` has two values: give one")));
        }
    }
    if let Some(text) = &args.fill {
        let expected = || Failure::input("usage", data::no_fill(text));
        job.fill = Some(data::fill(text).ok_or_else(expected)?);
    }
    let grad = args.grad.as_ref().map(|name| tensor(inferred, name)).transpose()?;
    let limits = RunLimits { elements: args.max_elements, points: args.max_points };
    let wrt = args.wrt.iter().map(|name| Ok((name.clone(), tensor(inferred, name)?)));
    job.wrt = wrt.collect::<Result<_, Failure>>()?;
    job.options = Options { grad, wrt: job.wrt.iter().map(|it| it.1).collect(), naive: args.naive, limits };
    Ok(job)
}

/// Runs a job with these values.
pub fn execute<S: JsonScalar>(
    inferred: &Inference,
    job: &Job,
    values: BTreeMap<usize, Value<S>>,
) -> Result<Outcome<S>, RunError> {
    let nests = project_all(inferred)?;
    let inputs = Inputs { values, fill: job.fill.clone(), externals: job.externals.clone() };
    let mut progress = Progress::new("running", 0);
    run_with(inferred, &nests, inputs, &job.options, &mut |points, all| progress.of(all).add(points))
}

fn finish<S: JsonScalar>(args: &Args, of: &Inferred, job: &Job, out: &mut Output) -> Answer {
    let Inferred { inference: inferred, source, warnings: told } = of;
    let text = &source.text;
    let shown = shown(&args.only, inferred)?;
    if let Some(folder) = &args.save {
        whole::try_folder(folder)?;
    }
    if let Err(error) = small_enough(inferred, &job.options.limits) {
        return refused(&error, text, out);
    }
    let values = job.values::<S>(inferred).map_err(|(tensor, error)| {
        let error = RunError::Data { tensor, why: error.to_string() };
        Failure::input("data", crate::output::visible(&error.to_string()))
    })?;
    let outcome = match execute(inferred, job, values) {
        Ok(outcome) => outcome,
        Err(error) => {
            let flags = missing::flags(&error, inferred, job).filter(|_| !out.json);
            return match flags {
                Some(flags) => Err(Failure::input("data", format!("{}\n{flags}", located(&error, text)))),
                None => refused(&error, text, out),
            };
        }
    };
    if let Some(folder) = &args.save {
        save(folder, inferred, (&shown, job), &outcome)?;
    }
    if out.json {
        let warnings = warnings::in_file(told, source, args.policy.policy(false));
        out.json(&json(inferred, (&shown, job), &outcome, warnings))?;
        return Ok(args.warnings.exit(told));
    }
    for (i, (name, id)) in shown.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        print(name, outcome.values.get(*id).and_then(Option::as_ref), args, out)?;
    }
    for (name, id) in gradients(inferred, &outcome, job) {
        out.line("")?;
        print(&format!("{name}.grad"), outcome.gradients.get(&id), args, out)?;
    }
    Ok(args.warnings.exit(told))
}

fn print<S: JsonScalar>(name: &str, value: Option<&Value<S>>, args: &Args, out: &mut Output) -> io::Result<()> {
    let Some(value) = value else {
        return out.line(&format!("{}  {}", paint(TITLE, name), paint(FAINT, "never written")));
    };
    let sizes: Vec<String> = value.dims.iter().map(ToString::to_string).collect();
    let sizes = out.text(&sizes.join("×"));
    out.line(&format!("{}  {}", paint(TITLE, name), paint(FAINT, &sizes)))?;
    let precision = args.precision.map(usize::from);
    let cells: Vec<String> = value.data.iter().map(|cell| cell.text(precision)).collect();
    for line in table::lines(&value.dims, &cells, args.full) {
        let line = out.text(&line);
        out.line(&format!("  {line}"))?;
    }
    Ok(())
}

/// Says why there are no values.
fn refused(error: &RunError, text: &str, out: &mut Output) -> Answer {
    let exit = match error {
        RunError::Limit { .. } | RunError::Project(ProjectError::Limit { .. }) => Exit::Limit,
        RunError::Scalar { .. } | RunError::NoGradient { .. } | RunError::Project(_) => Exit::No,
        _ => return Err(Failure::input("data", located(error, text))),
    };
    if out.json {
        out.json(&error_json(error, text))?;
    } else {
        let message = format!("error: {}", located(error, text));
        out.line(&message)?;
    }
    Ok(exit)
}

/// The message, with its place where it has one.
pub fn located(error: &RunError, text: &str) -> String {
    match error.span() {
        Some(span) => {
            let (line, column) = span.position(text);
            format!("{line}:{column}: {error}")
        }
        None => error.to_string(),
    }
}

/// The answer to a run without a result.
#[derive(Serialize)]
pub struct RunErrorJson {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    which: Option<&'static str>,
    message: String,
    position: Option<[usize; 2]>,
}

/// Says why there is no result.
pub fn error_json(error: &RunError, text: &str) -> RunErrorJson {
    let position = error.span().map(|span| span.position(text)).map(|(line, column)| [line, column]);
    let (verdict, which) = match error {
        RunError::Limit { which, .. } => ("limit", Some(*which)),
        RunError::Project(ProjectError::Limit { limit, .. }) => ("limit", Some(crate::answer::limit_name(*limit))),
        _ => ("failed", None),
    };
    RunErrorJson { verdict, which, message: error.to_string(), position }
}

/// The answer to a run.
#[derive(Serialize)]
pub struct RunJson {
    verdict: &'static str,
    values: crate::output::Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradients: Option<crate::output::Json>,
    /// What was accepted and perhaps not meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<WarningJson>,
}

/// The values that are shown, and the gradients if some were asked for.
pub fn json<S: JsonScalar>(
    inferred: &Inference,
    (shown, job): (&[(String, usize)], &Job),
    outcome: &Outcome<S>,
    warnings: Vec<WarningJson>,
) -> RunJson {
    let value = |id: usize| outcome.values.get(id).and_then(Option::as_ref).map(value_json);
    let values: Map<String, Json> = shown.iter().filter_map(|(name, id)| Some((name.clone(), value(*id)?))).collect();
    let named = gradients(inferred, outcome, job).into_iter();
    let gradient = |(name, id): (String, usize)| Some((name, value_json(outcome.gradients.get(&id)?)));
    let gradients: Map<String, Json> = named.filter_map(gradient).collect();
    let gradients = (!outcome.gradients.is_empty()).then(|| crate::output::Json(gradients.into()));
    RunJson { verdict: "ran", values: crate::output::Json(values.into()), gradients, warnings }
}

fn save<S: JsonScalar>(
    folder: &Path,
    inferred: &Inference,
    (shown, job): (&[(String, usize)], &Job),
    outcome: &Outcome<S>,
) -> Result<(), Failure> {
    let values = shown.iter().map(|(name, id)| (name.clone(), outcome.values.get(*id).and_then(Option::as_ref)));
    let gradients = gradients(inferred, outcome, job).into_iter();
    let gradients = gradients.map(|(name, id)| (format!("{name}.grad"), outcome.gradients.get(&id)));
    let mut files = Vec::new();
    for (name, value) in values.chain(gradients).filter_map(|(name, value)| Some((name, value?))) {
        let cells: Option<Vec<(&'static str, [u8; 8])>> = value.data.iter().map(JsonScalar::bytes).collect();
        let no_kind = || Failure::input("data", format!("{} have no .npy form: use --json", S::NAME));
        let cells = cells.ok_or_else(no_kind)?;
        let kind = cells.first().map_or("f8", |cell| cell.0);
        let bytes = npy::write(kind, &value.dims, cells.into_iter().map(|cell| cell.1));
        files.push((folder.join(format!("{name}.npy")), bytes));
    }
    whole::write_all(files.iter().map(|(path, bytes)| (path.clone(), bytes.as_slice())))
}
