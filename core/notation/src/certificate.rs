//! Certificates as JSON: an extension of the wire format (spec/protocol.md).

use crate::json as strict;
use crate::wire::{self, WireError, WireErrorKind};
use crate::{is_fresh_name, is_name};
use lozenge_calculus::certificate::{Edge, Ending, Inference, Line, LineClaim, Refutation};
use lozenge_calculus::names::{Names, Sort};
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{RowVar, Term, Var, Vars};
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
    let mut object = match by {
        Inference::Input(i) => json!({"index": i}),
        Inference::Substitute { into, with } => {
            let with: Vec<Value> = with.iter().map(|(l, v)| json!({"line": l, "var": var_name(*v, names)})).collect();
            json!({"line": into, "with": with})
        }
        Inference::Zip { line, edge, index } => {
            json!({"line": line, "edge": edge_name(*edge), "index": index})
        }
        Inference::Strip { line, front, back } => json!({"line": line, "front": front, "back": back}),
        Inference::Align { line, edge, index } => {
            json!({"line": line, "edge": edge_name(*edge), "index": index})
        }
        Inference::Residue(line) => json!({"line": line}),
        Inference::Grow(line) => json!({"line": line}),
        Inference::Empty(line) => json!({"line": line}),
        Inference::Pin(line) => json!({"line": line}),
        Inference::PinTop(line) => json!({"line": line}),
        Inference::Collapse(i, j) => json!({"lines": [i, j]}),
        Inference::Antisym(lines) => json!({"lines": lines}),
    };
    let claim = match claim {
        LineClaim::Holds(constraint) => ("holds", wire::constraint(constraint, names)),
        LineClaim::Is(var, row) => {
            ("is", json!({"var": var_name(Var::Row(*var), names), "row": wire::row_term(row, names)}))
        }
    };
    object["rule"] = by.name().into();
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

/// An object that has no other fields.
fn object<'a>(json: &'a Value, allowed: &[&str]) -> Read<&'a Map<String, Value>> {
    let object = json.as_object().ok_or_else(|| WireError::parse("expected an object"))?;
    only(object, allowed)?;
    Ok(object)
}

fn only(object: &Map<String, Value>, allowed: &[&str]) -> Read<()> {
    match object.keys().find(|key| !allowed.contains(&key.as_str())) {
        Some(key) => Err(WireError::parse(format!("unknown field `{key}`, expected {}", allowed.join(", ")))),
        None => Ok(()),
    }
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
        (None, Some(sort)) if is_name(name) || is_fresh_name(name) => {
            names.var(sort, name).map_err(|clash| WireError::sort(clash.to_string()))
        }
        (None, Some(_)) => Err(WireError::parse("expected the name of a variable")),
        (None, None) => Err(WireError::parse(format!("there is no variable {name}"))),
    }
}

/// Reads a refutation. Fresh variables `?7` are taken up as names of this table.
///
/// # Errors
/// A [`WireError`] with the place and what was expected.
pub fn read_refutation(json: &Value, names: &mut Names) -> Read<Refutation> {
    let top = object(json, &["lines", "end"])?;
    let lines = each(top, "lines", |json| read_line(json, names))?;
    let end = read_end(field(top, "end")?).map_err(|e| e.under("end"))?;
    Ok(Refutation { lines, end })
}

/// Evidence of either kind.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// A solution shows that there is one.
    Solution(Ground),
    /// A refutation shows that there is none.
    Refutation(Refutation),
}

/// Reads `{"solution":…}` or `{"refutation":…}` for constraints whose names are in the table.
///
/// # Errors
/// As [`read_refutation`].
pub fn read_certificate(json: &Value, names: &mut Names) -> Read<Certificate> {
    let it = object(json, &["solution", "refutation"])?;
    match (it.get("solution"), it.get("refutation")) {
        (Some(json), None) => read_solution(json, names).map(Certificate::Solution).map_err(|e| e.under("solution")),
        (None, Some(json)) => {
            read_refutation(json, names).map(Certificate::Refutation).map_err(|e| e.under("refutation"))
        }
        _ => Err(WireError::parse("expected one of `solution` and `refutation`")),
    }
}

/// Values of variables. Fresh ones `?7` may be among them; other variables that no constraint has may not.
fn read_solution(json: &Value, names: &mut Names) -> Read<Ground> {
    let values = json.as_object().ok_or_else(|| WireError::parse("expected an object: values by variable"))?;
    let (mut gamma, nothing) = (Ground::default(), Ground::default());
    for (name, json) in values {
        let value = read_value(name, json, names).map_err(|e| e.under(name))?;
        match value {
            (Var::Dim(var), Term::Dim(t)) => drop(gamma.dims.insert(var, nothing.dim(t))),
            (Var::Row(var), Term::Row(t)) => drop(gamma.rows.insert(var, nothing.row(&t))),
            _ => return Err(WireError::sort("the value is of another sort than its variable").under(name)),
        }
    }
    Ok(gamma)
}

fn read_value(name: &str, json: &Value, names: &mut Names) -> Read<(Var, Term)> {
    let term = wire::read_term(json, names)?;
    if !term.vars().is_empty() {
        return Err(WireError::parse("expected a value without variables"));
    }
    let sort = is_fresh_name(name).then_some(match term {
        Term::Dim(_) => Sort::Dim,
        Term::Row(_) => Sort::Row,
    });
    Ok((read_var(&Value::from(name), sort, names)?, term))
}

/// Reads JSON in which no key stands twice in one object: a certificate that says two things is none.
///
/// # Errors
/// A [`WireError`] with the place.
pub fn parse(text: &str) -> Read<Value> {
    strict::value(text).map_err(|error| {
        let kind = if error.limit { WireErrorKind::Limit } else { WireErrorKind::Parse };
        WireError { kind, message: error.message, at: error.at }
    })
}

fn read_end(json: &Value) -> Read<Ending> {
    let end = object(json, &["absurd", "cycle", "edge"])?;
    if end.contains_key("absurd") {
        only(end, &["absurd"])?;
        return number(end, "absurd").map(Ending::Absurd);
    }
    let facts = each(end, "cycle", read_fact)?;
    Ok(Ending::Cycle { edge: read_edge(end)?, facts })
}

/// The number of a line, and whether it is read backwards.
fn read_fact(json: &Value) -> Read<(usize, bool)> {
    let fact = object(json, &["line", "backwards"])?;
    let backwards = field(fact, "backwards")?.as_bool();
    let backwards = backwards.ok_or_else(|| WireError::parse("expected true or false").under("backwards"))?;
    Ok((number(fact, "line")?, backwards))
}

/// The fields of a rule, beside the claim; none where there is no such rule.
fn fields_of(rule: &str) -> Option<&'static [&'static str]> {
    Some(match rule {
        "input" => &["index"],
        "substitute" => &["line", "with"],
        "zip" | "align" => &["line", "edge", "index"],
        "strip" => &["line", "front", "back"],
        "residue" | "grow" | "empty" | "pin" | "pin-top" => &["line"],
        "collapse" | "antisym" => &["lines"],
        _ => return None,
    })
}

fn read_line(json: &Value, names: &mut Names) -> Read<Line> {
    let it = json.as_object().ok_or_else(|| WireError::parse("expected an object"))?;
    let rule = field(it, "rule")?.as_str().unwrap_or_default();
    let own = fields_of(rule).ok_or_else(|| WireError::parse(format!("unknown rule `{rule}`")).under("rule"))?;
    only(it, &[&["rule", "holds", "is"], own].concat())?;
    let claim = match (it.get("holds"), it.get("is")) {
        (Some(holds), None) => {
            LineClaim::Holds(wire::read_constraint_with_fresh(holds, names).map_err(|e| e.under("holds"))?)
        }
        (None, Some(is)) => {
            let is = object(is, &["var", "row"]).map_err(|e| e.under("is"))?;
            let named = field(is, "var").map_err(|e| e.under("is"))?;
            let var = read_var(named, Some(Sort::Row), names).map_err(|e| e.under("var").under("is"))?;
            if var.sort() != Sort::Row {
                return Err(WireError::sort("a dimension variable cannot be a row").under("var").under("is"));
            }
            let row = field(is, "row").map_err(|e| e.under("is"))?;
            let row = wire::read_row_term_with_fresh(row, names).map_err(|e| e.under("row").under("is"))?;
            LineClaim::Is(RowVar(var.id()), row)
        }
        _ => return Err(WireError::parse("expected one of `holds` and `is`")),
    };
    let line = || number(it, "line");
    let by = match rule {
        "input" => Inference::Input(number(it, "index")?),
        "substitute" => {
            let with = each(it, "with", |json| {
                let pair = object(json, &["line", "var"])?;
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
        _ => Inference::Antisym(each(it, "lines", index)?),
    };
    Ok(Line { by, claim })
}
