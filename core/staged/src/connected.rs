//! The part of a system that something is about. What shares no variable with it, however indirectly, has solutions or
//! none by itself.

use super::claim::SizeClaim;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::term::{Var, Vars};
use std::collections::{BTreeMap, BTreeSet};

/// The constraints and the claims that share variables with these, by number, or with others that do; all of them if
/// none is given. Claims keep their numbers.
#[must_use]
pub fn connected(
    (phi, claims): (&[Constraint], &[SizeClaim]),
    (of_phi, of_claims): (&BTreeSet<usize>, &BTreeSet<usize>),
) -> (Vec<Constraint>, Vec<(usize, SizeClaim)>) {
    if of_phi.is_empty() && of_claims.is_empty() {
        return (phi.to_vec(), claims.iter().cloned().enumerate().collect());
    }
    // Claims are numbered after the constraints.
    let vars: Vec<BTreeSet<Var>> = phi.iter().map(Vars::vars).chain(claims.iter().map(Vars::vars)).collect();
    let mut of_var: BTreeMap<Var, Vec<usize>> = BTreeMap::new();
    for (number, vars) in vars.iter().enumerate() {
        vars.iter().for_each(|v| of_var.entry(*v).or_default().push(number));
    }
    let mut open: Vec<usize> = of_phi.iter().copied().chain(of_claims.iter().map(|i| phi.len() + i)).collect();
    let mut kept: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(number) = open.pop() {
        for v in vars.get(number).into_iter().flatten() {
            // Looked at once: what has this variable is kept from then on.
            let new = of_var.remove(v).unwrap_or_default();
            open.extend(new.into_iter().filter(|i| kept.insert(*i)));
        }
    }
    let of_phi = phi.iter().enumerate().filter(|(i, _)| kept.contains(i)).map(|(_, c)| c.clone());
    let of_claims = claims.iter().cloned().enumerate().filter(|(i, _)| kept.contains(&(phi.len() + i)));
    (of_phi.collect(), of_claims.collect())
}
