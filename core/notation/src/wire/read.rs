//! Reading terms and constraints by hand, so that an error names its place.

use super::{WireError, WireErrorKind};
use crate::json::shortened;
use crate::text::check_name;
use crate::{is_fresh_name, is_name};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::names::{Names, Sort};
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Term};
use serde_json::{Map, Value};
use std::num::NonZeroU64;

type Read<T> = Result<T, WireError>;

/// A short picture of a value, for messages.
fn found(json: &Value) -> String {
    shortened(&json.to_string())
}

/// The fields of an object that has no others.
fn fields<'a>(json: &'a Value, allowed: &[&str], what: &str) -> Read<&'a Map<String, Value>> {
    let wrong = || WireError::parse(format!("found {}, expected {what}", found(json)));
    let object = json.as_object().ok_or_else(wrong)?;
    match object.keys().find(|key| !allowed.contains(&key.as_str())) {
        Some(key) => Err(WireError::parse(format!("unknown field `{key}`, expected {what}"))),
        None => Ok(object),
    }
}

const DIM: &str = r#"a dimension: a size such as 3, "unit", {"n":3,"basis":"rgb"} or {"var":"a"}"#;
const ROW: &str = r#"a row {"lead":[…],"var":"r","trail":[…]}"#;

fn size(json: &Value) -> Read<NonZeroU64> {
    let n = json.as_u64().and_then(NonZeroU64::new);
    n.ok_or_else(|| {
        WireError::parse(format!("found {}, expected a size: a whole number from 1 to {}", found(json), u64::MAX))
    })
}

fn name(json: &Value, what: &str) -> Read<String> {
    match json.as_str() {
        Some(name) if is_name(name) => match check_name(name) {
            Ok(()) => Ok(name.to_owned()),
            Err(long) => Err(WireError { kind: WireErrorKind::Limit, ..WireError::parse(long.to_string()) }),
        },
        _ => Err(WireError::parse(format!(
            "found {}, expected the name of a {what}: a letter, then letters, digits, _, ' and ′",
            found(json)
        ))),
    }
}

/// What names mean while a message is read.
struct Scope<'n> {
    names: &'n mut Names,
    /// May the message introduce fresh variables, as a certificate does?
    adopt: bool,
}

impl Scope<'_> {
    /// A variable of this sort; `?7` stands for a fresh variable that exists, or is adopted.
    fn variable(&mut self, json: &Value, sort: Sort) -> Read<u32> {
        let fresh = json.as_str().filter(|s| is_fresh_name(s) && (self.adopt || self.names.lookup(s).is_some()));
        let name = match fresh {
            Some(name) => name.to_owned(),
            None => name(json, "variable")?,
        };
        self.names.var(sort, &name).map(|v| v.id()).map_err(|clash| WireError::sort(clash.to_string()))
    }
}

/// Reads a dimension term.
///
/// # Errors
/// A [`WireError`] with the place and what was expected; so for every function here.
pub fn read_dim_term(json: &Value, names: &mut Names) -> Read<DimTerm> {
    dim_term_in(json, &mut Scope { names, adopt: false })
}

fn dim_term_in(json: &Value, scope: &mut Scope<'_>) -> Read<DimTerm> {
    let atom = |n: NonZeroU64, basis| {
        let zero = |zero: lozenge_calculus::dim::SizeZero| WireError::parse(zero.to_string());
        Atom::new(n.get(), basis).map(|a| DimTerm::Dim(Dim::Atom(a))).map_err(zero)
    };
    match json {
        Value::Number(_) => atom(size(json)?, Basis::DEFAULT),
        Value::String(word) if word == "unit" => Ok(DimTerm::Dim(Dim::Unit)),
        Value::Object(object) if object.contains_key("var") => {
            let var = &fields(json, &["var"], DIM)?["var"];
            scope.variable(var, Sort::Dim).map(|id| DimTerm::Var(DimVar(id))).map_err(|e| e.under("var"))
        }
        _ => {
            let object = fields(json, &["n", "basis"], DIM)?;
            let missing = || WireError::parse(format!("found {}, expected {DIM}", found(json)));
            let n = size(object.get("n").ok_or_else(missing)?).map_err(|e| e.under("n"))?;
            let basis = name(object.get("basis").ok_or_else(missing)?, "basis").map_err(|e| e.under("basis"))?;
            atom(n, scope.names.basis(&basis))
        }
    }
}

/// Reads a row term.
///
/// # Errors
/// As [`read_dim_term`].
pub fn read_row_term(json: &Value, names: &mut Names) -> Read<RowTerm> {
    row_term_in(json, &mut Scope { names, adopt: false })
}

fn row_term_in(json: &Value, scope: &mut Scope<'_>) -> Read<RowTerm> {
    let object = fields(json, &["lead", "var", "trail"], ROW)?;
    let lead = flank(object, "lead", scope)?;
    let var = match object.get("var") {
        None | Some(Value::Null) => None,
        Some(var) => Some(RowVar(scope.variable(var, Sort::Row).map_err(|e| e.under("var"))?)),
    };
    Ok(RowTerm::new(lead, var, flank(object, "trail", scope)?))
}

fn flank(object: &Map<String, Value>, key: &str, scope: &mut Scope<'_>) -> Read<Vec<DimTerm>> {
    let Some(json) = object.get(key) else {
        return Err(WireError::parse(format!("the field `{key}` is missing, expected {ROW}")));
    };
    let Some(items) = json.as_array() else {
        return Err(WireError::parse(format!("found {}, expected a list of dimensions", found(json))).under(key));
    };
    let read = |(i, item)| dim_term_in(item, scope).map_err(|e| e.under(i).under(key));
    items.iter().enumerate().map(read).collect()
}

/// Reads a term of either sort: a row is an object with a flank.
///
/// # Errors
/// As [`read_dim_term`].
pub fn read_term(json: &Value, names: &mut Names) -> Read<Term> {
    term_in(json, &mut Scope { names, adopt: false })
}

fn term_in(json: &Value, scope: &mut Scope<'_>) -> Read<Term> {
    match json.as_object() {
        Some(object) if object.contains_key("lead") || object.contains_key("trail") => {
            row_term_in(json, scope).map(Term::Row)
        }
        _ => dim_term_in(json, scope).map(Term::Dim),
    }
}

/// Reads a constraint.
///
/// # Errors
/// As [`read_dim_term`]; mixed sorts are an error of kind sort.
pub fn read_constraint(json: &Value, names: &mut Names) -> Read<Constraint> {
    constraint_in(json, &mut Scope { names, adopt: false })
}

fn constraint_in(json: &Value, scope: &mut Scope<'_>) -> Read<Constraint> {
    const WHAT: &str = r#"a constraint {"eq":[t,t]} or {"le":[result,operand]}"#;
    let object = fields(json, &["eq", "le"], WHAT)?;
    let mut entries = object.iter();
    let (Some((relation, pair)), None) = (entries.next(), entries.next()) else {
        return Err(WireError::parse(format!("found {}, expected {WHAT}", found(json))));
    };
    let Some([left, right]) = pair.as_array().map(Vec::as_slice) else {
        return Err(WireError::parse(format!("found {}, expected a list of two terms", found(pair))).under(relation));
    };
    let left = term_in(left, scope).map_err(|e| e.under(0).under(relation))?;
    let right = term_in(right, scope).map_err(|e| e.under(1).under(relation))?;
    match (relation.as_str(), left, right) {
        ("eq", Term::Dim(s), Term::Dim(t)) => Ok(Constraint::DimEq(s, t)),
        ("eq", Term::Row(s), Term::Row(t)) => Ok(Constraint::RowEq(s, t)),
        (_, Term::Dim(s), Term::Dim(t)) => Ok(Constraint::DimLe(s, t)),
        (_, Term::Row(s), Term::Row(t)) => Ok(Constraint::RowLe(s, t)),
        _ => Err(WireError::sort("one side is a dimension and the other a row: a constraint relates two of one sort")
            .under(relation)),
    }
}

/// Reads a constraint of a certificate, which may introduce fresh variables `?7`.
pub(crate) fn read_constraint_with_fresh(json: &Value, names: &mut Names) -> Read<Constraint> {
    constraint_in(json, &mut Scope { names, adopt: true })
}

/// Reads a row of a certificate, which may introduce fresh variables `?7`.
pub(crate) fn read_row_term_with_fresh(json: &Value, names: &mut Names) -> Read<RowTerm> {
    row_term_in(json, &mut Scope { names, adopt: true })
}
