//! What the documentation shows is true: commands print what it says, numbers are those of the
//! index, links lead somewhere, examples are in the notation and in the format.
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::notation::{NotationError, parse_ground, parse_system};
use lozenge::semantics::holds;
use lozenge::wire;
use lozenge_spec::{CLAIMS, Status};
use lozenge_tests::{blocks, markdown_files, read, root, scratch, target};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Commands that documents show and that this test does not run, each with the reason. They begin like this.
const NOT_RUN: [(&str, &str); 12] = [
    ("tests/all", "runs all tests, this one among them"),
    ("tests/verifiers/check", "a step of tests/all, with builds of its own"),
    ("make -C proofs/coq check", "takes many minutes, and is a step of tests/all"),
    ("make -C proofs/coq checker", "needs Coq; the tests of the checker build it"),
    ("make -C proofs/coq model", "needs Coq; the tests of the bridge build it"),
    ("cargo nextest run -p lozenge-tests -E 'test(/^bridge/)'", "tests that tests/all runs"),
    ("harnesses/fuzz/run ", "fuzzes for hours; `readers` runs the same bodies"),
    (
        "harnesses/bench/run --write",
        "measures for minutes on a machine that does nothing else, and writes its numbers into the document",
    ),
    ("cd proofs/lean && lake build", "needs Lean"),
    ("harnesses/statements/", "needs Kani"),
    ("cargo creusot ", "needs Creusot"),
    ("cd core/calculus && cargo prusti ", "needs Prusti"),
];
/// What stands for a program of the reader's.
const PLACEHOLDER: &str = "./my-engine";

/// A command of a document.
struct Shown {
    page: String,
    /// The line as it stands there, for `sh`.
    command: String,
    /// What it prints, where that is shown.
    prints: Option<String>,
}

/// The files that a clone would have.
fn tracked() -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().expect("git runs");
    assert!(output.status.success(), "the repository is a git checkout: {}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).expect("UTF-8");
    let there = |path: &&str| root().join(path).is_file() || root().join(path).is_symlink();
    list.split_terminator('\0').filter(there).map(str::to_owned).collect()
}

/// The commands of a page: behind `$ ` in `console` blocks, with what they print; the lines of `sh` blocks; and indented
/// lines that begin like one.
fn commands(page: &str) -> Vec<Shown> {
    let text = read(page);
    let shown = |command: &str, prints| Shown { page: page.to_owned(), command: command.trim().to_owned(), prints };
    let mut found = Vec::new();
    for block in blocks(&text) {
        let lines: Vec<&str> = block.text.lines().collect();
        match block.tag.as_str() {
            "console" => {
                for (i, line) in lines.iter().enumerate() {
                    let Some(command) = line.trim_start().strip_prefix("$ ") else { continue };
                    let prints = lines[i + 1..].iter().take_while(|l| !l.trim_start().starts_with("$ "));
                    found.push(shown(command, Some(prints.copied().collect::<Vec<_>>().join("\n"))));
                }
            }
            "sh" => found.extend(lines.iter().filter(|l| !l.trim().is_empty()).map(|line| shown(line, None))),
            _ => {}
        }
    }
    let begins = ["cargo ", "make ", "cd ", "tests/", "harnesses/", "lozenge ", "python3 "];
    let prose = prose(&text);
    let indented = prose.lines().filter_map(|line| line.strip_prefix("    "));
    found.extend(indented.filter(|line| begins.iter().any(|b| line.starts_with(b))).map(|line| shown(line, None)));
    found
}

/// The tracked files in a folder of their own, with their times, so that cargo sees what has changed since the last run.
fn checkout() -> std::path::PathBuf {
    let folder = scratch("checkout");
    for path in tracked() {
        let (from, to) = (root().join(&path), folder.join(&path));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        if let Ok(target) = from.read_link() {
            std::os::unix::fs::symlink(target, &to).unwrap_or_else(|error| panic!("{path}: {error}"));
            continue;
        }
        std::fs::copy(&from, &to).unwrap_or_else(|error| panic!("{path}: {error}"));
        let time = from.metadata().and_then(|data| data.modified()).expect("a time");
        std::fs::File::options().write(true).open(&to).and_then(|file| file.set_modified(time)).expect("the same time");
    }
    folder
}

/// Builds of the checkout lie where those of the project do, so that they share what both need. In the end they are
/// forgotten: else the next build of the project would take them for its own, and not see what was edited.
struct Forgotten;

impl Drop for Forgotten {
    fn drop(&mut self) {
        let prints = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
        let of_checkout = |path: &Path| {
            let said = std::fs::read(path).unwrap_or_default();
            said.windows(CHECKOUT.len()).any(|part| part == CHECKOUT)
        };
        for build in prints(&target().join("debug/.fingerprint")) {
            if prints(&build).any(|path| of_checkout(&path)) {
                let _ = std::fs::remove_dir_all(&build);
            }
        }
    }
}

/// How a build names a source of the checkout: beginning at the folder of builds.
const CHECKOUT: &[u8] = b"scratch/checkout/";

/// Runs a line in a checkout as a reader would: by the shell, cargo included. What the checkout needs from elsewhere is
/// built already.
fn sh(command: &str, checkout: &std::path::Path) -> std::process::Output {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(checkout).env("CARGO_TARGET_DIR", target());
    // What cargo tells a test about itself is not what a reader's shell has.
    for (name, _) in std::env::vars_os() {
        let named = name.to_string_lossy();
        let cargos = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "NEXTEST", "LOZENGE_"];
        if cargos.iter().any(|start| named.starts_with(start)) {
            shell.env_remove(&name);
        }
    }
    shell.output().expect("sh runs")
}

/// Every command of every document, as it stands there, in a fresh checkout. A place that is not committed is missing
/// there, and so is what an earlier build left.
#[test]
fn commands_of_the_documents_run_as_they_stand() {
    let pages: Vec<String> = tracked().into_iter().filter(|path| path.ends_with(".md")).collect();
    let all: Vec<Shown> = pages.iter().flat_map(|page| commands(page)).collect();
    let passed_over = |command: &str| NOT_RUN.iter().position(|(start, _)| command.starts_with(start));
    for (i, (start, reason)) in NOT_RUN.iter().enumerate() {
        let used = all.iter().any(|shown| passed_over(&shown.command) == Some(i));
        assert!(
            used || NOT_RUN[..i].iter().any(|(other, _)| start.starts_with(other)),
            "no document has {start}: {reason}"
        );
    }
    let checkout = checkout();
    let _forgotten = Forgotten;
    let mut runs = 0;
    for Shown { page, command, prints } in &all {
        if passed_over(command).is_some() {
            let program = command.split(' ').next().filter(|word| word.contains('/'));
            assert!(program.is_none_or(|path| checkout.join(path).is_file()), "{page}: {command}: no such program");
            continue;
        }
        if command.contains(PLACEHOLDER) {
            continue;
        }
        let output = sh(command, &checkout);
        let printed = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat();
        match prints {
            Some(prints) => assert_eq!(printed.trim_end(), prints.trim_end(), "{page}: {command}"),
            None => {
                assert!(output.stderr.is_empty() && !output.stdout.is_empty(), "{page}: {command}: {printed}");
                assert!(matches!(output.status.code(), Some(0 | 1)), "{page}: {command}: {printed}");
            }
        }
        runs += 1;
    }
    assert!(runs >= 15, "{runs} commands were run");
}

#[test]
fn the_evidence_table_has_the_numbers_of_the_index() {
    let readme = read("README.md");
    let row = |name: &str| -> [usize; 2] {
        let cells = readme.lines().find_map(|line| line.strip_prefix(&format!("| {name} | ")));
        let cells = cells.unwrap_or_else(|| panic!("README.md: no row for {name}"));
        let mut numbers = cells.split(" | ").map(str::parse);
        [(); 2].map(|()| numbers.next().and_then(Result::ok).unwrap_or_else(|| panic!("{name}: no number")))
    };
    for status in Status::LADDER {
        let printed = CLAIMS.iter().filter(|claim| claim.printed_status == Some(status)).count();
        let holds = CLAIMS.iter().filter(|claim| claim.status == status).count();
        assert_eq!(row(&format!("`{status}`")), [printed, holds], "README.md: {status}");
    }
    let printed = CLAIMS.iter().filter(|claim| claim.printed.is_some()).count();
    assert_eq!(row("all"), [printed, CLAIMS.len()], "README.md: all");
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
    let within = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder").filter_map(Result::ok);
        entries.map(|entry| format!("{folder}/{}/Cargo.toml", entry.file_name().to_string_lossy())).collect()
    };
    let top = ["Cargo.toml", "spec/Cargo.toml", "tests/Cargo.toml"].map(str::to_owned);
    for manifest in top.into_iter().chain(within("core")).chain(within("harnesses")) {
        for name in dependencies(&manifest) {
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
    let mut links = 0;
    for page in tracked().into_iter().filter(|path| path.ends_with(".md")) {
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
