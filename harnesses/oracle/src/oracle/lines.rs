//! Lines of bytes with a limit: what is longer is skipped without being stored.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read.
pub const MOST_BYTES: usize = 64 << 20;
/// A buffer larger than this is given back after its line.
const KEPT_BYTES: usize = 1 << 20;
/// How much is read at a time.
const READ_BYTES: usize = 1 << 16;

/// A line without its end.
pub enum Line<'a> {
    /// Its bytes.
    Text(&'a [u8]),
    /// It has more than [`MOST_BYTES`].
    TooLong,
}

/// The lines of a reader.
pub struct Lines<R> {
    from: BufReader<R>,
    buffer: Vec<u8>,
}

impl<R: Read> Lines<R> {
    pub fn new(from: R) -> Self {
        Lines { from: BufReader::with_capacity(READ_BYTES, from), buffer: Vec::new() }
    }

    /// The next line; none at the end. A last line needs no line feed.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        self.buffer.shrink_to(KEPT_BYTES);
        let (mut started, mut too_long) = (false, false);
        loop {
            let chunk = match self.from.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            if chunk.is_empty() {
                break;
            }
            started = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let text = &chunk[..end.unwrap_or(chunk.len())];
            too_long |= self.buffer.len() + text.len() > MOST_BYTES;
            if too_long {
                self.buffer = Vec::new();
            } else {
                self.buffer.extend_from_slice(text);
            }
            let read = text.len() + usize::from(end.is_some());
            self.from.consume(read);
            if end.is_some() {
                break;
            }
        }
        Ok(match (started, too_long) {
            (false, _) => None,
            (true, true) => Some(Line::TooLong),
            (true, false) => Some(Line::Text(&self.buffer)),
        })
    }
}
