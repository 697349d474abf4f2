//! Claims: what the staged layer adds to the constraints of §3.4 (spec/8-staged.md, Claims).
//!
//! A row holds plain dimension terms, as in the core. An axis whose size is worked out stands in its row as a
//! variable d, and the claim d = Affine or d = Concat stands beside the constraints.

use lozenge_calculus::names::Names;
use lozenge_calculus::print::{Notation, Style};
use lozenge_calculus::subst::Map;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, Var, Vars};
use std::collections::BTreeSet;
use std::fmt;

/// A stride, dilation or coefficient.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Factor {
    /// A number.
    Known(u64),
    /// The size of a dimension, looked up in stage 2.
    Late(DimTerm),
}

/// The kernel of a convolution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Conv {
    /// The dilation, at least 1.
    pub dilation: Factor,
    /// The size of the kernel.
    pub kernel: DimTerm,
    /// Is the tensor padded, so that the kernel takes nothing from its size?
    pub padded: bool,
}

/// Affine{stride, over, conv, offset}.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Affine {
    /// The stride, at least 1.
    pub stride: Factor,
    /// The size that is strided over: the output's.
    pub over: DimTerm,
    /// The kernel, for a convolution.
    pub conv: Option<Conv>,
    /// Less than the stride. It chooses elements and never enters a size.
    pub offset: u64,
}

/// The mode of an affine axis: which of the three size equations it has. One function decides it, for the
/// generator, the rules and the check alike (Conj. 8.4(a)).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mode {
    /// d = stride · over.
    Strided,
    /// d = stride · over, whatever the kernel.
    Padded,
    /// d = stride · (over − 1) + 1 + (kernel − 1) · dilation.
    Valid,
}

impl Affine {
    /// The mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match self.conv {
            None => Mode::Strided,
            Some(Conv { padded: true, .. }) => Mode::Padded,
            Some(Conv { padded: false, .. }) => Mode::Valid,
        }
    }

    /// Stride 1 where the kernel takes nothing: the axis is `over` itself, basis included.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.stride == Factor::Known(1) && self.mode() != Mode::Valid
    }
}

/// A size that is worked out.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizeTerm {
    /// Strided or convolved.
    Affine(Affine),
    /// One after the other: the sum. A component that is discardable may be 0.
    Concat(Vec<DimTerm>),
}

/// What a total is equal to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Numerator {
    /// A number.
    Count(u64),
    /// coeff · var / denom.
    Scaled {
        /// The coefficient.
        coeff: Factor,
        /// The variable.
        var: DimVar,
        /// What it is divided by, at least 1.
        denom: u64,
    },
}

/// `Total_elems`: the rows together have numerator / Π divided_by elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Total {
    /// The rows.
    pub rows: Vec<RowTerm>,
    /// The numerator.
    pub numerator: Numerator,
    /// The divisors.
    pub divided_by: BTreeSet<DimVar>,
    /// The row that takes what the others do not: the output row, where there is one.
    pub keep: Option<usize>,
}

impl Total {
    /// The variable that is the number of elements, where it says no more.
    #[must_use]
    pub fn counts(&self) -> Option<DimVar> {
        match self.numerator {
            Numerator::Scaled { coeff: Factor::Known(1), var, denom: 1 } if self.divided_by.is_empty() => Some(var),
            _ => None,
        }
    }
}

/// `Exact`: the rows, one after the other, have these axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Exact {
    /// The rows.
    pub rows: Vec<RowTerm>,
    /// The axes.
    pub dims: Vec<DimTerm>,
    /// As in [`Total`].
    pub keep: Option<usize>,
}

/// A claim of the staged layer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizeClaim {
    /// d = Affine{…}, d = Concat(…).
    Size(DimTerm, SizeTerm),
    /// A product of sizes.
    Total(Total),
    /// Rows with known axes.
    Exact(Exact),
    /// `At_least`: the axis has at least so many elements.
    AtLeast(DimTerm, u64),
}

impl Vars for Factor {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        if let Factor::Late(t) = self {
            t.collect_vars(out);
        }
    }
}

impl Vars for SizeTerm {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        match self {
            SizeTerm::Concat(parts) => parts.collect_vars(out),
            SizeTerm::Affine(Affine { stride, over, conv, .. }) => {
                stride.collect_vars(out);
                over.collect_vars(out);
                if let Some(Conv { dilation, kernel, .. }) = conv {
                    dilation.collect_vars(out);
                    kernel.collect_vars(out);
                }
            }
        }
    }
}

impl Vars for SizeClaim {
    fn collect_vars(&self, out: &mut BTreeSet<Var>) {
        match self {
            SizeClaim::Size(d, term) => {
                d.collect_vars(out);
                term.collect_vars(out);
            }
            SizeClaim::Total(Total { rows, numerator, divided_by, .. }) => {
                rows.collect_vars(out);
                if let Numerator::Scaled { coeff, var, .. } = numerator {
                    coeff.collect_vars(out);
                    out.insert(Var::Dim(*var));
                }
                out.extend(divided_by.iter().map(|v| Var::Dim(*v)));
            }
            SizeClaim::Exact(Exact { rows, dims, .. }) => {
                rows.collect_vars(out);
                dims.collect_vars(out);
            }
            SizeClaim::AtLeast(d, _) => d.collect_vars(out),
        }
    }
}

impl SizeClaim {
    /// The axes and numbers that it speaks of, as they are written.
    pub(super) fn dims(&self) -> Vec<DimTerm> {
        let of = |rows: &[RowTerm]| rows.iter().flat_map(|row| row.lead.iter().chain(&row.trail)).copied().collect();
        match self {
            SizeClaim::Size(d, SizeTerm::Affine(affine)) => vec![*d, affine.over],
            SizeClaim::Size(d, SizeTerm::Concat(parts)) => [&[*d], parts.as_slice()].concat(),
            SizeClaim::Total(total) => of(&total.rows),
            SizeClaim::Exact(exact) => [of(&exact.rows), exact.dims.clone()].concat(),
            SizeClaim::AtLeast(d, _) => vec![*d],
        }
    }
}

impl Notation for Factor {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            Factor::Known(n) => write!(f, "{n}"),
            Factor::Late(t) => t.write(f, style),
        }
    }
}

impl Notation for Affine {
    /// The size equation's right-hand side, with its numbers.
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        let Affine { stride, over, conv, .. } = self;
        stride.write(f, style)?;
        f.write_str("·")?;
        let Some(Conv { dilation, kernel, padded: false }) = conv else { return over.write(f, style) };
        f.write_str("(")?;
        over.write(f, style)?;
        f.write_str(" − 1) + 1 + ")?;
        dilation.write(f, style)?;
        f.write_str("·(")?;
        kernel.write(f, style)?;
        f.write_str(" − 1)")
    }
}

fn separated<T: Notation>(f: &mut fmt::Formatter<'_>, style: Style<'_>, items: &[T], by: &str) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(by)?;
        }
        item.write(f, style)?;
    }
    Ok(())
}

fn listed(f: &mut fmt::Formatter<'_>, style: Style<'_>, rows: &[RowTerm]) -> fmt::Result {
    if rows.is_empty() { f.write_str("no rows") } else { separated(f, style, rows, ", ") }
}

impl Notation for SizeClaim {
    fn write(&self, f: &mut fmt::Formatter<'_>, style: Style<'_>) -> fmt::Result {
        match self {
            SizeClaim::Size(d, term) => {
                d.write(f, style)?;
                f.write_str(" = ")?;
                match term {
                    SizeTerm::Affine(affine) => affine.write(f, style),
                    SizeTerm::Concat(parts) => separated(f, style, parts, " + "),
                }
            }
            SizeClaim::Total(Total { rows, numerator, divided_by, .. }) => {
                f.write_str("elements of ")?;
                listed(f, style, rows)?;
                f.write_str(" = ")?;
                match numerator {
                    Numerator::Count(n) => write!(f, "{n}")?,
                    Numerator::Scaled { coeff, var, denom } => {
                        coeff.write(f, style)?;
                        f.write_str("·")?;
                        var.write(f, style)?;
                        if *denom != 1 {
                            write!(f, "/{denom}")?;
                        }
                    }
                }
                for var in divided_by {
                    f.write_str("/")?;
                    var.write(f, style)?;
                }
                Ok(())
            }
            SizeClaim::Exact(Exact { rows, dims, .. }) => {
                f.write_str("axes of ")?;
                listed(f, style, rows)?;
                f.write_str(" = [")?;
                separated(f, style, dims, ", ")?;
                f.write_str("]")
            }
            SizeClaim::AtLeast(d, n) => {
                d.write(f, style)?;
                write!(f, " ≥ {n}")
            }
        }
    }
}

impl Factor {
    fn apply(self, map: &Map) -> Factor {
        match self {
            Factor::Late(t) => Factor::Late(map.apply_dim(t)),
            known => known,
        }
    }
}

impl SizeTerm {
    fn apply(&self, map: &Map) -> SizeTerm {
        match self {
            SizeTerm::Concat(parts) => SizeTerm::Concat(parts.iter().map(|t| map.apply_dim(*t)).collect()),
            SizeTerm::Affine(Affine { stride, over, conv, offset }) => {
                let conv = conv.map(|Conv { dilation, kernel, padded }| Conv {
                    dilation: dilation.apply(map),
                    kernel: map.apply_dim(kernel),
                    padded,
                });
                let (stride, over) = (stride.apply(map), map.apply_dim(*over));
                SizeTerm::Affine(Affine { stride, over, conv, offset: *offset })
            }
        }
    }
}

impl SizeClaim {
    /// The claim under a map. Numerators and divisors are variables, and only another variable takes their place.
    #[must_use]
    pub fn apply(&self, map: &Map) -> SizeClaim {
        let rows = |rows: &[RowTerm]| rows.iter().map(|row| map.apply_row(row)).collect();
        let var = |v: DimVar| if let DimTerm::Var(w) = map.dim(v) { w } else { v };
        match self {
            SizeClaim::Size(d, term) => SizeClaim::Size(map.apply_dim(*d), term.apply(map)),
            SizeClaim::AtLeast(d, n) => SizeClaim::AtLeast(map.apply_dim(*d), *n),
            SizeClaim::Exact(exact) => SizeClaim::Exact(Exact {
                rows: rows(&exact.rows),
                dims: exact.dims.iter().map(|t| map.apply_dim(*t)).collect(),
                keep: exact.keep,
            }),
            SizeClaim::Total(total) => SizeClaim::Total(Total {
                rows: rows(&total.rows),
                numerator: match total.numerator {
                    Numerator::Scaled { coeff, var: v, denom } => {
                        Numerator::Scaled { coeff: coeff.apply(map), var: var(v), denom }
                    }
                    count => count,
                },
                divided_by: total.divided_by.iter().map(|v| var(*v)).collect(),
                keep: total.keep,
            }),
        }
    }

    /// The claim in words of numbers and names.
    #[must_use]
    pub fn show(&self, names: &Names) -> String {
        names.show(self).to_string()
    }
}
