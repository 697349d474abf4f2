//! Other choices that fit, as shapes that can be declared. They are tried: a solution of what failed says nothing of the
//! rest of the program, nor of what inference does with a declaration.

use super::behind::Witness;
use crate::generate::{Generated, Role, TensorId};
use crate::infer::fits_with;
use crate::shape::{ByKind, Kind, ShapeTerm, show_marked, show_partial};
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Names;
use lozenge_calculus::row::Row;
use lozenge_calculus::semantics::Ground;
use lozenge_calculus::term::{DimTerm, Flank, RowTerm, Var, Vars};
use lozenge_engine::solver::Policy;
use lozenge_staged::Valuation;

/// The shapes of a solution that a program could have written: of leaves that leave something open, or, where none does, of
/// all. It is said whether they fit when they are declared. What the solution says nothing of is as it was known, and a
/// tensor of which it says nothing is no part of it.
pub(super) fn witness(generated: &Generated, values: &Valuation, partial: &[ShapeTerm], policy: Policy) -> Witness {
    let found = |v: &Var| match v {
        Var::Dim(v) => values.ground.dims.contains_key(v),
        Var::Row(v) => values.ground.rows.contains_key(v),
    };
    let of_solution = |id: usize, kind: Kind| generated.tensors[id].shape.get(kind).vars().iter().any(found);
    let open = |id: &usize| Kind::ALL.iter().any(|kind| of_solution(*id, *kind));
    let leaf = |id: &usize| {
        let role = generated.tensors[*id].role;
        role.is_leaf() && role != Role::Literal && open(id)
    };
    let shape = |id: usize| {
        let written = &generated.tensors[id].shape;
        let known = partial.get(id).unwrap_or(written);
        ByKind::of(|kind| completed(&values.ground, written.get(kind), known.get(kind)))
    };
    let of = |keep: &dyn Fn(&usize) -> bool| -> Vec<(String, TensorId)> {
        generated.bindings.iter().filter(|(_, id)| keep(id)).map(|(name, id)| (name.to_string(), *id)).collect()
    };
    let leaves = of(&leaf);
    let all = if leaves.is_empty() { of(&open) } else { leaves.clone() };
    let shown = all.into_iter().map(|(name, id)| (name, show_marked(&shape(id), &generated.names))).collect();
    let solution = Witness::Shapes { shapes: shown, declared: false };
    if leaves.is_empty() {
        return solution;
    }
    // Without a marker where that fits; else with `...` where it has to be.
    let tried = [unmarked, marked].into_iter().find_map(|written| {
        let mut names = generated.names.clone();
        let mut term = |id: TensorId| {
            let shape = shape(id);
            ByKind::of(|kind| written(shape.get(kind), &mut names))
        };
        let terms: Vec<(&String, TensorId, ShapeTerm)> =
            leaves.iter().map(|(name, id)| (name, *id, term(*id))).collect();
        let declared = terms.iter().flat_map(|(_, id, term)| {
            Kind::ALL
                .map(|kind| Constraint::RowEq(generated.tensors[*id].shape.get(kind).clone(), term.get(kind).clone()))
        });
        let declared: Vec<Constraint> = declared.collect();
        let shapes = terms.iter().map(|(name, _, term)| ((*name).clone(), show_partial(term, &names))).collect();
        fits_with(generated, &declared, &mut names, policy).then_some(Witness::Shapes { shapes, declared: true })
    });
    tried.unwrap_or(solution)
}

/// The axes alone.
fn unmarked(row: &Row, _: &mut Names) -> RowTerm {
    RowTerm::new(Vec::new(), None, row.flat().map(DimTerm::Dim).collect::<Vec<_>>())
}

/// With `...` at the marker, where that is not at the left edge.
fn marked(row: &Row, names: &mut Names) -> RowTerm {
    let RowTerm { lead, trail, .. } = RowTerm::from(row);
    let var = (!lead.is_empty()).then(|| names.fresh_row());
    RowTerm::new(lead, var, trail)
}

/// A row of a solution: each of its variables by the solution, or else by what was known in its place. What is open there
/// as well takes its top (Prop. 5.4).
fn completed(solution: &Ground, written: &RowTerm, known: &RowTerm) -> Row {
    // What was known has the value of the row variable between the flanks.
    let inner = known.trail.len().checked_sub(written.trail.len());
    let (Some((lead, more)), Some(inner)) = (known.lead.split_at_checked(written.lead.len()), inner) else {
        return solution.row(written);
    };
    let (rest, trail) = known.trail.split_at(inner);
    let dim = |(own, known): (&DimTerm, &DimTerm)| match own {
        DimTerm::Var(v) if !solution.dims.contains_key(v) => *known,
        own => *own,
    };
    let flank = |own: &Flank, known: &[DimTerm]| own.iter().zip(known).map(dim).collect::<Flank>();
    let (lead, trail) = (flank(&written.lead, lead), flank(&written.trail, trail));
    match written.var {
        Some(v) if solution.rows.contains_key(&v) => solution.row(&RowTerm::new(lead, Some(v), trail)),
        _ => {
            let lead: Flank = lead.into_iter().chain(more.iter().copied()).collect();
            let trail: Flank = rest.iter().copied().chain(trail).collect();
            solution.row(&RowTerm::new(lead, known.var, trail))
        }
    }
}
