//! What constraints say, in words that name tensors.

use super::Link;
use crate::generate::{Generated, Logic, Operand, Operation, Origin, TensorId};
use lozenge_notation::Span;

/// Text with places in it that stand for what is written there.
#[derive(Clone, PartialEq, Debug)]
pub struct Words(pub Vec<Word>);

/// A part of a text.
#[derive(Clone, PartialEq, Debug)]
pub enum Word {
    /// As it is.
    Plain(String),
    /// What the program has at this place.
    At(Span),
}

impl Words {
    pub(super) fn say(mut self, text: impl Into<String>) -> Self {
        self.0.push(Word::Plain(text.into()));
        self
    }

    /// One text after the other.
    pub(super) fn then(mut self, other: &Words) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    pub(super) fn tensor(mut self, generated: &Generated, id: TensorId) -> Self {
        let tensor = &generated.tensors[id];
        self.0.push(match &tensor.name {
            Some(name) => Word::Plain(format!("`{name}`")),
            None => Word::At(tensor.span),
        });
        self
    }

    /// The text, for a program written in this source.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        let word = |word: &Word| match word {
            Word::Plain(text) => text.clone(),
            Word::At(span) if span.text(source).is_empty() => "an unnamed tensor".to_owned(),
            Word::At(span) => format!("`{}`", one_line(span.text(source))),
        };
        self.0.iter().map(word).collect()
    }
}

/// Text on one line, and not too much of it.
pub(super) fn one_line(text: &str) -> String {
    lozenge_notation::text::one_line(text, 48)
}

pub(super) fn words() -> Words {
    Words(Vec::new())
}

/// What a constraint of the program says.
pub(crate) fn link(generated: &Generated, constraint: usize) -> Link {
    let origin = &generated.origins[constraint];
    let said = match origin.operation.and_then(|o| generated.operations.get(o)) {
        None => words().say(format!("the size `{}`", origin.label.as_deref().unwrap_or("?"))),
        Some(operation) => relation(generated, operation, origin),
    };
    Link { constraint, span: origin.span, words: said, marker: origin.marker }
}

fn relation(generated: &Generated, operation: &Operation, origin: &Origin) -> Words {
    let (kind, result) = (origin.kind, operation.result);
    let operand = |i: usize| operation.operands.get(i).copied().unwrap_or(result);
    match (operation.logic, origin.operand) {
        (Logic::Pointwise, Operand::Argument(i)) => words()
            .say(format!("element by element: the {kind} row of "))
            .tensor(generated, operand(i))
            .say(" must fit that of ")
            .tensor(generated, result),
        (Logic::Transpose, Operand::Argument(i)) => {
            words().say(format!("transposed: the {kind} row of ")).tensor(generated, operand(i)).say(" changes place")
        }
        (_, Operand::Between(i, j)) => words()
            .say("composition: the output row of ")
            .tensor(generated, operand(j))
            .say(" goes into the input row of ")
            .tensor(generated, operand(i)),
        (Logic::Compose | Logic::ComposeAccumulate, Operand::Argument(i)) => words()
            .say(format!("composition: the {kind} row of "))
            .tensor(generated, operand(i))
            .say(" must fit that of ")
            .tensor(generated, result),
        (Logic::Slice, _) => words()
            .say(format!("a slice: the {kind} row of "))
            .tensor(generated, operand(0))
            .say(" without its first batch axis"),
        (_, Operand::Argument(i)) => {
            words().say(format!("the {kind} row of ")).tensor(generated, operand(i)).say(" is what its slot says")
        }
        (_, Operand::Result) => words().say(format!("the {kind} row of the result is what its slot says")),
    }
}
