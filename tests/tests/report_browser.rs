//! The site of `lozenge report` in a browser: from files, on a phone, in print, without an error and without the net.
#![allow(missing_docs)]

use lozenge_tests::browser::{Browser, file_url};
use lozenge_tests::{run, scratch};
use serde_json::json;

fn back(browser: &mut Browser, id: &str) {
    browser.click(&format!("#statements + ul a[href$='/s/{id}.html']"));
    browser.wait_until(&format!("document.title.startsWith('{id} ')"));
}

/// The line that was asked for, as it is shown.
fn line(browser: &mut Browser) -> String {
    browser.wait_until("location.hash.startsWith('#L') && document.querySelector(location.hash) !== null");
    let text = browser.eval("document.querySelector(location.hash).nextSibling.textContent");
    text.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_reader_finds_code_proof_and_harness() {
    let folder = scratch("report-browser").join("site");
    let (status, _, err) = run(&["report", "--html", &folder.display().to_string()], "");
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let page = |path: &str| file_url(&folder.join(path));
    let mut browser = Browser::open(&page("index.html"));
    browser.click("#search");
    browser.type_text("join-SEMILATTICE");
    browser.wait_until("document.querySelectorAll('#hits a').length > 0");
    browser.click("#hits a");
    browser.wait_until("document.title.startsWith('2.7 ')");
    for (part, file, name) in [
        ("code", "core/calculus/src/row.rs", "fn join("),
        ("proof", "proofs/coq/theorems/Row_thm.v", "Theorem prop_2_7_join_upper"),
        ("harness", "harnesses/laws/tests/rows.rs", "fn prop_2_7_join_upper("),
    ] {
        browser.click(&format!("#{part} ~ h3 a"));
        browser.wait_until(&format!("document.title.startsWith('{file} ')"));
        let shown = line(&mut browser);
        assert!(shown.contains(name), "{part}: {shown}");
        back(&mut browser, "2.7");
    }
    // From deep inside, the search finds and leads as well.
    browser.goto(&page("src/core/calculus/src/row.rs.html"));
    browser.click("#search");
    browser.type_text("F12");
    browser
        .wait_until("[...document.querySelectorAll('#hits a')].some(a => a.href.endsWith('/spec/findings/F12.html'))");
    browser.click("#hits a[href$='findings/F12.html']");
    browser.wait_until("document.title.startsWith('F12')");
    assert_eq!(browser.eval("document.querySelectorAll('details.drawn svg').length > 0"), true);
    for (width, height) in [(320, 640), (1200, 900)] {
        browser.resize(width, height);
        for path in [
            "index.html",
            "figures.html",
            "s/2.7.html",
            "s/4.3.c.html",
            "s/5.2.a.html",
            "spec/README.html",
            "spec/4-solver.html",
            "spec/protocol.html",
            "spec/findings/README.html",
            "spec/findings/F1.html",
            "spec/findings/H1.html",
            "src/core/calculus/src/row.rs.html",
            "src/spec/index.toml.html",
        ] {
            browser.goto(&page(path));
            browser.eval("document.querySelectorAll('details').forEach(it => it.open = true)");
            let wide = browser.eval("[document.documentElement.scrollWidth, innerWidth]");
            assert!(wide[0].as_u64() <= wide[1].as_u64(), "{path} at {width}: {wide}");
        }
    }
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.eval(ground);
    browser.command(
        "Emulation.setEmulatedMedia",
        json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]}),
    );
    assert_ne!(browser.eval(ground), light);
    browser.command("Emulation.setEmulatedMedia", json!({"media": "print"}));
    assert_eq!(browser.eval("getComputedStyle(document.querySelector('header')).display"), "none");
    assert_eq!(browser.console_errors(), Vec::<String>::new());
    let outside: Vec<&String> = browser.requests().iter().filter(|url| !url.starts_with("file://")).collect();
    assert!(outside.iter().all(|url| url.as_str() == "about:blank"), "{outside:?}");
}
