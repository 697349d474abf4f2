//! A program that speaks the protocol on its standard input and output, driven with a time limit.

pub mod alive;

use crate::interrupt;
use crate::oracle::lines::{Line, Lines};
use alive::{Alive, Words};
use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How often a wait looks whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(100);
/// How long an engine may take to start, beside its first answer. What it is asked first is who it is.
const START: Duration = Duration::from_secs(20);
const WHO: &str = "{\"op\":\"version\"}\n";
/// How long an engine that is told to end may take.
const GRACE: Duration = Duration::from_millis(500);
/// How long a supervisor may take to end what an engine started.
const SUPERVISOR: Duration = Duration::from_secs(15);
/// How long an answer takes that is called a hang where hangs are no surprise: so long at least, and so many times the
/// longest so far.
const SHORT: Duration = Duration::from_millis(300);
const SLOWER: u32 = 20;
/// What a worker of ours says when it gets no memory.
pub const NO_MEMORY: &str = "memory allocation of";
/// How much of what a worker says at its end is read.
const LAST_WORDS: u64 = 400;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// None in time.
    Hang(Duration),
    /// Not even to the question who it is, in the time of an answer and that to start.
    Silent(Duration),
    /// The process ended first.
    Crash(String),
    /// A line that is too long, or not UTF-8.
    Garbage(String),
    /// It does not start.
    Start(String),
    /// Ctrl-C.
    Interrupted,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Hang(limit) => write!(f, "no answer within {} ms", limit.as_millis()),
            Trouble::Silent(limit) => {
                let (waited, start) = (limit.saturating_add(START).as_millis(), START.as_secs());
                write!(
                    f,
                    "no answer to `version` within {waited} ms: an engine has {start} s to start, beside the limit"
                )
            }
            Trouble::Crash(how) => write!(f, "the engine ended before its answer: {how}"),
            Trouble::Garbage(what) => write!(f, "the answer is no line of the protocol: {what}"),
            Trouble::Start(why) => write!(f, "the engine does not start: {why}"),
            Trouble::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// A line that an engine wrote, or what was wrong with it.
type Reply = Result<String, String>;

struct Running {
    child: Child,
    /// Held open as long as the engine may run: see `supervise`.
    alive: Option<Alive>,
    requests: Sender<String>,
    replies: Receiver<Reply>,
}

/// An engine: started when it is first asked, and again after it ended.
pub struct Engine {
    args: Vec<String>,
    /// Is it another process of ours, or a foreign program, which is supervised?
    ours: bool,
    /// How long one answer may take.
    pub limit: Duration,
    /// What it answered when it was asked who it is.
    pub who: Option<String>,
    /// The longest that it took for an answer.
    slowest: Duration,
    /// What it wrote to its standard error since it was asked last.
    words: Words,
    running: Option<Running>,
}

impl Engine {
    /// A command line, run by the shell.
    pub fn shell(command: &str, limit: Duration) -> Self {
        let args = ["sh", "-c", command].map(str::to_owned).to_vec();
        Engine { args, ours: false, limit, who: None, slowest: Duration::ZERO, words: Words::default(), running: None }
    }

    /// This program with other arguments. It must end when its input ends.
    pub fn worker(args: Vec<String>, limit: Duration) -> Self {
        Engine { args, ours: true, limit, who: None, slowest: Duration::ZERO, words: Words::default(), running: None }
    }

    /// Starts it, unless it runs, and waits until it answers.
    pub fn started(&mut self) -> Result<(), Trouble> {
        if self.running.is_none() {
            self.running = Some(self.start().map_err(Trouble::Start)?);
            let who = self.wait(WHO.to_owned(), self.limit.saturating_add(START)).map_err(|trouble| match trouble {
                Trouble::Hang(_) => Trouble::Silent(self.limit),
                other => other,
            });
            self.who = Some(who?);
        }
        Ok(())
    }

    /// The answer to one line.
    pub fn ask(&mut self, request: &str) -> Result<String, Trouble> {
        self.words.clear();
        self.started()?;
        let asked = Instant::now();
        let answer = self.wait(format!("{request}\n"), self.limit)?;
        self.slowest = self.slowest.max(asked.elapsed());
        Ok(answer)
    }

    /// How long an answer is waited for where a hang is no surprise: long beside the answers so far.
    pub fn short_limit(&self) -> Duration {
        self.limit.min(SHORT.max(self.slowest.saturating_mul(SLOWER)))
    }

    /// What the engine wrote to its standard error since it was asked last: the end of it, if there is much.
    pub fn stderr(&self) -> Option<String> {
        self.words.text()
    }

    /// Sends a line and waits so long for the next.
    fn wait(&mut self, request: String, limit: Duration) -> Result<String, Trouble> {
        let asked = Instant::now();
        let Some(running) = &self.running else { return Err(Trouble::Start("it has ended".to_owned())) };
        // A closed channel is seen when the answer is waited for.
        let _ = running.requests.send(request);
        loop {
            let left = limit.saturating_sub(asked.elapsed());
            match running.replies.recv_timeout(left.min(LOOK)) {
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(what)) => {
                    self.stop();
                    return Err(Trouble::Garbage(what));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Crash(self.ended())),
                Err(RecvTimeoutError::Timeout) if interrupt::pressed() => {
                    self.stop();
                    return Err(Trouble::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    self.stop();
                    return Err(Trouble::Hang(self.limit));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn start(&self) -> Result<Running, String> {
        let started = if self.ours { worker(&self.args) } else { supervised(&self.args, &self.words, None) };
        let (mut child, alive) = started.map_err(|error| error.to_string())?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it has no standard input and output".to_owned());
        };
        // Writing and reading wait for the engine, so each has a thread of its own; both end with the pipes.
        let (requests, to_write) = mpsc::channel::<String>();
        thread::spawn(move || {
            for request in to_write {
                if stdin.write_all(request.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        // One that writes without being asked waits: what is not read is not kept.
        let (read, replies) = mpsc::sync_channel::<Reply>(1);
        thread::spawn(move || {
            let mut lines = Lines::new(BufReader::new(stdout));
            while let Ok(Some(line)) = lines.next() {
                let reply = match line {
                    Line::TooLong => Err("it is too long".to_owned()),
                    Line::Text(bytes) => {
                        String::from_utf8(bytes.to_vec()).map_err(|error| format!("it is not UTF-8: {error}"))
                    }
                };
                if read.send(reply).is_err() {
                    return;
                }
            }
        });
        Ok(Running { child, alive, requests, replies })
    }

    /// How a process that closed its output ended.
    fn ended(&mut self) -> String {
        let Some(mut running) = self.running.take() else { return "it was not running".to_owned() };
        if let Some(status) = within(GRACE, &mut running.child) {
            if let Some(alive) = &running.alive {
                alive.hear_out(GRACE);
            }
            return how(status) + &last_words(&mut running.child);
        }
        end(running.child, running.alive);
        "it closed its output and went on".to_owned()
    }

    /// Ends the process, if it runs.
    pub fn stop(&mut self) {
        if let Some(Running { child, alive, .. }) = self.running.take() {
            end(child, alive);
        }
    }
}

impl Drop for Engine {
    /// An engine ends when its input ends; one that does not is ended.
    fn drop(&mut self) {
        let Some(Running { mut child, alive, requests, .. }) = self.running.take() else { return };
        drop(requests);
        if within(GRACE, &mut child).is_none() {
            end(child, alive);
        }
    }
}

/// The status of a process that ends by itself in this time.
fn within(patience: Duration, child: &mut Child) -> Option<ExitStatus> {
    let started = Instant::now();
    while started.elapsed() < patience {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(2));
    }
    None
}

/// The program that runs now, also when its file has been replaced since.
fn this_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() }
}

/// How much address space the allocator takes at a time in a worker. Of itself it takes a gigabyte at once, and what
/// bounds a worker's memory is its address space.
const RESERVE: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "32MiB");

/// This program with other arguments, in a process of its own.
fn worker(args: &[String]) -> std::io::Result<(Child, Option<Alive>)> {
    let mut command = Command::new(this_program()?);
    command.args(args).env(RESERVE.0, RESERVE.1);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    Ok((command.spawn()?, None))
}

/// A foreign program, supervised: all that it starts ends with it, and with us. What is returned must be held as long as
/// it may run. What it writes to its standard error goes to `words`. It is ended when it has more memory than so many MiB.
pub fn supervised(
    args: &[impl AsRef<std::ffi::OsStr>],
    words: &Words,
    memory: Option<u64>,
) -> std::io::Result<(Child, Option<Alive>)> {
    let (watched, alive) = Alive::new(words)?;
    let mut command = Command::new(this_program()?);
    command.arg("supervise").args(memory.map(|memory| format!("--memory={memory}")));
    command.arg("--").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(watched);
    own_group(&mut command);
    Ok((command.spawn()?, Some(alive)))
}

/// What a process wrote to its standard error, if that is read at all: one line, not too long.
fn last_words(child: &mut Child) -> String {
    let mut bytes = Vec::new();
    let Some(stderr) = child.stderr.take() else { return String::new() };
    // What cannot be read says nothing.
    let _ = stderr.take(LAST_WORDS).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map_or_else(String::new, |line| format!(", {line}"))
}

fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.code().map_or_else(|| "without a status".to_owned(), |code| format!("status {code}"))
}

/// A group of its own, so that what the engine starts ends with it.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Ends a process. A supervisor is told, so that it ends the engine with all that it started, and may take its time.
pub fn end(mut child: Child, alive: Option<Alive>) {
    if alive.is_some() {
        drop(alive);
        if within(SUPERVISOR, &mut child).is_some() {
            return;
        }
    }
    end_group(&mut child);
}

/// Ends a process with all of its group.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
