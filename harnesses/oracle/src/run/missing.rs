//! What a run lacks, as flags that can be pasted.

use super::Job;
use lozenge::interp::RunError;
use lozenge::program::Inference;
use lozenge::program::ast::Index;
use lozenge::text::left;
use std::collections::BTreeSet;

/// A flag, and what its value must be.
struct Flag {
    flag: String,
    wants: String,
}

/// The flags that would let it run; none where something else is wrong.
pub fn flags(error: &RunError, inferred: &Inference, job: &Job) -> Option<String> {
    let mut flags: Vec<Flag> = match error {
        RunError::Missing(tensors) => tensors.iter().map(|(name, dims)| data(name, dims)).collect(),
        RunError::NoIndex { .. } => Vec::new(),
        _ => return None,
    };
    flags.extend(
        indices(inferred, job)
            .into_iter()
            .map(|name| Flag { flag: format!("--index {name}=0"), wants: "a number, from 0".to_owned() }),
    );
    let width = flags.iter().map(|it| it.flag.chars().count()).max().unwrap_or(0);
    let lines = flags.iter().map(|it| format!("  {}   {}\n", left(&it.flag, width), it.wants)).collect::<String>();
    let all: Vec<&str> = flags.iter().map(|it| it.flag.as_str()).collect();
    let range = match error {
        RunError::Missing(_) => ", with numbers or a .npy or .json file in the place of range (0, 1, 2, …)",
        _ => "",
    };
    Some(format!("add to the command{range}:\n{lines}in one line: {}", all.join(" ")))
}

/// Names of applications have a sign in them that shells may read as a comment.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_=./-".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn data(name: &str, dims: &[u64]) -> Flag {
    let sizes: Vec<String> = dims.iter().map(ToString::to_string).collect();
    let wants = match dims {
        [] | [1] => "one number".to_owned(),
        [_] => format!("{} numbers", sizes.join("")),
        _ => format!("{}, in the order batch, output, input", sizes.join("×")),
    };
    Flag { flag: format!("--data {}", quoted(&format!("{name}=range"))), wants }
}

/// The indices that slices take from outside and that have no value.
fn indices<'a>(inferred: &'a Inference, job: &Job) -> BTreeSet<&'a str> {
    let operations = inferred.generated.operations.iter();
    let names = operations.filter_map(|op| match &op.index {
        Some(Index::Name(name)) if !job.externals.contains_key(name) => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}
