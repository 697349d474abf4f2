//! Finding F65: assignments whose target is also an operand, run as `lozenge project` prints them.

use lozenge::interp::{Inputs, Options, Scalar, run};
use lozenge::program::ast::Accumulate;
use lozenge::program::generate::Operation;
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::show::nest;
use lozenge::projection::{Index, Label, MapAxis, Projected, Projections, Writes, project_all};

const BEFORE: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

/// An assignment to x that reads x; none where there are no shapes.
fn assigned(op: &str, spec: &str) -> Option<(Inference, Projected, Vec<f64>)> {
    let text = format!("param x: 2, 2 = [[1, 2], [3, 4]]\nx {op} x ~logic:\"{spec}\"");
    let inferred = infer(&parse(&text).unwrap_or_else(|error| panic!("{}", error.render(&text)))).ok()?;
    let nests = project_all(&inferred).expect("projections");
    let outcome = run::<f64>(&inferred, &nests, Inputs::default(), &Options::default()).expect("values");
    let x = inferred.generated.tensor("x").expect("x");
    let value = outcome.values[x].clone().expect("a value").data;
    Some((inferred, nests.into_iter().next().expect("one"), value))
}

/// The cell of a tensor of two axes of two at a point.
fn cell(map: &[MapAxis], point: [u64; 2]) -> usize {
    let index = |label: &Label| match label {
        Label::Iter(i) => point[*i],
        Label::At(Index::Fix(c)) => *c,
        other => panic!("{other:?}"),
    };
    map.iter().fold(0, |at, axis| 2 * at + usize::try_from(index(&axis.label)).expect("small"))
}

/// The four programs of Prop. 7.6 (iii), with the operand as it was or in place.
fn implemented(record: &Projections, op: &Operation, (clear, back, copy): (bool, bool, bool)) -> Vec<f64> {
    let mut target = BEFORE.to_vec();
    if clear {
        target.fill(op.accumulate.neutral());
    }
    let sizes = |i: usize| record.loops.get(i).map_or(1, |it| it.size);
    for point in (0..sizes(0)).flat_map(|i| (0..sizes(1)).map(move |j| [i, j])) {
        let read = cell(&record.rhs[0], point);
        let value = if copy { BEFORE[read] } else { target[read] };
        let cell = &mut target[cell(&record.lhs, point)];
        *cell = if back { f64::accumulate(op.accumulate, cell, value).expect("a number") } else { value };
    }
    target
}

fn programs() -> impl Iterator<Item = (bool, bool)> {
    [(false, false), (false, true), (true, false), (true, true)].into_iter()
}

/// The page's own assignments: read before they are right, and none of the four programs is right in place.
#[test]
fn finding_f65_a_target_that_is_read() {
    for (op, spec, meant) in [
        ("=:+", "ij => ii", [3.0, 0.0, 0.0, 7.0]),
        ("=:+", "ij => ji", [1.0, 3.0, 2.0, 4.0]),
        ("=+", "ij => ji", [2.0, 5.0, 5.0, 8.0]),
    ] {
        let (inferred, it, value) = assigned(op, spec).expect("shapes");
        let operation = &inferred.generated.operations[it.operation];
        assert_eq!(value, meant, "{op} {spec}");
        let right = |copy: bool| {
            programs()
                .filter(|(clear, back)| implemented(&it.record, operation, (*clear, *back, copy)) == meant)
                .count()
        };
        assert!(right(true) > 0 && right(false) == 0, "{op} {spec}");
    }
    let (inferred, it, _) = assigned("=:+", "ij => ji").expect("shapes");
    let operation = &inferred.generated.operations[it.operation];
    assert_eq!(implemented(&it.record, operation, (false, false, false)), [1.0, 3.0, 3.0, 4.0], "in place");
}

/// What is printed, with its copy, its initialisation and its reading back, computes what `run` computes: every accumulator,
/// every pair of slots of two axes. Where there is no copy none is needed, and of the others half are
/// wrong in place; `&&` and `||` make ones of all that is not 0, and hide it.
#[test]
fn nests_say_what_runs() {
    let labels = ["i", "j", "0", "1"];
    let slots: Vec<String> = labels.iter().flat_map(|a| labels.iter().map(move |b| format!("{a}, {b}"))).collect();
    let (mut in_place, mut copied, mut needed) = (0, 0, 0);
    let erasing = Accumulate::ALL.iter().map(|how| format!("=:{}", how.text()));
    let keeping = Accumulate::ALL.iter().filter(|how| **how != Accumulate::Replace);
    for op in erasing.chain(keeping.map(|how| format!("={}", how.text()))) {
        for spec in slots.iter().flat_map(|from| slots.iter().map(move |to| format!("{from} => {to}"))) {
            let Some((inferred, it, value)) = assigned(&op, &spec) else { continue };
            let operation = &inferred.generated.operations[it.operation];
            let writes = Writes::of(&it.record, operation.logic);
            let clear = writes.needs_init(operation.accumulate, operation.erase);
            let back = writes.reads_back(operation.accumulate, operation.erase);
            let copy = !writes.in_place(&it.record, operation);
            assert_eq!(implemented(&it.record, operation, (clear, back, copy)), value, "{op} {spec}");
            let lines = nest(&inferred, &it);
            assert_eq!(lines.iter().any(|line| line.code == "copy x to x.before"), copy, "{op} {spec}");
            assert_eq!(lines.iter().any(|line| line.code.starts_with("fill ")), clear, "{op} {spec}");
            if copy {
                copied += 1;
                needed += usize::from(implemented(&it.record, operation, (clear, back, false)) != value);
            } else {
                in_place += 1;
            }
        }
    }
    println!("{in_place} in place, {copied} copied, {needed} of them differ in place");
    assert!(in_place > 150 && copied > 4_700 && needed > 2_300, "{in_place}, {copied}, {needed}");
}
