//! Where answers go: text or JSON on stdout, errors, colours, the exit status.

mod failure;
mod plain;

use crate::ascii;
use crate::told::Told;
use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use failure::error_json;
pub use failure::{Failure, error_text};
use lozenge::names::Names;
use lozenge::notation::Notation;
use lozenge::term::{Term, Var};
use plain::{Listened, Quiet, visible_but_styles};
pub use plain::{beginning, visible, visible_path};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::{CompactFormatter, PrettyFormatter};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;

/// What every subcommand understands.
#[derive(Args, Default)]
pub struct Options {
    /// Answer in JSON, one object on one line
    #[arg(long, global = true)]
    pub json: bool,
    /// Write the ASCII twin of the notation
    #[arg(long, global = true)]
    pub ascii: bool,
    /// When to use colours; auto asks for a terminal and no NO_COLOR
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum Color {
    // No doc comments here: clap would spread the help of every subcommand over two pages.
    #[default]
    Auto,
    Always,
    Never,
}

/// Headings.
pub const TITLE: Style = Style::new().bold();
/// What holds.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What fails.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is there only to help: padding, tags, hints.
pub const FAINT: Style = Style::new().dimmed();
/// No style.
pub const PLAIN: Style = Style::new();

/// All of them, longer spellings first.
const STYLES: [Style; 4] = [GOOD, BAD, FAINT, TITLE];
/// What ends a style.
pub const RESET: &str = "\u{1b}[0m";

/// Text in a style. The stream takes the style out again where colours are off.
#[must_use]
pub fn paint(style: Style, text: &str) -> String {
    if style == PLAIN || text.is_empty() { text.to_owned() } else { format!("{style}{text}{style:#}") }
}

/// What a question comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It holds, or it was printed: status 0.
    Yes,
    /// It does not hold, or there is none: status 1.
    No,
    /// A limit was reached before the end: status 3.
    Limit,
    /// A known difference is gone: status 5.
    Gone,
    /// A signal came before the end: status 128 and its number, 130 for Ctrl-C.
    Interrupted,
}

impl Exit {
    /// What a solver's verdict comes to.
    pub fn of(verdict: &lozenge::solver::Verdict) -> Self {
        use lozenge::solver::Verdict;
        match verdict {
            Verdict::Solved(_) => Exit::Yes,
            Verdict::Unsat(_) | Verdict::Rejected(_) => Exit::No,
            Verdict::Limit(_) => Exit::Limit,
        }
    }
}

impl From<bool> for Exit {
    fn from(holds: bool) -> Self {
        if holds { Exit::Yes } else { Exit::No }
    }
}

/// What a subcommand returns.
pub type Answer = Result<Exit, Failure>;

/// JSON that is written with sorted keys, whatever map serde_json was built with.
pub struct Json(pub Value);

struct Sorted<'a>(&'a Value);

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Sorted(&self.0).serialize(serializer)
    }
}

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                let sorted: BTreeMap<_, _> = map.iter().map(|(key, value)| (key, Sorted(value))).collect();
                serializer.collect_map(sorted)
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Sorted)),
            other => other.serialize(serializer),
        }
    }
}

/// Where text goes.
enum To {
    Stdout(BufWriter<Listened<AutoStream<StdoutLock<'static>>>>),
    /// It is kept, styles and all.
    Kept(Vec<u8>),
}

impl Write for To {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            To::Stdout(to) => to.write(bytes),
            To::Kept(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            To::Stdout(to) => to.flush(),
            To::Kept(_) => Ok(()),
        }
    }
}

/// Stdout, and how to write to it.
pub struct Output {
    to: To,
    /// Was JSON asked for?
    pub json: bool,
    /// Was ASCII asked for?
    pub ascii: bool,
    color: Color,
    /// Has the one object been written?
    answered: bool,
}

impl Output {
    /// Stdout with these options.
    pub fn new(options: &Options) -> Self {
        let stdout = io::stdout().lock();
        let choice = match options.color {
            Color::Auto if stdout.is_terminal() => AutoStream::choice(&stdout),
            Color::Always => ColorChoice::Always,
            Color::Auto | Color::Never => ColorChoice::Never,
        };
        let to = To::Stdout(BufWriter::new(Listened::new(AutoStream::new(stdout, choice))));
        Output { to, json: options.json, ascii: options.ascii, color: options.color, answered: false }
    }

    /// Is there someone to tell what is strange? Machines have it in their answers, and pages beside them.
    pub fn speaks(&self) -> bool {
        !self.json && matches!(self.to, To::Stdout(_))
    }

    /// Text that is kept, for a page.
    pub fn keep() -> Self {
        Output { to: To::Kept(Vec::new()), json: false, ascii: false, color: Color::Always, answered: false }
    }

    /// What was kept.
    pub fn kept(self) -> String {
        match self.to {
            To::Stdout(_) => String::new(),
            To::Kept(text) => String::from_utf8_lossy(&text).into_owned(),
        }
    }

    /// One line of text. What drives a terminal is taken out, except the styles of [`paint`].
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.to, "{}", visible_but_styles(text))
    }

    /// Lets readers see what was written so far.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// One line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.answered = true;
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut self.to, Quiet(CompactFormatter)))?;
        writeln!(self.to)
    }

    /// JSON over several lines, for documents.
    pub fn pretty(&mut self, value: &impl Serialize) -> io::Result<()> {
        let pretty = Quiet(PrettyFormatter::new());
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut self.to, pretty))?;
        writeln!(self.to)
    }

    /// Our own text in the spelling asked for.
    pub fn text(&self, text: &str) -> String {
        if self.ascii { ascii::twin(text) } else { text.to_owned() }
    }

    /// Tells people what is wrong or strange, on standard error.
    pub fn tell(&self, told: &Told) {
        let stderr = io::stderr().lock();
        let choice = match self.color {
            Color::Auto if stderr.is_terminal() => AutoStream::choice(&stderr),
            Color::Always => ColorChoice::Always,
            Color::Auto | Color::Never => ColorChoice::Never,
        };
        let text = visible_but_styles(&self.text(&told.painted()));
        // When standard error is closed nobody wants it.
        let _ = writeln!(AutoStream::new(stderr, choice), "{text}");
    }

    /// Something with a notation in the spelling asked for.
    pub fn show<T: Notation + ?Sized>(&self, it: &T, names: &Names) -> String {
        let shown = names.show(it);
        if self.ascii { shown.ascii().to_string() } else { shown.to_string() }
    }

    /// A line `x ↦ T` for each binding; are there any?
    pub fn bindings(&mut self, bindings: &[(Var, Term)], names: &Names) -> io::Result<bool> {
        let arrow = self.text("↦");
        for (var, to) in bindings {
            self.line(&format!("  {} {arrow} {}", self.show(var, names), self.show(to, names)))?;
        }
        Ok(!bindings.is_empty())
    }

    /// Writes out what is left, reports a failure, and gives the status. A reader that went away
    /// (`lozenge spec | head -1`) is no failure and changes no status; only the oracle ends early then.
    pub fn finish(mut self, answer: Answer) -> ExitCode {
        let answer = self.report(answer);
        let flushed = self.to.flush();
        match (answer, flushed) {
            (Err(error), _) | (_, Err(error)) if error.kind() != ErrorKind::BrokenPipe => {
                complain(&format!("error: cannot write: {error}"));
                ExitCode::from(2)
            }
            (Ok(status), _) => ExitCode::from(status),
            (Err(_), _) => ExitCode::SUCCESS,
        }
    }

    fn report(&mut self, answer: Answer) -> io::Result<u8> {
        let failure = match answer {
            Ok(Exit::Yes) => return Ok(0),
            Ok(Exit::No) => return Ok(1),
            Ok(Exit::Limit) => return Ok(3),
            Ok(Exit::Gone) => return Ok(5),
            Ok(Exit::Interrupted) => return Ok(crate::interrupt::status()),
            Err(Failure::Io(error)) => return Err(error),
            Err(failure) => failure,
        };
        // Who reads one object gets one: what fails behind it is told to people.
        if self.json && !self.answered {
            self.json(&error_json(&failure))?;
        } else if let Failure::Program { told, .. } = &failure {
            self.tell(told);
        } else {
            complain(&error_text(&failure));
        }
        Ok(failure.status())
    }
}

/// Errors go to stderr, with nothing in them that drives a terminal; when that is closed nobody wants them.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(text));
}
