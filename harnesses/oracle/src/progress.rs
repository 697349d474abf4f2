//! A progress bar on stderr, for whatever takes longer than a second.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How long something runs before it shows a bar, and how often the bar is drawn again.
const QUIET: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(100);
const WIDTH: usize = 30;

/// A bar that counts to a total.
pub struct Progress {
    label: &'static str,
    total: u128,
    done: u128,
    started: Instant,
    drawn: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Nothing is drawn yet; nothing is ever drawn where stderr is no terminal.
    pub fn new(label: &'static str, total: u128) -> Self {
        let shown = io::stderr().is_terminal();
        Progress { label, total, done: 0, started: Instant::now(), drawn: None, shown }
    }

    /// So much more is done.
    pub fn add(&mut self, more: u128) {
        self.to(self.done.saturating_add(more));
    }

    /// The total, where that is known only later.
    pub fn of(&mut self, total: u128) -> &mut Self {
        self.total = total;
        self
    }

    /// So much is done.
    pub fn to(&mut self, done: u128) {
        self.done = done.min(self.total);
        let due = self.drawn.map_or(self.started.elapsed() >= QUIET, |drawn| drawn.elapsed() >= EVERY);
        if self.shown && due {
            self.drawn = Some(Instant::now());
            let filled = usize::try_from(self.done * WIDTH as u128 / self.total.max(1)).unwrap_or(WIDTH);
            let percent = self.done * 100 / self.total.max(1);
            let bar = format!("{}{}", "#".repeat(filled), ".".repeat(WIDTH - filled));
            let _ = write!(io::stderr(), "\r{} [{bar}] {percent:3} %", self.label);
        }
    }
}

impl Drop for Progress {
    /// The line is taken away again.
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(io::stderr(), "\r{}\r", " ".repeat(self.label.len() + WIDTH + 10));
        }
    }
}
