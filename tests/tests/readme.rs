//! What the documentation shows is true: commands print what it says, numbers are those of the
//! index, links lead somewhere, examples are in the notation and in the format.
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::notation::{NotationError, parse_ground, parse_system};
use lozenge::semantics::holds;
use lozenge::wire;
use lozenge_spec::{CLAIMS, Status};
use lozenge_tests::{blocks, lozenge, markdown_files, read, root};
use serde_json::Value;
use std::process::Command;

/// The words of a command line; single quotes keep one together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for c in line.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn commands_print_what_the_readme_shows() {
    const RUN: &str = "$ cargo run -q -- ";
    let mut runs = 0;
    for block in blocks(&read("README.md")).iter().filter(|block| block.tag == "console") {
        let shown: Vec<&str> = block.text.lines().collect();
        for (i, line) in shown.iter().enumerate() {
            let Some(arguments) = line.strip_prefix(RUN) else { continue };
            let expected: Vec<&str> = shown[i + 1..].iter().take_while(|l| !l.starts_with("$ ")).copied().collect();
            let output = Command::new(lozenge()).args(words(arguments)).current_dir(root()).output().expect("it runs");
            let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
            assert_eq!(printed.trim_end(), expected.join("\n").trim_end(), "{line}");
            runs += 1;
        }
    }
    assert!(runs >= 2, "the README shows runs");
}

#[test]
fn the_evidence_table_has_the_numbers_of_the_index() {
    let readme = read("README.md");
    let row = |name: &str| {
        let cells = readme.lines().find_map(|line| line.strip_prefix(&format!("| {name} | ")));
        let cells = cells.unwrap_or_else(|| panic!("README.md: no row for {name}"));
        cells.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or_else(|| panic!("{name}: no number"))
    };
    use Status::{Bounded, Complete, Defined, NotYet, Open, Proved, Refuted, Tested};
    for status in [Proved, Complete, Bounded, Tested, Refuted, Open, Defined, NotYet] {
        let count = CLAIMS.iter().filter(|claim| claim.status == status).count();
        assert_eq!(row(&format!("`{status}`")), count, "README.md: {status}");
    }
    assert_eq!(row("all"), CLAIMS.len(), "README.md: all");
}

/// The crates from elsewhere that a manifest names.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in read(manifest).lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once([' ', '.', '=']).filter(|_| inside && !line.starts_with('#')) {
            found.push(name.to_owned());
        }
    }
    found.retain(|name| !name.starts_with("lozenge"));
    found
}

#[test]
fn every_dependency_has_its_reason() {
    let readme = read("README.md");
    for manifest in ["", "core/", "spec/", "harnesses/", "harnesses/oracle/", "harnesses/fuzz/", "tests/"] {
        for name in dependencies(&format!("{manifest}Cargo.toml")) {
            assert!(readme.contains(&format!("| `{name}` |")), "README.md: why is {name} there?");
        }
    }
}

/// Markdown without what stands between fences.
fn prose(markdown: &str) -> String {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if !fenced && !fence {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The anchors of the headings of a page: lower case, blanks as hyphens, other signs left out.
fn anchors(markdown: &str) -> Vec<String> {
    let keep = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let anchor = |title: &str| title.chars().filter(|c| keep(*c)).collect::<String>().to_lowercase().replace(' ', "-");
    let headings = prose(markdown);
    headings.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_matches(['#', ' ']))).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut pages = ["README.md", "proofs/README.md", "proofs/lean/README.md"].map(str::to_owned).to_vec();
    pages.extend(markdown_files("spec"));
    pages.extend(markdown_files("spec/findings"));
    let mut links = 0;
    for page in pages {
        let text = prose(&read(&page));
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
            let file = if path.is_empty() { root().join(&page) } else { root().join(folder).join(path) };
            assert!(file.exists(), "{page}: {target} is not there");
            if !anchor.is_empty() {
                let there = std::fs::read_to_string(&file).unwrap_or_default();
                assert!(anchors(&there).iter().any(|a| a == anchor), "{page}: {target} has no such heading");
            }
            links += 1;
        }
    }
    assert!(links > 50, "links were found: {links}");
}

#[test]
fn constraints_and_values_of_the_specification_are_in_the_notation() {
    for page in markdown_files("spec") {
        let (mut names, mut phi) = (Names::new(), Vec::new());
        for block in blocks(&read(&page)) {
            let refused = |error: NotationError| -> ! { panic!("{page}: {}", error.render(&block.text)) };
            match block.tag.as_str() {
                "constraints" => {
                    names = Names::new();
                    phi = parse_system(&block.text, &mut names).unwrap_or_else(|error| refused(error));
                }
                "values" => {
                    let gamma = parse_ground(&block.text, &mut names).unwrap_or_else(|error| refused(error));
                    for constraint in &phi {
                        assert!(holds(&gamma, constraint), "{page}: {} fails", names.show(constraint));
                    }
                }
                _ => {}
            }
        }
    }
}

/// A block tagged `refused` holds messages with the line that each concerns.
#[test]
fn refused_texts_get_the_messages_shown() {
    let mut messages = 0;
    for block in blocks(&read("spec/notation.md")).iter().filter(|block| block.tag == "refused") {
        for message in block.text.trim_end().split("\n\n") {
            let source = message.lines().find_map(|line| line.strip_prefix("1 | ")).expect("the line it concerns");
            let mut names = Names::new();
            let error = if source.contains(":=") || source.contains('↦') {
                parse_ground(source, &mut names).expect_err(source)
            } else {
                parse_system(source, &mut names).expect_err(source)
            };
            assert_eq!(error.render(source), message);
            messages += 1;
        }
    }
    assert!(messages >= 5, "messages are shown");
}

/// A block tagged `wire` holds constraints, one a line; a block tagged `json` holds other messages.
#[test]
fn examples_of_the_protocol_are_in_the_format() {
    let schema = jsonschema::validator_for(&wire::schema()).expect("a schema");
    let mut lines = 0;
    for block in blocks(&read("spec/protocol.md")).iter().filter(|block| ["wire", "json"].contains(&&*block.tag)) {
        let mut names = Names::new();
        for line in block.text.lines() {
            let json: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            if block.tag == "wire" {
                let phi = wire::read_constraint(&json, &mut names).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(wire::constraint(&phi, &names), json, "read and written unchanged");
                assert!(schema.is_valid(&json), "{line}: the schema refuses it");
            }
            for constraint in json["constraints"].as_array().into_iter().flatten() {
                wire::read_constraint(constraint, &mut names).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
            lines += 1;
        }
    }
    assert!(lines >= 4, "examples are shown");
}

#[test]
fn no_file_names_a_place_on_somebodys_machine() {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(list).current_dir(root()).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("not a git checkout: there is no list of files to look at");
        return;
    };
    let machines = ["work", "root", "home", "Users"].map(|folder| format!("/{folder}/"));
    for path in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
        // Deleted files are still listed, and what is not text has no lines.
        let Ok(text) = std::fs::read_to_string(root().join(path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            for machine in &machines {
                assert!(!line.contains(machine), "{path}:{}: {line}", number + 1);
            }
        }
    }
}
