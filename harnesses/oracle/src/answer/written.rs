//! Terms and constraints as the wire format writes them, without a tree of JSON in between. The keys of an object are in
//! the order of the alphabet, as [`crate::output::Json`] has them; a test holds the two together.

use lozenge::constraint::Constraint;
use lozenge::dim::{Basis, Dim};
use lozenge::names::Names;
use lozenge::term::{DimTerm, RowTerm, Term, Var};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Something with the names of its variables.
pub struct Written<'a, T>(pub T, pub &'a Names);

/// The name of a variable without brackets; `?7` where it has none.
fn called<S: Serializer>(id: u32, names: &Names, to: S) -> Result<S::Ok, S::Error> {
    match names.var_name(id) {
        Some(name) => to.serialize_str(name),
        None => to.collect_str(&format_args!("?{id}")),
    }
}

/// A number of a variable, as its name.
struct Called<'a>(u32, &'a Names);

impl Serialize for Called<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        called(self.0, self.1, to)
    }
}

impl Serialize for Written<'_, Var> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        called(self.0.id(), self.1, to)
    }
}

impl Serialize for Written<'_, DimTerm> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let names = self.1;
        let atom = match self.0 {
            DimTerm::Var(var) => return one(to, "var", &Called(var.0, names)),
            DimTerm::Dim(Dim::Unit) => return to.serialize_str("unit"),
            DimTerm::Dim(Dim::Atom(atom)) => atom,
        };
        if atom.basis() == Basis::DEFAULT {
            return to.serialize_u64(atom.size());
        }
        let mut object = to.serialize_map(Some(2))?;
        object.serialize_entry("basis", &names.basis_text(atom.basis()))?;
        object.serialize_entry("n", &atom.size())?;
        object.end()
    }
}

struct Flank<'a>(&'a [DimTerm], &'a Names);

impl Serialize for Flank<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|axis| Written(*axis, self.1)))
    }
}

impl Serialize for Written<'_, &RowTerm> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Written(row, names) = self;
        let mut object = to.serialize_map(None)?;
        object.serialize_entry("lead", &Flank(&row.lead, names))?;
        object.serialize_entry("trail", &Flank(&row.trail, names))?;
        if let Some(var) = row.var {
            object.serialize_entry("var", &Called(var.0, names))?;
        }
        object.end()
    }
}

impl Serialize for Written<'_, &Term> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Term::Dim(term) => Written(*term, self.1).serialize(to),
            Term::Row(term) => Written(term, self.1).serialize(to),
        }
    }
}

impl Serialize for Written<'_, Term> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Written(&self.0, self.1).serialize(to)
    }
}

impl Serialize for Written<'_, &Constraint> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let names = self.1;
        match self.0 {
            Constraint::DimEq(s, t) => one(to, "eq", &[Written(*s, names), Written(*t, names)]),
            Constraint::DimLe(s, t) => one(to, "le", &[Written(*s, names), Written(*t, names)]),
            Constraint::RowEq(s, t) => one(to, "eq", &[Written(s, names), Written(t, names)]),
            Constraint::RowLe(s, t) => one(to, "le", &[Written(s, names), Written(t, names)]),
        }
    }
}

/// A value that is none is 0.
impl Serialize for Written<'_, Option<Term>> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(term) => Written(term, self.1).serialize(to),
            None => to.serialize_u64(0),
        }
    }
}

impl Serialize for Written<'_, Constraint> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Written(&self.0, self.1).serialize(to)
    }
}

/// An object with one field.
fn one<S: Serializer>(to: S, key: &str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut object = to.serialize_map(Some(1))?;
    object.serialize_entry(key, value)?;
    object.end()
}

/// Variables with their values; a value that is none is 0.
pub type Entries = Vec<(Var, Option<Term>)>;

/// The same with their names, in the order given.
pub struct Values<'a>(pub Entries, pub &'a Names);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Values(entries, names) = self;
        let mut object = to.serialize_map(Some(entries.len()))?;
        for (var, value) in entries {
            let var = Written(*var, names);
            match value {
                Some(term) => object.serialize_entry(&var, &Written(term, names))?,
                None => object.serialize_entry(&var, &0)?,
            }
        }
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Json;
    use lozenge::notation::parse_system;
    use lozenge::wire;

    #[test]
    fn what_is_written_is_what_the_wire_format_has() {
        let mut names = Names::new();
        let text =
            "a = 3\n3:rgb <= 1∅\n[a, 5:x] <r> [unit] <= [] <> [2]\n<r> ~ <s> [18446744073709551615]\n[α′] <> [] ~ <r>";
        let mut phi = parse_system(text, &mut names).expect("a system");
        let (dim, row) = (names.fresh_dim(), names.fresh_row());
        phi.push(Constraint::DimLe(dim.into(), dim.into()));
        phi.push(Constraint::RowEq(row.into(), RowTerm::new([dim.into()], Some(row), Vec::new())));
        for phi in &phi {
            let tree = serde_json::to_string(&Json(wire::constraint(phi, &names))).expect("JSON");
            assert_eq!(serde_json::to_string(&Written(phi, &names)).expect("JSON"), tree);
        }
        let values = Values(vec![(Var::Row(row), Some(Term::Row(row.into()))), (Var::Dim(dim), None)], &names);
        let text = serde_json::to_string(&values).expect("JSON");
        assert_eq!(text, r#"{"?5":{"lead":[],"trail":[],"var":"?5"},"?4":0}"#);
    }
}
