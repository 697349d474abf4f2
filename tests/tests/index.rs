//! The index of claims tells the truth: what it names exists, and no status is better than what runs.
#![allow(missing_docs)]

use lozenge_spec::{CLAIMS, Claim, FINDINGS, Place};
use lozenge_tests::{markdown_files, read, root};
use std::collections::BTreeMap;

#[test]
fn the_index_reads() {
    let index = lozenge_spec::parse().unwrap_or_else(|error| panic!("spec/index.toml: {error}"));
    assert!(index.claims.len() > 100, "one row per numbered statement");
    assert_eq!((index.claims.len(), index.findings.len()), (CLAIMS.len(), FINDINGS.len()));
}

/// A row that is fine, with some of its fields replaced and one finding in the file.
fn index_with(changes: &[(&str, &str)]) -> Result<lozenge_spec::Index, String> {
    let mut row: BTreeMap<&str, &str> = [
        ("id", "'9.9'"),
        ("kind", "'lemma'"),
        ("title", "'A lemma'"),
        ("chapter", "'spec/9.md'"),
        ("printed", "'All rows are short.'"),
        ("printed_status", "'refuted'"),
        ("holds", "'Some rows are short.'"),
        ("status", "'proved'"),
        ("paper", "'proved'"),
        ("findings", "['F99']"),
        ("code", "[]"),
        ("harness", "[]"),
        ("tests", "['a.rs#t']"),
        ("proof", "['a.v#t']"),
    ]
    .into();
    let mut kind = "kind = 'error'";
    for (field, value) in changes {
        match (*field, *value) {
            ("finding", value) => kind = value,
            (field, "") => drop(row.remove(field)),
            (field, value) => drop(row.insert(field, value)),
        }
    }
    let row: Vec<String> = row.into_iter().map(|(field, value)| format!("{field} = {value}")).collect();
    let text = format!("[[claim]]\n{}\n[[finding]]\nid = 'F99'\n{kind}\ntitle = 'Long rows'\n", row.join("\n"));
    lozenge_spec::read(&text).map_err(|error| error.to_string())
}

#[test]
fn rows_that_contradict_themselves_are_refused() {
    let fine = index_with(&[]).expect("a row");
    assert!(fine.claims[0].is_repaired());
    let same = index_with(&[("holds", ""), ("printed_status", "")]).expect("a row that holds as printed");
    assert_eq!(same.claims[0].printed.as_ref(), Some(&same.claims[0].holds));
    assert_eq!(same.claims[0].printed_status, Some(same.claims[0].status));
    let own = [("printed", ""), ("printed_status", ""), ("paper", "'none'")];
    assert_eq!(index_with(&own).expect("a row of our own").claims[0].printed, None);
    let refused: &[(&[(&str, &str)], &str)] = &[
        (&[("printed", ""), ("printed_status", ""), ("holds", "")], "neither what is printed nor what holds"),
        (&[("printed", ""), ("paper", "'none'")], "a status for what is not printed"),
        (&[("printed", ""), ("printed_status", "")], "a label of the paper"),
        (&[own[0], own[1], own[2], ("caveats", "'Not always.'")], "caveats or a reading"),
        (&[("holds", "'All rows are short.'")], "leave `holds` out"),
        (&[("printed_status", "")], "which status has the printed one?"),
        (&[("holds", "")], "leave `printed_status` out"),
        (&[("caveats", "''")], "an empty text"),
        (&[("paper", "'believed'")], "a label that the paper does not use"),
        (&[("proof", "[]")], "proved by which theorem?"),
        (&[("status", "'complete'")], "complete by which harness?"),
        (&[("status", "'bounded'")], "checked by which harness?"),
        (&[("status", "'defined'")], "defined where?"),
        (&[("status", "'refuted'")], "what holds cannot be refuted"),
        (&[("findings", "[]")], "refuted in which finding?"),
        (&[("tests", "[]"), ("proof", "[]"), ("status", "'open'")], "refuted by which witness?"),
        (&[("holds", ""), ("printed_status", ""), ("status", "'open'")], "open, with a proof?"),
        (&[("status", "'not yet'")], "not yet, with something there?"),
        (&[("findings", "['F98']")], "no row with its kind"),
        (&[("printed_status", "'open'"), ("findings", "[]")], "a finding about no claim"),
        (&[("finding", "")], "missing field `kind`"),
        (&[("finding", "kind = 'mistake'")], "unknown variant `mistake`"),
        (&[("statement", "'All rows.'")], "unknown field `statement`"),
        (&[("id", "'F99'")], "F99: twice"),
    ];
    for (changes, message) in refused {
        let error = index_with(changes).expect_err(message);
        assert!(error.contains(message), "{error}\nand not: {message}");
    }
}

/// Does a Rust file define this symbol? `Type::item` asks for the item inside an `impl` of the type.
fn rust_defines(text: &str, symbol: &str) -> bool {
    let defines = |text: &str, name: &str| {
        ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "macro_rules! "].iter().any(|keyword| {
            text.match_indices(&format!("{keyword}{name}"))
                .any(|(i, m)| !text[i + m.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    match symbol.split_once("::") {
        None => defines(text, symbol),
        Some((owner, item)) => text.split("\nimpl").skip(1).any(|block| {
            let (head, _) = block.split_once('{').unwrap_or((block, ""));
            let body = block.split("\n}").next().unwrap_or(block);
            head.split(|c: char| !c.is_alphanumeric()).any(|word| word == owner) && defines(body, item)
        }),
    }
}

fn rust_place(claim: &Claim, place: &Place) {
    let symbol = place.symbol().unwrap_or_else(|| panic!("{}: {} names no symbol", claim.id, place.0));
    assert!(rust_defines(&read(place.path()), symbol), "{}: {} is not there", claim.id, place.0);
}

#[test]
fn code_exists() {
    for claim in CLAIMS.iter() {
        claim.code.iter().for_each(|place| rust_place(claim, place));
    }
    assert!(!rust_defines("fn joined() {}", "join") && !rust_defines("\nimpl Row {\n fn le() {}\n}", "Dim::le"));
}

#[test]
fn tests_and_harnesses_exist() {
    for claim in CLAIMS.iter() {
        for place in claim.harness.iter().map(|h| &h.test).chain(&claim.tests) {
            rust_place(claim, place);
            let text = read(place.path());
            let symbol = place.symbol().unwrap_or_default();
            let before = text.split(&format!("fn {symbol}(")).next().unwrap_or_default();
            let attributes = before.rsplit("\n\n").next().unwrap_or_default();
            assert!(attributes.contains("#[test]"), "{}: {} is not a test", claim.id, place.0);
        }
    }
}

#[test]
fn proofs_exist_and_are_listed() {
    let listed = read("proofs/README.md");
    for claim in CLAIMS.iter() {
        for place in &claim.proof {
            let symbol = place.symbol().unwrap_or_default();
            let text = read(place.path());
            let stated =
                ["Theorem", "Lemma", "Corollary", "Proposition", "Example", "Fact", "Remark"].iter().any(|keyword| {
                    text.contains(&format!("{keyword} {symbol} "))
                        || text.contains(&format!("{keyword} {symbol}:"))
                        || text.contains(&format!("{keyword} {symbol}\n"))
                });
            assert!(stated, "{}: {} is not a theorem there", claim.id, place.0);
            assert!(listed.contains(&format!("`{symbol}`")), "{}: proofs/README.md does not list {symbol}", claim.id);
        }
    }
}

/// The rest of what a status asks for, the reader does.
#[test]
fn arguments_exist() {
    for (claim, because) in CLAIMS.iter().filter_map(|claim| Some((claim, claim.because.as_ref()?))) {
        assert!(root().join(because).is_file(), "{}: {because} is not there", claim.id);
    }
}

/// The kinds that a page states: `Kind: error`, or `Kind: i wording, ii error`, up to a full stop.
fn kinds_of(page: &str) -> Vec<(Option<String>, String)> {
    let text = read(page);
    let line = text.lines().find_map(|line| line.strip_prefix("Kind: "));
    let line = line.unwrap_or_else(|| panic!("{page} does not say what kind of finding it is"));
    let stated = line.split('.').next().unwrap_or(line);
    let kind = |words: &str| match words.split_once(' ') {
        Some((part, kind)) => (Some(part.to_owned()), kind.to_owned()),
        None => (None, words.to_owned()),
    };
    stated.split(", ").map(kind).collect()
}

#[test]
fn pages_and_index_agree_on_the_kinds_of_findings() {
    let mut pages: BTreeMap<String, Vec<(Option<String>, String)>> = BTreeMap::new();
    for finding in FINDINGS.iter() {
        let kind = (finding.part().map(str::to_owned), finding.kind.to_string());
        pages.entry(finding.page()).or_default().push(kind);
        let title = format!("# {}. {}", finding.id, finding.title);
        let heading = read(&finding.page()).lines().next().unwrap_or_default().to_owned();
        assert!(finding.part().is_some() || heading == title, "{}: {heading}, in the index {title}", finding.id);
    }
    for (page, kinds) in &pages {
        assert_eq!(&kinds_of(page), kinds, "{page}");
    }
    let numbered = |page: &str| {
        let name = page.rsplit('/').next().unwrap_or(page);
        name.strip_prefix('F').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    for page in markdown_files("spec/findings").iter().filter(|page| numbered(page)) {
        assert!(pages.contains_key(page), "{page} has no row in the index");
    }
}

/// The tables of findings give the kinds as the pages do; that at the top leaves some of them out.
#[test]
fn tables_of_findings_give_their_kinds() {
    for (table, whole) in [("spec/findings/README.md", true), ("README.md", false)] {
        let text = read(table);
        for finding in FINDINGS.iter() {
            let name = finding.id.split('.').next().unwrap_or(&finding.id);
            let begins = format!("| [{name}](");
            let mut rows = text.lines().filter(|line| line.starts_with(&begins) && !line.contains(") to ["));
            let said = match finding.part() {
                Some(part) => format!("{part} {}", finding.kind),
                None => format!(" | {} | ", finding.kind),
            };
            match rows.next() {
                Some(row) => assert!(row.contains(&said), "{table}: {row}\ndoes not say {said}"),
                None => assert!(!whole, "{table}: no row for {name}"),
            }
        }
    }
}

/// The numbers of the headings `### 2.7 Proposition: …` of the chapters.
fn headings() -> Vec<(String, String)> {
    let chapters = markdown_files("spec").into_iter().chain(["R1", "R2"].map(|r| format!("spec/findings/{r}.md")));
    chapters
        .flat_map(|path| {
            let text = read(&path);
            let numbers: Vec<(String, String)> = text
                .lines()
                .filter_map(|line| line.strip_prefix("### "))
                .filter_map(|heading| heading.split_once(' '))
                .filter(|(number, _)| {
                    let after_letter = number.strip_prefix(['D', 'L', 'R']).unwrap_or(number);
                    after_letter.starts_with(|c: char| c.is_ascii_digit())
                })
                .map(|(number, _)| (number.to_owned(), path.clone()))
                .collect();
            numbers
        })
        .collect()
}

#[test]
fn every_statement_has_its_heading_and_every_heading_its_rows() {
    let headings = headings();
    for claim in CLAIMS.iter() {
        let found = headings.iter().any(|(number, path)| claim.is_under(number) && *path == claim.chapter);
        assert!(found, "{}: no heading in {}", claim.id, claim.chapter);
    }
    for (number, path) in &headings {
        assert!(CLAIMS.iter().any(|claim| claim.is_under(number)), "{path}: {number} is not in the index");
    }
}

/// Below each numbered heading there are links to the files of its code, its theorems and what runs it.
#[test]
fn chapters_lead_to_code_and_proofs() {
    let headings = headings();
    let mut links = 0;
    for claim in CLAIMS.iter() {
        let numbered = |id: &str| headings.iter().any(|(number, path)| number == id && *path == claim.chapter);
        let mut id = claim.id.as_str();
        while let (false, Some((whole, _))) = (numbered(id), id.rsplit_once('.')) {
            id = whole;
        }
        let text = read(&claim.chapter);
        let section = text.split(&format!("\n### {id} ")).nth(1).and_then(|rest| rest.split("\n### ").next());
        let section = section.unwrap_or_else(|| panic!("{}: {id} has no heading", claim.chapter));
        let up = "../".repeat(claim.chapter.matches('/').count());
        let tests = claim.harness.iter().map(|harness| &harness.test).chain(&claim.tests);
        for place in claim.code.iter().chain(tests).chain(&claim.proof) {
            let link = format!("]({up}{})", place.path());
            assert!(section.contains(&link), "{}, {id}: no link {link}", claim.chapter);
            links += 1;
        }
    }
    assert!(links > 500, "links were found: {links}");
}

/// The way back: each module of the calculus names the document it belongs to.
#[test]
fn modules_of_the_calculus_name_their_chapter() {
    let mut folders = vec![root().join("core/calculus/src")];
    let mut modules = 0;
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a module");
            let words = text.lines().take_while(|line| line.starts_with("//!")).flat_map(str::split_whitespace);
            let mut named = words.map(|word| word.trim_matches(['.', ',', '(', ')', ':']));
            let there = named.any(|word| word.starts_with("spec/") && root().join(word).is_file());
            assert!(there, "{} names no chapter", path.display());
            modules += 1;
        }
    }
    assert!(modules > 40, "modules were found: {modules}");
}
