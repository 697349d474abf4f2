//! What is published can be built from what is published: metadata, versions, and every file that a crate embeds.
//! `cargo package --workspace` builds it all, which takes minutes; here the lists of files are read.
#![allow(missing_docs)]

use lozenge_tests::root;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// What cargo prints.
fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(args).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The packages of the workspace, as cargo describes them.
fn packages() -> Vec<Value> {
    let text = cargo(&["metadata", "--offline", "--locked", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&text).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

/// Is it meant for others? `publish = false` is an empty list.
fn published(package: &Value) -> bool {
    package["publish"].is_null()
}

/// The folder of a package.
fn folder(package: &Value) -> PathBuf {
    let manifest = package["manifest_path"].as_str().expect("a manifest");
    Path::new(manifest).parent().expect("a folder").to_path_buf()
}

/// The files that are published, from the package's folder.
fn listed(package: &Value) -> BTreeSet<PathBuf> {
    cargo(&["package", "--list", "--allow-dirty", "--offline", "-p", name(package)])
        .lines()
        .map(PathBuf::from)
        .collect()
}

/// A path without `.` and `..`; none where it leads out of its folder.
fn plain(path: &Path) -> Option<PathBuf> {
    path.components().try_fold(PathBuf::new(), |mut plain, part| match part {
        Component::ParentDir => plain.pop().then_some(plain),
        Component::CurDir => Some(plain),
        part => {
            plain.push(part);
            Some(plain)
        }
    })
}

/// The files that a source embeds, as they stand there.
fn embedded(text: &str) -> Vec<&str> {
    let macros = ["include_str!(", "include_bytes!(", "include!("];
    let after = macros.iter().flat_map(|it| text.split(it).skip(1));
    // What is no literal would have to be looked at by hand: it is kept whole, and found nowhere.
    after
        .map(|rest| rest.trim_start().strip_prefix('"').map_or(rest, |text| text.split('"').next().unwrap_or(text)))
        .collect()
}

#[test]
fn what_is_published_says_what_it_is() {
    let packages = packages();
    let versions: BTreeSet<&str> = packages.iter().filter_map(|package| package["version"].as_str()).collect();
    assert_eq!(versions.len(), 1, "one version for all: {versions:?}");
    let found: Vec<&Value> = packages.iter().filter(|package| published(package)).collect();
    assert!(found.iter().any(|package| name(package) == "lozenge-oracle"), "the command can be installed");
    assert!(found.iter().any(|package| name(package) == "lozenge"), "the library can be used");
    for package in found {
        let of = name(package);
        for field in ["description", "license", "repository", "readme", "rust_version"] {
            assert!(package[field].as_str().is_some_and(|text| !text.is_empty()), "{of}: {field}");
        }
        let words = |field: &str| package[field].as_array().map_or(0, Vec::len);
        assert!((1..=5).contains(&words("keywords")) && (1..=5).contains(&words("categories")), "{of}");
        let files = listed(package);
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(files.contains(Path::new(file)), "{of}: {file}");
            assert!(folder(package).join(file).is_file(), "{of}: {file} leads somewhere");
        }
    }
}

/// What is published needs nothing that is not, and asks for it by version.
#[test]
fn what_is_published_depends_on_what_is_published() {
    let packages = packages();
    let of = |wanted: &str| packages.iter().find(|package| name(package) == wanted);
    for package in packages.iter().filter(|package| published(package)) {
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let Some(other) = dependency["name"].as_str().and_then(of) else { continue };
            let (from, to, asked) = (name(package), name(other), dependency["req"].as_str().expect("a version"));
            if dependency["kind"] == "dev" {
                // The examples of the documentation use the façade: with a version, nothing could be published first.
                assert_eq!(asked, "*", "{from}: {to} is there for tests, by its path alone");
            } else {
                let version = other["version"].as_str().expect("a version");
                assert!(published(other), "{from} needs {to}");
                assert_eq!(asked, format!("={version}"), "{from}: {to}");
            }
        }
    }
}

#[test]
fn what_a_crate_embeds_is_published_with_it() {
    let mut found = 0;
    for package in packages().iter().filter(|package| published(package)) {
        let files = listed(package);
        for source in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
            let text = std::fs::read_to_string(folder(package).join(source)).expect("a source");
            for path in embedded(&text) {
                let target = source.parent().and_then(|parent| plain(&parent.join(path)));
                let inside = target.is_some_and(|target| files.contains(&target));
                assert!(inside, "{}: {}: {path} is not published", name(package), source.display());
                found += 1;
            }
        }
    }
    assert!(found >= 10, "embedded files were found: {found}");
}

/// Links stay inside of the repository and lead somewhere.
#[test]
fn links_between_files_lead_somewhere() {
    let list = Command::new("git").args(["ls-files", "-s", "-z"]).current_dir(root()).output().expect("git runs");
    let list = String::from_utf8(list.stdout).expect("UTF-8");
    let links: Vec<&str> = list.split_terminator('\0').filter(|line| line.starts_with("120000 ")).collect();
    assert!(links.len() >= 3, "{links:?}");
    let top = root().canonicalize().expect("the repository");
    for link in links.iter().filter_map(|line| line.split('\t').nth(1)) {
        let target = std::fs::read_link(root().join(link)).unwrap_or_else(|error| panic!("{link}: {error}"));
        assert!(target.is_relative(), "{link} leads to {}", target.display());
        let there = root().join(link).canonicalize().unwrap_or_else(|error| panic!("{link}: {error}"));
        assert!(there.starts_with(&top), "{link} leads to {}", there.display());
    }
}

#[test]
fn the_checks_can_fail() {
    let text =
        "const A: &str = include_str!(\"../a.txt\"); const B: &[u8] = include_bytes!( \"b\"); include!(concat!(x));";
    assert_eq!(embedded(text)[..2], ["../a.txt", "b"]);
    assert!(embedded(text)[2].starts_with("concat!"));
    assert_eq!(plain(Path::new("src/corpus/../../data/x")), Some(PathBuf::from("data/x")));
    assert_eq!(plain(Path::new("src/../../x")), None);
}
