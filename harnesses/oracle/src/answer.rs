//! Answers in the wire format (spec/protocol.md), for the oracle and for `--json`.

use crate::output::{Exit, Json};
use lozenge::certificate::json::refutation;
use lozenge::certificate::{Refutation, check_refutation};
use lozenge::closing::{Assumption, Closing, Hole};
use lozenge::constraint::Constraint;
use lozenge::decide::{Decided, Decision, Unlooked, witness};
use lozenge::guard::{Fact, Vertex};
use lozenge::internal::broken;
use lozenge::names::Names;
use lozenge::program::shape::Kind;
use lozenge::program::{Assumed, InferError, Inference, Partial};
use lozenge::rules::{Bind, Why};
use lozenge::semantics::Ground;
use lozenge::solver::derivation::{Origin, Step, Trace};
use lozenge::solver::{Failure, Limit, Limits, Policy, Residual, Rule, Run, Solved, Verdict, solve, solve_traced};
use lozenge::term::{DimTerm, Term, Var};
use lozenge::wire;
use serde::{Serialize, Serializer};

/// The most steps of a derivation that is kept in memory.
const MOST_STEPS: u64 = 200_000;
/// The same for a run that reaches a limit: where rows grow without end, each step costs more than the last.
const MOST_ENDLESS_STEPS: u64 = 300;
/// The most axes written in such a derivation.
const MOST_AXES: u64 = 5_000_000;

/// Entries in the order given.
pub struct Object(pub Vec<(String, Json)>);

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
    /// The evidence, where it was asked for; null where the verdict claims nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Option<CertificateJson>>,
    /// What the verdict comes to.
    #[serde(skip)]
    pub exit: Exit,
}

/// What an answer is to carry besides the verdict.
#[derive(Clone, Copy, Default)]
pub struct Evidence {
    /// The derivation.
    pub trace: bool,
    /// The certificate.
    pub certificate: bool,
}

/// Evidence that can be checked without the solver (spec/certificates.md).
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum CertificateJson {
    Solution(Object),
    Refutation(Json),
}

#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum VerdictJson {
    Solved {
        sigma: Object,
        residual: ResidualJson,
        greatest: Option<Object>,
    },
    Unsat(FailureJson),
    Rejected {
        #[serde(flatten)]
        failure: FailureJson,
        /// A solution all the same, where a short search finds one.
        #[serde(skip_serializing_if = "Option::is_none")]
        witness: Option<Object>,
    },
    Limit {
        which: &'static str,
    },
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
        Limit::Fuel | Limit::Rank | Limit::Derivation => limit.name(),
        Limit::Size => "elements",
    }
}

/// Solves, and answers; with the derivation if it was asked for.
///
/// # Errors
/// How many steps a derivation may have, when this one has more.
pub fn solve_json(phi: &[Constraint], names: &Names, policy: Policy, evidence: Evidence) -> Result<SolveJson, u64> {
    let mut fresh = names.clone();
    let first = solve(phi, &mut fresh, policy);
    let refuted = evidence.certificate && matches!(first, Verdict::Unsat(_));
    // With a derivation, its own run is the one that is answered: evidence belongs to the answer it comes with.
    let run = match (evidence.trace || refuted).then(|| derivation(phi, names, policy, &first)) {
        None => Run { verdict: first, trace: Trace::default() },
        Some(Derived { run, cut: None }) => run,
        Some(Derived { cut: Some(most), .. }) => return Err(most),
    };
    let trace = evidence.trace.then(|| trace_json(&run.trace, &fresh));
    let witness = match &run.verdict {
        Verdict::Rejected(_) => witness(phi, names, policy).solution(),
        Verdict::Solved(_) | Verdict::Unsat(_) | Verdict::Limit(_) => None,
    };
    let certificate = evidence.certificate.then(|| match &run.verdict {
        Verdict::Solved(solved) => solved.greatest().map(|g| CertificateJson::Solution(ground_json(&g, &fresh))),
        Verdict::Rejected(_) => witness.as_ref().map(|g| CertificateJson::Solution(ground_json(g, names))),
        Verdict::Unsat(_) => Some(CertificateJson::Refutation(Json(refutation(&checked(phi, &run), &fresh)))),
        Verdict::Limit(_) => None,
    });
    let names = fresh;
    let exit = Exit::of(&run.verdict);
    let verdict = match &run.verdict {
        Verdict::Solved(solved) => solved_json(solved, &names),
        Verdict::Unsat(failure) => VerdictJson::Unsat(failure_json(failure, &names)),
        Verdict::Rejected(failure) => rejected_json(failure, witness.as_ref(), &names),
        Verdict::Limit(limit) => VerdictJson::Limit { which: limit_name(*limit) },
    };
    Ok(SolveJson { verdict, trace, certificate, exit })
}

/// The refutation that a run gives, checked before anybody sees it.
pub fn checked(phi: &[Constraint], run: &Run) -> Refutation {
    let Some(refutation) = run.refutation() else { broken("every `unsat` has a refutation", format!("{phi:?}")) };
    match check_refutation(phi, &refutation) {
        Ok(()) => refutation,
        Err(error) => broken("every refutation passes its check", format!("{error} in {phi:?}")),
    }
}

fn rejected_json(failure: &Failure, witness: Option<&Ground>, names: &Names) -> VerdictJson {
    let witness = witness.map(|gamma| ground_json(gamma, names));
    VerdictJson::Rejected { failure: failure_json(failure, names), witness }
}

/// The answer to `close`.
#[derive(Serialize)]
#[serde(untagged)]
pub enum CloseJson {
    /// With a solution.
    Closed {
        /// `closed`
        verdict: &'static str,
        /// Ground values of the input's variables.
        values: Object,
        /// What does not follow.
        assumptions: Vec<AssumptionJson>,
    },
    /// A parameter's hole.
    Hole {
        /// `error`
        verdict: &'static str,
        /// The rule that would have filled it.
        rule: &'static str,
        /// What to do.
        message: String,
        /// The parameter's variable.
        var: String,
        /// The constraints that mention it.
        uses: Vec<usize>,
    },
    /// As `solve`.
    Ended(VerdictEnd),
}

/// A verdict that `close` shares with `solve`.
#[derive(Serialize)]
pub struct VerdictEnd(VerdictJson);

/// One assumption.
#[derive(Serialize)]
pub struct AssumptionJson {
    var: String,
    value: Json,
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<String>,
}

/// Answers `close`.
pub fn close_json(phi: &[Constraint], end: &Closing, names: &Names, policy: Policy) -> CloseJson {
    match end {
        Closing::Closed(closed) => CloseJson::Closed {
            verdict: "closed",
            values: ground_json(&closed.values, names),
            assumptions: closed.assumptions.iter().map(|a| assumption_json(a, names)).collect(),
        },
        Closing::Hole(Hole { var, position, uses }) => CloseJson::Hole {
            verdict: "error",
            rule: if position.is_some() { "CL-hole" } else { "CL-bare" },
            message: format!("parameter {}: you forgot to specify this dimension", name(*var, names)),
            var: name(*var, names),
            uses: uses.clone(),
        },
        Closing::Unsat(failure) => CloseJson::Ended(VerdictEnd(VerdictJson::Unsat(failure_json(failure, names)))),
        Closing::Rejected(failure, _) => {
            let witness = witness(phi, names, policy).solution();
            CloseJson::Ended(VerdictEnd(rejected_json(failure, witness.as_ref(), names)))
        }
        Closing::Limit(limit) => CloseJson::Ended(VerdictEnd(VerdictJson::Limit { which: limit_name(*limit) })),
    }
}

fn assumption_json(assumption: &Assumption, names: &Names) -> AssumptionJson {
    AssumptionJson {
        var: name(assumption.binding.var(), names),
        value: Json(wire::term(&assumption.binding.to(), names)),
        rule: assumption.rule.name(),
        within: assumption.within.map(|x| name(x, names)),
    }
}

/// The answer to `decide`.
#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum DecideJson {
    /// Satisfiable.
    Sat {
        /// By these values.
        values: Object,
    },
    /// Unsatisfiable.
    Unsat,
    /// Not found up to a bound, or up to a limit.
    Unknown {
        /// The bound.
        rank_bound: usize,
        /// The limit that was reached before everything up to the bound was looked at.
        #[serde(skip_serializing_if = "Option::is_none")]
        which: Option<&'static str>,
    },
}

/// Answers `decide`.
pub fn decide_json(decided: &Decided, names: &Names) -> DecideJson {
    match &decided.decision {
        Decision::Sat(gamma) => DecideJson::Sat { values: ground_json(gamma, names) },
        Decision::Unsat => DecideJson::Unsat,
        Decision::Unknown { rank_bound, because } => {
            let which = match because {
                Unlooked::Rank => None,
                Unlooked::Limit(limit) => Some(limit_name(*limit)),
            };
            DecideJson::Unknown { rank_bound: *rank_bound, which }
        }
    }
}

/// A run with its derivation.
pub struct Derived {
    /// The run.
    pub run: Run,
    /// When it is too long to be kept: the number of steps after which it was cut, at the latest.
    pub cut: Option<u64>,
}

/// The run that ended in this verdict once more, with its derivation. Its fresh variables are the same.
pub fn derivation(phi: &[Constraint], names: &Names, policy: Policy, verdict: &Verdict) -> Derived {
    let most = if matches!(verdict, Verdict::Limit(_)) { MOST_ENDLESS_STEPS } else { MOST_STEPS };
    let Limits { fuel, rank, size } = policy.limits;
    // A step of long rows costs more than a unit.
    let limits = Limits { fuel: fuel.min(64 * most), rank, size: size.min(MOST_AXES) };
    let mut run = solve_traced(phi, &mut names.clone(), Policy { limits, ..policy });
    let kept = usize::try_from(most).unwrap_or(usize::MAX);
    let cut = match run.verdict {
        Verdict::Limit(Limit::Derivation) => true,
        Verdict::Limit(Limit::Fuel) => limits.fuel < fuel || run.trace.steps.len() > kept,
        Verdict::Limit(Limit::Size) => limits.size < size || run.trace.steps.len() > kept,
        _ => run.trace.steps.len() > kept,
    };
    run.trace.steps.truncate(kept);
    if !cut && !same_end(verdict, &run.verdict) {
        let ends = format!("{verdict:?} and {:?} on {phi:?}", run.verdict);
        broken("a run with its derivation ends as it does without", ends);
    }
    Derived { run, cut: cut.then_some(most) }
}

/// Does a run end as another one did? What keeping a derivation costs counts as work, so it may reach a limit first.
fn same_end(without: &Verdict, with: &Verdict) -> bool {
    match (without, with) {
        (_, Verdict::Limit(_)) | (Verdict::Solved(_), Verdict::Solved(_)) => true,
        (Verdict::Unsat(one), Verdict::Unsat(other)) | (Verdict::Rejected(one), Verdict::Rejected(other)) => {
            (one.rule, &one.constraint, &one.why) == (other.rule, &other.constraint, &other.why)
        }
        _ => false,
    }
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
    let bind = |Bind { binding, placement }: &Bind| BindJson {
        var: name(binding.var(), names),
        to: Json(wire::term(&binding.to(), names)),
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

/// The answer to `infer`.
#[derive(Serialize)]
pub struct InferJson {
    verdict: &'static str,
    shapes: Object,
    captures: Object,
    assumptions: Vec<AssumedJson>,
    /// Where markers come from, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markers: Option<Object>,
}

/// One assumption about a program.
#[derive(Serialize)]
struct AssumedJson {
    rule: &'static str,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tensor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    text: String,
}

/// Answers `infer`.
pub fn infer_json(inferred: &Inference) -> InferJson {
    let names = &inferred.names;
    let generated = &inferred.generated;
    let shape = |id: usize| {
        let shape = inferred.shapes.get(id)?;
        Some(shape_json(|kind| wire::row(shape.get(kind), names)))
    };
    let shapes = generated.bindings.iter().filter_map(|(name, id)| Some((name.clone(), shape(*id)?)));
    let assumption = |a: &Assumed| AssumedJson {
        rule: a.rule.name(),
        value: a.value.clone(),
        tensor: a.tensor.and_then(|t| generated.tensors.get(t)?.name.clone()),
        kind: a.kind.map(Kind::name),
        text: a.text.clone(),
    };
    InferJson {
        verdict: "inferred",
        shapes: Object(shapes.collect()),
        captures: Object(inferred.sizes.iter().map(|s| (s.name.clone(), Json(s.size.into()))).collect()),
        assumptions: inferred.assumptions().iter().map(assumption).collect(),
        markers: None,
    }
}

/// What is known before closing: shapes whose rows may have variables.
#[derive(Serialize)]
pub struct PartialJson {
    verdict: &'static str,
    shapes: Object,
}

/// Answers `infer --partial`.
pub fn partial_json(partial: &Partial) -> PartialJson {
    let shape = |id: usize| {
        let shape = partial.shapes.get(id)?;
        Some(shape_json(|kind| wire::row_term(shape.get(kind), &partial.names)))
    };
    let named = partial.generated.bindings.iter();
    let shapes = named.filter_map(|(name, id)| Some((name.clone(), shape(*id)?)));
    PartialJson { verdict: "partial", shapes: Object(shapes.collect()) }
}

fn shape_json(row: impl Fn(Kind) -> serde_json::Value) -> Json {
    Json(serde_json::json!({ "batch": row(Kind::Batch), "input": row(Kind::Input), "output": row(Kind::Output) }))
}

/// Why a program has no shapes.
#[derive(Serialize)]
pub struct InferErrorJson {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    which: Option<&'static str>,
    message: String,
    /// Line and column in the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[usize; 2]>,
    /// The whole explanation, for people.
    text: String,
}

/// Answers `infer` for a program whose shapes do not fit.
pub fn infer_error_json(error: &InferError, text: &str) -> InferErrorJson {
    let (verdict, rule, constraint, which) = match error {
        InferError::Clash(clash) => {
            let verdict = if clash.certain { "unsat" } else { "rejected" };
            (verdict, Some(clash.rule.name()), Some(clash.constraint.clone()), None)
        }
        InferError::Hole(_) => ("error", Some("CL-hole"), None, None),
        InferError::Index(_) => ("unsat", Some("index"), None, None),
        InferError::Size(size) => {
            let verdict = if size.certain { "unsat" } else { "rejected" };
            (verdict, Some(size.rule.name()), Some(size.equation.clone()), None)
        }
        InferError::Limit(limit) => ("limit", None, None, Some(limit_name(*limit))),
        InferError::Program(_) => ("error", None, None, None),
    };
    let span = error.span();
    let (line, column) = span.position(text);
    InferErrorJson {
        verdict,
        rule,
        constraint,
        which,
        message: error.to_string(),
        position: span.is_known().then_some([line, column]),
        text: error.render(text),
    }
}
