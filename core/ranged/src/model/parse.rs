//! Reading model files: settings, declarations, and operations, one a line.

use super::super::context::Context;
use super::super::dim::Range;
use super::super::notation::{self, Scope, in_name};
use super::super::reshape::{Obligation, Target, reshape};
use super::super::shape::Shape;
use super::super::training::{Activations, DType, Optimizer};
use super::operation;
use super::{Layer, MAX_STATEMENTS, Model, ModelError, ModelProblem, Role};
use lozenge_notation::{Cursor, Span};
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Scanner<'t> = notation::Scanner<'t, ModelProblem>;

const SETTINGS: [&str; 7] = ["dtype", "optimizer", "activations", "device", "dim", "input", "param"];

/// Bytes of a unit of memory.
const UNITS: [(&str, u128); 9] = [
    ("B", 1),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// A model that is being read.
pub(super) struct Reader {
    pub(super) model: Model,
    /// What every `dim` line of the file says, and those that were come to.
    ranges: BTreeMap<String, Range>,
    ranged: BTreeSet<String>,
    tensors: BTreeMap<String, usize>,
}

/// Bytes, as in `8 GiB`: for files and for the command line.
///
/// # Errors
/// [`ModelError`] when there is no number or no such unit.
pub fn parse_bytes(text: &str) -> Result<u128, ModelError> {
    let mut scanner = Scanner::new(Cursor::new(text));
    let bytes = bytes(&mut scanner)?;
    if scanner.at_end() { Ok(bytes) } else { Err(scanner.unexpected("the end: a number and a unit, as in 8 GiB")) }
}

fn bytes(scanner: &mut Scanner<'_>) -> Result<u128, ModelError> {
    let Some((number, _)) = scanner.number()? else { return Err(scanner.unexpected("a number, as in 8 GiB")) };
    let unit = match scanner.name() {
        None => 1,
        Some((unit, span)) => choose(&UNITS, |(name, _)| name, unit, span, "unit")?.1,
    };
    Ok(u128::from(number) * unit)
}

/// The item of this name, or which there are.
fn choose<T: Copy>(
    items: &[T],
    name: fn(&T) -> &'static str,
    wanted: &str,
    span: Span,
    what: &'static str,
) -> Result<T, ModelError> {
    let known = || format!("there are {}", items.iter().map(name).collect::<Vec<_>>().join(", "));
    let found = items.iter().find(|item| name(item) == wanted).copied();
    found.ok_or_else(|| {
        let name = wanted.chars().take(40).collect();
        ModelError::new(ModelProblem::Unknown { name, what, known: known() }, span)
    })
}

/// The lines of a text without their comments.
fn code(text: &str) -> impl Iterator<Item = Cursor<'_>> {
    Cursor::lines(text).map(|(_, line)| line.without_comment())
}

/// Every name of a line must be short enough.
fn check_names(mut line: Cursor<'_>) -> Result<(), ModelError> {
    while !line.is_end() {
        line.take_while(|c| !in_name(c));
        let start = line.position();
        let word = line.take_while(in_name);
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            ModelError::check_name(word, line.since(start))?;
        }
    }
    Ok(())
}

pub(super) fn parse(text: &str) -> Result<Model, ModelError> {
    ModelError::check_text(text)?;
    code(text).try_for_each(check_names)?;
    let model = Model {
        dtype: DType::F32,
        optimizer: Optimizer::Adam,
        activations: Activations::All,
        device: None,
        layers: Vec::new(),
        context: Context::new(),
    };
    let statements = || code(text).map(Scanner::new).filter_map(|mut line| (!line.at_end()).then_some(line));
    let ranges = ranges(statements().take(MAX_STATEMENTS));
    let mut reader = Reader { model, ranges, ranged: BTreeSet::new(), tensors: BTreeMap::new() };
    for (number, mut line) in statements().enumerate() {
        if number >= MAX_STATEMENTS {
            let at = line.place();
            return Err(ModelError::new(ModelProblem::Statements, at..at + 1));
        }
        reader.statement(&mut line)?;
        if !line.at_end() {
            return Err(line.unexpected("the end of the line"));
        }
    }
    reader.finish()
}

/// What `dim` lines say: a name has its range on the lines before as well. What is wrong with them is said when their
/// turn comes.
fn ranges<'t>(lines: impl Iterator<Item = Scanner<'t>>) -> BTreeMap<String, Range> {
    let mut ranges = BTreeMap::new();
    for mut line in lines {
        if line.name().is_some_and(|(word, _)| word == "dim")
            && let Some((name, _)) = line.name()
            && let Ok(range) = line.range()
        {
            ranges.entry(name.to_owned()).or_insert(range);
        }
    }
    ranges
}

impl Reader {
    fn statement(&mut self, scanner: &mut Scanner<'_>) -> Result<(), ModelError> {
        let Some((word, span)) = scanner.name() else {
            return Err(scanner.unexpected("a name, as in h = relu x, or a setting, as in dtype f32"));
        };
        let setting = |scanner: &mut Scanner<'_>| match scanner.name() {
            Some(found) => Ok((found.0.to_owned(), found.1)),
            None => Err(scanner.unexpected("a name")),
        };
        match word {
            "dtype" => {
                let (name, at) = setting(scanner)?;
                self.model.dtype = choose(&DType::ALL, |d| d.name(), &name, at, "dtype")?;
            }
            "optimizer" => {
                let (name, at) = setting(scanner)?;
                self.model.optimizer = choose(&Optimizer::ALL, |o| o.name(), &name, at, "optimizer")?;
            }
            "activations" => {
                let (name, at) = setting(scanner)?;
                self.model.activations =
                    choose(&Activations::ALL, |a| a.name(), &name, at, "way to count activations")?;
            }
            "device" => self.model.device = Some(bytes(scanner)?),
            "dim" => {
                let (name, at) = setting(scanner)?;
                scanner.range()?;
                if !self.ranged.insert(name.clone()) {
                    return Err(ModelError::new(ModelProblem::Twice(name), at));
                }
            }
            "input" => self.declare(scanner, Role::Input)?,
            "param" => self.declare(scanner, Role::Parameter)?,
            name => {
                if !scanner.eat("=") {
                    return Err(scanner.unexpected("`=` and an operation, as in h = relu x"));
                }
                self.fresh_name(name, span)?;
                operation::operate(self, name, span, scanner)?;
            }
        }
        Ok(())
    }

    fn declare(&mut self, scanner: &mut Scanner<'_>, role: Role) -> Result<(), ModelError> {
        let Some((name, span)) = scanner.name() else { return Err(scanner.unexpected("the name of a tensor")) };
        self.fresh_name(name, span)?;
        let shape = self.shape(scanner)?;
        let operation = if role == Role::Input { "input" } else { "param" }.to_owned();
        self.add(Layer { name: name.to_owned(), operation, role, shape, parameters: vec![], obligation: None, span });
        Ok(())
    }

    fn fresh_name(&self, name: &str, span: Span) -> Result<(), ModelError> {
        let problem = if self.tensors.contains_key(name) {
            ModelProblem::Twice(name.to_owned())
        } else if SETTINGS.contains(&name) || operation::NAMES.contains(&name) {
            ModelProblem::Reserved(name.to_owned())
        } else {
            return Ok(());
        };
        Err(ModelError::new(problem, span))
    }

    pub(super) fn add(&mut self, layer: Layer) {
        self.tensors.insert(layer.name.clone(), self.model.layers.len());
        self.model.layers.push(layer);
    }

    /// What a shape is read with.
    pub(super) fn scope(&mut self) -> Scope<'_> {
        Scope { context: &mut self.model.context, ranges: &self.ranges }
    }

    fn shape(&mut self, scanner: &mut Scanner<'_>) -> Result<Shape, ModelError> {
        scanner.shape(&mut self.scope())
    }

    /// The next name, as a tensor.
    pub(super) fn tensor(&self, scanner: &mut Scanner<'_>) -> Result<(Shape, Span), ModelError> {
        let Some((name, span)) = scanner.name() else { return Err(scanner.unexpected("the name of a tensor")) };
        match self.tensors.get(name).and_then(|i| self.model.layers.get(*i)) {
            Some(layer) => Ok((layer.shape.clone(), span)),
            None => {
                let mut known = self.tensors.keys().take(8).cloned().collect::<Vec<_>>().join(", ");
                known = match self.tensors.len() {
                    0 => "none is declared yet".to_owned(),
                    1..=8 => format!("there is {known}"),
                    n => format!("there are {known} and {} more", n - 8),
                };
                let name = name.chars().take(40).collect();
                Err(ModelError::new(ModelProblem::Unknown { name, what: "tensor", known }, span))
            }
        }
    }

    /// Puts what is known at the end into every shape. Conditions are looked at again: what has been learnt since may meet
    /// them, or refuse them.
    fn finish(self) -> Result<Model, ModelError> {
        let mut model = self.model;
        for layer in &mut model.layers {
            if let Some(Obligation { input, output }) = layer.obligation.take() {
                let target: Vec<Target> = output.0.into_iter().map(Target::Dim).collect();
                let wrong = |error| ModelError::new(ModelProblem::Shape(Box::new(error)), layer.span);
                layer.obligation = reshape(&model.context, &input, &target).map_err(wrong)?.obligation;
            }
            let resolve = |shape: &mut Shape| *shape = model.context.resolve_shape(shape);
            resolve(&mut layer.shape);
            layer.parameters.iter_mut().for_each(resolve);
            if let Some(obligation) = &mut layer.obligation {
                resolve(&mut obligation.input);
                resolve(&mut obligation.output);
            }
        }
        Ok(model)
    }
}
