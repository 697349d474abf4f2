//! Shapes from usage: the rows that leaves get from results that are still open.
//!
//! In `relu (w * x + b)` the row that must fit under b's is ⟨ρ⟩·[128]: one axis is known, and nothing fits
//! under ρ. Def. 6.1 binds b to the join of the ground parts of its caps, so to [128]. `closing::close`
//! takes a cap for known only when its variable has caps of its own (spec/program.md, Inference), so these
//! commitments are made here, before it: first what has known caps, then what has open ones, and last, with
//! 1∅ in the holes, what has positions that nothing fills.

use super::generate::Generated;
use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::row::Row;
use crate::solver::configuration::{Configuration, Stop};
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var, Vars};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A row that a leaf gets from its uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Committed {
    pub var: RowVar,
    pub value: Row,
    /// Were there positions that nothing fills?
    pub holes: bool,
}

/// Why a commitment could not be made.
pub(super) enum Failed {
    Stop(Stop, Vec<Committed>),
    /// A parameter's row with a position that nothing fills.
    Hole(RowVar),
}

/// Commits rows of leaves until nothing is left that uses say anything about. `configuration` is in
/// solved form, before and after.
pub(super) fn commit(generated: &Generated, configuration: &mut Configuration<'_>) -> Result<Vec<Committed>, Failed> {
    let mut made: Vec<Committed> = Vec::new();
    let input = generated.constraints.vars();
    loop {
        let next = step(generated, configuration, &input)?;
        if next.is_empty() {
            return Ok(made);
        }
        for it in &next {
            let value = RowTerm::from(&it.value);
            configuration.extend(Constraint::RowEq(it.var.into(), value), true);
        }
        made.extend(next);
        if let Err(stop) = configuration.run() {
            return Err(Failed::Stop(stop, made));
        }
    }
}

/// The next rows to commit, all that are equally sure.
fn step(
    generated: &Generated,
    configuration: &mut Configuration<'_>,
    input: &BTreeSet<Var>,
) -> Result<Vec<Committed>, Failed> {
    let leaves = open_rows(&generated.tags.leaves, configuration, input);
    if leaves.is_empty() {
        return Ok(Vec::new());
    }
    let (dims, caps) = (lower_dims(configuration), row_caps(configuration));
    let (known, open) = (joins(&dims, &caps, false), joins(&dims, &caps, true));
    let of = |joins: &BTreeMap<RowVar, Joined>, holes: bool| -> Vec<Committed> {
        let found = leaves.iter().filter_map(|var| Some((*var, joins.get(var)?)));
        let found = found.filter(|(_, joined)| joined.has_holes() == holes && !joined.is_empty());
        found.map(|(var, joined)| Committed { var, value: joined.filled(), holes }).collect()
    };
    let sure = [of(&known, false), of(&open, false)].into_iter().find(|found| !found.is_empty());
    if let Some(sure) = sure {
        return Ok(sure);
    }
    let holey = of(&open, true);
    let params = open_rows(&generated.tags.params, configuration, input);
    match holey.iter().find(|it| params.contains(&it.var)) {
        Some(it) => Err(Failed::Hole(it.var)),
        None => Ok(holey),
    }
}

/// The program's own row variables that are left open in these variables' values.
fn open_rows(vars: &BTreeSet<Var>, configuration: &mut Configuration<'_>, input: &BTreeSet<Var>) -> Vec<RowVar> {
    let rows = vars.iter().filter_map(|v| if let Var::Row(r) = v { Some(*r) } else { None });
    let mut open = BTreeSet::new();
    for row in rows {
        if let Term::Row(RowTerm { var: Some(var), .. }) = configuration.bindings.value(Var::Row(row))
            && input.contains(&Var::Row(var))
        {
            open.insert(var);
        }
    }
    open.into_iter().collect()
}

/// The atoms below dimension variables, forwarded along the inequalities between them.
fn lower_dims(configuration: &Configuration<'_>) -> BTreeMap<DimVar, Dim> {
    let bounds = &configuration.bounds;
    let mut dims: BTreeMap<DimVar, Dim> = bounds.lowers().map(|(a, l)| (a, Dim::Atom(l.atom))).collect();
    let above: Vec<(DimVar, DimVar)> = bounds.adjacencies().map(|(a, b, _)| (a, b)).collect();
    loop {
        let mut changed = false;
        for (a, b) in &above {
            let Some(lower) = dims.get(a).copied() else { continue };
            let joined = dims.get(b).map_or(lower, |d| d.join(lower));
            changed |= dims.insert(*b, joined) != Some(joined);
        }
        if !changed {
            return dims;
        }
    }
}

/// The caps R ⊑ ⟨ρ⟩ under σ.
fn row_caps(configuration: &mut Configuration<'_>) -> Vec<(RowVar, RowTerm)> {
    let caps: Vec<Constraint> = configuration.bounds.caps().map(|(cap, _)| cap.clone()).collect();
    let instances = caps.into_iter().map(|cap| configuration.bindings.instantiate(cap).phi);
    let pairs = instances.filter_map(|phi| match phi {
        Constraint::RowLe(res, op) => Some((op.var?, res)),
        _ => None,
    });
    pairs.filter(|(var, res)| *res != RowTerm::from(*var)).collect()
}

/// What is known of the join of caps; `None` at a position is a hole. The trailing flank is kept from the
/// back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Joined {
    lead: Vec<Option<Dim>>,
    trail: Vec<Option<Dim>>,
}

impl Joined {
    fn is_empty(&self) -> bool {
        self.lead.is_empty() && self.trail.is_empty()
    }

    fn has_holes(&self) -> bool {
        self.lead.iter().chain(&self.trail).any(Option::is_none)
    }

    fn filled(&self) -> Row {
        let fill = |d: &Option<Dim>| d.unwrap_or(Dim::Unit);
        Row::new(self.lead.iter().map(fill).collect(), self.trail.iter().rev().map(fill).collect())
    }

    /// Prop. 2.7, with holes that any known entry fills.
    fn join(&self, other: &Joined) -> Joined {
        let entry = |(x, y): (&Option<Dim>, &Option<Dim>)| match (x, y) {
            (Some(x), Some(y)) => Some(x.join(*y)),
            (known, None) | (None, known) => *known,
        };
        Joined {
            lead: self.lead.iter().zip(&other.lead).map(entry).collect(),
            trail: self.trail.iter().zip(&other.trail).map(entry).collect(),
        }
    }
}

/// The least J with J_σ = ∨ { l·J_ρ·r : l·⟨ρ⟩·r a cap on σ }. A variable that has no caps counts as no
/// axes if `open`, and else makes the whole cap unknown.
fn joins(dims: &BTreeMap<DimVar, Dim>, caps: &[(RowVar, RowTerm)], open: bool) -> BTreeMap<RowVar, Joined> {
    let capped: BTreeSet<RowVar> = caps.iter().map(|(var, _)| *var).collect();
    let mut inside: BTreeMap<RowVar, Vec<usize>> = BTreeMap::new();
    for (i, (_, cap)) in caps.iter().enumerate() {
        if let Some(v) = cap.var {
            inside.entry(v).or_default().push(i);
        }
    }
    let mut joins: BTreeMap<RowVar, Joined> = BTreeMap::new();
    // A cap is looked at again when what is known of its variable changes.
    let mut waiting: VecDeque<usize> = (0..caps.len()).collect();
    while let Some((var, cap)) = waiting.pop_front().and_then(|i| caps.get(i)) {
        let inner = match cap.var {
            None => Joined::default(),
            Some(v) if open && !capped.contains(&v) => Joined::default(),
            Some(v) => match joins.get(&v) {
                Some(inner) => inner.clone(),
                None => continue,
            },
        };
        let value = around(dims, cap, inner);
        let joined = joins.get(var).map_or(value.clone(), |j| j.join(&value));
        if joins.get(var) != Some(&joined) {
            joins.insert(*var, joined);
            waiting.extend(inside.get(var).into_iter().flatten());
        }
    }
    joins
}

/// l·inner·r.
fn around(dims: &BTreeMap<DimVar, Dim>, cap: &RowTerm, inner: Joined) -> Joined {
    let axis = |t: &DimTerm| match t {
        DimTerm::Dim(d) => Some(*d),
        DimTerm::Var(v) => dims.get(v).copied(),
    };
    let lead = cap.lead.iter().map(axis).chain(inner.lead).collect();
    let trail = cap.trail.iter().rev().map(axis).chain(inner.trail).collect();
    Joined { lead, trail }
}
