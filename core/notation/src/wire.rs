//! The wire format, version 1: dimensions, rows and constraints as JSON (spec/protocol.md).
//!
//! Writing goes through small types whose JSON Schema is derived from them. Reading is by hand, so
//! that an error names the place (a JSON pointer) and what would be right.
//!
//! ```
//! use lozenge::{names::Names, wire};
//! let json = serde_json::json!({"le": [{"lead": [], "var": "r", "trail": [3]}, {"lead": [], "trail": [3, "unit"]}]});
//! let mut names = Names::new();
//! let phi = wire::read_constraint(&json, &mut names)?;
//! assert_eq!(names.show(&phi).to_string(), "⟨r⟩·[3] ⊑ []·⋄·[3,1∅]");
//! assert_eq!(wire::constraint(&phi, &names), json);
//! let error = wire::read_constraint(&serde_json::json!({"eq": [0, 3]}), &mut names).unwrap_err();
//! assert_eq!(error.at, "/eq/0");
//! # Ok::<(), wire::WireError>(())
//! ```

use crate::json::shortened;
use crate::text::check_name;
use crate::{is_fresh_name, is_name};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Atom, Basis, Dim};
use lozenge_calculus::names::{Names, Sort};
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Term};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use std::num::NonZeroU64;

/// A dimension term: `3`, `"unit"`, `{"n":3,"basis":"rgb"}` or `{"var":"a"}`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, deny_unknown_fields)]
pub enum DimJson {
    /// A size with basis default.
    Size(NonZeroU64),
    /// 1∅.
    Unit(UnitJson),
    /// A size with a basis.
    Based {
        /// The size.
        n: NonZeroU64,
        /// The basis.
        #[cfg_attr(feature = "schema", schemars(pattern(r"^\p{L}[\p{L}\p{N}_'′]*$")))]
        basis: String,
    },
    /// A dimension variable.
    Var {
        /// Its name; names that begin with `?` are variables the solver made.
        #[cfg_attr(feature = "schema", schemars(pattern(r"^(\p{L}[\p{L}\p{N}_'′]*|\?[0-9]+)$")))]
        var: String,
    },
}

/// The word `"unit"`, for 1∅.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum UnitJson {
    /// 1∅.
    Unit,
}

/// A row term: `{"lead":[…],"var":"r","trail":[…]}`; without `var`, or with null, it is closed.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RowJson {
    /// The leading flank.
    pub lead: Vec<DimJson>,
    /// The row variable at the marker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(pattern(r"^(\p{L}[\p{L}\p{N}_'′]*|\?[0-9]+)$")))]
    pub var: Option<String>,
    /// The trailing flank.
    pub trail: Vec<DimJson>,
}

/// A constraint: `{"eq":[t,t]}` or `{"le":[result,operand]}`; both terms of one sort.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ConstraintJson {
    /// = of dimensions, ≈ of rows.
    Eq(PairJson),
    /// result ⊑ operand.
    Le(PairJson),
}

/// Two terms of one sort.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PairJson {
    /// Two dimension terms.
    Dims([DimJson; 2]),
    /// Two row terms.
    Rows([RowJson; 2]),
}

fn dim_json(term: DimTerm, names: &Names) -> DimJson {
    match term {
        DimTerm::Var(_) => DimJson::Var { var: names.show(&term).to_string() },
        DimTerm::Dim(Dim::Unit) => DimJson::Unit(UnitJson::Unit),
        DimTerm::Dim(Dim::Atom(atom)) => {
            let n = NonZeroU64::MIN.saturating_add(atom.size() - 1);
            match atom.basis() {
                Basis::DEFAULT => DimJson::Size(n),
                basis => {
                    let unnamed = || format!("b{}", basis.number());
                    DimJson::Based { n, basis: names.basis_name(basis).map_or_else(unnamed, str::to_owned) }
                }
            }
        }
    }
}

fn row_json(term: &RowTerm, names: &Names) -> RowJson {
    let flank = |terms: &[DimTerm]| terms.iter().map(|t| dim_json(*t, names)).collect();
    let var = term.var.map(|RowVar(id)| names.show(&DimVar(id)).to_string());
    RowJson { lead: flank(&term.lead), var, trail: flank(&term.trail) }
}

fn constraint_json(phi: &Constraint, names: &Names) -> ConstraintJson {
    let dims = |s, t| PairJson::Dims([dim_json(s, names), dim_json(t, names)]);
    let rows = |s, t| PairJson::Rows([row_json(s, names), row_json(t, names)]);
    match phi {
        Constraint::DimEq(s, t) => ConstraintJson::Eq(dims(*s, *t)),
        Constraint::DimLe(s, t) => ConstraintJson::Le(dims(*s, *t)),
        Constraint::RowEq(s, t) => ConstraintJson::Eq(rows(s, t)),
        Constraint::RowLe(s, t) => ConstraintJson::Le(rows(s, t)),
    }
}

/// The types above have only string keys and finite numbers, so nothing can fail here.
fn to_value(json: impl Serialize) -> Value {
    serde_json::to_value(json).unwrap_or(Value::Null)
}

/// A dimension term as JSON.
#[must_use]
pub fn dim_term(term: DimTerm, names: &Names) -> Value {
    to_value(dim_json(term, names))
}

/// A row term as JSON.
#[must_use]
pub fn row_term(term: &RowTerm, names: &Names) -> Value {
    to_value(row_json(term, names))
}

/// A ground row as JSON, with its marker.
#[must_use]
pub fn row(row: &Row, names: &Names) -> Value {
    row_term(&row.into(), names)
}

/// A term of either sort as JSON.
#[must_use]
pub fn term(term: &Term, names: &Names) -> Value {
    match term {
        Term::Dim(t) => dim_term(*t, names),
        Term::Row(t) => row_term(t, names),
    }
}

/// A constraint as JSON.
#[must_use]
pub fn constraint(phi: &Constraint, names: &Names) -> Value {
    to_value(constraint_json(phi, names))
}

/// The JSON Schema of a constraint, and in its `$defs` of rows and dimensions.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> Value {
    to_value(schemars::schema_for!(ConstraintJson))
}

/// What a message does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WireErrorKind {
    /// It is not what the format says.
    Parse,
    /// Its sorts do not fit.
    Sort,
    /// It is larger than it may be.
    Limit,
}

/// A message that is not in the format: where (a JSON pointer), and what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WireError {
    /// What kind of mistake.
    pub kind: WireErrorKind,
    /// What is wrong and what would be right.
    pub message: String,
    /// The place, as a JSON pointer.
    pub at: String,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.at.is_empty() { "the top" } else { &self.at };
        write!(f, "at {at}: {}", self.message)
    }
}

impl std::error::Error for WireError {}

impl WireError {
    /// A message that does not follow the format.
    #[must_use]
    pub fn parse(message: impl Into<String>) -> Self {
        WireError { kind: WireErrorKind::Parse, message: message.into(), at: String::new() }
    }

    /// A message whose sorts do not fit.
    #[must_use]
    pub fn sort(message: impl Into<String>) -> Self {
        WireError { kind: WireErrorKind::Sort, message: message.into(), at: String::new() }
    }

    /// The same error, seen from one level up.
    #[must_use]
    pub fn under(mut self, key: impl fmt::Display) -> Self {
        self.at = format!("/{key}{}", self.at);
        self
    }
}

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
            "found {}, expected the name of a {what}: a letter, then letters, digits and _",
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
