//! Ranged dimensions in model files: what is learnt later, what has no bound, what is said of a clash.
#![allow(missing_docs)]

use lozenge::ranged::memory::{Bounds, elements};
use lozenge::ranged::model::{Model, ModelProblem};
use lozenge::ranged::{Context, Shape};

/// D10: without an upper end there is no upper bound, whatever the other axes come to and wherever they stand.
#[test]
fn d10_no_upper_bound_comes_first() {
    let m = u64::MAX;
    for text in [format!("[a:1..{m}, b:1..{m}, c:1..{m}, *]"), format!("[*, a:1..{m}, b:1..{m}, c:1..{m}]")] {
        let shape = Shape::parse(&text, &mut Context::new()).expect("a shape");
        assert_eq!(elements(&shape), Ok(Bounds { min: 1, max: None }), "{text}");
    }
    let lines = [format!("input x [{m}, a:1..{m}]"), format!("input y [{m}, a:1..{m}]"), "input z [*]".to_owned()];
    for order in [[0, 1, 2], [2, 0, 1], [0, 2, 1]] {
        let text: String = order.iter().map(|i| format!("{}\n", lines[*i])).collect();
        let estimate = Model::parse(&format!("dtype bool\n{text}")).and_then(|model| model.estimate());
        assert_eq!(estimate.map(|it| it.total.max), Ok(None), "{text}");
    }
    // Where all have one, the line is said with which the sum does not fit.
    let model = Model::parse(&format!("dtype bool\n{}\n{}\n", lines[0], lines[1])).expect("a model");
    assert_eq!(model.estimate().expect_err("too large").span, model.layers[1].span);
}

/// The layers of a model, or what is wrong with it.
fn layers(text: &str) -> Result<Vec<String>, String> {
    let model = Model::parse(text).map_err(|error| error.to_string())?;
    Ok(model.layers.iter().map(|layer| format!("{} {}", layer.name, layer.shape)).collect())
}

/// D8: a variable stays one axis through a reshape, whatever is known of it and whenever.
#[test]
fn d8_a_variable_stays_one() {
    let one = ["s = same k n\n", "r = reshape k [_k]\n", "y = same r g\n", "t = same k h\n"];
    for order in [[0, 1, 2, 3], [1, 0, 2, 3], [3, 0, 1, 2], [1, 2, 3, 0]] {
        let text: String = order.iter().map(|i| one[*i]).collect();
        let told = layers(&format!("input k [_k]\ninput n [a:1..8]\ninput g [5]\ninput h [3]\n{text}"));
        assert!(told.is_err(), "_k is 5 and 3: {text}{told:?}");
    }
    // F33: a variable that is known to be 1 does not stretch, after a reshape either.
    for text in ["s = same a one\nr = reshape a [_k]\n", "r = reshape a [_k]\ns = same a one\n"] {
        let told = layers(&format!("input a [_k]\ninput one [1]\ninput y [3]\n{text}z = add r y\n"));
        assert!(told.is_err_and(|why| why.contains("1 and 3")), "{text}");
    }
}

/// D8: a condition is looked at again at the end of a model.
#[test]
fn d8_conditions_are_looked_at_again() {
    for text in ["y = reshape x [6]\ns = same x f\n", "s = same x f\ny = reshape x [6]\n"] {
        let told = layers(&format!("input x [_k]\ninput f [4]\n{text}"));
        assert!(told.is_err_and(|why| why.contains("4 elements do not become 6")), "{text}");
    }
    let owes = |text: &str| {
        let model = Model::parse(text).expect("a model");
        model.layers.iter().any(|layer| layer.obligation.is_some())
    };
    assert!(owes("input x [_k]\ny = reshape x [6]\n"));
    assert!(!owes("input x [_k]\ninput f [6]\ny = reshape x [6]\ns = same x f\n"));
}

/// D8: with -1 too the products must be able to agree.
#[test]
fn d8_inferred_axes_need_room() {
    for text in ["input x [24]\ny = reshape x [a:30..40, -1]\n", "input x [a:1..4, 6]\ny = reshape x [100, -1]\n"] {
        assert!(layers(text).is_err_and(|why| why.contains("do not become")), "{text}");
    }
    assert!(layers("input x [a:1..4, 6]\ny = reshape x [24, -1]\n").is_ok());
}

/// D6: a label that gets too long is dropped, and is not that of other axes.
#[test]
fn d6_long_labels_are_not_one_label() {
    let inputs: String = "abcd".chars().map(|c| format!("input {c} [{}:2..3]\n", c.to_string().repeat(40))).collect();
    let joined = format!("{inputs}x = concat 0 a b\ny = concat 0 c d\n");
    let told = layers(&format!("{joined}z = same x y\n")).expect("a model");
    assert_eq!(told.last().map(String::as_str), Some("z [*]"));
    assert!(layers("input a [a:2..3]\ninput b [b:2..3]\nx = concat 0 a b\ny = concat 0 b a\nz = same x y\n").is_err());
}

/// D7: an error shows every shape, and marks the axes that say something.
#[test]
fn d7_the_axes_that_clash_are_marked() {
    for operation in ["concat 0 a b c", "stack 0 a b c", "add a b c"] {
        let text = format!("input a [2, *]\ninput b [2, 3]\ninput c [2, 4]\ny = {operation}\n");
        let error = Model::parse(&text).expect_err("3 and 4");
        let ModelProblem::Shape(error) = &error.problem else { panic!("{error}") };
        let at: Vec<(usize, usize)> = error.at.iter().map(|at| (at.shape, at.axis)).collect();
        assert_eq!((error.shapes.len(), at), (3, vec![(1, 1), (2, 1)]), "{}", error.render());
    }
}

/// D5: a long chain of variables is one class, whichever end it is joined from.
#[test]
fn d5_long_chains_are_one_class() {
    let inputs: String = (0..4_000).map(|i| format!("input x{i} [_v{i}]\n")).collect();
    let link = |i: usize| format!("s{i} = same x{} x{i}\n", i - 1);
    for links in [(1..4_000).map(link).collect::<String>(), (1..4_000).rev().map(link).collect()] {
        let told = layers(&format!("{inputs}{links}input f [7]\nlast = same x3999 f\n")).expect("a model");
        assert!(told.iter().all(|it| it.ends_with("[7]")));
    }
}
