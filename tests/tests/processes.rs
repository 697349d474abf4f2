//! No process outlives its parent: the oracle's worker, engines, and what engines start; whichever signal ends the parent.
//! What holds only on Linux is tested there.
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

use lozenge_tests::{lozenge, python, read, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Long enough for the slowest machine; nothing waits so long where all is well.
const PATIENCE: Duration = Duration::from_secs(120);

/// An engine that starts a child, which starts a grandchild; each in a session of its own, and each writes its process id
/// to a file. It answers who it is, and then does what its second argument says.
const ENGINE: &str = r#"
import os, subprocess, sys, time
file, mode = sys.argv[1], sys.argv[2]
def note():
    with open(file, "a") as to:
        to.write(f"{os.getpid()}\n")
CHILD = "import os,sys,time,subprocess\nopen(sys.argv[1],'a').write(f'{os.getpid()}\\n')\nif sys.argv[2]:\n  subprocess.Popen([sys.executable,'-c',sys.argv[3],sys.argv[1],'',''],start_new_session=True)\ntime.sleep(600)"
note()
# One that closes its output is alone in that: otherwise what it starts holds it too.
to = subprocess.DEVNULL if mode == "closes" else None
subprocess.Popen([sys.executable, "-c", CHILD, file, "parent", CHILD], start_new_session=True, stdout=to)
while len(open(file).readlines()) < 3:
    time.sleep(0.01)
for line in sys.stdin:
    if '"version"' in line:
        print('{"verdict":"version"}', flush=True)
    elif mode == "ends":
        sys.exit(3)
    elif mode == "closes":
        os.close(1)
        time.sleep(600)
    else:
        time.sleep(600)
if mode == "stays":
    time.sleep(600)
"#;

/// Waits until this holds.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The state and the parent of a process.
fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// Has it ended? What is only waited for by a parent has.
fn is_gone(pid: u32) -> bool {
    stat(pid).is_none_or(|(state, _)| matches!(state, 'Z' | 'X'))
}

fn pids(file: &Path) -> Vec<u32> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn children(of: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("/proc");
    let all = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    all.filter(|pid| stat(*pid).is_some_and(|(_, parent)| parent == of)).collect()
}

fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().expect("kill runs");
    assert!(sent.success(), "{name} is sent");
}

/// The status of a process that ends now.
fn status(child: &mut Child) -> Option<i32> {
    let mut status = None;
    eventually("the process ends", || {
        status = child.try_wait().expect("a status");
        status.is_some()
    });
    status.and_then(|status| status.code())
}

/// `conform` or `fuzz` with the engine above and one case, and the file of its process ids. The engine is started twice: it
/// is tried out first.
fn started(command: &str, mode: &str, test: &str) -> (Child, PathBuf) {
    let folder = scratch(&format!("processes-{test}-{command}-{mode}"));
    let (script, file, case) = (folder.join("engine.py"), folder.join("pids"), folder.join("case.jsonl"));
    fs::write(&script, ENGINE).expect("a script");
    let cases = read("tests/conformance/paper.jsonl");
    fs::write(&case, cases.lines().next().expect("a case")).expect("a case");
    let engine = format!("exec {} '{}' '{}' {mode}", python(), script.display(), file.display());
    let mut lozenge = Command::new(lozenge());
    lozenge.args([command, "--engine", &engine, "--jobs", "1", "--time-limit", "600000"]);
    match command {
        "conform" => lozenge.arg("--corpus").arg(case),
        _ => lozenge.args(["--cases", "1"]),
    };
    let child = lozenge.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    (child, file)
}

/// Has the process an engine that was asked the case, with its whole family?
fn is_asked(of: u32, file: &Path) -> bool {
    let all = pids(file);
    let alive = all.iter().filter(|pid| !is_gone(**pid)).count();
    !children(of).is_empty() && all.len() >= 6 && alive >= 3
}

fn all_gone(what: &str, pids: &[u32]) {
    assert!(pids.len() >= 3, "{what}: the engine, its child and its grandchild were there: {pids:?}");
    eventually(&format!("{what}: {pids:?} are gone"), || pids.iter().all(|pid| is_gone(*pid)));
}

#[test]
fn engines_end_with_us_whichever_signal_it_is() {
    for command in ["conform", "fuzz"] {
        for (names, code) in [
            (&["INT"][..], Some(130)),
            (&["TERM"], Some(143)),
            (&["HUP"], Some(129)),
            (&["KILL"], None),
            (&["INT", "INT"], Some(130)),
        ] {
            let (mut child, file) = started(command, "hangs", &names.join("-"));
            let pid = child.id();
            eventually("an engine hangs", || is_asked(pid, &file));
            for name in names.iter().filter(|_| !is_gone(pid)) {
                signal(name, pid);
            }
            assert_eq!(status(&mut child), code, "{command} {names:?}");
            all_gone(&format!("{command} {names:?}"), &pids(&file));
        }
    }
}

#[test]
fn what_an_engine_starts_ends_with_the_engine() {
    // A finding of `fuzz` is asked for many times, so it gets none here.
    for (command, mode) in [("conform", "ends"), ("conform", "closes"), ("conform", "stays"), ("fuzz", "stays")] {
        let (mut child, file) = started(command, mode, "engine");
        if mode == "stays" {
            // It never answers: told to end, it would stay.
            eventually("an engine hangs", || is_asked(child.id(), &file));
            signal("INT", child.id());
        }
        let code = status(&mut child);
        assert!(matches!(code, Some(1 | 130)), "{command} {mode}: {code:?}");
        all_gone(&format!("{command} {mode}"), &pids(&file));
    }
}

#[test]
fn a_worker_ends_with_its_oracle_whichever_signal_it_is() {
    let endless = r#"{"op":"solve","constraints":[{"le":[{"lead":[2],"var":"q","trail":[]},{"lead":[],"var":"p","trail":[]}]},{"le":[{"lead":[2],"var":"p","trail":[]},{"lead":[],"var":"q","trail":[3]}]}],"policy":{"guard":"none"},"limits":{"fuel":1000000000,"rank":1000000000,"elements":1000000000000}}"#;
    for limits in ["time=600000", "memory=1024"] {
        for (name, code) in [("INT", Some(130)), ("TERM", Some(143)), ("HUP", Some(129)), ("KILL", None)] {
            let mut oracle = Command::new(lozenge())
                .args(["oracle", "--limits", limits])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .expect("it starts");
            let mut stdin = oracle.stdin.take().expect("stdin");
            std::io::Write::write_all(&mut stdin, format!("{endless}\n").as_bytes()).expect("it reads");
            let mut worker = Vec::new();
            eventually("there is a worker", || {
                worker = children(oracle.id());
                !worker.is_empty()
            });
            signal(name, oracle.id());
            assert_eq!(status(&mut oracle), code, "{limits} {name}");
            eventually("the worker is gone", || worker.iter().all(|pid| is_gone(*pid)));
            drop(stdin);
        }
    }
}

/// What is set aside before the limit holds is little beside it.
#[test]
fn a_worker_starts_with_little_of_the_memory_it_may_use() {
    let mut oracle = Command::new(lozenge())
        .args(["oracle", "--limits", "memory=1024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = oracle.stdin.take().expect("stdin");
    std::io::Write::write_all(&mut stdin, b"{\"op\":\"version\"}\n").expect("it reads");
    let mut answer = String::new();
    let stdout = oracle.stdout.take().expect("stdout");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut answer).expect("an answer");
    let worker = children(oracle.id());
    let [worker] = worker[..] else { panic!("one worker: {worker:?}") };
    let status = fs::read_to_string(format!("/proc/{worker}/status")).expect("the worker waits");
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")?.parse().ok());
    let size: u64 = size.expect("its address space");
    assert!(size < 512 << 10, "{size} kB");
    drop(stdin);
    assert_eq!(self::status(&mut oracle), Some(0));
}
