//! Cases for parsers: every specification and shape of the source documents, some more, and some that are wrong.

use super::case::Case;
use serde_json::json;
use std::collections::BTreeSet;

/// Specifications that the documents do not have: each kind of axis, both modes.
const SPECS: [&str; 14] = [
    "i12 => i",
    "i 1 2 => i",
    "i12, => i12",
    "..r.. => ..r..",
    "... | ..batch.. -> ... => ...",
    "_ _ => 0",
    "head, _, 3 => head",
    "a^b^c, d => d, a",
    "2*o => o",
    "s*o+1, c => o, c",
    "o=+k; k => o",
    "2*o=+1+3*k, c; k, c -> d => o, d",
    "s*o<+e*k, ..rest..; k => o, ..rest..",
    "=>",
];

/// Texts that are no specification.
const WRONG_SPECS: [&str; 10] = [
    "",
    "ij; jk",
    "ij -> jk -> k => i",
    "i => j => k",
    "i, j k => i",
    "... ... => i",
    "..r..; r => r",
    "oh=kh, c => c",
    "i => j; k",
    "i $ => i",
];

const SHAPES: [&str; 7] = ["->", "3:rgb", "?, _, unit", "n, ..r.., 4", "... | ... -> ...", "2 | 3 -> 4", "1∅"];

/// Texts that are no shape.
const WRONG_SHAPES: [&str; 6] = ["", "0", "3 4", "3 | 4 | 5", "... 3 ...", "3 -> 4 -> 5"];

/// The second column of a table, its comments left out.
fn column(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').nth(1))
}

/// The cases, from the tables of specifications and of shapes.
pub fn cases(specs: &str, shapes: &str) -> Vec<Case> {
    let specs: Vec<&str> = column(specs).chain(SPECS).chain(WRONG_SPECS).collect();
    let shapes: Vec<&str> = column(shapes).chain(SHAPES).chain(WRONG_SHAPES).collect();
    let mut seen = BTreeSet::new();
    let mut cases = Vec::new();
    for (field, about, texts) in [("spec", "a specification as a tree", specs), ("shape", "a shape as a tree", shapes)]
    {
        for text in texts.into_iter().filter(|text| seen.insert((field, *text))) {
            let id = format!("parse/{field}-{}", cases.len() + 1);
            cases.push(Case::new(&id, about, json!({"op": "parse", field: text}), &[]));
        }
    }
    cases
}
