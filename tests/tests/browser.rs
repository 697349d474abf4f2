//! The browser that other tests drive does what they rely on.
#![allow(missing_docs)]

use lozenge_tests::browser::{Browser, file_url};
use lozenge_tests::scratch;
use serde_json::json;

#[test]
fn pages_are_opened_scripts_run_keys_typed() {
    let folder = scratch("browser-pages");
    let [first, second] = ["first.html", "second.html"].map(|name| folder.join(name));
    std::fs::write(&second, "<title>second</title><p id=here>there</p>").expect("written");
    std::fs::write(&first, "<title>first</title><input id=q><a href=second.html#here>on</a>").expect("written");
    let mut browser = Browser::open(&file_url(&first));
    assert_eq!(browser.eval("document.title"), "first");
    assert_eq!(browser.eval("Promise.resolve([1, {a: null}])"), json!([1, {"a": null}]));
    browser.click("#q");
    browser.type_text("⋄ row");
    assert_eq!(browser.eval("document.getElementById('q').value"), "⋄ row");
    browser.resize(320, 500);
    assert_eq!(browser.eval("innerWidth"), 320);
    browser.click("a");
    browser.wait_until("document.title === 'second'");
    assert_eq!(browser.eval("location.hash"), "#here");
    browser.goto(&file_url(&first));
    assert_eq!(browser.eval("document.title"), "first");
    assert!(browser.requests().contains(&file_url(&second)), "{:?}", browser.requests());
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

#[test]
fn what_goes_wrong_in_a_page_is_noted() {
    let page = scratch("browser-wrong").join("page.html");
    let html = "<script src=absent.js></script><script>console.error('said');throw Error('thrown')</script>";
    std::fs::write(&page, html).expect("written");
    let mut browser = Browser::open(&file_url(&page));
    let errors = browser.console_errors().join("\n");
    for what in ["absent.js", "said", "thrown"] {
        assert!(errors.contains(what), "{what}: {errors}");
    }
}
