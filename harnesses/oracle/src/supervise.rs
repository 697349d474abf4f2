//! `lozenge supervise`, between us and an engine: it ends whatever the engine has started, when the engine ends, when it
//! is told to, and when we end, by whichever signal.
//!
//! Its standard error is a socket whose other end only we hold: the end of what can be read from it is the end of us, and
//! what the engine writes to its own standard error is passed on through it. On Linux the supervisor adopts what the engine's children leave behind, so all
//! descendants are found. On other Unixes it ends the engine's process group, and what leaves the group escapes.

use crate::output::{Answer, Exit, Failure};
use std::process::Command;

/// The status for a program that does not start, as shells have it.
pub const NOT_STARTED: i32 = 127;
/// The status for a program that was ended because it had more memory than it may.
pub const TOO_LARGE: i32 = 125;

/// Run an engine, and end what it starts
#[derive(clap::Args)]
pub struct Args {
    /// The most memory that it may have, in MiB; it is looked at where there is `/proc`
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

/// Runs it, and ends as it does.
pub fn run(args: &Args) -> Answer {
    let [program, rest @ ..] = args.command.as_slice() else {
        return Err(Failure::input("usage", "the program is missing"));
    };
    let mut command = Command::new(program);
    command.args(rest);
    #[cfg(unix)]
    return unix::run(command, args.memory.map(|memory| memory.saturating_mul(1 << 20)));
    #[cfg(not(unix))]
    {
        command.stderr(std::process::Stdio::null());
        let status = command.status().map_err(|error| Failure::input("engine", error.to_string()))?;
        std::process::exit(status.code().unwrap_or(1));
    }
}

#[cfg(unix)]
mod unix {
    use super::{Answer, Command, Exit, NOT_STARTED, TOO_LARGE};
    use crate::interrupt;
    use crate::statm::Statm;
    use nix::errno::Errno;
    use nix::sys::signal::{Signal, kill, killpg};
    use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
    use nix::unistd::{Pid, dup2_stdin, dup2_stdout, getpid};
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::process;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    /// How long descendants that cannot be ended are tried.
    const PATIENCE: Duration = Duration::from_secs(10);
    /// How long the rest of an engine's standard error is waited for.
    const LAST_WORDS: Duration = Duration::from_millis(200);
    /// How often the memory of an engine is looked at.
    const LOOK: Duration = Duration::from_millis(20);

    /// Was the engine ended because of its memory?
    static ENDED_TOO_LARGE: AtomicBool = AtomicBool::new(false);

    pub fn run(mut command: Command, memory: Option<u64>) -> Answer {
        // Whoever started us may have blocked these; the engine must not inherit that.
        let _ = interrupt::ends().thread_unblock();
        adopt();
        command.process_group(0).stderr(process::Stdio::piped());
        let Ok(mut engine) = command.spawn() else { process::exit(NOT_STARTED) };
        let words = engine.stderr.take().map(|words| thread::spawn(move || pass_on(words)));
        let engine = Pid::from_raw(i32::try_from(engine.id()).unwrap_or_default());
        let _ = interrupt::ends().thread_block();
        // The engine alone holds its pipes, so that their end is its own.
        if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
            let _ = dup2_stdin(&null);
            let _ = dup2_stdout(&null);
        }
        if let Ok(pipe) = std::io::stderr().as_fd().try_clone_to_owned() {
            thread::spawn(move || {
                let _ = File::from(pipe).read_to_end(&mut Vec::new());
                end_all(engine)
            });
        }
        thread::spawn(move || {
            let _ = interrupt::ends().wait();
            end_all(engine)
        });
        if let Some(bytes) = memory {
            thread::spawn(move || end_beyond(engine, bytes));
        }
        loop {
            match waitpid(None, None) {
                Ok(WaitStatus::Exited(pid, code)) if pid == engine => end_as(engine, code, None, words),
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == engine => end_as(engine, 1, Some(signal), words),
                Err(Errno::ECHILD) => return Ok(Exit::Yes),
                _ => {}
            }
        }
    }

    /// Descendants that lose their parent become children of this process.
    fn adopt() {
        #[cfg(target_os = "linux")]
        let _ = nix::sys::prctl::set_child_subreaper(true);
    }

    /// Ends an engine when it has more memory than this. Whoever waits for it then says so.
    fn end_beyond(engine: Pid, bytes: u64) {
        while let Some(now) = Statm::of(engine) {
            if now.resident > bytes {
                ENDED_TOO_LARGE.store(true, Ordering::SeqCst);
                let _ = killpg(engine, Signal::SIGKILL);
                return;
            }
            thread::sleep(LOOK);
        }
    }

    /// Passes an engine's standard error on to us.
    fn pass_on(mut words: impl Read) {
        let _ = std::io::copy(&mut words, &mut std::io::stderr());
    }

    /// The engine has ended: ends what is left of it, and then this process in the same way.
    fn end_as(engine: Pid, code: i32, signal: Option<Signal>, words: Option<thread::JoinHandle<()>>) -> ! {
        end_descendants(engine);
        // Nobody is left who could write, so this ends.
        let began = Instant::now();
        while words.as_ref().is_some_and(|words| !words.is_finished()) && began.elapsed() < LAST_WORDS {
            thread::sleep(Duration::from_millis(1));
        }
        if ENDED_TOO_LARGE.load(Ordering::SeqCst) {
            process::exit(TOO_LARGE);
        }
        if let Some(signal) = signal {
            let _ = nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_CORE, 0, 0);
            let _ = nix::sys::signal::raise(signal);
            process::exit(128 + signal as i32);
        }
        process::exit(code)
    }

    /// We are told to end: everything does.
    fn end_all(engine: Pid) -> ! {
        end_descendants(engine);
        process::exit(1)
    }

    /// Ends the engine's group and all descendants, those too that are started meanwhile.
    fn end_descendants(engine: Pid) {
        let _ = killpg(engine, Signal::SIGKILL);
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            for pid in descendants() {
                let _ = kill(pid, Signal::SIGKILL);
            }
            while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                if status == WaitStatus::StillAlive {
                    break;
                }
            }
            if descendants().is_empty() {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The processes below this one, by what `/proc` says of parents; none where there is no `/proc`.
    fn descendants() -> Vec<Pid> {
        let numbers = std::fs::read_dir("/proc").into_iter().flatten();
        let parents: Vec<(i32, i32)> = numbers
            .filter_map(|entry| {
                let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
                let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
                // `pid (name) state parent …`; the name may have brackets.
                let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
                Some((pid, parent))
            })
            .collect();
        let mut found = vec![getpid().as_raw()];
        let mut next = 0;
        while let Some(parent) = found.get(next).copied() {
            found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
            next += 1;
        }
        found.drain(1..).map(Pid::from_raw).collect()
    }
}
