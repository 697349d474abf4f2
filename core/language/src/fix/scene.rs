//! What a search for fixes looks at: the declarations and operations that an error or a warning is about.

use super::{A_CLAIM, MOST_NEAR, MOST_OPERATIONS, MOST_TRIED, WORK};
use crate::explain::{Clash, InferError, Side};
use crate::generate::{Generated, Operation, Role, TensorId, generate};
use crate::parse::parse;
use crate::warnings::Warning;
use crate::written::{self, Rows};
use lozenge_notation::Span;

/// What is looked at.
pub(super) struct Scene<'a> {
    pub source: &'a str,
    pub about: About<'a>,
    /// The program, where it could be read.
    pub generated: Option<Generated>,
    /// The operations, the one that failed first.
    pub operations: Vec<usize>,
    /// The places where a name stands in front of its declared shape: parameters first, then the others.
    pub declared: Vec<Site>,
}

/// What is to be mended.
#[derive(Clone, Copy)]
pub(super) enum About<'a> {
    Error(&'a InferError),
    Warning(&'a Warning),
}

/// A declared shape.
pub(super) struct Site {
    pub id: TensorId,
    pub name: String,
    pub role: Role,
    pub rows: Rows,
}

impl<'a> Scene<'a> {
    pub fn of_error(source: &'a str, error: &'a InferError) -> Self {
        let generated = parse(source).ok().and_then(|program| generate(&program).ok());
        let generated = generated.filter(|generated| generated.operations.len() <= MOST_OPERATIONS);
        let behind = error.behind().map_or(Vec::new(), |behind| behind.operations.clone());
        let uses: Vec<Span> = match error {
            InferError::Hole(hole) => hole.uses.iter().map(|link| link.span).collect(),
            _ => Vec::new(),
        };
        let span = error.span();
        let operations = generated.as_ref().map_or(Vec::new(), |generated| {
            let is_there = |op: &Operation| uses.iter().any(|at| at.is_known() && covers(op.span, *at));
            let failed = |op: &Operation| span.is_known() && op.span.range() == span.range();
            let all = || 0..generated.operations.len();
            let first = all().filter(|i| failed(&generated.operations[*i]));
            let using = all().filter(|i| is_there(&generated.operations[*i]));
            let found = unique(first.chain(behind).chain(using));
            match error {
                InferError::Size(_) => beside(generated, found),
                _ => found,
            }
        });
        Scene::new(source, About::Error(error), generated, operations, Some(span))
    }

    /// The operations at the place of a warning, and those that make or use their tensors.
    pub fn of_warning(source: &'a str, warning: &'a Warning, generated: &Generated) -> Self {
        let at = warning.span;
        let operations = generated.operations.iter().enumerate();
        let declared =
            |id: &usize| generated.tensors.get(*id).is_some_and(|t| covers(t.span, at) || covers(at, t.span));
        let is_there = |op: &Operation| covers(op.span, at) || op.operands.iter().chain([&op.result]).any(declared);
        let here: Vec<usize> = operations.clone().filter(|(_, op)| is_there(op)).map(|(i, _)| i).collect();
        let touched: Vec<usize> = here.iter().flat_map(|i| generated.operations[*i].operands.iter().copied()).collect();
        let makes = operations.filter(|(_, op)| touched.contains(&op.result)).map(|(i, _)| i);
        let all = unique(here.into_iter().chain(makes));
        Scene::new(source, About::Warning(warning), Some(generated.clone()), all, None)
    }

    fn new(
        source: &'a str,
        about: About<'a>,
        generated: Option<Generated>,
        mut operations: Vec<usize>,
        span: Option<Span>,
    ) -> Self {
        operations.truncate(MOST_NEAR);
        let declared = generated.as_ref().map_or(Vec::new(), |generated| {
            let touched = operations.iter().filter_map(|i| generated.operations.get(*i));
            let ids = unique(touched.flat_map(|op| op.operands.iter().chain([&op.result]).copied()));
            let there = |id: &usize| span.is_some_and(|at| generated.tensors[*id].span.range() == at.range());
            sites(source, generated, unique(ids.into_iter().chain((0..generated.tensors.len()).filter(there))))
        });
        Scene { source, about, generated, operations, declared }
    }

    /// How many candidates may be tried.
    pub fn budget(&self) -> usize {
        let size = |generated: &Generated| generated.constraints.len() + A_CLAIM * generated.claims.len();
        (WORK / self.generated.as_ref().map_or(1, |generated| size(generated).max(1))).min(MOST_TRIED)
    }

    /// The operations, as they are.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        let all = self.generated.as_ref().map_or(&[][..], |generated| generated.operations.as_slice());
        self.operations.iter().filter_map(|i| all.get(*i))
    }

    /// The places of the specifications of these operations, each once.
    pub fn specs(&self) -> Vec<Span> {
        let mut found: Vec<Span> = Vec::new();
        for op in self.operations() {
            let Some(spec) = &op.spec else { continue };
            let span = spec.quoted.span;
            if span.is_known() && found.iter().all(|it| it.range() != span.range()) {
                found.push(span);
            }
        }
        found
    }

    /// The clash, if it is one.
    pub fn clash(&self) -> Option<&'a Clash> {
        match self.about {
            About::Error(InferError::Clash(clash)) => Some(clash),
            _ => None,
        }
    }

    /// The two sides of the clash.
    pub fn sides(&self) -> &'a [Side] {
        self.clash().map_or(&[], |clash| clash.sides.as_slice())
    }
}

/// Operations, and those that share a tensor with them: what a size has to be is said on both sides of it.
fn beside(generated: &Generated, operations: Vec<usize>) -> Vec<usize> {
    let of = |i: &usize| {
        let op = generated.operations.get(*i);
        op.into_iter().flat_map(|op| op.operands.iter().chain([&op.result]).copied())
    };
    let tensors: Vec<TensorId> = operations.iter().flat_map(of).collect();
    let near = (0..generated.operations.len()).filter(|i| of(i).any(|id| tensors.contains(&id)));
    unique(operations.iter().copied().chain(near))
}

/// Is one place inside of another?
fn covers(outer: Span, inner: Span) -> bool {
    outer.is_known() && outer.start <= inner.start && inner.end <= outer.end
}

fn unique(of: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut found = Vec::new();
    of.for_each(|it| {
        if !found.contains(&it) {
            found.push(it);
        }
    });
    found
}

/// Where these tensors are declared with a shape. What is given is likelier right than what is learned.
fn sites(source: &str, generated: &Generated, ids: Vec<TensorId>) -> Vec<Site> {
    let mut found: Vec<Site> = Vec::new();
    for id in ids {
        let Some(tensor) = generated.tensors.get(id).filter(|t| t.by.is_none()) else { continue };
        let Some(rows) = written::declared(source, tensor.span) else { continue };
        if found.iter().all(|site| site.rows.whole.range() != rows.whole.range()) {
            let name = tensor.name.as_deref().unwrap_or("the literal").to_owned();
            found.push(Site { id, name, role: tensor.role, rows });
        }
    }
    found.sort_by_key(|site| match site.role {
        Role::Param => 0,
        Role::Literal => 1,
        Role::Interior | Role::Gradient(_) => 2,
        Role::Const => 3,
        Role::Input => 4,
    });
    found
}
