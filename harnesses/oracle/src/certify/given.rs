//! A certificate that somebody hands over: read strictly, and for which constraints.

use crate::output::{Failure, visible, visible_path};
use crate::system::{Source, System};
use lozenge::certificate::json::{Certificate, parse, read_certificate};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::wire::{self, WireError, WireErrorKind};
use serde_json::Value;
use std::path::Path;

/// What was handed over.
pub struct Given {
    /// The constraints it is about, as JSON.
    pub constraints: Vec<Value>,
    /// The same.
    pub phi: Vec<Constraint>,
    /// The names of both.
    pub names: Names,
    /// The certificate as it stands there.
    pub json: Value,
    /// The same, read.
    pub certificate: Certificate,
    /// Why it is not about the system asked for, or does not say what the answer around it says.
    pub foreign: Option<String>,
}

/// The verdicts of answers that have a certificate.
const VERDICTS: [&str; 4] = ["solved", "closed", "sat", "unsat"];

/// A file with a certificate: `{"refutation":…}` or `{"solution":…}`; with the constraints it is for,
/// `{"constraints":[…],"certificate":…}`; or an answer of `lozenge solve --json --certificate`.
struct Parts {
    constraints: Option<Value>,
    verdict: Option<String>,
    certificate: Value,
    /// Where the certificate is in the file.
    at: Option<&'static str>,
}

fn parts(mut json: Value) -> Result<Parts, WireError> {
    const WHAT: &str = "expected a certificate: {\"refutation\":…}, {\"solution\":…}, \
                        {\"constraints\":[…],\"certificate\":…} or an answer that has one";
    let fields = json.as_object_mut().ok_or_else(|| WireError::parse(WHAT))?;
    if !fields.contains_key("certificate") {
        return Ok(Parts { constraints: None, verdict: None, certificate: json, at: None });
    }
    let certificate = fields.remove("certificate").filter(|it| !it.is_null());
    let certificate = certificate.ok_or_else(|| WireError::parse("this answer comes without evidence"))?;
    let constraints = fields.remove("constraints");
    // An answer has further fields, of its verdict.
    let verdict = fields.get("verdict").and_then(Value::as_str).map(str::to_owned);
    if let Some(word) = verdict.as_ref().filter(|word| !VERDICTS.contains(&word.as_str())) {
        let known = VERDICTS.join(", ");
        let error = WireError::parse(format!("{} is no verdict, expected one of {known}", visible(word)));
        return Err(error.under("verdict"));
    }
    match fields.keys().next().filter(|_| verdict.is_none()) {
        Some(key) => Err(WireError::parse(format!("unknown field `{key}`, {WHAT}"))),
        None => Ok(Parts { constraints, verdict, certificate, at: Some("certificate") }),
    }
}

/// Reads the constraints that come with a certificate.
fn constraints(json: &Value, names: &mut Names) -> Result<Vec<Constraint>, WireError> {
    let list = json.as_array().ok_or_else(|| WireError::parse("expected a list of constraints"))?;
    let read = |(i, json)| wire::read_constraint(json, names).map_err(|e: WireError| e.under(i));
    list.iter().enumerate().map(read).collect()
}

/// Where two lists of constraints differ first.
fn difference(given: &[Value], asked: &[Value]) -> Option<String> {
    if given == asked {
        return None;
    }
    let same = given.iter().zip(asked).take_while(|(given, asked)| given == asked).count();
    let shown = |list: &[Value]| list.get(same).map_or_else(|| "missing".to_owned(), Value::to_string);
    Some(format!(
        "it is for another system: constraint {same} (from 0) is {} there, and {} in the system",
        shown(given),
        shown(asked)
    ))
}

impl Given {
    /// Reads a certificate, for a system if there is one.
    pub fn read(path: &Path, system: Option<&Path>) -> Result<Self, Failure> {
        let source = Source::read(path)?;
        let named = visible_path(path);
        let wrong = |error: WireError| {
            let kind = if error.kind == WireErrorKind::Limit { "limit" } else { "parse" };
            let message = format!("{named}: {error}");
            Failure::Input { kind, message, at: Some(error.at), nearest: Vec::new() }
        };
        let parts = parts(parse(&source.text).map_err(wrong)?).map_err(wrong)?;
        let system = system.map(System::read).transpose()?;
        let mut own = Names::new();
        let read = |json: &Value| constraints(json, &mut own).map_err(|e| e.under("constraints"));
        let given = parts.constraints.as_ref().map(read).transpose().map_err(wrong)?;
        let as_json = |phi: &[Constraint], names: &Names| -> Vec<Value> {
            phi.iter().map(|phi| wire::constraint(phi, names)).collect()
        };
        let mut foreign = None;
        let (phi, mut names) = match (system, given) {
            (Some(System { phi, names, .. }), given) => {
                foreign = given.and_then(|given| difference(&as_json(&given, &own), &as_json(&phi, &names)));
                (phi, names)
            }
            (None, Some(phi)) => (phi, own.clone()),
            (None, None) => {
                let message = format!("{named} does not say what it is for: name the file of the constraints as well");
                return Err(Failure::input("usage", message));
            }
        };
        let constraints = as_json(&phi, &names);
        if foreign.is_some() {
            // Its names may mean something else here: it is read for the constraints that it brings.
            names = own;
        }
        let read = read_certificate(&parts.certificate, &mut names);
        let certificate = read.map_err(|error| parts.at.into_iter().fold(error, WireError::under)).map_err(wrong)?;
        let kind = super::kind(&certificate);
        if let Some(verdict) = parts.verdict.filter(|verdict| (verdict == "unsat") != (kind == "refutation")) {
            foreign = Some(format!("the answer says {}, and its evidence is a {kind}", visible(&verdict)));
        }
        Ok(Given { constraints, phi, names, json: parts.certificate, certificate, foreign })
    }
}
