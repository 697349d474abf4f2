//! Placements: bindings whose marker could also stand elsewhere (Remark 2.11, decision 6).

use crate::output::Output;
use lozenge::names::Names;
use lozenge::rules::Bind;
use lozenge::solver::Rule;
use lozenge::term::{RowTerm, Term};

/// How many other places are written out.
const MOST: usize = 4;

/// A step that chose where a marker stands.
pub struct Placement<'a> {
    /// The step, from 0.
    pub step: usize,
    /// Its rule.
    pub rule: Rule,
    /// What it bound.
    pub bind: &'a Bind,
}

impl Placement<'_> {
    /// The binding, and what else would have been possible.
    pub fn words(&self, names: &Names, out: &Output) -> (String, String) {
        let (var, to) = (&self.bind.binding.var(), &self.bind.binding.to());
        let (shown, arrow) = (out.show(var, names), out.text("↦"));
        let bind = format!("{shown} {arrow} {}", out.show(to, names));
        let other = match to {
            Term::Row(row) => match row.var {
                None => format!("the marker could also stand at {}", elsewhere(row, names, out)),
                Some(inner) if row.known_rank() == 0 => {
                    format!("the markers of {shown} and {} need not agree", out.show(&inner, names))
                }
                Some(inner) => format!(
                    "the marker of {shown} could also stand at any other place: it need not be that of {}",
                    out.show(&inner, names)
                ),
            },
            Term::Dim(_) => String::new(),
        };
        (bind, other)
    }
}

/// The same content with the marker at every other place.
fn elsewhere(row: &RowTerm, names: &Names, out: &Output) -> String {
    let content = [row.lead.as_ref(), &row.trail].concat();
    let splits = (0..=content.len()).filter(|split| *split != row.lead.len());
    let mut shown: Vec<String> = splits
        .take(MOST)
        .map(|split| {
            let (lead, trail) = content.split_at(split);
            out.show(&RowTerm::new(lead.to_vec(), None, trail.to_vec()), names)
        })
        .collect();
    if content.len() > MOST {
        return format!("{}, and {} more", shown.join(", "), content.len() - MOST);
    }
    match (shown.pop(), shown.is_empty()) {
        (Some(last), false) => format!("{} or {last}", shown.join(", ")),
        (Some(only), true) => only,
        (None, _) => String::new(),
    }
}
