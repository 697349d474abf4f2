//! The names of the rules of the stages.

use std::fmt;

/// A stage of the run (seeds: stages 1 to 7). Stage 1 only propagates; commitments come later, guesses last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Stage {
    /// Unify and propagate, as constraints come in.
    One,
    /// Look up late factors.
    Two,
    /// Leaves take the join of their caps; one axis where a total asks for one.
    Three,
    /// Axes of known size; deferred equations; leaves' rows without caps take no axes.
    Four,
    /// Leaves' dimensions are guessed; totals and exact rows are resolved.
    Five,
    /// All other rows take no axes.
    Six,
    /// All other dimensions are guessed; then everything that is left closes (Def. 6.1).
    #[default]
    Seven,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 7] =
        [Stage::One, Stage::Two, Stage::Three, Stage::Four, Stage::Five, Stage::Six, Stage::Seven];

    /// 1 to 7.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8 + 1
    }
}

macro_rules! rules {
    ($($variant:ident $name:literal $words:literal;)*) => {
        /// A rule of the staged layer.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum StageRule {
            $(#[doc = $words] $variant,)*
        }

        impl StageRule {
            /// Every rule.
            pub const ALL: &'static [StageRule] = &[$(StageRule::$variant),*];

            /// The name, as in the specification.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(StageRule::$variant => $name,)* }
            }

            /// What it does, in words.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self { $(StageRule::$variant => $words,)* }
            }
        }
    };
}

rules! {
    Same "ST-same" "stride 1 without a kernel that takes anything: the axis itself";
    Stride "ST-stride" "the size equation of a strided axis";
    Pad "ST-pad" "the size equation of a padded convolution";
    Valid "ST-valid" "the size equation of a valid convolution";
    Concat "ST-concat" "a concatenated axis is the sum of its components";
    Total "ST-total" "a product of sizes with one unknown";
    Exact "ST-exact" "rows whose axes are given";
    Least "ST-least" "an axis with at least so many elements";
    Force "ST-force" "a stride, dilation or coefficient that has a name gets its value";
    Bounds "ST-bounds" "the least and the most that indices and size equations allow";
    Cancel "ST-cancel" "two size equations less what they share";
    Search "ST-search" "every choice of sizes that is left";
    OneAxis "ST-one-axis" "a leaf's row takes one axis, which its number of elements asks for";
    Others "ST-others" "beside the row that keeps the elements, rows take no further axes";
    Size "ST-size" "its number of elements is known, and nothing says more";
    TotalRow "ST-total-row" "the row is what its number of elements asks for";
    ExactRow "ST-exact-row" "the first open row takes the axes that are left";
    DimLeast "ST-dim-least" "the least size that indices and size equations allow";
    Zero "ST-zero" "this part of a concatenation is projected away, so it is empty";
}

impl fmt::Display for StageRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
