//! Random programs against all of their solutions up to a size.

use super::{PROGRAMS, finish, held, inferred, none_fails, scale};
use lozenge::program::{Behind, InferError, Inference, Witness};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::sized::{Basis, Dim, Program, Universe, holds, program, solutions};
use std::collections::BTreeMap;

/// Sizes that brute force tries.
const SIZE: u64 = 6;

/// What inference ends in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Accepted,
    /// There are no shapes.
    Unsat,
    /// A choice forecloses shapes, which are shown.
    Foreclosed,
    /// No other choice was found to fit.
    NotFound,
    /// A parameter's axis that nothing determines.
    Hole,
}

fn end(error: &InferError) -> End {
    let of = |certain: bool, behind: &Behind| match &behind.witness {
        _ if certain => End::Unsat,
        Some(Witness::Shapes { .. }) => End::Foreclosed,
        _ => End::NotFound,
    };
    match error {
        InferError::Clash(clash) => of(clash.certain, &clash.behind),
        InferError::Size(size) => of(size.certain, &size.behind),
        InferError::Index(index) => of(index.certain, &index.behind),
        InferError::Hole(_) => End::Hole,
        InferError::Program(_) | InferError::Limit(_) => panic!("{error}"),
    }
}

/// The shapes of a program's tensors; none where one has another rank than its output row, or another basis.
fn shapes(program: &Program, inference: &Inference) -> Option<Vec<Vec<Dim>>> {
    let dim = |d: lozenge::dim::Dim| match d {
        lozenge::dim::Dim::Unit => Dim::Unit,
        lozenge::dim::Dim::Atom(a) if a.basis() == lozenge::dim::Basis::DEFAULT => Dim::Atom(a.size(), Basis::Default),
        lozenge::dim::Dim::Atom(a) => Dim::Atom(a.size(), Basis::Px),
    };
    let shape = |i: usize| {
        let shape = inference.shape(&format!("t{i}"))?;
        (shape.batch.rank() + shape.input.rank() == 0).then(|| shape.output.flat().map(dim).collect::<Vec<_>>())
    };
    (0..program.statements.len()).map(shape).collect()
}

/// A program against all of its solutions: what it ends in, or what is wrong with that.
fn against(program: &Program) -> Result<End, String> {
    held(|| against_solutions(program))
}

fn against_solutions(program: &Program) -> Result<End, String> {
    let universe = Universe::up_to(SIZE, program.has_px());
    let mut all = solutions(program, &universe);
    let error = match inferred(&program.text("t")) {
        Err(error) => error,
        Ok(inference) => {
            let found = shapes(program, &inference).ok_or("not an output row alone")?;
            let small = found.iter().flatten().all(|d| d.elements() <= SIZE);
            let is_one = holds(program, &found) && (!small || all.any(|solution| solution == found));
            return if is_one { Ok(End::Accepted) } else { Err(format!("accepted, but no solution: {found:?}")) };
        }
    };
    let end = end(&error);
    let solution = if matches!(end, End::Unsat | End::NotFound) { all.next() } else { None };
    match solution {
        None => Ok(end),
        Some(solution) => Err(format!("{end:?}, but {solution:?} is a solution\n{error}")),
    }
}

#[test]
fn sized_programs_against_brute_force() {
    let cases = Cases::of("sized_programs_against_brute_force");
    let (mut tally, mut failed) = (BTreeMap::<End, u64>::new(), Vec::new());
    for case in 0..PROGRAMS * scale() {
        let program = program(1, case);
        match against(&program) {
            Ok(end) => *tally.entry(end).or_default() += 1,
            Err(_) => failed.push(program),
        }
        cases.one();
    }
    eprintln!("sized programs: {tally:?}");
    none_fails(&failed, &|program| against(program).map(|_| ()));
    let share = |end: End| tally.get(&end).copied().unwrap_or(0) * 1_000 / cases.covered();
    assert!(share(End::Accepted) >= 400 && share(End::Unsat) >= 50, "{tally:?}");
    assert!(share(End::Foreclosed) >= 1 && share(End::Hole) >= 10, "{tally:?}");
    finish(cases);
}

/// 8.3 where the wholes are known: a part that is projected away is 0 only where its bounds allow it, so that no zero
/// forecloses a solution: not where two axes share one label, nor where they share more, since what they share cancels.
#[test]
fn zeros_keep_to_their_bounds() {
    let cases = Cases::of("zeros_keep_to_their_bounds");
    let slots = ["a", "b", "a^b", "b^a", "a^c", "b^c", "a^b^c"];
    let mut ends: BTreeMap<End, u64> = BTreeMap::new();
    for (first, second) in slots.iter().flat_map(|first| slots.iter().map(move |second| (*first, *second))) {
        let is_there = |label: &str| first.contains(label) || second.contains(label);
        for result in ["", "a", "b", "a, b", "a^b", "c"] {
            if !["a", "b", "c"].iter().all(|label| !result.contains(label) || is_there(label)) {
                continue;
            }
            for (n, m) in (1..=5).flat_map(|n| (1..=5).map(move |m| (n, m))) {
                let text = format!("input x: {n}, {m}\nlet y = x ++ \"{first}, {second} => {result}\"\n");
                let end = inferred(&text).map_or_else(|error| end(&error), |_| End::Accepted);
                assert!(end == End::Accepted || end == End::Unsat, "{text}{end:?}");
                *ends.entry(end).or_default() += 1;
                cases.one();
            }
        }
    }
    assert!(ends.values().all(|n| *n > 1_000), "{ends:?}");
    cases.finish();
}
