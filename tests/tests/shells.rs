//! `lozenge completions` and `lozenge man`: every subcommand is in them, and shells and roff read them.
#![allow(missing_docs)]

use lozenge_tests::{assert_session, read, root, run as lozenge, scratch, session::Session};
use std::process::Command;

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let (_, help, _) = lozenge(&["--help"], "");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    listed.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// What a command prints that has to succeed.
fn printed(args: &[&str]) -> String {
    let (code, out, err) = lozenge(args, "");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{args:?}");
    out
}

/// What bash says after it has read the completions.
fn bash(script: &str) -> String {
    let completions = printed(&["completions", "bash"]);
    let folder = scratch("completions");
    std::fs::write(folder.join("lozenge.bash"), completions).expect("a file");
    let output = Command::new("bash")
        .args(["--norc", "-c", &format!("set -eu; source ./lozenge.bash; {script}")])
        .current_dir(folder)
        .output()
        .expect("bash runs");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What bash offers for a line whose last word is being typed.
fn offered(words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (quoted.last().expect("a word"), &quoted[quoted.len() - 2]);
    let script = format!(
        "set +eu; COMP_WORDS=({}); COMP_CWORD={}; COMP_TYPE=9; _lozenge lozenge {last} {before}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len() - 1
    );
    bash(&script).lines().map(str::to_owned).collect()
}

#[test]
fn every_subcommand_is_in_the_completions_of_every_shell() {
    let all = subcommands();
    assert!(all.len() > 20, "{all:?}");
    let release = read(".github/workflows/release.yml");
    for shell in SHELLS {
        assert!(release.contains(&format!("lozenge completions {shell} >")), "a release has those of {shell}");
        let script = printed(&["completions", shell]);
        for sub in &all {
            let (_, help, _) = lozenge(&[sub, "--help"], "");
            let about = help.lines().next().unwrap_or_default().split(['\'', '`', ':', '[']).next().unwrap_or_default();
            let shown = if shell == "bash" { sub.as_str() } else { about.trim_end() };
            assert!(script.contains(shown), "{shell}: {sub}: {shown}");
            assert!(script.split(|c: char| !c.is_alphanumeric()).any(|word| word == sub), "{shell}: {sub}");
        }
        assert!(!script.contains("supervise"), "{shell}: what is hidden is not offered");
        let json: serde_json::Value = serde_json::from_str(&printed(&["completions", shell, "--json"])).expect("JSON");
        assert_eq!((json["shell"].as_str(), json["script"].as_str()), (Some(shell), Some(script.as_str())));
    }
    let (code, _, err) = lozenge(&["completions", "cmd"], "");
    assert!(code == Some(2) && err.contains("possible values"), "{err}");
}

#[test]
fn bash_reads_and_uses_them() {
    let told = bash("bash -n ./lozenge.bash; complete -p lozenge");
    assert!(told.contains("-F _lozenge") && told.trim_end().ends_with("lozenge"), "{told}");
    assert_eq!(offered(&["lozenge", "inf"]), ["infer"]);
    assert_eq!(offered(&["lozenge", "completions", "po"]), ["powershell"]);
    assert_eq!(offered(&["lozenge", "infer", "--mark"]), ["--markers"]);
    assert_eq!(offered(&["lozenge", "nothing-like-it"]), [""]);
    let first = offered(&["lozenge", ""]);
    for sub in subcommands() {
        assert!(first.contains(&sub), "{sub} in {first:?}");
    }
}

#[test]
fn there_is_a_page_for_every_subcommand() {
    let folder = scratch("man");
    let place = folder.to_str().expect("UTF-8");
    let mut expected = vec!["lozenge.1".to_owned()];
    expected.extend(subcommands().iter().map(|sub| format!("lozenge-{sub}.1")));
    let listed = printed(&["man", place]);
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), expected.len());
    let pages: serde_json::Value = serde_json::from_str(&printed(&["man", "--json"])).expect("JSON");
    for (file, page) in expected.iter().zip(pages.as_array().expect("pages")) {
        let text = std::fs::read_to_string(folder.join(file)).expect("a page");
        assert_eq!((page["file"].as_str(), page["text"].as_str()), (Some(file.as_str()), Some(text.as_str())));
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            assert!(text.contains(&format!("\n.SH {section}\n")), "{file}: {section}");
        }
        assert_eq!(
            text.matches("\n.nf\n").count(),
            text.matches("\n.fi\n").count(),
            "{file}: what is opened is closed"
        );
        roff_reads(file, &folder);
    }
    assert_eq!(printed(&["man"]), std::fs::read_to_string(folder.join("lozenge.1")).expect("a page"));
}

/// groff, with all its warnings, where it is installed.
fn roff_reads(file: &str, folder: &std::path::Path) {
    let groff = Command::new("groff").args(["-man", "-Tutf8", "-Kutf8", "-ww", file]).current_dir(folder).output();
    let Ok(output) = groff else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{file}: {said}");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("lozenge") && shown.len() > 500, "{file}: {shown}");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let (code, out, err) = lozenge(&["man", "Cargo.toml/pages"], "");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("cannot write"), "{err}");
    assert!(root().join("Cargo.toml").is_file());
}

#[test]
fn pages_say_what_the_help_says() {
    assert_session!(Session::default().run(&["man", "--ascii"]));
}
