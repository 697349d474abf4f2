//! Reductions written as applications: `sum(x, "ij => i")`, `mean`, `max` and `min`.

use super::{Parsed, Parser};
use crate::ast::{ExprKind, PermuteOp};
use crate::lexer::Token;

/// The words and what they are. `sum` and `mean` are names as well: only the text in quotes makes them reductions.
const REDUCTIONS: [(&str, PermuteOp); 4] =
    [("sum", PermuteOp::Sum), ("mean", PermuteOp::Mean), ("max", PermuteOp::Max), ("min", PermuteOp::Min)];

/// Is this a function that reduces by a specification?
pub(crate) fn is_reducing(word: &str) -> bool {
    REDUCTIONS.iter().any(|(known, _)| *known == word)
}

impl Parser<'_> {
    /// The reduction that this name stands for, if a bracket with an operand and text in quotes follows. Nothing else is
    /// written so: no operand is text, and `max(a, b)` and a program's own `mean(x)` have none.
    fn reduction_here(&self) -> Option<PermuteOp> {
        let Token::Name(name) = self.token() else { return None };
        let (_, op) = REDUCTIONS.iter().find(|(word, _)| *word == name)?;
        let rest = self.tokens.get(self.next + 1..)?;
        let mut depth = 0_usize;
        for (i, lexed) in rest.iter().enumerate().take_while(|(_, lexed)| !lexed.begins) {
            match lexed.token {
                Token::Sign("(" | "[" | "{") => depth += 1,
                Token::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Token::Sign(",") if depth == 1 => {
                    let second = rest.get(i + 1).filter(|lexed| !lexed.begins);
                    return second.filter(|lexed| matches!(lexed.token, Token::Text(_))).map(|_| *op);
                }
                _ => {}
            }
            if depth == 0 {
                return None;
            }
        }
        None
    }

    pub(super) fn is_reduction(&self) -> bool {
        self.reduction_here().is_some()
    }

    /// `sum(x, "spec")` and its kin.
    pub(super) fn reduction(&mut self) -> Parsed<ExprKind> {
        let Some(op) = self.reduction_here() else {
            return self.unexpected("a reduction, as in `sum(x, \"ij => i\")`");
        };
        self.count()?;
        self.advance();
        self.advance();
        // As deep as the brackets of `(x) ++ "spec"`, which is what is printed.
        let arg = Box::new(self.nested(|parser| parser.nested(Self::expr))?);
        self.expect(",", "an operator, or `,` before the specification")?;
        let spec = self.spec_use()?;
        self.expect(")", "`)` after the specification")?;
        Ok(ExprKind::Permute { op, spec, arg })
    }
}
