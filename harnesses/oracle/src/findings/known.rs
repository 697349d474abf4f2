//! A file of known differences: a run fails on new ones only, and names those that are gone.

use super::cluster::{Cluster, Clusters};
use super::{Class, Heard, observe};
use crate::compare::Capabilities;
use crate::engine::Engine;
use crate::output::{Failure, visible, visible_path};
use crate::system::Source;
use crate::whole::Target;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How a run treats known differences.
#[derive(clap::Args)]
pub struct KnownArgs {
    /// A file of known differences: only others fail the run
    #[arg(long, value_name = "FILE")]
    pub known: Option<PathBuf>,
    /// Write what is found into the file of known differences, and take out what is gone; with ids, only these
    #[arg(long, value_name = "ID", num_args = 0.., requires = "known")]
    pub learn: Option<Vec<String>>,
    /// What --learn writes beside a new one
    #[arg(long, value_name = "TEXT", requires = "learn", default_value = "")]
    pub note: String,
    /// A known difference that is gone fails the run as well
    #[arg(long, requires = "known")]
    pub strict_known: bool,
}

impl KnownArgs {
    /// Is this one to be written down?
    fn learns(&self, id: &str) -> bool {
        self.learn.as_ref().is_some_and(|ids| ids.is_empty() || ids.iter().any(|wanted| wanted == id))
    }
}

/// One known difference.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    pub id: String,
    pub note: String,
    pub op: String,
    pub class: Class,
    pub kind: String,
    pub definition: String,
    /// The smallest case, in the notation and as it is asked.
    pub text: Vec<String>,
    pub request: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileJson {
    version: u32,
    known: Vec<Known>,
}

/// The file as it was read, and which of its differences are gone.
#[derive(Default)]
pub struct List {
    path: Option<PathBuf>,
    pub known: Vec<Known>,
    /// The ids of those that the engine does not show any more.
    pub gone: Vec<String>,
}

/// What is wrong with the file.
fn wrong(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::input("file", format!("{}: {what}", visible_path(path)))
}

impl List {
    /// Reads the file. One that is to be written may be missing.
    pub fn read(args: &KnownArgs) -> Result<Self, Failure> {
        let Some(path) = &args.known else { return Ok(List::default()) };
        if args.learn.is_some() {
            Target::open(path)?;
        }
        let source = match Source::read_if_there(path)? {
            Some(source) => source,
            None if args.learn.is_some() => return Ok(List { path: Some(path.clone()), ..List::default() }),
            None => return Err(wrong(path, "there is no such file: --learn writes one")),
        };
        let file: FileJson = serde_json::from_str(&source.text)
            .map_err(|error| wrong(path, format!("this is no file of known differences: {error}")))?;
        if file.version != 1 {
            return Err(wrong(path, format!("version {} is not known, only 1", file.version)));
        }
        Ok(List { path: Some(path.clone()), known: file.known, gone: Vec::new() })
    }

    /// Asks the smallest case of each again: which are gone?
    pub fn ask_again(&mut self, engine: &mut Engine, capabilities: &Capabilities) {
        for known in &self.known {
            // A line that is no request is not asked again: only a run of its case says what became of it.
            if !known.request.is_object() {
                continue;
            }
            let mut request = known.request.clone();
            request["id"] = "known".into();
            let still = match observe(engine, capabilities, &request).0 {
                Heard::Stopped => return,
                Heard::Fine | Heard::Unsupported => false,
                Heard::Wrong(observed) => {
                    observed.class == known.class
                        && observed.difference.kind.name() == known.kind
                        && observed.difference.definition == known.definition
                }
            };
            if !still {
                self.gone.push(known.id.clone());
            }
        }
    }

    /// The note of a known one.
    pub fn note(&self, id: &str) -> Option<&str> {
        self.known.iter().find(|known| known.id == id).map(|known| known.note.as_str())
    }

    /// What the run itself has found is not gone, whatever came of asking its smallest case again.
    pub fn found(&mut self, clusters: &Clusters) {
        self.gone.retain(|id| !clusters.0.iter().any(|cluster| cluster.id == *id));
    }

    /// Marks those that are known.
    pub fn mark(&self, clusters: &mut Clusters) {
        for cluster in &mut clusters.0 {
            cluster.known = self.note(&cluster.id).map(str::to_owned);
        }
    }

    /// How many new ones are left that are not learnt now.
    pub fn left(args: &KnownArgs, clusters: &Clusters) -> usize {
        clusters.0.iter().filter(|cluster| cluster.is_new() && !args.learns(&cluster.id)).count()
    }

    /// Writes what was found: the new ones come in, those that are gone go, notes stay.
    pub fn learn(mut self, args: &KnownArgs, clusters: &Clusters) -> Result<(), Failure> {
        let (Some(path), Some(ids)) = (&self.path, &args.learn) else { return Ok(()) };
        let wanted = |cluster: &&Cluster| args.learns(&cluster.id);
        if let Some(id) = ids.iter().find(|id| !clusters.0.iter().any(|cluster| cluster.id == **id)) {
            return Err(Failure::input("unknown", format!("--learn: `{}` was not found by this run", visible(id))));
        }
        let known: Vec<Known> = self.known.drain(..).filter(|known| !self.gone.contains(&known.id)).collect();
        let old = |id: &str| known.iter().any(|known| known.id == id);
        let new = clusters.0.iter().filter(|cluster| cluster.is_fault() && !old(&cluster.id)).filter(wanted);
        let new: Vec<Known> = new.map(|cluster| of_cluster(cluster, &args.note)).collect();
        let mut all: Vec<Known> = known.into_iter().chain(new).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        let file = FileJson { version: 1, known: all };
        let text = serde_json::to_string_pretty(&file).unwrap_or_default() + "\n";
        Target::open(path)?.write(text.as_bytes())
    }
}

fn of_cluster(cluster: &Cluster, note: &str) -> Known {
    let Cluster { id, op, class, kind, definition, text, request, .. } = cluster.clone();
    Known { id, note: note.to_owned(), op, class, kind, definition, text, request }
}
