//! `lozenge report`: a site without a dead link, made from the checkout; a table in LaTeX; entries of a bibliography.
#![allow(missing_docs)]

use lozenge_spec::{CLAIMS, FINDINGS};
use lozenge_tests::{json, read, root, run, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the site in a folder of this name.
fn site(name: &str) -> PathBuf {
    let folder = scratch(name).join("site");
    let (status, out, err) = run(&["report", "--html", &folder.display().to_string()], "");
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains(" pages in ") && out.ends_with("/index.html\n"), "{out}");
    folder
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let path = entry.strip_prefix(folder).expect("inside").display().to_string();
                found.insert(path, std::fs::read_to_string(&entry).expect("text"));
            }
        }
    }
    found
}

/// The values of an attribute. Quotes in texts are escaped, so only tags have it.
fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let begins = format!(" {attribute}=\"");
    html.split(&begins).skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

/// The file and the place in it that an address leads to.
fn target(from: &str, to: &str) -> (String, String) {
    let (path, anchor) = to.split_once('#').unwrap_or((to, ""));
    let mut parts: Vec<&str> = from.split('/').collect();
    if !path.is_empty() {
        parts.pop();
        for part in path.split('/') {
            if part == ".." {
                parts.pop().unwrap_or_else(|| panic!("{from}: {to} leads out of the site"));
            } else {
                parts.push(part);
            }
        }
    }
    (parts.join("/"), anchor.to_owned())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Every link leads to a page of the site, and to a place that is there.
fn links_lead_somewhere(site: &BTreeMap<String, String>) {
    let pages = || site.iter().filter(|(path, _)| path.ends_with(".html"));
    let ids: BTreeMap<&String, BTreeSet<&str>> =
        pages().map(|(path, html)| (path, values(html, "id").into_iter().collect())).collect();
    let mut links = 0;
    for (path, html) in pages() {
        assert_eq!(values(html, "id").len(), ids[path].len(), "{path}: an id is there twice");
        for to in values(html, "href").into_iter().chain(values(html, "src")) {
            assert!(!to.contains(':') && !to.starts_with('/'), "{path}: {to} is not relative");
            let (file, anchor) = target(path, to);
            assert!(site.contains_key(&file), "{path}: {to} is not there");
            assert!(anchor.is_empty() || ids[&file].contains(anchor.as_str()), "{path}: {to} has no such place");
            links += 1;
        }
    }
    assert!(links > 10_000, "links were found: {links}");
}

/// The line of a place, as `spec` has it.
fn lines() -> BTreeMap<String, u64> {
    let (_, all) = json(&["spec"], "");
    let places = all["places"].as_array().expect("places").iter();
    places.map(|it| (it["place"].as_str().expect("a place").to_owned(), it["line"].as_u64().expect("a line"))).collect()
}

/// A statement is one click from its code, its proof and its harness, and each of them one click from it.
fn statements_lead_to_their_evidence(site: &BTreeMap<String, String>) {
    let lines = lines();
    for claim in CLAIMS.iter() {
        let path = format!("s/{}.html", claim.id);
        let html = site.get(&path).unwrap_or_else(|| panic!("{path} is not there"));
        assert!(html.contains(&escaped(&claim.holds)) || html.contains("The same."), "{path}");
        assert!(claim.printed.as_ref().is_none_or(|printed| html.contains(&escaped(printed))), "{path}");
        let words = html.split("id=\"words\"").nth(1).and_then(|rest| rest.split("</section>").next());
        assert!(words.is_some_and(|words| words.len() > 150), "{path} has the chapter's words: {words:?}");
        let tests = claim.harness.iter().map(|harness| &harness.test).chain(&claim.tests);
        for place in claim.code.iter().chain(tests.clone()).chain(&claim.proof) {
            let source = format!("src/{}.html", place.path());
            let line = lines[&place.0];
            assert!(html.contains(&format!("<h3><a href=\"../{source}#L{line}\">")), "{path}: {}", place.0);
            let text = read(place.path());
            let defined = escaped(text.lines().nth(line as usize - 1).expect("a line"));
            assert!(html.contains(&format!(">{line:>4}</a>  {defined}\n")), "{path} shows {}", place.0);
            let back = format!("{}{path}", "../".repeat(source.matches('/').count()));
            assert!(site[&source].contains(&format!("<a href=\"{back}\">")), "{source} leads back to {path}");
        }
        for harness in &claim.harness {
            assert!(html.contains(&format!("<p>{} cases: {}</p>", harness.cases, escaped(&harness.domain))), "{path}");
        }
        for place in tests {
            let name = place.symbol().expect("a test");
            let run = html
                .split("Run it: <code>cargo test -p ")
                .any(|rest| rest.split('<').next().unwrap_or("").ends_with(name));
            assert!(run, "{path}: how is {name} run?");
        }
        assert!(claim.proof.is_empty() || html.contains("make -C proofs/coq check"), "{path}");
    }
    // The statement of a theorem is all there, and its proof is not.
    let html = &site["s/1.2.html"];
    assert!(html.contains("Theorem def_1_2_dim_leb : forall d e, dim_leb d e = true &lt;-&gt; d ⊑d e.\n"), "{html}");
    assert!(!html.contains("rewrite orb_true_iff"), "{html}");
}

/// Every finding has its page; where constraints or a program are its witness, that is drawn.
fn findings_are_drawn(site: &BTreeMap<String, String>) {
    for finding in FINDINGS.iter() {
        let path = finding.page().replace(".md", ".html");
        let html = site.get(&path).unwrap_or_else(|| panic!("{path} is not there"));
        for claim in CLAIMS.iter().filter(|claim| claim.findings.contains(&finding.id)) {
            assert!(html.contains(&format!("<a href=\"../../s/{}.html\">", claim.id)), "{path} to {}", claim.id);
        }
        let page = read(&finding.page());
        let blocks = lozenge_tests::blocks(&page);
        let witness = |tag: &str| blocks.iter().filter(|block| block.tag == tag).count();
        let drawn = html.matches("<summary>Drawn by explain: ").count();
        assert_eq!(drawn, witness("constraints") + witness("loz"), "{path}");
        let rows = blocks.iter().any(|block| block.tag == "constraints" && block.text.contains(['⟨', '⋄']));
        assert!(!rows || html.contains("<svg role=\"img\""), "{path}: rows are drawn");
    }
    let f1 = &site["spec/findings/F1.html"];
    assert!(f1.contains("<span class=\"bad\">unsat</span>") && f1.contains("circle class=\"vertex\""), "{f1}");
}

/// What figures say is what the files have.
fn figures_are_counted(site: &BTreeMap<String, String>) {
    let html = &site["figures.html"];
    let has = |what: &str, number: usize| {
        let digits = number.to_string();
        let grouped: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().map(|it| std::str::from_utf8(it).expect("digits")).collect();
        let row = format!("<tr><td>{what}</td><td class=\"number\">{}</td>", grouped.join(","));
        assert!(html.contains(&row), "{row} in {html}");
    };
    has("numbered statements", CLAIMS.len());
    has("findings", FINDINGS.len());
    has("cases of the conformance corpus", lozenge_tests::corpus().len());
    let bugs = read("tests/engines/MUTANTS.md").lines().filter(|line| line.starts_with("| ")).count() - 1;
    has("bugs in an engine, found by fuzz", bugs);
    let harnesses: BTreeMap<&str, u64> =
        CLAIMS.iter().flat_map(|claim| &claim.harness).map(|it| (it.test.0.as_str(), it.cases)).collect();
    has("harnesses", harnesses.len());
    has("cases that they cover on every run", usize::try_from(harnesses.values().sum::<u64>()).expect("small"));
    let tables = read("spec/performance.md").lines().filter(|line| line.starts_with("|--")).count();
    let measured = html.split("id=\"measured\"").nth(1).expect("what was measured");
    assert!(tables > 2 && measured.matches("<table>").count() == tables, "{measured}");
}

#[test]
fn the_site_is_whole() {
    let folder = site("report-whole");
    let site = files(&folder);
    links_lead_somewhere(&site);
    statements_lead_to_their_evidence(&site);
    findings_are_drawn(&site);
    figures_are_counted(&site);
    let head = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root()).output().expect("git runs");
    let head = String::from_utf8(head.stdout).expect("a hash").trim().to_owned();
    let rust = read("Cargo.toml");
    let rust = rust.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a version");
    for (path, html) in site.iter().filter(|(path, _)| path.ends_with(".html")) {
        let footer = html.split("<footer>").nth(1).unwrap_or_default();
        for said in [format!("commit {head}"), format!("Rust, at least {rust}"), "Coq, at least 8.16".to_owned()] {
            assert!(footer.contains(&said), "{path}: {said} in {footer}");
        }
    }
    // Chapters lead to their statements, and to the code that they name.
    assert!(site["spec/1-dimensions.html"].contains("<a href=\"../s/1.2.html\">1.2 Broadcast order</a>"));
    assert!(site["spec/1-dimensions.html"].contains("<a href=\"../src/core/calculus/src/dim.rs.html\">dim.rs</a>"));
    assert!(
        site["spec/findings/F1.html"].contains("Guard_thm.v.html#L")
            || site["spec/findings/F1.html"].contains("_thm.v.html#L")
    );
}

/// The same checkout gives the same bytes, into a new folder and over an earlier report; what is left of that goes.
#[test]
fn the_same_again() {
    let (one, two) = (site("report-one"), site("report-two"));
    let first = files(&one);
    assert!(first == files(&two), "two runs write the same");
    std::fs::write(one.join("note.txt"), "mine").expect("written");
    std::fs::create_dir(one.join("old")).expect("a folder");
    std::fs::write(one.join("old/page.html"), "old").expect("written");
    let list = one.join("lozenge-report.json");
    let text = std::fs::read_to_string(&list).expect("a list");
    std::fs::write(&list, text.replacen("\"figures.html\"", "\"../two\", \"old/page.html\", \"figures.html\"", 1))
        .expect("written");
    std::fs::write(one.join("index.html"), "broken").expect("written");
    let (status, out) = json(&["report", "--html", &one.display().to_string()], "");
    assert_eq!(status, Some(0));
    let pages: Vec<&str> = out["pages"].as_array().expect("pages").iter().filter_map(|page| page.as_str()).collect();
    assert!(pages.contains(&"index.html") && pages.iter().all(|page| first.contains_key(*page)), "{out}");
    assert!(out["commit"].as_str().is_some_and(|commit| commit.len() == 40) && out["changed"].is_boolean(), "{out}");
    let mut again = files(&one);
    assert_eq!(again.remove("note.txt").as_deref(), Some("mine"), "what is not the report's stays");
    assert!(first == again && !one.join("old").exists(), "what only an earlier report had is gone");
    assert!(two.is_dir(), "a list leads nowhere else");
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = scratch("report-foreign");
    std::fs::write(folder.join("thesis.txt"), "mine").expect("written");
    let to = folder.display().to_string();
    let (status, out, err) = run(&["report", "--html", &to], "");
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(err.contains(&to) && err.contains("is not empty and holds no earlier report"), "{err}");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
    for (name, why) in [("thesis.txt", "is a file"), ("thesis.txt/site", "is a file, or inside of one")] {
        let to = format!("{to}/{name}");
        let (status, answer) = json(&["report", "--html", &to], "");
        assert_eq!((status, answer["kind"].as_str()), (Some(2), Some("file")));
        assert!(answer["message"].as_str().is_some_and(|it| it.contains(&to) && it.contains(why)), "{answer}");
    }
    let (status, answer) = json(&["report", "--html", "/proc/lozenge-report"], "");
    assert_eq!((status, answer["kind"].as_str()), (Some(2), Some("file")));
    assert!(answer["message"].as_str().is_some_and(|it| it.contains("/proc/lozenge-report")), "{answer}");
    for args in [&["report"][..], &["report", "--latex", "--bibtex"]] {
        assert_eq!(run(args, "").0, Some(2));
    }
}

/// Runs in another folder: status, stdout and stderr.
fn run_in(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(lozenge_tests::lozenge()).args(args).current_dir(folder).output().expect("lozenge runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(from, to).expect("copied");
        }
    }
}

/// A copy says that it has no history; one with a history says whether it was changed.
#[test]
fn the_commit_is_told_as_it_is() {
    let folder = std::env::temp_dir().join(format!("lozenge-report-{}", std::process::id()));
    copy(&root().join("spec"), &folder.join("spec"));
    std::fs::copy(root().join("Cargo.toml"), folder.join("Cargo.toml")).expect("copied");
    let footer = || {
        let (status, out, err) = run_in(&folder, &["report", "--html", "out"]);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
        let html = std::fs::read_to_string(folder.join("out/index.html")).expect("a page");
        html.split("<footer>").nth(1).unwrap_or_default().to_owned()
    };
    assert!(footer().starts_with("Lozenge, a copy without its history."));
    let git = |args: &[&str]| {
        let name = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").args(name).args(args).current_dir(&folder).output().expect("git runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("UTF-8").trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["add", "spec", "Cargo.toml"]);
    git(&["commit", "-q", "-m", "a copy"]);
    let commit = git(&["rev-parse", "HEAD"]);
    assert!(footer().starts_with(&format!("Lozenge, commit {commit}. ")));
    std::fs::write(folder.join("spec/1-dimensions.md"), read("spec/1-dimensions.md") + "\nMore.\n").expect("written");
    assert!(footer().starts_with(&format!("Lozenge, commit {commit}, with changes that are not in it. ")));
    let index = read("spec/index.toml").replacen("title = \"Dimensions\"", "title = \"Sizes\"", 1);
    std::fs::write(folder.join("spec/index.toml"), index).expect("written");
    let (status, _, err) = run_in(&folder, &["report", "--html", "out"]);
    assert!(status == Some(2) && err.contains("is not the one that this command was built with"), "{err}");
    let (status, _, err) = run_in(folder.parent().expect("a parent"), &["report", "--html", "out"]);
    assert!(status == Some(2) && err.contains("there is no checkout here"), "{err}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn the_table_is_one_that_latex_reads() {
    let (status, out, err) = run(&["report", "--latex"], "");
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.is_ascii(), "symbols are commands");
    let table = out.split("\\endhead\n").nth(1).expect("a head");
    let rows: Vec<&str> = table.lines().take_while(|line| *line != "\\hline").collect();
    assert_eq!(rows.len(), CLAIMS.len());
    for (row, claim) in rows.iter().zip(CLAIMS.iter()) {
        let cells: Vec<&str> = row.strip_suffix(" \\\\").expect("an end").split(" & ").collect();
        assert_eq!(cells.len(), 6, "{row}");
        assert_eq!((cells[0], cells[4]), (claim.id.as_str(), claim.status.to_string().as_str()));
        let open = row.replace("\\{", "").matches('{').count();
        assert_eq!(open, row.replace("\\}", "").matches('}').count(), "{row}");
    }
    assert!(out.contains("\\ensuremath{\\sqsubseteq}") && out.ends_with("\\end{longtable}\n"), "{out}");
    assert_eq!(out.matches("\\begin{").count(), out.matches("\\end{").count());
    let (_, answer) = json(&["report", "--latex"], "");
    assert_eq!(answer["rows"].as_array().map(Vec::len), Some(CLAIMS.len()));
    assert_eq!((answer["rows"][0]["id"].as_str(), answer["rows"][0]["holds"].as_str()), (Some("1.1"), Some("defined")));
}

#[test]
fn the_bibliography_has_the_artifact() {
    let (status, out, err) = run(&["report", "--bibtex"], "");
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("@software{lozenge") && out.contains("  title = {{Lozenge"), "{out}");
    assert_eq!(out.matches('{').count(), out.matches('}').count(), "{out}");
    let (_, answer) = json(&["report", "--bibtex"], "");
    let entries = answer["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), out.matches("\n}\n").count());
    let cited = read("CITATION.cff");
    if cited.contains("\nreferences:") || cited.contains("\npreferred-citation:") {
        assert!(out.contains("The Formal Core of OCANNL's Shape and Projection Inference"), "{out}");
    }
}
