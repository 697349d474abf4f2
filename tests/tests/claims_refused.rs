//! Requests with claims that are refused, with their place; and numbers and lists of any size.
#![allow(missing_docs)]

use lozenge_oracle::readers;
use serde_json::{Value, json};

fn asked(line: &str) -> Value {
    serde_json::from_slice(&readers::answer(line.as_bytes())).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn ask(request: &Value) -> Value {
    asked(&request.to_string())
}

/// Kind and place of the error that each of these gets.
#[test]
fn bad_claims_get_errors_with_their_place() {
    let affine = |fields: &str| format!(r#"[{{"size":3,"affine":{{{fields}}}}}]"#);
    let total = |fields: &str| format!(r#"[{{"total":{{{fields}}}}}]"#);
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let long = "a".repeat(2000);
    for (claims, kind, at) in [
        ("{}".to_owned(), "parse", "/claims"),
        ("null".to_owned(), "parse", "/claims"),
        ("[3]".to_owned(), "parse", "/claims/0"),
        ("[{}]".to_owned(), "parse", "/claims/0"),
        (r#"[{"size":3}]"#.to_owned(), "parse", "/claims/0"),
        (r#"[{"size":3,"concat":[3],"affine":{}}]"#.to_owned(), "parse", "/claims/0"),
        (r#"[{"size":3,"concat":[3],"more":1}]"#.to_owned(), "parse", "/claims/0"),
        (r#"[{"size":3,"concat":[3]},{"size":3,"concat":[]}]"#.to_owned(), "parse", "/claims/1/concat"),
        (r#"[{"size":3,"concat":{}}]"#.to_owned(), "parse", "/claims/0/concat"),
        (r#"[{"size":3,"concat":[3,0]}]"#.to_owned(), "parse", "/claims/0/concat/1"),
        (r#"[{"size":3,"concat":[3,3],"concat":[3]}]"#.to_owned(), "parse", "/claims/0/concat"),
        (r#"[{"size":0,"concat":[3]}]"#.to_owned(), "parse", "/claims/0/size"),
        (r#"[{"size":{"var":"?7"},"concat":[3]}]"#.to_owned(), "parse", "/claims/0/size/var"),
        (r#"[{"size":{"lead":[],"trail":[]},"concat":[3]}]"#.to_owned(), "parse", "/claims/0/size"),
        (format!(r#"[{{"size":{{"var":"{long}"}},"concat":[3]}}]"#), "limit", "/claims/0/size/var"),
        (affine(r#""stride":2,"over":3"#), "parse", "/claims/0/affine"),
        (affine(r#""mode":"same","over":3"#), "parse", "/claims/0/affine/mode"),
        (affine(r#""mode":"strided""#), "parse", "/claims/0/affine"),
        (affine(r#""mode":"strided","over":3,"stride":0"#), "parse", "/claims/0/affine/stride"),
        (affine(r#""mode":"strided","over":3,"stride":-1"#), "parse", "/claims/0/affine/stride"),
        (affine(r#""mode":"strided","over":3,"stride":1.5"#), "parse", "/claims/0/affine/stride"),
        (affine(r#""mode":"strided","over":3,"stride":18446744073709551616"#), "parse", "/claims/0/affine/stride"),
        (affine(r#""mode":"strided","over":3,"stride":"unit""#), "parse", "/claims/0/affine/stride"),
        (affine(r#""mode":"strided","over":3,"stride":{"n":2,"basis":"b"}"#), "parse", "/claims/0/affine/stride"),
        (affine(r#""mode":"strided","over":3,"stride":null"#), "parse", "/claims/0/affine/stride"),
        (affine(r#""mode":"strided","over":3,"offset":-1"#), "parse", "/claims/0/affine/offset"),
        (affine(r#""mode":"strided","over":3,"kernel":3"#), "parse", "/claims/0/affine/kernel"),
        (affine(r#""mode":"strided","over":3,"dilation":3"#), "parse", "/claims/0/affine/dilation"),
        (affine(r#""mode":"valid","over":3"#), "parse", "/claims/0/affine"),
        (affine(r#""mode":"valid","over":3,"kernel":0"#), "parse", "/claims/0/affine/kernel"),
        (affine(r#""mode":"valid","over":3,"kernel":3,"dilation":0"#), "parse", "/claims/0/affine/dilation"),
        (affine(r#""mode":"valid","over":3,"kernel":3,"padded":true"#), "parse", "/claims/0/affine"),
        (total(r#""rows":[]"#), "parse", "/claims/0/total"),
        (total(r#""rows":[],"count":1,"scaled":{"var":"v"}"#), "parse", "/claims/0/total"),
        (total(r#""count":1"#), "parse", "/claims/0/total"),
        (total(r#""rows":[],"count":0"#), "parse", "/claims/0/total/count"),
        (total(r#""rows":[3],"count":1"#), "parse", "/claims/0/total/rows/0"),
        (total(r#""rows":[{"lead":[],"trail":[0]}],"count":1"#), "parse", "/claims/0/total/rows/0/trail/0"),
        (total(r#""rows":[],"count":1,"keep":0"#), "parse", "/claims/0/total/keep"),
        (total(r#""rows":[],"count":1,"divided_by":"d""#), "parse", "/claims/0/total/divided_by"),
        (total(r#""rows":[],"count":1,"divided_by":["d",3]"#), "parse", "/claims/0/total/divided_by/1"),
        (total(r#""rows":[],"count":1,"divided_by":["d","d"]"#), "parse", "/claims/0/total/divided_by/1"),
        (total(r#""rows":[],"scaled":{}"#), "parse", "/claims/0/total/scaled"),
        (total(r#""rows":[],"scaled":{"var":"v","denom":0}"#), "parse", "/claims/0/total/scaled/denom"),
        (total(r#""rows":[],"scaled":{"var":"v","coeff":0}"#), "parse", "/claims/0/total/scaled/coeff"),
        (total(r#""rows":[],"scaled":{"var":"1"}"#), "parse", "/claims/0/total/scaled/var"),
        (
            total(r#""rows":[{"lead":[],"var":"v","trail":[]}],"scaled":{"var":"v"}"#),
            "sort",
            "/claims/0/total/scaled/var",
        ),
        (r#"[{"exact":{"rows":[]}}]"#.to_owned(), "parse", "/claims/0/exact"),
        (r#"[{"exact":{"rows":[],"axes":[[]]}}]"#.to_owned(), "parse", "/claims/0/exact/axes/0"),
        (r#"[{"exact":{"rows":[],"axes":[],"keep":1}}]"#.to_owned(), "parse", "/claims/0/exact/keep"),
        (r#"[{"at_least":3}]"#.to_owned(), "parse", "/claims/0"),
        (r#"[{"at_least":3,"count":-1}]"#.to_owned(), "parse", "/claims/0/count"),
        (r#"[{"at_least":3,"count":"3"}]"#.to_owned(), "parse", "/claims/0/count"),
        (deep, "limit", "/claims"),
    ] {
        for op in ["solve", "close", "decide", "check"] {
            let values = if op == "check" { r#","values":{}"# } else { "" };
            let line = format!(r#"{{"id":1,"op":"{op}","constraints":[],"claims":{claims}{values}}}"#);
            let answer = asked(&line);
            let found = (&answer["verdict"], &answer["kind"], &answer["at"]);
            assert_eq!(found, (&json!("error"), &json!(kind), &json!(at)), "{line}: {answer}");
            assert!(answer["message"].as_str().is_some_and(|m| !m.is_empty() && m.len() < 400), "{answer}");
        }
    }
}

#[test]
fn bad_fields_beside_claims_get_errors_with_their_place() {
    let a = r#""claims":[{"at_least":{"var":"a"},"count":1},{"exact":{"rows":[{"lead":[],"var":"r","trail":[]}],"axes":[]}}]"#;
    for (op, rest, kind, at) in [
        ("solve", r#""discardable":["a"]"#.to_owned(), "parse", "/discardable"),
        ("close", format!(r#"{a},"discardable":["z"]"#), "parse", "/discardable/0"),
        ("close", format!(r#"{a},"discardable":["a","r"]"#), "sort", "/discardable/1"),
        ("close", format!(r#"{a},"discardable":"a""#), "parse", "/discardable"),
        ("close", format!(r#"{a},"leaves":["z"]"#), "parse", "/leaves/0"),
        ("solve", format!(r#"{a},"trace":true"#), "unsupported", "/trace"),
        ("solve", format!(r#"{a},"certificate":true"#), "unsupported", "/certificate"),
        ("solve", format!(r#"{a},"speed":1"#), "parse", ""),
        ("check", format!(r#"{a},"values":{{"a":3}}"#), "parse", "/values"),
        ("check", format!(r#"{a},"values":{{"a":3,"r":0}}"#), "parse", "/values/r"),
        ("infer", format!(r#"{a},"program":"""#), "parse", ""),
    ] {
        let constraints = if op == "infer" { "" } else { r#""constraints":[],"# };
        let answer = asked(&format!(r#"{{"op":"{op}",{constraints}{rest}}}"#));
        assert_eq!((&answer["kind"], &answer["at"]), (&json!(kind), &json!(at)), "{rest}: {answer}");
    }
}

#[test]
fn numbers_of_any_size_are_answered() {
    let most = u64::MAX;
    let big = [json!(1), json!(2), json!(most - 1), json!(most), json!({"var": "x"}), json!({"var": "y"})];
    let row = |d: &Value| json!({"lead": [d], "trail": [d]});
    let mut answered = 0;
    for (d, e) in big.iter().flat_map(|d| big.iter().map(move |e| (d, e))) {
        for n in [1, 2, most] {
            let claims = [
                json!({"size": d, "affine": {"mode": "strided", "stride": n, "over": e, "offset": n - 1}}),
                json!({"size": d, "affine": {"mode": "padded", "stride": n, "over": e, "kernel": d, "dilation": n}}),
                json!({"size": d, "affine": {"mode": "valid", "stride": n, "over": e, "kernel": d, "dilation": n}}),
                json!({"size": d, "concat": [e, n, n, e]}),
                json!({"total": {"rows": [row(d), row(e)], "count": n}}),
                json!({"total": {"rows": [row(d)], "scaled": {"coeff": n, "var": "v", "denom": n}, "divided_by": ["x"]}}),
                json!({"exact": {"rows": [row(d)], "axes": [n, e]}}),
                json!({"at_least": d, "count": n}),
            ];
            for (op, claim) in ["solve", "close", "decide"].iter().flat_map(|op| claims.iter().map(move |c| (op, c))) {
                let request = json!({"op": op, "constraints": [], "claims": [claim], "limits": {"fuel": 20_000}});
                let answer = ask(&request);
                assert!(answer["kind"].is_null(), "{request}: {answer}");
                answered += 1;
            }
        }
    }
    assert_eq!(answered, 36 * 3 * 8 * 3);
}

/// What is more than the table of the protocol allows is a limit, and so is work without end.
/// Fuel that ends the search of `decide` is said; the search's own bounds have no name.
#[test]
fn a_search_that_runs_out_of_fuel_says_so() {
    let row = |last: u64| json!({"lead": [], "trail": [last]});
    let p = json!({"lead": [], "var": "p", "trail": []});
    let request = |fuel: u64| {
        json!({"op": "decide", "constraints": [{"eq": [p, row(2)]}, {"le": [p, row(3)]}],
               "claims": [{"at_least": 2, "count": 1}], "limits": {"fuel": fuel}})
    };
    let mut unknown = 0;
    for fuel in 1..40 {
        let answer = ask(&request(fuel));
        if answer["verdict"] == "unknown" {
            assert_eq!(answer["which"], "fuel", "{fuel}: {answer}");
            unknown += usize::from(answer.get("searched").is_some());
        }
    }
    assert!(unknown > 3, "the search itself runs out");
    let open = json!({"op": "decide", "constraints": [], "claims": [
        {"total": {"rows": [{"lead": [], "trail": [{"var": "a"}, {"var": "a"}]}], "scaled": {"coeff": 2, "var": "c"}}},
        {"total": {"rows": [{"lead": [], "trail": [{"var": "b"}, {"var": "b"}]}], "scaled": {"coeff": 1, "var": "c"}}}]});
    let answer = ask(&open);
    assert_eq!((&answer["verdict"], answer.get("which")), (&json!("unknown"), None), "{answer}");
}

/// A size that does not fit ends one choice; where nothing is found, the answer is that limit, in any order.
#[test]
fn a_size_that_does_not_fit_after_a_guess_is_a_limit() {
    let (most, var) = (u64::MAX, |name: &str| json!({ "var": name }));
    let too_large = json!({"size": var("x"), "concat": [most, var("b")]});
    let other = json!({"size": var("y"), "concat": [var("c"), 3]});
    for claims in [json!([too_large]), json!([too_large, other]), json!([other, too_large])] {
        let mut request = json!({"op": "close", "constraints": [], "claims": claims});
        let closed = ask(&request);
        assert_eq!((&closed["verdict"], &closed["which"]), (&json!("limit"), &json!("elements")), "{closed}");
        request["op"] = json!("decide");
        let decided = ask(&request);
        assert_eq!((&decided["verdict"], &decided["which"]), (&json!("unknown"), &json!("elements")), "{decided}");
        // Where one choice fits, that is found.
        request["discardable"] = json!(["b"]);
        assert_eq!(ask(&request)["verdict"], "sat");
        request["op"] = json!("close");
        assert_eq!(ask(&request)["verdict"], "closed");
    }
}

#[test]
fn many_claims_are_a_limit() {
    let var = |name: &str, i: usize| json!({ "var": format!("{name}{i}") });
    let strided =
        |i: usize| json!({"size": var("d", i), "affine": {"mode": "strided", "stride": 2, "over": var("o", i)}});
    let least = |i: usize| json!({"at_least": var("d", i), "count": i});
    let ask_all = |claims: &[Value], op: &str| {
        let mut request = json!({"op": op, "constraints": [], "claims": claims});
        if op == "check" {
            request["values"] = json!({});
        }
        ask(&request)
    };
    let many: Vec<Value> = (0..100_000).map(strided).collect();
    for op in ["solve", "close", "decide", "check"] {
        let answer = ask_all(&many, op);
        assert_eq!((&answer["kind"], &answer["at"]), (&json!("limit"), &json!("/claims")), "{op}: {answer}");
    }
    let wide = |n: usize| json!({"size": {"var": "d"}, "concat": (0..n).map(|i| var("p", i)).collect::<Vec<_>>()});
    let answer = ask_all(&[least(0), wide(100_000)], "solve");
    assert_eq!((&answer["kind"], &answer["at"]), (&json!("limit"), &json!("/claims/1")), "{answer}");
    // As many as are allowed are answered.
    assert_eq!(ask_all(&many[..1_000], "solve")["verdict"], "solved");
    assert_eq!(ask_all(&[wide(99)], "close")["verdict"], "closed");
    let request = json!({"op": "close", "constraints": [], "claims": many[..1_000], "limits": {"fuel": 100}});
    assert_eq!(ask(&request), json!({"verdict": "limit", "which": "fuel"}));
}
