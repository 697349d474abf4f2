//! One operation as steps on arrays: read the operands, combine, join, and put the result into its place.

use super::conv;
use super::graph::{Fold, Graph, Id, Step};
use super::index::{At, Case, Indexed, cases, mentions, read};
use super::place::{Piece, assemble, place};
use super::refusal::{Language, Why};
use lozenge::program::ast::{Accumulate, BinaryOp, TernaryOp};
use lozenge::program::generate::Primitive;
use lozenge::projection::{Projections, Slot};
use std::collections::{BTreeMap, BTreeSet};

/// An assignment over a record, without what the target held before.
pub struct Assign<'a> {
    pub record: &'a Projections,
    /// The operands that are read together; of a concatenation, each alone.
    pub turns: Vec<Vec<usize>>,
    pub primitive: Primitive,
    pub accumulate: Accumulate,
    /// What padding holds.
    pub padding: f64,
    pub language: Language,
    /// The nodes of indices from outside.
    pub indices: &'a BTreeMap<String, Id>,
}

/// The letters of einsum strings.
const LETTERS: &str = "ijklmnopqrstuvwxyzabcdefghIJKLMNOPQRSTUVWXYZABCDEFGH";

/// Letters for iterators, in the order of the loops.
pub struct Letters(BTreeMap<usize, char>);

impl Letters {
    /// The names of the iterators, where each has one letter; else others.
    pub fn of(iterators: &BTreeSet<usize>, record: &Projections) -> Result<Self, Why> {
        if iterators.len() > LETTERS.len() {
            return Err(Why::Letters(iterators.len()));
        }
        let letter = |j: &usize| {
            let mut name = record.loops[*j].name.chars();
            name.next().filter(|c| c.is_ascii_alphabetic() && name.next().is_none()).map(|c| (*j, c))
        };
        let own: Option<BTreeMap<usize, char>> = iterators.iter().map(letter).collect();
        Ok(Letters(own.unwrap_or_else(|| iterators.iter().copied().zip(LETTERS.chars()).collect())))
    }

    pub fn text(&self, axes: &[usize]) -> String {
        axes.iter().filter_map(|j| self.0.get(j)).collect()
    }
}

/// Is it a product of its operands, or the operand itself?
pub fn is_product(primitive: Primitive) -> bool {
    matches!(
        primitive,
        Primitive::Copy | Primitive::Binary(BinaryOp::Mul | BinaryOp::Compose) | Primitive::Ternary(TernaryOp::Mul3)
    )
}

impl Assign<'_> {
    /// The value of the target where points write it, and the neutral element elsewhere.
    pub fn value(&self, graph: &mut Graph, operands: &[Id]) -> Result<Id, Why> {
        let mut pieces = Vec::new();
        for turn in &self.turns {
            for case in cases(self.record) {
                pieces.extend(self.piece(graph, operands, turn, &case)?);
            }
        }
        let dims: Vec<u64> = self.record.lhs.iter().map(|axis| axis.size).collect();
        assemble(graph, pieces, &dims, self.accumulate)
    }

    /// What is written in one case; none where the target or an operand is not there.
    fn piece(&self, graph: &mut Graph, operands: &[Id], turn: &[usize], case: &Case) -> Result<Option<Piece>, Why> {
        let Some(target) = case.map(&self.record.lhs) else { return Ok(None) };
        let maps: Option<Vec<Vec<At>>> = turn.iter().map(|i| case.map(self.record.map(Slot::Rhs(*i)))).collect();
        let Some(maps) = maps else { return Ok(None) };
        let kept = kept(&target);
        let given: Vec<(Id, &[At])> = turn.iter().map(|i| operands[*i]).zip(maps.iter().map(Vec::as_slice)).collect();
        let found = match conv::recognise(self, graph, &given, &kept) {
            Some(found) => found,
            None => {
                let reads = given.iter().map(|it| read(graph, *it, self.record, self.padding, self.indices));
                let reads = reads.collect::<Result<Vec<_>, _>>()?;
                self.combined(graph, reads, &kept)?
            }
        };
        let mentioned: BTreeSet<usize> = maps.iter().chain([&target]).flat_map(|map| mentions(map)).collect();
        let times = case.times(self.record, &mentioned)?;
        let found = (self.repeated(graph, found.0, times), found.1);
        place(graph, self, found, &target).map(Some)
    }

    /// A value that joins itself so many times: of a concatenation, an operand is read alone, in the loops of all.
    #[allow(clippy::cast_precision_loss)]
    fn repeated(&self, graph: &mut Graph, value: Id, times: u64) -> Id {
        let how = match Fold::of(self.accumulate) {
            Some(Fold::Sum) => BinaryOp::Mul,
            Some(Fold::Product) => BinaryOp::Pow,
            _ => return value,
        };
        if times == 1 {
            return value;
        }
        let times = graph.full(times as f64, &[]);
        graph.binary(how, value, times)
    }

    fn size(&self, j: usize) -> u64 {
        self.record.loops[j].size
    }

    /// The operands combined, and joined over what the target does not mention: axes in the order of `kept`.
    fn combined(&self, graph: &mut Graph, reads: Vec<Indexed>, kept: &[usize]) -> Result<(Id, Vec<usize>), Why> {
        let used: BTreeSet<usize> = reads.iter().flat_map(|read| read.axes.iter().flatten().copied()).collect();
        let left: Vec<usize> = kept.iter().copied().filter(|j| used.contains(j)).collect();
        let reduced = used.len() > left.len();
        let sums = Fold::of(self.accumulate) == Some(Fold::Sum);
        if let (Primitive::Copy, [only]) = (self.primitive, reads.as_slice())
            && !reduced
            && only.axes.iter().flatten().count() == used.len()
        {
            let (value, axes) = only.clone().squeezed(graph);
            let order: Option<Vec<usize>> = left.iter().map(|j| axes.iter().position(|a| a == j)).collect();
            let value = graph.transpose(value, &order.unwrap_or_default());
            return Ok((self.truth(graph, value), left));
        }
        if is_product(self.primitive) && sums {
            return self.einsum(graph, reads, &used, left);
        }
        let order: Vec<usize> =
            left.iter().copied().chain(used.iter().copied().filter(|j| !left.contains(j))).collect();
        let mut args = Vec::new();
        for read in reads {
            let plain = diagonal(graph, read, self.record)?;
            args.push(plain.aligned(graph, &order, |j| self.size(j)));
        }
        let value = self.primitive(graph, &args);
        let value = self.truth(graph, value);
        let value = full_rank(graph, value, order.len());
        Ok((self.join(graph, value, left.len())?, left))
    }

    fn einsum(
        &self,
        graph: &mut Graph,
        reads: Vec<Indexed>,
        used: &BTreeSet<usize>,
        left: Vec<usize>,
    ) -> Result<(Id, Vec<usize>), Why> {
        let letters = Letters::of(used, self.record)?;
        let reads: Vec<(Id, Vec<usize>)> = reads.into_iter().map(|read| read.squeezed(graph)).collect();
        let terms: Vec<String> = reads.iter().map(|(_, axes)| letters.text(axes)).collect();
        let spec = format!("{}->{}", terms.join(","), letters.text(&left));
        let args: Vec<Id> = reads.iter().map(|(value, _)| *value).collect();
        let dims = left.iter().map(|j| self.size(*j)).collect();
        Ok((graph.push(Step::Einsum(spec), &args, dims), left))
    }

    /// `&&` and `||` look at what is not 0 only.
    fn truth(&self, graph: &mut Graph, value: Id) -> Id {
        match self.accumulate {
            Accumulate::And | Accumulate::Or => {
                let zero = graph.full(0.0, &[]);
                graph.binary(BinaryOp::Ne, value, zero)
            }
            _ => value,
        }
    }

    /// Joins over the axes from this one on.
    fn join(&self, graph: &mut Graph, mut value: Id, from: usize) -> Result<Id, Why> {
        let rank = graph.dims(value).len();
        if from == rank {
            return Ok(value);
        }
        match (Fold::of(self.accumulate), self.accumulate) {
            (Some(fold), _) => Ok(graph.reduce(fold, value, &(from..rank).collect::<Vec<_>>())),
            // The last value stays.
            (None, Accumulate::Replace) => {
                for axis in (from..rank).rev() {
                    let last = graph.dims(value)[axis] - 1;
                    value = graph.pick(value, axis, last);
                }
                Ok(value)
            }
            (None, _) => Err(Why::Powers),
        }
    }

    fn primitive(&self, graph: &mut Graph, args: &[Id]) -> Id {
        match (self.primitive, args) {
            (Primitive::Unary(op), [x]) => graph.unary(op, *x),
            (Primitive::Binary(op), [x, y]) => graph.binary(op, *x, *y),
            (Primitive::Ternary(TernaryOp::Where), [c, x, y]) => graph.where_not_zero(*c, *x, *y),
            (Primitive::Ternary(op), [x, y, z]) => {
                let product = graph.binary(BinaryOp::Mul, *x, *y);
                let last = if op == TernaryOp::Fma { BinaryOp::Add } else { BinaryOp::Mul };
                graph.binary(last, product, *z)
            }
            (_, args) => args[0],
        }
    }
}

/// The iterators of the target: those that an axis of its own has, in order, then the others.
fn kept(target: &[At]) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    let own = target.iter().filter_map(|at| match at {
        At::Iter(j) => Some(*j),
        At::Affine(terms, _) if terms.len() == 1 && terms[0].0 == 1 => Some(terms[0].1),
        _ => None,
    });
    for j in own.chain(mentions(target)) {
        if !kept.contains(&j) {
            kept.push(j);
        }
    }
    kept
}

/// An operand without repeated iterators.
fn diagonal(graph: &mut Graph, read: Indexed, record: &Projections) -> Result<Indexed, Why> {
    let used: BTreeSet<usize> = read.axes.iter().flatten().copied().collect();
    if used.len() == read.axes.iter().flatten().count() {
        return Ok(read);
    }
    let letters = Letters::of(&used, record)?;
    let (value, axes) = read.squeezed(graph);
    let mut once: Vec<usize> = Vec::new();
    axes.iter().for_each(|j| {
        if !once.contains(j) {
            once.push(*j)
        }
    });
    let size = |j: &usize| axes.iter().position(|a| a == j).map_or(1, |i| graph.dims(value)[i]);
    let dims = once.iter().map(size).collect();
    let spec = format!("{}->{}", letters.text(&axes), letters.text(&once));
    let value = graph.push(Step::Einsum(spec), &[value], dims);
    Ok(Indexed { value, axes: once.into_iter().map(Some).collect() })
}

/// Axes of size 1 at the left, up to a rank; or without those that are too many.
fn full_rank(graph: &mut Graph, value: Id, rank: usize) -> Id {
    let has = graph.dims(value).len();
    if has > rank {
        return graph.squeeze(value, &(0..has - rank).collect::<Vec<_>>());
    }
    graph.unsqueeze(value, &(0..rank - has).collect::<Vec<_>>())
}
