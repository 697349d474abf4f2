//! `lozenge solve`: the solver of §4 on a file of constraints.

mod chains;
mod derivation;
mod failed;
mod placement;
mod solved;

use crate::answer::{self, MOST_STEPS};
use crate::output::{Answer, BAD, Exit, FAINT, Failure, Output, TITLE, paint};
use crate::system::System;
use clap::ValueEnum;
use derivation::Derivation;
use lozenge::names::Names;
use lozenge::solver::{GuardPolicy, Limit, Limits, Policy, Run, Strategy, Verdict, solve};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge solve system.txt                  the verdict, and what it rests on
  echo '3 <= a' | lozenge solve -           constraints from standard input
  lozenge solve system.txt --trace          every step
  lozenge solve system.txt --guard paper    with the guard of Def. 4.5
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
    /// Guard against endless growth: R1, Def. 4.5 to the letter, or none
    #[arg(long, value_enum, default_value_t)]
    guard: Guard,
    /// The order in which constraints are taken
    #[arg(long, value_enum, default_value_t)]
    strategy: Order,
    /// Seed of the random strategy
    #[arg(long, value_name = "N", default_value_t)]
    seed: u64,
    /// The most steps
    #[arg(long, value_name = "N", default_value_t = Limits::default().fuel)]
    fuel: u64,
    /// The longest flank of a row
    #[arg(long, value_name = "N", default_value_t = Limits::default().rank)]
    rank: usize,
    /// The most axes written in all
    #[arg(long, value_name = "N", default_value_t = Limits::default().size)]
    size: u64,
    /// Print every step
    #[arg(long)]
    trace: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Guard {
    #[default]
    Signed,
    Paper,
    None,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Order {
    #[default]
    Fifo,
    Lifo,
    Random,
    Rounds,
}

impl Args {
    fn policy(&self) -> Policy {
        let guard = match self.guard {
            Guard::Signed => GuardPolicy::Signed,
            Guard::Paper => GuardPolicy::Paper,
            Guard::None => GuardPolicy::None,
        };
        let strategy = match self.strategy {
            Order::Fifo => Strategy::Fifo,
            Order::Lifo => Strategy::Lifo,
            Order::Random => Strategy::Random(self.seed),
            Order::Rounds => Strategy::Rounds,
        };
        let limits = Limits { fuel: self.fuel, rank: self.rank, size: self.size };
        Policy { guard, strategy, limits, ..Policy::default() }
    }
}

/// Solves and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let system = System::read(&args.file)?;
    let policy = args.policy();
    // The run without a trace is fast and says how it ends; the same run again says why.
    let mut names = system.names.clone();
    let verdict = solve(&system.phi, &mut names, policy);
    let exit = match &verdict {
        Verdict::Solved(_) => Exit::Yes,
        Verdict::Unsat(_) | Verdict::Rejected(_) => Exit::No,
        Verdict::Limit(_) => Exit::Limit,
    };
    if out.json {
        let too_long = || Failure::input("limit", format!("the trace has more than {MOST_STEPS} steps: lower --fuel"));
        out.json(&answer::solve_json(&system.phi, &system.names, policy, args.trace).ok_or_else(too_long)?)?;
        return Ok(exit);
    }
    let traced = answer::derivation(&system.phi, &system.names, policy);
    let run = traced.as_ref().map(|(run, _)| run);
    let report = Report { system: &system, names: &names, run, all: args.trace };
    match &verdict {
        Verdict::Solved(it) => report.solved(it, out)?,
        Verdict::Unsat(failure) => report.unsat(failure, out)?,
        Verdict::Rejected(failure) => report.rejected(failure, out)?,
        Verdict::Limit(limit) => report.limit(*limit, policy.limits, out)?,
    }
    Ok(exit)
}

/// What there is to report about a run.
struct Report<'a> {
    system: &'a System,
    /// The names, those of fresh variables included.
    names: &'a Names,
    /// The run with its derivation, unless that is too long to be kept.
    run: Option<&'a Run>,
    /// Is every step to be printed?
    all: bool,
}

impl<'a> Report<'a> {
    /// The derivation that ends in the last step, or the whole run; says so when it was not kept.
    fn derivation(&self, out: &mut Output) -> io::Result<Option<Derivation<'a>>> {
        let Some(run) = self.run else {
            let note = format!("the derivation is too long to be kept: more than {MOST_STEPS} steps, or too many axes");
            out.line("")?;
            out.line(&format!("  {}", paint(FAINT, &note)))?;
            return Ok(None);
        };
        Ok(Some(Derivation::new(&run.trace, self.system, self.names, self.all)))
    }

    fn limit(&self, limit: Limit, limits: Limits, out: &mut Output) -> io::Result<()> {
        let reached = match limit {
            Limit::Fuel => format!("fuel: {} steps, and no end", limits.fuel),
            Limit::Rank => format!("rank: a flank with more than {} axes", limits.rank),
            Limit::Size => format!("size: more than {} axes written", limits.size),
        };
        out.line(&format!("{}: {reached}", paint(BAD, "limit")))?;
        if self.all
            && let Some(derivation) = self.derivation(out)?
        {
            heading("steps", out)?;
            derivation.print(out)?;
        }
        out.line("")?;
        out.line("neither solved nor refuted")
    }
}

/// The title of a part, after an empty line.
fn heading(text: &str, out: &mut Output) -> io::Result<()> {
    let text = out.text(text);
    out.line("")?;
    out.line(&paint(TITLE, &text))
}
