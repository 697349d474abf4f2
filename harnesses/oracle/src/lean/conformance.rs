//! `Ranged/Conformance.lean`: what the functions in Rust answer on small cases, for Lean to check against its own.

use lozenge::ranged::memory::{Bounds, bytes, elements};
use lozenge::ranged::training::{Optimizer, TrainingMemory};
use lozenge::ranged::{Context, Dim, Range, Shape, Size, ops, unify_dims};

const NAMES: [&str; 2] = ["a", "b"];

/// Two variables.
fn context() -> Context {
    let mut context = Context::new();
    context.fresh_var();
    context.fresh_var();
    context
}

/// Dimensions of all five kinds.
fn dims() -> Vec<Dim> {
    let size = |n: u64| Size::MIN.saturating_add(n - 1);
    let range = |lo, hi: Option<u64>| Range::new(size(lo), hi.map(size)).unwrap_or(Range::ANY);
    let mut dims: Vec<Dim> = [1, 2, 3].map(|n| Dim::Literal(size(n))).to_vec();
    dims.extend((0..context().variables()).filter_map(|i| context().variable(i)));
    dims.extend([(1, None), (1, Some(2)), (2, Some(3))].map(|(lo, hi)| Dim::named(NAMES[0], range(lo, hi))));
    dims.push(Dim::named(NAMES[1], range(2, Some(2))));
    dims.extend([Dim::Dynamic, Dim::Broadcast]);
    dims
}

fn option(n: Option<impl ToString>) -> String {
    n.map_or_else(|| "none".to_owned(), |n| format!("(some {})", n.to_string()))
}

fn dim(dim: &Dim) -> String {
    match dim {
        Dim::Literal(v) => format!("(.literal {v})"),
        Dim::Var(var) => format!("(.variable {})", var.id()),
        Dim::Named(name, range) => {
            let number = NAMES.iter().position(|n| **n == **name).unwrap_or(NAMES.len());
            format!("(.named {number} {} {})", range.lo(), option(range.hi()))
        }
        Dim::Dynamic => ".dynamic".to_owned(),
        Dim::Broadcast => ".broadcast".to_owned(),
    }
}

fn shape(shape: &Shape) -> String {
    format!("[{}]", shape.0.iter().map(dim).collect::<Vec<_>>().join(", "))
}

/// What Rust answers: the variable that changed, if one did.
fn answer(x: &Dim, y: &Dim) -> String {
    let mut after = context();
    let Ok(d) = unify_dims(&mut after, x, y) else { return ".failure".to_owned() };
    let before = context();
    let vars = (0..before.variables()).filter_map(|i| before.variable(i));
    let narrowed = |v: &Dim| Some(after.resolve(v)).filter(|now| now != v);
    match vars.into_iter().find_map(|v| narrowed(&v).map(|to| (v, to))) {
        Some((Dim::Var(var), to)) => format!(".bind {} {}", var.id(), dim(&to)),
        _ => format!(".success {}", dim(&after.resolve(&d))),
    }
}

fn bounds(b: Bounds) -> String {
    format!("⟨{}, {}⟩", b.min, option(b.max))
}

/// The document's worked example: two layers, Adam, the largest activation.
fn worked_example() -> Option<TrainingMemory> {
    let mut context = context();
    let mut read = |text| Shape::parse(text, &mut context).ok();
    let (first, second, activation) = (read("[784, 256]")?, read("[256, 10]")?, read("[batch:1..64, 256]")?);
    let parameters = bytes(&first, 4).ok()?.plus(bytes(&second, 4).ok()?).ok()?;
    TrainingMemory::new(parameters, Optimizer::Adam, bytes(&activation, 4).ok()?).ok()
}

/// The file.
pub fn text() -> String {
    let mut text = "\
import Ranged.Definitions

/-
Ranged dimensions: what core/ranged answers on small cases, checked by evaluation. Written by `lozenge lean`; do
not edit. The names are 0 and 1.
-/
set_option autoImplicit false

namespace Ranged

/-! ### Unification: every pair of eleven dimensions -/

"
    .to_owned();
    let dims = dims();
    for x in &dims {
        for y in &dims {
            text += &format!("example : unifyDim (ν := Nat) {} {} = {} := rfl\n", dim(x), dim(y), answer(x, y));
        }
    }
    text += "\n/-! ### Matrix products, with each dimension in the middle -/\n\n";
    for k in &dims {
        let two = dims[1].clone();
        let (left, right) = (Shape(vec![two.clone(), k.clone()]), Shape(vec![two.clone(), k.clone()]));
        let mut context = context();
        let product = ops::matmul(&mut context, &left, &right).ok().map(|s| shape(&context.resolve_shape(&s)));
        let (left, right) = (shape(&left), shape(&right));
        text += &format!("example : matmulShape (ν := Nat) {left} {right} = {} := rfl\n", option(product));
    }
    text += "\n/-! ### Elements, of each dimension with 3 -/\n\n";
    for d in &dims {
        let both = Shape(vec![d.clone(), dims[2].clone()]);
        let Ok(Bounds { min, max }) = elements(&both) else { continue };
        let both = shape(&both);
        text += &format!("example : minElements (ν := Nat) {both} = {min} := rfl\n");
        text += &format!("example : maxElements (ν := Nat) {both} = {} := rfl\n", option(max));
    }
    text += "\n/-! ### The worked example: two layers, Adam, the largest activation -/\n\n";
    if let Some((tm, total)) = worked_example().and_then(|tm| Some((tm, tm.total().ok()?))) {
        let parts = [tm.parameters, tm.gradients, tm.optimizer, tm.activations].map(bounds).join(", ");
        text += &format!("example : TrainingMemory.total ⟨{parts}⟩ = {} := rfl\n", bounds(total));
    }
    text + "\nend Ranged\n"
}
