//! What a program is translated to first: steps on whole arrays, each with the sizes of its result.
//!
//! Steps that would change nothing are not made.

use lozenge::program::ast::{Accumulate, BinaryOp, UnaryOp};
use lozenge::program::generate::TensorId;

/// The number of a node.
pub type Id = usize;

/// How the values of one cell join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    Sum,
    Product,
    Max,
    Min,
}

impl Fold {
    /// The reduction behind an accumulation; none where values cannot join in any order.
    pub fn of(accumulate: Accumulate) -> Option<Self> {
        match accumulate {
            Accumulate::Add | Accumulate::Sub => Some(Fold::Sum),
            Accumulate::Mul | Accumulate::Div => Some(Fold::Product),
            Accumulate::Max | Accumulate::Or => Some(Fold::Max),
            Accumulate::Min | Accumulate::And => Some(Fold::Min),
            Accumulate::Replace | Accumulate::Pow => None,
        }
    }

    /// The same for two arrays.
    pub fn binary(self) -> BinaryOp {
        match self {
            Fold::Sum => BinaryOp::Add,
            Fold::Product => BinaryOp::Mul,
            Fold::Max => BinaryOp::Max,
            Fold::Min => BinaryOp::Min,
        }
    }
}

/// Σ factor · axis + offset, over axes of an array: the index at which a cell is written along axis `at`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub at: usize,
    pub terms: Vec<(u64, usize)>,
    pub offset: i64,
}

/// A convolution, axes in the order batch, channels, space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conv {
    pub strides: Vec<u64>,
    pub dilations: Vec<u64>,
    pub before: Vec<u64>,
    pub after: Vec<u64>,
}

/// One step. Sizes that it does not name are those of its result.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A tensor from outside.
    Leaf(TensorId),
    /// An index from outside.
    Index(String),
    /// These cells.
    Constant(Vec<f64>),
    /// The same number in every cell.
    Full(f64),
    /// 0, 1, 2, …
    Range,
    /// Axis i of the result is this axis of the operand.
    Transpose(Vec<usize>),
    /// Takes these axes of size 1 away.
    Squeeze(Vec<usize>),
    /// The result has size 1 at these axes, and the operand does not have them.
    Unsqueeze(Vec<usize>),
    /// The same cells in other axes.
    Reshape,
    /// Repeats what has size 1.
    Expand,
    /// Further cells around.
    Pad { before: Vec<u64>, after: Vec<u64>, value: f64 },
    /// Every `step`-th element of an axis, from `start` on.
    Cut { axis: usize, start: u64, step: u64 },
    /// One element of an axis, which is gone then.
    Pick { axis: usize, at: u64 },
    /// The same at an index from outside, the second operand.
    PickAt { axis: usize },
    /// An axis becomes several: it is read at Σ factor · index + offset. Factors with sizes.
    Window { axis: usize, terms: Vec<(u64, u64)>, offset: u64 },
    /// A sum of products.
    Einsum(String),
    /// Element by element.
    Unary(UnaryOp),
    /// Element by element, with broadcasting from the right.
    Binary(BinaryOp),
    /// The second operand where the first is not 0, else the third.
    Where,
    /// Joins what is along these axes, which are gone then.
    Reduce(Fold, Vec<usize>),
    /// One after the other along an axis.
    Concat(usize),
    /// The operand where all these indices are met, else a number. The result has the operand's sizes and those of `at`.
    Select { written: Vec<Written>, otherwise: f64 },
    /// The first operand where the mask holds, else the second.
    Overlay(Vec<bool>),
    /// A convolution.
    Conv(Conv),
}

/// A step with its operands and the sizes of its result.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub step: Step,
    pub args: Vec<Id>,
    pub dims: Vec<u64>,
}

/// The steps in order.
#[derive(Default, Debug)]
pub struct Graph {
    pub nodes: Vec<Node>,
}

/// The sizes of a pointwise result: broadcasting from the right.
fn broadcast(all: &[&[u64]]) -> Vec<u64> {
    let rank = all.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let size = |axis: usize| {
        let of = |dims: &&[u64]| (axis + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
        all.iter().map(of).max().unwrap_or(1)
    };
    (0..rank).map(size).collect()
}

/// How many cells an array of these sizes has.
pub fn cells(dims: &[u64]) -> u128 {
    dims.iter().fold(1, |n, size| n.saturating_mul((*size).into()))
}

impl Graph {
    /// One more node.
    pub fn push(&mut self, step: Step, args: &[Id], dims: Vec<u64>) -> Id {
        self.nodes.push(Node { step, args: args.to_vec(), dims });
        self.nodes.len() - 1
    }

    /// The sizes of a node.
    pub fn dims(&self, id: Id) -> &[u64] {
        &self.nodes[id].dims
    }

    /// The same number in every cell.
    pub fn full(&mut self, value: f64, dims: &[u64]) -> Id {
        self.push(Step::Full(value), &[], dims.to_vec())
    }

    pub fn transpose(&mut self, x: Id, axes: &[usize]) -> Id {
        if axes.iter().copied().eq(0..axes.len()) {
            return x;
        }
        let dims = axes.iter().map(|axis| self.dims(x)[*axis]).collect();
        self.push(Step::Transpose(axes.to_vec()), &[x], dims)
    }

    pub fn squeeze(&mut self, x: Id, axes: &[usize]) -> Id {
        match &self.nodes[x].step {
            _ if axes.is_empty() => return x,
            Step::Unsqueeze(there) if there == axes => return self.nodes[x].args[0],
            _ => {}
        }
        let dims = self.without(x, axes);
        self.push(Step::Squeeze(axes.to_vec()), &[x], dims)
    }

    /// Axes of size 1 at these places of the result, in order.
    pub fn unsqueeze(&mut self, x: Id, axes: &[usize]) -> Id {
        match &self.nodes[x].step {
            _ if axes.is_empty() => return x,
            Step::Squeeze(there) if there == axes => return self.nodes[x].args[0],
            _ => {}
        }
        let mut dims = self.dims(x).to_vec();
        axes.iter().for_each(|axis| dims.insert(*axis, 1));
        self.push(Step::Unsqueeze(axes.to_vec()), &[x], dims)
    }

    pub fn reshape(&mut self, x: Id, dims: Vec<u64>) -> Id {
        if self.dims(x) == dims { x } else { self.push(Step::Reshape, &[x], dims) }
    }

    pub fn expand(&mut self, x: Id, dims: Vec<u64>) -> Id {
        if self.dims(x) == dims { x } else { self.push(Step::Expand, &[x], dims) }
    }

    pub fn pad(&mut self, x: Id, before: Vec<u64>, after: Vec<u64>, value: f64) -> Id {
        if before.iter().chain(&after).all(|n| *n == 0) {
            return x;
        }
        let around = before.iter().zip(&after).map(|(b, a)| b + a);
        let dims = self.dims(x).iter().zip(around).map(|(n, around)| n + around).collect();
        self.push(Step::Pad { before, after, value }, &[x], dims)
    }

    /// `count` elements of an axis.
    pub fn cut(&mut self, x: Id, axis: usize, (start, step, count): (u64, u64, u64)) -> Id {
        if (start, count) == (0, self.dims(x)[axis]) {
            return x;
        }
        let mut dims = self.dims(x).to_vec();
        dims[axis] = count;
        self.push(Step::Cut { axis, start, step }, &[x], dims)
    }

    fn without(&self, x: Id, axes: &[usize]) -> Vec<u64> {
        let kept = self.dims(x).iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        kept.map(|(_, n)| *n).collect()
    }

    pub fn pick(&mut self, x: Id, axis: usize, at: u64) -> Id {
        let dims = self.without(x, &[axis]);
        self.push(Step::Pick { axis, at }, &[x], dims)
    }

    pub fn pick_at(&mut self, x: Id, axis: usize, index: Id) -> Id {
        let dims = self.without(x, &[axis]);
        self.push(Step::PickAt { axis }, &[x, index], dims)
    }

    pub fn window(&mut self, x: Id, axis: usize, terms: Vec<(u64, u64)>, offset: u64) -> Id {
        let mut dims = self.dims(x).to_vec();
        dims.splice(axis..=axis, terms.iter().map(|(_, n)| *n));
        self.push(Step::Window { axis, terms, offset }, &[x], dims)
    }

    pub fn unary(&mut self, op: UnaryOp, x: Id) -> Id {
        let dims = self.dims(x).to_vec();
        self.push(Step::Unary(op), &[x], dims)
    }

    pub fn binary(&mut self, op: BinaryOp, x: Id, y: Id) -> Id {
        let dims = broadcast(&[self.dims(x), self.dims(y)]);
        self.push(Step::Binary(op), &[x, y], dims)
    }

    pub fn where_not_zero(&mut self, c: Id, x: Id, y: Id) -> Id {
        let dims = broadcast(&[self.dims(c), self.dims(x), self.dims(y)]);
        self.push(Step::Where, &[c, x, y], dims)
    }

    pub fn reduce(&mut self, fold: Fold, x: Id, axes: &[usize]) -> Id {
        if axes.is_empty() {
            return x;
        }
        let dims = self.without(x, axes);
        self.push(Step::Reduce(fold, axes.to_vec()), &[x], dims)
    }

    pub fn concat(&mut self, parts: &[Id], axis: usize) -> Id {
        if let [only] = parts {
            return *only;
        }
        let mut dims = self.dims(parts[0]).to_vec();
        dims[axis] = parts.iter().map(|part| self.dims(*part)[axis]).sum();
        self.push(Step::Concat(axis), parts, dims)
    }
}
