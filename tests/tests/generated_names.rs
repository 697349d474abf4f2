//! What people read has the names that people gave: no variable of the solver, no iterator that is called like a tensor.
#![allow(missing_docs)]

use lozenge_tests::{json, loz_files, run};
use serde_json::Value;
use std::collections::BTreeSet;

fn all_files() -> Vec<String> {
    ["tests/programs", "tests/broken", "tests/sources"].iter().flat_map(|folder| loz_files(folder)).collect()
}

/// A name that a run made up: `?3`, `⟨?57⟩`, `2:?1`.
fn generated(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let marks = line.match_indices('?').map(|(at, _)| &line[at + 1..]);
        line.contains("⟨?") || marks.into_iter().any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

#[test]
fn no_variable_of_the_solver_is_shown() {
    let commands: [&[&str]; 6] = [
        &["infer"],
        &["infer", "--assumptions"],
        &["infer", "--partial"],
        &["explain"],
        &["explain", "--html"],
        &["project"],
    ];
    for file in all_files() {
        for command in commands {
            let (_, out, err) = run(&[command, &[file.as_str()]].concat(), "");
            let shown = out.split("<details>").next().unwrap_or(&out);
            for text in [shown, &err] {
                assert_eq!(generated(text), None, "{command:?} {file}");
            }
        }
    }
}

/// The iterators of every operation, against every name that stands beside them.
fn iterators_are_apart(file: &str, text: &str) -> usize {
    let (status, inferred) = json(&["infer", file], text);
    if status != Some(0) {
        return 0;
    }
    let names = |of: &Value| of.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let mut taken: BTreeSet<String> = names(&inferred["shapes"]).into_iter().collect();
    taken.extend(names(&inferred["captures"]));
    let (status, projected) = json(&["project", file], text);
    assert_eq!(status, Some(0), "{file}");
    let mut count = 0;
    for operation in projected["operations"].as_array().into_iter().flatten() {
        let tensors: BTreeSet<&str> =
            operation["tensors"].as_object().into_iter().flatten().filter_map(|(_, name)| name.as_str()).collect();
        let order: Vec<&str> = operation["order"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let distinct: BTreeSet<&str> = order.iter().copied().collect();
        assert_eq!(distinct.len(), order.len(), "{file}: {operation}");
        for name in order {
            assert!(!taken.contains(name) && !tensors.contains(name), "{name} in {file}\n{text}: {operation}");
            count += 1;
        }
    }
    count
}

#[test]
fn iterators_have_names_of_their_own() {
    let count: usize = all_files().iter().map(|file| iterators_are_apart(file, "")).sum();
    assert!(count > 300, "{count}");
    let programs = [
        "input i: 2, 3\ninput k: 3, 4\nlet j = i +* \"ij; jk => ik\" k\n",
        "input i: 2, 3\nlet j = relu i\nlet k = relu j + 1\n",
        "input i1: 2, 3\nlet i = i1 ++ \"ij => ji\"\nlet y = i ++ \"i1, i2 => i2, i1\"\n",
        "input x: 7, 30\ns = 3\nlet y = x ++ \"t, s*u<+k => u, t\" [\"t\"; \"u\"; \"k\"]\nk = 3\n",
        "input x: 3, 4 | 5\nlet y = x @| i\nlet z = relu y\n",
    ];
    for program in programs {
        assert!(iterators_are_apart("-", program) > 0, "{program}");
    }
    let (_, out, _) = run(&["project", "-"], programs[0]);
    assert!(out.contains("j[i1, k1] += i[i1, j1] * k[j1, k1]"), "{out}");
}
