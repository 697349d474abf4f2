//! Reading claims by hand, so that an error names its place.

use lozenge::json::shortened;
use lozenge::names::Names;
use lozenge::staged::{Affine, Conv, Exact, Factor, Numerator, SizeClaim, SizeTerm, Total};
use lozenge::term::{DimTerm, DimVar, RowTerm};
use lozenge::wire::{WireError, read_dim_term, read_row_term};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

type Read<T> = Result<T, WireError>;

const CLAIM: &str = r#"a claim {"size":d,"affine":{…}}, {"size":d,"concat":[…]}, {"total":{…}}, {"exact":{…}} or {"at_least":d,"count":3}"#;
const AFFINE: &str = r#"{"mode":"strided","stride":2,"over":d}, or with "padded" or "valid" and a "kernel""#;
const TOTAL: &str = r#"{"rows":[…],"count":12} or {"rows":[…],"scaled":{"coeff":4,"var":"v","denom":1}}"#;
const SCALED: &str = r#"{"coeff":4,"var":"v","denom":1}"#;
const EXACT: &str = r#"{"rows":[…],"axes":[…]}"#;

fn found(json: &Value) -> String {
    shortened(&json.to_string())
}

fn wrong(json: &Value, expected: &str) -> WireError {
    WireError::parse(format!("found {}, expected {expected}", found(json)))
}

/// An object, and what it is to be.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    what: &'static str,
}

impl<'a> Fields<'a> {
    /// The fields of an object that has no others.
    fn of(json: &'a Value, allowed: &[&str], what: &'static str) -> Read<Self> {
        let object = json.as_object().ok_or_else(|| wrong(json, what))?;
        match object.keys().find(|key| !allowed.contains(&key.as_str())) {
            Some(key) => {
                let key = found(&Value::String(key.clone()));
                Err(WireError::parse(format!("unknown field {key}, expected {what}")))
            }
            None => Ok(Fields { object, what }),
        }
    }

    fn has(&self, key: &str) -> bool {
        self.object.contains_key(key)
    }

    /// A field that may be left out.
    fn get<T>(&self, key: &str, read: impl FnOnce(&Value) -> Read<T>) -> Read<Option<T>> {
        self.object.get(key).map(read).transpose().map_err(|e| e.under(key))
    }

    /// A field that must be there.
    fn need<T>(&self, key: &str, read: impl FnOnce(&Value) -> Read<T>) -> Read<T> {
        let missing = || WireError::parse(format!("the field `{key}` is missing, expected {}", self.what));
        self.get(key, read)?.ok_or_else(missing)
    }
}

/// A list, each item with its place.
fn list<T>(json: &Value, what: &str, mut read: impl FnMut(&Value) -> Read<T>) -> Read<Vec<T>> {
    let items = json.as_array().ok_or_else(|| wrong(json, what))?;
    items.iter().enumerate().map(|(i, item)| read(item).map_err(|e| e.under(i))).collect()
}

fn number(json: &Value, least: u64) -> Read<u64> {
    let n = json.as_u64().filter(|n| *n >= least);
    n.ok_or_else(|| wrong(json, &format!("a whole number from {least} to {}", u64::MAX)))
}

/// A stride, dilation or coefficient: a number, or the size that a variable has.
fn factor(json: &Value, names: &mut Names) -> Read<Factor> {
    match json {
        Value::Number(_) => number(json, 1).map(Factor::Known),
        Value::Object(object) if object.contains_key("var") => read_dim_term(json, names).map(Factor::Late),
        _ => Err(wrong(json, r#"a whole number from 1, or {"var":"s"}"#)),
    }
}

/// A dimension variable by its name.
fn variable(json: &Value, names: &mut Names) -> Read<DimVar> {
    // Read as in a term, so that names mean the same; the place is that of the name itself.
    let read = read_dim_term(&json!({ "var": json }), names);
    match read.map_err(|error| WireError { at: String::new(), ..error })? {
        DimTerm::Var(v) => Ok(v),
        DimTerm::Dim(_) => Err(wrong(json, "the name of a dimension variable")),
    }
}

/// Reads a claim.
///
/// # Errors
/// A [`WireError`] with the place and what was expected.
pub fn read_claim(json: &Value, names: &mut Names) -> Read<SizeClaim> {
    let all = ["size", "affine", "concat", "total", "exact", "at_least", "count"];
    let fields = Fields::of(json, &all, CLAIM)?;
    let kinds: [(&[&str], Kind); 5] = [
        (&["size", "affine"], affine),
        (&["size", "concat"], concat),
        (&["total"], |fields, names| fields.need("total", |json| total(json, names)).map(SizeClaim::Total)),
        (&["exact"], |fields, names| fields.need("exact", |json| exact(json, names)).map(SizeClaim::Exact)),
        (&["at_least", "count"], at_least),
    ];
    let is = |keys: &[&str]| keys.len() == fields.object.len() && keys.iter().all(|key| fields.has(key));
    match kinds.iter().find(|(keys, _)| is(keys)) {
        Some((_, read)) => read(&fields, names),
        None => Err(wrong(json, CLAIM)),
    }
}

/// How a kind of claim is read.
type Kind = fn(&Fields<'_>, &mut Names) -> Read<SizeClaim>;

fn affine(fields: &Fields<'_>, names: &mut Names) -> Read<SizeClaim> {
    let size = fields.need("size", |json| read_dim_term(json, names))?;
    let affine = fields.need("affine", |json| affine_term(json, names))?;
    Ok(SizeClaim::Size(size, SizeTerm::Affine(affine)))
}

fn affine_term(json: &Value, names: &mut Names) -> Read<Affine> {
    let allowed = ["mode", "stride", "over", "offset", "kernel", "dilation"];
    let fields = Fields::of(json, &allowed, AFFINE)?;
    let padded = fields.need("mode", mode)?;
    let one = Factor::Known(1);
    let stride = fields.get("stride", |json| factor(json, names))?.unwrap_or(one);
    let over = fields.need("over", |json| read_dim_term(json, names))?;
    let offset = fields.get("offset", |json| number(json, 0))?.unwrap_or(0);
    let conv = match padded {
        None => {
            if let Some(key) = ["kernel", "dilation"].into_iter().find(|key| fields.has(key)) {
                let message = format!("`{key}` is for the modes \"padded\" and \"valid\"");
                return Err(WireError::parse(message).under(key));
            }
            None
        }
        Some(padded) => {
            let kernel = fields.need("kernel", |json| read_dim_term(json, names))?;
            let dilation = fields.get("dilation", |json| factor(json, names))?.unwrap_or(one);
            Some(Conv { dilation, kernel, padded })
        }
    };
    Ok(Affine { stride, over, conv, offset })
}

/// Is there a kernel, and is it padded?
fn mode(json: &Value) -> Read<Option<bool>> {
    match json.as_str() {
        Some("strided") => Ok(None),
        Some("padded") => Ok(Some(true)),
        Some("valid") => Ok(Some(false)),
        _ => Err(wrong(json, r#""strided", "padded", "valid""#)),
    }
}

fn concat(fields: &Fields<'_>, names: &mut Names) -> Read<SizeClaim> {
    let size = fields.need("size", |json| read_dim_term(json, names))?;
    let what = "a list of one dimension or more";
    let parts = fields.need("concat", |json| match dims(json, what, names)? {
        parts if parts.is_empty() => Err(wrong(json, what)),
        parts => Ok(parts),
    })?;
    Ok(SizeClaim::Size(size, SizeTerm::Concat(parts)))
}

fn dims(json: &Value, what: &str, names: &mut Names) -> Read<Vec<DimTerm>> {
    list(json, what, |item| read_dim_term(item, names))
}

fn rows(fields: &Fields<'_>, names: &mut Names) -> Read<Vec<RowTerm>> {
    fields.need("rows", |json| list(json, "a list of rows", |item| read_row_term(item, names)))
}

/// The row that takes what the others do not, by its number.
fn keep(fields: &Fields<'_>, rows: &[RowTerm]) -> Read<Option<usize>> {
    fields.get("keep", |json| {
        let number = json.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n < rows.len());
        number.ok_or_else(|| wrong(json, "the number of one of the rows, from 0"))
    })
}

fn total(json: &Value, names: &mut Names) -> Read<Total> {
    let fields = Fields::of(json, &["rows", "count", "scaled", "divided_by", "keep"], TOTAL)?;
    let rows = rows(&fields, names)?;
    let count = fields.get("count", |json| number(json, 1))?.map(Numerator::Count);
    let scaled = fields.get("scaled", |json| scaled(json, names))?;
    let numerator = match (count, scaled) {
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) | (Some(_), Some(_)) => return Err(wrong(json, TOTAL)),
    };
    let divided_by = fields.get("divided_by", |json| divisors(json, names))?.unwrap_or_default();
    let keep = keep(&fields, &rows)?;
    Ok(Total { rows, numerator, divided_by, keep })
}

fn scaled(json: &Value, names: &mut Names) -> Read<Numerator> {
    let fields = Fields::of(json, &["coeff", "var", "denom"], SCALED)?;
    let coeff = fields.get("coeff", |json| factor(json, names))?.unwrap_or(Factor::Known(1));
    let var = fields.need("var", |json| variable(json, names))?;
    let denom = fields.get("denom", |json| number(json, 1))?.unwrap_or(1);
    Ok(Numerator::Scaled { coeff, var, denom })
}

/// A set: the same variable twice would be a square, which is not what one divisor means.
fn divisors(json: &Value, names: &mut Names) -> Read<BTreeSet<DimVar>> {
    let mut set = BTreeSet::new();
    list(json, "a list of names of dimension variables", |item| match set.insert(variable(item, names)?) {
        true => Ok(()),
        false => Err(WireError::parse(format!("{} stands twice: each divides once", found(item)))),
    })?;
    Ok(set)
}

fn exact(json: &Value, names: &mut Names) -> Read<Exact> {
    let fields = Fields::of(json, &["rows", "axes", "keep"], EXACT)?;
    let rows = rows(&fields, names)?;
    let dims = fields.need("axes", |json| dims(json, "a list of dimensions", names))?;
    let keep = keep(&fields, &rows)?;
    Ok(Exact { rows, dims, keep })
}

fn at_least(fields: &Fields<'_>, names: &mut Names) -> Read<SizeClaim> {
    let d = fields.need("at_least", |json| read_dim_term(json, names))?;
    fields.need("count", |json| number(json, 0)).map(|n| SizeClaim::AtLeast(d, n))
}

/// How many dimensions and rows a claim writes.
pub fn count_terms(claim: &SizeClaim) -> usize {
    let of_rows = |rows: &[RowTerm]| rows.iter().map(|row| 1 + row.lead.len() + row.trail.len()).sum::<usize>();
    match claim {
        SizeClaim::Size(_, SizeTerm::Concat(parts)) => 1 + parts.len(),
        SizeClaim::Size(_, SizeTerm::Affine(affine)) => 2 + usize::from(affine.conv.is_some()),
        SizeClaim::Total(total) => of_rows(&total.rows) + total.divided_by.len() + 1,
        SizeClaim::Exact(exact) => of_rows(&exact.rows) + exact.dims.len(),
        SizeClaim::AtLeast(..) => 1,
    }
}
