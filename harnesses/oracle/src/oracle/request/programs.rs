//! Requests about programs: `infer`, `project` and `run`.

use super::{Body, ErrorJson, Request, body, choice_of, found, whole, wrong};
use crate::run::data::{Given, JsonScalar, fill};
use crate::run::{self as running, Job, Kind};
use crate::{answer, infer as inferring, markers, project as projecting};
use lozenge::interp::{Fill, Limits, Options, Rational, RunError, Tropical};
use lozenge::program::{InferError, Inference, infer_with};
use lozenge::projection::project_all;
use serde_json::{Map, Value};

/// The shapes of the request's program, with its text; or the answer that says why there are none.
fn inferred(request: &Request<'_>) -> Result<(Inference, String), Body> {
    let text = match request.get("program").map_err(Err)? {
        Some(Value::String(text)) => text,
        Some(object @ Value::Object(_)) => object.to_string(),
        Some(other) => return Err(Err(wrong(&other, "the text of a program, or its JSON form", "/program"))),
        None => return Err(Err(ErrorJson::new("parse", "the field `program` is missing", ""))),
    };
    let policy = request.policy().map_err(Err)?;
    let refused = |error: &InferError, text: &str| match error {
        InferError::Program(error) => {
            let (line, column) = error.span.position(text);
            let kind = if error.problem.is_limit() { "limit" } else { "parse" };
            Err(ErrorJson::new(kind, format!("{line}:{column}: {error}"), "/program"))
        }
        _ => body(&answer::infer_error_json(error, text)),
    };
    let (program, text) = inferring::read(&text).map_err(|error| refused(&error, &text))?;
    let inferred = infer_with(&program, policy).map_err(|error| refused(&error, &text))?;
    Ok((inferred, text))
}

/// `program` is the text of a program, or its JSON form.
pub fn infer(request: &Request<'_>) -> Body {
    match inferred(request) {
        Ok((inferred, _)) => {
            let mut answer = answer::infer_json(&inferred);
            if request.flag("trace")? {
                answer.markers = Some(markers::json(&inferred, request.policy()?));
            }
            body(&answer)
        }
        Err(answer) => answer,
    }
}

/// The projections of every operation.
pub fn project(request: &Request<'_>) -> Body {
    let (inferred, text) = match inferred(request) {
        Ok(inferred) => inferred,
        Err(answer) => return answer,
    };
    match project_all(&inferred) {
        Ok(nests) => body(&projecting::json(&inferred, &nests, &text)),
        Err(error) => body(&running::error_json(&RunError::Project(error), &text)),
    }
}

/// The values, and the gradients that are asked for.
pub fn run(request: &Request<'_>) -> Body {
    let (inferred, text) = match inferred(request) {
        Ok(inferred) => inferred,
        Err(answer) => return answer,
    };
    let job = job(request, &inferred)?;
    let kind = match request.get("scalar")? {
        None => Kind::F64,
        Some(json) => choice_of(&json, &Kind::ALL, "/scalar")?,
    };
    match kind {
        Kind::F64 => executed::<f64>(&inferred, &job, &text),
        Kind::I64 => executed::<i64>(&inferred, &job, &text),
        Kind::Rational => executed::<Rational>(&inferred, &job, &text),
        Kind::Tropical => executed::<Tropical>(&inferred, &job, &text),
    }
}

fn executed<S: JsonScalar>(inferred: &Inference, job: &Job, text: &str) -> Body {
    match running::execute::<S>(inferred, job) {
        Ok(outcome) => body(&running::json(inferred, &running::computed(inferred), &outcome)),
        Err(
            error @ (RunError::Scalar { .. }
            | RunError::NoGradient { .. }
            | RunError::Limit { .. }
            | RunError::Project(_)),
        ) => body(&running::error_json(&error, text)),
        Err(error) => Err(ErrorJson::new("parse", running::located(&error, text), "/data")),
    }
}

fn job(request: &Request<'_>, inferred: &Inference) -> Result<Job, ErrorJson> {
    let tensor = |name: &str, at: &str| {
        let known = inferred.generated.tensor(name);
        known.ok_or_else(|| wrong(&Value::String(name.to_owned()), "the name of a tensor of the program", at))
    };
    let mut job = Job::default();
    for (name, json) in any_object(request, "data")? {
        let id = tensor(&name, "/data")?;
        let given = Given::of_json(json)
            .map_err(|why| ErrorJson::new("parse", why, format!("/data/{}", super::pointer(&name))))?;
        job.data.push((id, name, given));
    }
    for (name, json) in any_object(request, "indices")? {
        let at = format!("/indices/{}", super::pointer(&name));
        let index = json.as_u64().ok_or_else(|| wrong(&json, "a whole number", at))?;
        job.externals.insert(name, index);
    }
    job.fill = match request.get("fill")? {
        None => None,
        Some(json) => {
            Some(read_fill(&json).ok_or_else(|| wrong(&json, "a number, \"range\" or \"range:START:STEP\"", "/fill"))?)
        }
    };
    let grad = match request.get("grad")? {
        None => None,
        Some(Value::String(name)) => Some(tensor(&name, "/grad")?),
        Some(other) => return Err(wrong(&other, "the name of a tensor", "/grad")),
    };
    let given = request.object("limits", &super::LIMITS)?;
    let default = Limits::default();
    let limit = |key: &str, default: u128| Ok(whole(&given, key, "/limits")?.map_or(default, u128::from));
    let limits = Limits { elements: limit("elements", default.elements)?, points: limit("points", default.points)? };
    job.options = Options { grad, naive: false, limits };
    Ok(job)
}

fn read_fill(json: &Value) -> Option<Fill> {
    match json {
        Value::Number(n) => n.as_f64().map(Fill::Constant),
        Value::String(text) => fill(text),
        _ => None,
    }
}

/// An object with any keys.
fn any_object(request: &Request<'_>, key: &str) -> Result<Map<String, Value>, ErrorJson> {
    match request.get(key)? {
        None => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(other) => {
            Err(ErrorJson::new("parse", format!("found {}, expected an object", found(&other)), format!("/{key}")))
        }
    }
}
