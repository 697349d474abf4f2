//! Requests about constraints, with or without claims: `solve`, `close`, `decide` and `check`.

use super::values::values;
use super::{Body, ErrorJson, Given, Request, body, limits, wire_error, wrong, wrong_node};
use crate::answer::{self, CheckJson, Evidence};
use crate::check;
use crate::claims::{count_terms, decided, read_claim, solved, violated};
use lozenge::closing::Tags;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::solver::Policy;
use lozenge::staged::{self, SizeClaim, Stage, StagedSystem};
use lozenge::term::{DimVar, Var, Vars};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most dimensions and rows of one claim, and of all of a request. What the stages do with them grows with the square
/// of their number, and more, beside the fuel.
const MOST_TERMS_OF_ONE: usize = 100;
const MOST_TERMS: usize = 2_000;

/// The system of a request.
struct System {
    names: Names,
    phi: Vec<Constraint>,
    /// None for a request without the field: it is answered as it always was.
    claims: Option<Vec<SizeClaim>>,
    discardable: BTreeSet<DimVar>,
}

impl System {
    fn of(request: &Request<'_>) -> Result<Self, ErrorJson> {
        let (phi, mut names) = request.constraints()?;
        let claims = claims(request, &mut names)?;
        let discardable = discardable(request, claims.is_some(), &names)?;
        Ok(System { names, phi, claims, discardable })
    }

    /// With the claims, where there are some; the names apart.
    fn staged<'a>(&'a self, claims: &'a [SizeClaim], tags: Tags) -> StagedSystem<'a> {
        let discardable = self.discardable.clone();
        StagedSystem { phi: &self.phi, claims, tags, discardable, ..StagedSystem::default() }
    }
}

fn claims(request: &Request<'_>, names: &mut Names) -> Result<Option<Vec<SizeClaim>>, ErrorJson> {
    let list = match request.get("claims")? {
        None => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong(&other, "a list of claims", "/claims")),
    };
    let mut terms = 0;
    let mut read = |(i, json)| {
        let claim = read_claim(json, names).map_err(|e| wire_error(e.under(i).under("claims")))?;
        terms += count_terms(&claim);
        if count_terms(&claim) > MOST_TERMS_OF_ONE {
            let message = format!("a claim with more than {MOST_TERMS_OF_ONE} dimensions and rows");
            return Err(ErrorJson::new("limit", message, format!("/claims/{i}")));
        }
        if terms > MOST_TERMS {
            let message = format!("claims with more than {MOST_TERMS} dimensions and rows together");
            return Err(ErrorJson::new("limit", message, "/claims"));
        }
        Ok(claim)
    };
    list.iter().enumerate().map(&mut read).collect::<Result<_, _>>().map(Some)
}

/// Dimension variables of the request.
fn discardable(request: &Request<'_>, claims: bool, names: &Names) -> Result<BTreeSet<DimVar>, ErrorJson> {
    if request.get("discardable")?.is_some() && !claims {
        let message = "`discardable` goes with `claims`: only parts of concatenations are discarded";
        return Err(ErrorJson::new("parse", message, "/discardable"));
    }
    let dim = |(i, var): (usize, Var)| match var {
        Var::Dim(v) => Ok(v),
        Var::Row(_) => {
            let message = format!("{} is a row variable, and sizes are discarded", answer::name(var, names));
            Err(ErrorJson::new("sort", message, format!("/discardable/{i}")))
        }
    };
    request.variables("discardable", names)?.into_iter().enumerate().map(dim).collect()
}

fn too_long(most: u64) -> ErrorJson {
    ErrorJson::new("limit", format!("the trace has more than {most} steps: lower limits.fuel"), "/trace")
}

pub fn solve(request: &Request<'_>) -> Body {
    let system = System::of(request)?;
    let policy = request.policy()?;
    let evidence = Evidence { trace: request.flag("trace")?, certificate: request.flag("certificate")? };
    let Some(claims) = &system.claims else {
        let (names, mut fresh) = (&system.names, system.names.clone());
        return body(&answer::solve_json(&system.phi, names, &mut fresh, policy, evidence).map_err(too_long)?);
    };
    for (key, asked) in [("trace", evidence.trace), ("certificate", evidence.certificate)] {
        if asked {
            let message = format!("there is no {key} of a run with claims: leave `{key}` out");
            return Err(ErrorJson::new("unsupported", message, format!("/{key}")));
        }
    }
    let mut names = system.names.clone();
    let end = solved(&system.staged(claims, Tags::default()), &mut names, policy);
    body(&answer::claimed_solve_json(&end, claims, &names))
}

/// The same of constraints alone.
pub fn solve_alone((phi, names): (Vec<Constraint>, Names)) -> Body {
    let (policy, mut fresh) = (Policy { limits: limits(&Given::new())?, ..Policy::default() }, names.clone());
    body(&answer::solve_json(&phi, &names, &mut fresh, policy, Evidence::default()).map_err(too_long)?)
}

pub fn close(request: &Request<'_>) -> Body {
    let system = System::of(request)?;
    let params: BTreeSet<Var> = request.variables("params", &system.names)?.into_iter().collect();
    let leaves = request.variables("leaves", &system.names)?;
    let leaves = leaves.into_iter().chain(params.iter().copied()).collect();
    let (tags, policy) = (Tags { leaves, params }, request.policy()?);
    let mut names = system.names.clone();
    // Without a claim the stages are Def. 6.1 (Def. 8.5), and closing alone says where it placed markers.
    if let Some(claims) = system.claims.as_ref().filter(|claims| !claims.is_empty()) {
        let end = staged::solve(&system.staged(claims, tags), &mut names, policy, Stage::Seven);
        return body(&answer::claimed_close_json(&end, claims, &names));
    }
    let end = lozenge::closing::close_placing(&system.phi, &mut names, &tags, policy);
    body(&answer::close_json(&system.phi, &end, &names, policy))
}

/// The rank up to which `decide` searches unless told otherwise.
const RANK_BOUND: u64 = 6;

fn rank_bound(request: &Request<'_>) -> Result<usize, ErrorJson> {
    let bound = match request.tree("rank_bound")? {
        None => RANK_BOUND,
        Some(node) => node.whole().map_err(|node| wrong_node(node, "a whole number", "/rank_bound"))?,
    };
    Ok(usize::try_from(bound).unwrap_or(usize::MAX))
}

pub fn decide(request: &Request<'_>) -> Body {
    let system = System::of(request)?;
    let policy = request.policy()?;
    let bound = rank_bound(request)?;
    let mut names = system.names.clone();
    if let Some(claims) = &system.claims {
        let decided = decided(&system.staged(claims, Tags::default()), &mut names, policy, bound);
        return body(&answer::claimed_decide_json(&decided, bound, &names));
    }
    body(&answer::decide_json(&lozenge::decide::decide(&system.phi, &mut names, policy, bound), &names))
}

pub fn check(request: &Request<'_>) -> Body {
    let mut system = System::of(request)?;
    let values = values(request, &mut system.names, &system.discardable)?;
    let claims = system.claims.as_deref().unwrap_or_default();
    let vars: BTreeSet<Var> = system.phi.vars().into_iter().chain(claims.iter().flat_map(Vars::vars)).collect();
    let given = |v: &Var| values.ground.assigns(*v) || matches!(v, Var::Dim(d) if values.zeros.contains(d));
    let missing: Vec<String> = vars.into_iter().filter(|v| !given(v)).map(|v| answer::name(v, &system.names)).collect();
    if !missing.is_empty() {
        return Err(ErrorJson::new("parse", format!("no value for {}", missing.join(", ")), "/values"));
    }
    let Some(claims) = &system.claims else {
        return body(&check::verdict(check::violated(&system.phi, &values.ground)));
    };
    let (which, claims) = violated(&system.phi, claims, &values);
    body(&if which.is_empty() && claims.is_empty() {
        CheckJson::Holds
    } else {
        CheckJson::Violated { which, claims: Some(claims) }
    })
}
