//! `lozenge fuzz`: random questions to an engine, compared with the reference, made small, and grouped.

mod coverage;
mod make;
mod pool;
mod report;

use crate::compare::Capabilities;
use crate::conform::{Bar, EngineArgs};
use crate::corpus::case::Case;
use crate::engine::Engine;
use crate::findings::cluster::{Cluster, Clusters};
use crate::findings::known::{KnownArgs, List};
use crate::findings::shrinker::Shrinker;
use crate::findings::{Class, Heard, observe};
use crate::interrupt;
use crate::made::Made;
use crate::output::{Answer, Exit, Failure, Output};
use crate::whole::{Appended, Target, apart};
use coverage::Coverage;
use make::Maker;
pub use report::print_gone;
use report::{Report, Totals};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  lozenge fuzz --engine 'python3 tests/engines/python/engine.py' --seed 1 --cases 10000
  lozenge fuzz --engine ./my-engine --known known.json --learn          writes down what differs today
  lozenge fuzz --engine ./my-engine --known known.json --time 60        fails on what is not written down
  lozenge fuzz --engine ./my-engine --shard 3/8 --report part3.json     one of eight machines
  lozenge fuzz --merge part*.json --html found.html                     what all of them found
  lozenge fuzz --engine ./my-engine --ops solve --equalities 0 --open-rows 9  inequalities only
  lozenge fuzz --engine ./my-engine --append found.jsonl                keeps what it finds as cases

Case number k of a seed is the same on every machine, whatever the shard and the number of jobs. Shard
i/n has the cases k with k mod n = i - 1. Crashes, hangs and garbage are findings, and the run goes on.
A finding stands for all cases that come down to it: the same definition, the same kind, the same
smallest case up to names, sizes, order and mirroring. Its id is the same in every run.
A difference that is none where closed rows are compared by the one-shot relation (Remark 2.15) is
reported apart: some engines compare rows by content, and that is a difference of reading.

Exit status: 0 nothing new was found; 1 something was; 2 bad input or an engine that does not start;
5 with --strict-known, where nothing is new and a known difference is gone;
128 + n after signal n (130 after Ctrl-C), with the report of what was done.";

/// Look for bugs in an engine with random questions
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The engine's command line
    #[arg(long, value_name = "CMD", required_unless_present = "merge")]
    engine: Option<String>,
    #[command(flatten)]
    run: EngineArgs,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many cases, over all shards; 10000 if there is no --time
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    cases: Option<u64>,
    /// How many seconds to go on
    #[arg(long, value_name = "SECONDS", value_parser = at_least_one)]
    time: Option<u64>,
    /// The part of the cases to run: i/n
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// How many new findings end the run
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one)]
    findings: u64,
    /// Append what is found to a file of cases
    #[arg(long, value_name = "FILE")]
    append: Option<PathBuf>,
    /// Write the report as JSON, for --merge
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the findings as a page, with pictures
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Put the reports of several runs together, and ask nothing
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["engine", "append"])]
    merge: Vec<PathBuf>,
    #[command(flatten)]
    known: KnownArgs,
    #[command(flatten)]
    make: make::MakeArgs,
}

/// A run that may not ask, or not find, would always pass.
fn at_least_one(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("expected a whole number from 1 to {}: with 0 nothing would be asked", u64::MAX))
}

/// How many cases there are without a word.
const CASES: u64 = 10_000;

impl Args {
    /// How many cases, over all shards; none where only the time ends the run.
    fn cases_unless_timed(&self) -> Option<u64> {
        self.cases.or(if self.time.is_some() { None } else { Some(CASES) })
    }
}

/// One of n parts.
#[derive(Clone, Copy, Debug)]
struct Shard {
    number: u64,
    of: u64,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not i/n with 1 <= i <= n");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let (number, of) = (number.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if (1..=of).contains(&number) { Ok(Shard { number, of }) } else { Err(wrong()) }
    }
}

/// The numbers of a shard's cases. They are not kept: there may be very many.
struct Numbers {
    shard: Shard,
    /// The number of cases over all shards.
    below: u64,
}

impl Numbers {
    /// The one at this place.
    fn get(&self, place: usize) -> Option<u64> {
        let number = u64::try_from(place).ok()?.checked_mul(self.shard.of)?.checked_add(self.shard.number - 1)?;
        (number < self.below).then_some(number)
    }

    /// How many there are.
    fn count(&self) -> usize {
        let after = self.below.saturating_sub(self.shard.number - 1);
        usize::try_from(after.div_ceil(self.shard.of)).unwrap_or(usize::MAX)
    }

    /// The first so many of them.
    fn first(&self, count: usize) -> impl Iterator<Item = u64> + '_ {
        (0..count).map_while(|place| self.get(place))
    }
}

/// A case that the engine gets wrong, and what it comes down to.
struct Seen {
    number: u64,
    size: usize,
    cluster: Arc<Cluster>,
}

/// A run under way.
struct Run<'a> {
    args: &'a Args,
    maker: Maker,
    numbers: Numbers,
    capabilities: &'a Capabilities,
    known: &'a List,
    shrinker: Shrinker,
    append: Option<Appended>,
    began: Instant,
    until: Option<Instant>,
    next: AtomicUsize,
    bar: Bar,
    found: Mutex<Found>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    seen: Vec<Seen>,
    coverage: Coverage,
    /// The numbers of cases that the engine does not answer.
    unsupported: Vec<u64>,
    /// The ids of new findings.
    new: BTreeSet<String>,
    /// Was there a hang? Then the next is no surprise.
    hung: bool,
    /// Why what was found cannot be appended.
    kept: Option<Failure>,
}

impl Run<'_> {
    fn is_over(&self) -> bool {
        interrupt::pressed()
            || self.until.is_some_and(|until| Instant::now() >= until)
            || self.found.lock().is_ok_and(|found| found.new.len() as u64 >= self.args.findings)
    }

    /// Asks cases in order, until it is over. Every case before the last is asked to the end, so what is found does not
    /// depend on the number of jobs.
    fn work(&self, engine: &mut Engine) {
        let mut coverage = Coverage::default();
        while !self.is_over() {
            let place = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(number) = self.numbers.get(place) else { break };
            let made = self.maker.make(self.args.seed, number);
            coverage.add(&made);
            self.case(engine, number, made);
            match self.args.cases_unless_timed() {
                Some(_) => self.bar.step(),
                None => self.bar.to(self.began.elapsed().as_millis()),
            }
        }
        if let Ok(mut found) = self.found.lock() {
            found.coverage.merge(&coverage);
        }
    }

    fn case(&self, engine: &mut Engine, number: u64, made: Made) {
        let limit = engine.limit;
        if self.found.lock().is_ok_and(|found| found.hung) {
            engine.limit = engine.short_limit();
        }
        let heard = match self.capabilities.answers(made.op()) {
            true => observe(engine, self.capabilities, &made.request(number)).0,
            false => Heard::Unsupported,
        };
        let size = made.size();
        engine.limit = limit;
        let cluster = match &heard {
            Heard::Wrong(observed) => self.shrinker.shrink(engine, made, observed),
            _ => None,
        };
        let Ok(mut found) = self.found.lock() else { return };
        if matches!(heard, Heard::Unsupported) {
            found.unsupported.push(number);
        }
        let Some(cluster) = cluster else { return };
        found.hung |= cluster.class == Class::Hang;
        // A finding is kept as soon as it is there. Where that fails, what was found is still shown.
        let first = cluster.is_fault() && self.known.note(&cluster.id).is_none();
        if first && found.new.insert(cluster.id.clone()) && found.kept.is_none() {
            let case = Cluster { case: number.into(), ..(*cluster).clone() };
            let line = case_of(self.args.seed, &case).to_line();
            found.kept = self.append.as_ref().and_then(|file| file.line(&line).err());
        }
        found.seen.push(Seen { number, size, cluster });
    }

    /// What all jobs found, up to the case that brought the last new finding asked for.
    fn ended(self) -> (Clusters, Totals, Option<Failure>) {
        let Found { mut seen, unsupported, mut coverage, kept, .. } = self.found.into_inner().unwrap_or_default();
        seen.sort_by_key(|seen| seen.number);
        let asked = self.next.into_inner();
        let (mut clusters, mut last) = (Clusters::default(), None);
        for Seen { number, size, cluster } in seen {
            clusters.add(&cluster, number.into(), size);
            self.known.mark(&mut clusters);
            if clusters.new_ones() as u64 >= self.args.findings {
                last = Some(number);
                break;
            }
        }
        let until = |number: &u64| last.is_none_or(|last| *number <= last);
        let unsupported = unsupported.iter().filter(|number| until(number)).count();
        if last.is_some() {
            // Other jobs were further on: what they exercised does not count.
            coverage = Coverage::default();
            let cases = self.numbers.first(asked).filter(until);
            cases.for_each(|number| coverage.add(&self.maker.make(self.args.seed, number)));
        }
        let asked = self.numbers.first(asked).filter(until).count();
        let totals = Totals { asked: asked as u64, unsupported: unsupported as u64, coverage };
        (clusters, totals, kept)
    }
}

/// Asks, and puts together what was found.
fn ask(args: &Args, command: &str, known: &mut List) -> Result<(Clusters, Totals, Option<Failure>), Failure> {
    let append = args.append.as_deref().map(Appended::open).transpose()?;
    let maker = Maker::new(&args.make, args.seed).map_err(|what| Failure::input("usage", what))?;
    let capabilities = args.run.try_out(command)?;
    interrupt::watch();
    let mut engines: Vec<Engine> = (0..args.run.jobs()).map(|_| args.run.new_engine(command)).collect();
    if let Some(engine) = engines.first_mut() {
        known.ask_again(engine, &capabilities);
    }
    let cases = args.cases_unless_timed();
    let numbers = Numbers { shard: args.shard, below: cases.unwrap_or(u64::MAX) };
    let millis = || usize::try_from(args.time.unwrap_or_default().saturating_mul(1_000)).unwrap_or(usize::MAX);
    let bar = Bar::new("fuzz", cases.map_or_else(millis, |_| numbers.count()));
    let shrinker = Shrinker::new(&capabilities);
    let began = Instant::now();
    let until = args.time.and_then(|seconds| began.checked_add(Duration::from_secs(seconds)));
    let (next, found) = (AtomicUsize::new(0), Mutex::default());
    let capabilities = &capabilities;
    let run = Run { args, maker, numbers, capabilities, known, shrinker, append, began, until, next, bar, found };
    std::thread::scope(|scope| {
        for engine in &mut engines {
            scope.spawn(|| run.work(engine));
        }
    });
    Ok(run.ended())
}

/// Asks or merges, and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let open = |path: &Option<PathBuf>| path.as_deref().map(Target::open).transpose();
    let (json, html, append) = (open(&args.report)?, open(&args.html)?, open(&args.append)?);
    let read = args.merge.iter().chain(&args.known.known).map(PathBuf::as_path);
    apart(&[json.as_ref(), html.as_ref(), append.as_ref()], read)?;
    let mut known = List::read(&args.known)?;
    let (report, appended) = match &args.engine {
        None => {
            let mut merged = report::merge(&args.merge)?;
            known.mark(&mut merged.findings);
            (merged, None)
        }
        Some(command) => {
            let (findings, totals, appended) = ask(args, command, &mut known)?;
            known.found(&findings);
            (Report { seed: Some(args.seed), totals, findings, gone: known.gone.clone() }, appended)
        }
    };
    // What was found is shown even where it cannot be kept.
    let mut kept: Vec<Result<(), Failure>> = appended.into_iter().map(Err).collect();
    kept.extend(json.map(|target| target.write(report.to_text().as_bytes())));
    kept.extend(html.map(|target| target.write(report.page(out).as_bytes())));
    report.print(out)?;
    let (new, gone) = (List::left(&args.known, &report.findings), !report.gone.is_empty());
    kept.push(known.learn(&args.known, &report.findings));
    kept.into_iter().collect::<Result<(), Failure>>()?;
    Ok(match interrupt::pressed() {
        true => Exit::Interrupted,
        false if new > 0 => Exit::No,
        false if gone && args.known.strict_known => Exit::Gone,
        false => Exit::Yes,
    })
}

/// The case of a finding, for a file of cases.
fn case_of(seed: u64, finding: &Cluster) -> Case {
    let id = match &finding.case {
        Value::Number(number) => format!("fuzz/{seed}-{number}"),
        _ => format!("fuzz/{}", finding.id),
    };
    Case::new(&id, "found by lozenge fuzz", finding.request.clone(), std::slice::from_ref(&finding.definition))
}
