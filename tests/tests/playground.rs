//! The page of `lozenge serve` in a browser, by typing: from its server, and as WebAssembly from a static host.
#![allow(missing_docs)]

use lozenge_tests::browser::Browser;
use lozenge_tests::served::Server;
use lozenge_tests::{read, root, run, scratch};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const VERDICT: &str = "document.getElementById('verdict').textContent";

/// Replaces what is in the editor by typing, a line at a time.
fn type_program(browser: &mut Browser, text: &str) {
    browser.eval("(()=>{const t=document.getElementById('text');t.focus();t.select()})()");
    for line in text.split_inclusive('\n') {
        browser.type_text(line);
    }
    assert_eq!(browser.eval("document.getElementById('text').value"), json!(text));
}

fn wait_for_verdict(browser: &mut Browser, word: &str) {
    browser.wait_until(&format!("{VERDICT}.startsWith('{word}:')"));
}

/// What anyone would do with the page.
fn walk(browser: &mut Browser, url: &str) {
    wait_for_verdict(browser, "inferred");
    // An error shows while one types, marked in the text, and the button mends it.
    type_program(browser, &read("tests/broken/attention_heads.loz"));
    wait_for_verdict(browser, "unsat");
    let marked = browser.eval("document.querySelector('#marks mark.error').textContent");
    assert!(marked.as_str().is_some_and(|it| it.starts_with("q +*")), "{marked}");
    assert!(browser.eval("document.getElementById('told').textContent").to_string().contains("E0501"));
    browser.click("#told .fix");
    wait_for_verdict(browser, "inferred");
    assert_eq!(browser.eval("document.querySelectorAll('#marks mark.error').length"), 0);
    // Each pane shows what it is for.
    for (pane, word) in [("loops", "for "), ("assumptions", "CL-"), ("derivation", "Def. 4.3"), ("shapes", "| 512")] {
        browser.click(&format!("#tabs [data-id={pane}]"));
        let shown = browser.eval("document.getElementById('pane').textContent");
        assert!(shown.as_str().is_some_and(|it| it.contains(word)), "{pane}: {shown}");
    }
    // The address carries the text.
    let typed = browser.eval("document.getElementById('text').value");
    let link = browser.eval("location.href").as_str().expect("an address").to_owned();
    browser.goto("about:blank");
    browser.goto(&link);
    wait_for_verdict(browser, "inferred");
    assert_eq!(browser.eval("document.getElementById('text').value"), typed);
    // Constraints, with leaves.
    browser.eval("(()=>{const k=document.getElementById('kind');k.value='constraints';k.onchange()})()");
    type_program(browser, "3 <= a\n");
    wait_for_verdict(browser, "solved");
    browser.click("#leaves");
    browser.type_text("a");
    wait_for_verdict(browser, "closed");
    // Markup is text.
    type_program(browser, "<img src=x onerror=alert(1)>");
    wait_for_verdict(browser, "error");
    assert_eq!(browser.eval("document.querySelectorAll('#told img, #pane img').length"), 0);
    menu(browser);
    browser.resize(320, 640);
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 320"), true);
    assert_eq!(browser.console_errors(), Vec::<String>::new());
    let foreign: Vec<&String> = browser
        .requests()
        .iter()
        .filter(|it| !it.starts_with(url) && !it.starts_with("data:") && *it != "about:blank")
        .collect();
    assert!(foreign.is_empty(), "nothing comes from elsewhere: {foreign:?}");
}

/// Every example of the menu has a verdict; programs that fit are inferred, those that do not are not.
fn menu(browser: &mut Browser) {
    let groups = browser.eval("[...document.querySelectorAll('#examples optgroup')].map((it)=>it.label)");
    let expected = ["Programs", "Programs that do not fit", "The paper's examples", "Findings"];
    assert_eq!(groups, json!(expected));
    let answers = browser.eval(
        "(async()=>{const all=[];for(const it of EXAMPLES){\
         const a=await ask({kind:it.kind,text:it.text,leaves:it.leaves??[]},new AbortController().signal);\
         all.push([it.group,it.title,a.verdict])}return all})()",
    );
    let answers = answers.as_array().expect("answers");
    assert!(answers.len() > 100, "{}", answers.len());
    for answer in answers {
        let [group, title, verdict] = [0, 1, 2].map(|i| answer[i].as_str().unwrap_or_default());
        let right = match group {
            "Programs" => verdict == "inferred",
            "Programs that do not fit" => verdict != "inferred" && verdict != "internal",
            _ => !["internal", "limit", ""].contains(&verdict),
        };
        assert!(right, "{group}: {title}: {verdict}");
    }
    browser.eval("(()=>{const m=document.getElementById('examples');m.value='0';m.onchange()})()");
    wait_for_verdict(browser, "inferred");
}

#[test]
fn the_page_finds_an_error_while_one_types() {
    let server = Server::start(&["--limits", "time=60000,memory=1024"]);
    let mut browser = Browser::open(&server.url);
    walk(&mut browser, &server.url);
}

/// What answers on a static host; none where Rust has no standard library for it.
fn wasm() -> Option<PathBuf> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()).output().ok()?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).ok()?.trim());
    if !sysroot.join("lib/rustlib").join(TARGET).join("lib").is_dir() {
        return None;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["rustc", "-q", "-p", "lozenge-playground", "--lib", "--crate-type", "cdylib", "--target", TARGET]);
    build.args(["--message-format", "json", "--", "-C", "strip=debuginfo"]);
    let output = build.current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "the page builds: {}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut files = messages.flat_map(|it| it["filenames"].as_array().cloned().unwrap_or_default());
    files.find_map(|it| it.as_str().filter(|it| it.ends_with("lozenge_playground.wasm")).map(PathBuf::from))
}

/// A static host; it ends with the test.
struct Host(Child);

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_same_page_works_from_a_static_host() {
    let Some(wasm) = wasm() else {
        eprintln!("not built: rustup target add wasm32-unknown-unknown");
        return;
    };
    let folder = scratch("playground-site");
    let [folder, wasm] = [folder, wasm].map(|path| path.to_str().expect("UTF-8").to_owned());
    let (status, out, err) = run(&["serve", "--write", &folder, "--wasm", &wasm], "");
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    let mut python = Command::new("python3");
    python.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", &folder]);
    let mut host = Host(python.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("python3 starts"));
    let mut line = String::new();
    BufReader::new(host.0.stdout.take().expect("stdout")).read_line(&mut line).expect("a line");
    let url = line.split(['(', ')']).nth(1).unwrap_or_else(|| panic!("{line}")).to_owned();
    let mut browser = Browser::open(&url);
    // What is built for tests is slow, and the machine may have other work.
    browser.eval("patience = 60000");
    walk(&mut browser, &url);
}
