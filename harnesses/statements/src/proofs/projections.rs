//! Group 4: Thm. 7.4 for Def. 7.3's pass, and Prop. 7.6 for index maps.

use super::symbolic::proofs;
use crate::{canonicity, maps};
use lozenge_calculus::projection::{Atom, Equation, Index, Kind, Label, Loop, MapAxis, Proj, Projections, Slot, Sure};

/// Any of three ids.
fn id() -> Atom<u8> {
    let p: u32 = kani::any();
    kani::assume(p < 3);
    Atom::Proj(Proj(p))
}

fn given() -> Atom<u8> {
    Atom::Sol(kani::any())
}

fn any_atom() -> Atom<u8> {
    if kani::any() { id() } else { given() }
}

/// Def. 7.1's equations, by what stands where: any ids, any indices.
fn union() -> Equation<u8> {
    Equation::Eq(id(), id())
}

fn pin() -> Equation<u8> {
    Equation::Eq(id(), given())
}

fn check() -> Equation<u8> {
    Equation::Eq(given(), given())
}

fn iter() -> Equation<u8> {
    Equation::Iter(id())
}

/// One of the four.
fn equation() -> Equation<u8> {
    match kani::any::<u8>() {
        0 => union(),
        1 => pin(),
        2 => check(),
        _ => iter(),
    }
}

/// Any at all: a pin turned around is a pin, and that a given index is iterated says nothing.
fn any_equation() -> Equation<u8> {
    if kani::any() { Equation::Eq(any_atom(), any_atom()) } else { Equation::Iter(any_atom()) }
}

/// Of sizes and indices it is only asked whether they are equal: these are more than three ids and six indices can have.
fn pass(equations: &[Equation<u8>]) -> bool {
    let size = || u64::from(kani::any::<u8>());
    canonicity::passes_by_definition([size(), size(), size()], equations)
}

proofs! { 4:
    projections_two => pass(&[any_equation(), any_equation()]);
    projections_union => pass(&[union(), equation(), equation()]);
    projections_pin_union => pass(&[pin(), union(), equation()]);
    projections_pin_pin => pass(&[pin(), pin(), equation()]);
    projections_pin_check => pass(&[pin(), check(), equation()]);
    projections_pin_iter => pass(&[pin(), iter(), equation()]);
    projections_check => pass(&[check(), equation(), equation()]);
    projections_iter => pass(&[iter(), equation(), equation()]);
}

/// An axis of any size.
fn axis(label: Label) -> MapAxis {
    MapAxis { label, size: kani::any(), kind: Kind::Output }
}

/// An axis at any constant.
fn at() -> MapAxis {
    axis(Label::At(Index::Fix(kani::any())))
}

fn by(iterator: usize) -> MapAxis {
    axis(Label::Iter(iterator))
}

/// A record with loops of any sizes, and these axes of the result.
fn record<const LOOPS: usize, const AXES: usize>(lhs: [MapAxis; AXES]) -> Projections {
    let loops: [Loop; LOOPS] = std::array::from_fn(|_| Loop { name: String::new(), size: kani::any() });
    Projections { loops: Vec::from(loops), lhs: Vec::from(lhs), rhs: Vec::new(), coupled: Vec::new() }
}

/// In place of what answers for labels of §8: it is not asked.
fn beyond(_: &Projections, _: Slot) -> Sure {
    panic!()
}

/// Prop. 7.6 for a record of this form: all sizes, constants, points and cells.
macro_rules! maps {
    ($($injective:ident $surjective:ident: $loops:literal, $axes:literal, $lhs:expr;)*) => { $(
        #[kani::proof]
        #[kani::unwind(4)]
        #[kani::stub(lozenge_calculus::projection::Projections::injective_at, beyond)]
        fn $injective() {
            let record = record::<$loops, $axes>($lhs);
            let (p, q): ([u64; $loops], [u64; $loops]) = (kani::any(), kani::any());
            let said = maps::injective(&record, &p, &q);
            kani::cover!(said, "the law says something");
            std::mem::forget(record);
        }

        #[kani::proof]
        #[kani::unwind(4)]
        #[kani::stub(lozenge_calculus::projection::Projections::surjective_at, beyond)]
        fn $surjective() {
            let record = record::<$loops, $axes>($lhs);
            let (cell, point): ([u64; $axes], [u64; $loops]) = (kani::any(), kani::any());
            let said = maps::surjective(&record, &cell, &point);
            kani::cover!(said, "the law says something");
            std::mem::forget(record);
        }
    )* };
}

maps! {
    projections_injective_turned projections_surjective_turned: 2, 2, [by(1), by(0)];
    projections_injective_diagonal projections_surjective_diagonal: 1, 2, [by(0), by(0)];
    projections_injective_summed projections_surjective_summed: 2, 1, [by(1)];
    projections_injective_sliced projections_surjective_sliced: 1, 2, [at(), by(0)];
    projections_injective_scalar projections_surjective_scalar: 1, 0, [];
}

/// Thm. 7.8 (3), an axis of each kind.
#[kani::proof]
#[kani::unwind(4)]
fn projections_in_range() {
    let record = record::<2, 3>([at(), by(1), by(0)]);
    let point: [u64; 2] = kani::any();
    let said = maps::in_range(&record, &point);
    kani::cover!(said, "the law says something");
    std::mem::forget(record);
}
