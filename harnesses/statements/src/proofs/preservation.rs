//! Group 3: Lemma 5.1 for the rules of Defs. 4.2 and 4.3; and R1 for the facts of the guard.

use super::symbolic::{dim, row};
use crate::meaning::{Gamma, Values};
use crate::preservation;
use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::row::Row;
use lozenge_calculus::rules::dim::{dim_eq, dim_le};
use lozenge_calculus::rules::{Bind, By, Effect, Fired, Fresh, Lower, Rule, Store, row_eq, row_ineq};
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar};

/// What the store shows: a lower bound of every variable, or none; a path between any two, or none.
struct Shown {
    lower: Option<Lower>,
    path: bool,
}

impl Store for Shown {
    fn lower(&self, _: DimVar) -> Option<Lower> {
        self.lower
    }

    fn path(&self, _: DimVar, _: DimVar) -> Option<Vec<By>> {
        self.path.then(Vec::new)
    }
}

/// Values of two dimension variables.
#[derive(Clone)]
struct Pair([Dim; 2]);

impl Gamma for Pair {
    fn dim_var(&self, v: DimVar) -> Option<Dim> {
        Some(if v.0 == 0 { self.0[0] } else { self.0[1] })
    }

    fn row_var(&self, _: RowVar) -> Option<&Row> {
        None
    }

    fn set_dim(&mut self, v: DimVar, value: Dim) {
        self.0[v.0 as usize] = value;
    }

    fn set_row(&mut self, _: RowVar, _: Row) {}
}

/// Any dimension term over two variables.
fn term() -> DimTerm {
    let which: u32 = kani::any();
    if which < 2 { DimTerm::Var(DimVar(which)) } else { DimTerm::Dim(dim()) }
}

/// Def. 4.2, every rule for t₁ = t₂.
#[kani::proof]
#[kani::unwind(3)]
fn preservation_dim_eq() {
    let (s, t, gamma) = (term(), term(), Pair([dim(), dim()]));
    let (rule, effect) = dim_eq(s, t);
    let said = preservation::keeps_dimensions(gamma.dim(s) == gamma.dim(t), &effect, &gamma);
    kani::cover!(said && rule == Rule::DeRefl, "DE-refl");
    kani::cover!(!said && rule == Rule::DeClash, "DE-clash");
    kani::cover!(said && rule == Rule::DeBind, "DE-bind");
    std::mem::forget(effect);
}

/// Def. 4.2, every rule for t₁ ⊑ t₂, with DI-antisym and without. γ satisfies what the store shows.
#[kani::proof]
#[kani::unwind(3)]
fn preservation_dim_le() {
    let (s, t, gamma) = (term(), term(), Pair([dim(), dim()]));
    let by = By { step: 0, node: 0, tainted: kani::any() };
    let lower = match dim() {
        Dim::Atom(atom) => Some(Lower { atom, by }),
        Dim::Unit => None,
    };
    let path = kani::any();
    if let (Some(lower), DimTerm::Var(_)) = (lower, t) {
        kani::assume(Dim::Atom(lower.atom).le(gamma.dim(t)));
    }
    if path {
        kani::assume(gamma.dim(t).le(gamma.dim(s)));
    }
    let (rule, effect) = dim_le(&Shown { lower, path }, kani::any(), s, t);
    let said = preservation::keeps_dimensions(gamma.dim(s).le(gamma.dim(t)), &effect, &gamma);
    kani::cover!(said && rule == Rule::DiTop, "DI-top");
    kani::cover!(said && rule == Rule::DiRefl, "DI-refl");
    kani::cover!(!said && rule == Rule::DiGround, "DI-ground");
    kani::cover!(said && rule == Rule::DiPin, "DI-pin");
    kani::cover!(said && rule == Rule::DiPinTop, "DI-pin-top");
    kani::cover!(said && rule == Rule::DiCap, "DI-cap");
    kani::cover!(said && rule == Rule::DiAdj, "DI-adj");
    kani::cover!(said && rule == Rule::DiAntisym, "DI-antisym");
    std::mem::forget(effect);
}

/// Fresh variables from a number on.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0 - 1
    }
}

impl Fresh for Numbers {
    fn fresh_dim(&mut self) -> DimVar {
        DimVar(self.next())
    }

    fn fresh_row(&mut self) -> RowVar {
        RowVar(self.next())
    }
}

/// Row variables come first, then one dimension variable for each place of the two rows, then fresh ones.
const P: Option<RowVar> = Some(RowVar(0));
const Q: Option<RowVar> = Some(RowVar(1));
const CLOSED: Option<RowVar> = None;

/// A row term whose places are variables of their own, numbered from `first` on. Rules do not look at what stands at a
/// place, so these stand for all terms (spec/small-models.md).
fn row_term<const LEAD: usize, const TRAIL: usize>(first: usize, var: Option<RowVar>) -> RowTerm {
    let place = |i: usize| DimTerm::Var(DimVar((first + i) as u32));
    let lead: [DimTerm; LEAD] = std::array::from_fn(place);
    let trail: [DimTerm; TRAIL] = std::array::from_fn(|i| place(LEAD + i));
    RowTerm::new(lead, var, trail)
}

/// Any values of the places, and rows of these lengths.
fn values<const LP: usize, const TP: usize, const LQ: usize, const TQ: usize>(places: usize) -> Values {
    let mut values = Values::default();
    for i in 0..places {
        values.dims[2 + i] = Some(dim());
    }
    values.rows = [Some((RowVar(0), row::<LP, TP>())), Some((RowVar(1), row::<LQ, TQ>())), None];
    values
}

/// The rule for R_res ⊑ R_op.
fn le(first: u32, res: &RowTerm, op: &RowTerm) -> Fired {
    row_ineq::row_le(&mut Numbers(first), res, op)
}

/// The rule for R₁ ≈ R₂.
fn eq(_: u32, r1: &RowTerm, r2: &RowTerm) -> Fired {
    row_eq::row_eq(r1, r2)
}

fn fails(before: bool, effect: &Effect, _: &Values) -> bool {
    assert!(effect.fail.is_some());
    preservation::fails(before);
    true
}

fn replaces(before: bool, effect: &Effect, gamma: &Values) -> bool {
    preservation::replaces(before, effect, gamma);
    before
}

fn stores(before: bool, effect: &Effect, gamma: &Values) -> bool {
    preservation::stores(before, effect, gamma);
    before
}

/// Lemma 5.1 for a rule on rows of these lengths, |l| variable |r| each, with values of p and q of these lengths. What the
/// rule does as a whole is named: the parts of an effect that are not there cost nothing then.
macro_rules! row_rules {
    ($($name:ident: $rule:ident $does:ident, ($l1:literal $v1:ident $t1:literal) $rel:ident $holds:ident ($l2:literal $v2:ident $t2:literal), p ($lp:literal, $tp:literal) q ($lq:literal, $tq:literal);)*) => { $(
        #[kani::proof]
        #[kani::unwind(7)]
        fn $name() {
            const PLACES: usize = $l1 + $t1 + $l2 + $t2;
            let (s, t) = (row_term::<$l1, $t1>(2, $v1), row_term::<$l2, $t2>(2 + $l1 + $t1, $v2));
            let gamma = values::<$lp, $tp, $lq, $tq>(PLACES);
            let (rule, effect) = $rel(2 + PLACES as u32, &s, &t);
            assert!(rule == Rule::$rule);
            let said = $does(gamma.$holds(&s, &t), &effect, &gamma);
            kani::cover!(said, "the law says something");
            std::mem::forget((s, t, effect, gamma));
        }
    )* };
}

row_rules! {
    preservation_re_closed: ReClosed replaces, (2 CLOSED 1) eq row_eq (1 CLOSED 2), p (0, 0) q (0, 0);
    preservation_re_closed_ranks: ReClosed fails, (1 CLOSED 1) eq row_eq (2 CLOSED 1), p (0, 0) q (0, 0);
    preservation_re_open_closed_overflow: ReOpenClosed fails, (1 P 1) eq row_eq (1 CLOSED 0), p (1, 0) q (0, 0);
    preservation_re_cross: ReCross stores, (1 P 0) eq row_eq (0 Q 1), p (0, 1) q (1, 0);
    preservation_re_cross_surplus: ReCross stores, (2 P 0) eq row_eq (1 Q 1), p (0, 1) q (1, 0);
    preservation_re_same_empty: ReSameEmpty replaces, (1 P 1) eq row_eq (1 P 1), p (1, 0) q (0, 0);
    preservation_re_same_occurs: ReSameOccurs fails, (1 P 0) eq row_eq (0 P 0), p (1, 0) q (0, 0);
    preservation_re_same_rot: ReSameRot stores, (1 P 0) eq row_eq (0 P 1), p (1, 0) q (0, 0);
    preservation_ri_cap: RiCap stores, (2 P 1) le row_le (1 Q 1), p (0, 0) q (1, 0);
    preservation_ri_cap_closed: RiCap stores, (1 CLOSED 2) le row_le (1 Q 1), p (0, 0) q (0, 1);
    preservation_ri_refl: RiRefl replaces, (1 P 1) le row_le (1 P 1), p (1, 1) q (0, 0);
    preservation_ri_closed_op: RiClosedOp replaces, (2 P 1) le row_le (1 CLOSED 1), p (1, 0) q (0, 0);
    preservation_ri_closed_op_closed: RiClosedOp replaces, (2 CLOSED 2) le row_le (1 CLOSED 1), p (0, 0) q (0, 0);
    preservation_ri_short_lead: RiShortClosed fails, (0 CLOSED 1) le row_le (1 P 1), p (0, 0) q (0, 0);
    preservation_ri_short_trail: RiShortClosed fails, (1 CLOSED 0) le row_le (1 CLOSED 1), p (0, 0) q (0, 0);
}

/// R1 for R_res ⊑ R_op of these lengths.
macro_rules! facts {
    ($($name:ident: ($l1:literal $v1:ident $t1:literal) ($l2:literal $v2:ident $t2:literal), p ($lp:literal, $tp:literal) q ($lq:literal, $tq:literal);)*) => { $(
        #[kani::proof]
        #[kani::unwind(7)]
        fn $name() {
            const PLACES: usize = $l1 + $t1 + $l2 + $t2;
            let (res, op) = (row_term::<$l1, $t1>(2, $v1), row_term::<$l2, $t2>(2 + $l1 + $t1, $v2));
            let gamma = values::<$lp, $tp, $lq, $tq>(PLACES);
            let said = preservation::facts_are_entailed(&res, &op, &gamma);
            kani::cover!(said, "the law says something");
            std::mem::forget((res, op, gamma));
        }
    )* };
}

facts! {
    preservation_facts_between_two: (1 P 0) (0 Q 1), p (0, 2) q (1, 1);
    preservation_facts_below_closed: (0 P 1) (1 CLOSED 1), p (1, 0) q (0, 0);
    preservation_facts_above_closed: (2 CLOSED 1) (1 Q 1), p (0, 0) q (1, 0);
}

/// A copy of a row term with these lengths, which it has to have: read through what a rule returns, lengths are symbolic.
fn copied<const LEAD: usize, const TRAIL: usize>(term: &RowTerm, var: Option<RowVar>) -> RowTerm {
    assert!(term.lead.len() == LEAD && term.trail.len() == TRAIL && term.var == var);
    let lead: [DimTerm; LEAD] = std::array::from_fn(|i| term.lead[i]);
    let trail: [DimTerm; TRAIL] = std::array::from_fn(|i| term.trail[i]);
    RowTerm::new(lead, var, trail)
}

/// Lemma 5.1 for a placement ρ ↦ T, T of these lengths: its content, and its marker.
macro_rules! placements {
    ($($content:ident $marker:ident: $rule:ident, ($l1:literal $v1:ident $t1:literal) ($l2:literal $v2:ident $t2:literal), p ($lp:literal, $tp:literal) q ($lq:literal, $tq:literal), to ($lt:literal $vt:ident $tt:literal);)*) => { $(
        #[kani::proof]
        #[kani::unwind(7)]
        fn $content() {
            const PLACES: usize = $l1 + $t1 + $l2 + $t2;
            let (s, t) = (row_term::<$l1, $t1>(2, $v1), row_term::<$l2, $t2>(2 + $l1 + $t1, $v2));
            let gamma = values::<$lp, $tp, $lq, $tq>(PLACES);
            let (rule, effect) = row_eq::row_eq(&s, &t);
            assert!(rule == Rule::$rule);
            let Some(Bind { binding: Binding::Row(var, to), placement: true }) = &effect.bind else { panic!() };
            let to = copied::<$lt, $tt>(to, $vt);
            let before = gamma.row_eq(&s, &t);
            preservation::content_is_entailed(&effect, *var, &to, &gamma, before);
            kani::cover!(before, "the law says something");
            std::mem::forget((s, t, effect, gamma, to));
        }

        #[kani::proof]
        #[kani::unwind(7)]
        fn $marker() {
            const PLACES: usize = $l1 + $t1 + $l2 + $t2;
            let (s, t) = (row_term::<$l1, $t1>(2, $v1), row_term::<$l2, $t2>(2 + $l1 + $t1, $v2));
            let gamma = values::<$lp, $tp, $lq, $tq>(PLACES);
            let (rule, effect) = row_eq::row_eq(&s, &t);
            assert!(rule == Rule::$rule);
            let Some(Bind { binding: Binding::Row(var, to), placement: true }) = &effect.bind else { panic!() };
            let to = copied::<$lt, $tt>(to, $vt);
            kani::assume(gamma.row_eq(&s, &t));
            kani::cover!(true, "the law says something");
            preservation::marker_moves(&effect, *var, &to, &gamma, |gamma| gamma.row_eq(&s, &t));
            std::mem::forget((s, t, effect, gamma, to));
        }
    )* };
}

placements! {
    preservation_re_open_closed preservation_re_open_closed_marker: ReOpenClosed, (1 P 0) (1 CLOSED 1), p (0, 1) q (0, 0), to (0 CLOSED 1);
    preservation_re_nested preservation_re_nested_marker: ReNested, (0 P 0) (1 Q 1), p (1, 1) q (0, 0), to (1 Q 1);
}

/// Lemma 5.1 for RE-open-closed with nothing between the flanks: ρ is the empty row, which is no choice.
#[kani::proof]
#[kani::unwind(7)]
fn preservation_re_open_closed_empty() {
    let (s, t) = (row_term::<1, 1>(2, P), row_term::<1, 1>(4, CLOSED));
    let gamma = values::<0, 0, 0, 0>(4);
    let (rule, effect) = row_eq::row_eq(&s, &t);
    assert!(rule == Rule::ReOpenClosed && !effect.again);
    let Some(Bind { binding: Binding::Row(var, to), placement: false }) = &effect.bind else { panic!() };
    let to = copied::<0, 0>(to, CLOSED);
    let before = gamma.row_eq(&s, &t);
    preservation::fixes(&effect, *var, &to, &gamma, before);
    kani::cover!(before, "the law says something");
    std::mem::forget((s, t, effect, gamma, to));
}

/// Lemma 5.1 for RI-deficit, ρ ↦ T with T of these lengths.
macro_rules! deficits {
    ($($name:ident: ($l1:literal $v1:ident $t1:literal) ($l2:literal $v2:ident $t2:literal), p ($lp:literal, $tp:literal) q ($lq:literal, $tq:literal), to ($lt:literal, $tt:literal);)*) => { $(
        #[kani::proof]
        #[kani::unwind(7)]
        fn $name() {
            const PLACES: usize = $l1 + $t1 + $l2 + $t2;
            let (s, t) = (row_term::<$l1, $t1>(2, $v1), row_term::<$l2, $t2>(2 + $l1 + $t1, $v2));
            let gamma = values::<$lp, $tp, $lq, $tq>(PLACES);
            let (rule, effect) = le(2 + PLACES as u32, &s, &t);
            assert!(rule == Rule::RiDeficit);
            let Some(Bind { binding: Binding::Row(var, to), placement: false }) = &effect.bind else { panic!() };
            let to = copied::<$lt, $tt>(to, Some(RowVar((2 + PLACES + $lt + $tt) as u32)));
            preservation::grows(&effect, *var, &to, &gamma, |gamma| gamma.row_le(&s, &t));
            kani::cover!(gamma.row_le(&s, &t), "the law says something");
            std::mem::forget((s, t, effect, gamma, to));
        }
    )* };
}

deficits! {
    preservation_ri_deficit_lead: (0 P 0) (1 CLOSED 0), p (1, 0) q (0, 0), to (1, 0);
    preservation_ri_deficit_trail: (0 P 0) (0 Q 1), p (0, 1) q (0, 0), to (0, 1);
    preservation_ri_deficit_both: (0 P 0) (1 Q 1), p (1, 1) q (0, 0), to (1, 1);
}
