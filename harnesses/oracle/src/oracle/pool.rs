//! Requests answered by one thread or several, in the order they came.
//!
//! The threads take turns at the input. One takes the lines that are there, a batch, and answers them while the next
//! takes the lines after them; the answers go out in the order of the batches. So no thread only reads or only writes,
//! and nothing is handed from one to another but answers that are early. The main thread looks on: it writes answers
//! that would wait for a slow request behind them, and it ends the process, whoever still waits for input.

use super::lines::{KEPT_BYTES, Lines, Taken};
use crate::contained::contained;
use crate::interrupt;
use crate::output::{Answer, Exit, Failure};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Stdin, Write};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most threads, and the most processes of an engine, at a time.
pub const MOST_JOBS: usize = 1000;
/// The most lines of a batch, and how many bytes end one.
const BATCH_LINES: usize = 256;
const BATCH_BYTES: usize = 1 << 15;
/// A batch that takes less is followed by a larger one, a batch that takes more by a smaller one.
const SHORT: Duration = Duration::from_micros(250);
const LONG: Duration = Duration::from_millis(1);
/// So many bytes of answers are written out before their batch is done, if it is their turn.
const FLUSHED_BYTES: usize = 1 << 16;
/// A batch that is ahead waits for its turn when it has so many bytes of answers.
const AHEAD_BYTES: usize = 1 << 20;
/// No batch is begun while so many bytes of answers wait for their turn, and what one batch adds to them at least.
const EARLY_BYTES: usize = 16 << 20;
const EARLY_LEAST: usize = 256;
/// How long an answer may wait for the others of its batch.
const LATE: Duration = Duration::from_millis(2);
/// The stack of a thread. The readers' limits on nesting count on 8 MiB.
const STACK: usize = 16 << 20;

/// A number of jobs.
pub fn jobs(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|jobs| (1..=MOST_JOBS).contains(jobs));
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST_JOBS}"))
}

/// Lines that are answered together; one that is too long has no place.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    lines: Vec<Option<Range<usize>>>,
}

/// The input, which one thread has at a time.
struct Input {
    lines: Lines<Stdin>,
    /// The number of the next batch.
    next: u64,
    ended: bool,
}

impl Input {
    /// Takes at least one line and at most so many, as far as they are there; says why there are no more, if so.
    fn take(&mut self, batch: &mut Batch, most: usize) -> io::Result<()> {
        batch.lines.clear();
        batch.text.clear();
        batch.text.shrink_to(KEPT_BYTES);
        loop {
            let start = batch.text.len();
            match self.lines.append(&mut batch.text) {
                Ok(Some(Taken::Whole)) => batch.lines.push(Some(start..batch.text.len())),
                Ok(Some(Taken::TooLong)) => batch.lines.push(None),
                Ok(None) => {
                    self.ended = true;
                    return Ok(());
                }
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
            if batch.lines.len() >= most || batch.text.len() >= BATCH_BYTES || !self.lines.has_whole_line() {
                return Ok(());
            }
        }
    }
}

/// What a thread has answered of its batch and not written out.
struct Slot {
    number: u64,
    answers: Vec<u8>,
}

/// The answers on their way out.
struct Order {
    to: File,
    /// The batch whose turn it is.
    turn: u64,
    /// Answers of later ones that are done, and how many bytes they have.
    early: BTreeMap<u64, Vec<u8>>,
    early_bytes: usize,
    /// How many batches under way have several lines.
    several: usize,
    /// Does the main thread sleep until it is told?
    asleep: bool,
    /// The number after the last batch, once it is known.
    last: Option<u64>,
    /// Why no more can be read; what was read is answered first.
    unreadable: Option<Failure>,
    /// Why nothing more is written.
    failed: Option<Failure>,
}

impl Order {
    fn write(&mut self, answers: &[u8]) {
        if self.failed.is_some() || answers.is_empty() {
            return;
        }
        let _whole = interrupt::WRITING.lock();
        if let Err(error) = self.to.write_all(answers) {
            self.failed = Some(error.into());
        }
    }

    /// The same, and forgets what was written.
    fn write_out(&mut self, answers: &mut Vec<u8>) {
        self.write(answers);
        answers.clear();
        answers.shrink_to(KEPT_BYTES);
    }

    /// Writes out what is early no more.
    fn advance(&mut self) {
        self.turn += 1;
        while let Some(answers) = self.early.remove(&self.turn) {
            self.early_bytes -= answers.len().max(EARLY_LEAST);
            self.write(&answers);
            self.turn += 1;
        }
    }

    fn ended(&self) -> bool {
        self.failed.is_some() || self.last == Some(self.turn)
    }
}

/// What the threads share. Who has `order` may take a slot, who has `input` may take `order`, and not the other way.
struct Pool {
    input: Mutex<Input>,
    order: Mutex<Order>,
    slots: Vec<Mutex<Slot>>,
    /// Told when there is another turn.
    turns: Condvar,
    /// Told when the main thread has something to do.
    main: Condvar,
}

/// A thread that panicked has left things whole: what it shares is changed in single steps.
fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'a, T>(told: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    told.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Takes a batch, once there is room for its answers; none at the end.
    fn take(&self, batch: &mut Batch, most: usize) -> Option<u64> {
        let mut order = lock(&self.order);
        while order.early_bytes > EARLY_BYTES && order.failed.is_none() {
            order = wait(&self.turns, order);
        }
        drop(order);
        let mut input = lock(&self.input);
        if input.ended {
            return None;
        }
        let taken = input.take(batch, most);
        let number = input.next;
        input.next += u64::from(!batch.lines.is_empty());
        let mut order = lock(&self.order);
        if input.ended {
            order.last = Some(input.next);
        }
        if let Err(error) = taken {
            order.unreadable = Some(Failure::input("file", format!("cannot read standard input: {error}")));
        }
        order.several += usize::from(batch.lines.len() > 1);
        if order.asleep && (order.several > 0 || order.ended()) {
            self.main.notify_one();
        }
        (!batch.lines.is_empty()).then_some(number)
    }

    /// Keeps an answer for the others of its batch, unless there are many already.
    fn keep(&self, slot: &Mutex<Slot>, number: u64, answer: &[u8]) {
        let mut mine = lock(slot);
        mine.answers.extend_from_slice(answer);
        if mine.answers.len() < FLUSHED_BYTES {
            return;
        }
        let ahead = mine.answers.len() >= AHEAD_BYTES;
        drop(mine);
        let mut order = lock(&self.order);
        while ahead && order.turn != number && order.failed.is_none() {
            order = wait(&self.turns, order);
        }
        if order.turn == number {
            order.write_out(&mut lock(slot).answers);
        }
    }

    /// A batch is done: its answers go out, or wait for their turn.
    fn done(&self, slot: &Mutex<Slot>, number: u64, several: bool) {
        let mut order = lock(&self.order);
        let mut mine = lock(slot);
        order.several -= usize::from(several);
        if order.turn == number {
            order.write_out(&mut mine.answers);
            order.advance();
            self.turns.notify_all();
        } else {
            order.early_bytes += mine.answers.len().max(EARLY_LEAST);
            order.early.insert(number, std::mem::take(&mut mine.answers));
        }
        if order.ended() {
            self.main.notify_one();
        }
    }

    /// What a thread does: batch after batch.
    fn work(&self, slot: &Mutex<Slot>, mut answer: impl FnMut(Option<&[u8]>, &mut Vec<u8>)) {
        let (mut batch, mut said, mut most) = (Batch::default(), Vec::new(), 1);
        while let Some(number) = self.take(&mut batch, most) {
            let began = Instant::now();
            lock(slot).number = number;
            for line in &batch.lines {
                said.clear();
                answer(line.clone().map(|line| &batch.text[line]), &mut said);
                self.keep(slot, number, &said);
            }
            said.shrink_to(KEPT_BYTES);
            self.done(slot, number, batch.lines.len() > 1);
            match began.elapsed() {
                short if short < SHORT && batch.lines.len() == most => most = (2 * most).min(BATCH_LINES),
                long if long > LONG => most = (most / 2).max(1),
                _ => {}
            }
        }
    }

    /// What the main thread does: looks after answers that are late, until the end.
    fn look_on(&self) -> Answer {
        let mut order = lock(&self.order);
        loop {
            if order.ended() {
                let why = order.failed.take();
                return why.or_else(|| order.unreadable.take()).map_or(Ok(Exit::Yes), Err);
            }
            if order.several == 0 {
                order.asleep = true;
                order = wait(&self.main, order);
                order.asleep = false;
                continue;
            }
            let waited = self.main.wait_timeout(order, LATE).unwrap_or_else(PoisonError::into_inner);
            order = waited.0;
            for slot in &self.slots {
                let mut slot = lock(slot);
                if slot.number == order.turn {
                    order.write_out(&mut slot.answers);
                }
            }
        }
    }

    fn fail(&self, failure: Failure) {
        lock(&self.order).failed.get_or_insert(failure);
        self.turns.notify_all();
        self.main.notify_one();
    }
}

/// Answers each line of standard input until it ends, by so many threads. Each has what answers from `new`; a line that
/// is too long is none.
pub fn run<A>(jobs: usize, mut new: impl FnMut() -> A) -> Answer
where
    A: FnMut(Option<&[u8]>, &mut Vec<u8>) + Send + 'static,
{
    let order = Order {
        to: stdout()?,
        turn: 0,
        early: BTreeMap::new(),
        early_bytes: 0,
        several: 0,
        asleep: false,
        last: None,
        unreadable: None,
        failed: None,
    };
    let slot = |_| Mutex::new(Slot { number: u64::MAX, answers: Vec::new() });
    let pool = Arc::new(Pool {
        input: Mutex::new(Input { lines: Lines::new(io::stdin()), next: 0, ended: false }),
        order: Mutex::new(order),
        slots: (0..jobs).map(slot).collect(),
        turns: Condvar::new(),
        main: Condvar::new(),
    });
    for job in 0..jobs {
        let (pool, answer) = (Arc::clone(&pool), new());
        let work = move || {
            if let Err(what) = contained(|| pool.work(&pool.slots[job], answer)) {
                pool.fail(Failure::input("internal", what));
            }
        };
        match thread::Builder::new().stack_size(STACK).spawn(work) {
            Ok(_) => {}
            // Those that there are do it.
            Err(_) if job > 0 => break,
            Err(error) => return Err(Failure::input("limit", format!("cannot start a thread: {error}"))),
        }
    }
    pool.look_on()
}

/// Standard output without its lock, which the main thread has all the time.
#[cfg(unix)]
fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

/// Standard output without its lock, which the main thread has all the time.
#[cfg(windows)]
fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

/// On a page there is none.
#[cfg(not(any(unix, windows)))]
fn stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
