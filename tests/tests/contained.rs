//! Failure is contained: what is too large is a limit (status 3), a panic is an error of kind `internal` (status 4), and a
//! reader that leaves changes no status.
#![allow(missing_docs)]

use lozenge::text::{MOST_LINE, MOST_NAME, MOST_TEXT};
use lozenge_tests::{lozenge, provoked, run, scratch};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The most bytes of a file, as spec/protocol.md says.
const MOST_FILE: usize = 64 << 20;

fn file(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}

/// Status, kind and verdict of a command with `--json`.
fn told(args: &[&str], stdin: &str) -> (Option<i32>, Value) {
    let (status, out, err) = run(&[args, &["--json"]].concat(), stdin);
    assert_eq!(err, "", "{args:.80?} says everything in JSON");
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out:.200}")))
}

fn is_limit(args: &[&str], stdin: &str) {
    let shown: Vec<String> = args.iter().map(|arg| arg.chars().take(80).collect()).collect();
    let (status, answer) = told(args, stdin);
    assert_eq!((status, &answer["verdict"], &answer["kind"]), (Some(3), &json!("error"), &json!("limit")), "{shown:?}");
    let (status, out, err) = run(args, stdin);
    assert_eq!((status, out.as_str()), (Some(3), ""), "{shown:?}");
    assert!(err.starts_with("error"), "{shown:?}: {err:.200}");
}

fn is_fine(args: &[&str], stdin: &str) {
    let (status, out, err) = run(args, stdin);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{:.80} …: {out:.200}", args.join(" "));
}

/// The commands that read constraints, a program or a model from a file.
const SYSTEMS: [&[&str]; 4] = [&["solve"], &["close"], &["decide"], &["explain"]];
const PROGRAMS: [&[&str]; 4] = [&["infer"], &["infer", "--markers"], &["project"], &["run", "--fill", "1"]];

/// Every reader of a text, with this text in it; programs also as `explain` reads them.
fn each_reader(folder: &Path, system: &str, program: &str, model: &str, check: impl Fn(&[&str])) {
    let (system, program, model) =
        (file(folder, "s.txt", system), file(folder, "p.loz", program), file(folder, "m.txt", model));
    SYSTEMS.iter().for_each(|command| check(&[command, &[system.as_str()][..]].concat()));
    PROGRAMS.iter().for_each(|command| check(&[command, &[program.as_str()][..]].concat()));
    check(&["explain", &program]);
    check(&["memory", &model]);
}

#[test]
fn names_of_every_reader_have_a_longest_length() {
    let folder = scratch("contained-names");
    for (length, check) in [(MOST_NAME, is_fine as fn(&[&str], &str)), (MOST_NAME + 1, is_limit), (70_000, is_limit)] {
        let name = "n".repeat(length);
        for command in ["le", "join", "eq"] {
            check(&[command, &format!("[3:{name}] <> []"), &format!("[3:{name}] <> []")], "");
        }
        let system = format!("{name} = 3\n");
        let program = format!("input {name}: 3\nlet y = relu {name}\n");
        each_reader(&folder, &system, &program, &format!("input {name} [3]\n"), |args| check(args, ""));
        let values = file(&folder, "v.txt", format!("{name} := 3\n"));
        check(&["check", &file(&folder, "s.txt", &system), &values], "");
        // The other places of a program that have names.
        for program in [
            format!("input x: 3:{name}\n"),
            format!("input x: ..{name}..\n"),
            format!("{name} = 3\ninput x: {name}\n"),
            format!("fn {name}(x) = relu x\ninput a: 3\nlet y = {name}(a)\n"),
            format!("input x: 3, 4\nlet y = x ++ \"{name}, b => b, {name}\"\n"),
            format!("input x: 3, 4\nlet y = x ++ \"..{name}.., b => b, ..{name}..\"\n"),
        ] {
            check(&["infer", "-"], &program);
        }
        for model in [format!("dim {name} 1..4\ninput x [{name}]\n"), format!("input x [_{name}]\n")] {
            if length > MOST_NAME {
                check(&["memory", "-"], &model);
            }
        }
    }
}

#[test]
fn lines_and_texts_have_a_longest_length() {
    let folder = scratch("contained-lines");
    let comment = |bytes: usize| format!("#{}\n", "x".repeat(bytes - 1));
    let (fits, long) = (comment(MOST_LINE), comment(MOST_LINE + 1));
    let texts = |line: &str| [format!("{line}a = 3\n"), format!("{line}input x: 3\n"), format!("{line}input x [3]\n")];
    let [system, program, model] = texts(&fits);
    each_reader(&folder, &system, &program, &model, |args| is_fine(args, ""));
    let [system, program, model] = texts(&long);
    each_reader(&folder, &system, &program, &model, |args| is_limit(args, ""));
    let text = "\n".repeat(MOST_TEXT + 1);
    each_reader(&folder, &text, &text, &text, |args| is_limit(args, ""));
}

#[test]
fn files_that_do_not_end_are_not_read_to_their_end() {
    let folder = scratch("contained-files");
    let large = file(&folder, "large", vec![b'\n'; MOST_FILE + 1]);
    for path in ["/dev/zero", &large] {
        for command in SYSTEMS.iter().chain(&PROGRAMS).chain(&[&["memory"][..], &["check", path]]) {
            is_limit(&[*command, &[path]].concat(), "");
        }
    }
    // Standard input that never ends: the process does, and does not wait for the rest.
    let yes = Command::new("yes").stdout(Stdio::piped()).spawn();
    let mut yes = yes.expect("yes starts");
    let output = Command::new(lozenge()).args(["solve", "-"]).stdin(yes.stdout.take().expect("stdout")).output();
    assert_eq!(output.expect("it ends").status.code(), Some(3));
    let _ = yes.wait();
}

#[test]
fn nesting_has_a_deepest_place() {
    let program = |before: &str, inner: &str, after: &str, depth: usize| {
        format!("input x: 3\nlet y = {}{inner}{}\n", before.repeat(depth), after.repeat(depth))
    };
    let shapes = [
        ("(", "x", ")", 50),
        ("[", "1", "]", 100),
        ("relu (", "x", ")", 33),
        ("relu ", "x", "", 100),
        ("x + ", "x", "", 499),
    ];
    for (before, inner, after, deepest) in shapes {
        is_fine(&["infer", "-"], &program(before, inner, after, deepest));
        for depth in [deepest + 1, 1_000, 50_000] {
            is_limit(&["infer", "-"], &program(before, inner, after, depth));
        }
    }
    let lets = |depth: usize| (0..depth).map(|i| format!("let z{i} = x in ")).collect::<String>();
    is_fine(&["infer", "-"], &program(&lets(90), "x", "", 1));
    is_limit(&["infer", "-"], &program(&lets(50_000), "x", "", 1));
    // Applications inside each other, and long chains of names: whatever the depth, there is an answer.
    let functions: String = (0..3_000).map(|i| format!("fn f{}(x) = f{i}(x)\n", i + 1)).collect();
    let calls = format!("input x: 3\nfn f0(x) = relu x\n{functions}let y = f3000(x)\n");
    let sizes: String = (0..3_000).map(|i| format!("d{i} = d{}\n", i + 1)).collect();
    for (text, args) in [(calls, ["infer", "-"]), (format!("{sizes}d3000 = 3\ninput x: d0\n"), ["infer", "-"])] {
        let status = run(&args, &text).0;
        assert!(matches!(status, Some(0..=3)), "{status:?}");
    }
}

/// The answers of this command, as an oracle with these options.
fn oracle(mut command: Command, options: &[&str], requests: &str) -> Vec<Value> {
    command.arg("oracle").args(options);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("lozenge starts");
    child.stdin.take().expect("stdin").write_all(requests.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("lozenge ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_oracle_has_the_same_limits_and_goes_on() {
    let request = |name: &str, deep: usize| {
        let program = |text: String| json!({"op": "infer", "program": text});
        let nested = format!("{{\"op\":\"solve\",\"constraints\":{}{}}}", "[".repeat(deep), "]".repeat(deep));
        let mut lines: Vec<String> = [
            json!({"op": "solve", "constraints": [{"eq": [{"var": name}, 3]}]}),
            json!({"op": "solve", "constraints": [{"eq": [{"n": 3, "basis": name}, {"n": 3, "basis": name}]}]}),
            json!({"op": "check", "constraints": [], "values": {name: 3}}),
            program(format!("input {name}: 3")),
            program(format!("input x: 3, 4\nlet y = x ++ \"{name}, b => b, {name}\"")),
            program(format!("input x: 3\nlet y = {}x{}", "(".repeat(deep), ")".repeat(deep))),
            program(format!("# {}\ninput x: 3", "x".repeat(MOST_LINE))),
        ]
        .map(|json| json.to_string())
        .to_vec();
        lines.push(nested);
        lines.join("\n") + "\n{\"op\":\"version\"}\n"
    };
    let fine = oracle(Command::new(lozenge()), &[], &request(&"n".repeat(MOST_NAME), 50));
    let verdicts: Vec<&Value> = fine.iter().map(|answer| &answer["verdict"]).collect();
    assert_eq!(
        verdicts,
        ["solved", "solved", "holds", "inferred", "inferred", "inferred", "error", "error", "version"]
    );
    for options in [&[][..], &["--limits", "time=600000"]] {
        let limits = oracle(Command::new(lozenge()), options, &request(&"n".repeat(MOST_NAME + 1), 200));
        let (last, limits) = limits.split_last().expect("answers");
        assert_eq!(last["verdict"], "version", "it goes on");
        assert!(limits.iter().all(|answer| answer["kind"] == "limit"), "{limits:?}");
    }
}

#[test]
fn columns_may_be_wider_than_a_format_can_be() {
    let folder = scratch("contained-columns");
    let name = |i: usize| format!("{}{i}", "n".repeat(MOST_NAME - 4));
    let axes = |count: usize, axis: &dyn Fn(usize) -> String| (0..count).map(axis).collect::<Vec<_>>().join(", ");
    let system = format!("[{}] <> [] ~ [{}] <> []\n", axes(80, &name), axes(79, &|_| "3".to_owned()));
    let system = file(&folder, "s.txt", system);
    for command in ["solve", "close", "explain"] {
        let (status, out, err) = run(&[command, &system], "");
        assert_eq!((status, err.as_str()), (Some(1), ""), "{command}");
        assert!(out.lines().any(|line| line.chars().count() > 66_000), "{command}: nothing is cut");
    }
    let program = format!("input x: {}\nlet y = relu x\n", axes(80, &|i| format!("3:{}", name(i))));
    let program = file(&folder, "p.loz", program);
    for command in PROGRAMS {
        let bad_fill = command[0] == "run";
        let (status, _, err) = run(&[command, &[program.as_str()]].concat(), "");
        // 3⁸⁰ elements are a limit of their own.
        assert_eq!((status, err.is_empty()), (Some(if bad_fill { 3 } else { 0 }), true), "{command:?}: {err}");
    }
}

#[test]
fn a_panic_is_an_answer_of_its_request_alone() {
    let requests = "{\"id\":1,\"op\":\"version\"}\n{\"id\":2,\"op\":\"version\",\"why\":\"boom\"}\n{\"id\":3,\"op\":\"version\"}\n";
    for (variable, says) in [("LOZENGE_PANIC", "provoked"), ("LOZENGE_BREAK", "the invariant `provoked` is broken")] {
        for options in [&[][..], &["--jobs", "3"], &["--limits", "time=600000"], &["--limits", "memory=256"]] {
            let answers = oracle(provoked(variable, "boom"), options, requests);
            let told = |i: usize| (&answers[i]["id"], &answers[i]["verdict"]);
            assert_eq!(told(0), (&json!(1), &json!("version")), "{options:?}");
            assert_eq!(told(1), (&json!(2), &json!("error")), "{options:?}");
            assert_eq!(told(2), (&json!(3), &json!("version")), "{options:?}");
            let message = answers[1]["message"].as_str().expect("a message");
            assert!(message.starts_with(says) && message.contains("please report it"), "{message}");
            assert_eq!(answers[1]["kind"], "internal", "{options:?}");
        }
        for json in [false, true] {
            let mut command = provoked(variable, "boom");
            command.args(["le", "3", "boom"]).args(json.then_some("--json"));
            let output = command.output().expect("lozenge runs");
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(4), "{out}{err}");
            let text = if json { &out } else { &err };
            assert!(text.contains(says) && text.contains("please report it") && !text.contains('\u{1b}'), "{text}");
            assert_eq!(json, out.contains("\"kind\":\"internal\""), "{out}");
            assert_eq!(text.lines().count(), 1, "nothing else is printed: {out}{err}");
        }
    }
}

/// An engine is never held to an answer that is a fault of our own: the run ends with it.
#[test]
fn a_fault_of_the_reference_is_no_difference() {
    let mut command = provoked("LOZENGE_PANIC", "constraints");
    let engine = format!("'{}' oracle", lozenge().display());
    command.args(["fuzz", "--cases", "3", "--ops", "solve", "--engine", &engine]);
    let output = command.output().expect("lozenge runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("please report it"), "{err}");
}

#[test]
fn answers_do_not_wait_for_the_next_one() {
    let endless = r#"{"op":"solve","constraints":[{"le":[{"lead":[2],"var":"q","trail":[]},{"lead":[],"var":"p","trail":[]}]},{"le":[{"lead":[2],"var":"p","trail":[]},{"lead":[],"var":"q","trail":[3]}]}],"policy":{"guard":"none"},"limits":{"fuel":1000000000,"rank":1000000000,"elements":1000000000000}}"#;
    let mut child = Command::new(lozenge())
        .arg("oracle")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("lozenge starts");
    let requests = format!("{{\"id\":1,\"op\":\"version\"}}\n{endless}\n");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(requests.as_bytes()).expect("it reads");
    let mut stdout = std::io::BufReader::new(child.stdout.take().expect("stdout"));
    let mut first = String::new();
    std::io::BufRead::read_line(&mut stdout, &mut first).expect("a line");
    let running = child.try_wait().expect("a status").is_none();
    child.kill().expect("it ends");
    child.wait().expect("it ends");
    assert!(first.starts_with("{\"id\":1,\"verdict\":\"version\""), "{first}");
    assert!(running, "the second is still being worked out");
}

#[test]
fn a_reader_that_leaves_changes_no_status() {
    let folder = scratch("contained-pipe");
    let unsat = file(&folder, "unsat.txt", "a = 3\na = 4\n");
    let sat = file(&folder, "sat.txt", "a = 3\n");
    let wrong = file(&folder, "wrong.txt", "a = = 3\n");
    let clash = file(&folder, "clash.loz", "input a: 3\ninput b: 4\nlet y = a + b\n");
    let cases: [(&[&str], i32); 12] = [
        (&["solve", &unsat], 1),
        (&["decide", &unsat], 1),
        (&["close", &unsat], 1),
        (&["explain", &unsat], 1),
        (&["explain", "--html", &unsat], 1),
        (&["infer", &clash], 1),
        (&["le", "4", "3"], 1),
        (&["solve", &sat], 0),
        (&["spec"], 0),
        (&["solve", &sat, "--fuel", "0"], 3),
        (&["solve", &wrong], 2),
        (&["no-such-command"], 2),
    ];
    for (args, status) in cases {
        for json in [false, true].into_iter().filter(|json| !(*json && args.contains(&"--html"))) {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            let mut command = Command::new(lozenge());
            command.args(args).args(json.then_some("--json")).stdout(writer).stderr(Stdio::null());
            assert_eq!(command.status().expect("it runs").code(), Some(status), "{args:?} {json}");
        }
    }
}

/// Characters that could drive a terminal: ESC, BEL, CR, DEL and the one-character CSI.
const HOSTILE: &str = "\u{1b}[31m\u{7}\r\u{7f}\u{9b}2J";

fn drives_no_terminal(args: &[&str], stdin: &str) {
    for color in [&["--color", "never"][..], &["--color", "always"], &["--json"]] {
        let (status, out, err) = run(&[args, color].concat(), stdin);
        assert!(matches!(status, Some(0..=3)), "{args:?}: {status:?} {err}");
        for text in [out, err] {
            // Our own styles end in `m`, and none of them is the one above.
            let painted = color[1..] == ["always"];
            let foreign = |c: char| c.is_control() && c != '\n' && !(painted && c == '\u{1b}');
            assert!(!text.contains(foreign), "{args:?} {color:?}: {text:?}");
            for style in text.split('\u{1b}').skip(1) {
                let known = ["[0m", "[1m", "[2m", "[31m", "[32m"];
                assert!(known.iter().any(|known| style.starts_with(known)), "{args:?}: {text:?}");
            }
            assert!(!text.contains("\u{1b}[31m\u{2407}"), "{args:?}: {text:?}");
        }
    }
}

#[test]
fn what_is_read_drives_no_terminal() {
    let folder = scratch("contained-escapes");
    let named = |name: &str, text: &str| file(&folder, &format!("{HOSTILE}{name}"), text);
    let missing = folder.join(format!("{HOSTILE}missing"));
    let missing = missing.to_str().expect("UTF-8");
    for command in SYSTEMS.iter().chain(&PROGRAMS).chain(&[&["memory"][..], &["certify"], &["check", missing]]) {
        drives_no_terminal(&[*command, &[missing]].concat(), "");
        drives_no_terminal(&[*command, &["-"]].concat(), HOSTILE);
    }
    let unsat = named("s.txt", &format!("a = 3 # {HOSTILE}\na = 4 # {HOSTILE}\n"));
    SYSTEMS.iter().for_each(|command| drives_no_terminal(&[*command, &[unsat.as_str()]].concat(), ""));
    drives_no_terminal(&["explain", "--html", &unsat], "");
    let clash = format!("input a: 3\ninput b: 4\nlet y = a + # {HOSTILE}\n  b # {HOSTILE}\nparam h: ? # {HOSTILE}\n");
    let clash = named("c.loz", &clash);
    let fits = named("f.loz", &format!("input a: 3\nlet y = relu ( # {HOSTILE}\n  a)\n"));
    for program in [&clash, &fits] {
        PROGRAMS.iter().for_each(|command| drives_no_terminal(&[*command, &[program.as_str()]].concat(), ""));
        drives_no_terminal(&["explain", program], "");
    }
    let model = named("m.txt", &format!("input x [3] # {HOSTILE}\ny = matmul x x # {HOSTILE}\n"));
    drives_no_terminal(&["memory", &model], "");
    for args in [[HOSTILE, "3"], ["le", HOSTILE], ["spec", HOSTILE], ["--limits", HOSTILE], ["schema", HOSTILE]] {
        drives_no_terminal(&args, "");
    }
    drives_no_terminal(&["run", &fits, "--data", &format!("a={HOSTILE}.npy")], "");
    let cases = lozenge_tests::root().join("tests/conformance/paper.jsonl");
    let cases = cases.to_str().expect("UTF-8");
    let engine: PathBuf =
        file(&folder, "engine.sh", format!("while read -r line; do printf '%s\\n' '{HOSTILE}'; done")).into();
    let engine = format!("sh '{}' '{HOSTILE}'", engine.display());
    drives_no_terminal(&["conform", "--engine", &engine, "--corpus", cases, "--definition", "2.7", "--jobs", "1"], "");
    drives_no_terminal(&["fuzz", "--engine", &engine, "--cases", "2", "--jobs", "1"], "");
}

/// What a random question is made of is bounded, and help that cannot be written is no success.
#[test]
fn options_are_bounded_and_help_is_written() {
    for (option, right) in [
        ("--flank", "a whole number up to 1000"),
        ("--constraints", "a whole number from 1 to 1000"),
        ("--vars", "a whole number from 1 to 1000"),
        ("--sizes", "a whole number from 1 to 1000"),
        ("--bases", "a whole number from 1 to 1000"),
    ] {
        let output = Command::new(lozenge())
            .args(["fuzz", "--engine", "true", "--cases", "1", option, "99999999999"])
            .output()
            .expect("lozenge runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{option}: {err}");
        assert!(err.contains(right), "{option}: {err}");
    }
    if let Ok(full) = std::fs::File::options().write(true).open("/dev/full") {
        let status = Command::new(lozenge()).arg("--help").stdout(full).status().expect("lozenge runs");
        assert_eq!(status.code(), Some(2));
    }
}
