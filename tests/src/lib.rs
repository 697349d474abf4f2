//! What the integration tests share. The tests themselves are in `tests/tests`.
#![forbid(unsafe_code)]

pub mod bridge;
pub mod extracted;
pub mod hostile;
pub mod world;

pub use lozenge_harnesses::markdown::{Block, blocks};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

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

/// The command `lozenge`, built from the sources as they are now.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn lozenge() -> PathBuf {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        // Tests of one package do not build the binaries of another, so cargo is asked for it and says where it is.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "-q", "-p", "lozenge-oracle", "--bin", "lozenge", "--message-format", "json"];
        let output = Command::new(cargo).args(build).current_dir(root()).output().expect("cargo runs");
        assert!(output.status.success(), "lozenge builds: {}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8_lossy(&output.stdout);
        let executable = messages.lines().find_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            message["executable"].as_str().map(PathBuf::from)
        });
        executable.expect("cargo says where the binary is")
    });
    BINARY.clone()
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
    // A process that refuses its arguments does not read.
    let _ = child.stdin.take().expect("stdin").write_all(stdin.as_bytes());
    let output = child.wait_with_output().expect("lozenge ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
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

/// The Python that runs the engines of tests/engines.
#[must_use]
pub fn python() -> &'static str {
    "python3"
}
