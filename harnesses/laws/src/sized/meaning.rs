//! What statements mean on ground shapes: the table of spec/8-staged.md, and Def. 2.3 for pointwise operations.

use super::{Affine, Axis, Basis, Dim, Kernel, Label, Program, Spec, Statement};
use std::collections::BTreeSet;

/// The dimensions that are tried.
#[derive(Clone, Debug)]
pub struct Universe(Vec<Dim>);

impl Universe {
    /// 1∅ and the sizes up to this, with basis default, and with `px` if that is asked for.
    #[must_use]
    pub fn up_to(size: u64, px: bool) -> Self {
        let mut dims = vec![Dim::Unit];
        for basis in [Basis::Default, Basis::Px].into_iter().take(1 + usize::from(px)) {
            dims.extend((1..=size).map(|n| Dim::Atom(n, basis)));
        }
        Universe(dims)
    }

    /// Them.
    #[must_use]
    pub fn dims(&self) -> &[Dim] {
        &self.0
    }
}

/// Do all statements hold of these shapes?
#[must_use]
pub fn holds(program: &Program, shapes: &[Vec<Dim>]) -> bool {
    // No label has more elements than the largest axis it is part of; kernels of padded axes are not looked at.
    let most = shapes.iter().flatten().map(|d| d.elements()).max().unwrap_or(1);
    let universe = Universe::up_to(most, true);
    program.statements.iter().zip(shapes).all(|(statement, result)| match statement {
        Statement::Leaf(_, axes) => {
            axes.len() == result.len() && axes.iter().zip(result).all(|(axis, d)| axis.is_none_or(|a| a == *d))
        }
        Statement::Pointwise(of) => of
            .iter()
            .all(|x| shapes[*x].len() == result.len() && result.iter().zip(&shapes[*x]).all(|(r, a)| fits(*r, *a))),
        Statement::Spec(of, spec) | Statement::Block(of, spec) => {
            let operands: Vec<&[Dim]> = of.iter().map(|x| shapes[*x].as_slice()).collect();
            !Search::new(spec, &operands, Some(result), &universe).run().is_empty()
        }
    })
}

/// All shapes of a statement's result within a universe, for these shapes of all tensors before it.
#[must_use]
pub fn results(statement: &Statement, before: &[Vec<Dim>], universe: &Universe) -> Vec<Vec<Dim>> {
    match statement {
        Statement::Leaf(_, axes) => {
            let of = |axis: &Option<Dim>| axis.map_or_else(|| universe.dims().to_vec(), |d| vec![d]);
            product(&axes.iter().map(of).collect::<Vec<_>>())
        }
        Statement::Pointwise(of) => {
            let rank = of.first().map_or(0, |x| before[*x].len());
            let below = |i: usize| {
                let fit = universe.dims().iter().copied().filter(|r| of.iter().all(|x| fits(*r, before[*x][i])));
                fit.collect::<Vec<_>>()
            };
            product(&(0..rank).map(below).collect::<Vec<_>>())
        }
        Statement::Spec(of, spec) | Statement::Block(of, spec) => {
            let operands: Vec<&[Dim]> = of.iter().map(|x| before[*x].as_slice()).collect();
            Search::new(spec, &operands, None, universe).run()
        }
    }
}

/// Def. 1.2: below 1∅ is everything, below an atom only itself.
fn fits(result: Dim, operand: Dim) -> bool {
    result == operand || operand == Dim::Unit
}

fn product(axes: &[Vec<Dim>]) -> Vec<Vec<Dim>> {
    axes.iter().fold(vec![Vec::new()], |shapes, axis| {
        let longer = |shape: &Vec<Dim>| {
            let shape = shape.clone();
            axis.iter().map(move |d| shape.iter().copied().chain([*d]).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        shapes.iter().flat_map(longer).collect()
    })
}

/// What a label stands for: a dimension, or nothing at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Zero,
    Is(Dim),
}

impl Value {
    fn elements(self) -> u64 {
        match self {
            Value::Zero => 0,
            Value::Is(d) => d.elements(),
        }
    }

    fn basis(self) -> Option<Basis> {
        match self {
            Value::Zero => None,
            Value::Is(d) => d.basis(),
        }
    }
}

/// Labels are the letters from here on.
const FIRST: u8 = b'a';

fn place(label: Label) -> usize {
    (label as usize).saturating_sub(usize::from(FIRST))
}

/// All ways to read the axes of a specification.
struct Search<'a> {
    /// The axes, with what they are where that is given, and their places in the result.
    axes: Vec<(&'a Axis, Option<Dim>, Option<usize>)>,
    universe: &'a Universe,
    /// The labels that may be 0.
    zeros: BTreeSet<Label>,
    labels: [Option<Value>; 26],
    /// The axes that were read so far.
    read: Vec<Dim>,
    found: BTreeSet<Vec<Dim>>,
    /// Is one enough?
    one: bool,
}

impl<'a> Search<'a> {
    fn new(spec: &'a Spec, operands: &[&[Dim]], result: Option<&[Dim]>, universe: &'a Universe) -> Self {
        let of_slot = |(slot, shape): (&'a Vec<Axis>, &&[Dim])| {
            assert_eq!(slot.len(), shape.len(), "ranks are right");
            slot.iter().zip(shape.iter()).map(|(axis, d)| (axis, Some(*d), None)).collect::<Vec<_>>()
        };
        let mut axes: Vec<_> = spec.slots.iter().zip(operands).flat_map(of_slot).collect();
        axes.extend(spec.result.iter().enumerate().map(|(i, axis)| (axis, result.map(|r| r[i]), Some(i))));
        // What is known first: it leaves the fewest ways.
        axes.sort_by_key(|(axis, d, _)| (d.is_none(), axis.is_sized()));
        let zeros = can_be_zero(spec);
        let (labels, read, found) = ([None; 26], Vec::new(), BTreeSet::new());
        Search { axes, universe, zeros, labels, read, found, one: result.is_some() }
    }

    /// The result's shapes.
    fn run(mut self) -> Vec<Vec<Dim>> {
        self.next();
        self.found.into_iter().collect()
    }

    fn done(&self) -> bool {
        self.one && !self.found.is_empty()
    }

    fn next(&mut self) {
        let Some((axis, given, _)) = self.axes.get(self.read.len()).copied() else {
            let result = self.axes.iter().zip(&self.read).filter_map(|((_, _, place), d)| Some(((*place)?, *d)));
            let mut result: Vec<(usize, Dim)> = result.collect();
            result.sort_unstable();
            self.found.insert(result.into_iter().map(|(_, d)| d).collect());
            return;
        };
        let universe = self.universe;
        match (given, axis) {
            (Some(d), _) => self.axis(axis, d),
            (None, Axis::Label(label)) if self.labels[place(*label)].is_some() => {
                if let Some(Value::Is(d)) = self.labels[place(*label)] {
                    self.axis(axis, d);
                }
            }
            (None, _) => universe.dims().iter().for_each(|d| self.axis(axis, *d)),
        }
    }

    /// Reads the next axis, which is this dimension, in every way.
    fn axis(&mut self, axis: &'a Axis, d: Dim) {
        // A sized axis that is written twice is one size.
        let twice = |((other, ..), e): (&(&Axis, Option<Dim>, Option<usize>), &Dim)| *other == axis && *e != d;
        if self.done() || (axis.is_sized() && self.axes.iter().zip(&self.read).any(twice)) {
            return;
        }
        self.read.push(d);
        match axis {
            Axis::Any => self.next(),
            Axis::Fixed(index) if d.elements() > *index => self.next(),
            Axis::Fixed(_) => {}
            Axis::Label(label) => self.label(*label, Value::Is(d), &mut Search::next),
            Axis::Affine(affine) => self.affine(affine, d),
            Axis::Concat(parts) => self.parts(parts, d, d.elements()),
        }
        self.read.pop();
    }

    /// Goes on with a label that has this value, if it can.
    fn label(&mut self, label: Label, value: Value, then: &mut dyn FnMut(&mut Self)) {
        let known = self.labels[place(label)];
        if known.is_some_and(|known| known != value) {
            return;
        }
        self.labels[place(label)] = Some(value);
        then(self);
        self.labels[place(label)] = known;
    }

    /// Goes on with every value of a label.
    fn each(&mut self, label: Label, then: &mut dyn FnMut(&mut Self, Value)) {
        if let Some(known) = self.labels[place(label)] {
            return then(self, known);
        }
        let zero = self.zeros.contains(&label).then_some(Value::Zero);
        let universe = self.universe;
        for value in zero.into_iter().chain(universe.dims().iter().map(|d| Value::Is(*d))) {
            self.label(label, value, &mut |search| then(search, value));
        }
    }

    /// d = Affine{…}.
    fn affine(&mut self, affine: &Affine, d: Dim) {
        let Affine { stride, over, offset, kernel } = affine;
        if *stride == 0 || offset >= stride {
            return;
        }
        match kernel {
            Some(Kernel { valid: true, dilation, label: kernel }) => self.each(*over, &mut |search, o| {
                if !same_basis([Value::Is(d), o]) || o == Value::Zero || stride * (o.elements() - 1) >= d.elements() {
                    return;
                }
                search.each(*kernel, &mut |search, k| {
                    // A kernel counts distances.
                    let plain = k != Value::Zero && k.basis().is_none_or(|basis| basis == Basis::Default);
                    if plain && d.elements() == stride * (o.elements() - 1) + 1 + (k.elements() - 1) * dilation {
                        search.next();
                    }
                });
            }),
            // Whatever a padded kernel is.
            _ if *stride == 1 => self.label(*over, Value::Is(d), &mut Search::next),
            _ => self.each(*over, &mut |search, o| {
                if d.elements() == stride * o.elements() && same_basis([Value::Is(d), o]) {
                    search.next();
                }
            }),
        }
    }

    /// d = Concat(p₁, …, p_n), of which these parts have so many elements.
    fn parts(&mut self, parts: &[Label], d: Dim, left: u64) {
        let Some((first, rest)) = parts.split_first() else {
            if left == 0 {
                self.next();
            }
            return;
        };
        self.each(*first, &mut |search, part| {
            // Where d is 1∅ only one part is not 0, so it is enough to compare with d.
            if part.elements() <= left && same_basis([Value::Is(d), part]) {
                search.parts(rest, d, left - part.elements());
            }
        });
    }
}

/// Of two that are no 1∅ and not 0.
fn same_basis(values: [Value; 2]) -> bool {
    match values.map(Value::basis) {
        [Some(a), Some(b)] => a == b,
        _ => true,
    }
}

/// The labels that are discardable, and a part of concatenations only: what is an axis is never 0.
fn can_be_zero(spec: &Spec) -> BTreeSet<Label> {
    let result = std::slice::from_ref(&spec.result);
    let mut found = discardable(&spec.slots, result);
    found.extend(discardable(result, &spec.slots));
    for axis in spec.slots.iter().flatten().chain(&spec.result).filter(|axis| !matches!(axis, Axis::Concat(_))) {
        for label in components(axis).into_iter().flatten() {
            found.remove(&label);
        }
    }
    found
}

/// ∀ slots ∃ axis ∀ components: complement ∩ component ≠ ∅.
fn discardable(side: &[Vec<Axis>], other: &[Vec<Axis>]) -> BTreeSet<Label> {
    let mut found = BTreeSet::new();
    for parts in side.iter().flatten().filter_map(|a| if let Axis::Concat(parts) = a { Some(parts) } else { None }) {
        for part in parts {
            let meets = |component: &Vec<Label>| component.iter().any(|l| l != part && parts.contains(l));
            let all = |axis: &Axis| components(axis).iter().all(meets);
            if other.iter().all(|slot| slot.iter().any(all)) {
                found.insert(*part);
            }
        }
    }
    found
}

/// The components of an axis, each with its labels.
fn components(axis: &Axis) -> Vec<Vec<Label>> {
    match axis {
        Axis::Label(label) => vec![vec![*label]],
        Axis::Concat(parts) => parts.iter().map(|part| vec![*part]).collect(),
        Axis::Affine(affine) => vec![[affine.over].into_iter().chain(affine.kernel.iter().map(|k| k.label)).collect()],
        Axis::Fixed(_) | Axis::Any => vec![Vec::new()],
    }
}
