//! `lozenge man`: manual pages, from the same description as the help.

use crate::command::Cli;
use crate::output::{Answer, Exit, Output};
use crate::whole;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use serde::Serialize;
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge man | man -l -                    reads the main page
  lozenge man ~/.local/share/man/man1       writes all pages; then: man lozenge-infer
  lozenge man --json                        every page as a text

Exit status: 0 printed or written, 2 a file cannot be written.";

/// Manual pages
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Write a page for every subcommand into this folder; without it the main page is printed
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// A page.
#[derive(Serialize)]
struct Page {
    file: String,
    /// What roff reads; left out where it is in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The sections behind the options: what `--help` says at its end. Its lines are laid out already and stay as they are.
fn render_after_help(text: &str, page: &mut Roff) {
    let mut inside = false;
    for line in text.lines() {
        let titled = ["Examples:", "Exit status:", "Notation:", "Limits:"].into_iter().find(|it| line.starts_with(it));
        let rest = titled.map_or(line, |title| line[title.len()..].trim_start());
        if titled.is_some() || !inside {
            if inside {
                page.control("fi", []);
            }
            let title = titled.map_or("NOTES".to_owned(), |title| title.trim_end_matches(':').to_uppercase());
            page.control("SH", [title.as_str()]).control("nf", []);
            inside = true;
        }
        if !(titled.is_some() && rest.is_empty()) {
            page.text([roman(rest)]);
        }
        // What follows an empty line without a title of its own are notes.
        if line.is_empty() {
            page.control("fi", []);
            inside = false;
        }
    }
    if inside {
        page.control("fi", []);
    }
}

/// The page of a command: its file's name and its text.
fn page(command: &Command) -> io::Result<(String, String)> {
    let version = env!("CARGO_PKG_VERSION");
    // No date: the page of a version is the same whenever it is made. An empty one would be lost on the line of titles.
    let man = Man::new(command.clone()).date(" ").source(format!("lozenge {version}")).manual("Lozenge");
    let mut bytes = Vec::new();
    man.render_title(&mut bytes)?;
    man.render_name_section(&mut bytes)?;
    man.render_synopsis_section(&mut bytes)?;
    man.render_description_section(&mut bytes)?;
    man.render_options_section(&mut bytes)?;
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        man.render_subcommands_section(&mut bytes)?;
    }
    if let Some(text) = command.get_after_help() {
        let mut after = Roff::new();
        render_after_help(&text.to_string(), &mut after);
        after.to_writer(&mut bytes)?;
    }
    Ok((man.get_filename(), String::from_utf8_lossy(&bytes).into_owned()))
}

/// The main page, then one for every subcommand that the help lists.
fn pages() -> io::Result<Vec<(String, String)>> {
    let mut main = Cli::command();
    main.build();
    std::iter::once(&main).chain(main.get_subcommands().filter(|sub| !sub.is_hide_set())).map(page).collect()
}

/// Prints or writes them.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let pages: Vec<(String, String)> = pages()?.into_iter().map(|(file, text)| (file, out.text(&text))).collect();
    if let Some(folder) = &args.folder {
        whole::write_all(pages.iter().map(|(file, text)| (folder.join(file), text.as_bytes())))?;
    }
    if out.json {
        let text = |text| args.folder.is_none().then_some(text);
        out.json(&pages.into_iter().map(|(file, it)| Page { file, text: text(it) }).collect::<Vec<_>>())?;
    } else if args.folder.is_some() {
        pages.iter().try_for_each(|(file, _)| out.line(file))?;
    } else if let Some((_, text)) = pages.first() {
        out.verbatim(text)?;
    }
    Ok(Exit::Yes)
}
