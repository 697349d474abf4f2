//! One request: its fields, and its answer.

mod parse;
mod programs;
mod quick;
mod systems;
mod values;

use super::{Body, ErrorJson, body};
use lozenge::constraint::Constraint;
use lozenge::json::{self, JsonError, Kind, Node, pointer};
use lozenge::names::Names;
use lozenge::solver::{GuardPolicy, Limits, Policy, Strategy};
use lozenge::term::Var;
use lozenge::wire::{self, WireError, WireErrorKind};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The operations of the format.
const OPS: [&str; 9] = ["solve", "close", "decide", "check", "infer", "project", "run", "parse", "version"];

/// The fields of a `run`, beside `op`.
const RUN: [&str; 9] = ["program", "policy", "limits", "data", "indices", "fill", "grad", "wrt", "scalar"];

/// The limits of a request; `points` is for `run`.
const LIMITS: [&str; 4] = ["fuel", "rank", "elements", "points"];

/// The fields of a request, not read any further.
#[derive(Default)]
pub struct Fields<'a> {
    fields: BTreeMap<Cow<'a, str>, &'a RawValue>,
    /// A key that stands twice.
    twice: Option<String>,
}

impl<'a> Fields<'a> {
    /// A field, as it is written.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.fields.get(key).copied()
    }

    /// Takes the id out.
    pub fn take_id(&mut self) -> Option<&'a str> {
        self.fields.remove("id").map(RawValue::get)
    }
}

/// A key, in the line where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Fields<'de>, A::Error> {
        let mut read = Fields::default();
        while let Some((Key(key), raw)) = from.next_entry::<Key<'_>, &RawValue>()? {
            if read.fields.insert(key.clone(), raw).is_some() {
                // Of two ids neither is the one.
                if key == "id" {
                    read.fields.insert(Cow::Borrowed("id"), RawValue::NULL);
                }
                read.twice = Some(key.into_owned());
            }
        }
        Ok(read)
    }
}

/// Answers a line that asks to solve constraints and for nothing else, if it is as usual: with its id.
pub fn usual(line: &[u8]) -> Option<(Option<&str>, Body)> {
    let quick::Usual { id, op, system } = quick::line(std::str::from_utf8(line).ok()?)?;
    (op == "solve").then(|| (id, systems::solve_alone(system)))
}

/// Reads the fields of a line.
pub fn fields(line: &[u8]) -> Result<Fields<'_>, ErrorJson> {
    let parse = |message: String| ErrorJson::new("parse", message, "");
    let text = std::str::from_utf8(line)
        .map_err(|error| parse(format!("not UTF-8: see byte {} (from 0)", error.valid_up_to())))?;
    serde_json::from_str(text).map_err(|error| {
        // What is JSON and no object is told apart from what is not JSON.
        if error.is_data() {
            return parse("a request is a JSON object".to_owned());
        }
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        parse(format!("not JSON: {what}, column {}", error.column()))
    })
}

/// A field that is not JSON as it must be.
fn not_json(error: JsonError, at: &str) -> ErrorJson {
    ErrorJson::new(if error.limit { "limit" } else { "parse" }, error.message, format!("{at}{}", error.at))
}

/// Answers a request; `id` has been taken out.
pub fn answer(fields: &Fields<'_>) -> Body {
    if let Some(key) = &fields.twice {
        let message = format!("the key {} stands twice in one object", found(&Value::String(key.clone())));
        return Err(ErrorJson::new("parse", message, format!("/{}", pointer(key))));
    }
    let expected = || format!("expected one of {}", OPS.join(", "));
    let Some(op) = fields.get("op") else {
        return Err(ErrorJson::new("parse", format!("the field `op` is missing, {}", expected()), ""));
    };
    let op = match quoted(op.get(), &OPS) {
        Some(op) => Cow::Borrowed(op),
        None => match json::value(op.get()).map_err(|error| not_json(error, "/op"))? {
            Value::String(op) => Cow::Owned(op),
            op => return Err(ErrorJson::new("parse", format!("found {}, {}", found(&op), expected()), "/op")),
        },
    };
    match &*op {
        "solve" => systems::solve(&about_system(fields, &["policy", "limits", "trace", "certificate"])?),
        "close" => systems::close(&about_system(fields, &["leaves", "params", "policy", "limits"])?),
        "decide" => systems::decide(&about_system(fields, &["policy", "limits", "rank_bound"])?),
        "check" => systems::check(&about_system(fields, &["values"])?),
        "infer" => programs::infer(&Request::of(fields, &["program", "policy", "limits", "trace", "partial"])?),
        "project" => programs::project(&Request::of(fields, &["program", "policy", "limits"])?),
        "run" => programs::run(&Request::of(fields, &RUN)?),
        "parse" => parse::parse(&Request::of(fields, &["spec", "shape"])?),
        "version" => version(&Request::of(fields, &[])?),
        _ => {
            let message = format!("there is no operation {}, {}", found(&Value::String(op.into_owned())), expected());
            Err(ErrorJson::new("unsupported", message, "/op"))
        }
    }
}

/// The one of some words that this JSON is, if it is written without escapes.
fn quoted<'w>(raw: &str, words: &[&'w str]) -> Option<&'w str> {
    let word = raw.strip_prefix('"')?.strip_suffix('"')?;
    words.iter().find(|known| **known == word).copied()
}

/// A request about constraints, with these further fields. One without claims is answered as ever, messages included.
fn about_system<'a>(fields: &'a Fields<'a>, further: &[&str]) -> Result<Request<'a>, ErrorJson> {
    let claims: &[&str] = &["claims", "discardable"];
    let claims = if claims.iter().any(|key| fields.get(key).is_some()) { claims } else { &[] };
    Request::of(fields, &[&["constraints"], further, claims].concat())
}

/// The fields of an object in a request, with their digits.
type Given = BTreeMap<String, Node>;

/// A request with no other fields than those its operation uses.
struct Request<'a>(&'a Fields<'a>);

impl<'a> Request<'a> {
    fn of(fields: &'a Fields<'a>, allowed: &[&str]) -> Result<Self, ErrorJson> {
        match fields.fields.keys().find(|key| *key != "op" && !allowed.contains(&&***key)) {
            None => Ok(Request(fields)),
            Some(key) => {
                let expected = [&["id", "op"], allowed].concat().join(", ");
                let key = found(&Value::String(key.to_string()));
                Err(ErrorJson::new("parse", format!("unknown field {key}, expected {expected}"), ""))
            }
        }
    }

    fn get(&self, key: &str) -> Result<Option<Value>, ErrorJson> {
        Ok(self.tree(key)?.map(Node::into_value))
    }

    /// A field with places and digits.
    fn tree(&self, key: &str) -> Result<Option<Node>, ErrorJson> {
        let read = |raw: &RawValue| json::read(raw.get()).map_err(|error| not_json(error, &format!("/{key}")));
        self.0.get(key).map(read).transpose()
    }

    fn flag(&self, key: &str) -> Result<bool, ErrorJson> {
        match self.get(key)? {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong(&other, "true or false", format!("/{key}"))),
        }
    }

    /// The constraints, and what they call things.
    fn constraints(&self) -> Result<(Vec<Constraint>, Names), ErrorJson> {
        if let Some(read) = self.0.get("constraints").and_then(|raw| quick::system(raw.get())) {
            return Ok(read);
        }
        let mut names = Names::new();
        let list = match self.get("constraints")? {
            Some(Value::Array(list)) => list,
            Some(other) => return Err(wrong(&other, "a list of constraints", "/constraints")),
            None => return Err(ErrorJson::new("parse", "the field `constraints` is missing", "")),
        };
        let read = |(i, json)| {
            wire::read_constraint(json, &mut names).map_err(|e| wire_error(e.under(i).under("constraints")))
        };
        let phi = list.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok((phi, names))
    }

    /// An object with no other fields than these.
    fn object(&self, key: &str, allowed: &[&str]) -> Result<Given, ErrorJson> {
        let expected = || format!("an object with some of {}", allowed.join(", "));
        let Some(node) = self.tree(key)? else { return Ok(Given::new()) };
        let object: Given = match node.kind {
            Kind::Object(fields) => fields.into_iter().collect(),
            _ => return Err(wrong_node(&node, &expected(), format!("/{key}"))),
        };
        match object.keys().find(|name| !allowed.contains(&name.as_str())) {
            None => Ok(object),
            Some(name) => {
                let name = found(&Value::String(name.clone()));
                let message = format!("unknown field {name}, expected {}", expected());
                Err(ErrorJson::new("parse", message, format!("/{key}")))
            }
        }
    }

    fn policy(&self) -> Result<Policy, ErrorJson> {
        let policy = self.object("policy", &["guard", "strategy", "seed"])?;
        let seed = whole(&policy, "seed", "/policy")?.unwrap_or(0);
        let guards = [("signed", GuardPolicy::Signed), ("paper", GuardPolicy::Paper), ("none", GuardPolicy::None)];
        let strategies = [
            ("fifo", Strategy::Fifo),
            ("lifo", Strategy::Lifo),
            ("random", Strategy::Random(seed)),
            ("rounds", Strategy::Rounds),
        ];
        Ok(Policy {
            guard: choice(&policy, "guard", &guards)?,
            strategy: choice(&policy, "strategy", &strategies)?,
            limits: self.limits()?,
            ..Policy::default()
        })
    }

    fn limits(&self) -> Result<Limits, ErrorJson> {
        limits(&self.object("limits", &LIMITS)?)
    }

    /// A list of names of variables that the constraints, or claims, have.
    fn variables(&self, key: &str, names: &Names) -> Result<Vec<Var>, ErrorJson> {
        let list = match self.get(key)? {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(other) => return Err(wrong(&other, "a list of names of variables", format!("/{key}"))),
        };
        let read = |(i, json): (usize, &Value)| {
            let var = json.as_str().and_then(|name| names.lookup(name));
            var.ok_or_else(|| wrong(json, "the name of a variable of the constraints", format!("/{key}/{i}")))
        };
        list.iter().enumerate().map(read).collect()
    }
}

#[derive(Serialize)]
struct VersionJson {
    verdict: &'static str,
    name: &'static str,
    version: &'static str,
    wire: u32,
}

fn version(_: &Request<'_>) -> Body {
    body(&VersionJson { verdict: "version", name: "lozenge", version: env!("CARGO_PKG_VERSION"), wire: 1 })
}

/// A short picture of a value, for messages.
fn found(json: &Value) -> String {
    json::shortened(&json.to_string())
}

fn wrong(json: &Value, expected: &str, at: impl Into<String>) -> ErrorJson {
    ErrorJson::new("parse", format!("found {}, expected {expected}", found(json)), at)
}

/// The same with every digit of a number.
fn wrong_node(node: &Node, expected: &str, at: impl Into<String>) -> ErrorJson {
    ErrorJson::new("parse", format!("found {}, expected {expected}", node.found()), at)
}

fn wire_error(error: WireError) -> ErrorJson {
    let kind = match error.kind {
        WireErrorKind::Parse => "parse",
        WireErrorKind::Sort => "sort",
        WireErrorKind::Limit => "limit",
    };
    ErrorJson::new(kind, error.message, error.at)
}

/// The limits that are given, held to those of the process.
fn limits(given: &Given) -> Result<Limits, ErrorJson> {
    let (default, most) = (Limits::default(), super::limits::most());
    let rank = whole(given, "rank", "/limits")?.map(|rank| usize::try_from(rank).unwrap_or(usize::MAX));
    Ok(Limits {
        fuel: whole(given, "fuel", "/limits")?.unwrap_or(default.fuel).min(most.fuel),
        rank: rank.unwrap_or(default.rank).min(most.rank),
        size: whole(given, "elements", "/limits")?.unwrap_or(default.size).min(most.size),
    })
}

/// A whole number, if the field is there.
fn whole(object: &Given, key: &str, under: &str) -> Result<Option<u64>, ErrorJson> {
    let Some(node) = object.get(key) else { return Ok(None) };
    let expected = || format!("a whole number from 0 to {}", u64::MAX);
    node.whole().map(Some).map_err(|node| wrong_node(node, &expected(), format!("{under}/{key}")))
}

/// One of some words; the first when the field is not there.
fn choice<T: Copy + Default>(policy: &Given, key: &str, words: &[(&str, T)]) -> Result<T, ErrorJson> {
    policy.get(key).map_or(Ok(T::default()), |node| choice_of(node, words, &format!("/policy/{key}")))
}

/// One of some words.
fn choice_of<T: Copy>(node: &Node, words: &[(&str, T)], at: &str) -> Result<T, ErrorJson> {
    let chosen = words.iter().find(|(word, _)| node.text() == Ok(word));
    let expected = || words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    chosen.map(|(_, it)| *it).ok_or_else(|| wrong_node(node, &expected(), at))
}
