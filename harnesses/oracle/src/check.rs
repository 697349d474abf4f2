//! `lozenge check`: do values solve constraints (Def. 3.4)?

use crate::answer::CheckJson;
use crate::output::{Answer, BAD, Exit, Failure, GOOD, Output, paint};
use crate::system::{Source, System, not_both_stdin};
use crate::{eq, ground, le};
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::parse_ground;
use lozenge::rigid::TwoSorted;
use lozenge::row::Row;
use lozenge::semantics::{Ground, holds};
use lozenge::term::{Var, Vars};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge check system.txt values.txt
  lozenge solve system.txt                  to find values: those under γ↑

FILE has one constraint a line, VALUES one variable a line: a := 3, <r> := [3] <> [].
# begins a comment. Every variable of FILE needs a value.

Exit status: 0 every constraint holds, 1 one does not, 2 bad input, 3 a limit.";

/// Do these values solve these constraints?
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line; - is standard input
    file: PathBuf,
    /// Values, one variable a line; - is standard input
    values: PathBuf,
}

/// Answers the question.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    not_both_stdin([("FILE", &args.file), ("VALUES", &args.values)])?;
    let mut system = System::read(&args.file)?;
    let values = Source::read(&args.values)?;
    let gamma = parse_ground(&values.text, &mut system.names).map_err(|error| values.failure(error))?;
    let missing = missing(&system.phi, &gamma);
    if !missing.is_empty() {
        let shown: Vec<String> = missing.iter().map(|v| out.show(v, &system.names)).collect();
        return Err(Failure::input("parse", format!("no value for {}", shown.join(", "))));
    }
    let which = violated(&system.phi, &gamma);
    let exit = Exit::from(which.is_empty());
    if out.json {
        out.json(&verdict(which))?;
    } else {
        print(&system, &gamma, &which, out)?;
    }
    Ok(exit)
}

/// The variables without a value.
pub fn missing(phi: &[Constraint], gamma: &Ground) -> Vec<Var> {
    phi.vars().into_iter().filter(|var| !gamma.assigns(*var)).collect()
}

/// The constraints that do not hold, by number.
pub fn violated(phi: &[Constraint], gamma: &Ground) -> Vec<usize> {
    phi.iter().enumerate().filter(|(_, phi)| !holds(gamma, phi)).map(|(i, _)| i).collect()
}

/// The answer in the wire format.
pub fn verdict(which: Vec<usize>) -> CheckJson {
    if which.is_empty() { CheckJson::Holds } else { CheckJson::Violated { which, claims: None } }
}

fn print(system: &System, gamma: &Ground, which: &[usize], out: &mut Output) -> io::Result<()> {
    let (names, count) = (&system.names, system.phi.len());
    let width = system.lines.last().map_or(1, |line| line.to_string().len());
    let shown: Vec<String> = system.phi.iter().map(|phi| out.show(phi, names)).collect();
    let column = shown.iter().map(|s| s.chars().count()).filter(|w| *w <= 60).max().unwrap_or(0);
    let mut drawn = false;
    for (i, ((phi, line), text)) in system.phi.iter().zip(&system.lines).zip(&shown).enumerate() {
        let fine = which.binary_search(&i).is_err();
        // Padded before it is painted, so that columns stay in line.
        let word = if fine { paint(GOOD, "holds   ") } else { paint(BAD, "violated") };
        out.line(&format!("line {line:>width$}  {word}  {text:<column$}  {}", sides(phi, gamma, names, out)))?;
        if !fine {
            for line in why(phi, gamma, names, &mut drawn, out) {
                out.line(line.trim_end())?;
            }
        }
    }
    let constraints = if count == 1 { "constraint" } else { "constraints" };
    match which.len() {
        0 => out.line(&format!("{}: {count} {constraints}, Def. 3.4", paint(GOOD, "holds"))),
        n => out.line(&format!("{}: {n} of {count} {constraints}, Def. 3.4", paint(BAD, "violated"))),
    }
}

/// Both sides under the values.
fn sides(phi: &Constraint, gamma: &Ground, names: &Names, out: &Output) -> String {
    let row = |r: Row| ground::short(&TwoSorted::Marked(r), names, out);
    let dim = |d: Dim| out.show(&d, names);
    let (left, sign, right) = match phi {
        Constraint::DimEq(s, t) => (dim(gamma.dim(*s)), "=", dim(gamma.dim(*t))),
        Constraint::DimLe(s, t) => (dim(gamma.dim(*s)), "⊑", dim(gamma.dim(*t))),
        Constraint::RowEq(s, t) => (row(gamma.row(s)), "≈", row(gamma.row(t))),
        Constraint::RowLe(s, t) => (row(gamma.row(s)), "⊑", row(gamma.row(t))),
    };
    format!("{left} {} {right}", out.text(sign))
}

/// Why a constraint does not hold; the first row inequality is drawn.
fn why(phi: &Constraint, gamma: &Ground, names: &Names, drawn: &mut bool, out: &Output) -> Vec<String> {
    let indent = |text: String| vec![format!("  {text}")];
    match phi {
        Constraint::DimEq(s, t) => {
            let [s, t] = [s, t].map(|t| out.show(&gamma.dim(*t), names));
            indent(format!("{s} {} {t}", out.text("≠")))
        }
        Constraint::DimLe(s, t) => indent(out.text(le::reason(gamma.dim(*s).into(), gamma.dim(*t).into()))),
        Constraint::RowEq(s, t) => {
            let [s, t] = [s, t].map(|t| TwoSorted::Marked(gamma.row(t)).rigidify().0);
            eq::difference(&s, &t, names, out).map_or_else(Vec::new, indent)
        }
        Constraint::RowLe(s, t) => {
            let [s, t] = [s, t].map(|t| TwoSorted::Marked(gamma.row(t)));
            let lines = le::explanation(&s, &t, names, out);
            if std::mem::replace(drawn, true) {
                // The picture once is enough: after it the clauses alone.
                let clauses = lines.iter().skip_while(|line| !line.is_empty()).skip(1);
                return clauses.cloned().collect();
            }
            [vec![String::new()], lines, vec![String::new()]].concat()
        }
    }
}
