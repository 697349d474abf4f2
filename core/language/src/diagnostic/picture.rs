//! The lines that a diagnostic is about, with marks under its places.

use super::Label;
use lozenge_notation::text::{left, right};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most of a line that is shown around a place.
const AROUND: usize = 60;

/// A line with its marks: column, width, and text, all in characters; is it the first place?
struct Marked<'s> {
    line: &'s str,
    marks: Vec<(usize, usize, &'s str, bool)>,
}

/// Where it is, then every line that has a place, in order.
pub(super) fn draw(labels: &[Label], file: Option<&str>, source: &str) -> String {
    let Some(first) = labels.first() else {
        return file.map_or_else(String::new, |file| format!("  --> {file}\n"));
    };
    let (line, column) = first.span.position(source);
    let lines = marked(labels, source);
    let gutter = lines.keys().next_back().map_or(1, |last| last.to_string().len());
    let blank = " ".repeat(gutter);
    let name = file.map_or_else(String::new, |file| format!("{file}:"));
    let mut out = format!("{blank}--> {name}{line}:{column}\n{blank} |\n");
    let mut before: Option<usize> = None;
    for (number, Marked { line, marks }) in &lines {
        if before.is_some_and(|before| before + 1 < *number) {
            out += "...\n";
        }
        before = Some(*number);
        // A long line is cut to the neighbourhood of its first place.
        let start = marks.first().map_or(0, |mark| mark.0.saturating_sub(AROUND));
        let shown: String = line.chars().skip(start).take(3 * AROUND).collect();
        let cut = if start > 0 { "…" } else { "" };
        let _ = writeln!(out, "{} | {cut}{shown}", right(&number.to_string(), gutter));
        for (column, width, text, is_first) in marks {
            let mark = if *is_first { "^" } else { "-" };
            let indent = column - start + usize::from(start > 0);
            let line = format!("{blank} | {}{} {text}", left("", indent), mark.repeat((*width).clamp(1, 2 * AROUND)));
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

fn marked<'s>(labels: &'s [Label], source: &'s str) -> BTreeMap<usize, Marked<'s>> {
    let mut found: BTreeMap<usize, Marked<'s>> = BTreeMap::new();
    for (i, Label { span, text }) in labels.iter().enumerate() {
        let (number, column) = span.position(source);
        let line = source.lines().nth(number - 1).unwrap_or("");
        // A place that goes on in the next line is marked to the end of its first.
        let width = span.text(source).lines().next().unwrap_or("").chars().count();
        let marked = found.entry(number).or_insert(Marked { line, marks: Vec::new() });
        marked.marks.push((column - 1, width, text, i == 0));
    }
    found.values_mut().for_each(|it| it.marks.sort_by_key(|mark| mark.0));
    found
}
