//! What answers the page of `lozenge serve` on a static host: the same code, as WebAssembly.
//!
//! The page asks for room for a question ([`question`]), writes it there, and reads the answer ([`answer`],
//! [`answer_at`]). Both are JSON in UTF-8, as `lozenge serve` has them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The longest question; a text in JSON may be some times longer than it is.
const MOST_BYTES: usize = 2 << 20;

static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn lock(of: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Room for a question of so many bytes; null where that is too many. The next call takes it back.
#[unsafe(no_mangle)]
pub extern "C" fn question(length: usize) -> *mut u8 {
    if length > MOST_BYTES {
        return std::ptr::null_mut();
    }
    let mut room = lock(&QUESTION);
    room.clear();
    room.resize(length, 0);
    room.as_mut_ptr()
}

/// Answers the question, and says how long the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let said = lozenge_oracle::playground::answer(&lock(&QUESTION));
    let mut room = lock(&ANSWER);
    *room = said;
    room.len()
}

/// Where the answer is, until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    lock(&ANSWER).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_up_to_the_limit_and_an_answer_to_anything() {
        assert!(question(MOST_BYTES + 1).is_null());
        assert!(!question(4).is_null());
        assert!(answer() > 0 && !answer_at().is_null());
        assert!(lock(&ANSWER).starts_with(b"{\"verdict\":\"error\""));
    }
}
