//! Certificates as JSON: an extension of the wire format (spec/protocol.md).

use super::{Claim, Edge, Ending, Inference, Line, Refutation};
use crate::names::{Names, Sort};
use crate::term::{RowVar, Var};
use crate::wire::{self, WireError};
use serde_json::{Map, Value, json};

type Read<T> = Result<T, WireError>;

fn edge_name(edge: Edge) -> &'static str {
    match edge {
        Edge::Front => "front",
        Edge::Back => "back",
    }
}

fn var_name(var: Var, names: &Names) -> String {
    let shown = names.show(&var).to_string();
    shown.trim_matches(['⟨', '⟩']).to_owned()
}

/// A refutation as JSON.
#[must_use]
pub fn refutation(refutation: &Refutation, names: &Names) -> Value {
    let lines: Vec<Value> = refutation.lines.iter().map(|l| line(l, names)).collect();
    let end = match &refutation.end {
        Ending::Absurd(line) => json!({"absurd": line}),
        Ending::Cycle { edge, facts } => {
            let facts: Vec<Value> = facts.iter().map(|(l, back)| json!({"line": l, "backwards": back})).collect();
            json!({"cycle": facts, "edge": edge_name(*edge)})
        }
    };
    json!({"lines": lines, "end": end})
}

fn line(Line { by, claim }: &Line, names: &Names) -> Value {
    let (rule, mut object) = match by {
        Inference::Input(i) => ("input", json!({"index": i})),
        Inference::Substitute { into, with } => {
            let with: Vec<Value> = with.iter().map(|(l, v)| json!({"line": l, "var": var_name(*v, names)})).collect();
            ("substitute", json!({"line": into, "with": with}))
        }
        Inference::Zip { line, edge, index } => {
            ("zip", json!({"line": line, "edge": edge_name(*edge), "index": index}))
        }
        Inference::Strip { line, front, back } => ("strip", json!({"line": line, "front": front, "back": back})),
        Inference::Align { line, edge, index } => {
            ("align", json!({"line": line, "edge": edge_name(*edge), "index": index}))
        }
        Inference::Residue(line) => ("residue", json!({"line": line})),
        Inference::Grow(line) => ("grow", json!({"line": line})),
        Inference::Empty(line) => ("empty", json!({"line": line})),
        Inference::Pin(line) => ("pin", json!({"line": line})),
        Inference::PinTop(line) => ("pin-top", json!({"line": line})),
        Inference::Collapse(i, j) => ("collapse", json!({"lines": [i, j]})),
        Inference::Antisym(lines) => ("antisym", json!({"lines": lines})),
    };
    let claim = match claim {
        Claim::Holds(constraint) => ("holds", wire::constraint(constraint, names)),
        Claim::Is(var, row) => {
            ("is", json!({"var": var_name(Var::Row(*var), names), "row": wire::row_term(row, names)}))
        }
    };
    object["rule"] = rule.into();
    object[claim.0] = claim.1;
    object
}

fn field<'a>(object: &'a Map<String, Value>, key: &str) -> Read<&'a Value> {
    object.get(key).ok_or_else(|| WireError::parse(format!("the field `{key}` is missing")))
}

fn number(object: &Map<String, Value>, key: &str) -> Read<usize> {
    index(field(object, key)?).map_err(|e| e.under(key))
}

fn index(json: &Value) -> Read<usize> {
    let number = json.as_u64().and_then(|n| usize::try_from(n).ok());
    number.ok_or_else(|| WireError::parse("expected a number of a line, from 0"))
}

fn object(json: &Value) -> Read<&Map<String, Value>> {
    json.as_object().ok_or_else(|| WireError::parse("expected an object"))
}

fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Read<&'a Vec<Value>> {
    field(object, key)?.as_array().ok_or_else(|| WireError::parse("expected a list").under(key))
}

/// Every item of a list, read.
fn each<T>(object: &Map<String, Value>, key: &str, mut read: impl FnMut(&Value) -> Read<T>) -> Read<Vec<T>> {
    let read = |(i, json)| read(json).map_err(|e| e.under(i).under(key));
    list(object, key)?.iter().enumerate().map(read).collect()
}

fn read_edge(object: &Map<String, Value>) -> Read<Edge> {
    match field(object, "edge")?.as_str() {
        Some("front") => Ok(Edge::Front),
        Some("back") => Ok(Edge::Back),
        _ => Err(WireError::parse("expected \"front\" or \"back\"").under("edge")),
    }
}

/// Variables may be ones that the certificate introduces: they are made as they are met.
fn read_var(json: &Value, sort: Option<Sort>, names: &mut Names) -> Read<Var> {
    let Some(name) = json.as_str() else { return Err(WireError::parse("expected the name of a variable")) };
    match (names.lookup(name), sort) {
        (Some(var), _) => Ok(var),
        (None, Some(sort)) => names.var(sort, name).map_err(|clash| WireError::sort(clash.to_string())),
        (None, None) => Err(WireError::parse(format!("there is no variable {name}"))),
    }
}

/// Reads a refutation. Fresh variables `?7` are taken up as names of this table.
///
/// # Errors
/// A [`WireError`] with the place and what was expected.
pub fn read_refutation(json: &Value, names: &mut Names) -> Read<Refutation> {
    let top = object(json)?;
    let lines = each(top, "lines", |json| read_line(json, names))?;
    let end = read_end(field(top, "end")?).map_err(|e| e.under("end"))?;
    Ok(Refutation { lines, end })
}

fn read_end(json: &Value) -> Read<Ending> {
    let end = object(json)?;
    if end.contains_key("absurd") {
        return number(end, "absurd").map(Ending::Absurd);
    }
    let facts = each(end, "cycle", read_fact)?;
    Ok(Ending::Cycle { edge: read_edge(end)?, facts })
}

/// The number of a line, and whether it is read backwards.
fn read_fact(json: &Value) -> Read<(usize, bool)> {
    let fact = object(json)?;
    let backwards = field(fact, "backwards")?.as_bool();
    let backwards = backwards.ok_or_else(|| WireError::parse("expected true or false").under("backwards"))?;
    Ok((number(fact, "line")?, backwards))
}

fn read_line(json: &Value, names: &mut Names) -> Read<Line> {
    let it = object(json)?;
    let claim = match (it.get("holds"), it.get("is")) {
        (Some(holds), None) => {
            Claim::Holds(wire::read_constraint_with_fresh(holds, names).map_err(|e| e.under("holds"))?)
        }
        (None, Some(is)) => {
            let is = object(is).map_err(|e| e.under("is"))?;
            let named = field(is, "var").map_err(|e| e.under("is"))?;
            let var = read_var(named, Some(Sort::Row), names).map_err(|e| e.under("var").under("is"))?;
            if var.sort() != Sort::Row {
                return Err(WireError::sort("a dimension variable cannot be a row").under("var").under("is"));
            }
            let row = field(is, "row").map_err(|e| e.under("is"))?;
            let row = wire::read_row_term_with_fresh(row, names).map_err(|e| e.under("row").under("is"))?;
            Claim::Is(RowVar(var.id()), row)
        }
        _ => return Err(WireError::parse("expected one of `holds` and `is`")),
    };
    let line = || number(it, "line");
    let by = match field(it, "rule")?.as_str().unwrap_or_default() {
        "input" => Inference::Input(number(it, "index")?),
        "substitute" => {
            let with = each(it, "with", |json| {
                let pair = object(json)?;
                Ok((number(pair, "line")?, read_var(field(pair, "var")?, None, names).map_err(|e| e.under("var"))?))
            });
            Inference::Substitute { into: line()?, with: with? }
        }
        "zip" => Inference::Zip { line: line()?, edge: read_edge(it)?, index: number(it, "index")? },
        "strip" => Inference::Strip { line: line()?, front: number(it, "front")?, back: number(it, "back")? },
        "align" => Inference::Align { line: line()?, edge: read_edge(it)?, index: number(it, "index")? },
        "residue" => Inference::Residue(line()?),
        "grow" => Inference::Grow(line()?),
        "empty" => Inference::Empty(line()?),
        "pin" => Inference::Pin(line()?),
        "pin-top" => Inference::PinTop(line()?),
        "collapse" => match each(it, "lines", index)?[..] {
            [i, j] => Inference::Collapse(i, j),
            _ => return Err(WireError::parse("expected two lines").under("lines")),
        },
        "antisym" => Inference::Antisym(each(it, "lines", index)?),
        other => return Err(WireError::parse(format!("unknown rule `{other}`")).under("rule")),
    };
    Ok(Line { by, claim })
}
