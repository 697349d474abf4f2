//! Names: what variables and bases are called, apart from what they are.
//!
//! The calculus works with small numbers; a `Names` table belongs to one problem and goes away
//! with it. A variable has one sort for ever. Fresh variables have no name and are written `?7`,
//! a name that nothing typed by a user can take.
//!
//! Document: spec/notation.md.

use crate::dim::Basis;
use crate::internal::broken;
use crate::rules::Fresh;
use crate::term::{DimVar, RowVar, Var};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The sort of a variable (Def. 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// A dimension variable α.
    Dim,
    /// A row variable ρ.
    Row,
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Dim => "dimension",
            Sort::Row => "row",
        })
    }
}

/// One name cannot stand for a dimension and for a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortClash {
    /// The name.
    pub name: String,
    /// The sort it has already.
    pub was: Sort,
}

impl fmt::Display for SortClash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SortClash { name, was } = self;
        let other = match was {
            Sort::Dim => Sort::Row,
            Sort::Row => Sort::Dim,
        };
        write!(f, "`{name}` is a {was} variable and stands here for a {other}: use another name")
    }
}

impl std::error::Error for SortClash {}

/// The variables and bases of one problem, in order of first appearance.
///
/// A run adds many variables and no names, so a copy of a table shares what is named.
#[derive(Clone, Debug, Default)]
pub struct Names {
    vars: Vec<Sort>,
    named: Arc<Named>,
}

/// What has a name.
#[derive(Clone, Debug, Default)]
struct Named {
    /// Oldest first.
    vars: Vec<(u32, Arc<str>)>,
    /// The first `indexed` of them, by name.
    var_ids: HashMap<Arc<str>, u32>,
    indexed: usize,
    bases: Vec<Box<str>>,
    basis_ids: HashMap<Box<str>, u32>,
}

/// So many names are compared one by one, not found by a table: most problems have no more.
const FEW: usize = 16;

fn id(index: usize) -> u32 {
    u32::try_from(index).unwrap_or_else(|_| broken("names have short numbers", index.to_string()))
}

impl Names {
    /// No variables, and the basis `default`.
    #[must_use]
    pub fn new() -> Self {
        Names::default()
    }

    /// How many variables there are, fresh ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vars.len()
    }

    /// Are there no variables?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }

    /// Every variable, oldest first.
    pub fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.vars.iter().enumerate().map(|(i, sort)| Var::new(*sort, id(i)))
    }

    /// The variable of this sort and name, new if the name is.
    ///
    /// # Errors
    /// [`SortClash`] when the name has the other sort.
    pub fn var(&mut self, sort: Sort, name: &str) -> Result<Var, SortClash> {
        match self.lookup(name) {
            Some(var) if var.sort() == sort => Ok(var),
            Some(var) => Err(SortClash { name: name.to_owned(), was: var.sort() }),
            None => {
                if self.named.vars.len() - self.named.indexed >= FEW {
                    self.index();
                }
                Ok(self.new_var(sort, name))
            }
        }
    }

    /// Puts all names into the table.
    fn index(&mut self) {
        let named = Arc::make_mut(&mut self.named);
        for (id, name) in &named.vars[named.indexed..] {
            named.var_ids.insert(name.clone(), *id);
        }
        named.indexed = named.vars.len();
    }

    /// A variable of a name that no other variable has: the caller knows, and it is not looked for.
    pub fn new_var(&mut self, sort: Sort, name: &str) -> Var {
        let var = self.push(sort);
        Arc::make_mut(&mut self.named).vars.push((var.id(), name.into()));
        var
    }

    /// The dimension variable of this name.
    ///
    /// # Errors
    /// [`SortClash`] when the name is a row variable's.
    pub fn dim_var(&mut self, name: &str) -> Result<DimVar, SortClash> {
        self.var(Sort::Dim, name).map(|v| DimVar(v.id()))
    }

    /// The row variable of this name.
    ///
    /// # Errors
    /// [`SortClash`] when the name is a dimension variable's.
    pub fn row_var(&mut self, name: &str) -> Result<RowVar, SortClash> {
        self.var(Sort::Row, name).map(|v| RowVar(v.id()))
    }

    /// A dimension variable that occurs nowhere yet.
    pub fn fresh_dim(&mut self) -> DimVar {
        DimVar(self.push(Sort::Dim).id())
    }

    /// A row variable that occurs nowhere yet.
    pub fn fresh_row(&mut self) -> RowVar {
        RowVar(self.push(Sort::Row).id())
    }

    fn push(&mut self, sort: Sort) -> Var {
        let var = Var::new(sort, id(self.vars.len()));
        self.vars.push(sort);
        var
    }

    /// The variable called this, if there is one. `?7` is the fresh variable of that number.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<Var> {
        let numbered = || name.strip_prefix('?')?.parse().ok().filter(|&i: &u32| self.var_name(i).is_none());
        let Named { vars, var_ids, indexed, .. } = &*self.named;
        let rest = || vars[*indexed..].iter().find(|(_, known)| **known == *name).map(|(id, _)| *id);
        let id = var_ids.get(name).copied().or_else(rest).or_else(numbered)?;
        Some(Var::new(*self.vars.get(id as usize)?, id))
    }

    /// The name given to a variable; fresh ones have none.
    #[must_use]
    pub fn var_name(&self, id: u32) -> Option<&str> {
        let vars = &self.named.vars;
        let is = |at: &usize| vars.get(*at).is_some_and(|(var, _)| *var == id);
        // Where all older ones have names, it has the place of its number.
        let at = Some(id as usize).filter(is).or_else(|| vars.binary_search_by_key(&id, |(var, _)| *var).ok());
        at.map(|at| vars[at].1.as_ref())
    }

    /// The basis of this name; `default` is [`Basis::DEFAULT`].
    pub fn basis(&mut self, name: &str) -> Basis {
        if name == "default" {
            return Basis::DEFAULT;
        }
        if let Some(&number) = self.named.basis_ids.get(name) {
            return Basis(number);
        }
        let named = Arc::make_mut(&mut self.named);
        named.bases.push(name.into());
        let number = id(named.bases.len());
        named.basis_ids.insert(name.into(), number);
        Basis(number)
    }

    /// A basis as it is written: its name, or `?` and its number, which is never read.
    #[must_use]
    pub fn basis_text(&self, basis: Basis) -> Cow<'_, str> {
        let unnamed = || Cow::Owned(format!("?{}", basis.number()));
        self.basis_name(basis).map_or_else(unnamed, Cow::Borrowed)
    }

    /// The name of a basis; none for a number this table never gave out.
    #[must_use]
    pub fn basis_name(&self, basis: Basis) -> Option<&str> {
        match basis.0.checked_sub(1) {
            None => Some("default"),
            Some(i) => self.named.bases.get(i as usize).map(AsRef::as_ref),
        }
    }
}

impl Fresh for Names {
    fn fresh_dim(&mut self) -> DimVar {
        Names::fresh_dim(self)
    }

    fn fresh_row(&mut self) -> RowVar {
        Names::fresh_row(self)
    }
}
