//! Comparing core with the model that is extracted from Coq, case by case (proofs/README.md, "The bridge").

use crate::extracted::{Engine, model};
use lozenge_harnesses::cases::{Cases, thousands};
use serde_json::Value;
use std::io::Write;
use std::process::Command;

/// About so many cases go into one request.
const BATCH: usize = 1 << 19;

/// Does `LOZENGE_BRIDGE=large` ask for the larger domains? Then counts are printed and not held to the index.
#[must_use]
pub fn large() -> bool {
    std::env::var("LOZENGE_BRIDGE").is_ok_and(|size| size == "large")
}

/// Values with what they are on the wire.
#[derive(Debug)]
pub struct Table<T> {
    /// The values.
    pub items: Vec<T>,
    json: Vec<String>,
    /// How many values each stands for.
    times: Vec<u64>,
}

impl<T> Table<T> {
    /// These values, written so.
    pub fn new(items: impl IntoIterator<Item = T>, write: impl Fn(&T) -> Value) -> Self {
        let items: Vec<T> = items.into_iter().collect();
        let json = items.iter().map(|item| write(item).to_string()).collect();
        let times = vec![1; items.len()];
        Table { items, json, times }
    }

    /// Those of a table that stand for others, with how many they stand for.
    #[must_use]
    pub fn standing(&self, stands_for: impl Fn(&T) -> Option<u64>) -> Self
    where
        T: Clone,
    {
        let mut some = Table { items: Vec::new(), json: Vec::new(), times: Vec::new() };
        for (item, json) in self.items.iter().zip(&self.json) {
            let Some(times) = stands_for(item) else { continue };
            some.items.push(item.clone());
            some.json.push(json.clone());
            some.times.push(times);
        }
        some
    }

    fn text(&self) -> String {
        self.json.join(",")
    }

    /// Pieces of a size that makes about [`BATCH`] cases when each item stands for `times`.
    fn pieces(&self, times: usize) -> impl Iterator<Item = (&[T], &[String], u64)> {
        let size = (BATCH / times.max(1)).max(1);
        let stand_for = self.times.chunks(size).map(|times| times.iter().sum());
        self.items.chunks(size).zip(self.json.chunks(size)).zip(stand_for).map(|((items, json), n)| (items, json, n))
    }
}

/// One comparison: the model, and how many cases have agreed.
#[derive(Debug)]
pub struct Bridge {
    model: Engine,
    harness: &'static str,
    cases: Cases,
}

impl Bridge {
    /// For the test of this name.
    ///
    /// # Panics
    /// When the model does not build or start.
    #[must_use]
    pub fn of(harness: &'static str) -> Self {
        Bridge { model: Engine::start(&mut Command::new(model())), harness, cases: Cases::of(harness) }
    }

    /// What the model computes: the text between the brackets or quotes of `values`.
    fn values(&mut self, op: &str, fields: &str) -> String {
        let answer = self.model.ask(&format!(r#"{{"op":"{op}",{fields}}}"#));
        let values = answer.strip_prefix(r#"{"verdict":"values","values":"#).and_then(|rest| rest.strip_suffix('}'));
        let Some(values) = values else { panic!("{op}: {}", answer.get(..300).unwrap_or(&answer)) };
        values.to_owned()
    }

    /// A function with truth values, on every pair.
    ///
    /// # Panics
    /// Where core and the model differ; so for every comparison.
    pub fn truth<A, B>(&mut self, op: &str, a: &Table<A>, b: &Table<B>, core: impl Fn(&A, &B) -> bool) {
        let others = b.text();
        for (items, json, standing_for) in a.pieces(b.items.len()) {
            let values = self.values(op, &format!(r#""all":[[{}],[{others}]]"#, json.join(",")));
            let mut said = values.trim_matches('"').bytes();
            for (x, x_json) in items.iter().zip(json) {
                for (y, y_json) in b.items.iter().zip(&b.json) {
                    let (ours, theirs) = (core(x, y), said.next().map(|sign| sign == b'1'));
                    assert!(theirs == Some(ours), "{op} {x_json} {y_json} differs: core {ours}, model {theirs:?}");
                }
            }
            assert_eq!(said.next(), None, "{op}: an answer for every pair");
            self.cases.many(standing_for * b.items.len() as u64);
        }
    }

    /// A function whose results stand in a table, on every pair; core says where.
    ///
    /// # Panics
    /// As [`Bridge::truth`].
    pub fn place<A, B, C>(
        &mut self,
        op: &str,
        (a, b): (&Table<A>, &Table<B>),
        among: &Table<C>,
        core: impl Fn(&A, &B) -> usize,
    ) {
        let (others, table) = (b.text(), among.text());
        for (items, json, standing_for) in a.pieces(b.items.len()) {
            let fields = format!(r#""all":[[{}],[{others}]],"among":[{table}]"#, json.join(","));
            let values = self.values(op, &fields);
            let mut said = values.trim_matches(['[', ']']).split(',');
            for (x, x_json) in items.iter().zip(json) {
                for (y, y_json) in b.items.iter().zip(&b.json) {
                    let (ours, theirs) = (core(x, y), said.next().and_then(|place| place.parse().ok()));
                    let shown = &among.json[ours];
                    assert!(theirs == Some(ours), "{op} {x_json} {y_json} differs: core {shown}, model {theirs:?}");
                }
            }
            assert_eq!(said.next(), None, "{op}: an answer for every pair");
            self.cases.many(standing_for * b.items.len() as u64);
        }
    }

    /// A function on every pair; core says what it is on the wire.
    ///
    /// # Panics
    /// As [`Bridge::truth`].
    pub fn pairs<A, B>(&mut self, op: &str, a: &Table<A>, b: &Table<B>, core: impl Fn(&A, &B) -> Value) {
        self.pairs_as(op, (a, b), |_, _, said| said, core);
    }

    /// As [`Bridge::pairs`], where core says the same in other words: what the model says of a pair is put so first.
    ///
    /// # Panics
    /// As [`Bridge::truth`].
    pub fn pairs_as<A, B>(
        &mut self,
        op: &str,
        (a, b): (&Table<A>, &Table<B>),
        put: impl Fn(&A, &B, Value) -> Value,
        core: impl Fn(&A, &B) -> Value,
    ) {
        let (others, width) = (b.text(), b.items.len());
        for (items, json, _) in a.pieces(10 * width) {
            let expected = items.iter().flat_map(|x| b.items.iter().map(|y| core(x, y)));
            let of = |i: usize| format!("{} {}", json[i / width], b.json[i % width]);
            let put = |i: usize, said| put(&items[i / width], &b.items[i % width], said);
            self.agree(op, &format!(r#""all":[[{}],[{others}]]"#, json.join(",")), expected.collect(), put, of);
        }
    }

    /// A function of one argument on every item.
    ///
    /// # Panics
    /// As [`Bridge::truth`].
    pub fn each<A>(&mut self, op: &str, a: &Table<A>, core: impl Fn(&A) -> Value) {
        let expected = a.items.iter().map(core).collect();
        self.agree(op, &format!(r#""all":[[{}]]"#, a.text()), expected, |_, said| said, |i| a.json[i].clone());
    }

    /// A function on these arguments; core says what it is on the wire.
    ///
    /// # Panics
    /// As [`Bridge::truth`].
    pub fn cases(&mut self, op: &str, cases: &[(Vec<Value>, Value)]) {
        for cases in cases.chunks(1000) {
            let arguments: Value = cases.iter().map(|(arguments, _)| Value::from(arguments.clone())).collect();
            let expected = cases.iter().map(|(_, expected)| expected.clone()).collect();
            let of = |i: usize| Value::from(cases[i].0.clone()).to_string();
            self.agree(op, &format!(r#""cases":{arguments}"#), expected, |_, said| said, of);
        }
    }

    /// What the model computes of these arguments, for a test that compares by itself.
    ///
    /// # Panics
    /// When it does not answer every case.
    pub fn said(&mut self, op: &str, cases: &[Vec<Value>]) -> Vec<Value> {
        let mut all = Vec::new();
        for cases in cases.chunks(1000) {
            let arguments: Value = cases.iter().map(|arguments| Value::from(arguments.clone())).collect();
            let said = self.values(op, &format!(r#""cases":{arguments}"#));
            all.extend(serde_json::from_str::<Vec<Value>>(&said).expect("a list"));
        }
        assert_eq!(all.len(), cases.len(), "{op}: an answer for every case");
        all
    }

    /// So many more have agreed.
    pub fn agreed(&mut self, cases: u64) {
        self.cases.many(cases);
    }

    fn agree(
        &mut self,
        op: &str,
        fields: &str,
        expected: Vec<Value>,
        put: impl Fn(usize, Value) -> Value,
        of: impl Fn(usize) -> String,
    ) {
        let values: Value = serde_json::from_str(&self.values(op, fields)).expect("JSON");
        let said: Vec<Value> = match values {
            Value::String(signs) => signs.bytes().map(|sign| Value::Bool(sign == b'1')).collect(),
            Value::Array(values) => values,
            other => panic!("{op}: {other}"),
        };
        assert_eq!(said.len(), expected.len(), "{op}: an answer for every case");
        for (i, (ours, theirs)) in expected.iter().zip(said).enumerate() {
            let theirs = put(i, theirs);
            let same = if is_set(op) { as_set(ours) == as_set(&theirs) } else { *ours == theirs };
            assert!(same, "{op} {} differs: core {ours}, model {theirs}", of(i));
        }
        self.cases.many(expected.len() as u64);
    }

    /// Prints the number of cases and holds it to the index.
    ///
    /// # Panics
    /// When the index has another number.
    pub fn finish(self) {
        if large() {
            let _ = writeln!(std::io::stderr(), "{}: {} cases", self.harness, thousands(self.cases.covered()));
        } else {
            self.cases.finish();
        }
    }
}

/// Results where neither order nor repetitions mean anything: variables, and equations.
fn is_set(op: &str) -> bool {
    matches!(op, "vars" | "domain" | "range_vars" | "elaborate")
}

fn as_set(json: &Value) -> std::collections::BTreeSet<String> {
    json.as_array().into_iter().flatten().map(Value::to_string).collect()
}
