//! What spec/kani.toml says of Kani's proofs: every harness has its row and every row its harness; the page shows the same.
#![allow(missing_docs)]

use lozenge_spec::CLAIMS;
use lozenge_spec::kani::{KANI, Law, Proof};
use lozenge_tests::{read, root};
use std::collections::BTreeSet;

/// The proofs with their laws.
fn rows() -> impl Iterator<Item = (&'static Law, &'static Proof)> {
    KANI.laws.iter().flat_map(|law| law.proofs.iter().map(move |proof| (law, proof)))
}

/// The harnesses of a file: the names in it that begin with the group's.
fn harnesses(group: &str) -> BTreeSet<String> {
    let text = read(&format!("harnesses/statements/src/proofs/{group}.rs"));
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(&format!("{group}_"))).map(str::to_owned).collect()
}

#[test]
fn every_harness_has_a_row_and_every_row_a_harness() {
    lozenge_spec::kani::parse().unwrap_or_else(|error| panic!("spec/kani.toml: {error}"));
    let groups: BTreeSet<&str> = KANI.laws.iter().map(|law| &*law.group).collect();
    let files = std::fs::read_dir(root().join("harnesses/statements/src/proofs")).expect("proofs");
    let stems: BTreeSet<String> = files
        .map(|file| file.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .filter(|stem| stem != "symbolic")
        .collect();
    assert_eq!(stems.iter().map(String::as_str).collect::<BTreeSet<_>>(), groups);
    for group in groups {
        let listed: Vec<String> =
            rows().filter(|(law, _)| law.group == group).map(|(_, proof)| proof.harness.clone()).collect();
        let distinct: BTreeSet<String> = listed.iter().cloned().collect();
        assert_eq!(listed.len(), distinct.len(), "{group}: a row twice");
        assert_eq!(distinct, harnesses(group), "{group}");
    }
}

#[test]
fn laws_and_claims_exist() {
    for law in &KANI.laws {
        for claim in &law.claims {
            assert!(CLAIMS.iter().any(|known| known.id == *claim), "{}: no statement {claim}", law.law);
        }
        if let Some(function) = law.law.strip_prefix("contract of ") {
            let (_, name) = function.split_once("::").expect("a method");
            let core = ["dim", "row", "rigid"].map(|file| read(&format!("core/calculus/src/{file}.rs")));
            assert!(core.iter().any(|text| text.contains(&format!("pub fn {name}("))), "{function}");
        } else {
            let (file, name) = law.law.split_once("::").expect("a module");
            let text = read(&format!("harnesses/statements/src/{file}.rs"));
            assert!(text.contains(&format!("pub fn {name}")), "{}", law.law);
        }
    }
}

/// The limits of the issue of a proof: two minutes, six gigabytes. What was not seen is not written.
#[test]
fn what_is_written_was_seen() {
    for (law, proof) in rows() {
        assert!(proof.seen, "{}: {} was not seen to verify", law.law, proof.harness);
        assert!(proof.seconds <= 120.0 && proof.megabytes <= 6_000, "{}", proof.harness);
    }
}

#[test]
fn the_page_shows_the_table() {
    let page = read("spec/kani.md");
    for (law, proof) in rows() {
        let seen = if proof.seen { "seen" } else { "not seen" };
        let row = format!(
            "| {} | {} | `{}` | {} | {} | {} | {seen} |",
            law.group,
            law.law,
            proof.harness,
            proof.shape,
            proof.seconds.round(),
            proof.megabytes
        );
        assert!(page.contains(&row), "spec/kani.md has no row\n{row}");
    }
    assert!(page.contains(&KANI.version), "the version");
}
