//! Output that drives no terminal, and that survives its reader.

use super::{Output, RESET, STYLES};
use serde_json::ser::Formatter;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Does a character drive a terminal? Those that turn the direction of writing do: what is shown is not what is there.
fn drives(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// The name of a file, in one line.
pub fn visible_path(path: &Path) -> String {
    visible(&path.display().to_string()).replace('\n', "\u{240a}")
}

/// Control characters as their pictures, one for one, so that carets stay in place and a terminal
/// is not driven by what was typed.
pub fn visible(text: &str) -> String {
    let picture = |c: char| match u32::from(c) {
        0x0a => c,
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ if drives(c) => '\u{fffd}',
        _ => c,
    };
    text.chars().map(picture).collect()
}

/// A text, or its first bytes with a word on how many there were. What others write is kept by the thousand.
pub fn beginning(mut text: String, most: usize) -> String {
    let whole = text.len();
    if whole > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.shrink_to_fit();
        text.push_str(&format!(" ... (cut after {end} of {whole} bytes)"));
    }
    text
}

/// As [`visible`], and what [`paint`] writes stays.
pub fn visible_but_styles(text: &str) -> String {
    if !text.contains(|c: char| drives(c) && c != '\n') {
        return text.to_owned();
    }
    let spelled = STYLES.map(|style| style.to_string());
    let styles = || spelled.iter().map(String::as_str).chain([RESET]);
    let (mut out, mut rest) = (String::new(), text);
    while let Some(escape) = rest.find('\u{1b}') {
        out.push_str(&visible(&rest[..escape]));
        rest = &rest[escape..];
        let kept = styles().find(|style| rest.starts_with(style)).unwrap_or_default();
        out.push_str(if kept.is_empty() { "\u{241b}" } else { kept });
        rest = &rest[kept.len().max(1)..];
    }
    out + &visible(rest)
}

impl Output {
    /// A text of our own for another program, as it is: the pictures of [`visible`] would change what it means there.
    pub fn verbatim(&mut self, text: &str) -> io::Result<()> {
        self.to.write_all(text.as_bytes())
    }
}

/// JSON in which every control character is escaped, also those that JSON allows.
pub struct Quiet<F>(pub F);

impl<F: Formatter> Formatter for Quiet<F> {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, to: &mut W, fragment: &str) -> io::Result<()> {
        for piece in fragment.split_inclusive(char::is_control) {
            let last = piece.chars().next_back().filter(|c| c.is_control());
            to.write_all(&piece.as_bytes()[..piece.len() - last.map_or(0, char::len_utf8)])?;
            if let Some(control) = last {
                write!(to, "\\u{:04x}", u32::from(control))?;
            }
        }
        Ok(())
    }
    fn begin_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_array(to)
    }
    fn end_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_array(to)
    }
    fn begin_array_value<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(to, first)
    }
    fn end_array_value<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_array_value(to)
    }
    fn begin_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_object(to)
    }
    fn end_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_object(to)
    }
    fn begin_object_key<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(to, first)
    }
    fn begin_object_value<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_object_value(to)
    }
    fn end_object_value<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_object_value(to)
    }
}

/// A stream whose reader may leave: what is written after that goes nowhere, and the answer is worked out as before.
pub struct Listened<W> {
    to: W,
    left: bool,
}

impl<W: Write> Listened<W> {
    /// With its reader still there.
    pub fn new(to: W) -> Self {
        Listened { to, left: false }
    }
}

impl<W: Write> Write for Listened<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left {
            return Ok(bytes.len());
        }
        match self.to.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.left = true;
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.to.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.left = true;
                Ok(())
            }
            flushed => flushed,
        }
    }
}
