//! `lozenge close` and `lozenge decide`, and the same operations of the oracle.
#![allow(missing_docs)]

use lozenge_tests::run as lozenge;

#[test]
fn close_lists_what_it_assumes() {
    let (status, out, _) = lozenge(&["close", "-", "--leaf", "a", "--leaf", "b"], "3 <= a\nb <= a\n");
    assert_eq!(status, Some(0));
    assert_eq!(
        out,
        "closed: Def. 6.1\n\nvalues\n  a ↦ 3\n  b ↦ 3\n\nassumed beyond what follows\n  \
         a ↦ 3  CL-leaf: the lowest value above everything that must fit below it\n"
    );
}

#[test]
fn close_names_the_part_of_a_row_that_was_assumed() {
    let (status, out, _) = lozenge(&["close", "-", "--leaf", "r"], "<r> <= [3] <> []\n");
    assert_eq!(status, Some(0));
    assert!(out.contains("⟨?2⟩ (part of ⟨r⟩) ↦ []·⋄·[]  CL-bare"), "{out}");
}

/// A marker that was placed inside a row of the input is that row's.
#[test]
fn close_names_the_row_whose_marker_was_placed() {
    let system = "<p> <= [] <> [2]\n<p> ~ [2,2] <> []\n";
    let (status, out, _) = lozenge(&["close", "-"], system);
    assert_eq!(status, Some(0));
    assert!(out.contains("markers placed by choice\n  ⟨?2⟩ ↦ []·⋄·[2]\n  ⟨?2⟩ is the middle of ⟨p⟩\n"), "{out}");
    let (_, out, _) = lozenge(&["close", "-", "--json"], system);
    assert!(out.contains(r#""placements":[{"var":"?2","value":{"lead":[],"trail":[2]},"within":"p"}]"#), "{out}");
    // Of a row of the input itself there is nothing to add.
    let (_, out, _) = lozenge(&["close", "-", "--json"], "<p> ~ [2,2] <> []\n");
    assert!(out.contains(r#""placements":[{"var":"p""#) && !out.contains("within"), "{out}");
}

#[test]
fn a_forgotten_dimension_says_what_to_write() {
    let (status, out, _) = lozenge(&["close", "-", "--param", "w"], "# weights\n[c] <> [] <= <w>\n");
    assert_eq!(status, Some(1));
    assert_eq!(
        out,
        "error: parameter ⟨w⟩, leading axis 0 (from 0): you forgot to specify this dimension\n  \
         used in line 2, and none of these says how large it is\n  \
         say its size, for example ⟨w⟩ ≈ [3]·⋄·[], or make it a leaf that is no parameter\n"
    );
}

/// A hole is that of a parameter, also where another variable is the same one.
#[test]
fn a_hole_is_blamed_on_a_parameter() {
    for (text, param, says) in [
        ("a = b\nb <= c\n", "b", ("b", "[0,1]")),
        ("a = b\nc = b\nb = d\n", "d", ("d", "[2]")),
        ("<q> ~ [b] <p>\n<p> <= [] <>\n", "b", ("b", "[0]")),
        ("<q> ~ <p>\n[b] <> <= <q>\n", "p", ("p", "[0]")),
    ] {
        let (status, out, _) = lozenge(&["close", "-", "--param", param, "--json"], text);
        let (var, uses) = says;
        assert_eq!(status, Some(1), "{text}: {out}");
        assert!(out.contains(&format!("parameter {var}: you forgot")), "{text}: {out}");
        assert!(out.contains(&format!("\"var\":\"{var}\",\"uses\":{uses}")), "{text}: {out}");
    }
}

/// What is said to be written instead is read, and closes.
#[test]
fn what_to_write_for_a_forgotten_dimension_helps() {
    for (text, says) in [
        ("[b] <> <= <p>\n", "<p> ~ [3] <> []"),
        ("<> [b] <= <p>\n", "<p> ~ [] <> [3]"),
        ("[2,b] <> <= <p>\n", "b = 3"),
        ("<p> ~ [2] <q>\n[b] <> <= <q>\n", "b = 3"),
        ("b <= p\n", "p = 3"),
    ] {
        let (status, out, _) = lozenge(&["close", "-", "--param", "p", "--ascii"], text);
        assert!(status == Some(1) && out.contains(&format!(", for example {says}, or")), "{text}: {out}");
        let (status, out, err) = lozenge(&["close", "-", "--param", "p"], &format!("{text}{says}\n"));
        assert_eq!(status, Some(0), "{text}{says}: {out}{err}");
    }
    let (_, out, _) = lozenge(&["close", "-", "--param", "p"], "[2,b] <> <= <p>\n3 <= b\nb <= 4\n");
    assert!(!out.contains("for example"), "{out}");
}

/// Given the value that CL-word assumes for y, the marker of x can stand on either side of 3.
#[test]
fn markers_placed_after_an_assumption_are_listed() {
    let text = "[2] <x> ~ <y> [3]\n";
    let (status, out, _) = lozenge(&["close", "-"], text);
    assert_eq!(status, Some(0));
    assert!(out.ends_with("\nmarkers placed by choice\n  ⟨x⟩ ↦ []·⋄·[3]\n"), "{out}");
    let placed = r#""placements":[{"var":"x","value":{"lead":[],"trail":[3]}}]}"#;
    let (_, out, _) = lozenge(&["close", "-", "--json"], text);
    assert!(out.trim_end().ends_with(placed), "{out}");
    let request = r#"{"op":"close","constraints":[{"eq":[{"lead":[2],"var":"x","trail":[]},{"lead":[],"var":"y","trail":[3]}]}]}"#;
    let (_, out, _) = lozenge(&["oracle"], request);
    assert!(out.trim_end().ends_with(placed), "{out}");
    let (_, out, _) = lozenge(&["explain", "-", "--leaf", "x"], text);
    assert!(out.contains("\nmarkers placed by choice\n  ⟨x⟩ ↦ []·⋄·[3]\n"), "{out}");
    let (_, out, _) = lozenge(&["close", "-", "--json"], "3 <= a\n");
    assert!(!out.contains("placements"), "{out}");
}

#[test]
fn explain_says_what_closing_assumed_before_it_failed() {
    let text = "3 <= a\n5 <= b\nc <= a\nc <= b\n";
    let (status, out, _) = lozenge(&["explain", "-", "--leaf", "a", "--leaf", "b"], text);
    assert_eq!((status, out.matches("rejected: DE-clash on 3 = 5").count()), (Some(1), 1), "{out}");
    let end = "\nassumed beyond what follows\n  a ↦ 3  CL-leaf: the lowest value above everything that must fit below \
               it\n  b ↦ 5  CL-leaf: the lowest value above everything that must fit below it\n\n\
               a solution all the same\n  a ↦ 1∅\n  b ↦ 1∅\n  c ↦ 1∅\n";
    assert!(out.ends_with(end), "{out}");
    let (_, out, _) = lozenge(&["explain", "-", "--leaf", "a", "--leaf", "b", "--json"], text);
    assert!(out.contains(r#""witness":{"a":"unit","b":"unit","c":"unit"}"#), "{out}");
    assert!(out.contains(r#""assumptions":[["a ↦ 3","#), "{out}");
}

#[test]
fn an_unknown_leaf_is_bad_input() {
    let (status, _, err) = lozenge(&["close", "-", "--leaf", "z"], "3 <= a\n");
    assert_eq!(status, Some(2));
    assert!(err.contains("there is no variable `z` in the constraints, which have a"), "{err}");
    let (_, _, err) = lozenge(&["close", "-", "--leaf", "z"], "3 = 5\n");
    assert!(err.ends_with("in the constraints, which have none\n"), "{err}");
}

#[test]
fn finding_f4_is_rejected_with_a_solution() {
    let text = "3 <= a\n5 <= b\nc <= a\nc <= b\n";
    let (status, out, _) = lozenge(&["close", "-", "--leaf", "a", "--leaf", "b"], text);
    assert_eq!(status, Some(1));
    assert!(out.starts_with("rejected: DE-clash on ") && out.contains("a ↦ 3  CL-leaf"), "{out}");
    assert!(out.contains("a solution all the same\n  a ↦ 1∅\n  b ↦ 1∅\n"), "{out}");
}

#[test]
fn decide_finds_what_the_policy_rejects() {
    let text = "<r> ~ [] <> [3,5]\n[3] <> [9,5] <= <r>\n";
    assert_eq!(
        lozenge(&["decide", "-"], text),
        (Some(0), "sat: after 2 choices of lengths\n  ⟨r⟩ ↦ [3]·⋄·[5]\n".to_owned(), String::new())
    );
    let (status, out, _) = lozenge(&["solve", "-"], text);
    assert!(status == Some(1) && out.contains("a solution all the same\n  ⟨r⟩ ↦ [3]·⋄·[5]\n"), "{out}");
}

#[test]
fn decide_says_how_far_it_looked() {
    let (status, out, _) = lozenge(&["decide", "-", "--rank-bound", "3"], "[3] <r> ~ <r> [5]\n");
    assert_eq!(status, Some(3));
    assert!(out.starts_with("unknown: no solution with rows up to rank 3"), "{out}");
    assert_eq!(lozenge(&["decide", "-"], "3 = 4\n").0, Some(1));
}

#[test]
fn the_oracle_closes_and_decides() {
    let requests = [
        r#"{"id":1,"op":"close","constraints":[{"le":[3,{"var":"a"}]}],"leaves":["a"]}"#,
        r#"{"id":2,"op":"close","constraints":[{"le":[{"var":"a"},{"var":"b"}]}],"params":["a"]}"#,
        r#"{"id":3,"op":"close","constraints":[],"leaves":["z"]}"#,
        r#"{"id":4,"op":"decide","constraints":[{"eq":[{"lead":[3],"var":"r","trail":[]},{"lead":[],"var":"r","trail":[5]}]}],"rank_bound":2}"#,
        r#"{"id":5,"op":"decide","constraints":[{"eq":[3,4]}]}"#,
        r#"{"id":6,"op":"solve","constraints":[{"eq":[3,4]}],"certificate":true}"#,
        r#"{"id":7,"op":"solve","constraints":[{"le":[3,{"var":"a"}]}],"certificate":true}"#,
    ];
    let answers = [
        r#"{"id":1,"verdict":"closed","values":{"a":3},"assumptions":[{"var":"a","value":3,"rule":"CL-leaf"}]}"#,
        r#"{"id":2,"verdict":"error","rule":"CL-bare","message":"parameter a: you forgot to specify this dimension","var":"a","uses":[0]}"#,
        r#"{"id":3,"verdict":"error","kind":"parse","message":"found \"z\", expected the name of a variable of the constraints","at":"/leaves/0"}"#,
        r#"{"id":4,"verdict":"unknown","rank_bound":2}"#,
        r#"{"id":5,"verdict":"unsat"}"#,
        r#"{"id":6,"verdict":"unsat","rule":"DE-clash","constraint":{"eq":[3,4]},"message":"3 and 4 are different dimensions","certificate":{"refutation":{"end":{"absurd":0},"lines":[{"holds":{"eq":[3,4]},"index":0,"rule":"input"}]}}}"#,
    ];
    let (status, out, _) = lozenge(&["oracle"], &(requests.join("\n") + "\n"));
    assert_eq!(status, Some(0));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[..6], answers);
    assert!(lines[6].contains(r#""certificate":{"solution":{"a":"unit"}}"#), "{}", lines[6]);
}
