//! JSON, read strictly: the one reader of everything that comes as JSON.
//!
//! `serde_json` reads; this keeps what it would drop. A key that stands twice in one object is an error at any depth,
//! every value knows its place in the text, and a number that no machine number holds keeps its digits.
//!
//! ```
//! use lozenge::json;
//! let error = json::read(r#"{"a": [{"b": 1, "b": 2}]}"#).unwrap_err();
//! assert_eq!((error.at.as_str(), error.message.as_str()), ("/a/0/b", r#"the key "b" stands twice in one object"#));
//! let tree = json::read("[0.1000000000000000000001]").unwrap();
//! assert_eq!(tree.items().unwrap()[0].number().unwrap(), "0.1000000000000000000001");
//! ```

mod scan;

use crate::{Span, text};
use scan::Scanner;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// A JSON value and its place in the text it was read from.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it is written, brackets and quotes included.
    pub span: Span,
}

/// The kinds of JSON value.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number; with its digits where it is no whole number of 64 bits.
    Number(Number, Option<Box<str>>),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object, in the order of the text.
    Object(Vec<(String, Node)>),
}

/// What is wrong with a text as JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// Is it only too deep?
    pub limit: bool,
    /// What is wrong.
    pub message: String,
    /// The place as a JSON pointer; empty for what is no JSON at all, or too deep.
    pub at: String,
    /// The place in the text.
    pub offset: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.as_str() {
            "" => f.write_str(&self.message),
            at => write!(f, "at {at}: {}", self.message),
        }
    }
}

impl std::error::Error for JsonError {}

/// Reads a text that is one JSON value and nothing else.
///
/// # Errors
/// A [`JsonError`].
pub fn read(text: &str) -> Result<Node, JsonError> {
    let mut state = State { scanner: Some(Scanner::new(text)), ..State::default() };
    let mut from = serde_json::Deserializer::from_str(text);
    let tree = Seed(&mut state).deserialize(&mut from).and_then(|tree| from.end().map(|()| tree));
    tree.map_err(|error| state.error(&error, text))
}

/// As [`read`], without places and digits.
///
/// # Errors
/// A [`JsonError`].
pub fn value(text: &str) -> Result<Value, JsonError> {
    read(text).map(Node::into_value)
}

/// A key as a part of a JSON pointer (RFC 6901).
#[must_use]
pub fn pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A place in a JSON text, as people who made the JSON look for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The innermost value there, as a JSON pointer.
    pub at: String,
    /// In a string, the character, from 1.
    pub character: Option<usize>,
}

/// The place at a byte of a JSON text. What lies inside a string is counted in the string itself: an escape sequence is
/// one character.
///
/// # Errors
/// When the text is no JSON.
pub fn place(text: &str, offset: usize) -> Result<Place, JsonError> {
    let mut node = &read(text)?;
    let mut at = String::new();
    loop {
        let inside = |inner: &Node| inner.span.start <= offset && offset < inner.span.end;
        let (key, inner) = match &node.kind {
            Kind::List(items) => match items.iter().position(inside) {
                Some(i) => (Cow::Owned(i.to_string()), &items[i]),
                None => break,
            },
            Kind::Object(fields) => match fields.iter().find(|(_, inner)| inside(inner)) {
                Some((key, inner)) => (Cow::Borrowed(key.as_str()), inner),
                None => break,
            },
            _ => break,
        };
        at = format!("{at}/{}", pointer(&key));
        node = inner;
    }
    let character = node.text().ok().and_then(|string| {
        let bytes = offset.checked_sub(node.span.start + 1)?;
        Some(1 + string.char_indices().take_while(|(i, _)| *i < bytes).count())
    });
    Ok(Place { at, character })
}

impl Node {
    /// The text of a string.
    ///
    /// # Errors
    /// The node itself, when it is something else; so for every function here.
    pub fn text(&self) -> Result<&str, &Node> {
        if let Kind::Text(text) = &self.kind { Ok(text) } else { Err(self) }
    }

    /// A number with all its digits.
    ///
    /// # Errors
    /// As [`Node::text`].
    pub fn number(&self) -> Result<Cow<'_, str>, &Node> {
        match &self.kind {
            Kind::Number(_, Some(digits)) => Ok(Cow::Borrowed(digits)),
            Kind::Number(number, None) => Ok(Cow::Owned(number.to_string())),
            _ => Err(self),
        }
    }

    /// A whole number that is not negative.
    ///
    /// # Errors
    /// As [`Node::text`].
    pub fn whole(&self) -> Result<u64, &Node> {
        if let Kind::Number(number, _) = &self.kind { number.as_u64().ok_or(self) } else { Err(self) }
    }

    /// The items of a list.
    ///
    /// # Errors
    /// As [`Node::text`].
    pub fn items(&self) -> Result<&[Node], &Node> {
        if let Kind::List(items) = &self.kind { Ok(items) } else { Err(self) }
    }

    /// The fields of an object.
    ///
    /// # Errors
    /// As [`Node::text`].
    pub fn fields(&self) -> Result<&[(String, Node)], &Node> {
        if let Kind::Object(fields) = &self.kind { Ok(fields) } else { Err(self) }
    }

    /// As a plain value.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(it) => Value::Bool(it),
            Kind::Number(number, _) => Value::Number(number),
            Kind::Text(text) => Value::String(text),
            Kind::List(items) => Value::Array(items.into_iter().map(Node::into_value).collect()),
            Kind::Object(fields) => {
                Value::Object(fields.into_iter().map(|(key, node)| (key, node.into_value())).collect::<Map<_, _>>())
            }
        }
    }

    /// A short picture, for messages.
    #[must_use]
    pub fn found(&self) -> String {
        let text = match &self.kind {
            Kind::Number(_, Some(digits)) => digits.to_string(),
            _ => self.clone().into_value().to_string(),
        };
        shortened(&text)
    }
}

/// At most forty characters of a JSON text.
#[must_use]
pub fn shortened(json: &str) -> String {
    text::shortened(json, 40)
}

/// A node of any format: without places, and with the digits that the format kept.
impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Seed(&mut State::default()).deserialize(from)
    }
}

/// One step down.
enum Step {
    Key(String),
    Item(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Key(key) => write!(f, "/{}", pointer(key)),
            Step::Item(i) => write!(f, "/{i}"),
        }
    }
}

/// Where the reader is.
#[derive(Default)]
struct State<'t> {
    /// The tokens of the text, where there is one.
    scanner: Option<Scanner<'t>>,
    /// The way down to here.
    path: Vec<Step>,
    /// The message about a key that stands twice.
    twice: Option<String>,
}

impl State<'_> {
    /// The place of the token that was just read.
    fn token(&mut self) -> Span {
        self.scanner.as_mut().map(Scanner::token).unwrap_or_default()
    }

    /// What is wrong, in one line.
    fn error(self, error: &serde_json::Error, text: &str) -> JsonError {
        let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let offset = (line_start + error.column().saturating_sub(1)).min(text.len());
        let at: String = self.path.iter().map(ToString::to_string).collect();
        if let Some(message) = self.twice {
            return JsonError { limit: false, message, at, offset };
        }
        let whole = error.to_string();
        let what = whole.split(" at line ").next().unwrap_or_default();
        if what.starts_with("recursion limit") {
            let message = "lists and objects are nested too deeply".to_owned();
            return JsonError { limit: true, message, at: String::new(), offset };
        }
        JsonError { limit: false, message: format!("not JSON: {what}"), at, offset }
    }
}

/// Reads one value.
struct Seed<'s, 't>(&'s mut State<'t>);

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        from.deserialize_any(self)
    }
}

impl Seed<'_, '_> {
    fn leaf(self, kind: Kind) -> Node {
        Node { kind, span: self.0.token() }
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(self.leaf(Kind::Null))
    }

    fn visit_bool<E>(self, it: bool) -> Result<Node, E> {
        Ok(self.leaf(Kind::Bool(it)))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Node, E> {
        Ok(self.leaf(Kind::Number(n.into(), None)))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Node, E> {
        Ok(self.leaf(Kind::Number(n.into(), None)))
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Node, E> {
        let number = Number::from_f64(x).ok_or_else(|| E::custom("a number that is not finite"))?;
        let span = self.0.token();
        let digits = self.0.scanner.as_ref().map(|scanner| scanner.text(span).into());
        Ok(Node { kind: Kind::Number(number, digits), span })
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(self.leaf(Kind::Text(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(self.leaf(Kind::Text(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let open = self.0.token();
        let mut items = Vec::new();
        self.0.path.push(Step::Item(0));
        while let Some(item) = from.next_element_seed(Seed(self.0))? {
            items.push(item);
            self.0.path.pop();
            self.0.path.push(Step::Item(items.len()));
        }
        self.0.path.pop();
        Ok(Node { kind: Kind::List(items), span: open.to(self.0.token()) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let open = self.0.token();
        let mut fields: Vec<(String, Node)> = Vec::new();
        while let Some(key) = from.next_key::<String>()? {
            self.0.token();
            self.0.path.push(Step::Key(key));
            let node = from.next_value_seed(Seed(self.0))?;
            if let Some(Step::Key(key)) = self.0.path.pop() {
                fields.push((key, node));
            }
        }
        if let Some(key) = repeated(&fields) {
            let message = format!("the key {} stands twice in one object", Value::String(key.to_owned()));
            self.0.path.push(Step::Key(key.to_owned()));
            self.0.twice = Some(message.clone());
            return Err(de::Error::custom(message));
        }
        Ok(Node { kind: Kind::Object(fields), span: open.to(self.0.token()) })
    }
}

/// The first key that stands twice.
fn repeated(fields: &[(String, Node)]) -> Option<&str> {
    /// Up to here comparing all is faster than a set.
    const FEW: usize = 8;
    let mut keys = fields.iter().map(|(key, _)| key.as_str());
    if fields.len() <= FEW {
        let earlier = |(i, key): &(usize, &str)| fields[..*i].iter().any(|(other, _)| other == key);
        return keys.enumerate().find(earlier).map(|(_, key)| key);
    }
    let mut seen = HashSet::new();
    keys.find(|key| !seen.insert(*key))
}
