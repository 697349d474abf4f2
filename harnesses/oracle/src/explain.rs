//! `lozenge explain`: a derivation for people, as text or as one HTML page.

mod grid;
mod html;
mod story;
mod svg;
mod text;

use crate::close::vars;
use crate::infer;
use crate::output::{Answer, Exit, Failure, Output};
use crate::policy::PolicyArgs;
use crate::system::{Source, System};
use lozenge::closing::Tags;
use lozenge::program::generate::generate;
use std::path::PathBuf;
use story::{Ending, Story};

const EXAMPLES: &str = "\
Examples:
  lozenge explain tests/systems/f1.txt                 every step, drawn
  lozenge explain tests/systems/layer.txt --leaf xb    what closing assumes after it
  lozenge explain tests/programs/mlp.loz               the constraints of a program
  lozenge explain tests/systems/f1.txt --html > f1.html   one page, pictures included

Rows are drawn under each other, aligned at their outer edges, with the marker or the row variable
between the flanks. After each step come the bounds as they stand and what the guard has learnt.

Exit status: 0 solved, 1 unsat or rejected, 2 bad input, 3 a limit was reached.";

/// Explain a derivation step by step, with pictures
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Constraints, one a line, or a program (.loz); - is standard input
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
    /// The most steps that are shown
    #[arg(long, value_name = "N", default_value_t = 200)]
    steps: usize,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// The constraints of a file, and the provenance that closing uses.
fn read(args: &Args) -> Result<(System, Tags, Vec<String>), Failure> {
    if args.file.extension().is_some_and(|ext| ext == "loz") {
        let source = Source::read(&args.file)?;
        let (program, text) = infer::read(&source.text).map_err(|error| infer::bad(&error, &source.text))?;
        let generated = generate(&program).map_err(|error| infer::bad(&error.into(), &text))?;
        let lines: Vec<usize> = generated.origins.iter().map(|origin| origin.span.position(&text).0).collect();
        let labels = generated.origins.iter().map(|origin| origin.span.text(&text).trim().to_owned()).collect();
        let system = System { names: generated.names, phi: generated.constraints, lines };
        return Ok((system, generated.tags, labels));
    }
    let system = System::read(&args.file)?;
    let params = vars(&args.params, &system.names)?;
    let leaves = &vars(&args.leaves, &system.names)? | &params;
    let labels = vec![String::new(); system.phi.len()];
    Ok((system, Tags { leaves, params }, labels))
}

/// Solves, and tells.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let (system, tags, labels) = read(args)?;
    let title =
        if crate::system::is_stdin(&args.file) { "constraints".to_owned() } else { args.file.display().to_string() };
    let story = Story::tell(&title, &system, &labels, &tags, args.policy.policy(false), args.steps, out);
    if out.json {
        out.json(&story)?;
    } else if args.html {
        out.line(html::page(&story).trim_end())?;
    } else {
        text::print(&story, out)?;
    }
    Ok(match story.ending {
        Ending::Solved => Exit::Yes,
        Ending::Unsat | Ending::Rejected => Exit::No,
        Ending::Limit => Exit::Limit,
    })
}
