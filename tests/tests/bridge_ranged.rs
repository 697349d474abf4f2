//! The bridge from Coq to Rust for ranged dimensions: scripts of operations in one context, run by core/ranged and by
//! what is extracted from Ranged.v.
//!
//! As tests/tests/bridge.rs: same counts on every run, held to spec/index.toml. Numbers in Coq have no limit, so a step
//! that is too large for core is left out.
#![allow(missing_docs)]

use lozenge::ranged::memory::{Bounds, bytes, elements};
use lozenge::ranged::reshape::{Reshaped, Target, reshape};
use lozenge::ranged::verify::Verifier;
use lozenge::ranged::{Clash, Context, Dim, Range, Shape, ShapeError, ShapeProblem, Size, ops, unify_dims};
use lozenge_tests::bridge::Bridge;
use quickcheck::{Arbitrary, Gen};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn range_json(range: Range) -> Value {
    json!([range.lo(), range.hi()])
}

fn dim_json(dim: &Dim) -> Value {
    match dim {
        Dim::Literal(v) => json!(v),
        Dim::Var(var) => json!({ "var": var.id() }),
        Dim::Named(name, range) => json!({ "named": **name, "lo": range.lo(), "hi": range.hi() }),
        Dim::Dynamic => json!("dynamic"),
        Dim::Broadcast => json!("broadcast"),
    }
}

fn shape_json(shape: &Shape) -> Value {
    shape.0.iter().map(dim_json).collect()
}

fn bounds_json(bounds: Bounds) -> Value {
    json!([bounds.min.to_string(), bounds.max.map(|max| max.to_string())])
}

fn reshaped_json(Reshaped { shape, obligation }: &Reshaped) -> Value {
    let obligation = obligation.as_ref().map(|it| json!([shape_json(&it.input), shape_json(&it.output)]));
    json!([shape_json(shape), obligation])
}

/// What is wrong, as the model says it; nothing where a number is too large for core.
fn problem_json(problem: &ShapeProblem) -> Option<Value> {
    Some(match problem {
        ShapeProblem::Clash(Clash::LiteralMismatch(a, b)) => json!(["literals", a, b]),
        ShapeProblem::Clash(Clash::OutOfRange { name, value, range }) => {
            json!(["out of range", **name, value, range_json(*range)])
        }
        ShapeProblem::Clash(Clash::RangeEmpty { name, left, right }) => {
            json!(["ranges", **name, range_json(*left), range_json(*right)])
        }
        ShapeProblem::Clash(Clash::NameMismatch(n, m)) => json!(["names", **n, **m]),
        ShapeProblem::RankMismatch(a, b) => json!(["ranks", a, b]),
        ShapeProblem::Rank { found, .. } => json!(["rank", found]),
        ShapeProblem::RankLimit(rank) => json!(["rank limit", rank]),
        ShapeProblem::Axis { axis, rank } => json!(["axis", axis, rank]),
        ShapeProblem::NoOperands => json!(["no operands"]),
        ShapeProblem::Elements { .. } => json!(["elements"]),
        ShapeProblem::SecondInferred => json!(["second -1"]),
        ShapeProblem::Actual { actual, .. } => json!(["actual", actual]),
        ShapeProblem::ForeignVariable(var) => json!(["foreign", var.id()]),
        ShapeProblem::TooLarge => return None,
        other => panic!("the model has no {other:?}"),
    })
}

/// A script under way: what core has been asked, and what it answered.
struct Script {
    context: Context,
    verifier: Verifier,
    steps: Vec<Value>,
    answers: Vec<Value>,
}

impl Script {
    fn new(variables: usize) -> Self {
        let mut context = Context::new();
        (0..variables).for_each(|_| drop(context.fresh_var()));
        Script { context, verifier: Verifier::new(), steps: Vec::new(), answers: Vec::new() }
    }

    fn ok(&mut self, step: Value, answer: &Value) {
        self.steps.push(step);
        self.answers.push(json!({ "ok": answer }));
    }

    fn answered<T>(&mut self, step: Value, answer: Result<T, ShapeError>, write: impl Fn(&T) -> Value) -> Option<T> {
        match answer {
            Ok(answer) => {
                self.ok(step, &write(&answer));
                Some(answer)
            }
            Err(error) => {
                if let Some(problem) = problem_json(&error.problem) {
                    self.steps.push(step);
                    self.answers.push(json!({ "error": problem }));
                }
                None
            }
        }
    }

    fn unify(&mut self, x: &Dim, y: &Dim) {
        let answer = unify_dims(&mut self.context, x, y);
        self.answered(json!({ "unify": [dim_json(x), dim_json(y)] }), answer, dim_json);
    }

    /// The script, and what core says of it.
    fn case(self) -> (Vec<Value>, Value) {
        let Script { context, steps, answers, .. } = self;
        let vars = (0..context.variables()).filter_map(|id| context.variable(id));
        let class = |var: Dim| {
            let Dim::Var(root) = context.representative(&var) else { panic!("a variable is in a class of variables") };
            let bound = Some(context.resolve(&var)).filter(|bound| !matches!(bound, Dim::Var(_)));
            json!([root.id(), bound.as_ref().map(dim_json)])
        };
        let classes: Value = vars.map(class).collect();
        let script = json!({ "variables": context.variables(), "steps": steps });
        (vec![script], json!({ "steps": answers, "classes": classes }))
    }
}

fn literal(n: u64) -> Dim {
    Dim::literal(n).expect("a size")
}

fn named(name: &str, lo: u64, hi: Option<u64>) -> Dim {
    let size = |n| Size::new(n).expect("a size");
    Dim::named(name, Range::new(size(lo), hi.map(size)).expect("a range"))
}

/// Dimensions of every kind, with the first three variables of a context.
fn small(context: &Context) -> Vec<Dim> {
    let vars = (0..3).filter_map(|id| context.variable(id));
    let others = [
        literal(1),
        literal(2),
        literal(3),
        named("a", 1, None),
        named("a", 1, Some(2)),
        named("a", 3, Some(4)),
        named("b", 2, Some(2)),
        Dim::Dynamic,
        Dim::Broadcast,
    ];
    vars.chain(others).collect()
}

/// Every two unifications, one after the other, then one of the three variables with each other.
#[test]
fn bridge_ranged_unification() {
    let dims = small(&Script::new(3).context);
    let pairs: Vec<(&Dim, &Dim)> = dims.iter().flat_map(|x| dims.iter().map(move |y| (x, y))).collect();
    let mut cases = Vec::with_capacity(pairs.len() * pairs.len());
    for (x, y) in &pairs {
        for (z, w) in &pairs {
            let mut script = Script::new(3);
            script.unify(x, y);
            script.unify(z, w);
            script.unify(&dims[0], &dims[1]);
            script.unify(&dims[1], &dims[2]);
            cases.push(script.case());
        }
    }
    let mut bridge = Bridge::of("bridge_ranged_unification");
    bridge.cases("ranged", &cases);
    bridge.finish();
}

fn below(g: &mut Gen, n: usize) -> usize {
    usize::try_from(u64::arbitrary(g) % (n as u64).max(1)).unwrap_or(0)
}

fn one_of<T: Clone>(g: &mut Gen, of: &[T]) -> T {
    of[below(g, of.len())].clone()
}

/// The sizes of a script: few and small, or as large as they get.
const SIZES: [&[u64]; 3] = [&[1, 2, 3, 4], &[1, 2, 6, 12, 24], &[1, 2, 1 << 32, u64::MAX / 2, u64::MAX]];

/// One in forty is a variable of another context.
fn dim(g: &mut Gen, context: &Context, sizes: &[u64]) -> Dim {
    let vars = context.variables();
    match below(g, 40) {
        0 => {
            let mut other = Context::new();
            (0..vars + 2).map(|_| other.fresh_var()).last().expect("a variable")
        }
        1..=3 => one_of(g, &[Dim::Dynamic, Dim::Broadcast]),
        4..=12 => {
            let (lo, hi) = (one_of(g, sizes), Some(one_of(g, sizes)).filter(|_| bool::arbitrary(g)));
            // One label is long, so that those of sums and products are.
            let name = one_of(g, &["a", "b", "batch", "a_label_of_more_than_thirty_characters"]);
            named(name, hi.map_or(lo, |hi| lo.min(hi)), hi.map(|hi| lo.max(hi)))
        }
        13..=24 => {
            u32::try_from(below(g, vars as usize)).ok().and_then(|id| context.variable(id)).unwrap_or(Dim::Dynamic)
        }
        _ => literal(one_of(g, sizes)),
    }
}

/// A shape of these; half of the time one that came out of a step.
fn shape(g: &mut Gen, context: &Context, sizes: &[u64], seen: &[Shape]) -> Shape {
    if !seen.is_empty() && bool::arbitrary(g) {
        return one_of(g, seen);
    }
    let rank = if below(g, 200) == 0 { 62 + below(g, 5) } else { below(g, 5) };
    Shape((0..rank).map(|_| dim(g, context, sizes)).collect())
}

/// Another shape that may well go with this one: some axes are others, one may be too many or too few.
fn like(g: &mut Gen, shape: &Shape, context: &Context, sizes: &[u64]) -> Shape {
    let mut axes = shape.0.clone();
    if let Some(axis) = (!axes.is_empty()).then(|| below(g, axes.len())) {
        match below(g, 6) {
            0 => drop(axes.remove(axis)),
            1 => axes.insert(axis, dim(g, context, sizes)),
            2..=4 => axes[axis] = dim(g, context, sizes),
            _ => axes.reverse(),
        }
    }
    Shape(axes)
}

fn several(g: &mut Gen, first: &Shape, context: &Context, sizes: &[u64]) -> Vec<Shape> {
    let mut all = vec![first.clone()];
    (0..below(g, 3)).for_each(|_| all.push(like(g, first, context, sizes)));
    if below(g, 50) == 0 { Vec::new() } else { all }
}

/// What a shape is reshaped into: its axes in another order, some of them joined or unknown.
fn target(g: &mut Gen, of: &Shape, context: &Context, sizes: &[u64]) -> Vec<Target> {
    let other = like(g, of, context, sizes);
    let mut axes: Vec<Target> = other.0.into_iter().map(Target::Dim).collect();
    for _ in 0..below(g, 3) {
        let at = below(g, axes.len() + 1);
        axes.insert(at, Target::Infer);
        axes.truncate(at + 1 + below(g, 3));
    }
    axes
}

/// Sizes that a shape may have at run time.
fn actual(g: &mut Gen, shape: &Shape, sizes: &[u64]) -> Vec<u64> {
    let size = |d: &Dim| match below(g, 12) {
        0 => one_of(g, &[0, 1, u64::MAX]),
        1 => one_of(g, sizes),
        _ => d.range().lo().get(),
    };
    shape.0.iter().map(size).collect()
}

/// One operation of any kind; the shape that comes out, if one does.
fn step(g: &mut Gen, script: &mut Script, seen: &[Shape], sizes: &[u64]) -> Option<Shape> {
    let first = shape(g, &script.context, sizes, seen);
    let second = like(g, &first, &script.context, sizes);
    let two = json!([shape_json(&first), shape_json(&second)]);
    let context = &mut script.context;
    let all = several(g, &first, context, sizes);
    let refs: Vec<&Shape> = all.iter().collect();
    let written: Vec<Value> = all.iter().map(shape_json).collect();
    let axis = below(g, first.rank() + 2);
    let along = || std::iter::once(json!(axis)).chain(written.iter().cloned()).collect::<Value>();
    let (step, answer) = match below(g, 13) {
        0 | 1 => (json!({ "unify_shapes": two }), ops::unify_shapes(context, &first, &second)),
        2 => (json!({ "matmul": two }), ops::matmul(context, &first, &second)),
        3 | 4 => {
            // The last axis of the first is the last but one of the second.
            let mut second = second;
            let rank = second.rank();
            if let (Some(k), true) = (first.0.last(), rank > 1 && bool::arbitrary(g)) {
                second.0[rank - 2] = k.clone();
            }
            let two = json!([shape_json(&first), shape_json(&second)]);
            (json!({ "matmul_batched": two }), ops::matmul_batched(context, &first, &second))
        }
        5 | 6 => (json!({ "broadcast": written }), ops::broadcast(context, &refs)),
        7 => (json!({ "concat": along() }), ops::concat(context, &refs, axis)),
        8 => (json!({ "stack": along() }), ops::stack(context, &refs, axis)),
        9 | 10 => {
            let target = target(g, &first, context, sizes);
            let to = |t: &Target| if let Target::Dim(d) = t { dim_json(d) } else { json!(-1) };
            let step = json!({ "reshape": [shape_json(&first), target.iter().map(to).collect::<Value>()] });
            let answer = reshape(context, &first, &target);
            // Where the range of a product does not fit, core says Dynamic.
            if sizes.contains(&u64::MAX) && answer.as_ref().is_ok_and(|it| it.shape.0.contains(&Dim::Dynamic)) {
                return None;
            }
            return script.answered(step, answer, reshaped_json).map(|reshaped| reshaped.shape);
        }
        11 => {
            let first = context.resolve_shape(&first);
            if let Ok(bounds) = elements(&first) {
                script.ok(json!({ "elements": shape_json(&first) }), &bounds_json(bounds));
            }
            let element = one_of(g, &[0, 1, 4, 8]);
            if let Ok(bounds) = bytes(&first, element) {
                script.ok(json!({ "bytes": [element, shape_json(&first)] }), &bounds_json(bounds));
            }
            return None;
        }
        _ => {
            let first = context.resolve_shape(&first);
            let like = if below(g, 8) == 0 { &second } else { &first };
            let sizes = actual(g, like, sizes);
            let answer = script.verifier.verify(&sizes, &first);
            script.answered(json!({ "verify": [sizes, shape_json(&first)] }), answer, |()| Value::Null);
            return None;
        }
    };
    script.answered(step, answer, shape_json)
}

#[test]
fn bridge_ranged_operations_at_random() {
    let mut g = Gen::from_size_and_seed(100, 3);
    let (mut cases, mut said) = (Vec::new(), BTreeSet::new());
    for round in 0..30_000 {
        let sizes = SIZES[round % SIZES.len()];
        let mut script = Script::new(1 + below(&mut g, 5));
        let mut seen: Vec<Shape> = Vec::new();
        for _ in 0..2 + below(&mut g, 9) {
            let made = step(&mut g, &mut script, &seen, sizes);
            seen.extend(made);
        }
        let of = script.steps.iter().zip(&script.answers);
        said.extend(of.map(|(step, answer)| {
            let name = |it: &Value| it.as_object().and_then(|it| it.keys().next().cloned()).unwrap_or_default();
            (name(step), answer["error"][0].as_str().unwrap_or("ok").to_owned())
        }));
        cases.push(script.case());
    }
    let mut bridge = Bridge::of("bridge_ranged_operations_at_random");
    bridge.cases("ranged", &cases);
    bridge.finish();
    for (step, answers) in EXPECTED {
        for answer in answers.split(", ") {
            assert!(said.contains(&(step.to_owned(), answer.to_owned())), "{step}: {answer} occurs");
        }
    }
}

/// What each operation has been seen to say.
const EXPECTED: [(&str, &str); 10] = [
    ("unify_shapes", "ok, literals, out of range, ranges, names, ranks, foreign"),
    ("matmul", "ok, literals, out of range, names, rank, foreign"),
    ("matmul_batched", "ok, literals, out of range, ranges, names, rank, foreign"),
    ("broadcast", "ok, literals, out of range, ranges, names, foreign, no operands"),
    ("concat", "ok, literals, out of range, ranges, names, foreign, ranks, axis, no operands"),
    ("stack", "ok, literals, out of range, ranges, names, foreign, ranks, axis, no operands, rank limit"),
    ("reshape", "ok, elements, second -1, rank limit"),
    ("elements", "ok"),
    ("bytes", "ok"),
    ("verify", "ok, actual, ranks"),
];
