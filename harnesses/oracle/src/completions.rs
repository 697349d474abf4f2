//! `lozenge completions`: what a shell has to know to complete commands and options.

use crate::command::Cli;
use crate::output::{Answer, Exit, Output};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  lozenge completions bash > ~/.local/share/bash-completion/completions/lozenge
  lozenge completions zsh > ~/.zfunc/_lozenge          with ~/.zfunc in fpath
  lozenge completions fish > ~/.config/fish/completions/lozenge.fish
  eval \"$(lozenge completions bash)\"                   for this session alone

Exit status: 0 printed.";

/// Completions for a shell
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell that reads them
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Serialize)]
struct CompletionsJson {
    shell: String,
    script: String,
}

/// The command as the help shows it: scripts would offer hidden subcommands as well.
fn visible() -> Command {
    let all = Cli::command();
    Command::new("lozenge")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(all.get_arguments().cloned())
        .subcommands(all.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned())
}

/// The script for a shell.
fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut visible(), "lozenge", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Prints the script.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let script = out.text(&script(args.shell));
    if out.json {
        out.json(&CompletionsJson { shell: args.shell.to_string(), script })?;
    } else {
        out.verbatim(&script)?;
    }
    Ok(Exit::Yes)
}
