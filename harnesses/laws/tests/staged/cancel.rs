//! ST-cancel: what two size equations share cancels. No solution is lost by it, and of two sums none is foreclosed.

use super::{Given, conv, size, strided};
use lozenge::names::Names;
use lozenge::semantics::Universe;
use lozenge::solver::Policy;
use lozenge::staged::{
    AssumedRule, By, Outcome, Refusal, Searched, SizeBounds, SizeClaim, SizeTerm, Stage, StageRule, StagedRun,
    StagedSystem, Stopped, Valuation, sol, solve,
};
use lozenge::term::{DimTerm, DimVar};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::Numbers;
use std::collections::{BTreeMap, BTreeSet};

fn sum(whole: DimTerm, parts: &[DimTerm]) -> SizeClaim {
    SizeClaim::Size(whole, SizeTerm::Concat(parts.to_vec()))
}

/// What is known once claims have settled: none where bounds move on, an error where they are refused.
fn bounds(system: &StagedSystem<'_>, names: &Names) -> Result<Option<SizeBounds>, ()> {
    let mut names = names.clone();
    let mut run = StagedRun::new(system, &mut names, Policy::default());
    let end = run.add(system.phi, system.claims.iter().cloned().enumerate()).and_then(|()| run.stages(Stage::Two));
    match end.and_then(|()| run.bounds()) {
        Ok(bounds) => Ok(bounds),
        Err(Stopped::Size(failure)) if !failure.tainted => Err(()),
        Err(other) => panic!("{other:?}"),
    }
}

/// Is every size within its bounds?
fn within(bounds: &SizeBounds, size: impl Fn(DimVar) -> u64) -> bool {
    bounds.iter().all(|(v, (least, most))| {
        let n = u128::from(size(*v));
        *least <= n && most.is_none_or(|most| n <= most)
    })
}

/// Every two sums of parts that they may share: bounds keep every solution, the stages find one where there is one, and
/// what is refused has none.
#[test]
fn two_sums_are_decided() {
    let cases = Cases::of("two_sums_are_decided");
    let mut names = Names::new();
    let [d, e, a, b, c] = ["d", "e", "a", "b", "c"].map(|n| DimTerm::Var(names.dim_var(n).expect("a dimension")));
    let other = names.basis("px");
    let universe = Universe::with_bases(&[2, 3], &[lozenge::dim::Basis::DEFAULT, other], 0).expect("small");
    let parts: [&[DimTerm]; 8] =
        [&[a, b], &[b, a], &[a, c], &[b, c], &[a, b, c], &[c, a, b], &[a, a, b], &[a, size(2), b]];
    let wholes = [d, e, size(3), size(4)];
    let sums: Vec<SizeClaim> = wholes.iter().flat_map(|whole| parts.map(|parts| sum(*whole, parts))).collect();
    let parts = [a, b, c].into_iter().filter_map(|t| if let DimTerm::Var(v) = t { Some(v) } else { None });
    let parts: BTreeSet<DimVar> = parts.collect();
    let (mut closed, mut refused) = (0, 0);
    for (i, first) in sums.iter().enumerate() {
        for second in &sums[i..] {
            for discardable in [BTreeSet::new(), parts.clone()] {
                let claims = [first.clone(), second.clone()];
                let system = StagedSystem { claims: &claims, discardable, ..StagedSystem::default() };
                let what = || format!("{} | {}", names.show(first), names.show(second));
                let mut solutions = sol(&[], &claims, &system.discardable, &universe);
                let bounds = bounds(&system, &names);
                match solve(&system, &mut names.clone(), Policy::default(), Stage::Seven) {
                    Outcome::Closed(found) => {
                        assert!(found.values.solves(&[], &claims), "{}: {found:?}", what());
                        let Ok(Some(bounds)) = &bounds else { panic!("{}: {bounds:?}", what()) };
                        let kept = |values: Valuation| within(bounds, |v| values.elements(v.into()));
                        assert!(solutions.all(kept) && kept(found.values), "{}", what());
                        closed += 1;
                    }
                    Outcome::Unsat(_) => {
                        assert!(solutions.next().is_none(), "{}", what());
                        refused += 1;
                    }
                    other => panic!("{}: {other:?}", what()),
                }
                cases.one();
            }
        }
    }
    eprintln!("two sums: {closed} closed, {refused} refused");
    assert!(closed > 500 && refused > 50, "{closed} closed, {refused} refused");
    cases.finish();
}

/// Claims made from sizes that satisfy them, with the parts of earlier ones once more, in another order, with one more or
/// with one less: whatever cancels, these sizes are within all bounds.
#[test]
fn no_solution_cancels() {
    let cases = Cases::of("no_solution_cancels");
    let mut known = 0;
    for case in 0..20_000 {
        let mut numbers = Numbers::of(85, case);
        let (mut names, mut sizes) = (Names::new(), BTreeMap::new());
        let mut new = |n: u64, sizes: &mut BTreeMap<DimVar, u64>| {
            let v = names.dim_var(&format!("x{}", sizes.len())).expect("a dimension");
            sizes.insert(v, n);
            v
        };
        let parts: Vec<DimVar> = (0..4).map(|_| new(1 + numbers.below(6) as u64, &mut sizes)).collect();
        let (mut claims, mut last): (Vec<SizeClaim>, Vec<DimVar>) = (Vec::new(), parts[..2].to_vec());
        for _ in 0..2 + numbers.below(4) {
            match numbers.below(4) {
                0 if last.len() > 2 => drop(last.swap_remove(numbers.below(last.len()))),
                1 | 2 => last.push(numbers.pick(&parts)),
                _ => {}
            }
            let at = numbers.below(last.len());
            last.swap(0, at);
            let total: u64 = last.iter().map(|v| sizes[v]).sum();
            let terms: Vec<DimTerm> = last.iter().map(|v| (*v).into()).collect();
            let (s, e) = (1 + numbers.below(3) as u64, 1 + numbers.below(2) as u64);
            let (x, y) = (last[0], last[1]);
            let (n, term) = match numbers.below(6) {
                0 => (s * (sizes[&x] - 1) + 1 + e * (sizes[&y] - 1), conv(s, x.into(), e, y.into(), false)),
                1 => ((s + 1) * sizes[&x], strided(s + 1, x.into())),
                _ => (total, SizeTerm::Concat(terms)),
            };
            let same = sizes.iter().find(|(_, m)| **m == n).map(|(v, _)| *v);
            let whole = match (numbers.below(4), same) {
                (0, _) => size(n),
                (1, Some(same)) if !last.contains(&same) => same.into(),
                _ => new(n, &mut sizes).into(),
            };
            claims.push(SizeClaim::Size(whole, term));
        }
        let system = StagedSystem { claims: &claims, ..StagedSystem::default() };
        let what = || claims.iter().map(|claim| names.show(claim).to_string()).collect::<Vec<_>>().join(" | ");
        match bounds(&system, &names) {
            Ok(Some(bounds)) => {
                assert!(within(&bounds, |v| sizes[&v]), "{}: {bounds:?}, {sizes:?}", what());
                known += u64::from(bounds.values().any(|(least, most)| *most == Some(*least)));
            }
            Ok(None) => {}
            Err(()) => panic!("{}: refused, and {sizes:?} is a solution", what()),
        }
        cases.one();
    }
    eprintln!("nothing cancels away: {known} with a size that is known");
    assert!(known > 1_000, "{known}");
    cases.finish();
}

/// Each foreclosed a solution before: what the rule gives is entailed, so nothing of it is guessed.
#[test]
fn what_two_sums_share_cancels() {
    // The same parts: the wholes have as many elements.
    let mut given = Given::new("d = 6");
    let [d, e, a, b, c, f] = ["d", "e", "a", "b", "c", "f"].map(|name| given.dim(name));
    given.claims = vec![sum(d, &[a, b]), sum(e, &[b, a])];
    assert_eq!(given.sizes(&["e"]), [6]);
    // One part more.
    given.claims = vec![sum(size(3), &[a, b]), sum(size(5), &[b, c, a])];
    assert_eq!(given.sizes(&["c"]), [2]);
    // The converse: of equal wholes the parts that are not shared have as many elements.
    given.claims = vec![sum(f, &[a, b, c]), sum(f, &[b, d, a])];
    assert_eq!(given.sizes(&["c"]), [6]);
    // As are others of all that is equal to one sum, however many: neighbours are enough.
    let wholes = ["w0", "w1", "w2", "w3", "w4", "d"].map(|name| given.dim(name));
    given.claims = wholes.iter().map(|whole| sum(*whole, &[a, b, c])).collect();
    assert_eq!(given.sizes(&["w0", "w1", "w2", "w3", "w4"]), [6; 5]);
    // With the other sign: e = d + a and d = e + b have no solution.
    given.claims = vec![sum(e, &[d, a]), sum(d, &[e, b])];
    assert!(matches!(given.run(Stage::Seven), Outcome::Unsat(_)));
    // There the difference would leave two terms as well, and the sum leaves one: b is 1, and nothing else is known.
    let mut given = Given::new("");
    let [d, e, b] = ["d", "e", "b"].map(|name| given.dim(name));
    given.claims = vec![SizeClaim::Size(d, conv(1, e, 1, b, false)), SizeClaim::Size(e, conv(1, d, 1, b, false))];
    let names = given.names.clone();
    let known = bounds(&given.problem(), &names).expect("it is not refused").expect("bounds settle");
    assert_eq!(known.get(&given.var("b")), Some(&(1, Some(1))), "{known:?}");
}

/// The step has both claims, and so has a refusal.
#[test]
fn both_claims_are_named() {
    let mut given = Given::new("d = 6");
    let [d, e, a, b, c] = ["d", "e", "a", "b", "c"].map(|name| given.dim(name));
    given.claims = vec![sum(d, &[a, b, size(2)]), sum(e, &[b, a]), sum(size(9), &[c, e])];
    let Outcome::Closed(closed) = given.run(Stage::Seven) else { panic!("it closes") };
    let step = closed.steps.iter().find(|step| step.rule == AssumedRule::Stage(StageRule::Cancel));
    assert_eq!(step.and_then(|step| step.by), Some(By { claim: 1, less: Some(0) }), "{:?}", closed.steps);
    assert_eq!(closed.values.elements(e), 4);
    given.claims = vec![sum(size(4), &[a, b]), sum(size(5), &[b, a])];
    let Outcome::Unsat(Refusal::Size(failure)) = given.run(Stage::Seven) else { panic!("it is refused") };
    assert_eq!((failure.rule, failure.claim), (StageRule::Cancel, 1));
    assert_eq!(failure.bounded_by, BTreeSet::from([0]));
}

/// A number of elements is no dimension: where all parts are 1∅, two wholes may have different bases.
#[test]
fn what_cancels_says_nothing_of_bases() {
    let mut given = Given::new("d = 2:px\ne = 2");
    let [d, e, a, b] = ["d", "e", "a", "b"].map(|name| given.dim(name));
    given.claims = vec![sum(d, &[a, b]), sum(e, &[b, a])];
    match given.run(Stage::Seven) {
        Outcome::Closed(_) | Outcome::Rejected(_, _, Searched::Solution(_)) => {}
        other => panic!("{other:?}"),
    }
}
