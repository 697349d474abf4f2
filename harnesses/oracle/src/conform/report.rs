//! What came of a run: a table by definition, JUnit, JSON.

use super::{Ended, Tried};
use crate::corpus::case::Case;
use crate::output::{BAD, FAINT, GOOD, Output, paint, visible};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// How many cases ended how.
#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    passed: usize,
    failed: usize,
    reading: usize,
    unsupported: usize,
}

impl Counts {
    fn add(&mut self, ended: &Ended) {
        *match ended {
            Ended::Passed => &mut self.passed,
            Ended::Failed(_) => &mut self.failed,
            Ended::Reading(_) => &mut self.reading,
            Ended::Unsupported => &mut self.unsupported,
        } += 1;
    }
}

/// Where the cases come from.
pub struct Found<'a> {
    /// The files with the number of cases in each.
    pub files: Vec<(PathBuf, usize)>,
    /// How many of them an inventory lists.
    pub listed: usize,
    /// The definition that all cases run exercise, if one was asked for.
    pub definition: Option<&'a str>,
}

impl Found<'_> {
    /// How many cases there are, and whether these are all.
    fn text(&self, run: usize) -> String {
        let (files, cases) = (self.files.len(), self.files.iter().map(|(_, cases)| cases).sum::<usize>());
        let number = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let all = match self.listed {
            listed if listed == files => "as the inventory says".to_owned(),
            0 => "there is no inventory that says how many there should be".to_owned(),
            listed => format!("an inventory lists {listed} of the files"),
        };
        let some = self.definition.map(|definition| format!("; {run} of them exercise {definition}"));
        format!("{} in {}: {all}{}", number(cases, "case"), number(files, "file"), some.unwrap_or_default())
    }
}

/// The report of a run.
pub struct Report<'a> {
    engine: &'a str,
    found: &'a Found<'a>,
    cases: &'a [Case],
    done: &'a [Tried],
    total: Counts,
    definitions: BTreeMap<Number, Counts>,
}

/// The number of a definition, so that 10 comes behind 2.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Number(bool, Vec<u32>, String);

impl Number {
    fn of(text: &str) -> Self {
        let parts = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
        Number(!text.starts_with(|c: char| c.is_ascii_digit()), parts.collect(), text.to_owned())
    }
}

#[derive(Serialize)]
pub struct ReportJson<'a> {
    engine: &'a str,
    corpus: Vec<FileJson>,
    /// Does an inventory list every file?
    inventory: bool,
    cases: usize,
    not_run: usize,
    #[serde(flatten)]
    total: Counts,
    definitions: BTreeMap<&'a str, Counts>,
    failures: Vec<FailureJson<'a>>,
}

#[derive(Serialize)]
struct FileJson {
    file: String,
    cases: usize,
}

#[derive(Serialize)]
struct FailureJson<'a> {
    id: &'a str,
    class: &'static str,
    definition: &'a str,
    what: &'a str,
    request: String,
    expected: &'a serde_json::Value,
    answer: Option<&'a str>,
}

impl<'a> Report<'a> {
    /// Counts.
    pub fn new(engine: &'a str, found: &'a Found<'a>, cases: &'a [Case], done: &'a [Tried]) -> Self {
        let (mut total, mut definitions) = (Counts::default(), BTreeMap::<Number, Counts>::new());
        for tried in done {
            total.add(&tried.ended);
            for definition in &cases[tried.case].definitions {
                definitions.entry(Number::of(definition)).or_default().add(&tried.ended);
            }
        }
        Report { engine, found, cases, done, total, definitions }
    }

    /// How many failed.
    pub fn failed(&self) -> usize {
        self.total.failed
    }

    /// The cases that were not right, differences of reading included.
    fn wrong(&self) -> impl Iterator<Item = (&'a Case, &'a Tried, &'static str, &'a crate::compare::Difference)> {
        self.done.iter().filter_map(|tried| {
            let case = &self.cases[tried.case];
            match &tried.ended {
                Ended::Failed(difference) => Some((case, tried, "failed", difference)),
                Ended::Reading(difference) => Some((case, tried, "reading", difference)),
                Ended::Passed | Ended::Unsupported => None,
            }
        })
    }

    /// Failures, then the table.
    pub fn print(&self, show: usize, out: &mut Output) -> io::Result<()> {
        for (case, tried, class, difference) in self.wrong().take(show) {
            let style = if class == "failed" { BAD } else { FAINT };
            let what = visible(&difference.what);
            out.line(&format!("{} {}  {}: {what}", paint(style, class), case.id, difference.definition))?;
            out.line(&paint(FAINT, &format!("  {}", case.about)))?;
            out.line(&format!("  request   {}", visible(&case.to_send())))?;
            out.line(&format!("  expected  {}", case.expected))?;
            out.line(&format!("  answer    {}", visible(tried.answer.as_deref().unwrap_or("none"))))?;
        }
        let wrong = self.wrong().count();
        if wrong > show {
            out.line(&paint(FAINT, &format!("... and {} more; --show N, --report FILE", wrong - show)))?;
        }
        if wrong > 0 {
            out.line("")?;
        }
        out.line(&self.found.text(self.cases.len()))?;
        out.line("definition  passed  failed  unsupported  reading")?;
        for (number, counts) in &self.definitions {
            self.row(&number.2, counts, out)?;
        }
        self.row("all cases", &self.total, out)?;
        if self.done.len() < self.cases.len() {
            out.line(&format!("not run: {} of {}", self.cases.len() - self.done.len(), self.cases.len()))?;
        }
        Ok(())
    }

    fn row(&self, name: &str, counts: &Counts, out: &mut Output) -> io::Result<()> {
        let Counts { passed, failed, reading, unsupported } = counts;
        let style = if *failed > 0 { BAD } else { GOOD };
        let name = paint(style, &format!("{name:<10}"));
        out.line(&format!("{name}  {passed:>6}  {failed:>6}  {unsupported:>11}  {reading:>7}"))
    }

    /// The report as one JSON object.
    pub fn json(&self) -> ReportJson<'_> {
        let failures = self.wrong().map(|(case, tried, class, difference)| FailureJson {
            id: &case.id,
            class,
            definition: &difference.definition,
            what: &difference.what,
            request: case.to_send(),
            expected: &case.expected,
            answer: tried.answer.as_deref(),
        });
        let file = |(file, cases): &(PathBuf, usize)| FileJson { file: file.display().to_string(), cases: *cases };
        ReportJson {
            engine: self.engine,
            corpus: self.found.files.iter().map(file).collect(),
            inventory: self.found.listed == self.found.files.len(),
            cases: self.cases.len(),
            not_run: self.cases.len() - self.done.len(),
            total: self.total,
            definitions: self.definitions.iter().map(|(number, counts)| (number.2.as_str(), *counts)).collect(),
            failures: failures.collect(),
        }
    }

    /// The same as text.
    pub fn json_text(&self) -> String {
        serde_json::to_string_pretty(&self.json()).unwrap_or_default() + "\n"
    }

    /// JUnit: one test suite, one test case per case.
    pub fn junit(&self) -> String {
        let Counts { failed, unsupported, reading, .. } = self.total;
        let seconds: f64 = self.done.iter().map(|tried| tried.took.as_secs_f64()).sum();
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        let tests = self.done.len();
        let skipped = unsupported + reading;
        xml.push_str(&format!(
            "<testsuites>\n<testsuite name=\"lozenge conform\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" \
             skipped=\"{skipped}\" time=\"{seconds:.3}\">\n"
        ));
        for tried in self.done {
            let case = &self.cases[tried.case];
            let (group, name) = case.id.split_once('/').unwrap_or(("case", &case.id));
            let time = tried.took.as_secs_f64();
            xml.push_str(&format!(
                "<testcase classname=\"{}\" name=\"{}\" time=\"{time:.6}\">",
                escaped(group),
                escaped(name)
            ));
            xml.push_str(&match &tried.ended {
                Ended::Passed => String::new(),
                Ended::Unsupported => "<skipped message=\"unsupported\"/>".to_owned(),
                Ended::Reading(it) => format!("<skipped message=\"difference of reading: {}\"/>", escaped(&it.what)),
                Ended::Failed(it) => {
                    let details = format!(
                        "request {}\nexpected {}\nanswer {}",
                        case.to_send(),
                        case.expected,
                        tried.answer.as_deref().unwrap_or("none")
                    );
                    let (what, definition, details) = (escaped(&it.what), escaped(&it.definition), escaped(&details));
                    format!("<failure message=\"{what}\" type=\"{definition}\">{details}</failure>")
                }
            });
            xml.push_str("</testcase>\n");
        }
        xml.push_str("</testsuite>\n</testsuites>\n");
        xml
    }
}

/// Text inside XML; control characters, which XML does not have, as pictures.
fn escaped(text: &str) -> String {
    let text = visible(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
