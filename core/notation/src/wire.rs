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

mod read;

use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::{Basis, Dim};
use lozenge_calculus::names::Names;
use lozenge_calculus::row::Row;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar, Term};
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::num::NonZeroU64;

pub use read::{read_constraint, read_dim_term, read_row_term, read_term};
pub(crate) use read::{read_constraint_with_fresh, read_row_term_with_fresh};

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
        #[cfg_attr(feature = "schema", schemars(pattern(r"^\p{Alphabetic}[\p{Alphabetic}\p{N}_'′]*$")))]
        basis: String,
    },
    /// A dimension variable.
    Var {
        /// Its name; names that begin with `?` are variables the solver made.
        #[cfg_attr(feature = "schema", schemars(pattern(r"^(\p{Alphabetic}[\p{Alphabetic}\p{N}_'′]*|\?[0-9]+)$")))]
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
    #[cfg_attr(feature = "schema", schemars(pattern(r"^(\p{Alphabetic}[\p{Alphabetic}\p{N}_'′]*|\?[0-9]+)$")))]
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
                basis => DimJson::Based { n, basis: names.basis_text(basis).into_owned() },
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
