//! Is an engine's answer right? What is compared, and what is free.
//!
//! Messages, rule names, traces, the order of maps and the names of fresh variables are free. A `solved` answer
//! is right when it denotes the solutions of the constraints (Lemma 5.1), not when it is spelled like ours.
//! [`freedom`] says what further freedom a request leaves because a placement is policy.

pub mod capabilities;
mod claims;
mod close;
mod denotation;
pub mod freedom;
mod infer;
mod kind;
mod line;
mod program;
mod read;
mod search;
mod solve;

pub use capabilities::{Capabilities, Order};
pub use freedom::{Freedom, Rows};
pub use kind::Kind;
pub use read::definition as meaning;

use crate::output::beginning;
use serde_json::Value;

/// How many bytes of a sentence about an answer are kept.
const MOST_WHAT: usize = 2_000;

/// What comes of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The answer is right.
    Agree,
    /// The engine does not answer this operation, or leaves the question open.
    Unsupported,
    /// The answer is right where closed rows are compared by ⊑¹ (Remark 2.15): a difference of reading.
    Reading(Difference),
    /// The answer is wrong.
    Differ(Difference),
}

/// A wrong answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// In which way it is wrong.
    pub kind: Kind,
    /// What is wrong, in one sentence.
    pub what: String,
    /// The number of the definition that says so.
    pub definition: String,
}

impl Difference {
    /// A difference. What is said of an answer may have pieces of it, which are as long as the engine likes.
    pub fn new(kind: Kind, definition: &str, what: impl Into<String>) -> Self {
        Difference { kind, what: beginning(what.into(), MOST_WHAT), definition: definition.to_owned() }
    }

    /// What is wrong with the form of an answer, or with getting one.
    pub fn protocol(kind: Kind, what: impl Into<String>) -> Self {
        Difference::new(kind, "protocol", what)
    }

    /// As an outcome.
    fn differ(kind: Kind, definition: &str, what: impl Into<String>) -> Outcome {
        Outcome::Differ(Difference::new(kind, definition, what))
    }

    /// An answer that is not in the format, with the path to the place.
    fn malformed(what: impl Into<String>) -> Outcome {
        Outcome::Differ(Difference::protocol(Kind::Malformed, what))
    }
}

/// A question: the request, and what the reference says to it.
pub struct Question<'a> {
    /// The request.
    pub request: &'a Value,
    /// The reference's answer.
    pub expected: &'a Value,
    /// What is free, beyond what always is.
    pub freedom: Freedom,
    /// What the engine says that it can say.
    pub capabilities: &'a Capabilities,
}

/// How the answers to an operation are compared: one row per operation.
type Comparison = fn(&Question<'_>, &Value) -> Outcome;
const COMPARISONS: &[(&str, Comparison)] = &[
    ("solve", solve::compare),
    ("close", close::compare),
    ("decide", close::compare_decide),
    ("check", compare_check),
    ("infer", infer::compare),
    ("project", program::compare_project),
    ("run", program::compare_run),
    ("parse", compare_parse),
    ("version", compare_version),
];

/// The verdict of an answer.
pub fn verdict(answer: &Value) -> &str {
    answer["verdict"].as_str().unwrap_or_default()
}

impl Question<'_> {
    /// Compares a line that an engine wrote.
    pub fn compare_line(&self, line: &str) -> Outcome {
        line::read(line).map_or_else(Outcome::Differ, |answer| self.compare(&answer))
    }

    /// Compares an answer. An engine that has one reading of the order is held to that one.
    pub fn compare(&self, got: &Value) -> Outcome {
        match (self.compare_in_both(got), self.capabilities.order) {
            (Outcome::Reading(_), Some(Order::OneShot)) => Outcome::Agree,
            (Outcome::Reading(difference), Some(Order::Marked)) => Outcome::Differ(difference),
            (outcome, _) => outcome,
        }
    }

    /// Compares an answer; one that is right in one reading of the order and wrong in the other is a reading.
    fn compare_in_both(&self, got: &Value) -> Outcome {
        let (id, back) = (self.request.get("id"), got.get("id"));
        if id.is_some() && id != back {
            let back = back.map_or_else(|| "none".to_owned(), Value::to_string);
            return Difference::malformed(format!("/id: comes back as {back}"));
        }
        if verdict(got).is_empty() {
            return Difference::malformed("/verdict: the answer has none");
        }
        let same = |field: &str| self.expected.get(field) == got.get(field);
        if self.expected.as_object().is_some_and(|fields| fields.keys().all(|field| same(field))) {
            return Outcome::Agree;
        }
        let unsupported = verdict(got) == "error" && got["kind"] == "unsupported";
        let unsupported = unsupported || claims::is_unknown(self.request, got);
        if self.expected["kind"].is_string() {
            return self.compare_refusal(got);
        }
        if unsupported {
            return Outcome::Unsupported;
        }
        if verdict(self.expected) == "limit" {
            // Where ours stops is no matter of the calculus.
            return Outcome::Agree;
        }
        if got["kind"].is_string() || verdict(got) == "limit" {
            let says = got["message"].as_str().or(got["which"].as_str()).unwrap_or_default();
            // Which rule would have ended the run says what is missing.
            let definition = solve::blamed(self.expected).unwrap_or("protocol");
            let what = format!("a good request is refused: {} {says}", verdict(got));
            return Difference::differ(Kind::RefusesRequest, definition, what);
        }
        if let Some(outcome) = self.capabilities.compare_neutral(self, got) {
            return outcome;
        }
        if self.request.get("claims").is_some() {
            return claims::compare(self, got);
        }
        let op = self.request["op"].as_str().unwrap_or_default();
        match COMPARISONS.iter().find(|(known, _)| *known == op) {
            Some((_, rule)) => rule(self, got),
            None => self.compare_fields(got, &[]),
        }
    }

    /// A request that cannot be read: kind and place are part of the format.
    fn compare_refusal(&self, got: &Value) -> Outcome {
        let wrong = |field: &str| {
            let (is, should) = (&got[field], &self.expected[field]);
            (is != should).then(|| format!("the {field} of the error is {is}, it should be {should}"))
        };
        match ["verdict", "kind", "at"].into_iter().find_map(wrong) {
            None => Outcome::Agree,
            Some(_) if got["kind"] == "unsupported" => Outcome::Unsupported,
            Some(what) => Difference::differ(Kind::WrongRefusal, "protocol", what),
        }
    }

    /// The verdict and these fields, to the letter.
    fn compare_fields(&self, got: &Value, fields: &[&str]) -> Outcome {
        for field in ["verdict"].iter().chain(fields) {
            let (is, should) = (&got[*field], &self.expected[*field]);
            if is != should {
                let what = format!("/{field}: is {is}, it should be {should}");
                return Difference::differ(Kind::WrongField, "protocol", what);
            }
        }
        Outcome::Agree
    }
}

/// Compares two answers to `parse`: the tree. How a text is printed is up to the engine.
fn compare_parse(question: &Question<'_>, got: &Value) -> Outcome {
    question.compare_fields(got, &["spec", "shape"])
}

fn compare_version(question: &Question<'_>, got: &Value) -> Outcome {
    question.compare_fields(got, &["wire"])
}

/// A request whose constraints cannot be read has no such answer.
fn no_request() -> Outcome {
    Difference::malformed("/verdict: the constraints of the request cannot be read")
}

/// A verdict that is none of the operation's.
fn no_verdict(got: &Value) -> Outcome {
    Difference::malformed(format!("/verdict: `{}` is none of this operation", verdict(got)))
}

/// The constraints that an answer to `check` says are violated, in order.
fn said_violated(answer: &Value) -> Option<Vec<usize>> {
    let mut which: Vec<usize> = match verdict(answer) {
        "holds" => Vec::new(),
        "violated" => {
            let index = |i: &Value| i.as_u64().and_then(|i| usize::try_from(i).ok());
            answer["which"].as_array()?.iter().map(index).collect::<Option<_>>()?
        }
        _ => return None,
    };
    which.sort_unstable();
    Some(which)
}

/// Def. 3.4, constraint by constraint.
fn compare_check(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = read::Asked::of(question.request) else { return no_request() };
    if question.capabilities.verdict_only {
        return question.compare_fields(got, &[]);
    }
    let (Some(is), Some(should)) = (said_violated(got), said_violated(question.expected)) else {
        return Difference::malformed("/which: neither holds nor violated with its indices");
    };
    let Some(index) = is.iter().find(|i| !should.contains(i)).or(should.iter().find(|i| !is.contains(i))) else {
        return if is == should { Outcome::Agree } else { Difference::malformed("/which: an index is given twice") };
    };
    let (said, kind) = match is.contains(index) {
        true => ("violated", Kind::RefusesSolvable),
        false => ("satisfied", Kind::AcceptsUnsolvable),
    };
    let Some(phi) = asked.phi.get(*index) else {
        return Difference::malformed(format!("/which: there is no constraint {index}"));
    };
    let what = format!("constraint {index} is said to be {said}: {}", asked.names.show(phi));
    let difference = Difference::new(kind, read::definition(phi), what);
    let by_content: Option<Vec<usize>> = asked.values(&question.request["values"]).ok().map(|gamma| {
        let violated = asked.phi.iter().enumerate().filter(|(_, phi)| !Order::OneShot.holds(&gamma, phi));
        violated.map(|(i, _)| i).collect()
    });
    if by_content == Some(is) { Outcome::Reading(difference) } else { Outcome::Differ(difference) }
}
