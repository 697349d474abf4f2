//! The operands of functions that take several.

use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind};
use crate::error::ProgramProblem;

impl Parser<'_> {
    /// `(a, b, c)` or `a b c`: the operands of a function that takes so many.
    pub(super) fn operands<const N: usize>(&mut self, expected: &'static str) -> Parsed<[Expr; N]> {
        let list = match self.nested(Self::atom_or_list)? {
            Err(list) => list,
            Ok(first) => {
                let mut list = vec![first];
                while list.len() < N {
                    list.push(self.another(&list, N)?);
                }
                list
            }
        };
        list.try_into().or_else(|_| self.unexpected(expected))
    }

    /// One more operand of a function behind these. A name before a bracket was read as an application.
    fn another(&mut self, before: &[Expr], takes: usize) -> Parsed<Expr> {
        let next = self.next;
        let applied = before.last().is_some_and(|last| matches!(last.kind, ExprKind::Call { .. }));
        self.nested(Self::atom).or_else(|error| match error.problem {
            ProgramProblem::Unexpected(_) if self.next == next && applied => self.unexpected(
                "another operand: a name before `(` is a function that is applied, so write all operands in brackets, as in `where(a, b, c)`",
            ),
            ProgramProblem::Unexpected(_) if self.next == next && takes == 2 => self.unexpected(
                "another operand: of one tensor a specification says which axes stay, as in `max(x, \"ij => i\")`",
            ),
            ProgramProblem::Unexpected(_) if self.next == next => {
                self.unexpected("another operand: this function takes three")
            }
            _ => Err(error),
        })
    }
}
