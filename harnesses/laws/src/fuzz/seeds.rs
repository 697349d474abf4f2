//! What fuzzing begins with: what the repository has in every format.

use crate::generators::{System, Weights};
use crate::programs;
use lozenge::certificate::json::refutation;
use lozenge::names::Names;
use lozenge::program::parse;
use lozenge::solver::{Policy, Verdict, solve_traced};
use lozenge::wire;
use quickcheck::Gen;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The names of the targets.
pub const TARGETS: [&str; 8] =
    ["notation", "program", "spec", "json_program", "request", "certificate", "model", "data"];

/// The seeds of a target.
///
/// # Panics
/// When there is no such target, or a file of the repository is missing.
#[must_use]
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let texts: Vec<String> = match target {
        "notation" => systems().into_iter().chain(files("tests/systems", "txt")).chain(column("rows", 1)).collect(),
        "program" => programs(),
        "spec" => column("specs", 1),
        "json_program" => {
            let json = |text: &String| parse(text).ok().and_then(|program| serde_json::to_string(&program).ok());
            programs().iter().filter_map(json).collect()
        }
        "request" => requests(),
        "certificate" => certificates(),
        "model" => files("tests/models", "txt").into_iter().chain(RANGED.map(str::to_owned)).collect(),
        "data" => DATA.map(str::to_owned).to_vec(),
        _ => panic!("there is no target {target}"),
    };
    let mut seeds: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
    if target == "data" {
        seeds.extend(arrays());
    }
    seeds.retain(|seed| seed.len() <= super::MOST_BYTES);
    seeds
}

/// Writes the seeds of a target, one a file.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write(target: &str, folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (i, seed) in seeds(target).iter().enumerate() {
        fs::write(folder.join(format!("seed-{i:05}")), seed)?;
    }
    Ok(())
}

/// Shapes with ranges, targets of reshapes, amounts of memory.
const RANGED: [&str; 6] =
    ["[batch:1..64, 784, _k, *, ?]", "[]", "[n:2.., 3]", "[-1, 4]", "24 GiB", "[a:..9, a, _k, _k]"];

/// JSON data.
const DATA: [&str; 8] = [
    "[[1, 2, 3], [4, 5, 6]]",
    r#"{"dims": [2, 3], "data": [1, 2, 3, 4, 5, 6]}"#,
    r#"{"dims": [2, 3], "data": ["1/3", "inf", "-inf", "nan", 1e300, -0.0]}"#,
    "[1, 2, 3, 4, 5, 9007199254740993]",
    "0.25",
    "\"range:1:0.5\"",
    "\"range\"",
    "[[], []]",
];

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder of the repository with this extension, in order.
///
/// # Panics
/// When one of them cannot be read.
#[must_use]
pub fn files(folder: &str, extension: &str) -> Vec<String> {
    let folder = root().join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// A column of a table of tests/sources.
fn column(table: &str, column: usize) -> Vec<String> {
    let text = read(&root().join(format!("tests/sources/{table}.tsv")));
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.split('\t').nth(column).map(str::to_owned)).collect()
}

/// Programs that people wrote, right and wrong ones, and random ones.
fn programs() -> Vec<String> {
    let written = [("tests/programs", "loz"), ("tests/programs/run", "loz"), ("tests/broken", "loz")];
    let written = written.into_iter().flat_map(|(folder, extension)| files(folder, extension));
    let statements = read(&root().join("tests/sources/statements.loz"));
    // The nearest number is not the one that a fast reader finds.
    let exact = ["let x = 3.1844674407370954".to_owned()];
    let random = (0..100).map(|case| programs::program(1, case).to_string());
    written.chain(statements.lines().map(str::to_owned)).chain(exact).chain(random).collect()
}

/// Random systems.
fn random_systems(count: usize) -> impl Iterator<Item = System> {
    let weights = Weights { flank: 1, constraints: 5, vars: 2, sizes: 2, bases: 1, ..Weights::default() };
    let mut g = Gen::from_size_and_seed(100, 11);
    (0..count).map(move |_| weights.system(&mut g))
}

/// Random systems in the notation, and ground substitutions.
fn systems() -> Vec<String> {
    let shown = |System { names, constraints }: System| -> String {
        constraints.iter().map(|phi| format!("{}\n", names.show(phi))).collect()
    };
    let ground = ["a ↦ 3\n⟨r⟩ ↦ [3]·⋄·[2:rgb]\n", "a := unit\nr := [3] <> []", "[3,5]•", "[3,5]!", "bot", "3:rgb"];
    random_systems(60).map(shown).chain(ground.map(str::to_owned)).collect()
}

/// The requests of the conformance corpus, and those with claims of the protocol.
fn requests() -> Vec<String> {
    let text = files("tests/conformance", "jsonl").concat();
    let cases = text.lines().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    let request = |case: Map<String, Value>| match (case.get("request"), case.get("line")) {
        (Some(request), _) => Some(request.to_string()),
        (None, line) => line.and_then(Value::as_str).map(str::to_owned),
    };
    let protocol = files("spec", "md").concat();
    let claimed = protocol.lines().filter(|line| line.contains("\"op\":") && line.contains("\"claims\":["));
    cases.filter_map(request).chain(claimed.map(str::to_owned)).collect()
}

/// Random systems with the evidence for their verdicts.
fn certificates() -> Vec<String> {
    let evidence = |System { mut names, constraints }: System| {
        let run = solve_traced(&constraints, &mut names, Policy::default());
        let listed: Vec<Value> = constraints.iter().map(|phi| wire::constraint(phi, &names)).collect();
        let (key, value) = match (&run.verdict, run.refutation()) {
            (Verdict::Solved(solved), _) => ("solution", solution(&solved.greatest()?, &names)),
            (_, found) => ("refutation", refutation(&found?, &names)),
        };
        Some(json!({ "constraints": listed, key: value }).to_string())
    };
    random_systems(300).filter_map(evidence).collect()
}

/// A ground substitution as JSON.
fn solution(gamma: &lozenge::semantics::Ground, names: &Names) -> Value {
    let name = |shown: String| shown.trim_matches(['⟨', '⟩']).to_owned();
    let dims = gamma.dims.iter().map(|(v, d)| (name(names.show(v).to_string()), wire::dim_term((*d).into(), names)));
    let rows = gamma.rows.iter().map(|(v, r)| (name(names.show(v).to_string()), wire::row(r, names)));
    Value::Object(dims.chain(rows).collect())
}

/// Small .npy files of several kinds and versions.
fn arrays() -> Vec<Vec<u8>> {
    let kinds = [("<f8", 8), ("<f4", 4), ("<i8", 8), ("<i2", 2), ("|u1", 1), ("|b1", 1), (">f8", 8)];
    let array = |(kind, width): (&str, usize)| {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2, 3), }}\n");
        let length = u8::try_from(header.len()).unwrap_or(u8::MAX);
        [&b"\x93NUMPY\x01\x00"[..], &[length, 0], header.as_bytes(), &vec![1; 6 * width]].concat()
    };
    kinds.map(array).to_vec()
}
