//! Gradients against differences, on operations of every kind: where a value is affine in one cell, what it grows by with
//! that cell is its gradient, to the bit. Windows, results that are written beside their axes, and parts that take turns
//! (§8) are among them.
#![allow(missing_docs)]

use lozenge::interp::{Inputs, Options, Outcome, RunError, Value, dims, run};
use lozenge::program::generate::TensorId;
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::{Projected, project_all};
use lozenge_harnesses::programs::Numbers;
use std::collections::{BTreeMap, BTreeSet};

fn prepared(text: &str) -> Option<(Inference, Vec<Projected>)> {
    let program = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
    let inferred = infer(&program).ok()?;
    let nests = project_all(&inferred).expect("projections");
    Some((inferred, nests))
}

/// Even numbers, and few of them alike: a cell that grows by one reaches no other, so no maximum changes hands.
fn data(inferred: &Inference, numbers: &mut Numbers) -> BTreeMap<TensorId, Value<f64>> {
    let leaves = inferred.generated.tensors.iter().enumerate().filter(|(_, t)| t.role.is_leaf() && t.value.is_none());
    let mut value = |id| {
        let dims = dims(inferred, id);
        let count = dims.iter().product::<u64>();
        #[allow(clippy::cast_precision_loss)]
        let data = (0..count).map(|_| 2.0 * (numbers.below(100_000) as f64 - 50_000.0)).collect();
        Value { dims, data }
    };
    leaves.map(|(id, _)| (id, value(id))).collect()
}

fn ran(
    (inferred, nests): &(Inference, Vec<Projected>),
    values: BTreeMap<TensorId, Value<f64>>,
    (grad, naive): (Option<TensorId>, bool),
) -> Result<Outcome<f64>, RunError> {
    run(inferred, nests, Inputs { values, ..Inputs::default() }, &Options { grad, naive, ..Options::default() })
}

/// What all cells of a tensor grow by; those that are no number of their own do not.
fn growth(before: &Value<f64>, after: &Value<f64>) -> f64 {
    before.data.iter().zip(&after.data).map(|(before, after)| if before == after { 0.0 } else { after - before }).sum()
}

/// Compares every gradient of `t`; false where the program has no shapes.
fn compared(text: &str, numbers: &mut Numbers) -> bool {
    let Some(prepared) = prepared(text) else { return false };
    let t = prepared.0.generated.tensor("t");
    let values = data(&prepared.0, numbers);
    for naive in [false, true] {
        let outcome = ran(&prepared, values.clone(), (t, naive)).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let of = |outcome: &Outcome<f64>| t.and_then(|t| outcome.values[t].clone()).expect("a value");
        for (id, value) in &values {
            let gradient = outcome.gradients.get(id).expect("a parameter's gradient");
            for cell in 0..value.data.len() {
                let mut more = values.clone();
                more.get_mut(id).expect("it is there").data[cell] += 1.0;
                let more = ran(&prepared, more, (None, true)).expect("values");
                let (found, right) = (gradient.data[cell], growth(&of(&outcome), &of(&more)));
                // A maximum that several points reach with the same cells has the gradient of each of them.
                let agree = found == right || text.contains('@') && found > right && right > 0.0;
                assert!(agree, "cell {cell} of {id}: {found}, {right}\n{text}");
            }
        }
    }
    true
}

const LABELS: [&str; 6] = ["i", "j", "o", "k", "p", "q"];

fn slot(numbers: &mut Numbers) -> String {
    let axes = ["i", "j", "i", "o", "k", "p", "q", "p^q", "q^p", "o=+k", "2*o=+k", "2*o=+1+k", "o<+2*k", "2*o", "0"];
    let axes: Vec<&str> = (0..=numbers.below(3)).map(|_| axes[numbers.below(axes.len())]).collect();
    axes.join(", ")
}

/// One operation, by a specification of any axes, every label with a size.
fn operation(numbers: &mut Numbers) -> String {
    let (x, y, t) = (slot(numbers), slot(numbers), slot(numbers));
    let one = numbers.below(3) == 0;
    let spec = if one { format!("{x} => {t}") } else { format!("{x}; {y} => {t}") };
    let used: BTreeSet<&str> = LABELS.into_iter().filter(|label| spec.contains(label)).collect();
    let names = used.iter().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join("; ");
    let names = if used.is_empty() { names } else { format!("[{names}]") };
    let how = if one { ["++", "@^^"][numbers.below(2)] } else { ["+*", "+++", "@^+"][numbers.below(3)] };
    let sizes: String = used.iter().map(|label| format!("{label} = {}\n", 1 + numbers.below(3))).collect();
    let (y, second) = if one { ("", "") } else { ("param y\n", " y") };
    format!("param x\n{y}let t = x {how} \"{spec}\" {names}{second}\n{sizes}")
}

#[test]
fn gradients_are_differences() {
    let mut ran = 0;
    for case in 0..10_000 {
        let mut numbers = Numbers::of(41, case);
        let text = operation(&mut numbers);
        ran += u64::from(compared(&text, &mut numbers));
    }
    assert!(ran > 8_000, "{ran} programs have shapes");
}

/// A gradient is of the values that were read. Where an assignment has changed them since, or what it leaves is not what
/// was there, there is none.
#[test]
fn gradients_do_not_go_past_assignments() {
    let gradient = |text: &str| {
        let prepared = prepared(text).expect(text);
        let t = prepared.0.generated.tensor("t");
        let w = prepared.0.generated.tensor("w").expect("w");
        let three = Value { dims: vec![1], data: vec![3.0] };
        let values = if text.contains("w =:") { BTreeMap::new() } else { BTreeMap::from([(w, three)]) };
        ran(&prepared, values, (t, false)).map(|outcome| outcome.gradients[&w].data[0])
    };
    for (statements, right) in [
        ("let y = w *. w\nlet t = y + 1", 6.0),
        ("let y = w *. w\ny =+ 10\nlet t = y + 1", 6.0),
        ("let y = w *. w\ny =- 10\nlet t = y + 1", 6.0),
        ("w =: 5\nlet t = w *. w", 10.0),
        ("let y = w + 1\nw =+ 10\nlet t = y + 1", 1.0),
        ("w =+ 10\nlet t = w *. w", 26.0),
        ("w =- 10\nlet t = w *. w", -14.0),
        ("let t = w *. w\nw =* 10", 6.0),
    ] {
        assert_eq!(gradient(&format!("param w: 1\n{statements}\n")).ok(), Some(right), "{statements}");
    }
    for statements in [
        "let y = w *. w\nw =+ 10\nlet t = y + 1",
        "let y = w *. w\nlet z = y *. y\ny =: 7\nlet t = z + 1",
        "let y = w *. w\ny =: 10\nlet t = y + 1",
        "let y = w *. w\ny =* 10\nlet t = y + 1",
        "let y = w *. w\ny =@^ 10\nlet t = y + 1",
        "let y = w + 1\nw =: 10\nlet t = y *. w",
        // An assignment that keeps what is there reads it, whether something did before or not.
        "w =* 3\nlet t = w + 1",
        "w =/ 3\nlet t = w + 1",
        "w =** 2\nlet t = w + 1",
        "w =@^ 5\nlet t = w + 1",
        "w =@- 0\nlet t = w + 1",
        "w =&& 1\nlet t = w + 1",
        "w =|| 1\nlet t = w + 1",
        "w =* w\nlet t = w + 1",
        "w =+ w\nlet t = w + 1",
    ] {
        // What is assigned to before its data is read has no data.
        let text = format!("param w: 1\n{statements}\n").replace("w =:", "w =*");
        let refused = gradient(&text);
        assert!(matches!(refused, Err(RunError::NoGradient { .. })), "{statements}: {refused:?}");
    }
}
