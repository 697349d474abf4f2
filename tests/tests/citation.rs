//! CITATION.cff has what the Citation File Format 1.2.0 asks for, and says the version of Cargo.toml and CHANGELOG.md.
#![allow(missing_docs)]

use lozenge_tests::read;

/// The fields at one level of indentation, from a line on, until the text is indented less: name and value.
fn fields(text: &str, indent: usize) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        let body = line.trim_start();
        if line.len() - body.len() != indent || body.starts_with("- ") {
            continue;
        }
        let (name, value) = body.split_once(':').unwrap_or_else(|| panic!("no field: {line}"));
        let value = value.trim();
        let plain = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
        assert!(!value.starts_with('"') || value.len() > 1 && value.ends_with('"'), "an open quote: {line}");
        found.push((name, plain.to_owned()));
    }
    found
}

/// The lines under a field of the top.
fn under(text: &str, name: &str) -> String {
    let lines = text.lines().skip_while(|line| *line != format!("{name}:")).skip(1);
    lines.take_while(|line| line.is_empty() || line.starts_with(' ')).collect::<Vec<_>>().join("\n")
}

fn value(fields: &[(&str, String)], name: &str) -> Option<String> {
    fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.clone())
}

/// The entries of `references`, each as if it began its own file.
fn references(text: &str) -> Vec<String> {
    let list = under(text, "references");
    list.split("  - type:").skip(1).map(|entry| format!("    type:{entry}")).collect()
}

/// A date as the format has it.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let numbers = parts.iter().all(|part| part.chars().all(|c| c.is_ascii_digit()));
    numbers && parts.iter().map(|part| part.len()).eq([4, 2, 2])
}

/// The version of the workspace.
fn version() -> String {
    let manifest = read("Cargo.toml");
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \"")).expect("a version");
    line.trim_end_matches('"').to_owned()
}

#[test]
fn it_has_what_the_format_asks_for() {
    let text = read("CITATION.cff");
    assert!(!text.contains('\t'), "YAML has no tabs");
    let top = fields(&text, 0);
    let get = |name: &str| value(&top, name).unwrap_or_else(|| panic!("CITATION.cff: {name} is missing"));
    assert_eq!(get("cff-version"), "1.2.0");
    assert_eq!(get("type"), "software");
    for field in ["message", "title", "abstract"] {
        assert!(get(field).len() > 10, "{field}");
    }
    assert!(is_date(&get("date-released")), "{}", get("date-released"));
    assert!(under(&text, "authors").contains("name:"), "somebody wrote it");
    let licences = under(&text, "license");
    assert!(licences.contains("- MIT") && licences.contains("- Apache-2.0"), "{licences}");
    assert!(under(&text, "keywords").lines().count() >= 3);
    let mut names: Vec<&str> = top.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "a field stands once");
}

#[test]
fn versions_and_dates_agree() {
    let text = read("CITATION.cff");
    let (top, preferred) = (fields(&text, 0), under(&text, "preferred-citation"));
    let preferred = fields(&preferred, 2);
    let released = value(&top, "date-released").expect("a date");
    for part in [&top, &preferred] {
        assert_eq!(value(part, "version"), Some(version()), "CITATION.cff and Cargo.toml");
        assert_eq!(value(part, "date-released").as_ref(), Some(&released));
        assert_eq!(value(part, "title"), value(&top, "title"));
    }
    let changes = read("CHANGELOG.md");
    let heading = format!("\n## [{}] - {released}\n", version());
    assert!(changes.contains(&heading), "CHANGELOG.md:{heading}");
    assert!(changes.contains("\n## [Unreleased]\n"), "a place for what comes next");
    let say = format!("Lozenge {}, claim", version());
    assert!(read("README.md").contains(&say) && text.contains(&say), "how a statement is cited: {say}");
}

/// The paper with the revision that is followed.
#[test]
fn the_paper_is_referred_to() {
    let text = read("CITATION.cff");
    let references = references(&text);
    let title = "The Formal Core of OCANNL's Shape and Projection Inference";
    assert!(read("spec/README.md").split_whitespace().collect::<Vec<_>>().join(" ").contains(title));
    let mut found = false;
    for reference in &references {
        let entry = fields(reference, 4);
        for field in ["type", "title", "notes"] {
            assert!(value(&entry, field).is_some_and(|text| !text.is_empty()), "{field} in {reference}");
        }
        assert!(reference.contains("    authors:\n"), "{reference}");
        if value(&entry, "title").as_deref() == Some(title) {
            found = true;
            let notes = value(&entry, "notes").expect("notes");
            let digest = notes.split_whitespace().map(|word| word.trim_end_matches('.')).find(|word| word.len() == 64);
            assert!(digest.is_some_and(|it| it.chars().all(|c| c.is_ascii_hexdigit())), "which revision: {notes}");
        }
    }
    assert!(found && references.len() >= 2, "{references:?}");
}

/// As long as nobody has filled in the repository, the placeholder stands in one place; then both files say it.
#[test]
fn the_repository_is_named_once() {
    let manifest = read("Cargo.toml");
    let line = manifest.lines().find_map(|line| line.strip_prefix("repository = \"")).expect("a repository");
    let url = line.trim_end_matches('"');
    let cited = value(&fields(&read("CITATION.cff"), 0), "repository-code");
    if url.contains("/OWNER/") {
        assert_eq!(cited, None, "the placeholder stands in Cargo.toml alone");
        assert!(read("CONTRIBUTING.md").contains(url), "what to do about it");
    } else {
        assert_eq!(cited.as_deref(), Some(url));
    }
}

#[test]
fn the_checks_can_fail() {
    let text = "a: \"x: y\"\nlist:\n  - one\n  inner: 2\n# b: 3\nb: 4\n";
    assert_eq!(fields(text, 0), [("a", "x: y".to_owned()), ("list", String::new()), ("b", "4".to_owned())]);
    assert_eq!(fields(&under(text, "list"), 2), [("inner", "2".to_owned())]);
    assert!(is_date("2026-11-15") && !is_date("2026-11") && !is_date("15-11-2026") && !is_date("2026-1-015"));
}
