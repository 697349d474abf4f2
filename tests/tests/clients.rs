//! The client in Python: its tests pass, its types are right, it is installed without an index. And the action that
//! runs other people's engines: what its script does, and that no input becomes a part of a script.
#![allow(missing_docs)]

use lozenge_tests::world::environment;
use lozenge_tests::{lozenge, python, read, root, scratch};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Status and everything that was printed.
fn ended(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (status.code(), [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat())
}

/// What a command prints that has to succeed.
fn succeeds(command: &mut Command) -> String {
    let (status, printed) = ended(command);
    assert_eq!(status, Some(0), "{command:?}: {printed}");
    printed
}

fn oracle() -> String {
    format!("'{}' oracle", lozenge().display())
}

#[test]
fn the_python_client_passes_its_tests() {
    let mut tests = Command::new(python());
    tests.args(["-m", "unittest", "discover", "-s", "tests"]).current_dir(root().join("clients/python"));
    tests.env("PYTHONPATH", "src").env("PYTHONDONTWRITEBYTECODE", "1").env("LOZENGE_ORACLE", oracle());
    let printed = succeeds(&mut tests);
    assert!(printed.ends_with("\nOK\n") && !printed.contains("Ran 0 tests"), "{printed}");
}

#[test]
fn the_python_client_has_types() {
    let mypy = ["-m", "mypy", "--cache-dir", "/dev/null"];
    let printed = succeeds(Command::new(environment("clients")).args(mypy).current_dir(root().join("clients/python")));
    assert!(printed.starts_with("Success: no issues found"), "{printed}");
}

#[test]
fn the_python_client_is_installed_without_an_index() {
    let folder = scratch("installed");
    succeeds(Command::new(python()).args(["-m", "venv"]).arg(&folder));
    let inside = folder.join("bin/python");
    let mut install = Command::new(&inside);
    install.args(["-m", "pip", "install", "--quiet", "--no-index"]).arg(root().join("clients/python"));
    succeeds(install.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PIP_FIND_LINKS"));
    let asks = "import lozenge_client, sys
with lozenge_client.Oracle([sys.argv[1], 'oracle']) as oracle:
    print(oracle.version()['wire'], lozenge_client.__file__)";
    let printed = succeeds(Command::new(&inside).args(["-c", asks]).arg(lozenge()).current_dir(&folder));
    assert!(printed.starts_with("1 ") && printed.contains("site-packages"), "{printed}");
    let listed = succeeds(Command::new(&inside).args(["-m", "pip", "show", "--files", "lozenge-client"]));
    assert!(listed.contains("lozenge_client/py.typed") && listed.contains("\nRequires: \n"), "{listed}");
    let version = format!("\nVersion: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(listed.contains(&version), "{listed}");
}

/// The script of the action, with a folder of its own for the command and the reports.
struct Action {
    folder: PathBuf,
}

impl Action {
    fn new(name: &str) -> Self {
        let folder = scratch(name);
        std::fs::create_dir(folder.join("home")).expect("a folder");
        Action { folder }
    }

    /// Puts a program in the place of the command.
    fn install(&self, script: &str) {
        let path = self.folder.join("home/lozenge");
        std::fs::write(&path, script).expect("a script");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("executable");
    }

    /// Puts the command itself in its place.
    fn link(&self) {
        std::os::unix::fs::symlink(lozenge(), self.folder.join("home/lozenge")).expect("a link");
    }

    /// Runs a step with these inputs, at the top of the repository.
    fn step(&self, step: &str, inputs: &[(&str, &str)]) -> (Option<i32>, String) {
        let mut script = Command::new("bash");
        script.arg(".github/action/run.sh").arg(step).current_dir(root());
        script.env("LOZENGE_HOME", self.folder.join("home")).env("LOZENGE_REPORTS", self.folder.join("reports"));
        script.env("GITHUB_OUTPUT", self.folder.join("output")).envs(inputs.iter().copied());
        ended(&mut script)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn path(&self, path: &str) -> String {
        self.folder.join(path).display().to_string()
    }
}

/// A command that writes down its arguments, one a line, and ends with a status for each.
const STUB: &str = r#"#!/bin/sh
printf '%s\n' "$@" >>"$0.asked"
case $1 in conform) exit 1 ;; fuzz) exit 0 ;; esac
"#;

#[test]
fn the_action_passes_its_inputs_on_as_they_are() {
    let action = Action::new("action-inputs");
    action.install(STUB);
    let engine = r#"./engine "a b" '$(touch broken)' ; `touch broken` && * $HOME"#;
    let inputs = [
        ("LOZENGE_ENGINE", engine),
        ("LOZENGE_CORPUS", "some cases.jsonl"),
        ("LOZENGE_KNOWN", "known differences.json"),
        ("LOZENGE_CASES", "500"),
        ("LOZENGE_TIME", "60"),
        ("LOZENGE_SEED", "7"),
        ("LOZENGE_SHARD", "2/4"),
        ("LOZENGE_OPS", "solve=5,check=3"),
    ];
    let (status, printed) = action.step("run", &inputs);
    assert_eq!(status, Some(1), "the greater status: {printed}");
    let [junit, report, fuzzed, found] =
        ["conform.xml", "conform.json", "fuzz.json", "found.jsonl"].map(|file| action.path(&format!("reports/{file}")));
    let (corpus, known) = ("some cases.jsonl", "known differences.json");
    let conform = ["conform", "--engine", engine, "--junit", &junit, "--report", &report, "--corpus", corpus];
    let fuzz = ["fuzz", "--engine", engine, "--report", &fuzzed, "--append", &found, "--known", known];
    let options = ["--cases", "500", "--time", "60", "--seed", "7", "--shard", "2/4", "--ops", "solve=5,check=3"];
    let asked = action.read("home/lozenge.asked");
    let expected = [&conform[..], &["--known", known], &fuzz, &options].concat();
    assert_eq!(asked.lines().collect::<Vec<_>>(), expected);
    let outputs = format!("junit={junit}\nreport={report}\nfuzz-report={fuzzed}\nfound={found}\n");
    assert_eq!(action.read("output"), outputs);
}

#[test]
fn what_is_left_out_is_not_asked() {
    let action = Action::new("action-less");
    action.install(STUB);
    let step = |inputs: &[(&str, &str)]| action.step("run", inputs).0;
    assert_eq!(step(&[("LOZENGE_CONFORM", "false"), ("LOZENGE_CASES", "0")]), Some(0), "nothing to do, no engine");
    assert_eq!(step(&[]), Some(2), "no engine");
    assert_eq!(step(&[("LOZENGE_ENGINE", "e"), ("LOZENGE_CONFORM", "maybe")]), Some(2));
    assert!(!action.folder.join("home/lozenge.asked").exists());
    assert_eq!(step(&[("LOZENGE_ENGINE", "e"), ("LOZENGE_CONFORM", "false")]), Some(0));
    let asked = action.read("home/lozenge.asked");
    assert!(asked.starts_with("fuzz\n") && !asked.contains("--known") && !asked.contains("--cases"), "{asked}");
}

#[test]
fn the_action_runs_an_engine() {
    let action = Action::new("action-engine");
    action.link();
    let (status, printed) = action.step("install", &[]);
    assert_eq!(status, Some(0), "{printed}");
    assert_eq!(action.read("output"), format!("lozenge={}\n", action.path("home/lozenge")));
    let run = |engine: &str| {
        let engine = format!("{} tests/engines/python/{engine}", python());
        let inputs = [("LOZENGE_CORPUS", "tests/conformance/paper.jsonl"), ("LOZENGE_OPS", "solve,check")];
        action.step("run", &[&inputs[..], &[("LOZENGE_ENGINE", &engine), ("LOZENGE_CASES", "200")]].concat())
    };
    let (status, printed) = run("engine.py");
    assert_eq!(status, Some(0), "{printed}");
    assert!(action.read("reports/conform.xml").contains("failures=\"0\""), "{printed}");
    let part = action.path("reports/fuzz.json");
    let merged = succeeds(Command::new(lozenge()).args(["fuzz", "--merge", &part, &part]));
    assert!(!merged.is_empty());
    let (status, printed) = run("mutant.py --bug pin-dropped");
    assert_eq!(status, Some(1), "{printed}");
    assert!(!action.read("reports/found.jsonl").is_empty(), "{printed}");
}

/// A release as a server has it, in files.
fn release(site: &Path, digest_of: &str) {
    let folder = site.join("me/lozenge/releases/download/v1.2.3");
    std::fs::create_dir_all(&folder).expect("a folder");
    let made = site.join("made");
    std::fs::create_dir_all(&made).expect("a folder");
    std::fs::write(made.join("lozenge"), "#!/bin/sh\necho released\n").expect("a script");
    std::fs::set_permissions(made.join("lozenge"), PermissionsExt::from_mode(0o755)).expect("executable");
    let archive = folder.join("lozenge-x86_64-unknown-linux-gnu.tar.gz");
    succeeds(Command::new("tar").args(["-c", "-z", "-f"]).arg(&archive).arg("-C").arg(&made).arg("lozenge"));
    let digest = "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
    let of = if digest_of.is_empty() { archive.clone() } else { root().join(digest_of) };
    let digest = succeeds(Command::new(python()).args(["-c", digest]).arg(of));
    std::fs::write(folder.join("lozenge-x86_64-unknown-linux-gnu.tar.gz.sha256"), digest).expect("a digest");
}

#[test]
fn the_action_downloads_a_release() {
    let install = |name: &str, digest_of: &str, version: &str, arch: &str| {
        let action = Action::new(name);
        let site = action.folder.join("site");
        release(&site, digest_of);
        let server = format!("file://{}", site.display());
        let inputs = [("LOZENGE_VERSION", version), ("LOZENGE_REPOSITORY", "me/lozenge"), ("RUNNER_OS", "Linux")];
        let (status, printed) =
            action.step("install", &[&inputs[..], &[("RUNNER_ARCH", arch), ("GITHUB_SERVER_URL", &server)]].concat());
        (status, printed, action.folder.join("home/lozenge").exists())
    };
    let (status, printed, there) = install("action-release", "", "v1.2.3", "X64");
    assert!(status == Some(0) && printed.contains("released") && there, "{printed}");
    for (digest_of, version, arch, says) in [
        ("README.md", "v1.2.3", "X64", "is not what its digest says"),
        ("", "v1.2.4", "X64", "cannot be downloaded"),
        ("", "v1.2.3/../v1.2.3", "X64", "version is"),
        ("", "$(id)", "X64", "version is"),
        ("", "v1.2.3", "RISCV", "no release for this machine"),
    ] {
        let (status, printed, there) = install("action-refused", digest_of, version, arch);
        assert!(status == Some(2) && printed.contains(says) && !there, "{version} {arch}: {status:?} {printed}");
    }
}

#[test]
fn the_key_of_the_cache_changes_with_what_is_installed() {
    let action = Action::new("action-key");
    let key = |version: &str| action.step("key", &[("LOZENGE_VERSION", version), ("RUNNER_OS", "Linux")]);
    let (build, again, release) = (key("build"), key("build"), key("v1.2.3"));
    assert_eq!(build, again);
    assert!(build.0 == Some(0) && build.1.starts_with("key=lozenge-Linux-"), "{}", build.1);
    assert!(release.0 == Some(0) && release.1.ends_with("-v1.2.3\n"), "{}", release.1);
    assert_eq!(key("v1\nkey=other").0, Some(2));
}

/// The names of a section of action.yml: `inputs` or `outputs`.
fn names<'a>(action: &'a str, section: &str) -> Vec<&'a str> {
    let after = action.split(&format!("\n{section}:\n")).nth(1).expect("the section");
    let lines = after.lines().take_while(|line| line.is_empty() || line.starts_with(' '));
    lines.filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':').filter(|name| !name.starts_with(' '))).collect()
}

#[test]
fn every_input_reaches_the_script_by_its_environment_and_is_explained() {
    let (action, script, guide) = (read("action.yml"), read(".github/action/run.sh"), read("spec/engines.md"));
    let table: String = guide.lines().filter(|line| line.starts_with("| `")).collect();
    for input in names(&action, "inputs") {
        let variable = format!("LOZENGE_{}", input.to_uppercase());
        assert!(action.contains(&format!("        {variable}: ${{{{ inputs.{input} }}}}\n")), "{input}");
        assert!(script.contains(&variable), "{input}");
        assert!(table.contains(&format!("`{input}`")), "spec/engines.md: {input}");
    }
    for name in names(&action, "outputs").into_iter().filter(|name| *name != "lozenge") {
        assert!(script.contains(&format!("output {name} ")), "{name}");
    }
}

/// The workflows and the action.
fn workflows() -> Vec<(String, String)> {
    let folder = std::fs::read_dir(root().join(".github/workflows")).expect("workflows");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let paths = names.map(|name| format!(".github/workflows/{name}")).chain(["action.yml".to_owned()]);
    paths.map(|path| (path.clone(), read(&path))).collect()
}

/// An action by the commit, which nobody can move, with its version for people.
fn pinned(used: &str) -> bool {
    let behind = used.split_once('@').map_or("", |(_, behind)| behind);
    let (commit, version) = behind.split_once(" # v").unwrap_or_default();
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    commit.len() == 40 && commit.chars().all(hex) && version.starts_with(|c: char| c.is_ascii_digit())
}

#[test]
fn actions_are_named_by_their_commits() {
    let commit = "11bd71901bbe5b1630ceea73d27597364c9af683";
    assert!(pinned(&format!("actions/checkout@{commit} # v4.2.2")));
    for bad in ["actions/checkout@v4", "actions/checkout", &format!("actions/checkout@{commit}"), "x@11bd719 # v4"] {
        assert!(!pinned(bad), "{bad}");
    }
    let used = workflows().iter().map(|(_, text)| text.matches("uses: ").count()).sum::<usize>();
    assert!(used > 15, "{used} actions");
}

#[test]
fn scripts_contain_no_expressions_but_matrix_entries_and_actions_have_versions() {
    for (path, text) in workflows() {
        for line in text.lines().map(str::trim_start).filter(|line| !line.starts_with('#')) {
            if let Some(used) = line.trim_start_matches("- ").strip_prefix("uses: ").filter(|used| *used != "./") {
                assert!(pinned(used), "{path}: {line}");
            }
        }
        // A script is the line of `run:`, or the lines below it that are indented further.
        let mut script = None;
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            script = script.filter(|above| indent > *above || line.is_empty());
            if line.trim_start().trim_start_matches("- ").starts_with("run: ") {
                script = Some(indent);
            }
            let inside = script.is_some() && line.replace("${{ matrix.", "").contains("${{");
            assert!(!inside, "{path}: {line}");
        }
    }
}

#[test]
fn scripts_are_checked() {
    let shellcheck = environment("clients").with_file_name("shellcheck");
    let scripts = [
        ".github/action/run.sh",
        ".clusterfuzzlite/build.sh",
        "harnesses/fuzz/seeds",
        "harnesses/oracle/release",
        "tests/engines/ocaml/build",
    ];
    succeeds(Command::new(shellcheck).args(scripts).current_dir(root()));
}
