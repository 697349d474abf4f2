//! Known differences: five faults are five findings with their counts, known ones do not fail a run, gone ones are named;
//! shards merge; what an engine writes to its standard error is kept.
#![allow(missing_docs)]

use lozenge_tests::{python, run, scratch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const MOST: [&str; 8] = ["--seed", "5", "--ops", "solve,check", "--findings", "50", "--time-limit", "60000"];

fn mock(faults: &str, log: Option<&Path>) -> String {
    let log = log.map_or_else(String::new, |log| format!(" --log '{}'", log.display()));
    format!("{} tests/engines/python/mock.py --faults '{faults}'{log}", python())
}

fn fuzz(engine: &str, options: &[&str]) -> (Option<i32>, Value) {
    let (status, out, err) = run(&[&["fuzz", "--json", "--engine", engine], &MOST[..], options].concat(), "");
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

fn findings(report: &Value) -> &Vec<Value> {
    report["findings"].as_array().expect("findings")
}

fn ids(report: &Value) -> Vec<String> {
    findings(report).iter().filter_map(|finding| finding["id"].as_str().map(str::to_owned)).collect()
}

/// How often each fault changed the answer to a case, as the engine wrote it down. Smaller questions have no number.
fn logged(log: &Path) -> Vec<u64> {
    let mut counts = BTreeMap::new();
    for line in std::fs::read_to_string(log).expect("a log").lines() {
        let (id, fault) = line.split_once(' ').expect("id and fault");
        if id.parse::<u64>().is_ok() {
            *counts.entry(fault.to_owned()).or_insert(0) += 1;
        }
    }
    let mut all: Vec<u64> = counts.into_values().collect();
    all.sort_unstable();
    all
}

#[test]
fn five_faults_are_five_findings_and_known_ones_do_not_fail() {
    let folder = scratch("known");
    let (log, known) = (folder.join("log"), folder.join("known.json").display().to_string());
    let cases = ["--cases", "80"];
    let (status, first) = fuzz(&mock("1,2,3,4,5", Some(&log)), &cases);
    assert_eq!((status, findings(&first).len()), (Some(1), 5), "{first:#}");
    let mut counts: Vec<u64> = findings(&first).iter().filter_map(|finding| finding["cases"].as_u64()).collect();
    counts.sort_unstable();
    assert_eq!(counts, logged(&log), "each finding has the cases of its fault");
    let crash = findings(&first).iter().find(|finding| finding["class"] == "crash").expect("a crash");
    assert_eq!(crash["stderr"], "lost: an equality of dimensions", "{crash}");
    assert!(findings(&first).iter().all(|finding| finding["size"] == 1), "{first:#}");

    // Two of them are written down: those of the faults 2 and 4.
    let (_, two) = fuzz(&mock("2,4", None), &cases);
    let wanted = ids(&two);
    assert_eq!(wanted.len(), 2, "{two:#}");
    assert!(wanted.iter().all(|id| ids(&first).contains(id)), "ids are the same in every run");
    let learn = [&cases[..], &["--known", &known, "--note", "on the list", "--learn"]].concat();
    let learn: Vec<&str> = learn.into_iter().chain(wanted.iter().map(String::as_str)).collect();
    let (status, _) = fuzz(&mock("1,2,3,4,5", None), &learn);
    assert_eq!(status, Some(1), "three are left");

    let with = [&cases[..], &["--known", &known]].concat();
    let (status, third) = fuzz(&mock("1,2,3,4,5", None), &with);
    let new = findings(&third).iter().filter(|finding| finding.get("known").is_none()).count();
    assert_eq!((status, new, findings(&third).len()), (Some(1), 3, 5), "{third:#}");
    assert_eq!(third["gone"], Value::Array(Vec::new()));
    let (status, quiet) = fuzz(&mock("2,4", None), &with);
    assert_eq!(status, Some(0), "{quiet:#}");
    assert!(findings(&quiet).iter().all(|finding| finding["known"] == "on the list"), "{quiet:#}");

    // One known fault is mended.
    let gone = wanted.iter().find(|id| id.starts_with("2.9")).expect("the fault of check");
    let (status, mended) = fuzz(&mock("2", None), &with);
    assert_eq!((status, &mended["gone"]), (Some(0), &Value::Array(vec![gone.as_str().into()])), "{mended:#}");
    let (status, out, _) =
        run(&[&["fuzz", "--engine", &mock("2", None)], &MOST[..], &with, &["--strict-known"]].concat(), "");
    assert_eq!(status, Some(5), "{out}");
    assert!(out.contains(&format!("gone {gone}")) && out.contains("nothing new found, 1 known"), "{out}");

    // It is taken out, and the note of the other stays.
    let (status, _) = fuzz(&mock("2", None), &[&with[..], &["--learn"]].concat());
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&known).expect("a file")).expect("JSON");
    assert_eq!((status, file["known"].as_array().map(Vec::len)), (Some(0), Some(1)), "{file:#}");
    assert_eq!(file["known"][0]["note"], "on the list");
}

#[test]
fn conform_has_the_same_findings_and_says_which_are_known() {
    let folder = scratch("known-conform");
    let [known, junit, page] = ["known.json", "r.xml", "r.html"].map(|name| folder.join(name).display().to_string());
    let only = ["--corpus", "tests/conformance/boundaries.jsonl"];
    let conform = |faults: &str, options: &[&str]| {
        let engine = mock(faults, None);
        let head = ["conform", "--json", "--engine", &engine, "--time-limit", "60000"];
        let (status, out, err) = run(&[&head[..], &only, options].concat(), "");
        (status, serde_json::from_str::<Value>(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
    };
    let (status, learnt) = conform("2,4", &["--known", &known, "--learn", "--html", &page]);
    assert_eq!((status, findings(&learnt).len()), (Some(0), 2), "{:#}", learnt["findings"]);
    let (_, by_fuzz) = fuzz(&mock("2,4", None), &["--cases", "80"]);
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(sorted(ids(&learnt)), sorted(ids(&by_fuzz)), "one file is for both");
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("<svg") && ids(&learnt).iter().all(|id| html.contains(id)), "{html}");

    let (status, report) = conform("1,2", &["--known", &known, "--junit", &junit]);
    let failed = report["failed"].as_u64().expect("failed");
    assert_eq!((status, findings(&report).len(), report["gone"].as_array().map(Vec::len)), (Some(1), 2, Some(1)));
    let (known_failures, new) =
        (report["known"].as_u64().expect("known"), failed - report["known"].as_u64().expect("known"));
    assert!(known_failures > 0 && new > 0, "{failed} failed, {known_failures} known");
    let xml = std::fs::read_to_string(&junit).expect("a report");
    assert_eq!(xml.matches("<failure ").count() as u64, new);
    assert_eq!(xml.matches("known difference 5.6-").count() as u64, known_failures);
    assert_eq!(xml.matches("classname=\"known\"").count(), 1, "the one that is gone");
    assert!(xml.contains(&format!("failures=\"{new}\"")), "{xml:.300}");
}

#[test]
fn shards_merge_to_the_whole() {
    let folder = scratch("merge");
    let engine = mock("1,2,3,4,5", None);
    let report = |name: &str, shard: &str| {
        let file = folder.join(name).display().to_string();
        let (status, _) = fuzz(&engine, &["--cases", "60", "--shard", shard, "--report", &file]);
        assert_eq!(status, Some(1));
        file
    };
    let whole: Value =
        serde_json::from_str(&std::fs::read_to_string(report("whole.json", "1/1")).expect("a report")).expect("JSON");
    let parts = ["1/3", "2/3", "3/3"].map(|shard| report(&format!("part{}.json", &shard[..1]), shard));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (status, out, err) = run(&[&["fuzz", "--json", "--merge"], &parts[..]].concat(), "");
    let merged: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
    assert_eq!(status, Some(1));
    assert_eq!((&merged["asked"], &merged["exercised"]), (&whole["asked"], &whole["exercised"]));
    let counted = |report: &Value| -> BTreeMap<String, (u64, u64)> {
        let number = |finding: &Value, field: &str| finding[field].as_u64().unwrap_or_default();
        findings(report).iter().map(|it| (it["id"].to_string(), (number(it, "cases"), number(it, "case")))).collect()
    };
    assert_eq!(counted(&merged), counted(&whole));
    let (status, _, err) = run(&["fuzz", "--merge", "README.md"], "");
    assert!(status == Some(2) && err.contains("this is no report of fuzz"), "{err}");
    let (status, _, err) = run(&["fuzz"], "");
    assert!(status == Some(2) && err.contains("--engine"), "{err}");
}

#[test]
fn the_file_is_read_strictly() {
    let folder = scratch("known-files");
    let file = folder.join("known.json");
    let path = file.display().to_string();
    let engine = mock("", None);
    for (text, says) in [
        ("", "this is no file of known differences"),
        ("[]", "this is no file of known differences"),
        (r#"{"version":2,"known":[]}"#, "version 2 is not known, only 1"),
        (r#"{"version":1,"known":[],"more":1}"#, "unknown field `more`"),
        (r#"{"version":1,"known":[{"id":"x"}]}"#, "missing field `note`"),
    ] {
        std::fs::write(&file, text).expect("a file");
        for op in ["fuzz", "conform"] {
            let (status, _, err) = run(&[op, "--engine", &engine, "--known", &path], "");
            assert!(status == Some(2) && err.contains(says), "{op} {text}: {err}");
        }
    }
    std::fs::remove_file(&file).expect("removed");
    let (status, _, err) = run(&["fuzz", "--engine", &engine, "--known", &path, "--cases", "1"], "");
    assert_eq!(status, Some(2), "a file that is to be read must be there: {err}");
    let (status, _, err) =
        run(&["fuzz", "--engine", &engine, "--known", &path, "--cases", "1", "--learn", "no-id"], "");
    assert!(status == Some(2) && err.contains("`no-id` was not found"), "{err}");
}
