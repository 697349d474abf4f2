//! `lozenge explain` tells the inference that `infer` does, and the run of `solve` or `close`: the same verdict, the
//! same failing rule, message and assumptions, the same shapes, the same limit, the same exit status.
#![allow(missing_docs)]

use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::program::{InferError, Inference, Program, Told, infer_with, parse, tell};
use lozenge::solver::{GuardPolicy, Limits, Policy, Strategy, Verdict, solve, solve_traced};
use lozenge::wire;
use lozenge_harnesses::programs::{Numbers, program};
use lozenge_tests::{as_command, corpus, json, loz_files, read, run, source_programs};
use serde_json::Value;

/// `explain` against `infer` on one program, in all three forms.
fn programs_agree(file: &str, text: &str, options: &[&str]) -> String {
    let program: &[&str] = if file == "-" { &["--program"] } else { &[] };
    let (status, inferred) = json(&[&["infer", file], options].concat(), text);
    let (told_status, told) = json(&[&["explain", file], program, options].concat(), text);
    assert_eq!(told_status, status, "{file} {options:?}\n{text}");
    for field in ["verdict", "kind", "rule", "constraint", "which", "message", "position", "text"] {
        assert_eq!(told[field], inferred[field], "{field} of {file} {options:?}\n{text}");
    }
    let assumed = |of: &Value| of["assumptions"].as_array().cloned().unwrap_or_default();
    let said: Vec<Value> = assumed(&inferred).iter().map(|a| a["text"].clone()).collect();
    let pair = |a: &Value| Value::from(format!("{} ({})", a[0].as_str().unwrap_or(""), a[1].as_str().unwrap_or("")));
    assert_eq!(assumed(&told).iter().map(pair).collect::<Vec<_>>(), said, "{file} {options:?}\n{text}");
    let verdict = inferred["verdict"].as_str().unwrap_or("").to_owned();
    for (form, mark) in [("", format!("\n{verdict}: ")), ("--html", format!("\">{verdict}</span>: "))] {
        let form: &[&str] = if form.is_empty() { &[] } else { &[form] };
        let (shown, out, _) = run(&[&["explain", file], program, options, form].concat(), text);
        assert_eq!(shown, status, "{file} {options:?} {form:?}");
        assert!(status == Some(2) || out.contains(&mark), "{file} {options:?} {form:?}: no {mark:?}");
        if form.is_empty() && status != Some(2) {
            shapes_agree(file, text, options, &told, &out);
        }
    }
    verdict
}

/// The shapes and sizes beside the lines are those of `infer`, and every name of the program's own has one.
fn shapes_agree(file: &str, text: &str, options: &[&str], told: &Value, shown: &str) {
    let (status, plain, _) = run(&[&["infer", file], options].concat(), text);
    let lines: Vec<&Value> = told["source"].as_array().into_iter().flatten().collect();
    if status != Some(0) {
        let message = told["message"].as_str().unwrap_or("");
        assert!(shown.contains(message), "{file} {options:?}: {message}\n{shown}");
        return;
    }
    let table = plain.lines().take_while(|line| !line.is_empty());
    let inferred: Vec<(String, String)> = table
        .filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let (_, shape) = rest.trim_start().split_once(' ')?;
            Some((name.to_owned(), shape.trim_start().to_owned()))
        })
        .collect();
    let beside = |of: &str| -> Vec<String> {
        let of = lines.iter().flat_map(|line| line[of].as_array().into_iter().flatten());
        of.map(|it| format!("{}: {}", it["name"].as_str().unwrap_or(""), it["shape"].as_str().unwrap_or(""))).collect()
    };
    let shapes = beside("shapes");
    for (name, shape) in inferred.iter().filter(|(name, _)| !name.contains('#')) {
        let line = format!("{name}: {shape}");
        assert!(shapes.contains(&line) && shown.contains(&line), "{file} {options:?}: no {line}\n{shown}");
    }
    for shape in shapes.iter().filter(|shape| !shape.contains("(…)") && !shape.contains(".grad")) {
        let same = |(name, inferred): &(String, String)| {
            *shape == format!("{}: {inferred}", name.rsplit('.').next().unwrap_or(name))
        };
        assert!(inferred.iter().any(same), "{file} {options:?}: {shape} is not of infer\n{plain}");
    }
    let sizes = lines.iter().flat_map(|line| line["sizes"].as_array().into_iter().flatten());
    for size in sizes {
        let line = format!("{} = {}\n", size["name"].as_str().unwrap_or(""), size["size"]);
        assert!(plain.contains(&line), "{file} {options:?}: {line}{plain}");
    }
}

#[test]
fn every_file_ends_in_explain_as_in_infer() {
    let files = [loz_files("tests/programs"), loz_files("tests/broken"), loz_files("tests/sources")].concat();
    assert!(files.len() >= 75, "{}", files.len());
    let verdicts: Vec<String> = files.iter().map(|file| programs_agree(file, "", &[])).collect();
    for verdict in ["inferred", "unsat", "rejected", "error"] {
        assert!(verdicts.iter().any(|v| v == verdict), "no file is {verdict}");
    }
}

#[test]
fn limits_end_both_alike() {
    let files = ["tests/programs/conv_net.loz", "tests/programs/mlp.loz", "tests/broken/stride_not_divisible.loz"];
    let mut limited = 0;
    for file in files {
        for fuel in ["0", "1", "7", "40", "100000"] {
            limited += usize::from(programs_agree(file, "", &["--fuel", fuel]) == "limit");
        }
    }
    assert!(limited >= 9, "{limited}");
    assert_eq!(programs_agree("tests/programs/mlp.loz", "", &["--rank", "1"]), "limit");
    assert_eq!(programs_agree("tests/programs/mlp.loz", "", &["--size", "3"]), "limit");
}

#[test]
fn specifications_and_json_end_alike() {
    for text in source_programs().iter().step_by(6) {
        assert_eq!(programs_agree("-", text, &[]), "inferred", "{text}");
    }
    for case in 0..12 {
        let text = program(11, case).to_string();
        programs_agree("-", &text, &[]);
    }
    let (status, _, err) = run(&["explain", "tests/programs/mlp.loz", "--leaf", "x"], "");
    assert!(status == Some(2) && err.contains("--leaf"), "{err}");
}

/// What is compared of an inference.
fn outcome(of: &Result<Inference, InferError>) -> (String, String, Vec<String>) {
    match of {
        Ok(inferred) => {
            let shapes = inferred.named().iter().map(|(name, _)| inferred.show(name).unwrap_or_default()).collect();
            let assumed: Vec<String> = inferred.assumptions().into_iter().map(|a| a.text).collect();
            ("inferred".to_owned(), assumed.join("\n"), shapes)
        }
        Err(error) => {
            let kind = match error {
                InferError::Clash(clash) => format!("{} {} {}", clash.rule, clash.certain, clash.constraint),
                InferError::Size(size) => format!("{} {} {}", size.rule, size.certain, size.equation),
                InferError::Hole(_) => "hole".to_owned(),
                InferError::Index(_) => "index".to_owned(),
                InferError::Limit(limit) => limit.name().to_owned(),
                InferError::Program(_) => "program".to_owned(),
            };
            (kind, error.to_string(), vec![error.render("")])
        }
    }
}

/// The told inference against the plain one, as far as it is kept: how it ends.
fn agree(program: &Program, policy: Policy, most: Limits) -> Option<Told> {
    let plain = infer_with(program, policy);
    let Ok(told) = tell(program, policy, most) else {
        assert!(matches!(plain, Err(InferError::Program(_))), "{program}");
        return None;
    };
    assert_eq!(outcome(&told.ended), outcome(&plain), "{policy:?} {most:?}\n{program}");
    if let (Err(InferError::Clash(clash)), true) = (&told.ended, told.whole) {
        let last = told.trace.steps.last().expect("a clash is a step");
        assert!(last.fail.is_some(), "{program}");
        assert!(clash.closing || last.rule == clash.rule, "{} is not {}\n{program}", last.rule, clash.rule);
    }
    Some(told)
}

/// A program with axes whose sizes are worked out; half of the sizes fit.
fn sized(seed: u64, case: u64) -> String {
    let numbers = &mut Numbers::of(seed, case);
    let mut size = |of: &[u64]| of[numbers.below(of.len())];
    let (n, k, m) = (size(&[4, 6, 7, 8]), size(&[1, 2, 3, 9]), size(&[2, 3, 4]));
    let mut lines = vec![format!("input x: {n}"), format!("input y: {m}")];
    let leaves = ["param k".to_owned(), format!("param k: {k}"), "const k".to_owned()];
    lines.push(leaves[usize::try_from(size(&[0, 1, 1, 2])).unwrap_or(0)].clone());
    let statements = [
        "let a = x ++ \"2*i => i\"",
        "let b = x +* \"o<+j; j => o\" k",
        "let c = x +* \"2*o<+j; j => o\" k",
        "let d = x +* \"o=+j; j => o\" k",
        "let e = (x, y) ++^ \"i; j => i^j\"",
        "let f = x ++ \"i^j => j\"\nlet g = f + y",
        "let w = x ++ \"i^j => j\" [\"i\"]\ni = 6",
        "let h = x ++ \"5 => 0\"",
        "let l = (y ++ \"n => 2*n\") + x",
        "let p = x ++ \"s*t<+q => t\" [\"t\"; \"q\"]\ns = 2\nq = 2",
        "let r = relu k",
        "let u = x ++ \"i => 0, i\"\nlet v = u ++ \"p, i => 2*p, i\"",
    ];
    for statement in statements {
        if numbers.percent(30) {
            lines.push(statement.to_owned());
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn generated_programs_are_told_as_they_are_inferred() {
    let policies = [
        Policy::default(),
        Policy { guard: GuardPolicy::Paper, ..Policy::default() },
        Policy { strategy: Strategy::Lifo, ..Policy::default() },
        Policy { limits: Limits { fuel: 25, ..Limits::default() }, ..Policy::default() },
        Policy { limits: Limits { size: 12, ..Limits::default() }, ..Policy::default() },
    ];
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    let (mut staged, mut cut) = (0, 0);
    let generated = (0..3000).map(|case| program(18, case));
    let sized = (0..1500).map(|case| parse(&sized(18, case)).unwrap_or_else(|e| panic!("{e}: {}", sized(18, case))));
    for (number, program) in generated.chain(sized).enumerate() {
        let most = if number % 3 == 0 { Limits { fuel: 20, ..Limits::default() } } else { Limits::default() };
        let Some(told) = agree(&program, policies[number % policies.len()], most) else { continue };
        staged += usize::from(!told.stages.is_empty());
        cut += usize::from(!told.whole);
        *kinds.entry(outcome(&told.ended).0.split(' ').next().unwrap_or("").to_owned()).or_default() += 1;
        assert_eq!(told.sources().len(), told.trace.nodes.len());
    }
    for kind in ["inferred", "hole", "index", "fuel", "size", "ST-stride", "ST-valid", "ST-concat", "DE-clash"] {
        assert!(kinds.contains_key(kind), "no program ends in {kind}: {kinds:?}");
    }
    assert!(staged >= 500 && cut >= 300, "{staged} staged, {cut} cut: {kinds:?}");
}

/// `explain` against `solve`, against `close` where there are leaves, and against `decide`.
fn systems_agree(text: &str, options: &[String], tags: &[String]) -> String {
    let with = |command: &'static str, more: &[String]| {
        let mut args = vec![command, "-"];
        args.extend(options.iter().chain(more).map(String::as_str));
        json(&args, text)
    };
    let pairs = [("solve", &[][..]), ("close", tags)];
    let mut verdict = String::new();
    for (command, tags) in pairs.into_iter().take(if tags.is_empty() { 1 } else { 2 }) {
        let ((status, plain), (told_status, told)) = (with(command, tags), with("explain", tags));
        assert_eq!(told_status, status, "{command} {options:?} {tags:?}\n{text}");
        for field in ["verdict", "rule", "constraint", "which", "message"] {
            assert_eq!(told[field], plain[field], "{field}: {command} {options:?} {tags:?}\n{text}");
        }
        verdict = plain["verdict"].as_str().unwrap_or("").to_owned();
        let decided = &with("decide", &[]).1["verdict"];
        match verdict.as_str() {
            // A solved form with deferred equations need not have a solution.
            "solved" if plain["greatest"].is_null() => {}
            "solved" | "closed" => assert_ne!(decided, "unsat", "{text}"),
            "unsat" => assert_ne!(decided, "sat", "{text}"),
            _ => {}
        }
    }
    verdict
}

#[test]
fn systems_end_in_explain_as_in_solve_and_close() {
    for file in ["f1", "layer", "remark-2-11"] {
        let text = read(&format!("tests/systems/{file}.txt"));
        for options in [&[][..], &["--guard", "paper", "--fuel", "500"], &["--guard", "none", "--fuel", "500"]] {
            let options: Vec<String> = options.iter().map(|o| (*o).to_owned()).collect();
            systems_agree(&text, &options, &[]);
        }
    }
    let cases = corpus();
    let asked = cases.iter().filter(|case| ["solve", "close"].iter().any(|op| case["request"]["op"] == *op));
    // Every eleventh, and all with parameters: where a hole is an error does not depend on how many cases there are.
    let few = asked.enumerate().filter(|(i, case)| i % 11 == 0 || case["request"]["params"].is_array());
    let mut verdicts = std::collections::BTreeMap::<String, usize>::new();
    for (_, case) in few {
        let Some((text, options, tags)) = as_command(&case["request"]) else { continue };
        *verdicts.entry(systems_agree(&text, &options, &tags)).or_default() += 1;
    }
    for verdict in ["solved", "closed", "unsat", "rejected", "error"] {
        assert!(verdicts.contains_key(verdict), "no case is {verdict}: {verdicts:?}");
    }
}

#[test]
fn a_run_with_its_derivation_ends_as_it_does_without() {
    let mut solved = 0;
    for case in corpus() {
        let mut names = Names::new();
        let list = case["request"]["constraints"].as_array().cloned().unwrap_or_default();
        let phi: Vec<Constraint> = list.iter().filter_map(|c| wire::read_constraint(c, &mut names).ok()).collect();
        for fuel in [3, 20, 1000] {
            let policy = Policy { limits: Limits { fuel, ..Limits::default() }, ..Policy::default() };
            let plain = solve(&phi, &mut names.clone(), policy);
            let traced = solve_traced(&phi, &mut names.clone(), policy).verdict;
            match (plain, traced) {
                (Verdict::Solved(a), Verdict::Solved(b)) => assert_eq!(a.steps(), b.steps(), "{case}"),
                (Verdict::Unsat(a), Verdict::Unsat(b)) => assert_eq!(a, b, "{case}"),
                (Verdict::Rejected(a), Verdict::Rejected(b)) => assert_eq!(a, b, "{case}"),
                (Verdict::Limit(a), Verdict::Limit(b)) => assert_eq!(a, b, "{case}"),
                (a, b) => panic!("{a:?} is not {b:?}: {case}"),
            }
            solved += 1;
        }
    }
    assert!(solved > 3000, "{solved}");
}

#[test]
fn a_long_run_is_told_in_the_time_of_its_telling() {
    // Ten thousand steps, thousands of bounds: each step lists a few, and says how many more there are.
    let chain: String = (0..3300)
        .map(|i| format!("[2] <> [a{i}] <= <r{i}>[b{i}]\n<r{i}> <= <r{}>\na{i} <= a{}\n", i + 1, i + 1))
        .collect();
    let (status, out, _) = run(&["explain", "-", "--steps", "20000"], &chain);
    assert_eq!(status, Some(0));
    assert!(out.contains("step 10000  "), "{}", out.len());
    assert!(out.contains("  bound   ... and ") && out.len() < 20_000_000, "{}", out.len());
    // Without a guard the rows grow for ever: fuel ends it, and only the beginning is kept.
    let (status, story) = json(&["explain", "tests/systems/f1.txt", "--guard", "none", "--fuel", "400000"], "");
    assert_eq!((status, &story["verdict"], &story["which"]), (Some(3), &"limit".into(), &"fuel".into()));
    assert_eq!((&story["whole"], story["steps"].as_array().map(Vec::len)), (&false.into(), Some(200)));
    let (status, text, _) = run(&["explain", "tests/systems/f1.txt", "--guard", "none", "--fuel", "400000"], "");
    assert!(status == Some(3) && text.contains("the run went on"), "{}", text.len());
}
