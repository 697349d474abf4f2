//! The pages of documents: chapters with their statements, findings with their witnesses drawn.

use super::address::{self, Addresses, way};
use super::made::Made;
use super::markdown::{PLAIN, Reader};
use super::site::Page;
use super::statement;
use crate::explain;
use crate::explain::svg::escaped;
use crate::output::{Failure, Output};
use lozenge_spec::{CLAIMS, Claim, FINDINGS};
use std::cell::Cell;

/// The number that a heading begins with: `2.10 Proposition: …` has 2.10.
fn number(heading: &str) -> &str {
    heading.split([' ', ':']).next().unwrap_or_default()
}

/// The number that a statement has in its chapter: its own, or that of what it is a part of.
fn heading_of<'t>(claim: &Claim, text: &'t str) -> Option<&'t str> {
    let mut id = claim.id.as_str();
    loop {
        let head = |line: &&str| line.strip_prefix("### ").is_some_and(|heading| number(heading) == id);
        match (text.lines().find(head), id.rsplit_once('.')) {
            (Some(line), _) => return Some(line),
            (None, Some((whole, _))) => id = whole,
            (None, None) => return None,
        }
    }
}

/// The statement as the chapter has it, and where it stands there.
pub fn section(claim: &Claim, from: &str, made: &Made, addresses: &Addresses<'_>) -> Result<(String, String), Failure> {
    let text = made.checkout.needed(&claim.chapter)?;
    let chapter = way(from, &addresses.link(&claim.chapter, "").unwrap_or_else(|| address::page(&claim.chapter)));
    let Some(heading) = heading_of(claim, &text) else {
        return Ok((String::new(), chapter));
    };
    let rest = text.split_once(&format!("{heading}\n")).map_or("", |(_, rest)| rest);
    let ends = |line: &&str| ["# ", "## ", "### "].iter().any(|mark| line.starts_with(mark));
    let body: Vec<&str> = rest.lines().take_while(|line| !ends(line)).collect();
    let (link, code) = links(&claim.chapter, from, addresses);
    let own = |to: &str| if to.starts_with('#') { link(&format!("{}{to}", stem(&claim.chapter))) } else { link(to) };
    let html = Reader { link: &own, code: &code, ..PLAIN }.html(&body.join("\n"));
    let anchors = super::markdown::anchors(heading);
    let anchor = anchors.first().map_or("", String::as_str);
    let to = addresses.link(&claim.chapter, &format!("#{anchor}")).map_or(chapter, |to| way(from, &to));
    // Headings of the chapter are below those of the page, and have no address here.
    Ok((without_ids(&html), to))
}

/// The file itself, as a link from its own folder.
fn stem(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn without_ids(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("<h4 id=\"") {
        out.push_str(before);
        out.push_str("<h4>");
        rest = after.split_once("\">").map_or("", |(_, rest)| rest);
    }
    out + rest
}

type Resolve<'a> = Box<dyn Fn(&str) -> Option<String> + 'a>;

/// Where the links and the code of a document lead from a page.
fn links<'a>(document: &'a str, from: &'a str, addresses: &'a Addresses<'a>) -> (Resolve<'a>, Resolve<'a>) {
    let link = move |to: &str| addresses.link(document, to).map(|to| way(from, &to));
    let code = move |text: &str| addresses.code(document, text).map(|to| way(from, &to));
    (Box::new(link), Box::new(code))
}

/// The statements that a heading is about, each a link.
fn numbered(document: &str, heading: &str, from: &str) -> Option<String> {
    let number = number(heading);
    let here = CLAIMS.iter().filter(|claim| claim.chapter == document && claim.is_under(number));
    let said = here.map(|claim| format!("{} ({})", statement::link(claim, from), claim.status));
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| format!("<p class=\"soft evidence\">{}</p>\n", said.join(" · ")))
}

/// A witness, drawn. Names inside of it get a number, since a page may have several.
fn drawn(tag: &str, text: &str, number: usize, out: &Output) -> Option<String> {
    let (ending, html) = match tag {
        "constraints" => explain::drawn(text, false, out),
        "loz" => explain::drawn(text, true, out),
        _ => None,
    }?;
    let html = html.replace("id=\"", &format!("id=\"w{number}-"));
    let html = html.replace("href=\"#", &format!("href=\"#w{number}-")).replace("url(#", &format!("url(#w{number}-"));
    let open = if number == 1 { " open" } else { "" };
    Some(format!(
        "<details class=\"drawn\"{open}><summary>Drawn by explain: {ending}</summary>\n{}</details>\n",
        html.replace("<h3", "<h4").replace("</h3>", "</h4>").replace("<h2", "<h3").replace("</h2>", "</h3>")
    ))
}

/// The statements that a finding is about.
fn about(path: &str, from: &str) -> String {
    let parts: Vec<_> = FINDINGS.iter().filter(|finding| finding.page() == path).collect();
    let touched = CLAIMS.iter().filter(|claim| parts.iter().any(|part| claim.findings.contains(&part.id)));
    let touched: String = touched.map(|claim| format!("<li>{}</li>\n", statement::link(claim, from))).collect();
    let parts =
        parts.iter().map(|part| format!("<li>{} ({}): {}</li>\n", escaped(&part.id), part.kind, escaped(&part.title)));
    let parts: String = parts.collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(
            "<h2 id=\"in-the-index\">In the index</h2>\n<ul>\n{parts}</ul>\n\
             <h2 id=\"statements\">Statements it is about</h2>\n<ul>\n{touched}</ul>\n"
        ),
    }
}

/// The first heading of a document.
fn title(text: &str, path: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(path).replace('`', "")
}

/// A document.
pub fn page(path: &str, made: &Made, addresses: &Addresses<'_>, out: &Output) -> Result<Page, Failure> {
    let (text, to) = (made.checkout.needed(path)?, address::page(path));
    let (link, code) = links(path, &to, addresses);
    let witnesses = Cell::new(0);
    let block = |tag: &str, text: &str| {
        let number = witnesses.get() + 1;
        let drawn = path.starts_with("spec/findings/").then(|| drawn(tag, text, number, out)).flatten();
        drawn.inspect(|_| witnesses.set(number))
    };
    let heading = |heading: &str| numbered(path, heading, &to);
    let reader = Reader { link: &link, code: &code, block: &block, heading: &heading };
    let body = reader.html(&text) + &about(path, &to);
    Ok(Page { title: title(&text, path), body, path: address::page(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_in_their_chapters() {
        let text = "### 5.2.1 Definition: a\n### 5.2 Theorem: b\n### 5.2D Lemma: c\n";
        let claim = |id: &str| CLAIMS.iter().find(|claim| claim.id == id).expect("a claim");
        for (id, head) in [("5.2.1", "5.2.1 D"), ("5.2.a", "5.2 T"), ("5.2D", "5.2D L")] {
            assert!(heading_of(claim(id), text).is_some_and(|line| line[4..].starts_with(head)), "{id}");
        }
        assert_eq!(heading_of(claim("1.1"), text), None);
    }

    #[test]
    fn ids_of_headings_go() {
        assert_eq!(without_ids("a<h4 id=\"x\">b</h4>c<h4 id=\"y\">d"), "a<h4>b</h4>c<h4>d");
    }
}
