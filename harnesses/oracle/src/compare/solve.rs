//! Answers to `solve`.

use super::read::{Asked, definition};
use super::sample::Sample;
use super::{Difference, Outcome, Question, Rows, verdict};
use lozenge::semantics::{Ground, holds};
use lozenge::solver::Rule;
use lozenge_harnesses::systems::Denotation;
use serde_json::Value;

/// Compares two answers to `solve`.
pub fn compare(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = Asked::of(question.request) else { return Difference::differ("protocol", "no request") };
    match verdict(got) {
        "solved" => compare_solved(question, &asked, got),
        "unsat" => compare_unsat(question, &asked, got),
        "rejected" => compare_rejected(question, &asked, got),
        other => Difference::differ("protocol", format!("`{other}` is no verdict of this operation")),
    }
}

/// A solution that the reference knows.
pub fn known_solution(expected: &Value, asked: &Asked) -> Option<Ground> {
    ["greatest", "witness", "values"].iter().find_map(|field| asked.values(&expected[*field]))
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
            Difference::differ(blamed_first(got, question.expected), what)
        }
        None => Outcome::Agree,
    }
}

/// `rejected` blames a placement: there must be one.
pub fn compare_rejected(question: &Question<'_>, asked: &Asked, got: &Value) -> Outcome {
    if !question.freedom.rejected && verdict(question.expected) != "rejected" {
        let should = verdict(question.expected);
        let what = format!("rejected, but no marker had to be placed: the verdict should be {should}");
        return Difference::differ(blamed_first(got, question.expected), what);
    }
    match asked.values(&got["witness"]).and_then(|gamma| asked.violated(&gamma).map(|phi| (gamma.clone(), phi))) {
        Some((gamma, phi)) => wrong_values(asked, &gamma, phi, "the witness"),
        None => Outcome::Agree,
    }
}

/// Values that violate a constraint; a difference of reading if ⊑¹ lets them pass.
pub fn wrong_values(asked: &Asked, gamma: &Ground, phi: &lozenge::constraint::Constraint, whose: &str) -> Outcome {
    let what = format!("{whose} {} violates {}", asked.names.show(gamma), asked.names.show(phi));
    let difference = Difference { what, definition: definition(phi).to_owned() };
    if asked.solves_one_shot(gamma) { Outcome::Reading(difference) } else { Outcome::Differ(difference) }
}

fn compare_solved(question: &Question<'_>, asked: &Asked, got: &Value) -> Outcome {
    let greatest = match &got["greatest"] {
        Value::Null => None,
        values => match asked.values(values) {
            Some(gamma) => Some(gamma),
            None => return Difference::differ("5.4", "greatest has no ground value for every variable"),
        },
    };
    if let Some(gamma) = &greatest
        && let Some(phi) = asked.violated(gamma)
    {
        return wrong_values(asked, gamma, phi, "greatest:");
    }
    if verdict(question.expected) == "unsat" {
        let message = question.expected["message"].as_str().unwrap_or_default();
        return Difference::differ(
            blamed_first(question.expected, got),
            format!("solved, but there is no solution: {message}"),
        );
    }
    let form = match asked.solved_form(got) {
        Ok(form) => Denotation { sigma: form.sigma, constraints: form.constraints },
        Err(what) => return Difference::differ("5.3", what),
    };
    let expected = known_solution(question.expected, asked);
    if question.freedom.rows == Rows::Exact && verdict(question.expected) == "solved" {
        match (&greatest, asked.values(&question.expected["greatest"])) {
            (Some(is), Some(should)) if *is != should => {
                let [is, should] = [is, &should].map(|gamma| asked.names.show(gamma).to_string());
                return Difference::differ("5.4", format!("greatest is {is}, it should be {should}"));
            }
            (None, Some(_)) => return Difference::differ("5.4", "greatest is null, but there is one"),
            (Some(_), None) => return Difference::differ("5.4", "a deferred equation rules out this greatest"),
            _ => {}
        }
    }
    let known: Vec<Ground> = greatest.into_iter().chain(expected).collect();
    compare_denotation(question, asked, &form, &known)
}

/// Lemma 5.1: without placements the answer has exactly the solutions of the input, with them no others.
fn compare_denotation(question: &Question<'_>, asked: &Asked, form: &Denotation, known: &[Ground]) -> Outcome {
    for gamma in Sample::new(asked).values(known) {
        let solves = asked.phi.iter().all(|phi| holds(&gamma, phi));
        let admitted = form.admits(&gamma);
        let shown = || asked.names.show(&gamma).to_string();
        if admitted && !solves {
            let Some(phi) = asked.violated(&gamma) else { continue };
            let outcome = wrong_values(asked, &gamma, phi, "sigma and residual allow");
            return match outcome {
                Outcome::Reading(difference) => Outcome::Reading(difference),
                Outcome::Differ(difference) => {
                    Outcome::Differ(Difference { definition: "5.1".to_owned(), ..difference })
                }
                other => other,
            };
        }
        if solves && !admitted && question.freedom.rows == Rows::Exact {
            return Difference::differ("5.1", format!("sigma and residual rule out the solution {}", shown()));
        }
    }
    Outcome::Agree
}
