//! `lozenge version`.

use crate::output::{Answer, Exit, Output};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  lozenge version
  lozenge version --json                    with the version of the wire format";

/// Version of the command and of the wire format
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

#[derive(Serialize)]
struct VersionJson {
    name: &'static str,
    version: &'static str,
    wire: u32,
}

/// Prints the version.
pub fn run(_: &Args, out: &mut Output) -> Answer {
    let version = env!("CARGO_PKG_VERSION");
    if out.json {
        out.json(&VersionJson { name: "lozenge", version, wire: 1 })?;
    } else {
        out.line(&format!("lozenge {version}"))?;
    }
    Ok(Exit::Yes)
}
