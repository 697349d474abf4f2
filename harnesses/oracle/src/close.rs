//! `lozenge close`: one ground solution (§6), with the list of what it assumes.

mod hole;

use crate::answer;
use crate::output::{Answer, BAD, Exit, Failure, GOOD, Output, paint};
use crate::policy::PolicyArgs;
use crate::solve::heading;
use crate::system::{System, lines_text};
use lozenge::certificate::Edge;
use lozenge::closing::{Assumption, Closed, Closing, Hole, Placing, Tags, close_placing};
use lozenge::decide::Decision;
use lozenge::names::Names;
use lozenge::solver::Policy;
use lozenge::term::Var;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge close system.txt --leaf a --leaf r       leaves close downward, the rest upward
  lozenge close system.txt --param w               a parameter is a leaf that must be known
  lozenge close system.txt --upward                deferred equations as in Def. 4.3

Every value that does not follow from the constraints is listed, with the rule that chose it.
Exit status: 0 closed, 1 unsat, rejected, or an unspecified dimension, 2 bad input, 3 a limit was reached.";

/// Close constraints: one solution, and what it assumes
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line; - is standard input
    file: PathBuf,
    /// A variable of a leaf; repeat for more
    #[arg(long = "leaf", value_name = "VAR")]
    leaves: Vec<String>,
    /// A variable of a parameter, which is a leaf as well; repeat for more
    #[arg(long = "param", value_name = "VAR")]
    params: Vec<String>,
    /// Close deferred equations upward and check, as Def. 4.3(c) and (d) say
    #[arg(long)]
    upward: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Closes and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let mut system = System::read(&args.file)?;
    let params = vars(&args.params, &system.names)?;
    let leaves = &vars(&args.leaves, &system.names)? | &params;
    let policy = args.policy.policy(args.upward);
    let tags = Tags { leaves, params };
    let end = close_placing(&system.phi, &mut system.names, &tags, policy);
    if out.json {
        out.json(&answer::close_json(&system.phi, &end, &system.names, policy))?;
    } else {
        report(&system, &end, &tags, policy, out)?;
    }
    Ok(match end.closing {
        Closing::Closed(_) => Exit::Yes,
        Closing::Limit(_) => Exit::Limit,
        Closing::Hole(_) | Closing::Unsat(_) | Closing::Rejected(..) => Exit::No,
    })
}

/// Says to people what came of closing.
pub fn report(system: &System, end: &Placing, tags: &Tags, policy: Policy, out: &mut Output) -> io::Result<()> {
    let names = &system.names;
    match &end.closing {
        Closing::Closed(closed) => print_closed(closed, &end.within, names, out)?,
        Closing::Hole(hole) => print_hole(hole, system, tags, policy, out)?,
        Closing::Unsat(failure) => {
            let why = answer::message(&failure.why, |d| out.show(&d, names));
            let phi = out.show(&failure.constraint, names);
            out.line(&format!("{}: {} on {phi}: {why}", paint(BAD, "unsat"), failure.rule))?;
            out.line("lozenge solve prints the derivation")?;
        }
        Closing::Rejected(failure, assumptions) => {
            let why = answer::message(&failure.why, |d| out.show(&d, names));
            let phi = out.show(&failure.constraint, names);
            out.line(&format!("{}: {} on {phi}: {why}", paint(BAD, "rejected"), failure.rule))?;
            let witness = lozenge::decide::witness(&system.phi, names, policy);
            out.line(match witness {
                Decision::Unsat => "a choice led here, and no other succeeds: there is no solution, see lozenge decide",
                _ => "a choice led here, so there may be a solution: see lozenge decide",
            })?;
            print_assumptions(assumptions, names, out)?;
            print_witness(witness.solution().as_ref(), names, out)?;
        }
        Closing::Limit(limit) => out.line(&format!("{}: {}", paint(BAD, "limit"), limit.name()))?,
    }
    Ok(())
}

/// The variables of these names; brackets around a row variable may be left out.
pub fn vars(given: &[String], names: &Names) -> Result<BTreeSet<Var>, Failure> {
    given
        .iter()
        .map(|name| {
            let bare = name.trim().trim_matches(['⟨', '⟩', '<', '>']);
            let all = || match names.vars().map(|v| answer::name(v, names)).collect::<Vec<_>>() {
                none if none.is_empty() => "none".to_owned(),
                some => some.join(", "),
            };
            let unknown = || format!("there is no variable `{bare}` in the constraints, which have {}", all());
            names.lookup(bare).ok_or_else(|| Failure::input("unknown", unknown()))
        })
        .collect()
}

fn print_closed(closed: &Closed, within: &BTreeMap<Var, Var>, names: &Names, out: &mut Output) -> io::Result<()> {
    out.line(&format!("{}: Def. 6.1", paint(GOOD, "closed")))?;
    heading("values", out)?;
    out.bindings(&answer::ground_terms(&closed.values), names)?;
    print_assumptions(&closed.assumptions, names, out)?;
    if !closed.placements.is_empty() {
        heading("markers placed by choice", out)?;
        let chosen: Vec<_> = closed.placements.iter().map(|b| (b.var(), b.to())).collect();
        out.bindings(&chosen, names)?;
        for (made, of) in within {
            out.line(&format!("  {} is the middle of {}", out.show(made, names), out.show(of, names)))?;
        }
    }
    Ok(())
}

fn print_assumptions(assumptions: &[Assumption], names: &Names, out: &mut Output) -> io::Result<()> {
    heading("assumed beyond what follows", out)?;
    if assumptions.is_empty() {
        return out.line("  nothing");
    }
    let arrow = out.text("↦");
    for Assumption { binding, rule, within } in assumptions {
        let part = within.map_or(String::new(), |x| format!(" (part of {})", out.show(&x, names)));
        let words = out.text(rule.words());
        out.line(&format!(
            "  {}{part} {arrow} {}  {rule}: {words}",
            out.show(&binding.var(), names),
            out.show(&binding.to(), names)
        ))?;
    }
    Ok(())
}

fn print_hole(hole: &Hole, system: &System, tags: &Tags, policy: Policy, out: &mut Output) -> io::Result<()> {
    let shown = out.show(&hole.var, &system.names);
    let place = match hole.position {
        None => String::new(),
        Some((Edge::Front, i)) => format!(", leading axis {i} (from 0)"),
        Some((Edge::Back, i)) => format!(", trailing axis {i} from the back (from 0)"),
    };
    out.line(&format!("{}: parameter {shown}{place}: you forgot to specify this dimension", paint(BAD, "error")))?;
    let lines: Vec<usize> = hole.uses.iter().filter_map(|i| system.lines.get(*i).copied()).collect();
    if lines.is_empty() {
        out.line("  no constraint mentions it")?;
    } else {
        out.line(&format!("  used in {}, and none of these says how large it is", lines_text(&lines)))?;
    }
    let example = hole::example(hole, system, tags, policy);
    let example = example.map_or_else(String::new, |phi| format!(", for example {}", out.show(&phi, &system.names)));
    out.line(&format!("  say its size{example}, or make it a leaf that is no parameter"))
}

/// A solution that a short search found.
pub fn print_witness(witness: Option<&lozenge::semantics::Ground>, names: &Names, out: &mut Output) -> io::Result<()> {
    let Some(gamma) = witness else { return Ok(()) };
    heading("a solution all the same", out)?;
    out.bindings(&answer::ground_terms(gamma), names).map(drop)
}
