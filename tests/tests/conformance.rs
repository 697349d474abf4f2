//! The conformance corpus and `lozenge conform`: the corpus is current and covers what it says, the oracle and the Python
//! engine pass, wrong engines fail.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::solver::{GuardPolicy, Policy, Rule, solve_traced};
use lozenge::wire;
use lozenge_tests::{corpus, lozenge, python, read, run, scratch};
use serde_json::Value;
use std::collections::BTreeSet;

/// Status and output of `lozenge conform`.
fn conform(engine: &str, options: &[&str]) -> (Option<i32>, String) {
    let (status, out, err) = run(&[&["conform", "--engine", engine], options].concat(), "");
    (status, format!("{out}{err}"))
}

fn report(engine: &str, options: &[&str]) -> (Option<i32>, Value) {
    let (status, out) = conform(engine, &[&["--json"], options].concat());
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}")))
}

fn oracle() -> String {
    format!("'{}' oracle", lozenge().display())
}

#[test]
fn the_corpus_is_current() {
    let (status, out, _) = run(&["corpus"], "");
    assert_eq!(status, Some(0), "run `cargo run -- corpus --write`:\n{out}");
}

#[test]
fn the_corpus_covers_the_rules_the_examples_and_the_findings() {
    let cases = corpus();
    assert!(cases.len() >= 1000, "{} cases", cases.len());
    let ids: BTreeSet<&str> = cases.iter().filter_map(|case| case["id"].as_str()).collect();
    assert_eq!(ids.len(), cases.len(), "every case has an id of its own");
    for field in ["about", "definitions", "freedom", "expected"] {
        assert!(cases.iter().all(|case| !case[field].is_null()), "{field} in every case");
    }
    for finding in
        (1..=16).filter(|n| ![7, 8, 9].contains(n)).map(|n| format!("finding/F{n}-")).chain(["finding/W-".into()])
    {
        // F7 to F9 are about substitutions and rigid rows, which no request can say.
        assert!(ids.iter().any(|id| id.starts_with(&finding)), "{finding}");
    }
    let fired: BTreeSet<Rule> = cases.iter().flat_map(|case| rules(&case["request"])).collect();
    let missing: Vec<&Rule> = Rule::ALL.iter().filter(|rule| !fired.contains(rule)).collect();
    assert!(missing.is_empty(), "no case fires {missing:?}");
}

fn rules(request: &Value) -> Vec<Rule> {
    let mut names = Names::new();
    let list = request["constraints"].as_array().into_iter().flatten();
    let phi: Vec<Constraint> = list.filter_map(|c| wire::read_constraint(c, &mut names).ok()).collect();
    let mut policy = Policy::default();
    policy.limits.fuel = 1000;
    if request["policy"]["guard"] == "paper" {
        policy.guard = GuardPolicy::Paper;
    }
    solve_traced(&phi, &mut names, policy).trace.steps.iter().map(|step| step.rule).collect()
}

#[test]
fn messages_follow_their_schemas() {
    let schema = |of: &str| {
        let (_, printed, _) = run(&["schema", of], "");
        let file = format!("spec/schema/{of}.v1.json");
        assert_eq!(printed, read(&file), "run `cargo run -- schema {of} > {file}`");
        jsonschema::validator_for(&serde_json::from_str(&printed).expect("JSON")).expect("a schema")
    };
    let (request, answer) = (schema("request"), schema("answer"));
    let mut refused = 0;
    for case in corpus() {
        assert!(answer.is_valid(&case["expected"]), "{}", case["expected"]);
        let (sent, fine) = (&case["request"], case["expected"]["kind"].is_null());
        // A sort, an unknown name and the text of a program are beyond a schema, so it may allow what is refused.
        assert!(!fine || request.is_valid(sent), "{sent}");
        refused += usize::from(!sent.is_null() && !request.is_valid(sent));
    }
    assert!(refused > 20, "{refused} bad requests are bad by the schema");
}

#[test]
fn the_oracle_conforms() {
    let (status, report) = report(&oracle(), &[]);
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(report["passed"], report["cases"], "{report}");
}

#[test]
fn the_python_engine_conforms_and_reports_are_written() {
    let folder = scratch("conform");
    let [junit, json] = ["results.xml", "results.json"].map(|name| folder.join(name).display().to_string());
    let engine = format!("{} tests/engines/python/engine.py", python());
    let (status, table) = conform(&engine, &["--junit", &junit, "--report", &json]);
    assert_eq!(status, Some(0), "{table}");
    let last = table.lines().last().expect("a table");
    let numbers: Vec<usize> = last.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [passed, failed, unsupported, reading] = numbers[..] else { panic!("{last}") };
    assert!(passed > 900 && unsupported > 0, "{last}");
    assert_eq!((failed, reading, passed + unsupported), (0, 0, corpus().len()), "{last}");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).expect("a report")).expect("JSON");
    assert_eq!((&report["passed"], &report["failed"]), (&passed.into(), &0.into()));
    assert_eq!(report["definitions"]["6.1"]["passed"], 0, "the engine does not close");
    let junit = std::fs::read_to_string(junit).expect("a report");
    assert_eq!(junit.matches("<testcase ").count(), corpus().len());
    assert!(junit.contains(&format!("failures=\"0\" errors=\"0\" skipped=\"{unsupported}\"")), "{junit:.400}");
}

#[test]
fn wrong_engines_fail_with_the_definition() {
    let engine = format!("{} tests/engines/python/mutant.py --bug pin-dropped", python());
    let only = ["--corpus", "tests/conformance/paper.jsonl", "--definition", "4.2"];
    let (status, report) = report(&engine, &only);
    assert_eq!(status, Some(1), "{report}");
    assert!(report["failed"].as_u64() > Some(0) && report["passed"].as_u64() > Some(0), "{report}");
    let (status, text) = conform(&engine, &only);
    assert!(status == Some(1) && text.contains("finding   1.2-wrong-values-"), "{text}");
    let (status, error) = conform("no-such-program", &only);
    assert!(status == Some(2) && error.contains("`no-such-program`"), "{error}");
}

#[test]
fn engines_that_hang_crash_or_babble_do_not_end_the_run() {
    let only = ["--corpus", "tests/conformance/paper.jsonl", "--definition", "1.3", "--time-limit"];
    let version = r#"read line; echo '{"verdict":"version"}';"#;
    for (engine, limit, says) in [
        (format!("{version} read line; sleep 60"), "300", "no answer within 300 ms"),
        (format!("{version} read line; exit 3"), "60000", "the engine ended before its answer: status 3"),
        (
            "while read line; do echo babble; done".to_owned(),
            "60000",
            "the answer is no line of the protocol: it is not JSON",
        ),
        ("while read line; do echo 17; done".to_owned(), "60000", "/id: comes back as none"),
    ] {
        let (status, report) = report(&engine, &[&only[..], &[limit]].concat());
        assert_eq!((status, &report["failed"]), (Some(1), &report["cases"]), "{engine}: {report}");
        let what = report["failures"][0]["what"].as_str().expect("what");
        assert!(what.contains(says), "{engine}: {what}");
    }
    // The start has a time of its own, which is said.
    let (status, error) = conform("sleep 60", &[&only[..], &["300"]].concat());
    assert_eq!(status, Some(2), "{error}");
    assert!(error.contains("no answer to `version` within 20300 ms: an engine has 20 s to start"), "{error}");
    let refuses = r#"while read line; do echo "$line" | sed 's/.*"id":\("[^"]*"\).*/{"id":\1,"verdict":"error","kind":"unsupported"}/'; done"#;
    let (status, report) = report(refuses, &[&only[..], &["60000"]].concat());
    assert_eq!((status, &report["unsupported"]), (Some(0), &report["cases"]), "{report}");
}

/// Paths that nothing can be written to: in a folder that is missing, below a file, a folder.
fn unwritable(folder: &std::path::Path) -> [String; 3] {
    let file = folder.join("file");
    std::fs::write(&file, "a file").expect("a file");
    [folder.join("missing/it"), file.join("it"), folder.to_owned()].map(|path| path.display().to_string())
}

#[test]
fn what_cannot_be_written_is_refused_before_the_work_begins() {
    let folder = scratch("unwritable");
    let started = folder.join("started");
    let engine = format!("echo > '{}'; exec '{}' oracle", started.display(), lozenge().display());
    let program = "tests/programs/run/worked.loz";
    for path in unwritable(&folder) {
        for options in [
            &["conform", "--engine", &engine, "--definition", "1.3", "--junit", &path][..],
            &["conform", "--engine", &engine, "--definition", "1.3", "--report", &path],
            &["fuzz", "--engine", &engine, "--cases", "5", "--append", &path],
            &["certify", "-", "--only", "rust", "--write", &path],
        ] {
            let (status, out, err) = run(options, "a = 2\na = 3\n");
            assert_eq!((status, out.as_str()), (Some(2), ""), "{options:?}: {err}");
            assert!(err.starts_with(&format!("error: cannot write {path}: ")), "{options:?}: {err}");
        }
    }
    assert!(!started.exists(), "no engine was started");
    let below = folder.join("file/it").display().to_string();
    for options in [&["run", program, "--fill", "range", "--data", "ones=1", "--save", &below][..], &["lean", &below]] {
        let (status, out, err) = run(options, "");
        assert!(status == Some(2) && out.is_empty() && err.contains("cannot write"), "{options:?}: {out}{err}");
    }
    // A device that takes nothing shows only at the end: then what was found is still told.
    let (status, out, err) =
        run(&["conform", "--engine", &oracle(), "--definition", "1.3", "--report", "/dev/full"], "");
    assert!(status == Some(2) && out.contains("all cases"), "{out}{err}");
    assert!(err.contains("cannot write /dev/full"), "{err}");
    assert!(std::path::Path::new("/dev/null").metadata().is_ok_and(|null| !null.is_file()));
    let (status, _, err) = run(&["conform", "--engine", &oracle(), "--definition", "1.3", "--junit", "/dev/null"], "");
    assert_eq!(status, Some(0), "{err}");
    assert!(std::path::Path::new("/dev/null").metadata().is_ok_and(|null| !null.is_file()), "a device stays one");
}

/// The names in a folder.
fn names_in(folder: &std::path::Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn an_interrupted_run_leaves_the_old_report_and_nothing_else() {
    for (signal, whole) in [("KILL", false), ("INT", true)] {
        let folder = scratch(&format!("interrupted-{signal}"));
        let (report, started) = (folder.join("report.json"), folder.join("started"));
        std::fs::write(&report, "the old one").expect("a report");
        // Three answers, and then none.
        let refuse = r#"sed 's/.*"id":\("[^"]*"\).*/{"id":\1,"verdict":"error","kind":"unsupported"}/'"#;
        let engine = format!(
            r#"for i in 1 2 3; do read line || exit; echo "$line" | {refuse}; done; echo > '{}'; sleep 600"#,
            started.display()
        );
        let options = ["conform", "--jobs", "1", "--time-limit", "600000", "--engine", &engine, "--report"];
        let child = std::process::Command::new(lozenge())
            .args(options)
            .arg(&report)
            .current_dir(lozenge_tests::root())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn();
        let mut child = child.expect("lozenge starts");
        let begun = std::time::Instant::now();
        while !started.exists() {
            assert!(begun.elapsed().as_secs() < 120, "the engine starts");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let kill = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.is_ok_and(|status| status.success()), "{signal}");
        child.wait().expect("it ends");
        assert_eq!(names_in(&folder), ["report.json", "started"].map(str::to_owned).into(), "{signal}");
        let text = std::fs::read_to_string(&report).expect("a report");
        if whole {
            let report: Value = serde_json::from_str(&text).expect("a whole report");
            assert!(report["not_run"].as_u64() > Some(0), "{report}");
        } else {
            assert_eq!(text, "the old one");
        }
    }
}

/// A copy of the corpus in a folder that is a repository's.
fn copied(name: &str) -> std::path::PathBuf {
    let top = scratch(name);
    let folder = top.join("tests/conformance");
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in names_in(&lozenge_tests::root().join("tests/conformance")).iter().filter(|name| name.contains(".json"))
    {
        std::fs::copy(lozenge_tests::root().join("tests/conformance").join(name), folder.join(name)).expect("a copy");
    }
    top
}

/// Status and what is said where this is the repository.
fn conform_in(top: &std::path::Path, options: &[&str]) -> (Option<i32>, String) {
    let command = ["conform", "--engine", &oracle(), "--definition", "1.3"];
    let output = std::process::Command::new(lozenge()).args(command).args(options).current_dir(top).output();
    let output = output.expect("lozenge runs");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn a_corpus_that_is_not_whole_is_refused_by_name() {
    let top = copied("inventory");
    let (folder, random) = (top.join("tests/conformance"), top.join("tests/conformance/random.jsonl"));
    let (whole, inventory) = (std::fs::read_to_string(&random), std::fs::read_to_string(folder.join("inventory.json")));
    let (whole, inventory) = (whole.expect("cases"), inventory.expect("an inventory"));
    let folder_given = ["--corpus", "tests/conformance"];
    let (status, said) = conform_in(&top, &folder_given);
    assert_eq!(status, Some(0), "{said}");
    let total = corpus().len();
    assert!(said.contains(&format!("{total} cases in 7 files: as the inventory says")), "{said}");
    let refused = |says: &str| {
        let (status, said) = conform_in(&top, &folder_given);
        assert!(status == Some(2) && said.contains(says), "{says}: {said}");
    };
    std::fs::remove_file(&random).expect("removed");
    refused("random.jsonl: it is missing: inventory.json lists it, with 540 cases");
    let cut: String = whole.split_inclusive('\n').take(100).collect();
    std::fs::write(&random, &cut).expect("cut");
    refused("random.jsonl: it has 100 cases, and inventory.json says 540");
    let (status, said) = conform_in(&top, &["--corpus", "tests/conformance/random.jsonl"]);
    assert!(status == Some(2) && said.contains("random.jsonl: it has 100 cases"), "one file of it: {said}");
    std::fs::write(&random, whole.replacen("\"unsat\"", "\"solved\"", 1)).expect("changed");
    refused("random.jsonl: it is not the file that inventory.json lists");
    std::fs::write(&random, &whole[..whole.len() - 20]).expect("cut");
    refused("random.jsonl: it is not the file that inventory.json lists");
    std::fs::write(&random, &whole).expect("as it was");
    std::fs::write(folder.join("more.jsonl"), &cut).expect("one more");
    refused("more.jsonl: inventory.json of this folder does not list it");
    std::fs::remove_file(folder.join("more.jsonl")).expect("removed");
    for broken in ["{}".to_owned(), inventory.replacen("540", "541", 1), inventory[..50].to_owned()] {
        std::fs::write(folder.join("inventory.json"), broken).expect("a broken inventory");
        refused("inventory.json: ");
    }
    std::fs::remove_file(folder.join("inventory.json")).expect("removed");
    // The corpus inside is whole, whatever is here.
    let (status, said) = conform_in(&top, &[]);
    assert!(status == Some(0) && said.contains(&format!("{total} cases in 7 files: as the inventory says")), "{said}");
    // A folder of one's own needs none.
    let (status, said) = conform_in(&top, &folder_given);
    assert!(status == Some(0) && said.contains("there is no inventory that says"), "{said}");
}

#[test]
fn results_replace_neither_each_other_nor_what_is_read() {
    let folder = scratch("apart");
    let path = |name: &str| folder.join(name).display().to_string();
    let corpus = path("few.jsonl");
    let few: String = read("tests/conformance/paper.jsonl").lines().take(2).map(|line| format!("{line}\n")).collect();
    std::fs::write(&corpus, &few).expect("written");
    let twice = format!("{}/../apart/same", folder.display());
    for options in [["--junit", &path("same"), "--report", &twice], ["--junit", &corpus, "--report", &path("other")]] {
        let (status, out) = conform(&oracle(), &[&["--corpus", &corpus][..], &options].concat());
        assert_eq!(status, Some(2), "{options:?}: {out}");
        assert!(out.contains("name another file"), "{options:?}: {out}");
    }
    assert_eq!(std::fs::read_to_string(&corpus).expect("the corpus"), few);
    let (status, _, err) = run(&["certify", "--only", "rust", &corpus, "--write", &corpus], "");
    assert_eq!(status, Some(2), "{err}");
    assert_eq!(std::fs::read_to_string(&corpus).expect("the corpus"), few);
}
