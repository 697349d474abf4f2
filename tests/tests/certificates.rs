//! `lozenge certify` against hostile checkers and hostile certificates. Nothing here needs Coq: what the extracted checker
//! says is in `certify`.
#![allow(missing_docs)]

use lozenge::certificate::json::{Certificate, parse, read_certificate, refutation};
use lozenge::certificate::{Refusal, check_refutation, check_solution};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::{Policy, Verdict, solve_traced};
use lozenge::wire;
use lozenge_harnesses::generators::{System, Weights};
use lozenge_tests::{lozenge, run, scratch};
use quickcheck::Gen;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const UNSAT: &str = "a = 2\na = 3\n";

/// A checker that is this script.
fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it can be run");
    path
}

/// Status, stdout, stderr of `lozenge certify - --checker PATH`.
fn certify_by(checker: &Path, options: &[&str]) -> (Option<i32>, String, String) {
    let checker = checker.to_str().expect("UTF-8");
    run(&[&["certify", "-", "--checker", checker], options].concat(), UNSAT)
}

#[test]
fn checkers_that_do_not_answer_as_one_should_are_an_error() {
    let folder = scratch("hostile-checkers");
    for (name, text, says) in [
        ("garbage", "cat >/dev/null; echo 'a = 3'", "it does not answer as lozenge-check does"),
        ("silent", "exit 0", "it does not answer as lozenge-check does"),
        ("yes-and-no", "cat >/dev/null; echo VALID; exit 1", "it does not answer as lozenge-check does"),
        ("twice", "cat >/dev/null; echo VALID; echo VALID", "it does not answer as lozenge-check does"),
        ("cut", "cat >/dev/null; printf VALID", "it does not answer as lozenge-check does"),
        ("bytes", "cat >/dev/null; printf '\\377\\n'", "it does not answer as lozenge-check does"),
        ("endless", "exec yes VALID", "it writes more than 65536 bytes"),
        ("megabytes", "head -c 8000000 /dev/zero", "it writes more than 65536 bytes"),
        ("unreadable", "cat >/dev/null; echo 'UNREADABLE: this'; exit 2", "UNREADABLE: this"),
        ("killed", "kill -9 $$", "it does not answer as lozenge-check does"),
    ] {
        let (status, out, err) = certify_by(&script(&folder, name, text), &[]);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{name}: {err}");
        assert!(err.starts_with("error: the checker ") && err.contains(name) && err.contains(says), "{name}: {err}");
    }
    std::fs::write(folder.join("text"), "no program\n").expect("a file");
    for (path, says) in [("text", "it does not start"), ("missing", "it cannot be read"), (".", "it is no file")] {
        let (status, _, err) = certify_by(&folder.join(path), &[]);
        assert!(status == Some(2) && err.contains(says), "{path}: {err}");
    }
    let (status, out, _) =
        certify_by(&script(&folder, "no", "cat >/dev/null; echo 'REFUSED: so'; exit 1"), &["--json"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &said["checks"][1]["message"]), (Some(1), &json!("so")), "{said}");
}

#[test]
fn standard_input_is_read_once() {
    let (status, out, err) = run(&["certify", "-", "--certificate", "-", "--only", "rust"], UNSAT);
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert_eq!(err, "error: FILE and --certificate cannot both be standard input\n");
}

#[test]
fn a_variable_without_a_value_has_its_name() {
    let certificate = r#"{"constraints":[{"le":[3,{"var":"a"}]}],"certificate":{"solution":{}}}"#;
    let (status, out, _) = run(&["certify", "--certificate", "-", "--only", "rust"], certificate);
    assert!(status == Some(1) && out.contains("refused by the checker of core: variable a has no value\n"), "{out}");
}

/// Core refuses, and the other checker fails: that is a refusal. Where core confirms, it is an error.
#[test]
fn a_refusal_stays_one_whatever_the_other_checker_does() {
    let folder = scratch("half-refused");
    let checker = script(&folder, "short", "cat >/dev/null; echo 'UNREADABLE: the number is too large'; exit 2");
    let asked = |certificate: &str, options: &[&str]| {
        let checker = checker.to_str().expect("UTF-8");
        run(&[&["certify", "--certificate", "-", "--checker", checker], options].concat(), certificate)
    };
    let solution = |value: u64| {
        format!(r#"{{"constraints":[{{"eq":[2,{{"var":"a"}}]}}],"certificate":{{"solution":{{"a":{value}}}}}}}"#)
    };
    let (status, out, err) = asked(&solution(3), &[]);
    assert_eq!((status, err.as_str()), (Some(1), ""), "{out}");
    assert!(out.contains("refused by the checker of core: constraint 0 is violated\n"), "{out}");
    assert!(out.contains("not answered by the extracted, proved checker: the checker "), "{out}");
    assert!(out.contains("UNREADABLE: the number is too large\n"), "{out}");
    let (status, out, _) = asked(&solution(3), &["--json"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &said["verdict"]), (Some(1), &json!("refused")), "{said}");
    let (status, out, err) = asked(&solution(2), &[]);
    assert!(status == Some(2) && out.is_empty() && err.contains("UNREADABLE"), "{out}{err}");
}

/// `tail` keeps the last lines, and the first line of `/dev/zero` never ends.
#[test]
#[cfg(target_os = "linux")]
fn a_checker_that_takes_too_much_memory_is_ended() {
    let folder = scratch("large-checkers");
    let large = script(&folder, "large", "exec tail /dev/zero");
    let (status, out, err) = certify_by(&large, &["--memory", "64"]);
    assert_eq!((status, err.as_str()), (Some(3), ""), "{out}");
    assert!(
        out.contains("not answered by the extracted, proved checker: it had more than 64 MiB of memory\n"),
        "{out}"
    );
    let (status, out, _) = certify_by(&large, &["--memory", "64", "--json"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &said["checks"][1]["limit"]), (Some(3), &json!("memory")), "{said}");
}

/// Waits until a process is gone.
fn ends(pid: &Path) {
    let pid = std::fs::read_to_string(pid).expect("the number of a process");
    let begun = Instant::now();
    while Path::new("/proc").join(pid.trim()).join("exe").read_link().is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(60), "process {pid} goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_checker_that_takes_too_long_is_ended_with_what_it_started() {
    let folder = scratch("slow-checkers");
    let child = folder.join("child");
    let text = format!("sleep 600 & echo $! > '{}'; wait", child.display());
    let slow = script(&folder, "slow", &text);
    let (status, out, err) = certify_by(&slow, &["--time", "2"]);
    assert_eq!((status, err.as_str()), (Some(3), ""));
    assert!(out.contains("not answered by the extracted, proved checker: no answer within 2 s"), "{out}");
    ends(&child);
    let (status, out, _) = certify_by(&slow, &["--time", "2", "--json"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    let check = &said["checks"][1];
    assert_eq!((status, &check["confirmed"], &check["limit"]), (Some(3), &json!(false), &json!("time")), "{said}");
    ends(&child);
    // This one answers, and leaves something behind that holds its output.
    let text = format!("cat >/dev/null; sleep 600 & echo $! > '{}'; echo VALID", child.display());
    let (status, out, err) = certify_by(&script(&folder, "parent", &text), &[]);
    assert_eq!(status, Some(0), "{out}{err}");
    ends(&child);
    let (status, _, _) = certify_by(&slow, &["--time", "0"]);
    assert_eq!(status, Some(2), "no time at all is no limit");
}

#[test]
fn no_checker_is_taken_that_nobody_named() {
    let folder = std::env::temp_dir().join(format!("lozenge-certificates-{}", std::process::id()));
    let (bin, built, ran) = (folder.join("target/debug"), folder.join("proofs/coq/build"), folder.join("ran"));
    for folder in [&bin, &built] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    let planted = script(&built, "lozenge-check", &format!("echo > '{}'; echo VALID", ran.display()));
    std::fs::copy(lozenge(), bin.join("lozenge")).expect("a copy");
    std::fs::write(folder.join("system.txt"), UNSAT).expect("a system");
    let certify = |options: &[&str], variable: Option<&Path>| {
        let mut command = Command::new(bin.join("lozenge"));
        command.arg("certify").arg("system.txt").args(options).current_dir(&folder).env_remove("LOZENGE_CHECKER");
        let output = command.envs(variable.map(|path| ("LOZENGE_CHECKER", path))).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (status, said) = certify(&[], None);
    assert!(status == Some(2) && said.contains("make -C proofs/coq checker"), "{said}");
    let (status, said) = certify(&["--only", "rust"], None);
    assert!(status == Some(0) && said.contains("not asked"), "{said}");
    assert!(!ran.exists(), "what lies above the program was not run");
    let (status, said) = certify(&["--json"], Some(&planted));
    assert!(status == Some(0) && said.contains("\"named_by\":\"LOZENGE_CHECKER\""), "{said}");
    assert!(ran.exists(), "what was named was run");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn what_is_wrong_with_a_certificate_has_its_place() {
    for (text, at) in [
        (r#"{"constraints":[{"eq":[0,3]}],"certificate":{"solution":{}}}"#, "/constraints/0/eq/0"),
        (r#"{"refutation":}"#, "/refutation"),
        ("17", ""),
    ] {
        let (status, out, _) = run(&["certify", "--certificate", "-", "--only", "rust", "--json"], text);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!((status, &answer["at"]), (Some(2), &at.into()), "{text}: {answer}");
    }
}

/// `lozenge certify --certificate FILE --only rust`: status, stdout and stderr together.
fn check_file(path: &Path, options: &[&str], system: &str) -> (Option<i32>, String) {
    let path = path.to_str().expect("UTF-8");
    let (status, out, err) = run(&[&["certify", "--only", "rust", "--certificate", path], options].concat(), system);
    (status, out + &err)
}

#[test]
fn a_certificate_is_checked_without_solving_and_for_its_own_system() {
    let folder = scratch("handed-over");
    let kept = folder.join("kept.json");
    for (system, claim) in [(UNSAT, "unsat"), ("<p>[3] <= [2]<p>\n", "unsat"), ("<r> <= [3] <> [4]\n", "sat")] {
        let write = ["certify", "-", "--only", "rust", "--write", kept.to_str().expect("UTF-8")];
        assert_eq!(run(&write, system).0, Some(0));
        let (status, said) = check_file(&kept, &["--json"], "");
        let json: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!((status, &json["verdict"], &json["claim"]), (Some(0), &json!("confirmed"), &json!(claim)));
        assert_eq!(check_file(&kept, &["-"], system).0, Some(0), "the same system");
        let (status, said) = check_file(&kept, &["-"], &format!("{system}b = 7\n"));
        assert!(status == Some(1) && said.contains("it is for another system"), "{said}");
        // The same as an answer of solve, which needs its system.
        let (_, answer, _) = run(&["solve", "-", "--json", "--certificate"], system);
        let path = folder.join("answer.json");
        std::fs::write(&path, &answer).expect("an answer");
        assert_eq!(check_file(&path, &["-"], system).0, Some(0), "{answer}");
        let (status, said) = check_file(&path, &[], "");
        assert!(status == Some(2) && said.contains("does not say what it is for"), "{said}");
        assert_eq!(check_file(&path, &["-"], "c = 7\n").0, Some(if claim == "sat" { 2 } else { 1 }), "another system");
    }
}

#[test]
fn tampered_certificates_are_refused_with_what_is_wrong() {
    let path = scratch("tampered").join("certificate.json");
    let good = r#"{"constraints":[{"eq":[{"var":"a"},2]},{"eq":[{"var":"a"},3]}],"certificate":{"refutation":{"lines":[{"rule":"input","index":0,"holds":{"eq":[{"var":"a"},2]}},{"rule":"input","index":1,"holds":{"eq":[{"var":"a"},3]}},{"rule":"substitute","line":1,"with":[{"line":0,"var":"a"}],"holds":{"eq":[2,3]}}],"end":{"absurd":2}}}}"#;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (from, to, status, says) in [
        ("", "", 0, "confirmed by the checker of core"),
        ("\"line\":1", "\"line\":2", 1, "line 2 does not follow from the lines it names by substitute"),
        ("\"line\":1", "\"line\":18446744073709551615", 1, "line 2 does not follow"),
        ("\"line\":1", "\"line\":1e400", 2, "not JSON"),
        ("\"line\":1", "\"line\":-1", 2, "at /certificate/refutation/lines/2/line: expected a number of a line"),
        ("\"index\":1", "\"index\":7", 1, "line 1 does not follow from the lines it names by input"),
        ("[2,3]", "[2,2]", 1, "line 2 does not follow"),
        ("\"absurd\":2", "\"absurd\":0", 1, "the end does not follow"),
        ("\"absurd\":2", "\"absurd\":3", 1, "the end does not follow"),
        ("\"absurd\":2", "\"absurd\":2,\"absurd\":2", 2, "the key \"absurd\" stands twice in one object"),
        ("\"index\":1", "\"index\":1,\"note\":0", 2, "unknown field `note`"),
        ("\"index\":1", "\"index\":1,\"line\":0", 2, "unknown field `line`"),
        ("{\"constraints\"", "{\"by\":1,\"constraints\"", 2, "unknown field `by`"),
        ("{\"constraints\"", "{\"verdict\":\"yes\",\"constraints\"", 2, "yes is no verdict, expected one of solved"),
        (
            "{\"constraints\"",
            "{\"verdict\":\"sat\",\"constraints\"",
            1,
            "before any checker is asked: the answer says sat",
        ),
        (
            "\"constraints\":[",
            "\"constraints\":[],\"constraints\":[",
            2,
            "the key \"constraints\" stands twice in one object",
        ),
        ("\"substitute\"", "\"magic\"", 2, "unknown rule `magic`"),
        ("\"absurd\":2", "\"absurd\":DEEP", 3, "nested too deeply"),
        ("{\"refutation\"", "{\"solution\":{\"a\":2},\"refutation\"", 2, "expected one of `solution` and `refutation`"),
    ] {
        std::fs::write(&path, good.replacen(from, to, 1).replace("DEEP", &deep)).expect("a certificate");
        let (ended, said) = check_file(&path, &[], "");
        assert!(ended == Some(status) && said.contains(says), "{from} to {to}: {ended:?} {said}");
    }
    for (values, status, says) in [
        (r#"{"a":2}"#, 0, "confirmed"),
        (r#"{"a":3}"#, 1, "constraint 0 is violated"),
        ("{}", 1, "has no value"),
        (r#"{"a":2,"b":2}"#, 2, "there is no variable b"),
        (r#"{"a":{"lead":[],"trail":[]}}"#, 2, "another sort"),
        (r#"{"a":{"var":"a"}}"#, 2, "without variables"),
        (r#"{"a":2,"a":2}"#, 2, "stands twice in one object"),
    ] {
        let text = format!(r#"{{"constraints":[{{"eq":[{{"var":"a"}},2]}}],"certificate":{{"solution":{values}}}}}"#);
        std::fs::write(&path, text).expect("a certificate");
        let (ended, said) = check_file(&path, &[], "");
        assert!(ended == Some(status) && said.contains(says), "{values}: {ended:?} {said}");
    }
}

/// Refutations of random systems, with what they refute.
fn refutations(count: usize) -> Vec<(Vec<Value>, Value)> {
    let mut g = Gen::from_size_and_seed(100, 41);
    let mut found = Vec::new();
    while found.len() < count {
        let System { mut names, constraints } = Weights::default().system(&mut g);
        let run = solve_traced(&constraints, &mut names, Policy::default());
        if let (Verdict::Unsat(_), Some(it)) = (&run.verdict, run.refutation()) {
            let phi = constraints.iter().map(|c| wire::constraint(c, &names)).collect();
            found.push((phi, json!({"refutation": refutation(&it, &names)})));
        }
    }
    found
}

/// Every way to put something hostile in one place.
fn hostile(json: &Value) -> Vec<Value> {
    let mut all: Vec<Value> = vec![
        Value::Null,
        json!(u64::MAX),
        json!(-1),
        json!(1e308),
        json!(""),
        json!("?4294967295"),
        json!([]),
        json!({}),
        json!([[[[[[]]]]]]),
        json!({"lead": vec![2; 500], "var": "r0", "trail": vec![json!({"var": "?1"}); 500]}),
        json!(vec![0; 1000]),
    ];
    match json {
        Value::Number(_) => all.extend((0..12).map(Value::from)),
        Value::Array(items) => {
            all.push([items.as_slice(), items].concat().into());
            for (i, item) in items.iter().enumerate() {
                for changed in hostile(item) {
                    let mut items = items.clone();
                    items[i] = changed;
                    all.push(items.into());
                }
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                for changed in hostile(value) {
                    let mut fields = fields.clone();
                    fields.insert(key.clone(), changed);
                    all.push(fields.into());
                }
            }
            let mut more = fields.clone();
            more.insert("extra".to_owned(), Value::Null);
            all.push(more.into());
        }
        _ => {}
    }
    all
}

/// What the checker of core says; `None` where it cannot be read.
fn checked(phi: &[Value], certificate: &Value) -> Option<Result<(), Refusal>> {
    let mut names = Names::new();
    let read = phi.iter().map(|c| wire::read_constraint(c, &mut names)).collect::<Result<Vec<Constraint>, _>>();
    let phi = read.expect("constraints");
    Some(match read_certificate(&parse(&certificate.to_string()).ok()?, &mut names).ok()? {
        Certificate::Refutation(it) => check_refutation(&phi, &it),
        Certificate::Solution(gamma) => check_solution(&phi, &gamma),
    })
}

#[test]
fn nothing_hostile_in_a_certificate_makes_the_checker_panic_or_hang() {
    let (mut unreadable, mut refused, mut accepted) = (0, 0, 0);
    for (phi, certificate) in refutations(40) {
        assert_eq!(checked(&phi, &certificate), Some(Ok(())), "{certificate}");
        for hostile in hostile(&certificate) {
            match checked(&phi, &hostile) {
                None => unreadable += 1,
                Some(Err(_)) => refused += 1,
                // Other values can be right as well: the constraints are the same, and have no solution.
                Some(Ok(())) => accepted += 1,
            }
        }
    }
    assert!(unreadable > 2_000 && refused > 2_000, "{unreadable} unreadable, {refused} refused, {accepted} accepted");
}

/// Certificates that are small and whose checking would be long if it were done step by step.
#[test]
fn certificates_that_multiply_work_are_cut_short() {
    let mut names = Names::new();
    let phi = parse_system("<p> ~ [2,2]<p>\n<q> ~ [2]<q>\n[2] <> [] ~ [3] <> []\n", &mut names).expect("constraints");
    let phi: Vec<Value> = phi.iter().map(|c| wire::constraint(c, &names)).collect();
    let input = |i: usize| json!({"rule": "input", "index": i, "holds": phi[i]});
    let certificate = |lines: Vec<Value>, end: usize| json!({"refutation": {"lines": lines, "end": {"absurd": end}}});
    // A row that doubles with every replacement: what is claimed is small, so the second one is refused.
    let with: Vec<Value> = vec![json!({"line": 0, "var": "p"}); 100_000];
    let grown = json!({"rule": "substitute", "line": 0, "with": with, "holds": phi[0]});
    let refused = checked(&phi, &certificate(vec![input(0), grown], 0));
    assert_eq!(refused, Some(Err(Refusal::Line(1))));
    // A long row in which the same variable is replaced by itself again and again.
    let long = json!({"eq": [{"lead": vec![2; 20_000], "trail": []}, {"lead": [], "var": "r", "trail": []}]});
    let same = json!({"eq": [{"var": "a"}, {"var": "a"}]});
    let again: Vec<Value> = vec![json!({"line": 1, "var": "a"}); 20_000];
    let lines = vec![
        json!({"rule": "input", "index": 0, "holds": long}),
        json!({"rule": "input", "index": 1, "holds": same}),
        json!({"rule": "substitute", "line": 0, "with": again, "holds": long}),
    ];
    assert_eq!(checked(&[long, same], &certificate(lines, 0)), Some(Err(Refusal::Limit(2))));
    // One axis after the other of two long rows.
    let axes = 100_000;
    let rows = json!({"eq": [{"lead": vec![2; axes], "trail": []}, {"lead": [], "trail": vec![2; axes]}]});
    let zip = |i: usize| json!({"rule": "zip", "line": 0, "edge": "back", "index": i, "holds": {"eq": [2, 2]}});
    let lines = [vec![json!({"rule": "input", "index": 0, "holds": rows})], (0..axes).map(zip).collect()].concat();
    assert_eq!(checked(&[rows], &certificate(lines, axes)), Some(Err(Refusal::End)));
}
