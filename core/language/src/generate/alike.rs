//! Applications that are alike: one was copied from the other, and what the constraints of one are, those of the other are,
//! with its own variables and those of its operands in their places. So they are not looked through again.

use super::Generated;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Sort;
use lozenge_calculus::term::Var;
use lozenge_engine::VarSet;
use lozenge_engine::solver::configuration::Likeness;
use std::collections::HashMap;
use std::ops::Range;

/// The constraints of an application that are like those of others.
#[derive(Clone, Debug)]
pub(crate) struct Alike {
    pub(super) constraints: Range<usize>,
    /// Where the constraints of the one that was walked begin.
    pub(super) kind: usize,
    /// The variables of its operands in order of appearance, and the first that it made.
    pub(super) variables: Vec<u32>,
    /// How many it made.
    pub(super) made: u32,
}

impl Alike {
    /// The variables of its operands, and its own.
    pub(super) fn operands_and_own(&self) -> (&[u32], Range<u32>) {
        let (own, operands) = self.variables.split_last().map_or((0, &[][..]), |(own, operands)| (*own, operands));
        (operands, own..own + self.made)
    }
}

/// What an application that was walked mentions.
struct Mentioned {
    /// Of the variables of its operands.
    operands: Vec<Option<Sort>>,
    /// Of its own.
    own: Vec<Option<Sort>>,
}

impl Mentioned {
    /// Adds the variables of an application, and says which they are. Nothing before it mentions its own.
    fn adding(vars: &mut VarSet, phi: &[Constraint], alike: &Alike) -> Self {
        let (operands, own) = alike.operands_and_own();
        let known: Vec<Var> = operands.iter().filter_map(|id| Some(Var::new(vars.sort(*id)?, *id))).collect();
        known.iter().for_each(|var| {
            vars.remove(*var);
        });
        vars.extend_by(phi);
        let operands = operands.iter().map(|id| vars.sort(*id)).collect();
        vars.extend(known);
        Mentioned { operands, own: own.map(|id| vars.sort(id)).collect() }
    }

    /// Adds the variables of another one.
    fn add_to(&self, vars: &mut VarSet, alike: &Alike) {
        let (operands, own) = alike.operands_and_own();
        let all = operands.iter().copied().zip(&self.operands).chain(own.zip(&self.own));
        vars.extend(all.filter_map(|(id, sort)| sort.map(|sort| Var::new(sort, id))));
    }
}

impl Generated {
    /// What is known of these constraints, if they are those of an application.
    pub(crate) fn likeness(&self, constraints: &Range<usize>) -> Option<Likeness<'_>> {
        let at = self.alike.binary_search_by_key(&constraints.start, |alike| alike.constraints.start).ok()?;
        let Alike { constraints: all, kind, variables, .. } = self.alike.get(at)?;
        (all == constraints).then_some(Likeness { kind: *kind, variables })
    }

    /// vars(Φ).
    #[must_use]
    pub fn vars(&self) -> VarSet {
        let (phi, mut seen) = (&self.constraints, 0);
        let (mut vars, mut walked) = (VarSet::of(&[], self.names.len()), HashMap::new());
        for alike in &self.alike {
            vars.extend_by(&phi[seen..alike.constraints.start]);
            match walked.get(&alike.kind) {
                None => {
                    let mentioned = Mentioned::adding(&mut vars, &phi[alike.constraints.clone()], alike);
                    walked.insert(alike.kind, mentioned);
                }
                Some(mentioned) => mentioned.add_to(&mut vars, alike),
            }
            seen = alike.constraints.end;
        }
        vars.extend_by(&phi[seen..]);
        debug_assert!(vars.iter().eq(VarSet::of(phi, self.names.len()).iter()), "vars(Φ) is what Φ mentions");
        vars
    }
}
