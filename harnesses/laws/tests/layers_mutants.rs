//! A bug in any part of the engine is found by the law between the layers: one for each way of keeping things.
#![allow(missing_docs)]

use lozenge::policy::Policy;
use lozenge_engine::mutant::{self, Mutant};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::layers::again::{self, Parts};
use lozenge_harnesses::layers::graphs::graph;
use lozenge_harnesses::layers::random::{equations, policy, system, tags};
use lozenge_harnesses::layers::{Differs, same_again, same_classes, same_closing, same_lengths, same_run};
use lozenge_harnesses::layers::{chains, crossed};
use std::panic::{self, AssertUnwindSafe};

/// The most systems that are looked at for one bug.
const MOST: u64 = 100_000;

/// Where bugs that show seldom were found: looked at first, so that tens of thousands of systems that do not show them are
/// passed over. Where a system is another one by now, the search begins at the first.
const SELDOM: [(Mutant, u64); 5] = [
    (Mutant::FirmerBy, 53_992),
    (Mutant::WordsOnce, 21_062),
    (Mutant::PathTaint, 11_692),
    (Mutant::GuardTaint, 4_786),
    (Mutant::ChainTaint, 1_407),
];

/// A system that shows a bug.
fn shows(mutant: Mutant) -> Option<u64> {
    let known = SELDOM.iter().filter(|(it, _)| *it == mutant).map(|(_, number)| *number);
    known.chain(0..MOST).find(|number| differs(mutant, *number))
}

/// The law on everything that has this number.
fn law(number: u64) -> Result<(), Differs> {
    let System { names, constraints } = system(number);
    let policy = policy(number);
    same_run(&names, &constraints, policy)?;
    same_closing(&names, &constraints, &tags(&constraints, number), policy, |_| ())?;
    same_lengths(&constraints, 3, usize::MAX, 100)?;
    let System { names, constraints } = crossed::system(number);
    same_closing(&names, &constraints, &tags(&constraints, number), policy, |_| ())?;
    let System { names, constraints } = chains::system(number);
    same_run(&names, &constraints, policy)?;
    let System { names, constraints } = graph(number);
    same_run(&names, &constraints, policy)?;
    let Parts { names, parts } = again::system(number);
    same_again(&names, &parts, &tags(&parts.concat(), number), Policy::default())?;
    let (sizes, equations) = equations(number);
    same_classes(&sizes, &equations)
}

/// Does the law say that something is wrong? An engine that stops at a broken invariant of its own is wrong as well.
fn differs(mutant: Mutant, number: u64) -> bool {
    let looked = AssertUnwindSafe(|| mutant::with(mutant, || law(number)));
    !matches!(panic::catch_unwind(looked), Ok(Ok(())))
}

#[test]
fn every_mutant_of_the_engine_is_found() {
    let cases = Cases::of("every_mutant_of_the_engine_is_found");
    // What a bug breaks is not worth a picture.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let found: Vec<_> = Mutant::ALL.iter().map(|m| (*m, shows(*m))).collect();
    panic::set_hook(hook);
    for (mutant, at) in &found {
        // Without the bug there is nothing to see.
        assert!(at.is_none_or(|number| law(number).is_ok()), "{mutant:?}: {at:?}");
        eprintln!("{mutant:?}, {}: {at:?}", mutant.words());
        cases.one();
    }
    let missed: Vec<_> = found.iter().filter(|(_, at)| at.is_none()).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
    cases.finish();
}
