//! The codes of diagnostics. A code is never given to anything else; spec/diagnostics.md has a section for each.

use crate::error::ProgramProblem;
use crate::explain::InferError;
use crate::warnings::WarningCode;
use lozenge_engine::solver::Why;
use std::fmt;

macro_rules! codes {
    ($($name:ident $text:literal $title:literal),* $(,)?) => {
        /// What kind of thing is wrong.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $name),*
        }

        impl Code {
            /// All of them, in order.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// As it is written: `E0501`.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }

            /// What it is about, in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }
        }
    };
}

codes! {
    Unexpected "E0101" "something else was expected here",
    Character "E0102" "a character that programs do not use",
    Unclosed "E0103" "quotes that are not closed",
    Number "E0104" "a number that does not fit",
    Json "E0105" "JSON that is not the form of a program",
    TooLarge "E0106" "a program that is too large",
    UnknownName "E0201" "a name that nothing has",
    Twice "E0202" "a name that is defined already",
    WrongSort "E0203" "a name that stands for something else",
    Arguments "E0204" "a function with another number of arguments",
    NoSuchLabel "E0205" "a captured name that the specification does not have",
    Specification "E0301" "a specification that is not well formed",
    Operands "E0302" "a specification with another number of operands",
    NoSpecification "E0303" "a function that takes no specification",
    RepeatedPart "E0304" "a label twice in one concatenation",
    Mode "E0305" "a convolution that does not say which it is",
    Logic "E0306" "a logic that does not go with the operands",
    BareStar "E0307" "an assignment with a product that does not say which",
    Primitive "E0308" "an operator of assignments inside an expression",
    Mean "E0309" "a mean over an axis whose cells are not counted",
    Irregular "E0401" "lists of numbers that differ in length",
    LiteralAxes "E0402" "written numbers with another number of axes than their shape",
    LiteralSize "E0403" "written numbers with another size than their shape",
    LiteralRow "E0404" "a row variable in the shape of written numbers",
    Initialiser "E0405" "values of its own for what is no parameter",
    Sizes "E0501" "two sizes that would have to be one",
    Bases "E0502" "two bases that would have to be one",
    Axes "E0503" "rows that differ in their number of axes",
    Growth "E0504" "a row that would have to contain itself",
    Undetermined "E0505" "a parameter whose size nothing determines",
    Index "E0506" "an index outside of its axis",
    Equation "E0507" "a size that is worked out and cannot be",
    Limit "E0508" "a limit that was reached",
    ResultOnlyLabel "W0601" "a label that only the result has",
    ParameterWithoutAxes "W0602" "a parameter that gets no axes",
    MostlyUnwritten "W0603" "a result that is mostly not written",
    UnusedParameter "W0604" "a parameter that nothing uses",
    UnusedSize "W0605" "a size that nothing uses",
    WrongExpectation "W0606" "an expectation that is not true",
    BothStretched "W0607" "two operands that are stretched along each other",
    AddedAxis "W0608" "a written size 1 that adds an axis",
    SummedApart "W0609" "two labels that are summed apart",
    Overwritten "W0610" "a result of which the last of several values stays",
    OrderOfStatements "W0611" "a loop nest that rests on the order of statements",
    UnappliedFunction "W0612" "a function that is never applied",
}

impl Code {
    /// The code that is written so, in any case of letters; a warning may be asked for by its name.
    #[must_use]
    pub fn read(text: &str) -> Option<Code> {
        let is = |code: &&Code| code.text().eq_ignore_ascii_case(text);
        let of_warning = || WarningCode::ALL.into_iter().find(|code| code.name() == text).map(Code::from);
        Code::ALL.iter().find(is).copied().or_else(of_warning)
    }

    /// Is it about something that was accepted?
    #[must_use]
    pub fn is_warning(self) -> bool {
        self.text().starts_with('W')
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl From<&ProgramProblem> for Code {
    fn from(problem: &ProgramProblem) -> Self {
        match problem {
            ProgramProblem::Unexpected(_) => Code::Unexpected,
            ProgramProblem::Character(_) => Code::Character,
            ProgramProblem::Unclosed => Code::Unclosed,
            ProgramProblem::SizeZero | ProgramProblem::Number(_) => Code::Number,
            ProgramProblem::Json(_) => Code::Json,
            ProgramProblem::TooDeep | ProgramProblem::TooLarge | ProgramProblem::TooLong(_) => Code::TooLarge,
            ProgramProblem::Spec(_) => Code::Specification,
            ProgramProblem::Operands { .. } => Code::Operands,
            ProgramProblem::Unknown { .. } => Code::UnknownName,
            ProgramProblem::Twice(_) => Code::Twice,
            ProgramProblem::WrongSort { .. } => Code::WrongSort,
            ProgramProblem::Arguments { .. } => Code::Arguments,
            ProgramProblem::NoSpec(_) => Code::NoSpecification,
            ProgramProblem::NoSuchLabel(_) => Code::NoSuchLabel,
            ProgramProblem::Irregular => Code::Irregular,
            ProgramProblem::LiteralAxes { .. } => Code::LiteralAxes,
            ProgramProblem::LiteralSize { .. } => Code::LiteralSize,
            ProgramProblem::LiteralRow(_) => Code::LiteralRow,
            ProgramProblem::Initialiser => Code::Initialiser,
            ProgramProblem::BareStar => Code::BareStar,
            ProgramProblem::Primitive { .. } => Code::Primitive,
            ProgramProblem::Logic { .. } => Code::Logic,
            ProgramProblem::Mean(_) => Code::Mean,
            ProgramProblem::RepeatedPart { .. } => Code::RepeatedPart,
            ProgramProblem::Mode(_) => Code::Mode,
        }
    }
}

impl From<&InferError> for Code {
    fn from(error: &InferError) -> Self {
        match error {
            InferError::Program(error) => Code::from(&error.problem),
            InferError::Clash(clash) => Code::from(&clash.why),
            InferError::Hole(_) => Code::Undetermined,
            InferError::Index(_) => Code::Index,
            InferError::Size(_) => Code::Equation,
            InferError::Limit(_) => Code::Limit,
        }
    }
}

impl From<&Why> for Code {
    fn from(why: &Why) -> Self {
        match why {
            Why::Differ(a, b) | Why::NotBelow(a, b) if a.elements() == b.elements() => Code::Bases,
            Why::Differ(..) | Why::NotBelow(..) => Code::Sizes,
            Why::Ranks(..) | Why::Overflow { .. } | Why::Short { .. } => Code::Axes,
            Why::Occurs(_) | Why::Cycle { .. } => Code::Growth,
        }
    }
}

impl From<WarningCode> for Code {
    fn from(code: WarningCode) -> Self {
        match code {
            WarningCode::ResultOnlyLabel => Code::ResultOnlyLabel,
            WarningCode::ParameterWithoutAxes => Code::ParameterWithoutAxes,
            WarningCode::MostlyUnwritten => Code::MostlyUnwritten,
            WarningCode::UnusedParameter => Code::UnusedParameter,
            WarningCode::UnusedSize => Code::UnusedSize,
            WarningCode::WrongExpectation => Code::WrongExpectation,
            WarningCode::BothStretched => Code::BothStretched,
            WarningCode::AddedAxis => Code::AddedAxis,
            WarningCode::SummedApart => Code::SummedApart,
            WarningCode::Overwritten => Code::Overwritten,
            WarningCode::OrderOfStatements => Code::OrderOfStatements,
            WarningCode::UnappliedFunction => Code::UnappliedFunction,
        }
    }
}
