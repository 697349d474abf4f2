//! The law between the layers where closing takes deferred equations one by one (CL-word). The engine keeps what is open
//! up to date, and does not look again where nothing can have come; builds with debug assertions, such as this one, count
//! all of it anew before every commitment.
#![allow(missing_docs)]

use lozenge::closing::{CloseRule, Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::policy::{Fuel, Limit, Limits, Policy};
use lozenge::term::{Var, Vars};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::generators::System;
use lozenge_harnesses::layers::crossed::{lines, system};
use lozenge_harnesses::layers::random::{policy, tags};
use lozenge_harnesses::layers::same_closing;

/// Closes in both layers, and says by how many words.
fn words(names: &Names, phi: &[Constraint], tags: &Tags, policy: Policy, backwards: bool) -> usize {
    let order = |vars: &mut Vec<Var>| {
        if backwards {
            vars.reverse();
        }
    };
    let text = || phi.iter().map(|c| names.show(c).ascii().to_string()).collect::<Vec<_>>().join("\n");
    let compared = same_closing(names, phi, tags, policy, order);
    compared.unwrap_or_else(|differs| panic!("{}\n{tags:?}\nunder {policy:?}\n{differs}", text()));
    match close(phi, &mut names.clone(), tags, policy) {
        Closing::Closed(closed) => closed.assumptions.iter().filter(|a| a.rule == CloseRule::Word).count(),
        _ => 0,
    }
}

/// Every three lines, in every order: leaves are none, all, or some.
#[test]
fn closing_layers_on_three_lines() {
    let cases = Cases::of("closing_layers_on_three_lines");
    let (names, lines) = lines();
    for (i, one) in lines.iter().enumerate() {
        for (j, two) in lines.iter().enumerate() {
            for (k, three) in lines.iter().enumerate() {
                let phi = [one.clone(), two.clone(), three.clone()];
                let tags = match (i + j + k) % 4 {
                    0 => Tags::default(),
                    1 => Tags::leaves(phi.vars()),
                    _ => tags(&phi, (i + 60 * j + 3600 * k) as u64),
                };
                words(&names, &phi, &tags, Policy::default(), k % 2 == 1);
                cases.one();
            }
        }
    }
    cases.finish();
}

/// Random systems, most of it equations that are deferred, under policies of every kind.
#[test]
fn closing_layers_on_deferred_equations() {
    let cases = Cases::of("closing_layers_on_deferred_equations");
    let (mut most, mut many) = (0, 0_u64);
    for number in 0..30_000 {
        let System { names, constraints } = system(number);
        let tags = if number.is_multiple_of(5) { Tags::leaves(constraints.vars()) } else { tags(&constraints, number) };
        let found = words(&names, &constraints, &tags, policy(number), number % 3 == 1);
        (most, many) = (most.max(found), many + u64::from(found > 2));
        cases.one();
    }
    eprintln!("closing_layers_on_deferred_equations: up to {most} words, {many} systems with more than two");
    assert!(most > 5 && many > 1000, "closing comes back again and again");
    cases.finish();
}

/// Does so much fuel close n equations `[2]·⟨x⟩ ≈ ⟨y⟩·[2]`?
fn closes(n: u64, are_leaves: bool, fuel: u64) -> bool {
    let mut names = Names::new();
    let text = (0..n).map(|i| format!("[2] <x{i}> ~ <y{i}> [2]\n")).collect::<String>();
    let phi = parse_system(&text, &mut names).unwrap_or_else(|e| panic!("{}", e.render(&text)));
    let tags = if are_leaves { Tags::leaves(names.vars()) } else { Tags::default() };
    let policy = Policy { limits: Limits { fuel, ..Limits::default() }, ..Policy::default() };
    !matches!(close(&phi, &mut names, &tags, policy), Closing::Limit(Limit::Fuel))
}

/// What closing costs is what is open each time something was committed, and what is deferred: as if all of it were
/// looked at.
#[test]
fn closing_costs_what_is_open() {
    let cases = Cases::of("closing_costs_what_is_open");
    for n in 1..=30_u64 {
        // The input's two variables, and four steps of the solver, two of which see two axes: each equation with
        // itself, and then with y = [], which emits 2 = 2. Of those that are left, the two variables, the equation
        // and its two axes.
        let looks = n * (2 + 4 * Fuel::LOOKS + 2 * 2) + (1..=n).map(|left| (2 + 1 + 2) * left).sum::<u64>();
        let fuel = looks.div_ceil(Fuel::LOOKS);
        for are_leaves in [false, true] {
            assert!(closes(n, are_leaves, fuel), "{n}: {fuel} are enough");
            assert!(!closes(n, are_leaves, fuel - 1), "{n}: {fuel} are needed");
            cases.one();
        }
    }
    cases.finish();
}
