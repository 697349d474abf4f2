//! `lozenge spec` and `lozenge schema`, compared with what they print: the index, the wire types. These grow with the
//! project, so a copy would say less; what does not is in tests/tests/snapshots.
#![allow(missing_docs)]

use lozenge_spec::CLAIMS;
use lozenge_tests::assert_session;
use lozenge_tests::session::Session;

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
  kind       proposition
  status     {}
  paper      proved
  statement  Any two rows have a least upper bound: flanks of the shorter length, entries joined
             from the outer edges.
  chapter    spec/2-rows.md
",
        claim.status
    );
    let rest = out.strip_prefix(&head).unwrap_or_else(|| panic!("{out}\ndoes not begin with\n{head}"));
    for place in claim.code.iter().chain(&claim.proof) {
        assert!(rest.contains(&place.0), "{} in {rest}", place.0);
    }
    for harness in &claim.harness {
        assert!(rest.contains(&harness.test.0) && rest.contains(&format!("{} cases: ", harness.cases)), "{rest}");
    }
}

#[test]
fn the_table_has_every_statement() {
    let (code, out, err) = lozenge(&["spec"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(out.lines().count(), CLAIMS.len() + 2);
    for (line, claim) in out.lines().zip(CLAIMS.iter()) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells, [&claim.id, &claim.status.to_string(), &claim.kind, &claim.title]);
    }
    let counts = out.lines().last().unwrap_or_default();
    assert!(counts.starts_with(&format!("{} statements: ", CLAIMS.len())), "{counts}");
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
    let open: Vec<&String> = CLAIMS.iter().filter(|c| c.status.to_string() == "open").map(|c| &c.id).collect();
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
