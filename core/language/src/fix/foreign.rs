//! What people write who come from NumPy, einops or PyTorch, and slips of notation: the same in this language.

mod library;

use super::later::statement;
use super::scene::{About, Scene};
use super::{Fix, MOST_STATEMENT};
use crate::error::{ProgramError, ProgramProblem};
use crate::explain::InferError;
use crate::lexer::{in_name, is_identifier};
use crate::shape::Kind;
use crate::written::{Rows, shape};
use library::{library, methods, prefixes};
use lozenge_notation::Span;

/// The statement that an error is in.
struct Line<'a> {
    source: &'a str,
    /// All lines of it.
    span: Span,
    error: &'a ProgramError,
}

pub(super) fn propose(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    let About::Error(InferError::Program(error)) = scene.about else { return };
    let line = Line { source: scene.source, span: statement(scene.source, error.span.start), error };
    if line.text().len() > MOST_STATEMENT {
        return;
    }
    for rule in [
        tensors,
        einsum,
        products,
        prefixes,
        methods,
        library,
        applications,
        commas,
        operators,
        specifications,
        shapes,
        literals,
    ] {
        rule(&line, &mut |fix| out.push((1, fix)));
    }
}

/// A call in a text: the name, where it begins, its arguments, and where it ends.
struct Call<'a> {
    name: &'a str,
    span: Span,
    args: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn text(&self) -> &'a str {
        self.span.text(self.source)
    }

    fn at(&self, start: usize, end: usize) -> Span {
        Span { start, end }.shifted(self.span.start)
    }

    /// Every `name(…)` in the statement; a name may have points in it.
    fn calls(&self) -> Vec<Call<'a>> {
        let text = self.text();
        let brackets = text.char_indices().filter(|(_, c)| *c == '(');
        let call = |(open, _): (usize, char)| {
            let before = &text[..open];
            let start = behind(before, |c| !in_name(c) && c != '.');
            let name = &before[start..];
            let close = closing(text, open)?;
            let args = arguments(&text[open + 1..close]);
            (!name.is_empty()).then(|| Call { name, span: self.at(start, close + 1), args })
        };
        brackets.filter_map(call).collect()
    }
}

/// Where what stands behind the last such character begins.
fn behind(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.char_indices().rev().find(|(_, c)| is(*c)).map_or(0, |(at, c)| at + c.len_utf8())
}

/// The bracket that closes the one at this place.
fn closing(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, c) in text[open..].char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(open + at);
                }
            }
            _ => {}
        }
    }
    None
}

/// What stands between commas that are in no brackets and in no quotes.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start, mut found) = (0_usize, false, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        found.push(text[start..].trim());
    }
    found
}

/// The last part of a name with points: `np.exp` is `exp`.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// An operand that stands alone needs no brackets.
fn operand(text: &str) -> String {
    let bracketed = text.starts_with('(') && closing(text, 0) == Some(text.len() - 1);
    let alone = text.chars().all(|c| in_name(c) || c == '.') || bracketed;
    if alone { text.to_owned() } else { format!("({text})") }
}

/// NumPy's specification in our notation.
fn translated(spec: &str) -> String {
    let spec = spec.trim_matches('"');
    if spec.contains("=>") {
        return spec.to_owned();
    }
    let (operands, result) = spec.split_once("->").unwrap_or((spec, ""));
    let operands: Vec<&str> = operands.split([',', ';']).map(str::trim).collect();
    format!("{} => {}", operands.join("; "), result.trim())
}

/// `y = x + 1`: without `let` this defines a size.
fn tensors(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let is_size = |(name, rest): (&str, &str)| is_identifier(name.trim_end()) && !rest.starts_with('=');
    if line.text().split_once('=').is_some_and(is_size) {
        push(Fix::one("tensors are defined with `let`", line.at(0, 0), "let "));
    }
}

/// `einsum("ij,jk->ik", a, b)`.
fn einsum(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    for call in line.calls().iter().filter(|call| last(call.name) == "einsum") {
        let [spec, operands @ ..] = call.args.as_slice() else { continue };
        let spec = translated(spec);
        let operands: Vec<String> = operands.iter().map(|it| operand(it)).collect();
        let text = match operands.as_slice() {
            [a] => format!("{a} ++ \"{spec}\""),
            [a, b] => format!("{a} +* \"{spec}\" {b}"),
            all => format!("({}) +* \"{spec}\"", all.join(", ")),
        };
        push(Fix::one("a specification stands between its operands, as in `a +* \"ij; jk => ik\" b`", call.span, text));
    }
}

/// `np.matmul(a, b)` and its kin.
fn products(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let names = ["matmul", "dot", "mm", "bmm", "mul", "multiply", "add", "sub", "subtract", "div", "divide"];
    for call in line.calls().iter().filter(|call| names.contains(&last(call.name))) {
        let [a, b] = call.args.as_slice() else { continue };
        let sign = match last(call.name) {
            "matmul" | "dot" | "mm" | "bmm" => "*",
            "mul" | "multiply" => "*.",
            "add" => "+",
            "sub" | "subtract" => "-",
            _ => "/.",
        };
        let says = format!("`{}` is written `{sign}`", call.name);
        push(Fix::one(says, call.span, format!("({} {sign} {})", operand(a), operand(b))));
    }
}

/// `layer x` for `layer(x)`, and `relu(a, b)`, which takes one.
fn applications(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let text = line.text();
    let at = line.error.span.start.saturating_sub(line.span.start).min(text.len());
    for start in [at, behind(text[..at].trim_end(), |c| !in_name(c))] {
        let Some(rest) = text.get(start..) else { continue };
        let head: String = rest.chars().take_while(|c| in_name(*c)).collect();
        let (before, function, args) = if rest.starts_with(|c: char| c.is_ascii_alphabetic()) && start < at {
            (start, head.clone(), &rest[head.len()..])
        } else {
            let name_end = text[..start].trim_end().len();
            let name = behind(&text[..name_end], |c| !in_name(c));
            (name, text[name..name_end].to_owned(), rest)
        };
        if function.is_empty() {
            continue;
        }
        let Some((operands, end)) = juxtaposed(args) else { continue };
        let end = text.len() - args.len() + end;
        let text = format!("{function}({})", operands.join(", "));
        push(Fix::one("a function is applied with brackets", line.at(before, end), text));
    }
    for call in line.calls().iter().filter(|call| call.args.len() > 1) {
        let inside = call.args.join(" + ");
        let says = format!("`{}` takes one operand", call.name);
        push(Fix::one(says, call.span, format!("{} ({inside})", call.name)));
    }
}

/// Operands that stand beside each other, and where the last ends.
fn juxtaposed(text: &str) -> Option<(Vec<String>, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start_matches(' ').len();
        let rest = rest.trim_start_matches(' ');
        let end = match rest.chars().next() {
            Some('(' | '[' | '{') => closing(rest, 0)? + 1,
            Some(c) if in_name(c) => rest.find(|c: char| !in_name(c) && c != '.').unwrap_or(rest.len()),
            Some('-') if rest[1..].starts_with(|c: char| c.is_ascii_digit()) && !found.is_empty() => {
                rest[1..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |end| end + 1)
            }
            _ => break,
        };
        let word = &rest[..end];
        let bracketed = word.starts_with('(');
        found.push(if bracketed { word[1..end - 1].to_owned() } else { word.to_owned() });
        at += blank + end;
    }
    (!found.is_empty()).then_some((found, at))
}

/// `where c a -1`: the operands of a built-in function in brackets, with commas.
fn commas(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let text = line.text();
    for function in ["where", "fma", "max", "min", "mul3"] {
        for (at, _) in text.match_indices(function) {
            let alone = !text[..at].ends_with(in_name) && !text[at + function.len()..].starts_with(in_name);
            let args = &text[at + function.len()..];
            let Some((operands, end)) = juxtaposed(args).filter(|_| alone) else { continue };
            let end = at + function.len() + end;
            let fixed = format!("{function}({})", operands.join(", "));
            push(Fix::one("put the operands in brackets, with commas", line.at(at, end), fixed));
        }
    }
}

/// `/` for `/.`, and the other operators of assignments.
fn operators(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let (op, instead) = match &line.error.problem {
        ProgramProblem::Primitive { op, instead } => (*op, *instead),
        ProgramProblem::BareStar => ("*", "*."),
        _ => return,
    };
    let here = line.error.span;
    for (at, _) in here.text(line.source).match_indices(&format!(" {op} ")) {
        let span = Span { start: here.start + at + 1, end: here.start + at + 1 + op.len() };
        push(Fix::one(format!("between tensors write `{instead}`"), span, instead));
    }
}

/// Specifications with brackets, with `->` for `=>`, with `,` between operands, or without a comma that they need.
fn specifications(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let text = line.text();
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    for pair in quotes.chunks_exact(2) {
        let [open, close] = [pair[0] + 1, pair[1]];
        let spec = &text[open..close];
        let span = line.at(open, close);
        if spec.contains('(') {
            let says = "axes are not merged: each keeps its own place";
            push(Fix::one(says, span, spec.replace(['(', ')'], "")));
            push(Fix::one(says, span, spec.replace(['(', ')'], "").replace("  ", " ").replace(' ', ", ")));
        }
        if let Some((operands, result)) = spec.rsplit_once("->").filter(|_| !spec.contains("=>")) {
            let says = "`=>` stands before the result, and `;` between operands";
            push(Fix::one(says, span, format!("{}=>{result}", operands)));
            push(Fix::one(says, span, translated(spec)));
        }
        if let Some((operands, result)) = spec.split_once("=>") {
            let says = "`;` stands between operands";
            push(Fix::one(says, span, format!("{}=>{result}", operands.replacen(',', ";", 1))));
            push(Fix::one(says, span, format!("{}=>{result}", operands.replace(',', ";"))));
        }
        let here = line.error.span.start;
        if span.start < here && here <= span.end {
            let gap = Span { start: here, end: here };
            push(Fix::one("axes are separated by `,`", gap, ", "));
        }
    }
}

/// `input x: (32, 10)`, `input x: [32, 10]`.
fn shapes(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let text = line.text();
    let Some(colon) = text.find(':') else { return };
    let rest = text[colon + 1..].trim_start();
    let start = text.len() - rest.len();
    if let Some(close) = closing(text, start).filter(|_| rest.starts_with(['(', '['])) {
        let inside = text[start + 1..close].trim().trim_end_matches(',').to_owned();
        push(Fix::one("a shape has no brackets", line.at(start, close + 1), inside));
    }
}

/// Written numbers whose shape has its rows the other way round, or sizes that are not theirs.
fn literals(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let wrong = matches!(
        line.error.problem,
        ProgramProblem::LiteralAxes { .. } | ProgramProblem::LiteralSize { .. } | ProgramProblem::LiteralRow(_)
    );
    if !wrong {
        return;
    }
    let rows = Rows::of(line.source, line.error.span);
    let [batch, input, output] = Kind::ALL.map(|kind| rows.text(kind, line.source));
    let says = "lists are inside each other in the order batch, output, input";
    push(Fix::one(says, rows.whole, shape([batch, output, input])));
    push(Fix::one(says, rows.whole, shape([output, input, batch])));
    for most in 1..=4 {
        push(Fix::one(says, rows.whole, ["?"].repeat(most).join(", ")));
    }
}
