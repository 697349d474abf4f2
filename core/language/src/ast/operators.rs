//! Operators and functions, as they are written.

#[cfg(feature = "json")]
use serde::Serialize;

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal $words:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "json", derive(Serialize))]
        pub enum $name {
            $(#[doc = $words] #[cfg_attr(feature = "json", serde(rename = $text))] $variant,)*
        }

        impl $name {
            /// Every one.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// As it is written.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

operators! {
    /// Functions of one operand.
    UnaryOp {
        Relu "relu" "max(x, 0)";
        Exp "exp" "eˣ";
        Log "log" "ln x";
        Sin "sin" "sin x";
        Cos "cos" "cos x";
        Sqrt "sqrt" "√x";
        Tanh "tanh" "tanh x";
        Recip "recip" "1 / x";
        Neg "neg" "−x";
        Not "not" "1 if x = 0, else 0";
    }
}

operators! {
    /// Operators between two operands, without a specification.
    BinaryOp {
        Add "+" "x + y";
        Sub "-" "x − y";
        Mul "*." "x · y, element by element";
        Div "/." "x / y";
        Pow "**." "xʸ";
        Lt "<" "1 if x < y, else 0";
        Eq "=" "1 if x = y, else 0";
        Ne "<>" "1 if x ≠ y, else 0";
        Compose "*" "composition: the matrix product";
        And "&&" "1 if neither is 0, else 0";
        Or "||" "1 if one is not 0, else 0";
        Max "max" "the larger";
        Min "min" "the smaller";
        Gate "relu_gate" "y if x > 0, else 0";
    }
}

impl BinaryOp {
    /// Is it written between its operands? The others are functions of two, as `max a b`.
    #[must_use]
    pub fn is_infix(self) -> bool {
        !matches!(self, BinaryOp::Max | BinaryOp::Min | BinaryOp::Gate)
    }
}

operators! {
    /// Operators that only an assignment has, beside `+`, `-`, `*` and the comparisons.
    PrimitiveOp {
        Div "/" "x / y";
        Pow "**" "xʸ";
    }
}

impl PrimitiveOp {
    /// The operation on tensors that computes the same.
    #[must_use]
    pub fn pointwise(self) -> BinaryOp {
        match self {
            PrimitiveOp::Div => BinaryOp::Div,
            PrimitiveOp::Pow => BinaryOp::Pow,
        }
    }
}

operators! {
    /// Operators between two operands, with a specification.
    EinsumOp {
        Product "+*" "the sum of products";
        Sum "+++" "the sum of sums";
        Tropical "@^+" "the maximum of sums";
    }
}

operators! {
    /// Operators on one operand, with a specification.
    PermuteOp {
        Sum "++" "permute, and sum what is left out";
        Max "@^^" "permute, and take the maximum over what is left out";
        Min "min" "permute, and take the minimum over what is left out";
        Mean "mean" "permute, and take the mean over what is left out";
    }
}

impl PermuteOp {
    /// Is it written after its operand? The others are applications, as `mean(a, "ij => i")`.
    #[must_use]
    pub fn is_infix(self) -> bool {
        matches!(self, PermuteOp::Sum | PermuteOp::Max)
    }
}

operators! {
    /// Functions of three operands.
    TernaryOp {
        Where "where" "a where c is not 0, else b";
        Fma "fma" "a * b + c";
        Mul3 "mul3" "a · b · c, element by element";
    }
}

impl TernaryOp {
    /// Can it have a specification? `fma` composes, and its third operand counts once whatever is reduced.
    #[must_use]
    pub fn takes_spec(self) -> bool {
        self != TernaryOp::Fma
    }
}

operators! {
    /// What a convolution does at the ends of its axis.
    Convolution {
        Padded "padded" "the tensor is padded, so that every output has a whole window";
        Valid "valid" "only whole windows count";
    }
}

operators! {
    /// How a value joins what is there.
    Accumulate {
        Replace "" "replaces it";
        Add "+" "the sum";
        Sub "-" "the difference";
        Mul "*" "the product";
        Div "/" "the quotient";
        Pow "**" "the power";
        Max "@^" "the maximum";
        Min "@-" "the minimum";
        And "&&" "1 if both are not 0";
        Or "||" "1 if one is not 0";
    }
}

impl Accumulate {
    /// Its neutral element, as a real number: what cells hold that no point writes, after the target was erased.
    #[must_use]
    pub fn neutral(self) -> f64 {
        match self {
            Accumulate::Replace | Accumulate::Add | Accumulate::Sub | Accumulate::Or => 0.0,
            Accumulate::Mul | Accumulate::Div | Accumulate::Pow | Accumulate::And => 1.0,
            Accumulate::Max => f64::NEG_INFINITY,
            Accumulate::Min => f64::INFINITY,
        }
    }

    /// Is that neutral on both sides? Only then is a cell that is written once the value itself: `=:-` leaves 0 − v, and
    /// `=:&&` makes 1 of whatever is not 0.
    #[must_use]
    pub fn is_two_sided(self) -> bool {
        matches!(self, Accumulate::Add | Accumulate::Mul | Accumulate::Max | Accumulate::Min)
    }
}
