//! What was inferred, for people: shapes and sizes first, then what was assumed.

use super::Inferred;
use crate::answer;
use crate::margins;
use crate::markers;
use crate::output::Output;
use crate::solve::heading;
use crate::warnings;
use lozenge::closing::CloseRule;
use lozenge::dim::Dim;
use lozenge::program::generate::Marker;
use lozenge::program::shape::{Kind, show};
use lozenge::program::{Assumed, AssumedRule, Inference};
use lozenge::solver::Policy;
use lozenge::text::left;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The most rows and axes that are named for one value.
const MOST_NAMED: usize = 6;

/// What is asked for beside the shapes.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    /// Every assumption, routine ones too.
    pub assumptions: bool,
    /// Where the marker of every row comes from.
    pub markers: bool,
}

/// Shapes, sizes, margins, assumptions.
pub fn show_all(
    Inferred { inference: inferred, source, warnings }: &Inferred,
    policy: Policy,
    wanted: Wanted,
    out: &mut Output,
) -> io::Result<()> {
    if out.json {
        let mut answer = answer::infer_json(inferred, warnings::in_file(warnings, source, policy));
        if wanted.markers {
            answer.markers = Some(markers::json(inferred, policy));
        }
        return out.json(&answer);
    }
    warnings::tell(warnings, source, policy, out);
    let shapes = inferred.generated.bindings.iter().filter_map(|(name, id)| {
        let role = inferred.generated.tensors.get(*id)?.role.name();
        Some((name.to_string(), role, show(inferred.shapes.get(*id)?, &inferred.names)))
    });
    table(shapes.collect(), out)?;
    if !inferred.sizes.is_empty() {
        heading("sizes with a name", out)?;
        for size in &inferred.sizes {
            out.line(&format!("  {} = {}", size.name, size.size))?;
        }
    }
    margins::print(inferred, out)?;
    if wanted.assumptions {
        print_all(inferred, out)?
    } else {
        print_telling(&telling(inferred), "--assumptions", out)?
    }
    if wanted.markers {
        markers::print(inferred, policy, out)?;
    }
    Ok(())
}

/// What was assumed, as far as it decides a size or a rank of something that the program names.
#[derive(Serialize)]
pub struct Telling {
    /// Why, what, and whose, by reason and value.
    pub decided: Vec<Decided>,
    /// How many other assumptions there are.
    pub routine: usize,
}

/// Assumptions for one reason.
#[derive(Serialize)]
pub struct Decided {
    /// Why, in words.
    pub reason: String,
    /// A value, and the rows and axes that have it.
    pub values: Vec<(String, String)>,
}

impl Telling {
    /// What is said of the routine ones; nothing where there are none.
    pub fn rest(&self) -> Option<String> {
        let and = if self.decided.is_empty() { "" } else { "and " };
        let ones = if self.routine == 1 { "one" } else { "ones" };
        (self.routine > 0).then(|| format!("{and}{} routine {ones}", self.routine))
    }
}

/// The assumptions that matter to whoever wrote the program, and the number of the others.
pub fn telling(inferred: &Inference) -> Telling {
    let all = inferred.assumptions();
    let (decided, routine): (Vec<&Assumed>, Vec<&Assumed>) = all.iter().partition(|a| decides(inferred, a));
    let values = by_rule(&decided, |a| final_value(inferred, a).unwrap_or_else(|| a.value.clone()));
    let decided = values.into_iter().map(|(rule, values)| {
        let values = values.into_iter().map(|(value, them)| (value, whom(inferred, &them, MOST_NAMED))).collect();
        Decided { reason: format!("{} ({rule})", reason(rule)), values }
    });
    Telling { decided: decided.collect(), routine: routine.len() }
}

/// Does it decide a size or a rank of something with a name? That a row has no axes beside the known ones is routine,
/// unless a leaf was written with an ellipsis, and that stands for nothing. What the stages give a label decides the axes
/// that it is a part of.
fn decides(inferred: &Inference, assumed: &Assumed) -> bool {
    if assumed.label.is_some() && matches!(assumed.rule, AssumedRule::Stage(_)) {
        return true;
    }
    let Some((id, kind)) = assumed.tensor.zip(assumed.kind) else { return false };
    let (Some(tensor), Some(shape)) = (inferred.generated.tensors.get(id), inferred.shapes.get(id)) else {
        return false;
    };
    let nothing = assumed.value == "no further axes";
    let ellipsis = tensor.role.is_leaf() && *tensor.markers.get(kind) == Marker::Ellipsis;
    tensor.name.is_some() && (!nothing || (ellipsis && shape.get(kind).rank() == 0))
}

/// The row or axis as it is in the end.
fn final_value(inferred: &Inference, assumed: &Assumed) -> Option<String> {
    let row = inferred.shapes.get(assumed.tensor?)?.get(assumed.kind?);
    if assumed.position.is_some() {
        return Some(assumed.value.clone());
    }
    let axis = |dim: Dim| if dim == Dim::Unit { "1∅".to_owned() } else { inferred.names.show(&dim).to_string() };
    let axes: Vec<String> = row.flat().map(axis).collect();
    Some(if axes.is_empty() { "no axes".to_owned() } else { axes.join(", ") })
}

/// Why, in words for who writes programs.
fn reason(rule: AssumedRule) -> &'static str {
    match rule {
        AssumedRule::Close(CloseRule::Leaf) => "what it is used with needs so much, and nothing asks for more",
        AssumedRule::Close(CloseRule::Hole) => {
            "what it is used with needs so much, and 1∅ where nothing says how large an axis is"
        }
        AssumedRule::Close(CloseRule::Bare) => "nothing says what it is",
        AssumedRule::Close(CloseRule::Up) => "nothing says how large it is, so it has one element and stretches",
        rule => rule.words(),
    }
}

/// By rule, then by value, in the order of both.
fn by_rule<'a>(
    them: &[&'a Assumed],
    value: impl Fn(&Assumed) -> String,
) -> BTreeMap<AssumedRule, BTreeMap<String, Vec<&'a Assumed>>> {
    let mut rules: BTreeMap<AssumedRule, BTreeMap<String, Vec<&'a Assumed>>> = BTreeMap::new();
    for assumed in them {
        rules.entry(assumed.rule).or_default().entry(value(assumed)).or_default().push(assumed);
    }
    rules
}

/// The assumptions that matter, and what lists the others.
pub fn print_telling(telling: &Telling, lists: &str, out: &mut Output) -> io::Result<()> {
    heading("assumed beyond what follows", out)?;
    for Decided { reason, values } in &telling.decided {
        let reason = out.text(reason);
        out.line(&format!("  {reason}"))?;
        for (value, whom) in values {
            let value = out.text(value);
            out.line(&format!("    {value}: {whom}"))?;
        }
    }
    match telling.rest() {
        Some(rest) => out.line(&format!("  {rest}: {lists} lists them")),
        None if telling.decided.is_empty() => out.line("  nothing"),
        None => Ok(()),
    }
}

/// All assumptions by rule and value: the reason once, then whom it concerns.
fn print_all(inferred: &Inference, out: &mut Output) -> io::Result<()> {
    heading("assumed beyond what follows", out)?;
    let assumptions = inferred.assumptions();
    if assumptions.is_empty() {
        return out.line("  nothing");
    }
    let all: Vec<&Assumed> = assumptions.iter().collect();
    for (rule, values) in by_rule(&all, |a| a.value.clone()) {
        let reason = out.text(rule.words());
        out.line(&format!("  {rule}: {reason}"))?;
        for (value, them) in values {
            let value = out.text(&value);
            out.line(&format!("    {value}: {}", whom(inferred, &them, usize::MAX)))?;
        }
    }
    Ok(())
}

/// The rows and axes that assumptions are about; those of unnamed tensors are counted.
fn whom(inferred: &Inference, them: &[&Assumed], most: usize) -> String {
    let label = |a: &&Assumed| {
        if let Some((label, result)) = &a.label {
            let name = inferred.generated.tensors.get(*result).and_then(|it| it.name.as_ref());
            return Some(name.map_or_else(|| format!("label {label}"), |name| format!("label {label} of {name}")));
        }
        let name = inferred.generated.tensors.get(a.tensor?)?.name.as_ref()?;
        let kind: &str = a.kind.map(Kind::name)?;
        Some(match a.position {
            None => format!("{kind} row of {name}"),
            Some(axis) => format!("{kind} axis {} of {name}", axis + 1),
        })
    };
    let labels: Vec<String> = them.iter().filter_map(label).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let named: Vec<&str> = labels.iter().map(String::as_str).filter(|label| seen.insert(label)).collect();
    let mut parts: Vec<String> = named.iter().take(most).map(|label| (*label).to_owned()).collect();
    if named.len() > most {
        parts.push(format!("{} more", named.len() - most));
    }
    if labels.len() < them.len() {
        parts.push(format!("{} of tensors without a name", them.len() - labels.len()));
    }
    parts.join(", ")
}

/// Names, roles and shapes in columns.
pub fn table(rows: Vec<(String, &'static str, String)>, out: &mut Output) -> io::Result<()> {
    let width = |of: fn(&(String, &'static str, String)) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (names, roles) = (width(|r| r.0.chars().count()), width(|r| r.1.len()));
    for (name, role, shape) in &rows {
        let shape = out.text(shape);
        out.line(&format!("{}  {role:<roles$}  {shape}", left(name, names)))?;
    }
    Ok(())
}
