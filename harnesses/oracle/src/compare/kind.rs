//! In which way an answer is wrong: what groups findings, beside the definition.

/// The ways.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// It denies a solution that there is.
    RefusesSolvable,
    /// It claims a solution where there is none.
    AcceptsUnsolvable,
    /// It allows values that are no solution.
    AllowsTooMuch,
    /// It rules out a solution.
    LosesSolution,
    /// Values that it shows are no solution.
    WrongValues,
    /// Values that it shows are a solution, and not the one that is determined.
    OtherValues,
    /// It blames a placement where none was made, or a hole that is elsewhere.
    WrongBlame,
    /// Another verdict on a program.
    WrongVerdict,
    /// Another shape.
    WrongShape,
    /// Other loops.
    WrongLoops,
    /// Other numbers.
    WrongNumbers,
    /// A good request is refused.
    RefusesRequest,
    /// A bad request is refused with another kind or place, or not at all.
    WrongRefusal,
    /// A field that is compared to the letter.
    WrongField,
    /// The answer is not in the format.
    Malformed,
    /// No answer in time.
    Hang,
    /// The engine ended.
    Crash,
    /// No line of the protocol.
    Garbage,
}

impl Kind {
    const NAMES: [(Kind, &'static str); 18] = [
        (Kind::RefusesSolvable, "refuses-solvable"),
        (Kind::AcceptsUnsolvable, "accepts-unsolvable"),
        (Kind::AllowsTooMuch, "allows-too-much"),
        (Kind::LosesSolution, "loses-solution"),
        (Kind::WrongValues, "wrong-values"),
        (Kind::OtherValues, "other-values"),
        (Kind::WrongBlame, "wrong-blame"),
        (Kind::WrongVerdict, "wrong-verdict"),
        (Kind::WrongShape, "wrong-shape"),
        (Kind::WrongLoops, "wrong-loops"),
        (Kind::WrongNumbers, "wrong-numbers"),
        (Kind::RefusesRequest, "refuses-request"),
        (Kind::WrongRefusal, "wrong-refusal"),
        (Kind::WrongField, "wrong-field"),
        (Kind::Malformed, "malformed"),
        (Kind::Hang, "hang"),
        (Kind::Crash, "crash"),
        (Kind::Garbage, "garbage"),
    ];

    /// Its name in reports and in files of known differences.
    pub fn name(self) -> &'static str {
        Kind::NAMES.iter().find(|(kind, _)| *kind == self).map_or("difference", |(_, name)| name)
    }
}
