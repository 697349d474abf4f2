//! Data for programs: JSON, .npy, constants and ranges; and values as JSON.

use super::npy;
use crate::output::Failure;
use lozenge::interp::{Fill, Rational, Scalar, ScalarError, Tropical, Value};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Scalars that have a JSON form.
pub trait JsonScalar: Scalar {
    /// A number, or text where JSON has none: `"inf"`, `"1/3"`.
    fn json(&self) -> Json;

    /// The kind of number in a .npy file and its bytes; none where NumPy has no such numbers.
    fn bytes(&self) -> Option<(&'static str, [u8; 8])>;

    /// From a number or from text.
    fn from_json(json: &Json) -> Result<Self, ScalarError> {
        match json {
            Json::Number(n) => Self::read(&n.to_string()),
            Json::String(text) => Self::read(text),
            other => Err(ScalarError::NotANumber { text: other.to_string(), scalar: Self::NAME }),
        }
    }
}

fn float(x: f64) -> Json {
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
    /// 2.0 is a whole number as well.
    fn from_json(json: &Json) -> Result<Self, ScalarError> {
        match (json.as_i64(), json.as_f64()) {
            (Some(n), _) => Ok(n),
            (None, Some(x)) => Self::number(x),
            (None, None) => Self::read(json.as_str().unwrap_or(&json.to_string())),
        }
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
    fn json(&self) -> Json {
        float(self.0)
    }
    fn bytes(&self) -> Option<(&'static str, [u8; 8])> {
        Some(("f8", self.0.to_le_bytes()))
    }
}

/// Data as it is given, before the shape of its tensor is known.
pub enum Given {
    /// Made up.
    Fill(Fill),
    /// A JSON value: nested lists, or sizes and cells.
    Json(Json),
}

impl Given {
    /// Data in a request: a number, `"range"`, `"range:START:STEP"`, nested lists, or `{"dims", "data"}`.
    pub fn of_json(json: Json) -> Result<Self, String> {
        match &json {
            Json::Number(n) => {
                n.as_f64().map(|x| Given::Fill(Fill::Constant(x))).ok_or_else(|| format!("{n} is no number"))
            }
            Json::String(text) => fill(text).map(Given::Fill).ok_or_else(|| not_data(text)),
            Json::Array(_) | Json::Object(_) => Ok(Given::Json(json)),
            other => Err(not_data(&other.to_string())),
        }
    }

    /// Data on the command line: also the name of a .json or .npy file.
    pub fn of_argument(text: &str) -> Result<Self, Failure> {
        if let Some(fill) = fill(text) {
            return Ok(Given::Fill(fill));
        }
        let bad = |message: String| Failure::input("data", crate::output::visible(&message));
        if text.starts_with(['[', '{']) {
            let json = serde_json::from_str(text).map_err(|error| bad(format!("data: not JSON: {error}")))?;
            return Ok(Given::Json(json));
        }
        let path = Path::new(text);
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let read = || crate::system::read_bytes(path);
        match extension {
            "npy" => {
                let array = npy::read(&read()?).map_err(|why| bad(format!("{text}: {why}")))?;
                let cells: Vec<Json> = array.cells.into_iter().map(Json::Number).collect();
                Ok(Given::Json(json!({ "dims": array.dims, "data": cells })))
            }
            "json" => {
                let json =
                    serde_json::from_slice(&read()?).map_err(|error| bad(format!("{text}: not JSON: {error}")))?;
                Self::of_json(json).map_err(bad)
            }
            _ => Err(bad(not_data(text))),
        }
    }

    /// As a value for a tensor of these sizes. Nested lists without sizes have those of their nesting; a flat list
    /// for a tensor of more axes is its cells in the order of storage.
    pub fn value<S: JsonScalar>(&self, dims: &[u64]) -> Result<Value<S>, String> {
        let json = match self {
            Given::Fill(fill) => {
                let filled = Value::filled(dims.to_vec(), *fill).map_err(|error| error.to_string())?;
                return filled.ok_or_else(|| "too many cells".to_owned());
            }
            Given::Json(json) => json,
        };
        let (found, cells) = match json {
            Json::Object(object) => {
                let sizes = object.get("dims").and_then(|d| serde_json::from_value(d.clone()).ok());
                let data = object.get("data").and_then(Json::as_array);
                let (Some(sizes), Some(data)) = (sizes, data) else {
                    return Err("expected {\"dims\": [sizes], \"data\": [cells]}".to_owned());
                };
                (sizes, data.iter().collect())
            }
            json => {
                let mut cells = Vec::new();
                let sizes = flatten(json, &mut cells)?;
                let flat = sizes.len() == 1 && dims.len() != 1;
                (if flat { dims.to_vec() } else { sizes }, cells)
            }
        };
        let data = cells.into_iter().map(S::from_json).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        Ok(Value { dims: found, data })
    }
}

fn not_data(text: &str) -> String {
    format!(
        "{text} is no data: expected a number, range, range:START:STEP, lists as [[1, 2], [3, 4]], or a .json or .npy file"
    )
}

/// `0.5`, `range`, `range:START:STEP`.
pub fn fill(text: &str) -> Option<Fill> {
    if let Ok(x) = text.parse() {
        return Some(Fill::Constant(x));
    }
    let rest = text.strip_prefix("range")?;
    if rest.is_empty() {
        return Some(Fill::Range { start: 0.0, step: 1.0 });
    }
    let (start, step) = rest.strip_prefix(':')?.split_once(':')?;
    Some(Fill::Range { start: start.parse().ok()?, step: step.parse().ok()? })
}

/// The sizes of nested lists, with their cells in order.
fn flatten<'a>(json: &'a Json, cells: &mut Vec<&'a Json>) -> Result<Vec<u64>, String> {
    let Json::Array(list) = json else {
        cells.push(json);
        return Ok(Vec::new());
    };
    let mut inner: Option<Vec<u64>> = None;
    for item in list {
        let sizes = flatten(item, cells)?;
        if inner.as_ref().is_some_and(|inner| *inner != sizes) {
            return Err("the lists are not of the same lengths".to_owned());
        }
        inner = Some(sizes);
    }
    Ok([vec![list.len() as u64], inner.unwrap_or_default()].concat())
}

/// `{"dims", "data"}`.
pub fn value_json<S: JsonScalar>(value: &Value<S>) -> Json {
    json!({ "dims": value.dims, "data": value.data.iter().map(S::json).collect::<Vec<_>>() })
}
