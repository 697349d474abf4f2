//! Programs that can also be said in NumPy or JAX, made at random.

use crate::root;
use lozenge::interp::{Fill, Inputs, Options, Outcome, Value, dims, run};
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::{Projected, project_all};
use lozenge_harnesses::programs::Numbers;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

/// The Python of an environment with tests/world/requirements.txt, made if it is not there.
///
/// # Panics
/// Where it cannot be made: a comparison is not skipped.
#[must_use]
pub fn python() -> PathBuf {
    environment("world")
}

/// The Python of an environment with tests/NAME/requirements.txt, made if it is not there.
///
/// Tests run as processes side by side: the first one makes it, the others wait.
///
/// # Panics
/// Where it cannot be made: what needs it is not skipped.
#[must_use]
pub fn environment(name: &str) -> PathBuf {
    let target = root().join("target");
    let folder = target.join(name);
    let (python, stamp) = (folder.join("bin/python"), folder.join("installed.txt"));
    let requirements = root().join("tests").join(name).join("requirements.txt");
    std::fs::create_dir_all(&target).expect("the folder of build products");
    let lock = File::create(target.join(format!("{name}.lock"))).expect("a lock");
    lock.lock().expect("the lock");
    let wanted = std::fs::read_to_string(&requirements).expect("a list of packages");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return python;
    }
    let run = |command: &mut Command| {
        let status = command.status().expect("python3 with its venv module: install python3 and python3-venv");
        assert!(status.success(), "{command:?} failed: python3, its venv module and a package index are needed");
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements));
    std::fs::write(&stamp, wanted).expect("a stamp");
    python
}

/// A program with its shapes and loops.
///
/// # Panics
/// When the text is no program whose shapes fit.
#[must_use]
pub fn prepared(text: &str) -> (Inference, Vec<Projected>) {
    let program = parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let inferred = infer(&program).unwrap_or_else(|e| panic!("{}", e.render(text)));
    let nests = project_all(&inferred).unwrap_or_else(|e| panic!("{e}: {text}"));
    (inferred, nests)
}

/// The tensors x0, x1, … of a program.
///
/// # Panics
/// When one is missing.
#[must_use]
pub fn operands(inferred: &Inference, count: usize) -> Vec<usize> {
    (0..count).map(|i| inferred.generated.tensor(&format!("x{i}")).expect("an operand")).collect()
}

/// Random data for these tensors.
///
/// # Panics
/// When a tensor is too large.
pub fn data(inferred: &Inference, ids: &[usize], numbers: &mut Numbers, cell: fn(usize) -> f64) -> Inputs<f64> {
    let mut values = BTreeMap::new();
    for id in ids {
        let dims = dims(inferred, *id);
        let count = usize::try_from(dims.iter().product::<u64>()).expect("small");
        values.insert(*id, Value { dims, data: (0..count).map(|_| cell(numbers.below(1000))).collect() });
    }
    Inputs { values, fill: Some(Fill::Constant(1.0.into())), externals: BTreeMap::new() }
}

/// Runs a program and takes the gradients of one tensor.
///
/// # Panics
/// When it does not run.
#[must_use]
pub fn ran(inferred: &Inference, nests: &[Projected], inputs: Inputs<f64>, grad: Option<&str>) -> Outcome<f64> {
    let grad = grad.and_then(|name| inferred.generated.tensor(name));
    run(inferred, nests, inputs, &Options { grad, ..Options::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// `{"dims", "data"}`.
#[must_use]
pub fn value_json(value: &Value<f64>) -> Json {
    json!({ "dims": value.dims, "data": value.data })
}

/// A random einsum of one to three operands: the program, NumPy's specification, and how many operands it has.
pub fn einsum(numbers: &mut Numbers) -> (String, String, usize) {
    let count = 1 + numbers.below(3);
    let sizes: Vec<usize> = (0..6).map(|_| 1 + numbers.below(4)).collect();
    let letters = ["i", "j", "k", "l", "m", "n"];
    // The same further axes wherever there is an ellipsis: ours are one row.
    let further: Vec<usize> = (0..numbers.below(3)).map(|_| 1 + numbers.below(3)).collect();
    let mut slots: Vec<(Vec<usize>, bool)> = Vec::new();
    for _ in 0..count {
        let rank = numbers.below(if count == 3 { 3 } else { 4 });
        // Few labels, so that some are repeated and diagonals are read.
        slots.push(((0..rank).map(|_| numbers.below(6)).collect(), numbers.percent(40)));
    }
    let used: Vec<usize> = (0..6).filter(|l| slots.iter().any(|(labels, _)| labels.contains(l))).collect();
    let mut result: Vec<usize> = used.iter().copied().filter(|_| numbers.percent(50)).collect();
    for i in (1..result.len()).rev() {
        result.swap(i, numbers.below(i + 1));
    }
    // NumPy keeps an ellipsis that an operand has.
    let ellipsis = slots.iter().any(|(_, open)| *open);
    let text = |labels: &[usize], open: bool| {
        let labels: String = labels.iter().map(|l| letters[*l]).collect();
        if open { format!("...{labels}") } else { labels }
    };
    let numpy: Vec<String> = slots.iter().map(|(labels, open)| text(labels, *open)).collect();
    let numpy = format!("{}->{}", numpy.join(","), text(&result, ellipsis));
    // A slot without axes is written as a size-one axis at 0.
    let ours =
        |labels: &[usize], open: bool| if labels.is_empty() && !open { "0".to_owned() } else { text(labels, open) };
    let spec: Vec<String> = slots.iter().map(|(labels, open)| ours(labels, *open)).collect();
    let spec = format!("{} => {}", spec.join("; "), ours(&result, ellipsis));
    let mut program = String::new();
    for (i, (labels, open)) in slots.iter().enumerate() {
        let axes = labels.iter().map(|l| sizes[*l]);
        let axes: Vec<String> = further.iter().copied().filter(|_| *open).chain(axes).map(|n| n.to_string()).collect();
        let axes = if axes.is_empty() && !open { "1".to_owned() } else { axes.join(", ") };
        program += &format!("input x{i}: {}\n", if axes.is_empty() { "->" } else { &axes });
    }
    program += &match count {
        1 => format!("let y = x0 ++ \"{spec}\"\n"),
        2 => format!("let y = x0 +* \"{spec}\" x1\n"),
        _ => format!("let y = (x0, x1, x2) +* \"{spec}\"\n"),
    };
    (program, numpy, count)
}

/// A random pointwise operation with broadcasting: the program, the NumPy expression, and how many operands it has.
pub fn pointwise(numbers: &mut Numbers) -> (String, String, usize) {
    let full: Vec<usize> = (0..1 + numbers.below(3)).map(|_| 2 + numbers.below(3)).collect();
    let (ours, numpy, count) = [
        ("x0 + x1", "x0 + x1", 2),
        ("x0 - x1", "x0 - x1", 2),
        ("x0 *. x1", "x0 * x1", 2),
        ("x0 /. x1", "x0 / x1", 2),
        ("x0 < x1", "x0 < x1", 2),
        ("x0 = x1", "x0 == x1", 2),
        ("x0 <> x1", "x0 != x1", 2),
        ("max x0 x1", "np.maximum(x0, x1)", 2),
        ("min x0 x1", "np.minimum(x0, x1)", 2),
        ("x0 && x1", "np.logical_and(x0, x1)", 2),
        ("x0 || x1", "np.logical_or(x0, x1)", 2),
        ("relu_gate x0 x1", "np.where(x0 > 0, x1, 0)", 2),
        ("where x0 x1 x2", "np.where(x0 != 0, x1, x2)", 3),
        ("mul3 x0 x1 x2", "x0 * x1 * x2", 3),
        ("relu x0", "np.maximum(x0, 0)", 1),
        ("-x0", "-x0", 1),
        ("recip x0", "1 / x0", 1),
        ("not x0", "x0 == 0", 1),
        ("sqrt (x0 *. x0)", "np.sqrt(x0 * x0)", 1),
    ][numbers.below(19)];
    let mut program = String::new();
    for i in 0..count {
        // Axes missing in front, and axes of one element that stretch.
        let from = if i == 0 { 0 } else { numbers.below(full.len() + 1) };
        let axis = |n: &usize, stretch: bool| if stretch { "unit".to_owned() } else { n.to_string() };
        let axes: Vec<String> = full[from..].iter().map(|n| axis(n, i > 0 && numbers.percent(25))).collect();
        let shape = if axes.is_empty() { "->".to_owned() } else { axes.join(", ") };
        program += &format!("input x{i}: {shape}\n");
    }
    (format!("{program}let y = {ours}\n"), numpy.to_owned(), count)
}

/// A random differentiable program over matrices x0: 3, 4, x1: 4, 3 and vectors x2: 4, x3: 3; with the JAX expression
/// whose sum is its loss.
pub fn differentiable(numbers: &mut Numbers) -> (String, String) {
    let depth = 2 + numbers.below(3);
    let ((ours, jax), _) = matrix(numbers, depth, (3, 4));
    let program = format!(
        "param x0: 3, 4\nparam x1: 4, 3\nparam x2: 4\nparam x3: 3\nlet y = {ours}\nlet loss = y ++ \"... => 0\"\n"
    );
    (program, jax)
}

type Said = (String, String);

/// A matrix of this shape, 3×4 or 4×3, as text for us and for JAX.
fn matrix(numbers: &mut Numbers, depth: usize, shape: (usize, usize)) -> (Said, (usize, usize)) {
    let said = |ours: String, jax: String| (ours, jax);
    if depth == 0 {
        let name = if shape == (3, 4) { "x0" } else { "x1" };
        return (said(name.to_owned(), name.to_owned()), shape);
    }
    let same = |numbers: &mut Numbers| matrix(numbers, depth - 1, shape).0;
    let (a, b) = (same(numbers), same(numbers));
    let (o, j) = (&a.0, &a.1);
    let (p, q) = (&b.0, &b.1);
    let turned = matrix(numbers, depth - 1, (shape.1, shape.0)).0;
    let vector = if shape.1 == 4 { "x2" } else { "x3" };
    let column = if shape.0 == 4 { "x2" } else { "x3" };
    let made = match numbers.below(21) {
        0 => said(format!("({o} + {p})"), format!("({j} + {q})")),
        1 => said(format!("({o} - {p})"), format!("({j} - {q})")),
        2 => said(format!("({o} *. {p})"), format!("({j} * {q})")),
        3 => said(format!("({o} /. ({p} *. {p} + 1))"), format!("({j} / ({q} * {q} + 1))")),
        4 => said(format!("(tanh {o})"), format!("jnp.tanh({j})")),
        5 => said(format!("(sin {o})"), format!("jnp.sin({j})")),
        6 => said(format!("(cos {o})"), format!("jnp.cos({j})")),
        7 => said(format!("(exp (0.1 *. {o}))"), format!("jnp.exp(0.1 * {j})")),
        8 => said(format!("(log ({o} *. {o} + 1))"), format!("jnp.log({j} * {j} + 1)")),
        9 => said(format!("(sqrt ({o} *. {o} + 1))"), format!("jnp.sqrt({j} * {j} + 1)")),
        10 => said(format!("(recip ({o} *. {o} + 2))"), format!("(1 / ({j} * {j} + 2))")),
        11 => said(format!("(relu {o})"), format!("jnp.maximum({j}, 0)")),
        12 => said(format!("(where ({o} < {p}) (2 *. {o}) {p})"), format!("jnp.where({j} < {q}, 2 * {j}, {q})")),
        13 => said(format!("(max {o} {p})"), format!("jnp.maximum({j}, {q})")),
        14 => said(format!("(({o} *. {o} + 1) **. 1.5)"), format!("(({j} * {j} + 1) ** 1.5)")),
        15 => said(format!("({o} *. {vector})"), format!("({j} * {vector})")),
        16 => {
            let (t, u) = (&turned.0, &turned.1);
            said(format!("({t} ++ \"ij => ji\")"), format!("jnp.transpose({u})"))
        }
        17 => {
            let (t, u) = (&turned.0, &turned.1);
            // A product of three keeps the shape: a b c with b turned.
            let ours = format!("({o}, {t}, {p}) +* \"ij; jk; kl => il\"");
            let ours = format!("({ours})");
            said(ours, format!("jnp.einsum('ij,jk,kl->il', {j}, {u}, {q})"))
        }
        18 => said(format!("({o} +* \"ij; i => ij\" ({column} ++ \"i => i\"))"), format!("({j} * {column}[:, None])")),
        19 => said(
            format!("(({o} @^^ \"ij => j\") +* \"j; ij => ij\" {p})"),
            format!("(jnp.max({j}, axis=0)[None, :] * {q})"),
        ),
        _ => {
            let (t, u) = (&turned.0, &turned.1);
            let ours = format!("(({o} @^+ \"ij; jk => ik\" {t}) +* \"ij; jk => ik\" {p})");
            let tropical = format!("jnp.max({j}[:, :, None] + {u}[None, :, :], axis=1)");
            said(ours, format!("jnp.einsum('ij,jk->ik', {tropical}, {q})"))
        }
    };
    (made, shape)
}
