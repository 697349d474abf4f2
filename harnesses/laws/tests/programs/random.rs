//! What holds of all programs, on random ones.

use super::{below, goes_on, inferred, is_solution, pick, read};
use lozenge::program::{InferError, Inference, Program, infer};
use lozenge_harnesses::cases::sampled;
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// A program as statements with what each one uses, so that they can be put into another order.
#[derive(Clone, Debug)]
struct AnyProgram {
    /// Name, text, names used.
    statements: Vec<(String, String, Vec<String>)>,
    seed: u64,
}

const UNARY: [&str; 6] = ["relu", "exp", "tanh", "sqrt", "neg", "not"];
const BINARY: [&str; 6] = ["+", "-", "*.", "/.", "<", "*"];
/// Every row that a specification writes has `...`.
const PERMUTE: [&str; 8] = [
    "...|...->... => ...|...->0",
    "...|...->... => ...|...->...",
    "...|i...->... => ...|...->...",
    "...|...->...i => ...|...->i...",
    "...|...->i...j => ...|...->j...i",
    "...|...->... => ...|0->...",
    "...|..r..->... => ...|..r..->0",
    "...|...->ij... => ...|j->i...",
];
const EINSUM: [&str; 6] = [
    "...|...->i...; ...|...->i... => ...|...->...",
    "...|...->...i; ...|...->...j => ...|...->...ij",
    "...|...->...; ...|...->... => ...|...->0",
    "...|i->...; ...|...->i => ...|...->...",
    "...|...->..r..; ...|...->..r.. => ...|...->..r..",
    "...|...->i; ...|...->j => ...|i->j",
];

fn any_row(g: &mut Gen, open: u64) -> String {
    let axis = |g: &mut Gen| pick(g, &["2", "3", "3:rgb", "n", "m", "?", "unit"]).to_owned();
    let mut axes: Vec<String> = (0..below(g, 3)).map(|_| axis(g)).collect();
    if below(g, 10) < open {
        let at = usize::try_from(below(g, axes.len() as u64 + 1)).expect("as expected");
        axes.insert(at, "...".to_owned());
    }
    axes.join(", ")
}

impl Arbitrary for AnyProgram {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut statements: Vec<(String, String, Vec<String>)> = Vec::new();
        for i in 0..1 + below(g, 3) {
            let (role, name) = (pick(g, &["input", "input", "const", "param"]), format!("x{i}"));
            let shape = match below(g, 4) {
                0 => String::new(),
                _ => format!(": {} | {} -> {}", any_row(g, 2), pick(g, &["", "2", "..."]), any_row(g, 3)),
            };
            statements.push((name.clone(), format!("{role} {name}{shape}"), Vec::new()));
        }
        for i in 0..1 + below(g, 5) {
            let known: Vec<String> = statements.iter().map(|s| s.0.clone()).collect();
            let (a, b, name) = (pick(g, &known), pick(g, &known), format!("y{i}"));
            let (value, uses) = match below(g, 10) {
                0 | 1 => (format!("{} {a}", pick(g, &UNARY)), vec![a]),
                2..=4 => (format!("{a} {} {b}", pick(g, &BINARY)), vec![a, b]),
                5 => (format!("{a} ++ \"{}\"", pick(g, &PERMUTE)), vec![a]),
                6 => (format!("{a} +* \"{}\" {b}", pick(g, &EINSUM)), vec![a, b]),
                7 => (format!("{a} @| {}", pick(g, &["t", "0"])), vec![a]),
                8 => (format!("{{ w{i}{} }} * {a}", pick(g, &["", ": ... -> 5", ": ... -> 2, 3"])), vec![a]),
                _ => (format!("where {a} {b} 0"), vec![a, b]),
            };
            statements.push((name.clone(), format!("let {name} = {value}"), uses));
        }
        AnyProgram { statements, seed: u64::arbitrary(g) }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let it = self.clone();
        let without = (0..it.statements.len()).rev().filter_map(move |i| {
            let name = &it.statements[i].0;
            let used = it.statements.iter().any(|s| s.2.contains(name));
            let mut statements = it.statements.clone();
            statements.remove(i);
            (!used && !statements.is_empty()).then_some(AnyProgram { statements, seed: it.seed })
        });
        Box::new(without)
    }
}

impl AnyProgram {
    fn text(&self) -> String {
        self.statements.iter().map(|s| s.1.clone() + "\n").collect()
    }

    /// Another order in which everything is defined before it is used.
    fn reordered(&self) -> String {
        let (mut rest, mut random, mut text) = (self.statements.clone(), self.seed, String::new());
        let mut defined: Vec<String> = Vec::new();
        while !rest.is_empty() {
            let ready: Vec<usize> =
                (0..rest.len()).filter(|i| rest[*i].2.iter().all(|used| defined.contains(used))).collect();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let next = ready[usize::try_from((random >> 33) % ready.len() as u64).expect("as expected")];
            let (name, statement, _) = rest.remove(next);
            defined.push(name);
            text += &(statement + "\n");
        }
        text
    }
}

/// The shapes of a program by name, without markers; none if it has none.
fn flat_shapes(inference: &Inference) -> BTreeMap<String, String> {
    inference
        .named()
        .into_iter()
        .map(|(name, _)| (name.to_owned(), inference.show(name).expect("as expected")))
        .collect()
}

fn outcome(text: &str) -> Result<BTreeMap<String, String>, InferError> {
    infer(&read(text)).map(|inference| flat_shapes(&inference))
}

static INFERRED: AtomicU64 = AtomicU64::new(0);

#[test]
fn closed_shapes_satisfy_every_constraint() {
    sampled("closed_shapes_satisfy_every_constraint", 30_000, |program: AnyProgram| {
        let text = program.text();
        let program = read(&text);
        match infer(&program) {
            Err(error) => !error.render(&text).is_empty(),
            Ok(inference) => {
                INFERRED.fetch_add(1, Ordering::Relaxed);
                is_solution(&inference) && goes_on(&program, &inference)
            }
        }
    });
    let inferred = INFERRED.load(Ordering::Relaxed);
    println!("closed_shapes_satisfy_every_constraint: {inferred} of 30,000 programs have shapes");
    assert!(inferred >= 10_000, "{inferred} of 30,000 programs have shapes: too few to say anything");
}

#[test]
fn programs_are_read_back_as_printed() {
    sampled("programs_are_read_back_as_printed", 10_000, |program: AnyProgram| {
        let parsed = read(&program.text());
        let (text, again) = parsed.placed().expect("as expected");
        let json = serde_json::to_string(&parsed).expect("JSON");
        again == parsed && again.to_string() == text && serde_json::from_str::<Program>(&json).expect("JSON") == parsed
    });
}

#[test]
fn names_do_not_matter() {
    sampled("names_do_not_matter", 10_000, |program: AnyProgram| {
        let text = program.text();
        // Tensors are x0, y0, w0 …: other letters, in another order of the alphabet.
        let mut renamed = String::new();
        let mut quoted = false;
        for (i, c) in text.char_indices() {
            quoted ^= c == '"';
            let next = text[i + 1..].chars().next().unwrap_or(' ');
            renamed.push(match c {
                'x' | 'y' | 'w' if !quoted && next.is_ascii_digit() => match c {
                    'x' => 'v',
                    'y' => 'b',
                    _ => 'a',
                },
                c => c,
            });
        }
        let shapes = |text: &str| outcome(text).ok().map(|shapes| shapes.into_values().collect::<Vec<_>>());
        let sorted = |text: &str| {
            let mut shapes = shapes(text);
            shapes.iter_mut().for_each(|s| s.sort());
            shapes
        };
        sorted(&text) == sorted(&renamed)
    });
}

/// Statements in another order: the same shapes, but for the few programs of spec/findings/F16.md.
#[test]
fn the_order_of_statements() {
    static SAME: AtomicU64 = AtomicU64::new(0);
    static OTHER: AtomicU64 = AtomicU64::new(0);
    static ONE: AtomicU64 = AtomicU64::new(0);
    sampled("the_order_of_statements", 100_000, |program: AnyProgram| {
        let (first, second) = (program.text(), program.reordered());
        match (outcome(&first), outcome(&second)) {
            (Ok(a), Ok(b)) => {
                let counter = if a == b { &SAME } else { &OTHER };
                counter.fetch_add(1, Ordering::Relaxed);
                // Where markers stand matters only to slices and to axes before an ellipsis.
                a == b
                    || first.contains("@|")
                    || first.contains("->i")
                    || first.contains("|i")
                    || first.contains("->...i")
            }
            (Err(_), Err(_)) => true,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => {
                ONE.fetch_add(1, Ordering::Relaxed);
                true
            }
        }
    });
    let [same, other, one] = [&SAME, &OTHER, &ONE].map(|n| n.load(Ordering::Relaxed));
    println!("the_order_of_statements: the same shapes {same}, other shapes {other}, shapes in one order only {one}");
    assert!(same >= 40_000, "too few programs have shapes");
    assert!(other + one <= 100, "the order matters more often than spec/findings/F16.md says");
}

#[test]
fn finding_a_slice_makes_the_order_of_statements_matter() {
    let shapes = |middle: &str| {
        let text = format!("input x: 3 | 2\ninput y\n{middle}let z = x + y\n");
        inferred(&text).show("z").expect("as expected")
    };
    let (slice, einsum) = ("let s = y @| t\n", "let e = x +* \"...|...; ...|... => ...|...\" y\n");
    assert_eq!(shapes(&format!("{einsum}{slice}")), "3 | 2");
    assert_eq!(shapes(&format!("{slice}{einsum}")), "3, 3 | 2");
}

/// A program whose inputs all have one batch axis, or one more in front of it.
fn with_batch(program: &AnyProgram, batch: &str) -> String {
    let line = |(name, text, uses): &(String, String, Vec<String>)| {
        let declared = uses.is_empty();
        match text.split_once(": ").filter(|_| declared) {
            Some((head, shape)) if !head.starts_with("param") => {
                let rest = shape.split_once(" | ").map_or(shape, |(_, rest)| rest);
                format!("{head}: {batch} | {rest}\n")
            }
            _ if declared => format!("param {name}: ... -> ...\n"),
            _ => text.clone() + "\n",
        }
    };
    program.statements.iter().map(line).collect()
}

#[test]
fn a_batch_axis_in_front_changes_only_batch_rows() {
    static COMPARED: AtomicU64 = AtomicU64::new(0);
    sampled("a_batch_axis_in_front_changes_only_batch_rows", 30_000, |mut program: AnyProgram| {
        // A slice takes the axis in front: that is the one thing that is not written with `...`.
        program.statements.retain(|s| !s.1.contains("@|"));
        let names: Vec<String> = program.statements.iter().map(|s| s.0.clone()).collect();
        while let Some(i) = program.statements.iter().position(|s| s.2.iter().any(|used| !names.contains(used))) {
            program.statements.remove(i);
        }
        let known: Vec<String> = program.statements.iter().map(|s| s.0.clone()).collect();
        if program.statements.iter().any(|s| s.2.iter().any(|used| !known.contains(used))) {
            return true;
        }
        let (plain, batched) = (with_batch(&program, "5"), with_batch(&program, "7, 5"));
        let (Ok(plain), Ok(batched)) = (infer(&read(&plain)), infer(&read(&batched))) else {
            return infer(&read(&plain)).is_err() == infer(&read(&batched)).is_err();
        };
        COMPARED.fetch_add(1, Ordering::Relaxed);
        plain.named().into_iter().all(|(name, before)| {
            let after = batched.shape(name).expect("as expected");
            let in_front =
                before.batch.rank() + 1 == after.batch.rank() && after.batch.flat().skip(1).eq(before.batch.flat());
            before.input.flat_eq(&after.input)
                && before.output.flat_eq(&after.output)
                && (before.batch.flat_eq(&after.batch) || in_front)
        })
    });
    let compared = COMPARED.load(Ordering::Relaxed);
    println!("a_batch_axis_in_front_changes_only_batch_rows: {compared} programs have shapes");
    assert!(compared >= 5_000, "{compared}: too few to say anything");
}
