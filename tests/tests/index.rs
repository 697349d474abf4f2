//! The index of claims tells the truth: what it names exists, and no status is better than what runs.
#![allow(missing_docs)]

use lozenge_spec::{CLAIMS, Claim, Place, Status};
use lozenge_tests::{markdown_files, read, root};
use std::collections::BTreeSet;

#[test]
fn the_index_reads_and_numbers_are_unique() {
    let claims = lozenge_spec::parse().expect("spec/index.toml");
    assert!(claims.len() > 100, "one row per numbered statement");
    let ids: BTreeSet<&str> = claims.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids.len(), claims.len(), "no number twice");
}

/// Does a Rust file define this symbol? `Type::item` asks for the item inside an `impl` of the type.
fn rust_defines(text: &str, symbol: &str) -> bool {
    let defines = |text: &str, name: &str| {
        ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "macro_rules! "].iter().any(|keyword| {
            text.match_indices(&format!("{keyword}{name}"))
                .any(|(i, m)| !text[i + m.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    match symbol.split_once("::") {
        None => defines(text, symbol),
        Some((owner, item)) => text.split("\nimpl").skip(1).any(|block| {
            let (head, _) = block.split_once('{').unwrap_or((block, ""));
            let body = block.split("\n}").next().unwrap_or(block);
            head.split(|c: char| !c.is_alphanumeric()).any(|word| word == owner) && defines(body, item)
        }),
    }
}

fn rust_place(claim: &Claim, place: &Place) {
    let symbol = place.symbol().unwrap_or_else(|| panic!("{}: {} names no symbol", claim.id, place.0));
    assert!(rust_defines(&read(place.path()), symbol), "{}: {} is not there", claim.id, place.0);
}

#[test]
fn code_exists() {
    for claim in CLAIMS.iter() {
        claim.code.iter().for_each(|place| rust_place(claim, place));
    }
    assert!(!rust_defines("fn joined() {}", "join") && !rust_defines("\nimpl Row {\n fn le() {}\n}", "Dim::le"));
}

#[test]
fn tests_and_harnesses_exist() {
    for claim in CLAIMS.iter() {
        for place in claim.harness.iter().map(|h| &h.test).chain(&claim.tests) {
            rust_place(claim, place);
            let text = read(place.path());
            let symbol = place.symbol().unwrap_or_default();
            let before = text.split(&format!("fn {symbol}(")).next().unwrap_or_default();
            let attributes = before.rsplit("\n\n").next().unwrap_or_default();
            assert!(attributes.contains("#[test]"), "{}: {} is not a test", claim.id, place.0);
        }
    }
}

#[test]
fn proofs_exist_and_are_listed() {
    let listed = read("proofs/README.md");
    for claim in CLAIMS.iter() {
        for place in &claim.proof {
            let symbol = place.symbol().unwrap_or_default();
            let text = read(place.path());
            let stated =
                ["Theorem", "Lemma", "Corollary", "Proposition", "Example", "Fact", "Remark"].iter().any(|keyword| {
                    text.contains(&format!("{keyword} {symbol} "))
                        || text.contains(&format!("{keyword} {symbol}:"))
                        || text.contains(&format!("{keyword} {symbol}\n"))
                });
            assert!(stated, "{}: {} is not a theorem there", claim.id, place.0);
            assert!(listed.contains(&format!("`{symbol}`")), "{}: proofs/README.md does not list {symbol}", claim.id);
        }
    }
}

#[test]
fn statuses_are_backed() {
    for claim in CLAIMS.iter() {
        let id = &claim.id;
        let exists = |path: &Option<String>| path.as_ref().is_some_and(|p| root().join(p).is_file());
        match claim.status {
            Status::Proved => assert!(!claim.proof.is_empty(), "{id}: proved by what?"),
            Status::Complete => {
                assert!(!claim.harness.is_empty(), "{id}: complete by which harness?");
                assert!(exists(&claim.because), "{id}: complete by which argument?");
            }
            Status::Bounded | Status::Tested => assert!(!claim.harness.is_empty(), "{id}: by which harness?"),
            Status::Refuted => {
                assert!(!claim.tests.is_empty(), "{id}: refuted by which running witness?");
                assert!(exists(&claim.because), "{id}: refuted in which finding?");
            }
            Status::Defined => assert!(!claim.code.is_empty(), "{id}: defined where?"),
            Status::Open => assert!(claim.proof.is_empty(), "{id}: open, with a proof?"),
            Status::NotYet => {
                assert!(claim.proof.is_empty() && claim.harness.is_empty() && claim.code.is_empty(), "{id}: not yet?");
            }
        }
        if let Some(because) = &claim.because {
            assert!(root().join(because).is_file(), "{id}: {because} is not there");
        }
    }
}

/// The numbers of the headings `### 2.7 Proposition: …` of the chapters.
fn headings() -> Vec<(String, String)> {
    let chapters = markdown_files("spec").into_iter().chain(["spec/findings/R1.md".to_owned()]);
    chapters
        .flat_map(|path| {
            let text = read(&path);
            let numbers: Vec<(String, String)> = text
                .lines()
                .filter_map(|line| line.strip_prefix("### "))
                .filter_map(|heading| heading.split_once(' '))
                .filter(|(number, _)| {
                    let after_letter = number.strip_prefix(['D', 'L']).unwrap_or(number);
                    after_letter.starts_with(|c: char| c.is_ascii_digit()) || number.starts_with("R1")
                })
                .map(|(number, _)| (number.to_owned(), path.clone()))
                .collect();
            numbers
        })
        .collect()
}

#[test]
fn every_statement_has_its_heading_and_every_heading_its_rows() {
    let headings = headings();
    for claim in CLAIMS.iter() {
        let found = headings.iter().any(|(number, path)| claim.is_under(number) && *path == claim.chapter);
        assert!(found, "{}: no heading in {}", claim.id, claim.chapter);
    }
    for (number, path) in &headings {
        assert!(CLAIMS.iter().any(|claim| claim.is_under(number)), "{path}: {number} is not in the index");
    }
}
