//! ST-total and ST-exact: products of sizes, and rows whose axes are given.

use super::linear::{Derived, SizeWhy};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{DimTerm, DimVar, RowTerm, RowVar};
use std::collections::{BTreeMap, BTreeSet};

/// left · Π xᵢ^eᵢ = right, where the exponents may be negative, with further axes unknown on the left where
/// rows are open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// The known factors of the left side.
    pub left: u128,
    /// The known factors of the right side.
    pub right: u128,
    /// The unknowns with their exponents; 0 is left out.
    pub unknown: BTreeMap<DimVar, i32>,
    /// The open rows.
    pub open: BTreeSet<RowVar>,
}

impl Default for Product {
    fn default() -> Self {
        Product { left: 1, right: 1, unknown: BTreeMap::new(), open: BTreeSet::new() }
    }
}

impl Product {
    /// One more known factor on the left or the right.
    pub fn known(&mut self, on_left: bool, n: u64) -> Result<(), SizeWhy> {
        let side = if on_left { &mut self.left } else { &mut self.right };
        *side = side.checked_mul(u128::from(n)).ok_or(SizeWhy::TooLarge)?;
        Ok(())
    }

    /// One more unknown factor.
    pub fn unknown(&mut self, on_left: bool, v: DimVar) {
        let exponent = self.unknown.entry(v).or_insert(0);
        *exponent += if on_left { 1 } else { -1 };
        if *exponent == 0 {
            self.unknown.remove(&v);
        }
    }

    /// What the unknowns on the left multiply to, if none is on the right: the quotient of what is known.
    ///
    /// # Errors
    /// [`SizeWhy`] when it is no whole number.
    pub fn quotient(&self) -> Result<Option<u128>, SizeWhy> {
        if self.unknown.values().any(|e| *e < 0) {
            return Ok(None);
        }
        divide(self.right, self.left).map(Some)
    }

    /// ST-total.
    #[must_use]
    pub fn derive(&self) -> Derived {
        self.try_derive().unwrap_or_else(Derived::Fail)
    }

    fn try_derive(&self) -> Result<Derived, SizeWhy> {
        let mut unknown = self.unknown.iter();
        match (unknown.next(), unknown.next()) {
            (None, _) if self.open.is_empty() && self.left == self.right => Ok(Derived::Done),
            (None, _) if self.open.is_empty() => {
                let side = |n: u128| i128::try_from(n).map_err(|_| SizeWhy::TooLarge);
                Err(SizeWhy::Differ(side(self.left)?, side(self.right)?))
            }
            (Some((v, exponent)), None) if self.open.is_empty() => {
                let (numerator, denominator) =
                    if *exponent > 0 { (self.right, self.left) } else { (self.left, self.right) };
                let power = exponent.unsigned_abs();
                let base = root(divide(numerator, denominator)?, power)?;
                Ok(Derived::Size(*v, u64::try_from(base).map_err(|_| SizeWhy::TooLarge)?))
            }
            // A quotient that is no whole number is wrong whatever else comes.
            _ => self.quotient().map(|_| Derived::Wait),
        }
    }
}

fn divide(a: u128, b: u128) -> Result<u128, SizeWhy> {
    if b != 0 && a.is_multiple_of(b) && a >= b {
        return Ok(a / b);
    }
    let side = |n: u128| i128::try_from(n).map_err(|_| SizeWhy::TooLarge);
    Err(SizeWhy::NotDivisible(side(a)?, side(b)?))
}

/// The whole number whose power this is.
fn root(n: u128, power: u32) -> Result<u128, SizeWhy> {
    let root = least_root(n, power);
    if root.checked_pow(power) == Some(n) { Ok(root) } else { Err(SizeWhy::NoRoot(n, power)) }
}

/// The least x with x^power ≥ n.
pub(super) fn least_root(n: u128, power: u32) -> u128 {
    if power <= 1 {
        return n;
    }
    let (mut low, mut high) = (0_u128, 1_u128 << 64);
    while low < high {
        let middle = low + (high - low) / 2;
        if middle.checked_pow(power).is_some_and(|p| p < n) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The greatest x with x^power ≤ n.
pub(super) fn most_root(n: u128, power: u32) -> u128 {
    let root = least_root(n, power);
    if root.checked_pow(power).is_none_or(|p| p > n) { root.saturating_sub(1) } else { root }
}

/// ST-exact: what follows for the rows from the axes they have together. With one open row, or none, all
/// follows; with several only when there are no axes left for them.
///
/// # Errors
/// [`SizeWhy`] when there are fewer axes than are written, or more and no row is open.
pub fn exact(rows: &[RowTerm], dims: &[DimTerm]) -> Result<Option<Vec<Constraint>>, SizeWhy> {
    let written: usize = rows.iter().map(RowTerm::known_rank).sum();
    let open = rows.iter().filter(|row| row.var.is_some()).count();
    let Some(free) = dims.len().checked_sub(written) else { return Err(SizeWhy::Axes(written, dims.len())) };
    if free > 0 && open == 0 {
        return Err(SizeWhy::Axes(written, dims.len()));
    }
    if free > 0 && open > 1 {
        return Ok(None);
    }
    let mut rest = dims;
    let mut out = Vec::new();
    for row in rows {
        let own = row.known_rank() + if row.var.is_some() { free } else { 0 };
        let (mine, others) = rest.split_at(own.min(rest.len()));
        rest = others;
        // The marker stays where the row has it: after its leading flank.
        let split = row.lead.len().min(mine.len());
        out.push(Constraint::RowEq(row.clone(), RowTerm::new(mine[..split].to_vec(), None, mine[split..].to_vec())));
    }
    Ok(Some(out))
}
