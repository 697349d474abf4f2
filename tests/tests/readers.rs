//! A short run of every fuzz target: the seeds, and deterministic changes of them. `harnesses/fuzz/run` drives the same
//! bodies by coverage.
#![allow(missing_docs)]

use lozenge_harnesses::fuzz::mutate::{TOKENS, dictionary, mutated};
use lozenge_harnesses::fuzz::{self, seeds};
use lozenge_harnesses::programs::Numbers;
use lozenge_oracle::readers;
use lozenge_tests::{python, read, root, scratch, setting};
use std::collections::BTreeSet;
use std::process::Command;
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
    let (here, script) = (read("tests/tests/readers.rs"), read("harnesses/fuzz/run"));
    let listed = script.lines().find_map(|line| line.strip_prefix("all=(")?.strip_suffix(')')).expect("a list");
    let mut listed: Vec<&str> = listed.split(' ').collect();
    let mut known = seeds::TARGETS;
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
    for target in known {
        assert!(here.contains(&format!("run(\"{target}\",")), "{target} is not run here");
        let program = read(&format!("harnesses/fuzz/targets/{target}.rs"));
        assert!(program.contains(&format!("fuzz::{target}(bytes")), "{target} drives something else");
    }
}

/// The words in code of the first column of a section's tables.
fn words<'a>(page: &'a str, section: &str) -> Vec<&'a str> {
    let after = page.split(&format!("\n## {section}\n")).nth(1).expect("the section");
    let rows = after.split("\n## ").next().unwrap_or("").lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_dictionary_has_the_words_of_the_protocol() {
    let tokens: BTreeSet<&[u8]> = TOKENS.iter().map(Vec::as_slice).collect();
    assert_eq!(tokens.len(), TOKENS.len(), "every token is there once");
    let protocol = read("spec/protocol.md");
    let words = words(&protocol, "Requests");
    assert!(words.len() > 30 && words.contains(&"solve") && words.contains(&"certificate"), "{words:?}");
    for word in words {
        let (field, op) = (format!("\"{word}\":"), format!("\"{word}\""));
        let found = tokens.contains(field.as_bytes()) || tokens.contains(op.as_bytes());
        assert!(found, "harnesses/fuzz/lozenge.dict: {word}");
    }
}

#[test]
fn the_dictionary_is_in_the_format_of_libfuzzer() {
    let read = dictionary("# a comment\n\n\"a b\"\nname=\"\\\\\\\"\\xe2\"\n");
    assert_eq!(read, Ok(vec![b"a b".to_vec(), b"\\\"\xe2".to_vec()]));
    for line in ["a", "\"a", "\"\"", "=\"a\"", "name\"a\"", "\"a\"b", "\"a\"b\"", "\"\\n\"", "\"\\x1\"", "\"⋄\""] {
        assert_eq!(dictionary(line), Err(line.to_owned()));
    }
}

/// As .clusterfuzzlite/build.sh writes them.
#[test]
fn seeds_are_written_for_clusterfuzzlite() {
    let folder = scratch("seeds");
    let output = Command::new("harnesses/fuzz/seeds").arg("--zip").arg(&folder).current_dir(root()).output();
    let output = output.expect("the script runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let count = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))";
    for target in seeds::TARGETS {
        let archive = folder.join(format!("{target}_seed_corpus.zip"));
        let listed = Command::new(python()).args(["-c", count]).arg(&archive).output().expect("python runs");
        let listed = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
        assert_eq!(listed, seeds::seeds(target).len().to_string(), "{}", archive.display());
    }
}

/// cargo-fuzz finds the targets by the manifest, and ClusterFuzzLite by what build.sh copies.
#[test]
fn cargo_fuzz_finds_every_target() {
    let manifest = read("harnesses/fuzz/Cargo.toml");
    assert!(manifest.contains("\n[package.metadata]\ncargo-fuzz = true\n"));
    let listed: BTreeSet<&str> =
        manifest.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    let expected: BTreeSet<&str> = seeds::TARGETS.into_iter().chain(["lozenge-fuzz"]).collect();
    assert_eq!(listed, expected);
    let build = read(".clusterfuzzlite/build.sh");
    assert!(build.contains(&format!("max_len = {}\\n", fuzz::MOST_BYTES)), "the longest input");
}
