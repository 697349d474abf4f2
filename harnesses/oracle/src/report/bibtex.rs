//! Entries of a bibliography for this artifact and for the paper, from CITATION.cff.

use super::cff::{self, Value};
use super::latex::escaped;
use crate::checkout::Checkout;
use crate::output::Failure;
use serde::Serialize;
use std::collections::BTreeSet;

/// An entry: its fields are texts as they are read, not yet escaped.
#[derive(Serialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: &'static str,
    key: String,
    fields: Vec<(&'static str, String)>,
}

/// The entries, the artifact's first.
#[derive(Serialize)]
pub struct Entries {
    entries: Vec<Entry>,
}

/// Which type of entry a work is.
fn kind(work: &Value) -> &'static str {
    match work.text("type") {
        Some("software" | "software-code") => "software",
        Some("article") => "article",
        Some("book") => "book",
        Some("conference-paper" | "proceedings") => "inproceedings",
        Some("report") => "techreport",
        Some("thesis") => "phdthesis",
        Some("unpublished") => "unpublished",
        None | Some(_) => "misc",
    }
}

/// A person, or an organisation, which is not taken apart.
fn author(of: &Value) -> Option<String> {
    let part = |name: &str| of.text(name).filter(|text| !text.is_empty());
    match (part("family-names"), part("given-names"), part("name")) {
        (Some(family), Some(given), _) => Some(format!("{family}, {given}")),
        (Some(one), None, _) | (None, Some(one), _) => Some(one.to_owned()),
        (None, None, Some(name)) => Some(format!("{{{name}}}")),
        (None, None, None) => None,
    }
}

/// The first word of a title that says something, and the year.
fn key(title: &str, year: Option<&str>, taken: &mut BTreeSet<String>) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_lowercase);
    let word = words.into_iter().find(|word| word.len() > 3).unwrap_or_else(|| "work".to_owned());
    let base = format!("{word}{}", year.unwrap_or_default());
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    let key = std::iter::once(base.clone()).chain(numbered).find(|key| !taken.contains(key)).unwrap_or(base);
    taken.insert(key.clone());
    key
}

impl Entry {
    fn of(work: &Value, taken: &mut BTreeSet<String>) -> Option<Self> {
        let title = work.text("title")?;
        let text = |name: &str| work.text(name).filter(|text| !text.is_empty()).map(str::to_owned);
        let date = text("date-released").or_else(|| text("date-published"));
        let year = text("year").or_else(|| Some(date?.get(..4)?.to_owned()));
        let authors: Vec<String> = work.items("authors").iter().filter_map(author).collect();
        let container = match kind(work) {
            "article" => "journal",
            _ => "booktitle",
        };
        let container_title = text("journal").or_else(|| text("collection-title"));
        let licence: Vec<&str> = work
            .items("license")
            .iter()
            .filter_map(|it| match it {
                Value::Text(text) => Some(text.as_str()),
                Value::List(_) | Value::Fields(_) => None,
            })
            .collect();
        let note = text("notes").or_else(|| text("scope"));
        let fields = [
            ("title", Some(title.to_owned())),
            ("author", Some(authors.join(" and "))),
            ("year", year.clone()),
            ("month", text("month")),
            (container, container_title),
            ("version", text("version")),
            ("doi", text("doi")),
            ("url", text("url").or_else(|| text("repository-code"))),
            ("license", Some(licence.join(" OR "))),
            ("note", note),
            ("abstract", text("abstract")),
        ];
        let fields = fields.into_iter().filter_map(|(name, text)| Some((name, text.filter(|text| !text.is_empty())?)));
        Some(Entry { kind: kind(work), key: key(title, year.as_deref(), taken), fields: fields.collect() })
    }

    fn text(&self) -> String {
        let field = |(name, text): &(&str, String)| match *name {
            // Addresses are read as they are.
            "url" | "doi" => format!("  {name} = {{{text}}},\n"),
            // The braces around an organisation are BibTeX's own.
            "author" => format!("  {name} = {{{}}},\n", authors(text)),
            "title" => format!("  {name} = {{{{{}}}}},\n", escaped(text)),
            _ => format!("  {name} = {{{}}},\n", escaped(text)),
        };
        format!("@{}{{{},\n{}}}\n", self.kind, self.key, self.fields.iter().map(field).collect::<String>())
    }
}

fn authors(text: &str) -> String {
    let one = |name: &str| match name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
        Some(name) => format!("{{{}}}", escaped(name)),
        None => escaped(name),
    };
    text.split(" and ").map(one).collect::<Vec<_>>().join(" and ")
}

impl Entries {
    /// Reads CITATION.cff.
    pub fn of(checkout: &Checkout) -> Result<Self, Failure> {
        Entries::read(&checkout.needed("CITATION.cff")?)
    }

    fn read(text: &str) -> Result<Self, Failure> {
        let cited = cff::read(text)?;
        let mut taken = BTreeSet::new();
        let own = Entry::of(&cited, &mut taken)
            .ok_or_else(|| Failure::input("parse", "CITATION.cff has no title: say what is to be cited"))?;
        let others = cited.items("preferred-citation").iter().chain(cited.items("references"));
        let mut entries = vec![own];
        for work in others {
            let known = |entry: &Entry| entry.fields.first().map(|(_, title)| title.as_str()) == work.text("title");
            if !entries.iter().any(known) {
                entries.extend(Entry::of(work, &mut taken));
            }
        }
        Ok(Entries { entries })
    }

    /// As a file for BibTeX.
    pub fn text(&self) -> String {
        self.entries.iter().map(Entry::text).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_and_a_paper() {
        let text = "title: Lozenge\nabstract: A & B\ntype: software\nversion: 0.1.0\ndate-released: 2026-11-16\nlicense:\n  - MIT\n  - Apache-2.0\n\
                    authors:\n  - name: The & authors\nreferences:\n  - type: report\n    title: The Core of A_B\n    year: 2026\n    \
                    authors:\n      - family-names: Doe\n        given-names: J.\n    notes: revision 3\n    url: https://example.org/a_b\n";
        let entries = Entries::read(text).unwrap_or_else(|_| panic!("it reads"));
        assert_eq!(
            entries.text(),
            "@software{lozenge2026,\n  title = {{Lozenge}},\n  author = {{The \\& authors}},\n  year = {2026},\n  \
             version = {0.1.0},\n  license = {MIT OR Apache-2.0},\n  abstract = {A \\& B},\n}\n\n@techreport{core2026,\n  title = {{The Core of A\\_B}},\n  \
             author = {Doe, J.},\n  year = {2026},\n  url = {https://example.org/a_b},\n  note = {revision 3},\n}\n"
        );
        assert!(Entries::read("version: 1\n").is_err());
    }
}
