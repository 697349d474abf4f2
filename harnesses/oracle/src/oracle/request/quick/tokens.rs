//! The parts of JSON, as they usually are.

use super::Reader;

impl<'a> Reader<'a> {
    /// A string or a whole number, as it is written.
    pub(super) fn plain(&mut self) -> Option<&'a str> {
        let first = self.next()?;
        let start = self.at - 1;
        match first {
            b'"' => drop(self.string()?),
            b'0'..=b'9' => drop(self.digits(first)?),
            _ => return None,
        }
        self.text.get(start..self.at)
    }

    /// The next byte that is no blank.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            self.at += 1;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
        }
    }

    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// A string whose first quote has been read, if it has no escapes.
    #[inline]
    pub(super) fn string(&mut self) -> Option<&'a str> {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let mut end = start;
        // Most are names: too short for anything but to look at each byte.
        while !matches!(bytes.get(end)?, b'"' | b'\\' | 0..b' ') {
            end += 1;
        }
        self.at = end + 1;
        if bytes[end] == b'"' { self.text.get(start..end) } else { None }
    }

    /// A string.
    #[inline]
    pub(super) fn text(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        self.string()
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Option<u64> {
        match self.next()? {
            first @ b'0'..=b'9' => self.digits(first),
            _ => None,
        }
    }

    /// A whole number whose first digit has been read.
    pub(super) fn digits(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first - b'0');
        loop {
            match self.text.as_bytes().get(self.at)? {
                // No number begins with 0 and goes on.
                b'0'..=b'9' if first == b'0' => return None,
                digit @ b'0'..=b'9' => number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?,
                b'.' | b'e' | b'E' => return None,
                _ => return Some(number),
            }
            self.at += 1;
        }
    }

    /// Each item of a list.
    pub(super) fn each(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        let first = self.at;
        if self.next()? == b']' {
            return Some(());
        }
        self.at = first;
        loop {
            item(self)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }
}
