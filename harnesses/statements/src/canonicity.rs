//! Thm. 7.4: what Def. 7.3's pass computes, by a definition that knows no order of the equations; so none matters.

use lozenge_calculus::projection::{Atom, Class, Classes, Conflict, Equation, Index, Partition, Proj, pass, solve};

/// The most ids that the definition is spelt out for.
pub const IDS: usize = 3;

/// Is this pair of ids asked to be one, in either direction?
fn asked(equations: &[Equation], p: usize, q: usize) -> bool {
    let is = |id: &Proj, n: usize| id.0 as usize == n;
    equations.iter().any(|equation| match equation {
        Equation::Eq(Atom::Proj(a), Atom::Proj(b)) => (is(a, p) && is(b, q)) || (is(a, q) && is(b, p)),
        _ => false,
    })
}

/// The least equivalence that has what is asked for: a path of two is the longest among three ids.
fn together(equations: &[Equation], p: usize, q: usize) -> bool {
    p == q || asked(equations, p, q) || (0..IDS).any(|k| asked(equations, p, k) && asked(equations, k, q))
}

/// The pin that an equation gives, with the id it gives it to.
fn pin(equation: &Equation) -> Option<(usize, &Index)> {
    match equation {
        Equation::Eq(Atom::Proj(p), Atom::Sol(i)) | Equation::Eq(Atom::Sol(i), Atom::Proj(p)) => {
            Some((p.0 as usize, i))
        }
        _ => None,
    }
}

/// Thm. 7.4: (a) two sizes in a class, (b) two pins in a class, (c) two given indices that differ.
#[must_use]
pub fn conflict(sizes: &[u64], equations: &[Equation]) -> bool {
    let n = sizes.len();
    let sizes_differ = (0..n).any(|p| (0..p).any(|q| together(equations, p, q) && sizes[p] != sizes[q]));
    let pins_differ = equations.iter().any(|e| {
        equations.iter().any(|f| match (pin(e), pin(f)) {
            (Some((p, i)), Some((q, j))) => together(equations, p, q) && i != j,
            _ => false,
        })
    });
    let given = equations.iter().any(|e| matches!(e, Equation::Eq(Atom::Sol(i), Atom::Sol(j)) if i != j));
    sizes_differ || pins_differ || given
}

/// The classes are those of the definition: the partition, its numbering, and what is known of each class.
fn as_defined(sizes: &[u64], equations: &[Equation], solved: &Classes) {
    assert!(solved.of.len() == sizes.len());
    let mut classes = 0;
    for (p, size) in sizes.iter().enumerate() {
        for q in 0..p {
            assert!((solved.of[p] == solved.of[q]) == together(equations, p, q), "the partition");
        }
        if !(0..p).any(|q| together(equations, p, q)) {
            assert!(solved.of[p] == classes, "classes are numbered by their first ids");
            classes += 1;
        }
        is_known(*size, equations, p, &solved.classes[solved.of[p]]);
    }
    assert!(solved.classes.len() == classes);
}

/// What is known of the class of an id: its size, its pin, whether it is iterated.
fn is_known(size: u64, equations: &[Equation], p: usize, class: &Class) {
    assert!(class.size == size, "7.8: an index below the size of its class is in range");
    let iterated = |e: &Equation| matches!(e, Equation::Iter(Atom::Proj(q)) if together(equations, p, q.0 as usize));
    assert!(class.iterate == equations.iter().any(iterated), "the iterate set");
    let mut given = None;
    for equation in equations {
        match pin(equation) {
            Some((q, index)) if together(equations, p, q) => given = Some(index),
            _ => {}
        }
    }
    assert!(class.pin.as_ref() == given, "the pin");
}

/// Thm. 7.4: the pass fails iff one of (a), (b), (c) holds, and else computes what the definition says. Of every id in
/// the equations there is a size, and there are at most [`IDS`].
pub fn solved_by_definition(sizes: &[u64], equations: &[Equation]) -> bool {
    match solve(sizes, equations) {
        Err(_) => assert!(conflict(sizes, equations)),
        Ok(solved) => {
            assert!(!conflict(sizes, equations));
            as_defined(sizes, equations, &solved);
        }
    }
    true
}

/// A partition of three ids as a table: the class of each id by its first id, and what is known of that class. What is
/// known changes by core's [`Class::merge`] alone.
struct Table {
    first: [usize; IDS],
    known: [Class; IDS],
}

impl Partition for Table {
    fn union(&mut self, p: Proj, q: Proj) -> Result<(), Conflict> {
        let (p, q) = (self.first[p.0 as usize], self.first[q.0 as usize]);
        let (low, high) = (p.min(q), p.max(q));
        if low < high {
            self.known[low] = self.known[low].merge(&self.known[high])?;
            for first in &mut self.first {
                *first = if *first == high { low } else { *first };
            }
        }
        Ok(())
    }

    fn know(&mut self, p: Proj, now: impl FnOnce(Class) -> Class) -> Result<(), Conflict> {
        let class = &mut self.known[self.first[p.0 as usize]];
        *class = class.merge(&now(class.clone()))?;
        Ok(())
    }
}

/// [`solved_by_definition`] of core's pass over a table: the rules PS-union, PS-pin, PS-check and PS-iter without the
/// lists that core keeps the classes in.
pub fn passes_by_definition(sizes: [u64; IDS], equations: &[Equation]) -> bool {
    let mut table = Table { first: std::array::from_fn(|p| p), known: sizes.map(Class::of_size) };
    let passed = pass(&mut table, equations);
    assert!(passed.is_err() == conflict(&sizes, equations));
    if passed.is_ok() {
        for (p, size) in sizes.iter().enumerate() {
            for q in 0..p {
                assert!((table.first[p] == table.first[q]) == together(equations, p, q), "the partition");
            }
            is_known(*size, equations, p, &table.known[table.first[p]]);
        }
    }
    passed.is_ok()
}
