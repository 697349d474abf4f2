//! A reader for the part of YAML that CITATION.cff is written in: fields, lists, and texts on one line or folded over
//! several. Anything else is refused with its line.

use crate::output::Failure;

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Text(String),
    List(Vec<Value>),
    Fields(Vec<(String, Value)>),
}

impl Value {
    /// A field of it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Fields(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            Value::Text(_) | Value::List(_) => None,
        }
    }

    /// The text of a field.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            Value::List(_) | Value::Fields(_) => None,
        }
    }

    /// The items of a field that is a list; a single value is a list of one.
    pub fn items(&self, name: &str) -> &[Value] {
        match self.get(name) {
            Some(Value::List(items)) => items,
            Some(one) => std::slice::from_ref(one),
            None => &[],
        }
    }
}

/// A line that says something: how far it is indented, and what it says.
struct Line<'t> {
    number: usize,
    indent: usize,
    text: &'t str,
}

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

fn refused(number: usize, what: &str) -> Failure {
    Failure::input("parse", format!("CITATION.cff, line {number}: {what}"))
}

/// The deepest that values are inside of each other.
const DEEPEST: usize = 20;

/// Reads a file.
pub fn read(text: &str) -> Result<Value, Failure> {
    let lines = text.lines().enumerate().filter_map(|(i, line)| {
        let said = line.trim_start_matches(' ').trim_end();
        let empty = said.is_empty() || said.starts_with('#') || said == "---";
        (!empty).then(|| Line { number: i + 1, indent: line.len() - line.trim_start_matches(' ').len(), text: said })
    });
    let mut reader = Reader { lines: lines.collect(), at: 0 };
    let value = reader.value(0, DEEPEST)?;
    match reader.lines.get(reader.at) {
        None => Ok(value),
        Some(line) => Err(refused(line.number, "this is not indented like what it belongs to")),
    }
}

/// A name and what stands behind its colon.
fn field(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    (plain && (rest.is_empty() || rest.starts_with(' '))).then(|| (name, rest.trim()))
}

/// A text on one line, without its quotes and its comment.
fn scalar(text: &str, number: usize) -> Result<String, Failure> {
    if let Some(rest) = text.strip_prefix('"') {
        let (mut out, mut chars) = (String::new(), rest.chars());
        while let Some(c) = chars.next() {
            match c {
                '"' => return Ok(out),
                '\\' => match chars.next() {
                    Some(c @ ('"' | '\\' | '/')) => out.push(c),
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    _ => return Err(refused(number, "a backslash before \", \\, /, n or t is read, and no other")),
                },
                c => out.push(c),
            }
        }
        return Err(refused(number, "a quote is not closed"));
    }
    if let Some(rest) = text.strip_prefix('\'') {
        let inner = rest.strip_suffix('\'').ok_or_else(|| refused(number, "a quote is not closed"))?;
        return Ok(inner.replace("''", "'"));
    }
    if text.starts_with(['[', '{', '&', '*', '!', '%', '@', '`']) {
        return Err(refused(number, "lists and fields are read one a line, and texts plain or quoted"));
    }
    Ok(text.split(" #").next().unwrap_or(text).trim_end().to_owned())
}

impl<'t> Reader<'t> {
    /// What begins here and is indented so far.
    fn value(&mut self, indent: usize, deep: usize) -> Result<Value, Failure> {
        let Some(line) = self.lines.get(self.at).filter(|line| line.indent >= indent) else {
            return Ok(Value::Text(String::new()));
        };
        let (number, indent) = (line.number, line.indent);
        if deep == 0 {
            return Err(refused(number, "values are too deep inside of each other"));
        }
        if line.text == "-" || line.text.starts_with("- ") {
            return self.list(indent, deep);
        }
        match field(line.text) {
            Some(_) => self.fields(indent, deep),
            None => Err(refused(number, "a name with a colon, or an item with a dash, must stand here")),
        }
    }

    fn list(&mut self, indent: usize, deep: usize) -> Result<Value, Failure> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.get_mut(self.at).filter(|line| line.indent == indent) {
            let Some(rest) = line.text.strip_prefix('-') else { break };
            let item = rest.trim_start();
            if item.is_empty() {
                self.at += 1;
                items.push(self.value(indent + 1, deep - 1)?);
            } else if field(item).is_some() {
                // The item's fields are indented like the first, which stands behind the dash.
                (line.indent, line.text) = (indent + line.text.len() - item.len(), item);
                items.push(self.value(indent + 1, deep - 1)?);
            } else {
                items.push(Value::Text(scalar(item, line.number)?));
                self.at += 1;
            }
        }
        Ok(Value::List(items))
    }

    fn fields(&mut self, indent: usize, deep: usize) -> Result<Value, Failure> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent == indent) {
            let number = line.number;
            let Some((name, rest)) = field(line.text) else { break };
            if fields.iter().any(|(known, _)| known == name) {
                return Err(refused(number, "this field is there twice"));
            }
            self.at += 1;
            let value = match rest {
                // A list may stand as far left as its name.
                "" => {
                    let list = self.lines.get(self.at).is_some_and(|next| next.text.starts_with('-'));
                    self.value(if list { indent } else { indent + 1 }, deep - 1)?
                }
                ">" | ">-" | "|" | "|-" => Value::Text(self.folded(indent, rest.starts_with('|'))),
                rest => Value::Text(scalar(rest, number)?),
            };
            fields.push((name.to_owned(), value));
        }
        Ok(Value::Fields(fields))
    }

    /// A text over several lines.
    fn folded(&mut self, indent: usize, lines: bool) -> String {
        let rest = &self.lines[self.at..];
        let of: Vec<&str> = rest.iter().take_while(|line| line.indent > indent).map(|line| line.text).collect();
        self.at += of.len();
        of.join(if lines { "\n" } else { " " })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_of_yaml_that_is_needed() {
        let text = "# c\na: \"x: \\\"y\\\"\"\nb: 'it''s'\nlist:\n  - one # c\n  - two\nof:\n- name: N\n  deep:\n    x: 1\n\n- name: M\nfold: >-\n  a\n  b\nlast: z\n";
        let value = read(text).unwrap_or_else(|_| panic!("it reads"));
        assert_eq!(value.text("a"), Some("x: \"y\""));
        assert_eq!(value.text("b"), Some("it's"));
        assert_eq!(value.items("list"), [Value::Text("one".to_owned()), Value::Text("two".to_owned())]);
        assert_eq!(value.items("of").iter().map(|it| it.text("name")).collect::<Vec<_>>(), [Some("N"), Some("M")]);
        assert_eq!(value.items("of")[0].get("deep").and_then(|deep| deep.text("x")), Some("1"));
        assert_eq!((value.text("fold"), value.text("last")), (Some("a b"), Some("z")));
    }

    #[test]
    fn everything_else_is_refused() {
        for text in ["a: [1]", "a: \"x", "a: &b c", "a: 1\na: 2", "a: 1\n  b: 2", "just text", "a:\n  - b: \"\\q\""] {
            assert!(read(text).is_err(), "{text}");
        }
        let deep: String = (0..100).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        assert!(read(&deep).is_err());
    }
}
