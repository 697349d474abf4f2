//! The questions: constraint systems and programs, from a seed and a number.

use super::pool::Pool;
use crate::corpus::generate::{check_request, mix, system};
use crate::made::Made;
use lozenge::program::ast::StatementKind;
use lozenge::program::parse;
use lozenge::term::{Var, Vars};
use lozenge_harnesses::generators::{System, Weights};
use lozenge_harnesses::{programs, sized};
use quickcheck::Gen;

/// The most of anything that a random question is made of.
const MOST: u16 = 1000;

/// A whole number up to [`MOST`]: a question must fit.
fn few<T: std::str::FromStr + PartialOrd + From<u16>>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number <= T::from(MOST));
    number.ok_or_else(|| format!("expected a whole number up to {MOST}"))
}

/// The same of what a question cannot do without.
fn some<T: std::str::FromStr + PartialOrd + From<u16>>(text: &str) -> Result<T, String> {
    let number = few(text).ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST}"))
}

/// How many out of ten.
fn out_of_ten(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number <= 10);
    number.ok_or_else(|| "expected a whole number from 0 to 10".to_owned())
}

/// `solve=4,check=3`: what is asked, each once, and how often.
fn weighted(text: &str) -> Result<Vec<(String, u64)>, String> {
    let mut ops: Vec<(String, u64)> = Vec::new();
    for part in text.split(',') {
        let (op, weight) = part.split_once('=').unwrap_or((part, "1"));
        if !OPS.contains(&op) {
            return Err(format!("--ops: `{op}` is none of {}", OPS.join(", ")));
        }
        let weight = few(weight).map_err(|what| format!("--ops: `{weight}` is no weight: {what}"))?;
        if ops.iter().any(|(other, _)| other == op) {
            return Err(format!("--ops: `{op}` is there twice"));
        }
        ops.push((op.to_owned(), weight));
    }
    if ops.iter().all(|(_, weight)| *weight == 0) {
        return Err("--ops: every weight is 0".to_owned());
    }
    Ok(ops)
}

/// How large things get, and how much they share.
#[derive(clap::Args)]
pub struct MakeArgs {
    /// What is asked, with weights: solve=4,check=3; project and run can be asked too
    #[arg(long, value_name = "OP=N,...", default_value = "solve=5,check=3,close=2,decide=1,infer=1")]
    ops: String,
    /// The most constraints of a system
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = some::<usize>)]
    constraints: usize,
    /// The longest flank
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = few::<usize>)]
    flank: usize,
    /// Variables of each sort: fewer share more
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = some::<usize>)]
    vars: usize,
    /// Sizes: fewer agree more often
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = some::<u64>)]
    sizes: u64,
    /// Bases, `default` included
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = some::<u32>)]
    bases: u32,
    /// Out of ten axes, how many are variables
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = out_of_ten)]
    variable_axes: u32,
    /// Out of ten rows, how many are open
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = out_of_ten)]
    open_rows: u32,
    /// Out of ten constraints, how many are equalities
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = out_of_ten)]
    equalities: u32,
}

/// Makes questions.
pub struct Maker {
    ops: Vec<(String, u64)>,
    weights: Weights,
    pool: Pool,
}

/// The operations that can be asked at random: add a row when one more is answered.
const OPS: [&str; 7] = ["solve", "check", "close", "decide", "infer", "project", "run"];

impl Maker {
    pub fn new(args: &MakeArgs, seed: u64) -> Result<Self, String> {
        let ops = weighted(&args.ops)?;
        let MakeArgs { constraints, flank, vars, sizes, bases, variable_axes, open_rows, equalities, .. } = args;
        let weights = Weights {
            flank: *flank,
            constraints: *constraints,
            vars: *vars,
            sizes: *sizes,
            bases: *bases,
            variable_axes: *variable_axes,
            open_rows: *open_rows,
            equalities: *equalities,
        };
        Ok(Maker { ops, weights, pool: Pool::new(weights, seed) })
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
            return program_question(op, seed, number);
        }
        if op == "check" {
            return Made::of_request(&check_request(weights, seed, number));
        }
        let System { names, constraints } = self.system(weights, seed, number);
        let vars: Vec<Var> = constraints.vars().into_iter().collect();
        let leaf = |i: usize| (mix(seed, number) >> (i % 60)) & 1 == 1;
        let leaves = vars.iter().enumerate().filter(|(i, _)| leaf(*i)).map(|(_, v)| *v).collect();
        let leaves = if op == "close" { leaves } else { Vec::new() };
        Made::System { op, names, phi: constraints, values: None, leaves }
    }

    /// Half of the systems are anything; the others go in circles, or are changes of what exercised something new.
    fn system(&self, weights: Weights, seed: u64, number: u64) -> System {
        let chance = mix(seed ^ 0xc0de, number);
        match chance % 4 {
            0 => weights.circle(&mut Gen::from_size_and_seed(100, chance)),
            1 => self.pool.changed(chance).unwrap_or_else(|| system(weights, seed, number)),
            _ => system(weights, seed, number),
        }
    }
}

/// A program, one in three with strides, convolutions and concatenations (§8); of half of those that run, the gradients
/// of the tensor made last.
fn program_question(op: String, seed: u64, number: u64) -> Made {
    let chance = mix(seed ^ 0x5e1f, number);
    let sized = chance.is_multiple_of(3).then(|| parse(&sized::program(seed, number).text("t")).ok()).flatten();
    let program = sized.unwrap_or_else(|| programs::program(seed, number));
    let last = program.statements.iter().rev().find_map(|statement| match &statement.kind {
        StatementKind::Let { name, .. } => Some(name.text.clone()),
        _ => None,
    });
    let grad = last.filter(|_| op == "run" && chance.is_multiple_of(2));
    Made::Program { op, program, grad }
}
