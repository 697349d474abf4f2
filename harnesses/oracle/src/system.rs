//! Files in the notation: constraints, one a line, and values.

use crate::output::{Failure, visible};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::{NotationError, parse_lines};
use std::io::{self, Read};
use std::path::Path;

/// A text and where it comes from.
pub struct Source {
    /// The name of the file.
    name: String,
    /// What is in it.
    pub text: String,
}

impl Source {
    /// Reads a file; `-` is standard input.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let stdin = is_stdin(path);
        let name = if stdin { "standard input".to_owned() } else { visible(&path.display().to_string()) };
        let mut bytes = Vec::new();
        let read = if stdin {
            io::stdin().lock().read_to_end(&mut bytes).map(drop)
        } else {
            std::fs::read(path).map(|all| bytes = all)
        };
        read.map_err(|error| Failure::input("file", format!("cannot read {name}: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::input("parse", format!("{name} is not UTF-8: see byte {at} (from 0)"))
        })?;
        Ok(Source { name, text })
    }

    /// A mistake in this text.
    pub fn failure(&self, error: NotationError) -> Failure {
        Failure::Notation { argument: self.name.clone(), text: self.text.clone(), error }
    }
}

/// Does this path stand for standard input?
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Constraints with their lines.
pub struct System {
    /// The names they use.
    pub names: Names,
    /// The constraints.
    pub phi: Vec<Constraint>,
    /// The line of each, from 1.
    pub lines: Vec<usize>,
}

impl System {
    /// Reads the constraints of a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let source = Source::read(path)?;
        let mut names = Names::new();
        let read = parse_lines(&source.text, &mut names).map_err(|error| source.failure(error))?;
        let (lines, phi) = read.into_iter().unzip();
        Ok(System { names, phi, lines })
    }
}

/// `line 3`, `lines 1, 3`; many are cut in the middle.
pub fn lines_text(lines: &[usize]) -> String {
    const MOST: usize = 6;
    let list = |lines: &[usize]| lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    match lines {
        [] => String::new(),
        [one] => format!("line {one}"),
        [.., last] if lines.len() > MOST => {
            format!("lines {}, ..., {last} ({})", list(&lines[..MOST - 2]), lines.len())
        }
        _ => format!("lines {}", list(lines)),
    }
}
