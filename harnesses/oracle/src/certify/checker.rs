//! The extracted checker: which program it is, and one question to it.

use super::Opinion;
use crate::corpus::inventory::sha256;
use crate::engine::alive::Words;
use crate::engine::{end, supervised};
use crate::interrupt;
use crate::output::{Failure, visible_path};
use crate::supervise;
use crate::system::read_bytes_if_there;
use serde::Serialize;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Where it is built, seen from the top of the repository.
const BUILT: &str = "proofs/coq/build/lozenge-check";
/// The repository that this program was built from.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const VARIABLE: &str = "LOZENGE_CHECKER";
/// An answer is one line; more than this is none.
const MOST_BYTES: u64 = 1 << 16;
/// How often a wait looks around, and how long what is left of a checker may hold its output.
const LOOK: Duration = Duration::from_millis(20);

/// A checker that was found.
#[derive(Serialize)]
pub struct Checker {
    /// The program.
    pub path: PathBuf,
    /// The digest of the file.
    pub sha256: String,
    /// Who named it.
    named_by: &'static str,
}

/// Something is wrong with a checker.
fn wrong(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::input("checker", format!("the checker {}: {what}", visible_path(path)))
}

/// What a checker may use.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// How long it may take.
    pub time: Duration,
    /// How much memory it may have, in MiB.
    pub memory: u64,
}

/// What a process left: its output, or none in time.
enum Left {
    Output(Vec<u8>, ExitStatus),
    Nothing,
    Interrupted,
}

impl Checker {
    /// The one asked for, the one of the environment, or the one built in the repository of this program. No other is
    /// looked for.
    pub fn find(asked: Option<&Path>) -> Result<Self, Failure> {
        let variable = || std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
        let named = asked.map(|path| (path.to_owned(), "--checker"));
        let found = named.or_else(|| Some((variable()?, VARIABLE))).or_else(|| Some((built()?, "repository")));
        let Some((path, named_by)) = found else {
            let message = "there is no extracted checker: `make -C proofs/coq checker` builds it in the repository, \
                           --checker PATH names another, and --only rust goes without";
            return Err(Failure::input("checker", message));
        };
        let full = std::fs::canonicalize(&path).map_err(|error| wrong(&path, format!("it cannot be read: {error}")))?;
        if !full.is_file() {
            // A pipe or a device is no program, and reading it may never end.
            return Err(wrong(&path, "it is no file"));
        }
        let bytes = read_bytes_if_there(&full)?.unwrap_or_default();
        Ok(Checker { path: full, sha256: sha256(&bytes), named_by })
    }

    /// Asks about one certificate.
    pub fn ask(&self, request: String, bounds: Bounds) -> Result<Opinion, Failure> {
        let started = supervised(&[&self.path], &Words::default(), Some(bounds.memory));
        let (mut child, alive) = started.map_err(|error| wrong(&self.path, format!("it does not start: {error}")))?;
        let left = self.wait(&mut child, request, bounds.time);
        // Whatever it started ends with it.
        end(child, alive);
        match left? {
            Left::Nothing => Ok(Opinion::limit("time", format!("no answer within {} s", bounds.time.as_secs()))),
            Left::Interrupted => Ok(Opinion::Interrupted),
            Left::Output(_, status) if status.code() == Some(supervise::TOO_LARGE) => {
                Ok(Opinion::limit("memory", format!("it had more than {} MiB of memory", bounds.memory)))
            }
            Left::Output(bytes, status) => self.read(&bytes, status),
        }
    }

    fn wait(&self, child: &mut Child, request: String, limit: Duration) -> Result<Left, Failure> {
        let asked = Instant::now();
        let output = talk(child, request).ok_or_else(|| wrong(&self.path, "it has no input and output"))?;
        let mut bytes = None;
        loop {
            let left = limit.saturating_sub(asked.elapsed());
            match output.recv_timeout(left.min(LOOK)) {
                Ok(Some(read)) => bytes = Some(read),
                Ok(None) => return Err(wrong(&self.path, format!("it writes more than {MOST_BYTES} bytes"))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(left.min(LOOK)),
            }
            match child.try_wait().map_err(|error| wrong(&self.path, error))? {
                Some(status) if bytes.is_some() => return Ok(Left::Output(bytes.unwrap_or_default(), status)),
                // It has ended, and what it wrote is still under way.
                Some(_) | None => {}
            }
            if interrupt::pressed() {
                return Ok(Left::Interrupted);
            }
            if left.is_zero() {
                return Ok(Left::Nothing);
            }
        }
    }

    /// What an answer means.
    fn read(&self, bytes: &[u8], status: ExitStatus) -> Result<Opinion, Failure> {
        let text = String::from_utf8_lossy(bytes);
        let line = text.strip_suffix('\n').filter(|line| !line.contains('\n'));
        match (status.code(), line) {
            (Some(0), Some("VALID")) => Ok(Opinion::Confirmed),
            (Some(1), Some(answer)) if answer.starts_with("REFUSED: ") => {
                Ok(Opinion::Refused(answer["REFUSED: ".len()..].to_owned()))
            }
            (Some(2), Some(answer)) if answer.starts_with("UNREADABLE: ") => Err(wrong(&self.path, answer)),
            (Some(3), Some(answer)) if answer.starts_with("LIMIT: ") => {
                Ok(Opinion::Limit { which: "memory", why: answer["LIMIT: ".len()..].to_owned() })
            }
            (Some(supervise::NOT_STARTED), _) => Err(wrong(&self.path, "it does not start")),
            _ => Err(wrong(&self.path, "it does not answer as lozenge-check does")),
        }
    }
}

/// Sends the request, and gives what is written until the end; nothing where that is too much. Writing and reading wait
/// for the checker, so each has a thread of its own; both end with the pipes.
fn talk(child: &mut Child, request: String) -> Option<Receiver<Option<Vec<u8>>>> {
    let (mut stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
    thread::spawn(move || {
        // A checker that stops reading says why.
        let _ = stdin.write_all(request.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
    });
    let (send, output) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        let short = read.is_ok() && u64::try_from(bytes.len()).is_ok_and(|length| length <= MOST_BYTES);
        let _ = send.send(short.then_some(bytes));
    });
    Some(output)
}

/// The checker of the repository, where this program lies in the repository that it was built from.
fn built() -> Option<PathBuf> {
    let checkout = std::fs::canonicalize(CHECKOUT).ok()?;
    let program = std::fs::canonicalize(std::env::current_exe().ok()?).ok()?;
    Some(checkout.join(BUILT)).filter(|path| program.starts_with(&checkout) && path.is_file())
}
