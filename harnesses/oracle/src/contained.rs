//! Panics, contained: one becomes an error of kind `internal` for the request or the command it happened in.

use lozenge::internal::Broken;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

/// What the first panic said, of threads that contain nothing themselves, that nobody has asked for yet.
static SAID: Mutex<Option<String>> = Mutex::new(None);

thread_local! {
    /// How much of what this thread does is contained.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// What its panic said; so the words of one request never come to another's.
    static MINE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on a panic prints nothing: what it says is kept for [`contained`].
pub fn keep_quiet() {
    panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        let words = format!("{}{place}", words(info.payload()));
        if DEPTH.get() > 0 {
            MINE.set(Some(words));
        } else if let Ok(mut said) = SAID.lock() {
            said.get_or_insert(words);
        }
    }));
}

/// What a panic carries, as text.
fn words(payload: &dyn Any) -> String {
    if let Some(broken) = payload.downcast_ref::<Broken>() {
        broken.to_string()
    } else if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else {
        payload.downcast_ref::<String>().cloned().unwrap_or_else(|| "without a message".to_owned())
    }
}

/// Does this; if it panics, says so and asks for a report.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What the work shares with the rest is whole or thrown away: tables of names, runs and answers are its own.
    DEPTH.set(DEPTH.get() + 1);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.map_err(|payload| {
        let mine = MINE.take();
        // A thread that waits for one that panicked does so itself: the first says why.
        let said = SAID.lock().ok().and_then(|mut said| said.take());
        fault(&said.or(mine).unwrap_or_else(|| words(payload.as_ref())))
    })
}

/// A fault of our own, with what is to be done about it.
pub fn fault(what: &str) -> String {
    format!("{what}. This is a fault of Lozenge, not of the input: please report it, with the input")
}

/// For tests of what is above, in builds with debug assertions: an input that has the word of `LOZENGE_PANIC` panics, and
/// one that has the word of `LOZENGE_BREAK` breaks an invariant.
pub fn provoke(input: &str) {
    let asked = |variable| {
        cfg!(debug_assertions) && std::env::var(variable).is_ok_and(|word| !word.is_empty() && input.contains(&word))
    };
    if asked("LOZENGE_BREAK") {
        lozenge::internal::broken("provoked", "as the environment asks for");
    }
    assert!(!asked("LOZENGE_PANIC"), "provoked \u{1b}[31m");
}
