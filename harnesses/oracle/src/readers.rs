//! What reads bytes from outside, for the fuzz targets of `harnesses/fuzz`.

use crate::oracle;
use crate::run::data::{Given, JsonScalar};
use crate::run::npy;
use lozenge::interp::Rational;
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
    npy::read(bytes).map(|array| json!({ "dims": array.dims, "data": array.cells }))
}

/// The bytes of a .npy file of 64-bit floating-point numbers.
#[must_use]
pub fn write_npy(dims: &[u64], cells: &[f64]) -> Vec<u8> {
    npy::write("f8", dims, cells.iter().map(|cell| cell.to_le_bytes()))
}

/// JSON data for a tensor of these sizes: the sizes that it has, and how many cells, read as floating-point
/// numbers, whole numbers and fractions.
///
/// # Errors
/// What is wrong with the data, for each of the three.
pub fn data(json: &Value, dims: &[u64]) -> [Result<(Vec<u64>, usize), String>; 3] {
    fn read<S: JsonScalar>(json: &Value, dims: &[u64]) -> Result<(Vec<u64>, usize), String> {
        let value = Given::of_json(json.clone())?.value::<S>(dims)?;
        Ok((value.dims, value.data.len()))
    }
    [read::<f64>(json, dims), read::<i64>(json, dims), read::<Rational>(json, dims)]
}
