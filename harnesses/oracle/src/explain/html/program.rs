//! The part of a page that tells of a program: why it does not fit, its source with shapes, what was assumed.

use super::{code, escaped, items};
use crate::explain::beside::steps;
use crate::explain::listing::Line;
use crate::explain::story::Story;
use crate::explain::why::{Claim, Said, Why};
use crate::infer::show::{Decided, Telling};

/// All of it: of a program that does not fit, the reasons first.
pub fn told(story: &Story) -> String {
    let why = story.why.as_ref().map(reasons).unwrap_or_default();
    let title = if story.why.is_some() { "What is known so far" } else { "The program and its shapes" };
    let source = source(title, &story.source);
    let decided = story.decided.as_ref().map(assumed).unwrap_or_default();
    why + &source + &decided
}

/// The lines with their shapes, under a title; nothing where there are none.
pub fn source(title: &str, lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let line = |line: &Line| {
        let fails = if line.fails { " class=\"fails\"" } else { "" };
        let mark = if line.fails { "<span class=\"bad\">here</span>" } else { "" };
        let beside = match line.beside() {
            beside if beside.is_empty() => beside,
            beside => format!("<span class=\"beside\">{}</span>", escaped(&beside)),
        };
        let (number, text) = (line.line, escaped(&line.text));
        format!("<li{fails}><span class=\"number\">{number}</span><code>{text}</code>{mark}{beside}</li>\n")
    };
    format!("<h2>{title}</h2>\n<ol class=\"source\">\n{}</ol>\n", lines.iter().map(line).collect::<String>())
}

fn said(said: &Said) -> String {
    let Said { line, text, words } = said;
    match (*line, text.as_str()) {
        (0, _) => escaped(words),
        (line, "") => format!("<span class=\"soft\">line {line}</span> {}", escaped(words)),
        (line, text) => format!("<span class=\"soft\">line {line}</span> {}: {}", code(text), escaped(words)),
    }
}

fn reasons(why: &Why) -> String {
    let two = why.claims.len() == 2;
    let mut html = String::new();
    if let Some(Said { line, text, .. }) = &why.place {
        let title = if two { "The two claims meet" } else { "It shows" };
        html.push_str(&format!("<h2>{title} in line {line}</h2>\n<p>{}</p>\n", code(text)));
    }
    html.push_str(&items(why.claims.iter().map(|claim| {
        let from = claim.said.as_ref().map(|it| format!(": {}", said(it))).unwrap_or_default();
        format!("<strong>{}</strong>{from}", escaped(&claim.value))
    })));
    for Claim { title, way, routine, .. } in why.claims.iter().filter(|claim| !claim.way.is_empty()) {
        let steps = steps(*routine).map(|steps| format!("<p class=\"soft\">{steps}</p>\n")).unwrap_or_default();
        let links: String = way.iter().map(|it| format!("<li>{}</li>", said(it))).collect();
        html.push_str(&format!("<h2>{}</h2>\n<ol>{links}</ol>\n{steps}", escaped(&capital(title))));
    }
    if !why.rests.is_empty() {
        html.push_str(&format!("<h2>What it rests on</h2>\n{}\n", items(why.rests.iter().map(said))));
    }
    if !why.assumed.is_empty() {
        html.push_str(&format!("<h2>Assumed before</h2>\n{}\n", items(why.assumed.iter().map(|it| escaped(it)))));
    }
    if !why.help.is_empty() {
        html.push_str(&format!("<h2>What to write</h2>\n{}\n", items(why.help.iter().map(|it| escaped(it)))));
    }
    html
}

/// With a capital letter, as titles on pages have.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn assumed(telling: &Telling) -> String {
    if telling.decided.is_empty() && telling.routine == 0 {
        return String::new();
    }
    let reason = |Decided { reason, values }: &Decided| {
        let values =
            values.iter().map(|(value, whom)| format!("<strong>{}</strong>: {}", escaped(value), escaped(whom)));
        format!("<p>{}</p>\n{}\n", escaped(reason), items(values))
    };
    let decided: String = telling.decided.iter().map(reason).collect();
    let rest = telling.rest().map(|rest| format!("<p class=\"soft\">{rest}, listed below with the calculus</p>\n"));
    format!("<h2>Assumed beyond what follows</h2>\n{decided}{}", rest.unwrap_or_default())
}
