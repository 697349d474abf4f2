//! `lozenge decide`: is there a solution (Remark 6.7)?

use crate::answer;
use crate::output::{Answer, BAD, Exit, GOOD, Output, paint};
use crate::policy::PolicyArgs;
use crate::system::System;
use lozenge::decide::{Decision, Unlooked, decide};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge decide system.txt
  lozenge decide system.txt --rank-bound 8      look further

Where solve rejects, decide searches the lengths of rows for a solution, fewest axes first.
Exit status: 0 satisfiable, 1 unsatisfiable, 2 bad input, 3 unknown: a bound or a limit was reached.";

/// Decide constraints: a solution, or that there is none
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line; - is standard input
    file: PathBuf,
    /// The largest rank of a row variable that the search tries
    #[arg(long, value_name = "N", default_value_t = 6)]
    rank_bound: usize,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Decides and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let mut system = System::read(&args.file)?;
    let decided = decide(&system.phi, &mut system.names, args.policy.policy(false), args.rank_bound);
    let exit = match decided.decision {
        Decision::Sat(_) => Exit::Yes,
        Decision::Unsat => Exit::No,
        Decision::Unknown { .. } => Exit::Limit,
    };
    if out.json {
        out.json(&answer::decide_json(&decided, &system.names))?;
        return Ok(exit);
    }
    let how = match decided.branches {
        0 => "the deterministic run decides it".to_owned(),
        1 => "after 1 choice of lengths".to_owned(),
        n => format!("after {n} choices of lengths"),
    };
    match &decided.decision {
        Decision::Sat(gamma) => {
            out.line(&format!("{}: {how}", paint(GOOD, "sat")))?;
            out.bindings(&answer::ground_terms(gamma), &system.names)?;
        }
        Decision::Unsat => out.line(&format!("{}: {how}", paint(BAD, "unsat")))?,
        Decision::Unknown { rank_bound, because: Unlooked::Rank } => {
            let tried = if decided.branches == 0 { "which fit no choice of lengths".to_owned() } else { how };
            out.line(&format!("{}: no solution with rows up to rank {rank_bound}, {tried}", paint(BAD, "unknown")))?;
            out.line("--rank-bound looks further")?;
        }
        Decision::Unknown { because: Unlooked::Limit(limit), .. } => {
            let which = answer::limit_name(*limit);
            let tried = if decided.branches == 0 { "before any choice of lengths".to_owned() } else { how };
            out.line(&format!("{}: the limit on {which} was reached, {tried}", paint(BAD, "unknown")))?;
        }
    }
    Ok(exit)
}
