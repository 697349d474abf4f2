//! `lozenge certify`: a verdict, its evidence, and who has checked it.

use crate::answer::{self, Derived};
use crate::output::{Answer, BAD, Exit, FAINT, Failure, GOOD, Output, paint, visible};
use crate::policy::PolicyArgs;
use crate::system::System;
use lozenge::certificate::{Refutation, check_refutation, check_solution, json};
use lozenge::decide::witness;
use lozenge::names::Names;
use lozenge::semantics::Ground;
use lozenge::solver::{Policy, Verdict, solve};
use lozenge::wire;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const EXAMPLES: &str = "\
Examples:
  lozenge certify system.txt
  lozenge certify system.txt --checker lozenge-check
  lozenge solve system.txt --json --certificate     the evidence itself

Two programs check the evidence, and neither of them is the solver: the checker of the library, and
one that is extracted from its proof in Coq. `make -C proofs/coq checker` builds the second; it is
taken from --checker, from the variable LOZENGE_CHECKER, or from the repository of this program.

Exit status: 0 every checker that ran confirms the verdict, 1 one refuses, 2 bad input or a checker
that does not run, 3 there is nothing to check.";

/// Where the extracted checker is, seen from the top of the repository.
const BUILT: &str = "proofs/coq/build/lozenge-check";

/// Solve constraints, and have the verdict confirmed by checkers that do not trust the solver
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line; - is standard input
    file: PathBuf,
    /// The extracted checker
    #[arg(long, value_name = "PROGRAM")]
    checker: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// What shows that a verdict is true.
enum Certificate {
    Solution(Ground),
    Refutation(Refutation),
}

/// A verdict and its evidence, where it claims something.
struct Certified {
    word: &'static str,
    says: &'static str,
    certificate: Option<Certificate>,
}

/// What a checker says: `None` confirms.
type Opinion = Option<String>;

#[derive(Serialize)]
struct CertifyJson<'a> {
    verdict: &'a str,
    evidence: Option<&'static str>,
    checks: Vec<CheckJson<'a>>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    by: &'static str,
    confirmed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// Solves, checks and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let system = System::read(&args.file)?;
    let checker = checker(args.checker.as_deref());
    let mut names = system.names.clone();
    let Certified { word, says, certificate } = certified(&system, &mut names, args.policy.policy(false));
    let mut checks: Vec<(&'static str, Opinion)> = Vec::new();
    if let Some(certificate) = &certificate {
        checks.push(("core", core(&system, certificate)));
        if let Some(checker) = &checker {
            checks.push(("proved", ask(checker, &request(&system, certificate, &names))?));
        }
    }
    let exit = match certificate {
        None => Exit::Limit,
        Some(_) => Exit::from(checks.iter().all(|(_, opinion)| opinion.is_none())),
    };
    if out.json {
        let evidence = certificate.as_ref().map(Certificate::kind);
        let checks = checks.iter().map(|(by, opinion)| CheckJson {
            by,
            confirmed: opinion.is_none(),
            message: opinion.as_deref(),
        });
        out.json(&CertifyJson { verdict: word, evidence, checks: checks.collect() })?;
        return Ok(exit);
    }
    let style = if word == "solved" { GOOD } else { BAD };
    out.line(&format!("{}: {says}", paint(style, word)))?;
    for (by, opinion) in &checks {
        let who = if *by == "core" { "the checker of core" } else { "the extracted, proved checker" };
        match opinion {
            None => out.line(&format!("{} by {who}", paint(GOOD, "confirmed")))?,
            Some(why) => out.line(&format!("{} by {who}: {}", paint(BAD, "refused"), visible(why)))?,
        }
    }
    if certificate.is_none() {
        out.line("nothing to check: this verdict comes without evidence")?;
    } else if checker.is_none() {
        let hint = "not asked: the extracted, proved checker (make -C proofs/coq checker builds it)";
        out.line(&paint(FAINT, hint))?;
    }
    Ok(exit)
}

impl Certificate {
    fn kind(&self) -> &'static str {
        match self {
            Certificate::Solution(_) => "solution",
            Certificate::Refutation(_) => "refutation",
        }
    }

    fn json(&self, names: &Names) -> Value {
        match self {
            Certificate::Refutation(refutation) => json::refutation(refutation, names),
            Certificate::Solution(gamma) => {
                let values = answer::ground_terms(gamma).into_iter();
                values.map(|(v, t)| (answer::name(v, names), wire::term(&t, names))).collect::<Map<_, _>>().into()
            }
        }
    }
}

/// Solves. Fresh variables of the evidence are those of `names`.
fn certified(system: &System, names: &mut Names, policy: Policy) -> Certified {
    let phi = &system.phi;
    let verdict = solve(phi, names, policy);
    let (word, says, certificate) = match &verdict {
        Verdict::Solved(solved) => match solved.greatest() {
            Some(gamma) => ("solved", "there is a solution", Some(Certificate::Solution(gamma))),
            None => ("solved", "a deferred equation is left open", None),
        },
        Verdict::Rejected(_) => match witness(phi, &system.names, policy).solution() {
            Some(gamma) => ("rejected", "and yet there is a solution", Some(Certificate::Solution(gamma))),
            None => ("rejected", "a choice led to failure, and there may be a solution", None),
        },
        Verdict::Unsat(_) => {
            let Derived { run, cut } = answer::derivation(phi, &system.names, policy, &verdict);
            match cut {
                None => ("unsat", "there is no solution", run.refutation().map(Certificate::Refutation)),
                Some(_) => ("unsat", "there is no solution, but the derivation is too long to be kept", None),
            }
        }
        Verdict::Limit(_) => ("limit", "a limit was reached first", None),
    };
    Certified { word, says, certificate }
}

/// The checker of the library.
fn core(system: &System, certificate: &Certificate) -> Opinion {
    let checked = match certificate {
        Certificate::Solution(gamma) => check_solution(&system.phi, gamma),
        Certificate::Refutation(refutation) => check_refutation(&system.phi, refutation),
    };
    checked.err().map(|refusal| refusal.to_string())
}

/// The extracted checker: the one asked for, or the one of the repository that this program was built in.
fn checker(asked: Option<&Path>) -> Option<PathBuf> {
    let named = || std::env::var_os("LOZENGE_CHECKER").filter(|name| !name.is_empty()).map(PathBuf::from);
    let built = || {
        let program = std::env::current_exe().ok()?;
        program.ancestors().map(|folder| folder.join(BUILT)).find(|path| path.is_file())
    };
    asked.map(Path::to_path_buf).or_else(named).or_else(built)
}

/// What the extracted checker reads.
fn request(system: &System, certificate: &Certificate, names: &Names) -> String {
    let constraints: Vec<Value> = system.phi.iter().map(|phi| wire::constraint(phi, names)).collect();
    let kind = certificate.kind();
    json!({"constraints": constraints, "certificate": {kind: certificate.json(names)}}).to_string()
}

/// Runs a checker on one certificate.
fn ask(checker: &Path, request: &str) -> Result<Opinion, Failure> {
    let named = visible(&checker.display().to_string());
    let wrong = |what: String| Failure::input("checker", format!("the checker {named}: {what}"));
    let started = Command::new(checker).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = started.map_err(|error| wrong(format!("it does not start: {error}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A checker that stops reading says why.
        let _ = writeln!(stdin, "{request}");
    }
    let output = child.wait_with_output().map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match (output.status.code(), text.trim_end()) {
        (Some(0), "VALID") => Ok(None),
        (Some(1), answer) if answer.starts_with("REFUSED: ") => Ok(Some(answer["REFUSED: ".len()..].to_owned())),
        (Some(2), answer) if answer.starts_with("UNREADABLE: ") => Err(wrong(answer.to_owned())),
        _ => Err(wrong("it does not answer as lozenge-check does".to_owned())),
    }
}
