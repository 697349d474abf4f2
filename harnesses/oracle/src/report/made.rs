//! What a site is made from: the checkout, its commit, the versions.

use crate::checkout::Checkout;
use crate::output::Failure;
use lozenge_spec::kani;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// The newest commit of the checkout.
pub struct Commit {
    pub hash: String,
    /// Are there changes beside it?
    pub changed: bool,
}

/// What every page is made from.
pub struct Made {
    pub checkout: Checkout,
    /// None for a copy without its history.
    pub commit: Option<Commit>,
    /// The files that belong to it, where git says which.
    files: Option<BTreeSet<String>>,
    /// Names and versions of the tools.
    pub tools: Vec<(&'static str, String)>,
}

/// What git says in a folder.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok())?
}

/// Is the folder the top of a repository? A copy inside another one has that one's history.
fn has_history(root: &Path) -> bool {
    let top = git(root, &["rev-parse", "--show-toplevel"]);
    let same = |top: String| Some(Path::new(top.trim_end()).canonicalize().ok()? == root.canonicalize().ok()?);
    top.and_then(same).unwrap_or(false)
}

/// What stands between two texts, the first time.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(found, _)| found.trim())
}

impl Made {
    pub fn of(checkout: Checkout) -> Result<Self, Failure> {
        if lozenge_spec::read(&checkout.needed("spec/index.toml")?).ok() != lozenge_spec::parse().ok() {
            let why = "spec/index.toml of this checkout is not the one that this command was built with";
            return Err(Failure::input("file", format!("{why}: build lozenge from this checkout")));
        }
        let root = &checkout.root;
        let history = has_history(root);
        let hash = git(root, &["rev-parse", "HEAD"]).filter(|_| history);
        let commit = hash.map(|hash| Commit {
            hash: hash.trim().to_owned(),
            // A report inside of the checkout is no change.
            changed: git(root, &["status", "--porcelain", "--untracked-files=no"]).is_none_or(|text| !text.is_empty()),
        });
        let listed = git(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).filter(|_| history);
        let files = listed.map(|text| text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect());
        let tools = tools(&checkout)?;
        Ok(Made { checkout, commit, files, tools })
    }

    /// The text of a file that belongs to the checkout.
    pub fn text(&self, path: &str) -> Option<std::rc::Rc<str>> {
        let inside = !path.is_empty() && !path.starts_with('/') && path.split('/').all(|part| part != "..");
        let listed = self.files.as_ref().is_none_or(|files| files.contains(path));
        if inside && listed { self.checkout.text(path) } else { None }
    }

    /// The files of a folder and of those below it with one ending, in order.
    pub fn files_in(&self, folder: &str, ending: &str) -> Result<Vec<String>, Failure> {
        let mut found = match &self.files {
            Some(files) => files.iter().filter(|path| path.starts_with(folder)).cloned().collect(),
            None => self.walked(folder.trim_end_matches('/'))?,
        };
        found.retain(|path| path.ends_with(ending));
        found.sort();
        Ok(found)
    }

    fn walked(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let failure = |error| Failure::input("file", format!("cannot read {folder} in the checkout: {error}"));
        let mut found = Vec::new();
        let entries = match std::fs::read_dir(self.checkout.root.join(folder)) {
            // A copy may have less than the whole.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
            entries => entries.map_err(failure)?,
        };
        for entry in entries {
            let entry = entry.map_err(failure)?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => found.extend(self.walked(&path)?),
                false => found.push(path),
            }
        }
        Ok(found)
    }

    /// The commit, in a sentence.
    pub fn said(&self) -> String {
        match &self.commit {
            Some(Commit { hash, changed: false }) => format!("commit {hash}"),
            Some(Commit { hash, changed: true }) => format!("commit {hash}, with changes that are not in it"),
            None => "a copy without its history".to_owned(),
        }
    }
}

/// The versions, as the checkout names them.
fn tools(checkout: &Checkout) -> Result<Vec<(&'static str, String)>, Failure> {
    let cargo = checkout.needed("Cargo.toml")?;
    let opam = checkout.text("proofs/coq/coq-lozenge.opam");
    let lean = checkout.text("proofs/lean/lean-toolchain");
    let found = [
        ("Lozenge", Some(env!("CARGO_PKG_VERSION"))),
        ("Rust, at least", between(&cargo, "rust-version = \"", "\"")),
        ("Coq, at least", opam.as_deref().and_then(|text| between(text, "\"coq\" {>= \"", "\""))),
        ("Lean", lean.as_deref().and_then(|text| Some(text.trim().rsplit_once(':')?.1))),
        ("", Some(&*kani::KANI.version)),
    ];
    Ok(found.into_iter().filter_map(|(name, version)| Some((name, version?.to_owned()))).collect())
}
