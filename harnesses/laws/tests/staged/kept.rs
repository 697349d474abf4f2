//! What is kept from one guess to the next changes nothing: a run that looks at everything after each commitment takes the
//! same steps and comes to the same end.

use super::{Given, conv, size, strided};
use lozenge::closing::Tags;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::{Fuel, Policy};
use lozenge::staged::{SizeClaim, SizeTerm, Stage, StagedRun, StagedSystem};
use lozenge::term::{DimTerm, DimVar, Var};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::Numbers;

/// All that a run says, and how many looks it leaves.
fn said(problem: &StagedSystem<'_>, names: &Names, anew: bool) -> (String, u64) {
    let mut names = names.clone();
    let mut run = StagedRun::new(problem, &mut names, Policy::default());
    if anew {
        run.look_anew();
    }
    let claims = problem.claims.iter().cloned().enumerate();
    let end = run.add(problem.phi, claims).and_then(|()| run.stages(Stage::Seven));
    let (steps, core, left) =
        (run.steps().to_vec(), run.configuration().steps(), run.configuration().fuel.looks_left());
    (format!("{steps:?}\n{core} {:?}", run.outcome(end)), left)
}

/// Is less looked at, with what is kept? Nothing else is different.
fn less_is_looked_at(problem: &StagedSystem<'_>, names: &Names) -> bool {
    let ((kept, left), (anew, more)) = (said(problem, names, false), said(problem, names, true));
    let claims = || problem.claims.iter().map(|claim| names.show(claim).to_string()).collect::<Vec<_>>().join(" | ");
    assert_eq!(kept, anew, "{} {:?}", claims(), problem.phi);
    left > more
}

/// How a random system is made.
struct Made {
    numbers: Numbers,
    vars: Vec<DimTerm>,
    /// How many of the variables have been used.
    used: usize,
    /// How often an old variable stands where a new one would make a tree, in percent.
    cycles: usize,
}

impl Made {
    fn old(&mut self) -> DimTerm {
        self.vars[self.numbers.below(self.used.max(1))]
    }

    /// A new one while there are any.
    fn next(&mut self) -> DimTerm {
        if self.used == self.vars.len() || self.numbers.percent(self.cycles) {
            return self.old();
        }
        self.used += 1;
        self.vars[self.used - 1]
    }

    fn known(&mut self, most: usize) -> DimTerm {
        size(1 + self.numbers.below(most) as u64)
    }

    /// Mostly unknown, seldom a number.
    fn part(&mut self) -> DimTerm {
        if self.numbers.percent(15) { self.known(4) } else { self.next() }
    }

    fn term(&mut self, first: DimTerm) -> SizeTerm {
        match self.numbers.below(12) {
            0 => strided(1 + self.numbers.below(3) as u64, first),
            1 => conv(1, first, 1, self.part(), false),
            2 => conv(1, self.part(), 1, first, false),
            3 => conv(1 + self.numbers.below(2) as u64, first, 1 + self.numbers.below(2) as u64, self.part(), false),
            at => {
                let mut parts = vec![first];
                parts.extend((0..at % 4 + 1).map(|_| self.part()));
                let other = self.numbers.below(parts.len());
                parts.swap(0, other);
                SizeTerm::Concat(parts)
            }
        }
    }

    /// A claim that hangs on what is there, or stands alone.
    fn claim(&mut self) -> SizeClaim {
        let joint = if self.numbers.percent(15) { self.next() } else { self.old() };
        let other = if self.numbers.percent(12) { self.known(25) } else { self.next() };
        let (whole, part) = if self.numbers.percent(50) { (joint, other) } else { (other, joint) };
        SizeClaim::Size(whole, self.term(part))
    }
}

const FACTS: [&str; 9] =
    ["A = 1", "A = 2", "A = 3:rgb", "A = 2:rgb", "A <= B", "2 <= A", "5 <= A", "A = B", "3:rgb <= A"];

#[test]
fn what_is_kept_changes_nothing() {
    let cases = Cases::of("what_is_kept_changes_nothing");
    let mut less = 0_u64;
    for case in 0..40_000 {
        let mut names = Names::new();
        let mut vars: Vec<DimTerm> =
            (0..14).map(|i| names.dim_var(&format!("x{i}")).expect("a dimension").into()).collect();
        let mut numbers = Numbers::of(85, case);
        (1..vars.len()).for_each(|at| vars.swap(at, numbers.below(at + 1)));
        let mut made = Made { cycles: [0, 0, 3, 20][numbers.below(4)], numbers, vars, used: 1 };
        let mut claims: Vec<SizeClaim> = (0..=made.numbers.below(6)).map(|_| made.claim()).collect();
        (0..made.numbers.below(3)).for_each(|_| {
            let least = SizeClaim::AtLeast(made.old(), 1 + made.numbers.below(9) as u64);
            claims.push(least);
        });
        let mut facts = String::new();
        for _ in 0..[0, 0, 0, 1, 2][made.numbers.below(5)] {
            let (a, b, fact) = (made.old(), made.old(), made.numbers.pick(&FACTS));
            let fact = fact.replace('A', &names.show(&a).to_string()).replace('B', &names.show(&b).to_string());
            facts += &format!("{fact}\n");
        }
        let phi = parse_system(&facts, &mut names).unwrap_or_else(|e| panic!("{}", e.render(&facts)));
        let of = made.vars[..made.used].iter().filter_map(|t| if let DimTerm::Var(v) = t { Some(*v) } else { None });
        let of: Vec<DimVar> = of.collect();
        let (share, params, zeros) = ([0, 50, 100][made.numbers.below(3)], [0, 0, 0, 20], [0, 0, 0, 30]);
        let (params, zeros) = (params[made.numbers.below(4)], zeros[made.numbers.below(4)]);
        let mut some = |percent| of.iter().copied().filter(|_| made.numbers.percent(percent)).collect::<Vec<_>>();
        let params: Vec<Var> = some(params).into_iter().map(Var::Dim).collect();
        let leaves = some(share).into_iter().map(Var::Dim).chain(params.iter().copied()).collect();
        let tags = Tags { leaves, params: params.into_iter().collect() };
        let discardable = some(zeros).into_iter().collect();
        let problem = StagedSystem { phi: &phi, claims: &claims, tags, discardable, ..StagedSystem::default() };
        less += u64::from(less_is_looked_at(&problem, &names));
        cases.one();
    }
    eprintln!("{less} look at less");
    assert!(less > 5_000, "{less}");
    cases.finish();
}

/// A chain, and one claim with as many parts: the fuel grows as they do.
#[test]
fn guesses_one_after_the_other_cost_as_much_as_there_are() {
    for chain in [true, false] {
        let spent = [20, 40].map(|n| {
            let mut given = Given::new("");
            let names: Vec<String> = (0..=n).map(|i| format!("a{i}")).collect();
            let parts: Vec<DimTerm> = names.iter().map(|name| given.dim(name)).collect();
            let wholes: Vec<DimTerm> = (0..n).map(|i| given.dim(&format!("x{i}"))).collect();
            if chain {
                let mut last = parts[0];
                for (part, whole) in parts[1..].iter().zip(&wholes) {
                    given.claims.push(SizeClaim::Size(*whole, SizeTerm::Concat(vec![last, *part])));
                    last = *whole;
                }
            } else {
                given.claims.push(SizeClaim::Size(wholes[0], SizeTerm::Concat(parts)));
            }
            let names = given.names.clone();
            let problem = given.problem();
            assert!(less_is_looked_at(&problem, &names));
            Policy::default().limits.fuel * Fuel::LOOKS - said(&problem, &names, false).1
        });
        assert!(spent[1] < 3 * spent[0], "{spent:?}");
    }
}
