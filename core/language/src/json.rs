//! The JSON form of programs: the same data, with shapes and specifications as text. [`parse_json`] reads it with places;
//! through serde it comes without.
//!
//! ```
//! use lozenge::program::{Program, parse};
//! let json = r#"{"statements": [
//!     {"input": {"name": "x", "shape": "n | 3"}},
//!     {"let": {"name": "y", "value": {"unary": {"op": "relu", "arg": {"name": "x"}}}}}
//! ]}"#;
//! let program: Program = serde_json::from_str(json)?;
//! assert_eq!(program, parse("input x: n | 3\nlet y = relu x").unwrap());
//! # Ok::<(), serde_json::Error>(())
//! ```

mod read;

pub use read::parse_json;

use super::ast::{Declaration, Expr, Init, Statement};
use super::numeral::Numeral;
use super::shape::Declared;
use lozenge_notation::json::Node;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A declaration that is its name alone where it has nothing else.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, dead_code, reason = "only its schema is used")]
pub(super) enum Short {
    Name(super::ast::Name),
    Whole(Declaration),
}

/// Writes a declaration as its name alone where it has nothing else.
pub(super) fn short<S: Serializer>(it: &Declaration, to: S) -> Result<S::Ok, S::Error> {
    if it.shape.is_none() && it.init.is_none() { it.name.serialize(to) } else { it.serialize(to) }
}

impl<'de> Deserialize<'de> for super::ast::Program {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read::program(&Node::deserialize(from)?).map_err(de::Error::custom)
    }
}

impl Serialize for Declared {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// A number where JSON has it, else its digits as text.
impl Serialize for Numeral {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.exact().map(|digits| (digits, digits.parse::<u64>(), digits.parse::<i64>())) {
            None => to.serialize_f64(self.value()),
            Some((_, Ok(n), _)) => to.serialize_u64(n),
            Some((_, _, Ok(n))) => to.serialize_i64(n),
            Some((digits, _, _)) => to.serialize_str(digits),
        }
    }
}

/// `"range"`, a number, or lists.
impl Serialize for Init {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Init::Range => to.serialize_str("range"),
            Init::Values(array) => array.serialize(to),
        }
    }
}

impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.kind.serialize(to)
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.kind.serialize(to)
    }
}

/// The JSON Schema of programs.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(super::ast::Program).to_value()
}

#[cfg(feature = "schema")]
mod schemas {
    use crate::ast::{Array, Expr, ExprKind, Init, Name, Statement, StatementKind};
    use crate::numeral::Numeral;
    use crate::shape::Declared;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl JsonSchema for Declared {
        fn schema_name() -> Cow<'static, str> {
            "Shape".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "type": "string",
                "description": "A shape as text: `batch | input -> output`, or a part of it."
            })
        }
    }

    impl JsonSchema for Name {
        fn schema_name() -> Cow<'static, str> {
            "Name".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "type": "string",
                "pattern": "^[A-Za-z][A-Za-z0-9_]*$",
                "description": "A name; words of the language are none."
            })
        }
    }

    impl JsonSchema for Numeral {
        fn schema_name() -> Cow<'static, str> {
            "Number".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "type": ["number", "string"],
                "pattern": r"^-?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$",
                "description": "A number; as text where JSON readers would round it."
            })
        }
    }

    impl JsonSchema for Init {
        fn schema_name() -> Cow<'static, str> {
            "Init".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let values = generator.subschema_for::<Array>();
            json_schema!({
                "description": "What a parameter begins with: 0, 1, 2, …; a number in every cell; or lists.",
                "anyOf": [{ "const": "range" }, values]
            })
        }
    }

    impl JsonSchema for Statement {
        fn schema_name() -> Cow<'static, str> {
            "Statement".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            StatementKind::json_schema(generator)
        }
    }

    impl JsonSchema for Expr {
        fn schema_name() -> Cow<'static, str> {
            "Expr".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            ExprKind::json_schema(generator)
        }
    }
}
