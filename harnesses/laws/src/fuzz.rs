//! Bodies of the fuzz targets: everything that reads bytes from outside.
//!
//! A body takes any bytes and panics when something is wrong: a reader that panics, a place outside the text, a
//! thing that is not read back as it was printed, evidence that is accepted and false. `harnesses/fuzz` drives the
//! bodies by coverage; `tests/tests/readers.rs` drives them over [`seeds`] and deterministic [`mutate`]d copies.

mod certificate;
pub mod mutate;
mod notation;
mod program;
mod ranged;
mod request;
pub mod seeds;

pub use certificate::certificate;
pub use notation::notation;
pub use program::{json_program, program, spec};
pub use ranged::model;
pub use request::{data, read, request, well_formed};

use lozenge::solver::{Limits, Policy};
use serde_json::Value;
use std::ops::Range;

/// The longest input that a body looks at.
pub const MOST_BYTES: usize = 4096;

/// Few steps and short rows: whatever is read is worked on in no time.
fn policy() -> Policy {
    Policy { limits: Limits { fuel: 2_000, rank: 8, size: 4_000 }, ..Policy::default() }
}

/// The bytes as text; none where they are no text, or too long.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MOST_BYTES)
}

/// Is this JSON pointer a place in a value, or a field that one of its objects lacks?
fn pointed(json: &Value, at: &str) -> bool {
    let lacks = || at.rsplit_once('/').and_then(|(above, _)| json.pointer(above)).is_some_and(Value::is_object);
    json.pointer(at).is_some() || lacks()
}

/// The place of an error is a part of the text.
fn inside(text: &str, at: Range<usize>) {
    assert!(at.start <= at.end && text.get(at.clone()).is_some(), "the place {at:?} is not inside {text:?}");
}
