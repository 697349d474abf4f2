//! Def. 7.3, labels: from the classes of a solved operation to its loops and index maps.

use super::Index;
use super::local::Axis;
use super::names::Namer;
use lozenge_calculus::projection::affine::AffineLabel;
use lozenge_calculus::projection::record::{Label, Loop, MapAxis, Projections, STORAGE, Slot};
use lozenge_calculus::projection::{Classes, Labelled};
use lozenge_staged::{Evaluated, Strata};

/// The iterators made so far.
struct Iterators<'a> {
    classes: &'a Classes,
    /// The label of each class, where the specification has one.
    labels: &'a [Option<&'a str>],
    namer: Namer<'a>,
    /// The iterator of each class.
    of: Vec<Option<usize>>,
    loops: Vec<Loop>,
}

impl Iterators<'_> {
    /// The iterator of a class, new if it has none.
    fn of(&mut self, class: usize) -> usize {
        *self.of[class].get_or_insert_with(|| {
            let name = match self.labels[class] {
                Some(label) => self.namer.labelled(label),
                None => self.namer.fresh(),
            };
            self.loops.push(Loop { name, size: self.classes.classes[class].size });
            self.loops.len() - 1
        })
    }
}

/// The labels of Def. 7.3 ([`lozenge_calculus::projection::Class::label`]), and those of §8. `labels` has a place for each
/// class.
pub(super) fn label(
    operands: usize,
    axes: &[Axis],
    strata: &Strata,
    labels: &[Option<&str>],
    namer: Namer<'_>,
) -> Projections {
    let Strata { classes, derived, coupled } = strata;
    let of = vec![None; classes.classes.len()];
    let loops = Vec::with_capacity(of.len());
    let mut iterators = Iterators { classes, labels, namer, of, loops };
    let (mut lhs, mut rhs) = (Vec::new(), vec![Vec::new(); operands]);
    for i in in_storage(axes) {
        let axis = axes[i];
        let number = classes.of[i];
        let class = &classes.classes[number];
        let part = || coupled.iter().any(|group| group.contains(&number));
        let label = match (derived.get(&number), class.label()) {
            (Some(term), _) => second(term, class.size, &mut iterators),
            (None, Labelled::Pinned(index)) => Label::At(index.clone()),
            (None, Labelled::Iterated) => Label::Iter(iterators.of(number)),
            // A part of a concatenation keeps its iterator even if it has one element (§8).
            (None, Labelled::Zero) if part() => Label::Iter(iterators.of(number)),
            (None, Labelled::Zero) => Label::At(Index::Fix(0)),
        };
        let map: &mut Vec<MapAxis> = match axis.slot {
            Slot::Lhs => &mut lhs,
            Slot::Rhs(i) => &mut rhs[i],
        };
        map.push(MapAxis { label, size: axis.size, kind: axis.kind });
    }
    let coupled = coupled.iter().map(|group| group.iter().map(|number| iterators.of(*number)).collect());
    let mut coupled: Vec<Vec<usize>> = coupled.collect();
    coupled.iter_mut().for_each(|group| group.sort_unstable());
    Projections { loops: iterators.loops, lhs, rhs, coupled }
}

/// The axes slot by slot, each in the order of storage; within a row they are in order already.
fn in_storage(axes: &[Axis]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|i| (axes[*i].slot, STORAGE.iter().position(|k| *k == axes[*i].kind)));
    order
}

/// The label of a class that has a derived term.
fn second(term: &Evaluated, size: u64, iterators: &mut Iterators<'_>) -> Label {
    let classes = iterators.classes;
    match term {
        Evaluated::Affine { terms, offset } => {
            let terms: Vec<(u64, usize)> = terms.iter().map(|(number, factor)| (*factor, *number)).collect();
            match (terms.as_slice(), offset) {
                // The index is the iterator itself.
                ([(1, number)], 0) if classes.classes[*number].size == size => Label::Iter(iterators.of(*number)),
                _ => {
                    let terms = terms.into_iter().map(|(factor, number)| (factor, iterators.of(number))).collect();
                    Label::Affine(AffineLabel { terms, offset: *offset })
                }
            }
        }
        Evaluated::Concat(numbers) => {
            let mut start = 0_u64;
            let parts = numbers.iter().map(|number| {
                let part = (iterators.of(*number), start);
                start = start.saturating_add(classes.classes[*number].size);
                part
            });
            Label::Concat(parts.collect())
        }
    }
}
