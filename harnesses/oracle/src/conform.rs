//! `lozenge conform`: runs an engine on the conformance corpus.

mod report;

use crate::compare::{Capabilities, Difference};
use crate::corpus::case::{Case, Corpus};
use crate::engine::{Engine, Trouble};
use crate::findings::cluster::{Cluster, Clusters};
use crate::findings::known::{KnownArgs, List};
use crate::findings::shrinker::Shrinker;
use crate::findings::{Class, Heard, Observed, html};
use crate::interrupt;
use crate::made::Made;
use crate::output::{Answer, Exit, Failure, Output, beginning, visible};
use crate::progress::Progress;
use crate::whole::{Target, apart};
use report::{Found, Number, Report};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  lozenge conform --engine 'python3 tests/engines/python/engine.py'
  lozenge conform --engine ./my-engine --corpus tests/conformance/paper.jsonl
  lozenge conform --engine ./my-engine --junit results.xml --report results.json
  lozenge conform --engine ./my-engine --known known.json --learn    writes down what differs today
  lozenge conform --engine ./my-engine --known known.json            fails on what is not written down

The engine reads requests of spec/protocol.md on its standard input, one a line, and writes one
answer a line. It may answer only some operations: to the others it says
{\"verdict\":\"error\",\"kind\":\"unsupported\"}. tests/conformance/README.md begins at the beginning.

Failures are grouped: the same definition, the same kind, the same smallest case up to names, sizes,
order and mirroring. After --give-up hangs in a row the cases left are not run, and the report says so.

Exit status: 0 nothing failed that is not known, 1 something did, 2 bad input or an engine that does
not start, 3 cases were not run, 5 with --strict-known where nothing else failed and a known difference is gone,
128 + n after signal n (130 after Ctrl-C), with the report of what was done.";

/// Run an engine on the conformance corpus
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The engine's command line
    #[arg(long, value_name = "CMD")]
    engine: String,
    #[command(flatten)]
    run: EngineArgs,
    /// A file of cases, or a folder of them; the corpus that this program has inside if absent
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
    /// Write the findings as a page, with pictures
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// After how many hangs in a row the engine is given up
    #[arg(long, value_name = "N", default_value_t = 20)]
    give_up: usize,
    #[command(flatten)]
    known: KnownArgs,
    /// How many failures are described
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
}

/// How an engine is run.
#[derive(clap::Args)]
pub struct EngineArgs {
    /// How long one answer may take, in milliseconds; the first, to `version`, may take 20 s more, for the start
    #[arg(long, value_name = "MS", default_value_t = 5000)]
    pub time_limit: u64,
    /// How many processes of the engine run at a time; as many as there are cores if absent
    #[arg(long, value_name = "N", value_parser = crate::oracle::pool::jobs)]
    pub jobs: Option<usize>,
}

impl EngineArgs {
    /// The engine, not started yet.
    pub fn new_engine(&self, command: &str) -> Engine {
        Engine::shell(command, Duration::from_millis(self.time_limit.max(1)))
    }

    /// How many of them.
    pub fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores)
    }

    /// Does it start and answer a line? Then what it says of itself.
    pub fn try_out(&self, command: &str) -> Result<Capabilities, Failure> {
        let mut engine = self.new_engine(command);
        let named = |what: &str| Failure::input("engine", format!("`{}`: {what}", crate::output::visible(command)));
        let started = engine.started();
        match started {
            Err(trouble @ (Trouble::Start(_) | Trouble::Crash(_) | Trouble::Hang(_) | Trouble::Silent(_))) => {
                let words = engine.stderr().map_or_else(String::new, |words| format!("\n{words}"));
                Err(named(&format!("{trouble}{words}")))
            }
            // What else it answers is no matter yet.
            _ => Capabilities::of_answer(engine.who.as_deref().unwrap_or_default()).map_err(|what| named(&what)),
        }
    }
}

/// How a case ended.
pub enum Ended {
    /// The answer is right.
    Passed,
    /// It is wrong, or there is none; what it comes down to.
    Failed(Difference, Arc<Cluster>),
    /// Right by ⊑¹.
    Reading(Difference, Arc<Cluster>),
    /// The engine does not answer this.
    Unsupported,
}

impl Ended {
    /// What is wrong, and what it comes down to.
    pub fn wrong(&self) -> Option<(&Difference, &Arc<Cluster>)> {
        match self {
            Ended::Failed(difference, cluster) | Ended::Reading(difference, cluster) => Some((difference, cluster)),
            Ended::Passed | Ended::Unsupported => None,
        }
    }
}

/// A case, how it ended, and how long that took.
pub struct Tried {
    /// The number of the case.
    pub case: usize,
    /// How it ended.
    pub ended: Ended,
    /// The answer, if there was one, and what the engine wrote to its standard error meanwhile.
    pub answer: Option<String>,
    pub stderr: Option<String>,
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

    /// So much is done.
    pub fn to(&self, done: u128) {
        if let Ok(mut bar) = self.0.lock() {
            bar.to(done);
        }
    }

    /// One more is done.
    pub fn step(&self) {
        if let Ok(mut bar) = self.0.lock() {
            bar.add(1);
        }
    }
}

/// A run under way.
struct Run<'a> {
    args: &'a Args,
    cases: &'a [Case],
    capabilities: &'a Capabilities,
    shrinker: Shrinker,
    /// How many hangs there were since the last answer.
    hangs: AtomicUsize,
}

impl Run<'_> {
    /// What an engine makes of a case.
    fn hear(&self, engine: &mut Engine, case: &Case) -> Heard {
        if !self.capabilities.answers(case.op()) && case.line.is_none() {
            return Heard::Unsupported;
        }
        match engine.ask(&case.to_send()) {
            Ok(line) => {
                self.hangs.store(0, Ordering::SeqCst);
                Heard::of_outcome(case.compare(&line, self.capabilities), line, engine.stderr())
            }
            Err(trouble) => {
                if matches!(trouble, Trouble::Hang(_) | Trouble::Silent(_)) {
                    self.hangs.fetch_add(1, Ordering::SeqCst);
                }
                Observed::of_trouble(&trouble, engine.stderr()).map_or(Heard::Stopped, Heard::Wrong)
            }
        }
    }

    /// Runs one case; none after Ctrl-C.
    fn case(&self, engine: &mut Engine, number: usize) -> Option<Tried> {
        let (started, case) = (Instant::now(), &self.cases[number]);
        let heard = self.hear(engine, case);
        let took = started.elapsed();
        let plain = |ended| Some(Tried { case: number, ended, answer: None, stderr: None, took });
        let observed = match heard {
            Heard::Stopped => return None,
            Heard::Fine => return plain(Ended::Passed),
            Heard::Unsupported => return plain(Ended::Unsupported),
            Heard::Wrong(observed) => observed,
        };
        if observed.difference.definition == "protocol" {
            // Its next line may belong to this question: another process does not know it.
            engine.stop();
        }
        let cluster = self.cluster(engine, case, &observed);
        let Observed { class, difference, answer, stderr } = observed;
        let ended = match class {
            Class::Reading => Ended::Reading(difference, cluster),
            _ => Ended::Failed(difference, cluster),
        };
        Some(Tried { case: number, ended, answer, stderr, took })
    }

    /// What a case comes down to: its smallest, where it can be made smaller and is wrong in the same way again.
    fn cluster(&self, engine: &mut Engine, case: &Case, observed: &Observed) -> Arc<Cluster> {
        let made = Made::of_request(&case.request);
        let tired = self.hangs.load(Ordering::SeqCst) >= self.args.give_up;
        if !matches!(made, Made::Other(_)) && !tired && !interrupt::pressed() {
            let same = |cluster: &Arc<Cluster>| {
                cluster.class == observed.class && cluster.definition == observed.difference.definition
            };
            if let Some(cluster) = self.shrinker.shrink(engine, made, observed).filter(same) {
                return cluster;
            }
        }
        Arc::new(Cluster::of_case(&case.id, case.op(), observed, &case.request, &case.expected))
    }
}

/// Runs all cases, in as many processes as asked for; what was done until Ctrl-C, or until the engine was given up, in
/// order.
fn try_all(args: &Args, cases: &[Case], capabilities: &Capabilities) -> Vec<Tried> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let bar = Bar::new("conform", cases.len());
    let (shrinker, hangs) = (Shrinker::new(capabilities), AtomicUsize::new(0));
    let run = Run { args, cases, capabilities, shrinker, hangs };
    std::thread::scope(|scope| {
        for _ in 0..args.run.jobs().min(cases.len().max(1)) {
            scope.spawn(|| {
                let mut engine = args.run.new_engine(&args.engine);
                while !interrupt::pressed() && run.hangs.load(Ordering::SeqCst) < args.give_up {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= cases.len() {
                        return;
                    }
                    let Some(tried) = run.case(&mut engine, number) else { return };
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

/// What the failures come down to.
fn clusters(cases: &[Case], done: &[Tried]) -> Clusters {
    let mut clusters = Clusters::default();
    for tried in done {
        if let Some((_, cluster)) = tried.ended.wrong() {
            let case = &cases[tried.case];
            clusters.add(cluster, case.id.clone().into(), Made::of_request(&case.request).size());
        }
    }
    clusters
}

/// The corpus asked for; the one inside if none is.
fn read_corpus(args: &Args) -> Result<Corpus, Failure> {
    if args.corpus.is_empty() {
        return Corpus::inside();
    }
    let mut corpus = Corpus::default();
    for path in &args.corpus {
        corpus.read(path)?;
    }
    Ok(corpus)
}

/// No case exercises what was asked for: these are exercised.
fn none_exercises(definition: &str, there: BTreeSet<Number>) -> Failure {
    let all: Vec<String> = there.into_iter().map(|number| number.2).collect();
    let asked = visible(&beginning(definition.to_owned(), 40));
    Failure::input("unknown", format!("no case exercises `{asked}`: there are cases for {}", visible(&all.join(", "))))
}

/// Runs and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let open = |path: &Option<PathBuf>| path.as_deref().map(Target::open).transpose();
    let (junit, json, page) = (open(&args.junit)?, open(&args.report)?, open(&args.html)?);
    let Corpus { mut cases, files, listed } = read_corpus(args)?;
    let read = files.iter().map(|(file, _)| file.as_path()).chain(args.known.known.as_deref());
    apart(&[junit.as_ref(), json.as_ref(), page.as_ref()], read)?;
    let mut known = List::read(&args.known)?;
    let found = Found { files, listed, definition: args.definition.as_deref() };
    let there: BTreeSet<Number> = cases.iter().flat_map(|case| &case.definitions).map(|it| Number::of(it)).collect();
    if let Some(definition) = &args.definition {
        cases.retain(|case| case.definitions.contains(definition));
    }
    if cases.is_empty() {
        return Err(none_exercises(args.definition.as_deref().unwrap_or_default(), there));
    }
    let capabilities = args.run.try_out(&args.engine)?;
    interrupt::watch();
    known.ask_again(&mut args.run.new_engine(&args.engine), &capabilities);
    let done = try_all(args, &cases, &capabilities);
    let mut clusters = clusters(&cases, &done);
    known.mark(&mut clusters);
    known.found(&clusters);
    let report = Report::new(&args.engine, &found, &cases, &done, &clusters, &known.gone);
    let mut written: Vec<Result<(), Failure>> = Vec::new();
    written.extend(junit.map(|target| target.write(report.junit(args.known.strict_known).as_bytes())));
    written.extend(json.map(|target| target.write(report.json_text().as_bytes())));
    let about = [report.summary()];
    let html = |out: &Output| html::page("What lozenge conform found", &about, &clusters.0, &known.gone, out);
    written.extend(page.map(|target| target.write(html(out).as_bytes())));
    if out.json {
        out.json(&report.json())?;
    } else {
        report.print(args.show, out)?;
    }
    let (failed, gone) = (List::left(&args.known, &clusters) > 0, !known.gone.is_empty());
    // What was found is shown even where it cannot be kept.
    written.push(known.learn(&args.known, &clusters));
    written.into_iter().collect::<Result<(), Failure>>()?;
    Ok(match interrupt::pressed() {
        true => Exit::Interrupted,
        false if done.len() < cases.len() => Exit::Limit,
        false if failed => Exit::No,
        false if gone && args.known.strict_known => Exit::Gone,
        false => Exit::Yes,
    })
}
