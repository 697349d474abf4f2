//! One case of the corpus, and how it is written in a line of JSON.

use super::inventory::{Inventory, wrong};
use crate::compare::{Capabilities, Freedom, Outcome, Question, freedom};
use crate::oracle::reference;
use crate::output::{Failure, Json};
use lozenge::closing::{Closing, Tags};
use lozenge::constraint::Constraint;
use lozenge::names::Names;
use lozenge::solver::{Policy, solve_traced};
use lozenge::wire;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A question with the answer expected.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, which is also the `id` of its request.
    pub id: String,
    /// What it shows.
    pub about: String,
    /// The numbers of the definitions it exercises.
    pub definitions: Vec<String>,
    /// What an answer is free in.
    pub freedom: Freedom,
    /// The request; none where the line is no JSON.
    pub request: Value,
    /// The line, where it is not the request.
    pub line: Option<String>,
    /// The answer of the reference.
    pub expected: Value,
}

#[derive(Serialize)]
struct CaseJson<'a> {
    id: &'a str,
    about: &'a str,
    definitions: &'a [String],
    freedom: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Json>,
    expected: Json,
}

impl Case {
    /// A case whose answer the reference gives.
    pub fn new(id: &str, about: &str, mut request: Value, definitions: &[String]) -> Self {
        request["id"] = id.into();
        let mut expected = reference(&request);
        let freedom = Freedom::of(&request, &expected);
        let mut definitions = definitions.to_vec();
        definitions.extend(definitions_of(&request));
        definitions.sort();
        definitions.dedup();
        if let Some(fields) = expected.as_object_mut() {
            // Prose about programs is long, and free.
            let prose: &[&str] = if request["op"] == "infer" { &["text", "assumptions"] } else { &[] };
            for field in prose.iter().chain(&["warnings"]) {
                fields.remove(*field);
            }
        }
        Case { id: id.to_owned(), about: about.to_owned(), definitions, freedom, request, line: None, expected }
    }

    /// A line that is no request.
    pub fn raw(id: &str, about: &str, line: &str) -> Self {
        let answer = crate::oracle::reference_line(line);
        let (freedom, definitions) = (freedom::NONE, vec!["protocol".to_owned()]);
        let line = Some(line.to_owned());
        let (id, about) = (id.to_owned(), about.to_owned());
        Case { id, about, definitions, freedom, request: Value::Null, line, expected: answer }
    }

    /// The line to send.
    pub fn to_send(&self) -> String {
        self.line.clone().unwrap_or_else(|| self.request.to_string())
    }

    /// Compares an answer.
    pub fn compare(&self, line: &str, capabilities: &Capabilities) -> Outcome {
        let (request, expected) = (&self.request, &self.expected);
        Question { request, expected, freedom: self.freedom, capabilities }.compare_line(line)
    }

    /// The operation asked for.
    pub fn op(&self) -> &str {
        self.request["op"].as_str().unwrap_or("none")
    }

    /// The case in one line.
    pub fn to_line(&self) -> String {
        let json = CaseJson {
            id: &self.id,
            about: &self.about,
            definitions: &self.definitions,
            freedom: self.freedom.words(self.op()),
            line: self.line.as_deref(),
            request: self.line.is_none().then(|| Json(self.request.clone())),
            expected: Json(self.expected.clone()),
        };
        serde_json::to_string(&json).unwrap_or_default()
    }

    /// Reads a line of a corpus file.
    fn of_line(line: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
        let text = |field: &str| json[field].as_str().map(str::to_owned);
        let id = text("id").ok_or("no id")?;
        let definitions = json["definitions"].as_array().into_iter().flatten();
        let definitions = definitions.filter_map(|d| d.as_str().map(str::to_owned)).collect();
        if json["expected"].is_null() || (json["request"].is_null() && json["line"].is_null()) {
            return Err(format!("{id} has no request or no expected answer"));
        }
        Ok(Case {
            id,
            about: text("about").unwrap_or_default(),
            definitions,
            freedom: Freedom::of_words(&json["freedom"]),
            request: json["request"].clone(),
            line: text("line"),
            expected: json["expected"].clone(),
        })
    }
}

/// The files of the corpus, as they were when this program was built.
const INSIDE: [(&str, &str); 7] = [
    ("boundaries.jsonl", include_str!("../../data/conformance/boundaries.jsonl")),
    ("findings.jsonl", include_str!("../../data/conformance/findings.jsonl")),
    ("paper.jsonl", include_str!("../../data/conformance/paper.jsonl")),
    ("parse.jsonl", include_str!("../../data/conformance/parse.jsonl")),
    ("programs.jsonl", include_str!("../../data/conformance/programs.jsonl")),
    ("protocol.jsonl", include_str!("../../data/conformance/protocol.jsonl")),
    ("random.jsonl", include_str!("../../data/conformance/random.jsonl")),
];
const INVENTORY: &str = include_str!("../../data/conformance/inventory.json");

/// The cases of a corpus, and where they come from.
#[derive(Default)]
pub struct Corpus {
    /// The cases.
    pub cases: Vec<Case>,
    /// The files with the number of cases in each.
    pub files: Vec<(PathBuf, usize)>,
    /// How many of the files an inventory lists.
    pub listed: usize,
}

/// The `.jsonl` files of a folder, in order.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error: std::io::Error| wrong(folder, error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        files.push(entry.map_err(unreadable)?.path());
    }
    files.retain(|file| file.extension().is_some_and(|ext| ext == "jsonl"));
    files.sort();
    Ok(files)
}

impl Corpus {
    /// Adds the cases of a file, or of every `.jsonl` file of a folder, in order. What an inventory lists must be there
    /// as it says.
    pub fn read(&mut self, path: &Path) -> Result<(), Failure> {
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
        let inventory = Inventory::read(folder)?;
        let mut files = vec![path.to_owned()];
        if path.is_dir() {
            files = files_of(path)?;
            if let Some(inventory) = &inventory {
                inventory.check_names(path, &files)?;
            }
        }
        let before = self.cases.len();
        for file in files {
            self.read_file(file, inventory.as_ref())?;
        }
        if self.cases.len() == before { Err(wrong(path, "no cases")) } else { Ok(()) }
    }

    /// The corpus of the repository, as it was when this program was built.
    pub fn inside() -> Result<Self, Failure> {
        let inventory = Inventory::of_text(Path::new(super::inventory::NAME), INVENTORY)?;
        let mut corpus = Corpus::default();
        for (name, text) in INSIDE {
            corpus.read_text(PathBuf::from(name), text, Some(&inventory))?;
        }
        Ok(corpus)
    }

    fn read_file(&mut self, file: PathBuf, inventory: Option<&Inventory>) -> Result<(), Failure> {
        let text = crate::system::Source::read(&file)?.text;
        self.read_text(file, &text, inventory)
    }

    fn read_text(&mut self, file: PathBuf, text: &str, inventory: Option<&Inventory>) -> Result<(), Failure> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        if let Some(inventory) = inventory.filter(|inventory| inventory.lists(&file)) {
            inventory.check(&file, lines.clone().count(), text)?;
            self.listed += 1;
        }
        let before = self.cases.len();
        for (number, line) in lines {
            let case = Case::of_line(line).map_err(|what| wrong(&file, format!("line {}: {what}", number + 1)))?;
            self.cases.push(case);
        }
        self.files.push((file, self.cases.len() - before));
        Ok(())
    }
}

/// The constraints of a request.
fn constraints(request: &Value) -> Option<(Vec<Constraint>, Names)> {
    let mut names = Names::new();
    let list = request["constraints"].as_array()?;
    let phi = list.iter().map(|c| wire::read_constraint(c, &mut names).ok()).collect::<Option<_>>()?;
    Some((phi, names))
}

/// The definitions that answering a request uses.
pub fn definitions_of(request: &Value) -> Vec<String> {
    let op = request["op"].as_str().unwrap_or_default();
    let own: &[&str] = match op {
        "check" => &["3.4"],
        "close" | "infer" => &["6.1"],
        "decide" => &["6.7"],
        "project" => &["7.1"],
        "run" => &["7.8"],
        "solve" => &[],
        _ => &["protocol"],
    };
    let mut all: Vec<String> = own.iter().map(|d| (*d).to_owned()).collect();
    let Some((phi, mut names)) = constraints(request) else {
        if op == "solve" {
            all.push("protocol".to_owned());
        }
        return all;
    };
    match op {
        "check" => all.extend(phi.iter().map(|phi| crate::compare::meaning(phi).to_owned())),
        "solve" | "close" => {
            let mut policy = Policy::default();
            policy.limits.fuel = 10_000;
            if request["policy"]["guard"] == "paper" {
                policy.guard = lozenge::solver::GuardPolicy::Paper;
            }
            let run = solve_traced(&phi, &mut names.clone(), policy);
            all.extend(run.trace.steps.iter().map(|step| step.rule.definition().to_owned()));
            if op == "close" {
                all.extend(closing_rules(&phi, &mut names, policy));
            }
        }
        _ => {}
    }
    all.sort();
    all.dedup();
    all
}

/// CL-rules carry no number of their own in the paper, so their names are listed.
fn closing_rules(phi: &[Constraint], names: &mut Names, policy: Policy) -> Vec<String> {
    let tags = Tags::leaves(names.vars().collect::<Vec<_>>());
    match lozenge::closing::close(phi, names, &tags, policy) {
        Closing::Closed(closed) => closed.assumptions.iter().map(|a| a.rule.name().to_owned()).collect(),
        _ => Vec::new(),
    }
}
