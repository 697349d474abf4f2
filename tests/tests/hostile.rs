//! Hostile requests through one process of the oracle, and hostile engines under `conform` and `fuzz`.
#![allow(missing_docs)]

use lozenge_harnesses::fuzz::{read, well_formed};
use lozenge_tests::hostile::{Expected, Hostile, hostile};
use lozenge_tests::{lozenge, python, root, run, scratch, setting};
use serde_json::Value;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Another seed asks for other things: LOZENGE_HOSTILE_SEED.
const SEED: u64 = 1;

/// How many requests: LOZENGE_HOSTILE_REQUESTS.
const REQUESTS: u64 = 1_000_000;

/// An oracle that answers nothing for so long hangs.
const HANGS: Duration = Duration::from_secs(180);

/// What may be added to the memory of the process after a tenth of the requests.
const MORE_KIB: u64 = 64 << 10;

/// The verdicts of an operation, beside `limit` and the errors.
fn verdicts(op: &str) -> &'static [&'static str] {
    match op {
        "solve" => &["solved", "unsat", "rejected"],
        "close" => &["closed", "error", "unsat", "rejected"],
        "decide" => &["sat", "unsat", "unknown"],
        "check" => &["holds", "violated"],
        "infer" => &["inferred", "unsat", "rejected", "error"],
        "project" => &["projected", "failed", "unsat", "rejected", "error"],
        "run" => &["ran", "failed", "unsat", "rejected", "error"],
        _ => &["version"],
    }
}

/// Is this the answer that the request must get?
fn judged(hostile: &Hostile, answer: &[u8]) -> Result<(), String> {
    well_formed(&hostile.line, answer)?;
    let Some(answer) = read(answer) else { return Ok(()) };
    let field = |key: &str| answer[key].as_str().unwrap_or_default();
    let (verdict, kind) = (field("verdict"), field("kind"));
    let right = match hostile.expected {
        Expected::Any => true,
        Expected::Error(expected) => verdict == "error" && (expected.is_empty() || kind == expected),
        // A trace can be too long, and a random program can lack data.
        Expected::Answer(op) => {
            let id = read(&hostile.line).is_some_and(|line| line["id"] == answer["id"]);
            let limit = verdict == "limit" || (verdict == "error" && kind == "limit");
            id && (limit || verdicts(op).contains(&verdict))
        }
    };
    if right { Ok(()) } else { Err(format!("expected {:?}", hostile.expected)) }
}

/// The resident memory of a process in KiB; none elsewhere than on Linux.
fn resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Ends the process when it makes no progress.
fn watch(child: Arc<Mutex<Child>>, answered: Arc<AtomicU64>, done: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let (mut last, mut idle) = (0, Duration::ZERO);
        let step = Duration::from_millis(500);
        while !done.load(Ordering::Relaxed) {
            std::thread::sleep(step);
            let now = answered.load(Ordering::Relaxed);
            idle = if now == last { idle + step } else { Duration::ZERO };
            last = now;
            if idle > HANGS {
                let _ = child.lock().expect("not poisoned").kill();
            }
        }
    });
}

/// Makes requests and writes them, each sent on to be compared with its answer.
fn write(stdin: ChildStdin, seed: u64, requests: u64, sent: &mpsc::SyncSender<Hostile>) {
    let mut stdin = BufWriter::with_capacity(1 << 16, stdin);
    for case in 0..requests {
        let made = hostile(seed, case);
        let written = stdin.write_all(&made.line).and_then(|()| stdin.write_all(b"\n"));
        // A process that is gone is noticed where its answer is waited for.
        if sent.send(made).is_err() || written.is_err() {
            return;
        }
    }
    let _ = stdin.flush();
}

/// Sends so many requests through one process with these options; every answer is looked at.
fn serve(options: &[&str], requests: u64) {
    let seed = setting("LOZENGE_HOSTILE_SEED", SEED);
    let complaints = scratch(&format!("hostile{}", options.len())).join("stderr");
    let mut child = Command::new(lozenge())
        .arg("oracle")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&complaints).expect("a file"))
        .spawn()
        .expect("lozenge starts");
    let (pid, stdin) = (child.id(), child.stdin.take().expect("stdin"));
    let mut stdout = BufReader::with_capacity(1 << 16, child.stdout.take().expect("stdout"));
    let child = Arc::new(Mutex::new(child));
    let (answered, done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    watch(Arc::clone(&child), Arc::clone(&answered), Arc::clone(&done));
    // Requests are made and written while answers are read.
    let (sent, asked) = mpsc::sync_channel::<Hostile>(4096);
    let writer = std::thread::spawn(move || write(stdin, seed, requests, &sent));
    let (mut answer, mut early) = (Vec::new(), None);
    let mut failures = Vec::new();
    for (case, made) in asked.iter().enumerate() {
        answer.clear();
        let read = stdout.read_until(b'\n', &mut answer).expect("answers are read");
        let shown = |why: &str, answer: &[u8]| {
            let cut = |bytes: &[u8]| bytes[..bytes.len().min(2000)].escape_ascii().to_string();
            format!("{why}: request {case} of seed {seed}, {}\n  gets {}", cut(&made.line), cut(answer))
        };
        if read == 0 {
            let told = std::fs::read_to_string(&complaints).unwrap_or_default();
            panic!("{}\n{told}", shown("no answer: the process has ended, or hangs", b""));
        }
        if let Err(why) = judged(&made, &answer) {
            failures.push(shown(&why, &answer));
        }
        let count = answered.fetch_add(1, Ordering::Relaxed) + 1;
        if count == requests / 10 {
            early = resident(pid);
        }
    }
    let late = resident(pid);
    writer.join().expect("all is written");
    assert_eq!(answered.load(Ordering::Relaxed), requests);
    assert_eq!(stdout.read_until(b'\n', &mut answer).expect("the end"), 0, "more answers than requests");
    let status = child.lock().expect("not poisoned").wait().expect("it ends");
    done.store(true, Ordering::Relaxed);
    let first = failures.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} wrong answers:\n{first}", failures.len());
    assert_eq!(status.code(), Some(0));
    let told = std::fs::read_to_string(&complaints).expect("stderr");
    assert!(told.is_empty(), "{told}");
    if let (Some(early), Some(late)) = (early, late) {
        println!("{requests} requests of seed {seed}: {early} KiB after a tenth, {late} KiB at the end");
        assert!(late <= early + MORE_KIB, "memory grows from {early} to {late} KiB");
    }
}

#[test]
fn every_line_gets_its_answer_and_the_memory_is_flat() {
    serve(&[], setting("LOZENGE_HOSTILE_REQUESTS", REQUESTS));
}

#[test]
fn so_it_does_through_a_worker_with_limits() {
    let limits = ["--limits", "time=60000,memory=512,rank=64,elements=100000,fuel=2000"];
    serve(&limits, setting("LOZENGE_HOSTILE_REQUESTS", REQUESTS) / 100);
}

/// Engines that do everything but answer well.
const ENGINES: [&str; 12] =
    ["garbage", "binary", "much", "little", "order", "ids", "types", "never", "close", "die", "flood", "deep"];

fn engine(how: &str) -> String {
    format!("{} tests/engines/python/hostile.py {how}", python())
}

/// Does this with every engine at the same time: they mostly wait.
fn with_every_engine(each: impl Fn(&str) + Sync) {
    std::thread::scope(|scope| {
        for how in ENGINES {
            let each = &each;
            scope.spawn(move || each(how));
        }
    });
}

/// The report of a run over a hostile engine.
fn reported(command: &[&str], how: &str) -> Value {
    let engine = engine(how);
    let (status, out, err) =
        run(&[command, &["--json", "--jobs", "2", "--time-limit", "300", "--engine", &engine]].concat(), "");
    assert!(!err.contains("panicked"), "{how}: {err}");
    assert_eq!(status, Some(1), "{how}: {out}{err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{how}: {error}: {out}{err}"))
}

#[test]
fn conform_ends_with_a_report_whatever_the_engine_does() {
    let corpus = scratch("hostile_corpus").join("few.jsonl");
    let few: String =
        lozenge_tests::read("tests/conformance/paper.jsonl").lines().take(6).map(|l| format!("{l}\n")).collect();
    std::fs::write(&corpus, few).expect("written");
    let corpus = corpus.display().to_string();
    with_every_engine(|how| {
        let report = reported(&["conform", "--corpus", &corpus], how);
        let count = |key: &str| report[key].as_u64().unwrap_or_default();
        // Some answers of `types` have the right verdict, which is all that an `unsat` is held to.
        assert!(count("cases") == 6 && count("failed") > 0, "{how}: {report}");
        assert!(count("passed") == 0 || how == "types", "{how}: {report}");
    });
}

#[test]
fn fuzz_ends_with_a_report_whatever_the_engine_does() {
    with_every_engine(|how| {
        let options = ["fuzz", "--cases", "3", "--findings", "1", "--constraints", "1", "--ops", "check"];
        let found = reported(&options, how);
        assert!(found["findings"].as_array().is_some_and(|list| !list.is_empty()), "{how}: {found}");
    });
}

#[test]
fn the_engines_are_those_of_the_program() {
    let listed =
        Command::new(python()).args(["tests/engines/python/hostile.py", "--list"]).current_dir(root()).output();
    let listed = String::from_utf8(listed.expect("python3").stdout).expect("UTF-8");
    assert_eq!(listed.split_whitespace().collect::<Vec<_>>(), ENGINES);
}
