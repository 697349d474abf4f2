//! Requests about programs: `infer`, `project` and `run`.

use super::{Body, ErrorJson, Request, body, choice_of, found, whole, wrong, wrong_node};
use crate::run::data::{DataError, Given, JsonScalar, read_fill};
use crate::run::{self as running, Job, Kind};
use crate::warnings::{self, WarningJson};
use crate::{answer, infer as inferring, markers, project as projecting};
use lozenge::interp::{Fill, Options, Rational, RunError, RunLimits, Tropical, small_enough};
use lozenge::json::{self, Node, Place, pointer};
use lozenge::notation::Problem as _;
use lozenge::program::{InferError, Inference, Program, ProgramError, Span, infer_with, partial};
use lozenge::projection::project_all;
use lozenge::projection::show::tensor_name;
use lozenge::solver::Policy;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The text that the places of a program refer to.
struct Source {
    text: String,
    /// Is it JSON, where a place is a pointer?
    json: bool,
}

impl Source {
    /// A place in the request, for a program that came as JSON.
    fn place(&self, span: Span) -> Option<Place> {
        let place = json::place(&self.text, span.start).ok().filter(|_| self.json)?;
        Some(Place { at: format!("/program{}", place.at), ..place })
    }

    /// An answer; for a program that came as JSON with the place of what it speaks of.
    fn answer(&self, answer: impl Serialize, span: Option<Span>) -> Body {
        let at = span.filter(|span| span.is_known()).and_then(|span| self.place(span)).map(|place| place.at);
        body(&Placed { answer, at })
    }

    /// An answer that says why there are no shapes.
    fn refused(&self, error: &InferError) -> Body {
        match error {
            InferError::Program(error) => Err(self.error(error)),
            _ => self.answer(answer::infer_error_json(error, &self.text), Some(error.span())),
        }
    }

    /// A program that is none.
    fn error(&self, error: &ProgramError) -> ErrorJson {
        let kind = if error.problem.is_limit() { "limit" } else { "parse" };
        let (line, column) = error.span.position(&self.text);
        match self.place(error.span) {
            None if self.json => ErrorJson::new(kind, error.to_string(), "/program"),
            None => ErrorJson::new(kind, format!("{line}:{column}: {error}"), "/program"),
            Some(Place { at, character: None }) => ErrorJson::new(kind, error.to_string(), at),
            Some(Place { at, character: Some(n) }) => {
                ErrorJson::new(kind, format!("{error} (character {n} of the text)"), at)
            }
        }
    }
}

/// An answer with a place in the request.
#[derive(Serialize)]
struct Placed<T> {
    #[serde(flatten)]
    answer: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

/// The text of the request's program: itself, or the JSON of its form.
fn source(request: &Request<'_>) -> Result<Source, ErrorJson> {
    let Some(raw) = request.0.get("program") else {
        return Err(ErrorJson::new("parse", "the field `program` is missing", ""));
    };
    if raw.get().starts_with('{') {
        // Read strictly first: what is no JSON has its place from there.
        request.tree("program")?;
        return Ok(Source { text: raw.get().to_owned(), json: true });
    }
    match request.get("program")? {
        Some(Value::String(text)) => Ok(Source { text, json: false }),
        other => Err(wrong(&other.unwrap_or_default(), "the text of a program, or its JSON form", "/program")),
    }
}

/// The shapes of the request's program.
struct Inferred {
    inference: Inference,
    source: Source,
    warnings: Vec<WarningJson>,
}

/// The request's program, where it comes from, and how it is to be solved.
fn read(request: &Request<'_>) -> Result<(Program, Source, Policy), Body> {
    let source = source(request).map_err(Err)?;
    let policy = request.policy().map_err(Err)?;
    match inferring::read(&source.text) {
        Ok(program) => Ok((program, source, policy)),
        Err(error) => Err(source.refused(&error)),
    }
}

/// The shapes of the request's program; or the answer that says why there are none.
fn inferred(request: &Request<'_>) -> Result<Inferred, Body> {
    let (program, source, policy) = read(request)?;
    let inference = infer_with(&program, policy).map_err(|error| source.refused(&error))?;
    let told = warnings::of(&program, &source.text, &inference);
    let warnings = warnings::json(&told, &source.text, |span| source.place(span).map(|place| place.at));
    Ok(Inferred { inference, source, warnings })
}

/// `program` is the text of a program, or its JSON form.
pub fn infer(request: &Request<'_>) -> Body {
    let trace = request.flag("trace")?;
    if request.flag("partial")? {
        return known(request, trace);
    }
    match inferred(request) {
        Ok(Inferred { inference, warnings, .. }) => {
            let mut answer = answer::infer_json(&inference, warnings);
            if trace {
                answer.markers = Some(markers::json(&inference, request.policy()?));
            }
            body(&answer)
        }
        Err(answer) => answer,
    }
}

/// What is known before closing.
fn known(request: &Request<'_>, trace: bool) -> Body {
    if trace {
        let message = "`trace` asks where markers come from, and before closing they have no place: leave it out";
        return Err(ErrorJson::new("parse", message, "/trace"));
    }
    let (program, source, policy) = match read(request) {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    match partial(&program, policy) {
        Ok(known) => body(&answer::partial_json(&known)),
        Err(error) => source.refused(&error),
    }
}

/// The projections of every operation.
pub fn project(request: &Request<'_>) -> Body {
    let Inferred { inference, source, warnings } = match inferred(request) {
        Ok(inferred) => inferred,
        Err(answer) => return answer,
    };
    match project_all(&inference) {
        Ok(nests) => body(&projecting::json(&inference, &nests, &source.text, warnings)),
        Err(error) => failed(&RunError::Project(error), &source),
    }
}

/// The answer to a run without a result.
fn failed(error: &RunError, source: &Source) -> Body {
    source.answer(running::error_json(error, &source.text), error.span())
}

/// The values, and the gradients that are asked for.
pub fn run(request: &Request<'_>) -> Body {
    // The whole request is read before anything is computed.
    let asked = asked(request)?;
    let inferred = match inferred(request) {
        Ok(inferred) => inferred,
        Err(answer) => return answer,
    };
    let kind = asked.scalar;
    let job = job(asked, &inferred.inference)?;
    match kind {
        Kind::F64 => executed::<f64>(inferred, &job),
        Kind::I64 => executed::<i64>(inferred, &job),
        Kind::Rational => executed::<Rational>(inferred, &job),
        Kind::Tropical => executed::<Tropical>(inferred, &job),
    }
}

fn executed<S: JsonScalar>(of: Inferred, job: &Job) -> Body {
    let Inferred { inference, source, warnings } = of;
    let (inferred, source) = (&inference, &source);
    if let Err(error) = small_enough(inferred, &job.options.limits) {
        return failed(&error, source);
    }
    let values = job.values::<S>(inferred).map_err(|(name, error)| {
        let why = RunError::Data { tensor: name.clone(), why: error.why };
        ErrorJson::new("parse", why.to_string(), format!("/data/{}{}", pointer(&name), error.at))
    })?;
    match running::execute(inferred, job, values) {
        Ok(outcome) => body(&running::json(inferred, (&running::computed(inferred), job), &outcome, warnings)),
        Err(
            error @ (RunError::Scalar { .. }
            | RunError::NoGradient { .. }
            | RunError::Limit { .. }
            | RunError::Project(_)),
        ) => failed(&error, source),
        Err(error) => {
            let at = given_at(&error, inferred, job);
            let message = if source.json { error.to_string() } else { running::located(&error, &source.text) };
            Err(ErrorJson::new("parse", message, at))
        }
    }
}

/// The field that a run has no use for, or lacks something in.
fn given_at(error: &RunError, inferred: &Inference, job: &Job) -> String {
    match error {
        RunError::Dims { tensor, .. }
        | RunError::Cells { tensor, .. }
        | RunError::Computed { tensor, .. }
        | RunError::Overwritten { tensor, .. } => {
            // The request may call it by another of its names.
            let given = job.data.iter().find(|(id, _, _)| tensor_name(&inferred.generated, *id) == *tensor);
            format!("/data/{}", pointer(given.map_or(tensor, |(_, name, _)| name)))
        }
        RunError::UnusedIndex { name, .. } | RunError::Index { name, .. } => format!("/indices/{}", pointer(name)),
        _ => "/data".to_owned(),
    }
}

/// What a `run` asks for, beside the program; names are not looked up yet.
struct Asked {
    data: Vec<(String, Given)>,
    indices: BTreeMap<String, u64>,
    fill: Option<Fill>,
    grad: Option<String>,
    wrt: Vec<String>,
    scalar: Kind,
    limits: RunLimits,
}

fn asked(request: &Request<'_>) -> Result<Asked, ErrorJson> {
    let data = any_object(request, "data")?.into_iter().map(|(name, node)| {
        let at = |error: DataError| ErrorJson::new("parse", error.why, format!("/data/{}{}", pointer(&name), error.at));
        Given::of_json(node).map_err(at).map(|given| (name.clone(), given))
    });
    let indices = any_object(request, "indices")?.into_iter().map(|(name, node)| match node.whole() {
        Ok(index) => Ok((name, index)),
        Err(node) => Err(wrong_node(node, "a whole number from 0", format!("/indices/{}", pointer(&name)))),
    });
    let fill = |node: Node| {
        let expected = "a number, \"range\" or \"range:START:STEP\"";
        read_fill(&node).ok_or_else(|| wrong_node(&node, expected, "/fill"))
    };
    let grad = |json: Value| match json {
        Value::String(name) => Ok(name),
        other => Err(wrong(&other, "the name of a tensor", "/grad")),
    };
    let scalar = request.tree("scalar")?.map(|node| choice_of(&node, &Kind::ALL, "/scalar")).transpose()?;
    let given = request.object("limits", &super::LIMITS)?;
    let default = RunLimits::default();
    let limit = |key: &str, default: u128| Ok(whole(&given, key, "/limits")?.map_or(default, u128::from));
    Ok(Asked {
        data: data.collect::<Result<_, _>>()?,
        indices: indices.collect::<Result<_, _>>()?,
        fill: request.tree("fill")?.map(fill).transpose()?,
        grad: request.get("grad")?.map(grad).transpose()?,
        wrt: wrt(request)?,
        scalar: scalar.unwrap_or_default(),
        limits: RunLimits {
            elements: limit("elements", default.elements)?.min(super::super::limits::most().size.into()),
            points: limit("points", default.points)?,
        },
    })
}

/// The tensors that gradients are asked for, beside parameters.
fn wrt(request: &Request<'_>) -> Result<Vec<String>, ErrorJson> {
    let expected = "a list of names of tensors";
    let list = match request.get("wrt")? {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong(&other, expected, "/wrt")),
    };
    if request.get("grad")?.is_none() {
        return Err(ErrorJson::new(
            "parse",
            "`wrt` goes with `grad`, the tensor whose gradients are asked for",
            "/wrt",
        ));
    }
    let name = |(i, json): (usize, Value)| match json {
        Value::String(name) => Ok(name),
        other => Err(wrong(&other, "the name of a tensor", format!("/wrt/{i}"))),
    };
    list.into_iter().enumerate().map(name).collect()
}

/// The same with the program's tensors for their names.
fn job(asked: Asked, inferred: &Inference) -> Result<Job, ErrorJson> {
    let tensor = |name: &str, at: &str| {
        let known = inferred.generated.tensor(name);
        known.ok_or_else(|| wrong(&Value::String(name.to_owned()), "the name of a tensor of the program", at))
    };
    let grad = asked.grad.map(|name| tensor(&name, "/grad")).transpose()?;
    let found = |(i, name): (usize, String)| tensor(&name, &format!("/wrt/{i}")).map(|id| (name, id));
    let wrt: Vec<(String, usize)> = asked.wrt.into_iter().enumerate().map(found).collect::<Result<_, _>>()?;
    let ids = wrt.iter().map(|it| it.1).collect();
    let options = Options { grad, wrt: ids, naive: false, limits: asked.limits };
    let mut job = Job { fill: asked.fill, externals: asked.indices, wrt, options, ..Job::default() };
    for (name, given) in asked.data {
        let at = format!("/data/{}", pointer(&name));
        let id = tensor(&name, &at)?;
        job.give(id, name, given).map_err(|why| ErrorJson::new("parse", why, at))?;
    }
    Ok(job)
}

/// An object with any keys.
fn any_object(request: &Request<'_>, key: &str) -> Result<Vec<(String, Node)>, ErrorJson> {
    let at = format!("/{key}");
    match request.tree(key)? {
        None => Ok(Vec::new()),
        Some(Node { kind: json::Kind::Object(fields), .. }) => Ok(fields),
        Some(other) => {
            Err(ErrorJson::new("parse", format!("found {}, expected an object", found(&other.into_value())), at))
        }
    }
}
