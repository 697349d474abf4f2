//! `lozenge lean`: the Lean project of the ranged dimensions, written from the Rust definitions.

mod conformance;
mod definitions;

use crate::output::{Answer, Exit, Failure, Output, visible_path};
use crate::system::holds;
use crate::whole;
use serde::Serialize;
use std::io::ErrorKind;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lozenge lean                              writes proofs/lean
  lozenge lean DIR                          writes the project somewhere else
  lozenge lean --check                      says which files are not current

Then, with Lean 4: cd proofs/lean && lake build
Exit status: 0 written, or current; 1 not current; 2 a file cannot be read or written.";

/// Write the Lean project of the ranged dimensions
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder of the project
    #[arg(default_value = "proofs/lean")]
    folder: PathBuf,
    /// Write nothing; say whether the files are current
    #[arg(long)]
    check: bool,
}

/// A file of the project.
#[derive(Serialize)]
struct File {
    path: &'static str,
    /// Made from the Rust definitions, or written by hand and copied.
    generated: bool,
    /// Was it as it should be?
    current: bool,
    /// Was it written now?
    written: bool,
    #[serde(skip)]
    text: String,
}

/// Every file of the project. What is written by hand is compiled in, so that a project can be written anywhere.
fn files() -> Vec<File> {
    let file = |path, generated, text: String| File { path, generated, current: false, written: false, text };
    vec![
        file("Ranged/Definitions.lean", true, definitions::text()),
        file("Ranged/Conformance.lean", true, conformance::text()),
        file("Ranged/Theorems.lean", false, include_str!("../data/lean/Ranged/Theorems.lean").to_owned()),
        file("Ranged.lean", false, include_str!("../data/lean/Ranged.lean").to_owned()),
        file("lakefile.toml", false, include_str!("../data/lean/lakefile.toml").to_owned()),
        file("lean-toolchain", false, include_str!("../data/lean/lean-toolchain").to_owned()),
    ]
}

/// Writes or compares.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let mut files = files();
    for file in &mut files {
        let path = args.folder.join(file.path);
        file.current = match holds(&path, file.text.as_bytes()) {
            Ok(same) => same,
            // Where it is to be written, that says what is wrong.
            Err(error) if args.check && error.kind() != ErrorKind::NotFound => {
                return Err(Failure::input("file", format!("cannot read {}: {error}", visible_path(&path))));
            }
            Err(_) => false,
        };
        file.written = !file.current && !args.check;
    }
    if !args.check {
        let changed = files.iter().filter(|file| !file.current);
        whole::write_all(changed.map(|file| (args.folder.join(file.path), file.text.as_bytes())))?;
    }
    if out.json {
        out.json(&files)?;
    } else {
        for file in &files {
            let said = match (file.current, args.check) {
                (true, _) => "current",
                (false, true) => "not current: run this without --check",
                (false, false) => "written",
            };
            out.line(&format!("{:<24}  {said}", file.path))?;
        }
    }
    Ok(Exit::from(!args.check || files.iter().all(|file| file.current)))
}
