//! The grammar of programs (spec/program.md), read with one token of look-ahead.

mod expr;

use super::ast::{
    Accumulate, AssignOp, Assignment, Declaration, DimValue, Name, Program, Quoted, Statement, StatementKind, Target,
};
use super::einsum::Spec;
use super::error::{Problem, ProgramError};
use super::lexer::{Lexed, Token, tokens};
use super::shape::{Declared, DeclaredAxis, DeclaredRow, RowName};
use lozenge_notation::Span;

type Parsed<T> = Result<T, ProgramError>;

/// The words that no tensor, function or dimension can be called.
const RESERVED: [&str; 26] = [
    "input",
    "param",
    "const",
    "let",
    "in",
    "fn",
    "dim",
    "unit",
    "grad",
    "logic",
    "where",
    "fma",
    "relu",
    "exp",
    "log",
    "sin",
    "cos",
    "sqrt",
    "tanh",
    "recip",
    "neg",
    "not",
    "max",
    "min",
    "relu_gate",
    "mul3",
];

pub(super) fn is_reserved(text: &str) -> bool {
    RESERVED.contains(&text)
}

/// Reads a program.
///
/// # Errors
/// A [`ProgramError`] with the place and what was expected.
pub fn parse(source: &str) -> Parsed<Program> {
    let mut parser = Parser::new(source)?;
    let mut statements = Vec::new();
    while parser.lexed().token != Token::End {
        statements.push(parser.statement()?);
    }
    Ok(Program { statements })
}

/// Reads a shape: `batch | input -> output`, or a part of it.
///
/// # Errors
/// As [`parse`].
pub fn parse_shape(source: &str) -> Parsed<Declared> {
    let mut parser = Parser::new(source)?;
    let shape = parser.shape()?;
    match parser.lexed().token {
        Token::End => Ok(shape),
        _ => parser.unexpected("`,` between axes, or the end of the shape"),
    }
}

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Lexed<'a>>,
    next: usize,
    /// Has the statement begun, so that a token in the first column ends it?
    inside: bool,
    /// How many operators the statement has so far.
    operators: usize,
    /// How deep the brackets are.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Parsed<Self> {
        Ok(Parser { source, tokens: tokens(source)?, next: 0, inside: false, operators: 0, depth: 0 })
    }

    /// The next token, whatever column it is in. There is always one: the last is `End`.
    fn lexed(&self) -> Lexed<'a> {
        let end = (self.source.len()..self.source.len()).into();
        let last = Lexed { token: Token::End, span: end, begins: true };
        self.tokens.get(self.next).copied().unwrap_or(last)
    }

    /// The next token of this statement; `End` when the next statement begins.
    fn token(&self) -> Token<'a> {
        let lexed = self.lexed();
        if self.inside && lexed.begins { Token::End } else { lexed.token }
    }

    /// The token after that.
    fn second(&self) -> Token<'a> {
        match self.tokens.get(self.next + 1) {
            Some(lexed) if !lexed.begins => lexed.token,
            _ => Token::End,
        }
    }

    fn span(&self) -> Span {
        self.lexed().span
    }

    /// The place of the token before.
    fn before(&self) -> Span {
        self.next.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(Span::default(), |lexed| lexed.span)
    }

    fn advance(&mut self) {
        self.next += 1;
        self.inside = true;
    }

    fn is(&self, sign: &'static str) -> bool {
        self.token() == Token::Sign(sign)
    }

    fn eat(&mut self, sign: &'static str) -> bool {
        let here = self.is(sign);
        if here {
            self.advance();
        }
        here
    }

    fn expect(&mut self, sign: &'static str, expected: &'static str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { self.unexpected(expected) }
    }

    fn unexpected<T>(&self, expected: &'static str) -> Parsed<T> {
        let (found, span) = match self.token() {
            Token::End if self.lexed().token == Token::End => ("the end".to_owned(), self.span()),
            // At the end of the statement, the place is after its last token.
            Token::End => {
                let end = self.before().end;
                ("the end of the statement".to_owned(), (end..end).into())
            }
            _ => (format!("`{}`", self.span().text(self.source)), self.span()),
        };
        Err(ProgramError::new(Problem::Unexpected { found, expected }, span))
    }

    fn name(&mut self, expected: &'static str) -> Parsed<Name> {
        match self.token() {
            Token::Name(text) if !is_reserved(text) => {
                let span = self.span();
                self.advance();
                Ok(Name { text: text.to_owned(), span })
            }
            _ => self.unexpected(expected),
        }
    }

    fn int(&mut self, expected: &'static str) -> Parsed<u64> {
        let Token::Int(digits) = self.token() else { return self.unexpected(expected) };
        let value = digits.parse().map_err(|_| ProgramError::new(Problem::Number(digits.to_owned()), self.span()));
        self.advance();
        value
    }

    fn size(&mut self, expected: &'static str) -> Parsed<u64> {
        let span = self.span();
        match self.int(expected)? {
            0 => Err(ProgramError::new(Problem::SizeZero, span)),
            size => Ok(size),
        }
    }

    /// Text in quotes; its place is that of its content.
    fn quoted(&mut self, expected: &'static str) -> Parsed<Quoted> {
        let Token::Text(text) = self.token() else { return self.unexpected(expected) };
        let span = Span { start: self.span().start + 1, end: self.span().end.saturating_sub(1) };
        self.advance();
        Ok(Quoted { text: text.to_owned(), span })
    }

    fn statement(&mut self) -> Parsed<Statement> {
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
    fn declared_in_braces(&mut self, name: &'static str, end: &'static str) -> Parsed<Declaration> {
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

    fn grad(&mut self) -> Parsed<()> {
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

    /// `batch | input -> output`, `input -> output`, `batch | output`, `output`.
    fn shape(&mut self) -> Parsed<Declared> {
        let start = self.span();
        if !matches!(self.token(), Token::Int(_) | Token::Name(_) | Token::Sign("..." | ".." | "|" | "->" | "?" | "_"))
        {
            return self.unexpected("a shape, as in `batch | 3 -> 10` or `28, 28`");
        }
        let mut shape = Declared::default();
        let first = self.row()?;
        let rows = &mut shape.rows;
        let second = if self.eat("|") {
            rows.batch = first;
            self.row()?
        } else {
            first
        };
        if self.eat("->") {
            rows.input = second;
            rows.output = self.row()?;
        } else {
            rows.output = second;
        }
        if self.is("|") {
            return self.unexpected("the end of the shape: the batch row comes first, as in `batch | input -> output`");
        }
        shape.span = start.to(self.before());
        Ok(shape)
    }

    /// Axes with commas between them; commas beside a row variable may be left out.
    fn row(&mut self) -> Parsed<DeclaredRow> {
        let mut row = DeclaredRow::default();
        let (mut comma, mut any) = (true, false);
        loop {
            let var = match self.token() {
                Token::Sign(",") if any => {
                    self.advance();
                    (comma, any) = (true, false);
                    continue;
                }
                Token::Sign("...") => {
                    self.advance();
                    RowName::Any
                }
                Token::Sign("..") => {
                    self.advance();
                    let name = self.name("the name of a row, as in `..r..`")?;
                    self.expect("..", "`..` after the name of a row, as in `..r..`")?;
                    RowName::Named(name.text)
                }
                Token::Int(_) | Token::Name(_) | Token::Sign("?" | "_") => {
                    if !comma {
                        return self.unexpected("`,` between axes");
                    }
                    let axis = self.axis()?;
                    if row.var.is_some() { &mut row.trail } else { &mut row.lead }.push(axis);
                    (comma, any) = (false, true);
                    continue;
                }
                _ => break,
            };
            if row.var.replace(var).is_some() {
                self.next -= 1;
                return self.unexpected("an axis: a row has at most one `...` or `..name..`");
            }
            (comma, any) = (true, true);
        }
        if row.var.is_none() {
            row.trail = std::mem::take(&mut row.lead);
        }
        Ok(row)
    }

    fn axis(&mut self) -> Parsed<DeclaredAxis> {
        if let Token::Int(_) = self.token() {
            let size = self.size("a size")?;
            let basis = if self.eat(":") { Some(self.name("the name of a basis, as in 3:rgb")?.text) } else { None };
            return Ok(DeclaredAxis::Size(size, basis.filter(|b| b != "default")));
        }
        if self.eat("?") || self.eat("_") {
            return Ok(DeclaredAxis::Unknown);
        }
        if self.token() == Token::Name("unit") {
            self.advance();
            return Ok(DeclaredAxis::Unit);
        }
        Ok(DeclaredAxis::Named(self.name("an axis: a size, `?`, or the name of a dimension")?.text))
    }
}

/// A specification must be well formed, even where nothing uses it.
fn check_spec(quoted: &Quoted) -> Parsed<()> {
    quoted.text.parse::<Spec>().map(|_| ()).map_err(|error| ProgramError::spec(error, quoted.span))
}
