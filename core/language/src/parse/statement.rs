//! Statements.

use super::{Parsed, Parser, check_spec, is_reserved};
use crate::ast::{Accumulate, AssignOp, Assignment, Declaration, DimValue, Statement, StatementKind, Target};
use crate::lexer::Token;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        (self.inside, self.operators) = (false, 0);
        let start = self.span();
        let kind = match self.token() {
            _ if !self.lexed().begins => {
                return self
                    .unexpected("an operator, or the end of the statement (the next begins in the first column)");
            }
            Token::Name("input") => self.declaration().map(StatementKind::Input)?,
            Token::Name("param") => self.declaration().map(StatementKind::Param)?,
            Token::Name("const") => self.declaration().map(StatementKind::Const)?,
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

    fn declaration(&mut self) -> Parsed<Declaration> {
        self.advance();
        let name = self.name("the name of a tensor")?;
        let shape = if self.eat(":") { Some(self.shape()?) } else { None };
        Ok(Declaration { name, shape })
    }

    /// `{ w }`, `{ w: shape }`, after the brace.
    pub(super) fn declared_in_braces(&mut self, name: &'static str, end: &'static str) -> Parsed<Declaration> {
        let name = self.name(name)?;
        let shape = if self.eat(":") { Some(self.shape()?) } else { None };
        self.expect("}", end)?;
        Ok(Declaration { name, shape })
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

    /// `h = 8`, `d = h`, `d = 2 * h`.
    fn dimension(&mut self) -> Parsed<StatementKind> {
        let name = self.name("the name of a dimension")?;
        self.advance();
        let expected =
            "a size, the name of a dimension, or a multiple of one as in `2 * h` (tensors are defined with `let`)";
        let value = if let Token::Int(_) = self.token() {
            let factor = self.size(expected)?;
            if self.eat("*") {
                DimValue::Scaled(factor, self.name("the name of a dimension")?)
            } else {
                DimValue::Size(factor)
            }
        } else {
            DimValue::Same(self.name(expected)?)
        };
        Ok(StatementKind::Dim { name, value })
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let target = if self.eat("{") {
            Target::New(self.declared_in_braces("the name of a new tensor", "`}` after a new tensor")?)
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
        let logic = if self.eat("~") {
            if self.token() != Token::Name("logic") {
                return self.unexpected("`logic`, as in ~logic:\".\"");
            }
            self.advance();
            self.expect(":", "`:` after ~logic")?;
            Some(self.quoted("\".\", \"@\", \"T\" or a specification, in quotes")?)
        } else {
            None
        };
        if let Some(logic) = logic.as_ref().filter(|l| !matches!(l.text.as_str(), "." | "@" | "T")) {
            check_spec(logic)?;
        }
        Ok(Assignment { target, op, value, logic })
    }

    pub(super) fn grad(&mut self) -> Parsed<()> {
        if self.token() != Token::Name("grad") {
            return self.unexpected("`grad`, as in `w.grad`");
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
