//! Values to try: near known solutions, and anywhere.

use super::read::Asked;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::row::Row;
use lozenge::semantics::{Ground, atoms};
use lozenge::term::Var;
use lozenge_harnesses::programs::Numbers;

/// How many values are tried around each known solution, and how many anywhere.
const AROUND: usize = 48;
const ANYWHERE: usize = 64;
/// The longest flank tried anywhere.
const FLANK: usize = 2;

/// Random values over the atoms of the constraints and one more; the same for the same request.
pub struct Sample<'a> {
    asked: &'a Asked,
    dims: Vec<Dim>,
    numbers: Numbers,
}

impl<'a> Sample<'a> {
    pub fn new(asked: &'a Asked) -> Self {
        let mut dims = vec![Dim::Unit];
        for atom in asked.phi.iter().flat_map(atoms) {
            if !dims.contains(&Dim::Atom(atom)) {
                dims.push(Dim::Atom(atom));
            }
        }
        // No atom of the constraints: its size is none of theirs.
        let other = (7..).map(|n| Dim::Atom(Atom::nth(Basis::DEFAULT, n))).find(|d| !dims.contains(d));
        dims.extend(other);
        Sample { asked, dims, numbers: Numbers::of(asked.phi.len() as u64, asked.vars.len() as u64) }
    }

    /// Values anywhere, then values near these.
    pub fn values(&mut self, known: &[Ground]) -> Vec<Ground> {
        let mut all: Vec<Ground> = known.to_vec();
        for _ in 0..ANYWHERE {
            let mut gamma = Ground::default();
            for var in &self.asked.vars {
                match var {
                    Var::Dim(v) => drop(gamma.dims.insert(*v, self.dim())),
                    Var::Row(v) => drop(gamma.rows.insert(*v, self.row())),
                }
            }
            all.push(gamma);
        }
        for base in known {
            for _ in 0..AROUND {
                let mut near = base.clone();
                for _ in 0..1 + self.numbers.below(2) {
                    self.change(&mut near);
                }
                all.push(near);
            }
        }
        all
    }

    fn dim(&mut self) -> Dim {
        self.dims[self.numbers.below(self.dims.len())]
    }

    fn flank(&mut self) -> Vec<Dim> {
        (0..self.numbers.below(FLANK + 1)).map(|_| self.dim()).collect()
    }

    fn row(&mut self) -> Row {
        Row::new(self.flank(), self.flank())
    }

    /// One variable gets another value: an entry, one more axis at the marker, another marker, or anything.
    fn change(&mut self, gamma: &mut Ground) {
        let vars: Vec<Var> = self.asked.vars.iter().copied().collect();
        let Some(var) = vars.get(self.numbers.below(vars.len())) else { return };
        match var {
            Var::Dim(v) => drop(gamma.dims.insert(*v, self.dim())),
            Var::Row(v) => {
                let row = gamma.rows.get(v).cloned().unwrap_or(Row::EMPTY);
                let changed = self.changed(row);
                gamma.rows.insert(*v, changed);
            }
        }
    }

    fn changed(&mut self, mut row: Row) -> Row {
        match self.numbers.below(5) {
            0 => row.lead.push(self.dim()),
            1 => row.trail.insert(0, self.dim()),
            2 if row.rank() > 0 => {
                let (at, to) = (self.numbers.below(row.rank()), self.dim());
                if let Some(axis) = row.lead.iter_mut().chain(&mut row.trail).nth(at) {
                    *axis = to;
                }
            }
            3 if row.rank() > 0 => {
                let flat: Vec<Dim> = row.flat().collect();
                row = Row::split_at(&flat, self.numbers.below(flat.len() + 1));
            }
            _ => row = self.row(),
        }
        row
    }
}
