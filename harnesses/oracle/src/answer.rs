//! Answers in the wire format (spec/protocol.md), for the oracle and for `--json`.

use crate::output::Json;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::semantics::Ground;
use lozenge::solver::differences::{Fact, Vertex};
use lozenge::solver::effect::{Bind, Why};
use lozenge::solver::trace::{Origin, Step, Trace};
use lozenge::solver::{Failure, Limit, Limits, Policy, Residual, Rule, Run, Solved, Verdict, solve, solve_traced};
use lozenge::term::{DimTerm, Term, Var};
use lozenge::wire;
use serde::{Serialize, Serializer};

/// The most steps of a derivation that is kept in memory.
pub const MOST_STEPS: u64 = 200_000;
/// The most axes written in such a derivation.
const MOST_AXES: u64 = 5_000_000;

/// Entries in the order given.
pub struct Object(Vec<(String, Json)>);

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The answer to `solve`.
#[derive(Serialize)]
pub struct SolveJson {
    #[serde(flatten)]
    verdict: VerdictJson,
    /// The derivation, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<StepJson>>,
}

#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum VerdictJson {
    Solved { sigma: Object, residual: ResidualJson, greatest: Option<Object> },
    Unsat(FailureJson),
    Rejected(FailureJson),
    Limit { which: &'static str },
}

#[derive(Serialize)]
struct ResidualJson {
    caps: Vec<CapJson>,
    below: Vec<[String; 2]>,
    deferred: Vec<Json>,
}

#[derive(Serialize)]
struct CapJson {
    var: String,
    bound: Json,
}

#[derive(Serialize)]
struct FailureJson {
    rule: &'static str,
    constraint: Json,
    message: String,
}

/// One step of a derivation.
#[derive(Serialize)]
struct StepJson {
    rule: &'static str,
    definition: &'static str,
    /// The constraint taken, as it was made.
    consumed: Json,
    /// Where that comes from.
    from: Option<FromJson>,
    /// The same under the bindings at the time.
    instance: Json,
    emitted: Vec<Json>,
    stored: Option<Json>,
    bind: Option<BindJson>,
    facts: Vec<FactJson>,
    /// Does the step choose a placement?
    policy: bool,
    /// Does it rest on a placement?
    tainted: bool,
    /// Steps whose bindings were applied, in order.
    used: Vec<usize>,
    /// Other steps it rests on.
    also: Vec<usize>,
}

/// The number of a constraint of the input, or of a step, from 0.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum FromJson {
    Input(usize),
    Step(usize),
}

#[derive(Serialize)]
struct BindJson {
    var: String,
    to: Json,
    placement: bool,
}

/// greater ≥ lesser + weight, for lengths; null is the number 0.
#[derive(Serialize)]
struct FactJson {
    rule: &'static str,
    greater: Option<String>,
    lesser: Option<String>,
    weight: i64,
}

/// The answer to `check`.
#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum CheckJson {
    /// Every constraint holds.
    Holds,
    /// These do not, by number from 0.
    Violated {
        /// The numbers.
        which: Vec<usize>,
    },
}

/// The name of a variable without brackets.
pub fn name(var: Var, names: &Names) -> String {
    names.show(&var).to_string().trim_matches(['⟨', '⟩']).to_owned()
}

/// The name of a limit in a request.
pub fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Fuel | Limit::Rank => limit.name(),
        Limit::Size => "elements",
    }
}

/// Solves, and answers; with the derivation if it was asked for. None when that would be too long.
pub fn solve_json(phi: &[Constraint], names: &Names, policy: Policy, traced: bool) -> Option<SolveJson> {
    let trace = if traced {
        let (run, names) = derivation(phi, names, policy)?;
        Some(trace_json(&run.trace, &names))
    } else {
        None
    };
    let mut names = names.clone();
    let verdict = match solve(phi, &mut names, policy) {
        Verdict::Solved(solved) => solved_json(&solved, &names),
        Verdict::Unsat(failure) => VerdictJson::Unsat(failure_json(&failure, &names)),
        Verdict::Rejected(failure) => VerdictJson::Rejected(failure_json(&failure, &names)),
        Verdict::Limit(limit) => VerdictJson::Limit { which: limit_name(limit) },
    };
    Some(SolveJson { verdict, trace })
}

/// The same run with its derivation, and the names it used; none when it is too long to be kept.
pub fn derivation(phi: &[Constraint], names: &Names, policy: Policy) -> Option<(Run, Names)> {
    let Limits { fuel, rank, size } = policy.limits;
    let limits = Limits { fuel: fuel.min(MOST_STEPS), rank, size: size.min(MOST_AXES) };
    let mut names = names.clone();
    let run = solve_traced(phi, &mut names, Policy { limits, ..policy });
    let cut = match run.verdict {
        Verdict::Limit(Limit::Fuel) => limits.fuel < fuel,
        Verdict::Limit(Limit::Size) => limits.size < size,
        _ => false,
    };
    (!cut).then_some((run, names))
}

fn solved_json(solved: &Solved, names: &Names) -> VerdictJson {
    let sigma = solved.sigma().bindings().into_iter();
    let sigma = sigma.map(|(var, to)| (name(var, names), Json(wire::term(&to, names)))).collect();
    let residual = residual_json(&solved.residual(), names);
    let greatest = solved.greatest().map(|gamma| ground_json(&gamma, names));
    VerdictJson::Solved { sigma: Object(sigma), residual, greatest }
}

fn residual_json(residual: &Residual, names: &Names) -> ResidualJson {
    let dims = residual.dim_caps.iter().map(|(a, d)| (Var::Dim(*a), Term::Dim(*d)));
    let rows = residual.row_caps.iter().map(|(r, cap)| (Var::Row(*r), Term::Row(cap.clone())));
    let cap = |(var, bound)| CapJson { var: name(var, names), bound: Json(wire::term(&bound, names)) };
    let below = residual.below.iter().map(|(a, b)| [*a, *b].map(|v| name(Var::Dim(v), names)));
    ResidualJson {
        caps: dims.chain(rows).map(cap).collect(),
        below: below.collect(),
        deferred: residual.deferred.iter().map(|phi| Json(wire::constraint(phi, names))).collect(),
    }
}

/// Values, oldest variable first.
pub fn ground_terms(gamma: &Ground) -> Vec<(Var, Term)> {
    let dims = gamma.dims.iter().map(|(v, d)| (Var::Dim(*v), Term::Dim(DimTerm::Dim(*d))));
    let rows = gamma.rows.iter().map(|(v, r)| (Var::Row(*v), Term::Row(r.into())));
    let mut all: Vec<(Var, Term)> = dims.chain(rows).collect();
    all.sort_by_key(|(var, _)| *var);
    all
}

fn ground_json(gamma: &Ground, names: &Names) -> Object {
    Object(ground_terms(gamma).into_iter().map(|(v, t)| (name(v, names), Json(wire::term(&t, names)))).collect())
}

fn failure_json(failure: &Failure, names: &Names) -> FailureJson {
    FailureJson {
        rule: failure.rule.name(),
        constraint: Json(wire::constraint(&failure.constraint, names)),
        message: message(&failure.why, |d| names.show(&d).to_string()),
    }
}

/// What a failure comes to, in words.
pub fn message(why: &Why, show: impl Fn(lozenge::dim::Dim) -> String) -> String {
    let axes = |n: usize| format!("{n} {}", if n == 1 { "axis" } else { "axes" });
    match why {
        Why::Differ(d, e) => format!("{} and {} are different dimensions", show(*d), show(*e)),
        Why::NotBelow(d, e) => format!("{} is not below {}", show(*d), show(*e)),
        Why::Ranks(a, b) => format!("the left side has {}, the right side {b}", axes(*a)),
        Why::Overflow { open, closed } => {
            format!("the open side has {} or more, the closed side {closed}", axes(*open))
        }
        Why::Occurs(more) => format!("the row would equal itself with {} more", axes(*more)),
        Why::Short { lead, trail: 0 } => format!("the result lacks {} in front", axes(*lead)),
        Why::Short { lead: 0, trail } => format!("the result lacks {} at the back", axes(*trail)),
        Why::Short { lead, trail } => format!("the result lacks {} in front and {trail} at the back", axes(*lead)),
        Why::Cycle { weight } => {
            format!("a cycle of lengths would need {} more than it has", axes(usize::try_from(*weight).unwrap_or(0)))
        }
    }
}

fn trace_json(trace: &Trace, names: &Names) -> Vec<StepJson> {
    let numbered = trace.steps.iter().enumerate();
    numbered.map(|(number, step)| step_json(trace, number, step, names)).collect()
}

fn step_json(trace: &Trace, number: usize, step: &Step, names: &Names) -> StepJson {
    let constraint = |phi: &Constraint| Json(wire::constraint(phi, names));
    let node = |n: usize| trace.nodes.get(n).map(|node| constraint(&node.constraint));
    let length = |x: Vertex| x.map(|r| name(Var::Row(r), names));
    let fact = |(rule, f): &(Rule, Fact)| FactJson {
        rule: rule.name(),
        greater: length(f.greater),
        lesser: length(f.lesser),
        weight: f.weight,
    };
    let bind = |Bind { var, to, placement }: &Bind| BindJson {
        var: name(*var, names),
        to: Json(wire::term(to, names)),
        placement: *placement,
    };
    StepJson {
        rule: step.rule.name(),
        definition: step.rule.definition(),
        consumed: node(step.consumed).unwrap_or_else(|| constraint(&step.instance)),
        from: match trace.nodes.get(step.consumed).map(|node| node.origin) {
            Some(Origin::Step(from)) => Some(FromJson::Step(from)),
            Some(Origin::Input(i)) => Some(FromJson::Input(i)),
            _ => None,
        },
        instance: constraint(&step.instance),
        emitted: step.emitted.iter().filter_map(|n| node(*n)).collect(),
        stored: step.stored.and_then(node),
        bind: step.bind.as_ref().map(bind),
        facts: step.facts.iter().map(fact).collect(),
        policy: step.is_policy(),
        tainted: step.tainted,
        used: step.used.clone(),
        also: step.also.iter().copied().filter(|also| *also != number).collect(),
    }
}
