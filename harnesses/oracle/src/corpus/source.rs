//! Cases that people wrote: files in the notation, and the examples of the specification.

use super::case::Case;
use crate::compare::{Rows, verdict};
use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_lines};
use lozenge::wire;
use lozenge_harnesses::markdown::{Block, blocks};
use serde_json::{Map, Value, json};

/// Constraints in the notation, as JSON; a file of constraints that is not in the notation is an error of ours.
pub fn constraints(text: &str, names: &mut Names) -> Result<Value, String> {
    let lines = parse_lines(text, names).map_err(|error| error.render(text))?;
    Ok(lines.iter().map(|(_, phi)| wire::constraint(phi, names)).collect::<Vec<_>>().into())
}

/// Values in the notation, as JSON.
pub fn values(text: &str, names: &mut Names) -> Result<Value, String> {
    let gamma = parse_ground(text, names).map_err(|error| error.render(text))?;
    let terms = crate::answer::ground_terms(&gamma).into_iter();
    Ok(terms.map(|(v, t)| (crate::answer::name(v, names), wire::term(&t, names))).collect::<Map<_, _>>().into())
}

/// The cases of a file in the format that `tests/conformance/source/paper.txt` explains.
pub fn file(prefix: &str, text: &str) -> Result<Vec<Case>, String> {
    let blocks = text.split("\n== ").skip(1);
    blocks.map(|block| one(prefix, block).map_err(|what| format!("{prefix}: {what}\n{block}"))).collect()
}

fn one(prefix: &str, block: &str) -> Result<Case, String> {
    let (title, rest) = block.split_once('\n').unwrap_or((block, ""));
    let (name, about) = title.split_once(": ").ok_or("a case begins with `== name: what it shows`")?;
    let (mut request, mut lines, mut given) = (json!({"op": "solve"}), String::new(), String::new());
    let (mut expect, mut definitions) = (None, Vec::new());
    let words = |text: &str| text.split([' ', ',']).filter(|w| !w.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    for line in rest.lines() {
        let Some((key, value)) = line.strip_prefix('@').map(|line| line.split_once(' ').unwrap_or((line, ""))) else {
            lines.push_str(line);
            lines.push('\n');
            continue;
        };
        let number = || value.parse::<u64>().map_err(|_| format!("@{key} takes a number"));
        match key {
            "op" => request["op"] = value.into(),
            "expect" => expect = Some(value),
            "defs" => definitions.extend(words(value)),
            "leaves" | "params" => request[key] = words(value).into(),
            "value" => given.push_str(&format!("{value}\n")),
            "guard" | "strategy" => request["policy"][key] = value.into(),
            "fuel" => request["limits"]["fuel"] = number()?.into(),
            "rank_bound" => request["rank_bound"] = number()?.into(),
            _ => return Err(format!("there is no @{key}")),
        }
    }
    let mut names = Names::new();
    request["constraints"] = constraints(&lines, &mut names)?;
    if request["op"] == "check" {
        request["values"] = values(&given, &mut names)?;
    }
    let case = Case::new(&format!("{prefix}/{name}"), about, request, &definitions);
    match expect {
        None => Err("@expect is missing".to_owned()),
        Some(expect) if expect == verdict(&case.expected) => Ok(case),
        Some(expect) => Err(format!("expected {expect}, answered {}", case.expected)),
    }
}

/// Constraints, values and programs of a page: solved, decided, closed and checked.
pub fn page(prefix: &str, title: &str, markdown: &str) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    // The constraints before, and how many values there were for them.
    let mut last: Option<(usize, Value, Names)> = None;
    let mut checks = 0;
    let none: &[String] = &[];
    for (number, Block { tag, text }) in blocks(markdown).into_iter().enumerate() {
        let id = |what: &str| format!("{prefix}-{}-{what}", number + 1);
        match tag.as_str() {
            "constraints" => {
                let mut names = Names::new();
                let phi = constraints(&text, &mut names)?;
                let leaves: Vec<String> = names.vars().map(|v| crate::answer::name(v, &names)).collect();
                cases.push(Case::new(&id("solve"), title, json!({"op": "solve", "constraints": phi}), none));
                for policy in ["lifo", "rounds"] {
                    let request = json!({"op": "solve", "constraints": phi, "policy": {"strategy": policy}});
                    cases.push(Case::new(&id(policy), title, request, none));
                }
                let decide = json!({"op": "decide", "constraints": phi, "rank_bound": 3});
                cases.push(Case::new(&id("decide"), title, decide, none));
                let close = json!({"op": "close", "constraints": phi, "leaves": leaves});
                cases.push(Case::new(&id("leaves"), title, close, none));
                cases.push(Case::new(&id("upward"), title, json!({"op": "close", "constraints": phi}), none));
                last = Some((number, phi, names));
                checks = 0;
            }
            "values" => {
                let Some((of, phi, names)) = &last else { continue };
                let values = values(&text, &mut names.clone())?;
                let request = json!({"op": "check", "constraints": phi, "values": values});
                checks += 1;
                let more = if checks == 1 { String::new() } else { checks.to_string() };
                cases.push(Case::new(&format!("{prefix}-{}-check{more}", of + 1), title, request, none));
            }
            "loz" => cases.extend(program(&id("program"), title, &text)),
            _ => {}
        }
    }
    Ok(cases)
}

/// What is asked about a program, with further fields.
const PROGRAM_OPS: [(&str, &str, &str); 3] = [("infer", "", ""), ("project", "", ""), ("run", "fill", "range")];
/// Longer answers are left out: they show no more than shorter ones.
const MOST_BYTES: usize = 3_000;

/// The questions about a program. Where a placement decides its shapes, it has no loops and values of its own.
pub fn program(id: &str, about: &str, text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for (op, field, value) in PROGRAM_OPS {
        let mut request = json!({"op": op, "program": text});
        if !field.is_empty() {
            request[field] = value.into();
        }
        let case = Case::new(&format!("{id}-{op}"), about, request, &[]);
        let further = op != "infer";
        let free = cases.first().is_some_and(|first: &Case| {
            first.freedom.rows == Rows::AnySolution || verdict(&first.expected) != "inferred"
        });
        if !(further && (free || case.to_line().len() > MOST_BYTES)) {
            cases.push(case);
        }
    }
    cases
}

/// The programs of a file in the format that `tests/conformance/source/run.txt` explains.
pub fn programs(prefix: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for block in text.split("\n== ").skip(1) {
        let (title, text) = block.split_once('\n').unwrap_or((block, ""));
        let (name, about) = title.split_once(": ").ok_or_else(|| format!("{prefix}: no name in {title}"))?;
        cases.extend(program(&format!("{prefix}/{name}"), about, text));
    }
    Ok(cases)
}

/// The exchanges of spec/protocol.md, and lines that are no requests.
pub fn protocol(markdown: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let exchanges = |it: &&Block| it.tag == "jsonl" && !it.text.contains("\"claims\":");
    // Engines of the core are asked for nothing that has claims.
    for (block, text) in blocks(markdown).iter().filter(exchanges).map(|it| &it.text).enumerate() {
        for (number, line) in text.lines().step_by(2).enumerate() {
            let id = format!("protocol/{}-{}", block + 1, number + 1);
            let about = "an exchange of spec/protocol.md";
            match serde_json::from_str::<Value>(line) {
                Ok(request) if request.is_object() => {
                    let mut request = request;
                    // Traces and certificates are spelled out there; here they would be compared with nothing.
                    if let Some(fields) = request.as_object_mut() {
                        fields.remove("trace");
                        fields.remove("certificate");
                    }
                    cases.push(Case::new(&id, about, request, &["protocol".to_owned()]));
                }
                _ => cases.push(Case::raw(&id, about, line)),
            }
        }
    }
    let raw = [
        ("empty", "an empty line", ""),
        ("blank", "a line of blanks", "   "),
        ("list", "a list is no request", "[1,2]"),
        ("number", "a number is no request", "17"),
        ("string", "a string is no request", "\"solve\""),
        ("open", "an object that does not end", "{\"op\":\"solve\""),
        ("comma", "a comma too many", "{\"op\":\"version\",}"),
        ("two", "two objects on one line", "{\"op\":\"version\"}{\"op\":\"version\"}"),
    ];
    cases.extend(raw.iter().map(|(name, about, line)| Case::raw(&format!("protocol/line-{name}"), about, line)));
    cases.extend(bad_requests());
    cases
}

/// Requests that are JSON and still not in the format.
fn bad_requests() -> Vec<Case> {
    let row = |var: &str| json!({"lead": [], "var": var, "trail": []});
    let solve = |constraints: Value| json!({"op": "solve", "constraints": constraints});
    let most = u64::MAX;
    let all = [
        ("no-op", "no operation", json!({})),
        ("op-number", "an operation that is a number", json!({"op": 1})),
        ("op-unknown", "an operation that does not exist", json!({"op": "fly"})),
        ("no-constraints", "no constraints", json!({"op": "solve"})),
        ("constraints-object", "constraints that are no list", json!({"op": "solve", "constraints": {}})),
        ("unknown-field", "a field that solve does not have", json!({"op": "solve", "constraints": [], "speed": 1})),
        ("foreign-field", "a field of another operation", json!({"op": "solve", "constraints": [], "leaves": []})),
        ("relation", "a relation that does not exist", solve(json!([{"lt": [3, 4]}]))),
        ("two-relations", "two relations in one constraint", solve(json!([{"le": [3, 3], "eq": [3, 3]}]))),
        ("one-side", "a constraint with one side", solve(json!([{"le": [3]}]))),
        ("three-sides", "a constraint with three sides", solve(json!([{"le": [3, 3, 3]}]))),
        ("size-zero", "size 0", solve(json!([{"eq": [0, 3]}]))),
        ("size-negative", "a negative size", solve(json!([{"eq": [-1, 3]}]))),
        ("size-fraction", "a size with a fraction", solve(json!([{"eq": [1.5, 3]}]))),
        ("size-largest", "the largest size", solve(json!([{"eq": [most, {"var": "a"}]}]))),
        ("size-text", "a size in quotes", solve(json!([{"eq": ["3", 3]}]))),
        ("basis-missing", "a size without its basis", solve(json!([{"eq": [{"n": 3}, 3]}]))),
        ("basis-empty", "a basis without a name", solve(json!([{"eq": [{"n": 3, "basis": ""}, 3]}]))),
        ("sorts-in-one", "a dimension against a row", solve(json!([{"le": [3, row("r")]}]))),
        (
            "sorts-in-two",
            "one name for two sorts",
            solve(json!([{"le": [{"var": "x"}, 3]}, {"le": [row("x"), row("y")]}])),
        ),
        ("no-trail", "a row without its trailing flank", solve(json!([{"eq": [{"lead": []}, row("r")]}]))),
        ("row-in-flank", "a row inside a flank", solve(json!([{"eq": [{"lead": [row("s")], "trail": []}, row("r")]}]))),
        ("fresh-name", "a name that only an answer may bring", solve(json!([{"eq": [{"var": "?7"}, 3]}]))),
        ("reserved-name", "the name unit", solve(json!([{"eq": [{"var": "unit"}, 3]}]))),
        (
            "null-var",
            "a closed row with var null",
            solve(json!([{"eq": [{"lead": [3], "var": null, "trail": []}, row("r")]}])),
        ),
        (
            "guard",
            "a guard that does not exist",
            json!({"op": "solve", "constraints": [], "policy": {"guard": "strong"}}),
        ),
        ("fuel", "fuel that is no number", json!({"op": "solve", "constraints": [], "limits": {"fuel": "much"}})),
        (
            "leaf-unknown",
            "a leaf that no constraint mentions",
            json!({"op": "close", "constraints": [], "leaves": ["a"]}),
        ),
        (
            "value-missing",
            "a variable without a value",
            json!({"op": "check", "constraints": [{"le": [{"var": "a"}, 3]}], "values": {}}),
        ),
        (
            "value-sort",
            "a row as the value of a dimension",
            json!({"op": "check", "constraints": [{"le": [{"var": "a"}, 3]}], "values": {"a": {"lead": [], "trail": []}}}),
        ),
        (
            "value-open",
            "a value with a variable",
            json!({"op": "check", "constraints": [{"le": [{"var": "a"}, 3]}], "values": {"a": {"var": "b"}}}),
        ),
        ("program-number", "a program that is a number", json!({"op": "infer", "program": 3})),
        ("program-syntax", "a program that does not parse", json!({"op": "infer", "program": "let = 3"})),
        ("program-missing", "no program", json!({"op": "infer"})),
        ("no-constraint-at-all", "the empty set", solve(json!([]))),
        ("version", "who answers", json!({"op": "version"})),
    ];
    all.into_iter().map(|(name, about, request)| Case::new(&format!("protocol/{name}"), about, request, &[])).collect()
}
