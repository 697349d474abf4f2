//! The story of a program: what `infer` does with it, constraints, claims about sizes, closing and checks.

use super::listing::{Known, Line, listing};
use super::story::{Above, End, Ending, Input, Lines, Scene, Story, Teller, kept, maps_to};
use super::why::why;
use crate::answer;
use crate::infer::{is_json, show::telling};
use crate::output::Output;
use lozenge::constraint::Constraint;
use lozenge::program::shape::show;
use lozenge::program::{Assumed, InferError, Inference, Program, ProgramError, Source, Span, Told, tell as infer};
use lozenge::program::{generate, parse};
use lozenge::solver::Policy;
use lozenge::staged::{By, Given, StageStep};
use lozenge::term::Vars;
use std::collections::BTreeSet;

/// A program as it was told, with the text that its places refer to.
struct Telling<'a> {
    told: &'a Told,
    text: &'a str,
    /// Where each line ends.
    ends: Vec<usize>,
    out: &'a Output,
}

/// What a program has at a place, as far as it helps to find it.
fn excerpt(span: Span, text: &str) -> String {
    const MOST: usize = 120;
    span.text(text).trim().lines().next().unwrap_or_default().chars().take(MOST).collect()
}

/// Infers, and tells.
///
/// # Errors
/// A program that is not well formed.
pub fn tell(
    title: &str,
    program: &Program,
    text: &str,
    policy: Policy,
    most: usize,
    out: &Output,
) -> Result<Story, ProgramError> {
    let told = infer(program, policy, kept())?;
    let ends = text.match_indices('\n').map(|(end, _)| end).collect();
    let it = Telling { told: &told, text, ends, out };
    let teller = Teller { trace: &told.trace, names: &told.names, out, cycle: &told.cycle };
    let sources = told.sources();
    let above = it.above();
    let all_steps = told.trace.steps.len() + above.len();
    let from = |node: usize, scenes: &[usize]| it.from(sources.get(node).copied(), scenes);
    let vars = if told.whole { told.generated.constraints.as_slice().vars() } else { BTreeSet::new() };
    let solved = told.solved.unwrap_or(told.trace.steps.len());
    let (ending, end, says) = it.ending();
    Ok(Story {
        title: title.to_owned(),
        input: it.input(),
        claims: it.claims(),
        steps: teller.scenes(above, most, from),
        all_steps,
        whole: told.whole,
        ending,
        end,
        says,
        explanation: it.explanation(),
        program: true,
        source: it.source(program),
        why: why(&told, text, policy, out),
        decided: told.ended.as_ref().ok().map(telling),
        bindings: teller.bindings(vars, solved),
        guard: teller.guard(told.whole),
        assumptions: it.assumptions(),
        placements: Lines::default(),
        shapes: it.shapes(),
        checks: it.checks(),
        values: it.values(),
        witness: Lines::default(),
        closing: None,
    })
}

impl Telling<'_> {
    fn line(&self, span: Span) -> usize {
        1 + self.ends.partition_point(|end| *end < span.start)
    }

    fn input(&self) -> Vec<Input> {
        let generated = &self.told.generated;
        let input = |(phi, origin): (&Constraint, &lozenge::program::generate::Origin)| Input {
            line: self.line(origin.span),
            text: self.out.show(phi, &self.told.names),
            from: excerpt(origin.span, self.text),
        };
        generated.constraints.iter().zip(&generated.origins).map(input).collect()
    }

    /// The place of a claim: a size equation's, or that of an index.
    fn claimed_at(&self, number: usize) -> (Span, String) {
        let generated = &self.told.generated;
        if let Some(origin) = generated.claim_origins.get(number) {
            return (origin.span, origin.text.clone());
        }
        let fixed = generated.fixed.get(number - generated.claim_origins.len());
        let operation = fixed.and_then(|fixed| generated.operations.get(fixed.operation));
        let index = fixed.map_or_else(String::new, |fixed| format!("index {}", fixed.index));
        (operation.map_or_else(Span::default, |operation| operation.span), index)
    }

    /// The places of the claims that a step is from.
    fn claimed_by(&self, by: By) -> String {
        let places = by.claims().map(|number| {
            let (span, text) = self.claimed_at(number);
            format!("line {}, {text}", self.line(span))
        });
        places.collect::<Vec<_>>().join(" less ")
    }

    fn claims(&self) -> Vec<Input> {
        let claims = self.told.claims.iter().enumerate();
        let claim = |(number, claim)| {
            let (span, from) = self.claimed_at(number);
            Input { line: self.line(span), text: self.out.show(claim, &self.told.names), from }
        };
        claims.map(claim).collect()
    }

    /// The steps of the stages, and the check that failed.
    fn above(&self) -> Vec<Above> {
        let stages = self.told.stages.iter().map(|step| Above { at: step.at, scene: self.stage(step) });
        let last = match &self.told.ended {
            Err(InferError::Size(size)) => Some(Scene {
                rule: size.rule.name(),
                definition: "8",
                words: self.out.text(size.rule.words()),
                constraint: self.out.text(&size.equation),
                from: format!("line {}, {}", self.line(size.span), size.text),
                fails: Some(self.out.text(&size.why)),
                tainted: !size.certain,
                ..Scene::default()
            }),
            Err(InferError::Index(index)) => Some(Scene {
                rule: "index",
                words: "an index is less than the size of its axis".to_owned(),
                constraint: format!("{} < {}", index.index, index.size),
                from: format!("line {}", self.line(index.span)),
                fails: self.told.ended.as_ref().err().map(ToString::to_string),
                ..Scene::default()
            }),
            _ => None,
        };
        let last = last.filter(|_| self.told.whole);
        stages.chain(last.map(|scene| Above { at: usize::MAX, scene })).collect()
    }

    fn stage(&self, step: &StageStep) -> Scene {
        let (names, out) = (&self.told.names, self.out);
        let value = match &step.given {
            Given::Zero(v) => format!("{} {} 0", out.show(v, names), out.text("↦")),
            Given::Is(binding) => maps_to(binding.var(), &binding.to(), names, out),
        };
        let (constraint, from) = match step.by {
            Some(by) => {
                let claims = by.claims().filter_map(|number| self.told.claims.get(number));
                let claims: Vec<String> = claims.map(|claim| out.show(claim, names)).collect();
                (claims.join(" less "), self.claimed_by(by))
            }
            None => (out.show(&step.given.var(), names), "a commitment".to_owned()),
        };
        Scene {
            rule: step.rule.name(),
            definition: "8",
            stage: Some(step.stage.number()),
            words: out.text(step.rule.words()),
            constraint,
            from,
            results: vec![value],
            ..Scene::default()
        }
    }

    /// Where a constraint of the derivation comes from.
    fn from(&self, source: Option<Source>, scenes: &[usize]) -> String {
        match source {
            Some(Source::Constraint(i)) => {
                let origin = self.told.generated.origins.get(i);
                origin.map_or_else(String::new, |origin| format!("line {}", self.line(origin.span)))
            }
            Some(Source::Step(step)) => format!("step {}", scenes.get(step).copied().unwrap_or(step + 1)),
            Some(Source::Claim(by, rule)) => format!("{rule}, {}", self.claimed_by(by)),
            Some(Source::Committed(rule)) => format!("committed by {rule}"),
            Some(Source::Forwarded) => "forwarded before a commitment".to_owned(),
            None => String::new(),
        }
    }

    fn ending(&self) -> (Ending, End, String) {
        let ending = match &self.told.ended {
            Ok(_) => {
                let says = "every constraint and every claim holds, and each tensor has a shape".to_owned();
                return (Ending::Inferred, End::bare(Ending::Inferred), says);
            }
            Err(InferError::Limit(_)) => Ending::Limit,
            Err(error) => verdict(error),
        };
        let error = self.told.ended.as_ref().err();
        let end = error.map_or(End::bare(ending), |e| End::Program(Box::new(answer::infer_error_json(e, self.text))));
        (ending, end, error.map_or_else(String::new, |error| self.out.text(&error.headline(self.text))))
    }

    fn explanation(&self) -> String {
        let error = self.told.ended.as_ref().err();
        error.map_or_else(String::new, |error| self.out.text(&error.render(self.text)))
    }

    /// The lines of the program; one in JSON is written as text for it.
    fn source(&self, program: &Program) -> Vec<Line> {
        // Of a failure beyond the steps that were kept it is not known what was known.
        if !self.told.whole && self.told.ended.is_err() {
            return Vec::new();
        }
        if !is_json(self.text) {
            let known = Known::of(self.told, &self.told.generated, self.out);
            let fails = self.told.ended.as_ref().err().map_or_else(Span::default, InferError::span);
            return listing(program, self.text, &known, fails);
        }
        let text = program.to_string();
        let Ok(program) = parse(&text) else { return Vec::new() };
        let Ok(generated) = generate(&program) else { return Vec::new() };
        let known = Known::of(self.told, &generated, self.out);
        listing(&program, &text, &known, Span::default())
    }

    fn inferred<T: Default>(&self, of: impl Fn(&Inference) -> T) -> T {
        self.told.ended.as_ref().map(of).unwrap_or_default()
    }

    fn assumptions(&self) -> Vec<(String, String)> {
        let said = |a: &Assumed| {
            let rule = format!("{}: {}", a.rule, a.rule.words());
            let what = a.text.strip_suffix(&format!(" ({rule})")).unwrap_or(&a.text);
            (self.out.text(what), self.out.text(&rule))
        };
        self.inferred(|inferred| inferred.assumptions().iter().map(said).collect())
    }

    fn shapes(&self) -> Lines {
        self.inferred(|inferred| {
            let named = inferred.named().into_iter();
            Lines::of(named.map(|(name, shape)| self.out.text(&format!("{name}: {}", show(shape, &inferred.names)))))
        })
    }

    fn checks(&self) -> Lines {
        self.inferred(|inferred| {
            let fixed = inferred.generated.fixed.iter();
            Lines::of(fixed.map(|fixed| {
                let operation = inferred.generated.operations.get(fixed.operation);
                let line = operation.map_or(0, |operation| self.line(operation.span));
                format!("line {line}: index {} < {}", fixed.index, inferred.size_of(fixed.axis))
            }))
        })
    }

    fn values(&self) -> Lines {
        self.inferred(|inferred| {
            let values = answer::ground_terms(&inferred.values());
            Lines::of(values.iter().map(|(v, t)| maps_to(*v, t, &inferred.names, self.out)))
        })
    }
}

/// The verdict that `infer` has for an error.
fn verdict(error: &InferError) -> Ending {
    let certain = |certain: bool| if certain { Ending::Unsat } else { Ending::Rejected };
    match error {
        InferError::Clash(clash) => certain(clash.certain),
        InferError::Size(size) => certain(size.certain),
        InferError::Index(index) => certain(index.certain),
        InferError::Limit(_) => Ending::Limit,
        InferError::Hole(_) | InferError::Program(_) => Ending::Error,
    }
}
