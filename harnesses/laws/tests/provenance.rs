//! Findings F49, F56, F60, F63 and F64, and the order of deferred equations (F45): where markers, tags and values come from.

use super::paper::{closed, is_solved_by, parsed};
use lozenge::calculus::closing::word::least;
use lozenge::policy::Policy;
use lozenge::program::{InferError, infer, parse};
use lozenge::rules::Rule;
use lozenge::solver::{Verdict, solve, solve_traced};

/// The output row of a tensor.
fn output_of(text: &str, name: &str) -> Result<String, InferError> {
    let inferred = infer(&parse(text).expect("a program"))?;
    let id = inferred.generated.tensor(name).expect("a tensor");
    Ok(inferred.generated.names.show(&inferred.shapes[id].output).ascii().to_string())
}

/// 2.15, §10: the marker of r stands where neither side has one; the mirror image has it where the other side has it.
#[test]
fn finding_f63_the_left_edge_is_declared_by_no_one() {
    for text in ["<r> [3] ~ [5,3] <> []", "[3] <r> ~ [] <> [3,5]"] {
        for policy in [Policy::default(), Policy::paper()] {
            let (mut names, phi) = parsed(text);
            let Verdict::Solved(solved) = solve(&phi, &mut names, policy) else { panic!("{text}") };
            let r = solved.sigma().row(names.row_var("r").expect("r"));
            assert_eq!(names.show(&r).ascii().to_string(), "[] <> [5]", "{text}");
        }
        // The other edge is as good.
        assert!(is_solved_by(text, "r := [5] <> []"), "{text}");
    }
    let program = |x: &str, q: &str, spec: &str| {
        format!("input x: {x}\ninput q: {q}\nlet a = x ++ \"ij => i\"\nlet y = x ++ \"{spec}\"\nlet z = y + q\n")
    };
    let z = |text: String| output_of(&text, "z").expect("shapes");
    assert_eq!(z(program("5, 3, ...", "5, 7, ...", "...k => ...")), "[5,7] <> [5]");
    assert_eq!(z(program("..., 3, 5", "..., 7, 5", "k... => ...")), "[] <> [7,5]");
}

/// 6.7(i): no place without a ground cap, and a satisfiable store is rejected; with both leaves the order decides.
#[test]
fn finding_f64_a_place_that_one_cap_fills() {
    let text = "5 <= a\n[a] <> [] <= <p>\n[3] <> [] <= <p>";
    assert_eq!(closed(text, &["p"], true), Err(Some(Rule::DiGround)));
    assert!(is_solved_by(text, "a := unit\np := [unit] <> []"));
    assert_eq!(closed(text, &["p"], false).as_deref(), Ok("a := unit, <p> := [unit] <> []"));
    let text = "3 <= a\n[a] <> [] <= <p>";
    assert_eq!(closed(text, &["a", "p"], true).as_deref(), Ok("a := 3, <p> := [3] <> []"));
    assert_eq!(closed(text, &["p", "a"], true).as_deref(), Ok("a := 3, <p> := [unit] <> []"));
    assert_eq!(closed(text, &["p", "a"], false), closed(text, &["a", "p"], false));
}

/// 2.15, upgrade path: two results of one tensor, each with its own marker.
#[test]
fn finding_f49_two_assignments_race() {
    let program = |first: &str, second: &str| {
        let head = "input a: 2, 3\ninput b: 2, ..., 9, 3\n";
        format!("{head}{{ y }} =: a ~logic:\"{first}\"\ny =+ a ~logic:\"{second}\"\nlet z = y + b\n")
    };
    let (open, closed) = ("i...j => i...j", "ij => ij");
    assert_eq!(output_of(&program(open, closed), "z").as_deref().ok(), Some("[2] <> [9,3]"));
    assert!(matches!(output_of(&program(closed, open), "z"), Err(InferError::Clash(_))));
}

/// 6.1: a leaf that is equal to another variable takes its cap, whichever of the two is bound.
#[test]
fn finding_f56_the_tag_of_an_equal_variable() {
    for equal in ["a = b", "b = a"] {
        for letter in [true, false] {
            let text = format!("{equal}\n3 <= a");
            let values = closed(&text, &["a"], letter).expect("closed");
            assert!(values.contains("a := 3") && values.contains("b := 3"), "{values}");
        }
        // Both are solutions; as an interior variable it would go up.
        assert!(is_solved_by(equal, "a := unit\nb := unit"));
        assert_eq!(
            closed(&format!("{equal}\n3 <= a"), &[], true).as_deref().ok().map(|v| v.contains('3')),
            Some(false)
        );
    }
}

/// 5.1: no rule for equalities makes a variable.
#[test]
fn finding_f60_equalities_make_no_variable() {
    for text in ["[2] <x> ~ <y> [3]", "<x> [3] ~ [2] <y> [4,3]", "<x> ~ [2,3] <> [4]", "[2] <x> ~ <x> [2]"] {
        let (mut names, phi) = parsed(text);
        let before = names.len();
        assert!(!solve_traced(&phi, &mut names, Policy::paper()).trace.steps.is_empty());
        assert_eq!(names.len(), before, "{text}");
    }
}

/// An equation with the row x and another one: s·x ≈ z·t, or s·z ≈ x·t.
struct Shares<'w> {
    in_front: bool,
    s: &'w str,
    t: &'w str,
}

/// `23` as the axes 2 and 3.
fn axes(word: &str) -> String {
    word.chars().map(String::from).collect::<Vec<_>>().join(",")
}

impl Shares<'_> {
    fn text(&self, other: &str) -> String {
        let (x, y) = if self.in_front { ("x", other) } else { (other, "x") };
        format!("[{}] <{x}> ~ <{y}> [{}]", axes(self.s), axes(self.t))
    }

    fn holds(&self, x: &str) -> bool {
        match self.in_front {
            true => format!("{}{x}", self.s).ends_with(self.t),
            false => format!("{x}{}", self.t).starts_with(self.s),
        }
    }

    /// What x is in the solution with the fewest axes.
    fn least(&self) -> String {
        let (_, value) = least(&parsed(&self.text("z")).1[0]).expect("deferred");
        let y = &self.s[..value.trail.len()];
        if self.in_front { format!("{y}{}", self.t)[self.s.len()..].to_owned() } else { y.to_owned() }
    }
}

/// 5.5, 6.1: which of two deferred equations is resolved first can decide. The page has these numbers.
#[test]
fn finding_f45_which_equation_comes_first() {
    let words = |from: u32, to: u32| {
        let of = |n: u32| {
            (0..1_u32 << n).map(move |bits| (0..n).map(|i| if bits >> i & 1 == 0 { '2' } else { '3' }).collect())
        };
        (from..=to).flat_map(of).collect::<Vec<String>>()
    };
    let (flanks, rows) = (&words(1, 2), words(0, 6));
    let equation =
        move |in_front| flanks.iter().flat_map(move |s| flanks.iter().map(move |t| Shares { in_front, s, t }));
    let all: Vec<Shares<'_>> = equation(true).chain(equation(false)).collect();
    let [mut solvable, mut rejected, mut by_order, mut by_common] = [0; 4];
    for (one, two) in all.iter().flat_map(|one| all.iter().map(move |two| (one, two))) {
        let accepted = |texts: [String; 2]| closed(&texts.join("\n"), &[], false).is_ok();
        if !rows.iter().any(|x| one.holds(x) && two.holds(x)) {
            continue;
        }
        let (here, there) = (accepted([one.text("y"), two.text("z")]), accepted([two.text("z"), one.text("y")]));
        let (x, other) = if one.least().len() < two.least().len() { (two.least(), one) } else { (one.least(), two) };
        solvable += 1;
        rejected += u32::from(!here);
        by_order += u32::from(here != there);
        by_common += u32::from(!other.holds(&x));
    }
    assert_eq!([solvable, rejected, by_order, by_common], [3_780, 1_924, 464, 1_500]);
    // More axes written is not more axes needed.
    let lines = ["[2,2] <x> ~ <y> [2,2]", "[3] <x> ~ <z> [2]"];
    for text in [lines.join("\n"), [lines[1], lines[0]].join("\n")] {
        assert!(
            closed(&text, &[], false).is_err() && is_solved_by(&text, "x := [2] <> []\ny := [2] <> []\nz := [3] <> []")
        );
    }
}
