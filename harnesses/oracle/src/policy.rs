//! The options that choose a policy, shared by every subcommand that solves.

use clap::ValueEnum;
use lozenge::solver::{GuardPolicy, Limits, Policy, Strategy, WordPolicy};

/// Guard, strategy and limits.
#[derive(clap::Args)]
pub struct PolicyArgs {
    /// The paper to the letter: Def. 4.5's guard, no DI-antisym, closing without saturation, deferred equations upward
    #[arg(long, conflicts_with = "guard")]
    paper: bool,
    /// Guard against endless growth: R1, Def. 4.5 to the letter, or none
    #[arg(long, value_enum, default_value_t)]
    guard: Guard,
    /// The order in which constraints are taken
    #[arg(long, value_enum, default_value_t)]
    strategy: Order,
    /// Seed of the random strategy
    #[arg(long, value_name = "N", default_value_t)]
    seed: u64,
    /// The most steps
    #[arg(long, value_name = "N", default_value_t = Limits::default().fuel)]
    fuel: u64,
    /// The longest flank of a row
    #[arg(long, value_name = "N", default_value_t = Limits::default().rank)]
    rank: usize,
    /// The most axes written in all
    #[arg(long, value_name = "N", default_value_t = Limits::default().size)]
    size: u64,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Guard {
    #[default]
    Signed,
    Paper,
    None,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Order {
    #[default]
    Fifo,
    Lifo,
    Random,
    Rounds,
}

impl PolicyArgs {
    /// The policy they choose; `upward` closes deferred equations as the paper does.
    pub fn policy(&self, upward: bool) -> Policy {
        let guard = match self.guard {
            Guard::Signed => GuardPolicy::Signed,
            Guard::Paper => GuardPolicy::Paper,
            Guard::None => GuardPolicy::None,
        };
        let strategy = match self.strategy {
            Order::Fifo => Strategy::Fifo,
            Order::Lifo => Strategy::Lifo,
            Order::Random => Strategy::Random(self.seed),
            Order::Rounds => Strategy::Rounds,
        };
        let words = if upward { WordPolicy::Upward } else { WordPolicy::LeastMaterial };
        let limits = Limits { fuel: self.fuel, rank: self.rank, size: self.size };
        if self.paper {
            return Policy { strategy, limits, ..Policy::paper() };
        }
        Policy { guard, strategy, words, limits, ..Policy::default() }
    }
}
