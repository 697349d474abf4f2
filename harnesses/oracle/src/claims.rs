//! Size claims (spec/8-staged.md) on the wire: read, run and searched, for requests that have `claims`.

mod read;
mod staged;
mod types;

pub use read::{count_terms, read_claim};
pub use staged::{Decided, Form, decided, solved, violated};
pub use types::ClaimJson;
