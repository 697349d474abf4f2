//! A pointwise operation on a tensor asks nothing of it: r ⊑ a has a solution whatever a is.

use super::{PROGRAMS, Said, finish, held, none_fails, said, scale};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::files;
use lozenge_harnesses::sized::{Program, program};

/// With `sin` of a tensor at the end: the same shapes and assumptions of all others.
fn unchanged(text: &str, alone: &Said, tensor: &str) -> Result<(), String> {
    let consumed = said(&format!("{text}let consumer = sin {tensor}\n"));
    let beside = consumed.map_err(|error| format!("with sin {tensor}: {error}"))?.without(|name| name == "consumer");
    if beside == *alone { Ok(()) } else { Err(format!("with sin {tensor}: {beside:?}\nand alone {alone:?}")) }
}

/// Has it shapes? Then with a consumer of one of its tensors as well, or of each of them.
fn law(program: &Program, mut tensors: impl Iterator<Item = usize>) -> Result<bool, String> {
    held(|| {
        let text = program.text("t");
        let Ok(alone) = said(&text) else { return Ok(false) };
        tensors.try_for_each(|i| unchanged(&text, &alone, &format!("t{i}")))?;
        Ok(true)
    })
}

#[test]
fn a_pointwise_consumer_never_matters() {
    let cases = Cases::of("a_pointwise_consumer_never_matters");
    for (name, text) in files("programs") {
        let alone = said(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        // What belongs to an application or an expression cannot be written.
        for tensor in alone.shapes.keys().filter(|tensor| tensor.chars().all(|c| c.is_alphanumeric() || c == '_')) {
            unchanged(&text, &alone, tensor).unwrap_or_else(|why| panic!("{name}: {why}"));
            cases.one();
        }
    }
    let (mut accepted, mut failed) = (0, Vec::new());
    for case in 0..PROGRAMS * scale() {
        let program = program(3, case);
        let one = usize::try_from(case).unwrap_or(0) % program.statements.len();
        match law(&program, one..=one) {
            Ok(has_shapes) => accepted += u64::from(has_shapes),
            Err(_) => failed.push(program),
        }
        cases.one();
    }
    eprintln!("a consumer: of {accepted} programs with shapes");
    none_fails(&failed, &|program| law(program, 0..program.statements.len()).map(|_| ()));
    assert!(accepted * 10 >= cases.covered() * 4, "{accepted}");
    finish(cases);
}
