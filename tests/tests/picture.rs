//! The picture of the README is what the command prints.
#![allow(missing_docs)]

use lozenge_tests::{lozenge, python, read, root, run, scratch};
use std::process::Command;

const PICTURE: &str = "spec/picture/terminal.svg";

#[test]
fn the_picture_is_drawn_from_what_is_printed() {
    let to = scratch("picture").join("terminal.svg");
    let output = Command::new(python())
        .arg(root().join("spec/picture/make"))
        .args(["--command".as_ref(), lozenge().as_os_str(), "--to".as_ref(), to.as_os_str()])
        .output()
        .expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let drawn = std::fs::read_to_string(to).expect("a picture");
    assert!(drawn == read(PICTURE), "{PICTURE} is not current: cargo build -p lozenge-oracle && spec/picture/make");
}

/// Every line that is printed can be read and selected in it, in its order.
#[test]
fn every_line_is_in_the_picture() {
    let picture = read(PICTURE);
    let texts = picture.lines().filter(|line| line.starts_with("<text"));
    let plain = |line: &str| -> String {
        let marked = line.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect::<String>();
        marked.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    };
    let shown: Vec<String> = texts.map(plain).collect();
    let (code, out, err) = run(&["infer", "tests/broken/attention_heads.loz"], "");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    let mut expected = vec!["$ lozenge infer tests/broken/attention_heads.loz"];
    expected.extend(err.lines().filter(|line| !line.is_empty()));
    assert_eq!(shown, expected);
}

/// The first screen: what it is, two commands, one picture, before any heading.
#[test]
fn the_readme_begins_with_it() {
    let readme = read("README.md");
    let first = readme.split("\n## ").next().expect("a beginning");
    assert_eq!(first.matches("\n$ ").count(), 2, "two commands");
    assert!(first.contains(&format!("]({PICTURE})")), "the picture");
    let sentences = first.split("\n\n").nth(1).expect("a paragraph");
    assert_eq!(sentences.matches(['.', '!', '?']).count(), 2, "two sentences: {sentences}");
}
