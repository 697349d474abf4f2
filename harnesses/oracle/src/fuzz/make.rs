//! The questions: constraint systems and programs, from a seed and a number.

use crate::answer;
use crate::corpus::generate::{check_request, json_of, mix, system};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::program::Program;
use lozenge::semantics::Ground;
use lozenge::term::{DimTerm, Term, Var, Vars};
use lozenge::wire;
use lozenge_harnesses::generators::{System, Weights};
use lozenge_harnesses::programs;
use serde_json::{Map, Value, json};

/// The most of anything that a random question is made of.
const MOST: u16 = 1000;

/// A whole number up to [`MOST`]: a question must fit.
fn few<T: std::str::FromStr + PartialOrd + From<u16>>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number <= T::from(MOST));
    number.ok_or_else(|| format!("expected a whole number up to {MOST}"))
}

/// How large things get, and how much they share.
#[derive(clap::Args)]
pub struct MakeArgs {
    /// What is asked, with weights: solve=4,check=3; project and run can be asked too
    #[arg(long, value_name = "OP=N,...", default_value = "solve=5,check=3,close=2,decide=1,infer=1")]
    ops: String,
    /// The most constraints of a system
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = few::<usize>)]
    constraints: usize,
    /// The longest flank
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = few::<usize>)]
    flank: usize,
    /// Variables of each sort: fewer share more
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = few::<usize>)]
    vars: usize,
    /// Sizes: fewer agree more often
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = few::<u64>)]
    sizes: u64,
    /// Bases, `default` included
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = few::<u32>)]
    bases: u32,
    /// Out of ten axes, how many are variables
    #[arg(long, value_name = "N", default_value_t = 4)]
    variable_axes: u32,
    /// Out of ten rows, how many are open
    #[arg(long, value_name = "N", default_value_t = 7)]
    open_rows: u32,
    /// Out of ten constraints, how many are equalities
    #[arg(long, value_name = "N", default_value_t = 3)]
    equalities: u32,
}

/// Makes questions.
pub struct Maker {
    ops: Vec<(String, u64)>,
    weights: Weights,
}

/// The operations that can be asked at random: add a row when one more is answered.
const OPS: [&str; 7] = ["solve", "check", "close", "decide", "infer", "project", "run"];

impl Maker {
    pub fn new(args: &MakeArgs) -> Result<Self, String> {
        let mut ops = Vec::new();
        for part in args.ops.split(',') {
            let (op, weight) = part.split_once('=').unwrap_or((part, "1"));
            let weight = weight.parse().map_err(|_| format!("--ops: `{weight}` is no weight"))?;
            if !OPS.contains(&op) {
                return Err(format!("--ops: `{op}` is none of {}", OPS.join(", ")));
            }
            ops.push((op.to_owned(), weight));
        }
        if ops.iter().all(|(_, weight)| *weight == 0) {
            return Err("--ops: every weight is 0".to_owned());
        }
        let MakeArgs { constraints, flank, vars, sizes, bases, variable_axes, open_rows, equalities, .. } = args;
        let weights = Weights {
            flank: *flank,
            constraints: (*constraints).max(1),
            vars: (*vars).max(1),
            sizes: (*sizes).max(1),
            bases: (*bases).max(1),
            variable_axes: *variable_axes,
            open_rows: *open_rows,
            equalities: *equalities,
        };
        Ok(Maker { ops, weights })
    }

    /// The question of a number under a seed.
    pub fn make(&self, seed: u64, number: u64) -> Made {
        let total: u64 = self.ops.iter().map(|(_, weight)| weight).sum();
        let mut at = mix(seed ^ 0x0b5e_55ed, number) % total.max(1);
        let chosen = self.ops.iter().find(|(_, weight)| {
            let here = at < *weight;
            at = at.saturating_sub(*weight);
            here
        });
        let op = chosen.map_or("solve", |(op, _)| op.as_str()).to_owned();
        // Small systems are as frequent as large ones: what goes wrong often does with one constraint.
        let most = 1 + usize::try_from(number).unwrap_or(0) % self.weights.constraints;
        let weights = Weights { constraints: most, ..self.weights };
        if matches!(op.as_str(), "infer" | "project" | "run") {
            return Made::Program { op, program: programs::program(seed, number) };
        }
        if op == "check" {
            return Made::of_check(&check_request(weights, seed, number)).unwrap_or(Made::nothing());
        }
        let System { names, constraints } = system(weights, seed, number);
        let vars: Vec<Var> = constraints.vars().into_iter().collect();
        let leaf = |i: usize| (mix(seed, number) >> (i % 60)) & 1 == 1;
        let leaves = vars.iter().enumerate().filter(|(i, _)| leaf(*i)).map(|(_, v)| *v).collect();
        Made::System { op, names, phi: constraints, values: None, leaves }
    }
}

/// A question that can be made smaller.
#[derive(Clone)]
pub enum Made {
    /// About constraints.
    System { op: String, names: Names, phi: Vec<Constraint>, values: Option<Ground>, leaves: Vec<Var> },
    /// About a program.
    Program { op: String, program: Program },
}

impl Made {
    fn nothing() -> Self {
        Made::System { op: "solve".to_owned(), names: Names::new(), phi: Vec::new(), values: None, leaves: Vec::new() }
    }

    fn of_check(request: &Value) -> Option<Self> {
        let mut names = Names::new();
        let list = request["constraints"].as_array()?.iter();
        let phi = list.map(|c| wire::read_constraint(c, &mut names).ok()).collect::<Option<_>>()?;
        let (mut gamma, top) = (Ground::default(), Ground::default());
        for (name, value) in request["values"].as_object()? {
            match (names.lookup(name)?, wire::read_term(value, &mut names).ok()?) {
                (Var::Dim(v), Term::Dim(t)) => drop(gamma.dims.insert(v, top.dim(t))),
                (Var::Row(v), Term::Row(t)) => drop(gamma.rows.insert(v, top.row(&t))),
                _ => return None,
            }
        }
        Some(Made::System { op: "check".to_owned(), names, phi, values: Some(gamma), leaves: Vec::new() })
    }

    /// The operation asked for.
    pub fn op(&self) -> &str {
        match self {
            Made::System { op, .. } | Made::Program { op, .. } => op,
        }
    }

    /// The request, with a number for its id.
    pub fn request(&self, id: u64) -> Value {
        match self {
            Made::Program { op, program } => {
                let mut request = json!({"id": id, "op": op, "program": program.to_string()});
                if op == "run" {
                    request["fill"] = "range".into();
                }
                request
            }
            Made::System { op, names, phi, values, leaves } => {
                let mut request = json!({"id": id, "op": op, "constraints": json_of(phi, names)});
                let used = phi.vars();
                if let Some(gamma) = values {
                    let name = |v: Var| answer::name(v, names);
                    let dims = gamma.dims.iter().filter(|(v, _)| used.contains(&Var::Dim(**v)));
                    let dims = dims.map(|(v, d)| (name(Var::Dim(*v)), wire::dim_term(DimTerm::Dim(*d), names)));
                    let rows = gamma.rows.iter().filter(|(v, _)| used.contains(&Var::Row(**v)));
                    let rows = rows.map(|(v, r)| (name(Var::Row(*v)), wire::row(r, names)));
                    request["values"] = dims.chain(rows).collect::<Map<_, _>>().into();
                }
                if op == "close" {
                    let leaves = leaves.iter().filter(|v| used.contains(v)).map(|v| answer::name(*v, names));
                    request["leaves"] = leaves.collect::<Vec<_>>().into();
                }
                if op == "decide" {
                    request["rank_bound"] = 3.into();
                }
                request
            }
        }
    }

    /// How many constraints or statements.
    pub fn size(&self) -> usize {
        match self {
            Made::System { phi, .. } => phi.len(),
            Made::Program { program, .. } => program.statements.len(),
        }
    }

    /// In the notation, one constraint or statement a line; with values and leaves.
    pub fn text(&self) -> Vec<String> {
        match self {
            Made::Program { program, .. } => program.to_string().lines().map(str::to_owned).collect(),
            Made::System { names, phi, values, leaves, op } => {
                let used = phi.vars();
                let mut lines: Vec<String> = phi.iter().map(|c| names.show(c).to_string()).collect();
                if let Some(gamma) = values {
                    let mut used_values = gamma.clone();
                    used_values.dims.retain(|v, _| used.contains(&Var::Dim(*v)));
                    used_values.rows.retain(|v, _| used.contains(&Var::Row(*v)));
                    if !used.is_empty() {
                        lines.push(format!("at {}", names.show(&used_values)));
                    }
                }
                let leaves: Vec<String> =
                    leaves.iter().filter(|v| used.contains(v)).map(|v| names.show(v).to_string()).collect();
                if op == "close" && !leaves.is_empty() {
                    lines.push(format!("leaves {}", leaves.join(", ")));
                }
                lines
            }
        }
    }
}
