//! The workloads of spec/performance.md, one timed run at a time, for `harnesses/bench/run`.
//!
//! Reads a workload a line (`infer 12`, `solve row-chain 1000`), runs it once, and answers with the seconds of
//! processor time it took.
//! `lozenge-bench once WORKLOAD` runs one and prints nothing: what `harnesses/bench/instructions` counts.
#![forbid(unsafe_code)]

mod asked;
mod costly;
mod families;
mod kernels;
mod programs;
mod systems;
mod walks;

use cpu_time::ProcessTime;
use kernels::{How, Kernels};
use lozenge::closing::{Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::program::{Inference, Program, infer, parse};
use lozenge::projection::{Projected, project_all};
use lozenge::solver::{Limits, Policy, Verdict, solve};
use lozenge::term::{DimTerm, RowTerm};
use programs::Decoder;
use std::error::Error;
use std::io::{BufRead, Write};
use systems::Make;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a run answers: seconds, and perhaps how many things it did in that time.
pub struct Timed {
    seconds: f64,
    count: Option<usize>,
}

type Outcome = Result<Timed, Box<dyn Error>>;

/// Seconds of processor time, and what was made in them.
fn clocked<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = ProcessTime::now();
    let answer = run();
    (start.elapsed().as_secs_f64(), answer)
}

/// Runs something once, and refuses an answer that is wrong.
fn timed<T>(run: impl FnOnce() -> T, right: impl FnOnce(&T) -> bool) -> Outcome {
    let (seconds, answer) = clocked(run);
    if right(&answer) { Ok(Timed { seconds, count: None }) } else { Err("the answer is wrong".into()) }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("once", workload)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        let workload: Vec<&str> = workload.iter().map(String::as_str).collect();
        return answer(&workload, &mut Kernels::default()).map(drop);
    }
    let mut out = std::io::stdout();
    let mut kernels = Kernels::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let workload: Vec<&str> = line.split_whitespace().collect();
        match answer(&workload, &mut kernels) {
            Ok(Timed { seconds, count: None }) => writeln!(out, "{seconds:e}")?,
            Ok(Timed { seconds, count: Some(count) }) => writeln!(out, "{seconds:e} {count}")?,
            Err(error) => writeln!(out, "error: {error}")?,
        }
        out.flush()?;
    }
    Ok(())
}

fn answer(workload: &[&str], kernels: &mut Kernels) -> Outcome {
    match workload {
        ["nothing"] => timed(|| (), |()| true),
        ["text", layers] => text(layers.parse()?),
        ["infer", layers] => inference(Decoder::Outline, layers.parse()?),
        ["program", layers] => whole(Decoder::Outline, layers.parse()?),
        ["infer-written-out", layers] => inference(Decoder::WrittenOut, layers.parse()?),
        ["program-written-out", layers] => whole(Decoder::WrittenOut, layers.parse()?),
        ["solve", shape, n] => system(shaped(shape)?, n.parse()?, true),
        ["close", shape, n] => asked::closing(shaped(shape)?, n.parse()?),
        ["decide-program", layers] => asked::deciding_program(layers.parse()?),
        ["decide", shape, n] => asked::deciding(shaped(shape)?, n.parse()?),
        ["convolutions", layers] => asked::convolutions(layers.parse()?),
        ["open-claims", n] => asked::open_claims(n.parse()?),
        ["open-chain", n] => asked::open_chain(n.parse()?),
        ["open-parts", n] => asked::open_parts(n.parse()?),
        ["explain", operations] => asked::explaining(operations.parse()?),
        ["project", axes] => asked::projecting(axes.parse()?),
        ["derive", n] => asked::derivation(n.parse()?),
        ["chain", direction, n] => system(made(&systems::DIRECTIONS, direction)?, n.parse()?, *direction != "unsat"),
        ["memory", shape, n] => memory(shaped(shape)?, n.parse()?),
        ["kernel", name] => kernels.run_once(name, How::Plan),
        ["definition", name] => kernels.run_once(name, How::Definition),
        ["gradient", name] => kernels.run_once(name, How::Gradient),
        ["exhaustive"] => exhaustive(),
        ["walk", order, n] => walks::walk(order, n.parse()?),
        ["certificate", n] => asked::certificate(n.parse()?),
        ["fuel", question, units] => fuel(question, units.parse()?),
        _ => Err(format!("no such workload: {}", workload.join(" ")).into()),
    }
}

fn made(of: &[(&str, Make)], name: &str) -> Result<Make, String> {
    of.iter().find(|(known, _)| *known == name).map(|(_, make)| *make).ok_or_else(|| format!("no system {name}"))
}

fn shaped(name: &str) -> Result<Make, String> {
    made(&systems::SHAPES, name).or_else(|_| made(&families::FAMILIES, name))
}

fn made_decoder(decoder: Decoder, layers: usize) -> Result<Program, Box<dyn Error>> {
    Ok(parse(&decoder.program(layers))?)
}

/// From the text to the tree.
fn text(layers: usize) -> Outcome {
    let text = Decoder::WrittenOut.program(layers);
    timed(|| parse(&text), Result::is_ok)
}

/// Every shape of a decoder. The answer is kept until the clock has stopped, as the peers' answers are.
fn inference(decoder: Decoder, layers: usize) -> Outcome {
    let program = made_decoder(decoder, layers)?;
    timed(|| infer(&program), |found| found.as_ref().is_ok_and(is_right))
}

/// Every shape and every loop nest of a decoder.
fn whole(decoder: Decoder, layers: usize) -> Outcome {
    let program = made_decoder(decoder, layers)?;
    let run = || {
        let inferred = infer(&program).ok()?;
        let nests = project_all(&inferred).ok()?;
        Some((inferred, nests))
    };
    let right = |(inferred, nests): &(Inference, Vec<Projected>)| {
        is_right(inferred) && nests.len() == inferred.generated.operations.len()
    };
    timed(run, |found| found.as_ref().is_some_and(right))
}

fn is_right(inferred: &Inference) -> bool {
    inferred.show("logits").as_deref() == Some(programs::LOGITS)
}

/// A policy that stops no workload of this program.
fn unlimited() -> Policy {
    Policy { limits: Limits { fuel: u64::MAX, rank: usize::MAX, size: u64::MAX }, ..Policy::default() }
}

fn system(make: Make, n: usize, solvable: bool) -> Outcome {
    let mut names = Names::new();
    let phi = make(&mut names, n);
    timed(|| solve(&phi, &mut names, unlimited()), |verdict| matches!(verdict, Verdict::Solved(_)) == solvable)
}

/// The most memory that making and solving a system takes, in bytes, beyond what the process had. The process must
/// be new.
fn memory(make: Make, n: usize) -> Outcome {
    let before = high_water()?;
    let timed = system(make, n, true)?;
    Ok(Timed { count: Some(high_water()? - before), ..timed })
}

/// The most memory this process has ever used, as Linux counts it.
fn high_water() -> Result<usize, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no high-water mark here")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse::<usize>()? * 1024)
}

/// Solves and closes every pair of row inequalities over a few small rows: what the exhaustive harnesses spend their
/// time on. Answers with the number of pairs.
fn exhaustive() -> Outcome {
    let mut names = Names::new();
    let (a, p, q) = (names.fresh_dim(), names.fresh_row(), names.fresh_row());
    let terms = [DimTerm::Var(a), DimTerm::Dim(lozenge::dim::Dim::Unit), DimTerm::Dim(lozenge::dim::Dim::size(3)?)];
    let flanks: Vec<Vec<DimTerm>> = std::iter::once(vec![]).chain(terms.iter().map(|t| vec![*t])).collect();
    let mut rows = Vec::new();
    for var in [None, Some(p), Some(q)] {
        for lead in &flanks {
            rows.extend(flanks.iter().map(|trail| RowTerm::new(lead.clone(), var, trail.clone())));
        }
    }
    let pairs = rows.iter().flat_map(|r| rows.iter().map(|s| Constraint::RowLe(r.clone(), s.clone())));
    let constraints: Vec<Constraint> = pairs.step_by(7).collect();
    let tags = Tags::leaves(names.vars());
    let (seconds, count) = clocked(|| {
        let pairs =
            constraints.iter().flat_map(|first| constraints.iter().step_by(5).map(move |second| [first, second]));
        let closed = pairs.map(|pair| close(&pair.map(Clone::clone), &mut names.clone(), &tags, Policy::default()));
        closed.filter(|closing| !matches!(closing, Closing::Limit(_))).count()
    });
    Ok(Timed { seconds, count: Some(count) })
}

/// A question that uses up so much fuel; answers with the units.
fn fuel(question: &str, units: u64) -> Outcome {
    let found = costly::QUESTIONS.iter().find(|(known, _)| *known == question);
    let (_, ask) = found.ok_or_else(|| format!("no question {question}"))?;
    let policy = Policy { limits: Limits { fuel: units, ..Limits::default() }, ..Policy::default() };
    let mut names = Names::new();
    let timed = timed(|| ask(&mut names, policy), |reached| *reached)?;
    Ok(Timed { count: Some(usize::try_from(units)?), ..timed })
}
