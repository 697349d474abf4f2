//! What one request may use: `--limits`.
//!
//! Rank, elements and fuel are counted where the work is done. Time and memory are bounded from outside: the
//! requests then go through a worker process, which is ended and started again when it uses more.

use crate::engine::{Engine, NO_MEMORY, Trouble};
use lozenge::solver::Limits;
use std::sync::OnceLock;
use std::time::Duration;

/// The most that `--limits` allows; what a request asks for is held to it.
static MOST: OnceLock<Limits> = OnceLock::new();

/// The limits that no request can raise.
pub fn most() -> Limits {
    MOST.get().copied().unwrap_or(Limits { fuel: u64::MAX, rank: usize::MAX, size: u64::MAX })
}

/// `time=500,memory=256,rank=64,elements=100000,fuel=100000`, every part optional.
#[derive(Clone, Copy, Debug, Default)]
pub struct PerRequest {
    /// Milliseconds.
    time: Option<u64>,
    /// MiB.
    memory: Option<u64>,
    rank: Option<u64>,
    elements: Option<u64>,
    fuel: Option<u64>,
}

/// A worker with less cannot start.
const LEAST_MEMORY: u64 = 64;

impl std::str::FromStr for PerRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut limits = PerRequest::default();
        for part in text.split(',') {
            let (name, number) = part.split_once('=').ok_or_else(|| format!("`{part}` is not name=number"))?;
            let number: u64 = number.parse().map_err(|_| format!("`{number}` is not a whole number"))?;
            let field = match name {
                "time" => &mut limits.time,
                "memory" => &mut limits.memory,
                "rank" => &mut limits.rank,
                "elements" => &mut limits.elements,
                "fuel" => &mut limits.fuel,
                _ => return Err(format!("`{name}` is none of time, memory, rank, elements, fuel")),
            };
            if field.replace(number).is_some() {
                return Err(format!("`{name}` is there twice"));
            }
        }
        match limits.memory {
            Some(memory) if memory < LEAST_MEMORY => {
                Err(format!("memory is counted in MiB and at least {LEAST_MEMORY}"))
            }
            _ => Ok(limits),
        }
    }
}

/// The stack that the readers' limits on nesting count on: what systems give a process unless told otherwise.
#[cfg(unix)]
const STACK: u64 = 8 << 20;

/// Uses so much of the stack once, from this address on; what a stack has grown to it keeps. It looks how far it is: how
/// large a frame is depends on how this is compiled.
#[cfg(unix)]
#[inline(never)]
fn grow_stack(from: usize, bytes: u64) {
    let room = std::hint::black_box([0_u8; 1 << 16]);
    if (from.abs_diff(room.as_ptr().addr()) as u64) < bytes {
        grow_stack(from, bytes);
    }
    std::hint::black_box(&room);
}

/// What a worker has before its first request: its program, its stack, what the allocator took. Zero where that is not
/// told.
#[cfg(unix)]
fn address_space() -> u64 {
    crate::statm::Statm::of("self").map_or(0, |it| it.address_space)
}

impl PerRequest {
    /// Holds this process to what is counted inside.
    pub fn enforce(&self) {
        let rank = self.rank.map_or(usize::MAX, |rank| usize::try_from(rank).unwrap_or(usize::MAX));
        let (fuel, size) = (self.fuel.unwrap_or(u64::MAX), self.elements.unwrap_or(u64::MAX));
        let _ = MOST.set(Limits { fuel, rank, size });
    }

    /// Holds a worker to its memory.
    pub fn enforce_memory(&self) {
        #[cfg(unix)]
        if let Some(memory) = self.memory {
            use nix::sys::resource::{Resource, getrlimit, setrlimit};
            // A stack grows in the same address space. What it may need it gets before, or deep programs would end the
            // worker long before the memory does.
            let (stack, _) = getrlimit(Resource::RLIMIT_STACK).unwrap_or_default();
            grow_stack(std::ptr::from_ref(&stack).addr(), stack.min(STACK) * 3 / 4);
            let bytes = memory.saturating_mul(1 << 20).saturating_add(address_space());
            let _ = setrlimit(Resource::RLIMIT_AS, bytes, bytes);
        }
    }

    /// What to say when a limit on time or memory was reached.
    pub fn reached(&self, which: &str) -> String {
        match (which, self.time, self.memory) {
            ("time", Some(time), _) => format!("there was no answer within {time} ms"),
            ("memory", _, Some(memory)) => format!("the answer needs more than {memory} MiB"),
            _ => format!("the limit on {which} was reached"),
        }
    }

    /// A worker that runs this command, if one is needed.
    pub fn worker(&self, command: &str) -> Option<Worker> {
        if self.time.is_none() && self.memory.is_none() {
            return None;
        }
        let named = [("memory", self.memory), ("rank", self.rank), ("elements", self.elements), ("fuel", self.fuel)];
        let limits: Vec<String> =
            named.iter().filter_map(|(name, number)| Some(format!("{name}={}", (*number)?))).collect();
        let mut args = vec![command.to_owned(), "--worker".to_owned(), std::process::id().to_string()];
        if !limits.is_empty() {
            args.extend(["--limits".to_owned(), limits.join(",")]);
        }
        let time = self.time.map_or(Duration::MAX, Duration::from_millis);
        Some(Worker { engine: Engine::worker(args, time), memory: self.memory.is_some() })
    }
}

/// From now on this process ends with its parent. On Linux that is at once, whatever it computes; elsewhere when it reads
/// the end of its requests. The parent is the thread that started the worker, which is the one that asks it.
pub fn end_with(parent: u32) {
    #[cfg(target_os = "linux")]
    {
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
        // The parent may have ended before that.
        if std::os::unix::process::parent_id() != parent {
            std::process::exit(1);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
}

/// Answers in another process.
pub struct Worker {
    engine: Engine,
    memory: bool,
}

/// What a worker says to a line: an answer, or the limit it ran into.
pub enum Served {
    /// Its answer.
    Answer(String),
    /// `time` or `memory`.
    Limit(&'static str),
    /// It ended for another reason.
    Ended(String),
}

impl Worker {
    /// The answer to one line.
    pub fn answer(&mut self, line: &str) -> Served {
        match self.engine.ask(line) {
            Ok(answer) => Served::Answer(answer),
            Err(Trouble::Hang(_) | Trouble::Silent(_)) => Served::Limit("time"),
            // Rust aborts when it gets no memory, and says so; it aborts for other reasons as well.
            Err(Trouble::Crash(how)) if self.memory && how.contains(NO_MEMORY) => Served::Limit("memory"),
            Err(trouble) => Served::Ended(trouble.to_string()),
        }
    }
}
