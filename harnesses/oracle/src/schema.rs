//! `lozenge schema`: the JSON Schema of the wire format and of programs.

use crate::output::{Answer, Exit, Json, Output};

const EXAMPLES: &str = "\
Examples:
  lozenge schema > constraint.schema.json
  lozenge schema program                    the JSON form of tensor programs
  lozenge schema --json                     the same on one line";

/// JSON Schema of the wire format, or of programs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to describe
    #[arg(value_enum, default_value = "constraint")]
    what: What,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Constraints, and in them terms
    Constraint,
    /// Tensor programs
    Program,
}

/// Prints the schema, keys in order.
pub fn run(args: &Args, out: &mut Output) -> Answer {
    let schema = Json(match args.what {
        What::Constraint => lozenge::wire::schema(),
        What::Program => lozenge::program::schema(),
    });
    if out.json {
        out.json(&schema)?
    } else {
        out.pretty(&schema)?
    }
    Ok(Exit::Yes)
}
