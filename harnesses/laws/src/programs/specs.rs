//! Making specifications, and programs around one.

use super::make::Maker;
use lozenge::program::shape::{ByKind, Kind};

/// The text of a program with one operation that has this specification, on operands of these shapes (with ` & `
/// between them).
#[must_use]
pub fn of_spec(spec: &str, operands: &str) -> String {
    let shapes: Vec<&str> = operands.split(" & ").collect();
    let inputs: String = shapes.iter().enumerate().map(|(i, s)| format!("input a{i}: {s}\n")).collect();
    let value = match shapes.len() {
        1 => format!("a0 ++ \"{spec}\""),
        _ if spec.contains('^') => format!("(a0, a1) ++^ \"{spec}\""),
        _ => format!("a0 +* \"{spec}\" a1"),
    };
    let named = ["stride", "dilation"].into_iter().filter(|name| spec.contains(name));
    let sizes: String = named.map(|name| format!("{name} = 2\n")).collect();
    format!("{sizes}{inputs}let r = {value}\n")
}

impl Maker<'_> {
    /// A specification of single characters: labels and an ellipsis at every place.
    pub(super) fn spec(&mut self, operands: usize) -> String {
        let mut labels: Vec<char> = Vec::new();
        let mut ellipses = ByKind::of(|_| false);
        let slots: Vec<String> = (0..operands).map(|_| self.slot(&mut labels, &mut ellipses)).collect();
        let result = self.result_slot(&labels, &ellipses);
        format!("{} => {result}", slots.join("; "))
    }

    fn slot(&mut self, labels: &mut Vec<char>, ellipses: &mut ByKind<bool>) -> String {
        let rows = ByKind::of(|kind| {
            let (some, open) = match kind {
                Kind::Batch => (20, 65),
                Kind::Input => (12, 55),
                Kind::Output => (85, 55),
            };
            let open = self.numbers.percent(open);
            let axes = if self.numbers.percent(some) { 1 + self.numbers.below(2) } else { 0 };
            let mut text: Vec<String> = (0..axes).map(|_| self.label(labels)).collect();
            if open {
                let at = self.numbers.below(text.len() + 1);
                text.insert(at, "...".to_owned());
                set(ellipses, kind);
            }
            text.concat()
        });
        write_slot(&rows)
    }

    fn label(&mut self, labels: &mut Vec<char>) -> String {
        if !labels.is_empty() && self.numbers.percent(15) {
            return self.numbers.pick(labels).to_string();
        }
        match self.numbers.below(20) {
            0 => "0".to_owned(),
            1 => "_".to_owned(),
            _ => {
                let label = char::from(b'i' + u8::try_from(labels.len()).unwrap_or(0));
                labels.push(label);
                label.to_string()
            }
        }
    }

    /// Each label goes to a kind, or is summed over; an ellipsis stays, mostly.
    fn result_slot(&mut self, labels: &[char], ellipses: &ByKind<bool>) -> String {
        let mut rows: ByKind<Vec<String>> = ByKind::default();
        let mut left = labels.to_vec();
        while !left.is_empty() {
            let label = left.swap_remove(self.numbers.below(left.len())).to_string();
            match self.numbers.below(20) {
                0..=3 => {}
                4 => rows.batch.push(label),
                5 => rows.input.push(label),
                _ => rows.output.push(label),
            }
        }
        let rows = ByKind::of(|kind| {
            let mut row = rows.get(kind).clone();
            if *ellipses.get(kind) && self.numbers.percent(85) {
                let at = self.numbers.below(row.len() + 1);
                row.insert(at, "...".to_owned());
            }
            row.concat()
        });
        write_slot(&rows)
    }
}

fn set(ellipses: &mut ByKind<bool>, kind: Kind) {
    match kind {
        Kind::Batch => ellipses.batch = true,
        Kind::Input => ellipses.input = true,
        Kind::Output => ellipses.output = true,
    }
}

fn write_slot(rows: &ByKind<String>) -> String {
    let batch = if rows.batch.is_empty() { String::new() } else { format!("{}|", rows.batch) };
    let arrow = if rows.input.is_empty() && !(rows.output.is_empty()) { "" } else { "->" };
    format!("{batch}{}{arrow}{}", rows.input, rows.output)
}
