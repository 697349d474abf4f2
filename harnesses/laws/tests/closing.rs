//! §6: closing.
#![allow(missing_docs)]

use super::paper::parsed;
use lozenge::certificate::Edge;
use lozenge::closing::{CloseRule, Closed, Closing, Tags, close, close_in_order};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::parse_ground;
use lozenge::semantics::{Ground, Universe, holds, sol};
use lozenge::solver::{GuardPolicy, Limits, Policy, Rule, Strategy, Verdict, WordPolicy, solve};
use lozenge::term::{Var, Vars};
use lozenge_harnesses::cases::{Cases, random};
use lozenge_harnesses::generators::{System, Weights};
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeSet;

fn vars(names: &Names, list: &str) -> BTreeSet<Var> {
    list.split_whitespace().map(|name| names.lookup(name).unwrap_or_else(|| panic!("{name}"))).collect()
}

fn closing(text: &str, leaves: &str, params: &str, policy: Policy) -> (Names, Closing) {
    let (mut names, phi) = parsed(text);
    let tags = Tags { leaves: vars(&names, leaves), params: vars(&names, params) };
    let end = close(&phi, &mut names, &tags, policy);
    (names, end)
}

fn closed(text: &str, leaves: &str) -> (String, Vec<CloseRule>) {
    match closing(text, leaves, "", Policy::default()) {
        (names, Closing::Closed(closed)) => {
            (names.show(&closed.values).to_string(), closed.assumptions.iter().map(|a| a.rule).collect())
        }
        (_, other) => panic!("{text}: {other:?}"),
    }
}

#[test]
fn remark_6_3_any_order_closes() {
    // Every order of the three constraints and of the two leaves.
    let lines = ["3 <= a", "a <= b", "5 <= b"];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let text = order.map(|i| lines[i]).join("\n");
        let (mut names, phi) = parsed(&text);
        let tags = Tags::leaves(phi.vars());
        for reversed in [false, true] {
            let flip = |vars: &mut Vec<Var>| {
                if reversed {
                    vars.reverse()
                }
            };
            let Closing::Closed(end) = close_in_order(&phi, &mut names, &tags, Policy::default(), flip) else {
                panic!("{text}")
            };
            let value = |name: &str| {
                names.lookup(name).map(|v| {
                    end.values.dim(lozenge::term::DimTerm::Var(match v {
                        Var::Dim(d) => d,
                        Var::Row(_) => panic!(),
                    }))
                })
            };
            assert_eq!(value("a").map(|d| d.to_string()), Some("3".to_owned()));
            assert_eq!(value("b").map(|d| d.to_string()), Some("1∅".to_owned()));
        }
    }
}

#[test]
fn remark_6_6_closing_is_not_principal() {
    assert_eq!(closed("3 <= a", "a"), ("a ↦ 3".to_owned(), vec![CloseRule::Leaf]));
    assert_eq!(closed("3 <= a", ""), ("a ↦ 1∅".to_owned(), vec![CloseRule::Up]));
}

#[test]
fn decision_8_leaves_with_a_cap_come_first() {
    for text in ["3 <= a\nb <= a", "b <= a\n3 <= a"] {
        let (values, rules) = closed(text, "a b");
        assert!(values.contains("a ↦ 3") && values.contains("b ↦ 3"));
        assert_eq!(rules, [CloseRule::Leaf]);
    }
}

#[test]
fn rows_close_to_the_join_of_their_caps() {
    // Flanks of the shorter length, entries joined (Prop. 2.7).
    assert_eq!(closed("[2] <> [3,4] <= <p>\n[2] <> [5,4] <= <p>", "p").0, "⟨p⟩ ↦ [2]·⋄·[1∅,4]");
    assert_eq!(closed("[2,7] <> [4] <= <p>\n[2] <> [5,4] <= <p>", "p").0, "⟨p⟩ ↦ [2]·⋄·[4]");
    // Caps come through other variables, in any order.
    for text in ["[2] <> [3] <= <q>\n<q> [5] <= <p>", "<q> [5] <= <p>\n[2] <> [3] <= <q>"] {
        assert!(closed(text, "p q").0.contains("⟨p⟩ ↦ [2]·⋄·[3,5]"), "{text}");
    }
    // No cap: no further axes.
    assert_eq!(closed("<p> <= <q>", "p q").1, [CloseRule::Bare, CloseRule::Bare]);
    assert_eq!(closed("<p> <= [3] <> []", "p").0, "⟨p⟩ ↦ [3]·⋄·[]");
}

#[test]
fn holes_are_assumed_or_for_parameters_refused() {
    let text = "[a] <> [4] <= <p>";
    let (values, rules) = closed(text, "p");
    assert!(values.contains("⟨p⟩ ↦ [1∅]·⋄·[4]") && rules[0] == CloseRule::Hole);
    match closing(text, "p", "p", Policy::default()) {
        (names, Closing::Hole(hole)) => {
            assert_eq!(Some(hole.var), names.lookup("p"));
            assert_eq!((hole.position, hole.uses), (Some((Edge::Front, 0)), vec![0]));
        }
        (_, other) => panic!("{other:?}"),
    }
    match closing("<p> <= [a] <> []\na <= b", "p", "p", Policy::default()) {
        (names, Closing::Hole(hole)) => assert_eq!(names.show(&hole.var).to_string(), "⟨p⟩"),
        (_, other) => panic!("{other:?}"),
    }
    assert!(matches!(closing("a <= b", "a", "a", Policy::default()).1, Closing::Hole(h) if h.uses == [0]));
    // A parameter's row may have no further axes; only dimensions must be known.
    assert!(matches!(closing("<p> <= <q>", "p", "p", Policy::default()).1, Closing::Closed(_)));
}

#[test]
fn finding_f4_leaf_closing_rejects_a_satisfiable_store() {
    let text = "3 <= a\n5 <= b\nc <= a\nc <= b";
    let (_, end) = closing(text, "a b", "", Policy::default());
    let Closing::Rejected(failure, assumptions) = end else { panic!("{end:?}") };
    assert_eq!(failure.rule, Rule::DeClash);
    assert_eq!(assumptions.len(), 2);
    let (mut names, phi) = parsed(text);
    let gamma = parse_ground("a := unit\nb := unit\nc := 3", &mut names).expect("values");
    assert!(phi.iter().all(|c| holds(&gamma, c)));
}

#[test]
fn finding_f6_the_upward_close_rejects_what_least_material_accepts() {
    let text = "[2] <x> ~ <y> [3]";
    let upward = Policy { words: WordPolicy::Upward, ..Policy::default() };
    assert!(matches!(closing(text, "", "", upward).1, Closing::Rejected(..)));
    assert_eq!(closed(text, ""), ("⟨x⟩ ↦ []·⋄·[3], ⟨y⟩ ↦ []·⋄·[2]".to_owned(), vec![CloseRule::Word]));
    // A sporadic solution with fewer axes is preferred: 2·x = y·2 by x = y = [].
    assert_eq!(closed("[2] <x> ~ <y> [2]", "").0, "⟨x⟩ ↦ []·⋄·[], ⟨y⟩ ↦ []·⋄·[]");
    assert_eq!(closed("[2,3] <x> ~ <y> [3,5]", "").0, "⟨x⟩ ↦ []·⋄·[5], ⟨y⟩ ↦ []·⋄·[2]");
    // Conjugates: 2,3·x = x·3,2 by x = [2].
    assert_eq!(closed("[2,3] <x> ~ <x> [3,2]", "").0, "⟨x⟩ ↦ []·⋄·[2]");
    assert!(matches!(closing("[2] <x> ~ <x> [3]", "", "", Policy::default()).1, Closing::Rejected(..)));
}

#[test]
fn finding_f13_least_needs_a_cap_and_holes_are_not_incomparable() {
    // Without a cap the committed value is the greatest, not the least.
    let (values, _) = closed("a <= b", "a b");
    assert_eq!(values, "a ↦ 1∅, b ↦ 1∅");
    // At a hole, [3]·⋄·[] is strictly below the committed [1∅]·⋄·[].
    assert!(closed("[a] <> [] <= <p>", "p").0.contains("⟨p⟩ ↦ [1∅]·⋄·[]"));
    let (mut names, phi) = parsed("[a] <> [] <= <p>");
    let lower = parse_ground("a := 3\np := [3] <> []", &mut names).expect("values");
    assert!(phi.iter().all(|c| holds(&lower, c)));
}

#[test]
fn prop_6_4_ii_the_unqualified_claim_is_false() {
    let (mut names, phi) = parsed("<r> ~ [] <> [3,5]");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!() };
    let greatest = solved.greatest().expect("γ↑");
    assert_eq!(names.show(&greatest).to_string(), "⟨r⟩ ↦ []·⋄·[3,5]");
    let other = parse_ground("r := [3] <> [5]", &mut names).expect("a value");
    let r = names.row_var("r").expect("r");
    assert!(phi.iter().all(|c| holds(&other, c)));
    assert!(!other.rows[&r].le(&greatest.rows[&r]));
}

#[test]
fn finding_6_2_step_three_can_fail_with_a_deferred_equation() {
    let upward = Policy { words: WordPolicy::Upward, ..Policy::default() };
    assert!(matches!(closing("[3] <r> ~ <r> [5]", "", "", upward).1, Closing::Rejected(..)));
}

/// A system with some of its variables tagged.
#[derive(Clone, Debug)]
struct Tagged {
    system: System,
    tags: Tags,
}

impl Arbitrary for Tagged {
    fn arbitrary(g: &mut Gen) -> Self {
        let system = Weights { flank: 2, equalities: 2, ..Weights::default() }.system(g);
        let leaves = system.constraints.vars().into_iter().filter(|_| bool::arbitrary(g)).collect();
        Tagged { system, tags: Tags { leaves, params: BTreeSet::new() } }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let tags = self.tags.clone();
        Box::new(self.system.shrink().map(move |system| Tagged { system, tags: tags.clone() }))
    }
}

/// Prop. 6.2: what closing returns is a solution; it never returns without an end; an `unsat` is one.
#[test]
fn prop_6_2_closing_is_sound() {
    random("prop_6_2_closing_is_sound", 200_000, |Tagged { system, tags }: Tagged| {
        let System { mut names, constraints } = system;
        let strategies = [Strategy::Fifo, Strategy::Lifo, Strategy::Random(5), Strategy::Rounds];
        strategies.into_iter().all(|strategy| {
            let limits = Limits { fuel: 100_000, rank: 500, size: 1_000_000 };
            let policy = Policy { strategy, limits, ..Policy::default() };
            match close(&constraints, &mut names, &tags, policy) {
                Closing::Closed(closed) => constraints.iter().all(|c| holds(&closed.values, c)),
                Closing::Unsat(_) => matches!(solve(&constraints, &mut names, policy), Verdict::Unsat(_)),
                Closing::Rejected(..) => true,
                Closing::Hole(_) | Closing::Limit(_) => false,
            }
        })
    });
}

/// Every order of so many things.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    permutations(n - 1).into_iter().flat_map(|p| (0..n).map(move |i| [&p[..i], &[n - 1], &p[i..]].concat())).collect()
}

/// The values closing commits, or that it fails.
fn outcome(closing: Closing) -> Option<Ground> {
    match closing {
        Closing::Closed(closed) => Some(Closed::clone(&closed).values),
        _ => None,
    }
}

/// Remark 6.7 (i), repaired by F4: under saturation the values do not depend on the order of commitments,
/// and neither does whether closing fails. Every permutation of up to six leaves.
#[test]
fn remark_6_7_i_order_of_commitments_is_irrelevant() {
    let cases = Cases::of("remark_6_7_i_order_of_commitments_is_irrelevant");
    let weights =
        Weights { flank: 1, constraints: 7, vars: 3, sizes: 2, bases: 1, equalities: 0, ..Weights::default() };
    let mut g = Gen::from_size_and_seed(100, 17);
    let mut systems = 0;
    while systems < 400 {
        let System { mut names, constraints } = weights.system(&mut g);
        let all = systems % 2 == 0;
        let tags = Tags::leaves(constraints.vars().into_iter().filter(|_| all || bool::arbitrary(&mut g)));
        if tags.leaves.len() < 3 || tags.leaves.len() > 6 {
            continue;
        }
        systems += 1;
        let first = outcome(close(&constraints, &mut names, &tags, Policy::default()));
        for order in permutations(tags.leaves.len()) {
            cases.one();
            let rank: Vec<Var> = order.iter().filter_map(|i| tags.leaves.iter().nth(*i).copied()).collect();
            let sort = |vars: &mut Vec<Var>| {
                vars.sort_by_key(|v| rank.iter().position(|w| w == v).unwrap_or(v.id() as usize + rank.len()));
            };
            let again = outcome(close_in_order(&constraints, &mut names, &tags, Policy::default(), sort));
            if again != first {
                let shown: Vec<String> = constraints.iter().map(|c| names.show(c).to_string()).collect();
                let show = |g: &Option<Ground>| g.as_ref().map_or("fails".to_owned(), |g| names.show(g).to_string());
                panic!("{}\nfirst: {}\nthen: {}", shown.join("\n"), show(&first), show(&again));
            }
        }
    }
    cases.finish();
}

/// Prop. 6.5: where all caps of a leaf are ground, the committed value is the least above them.
#[test]
fn prop_6_5_leaf_closing_is_locally_least() {
    let cases = Cases::of("prop_6_5_leaf_closing_is_locally_least");
    let universe = Universe::of_sizes(&[1, 2], 2).expect("small");
    let ground: Vec<_> = universe.rows().iter().filter(|r| r.rank() <= 2).collect();
    let mut names = Names::new();
    let p = names.row_var("p").expect("p");
    let tags = Tags::leaves([Var::Row(p)]);
    for a in &ground {
        for b in &ground {
            cases.one();
            let phi = [Constraint::RowLe((*a).into(), p.into()), Constraint::RowLe((*b).into(), p.into())];
            let Closing::Closed(end) = close(&phi, &mut names, &tags, Policy::default()) else { panic!("{a} {b}") };
            let value = &end.values.rows[&p];
            assert!(sol(&phi, &universe).all(|gamma| value.le(&gamma.rows[&p])));
        }
    }
    cases.finish();
}

/// 6.2: that re-solving ends without a guard fails while an equation is deferred. Committing z makes x grow,
/// the equation then ties y to x, and the second line grows for ever; the signed guard stops it.
#[test]
fn finding_6_2_re_solving_needs_the_guard() {
    let text = "[2] <x> ~ <y> [2]\n<x> [2] <= <y>\n<x> <= <z>\n[] <> [2] <= <z>";
    let limits = Limits { fuel: 5_000, rank: 100, ..Limits::default() };
    let unguarded = Policy { guard: GuardPolicy::None, limits, ..Policy::default() };
    assert!(matches!(closing(text, "z", "", unguarded).1, Closing::Limit(_)));
    assert!(matches!(closing(text, "z", "", Policy { limits, ..Policy::default() }).1, Closing::Rejected(..)));
    // All variables empty is a solution.
    assert!(matches!(closing(text, "", "", Policy::default()).1, Closing::Closed(_)));
}

/// Def. 6.1's ground parts: a leaf whose only caps are open takes what is written of them. A bare variable
/// writes nothing.
#[test]
fn open_caps_count_by_what_is_written() {
    let (values, rules) = closed("<y> [128] <= <b>", "b");
    assert!(values.contains("⟨b⟩ ↦ []·⋄·[128]") && rules[0] == CloseRule::Leaf, "{values}");
    assert!(closed("<y> <= <b>", "b").0.contains("⟨b⟩ ↦ []·⋄·[]"));
    // A known cap comes first, and a variable with caps of its own counts with them.
    assert!(closed("<y> [128] <= <b>\n[] <> [3,128] <= <b>", "b").0.contains("⟨b⟩ ↦ []·⋄·[3,128]"));
}

/// A slice of what a pointwise operation gives: the axis that is sliced off is one that is there.
#[test]
fn words_with_variables_take_the_least_solution() {
    let text = "<z> <= [] <> [3,8]\n<z> ~ [i] <a>";
    assert!(closed(text, "").0.contains("⟨z⟩ ↦ []·⋄·[3,8]"), "{}", closed(text, "").0);
}

/// The terms of a word: two sizes and two variables.
fn words(longest: usize) -> Vec<Vec<&'static str>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last =
            last.iter().flat_map(|w: &Vec<&str>| ["2", "3", "a", "b"].map(|t| [w.as_slice(), &[t]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// CL-word takes a solution with the fewest axes, and finds one wherever there is one: every equation s·x = y·t and
/// s·x = x·t with words up to three terms, against all values of its variables.
#[test]
fn cl_word_is_least() {
    let cases = Cases::of("cl_word_is_least");
    let ground = |word: &[&str], a: &'static str, b: &'static str| -> Vec<&'static str> {
        word.iter()
            .map(|t| match *t {
                "a" => a,
                "b" => b,
                "2" => "2",
                _ => "3",
            })
            .collect()
    };
    for s in words(3) {
        for t in words(3).into_iter().filter(|t| s.len() + t.len() > 0) {
            for y in ["x", "y"] {
                let text = format!("[{}] <x> ~ <{y}> [{}]", s.join(","), t.join(","));
                // Whatever is equal to none of the terms is one more size.
                let values = ["2", "3", "4"].iter().flat_map(|a| ["2", "3", "4"].map(|b| (*a, b)));
                let least =
                    values.filter_map(|(a, b)| least_word(&ground(&s, a, b), &ground(&t, a, b), y == "x")).min();
                match (closing(&text, "", "", Policy::default()), least) {
                    ((names, Closing::Closed(end)), Some(least)) => {
                        let Some(Var::Row(y)) = names.lookup(y) else { panic!("{text}") };
                        assert_eq!(end.values.row(&y.into()).rank(), least, "{text}");
                    }
                    ((_, Closing::Rejected(..) | Closing::Unsat(..)), None) => {}
                    ((_, end), least) => panic!("{text}: {least:?}, {end:?}"),
                }
                cases.one();
            }
        }
    }
    cases.finish();
}

/// The least length of y with s·x = y·t, for words without variables; x is y if they are the same.
fn least_word(s: &[&str], t: &[&str], same: bool) -> Option<usize> {
    let shorter = (0..s.len()).find(|&j| {
        let (y, rest) = s.split_at(j);
        // y is a prefix of s: then the rest of s is the front of t, and x the rest of t.
        t.starts_with(rest) && (!same || &t[rest.len()..] == y)
    });
    // y = s·w and x = w·t: the least of these is y = s; with x = y there is a shorter one where there is any.
    shorter.or((!same || (s.is_empty() && t.is_empty())).then_some(s.len()))
}
