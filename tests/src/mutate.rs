//! JSON that is nearly valid: every small change of a message.

use serde_json::{Map, Value, json};

/// What a value is replaced with: one of every type, and what is close to right.
fn others(value: &Value) -> Vec<Value> {
    let all = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("x"),
        json!("x + x"),
        json!("unit"),
        json!([]),
        json!([1]),
        json!({}),
        json!({"x": 1}),
    ];
    all.into_iter().filter(|other| other != value).collect()
}

/// All changes of one place: a value of another type, a field or item dropped or added, a field renamed.
#[must_use]
pub fn mutants(value: &Value) -> Vec<Value> {
    let mut found = others(value);
    match value {
        Value::Object(fields) => {
            let with = |change: &dyn Fn(&mut Map<String, Value>)| {
                let mut fields = fields.clone();
                change(&mut fields);
                Value::Object(fields)
            };
            found.push(with(&|fields| drop(fields.insert("more".to_owned(), json!(1)))));
            for (key, inner) in fields {
                found.push(with(&|fields| drop(fields.remove(key))));
                found.push(with(&|fields| {
                    fields.remove(key);
                    fields.insert(format!("{key}s"), inner.clone());
                }));
                found.extend(
                    mutants(inner)
                        .into_iter()
                        .map(|other| with(&|fields| drop(fields.insert(key.clone(), other.clone())))),
                );
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                let with = |new: &[Value]| Value::Array([&items[..i], new, &items[i + 1..]].concat());
                found.extend([with(&[]), with(&[inner.clone(), inner.clone()])]);
                found.extend(mutants(inner).into_iter().map(|other| with(&[other])));
            }
        }
        _ => {}
    }
    found
}

/// The text of a value, once for every field of it at any depth, with that field written twice; and its JSON pointer.
#[must_use]
pub fn with_a_field_twice(value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(fields) => {
            let written = |key: &str, text: &str| format!("{}:{text}", Value::String(key.to_owned()));
            // The fields, with one replaced.
            let with = |changed: &str, text: String| {
                let field = |(key, inner): (&String, &Value)| {
                    if key == changed { text.clone() } else { written(key, &inner.to_string()) }
                };
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
            };
            let mut found = Vec::new();
            for (key, inner) in fields {
                let at = format!("/{}", lozenge::json::pointer(key));
                let once = written(key, &inner.to_string());
                found.push((with(key, format!("{once},{once}")), at.clone()));
                let deeper = with_a_field_twice(inner).into_iter();
                found.extend(deeper.map(|(text, rest)| (with(key, written(key, &text)), format!("{at}{rest}"))));
            }
            found
        }
        Value::Array(items) => {
            let with = |i: usize, text: &str| {
                let item = |(j, inner): (usize, &Value)| if i == j { text.to_owned() } else { inner.to_string() };
                format!("[{}]", items.iter().enumerate().map(item).collect::<Vec<_>>().join(","))
            };
            let item = |(i, inner): (usize, &Value)| {
                let deeper = with_a_field_twice(inner).into_iter();
                deeper.map(|(text, rest)| (with(i, &text), format!("/{i}{rest}"))).collect::<Vec<_>>()
            };
            items.iter().enumerate().flat_map(item).collect()
        }
        _ => Vec::new(),
    }
}
