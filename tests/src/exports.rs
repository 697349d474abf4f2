//! Programs for engines that Lozenge exports to: where they come from, and questions about them.

use crate::world::{einsum, pointwise};
use crate::{ask, loz_files, read, source_programs};
use lozenge::program::{infer, parse};
use lozenge_harnesses::programs::Numbers;
use lozenge_harnesses::{programs, sized};
use serde_json::{Value, json};
use std::path::Path;

/// How many random programs of each kind.
pub const RANDOM: u64 = 300;

/// A name, and the text of a program whose shapes fit.
pub type Named = (String, String);

fn fits(text: &str) -> bool {
    parse(text).is_ok_and(|program| infer(&program).is_ok())
}

/// The programs of tests/programs.
#[must_use]
pub fn files() -> Vec<Named> {
    loz_files("tests/programs").into_iter().map(|file| (file.clone(), read(&file))).collect()
}

/// Random programs that fit, by kind: anything, sizes with strides and concatenations, einsums, pointwise operations,
/// convolutions, and the specifications of the source documents.
#[must_use]
pub fn random() -> Vec<(&'static str, Vec<Named>)> {
    let made = |kind: &str, make: &dyn Fn(u64) -> String, count: u64| -> Vec<Named> {
        let all = (0..count).map(|n| (format!("{kind}-{n}"), make(n)));
        all.filter(|(_, text)| fits(text)).collect()
    };
    let sources = source_programs();
    let source = |n: u64| usize::try_from(n).ok().and_then(|n| sources.get(n).cloned()).unwrap_or_default();
    vec![
        ("any", made("any", &|n| programs::program(31, n).to_string(), 3 * RANDOM)),
        ("sized", made("sized", &|n| sized::program(32, n).text("t"), RANDOM)),
        ("einsum", made("einsum", &|n| einsum(&mut Numbers::of(33, n)).0, RANDOM)),
        ("pointwise", made("pointwise", &|n| pointwise(&mut Numbers::of(34, n)).0, RANDOM)),
        ("convolution", made("convolution", &|n| convolution(&mut Numbers::of(35, n)), RANDOM)),
        ("source", made("source", &source, sources.len() as u64)),
    ]
}

/// A random convolution over one or two axes, with a batch, channels and features.
fn convolution(numbers: &mut Numbers) -> String {
    let (mut sizes, mut kernels, mut spec) = (Vec::new(), Vec::new(), [const { Vec::<String>::new() }; 3]);
    for axis in ["x", "y"].into_iter().take(1 + numbers.below(2)) {
        let (stride, dilation) = (1 + numbers.below(3), 1 + numbers.below(2));
        let (kernel, output) = (1 + numbers.below(4), 1 + numbers.below(4));
        let padded = numbers.percent(50);
        let reach = (kernel - 1) * dilation + 1;
        sizes.push(if padded { stride * output } else { stride * (output - 1) + reach }.to_string());
        kernels.push(kernel.to_string());
        let sign = if padded { '=' } else { '<' };
        spec[0].push(format!("{stride}*{axis}{sign}+{dilation}*k{axis}"));
        spec[1].push(format!("k{axis}"));
        spec[2].push(axis.to_owned());
    }
    let [batch, channels, features] = [(); 3].map(|()| 1 + numbers.below(3));
    let [image, kernel, result] = spec.map(|axes| axes.join(", "));
    let (sizes, kernels) = (sizes.join(", "), kernels.join(", "));
    let maximum = numbers.percent(20);
    if maximum {
        return format!(
            "input a: {batch} | {sizes}, {channels}\nparam w: {kernels}\nlet b = a @^+ \"...| {image}, c; {kernel} => ...| {result}, c\" w\n"
        );
    }
    format!(
        "input a: {batch} | {sizes}, {channels}\nparam w: {kernels}, {channels} -> {features}\n\
         let b = a +* \"...| {image}, c; {kernel}, c -> f => ...| {result}, f\" w\n"
    )
}

/// Questions about programs, with the answers of the reference: a corpus for `lozenge conform`.
///
/// # Panics
/// When the file cannot be written.
pub fn write_corpus(file: &Path, questions: Vec<Value>) {
    let lines: Vec<String> = questions.iter().map(Value::to_string).collect();
    let case = |(request, expected): (Value, Value)| {
        let case = json!({ "id": request["id"], "about": "an export", "definitions": [], "freedom": [], "request": request, "expected": expected });
        format!("{case}\n")
    };
    let text: String = questions.into_iter().zip(ask(&lines)).map(case).collect();
    std::fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// `infer`, and `run` on whole numbers, so that sums are exact in any order.
#[must_use]
pub fn questions((name, text): &Named, indices: &[String]) -> [Value; 2] {
    let mut run = json!({ "id": format!("{name}-run"), "op": "run", "program": text, "fill": "range:-3:1" });
    if !indices.is_empty() {
        run["indices"] = indices.iter().map(|name| (name.clone(), 0.into())).collect::<serde_json::Map<_, _>>().into();
    }
    [json!({ "id": format!("{name}-infer"), "op": "infer", "program": text }), run]
}
