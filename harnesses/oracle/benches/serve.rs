//! How fast one process answers `solve`, and whether its memory stays flat: `cargo bench -p lozenge-oracle --bench serve`.
//!
//! The requests are those of tests/conformance, again and again. `LOZENGE_REQUESTS=100000` asks fewer.
#![allow(missing_docs)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The target, per second and core.
const TARGET: f64 = 20_000.0;

fn requests() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let mut lines = Vec::new();
    for file in ["paper.jsonl", "findings.jsonl", "boundaries.jsonl", "random.jsonl"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("the corpus");
        for line in text.lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case");
            if case["request"]["op"] == "solve" {
                lines.push(format!("{}\n", case["request"]));
            }
        }
    }
    lines
}

/// A field of /proc/PID/status in KiB, or the CPU time of /proc/PID/stat; none elsewhere than on Linux.
fn resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// User and system time in seconds, in ticks of a hundredth.
fn cpu(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(") ").next()?.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

fn main() {
    let count: usize = std::env::var("LOZENGE_REQUESTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let requests = requests();
    let bytes = requests.iter().map(String::len).sum::<usize>() / requests.len();
    println!("{count} solve requests, {} different ones of {bytes} bytes on average", requests.len());
    let mut child = Command::new(env!("CARGO_BIN_EXE_lozenge"))
        .arg("oracle")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("lozenge starts");
    let pid = child.id();
    let mut stdin = child.stdin.take().expect("stdin");
    let stdout = BufReader::with_capacity(1 << 20, child.stdout.take().expect("stdout"));
    let started = Instant::now();
    let writer = std::thread::spawn(move || {
        for chunk in requests.iter().cycle().take(count).collect::<Vec<_>>().chunks(64) {
            let lines: Vec<&str> = chunk.iter().map(|line| line.as_str()).collect();
            stdin.write_all(lines.concat().as_bytes()).expect("lozenge reads");
        }
        stdin
    });
    let (mut early, mut late, mut used) = (None, None, None);
    for (number, line) in stdout.lines().take(count).enumerate() {
        line.expect("an answer");
        if number + 1 == count / 10 {
            early = resident(pid);
        }
        if number + 1 == count {
            (late, used) = (resident(pid), cpu(pid));
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    drop(writer.join().expect("the writer ends"));
    assert!(child.wait().expect("lozenge ends").success());
    println!("{:.0} answers a second by the clock", count as f64 / seconds);
    if let Some(used) = used.filter(|used| *used > 0.0) {
        let rate = count as f64 / used;
        println!("{rate:.0} answers a second of one core: {:.2} times the target of {TARGET}", rate / TARGET);
    }
    if let (Some(early), Some(late)) = (early, late) {
        let ratio = late as f64 / early as f64;
        println!("resident memory: {early} KiB after a tenth, {late} KiB at the end, ratio {ratio:.3}");
    }
}
