//! `lozenge export`: what is exported and what is refused, and the engines of NumPy, JAX and ONNX on what is.
#![allow(missing_docs)]

use lozenge_harnesses::programs::Numbers;
use lozenge_tests::exports::{Named, files, questions, random, write_corpus};
use lozenge_tests::world::{differentiable, python};
use lozenge_tests::{json, lozenge, root, run, scratch};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The answer to an export: exported, or refused with a reason and a place.
fn exported(text: &str, language: &[&str]) -> Value {
    let (status, answer) = json(&[&["export", "-"], language].concat(), text);
    match answer["verdict"].as_str() {
        Some("exported") => assert_eq!(status, Some(0)),
        Some("refused") => {
            assert_eq!(status, Some(1));
            assert!(answer["position"].is_array() && answer["message"].is_string(), "{answer}: {text}");
        }
        _ => panic!("{answer}: {text}"),
    }
    answer
}

/// `exported`, or the reason.
fn outcome(answer: &Value) -> String {
    answer["reason"].as_str().unwrap_or("exported").to_owned()
}

/// What becomes of every program, in three languages. With a folder, the graphs are left there.
fn table(folder: &Path) -> String {
    let mut lines = Vec::new();
    let graph = folder.join("one.onnx");
    let languages = [
        ("numpy", vec!["--numpy"]),
        ("onnx", vec!["--onnx", graph.to_str().expect("UTF-8")]),
        ("einsum", vec!["--einsum"]),
    ];
    for (name, text) in files() {
        let found = languages.iter().map(|(language, how)| format!("{language} {}", outcome(&exported(&text, how))));
        lines.push(format!("{name}: {}", found.collect::<Vec<_>>().join(", ")));
    }
    for (kind, programs) in random() {
        for (language, how) in &languages {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for (_, text) in &programs {
                *counts.entry(outcome(&exported(text, how))).or_default() += 1;
            }
            let counts: Vec<String> = counts.iter().map(|(what, n)| format!("{what} {n}")).collect();
            lines.push(format!("{} of {kind}, {language}: {}", programs.len(), counts.join(", ")));
        }
    }
    lines.join("\n")
}

/// A program that is exported today is exported tomorrow, and what is refused is refused for the same reason.
#[test]
fn every_program_is_exported_or_refused_with_a_reason() {
    insta::assert_snapshot!(table(&scratch("exports")));
}

#[test]
fn refusals_have_their_places() {
    let (status, out, _) = run(&["export", "tests/programs/sgd.loz", "--numpy"], "");
    assert_eq!((status, out.as_str()), (Some(1), "refused: 10:14: NumPy has no gradients: this reads that of `w`\n"));
    let tropical = "input a: 2, 3\ninput b: 3, 4\nlet c = a @^+ \"ij; jk => ik\" b\n";
    let (status, out, _) = run(&["export", "-", "--einsum"], tropical);
    assert_eq!(
        (status, out.as_str()),
        (Some(1), "refused: 3:9: an einsum string has sums of products only: this has `+`\n")
    );
    // Shapes that do not fit, a text that is no program, a folder that is not there.
    assert_eq!(run(&["export", "-", "--numpy"], "input a: 2\ninput b: 3\nlet c = a + b\n").0, Some(1));
    assert_eq!(run(&["export", "-", "--numpy"], "let").0, Some(2));
    assert_eq!(run(&["export", "-", "--onnx", "no/such/folder.onnx"], "input a: 2\n").0, Some(2));
    assert_eq!(run(&["export", "-", "--onnx", "a.onnx", "--numpy"], "input a: 2\n").0, Some(2));
}

/// A block is a sum of its operands, and an einsum string a product.
#[test]
fn a_block_is_no_einsum() {
    for spec in ["i; i => i", "i; j => i^j", "i; j => 0"] {
        let text = format!("input a: 3\ninput b: 3\nlet c = (a, b) ++^ \"{spec}\"\n");
        let answer = exported(&text, &["--einsum"]);
        assert_eq!((outcome(&answer).as_str(), &answer["position"][0]), ("concatenated", &json!(3)), "{answer}");
        assert_eq!(outcome(&exported(&text, &["--numpy"])), "exported");
    }
}

/// No language has gradients, an einsum string neither.
#[test]
fn gradients_are_refused_by_every_language() {
    let text = "param w: 3 = 1\ninput x: 3\nlet y = w.grad *. x\n";
    for language in ["--einsum", "--numpy"] {
        let answer = exported(text, &[language]);
        assert_eq!((outcome(&answer).as_str(), &answer["position"][0]), ("gradient", &json!(3)), "{answer}");
    }
}

#[test]
fn names_that_are_made_up_are_nobodys() {
    let text = "input a: 2, 3\ninput t2: 3, 2\nlet y = (a ++ \"ij=>ji\") *. t2\n";
    let (status, out, _) = run(&["export", "-", "--einsum"], text);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.starts_with("t2_ = einsum(\"ij->ji\", a)\n") && out.ends_with(", t2_, t2)\n"), "{out}");
    let (_, out, _) = run(&["project", "-"], text);
    assert!(out.contains("t2_: ") && out.contains("t2_[") && out.contains(" t2["), "{out}");
    // Those with underscores may be there as well, and a second name counts like the first.
    for names in ["input t3_: 3, 2\n", "let t3_ = t3\ninput b: 3, 2\n"] {
        let text = format!("input a: 2, 3\ninput t3: 3, 2\n{names}let y = (a ++ \"ij=>ji\") *. t3 *. t3_\n");
        let (_, out, _) = run(&["export", "-", "--einsum"], &text);
        assert!(out.starts_with("t3__ = einsum(\"ij->ji\", a)\n"), "{out}");
    }
    // Where nobody has the name, it is the number alone.
    let (_, out, _) = run(&["export", "-", "--einsum"], &text.replace("t2", "b"));
    assert!(out.starts_with("t2 = einsum(\"ij->ji\", a)\n"), "{out}");
}

#[test]
fn literals_of_einsums_are_written_down() {
    let text = "input a: 3\nlet y = a *. [1, 2.5, 3]\n";
    let (_, out, _) = run(&["export", "-", "--einsum"], text);
    assert_eq!(out, "t1 = [1, 2.5, 3]\ny = einsum(\"i,i->i\", a, t1)\n");
    assert_eq!(exported(text, &["--einsum"])["literals"], json!({ "t1": [1.0, 2.5, 3.0] }));
    let named = "input a: 2\nlet m = [[1, 2], [3, 4]]\nlet two = 2\nlet y = (m +* \"ij; j => i\" a) *. two *. 3\n";
    let (_, out, _) = run(&["export", "-", "--einsum"], named);
    assert!(out.starts_with("m = [[1, 2], [3, 4]]\ntwo = 2\n") && !out.contains("\n3 = "), "{out}");
    assert_eq!(exported(named, &["--einsum"])["literals"], json!({ "m": [[1.0, 2.0], [3.0, 4.0]], "two": 2.0 }));
}

/// Python's own numbers raise an error where doubles have infinity, and have complex powers.
#[test]
fn numbers_without_axes_are_doubles_of_numpy() {
    let file = scratch("export-scalars").join("corpus.jsonl");
    let texts = [
        "param w: -> = 0\nlet y = recip w\n",
        "param w: -> = 0\nparam v: -> = 1\nlet y = v /. w\n",
        "param w: -> = -8\nparam h: -> = 0.5\nlet y = w **. h\n",
        "param w: -> = 1e300\nlet y = w *. w\n",
    ];
    for text in texts {
        let code = exported(text, &["--numpy"])["code"].to_string();
        assert!(code.contains("w = np.full((), "), "{code}");
    }
    let ask = |(i, text): (usize, &&str)| json!({ "id": format!("scalar-{i}"), "op": "run", "program": text });
    write_corpus(&file, texts.iter().enumerate().map(ask).collect());
    for engine in ["numpy_engine.py", "jax_engine.py"] {
        assert_eq!(passed(engine, &file), texts.len() as u64, "{engine}");
    }
}

/// What cannot be counted or written down is refused before anything of that size is made.
#[test]
fn large_sizes_are_refused() {
    let graph = scratch("export-large").join("one.onnx").display().to_string();
    let (numpy, onnx): (&[&str], &[&str]) = (&["--numpy"], &["--onnx", &graph]);
    let refused = [
        ("size", "input x: 3\n{ z: 4294967296, 4294967296 } =+ x ~logic:\"i => 0, 0\"\n", vec![numpy, onnx]),
        (
            "size",
            "param w: 4294967296, 4294967296, 4294967296 = range\nlet y = w ++ \"0,0,0 => 0\"\n",
            vec![numpy, onnx],
        ),
        (
            "size",
            "input a: 1099511627776, 1099511627776\ninput b: 3\nlet y = (a, b) ++^ \"i, j; k => 0\"\n",
            vec![numpy, onnx],
        ),
        // No array is too large, and the points that write one cell are too many.
        (
            "size",
            "input a: 1099511627776\ninput b: 1099511627776\ninput c: 3\nlet y = (a, b, c) ++^ \"i; j; k => 0\"\n",
            vec![numpy, onnx],
        ),
        (
            "size",
            "input x: 4294967296, 4294967296 | 4294967296, 4\ninput w: 3, 4\n\
             let y = x +* \"a,b| o=+k, c; k, c => a,b| o\" w\n",
            vec![onnx],
        ),
        ("table", "param w: 100000, 100000 = 0\nlet y = w ++ \"0,0 => 0\"\n", vec![onnx]),
        ("table", "param w: 1048577 = range\nlet y = w ++ \"0 => 0\"\n", vec![onnx]),
        ("table", "input x: 1000000000\nlet y = x @^^ \"o=+k => o\" [\"k\"]\nk = 3\n", vec![onnx]),
        // In between: one axis for each of two iterators.
        ("size", "input a: 4294967296\ninput b: 4294967296\nlet y = a @^+ \"i; j => 0\" b\n", vec![numpy, onnx]),
    ];
    for (reason, text, languages) in refused {
        for language in languages {
            assert_eq!(outcome(&exported(text, language)), reason, "{language:?}: {text}");
        }
    }
    assert!(!Path::new(&graph).exists());
    // What is not written down cell by cell may be large.
    for text in
        ["param w: 100000, 100000 = 0\nlet y = w ++ \"0,0 => 0\"\n", "param w: 1048577 = range\nlet y = relu w\n"]
    {
        assert_eq!(outcome(&exported(text, numpy)), "exported", "{text}");
    }
    assert_eq!(outcome(&exported("param w: 1048576 = range\nlet y = relu w\n", onnx)), "exported");
}

#[test]
fn arrays_of_many_axes_are_refused() {
    let text = |axes: usize| format!("input x: {}\nlet y = relu x\n", vec!["1"; axes].join(", "));
    let graph = scratch("export-axes").join("one.onnx").display().to_string();
    for language in [&["--numpy"][..], &["--onnx", &graph]] {
        assert_eq!(outcome(&exported(&text(64), language)), "exported");
        assert_eq!(outcome(&exported(&text(65), language)), "axes");
    }
}

#[test]
fn a_program_is_not_replaced_by_its_graph() {
    let folder = scratch("export-onto-itself");
    let file = folder.join("p.loz");
    std::fs::write(&file, "input a: 2\nlet b = relu a\n").expect("a program");
    let (given, detour) = (file.display().to_string(), format!("{}/./p.loz", folder.display()));
    for to in [&given, &detour] {
        let (status, out, err) = run(&["export", &given, "--onnx", to], "");
        assert!(status == Some(2) && out.is_empty() && err.contains("name another file"), "{out}{err}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("a program"), "input a: 2\nlet b = relu a\n");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
}

#[test]
fn the_same_program_has_the_same_bytes() {
    let folder = scratch("export-bytes");
    let [one, two] = ["one.onnx", "two.onnx"].map(|name| folder.join(name));
    for file in [&one, &two] {
        let (status, _, err) =
            run(&["export", "tests/programs/conv_net.loz", "--onnx", &file.display().to_string()], "");
        assert_eq!((status, err.as_str()), (Some(0), ""));
    }
    let bytes = std::fs::read(&one).expect("a model");
    assert_eq!(bytes, std::fs::read(&two).expect("a model"));
    assert!(bytes.len() < 5_000, "{} bytes", bytes.len());
}

/// Runs a script of tests/world in the environment with NumPy, JAX and ONNX.
fn script(name: &str, args: &[&str]) -> String {
    let mut command = Command::new(python());
    command.arg(root().join("tests/world").join(name)).args(args).env("LOZENGE", lozenge()).env("JAX_PLATFORMS", "cpu");
    let output = command.current_dir(root()).output().expect("Python runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    out.into_owned()
}

/// The inferred shapes, written into the graph, do not contradict what onnx infers; every graph is valid.
#[test]
fn onnx_accepts_the_graphs_with_our_shapes() {
    let folder = scratch("export-checked");
    let all = files().into_iter().chain(random().into_iter().flat_map(|(_, programs)| programs));
    let mut count = 0;
    for (i, (_, text)) in all.enumerate() {
        let file = folder.join(format!("{i}.onnx"));
        count +=
            usize::from(outcome(&exported(&text, &["--onnx", &file.display().to_string(), "--shapes"])) == "exported");
    }
    let out = script("check_models.py", &[&folder.display().to_string()]);
    let operators: BTreeMap<String, u64> = serde_json::from_str(&out).expect("counts of operators");
    assert_eq!(operators["models"], count as u64);
    for operator in ["Conv", "Einsum", "MatMul", "Concat", "Gather", "Pad", "ReduceMax", "Where", "Transpose"] {
        assert!(operators.get(operator).is_some_and(|n| *n > 0), "no {operator}: {operators:?}");
    }
}

fn engine(name: &str) -> String {
    let [lozenge, python] = [lozenge(), python()].map(|path| path.display().to_string());
    format!("LOZENGE='{lozenge}' '{python}' '{}'", root().join("tests/engines/python").join(name).display())
}

/// How many cases of a corpus an engine passes; none may fail.
fn passed(name: &str, corpus: &Path) -> u64 {
    let corpus = corpus.display().to_string();
    let (status, report) =
        json(&["conform", "--engine", &engine(name), "--corpus", &corpus, "--time-limit", "120000"], "");
    assert_eq!((status, &report["failed"]), (Some(0), &json!(0)), "{report:#}");
    report["passed"].as_u64().expect("a number")
}

/// Questions about every program of some kinds, with the indices they take.
fn asked(programs: &[Named]) -> Vec<Value> {
    let ask = |named: &Named| {
        let answer = exported(&named.1, &["--numpy"]);
        let indices = answer["indices"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
        questions(named, &indices.collect::<Vec<_>>())
    };
    programs.iter().flat_map(ask).collect()
}

/// Holds an engine to every `part`-th random program, in what it answers. All of these are exported.
fn agrees(name: &str, ops: &[&str], part: usize) {
    let file = scratch(&format!("export-{name}")).join("corpus.jsonl");
    let programs: Vec<Named> = random().into_iter().flat_map(|(_, programs)| programs).step_by(part).collect();
    let questions: Vec<Value> =
        asked(&programs).into_iter().filter(|it| ops.iter().any(|op| it["op"] == *op)).collect();
    assert_eq!(questions.len(), programs.len() * ops.len());
    write_corpus(&file, questions);
    assert_eq!(passed(name, &file), (programs.len() * ops.len()) as u64);
}

/// Random questions, of which many are about programs that do not fit.
fn nothing_is_found(name: &str, ops: &str, cases: &str) {
    let options = ["--ops", ops, "--seed", "37", "--cases", cases, "--time-limit", "120000"];
    let (status, out, err) = run(&[&["fuzz", "--engine", &engine(name)], options.as_slice()].concat(), "");
    assert!(status == Some(0) && out.contains("nothing found: "), "{out}{err}");
}

/// Every accumulator, where each element is written once, at every other place, and several times: what is written first
/// joins the neutral element, which changes it for some (Prop. 7.6 (iii), spec/findings/F17.md).
#[test]
fn every_accumulator_is_exported_as_it_runs() {
    let file = scratch("export-accumulators").join("corpus.jsonl");
    let logics = ["i, j => i, j", "i, j => j, i", "i, j => 2*i, j", "i, j => i"];
    let mut programs: Vec<Named> = Vec::new();
    for how in ["+", "-", "*", "/", "@^", "@-", "&&", "||"] {
        for logic in logics {
            // Powers are refused, and so is a division by the 0 of the data.
            let text = format!("input a: 3, 2\nlet b = a + 0.5\n{{ r }} =:{how} b ~logic:\"{logic}\"\n");
            programs.push((format!("{how} {logic}"), text));
        }
        // Onto what is there, not all of it.
        let text =
            format!("input a: 3, 2\nlet b = a + 0.5\n{{ r: 6, 2 }} =: 3\nr ={how} b ~logic:\"i, j => 2*i, j\"\n");
        programs.push((format!("{how} kept"), text));
    }
    for text in ["let u = a\nlet v = a\nlet b = u + v\n", "let b = a + 1\nlet c = b\nlet d = b\n"] {
        programs.push((format!("two names {}", programs.len()), format!("input a: 3, 2\n{text}")));
    }
    let questions: Vec<Value> = asked(&programs).into_iter().filter(|it| it["op"] == "run").collect();
    assert_eq!(questions.len(), programs.len());
    write_corpus(&file, questions);
    for engine in ["numpy_engine.py", "onnx_engine.py", "jax_engine.py"] {
        assert_eq!(passed(engine, &file), programs.len() as u64, "{engine}");
    }
}

#[test]
fn numpy_is_an_engine() {
    nothing_is_found("numpy_engine.py", "run", "300");
    assert_eq!(passed("numpy_engine.py", &root().join("tests/conformance/programs.jsonl")), 33);
    agrees("numpy_engine.py", &["run"], 1);
}

#[test]
fn onnx_is_an_engine() {
    nothing_is_found("onnx_engine.py", "infer=1,run=1", "300");
    assert_eq!(passed("onnx_engine.py", &root().join("tests/conformance/programs.jsonl")), 83);
    agrees("onnx_engine.py", &["infer", "run"], 1);
}

/// Fewer programs: every new shape is compiled.
#[test]
fn jax_is_an_engine() {
    nothing_is_found("jax_engine.py", "infer=1,run=1", "100");
    assert_eq!(passed("jax_engine.py", &root().join("tests/conformance/programs.jsonl")), 83);
    agrees("jax_engine.py", &["infer", "run"], 10);
}

/// At data without ties, where JAX and we have one gradient.
#[test]
fn jax_has_the_gradients_of_exported_programs() {
    let mut questions = Vec::new();
    for i in 0..40 {
        let (program, _) = differentiable(&mut Numbers::of(36, i));
        questions.push(json!({ "id": format!("random-{i}"), "op": "run", "program": program, "fill": "range:-0.71:0.13", "grad": "loss" }));
    }
    for (name, text) in files().into_iter().filter(|(_, text)| text.contains("let loss")) {
        let answer = exported(&text, &["--numpy"]);
        if outcome(&answer) != "exported" {
            continue;
        }
        let fill = "range:-0.71:0.013";
        // JAX differentiates for what it is given, and not for what a parameter begins with.
        let tensors = answer["tensors"].as_object().into_iter().flatten();
        let begun = tensors.filter(|(_, it)| it["leaf"]["begins"] == true).map(|(name, _)| (name, fill));
        let data: BTreeMap<&String, &str> = begun.collect();
        questions.push(json!({ "id": name, "op": "run", "program": text, "fill": fill, "data": data, "grad": "loss" }));
    }
    let count = questions.len() as u64;
    let file = scratch("export-gradients").join("corpus.jsonl");
    write_corpus(&file, questions);
    assert_eq!(passed("jax_engine.py", &file), count);
}

/// Every fact of spec/translations.md is observed again, and every one that is observed is on the page.
#[test]
fn the_facts_are_as_written() {
    let found = script("facts.py", &[]);
    let page = lozenge_tests::read("spec/translations.md");
    let (_, page) = page.split_once("## What was found").expect("the chapter");
    let listed: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let observed: Vec<&str> = found.lines().collect();
    assert_eq!(listed, observed);
}
