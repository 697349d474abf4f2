//! Requests and constraints that are as they usually are, read in one pass: constraints become terms as they are met,
//! and strings stay in the line.
//!
//! What is read here means what [`super::fields`] and [`lozenge::wire`] read in it. Whatever is unusual, an escape in a
//! string or a mistake, is none: the text is then read again by those, which say what is wrong.

mod tokens;

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::{Names, Sort};
use lozenge::notation::is_name;
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var};
use lozenge::text::check_name;

/// A request of constraints alone: `id`, where there is one, is a plain string or a whole number.
pub struct Usual<'a> {
    /// As it is written.
    pub id: Option<&'a str>,
    /// The operation.
    pub op: &'a str,
    /// The constraints, and what they call things.
    pub system: (Vec<Constraint>, Names),
}

/// A whole line.
pub fn line(text: &str) -> Option<Usual<'_>> {
    let mut read = Reader::new(text);
    let (mut id, mut op, mut phi) = (None, None, None);
    read.expect(b'{')?;
    loop {
        let key = read.text()?;
        read.expect(b':')?;
        let again = match key {
            "id" => id.replace(read.plain()?).is_some(),
            "op" => op.replace(read.text()?).is_some(),
            "constraints" => phi.replace(read.constraints()?).is_some(),
            _ => return None,
        };
        match read.next()? {
            _ if again => return None,
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    match read.next() {
        None => Some(Usual { id, op: op?, system: (phi?, read.names) }),
        Some(_) => None,
    }
}

/// The constraints of a text, and what they call things.
pub fn system(text: &str) -> Option<(Vec<Constraint>, Names)> {
    let mut read = Reader::new(text);
    let all = read.constraints()?;
    read.next().is_none().then_some((all, read.names))
}

/// How many constraints most requests have at most.
const FEW: usize = 16;
/// How many variables are remembered; a power of two.
const SEEN: usize = 32;

/// A place in the text, and what names mean there.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    names: Names,
    /// The variables that were read last, by [`place`]: to look one up in all names takes longer.
    seen: [Option<(&'a str, Var)>; SEEN],
    /// Are these all?
    all: bool,
}

/// A dimension as it is written.
enum DimText<'a> {
    Size(u64),
    Unit,
    Var(&'a str),
    Based(u64, &'a str),
}

/// A term as it is written.
enum TermText<'a> {
    Dim(DimText<'a>),
    Row(Vec<DimText<'a>>, Option<&'a str>, Vec<DimText<'a>>),
}

/// What the fields of a term may hold.
#[derive(Default)]
struct Parts<'a> {
    lead: Option<Vec<DimText<'a>>>,
    /// Null is none.
    var: Option<Option<&'a str>>,
    trail: Option<Vec<DimText<'a>>>,
    n: Option<u64>,
    basis: Option<&'a str>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Reader { text, at: 0, names: Names::new(), seen: [None; SEEN], all: true }
    }

    fn constraints(&mut self) -> Option<Vec<Constraint>> {
        let mut all = Vec::with_capacity(FEW);
        self.each(|read| {
            all.push(read.constraint()?);
            Some(())
        })?;
        Some(all)
    }

    fn flank(&mut self) -> Option<Vec<DimText<'a>>> {
        let mut flank = Vec::new();
        self.each(|read| {
            flank.push(match read.var_alone() {
                Some(var) => DimText::Var(var),
                // A dimension is no row: nothing here goes deeper.
                None => read.dimension()?,
            });
            Some(())
        })?;
        Some(flank)
    }

    /// The fields of an object that has been opened; rows have flanks.
    fn parts(&mut self, row: bool) -> Option<Parts<'a>> {
        let mut parts = Parts::default();
        loop {
            let key = self.text()?;
            self.expect(b':')?;
            let again = match key {
                "var" => parts.var.replace(self.variable()?).is_some(),
                "lead" if row => parts.lead.replace(self.flank()?).is_some(),
                "trail" if row => parts.trail.replace(self.flank()?).is_some(),
                "n" => parts.n.replace(self.number()?).is_some(),
                "basis" => parts.basis.replace(self.text()?).is_some(),
                _ => return None,
            };
            if again {
                return None;
            }
            match self.next()? {
                b',' => {}
                b'}' => return Some(parts),
                _ => return None,
            }
        }
    }

    /// A name or null.
    fn variable(&mut self) -> Option<Option<&'a str>> {
        match self.next()? {
            b'"' => self.string().map(Some),
            b'n' if self.text.get(self.at..)?.starts_with("ull") => {
                self.at += "ull".len();
                Some(None)
            }
            _ => None,
        }
    }

    fn written(&mut self, row: bool) -> Option<TermText<'a>> {
        let first = self.next()?;
        Some(TermText::Dim(match first {
            b'0'..=b'9' => DimText::Size(self.digits(first)?),
            b'"' if self.string()? == "unit" => DimText::Unit,
            b'{' => return self.object(row),
            _ => return None,
        }))
    }

    /// `{"var":…}`. Most terms are this; where one is not, nothing has been read.
    #[inline]
    fn var_alone(&mut self) -> Option<&'a str> {
        let start = self.at;
        let var = self.var_object();
        if var.is_none() {
            self.at = start;
        }
        var
    }

    #[inline]
    fn var_object(&mut self) -> Option<&'a str> {
        const KEY: &[u8] = b"{\"var\"";
        if self.text.as_bytes().get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        if !self.text.as_bytes().get(self.at..)?.starts_with(KEY) {
            return None;
        }
        self.at += KEY.len();
        self.expect(b':')?;
        let var = self.text()?;
        self.expect(b'}')?;
        Some(var)
    }

    /// Any term whose bracket has been opened.
    fn object(&mut self, row: bool) -> Option<TermText<'a>> {
        Some(match self.parts(row)? {
            Parts { lead: None, var: Some(Some(var)), trail: None, n: None, basis: None } => {
                TermText::Dim(DimText::Var(var))
            }
            Parts { lead: None, var: None, trail: None, n: Some(n), basis: Some(basis) } => {
                TermText::Dim(DimText::Based(n, basis))
            }
            Parts { lead: Some(lead), var, trail: Some(trail), n: None, basis: None } => {
                TermText::Row(lead, var.flatten(), trail)
            }
            _ => return None,
        })
    }

    fn dimension(&mut self) -> Option<DimText<'a>> {
        match self.written(false)? {
            TermText::Dim(dim) => Some(dim),
            TermText::Row(..) => None,
        }
    }

    /// Variables get their numbers in the order lead, variable, trail, in whichever order the keys stand.
    #[inline]
    fn term(&mut self) -> Option<Term> {
        if let Some(name) = self.var_alone() {
            return self.var(Sort::Dim, name).map(|id| Term::Dim(DimTerm::Var(DimVar(id))));
        }
        self.any_term()
    }

    fn any_term(&mut self) -> Option<Term> {
        Some(match self.written(true)? {
            TermText::Dim(text) => Term::Dim(self.dim(&text)?),
            TermText::Row(lead, var, trail) => {
                let lead = self.dims(&lead)?;
                let var = match var {
                    None => None,
                    Some(name) => Some(RowVar(self.var(Sort::Row, name)?)),
                };
                Term::Row(RowTerm::new(lead, var, self.dims(&trail)?))
            }
        })
    }

    fn dims(&mut self, flank: &[DimText<'a>]) -> Option<Vec<DimTerm>> {
        flank.iter().map(|text| self.dim(text)).collect()
    }

    fn dim(&mut self, text: &DimText<'a>) -> Option<DimTerm> {
        let atom = |n, basis| Atom::new(n, basis).ok().map(|atom| DimTerm::Dim(Dim::Atom(atom)));
        match *text {
            DimText::Size(n) => atom(n, Basis::DEFAULT),
            DimText::Unit => Some(DimTerm::Dim(Dim::Unit)),
            DimText::Var(name) => self.var(Sort::Dim, name).map(|id| DimTerm::Var(DimVar(id))),
            DimText::Based(n, basis) if is_usual(basis) => atom(n, self.names.basis(basis)),
            DimText::Based(..) => None,
        }
    }

    /// The number of a variable.
    fn var(&mut self, sort: Sort, name: &'a str) -> Option<u32> {
        let at = place(name)?;
        let var = match self.seen[at] {
            Some((known, var)) if known == name => var,
            other => {
                let var = self.named(sort, name, self.all && other.is_none())?;
                self.all &= other.is_none();
                self.seen[at] = Some((name, var));
                var
            }
        };
        (var.sort() == sort).then(|| var.id())
    }

    /// A variable by its name.
    fn named(&mut self, sort: Sort, name: &str, new: bool) -> Option<Var> {
        match is_usual(name) {
            false => None,
            true if new => Some(self.names.new_var(sort, name)),
            true => self.names.var(sort, name).ok(),
        }
    }

    fn constraint(&mut self) -> Option<Constraint> {
        self.expect(b'{')?;
        let relation = self.text()?;
        self.expect(b':')?;
        self.expect(b'[')?;
        let left = self.term()?;
        self.expect(b',')?;
        let right = self.term()?;
        self.expect(b']')?;
        self.expect(b'}')?;
        match (relation, left, right) {
            ("eq", Term::Dim(s), Term::Dim(t)) => Some(Constraint::DimEq(s, t)),
            ("eq", Term::Row(s), Term::Row(t)) => Some(Constraint::RowEq(s, t)),
            ("le", Term::Dim(s), Term::Dim(t)) => Some(Constraint::DimLe(s, t)),
            ("le", Term::Row(s), Term::Row(t)) => Some(Constraint::RowLe(s, t)),
            _ => None,
        }
    }
}

/// Where a variable is remembered: numbered names next to each other.
fn place(name: &str) -> Option<usize> {
    let (last, rest) = name.as_bytes().split_last()?;
    let tens = rest.last().map_or(0, |byte| 10 * usize::from(*byte));
    Some((usize::from(*last) + tens) % SEEN)
}

fn is_usual(name: &str) -> bool {
    is_name(name) && check_name(name).is_ok()
}

#[cfg(test)]
mod tests;
