//! Kernels that numpy runs too: programs that read tensors filled with numbers and end in one operation.

use crate::{Outcome, Timed, clocked};
use lozenge::interp::{Fill, Inputs, Options, Value, dims, run};
use lozenge::program::generate::{Role, TensorId};
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::{Projected, project_all};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;

/// The kernels, by name. What they compute is `c`.
const KERNELS: [(&str, &str); 13] = [
    ("matmul-256", "input a: 256, 256\ninput b: 256, 256\nlet c = a +* \"ij; jk => ik\" b\n"),
    ("matmul-32", "input a: 32, 32\ninput b: 32, 32\nlet c = a +* \"ij; jk => ik\" b\n"),
    ("attention-scores", "input q: 2, 4, 128, 64\ninput k: 2, 4, 128, 64\nlet c = q +* \"bhqd; bhkd => bhqk\" k\n"),
    (
        "three-operands-64",
        "input a: 64, 64\ninput b: 64, 64\ninput d: 64, 64\n{ c } =:+ mul3 a b d ~logic:\"ij; jk; kl => il\"\n",
    ),
    (
        "convolution-3x3",
        "input x: 4 | 32, 32, 16\ninput w: 3, 3, 16 -> 16\n\
         let c = x +* \"...| h<+k, w<+l, i; k, l, i -> o => ...| h, w, o\" w\n",
    ),
    (
        "padded-convolution-3x3",
        "input x: 4 | 32, 32, 16\ninput w: 3, 3, 16 -> 16\n\
         let c = x +* \"...| h=+k, w=+l, i; k, l, i -> o => ...| h, w, o\" w\n",
    ),
    (
        "strided-convolution-3x3",
        "input x: 4 | 32, 32, 16\ninput w: 3, 3, 16 -> 16\n\
         let c = x +* \"...| 2*h=+k, 2*w=+l, i; k, l, i -> o => ...| h, w, o\" w\n",
    ),
    (
        "dilated-convolution-3x3",
        "input x: 4 | 32, 32, 16\ninput w: 3, 3, 16 -> 16\n\
         let c = x +* \"...| h<+2*k, w<+2*l, i; k, l, i -> o => ...| h, w, o\" w\n",
    ),
    (
        "max-pooling-2x2",
        "input x: 8 | 64, 64, 16\n\
         let c = x @^^ \"...| 2*h<+k, 2*w<+l, i => ...| h, w, i\" [\"k\"; \"l\"]\nk = 2\nl = 2\n",
    ),
    (
        "mean-pooling-2x2",
        "input x: 8 | 64, 64, 16\n\
         let c = (x ++ \"...| 2*h<+k, 2*w<+l, i => ...| h, w, i\" [\"k\"; \"l\"]) /. 4\nk = 2\nl = 2\n",
    ),
    (
        "small-max-pooling-2x2",
        "input x: 16, 16, 4\nlet c = x @^^ \"2*h<+k, 2*w<+l, i => h, w, i\" [\"k\"; \"l\"]\nk = 2\nl = 2\n",
    ),
    (
        "concatenation",
        "input a: 64, 64, 64\ninput b: 64, 32, 64\nlet c = (a, b) ++^ \"n, i, d; n, j, d => n, i^j, d\"\n",
    ),
    (
        "small-concatenation",
        "input a: 8, 8, 8\ninput b: 8, 4, 8\nlet c = (a, b) ++^ \"n, i, d; n, j, d => n, i^j, d\"\n",
    ),
];

/// How a kernel runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// By its plan.
    Plan,
    /// As the definition says.
    Definition,
    /// By its plan, with the gradients of the sum of its cells for all that it reads.
    Gradient,
}

/// The kernels that were asked for, and their tensors: like an array of a peer, they are made once.
#[derive(Default)]
pub struct Kernels(BTreeMap<(String, How), Kernel>);

struct Kernel {
    inferred: Inference,
    nests: Vec<Projected>,
    inputs: BTreeMap<TensorId, Value<f64>>,
    options: Options,
}

impl Kernels {
    /// One run of a kernel, over the tensors that it was made with.
    pub fn run_once(&mut self, name: &str, how: How) -> Outcome {
        let Kernel { inferred, nests, inputs, options } = match self.0.entry((name.to_owned(), how)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Kernel::new(name, how)?),
        };
        let given = Inputs { values: std::mem::take(inputs), ..Inputs::default() };
        let (seconds, mut ran) = clocked(|| run(inferred, nests, given, options));
        let values = &mut ran.as_mut().map_err(|error| error.to_string())?.values;
        *inputs = options.wrt.iter().filter_map(|id| Some((*id, values[*id].take()?))).collect();
        let points = nests.iter().map(|nest| nest.record.points()).sum::<u128>();
        Ok(Timed { seconds, count: Some(usize::try_from(points)?) })
    }
}

impl Kernel {
    fn new(name: &str, how: How) -> Result<Kernel, Box<dyn Error>> {
        let found = KERNELS.iter().find(|(known, _)| *known == name);
        let (_, text) = found.ok_or_else(|| format!("no kernel {name}"))?;
        let loss = if how == How::Gradient { "let loss = c ++ \"...|...->... => 0\"\n" } else { "" };
        let inferred = infer(&parse(&format!("{text}{loss}"))?)?;
        let nests = project_all(&inferred)?;
        let mut inputs = BTreeMap::new();
        for (id, _) in inferred.generated.tensors.iter().enumerate().filter(|(_, t)| t.role == Role::Input) {
            let value = Value::filled(dims(&inferred, id), &Fill::range(-1.0, 1.0 / 1024.0))?;
            inputs.insert(id, value.ok_or("too large")?);
        }
        let options = Options {
            naive: how == How::Definition,
            grad: inferred.generated.tensor("loss"),
            wrt: inputs.keys().copied().collect(),
            ..Options::default()
        };
        Ok(Kernel { inferred, nests, inputs, options })
    }
}
