//! Writes what fuzzing begins with: `seeds FOLDER` puts the seeds of each target into FOLDER/TARGET, one a file.

use lozenge_harnesses::fuzz::seeds::{TARGETS, write};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: seeds FOLDER");
        return ExitCode::from(2);
    };
    for target in TARGETS {
        if let Err(error) = write(target, &Path::new(&folder).join(target)) {
            eprintln!("{target}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
