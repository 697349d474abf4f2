//! Comparing the bounds of size claims: what settling knows of the sizes of unknowns in the end is what the definitions
//! of Bounds.v compute, and both refuse the same systems.
//!
//! Both read bounds off until nothing is new, and each stops after so many rounds: a system whose bounds still move on
//! one side is left out. Core never knows more than the model; it knows less only where an unknown has one number of
//! elements and is no dimension yet, since core puts dimensions in, and the model numbers.

use crate::bridge::Bridge;
use crate::claims::{claim_json, name};
use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::Names;
use lozenge::solver::{Policy, Stop};
use lozenge::staged::{SizeBounds, SizeClaim, Stage, StagedRun, StagedSystem, Stopped, may_be_zero};
use lozenge::subst::Map;
use lozenge::term::{Binding, DimTerm, DimVar, RowTerm, Var};
use lozenge::wire;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// How many rounds the model has. Core has 128, each of two turns for most claims.
const ROUNDS: u64 = 1000;

/// What has so many elements is on its way; the model stops here.
const LARGE: u128 = 1 << 60;

/// A plain size.
///
/// # Panics
/// Of 0.
#[must_use]
pub fn size(n: u64) -> DimTerm {
    DimTerm::Dim(Dim::Atom(Atom::new(n, Basis::DEFAULT).expect("no 0")))
}

fn elements(t: DimTerm) -> Option<u64> {
    if let DimTerm::Dim(d) = t { Some(d.elements()) } else { None }
}

/// Variables x0, x1, …, a row, and what is said of them.
#[derive(Clone, Debug)]
pub struct System {
    /// Their names.
    pub names: Names,
    /// The variables.
    pub vars: Vec<DimVar>,
    /// The row, of which nothing is known.
    pub row: RowTerm,
    /// The claims.
    pub claims: Vec<SizeClaim>,
    /// Variables that equal an earlier one, or a size: in the core, which the model of bounds does not have.
    pub equal: BTreeMap<DimVar, DimTerm>,
    /// Those that do by a claim with stride 1.
    pub by_claim: BTreeSet<DimVar>,
    /// Atoms below variables that equal nothing.
    pub below: BTreeMap<DimVar, u64>,
    /// What the specification projects away: parts of concatenations may be 0.
    pub discardable: BTreeSet<DimVar>,
}

type Range = (u128, Option<u128>);

/// How core ends.
enum Ended {
    /// With those that have one number, and are no dimension yet: one element may be 1∅ or 1, and two or more may have any
    /// basis.
    Settled(SizeBounds, BTreeSet<DimVar>),
    Refused,
    Moving,
}

impl System {
    /// So many variables, and nothing said of them.
    ///
    /// # Panics
    /// Never: these names are free.
    #[must_use]
    pub fn new(variables: usize) -> Self {
        let mut names = Names::new();
        let row = names.row_var("r").expect("a name").into();
        let mut system = System {
            names,
            vars: Vec::new(),
            row,
            claims: Vec::new(),
            equal: BTreeMap::new(),
            by_claim: BTreeSet::new(),
            below: BTreeMap::new(),
            discardable: BTreeSet::new(),
        };
        for _ in 0..variables {
            system.add();
        }
        system
    }

    /// One more variable.
    ///
    /// # Panics
    /// Never: these names are free.
    pub fn add(&mut self) -> DimVar {
        let v = self.names.dim_var(&format!("x{}", self.vars.len())).expect("a name");
        self.vars.push(v);
        v
    }

    fn phi(&self) -> Vec<Constraint> {
        let equal = self.equal.iter().filter(|(v, _)| !self.by_claim.contains(v));
        let equal = equal.map(|(v, t)| Constraint::DimEq((*v).into(), *t));
        let below = self.below.iter().map(|(v, n)| Constraint::DimLe(size(*n), (*v).into()));
        equal.chain(below).collect()
    }

    /// What core knows once it has settled, late factors included.
    fn core(&self) -> Ended {
        let (phi, mut names) = (self.phi(), self.names.clone());
        let system = StagedSystem {
            phi: &phi,
            claims: &self.claims,
            discardable: self.discardable.clone(),
            ..StagedSystem::default()
        };
        let mut run = StagedRun::new(&system, &mut names, Policy::default());
        let end = run.add(&phi, self.claims.iter().cloned().enumerate()).and_then(|()| run.stages(Stage::Two));
        match end.and_then(|()| run.bounds()) {
            // Core reads nothing off numbers that do not fit: bounds that rise for ever come to rest there.
            Ok(Some(bounds)) if bounds.values().any(|(least, _)| *least >= LARGE) => Ended::Moving,
            Ok(Some(bounds)) => {
                let bindings = &mut run.configuration().bindings;
                let mut open = |v: DimVar| matches!(bindings.value(Var::Dim(v)), Binding::Dim(_, DimTerm::Var(_)));
                let one = bounds.iter().filter(|(_, (least, most))| *least > 0 && Some(*least) == *most);
                let counted = one.map(|(v, _)| *v).filter(|v| open(*v)).collect();
                Ended::Settled(bounds, counted)
            }
            Ok(None) => Ended::Moving,
            Err(Stopped::Size(failure)) => {
                assert!(!failure.tainted, "nothing was committed: {}", self.shown());
                Ended::Refused
            }
            // Sizes that claims give a variable go into the core, which has equations and atoms below.
            Err(Stopped::Core(Stop::Failed(failure))) if !failure.tainted => Ended::Refused,
            Err(other) => panic!("{other:?} of {}", self.shown()),
        }
    }

    /// What a variable is equal to in the end.
    fn value(&self, v: DimVar) -> DimTerm {
        match self.equal.get(&v) {
            Some(DimTerm::Var(u)) => self.value(*u),
            Some(dim) => *dim,
            None => v.into(),
        }
    }

    /// The claims with that put in.
    fn instances(&self) -> Vec<SizeClaim> {
        let map = self.vars.iter().fold(Map::identity(), |map, v| map.with_dim(*v, self.value(*v)));
        self.claims.iter().map(|claim| claim.apply(&map)).collect()
    }

    /// What is asked of the model.
    fn arguments(&self) -> Vec<Value> {
        let names = |vars: &mut dyn Iterator<Item = DimVar>| vars.map(|v| name(&self.names, v)).collect::<Value>();
        let zeros = may_be_zero(&self.phi(), &self.claims, &self.discardable);
        // A variable that is a size can still stand where a claim has no place for a size: it has as many at least and most.
        let sizes: BTreeMap<DimVar, u64> =
            self.vars.iter().filter_map(|v| Some((*v, elements(self.value(*v))?))).collect();
        let below = self.below.iter().chain(&sizes).map(|(v, n)| Constraint::DimLe(size(*n), (*v).into()));
        let least = sizes.iter().map(|(v, n)| SizeClaim::AtLeast((*v).into(), *n));
        let claims = self.instances().into_iter().chain(least);
        vec![
            names(&mut self.vars.iter().copied()),
            below.map(|phi| wire::constraint(&phi, &self.names)).collect(),
            claims.map(|claim| claim_json(&claim, &self.names)).collect(),
            names(&mut zeros.into_iter()),
            json!(ROUNDS),
        ]
    }

    /// What the model says, for every variable that core speaks of: those that equal another are not in its claims.
    fn read(&self, said: &Value, of: impl Fn(DimVar) -> bool) -> SizeBounds {
        let at = |v: DimVar| self.vars.iter().position(|u| *u == v).map(|i| &said[i]).expect("a variable");
        let range = |v: DimVar| {
            let range = at(if let DimTerm::Var(u) = self.value(v) { u } else { v });
            (range[0].as_u64().expect("a size").into(), range[1].as_u64().map(u128::from))
        };
        self.vars.iter().filter(|v| of(**v)).map(|v| (*v, range(*v))).collect()
    }

    fn shown(&self) -> String {
        let phi = self.phi();
        let phi = phi.iter().map(|phi| self.names.show(phi).to_string());
        let claims = self.claims.iter().map(|claim| claim.show(&self.names));
        let zeros = may_be_zero(&self.phi(), &self.claims, &self.discardable);
        let zeros: Vec<String> = zeros.iter().map(|v| self.names.show(v).to_string()).collect();
        format!("{}; may be 0: {}", phi.chain(claims).collect::<Vec<_>>().join(", "), zeros.join(", "))
    }
}

/// Is each range of the first part of that of the second?
fn is_within(inner: &SizeBounds, outer: &SizeBounds) -> bool {
    outer.iter().all(|(v, (least, most))| {
        let (low, high) = inner[v];
        low >= *least && most.is_none_or(|most| high.is_some_and(|high| high <= most))
    })
}

/// How many were compared, and what became of them.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Both settle, with the same ranges.
    pub settled: u64,
    /// Of these, in so many an unknown is bounded from both sides and not yet one number.
    pub between: u64,
    /// Both refuse.
    pub refused: u64,
    /// The bounds of both still moved: left out.
    pub moving: u64,
    /// Those of one did, and the other had come to an end: left out.
    pub late: u64,
    /// Core knows less, as a number of elements is no dimension yet: left out.
    pub less: u64,
}

impl System {
    /// What core says, and what the model does.
    fn agree(&self, core: &Ended, said: &Value, counts: &mut Counts) {
        let differs = || panic!("{} differs: model {said}, core {}", self.shown(), core.shown(&self.names));
        match (core, said.as_str()) {
            (Ended::Moving, Some("moving")) => counts.moving += 1,
            (Ended::Moving, _) | (_, Some("moving")) => counts.late += 1,
            (Ended::Refused, Some("refused")) => counts.refused += 1,
            (Ended::Settled(_, counted), Some("refused")) if !counted.is_empty() => counts.less += 1,
            (Ended::Settled(ranges, counted), None) => {
                let model = self.read(said, |v| ranges.contains_key(&v));
                match model == *ranges {
                    true => {
                        counts.settled += 1;
                        let between = |(least, most): &Range| most.is_some_and(|most| most > *least);
                        counts.between += u64::from(ranges.values().any(between));
                    }
                    false if !counted.is_empty() && is_within(&model, ranges) => counts.less += 1,
                    false => differs(),
                }
            }
            _ => differs(),
        }
    }
}

impl Ended {
    fn shown(&self, names: &Names) -> String {
        match self {
            Ended::Settled(ranges, _) => {
                let range = |(v, (least, most)): (&DimVar, &Range)| format!("{}: {least}, {most:?}", names.show(v));
                ranges.iter().map(range).collect::<Vec<_>>().join("; ")
            }
            Ended::Refused => "refused".to_owned(),
            Ended::Moving => "moving".to_owned(),
        }
    }
}

/// Both on all of these; what has settled or is refused counts as a case.
///
/// # Panics
/// Where core and the model differ.
pub fn compare(harness: &'static str, systems: impl Iterator<Item = System>) -> Counts {
    let (mut bridge, mut counts, mut systems) = (Bridge::of(harness), Counts::default(), systems.peekable());
    while systems.peek().is_some() {
        let some: Vec<System> = systems.by_ref().take(1000).collect();
        let arguments: Vec<_> = some.iter().map(System::arguments).collect();
        for (system, said) in some.iter().zip(bridge.said("bounds_cancelled", &arguments)) {
            system.agree(&system.core(), &said, &mut counts);
        }
    }
    bridge.agreed(counts.settled + counts.refused);
    println!("{harness}: {counts:?}");
    bridge.finish();
    counts
}
