//! Requests and answers read back into terms.

use super::Order;
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::semantics::{Ground, holds};
use lozenge::term::{DimTerm, RowTerm, Term, Var, Vars};
use lozenge::wire;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The constraints of a request.
pub struct Asked {
    pub names: Names,
    pub phi: Vec<Constraint>,
    pub vars: BTreeSet<Var>,
}

/// The number of the definition that gives a constraint its meaning.
pub fn definition(phi: &Constraint) -> &'static str {
    match phi {
        Constraint::DimEq(..) => "1.1",
        Constraint::DimLe(..) => "1.2",
        Constraint::RowEq(..) => "2.9",
        Constraint::RowLe(..) => "2.3",
    }
}

impl Asked {
    /// Reads the constraints; none if they are not in the format.
    pub fn of(request: &Value) -> Option<Self> {
        let mut names = Names::new();
        let constraints = request.get("constraints")?.as_array()?.iter();
        let phi: Vec<Constraint> =
            constraints.map(|c| wire::read_constraint(c, &mut names).ok()).collect::<Option<_>>()?;
        let vars = phi.vars();
        Some(Asked { names, phi, vars })
    }

    /// Ground values, one for every variable of the constraints.
    ///
    /// # Errors
    /// What is wrong, with the path to it.
    pub fn values(&self, json: &Value) -> Result<Ground, String> {
        let mut names = self.names.clone();
        let (mut gamma, top) = (Ground::default(), Ground::default());
        for (name, value) in json.as_object().ok_or(": it is no object")? {
            let term = wire::read_term(value, &mut names).map_err(|error| format!("/{name}: {error}"))?;
            if !term.vars().is_empty() {
                return Err(format!("/{name}: it has a variable"));
            }
            match (names.lookup(name), term) {
                (Some(Var::Dim(v)), Term::Dim(t)) => drop(gamma.dims.insert(v, top.dim(t))),
                (Some(Var::Row(v)), Term::Row(t)) => drop(gamma.rows.insert(v, top.row(&t))),
                // Values of variables that the constraints do not mention are no matter.
                (None, _) => {}
                (Some(Var::Dim(_)), _) => return Err(format!("/{name}: a dimension has the value of a row")),
                (Some(Var::Row(_)), _) => return Err(format!("/{name}: a row has the value of a dimension")),
            }
        }
        match self.vars.iter().find(|v| !gamma.assigns(**v)) {
            Some(missing) => Err(format!(": there is no value for {}", self.names.show(missing))),
            None => Ok(gamma),
        }
    }

    /// The first constraint that these values violate.
    pub fn violated(&self, gamma: &Ground) -> Option<&Constraint> {
        self.phi.iter().find(|phi| !holds(gamma, phi))
    }

    /// Do these values solve the constraints in this reading?
    pub fn solves(&self, order: Order, gamma: &Ground) -> bool {
        self.phi.iter().all(|phi| order.holds(gamma, phi))
    }

    /// σ and the residual store of an answer, with its fresh variables under names of their own. Without `residual` the
    /// store is not looked at.
    ///
    /// # Errors
    /// What is wrong, with the path to it.
    pub fn solved_form(&self, answer: &Value, with_residual: bool) -> Result<SolvedForm, String> {
        let mut prefix = "fresh".to_owned();
        while self.vars.iter().any(|v| self.names.show(v).to_string().contains(&prefix)) {
            prefix.push('x');
        }
        let answer = with_fresh(answer, &prefix);
        let mut names = self.names.clone();
        let mut sigma: Vec<(Var, Term)> = Vec::new();
        let bindings = answer["sigma"].as_object().ok_or("/sigma: it is no object")?;
        for (name, to) in bindings {
            let to = wire::read_term(to, &mut names).map_err(|error| format!("/sigma/{name}: {error}"))?;
            let var = match &to {
                Term::Dim(_) => names.dim_var(name).map(Var::Dim),
                Term::Row(_) => names.row_var(name).map(Var::Row),
            };
            sigma.push((var.map_err(|clash| format!("/sigma/{name}: {clash}"))?, to));
        }
        let bound: BTreeSet<Var> = sigma.iter().map(|(var, _)| *var).collect();
        if sigma.iter().any(|(_, to)| !to.vars().is_disjoint(&bound)) {
            return Err("/sigma: it is not idempotent".to_owned());
        }
        let store = &answer["residual"];
        let constraints = if with_residual { residual(store, &mut names)? } else { Vec::new() };
        if constraints.iter().any(|phi| !phi.vars().is_disjoint(&bound)) {
            return Err("/residual: it mentions a variable that sigma binds".to_owned());
        }
        let own = |x: &Var| {
            let bound = sigma.iter().find(|(var, _)| var == x);
            (*x, bound.map_or_else(|| Term::from(*x), |(_, to)| to.clone()))
        };
        Ok(SolvedForm { sigma: self.vars.iter().map(own).collect(), constraints })
    }
}

/// What a `solved` answer says.
pub struct SolvedForm {
    /// x ↦ σ(x), for every variable of the input.
    pub sigma: Vec<(Var, Term)>,
    /// The residual store as constraints.
    pub constraints: Vec<Constraint>,
}

fn residual(json: &Value, names: &mut Names) -> Result<Vec<Constraint>, String> {
    let list = |field: &str| json[field].as_array().ok_or_else(|| format!("/residual/{field}: it is no list"));
    let mut all = Vec::new();
    for (i, cap) in list("caps")?.iter().enumerate() {
        all.push(read_cap(cap, names).map_err(|what| format!("/residual/caps/{i}: {what}"))?);
    }
    for (i, pair) in list("below")?.iter().enumerate() {
        let mut side = |side: usize| {
            let name = pair[side].as_str().ok_or("expected two names")?;
            names.dim_var(name).map(DimTerm::Var).map_err(|clash| clash.to_string())
        };
        let below = side(0).and_then(|low| Ok(Constraint::DimLe(low, side(1)?)));
        all.push(below.map_err(|what: String| format!("/residual/below/{i}: {what}"))?);
    }
    for (i, equation) in list("deferred")?.iter().enumerate() {
        let read = wire::read_constraint(equation, names);
        all.push(read.map_err(|error| format!("/residual/deferred/{i}: {error}"))?);
    }
    Ok(all)
}

/// bound ⊑ var.
fn read_cap(cap: &Value, names: &mut Names) -> Result<Constraint, String> {
    let name = cap["var"].as_str().ok_or("it has no var")?;
    match wire::read_term(&cap["bound"], names).map_err(|error| format!("bound: {error}"))? {
        Term::Dim(bound) => {
            let var = names.dim_var(name).map_err(|clash| clash.to_string())?;
            Ok(Constraint::DimLe(bound, DimTerm::Var(var)))
        }
        Term::Row(bound) => {
            let var = names.row_var(name).map_err(|clash| clash.to_string())?;
            Ok(Constraint::RowLe(bound, RowTerm::new(Vec::new(), Some(var), Vec::new())))
        }
    }
}

/// The same JSON with `?7` written as a name that a request may bring.
fn with_fresh(json: &Value, prefix: &str) -> Value {
    let renamed = |name: &str| match name.strip_prefix('?') {
        Some(number) => format!("{prefix}{number}"),
        None => name.to_owned(),
    };
    match json {
        Value::String(text) => renamed(text).into(),
        Value::Array(items) => items.iter().map(|item| with_fresh(item, prefix)).collect::<Vec<_>>().into(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (renamed(key), with_fresh(value, prefix)));
            fields.collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}
