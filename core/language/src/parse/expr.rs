//! Expressions. Operators have the precedence that OCaml gives to their first character.

use super::{Parsed, Parser, checked_spec, is_reserved};
use crate::ast::{
    Array, BinaryOp, EinsumOp, Expr, ExprKind, Index, Name, PermuteOp, PrimitiveOp, SpecUse, TernaryOp, UnaryOp,
};
use crate::error::{ProgramError, ProgramProblem};
use crate::lexer::Token;
use crate::numeral::Numeral;
use lozenge_notation::Span;

/// The most operators in one statement, and brackets inside each other.
const MOST_OPERATORS: usize = 1000;
const DEEPEST: usize = 100;

/// How tightly an infix operator binds; the right operand of `**.` may be another `**.`.
fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 0,
        BinaryOp::And => 1,
        BinaryOp::Lt | BinaryOp::Eq | BinaryOp::Ne => 2,
        BinaryOp::Add | BinaryOp::Sub => 4,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Compose => 5,
        BinaryOp::Pow => 6,
        // Functions, never between operands.
        BinaryOp::Max | BinaryOp::Min | BinaryOp::Gate => 7,
    }
}

/// What may follow an operand.
enum Infix {
    Binary(BinaryOp),
    Primitive(PrimitiveOp),
    Einsum(EinsumOp),
    Permute(PermuteOp),
    Concat,
    Slice,
}

impl Infix {
    fn of(sign: &str) -> Option<Infix> {
        let binary = BinaryOp::ALL.iter().find(|op| op.text() == sign).map(|op| Infix::Binary(*op));
        let primitive = || PrimitiveOp::ALL.iter().find(|op| op.text() == sign).map(|op| Infix::Primitive(*op));
        let einsum = || EinsumOp::ALL.iter().find(|op| op.text() == sign).map(|op| Infix::Einsum(*op));
        let permute = || PermuteOp::ALL.iter().find(|op| op.text() == sign).map(|op| Infix::Permute(*op));
        let other = || match sign {
            "@" => Some(Infix::Binary(BinaryOp::Compose)),
            "@|" => Some(Infix::Slice),
            "++^" => Some(Infix::Concat),
            _ => None,
        };
        binary.or_else(primitive).or_else(einsum).or_else(permute).or_else(other)
    }

    fn precedence(&self) -> u8 {
        match self {
            Infix::Binary(op) => precedence(*op),
            Infix::Primitive(op) => precedence(op.pointwise()),
            Infix::Einsum(EinsumOp::Tropical) | Infix::Permute(PermuteOp::Max) | Infix::Slice => 3,
            Infix::Einsum(_) | Infix::Permute(_) | Infix::Concat => 4,
        }
    }
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        if self.token() == Token::Name("let") {
            return self.let_in();
        }
        self.infix(0)
    }

    /// One more operator, unless there are too many.
    pub(super) fn count(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators > MOST_OPERATORS || self.depth > DEEPEST {
            return Err(ProgramError::new(ProgramProblem::TooDeep, self.span()));
        }
        Ok(())
    }

    /// `let x = value in body`.
    fn let_in(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.count()?;
        self.advance();
        let name = self.name("the name of a tensor after `let`")?;
        self.expect("=", "`=` and a blank after it, then an expression")?;
        let value = Box::new(self.nested(Self::expr)?);
        if self.token() != Token::Name("in") {
            return self.unexpected("an operator, or `in` and the expression where the name is visible");
        }
        self.advance();
        let body = Box::new(self.nested(Self::expr)?);
        Ok(self.since(start, ExprKind::Let { name, value, body }))
    }

    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        let found = if self.depth > DEEPEST {
            Err(ProgramError::new(ProgramProblem::TooDeep, self.span()))
        } else {
            read(self)
        };
        self.depth -= 1;
        found
    }

    fn since(&self, start: Span, kind: ExprKind) -> Expr {
        Expr { kind, span: start.to(self.before()) }
    }

    /// Operators that bind at least this tightly, from left to right.
    fn infix(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.prefix()?;
        while let Token::Sign(sign) = self.token() {
            let Some(infix) = Infix::of(sign).filter(|infix| infix.precedence() >= least) else { break };
            self.count()?;
            self.advance();
            let lhs = Box::new(left);
            let kind = match infix {
                Infix::Binary(op) => ExprKind::Binary { op, lhs, rhs: self.right_of(op)? },
                Infix::Primitive(op) => ExprKind::Primitive { op, lhs, rhs: self.right_of(op.pointwise())? },
                Infix::Einsum(op) => {
                    let spec = self.spec_use()?;
                    ExprKind::Einsum { op, spec, lhs, rhs: Box::new(self.nested(Self::prefix)?) }
                }
                Infix::Permute(op) => ExprKind::Permute { op, spec: self.spec_use()?, arg: lhs },
                Infix::Concat => ExprKind::Concat { spec: self.spec_use()?, args: vec![*lhs] },
                Infix::Slice => ExprKind::Slice { arg: lhs, index: self.index()? },
            };
            left = self.since(start, kind);
        }
        Ok(left)
    }

    /// The right operand of an operator; a `let` there takes all that follows.
    fn right_of(&mut self, op: BinaryOp) -> Parsed<Box<Expr>> {
        let least = precedence(op) + u8::from(op != BinaryOp::Pow);
        let operand = |p: &mut Self| if p.token() == Token::Name("let") { p.let_in() } else { p.infix(least) };
        self.nested(operand).map(Box::new)
    }

    /// `"spec"`, then perhaps `["h"; "d"]`.
    pub(super) fn spec_use(&mut self) -> Parsed<SpecUse> {
        let text = checked_spec(self.quoted("a specification in quotes, as in \"ij => ji\"")?)?;
        let mut captures = Vec::new();
        if self.is("[") && matches!(self.second(), Token::Text(_)) {
            self.advance();
            loop {
                let quoted = self.quoted("the name of a label or row variable in quotes")?;
                captures.push(Name { text: quoted.text, span: quoted.span });
                if self.eat("]") {
                    break;
                }
                self.expect(";", "`;` between names, or `]`")?;
                if self.eat("]") {
                    break;
                }
            }
        }
        Ok(SpecUse { text, captures })
    }

    fn index(&mut self) -> Parsed<Index> {
        match self.token() {
            Token::Int(_) => self.int("an index").map(Index::Number),
            _ => self
                .name("an index: a number, or a name that gets its value when the program runs")
                .map(|n| Index::Name(n.text)),
        }
    }

    /// Functions applied to what follows, `-x`, and operands.
    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        match self.token() {
            Token::Sign("-") => {
                self.count()?;
                self.advance();
                if matches!(self.token(), Token::Int(_) | Token::Float(_)) {
                    let number = self.number()?;
                    return Ok(self.since(start, ExprKind::Number(-number)));
                }
                let arg = Box::new(self.nested(Self::prefix)?);
                Ok(self.since(start, ExprKind::Unary { op: UnaryOp::Neg, spec: None, arg }))
            }
            Token::Name(_) if self.is_reduction() => self.atom(),
            Token::Name(name) => {
                if let Some(op) = UnaryOp::ALL.iter().find(|op| op.text() == name) {
                    self.count()?;
                    self.advance();
                    let spec = if matches!(self.token(), Token::Text(_)) { Some(self.spec_use()?) } else { None };
                    let arg = Box::new(self.nested(Self::prefix)?);
                    return Ok(self.since(start, ExprKind::Unary { op: *op, spec, arg }));
                }
                if let Some(op) = BinaryOp::ALL.iter().find(|op| op.text() == name) {
                    self.count()?;
                    self.advance();
                    let [lhs, rhs] = self.operands("two operands")?.map(Box::new);
                    return Ok(self.since(start, ExprKind::Binary { op: *op, lhs, rhs }));
                }
                if let Some(op) = TernaryOp::ALL.iter().find(|op| op.text() == name) {
                    self.count()?;
                    self.advance();
                    let spec = self.spec_of(*op)?;
                    let args = Box::new(self.operands("three operands")?);
                    return Ok(self.since(start, ExprKind::Ternary { op: *op, spec, args }));
                }
                self.atom()
            }
            _ => self.atom(),
        }
    }

    /// The specification of a function of three, where one is written.
    fn spec_of(&mut self, op: TernaryOp) -> Parsed<Option<SpecUse>> {
        if !matches!(self.token(), Token::Text(_)) {
            return Ok(None);
        }
        if !op.takes_spec() {
            return Err(ProgramError::new(ProgramProblem::NoSpec(op.text()), self.span()));
        }
        self.spec_use().map(Some)
    }

    /// `(a, b) ++^ "spec"`, `(a, b, c) +* "spec"`, after the brackets.
    fn of_list(&mut self, args: Vec<Expr>) -> Parsed<ExprKind> {
        if self.eat("++^") {
            return Ok(ExprKind::Concat { spec: self.spec_use()?, args });
        }
        if !self.is("+*") {
            return self.unexpected(
                "after operands in brackets `++^` and a specification, or, after three, `+*` and a specification",
            );
        }
        let args: Result<[Expr; 3], _> = args.try_into();
        let Ok(args) = args else {
            return self.unexpected(
                "`++^`, or three operands in the brackets: two stand on the sides of `+*`, as in `a +* \"i; i => i\" b`",
            );
        };
        self.count()?;
        self.advance();
        Ok(ExprKind::Ternary { op: TernaryOp::Mul3, spec: Some(self.spec_use()?), args: Box::new(args) })
    }

    /// An operand, or the operands of `(a, b)`.
    pub(super) fn atom_or_list(&mut self) -> Parsed<Result<Expr, Vec<Expr>>> {
        if !self.is("(") {
            return self.atom().map(Ok);
        }
        if let Some(literal) = self.shaped()? {
            return Ok(Ok(literal));
        }
        self.advance();
        let mut list = vec![self.nested(Self::expr)?];
        while self.eat(",") {
            list.push(self.nested(Self::expr)?);
        }
        self.expect(")", "an operator, `,` or `)`")?;
        match list.len() {
            1 => list.pop().map_or_else(|| self.unexpected("an operand"), |one| Ok(Ok(one))),
            _ => Ok(Err(list)),
        }
    }

    /// `([[1, 2], [3, 4]]: shape)`; none where the brackets hold something else.
    fn shaped(&mut self) -> Parsed<Option<Expr>> {
        if self.second() != Token::Sign("[") {
            return Ok(None);
        }
        let (next, start) = (self.next, self.span());
        self.advance();
        let values = self.array()?;
        if !self.eat(":") {
            self.next = next;
            return Ok(None);
        }
        let shape = self.shape()?;
        self.expect(")", "`)` after the shape of a literal")?;
        Ok(Some(self.since(start, ExprKind::Literal { values, shape })))
    }

    fn number(&mut self) -> Parsed<Numeral> {
        let (Token::Int(text) | Token::Float(text)) = self.token() else { return self.unexpected("a number") };
        let number = Numeral::read(text).filter(|n| n.value().is_finite());
        let number = number.ok_or_else(|| ProgramError::new(ProgramProblem::Number(text.to_owned()), self.span()));
        self.advance();
        number
    }

    pub(super) fn atom(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.token() {
            Token::Int(_) | Token::Float(_) => ExprKind::Number(self.number()?),
            Token::Name("dim") => {
                self.advance();
                ExprKind::Size(self.name("the name of a dimension after `dim`")?.text)
            }
            Token::Name(_) if self.is_reduction() => self.reduction()?,
            Token::Name(name) if !is_reserved(name) => {
                self.advance();
                if self.is("(") {
                    let function = Name { text: name.to_owned(), span: start };
                    ExprKind::Call { function, args: self.arguments()? }
                } else if self.eat(".") {
                    self.grad()?;
                    ExprKind::Grad(name.to_owned())
                } else {
                    ExprKind::Name(name.to_owned())
                }
            }
            Token::Sign("(") => match self.nested(Self::atom_or_list)? {
                // The brackets are part of the place, and of nothing else.
                Ok(expr) => return Ok(Expr { span: start.to(self.before()), ..expr }),
                Err(args) => self.of_list(args)?,
            },
            Token::Sign("[") => {
                let array = self.array()?;
                if self.is(":") {
                    return self.unexpected(
                        "an operator; a literal with its shape stands in brackets, as in `([1, 2]: 2 | ->)`",
                    );
                }
                ExprKind::Tensor(array)
            }
            Token::Sign("{") => {
                self.advance();
                ExprKind::Param(self.parameter_in_braces()?)
            }
            _ => {
                return self.unexpected("an operand: a tensor, a number, a function, `(`, or a parameter `{ w }`");
            }
        };
        Ok(self.since(start, kind))
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.count()?;
        self.advance();
        let mut args = Vec::new();
        if !self.is(")") {
            args.push(self.nested(Self::expr)?);
            while self.eat(",") {
                args.push(self.nested(Self::expr)?);
            }
        }
        self.expect(")", "an operator, `,` or `)`")?;
        Ok(args)
    }

    /// `[1, 2]`, `[[1, 2], [3, 4]]`.
    pub(super) fn array(&mut self) -> Parsed<Array> {
        if !self.eat("[") {
            let negative = self.eat("-");
            let number = self.number()?;
            return Ok(Array::Number(if negative { -number } else { number }));
        }
        let mut list = vec![self.nested(Self::array)?];
        while self.eat(",") {
            list.push(self.nested(Self::array)?);
        }
        self.expect("]", "`,` or `]`")?;
        Ok(Array::List(list))
    }
}
