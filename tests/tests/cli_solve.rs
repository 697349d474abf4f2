//! `lozenge solve` and `lozenge check`, run as a process: all that they print, with the exit status, as in
//! tests/tests/snapshots.
#![allow(missing_docs)]

use lozenge_tests::session::{Scratch, Session};
use lozenge_tests::{assert_session, run as lozenge};

/// Solves these systems, one after the other, each with its options.
fn solves(systems: &[(&str, &[&str])]) -> Session {
    systems.iter().fold(Session::default(), |session, (system, options)| {
        session.given(system, &[&["solve", "-"], *options].concat())
    })
}

#[test]
fn solved_with_everything_there_is_to_say() {
    let system = "\
⟨p⟩ ≈ []·⋄·[3,5]   # the marker is placed here
⟨q⟩ ⊑ ⟨p⟩
⟨t⟩ ≈ [2]·⟨q⟩
3 ⊑ a
a ⊑ b
";
    assert_session!(solves(&[(system, &[])]));
}

#[test]
fn solved_by_entailment_alone() {
    let system = "a = 3\n⟨r⟩ ⊑ [b]·⋄·[]\nb = a\n⟨r⟩ ≈ [3]·⋄·[]\n";
    assert_session!(solves(&[(system, &[]), ("# nothing\n", &["--ascii"])]));
}

#[test]
fn a_deferred_equation_can_rule_out_the_greatest_solution() {
    assert_session!(solves(&[("⟨x⟩·[1] ≈ [2]·⟨y⟩\n", &[])]));
}

#[test]
fn unsat_with_its_minimal_derivation() {
    let system = "# the second line has no part in it\n⟨r⟩ ⊑ [3]·⋄·[]\n⟨q⟩ ⊑ ⟨r⟩\n⟨r⟩ ⊑ [5]·⋄·[]\n";
    assert_session!(solves(&[(system, &[]), ("x = a\na ⊑ b\nx = 3\nb ⊑ 5\n", &[])]));
}

#[test]
fn what_clashes_names_the_lines_of_both_sides() {
    assert_session!(solves(&[
        ("⟨p⟩ ≈ []·⋄·[2,3]\n⟨q⟩ ≈ []·⋄·[2,5]\n⟨s⟩ ≈ ⟨p⟩\n⟨s⟩ ≈ ⟨q⟩\n", &[]),
        ("⟨p⟩ ≈ []·⋄·[2]\n⟨p⟩ ≈ []·⋄·[2,3]\n", &[]),
        ("[2]·⟨p⟩·[2] ≈ []·⋄·[2]\n", &[]),
        ("⟨p⟩ ≈ ⟨p⟩·[2]\n", &[]),
        ("[]·⋄·[2] ⊑ [3]·⋄·[2,2]\n", &[]),
        // 1∅ is the only value above 3 and 5, so it comes from both.
        ("3 ⊑ a\n5 ⊑ a\na ⊑ 7\n", &[]),
    ]));
}

#[test]
fn a_placement_is_blamed_for_a_rejection() {
    assert_session!(solves(&[
        // Remark 2.11.
        ("⟨p⟩ ≈ []·⋄·[3,5]\n[3]·⋄·[9,5] ⊑ ⟨p⟩\n", &[]),
        // Finding F5: equating two row variables places a marker too.
        ("⟨p⟩ ≈ ⟨q⟩\n⟨p⟩ ⊑ [3]·⋄·[]\n[]·⋄·[3] ⊑ ⟨q⟩\n", &[]),
    ]));
}

#[test]
fn the_guard_of_the_paper_misses_a_divergence() {
    // Finding F1.
    let system = "[2]·⟨q⟩ ⊑ ⟨p⟩\n[2]·⟨p⟩ ⊑ ⟨q⟩·[3]\n";
    assert_session!(solves(&[(system, &["--guard", "paper", "--fuel", "500"]), (system, &[])]));
}

#[test]
fn the_guard_of_the_paper_rejects_a_satisfiable_set() {
    // Finding F2. The repaired guard lets it pass, and so does another order.
    let system = "⟨a⟩ ⊑ ⟨b⟩\n⟨b⟩·[3] ⊑ [2]·⟨c⟩\n[2]·⟨c⟩ ⊑ ⟨a⟩·[3]\n";
    assert_session!(solves(&[
        (system, &["--guard", "paper"]),
        (system, &[]),
        (system, &["--guard", "paper", "--strategy", "lifo"]),
    ]));
}

#[test]
fn limits_say_which() {
    let grow = "⟨p⟩ ⊑ [2]·⟨p⟩\n";
    assert_session!(solves(&[
        (grow, &["--guard", "none", "--fuel", "10"]),
        (grow, &["--guard", "none", "--rank", "10"]),
        (grow, &["--guard", "none", "--size", "10"]),
    ]));
}

#[test]
fn trace_prints_every_step() {
    let system = "⟨q⟩ ⊑ ⟨p⟩\n3 ⊑ a\na ⊑ 3\n";
    assert_session!(solves(&[
        (system, &["--trace", "--ascii"]),
        // A limit leaves the steps until then, and a failure shows those that have no part in it.
        (system, &["--trace", "--fuel", "2"]),
        ("⟨p⟩ ⊑ [2]·⟨p⟩\n", &["--trace", "--guard", "none"]),
        ("5 ⊑ b\na ⊑ 3\na ⊑ 4\n", &["--trace"]),
    ]));
}

#[test]
fn a_long_derivation_is_cut() {
    let chain: String = (0..600).map(|i| format!("a{i} = b{i}\nb{i} = a{}\n", i + 1)).collect();
    assert_session!(solves(&[(&format!("{chain}a0 = 3\na600 = 4\n"), &[])]));
}

#[test]
fn json_is_the_wire_format() {
    assert_session!(solves(&[
        ("⟨r⟩ ⊑ [3]·⋄·[]\n5:rgb ⊑ a\na ⊑ b\n⟨x⟩·[1] ≈ [2]·⟨y⟩\n", &["--json"]),
        ("a = 3\na = 4\n", &["--json"]),
        ("3 ⊑ a\n", &["--json", "--fuel", "0"]),
        ("a = 3\n", &["--json", "--trace"]),
    ]));
}

/// Only a place that leaves a solution is said to be another, and only what was refuted is said to be forced.
#[test]
fn other_places_for_a_marker_are_tried() {
    assert_session!(solves(&[
        ("<p> ~ <> [3]\n<p> <= <> [3]\n", &[]),
        ("<p> ~ <> [3,5]\n[3] <> [9,5] <= <q>\n<p> <= [3] <> []\n", &[]),
        ("<p> ~ <q>\n<q> ~ <>\n", &[]),
    ]));
}

/// Where no other placement succeeds, none is said to be possible.
#[test]
fn a_rejection_does_not_contradict_itself() {
    for (system, solvable) in [
        ("<p> ~ <>[3]\n<p> <= <>[4]\n", Some(false)),
        ("<p> ~ <>[3]\n<q> ~ <>[5]\n<p> <= <>[4]\n", Some(false)),
        ("<p> ~ <> [3,5]\n<p> <= [3] <> []\n", Some(true)),
    ] {
        let (_, out, _) = lozenge(&["solve", "-"], system);
        let (may, none) = (out.contains("may succeed"), out.contains("there is no solution (lozenge decide)"));
        assert!(out.starts_with("rejected") && !(may && out.contains("no solution with the marker")), "{out}");
        assert_eq!((may, none), (solvable != Some(false), solvable == Some(false)), "{out}");
        let (decided, ..) = lozenge(&["decide", "-"], system);
        assert_eq!(decided == Some(0), solvable == Some(true), "{system}");
        let (_, out, _) = lozenge(&["close", "-"], system);
        assert_eq!(out.contains("so there may be a solution"), solvable != Some(false), "{out}");
    }
}

#[test]
fn strategies_and_seeds() {
    let system = "a ⊑ b\nb ⊑ 3\n4 ⊑ c\n";
    let mut session = Session::default();
    for strategy in ["fifo", "lifo", "random", "rounds"] {
        let args = ["solve", "-", "--strategy", strategy, "--seed", "7"];
        assert_eq!(lozenge(&args, system), lozenge(&args, system), "the same bytes twice");
        session = session.given(system, &args);
    }
    assert_session!(session);
}

#[test]
fn bad_files() {
    let broken = Scratch::new("bad_files", "broken.txt");
    let session = Session::default()
        .given("3 ⊑ a\n[3,4] ⊑ ⋄\n", &["solve", "-"])
        .file(&broken, b"3 = \xff\n")
        .run(&["solve", &broken.0])
        .run(&["solve", "no-such-file.txt"])
        .run(&["solve", "no-such-file.txt", "--json"]);
    assert_session!(session);
}

#[test]
fn bad_options() {
    assert_session!(solves(&[("", &["--guard", "huge"]), ("", &["--fuel", "-1"]), ("", &["--strategy", "best"])]));
}

#[test]
fn check_says_what_holds_and_why_not() {
    let constraints = "\
⟨r⟩ ⊑ []·⋄·[3]

⟨r⟩ ⊑ [5]·⋄·[]
⟨r⟩ ≈ [2,4]·⋄·[]
⟨r⟩ ≈ ⋄
a ⊑ 5
a = 4
⟨r⟩ ⊑ []·⋄·[2,3]
";
    let values = "r := [2] <> [3]\na := 3  # and nothing else\n";
    let system = Scratch::new("check_says_why", "system.txt");
    let session = Session::default()
        .file(&system, constraints.as_bytes())
        .given(values, &["check", &system.0, "-"])
        .given(values, &["check", &system.0, "-", "--json"]);
    assert_session!(session);
}

#[test]
fn check_holds() {
    let values = "a := unit\n<r> := <> [unit]\nunused := 7\n";
    let system = Scratch::new("check_holds", "system.txt");
    let session = Session::default()
        .file(&system, b"3 <= a\n<r> ~ [a] <> []\n")
        .given(values, &["check", &system.0, "-", "--ascii"])
        .given(values, &["check", &system.0, "-", "--json"]);
    assert_session!(session);
}

#[test]
fn check_wants_every_value() {
    let system = Scratch::new("check_wants_values", "system.txt");
    let session = Session::default()
        .file(&system, "a ⊑ b\n⟨r⟩ ≈ ⟨s⟩\n".as_bytes())
        .given("b := 3\n", &["check", &system.0, "-"])
        .given("a := 3\na := 4\n", &["check", &system.0, "-"])
        .run(&["check", "-", "-"])
        .run(&["check", &system.0, "no-such-file.txt"]);
    assert_session!(session);
}

/// Other places of a marker are looked for also where solving made up the variable, and found where there are some.
#[test]
fn other_places_inside_a_row_are_known() {
    let system = "<p> <= [] <> [2]\n<p> ~ [2,2] <> []\n";
    let (status, out, _) = lozenge(&["solve", "-"], system);
    assert_eq!(status, Some(0));
    assert!(out.contains("⟨?2⟩ ↦ []·⋄·[2]") && out.contains("the marker could also stand at [2]·⋄·[]"), "{out}");
    let (status, out, _) = lozenge(&["solve", "-"], &format!("{system}[2] <> [3,2] <= <p>\n"));
    assert_eq!(status, Some(1));
    assert!(out.contains("the marker could also stand at [2]·⋄·[]"), "{out}");
    let (status, ..) = lozenge(&["decide", "-"], &format!("{system}[2] <> [3,2] <= <p>\n"));
    assert_eq!(status, Some(0));
}
