//! A session at the command line, told as text: what is typed, all that is printed, the exit status. For snapshots.
//!
//! After a change that is meant, `INSTA_UPDATE=always cargo test -p lozenge-tests --test suite cli` writes the snapshots of
//! that file again; the difference is there to be reviewed.

use crate::{root, run, scratch};
use std::fmt::{self, Write};

/// Longer lines and texts are cut where they are shown; a hash stands for what is left out.
const LONGEST_LINE: usize = 1000;
const LINE_SHOWN: usize = 200;
const MOST_LINES: usize = 200;
const FIRST_LINES: usize = 40;
const LAST_LINES: usize = 20;

/// Compares a session with the snapshot of the test that calls this.
#[macro_export]
macro_rules! assert_session {
    ($session:expr) => {{
        // By this name in the snapshot's head: the expression would only repeat the commands.
        let session = $session;
        insta::assert_snapshot!(session);
    }};
}

/// What was typed and printed so far.
#[derive(Clone, Default, Debug)]
pub struct Session(String);

impl Session {
    /// Types a command without input.
    #[must_use]
    pub fn run(self, args: &[&str]) -> Self {
        self.given("", args)
    }

    /// Types a command with this text on standard input.
    ///
    /// # Panics
    /// When it ends without a status.
    #[must_use]
    pub fn given(mut self, stdin: &str, args: &[&str]) -> Self {
        let (status, out, err) = run(args, stdin);
        self.0.push_str("$ lozenge");
        args.iter().for_each(|arg| self.0.extend([" ", &typed(arg)]));
        if stdin.is_empty() {
            self.0.push('\n');
        } else {
            self.0.push_str(" <<END\n");
            self.text(stdin);
            self.0.push_str("END\n");
        }
        self.text(&out);
        if !err.is_empty() {
            self.0.push_str("stderr:\n");
            self.text(&err);
        }
        let _ = write!(self.0, "status {}\n\n", status.expect("an exit status"));
        self
    }

    /// Writes a file of this name into the scratch folder of a test, and shows it.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn file(mut self, path: &Scratch, bytes: &[u8]) -> Self {
        std::fs::write(root().join(&path.0), bytes).unwrap_or_else(|error| panic!("{}: {error}", path.0));
        let _ = writeln!(self.0, "$ cat {}", path.0);
        self.text(&String::from_utf8_lossy(bytes));
        self.0.push('\n');
        self
    }

    fn text(&mut self, text: &str) {
        self.0.push_str(&brief(text));
        if !text.is_empty() && !text.ends_with('\n') {
            self.0.push_str("(no end of line)\n");
        }
    }
}

impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file for one test, named from the top of the repository: snapshots have no other paths.
#[derive(Clone, Debug)]
pub struct Scratch(pub String);

impl Scratch {
    /// A file of this name, in an empty folder for the test.
    #[must_use]
    pub fn new(test: &str, name: &str) -> Self {
        let _ = scratch(test);
        Scratch(format!("target/scratch/{test}/{name}"))
    }
}

/// An argument as a shell takes it.
fn typed(arg: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        return line(arg);
    }
    format!("'{}'", line(&arg.replace('\n', "\\n")))
}

/// A text, cut where it is long.
fn brief(text: &str) -> String {
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    let shown = |lines: &[&str]| lines.iter().map(|it| line(it) + "\n").collect::<String>();
    if lines.len() <= MOST_LINES {
        return shown(&lines);
    }
    let (first, rest) = lines.split_at(FIRST_LINES);
    let (middle, last) = rest.split_at(rest.len() - LAST_LINES);
    let left_out = format!("(... {} lines, hash {:016x})\n", middle.len(), hash(&middle.join("\n")));
    shown(first) + &left_out + &shown(last)
}

/// A line, cut where it is long, its control characters spelt out.
fn line(text: &str) -> String {
    let shown = |part: String| -> String {
        let spelt = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        part.chars().map(spelt).collect()
    };
    let length = text.chars().count();
    if length <= LONGEST_LINE {
        return shown(text.to_owned());
    }
    let start: String = text.chars().take(LINE_SHOWN).collect();
    format!("{} (... {length} characters, hash {:016x})", shown(start), hash(text))
}

/// FNV-1a: the same on every platform.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
