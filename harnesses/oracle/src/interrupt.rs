//! Ctrl-C: asked for by loops that have something to clean up or to report.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

static PRESSED: AtomicUsize = AtomicUsize::new(0);
static INSTALLED: Once = Once::new();

/// The status of a process that Ctrl-C ended, as shells write it.
pub const STATUS: u8 = 130;

/// From now on Ctrl-C is counted; the second one ends the process at once.
pub fn watch() {
    INSTALLED.call_once(|| {
        // Without a handler the system's own ends the process: that is right as well.
        let _ = ctrlc::set_handler(|| {
            if PRESSED.fetch_add(1, Ordering::SeqCst) > 0 {
                process::exit(i32::from(STATUS));
            }
        });
    });
}

/// Has Ctrl-C been pressed?
pub fn pressed() -> bool {
    PRESSED.load(Ordering::SeqCst) > 0
}

/// Held while answers are written. The lock of stdout will not do: `Output` holds it all the time.
pub static WRITING: Mutex<()> = Mutex::new(());

/// How long a reader that has stopped reading can hold up the end.
const PATIENCE: Duration = Duration::from_secs(2);

/// From now on Ctrl-C ends the process between two answers: what is being written is finished first.
pub fn end_between_answers() {
    INSTALLED.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            let pressed = Instant::now();
            loop {
                let writing = WRITING.try_lock();
                if writing.is_ok() || pressed.elapsed() > PATIENCE {
                    process::exit(i32::from(STATUS));
                }
                drop(writing);
                thread::sleep(Duration::from_millis(5));
            }
        });
    });
}
