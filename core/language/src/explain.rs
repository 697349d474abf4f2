//! Shape errors people can act on: what clashes, where each claim comes from, and what to try.

mod draw;
mod trace;

use super::error::ProgramError;
use super::generate::{FixedIndex, Generated, Logic, Marker, Operand, Operation, Origin, Role, TensorId};
use super::shape::{Kind, Shape, ShapeTerm, show, show_partial};
use super::staged::SizeError;
use super::told::{Failed, Log};
pub use draw::Drawn;
use lozenge_calculus::dim::{Basis, Dim};
use lozenge_calculus::names::Names;
use lozenge_calculus::term::{RowTerm, Var, Vars};
use lozenge_engine::closing::{Assumption, Hole};
use lozenge_engine::solver::Why;
use lozenge_engine::solver::{Failure, Limit, Policy, Rule};
use lozenge_notation::Span;
use std::fmt;

/// Why a program has no shapes.
#[derive(Clone, Debug)]
pub enum InferError {
    /// It is not well formed.
    Program(ProgramError),
    /// Two claims about shapes do not go together.
    Clash(Box<Clash>),
    /// A parameter has a dimension that nothing determines.
    Hole(Box<HoleError>),
    /// An index is not less than the size of its axis.
    Index(Box<IndexError>),
    /// A size that is worked out cannot be.
    Size(Box<SizeError>),
    /// A limit of the solver was reached.
    Limit(Limit),
}

impl From<ProgramError> for InferError {
    fn from(error: ProgramError) -> Self {
        InferError::Program(error)
    }
}

/// A step of the way from the program to the clash: what is said, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// The constraint of the program, by number.
    pub constraint: usize,
    /// The place.
    pub span: Span,
    /// What is said there; tensors without a name are given by their place.
    pub words: Words,
    /// Where the marker of its row comes from.
    pub marker: Marker,
}

/// One of the two claims that clash.
#[derive(Clone, PartialEq, Debug)]
pub struct ClashClaim {
    /// What is claimed.
    pub value: String,
    /// The links that say so, nearest first.
    pub because: Vec<Link>,
}

/// Two claims about shapes that do not go together.
#[derive(Clone, Debug)]
pub struct Clash {
    /// The rule that failed.
    pub rule: Rule,
    /// Why, as the solver says it.
    pub why: Why,
    /// The constraint it failed on, in the notation.
    pub constraint: String,
    /// Is it certain that there are no shapes? If not, a choice of where axes are inserted led here.
    pub certain: bool,
    /// Did everything fit until sizes were assumed for what is left open?
    pub closing: bool,
    /// The kind of row.
    pub kind: Kind,
    /// The label or named dimension, if it is about one.
    pub label: Option<String>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The operation, or the statement, where it shows.
    pub span: Span,
    /// The applications of functions that it is part of, outermost first.
    pub calls: Vec<Span>,
    /// The result and the operands of that operation.
    pub operands: Vec<Drawn>,
    /// The claims.
    pub claims: Vec<ClashClaim>,
    /// Everything the clash rests on, in the program's order.
    pub chain: Vec<Link>,
    /// What to try.
    pub remedies: Vec<String>,
}

/// A parameter's dimension that nothing determines.
#[derive(Clone, Debug)]
pub struct HoleError {
    /// The parameter.
    pub tensor: String,
    /// Where it is declared.
    pub span: Span,
    /// The kind of the row.
    pub kind: Kind,
    /// What is known of its shape.
    pub known: String,
    /// Where it is used.
    pub uses: Vec<Link>,
}

/// An index that is not less than the size of its axis.
#[derive(Clone, Debug)]
pub struct IndexError {
    /// The index.
    pub index: u64,
    /// How many elements the axis has.
    pub size: u64,
    /// The kind of the row.
    pub kind: Kind,
    /// The tensor.
    pub tensor: Words,
    /// Its shape.
    pub shape: String,
    /// Is it the index of a slice?
    pub slice: bool,
    /// The operation.
    pub span: Span,
}

/// Text with places in it that stand for what is written there.
#[derive(Clone, PartialEq, Debug)]
pub struct Words(pub Vec<Word>);

/// A part of a text.
#[derive(Clone, PartialEq, Debug)]
pub enum Word {
    /// As it is.
    Plain(String),
    /// What the program has at this place.
    At(Span),
}

impl Words {
    fn say(mut self, text: impl Into<String>) -> Self {
        self.0.push(Word::Plain(text.into()));
        self
    }

    fn tensor(mut self, generated: &Generated, id: TensorId) -> Self {
        let tensor = &generated.tensors[id];
        self.0.push(match &tensor.name {
            Some(name) => Word::Plain(format!("`{name}`")),
            None => Word::At(tensor.span),
        });
        self
    }

    /// The text, for a program written in this source.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        let word = |word: &Word| match word {
            Word::Plain(text) => text.clone(),
            Word::At(span) if !span.is_known() => "an unnamed tensor".to_owned(),
            Word::At(span) => format!("`{}`", one_line(span.text(source))),
        };
        self.0.iter().map(word).collect()
    }
}

/// Text on one line, and not too much of it.
fn one_line(text: &str) -> String {
    const MOST: usize = 48;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= MOST { joined } else { joined.chars().take(MOST - 1).chain(['…']).collect() }
}

fn words() -> Words {
    Words(Vec::new())
}

/// What a constraint of the program says.
pub(super) fn link(generated: &Generated, constraint: usize) -> Link {
    let origin = &generated.origins[constraint];
    let said = match origin.operation.and_then(|o| generated.operations.get(o)) {
        None => words().say(format!("the size `{}`", origin.label.as_deref().unwrap_or("?"))),
        Some(operation) => relation(generated, operation, origin),
    };
    Link { constraint, span: origin.span, words: said, marker: origin.marker }
}

fn relation(generated: &Generated, operation: &Operation, origin: &Origin) -> Words {
    let (kind, result) = (origin.kind, operation.result);
    let operand = |i: usize| operation.operands.get(i).copied().unwrap_or(result);
    match (operation.logic, origin.operand) {
        (Logic::Pointwise, Operand::Argument(i)) => words()
            .say(format!("element by element: the {kind} row of "))
            .tensor(generated, operand(i))
            .say(" must fit that of ")
            .tensor(generated, result),
        (Logic::Transpose, Operand::Argument(i)) => {
            words().say(format!("transposed: the {kind} row of ")).tensor(generated, operand(i)).say(" changes place")
        }
        (_, Operand::Between(i, j)) => words()
            .say("composition: the output row of ")
            .tensor(generated, operand(j))
            .say(" goes into the input row of ")
            .tensor(generated, operand(i)),
        (Logic::Compose | Logic::ComposeAccumulate, Operand::Argument(i)) => words()
            .say(format!("composition: the {kind} row of "))
            .tensor(generated, operand(i))
            .say(" must fit that of ")
            .tensor(generated, result),
        (Logic::Slice, _) => words()
            .say(format!("a slice: the {kind} row of "))
            .tensor(generated, operand(0))
            .say(" without its first batch axis"),
        (_, Operand::Argument(i)) => {
            words().say(format!("the {kind} row of ")).tensor(generated, operand(i)).say(" is what its slot says")
        }
        (_, Operand::Result) => words().say(format!("the {kind} row of the result is what its slot says")),
    }
}

/// The clash of a prefix of the constraints.
pub(super) fn clash(generated: &Generated, upto: usize, failure: &Failure, policy: Policy) -> InferError {
    let found = trace::online(generated, upto, policy);
    InferError::Clash(Box::new(build(generated, upto, failure, found, false)))
}

/// A clash of which no more is known yet.
pub(super) fn bare_clash(generated: &Generated, upto: usize, failure: &Failure) -> InferError {
    InferError::Clash(Box::new(build(generated, upto, failure, None, false)))
}

/// A clash of the stages, with the derivation of the very run that failed.
pub(super) fn clash_of(generated: &Generated, failed: &Failed, log: &Log, names: Names) -> InferError {
    let Failed { failure, upto, shapes } = failed;
    let found = trace::of(&log.trace, &log.numbers, failure, names, shapes.clone());
    InferError::Clash(Box::new(build(generated, *upto, failure, found, false)))
}

/// A clash that shows only when closing commits values.
pub(super) fn at_closing(
    generated: &Generated,
    failure: &Failure,
    assumptions: &[Assumption],
    policy: Policy,
) -> InferError {
    let found = trace::closing(generated, assumptions, policy);
    InferError::Clash(Box::new(build(generated, generated.constraints.len(), failure, found, true)))
}

fn build(generated: &Generated, upto: usize, failure: &Failure, found: Option<trace::Found>, closing: bool) -> Clash {
    // The traced run sees what the first did; where it does not, there is no derivation to show.
    let found = found.unwrap_or_else(|| trace::Found::bare(failure, generated));
    let trace::Found { failure, names, shapes, inputs, vars, claims } = found;
    let at = if closing { inputs.last().copied() } else { inputs.iter().rev().find(|i| **i < upto).copied() };
    let at = at.or(upto.checked_sub(1)).unwrap_or(0);
    let origin = &generated.origins[at];
    let operation = origin.operation.and_then(|o| generated.operations.get(o));
    let operands = operation.map_or(Vec::new(), |o| draw::of_operation(generated, o, &shapes, &names));
    let claims = claims
        .into_iter()
        .map(|(value, from)| ClashClaim { value, because: from.into_iter().map(|i| link(generated, i)).collect() });
    let of_spec = |o: &Operation| {
        o.template.labels.iter().find(|(_, v)| vars.contains(&Var::Dim(**v))).map(|(label, _)| label.clone())
    };
    let label = origin.label.clone().or_else(|| operation.and_then(of_spec));
    let mut clash = Clash {
        rule: failure.rule,
        why: failure.why.clone(),
        constraint: names.show(&failure.constraint).to_string(),
        certain: !failure.tainted,
        closing,
        kind: origin.kind,
        message: message(&failure.why, origin, label.as_deref(), &names),
        label,
        span: operation.map_or(origin.span, |o| o.span),
        calls: operation.map_or(Vec::new(), |o| o.calls.to_vec()),
        operands,
        claims: claims.collect(),
        chain: inputs.iter().map(|i| link(generated, *i)).collect(),
        remedies: Vec::new(),
    };
    clash.remedies = remedies(generated, &clash, operation, origin, &shapes);
    clash
}

fn message(why: &Why, origin: &Origin, label: Option<&str>, names: &Names) -> String {
    let kind = origin.kind;
    let what = match (label, origin.operand) {
        (Some(label), _) if origin.operation.is_some() => format!("the label `{label}`"),
        (Some(name), _) => format!("the size `{name}`"),
        (None, Operand::Between(..)) => "an axis that goes from an output row into an input row".to_owned(),
        (None, _) => format!("an axis of the {kind} row"),
    };
    let row = match origin.operand {
        Operand::Between(..) => "the input row that an output row goes into".to_owned(),
        _ => format!("the {kind} row"),
    };
    match why {
        Why::Differ(a, b) | Why::NotBelow(a, b) => {
            format!("{what} would have to be both {} and {}", names.show(a), names.show(b))
        }
        Why::Ranks(a, b) => format!("{row} would have to have both {a} and {}", axes(*b)),
        Why::Overflow { open, closed } => format!("{row} needs {} or more, and has {closed}", axes(*open)),
        Why::Occurs(n) => format!("{row} would have to equal itself with {} more", axes(*n)),
        Why::Short { lead, trail } => {
            let side = if *lead > 0 { "front" } else { "back" };
            format!("{row} lacks {} at the {side}", axes(lead + trail))
        }
        Why::Cycle { weight } => {
            let more = usize::try_from(*weight).map_or_else(|_| "more axes".to_owned(), axes);
            format!("{row} feeds into itself and would grow by {more} each time round")
        }
    }
}

fn axes(n: usize) -> String {
    format!("{n} {}", if n == 1 { "axis" } else { "axes" })
}

/// What people most often meant.
fn remedies(
    generated: &Generated,
    clash: &Clash,
    operation: Option<&Operation>,
    origin: &Origin,
    shapes: &[ShapeTerm],
) -> Vec<String> {
    let mut out = Vec::new();
    if let Why::Differ(a, b) | Why::NotBelow(a, b) = &clash.why {
        let one = |d: &Dim| matches!(d, Dim::Atom(atom) if atom.size() == 1);
        if one(a) || one(b) {
            out.push("a size 1 that is written is a claim and does not stretch: leave the axis out, or write `unit` for an axis that stretches".to_owned());
        }
        if let (Dim::Atom(x), Dim::Atom(y)) = (a, b)
            && x.size() == y.size()
        {
            let default = x.basis() == Basis::DEFAULT || y.basis() == Basis::DEFAULT;
            let more = if default { "; a size without a basis has the basis `default`" } else { "" };
            out.push(format!("the sizes agree and the bases differ: axes fit only if both do{more}"));
        }
    }
    if let Some(operation) = operation {
        out.extend(transposed(generated, operation, shapes));
        out.extend(ellipsis(clash, operation, origin));
    }
    if !clash.certain {
        out.push("this rests on where the program lets axes be inserted: write the shape of an operand, or put `...` where its axes may grow".to_owned());
    }
    out
}

/// Would it fit with input and output of one operand exchanged?
fn transposed(generated: &Generated, operation: &Operation, shapes: &[ShapeTerm]) -> Option<String> {
    let flat = |row: &RowTerm| row.as_ground().map(|row| row.flat().collect::<Vec<_>>()).filter(|r| !r.is_empty());
    let [a, b, ..] = operation.operands.as_slice() else { return None };
    let (x, y) = (shapes.get(*a)?, shapes.get(*b)?);
    let name = |id: TensorId| generated.tensors[id].name.clone();
    let swapped = match operation.logic {
        Logic::Compose | Logic::ComposeAccumulate
            if flat(&x.output).is_some() && flat(&x.output) == flat(&y.output) =>
        {
            name(*a)
        }
        Logic::Pointwise
            if flat(&x.output).is_some() && flat(&x.output) == flat(&y.input) && flat(&x.input) == flat(&y.output) =>
        {
            name(*b)
        }
        _ => None,
    }?;
    Some(format!("are input and output of `{swapped}` exchanged? What takes 3 values to 5 is written `3 -> 5`"))
}

/// A row of a specification without `...` matches exactly the axes that are written.
fn ellipsis(clash: &Clash, operation: &Operation, origin: &Origin) -> Option<String> {
    if !matches!(clash.why, Why::Ranks(..) | Why::Overflow { .. }) {
        return None;
    }
    let spec = &operation.spec.as_ref()?.spec;
    let (slot, which) = match origin.operand {
        Operand::Argument(i) => (spec.operands.get(i)?, format!("operand {}", i + 1)),
        _ => (&spec.result, "the result".to_owned()),
    };
    let (row, kind) = (slot.row(origin.kind), origin.kind);
    if row.var.is_some() {
        return None;
    }
    let mark = match kind {
        Kind::Batch => "`... |`",
        Kind::Input => "`... ->`",
        Kind::Output => "`...`",
    };
    Some(if row.axes().next().is_none() {
        format!(
            "the specification does not write the {kind} row of {which}, so that row must be empty: add {mark} there (and in the result) to let axes through"
        )
    } else {
        format!(
            "the {kind} row of {which} has exactly the axes that are written: add `...` there (and in the result) to let further axes through"
        )
    })
}

/// A parameter's hole.
pub(super) fn hole(generated: &Generated, partial: &[ShapeTerm], hole: &Hole) -> InferError {
    let has = |kind: Kind, id: &TensorId| generated.tensors[*id].shape.get(kind).vars().contains(&hole.var);
    let params = || (0..generated.tensors.len()).filter(|id| generated.tensors[*id].role == Role::Param);
    let direct = params().find_map(|id| Kind::ALL.into_iter().find(|kind| has(*kind, &id)).map(|kind| (id, kind)));
    // The hole may be a label that the parameter's row was bound to.
    let open = |id: &TensorId, kind: Kind| {
        partial
            .get(*id)
            .is_some_and(|shape| shape.get(kind).vars().iter().any(|v| *v == hole.var || matches!(v, Var::Dim(_))))
    };
    let bound = || params().find_map(|id| Kind::ALL.into_iter().find(|kind| open(&id, *kind)).map(|kind| (id, kind)));
    let Some((id, kind)) = direct.or_else(bound) else {
        return InferError::Hole(Box::new(HoleError {
            tensor: "a parameter".to_owned(),
            span: Span::default(),
            kind: Kind::Output,
            known: "?".to_owned(),
            uses: hole.uses.iter().map(|i| link(generated, *i)).collect(),
        }));
    };
    let mut error = HoleError::unused(generated, id, kind);
    if let Some(shape) = partial.get(id) {
        error.known = show_partial(shape, &generated.names);
    }
    error.uses = hole.uses.iter().map(|i| link(generated, *i)).collect();
    InferError::Hole(Box::new(error))
}

impl HoleError {
    pub(super) fn unused(generated: &Generated, id: TensorId, kind: Kind) -> Self {
        let tensor = &generated.tensors[id];
        HoleError {
            tensor: tensor.name.clone().unwrap_or_else(|| "a parameter".to_owned()),
            span: tensor.span,
            kind,
            known: show_partial(&tensor.shape, &generated.names),
            uses: Vec::new(),
        }
    }
}

impl IndexError {
    pub(super) fn new(generated: &Generated, fixed: &FixedIndex, dim: Dim, shapes: &[Shape], names: &Names) -> Self {
        let shape = |id: TensorId| shapes.get(id).map_or_else(String::new, |shape| show(shape, names));
        IndexError::with(generated, fixed, dim, shape)
    }

    /// The same, for shapes as text.
    pub(super) fn with(
        generated: &Generated,
        fixed: &FixedIndex,
        dim: Dim,
        shape: impl Fn(TensorId) -> String,
    ) -> Self {
        let operation = &generated.operations[fixed.operation];
        let tensor = match fixed.operand {
            Operand::Argument(i) => operation.operands.get(i).copied().unwrap_or(operation.result),
            _ => operation.result,
        };
        IndexError {
            index: fixed.index,
            size: dim.elements(),
            kind: fixed.kind,
            tensor: words().tensor(generated, tensor),
            shape: shape(tensor),
            slice: operation.logic == Logic::Slice,
            span: operation.span,
        }
    }
}

impl InferError {
    /// The place in the program, if there is one.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            InferError::Program(error) => error.span,
            InferError::Clash(clash) => clash.span,
            InferError::Hole(hole) => hole.span,
            InferError::Index(index) => index.span,
            InferError::Size(size) => size.span,
            InferError::Limit(_) => Span::default(),
        }
    }

    /// The whole explanation, for a program written in this source.
    #[must_use]
    pub fn render(&self, source: &str) -> String {
        match self {
            InferError::Program(error) => error.render(source) + "\n",
            InferError::Limit(_) => format!("{self}\n"),
            InferError::Clash(clash) => draw::clash(clash, source),
            InferError::Hole(hole) => draw::hole(hole, source),
            InferError::Index(index) => draw::index(index, source),
            InferError::Size(size) => size.render(source),
        }
    }
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InferError::Program(error) => error.fmt(f),
            InferError::Clash(clash) => f.write_str(&clash.message),
            InferError::Hole(hole) => {
                write!(f, "nothing says how large an axis of the {} row of `{}` is", hole.kind, hole.tensor)
            }
            InferError::Index(index) => {
                write!(f, "index {} is outside an axis of size {}", index.index, index.size)
            }
            InferError::Size(size) => size.fmt(f),
            InferError::Limit(limit) => write!(f, "the solver reached its limit on {}", limit.name()),
        }
    }
}

impl std::error::Error for InferError {}
