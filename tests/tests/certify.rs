//! The extracted, proved checker: it accepts the evidence of the solver, agrees with the checker of core on
//! corrupted evidence, and stands behind `lozenge certify`.
#![allow(missing_docs)]

use lozenge::certificate::json::{Certificate, read_certificate, refutation};
use lozenge::certificate::{check_refutation, check_solution};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::{Policy, Strategy, Verdict, solve_traced};
use lozenge::wire;
use lozenge_harnesses::generators::{System, Weights};
use lozenge_tests::extracted::{checker, mutants, values};
use quickcheck::Gen;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const STRATEGIES: [Strategy; 4] = [Strategy::Fifo, Strategy::Lifo, Strategy::Random(3), Strategy::Rounds];
const SMALL: Weights =
    Weights { flank: 1, constraints: 5, vars: 2, sizes: 2, bases: 1, variable_axes: 3, open_rows: 6, equalities: 4 };

/// What the checker answers, line by line, from one process; and its exit status.
fn ask(requests: &[Value]) -> (Vec<String>, i32) {
    let mut child =
        Command::new(checker()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the checker starts");
    let mut stdin = BufWriter::new(child.stdin.take().expect("stdin"));
    let stdout = BufReader::new(child.stdout.take().expect("stdout"));
    let answers = std::thread::scope(|scope| {
        scope.spawn(move || {
            for request in requests {
                writeln!(stdin, "{request}").expect("the checker reads");
            }
            stdin.flush().expect("the checker reads");
        });
        stdout.lines().map(|line| line.expect("UTF-8")).collect::<Vec<_>>()
    });
    let status = child.wait().expect("the checker ends").code().expect("an exit status");
    assert_eq!(answers.len(), requests.len(), "an answer for every line");
    (answers, status)
}

fn request(phi: &[Constraint], names: &Names, kind: &str, certificate: &Value) -> Value {
    let constraints: Vec<Value> = phi.iter().map(|c| wire::constraint(c, names)).collect();
    json!({"constraints": constraints, "certificate": {kind: certificate}})
}

/// The evidence for the verdict on one system, if it claims something.
enum Evidence {
    Refutation(Value),
    Solution(Value),
    None,
}

fn evidence_for(System { mut names, constraints }: System, strategy: Strategy) -> Evidence {
    let run = solve_traced(&constraints, &mut names, Policy { strategy, ..Policy::default() });
    match &run.verdict {
        Verdict::Solved(solved) => solved.greatest().map_or(Evidence::None, |gamma| {
            Evidence::Solution(request(&constraints, &names, "solution", &values(&gamma, &names)))
        }),
        Verdict::Unsat(_) => {
            let found = refutation(&run.refutation().expect("a refutation"), &names);
            Evidence::Refutation(request(&constraints, &names, "refutation", &found))
        }
        Verdict::Rejected(_) | Verdict::Limit(_) => Evidence::None,
    }
}

/// Evidence for verdicts on random systems: so many refutations, and the solutions met on the way.
fn evidence(weights: Weights, seed: u64, count: usize) -> (Vec<Value>, Vec<Value>) {
    let mut g = Gen::from_size_and_seed(100, seed);
    let (mut refutations, mut solutions) = (Vec::new(), Vec::new());
    let mut strategies = STRATEGIES.into_iter().cycle();
    while refutations.len() < count {
        match evidence_for(weights.system(&mut g), strategies.next().expect("they never end")) {
            Evidence::Refutation(request) => refutations.push(request),
            Evidence::Solution(request) => solutions.push(request),
            Evidence::None => {}
        }
    }
    (refutations, solutions)
}

/// Cycles of ⊑ between variables: too rare among random systems.
fn cycles_of_variables() -> Vec<Value> {
    let cycle = |length: usize| {
        let links = (0..length).map(|i| format!("a{i} <= a{}\n", (i + 1) % length));
        let mut names = Names::new();
        let system = links.collect::<String>() + "a0 = 2\na1 = 3\n";
        let constraints = parse_system(&system, &mut names).expect("constraints");
        System { names, constraints }
    };
    let refuted = |system| match evidence_for(system, Strategy::Fifo) {
        Evidence::Refutation(request) => request,
        Evidence::Solution(_) | Evidence::None => panic!("a refutation"),
    };
    (2..8).map(cycle).map(refuted).collect()
}

/// The inferences of a refutation.
fn rules(request: &Value) -> Vec<&str> {
    let lines = request["certificate"]["refutation"]["lines"].as_array().into_iter().flatten();
    lines.filter_map(|line| line["rule"].as_str()).collect()
}

#[test]
fn the_evidence_of_the_solver_is_valid() {
    let mut requests = cycles_of_variables();
    for (weights, seed) in [(Weights::default(), 21), (SMALL, 22)] {
        let (refutations, solutions) = evidence(weights, seed, 6_000);
        assert!(solutions.len() > 500, "{} solutions", solutions.len());
        requests.extend(refutations);
        requests.extend(solutions);
    }
    let (answers, status) = ask(&requests);
    for (request, answer) in requests.iter().zip(&answers) {
        assert_eq!(answer, "VALID", "{request}");
    }
    assert_eq!(status, 0);
    let used: BTreeSet<&str> = requests.iter().flat_map(rules).collect();
    assert_eq!(used.len(), 12, "every inference of spec/certificates.md is met: {used:?}");
}

/// Every `unsat` of the conformance corpus, and every solution that it states.
#[test]
fn the_corpus_is_certified() {
    let (mut requests, mut refuted) = (Vec::new(), 0);
    for case in lozenge_tests::corpus() {
        let (asked, expected) = (&case["request"], &case["expected"]);
        if asked["op"] == "infer" || !asked["constraints"].is_array() || asked["policy"]["guard"].is_string() {
            continue;
        }
        let mut names = Names::new();
        let constraints = asked["constraints"].as_array().expect("constraints").iter();
        let Ok(constraints) = constraints.map(|c| wire::read_constraint(c, &mut names)).collect::<Result<Vec<_>, _>>()
        else {
            continue;
        };
        if expected["verdict"] == "unsat" {
            // Closing and deciding say `unsat` where solving does: or where a search was exhausted, without a refutation.
            if let Evidence::Refutation(request) = evidence_for(System { names, constraints }, Strategy::Fifo) {
                requests.push(request);
                refuted += 1;
            } else {
                assert_ne!(asked["op"], "solve", "a refutation for {}", case["id"]);
            }
            continue;
        }
        let solution = ["greatest", "witness", "values"].iter().map(|field| &expected[*field]).find(|v| v.is_object());
        if let Some(solution) = solution {
            requests.push(json!({"constraints": asked["constraints"], "certificate": {"solution": solution}}));
        }
    }
    assert!(refuted > 300 && requests.len() > refuted + 300, "{refuted} refutations of {}", requests.len());
    let (answers, status) = ask(&requests);
    for (request, answer) in requests.iter().zip(&answers) {
        assert_eq!(answer, "VALID", "{request}");
    }
    assert_eq!(status, 0);
}

/// The model counts by ones, and the machine may be busy: milliseconds for an answer.
const PATIENT: &str = "60000";

/// The extracted model answers `check`: an engine that shares no code with core.
#[test]
fn the_extracted_model_conforms() {
    let made = Command::new("make")
        .arg("-C")
        .arg(lozenge_tests::root().join("proofs/coq"))
        .arg("model")
        .output()
        .expect("make");
    assert!(made.status.success(), "the model is built: {}", String::from_utf8_lossy(&made.stderr));
    let model = lozenge_tests::root().join("proofs/coq/build/lozenge-model").display().to_string();
    let (status, out, err) =
        lozenge_tests::run(&["conform", "--json", "--time-limit", PATIENT, "--engine", &format!("'{model}'")], "");
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
    assert_eq!((status, &report["failed"]), (Some(0), &json!(0)), "{report}");
    assert_eq!(report["definitions"]["2.3"]["failed"], 0);
    assert!(report["definitions"]["3.4"]["passed"].as_u64() > Some(200), "{report}");
    let fuzz = [
        "fuzz",
        "--json",
        "--time-limit",
        PATIENT,
        "--engine",
        &format!("'{model}'"),
        "--ops",
        "check",
        "--cases",
        "3000",
        "--seed",
        "7",
    ];
    let (status, out, err) = lozenge_tests::run(&fuzz, "");
    assert_eq!(status, Some(0), "{out}{err}");
}

/// What the checker of core says, in the words of the extracted one; `None` when it cannot read the request.
fn core_says(request: &Value) -> Option<String> {
    let mut names = Names::new();
    let constraints = request.get("constraints")?.as_array()?.iter();
    let phi: Vec<Constraint> =
        constraints.map(|c| wire::read_constraint(c, &mut names)).collect::<Result<_, _>>().ok()?;
    let checked = match read_certificate(request.get("certificate")?, &mut names).ok()? {
        Certificate::Refutation(refutation) => check_refutation(&phi, &refutation),
        Certificate::Solution(solution) => check_solution(&phi, &solution),
    };
    Some(checked.map_or_else(|refusal| format!("REFUSED: {refusal}"), |()| "VALID".to_owned()))
}

/// Both checkers say the same of every mutant: accepted, or refused for the same reason.
#[track_caller]
fn agree_on_mutants(originals: &[Value], least: usize) {
    let requests: Vec<Value> = originals.iter().flat_map(mutants).collect();
    assert!(requests.len() >= least, "{} mutants", requests.len());
    let (answers, _) = ask(&requests);
    let mut valid = 0;
    for (request, answer) in requests.iter().zip(&answers) {
        let expected = core_says(request);
        match expected.as_deref() {
            None => assert!(answer.starts_with("UNREADABLE: "), "{answer}: {request}"),
            Some("VALID") => {
                valid += 1;
                assert_eq!(answer, "VALID", "{request}");
            }
            // Core numbers variables, the extracted checker knows their names.
            Some(refused) if refused.ends_with("has no value") => {
                assert!(answer.ends_with("has no value"), "{answer}: {request}");
            }
            // What `is` speaks of is no row variable: core reads it all the same, and refuses the line.
            Some(refused) if answer.starts_with("UNREADABLE: ") => {
                let named = answer.ends_with("for a dimension and for a row") || answer.ends_with("is not a name");
                assert!(named, "{refused}, {answer}: {request}");
            }
            Some(refused) => assert_eq!(answer, refused, "{request}"),
        }
    }
    assert!(valid > 0 && valid * 2 < requests.len(), "{valid} of {} valid", requests.len());
}

#[test]
fn both_checkers_agree_on_corrupted_refutations() {
    let (refutations, _) = evidence(SMALL, 11, 300);
    agree_on_mutants(&[refutations, cycles_of_variables()].concat(), 40_000);
}

#[test]
fn both_checkers_agree_on_corrupted_refutations_of_larger_systems() {
    let (refutations, _) = evidence(Weights::default(), 12, 60);
    agree_on_mutants(&refutations, 10_000);
}

#[test]
fn both_checkers_agree_on_corrupted_solutions() {
    let (_, solutions) = evidence(SMALL, 13, 600);
    agree_on_mutants(&solutions[..200], 5_000);
}

/// Status, stdout, stderr of `lozenge certify -`.
fn certify(system: &str, options: &[&str]) -> (i32, String, String) {
    let (status, out, err) = lozenge_tests::run(&[&["certify", "-"], options].concat(), system);
    (status.expect("an exit status"), out, err)
}

#[track_caller]
fn certifies(system: &str, options: &[&str], status: i32, expected: &str) {
    let path = checker();
    let options = [&["--checker", path.to_str().expect("UTF-8")], options].concat();
    assert_eq!(certify(system, &options), (status, expected.to_owned(), String::new()), "{system}");
}

/// The digest of a file, as another program computes it.
fn digest(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().expect("sha256sum");
    String::from_utf8_lossy(&output.stdout).split(' ').next().expect("a digest").trim_start_matches('\\').to_owned()
}

/// What is said where both confirm.
fn confirmed() -> String {
    let path = checker();
    let (named, digest) = (path.display(), digest(&path));
    format!(
        "confirmed by the checker of core\nconfirmed by the extracted, proved checker\n  {named}, sha256 {digest}\n"
    )
}

#[test]
fn certify_says_who_confirms() {
    let confirmed = confirmed();
    certifies("a = 2\na = 3\n", &[], 0, &format!("unsat: there is no solution\n{confirmed}"));
    certifies("<p>[3] <= [2]<p>\n", &[], 0, &format!("unsat: there is no solution\n{confirmed}"));
    certifies("3:rgb <= a\n<r> <= [3] <> [4]\n", &[], 0, &format!("solved: there is a solution\n{confirmed}"));
    let placed = "<p> ~ [] <> [3,5]\n[3] <> [9,5] <= <p>\n";
    certifies(placed, &[], 0, &format!("rejected: and yet there is a solution\n{confirmed}"));
    let path = checker();
    let who = json!({"path": path, "sha256": digest(&path), "named_by": "--checker"});
    let (status, out, _) = certify(
        "18446744073709551615 <= 18446744073709551614\n",
        &["--json", "--checker", path.to_str().expect("UTF-8")],
    );
    let said: Value = serde_json::from_str(&out).expect("JSON");
    let checks = json!([{"by": "core", "confirmed": true}, {"by": "proved", "confirmed": true, "checker": who}]);
    assert_eq!((status, said), (0, json!({"verdict": "unsat", "evidence": "refutation", "checks": checks})));
}

#[test]
fn certify_says_when_there_is_nothing_to_check() {
    let endless = "limit: a limit was reached first\nnothing to check: this verdict comes without evidence\n";
    certifies("<p> <= [2]<p>\n", &["--guard", "none", "--fuel", "50"], 3, endless);
}
