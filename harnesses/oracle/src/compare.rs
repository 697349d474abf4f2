//! Is an engine's answer right? What is compared, and what is free.
//!
//! Messages, rule names, traces, the order of maps and the names of fresh variables are free. A `solved` answer
//! is right when it denotes the solutions of the constraints (Lemma 5.1), not when it is spelled like ours.
//! [`freedom`] says what further freedom a request leaves because a placement is policy.

mod claims;
mod close;
pub mod freedom;
mod infer;
mod program;
mod read;
mod sample;
mod solve;

pub use freedom::{Freedom, Rows};
pub use read::definition as meaning;

use serde_json::Value;

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
    /// What is wrong, in one sentence.
    pub what: String,
    /// The number of the definition that says so.
    pub definition: String,
}

impl Difference {
    /// As an outcome.
    fn differ(definition: &str, what: impl Into<String>) -> Outcome {
        Outcome::Differ(Difference { what: what.into(), definition: definition.to_owned() })
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
        match serde_json::from_str::<Value>(line) {
            Ok(answer) => self.compare(&answer),
            Err(error) => Difference::differ("protocol", format!("the answer is not JSON: {error}")),
        }
    }

    /// Compares an answer.
    pub fn compare(&self, got: &Value) -> Outcome {
        let (id, back) = (self.request.get("id"), got.get("id"));
        if id.is_some() && id != back {
            let back = back.map_or_else(|| "none".to_owned(), Value::to_string);
            return Difference::differ("protocol", format!("the id comes back as {back}"));
        }
        if verdict(got).is_empty() {
            return Difference::differ("protocol", "the answer has no verdict");
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
            return Difference::differ(definition, format!("a good request is refused: {} {says}", verdict(got)));
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
            Some(what) => Difference::differ("protocol", what),
        }
    }

    /// The verdict and these fields, to the letter.
    fn compare_fields(&self, got: &Value, fields: &[&str]) -> Outcome {
        for field in ["verdict"].iter().chain(fields) {
            let (is, should) = (&got[*field], &self.expected[*field]);
            if is != should {
                return Difference::differ("protocol", format!("{field} is {is}, it should be {should}"));
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

fn compare_check(question: &Question<'_>, got: &Value) -> Outcome {
    let Some(asked) = read::Asked::of(question.request) else { return Difference::differ("protocol", "no request") };
    let indices = |answer: &Value| -> Option<Vec<usize>> {
        match verdict(answer) {
            "holds" => Some(Vec::new()),
            "violated" => {
                let mut which: Vec<usize> = answer["which"]
                    .as_array()?
                    .iter()
                    .map(|i| i.as_u64().and_then(|i| usize::try_from(i).ok()))
                    .collect::<Option<_>>()?;
                which.sort_unstable();
                Some(which)
            }
            _ => None,
        }
    };
    let (Some(is), Some(should)) = (indices(got), indices(question.expected)) else {
        return Difference::differ("protocol", "neither holds nor violated with its indices");
    };
    let Some(index) = is.iter().find(|i| !should.contains(i)).or(should.iter().find(|i| !is.contains(i))) else {
        return if is == should { Outcome::Agree } else { Difference::differ("protocol", "an index is given twice") };
    };
    let said = if is.contains(index) { "violated" } else { "satisfied" };
    let difference = match asked.phi.get(*index) {
        None => return Difference::differ("protocol", format!("there is no constraint {index}")),
        Some(phi) => Difference {
            what: format!("constraint {index} is said to be {said}: {}", asked.names.show(phi)),
            definition: read::definition(phi).to_owned(),
        },
    };
    let by_content: Option<Vec<usize>> = asked.values(&question.request["values"]).map(|gamma| {
        let violated = asked.phi.iter().enumerate().filter(|(_, phi)| !read::holds_one_shot(&gamma, phi));
        violated.map(|(i, _)| i).collect()
    });
    if by_content == Some(is) { Outcome::Reading(difference) } else { Outcome::Differ(difference) }
}
