//! Arrays in NumPy's `.npy` format, versions 1 to 3.

use super::data::float;
use super::number::shortest;
use lozenge::interp::{Scalar, ScalarError};
use serde_json::{Value as Json, json};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The kinds of numbers that are read, with their bytes.
const KINDS: [(&str, usize); 11] = [
    ("f8", 8),
    ("f4", 4),
    ("i8", 8),
    ("i4", 4),
    ("i2", 2),
    ("i1", 1),
    ("u8", 8),
    ("u4", 4),
    ("u2", 2),
    ("u1", 1),
    ("b1", 1),
];

/// An array of numbers.
pub struct Array {
    /// The sizes.
    pub dims: Vec<u64>,
    /// The cells, row-major.
    pub cells: Vec<Cell>,
}

/// A number, in the width it has: the shortest decimal of 32 bits is another than that of the same number in 64.
#[derive(Clone, Copy)]
pub enum Cell {
    Whole(i128),
    Double(f64),
    Single(f32),
}

impl Cell {
    /// The scalar that it stands for: of exact ones, that of its shortest decimal.
    pub fn scalar<S: Scalar>(self) -> Result<S, ScalarError> {
        match self {
            Cell::Whole(n) => S::read(&n.to_string()),
            Cell::Double(x) if S::EXACT => S::read(&shortest(x)),
            Cell::Single(x) if S::EXACT => S::read(&shortest(x)),
            Cell::Double(x) => S::number(x),
            Cell::Single(x) => S::number(x.into()),
        }
    }

    /// As it is in JSON data.
    pub fn json(self) -> Json {
        match self {
            Cell::Whole(n) => u64::try_from(n).map_or_else(|_| json!(i64::try_from(n).ok()), |n| json!(n)),
            Cell::Double(x) => float(x),
            Cell::Single(x) => float(x.into()),
        }
    }
}

/// The value of a key in the header's dictionary, up to the next comma outside brackets.
fn field<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let rest = header.split_once(&format!("'{key}'"))?.1.trim_start().strip_prefix(':')?.trim_start();
    let end = if rest.starts_with('(') { rest.find(')')? + 1 } else { rest.find([',', '}'])? };
    Some(rest[..end].trim())
}

fn number(kind: &str, bytes: &[u8]) -> Option<Cell> {
    macro_rules! read {
        ($t:ty) => {
            <$t>::from_le_bytes(bytes.try_into().ok()?)
        };
    }
    match kind {
        "f8" => Some(Cell::Double(read!(f64))),
        "f4" => Some(Cell::Single(read!(f32))),
        "i8" => Some(Cell::Whole(read!(i64).into())),
        "i4" => Some(Cell::Whole(read!(i32).into())),
        "i2" => Some(Cell::Whole(read!(i16).into())),
        "i1" => Some(Cell::Whole(read!(i8).into())),
        "u8" => Some(Cell::Whole(read!(u64).into())),
        "u4" => Some(Cell::Whole(read!(u32).into())),
        "u2" => Some(Cell::Whole(read!(u16).into())),
        "u1" | "b1" => Some(Cell::Whole(read!(u8).into())),
        _ => None,
    }
}

/// Reads an array.
pub fn read(bytes: &[u8]) -> Result<Array, String> {
    let short = || "the file ends too early".to_owned();
    let rest = bytes.strip_prefix(MAGIC).ok_or("this is no .npy file: it does not begin with \\x93NUMPY")?;
    let (version, rest) = rest.split_at_checked(2).ok_or_else(short)?;
    let width = if version[0] == 1 { 2 } else { 4 };
    let (length, rest) = rest.split_at_checked(width).ok_or_else(short)?;
    let length = length.iter().rev().fold(0_usize, |n, byte| n << 8 | usize::from(*byte));
    let (header, data) = rest.split_at_checked(length).ok_or_else(short)?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
    let descr = field(header, "descr").ok_or("the header has no descr")?.trim_matches(['\'', '"']);
    if field(header, "fortran_order") == Some("True") {
        return Err("the array is in Fortran order: save it with numpy.ascontiguousarray".to_owned());
    }
    let shape = field(header, "shape").ok_or("the header has no shape")?;
    let sizes = shape.trim_matches(['(', ')']).split(',').map(str::trim).filter(|size| !size.is_empty());
    let dims =
        sizes.map(|size| size.parse().map_err(|_| format!("{size} is no size"))).collect::<Result<Vec<u64>, _>>()?;
    let kind = descr
        .strip_prefix(['<', '|', '='])
        .ok_or_else(|| format!("numbers of kind {descr}: save little-endian ones"))?;
    let other = || {
        let kinds = KINDS.map(|(kind, _)| kind).join(", ");
        format!("numbers of kind {descr}: save them as one of {kinds}, as with x.astype('f8')")
    };
    let (_, width) = *KINDS.iter().find(|(known, _)| *known == kind).ok_or_else(other)?;
    let cells = dims.iter().try_fold(1_usize, |n, size| n.checked_mul(usize::try_from(*size).ok()?));
    if cells.and_then(|n| n.checked_mul(width)) != Some(data.len()) {
        return Err(format!("the shape {shape} does not fit {} bytes of data", data.len()));
    }
    let read = |bytes| number(kind, bytes).ok_or_else(other);
    Ok(Array { dims, cells: data.chunks_exact(width).map(read).collect::<Result<_, _>>()? })
}

/// The bytes of an array, version 1; `kind` is f8 or i8 and the cells have eight bytes each.
pub fn write(kind: &str, dims: &[u64], cells: impl Iterator<Item = [u8; 8]>) -> Vec<u8> {
    let sizes: String = dims.iter().map(|size| format!("{size}, ")).collect();
    let mut header = format!("{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({}), }}", sizes.trim_end());
    // Data begins at a multiple of 64.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes();
    let mut bytes = [MAGIC, &[1, 0], &length, header.as_bytes()].concat();
    bytes.extend(cells.flatten());
    bytes
}
