//! What constraints say of values (Def. 3.4), and how values extend to further variables.
//!
//! Laws ask a [`Gamma`]. Tests use [`Ground`], which is core's own; proofs use [`Values`], which reads rows place by
//! place from a table. [`readings_agree`] is the law that the two are one.

use lozenge_calculus::constraint::Constraint;
use lozenge_calculus::dim::Dim;
use lozenge_calculus::row::Row;
use lozenge_calculus::semantics::{self, Ground};
use lozenge_calculus::term::{Binding, DimTerm, DimVar, RowTerm, RowVar};

/// A ground substitution γ (Def. 3.4).
pub trait Gamma: Clone {
    /// The value of a dimension variable, if γ gives it one.
    fn dim_var(&self, v: DimVar) -> Option<Dim>;

    /// The value of a row variable, if γ gives it one.
    fn row_var(&self, v: RowVar) -> Option<&Row>;

    /// γ with another value.
    fn set_dim(&mut self, v: DimVar, value: Dim);

    /// γ with another value.
    fn set_row(&mut self, v: RowVar, value: Row);

    /// γ ⊨ R₁ ≈ R₂ (Def. 2.9).
    fn row_eq(&self, s: &RowTerm, t: &RowTerm) -> bool {
        let (s, t) = (Place::of(self, s), Place::of(self, t));
        s.rank() == t.rank() && (0..s.rank()).all(|i| s.flat_at(i) == t.flat_at(i))
    }

    /// γ ⊨ R_res ⊑ R_op: Def. 2.3, read flank by flank (spec/small-models.md, the decomposition).
    fn row_le(&self, res: &RowTerm, op: &RowTerm) -> bool {
        let (res, op) = (Place::of(self, res), Place::of(self, op));
        op.lead() <= res.lead()
            && op.trail() <= res.trail()
            && (0..op.lead()).all(|i| res.lead_at(i).le(op.lead_at(i)))
            && (0..op.trail()).all(|i| res.trail_from_back(i).le(op.trail_from_back(i)))
    }

    /// Is γ(R) this very row, marker included?
    fn is_row(&self, term: &RowTerm, row: &Row) -> bool {
        let place = Place::of(self, term);
        let (lead, trail) = (row.lead.len(), row.trail.len());
        place.lead() == lead
            && place.trail() == trail
            && (0..lead).all(|i| place.lead_at(i) == row.lead[i])
            && (0..trail).all(|i| place.trail_from_back(i) == row.trail[trail - 1 - i])
    }

    /// γ ⊨ φ (Def. 3.4).
    fn holds(&self, phi: &Constraint) -> bool {
        match phi {
            Constraint::DimEq(s, t) => self.dim(*s) == self.dim(*t),
            Constraint::DimLe(s, t) => self.dim(*s).le(self.dim(*t)),
            Constraint::RowEq(s, t) => self.row_eq(s, t),
            Constraint::RowLe(res, op) => self.row_le(res, op),
        }
    }

    /// γ(t); a variable without a value has the top.
    fn dim(&self, t: DimTerm) -> Dim {
        match t {
            DimTerm::Dim(d) => d,
            DimTerm::Var(v) => self.dim_var(v).unwrap_or(Dim::Unit),
        }
    }

    /// γ(R), spliced at the marker (Def. 3.2).
    fn row(&self, term: &RowTerm) -> Row {
        let place = Place::of(self, term);
        let (mut lead, mut trail) = (Vec::new(), Vec::new());
        for i in 0..place.lead() {
            lead.push(place.lead_at(i));
        }
        for i in (0..place.trail()).rev() {
            trail.push(place.trail_from_back(i));
        }
        Row::new(lead, trail)
    }
}

impl Gamma for Ground {
    fn dim_var(&self, v: DimVar) -> Option<Dim> {
        self.dims.get(&v).copied()
    }

    fn row_var(&self, v: RowVar) -> Option<&Row> {
        self.rows.get(&v)
    }

    fn set_dim(&mut self, v: DimVar, value: Dim) {
        self.dims.insert(v, value);
    }

    fn set_row(&mut self, v: RowVar, value: Row) {
        self.rows.insert(v, value);
    }

    /// Core's own reading.
    fn holds(&self, phi: &Constraint) -> bool {
        semantics::holds(self, phi)
    }
}

/// The most dimension variables that [`Values`] has room for.
pub const DIMS: usize = 16;
/// The most row variables.
pub const ROWS: usize = 3;

/// γ as two tables: by number for dimensions, in order of arrival for rows.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Values of dimension variables.
    pub dims: [Option<Dim>; DIMS],
    /// Values of row variables.
    pub rows: [Option<(RowVar, Row)>; ROWS],
}

impl Gamma for Values {
    fn dim_var(&self, v: DimVar) -> Option<Dim> {
        self.dims[v.0 as usize]
    }

    fn row_var(&self, v: RowVar) -> Option<&Row> {
        for i in 0..ROWS {
            match &self.rows[i] {
                Some((known, row)) if *known == v => return Some(row),
                _ => {}
            }
        }
        None
    }

    fn set_dim(&mut self, v: DimVar, value: Dim) {
        self.dims[v.0 as usize] = Some(value);
    }

    fn set_row(&mut self, v: RowVar, value: Row) {
        for i in 0..ROWS {
            if self.rows[i].as_ref().is_none_or(|(known, _)| *known == v) {
                self.rows[i] = Some((v, value));
                return;
            }
        }
        panic!("no room for another row variable");
    }
}

/// γ(R) place by place, without building it.
struct Place<'a, G> {
    gamma: &'a G,
    term: &'a RowTerm,
    inner: &'a Row,
}

impl<'a, G: Gamma> Place<'a, G> {
    fn of(gamma: &'a G, term: &'a RowTerm) -> Self {
        let inner = term.var.and_then(|v| gamma.row_var(v)).unwrap_or(const { &Row::EMPTY });
        Place { gamma, term, inner }
    }

    fn lead(&self) -> usize {
        self.term.lead.len() + self.inner.lead.len()
    }

    fn trail(&self) -> usize {
        self.term.trail.len() + self.inner.trail.len()
    }

    fn rank(&self) -> usize {
        self.lead() + self.trail()
    }

    fn lead_at(&self, i: usize) -> Dim {
        let written = self.term.lead.len();
        if i < written { self.gamma.dim(self.term.lead[i]) } else { self.inner.lead[i - written] }
    }

    fn trail_from_back(&self, i: usize) -> Dim {
        let (written, inner) = (self.term.trail.len(), self.inner.trail.len());
        if i < written {
            self.gamma.dim(self.term.trail[written - 1 - i])
        } else {
            self.inner.trail[inner - 1 - (i - written)]
        }
    }

    fn flat_at(&self, i: usize) -> Dim {
        if i < self.lead() { self.lead_at(i) } else { self.trail_from_back(self.rank() - 1 - i) }
    }
}

/// The two readings of Def. 3.4 are one.
pub fn readings_agree(phi: &Constraint, ground: &Ground) -> bool {
    let mut values = Values::default();
    ground.dims.iter().for_each(|(v, d)| values.set_dim(*v, *d));
    ground.rows.iter().for_each(|(v, r)| values.set_row(*v, r.clone()));
    let holds = semantics::holds(ground, phi);
    assert!(values.holds(phi) == holds);
    holds
}

/// Extends γ so that the term has this value; false where none of its extensions does.
pub fn match_dim(gamma: &mut impl Gamma, term: DimTerm, value: Dim) -> bool {
    match term {
        DimTerm::Dim(d) => d == value,
        DimTerm::Var(v) => match gamma.dim_var(v) {
            Some(known) => known == value,
            None => {
                gamma.set_dim(v, value);
                true
            }
        },
    }
}

/// Extends γ so that the term is this very row, marker included; false where none of its extensions is.
pub fn match_row(gamma: &mut impl Gamma, term: &RowTerm, value: &Row) -> bool {
    let (l, r) = (term.lead.len(), term.trail.len());
    if value.lead.len() < l || value.trail.len() < r {
        return false;
    }
    let inner = value.trail.len() - r;
    let fits = (0..l).all(|i| match_dim(gamma, term.lead[i], value.lead[i]))
        && (0..r).all(|i| match_dim(gamma, term.trail[i], value.trail[inner + i]));
    fits && match term.var {
        None => value.lead.len() == l && inner == 0,
        Some(v) => match gamma.row_var(v) {
            Some(known) => known.lead == value.lead[l..] && known.trail == value.trail[..inner],
            None => {
                gamma.set_row(v, Row::new(value.lead[l..].to_vec(), value.trail[..inner].to_vec()));
                true
            }
        },
    }
}

/// Extends γ so that the term has this row's content; false where none of its extensions has.
pub fn match_content(gamma: &mut impl Gamma, term: &RowTerm, value: &Row) -> bool {
    let (l, r, n) = (term.lead.len(), term.trail.len(), value.rank());
    if n < l + r {
        return false;
    }
    let fits = (0..l).all(|i| match_dim(gamma, term.lead[i], value.flat_at(i)))
        && (0..r).all(|i| match_dim(gamma, term.trail[i], value.flat_at(n - r + i)));
    fits && match term.var {
        None => n == l + r,
        Some(v) => {
            let inner = Row::new(Vec::new(), (l..n - r).map(|i| value.flat_at(i)).collect());
            match gamma.row_var(v) {
                Some(known) => known.flat_eq(&inner),
                None => {
                    gamma.set_row(v, inner);
                    true
                }
            }
        }
    }
}

/// Extends γ so that T is what γ gives x; false where none of its extensions does, or γ gives x no value.
pub fn match_binding(gamma: &mut impl Gamma, binding: &Binding) -> bool {
    match binding {
        Binding::Dim(v, to) => gamma.dim_var(*v).is_some_and(|value| match_dim(gamma, *to, value)),
        Binding::Row(v, to) => match gamma.row_var(*v).cloned() {
            Some(value) => match_row(gamma, to, &value),
            None => false,
        },
    }
}
