//! Bytes, changed a little.

use crate::programs::Numbers;
use std::sync::LazyLock;

/// What the formats are made of: the tokens of the dictionary that libFuzzer gets.
pub static TOKENS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| dictionary(include_str!("lozenge.dict")).expect("a dictionary"));

/// The tokens of a dictionary in the format of libFuzzer; the line that is none, where there is one.
///
/// # Errors
/// A line that libFuzzer would refuse.
pub fn dictionary(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let entries = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    entries.map(|line| entry(line).ok_or_else(|| line.to_owned())).collect()
}

/// `"token"` or `name="token"`: printable ASCII, with the escapes `\\`, `\"` and `\xAB`.
fn entry(line: &str) -> Option<Vec<u8>> {
    let (name, rest) = line.split_once('"')?;
    let named = name.is_empty() || name.strip_suffix('=').is_some_and(|name| !name.is_empty());
    let mut bytes = rest.strip_suffix('"').filter(|_| named)?.bytes();
    let mut token = Vec::new();
    while let Some(byte) = bytes.next() {
        token.push(match byte {
            b'\\' => escaped(&mut bytes)?,
            b' '..=b'~' if byte != b'"' => byte,
            _ => return None,
        });
    }
    (!token.is_empty()).then_some(token)
}

/// What follows a backslash.
fn escaped(bytes: &mut impl Iterator<Item = u8>) -> Option<u8> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
    match bytes.next()? {
        b'x' => Some(digit(bytes.next()?)? * 16 + digit(bytes.next()?)?),
        byte @ (b'\\' | b'"') => Some(byte),
        _ => None,
    }
}

/// A copy of `input` with one to four changes; `other` gives parts to copy.
#[must_use]
pub fn mutated(input: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=numbers.below(4) {
        change(&mut bytes, other, numbers);
    }
    bytes
}

/// One change.
fn change(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut Numbers) {
    let at = numbers.below(bytes.len() + 1);
    let end = at + numbers.below(bytes.len().saturating_sub(at).min(12) + 1);
    match numbers.below(9) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => insert(bytes, at, &TOKENS[numbers.below(TOKENS.len())]),
        3 => drop(bytes.splice(at..end, TOKENS[numbers.below(TOKENS.len())].iter().copied())),
        4 => {
            let part = bytes[at..end].to_vec();
            let to = numbers.below(bytes.len() + 1);
            insert(bytes, to, &part);
        }
        5 => {
            let from = numbers.below(other.len() + 1);
            let length = numbers.below((other.len() - from).min(64) + 1);
            insert(bytes, at, &other[from..from + length]);
        }
        6 => insert(bytes, at, &[byte(numbers)]),
        7 => insert(bytes, at, numbers.below(1 << 40).to_string().as_bytes()),
        _ => {
            if let Some(changed) = bytes.get_mut(at) {
                *changed ^= 1 << numbers.below(8);
            }
        }
    }
}

fn byte(numbers: &mut Numbers) -> u8 {
    u8::try_from(numbers.below(256)).unwrap_or_default()
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(at..at, part.iter().copied());
}
