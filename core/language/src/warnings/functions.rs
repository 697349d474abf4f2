//! Warnings about functions that are never applied.

use super::{Warning, WarningCode};
use crate::Inference;
use crate::ast::{Name, Program, StatementKind};

/// A function is a macro: where nothing applies it, its names, specifications and shapes are not looked at.
pub(super) fn unapplied(program: &Program, inferred: &Inference) -> Vec<Warning> {
    let functions = program.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Fn { name, .. } => Some(name),
        _ => None,
    });
    let unapplied = functions.zip(&inferred.generated.applied).filter(|(_, applied)| !**applied);
    let warning = |(name, _): (&Name, &bool)| {
        let message = format!("`{}` is never applied, so its body was not looked at", name.text);
        Warning::new(WarningCode::UnappliedFunction, name.span, message, "apply it, or leave it out")
    };
    unapplied.map(warning).collect()
}
