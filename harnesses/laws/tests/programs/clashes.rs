//! What a clash names: the axes that meet, the row variable that two slots share, and shapes that would fit.

use super::refused;
use lozenge::program::{infer, parse};

/// Every row of up to three axes of sizes 2 and 3.
fn rows() -> Vec<Vec<u64>> {
    let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
    let mut last = rows.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|row| [2, 3].map(|n| [&row[..], &[n]].concat())).collect();
        rows.extend(last.iter().cloned());
    }
    rows.split_off(1)
}

fn text(row: &[u64]) -> String {
    row.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Axes are counted from the back where rows of different ranks meet: so are those that are named.
#[test]
fn a_clash_names_the_axes_that_meet() {
    let mut seen = 0;
    for (x, y) in rows().iter().flat_map(|x| rows().into_iter().map(move |y| (x.clone(), y))) {
        let program = format!("input x: {}\ninput y: {}\nlet z = x + y\n", text(&x), text(&y));
        if infer(&parse(&program).expect("right")).is_ok() {
            continue;
        }
        let said = refused(&program);
        let pair = |back: &usize| {
            let (i, j) = (x.len() - 1 - back, y.len() - 1 - back);
            let named =
                format!("output axis {} of `x` is {}, and output axis {} of `y` is {}\n", i + 1, x[i], j + 1, y[j]);
            x[i] != y[j] && said.contains(&named)
        };
        assert!((0..x.len().min(y.len())).any(|back| pair(&back)), "{program}{said}");
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_row_variable_is_one_row() {
    for (x, m, spec, said) in [
        (
            "2 | 3",
            "3",
            "...|e; ...|e => ...|e",
            "`...` is one row, of 1 axis in the batch row of `x`, and of 0 axes in the batch row of `m`",
        ),
        (
            "8, 8 | 3",
            "4 | 3",
            "..r..|e; ..r..|e => ..r..|e",
            "`..r..` is one row, of 2 axes in the batch row of `x`, and of 1 axis in the batch row of `m`",
        ),
        ("8 | 3", "3", "b|e; b|e => b|e", "the batch row of `m` has 0 axes, and its slot has 1 axis"),
        ("8 | 3", "3", "...|e; ...b|e => ...b|e", "the batch row of `m` has 0 axes, and its slot has at least 1 axis"),
    ] {
        let told = refused(&format!("input x: {x}\nparam m: {m}\nlet y = x +* \"{spec}\" m\n"));
        assert!(told.contains(said), "{told}");
    }
}

/// Shapes that would fit are whole: a row that has nothing to do with the clash is there as well.
#[test]
fn shapes_that_fit_are_whole() {
    let told = refused("input x: 4 | 3, 3\nlet f = x ++ \"b|ij => b|ji\"\nlet g = f + [1, 2]\n");
    assert!(told.contains("  f: 4 | 3, 3, ⋄\n  g: 4 | 3, 3, ⋄, 2\n"), "{told}");
}

/// What a failure rests on is told whole, also where axes are written alike, or are one axis of a function.
#[test]
fn equations_of_axes_that_are_written_alike_are_told() {
    let lines = "input x: 12\nlet a = x ++ \"2*i => i\"\nlet b = a ++ \"2*i => i\"\nlet c = b ++ \"2*i => i\"\n";
    let told = refused(lines);
    assert!(told.contains("rests on:\n  line 2, `2*i`: 12 = 2·6\n  line 3, `2*i`: 6 = 2·3"), "{told}");
    let told = refused("fn f(x) = x ++ \"2*i => i\"\ninput x: 12\nlet a = f(f(f(x)))\n");
    assert!(told.contains("rests on:\n  line 1, `2*i`: 12 = 2·6\n  line 1, `2*i`: 6 = 2·3"), "{told}");
}

/// A size that is written is in what fits, also in a row where the solution is about another axis.
#[test]
fn shapes_that_fit_have_the_sizes_that_are_written() {
    let sizes = "a = 6\nt = 3 * b\nelements x = t\n";
    let told = refused(&format!("input x: ?, b\ninput y: a, b\ninput z: a, ..., b\n{sizes}"));
    assert!(told.contains("  x: 3, 1∅\n  y: 6, 1∅\n  z: 6, 1∅\n"), "{told}");
}

/// What is to be declared has been tried, with its marker where that is needed; other shapes are shown without that advice.
#[test]
fn shapes_to_declare_are_accepted() {
    let rest = "input y: 3, 4\nlet z = x + y\nelements x = 3\n";
    let told = refused(&format!("input x\n{rest}"));
    assert!(told.contains("  x: 3, ...\n") && told.contains("declare this shape to choose it"), "{told}");
    assert!(
        infer(&parse(&format!("input x: 3\n{rest}")).expect("a program")).is_err(),
        "without a marker it does not fit"
    );
    assert!(infer(&parse(&format!("input x: 3, ...\n{rest}")).expect("a program")).is_ok());
    // Another statement fails whatever is declared.
    let told = refused(&format!("input x\n{rest}elements y = 5\n"));
    assert!(!told.contains("to choose it"), "{told}");
    // So does a parameter of which nothing is known, in the last constraints of the program.
    let told = refused(
        "input x: ?\nlet y = (x, x) ++^ \"i; j => i^j\"\nlet z = y +* \"2*i<+j; j => _\" x\nparam w: 1, ?\nlet v = sin w\n",
    );
    assert!(told.contains("other choices fit") && !told.contains("to choose it"), "{told}");
    // A solution that no declaration leads to has its marker.
    let told = refused("input x: 3\ninput y: 5\nlet a = x ++ \"... => ...\"\nlet b = a + y\n");
    assert!(
        told.contains("other choices fit, with axes inserted at ⋄, for example:\n  a: 3, ⋄\n  b: 3, ⋄, 5\n"),
        "{told}"
    );
}
