//! The field `values` of `check`.

use super::{ErrorJson, Request, wire_error, wrong};
use lozenge::json::pointer;
use lozenge::names::Names;
use lozenge::staged::Valuation;
use lozenge::term::{DimTerm, DimVar, Var};
use lozenge::wire::{self, WireError};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Variable → ground term; 0 for variables that may be discarded.
pub fn values(
    request: &Request<'_>,
    names: &mut Names,
    discardable: &BTreeSet<DimVar>,
) -> Result<Valuation, ErrorJson> {
    let given = match request.get("values")? {
        Some(Value::Object(values)) => values,
        Some(other) => return Err(wrong(&other, "an object: variable → ground term", "/values")),
        None => return Err(ErrorJson::new("parse", "the field `values` is missing", "")),
    };
    let mut values = Valuation::default();
    for (key, json) in &given {
        match names.lookup(key) {
            Some(Var::Dim(v)) if json.as_u64() == Some(0) && discardable.contains(&v) => {
                values.zeros.insert(v);
            }
            _ => value(key, json, names, &mut values)?,
        }
    }
    Ok(values)
}

fn value(key: &str, json: &Value, names: &mut Names, values: &mut Valuation) -> Result<(), ErrorJson> {
    let at = format!("/values/{}", pointer(key));
    let in_place = |error: WireError| {
        let place = format!("{at}{}", error.at);
        ErrorJson { at: place, ..wire_error(error) }
    };
    let not_ground = || wrong(json, "a term without variables", at.clone());
    // A row is an object with a flank, as in `wire::read_term`.
    if json.get("lead").is_some() || json.get("trail").is_some() {
        let value = wire::read_row_term(json, names).map_err(in_place)?;
        let value = value.as_ground().ok_or_else(not_ground)?;
        let var = json!({ "lead": [], "var": key, "trail": [] });
        if let Some(var) = variable(wire::read_row_term(&var, names), &at)?.var {
            values.ground.rows.insert(var, value);
        }
    } else {
        let DimTerm::Dim(value) = wire::read_dim_term(json, names).map_err(in_place)? else {
            return Err(not_ground());
        };
        let var = json!({ "var": key });
        if let DimTerm::Var(var) = variable(wire::read_dim_term(&var, names), &at)? {
            values.ground.dims.insert(var, value);
        }
    }
    Ok(())
}

/// A key of `values` read as a variable.
fn variable<T>(read: Result<T, WireError>, at: &str) -> Result<T, ErrorJson> {
    read.map_err(|error| ErrorJson { at: at.to_owned(), ..wire_error(error) })
}
