//! What we depend on may be used: every licence in the lock files is one that deny.toml allows, and every source is
//! crates.io. `cargo deny check` looks at the same, and at advisories, where it is installed.
#![allow(missing_docs)]

use lozenge_tests::{read, root};
use serde_json::Value;
use std::process::Command;

/// What deny.toml says.
struct Deny {
    allow: Vec<String>,
    /// Crates with a licence of their own.
    exceptions: Vec<(String, Vec<String>)>,
    registries: Vec<String>,
}

fn texts(value: &toml::Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

fn deny() -> Deny {
    let file: toml::Value = toml::from_str(&read("deny.toml")).expect("TOML");
    let exceptions = file["licenses"]["exceptions"].as_array().expect("a list").iter();
    let exception = |it: &toml::Value| (it["crate"].as_str().expect("a name").to_owned(), texts(&it["allow"]));
    Deny {
        allow: texts(&file["licenses"]["allow"]),
        exceptions: exceptions.map(exception).collect(),
        registries: texts(&file["sources"]["allow-registry"]),
    }
}

/// Words and brackets of a licence expression. The slash is an old way to write OR.
fn words(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Is an expression fulfilled by these licences? OR binds weaker than AND.
fn fulfilled(expression: &str, allow: &[String]) -> bool {
    let words = words(expression);
    let mut at = 0;
    let answer = any(&words, &mut at, allow);
    assert_eq!(at, words.len(), "{expression} is read to its end");
    answer
}

fn any(words: &[String], at: &mut usize, allow: &[String]) -> bool {
    let mut answer = all(words, at, allow);
    while words.get(*at).is_some_and(|word| word == "OR") {
        *at += 1;
        answer |= all(words, at, allow);
    }
    answer
}

fn all(words: &[String], at: &mut usize, allow: &[String]) -> bool {
    let mut answer = one(words, at, allow);
    while words.get(*at).is_some_and(|word| word == "AND") {
        *at += 1;
        answer &= one(words, at, allow);
    }
    answer
}

fn one(words: &[String], at: &mut usize, allow: &[String]) -> bool {
    let mut name = words[*at].clone();
    *at += 1;
    if name == "(" {
        let answer = any(words, at, allow);
        assert_eq!(words[*at], ")");
        *at += 1;
        return answer;
    }
    if words.get(*at).is_some_and(|word| word == "WITH") {
        name = format!("{name} WITH {}", words[*at + 1]);
        *at += 2;
    }
    allow.contains(&name)
}

/// Every package of a lock file, all features on: those for other systems too, which no build here has fetched.
fn packages(manifest: &str) -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let args = ["metadata", "--locked", "--all-features", "--format-version", "1", "--manifest-path"];
    let output = Command::new(cargo).args(args).arg(root().join(manifest)).output().expect("cargo runs");
    assert!(output.status.success(), "{manifest}: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// What is wrong with a package.
fn refused(package: &Value, deny: &Deny) -> Option<String> {
    let name = package["name"].as_str().expect("a name");
    let ours = package["source"].is_null();
    if ours {
        return (!name.starts_with("lozenge")).then(|| format!("{name}: a path that is not ours"));
    }
    let source = package["source"].as_str().unwrap_or_default();
    if !deny.registries.iter().any(|registry| source == format!("registry+{registry}")) {
        return Some(format!("{name}: from {source}"));
    }
    let own = deny.exceptions.iter().find(|(of, _)| of == name).map_or(&[][..], |(_, allow)| allow);
    let allow: Vec<String> = deny.allow.iter().chain(own).cloned().collect();
    let expression = package["license"].as_str().unwrap_or("none");
    (!fulfilled(expression, &allow)).then(|| format!("{name}: {expression}"))
}

#[test]
fn every_dependency_may_be_used() {
    let deny = deny();
    let mut seen = 0;
    for manifest in ["Cargo.toml", "harnesses/fuzz/Cargo.toml"] {
        let packages = packages(manifest);
        let refused: Vec<String> = packages.iter().filter_map(|package| refused(package, &deny)).collect();
        assert!(refused.is_empty(), "{manifest}: deny.toml does not allow {refused:?}");
        seen += packages.len();
    }
    assert!(seen > 100, "{seen} packages");
}

/// Nothing is allowed that nobody needs.
#[test]
fn every_licence_and_exception_is_needed() {
    let deny = deny();
    let packages: Vec<Value> = ["Cargo.toml", "harnesses/fuzz/Cargo.toml"].iter().flat_map(|it| packages(it)).collect();
    for licence in &deny.allow {
        let fewer: Vec<String> = deny.allow.iter().filter(|other| *other != licence).cloned().collect();
        let without = Deny { allow: fewer, exceptions: deny.exceptions.clone(), registries: deny.registries.clone() };
        assert!(packages.iter().any(|package| refused(package, &without).is_some()), "{licence}: nobody needs it");
    }
    for (name, _) in &deny.exceptions {
        assert!(packages.iter().any(|package| package["name"] == name.as_str()), "{name}: not in a lock file");
    }
}

#[test]
fn expressions_are_read() {
    let allow = ["MIT", "Unicode-3.0"].map(str::to_owned);
    for good in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "X AND Y OR MIT"] {
        assert!(fulfilled(good, &allow), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR X) AND Y", "MIT WITH exception", "none"] {
        assert!(!fulfilled(bad, &allow), "{bad}");
    }
    let package = serde_json::json!({ "name": "x", "source": "git+https://example.org/x", "license": "MIT" });
    assert!(refused(&package, &deny()).is_some_and(|why| why.contains("git+")), "only the registry");
}
