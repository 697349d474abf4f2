//! Size claims in requests: every kind in every operation.
#![allow(missing_docs)]

use lozenge_oracle::readers;
use lozenge_tests::{run, scratch};
use serde_json::{Value, json};

fn asked(line: &str) -> Value {
    serde_json::from_slice(&readers::answer(line.as_bytes())).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn ask(request: &Value) -> Value {
    asked(&request.to_string())
}

fn row(axes: &[Value]) -> Value {
    json!({ "lead": [], "trail": axes })
}

type Kind = (&'static str, Value, Value, (&'static str, Value), Value);

/// Every kind of claim: its name, itself, values that satisfy it, one value that breaks it, and what close makes of it.
fn kinds() -> Vec<Kind> {
    let var = |name: &str| json!({ "var": name });
    let open = json!({ "lead": [], "var": "r", "trail": [] });
    vec![
        (
            "strided",
            json!({"size": var("d"), "affine": {"mode": "strided", "stride": 3, "over": var("o"), "offset": 2}}),
            json!({"d": 12, "o": 4}),
            ("d", json!(13)),
            json!({"d": 3, "o": "unit"}),
        ),
        (
            "late stride",
            json!({"size": var("d"), "affine": {"mode": "strided", "stride": var("o"), "over": 5}}),
            json!({"d": 20, "o": 4}),
            ("d", json!(5)),
            Value::Null,
        ),
        (
            "padded",
            json!({"size": var("d"), "affine": {"mode": "padded", "stride": 2, "over": var("o"), "kernel": 7, "dilation": 2}}),
            json!({"d": 8, "o": 4}),
            ("o", json!(8)),
            json!({"d": 2, "o": "unit"}),
        ),
        (
            "valid",
            json!({"size": 9, "affine": {"mode": "valid", "over": var("o"), "kernel": var("d"), "dilation": 2}}),
            json!({"o": 5, "d": 3}),
            ("o", json!(9)),
            json!({"o": "unit", "d": 5}),
        ),
        (
            "concat",
            json!({"size": 6, "concat": [var("d"), var("o"), 1]}),
            json!({"d": 2, "o": 3}),
            ("d", json!(3)),
            json!({"d": "unit", "o": 4}),
        ),
        (
            "total",
            json!({"total": {"rows": [open, row(&[json!(2)])], "count": 24, "divided_by": ["d"], "keep": 0}}),
            json!({"r": row(&[json!(2), json!(3)]), "d": 2}),
            ("d", json!(3)),
            json!({"r": row(&[]), "d": 12}),
        ),
        (
            "scaled",
            json!({"total": {"rows": [row(&[var("d")])], "scaled": {"coeff": 3, "var": "o", "denom": 2}}}),
            json!({"d": 6, "o": 4}),
            ("o", json!(5)),
            json!({"d": 3, "o": 2}),
        ),
        (
            "exact",
            json!({"exact": {"rows": [open, row(&[var("d")])], "axes": [2, 3, {"n": 4, "basis": "xy"}]}}),
            json!({"r": row(&[json!(2), json!(3)]), "d": {"n": 4, "basis": "xy"}}),
            ("d", json!(4)),
            json!({"r": row(&[json!(2), json!(3)]), "d": {"n": 4, "basis": "xy"}}),
        ),
        ("least", json!({"at_least": var("d"), "count": 3}), json!({"d": 3}), ("d", json!(2)), json!({"d": 3})),
    ]
}

#[test]
fn every_kind_of_claim_in_every_operation() {
    for (name, claim, values, (key, wrong), closed) in kinds() {
        let request = |op: &str| json!({"op": op, "constraints": [], "claims": [claim]});
        let with = |op: &str, key: &str, value: &Value| {
            let mut request = request(op);
            request[key] = value.clone();
            request
        };
        assert_eq!(ask(&with("check", "values", &values)), json!({"verdict": "holds"}), "{name}");
        let mut broken = values.clone();
        broken[key] = wrong;
        let violated = json!({"verdict": "violated", "which": [], "claims": [0]});
        assert_eq!(ask(&with("check", "values", &broken)), violated, "{name}");
        let decided = ask(&request("decide"));
        assert_eq!(ask(&with("check", "values", &decided["values"]))["verdict"], "holds", "{name}: {decided}");
        let solved = ask(&request("solve"));
        let waits = if name == "exact" { json!([]) } else { json!([0]) };
        assert_eq!((&solved["verdict"], &solved["waiting"]), (&json!("solved"), &waits), "{name}: {solved}");
        let answer = ask(&request("close"));
        for shown in [&answer["values"], &answer["witness"]].into_iter().filter(|values| !values.is_null()) {
            assert_eq!(ask(&with("check", "values", shown))["verdict"], "holds", "{name}: {answer}");
        }
        assert!(closed.is_null() || answer["values"] == closed, "{name}: {answer}");
    }
}

#[test]
fn a_refusal_names_the_claim_and_its_equation() {
    let claims = json!([{"at_least": {"var": "o"}, "count": 2},
        {"size": {"var": "d"}, "affine": {"mode": "valid", "stride": 2, "over": {"var": "o"}, "kernel": {"var": "k"}}}]);
    let constraints = json!([{"eq": [{"var": "d"}, 8]}, {"eq": [{"var": "k"}, 3]}]);
    for op in ["solve", "close", "decide"] {
        let answer = ask(&json!({"op": op, "constraints": constraints, "claims": claims}));
        let expected = json!({"verdict": "unsat", "rule": "ST-valid", "claim": 1,
            "equation": "8 = 2·(o − 1) + 1 + 1·(3 − 1)", "message": "7 is not divisible by 2"});
        assert_eq!(answer, expected, "{op}");
    }
    // A constraint that fails is told as ever.
    let constraints = json!([{"eq": [{"var": "d"}, 8]}, {"eq": [{"var": "d"}, 9]}]);
    let answer = ask(&json!({"op": "solve", "constraints": constraints, "claims": claims}));
    assert_eq!(answer, ask(&json!({"op": "solve", "constraints": constraints})));
}

/// That a stride has no value yet, or gets it from a later claim, says nothing of solutions.
#[test]
fn an_open_factor_is_no_refutation() {
    let strided = json!({"size": 6, "affine": {"mode": "strided", "stride": {"var": "s"}, "over": {"var": "o"}}});
    let later = json!({"size": {"var": "s"}, "concat": [1, 2]});
    let open = json!({"size": {"var": "e"}, "concat": [{"var": "f"}, {"var": "g"}]});
    let alone = ask(&json!({"op": "decide", "constraints": [], "claims": [strided]}));
    assert_eq!(alone["verdict"], "sat", "{alone}");
    let values = json!({"s": 2, "o": 3});
    let check = ask(&json!({"op": "check", "constraints": [], "claims": [strided], "values": values}));
    assert_eq!(check["verdict"], "holds");
    let solve = ask(&json!({"op": "solve", "constraints": [], "claims": [strided]}));
    assert_eq!((&solve["verdict"], &solve["waiting"]), (&json!("solved"), &json!([0])), "{solve}");
    let close = ask(&json!({"op": "close", "constraints": [], "claims": [strided]}));
    assert_eq!((&close["verdict"], &close["rule"]), (&json!("rejected"), &json!("ST-force")), "{close}");
    assert!(close["witness"].is_object(), "{close}");
    let both = ask(&json!({"op": "decide", "constraints": [], "claims": [strided, later, open]}));
    assert_eq!((&both["verdict"], &both["values"]["o"]), (&json!("sat"), &json!(2)), "{both}");
    let odd = json!({"size": {"var": "s"}, "concat": [2, 2]});
    let none = ask(&json!({"op": "decide", "constraints": [], "claims": [strided, odd, open]}));
    assert_eq!(none["verdict"], "unsat", "{none}");
}

#[test]
fn zero_is_for_discarded_parts_alone() {
    let concat = json!({"size": {"var": "x"}, "concat": [{"var": "a"}, {"var": "b"}]});
    let check = |claims: Value, constraints: Value, discardable: Value, values: Value| {
        ask(
            &json!({"op": "check", "constraints": constraints, "claims": claims, "discardable": discardable, "values": values}),
        )
    };
    let values = json!({"x": 5, "a": 5, "b": 0});
    assert_eq!(check(json!([concat]), json!([]), json!(["b"]), values.clone())["verdict"], "holds");
    let refused = check(json!([concat]), json!([]), json!(["a"]), values.clone());
    assert_eq!((&refused["kind"], &refused["at"]), (&json!("parse"), &json!("/values/b")), "{refused}");
    // Nothing but a concatenation can have a part that is 0: D has none.
    let le = json!([{"le": [{"var": "b"}, {"var": "b"}]}]);
    let violated = check(json!([concat]), le, json!(["b"]), values.clone());
    assert_eq!(violated, json!({"verdict": "violated", "which": [0], "claims": []}));
    let same = json!({"size": {"var": "b"}, "affine": {"mode": "strided", "over": "unit"}});
    let least = json!({"at_least": {"var": "b"}, "count": 0});
    let violated = check(json!([concat, same, least]), json!([]), json!(["b"]), values);
    assert_eq!(violated["claims"], json!([1, 2]), "{violated}");
    // Not both parts: an axis has an element.
    let both = check(json!([concat]), json!([]), json!(["a", "b"]), json!({"x": "unit", "a": 0, "b": 0}));
    assert_eq!(both["claims"], json!([0]));
    let answer = ask(&json!({"op": "close", "constraints": [], "claims": [concat], "discardable": ["a", "b"]}));
    let zeros = ["a", "b"].iter().filter(|v| answer["values"][**v] == 0).count();
    assert_eq!((&answer["verdict"], zeros), (&json!("closed"), 1), "{answer}");
    // A part that must be 0 is 0 before anything is committed.
    let forced = json!([{"eq": [{"var": "x"}, 5]}, {"eq": [{"var": "a"}, 5]}]);
    let solved = ask(&json!({"op": "solve", "constraints": forced, "claims": [concat], "discardable": ["b"]}));
    assert_eq!((&solved["sigma"]["b"], &solved["greatest"]["b"]), (&json!(0), &json!(0)), "{solved}");
    // So it is where it is tagged: a leaf or a parameter that is 0 has its value.
    for tag in ["leaves", "params"] {
        let closed =
            ask(&json!({"op": "close", "constraints": forced, "claims": [concat], "discardable": ["b"], tag: ["b"]}));
        assert_eq!((&closed["verdict"], &closed["values"]["b"]), (&json!("closed"), &json!(0)), "{tag}: {closed}");
    }
}

#[test]
fn tags_may_name_the_variables_of_claims() {
    let claims =
        json!([{"size": {"var": "i"}, "affine": {"mode": "padded", "stride": 2, "over": {"var": "o"}, "kernel": 3}}]);
    let answer = ask(&json!({"op": "close", "constraints": [], "claims": claims, "params": ["o"]}));
    let hole = [("verdict", json!("error")), ("var", json!("o")), ("claims", json!([0])), ("uses", json!([]))];
    for (field, value) in hole {
        assert_eq!(answer[field], value, "{answer}");
    }
}

#[test]
fn no_claims_are_as_if_the_field_were_not_there() {
    let unknown = asked(r#"{"op":"solve","constraints":[],"speed":1}"#);
    let expected = r#"unknown field "speed", expected id, op, constraints, policy, limits, trace, certificate"#;
    assert_eq!(unknown["message"], expected);
    for case in 0..400 {
        let made = lozenge_tests::hostile::hostile(5, case);
        let Ok(mut request) = serde_json::from_slice::<Value>(&made.line) else { continue };
        let op = request["op"].as_str().unwrap_or_default().to_owned();
        if !["solve", "close", "decide", "check"].contains(&op.as_str()) || !request["constraints"].is_array() {
            continue;
        }
        let Some(fields) = request.as_object_mut() else { continue };
        for field in ["trace", "certificate", "limits", "policy", "rank_bound"] {
            fields.remove(field);
        }
        let plain = ask(&request);
        request["claims"] = json!([]);
        let mut claimed = ask(&request);
        match claimed["verdict"].as_str() {
            Some("solved") => assert_eq!(claimed["waiting"], json!([])),
            // Other searches say more or less, and how far they went.
            Some("rejected" | "unsat" | "sat" | "unknown") => {
                let fields = (&claimed["verdict"], &plain["verdict"]);
                let searched = plain["verdict"] == "rejected" || op == "decide";
                assert!(searched || fields.0 == fields.1, "{request}: {plain} {claimed}");
                continue;
            }
            _ => {}
        }
        let Some(fields) = claimed.as_object_mut() else { continue };
        fields.remove("waiting");
        if op == "check" && plain["verdict"] == "violated" {
            assert_eq!(fields.remove("claims"), Some(json!([])));
        }
        if op == "close" && plain["verdict"] == "error" {
            fields.remove("claims");
        }
        assert_eq!(plain, claimed, "{request}");
    }
}

/// An engine that knows no claims is not wrong; one that says what is not so is.
#[test]
fn engines_need_not_know_claims() {
    let request =
        json!({"id": "c", "op": "decide", "constraints": [], "claims": [{"at_least": {"var": "d"}, "count": 3}]});
    let case = json!({"id": "c", "about": "a claim", "definitions": ["8.4"], "freedom": ["messages", "order"],
        "request": request, "expected": ask(&request)});
    let corpus = scratch("claims_corpus").join("one.jsonl");
    std::fs::write(&corpus, format!("{case}\n")).expect("written");
    let corpus = corpus.display().to_string();
    for (answer, count) in [
        (r#"{"id":"c","verdict":"error","kind":"parse","message":"unknown field","at":""}"#, "unsupported"),
        (r#"{"id":"c","verdict":"error","kind":"unsupported","message":"claims","at":"/claims"}"#, "unsupported"),
        (r#"{"id":"c","verdict":"sat","values":{"d":7}}"#, "passed"),
        (r#"{"id":"c","verdict":"sat","values":{"d":2}}"#, "failed"),
        (r#"{"id":"c","verdict":"unsat"}"#, "failed"),
    ] {
        let engine = format!("while read -r line; do echo '{answer}'; done");
        let (_, out, err) = run(&["conform", "--json", "--corpus", &corpus, "--engine", &engine], "");
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
        assert_eq!(report[count], 1, "{answer}: {report}");
    }
}

/// No limit raises where sizes end, and the answer says so.
#[test]
fn sizes_end_where_their_numbers_do() {
    let most = u64::MAX;
    let request = json!({
        "op": "solve", "constraints": [], "claims": [{"size": {"var": "s"}, "concat": [most, 1]}],
        "limits": {"elements": most},
    });
    let (_, out, _) = run(&["oracle"], &format!("{request}\n"));
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&answer["verdict"], &answer["which"]), (&json!("limit"), &json!("elements")), "{answer}");
    assert!(answer["message"].as_str().is_some_and(|it| it.contains("no limit raises that")), "{answer}");
}

/// The dilation of a padded convolution is in no size: it says nothing of a basis, whichever claim comes first.
#[test]
fn a_padded_dilation_is_in_no_size() {
    let e = json!({ "var": "e" });
    let strided = json!({"size": {"n": 4, "basis": "rgb"}, "affine": {"mode": "strided", "stride": 2, "over": e}});
    let padded = json!({"size": 6, "affine": {"mode": "padded", "stride": 2, "over": 3, "kernel": 3, "dilation": e}});
    for claims in [[&strided, &padded], [&padded, &strided]] {
        for (op, verdict) in [("decide", "sat"), ("solve", "solved"), ("close", "closed")] {
            let answer = ask(&json!({"op": op, "constraints": [], "claims": claims}));
            assert_eq!(answer["verdict"], verdict, "{op}: {answer}");
        }
    }
}

/// Where a search comes to rows that are longer than the limit, it says so, with claims as without.
#[test]
fn a_limit_on_ranks_is_said() {
    let row = |lead: Value, var: &str, trail: Value| json!({"lead": lead, "var": var, "trail": trail});
    let open = |var: &str| row(json!([]), var, json!([]));
    let constraints = json!([
        {"eq": [row(json!([2]), "x", json!([])), row(json!([]), "y", json!([2, 3]))]},
        {"le": [open("z"), open("x")]},
        {"le": [open("z"), {"lead": [2, 3], "trail": []}]},
    ]);
    for claims in [json!([]), json!([{"at_least": {"var": "q"}, "count": 1}])] {
        let request = json!({"op": "decide", "constraints": constraints, "claims": claims, "rank_bound": 3});
        let free = ask(&request);
        assert_eq!((&free["verdict"], &free["values"]["z"]["trail"]), (&json!("sat"), &json!([3])), "{free}");
        // z has three axes there, two before the marker.
        for (rank, verdict) in [(0, "unknown"), (1, "unknown"), (2, "sat")] {
            let mut request = request.clone();
            request["limits"] = json!({"rank": rank});
            let limited = ask(&request);
            assert_eq!(limited["verdict"], verdict, "{limited}");
            assert!(verdict == "unknown" && limited["which"] == "rank" || limited == free, "{limited}");
        }
    }
}
