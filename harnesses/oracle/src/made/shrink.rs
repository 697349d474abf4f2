//! Questions that are smaller in one place.

use super::Made;
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::row::Row;
use lozenge::semantics::Ground;
use lozenge::subst::Map;
use lozenge::term::{DimTerm, RowTerm, Var, Vars};
use lozenge_harnesses::generators::System;
use lozenge_harnesses::programs;
use quickcheck::Arbitrary;

/// Questions that are smaller in one place, smallest first.
pub fn smaller(made: &Made) -> Vec<Made> {
    match made {
        Made::Other(_) => Vec::new(),
        Made::Program { op, program, grad } => {
            let make = |program| Made::Program { op: op.clone(), program, grad: grad.clone() };
            programs::smaller(program).into_iter().map(make).collect()
        }
        Made::System { op, names, phi, values, leaves } => {
            let system = System { names: names.clone(), constraints: phi.clone() };
            let with = |phi: Vec<_>| Made::System {
                op: op.clone(),
                names: names.clone(),
                phi,
                values: values.clone(),
                leaves: leaves.clone(),
            };
            let fewer = system.shrink().filter(|s| !s.constraints.is_empty()).map(|s| with(s.constraints));
            let mut all: Vec<Made> = fewer.collect();
            let valued = |gamma: Ground| Made::System {
                op: op.clone(),
                names: names.clone(),
                phi: phi.clone(),
                values: Some(gamma),
                leaves: leaves.clone(),
            };
            all.extend(values.iter().flat_map(|gamma| written_in(phi, gamma)).map(with));
            all.extend(values.iter().flat_map(smaller_values).map(valued));
            for i in 0..leaves.len() {
                let mut fewer = leaves.clone();
                fewer.remove(i);
                all.push(Made::System {
                    op: op.clone(),
                    names: names.clone(),
                    phi: phi.clone(),
                    values: values.clone(),
                    leaves: fewer,
                });
            }
            all
        }
    }
}

/// The constraints with the value of one variable written in.
fn written_in(phi: &[Constraint], gamma: &Ground) -> Vec<Vec<Constraint>> {
    let written = phi.vars().into_iter().filter_map(|var| {
        let map = match var {
            Var::Dim(v) => Map::identity().with_dim(v, *gamma.dims.get(&v)?),
            Var::Row(v) => {
                let axes = |flank: &[Dim]| flank.iter().map(|d| DimTerm::Dim(*d)).collect::<Vec<_>>();
                let Row { lead, trail } = gamma.rows.get(&v)?;
                Map::identity().with_row(v, RowTerm::new(axes(lead), None, axes(trail)))
            }
        };
        Some(phi.iter().map(|phi| map.apply_constraint(phi)).collect())
    });
    written.collect()
}

fn smaller_values(gamma: &Ground) -> Vec<Ground> {
    let mut all = Vec::new();
    for (v, d) in &gamma.dims {
        if *d != Dim::Unit {
            let mut simpler = gamma.clone();
            simpler.dims.insert(*v, Dim::Unit);
            all.push(simpler);
        }
    }
    for (v, row) in &gamma.rows {
        for shorter in shorter(row) {
            let mut simpler = gamma.clone();
            simpler.rows.insert(*v, shorter);
            all.push(simpler);
        }
    }
    all
}

fn shorter(row: &Row) -> Vec<Row> {
    let without = |flank: &[Dim], i: usize| [&flank[..i], &flank[i + 1..]].concat();
    let leads = (0..row.lead.len()).map(|i| Row::new(without(&row.lead, i), row.trail.clone()));
    let trails = (0..row.trail.len()).map(|i| Row::new(row.lead.clone(), without(&row.trail, i)));
    leads.chain(trails).collect()
}
