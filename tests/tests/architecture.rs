//! The house of spec/architecture.md, held to what is there: which crate may use which, what the calculus does without,
//! how long files are.
#![allow(missing_docs)]

use lozenge_tests::{read, root};
use std::path::{Path, PathBuf};

/// Each crate of core with the crates of core that it may use.
const DOORS: [(&str, &[&str]); 8] = [
    ("calculus", &[]),
    ("engine", &["calculus"]),
    ("staged", &["calculus", "engine"]),
    ("notation", &["calculus"]),
    ("language", &["calculus", "engine", "staged", "notation"]),
    ("values", &["calculus", "language"]),
    ("ranged", &["calculus", "notation"]),
    ("lozenge", &["calculus", "engine", "staged", "notation", "language", "values", "ranged"]),
];

/// The lines of `[dependencies]` of a crate.
fn dependencies(manifest: &str) -> Vec<&str> {
    let after = manifest.split("\n[dependencies]\n").nth(1).unwrap_or("");
    let section = after.split("\n[").next().unwrap_or("");
    section.lines().filter(|line| !line.starts_with('#') && line.contains('=')).collect()
}

/// The Rust files under a folder, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() && !path.ends_with("target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn crates_use_what_is_drawn_and_no_other() {
    let folders = std::fs::read_dir(root().join("core")).expect("core").map(|entry| entry.expect("an entry").path());
    assert_eq!(folders.filter(|path| path.is_dir()).count(), DOORS.len(), "a crate that is not drawn");
    for (name, doors) in DOORS {
        let manifest = read(&format!("core/{name}/Cargo.toml"));
        for line in dependencies(&manifest) {
            let used = line.split([' ', '=', '.']).next().unwrap_or(line);
            if let Some(of_core) = used.strip_prefix("lozenge-") {
                assert!(doors.contains(&of_core), "core/{name} uses core/{of_core}, which is not drawn");
            }
        }
    }
}

/// Nothing but the standard library: what there is is for verifiers, and built only where it is asked for.
#[test]
fn the_calculus_depends_on_nothing() {
    let manifest = read("core/calculus/Cargo.toml");
    let needed: Vec<&str> =
        dependencies(&manifest).into_iter().filter(|line| !line.contains("optional = true")).collect();
    assert!(needed.is_empty(), "{needed:?}");
}

/// Vectors, maps and plain loops.
#[test]
fn the_calculus_is_plain() {
    for path in sources(&root().join("core/calculus/src")) {
        let text = std::fs::read_to_string(&path).expect("text");
        for word in
            ["RefCell", "Cell<", "Mutex", "OnceLock", "with_capacity", ".reserve(", "unsafe {", "HashMap<RowVar"]
        {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}

#[test]
fn files_are_short_enough_to_read() {
    let folders =
        ["core", "spec", "harnesses/laws", "harnesses/oracle", "harnesses/playground", "harnesses/bench", "tests"];
    let long = folders.iter().flat_map(|folder| sources(&root().join(folder))).filter_map(|path| {
        let lines = std::fs::read_to_string(&path).expect("text").lines().count();
        (lines > 400).then(|| format!("{}: {lines} lines", path.display()))
    });
    let long: Vec<String> = long.collect();
    assert!(long.is_empty(), "{long:?}");
}

/// The modules that a program of tests is made of, against the files and folders beside it.
fn left_out(program: &str, beside: &[String]) -> Vec<String> {
    let listed = |name: &&String| !program.lines().any(|line| line == format!("mod {name};"));
    beside.iter().filter(listed).cloned().collect()
}

#[test]
fn every_file_of_tests_is_run() {
    for (folder, program) in [("harnesses/laws/tests", "laws"), ("tests/tests", "suite")] {
        let entries =
            std::fs::read_dir(root().join(folder)).expect(folder).map(|entry| entry.expect("an entry").path());
        let of_tests =
            entries.filter(|path| path.extension().is_some_and(|it| it == "rs") || path.join("main.rs").is_file());
        let names = of_tests.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
        let names: Vec<String> = names.filter(|name| name != program).collect();
        assert!(names.len() > 20, "{folder}: {}", names.len());
        assert_eq!(left_out(&read(&format!("{folder}/{program}.rs")), &names), Vec::<String>::new(), "{folder}");
    }
}

#[test]
fn the_checks_can_fail() {
    assert_eq!(left_out("mod rows;\n", &["rows".to_owned(), "rules".to_owned()]), ["rules"]);

    let manifest = "[package]\nname = \"x\"\n\n[dependencies]\n# why\nlozenge-engine = { workspace = true }\nserde = \"1\"\n\n[lints]\n";
    assert_eq!(dependencies(manifest), ["lozenge-engine = { workspace = true }", "serde = \"1\""]);
}
