//! Thm. 7.4: what Def. 7.3's pass computes, by a definition that knows no order of the equations; so none matters.
#![allow(clippy::needless_range_loop, reason = "ids are numbers: p and q are said of each other")]

use lozenge_calculus::projection::{Atom, Class, Classes, Conflict, Equation, Partition, Proj, pass, solve};

/// The most ids that the definition is spelt out for.
pub const IDS: usize = 3;

/// Is an id in the class of another?
type Together = [[bool; IDS]; IDS];

/// The least equivalence that has what is asked for.
fn together<I>(equations: &[Equation<I>]) -> Together {
    let mut asked = [[true, false, false], [false, true, false], [false, false, true]];
    for equation in equations {
        if let Equation::Eq(Atom::Proj(p), Atom::Proj(q)) = equation {
            let (p, q) = (p.0 as usize, q.0 as usize);
            asked[p][q] = true;
            asked[q][p] = true;
        }
    }
    // A path of two is the longest among three ids.
    let mut together = asked;
    for p in 0..IDS {
        for q in 0..IDS {
            together[p][q] = asked[p][0] && asked[0][q] || asked[p][1] && asked[1][q] || asked[p][2] && asked[2][q];
        }
    }
    together
}

/// The pin that an equation gives, with the id it gives it to.
fn pin<I>(equation: &Equation<I>) -> Option<(usize, &I)> {
    match equation {
        Equation::Eq(Atom::Proj(p), Atom::Sol(i)) | Equation::Eq(Atom::Sol(i), Atom::Proj(p)) => {
            Some((p.0 as usize, i))
        }
        _ => None,
    }
}

/// Thm. 7.4: (a) two sizes in a class, (b) two pins in a class, (c) two given indices that differ.
fn conflict<I: Eq>(sizes: &[u64], equations: &[Equation<I>], together: &Together) -> bool {
    let n = sizes.len();
    let mut found = false;
    for p in 0..n {
        for q in 0..p {
            found |= together[p][q] && sizes[p] != sizes[q];
        }
    }
    for (k, e) in equations.iter().enumerate() {
        for f in &equations[..k] {
            if let (Some((p, i)), Some((q, j))) = (pin(e), pin(f)) {
                found |= together[p][q] && i != j;
            }
        }
        if let Equation::Eq(Atom::Sol(i), Atom::Sol(j)) = e {
            found |= i != j;
        }
    }
    found
}

/// The classes are those of the definition: the partition, its numbering, and what is known of each class.
fn as_defined(sizes: &[u64], equations: &[Equation], together: &Together, solved: &Classes) {
    assert!(solved.of.len() == sizes.len());
    let mut classes = 0;
    for (p, size) in sizes.iter().enumerate() {
        for q in 0..p {
            assert!((solved.of[p] == solved.of[q]) == together[p][q], "the partition");
        }
        if !(0..p).any(|q| together[p][q]) {
            assert!(solved.of[p] == classes, "classes are numbered by their first ids");
            classes += 1;
        }
        is_known(*size, equations, &together[p], &solved.classes[solved.of[p]]);
    }
    assert!(solved.classes.len() == classes);
}

/// What is known of the class with these ids: its size, its pin, whether it is iterated.
fn is_known<I: Eq>(size: u64, equations: &[Equation<I>], ids: &[bool; IDS], class: &Class<I>) {
    assert!(class.size == size, "7.8: an index below the size of its class is in range");
    let (mut pinned, mut iterated) = (false, false);
    for equation in equations {
        match equation {
            Equation::Eq(Atom::Proj(q), Atom::Sol(i)) | Equation::Eq(Atom::Sol(i), Atom::Proj(q)) => {
                pinned |= ids[q.0 as usize];
                assert!(!ids[q.0 as usize] || class.pin.as_ref() == Some(i), "the pin");
            }
            Equation::Iter(Atom::Proj(q)) => iterated |= ids[q.0 as usize],
            _ => {}
        }
    }
    assert!(class.pin.is_some() == pinned, "a pin");
    assert!(class.iterate == iterated, "the iterate set");
}

/// Thm. 7.4: the pass fails iff one of (a), (b), (c) holds, and else computes what the definition says. Of every id in
/// the equations there is a size, and there are at most [`IDS`].
pub fn solved_by_definition(sizes: &[u64], equations: &[Equation]) -> bool {
    let together = together(equations);
    let solved = solve(sizes, equations);
    assert!(solved.is_err() == conflict(sizes, equations, &together));
    if let Ok(solved) = solved {
        as_defined(sizes, equations, &together, &solved);
    }
    true
}

/// A partition of three ids as a table: the class of each id by its first id, and what is known of that class. What is
/// known changes by core's [`Class::merge`] alone.
struct Table<I> {
    first: [usize; IDS],
    known: [Class<I>; IDS],
}

impl<I: Eq + Clone> Table<I> {
    /// What is known of a class. A place that is looked up costs a proof more than one that is compared.
    fn class(&self, first: usize) -> Class<I> {
        let [a, b, c] = &self.known;
        let (size, pin, iterate) = match first {
            0 => (a.size, a.pin.clone(), a.iterate),
            1 => (b.size, b.pin.clone(), b.iterate),
            _ => (c.size, c.pin.clone(), c.iterate),
        };
        Class { size, pin, iterate }
    }

    fn set(&mut self, first: usize, class: Class<I>) {
        match first {
            0 => self.known[0] = class,
            1 => self.known[1] = class,
            _ => self.known[2] = class,
        }
    }
}

impl<I: Eq + Clone> Partition<I> for Table<I> {
    fn union(&mut self, p: Proj, q: Proj) -> Result<(), Conflict<I>> {
        let (p, q) = (self.first[p.0 as usize], self.first[q.0 as usize]);
        let (low, high) = (p.min(q), p.max(q));
        if low < high {
            self.set(low, self.class(low).merge(&self.class(high))?);
            for k in 0..IDS {
                if self.first[k] == high {
                    self.first[k] = low;
                }
            }
        }
        Ok(())
    }

    fn know(&mut self, p: Proj, now: impl FnOnce(Class<I>) -> Class<I>) -> Result<(), Conflict<I>> {
        let first = self.first[p.0 as usize];
        let class = self.class(first);
        self.set(first, class.merge(&now(class.clone()))?);
        Ok(())
    }
}

/// [`solved_by_definition`] of core's pass over a table: the rules PS-union, PS-pin, PS-check and PS-iter without the
/// lists that core keeps the classes in.
pub fn passes_by_definition<I: Eq + Clone>(sizes: [u64; IDS], equations: &[Equation<I>]) -> bool {
    let mut table = Table {
        first: [0, 1, 2],
        known: [Class::of_size(sizes[0]), Class::of_size(sizes[1]), Class::of_size(sizes[2])],
    };
    let passed = pass(&mut table, equations).is_ok();
    let together = together(equations);
    assert!(passed != conflict(&sizes, equations, &together));
    if passed {
        for (p, size) in sizes.iter().enumerate() {
            for q in 0..p {
                assert!((table.first[p] == table.first[q]) == together[p][q], "the partition");
            }
            is_known(*size, equations, &together[p], &table.class(table.first[p]));
        }
    }
    passed
}
