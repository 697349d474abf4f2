//! A question made as small as it can be while the engine still gets it wrong in the same way.

use super::make::Made;
use super::{Finding, Heard, Observed, observe};
use crate::engine::Engine;
use lozenge::dim::Dim;
use lozenge::row::Row;
use lozenge::semantics::Ground;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::programs;
use quickcheck::Arbitrary;
use std::time::{Duration, Instant};

/// How long shrinking one finding may take: hangs cost their time limit at every question.
const PATIENCE: Duration = Duration::from_secs(30);
const MOST_QUESTIONS: usize = 4_000;

/// Questions that are smaller in one place, smallest first.
fn smaller(made: &Made) -> Vec<Made> {
    match made {
        Made::Program { op, program } => {
            let make = |program| Made::Program { op: op.clone(), program };
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

/// Asks again, and then as long as something smaller is wrong in the same way. None where it is not wrong a second
/// time: an engine that answers differently each time.
pub fn shrink(engine: &mut Engine, number: u64, made: Made) -> Option<Finding> {
    let (began, before) = (Instant::now(), made.size());
    let mut questions = 1;
    let request = made.request(number);
    let (heard, expected) = observe(engine, &request);
    let Heard::Wrong(observed) = heard else { return None };
    let mut best = Finding { number, observed, made, request, expected, before, questions };
    'smaller: loop {
        for made in smaller(&best.made) {
            if questions >= MOST_QUESTIONS || began.elapsed() > PATIENCE {
                break 'smaller;
            }
            questions += 1;
            let request = made.request(number);
            let (heard, expected) = observe(engine, &request);
            if let Heard::Wrong(observed) = heard
                && same_way(&best.observed, &observed)
            {
                best = Finding { number, observed, made, request, expected, before, questions };
                continue 'smaller;
            }
        }
        break;
    }
    best.questions = questions;
    Some(best)
}

fn same_way(a: &Observed, b: &Observed) -> bool {
    a.class == b.class
}
