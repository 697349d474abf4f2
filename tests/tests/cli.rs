//! The command `lozenge`, run as a process: all that it prints, with its exit status, as in tests/tests/snapshots.
#![allow(missing_docs)]

use lozenge_tests::session::Session;
use lozenge_tests::{assert_session, root, run as lozenge};
use std::io::Read;
use std::process::{Command, Stdio};

/// Types these commands, one after the other.
fn typed(commands: &[&[&str]]) -> Session {
    commands.iter().fold(Session::default(), |session, args| session.run(args))
}

#[test]
fn le_holds() {
    // Both spellings.
    assert_session!(typed(&[&["le", "[3] ⋄ [2,4]", "[3] ⋄ [4]"], &["le", "[3] <> [2,4]", "[3].<>.[4]"]]));
}

#[test]
fn le_flanks_do_not_fit() {
    assert_session!(typed(&[&["le", "[3]⋄[2,4]", "[3,4]⋄[]"], &["le", "[5]⋄[]", "[5,3]⋄[4,4]"]]));
}

#[test]
fn le_hints_at_weaker_relations() {
    assert_session!(typed(&[
        &["le", "[]⋄[3]", "[3]⋄[]"],
        &["le", "[3]⋄[5]", "[3,5]•"],
        &["le", "[5,3]⋄[]", "[]⋄[3]"],
        // An axis that fails fails for ⊑¹ as well: there is nothing to hint at.
        &["le", "[3]⋄[]", "[4]⋄[]"],
    ]));
}

#[test]
fn le_fails_at_an_axis() {
    assert_session!(typed(&[&["le", "[3,7]⋄[2,4]", "[3]⋄[2,4:rgb]"]]));
}

#[test]
fn le_ascii() {
    assert_session!(typed(&[&["le", "[3,7]⋄[2,4]", "[3]⋄[2,4:rgb]", "--ascii"]]));
}

#[test]
fn le_rigid_clauses() {
    assert_session!(typed(&[
        &["le", "[3,5]•", "[3,1∅]•"],
        &["le", "[3,5]!", "[3]!"],
        &["le", "[3,9,5]•", "[3]⋄[5]"],
        &["le", "[3]•", "[3]⋄[5]"],
        &["le", "[3]⋄[9,5]", "[3,5]•"],
    ]));
}

#[test]
fn le_dimensions() {
    assert_session!(typed(&[
        &["le", "3", "1∅"],
        &["le", "3", "3"],
        &["le", "⊥", "3"],
        &["le", "3", "5"],
        &["le", "3", "3:rgb"],
        &["le", "3", "1"],
        &["le", "1∅", "3"],
        &["le", "1∅", "⊥"],
    ]));
}

#[test]
fn le_draws_long_rows_in_part() {
    let flank = |n: usize| format!("⋄[{}]", vec!["3"; n].join(","));
    assert_session!(typed(&[&["le", &flank(5000), &flank(5)]]));
}

#[test]
fn le_json() {
    assert_session!(typed(&[
        &["le", "[3] ⋄ [2,4]", "[3] ⋄ [4]", "--json"],
        &["--json", "le", "[3]⋄[2,4]", "[3,4]⋄[]"],
        &["le", "[3,5:rgb]•", "[3,6]•", "--json"],
        &["le", "3", "bot", "--json", "--ascii"],
    ]));
}

#[test]
fn join_of_rows() {
    assert_session!(typed(&[&["join", "[3]⋄[2,4]", "[3,7]⋄[5]"], &["join", "[3,5]•", "[3]⋄[]"], &["join", "3", "4"],]));
}

#[test]
fn join_that_does_not_exist() {
    let rigid = |n: usize| format!("[{}]•", vec!["3"; n].join(","));
    assert_session!(typed(&[
        &["join", "[3]•", "[3,3]•"],
        &["join", "[3]⋄[3]", "[3]•"],
        &["join", "[3]•", "[3,3]•", "--json"],
        // More minimal upper bounds than are written.
        &["join", &rigid(9000), &rigid(9001)],
    ]));
}

#[test]
fn eq_of_rows_and_dimensions() {
    assert_session!(typed(&[
        &["eq", "[3]⋄[4]", "[3,4]⋄[]"],
        &["eq", "[3]⋄[4]", "[3,1∅]⋄[4]"],
        &["eq", "[3]!", "<>[3]", "--json"],
        &["eq", "3", "3:rgb"],
        &["eq", "3:default", "3"],
    ]));
}

#[test]
fn bad_input_has_a_place() {
    assert_session!(typed(&[
        &["le", "[3] <> [0]", "[3] <> []"],
        &["eq", "[3]⋄[4]", "[3,4]"],
        &["le", "3", "⋄"],
        &["le", "[3] <> []", "[3] <> [0]", "--json"],
        &["le", "3", "⋄", "--json"],
        &["le", "3", "--json"],
    ]));
}

#[test]
fn control_characters_are_shown_not_obeyed() {
    assert_session!(typed(&[&["le", "[\t\u{1b}[31m]", "3"]]));
}

#[test]
fn what_turns_the_direction_of_writing_is_shown_too() {
    let (status, _, err) = lozenge(&["solve", "-"], "3 <= \u{202e})x\n");
    assert!(status == Some(2) && err.contains("3 <= \u{fffd})x") && !err.contains('\u{202e}'), "{err}");
    let file = lozenge_tests::scratch("two-lines").join("a\nb.txt");
    std::fs::write(&file, "3 <= a\n").expect("a file");
    let (_, out, _) = lozenge(&["explain", file.to_str().expect("UTF-8")], "");
    assert!(out.lines().next().is_some_and(|title| title.ends_with("a\u{240a}b.txt")), "{out}");
}

#[test]
fn mistakes_of_sort_have_a_kind_of_their_own() {
    for text in ["3 <= <p>\n", "a <= 3\n<a> ~ <>\n"] {
        let (status, out, _) = lozenge(&["solve", "-", "--json"], text);
        assert!(status == Some(2) && out.contains(r#""kind":"sort""#), "{text}: {out}");
    }
}

#[test]
fn nothing_crashes_it() {
    let brackets = "[".repeat(100_000);
    let digits = "9".repeat(100_000);
    let deep = format!("[{}]!", vec!["3"; 50_000].join(","));
    let texts = ["", " ", "#", "[", "]", "<", "-1", "1∅∅", "3:", "3:?1", "a", "⟨r⟩", "\n\n", "é", "🎉", "[⊥]⋄[]"];
    let mut session = Session::default();
    for text in texts.into_iter().chain([brackets.as_str(), &digits, &deep]) {
        for sub in ["le", "join", "eq"] {
            session = session.run(&[sub, text, "3"]).run(&[sub, "⋄[3]", text]);
        }
        session = session.run(&["spec", "--", text]);
    }
    let told = session.to_string();
    assert!(!told.contains("panicked"), "{told}");
    assert_session!(told);
}

#[test]
fn version() {
    let line = format!("lozenge {}\n", env!("CARGO_PKG_VERSION"));
    let json = format!("{{\"name\":\"lozenge\",\"version\":\"{}\",\"wire\":1}}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(lozenge(&["version"], ""), (Some(0), line.clone(), String::new()));
    assert_eq!(lozenge(&["--version"], ""), (Some(0), line, String::new()));
    assert_eq!(lozenge(&["version", "--json"], ""), (Some(0), json, String::new()));
}

/// The subcommands, read off the help.
fn subcommands() -> Vec<String> {
    let (_, help, _) = lozenge(&["--help"], "");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    listed.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The tests and chapters that a help names; what is built need not be there.
fn named_files(help: &str) -> impl Iterator<Item = &str> {
    let words = help.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | '(' | '\''));
    let words = words.map(|word| word.trim_end_matches('.'));
    words.filter(|word| ["tests/", "spec/"].iter().any(|folder| word.starts_with(folder)))
}

#[test]
fn every_subcommand_has_help_with_examples() {
    let all = subcommands();
    for known in ["le", "join", "eq", "spec", "schema", "version"] {
        assert!(all.iter().any(|sub| sub == known), "{known} in {all:?}");
    }
    let mut session = Session::default().run(&["--help"]);
    for sub in &all {
        let (_, out, _) = lozenge(&[sub, "--help"], "");
        for part in ["Usage: lozenge", "--json", "--ascii", "--color", "Examples:"] {
            assert!(out.contains(part), "{part} in the help of {sub}:\n{out}");
        }
        for file in named_files(&out) {
            assert!(root().join(file).exists(), "{file} in the help of {sub}");
        }
        session = session.run(&[sub, "--help"]);
    }
    assert_session!(session);
}

#[test]
fn colours_only_when_asked_for() {
    // A pipe is no terminal.
    assert_session!(typed(&[
        &["le", "3", "1∅"],
        &["le", "3", "1∅", "--color", "always"],
        &["le", "3", "1∅", "--color", "never"],
    ]));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    for args in [&["spec"][..], &["spec", "--json"], &["schema"], &["--help"]] {
        let mut command = Command::new(lozenge_tests::lozenge());
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("lozenge starts");
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().expect("stderr").read_to_string(&mut err).expect("UTF-8");
        let status = child.wait().expect("lozenge ends");
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn same_bytes_twice() {
    let questions: [&[&str]; 8] = [
        &["le", "[3:rgb]⋄[2,4:x]", "[3:rgb]⋄[4:y]"],
        &["le", "[3:rgb]⋄[2,4:x]", "[3:rgb]⋄[4:y]", "--json"],
        &["join", "[3,4]•", "[3,4,5]•"],
        &["join", "[3:b,4:a]•", "[3:b,4:a,5]•", "--json"],
        &["spec"],
        &["spec", "--json"],
        &["schema"],
        &["schema", "--json"],
    ];
    for args in questions {
        assert_eq!(lozenge(args, ""), lozenge(args, ""), "{args:?}");
    }
    assert_session!(typed(&questions[..4]));
}
