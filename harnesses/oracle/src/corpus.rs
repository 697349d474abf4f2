//! `lozenge corpus`: writes the conformance corpus (tests/conformance), or says whether it is current.

pub mod case;
pub mod generate;
pub mod inventory;
mod source;
mod texts;

use crate::output::{Answer, BAD, Exit, Failure, GOOD, Output, paint, visible_path};
use crate::system::{Source, holds};
use crate::whole;
use case::Case;
use inventory::Inventory;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  lozenge corpus                                    is the committed corpus current?
  lozenge corpus --write                            writes it
  lozenge corpus --random 1000 --seed 9 > more.jsonl   as many further random cases of each kind

The corpus is made from tests/conformance/source, from the examples of spec/, and from seeds.

Exit status: 0 current, or written; 1 out of date; 2 bad input.";

/// Make the conformance corpus
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The top of the repository
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
    /// Write the corpus
    #[arg(long)]
    write: bool,
    /// Print so many random cases of each kind, and nothing else
    #[arg(long, value_name = "N", conflicts_with = "write")]
    random: Option<u64>,
    /// The seed of random cases
    #[arg(long, value_name = "S", default_value_t = SEED)]
    seed: u64,
}

/// The seed of the committed corpus.
const SEED: u64 = 20_260_601;
/// How many random systems of each kind, and how many random programs, the committed corpus has.
const SYSTEMS: u64 = 120;
const PROGRAMS: u64 = 60;

/// A file of the corpus.
struct File {
    name: &'static str,
    cases: Vec<Case>,
}

fn read(root: &Path, path: &str) -> Result<String, Failure> {
    let path = root.join(path);
    let missing =
        || Failure::input("file", format!("there is no {} (--root names the repository)", visible_path(&path)));
    Source::read_if_there(&path)?.map(|source| source.text).ok_or_else(missing)
}

/// The names of the files of a folder that end like this, in order.
fn names(root: &Path, folder: &str, end: &str) -> Result<Vec<String>, Failure> {
    let path = root.join(folder);
    let unreadable =
        |error| Failure::input("file", format!("{}: {error} (--root names the repository)", path.display()));
    let entries = std::fs::read_dir(&path).map_err(unreadable)?;
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(end));
    names.sort();
    Ok(names)
}

fn wrong(what: String) -> Failure {
    Failure::input("parse", what)
}

/// The programs of the tests, good and broken.
fn program_files(root: &Path) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    for (folder, about) in [
        ("programs", "a program that fits"),
        ("programs/run", "a program that runs"),
        ("broken", "a program that does not fit"),
    ] {
        for name in names(root, &format!("tests/{folder}"), ".loz")? {
            let text = read(root, &format!("tests/{folder}/{name}"))?;
            let id = format!("program/{}-{}", folder.replace('/', "-"), name.trim_end_matches(".loz"));
            cases.extend(source::program(&id, about, &text));
        }
    }
    Ok(cases)
}

/// Every file of the corpus, made anew.
fn files(root: &Path, seed: u64) -> Result<Vec<File>, Failure> {
    let mut paper = source::file("paper", &read(root, "tests/conformance/source/paper.txt")?).map_err(wrong)?;
    for name in names(root, "spec", ".md")? {
        let page = read(root, &format!("spec/{name}"))?;
        let id = format!("spec/{}", name.trim_end_matches(".md"));
        paper.extend(source::page(&id, "an example of the specification", &page).map_err(wrong)?);
    }
    for name in names(root, "tests/systems", ".txt")? {
        let mut names = lozenge::names::Names::new();
        let phi = source::constraints(&read(root, &format!("tests/systems/{name}"))?, &mut names).map_err(wrong)?;
        let id = format!("system/{}", name.trim_end_matches(".txt"));
        let request = serde_json::json!({"op": "solve", "constraints": phi});
        paper.push(Case::new(&id, "an example system", request, &[]));
    }
    let mut findings = Vec::new();
    for name in names(root, "spec/findings", ".md")? {
        let page = read(root, &format!("spec/findings/{name}"))?;
        let title = page.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
        let id = format!("finding/{}", name.trim_end_matches(".md"));
        findings.extend(source::page(&id, &title, &page).map_err(wrong)?);
    }
    let mut programs = program_files(root)?;
    programs.extend(source::programs("run", &read(root, "tests/conformance/source/run.txt")?).map_err(wrong)?);
    programs.extend(generate::programs(seed, PROGRAMS));
    let sources = |name: &str| read(root, &format!("tests/sources/{name}"));
    Ok(vec![
        File { name: "paper.jsonl", cases: paper },
        File { name: "findings.jsonl", cases: findings },
        File { name: "boundaries.jsonl", cases: generate::boundaries() },
        File { name: "random.jsonl", cases: generate::systems(seed, SYSTEMS).collect() },
        File { name: "programs.jsonl", cases: programs },
        File { name: "parse.jsonl", cases: texts::cases(&sources("specs.tsv")?, &sources("shapes.tsv")?) },
        File { name: "protocol.jsonl", cases: source::protocol(&read(root, "spec/protocol.md")?) },
    ])
}

fn text(cases: &[Case]) -> String {
    cases.iter().map(|case| case.to_line() + "\n").collect()
}

/// Writes, compares or prints.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    if let Some(count) = args.random {
        // One by one: there may be very many.
        for case in generate::systems(args.seed, count).chain(generate::programs(args.seed, count)) {
            out.line(&case.to_line())?;
        }
        return Ok(Exit::Yes);
    }
    let folder = args.root.join("tests/conformance");
    if args.write {
        whole::try_folder(&folder)?;
    }
    let (mut current, mut total, mut inventory) = (true, 0, Inventory::default());
    let mut texts = Vec::new();
    for File { name, cases } in files(&args.root, args.seed)? {
        let made = text(&cases);
        total += cases.len();
        inventory.add(name, cases.len(), &made);
        texts.push((name, Some(cases.len()), made));
    }
    texts.push((inventory::NAME, None, inventory.to_text()));
    for (name, cases, made) in &texts {
        let same = holds(&folder.join(name), made.as_bytes()).unwrap_or(false);
        let word = if same { paint(GOOD, "current") } else { paint(BAD, "changed") };
        let cases = cases.map_or_else(String::new, |cases| cases.to_string());
        out.line(&format!("{cases:>5}  {word}  {name}"))?;
        current &= same;
    }
    out.line(&format!("{total:>5}  cases"))?;
    if args.write {
        whole::write_all(texts.iter().map(|(name, _, made)| (folder.join(name), made.as_bytes())))?;
        return Ok(Exit::Yes);
    }
    if !current {
        out.line("out of date: lozenge corpus --write")?;
    }
    Ok(Exit::from(current))
}
