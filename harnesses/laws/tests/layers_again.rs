//! The law between the layers on parts that are alike: what the engine does again without asking the rules is what the
//! calculus does.
#![allow(missing_docs)]

use lozenge::policy::{Limits, Policy};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::layers::again::{Parts, system};
use lozenge_harnesses::layers::random::tags;
use lozenge_harnesses::layers::same_again;

fn asked() -> u64 {
    std::env::var("LOZENGE_LAYERS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000) / 10
}

/// Solved part by part in both layers, and in the engine with and without doing things again; then closed. With tight limits
/// as well: a part that would reach one is not done again.
#[test]
fn layers_on_parts_that_are_alike() {
    let cases = Cases::of("layers_on_parts_that_are_alike");
    let mut again = 0;
    for number in 0..asked() {
        let Parts { names, parts } = system(number);
        let limits = match number % 8 {
            0 => Limits { size: 40, ..Limits::default() },
            1 => Limits { fuel: 60, ..Limits::default() },
            _ => Limits::default(),
        };
        let policy = Policy { limits, antisym: number % 5 != 0, ..Policy::default() };
        let tags = tags(&parts.concat(), number);
        again += same_again(&names, &parts, &tags, policy).unwrap_or_else(|differs| panic!("{number}\n{differs}"));
        cases.one();
    }
    eprintln!("layers_on_parts_that_are_alike: {again} parts were done again");
    assert!(again > asked() / 8, "{again} parts are few");
    cases.finish();
}
