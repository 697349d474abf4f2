//! Where things are in the site, and where the links of a document lead.

use super::made::Made;
use super::markdown;
use crate::output::Failure;
use lozenge_spec::{CLAIMS, Place};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A file with more bytes has no page.
const MOST_BYTES: usize = 1 << 20;

/// The page of a statement.
pub fn statement(id: &str) -> String {
    format!("s/{id}.html")
}

/// The page of a file of the checkout: a document keeps its place, every other file is a source.
pub fn page(path: &str) -> String {
    match path.strip_suffix(".md") {
        Some(stem) => format!("{stem}.html"),
        None => format!("src/{path}.html"),
    }
}

/// The way from one page of the site to another, or to a place on it.
pub fn way(from: &str, to: &str) -> String {
    format!("{}{to}", "../".repeat(from.matches('/').count()))
}

/// The folder of a path, with its last slash.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// A path without `.` and `..`; none where it leaves the checkout.
fn plain(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What the site has, and what was asked for so far.
pub struct Addresses<'m> {
    made: &'m Made,
    /// Where names are defined that documents write without their file: tests, harnesses, theorems.
    names: BTreeMap<String, (String, usize)>,
    wanted: RefCell<BTreeSet<String>>,
    anchors: RefCell<BTreeMap<String, Rc<BTreeSet<String>>>>,
}

impl<'m> Addresses<'m> {
    pub fn of(made: &'m Made) -> Result<Self, Failure> {
        let mut names = BTreeMap::new();
        for path in made.files_in("proofs/coq/", ".v")? {
            let text = made.text(&path).unwrap_or_default();
            for (i, line) in text.lines().enumerate() {
                let mut words = line.split(|c: char| c.is_whitespace() || c == ':');
                if matches!(words.next(), Some("Theorem" | "Lemma" | "Corollary")) {
                    names.insert(words.next().unwrap_or_default().to_owned(), (path.clone(), i + 1));
                }
            }
        }
        for place in CLAIMS.iter().flat_map(super::site::places) {
            if let (Some(name), Some(line)) = (place.symbol(), made.checkout.line(place)) {
                names.insert(name.to_owned(), (place.path().to_owned(), line));
            }
        }
        // A short word may mean something else.
        names.retain(|name, _| name.contains('_'));
        Ok(Addresses { made, names, wanted: RefCell::default(), anchors: RefCell::default() })
    }

    /// A file is to have a page, if it can have one.
    pub fn want(&self, path: &str) {
        self.found(path);
    }

    /// The files that are to have a page, in order.
    pub fn wanted(&self) -> Vec<String> {
        self.wanted.borrow().iter().cloned().collect()
    }

    /// The page of a file.
    fn found(&self, path: &str) -> Option<String> {
        let fits = self.made.text(path).is_some_and(|text| text.len() <= MOST_BYTES);
        fits.then(|| {
            self.wanted.borrow_mut().insert(path.to_owned());
            page(path)
        })
    }

    /// The page and line of a place.
    pub fn place(&self, place: &Place) -> Option<String> {
        let page = self.found(place.path())?;
        Some(match self.made.checkout.line(place) {
            Some(line) => format!("{page}#L{line}"),
            None => page,
        })
    }

    /// Does a document have this heading?
    fn has_anchor(&self, path: &str, anchor: &str) -> bool {
        let mut anchors = self.anchors.borrow_mut();
        let known = anchors.entry(path.to_owned()).or_insert_with(|| {
            Rc::new(markdown::anchors(&self.made.text(path).unwrap_or_default()).into_iter().collect())
        });
        known.contains(anchor)
    }

    /// Where a link of a document leads; none for what the site does not have.
    pub fn link(&self, document: &str, to: &str) -> Option<String> {
        if to.contains("://") || to.starts_with("mailto:") {
            return None;
        }
        let (path, anchor) = to.split_once('#').unwrap_or((to, ""));
        let path = if path.is_empty() { document.to_owned() } else { plain(&format!("{}{path}", folder(document)))? };
        let readme = if path.is_empty() { "README.md".to_owned() } else { format!("{path}/README.md") };
        let (path, page) = match self.found(&path) {
            Some(page) => (path, page),
            None => (readme.clone(), self.found(&readme)?),
        };
        let there = !anchor.is_empty() && path.ends_with(".md") && self.has_anchor(&path, anchor);
        Some(if there { format!("{page}#{anchor}") } else { page })
    }

    /// Where a piece of code in a document leads: a path, a place `path#symbol`, or the name of a test or a theorem.
    pub fn code(&self, document: &str, text: &str) -> Option<String> {
        if let Some((path, line)) = self.names.get(text) {
            return Some(format!("{}#L{line}", self.found(path)?));
        }
        let looks = text.contains(['/', '.']) && !text.contains(char::is_whitespace) && !text.starts_with(['.', '/']);
        if !looks {
            return None;
        }
        // Chapters write paths from the top, from themselves, and from the calculus.
        let folders = ["", folder(document), "core/calculus/src/"];
        folders.iter().find_map(|folder| self.place(&Place(format!("{folder}{text}"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_ways() {
        assert_eq!(page("spec/findings/F1.md"), "spec/findings/F1.html");
        assert_eq!(page("core/calculus/src/dim.rs"), "src/core/calculus/src/dim.rs.html");
        assert_eq!(way("s/2.7.html", "index.html"), "../index.html");
        assert_eq!(way("index.html", "s/2.7.html#code"), "s/2.7.html#code");
        assert_eq!(plain("spec/findings/../../core/./a.rs").as_deref(), Some("core/a.rs"));
        assert_eq!(plain("spec/../../etc/passwd"), None);
    }
}
