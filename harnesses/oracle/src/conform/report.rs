//! What came of a run: a table by definition, JUnit, JSON.

use super::{Ended, Tried};
use crate::corpus::case::Case;
use crate::findings::cluster::{Cluster, Clusters};
use crate::fuzz::print_gone;
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
            Ended::Failed(..) => &mut self.failed,
            Ended::Reading(..) => &mut self.reading,
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
    clusters: &'a Clusters,
    gone: &'a [String],
    total: Counts,
    definitions: BTreeMap<Number, Counts>,
}

/// The number of a definition, so that 10 comes behind 2.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(bool, Vec<u32>, pub String);

impl Number {
    /// Of a number or a name.
    pub fn of(text: &str) -> Self {
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
    /// How many of the failures are known.
    known: usize,
    definitions: BTreeMap<&'a str, Counts>,
    /// What the failures come down to.
    findings: &'a [Cluster],
    /// The ids of known differences that are gone.
    gone: &'a [String],
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
    /// The id of the finding that it comes down to.
    finding: &'a str,
    known: bool,
    definition: &'a str,
    what: &'a str,
    request: String,
    expected: &'a serde_json::Value,
    answer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<&'a str>,
}

/// A case that was not right.
struct Wrong<'a> {
    case: &'a Case,
    tried: &'a Tried,
    class: &'static str,
    difference: &'a crate::compare::Difference,
    cluster: &'a Cluster,
    known: bool,
}

impl<'a> Report<'a> {
    /// Counts.
    pub fn new(
        engine: &'a str,
        found: &'a Found<'a>,
        cases: &'a [Case],
        done: &'a [Tried],
        clusters: &'a Clusters,
        gone: &'a [String],
    ) -> Self {
        let (mut total, mut definitions) = (Counts::default(), BTreeMap::<Number, Counts>::new());
        for tried in done {
            total.add(&tried.ended);
            for definition in &cases[tried.case].definitions {
                definitions.entry(Number::of(definition)).or_default().add(&tried.ended);
            }
        }
        Report { engine, found, cases, done, clusters, gone, total, definitions }
    }

    /// How many failed in a way that is not known.
    pub fn failed_new(&self) -> usize {
        self.wrong().filter(|wrong| wrong.class == "failed" && !wrong.known).count()
    }

    /// How many failed in a way that is.
    fn failed_known(&self) -> usize {
        self.wrong().filter(|wrong| wrong.class == "failed" && wrong.known).count()
    }

    /// The cases that were not right, differences of reading included.
    fn wrong(&self) -> impl Iterator<Item = Wrong<'a>> {
        self.done.iter().filter_map(|tried| {
            let (difference, cluster) = tried.ended.wrong()?;
            let class = if matches!(tried.ended, Ended::Failed(..)) { "failed" } else { "reading" };
            let known = self.clusters.0.iter().any(|known| known.id == cluster.id && known.known.is_some());
            Some(Wrong { case: &self.cases[tried.case], tried, class, difference, cluster, known })
        })
    }

    /// One line.
    pub fn summary(&self) -> String {
        let Counts { passed, failed, reading, unsupported } = self.total;
        let known = self.failed_known();
        format!(
            "{passed} passed, {failed} failed ({known} of them known), {unsupported} unsupported, {reading} of reading"
        )
    }

    /// Failures, what they come down to, then the table.
    pub fn print(&self, show: usize, out: &mut Output) -> io::Result<()> {
        // Of each finding the first case, new ones first: the others say the same.
        let mut shown: Vec<&str> = Vec::new();
        let mut first: Vec<Wrong<'_>> = Vec::new();
        for wrong in self.wrong() {
            if !shown.contains(&wrong.cluster.id.as_str()) {
                shown.push(&wrong.cluster.id);
                first.push(wrong);
            }
        }
        first.sort_by_key(|wrong| (wrong.known, wrong.class == "reading"));
        for wrong in first.iter().take(show) {
            self.print_one(wrong, out)?;
        }
        if first.len() > show {
            out.line(&format!("... and {} more findings (--show N, --report FILE)", first.len() - show))?;
        }
        if !first.is_empty() {
            out.line("")?;
        }
        print_gone(self.gone, out)?;
        out.line(&self.found.text(self.cases.len()))?;
        out.line("definition  passed  failed  unsupported  reading")?;
        for (number, counts) in &self.definitions {
            self.row(&number.2, counts, out)?;
        }
        self.row("all cases", &self.total, out)?;
        if !self.clusters.0.is_empty() {
            let (all, new) = (self.clusters.0.len(), self.clusters.new_ones());
            out.line(&format!("findings: {all}, new {new}; known failures {}", self.failed_known()))?;
        }
        if self.done.len() < self.cases.len() {
            out.line(&format!("not run: {} of {}", self.cases.len() - self.done.len(), self.cases.len()))?;
        }
        Ok(())
    }

    fn print_one(&self, wrong: &Wrong<'_>, out: &mut Output) -> io::Result<()> {
        let Wrong { case, tried, class, difference, cluster, known } = wrong;
        let style = if *class == "failed" && !known { BAD } else { FAINT };
        let word = if *known { "known" } else { class };
        let what = visible(&difference.what);
        out.line(&format!("{} {}  {}: {what}", paint(style, word), case.id, difference.definition))?;
        out.line(&paint(FAINT, &format!("  {}", case.about)))?;
        out.line(&format!("  request   {}", visible(&case.to_send())))?;
        out.line(&format!("  expected  {}", case.expected))?;
        out.line(&format!("  answer    {}", visible(tried.answer.as_deref().unwrap_or("none"))))?;
        for line in tried.stderr.iter().flat_map(|text| text.lines()) {
            out.line(&paint(FAINT, &format!("  stderr    {}", visible(line))))?;
        }
        let all = self.clusters.0.iter().find(|all| all.id == cluster.id).map_or(1, |all| all.cases);
        let cases = if all == 1 { "1 case".to_owned() } else { format!("{all} cases") };
        out.line(&paint(FAINT, &format!("  finding   {}, {cases}", cluster.id)))?;
        for line in &cluster.text {
            let line = out.text(&visible(line));
            out.line(&format!("    {line}"))?;
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
        let failures = self.wrong().map(|Wrong { case, tried, class, difference, cluster, known }| FailureJson {
            id: &case.id,
            class,
            finding: &cluster.id,
            known,
            definition: &difference.definition,
            what: &difference.what,
            request: case.to_send(),
            expected: &case.expected,
            answer: tried.answer.as_deref(),
            stderr: tried.stderr.as_deref(),
        });
        let file = |(file, cases): &(PathBuf, usize)| FileJson { file: file.display().to_string(), cases: *cases };
        ReportJson {
            engine: self.engine,
            corpus: self.found.files.iter().map(file).collect(),
            inventory: self.found.listed == self.found.files.len(),
            cases: self.cases.len(),
            not_run: self.cases.len() - self.done.len(),
            total: self.total,
            known: self.failed_known(),
            findings: &self.clusters.0,
            gone: self.gone,
            definitions: self.definitions.iter().map(|(number, counts)| (number.2.as_str(), *counts)).collect(),
            failures: failures.collect(),
        }
    }

    /// The same as text.
    pub fn json_text(&self) -> String {
        serde_json::to_string_pretty(&self.json()).unwrap_or_default() + "\n"
    }

    /// JUnit: one test suite, one test case per case, and one for each known difference that is gone.
    pub fn junit(&self, strict: bool) -> String {
        let Counts { unsupported, reading, .. } = self.total;
        let seconds: f64 = self.done.iter().map(|tried| tried.took.as_secs_f64()).sum();
        let gone = self.gone.len();
        let failed = self.failed_new() + if strict { gone } else { 0 };
        let skipped = unsupported + reading + self.failed_known() + if strict { 0 } else { gone };
        let tests = self.done.len() + gone;
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"lozenge conform\" \
             tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"{seconds:.3}\">\n"
        );
        let wrong: BTreeMap<usize, Wrong<'_>> = self.wrong().map(|wrong| (wrong.tried.case, wrong)).collect();
        for tried in self.done {
            let case = &self.cases[tried.case];
            let (group, name) = case.id.split_once('/').unwrap_or(("case", &case.id));
            let time = tried.took.as_secs_f64();
            let inner = match (&tried.ended, wrong.get(&tried.case)) {
                (Ended::Unsupported, _) => "<skipped message=\"unsupported\"/>".to_owned(),
                (_, Some(wrong)) => junit_wrong(wrong),
                (_, None) => String::new(),
            };
            xml.push_str(&format!(
                "<testcase classname=\"{}\" name=\"{}\" time=\"{time:.6}\">{inner}</testcase>\n",
                escaped(group),
                escaped(name)
            ));
        }
        for id in self.gone {
            let tag = if strict { "failure" } else { "skipped" };
            xml.push_str(&format!(
                "<testcase classname=\"known\" name=\"{}\"><{tag} message=\"gone: take it out of the file of known \
                 differences\"/></testcase>\n",
                escaped(id)
            ));
        }
        xml.push_str("</testsuite>\n</testsuites>\n");
        xml
    }
}

/// What is wrong, inside a test case.
fn junit_wrong(wrong: &Wrong<'_>) -> String {
    let Wrong { case, tried, class, difference, cluster, known } = wrong;
    let what = escaped(&difference.what);
    if *class == "reading" {
        return format!("<skipped message=\"difference of reading: {what}\"/>");
    }
    if *known {
        return format!("<skipped message=\"known difference {}: {what}\"/>", escaped(&cluster.id));
    }
    let details = format!(
        "finding {}\nrequest {}\nexpected {}\nanswer {}\nstderr {}",
        cluster.id,
        case.to_send(),
        case.expected,
        tried.answer.as_deref().unwrap_or("none"),
        tried.stderr.as_deref().unwrap_or("none")
    );
    let (definition, details) = (escaped(&difference.definition), escaped(&details));
    format!("<failure message=\"{what}\" type=\"{definition}\">{details}</failure>")
}

/// Text inside XML; control characters, which XML does not have, as pictures.
fn escaped(text: &str) -> String {
    crate::explain::svg::escaped(&visible(text))
}
