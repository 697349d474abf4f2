//! A question to an engine, as data: it can be made smaller, and written in the one way that stands for all of its kind.

pub mod canonical;
pub mod shrink;

use crate::answer;
use crate::corpus::generate::json_of;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::program::{Program, parse};
use lozenge::semantics::Ground;
use lozenge::term::{DimTerm, Term, Var, Vars};
use lozenge::wire;
use serde_json::{Map, Value, json};

/// A question that can be made smaller.
#[derive(Clone)]
pub enum Made {
    /// About constraints.
    System { op: String, names: Names, phi: Vec<Constraint>, values: Option<Ground>, leaves: Vec<Var> },
    /// About a program; with gradients of a tensor.
    Program { op: String, program: Program, grad: Option<String> },
    /// Anything else: it stays as it is.
    Other(Value),
}

/// The most that a row of a random search is tried to hold.
const RANK_BOUND: u64 = 3;

/// Constraints, with values or leaves.
fn of_system(request: &Value) -> Option<Made> {
    let mut names = Names::new();
    let list = request["constraints"].as_array()?.iter();
    let phi: Vec<Constraint> = list.map(|c| wire::read_constraint(c, &mut names).ok()).collect::<Option<_>>()?;
    let op = request["op"].as_str()?.to_owned();
    if op == "decide" && request["rank_bound"] != RANK_BOUND {
        return None;
    }
    let values = match request.get("values") {
        None => None,
        Some(given) => {
            let (mut gamma, top) = (Ground::default(), Ground::default());
            for (name, value) in given.as_object()? {
                match (names.lookup(name)?, wire::read_term(value, &mut names).ok()?) {
                    (Var::Dim(v), Term::Dim(t)) => drop(gamma.dims.insert(v, top.dim(t))),
                    (Var::Row(v), Term::Row(t)) => drop(gamma.rows.insert(v, top.row(&t))),
                    _ => return None,
                }
            }
            Some(gamma)
        }
    };
    let leaves = request["leaves"].as_array().into_iter().flatten();
    let leaves = leaves.map(|name| names.lookup(name.as_str()?)).collect::<Option<_>>()?;
    Some(Made::System { op, names, phi, values, leaves })
}

/// The text of a program that is filled with numbers that count up, as random ones are.
fn of_program(request: &Value) -> Option<Made> {
    let op = request["op"].as_str()?.to_owned();
    if op == "run" && request["fill"] != "range" {
        return None;
    }
    let program = parse(request["program"].as_str()?).ok()?;
    let grad = request["grad"].as_str().map(str::to_owned);
    Some(Made::Program { op, program, grad })
}

impl Made {
    /// A request as a question that can be made smaller, where it is one; else as it is.
    pub fn of_request(request: &Value) -> Self {
        let has_only = |known: &[&str]| {
            request.as_object().is_some_and(|fields| fields.keys().all(|key| known.contains(&key.as_str())))
        };
        let system =
            has_only(&["id", "op", "constraints", "values", "leaves", "rank_bound"]).then(|| of_system(request));
        let program = has_only(&["id", "op", "program", "fill", "grad"]).then(|| of_program(request));
        system.flatten().or(program.flatten()).unwrap_or_else(|| Made::Other(request.clone()))
    }

    /// The operation asked for.
    pub fn op(&self) -> &str {
        match self {
            Made::System { op, .. } | Made::Program { op, .. } => op,
            Made::Other(request) => request["op"].as_str().unwrap_or("none"),
        }
    }

    /// The request, with a number for its id.
    pub fn request(&self, id: u64) -> Value {
        match self {
            Made::Other(request) => {
                let mut request = request.clone();
                request["id"] = id.into();
                request
            }
            Made::Program { op, program, grad } => {
                let mut request = json!({"id": id, "op": op, "program": program.to_string()});
                if op == "run" {
                    request["fill"] = "range".into();
                }
                if let Some(grad) = grad {
                    request["grad"] = grad.as_str().into();
                }
                request
            }
            Made::System { op, names, phi, values, leaves } => {
                let mut request = json!({"id": id, "op": op, "constraints": json_of(phi, names)});
                let used = phi.vars();
                if let Some(gamma) = values {
                    let name = |v: Var| answer::name(v, names);
                    let dims = gamma.dims.iter().filter(|(v, _)| used.contains(&Var::Dim(**v)));
                    let dims = dims.map(|(v, d)| (name(Var::Dim(*v)), wire::dim_term(DimTerm::Dim(*d), names)));
                    let rows = gamma.rows.iter().filter(|(v, _)| used.contains(&Var::Row(**v)));
                    let rows = rows.map(|(v, r)| (name(Var::Row(*v)), wire::row(r, names)));
                    request["values"] = dims.chain(rows).collect::<Map<_, _>>().into();
                }
                if op == "close" {
                    let leaves = leaves.iter().filter(|v| used.contains(v)).map(|v| answer::name(*v, names));
                    request["leaves"] = leaves.collect::<Vec<_>>().into();
                }
                if op == "decide" {
                    request["rank_bound"] = RANK_BOUND.into();
                }
                request
            }
        }
    }

    /// How many constraints or statements.
    pub fn size(&self) -> usize {
        match self {
            Made::System { phi, .. } => phi.len(),
            Made::Program { program, .. } => program.statements.len(),
            Made::Other(_) => 1,
        }
    }

    /// In the notation, one constraint or statement a line; with values and leaves.
    pub fn text(&self) -> Vec<String> {
        match self {
            Made::Other(request) => vec![without_id(request).to_string()],
            Made::Program { program, grad, .. } => {
                let grad = grad.iter().map(|of| format!("# gradients of {of}"));
                program.to_string().lines().map(str::to_owned).chain(grad).collect()
            }
            Made::System { names, phi, values, leaves, op } => {
                let used = phi.vars();
                let mut lines: Vec<String> = phi.iter().map(|c| names.show(c).to_string()).collect();
                if let Some(gamma) = values {
                    let mut used_values = gamma.clone();
                    used_values.dims.retain(|v, _| used.contains(&Var::Dim(*v)));
                    used_values.rows.retain(|v, _| used.contains(&Var::Row(*v)));
                    if !used.is_empty() {
                        lines.push(format!("at {}", names.show(&used_values)));
                    }
                }
                let leaves: Vec<String> =
                    leaves.iter().filter(|v| used.contains(v)).map(|v| names.show(v).to_string()).collect();
                if op == "close" && !leaves.is_empty() {
                    lines.push(format!("leaves {}", leaves.join(", ")));
                }
                lines
            }
        }
    }
}

/// A request without its id, which is no part of the question.
pub fn without_id(request: &Value) -> Value {
    let mut request = request.clone();
    if let Some(fields) = request.as_object_mut() {
        fields.remove("id");
    }
    request
}
