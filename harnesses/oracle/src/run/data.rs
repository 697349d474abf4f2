//! Data for programs: JSON, .npy, constants and ranges; and values as JSON.

use super::{npy, number};
use crate::output::Failure;
use lozenge::interp::{Fill, Rational, Scalar, ScalarError, Tropical, Value};
use lozenge::json::{self, JsonError, Kind, Node};
use lozenge::program::Numeral;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::path::Path;

/// Scalars that have a JSON form.
pub trait JsonScalar: Scalar {
    /// A number, or text where JSON has none: `"inf"`, `"1/3"`.
    fn json(&self) -> Json;

    /// For people. Only floating-point numbers have a precision: the others are exact.
    fn text(&self, _precision: Option<usize>) -> String {
        self.to_string()
    }

    /// The kind of number in a .npy file and its bytes; none where NumPy has no such numbers.
    fn bytes(&self) -> Option<(&'static str, [u8; 8])>;
}

/// A floating-point number, as text where JSON has none.
pub(super) fn float(x: f64) -> Json {
    if x.is_finite() {
        json!(x)
    } else {
        json!(if x.is_nan() {
            "nan"
        } else if x > 0.0 {
            "inf"
        } else {
            "-inf"
        })
    }
}

impl JsonScalar for f64 {
    fn text(&self, precision: Option<usize>) -> String {
        number::float(*self, precision)
    }
    fn json(&self) -> Json {
        float(*self)
    }
    fn bytes(&self) -> Option<(&'static str, [u8; 8])> {
        Some(("f8", self.to_le_bytes()))
    }
}

impl JsonScalar for i64 {
    fn json(&self) -> Json {
        json!(self)
    }
    fn bytes(&self) -> Option<(&'static str, [u8; 8])> {
        Some(("i8", self.to_le_bytes()))
    }
}

impl JsonScalar for Rational {
    fn json(&self) -> Json {
        json!(self.to_string())
    }
    fn bytes(&self) -> Option<(&'static str, [u8; 8])> {
        None
    }
}

impl JsonScalar for Tropical {
    fn text(&self, precision: Option<usize>) -> String {
        if self.0.is_finite() { number::float(self.0, precision) } else { self.to_string() }
    }
    fn json(&self) -> Json {
        float(self.0)
    }
    fn bytes(&self) -> Option<(&'static str, [u8; 8])> {
        Some(("f8", self.0.to_le_bytes()))
    }
}

/// Data that is none: why, and where in it, as a JSON pointer.
pub struct DataError {
    /// What is wrong and what would be right.
    pub why: String,
    /// The place.
    pub at: String,
}

impl DataError {
    fn new(why: impl Into<String>) -> Self {
        DataError { why: why.into(), at: String::new() }
    }

    /// The same error, seen from one level up.
    fn under(mut self, key: impl std::fmt::Display) -> Self {
        self.at = format!("/{key}{}", self.at);
        self
    }
}

impl From<ScalarError> for DataError {
    fn from(error: ScalarError) -> Self {
        DataError::new(error.to_string())
    }
}

/// The message for people, who see no pointer unless there is something to point to.
impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.at.as_str() {
            "" => f.write_str(&self.why),
            at => write!(f, "at {at}: {}", self.why),
        }
    }
}

/// Data as it is given, before the shape of its tensor is known.
pub enum Given {
    /// Made up.
    Fill(Fill),
    /// Nested lists, or sizes and cells.
    Json(Node),
    /// From a .npy file.
    Array(npy::Array),
}

impl Given {
    /// Data in a request: a number, `"range"`, `"range:START:STEP"`, nested lists, or `{"dims", "data"}`.
    pub fn of_json(node: Node) -> Result<Self, DataError> {
        match &node.kind {
            // Are these lists or sizes of cells at all? Which scalars they hold is seen later.
            Kind::List(_) => {
                flatten(&node, &mut Vec::new(), |cell| digits(cell).map(drop))?;
                Ok(Given::Json(node))
            }
            Kind::Object(_) => {
                sized(&node, |cell| digits(cell).map(drop))?;
                Ok(Given::Json(node))
            }
            _ => read_fill(&node).map(Given::Fill).ok_or_else(|| DataError::new(not_data(&node.found()))),
        }
    }

    /// Data on the command line: also the name of a .json or .npy file.
    pub fn of_argument(text: &str) -> Result<Self, Failure> {
        if let Some(fill) = fill(text) {
            return Ok(Given::Fill(fill));
        }
        let bad = |message: String| Failure::input("data", crate::output::visible(&message));
        let not_json = |name: &str, error: JsonError| {
            let kind = if error.limit { "limit" } else { "data" };
            Failure::input(kind, crate::output::visible(&format!("{name}: {error}")))
        };
        if text.starts_with(['[', '{']) {
            return json::read(text).map(Given::Json).map_err(|error| not_json("data", error));
        }
        let path = Path::new(text);
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let read = || crate::system::read_bytes(path);
        match extension {
            "npy" => npy::read(&read()?).map(Given::Array).map_err(|why| bad(format!("{text}: {why}"))),
            "json" => {
                let content = String::from_utf8(read()?).map_err(|_| bad(format!("{text}: not UTF-8")))?;
                let node = json::read(&content).map_err(|error| not_json(text, error))?;
                Self::of_json(node).map_err(|error| bad(format!("{text}: {error}")))
            }
            _ => Err(bad(not_data(text))),
        }
    }

    /// As a value for a tensor of these sizes. Nested lists without sizes have those of their nesting; a flat list
    /// for a tensor of more axes is its cells in the order of storage.
    pub fn value<S: JsonScalar>(&self, dims: &[u64]) -> Result<Value<S>, DataError> {
        match self {
            Given::Fill(fill) => {
                let filled = Value::filled(dims.to_vec(), fill)?;
                filled.ok_or_else(|| DataError::new("too many cells"))
            }
            Given::Array(array) => {
                let data = array.cells.iter().map(|cell| cell.scalar()).collect::<Result<_, _>>()?;
                Ok(Value { dims: array.dims.clone(), data })
            }
            Given::Json(node) if node.fields().is_ok() => {
                let (dims, data) = sized(node, cell)?;
                Ok(Value { dims, data })
            }
            Given::Json(node) => {
                let mut data = Vec::new();
                let sizes = flatten(node, &mut data, cell)?;
                let flat = sizes.len() == 1 && dims.len() > 1;
                Ok(Value { dims: if flat { dims.to_vec() } else { sizes }, data })
            }
        }
    }
}

/// One cell as it is written: a number, or text.
fn digits(node: &Node) -> Result<Cow<'_, str>, DataError> {
    let text = node.number().or_else(|node| node.text().map(Into::into));
    text.map_err(|node| DataError::new(format!("found {}, expected a number", node.found())))
}

/// One cell as a scalar.
fn cell<S: Scalar>(node: &Node) -> Result<S, DataError> {
    Ok(S::read(&digits(node)?)?)
}

/// `{"dims": [sizes], "data": [cells]}`, and nothing else.
fn sized<'n, T>(
    node: &'n Node,
    read: impl Fn(&'n Node) -> Result<T, DataError>,
) -> Result<(Vec<u64>, Vec<T>), DataError> {
    const WHAT: &str = "expected {\"dims\": [sizes], \"data\": [cells]}";
    let (mut dims, mut data) = (None, None);
    for (key, value) in node.fields().unwrap_or_default() {
        let list = || value.items().map_err(|node| DataError::new(format!("found {}, {WHAT}", node.found())));
        match key.as_str() {
            "dims" => dims = Some(each(list(), key, size)?),
            "data" => data = Some(each(list(), key, &read)?),
            _ => return Err(DataError::new(format!("unknown field {}, {WHAT}", json::shortened(&format!("{key:?}"))))),
        }
    }
    let (Some(dims), Some(data)) = (dims, data) else {
        return Err(DataError::new(format!("found {}, {WHAT}", node.found())));
    };
    Ok((dims, data))
}

/// The items of a list below a key.
fn each<'n, T>(
    list: Result<&'n [Node], DataError>,
    key: &str,
    read: impl Fn(&'n Node) -> Result<T, DataError>,
) -> Result<Vec<T>, DataError> {
    let items = list.map_err(|error| error.under(key))?.iter().enumerate();
    items.map(|(i, item)| read(item).map_err(|error| error.under(i).under(key))).collect()
}

fn size(node: &Node) -> Result<u64, DataError> {
    node.whole().map_err(|node| DataError::new(format!("found {}, expected a size", node.found())))
}

fn not_data(text: &str) -> String {
    too_large(text).unwrap_or_else(|| {
        format!(
            "{text} is no data: expected a number, range, range:START:STEP, lists as [[1, 2], [3, 4]], or a .json or .npy file"
        )
    })
}

/// Why this is nothing that tensors can be filled with.
pub fn no_fill(text: &str) -> String {
    too_large(text).unwrap_or_else(|| format!("{text}: expected a number, range, or range:START:STEP"))
}

/// That a number does not fit, if it is one; of a range, its start or its step.
fn too_large(text: &str) -> Option<String> {
    let numbers = text.strip_prefix("range:").unwrap_or(text).split(':');
    numbers.map(f64::read).find_map(|read| match read {
        Err(error @ ScalarError::OutOfRange { .. }) => Some(error.to_string()),
        _ => None,
    })
}

/// `0.5`, `1/3`, `range`, `range:START:STEP`.
pub fn fill(text: &str) -> Option<Fill> {
    let number = |text: &str| Numeral::read(text).or_else(|| Numeral::read_fraction(text));
    if let Some(x) = number(text) {
        return Some(Fill::Constant(x));
    }
    let rest = text.strip_prefix("range")?;
    if rest.is_empty() {
        return Some(Fill::range(0.0, 1.0));
    }
    let (start, step) = rest.strip_prefix(':')?.split_once(':')?;
    Some(Fill::Range { start: number(start)?, step: number(step)? })
}

/// As [`fill`], from JSON: a number, or such a text.
pub fn read_fill(node: &Node) -> Option<Fill> {
    match node.number() {
        Ok(digits) => Numeral::read(&digits).map(Fill::Constant),
        Err(node) => fill(node.text().ok()?),
    }
}

/// The sizes of nested lists, with their cells in order.
fn flatten<'n, T>(
    node: &'n Node,
    cells: &mut Vec<T>,
    read: impl Fn(&'n Node) -> Result<T, DataError> + Copy,
) -> Result<Vec<u64>, DataError> {
    let Ok(list) = node.items() else {
        cells.push(read(node)?);
        return Ok(Vec::new());
    };
    let mut inner: Option<Vec<u64>> = None;
    for (i, item) in list.iter().enumerate() {
        let sizes = flatten(item, cells, read).map_err(|error| error.under(i))?;
        if inner.as_ref().is_some_and(|inner| *inner != sizes) {
            return Err(DataError::new("the lists are not of the same lengths").under(i));
        }
        inner = Some(sizes);
    }
    Ok([vec![list.len() as u64], inner.unwrap_or_default()].concat())
}

/// `{"dims", "data"}`.
pub fn value_json<S: JsonScalar>(value: &Value<S>) -> Json {
    json!({ "dims": value.dims, "data": value.data.iter().map(S::json).collect::<Vec<_>>() })
}
