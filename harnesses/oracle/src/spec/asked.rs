//! What people ask for: `Def. 4.3`, `Lemma 5.1 (ii)`, `F1`, a rule's name.

use lozenge::closing::CloseRule;
use lozenge::rules::Rule;
use lozenge::staged::StageRule;
use serde::Serialize;

/// Words that stand before a number in the paper, in the singular.
const WORDS: [&str; 21] = [
    "definition",
    "def",
    "proposition",
    "prop",
    "lemma",
    "lem",
    "theorem",
    "thm",
    "corollary",
    "cor",
    "remark",
    "rem",
    "conjecture",
    "conj",
    "example",
    "section",
    "sec",
    "finding",
    "law",
    "claim",
    "statement",
];

/// Is this a word that says what the number after it is?
fn is_kind(word: &str) -> bool {
    let word = word.to_lowercase();
    WORDS.iter().any(|known| word == *known || word.strip_suffix('s') == Some(known))
}

/// The id that is meant: a word before the number goes, and `(ii)` is a part.
pub fn id(text: &str) -> String {
    let text = text.trim().trim_start_matches('§').trim_start();
    let letters = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (word, after) = text.split_at(letters);
    let after = after.trim_start_matches(|c: char| c == '.' || c.is_whitespace());
    let number = if is_kind(word) && !after.is_empty() { after } else { text };
    let mut id = String::new();
    for c in number.chars().filter(|c| !c.is_whitespace() && *c != ')') {
        let c = if c == '(' { '.' } else { c };
        if c != '.' || !id.ends_with('.') {
            id.push(c);
        }
    }
    id.trim_matches('.').to_owned()
}

/// A rule, and the number of the statement that defines it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Named {
    pub name: &'static str,
    pub words: &'static str,
    pub statement: String,
}

/// The rule of this name, however its letters are written.
pub fn rule(text: &str) -> Option<Named> {
    let solving = Rule::ALL.iter().map(|rule| (rule.name(), rule.words(), rule.definition()));
    let closing = CloseRule::ALL.iter().map(|rule| (rule.name(), rule.words(), "6.1"));
    let staged = StageRule::ALL.iter().map(|rule| (rule.name(), rule.words(), "8"));
    let mut all = solving.chain(closing).chain(staged);
    let (name, words, definition) = all.find(|(name, _, _)| name.eq_ignore_ascii_case(text.trim()))?;
    Some(Named { name, words, statement: id(definition) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant() {
        for (asked, meant) in [
            ("Def. 4.3", "4.3"),
            ("definition 4.3", "4.3"),
            ("Lemma 5.1", "5.1"),
            ("Lemma 5.1 (ii)", "5.1.ii"),
            ("Defs. 4.2", "4.2"),
            ("Remark\u{a0}2.15 (ii)(a)", "2.15.ii.a"),
            ("§6.1", "6.1"),
            ("§ 6", "6"),
            ("2.10(iii)", "2.10.iii"),
            ("5.2.(a)", "5.2.a"),
            ("finding F1", "F1"),
            ("Law L1", "L1"),
            ("F13.i", "F13.i"),
            ("R1a", "R1a"),
            ("2", "2"),
            ("lemma", "lemma"),
            ("défs 1", "défs1"),
            ("", ""),
        ] {
            assert_eq!(id(asked), meant, "{asked}");
        }
        let statement = |name: &str| rule(name).map(|rule| rule.statement);
        assert_eq!(statement("re-open-closed").as_deref(), Some("4.3.b"));
        assert_eq!(statement(" CL-leaf").as_deref(), Some("6.1"));
        assert_eq!(statement("RE"), None);
    }
}
