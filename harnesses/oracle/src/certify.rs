//! `lozenge certify`: a verdict, its evidence, and who has checked it; or evidence that somebody hands over.

mod checker;
mod given;

use crate::answer::{self, Derived};
use crate::interrupt;
use crate::output::{Answer, BAD, Exit, FAINT, Failure, GOOD, Output, paint, visible, visible_path};
use crate::policy::PolicyArgs;
use crate::system::{System, not_both_stdin};
use crate::whole::{Target, apart};
use checker::{Bounds, Checker};
use given::Given;
use lozenge::certificate::json::{self, Certificate};
use lozenge::certificate::{Refusal, Refutation, check_refutation, check_solution};
use lozenge::constraint::Constraint;
use lozenge::decide::witness;
use lozenge::names::Names;
use lozenge::solver::{Policy, Verdict, solve};
use lozenge::wire;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  lozenge certify system.txt
  lozenge certify system.txt --checker ./lozenge-check
  lozenge certify system.txt --write evidence.json       keeps the evidence, with its constraints
  lozenge certify --certificate evidence.json            checks it again, without solving
  lozenge certify --certificate evidence.json system.txt    and that it is about this system

Two programs check the evidence, and neither of them is the solver: the checker of the library, and
one that is extracted from its proof in Coq. `make -C proofs/coq checker` builds the second. It is
the one of --checker, or of the variable LOZENGE_CHECKER, or proofs/coq/build/lozenge-check in the
repository that this program was built in and lies in. The answer says which, with its SHA-256 digest.
Without one there is no answer; --only rust goes without.

A certificate is {\"refutation\":…} or {\"solution\":…} as spec/certificates.md says, with its constraints
{\"constraints\":[…],\"certificate\":…}, or the answer of lozenge solve --json --certificate.

Exit status: 0 every checker that ran confirms the verdict, 1 one refuses, 2 bad input, no checker or
one that does not run, 3 there is nothing to check, or a checker took too long or too much memory.";

/// Solve constraints, and have the verdict confirmed by checkers that do not trust the solver
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line; - is standard input
    #[arg(required_unless_present = "certificate")]
    file: Option<PathBuf>,
    /// Check this certificate, and solve nothing
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    certificate: Option<PathBuf>,
    /// Write the evidence to a file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// The extracted checker
    #[arg(long, value_name = "PATH", conflicts_with = "only")]
    checker: Option<PathBuf>,
    /// Ask the checker of the library alone
    #[arg(long, value_enum, value_name = "CHECKER")]
    only: Option<Only>,
    /// How long the extracted checker may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    time: u64,
    /// How much memory the extracted checker may have, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    memory: u64,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Checkers that can be asked alone.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Only {
    // No doc comments here, as for colours.
    Rust,
}

/// A verdict and its evidence, where it claims something.
struct Certified {
    word: &'static str,
    says: &'static str,
    certificate: Option<Certificate>,
}

/// What a checker says.
pub enum Opinion {
    Confirmed,
    Refused(String),
    /// It is not for this system, or says another thing than the answer around it: no checker was asked.
    Foreign(String),
    /// It would take more than it may.
    Limit {
        /// `time` or `memory`.
        which: &'static str,
        /// How much it may take.
        why: String,
    },
    /// It is no use as a checker, beside one that refuses.
    Failed(String),
    /// Ctrl-C came first.
    Interrupted,
}

#[derive(Serialize)]
struct CertifyJson<'a> {
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'a str>,
    evidence: Option<&'static str>,
    checks: Vec<CheckJson<'a>>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    by: &'static str,
    confirmed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checker: Option<&'a Checker>,
}

/// Checks what was given, or solves and checks; and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    if let (Some(file), Some(certificate)) = (&args.file, &args.certificate) {
        not_both_stdin([("FILE", file), ("--certificate", certificate)])?;
    }
    let checker = match args.only {
        Some(Only::Rust) => None,
        None => Some(Checker::find(args.checker.as_deref())?),
    };
    interrupt::watch();
    let bounds = Bounds { time: Duration::from_secs(args.time), memory: args.memory };
    if let Some(path) = &args.certificate {
        let given = Given::read(path, args.file.as_deref())?;
        let checks = check_given(&given, checker.as_ref(), bounds)?;
        return report_given(&given, &checks, checker.as_ref(), out);
    }
    let target = args.write.as_deref().map(Target::open).transpose()?;
    apart(&[target.as_ref()], args.file.as_deref())?;
    let system = System::read(args.file.as_deref().unwrap_or("-".as_ref()))?;
    let mut names = system.names.clone();
    let certified = certified(&system, &mut names, args.policy.policy(false));
    let mut checks = Vec::new();
    if let Some(certificate) = &certified.certificate {
        let request = request(&system, certificate, &names);
        let core = Opinion::of_core(&system.phi, certificate, &names);
        checks = opinions(core, checker.as_ref(), request.clone(), bounds)?;
        if let Some(target) = target {
            target.write(format!("{request}\n").as_bytes())?;
        }
    }
    report(&certified, &checks, checker.as_ref(), out)
}

/// What the checkers say of a certificate that was handed over.
fn check_given(given: &Given, checker: Option<&Checker>, bounds: Bounds) -> Result<Vec<Opinion>, Failure> {
    if let Some(why) = &given.foreign {
        return Ok(vec![Opinion::Foreign(why.clone())]);
    }
    let request = json!({"constraints": given.constraints, "certificate": given.json}).to_string();
    opinions(Opinion::of_core(&given.phi, &given.certificate, &given.names), checker, request, bounds)
}

/// What the checkers say, core's own opinion first. Once it refuses, a checker that fails changes nothing about that.
fn opinions(
    core: Opinion,
    checker: Option<&Checker>,
    request: String,
    bounds: Bounds,
) -> Result<Vec<Opinion>, Failure> {
    let Some(checker) = checker else { return Ok(vec![core]) };
    let proved = match checker.ask(request, bounds) {
        Err(Failure::Input { message, .. }) if matches!(core, Opinion::Refused(_)) => Opinion::Failed(message),
        asked => asked?,
    };
    Ok(vec![core, proved])
}

/// The exit status of these opinions; the worst counts.
fn exit(checks: &[Opinion]) -> Exit {
    let any = |test: fn(&Opinion) -> bool| checks.iter().any(test);
    if any(|it| matches!(it, Opinion::Interrupted)) {
        Exit::Interrupted
    } else if any(|it| matches!(it, Opinion::Refused(_) | Opinion::Foreign(_))) {
        Exit::No
    } else if checks.is_empty() || any(|it| matches!(it, Opinion::Limit { .. })) {
        Exit::Limit
    } else {
        Exit::Yes
    }
}

/// A verdict of the solver, and who confirms it.
fn report(certified: &Certified, checks: &[Opinion], checker: Option<&Checker>, out: &mut Output) -> Answer {
    let Certified { word, says, certificate } = certified;
    if out.json {
        let evidence = certificate.as_ref().map(kind);
        let checks_json = checks_json(checks, checker);
        out.json(&CertifyJson { verdict: word, claim: None, evidence, checks: checks_json })?;
        return Ok(exit(checks));
    }
    let style = if *word == "solved" { GOOD } else { BAD };
    out.line(&format!("{}: {says}", paint(style, word)))?;
    print_checks(checks, checker, out)?;
    if certificate.is_none() {
        out.line("nothing to check: this verdict comes without evidence")?;
    }
    Ok(exit(checks))
}

/// A certificate that was handed over, and who confirms it.
fn report_given(given: &Given, checks: &[Opinion], checker: Option<&Checker>, out: &mut Output) -> Answer {
    let (kind, exit) = (kind(&given.certificate), exit(checks));
    let (claim, says) = match given.certificate {
        Certificate::Solution(_) => ("sat", "that there is a solution"),
        Certificate::Refutation(_) => ("unsat", "that there is no solution"),
    };
    if out.json {
        let verdict = match exit {
            Exit::Yes => "confirmed",
            Exit::No => "refused",
            Exit::Limit | Exit::Gone | Exit::Interrupted => "limit",
        };
        let checks = checks_json(checks, checker);
        out.json(&CertifyJson { verdict, claim: Some(claim), evidence: Some(kind), checks })?;
        return Ok(exit);
    }
    out.line(&format!("the certificate is a {kind}: it claims {says}"))?;
    print_checks(checks, checker, out)?;
    Ok(exit)
}

/// The checkers in the order in which they are asked.
fn askers(checker: Option<&Checker>) -> [(&'static str, Option<&Checker>); 2] {
    [("core", None), ("proved", checker)]
}

fn checks_json<'a>(checks: &'a [Opinion], checker: Option<&'a Checker>) -> Vec<CheckJson<'a>> {
    let one = |((by, checker), opinion): ((&'static str, Option<&'a Checker>), &'a Opinion)| {
        let (confirmed, message, limit) = match opinion {
            Opinion::Confirmed => (true, None, None),
            Opinion::Refused(why) | Opinion::Foreign(why) | Opinion::Failed(why) => (false, Some(why.as_str()), None),
            Opinion::Limit { which, why } => (false, Some(why.as_str()), Some(*which)),
            Opinion::Interrupted => (false, Some("interrupted"), None),
        };
        CheckJson { by, confirmed, message, limit, checker }
    };
    askers(checker).into_iter().zip(checks).map(one).collect()
}

fn print_checks(checks: &[Opinion], checker: Option<&Checker>, out: &mut Output) -> std::io::Result<()> {
    for ((by, checker), opinion) in askers(checker).into_iter().zip(checks) {
        let who = if by == "core" { "the checker of core" } else { "the extracted, proved checker" };
        match opinion {
            Opinion::Confirmed => out.line(&format!("{} by {who}", paint(GOOD, "confirmed")))?,
            Opinion::Refused(why) => out.line(&format!("{} by {who}: {}", paint(BAD, "refused"), visible(why)))?,
            Opinion::Foreign(why) => {
                out.line(&format!("{} before any checker is asked: {}", paint(BAD, "refused"), visible(why)))?;
                return Ok(());
            }
            Opinion::Limit { why, .. } | Opinion::Failed(why) => {
                out.line(&format!("{} by {who}: {}", paint(BAD, "not answered"), visible(why)))?;
            }
            Opinion::Interrupted => out.line(&format!("{} by {who}: interrupted", paint(BAD, "not answered")))?,
        }
        if let Some(Checker { path, sha256, .. }) = checker {
            let path = visible_path(path);
            out.line(&paint(FAINT, &format!("  {path}, sha256 {sha256}")))?;
        }
    }
    if checker.is_none() && !checks.is_empty() {
        out.line(&paint(FAINT, "not asked: the extracted, proved checker (--only rust)"))?;
    }
    Ok(())
}

/// What kind of evidence it is.
fn kind(certificate: &Certificate) -> &'static str {
    match certificate {
        Certificate::Solution(_) => "solution",
        Certificate::Refutation(_) => "refutation",
    }
}

/// As it is written.
fn certificate_json(certificate: &Certificate, names: &Names) -> Value {
    match certificate {
        Certificate::Refutation(refutation) => json::refutation(refutation, names),
        Certificate::Solution(gamma) => answer::ground_value(gamma, names),
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

impl Opinion {
    fn limit(which: &'static str, why: String) -> Self {
        Opinion::Limit { which, why }
    }

    /// The checker of the library. Names are those of the certificate.
    fn of_core(phi: &[Constraint], certificate: &Certificate, names: &Names) -> Self {
        let (checked, lines) = match certificate {
            Certificate::Solution(gamma) => (check_solution(phi, gamma), None),
            Certificate::Refutation(refutation) => (check_refutation(phi, refutation), Some(refutation)),
        };
        match checked {
            Ok(()) => Opinion::Confirmed,
            Err(refusal @ Refusal::Limit(_)) => Opinion::limit("time", refusal.to_string()),
            Err(refusal) => Opinion::Refused(explained(&refusal, lines, names)),
        }
    }
}

/// A refusal, with the rule of the line or the name of the variable that it is about.
fn explained(refusal: &Refusal, refutation: Option<&Refutation>, names: &Names) -> String {
    let rule = |i: &usize| Some(refutation?.lines.get(*i)?.by.name());
    match refusal {
        Refusal::Line(i) => format!("{refusal}{}", rule(i).map(|rule| format!(" by {rule}")).unwrap_or_default()),
        Refusal::Unassigned(var) => format!("variable {} has no value", answer::name(*var, names)),
        Refusal::End | Refusal::Violated(_) | Refusal::Limit(_) => refusal.to_string(),
    }
}

/// What the extracted checker reads.
fn request(system: &System, certificate: &Certificate, names: &Names) -> String {
    let constraints: Vec<Value> = system.phi.iter().map(|phi| wire::constraint(phi, names)).collect();
    let kind = kind(certificate);
    json!({"constraints": constraints, "certificate": {kind: certificate_json(certificate, names)}}).to_string()
}
