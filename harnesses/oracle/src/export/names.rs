//! Names of tensors as identifiers of Python and ONNX.

use super::graph::{Id, Step};
use super::translate::Translated;
use crate::run::computed;
use lozenge::program::Inference;
use lozenge::program::generate::{Role, TensorId};
use std::collections::{BTreeMap, BTreeSet};

/// Words that a name must not be.
const TAKEN: [&str; 43] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match",
    "nonlocal", "not", "np", "numpy", "onnx", "or", "pass", "print", "program", "raise", "return", "try", "while",
    "with", "yield", "float", "slice",
];

/// The identifiers of a translation.
pub struct Names {
    /// Of each node that is needed.
    pub nodes: BTreeMap<Id, String>,
    /// Of each tensor that has a name.
    pub tensors: BTreeMap<TensorId, String>,
}

/// A name that is an identifier, and no other's.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.insert_str(0, "x_");
    }
    while !taken.insert(text.clone()) {
        text.push('_');
    }
    text
}

/// The tensors that are given back: those that `run` shows, and literals that have a name.
pub fn outputs(inferred: &Inference) -> impl Iterator<Item = (String, TensorId)> {
    let tensors = &inferred.generated.tensors;
    let literals = inferred.generated.bindings.iter().filter(|(_, id)| tensors[*id].role == Role::Literal);
    let mut all = computed(inferred);
    all.extend(literals.map(|(name, id)| (name.to_string(), *id)));
    all.into_iter()
}

/// The nodes that values of named tensors, or of leaves, rest on, in order.
pub fn needed(inferred: &Inference, made: &Translated) -> Vec<Id> {
    let mut wanted = vec![false; made.graph.nodes.len()];
    let named = inferred.generated.bindings.iter().filter_map(|(_, tensor)| made.values[*tensor]);
    let begun = made.initial.values().copied();
    named.chain(begun).chain(made.indices.values().copied()).for_each(|id| wanted[id] = true);
    for (id, node) in made.graph.nodes.iter().enumerate().rev() {
        if matches!(node.step, Step::Leaf(_)) {
            wanted[id] = true;
        }
        if wanted[id] {
            node.args.iter().for_each(|arg| wanted[*arg] = true);
        }
    }
    (0..wanted.len()).filter(|id| wanted[*id]).collect()
}

impl Names {
    /// Leaves and indices have their own names, the last node of a tensor that of the tensor, and others a number.
    pub fn of(inferred: &Inference, made: &Translated) -> Self {
        let mut taken: BTreeSet<String> = TAKEN.iter().map(|word| (*word).to_owned()).collect();
        let (mut nodes, mut tensors) = (BTreeMap::new(), BTreeMap::new());
        for (name, tensor) in &inferred.generated.bindings {
            tensors.entry(*tensor).or_insert_with(|| unique(name, &mut taken));
        }
        for (id, node) in made.graph.nodes.iter().enumerate() {
            match &node.step {
                Step::Leaf(tensor) => {
                    // A leaf that is assigned later keeps its name, and so does what is assigned.
                    let name = inferred.generated.tensors[*tensor].name.clone().unwrap_or_default();
                    let own = tensors.get(tensor).filter(|_| made.values[*tensor] == Some(id)).cloned();
                    nodes.insert(id, own.unwrap_or_else(|| unique(&format!("{name}_before"), &mut taken)));
                }
                Step::Index(name) => {
                    nodes.insert(id, unique(name, &mut taken));
                }
                _ => {}
            }
        }
        for (tensor, name) in &tensors {
            // A result of ONNX is made by a node: a constant gets another name, and is copied.
            let constant = |id: &Id| matches!(made.graph.nodes[*id].step, Step::Constant(_) | Step::Full(_));
            if let Some(id) = made.values[*tensor].filter(|id| !constant(id)) {
                nodes.entry(id).or_insert_with(|| name.clone());
            }
        }
        for id in needed(inferred, made) {
            nodes.entry(id).or_insert_with(|| unique(&format!("t{id}"), &mut taken));
        }
        Names { nodes, tensors }
    }

    /// The identifier of a node.
    pub fn node(&self, id: Id) -> &str {
        self.nodes.get(&id).map_or("", String::as_str)
    }
}
