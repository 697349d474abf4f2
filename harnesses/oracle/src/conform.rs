//! `lozenge conform`: runs an engine on the conformance corpus.

mod report;

use crate::compare::{Difference, Outcome};
use crate::corpus::case::{Case, Corpus};
use crate::corpus::inventory;
use crate::engine::{Engine, Trouble};
use crate::interrupt;
use crate::output::{Answer, Exit, Failure, Output};
use crate::progress::Progress;
use crate::whole::{Target, apart};
use report::{Found, Report};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  lozenge conform --engine 'python3 tests/engines/python/engine.py'
  lozenge conform --engine ./my-engine --corpus tests/conformance/paper.jsonl
  lozenge conform --engine ./my-engine --junit results.xml --report results.json

The engine reads requests of spec/protocol.md on its standard input, one a line, and writes one
answer a line. It may answer only some operations: to the others it says
{\"verdict\":\"error\",\"kind\":\"unsupported\"}. tests/conformance/README.md begins at the beginning.

Exit status: 0 nothing failed, 1 something did, 2 bad input or an engine that does not start,
128 + n after signal n (130 after Ctrl-C), with the report of what was done.";

/// The corpus of the repository.
const CORPUS: &str = "tests/conformance";

/// Run an engine on the conformance corpus
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub engine: EngineArgs,
    /// A file of cases, or a folder of them; tests/conformance if absent
    #[arg(long, value_name = "PATH")]
    corpus: Vec<PathBuf>,
    /// Only the cases that exercise this definition
    #[arg(long, value_name = "NUMBER")]
    definition: Option<String>,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a JSON report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// How many failures are described
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
}

/// How an engine is run.
#[derive(clap::Args)]
pub struct EngineArgs {
    /// The engine's command line
    #[arg(long, value_name = "CMD")]
    pub engine: String,
    /// How long one answer may take, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 5000)]
    pub time_limit: u64,
    /// How many processes of the engine run at a time; as many as there are cores if absent
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
}

/// The most processes of an engine at a time.
const MOST_JOBS: usize = 1000;

fn jobs(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|jobs| (1..=MOST_JOBS).contains(jobs));
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST_JOBS}"))
}

impl EngineArgs {
    /// The engine, not started yet.
    pub fn new_engine(&self) -> Engine {
        Engine::shell(&self.engine, Duration::from_millis(self.time_limit.max(1)))
    }

    /// How many of them.
    pub fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores)
    }

    /// Does it start and answer a line? What it answers is no matter yet.
    pub fn try_out(&self) -> Result<(), Failure> {
        match self.new_engine().started() {
            Err(trouble @ (Trouble::Start(_) | Trouble::Crash(_))) => {
                let message = format!("`{}`: {trouble}", crate::output::visible(&self.engine));
                Err(Failure::input("engine", message))
            }
            _ => Ok(()),
        }
    }
}

/// How a case ended.
pub enum Ended {
    /// The answer is right.
    Passed,
    /// It is wrong, or there is none.
    Failed(Difference),
    /// Right by ⊑¹.
    Reading(Difference),
    /// The engine does not answer this.
    Unsupported,
}

/// A case, how it ended, and how long that took.
pub struct Tried {
    /// The number of the case.
    pub case: usize,
    /// How it ended.
    pub ended: Ended,
    /// The answer, if there was one.
    pub answer: Option<String>,
    /// The time.
    pub took: Duration,
}

/// A bar that several threads move.
pub struct Bar(Mutex<Progress>);

impl Bar {
    /// Counts to this number of cases.
    pub fn new(what: &'static str, cases: usize) -> Self {
        Bar(Mutex::new(Progress::new(what, cases as u128)))
    }

    /// One more is done.
    pub fn step(&self) {
        if let Ok(mut bar) = self.0.lock() {
            bar.add(1);
        }
    }
}

/// Runs one case; none after Ctrl-C.
fn try_case(engine: &mut Engine, number: usize, case: &Case) -> Option<Tried> {
    let started = Instant::now();
    let reply = engine.ask(&case.to_send());
    let ended = match &reply {
        Ok(line) => match case.compare(line) {
            Outcome::Agree => Ended::Passed,
            Outcome::Unsupported => Ended::Unsupported,
            Outcome::Reading(difference) => Ended::Reading(difference),
            Outcome::Differ(difference) => Ended::Failed(difference),
        },
        Err(Trouble::Interrupted) => return None,
        Err(trouble) => Ended::Failed(Difference { what: trouble.to_string(), definition: "protocol".to_owned() }),
    };
    if matches!(&ended, Ended::Failed(difference) if difference.definition == "protocol") {
        // Its next line may belong to this question: another process does not know it.
        engine.stop();
    }
    Some(Tried { case: number, ended, answer: reply.ok(), took: started.elapsed() })
}

/// Runs all cases, in as many processes as asked for; what was done until Ctrl-C, in order.
fn try_all(args: &Args, cases: &[Case]) -> Vec<Tried> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let bar = Bar::new("conform", cases.len());
    std::thread::scope(|scope| {
        for _ in 0..args.engine.jobs().min(cases.len().max(1)) {
            scope.spawn(|| {
                let mut engine = args.engine.new_engine();
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    let Some(case) = cases.get(number).filter(|_| !interrupt::pressed()) else { return };
                    let Some(tried) = try_case(&mut engine, number, case) else { return };
                    bar.step();
                    if let Ok(mut done) = done.lock() {
                        done.push(tried);
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|tried: &Tried| tried.case);
    done
}

/// The corpus asked for. That of the repository has an inventory.
fn read_corpus(args: &Args) -> Result<Corpus, Failure> {
    let mut corpus = Corpus::default();
    for path in &args.corpus {
        corpus.read(path)?;
    }
    if args.corpus.is_empty() {
        let folder = Path::new(CORPUS);
        corpus.read(folder)?;
        if corpus.listed == 0 {
            return Err(inventory::wrong(&folder.join(inventory::NAME), "it is missing: lozenge corpus --write"));
        }
    }
    Ok(corpus)
}

/// Runs and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let open = |path: &Option<PathBuf>| path.as_deref().map(Target::open).transpose();
    let (junit, json) = (open(&args.junit)?, open(&args.report)?);
    let Corpus { mut cases, files, listed } = read_corpus(args)?;
    apart(&[junit.as_ref(), json.as_ref()], files.iter().map(|(file, _)| file.as_path()))?;
    let found = Found { files, listed, definition: args.definition.as_deref() };
    if let Some(definition) = &args.definition {
        cases.retain(|case| case.definitions.contains(definition));
    }
    if cases.is_empty() {
        return Err(Failure::input("unknown", "no case exercises this definition"));
    }
    args.engine.try_out()?;
    interrupt::watch();
    let done = try_all(args, &cases);
    let report = Report::new(&args.engine.engine, &found, &cases, &done);
    let written: Vec<Result<(), Failure>> = [(junit, report.junit()), (json, report.json_text())]
        .into_iter()
        .filter_map(|(target, text)| Some(target?.write(text.as_bytes())))
        .collect();
    if out.json {
        out.json(&report.json())?;
    } else {
        report.print(args.show, out)?;
    }
    // What was found is shown even where it cannot be kept.
    written.into_iter().collect::<Result<(), Failure>>()?;
    match interrupt::pressed() {
        true => Ok(Exit::Interrupted),
        false => Ok(Exit::from(report.failed() == 0)),
    }
}
