//! `lozenge solve` and `lozenge check`, run as a process: exact output, exit status, bad input.
#![allow(missing_docs)]

use std::path::PathBuf;

/// Status, stdout, stderr, with this text on standard input.
fn lozenge(args: &[&str], stdin: &str) -> (i32, String, String) {
    let (status, out, err) = lozenge_tests::run(args, stdin);
    (status.expect("an exit status"), out, err)
}

/// Solves, and compares status and stdout; stderr must be empty.
#[track_caller]
fn solves(system: &str, options: &[&str], status: i32, expected: &str) {
    let (code, out, err) = lozenge(&[&["solve", "-"], options].concat(), system);
    assert_eq!(out, expected, "stdout for {system} {options:?}");
    assert_eq!((code, err.as_str()), (status, ""), "status and stderr for {system} {options:?}");
}

/// A file for one test.
fn file(name: &str, text: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file is written");
    path
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
    solves(
        system,
        &[],
        0,
        "\
solved: 10 steps, Def. 5.3

σ⋆
  ⟨p⟩ ↦ []·⋄·[3,5]
  ⟨q⟩ ↦ ⟨?7⟩·[3,5]
  ⟨t⟩ ↦ [2]·⟨?7⟩·[3,5]
  ?5 ↦ 3
  ?6 ↦ 5

residual store
  cap       3 ⊑ a
  below     a ⊑ b

γ↑, the greatest solution of this solved form
  ⟨p⟩ ↦ []·⋄·[3,5]
  ⟨q⟩ ↦ []·⋄·[3,5]
  ⟨t⟩ ↦ [2]·⋄·[3,5]
  a ↦ 1∅
  b ↦ 1∅

bound variables of the input
  ⟨p⟩: the content is entailed, the place of the marker was chosen
  ⟨q⟩: derived through a choice
  ⟨t⟩: derived through a choice

chosen beyond entailment
  ⟨p⟩ ↦ []·⋄·[3,5] (RE-open-closed, line 1)
    the marker could also stand at [3]·⋄·[5] or [3,5]·⋄·[]
  ⟨t⟩ ↦ [2]·⟨?7⟩·[?5,?6] (RE-nested, lines 1, 2, 3)
    the marker of ⟨t⟩ could also stand at any other place: it need not be that of ⟨?7⟩

σ⋆ is not a principal model (Cor. 5.8): the residual store is not empty, and a placement was chosen
",
    );
}

#[test]
fn solved_by_entailment_alone() {
    solves(
        "a = 3\n⟨r⟩ ⊑ [b]·⋄·[]\nb = a\n⟨r⟩ ≈ [3]·⋄·[]\n",
        &[],
        0,
        "\
solved: 8 steps, Def. 5.3

σ⋆
  a ↦ 3
  ⟨r⟩ ↦ [3]·⋄·[]
  b ↦ 3
  ?3 ↦ 3
  ⟨?4⟩ ↦ []·⋄·[]

residual store
  empty

γ↑, the greatest solution of this solved form
  a ↦ 3
  ⟨r⟩ ↦ [3]·⋄·[]
  b ↦ 3

bound variables of the input
  a: entailed
  ⟨r⟩: entailed
  b: entailed

σ⋆ is the principal model (Cor. 5.8)
",
    );
    solves(
        "# nothing\n",
        &["--ascii"],
        0,
        "\
solved: 0 steps, Def. 5.3

sigma*
  nothing is bound

residual store
  empty

gamma^, the greatest solution of this solved form
  there are no variables

bound variables of the input
  none

sigma* is the principal model (Cor. 5.8)
",
    );
}

#[test]
fn a_deferred_equation_can_rule_out_the_greatest_solution() {
    let (code, out, _) = lozenge(&["solve", "-"], "⟨x⟩·[1] ≈ [2]·⟨y⟩\n");
    assert_eq!(code, 0);
    assert!(out.contains("  deferred  ⟨x⟩·[1] ≈ [2]·⟨y⟩\n"), "{out}");
    assert!(out.contains("  none: a deferred equation rules it out\n"), "{out}");
    assert!(out.ends_with("σ⋆ is not a principal model (Cor. 5.8): the residual store is not empty\n"), "{out}");
}

#[test]
fn unsat_with_its_minimal_derivation() {
    let system = "# the second line has no part in it\n⟨r⟩ ⊑ [3]·⋄·[]\n⟨q⟩ ⊑ ⟨r⟩\n⟨r⟩ ⊑ [5]·⋄·[]\n";
    solves(
        system,
        &[],
        1,
        "\
unsat: there is no solution

rests on 2 of 3 constraints
  line 2  ⟨r⟩ ⊑ [3]·⋄·[]
  line 4  ⟨r⟩ ⊑ [5]·⋄·[]

derivation
  1  RI-deficit    line 2      ⟨r⟩ ⊑ [3]·⋄·[] → ⟨r⟩ ↦ [?2]·⟨?3⟩  the result's variable grows by the axes it lacks
  2  RI-closed-op  line 2      [?2]·⟨?3⟩ ⊑ [3]·⋄·[] → ?2 ⊑ 3     inside the operand's flanks anything may be
  3  RI-closed-op  lines 2, 4  [?2]·⟨?3⟩ ⊑ [5]·⋄·[] → ?2 ⊑ 5     inside the operand's flanks anything may be
  4  DI-pin        line 2      ?2 ⊑ 3 → ?2 = 3                   only the size itself is below a size
  5  DI-pin        lines 2, 4  ?2 ⊑ 5 → ?2 = 5                   only the size itself is below a size
  6  DE-bind       line 2      ?2 = 3 → ?2 ↦ 3                   a variable takes the value it equals
  7  DE-clash      lines 2, 4  3 = 5 → fails                     two different dimensions cannot be equal

what clashes
  3  from line 2, through line 4
  5  from line 4

3 = 5: 3 and 5 are different dimensions (DE-clash, Def. 4.2)
",
    );
    solves(
        "x = a\na ⊑ b\nx = 3\nb ⊑ 5\n",
        &[],
        1,
        "\
unsat: there is no solution

rests on 4 of 4 constraints
  line 1  x = a
  line 2  a ⊑ b
  line 3  x = 3
  line 4  b ⊑ 5

derivation
  1  DE-bind    line 1            x = a → a ↦ x        a variable takes the value it equals
  2  DI-adj     lines 1, 2        x ⊑ b → kept: x ⊑ b  two variables are kept in order
  3  DE-bind    line 3            x = 3 → x ↦ 3        a variable takes the value it equals
  4  DI-pin     line 4            b ⊑ 5 → b = 5        only the size itself is below a size
  5  DI-cap     lines 1, 2, 3     3 ⊑ b → kept: 3 ⊑ b  a size below a variable is kept; above two sizes there is only 1∅
  6  DE-bind    line 4            b = 5 → b ↦ 5        a variable takes the value it equals
  7  DI-ground  lines 1, 2, 3, 4  3 ⊑ 5 → fails        two known dimensions are compared

what clashes
  3  from line 3, through lines 1, 2
  5  from line 4, through line 2

3 ⊑ 5: 3 is not below 5 (DI-ground, Def. 4.2)
",
    );
}

/// The two values that clash and the lines they come from, from the first value on.
fn clash(system: &str) -> String {
    let (code, out, _) = lozenge(&["solve", "-"], system);
    assert_eq!(code, 1, "{out}");
    out.split_once("what clashes\n  ").expect("the clash").1.to_owned()
}

#[test]
fn what_clashes_names_the_lines_of_both_sides() {
    assert_eq!(
        clash("⟨p⟩ ≈ []·⋄·[2,3]\n⟨q⟩ ≈ []·⋄·[2,5]\n⟨s⟩ ≈ ⟨p⟩\n⟨s⟩ ≈ ⟨q⟩\n"),
        "\
3  from line 1, through lines 3, 4
  5  from line 2, through line 4

3 = 5: 3 and 5 are different dimensions (DE-clash, Def. 4.2)
"
    );
    assert_eq!(
        clash("⟨p⟩ ≈ []·⋄·[2]\n⟨p⟩ ≈ []·⋄·[2,3]\n"),
        "\
[]·⋄·[2]    from line 1, through line 2
  []·⋄·[2,3]  from line 2

[]·⋄·[2] ≈ []·⋄·[2,3]: the left side has 1 axis, the right side 2 (RE-closed, Def. 4.3(a))
"
    );
    assert_eq!(
        clash("[2]·⟨p⟩·[2] ≈ []·⋄·[2]\n"),
        "\
[2]·⟨p⟩·[2]  from line 1
  []·⋄·[2]     from line 1

[2]·⟨p⟩·[2] ≈ []·⋄·[2]: the open side has 2 axes or more, the closed side 1 (RE-open-closed, Def. 4.3(b))
"
    );
    assert_eq!(
        clash("⟨p⟩ ≈ ⟨p⟩·[2]\n"),
        "\
⟨p⟩      from line 1
  ⟨p⟩·[2]  from line 1

⟨p⟩ ≈ ⟨p⟩·[2]: the row would equal itself with 1 axis more (RE-same-occurs, Def. 4.3(d))
"
    );
    assert_eq!(
        clash("[]·⋄·[2] ⊑ [3]·⋄·[2,2]\n"),
        "\
[]·⋄·[2]     from line 1
  [3]·⋄·[2,2]  from line 1

[]·⋄·[2] ⊑ [3]·⋄·[2,2]: the result lacks 1 axis in front and 1 at the back (RI-short-closed, Def. 4.3(iii))
"
    );
    // 1∅ is the only value above 3 and 5, so it comes from both.
    assert_eq!(
        clash("3 ⊑ a\n5 ⊑ a\na ⊑ 7\n"),
        "\
1∅  from line 2, through lines 1, 3
  7   from line 3

1∅ = 7: 1∅ and 7 are different dimensions (DE-clash, Def. 4.2)
"
    );
}

#[test]
fn a_placement_is_blamed_for_a_rejection() {
    // Remark 2.11.
    solves(
        "⟨p⟩ ≈ []·⋄·[3,5]\n[3]·⋄·[9,5] ⊑ ⟨p⟩\n",
        &[],
        1,
        "\
rejected: a placement that the solver chose leads to failure
This does not show that there is no solution: another placement may succeed.

the choice
  step 1 (RE-open-closed, line 1) chose ⟨p⟩ ↦ []·⋄·[3,5]
  the marker could also stand at [3]·⋄·[5] or [3,5]·⋄·[]

rests on 2 of 2 constraints
  line 1  ⟨p⟩ ≈ []·⋄·[3,5]
  line 2  [3]·⋄·[9,5] ⊑ ⟨p⟩

derivation
  1  RE-open-closed  line 1      ⟨p⟩ ≈ []·⋄·[3,5] → ⟨p⟩ ↦ []·⋄·[3,5]  a row variable takes what the other side has between the flanks
  2  RI-closed-op    lines 1, 2  [3]·⋄·[9,5] ⊑ []·⋄·[3,5] → 9 ⊑ 3     inside the operand's flanks anything may be
  3  DI-ground       lines 1, 2  9 ⊑ 3 → fails                        two known dimensions are compared

what clashes
  9  from line 2
  3  from line 1, through line 2

9 ⊑ 3: 9 is not below 3 (DI-ground, Def. 4.2)

a solution all the same
  ⟨p⟩ ↦ [3]·⋄·[5]
",
    );
    // Finding F5: equating two row variables places a marker too.
    let (code, out, _) = lozenge(&["solve", "-"], "⟨p⟩ ≈ ⟨q⟩\n⟨p⟩ ⊑ [3]·⋄·[]\n[]·⋄·[3] ⊑ ⟨q⟩\n");
    assert_eq!(code, 1);
    assert!(out.contains("  step 1 (RE-nested, line 1) chose ⟨q⟩ ↦ ⟨p⟩\n"), "{out}");
    assert!(out.contains("  the markers of ⟨q⟩ and ⟨p⟩ need not agree\n"), "{out}");
    assert!(out.contains("  lead ⟨?3⟩ ≥ 0      a length\n  sum of the weights: 1 = 1; so 0 ≥ 1\n"), "{out}");
}

const F1: &str = "[2]·⟨q⟩ ⊑ ⟨p⟩\n[2]·⟨p⟩ ⊑ ⟨q⟩·[3]\n";
const F2: &str = "⟨a⟩ ⊑ ⟨b⟩\n⟨b⟩·[3] ⊑ [2]·⟨c⟩\n[2]·⟨c⟩ ⊑ ⟨a⟩·[3]\n";

#[test]
fn the_guard_of_the_paper_misses_a_divergence() {
    solves(
        F1,
        &["--guard", "paper", "--fuel", "500"],
        3,
        "limit: fuel: 500 steps, and no end\n\nneither solved nor refuted\n",
    );
    solves(
        F1,
        &[],
        1,
        "\
unsat: there is no solution

rests on 2 of 2 constraints
  line 1  [2]·⟨q⟩ ⊑ ⟨p⟩
  line 2  [2]·⟨p⟩ ⊑ ⟨q⟩·[3]

derivation
  1  RI-cap    line 1      [2]·⟨q⟩ ⊑ ⟨p⟩ → trail ⟨q⟩ ≥ trail ⟨p⟩  what the result has inside the operand's flanks is kept below the operand's variable
  2  RG-trail  lines 1, 2  [2]·⟨p⟩ ⊑ ⟨q⟩·[3] → fails              a cycle of trailing flanks would need more axes than itself

what clashes
  trail ⟨q⟩ ≥ trail ⟨p⟩      line 1
  trail ⟨p⟩ ≥ trail ⟨q⟩ + 1  line 2
  sum of the weights: 0 + 1 = 1; so trail ⟨q⟩ ≥ trail ⟨q⟩ + 1

[2]·⟨p⟩ ⊑ ⟨q⟩·[3]: a cycle of lengths would need 1 axis more than it has (RG-trail, R1)
",
    );
}

#[test]
fn the_guard_of_the_paper_rejects_a_satisfiable_set() {
    solves(
        F2,
        &["--guard", "paper"],
        1,
        "\
rejected: the guard of Def. 4.5 fails
This does not show that there is no solution: its facts are not entailed (spec/findings/F2.md).

rests on 3 of 3 constraints
  line 1  ⟨a⟩ ⊑ ⟨b⟩
  line 2  ⟨b⟩·[3] ⊑ [2]·⟨c⟩
  line 3  [2]·⟨c⟩ ⊑ ⟨a⟩·[3]

derivation
  1  RI-cap      line 1         ⟨a⟩ ⊑ ⟨b⟩ → rank ⟨a⟩ ≥ rank ⟨b⟩              what the result has inside the operand's flanks is kept below the operand's variable
  2  RI-deficit  line 2         ⟨b⟩·[3] ⊑ [2]·⟨c⟩ → rank ⟨b⟩ ≥ rank ⟨c⟩ + 1  the result's variable grows by the axes it lacks
  3  RG-rank     lines 1, 2, 3  [2]·⟨c⟩ ⊑ ⟨a⟩·[3] → fails                    a cycle of row variables would need more axes than itself

what clashes
  rank ⟨a⟩ ≥ rank ⟨b⟩      line 1
  rank ⟨b⟩ ≥ rank ⟨c⟩ + 1  line 2
  rank ⟨c⟩ ≥ rank ⟨a⟩ + 1  line 3
  sum of the weights: 0 + 1 + 1 = 2; so rank ⟨a⟩ ≥ rank ⟨a⟩ + 2

[2]·⟨c⟩ ⊑ ⟨a⟩·[3]: a cycle of lengths would need 2 axes more than it has (RG-rank, Def. 4.5)

a solution all the same
  ⟨a⟩ ↦ [2]·⋄·[]
  ⟨b⟩ ↦ [2]·⋄·[]
  ⟨c⟩ ↦ []·⋄·[3]
",
    );
    assert_eq!(lozenge(&["solve", "-"], F2).0, 0, "the repaired guard lets it pass");
    assert_eq!(
        lozenge(&["solve", "-", "--guard", "paper", "--strategy", "lifo"], F2).0,
        0,
        "and so does another order"
    );
}

#[test]
fn limits_say_which() {
    let grow = "⟨p⟩ ⊑ [2]·⟨p⟩\n";
    let none = ["--guard", "none"];
    for (limit, said) in [
        (["--fuel", "10"], "limit: fuel: 10 steps, and no end"),
        (["--rank", "10"], "limit: rank: a flank with more than 10 axes"),
        (["--size", "10"], "limit: size: more than 10 axes written"),
    ] {
        solves(grow, &[none, limit].concat(), 3, &format!("{said}\n\nneither solved nor refuted\n"));
    }
}

#[test]
fn trace_prints_every_step() {
    let system = "⟨q⟩ ⊑ ⟨p⟩\n3 ⊑ a\na ⊑ 3\n";
    let (code, out, _) = lozenge(&["solve", "-", "--trace", "--ascii"], system);
    assert_eq!(code, 0);
    let steps = "\
solved: 5 steps, Def. 5.3

steps
  1  RI-cap   line 1      <q> <= <p> -> kept: <q> <= <p>  what the result has inside the operand's flanks is kept below the operand's variable
  2  DI-cap   line 2      3 <= a -> kept: 3 <= a          a size below a variable is kept; above two sizes there is only unit
  3  DI-pin   line 3      a <= 3 -> a = 3                 only the size itself is below a size
  4  DE-bind  line 3      a = 3 -> a := 3                 a variable takes the value it equals
  5  DI-refl  lines 2, 3  3 <= 3                          both sides are the same dimension
";
    assert!(out.starts_with(steps), "{out}");
    // A limit leaves the steps until then, and a failure shows those that have no part in it.
    let (code, out, _) = lozenge(&["solve", "-", "--trace", "--fuel", "2"], system);
    assert_eq!((code, out.lines().count()), (3, 7), "{out}");
    let (code, out, _) = lozenge(&["solve", "-", "--trace", "--guard", "none"], "⟨p⟩ ⊑ [2]·⟨p⟩\n");
    assert_eq!(code, 3);
    assert!(out.contains("\n  300  RI-"), "{out}");
    assert!(out.ends_with("\n  ... and more\n\nneither solved nor refuted\n"), "{out}");
    let (_, out, _) = lozenge(&["solve", "-", "--trace"], "5 ⊑ b\na ⊑ 3\na ⊑ 4\n");
    assert!(out.contains("\nsteps\n  1  DI-cap    line 1"), "{out}");
}

#[test]
fn a_long_derivation_is_cut() {
    let chain: String = (0..600).map(|i| format!("a{i} = b{i}\nb{i} = a{}\n", i + 1)).collect();
    let (code, out, _) = lozenge(&["solve", "-"], &format!("{chain}a0 = 3\na600 = 4\n"));
    assert_eq!(code, 1);
    assert!(out.contains("steps before these; --trace prints all\n"), "{out}");
    assert!(out.lines().count() < 200, "{}", out.lines().count());
}

#[test]
fn json_is_the_wire_format() {
    solves(
        "⟨r⟩ ⊑ [3]·⋄·[]\n5:rgb ⊑ a\na ⊑ b\n⟨x⟩·[1] ≈ [2]·⟨y⟩\n",
        &["--json"],
        0,
        concat!(
            r#"{"verdict":"solved","sigma":{"r":{"lead":[3],"trail":[],"var":"?6"},"?5":3},"#,
            r#""residual":{"caps":[{"var":"a","bound":{"basis":"rgb","n":5}}],"below":[["a","b"]],"#,
            r#""deferred":[{"eq":[{"lead":[],"trail":[1],"var":"x"},{"lead":[2],"trail":[],"var":"y"}]}]},"greatest":null}"#,
            "\n"
        ),
    );
    solves(
        "a = 3\na = 4\n",
        &["--json"],
        1,
        concat!(
            r#"{"verdict":"unsat","rule":"DE-clash","constraint":{"eq":[3,4]},"message":"3 and 4 are different dimensions"}"#,
            "\n"
        ),
    );
    solves("3 ⊑ a\n", &["--json", "--fuel", "0"], 3, "{\"verdict\":\"limit\",\"which\":\"fuel\"}\n");
    let (code, out, _) = lozenge(&["solve", "-", "--json", "--trace"], "a = 3\n");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &json["trace"][0]["rule"]), (0, &"DE-bind".into()));
}

#[test]
fn strategies_and_seeds() {
    for strategy in ["fifo", "lifo", "random", "rounds"] {
        let args = ["solve", "-", "--strategy", strategy, "--seed", "7"];
        let (code, out, err) = lozenge(&args, "a ⊑ b\nb ⊑ 3\n4 ⊑ c\n");
        assert_eq!((code, err.as_str()), (0, ""), "{strategy}");
        assert!(out.contains("  a ↦ 3\n  b ↦ 3\n"), "{strategy}: {out}");
        assert_eq!(lozenge(&args, "a ⊑ b\nb ⊑ 3\n4 ⊑ c\n").1, out, "the same bytes twice");
    }
}

#[test]
fn bad_files() {
    let (code, out, err) = lozenge(&["solve", "-"], "3 ⊑ a\n[3,4] ⊑ ⋄\n");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error in standard input\n2:7: a row needs its marker"), "{err}");
    assert!(err.contains("\n2 | [3,4] ⊑ ⋄\n"), "{err}");

    let broken = file("broken.txt", b"3 = \xff\n");
    let (code, out, err) = lozenge(&["solve", &broken.to_string_lossy()], "");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.ends_with("broken.txt is not UTF-8: see byte 4 (from 0)\n"), "{err}");

    let (code, out, err) = lozenge(&["solve", "no-such-file.txt"], "");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: cannot read no-such-file.txt: "), "{err}");

    let (code, out, err) = lozenge(&["solve", "no-such-file.txt", "--json"], "");
    assert_eq!((code, err.as_str()), (2, ""));
    assert!(out.starts_with(r#"{"verdict":"error","kind":"file","message":"cannot read no-such-file.txt: "#), "{out}");

    for options in [["--guard", "huge"], ["--fuel", "-1"], ["--strategy", "best"]] {
        assert_eq!(lozenge(&[&["solve", "-"], &options[..]].concat(), "").0, 2, "{options:?}");
    }
}

#[test]
fn check_says_what_holds_and_why_not() {
    let system = file(
        "check.txt",
        "⟨r⟩ ⊑ []·⋄·[3]\n\n⟨r⟩ ⊑ [5]·⋄·[]\n⟨r⟩ ≈ [2,4]·⋄·[]\n⟨r⟩ ≈ ⋄\na ⊑ 5\na = 4\n⟨r⟩ ⊑ []·⋄·[2,3]\n".as_bytes(),
    );
    let values = "r := [2] <> [3]\na := 3  # and nothing else\n";
    let system = system.to_string_lossy();
    let (code, out, err) = lozenge(&["check", &system, "-"], values);
    assert_eq!((code, err.as_str()), (1, ""));
    assert_eq!(
        out,
        "\
line 1  holds     ⟨r⟩ ⊑ []·⋄·[3]    [2]·⋄·[3] ⊑ []·⋄·[3]
line 3  violated  ⟨r⟩ ⊑ [5]·⋄·[]    [2]·⋄·[3] ⊑ [5]·⋄·[]

  result   [2]   ⋄ [3]
  operand  [5]   ⋄  1∅  []
            lead    pad
            ⋢       ⊑
            ^

  (i)  flanks fit: lead 1 ≥ 1, trail 1 ≥ 0
  (ii) position 0 (from 0): 2 ⋢ 5: different atoms are incomparable

line 4  violated  ⟨r⟩ ≈ [2,4]·⋄·[]  [2]·⋄·[3] ≈ [2,4]·⋄·[]
  position 1 (from 0): 3 ≠ 4
line 5  violated  ⟨r⟩ ≈ []·⋄·[]     [2]·⋄·[3] ≈ []·⋄·[]
  the ranks differ: 2 ≠ 0
line 6  violated  a ⊑ 5             3 ⊑ 5
  different atoms are incomparable
line 7  violated  a = 4             3 = 4
  3 ≠ 4
line 8  violated  ⟨r⟩ ⊑ []·⋄·[2,3]  [2]·⋄·[3] ⊑ []·⋄·[2,3]
  (i)  flanks do not fit: lead 1 ≥ 0, trail 1 < 2: the result lacks 1 trailing axis
violated: 6 of 7 constraints, Def. 3.4
"
    );
    let (code, out, _) = lozenge(&["check", &system, "-", "--json"], values);
    assert_eq!((code, out.as_str()), (1, "{\"verdict\":\"violated\",\"which\":[1,2,3,4,5,6]}\n"));
}

#[test]
fn check_holds() {
    let system = file("holds.txt", b"3 <= a\n<r> ~ [a] <> []\n");
    let system = system.to_string_lossy();
    let values = "a := unit\n<r> := <> [unit]\nunused := 7\n";
    let (code, out, err) = lozenge(&["check", &system, "-", "--ascii"], values);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(
        out,
        "\
line 1  holds     3 <= a           3 <= unit
line 2  holds     <r> ~ [a] <> []  [] <> [unit] ~ [unit] <> []
holds: 2 constraints, Def. 3.4
"
    );
    assert_eq!(lozenge(&["check", &system, "-", "--json"], values).1, "{\"verdict\":\"holds\"}\n");
}

#[test]
fn check_wants_every_value() {
    let system = file("missing.txt", "a ⊑ b\n⟨r⟩ ≈ ⟨s⟩\n".as_bytes());
    let system = system.to_string_lossy();
    for (values, said) in [
        ("b := 3\n", "error: no value for a, ⟨r⟩, ⟨s⟩\n"),
        ("a := 3\na := 4\n", "error in standard input\n2:1: `a` has a value already\n  |\n2 | a := 4\n  | ^\n"),
    ] {
        let (code, out, err) = lozenge(&["check", &system, "-"], values);
        assert_eq!((code, out.as_str(), err.as_str()), (2, "", said));
    }
    let (code, _, err) = lozenge(&["check", "-", "-"], "");
    assert_eq!((code, err.as_str()), (2, "error: FILE and VALUES cannot both be standard input\n"));
    assert_eq!(lozenge(&["check", &system, "no-such-file.txt"], "").0, 2);
}
