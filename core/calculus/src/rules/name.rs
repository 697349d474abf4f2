//! The names of the rules, as they stand in traces, tests, proofs and the specification.
//!
//! Chapter: spec/4-solver.md.

use std::fmt;

macro_rules! rules {
    ($($variant:ident $name:literal $definition:literal $words:literal;)*) => {
        /// A rule of Defs. 4.2–4.5, or of the guard.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule {
            $(#[doc = $words] $variant,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            /// The name, as in the specification.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name,)* }
            }

            /// The number of the definition.
            #[must_use]
            pub fn definition(self) -> &'static str {
                match self { $(Rule::$variant => $definition,)* }
            }

            /// What the rule does, in words.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self { $(Rule::$variant => $words,)* }
            }
        }
    };
}

rules! {
    DeRefl "DE-refl" "4.2" "both sides are the same dimension";
    DeClash "DE-clash" "4.2" "two different dimensions cannot be equal";
    DeBind "DE-bind" "4.2" "a variable takes the value it equals";
    DiTop "DI-top" "4.2" "everything is below 1∅";
    DiRefl "DI-refl" "4.2" "both sides are the same dimension";
    DiGround "DI-ground" "4.2" "two known dimensions are compared";
    DiPin "DI-pin" "4.2" "only the size itself is below a size";
    DiPinTop "DI-pin-top" "4.2" "only 1∅ is above 1∅";
    DiCap "DI-cap" "4.2" "a size below a variable is kept; above two sizes there is only 1∅";
    DiAdj "DI-adj" "4.2" "two variables are kept in order";
    DiAntisym "DI-antisym" "4.2" "variables in a cycle of ⊑ are equal";
    ReClosed "RE-closed" "4.3(a)" "rows of known length agree axis by axis";
    ReOpenClosed "RE-open-closed" "4.3(b)" "a row variable takes what the other side has between the flanks";
    ReNested "RE-nested" "4.3(c)" "a row variable takes the other side's inner axes and variable";
    ReCross "RE-cross" "4.3(c)" "each side has axes the other lacks: kept for later";
    ReSameEmpty "RE-same-empty" "4.3(d)" "the same row variable between flanks of equal length";
    ReSameOccurs "RE-same-occurs" "4.3(d)" "a row cannot equal itself with more axes";
    ReSameRot "RE-same-rot" "4.3(d)" "the same row variable, shifted: kept for later";
    RiCap "RI-cap" "4.3(i)" "what the result has inside the operand's flanks is kept below the operand's variable";
    RiClosedOp "RI-closed-op" "4.3(ii)" "inside the operand's flanks anything may be";
    RiShortClosed "RI-short-closed" "4.3(iii)" "the result has too few axes on one side";
    RiDeficit "RI-deficit" "4.3(iv)" "the result's variable grows by the axes it lacks";
    RiRefl "RI-refl" "4.3(i)" "the same row variable on both sides, nothing left to compare";
    RgRank "RG-rank" "4.5" "a cycle of row variables would need more axes than itself";
    RgLead "RG-lead" "R1" "a cycle of leading flanks would need more axes than itself";
    RgTrail "RG-trail" "R1" "a cycle of trailing flanks would need more axes than itself";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
