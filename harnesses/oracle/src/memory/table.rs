//! The table of a model: layers with bars, the parts, the device.

use super::{obligations, settings};
use crate::output::{FAINT, Output, TITLE, paint};
use crate::solve::heading;
use lozenge::ranged::memory::Bounds;
use lozenge::ranged::model::{Estimate, Model};
use lozenge_harnesses::cases::thousands;
use std::io;

/// The longest bar.
const BAR: u128 = 24;
/// The longest name, operation or shape that is shown in full.
const WIDE: usize = 44;
const UNITS: [&str; 9] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];

/// 1536 as 1.5 KiB.
pub fn human(bytes: u128) -> String {
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >> (10 * (unit + 1)) > 0 {
        unit += 1;
    }
    if unit == 0 {
        return format!("{bytes} B");
    }
    let one = 1u128 << (10 * unit);
    let (mut whole, rest) = (bytes / one, bytes % one);
    // Tenths, rounded to the nearest; rest is below 2⁸⁰.
    let mut tenths = (rest * 10 + one / 2) / one;
    if tenths == 10 {
        (whole, tenths) = (whole + 1, 0);
    }
    format!("{whole}.{tenths} {}", UNITS[unit])
}

/// Both bounds.
fn range(bounds: Bounds) -> String {
    match bounds.max {
        Some(0) => "-".to_owned(),
        Some(max) if max == bounds.min => human(max),
        Some(max) => format!("{} to {}", human(bounds.min), human(max)),
        None => format!("{} or more", human(bounds.min)),
    }
}

/// How far n of `whole` goes in a bar.
fn part(n: u128, whole: u128) -> usize {
    // Shifting both keeps the product within 128 bits; a bar is no measurement.
    let shift = whole.max(n).checked_ilog2().map_or(0, |bits| bits.saturating_sub(100));
    let (n, whole) = (n >> shift, (whole >> shift).max(1));
    usize::try_from(((n * BAR).div_ceil(whole)).min(BAR)).unwrap_or(0)
}

/// What is there at least in full, what may come in addition in grey; an arrow where there is no bound.
fn bar(bounds: Bounds, whole: u128, ascii: bool) -> String {
    let [full, more, arrow] = if ascii { ["#", ".", ">"] } else { ["█", "░", "→"] };
    let least = part(bounds.min, whole);
    let most = bounds.max.map_or(BAR as usize, |max| part(max, whole));
    let end = if bounds.max.is_none() { arrow } else { "" };
    format!("{}{}{end}", full.repeat(least), more.repeat(most.saturating_sub(least)))
}

fn cut(text: &str, ascii: bool) -> String {
    if text.chars().count() <= WIDE {
        return text.to_owned();
    }
    let end = if ascii { '~' } else { '…' };
    text.chars().take(WIDE - 1).chain([end]).collect()
}

/// Prints all of it.
pub fn print(model: &Model, estimate: &Estimate, out: &mut Output) -> io::Result<()> {
    out.line(&settings(model))?;
    out.line("")?;
    let ends = estimate.layers.iter().map(|l| l.total.max.unwrap_or(l.total.min));
    let whole = ends.max().unwrap_or(0);
    let titles =
        ["layer", "operation", "shape", "parameters", "activations", "with gradients and state"].map(str::to_owned);
    let layers = model.layers.iter().zip(&estimate.layers).map(|(layer, bytes)| {
        let [name, operation, shape] =
            [&layer.name, &layer.operation, &layer.shape.to_string()].map(|text| out.text(&cut(text, out.ascii)));
        [name, operation, shape, range(bytes.parameters), range(bytes.activations), bar(bytes.total, whole, out.ascii)]
    });
    let rows: Vec<[String; 6]> = std::iter::once(titles).chain(layers).collect();
    columns(&rows, out)?;

    heading("memory", out)?;
    let training = &estimate.training;
    let count = match estimate.parameters.max {
        Some(max) if max == estimate.parameters.min => thousands(max),
        Some(max) => format!("{} to {}", thousands(estimate.parameters.min), thousands(max)),
        None => format!("{} or more", thousands(estimate.parameters.min)),
    };
    let exact = |bounds: Bounds| match bounds.max {
        Some(max) if max == bounds.min => format!("{} bytes", thousands(max)),
        Some(max) => format!("{} to {} bytes", thousands(bounds.min), thousands(max)),
        None => format!("{} bytes or more: no upper bound", thousands(bounds.min)),
    };
    let parts = [
        ("parameters", training.parameters, format!("{count} of them")),
        ("gradients", training.gradients, "one per parameter".to_owned()),
        ("optimizer", training.optimizer, format!("{} per parameter", model.optimizer.states())),
        ("activations", training.activations, exact(training.activations)),
        ("total", estimate.total, exact(estimate.total)),
    ];
    let width = parts.iter().map(|(_, bounds, _)| range(*bounds).len()).max().unwrap_or(0);
    for (name, bounds, words) in parts {
        out.line(&format!("  {name:<11}  {:<width$}  {}", range(bounds), paint(FAINT, &words)))?;
    }
    let owed = obligations(model);
    if !owed.is_empty() {
        heading("to be checked when it runs", out)?;
        for line in owed {
            let line = out.text(&line);
            out.line(&format!("  {line}"))?;
        }
    }
    if model.device.is_some() { out.line("") } else { Ok(()) }
}

/// Rows in columns; sizes to the right, everything else to the left.
fn columns(rows: &[[String; 6]], out: &mut Output) -> io::Result<()> {
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    for (i, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (j, cell) in row.iter().enumerate().take(5) {
            let pad = " ".repeat(widths[j].saturating_sub(cell.chars().count()));
            line.push_str(&if (3..5).contains(&j) { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") });
        }
        line.push_str(&row[5]);
        let line = line.trim_end();
        out.line(&if i == 0 { paint(TITLE, line) } else { line.to_owned() })?;
    }
    Ok(())
}

/// The total against a device: a bar that is full when the device is, and the share.
pub fn against(total: Bounds, device: u128, ascii: bool) -> String {
    let percent = |n: u128| match n.checked_mul(1000) {
        Some(product) if device > 0 => {
            let tenths = product / device;
            format!("{}.{} %", tenths / 10, tenths % 10)
        }
        _ => "far more than all".to_owned(),
    };
    let (least, of) = (percent(total.min), human(device));
    let share = match total.max {
        Some(max) if max == total.min => format!("{} of {of}", percent(max)),
        Some(max) => format!("{least} to {} of {of}", percent(max)),
        None => format!("{least} of {of} or more, without an upper bound"),
    };
    let bar = bar(total, device, ascii);
    let blank = " ".repeat((BAR as usize).saturating_sub(bar.chars().count()));
    format!("[{bar}{blank}] {share}")
}
