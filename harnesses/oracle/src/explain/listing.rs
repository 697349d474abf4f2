//! The source of a program with what is known of its tensors and sizes beside each line.

use super::defined::{Defined, First, What, defined, first_applied};
use crate::output::Output;
use lozenge::program::generate::{Generated, Operation, TensorId};
use lozenge::program::shape::{Kind, ShapeTerm, show, show_partial};
use lozenge::program::{Inference, Program, Span, Told};
use lozenge::term::RowTerm;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A line of the source.
#[derive(Default, Serialize)]
pub struct Line {
    pub line: usize,
    pub text: String,
    /// The tensors that it defines or assigns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<Shown>,
    /// The sizes that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<Size>,
    /// What else is to be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Does the failure show here?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fails: bool,
}

/// A tensor and its shape.
#[derive(Serialize)]
pub struct Shown {
    pub name: String,
    pub shape: String,
    /// In a function: applications where it is another, each with the shape there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<(String, String)>,
}

#[derive(Serialize)]
pub struct Size {
    pub name: String,
    pub size: u64,
}

impl Line {
    /// What stands beside it.
    pub fn beside(&self) -> String {
        let sizes = self.sizes.iter().map(|Size { name, size }| format!("{name} = {size}"));
        let parts: Vec<String> =
            self.note.clone().into_iter().chain(self.shapes.iter().map(Shown::text)).chain(sizes).collect();
        parts.join("   ")
    }
}

impl Shown {
    fn text(&self) -> String {
        let Shown { name, shape, elsewhere } = self;
        match elsewhere.as_slice() {
            [] => format!("{name}: {shape}"),
            [(application, other)] => format!("{name}: {shape} ({application}: {other})"),
            [(application, other), rest @ ..] => {
                let differ = if rest.len() == 1 { "differs" } else { "differ" };
                format!("{name}: {shape} ({application}: {other}; {} more {differ})", rest.len())
            }
        }
    }
}

/// What is known: everything, or what there was when the inference failed.
pub struct Known<'a> {
    generated: &'a Generated,
    inferred: Option<&'a Inference>,
    partial: Vec<ShapeTerm>,
    sizes: Vec<Option<u64>>,
    out: &'a Output,
}

impl<'a> Known<'a> {
    /// Places are those of `generated`, which has the tensors of the program that was told.
    pub fn of(told: &'a Told, generated: &'a Generated, out: &'a Output) -> Self {
        let inferred = told.ended.as_ref().ok();
        let (partial, sizes) = match inferred {
            Some(inferred) => (Vec::new(), inferred.sizes.iter().map(|size| Some(size.size)).collect()),
            None => (told.known(), told.known_sizes()),
        };
        Known { generated, inferred, partial, sizes, out }
    }

    /// The shape of a tensor; none where nothing is known of it.
    fn shape(&self, id: TensorId) -> Option<String> {
        let shape = match self.inferred {
            Some(inferred) => show(inferred.shapes.get(id)?, &inferred.names),
            None => {
                let shape = self.partial.get(id)?;
                let bare = |row: &RowTerm| row.var.is_some() && row.known_rank() == 0;
                if Kind::ALL.iter().all(|kind| bare(shape.get(*kind))) {
                    return None;
                }
                show_partial(shape, &self.generated.names)
            }
        };
        Some(self.out.text(&shape))
    }
}

/// The tensors that one name in the text has become: for each application their numbers, in order.
type Became<'a> = BTreeMap<(Option<&'a str>, &'a str), Vec<(&'a str, Vec<TensorId>)>>;

/// `f#1.g#2.w`: the application, its function, and the name in it. That of a gradient ends in `.grad`.
fn parts(full: &str) -> (&str, Option<&str>, &str) {
    let Some(end) = full.strip_suffix(".grad").unwrap_or(full).rfind('.') else { return ("", None, full) };
    let (application, name) = (&full[..end], &full[end + 1..]);
    let own = application.rsplit('.').next().unwrap_or(application);
    (application, own.split('#').next(), name)
}

fn became(generated: &Generated) -> Became<'_> {
    let mut all: Became<'_> = BTreeMap::new();
    // Applications come one after the other, but what is inside of one comes in between.
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (full, id) in &generated.bindings {
        let (application, function, name) = parts(full);
        let applications = all.entry((function, name)).or_default();
        let at = *places.entry((application, name)).or_insert(applications.len());
        match applications.get_mut(at) {
            Some((_, ids)) => ids.push(*id),
            None => applications.push((application, vec![*id])),
        }
    }
    all
}

/// The lines of a program with what is known beside them.
pub fn listing(program: &Program, text: &str, known: &Known<'_>, fails: Span) -> Vec<Line> {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(i, text)| Line { line: i + 1, text: known.out.text(text.trim_end()), ..Line::default() });
    let mut lister = Lister { lines: lines.collect(), ends: ends(text), known, found: defined(program) };
    lister.tensors();
    lister.functions();
    lister.sizes();
    if fails.is_known()
        && let Some(line) = lister.at(fails)
    {
        line.fails = true;
    }
    lister.lines
}

fn ends(text: &str) -> Vec<usize> {
    text.match_indices('\n').map(|(end, _)| end).collect()
}

struct Lister<'a> {
    lines: Vec<Line>,
    ends: Vec<usize>,
    known: &'a Known<'a>,
    found: Vec<Defined<'a>>,
}

impl Lister<'_> {
    fn number(&self, at: Span) -> usize {
        self.ends.partition_point(|end| *end < at.start)
    }

    fn at(&mut self, at: Span) -> Option<&mut Line> {
        let number = self.number(at);
        self.lines.get_mut(number)
    }

    fn tensors(&mut self) {
        let became = became(self.known.generated);
        // One name may be defined again where the first is not visible any more: the next one is another tensor.
        let mut times: BTreeMap<(Option<&str>, &str), usize> = BTreeMap::new();
        let mut gradients: BTreeSet<(Option<&str>, &str)> = BTreeSet::new();
        let mut shown: Vec<(Span, Shown)> = Vec::new();
        for it in &self.found {
            let key = (it.function, it.name);
            let Some(applications) = became.get(&key) else { continue };
            let (nth, suffix) = match it.what {
                What::Tensor => {
                    let times = times.entry(key).or_default();
                    *times += 1;
                    (*times - 1, "")
                }
                What::Assigned => (times.get(&key).map_or(0, |n| n.saturating_sub(1)), ""),
                What::Gradient if !gradients.insert(key) => continue,
                What::Gradient => (times.get(&key).map_or(0, |n| n.saturating_sub(1)), ".grad"),
                What::Size | What::Function(_) | What::Call => continue,
            };
            let name = format!("{}{suffix}", it.name);
            shown.extend(self.shown(name, applications, nth).map(|shown| (it.at, shown)));
        }
        for (at, it) in shown {
            if let Some(line) = self.at(at) {
                line.shapes.push(it);
            }
        }
    }

    /// The shape in the first application, and those that are other ones.
    fn shown(&self, name: String, applications: &[(&str, Vec<TensorId>)], nth: usize) -> Option<Shown> {
        let shape = |(application, ids): &(&str, Vec<TensorId>)| {
            Some(((*application).to_owned(), self.known.shape(*ids.get(nth)?)?))
        };
        let mut shapes = applications.iter().filter_map(shape);
        let (_, first) = shapes.next()?;
        let elsewhere = shapes.filter(|(_, other)| *other != first).collect();
        Some(Shown { name, shape: first, elsewhere })
    }

    fn functions(&mut self) {
        let mut notes: Vec<(Span, String)> = Vec::new();
        let mut results: Vec<(Span, Shown)> = Vec::new();
        let first = first_applied(&self.found);
        for it in &self.found {
            let What::Function(result) = it.what else { continue };
            notes.push((it.at, self.applied(it.name, &first)));
            results.extend(self.result(it.name, result).map(|shown| (result, shown)));
        }
        for (at, note) in notes {
            if let Some(line) = self.at(at) {
                line.note = Some(note);
            }
        }
        for (at, it) in results {
            if let Some(line) = self.at(at) {
                line.shapes.push(it);
            }
        }
    }

    /// Which application of a function the shapes in it are of.
    fn applied(&self, function: &str, first: &BTreeMap<&str, First>) -> String {
        let line = |at: Span| self.number(at) + 1;
        // A body that nothing applies applies nothing.
        let happens = |it: &&Defined<'_>| it.function.is_none_or(|outer| first.contains_key(outer));
        let calls = self.found.iter().filter(|it| it.what == What::Call && it.name == function).filter(happens);
        match first.get(function) {
            None => "never applied".to_owned(),
            Some(First { at, through: Some(outer) }) => {
                format!("as applied in line {}, through line {}", line(*at), line(*outer))
            }
            Some(First { at, .. }) if calls.count() == 1 => format!("applied in line {}", line(*at)),
            Some(First { at, .. }) => format!("as applied in line {}", line(*at)),
        }
    }

    /// The result of a function, where its body ends in an operation of its own.
    fn result(&self, function: &str, at: Span) -> Option<Shown> {
        let made = self.known.generated.operations.iter().filter(|op| op.span.range() == at.range());
        let shape = |op: &Operation| {
            let call = op.calls.last().map_or(0, |call| self.number(*call) + 1);
            Some((format!("line {call}"), self.known.shape(op.result)?))
        };
        let mut shapes = made.filter_map(shape);
        let (_, first) = shapes.next()?;
        let elsewhere = shapes.filter(|(_, other)| *other != first).collect();
        Some(Shown { name: self.known.out.text(&format!("{function}(…)")), shape: first, elsewhere })
    }

    /// Sizes beside the statements about them, or where the name is met first.
    fn sizes(&mut self) {
        let known = self.known;
        let said: BTreeMap<&str, Span> =
            self.found.iter().rev().filter(|it| it.what == What::Size).map(|it| (it.name, it.at)).collect();
        let mut sizes: BTreeMap<(Option<&str>, &str), (Span, Size)> = BTreeMap::new();
        for (number, capture) in known.generated.captures.iter().enumerate() {
            let (_, function, name) = parts(&capture.name);
            let Some(size) = known.sizes.get(number).copied().flatten() else { continue };
            let at = said.get(name).filter(|_| function.is_none()).copied().unwrap_or(capture.span);
            sizes.entry((function, name)).or_insert((at, Size { name: name.to_owned(), size }));
        }
        for (at, size) in sizes.into_values() {
            if let Some(line) = self.at(at) {
                line.sizes.push(size);
            }
        }
    }
}
