//! Signals that ask for the end (Ctrl-C, TERM, HUP): asked for by loops that have something to clean up or to report.

use std::process;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

static PRESSED: AtomicUsize = AtomicUsize::new(0);
/// The number of the first signal; that of Ctrl-C until there is one.
static SIGNAL: AtomicU8 = AtomicU8::new(2);
static INSTALLED: Once = Once::new();

/// The status of a process that a signal ended, as shells write it: 128 and its number, so 130 after Ctrl-C.
pub fn status() -> u8 {
    128 + SIGNAL.load(Ordering::SeqCst)
}

/// From now on these signals are counted; the second one ends the process at once.
pub fn watch() {
    INSTALLED.call_once(|| {
        each(|| {
            if PRESSED.fetch_add(1, Ordering::SeqCst) > 0 {
                process::exit(i32::from(status()));
            }
        });
    });
}

/// Has one of them come?
pub fn pressed() -> bool {
    PRESSED.load(Ordering::SeqCst) > 0
}

/// Held while answers are written. The lock of stdout will not do: `Output` holds it all the time.
pub static WRITING: Mutex<()> = Mutex::new(());

/// How long a reader that has stopped reading can hold up the end.
const PATIENCE: Duration = Duration::from_secs(2);

/// From now on these signals end the process between two answers: what is being written is finished first.
pub fn end_between_answers() {
    INSTALLED.call_once(|| {
        each(|| {
            let pressed = Instant::now();
            loop {
                let writing = WRITING.try_lock();
                if writing.is_ok() || pressed.elapsed() > PATIENCE {
                    process::exit(i32::from(status()));
                }
                drop(writing);
                thread::sleep(Duration::from_millis(5));
            }
        });
    });
}

/// The signals that ask for the end.
#[cfg(unix)]
pub fn ends() -> nix::sys::signal::SigSet {
    use nix::sys::signal::Signal::{SIGHUP, SIGINT, SIGTERM};
    let ignored = ignored();
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (*signal as i32 - 1) & 1 == 0).collect()
}

/// The signals that whoever started us wants ignored, as `nohup` does, a bit each; none where nobody says.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Calls this whenever one of the signals comes, in a thread of its own. All threads that are started later leave them to
/// that one; so do programs, which is why an engine runs under `supervise`, which undoes it. Where there are no such
/// signals, or none can be waited for, the system's own way of ending the process is right as well.
#[cfg(unix)]
fn each(act: impl Fn() + Send + 'static) {
    let signals = ends();
    if signals.thread_block().is_err() {
        return;
    }
    let wait = move || {
        while let Ok(signal) = signals.wait() {
            if !pressed() {
                SIGNAL.store(u8::try_from(signal as i32).unwrap_or(2), Ordering::SeqCst);
            }
            act();
        }
    };
    if thread::Builder::new().spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
}

/// Calls this whenever Ctrl-C is pressed.
#[cfg(not(any(unix, target_family = "wasm")))]
fn each(act: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(act);
}

/// On a page nobody presses it.
#[cfg(target_family = "wasm")]
fn each(_: impl Fn() + Send + 'static) {}
