//! The line that an engine wrote, as JSON: held to what a request is held to.

use super::{Difference, Kind};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

/// Reads it. What is no JSON is no line of the protocol.
pub fn read(line: &str) -> Result<Value, Difference> {
    let answer = serde_json::from_str(line).map_err(|error| {
        let what = format!("the answer is no line of the protocol: it is not JSON: {error}");
        Difference::protocol(Kind::Garbage, what)
    })?;
    once(line).map_err(|what| Difference::protocol(Kind::Malformed, what))?;
    Ok(answer)
}

/// Of two values under one key, one reader takes the first and another the last: a key stands once.
fn once(line: &str) -> Result<(), String> {
    let mut from = serde_json::Deserializer::from_str(line);
    Once { outermost: true }.deserialize(&mut from).map_err(|error| {
        let whole = error.to_string();
        whole.split(" at line ").next().unwrap_or_default().to_owned()
    })
}

/// Looks at the keys of every object, and keeps nothing else.
struct Once {
    /// Is it the answer itself? Its id comes back as it was written, whatever stands in it.
    outermost: bool,
}

impl<'de> DeserializeSeed<'de> for Once {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        while from.next_element_seed(Once { outermost: false })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = from.next_key::<String>()? {
            if self.outermost && key == "id" {
                from.next_value::<IgnoredAny>()?;
            } else {
                from.next_value_seed(Once { outermost: false })?;
            }
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("the key {key:?} stands twice in one object")));
            }
            keys.insert(key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_once() {
        let kind = |line: &str| read(line).map_err(|difference| difference.kind).err();
        assert_eq!(kind(r#"{"id":1,"verdict":"solved","sigma":{"a":1,"b":[{}, 1.5, null, true]}}"#), None);
        assert_eq!(kind(r#"{"id":{"a":1,"a":2},"verdict":"solved"}"#), None);
        assert_eq!(kind(r#"{"verdict":"solved","verdict":"unsat"}"#), Some(Kind::Malformed));
        assert_eq!(kind(r#"{"id":1,"id":1,"verdict":"unsat"}"#), Some(Kind::Malformed));
        assert_eq!(kind(r#"{"verdict":"solved","sigma":[{"a":1,"\u0061":2}]}"#), Some(Kind::Malformed));
        assert_eq!(kind("nope"), Some(Kind::Garbage));
    }
}
