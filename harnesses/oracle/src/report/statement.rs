//! The pages of statements, and the list of them.

use super::address::{self, Addresses, way};
use super::document;
use super::excerpt;
use super::made::Made;
use super::site::Page;
use crate::checkout::commands;
use crate::explain::html::code;
use crate::explain::svg::escaped;
use crate::output::Failure;
use lozenge_spec::{CLAIMS, Claim, FINDINGS, Finding, Place, Status, kani};

/// A status in its colour.
fn status(status: Status) -> String {
    let class = match status {
        Status::Proved | Status::Complete => "good",
        Status::Refuted => "bad",
        Status::Bounded | Status::Tested | Status::Open | Status::Defined | Status::NotYet => "plain",
    };
    format!("<span class=\"{class}\">{status}</span>")
}

/// A statement as a link on another page.
pub fn link(claim: &Claim, from: &str) -> String {
    let to = way(from, &address::statement(&claim.id));
    format!("<a href=\"{to}\">{} {}</a>", escaped(&claim.id), escaped(&claim.title))
}

fn finding_link(finding: &Finding, from: &str) -> String {
    let to = way(from, &address::page(&finding.page()));
    format!("<a href=\"{to}\">{}</a>", escaped(&finding.id))
}

fn findings(claim: &Claim) -> impl Iterator<Item = &'static Finding> {
    claim.findings.iter().filter_map(|id| lozenge_spec::finding(id))
}

/// Every statement, one a line.
pub fn index(made: &Made) -> Page {
    let path = "index.html";
    let row = |claim: &Claim| {
        let printed = claim.printed_status.map_or_else(|| "–".to_owned(), status);
        let findings: Vec<String> = findings(claim).map(|it| finding_link(it, path)).collect();
        format!(
            "<tr><td>{}</td><td>{}</td><td>{printed}</td><td>{}</td><td>{}</td></tr>\n",
            link(claim, path),
            escaped(&claim.kind),
            status(claim.status),
            findings.join(", ")
        )
    };
    let rows: String = CLAIMS.iter().map(row).collect();
    let tools: Vec<String> = made.tools.iter().map(|(name, it)| escaped(format!("{name} {it}").trim())).collect();
    let body = format!(
        "<h1>Lozenge: the statements and what stands behind them</h1>\n\
         <p>Each of the {} numbered statements has a page: what the paper prints, what holds, the code that carries it out, \
         the theorem that proves it, and the harnesses and tests that run it. <a href=\"spec/findings/README.html\">{} \
         findings</a> say where the two differ. The <a href=\"spec/README.html\">specification</a> is all of it in order; \
         <a href=\"figures.html\">figures</a> are counted from the same files.</p>\n\
         <p class=\"soft\">Made from {}, with {}.</p>\n\
         <div class=\"wide\"><table><thead><tr><th>statement</th><th>kind</th><th>as printed</th><th>what holds</th>\
         <th>findings</th></tr></thead><tbody>\n{rows}</tbody></table></div>\n",
        CLAIMS.len(),
        FINDINGS.len(),
        escaped(&made.said()),
        tools.join(", ")
    );
    Page { path: path.to_owned(), title: "Statements".to_owned(), body }
}

/// One section of a page, unless it is empty.
fn section(id: &str, title: &str, parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!("<h2 id=\"{id}\">{title}</h2>\n{}", parts.concat()) }
}

/// What makes the page of one statement.
struct Writer<'a> {
    claim: &'a Claim,
    path: String,
    made: &'a Made,
    addresses: &'a Addresses<'a>,
}

impl Writer<'_> {
    /// A place: a link to its line, what was said about it, its excerpt.
    fn place(&self, place: &Place, said: &str, run: bool) -> String {
        let name = match self.addresses.place(place) {
            Some(to) => format!("<a href=\"{}\">{}</a>", way(&self.path, &to), code(&place.0)),
            None => code(&place.0),
        };
        let page = way(&self.path, &address::page(place.path()));
        let lines = excerpt::of(self.made, place, &page).unwrap_or_default();
        let command = if run { commands(std::iter::once(place)) } else { Vec::new() };
        let command = command.iter().map(|it| format!("<p>Run it: {}</p>\n", code(it)));
        format!("<h3>{name}</h3>\n{said}{}{lines}", command.collect::<String>())
    }

    fn places(&self, places: &[Place], run: bool) -> Vec<String> {
        places.iter().map(|place| self.place(place, "", run)).collect()
    }

    fn harnesses(&self) -> Vec<String> {
        let one = |it: &lozenge_spec::Harness| {
            self.place(&it.test, &format!("<p>{} cases: {}</p>\n", it.cases, escaped(&it.domain)), true)
        };
        self.claim.harness.iter().map(one).collect()
    }

    /// All theorems are checked by one command.
    fn proofs(&self) -> Vec<String> {
        let run = commands(self.claim.proof.iter()).into_iter().map(|it| format!("<p>Check it: {}</p>\n", code(&it)));
        run.chain(self.places(&self.claim.proof, false)).collect()
    }

    fn kani(&self) -> Vec<String> {
        let one = |law: &kani::Law| {
            let seen = law.proofs.iter().filter(|proof| proof.seen);
            let shapes: Vec<String> = seen.map(|proof| escaped(&proof.shape)).collect();
            format!(
                "<h3>{}</h3>\n<p>{} of {} proofs seen with {}: {}</p>\n<p>Run it: {}</p>\n",
                code(&law.law),
                law.seen(),
                law.proofs.len(),
                escaped(&kani::KANI.version),
                shapes.join("; "),
                code(&format!("harnesses/statements/prove {}", law.group))
            )
        };
        kani::about(&self.claim.id).map(one).collect()
    }

    /// As printed, and what holds.
    fn both(&self) -> String {
        let claim = self.claim;
        let printed = match (&claim.printed, claim.printed_status) {
            (Some(text), Some(it)) => {
                format!("<h2 id=\"printed\">As printed: {}</h2>\n<p>{}</p>\n", status(it), escaped(text))
            }
            _ => "<p class=\"soft\">A statement of this project; the paper does not have it.</p>\n".to_owned(),
        };
        let said = [("Caveats of the paper", &claim.caveats), ("How it is read", &claim.reading)];
        let said =
            said.iter().filter_map(|(name, text)| Some(format!("<p><b>{name}.</b> {}</p>\n", escaped(text.as_ref()?))));
        let same = claim.printed.as_ref() == Some(&claim.holds);
        let holds = if same { "The same.".to_owned() } else { escaped(&claim.holds) };
        let because = claim.because.iter().map(|path| {
            let to = self.addresses.link("", path).map(|to| way(&self.path, &to));
            let path = to.map_or_else(|| escaped(path), |to| format!("<a href=\"{to}\">{}</a>", escaped(path)));
            format!("<p>Why these cases are all that matter: {path}</p>\n")
        });
        format!(
            "{printed}{}<h2 id=\"holds\">What holds: {}</h2>\n<p>{holds}</p>\n{}",
            said.collect::<String>(),
            status(claim.status),
            because.collect::<String>()
        )
    }

    fn body(&self) -> Result<String, Failure> {
        let claim = self.claim;
        let about = findings(claim)
            .map(|it| format!("<p>{} ({}): {}</p>\n", finding_link(it, &self.path), it.kind, escaped(&it.title)));
        let (words, to) = document::section(claim, &self.path, self.made, self.addresses)?;
        let parts = [
            ("findings", "Findings", about.collect()),
            ("code", "Code", self.places(&claim.code, false)),
            ("proof", "Proof", self.proofs()),
            ("harness", "Harnesses", self.harnesses()),
            ("tests", "Tests", self.places(&claim.tests, true)),
            ("kani", "Model checking", self.kani()),
        ];
        let there = parts.iter().filter(|(_, _, parts)| !parts.is_empty());
        let jumps: Vec<String> = there.map(|(id, title, _)| format!("<a href=\"#{id}\">{title}</a>")).collect();
        let sections: String = parts.iter().map(|(id, title, parts)| section(id, title, parts)).collect();
        Ok(format!(
            "<h1>{} {}</h1>\n<p class=\"soft\">A {} of <a href=\"{to}\">{}</a>. {}</p>\n{}\
             <section class=\"words\" id=\"words\">\n<h2>In our words</h2>\n{words}</section>\n{sections}",
            escaped(&claim.id),
            escaped(&claim.title),
            escaped(&claim.kind),
            escaped(&claim.chapter),
            jumps.join(" · "),
            self.both(),
        ))
    }
}

/// A statement with all that belongs to it.
pub fn page(claim: &Claim, made: &Made, addresses: &Addresses<'_>) -> Result<Page, Failure> {
    let writer = Writer { claim, path: address::statement(&claim.id), made, addresses };
    let body = writer.body()?;
    Ok(Page { path: writer.path, title: format!("{} {}", claim.id, claim.title), body })
}
