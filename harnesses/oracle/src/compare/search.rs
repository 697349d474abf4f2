//! Values to try: known solutions, all that differ from one in one place, and values anywhere.

use super::read::Asked;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::row::Row;
use lozenge::semantics::{Ground, atoms};
use lozenge::term::Var;
use lozenge_harnesses::programs::Numbers;

/// How many values further from each known solution are tried, and how many anywhere.
const AROUND: usize = 48;
const ANYWHERE: usize = 64;
/// How many more are tried where a fault was seen in one reading of the order only.
const DEEP: usize = 4_096;
/// The longest flank tried anywhere.
const FLANK: usize = 2;

/// Values over the atoms of the constraints and one more; the same for the same request.
pub struct Search<'a> {
    asked: &'a Asked,
    dims: Vec<Dim>,
    numbers: Numbers,
}

impl<'a> Search<'a> {
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
        Search { asked, dims, numbers: Numbers::of(asked.phi.len() as u64, asked.vars.len() as u64) }
    }

    /// Values near these, then values anywhere.
    pub fn values(&mut self, known: &[Ground]) -> Vec<Ground> {
        let mut all: Vec<Ground> = known.to_vec();
        all.extend(known.iter().flat_map(|gamma| self.neighbours(gamma)));
        all.extend((0..ANYWHERE).map(|_| self.anywhere()));
        for base in known {
            all.extend((0..AROUND).map(|_| self.around(base)));
        }
        all
    }

    /// Many more, half of them near these.
    pub fn more(&mut self, known: &[Ground]) -> impl Iterator<Item = Ground> {
        (0..DEEP).map(move |i| match known.get(i / 2 % known.len().max(1)).filter(|_| i % 2 == 0) {
            Some(base) => self.around(base),
            None => self.anywhere(),
        })
    }

    fn anywhere(&mut self) -> Ground {
        let mut gamma = Ground::default();
        for var in &self.asked.vars {
            match var {
                Var::Dim(v) => drop(gamma.dims.insert(*v, self.dim())),
                Var::Row(v) => drop(gamma.rows.insert(*v, self.row())),
            }
        }
        gamma
    }

    /// A few changes away.
    fn around(&mut self, base: &Ground) -> Ground {
        let mut near = base.clone();
        for _ in 0..1 + self.numbers.below(3) {
            self.change(&mut near);
        }
        near
    }

    /// Everything that differs in one entry, in one axis at a marker, or in the place of one marker.
    fn neighbours(&self, base: &Ground) -> Vec<Ground> {
        let mut all = Vec::new();
        for v in base.dims.keys() {
            for d in &self.dims {
                let mut near = base.clone();
                near.dims.insert(*v, *d);
                all.push(near);
            }
        }
        for (v, row) in &base.rows {
            for changed in self.rows_beside(row) {
                let mut near = base.clone();
                near.rows.insert(*v, changed);
                all.push(near);
            }
        }
        all
    }

    fn rows_beside(&self, row: &Row) -> Vec<Row> {
        let flat: Vec<Dim> = row.flat().collect();
        let mut all: Vec<Row> = (0..=flat.len()).map(|at| Row::split_at(&flat, at)).collect();
        for d in &self.dims {
            let (mut lead, mut trail) = (row.clone(), row.clone());
            lead.lead.push(*d);
            trail.trail.insert(0, *d);
            all.extend([lead, trail]);
            for at in 0..flat.len() {
                let mut other = flat.clone();
                other[at] = *d;
                all.push(Row::split_at(&other, row.lead.len()));
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
