//! Shapes and slots as they are written: where each row and each axis stands in the text.

use crate::shape::Kind;
use lozenge_notation::Span;

/// The rows of a shape or of a slot, by their places. A row that is not written has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    batch: Option<Span>,
    input: Option<Span>,
    output: Span,
    /// All of it.
    pub whole: Span,
}

impl Rows {
    /// Reads `batch | input -> output` in this part of a source.
    pub fn of(source: &str, whole: Span) -> Self {
        let mut rest = whole;
        let mut before = |mark: &str| {
            let at = rest.text(source).find(mark)?;
            let row = Span { start: rest.start, end: rest.start + at };
            rest.start = row.end + mark.len();
            Some(trimmed(source, row))
        };
        let (batch, input) = (before("|"), before("->"));
        Rows { batch, input, output: trimmed(source, rest), whole: trimmed(source, whole) }
    }

    /// The place of a row.
    pub fn get(&self, kind: Kind) -> Option<Span> {
        match kind {
            Kind::Batch => self.batch,
            Kind::Input => self.input,
            Kind::Output => Some(self.output),
        }
    }

    /// The text of a row; none where it is not written.
    pub fn text<'s>(&self, kind: Kind, source: &'s str) -> &'s str {
        self.get(kind).map_or("", |row| row.text(source))
    }

    /// The same with another row of one kind, as text.
    pub fn with(&self, kind: Kind, row: &str, source: &str) -> String {
        let of = |k: Kind| if k == kind { row } else { self.text(k, source) };
        shape([of(Kind::Batch), of(Kind::Input), of(Kind::Output)])
    }
}

/// Three rows as the text of a shape; rows that are empty are left out where they can be.
pub(crate) fn shape([batch, input, output]: [&str; 3]) -> String {
    let batch = if batch.is_empty() { String::new() } else { format!("{batch} | ") };
    let input = if input.is_empty() { String::new() } else { format!("{input} -> ") };
    let text = format!("{batch}{input}{output}");
    if text.is_empty() { "->".to_owned() } else { text.trim_end().to_owned() }
}

/// The shape behind the name in a declaration, in braces, or behind the numbers of a literal.
pub(crate) fn declared(source: &str, place: Span) -> Option<Rows> {
    let text = place.text(source);
    let numbers = if text.starts_with(['(', '[']) { text.rfind(']')? } else { 0 };
    let colon = numbers + text[numbers..].find(':')?;
    let named = text[numbers..colon].trim_start_matches('{').split_whitespace();
    if named.count() > 2 {
        return None;
    }
    let end = text[colon..].find(['=', '}', ')', '#', '\n']).map_or(text.len(), |end| colon + end);
    Some(Rows::of(source, Span { start: place.start + colon + 1, end: place.start + end }))
}

/// The axes of a row of a shape with their places, row variables among them.
pub(crate) fn axes(source: &str, row: Span) -> Vec<Span> {
    let mut found = Vec::new();
    let mut begin: Option<usize> = None;
    let text = row.text(source);
    for (at, c) in text.char_indices().chain([(text.len(), ',')]) {
        let between = c == ',' || c.is_whitespace();
        match (between, begin) {
            (true, Some(start)) => {
                found.push(Span { start: row.start + start, end: row.start + at });
                begin = None;
            }
            (false, None) => begin = Some(at),
            _ => {}
        }
    }
    found
}

/// The slots of a specification, the result's last, as they are written.
pub(crate) fn slots(source: &str, spec: Span) -> Vec<Rows> {
    let text = spec.text(source);
    let Some(arrow) = text.find("=>") else { return Vec::new() };
    let mut start = 0;
    let mut spans: Vec<Span> = Vec::new();
    for part in text[..arrow].split(';') {
        spans.push(Span { start: spec.start + start, end: spec.start + start + part.len() });
        start += part.len() + 1;
    }
    spans.push(Span { start: spec.start + arrow + 2, end: spec.end });
    spans.into_iter().map(|span| Rows::of(source, span)).collect()
}

/// Without the blanks around it.
pub(crate) fn trimmed(source: &str, span: Span) -> Span {
    let text = span.text(source);
    let start = span.start + (text.len() - text.trim_start().len());
    Span { start, end: start + text.trim().len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_axes_have_their_places() {
        let source = "param w: n, 3 | 20 -> 5 ... 7 = 0.5";
        let rows = declared(source, Span { start: 0, end: source.len() }).expect("a shape");
        assert_eq!(Kind::ALL.map(|kind| rows.text(kind, source)), ["n, 3", "20", "5 ... 7"]);
        let output = rows.get(Kind::Output).expect("a row");
        assert_eq!(axes(source, output).iter().map(|a| a.text(source)).collect::<Vec<_>>(), ["5", "...", "7"]);
        assert_eq!(rows.with(Kind::Input, "28, 28", source), "n, 3 | 28, 28 -> 5 ... 7");
        assert_eq!(shape(["", "", ""]), "->");
        let spec = "ij; j->k => ik";
        let found = slots(spec, Span { start: 0, end: spec.len() });
        assert_eq!(found.iter().map(|s| s.whole.text(spec)).collect::<Vec<_>>(), ["ij", "j->k", "ik"]);
        assert_eq!(found[1].text(Kind::Input, spec), "j");
    }
}
