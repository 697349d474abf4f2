//! Bugs to order, one for each way of keeping things: what the law "engine = calculus" has to find.
//!
//! In builds with debug assertions, and so in test builds, [`with`] puts one of them into the engine for as long as a
//! function runs. Other builds have none of this.

use std::cell::Cell;

macro_rules! mutants {
    ($($name:ident $words:literal;)*) => {
        /// A bug.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Mutant {
            $(#[doc = $words] $name,)*
        }

        impl Mutant {
            /// Every bug.
            pub const ALL: &'static [Mutant] = &[$(Mutant::$name),*];

            /// What is wrong, in words.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self { $(Mutant::$name => $words,)* }
            }
        }
    };
}

mutants! {
    ChainEnd "σ on dimensions follows one binding of a chain only";
    ChainTaint "a chain that is shortened forgets what it rests on";
    ChainMark "a derivation's σ applies the youngest binding first";
    PastRests "past a long chain of rows, what it rests on is forgotten";
    SpliceOrder "σ on rows splices trailing axes in from the wrong side";
    SplicePlacement "σ on rows forgets that a marker was placed by choice";
    InputLast "what is emitted is taken before the input is read";
    QuickFacing "a step on rows that is carried out at once leaves out the first axes that face each other";
    WaitingEqual "an equality of dimensions that waits comes back as ⊑";
    ChosenTaint "what closing commits does not count as chosen";
    TakeBelow "binding α leaves the adjacencies below it in the store";
    TakeBare "binding ρ leaves the caps ⟨ρ⟩ ⊑ ⟨σ⟩ in the store";
    TakeDeferred "binding ρ leaves deferred equations in the store";
    FirmerBy "a bound stored again without taint keeps its tainted origin";
    BusyTable "an adjacency between two busy variables is stored twice";
    OrderKept "a new adjacency leaves the topological order as it was";
    OrderSide "where a new adjacency stands against the order, what leads up is moved to the wrong place";
    OrderDrawn "an order that is drawn anew is drawn along what waits, whatever is stored";
    PathCut "the search for a path stops at the last place but one of the order";
    PathKept "a path that was found is kept when one of its variables is bound";
    LaidKept "paths that were laid are used when one of their variables is bound";
    PathTaint "what a path rests on is not looked at where nobody looks at the step";
    GuardRepair "a value that rises raises nothing else";
    GuardSkip "a binding's facts are written down and not looked at";
    GuardTaint "a cycle is reported as it was found, an untainted one or not";
    GuardTrail "trailing lengths are compared with the weights of leading ones";
    AgainOutside "a part is done again whatever it finds outside";
    AgainStored "what was stored for a row that is bound again does not come back";
    AgainFacts "the facts of a part that is done again lead nowhere";
    UnseenRisen "saturation forgets variables that got an atom";
    JoinsOnce "the join of caps is not looked at again when what is inside changes";
    OpenLeaf "a variable that is part of a leaf and of something older is no leaf";
    OpenOwner "what is part of a variable's value belongs to the variable";
    OpenNews "what is part of the value of a variable that was bound is not open";
    LookedOnce "where no leaf was found that has a cap, none is looked for again";
    WordsOnce "an equation that is deferred after the first was closed is never closed";
    InteriorDeferred "interiors close upward without a look at deferred equations";
    LengthsFlank "lengths are judged without a look at leading flanks";
    LengthsEarly "an equality of ranks is judged once one of its rows has lengths";
    UnionPin "a class that is merged loses its pin";
    UnionNumber "classes are numbered by their roots";
}

thread_local! {
    static ORDERED: Cell<Option<Mutant>> = const { Cell::new(None) };
}

/// Is this bug in the engine now?
#[inline]
pub(crate) fn is(mutant: Mutant) -> bool {
    cfg!(debug_assertions) && ORDERED.get() == Some(mutant)
}

/// Runs a function with a bug in the engine of this thread. In builds without debug assertions there is none.
pub fn with<T>(mutant: Mutant, run: impl FnOnce() -> T) -> T {
    /// Takes the bug out again, also when the function panics.
    struct Ordered;
    impl Drop for Ordered {
        fn drop(&mut self) {
            ORDERED.set(None);
        }
    }
    ORDERED.set(Some(mutant));
    let _ordered = Ordered;
    run()
}
