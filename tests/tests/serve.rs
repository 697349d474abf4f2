//! `lozenge serve` over its socket: who may ask, what is bounded, what a fault leaves standing.
#![allow(missing_docs)]

use lozenge_tests::served::{Server, answered};
use lozenge_tests::{provoked, read, run};
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

const JSON: &str = "Content-Type: application/json";

fn program(text: &str) -> Value {
    json!({"kind": "program", "text": text})
}

#[test]
fn a_page_is_there_and_answers() {
    let server = Server::start(&[]);
    for (path, word) in [("/", "<title>Lozenge"), ("/page.js", "answerNow"), ("/examples.js", "const EXAMPLES")] {
        let (status, body) = server.request(&format!("GET {path}"), &[], "");
        assert!(status == 200 && body.contains(word), "{path}: {status}");
    }
    let (status, body) = server.request("HEAD /", &[], "");
    assert_eq!((status, body.as_str()), (200, ""));
    let answer = server.ask(&program(&read("tests/programs/mlp.loz")));
    assert_eq!((&answer["verdict"], &answer["good"]), (&json!("inferred"), &json!(true)));
    let panes: Vec<&str> =
        answer["panes"].as_array().expect("panes").iter().filter_map(|it| it["id"].as_str()).collect();
    assert_eq!(panes, ["shapes", "loops", "assumptions", "derivation"]);
    assert!(answer["panes"][0]["html"].as_str().is_some_and(|html| html.contains("logits  let    64 | 10")));
    assert!(answer["panes"][1]["html"].as_str().is_some_and(|html| html.contains("for ")));
    let wrong = server.ask(&program("input x: 3\nlet y = x + ⋄z\n"));
    assert_eq!(wrong["verdict"], "error");
    let again = server.ask(&program("input x: 3 # 𝟙\nlet y = x + z\n"));
    // Places are counted as pages count: 𝟙 is two.
    assert_eq!(again["told"][0]["marks"][0], json!([28, 29]), "{again}");
    let closed = json!({"kind": "constraints", "text": "3 <= a\n", "leaves": ["a"]});
    assert_eq!(server.ask(&closed)["verdict"], "closed");
    let unknown = json!({"kind": "constraints", "text": "3 <= a\n", "leaves": ["b"]});
    assert_eq!(server.ask(&unknown)["verdict"], "error");
}

#[test]
fn what_the_page_says_is_what_the_commands_say() {
    let server = Server::start(&[]);
    for file in ["tests/programs/softmax.loz", "tests/programs/conv_net.loz", "tests/broken/attention_heads.loz"] {
        let text = read(file);
        let answer = server.ask(&program(&text));
        let (status, out, _) = run(&["infer", "-"], &text);
        assert_eq!(answer["good"], json!(status == Some(0)), "{file}");
        let shapes = answer["panes"][0]["html"].as_str().expect("a pane");
        for line in out.lines().filter(|line| line.contains("  let  ")) {
            assert!(shapes.contains(&line.replace('>', "&gt;")), "{file}: {line}");
        }
    }
}

#[test]
fn only_its_own_names_and_its_own_page_may_ask() {
    let server = Server::start(&[]);
    let body = program("input x: 3").to_string();
    let port = server.address.rsplit(':').next().expect("a port");
    let ask = |headers: &[&str]| server.request("POST /try", &[headers, &[JSON]].concat(), &body).0;
    assert_eq!(ask(&[]), 200);
    assert_eq!(ask(&[&format!("Host: localhost:{port}"), &format!("Origin: http://localhost:{port}")]), 200);
    for headers in [
        ["Host: evil.example"].as_slice(),
        &[&format!("Host: evil.example:{port}")],
        &["Host: 127.0.0.1"],
        &["Origin: http://evil.example"],
        &["Origin: null"],
        &["Origin: http://127.0.0.1:1"],
        &["Sec-Fetch-Site: cross-site"],
        &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"],
        // What stands twice is not missing.
        &["Origin: http://evil.example", "Origin: http://evil.example"],
        &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: cross-site"],
    ] {
        assert_eq!(ask(headers), 403, "{headers:?}");
    }
    let shouted = server.request("POST /try", &["Content-Type: APPLICATION/JSON; charset=utf-8"], &body);
    assert_eq!(shouted.0, 200, "the case of a media type is no matter");
    assert_eq!(server.send(b"GET / HTTP/1.1\r\n\r\n").0, 403, "no name");
    let host = format!("Host: {}", server.address);
    let (status, _) = server.send(format!("GET / HTTP/1.1\r\n{host}\r\nHost: evil.example\r\n\r\n").as_bytes());
    assert_eq!(status, 403, "two names");
    assert_eq!(server.request("GET /", &["Host: evil.example"], "").0, 403);
    let link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
    assert_eq!(server.request("GET /", &link, "").0, 200, "a link on another page leads here");
    for kind in ["Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded"] {
        assert_eq!(server.request("POST /try", &[kind], &body).0, 415, "a form of another page can send {kind}");
    }
}

#[test]
fn requests_are_bounded_and_bad_ones_refused() {
    let server = Server::start(&[]);
    let host = format!("Host: {}\r\n", server.address);
    let post = format!("POST /try HTTP/1.1\r\n{host}{JSON}\r\n");
    for (bytes, status) in [
        (b"nonsense\r\n\r\n".to_vec(), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01".to_vec(), 400),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(20_000)).into_bytes(), 431),
        (format!("GET / HTTP/1.1\r\n{host}{}\r\n", "x: y\r\n".repeat(100)).into_bytes(), 431),
        (format!("{post}Content-Length: 99999999\r\n\r\n").into_bytes(), 413),
        (format!("{post}Content-Length: 18446744073709551617\r\n\r\n").into_bytes(), 413),
        (format!("{post}Content-Length: x\r\n\r\n").into_bytes(), 400),
        (format!("{post}Content-Length:\r\n\r\n").into_bytes(), 400),
        (format!("{post}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n").into_bytes(), 411),
        (format!("{post}\r\n").into_bytes(), 411),
        ([post.as_bytes(), b"Content-Length: 2\r\n\r\n\xff\xff"].concat(), 400),
        (format!("GET /../../etc/passwd HTTP/1.1\r\n{host}\r\n").into_bytes(), 404),
        (format!("GET /try HTTP/1.1\r\n{host}\r\n").into_bytes(), 405),
        (format!("DELETE / HTTP/1.1\r\n{host}\r\n").into_bytes(), 405),
    ] {
        let (answer, body) = server.send(&bytes);
        assert_eq!(answer, status, "{}: {body}", String::from_utf8_lossy(&bytes[..bytes.len().min(80)]));
    }
    for question in [json!([]), json!({"kind": "program"}), json!({"kind": "poem", "text": ""}), json!("x")] {
        assert_eq!(server.ask(&question)["verdict"], "error", "{question}");
    }
    let long = server.ask(&program(&"# comment\n".repeat(40_000)));
    assert_eq!(long["verdict"], "limit", "{long}");
    assert_eq!(server.ask(&program("input x: 3"))["verdict"], "inferred", "it goes on");
}

#[test]
fn idle_connections_do_not_keep_others_out_for_ever() {
    let server = Server::start(&[]);
    let mut idle: Vec<_> = (0..32).map(|_| server.connect()).collect();
    idle.iter_mut().for_each(|it| it.write_all(b"GET / HT").expect("written"));
    let started = Instant::now();
    // Connections are counted when they are taken up, which may be a moment later.
    let refused = std::iter::repeat_with(|| server.request("GET /", &[], "").0).take(50).any(|status| status == 503);
    assert!(refused, "the 33rd is refused");
    let (status, _) = answered(&mut idle[0]);
    assert_eq!(status, 408, "whoever sends nothing is told so");
    while server.request("GET /", &[], "").0 != 200 {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_question_that_takes_too_long_ends_and_others_are_answered() {
    let server = Server::start(&["--limits", "time=1"]);
    let answer = server.ask(&program(&read("tests/programs/decoder.loz")));
    assert_eq!((&answer["verdict"], &answer["says"]), (&json!("limit"), &json!("there was no answer within 1 ms")));
    assert_eq!(server.request("GET /", &[], "").0, 200);
}

#[test]
fn a_fault_is_an_answer() {
    let server = Server::of(provoked("LOZENGE_PANIC", "provoked_here"), &[]);
    let answer = server.ask(&program("input provoked_here: 3"));
    assert_eq!(answer["verdict"], "internal", "{answer}");
    assert_eq!(server.ask(&program("input x: 3"))["verdict"], "inferred");
}

#[test]
fn what_cannot_be_served_is_refused() {
    let server = Server::start(&[]);
    let port = server.address.rsplit(':').next().expect("a port");
    let (status, _, err) = run(&["serve", "--port", port], "");
    assert!(status == Some(2) && err.contains("cannot listen") && err.contains("--port 0"), "{err}");
    let (status, _, err) = run(&["serve", "--bind", "0.0.0.0", "--port", "0"], "");
    assert!(status == Some(2) && err.contains("--host"), "{err}");
    let (status, _, err) = run(&["serve", "--write", "target/nowhere", "--wasm", "README.md"], "");
    assert!(status == Some(2) && err.contains("no WebAssembly"), "{err}");
    assert!(!lozenge_tests::root().join("target/nowhere").exists(), "nothing is written");
}

/// The processes that answer for a server.
#[cfg(target_os = "linux")]
fn workers(server: u32) -> usize {
    let entries = std::fs::read_dir("/proc").expect("/proc").filter_map(Result::ok);
    let words = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let worker = format!("serve\0--worker\0{server}\0");
    words.filter(|words| String::from_utf8_lossy(words).contains(&worker)).count()
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_when_the_server_is_killed() {
    let mut server = Server::start(&[]);
    assert_eq!(server.ask(&program("input x: 3"))["verdict"], "inferred");
    let id = server.process.id();
    assert!(workers(id) > 0);
    server.process.kill().expect("killed");
    server.process.wait().expect("ended");
    let started = Instant::now();
    while workers(id) > 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "a worker is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn it_says_who_can_reach_it_and_what_would_be_right() {
    let (status, _, err) = run(&["serve", "--bind", "203.0.113.1"], "");
    assert!(status == Some(2) && err.contains("--bind takes an address of this machine"), "{err}");
    let (status, _, err) = run(&["serve", "--bind", "::ffff:0.0.0.0"], "");
    assert!(status == Some(2) && err.contains("listens on every address"), "{err}");
    let server = Server::start(&["--bind", "::ffff:127.0.0.1"]);
    assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
}
