//! The page of a file: its lines, and the statements that are about it.

use super::address::{self, way};
use super::made::Made;
use super::site::{Page, places};
use crate::explain::svg::escaped;
use crate::output::Failure;
use lozenge_spec::{CLAIMS, Claim, Place};

/// What a place is to a statement.
fn part(claim: &Claim, place: &Place) -> &'static str {
    let is = |places: &[Place]| places.contains(place);
    match () {
        () if is(&claim.code) => "code",
        () if is(&claim.proof) => "proof",
        () if is(&claim.tests) => "test",
        () => "harness",
    }
}

/// The statements about a file, each with what of it they name.
fn about(path: &str, page: &str, made: &Made) -> String {
    let mut rows = String::new();
    for claim in CLAIMS.iter() {
        let mut said = "";
        let named = places(claim).filter(|place| place.path() == path).map(|place| {
            let symbol = escaped(place.symbol().unwrap_or_default());
            let symbol = match made.checkout.line(place) {
                Some(line) => format!("<a href=\"#L{line}\"><code>{symbol}</code></a>"),
                None => format!("<code>{symbol}</code>"),
            };
            // What several are in a row is said once.
            let part = part(claim, place);
            let word = if part == said { String::new() } else { format!("{part} ") };
            said = part;
            word + &symbol
        });
        let named: Vec<String> = named.collect();
        if !named.is_empty() {
            let to = way(page, &address::statement(&claim.id));
            let (id, title, named) = (escaped(&claim.id), escaped(&claim.title), named.join(", "));
            rows.push_str(&format!("<li><a href=\"{to}\">{id} {title}</a>: {named}</li>\n"));
        }
    }
    match rows.is_empty() {
        true => "<p class=\"soft\">The documents lead here; no numbered statement is about it.</p>\n".to_owned(),
        false => format!("<h2 id=\"statements\">Statements about it</h2>\n<ul>\n{rows}</ul>\n"),
    }
}

/// All of a file.
pub fn page(path: &str, made: &Made) -> Result<Page, Failure> {
    let (text, to) = (made.checkout.needed(path)?, address::page(path));
    let numbered = text.lines().enumerate().map(|(i, line)| {
        let number = i + 1;
        format!("<a id=\"L{number}\" href=\"#L{number}\">{number:>4}</a>  {}\n", escaped(line))
    });
    let body = format!(
        "<h1><code>{}</code></h1>\n{}<pre class=\"lines\"><code>{}</code></pre>\n",
        escaped(path),
        about(path, &to, made),
        numbered.collect::<String>()
    );
    Ok(Page { path: to, title: path.to_owned(), body })
}
