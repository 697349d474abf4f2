//! `lozenge infer`: the shapes of a tensor program (spec/program.md).

pub mod show;

use crate::answer;
use crate::output::{Answer, Exit, Failure, Output};
use crate::policy::PolicyArgs;
use crate::system::Source;
use crate::told::Told;
use crate::warnings::{self, WarningArgs};
use lozenge::json::{self, Place};
use lozenge::notation::Problem as _;
use lozenge::program::shape::show_partial;
use lozenge::program::{Diagnostic, InferError, Inference, Partial, Program, Warning};
use lozenge::program::{diagnose, infer_with, parse, parse_json, partial};
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
    let told = |error: InferError, out: &mut Output| refused(&error, &source, policy, out);
    if args.partial {
        let program = match read(&source.text) {
            Ok(program) => program,
            Err(error) => return told(error, out),
        };
        return match show_known(&program, policy, out)? {
            None => Ok(Exit::Yes),
            Some(error) => told(error, out),
        };
    }
    match infer(source, policy) {
        Err(failed) => refused(&failed.0, &failed.1, policy, out),
        Ok(inferred) => {
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
    /// The text that its places refer to, and its name.
    pub source: Source,
    /// What was accepted and perhaps not meant.
    pub warnings: Vec<Warning>,
}

/// The shapes of the program in a file; or the answer that says why there are none.
pub fn inferred(file: &Path, policy: Policy, out: &mut Output) -> Result<Inferred, Answer> {
    let source = Source::read(file).map_err(Err)?;
    infer(source, policy).map_err(|failed| refused(&failed.0, &failed.1, policy, out))
}

/// The shapes of the program in a text; or what is wrong with it.
pub fn infer(source: Source, policy: Policy) -> Result<Inferred, Box<(InferError, Source)>> {
    let found = read(&source.text).and_then(|program| Ok((infer_with(&program, policy)?, program)));
    match found {
        Err(error) => Err(Box::new((error, source))),
        Ok((inference, program)) => {
            let warnings = warnings::of(&program, &source.text, &inference);
            Ok(Inferred { inference, source, warnings })
        }
    }
}

/// A program, be it text or JSON.
pub fn read(text: &str) -> Result<Program, InferError> {
    Ok(if is_json(text) { parse_json(text)? } else { parse(text)? })
}

/// Is it JSON? A program may begin with a brace as well, but then a name comes after it.
pub fn is_json(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '}']))
}

/// A program that is too large is told apart from one that is wrong.
fn kind_of(error: &InferError) -> &'static str {
    match error {
        InferError::Program(error) if error.problem.is_limit() => "limit",
        _ => "parse",
    }
}

/// All there is to say about a program that has no shapes. What came as JSON is not text that people write, so nothing is
/// looked for to write instead.
pub fn diagnosed(error: &InferError, text: &str, policy: Policy) -> Diagnostic {
    if is_json(text) { error.diagnostic(text) } else { diagnose(text, error, policy) }
}

/// Says why there are no shapes: to people on standard error, to machines in the answer.
pub fn refused(error: &InferError, source: &Source, policy: Policy, out: &mut Output) -> Answer {
    let mut told = Told::of(diagnosed(error, &source.text, policy), source);
    let exit = match error {
        InferError::Program(it) => {
            if let (true, Ok(Place { at, .. })) = (is_json(&source.text), json::place(&source.text, it.span.start)) {
                told.at = Some(at);
            }
            return Err(Failure::Program { kind: kind_of(error), told: Box::new(told) });
        }
        InferError::Limit(_) => Exit::Limit,
        InferError::Clash(_) | InferError::Hole(_) | InferError::Index(_) | InferError::Size(_) => Exit::No,
    };
    if out.json {
        out.json(&answer::infer_error_json(error, &source.text).with(&told))?;
    } else {
        out.tell(&told);
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
        Some((name.to_string(), role, show_partial(known.shapes.get(*id)?, &known.names)))
    });
    table(shapes.collect(), out)?;
    Ok(None)
}
