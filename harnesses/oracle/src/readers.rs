//! What reads bytes from outside, for the fuzz targets of `harnesses/fuzz`.

use crate::oracle;
use crate::run::npy;
use serde_json::{Value, json};

/// The answer of `lozenge oracle` to one line, its end included.
#[must_use]
pub fn answer(line: &[u8]) -> Vec<u8> {
    oracle::answer(line)
}

/// The sizes and cells of a .npy file, as the JSON data that it stands for.
///
/// # Errors
/// What is wrong with the file.
pub fn npy(bytes: &[u8]) -> Result<Value, String> {
    let data = |array: &npy::Array| array.cells.iter().map(|cell| cell.json()).collect::<Vec<_>>();
    npy::read(bytes).map(|array| json!({ "dims": array.dims, "data": data(&array) }))
}

/// The bytes of a .npy file of 64-bit floating-point numbers.
#[must_use]
pub fn write_npy(dims: &[u64], cells: &[f64]) -> Vec<u8> {
    npy::write("f8", dims, cells.iter().map(|cell| cell.to_le_bytes()))
}
