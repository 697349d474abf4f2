//! A request that is as requests usually are, read in one pass: its constraints become terms as they are met, its strings
//! stay in the line.
//!
//! What is read here means what [`super::fields`] and [`lozenge::wire`] read in it. Whatever is unusual, an escape in a
//! string or a mistake, is an error without words: the line is then read again by those, which say what is wrong.

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::{Names, Sort};
use lozenge::notation::is_name;
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var};
use lozenge::text::check_name;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The fields of a line.
pub struct Quick<'a> {
    /// All but the constraints, as they are written, in the order of the line.
    pub fields: Vec<(&'a str, &'a RawValue)>,
    /// The constraints, if there are some, and what they call things.
    pub system: Option<(Vec<Constraint>, Names)>,
}

impl<'a> Quick<'a> {
    /// Reads a line, if it is as usual.
    pub fn read(line: &'a str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// Not as usual.
fn unusual<E: Error>() -> E {
    E::custom("")
}

impl<'de> Deserialize<'de> for Quick<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Quick<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Quick<'de>, A::Error> {
        let mut read = Quick { fields: Vec::with_capacity(8), system: None };
        while let Some(key) = from.next_key::<&str>()? {
            let again = read.fields.iter().any(|(known, _)| *known == key);
            let again = again || (key == "constraints" && read.system.is_some());
            if again || read.fields.len() == FEW {
                return Err(unusual());
            }
            if key == "constraints" {
                let mut scope = Scope::default();
                let phi = from.next_value_seed(Constraints(&mut scope))?;
                read.system = Some((phi, scope.names));
            } else {
                read.fields.push((key, from.next_value()?));
            }
        }
        Ok(read)
    }
}

/// What names mean while a line is read.
#[derive(Default)]
struct Scope<'de> {
    names: Names,
    /// The first few variables: to compare a few short names is faster than to look one up.
    few: Vec<(&'de str, Var)>,
}

/// How many variables, and fields, count as few.
const FEW: usize = 16;

impl<'de> Scope<'de> {
    fn var<E: Error>(&mut self, sort: Sort, name: &'de str) -> Result<u32, E> {
        if let Some((_, var)) = self.few.iter().find(|(known, _)| *known == name) {
            return if var.sort() == sort { Ok(var.id()) } else { Err(unusual()) };
        }
        usual_name(name)?;
        let var = self.names.var(sort, name).map_err(|_| unusual())?;
        if self.few.len() < FEW {
            self.few.push((name, var));
        }
        Ok(var.id())
    }

    fn dim<E: Error>(&mut self, text: DimText<'de>) -> Result<DimTerm, E> {
        let atom = |n, basis| Atom::new(n, basis).map(|atom| DimTerm::Dim(Dim::Atom(atom))).map_err(|_| unusual());
        match text {
            DimText::Size(n) => atom(n, Basis::DEFAULT),
            DimText::Unit => Ok(DimTerm::Dim(Dim::Unit)),
            DimText::Var(name) => self.var(Sort::Dim, name).map(|id| DimTerm::Var(DimVar(id))),
            DimText::Based(n, basis) => {
                usual_name(basis)?;
                atom(n, self.names.basis(basis))
            }
        }
    }

    fn flank<E: Error>(&mut self, texts: Vec<DimText<'de>>) -> Result<Vec<DimTerm>, E> {
        texts.into_iter().map(|text| self.dim(text)).collect()
    }

    /// Variables get their numbers in the order lead, variable, trail, in whichever order the keys stand.
    fn term<E: Error>(&mut self, text: TermText<'de>) -> Result<Term, E> {
        match text {
            TermText::Dim(text) => self.dim(text).map(Term::Dim),
            TermText::Row(lead, var, trail) => {
                let lead = self.flank(lead)?;
                let var = var.map(|name| self.var(Sort::Row, name).map(RowVar)).transpose()?;
                Ok(Term::Row(RowTerm::new(lead, var, self.flank(trail)?)))
            }
        }
    }
}

fn usual_name<E: Error>(name: &str) -> Result<(), E> {
    if is_name(name) && check_name(name).is_ok() { Ok(()) } else { Err(unusual()) }
}

/// A dimension as it is written.
enum DimText<'de> {
    Size(u64),
    Unit,
    Var(&'de str),
    Based(u64, &'de str),
}

/// A term as it is written.
enum TermText<'de> {
    Dim(DimText<'de>),
    Row(Vec<DimText<'de>>, Option<&'de str>, Vec<DimText<'de>>),
}

impl<'de> Deserialize<'de> for DimText<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match TermText::deserialize(from)? {
            TermText::Dim(dim) => Ok(dim),
            TermText::Row(..) => Err(unusual()),
        }
    }
}

impl<'de> Deserialize<'de> for TermText<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TermVisitor)
    }
}

struct TermVisitor;

impl<'de> Visitor<'de> for TermVisitor {
    type Value = TermText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a term")
    }

    fn visit_u64<E: Error>(self, n: u64) -> Result<TermText<'de>, E> {
        Ok(TermText::Dim(DimText::Size(n)))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<TermText<'de>, E> {
        if word == "unit" { Ok(TermText::Dim(DimText::Unit)) } else { Err(unusual()) }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<TermText<'de>, A::Error> {
        let (mut lead, mut trail) = (None, None);
        let (mut var, mut n, mut basis) = (None, None, None);
        while let Some(key) = from.next_key::<&str>()? {
            let again = match key {
                "var" => var.replace(from.next_value::<Option<&str>>()?).is_some(),
                "lead" => lead.replace(from.next_value()?).is_some(),
                "trail" => trail.replace(from.next_value()?).is_some(),
                "n" => n.replace(from.next_value()?).is_some(),
                "basis" => basis.replace(from.next_value()?).is_some(),
                _ => true,
            };
            if again {
                return Err(unusual());
            }
        }
        match (lead, var, trail, n, basis) {
            (Some(lead), var, Some(trail), None, None) => Ok(TermText::Row(lead, var.flatten(), trail)),
            (None, Some(Some(var)), None, None, None) => Ok(TermText::Dim(DimText::Var(var))),
            (None, None, None, Some(n), Some(basis)) => Ok(TermText::Dim(DimText::Based(n, basis))),
            _ => Err(unusual()),
        }
    }
}

/// Reads a list of constraints.
struct Constraints<'s, 'de>(&'s mut Scope<'de>);

impl<'de> DeserializeSeed<'de> for Constraints<'_, 'de> {
    type Value = Vec<Constraint>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<Constraint>, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Constraints<'_, 'de> {
    type Value = Vec<Constraint>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("constraints")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<Constraint>, A::Error> {
        let mut all = Vec::with_capacity(FEW);
        while let Some(phi) = from.next_element_seed(One(self.0))? {
            all.push(phi);
        }
        Ok(all)
    }
}

/// Reads one constraint.
struct One<'s, 'de>(&'s mut Scope<'de>);

impl<'de> DeserializeSeed<'de> for One<'_, 'de> {
    type Value = Constraint;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Constraint, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for One<'_, 'de> {
    type Value = Constraint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a constraint")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Constraint, A::Error> {
        let equation = match from.next_key::<&str>()? {
            Some("eq") => true,
            Some("le") => false,
            _ => return Err(unusual()),
        };
        let [left, right] = from.next_value::<[TermText<'de>; 2]>()?;
        let (left, right) = (self.0.term(left)?, self.0.term(right)?);
        if from.next_key::<IgnoredAny>()?.is_some() {
            return Err(unusual());
        }
        match (equation, left, right) {
            (true, Term::Dim(s), Term::Dim(t)) => Ok(Constraint::DimEq(s, t)),
            (true, Term::Row(s), Term::Row(t)) => Ok(Constraint::RowEq(s, t)),
            (false, Term::Dim(s), Term::Dim(t)) => Ok(Constraint::DimLe(s, t)),
            (false, Term::Row(s), Term::Row(t)) => Ok(Constraint::RowLe(s, t)),
            _ => Err(unusual()),
        }
    }
}
