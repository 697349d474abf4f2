//! Size claims: short ways to write them, and on the wire.

use lozenge::names::Names;
use lozenge::staged::{Affine, Conv, Exact, Factor, Numerator, SizeClaim, SizeTerm, Total};
use lozenge::term::{DimTerm, DimVar, RowTerm};
use lozenge::wire;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A variable by its name.
#[must_use]
pub fn name(names: &Names, v: DimVar) -> Value {
    json!(names.show(&v).to_string())
}

fn factor_json(factor: Factor, names: &Names) -> Value {
    match factor {
        Factor::Known(n) => json!(n),
        Factor::Late(t) => wire::dim_term(t, names),
    }
}

fn rows_json(rows: &[RowTerm], names: &Names) -> Value {
    rows.iter().map(|row| wire::row_term(row, names)).collect()
}

/// A claim as the protocol writes it.
#[must_use]
pub fn claim_json(claim: &SizeClaim, names: &Names) -> Value {
    let dim = |t: DimTerm| wire::dim_term(t, names);
    match claim {
        SizeClaim::Size(d, SizeTerm::Concat(parts)) => {
            json!({"size": dim(*d), "concat": parts.iter().map(|t| dim(*t)).collect::<Vec<_>>()})
        }
        SizeClaim::Size(d, SizeTerm::Affine(Affine { stride, over, conv, offset })) => {
            let mut affine =
                json!({"mode": "strided", "stride": factor_json(*stride, names), "over": dim(*over), "offset": offset});
            if let Some(Conv { dilation, kernel, padded }) = conv {
                affine["mode"] = json!(if *padded { "padded" } else { "valid" });
                affine["kernel"] = dim(*kernel);
                affine["dilation"] = factor_json(*dilation, names);
            }
            json!({"size": dim(*d), "affine": affine})
        }
        SizeClaim::Total(Total { rows, numerator, divided_by, .. }) => {
            let divided_by: Vec<Value> = divided_by.iter().map(|v| name(names, *v)).collect();
            let mut total = json!({"rows": rows_json(rows, names), "divided_by": divided_by});
            match numerator {
                Numerator::Count(n) => total["count"] = json!(n),
                Numerator::Scaled { coeff, var, denom } => {
                    let coeff = factor_json(*coeff, names);
                    total["scaled"] = json!({"coeff": coeff, "var": name(names, *var), "denom": denom});
                }
            }
            json!({ "total": total })
        }
        SizeClaim::Exact(Exact { rows, dims, .. }) => {
            let axes: Vec<Value> = dims.iter().map(|t| dim(*t)).collect();
            json!({"exact": {"rows": rows_json(rows, names), "axes": axes}})
        }
        SizeClaim::AtLeast(d, n) => json!({"at_least": dim(*d), "count": n}),
    }
}

/// d = stride·over.
#[must_use]
pub fn strided(d: DimTerm, stride: Factor, over: DimTerm) -> SizeClaim {
    SizeClaim::Size(d, SizeTerm::Affine(Affine { stride, over, conv: None, offset: 0 }))
}

/// d as a convolution over this extent.
#[must_use]
pub fn convolved(
    d: DimTerm,
    stride: Factor,
    over: DimTerm,
    dilation: Factor,
    kernel: DimTerm,
    padded: bool,
) -> SizeClaim {
    let conv = Some(Conv { dilation, kernel, padded });
    SizeClaim::Size(d, SizeTerm::Affine(Affine { stride, over, conv, offset: 0 }))
}

/// The elements of one row, which may be open.
#[must_use]
pub fn total(axes: Vec<DimTerm>, open: Option<&RowTerm>, numerator: Numerator) -> SizeClaim {
    let row = RowTerm::new(axes, open.and_then(|row| row.var), Vec::new());
    SizeClaim::Total(Total { rows: vec![row], numerator, divided_by: BTreeSet::new(), keep: None })
}
