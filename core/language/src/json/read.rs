//! From JSON trees to programs: no text in between. Names are checked, shapes and specifications have their own parsers,
//! and every error has its place in the JSON.

use super::super::ast::{
    Accumulate, Array, AssignOp, Assignment, BinaryOp, Convolution, Declaration, DimValue, EinsumOp, Expr, ExprKind,
    Index, Init, Name, PermuteOp, PrimitiveOp, Program, Quoted, SpecUse, Statement, StatementKind, Target, TernaryOp,
    UnaryOp,
};
use super::super::error::{ProgramError, ProgramProblem};
use super::super::lexer::is_identifier;
use super::super::numeral::Numeral;
use super::super::parse::{checked_spec, parse_shape};
use super::super::shape::Declared;
use lozenge_notation::Span;
use lozenge_notation::json::{self, Kind, Node};

type Read<T> = Result<T, ProgramError>;

/// Reads the JSON form of a program. Places are bytes of this text; [`lozenge_notation::json::place`] makes JSON pointers of them.
///
/// # Errors
/// A [`ProgramError`] with the place and what would be right.
pub fn parse_json(text: &str) -> Read<Program> {
    let tree = json::read(text).map_err(|error| {
        let span = Span { start: error.offset, end: error.offset + 1 };
        let problem = if error.limit { ProgramProblem::TooDeep } else { ProgramProblem::Json(error.to_string()) };
        ProgramError::new(problem, span)
    })?;
    program(&tree)
}

/// Reads a program.
pub(super) fn program(node: &Node) -> Read<Program> {
    let [statements] = fields(node, r#"a program {"statements": [...]}"#, ["statements"])?;
    Ok(Program { statements: each(statements, "a list of statements", statement)? })
}

fn wrong<T>(message: String, span: Span) -> Read<T> {
    Err(ProgramError::new(ProgramProblem::Json(message), span))
}

/// What stands here is something else.
fn unexpected<T>(node: &Node, expected: &str) -> Read<T> {
    wrong(format!("found {}, expected {expected}", node.found()), node.span)
}

/// The place between the quotes of a string; none where there are no places.
fn inner(node: &Node) -> Span {
    if node.span.is_known() { Span { start: node.span.start + 1, end: node.span.end - 1 } } else { Span::default() }
}

fn text<'n>(node: &'n Node, expected: &str) -> Read<&'n str> {
    node.text().or_else(|node| unexpected(node, expected))
}

fn whole(node: &Node, expected: &str) -> Read<u64> {
    node.whole().or_else(|node| unexpected(node, expected))
}

fn each<T>(node: &Node, expected: &str, read: impl Fn(&Node) -> Read<T>) -> Read<Vec<T>> {
    node.items().or_else(|node| unexpected(node, expected))?.iter().map(read).collect()
}

/// Refuses an object with other fields than these.
fn known(node: &Node, what: &str, allowed: &[&str]) -> Read<()> {
    let fields = node.fields().or_else(|node| unexpected(node, what))?;
    match fields.iter().find(|(key, _)| !allowed.contains(&key.as_str())) {
        None => Ok(()),
        Some((key, value)) => {
            let key = json::shortened(&format!("{key:?}"));
            wrong(format!("unknown field {key}: {what} has {}", allowed.join(", ")), value.span)
        }
    }
}

fn field<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    node.fields().ok()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

fn needed<'n>(node: &'n Node, what: &str, key: &str) -> Read<&'n Node> {
    field(node, key).map_or_else(|| wrong(format!("the field `{key}` is missing in {what}"), node.span), Ok)
}

/// The values of these fields of an object that has no others.
fn fields<'n, const N: usize>(node: &'n Node, what: &str, keys: [&str; N]) -> Read<[&'n Node; N]> {
    known(node, what, &keys)?;
    all(node, what, keys)
}

/// The values of these fields.
fn all<'n, const N: usize>(node: &'n Node, what: &str, keys: [&str; N]) -> Read<[&'n Node; N]> {
    let mut found = [node; N];
    for (slot, key) in found.iter_mut().zip(keys) {
        *slot = needed(node, what, key)?;
    }
    Ok(found)
}

/// An object with one field: its key says what the value is.
fn tagged<'n>(node: &'n Node, what: &str) -> Read<(&'n str, &'n Node)> {
    match node.fields() {
        Ok([(key, value)]) => Ok((key, value)),
        _ => unexpected(node, &format!("{what}: an object with one key that says which")),
    }
}

fn operator<T: Copy>(node: &Node, all: &[T], written: fn(T) -> &'static str) -> Read<T> {
    let found = node.text().ok().and_then(|text| all.iter().find(|op| written(**op) == text));
    let list = || all.iter().map(|op| format!("{:?}", written(*op))).collect::<Vec<_>>().join(", ");
    found.map_or_else(|| unexpected(node, &format!("one of {}", list())), |op| Ok(*op))
}

fn name(node: &Node) -> Read<Name> {
    let expected = "a name: a letter, then letters, digits and _, and no word of the language";
    match text(node, expected)? {
        name if is_identifier(name) => Ok(Name { text: name.to_owned(), span: inner(node) }),
        _ => unexpected(node, expected),
    }
}

fn string(node: &Node) -> Read<String> {
    name(node).map(String::from)
}

fn shape(node: &Node) -> Read<Declared> {
    let text = text(node, "a shape as text, as in \"batch | 3 -> 10\"")?;
    let within = inner(node);
    let place = |span: Span| match within.is_known() || node.span.is_known() {
        true => span.shifted(within.start),
        false => Span::default(),
    };
    // In a program this begins a comment. Here it would hide a part of the shape.
    if let Some(at) = text.find('#') {
        return Err(ProgramError::new(ProgramProblem::Character('#'), place((at..at + 1).into())));
    }
    match parse_shape(text) {
        Ok(shape) => Ok(Declared { span: within, ..shape }),
        Err(error) => Err(ProgramError::new(error.problem, place(error.span))),
    }
}

fn quoted(node: &Node, expected: &str) -> Read<Quoted> {
    Ok(Quoted { text: text(node, expected)?.to_owned(), span: inner(node) })
}

fn statement(node: &Node) -> Read<Statement> {
    let (key, value) = tagged(node, "a statement")?;
    let kind = match key {
        "input" => StatementKind::Input(declaration(value)?),
        "param" => StatementKind::Param(parameter(value)?),
        "const" => StatementKind::Const(declaration(value)?),
        "let" => {
            let [x, it] = fields(value, "a `let`", ["name", "value"])?;
            StatementKind::Let { name: name(x)?, value: expr(it)? }
        }
        "fn" => {
            let [f, params, body] = fields(value, "a function", ["name", "params", "body"])?;
            StatementKind::Fn { name: name(f)?, params: each(params, "a list of names", name)?, body: expr(body)? }
        }
        "dim" => {
            let [x, it] = fields(value, "a `dim`", ["name", "value"])?;
            StatementKind::Dim { name: name(x)?, value: dim_value(it)? }
        }
        "elements" => {
            let [x, it] = fields(value, "an `elements`", ["name", "value"])?;
            StatementKind::Elements { name: name(x)?, value: dim_value(it)? }
        }
        "convolution" => StatementKind::Convolution(operator(value, Convolution::ALL, Convolution::text)?),
        "assign" => StatementKind::Assign(assignment(value)?),
        _ => {
            return unexpected(node, "a statement: input, param, const, let, fn, dim, elements, convolution or assign");
        }
    };
    Ok(Statement { kind, span: node.span })
}

fn declaration(node: &Node) -> Read<Declaration> {
    known(node, "a declaration", &["name", "shape"])?;
    let [x] = all(node, "a declaration", ["name"])?;
    Ok(Declaration { shape: optional(node, "shape").map(shape).transpose()?, ..name(x)?.into() })
}

/// A declaration that may say what the tensor begins with.
fn parameter(node: &Node) -> Read<Declaration> {
    known(node, "a parameter", &["name", "shape", "init"])?;
    let [x] = all(node, "a parameter", ["name"])?;
    let shape = optional(node, "shape").map(shape).transpose()?;
    Ok(Declaration { shape, init: optional(node, "init").map(init).transpose()?, ..name(x)?.into() })
}

fn init(node: &Node) -> Read<Init> {
    match node.text() {
        Ok("range") => Ok(Init::Range),
        _ if node.items().is_ok() => array(node).map(Init::Values),
        _ => match number(node) {
            Ok(constant) => Ok(Init::Values(Array::Number(constant))),
            Err(_) => unexpected(node, "what the parameter begins with: a number, \"range\" or lists"),
        },
    }
}

/// A field that may be left out, or null.
fn optional<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    field(node, key).filter(|value| value.kind != Kind::Null)
}

fn dim_value(node: &Node) -> Read<DimValue> {
    const WHAT: &str = r#"{"size": 8}, {"same": "h"} or {"scaled": [2, "h"]}"#;
    let size = |node: &Node| match whole(node, "a size: a whole number from 1")? {
        0 => Err(ProgramError::new(ProgramProblem::SizeZero, node.span)),
        size => Ok(size),
    };
    match (tagged(node, WHAT)?, node) {
        (("size", n), _) => Ok(DimValue::Size(size(n)?)),
        (("same", other), _) => Ok(DimValue::Same(name(other)?)),
        (("scaled", pair), _) => match pair.items() {
            Ok([n, other]) => Ok(DimValue::Scaled(size(n)?, name(other)?)),
            _ => unexpected(pair, "a number and a name, as in [2, \"h\"]"),
        },
        (_, node) => unexpected(node, WHAT),
    }
}

fn assignment(node: &Node) -> Read<Assignment> {
    known(node, "an assignment", &["target", "op", "value", "logic"])?;
    let [to, op, value] = all(node, "an assignment", ["target", "op", "value"])?;
    let (target, op, value) = (target(to)?, assign_op(op)?, expr(value)?);
    Ok(Assignment { target, op, value, logic: optional(node, "logic").map(logic).transpose()? })
}

fn logic(node: &Node) -> Read<Quoted> {
    let logic = quoted(node, "\".\", \"@\", \"T\" or a specification")?;
    if matches!(logic.text.as_str(), "." | "@" | "T") { Ok(logic) } else { checked_spec(logic) }
}

fn target(node: &Node) -> Read<Target> {
    const WHAT: &str = r#"a target {"name": "x"}, {"grad": "x"} or {"new": ...}"#;
    match tagged(node, WHAT)? {
        ("name", x) => Ok(Target::Name(name(x)?)),
        ("grad", x) => Ok(Target::Grad(name(x)?)),
        ("new", x) if x.text().is_ok() => Ok(Target::New(name(x)?.into())),
        ("new", it) => Ok(Target::New(declaration(it)?)),
        _ => unexpected(node, WHAT),
    }
}

fn assign_op(node: &Node) -> Read<AssignOp> {
    let [erase, how] = fields(node, "an operator of assignments", ["erase", "accumulate"])?;
    let Kind::Bool(erase) = erase.kind else { return unexpected(erase, "true or false") };
    let accumulate = operator(how, Accumulate::ALL, Accumulate::text)?;
    if !erase && accumulate == Accumulate::Replace {
        return wrong("what replaces the target erases it: write \"erase\": true".to_owned(), node.span);
    }
    Ok(AssignOp { erase, accumulate })
}

fn spec_use(node: &Node) -> Read<SpecUse> {
    known(node, "a specification", &["text", "captures"])?;
    let [it] = all(node, "a specification", ["text"])?;
    let text = checked_spec(quoted(it, "a specification as text, as in \"ij => ji\"")?)?;
    // Whether the specification has these labels is seen when it is used.
    let label = |node: &Node| quoted(node, "the name of a label").map(|Quoted { text, span }| Name { text, span });
    let captures = field(node, "captures").map(|list| each(list, "a list of labels", label)).transpose()?;
    Ok(SpecUse { text, captures: captures.unwrap_or_default() })
}

fn number(node: &Node) -> Read<Numeral> {
    let digits = node.number().or_else(|node| node.text().map(Into::into)).ok();
    // As in the text of a program: no words, no sign but a minus.
    let written = |text: &str| text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit());
    let number = digits.filter(|text| written(text)).and_then(|text| Numeral::read(&text));
    number.filter(|n| n.value().is_finite()).map_or_else(|| unexpected(node, "a number"), Ok)
}

fn array(node: &Node) -> Read<Array> {
    match node.items() {
        Ok(list) => Ok(Array::List(list.iter().map(array).collect::<Read<_>>()?)),
        Err(_) => number(node).map(Array::Number),
    }
}

fn index(node: &Node) -> Read<Index> {
    match node.whole() {
        Ok(i) => Ok(Index::Number(i)),
        Err(_) if node.text().is_ok() => string(node).map(Index::Name),
        Err(_) => unexpected(node, "an index: a whole number, or a name that gets its value when the program runs"),
    }
}

fn boxed(node: &Node) -> Read<Box<Expr>> {
    expr(node).map(Box::new)
}

fn expr(node: &Node) -> Read<Expr> {
    let (key, value) = tagged(node, "an expression")?;
    let kind = match key {
        "name" => ExprKind::Name(string(value)?),
        "grad" => ExprKind::Grad(string(value)?),
        "size" => ExprKind::Size(string(value)?),
        "number" => ExprKind::Number(number(value)?),
        "tensor" => ExprKind::Tensor(array(value)?),
        "literal" => {
            let [values, of] = fields(value, "a literal", ["values", "shape"])?;
            if values.items().is_err() {
                return unexpected(values, "lists of numbers");
            }
            ExprKind::Literal { values: array(values)?, shape: shape(of)? }
        }
        "param" => ExprKind::Param(parameter(value)?),
        _ => operation(node, key, value)?,
    };
    Ok(Expr { kind, span: node.span })
}

fn operation(node: &Node, key: &str, value: &Node) -> Read<ExprKind> {
    Ok(match key {
        "unary" => {
            known(value, "a function of one", &["op", "spec", "arg"])?;
            let [op, arg] = all(value, "a function of one", ["op", "arg"])?;
            let spec = optional(value, "spec").map(spec_use).transpose()?;
            ExprKind::Unary { op: operator(op, UnaryOp::ALL, UnaryOp::text)?, spec, arg: boxed(arg)? }
        }
        "binary" => {
            let [op, lhs, rhs] = fields(value, "an operation on two", ["op", "lhs", "rhs"])?;
            let op = operator(op, BinaryOp::ALL, BinaryOp::text)?;
            ExprKind::Binary { op, lhs: boxed(lhs)?, rhs: boxed(rhs)? }
        }
        "primitive" => {
            let [op, lhs, rhs] = fields(value, "an operator of assignments", ["op", "lhs", "rhs"])?;
            let op = operator(op, PrimitiveOp::ALL, PrimitiveOp::text)?;
            ExprKind::Primitive { op, lhs: boxed(lhs)?, rhs: boxed(rhs)? }
        }
        "einsum" => {
            let [op, spec, lhs, rhs] = fields(value, "an einsum", ["op", "spec", "lhs", "rhs"])?;
            let op = operator(op, EinsumOp::ALL, EinsumOp::text)?;
            ExprKind::Einsum { op, spec: spec_use(spec)?, lhs: boxed(lhs)?, rhs: boxed(rhs)? }
        }
        "permute" => {
            let [op, spec, arg] = fields(value, "a permutation", ["op", "spec", "arg"])?;
            let op = operator(op, PermuteOp::ALL, PermuteOp::text)?;
            ExprKind::Permute { op, spec: spec_use(spec)?, arg: boxed(arg)? }
        }
        "concat" => {
            let [spec, args] = fields(value, "a concatenation", ["spec", "args"])?;
            let read = each(args, "a list of expressions", expr)?;
            if read.is_empty() {
                return unexpected(args, "at least one expression");
            }
            ExprKind::Concat { spec: spec_use(spec)?, args: read }
        }
        "slice" => {
            let [arg, at] = fields(value, "a slice", ["arg", "index"])?;
            ExprKind::Slice { arg: boxed(arg)?, index: index(at)? }
        }
        "ternary" => {
            known(value, "a function of three", &["op", "spec", "args"])?;
            let [op, args] = all(value, "a function of three", ["op", "args"])?;
            let op = operator(op, TernaryOp::ALL, TernaryOp::text)?;
            let spec = optional(value, "spec").map(spec_use).transpose()?;
            let read: Result<[Expr; 3], _> = each(args, "a list of three expressions", expr)?.try_into();
            let args = read.or_else(|_| unexpected(args, "three expressions")).map(Box::new)?;
            ExprKind::Ternary { op, spec, args }
        }
        "call" => {
            let [function, args] = fields(value, "an application", ["function", "args"])?;
            ExprKind::Call { function: name(function)?, args: each(args, "a list of expressions", expr)? }
        }
        "let" => {
            let [x, it, body] = fields(value, "a `let`", ["name", "value", "body"])?;
            ExprKind::Let { name: name(x)?, value: boxed(it)?, body: boxed(body)? }
        }
        _ => {
            let expected = "an expression: name, grad, number, tensor, literal, size, param, unary, binary, primitive, einsum, \
                            permute, concat, slice, ternary, call or let";
            return unexpected(node, expected);
        }
    })
}
