//! A function is a macro, and what one application made and did is made and done again for the next. Where every body is
//! walked, the same is made; a run that keeps a derivation takes every step, and says the same.

use super::{finish, held, scale};
use lozenge::policy::Limits;
use lozenge::program::generate::{Generated, generate, generate_walking};
use lozenge::program::{Inference, Program, infer, parse, tell};
use lozenge::solver::Policy;
use lozenge_engine::mutant::{self, Mutant};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::Numbers;
use std::fmt::Write;
use std::panic;

/// Random programs.
const PROGRAMS: u64 = 5_000;

const LEAVES: [&str; 8] = [
    "input NAME: 2, ... | 3",
    "input NAME: b | 3",
    "const NAME: ?",
    "const NAME: ... | 3",
    "const NAME",
    "param NAME: 3",
    "input NAME: 3, 1",
    "const NAME: ... | n -> ...",
];

/// What a step of a function computes from A and B; each declares what it needs under the number N.
const STEPS: [&str; 24] = [
    "A + B",
    "A *. B",
    "A - A",
    "{ wN } * A",
    "{ wN: ... -> 3 } * A",
    "{ wN: 3 -> ... } * A + { cN }",
    "{ gN } *. A",
    "A * B",
    "relu A",
    "A + 1.5",
    "mul3 A { gN } B",
    "fma { wN } A B",
    "g(A)",
    "g(g(A)) + B",
    "A ++ \"... | ...d => ... | d...\"",
    "A ++ \"... | ..v.. => ... | 0\"",
    "(A ++ \"... | ..v.. => ... | 0\" [\"v\"]) /. dim v",
    "A +* \"... | i; ... | i => ... | i\" B",
    "A +* \"... | i; ... | j => ... | i, j\" { kN }",
    "A +* \"... | i; i -> ... => ... | ...\" { kN }",
    "(A, B) ++^ \"... | p; ... | q => ... | p^q\"",
    "A @^^ \"... | i => ... | i\"",
    "A +* \"... | 2*o+k; k => ... | o\" { kN: 3 }",
    "A +* \"... | i, 1; ... => ... | i\" B",
];

/// What reaches out of a function: to a tensor, a size and a row of the program, to a gradient, and to a name that is the
/// program's only from some application on; and parts that are projected away, and a name for a size.
const REACHING: [&str; 11] = [
    "A + c",
    "A + later",
    "A *. dim h",
    "{ pN: h } + A",
    "{ pN: ..rest.. | 3 } + A",
    "A + B.grad",
    "A ++ \"... | ..l.. => ... | 0\" [\"l\"]",
    "A ++ \"... | l => ... | l\" [\"l\"]",
    "A ++ \"... | p^q => ... | p\"",
    "{ kN: zN } + A",
    "(A +* \"... | h*o+k; k => ... | o\" { kN })",
];

/// The body of a function of x and y.
fn body(numbers: &mut Numbers, inner: bool, reaching: usize) -> String {
    let (mut text, count) = (String::new(), 1 + numbers.below(6));
    for step in 0..count {
        let known: Vec<String> =
            ["x", "y"].map(String::from).into_iter().chain((0..step).map(|i| format!("t{i}"))).collect();
        let (a, b) = (numbers.pick(&known[known.len().saturating_sub(3)..]), numbers.pick(&known));
        let usual = if numbers.percent(70) { 14 } else { STEPS.len() };
        let how = STEPS[numbers.below(usual)];
        let how = if reaching > 0 && numbers.percent(reaching) { numbers.pick(&REACHING) } else { how };
        let how = if inner || !how.contains("g(") { how } else { "A + B" };
        let of = how.replace('N', &step.to_string()).replace('A', &a).replace('B', &b);
        // A capture is a name of its own.
        let captured = &"rstuvw"[step..=step];
        let of = of.replace("\"v\"", &format!("\"{captured}\"")).replace("..v..", &format!("..{captured}.."));
        let of = of.replace("dim v", &format!("dim {captured}"));
        let _ = write!(text, "let t{step} = {of} in ");
    }
    let _ = write!(text, "t{}", count - 1);
    text
}

/// A program that applies one function three to six times, each time to what is known by then.
fn program(number: u64) -> String {
    program_reaching(number, 0)
}

/// The same where so many of a hundred steps of a function may reach out of it.
fn program_reaching(number: u64, reaching: usize) -> String {
    let numbers = &mut Numbers::of(11, number);
    let mut text = "convolution valid\n".to_owned();
    if reaching > 0 {
        text += "const m: ..rest.. | h\n";
    }
    for name in ["x0", "c"] {
        text.extend([&numbers.pick(&LEAVES).replace("NAME", name), "\n"]);
    }
    let (inner, outer) = (body(numbers, false, reaching), body(numbers, true, reaching));
    let _ = writeln!(text, "fn g(x) = let y = x in {inner}\nfn f(x, y) = {outer}");
    let count = 3 + numbers.below(4);
    for i in 0..count {
        let other = match numbers.below(8) {
            0 => format!("x{}", numbers.below(i + 1)),
            1 => "relu c".to_owned(),
            2 => format!("f(c, x{i})"),
            _ => "c".to_owned(),
        };
        let _ = writeln!(text, "let x{} = f(x{i}, {other})", i + 1);
        if reaching > 0 && numbers.percent(10) {
            let _ = writeln!(
                text,
                "{}",
                numbers.pick(&["l = 3", "const later: 3", "k = 2", "let z = (let m = c in f(m, m))"])
            );
        }
        if numbers.percent(15) {
            let _ = writeln!(text, "let z{i} = x{} + x{}", numbers.below(i + 1), i + 1);
        }
    }
    text
}

/// All that is said of a program's shapes.
fn said(inferred: &Inference) -> String {
    let named: Vec<_> = inferred.named().into_iter().map(|(name, _)| (name, inferred.show(name))).collect();
    let (assumed, partial) = (inferred.assumptions(), inferred.partial());
    let rest = (inferred.values(), &inferred.sizes, &inferred.zeros);
    format!("{named:#?}\n{assumed:#?}\n{partial:?}\n{rest:#?}")
}

/// Is the same said, and are there shapes?
fn same(text: &str) -> Result<bool, String> {
    let program: Program = parse(text).map_err(|e| e.render(text))?;
    let found = infer(&program);
    let told = tell(&program, Policy::default(), Limits::default()).map_err(|e| e.render(text))?;
    let (shapes, found) = match &found {
        Ok(inferred) => (true, said(inferred)),
        Err(error) => (false, error.render(text)),
    };
    let told = match &told.ended {
        Ok(inferred) => said(inferred),
        Err(error) => error.render(text),
    };
    if found == told { Ok(shapes) } else { Err(format!("{text}found {found}\ntold {told}")) }
}

/// Do two programs make the same?
fn are_same(one: &Generated, other: &Generated) -> bool {
    let rest = |it: &Generated| (it.discardable.clone(), it.tags.leaves.clone(), it.tags.params.clone());
    let names = |it: &Generated| it.names.vars().map(|v| (v, it.names.var_name(v.id()).map(str::to_owned))).collect();
    let (names, others): (Vec<_>, Vec<_>) = (names(one), names(other));
    names == others
        && (&one.tensors, &one.bindings, &one.operations) == (&other.tensors, &other.bindings, &other.operations)
        && (&one.constraints, &one.origins, &one.captures) == (&other.constraints, &other.origins, &other.captures)
        && (&one.fixed, &one.claims, &one.claim_origins) == (&other.fixed, &other.claims, &other.claim_origins)
        && rest(one) == rest(other)
}

/// Is the same made, or the same refused? And is something made?
fn same_made(text: &str) -> Result<bool, String> {
    let program: Program = parse(text).map_err(|e| e.render(text))?;
    match (generate(&program), generate_walking(&program)) {
        (Ok(again), Ok(walked)) if are_same(&again, &walked) => Ok(true),
        (Err(one), Err(other)) if one == other => Ok(false),
        (one, other) => Err(format!("again {one:#?}\nwalked {other:#?}")),
    }
}

#[test]
fn applications_are_made_again_as_they_are_walked() {
    let cases = Cases::of("applications_are_made_again_as_they_are_walked");
    let mut some = 0;
    for number in 0..PROGRAMS * scale() {
        let text = program_reaching(number, [0, 10, 30][number as usize % 3]);
        some += u64::from(same_made(&text).unwrap_or_else(|why| panic!("{number}\n{text}{why}")));
        cases.one();
    }
    eprintln!("applications: {some} make something");
    assert!(some > PROGRAMS / 2, "{some}");
    finish(cases);
}

#[test]
fn applications_that_are_done_again_change_nothing() {
    let cases = Cases::of("applications_that_are_done_again_change_nothing");
    let mut shaped = 0;
    for number in 0..PROGRAMS * scale() {
        let text = program(number);
        shaped += u64::from(held(|| same(&text)).unwrap_or_else(|why| panic!("{number}\n{text}{why}")));
        cases.one();
    }
    eprintln!("applications: {shaped} have shapes");
    assert!(shaped > PROGRAMS / 4, "{shaped}");
    finish(cases);
}

/// What is done again is what these programs are about: where it is done whatever is found, that is seen.
#[test]
fn doing_again_without_a_look_is_seen_in_programs() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let law = |number| held(|| mutant::with(Mutant::AgainOutside, || same(&program(number))));
    let found = (0..PROGRAMS).find(|number| law(*number).is_err());
    panic::set_hook(hook);
    assert!(found.is_some_and(|number| same(&program(number)).is_ok()), "{found:?}");
}
