//! The page of figures: counts that are made from the index, the proofs, the corpus and the planted bugs, and the tables
//! that were measured.

use super::address::{self, Addresses, way};
use super::made::Made;
use super::markdown::{PLAIN, Reader};
use super::site::Page;
use crate::explain::svg::escaped;
use crate::output::Failure;
use lozenge_harnesses::cases::thousands;
use lozenge_spec::{CLAIMS, FINDINGS, FindingKind, Harness, Status, kani};
use std::collections::BTreeMap;

/// Where the page is.
const PATH: &str = "figures.html";
const PERFORMANCE: &str = "spec/performance.md";

/// A count: of what, how many, and the file that it was counted in.
type Row = (String, String, &'static str);

fn row(what: impl Into<String>, number: impl TryInto<u128>, from: &'static str) -> Row {
    (what.into(), thousands(number.try_into().unwrap_or(u128::MAX)), from)
}

fn statements() -> Vec<Row> {
    let from = "spec/index.toml";
    let printed = CLAIMS.iter().filter(|claim| claim.printed.is_some()).count();
    let mut rows = vec![row("numbered statements", CLAIMS.len(), from), row("of these in the paper", printed, from)];
    for status in Status::LADDER {
        let as_printed = CLAIMS.iter().filter(|claim| claim.printed_status == Some(status)).count();
        let holds = CLAIMS.iter().filter(|claim| claim.status == status).count();
        if as_printed + holds > 0 {
            rows.push(row(format!("{status}, as printed"), as_printed, from));
            rows.push(row(format!("{status}, what holds"), holds, from));
        }
    }
    rows
}

fn findings() -> Vec<Row> {
    let of = |kind: FindingKind| FINDINGS.iter().filter(|it| it.kind == kind).count();
    let kinds = FindingKind::ALL.iter().map(|kind| row(kind.to_string(), of(*kind), "spec/index.toml"));
    [row("findings", FINDINGS.len(), "spec/index.toml")].into_iter().chain(kinds).collect()
}

/// Every harness once, however many statements name it.
fn harnesses() -> Vec<Row> {
    let all = CLAIMS.iter().flat_map(|claim| &claim.harness).map(|it: &Harness| (&it.test.0, it.cases));
    let all: BTreeMap<&String, u64> = all.collect();
    let tests = CLAIMS.iter().flat_map(|claim| &claim.tests).map(|place| &place.0);
    let tests: std::collections::BTreeSet<&String> = tests.collect();
    vec![
        row("harnesses", all.len(), "spec/index.toml"),
        row("cases that they cover on every run", all.values().sum::<u64>(), "spec/index.toml"),
        row("tests by name", tests.len(), "spec/index.toml"),
    ]
}

/// Lines of the files of a folder that begin with one of these words.
fn beginning(made: &Made, folder: &str, ending: &str, words: &[&str]) -> Result<usize, Failure> {
    let files = made.files_in(folder, ending)?;
    let texts = files.iter().filter_map(|path| made.text(path));
    let begins = |line: &&str| line.split_whitespace().next().is_some_and(|word| words.contains(&word));
    Ok(texts.map(|text| text.lines().filter(begins).count()).sum())
}

fn proofs(made: &Made) -> Result<Vec<Row>, Failure> {
    let stated = ["Theorem", "Lemma", "Corollary"];
    let named: std::collections::BTreeSet<&String> =
        CLAIMS.iter().flat_map(|claim| &claim.proof).map(|place| &place.0).collect();
    let all: usize = kani::KANI.laws.iter().map(|law| law.proofs.len()).sum();
    Ok(vec![
        row("theorems and lemmas in Coq", beginning(made, "proofs/coq/", ".v", &stated)?, "proofs/README.md"),
        row("of these named by a statement", named.len(), "spec/index.toml"),
        row("theorems in Lean", beginning(made, "proofs/lean/", ".lean", &["theorem"])?, "proofs/lean/README.md"),
        row("laws that Kani was run on", kani::KANI.laws.len(), "spec/kani.toml"),
        row("proofs by Kani", all, "spec/kani.toml"),
        row("of these seen", kani::KANI.laws.iter().map(kani::Law::seen).sum::<usize>(), "spec/kani.toml"),
    ])
}

/// The rows of the tables of a document, without their heads.
fn table_rows(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let ruled = |line: &str| line.starts_with("|-") || line.starts_with("|:");
    let rows = lines.iter().enumerate().filter(|(i, line)| {
        let head = lines.get(i + 1).is_some_and(|next| ruled(next));
        line.starts_with('|') && !ruled(line) && !head
    });
    rows.count()
}

/// Bugs that were planted, and are found.
fn mutants(made: &Made) -> Vec<Row> {
    let planted = |path: &'static str, count: &dyn Fn(&str) -> usize, what: &str| {
        made.text(path).map(|text| row(what, count(&text), path))
    };
    let listed = |text: &str| {
        let list = text.split_once("\nmutants! {").map_or("", |(_, rest)| rest.split("\n}").next().unwrap_or(rest));
        list.lines().filter(|line| line.trim_end().ends_with("\";")).count()
    };
    let changed = |text: &str| {
        let list = text.split_once("\nMUTANTS = [").map_or("", |(_, rest)| rest.split("\n]").next().unwrap_or(rest));
        list.lines().filter(|line| line.starts_with("    (\"")).count()
    };
    let found = [
        planted("tests/engines/MUTANTS.md", &table_rows, "bugs in an engine, found by fuzz"),
        planted("core/engine/src/mutant.rs", &listed, "bugs in the engine, found by the law between the layers"),
        planted("proofs/mutants.py", &changed, "changed definitions, noticed by the proofs or the bridge"),
    ];
    found.into_iter().flatten().collect()
}

fn corpus(made: &Made) -> Vec<Row> {
    let path = "tests/conformance/inventory.json";
    let read = |text: &str| -> Option<Vec<Row>> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let all = value.get("cases")?.as_u64()?;
        let files: BTreeMap<&String, u64> = value
            .get("files")?
            .as_object()?
            .iter()
            .filter_map(|(name, it)| Some((name, it.get("cases")?.as_u64()?)))
            .collect();
        let files = files.into_iter().map(|(name, cases)| row(name.as_str(), cases, path));
        Some([row("cases of the conformance corpus", all, path)].into_iter().chain(files).collect())
    };
    made.text(path).and_then(|text| read(&text)).unwrap_or_default()
}

/// The tables of a document under their headings; the machine where one is named.
fn tables(text: &str) -> String {
    let (mut out, mut heading, mut before) = (String::new(), "", "");
    for line in text.lines() {
        if line.starts_with('#') {
            heading = line;
        }
        let kept = line.starts_with('|') || before.contains("<!-- machine -->");
        if kept && !heading.is_empty() {
            out.push_str(&format!("\n#{heading}\n\n"));
            heading = "";
        }
        if kept {
            out.push_str(&format!("{line}\n"));
        } else if before.starts_with('|') {
            out.push('\n');
        }
        before = line;
    }
    out
}

fn list(title: &str, rows: &[Row], addresses: &Addresses<'_>) -> String {
    let line = |(what, number, from): &Row| {
        let to = addresses.link("", from).map(|to| way(PATH, &to));
        let from = escaped(from);
        let from = to.map_or_else(|| from.clone(), |to| format!("<a href=\"{to}\">{from}</a>"));
        format!("<tr><td>{}</td><td class=\"number\">{number}</td><td>{from}</td></tr>\n", escaped(what))
    };
    let rows: String = rows.iter().map(line).collect();
    format!("<h2>{title}</h2>\n<div class=\"wide\"><table><tbody>\n{rows}</tbody></table></div>\n")
}

/// Counts, then performance as it was measured last.
pub fn page(made: &Made, addresses: &Addresses<'_>) -> Result<Page, Failure> {
    let lists = [
        ("Statements", statements()),
        ("Findings", findings()),
        ("Harnesses and tests", harnesses()),
        ("Proofs", proofs(made)?),
        ("Planted bugs", mutants(made)),
        ("Conformance", corpus(made)),
    ];
    let lists: String = lists.iter().map(|(title, rows)| list(title, rows, addresses)).collect();
    let link = |to: &str| addresses.link(PERFORMANCE, to).map(|to| way(PATH, &to));
    let code = |text: &str| addresses.code(PERFORMANCE, text).map(|to| way(PATH, &to));
    let measured = Reader { link: &link, code: &code, ..PLAIN }.html(&tables(&made.checkout.needed(PERFORMANCE)?));
    let body = format!(
        "<h1>Figures</h1>\n<p>Each number is counted when this page is made, \
         from the file beside it or from those that it is about.</p>\n{lists}\
         <h2 id=\"measured\">Performance</h2>\n<p>As it was measured last; <a href=\"{}\">performance.md</a> says how, and \
         what may be compared.</p>\n{measured}",
        way(PATH, &address::page(PERFORMANCE))
    );
    Ok(Page { path: PATH.to_owned(), title: "Figures".to_owned(), body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_tables_and_digits() {
        let text = "# A\n\n## B\n\ntext\n\n| a |\n|---|\n| 1 |\n| 2 |\n\n## C\n\ntext\n";
        assert_eq!(table_rows(text), 2);
        assert_eq!(tables(text), "\n### B\n\n| a |\n|---|\n| 1 |\n| 2 |\n\n");
        assert_eq!([5_u32, 123, 1234, 52_200_625].map(thousands), ["5", "123", "1,234", "52,200,625"]);
    }
}
