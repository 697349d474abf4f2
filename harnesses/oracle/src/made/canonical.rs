//! The one question that stands for all that differ from it in names of variables, bases and tensors, in sizes, in the
//! order of constraints, in the sides of equations, and by mirroring.
//!
//! The size 1 keeps its place: engines are known to treat it as the unit.

use super::Made;
use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::Names;
use lozenge::program::parse;
use lozenge::row::Row;
use lozenge::semantics::Ground;
use lozenge::term::{DimTerm, RowTerm, Var};
use std::collections::BTreeMap;

/// More constraints than this are not put into every order.
const MOST: usize = 4;

/// The questions that an engine that treats all alike gets equally wrong. An engine may not: after the representative of
/// all comes the one of those that are not mirrored, then those that differ in names alone.
pub fn canonical(made: &Made) -> Vec<Made> {
    match made {
        Made::System { phi, .. } if phi.len() > MOST => Vec::new(),
        Made::System { .. } => {
            let upright = least(made);
            let mirrored = least(&mirrored(made));
            let renamed = renamed(made);
            if key(&mirrored) < key(&upright) { vec![mirrored, upright, renamed] } else { vec![upright, renamed] }
        }
        Made::Program { op, program, grad } => {
            let renamed = renamed_program(&program.to_string(), grad.as_deref());
            let read = |(text, grad): (String, Option<String>)| {
                Some(Made::Program { op: op.clone(), program: parse(&text).ok()?, grad })
            };
            read(renamed).into_iter().collect()
        }
        Made::Other(_) => Vec::new(),
    }
}

/// Shorter first, then by the letters.
fn key(made: &Made) -> (usize, Vec<String>) {
    let text = made.text();
    (text.iter().map(|line| line.chars().count()).sum(), text)
}

/// The least of all orders of the constraints and of the sides of equations, renamed.
fn least(made: &Made) -> Made {
    let Made::System { op, names, phi, values, leaves } = made else { return made.clone() };
    let mut best: Option<((usize, Vec<String>), Made)> = None;
    for order in orders(phi.len()) {
        for sides in 0..1_u32 << phi.len().min(MOST) {
            let turned: Option<Vec<Constraint>> = order.iter().map(|i| turned(&phi[*i], sides >> i & 1 == 1)).collect();
            let Some(phi) = turned else { continue };
            let (op, names, values, leaves) = (op.clone(), names.clone(), values.clone(), leaves.clone());
            let made = renamed(&Made::System { op, names, phi, values, leaves });
            let key = key(&made);
            if best.as_ref().is_none_or(|(least, _)| key < *least) {
                best = Some((key, made));
            }
        }
    }
    best.map_or_else(|| made.clone(), |(_, made)| made)
}

/// With names, sizes and bases in the order of appearance.
fn renamed(made: &Made) -> Made {
    let Made::System { op, names, phi, values, leaves } = made else { return made.clone() };
    let mut renaming = Renaming::new(names);
    let phi = phi.iter().map(|phi| renaming.constraint(phi)).collect();
    let values = values.as_ref().map(|gamma| renaming.ground(gamma));
    let mut leaves: Vec<Var> = leaves.iter().map(|v| renaming.var(*v)).collect();
    leaves.sort();
    Made::System { op: op.clone(), names: renaming.new, phi, values, leaves }
}

/// Every order of so many.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(n - 1).into_iter();
    shorter.flat_map(|order| (0..n).map(move |at| [&order[..at], &[n - 1], &order[at..]].concat())).collect()
}

/// An equation with its sides exchanged; nothing else has such a twin.
fn turned(phi: &Constraint, turn: bool) -> Option<Constraint> {
    match phi {
        _ if !turn => Some(phi.clone()),
        Constraint::DimEq(s, t) => Some(Constraint::DimEq(*t, *s)),
        Constraint::RowEq(s, t) => Some(Constraint::RowEq(t.clone(), s.clone())),
        Constraint::DimLe(..) | Constraint::RowLe(..) => None,
    }
}

/// New names, given in the order of appearance.
struct Renaming<'a> {
    old: &'a Names,
    new: Names,
    vars: BTreeMap<Var, Var>,
    sizes: BTreeMap<u64, u64>,
    bases: BTreeMap<String, String>,
}

impl<'a> Renaming<'a> {
    fn new(old: &'a Names) -> Self {
        Renaming { old, new: Names::new(), vars: BTreeMap::new(), sizes: BTreeMap::new(), bases: BTreeMap::new() }
    }

    fn var(&mut self, v: Var) -> Var {
        if let Some(known) = self.vars.get(&v) {
            return *known;
        }
        let count = self.vars.keys().filter(|known| matches!(known, Var::Dim(_)) == matches!(v, Var::Dim(_))).count();
        let new = match v {
            Var::Dim(_) => self.new.dim_var(&format!("a{count}")).map(Var::Dim),
            Var::Row(_) => self.new.row_var(&format!("r{count}")).map(Var::Row),
        };
        // Names that begin differently never clash.
        let new = new.unwrap_or(v);
        self.vars.insert(v, new);
        new
    }

    fn dim(&mut self, d: Dim) -> Dim {
        let Dim::Atom(atom) = d else { return d };
        let next = 2 + self.sizes.len() as u64;
        let size = if atom.size() == 1 { 1 } else { *self.sizes.entry(atom.size()).or_insert(next) };
        let basis = match self.old.basis_name(atom.basis()).filter(|_| atom.basis() != Basis::DEFAULT) {
            None => Basis::DEFAULT,
            Some(name) => {
                let next = format!("b{}", self.bases.len());
                self.new.basis(self.bases.entry(name.to_owned()).or_insert(next))
            }
        };
        Atom::new(size, basis).map_or(d, Dim::Atom)
    }

    fn dim_term(&mut self, t: DimTerm) -> DimTerm {
        match t {
            DimTerm::Dim(d) => self.dim(d).into(),
            DimTerm::Var(v) => match self.var(Var::Dim(v)) {
                Var::Dim(v) => v.into(),
                Var::Row(_) => t,
            },
        }
    }

    fn row_term(&mut self, row: &RowTerm) -> RowTerm {
        let lead: Vec<DimTerm> = row.lead.iter().map(|t| self.dim_term(*t)).collect();
        let var = row.var.and_then(|v| match self.var(Var::Row(v)) {
            Var::Row(v) => Some(v),
            Var::Dim(_) => None,
        });
        let trail: Vec<DimTerm> = row.trail.iter().map(|t| self.dim_term(*t)).collect();
        RowTerm::new(lead, var, trail)
    }

    fn constraint(&mut self, phi: &Constraint) -> Constraint {
        match phi {
            Constraint::DimEq(s, t) => Constraint::DimEq(self.dim_term(*s), self.dim_term(*t)),
            Constraint::DimLe(s, t) => Constraint::DimLe(self.dim_term(*s), self.dim_term(*t)),
            Constraint::RowEq(s, t) => Constraint::RowEq(self.row_term(s), self.row_term(t)),
            Constraint::RowLe(s, t) => Constraint::RowLe(self.row_term(s), self.row_term(t)),
        }
    }

    /// Values of the variables that were named, in the order of the new names.
    fn ground(&mut self, gamma: &Ground) -> Ground {
        let mut out = Ground::default();
        let mut named: Vec<(Var, Var)> = self.vars.iter().map(|(old, new)| (*old, *new)).collect();
        named.sort_by_key(|(_, new)| new.id());
        for (old, new) in named {
            match (old, new) {
                (Var::Dim(old), Var::Dim(new)) => {
                    let Some(d) = gamma.dims.get(&old) else { continue };
                    let d = self.dim(*d);
                    out.dims.insert(new, d);
                }
                (Var::Row(old), Var::Row(new)) => {
                    let Some(row) = gamma.rows.get(&old) else { continue };
                    let lead: Vec<Dim> = row.lead.iter().map(|d| self.dim(*d)).collect();
                    let trail: Vec<Dim> = row.trail.iter().map(|d| self.dim(*d)).collect();
                    out.rows.insert(new, Row::new(lead, trail));
                }
                _ => {}
            }
        }
        out
    }
}

/// Leading axes become trailing ones, from the outside in.
fn mirrored(made: &Made) -> Made {
    let Made::System { op, names, phi, values, leaves } = made else { return made.clone() };
    fn swapped<T: Clone>(lead: &[T], trail: &[T]) -> (Vec<T>, Vec<T>) {
        (trail.iter().rev().cloned().collect(), lead.iter().rev().cloned().collect())
    }
    let term = |row: &RowTerm| {
        let (lead, trail) = swapped(&row.lead, &row.trail);
        RowTerm::new(lead, row.var, trail)
    };
    let phi = phi.iter().map(|phi| match phi {
        Constraint::RowEq(s, t) => Constraint::RowEq(term(s), term(t)),
        Constraint::RowLe(s, t) => Constraint::RowLe(term(s), term(t)),
        dims => dims.clone(),
    });
    let values = values.as_ref().map(|gamma| {
        let mut turned = gamma.clone();
        for row in turned.rows.values_mut() {
            let (lead, trail) = swapped(&row.lead, &row.trail);
            *row = Row::new(lead, trail);
        }
        turned
    });
    Made::System { op: op.clone(), names: names.clone(), phi: phi.collect(), values, leaves: leaves.clone() }
}

/// A program whose tensors are called t0, t1, … in the order in which they are made.
fn renamed_program(text: &str, grad: Option<&str>) -> (String, Option<String>) {
    let mut new: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        if let (Some("input" | "param" | "const" | "let" | "fn"), Some(name)) = (words.next(), words.next()) {
            let next = format!("t{}", new.len());
            new.entry(name.to_owned()).or_insert(next);
        }
    }
    let name = |word: &str| new.get(word).cloned().unwrap_or_else(|| word.to_owned());
    let (mut out, mut word, mut quoted) = (String::new(), String::new(), false);
    for c in text.chars().chain(std::iter::once('\n')) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out.push_str(&if quoted { std::mem::take(&mut word) } else { name(&std::mem::take(&mut word)) });
        quoted ^= c == '"';
        out.push(c);
    }
    (out, grad.map(name))
}
