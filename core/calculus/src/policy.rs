//! The choices a run makes that the rules leave open: guard, strategy, limits.
//!
//! Chapter: spec/4-solver.md.

/// Which guard watches the growth of rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GuardPolicy {
    /// The signed two-flank guard R1: sound, and every run ends.
    #[default]
    Signed,
    /// Def. 4.5 to the letter (see spec/findings/F1.md and F2.md).
    Paper,
    /// None: runs may not end.
    None,
}

/// In which order constraints are taken from Φ (Def. 4.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// First in, first out.
    #[default]
    Fifo,
    /// Last in, first out.
    Lifo,
    /// Any, by a seeded generator.
    Random(u64),
    /// In rounds; each round takes what the last one emitted, in reverse.
    Rounds,
}

/// What closing does with deferred equations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WordPolicy {
    /// Takes the solution of least material (spec/findings/F6.md).
    #[default]
    LeastMaterial,
    /// Closes all variables upward at once and checks, as Def. 6.1's step 3 says. By Def. 4.3(c) one of the two is closed
    /// and the equation decides the other.
    Upward,
}

/// What closing knows of a leaf when it commits it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CapPolicy {
    /// Everything that is below it: caps are saturated before any commitment (Remark 6.3).
    #[default]
    Saturated,
    /// The caps stored for it, leaf by leaf, as Def. 6.1 says (see spec/findings/F4.md).
    Stored,
}

/// Where a run stops even if it has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// The most work, in steps: see [`Fuel`].
    pub fuel: u64,
    /// The longest flank of a row.
    pub rank: usize,
    /// The most axes written in all emitted constraints and bindings together.
    pub size: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { fuel: 5_000_000, rank: 4096, size: 50_000_000 }
    }
}

/// What is left of the work that a question may cost. A step costs a unit. What loops beside steps (values that the
/// guard raises, paths that DI-antisym looks for, axes of rows, caps that are joined, lengths that `decide` tries) counts
/// each thing it looks at, and [`Fuel::LOOKS`] of these cost a unit. So fuel bounds time: spec/4-solver.md says how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fuel {
    /// Looks that are left.
    left: u64,
}

impl Fuel {
    /// How many things may be looked at for one unit.
    pub const LOOKS: u64 = 8;

    /// So many units.
    #[must_use]
    pub fn new(units: u64) -> Self {
        Fuel { left: units.saturating_mul(Self::LOOKS) }
    }

    /// Is none left?
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.left == 0
    }

    /// At how many things may still be looked?
    #[must_use]
    pub fn looks_left(self) -> u64 {
        self.left
    }

    /// Looks at so many things.
    ///
    /// # Errors
    /// [`Limit::Fuel`] if that is more than is left.
    pub fn look(&mut self, things: u64) -> Result<(), Limit> {
        let enough = things <= self.left;
        self.left = self.left.saturating_sub(things);
        if enough { Ok(()) } else { Err(Limit::Fuel) }
    }
}

/// A limit that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    /// Work.
    Fuel,
    /// The length of a flank.
    Rank,
    /// Axes written.
    Size,
    /// What is kept for a derivation. A run without one is not bounded by it.
    Derivation,
}

impl Limit {
    /// `fuel`, `rank`, `size` or `derivation`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Limit::Fuel => "fuel",
            Limit::Rank => "rank",
            Limit::Size => "size",
            Limit::Derivation => "derivation",
        }
    }
}

/// The choices of a run. The default repairs what spec/findings shows broken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Policy {
    /// The guard.
    pub guard: GuardPolicy,
    /// Is DI-antisym among the rules? It is §10's repair of Def. 4.2.
    pub antisym: bool,
    /// The strategy.
    pub strategy: Strategy,
    /// Caps at closing.
    pub caps: CapPolicy,
    /// Deferred equations at closing.
    pub words: WordPolicy,
    /// The limits.
    pub limits: Limits,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            guard: GuardPolicy::default(),
            antisym: true,
            strategy: Strategy::default(),
            caps: CapPolicy::default(),
            words: WordPolicy::default(),
            limits: Limits::default(),
        }
    }
}

impl Policy {
    /// The paper to the letter: Def. 4.5's guard, no DI-antisym, closing without saturation, deferred equations closed
    /// upward.
    #[must_use]
    pub fn paper() -> Self {
        Policy {
            guard: GuardPolicy::Paper,
            antisym: false,
            caps: CapPolicy::Stored,
            words: WordPolicy::Upward,
            ..Policy::default()
        }
    }
}
