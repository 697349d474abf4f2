//! Specifications that forget a row, have a label too few or too many, or the wrong one.

use super::scene::{About, Scene};
use super::{Edit, Fix, MOST_SPEC};
use crate::diagnostic::Code;
use crate::einsum::is_multi_character;
use crate::explain::InferError;
use crate::shape::Kind;
use crate::written::{Rows, slots};
use lozenge_notation::Span;
use std::collections::BTreeSet;

/// What a warning itself points at.
pub(super) const MEANT: u8 = 5;
/// Another label.
pub(super) const RENAMED: u8 = 44;

/// A specification as it is written, and what is wrong.
struct Written<'a> {
    source: &'a str,
    span: Span,
    multi: bool,
    slots: Vec<Rows>,
    wrong: Code,
}

pub(super) fn propose(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    let (wrong, labels) = match scene.about {
        // Where sizes do not work out, or an index is too large, labels are not to blame.
        About::Error(error) => (Code::from(error), !matches!(error, InferError::Size(_) | InferError::Index(_))),
        About::Warning(warning) => (Code::from(warning.code), true),
    };
    for span in scene.specs().into_iter().filter(|span| span.text(scene.source).len() <= MOST_SPEC) {
        let multi = is_multi_character(span.text(scene.source));
        let it = Written { source: scene.source, span, multi, slots: slots(scene.source, span), wrong };
        it.modes(out);
        if labels {
            it.ellipses(out);
            it.permuted(scene.clash().is_some_and(|clash| clash.label.is_some()), out);
            it.longer(out);
            it.shorter(out);
            it.renamed(out);
        }
    }
}

impl Written<'_> {
    /// The axes of a row, without its row variable.
    fn axes(&self, row: Span) -> Vec<Span> {
        let text = row.text(self.source);
        let mut found = Vec::new();
        let mut begin: Option<usize> = None;
        let mut push = |from: usize, to: usize| {
            let axis = &text[from..to];
            if !axis.trim().is_empty() {
                let start = from + (axis.len() - axis.trim_start().len());
                found.push(Span { start: row.start + start, end: row.start + start + axis.trim().len() });
            }
        };
        let mut skip = 0;
        for (at, c) in text.char_indices() {
            if at < skip {
                continue;
            }
            // A row variable, with its name.
            if text[at..].starts_with("..") {
                if let Some(start) = begin.take() {
                    push(start, at);
                }
                let rest = &text[at + 2..];
                let dots = if rest.starts_with('.') { 1 } else { rest.find("..").map_or(rest.len(), |end| end + 2) };
                skip = at + 2 + dots;
            } else if self.multi {
                match (c == ',', begin) {
                    (true, Some(start)) => {
                        push(start, at);
                        begin = None;
                    }
                    (false, None) => begin = Some(at),
                    _ => {}
                }
            } else {
                push(at, at + c.len_utf8());
            }
        }
        if let Some(start) = begin {
            push(start, text.len());
        }
        found
    }

    fn rows(&self) -> impl Iterator<Item = (usize, Kind, Span)> {
        let slots = self.slots.iter().enumerate();
        slots.flat_map(|(i, slot)| Kind::ALL.into_iter().filter_map(move |kind| Some((i, kind, slot.get(kind)?))))
    }

    /// The labels that are written alone, in order.
    fn labels(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let axes = self.rows().flat_map(|(_, _, row)| self.axes(row));
        let texts = axes.map(|axis| axis.text(self.source).to_owned());
        let labels = texts.filter(|text| text.starts_with(|c: char| c.is_ascii_alphabetic()));
        labels.filter(|label| label.chars().all(crate::lexer::in_name) && seen.insert(label.clone())).collect()
    }

    /// A slot, for messages.
    fn called(&self, slot: usize) -> String {
        if slot + 1 == self.slots.len() { "the result".to_owned() } else { format!("operand {}", slot + 1) }
    }

    /// `...` in front of a row.
    fn opened(&self, slot: usize, kind: Kind) -> Option<Edit> {
        let rows = self.slots.get(slot)?;
        let row = rows.text(kind, self.source);
        if row.contains("..") {
            return None;
        }
        let open = if row.is_empty() { "...".to_owned() } else { format!("... {row}") };
        let has = |k: Kind| rows.get(k).is_some();
        let of = |k: Kind| if k == kind { open.as_str() } else { rows.text(k, self.source) };
        let batch =
            if has(Kind::Batch) || kind == Kind::Batch { format!("{}|", of(Kind::Batch)) } else { String::new() };
        let input =
            if has(Kind::Input) || kind == Kind::Input { format!("{}->", of(Kind::Input)) } else { String::new() };
        let around =
            |text: String, mark: &str| if text.is_empty() { text } else { text.replace(mark, &format!(" {mark} ")) };
        let text = format!("{}{}{}", around(batch, "|"), around(input, "->"), of(Kind::Output));
        Some(Edit { span: rows.whole, text: text.trim().to_owned() })
    }

    /// A row that lets further axes through, in every slot, or in one operand and the result.
    fn ellipses(&self, out: &mut Vec<(u8, Fix)>) {
        let last = self.slots.len().saturating_sub(1);
        for kind in Kind::ALL {
            let missing = (0..self.slots.len()).any(|i| self.slots[i].text(kind, self.source).is_empty());
            // A batch row is forgotten more often than any other.
            let forgotten = kind == Kind::Batch && self.wrong == Code::Axes;
            let rank = if forgotten {
                13
            } else if missing {
                32
            } else {
                38
            };
            let says = format!("let further {kind} axes through");
            let all: Vec<Edit> = (0..=last).filter_map(|i| self.opened(i, kind)).collect();
            out.push((rank, Fix::new(says.clone(), all)));
            for i in 0..last {
                let edits: Vec<Edit> = [i, last].into_iter().filter_map(|i| self.opened(i, kind)).collect();
                out.push((rank + 1, Fix::new(says.clone(), edits)));
                out.push((rank + 2, Fix::new(says.clone(), self.opened(i, kind).into_iter().collect())));
            }
        }
    }

    /// Two axes of a row in the other order.
    fn permuted(&self, labelled: bool, out: &mut Vec<(u8, Fix)>) {
        let rows: Vec<_> = self.rows().collect();
        // What comes later is made to fit what comes first.
        for (i, _, row) in rows.into_iter().rev() {
            let axes = self.axes(row);
            for (n, one) in axes.iter().enumerate() {
                for other in &axes[n + 1..] {
                    let (a, b) = (one.text(self.source), other.text(self.source));
                    let says = format!("exchange `{a}` and `{b}` in {}", self.called(i));
                    let edits =
                        vec![Edit { span: *one, text: b.to_owned() }, Edit { span: *other, text: a.to_owned() }];
                    out.push((if labelled { 9 } else { 17 }, Fix::new(says, edits)));
                }
            }
        }
    }

    /// One label more: one of the others, or a new one.
    fn longer(&self, out: &mut Vec<(u8, Fix)>) {
        let labels = self.labels();
        let new = if self.multi { ["other", "rest", "more"] } else { ["w", "z", "n"] };
        let new = new.into_iter().find(|name| !labels.iter().any(|label| label == name));
        for (i, kind, row) in self.rows() {
            let axes = self.axes(row);
            let here: BTreeSet<&str> = axes.iter().map(|axis| axis.text(self.source)).collect();
            let others = labels.iter().map(String::as_str).filter(|label| !here.contains(label));
            for (label, rank) in others.map(|label| (label, 35)).chain(new.map(|label| (label, 36))) {
                let says = format!("the {kind} row of {} has one axis more: name it", self.called(i));
                for axis in &axes {
                    let before = if self.multi { format!("{label}, ") } else { label.to_owned() };
                    let after = if self.multi { format!(", {label}") } else { label.to_owned() };
                    let place = |at: usize| Span { start: at, end: at };
                    out.push((rank, Fix::one(says.clone(), place(axis.end), after)));
                    out.push((rank, Fix::one(says.clone(), place(axis.start), before)));
                }
            }
        }
    }

    /// One axis less.
    fn shorter(&self, out: &mut Vec<(u8, Fix)>) {
        for (i, kind, row) in self.rows() {
            let axes = self.axes(row);
            for (n, axis) in axes.iter().enumerate() {
                let says = format!("leave `{}` out of the {kind} row of {}", axis.text(self.source), self.called(i));
                // With the comma, or the blank, on one of its sides.
                let (start, end) = match (n.checked_sub(1).and_then(|n| axes.get(n)), axes.get(n + 1)) {
                    (_, Some(next)) => (axis.start, next.start),
                    (Some(before), None) => (before.end, axis.end),
                    (None, None) => (axis.start, axis.end),
                };
                let stretched = self.wrong == Code::BothStretched && axis.text(self.source) == "0";
                out.push((if stretched { MEANT } else { 40 }, Fix::one(says, Span { start, end }, "")));
            }
        }
    }

    /// Another label.
    fn renamed(&self, out: &mut Vec<(u8, Fix)>) {
        let labels = self.labels();
        let last = self.slots.len().saturating_sub(1);
        let axes = self.rows().flat_map(|(_, _, row)| self.axes(row));
        let all: Vec<&str> = axes.map(|axis| axis.text(self.source)).collect();
        let once = |label: &str| all.iter().filter(|text| **text == label).count() == 1;
        for (i, _, row) in self.rows() {
            for axis in self.axes(row) {
                let text = axis.text(self.source);
                for label in labels.iter().filter(|label| *label != text && labels.iter().any(|l| l == text)) {
                    let says = format!("take `{label}` for `{text}` in {}", self.called(i));
                    // What only the result has, for what only an operand has.
                    let meant = self.wrong == Code::ResultOnlyLabel && i == last && once(text);
                    let rank = match meant {
                        true if once(label) => MEANT,
                        true => MEANT + 1,
                        false => RENAMED,
                    };
                    out.push((rank, Fix::one(says, axis, label.clone())));
                }
            }
        }
    }

    /// Padded for valid, and the reverse.
    fn modes(&self, out: &mut Vec<(u8, Fix)>) {
        let text = self.span.text(self.source);
        for (mark, instead, says) in [
            ("<+", "=+", "`=+` pads, so that the kernel takes nothing from the size"),
            ("=+", "<+", "`<+` does not pad"),
        ] {
            let places = text.match_indices(mark).map(|(at, _)| self.span.start + at);
            let edits: Vec<Edit> =
                places.map(|at| Edit { span: Span { start: at, end: at + 2 }, text: instead.to_owned() }).collect();
            out.push((46, Fix::new(says, edits)));
        }
    }
}
