//! The small universe of ranged dimensions, what dimensions mean in it, and the document's own algorithm.

pub mod document;

use crate::domains::pick;
use bolero::generator::bolero_generator::{Driver, TypeGenerator};
use lozenge::ranged::{Context, Dim, Range, Shape, Size};
use std::sync::LazyLock;

/// How many inference variables there are: α and β.
pub const VARIABLES: usize = 2;
/// The largest size of an axis in the universe: one more than any end of a range, so that "no upper end" is seen.
pub const LARGEST: u64 = 4;

fn size(n: u64) -> Size {
    Size::new(n).expect("one or more")
}

/// The literal n.
#[must_use]
pub fn literal(n: u64) -> Dim {
    Dim::Literal(size(n))
}

/// A name with lo..hi.
#[must_use]
pub fn named(name: &str, lo: u64, hi: Option<u64>) -> Dim {
    Dim::named(name, Range::new(size(lo), hi.map(size)).expect("a range"))
}

/// A context with α and β.
#[must_use]
pub fn context() -> Context {
    let mut context = Context::new();
    for name in ["alpha", "beta"] {
        context.named_var(name);
    }
    context
}

/// α or β.
#[must_use]
pub fn variable(i: u32) -> Dim {
    context().variable(i).expect("α or β")
}

/// All five kinds: three literals, two variables, two names with several ranges, Dynamic, Broadcast.
pub static DIMS: LazyLock<Vec<Dim>> = LazyLock::new(|| {
    vec![
        literal(1),
        literal(2),
        literal(3),
        variable(0),
        variable(1),
        named("a", 1, None),
        named("a", 1, Some(2)),
        named("a", 2, Some(3)),
        named("a", 3, None),
        named("b", 1, None),
        named("b", 2, Some(2)),
        Dim::Dynamic,
        Dim::Broadcast,
    ]
});

/// Every shape over [`DIMS`] of at most this rank.
#[must_use]
pub fn shapes(dims: &[Dim], rank: usize) -> Vec<Shape> {
    let mut all = vec![Shape::default()];
    let mut last = all.clone();
    for _ in 0..rank {
        last = last
            .iter()
            .flat_map(|s| dims.iter().map(|d| Shape([s.0.as_slice(), std::slice::from_ref(d)].concat())))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Any dimension of the universe.
#[derive(Clone, Copy, Debug)]
pub struct ARanged(pub &'static Dim);

impl TypeGenerator for ARanged {
    fn generate<D: Driver>(driver: &mut D) -> Option<Self> {
        pick(driver, &DIMS).map(ARanged)
    }
}

/// D2: an axis, as it is at run time: a size and a label.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    /// The size.
    pub size: u64,
    /// The label.
    pub label: Option<&'static str>,
}

/// Every axis of the universe: sizes to [`LARGEST`], labels a, b and none.
pub static AXES: LazyLock<Vec<Axis>> = LazyLock::new(|| {
    let labels = [None, Some("a"), Some("b")];
    labels.into_iter().flat_map(|label| (1..=LARGEST).map(move |size| Axis { size, label })).collect()
});

/// What the variables are.
pub type Env = [Axis; VARIABLES];

/// Every environment.
pub static ENVS: LazyLock<Vec<Env>> =
    LazyLock::new(|| AXES.iter().flat_map(|a| AXES.iter().map(|b| [*a, *b])).collect());

/// D2: does a dimension stand for an axis?
#[must_use]
pub fn means(dim: &Dim, env: &Env, axis: Axis) -> bool {
    match dim {
        Dim::Literal(v) => axis.size == v.get(),
        Dim::Var(var) => env.get(var.id() as usize) == Some(&axis),
        Dim::Named(name, range) => {
            axis.label == Some(&**name) && Size::new(axis.size).is_some_and(|size| range.contains(size))
        }
        Dim::Dynamic | Dim::Broadcast => true,
    }
}

/// Does an environment agree with what a context knows of α and β?
#[must_use]
pub fn agrees(context: &Context, env: &Env) -> bool {
    env.iter().enumerate().all(|(i, axis)| {
        let var = context.variable(u32::try_from(i).expect("two variables")).expect("α or β");
        means(&context.representative(&var), env, *axis) && means(&context.resolve(&var), env, *axis)
    })
}

/// Everything that a context says of α and β.
#[must_use]
pub fn known(context: &Context) -> Vec<(Dim, Dim)> {
    let vars = (0..context.variables()).filter_map(|i| context.variable(i));
    vars.map(|v| (context.representative(&v), context.resolve(&v))).collect()
}

/// The orders of three things.
pub const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
