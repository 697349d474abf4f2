//! How many cases a second `lozenge fuzz` asks, and how that grows with the number of jobs:
//! `cargo bench -p lozenge-oracle --bench fuzz`.
//!
//! The engine is our own oracle, so that what is measured is making, answering twice and comparing. `LOZENGE_CASES=4000`
//! asks fewer. The runs take turns, and the best of each counts.
#![allow(missing_docs)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;

/// How long a run over these cases takes.
fn time(cases: u64, jobs: usize) -> Duration {
    let lozenge = env!("CARGO_BIN_EXE_lozenge");
    let (engine, cases, jobs) = (format!("'{lozenge}' oracle"), cases.to_string(), jobs.to_string());
    let mut command = Command::new(lozenge);
    command.args(["fuzz", "--engine", &engine, "--cases", &cases, "--jobs", &jobs, "--ops", "solve=3,check=1"]);
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).status().expect("lozenge runs");
    assert!(status.success(), "nothing is found in our own oracle");
    started.elapsed()
}

fn main() {
    let cases: u64 = std::env::var("LOZENGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(40_000);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs: Vec<usize> = [1, 2, 4, 8].into_iter().filter(|jobs| *jobs <= cores).collect();
    let mut best = vec![Duration::MAX; jobs.len()];
    for _ in 0..ROUNDS {
        for (best, jobs) in best.iter_mut().zip(&jobs) {
            *best = (*best).min(time(cases, *jobs));
        }
    }
    println!("{cases} cases of solve and check, best of {ROUNDS} runs\njobs  cases a second  growth");
    for (jobs, took) in jobs.iter().zip(&best) {
        let growth = best[0].as_secs_f64() / took.as_secs_f64();
        #[allow(clippy::cast_precision_loss)]
        let rate = cases as f64 / took.as_secs_f64();
        println!("{jobs:>4}  {rate:>14.0}  {growth:>6.2}");
    }
}
