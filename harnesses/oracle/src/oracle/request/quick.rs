//! Constraints that are as constraints usually are, read without a tree of JSON: they become terms as they are met.
//!
//! What is read here means what [`lozenge::wire`] reads in it. Whatever is unusual, an escape in a string or a mistake,
//! is none: the text is then read again by that, which says what is wrong.

use lozenge::constraint::Constraint;
use lozenge::dim::{Atom, Basis, Dim};
use lozenge::names::{Names, Sort};
use lozenge::notation::is_name;
use lozenge::term::{DimTerm, DimVar, RowTerm, RowVar, Term, Var};
use lozenge::text::check_name;

/// The constraints of a text that is known to be JSON, and what they call things.
pub fn system(text: &str) -> Option<(Vec<Constraint>, Names)> {
    let mut read = Reader { text, at: 0, names: Names::new(), few: Vec::with_capacity(FEW) };
    let mut all = Vec::with_capacity(FEW);
    read.each(|read| {
        all.push(read.constraint()?);
        Some(())
    })?;
    Some((all, read.names))
}

/// How many variables count as few.
const FEW: usize = 16;

/// A place in the text, and what names mean there.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    names: Names,
    /// The first few variables: to compare a few short names is faster than to look one up.
    few: Vec<(&'a str, Var)>,
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
    /// The next byte that is no blank.
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            self.at += 1;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// A string whose first quote has been read, if it has no escapes.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        self.at = start + length + 1;
        (rest[length] == b'"').then(|| self.text.get(start..start + length)).flatten()
    }

    /// A string.
    fn text(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        self.string()
    }

    /// A whole number.
    fn number(&mut self) -> Option<u64> {
        match self.next()? {
            first @ b'0'..=b'9' => self.digits(first),
            _ => None,
        }
    }

    /// A whole number whose first digit has been read.
    fn digits(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first - b'0');
        loop {
            match self.text.as_bytes().get(self.at)? {
                digit @ b'0'..=b'9' => number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?,
                b'.' | b'e' | b'E' => return None,
                _ => return Some(number),
            }
            self.at += 1;
        }
    }

    /// Each item of a list.
    fn each(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        let first = self.at;
        if self.next()? == b']' {
            return Some(());
        }
        self.at = first;
        loop {
            item(self)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    fn flank(&mut self) -> Option<Vec<DimText<'a>>> {
        let mut flank = Vec::new();
        self.each(|read| {
            // A dimension is no row: nothing here goes deeper.
            flank.push(read.dimension()?);
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
            b'n' => {
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
            b'{' => match self.parts(row)? {
                Parts { lead: None, var: Some(Some(var)), trail: None, n: None, basis: None } => DimText::Var(var),
                Parts { lead: None, var: None, trail: None, n: Some(n), basis: Some(basis) } => {
                    DimText::Based(n, basis)
                }
                Parts { lead: Some(lead), var, trail: Some(trail), n: None, basis: None } => {
                    return Some(TermText::Row(lead, var.flatten(), trail));
                }
                _ => return None,
            },
            _ => return None,
        }))
    }

    fn dimension(&mut self) -> Option<DimText<'a>> {
        match self.written(false)? {
            TermText::Dim(dim) => Some(dim),
            TermText::Row(..) => None,
        }
    }

    /// Variables get their numbers in the order lead, variable, trail, in whichever order the keys stand.
    fn term(&mut self) -> Option<Term> {
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
        let known = self.few.iter().find(|(known, _)| *known == name).map(|(_, var)| *var);
        let var = match known {
            Some(var) => var,
            None if is_usual(name) => self.names.var(sort, name).ok()?,
            None => return None,
        };
        if known.is_none() && self.few.len() < FEW {
            self.few.push((name, var));
        }
        (var.sort() == sort).then(|| var.id())
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

fn is_usual(name: &str) -> bool {
    is_name(name) && check_name(name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::system;
    use lozenge::json;
    use lozenge::names::Names;
    use lozenge::wire::read_constraint;

    /// What is read quickly is what the wire format reads; the same variables have the same numbers.
    #[test]
    fn quick_is_the_same() {
        let terms = [
            "3",
            "0",
            "1.0",
            "1e3",
            "-1",
            "18446744073709551615",
            "18446744073709551616",
            "\"unit\"",
            "\"other\"",
            "null",
            r#"{"var":"a"}"#,
            r#"{"var":"\u0061"}"#,
            r#"{"var":"?1"}"#,
            r#"{"var":"unit"}"#,
            r#"{"var":null}"#,
            "{}",
            r#"{"n":3,"basis":"rgb"}"#,
            r#"{"basis":"β","n":2}"#,
            r#"{"n":3}"#,
            r#"{"n":3,"basis":"x","var":"a"}"#,
            r#"{"lead":[],"trail":[]}"#,
            r#"{"trail":[{"var":"b"}],"var":"r","lead":[{"var":"c"},"unit",2]}"#,
            r#"{ "lead" : [ 3 , {"var":"α′"} ] , "var" : null , "trail" : [ ] }"#,
            r#"{"lead":[],"var":"a","trail":[]}"#,
            r#"{"lead":[{"lead":[],"trail":[]}],"trail":[]}"#,
            r#"{"lead":[],"lead":[],"trail":[]}"#,
            r#"{"lead":[3]}"#,
        ];
        let (mut quick, mut all) = (0, 0);
        for one in terms {
            for other in terms {
                for relation in ["eq", "le", "lt"] {
                    let text = format!(r#"[{{"{relation}":[{one},{other}]}},{{"le":[{{"var":"z"}},{one}]}}]"#);
                    let mut names = Names::new();
                    let slow = json::value(&text).ok().and_then(|list| {
                        let read = |item| read_constraint(item, &mut names).ok();
                        list.as_array()?.iter().map(read).collect::<Option<Vec<_>>>()
                    });
                    all += usize::from(slow.is_some());
                    if let Some((phi, known)) = system(&text) {
                        assert_eq!(Some(phi), slow, "{text}");
                        assert!(known.vars().eq(names.vars()), "{text}");
                        assert!(names.vars().all(|v| known.var_name(v.id()) == names.var_name(v.id())), "{text}");
                        quick += 1;
                    }
                }
            }
        }
        assert!(quick > 0 && quick <= all, "{quick} of {all}");
    }
}
