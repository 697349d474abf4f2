//! The recipes of spec/cookbook.md: their Python and their programs compute the same.
#![allow(missing_docs)]

use lozenge_tests::world::python;
use lozenge_tests::{lozenge, read, root, scratch};
use std::path::Path;
use std::process::{Command, Output};

/// Runs the recipes of a page.
fn cook(page: &Path) -> Output {
    let script = root().join("tests/numpy/cookbook.py");
    Command::new(python()).arg(script).arg(lozenge()).arg(page).output().expect("Python runs")
}

#[test]
fn recipes_agree_with_numpy() {
    let output = cook(&root().join("spec/cookbook.md"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}");
    eprintln!("{}", out.trim());
    let recipes: u32 = out.split(' ').next().and_then(|n| n.parse().ok()).expect("a count");
    assert!(recipes >= 40, "{out}");
}

/// A page that is wrong in one place is refused, with the recipe where that is.
#[test]
fn a_wrong_recipe_is_found() {
    let page = read("spec/cookbook.md");
    let changes = [
        ("let y = x ++ \"hwc->chw\"", "let y = x ++ \"hwc->cwh\"", "Transpose and permute: y"),
        ("y = np.outer(a, b)", "y = np.outer(a, b) + 1e-6", "Outer product: y"),
        ("y = x.var(axis=-1, ddof=1)", "y = x.var(axis=-1)", "Variance: y"),
        ("let total = sum(", "let other = sum(", "Total: no name is in both"),
        ("let y = a +* \"i; j => ij\" b", "let y = a +* \"i; j => ijk\" b", "Outer product: "),
    ];
    let folder = scratch("cookbook");
    for (i, (right, wrong, message)) in changes.into_iter().enumerate() {
        assert!(page.contains(right), "{right}");
        let changed = page.replacen(right, wrong, 1).replace("average = x.mean()", "");
        let file = folder.join(format!("{i}.md"));
        std::fs::write(&file, changed).expect("a page");
        let output = cook(&file);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && err.contains(message), "{wrong}: {err}");
    }
}
