//! `lozenge report`: the index, the specification, the findings and the sources as a static site; a table in LaTeX; the
//! entries of a bibliography.
//!
//! A site is made from a checkout ([`made`]). Its pages are statements ([`statement`]), documents and findings
//! ([`document`]), sources ([`source`]) and figures ([`figures`]); [`address`] says where a link of a document leads,
//! [`shell`] what stands around each page, and [`folder`] how they are written.

mod address;
mod bibtex;
mod cff;
mod document;
mod excerpt;
mod figures;
mod folder;
mod latex;
mod made;
mod markdown;
mod search;
mod shell;
mod site;
mod source;
mod statement;

use crate::checkout::Checkout;
use crate::output::{Answer, Exit, Failure, Output, visible_path};
use made::Made;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  lozenge report --html target/report       a site that needs nothing else: open target/report/index.html
  lozenge report --latex > statements.tex   a table of the statements and their statuses
  lozenge report --bibtex                   entries for this artifact and for the paper

The site is made from the checkout that the command is run in: the index, the chapters, the findings, and
the code, harnesses, tests and proofs that they name, each with its lines. Every page has the commit and
the versions that it was made from. A folder with an earlier report gets the new one; a folder with
anything else in it is left alone. The table needs longtable and amssymb.
Exit status: 0 written, 2 no checkout here, or a place that cannot be written.";

/// Write the report: a site, a table in LaTeX, or entries of a bibliography
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(required = true, multiple = false)]
pub struct Args {
    /// Write a site into this folder
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,
    /// Print a table of the statements and their statuses
    #[arg(long)]
    latex: bool,
    /// Print entries for this artifact and for the paper, from CITATION.cff
    #[arg(long)]
    bibtex: bool,
}

/// What was written.
#[derive(Serialize)]
struct SiteJson<'a> {
    folder: String,
    version: &'static str,
    commit: Option<&'a str>,
    /// Has the checkout changes that are not in the commit?
    changed: bool,
    pages: Vec<&'a str>,
}

/// Writes what was asked for.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    if args.latex {
        let table = latex::Table::new();
        return print(&table, &table.text(), out);
    }
    let checkout = Checkout::here().ok_or_else(|| {
        Failure::input("file", "there is no checkout here: this folder, or one above it, must have spec/index.toml")
    })?;
    match &args.html {
        Some(folder) => html(folder, checkout, out),
        None => {
            let entries = bibtex::Entries::of(&checkout)?;
            print(&entries, &entries.text(), out)
        }
    }
}

/// As JSON, or line by line.
fn print(json: &impl Serialize, text: &str, out: &mut Output) -> Answer {
    if out.json {
        out.json(json)?;
    } else {
        text.lines().try_for_each(|line| out.line(line))?;
    }
    Ok(Exit::Yes)
}

fn html(to: &Path, checkout: Checkout, out: &mut Output) -> Answer {
    // A folder that may not be written is found before the work begins.
    let folder = folder::Folder::open(to)?;
    let made = Made::of(checkout)?;
    let pages = site::pages(&made, out)?;
    folder.write(&site::files(&pages, &made))?;
    let (shown, commit) = (visible_path(to), made.commit.as_ref());
    let summary = SiteJson {
        folder: to.display().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        commit: commit.map(|commit| &*commit.hash),
        changed: commit.is_some_and(|commit| commit.changed),
        pages: pages.iter().map(|page| &*page.path).collect(),
    };
    print(&summary, &format!("{} pages in {shown}: open {shown}/index.html", pages.len()), out)
}
