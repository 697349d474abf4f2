//! What to write instead: small changes of the text that people most often meant, each inferred before it is said.
//!
//! Candidates come in the order in which they are likely. One is a fix when the program with it has shapes; where there
//! is none, one behind which the next error is further on, is not found earlier, and is none that the fix has made.

mod declared;
mod foreign;
mod later;
mod names;
mod numbers;
mod operators;
mod scene;
mod specs;

use crate::explain::InferError;
use crate::infer::{infer_briefly, infer_with};
use crate::parse::parse;
use crate::warnings::{Warning, WarningCode, warnings};
use later::later;
use lozenge_engine::solver::Policy;
use lozenge_notation::Span;
use scene::Scene;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A change of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is taken out; nothing where the text is new.
    pub span: Span,
    /// What stands there instead.
    pub text: String,
}

/// What to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does, in a few words.
    pub says: String,
    /// The changes, in the order of the text.
    pub edits: Vec<Edit>,
    /// The line of the next error, where there is another one behind it.
    pub next: Option<usize>,
}

/// The most fixes that are named.
const MOST: usize = 3;
/// Constraints that all candidates together may have, as how many a claim about sizes counts, and the most candidates.
const WORK: usize = 200_000;
const A_CLAIM: usize = 20;
const MOST_TRIED: usize = 1_200;
/// How much less likely than the first a second fix may be.
const LIKELY: u8 = 20;
/// What is looked at is small: the bytes of a program, of a statement and of a specification, the axes of a row, and the
/// words, numbers and operations of a program. Beyond that nothing is looked for.
const MOST_SOURCE: usize = 1 << 18;
const MOST_STATEMENT: usize = 1 << 12;
const MOST_SPEC: usize = 200;
const MOST_AXES: usize = 10;
const MOST_WORDS: usize = 400;
const MOST_NUMBERS: usize = 60;
const MOST_OPERATIONS: usize = 5_000;
/// Of the operations that an error rests on, those nearest to it are looked at.
const MOST_NEAR: usize = 40;

impl Fix {
    fn new(says: impl Into<String>, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| edit.span.start);
        Fix { says: says.into(), edits, next: None }
    }

    /// One place.
    fn one(says: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Fix::new(says, vec![Edit { span, text: text.into() }])
    }

    /// The program with it.
    #[must_use]
    pub fn apply(&self, source: &str) -> String {
        let mut out = String::with_capacity(source.len() + 16);
        let mut done = 0;
        for Edit { span, text } in &self.edits {
            out += source.get(done..span.start).unwrap_or_default();
            out += text;
            done = span.end.max(done);
        }
        out + source.get(done..).unwrap_or_default()
    }

    /// The lines that it changes, as they are with it.
    #[must_use]
    pub fn lines(&self, source: &str) -> Vec<(usize, String)> {
        let fixed = self.apply(source);
        let (before, after): (Vec<&str>, Vec<&str>) = (source.lines().collect(), fixed.lines().collect());
        let same_front = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let most = before.len().min(after.len()) - same_front;
        let same_back = before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        let changed = after.iter().enumerate().take(after.len() - same_back).skip(same_front);
        changed.map(|(i, line)| (i + 1, (*line).to_owned())).collect()
    }

    /// For people.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        let mut text = format!("help: {}; write\n", self.says);
        for (number, line) in self.lines(source) {
            let _ = writeln!(text, "  {number} | {line}");
        }
        if let Some(line) = self.next {
            let _ = writeln!(text, "  then line {line} is next");
        }
        text
    }
}

/// How good a candidate is: less is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Quality {
    /// It has shapes, with so many warnings.
    Inferred(usize),
    /// It has none, and the error is later, in this line.
    Later(usize),
}

/// Fixes of a program that has no shapes.
pub(crate) fn fixes(source: &str, error: &InferError, policy: Policy) -> Vec<Fix> {
    if matches!(error, InferError::Limit(_)) || source.len() > MOST_SOURCE {
        return Vec::new();
    }
    let scene = Scene::of_error(source, error);
    let quality = |fix: &Fix, fixed: &str| {
        let inferred =
            parse(fixed).map_err(Into::into).and_then(|program| Ok((infer_briefly(&program, policy)?, program)));
        match inferred {
            Ok((inferred, program)) => Some(Quality::Inferred(warnings(&program, Some(fixed), &inferred).len())),
            Err(next) => later(error, (source, fix), &next, fixed),
        }
    };
    best(source, ranked(&scene, &RULES), (scene.budget(), MOST), quality)
}

/// Fixes of a program that has shapes and a warning: they leave fewer warnings.
pub(crate) fn for_warning(source: &str, warning: &Warning, policy: Policy) -> Vec<Fix> {
    if source.len() > MOST_SOURCE {
        return Vec::new();
    }
    let Ok(program) = parse(source) else { return Vec::new() };
    let Ok(inferred) = infer_with(&program, policy) else { return Vec::new() };
    if inferred.generated.operations.len() > MOST_OPERATIONS {
        return Vec::new();
    }
    let now = warnings(&program, Some(source), &inferred).len();
    let scene = Scene::of_warning(source, warning, &inferred.generated);
    let quality = |_: &Fix, fixed: &str| {
        let program = parse(fixed).ok()?;
        let inferred = infer_with(&program, policy).ok()?;
        let left = warnings(&program, Some(fixed), &inferred).len();
        (left < now).then_some(Quality::Inferred(left))
    };
    best(source, advice(&scene, warning), (scene.budget(), 1), quality)
}

/// What goes with a warning: it says itself what is strange, so little else can be meant.
fn advice(scene: &Scene<'_>, warning: &Warning) -> Vec<(u8, Fix)> {
    let of = |rules: &[Rule], ranks: &[u8]| {
        let mut found = ranked(scene, rules);
        found.retain(|(rank, _)| ranks.contains(rank));
        found
    };
    let here = |(_, fix): &(u8, Fix)| fix.edits.iter().all(|edit| edit.span.range() == warning.span.range());
    match warning.code {
        WarningCode::ResultOnlyLabel => of(&[specs::propose], &[specs::MEANT, specs::MEANT + 1]),
        WarningCode::ParameterWithoutAxes => of(&[operators::propose], &[operators::POINTWISE]),
        WarningCode::UnusedSize => of(&[names::propose], &[names::TYPO]).into_iter().filter(here).collect(),
        WarningCode::BothStretched => of(&[specs::propose, declared::propose], &[specs::MEANT, declared::SHORTER]),
        WarningCode::AddedAxis => of(&[declared::propose], &[declared::SHORTER]),
        // The later of two spellings is the slip.
        WarningCode::SummedApart => {
            let mut found = of(&[names::propose], &[names::TYPO]);
            found.sort_by_key(|(_, fix)| std::cmp::Reverse(fix.edits.first().map_or(0, |edit| edit.span.start)));
            found.extend(of(&[specs::propose], &[specs::RENAMED]));
            found
        }
        WarningCode::Overwritten => of(&[operators::summed], &[operators::SUMMED]),
        WarningCode::MostlyUnwritten
        | WarningCode::UnusedParameter
        | WarningCode::WrongExpectation
        | WarningCode::OrderOfStatements
        | WarningCode::UnappliedFunction => Vec::new(),
    }
}

/// What proposes candidates, each with its rank: less is likelier.
type Rule = fn(&Scene<'_>, &mut Vec<(u8, Fix)>);

/// All of them.
const RULES: [Rule; 6] =
    [foreign::propose, names::propose, operators::propose, declared::propose, specs::propose, numbers::propose];

/// The candidates of these rules, the likeliest first.
fn ranked(scene: &Scene<'_>, rules: &[Rule]) -> Vec<(u8, Fix)> {
    let mut found: Vec<(u8, Fix)> = Vec::new();
    rules.iter().for_each(|rule| rule(scene, &mut found));
    found.sort_by_key(|(rank, _)| *rank);
    found
}

/// The best of them, each text once.
fn best(
    source: &str,
    candidates: Vec<(u8, Fix)>,
    (budget, most): (usize, usize),
    quality: impl Fn(&Fix, &str) -> Option<Quality>,
) -> Vec<Fix> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut found: Vec<(Quality, Fix)> = Vec::new();
    // Once there is one, what is much less likely is not looked at.
    let mut last = u8::MAX;
    for (rank, mut fix) in candidates {
        if rank > last {
            break;
        }
        let fixed = fix.apply(source);
        if fixed == source || !seen.insert(fixed.clone()) {
            continue;
        }
        if seen.len() > budget {
            break;
        }
        let Some(quality) = quality(&fix, &fixed) else { continue };
        if let Quality::Later(line) = quality {
            fix.next = Some(line);
        }
        if quality == Quality::Inferred(0) {
            last = last.min(rank.saturating_add(LIKELY));
        }
        found.push((quality, fix));
        if found.iter().filter(|(quality, _)| *quality == Quality::Inferred(0)).count() == most {
            break;
        }
    }
    let whole = found.iter().any(|(quality, _)| matches!(quality, Quality::Inferred(_)));
    found.retain(|(quality, _)| !whole || matches!(quality, Quality::Inferred(_)));
    // Of those that only go further, the order of likelihood says more than how far.
    found.sort_by_key(|(quality, _)| match quality {
        Quality::Inferred(warnings) => *warnings,
        Quality::Later(_) => 0,
    });
    let most = if whole { most } else { 1 };
    found.into_iter().map(|(_, fix)| fix).take(most).collect()
}
