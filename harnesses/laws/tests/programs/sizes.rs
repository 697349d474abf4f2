//! Sizes that have names: which may be 0, and what is worked out of what else is said.

use super::{cells, error, inferred, is_solution, refused};
use lozenge::program::InferError;

/// The sizes of these names, with the shape of a tensor.
fn sizes(text: &str, tensor: &str, names: &[&str]) -> (String, Vec<u64>) {
    let inference = inferred(text);
    assert!(is_solution(&inference), "{text}");
    let shape = inference.show(tensor).unwrap_or_else(|| panic!("{tensor}"));
    (shape, names.iter().map(|name| inference.size(name).unwrap_or_else(|| panic!("{name}"))).collect())
}

/// Conj. 8.3 and F40: no axis of a tensor is 0, wherever it is declared and whether or not it is used.
#[test]
fn an_axis_that_nothing_uses_is_not_0() {
    let part = "input x: 3\nlet y = x ++ \"a^b => a\" [\"b\"]\n";
    assert_eq!(sizes(part, "y", &["b"]), ("3".to_owned(), vec![0]));
    for text in [
        format!("{part}input z: b\n"),
        format!("input z: b\n{part}"),
        format!("{part}const z: 2 | b -> 4\n"),
        format!("{part}n = b\ninput z: n\n"),
    ] {
        assert_eq!(sizes(&text, "y", &["b"]), ("2".to_owned(), vec![1]), "{text}");
    }
}

/// A name that is captured twice equates two parts. Both may be 0, and both are.
#[test]
fn parts_that_are_equated_are_0_together() {
    let one = "input x: 2\nlet y = x ++ \"a^b^c => a\" [\"b\"; \"c\"]\n";
    let both = format!("{one}let z = x ++ \"a^b^c => a\" [\"b\"; \"c\"]\n");
    assert_eq!(sizes(&both, "z", &["b", "c"]), ("2".to_owned(), vec![0, 0]));
    // Also where that follows, before or after the other part is known, …
    let known = "input x: 2\na = 2\nlet y = x ++ \"a^b => a\" [\"a\"; \"b\"]\ninput w: 5\n";
    let other = "let z = w ++ \"c^d => c\" [\"d\"]\nd = b\n";
    assert_eq!(sizes(&format!("{known}{other}"), "z", &["b", "d"]), ("5".to_owned(), vec![0, 0]));
    let first = "input w: 5\nlet z = w ++ \"c^d => c\" [\"d\"]\nd = b\n";
    let known = known.replace("input w: 5\n", "");
    assert_eq!(sizes(&format!("{first}{known}"), "z", &["b", "d"]), ("5".to_owned(), vec![0, 0]));
    // … with a name beside them, …
    let named = "n = b\nlet m = dim n\n";
    assert_eq!(sizes(&format!("{one}{named}"), "y", &["b", "n"]), ("2".to_owned(), vec![0, 0]));
    assert_eq!(cells(&format!("{one}{named}"), "m"), [0.0]);
    // … and not where one of them cannot be: it is an axis, or it is not projected away.
    for not in ["input z: c\n", "let z = x ++ \"b^c => b^c\" [\"c\"]\n"] {
        let text =
            format!("input x: 3\nlet y = x ++ \"a^b => a\" [\"b\"]\nlet w = x ++ \"a^c => a\" [\"c\"]\nb = c\n{not}");
        let (_, both) = sizes(&text, "y", &["b", "c"]);
        assert!(both[0] == both[1] && both[0] > 0, "{text}: {both:?}");
    }
    // 0 and 3 are not equal.
    for text in [
        "input x: 2\na = 2\nlet y = x ++ \"a^b => a\" [\"a\"; \"b\"]\ninput w: 5\nc = 2\nlet z = w ++ \"c^b => c\" [\"c\"; \"b\"]\n",
        "input w: 5\nc = 2\nlet z = w ++ \"c^b => c\" [\"c\"; \"b\"]\ninput x: 2\na = 2\nlet y = x ++ \"a^b => a\" [\"a\"; \"b\"]\n",
    ] {
        assert!(matches!(error(text), InferError::Size(size) if size.certain), "{text}");
    }
}

/// An index i needs i + 1 elements, and no axis has 2⁶⁴.
#[test]
fn the_largest_number_is_no_index() {
    let most = u64::MAX;
    let last = most - 1;
    let slice = |index: u64| format!("input x: {most} | 3\nlet y = x @| {index}\n");
    let fixed = |index: u64| format!("input x: {most}\nlet y = x ++ \"{index} =>\"\n");
    assert_eq!(inferred(&slice(last)).show("y").as_deref(), Some("3"));
    assert_eq!(inferred(&fixed(last)).show("y").as_deref(), Some("->"));
    for text in [slice(most), fixed(most)] {
        let InferError::Program(error) = error(&text) else { panic!("{text}") };
        assert!(error.span.is_known() && error.to_string().contains(&most.to_string()), "{error}");
        assert!(refused(&text).contains(&most.to_string()));
    }
}

/// A parameter that no operation uses has the axes that statements about sizes give it. What nothing says is refused.
#[test]
fn statements_about_sizes_determine_an_unused_parameter() {
    for (text, shape) in [
        ("m = 3\nn = 2 * m\nparam x: n\n", "6"),
        ("param x: n\nn = 2 * m\nm = 3\n", "6"),
        ("param x: ?\nelements x = 12\n", "12"),
        ("input w: 6\nlet y = w ++ \"2*o => o\" [\"o\"]\nparam x: o | o -> 4\n", "3 | 3 -> 4"),
    ] {
        assert_eq!(inferred(text).show("x").as_deref(), Some(shape), "{text}");
        // As of an input.
        assert_eq!(inferred(&text.replace("param", "input")).show("x").as_deref(), Some(shape), "{text}");
    }
    for (text, place) in [
        ("param x: ?\n", "1:1"),
        ("input y: n\nparam x: n\n", "2:1"),
        ("m = 3\nn = 2 * m\nparam x: n, k\n", "3:1"),
        ("n = 2 * m\nparam x: n\n", "2:1"),
        ("param x: ?, ?\nelements x = 12\n", "1:1"),
    ] {
        let said = refused(text);
        assert!(said.starts_with(&format!("{place}: nothing says how large an axis")), "{said}");
    }
}

/// A stride or dilation that has a name is worked out where everything else is known, and never guessed.
#[test]
fn a_named_stride_is_worked_out() {
    let strided = "input z: s\ninput x: 8\nlet y = x ++ \"s*o => o\" [\"o\"]\n";
    assert_eq!(sizes(&format!("{strided}o = 4\n"), "z", &["s", "o"]), ("2".to_owned(), vec![2, 4]));
    assert_eq!(sizes(&format!("{strided}s = 2\n"), "z", &["s", "o"]), ("2".to_owned(), vec![2, 4]));
    let valid = "input x: 9\ninput w: 3\nlet y = x +* \"s*o<+k; k => o\" [\"o\"] w\no = 4\n";
    assert_eq!(sizes(valid, "y", &["s"]), ("4".to_owned(), vec![2]));
    let dilated = "input x: 9\ninput w: 3\nlet y = x +* \"o<+e*k; k => o\" [\"o\"] w\no = 3\n";
    assert_eq!(sizes(dilated, "y", &["e"]), ("3".to_owned(), vec![3]));
    assert!(matches!(error(&format!("{strided}o = 3\n")), InferError::Size(size) if size.certain));
    // That it is open is what is said.
    let said = refused(strided);
    assert!(said.contains("8 = s·o is open, because nothing says what a stride"), "{said}");
}
