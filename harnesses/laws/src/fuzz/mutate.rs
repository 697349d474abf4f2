//! Bytes, changed a little.

use crate::programs::Numbers;

/// What the formats are made of.
pub const TOKENS: [&str; 92] = [
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<>",
    "⋄",
    "·",
    "⟨r⟩",
    "<r>",
    "1∅",
    "unit",
    "bot",
    "⊥",
    "=",
    "~",
    "≈",
    "<=",
    "⊑",
    "↦",
    ":=",
    ":",
    ",",
    ";",
    "|",
    "->",
    "=>",
    "...",
    "..r..",
    "*",
    "+",
    "^",
    "_",
    "?",
    "?7",
    "•",
    "!",
    "#",
    "\n",
    "\"",
    "\\u0000",
    "0",
    "1",
    "3:rgb",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "-1",
    "0.5",
    "input",
    "param",
    "const",
    "let",
    "fn",
    "in",
    "relu",
    "where",
    "dim",
    "grad",
    ".grad",
    "++",
    "+*",
    "++^",
    "@|",
    "=:+",
    "~logic:",
    "null",
    "true",
    "false",
    "\"id\":",
    "\"op\":",
    "\"var\":",
    "\"lead\":",
    "\"trail\":",
    "\"n\":",
    "\"basis\":",
    "\"eq\":",
    "\"le\":",
    "\"lines\":",
    "\"rule\":",
    "\"line\":",
    "\"dims\":",
    "\"data\":",
    "\"statements\":",
    "\"name\":",
    "dtype",
    "optimizer",
    "device",
    "matmul",
    "reshape",
    "1..64",
];

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
        2 => insert(bytes, at, TOKENS[numbers.below(TOKENS.len())].as_bytes()),
        3 => drop(bytes.splice(at..end, TOKENS[numbers.below(TOKENS.len())].bytes())),
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
