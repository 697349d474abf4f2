//! The code, the test or the theorem that a place names, as it stands in its file.

use super::made::Made;
use crate::checkout::defined;
use crate::explain::svg::escaped;
use lozenge_spec::Place;

/// The most lines of one.
const MOST: usize = 60;

/// Lines of a file with their numbers, each a link to itself on the page of the file.
pub fn of(made: &Made, place: &Place, page: &str) -> Option<String> {
    let text = made.text(place.path())?;
    let lines: Vec<&str> = text.lines().collect();
    let at = defined(&lines, place.symbol()?)?;
    let (start, end) = if place.path().ends_with(".v") { statement(&lines, at) } else { item(&lines, at) };
    let all = lines.get(start..end)?;
    let numbered = all.iter().take(MOST).enumerate().map(|(i, line)| {
        let number = start + i + 1;
        format!("<a href=\"{page}#L{number}\">{number:>4}</a>  {}\n", escaped(line))
    });
    let numbered: String = numbered.collect();
    let more = all.len().saturating_sub(MOST);
    let more = if more > 0 { format!("      … {more} lines more\n") } else { String::new() };
    Some(format!("<pre class=\"lines\"><code>{numbered}{more}</code></pre>\n"))
}

/// A statement of Coq with its comment, up to its point: the proof is not part of it.
fn statement(lines: &[&str], at: usize) -> (usize, usize) {
    let before = &lines[..at];
    let commented = before.last().is_some_and(|line| line.trim_end().ends_with("*)"));
    let start = before.iter().rposition(|line| line.trim_start().starts_with("(*")).filter(|_| commented);
    let ends = |line: &&str| line.trim_end().ends_with('.');
    let end = lines[at..].iter().position(ends).map_or(lines.len(), |end| at + end + 1);
    (start.unwrap_or(at), end)
}

/// An item of Rust, from its comments to where it ends: formatted code closes an item where it began.
fn item(lines: &[&str], at: usize) -> (usize, usize) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    // Comments, attributes and the contract.
    let marks = ["//", "#[", "requires", "ensures"];
    let belongs = |line: &&&str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    let before = lines[..at].iter().rev().take_while(belongs).count();
    let mut opened = false;
    for (i, line) in lines.iter().enumerate().skip(at) {
        let line = line.trim_end();
        let closes = line.trim_start().starts_with(['}', ')', ']']) && indent(line) == indent(lines[at]);
        let opens = line.ends_with(['{', '(', '[']);
        if (closes && !opens) || (!opened && line.ends_with([';', '}'])) {
            return (at - before, i + 1);
        }
        opened |= opens;
    }
    (at - before, lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_statements_end_where_they_end() {
        let rust =
            ["use a;", "/// Doc.", "#[test]", "pub fn f(", "    x: u8,", ") -> char {", "    '{'", "}", "fn g() {}"];
        assert_eq!(item(&rust, 3), (1, 8));
        assert_eq!(item(&rust, 8), (8, 9));
        assert_eq!(item(&["const A: [u8; 2] = [", "    1, 2,", "];", "x"], 0), (0, 3));
        assert_eq!(item(&["const A: u8 =", "    1;", "fn f() {}"], 0), (0, 2));
        assert_eq!(item(&["{", "/// Doc.", "ensures_run(r) p(r);", "fn f() {", "}"], 3), (1, 5));
        assert_eq!(item(&["struct A(u8);", "struct B;"], 0), (0, 1));
        assert_eq!(item(&["impl A {", "    fn f() {", "        g();", "    }", "", "}"], 1), (1, 4));
        let coq = ["(** 1.1.  Two", "    lines. *)", "Theorem t : forall x,", "  x = x.", "Proof."];
        assert_eq!(statement(&coq, 2), (0, 4));
        assert_eq!(statement(&["Qed.", "Theorem t : True."], 1), (1, 2));
    }
}
