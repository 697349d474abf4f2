//! `lozenge spec` and `lozenge schema`, compared with what they print: the index, the wire types. These grow with the
//! project, so a copy would say less; what does not is in tests/tests/snapshots.
#![allow(missing_docs)]

use lozenge_spec::{CLAIMS, FINDINGS, Place, Status};
use lozenge_tests::session::Session;
use lozenge_tests::{assert_session, read};
use std::collections::BTreeMap;
use std::process::Command;

fn lozenge(args: &[&str]) -> (Option<i32>, String, String) {
    lozenge_tests::run(args, "")
}

#[test]
fn spec_shows_a_statement_with_its_evidence() {
    let claim = CLAIMS.iter().find(|claim| claim.id == "2.7").expect("2.7 is in the index");
    let (code, out, err) = lozenge(&["spec", "2.7"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let head = format!(
        "\
2.7  Rows form a join-semilattice with top
  kind        proposition
  as printed  {}
              Any two rows have a least upper bound: flanks of the shorter length, entries joined
              from the outer edges.
  paper       labelled proved
  what holds  {}
              the same
  chapter     spec/2-rows.md
",
        claim.status, claim.status
    );
    let rest = out.strip_prefix(&head).unwrap_or_else(|| panic!("{out}\ndoes not begin with\n{head}"));
    let shown = shown_places();
    for place in claim.code.iter().chain(&claim.proof) {
        assert!(rest.contains(&shown[&place.0]), "{} in {rest}", place.0);
    }
    for harness in &claim.harness {
        let cases = format!("{} cases: ", harness.cases);
        assert!(rest.contains(&shown[&harness.test.0]) && rest.contains(&cases), "{rest}");
    }
    for command in [
        "$ cargo test -p lozenge-harnesses --test laws -- prop_2_7_join_upper prop_2_7_join_least\n",
        "$ cargo test -p lozenge-tests --test suite -- bridge_row_join\n",
        "$ make -C proofs/coq check\n",
    ] {
        assert_eq!(rest.matches(command).count(), 1, "{command} in {rest}");
    }
}

/// Every place of the index as `spec` shows it: with the line on which it is defined.
fn shown_places() -> BTreeMap<String, String> {
    let (code, out, err) = lozenge(&["spec", "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let shown = |found: &serde_json::Value| {
        let place = Place(found["place"].as_str().expect("a place").to_owned());
        let line = found["line"].as_u64().unwrap_or_else(|| panic!("{} has no line", place.0));
        let shown = format!("{}:{line} {}", place.path(), place.symbol().expect("a symbol"));
        (place.0, shown)
    };
    json["places"].as_array().expect("places").iter().map(shown).collect()
}

#[test]
fn every_place_has_its_line() {
    let shown = shown_places();
    for claim in CLAIMS.iter() {
        let tests = claim.harness.iter().map(|harness| &harness.test).chain(&claim.tests);
        for place in claim.code.iter().chain(tests).chain(&claim.proof) {
            let (at, symbol) = shown[&place.0].split_once(' ').expect("a line and a symbol");
            let n: usize = at.rsplit(':').next().and_then(|n| n.parse().ok()).expect("a number");
            let text = read(place.path());
            let line = text.lines().nth(n - 1).unwrap_or_default();
            let item = symbol.rsplit("::").next().unwrap_or(symbol);
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(words.any(|word| word == item) && !line.trim_start().starts_with("//"), "{at}: {line}");
        }
    }
}

#[test]
fn statements_and_rules_are_found_by_their_names() {
    let same = [
        ("Def. 4.3", "4.3"),
        ("Lemma 5.1", "5.1"),
        ("Lemma 5.1 (ii)", "5.1.ii"),
        ("§2.7", "2.7"),
        ("finding F1", "F1"),
        ("Theorem R1b", "R1b"),
    ];
    for (name, id) in same {
        let (code, out, _) = lozenge(&["spec", name]);
        assert_eq!((code, out), (Some(0), lozenge(&["spec", id]).1), "{name}");
    }
    let (code, out, _) = lozenge(&["spec", "re-open-closed"]);
    let head = "RE-open-closed  a row variable takes what the other side has between the flanks\n\n4.3.b  ";
    assert!(code == Some(0) && out.starts_with(head), "{out}");
    assert!(out.ends_with(&lozenge(&["spec", "4.3.b"]).1));
    let (_, json) = lozenge_tests::json(&["spec", "CL-leaf"], "");
    assert_eq!((json["rule"]["name"].as_str(), json["rule"]["statement"].as_str()), (Some("CL-leaf"), Some("6.1")));
    assert_eq!(json["claims"][0]["id"], "6.1");
}

/// A statement of which the print is refuted has the tests that refute it; parts do not repeat what they share.
#[test]
fn refuted_statements_have_their_tests_and_parts_are_told_once() {
    for claim in CLAIMS.iter().filter(|claim| claim.printed_status == Some(Status::Refuted)) {
        let (_, out, _) = lozenge(&["spec", &claim.id]);
        for place in &claim.tests {
            let name = place.symbol().unwrap_or_default();
            let run = out.lines().any(|line| line.contains("$ cargo test -p ") && line.contains(name));
            assert!(run && out.contains(place.path()), "{}: {name}\n{out}", claim.id);
        }
    }
    let (_, out, _) = lozenge(&["spec", "4.3"]);
    assert_eq!(out.matches("  chapter     spec/4-solver.md").count(), 1, "{out}");
    assert!(out.contains("  harness     as before\n"), "{out}");
}

#[test]
fn outside_of_a_checkout_places_have_no_lines() {
    let folder = std::env::temp_dir();
    let output =
        Command::new(lozenge_tests::lozenge()).args(["spec", "1.2"]).current_dir(folder).output().expect("runs");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && out.contains("  code        core/calculus/src/dim.rs#Dim::le\n"), "{out}");
}

/// Both columns, for people and for programs.
#[test]
fn what_is_printed_stands_beside_what_holds() {
    let shown_places = shown_places();
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for claim in CLAIMS.iter() {
        let (code, out, err) = lozenge(&["spec", &claim.id]);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let first = out.split("\n\n").next().unwrap_or(&out);
        let shown = squeezed(first);
        let printed = match (&claim.printed, claim.printed_status) {
            (Some(printed), Some(status)) => format!("as printed {status} {printed}"),
            _ => "as printed a statement of this project".to_owned(),
        };
        let holds = if claim.printed.as_ref() == Some(&claim.holds) { "the same" } else { &claim.holds };
        let holds = format!("what holds {} {holds}", claim.status);
        let said = [&claim.caveats, &claim.reading].into_iter().flatten().chain([&printed, &holds]);
        let places = claim.tests.iter().chain(&claim.proof).map(|place| &shown_places[&place.0]);
        for text in said.chain(places) {
            assert!(shown.contains(&squeezed(text)), "{text}\nis not in\n{first}");
        }
        for id in &claim.findings {
            let kind = lozenge_spec::finding(id).expect("a finding").kind;
            assert!(shown.contains(&format!("{id} ({kind}): ")), "{first}");
        }
    }
    let (_, out, _) = lozenge(&["spec", "6.5.i", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let claim = &json["claims"][0];
    assert_eq!((claim["printed_status"].as_str(), claim["status"].as_str()), (Some("refuted"), Some("proved")));
    assert!(claim["printed"].is_string() && claim["holds"].is_string() && claim["printed"] != claim["holds"]);
    assert_eq!(json["findings"][0]["kind"], "wording");
    assert_eq!(json["counts"]["printed"]["refuted"], 1);
    assert_eq!(json["counts"]["holds"]["proved"], 1);
}

#[test]
fn the_table_has_every_statement() {
    let (code, out, err) = lozenge(&["spec"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("number"), "{out}");
    for (line, claim) in out.lines().skip(1).zip(CLAIMS.iter()) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let printed = claim.printed_status.map_or("-".to_owned(), |status| status.to_string());
        assert_eq!(cells, [&claim.id, &printed, &claim.status.to_string(), &claim.kind, &claim.title]);
    }
    let counts: Vec<&str> = out.lines().skip(CLAIMS.len() + 2).collect();
    assert_eq!(counts[0], format!("{} statements", CLAIMS.len()));
    assert!(counts[1].starts_with("  as printed  ") && out.contains("\n  what holds  "), "{counts:?}");
}

#[test]
fn findings_have_kinds() {
    let (code, out, err) = lozenge(&["spec", "--findings"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for (line, finding) in out.lines().zip(FINDINGS.iter()) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells, [&finding.id, &finding.kind.to_string(), &finding.title]);
    }
    assert!(out.lines().last().is_some_and(|line| line.starts_with(&format!("{} findings: ", FINDINGS.len()))));
    assert_session!(Session::default().run(&["spec", "F13"]));
}

#[test]
fn parts_and_statuses() {
    let ids = |args: &[&str]| -> Vec<String> {
        let (code, out, err) = lozenge(args);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let claims = json["claims"].as_array().expect("claims");
        claims.iter().filter_map(|claim| claim["id"].as_str()).map(str::to_owned).collect()
    };
    assert_eq!(ids(&["spec", "2.10", "--json"]), ["2.10.i", "2.10.ii", "2.10.iii", "2.10.iv"]);
    assert_eq!(ids(&["spec", "2.1", "--json"]), ["2.1"]);
    let is_open = |status: Status| status == Status::Open;
    let open = CLAIMS.iter().filter(|c| is_open(c.status) || c.printed_status.is_some_and(is_open));
    let open: Vec<&String> = open.map(|c| &c.id).collect();
    assert_eq!(ids(&["spec", "--status", "open", "--json"]).iter().collect::<Vec<_>>(), open);
}

#[test]
fn unknown_numbers_and_statuses() {
    let session = Session::default().run(&["spec", "2.77"]).run(&["spec", "2.77", "--json"]);
    assert_session!(session.run(&["spec", "--status", "hopeful"]));
}

#[test]
fn schema_is_the_one_of_core() {
    for args in [&["schema"][..], &["schema", "--json"]] {
        let (code, out, err) = lozenge(args);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&out).expect("JSON"), lozenge::wire::schema());
    }
    assert_eq!(lozenge(&["schema", "--json"]).1.lines().count(), 1);
}
