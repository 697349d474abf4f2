//! `lozenge schema`: the JSON Schema of the wire format, version 1, and of programs.

mod message;

use crate::output::{Answer, Exit, Json, Output};
use clap::ValueEnum;
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  lozenge schema > constraint.schema.json
  lozenge schema request                    what `lozenge oracle` reads
  lozenge schema answer                     what it writes
  lozenge schema program                    the JSON form of tensor programs
  lozenge schema --json                     the same on one line

spec/schema holds these files for version 1 of the format.";

/// JSON Schema of the wire format, or of programs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What the schema is of
    #[arg(value_enum, default_value_t)]
    of: Of,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Of {
    #[default]
    Constraint,
    Request,
    Answer,
    Program,
}

/// The number of the wire format.
pub const WIRE: u32 = 1;

/// A schema with the number of the format in its name.
fn versioned(mut schema: Value, name: &str) -> Value {
    schema["$id"] = format!("lozenge-wire-{WIRE}-{name}").into();
    schema
}

/// Prints the schema, keys in order.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let schema = Json(match args.of {
        Of::Constraint => lozenge::wire::schema(),
        Of::Request => versioned(message::request(), "request"),
        Of::Answer => versioned(message::answer(), "answer"),
        Of::Program => lozenge::program::schema(),
    });
    if out.json {
        out.json(&schema)?
    } else {
        out.pretty(&schema)?
    }
    Ok(Exit::Yes)
}
