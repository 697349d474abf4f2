//! Size claims as equations, their bounds, and the conditions of proofs/coq/definitions/Fragment.v, worked out apart from the
//! stages.

use lozenge::staged::{Factor, Mode, SizeClaim, SizeTerm, Valuation};
use lozenge::term::{DimTerm, DimVar};
use std::collections::{BTreeMap, BTreeSet};

/// A size equation, Σ c·x + constant = 0: every unknown once.
#[derive(Default)]
struct Equation {
    terms: BTreeMap<DimVar, i64>,
    constant: i64,
}

impl Equation {
    fn add(&mut self, c: u64, term: DimTerm, sign: i64) {
        let c = sign * i64::try_from(c).expect("small");
        match term {
            DimTerm::Var(v) => *self.terms.entry(v).or_default() += c,
            known => {
                let n = Valuation::default().count(known).expect("a plain size");
                self.constant += c * i64::try_from(n).expect("small");
            }
        }
    }

    /// Of a claim whose factors are known.
    fn of(d: DimTerm, term: &SizeTerm) -> Self {
        let mut out = Equation::default();
        out.add(1, d, -1);
        match term {
            SizeTerm::Concat(parts) => parts.iter().for_each(|part| out.add(1, *part, 1)),
            SizeTerm::Affine(affine) => {
                let Factor::Known(s) = affine.stride else { panic!("a known stride") };
                out.add(s, affine.over, 1);
                if let (Mode::Valid, Some(window)) = (affine.mode(), affine.conv) {
                    let Factor::Known(e) = window.dilation else { panic!("a known dilation") };
                    out.add(e, window.kernel, 1);
                    out.constant += 1 - i64::try_from(s + e).expect("small");
                }
            }
        }
        out.terms.retain(|_, c| *c != 0);
        out
    }
}

/// The least and the greatest size of each unknown.
pub struct Bounds(pub BTreeMap<DimVar, (i64, Option<i64>)>);

impl Bounds {
    pub fn loose(&self, v: DimVar) -> bool {
        let (least, most) = self.0[&v];
        most != Some(least)
    }

    /// The unknowns of an equation that have more than one size left.
    fn left<'e>(&'e self, equation: &'e Equation) -> impl Iterator<Item = (DimVar, i64)> + 'e {
        equation.terms.iter().map(|(v, c)| (*v, *c)).filter(|(v, _)| self.loose(*v))
    }

    /// c·x at its least and its greatest.
    fn ends(&self, v: DimVar, c: i64) -> (Option<i64>, Option<i64>) {
        let (least, most) = self.0[&v];
        let (least, most) = (Some(c * least), most.map(|m| c * m));
        if c > 0 { (least, most) } else { (most, least) }
    }

    /// `narrow_linear`: each unknown by the others; false if nothing is left for one.
    fn narrow(&mut self, equation: &Equation) -> bool {
        let terms = &equation.terms;
        if terms.is_empty() {
            return equation.constant == 0;
        }
        for (v, c) in terms {
            let (mut low, mut high) = (Some(equation.constant), Some(equation.constant));
            for (u, d) in terms.iter().filter(|(u, _)| *u != v) {
                let (small, large) = self.ends(*u, *d);
                low = low.zip(small).map(|(a, b)| a + b);
                high = high.zip(large).map(|(a, b)| a + b);
            }
            // c·x = −(the rest), divided with rounding inwards.
            let (from, to) = if *c > 0 { (high.map(|n| -n), low.map(|n| -n)) } else { (low, high) };
            let from = from.map(|n| -(-n).div_euclid(c.abs()));
            let to = to.map(|n| n.div_euclid(c.abs()));
            let (least, most) = self.0.get_mut(v).expect("every unknown has bounds");
            *least = from.map_or(*least, |n| n.max(*least));
            *most = to.map(|n| most.map_or(n, |m| m.min(n))).or(*most);
            if most.is_some_and(|m| m < *least) {
                return false;
            }
        }
        true
    }
}

/// Where bounds lead.
pub enum Settled {
    Bounds(Bounds),
    Empty,
    /// So they do not within the rounds that the stages take.
    Never,
}

/// Claims as equations; least sizes are bounds.
pub struct System {
    equations: Vec<Equation>,
    least: BTreeMap<DimVar, i64>,
}

impl System {
    /// Of these claims, where some unknowns have their sizes already.
    pub fn of(claims: &[SizeClaim], known: &BTreeMap<DimVar, u64>) -> Self {
        let mut out = System { equations: Vec::new(), least: BTreeMap::new() };
        for claim in claims {
            match claim {
                SizeClaim::Size(d, term) => out.equations.push(Equation::of(*d, term)),
                SizeClaim::AtLeast(DimTerm::Var(v), n) => {
                    let least = out.least.entry(*v).or_insert(1);
                    *least = (*least).max(i64::try_from(*n).expect("small"));
                }
                other => panic!("no equation: {other:?}"),
            }
        }
        for (v, n) in known {
            let n = i64::try_from(*n).expect("small");
            out.equations.push(Equation { terms: BTreeMap::from([(*v, 1)]), constant: -n });
        }
        out
    }

    pub fn settle(&self) -> Settled {
        let unknowns = self.equations.iter().flat_map(|e| e.terms.keys());
        let one = unknowns.map(|v| (*v, 1)).chain(self.least.iter().map(|(v, n)| (*v, *n)));
        let mut bounds = Bounds(one.map(|(v, n)| (v, (n, None))).collect());
        for _ in 0..100 {
            let before = bounds.0.clone();
            if !self.equations.iter().all(|e| bounds.narrow(e)) {
                return Settled::Empty;
            }
            if bounds.0 == before {
                return Settled::Bounds(bounds);
            }
            // They rise for ever.
            if bounds.0.values().any(|(least, _)| *least > 1 << 32) {
                break;
            }
        }
        Settled::Never
    }

    /// `fragment`: what hangs together by unknowns is a set of pairs or a tree.
    pub fn in_fragment(&self, bounds: &Bounds) -> bool {
        let mut pieces: Vec<BTreeSet<DimVar>> = Vec::new();
        for equation in &self.equations {
            let mut piece: BTreeSet<DimVar> = bounds.left(equation).map(|(v, _)| v).collect();
            pieces.retain(|other| {
                let apart = other.is_disjoint(&piece);
                piece.extend(other.iter().filter(|_| !apart));
                apart
            });
            pieces.push(piece);
        }
        pieces.iter().filter(|piece| !piece.is_empty()).all(|piece| {
            let of_piece = |e: &&Equation| bounds.left(e).next().is_some_and(|(v, _)| piece.contains(&v));
            let equations: Vec<&Equation> = self.equations.iter().filter(of_piece).collect();
            pairs(&equations, bounds) || tree(&equations, bounds, piece.len())
        })
    }
}

/// `paired`, from every unknown of a piece: at most two in each equation, and a flip that fits all.
fn pairs(equations: &[&Equation], bounds: &Bounds) -> bool {
    let mut flips: BTreeMap<DimVar, bool> = BTreeMap::new();
    let Some((first, _)) = equations.iter().find_map(|e| bounds.left(e).next()) else { return true };
    flips.insert(first, false);
    // An equation that no flip has reached yet is looked at again: at most once for each of them.
    for _ in equations {
        for equation in equations {
            let left: Vec<(DimVar, i64)> = bounds.left(equation).collect();
            match left[..] {
                [_] => {}
                [(x, c), (y, d)] => {
                    let same = c.signum() != d.signum();
                    let (fx, fy) = (flips.get(&x).copied(), flips.get(&y).copied());
                    match (fx, fy) {
                        (Some(f), Some(g)) if (f == g) != same => return false,
                        (Some(f), None) => drop(flips.insert(y, f == same)),
                        (None, Some(g)) => drop(flips.insert(x, g == same)),
                        _ => {}
                    }
                }
                _ => return false,
            }
        }
    }
    // Whichever is guessed at its least size, those that are flipped then have a greatest.
    let bounded = |side: bool| flips.iter().filter(|(_, f)| **f == side).all(|(v, _)| bounds.0[v].1.is_some());
    let both = flips.values().any(|f| *f);
    !both || (bounded(true) && bounded(false))
}

/// `hangs_on`, from every unknown of a piece: no coefficients, no cycle.
fn tree(equations: &[&Equation], bounds: &Bounds, unknowns: usize) -> bool {
    let ends = equations.iter().map(|e| bounds.left(e).count()).sum::<usize>();
    equations.iter().all(|e| bounds.left(e).all(|(_, c)| c.abs() == 1)) && ends + 1 == unknowns + equations.len()
}
