//! The menu: programs, the paper's examples and the findings' witnesses, out of the corpus that is built in.

use crate::corpus::case::{Case, Corpus};
use crate::output::Failure;
use lozenge::names::Names;
use lozenge::wire;
use serde::Serialize;
use serde_json::Value;

/// An entry of the menu.
#[derive(Serialize)]
struct Example {
    group: &'static str,
    title: String,
    kind: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaves: Vec<String>,
}

/// Titles longer than this do not fit into a menu.
const MOST_TITLE: usize = 90;

/// What a case of the corpus shows, if it is for the menu. A text that was asked about in several ways is shown once.
fn example(case: &Case) -> Option<Example> {
    let (group, name) = case.id.split_once('/')?;
    let text = |field: &str| case.request[field].as_str().map(str::to_owned);
    let leaves = case.request["leaves"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let program = |group, title: &str| {
        let title = title.strip_suffix("-infer")?;
        Some(Example { group, title: title.to_owned(), kind: "program", text: text("program")?, leaves: Vec::new() })
    };
    let constraints = |group, title| {
        let text = lines(&case.request["constraints"])?;
        Some(Example { group, title, kind: "constraints", text, leaves: leaves.collect() })
    };
    match group {
        "program" => match name.strip_prefix("programs-") {
            Some(title) => program("Programs", title),
            None => program("Programs that do not fit", name.strip_prefix("broken-").unwrap_or(name)),
        },
        "paper" => constraints("The paper's examples", format!("{name}: {}", case.about)),
        "finding" if case.request["op"] == "infer" => program("Findings", name),
        "finding" if name.ends_with("-solve") => constraints("Findings", case.about.clone()),
        _ => None,
    }
}

/// Constraints as they are typed.
fn lines(constraints: &Value) -> Option<String> {
    let mut names = Names::new();
    let mut text = String::new();
    for constraint in constraints.as_array()? {
        let constraint = wire::read_constraint(constraint, &mut names).ok()?;
        text.push_str(&format!("{}\n", names.show(&constraint)));
    }
    Some(text)
}

/// Programs first, then what does not fit, the paper, the findings.
fn rank(group: &str) -> usize {
    ["Programs", "Programs that do not fit", "The paper's examples"].iter().position(|it| *it == group).unwrap_or(3)
}

/// All of them, as a script: a page cannot read another file without a server.
pub fn script() -> Result<String, Failure> {
    let mut examples: Vec<Example> = Vec::new();
    for mut it in Corpus::inside()?.cases.iter().filter_map(example) {
        if examples.iter().any(|other| other.text == it.text && other.leaves == it.leaves && other.group == it.group) {
            continue;
        }
        if it.title.chars().count() > MOST_TITLE {
            it.title = it.title.chars().take(MOST_TITLE - 1).chain(['…']).collect();
        }
        let same =
            examples.iter().filter(|other| other.title.starts_with(&it.title) && other.group == it.group).count();
        if same > 0 {
            it.title = format!("{} ({})", it.title, same + 1);
        }
        examples.push(it);
    }
    examples.sort_by_key(|it| rank(it.group));
    let json = serde_json::to_string(&examples).unwrap_or_default();
    Ok(format!("const EXAMPLES = {};\n", json.replace("</", "<\\/")))
}
