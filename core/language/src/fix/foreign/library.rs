//! Functions that other systems have built in: how they are written here, or their definitions.

use super::super::{Edit, Fix};
use super::{Line, behind};
use crate::lexer::in_name;
use crate::parse::is_reducing;
use lozenge_notation::Span;

/// Name and definition.
const LIBRARY: [(&str, &str); 12] = [
    (
        "softmax",
        "fn softmax(x) =\n  let e = exp (x - (x @^^ \"...|...->... => ...|...->0\")) in\n  e /. (e ++ \"...|...->... => ...|...->0\")",
    ),
    (
        "log_softmax",
        "fn log_softmax(x) =\n  let s = x - (x @^^ \"...|...->... => ...|...->0\") in\n  s - log (exp s ++ \"...|...->... => ...|...->0\")",
    ),
    ("sigmoid", "fn sigmoid(x) = recip (1 + exp (-x))"),
    ("silu", "fn silu(x) = x /. (1 + exp (-x))"),
    ("softplus", "fn softplus(x) = log (1 + exp x)"),
    ("gelu", "fn gelu(x) = 0.5 *. x *. (1 + tanh (0.7978845608028654 *. (x + 0.044715 *. x *. x *. x)))"),
    ("leaky_relu", "fn leaky_relu(x) = relu x - 0.01 *. relu (-x)"),
    ("abs", "fn abs(x) = relu x + relu (-x)"),
    ("square", "fn square(x) = x *. x"),
    (
        "layer_norm",
        "fn layer_norm(x) =\n  let mean = (x ++ \"...|..d.. => ...|0\" [\"d\"]) /. dim d in\n  let centered = x - mean in\n  let variance = ((centered *. centered) ++ \"...|... => ...|0\") /. dim d in\n  { gamma } *. (centered /. sqrt (variance + 1e-5)) + { beta }",
    ),
    ("transpose", "fn transpose(x) = x ++ \"..b.. | ..i.. -> ..o.. => ..b.. | ..o.. -> ..i..\""),
    ("linear", "fn linear(x) = { w: ... -> 64 } * x + { b }"),
];

/// What stands before the functions of other systems.
const MODULES: [&str; 9] = ["np", "numpy", "jnp", "torch", "F", "nn", "tf", "jax.nn", "torch.nn.functional"];

/// `np.exp(x)`: functions have no module before them.
pub(super) fn prefixes(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    for call in line.calls() {
        let Some((module, name)) = call.name.rsplit_once('.') else { continue };
        if MODULES.contains(&module) {
            let start = call.span.start;
            let says = "functions have no module before them";
            let prefix = Span { start, end: start + module.len() + 1 };
            push(Fix::one(says, prefix, ""));
            with_definition(line, name, vec![Edit { span: prefix, text: String::new() }], push);
        }
    }
}

/// `x.T`, `x.sum()`: what methods are here.
pub(super) fn methods(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    let text = line.text();
    for (at, _) in text.match_indices(".T") {
        let ends = !text[at + 2..].starts_with(in_name);
        let start = behind(&text[..at], |c| !in_name(c));
        let name = &text[start..at];
        if ends && !name.is_empty() {
            let says = "a transposition is a specification";
            let span = line.at(start, at + 2);
            push(Fix::one(says, span, format!("({name} ++ \"..b.. | ..i.. -> ..o.. => ..b.. | ..o.. -> ..i..\")")));
            push(Fix::one(says, span, format!("({name} ++ \"ij => ji\")")));
        }
    }
    for call in line.calls() {
        let Some((receiver, method)) = call.name.rsplit_once('.') else { continue };
        let says = format!("there are no methods: what `.{method}` does is written so");
        let args: Vec<&str> = [receiver].into_iter().chain(call.args.iter().copied()).collect();
        // An argument of a reduction says which axes it is over, which no fix can know as labels.
        if is_reducing(method) {
            reduced(method, &args).into_iter().for_each(|text| push(Fix::one(says.clone(), call.span, text)));
            continue;
        }
        let edit = Edit { span: call.span, text: format!("{method}({})", args.join(", ")) };
        push(Fix::new(says, vec![edit.clone()]));
        with_definition(line, method, vec![edit], push);
    }
}

/// A reduction of one operand over all its elements.
fn reduced(function: &str, args: &[&str]) -> Option<String> {
    let [arg] = args else { return None };
    is_reducing(function).then(|| format!("{function}({arg}, \"...|...->... => 0\")"))
}

/// A function that others have built in: its definition before the statement.
fn with_definition(line: &Line<'_>, name: &str, mut edits: Vec<Edit>, push: &mut dyn FnMut(Fix)) {
    let Some((_, definition)) = LIBRARY.iter().find(|(known, _)| *known == name) else { return };
    let before = Span { start: line.span.start, end: line.span.start };
    edits.push(Edit { span: before, text: format!("{definition}\n") });
    push(Fix::new(format!("`{name}` is not built in, and can be defined"), edits));
}

/// `softmax(x)` and its kin, `sum(x)` and its kin.
pub(super) fn library(line: &Line<'_>, push: &mut dyn FnMut(Fix)) {
    for call in line.calls() {
        with_definition(line, call.name, Vec::new(), push);
        let name = match call.name.rsplit_once('.') {
            Some((module, name)) if MODULES.contains(&module) => name,
            _ => call.name,
        };
        if let Some(text) = reduced(name, &call.args) {
            push(Fix::one(format!("over all elements `{name}` is written so"), call.span, text));
        }
    }
}
