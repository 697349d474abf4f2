//! 8.4(c): the fragment of proofs/coq/definitions/Fragment.v. Inside, bounds decide and no guess forecloses a solution; just
//! outside one does.

use super::conj_8_4::claims_of;
use super::{Given, conv, size, strided};
use lozenge::closing::Tags;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::Policy;
use lozenge::staged::{
    Factor, Marks, Mode, Outcome, Searched, SizeClaim, SizeTerm, Stage, StagedSystem, Valuation, solve,
};
use lozenge::term::{DimTerm, DimVar, Var};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::Numbers;
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
struct Bounds(BTreeMap<DimVar, (i64, Option<i64>)>);

impl Bounds {
    fn loose(&self, v: DimVar) -> bool {
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
enum Settled {
    Bounds(Bounds),
    Empty,
    /// So they do not within the rounds that the stages take.
    Never,
}

/// Claims as equations; least sizes are bounds.
struct System {
    equations: Vec<Equation>,
    least: BTreeMap<DimVar, i64>,
}

impl System {
    /// Of these claims, where some unknowns have their sizes already.
    fn of(claims: &[SizeClaim], known: &BTreeMap<DimVar, u64>) -> Self {
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

    fn settle(&self) -> Settled {
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
    fn in_fragment(&self, bounds: &Bounds) -> bool {
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

/// What runs inside the fragment end in.
#[derive(Default, Debug)]
struct Tally {
    /// Nothing is left to be guessed.
    entailed: u64,
    /// Something is guessed, and nothing is foreclosed.
    guessed: u64,
    unsat: u64,
    /// Not in the fragment, or bounds do not settle.
    outside: u64,
    /// How many of the guessed ones are rejected where nothing is bounded before it is guessed.
    without_bounds: u64,
}

/// Inside the fragment the stages decide: a solution where bounds settle, none where nothing is left. Was something guessed?
fn decided(problem: &StagedSystem<'_>, known: &BTreeMap<DimVar, u64>, names: &Names, tally: &mut Tally) -> bool {
    let system = System::of(problem.claims, known);
    let (satisfiable, open) = match system.settle() {
        Settled::Bounds(bounds) if system.in_fragment(&bounds) => (true, bounds.0.keys().any(|v| bounds.loose(*v))),
        Settled::Empty => (false, false),
        Settled::Bounds(_) | Settled::Never => {
            tally.outside += 1;
            return false;
        }
    };
    let what = || problem.claims.iter().map(|claim| names.show(claim).to_string()).collect::<Vec<_>>().join(" | ");
    match solve(problem, &mut names.clone(), Policy::default(), Stage::Seven) {
        Outcome::Closed(closed) => {
            assert!(satisfiable && closed.values.solves(problem.phi, problem.claims), "{}: {closed:?}", what());
        }
        Outcome::Unsat(_) => assert!(!satisfiable, "{}: there is a solution", what()),
        other => panic!("{}: {other:?}", what()),
    }
    if open {
        let seeds =
            StagedSystem { tags: problem.tags.clone(), discardable: BTreeSet::new(), marks: Marks::Seeds, ..*problem };
        let outcome = solve(&seeds, &mut names.clone(), Policy::default(), Stage::Seven);
        tally.without_bounds += u64::from(matches!(outcome, Outcome::Rejected(..)));
    }
    tally.guessed += u64::from(open);
    tally.entailed += u64::from(satisfiable && !open);
    tally.unsat += u64::from(!satisfiable);
    open
}

#[test]
fn conj_8_4_c_no_guess_forecloses() {
    let cases = Cases::of("conj_8_4_c_no_guess_forecloses");
    let facts: [(&str, Option<(usize, u64)>); 7] = [
        ("", None),
        ("a = 1", Some((0, 1))),
        ("a = 2", Some((0, 2))),
        ("a = 3", Some((0, 3))),
        ("a = 4", Some((0, 4))),
        ("a = 6", Some((0, 6))),
        ("b = 2", Some((1, 2))),
    ];
    let mut tally = Tally::default();
    for (fact, known) in facts {
        let mut names = Names::new();
        let vars = ["a", "b", "c"].map(|n| names.dim_var(n).expect("a dimension"));
        let known: BTreeMap<DimVar, u64> = known.into_iter().map(|(i, n)| (vars[i], n)).collect();
        let phi = parse_system(fact, &mut names).expect("facts parse");
        let catalogue = claims_of(vars.map(DimTerm::Var));
        for (i, first) in catalogue.iter().enumerate() {
            for second in &catalogue[i..] {
                let claims = [first.clone(), second.clone()];
                for leaves in [0, 1, 7] {
                    let tagged =
                        vars.iter().enumerate().filter(|(i, _)| leaves >> i & 1 == 1).map(|(_, v)| Var::Dim(*v));
                    let tags = Tags::leaves(tagged);
                    let problem = StagedSystem { phi: &phi, claims: &claims, tags, ..StagedSystem::default() };
                    if decided(&problem, &known, &names, &mut tally) {
                        cases.one();
                    }
                }
            }
        }
    }
    eprintln!("8.4(c): {tally:?}");
    assert!(tally.unsat > 1_000 && tally.without_bounds > 10, "{tally:?}");
    cases.finish();
}

/// Claims that are mostly pairs or mostly hang together like a tree.
fn random(numbers: &mut Numbers, vars: &[DimTerm]) -> Vec<SizeClaim> {
    let paired = numbers.percent(50);
    let (mut used, mut out) = (1, Vec::new());
    for _ in 0..=numbers.below(5) {
        // A new one while there are any, else an old one.
        let mut next = |numbers: &mut Numbers| {
            if used < vars.len() && !(paired && numbers.percent(40)) {
                used += 1;
                vars[used - 1]
            } else {
                vars[numbers.below(used)]
            }
        };
        let known = |numbers: &mut Numbers, most: usize| size(1 + numbers.below(most) as u64);
        let (x, y) = (next(numbers), next(numbers));
        let old = vars[numbers.below(vars.len().min(3))];
        let (s, e) = (1 + numbers.below(4) as u64, 1 + numbers.below(3) as u64);
        let (d, term) = match (paired, numbers.below(6)) {
            (true, 0 | 1) => (x, strided(s, old)),
            (true, 2) => (old, conv(s, x, e, known(numbers, 4), false)),
            (true, 3) => (known(numbers, 30), SizeTerm::Concat(vec![x, old, old])),
            (true, 4) => (known(numbers, 12), SizeTerm::Concat(vec![x, old])),
            (true, _) => (x, SizeTerm::Concat(vec![old, known(numbers, 5)])),
            (false, 0) => (old, conv(1, x, 1, y, false)),
            (false, 1) => (x, conv(1, old, 1, y, false)),
            (false, 2) => (known(numbers, 20), SizeTerm::Concat(vec![old, x, y])),
            (false, 3) => (x, SizeTerm::Concat(vec![y, old, known(numbers, 5)])),
            (false, 4) => (old, SizeTerm::Concat(vec![x, y, next(numbers)])),
            (false, _) => (old, SizeTerm::Concat(vec![x, y])),
        };
        out.push(SizeClaim::Size(d, term));
        if numbers.percent(25) {
            out.push(SizeClaim::AtLeast(x, 1 + numbers.below(9) as u64));
        }
    }
    out
}

#[test]
fn conj_8_4_c_at_random() {
    let cases = Cases::of("conj_8_4_c_at_random");
    let mut tally = Tally::default();
    for case in 0..40_000 {
        let mut numbers = Numbers::of(84, case);
        let mut names = Names::new();
        let vars: Vec<DimVar> = (0..10).map(|i| names.dim_var(&format!("x{i}")).expect("a dimension")).collect();
        let mut shuffled: Vec<DimTerm> = vars.iter().map(|v| (*v).into()).collect();
        (1..shuffled.len()).for_each(|at| shuffled.swap(at, numbers.below(at + 1)));
        let claims = random(&mut numbers, &shuffled);
        let mut known = BTreeMap::new();
        if numbers.percent(40) {
            known.insert(numbers.pick(&vars), 1 + numbers.below(20) as u64);
        }
        let facts: Vec<String> = known.iter().map(|(v, n)| format!("{} = {n}", names.show(v))).collect();
        let phi = parse_system(&facts.join("\n"), &mut names).expect("facts parse");
        let leaves: Vec<Var> = vars.iter().filter(|_| numbers.percent(50)).map(|v| Var::Dim(*v)).collect();
        let problem =
            StagedSystem { phi: &phi, claims: &claims, tags: Tags::leaves(leaves), ..StagedSystem::default() };
        if decided(&problem, &known, &names, &mut tally) {
            cases.one();
        }
    }
    eprintln!("8.4(c) at random: {tally:?}");
    assert!(tally.unsat > 1_000 && tally.without_bounds > 100, "{tally:?}");
    cases.finish();
}

/// Without one of its conditions, a guess forecloses the solution: `odd_cycle`, `coefficients` and `two_hooks` of Fragment.v.
#[test]
fn conj_8_4_c_each_condition_is_needed() {
    let whole = |n: u64, parts: &[DimTerm]| SizeClaim::Size(size(n), SizeTerm::Concat(parts.to_vec()));
    let mut outside = Vec::new();
    // Three wholes of 4, of each two of three parts: all are 2, and none is 1.
    let mut given = Given::new("");
    let [x, y, z] = ["x", "y", "z"].map(|name| given.dim(name));
    given.claims = vec![whole(4, &[x, y]), whole(4, &[y, z]), whole(4, &[z, x])];
    outside.push(given);
    // 10 = 2·y + 2·z + 3·x: x is even.
    let mut given = Given::new("");
    let [x, y, z] = ["x", "y", "z"].map(|name| given.dim(name));
    given.claims = vec![whole(10, &[y, y, z, z, x, x, x])];
    outside.push(given);
    // y = 2·z, 8 = y + z + x: x is 2 or 5.
    let mut given = Given::new("").leaves(&["x"]);
    let [x, y, z] = ["x", "y", "z"].map(|name| given.dim(name));
    given.claims = vec![SizeClaim::Size(y, strided(2, z)), whole(8, &[y, z, x])];
    outside.push(given);
    for (at, mut given) in outside.into_iter().enumerate() {
        let system = System::of(&given.claims, &BTreeMap::new());
        let Settled::Bounds(bounds) = system.settle() else { panic!("{at}: bounds settle") };
        assert!(!system.in_fragment(&bounds), "{at} is outside");
        match given.run(Stage::Seven) {
            Outcome::Rejected(_, _, Searched::Solution(values)) => {
                assert!(values.solves(&given.phi, &given.claims), "{at}: {values:?}");
            }
            other => panic!("{at}: {other:?}"),
        }
    }
}
