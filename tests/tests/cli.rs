//! The command `lozenge`, run as a process: exact output, exit status, and what it does with bad input.

use lozenge_spec::CLAIMS;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The binary, brought up to date once. It is built beside this test, in the same profile.
static LOZENGE: LazyLock<PathBuf> = LazyLock::new(|| {
    let exe = std::env::current_exe().expect("the path of this test");
    let profile = exe.ancestors().nth(2).expect("target/<profile>/deps/<test>");
    let name = profile.file_name().and_then(|n| n.to_str()).unwrap_or("debug");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "-p", "lozenge-oracle", "--bin", "lozenge"])
        .args(["--profile", if name == "debug" { "dev" } else { name }])
        .arg("--target-dir")
        .arg(profile.parent().expect("target"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status();
    let binary = profile.join(format!("lozenge{}", std::env::consts::EXE_SUFFIX));
    assert!(matches!(built, Ok(status) if status.success()), "cannot build {}: {built:?}", binary.display());
    binary
});

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(&*LOZENGE);
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// Status, stdout, stderr.
fn lozenge(args: &[&str]) -> (i32, String, String) {
    let output = command(args).output().expect("lozenge runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("an exit status"), text(output.stdout), text(output.stderr))
}

/// Runs, and compares status and stdout; stderr must be empty.
#[track_caller]
fn says(args: &[&str], status: i32, expected: &str) {
    let (code, out, err) = lozenge(args);
    assert_eq!(out, expected, "stdout of {args:?}");
    assert_eq!((code, err.as_str()), (status, ""), "status and stderr of {args:?}");
}

/// Runs on bad input: nothing on stdout, status 2.
#[track_caller]
fn complains(args: &[&str], expected: &str) {
    let (code, out, err) = lozenge(args);
    assert_eq!(err, expected, "stderr of {args:?}");
    assert_eq!((code, out.as_str()), (2, ""), "status and stdout of {args:?}");
}

#[test]
fn le_holds() {
    let expected = "\
[3]·⋄·[2,4] ⊑ [3]·⋄·[4]

  result   [3]   ⋄ [2,   4]
  operand  [3]   ⋄  1∅  [4]
            lead    pad  trail
            ⊑       ⊑    ⊑

  (i)  flanks fit: lead 1 ≥ 1, trail 2 ≥ 1
  (ii) every axis of the result is ⊑ the operand's
holds: Def. 2.3
";
    says(&["le", "[3] ⋄ [2,4]", "[3] ⋄ [4]"], 0, expected);
    says(&["le", "[3] <> [2,4]", "[3].<>.[4]"], 0, expected);
}

#[test]
fn le_flanks_do_not_fit() {
    says(
        &["le", "[3]⋄[2,4]", "[3,4]⋄[]"],
        1,
        "\
[3]·⋄·[2,4] ⊑ [3,4]·⋄·[]

  result   [3]  _       ⋄ [2,  4]
  operand  [3,  4]      ⋄         []
                missing

  (i)  flanks do not fit: lead 1 < 2, trail 2 ≥ 0: the result lacks 1 leading axis
  hint: neither the one-shot ⊑¹ (Remark 2.15 (ii)) nor ≈ (Def. 2.9) holds
fails: Def. 2.3 (i)
",
    );
    says(
        &["le", "[5]⋄[]", "[5,3]⋄[4,4]"],
        1,
        "\
[5]·⋄·[] ⊑ [5,3]·⋄·[4,4]

  result   [5]  _       ⋄  _        _       []
  operand  [5,  3]      ⋄ [4,       4]
                missing    missing  missing

  (i)  flanks do not fit: lead 1 < 2, trail 0 < 2: the result lacks 1 leading axis and 2 trailing axes
  hint: neither the one-shot ⊑¹ (Remark 2.15 (ii)) nor ≈ (Def. 2.9) holds
fails: Def. 2.3 (i)
",
    );
}

#[test]
fn le_hints_at_weaker_relations() {
    let hint = |result, operand| {
        let (code, out, _) = lozenge(&["le", result, operand]);
        let hint = out.lines().find(|line| line.starts_with("  hint: ")).unwrap_or("").to_owned();
        (code, hint)
    };
    let flat = "  hint: ≈ holds (Def. 2.9), and so does the one-shot ⊑¹ (Remark 2.15 (ii))";
    assert_eq!(hint("[]⋄[3]", "[3]⋄[]"), (1, flat.to_owned()));
    assert_eq!(hint("[3]⋄[5]", "[3,5]•"), (1, flat.to_owned()));
    let one_shot = "  hint: the one-shot ⊑¹ holds (Remark 2.15 (ii)), ≈ does not (Def. 2.9)";
    assert_eq!(hint("[5,3]⋄[]", "[]⋄[3]"), (1, one_shot.to_owned()));
    // An axis that fails fails for ⊑¹ as well: there is nothing to hint at.
    assert_eq!(hint("[3]⋄[]", "[4]⋄[]"), (1, String::new()));
}

#[test]
fn le_fails_at_an_axis() {
    says(
        &["le", "[3,7]⋄[2,4]", "[3]⋄[2,4:rgb]"],
        1,
        "\
[3,7]·⋄·[2,4] ⊑ [3]·⋄·[2,4:rgb]

  result   [3,      7]  ⋄ [2,     4]
  operand  [3]   ⋄  1∅    [2,     4:rgb]
            lead    pad    trail  trail
            ⊑       ⊑      ⊑      ⋢
                                  ^

  (i)  flanks fit: lead 2 ≥ 1, trail 2 ≥ 2
  (ii) position 3 (from 0): 4 ⋢ 4:rgb: the sizes agree, the bases differ
fails: Def. 2.3 (ii)
",
    );
}

#[test]
fn le_ascii() {
    says(
        &["le", "[3,7]⋄[2,4]", "[3]⋄[2,4:rgb]", "--ascii"],
        1,
        "\
[3,7] <> [2,4] <= [3] <> [2,4:rgb]

  result   [3,       7]   <> [2,     4]
  operand  [3]   <>  unit    [2,     4:rgb]
            lead     pad      trail  trail
            <=       <=       <=     !<=
                                     ^

  (i)  flanks fit: lead 2 >= 1, trail 2 >= 2
  (ii) position 3 (from 0): 4 !<= 4:rgb: the sizes agree, the bases differ
fails: Def. 2.3 (ii)
",
    );
}

#[test]
fn le_rigid_clauses() {
    says(
        &["le", "[3,5]•", "[3,1∅]•"],
        0,
        "\
[3,5]• ⊑ [3,1∅]•

  result   [3,  5]•
  operand  [3,  1∅]•
            ⊑   ⊑

  (b) ranks agree: 2 = 2
  (b) every axis of the result is ⊑ the operand's
holds: Def. 2.12 (b)
",
    );
    says(
        &["le", "[3,5]!", "[3]!"],
        1,
        "\
[3,5]• ⊑ [3]•

  result   [3,   5]•
  operand  [3]•

  (b) ranks differ: 2 ≠ 1
fails: Def. 2.12 (b)
",
    );
    says(
        &["le", "[3,9,5]•", "[3]⋄[5]"],
        0,
        "\
[3,9,5]• ⊑ [3]·⋄·[5]

  result   [3,      9,   5]•
  operand  [3]   ⋄  1∅  [5]
            lead    pad  trail
            ⊑       ⊑    ⊑

  (c) rank fits: 3 ≥ 2
  (c) every axis of the result is ⊑ the operand's
holds: Def. 2.12 (c)
",
    );
    says(
        &["le", "[3]•", "[3]⋄[5]"],
        1,
        "\
[3]• ⊑ [3]·⋄·[5]

  result   [3]•    _
  operand  [3]  ⋄ [5]
                   missing

  (c) rank too small: 1 < 2: the result lacks 1 axis
fails: Def. 2.12 (c)
",
    );
    says(
        &["le", "[3]⋄[9,5]", "[3,5]•"],
        1,
        "\
[3]·⋄·[9,5] ⊑ [3,5]•

  result   [3] ⋄ [9,   5]
  operand  [3,    5]•

  (d) a marked row is never below a rigid row
  hint: neither the one-shot ⊑¹ (Remark 2.15 (ii)) nor ≈ (Def. 2.9) holds
fails: Def. 2.12 (d)
",
    );
}

#[test]
fn le_dimensions() {
    let cases = [
        ("3", "1∅", "holds", "1∅ is above every dimension"),
        ("3", "3", "holds", "every dimension is below itself"),
        ("⊥", "3", "holds", "⊥ is below every dimension"),
        ("3", "5", "fails", "different atoms are incomparable"),
        ("3", "3:rgb", "fails", "the sizes agree, the bases differ"),
        ("3", "1", "fails", "1 is an atom; only 1∅ stretches"),
        ("1∅", "3", "fails", "only 1∅ is above 1∅"),
        ("1∅", "⊥", "fails", "only ⊥ is below ⊥"),
    ];
    for (result, operand, verdict, reason) in cases {
        let expected = format!("{result} ⊑ {operand}\n\n  {reason}\n{verdict}: Def. 1.2\n");
        says(&["le", result, operand], i32::from(verdict == "fails"), &expected);
    }
}

#[test]
fn le_draws_long_rows_in_part() {
    let flank = |n: usize| format!("[{}]", vec!["3"; n].join(","));
    let (result, operand) = (format!("⋄{}", flank(5000)), format!("⋄{}", flank(5)));
    let (code, out, _) = lozenge(&["le", &result, &operand]);
    assert_eq!(code, 0);
    assert!(out.lines().all(|line| line.chars().count() < 200), "{out}");
}

#[test]
fn le_json() {
    says(
        &["le", "[3] ⋄ [2,4]", "[3] ⋄ [4]", "--json"],
        0,
        concat!(
            r#"{"verdict":"holds","definition":"2.3","result":{"lead":[3],"trail":[2,4]},"operand":{"lead":[3],"trail":[4]},"#,
            r#""expansion":[3,"unit",4],"lead":{"result":1,"operand":1},"trail":{"result":2,"operand":1},"#,
            r#""rank":{"result":3,"operand":2},"one_shot":true,"flat_eq":false}"#,
            "\n"
        ),
    );
    says(
        &["--json", "le", "[3]⋄[2,4]", "[3,4]⋄[]"],
        1,
        concat!(
            r#"{"verdict":"fails","definition":"2.3","clause":"i","result":{"lead":[3],"trail":[2,4]},"#,
            r#""operand":{"lead":[3,4],"trail":[]},"lead":{"result":1,"operand":2},"trail":{"result":2,"operand":0},"#,
            r#""rank":{"result":3,"operand":2},"one_shot":false,"flat_eq":false}"#,
            "\n"
        ),
    );
    says(
        &["le", "[3,5:rgb]•", "[3,6]•", "--json"],
        1,
        concat!(
            r#"{"verdict":"fails","definition":"2.12","clause":"b","position":1,"#,
            r#""result":{"rigid":[3,{"basis":"rgb","n":5}]},"operand":{"rigid":[3,6]},"expansion":[3,6],"#,
            r#""rank":{"result":2,"operand":2},"one_shot":false,"flat_eq":false}"#,
            "\n"
        ),
    );
    says(
        &["le", "3", "bot", "--json", "--ascii"],
        1,
        "{\"verdict\":\"fails\",\"definition\":\"1.2\",\"result\":3,\"operand\":\"bot\",\"reason\":\"only bot is below bot\"}\n",
    );
}

#[test]
fn join_of_rows() {
    says(
        &["join", "[3]⋄[2,4]", "[3,7]⋄[5]"],
        0,
        "\
[3]·⋄·[2,4] ∨ [3,7]·⋄·[5] = [3]·⋄·[1∅]

  A      [3]     ⋄ [2,  4]
  B      [3,  7] ⋄     [5]
  A ∨ B  [3]     ⋄     [1∅]

least upper bound: Prop. 2.7
",
    );
    says(
        &["join", "[3,5]•", "[3]⋄[]"],
        0,
        "\
[3,5]• ∨ [3]·⋄·[] = [3]·⋄·[]

  A      [3,    5]•
  B      [3] ⋄  1∅  []
  A ∨ B  [3] ⋄  1∅  []

least upper bound: Remark 2.14, spec/findings/F9.md
",
    );
    says(&["join", "3", "4"], 0, "3 ∨ 4 = 1∅\n\nleast upper bound: Prop. 1.3\n");
}

#[test]
fn join_that_does_not_exist() {
    let expected = |title: &str| {
        format!(
            "{title}

  minimal upper bounds (2):
    []·⋄·[3]
    [3]·⋄·[]
  every upper bound is above one of these; no two are comparable
no least upper bound: Remark 2.14, spec/findings/F9.md
"
        )
    };
    says(&["join", "[3]•", "[3,3]•"], 1, &expected("[3]• ∨ [3,3]•"));
    says(&["join", "[3]⋄[3]", "[3]•"], 1, &expected("[3]·⋄·[3] ∨ [3]•"));
    says(
        &["join", "[3]•", "[3,3]•", "--json"],
        1,
        concat!(
            r#"{"verdict":"none","definition":"2.14","left":{"rigid":[3]},"right":{"rigid":[3,3]},"#,
            r#""minimal":[{"lead":[],"trail":[3]},{"lead":[3],"trail":[]}],"finding":"spec/findings/F9.md"}"#,
            "\n"
        ),
    );
    let rigid = |n: usize| format!("[{}]•", vec!["3"; n].join(","));
    let (status, out, err) = lozenge(&["join", &rigid(9000), &rigid(9001)]);
    let limit = "error: the minimal upper bounds have more than 4000000 axes in all: give shorter rows\n";
    assert_eq!((status, out.as_str(), err.as_str()), (3, "", limit));
}

#[test]
fn eq_of_rows_and_dimensions() {
    says(
        &["eq", "[3]⋄[4]", "[3,4]⋄[]"],
        0,
        "\
[3]·⋄·[4] ≈ [3,4]·⋄·[]

  A  3 ⋄ 4
  B  3   4 ⋄
     =   =

  the markers differ: neither row is ⊑ the other (Prop. 2.10 (ii))
holds: Def. 2.9
",
    );
    says(
        &["eq", "[3]⋄[4]", "[3,1∅]⋄[4]"],
        1,
        "\
[3]·⋄·[4] ≈ [3,1∅]·⋄·[4]

  A  3 ⋄ 4    _
  B  3   1∅ ⋄ 4
     =   ≠    ≠

  the ranks differ: 2 ≠ 3
fails: Def. 2.9
",
    );
    says(
        &["eq", "[3]!", "<>[3]", "--json"],
        0,
        concat!(
            r#"{"verdict":"holds","definition":"2.9","left":{"rigid":[3]},"right":{"lead":[],"trail":[3]},"#,
            r#""rank":{"left":1,"right":1},"identical":false}"#,
            "\n"
        ),
    );
    says(&["eq", "3", "3:rgb"], 1, "3 = 3:rgb\n\nfails: Def. 1.1\n");
    says(&["eq", "3:default", "3"], 0, "3 = 3\n\nholds: Def. 1.1\n");
}

#[test]
fn bad_input_has_a_place() {
    complains(
        &["le", "[3] <> [0]", "[3] <> []"],
        "\
error in RESULT
1:9: size 0: sizes are whole numbers from 1 to 18446744073709551615
  |
1 | [3] <> [0]
  |         ^
",
    );
    complains(
        &["eq", "[3]⋄[4]", "[3,4]"],
        "\
error in B
1:6: a row needs its marker: write []·⋄·[3,4] or [3]·⋄·[4] (⋄ is typed <>), or a row variable ⟨ρ⟩ (typed <r>)
  |
1 | [3,4]
  |      ^
",
    );
    complains(&["le", "3", "⋄"], "error: RESULT is a dimension and OPERAND is a row: give two of one sort\n");
    says(
        &["le", "[3] <> []", "[3] <> [0]", "--json"],
        2,
        concat!(
            r#"{"verdict":"error","kind":"parse","message":"size 0: sizes are whole numbers from 1 to 18446744073709551615","#,
            r#""argument":"OPERAND","at":{"line":1,"column":9,"start":8,"end":9}}"#,
            "\n"
        ),
    );
    says(
        &["le", "3", "⋄", "--json"],
        2,
        concat!(
            r#"{"verdict":"error","kind":"sort","#,
            r#""message":"RESULT is a dimension and OPERAND is a row: give two of one sort","at":null}"#,
            "\n"
        ),
    );
    says(
        &["le", "3", "--json"],
        2,
        concat!(
            r#"{"verdict":"error","kind":"usage","#,
            r#""message":"the following required arguments were not provided: <OPERAND>","at":null}"#,
            "\n"
        ),
    );
}

#[test]
fn control_characters_are_shown_not_obeyed() {
    complains(
        &["le", "[\t\u{1b}[31m]", "3"],
        "\
error in RESULT
1:3: the character '\\u{1b}' is not part of the notation
  |
1 | [␉␛[31m]
  |   ^
",
    );
}

#[test]
fn nothing_crashes_it() {
    let brackets = "[".repeat(100_000);
    let digits = "9".repeat(100_000);
    let deep = format!("[{}]!", vec!["3"; 50_000].join(","));
    let texts = ["", " ", "#", "[", "]", "<", "-1", "1∅∅", "3:", "3:?1", "a", "⟨r⟩", "\n\n", "é", "🎉", "[⊥]⋄[]"];
    let texts = texts.into_iter().chain([brackets.as_str(), &digits, &deep]);
    for text in texts {
        for sub in ["le", "join", "eq"] {
            for args in [[sub, text, "3"], [sub, "⋄[3]", text]] {
                let (code, _, err) = lozenge(&args);
                assert!(code <= 2 && !err.contains("panicked"), "{sub} {code} {err}");
            }
        }
        let (code, _, err) = lozenge(&["spec", "--", text]);
        assert!(code <= 2 && !err.contains("panicked"), "spec {code} {err}");
    }
}

#[test]
fn spec_shows_a_statement_with_its_evidence() {
    // The evidence grows with the project, so it is compared with the index and not with a copy of it.
    let claim = CLAIMS.iter().find(|claim| claim.id == "2.7").expect("2.7 is in the index");
    let (code, out, err) = lozenge(&["spec", "2.7"]);
    assert_eq!((code, err.as_str()), (0, ""));
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
fn spec_table_and_parts() {
    let (code, out, _) = lozenge(&["spec"]);
    assert_eq!((code, out.lines().count()), (0, CLAIMS.len() + 2));
    for (line, claim) in out.lines().zip(CLAIMS.iter()) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells, [&claim.id, &claim.status.to_string(), &claim.kind, &claim.title]);
    }
    let counts = out.lines().last().unwrap_or_default();
    assert!(counts.starts_with(&format!("{} statements: ", CLAIMS.len())), "{counts}");

    let ids = |args: &[&str]| -> Vec<String> {
        let (code, out, _) = lozenge(args);
        assert_eq!(code, 0);
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let claims = json["claims"].as_array().expect("claims");
        claims.iter().filter_map(|claim| claim["id"].as_str()).map(str::to_owned).collect()
    };
    assert_eq!(ids(&["spec", "2.10", "--json"]), ["2.10.i", "2.10.ii", "2.10.iii", "2.10.iv"]);
    assert_eq!(ids(&["spec", "2.1", "--json"]), ["2.1"]);
    let open: Vec<&String> = CLAIMS.iter().filter(|c| c.status.to_string() == "open").map(|c| &c.id).collect();
    assert_eq!(ids(&["spec", "--status", "open", "--json"]).iter().collect::<Vec<_>>(), open);
    assert_eq!(lozenge(&["spec", "--status", "hopeful"]).0, 2);
}

#[test]
fn spec_unknown_id() {
    let (code, out, err) = lozenge(&["spec", "2.77"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: no statement `2.77` in the index\nnearest: 2.7, "), "{err}");
    let (code, out, err) = lozenge(&["spec", "2.77", "--json"]);
    assert_eq!((code, err.as_str()), (2, ""));
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (&json["verdict"], &json["kind"], &json["nearest"][0]),
        (&"error".into(), &"unknown".into(), &"2.7".into())
    );
}

#[test]
fn schema_is_the_one_of_core() {
    for args in [&["schema"][..], &["schema", "--json"]] {
        let (code, out, _) = lozenge(args);
        assert_eq!(code, 0);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&out).expect("JSON"), lozenge::wire::schema());
    }
    assert_eq!(lozenge(&["schema", "--json"]).1.lines().count(), 1);
}

#[test]
fn version() {
    let line = format!("lozenge {}\n", env!("CARGO_PKG_VERSION"));
    says(&["version"], 0, &line);
    says(&["--version"], 0, &line);
    let json = format!("{{\"name\":\"lozenge\",\"version\":\"{}\",\"wire\":1}}\n", env!("CARGO_PKG_VERSION"));
    says(&["version", "--json"], 0, &json);
}

/// The subcommands, read off the help.
fn subcommands() -> Vec<String> {
    let (_, help, _) = lozenge(&["--help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    listed.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn every_subcommand_has_help_with_examples() {
    let all = subcommands();
    for known in ["le", "join", "eq", "spec", "schema", "version"] {
        assert!(all.iter().any(|sub| sub == known), "{known} in {all:?}");
    }
    for sub in &all {
        let (code, out, err) = lozenge(&[sub, "--help"]);
        assert_eq!((code, err.as_str()), (0, ""), "{sub}");
        for part in ["Usage: lozenge", "--json", "--ascii", "--color", "Examples:"] {
            assert!(out.contains(part), "{part} in the help of {sub}:\n{out}");
        }
    }
}

#[test]
fn colours_only_when_asked_for() {
    let question = ["le", "3", "1∅"];
    let (_, plain, _) = lozenge(&question);
    assert!(!plain.contains('\u{1b}'), "a pipe is no terminal");
    let (_, coloured, _) = lozenge(&[&question[..], &["--color", "always"]].concat());
    assert!(coloured.contains('\u{1b}'), "{coloured:?}");
    let (_, never, _) = lozenge(&[&question[..], &["--color", "never"]].concat());
    assert_eq!(never, plain);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    for args in [&["spec"][..], &["spec", "--json"], &["schema"], &["--help"]] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("lozenge starts");
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
        assert_eq!(lozenge(args), lozenge(args), "{args:?}");
    }
}
