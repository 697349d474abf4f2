//! Why a program has no shapes, in the names of its tensors: what meets, how each side got there, what was assumed.

use crate::infer::diagnosed;
use crate::output::Output;
use lozenge::program::generate::{Operand, Operation, Origin, Role, TensorId};
use lozenge::program::shape::{Kind, axes_of, show_partial};
use lozenge::program::{Clash, Diagnostic, Fix, InferError, Link, Span, Told, Way};
use lozenge::solver::Policy;
use lozenge::text::one_line;
use serde::Serialize;
use std::collections::BTreeSet;

/// What a program says at a place.
#[derive(Clone, PartialEq, Serialize)]
pub struct Said {
    /// The line; 0 where it has none.
    pub line: usize,
    pub text: String,
    pub words: String,
}

impl Said {
    /// As one line of text.
    pub fn text(&self) -> String {
        let Said { line, text, words } = self;
        match (*line, text.as_str()) {
            (0, _) => words.clone(),
            (line, "") => format!("line {line}: {words}"),
            (line, text) => format!("line {line}, `{text}`: {words}"),
        }
    }
}

/// One of the claims that do not go together.
#[derive(Serialize)]
pub struct Claim {
    /// What is claimed.
    pub value: String,
    /// What says so in the end.
    pub said: Option<Said>,
    /// What the way is, as a title.
    #[serde(skip)]
    pub title: String,
    /// How it got there, in the order of the program.
    pub way: Vec<Said>,
    /// How many steps between them are routine.
    pub routine: usize,
}

/// Why there are no shapes.
#[derive(Default, Serialize)]
pub struct Why {
    /// The operation or the statement where it shows.
    pub place: Option<Said>,
    pub claims: Vec<Claim>,
    /// What else it rests on.
    pub rests: Vec<Said>,
    /// What was assumed, of what, and why.
    pub assumed: Vec<String>,
    /// What to write instead.
    pub help: Vec<String>,
}

/// The most that is shown of what a program has at a place.
const MOST: usize = 60;

/// The story of a failure; none where there is nothing to tell, as for a limit.
pub fn why(told: &Told, text: &str, policy: Policy, out: &Output) -> Option<Why> {
    let error = told.ended.as_ref().err()?;
    let it = Telling { told, text, out };
    let mut why = match error {
        InferError::Clash(clash) => it.clash(clash),
        InferError::Hole(hole) => {
            let value = format!("all that is known of `{}`: {}", hole.tensor, hole.known);
            it.one(value, "what uses it", hole.uses.iter().map(|link| it.link(link)).collect())
        }
        InferError::Index(index) => {
            let value = format!("the shape of {}: {}", index.tensor.render(text), index.shape);
            it.one(value, "", Vec::new())
        }
        InferError::Size(size) => it.one(size.equation.clone(), "the operands there", it.operands(size.span)),
        InferError::Program(_) | InferError::Limit(_) => return None,
    };
    why.place = error.span().is_known().then(|| it.at(error.span(), String::new()));
    if let Some(behind) = error.behind() {
        let shown = shown_already(error);
        why.rests.extend(behind.equations.iter().filter(|equation| equation.axis != shown).map(|equation| {
            let words = format!("`{}` says {}", equation.axis, equation.text);
            Said { words: out.text(&words), ..it.at(equation.span, String::new()) }
        }));
        why.assumed = behind.assumed.iter().map(|assumed| out.text(&assumed.text)).collect();
    }
    let Diagnostic { helps, fixes, .. } = diagnosed(error, text, policy);
    let fixes = fixes.iter().map(|fix| written(fix, text));
    why.help = helps.into_iter().chain(fixes).map(|help| out.text(&help)).collect();
    Some(why)
}

/// A fix in one line.
fn written(fix: &Fix, text: &str) -> String {
    let lines = fix.lines(text);
    let lines = lines.iter().map(|(number, line)| format!("`{}` in line {number}", line.trim())).collect::<Vec<_>>();
    format!("{}; write {}", fix.says, lines.join(", "))
}

/// The axis or index whose equation is the claim itself.
fn shown_already(error: &InferError) -> String {
    match error {
        InferError::Size(size) => size.text.clone(),
        InferError::Index(index) => format!("index {}", index.index),
        _ => String::new(),
    }
}

struct Telling<'a> {
    told: &'a Told,
    text: &'a str,
    out: &'a Output,
}

impl Telling<'_> {
    fn at(&self, span: Span, words: String) -> Said {
        let line = if span.is_known() { span.position(self.text).0 } else { 0 };
        Said { line, text: self.out.text(&one_line(span.text(self.text), MOST)), words: self.out.text(&words) }
    }

    fn link(&self, link: &Link) -> Said {
        self.at(link.span, link.words.render(self.text))
    }

    fn one(&self, value: String, title: &str, way: Vec<Said>) -> Why {
        let claim = Claim { value: self.out.text(&value), said: None, title: title.to_owned(), way, routine: 0 };
        Why { claims: vec![claim], ..Why::default() }
    }

    /// The operands of the operation with this specification, as far as their shapes are known.
    fn operands(&self, specification: Span) -> Vec<Said> {
        let generated = &self.told.generated;
        let is = |op: &&Operation| op.spec.as_ref().is_some_and(|it| it.quoted.span.range() == specification.range());
        let Some(operation) = generated.operations.iter().find(is) else { return Vec::new() };
        let known = self.told.known();
        let shape = |id: &TensorId| {
            let shape = show_partial(known.get(*id)?, &generated.names);
            Some(self.at(generated.tensors.get(*id)?.span, format!("the shape is {shape}")))
        };
        operation.operands.iter().filter_map(shape).collect()
    }

    /// The two claims with the way to each. Where there are none, as for a cycle, all that the clash rests on.
    fn clash(&self, clash: &Clash) -> Why {
        let ways = self.told.ways().unwrap_or_default();
        if clash.claims.len() != 2 {
            let rests = clash.chain.iter().map(|link| self.link(link)).collect();
            return Why { rests, ..Why::default() };
        }
        let claims = clash.claims.iter().zip(&ways).map(|(claim, way)| {
            let nearest = claim.because.first();
            let mut numbers: BTreeSet<usize> = claim.because.iter().map(|link| link.constraint).collect();
            numbers.extend(&way.constraints);
            let value = self.out.text(&claim.value);
            let links: Vec<&Link> = clash.chain.iter().filter(|link| numbers.contains(&link.constraint)).collect();
            Claim {
                title: format!("how it came to {value}"),
                value,
                said: nearest.map(|link| self.link(link)),
                way: self.way(&claim.value, &links),
                routine: routine(way, links.len()),
            }
        });
        let mut claims: Vec<Claim> = claims.collect();
        // One constraint may bring both sides: then what is declared tells them apart.
        if claims.iter().all(|claim| claim.said == claims[0].said) {
            claims.iter_mut().for_each(|claim| claim.said = claim.way.first().cloned());
        }
        Why { claims, ..Why::default() }
    }

    /// The links in order, what is declared before what uses it.
    fn way(&self, value: &str, links: &[&Link]) -> Vec<Said> {
        let mut declared: BTreeSet<TensorId> = BTreeSet::new();
        let mut way: Vec<Said> = Vec::new();
        for link in links {
            let Some(origin) = self.told.generated.origins.get(link.constraint) else { continue };
            for (id, kind) in self.rows(origin) {
                if self.brings(id, kind, value) && declared.insert(id) {
                    way.push(self.declared(id, kind));
                }
            }
        }
        way.sort_by_key(|said| said.line);
        for said in links.iter().map(|link| self.link(link)) {
            // Operations of several applications may say the same.
            if !way.contains(&said) {
                way.push(said);
            }
        }
        way
    }

    /// The rows that a constraint speaks of.
    fn rows(&self, origin: &Origin) -> Vec<(TensorId, Kind)> {
        let Some(operation) = origin.operation.and_then(|o| self.told.generated.operations.get(o)) else {
            return Vec::new();
        };
        let operand = |i: usize| operation.operands.get(i).copied();
        match origin.operand {
            Operand::Result => vec![(operation.result, origin.kind)],
            Operand::Argument(i) => operand(i).map(|id| (id, origin.kind)).into_iter().collect(),
            Operand::Between(i, j) => {
                let input = operand(i).map(|id| (id, Kind::Input));
                input.into_iter().chain(operand(j).map(|id| (id, Kind::Output))).collect()
            }
        }
    }

    /// Is it declared with an axis that the claim has?
    fn brings(&self, id: TensorId, kind: Kind, value: &str) -> bool {
        let Some(tensor) = self.told.generated.tensors.get(id) else { return false };
        let axes = axes_of(tensor.shape.get(kind), &self.told.generated.names);
        let closed = tensor.shape.get(kind).is_closed();
        let known = |axis: &String| value.split(", ").any(|part| part == axis && part != "..." && part != "?");
        tensor.role.is_leaf() && tensor.span.is_known() && (axes.iter().any(known) || (axes.is_empty() && closed))
    }

    fn declared(&self, id: TensorId, kind: Kind) -> Said {
        let generated = &self.told.generated;
        let tensor = &generated.tensors[id];
        let axes = axes_of(tensor.shape.get(kind), &generated.names);
        let axes = if axes.is_empty() { "no axes".to_owned() } else { axes.join(", ") };
        let written = if tensor.role == Role::Literal { "written" } else { "declared" };
        self.at(tensor.span, format!("{written}: the {kind} row is {axes}"))
    }
}

/// The steps that are not told: those of the way, but one for each link.
fn routine(way: &Way, links: usize) -> usize {
    way.steps.saturating_sub(links)
}
