//! The outcome of a program, and how it differs under other strategies and orders.

use lozenge::closing::{Closing, close};
use lozenge::dim::Dim;
use lozenge::program::shape::Kind;
use lozenge::program::{Generated, InferError, Program, generate, infer_with};
use lozenge::solver::{Limits, Policy, Strategy};
use lozenge_harnesses::programs::{Numbers, reorder};
use std::collections::BTreeMap;

/// A row: how many axes stand before the marker, and all axes.
pub type Axes = (usize, Vec<Dim>);

/// How inference ends. Shapes are of the tensors that have a name at the top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Shapes(BTreeMap<String, [Axes; 3]>),
    Unsat,
    Rejected,
    /// A commitment of closing does not fit.
    Closing,
    Hole,
    Limit,
    IllFormed,
}

/// How two outcomes differ, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Difference {
    None,
    /// The same axes, another marker.
    Markers,
    /// Both fail, not in the same way.
    Failures,
    /// Both have shapes, with other axes.
    Axes,
    /// Only one has shapes.
    Success,
}

pub fn policy(strategy: Strategy) -> Policy {
    Policy { strategy, limits: Limits { fuel: 1_000, ..Limits::default() }, ..Policy::default() }
}

/// Solves all constraints and closes: the last step of inference, under any strategy.
pub fn outcome(generated: &Generated, strategy: Strategy) -> Outcome {
    let mut names = generated.names.clone();
    match close(&generated.constraints, &mut names, &generated.tags, policy(strategy)) {
        Closing::Closed(closed) => {
            let axes = |row: lozenge::row::Row| (row.lead.len(), row.flat().collect());
            let shape =
                |id: usize| Kind::ALL.map(|kind| axes(closed.values.row(generated.tensors[id].shape.get(kind))));
            let named = generated.bindings.iter().filter(|(name, _)| !name.contains('#'));
            Outcome::Shapes(named.map(|(name, id)| (name.to_string(), shape(*id))).collect())
        }
        Closing::Hole(_) => Outcome::Hole,
        Closing::Unsat(_) => Outcome::Unsat,
        Closing::Rejected(_, assumptions) if assumptions.is_empty() => Outcome::Rejected,
        Closing::Rejected(..) => Outcome::Closing,
        Closing::Limit(_) => Outcome::Limit,
    }
}

pub fn outcome_of(program: &Program) -> Outcome {
    generate(program).map_or(Outcome::IllFormed, |generated| outcome(&generated, Strategy::Fifo))
}

fn difference(one: &Outcome, other: &Outcome) -> Difference {
    match (one, other) {
        (one, other) if one == other => Difference::None,
        (Outcome::Shapes(one), Outcome::Shapes(other)) => {
            let flat = |shapes: &BTreeMap<String, [Axes; 3]>| -> Vec<Vec<Dim>> {
                shapes.values().flatten().map(|(_, axes)| axes.clone()).collect()
            };
            if flat(one) == flat(other) { Difference::Markers } else { Difference::Axes }
        }
        (Outcome::Shapes(_), _) | (_, Outcome::Shapes(_)) => Difference::Success,
        _ => Difference::Failures,
    }
}

/// Inference solves operation by operation before it closes: does it end otherwise than solving all at once?
pub fn by_operation(program: &Program, base: &Outcome) -> Difference {
    let ended = match infer_with(program, policy(Strategy::Fifo)) {
        // The shapes are those of closing; indices and parameters that nothing uses are looked at after it.
        Ok(_) if matches!(base, Outcome::Shapes(_)) => return Difference::None,
        Err(InferError::Index(_) | InferError::Hole(_)) if matches!(base, Outcome::Shapes(_) | Outcome::Hole) => {
            return Difference::None;
        }
        Ok(_) => return Difference::Success,
        Err(InferError::Program(_)) => Outcome::IllFormed,
        Err(InferError::Clash(clash)) if clash.certain => Outcome::Unsat,
        Err(InferError::Clash(clash)) if clash.closing => Outcome::Closing,
        Err(InferError::Clash(_)) => Outcome::Rejected,
        // The generator writes no axes whose size is worked out.
        Err(InferError::Hole(_) | InferError::Index(_) | InferError::Size(_)) => Outcome::Hole,
        Err(InferError::Limit(_)) => Outcome::Limit,
    };
    difference(base, &ended)
}

/// Under the other strategies: the largest difference.
pub fn by_strategy(generated: &Generated, base: &Outcome, seed: u64) -> Difference {
    let all = [Strategy::Lifo, Strategy::Rounds, Strategy::Random(seed)];
    // A refutation stands whatever the strategy is; one other run must not contradict it.
    let runs = if *base == Outcome::Unsat { 1 } else { all.len() };
    all.into_iter().take(runs).map(|s| difference(base, &outcome(generated, s))).max().unwrap_or(Difference::None)
}

/// Under other orders of the statements: the largest difference.
pub fn by_order(program: &Program, base: &Outcome, seed: u64, orders: u64) -> Difference {
    let other = |i| outcome_of(&reorder(program, &mut Numbers::of(seed, i)));
    (0..orders).map(|i| difference(base, &other(i))).max().unwrap_or(Difference::None)
}
