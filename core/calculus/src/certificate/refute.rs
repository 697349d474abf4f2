//! From a derivation to a refutation that the checker accepts.
//!
//! Document: spec/certificates.md.

use super::infer::{aligned, fact, residue, stripped, zipped};
use super::{Edge, Ending, Inference, Line, LineClaim, Refutation};
use crate::constraint::Constraint;
use crate::guard::Fact;
use crate::rules::Rule;
use crate::solver::{Failure, Node, Origin, Run, Step, Trace, Verdict};
use crate::term::{Binding, RowTerm, RowVar, Var};
use std::collections::HashMap;

impl<S> Run<S> {
    /// The refutation behind an `unsat` verdict; none for any other.
    #[must_use]
    pub fn refutation(&self) -> Option<Refutation> {
        match &self.verdict {
            Verdict::Unsat(failure) => self.trace.refutation(failure),
            _ => None,
        }
    }
}

impl Trace {
    /// The refutation that this derivation is, where it ends in an untainted failure.
    #[must_use]
    pub fn refutation(&self, failure: &Failure) -> Option<Refutation> {
        let last = self.steps.len().checked_sub(1)?;
        let mut builder = Builder {
            trace: self,
            lines: Vec::new(),
            nodes: HashMap::new(),
            instances: HashMap::new(),
            is: HashMap::new(),
            content: HashMap::new(),
        };
        // Oldest first: then whatever a step rests on has been written, and nothing recurses far.
        for step in self.ancestors(last) {
            let _ = builder.instance(step);
        }
        let end = if failure.cycle.is_empty() {
            Ending::Absurd(builder.instance(last)?)
        } else {
            let edge = if failure.rule == Rule::RgLead { Edge::Front } else { Edge::Back };
            let wanted = |f: &Fact| (f.greater, f.lesser, f.weight);
            let facts = failure.cycle.iter().map(|f| builder.fact_line(f.step, edge, wanted(f)));
            Ending::Cycle { edge, facts: facts.collect::<Option<Vec<_>>>()? }
        };
        Some(Refutation { lines: builder.lines, end })
    }
}

/// Writes lines as they are needed, each once.
struct Builder<'t> {
    trace: &'t Trace,
    lines: Vec<Line>,
    /// The line of a constraint, by its number.
    nodes: HashMap<usize, usize>,
    /// The line of the instance that a step worked on.
    instances: HashMap<usize, usize>,
    /// The line ρ = T of a step that bound a row variable.
    is: HashMap<usize, usize>,
    /// The line ⟨ρ⟩ ≈ T of a step that bound a row variable.
    content: HashMap<usize, usize>,
}

impl<'t> Builder<'t> {
    fn write(&mut self, by: Inference, claim: LineClaim) -> usize {
        self.lines.push(Line { by, claim });
        self.lines.len() - 1
    }

    fn step(&self, step: usize) -> Option<&'t Step> {
        self.trace.steps.get(step)
    }

    /// The line of a constraint.
    fn node(&mut self, node: usize) -> Option<usize> {
        if let Some(line) = self.nodes.get(&node) {
            return Some(*line);
        }
        let Node { constraint, origin } = self.trace.nodes.get(node)?.clone();
        if let Origin::Step(step) = origin
            && self.step(step)?.instance == constraint
        {
            // A dimension bound is stored as the instance it was seen as.
            return self.instance(step);
        }
        let by = match origin {
            Origin::Input(i) => Inference::Input(i),
            Origin::Step(step) => self.made(step, &constraint)?,
            Origin::Added => return None,
        };
        let line = self.write(by, LineClaim::Holds(constraint));
        self.nodes.insert(node, line);
        Some(line)
    }

    /// Why a step was right to make a constraint.
    fn made(&mut self, number: usize, made: &Constraint) -> Option<Inference> {
        let step = self.step(number)?;
        let line = self.instance(number)?;
        let phi = &step.instance;
        match step.rule {
            Rule::DiPin => Some(Inference::Pin(line)),
            Rule::DiPinTop => Some(Inference::PinTop(line)),
            Rule::DiCap => Some(Inference::Collapse(self.instance(*step.also.first()?)?, line)),
            Rule::DiAntisym => {
                let rest = step.also.iter().map(|s| self.instance(*s)).collect::<Option<Vec<_>>>()?;
                Some(Inference::Antisym([vec![line], rest].concat()))
            }
            _ => match (phi, made) {
                (Constraint::RowEq(..), Constraint::DimEq(s, t)) => find_edge(phi, |edge, index| {
                    let (x, y) = zipped(phi, edge, index)?;
                    Some(((x, y) == (*s, *t) || (y, x) == (*s, *t)).then_some(Inference::Zip { line, edge, index }))
                }),
                (Constraint::RowLe(..), Constraint::DimLe(..)) => find_edge(phi, |edge, index| {
                    let here = aligned(phi, edge, index)?;
                    Some((here == *made).then_some(Inference::Align { line, edge, index }))
                }),
                (Constraint::RowEq(..), Constraint::RowEq(s, t)) => strip(phi, s, t, line),
                (Constraint::RowLe(..), Constraint::RowLe(..)) => {
                    (residue(phi)? == *made).then_some(Inference::Residue(line))
                }
                _ => None,
            },
        }
    }

    /// The line of a step's instance: the consumed constraint with the bindings it was seen through.
    fn instance(&mut self, number: usize) -> Option<usize> {
        if let Some(line) = self.instances.get(&number) {
            return Some(*line);
        }
        let step = self.step(number)?;
        let into = self.node(step.consumed)?;
        let line = if step.used.is_empty() {
            into
        } else {
            let blind = matches!(step.instance, Constraint::RowEq(..));
            let with = step.used.iter().map(|s| self.equation(*s, blind)).collect::<Option<Vec<_>>>()?;
            self.write(Inference::Substitute { into, with }, LineClaim::Holds(step.instance.clone()))
        };
        self.instances.insert(number, line);
        Some(line)
    }

    /// The line that says what a step's variable equals, for use where markers count or (`blind`) do not.
    fn equation(&mut self, number: usize, blind: bool) -> Option<(usize, Var)> {
        let bind = self.step(number)?.bind.as_ref()?;
        let line = match &bind.binding {
            Binding::Dim(..) => self.instance(number)?,
            Binding::Row(var, to) if blind && bind.placement => self.content(number, *var, to)?,
            Binding::Row(var, to) => self.identity(number, *var, to)?,
        };
        Some((line, bind.binding.var()))
    }

    /// The line ⟨ρ⟩ ≈ T.
    fn content(&mut self, number: usize, var: RowVar, to: &RowTerm) -> Option<usize> {
        if let Some(line) = self.content.get(&number) {
            return Some(*line);
        }
        let from = self.instance(number)?;
        let bare = RowTerm::from(var);
        let by = strip(&self.step(number)?.instance, &bare, to, from)?;
        let line = self.write(by, LineClaim::Holds(Constraint::RowEq(bare, to.clone())));
        self.content.insert(number, line);
        Some(line)
    }

    /// The line ρ = T: a deficit's growth, or the empty row.
    fn identity(&mut self, number: usize, var: RowVar, to: &RowTerm) -> Option<usize> {
        if let Some(line) = self.is.get(&number) {
            return Some(*line);
        }
        let by = if self.step(number)?.rule == Rule::RiDeficit {
            Inference::Grow(self.instance(number)?)
        } else {
            Inference::Empty(self.content(number, var, to)?)
        };
        let line = self.write(by, LineClaim::Is(var, to.clone()));
        self.is.insert(number, line);
        Some(line)
    }

    /// The line that states a fact of the guard, and whether it is read backwards.
    fn fact_line(
        &mut self,
        number: usize,
        edge: Edge,
        wanted: (Option<RowVar>, Option<RowVar>, i64),
    ) -> Option<(usize, bool)> {
        let step = self.step(number)?;
        if fact(&LineClaim::Holds(step.instance.clone()), edge, false) == Some(wanted) {
            return Some((self.instance(number)?, false));
        }
        let Binding::Row(var, to) = &step.bind.as_ref()?.binding else { return None };
        let claim = LineClaim::Is(*var, to.clone());
        let backwards = [false, true].into_iter().find(|b| fact(&claim, edge, *b) == Some(wanted))?;
        Some((self.identity(number, *var, to)?, backwards))
    }
}

/// The first axis, from either end, for which `test` finds an inference.
fn find_edge(phi: &Constraint, test: impl Fn(Edge, usize) -> Option<Option<Inference>>) -> Option<Inference> {
    let (Constraint::RowEq(r, s) | Constraint::RowLe(r, s)) = phi else { return None };
    let longest = r.known_rank().max(s.known_rank());
    [Edge::Front, Edge::Back].into_iter().find_map(|edge| (0..longest).find_map(|index| test(edge, index).flatten()))
}

/// How many axes to drop at both ends to get from φ to s ≈ t.
fn strip(phi: &Constraint, s: &RowTerm, t: &RowTerm, line: usize) -> Option<Inference> {
    let Constraint::RowEq(r1, r2) = phi else { return None };
    let word = |r: &RowTerm| (r.var, [r.lead.as_ref(), &r.trail].concat());
    let longest = r1.known_rank().max(r2.known_rank());
    (0..=longest).find_map(|front| {
        (0..=longest - front).find_map(|back| {
            let (x, y) = stripped(phi, front, back)?;
            let same = |a: &RowTerm, b: &RowTerm| if a.is_closed() { word(a) == word(b) } else { a == b };
            let found = (same(&x, s) && same(&y, t)) || (same(&x, t) && same(&y, s));
            found.then_some(Inference::Strip { line, front, back })
        })
    })
}
