//! How the guard of Def. 4.5 fares, and no guard at all.

use super::{VARS, text};
use lozenge::constraint::Constraint;
use lozenge::solver::{GuardPolicy, Limits, Policy, Strategy, Verdict, solve};
use lozenge_harnesses::cases::thousands;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// How other guards fare.
pub struct Others {
    systems: AtomicU64,
    paper_endless: AtomicU64,
    pub paper_wrong: AtomicU64,
    none_endless: AtomicU64,
}

impl Others {
    pub const fn new() -> Self {
        Others {
            systems: AtomicU64::new(0),
            paper_endless: AtomicU64::new(0),
            paper_wrong: AtomicU64::new(0),
            none_endless: AtomicU64::new(0),
        }
    }

    /// Runs Φ under the guard of Def. 4.5 and under none, as long as it seems worth while. Without a guard, runs on
    /// satisfiable inequalities end (spec/5-metatheory.md, 5.2).
    pub fn count(&self, phi: &[Constraint], strategy: Strategy, satisfiable: bool, inequalities: bool) {
        let limits = Limits { fuel: 2_000, rank: 40, ..Limits::default() };
        let run = |guard| solve(phi, &mut VARS.names.clone(), Policy { guard, strategy, limits, ..Policy::default() });
        let one = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        one(&self.systems);
        match run(GuardPolicy::Paper) {
            Verdict::Limit(_) => one(&self.paper_endless),
            Verdict::Unsat(_) | Verdict::Rejected(_) if satisfiable && inequalities => one(&self.paper_wrong),
            _ => 0,
        };
        if let Verdict::Limit(_) = run(GuardPolicy::None) {
            assert!(!satisfiable || !inequalities, "no end without a guard, though satisfiable: {}", text(phi));
            one(&self.none_endless);
        }
    }

    /// Says how often they failed, past the capture of the test runner.
    pub fn report(&self, harness: &str) {
        let counters = [&self.systems, &self.paper_endless, &self.paper_wrong, &self.none_endless];
        let [systems, endless, wrong, none] = counters.map(|counter| counter.load(Ordering::Relaxed));
        let line = format!(
            "{harness}: of {} systems, Def. 4.5 had no end on {} and rejected {} that have a solution; without a guard {} had no end",
            thousands(systems),
            thousands(endless),
            thousands(wrong),
            thousands(none)
        );
        let _ = writeln!(std::io::stderr(), "{line}");
        assert!(endless > 0 && none > 0, "{line}");
    }
}
