//! Broken invariants: a state that cannot be. A reference does not invent an answer there: it says which invariant is
//! broken, and whoever called it decides how far the failure goes.
//!
//! Document: spec/protocol.md.

use std::fmt;
use std::panic;

/// An invariant that does not hold. It is the payload of the panic that [`broken`] raises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The name of the invariant.
    pub invariant: &'static str,
    /// What was seen instead.
    pub detail: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the invariant `{}` is broken: {}", self.invariant, self.detail)
    }
}

impl std::error::Error for Broken {}

/// Stops here: the invariant is broken. The panic carries a [`Broken`].
///
/// ```
/// use lozenge::internal::{Broken, broken};
///
/// let caught = std::panic::catch_unwind(|| broken("one is one", "it is two".to_owned()));
/// let payload = caught.expect_err("it never returns");
/// let told = payload.downcast_ref::<Broken>().expect("the typed payload");
/// assert_eq!(told.to_string(), "the invariant `one is one` is broken: it is two");
/// ```
#[cold]
#[track_caller]
pub fn broken(invariant: &'static str, detail: impl Into<String>) -> ! {
    panic::panic_any(Broken { invariant, detail: detail.into() })
}
