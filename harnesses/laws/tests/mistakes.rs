//! The twenty mistakes that people make, in three variants each (tests/broken/mistakes): what is said, and whether what
//! it says to write is what was meant (tests/meant).
#![allow(missing_docs)]

use lozenge::program::{Diagnostic, Fix, InferError, Inference, Span, advise, diagnose, infer, parse, warnings};
use lozenge::solver::Policy;
use lozenge_harnesses::programs::{files, folder};
use std::collections::BTreeMap;

/// What is said of a program: why it has no shapes, or its first warning.
fn told(name: &str, text: &str) -> Diagnostic {
    let policy = Policy::default();
    let inferred = parse(text).map_err(Into::into).and_then(|program| Ok((infer(&program)?, program)));
    match inferred {
        Err(error) => diagnose(text, &error, policy),
        Ok((inferred, program)) => {
            let warnings = warnings(&program, Some(text), &inferred);
            let first = warnings.first().unwrap_or_else(|| panic!("{name} is accepted in silence"));
            advise(text, first, policy)
        }
    }
}

/// The shapes of a program that has no warnings.
fn shapes(text: &str) -> Option<BTreeMap<String, String>> {
    let program = parse(text).ok()?;
    let inferred: Inference = infer(&program).ok()?;
    let clean = warnings(&program, Some(text), &inferred).is_empty();
    let named = inferred.named().into_iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    let shown = named.into_iter().filter_map(|name| Some((name.clone(), inferred.show(&name)?)));
    clean.then(|| shown.collect())
}

/// Does the program with the fix have the shapes that were meant?
fn is_right(fix: &Fix, text: &str, meant: &str) -> bool {
    let (Some(fixed), Some(meant)) = (shapes(&fix.apply(text)), shapes(meant)) else { return false };
    let both = meant.iter().filter(|(name, _)| fixed.contains_key(*name));
    both.clone().count() > 0 && both.into_iter().all(|(name, shape)| fixed[name] == *shape)
}

#[test]
fn every_mistake_is_told_with_a_fix_and_nine_in_ten_are_what_was_meant() {
    // LOZENGE_BLESS=1 writes the messages; then read them.
    let bless = std::env::var_os("LOZENGE_BLESS").is_some();
    let meant: BTreeMap<String, String> = files("meant").into_iter().collect();
    let programs = files("broken/mistakes");
    assert_eq!((programs.len(), meant.len()), (60, 60));
    let (mut missing, mut first, mut some) = (Vec::new(), Vec::new(), Vec::new());
    for (name, text) in &programs {
        let told = told(name, text);
        let message = told.render(Some(&format!("{name}.loz")), text);
        let path = folder("broken/mistakes").join(format!("{name}.txt"));
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        if bless && stored != message {
            std::fs::write(&path, &message).expect("a message");
        } else {
            assert_eq!(message, stored, "{name}");
        }
        let meant = meant.get(name).unwrap_or_else(|| panic!("{name} is not there as it was meant"));
        assert!(shapes(meant).is_some(), "{name} as it was meant has no shapes, or a warning");
        assert!(shapes(text).is_none(), "{name} is no mistake");
        match told.fixes.first() {
            None => missing.push(name),
            Some(fix) if !is_right(fix, text, meant) => first.push(name),
            Some(_) => {}
        }
        if !told.fixes.iter().any(|fix| is_right(fix, text, meant)) {
            some.push(name);
        }
        for fix in &told.fixes {
            let fixed = fix.apply(text);
            assert!(fix.next.is_some() || infer(&parse(&fixed).expect(name)).is_ok(), "{name}: {fixed}");
        }
    }
    println!("without a fix: {missing:?}\nthe first is another: {first:?}\nnone is meant: {some:?}");
    // What the documents say of it.
    let right = programs.len() - first.len();
    let page = std::fs::read_to_string(folder("../spec/diagnostics.md")).expect("the page");
    let says =
        format!("{right} of 60 are what was meant, and of all fixes that are named {}", programs.len() - some.len());
    assert!(page.contains(&says), "spec/diagnostics.md does not say: {says}");
    let readme = std::fs::read_to_string(folder("../README.md")).expect("the page");
    assert!(readme.contains(&format!("for {right} of the 60 programs")), "README.md: {right}");
    assert!(missing.is_empty(), "without a fix: {missing:?}");
    assert!(10 * (first.len() + missing.len()) <= programs.len(), "not what was meant: {first:?}");
}

/// A program with one slip of the hand at a place.
fn slips(text: &str, at: usize) -> [String; 3] {
    let (before, after) = text.split_at(at);
    let rest: String = after.chars().skip(1).collect();
    let odd = ["(", "\"", " ", "0", ".", ";", "∅", "|", "->", "x"][at % 10];
    [format!("{before}{rest}"), format!("{before}{odd}{after}"), format!("{before}{odd}{rest}")]
}

/// Places are inside of the text, and every fix is a program with shapes, or goes on to the line it says.
fn is_sound(text: &str) -> bool {
    let Err(error) = parse(text).map_err(InferError::from).and_then(|program| infer(&program)) else { return false };
    let told = diagnose(text, &error, Policy::default());
    let inside = |span: Span| text.get(span.range()).is_some();
    assert!(told.labels.iter().all(|label| inside(label.span)), "{text}");
    for fix in &told.fixes {
        assert!(fix.edits.iter().all(|edit| inside(edit.span)), "{text}\n{fix:?}");
        let fixed = fix.apply(text);
        let again = parse(&fixed).map_err(InferError::from).and_then(|program| infer(&program));
        let next = again.err().map(|error| error.span().position(&fixed).0);
        assert_eq!(next, fix.next, "{text}\n{fixed}");
        assert!(fix.lines(text).iter().all(|(line, _)| Some(*line) != next), "{text}\n{fixed}");
    }
    assert!(told.render(Some("a.loz"), text).starts_with(&format!("error[{}]: {}", told.code, told.headline)));
    true
}

/// Words of the language and labels of one letter are no misspelt names, and what a fix breaks is no next error.
#[test]
fn a_fix_breaks_nothing_that_it_edits() {
    let programs = [
        "input n: 3\ninput n: 3\nfn f(x) = x + n\nlet y = f(n)\n",
        "input num: 2\nlet y = phi(num)\nlet z = sum(num, \"i => 0\")\n",
        "input v: 5 | 4\nlet s = v ++ \"b|i => b|9\"\nlet l = s *. v\n",
        "input x: 8\nlet near = x = min(x, \"k => 9\")\nlet new = near /. (sum(near, \"k => k0\") + 1)\n",
        "input d: 3\nlet y = d + nothing\nlet last = exp d\nlet z = last + cos d\n",
    ];
    for text in programs {
        let told = told("a program", text);
        assert_eq!(told.fixes, [], "{text}");
    }
}

#[test]
fn slips_of_the_hand_are_told_soundly() {
    let mut refused = 0;
    for (_, text) in files("meant").into_iter().chain(files("broken")) {
        for (at, _) in text.char_indices().skip(3).step_by(17) {
            refused += slips(&text, at).iter().filter(|slip| is_sound(slip)).count();
        }
    }
    println!("{refused} programs with a slip are refused");
    assert!(refused > 1_500, "{refused}");
}
