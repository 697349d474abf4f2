//! The JSON form of programs: the same data, with shapes and specifications as text.
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

use super::ast::{Declaration, Expr, ExprKind, Name, Statement, StatementKind};
use super::parse::parse_shape;
use super::shape::Declared;
use super::span::Span;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A declaration that is its name alone where it has no shape.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "a program has few of these, and a box would show in every pattern")]
pub(super) enum Short {
    Name(Name),
    Whole(Declaration),
}

/// Reading and writing [`Short`].
pub(super) mod short {
    use super::Short;
    use crate::program::ast::Declaration;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(it: &Declaration, to: S) -> Result<S::Ok, S::Error> {
        if it.shape.is_none() { it.name.serialize(to) } else { it.serialize(to) }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Declaration, D::Error> {
        Ok(match Short::deserialize(from)? {
            Short::Name(name) => name.into(),
            Short::Whole(declaration) => declaration,
        })
    }
}

impl Serialize for Declared {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Declared {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let shape = parse_shape(&text).map_err(|e| de::Error::custom(format!("shape `{text}`: {e}")))?;
        Ok(Declared { span: Span::default(), ..shape })
    }
}

impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.kind.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Statement {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Statement { kind: StatementKind::deserialize(from)?, span: Span::default() })
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.kind.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Expr { kind: ExprKind::deserialize(from)?, span: Span::default() })
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
    use crate::program::ast::{Expr, ExprKind, Statement, StatementKind};
    use crate::program::shape::Declared;
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
