//! Convolutions, pooling and concatenations, and their gradients, against numpy.
#![allow(missing_docs)]

use lozenge_tests::world::python;
use lozenge_tests::{lozenge, root};
use std::process::Command;

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
