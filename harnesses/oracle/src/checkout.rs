//! The checkout that the command is run in: where the index's places stand in it, and how they are run.

use crate::output::{Failure, visible_path};
use crate::system::Source;
use lozenge_spec::Place;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// A folder with the specification in it. Files are read once.
pub struct Checkout {
    /// Its top.
    pub root: PathBuf,
    read: RefCell<BTreeMap<String, Option<Rc<str>>>>,
}

impl Checkout {
    /// Looks for it from the working directory upwards.
    pub fn here() -> Option<Self> {
        let from = std::env::current_dir().ok()?;
        let root = from.ancestors().find(|at| at.join("spec/index.toml").is_file())?;
        Some(Checkout { root: root.to_path_buf(), read: RefCell::default() })
    }

    /// The text of a file; none where there is no such file, or no text in it.
    pub fn text(&self, path: &str) -> Option<Rc<str>> {
        let mut read = self.read.borrow_mut();
        let read = read.entry(path.to_owned());
        read.or_insert_with(|| Some(Source::read_if_there(&self.root.join(path)).ok()??.text.into())).clone()
    }

    /// The text of a file that must be there.
    pub fn needed(&self, path: &str) -> Result<Rc<str>, Failure> {
        self.text(path).ok_or_else(|| {
            let folder = visible_path(&self.root);
            Failure::input("file", format!("cannot read {path} in the checkout {folder}"))
        })
    }

    /// The line, from 1, on which what a place names is defined.
    pub fn line(&self, place: &Place) -> Option<usize> {
        let text = self.text(place.path())?;
        let lines: Vec<&str> = text.lines().collect();
        defined(&lines, place.symbol()?).map(|at| at + 1)
    }
}

/// The line, from 0, that defines a symbol. `Type::item` is an item in an `impl` of the type.
pub fn defined(lines: &[&str], symbol: &str) -> Option<usize> {
    let Some((owner, item)) = symbol.split_once("::") else {
        return lines.iter().position(|line| defines(line, symbol));
    };
    let heads = lines.iter().enumerate().filter(|(_, line)| line.starts_with("impl") && has_word(line, owner));
    heads.map(|(at, _)| at).find_map(|at| {
        let body = lines.iter().skip(at).take_while(|line| **line != "}");
        body.enumerate().find(|(_, line)| defines(line, item)).map(|(i, _)| at + i)
    })
}

/// Is a word in a line, and no part of a longer one?
fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|it| it == word)
}

/// Words before the name of what a line of Rust, Coq or Lean defines.
const KEYWORDS: [&str; 22] = [
    "fn",
    "struct",
    "enum",
    "trait",
    "type",
    "const",
    "static",
    "mod",
    "macro_rules!",
    "Theorem",
    "Lemma",
    "Corollary",
    "Proposition",
    "Remark",
    "Definition",
    "Fixpoint",
    "Inductive",
    "CoInductive",
    "Record",
    "Example",
    "theorem",
    "def",
];

/// Words that may stand before those.
const MODIFIERS: [&str; 8] = ["pub", "crate", "super", "async", "unsafe", "Local", "Program", "private"];

fn defines(line: &str, name: &str) -> bool {
    let apart = |c: char| c.is_whitespace() || "(<{:;=)".contains(c);
    let mut words = line.split(apart).filter(|word| !word.is_empty()).skip_while(|word| MODIFIERS.contains(word));
    // A function may be `const fn`.
    words.next().is_some_and(|word| KEYWORDS.contains(&word))
        && words.find(|word| *word != "fn").is_some_and(|word| word == name)
}

/// A place of the index with its line, and the command that runs it.
#[derive(Serialize)]
pub struct Found {
    place: String,
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

impl Found {
    /// Where a place is, if there is a checkout.
    pub fn of(place: &Place, checkout: Option<&Checkout>) -> Self {
        Found {
            place: place.0.clone(),
            line: checkout.and_then(|it| it.line(place)),
            command: commands(std::iter::once(place)).pop(),
        }
    }
}

/// `path:line symbol`, as editors read it; without a checkout `path#symbol`.
pub fn shown(place: &Place, checkout: Option<&Checkout>) -> String {
    match (checkout.and_then(|it| it.line(place)), place.symbol()) {
        (Some(line), Some(symbol)) => format!("{}:{line} {symbol}", place.path()),
        _ => place.0.clone(),
    }
}

/// The program of tests that a file belongs to, as Cargo is told of it.
fn tests_of(path: &str) -> Option<String> {
    let folders =
        [("harnesses/laws/tests/", "lozenge-harnesses --test laws"), ("tests/tests/", "lozenge-tests --test suite")];
    let (_, program) = folders.into_iter().find(|(folder, _)| path.starts_with(folder))?;
    Some(format!("cargo test -p {program} --"))
}

/// The commands that run these tests or check these theorems: one for each program.
pub fn commands<'p>(places: impl Iterator<Item = &'p Place>) -> Vec<String> {
    let mut runs: Vec<(String, Vec<&str>)> = Vec::new();
    for place in places {
        let proof = place.path().starts_with("proofs/coq/").then(|| "make -C proofs/coq check".to_owned());
        let Some(program) = tests_of(place.path()).or(proof.clone()) else { continue };
        let name = place.symbol().filter(|_| proof.is_none());
        match runs.iter_mut().find(|(other, _)| *other == program) {
            Some((_, names)) => names.extend(name.filter(|name| !names.contains(name))),
            None => runs.push((program, name.into_iter().collect())),
        }
    }
    runs.into_iter().map(|(program, names)| [vec![program.as_str()], names].concat().join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_defines() {
        assert!(defines("    pub fn join(&self) -> Dim {", "join") && !defines("    pub fn joined()", "join"));
        assert!(defines("Theorem def_1_2 : forall d,", "def_1_2") && defines("pub(crate) enum Rule {", "Rule"));
        assert!(defines("    pub const fn le(self) {", "le") && defines("    pub const EMPTY: Row = x;", "EMPTY"));
        assert!(!defines("/// A fn le", "le") && !defines("    let x: fn le = 1", "le"));
        let lines = ["fn le() {}", "impl Row {", "    fn le() {}", "}", "impl Le for Dim {", "    fn le() {}", "}"];
        assert_eq!(defined(&lines, "le"), Some(0));
        assert_eq!(defined(&lines, "Row::le"), Some(2));
        assert_eq!(defined(&lines, "Dim::le"), Some(5));
        assert_eq!(defined(&lines, "Dim::join"), None);
    }

    #[test]
    fn one_command_a_program() {
        let places = [
            "harnesses/laws/tests/programs/random.rs#a_law",
            "harnesses/laws/tests/programs/main.rs#another",
            "tests/tests/bridge.rs#bridge_rows",
            "core/calculus/src/dim.rs#Dim",
            "proofs/coq/theorems/Dim_thm.v#a",
            "proofs/coq/theorems/Row_thm.v#b",
        ];
        let places = places.map(|place| Place(place.to_owned()));
        let expected = [
            "cargo test -p lozenge-harnesses --test laws -- a_law another",
            "cargo test -p lozenge-tests --test suite -- bridge_rows",
            "make -C proofs/coq check",
        ];
        assert_eq!(commands(places.iter()), expected);
    }
}
