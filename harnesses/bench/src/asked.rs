//! Questions beside solving: programs with claims about sizes, deciding, derivations and what is said of an error.

use crate::programs::Decoder;
use crate::systems::{self, Make};
use crate::{Outcome, Timed, timed, unlimited};
use lozenge::certificate::check_refutation;
use lozenge::closing::{Closing, Tags, close};
use lozenge::constraint::Constraint;
use lozenge::decide::{Decision, decide};
use lozenge::names::Names;
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::{Projected, project_all};
use lozenge::solver::solve_traced;
use std::fmt::Write as _;

/// Every variable of a system committed, each a leaf.
pub fn closing(make: Make, n: usize) -> Outcome {
    let mut names = Names::new();
    let phi = make(&mut names, n);
    let tags = Tags::leaves(names.vars());
    timed(|| close(&phi, &mut names, &tags, unlimited()), |closing| matches!(closing, Closing::Closed(_)))
}

/// Is there a solution? Systems whose deterministic run finds one.
pub fn deciding(make: Make, n: usize) -> Outcome {
    let mut names = Names::new();
    let phi = make(&mut names, n);
    timed(|| decide(&phi, &mut names, unlimited(), 4).decision, |decision| matches!(decision, Decision::Sat(_)))
}

/// The same of what a decoder of so many layers generates.
pub fn deciding_program(layers: usize) -> Outcome {
    let inferred = infer(&parse(&Decoder::Outline.program(layers))?)?;
    let (phi, mut names) = (inferred.generated.constraints, inferred.generated.names);
    timed(|| decide(&phi, &mut names, unlimited(), 4).decision, |decision| matches!(decision, Decision::Sat(_)))
}

/// The loop nest of a sum of two tensors with so many axes.
pub fn projecting(axes: usize) -> Outcome {
    let shape = vec!["2"; axes].join(", ");
    let inferred = infer(&parse(&format!("input x: {shape}\ninput y: {shape}\nlet z = x + y"))?)?;
    let of_all = |nests: &Vec<Projected>| nests.iter().all(|nest| nest.record.loops.len() == axes);
    timed(|| project_all(&inferred).unwrap_or_default(), |nests| !nests.is_empty() && of_all(nests))
}

fn unsat(n: usize) -> (Names, Vec<Constraint>) {
    let mut names = Names::new();
    let phi = (systems::DIRECTIONS[3].1)(&mut names, n);
    (names, phi)
}

/// Refutes a chain, with the derivation and the certificate.
pub fn derivation(n: usize) -> Outcome {
    let (mut names, phi) = unsat(n);
    timed(|| solve_traced(&phi, &mut names, unlimited()).refutation(), Option::is_some)
}

/// Checks the refutation of a chain; answers with its number of lines.
pub fn certificate(n: usize) -> Outcome {
    let (mut names, phi) = unsat(n);
    let refutation = solve_traced(&phi, &mut names, unlimited()).refutation().ok_or("no refutation")?;
    let timed = timed(|| check_refutation(&phi, &refutation), Result::is_ok)?;
    Ok(Timed { count: Some(refutation.lines.len()), ..timed })
}

/// A net of so many valid convolutions, each of which takes two rows and two columns off: the sizes are worked out by
/// the claims of §8, one after the other.
pub fn convolutions(layers: usize) -> Outcome {
    let mut text = format!("input x0: 4 | {0}, {0}, 8\n", 2 * layers + 8);
    for layer in 0..layers {
        let spec = "...| h<+k, w<+l, i; k, l, i -> o => ...| h, w, o";
        let _ = writeln!(text, "let x{} = relu x{layer} +* \"{spec}\" {{ w{layer}: 3, 3, 8 -> 8 }}", layer + 1);
    }
    let program = parse(&text)?;
    let last = format!("x{layers}");
    timed(|| infer(&program), |found| found.as_ref().is_ok_and(|i| i.show(&last).as_deref() == Some("4 | 8, 8, 8")))
}

/// So many claims that wait to the end, a third of each kind: parts of unknown size, a number of elements, a multiple of a
/// size that comes last.
pub fn open_claims(n: usize) -> Outcome {
    let mut text = String::new();
    for i in 0..n / 3 {
        let _ = writeln!(text, "const a{i}: ?\nconst b{i}: ?\nlet c{i} = (a{i}, b{i}) ++^ \"p; q => p^q\"");
        let _ = writeln!(text, "const d{i}: ?, 4\nelements d{i} = 24");
        let _ = writeln!(text, "e{i} = 2 * h\nconst f{i}: e{i}");
    }
    text += "h = 3\n";
    let program = parse(&text)?;
    let shapes = [("c", "2"), ("d", "6, 4"), ("f", "6")].map(|(name, shape)| (format!("{name}{}", n / 3 - 1), shape));
    let right = |i: &Inference| shapes.iter().all(|(name, shape)| i.show(name).as_deref() == Some(*shape));
    timed(|| infer(&program), |found| found.as_ref().is_ok_and(right))
}

/// So many concatenations in a chain, each of the one before and a part of unknown size: it gives the next a size, and no basis.
pub fn open_chain(n: usize) -> Outcome {
    let mut text = "const x0: ?\n".to_owned();
    for i in 0..n {
        let _ = writeln!(text, "const a{i}: ?\nlet x{} = (x{i}, a{i}) ++^ \"p; q => p^q\"", i + 1);
    }
    of_size(&text, &format!("x{n}"), n + 1)
}

/// One concatenation of so many parts of unknown size.
pub fn open_parts(n: usize) -> Outcome {
    let parts = |before: &str, between| (0..n).map(|i| format!("{before}{i}")).collect::<Vec<_>>().join(between);
    let mut text: String = (0..n).map(|i| format!("const a{i}: ?\n")).collect();
    let _ = writeln!(text, "let x = ({}) ++^ \"{} => {}\"", parts("a", ", "), parts("p", "; "), parts("p", "^"));
    of_size(&text, "x", n)
}

/// Infers a program in which this has one axis of this size.
fn of_size(text: &str, name: &str, size: usize) -> Outcome {
    let program = parse(text)?;
    let size = size.to_string();
    timed(|| infer(&program), |found| found.as_ref().is_ok_and(|i| i.show(name).as_deref() == Some(&*size)))
}

/// A program of so many operations whose last does not fit, and all that is said of it.
pub fn explaining(operations: usize) -> Outcome {
    let mut text = "input x0: 8 | 16\ninput y: 8 | 17\n".to_owned();
    for i in 0..operations {
        let _ = writeln!(text, "let x{} = relu x{i} + {{ b{i} }}", i + 1);
    }
    let _ = writeln!(text, "let z = x{operations} + y");
    let program = parse(&text)?;
    let run = || infer(&program).err().map(|error| error.render(&text));
    timed(run, |said| said.as_ref().is_some_and(|said| said.contains("17")))
}
