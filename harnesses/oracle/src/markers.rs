//! Where the markers of a program's rows come from: `infer --markers`.

use crate::answer::Object;
use crate::output::{Json, Output};
use crate::solve::heading;
use lozenge::program::generate::{Generated, Operand};
use lozenge::program::{Inference, Placed, Placement, placements};
use lozenge::row::Row;
use lozenge::solver::Policy;
use lozenge::text::left;
use serde_json::{Value, json};
use std::io;

/// The rows of tensors with a name that have axes, in order of definition.
fn marked(inferred: &Inference, policy: Policy) -> Vec<(&str, Placement, &Row)> {
    let all = placements(&inferred.generated, policy);
    let named = inferred.generated.bindings.iter();
    let rows = named.flat_map(|(name, id)| all.iter().filter(move |p| p.tensor == *id).map(move |p| (&**name, p)));
    let known = rows.filter_map(|(name, p)| Some((name, p.clone(), inferred.shapes.get(p.tensor)?.get(p.kind))));
    known.filter(|(.., row)| row.flat().next().is_some()).collect()
}

/// A line for each row: its marker, and what put it there.
pub fn print(inferred: &Inference, policy: Policy, out: &mut Output) -> io::Result<()> {
    heading("where markers come from", out)?;
    let line = |(name, at, row): (&str, Placement, &Row)| {
        let row = out.text(&inferred.names.show(row).to_string());
        [format!("{} row of {name}", at.kind), row, at.placed.words(&inferred.generated)]
    };
    let rows: Vec<[String; 3]> = marked(inferred, policy).into_iter().map(line).collect();
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    for [whose, row, from] in &rows {
        out.line(&format!("  {}  {}  {from}", left(whose, width(0)), left(row, width(1))))?;
    }
    Ok(())
}

/// Tensor → kind → what put the marker there.
pub fn json(inferred: &Inference, policy: Policy) -> Object {
    let generated = &inferred.generated;
    let mut tensors: Vec<(String, Json)> = Vec::new();
    for (name, at, _) in marked(inferred, policy) {
        if tensors.last().is_none_or(|(last, _)| last != name) {
            tensors.push((name.to_owned(), Json(json!({}))));
        }
        if let Some((_, Json(Value::Object(kinds)))) = tensors.last_mut() {
            kinds.insert(at.kind.name().to_owned(), placed_json(generated, &at.placed));
        }
    }
    Object(tensors)
}

fn placed_json(generated: &Generated, placed: &Placed) -> Value {
    let by = |constraint: usize| {
        let origin = &generated.origins[constraint];
        let operand = match origin.operand {
            Operand::Result => json!("result"),
            Operand::Argument(i) => json!(i),
            Operand::Between(i, j) => json!([i, j]),
        };
        json!({ "operation": origin.operation, "operand": operand, "kind": origin.kind.name() })
    };
    match placed {
        Placed::Declared { tensor, kind, marker } => {
            let tensor = generated.tensors[*tensor].name.as_deref();
            json!({ "from": "declared", "marker": marker.name(), "tensor": tensor, "kind": kind.name() })
        }
        Placed::Slot { constraint, marker } => {
            json!({ "from": "slot", "marker": marker.name(), "by": by(*constraint) })
        }
        Placed::Equation { constraint } => json!({ "from": "equation", "by": by(*constraint) }),
        Placed::Inequality { constraint } => json!({ "from": "inequality", "by": by(*constraint) }),
        Placed::Closing => json!({ "from": "closing" }),
    }
}
