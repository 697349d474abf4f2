//! Arguments: ground rows of either sort, and dimensions. Two of them share their names.

use crate::output::{Failure, Json, Output};
use crate::picture::short_flank;
use crate::system::Source;
use lozenge::dim::DimBot;
use lozenge::names::Names;
use lozenge::notation;
use lozenge::rigid::TwoSorted;
use lozenge::{dim::Dim, wire};
use serde_json::{Value, json};

/// Two arguments of one sort.
pub enum Pair {
    /// Two dimensions or ⊥.
    Dims(DimBot, DimBot),
    /// Two rows, each marked or rigid.
    Rows(TwoSorted, TwoSorted),
}

enum Ground {
    Dim(DimBot),
    Row(TwoSorted),
}

/// An argument: what the help calls it, and what was given.
pub type Named<'a> = (&'static str, &'a str);

/// Reads two arguments of one sort.
pub fn read_pair(first: Named<'_>, second: Named<'_>, names: &mut Names) -> Result<Pair, Failure> {
    let mixed =
        |dim, row| Failure::input("sort", format!("{dim} is a dimension and {row} is a row: give two of one sort"));
    match (read(first, names)?, read(second, names)?) {
        (Ground::Dim(a), Ground::Dim(b)) => Ok(Pair::Dims(a, b)),
        (Ground::Row(a), Ground::Row(b)) => Ok(Pair::Rows(a, b)),
        (Ground::Dim(_), Ground::Row(_)) => Err(mixed(first.0, second.0)),
        (Ground::Row(_), Ground::Dim(_)) => Err(mixed(second.0, first.0)),
    }
}

/// A row begins with a flank or its marker; anything else is read as a dimension.
fn read((argument, text): Named<'_>, names: &mut Names) -> Result<Ground, Failure> {
    let is_row = text.trim_start().starts_with(['[', '<', '⟨', '⋄']);
    let read = if is_row {
        notation::parse_two_sorted(text, names).map(Ground::Row)
    } else {
        notation::parse_dim_bot(text, names).map(Ground::Dim)
    };
    read.map_err(|error| Source::new(argument, text).failure(error))
}

/// A row for a heading: flanks with many axes are cut in the middle.
pub fn short(row: &TwoSorted, names: &Names, out: &Output) -> String {
    let flank = |dims: &[Dim]| short_flank(dims, names, out);
    match row {
        TwoSorted::Marked(r) => format!("{}{}{}", flank(&r.lead), out.text("·⋄·"), flank(&r.trail)),
        TwoSorted::Rigid(f) => format!("{}{}", flank(&f.0), out.text("•")),
    }
}

/// The wire format of a dimension, and `"bot"` for ⊥.
pub fn dim_json(d: DimBot, names: &Names) -> Json {
    Json(match d {
        DimBot::Bot => Value::from("bot"),
        DimBot::Dim(d) => wire::dim_term(d.into(), names),
    })
}

/// The wire format of a marked row, and `{"rigid":[…]}` for a rigid one.
pub fn row_json(row: &TwoSorted, names: &Names) -> Json {
    Json(match row {
        TwoSorted::Marked(r) => wire::row(r, names),
        TwoSorted::Rigid(f) => json!({ "rigid": dims_json(&f.0, names) }),
    })
}

/// A flat sequence in the wire format of its dimensions.
pub fn dims_json(dims: &[Dim], names: &Names) -> Value {
    dims.iter().map(|d| wire::dim_term((*d).into(), names)).collect()
}
