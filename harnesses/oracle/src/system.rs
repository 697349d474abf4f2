//! Files in the notation: constraints, one a line, and values.

use crate::output::{Failure, visible_path};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::{NotationError, Span, parse_lines};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The most bytes that a file may have, standard input included; as many as a line of the oracle.
pub const MOST_BYTES: usize = crate::oracle::lines::MOST_BYTES;

/// A text and where it comes from.
#[derive(Clone)]
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// What is in it, without a byte order mark.
    pub text: String,
    /// Bytes of the file before the text.
    skipped: usize,
}

impl Source {
    /// Reads a file; `-` is standard input.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Source::of_bytes(shown(path), read_bytes(path)?)
    }

    /// Reads a file that may be missing; `-` is a file like any other.
    pub fn read_if_there(path: &Path) -> Result<Option<Self>, Failure> {
        let bytes = read_bytes_if_there(path)?;
        bytes.map(|bytes| Source::of_bytes(visible_path(path), bytes)).transpose()
    }

    fn of_bytes(name: String, bytes: Vec<u8>) -> Result<Self, Failure> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::input("parse", format!("{name} is not UTF-8: see byte {at} (from 0)"))
        })?;
        // Some editors put a byte order mark before all else. Lines and columns count without it.
        Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => Source { name, text: rest.to_owned(), skipped: text.len() - rest.len() },
            None => Source::new(name, text),
        })
    }

    /// A text that is in no file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into(), skipped: 0 }
    }

    /// A place in the text, in bytes of the file: who changes the file counts the mark as well.
    pub fn in_file(&self, span: Span) -> Span {
        span.shifted(self.skipped)
    }

    /// A mistake in this text.
    pub fn failure(&self, error: NotationError) -> Failure {
        Failure::Notation { source: Box::new(self.clone()), error }
    }
}

/// What a path is called in messages.
pub fn shown(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { visible_path(path) }
}

/// The bytes of a file, unless there are too many: reading stops there, whether or not the file ends. `-` is standard
/// input.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = if is_stdin(path) { bounded(io::stdin().lock()) } else { File::open(path).and_then(bounded) };
    few_enough(&shown(path), bytes)
}

/// The same of a file that may be missing; `-` is a file like any other.
pub fn read_bytes_if_there(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        opened => few_enough(&visible_path(path), opened.and_then(bounded)).map(Some),
    }
}

/// What was read, or what to say where that was too much or failed.
fn few_enough(name: &str, bytes: io::Result<Option<Vec<u8>>>) -> Result<Vec<u8>, Failure> {
    match bytes {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Failure::input("limit", format!("{name} has more than {MOST_BYTES} bytes"))),
        Err(error) => Err(Failure::input("file", format!("cannot read {name}: {error}"))),
    }
}

/// Does a file hold these bytes and no others? No more of it is read than tells.
pub fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut there = Vec::new();
    File::open(path)?.take(bytes.len() as u64 + 1).read_to_end(&mut there)?;
    Ok(there == bytes)
}

/// All that a reader gives; none when that is too much.
fn bounded(from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MOST_BYTES).then_some(bytes))
}

/// Does this path stand for standard input?
fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard input can be read once.
pub fn not_both_stdin([(one, first), (other, second)]: [(&str, &Path); 2]) -> Result<(), Failure> {
    if is_stdin(first) && is_stdin(second) {
        return Err(Failure::input("usage", format!("{one} and {other} cannot both be standard input")));
    }
    Ok(())
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
        System::of(&Source::read(path)?)
    }

    /// The constraints of a text with a name.
    pub fn of(source: &Source) -> Result<Self, Failure> {
        System::parse(&source.text).map_err(|error| source.failure(error))
    }

    /// Reads the constraints of a text.
    pub fn parse(text: &str) -> Result<Self, NotationError> {
        let mut names = Names::new();
        let (lines, phi) = parse_lines(text, &mut names)?.into_iter().unzip();
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
