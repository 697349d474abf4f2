//! What an engine gets wrong: asked, compared, made small, and grouped.

pub mod cluster;
pub mod html;
pub mod known;
pub mod shrinker;

use crate::compare::{Capabilities, Difference, Freedom, Kind, Outcome, Question, freedom};
use crate::engine::{Engine, Trouble};
use crate::oracle::reference;
use crate::output::beginning;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What kind of finding.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A wrong answer.
    Difference,
    /// Right by ⊑¹.
    Reading,
    /// No answer in time.
    Hang,
    /// The engine ended.
    Crash,
    /// No line of the protocol.
    Garbage,
}

impl Class {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Difference => "difference",
            Class::Reading => "reading",
            Class::Hang => "hang",
            Class::Crash => "crash",
            Class::Garbage => "garbage",
        }
    }

    /// That of what is wrong in this way, differences of reading apart.
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Hang => Class::Hang,
            Kind::Crash => Class::Crash,
            Kind::Garbage => Class::Garbage,
            _ => Class::Difference,
        }
    }
}

/// How many bytes of an answer are kept. The longest that the corpus expects has some more.
const MOST_ANSWER: usize = 16 << 10;

/// What an engine did to one question.
#[derive(Clone)]
pub struct Observed {
    pub class: Class,
    pub difference: Difference,
    pub answer: Option<String>,
    pub stderr: Option<String>,
}

impl Observed {
    /// Is it wrong in the same way: the same definition and the same kind?
    pub fn same_way(&self, other: &Observed) -> bool {
        let of = |it: &Observed| (it.class, it.difference.kind, it.difference.definition.clone());
        of(self) == of(other)
    }

    /// That there is no answer.
    pub fn of_trouble(trouble: &Trouble, stderr: Option<String>) -> Option<Self> {
        let kind = match trouble {
            Trouble::Interrupted => return None,
            Trouble::Hang(_) | Trouble::Silent(_) => Kind::Hang,
            Trouble::Crash(_) | Trouble::Start(_) => Kind::Crash,
            Trouble::Garbage(_) => Kind::Garbage,
        };
        let difference = Difference::protocol(kind, trouble.to_string());
        Some(Observed { class: Class::of(kind), difference, answer: None, stderr })
    }
}

/// How an engine fared with one question.
pub enum Heard {
    Fine,
    Unsupported,
    Stopped,
    Wrong(Observed),
}

impl Heard {
    /// What comes of comparing an answer.
    pub fn of_outcome(outcome: Outcome, line: String, stderr: Option<String>) -> Self {
        let wrong = |class, difference| {
            let answer = Some(beginning(line, MOST_ANSWER));
            Heard::Wrong(Observed { class, difference, answer, stderr })
        };
        match outcome {
            Outcome::Agree => Heard::Fine,
            Outcome::Unsupported => Heard::Unsupported,
            Outcome::Reading(difference) => wrong(Class::Reading, difference),
            Outcome::Differ(difference) => wrong(Class::of(difference.kind), difference),
        }
    }
}

/// Asks both, and compares.
pub fn observe(engine: &mut Engine, capabilities: &Capabilities, request: &Value) -> (Heard, Value) {
    let expected = reference(request);
    let line = match engine.ask(&request.to_string()) {
        Ok(line) => line,
        Err(trouble) => {
            let observed = Observed::of_trouble(&trouble, engine.stderr());
            return (observed.map_or(Heard::Stopped, Heard::Wrong), expected);
        }
    };
    // The freedom takes several runs to find out: only where it matters.
    let strict = Question { request, expected: &expected, freedom: freedom::NONE, capabilities };
    let mut outcome = strict.compare_line(&line);
    if !matches!(outcome, Outcome::Agree | Outcome::Unsupported) {
        let question = Question { freedom: Freedom::of(request, &expected), ..strict };
        outcome = question.compare_line(&line);
    }
    if matches!(&outcome, Outcome::Differ(difference) if difference.definition == "protocol") {
        // Its next line may belong to this question: another process does not know it.
        engine.stop();
    }
    (Heard::of_outcome(outcome, line, engine.stderr()), expected)
}
