//! The inference context (D5): classes of variables, and what is known of each.
//!
//! A union–find forest, where the smaller class is linked to the larger one. A root holds its oldest variable and what the
//! class is narrowed to: a literal, a name, or nothing. Dynamic and Broadcast ask for nothing, so they are never held
//! (F32), and a variable cannot be bound to itself (F31).

use super::dim::{Dim, DimVar};
use super::error::ShapeProblem;
use super::shape::Shape;
use super::unify::meet;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Node {
    /// In the class of this variable.
    Link(u32),
    /// Stands for its class.
    Root(Class),
}

/// Variables that are one axis.
#[derive(Clone, Debug)]
struct Class {
    oldest: u32,
    variables: u32,
    /// What it is narrowed to.
    bound: Option<Dim>,
}

/// Where a context stood: [`Context::rollback`] returns there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    writes: usize,
    variables: usize,
}

/// Variables, their classes and their bounds.
#[derive(Clone, Debug, Default)]
pub struct Context {
    nodes: Vec<Node>,
    names: Vec<Option<Arc<str>>>,
    by_name: BTreeMap<Arc<str>, u32>,
    /// What was overwritten since the first open mark, to go back.
    log: Vec<(u32, Node)>,
    open: usize,
}

impl Context {
    /// Without variables.
    #[must_use]
    pub fn new() -> Self {
        Context::default()
    }

    /// A variable that is in no shape yet.
    pub fn fresh_var(&mut self) -> Dim {
        self.fresh(None)
    }

    /// The variable of this name, new where there is none.
    pub fn named_var(&mut self, name: &str) -> Dim {
        match self.by_name.get(name) {
            Some(id) => Dim::Var(self.var(*id)),
            None => self.fresh(Some(name.into())),
        }
    }

    fn fresh(&mut self, name: Option<Arc<str>>) -> Dim {
        // A context of 2³² variables does not fit any memory this runs in.
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node::Root(Class { oldest: id, variables: 1, bound: None }));
        self.names.push(name.clone());
        self.by_name.extend(name.clone().map(|name| (name, id)));
        Dim::Var(DimVar { id, name })
    }

    fn var(&self, id: u32) -> DimVar {
        DimVar { id, name: self.names.get(id as usize).cloned().flatten() }
    }

    /// How many variables there are.
    #[must_use]
    pub fn variables(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// The variable of this number, if there is one.
    #[must_use]
    pub fn variable(&self, id: u32) -> Option<Dim> {
        (id < self.variables()).then(|| Dim::Var(self.var(id)))
    }

    /// The root of a class, and the class. `None` for a variable of another context.
    fn class(&self, id: u32) -> Option<(u32, &Class)> {
        let mut at = id;
        loop {
            match self.nodes.get(at as usize)? {
                Node::Link(to) => at = *to,
                Node::Root(class) => return Some((at, class)),
            }
        }
    }

    fn write(&mut self, id: u32, node: Node) {
        if let Some(slot) = self.nodes.get_mut(id as usize) {
            let old = std::mem::replace(slot, node);
            if self.open > 0 {
                self.log.push((id, old));
            }
        }
    }

    fn root(&self, var: &DimVar) -> Result<(u32, Class), ShapeProblem> {
        let (root, class) = self.class(var.id).ok_or_else(|| ShapeProblem::ForeignVariable(var.clone()))?;
        Ok((root, class.clone()))
    }

    /// x ⊔ y (D4). The context is unchanged when it fails.
    pub(super) fn unify(&mut self, x: &Dim, y: &Dim) -> Result<Dim, ShapeProblem> {
        match (x, y) {
            (Dim::Var(a), Dim::Var(b)) => self.rd_merge(a, b),
            (Dim::Var(v), Dim::Dynamic | Dim::Broadcast) | (Dim::Dynamic | Dim::Broadcast, Dim::Var(v)) => {
                let (_, class) = self.root(v)?;
                Ok(Dim::Var(self.var(class.oldest)))
            }
            (Dim::Var(v), d) | (d, Dim::Var(v)) => self.rd_bind(v, d),
            _ => Ok(meet(x, y)?),
        }
    }

    fn rd_bind(&mut self, var: &DimVar, d: &Dim) -> Result<Dim, ShapeProblem> {
        let (root, class) = self.root(var)?;
        let oldest = class.oldest;
        let narrowed = class.bound.as_ref().map_or_else(|| Ok(d.clone()), |bound| meet(bound, d))?;
        if class.bound.as_ref() != Some(&narrowed) {
            self.write(root, Node::Root(Class { bound: Some(narrowed), ..class }));
        }
        Ok(Dim::Var(self.var(oldest)))
    }

    /// The older variable stands for both (design: younger to older).
    fn rd_merge(&mut self, a: &DimVar, b: &DimVar) -> Result<Dim, ShapeProblem> {
        let ((a, of_a), (b, of_b)) = (self.root(a)?, self.root(b)?);
        let oldest = of_a.oldest.min(of_b.oldest);
        if a != b {
            let (small, large) = if of_a.variables <= of_b.variables { (a, b) } else { (b, a) };
            let bound = match (of_a.bound, of_b.bound) {
                (Some(x), Some(y)) => Some(meet(&x, &y)?),
                (x, y) => x.or(y),
            };
            let variables = of_a.variables.saturating_add(of_b.variables);
            self.write(small, Node::Link(large));
            self.write(large, Node::Root(Class { oldest, variables, bound }));
        }
        Ok(Dim::Var(self.var(oldest)))
    }

    /// What a dimension stands for: of a variable, the bound of its class or else the oldest variable of it.
    #[must_use]
    pub fn resolve(&self, dim: &Dim) -> Dim {
        let Dim::Var(var) = dim else { return dim.clone() };
        match self.class(var.id) {
            Some((_, Class { bound: Some(bound), .. })) => bound.clone(),
            Some((_, class)) => Dim::Var(self.var(class.oldest)),
            None => dim.clone(),
        }
    }

    /// The oldest variable of the class that a variable is in; anything else as it is.
    #[must_use]
    pub fn representative(&self, dim: &Dim) -> Dim {
        match dim {
            Dim::Var(var) => {
                self.class(var.id).map_or_else(|| dim.clone(), |(_, class)| Dim::Var(self.var(class.oldest)))
            }
            _ => dim.clone(),
        }
    }

    /// [`Context::resolve`] on every axis.
    #[must_use]
    pub fn resolve_shape(&self, shape: &Shape) -> Shape {
        Shape(shape.0.iter().map(|d| self.resolve(d)).collect())
    }

    /// Runs an operation of several steps: all of them, or none.
    pub(super) fn transact<T, E>(&mut self, steps: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let mark = Mark { writes: self.log.len(), variables: self.nodes.len() };
        self.open += 1;
        let result = steps(self);
        self.open -= 1;
        if result.is_err() {
            self.rollback(mark);
        }
        if self.open == 0 {
            self.log.clear();
        }
        result
    }

    fn rollback(&mut self, mark: Mark) {
        while self.log.len() > mark.writes {
            if let Some((id, node)) = self.log.pop()
                && let Some(slot) = self.nodes.get_mut(id as usize)
            {
                *slot = node;
            }
        }
        self.nodes.truncate(mark.variables);
        for name in self.names.drain(mark.variables..).flatten() {
            self.by_name.remove(&name);
        }
    }
}
