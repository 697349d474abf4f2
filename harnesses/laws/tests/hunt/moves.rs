//! The outcome with a marker moved.

use super::outcome::policy;
use lozenge::closing::{Closing, close};
use lozenge::dim::Dim;
use lozenge::program::shape::Kind;
use lozenge::program::{Generated, Program, generate};
use lozenge::solver::{Policy, Standing, Strategy, Verdict, solve};
use lozenge::subst::Map;
use lozenge::term::{DimTerm, RowTerm, RowVar, Term, Var};
use lozenge_harnesses::programs::Numbers;

/// What moving the marker of a placed row does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moved {
    Nothing,
    /// A tensor has other axes after closing.
    Axes,
    /// Closing ends otherwise.
    Closing,
    /// The policy rejects.
    Rejected,
    /// There is no solution.
    Unsat,
}

/// The rows whose marker was placed by choice and whose axes are known to be so many.
fn placed(generated: &Generated, policy: Policy) -> Vec<(RowVar, usize, usize)> {
    let mut names = generated.names.clone();
    let Verdict::Solved(solved) = solve(&generated.constraints, &mut names, policy) else { return Vec::new() };
    let chosen = solved.forced().into_iter().filter(|(_, standing)| *standing != Standing::Entailed);
    let rows = chosen.filter_map(|(var, _)| match (var, solved.value(var)) {
        (Var::Row(var), Term::Row(value)) if value.is_closed() => Some((var, value.lead.len(), value.known_rank())),
        _ => None,
    });
    rows.filter(|(.., rank)| (1..=4).contains(rank)).collect()
}

/// The axes of every variable of the input after closing; none if closing fails.
pub fn closed(
    generated: &Generated,
    map: &Map,
    policy: Policy,
    extra: Option<(RowVar, &[DimTerm])>,
) -> Option<Vec<Vec<Dim>>> {
    let phi: Vec<_> = generated.constraints.iter().map(|c| map.apply_constraint(c)).collect();
    let mut tags = generated.tags.clone();
    if let Some((var, axes)) = extra {
        let fresh = axes.iter().filter_map(|t| if let DimTerm::Var(v) = t { Some(Var::Dim(*v)) } else { None });
        for tagged in [&mut tags.leaves, &mut tags.params] {
            if tagged.remove(&Var::Row(var)) {
                tagged.extend(fresh.clone());
            }
        }
    }
    let mut names = generated.names.clone();
    // The names must know the axes that the map made.
    extra.into_iter().flat_map(|(_, axes)| axes).for_each(|_| {
        names.fresh_dim();
    });
    let Closing::Closed(closed) = close(&phi, &mut names, &tags, policy) else { return None };
    let rows = generated.tensors.iter().flat_map(|t| Kind::ALL.map(|kind| t.shape.get(kind)));
    Some(rows.map(|row| closed.values.row(&map.apply_row(row)).flat().collect()).collect())
}

fn move_marker(generated: &Generated, (var, _, rank): (RowVar, usize, usize), lead: usize, policy: Policy) -> Moved {
    let mut names = generated.names.clone();
    let axes: Vec<DimTerm> = (0..rank).map(|_| names.fresh_dim().into()).collect();
    let map = Map::identity().with_row(var, RowTerm::new(axes[..lead].to_vec(), None, axes[lead..].to_vec()));
    let phi: Vec<_> = generated.constraints.iter().map(|c| map.apply_constraint(c)).collect();
    match solve(&phi, &mut names, policy) {
        Verdict::Unsat(_) => Moved::Unsat,
        Verdict::Rejected(_) | Verdict::Limit(_) => Moved::Rejected,
        Verdict::Solved(_) => {
            let before = closed(generated, &Map::identity(), policy, None);
            let after = closed(generated, &map, policy, Some((var, &axes)));
            match (before, after) {
                (Some(before), Some(after)) if before == after => Moved::Nothing,
                (None, None) => Moved::Nothing,
                (Some(_), Some(_)) => Moved::Axes,
                _ => Moved::Closing,
            }
        }
    }
}

/// One placed row, moved to one other place.
pub fn by_move(generated: &Generated, numbers: &mut Numbers) -> Option<Moved> {
    let policy = policy(Strategy::Fifo);
    let placed = placed(generated, policy);
    if placed.is_empty() {
        return None;
    }
    let it = placed[numbers.below(placed.len())];
    let (_, lead, rank) = it;
    let to = (lead + 1 + numbers.below(rank)) % (rank + 1);
    Some(move_marker(generated, it, to, policy))
}

/// Every placed row, moved to every other place: the largest effect.
pub fn by_every_move(program: &Program) -> Moved {
    let policy = policy(Strategy::Fifo);
    let Ok(generated) = generate(program) else { return Moved::Nothing };
    let all = placed(&generated, policy).into_iter();
    let places = all.flat_map(|it| (0..=it.2).filter(move |lead| *lead != it.1).map(move |lead| (it, lead)));
    places.map(|(it, lead)| move_marker(&generated, it, lead, policy)).max().unwrap_or(Moved::Nothing)
}
