//! What the claims about sizes mean, and which labels are projected away.

use super::{Given, conv, size, strided};
use lozenge::dim::{Basis, Dim};
use lozenge::names::Names;
use lozenge::semantics::{Ground, Universe};
use lozenge::solver::Policy;
use lozenge::staged::{
    Affine, AxisLabels, Conv, Exact, Factor, Mode, Numerator, Outcome, Refusal, SizeClaim, SizeTerm, Stage,
    StagedSystem, Total, Valuation, discardable, may_be_zero, sol, solve,
};
use lozenge::term::{DimTerm, DimVar, RowTerm};
use std::collections::BTreeSet;

#[test]
fn the_three_size_equations() {
    // Convolutions as they are usually tabled: (mode, stride, dilation, output, kernel) and the input.
    let ground = Valuation::default();
    let table = [
        (Mode::Strided, 3, 1, 4, 1, 12),
        (Mode::Padded, 1, 1, 28, 3, 28),
        (Mode::Padded, 2, 1, 14, 3, 28),
        (Mode::Padded, 2, 2, 14, 5, 28),
        (Mode::Valid, 1, 1, 26, 3, 28),
        (Mode::Valid, 2, 1, 13, 3, 27),
        (Mode::Valid, 2, 2, 12, 3, 27),
        (Mode::Valid, 3, 1, 9, 4, 28),
        (Mode::Valid, 1, 1, 1, 1, 1),
    ];
    for (mode, stride, dilation, output, kernel, input) in table {
        let over = size(output);
        let term = match mode {
            Mode::Strided => strided(stride, over),
            mode => conv(stride, over, dilation, size(kernel), mode == Mode::Padded),
        };
        let SizeTerm::Affine(affine) = &term else { unreachable!() };
        assert_eq!(affine.mode(), mode);
        assert_eq!(ground.affine(affine), Some(input), "{term:?}");
        assert!(ground.holds(&SizeClaim::Size(size(input), term.clone())));
        assert!(!ground.holds(&SizeClaim::Size(size(input + 1), term)));
    }
    // The valid equation is what the addresses need: the last one is the last element.
    for (s, o, k, d) in itertools4([1, 2, 3], [1, 2, 5], [1, 2, 3], [1, 2, 3]) {
        let affine = Affine { stride: Factor::Known(s), over: size(o), conv: None, offset: 0 };
        let conv = Some(Conv { dilation: Factor::Known(d), kernel: size(k), padded: false });
        let last = s * (o - 1) + d * (k - 1);
        assert_eq!(ground.affine(&Affine { conv, ..affine }), Some(last + 1));
    }
}

fn itertools4<const N: usize>(a: [u64; N], b: [u64; N], c: [u64; N], d: [u64; N]) -> Vec<(u64, u64, u64, u64)> {
    let mut out = Vec::new();
    for x in a {
        for y in b {
            for z in c {
                out.extend(d.map(|w| (x, y, z, w)));
            }
        }
    }
    out
}

#[test]
fn affine_terms_that_mean_nothing() {
    let ground = Valuation::default();
    let bad = |affine: Affine| {
        assert_eq!(ground.affine(&affine), None, "{affine:?}");
        let claim = SizeClaim::Size(size(6), SizeTerm::Affine(affine));
        assert!(!ground.holds(&claim));
        let problem = StagedSystem { claims: std::slice::from_ref(&claim), ..StagedSystem::default() };
        let outcome = solve(&problem, &mut Names::new(), Policy::default(), Stage::Seven);
        assert!(matches!(outcome, Outcome::Unsat(Refusal::Size(_))), "{outcome:?}");
    };
    let good = Affine { stride: Factor::Known(2), over: size(3), conv: None, offset: 0 };
    assert_eq!(ground.affine(&Affine { offset: 1, ..good }), Some(6), "an offset below the stride changes no size");
    bad(Affine { stride: Factor::Known(0), ..good });
    bad(Affine { offset: 2, ..good });
    let valid = Some(Conv { dilation: Factor::Known(1), kernel: size(2), padded: false });
    bad(Affine { conv: valid, offset: 1, ..good });
    let still = Some(Conv { dilation: Factor::Known(0), kernel: size(2), padded: false });
    bad(Affine { conv: still, ..good });
    // A kernel counts distances, which have no basis.
    let mut names = Names::new();
    let rgb = Dim::Atom(lozenge::dim::Atom::new(3, names.basis("rgb")).expect("3"));
    let named = Some(Conv { dilation: Factor::Known(1), kernel: rgb.into(), padded: false });
    bad(Affine { conv: named, ..good });
    // Stride 1 without a kernel that takes anything is the axis itself, basis included.
    let same = Affine { stride: Factor::Known(1), over: rgb.into(), ..good };
    assert!(same.is_identity() && ground.holds(&SizeClaim::Size(rgb.into(), SizeTerm::Affine(same))));
}

/// What a basis means: every position of the axis that is worked out, of the output and of a part is a position of one
/// and the same thing, and 1∅ says nothing.
#[test]
fn bases_go_through_size_equations() {
    let mut names = Names::new();
    let mut sized = |n: u64, basis: &str| {
        let basis = if basis.is_empty() { Basis::DEFAULT } else { names.basis(basis) };
        DimTerm::Dim(Dim::Atom(lozenge::dim::Atom::new(n, basis).expect("sizes start at one")))
    };
    let (px3, px6, px9, rgb3, unit) =
        (sized(3, "px"), sized(6, "px"), sized(9, "px"), sized(3, "rgb"), DimTerm::Dim(Dim::Unit));
    let ground = Valuation::default();
    let holds = |d: DimTerm, term: SizeTerm| ground.holds(&SizeClaim::Size(d, term));
    assert!(holds(px6, strided(2, px3)) && !holds(size(6), strided(2, px3)) && !holds(px6, strided(2, rgb3)));
    assert!(holds(px3, strided(3, unit)), "1∅ has no basis");
    assert!(holds(px9, SizeTerm::Concat(vec![px3, px6])) && !holds(px6, SizeTerm::Concat(vec![px3, rgb3])));
    assert!(holds(px6, conv(2, px3, 1, size(2), false)) && !holds(px6, conv(2, px3, 1, sized(2, "px"), false)));
    assert!(holds(px6, conv(2, px3, 1, rgb3, true)), "the size of a padded axis has no kernel in it");
    // The rules find the same: the size that is missing has the basis of the others.
    for (claims, expected) in [
        (SizeClaim::Size(px6, strided(2, DimVar(0).into())), px3),
        (SizeClaim::Size(DimVar(0).into(), strided(2, px3)), px6),
        (SizeClaim::Size(px9, SizeTerm::Concat(vec![px3, DimVar(0).into()])), px6),
    ] {
        let mut names = Names::new();
        names.dim_var("x").expect("a dimension");
        let problem = StagedSystem { claims: std::slice::from_ref(&claims), ..StagedSystem::default() };
        let Outcome::Closed(closed) = solve(&problem, &mut names, Policy::default(), Stage::One) else { panic!() };
        assert_eq!(DimTerm::Dim(closed.values.ground.dim(DimVar(0).into())), expected);
        assert!(closed.assumptions.is_empty());
    }
}

#[test]
fn concatenation_is_a_sum_and_totals_are_products() {
    let ground = Valuation::default();
    assert!(ground.holds(&SizeClaim::Size(size(6), SizeTerm::Concat(vec![size(1), size(2), size(3)]))));
    assert!(!ground.holds(&SizeClaim::Size(size(5), SizeTerm::Concat(vec![size(1), size(2), size(3)]))));
    let row = |dims: &[u64]| RowTerm::new(vec![], None, dims.iter().map(|n| size(*n)).collect::<Vec<_>>());
    let mut names = Names::new();
    let (v, d1, d2) =
        (names.dim_var("v").expect("right"), names.dim_var("d1").expect("right"), names.dim_var("d2").expect("right"));
    let mut values = Ground::default();
    values.dims.extend([
        (v, Dim::size(1).expect("right")),
        (d1, Dim::size(4).expect("right")),
        (d2, Dim::size(1).expect("right")),
    ]);
    let valuation = Valuation { ground: values, zeros: BTreeSet::new() };
    // total = (64·v)/(d1·d2) with v = 1, d1 = 4, d2 = 1 is 16.
    let total = |rows: &[&[u64]], denom| {
        SizeClaim::Total(Total {
            rows: rows.iter().map(|r| row(r)).collect(),
            numerator: Numerator::Scaled { coeff: Factor::Known(64), var: v, denom },
            divided_by: BTreeSet::from([d1, d2]),
            keep: None,
        })
    };
    assert!(valuation.holds(&total(&[&[4, 4]], 1)));
    assert!(valuation.holds(&total(&[&[4], &[], &[4]], 1)));
    assert!(valuation.holds(&total(&[&[2, 2]], 4)));
    assert!(!valuation.holds(&total(&[&[64]], 1)));
    let exact = |rows: &[&[u64]], dims: &[u64]| {
        let dims = dims.iter().map(|n| size(*n)).collect();
        SizeClaim::Exact(Exact { rows: rows.iter().map(|r| row(r)).collect(), dims, keep: None })
    };
    assert!(valuation.holds(&exact(&[&[2], &[], &[3, 4]], &[2, 3, 4])));
    assert!(!valuation.holds(&exact(&[&[2], &[3, 4]], &[2, 4, 3])));
    assert!(!valuation.holds(&exact(&[&[2]], &[2, 1])));
    assert!(valuation.holds(&SizeClaim::AtLeast(size(3), 3)) && !valuation.holds(&SizeClaim::AtLeast(size(3), 4)));
}

/// A side of a specification: slots by `;`, axes by `,`, components by `^`.
pub fn side(text: &str) -> Vec<Vec<AxisLabels>> {
    let axis =
        |axis: &str| -> AxisLabels { axis.split('^').map(|label| BTreeSet::from([label.trim().to_owned()])).collect() };
    text.split(';').map(|slot| slot.split(',').filter(|a| !a.trim().is_empty()).map(axis).collect()).collect()
}

pub fn discarded(spec: &str) -> Vec<String> {
    let (operands, result) = spec.split_once("=>").expect("an arrow");
    discardable(&side(operands), &side(result)).into_iter().collect()
}

#[test]
fn the_four_quantifier_test() {
    // The six examples of the seeds, then more.
    assert_eq!(discarded("a^b => a"), ["b"]);
    assert_eq!(discarded("a^b => b"), ["a"]);
    assert_eq!(discarded("a^b => a^b"), [""; 0]);
    assert_eq!(discarded("b^c => a"), [""; 0]);
    assert_eq!(discarded("a; b => a^b"), [""; 0]);
    assert_eq!(discarded("a; b => a^c"), [""; 0]);
    assert_eq!(discarded("a => a^b"), ["b"]);
    assert_eq!(discarded("a^b^c => b"), ["a", "c"]);
    assert_eq!(discarded("a^b^c => a^c"), ["b"]);
    assert_eq!(discarded("a^b, c => c"), [""; 0]);
    assert_eq!(discarded("a^b, i => a, i"), ["b"]);
    assert_eq!(discarded("a; a => a^c"), ["c"]);
    assert_eq!(discarded("a^b, c^d => a, c"), ["b", "d"]);
}

#[test]
fn finding_a_discarded_label_can_be_an_axis() {
    // b is projected away from the concatenation and is an axis of the second operand all the same.
    assert_eq!(discarded("a^b; b => a"), ["b"]);
    let mut given = Given::new("x = 5\n<y> ~ [] <> [b]");
    given = given.claim(|g| SizeClaim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["b"];
    let b = given.var("b");
    assert!(may_be_zero(&given.phi, &given.claims, &BTreeSet::from([b])).is_empty());
    // So b is 1∅ and a is what is left.
    assert_eq!(given.sizes(&["a", "b"]), [4, 1]);
    // Where b is a component and nothing else, it is 0.
    let mut given = Given::new("x = 5");
    given = given.claim(|g| SizeClaim::Size(g.dim("x"), SizeTerm::Concat(vec![g.dim("a"), g.dim("b")])));
    given.discard = vec!["b"];
    assert_eq!(given.sizes(&["a", "b"]), [5, 0]);
}

#[test]
fn equal_parts_are_0_together() {
    let concat = |g: &mut Given, whole: &str, parts: [&str; 2]| {
        SizeClaim::Size(g.dim(whole), SizeTerm::Concat(parts.map(|p| g.dim(p)).to_vec()))
    };
    let given = |text: &str| {
        let mut given = Given::new(text).claim(|g| concat(g, "x", ["a", "b"])).claim(|g| concat(g, "y", ["d", "c"]));
        given.discard = vec!["b", "c"];
        given
    };
    // An equation is no further place for either; one with what cannot be 0 is.
    for (text, zeros, sizes) in [
        ("x = 3\ny = 4\nb = c", 2, [3, 0, 4, 0]),
        ("x = 3\ny = 4\nb = c\nc = c", 2, [3, 0, 4, 0]),
        ("x = 3\ny = 4\nb = c\nc = e", 0, [2, 1, 3, 1]),
        ("x = 3\ny = 4\nb = c\n<t> ~ [] <> [c]", 0, [2, 1, 3, 1]),
    ] {
        let mut given = given(text);
        let discardable = BTreeSet::from([given.var("b"), given.var("c")]);
        assert_eq!(may_be_zero(&given.phi, &given.claims, &discardable).len(), zeros, "{text}");
        assert_eq!(given.sizes(&["a", "b", "d", "c"]), sizes, "{text}");
        let universe = Universe::of_sizes(&[1, 2, 3, 4], 1).expect("small");
        let all: Vec<Valuation> = sol(&given.phi, &given.claims, &discardable, &universe).collect();
        assert!(!all.is_empty() && all.iter().all(|one| one.solves(&given.phi, &given.claims)), "{text}");
        let found: BTreeSet<usize> = all.iter().map(|one| one.zeros.len()).collect();
        assert_eq!(found, BTreeSet::from([0, zeros]), "{text}");
        for (i, one) in all.iter().enumerate() {
            assert!(!all[..i].contains(one), "{text}: {one:?} is there twice");
        }
    }
    // One that is 0 equals none that is not.
    let mut given = given("x = 3\ny = 4\nb = c");
    let (b, c) = (given.var("b"), given.var("c"));
    let values = [("x", 3), ("y", 4), ("a", 3), ("d", 3), ("c", 1)];
    let dims = values.map(|(name, n)| (given.var(name), Dim::size(n).expect("a size")));
    let one = Valuation { ground: Ground { dims: dims.into(), ..Ground::default() }, zeros: BTreeSet::from([b]) };
    assert!(!one.solves(&given.phi, &given.claims));
    assert!(one.solves(&[], &given.claims));
    assert!(!Valuation { zeros: BTreeSet::from([b, c]), ..one }.solves(&given.phi, &given.claims));
}
