//! Sizes that have names: which may be 0, and what is worked out of what else is said.

use super::{cells, error, inferred, is_solution, refused, told};
use lozenge::program::{InferError, Witness, diagnose, infer, parse};
use lozenge::solver::Policy;

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

/// Sizes that follow from a statement clash in the operation where they meet, and not in the statement.
#[test]
fn a_clash_is_named_where_the_sizes_meet() {
    let headline = |text: &str| refused(text).lines().next().unwrap_or_default().to_owned();
    let said = "4:9: output axis 1 of `a` is 2, and output axis 1 of `c` is 6";
    let program = |n: &str| format!("input a: 2\ninput b: {n}\nlet c = b ++ \"i=>2*i\"\nlet d = a + c\n");
    assert_eq!(headline(&program("3")), said);
    assert_eq!(headline(&format!("{}n = 3\n", program("n"))), said);
    assert_eq!(headline(&format!("{}n = m\nm = 3\n", program("n"))), said);
    // Two statements that differ are the place.
    assert!(headline("n = 3\nn = 4\n").starts_with("2:1: the size `n` would have to be both"));
}

/// Messages name what the program names, and say which number a fix changes.
#[test]
fn messages_name_captured_sizes_and_coefficients() {
    let text = "input x: 4\nlet y = x ++ \"i,=>i\" [\"i\"]\nelements x = 2 * i\n";
    let said = told("captured", text);
    assert!(said.contains("the elements of 4 = 2·i cannot hold"), "{said}");
    assert!(said.contains("help: make the coefficient of `i` 1; write\n  3 | elements x = 1 * i"), "{said}");
    let row = "input a: 5 | 2, 3\ninput x: 2\nlet s = a ++ \"b | ..r.. => b\" [\"r\"]\nelements x = 4 * r\n";
    let said = told("row", row);
    assert!(said.contains("the elements of 2 = 4·r cannot hold"), "{said}");
    let count = told("count", "input x: 4\nelements x = 5\n");
    assert!(count.contains("help: make the elements of `x` 4; write\n  2 | elements x = 4"), "{count}");
}

/// What nothing determines is found last: a fix goes through, or leaves another such axis further on.
#[test]
fn fixes_of_an_open_parameter_do_not_break_the_program() {
    for text in [
        "param x: ?\nlet q = x ++ \"i => i\"\n",
        "param t3: ?\ninput t1: 3\nlet t5 = t1 + t1\n",
        "param x: ?\nparam z: ?\n",
    ] {
        let fixes = diagnose(text, &error(text), Policy::default()).fixes;
        for fix in &fixes {
            match parse(&fix.apply(text)).map_err(InferError::from).and_then(|program| infer(&program)) {
                Ok(_) => assert_eq!(fix.next, None, "{fix:?}"),
                Err(InferError::Hole(_)) => assert!(fix.next.is_some(), "{fix:?}"),
                Err(other) => panic!("{fix:?}: {other}"),
            }
        }
    }
    let two = told("two", "param x: ?\nparam z: ?\n");
    assert!(two.contains("then line 2 is next"), "{two}");
}

/// A refusal that rests on bounds lists what was assumed, and of which tensor.
#[test]
fn what_bounds_rest_on_is_listed() {
    // The whole of three parts and that of two of them, both unknown, leave more than one term each.
    let text = "input t2: ?\nlet t4 = t2 ++ \"a^b^c => b^a, c^a\"\nlet t7 = t4 ++ \"6, i => i\"\n";
    let InferError::Size(error) = error(text) else { panic!("{text}") };
    let assumed: Vec<&str> = error.behind.assumed.iter().map(|it| it.text.as_str()).collect();
    assert!(!error.certain && assumed.iter().any(|it| it.starts_with("output axis 1 of `t2`: 1∅")), "{assumed:?}");
}

/// ST-cancel: the parts of two concatenations, in another order, make the same number of elements; and what only one of
/// them has is what one is larger by.
#[test]
fn what_two_concatenations_share_cancels() {
    let shapes = |text: &str| {
        let inference = infer(&parse(text).expect("a program")).unwrap_or_else(|error| panic!("{text}{error}"));
        assert!(is_solution(&inference), "{text}");
        inference.show("x").unwrap_or_default()
    };
    let swapped = "input t: 6\ninput x: ?\nlet y = x ++ \"a^b => b^a\"\nlet z = y + t\n";
    assert_eq!(shapes(swapped), "6");
    let based = "input t: 6:px\ninput x: ?\nlet y = x ++ \"a^b => b^a\"\nlet z = y + t\n";
    assert_eq!(shapes(based), "6:px");
    let longer = "input x: 3, 5\nlet y = x ++ \"a^b, b^c^a => a, c, b\"\n";
    assert_eq!(shapes(longer), "3, 5");
    let told = told("differ", "input x: 3, 4\nlet y = x ++ \"a^b, b^a => a, b\"\n");
    assert!(told.contains("cannot hold") && told.contains("ST-cancel") && told.contains("`a^b`: 3 = a + b"), "{told}");
}

/// A number that does not fit after a guess says nothing of other choices: these are tried, in whatever order the claims
/// are written.
#[test]
fn a_number_that_does_not_fit_ends_one_choice_and_no_search() {
    let claims = ["elements x = t\n", "w = 2 * t\n", "elements y = w\n"];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for leaf in ["?, e", "e, ?"] {
            let text = format!("input x: {leaf}\ninput y: e, 4\n{}", order.map(|i| claims[i]).concat());
            match infer(&parse(&text).expect("a program")) {
                Ok(inference) => assert!(is_solution(&inference), "{text}"),
                Err(InferError::Size(size)) => {
                    assert!(matches!(size.behind.witness, Some(Witness::Shapes { .. })), "{text}");
                }
                Err(other) => panic!("{text}{other}"),
            }
        }
    }
    // Without a choice it is a limit.
    let told = told("large", "input x: 18446744073709551615\nlet y = x ++ \"i => 2*i\"\n");
    assert!(told.contains("where sizes end"), "{told}");
}

/// What bounds the unknowns of an equation is part of what it rests on, with what was assumed for it.
#[test]
fn what_bounds_an_equation_is_listed() {
    let InferError::Size(size) = error("input x: a, b\nelements x = t\nt = 2 * b\n") else { panic!("a size") };
    assert_eq!(size.behind.equations.len(), 2, "{:?}", size.behind.equations);
    let assumed: Vec<&str> = size.behind.assumed.iter().map(|it| it.text.as_str()).collect();
    assert!(assumed.len() == 2 && assumed[0].starts_with("output axis 1 of `x`: 1∅"), "{assumed:?}");
}
