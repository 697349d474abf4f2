//! `lozenge infer`: the shapes of a tensor program (spec/program.md).

pub mod show;

use crate::answer;
use crate::output::{Answer, Exit, Failure, Output};
use crate::policy::PolicyArgs;
use crate::system::Source;
use crate::warnings::{self, WarningArgs};
use lozenge::json::Place;
use lozenge::notation::Problem as _;
use lozenge::program::shape::show_partial;
use lozenge::program::{InferError, Inference, Partial, Program, ProgramError, Warning};
use lozenge::program::{infer_with, parse, parse_json, partial};
use lozenge::solver::Policy;
use show::{Wanted, show_all, table};
use std::io;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  lozenge infer tests/programs/mlp.loz             every tensor's shape, and what was decided
  lozenge infer program.loz --assumptions          all that was assumed, routine things too
  lozenge infer program.loz --partial              what is known before closing
  lozenge infer program.loz --markers              which declared place put each row's marker
  lozenge infer program.json                       the JSON form of a program

Shapes are written batch | input -> output.
Warnings go to standard error; spec/warnings.md lists them.
Exit status: 0 inferred, 1 the shapes do not fit or --deny-warnings found one, 2 bad input, 3 a limit was reached.";

/// Infer the shapes of a tensor program
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A program, as text or in its JSON form; - is standard input
    file: PathBuf,
    /// Show what is known before closing
    #[arg(long, conflicts_with = "deny_warnings")]
    partial: bool,
    /// List every assumption, routine ones too
    #[arg(long, conflicts_with = "partial")]
    assumptions: bool,
    /// Show where the marker of every row comes from
    #[arg(long, conflicts_with = "partial")]
    markers: bool,
    #[command(flatten)]
    warnings: WarningArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Infers and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let source = Source::read(&args.file)?;
    let policy = args.policy.policy(false);
    let (program, text) = match read(&source.text) {
        Ok(program) => program,
        Err(failure) => return refused(&failure, &source.text, out),
    };
    if args.partial {
        return match show_known(&program, policy, out)? {
            None => Ok(Exit::Yes),
            Some(error) => refused(&error, &text, out),
        };
    }
    match infer_with(&program, policy) {
        Err(error) => refused(&error, &text, out),
        Ok(inference) => {
            let warnings = warnings::of(&program, &text, &inference);
            let inferred = Inferred { inference, text, warnings };
            let wanted = Wanted { assumptions: args.assumptions, markers: args.markers };
            show_all(&inferred, policy, wanted, out)?;
            Ok(args.warnings.exit(&inferred.warnings))
        }
    }
}

/// The shapes of a program.
pub struct Inferred {
    /// What was inferred.
    pub inference: Inference,
    /// The text that its places refer to.
    pub text: String,
    /// What was accepted and perhaps not meant.
    pub warnings: Vec<Warning>,
}

/// The shapes of the program in a file; or the answer that says why there are none.
pub fn inferred(file: &Path, policy: Policy, out: &mut Output) -> Result<Inferred, Answer> {
    let source = Source::read(file).map_err(Err)?;
    let (program, text) = read(&source.text).map_err(|error| refused(&error, &source.text, out))?;
    match infer_with(&program, policy) {
        Ok(inference) => {
            let warnings = warnings::of(&program, &text, &inference);
            Ok(Inferred { inference, text, warnings })
        }
        Err(error) => Err(refused(&error, &text, out)),
    }
}

/// A program with the text that its places refer to, be it a program or JSON.
pub fn read(text: &str) -> Result<(Program, String), InferError> {
    let program = if is_json(text) { parse_json(text)? } else { parse(text)? };
    Ok((program, text.to_owned()))
}

/// Is it JSON? A program may begin with a brace as well, but then a name comes after it.
pub fn is_json(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '}']))
}

/// The message, with its place where the program is JSON.
fn pointed(error: &ProgramError, text: &str) -> String {
    match lozenge::json::place(text, error.span.start) {
        Ok(Place { at, .. }) if is_json(text) => format!("at {at}: {error}"),
        _ => error.to_string(),
    }
}

/// A program that is too large is told apart from one that is wrong.
fn kind_of(error: &InferError) -> &'static str {
    match error {
        InferError::Program(error) if error.problem.is_limit() => "limit",
        _ => "parse",
    }
}

/// A text that is no program, for people.
pub fn bad(error: &InferError, text: &str) -> Failure {
    Failure::input(kind_of(error), error.render(text).trim_end())
}

/// Says why there are no shapes.
pub fn refused(error: &InferError, text: &str, out: &mut Output) -> Answer {
    let exit = match error {
        InferError::Program(it) if out.json => return Err(Failure::input(kind_of(error), pointed(it, text))),
        InferError::Program(_) => return Err(bad(error, text)),
        InferError::Limit(_) => Exit::Limit,
        InferError::Clash(_) | InferError::Hole(_) | InferError::Index(_) | InferError::Size(_) => Exit::No,
    };
    if out.json {
        out.json(&answer::infer_error_json(error, text))?;
    } else {
        for line in error.render(text).lines() {
            let line = out.text(line);
            out.line(&line)?;
        }
    }
    Ok(exit)
}

fn show_known(program: &Program, policy: Policy, out: &mut Output) -> io::Result<Option<InferError>> {
    let known: Partial = match partial(program, policy) {
        Ok(known) => known,
        Err(error) => return Ok(Some(error)),
    };
    if out.json {
        out.json(&answer::partial_json(&known))?;
        return Ok(None);
    }
    let shapes = known.generated.bindings.iter().filter_map(|(name, id)| {
        let role = known.generated.tensors.get(*id)?.role.name();
        Some((name.clone(), role, show_partial(known.shapes.get(*id)?, &known.names)))
    });
    table(shapes.collect(), out)?;
    Ok(None)
}
