//! Statements.

use super::{Parsed, Parser, checked_spec, is_reducing, is_reserved};
use crate::ast::{
    Accumulate, AssignOp, Assignment, BinaryOp, Convolution, Declaration, DimValue, Expr, ExprKind, Init, Quoted,
    Statement, StatementKind, Target,
};
use crate::error::{ProgramError, ProgramProblem};
use crate::lexer::Token;
use lozenge_notation::Span;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        (self.inside, self.operators) = (false, 0);
        let start = self.span();
        let kind = match self.token() {
            _ if !self.lexed().begins => {
                return self
                    .unexpected("an operator, or the end of the statement (the next begins in the first column)");
            }
            Token::Name("input") => self.leaf().map(StatementKind::Input)?,
            Token::Name("param") => self.parameter().map(StatementKind::Param)?,
            Token::Name("const") => self.leaf().map(StatementKind::Const)?,
            // A name before another, or alone, begins no other statement, so that these words stay names elsewhere.
            Token::Name("convolution") if matches!(self.second(), Token::Name(_) | Token::End) => self.convolution()?,
            Token::Name("elements") if matches!(self.second(), Token::Name(_) | Token::End) => self.elements()?,
            Token::Name("let") => self.let_statement()?,
            Token::Name("fn") => self.function()?,
            Token::Name(name) if !is_reserved(name) && self.second() == Token::Sign("=") => self.dimension()?,
            Token::Name(name) if !is_reserved(name) => self.assignment().map(StatementKind::Assign)?,
            Token::Sign("{") => self.assignment().map(StatementKind::Assign)?,
            _ => {
                return self.unexpected(
                    "a statement: `input`, `param`, `const`, `let`, `fn`, `size = number`, or an assignment `x =+ …`",
                );
            }
        };
        Ok(Statement { kind, span: start.to(self.before()) })
    }

    /// `x`, `x: shape`.
    fn declaration(&mut self, name: &'static str) -> Parsed<Declaration> {
        let name = self.name(name)?;
        let shape = if self.eat(":") { Some(self.shape()?) } else { None };
        Ok(Declaration { shape, ..name.into() })
    }

    /// An `input` or `const`.
    fn leaf(&mut self) -> Parsed<Declaration> {
        self.advance();
        let declaration = self.declaration("the name of a tensor")?;
        self.no_init()?;
        Ok(declaration)
    }

    /// A `param`.
    fn parameter(&mut self) -> Parsed<Declaration> {
        self.advance();
        let declaration = self.declaration("the name of a tensor")?;
        Ok(Declaration { init: self.init()?, ..declaration })
    }

    /// `{ w }`, `{ w: shape }`, `{ w = 0.5 }`, after the brace.
    pub(super) fn parameter_in_braces(&mut self) -> Parsed<Declaration> {
        let declaration = self.declaration("the name of a new parameter")?;
        let init = self.init()?;
        self.expect("}", "`}` after a parameter")?;
        Ok(Declaration { init, ..declaration })
    }

    /// `= 0.5`, `= range`, `= [1, 2]`: what a parameter begins with.
    fn init(&mut self) -> Parsed<Option<Init>> {
        const EXPECTED: &str = "what the parameter begins with: a number, `range`, or lists as [[1, 2], [3, 4]]";
        if self.is("=-") {
            return self.unexpected("`=` and a blank, then the number that the parameter begins with");
        }
        if !self.eat("=") {
            return Ok(None);
        }
        match self.token() {
            Token::Name("range") => {
                self.advance();
                Ok(Some(Init::Range))
            }
            Token::Int(_) | Token::Float(_) | Token::Sign("[" | "-") => self.array().map(|it| Some(Init::Values(it))),
            _ => self.unexpected(EXPECTED),
        }
    }

    /// Other tensors than parameters begin with nothing.
    fn no_init(&self) -> Parsed<()> {
        if self.is("=") { Err(ProgramError::new(ProgramProblem::Initialiser, self.span())) } else { Ok(()) }
    }

    fn let_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let name = self.name("the name of a tensor after `let`")?;
        self.expect("=", "`=` and a blank after it, then an expression")?;
        let value = self.expr()?;
        if self.token() == Token::Name("in") {
            return self.unexpected("the end of the statement: what a `let` statement defines stays visible");
        }
        Ok(StatementKind::Let { name, value })
    }

    fn function(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let name = self.name("the name of a function after `fn`")?;
        self.expect("(", "`(` and the names of the arguments")?;
        let mut params = Vec::new();
        if !self.is(")") {
            params.push(self.name("the name of an argument")?);
            while self.eat(",") {
                params.push(self.name("the name of an argument")?);
            }
        }
        self.expect(")", "`,` or `)` after the name of an argument")?;
        self.expect("=", "`=` and the function's body")?;
        Ok(StatementKind::Fn { name, params, body: self.expr()? })
    }

    /// `convolution padded`, `convolution valid`.
    fn convolution(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let Token::Name(word) = self.token() else { return self.unexpected("`padded` or `valid`") };
        let Some(mode) = Convolution::ALL.iter().find(|mode| mode.text() == word) else {
            return self.unexpected("`padded` or `valid`");
        };
        self.advance();
        Ok(StatementKind::Convolution(*mode))
    }

    /// `h = 8`, `d = h`, `d = 2 * h`.
    fn dimension(&mut self) -> Parsed<StatementKind> {
        let name = self.name("the name of a dimension")?;
        self.advance();
        let expected =
            "a size, the name of a dimension, or a multiple of one as in `2 * h` (tensors are defined with `let`)";
        let value = self.dim_value(expected)?;
        if self.token() != Token::End {
            return self
                .unexpected("the end of the statement: it gives a size its value, and tensors are defined with `let`");
        }
        Ok(StatementKind::Dim { name, value })
    }

    /// `elements x = 24`, `elements x = h`, `elements x = 2 * h`.
    fn elements(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let name = self.name("the name of a tensor after `elements`")?;
        self.expect("=", "`=` and how many elements the tensor has, over all its rows")?;
        let value = self.dim_value("a number of elements, the name of a size, or a multiple of one as in `2 * h`")?;
        Ok(StatementKind::Elements { name, value })
    }

    fn dim_value(&mut self, expected: &'static str) -> Parsed<DimValue> {
        let Token::Int(_) = self.token() else { return self.name(expected).map(DimValue::Same) };
        let factor = self.size(expected)?;
        if !self.eat("*") {
            return Ok(DimValue::Size(factor));
        }
        Ok(DimValue::Scaled(factor, self.name("the name of a dimension")?))
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let target = if self.eat("{") {
            let new = self.declaration("the name of a new tensor")?;
            self.no_init()?;
            self.expect("}", "`}` after a new tensor")?;
            Target::New(new)
        } else {
            let name = self.name("the name of a tensor")?;
            if self.eat(".") {
                self.grad()?;
                Target::Grad(name)
            } else {
                Target::Name(name)
            }
        };
        let op = self.assign_op()?;
        let value = self.expr()?;
        let (op, logic) = match self.product_sign(&value) {
            Some(sign) => self.product(op, sign)?,
            None => (op, self.logic()?),
        };
        Ok(Assignment { target, op, value, logic })
    }

    /// The place of `@`, where it is the operator of an assignment.
    fn product_sign(&self, value: &Expr) -> Option<Span> {
        let ExprKind::Binary { op: BinaryOp::Compose, lhs, .. } = &value.kind else { return None };
        let after = self.tokens.partition_point(|lexed| lexed.span.start < lhs.span.end);
        self.tokens.get(after).filter(|lexed| lexed.token == Token::Sign("@")).map(|lexed| lexed.span)
    }

    /// An assignment of `a @ b`. It says its logic, where `a * b` must say which product it is; and it is a sum, where
    /// `=:` with a logic would keep the last of the products.
    fn product(&self, op: AssignOp, sign: Span) -> Parsed<(AssignOp, Option<Quoted>)> {
        if self.is("~") {
            return self.unexpected("the end of the statement: `@` says the logic");
        }
        let accumulate = match op.accumulate {
            Accumulate::Replace => Accumulate::Add,
            Accumulate::Add | Accumulate::Sub => op.accumulate,
            _ => {
                let expected =
                    "another operator: `@` is a sum, and goes with `=:`, `=+` and `=-`; give it a name with `let`";
                return Err(ProgramError::unexpected("`@`".to_owned(), expected, sign));
            }
        };
        Ok((AssignOp { accumulate, ..op }, Some(Quoted { text: "@".to_owned(), span: sign })))
    }

    /// `~logic:"…"`, where it stands.
    fn logic(&mut self) -> Parsed<Option<Quoted>> {
        if !self.eat("~") {
            return Ok(None);
        }
        if self.token() != Token::Name("logic") {
            return self.unexpected("`logic`, as in ~logic:\".\"");
        }
        self.advance();
        self.expect(":", "`:` after ~logic")?;
        let logic = self.quoted("\".\", \"@\", \"T\" or a specification, in quotes")?;
        if matches!(logic.text.as_str(), "." | "@" | "T") { Ok(Some(logic)) } else { checked_spec(logic).map(Some) }
    }

    pub(super) fn grad(&mut self) -> Parsed<()> {
        match (self.token(), self.second()) {
            (Token::Name("grad"), _) => {}
            (Token::Name(name), Token::Sign("(")) if is_reducing(name) => {
                return self.unexpected(
                    "`grad`: there are no methods, and a specification says which axes stay, as in `sum(x, \"...|ab => ...|a\")`",
                );
            }
            _ => return self.unexpected("`grad`, as in `w.grad`"),
        }
        self.advance();
        Ok(())
    }

    fn assign_op(&mut self) -> Parsed<AssignOp> {
        let Token::Sign(sign) = self.token() else {
            return self.unexpected("an assignment operator, as in `x =+ y` or `x =: y`");
        };
        let Some(rest) = sign.strip_prefix('=') else {
            return self.unexpected("an assignment operator, as in `x =+ y` or `x =: y`");
        };
        let (erase, rest) = rest.strip_prefix(':').map_or((false, rest), |rest| (true, rest));
        let found = Accumulate::ALL.iter().find(|op| op.text() == rest && (erase || !rest.is_empty()));
        let Some(accumulate) = found.copied() else {
            return self.unexpected("an assignment operator, as in `x =+ y` or `x =: y`");
        };
        self.advance();
        Ok(AssignOp { erase, accumulate })
    }
}
