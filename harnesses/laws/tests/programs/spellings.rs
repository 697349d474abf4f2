//! Spellings that come from elsewhere: `@`, NumPy's specifications, reductions as applications. They are read as programs
//! that have a spelling of their own here, which is what is printed.

use super::{cells, inferred, read, refused, round_trip};
use lozenge::program::ast::{EinsumOp, Expr, PermuteOp, SpecUse};
use lozenge::program::einsum::Spec;
use lozenge::program::{Program, generate, parse_json};
use lozenge_harnesses::cases::sampled;

/// Both texts are one program: as a tree, as JSON, and in what is inferred. The second is what is printed.
fn same(written: &str, canonical: &str) {
    let program = read(written);
    assert_eq!(program, round_trip(canonical));
    assert_eq!(program.to_string(), canonical);
    let (one, two) = (inferred(written), inferred(canonical));
    assert_eq!(one.shapes, two.shapes, "{written}");
    assert_eq!(one.generated.constraints, two.generated.constraints, "{written}");
}

#[test]
fn at_is_the_matrix_product() {
    let inputs = "input x: 5 | 3\nparam w: 3 -> 2\nparam b: 2\n";
    let with = |line: &str| format!("{inputs}{line}\n");
    same(&with("let y = w @ x"), &with("let y = w * x"));
    same(&with("let y = w @ x + b"), &with("let y = (w * x) + b"));
    same(&with("let y = b *. w@x"), &with("let y = (b *. w) * x"));
    // The signs that begin with it stay what they are.
    same(&with("let y = w @ x @^^ \"...|i => ...|0\""), &with("let y = (w * x) @^^ \"...|i => ...|0\""));
    same(&with("let y = w @ x @| 4"), &with("let y = (w * x) @| 4"));
}

#[test]
fn at_says_the_logic_of_an_assignment() {
    let inputs = "input x: 5 | 3\nparam w: 3 -> 2\n";
    let with = |line: &str| format!("{inputs}{line}\n");
    same(&with("{ y } =:+ w @ x"), &with("{ y } =:+ w * x ~logic:\"@\""));
    same(&with("{ y } =:+ (w @ x)"), &with("{ y } =:+ w * x ~logic:\"@\""));
    let twice = refused(&with("{ y } =:+ w @ x ~logic:\".\""));
    assert!(twice.starts_with("3:17: found `~`, expected the end of the statement: `@` says the logic"), "{twice}");
    assert!(refused(&with("{ y } =:+ w * x")).contains("must say which product"));
    same(&with("{ y } =: w @ x"), &with("{ y } =:+ w * x ~logic:\"@\""));
    assert_eq!(cells(&with("{ y } =: w @ x"), "y"), cells(&with("let y = w * x"), "y"));
    let maximum = refused(&with("{ y } =:@^ w @ x"));
    assert!(maximum.starts_with("3:14: found `@`, expected another operator: `@` is a sum"), "{maximum}");
    // Inside another operation it is not the assignment's own.
    same(&with("{ y } =: w @ x + 1"), &with("{ y } =: (w * x) + 1.0"));
}

#[test]
fn numpy_specifications() {
    let with = |line: &str| format!("input a: 2, 3\ninput b: 3, 4\ninput s: 3, 3\n{line}\n");
    same(&with("let y = a +* \"ij,jk->ik\" b"), &with("let y = a +* \"ij;jk=>ik\" b"));
    same(&with("let y = a +* \"ij, jk -> ik\" b"), &with("let y = a +* \"ij; jk => ik\" b"));
    same(&with("let y = a +* \"i j, j k -> i k\" b"), &with("let y = a +* \"i j; j k => i k\" b"));
    same(&with("let y = a ++ \"ij->ji\""), &with("let y = a ++ \"ij=>ji\""));
    same(&with("let y = a ++ \"ij->\" [\"i\"]"), &with("let y = a ++ \"ij=>\" [\"i\"]"));
    same(&with("let y = s ++ \"ii->i\""), &with("let y = s ++ \"ii=>i\""));
    same(&with("{ y } =:+ a ~logic:\"ij->j\""), &with("{ y } =:+ a ~logic:\"ij=>j\""));
    same(&with("let y = (a, s, b) +* \"ij,jk,kl->il\""), &with("let y = (a, s, b) +* \"ij;jk;kl=>il\""));
    assert_eq!(cells(&with("let y = a +* \"ij,jk->ik\" b"), "y"), [20.0, 23.0, 26.0, 29.0, 56.0, 68.0, 80.0, 92.0]);
    let built = Expr::name("a").einsum(EinsumOp::Product, "ij,jk->ik", Expr::name("b"));
    assert_eq!(built, Expr::name("a").einsum(EinsumOp::Product, "ij;jk=>ik", Expr::name("b")));
    let json = |spec: &str| {
        format!(
            r#"{{"statements": [{{"let": {{"name": "y", "value": {{"permute": {{"op": "++", "spec": {{"text": "{spec}"}}, "arg": {{"number": 1}}}}}}}}}}]}}"#
        )
    };
    assert_eq!(parse_json(&json("ij->ji")), parse_json(&json("ij=>ji")));
    let error = parse_json(&json("i->j")).expect_err("refused");
    assert_eq!(error.span.text(&json("i->j")), "j");
}

#[test]
fn a_text_with_our_arrow_is_never_numpys() {
    for text in ["i->j => j", "i,->j => ji", "i -> j; k => j"] {
        let spec: Spec = text.parse().expect("ours");
        assert!(spec.operands[0].input.axes().count() > 0, "{text}");
    }
}

#[test]
fn what_is_neither_is_refused_at_its_place() {
    let caret = |text: &str| {
        let error = text.parse::<Spec>().expect_err("refused");
        (error.span.text(text).to_owned(), error.problem.to_string())
    };
    let (at, why) = caret("...ij,...jk->...ik");
    assert_eq!(at, "...");
    assert!(why.contains("Write `...|ij; ...|jk => ...|ik` for batch axes, or `...ij; ...jk => ...ik` for"), "{why}");
    let (_, why) = caret("i...j->j...");
    assert!(why.ends_with("in every slot. Write `i...j => j...` where that is meant"), "{why}");
    let (at, why) = caret("row, col -> col, row");
    assert_eq!(at, ",");
    assert!(why.ends_with("`=>` stands before the result: `row, col => col, row`"), "{why}");
    let (at, why) = caret("b, batch  seq -> seq");
    assert_eq!(at, "batch  seq");
    assert!(why.ends_with("Write `b; batch, seq => seq`"), "{why}");
    assert_eq!(caret("ij->ik").0, "k");
    assert_eq!(caret("ij->ii").0, "i");
    for other in
        ["ij", "->", ",->", "ij,jk", "ij->j->i", "i|j->i", "ij;jk->ik", "i2->i", "o+k->o", "i\tj->i", "..r..->0"]
    {
        assert!(!caret(other).1.contains("NumPy"), "{other}");
    }
    let place = refused("input a: 2, 3\nlet y = a ++ \"ij -> ik\"");
    assert!(place.starts_with("2:22: without `=>` this can only be NumPy's notation"), "{place}");
    let count = refused("input a: 2, 3\nlet y = a ++ \"i,j->i\"");
    assert!(count.starts_with("2:15: the specification has 2 operands, the operation has 1"), "{count}");
    let clash = refused("input a: 2, 3\nlet y = a ++ \"ijk->i\"");
    assert!(clash.starts_with("2:9: the output row of `a` has 2 axes, and its slot has 3 axes"), "{clash}");
}

#[test]
fn random_numpy_specifications_are_ours_with_other_signs() {
    sampled("random_numpy_specifications_are_ours_with_other_signs", 5_000, |pieces: Vec<u8>| {
        const PIECES: [&str; 8] = ["i", "j", "k", "B", ",", " ", "->", "..."];
        let text: String = pieces.iter().map(|i| PIECES[usize::from(*i) % PIECES.len()]).collect();
        let Ok(spec) = text.parse::<Spec>() else { return true };
        let printed = spec.to_string();
        let again = printed.parse::<Spec>();
        let signs = text.replace(',', ";").replace("->", "=>");
        again == Ok(spec.clone()) && signs.parse::<Spec>() == Ok(spec) && signs.len() == text.len()
    });
}

const IMAGE: &str = "input x: 2 | 4, 6, 3\n";

#[test]
fn reductions_are_written_as_applications() {
    let with = |line: &str| format!("{IMAGE}{line}\n");
    let spec = "\"...| h, w, c => ...| c\"";
    same(&with(&format!("let y = sum(x, {spec})")), &with(&format!("let y = x ++ {spec}")));
    same(&with(&format!("let y = max(x, {spec})")), &with(&format!("let y = x @^^ {spec}")));
    same(&with(&format!("let y = max(x + 1, {spec}) - 1")), &with(&format!("let y = ((x + 1.0) @^^ {spec}) - 1.0")));
    let captures = "\"...| h, w, c => ...| c\" [\"h\"]";
    same(&with(&format!("let y = sum(x, {captures}) /. dim h")), &with(&format!("let y = (x ++ {captures}) /. dim h")));
    same(
        &with("let y = -sum(x, \"nijk->\")").replace("2 |", "2,"),
        &with("let y = neg (x ++ \"nijk=>\")").replace("2 |", "2,"),
    );
    let inside = format!("let y = where(max(x, {spec}), min x x, max(x, x))");
    same(&with(&inside), &with(&format!("let y = where(x @^^ {spec}, min(x, x), max(x, x))")));
}

#[test]
fn mean_and_min_have_names_of_their_own() {
    let text = format!(
        "{IMAGE}let y = mean(x, \"...| h, w, c => ...| c\")\nlet z = min(x + 1.0, \"...|h,... => ...|0\") - y\n"
    );
    let program = round_trip(&text);
    let built = Program::builder()
        .input("x", "2 | 4, 6, 3".parse().ok())
        .bind("y", Expr::name("x").permute(PermuteOp::Mean, "...| h, w, c => ...| c"))
        .bind(
            "z",
            (Expr::name("x") + 1.0).permute(PermuteOp::Min, SpecUse::from("...|h,... => ...|0")) - Expr::name("y"),
        )
        .build();
    assert_eq!(program, built);
    assert_eq!(cells(&format!("{IMAGE}let y = min(x, \"...|... => ...|0\")"), "y"), [0.0, 72.0]);
}

/// The mean is the sum divided by sizes that a program could name itself.
#[test]
fn the_mean_is_the_sum_by_the_number_of_cells() {
    let means = [
        ("...| h, w, c => ...| c", "[\"h\"; \"w\"]", "dim h *. dim w"),
        ("...| ..r.. => ...| 0", "[\"r\"]", "dim r"),
        ("..n..| ..r.. => 0", "[\"n\"; \"r\"]", "dim n *. dim r"),
        ("b,| h, ..., => 0, ...", "[\"b\"; \"h\"]", "dim b *. dim h"),
        ("...| 2*o<+a, 2*p<+b, c => ...| o, p, c", "[\"a\"; \"b\"]", "dim a *. dim b"),
        ("...| 0, w, c => ...| c", "[\"w\"]", "dim w"),
    ];
    for (spec, captures, count) in means {
        let sizes = if spec.contains("<+") { "a = 2\nb = 4\n" } else { "" };
        // In a mean the windows' sizes come from nowhere but a kernel, so it says them with captures too.
        let own = if sizes.is_empty() { "" } else { captures };
        let mean = format!("{IMAGE}let y = mean(x, \"{spec}\" {own})\n{sizes}");
        let sum = format!("{IMAGE}let y = (x ++ \"{spec}\" {captures}) /. ({count})\n{sizes}");
        assert_eq!(cells(&mean, "y"), cells(&sum, "y"), "{spec}");
        assert_eq!(inferred(&mean).show("y"), inferred(&sum).show("y"), "{spec}");
    }
    // Nothing is summed, and nothing is divided.
    assert_eq!(
        generate(&read(&format!("{IMAGE}let y = mean(x, \"...|... => ...|...\")"))).expect("fits").operations.len(),
        1
    );
}

/// A label of a mean is no name of the program: it meets no size, and no name is made for it.
#[test]
fn a_mean_makes_no_names() {
    let text = format!("{IMAGE}h = 5\nlet w = x + 1\nlet y = mean(x, \"...| h, w, c => ...| c\")\n");
    let inference = inferred(&text);
    assert_eq!(inference.size("h"), Some(5));
    assert_eq!(inference.generated.captures.len(), 1);
    let names: Vec<&str> = inference.named().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["x", "w", "y"]);
}

#[test]
fn sum_and_mean_stay_names() {
    let text = "input x: 3\nfn mean(x) = x ++ \"i => 0\"\nlet sum = mean(x)\nlet max_of = max sum 1\nlet y = mean(x, \"i => 0\") + sum\n";
    assert_eq!(cells(text, "y"), [4.0]);
    let none = refused("input x: 3\nlet y = mean(x)");
    assert!(none.starts_with("2:9: `mean` has no specification here: it says which axes stay"), "{none}");
}

#[test]
fn reductions_are_refused_at_their_place() {
    let at = |line: &str| refused(&format!("input x: 2, 3\nlet y = {line}")).lines().next().unwrap_or("").to_owned();
    assert!(at("sum(x, \"ij => i\", x)").starts_with("2:25: found `,`, expected `)` after the specification"));
    assert!(at("sum(x x, \"ij => i\")").starts_with("2:15: found `x`, expected an operator, or `,` before the spec"));
    assert!(at("sum(, \"ij => i\")").starts_with("2:13: found `,`, expected an operand"));
    assert!(at("sum(\"ij => i\", x)").starts_with("2:13: found `\"ij => i\"`, expected an operand"));
    assert!(at("sum(x, \"ij = i\")").starts_with("2:22: "));
    assert!(at("sum(x, \"ij => i\"").starts_with("2:25: found the end"));
    assert!(at("sum(x, x, \"ij => i\")").starts_with("2:19: found"));
    assert!(at("max(x, x, x)").starts_with("2:21: found"));
    assert!(at("relu(x, \"ij => i\")").starts_with("2:17: found"));
    assert!(at("mean(x, \"i; j => i\")").starts_with("2:18: the specification has 2 operands"));
    assert!(at("mean(x, \"_i => i\")").contains("`_` is none: give this axis a label"));
    assert!(at("mean(x, \"a^b, j => a\")").contains("`a^b` has another number at each place"));
    assert!(at("mean(x, \"i, j => i, 2*j\")").contains("`2*j` has another number at each place"));
    let deep = format!("{}x{}", "sum(".repeat(200), ", \"ij => ij\")".repeat(200));
    assert!(at(&deep).contains("too many operations inside each other"));
}

/// Functions of the language take brackets and commas as a program's own do.
#[test]
fn functions_with_brackets() {
    let with = |line: &str| format!("input x: 2, 3\nlet y = {line}\n");
    for (called, canonical) in [
        ("exp(x)", "exp x"),
        ("exp(x) + 1", "(exp x) + 1.0"),
        ("neg(x)", "neg x"),
        ("max(x, 1)", "max(x, 1.0)"),
        ("max x 1", "max(x, 1.0)"),
        ("min(x, x + 1)", "min(x, x + 1.0)"),
        ("relu_gate(x, x)", "relu_gate(x, x)"),
        ("where(x < 1, x, 0)", "where(x < 1.0, x, 0.0)"),
        ("mul3(x, x, x)", "mul3(x, x, x)"),
    ] {
        same(&with(called), &with(canonical));
    }
    let with = |line: &str| format!("input x: 3\nparam w: 3 -> 2\nparam b: 2\nlet y = {line}\n");
    same(&with("fma w x b"), &with("fma(w, x, b)"));
}
