//! `lozenge explain`: as text, and as a page that a browser shows on a phone.
#![allow(missing_docs)]

use lozenge_tests::{browser, run, scratch};
use std::process::Command;

fn explain(args: &[&str]) -> (Option<i32>, String) {
    let (status, out, err) = run(&[&["explain"], args].concat(), "");
    (status, out + &err)
}

#[test]
fn rows_are_drawn_at_their_outer_edges() {
    let (status, text) = explain(&["tests/systems/f1.txt"]);
    assert_eq!(status, Some(1));
    let drawing = "\
step 2  RG-trail  Def. R1, line 3
  result    2  ⟨p⟩     ⊑
  operand      ⟨q⟩  3
  a cycle of trailing flanks would need more axes than itself
  bound   [2]·⟨q⟩ ⊑ ⟨p⟩
  guard   trail ⟨p⟩ ≥ trail ⟨q⟩ + 1
  guard   lead ⟨p⟩ ≥ lead ⟨q⟩ − 1
  fails: a cycle of lengths would need 1 axis more than it has
";
    assert!(text.contains(drawing), "{text}");
    assert!(text.contains("  ⟨p⟩ ≥ ⟨q⟩ +1  in the cycle\n"), "{text}");
    let (status, ascii) = explain(&["tests/systems/f1.txt", "--ascii"]);
    assert!(status == Some(1) && ascii.is_ascii(), "{ascii}");
}

#[test]
fn assumptions_and_programs_are_explained() {
    let (status, text) = explain(&["tests/systems/layer.txt", "--leaf", "xb"]);
    assert_eq!(status, Some(0));
    for part in ["assumed beyond what follows", "CL-leaf", "values after closing", "⟨xb⟩ ↦ [64]·⋄·[]"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (status, text) = explain(&["tests/programs/mlp.loz"]);
    assert!(status == Some(0) && text.contains("assumed beyond"), "{text}");
    let (status, json) = explain(&["tests/systems/f1.txt", "--json"]);
    let story: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (status, &story["ending"], story["steps"].as_array().map(Vec::len)),
        (Some(1), &"unsat".into(), Some(2))
    );
    assert_eq!(explain(&["tests/systems/no-such-file.txt"]).0, Some(2));
}

#[test]
fn sizes_that_are_worked_out_are_explained() {
    let (status, text) = explain(&["tests/programs/conv_net.loz", "--calculus", "--steps", "10000"]);
    let stage = "\
step 45  ST-valid  section 8, stage 1, line 7, 2*oh<+wh
  ?21 = 2·(?19 − 1) + 1 + 1·(?20 − 1)
  the size equation of a valid convolution
  → ?19 ↦ 14
";
    assert!(status == Some(0) && text.contains(stage), "{text}");
    assert!(text.contains("\ninferred: every constraint and every claim holds"), "{text}");
    let (status, text) = explain(&["tests/broken/stride_not_divisible.loz", "--calculus"]);
    let failing = "\
step 8  ST-stride  section 8, line 2, 2*o
  7 = 2·o
  the size equation of a strided axis
  fails: 7 is not divisible by 2

unsat: the size of `2*o`: 7 = 2·o cannot hold, because 7 is not divisible by 2 (ST-stride)
";
    assert!(status == Some(1) && text.contains(failing), "{text}");
    let (status, text) = explain(&["tests/broken/index_too_large.loz", "--calculus"]);
    assert!(status == Some(1) && text.contains("  index  a check, line 2\n  3 < 3\n"), "{text}");
}

/// The page in a frame as wide as a phone, measured by a script outside of it.
fn shown_on_a_phone(name: &str, page: &str) -> String {
    let folder = scratch(&format!("explain-{name}"));
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    // What is one click below is measured as well, after the page as it opens.
    let measure = "let d=f.contentDocument;let e=d.documentElement;let w=e.scrollWidth;\
        d.querySelectorAll('details').forEach(x=>x.open=true);\
        document.body.innerHTML='<p>width '+Math.max(w,e.scrollWidth)+' of '+f.contentWindow.innerWidth+' svg '+\
        [...d.querySelectorAll('svg')].filter(s=>s.getBoundingClientRect().height>20).length+' steps '+\
        d.querySelectorAll('section.step').length+' title '+d.title+'</p>'";
    let frame = format!(
        "<!DOCTYPE html><meta charset=utf-8><body><iframe id=f width=375 height=800 style=\"border:0\" srcdoc=\"{escaped}\" \
         onload=\"{measure}\"></iframe>"
    );
    let file = folder.join("phone.html");
    std::fs::write(&file, frame).expect("written");
    let output = Command::new(browser::program())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_page_fits_a_phone_and_loads_nothing() {
    for (name, args, steps) in [
        ("f1", vec!["tests/systems/f1.txt"], 2),
        ("layer", vec!["tests/systems/layer.txt", "--leaf", "xb"], 13),
        ("mlp", vec!["tests/programs/mlp.loz", "--steps", "40"], 40),
        ("broken", vec!["tests/broken/attention_heads.loz", "--steps", "10"], 10),
    ] {
        let (_, page) = explain(&[args.as_slice(), &["--html"]].concat());
        for outside in ["http://", "https://", "<script", "<link", "src="] {
            assert!(!page.contains(outside), "{name}: {outside}");
        }
        assert!(page.contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"));
        let dom = shown_on_a_phone(name, &page);
        let measured =
            dom.split("<p>").nth(1).and_then(|rest| rest.split("</p>").next()).unwrap_or_else(|| panic!("{dom:.500}"));
        let numbers: Vec<usize> = measured.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [width, window, pictures, shown] = numbers[..4] else { panic!("{measured}") };
        assert!(width <= window && window <= 375, "{name} is wider than the screen: {measured}");
        assert!(pictures >= 2, "{name}: {measured}");
        assert_eq!(shown, steps, "{name}: {measured}");
        assert!(measured.contains("title tests/"), "{measured}");
    }
}
