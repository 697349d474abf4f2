//! Commands that answer about the same thing do not contradict each other: `infer`, `project` and `run` on a program,
//! `solve`, `close` and `decide` on constraints, the command line and the oracle on both.
#![allow(missing_docs)]

use lozenge_tests::{as_command, corpus, json, loz_files, read, run};
use serde_json::{Value, json as object};

/// What the oracle answers to requests, one process for all of them.
fn oracle(requests: &[Value]) -> Vec<Value> {
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let (status, out, err) = run(&["oracle"], &lines);
    assert_eq!(status, Some(0), "{err}");
    let answers: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect();
    assert_eq!(answers.len(), requests.len());
    answers
}

/// The fields of an answer that say how it ended.
fn end(answer: &Value) -> [&Value; 5] {
    ["verdict", "kind", "rule", "which", "message"].map(|field| &answer[field])
}

/// An answer without the request's id.
fn without_id(mut answer: Value) -> Value {
    answer.as_object_mut().map(|fields| fields.remove("id"));
    answer
}

#[test]
fn a_program_that_is_refused_is_refused_by_every_command() {
    let refused = |file: &String| run(&["infer", file], "").0 != Some(0);
    let files: Vec<String> = loz_files("tests/broken").into_iter().filter(refused).collect();
    assert!(files.len() >= 100, "{}", files.len());
    let requests: Vec<Value> = files
        .iter()
        .flat_map(|file| ["infer", "project", "run"].map(|op| object!({"id": 0, "op": op, "program": read(file)})))
        .collect();
    let answers = oracle(&requests);
    for (file, of_file) in files.iter().zip(answers.chunks(3)) {
        let (status, inferred) = json(&["infer", file], "");
        assert!(matches!(status, Some(1 | 2)), "{file}");
        for command in ["project", "run"] {
            let (other, answer) = json(&[command, file], "");
            assert_eq!((other, end(&answer)), (status, end(&inferred)), "{command} {file}");
        }
        for answer in of_file {
            assert_eq!(answer["verdict"], inferred["verdict"], "{file}: {answer}");
            if status == Some(1) {
                assert_eq!(end(answer), end(&inferred), "{file}");
            }
        }
    }
}

#[test]
fn a_program_that_fits_fits_for_every_command() {
    let files = loz_files("tests/programs");
    let requests: Vec<Value> =
        files.iter().map(|file| object!({"id": 0, "op": "infer", "program": read(file)})).collect();
    for (file, answer) in files.iter().zip(oracle(&requests)) {
        let (status, inferred) = json(&["infer", file], "");
        assert_eq!((status, &inferred["verdict"]), (Some(0), &"inferred".into()), "{file}");
        assert_eq!(without_id(answer)["shapes"], inferred["shapes"], "{file}");
        assert_eq!(run(&["project", file], "").0, Some(0), "{file}");
    }
}

#[test]
fn constraints_have_one_answer() {
    let cases = corpus();
    let requests = cases
        .iter()
        .map(|case| &case["request"])
        .filter(|request| request["op"] == "close" && as_command(request).is_some());
    let requests: Vec<Value> = requests.step_by(12).cloned().collect();
    let of = |op: &str| -> Vec<Value> {
        let asked = requests.iter().map(|request| {
            let mut request = request.clone();
            request["op"] = op.into();
            if let Some(fields) = request.as_object_mut().filter(|_| op != "close") {
                fields.retain(|field, _| field != "leaves" && field != "params");
            }
            request
        });
        oracle(&asked.collect::<Vec<_>>())
    };
    let (solved, closed, decided) = (of("solve"), of("close"), of("decide"));
    assert!(solved.len() >= 20, "{}", solved.len());
    for (i, request) in requests.iter().enumerate() {
        let (text, options, tags) = as_command(request).unwrap_or_else(|| panic!("{request}"));
        for (command, tags, answer) in
            [("solve", &[][..], &solved[i]), ("close", &tags, &closed[i]), ("decide", &[], &decided[i])]
        {
            let args: Vec<&str> =
                [command, "-"].into_iter().chain(options.iter().chain(tags).map(String::as_str)).collect();
            let (status, said) = json(&args, &text);
            assert_eq!(end(&said), end(answer), "{command}\n{text}");
            let expected = match said["verdict"].as_str() {
                Some("solved" | "closed" | "sat") => 0,
                Some("limit" | "unknown") => 3,
                _ => 1,
            };
            assert_eq!(status, Some(expected), "{command}\n{text}");
        }
        let said = [&solved[i], &closed[i], &decided[i]].map(|answer| answer["verdict"].as_str().unwrap_or(""));
        match said {
            ["unsat", closed, decided] => assert_eq!((closed, decided), ("unsat", "unsat"), "{text}"),
            ["solved", closed, decided] => {
                // A solved form with deferred equations need not have a solution.
                let claimed = !solved[i]["greatest"].is_null();
                assert!(closed != "unsat" && !(claimed && decided == "unsat"), "{said:?}\n{text}");
                assert!(closed != "closed" || decided != "unsat", "{said:?}\n{text}");
            }
            ["rejected", closed, _] => assert_eq!(closed, "rejected", "{text}"),
            other => assert_eq!(other[0], "limit", "{other:?}\n{text}"),
        }
    }
}
