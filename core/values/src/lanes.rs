//! Loops over any body, several cells at a time.
//!
//! The innermost loop of a plan is a free one: its cells are different cells, so that some of them, *lanes*, are computed
//! side by side. Each takes all its rounds in their order before the next lanes have their turn.

use super::float::{one, two};
use super::plan::Plan;
use super::point::Point;
use super::scalar::{Scalar, joins};
use super::wide::Wide;
use lozenge_language::ast::{Accumulate, BinaryOp, TernaryOp, UnaryOp};
use std::ops::Range;

/// Cells side by side.
const LANES: usize = 8;
/// The most rounds that are written down; others stay outside.
const MOST: usize = 1 << 16;
/// The most rows that are written down.
const ROWS: usize = 1 << 8;

/// What is computed from N cells that are read, and how it joins what is there.
pub(super) trait Body<const N: usize> {
    /// Is it small enough to be compiled for every kind of register?
    const WIDE: bool;

    /// Both, lane by lane.
    fn joined<const L: usize>(&self, old: [f64; L], reads: [[f64; L]; N]) -> [f64; L];
}

/// A body that the compiler knows.
pub(super) struct Known<V, J>(pub(super) V, pub(super) J);

impl<const N: usize, V: Fn([f64; N]) -> f64, J: Fn(f64, f64) -> f64> Body<N> for Known<V, J> {
    const WIDE: bool = true;

    #[inline(always)]
    fn joined<const L: usize>(&self, old: [f64; L], reads: [[f64; L]; N]) -> [f64; L] {
        // Loops and not functions on arrays, which are not always inlined here.
        let mut joined = old;
        for (k, cell) in joined.iter_mut().enumerate() {
            let mut cells = [0.0; N];
            for (cell, read) in cells.iter_mut().zip(&reads) {
                *cell = read[k];
            }
            *cell = (self.1)(*cell, (self.0)(cells));
        }
        joined
    }
}

/// Any other.
pub(super) struct Any<'a>(pub(super) &'a Point<f64>, pub(super) Accumulate);

impl<const N: usize> Body<N> for Any<'_> {
    const WIDE: bool = false;

    fn joined<const L: usize>(&self, old: [f64; L], reads: [[f64; L]; N]) -> [f64; L] {
        let new = value(self.0, &reads);
        match joins(self.1) {
            None => new,
            Some(op) => both(op, old, new),
        }
    }
}

/// A point's value in all lanes. Operations on floating-point numbers all have results, so that `where` may compute both.
fn value<const L: usize>(point: &Point<f64>, reads: &[[f64; L]]) -> [f64; L] {
    match point {
        Point::Read(i) => reads[*i],
        Point::Number(x) => [*x; L],
        Point::Unary(op, x) => single(*op, value(x, reads)),
        Point::Binary(op, xy) => both(*op, value(&xy[0], reads), value(&xy[1], reads)),
        Point::Ternary(op, xyz) => {
            let [x, y, z] = [0, 1, 2].map(|i| value(&xyz[i], reads));
            match op {
                TernaryOp::Where => std::array::from_fn(|k| if x[k].is_true() { y[k] } else { z[k] }),
                TernaryOp::Fma => both(BinaryOp::Add, both(BinaryOp::Mul, x, y), z),
                TernaryOp::Mul3 => both(BinaryOp::Mul, both(BinaryOp::Mul, x, y), z),
            }
        }
    }
}

/// [`one`], with the operation chosen outside the lanes where it is short.
fn single<const L: usize>(op: UnaryOp, x: [f64; L]) -> [f64; L] {
    match op {
        UnaryOp::Relu => x.map(|x| one(UnaryOp::Relu, x)),
        UnaryOp::Neg => x.map(|x| one(UnaryOp::Neg, x)),
        op => x.map(|x| one(op, x)),
    }
}

/// [`two`], with the operation chosen outside the lanes where it is short.
fn both<const L: usize>(op: BinaryOp, x: [f64; L], y: [f64; L]) -> [f64; L] {
    let all = |of: fn(f64, f64) -> f64| std::array::from_fn(|k| of(x[k], y[k]));
    match op {
        BinaryOp::Add => all(|x, y| two(BinaryOp::Add, x, y)),
        BinaryOp::Sub => all(|x, y| two(BinaryOp::Sub, x, y)),
        BinaryOp::Mul | BinaryOp::Compose => all(|x, y| two(BinaryOp::Mul, x, y)),
        BinaryOp::Div => all(|x, y| two(BinaryOp::Div, x, y)),
        BinaryOp::Lt => all(|x, y| two(BinaryOp::Lt, x, y)),
        BinaryOp::Eq => all(|x, y| two(BinaryOp::Eq, x, y)),
        BinaryOp::Max => all(|x, y| two(BinaryOp::Max, x, y)),
        BinaryOp::Min => all(|x, y| two(BinaryOp::Min, x, y)),
        BinaryOp::Gate => all(|x, y| two(BinaryOp::Gate, x, y)),
        op => std::array::from_fn(|k| two(op, x[k], y[k])),
    }
}

/// Where the cells of a target are.
pub(super) enum Out<'a> {
    There(&'a mut [f64]),
    /// They are made, one after the other, and begin at this.
    New(&'a mut Vec<f64>, f64),
}

impl Out<'_> {
    /// The cells that a plan writes, all of them there.
    pub(super) fn there(&mut self, plan: &Plan) -> &mut [f64] {
        match self {
            Out::There(cells) => cells,
            Out::New(cells, begin) => {
                cells.resize(plan.cells().unwrap_or(0), *begin);
                cells
            }
        }
    }
}

/// Cells that a loop walks.
trait Cells {
    /// Those from here on, each so far from the one before.
    fn load<const L: usize>(&self, at: usize, step: usize) -> [f64; L];

    fn store<const L: usize>(&mut self, at: usize, step: usize, held: [f64; L]);
}

impl Cells for [f64] {
    #[inline(always)]
    fn load<const L: usize>(&self, at: usize, step: usize) -> [f64; L] {
        load(self, at, step)
    }

    #[inline(always)]
    fn store<const L: usize>(&mut self, at: usize, step: usize, held: [f64; L]) {
        if step == 1 {
            self[at..at + L].copy_from_slice(&held);
        } else {
            held.iter().enumerate().for_each(|(k, cell)| self[at + k * step] = *cell);
        }
    }
}

/// Cells that are made.
struct New<'a>(&'a mut Vec<f64>, f64);

impl Cells for New<'_> {
    #[inline(always)]
    fn load<const L: usize>(&self, _: usize, _: usize) -> [f64; L] {
        [self.1; L]
    }

    #[inline(always)]
    fn store<const L: usize>(&mut self, _: usize, _: usize, held: [f64; L]) {
        self.0.extend_from_slice(&held);
    }
}

/// A loop: its size, and how far it moves the target and the reads.
#[derive(Clone, Copy)]
struct Walk<const N: usize> {
    size: usize,
    target: usize,
    reads: [usize; N],
}

impl<const N: usize> Walk<N> {
    /// This loop of a plan; one step that moves nothing where there is none.
    fn of(plan: &Plan, j: Option<usize>) -> Self {
        let Some(j) = j else { return Walk { size: 1, target: 0, reads: [0; N] } };
        let reads = std::array::from_fn(|i| plan.reads[i].steps[j]);
        Walk { size: plan.sizes[j], target: plan.target.steps[j], reads }
    }
}

/// The loops of a plan, from outside to inside.
struct Nest<const N: usize> {
    outside: Plan,
    /// What the rows add to the addresses of the target and the reads, without the innermost loop of them.
    rows: Vec<(usize, [usize; N])>,
    around: Walk<N>,
    /// What the rounds add to the addresses, without the last loop of them.
    rounds: Vec<[usize; N]>,
    round: Walk<N>,
    last: Walk<N>,
}

impl<const N: usize> Nest<N> {
    /// Apart from the bodies, for each of which the rest is compiled.
    fn of(plan: &Plan) -> Self {
        let rounds = plan.rounds();
        let last_round = rounds.clone().last();
        let inner = last_round.unwrap_or(rounds.end);
        let first = first_of(plan, rounds.start..inner, MOST);
        let written: Vec<usize> = (first..inner).collect();
        // More loops are walked here, so that what is outside need not move for every short row.
        let around = first.checked_sub(1);
        let outside = first_of(plan, 0..around.unwrap_or(0), ROWS);
        let rows: Vec<usize> = (outside..around.unwrap_or(0)).collect();
        let outside: Vec<usize> = (0..outside).collect();
        Nest {
            outside: plan.part(&outside),
            rows: plan.offsets(&rows, |target, at| (target, std::array::from_fn(|i| at[i]))),
            around: Walk::of(plan, around),
            rounds: plan.offsets(&written, |_, at| std::array::from_fn(|i| at[i])),
            round: Walk::of(plan, last_round),
            last: Walk::of(plan, plan.last()),
        }
    }
}

/// Where the innermost of these loops begin that have so many points together at most.
fn first_of(plan: &Plan, loops: Range<usize>, most: usize) -> usize {
    let (mut first, mut count) = (loops.end, 1_usize);
    while first > loops.start && count.saturating_mul(plan.sizes[first - 1]) <= most {
        first -= 1;
        count *= plan.sizes[first];
    }
    first
}

/// The loops, with what they read.
struct Loops<'a, const N: usize, B> {
    body: &'a B,
    data: [&'a [f64]; N],
    nest: Nest<N>,
}

/// Runs a body at every point of a plan.
pub(super) fn run<const N: usize>(plan: &Plan, out: &mut Out<'_>, data: [&[f64]; N], body: &impl Body<N>) {
    let loops = Loops { body, data, nest: Nest::of(plan) };
    match out {
        Out::There(cells) => loops.walk(*cells),
        Out::New(cells, begin) => loops.walk(&mut New(cells, *begin)),
    }
}

impl<const N: usize, B: Body<N>> Loops<'_, N, B> {
    fn walk(&self, out: &mut (impl Cells + ?Sized)) {
        self.nest.outside.each(|target, at| self.rows(out, target, std::array::from_fn(|i| at[i])));
    }

    fn rows(&self, out: &mut (impl Cells + ?Sized), target: usize, at: [usize; N]) {
        if B::WIDE {
            Wide::here().run(
                #[inline(always)]
                || {
                    if self.nest.rounds.len() == 1 && self.nest.round.size == 1 {
                        self.all::<true, _>(out, target, at);
                    } else {
                        self.all::<false, _>(out, target, at);
                    }
                },
            );
        } else {
            self.all::<false, _>(out, target, at);
        }
    }

    /// All rows; with one round for each cell where it is told so.
    #[inline(always)]
    fn all<const ONCE: bool, C: Cells + ?Sized>(&self, out: &mut C, target: usize, at: [usize; N]) {
        let whole = self.nest.last.size / LANES * LANES;
        for (row, reads) in &self.nest.rows {
            let (target, at) = (target + row, moved(at, *reads, 1));
            for j in 0..self.nest.around.size {
                let row = target + j * self.nest.around.target;
                let at = moved(at, self.nest.around.reads, j);
                for k in (0..whole).step_by(LANES) {
                    self.lanes::<LANES, ONCE>(out, row, at, k);
                }
                for k in whole..self.nest.last.size {
                    self.lanes::<1, ONCE>(out, row, at, k);
                }
            }
        }
    }

    /// The cells that are read there.
    #[inline(always)]
    fn read<const L: usize>(&self, at: [usize; N]) -> [[f64; L]; N] {
        let mut reads = [[0.0; L]; N];
        for (i, read) in reads.iter_mut().enumerate() {
            *read = load(self.data[i], at[i], self.nest.last.reads[i]);
        }
        reads
    }

    /// The cells from k on of a row, with all their rounds.
    #[inline(always)]
    fn lanes<const L: usize, const ONCE: bool>(
        &self,
        out: &mut (impl Cells + ?Sized),
        row: usize,
        at: [usize; N],
        k: usize,
    ) {
        let cells = row + k * self.nest.last.target;
        let mut held: [f64; L] = out.load(cells, self.nest.last.target);
        let at = moved(at, self.nest.last.reads, k);
        if ONCE {
            held = self.body.joined(held, self.read(at));
        } else {
            for round in &self.nest.rounds {
                let mut at = moved(at, *round, 1);
                for _ in 0..self.nest.round.size {
                    held = self.body.joined(held, self.read(at));
                    at = moved(at, self.nest.round.reads, 1);
                }
            }
        }
        out.store(cells, self.nest.last.target, held);
    }
}

/// Addresses after so many steps.
#[inline(always)]
fn moved<const N: usize>(mut at: [usize; N], steps: [usize; N], times: usize) -> [usize; N] {
    for (at, step) in at.iter_mut().zip(steps) {
        *at += times * step;
    }
    at
}

/// So many cells, each so far from the one before.
#[inline(always)]
fn load<const L: usize>(data: &[f64], at: usize, step: usize) -> [f64; L] {
    let mut cells = [0.0; L];
    if step == 1 {
        cells.copy_from_slice(&data[at..at + L]);
    } else if step == 0 {
        cells = [data[at]; L];
    } else {
        for (k, cell) in cells.iter_mut().enumerate() {
            *cell = data[at + k * step];
        }
    }
    cells
}
