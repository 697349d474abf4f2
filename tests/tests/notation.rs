//! The notation: parse ∘ print is the identity in both spellings, and bad input gets a typed error
//! with its place.
#![allow(missing_docs)]

use lozenge::dim::Dim;
use lozenge::names::{Names, Sort};
use lozenge::notation::{
    NotationProblem, Unexpected, parse_constraint, parse_dim, parse_dim_bot, parse_ground, parse_lines, parse_row,
    parse_row_term, parse_system, parse_two_sorted,
};
use lozenge_harnesses::cases::sampled;
use lozenge_harnesses::generators::{AnyTwoSorted, System};

#[test]
fn notation_round_trip() {
    sampled("notation_round_trip", 20_000, |System { mut names, constraints }: System| {
        constraints.iter().all(|phi| {
            let unicode = names.show(phi).to_string();
            let ascii = names.show(phi).ascii().to_string();
            ascii.is_ascii()
                && parse_constraint(&unicode, &mut names).as_ref() == Ok(phi)
                && parse_constraint(&ascii, &mut names).as_ref() == Ok(phi)
        })
    });
}

#[test]
fn notation_round_trip_of_ground_rows() {
    sampled("notation_round_trip_of_ground_rows", 20_000, |AnyTwoSorted(row): AnyTwoSorted| {
        // A basis without a name is written by its number, and not read: that may come to be the number of another.
        let mut names = Names::new();
        let unnamed = row.to_string();
        assert!(!unnamed.contains(":?") || parse_two_sorted(&unnamed, &mut names).is_err(), "{unnamed}");
        for number in 1..=16 {
            names.basis(&format!("basis{number}"));
        }
        parse_two_sorted(&names.show(&row).to_string(), &mut names).as_ref() == Ok(&row)
    });
}

#[test]
fn fresh_variables_have_a_notation() {
    let mut names = Names::new();
    let (a, r) = (names.fresh_dim(), names.fresh_row());
    let text = format!("[{}]·⟨?1⟩ ⊑ ⟨?1⟩", names.show(&a));
    let phi = parse_constraint(&text, &mut names).expect("fresh variables by number");
    assert_eq!(names.show(&phi).to_string(), text);
    assert_eq!(names.show(&r).to_string(), "⟨?1⟩");
    let error = parse_constraint("?7 = 3", &mut names).expect_err("no such variable");
    assert_eq!(error.problem, NotationProblem::NoSuchFresh("?7".to_owned()));
}

#[test]
fn both_spellings_and_optional_parts() {
    let mut names = Names::new();
    let mut same = |a: &str, b: &str| {
        let (a, b) = (parse_row_term(a, &mut names).expect(a), parse_row_term(b, &mut names).expect(b));
        assert_eq!(a, b);
    };
    same("[3] ⋄ [2,4]", "[3]·⋄·[2,4]");
    same("[3] <> [2, 4]", "[3].<>.[2,4]");
    same("⟨ρ⟩", "[] <ρ> []");
    same("⋄ [3_rgb]", "[]·⋄·[3:rgb]");
    same("[3:default,unit] <>", "[3,1∅]·⋄·[]");
    let mut bot = |text| parse_dim_bot(text, &mut names).expect("⊥").to_string();
    assert_eq!([bot("bot"), bot("⊥"), bot("1∅")], ["⊥", "⊥", "1∅"]);
}

#[test]
fn three_units_have_three_notations() {
    let mut names = Names::new();
    let mut dim = |text| parse_dim(text, &mut names).expect("a dimension");
    let (top, one, other) = (dim("unit"), dim("1"), dim("1:rgb"));
    assert!(top == Dim::Unit && one != top && other != top && one != other);
}

/// The problem and the place of a text that is wrong.
fn wrong(text: &str) -> (NotationProblem, std::ops::Range<usize>) {
    let error = parse_constraint(text, &mut Names::new()).expect_err(text);
    assert!(error.render(text).contains('^'), "the place is shown");
    (error.problem, error.span.range())
}

#[test]
fn bad_input_is_refused_with_its_place() {
    assert_eq!(wrong("a = 0"), (NotationProblem::SizeZero, 4..5));
    assert_eq!(
        wrong("a = 18446744073709551616"),
        (NotationProblem::SizeTooLarge("18446744073709551616".to_owned()), 4..24)
    );
    assert_eq!(wrong("<p> [3] <q> ~ <>"), (NotationProblem::SecondRowVariable, 8..9));
    assert_eq!(wrong("[3]·⟨p⟩·⟨q⟩ ≈ ⋄"), (NotationProblem::SecondRowVariable, 14..17));
    assert_eq!(wrong("[3] <> [4] <> ~ <p>"), (NotationProblem::SecondRowVariable, 11..13));
    assert_eq!(wrong("[3,4] ~ <p>"), (NotationProblem::NoMarker, 6..7));
    assert_eq!(wrong("3 <= <p>"), (NotationProblem::SortMismatch { left: Sort::Dim, right: Sort::Row }, 0..8));
    assert_eq!(wrong("<p> = <q>"), (NotationProblem::WrongEquality(Sort::Row), 4..5));
    assert_eq!(wrong("3 ~ a"), (NotationProblem::WrongEquality(Sort::Dim), 2..3));
    assert_eq!(wrong("3:7 = a"), (NotationProblem::Basis("`7`".to_owned()), 2..3));
    assert_eq!(wrong("3: = a"), (NotationProblem::Basis("`=`".to_owned()), 3..4));
    assert_eq!(wrong("a = $"), (NotationProblem::Character('$'), 4..5));
    assert!(matches!(wrong("[p] <p> ~ <>"), (NotationProblem::SortClash(_), at) if at == (5..6)));
    assert!(
        matches!(wrong("a 3"), (NotationProblem::Unexpected(Unexpected { found, .. }), at) if found == "`3`" && at == (2..3))
    );
    assert!(
        matches!(wrong(""), (NotationProblem::Unexpected(Unexpected { found, .. }), at) if found == "the end" && at == (0..0))
    );
    assert!(matches!(wrong("[3"), (NotationProblem::Unexpected(_), at) if at == (2..2)));
    assert!(
        matches!(parse_row("[a] <> []", &mut Names::new()), Err(e) if e.problem == NotationProblem::NotGround("a".to_owned()))
    );
}

#[test]
fn hostile_input_is_refused_quickly() {
    for text in [
        "[".repeat(1_000_000),
        "9".repeat(1_000_000),
        "<".repeat(1_000_000),
        "[3,".repeat(400_000),
        "·".repeat(500_000),
    ] {
        let error = parse_constraint(&text, &mut Names::new()).expect_err("not a constraint");
        assert!(error.render(&text).len() < 2_000 && error.to_string().len() < 500);
    }
    // A long row is not a mistake.
    let long = format!("[{}] <> [] ~ <p>", vec!["3"; 100_000].join(","));
    assert!(parse_constraint(&long, &mut Names::new()).is_ok());
}

#[test]
fn systems_are_read_line_by_line() {
    let text = "# a comment\n\n3 <= a   # pinned from below\n⟨p⟩ ≈ [a]·⋄·[]\n";
    let lines = parse_lines(text, &mut Names::new()).expect("two constraints");
    assert_eq!(lines.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 4]);
    let error = parse_system("3 <= a\n4 <= 0", &mut Names::new()).expect_err("size 0 in line 2");
    assert_eq!((error.line, error.column), (2, 6));
    assert_eq!(
        error.render("3 <= a\n4 <= 0"),
        "2:6: size 0: sizes are whole numbers from 1 to 18446744073709551615\n  |\n2 | 4 <= 0\n  |      ^"
    );
}

#[test]
fn values_are_read_line_by_line() {
    let mut names = Names::new();
    let gamma = parse_ground("a ↦ 3\n⟨r⟩ ↦ [3]·⋄·[]\ns := [] <> [1]", &mut names).expect("three values");
    assert_eq!(names.show(&gamma).to_string(), "a ↦ 3, ⟨r⟩ ↦ [3]·⋄·[], ⟨s⟩ ↦ []·⋄·[1]");
    let twice = parse_ground("a := 3\na := 4", &mut names).expect_err("a has a value");
    assert_eq!((twice.problem, twice.line), (NotationProblem::Twice("a".to_owned()), 2));
    assert!(parse_ground("a := b", &mut names).is_err() && parse_ground("<r> := 3", &mut names).is_err());
}
