//! A short run of every fuzz target: the seeds, and deterministic changes of them. `harnesses/fuzz/run` drives the same
//! bodies by coverage.
#![allow(missing_docs)]

use lozenge_harnesses::fuzz::{self, mutate::mutated, seeds};
use lozenge_harnesses::programs::Numbers;
use lozenge_oracle::readers;
use lozenge_tests::setting;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Another seed gives other changes: LOZENGE_FUZZ_SEED. LOZENGE_FUZZ_TIMES=10 makes ten times as many.
const SEED: u64 = 1;

/// A target that makes no end in this time hangs.
const HANGS: Duration = Duration::from_secs(1800);

/// The stack of the command's main thread.
const STACK: usize = 8 << 20;

/// Runs a body over the seeds of a target and so many changed ones. What it stops at is printed.
fn run(target: &'static str, changed: u64, body: fn(&[u8])) {
    let current = Arc::new(Mutex::new(Vec::new()));
    let (ended, end) = mpsc::channel();
    let shared = Arc::clone(&current);
    let (seed, times) = (setting("LOZENGE_FUZZ_SEED", SEED), setting("LOZENGE_FUZZ_TIMES", 1));
    let work = move || {
        let seeds = seeds::seeds(target);
        assert!(seeds.len() >= 5, "{target} has {} seeds", seeds.len());
        let made = (0..changed * times).map(|case| {
            let mut numbers = Numbers::of(seed, case);
            let [from, other] = [(); 2].map(|()| numbers.below(seeds.len()));
            mutated(&seeds[from], &seeds[other], &mut numbers)
        });
        for bytes in seeds.iter().cloned().chain(made) {
            shared.lock().expect("not poisoned").clone_from(&bytes);
            body(&bytes);
        }
        drop(ended);
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    // The other end goes away when all is done, and when the body panics.
    let hangs = end.recv_timeout(HANGS) == Err::<(), _>(mpsc::RecvTimeoutError::Timeout);
    let bytes = current.lock().expect("not poisoned").clone();
    let input = format!("{target}: \"{}\", of {} bytes", bytes.escape_ascii(), bytes.len());
    assert!(!hangs, "no end after {HANGS:?}: {input}");
    assert!(thread.join().is_ok(), "{input}");
}

#[test]
fn notation() {
    run("notation", 200_000, fuzz::notation);
}

#[test]
fn program() {
    run("program", 60_000, fuzz::program);
}

#[test]
fn spec() {
    run("spec", 300_000, fuzz::spec);
}

#[test]
fn json_program() {
    run("json_program", 100_000, fuzz::json_program);
}

#[test]
fn certificate() {
    run("certificate", 200_000, fuzz::certificate);
}

#[test]
fn model() {
    run("model", 150_000, fuzz::model);
}

#[test]
fn request() {
    run("request", 100_000, |bytes| fuzz::request(bytes, readers::answer));
}

#[test]
fn data() {
    run("data", 60_000, |bytes| fuzz::data(bytes, readers::npy, readers::write_npy, readers::answer));
}

#[test]
fn every_target_is_run_here_and_by_coverage() {
    let (here, script) = (lozenge_tests::read("tests/tests/readers.rs"), lozenge_tests::read("harnesses/fuzz/run"));
    let listed = script.lines().find_map(|line| line.strip_prefix("all=(")?.strip_suffix(')')).expect("a list");
    let mut listed: Vec<&str> = listed.split(' ').collect();
    let mut known = seeds::TARGETS;
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
    for target in known {
        assert!(here.contains(&format!("run(\"{target}\",")), "{target} is not run here");
        let program = lozenge_tests::read(&format!("harnesses/fuzz/targets/{target}.rs"));
        assert!(program.contains(&format!("fuzz::{target}(bytes")), "{target} drives something else");
    }
}
