//! `lozenge solve`: the solver of §4 on a file of constraints.

mod chains;
pub mod derivation;
mod failed;
mod placement;
mod solved;

use crate::answer::{self, Derived, Evidence};
use crate::output::{Answer, BAD, Exit, FAINT, Failure, Output, TITLE, paint};
use crate::policy::PolicyArgs;
use crate::system::System;
use derivation::Derivation;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::solver::{Limit, Limits, Policy, Verdict, solve};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge solve system.txt                  the verdict, and what it rests on
  echo '3 <= a' | lozenge solve -           constraints from standard input
  lozenge solve system.txt --trace          every step
  lozenge solve system.txt --guard paper    with the guard of Def. 4.5
  lozenge solve system.txt --json --certificate   with evidence that can be checked
  lozenge solve system.txt --strategy random --seed 7

A file has one constraint a line; # begins a comment.

Verdicts: solved; unsat (there is no solution); rejected (a placement that the solver chose
led to failure: there may be a solution); limit.
Exit status: 0 solved, 1 unsat or rejected, 2 bad input, 3 a limit was reached.";

/// Solve constraints: σ⋆, what is left open, or why there is no solution
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line; - is standard input
    file: PathBuf,
    /// Print every step
    #[arg(long)]
    trace: bool,
    /// Write the evidence that can be checked without the solver (JSON only)
    #[arg(long, requires = "json")]
    certificate: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Solves and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let system = System::read(&args.file)?;
    let policy = args.policy.policy(false);
    if out.json {
        let evidence = Evidence { trace: args.trace, certificate: args.certificate };
        let too_long = |most| Failure::input("limit", format!("the trace has more than {most} steps: lower --fuel"));
        let mut fresh = system.names.clone();
        let answer = answer::solve_json(&system.phi, &system.names, &mut fresh, policy, evidence).map_err(too_long)?;
        out.json(&answer)?;
        return Ok(answer.exit);
    }
    report(&system, policy, args.trace, out)
}

/// Solves, and says to people what comes of it.
pub fn report(system: &System, policy: Policy, trace: bool, out: &mut Output) -> Answer {
    // The run without a trace is fast and says how it ends; the same run again says why.
    let mut names = system.names.clone();
    let first = solve(&system.phi, &mut names, policy);
    let derived = (trace || needs_derivation(&first, system))
        .then(|| answer::derivation(&system.phi, &system.names, policy, &first));
    let report = Report { system, names: &names, policy, derived: derived.as_ref(), all: trace };
    let verdict =
        derived.as_ref().filter(|derived| derived.cut.is_none()).map_or(&first, |derived| &derived.run.verdict);
    if let (Verdict::Unsat(_), Some(derived)) = (verdict, derived.as_ref().filter(|derived| derived.cut.is_none())) {
        answer::checked(&system.phi, &derived.run);
    }
    match verdict {
        Verdict::Solved(it) => report.solved(it, out)?,
        Verdict::Unsat(failure) => report.unsat(failure, out)?,
        Verdict::Rejected(failure) => {
            let witness = lozenge::decide::witness(&system.phi, &system.names, policy);
            report.rejected(failure, &witness, out)?;
            crate::close::print_witness(witness.solution().as_ref(), &system.names, out)?;
        }
        Verdict::Limit(limit) => report.limit(*limit, policy.limits, out)?,
    }
    Ok(Exit::of(verdict))
}

/// Is the derivation used even if nobody asks for it: to explain a failure, or to list placements?
fn needs_derivation(verdict: &Verdict, system: &System) -> bool {
    match verdict {
        // Only an equality of rows places a marker.
        Verdict::Solved(_) => system.phi.iter().any(|phi| matches!(phi, Constraint::RowEq(..))),
        Verdict::Unsat(_) | Verdict::Rejected(_) => true,
        Verdict::Limit(_) => false,
    }
}

/// What there is to report about a run.
struct Report<'a> {
    system: &'a System,
    /// The names, those of fresh variables included.
    names: &'a Names,
    policy: Policy,
    /// The run with its derivation, where that is used.
    derived: Option<&'a Derived>,
    /// Is every step to be printed?
    all: bool,
}

impl<'a> Report<'a> {
    /// The derivation that ends in the last step, or the whole run; says so when it was cut.
    fn derivation(&self, out: &mut Output) -> io::Result<Option<Derivation<'a>>> {
        self.note_cut(out)?;
        Ok(self.kept())
    }

    /// The derivation, where all of it was kept.
    fn kept(&self) -> Option<Derivation<'a>> {
        let Derived { run, .. } = self.derived.filter(|derived| derived.cut.is_none())?;
        Some(Derivation::new(&run.trace, self.system, self.names, self.all))
    }

    /// Says that it was not.
    fn note_cut(&self, out: &mut Output) -> io::Result<()> {
        let Some(most) = self.derived.and_then(|derived| derived.cut) else { return Ok(()) };
        out.line("")?;
        let note = format!("the derivation is too long to be kept: more than {most} steps, or too many axes");
        out.line(&paint(FAINT, &note))
    }

    /// Every step, or as many as were kept, if that was asked for.
    fn steps(&self, out: &mut Output) -> io::Result<()> {
        let Some(Derived { run, cut }) = self.derived.filter(|_| self.all) else { return Ok(()) };
        heading("steps", out)?;
        Derivation::new(&run.trace, self.system, self.names, true).print(out)?;
        if cut.is_some() {
            out.line("  ... and more")?;
        }
        Ok(())
    }

    fn limit(&self, limit: Limit, limits: Limits, out: &mut Output) -> io::Result<()> {
        let reached = match limit {
            Limit::Fuel => format!("fuel: {} steps, and no end", limits.fuel),
            Limit::Rank => format!("rank: a flank with more than {} axes", limits.rank),
            Limit::Size => format!("size: more than {} axes written", limits.size),
            Limit::Derivation => "derivation: it is too long to be kept".to_owned(),
        };
        out.line(&format!("{}: {reached}", paint(BAD, "limit")))?;
        self.steps(out)?;
        out.line("")?;
        out.line("neither solved nor refuted")
    }
}

/// The title of a part, after an empty line.
pub fn heading(text: &str, out: &mut Output) -> io::Result<()> {
    let text = out.text(text);
    out.line("")?;
    out.line(&paint(TITLE, &text))
}
