//! Answers to `solve`.

use super::read::{Asked, definition};
use super::{Difference, Kind, Order, Outcome, Question, Rows, denotation, no_request, no_verdict, verdict};
use lozenge::constraint::Constraint;
use lozenge::semantics::Ground;
use lozenge::solver::Rule;
use lozenge_harnesses::systems::Denotation;
use serde_json::Value;

/// Compares two answers to `solve`.
pub fn compare(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = Asked::of(question.request) else { return no_request() };
    match verdict(got) {
        "solved" => compare_solved(question, &asked, got),
        "unsat" => compare_unsat(question, &asked, got),
        "rejected" => compare_rejected(question, &asked, got),
        _ => no_verdict(got),
    }
}

/// A solution that the reference knows.
pub fn known_solution(expected: &Value, asked: &Asked) -> Option<Ground> {
    ["greatest", "witness", "values"].iter().find_map(|field| asked.values(&expected[*field]).ok())
}

/// The definition of the rule that an answer blames.
pub fn blamed(answer: &Value) -> Option<&'static str> {
    Rule::ALL.iter().find(|rule| answer["rule"] == rule.name()).map(|rule| rule.definition())
}

/// The same for the first of two answers that blames one.
fn blamed_first(answer: &Value, other: &Value) -> &'static str {
    blamed(answer).or_else(|| blamed(other)).unwrap_or("5.6")
}

/// `unsat` claims that there is no solution.
pub fn compare_unsat(question: &Question<'_>, asked: &Asked, got: &Value) -> Outcome {
    match known_solution(question.expected, asked) {
        Some(gamma) => {
            let what = format!("said to be unsatisfiable, but this is a solution: {}", asked.names.show(&gamma));
            Difference::differ(Kind::RefusesSolvable, blamed_first(got, question.expected), what)
        }
        None => Outcome::Agree,
    }
}

/// `rejected` blames a placement: there must be one.
pub fn compare_rejected(question: &Question<'_>, asked: &Asked, got: &Value) -> Outcome {
    let should = verdict(question.expected);
    if !question.freedom.rejected && should != "rejected" {
        let what = format!("rejected, but no marker had to be placed: the verdict should be {should}");
        let kind = if should == "unsat" { Kind::WrongBlame } else { Kind::RefusesSolvable };
        return Difference::differ(kind, blamed_first(got, question.expected), what);
    }
    match asked.values(&got["witness"]).ok().and_then(|gamma| asked.violated(&gamma).map(|phi| (gamma.clone(), phi))) {
        Some((gamma, phi)) => wrong_values(asked, &gamma, phi, "the witness"),
        None => Outcome::Agree,
    }
}

/// Values that violate a constraint; a difference of reading if ⊑¹ lets them pass.
pub fn wrong_values(asked: &Asked, gamma: &Ground, phi: &Constraint, whose: &str) -> Outcome {
    let what = format!("{whose} {} violates {}", asked.names.show(gamma), asked.names.show(phi));
    let difference = Difference::new(Kind::WrongValues, definition(phi), what);
    if asked.solves(Order::OneShot, gamma) { Outcome::Reading(difference) } else { Outcome::Differ(difference) }
}

/// Does a `solved` answer leave open whether there is a solution? It does where `greatest` is null and something is
/// deferred; with nothing deferred it is a solved form, which has a solution. An engine without `residual` need not show
/// what it defers.
pub fn leaves_open(question: &Question<'_>, got: &Value) -> bool {
    let capabilities = question.capabilities;
    let deferred = got["residual"]["deferred"].as_array().is_some_and(|all| !all.is_empty());
    got.get("greatest").is_some_and(Value::is_null)
        && !capabilities.verdict_only
        && (deferred || !capabilities.residual)
}

/// `solved` claims that there is a solution, unless it leaves that open.
fn compare_solved(question: &Question<'_>, asked: &Asked, got: &Value) -> Outcome {
    let greatest = match greatest(question, asked, got) {
        Ok(greatest) => greatest,
        Err(outcome) => return outcome,
    };
    let violated = greatest.as_ref().and_then(|gamma| Some((gamma, asked.violated(gamma)?)));
    let of_greatest = violated.map_or(Outcome::Agree, |(gamma, phi)| wrong_values(asked, gamma, phi, "greatest:"));
    if matches!(of_greatest, Outcome::Differ(_)) {
        return of_greatest;
    }
    let open = leaves_open(question, got);
    if verdict(question.expected) == "unsat" && !open {
        return compare_unsolvable(question, asked, got, of_greatest);
    }
    if question.capabilities.verdict_only || !question.capabilities.sigma {
        return of_greatest;
    }
    let form = match asked.solved_form(got, question.capabilities.residual) {
        Ok(form) => Denotation { sigma: form.sigma, constraints: form.constraints },
        Err(what) => return Difference::differ(Kind::Malformed, "5.3", what),
    };
    if of_greatest == Outcome::Agree
        && !open
        && let Some(outcome) = compare_greatest(question, asked, greatest.as_ref())
    {
        return outcome;
    }
    let known: Vec<Ground> = greatest.into_iter().chain(known_solution(question.expected, asked)).collect();
    match denotation::compare(question, asked, &form, &known) {
        Outcome::Agree => of_greatest,
        outcome => outcome,
    }
}

/// γ↑ of an answer; none where it is null, or left out by an engine that says so.
fn greatest(question: &Question<'_>, asked: &Asked, got: &Value) -> Result<Option<Ground>, Outcome> {
    let left_out = question.capabilities.verdict_only || !question.capabilities.greatest;
    match got.get("greatest") {
        None if left_out => Ok(None),
        None => Err(Difference::malformed("/greatest: it is missing (an engine without it says so in capabilities)")),
        Some(Value::Null) => Ok(None),
        Some(values) => {
            let read = asked.values(values);
            read.map(Some).map_err(|what| Difference::differ(Kind::Malformed, "5.4", format!("/greatest{what}")))
        }
    }
}

/// `solved`, where the reference says that there is no solution: by ⊑¹ there may be one.
fn compare_unsolvable(question: &Question<'_>, asked: &Asked, got: &Value, of_greatest: Outcome) -> Outcome {
    if of_greatest != Outcome::Agree {
        return of_greatest;
    }
    let message = question.expected["message"].as_str().unwrap_or_default();
    let what = format!("solved, but there is no solution: {message}");
    let difference = Difference::new(Kind::AcceptsUnsolvable, blamed_first(question.expected, got), what);
    match denotation::has_one_shot_solution(asked) {
        true => Outcome::Reading(difference),
        false => Outcome::Differ(difference),
    }
}

/// Prop. 5.4: without placements γ↑ is determined.
fn compare_greatest(question: &Question<'_>, asked: &Asked, greatest: Option<&Ground>) -> Option<Outcome> {
    let determined = question.freedom.rows == Rows::Exact && verdict(question.expected) == "solved";
    if !determined || question.capabilities.verdict_only || !question.capabilities.greatest {
        return None;
    }
    let what = match (greatest, asked.values(&question.expected["greatest"]).ok()) {
        (Some(is), Some(should)) if *is != should => {
            let [is, should] = [is, &should].map(|gamma| asked.names.show(gamma).to_string());
            format!("greatest is {is}, it should be {should}")
        }
        (None, Some(_)) => "greatest is null, but there is one".to_owned(),
        (Some(_), None) => "a deferred equation rules out this greatest".to_owned(),
        _ => return None,
    };
    Some(Difference::differ(Kind::OtherValues, "5.4", what))
}
