//! `lozenge fuzz`: every planted bug is found and shrunk, shards share the cases out, trouble is a finding.
#![allow(missing_docs)]

use lozenge_tests::{lozenge, python, read, root, run, scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// The most cases that finding a planted bug may take.
const BUDGET: u64 = 4_000;
/// The most constraints that are left of it.
const LEFT: u64 = 3;
const SEED: &str = "1";

fn fuzz(engine: &str, options: &[&str]) -> (Option<i32>, Value) {
    let (status, out, err) = run(&[&["fuzz", "--json", "--engine", engine, "--seed", SEED], options].concat(), "");
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

fn mutant(bug: &str) -> String {
    format!("{} tests/engines/python/mutant.py --bug {bug}", python())
}

/// The planted bugs with their words.
fn bugs() -> Vec<(String, String)> {
    let list = Command::new(python()).args(["tests/engines/python/mutant.py", "--list"]).current_dir(root()).output();
    let list = String::from_utf8(list.expect("python3").stdout).expect("UTF-8");
    list.lines().filter_map(|line| line.split_once('\t')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

/// One row of tests/engines/MUTANTS.md.
fn row(bug: &str, words: &str) -> String {
    let cases = BUDGET.to_string();
    let options = ["--cases", &cases, "--ops", "solve=3,check=1", "--findings", "1", "--time-limit", "60000"];
    let (status, found) = fuzz(&mutant(bug), &options);
    let finding = &found["findings"][0];
    assert_eq!(status, Some(1), "{bug} is not found in {BUDGET} cases: {found}");
    assert!(finding["size"].as_u64().is_some_and(|size| size <= LEFT), "{bug}: {finding}");
    let text: Vec<String> =
        finding["text"].as_array().expect("text").iter().filter_map(|l| Some(format!("`{}`", l.as_str()?))).collect();
    let [kind, op, definition] = ["kind", "op", "definition"].map(|field| finding[field].as_str().unwrap_or_default());
    let case = &finding["case"];
    format!("| {bug} | {words} | {case} | {op}: {kind}, {definition} | {} |", text.join("<br>"))
}

#[test]
fn every_mutant_is_found_and_shrunk_as_the_table_says() {
    let bugs = bugs();
    assert!(bugs.len() >= 12, "{} bugs", bugs.len());
    let rows: Vec<String> = bugs.iter().map(|(bug, words)| row(bug, words)).collect();
    let path = "tests/engines/MUTANTS.md";
    let page = read(path);
    let head = page.split_inclusive('\n').take_while(|line| !line.starts_with("|---")).collect::<String>();
    let made = format!("{head}|---|---|---|---|---|\n{}\n", rows.join("\n"));
    if std::env::var_os("LOZENGE_UPDATE").is_some() {
        std::fs::write(root().join(path), &made).expect("written");
    }
    assert_eq!(read(path), made, "LOZENGE_UPDATE=1 cargo test -p lozenge-tests --test suite fuzz:: rewrites it");
}

#[test]
fn nothing_is_found_in_the_python_engine() {
    let engine = format!("{} tests/engines/python/engine.py", python());
    let (status, found) = fuzz(&engine, &["--cases", "3000", "--ops", "solve=3,check=1", "--time-limit", "60000"]);
    assert_eq!((status, &found["asked"], &found["unsupported"]), (Some(0), &3000.into(), &0.into()), "{found}");
}

#[test]
fn what_was_exercised_is_said_of_what_is_counted() {
    let engine = format!("{} oracle", lozenge().display());
    let said = |options: &[&str]| {
        let (status, out, err) = run(&[&["fuzz", "--engine", &engine], options].concat(), "");
        assert_eq!(status, Some(0), "{out}{err}");
        out.lines().find(|line| line.starts_with("exercised: ")).expect("a line").to_owned()
    };
    assert!(said(&["--ops", "solve", "--cases", "50"]).contains(" of 25 rules"));
    let programs = said(&["--ops", "infer", "--cases", "5"]);
    assert!(programs.starts_with("exercised: Defs. 6.1 (") && !programs.contains(" of 25 rules"), "{programs}");
    // The eighth part of three cases has none.
    assert_eq!(said(&["--cases", "3", "--shard", "8/8"]), "exercised: nothing");
}

/// Our own oracle, its answers changed by `sed`.
fn altered(change: &str) -> String {
    format!("sh -c '{} oracle | sed -u {change}'", lozenge_tests::lozenge().display())
}

#[test]
fn loop_nests_and_values_are_asked_for_too() {
    let options = ["--cases", "600", "--findings", "1", "--time-limit", "60000"];
    let (status, found) = fuzz(&altered("s/a/a/"), &[&options[..], &["--ops", "project,run"]].concat());
    assert_eq!((status, &found["asked"], &found["unsupported"]), (Some(0), &600.into(), &0.into()), "{found}");
    let planted = [
        ("project", r#"s/\"surjective\":true/\"surjective\":false/"#, "7.6"),
        ("run", r#"s/\"data\":.0.0/\"data\":[7.5/"#, "7.8"),
    ];
    for (op, change, definition) in planted {
        let (status, found) = fuzz(&altered(change), &[&options[..], &["--ops", op]].concat());
        let finding = &found["findings"][0];
        assert_eq!((status, &finding["definition"]), (Some(1), &definition.into()), "{found}");
        assert!(finding["size"].as_u64().is_some_and(|size| size <= LEFT), "{finding}");
    }
}

#[test]
fn a_difference_of_reading_is_reported_apart() {
    let (status, found) =
        fuzz(&mutant("reading"), &["--cases", "400", "--ops", "check", "--findings", "3", "--time-limit", "60000"]);
    let classes: BTreeSet<&str> =
        found["findings"].as_array().expect("findings").iter().filter_map(|f| f["class"].as_str()).collect();
    assert_eq!((status, classes), (Some(0), BTreeSet::from(["reading"])), "{found}");
}

/// The requests that an engine sees which writes them down and answers none.
fn asked(name: &str, options: &[&str]) -> Vec<String> {
    let log = scratch("shards").join(name);
    let engine = format!(
        r#"while read line; do echo "$line" >> '{}'; echo "$line" | sed 's/.*"id":\([0-9]*\).*/{{"id":\1,"verdict":"error","kind":"unsupported"}}/'; done"#,
        log.display()
    );
    let (status, _) = fuzz(&engine, &[&["--cases", "60", "--jobs", "1"], options].concat());
    assert_eq!(status, Some(0));
    let text = std::fs::read_to_string(log).expect("a log");
    let mut lines: Vec<String> =
        text.lines().filter(|line| line.contains("\"id\"") && !line.contains("version")).map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn shards_are_disjoint_and_together_the_whole() {
    let whole = asked("whole", &[]);
    assert_eq!(whole.iter().collect::<BTreeSet<_>>().len(), 60);
    let mut parts: Vec<String> =
        (1..=3).flat_map(|i| asked(&format!("part{i}"), &["--shard", &format!("{i}/3")])).collect();
    parts.sort();
    assert_eq!(parts, whole);
    for bad in ["0/3", "4/3", "x", "1/0"] {
        let (status, _, err) = run(&["fuzz", "--engine", "true", "--shard", bad], "");
        assert!(status == Some(2) && err.contains("i/n"), "{bad}: {err}");
    }
}

#[test]
fn trouble_is_a_finding_and_the_run_goes_on() {
    let version = r#"read line; echo '{"verdict":"version"}';"#;
    for (engine, limit, class) in [
        (format!("{version} read line; sleep 60"), "100", "hang"),
        (format!("{version} read line; kill -9 $$"), "60000", "crash"),
        ("while read line; do echo babble; done".to_owned(), "60000", "garbage"),
    ] {
        let options = [
            "--cases",
            "3",
            "--findings",
            "1",
            "--jobs",
            "1",
            "--time-limit",
            limit,
            "--ops",
            "check",
            "--constraints",
            "1",
        ];
        let (status, found) = fuzz(&engine, &options);
        let finding = &found["findings"][0];
        assert_eq!(
            (status, &finding["class"], &finding["size"]),
            (Some(1), &class.into(), &1.into()),
            "{engine}: {found}"
        );
    }
}

#[test]
fn findings_are_kept_and_can_be_run_again() {
    let file = scratch("append").join("found.jsonl").display().to_string();
    let engine = mutant("pin-top-dropped");
    let options = ["--cases", "500", "--ops", "solve", "--findings", "2", "--append", &file, "--time-limit", "60000"];
    let (status, found) = fuzz(&engine, &options);
    assert_eq!(status, Some(1), "{found}");
    for (engine, status) in [(engine, Some(1)), (format!("{} tests/engines/python/engine.py", python()), Some(0))] {
        let (ended, out, _) = run(&["conform", "--engine", &engine, "--corpus", &file], "");
        assert_eq!(ended, status, "{out}");
    }
    let (_, text, _) = run(
        &[
            "fuzz",
            "--engine",
            &mutant("pin-top-dropped"),
            "--seed",
            SEED,
            "--cases",
            "500",
            "--ops",
            "solve",
            "--findings",
            "1",
            "--time-limit",
            "60000",
        ],
        "",
    );
    for part in [
        "finding 1: difference (allows-too-much) in solve",
        "1∅ ⊑",
        "request    {",
        "the reference derives",
        "DI-pin-top",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// An engine whose every answer is a finding.
const BABBLE: &str = "while read line; do echo babble; done";

#[test]
fn appending_keeps_what_is_there_and_whole_lines() {
    let folder = scratch("appended");
    let file = folder.join("found.jsonl");
    std::fs::write(&file, "{\"an\":\"earlier line\"}\n{\"without\":\"an end\"}").expect("a file");
    let path = file.display().to_string();
    // Several at a time, one of them killed on the way.
    let start = |seed: &str| {
        let options = ["--engine", BABBLE, "--ops", "check", "--jobs", "1", "--cases", "40", "--findings", "4"];
        let mut command = Command::new(lozenge_tests::lozenge());
        command.arg("fuzz").args(options).args(["--time-limit", "60000", "--seed", seed, "--append", &path]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().expect("it starts")
    };
    let mut all: Vec<_> = ["1", "2", "3"].map(start).into();
    let begun = std::time::Instant::now();
    let lines = || std::fs::read_to_string(&file).expect("it is always there").lines().count();
    while lines() < 3 {
        assert!(begun.elapsed().as_secs() < 120, "something is found");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let _ = all[0].kill();
    let ended: Vec<Option<i32>> = all.iter_mut().map(|child| child.wait().expect("it ends").code()).collect();
    assert_eq!(ended[1..], [Some(1), Some(1)]);
    let text = std::fs::read_to_string(&file).expect("cases");
    assert!(
        text.starts_with("{\"an\":\"earlier line\"}\n{\"without\":\"an end\"}\n") && text.ends_with('\n'),
        "{text}"
    );
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("whole lines")).collect();
    for seed in ["fuzz/2-", "fuzz/3-"] {
        let of = cases.iter().filter(|case| case["id"].as_str().is_some_and(|id| id.starts_with(seed))).count();
        assert!(of >= 1, "{seed}: {text}");
    }
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing else is left");
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (options, says) in [
        (&["--ops", "solve=18446744073709551615,check=18446744073709551615"][..], "up to 1000"),
        (&["--ops", "solve=1,solve=2"], "`solve` is there twice"),
        (&["--variable-axes", "11"], "from 0 to 10"),
        (&["--open-rows", "11"], "from 0 to 10"),
        (&["--equalities", "11"], "from 0 to 10"),
        (&["--constraints", "0"], "from 1 to 1000"),
        (&["--vars", "0"], "from 1 to 1000"),
        (&["--sizes", "0"], "from 1 to 1000"),
        (&["--bases", "0"], "from 1 to 1000"),
        (&["--findings", "0"], "nothing would be asked"),
        (&["--cases", "0"], "nothing would be asked"),
        (&["--time", "0"], "nothing would be asked"),
    ] {
        let (status, _, err) = run(&[&["fuzz", "--engine", "true"], options].concat(), "");
        assert!(status == Some(2) && err.contains(says), "{options:?}: {err}");
    }
}

#[test]
fn results_do_not_replace_each_other() {
    let file = scratch("fuzz-apart").join("x").display().to_string();
    for option in [&["--report"][..], &["--html"], &["--learn", "--known"]] {
        let options = [&["fuzz", "--engine", "true", "--append", &file], option, &[&file]].concat();
        let (status, _, err) = run(&options, "");
        assert!(status == Some(2) && err.contains("is read, or written twice"), "{option:?}: {err}");
    }
}

#[test]
fn one_object_whatever_fails_behind_it() {
    let engine = mutant(&bugs()[0].0);
    let options = ["fuzz", "--json", "--engine", &engine, "--seed", SEED, "--findings", "1", "--append", "/dev/full"];
    let (status, out, err) = run(&[&options[..], &["--ops", "solve=3,check=1", "--time-limit", "60000"]].concat(), "");
    assert!(status == Some(2) && out.lines().count() == 1 && err.contains("cannot write /dev/full"), "{out}{err}");
}
