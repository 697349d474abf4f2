//! `lozenge fuzz`: random questions to an engine, compared with the reference and shrunk.

mod make;
mod report;
mod shrink;

use crate::compare::{Difference, Freedom, Outcome, Question};
use crate::conform::{Bar, EngineArgs};
use crate::corpus::case::Case;
use crate::engine::{Engine, Trouble};
use crate::interrupt;
use crate::oracle::reference;
use crate::output::{Answer, Exit, Failure, Output};
use crate::whole::Appended;
use make::{Made, Maker};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const EXAMPLES: &str = "\
Examples:
  lozenge fuzz --engine 'python3 tests/engines/python/engine.py' --seed 1 --cases 10000
  lozenge fuzz --engine ./my-engine --seed 1 --cases 1000000 --shard 3/8      one of eight machines
  lozenge fuzz --engine ./my-engine --ops solve --equalities 0 --open-rows 9  inequalities only
  lozenge fuzz --engine ./my-engine --append found.jsonl                      keeps what it finds

Case number k of a seed is the same on every machine, whatever the shard and the number of jobs. Shard
i/n has the cases k with k mod n = i - 1. Crashes, hangs and garbage are findings, and the run goes on.
A difference that is none where closed rows are compared by the one-shot relation (Remark 2.15) is
reported apart: some engines compare rows by content, and that is a difference of reading.

Exit status: 0 nothing was found, or only differences of reading; 1 something was; 2 bad input or an
engine that does not start; 128 + n after signal n (130 after Ctrl-C), with the report of what was done.";

/// Look for bugs in an engine with random questions
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many cases, over all shards
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    cases: u64,
    /// The part of the cases to run: i/n
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// How many findings end the run
    #[arg(long, value_name = "N", default_value_t = 10)]
    findings: usize,
    /// Append what is found to a file of cases
    #[arg(long, value_name = "FILE")]
    append: Option<PathBuf>,
    #[command(flatten)]
    make: make::MakeArgs,
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

/// What kind of finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A wrong answer.
    Difference,
    /// Right by ⊑¹.
    Reading,
    /// No answer in time.
    Hang,
    /// The engine ended.
    Crash,
    /// No line of the protocol.
    Garbage,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Difference => "difference",
            Class::Reading => "reading",
            Class::Hang => "hang",
            Class::Crash => "crash",
            Class::Garbage => "garbage",
        }
    }
}

/// What an engine did to one question.
pub struct Observed {
    pub class: Class,
    pub difference: Difference,
    pub answer: Option<String>,
}

/// A finding, shrunk.
pub struct Finding {
    pub number: u64,
    pub observed: Observed,
    pub made: Made,
    pub request: Value,
    pub expected: Value,
    /// How many constraints or statements it had before.
    pub before: usize,
    /// How many questions shrinking took.
    pub questions: usize,
}

/// How an engine fared with one question.
pub enum Heard {
    Fine,
    Unsupported,
    Stopped,
    Wrong(Observed),
}

/// Asks both, and compares.
pub fn observe(engine: &mut Engine, request: &Value) -> (Heard, Value) {
    let expected = reference(request);
    let protocol = |what: String| Difference { what, definition: "protocol".to_owned() };
    let line = match engine.ask(&request.to_string()) {
        Ok(line) => line,
        Err(trouble) => {
            let class = match &trouble {
                Trouble::Interrupted => return (Heard::Stopped, expected),
                Trouble::Hang(_) => Class::Hang,
                Trouble::Crash(_) | Trouble::Start(_) => Class::Crash,
                Trouble::Garbage(_) => Class::Garbage,
            };
            let difference = protocol(trouble.to_string());
            return (Heard::Wrong(Observed { class, difference, answer: None }), expected);
        }
    };
    if serde_json::from_str::<Value>(&line).is_err() {
        // Its next line may belong to this question: another process does not know it.
        engine.stop();
        let difference = protocol("the answer is no line of the protocol: it is not JSON".to_owned());
        return (Heard::Wrong(Observed { class: Class::Garbage, difference, answer: Some(line) }), expected);
    }
    // The freedom takes several runs to find out: only where it matters.
    let strict = Question { request, expected: &expected, freedom: crate::compare::freedom::NONE };
    let mut outcome = strict.compare_line(&line);
    if !matches!(outcome, Outcome::Agree | Outcome::Unsupported) {
        let question = Question { freedom: Freedom::of(request, &expected), ..strict };
        outcome = question.compare_line(&line);
    }
    if matches!(&outcome, Outcome::Differ(difference) if difference.definition == "protocol") {
        engine.stop();
    }
    let heard = match outcome {
        Outcome::Agree => Heard::Fine,
        Outcome::Unsupported => Heard::Unsupported,
        Outcome::Reading(difference) => {
            Heard::Wrong(Observed { class: Class::Reading, difference, answer: Some(line) })
        }
        Outcome::Differ(difference) => {
            Heard::Wrong(Observed { class: Class::Difference, difference, answer: Some(line) })
        }
    };
    (heard, expected)
}

/// How many cases were asked, and how many the engine does not support.
#[derive(Default)]
pub struct Tally {
    pub asked: AtomicU64,
    pub unsupported: AtomicU64,
}

/// Asks cases in order until so many went wrong, and gives the numbers of these, in order. Every case before the last of
/// them has been asked, so what is found does not depend on the number of jobs.
fn ask_until(args: &Args, maker: &Maker, engines: &mut [Engine], cases: &Cases, enough: usize) -> Vec<u64> {
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for engine in engines.iter_mut() {
            scope.spawn(|| {
                loop {
                    if interrupt::pressed()
                        || wrong.lock().is_ok_and(|wrong: std::sync::MutexGuard<'_, Vec<u64>>| wrong.len() >= enough)
                    {
                        return;
                    }
                    let Some(number) = cases.numbers.get(cases.next.fetch_add(1, Ordering::SeqCst)) else { return };
                    let request = maker.make(args.seed, number).request(number);
                    match observe(engine, &request).0 {
                        Heard::Stopped => return,
                        Heard::Fine => {}
                        Heard::Unsupported => drop(cases.tally.unsupported.fetch_add(1, Ordering::SeqCst)),
                        Heard::Wrong(_) => {
                            if let Ok(mut wrong) = wrong.lock() {
                                wrong.push(number);
                            }
                        }
                    }
                    cases.tally.asked.fetch_add(1, Ordering::SeqCst);
                    cases.bar.step();
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap_or_default();
    wrong.sort_unstable();
    wrong
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
}

/// The cases of a run, and how far it is.
struct Cases {
    numbers: Numbers,
    next: AtomicUsize,
    tally: Tally,
    bar: Bar,
}

/// Runs and reports.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let maker = Maker::new(&args.make).map_err(|what| Failure::input("usage", what))?;
    let append = args.append.as_deref().map(Appended::open).transpose()?;
    args.engine.try_out()?;
    interrupt::watch();
    let numbers = Numbers { shard: args.shard, below: args.cases };
    let mut engines: Vec<Engine> = (0..args.engine.jobs()).map(|_| args.engine.new_engine()).collect();
    let bar = Bar::new("fuzz", numbers.count());
    let cases = Cases { numbers, next: AtomicUsize::new(0), tally: Tally::default(), bar };
    let mut findings: Vec<Finding> = Vec::new();
    // A finding is kept as soon as it is there. Where that fails, what was found is still shown.
    let mut kept = Ok(());
    while !interrupt::pressed() && findings.len() < args.findings {
        let wrong = ask_until(args, &maker, &mut engines, &cases, args.findings - findings.len());
        if wrong.is_empty() {
            break;
        }
        for number in wrong {
            if interrupt::pressed() || findings.len() >= args.findings {
                break;
            }
            let Some(engine) = engines.first_mut() else { break };
            let Some(finding) = shrink::shrink(engine, number, maker.make(args.seed, number)) else { continue };
            let same = |other: &Finding| {
                other.made.text() == finding.made.text() && other.observed.class == finding.observed.class
            };
            if findings.iter().any(same) {
                continue;
            }
            if let Some(file) = append.as_ref().filter(|_| kept.is_ok()) {
                kept = file.line(&case_of(args.seed, &finding).to_line());
            }
            findings.push(finding);
        }
    }
    let Cases { tally, bar, .. } = cases;
    drop((bar, engines));
    report::print(args.seed, &findings, &tally, out)?;
    kept?;
    let found = findings.iter().any(|finding| finding.observed.class != Class::Reading);
    match interrupt::pressed() {
        true => Ok(Exit::Interrupted),
        false => Ok(Exit::from(!found)),
    }
}

/// The case of a finding, for a file of cases.
fn case_of(seed: u64, finding: &Finding) -> Case {
    let id = format!("fuzz/{seed}-{}", finding.number);
    let definition = finding.observed.difference.definition.clone();
    Case::new(&id, "found by lozenge fuzz", finding.request.clone(), &[definition])
}
