//! The codes of diagnostics: each has a section in spec/diagnostics.md with a program that gets it, and one that is as it
//! may be meant; `lozenge explain CODE` prints that section; places, fixes and files are said alike everywhere.
#![allow(missing_docs)]

use lozenge::program::{Code, InferError, infer, parse, parse_json, warnings};
use lozenge_tests::{Block, blocks, json, loz_files, read, run};
use serde_json::Value;

/// The code that no short program gets: its section says how it is reached.
const WITHOUT_PROGRAM: [Code; 1] = [Code::Limit];

fn section(code: Code) -> String {
    let page = read("spec/diagnostics.md");
    let head = format!("\n## {}: {}\n", code.text(), code.title());
    let (_, rest) = page.split_once(&head).unwrap_or_else(|| panic!("no section {head}"));
    rest.split("\n## ").next().unwrap_or_default().to_owned()
}

/// The code that a program gets first.
fn code(text: &str) -> Option<Code> {
    let program = if text.starts_with("{\"") { parse_json(text) } else { parse(text) };
    match program.map_err(InferError::from).and_then(|program| Ok((infer(&program)?, program))) {
        Err(error) => Some(Code::from(&error)),
        Ok((inferred, program)) => warnings(&program, Some(text), &inferred).first().map(|it| it.code.into()),
    }
}

#[test]
fn every_code_has_a_section_with_a_program_that_gets_it() {
    for code_of in Code::ALL.iter().copied() {
        let blocks: Vec<Block> = blocks(&section(code_of));
        let of = |tag: &str| blocks.iter().filter(|it| it.tag == tag).map(|it| it.text.as_str()).collect::<Vec<_>>();
        for text in of("broken") {
            assert_eq!(code(text), Some(code_of), "{text}");
        }
        for text in of("fixed") {
            assert_eq!(code(text), None, "{code_of}: {text}");
        }
        assert_eq!(of("broken").is_empty(), WITHOUT_PROGRAM.contains(&code_of), "{code_of}");
    }
}

#[test]
fn explain_prints_the_section_of_a_code() {
    for code_of in Code::ALL.iter().copied() {
        let (status, out, err) = run(&["explain", &code_of.text().to_lowercase()], "");
        assert_eq!((status, err.as_str()), (Some(0), ""), "{code_of}");
        assert!(out.starts_with(&format!("{}: {}\n", code_of.text(), code_of.title())), "{out}");
        for block in blocks(&section(code_of)) {
            let shown: String = block.text.trim_end().lines().map(|line| format!("  {line}\n")).collect();
            assert!(out.contains(&shown), "{code_of}: {out}");
        }
        let (status, answer) = json(&["explain", code_of.text()], "");
        assert_eq!((status, answer["code"].as_str()), (Some(0), Some(code_of.text())), "{answer}");
    }
    let (status, out, _) = run(&["explain", "both-stretched"], "");
    assert!(status == Some(0) && out.starts_with("W0607: "), "{out}");
    let (status, _, err) = run(&["explain", "E9999"], "");
    assert!(status == Some(2) && err.contains("E9999") && err.contains("E0101"), "{err}");
    for option in ["--html", "--calculus"] {
        let (status, out, err) = run(&["explain", "E0501", option], "");
        assert!(status == Some(2) && out.is_empty() && err.contains(option), "{out}{err}");
    }
}

#[test]
fn what_is_wrong_goes_to_standard_error_with_file_line_and_column() {
    for file in loz_files("tests/broken") {
        for command in ["infer", "project", "run"] {
            let (status, out, err) = run(&[command, &file, "--deny-warnings"], "");
            if out.is_empty() {
                assert!(matches!(status, Some(1 | 2)), "{command} {file}: {status:?}");
            }
            let first = err.lines().next().unwrap_or_default();
            assert!(first.starts_with("error[E") || first.starts_with("warning[W"), "{command} {file}: {first}");
            assert!(err.contains(&format!("--> {file}:")), "{command} {file}: {err}");
        }
    }
}

/// A text with a fix of an answer.
fn edited(text: &str, fix: &Value) -> String {
    let mut edited = text.to_owned();
    for edit in fix["edits"].as_array().expect("edits").iter().rev() {
        let at = |field: &str| edit["span"][field].as_u64().map(|n| n as usize).expect("a number");
        edited.replace_range(at("start")..at("end"), edit["text"].as_str().expect("text"));
    }
    edited
}

#[test]
fn machines_get_the_fixes_of_warnings() {
    let text = "\u{feff}input a: 2, 3\ninput b: 3, 4\nlet c = a +* \"ij; jk => il\" b\n";
    for command in [&["infer", "-"][..], &["project", "-"], &["run", "-", "--fill", "1"]] {
        let (status, answer) = json(command, text);
        let fix = &answer["warnings"][0]["fixes"][0];
        assert_eq!(status, Some(0), "{answer}");
        assert_eq!(edited(text, fix), text.replace("il", "ik"), "{answer}");
    }
}

#[test]
fn machines_get_every_place_and_every_fix() {
    let mut fixed = 0;
    for file in loz_files("tests/broken") {
        let (status, answer) = json(&["infer", &file], "");
        if status == Some(0) {
            continue;
        }
        let (text, told) = (read(&file), &answer["diagnostic"]);
        assert_eq!(told["code"], answer["code"], "{file}");
        assert_eq!(told["headline"], answer["message"], "{file}");
        assert_eq!(told["file"], file.as_str(), "{file}");
        for label in told["labels"].as_array().into_iter().flatten() {
            let at = |field: &str| label["span"][field].as_u64().map(|n| n as usize).expect("a number");
            let before = &text[..at("start")];
            assert_eq!(at("line"), 1 + before.matches('\n').count(), "{file}: {label}");
            let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
            assert_eq!(at("column"), column, "{file}: {label}");
            assert!(at("start") <= at("end") && at("end") <= text.len(), "{file}: {label}");
        }
        for fix in told["fixes"].as_array().into_iter().flatten() {
            let edited = edited(&text, fix);
            let (status, _, err) = run(&["infer", "-"], &edited);
            assert_eq!(status == Some(0), fix["next"].is_null(), "{file}: {fix}\n{edited}\n{err}");
            fixed += 1;
        }
    }
    assert!(fixed >= 60, "{fixed}");
}

#[test]
fn colours_are_there_when_asked_for_and_change_no_word() {
    let file = "tests/broken/matmul_inner.loz";
    let (_, _, plain) = run(&["infer", file], "");
    let (_, _, painted) = run(&["infer", file, "--color", "always"], "");
    assert!(painted.contains("\u{1b}[") && !plain.contains('\u{1b}'));
    let mut bare = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        bare += before;
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    assert_eq!(bare + rest, plain);
}
