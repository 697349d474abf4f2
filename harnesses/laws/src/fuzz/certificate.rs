//! Certificates: what the checker accepts is true.

use super::{pointed, policy, text};
use lozenge::certificate::json::{read_refutation, refutation as to_json};
use lozenge::certificate::{check_refutation, check_solution};
use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis};
use lozenge::names::Names;
use lozenge::semantics::{Ground, Universe, atoms, sol};
use lozenge::solver::{Verdict, solve};
use lozenge::term::{DimTerm, Var, Vars};
use lozenge::wire::{WireError, read_constraint, read_dim_term, read_row_term};
use serde_json::Value;

/// Reads any bytes as `{"constraints": […], "refutation": …, "solution": …}` and checks the evidence. What is
/// accepted is compared with a search through all small values, and with the solver.
pub fn certificate(bytes: &[u8]) {
    let Some(json) = text(bytes).and_then(|text| serde_json::from_str::<Value>(text).ok()) else { return };
    let mut names = Names::new();
    let Some(phi) = constraints(&json, &mut names) else { return };
    let refuted = json.get("refutation").is_some_and(|json| refuted(&phi, json, &mut names.clone()));
    let solved = json.get("solution").and_then(|json| solution(json, &mut names));
    let solved = solved.is_some_and(|gamma| check_solution(&phi, &gamma).is_ok());
    assert!(!(refuted && solved), "a solution and a refutation are accepted");
    if solved {
        let verdict = solve(&phi, &mut names, policy());
        assert!(!matches!(verdict, Verdict::Unsat(_)), "a solution is accepted, and the solver says unsat");
    }
}

/// The place of an error is in the JSON that was read.
fn placed(json: &Value, error: &WireError) {
    assert!(pointed(json, &error.at), "{}: {error} in {json}", error.at);
}

/// The constraints; none where one is not well formed.
fn constraints(json: &Value, names: &mut Names) -> Option<Vec<Constraint>> {
    let list = json.get("constraints")?.as_array()?;
    let read = |json| read_constraint(json, names).map_err(|error| placed(json, &error)).ok();
    list.iter().map(read).collect()
}

/// Is this a refutation that is accepted? Then no small value solves the constraints.
fn refuted(phi: &[Constraint], json: &Value, names: &mut Names) -> bool {
    let refutation = match read_refutation(json, names) {
        Ok(refutation) => refutation,
        Err(error) => {
            placed(json, &error);
            return false;
        }
    };
    let written = to_json(&refutation, names);
    assert_eq!(read_refutation(&written, names).as_ref(), Ok(&refutation), "written as {written}");
    let accepted = check_refutation(phi, &refutation).is_ok();
    if accepted {
        let found = universe(phi).and_then(|universe| sol(phi, &universe).next());
        assert!(found.is_none(), "a refutation is accepted, and {found:?} is a solution");
    }
    accepted
}

/// The most choices of values that are tried.
const MOST_CHOICES: usize = 20_000;

/// The atoms of Φ and one more, with rows as long as there is time for.
fn universe(phi: &[Constraint]) -> Option<Universe> {
    let mut known: Vec<Atom> = Vec::new();
    for atom in phi.iter().flat_map(atoms) {
        if !known.contains(&atom) {
            known.push(atom);
        }
    }
    let further = (1..).filter_map(|size| Atom::new(size, Basis::DEFAULT).ok());
    known.extend(further.filter(|atom| !known.contains(atom)).take(1).collect::<Vec<_>>());
    (0..=2).rev().find_map(|rank| {
        let universe = Universe::new(&known, rank).ok()?;
        let choices = phi.vars().into_iter().try_fold(1_usize, |n, var| {
            n.checked_mul(match var {
                Var::Dim(_) => universe.dims().len(),
                Var::Row(_) => universe.rows().len(),
            })
        });
        choices.filter(|n| *n <= MOST_CHOICES).map(|_| universe)
    })
}

/// Variable → ground term; none where one is not well formed.
fn solution(json: &Value, names: &mut Names) -> Option<Ground> {
    let mut gamma = Ground::default();
    for (name, json) in json.as_object()? {
        match names.lookup(name)? {
            Var::Dim(var) => match read_dim_term(json, names).ok()? {
                DimTerm::Dim(value) => drop(gamma.dims.insert(var, value)),
                DimTerm::Var(_) => return None,
            },
            Var::Row(var) => drop(gamma.rows.insert(var, read_row_term(json, names).ok()?.as_ground()?)),
        }
    }
    Some(gamma)
}
