//! The canonical form of a specification: reading it back gives the same specification.

use super::lexer::is_multi_character;
use super::{Affine, Axis, Factor, Kernel, Spec, SpecRow, SpecSlot};
use crate::ast::Convolution;
use crate::shape::Kind;
use std::fmt;

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Number(n) => n.fmt(f),
            Factor::Name(name) => name.fmt(f),
        }
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(stride) = &self.stride {
            write!(f, "{stride}*")?;
        }
        f.write_str(&self.over)?;
        let Some(Kernel { mode, dilation, label }) = &self.kernel else {
            return self.offset.map_or(Ok(()), |c| write!(f, "+{c}"));
        };
        f.write_str(match mode {
            Some(Convolution::Padded) => "=+",
            Some(Convolution::Valid) => "<+",
            None => "+",
        })?;
        if let Some(c) = self.offset {
            write!(f, "{c}+")?;
        }
        if let Some(dilation) = dilation {
            write!(f, "{dilation}*")?;
        }
        f.write_str(label)
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Axis::Fixed(i) => i.fmt(f),
            Axis::Label(label) => label.fmt(f),
            Axis::Anonymous => f.write_str("_"),
            Axis::Concat(labels) => f.write_str(&labels.join("^")),
            Axis::Affine(affine) => affine.fmt(f),
        }
    }
}

/// Does the single-character mode have a spelling for this?
fn is_single(row: &SpecRow, kind: Kind) -> bool {
    let one = |name: &str| name.chars().count() == 1;
    let axis = |axis: &Axis| match axis {
        Axis::Fixed(_) | Axis::Anonymous => true,
        Axis::Label(label) => one(label),
        Axis::Concat(_) | Axis::Affine(_) => false,
    };
    row.axes().all(axis) && row.var.as_ref().is_none_or(|name| name == kind.name() || one(name))
}

/// A row: `...`, `a ... b`, with commas in the multi-character mode.
fn row(row: &SpecRow, kind: Kind, multi: bool) -> String {
    let var = row.var.as_ref().map(|name| if name == kind.name() { "...".to_owned() } else { format!("..{name}..") });
    let parts = row.lead.iter().map(ToString::to_string).chain(var).chain(row.trail.iter().map(ToString::to_string));
    let mut text = String::new();
    for part in parts {
        let digits = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        // Two numbers would run together; `..` and `...` would be hard to read.
        let blank = digits(text.chars().last()) && digits(part.chars().next())
            || !text.is_empty() && (text.ends_with('.') || part.starts_with('.'));
        if multi && !text.is_empty() {
            text.push(',');
        } else if blank {
            text.push(' ');
        }
        text.push_str(&part);
    }
    text
}

fn slot(slot: &SpecSlot, multi: bool) -> String {
    let [batch, input, output] = Kind::ALL.map(|kind| row(slot.row(kind), kind, multi));
    let batch = if batch.is_empty() { batch } else { format!("{batch}|") };
    let input = if input.is_empty() { input } else { format!("{input}->") };
    format!("{batch}{input}{output}")
}

fn spec(spec: &Spec, multi: bool) -> String {
    let operands: Vec<String> = spec.operands.iter().map(|s| slot(s, multi)).collect();
    format!("{} => {}", operands.join("; "), slot(&spec.result, multi))
}

impl fmt::Display for SpecSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let multi = !Kind::ALL.into_iter().all(|kind| is_single(self.row(kind), kind));
        f.write_str(&slot(self, multi))
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let single = self.slots().all(|slot| Kind::ALL.into_iter().all(|kind| is_single(slot.row(kind), kind)));
        let mut text = spec(self, !single);
        if !single && !is_multi_character(&text) {
            // No row has two axes: a trailing comma says which mode this is.
            let first = text.find(|c: char| c.is_alphanumeric()).unwrap_or(0);
            let end = text[first..].find(['|', '-', ';', '=', ' ']).map_or(text.len(), |i| first + i);
            text.insert(end, ',');
        }
        f.write_str(text.trim())
    }
}
