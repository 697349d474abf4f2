//! Counting cases, and holding a harness to the number that the index states.

use quickcheck::{Arbitrary, Gen, QuickCheck};
use std::fmt::Debug;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// The cases of one exhaustive run.
#[derive(Debug)]
pub struct Cases {
    harness: &'static str,
    covered: AtomicU64,
    /// Of these, how many said nothing.
    vacuous: AtomicU64,
}

impl Cases {
    /// Starts counting for the harness of this name.
    #[must_use]
    pub fn of(harness: &'static str) -> Self {
        Cases { harness, covered: AtomicU64::new(0), vacuous: AtomicU64::new(0) }
    }

    /// One more.
    #[inline]
    pub fn one(&self) {
        self.many(1);
    }

    /// One more, of a law that returned whether it said anything.
    #[inline]
    pub fn law(&self, said: impl Said) {
        self.law_for(1, said);
    }

    /// So many more by one: it stands for all of them.
    #[inline]
    pub fn law_for(&self, times: u64, said: impl Said) {
        self.many(times);
        if !said.said() {
            self.vacuous.store(self.vacuous.load(Ordering::Relaxed) + times, Ordering::Relaxed);
        }
    }

    /// So many more.
    #[inline]
    pub fn many(&self, n: u64) {
        // One thread counts; the atomic only makes the counter shareable with a closure.
        self.covered.store(self.covered.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }

    /// How many so far.
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.covered.load(Ordering::Relaxed)
    }

    /// Prints the count and compares it with the index.
    ///
    /// # Panics
    /// When the index has no row for this harness, or another number; or when a law said nothing in any case.
    pub fn finish(self) {
        let covered = self.covered();
        let harness = self.harness;
        let vacuous = self.vacuous.load(Ordering::Relaxed);
        assert!(covered == 0 || vacuous < covered, "{harness}: no case met the premise of the law");
        // Past the capture of the test runner: the count is the point of the run.
        let _ = writeln!(std::io::stderr(), "{harness}: {} cases", thousands(covered));
        match lozenge_spec::harness(harness) {
            None => panic!("{harness} covered {covered} cases and spec/index.toml has no row for it"),
            Some(row) => assert_eq!(covered, row.cases, "{harness}: cases covered, cases stated in spec/index.toml"),
        }
    }
}

/// Says where a law failed, if it does before this goes out of scope: laws do not know their case.
#[derive(Debug)]
pub struct Blame<F: Fn() -> String>(pub F);

impl<F: Fn() -> String> Drop for Blame<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the law fails here: {}", (self.0)());
        }
    }
}

/// What a law returns: whether it said anything. One that returns nothing has no premise.
pub trait Said {
    /// Did it?
    fn said(self) -> bool;
}

impl Said for bool {
    fn said(self) -> bool {
        self
    }
}

impl Said for () {
    fn said(self) -> bool {
        true
    }
}

/// Runs a property on `tests` random values, always the same ones; `LOZENGE_SEED` asks for others.
/// For properties of the notation or the tools, which are no claims of the paper.
///
/// # Panics
/// When the property fails, with the smallest failing value found.
pub fn sampled<T: Arbitrary + Debug>(test: &'static str, tests: u64, property: fn(T) -> bool) -> Cases {
    let seed = std::env::var("LOZENGE_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let cases = Cases::of(test);
    let mut check = QuickCheck::new().rng(Gen::from_size_and_seed(100, seed)).tests(tests).max_tests(tests);
    match check.quicktest(property) {
        Ok(passed) => cases.many(passed),
        Err(failure) => panic!("{test}, seed {seed}: {failure:?}"),
    }
    assert_eq!(cases.covered(), tests, "{test}: nothing was discarded");
    cases
}

/// As [`sampled`], for a claim of the paper: the number of cases is held to the index.
///
/// # Panics
/// As [`sampled`] and [`Cases::finish`].
pub fn random<T: Arbitrary + Debug>(harness: &'static str, tests: u64, property: fn(T) -> bool) {
    sampled(harness, tests, property).finish();
}

/// 1234567 as 1,234,567.
#[must_use]
pub fn thousands(n: impl Into<u128>) -> String {
    let digits = n.into().to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Holds a law over every value of a type: see the crate's text. A law that never said anything fails. With `times`, a
/// value stands for so many.
#[cfg(feature = "exhaustive")]
#[macro_export]
macro_rules! for_all {
    ($harness:ident, $pattern:pat_param in $type:ty => $law:expr) => {
        $crate::for_all!($harness, $pattern in $type, times 1 => $law)
    };
    ($harness:ident, $pattern:pat_param in $type:ty, times $times:expr => $law:expr) => {{
        let cases = $crate::cases::Cases::of(stringify!($harness));
        $crate::bolero::check!().exhaustive().with_type::<$type>().for_each(|value: &$type| {
            #[allow(clippy::clone_on_copy)]
            let $pattern = value.clone();
            cases.law_for($times, $law);
        });
        cases.finish();
    }};
}
