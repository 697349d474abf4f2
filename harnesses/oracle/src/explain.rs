//! `lozenge explain`: a program or a derivation for people, as text or as one HTML page.

mod beside;
mod code;
mod defined;
pub mod grid;
pub mod html;
mod listing;
pub mod of_program;
pub mod of_system;
mod replay;
pub mod story;
pub mod svg;
mod text;
mod why;

use crate::close::vars;
use crate::infer;
use crate::output::{Answer, Failure, Output};
use crate::policy::PolicyArgs;
use crate::system::{Source, System, shown};
use lozenge::closing::Tags;
use lozenge::program::InferError;
use lozenge::solver::Policy;
use std::path::PathBuf;
use story::Story;

const EXAMPLES: &str = "\
Examples:
  lozenge explain tests/programs/layer_norm.loz        the program with shapes beside its lines
  lozenge explain tests/broken/attention_heads.loz     what does not fit, and how it got there
  lozenge explain program.loz --html > program.html    one page; the calculus is one click below
  lozenge explain program.loz --calculus --steps 1000  every step of the inference, drawn
  lozenge explain tests/systems/f1.txt                 constraints: every step, drawn
  lozenge explain tests/systems/layer.txt --leaf xb    what closing assumes after it
  lozenge explain tests/systems/f1.txt --html > f1.html   one page, pictures included
  lozenge explain E0501                                what a code means

Of a program every line has beside it the shape of what it defines, and the sizes that have names.
Inside a function these are the shapes of its first application, and what differs in others is said.
Of a program that does not fit: the two claims that meet, how each got there, what was assumed, and
what is known so far.

Of constraints, and with --calculus, rows are drawn under each other, aligned at their outer edges,
with the marker or the row variable between the flanks. After each step come the bounds as they stand
and what the guard has learnt; of a program also the stages of strided, convolved and concatenated
axes, what closing commits, and the indices that are read.

Verdict and exit status are those of solve on the same constraints, of close where --leaf or --param
is given, and of infer on a program: 0 solved, closed or inferred, 1 unsat, rejected or a dimension
that is not specified, 2 bad input, 3 a limit was reached.";

/// Explain a program line by line, or a derivation step by step
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line, or a program (.loz, .json); - is standard input; or a code, as E0501
    file: PathBuf,
    /// Write a page in HTML that needs nothing else
    #[arg(long, conflicts_with = "json")]
    html: bool,
    /// A variable of a leaf, for closing; repeat for more
    #[arg(long = "leaf", value_name = "VAR")]
    leaves: Vec<String>,
    /// A variable of a parameter, for closing; repeat for more
    #[arg(long = "param", value_name = "VAR")]
    params: Vec<String>,
    /// Of a program, show every step of the calculus, as for constraints
    #[arg(long, conflicts_with_all = ["json", "html"])]
    calculus: bool,
    /// The most steps that are shown: of constraints, and with --calculus, --html or --json
    #[arg(long, value_name = "N", default_value_t = 200)]
    steps: usize,
    /// The file is a program, whatever its name
    #[arg(long)]
    program: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Is the file a program? Its name says so.
fn is_program(args: &Args) -> bool {
    args.program || args.file.extension().is_some_and(|ext| ext == "loz" || ext == "json")
}

/// What `infer` does with a program, or the answer that it has for one that is not well formed.
fn program(args: &Args, title: &str, out: &mut Output) -> Result<Story, Answer> {
    if !(args.leaves.is_empty() && args.params.is_empty()) {
        let message = "--leaf and --param are for constraints: a program says what its leaves and parameters are";
        return Err(Err(Failure::input("usage", message)));
    }
    let source = Source::read(&args.file).map_err(Err)?;
    let policy = args.policy.policy(false);
    let program = infer::read(&source.text).map_err(|error| infer::refused(&error, &source, policy, out))?;
    let told = of_program::tell(title, &program, &source.text, policy, args.steps, out);
    told.map_err(|error| infer::refused(&InferError::Program(error), &source, policy, out))
}

/// What `solve` does with constraints, or `close` where leaves are named.
fn system(args: &Args, title: &str, out: &Output) -> Result<Story, Failure> {
    let system = System::read(&args.file)?;
    let params = vars(&args.params, &system.names)?;
    let leaves = &vars(&args.leaves, &system.names)? | &params;
    let tags = Tags { leaves, params };
    Ok(of_system::tell(title, &system, &tags, args.policy.policy(false), args.steps, out))
}

/// The most steps that are drawn of a witness.
const MOST_DRAWN: usize = 24;

/// Constraints or a program out of a document, drawn as HTML: how it ends, and everything else. None where the text is
/// neither.
pub fn drawn(text: &str, is_program: bool, out: &Output) -> Option<(String, String)> {
    let policy = Policy::default();
    let story = if is_program {
        let program = infer::read(text).ok()?;
        of_program::tell("", &program, text, policy, MOST_DRAWN, out).ok()?
    } else {
        let system = System::parse(text).ok()?;
        of_system::tell("", &system, &Tags::default(), policy, MOST_DRAWN, out)
    };
    Some((html::ending(&story), html::told(&story)))
}

/// Solves, and tells.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    if let Some(code) = code::asked(&args.file) {
        let code = code?;
        if args.html || args.calculus {
            let message = "--html and --calculus are for programs and constraints: what a code means is a text";
            return Err(Failure::input("usage", message));
        }
        return code::print(code, out);
    }
    let title = shown(&args.file);
    let story = if is_program(args) {
        match program(args, &title, out) {
            Ok(story) => story,
            Err(answer) => return answer,
        }
    } else {
        system(args, &title, out)?
    };
    if out.json {
        out.json(&story)?;
    } else if args.html {
        out.line(html::page(&story).trim_end())?;
    } else if story.program && !args.calculus {
        beside::print(&story, out)?;
    } else {
        text::print(&story, out)?;
    }
    Ok(story.ending.exit())
}
