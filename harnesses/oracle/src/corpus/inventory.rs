//! The inventory of a corpus: which files there are, and what is in each. A file that is missing, cut short or too many
//! is noticed, and is not a corpus with fewer cases.

use crate::output::{Failure, visible_path};
use crate::system::Source;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the inventory of a folder is called.
pub const NAME: &str = "inventory.json";

/// The files of a corpus.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inventory {
    cases: usize,
    files: BTreeMap<String, Entry>,
}

/// What is in one of them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    cases: usize,
    sha256: String,
}

/// The SHA-256 digest of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Something about a file of a corpus that is not as it should be.
pub fn wrong(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::input("file", format!("{}: {what}", visible_path(path)))
}

impl Inventory {
    /// One more file, with so many cases.
    pub fn add(&mut self, name: &str, cases: usize, text: &str) {
        self.cases += cases;
        self.files.insert(name.to_owned(), Entry { cases, sha256: sha256(text.as_bytes()) });
    }

    /// As it is written.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The inventory of a folder; a folder may have none.
    pub fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let path = folder.join(NAME);
        Source::read_if_there(&path)?.map(|source| Inventory::of_text(&path, &source.text)).transpose()
    }

    /// Read from a text.
    pub fn of_text(path: &Path, text: &str) -> Result<Self, Failure> {
        let inventory: Inventory =
            serde_json::from_str(text).map_err(|error| wrong(path, format!("this is no inventory: {error}")))?;
        let total: usize = inventory.files.values().map(|entry| entry.cases).sum();
        if total != inventory.cases {
            let what = format!("its files have {total} cases, and it says {}", inventory.cases);
            return Err(wrong(path, what));
        }
        Ok(inventory)
    }

    /// Does it list this file?
    pub fn lists(&self, file: &Path) -> bool {
        self.entry(file).is_some()
    }

    fn entry(&self, file: &Path) -> Option<&Entry> {
        self.files.get(file.file_name()?.to_str()?)
    }

    /// Are these all the files of a folder, and no others?
    pub fn check_names(&self, folder: &Path, files: &[PathBuf]) -> Result<(), Failure> {
        for (name, entry) in &self.files {
            let file = folder.join(name);
            if !files.contains(&file) {
                return Err(wrong(&file, format!("it is missing: {NAME} lists it, with {} cases", entry.cases)));
            }
        }
        match files.iter().find(|file| !self.lists(file)) {
            Some(other) => Err(wrong(other, format!("{NAME} of this folder does not list it"))),
            None => Ok(()),
        }
    }

    /// Is a file what is listed under its name, if it is listed?
    pub fn check(&self, file: &Path, cases: usize, text: &str) -> Result<(), Failure> {
        let Some(entry) = self.entry(file) else { return Ok(()) };
        if entry.cases != cases {
            return Err(wrong(file, format!("it has {cases} cases, and {NAME} says {}", entry.cases)));
        }
        if entry.sha256 != sha256(text.as_bytes()) {
            return Err(wrong(file, format!("it is not the file that {NAME} lists: another SHA-256 digest")));
        }
        Ok(())
    }
}
