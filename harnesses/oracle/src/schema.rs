//! `lozenge schema`: the JSON Schema of the wire format.

use crate::output::{Answer, Exit, Json, Output};

const EXAMPLES: &str = "\
Examples:
  lozenge schema > constraint.schema.json
  lozenge schema --json                     the same on one line";

/// JSON Schema of the wire format
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Prints the schema, keys in order.
pub fn run(_: &Args, out: &mut Output) -> Answer {
    let schema = Json(lozenge::wire::schema());
    if out.json {
        out.json(&schema)?
    } else {
        out.pretty(&schema)?
    }
    Ok(Exit::Yes)
}
