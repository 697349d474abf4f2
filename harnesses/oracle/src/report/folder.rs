//! The folder that a site is written into. It has a list of the site's files; without that list it is somebody else's.

use crate::output::{Failure, visible_path};
use crate::system::Source;
use crate::whole::{Target, make_folder, try_folder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The list.
const LIST: &str = "lozenge-report.json";

#[derive(Default, Serialize, Deserialize)]
struct List {
    files: BTreeSet<String>,
}

/// A folder for a site: a new one, an empty one, or one with an earlier site.
pub struct Folder {
    path: PathBuf,
    /// The files of the earlier site.
    earlier: BTreeSet<String>,
}

fn refused(path: &Path, why: &str) -> Failure {
    Failure::input("file", format!("{} {why}", visible_path(path)))
}

/// Does a path lead to a place inside of the folder?
fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

impl Folder {
    /// Looks at a folder, and makes it if it is not there.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let listed = match std::fs::read_dir(path) {
            Ok(entries) => {
                let empty = entries.into_iter().next().is_none();
                let list = Source::read_if_there(&path.join(LIST)).ok().flatten();
                match list.and_then(|list| serde_json::from_str::<List>(&list.text).ok()) {
                    Some(list) => list,
                    None if empty => List::default(),
                    None => {
                        let why = "is not empty and holds no earlier report: name another folder, or empty this one";
                        return Err(refused(path, why));
                    }
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => List::default(),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(refused(path, "is a file, or inside of one: name a folder"));
            }
            Err(error) => return Err(refused(path, &format!("cannot be read: {error}"))),
        };
        try_folder(path)?;
        Ok(Folder { path: path.to_owned(), earlier: listed.files.into_iter().filter(|path| is_inside(path)).collect() })
    }

    fn list(&self, files: BTreeSet<String>) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(&List { files })
            .map_err(|error| Failure::input("internal", format!("the list of files is not written: {error}")))?;
        Target::open(&self.path.join(LIST))?.write(format!("{text}\n").as_bytes())
    }

    /// Writes the files, each whole, and takes away what only the earlier site had. As long as it is at work the list
    /// has the files of both, so that a run that was interrupted can be repeated.
    pub fn write(&self, files: &[(String, String)]) -> Result<(), Failure> {
        let new: BTreeSet<String> = files.iter().map(|(path, _)| path.clone()).collect();
        self.list(&new | &self.earlier)?;
        for (path, text) in files {
            let to = self.path.join(path);
            to.parent().map_or(Ok(()), make_folder)?;
            Target::open(&to)?.write(text.as_bytes())?;
        }
        for gone in self.earlier.difference(&new) {
            self.remove(gone)?;
        }
        self.list(new)
    }

    /// Takes away a file, and the folders that it leaves empty.
    fn remove(&self, path: &str) -> Result<(), Failure> {
        let file = self.path.join(path);
        match std::fs::remove_file(&file) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(refused(&file, &format!("cannot be removed: {error}"))),
        }
        let above = file.ancestors().skip(1).take_while(|folder| *folder != self.path);
        // A folder with something else in it stays.
        above.map_while(|folder| std::fs::remove_dir(folder).ok()).for_each(drop);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_do_not_lead_out_of_the_folder() {
        assert!(is_inside("s/2.7.html") && is_inside("index.html"));
        assert!(["", "../a", "/etc/passwd", "s/../../a", "."].iter().all(|path| !is_inside(path)));
    }
}
