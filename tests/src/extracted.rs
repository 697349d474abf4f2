//! The programs that are extracted from the Coq development, and what goes over the wire to them.

use crate::root;
use lozenge::names::Names;
use lozenge::rigid::{Rigid, TwoSorted};
use lozenge::semantics::Ground;
use lozenge::subst::Map;
use lozenge::term::{DimTerm, Term, Var};
use lozenge::wire;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

/// A program of `proofs/coq/Makefile`, built from the definitions as they are now.
fn built(target: &str, program: &str) -> PathBuf {
    let made = Command::new("make").arg("-C").arg(root().join("proofs/coq")).arg(target).output();
    let made = made.expect("make is there: install make and coq");
    let log = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "the {target} is built; this needs coq and ocamlopt:\n{log}");
    root().join("proofs/coq/build").join(program)
}

/// The certificate checker.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn checker() -> PathBuf {
    static BUILT: LazyLock<PathBuf> = LazyLock::new(|| built("checker", "lozenge-check"));
    BUILT.clone()
}

/// The model that core is compared with.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn model() -> PathBuf {
    static BUILT: LazyLock<PathBuf> = LazyLock::new(|| built("model", "lozenge-model"));
    BUILT.clone()
}

/// A process that answers each line by a line.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Engine {
    /// Starts this command.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
        let (stdin, stdout) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
        Engine { child, stdin, stdout: BufReader::new(stdout) }
    }

    /// The answer to one line, without its end.
    ///
    /// # Panics
    /// When there is none.
    pub fn ask(&mut self, request: &str) -> String {
        self.stdin.write_all(request.as_bytes()).expect("the engine reads");
        self.stdin.write_all(b"\n").expect("the engine reads");
        self.stdin.flush().expect("the engine reads");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("UTF-8");
        assert_eq!(line.pop(), Some('\n'), "the engine answers {}", request.get(..200).unwrap_or(request));
        line
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a variable is called on the wire.
#[must_use]
pub fn var_name(var: Var, names: &Names) -> String {
    names.show(&var).to_string().trim_matches(['⟨', '⟩']).to_owned()
}

/// A ground substitution on the wire.
#[must_use]
pub fn values(gamma: &Ground, names: &Names) -> Value {
    let dims = gamma.dims.iter().map(|(v, d)| (Var::Dim(*v), wire::dim_term(DimTerm::Dim(*d), names)));
    let rows = gamma.rows.iter().map(|(v, r)| (Var::Row(*v), wire::row(r, names)));
    dims.chain(rows).map(|(v, json)| (var_name(v, names), json)).collect::<serde_json::Map<_, _>>().into()
}

/// A map on the wire.
#[must_use]
pub fn bindings(map: &Map, names: &Names) -> Value {
    let bound = map.bindings();
    bound.iter().map(|(v, t)| (var_name(*v, names), wire::term(t, names))).collect::<serde_json::Map<_, _>>().into()
}

/// Variables, as the terms that they are, on the wire.
#[must_use]
pub fn variables(vars: impl IntoIterator<Item = Var>, names: &Names) -> Value {
    vars.into_iter().map(|v| wire::term(&Term::from(v), names)).collect()
}

/// A row of either sort on the wire: rigid rows are an extension of the model.
#[must_use]
pub fn two_sorted(row: &TwoSorted, names: &Names) -> Value {
    match row {
        TwoSorted::Marked(row) => wire::row(row, names),
        TwoSorted::Rigid(Rigid(flat)) => {
            json!({"rigid": flat.iter().map(|d| wire::dim_term(DimTerm::Dim(*d), names)).collect::<Value>()})
        }
    }
}

/// Every way to change one leaf of a JSON value a little, to leave something out, or to swap neighbours.
#[must_use]
pub fn mutants(json: &Value) -> Vec<Value> {
    match json {
        Value::Null => vec![],
        Value::Bool(b) => vec![(!b).into()],
        Value::Number(n) => {
            let n = n.as_u64().unwrap_or(0);
            [Some(n + 1), n.checked_sub(1)].into_iter().flatten().map(Value::from).chain(["unit".into()]).collect()
        }
        Value::String(s) => {
            let others = ["front", "back", "a0", "a1", "r0", "r1", "?9", "unit", "pin", "pin-top", "residue"];
            others.into_iter().filter(|o| o != s).map(Value::from).collect()
        }
        Value::Array(items) => {
            let without = |i: usize| Value::from([&items[..i], &items[i + 1..]].concat());
            let mut out: Vec<Value> = (0..items.len()).map(without).collect();
            for i in 0..items.len() {
                let mut changed = items.clone();
                if i > 0 {
                    changed.swap(i - 1, i);
                    out.push(changed.clone().into());
                    changed.swap(i - 1, i);
                }
                for mutant in mutants(&items[i]) {
                    changed[i] = mutant;
                    out.push(changed.clone().into());
                }
            }
            out
        }
        Value::Object(object) => {
            let mut out = Vec::new();
            for (key, value) in object {
                let mut changed = object.clone();
                changed.remove(key);
                out.push(changed.clone().into());
                for mutant in mutants(value) {
                    changed.insert(key.clone(), mutant);
                    out.push(changed.clone().into());
                }
            }
            out
        }
    }
}
