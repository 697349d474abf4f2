//! Lines of bytes with a limit: what is longer is skipped without being stored.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read.
pub const MOST_BYTES: usize = 64 << 20;
/// A buffer larger than this is given back after its line.
pub const KEPT_BYTES: usize = 1 << 20;
/// What some editors put before all else.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// How much is read at a time.
const READ_BYTES: usize = 1 << 16;

/// A line without its end.
pub enum Line<'a> {
    /// Its bytes.
    Text(&'a [u8]),
    /// It has more than [`MOST_BYTES`].
    TooLong,
}

/// What became of a line.
pub enum Taken {
    /// It was put at the end.
    Whole,
    /// It has more than [`MOST_BYTES`]; nothing of it was kept.
    TooLong,
}

/// The lines of a reader.
pub struct Lines<R> {
    from: BufReader<R>,
    buffer: Vec<u8>,
    /// Is nothing read so far?
    at_start: bool,
}

impl<R: Read> Lines<R> {
    pub fn new(from: R) -> Self {
        Lines { from: BufReader::with_capacity(READ_BYTES, from), buffer: Vec::new(), at_start: true }
    }

    /// The next line; none at the end. A last line needs no line feed.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.shrink_to(KEPT_BYTES);
        let taken = self.append(&mut buffer);
        self.buffer = buffer;
        Ok(taken?.map(|taken| match taken {
            Taken::Whole => Line::Text(&self.buffer),
            Taken::TooLong => Line::TooLong,
        }))
    }

    /// Puts the next line at the end of this; none at the end.
    pub fn append(&mut self, to: &mut Vec<u8>) -> io::Result<Option<Taken>> {
        let before = to.len();
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
            let (text, ended) = first_line(chunk);
            too_long |= to.len() - before + text.len() > MOST_BYTES;
            if too_long {
                to.truncate(before);
                to.shrink_to(KEPT_BYTES);
            } else {
                to.extend_from_slice(text);
            }
            let read = text.len() + usize::from(ended);
            self.from.consume(read);
            if ended {
                break;
            }
        }
        if std::mem::take(&mut self.at_start) && to[before..].starts_with(BYTE_ORDER_MARK) {
            to.drain(before..before + BYTE_ORDER_MARK.len());
        }
        Ok(match (started, too_long) {
            (false, _) => None,
            (true, true) => Some(Taken::TooLong),
            (true, false) => Some(Taken::Whole),
        })
    }

    /// Is a whole line there that can be had without waiting?
    pub fn has_whole_line(&self) -> bool {
        first_line(self.from.buffer()).1
    }
}

/// The first line of these bytes without its end, and whether it has one.
fn first_line(bytes: &[u8]) -> (&[u8], bool) {
    // What the library does here is faster than to look at each byte.
    let mut rest = bytes;
    let read = rest.skip_until(b'\n').unwrap_or(0);
    match bytes[..read].split_last() {
        Some((b'\n', text)) => (text, true),
        _ => (bytes, false),
    }
}
