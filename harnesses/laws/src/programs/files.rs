//! The programs that stand in tests/.

use std::path::PathBuf;

/// A folder of tests/.
#[must_use]
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// The programs of a folder of tests/, each with its name, in order.
///
/// # Panics
/// Where the folder or a file of it cannot be read.
#[must_use]
pub fn files(name: &str) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder(name)).expect("the folder").map(|e| e.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "loz"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a program");
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
    };
    paths.into_iter().map(read).collect()
}
