//! What the command understands, and what it does from its arguments to its exit status.

use crate::output::{self, Answer, Failure, Options, Output};
use crate::{
    certify, check, close, completions, conform, contained, corpus, decide, eq, explain, export, fuzz, infer,
    interrupt, join, le,
};
use crate::{lean, man, memory, oracle, parse, project, report, run, schema, serve, solve, spec, supervise, version};
use clap::{Args, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  lozenge le '[3] <> [2,4]' '[3] <> [4]'    is the first row a result of the second?
  lozenge le 3 unit                         the same for dimensions
  lozenge join '[3]!' '[3,3]!'              least upper bound, or the minimal ones
  lozenge eq '[3] <> [4]' '[3,4] <> []'     same axes, wherever the marker is?
  lozenge parse 'ij; jk => ik'              a specification as a tree
  lozenge infer tests/programs/mlp.loz      the shapes of a tensor program
  lozenge project program.loz               its operations as loop nests
  lozenge run program.loz --fill range      its values
  lozenge export program.loz --numpy        the same for NumPy, ONNX or einsum
  lozenge solve system.txt                  what follows from constraints, one a line
  lozenge explain program.loz               shapes beside its lines, or why they do not fit
  lozenge explain system.txt                every step, drawn; --html for a page
  lozenge close system.txt --leaf a         one solution, and what it assumes
  lozenge decide system.txt                 is there a solution at all?
  lozenge certify system.txt                the verdict, confirmed by a proved checker
  lozenge check system.txt values.txt       do these values solve them?
  lozenge memory tests/models/mnist.txt     what training a model takes, against a device
  lozenge oracle < requests.jsonl           the same for programs, in JSON
  lozenge conform --engine ./my-engine      does another engine answer like this one?
  lozenge fuzz --engine ./my-engine         the smallest question that it gets wrong
  lozenge serve                             a page to try it on
  lozenge spec 2.7                          a statement and its evidence
  lozenge spec --status open                what is not settled
  lozenge report --html target/report       all statements, proofs and harnesses as a site

Notation: rows [3]·⋄·[2,4] (typed [3] <> [2,4]), rigid rows [3,5]• (typed [3,5]!),
dimensions 3, 3:rgb, 1∅ (typed unit), ⊥ (typed bot).

Limits: a file has at most 64 MiB, a text 16 MiB, a line 1 MiB, a name 1000 characters (spec/protocol.md).

Exit status: 0 it holds or was printed, 1 it does not hold, 2 bad input, 3 a limit was reached,
4 a fault of Lozenge itself, 128 + n ended by signal n.";

/// Executable reference for broadcast-aware shape inference.
#[derive(Parser)]
#[command(name = "lozenge", bin_name = "lozenge", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
#[command(disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

/// One variant per subcommand, named as its module is.
macro_rules! subcommands {
    ($($(#[$hidden:meta])? $variant:ident($module:ident),)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$hidden])? $variant($module::Args),)*
        }

        /// What a subcommand understands.
        fn description(name: &str) -> Option<clap::Command> {
            match name {
                $(stringify!($module) => Some($module::Args::augment_args(clap::Command::new(stringify!($module)))),)*
                _ => None,
            }
        }
    };
}

subcommands! {
    Le(le),
    Join(join),
    Eq(eq),
    Parse(parse),
    Infer(infer),
    Project(project),
    Run(run),
    Export(export),
    Solve(solve),
    Close(close),
    Decide(decide),
    Explain(explain),
    Certify(certify),
    Check(check),
    Memory(memory),
    Lean(lean),
    Oracle(oracle),
    Serve(serve),
    Conform(conform),
    Fuzz(fuzz),
    Corpus(corpus),
    Spec(spec),
    Report(report),
    Schema(schema),
    Completions(completions),
    Man(man),
    Version(version),
    #[command(hide = true)]
    Supervise(supervise),
}

impl Cli {
    /// Reads the arguments. To describe all subcommands takes longer than many commands run, so the one that is named
    /// first is tried alone; what comes of anything else, help and mistakes, is told from the whole description.
    fn read() -> Result<Self, clap::Error> {
        Cli::read_alone().map_or_else(Cli::try_parse, Ok)
    }

    fn read_alone() -> Option<Self> {
        let subcommand = description(std::env::args_os().nth(1)?.to_str()?)?;
        let whole = Options::augment_args(clap::Command::new("lozenge")).subcommand(subcommand);
        Cli::from_arg_matches(&whole.try_get_matches().ok()?).ok()
    }
}

fn dispatch(command: &Command, out: &mut Output) -> Answer {
    match command {
        Command::Le(args) => le::run(args, out),
        Command::Join(args) => join::run(args, out),
        Command::Eq(args) => eq::run(args, out),
        Command::Parse(args) => parse::run(args, out),
        Command::Infer(args) => infer::run(args, out),
        Command::Project(args) => project::run(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Export(args) => export::run(args, out),
        Command::Solve(args) => solve::run(args, out),
        Command::Close(args) => close::run(args, out),
        Command::Decide(args) => decide::run(args, out),
        Command::Explain(args) => explain::run(args, out),
        Command::Certify(args) => certify::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Memory(args) => memory::run(args, out),
        Command::Lean(args) => lean::run(args, out),
        Command::Oracle(args) => oracle::run(args),
        Command::Serve(args) => serve::run(args, out),
        Command::Conform(args) => {
            interrupt::watch();
            conform::run(args, out)
        }
        Command::Fuzz(args) => {
            interrupt::watch();
            fuzz::run(args, out)
        }
        Command::Corpus(args) => corpus::run(args, out),
        Command::Spec(args) => spec::run(args, out),
        Command::Report(args) => report::run(args, out),
        Command::Schema(args) => schema::run(args, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Man(args) => man::run(args, out),
        Command::Version(args) => version::run(args, out),
        Command::Supervise(args) => supervise::run(args),
    }
}

/// Runs a command; a panic in it is a failure of kind `internal`.
fn run_contained(command: &Command, out: &mut Output) -> Answer {
    let run = || {
        for arg in std::env::args_os() {
            contained::provoke(&arg.to_string_lossy());
        }
        dispatch(command, out)
    };
    contained::contained(run).unwrap_or_else(|what| Err(Failure::input("internal", what)))
}

/// What the command does, from its arguments to its exit status.
pub fn main() -> ExitCode {
    contained::keep_quiet();
    match Cli::read() {
        Ok(cli) => {
            let mut out = Output::new(&cli.options);
            let answer = run_contained(&cli.command, &mut out);
            out.finish(answer)
        }
        Err(error) if error.use_stderr() && std::env::args_os().any(|arg| arg == "--json") => {
            Output::new(&Options { json: true, ..Options::default() }).finish(Err(Failure::usage(&error)))
        }
        Err(error) => {
            // Help and version, or a usage error, which repeats what was typed. A reader that has gone away is no error.
            if error.use_stderr() {
                output::complain(error.render().to_string().trim_end());
            } else {
                let printed = error.print().and_then(|()| std::io::Write::flush(&mut std::io::stdout()));
                if let Err(problem) = printed
                    && problem.kind() != std::io::ErrorKind::BrokenPipe
                {
                    output::complain(&format!("error: cannot write: {problem}"));
                    return ExitCode::from(2);
                }
            }
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}
