//! What the integration tests share. The tests themselves are in `tests/tests`.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod bridge;
pub mod browser;
pub mod claims;
pub mod derivation;
pub mod exports;
pub mod extracted;
pub mod hostile;
pub mod mutate;
pub mod oracle;
pub mod served;
pub mod session;
pub mod world;

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::wire;
pub use lozenge_harnesses::markdown::{Block, blocks};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The top of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The text of a file of the repository.
///
/// # Panics
/// When there is no such file.
#[must_use]
pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The Markdown files of a folder, in order.
///
/// # Panics
/// When there is no such folder.
#[must_use]
pub fn markdown_files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut files: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("{folder}/{name}"))
        .collect();
    files.sort();
    files
}

/// The programs in a folder and below it, in order.
///
/// # Panics
/// When there is no such folder.
#[must_use]
pub fn loz_files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut files = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files.extend(loz_files(&path));
        } else if path.ends_with(".loz") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A program for each specification of tests/sources/specs.tsv: one operation on operands of the shapes given there.
///
/// # Panics
/// When the table has other columns.
#[must_use]
pub fn source_programs() -> Vec<String> {
    let table = read("tests/sources/specs.tsv");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let program = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, spec, _, operands, _] = columns[..] else { panic!("{line}") };
        lozenge_harnesses::programs::of_spec(spec, operands)
    };
    lines.map(program).collect()
}

/// Where cargo put the programs of this profile.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    test.ancestors().nth(2).expect("a program of tests is in deps").to_path_buf()
}

/// Cargo's folder for what it builds.
///
/// # Panics
/// When a test does not know where it is.
#[must_use]
pub fn target() -> PathBuf {
    built().parent().expect("a profile's folder is in cargo's").to_path_buf()
}

/// The command `lozenge`, built from the sources as they are now: cargo builds the binaries of a package before its tests.
/// Another one, as that of a release, where `LOZENGE_TESTED` has its path from the top of the repository.
///
/// # Panics
/// When a test does not know where it is, or there is no such command.
#[must_use]
pub fn lozenge() -> PathBuf {
    if let Some(named) = std::env::var_os("LOZENGE_TESTED") {
        let named = root().join(named);
        assert!(named.is_file(), "LOZENGE_TESTED: there is no {}", named.display());
        return named;
    }
    tested()
}

/// The command with a fault in each input that has this word. Only one with debug assertions has such faults, so it is the one
/// that is built for tests.
///
/// # Panics
/// When a test does not know where it is.
#[must_use]
pub fn provoked(variable: &str, word: &str) -> Command {
    let mut command = Command::new(tested());
    command.env(variable, word);
    command
}

fn tested() -> PathBuf {
    let built = built().join("lozenge-tested");
    assert!(built.is_file(), "{}: cargo test -p lozenge-tests builds it", built.display());
    built
}

/// Runs the command at the top of the repository with this text on standard input, whatever the caller's
/// environment says about colours and checkers: status, stdout, stderr.
///
/// # Panics
/// When it does not start or end, or does not write UTF-8.
#[must_use]
pub fn run(args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(lozenge())
        .args(args)
        .current_dir(root())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("LOZENGE_CHECKER")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lozenge starts");
    // A process that refuses its arguments does not read. Answers are read while requests are written: pipes are small.
    let (mut to, bytes) = (child.stdin.take().expect("stdin"), stdin.as_bytes().to_vec());
    let writer = std::thread::spawn(move || drop(to.write_all(&bytes)));
    let output = child.wait_with_output().expect("lozenge ends");
    writer.join().expect("the writer ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The answers of the oracle to these lines.
///
/// # Panics
/// When a line has no answer, or one that is not JSON.
#[must_use]
pub fn ask(requests: &[String]) -> Vec<serde_json::Value> {
    let (status, out, err) = run(&["oracle"], &(requests.join("\n") + "\n"));
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let answer = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let answers: Vec<serde_json::Value> = out.lines().map(answer).collect();
    assert_eq!(answers.len(), requests.len(), "one answer a line");
    answers
}

/// The programs of a folder of the repository and of the folders in it: path and text, in order.
///
/// # Panics
/// When there is no such folder.
#[must_use]
pub fn programs(folder: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let found = names.into_iter().map(|name| format!("{folder}/{name}")).flat_map(|path| {
        if root().join(&path).is_dir() {
            return programs(&path);
        }
        if path.ends_with(".loz") { vec![(path.clone(), read(&path))] } else { Vec::new() }
    });
    found.collect()
}

/// Status and answer of a command in JSON, with this text on standard input.
///
/// # Panics
/// When it does not answer in JSON.
#[must_use]
pub fn json(args: &[&str], stdin: &str) -> (Option<i32>, serde_json::Value) {
    let (status, out, err) = run(&[args, &["--json"]].concat(), stdin);
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}{err}")))
}

/// A request of the corpus for the command line: its constraints in the notation, its policy and limits as options,
/// its leaves and parameters as options. None where it has no constraints.
#[must_use]
pub fn as_command(request: &serde_json::Value) -> Option<(String, Vec<String>, Vec<String>)> {
    let mut names = Names::new();
    let list = request["constraints"].as_array()?;
    let phi: Option<Vec<Constraint>> = list.iter().map(|c| wire::read_constraint(c, &mut names).ok()).collect();
    let text: String = phi?.iter().map(|c| format!("{}\n", names.show(c))).collect();
    let mut options = Vec::new();
    for (of, name) in [("policy", "guard"), ("policy", "strategy"), ("policy", "seed"), ("limits", "fuel")] {
        let value = &request[of][name];
        let value = value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|n| n.to_string()));
        options.extend(value.into_iter().flat_map(|value| [format!("--{name}"), value]));
    }
    let of = |field: &str, option: &str| {
        let given = request[field].as_array().cloned().unwrap_or_default();
        let names = given.iter().filter_map(serde_json::Value::as_str);
        names.flat_map(|v| [option.to_owned(), v.to_owned()]).collect::<Vec<_>>()
    };
    Some((text, options, [of("leaves", "--leaf"), of("params", "--param")].concat()))
}

/// The cases of the conformance corpus.
///
/// # Panics
/// When a file is missing or a line is not JSON.
#[must_use]
pub fn corpus() -> Vec<serde_json::Value> {
    let folder = root().join("tests/conformance");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "jsonl"));
    files.sort();
    let text = |file: &PathBuf| std::fs::read_to_string(file).expect("a file of cases");
    let lines: String = files.iter().map(text).collect();
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// An empty folder of this name below `target`.
///
/// # Panics
/// When it cannot be made.
#[must_use]
pub fn scratch(name: &str) -> PathBuf {
    let folder = root().join("target/scratch").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}

/// A number from the environment.
#[must_use]
pub fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The Python that runs the engines of tests/engines: the program itself, where `python3` is a script that looks for it
/// at each start.
#[must_use]
pub fn python() -> &'static str {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let said = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
        let path = String::from_utf8(said.stdout).ok()?.trim().to_owned();
        // It stands in lines for the shell.
        (Path::new(&path).is_absolute() && !path.contains(|c: char| c.is_whitespace() || c == '\'')).then_some(path)
    });
    found.as_deref().unwrap_or("python3")
}
