//! Bounds go as far as claims hang together (ST-bounds): trees of size claims, deeper than bounds of cycles are followed,
//! written in any order.

use super::{Given, conv, size};
use lozenge::staged::{SizeClaim, SizeTerm};
use lozenge::term::DimTerm;
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::Numbers;

/// How many claims a tree has.
const CLAIMS: usize = 300;

/// What a node of the tree is made of.
enum Made {
    /// The input of a valid convolution with a kernel so long.
    Longer(u64, usize),
    /// A concatenation.
    Both(usize, usize),
}

/// A tree: what the nodes are made of, from the root on; a node that is not there has any size.
fn tree(numbers: &mut Numbers) -> Vec<Option<Made>> {
    let mut nodes = vec![None];
    let mut ends = vec![0];
    for _ in 0..CLAIMS {
        // Mostly the newest: long branches.
        let end = if numbers.percent(99) { ends.len() - 1 } else { numbers.below(ends.len()) };
        let (end, next) = (ends.remove(end), nodes.len());
        let (made, new) = match numbers.below(24) {
            0 => (Made::Both(next, next + 1), 2),
            k => (Made::Longer(1 + k as u64 % 3, next), 1),
        };
        nodes[end] = Some(made);
        nodes.extend((0..new).map(|_| None));
        ends.extend(next..next + new);
    }
    nodes
}

/// The least size of each node: every end has one element.
fn least(nodes: &[Option<Made>]) -> Vec<u64> {
    let mut sizes = vec![1; nodes.len()];
    // What a node is made of comes after it.
    for (at, made) in nodes.iter().enumerate().rev() {
        sizes[at] = match made {
            None => 1,
            Some(Made::Longer(k, over)) => sizes[*over] + k - 1,
            Some(Made::Both(a, b)) => sizes[*a] + sizes[*b],
        };
    }
    sizes
}

fn claim(at: usize, made: &Made, dim: impl Fn(usize) -> DimTerm) -> SizeClaim {
    let term = match made {
        Made::Longer(k, over) => conv(1, dim(*over), 1, size(*k), false),
        Made::Both(a, b) => SizeTerm::Concat(vec![dim(*a), dim(*b)]),
    };
    SizeClaim::Size(dim(at), term)
}

#[test]
fn bounds_go_to_the_ends_of_trees() {
    let cases = Cases::of("bounds_go_to_the_ends_of_trees");
    for case in 0..24 {
        let mut numbers = Numbers::of(17, case);
        let nodes = tree(&mut numbers);
        // The root is guessed first, at the least that all the others leave it.
        let mut given = Given::new("").leaves(&["x0"]);
        let names: Vec<String> = (0..nodes.len()).map(|at| format!("x{at}")).collect();
        let dims: Vec<DimTerm> = names.iter().map(|name| given.dim(name)).collect();
        let made = nodes.iter().enumerate().filter_map(|(at, made)| Some((at, made.as_ref()?)));
        let mut claims: Vec<SizeClaim> = made.map(|(at, made)| claim(at, made, |node| dims[node])).collect();
        match case % 3 {
            0 => {}
            1 => claims.reverse(),
            _ => (1..claims.len()).for_each(|at| claims.swap(at, numbers.below(at + 1))),
        }
        given.claims = claims;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(given.sizes(&names), least(&nodes), "case {case}");
        cases.one();
    }
    cases.finish();
}
