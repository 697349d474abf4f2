//! The variables that Φ mentions. What an application mentions is what the one that it was copied from does, with its own
//! variables and those of its operands in their places, so it is not looked through again.

use super::Generated;
use super::again::Alike;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::names::Sort;
use lozenge_calculus::term::Var;
use lozenge_engine::VarSet;
use std::collections::HashMap;

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
