//! Convolutions, pooling and concatenations, and their gradients, against numpy.
#![allow(missing_docs)]

use lozenge_tests::{lozenge, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A virtual environment with numpy, made once and kept with the other build products.
fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numpy");
    let python = folder.join("bin/python");
    let has_numpy = || Command::new(&python).args(["-c", "import numpy"]).output().is_ok_and(|o| o.status.success());
    if !has_numpy() {
        let run = |program: &Path, args: &[&str]| {
            let output = Command::new(program).args(args).output();
            let output = output.unwrap_or_else(|e| panic!("{}: {e}: install Python 3 with venv", program.display()));
            assert!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
        };
        run(Path::new("python3"), &["-m", "venv", &folder.to_string_lossy()]);
        run(&python, &["-m", "pip", "install", "--quiet", "numpy"]);
    }
    python
}

#[test]
fn convolutions_agree_with_numpy() {
    let script = root().join("tests/numpy/convolutions.py");
    let output = Command::new(python()).arg(script).arg(lozenge()).arg("1200").output().expect("Python runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");
    eprintln!("{}", out.trim());
    let agreed: u32 = out.split(' ').next().and_then(|n| n.parse().ok()).expect("a count");
    assert!(agreed >= 1000 && out.contains("300 invalid ones refused"), "{out}");
}
