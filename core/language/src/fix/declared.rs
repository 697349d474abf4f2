//! Declared shapes with rows or axes in the wrong order, of the wrong size, or too many.

use super::scene::{About, Scene, Site};
use super::{Edit, Fix, MOST_AXES};
use crate::diagnostic::Code;
use crate::explain::{DrawnRow, InferError, Side};
use crate::generate::Role;
use crate::shape::Kind;
use crate::written::{axes, shape};
use lozenge_notation::Span;

/// Without an axis of one element.
pub(super) const SHORTER: u8 = 60;

pub(super) fn propose(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    // An index that is too large is no matter of shapes.
    if matches!(scene.about, About::Error(InferError::Index(_))) {
        return;
    }
    let short = |site: &&Site| Kind::ALL.into_iter().all(|kind| site.axes(kind, scene).len() <= MOST_AXES);
    for site in scene.declared.iter().filter(short) {
        stretched(scene, site, out);
        exchanged(scene, site, out);
        permuted(scene, site, out);
        other_rows(scene, site, out);
        squares(scene, site, out);
        other_size(scene, site, out);
        moved(scene, site, out);
        shorter(scene, site, out);
    }
    literals(scene, out);
}

impl Site {
    fn text<'s>(&self, kind: Kind, scene: &'s Scene<'_>) -> &'s str {
        self.rows.text(kind, scene.source)
    }

    /// The axes of a row that are written.
    fn axes(&self, kind: Kind, scene: &Scene<'_>) -> Vec<Span> {
        self.rows.get(kind).map_or(Vec::new(), |row| axes(scene.source, row))
    }

    /// The whole shape, written anew.
    fn reshaped(&self, says: String, rows: [&str; 3]) -> Fix {
        Fix::one(says, self.rows.whole, shape(rows))
    }

    /// One row, written anew.
    fn with(&self, says: String, kind: Kind, row: &str, scene: &Scene<'_>) -> Fix {
        Fix::one(says, self.rows.whole, self.rows.with(kind, row, scene.source))
    }
}

fn join(axes: &[&str]) -> String {
    axes.join(", ")
}

/// A written 1 does not stretch.
fn stretched(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    for axis in Kind::ALL.into_iter().flat_map(|kind| site.axes(kind, scene)) {
        if axis.text(scene.source) == "1" {
            let says = format!("a size 1 that is written does not stretch, and `unit` does, in `{}`", site.name);
            out.push((6, Fix::one(says, axis, "unit")));
        }
    }
}

/// Input and output, or batch and output, the other way round.
fn exchanged(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    let [batch, input, output] = Kind::ALL.map(|kind| site.text(kind, scene));
    let name = &site.name;
    if !input.is_empty() && !output.is_empty() {
        let says = format!("exchange input and output of `{name}`: what takes 3 values to 5 is `3 -> 5`");
        out.push((10, site.reshaped(says, [batch, output, input])));
    }
    if !batch.is_empty() && !output.is_empty() {
        let says = format!("exchange batch and output of `{name}`: the batch row comes first");
        out.push((18, site.reshaped(says, [output, input, batch])));
    }
}

/// Two axes of a row in the other order.
fn permuted(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    for kind in Kind::ALL {
        let axes = site.axes(kind, scene);
        for (i, one) in axes.iter().enumerate() {
            for other in &axes[i + 1..] {
                let (a, b) = (one.text(scene.source), other.text(scene.source));
                let says = format!("exchange `{a}` and `{b}` in the {kind} row of `{}`", site.name);
                let edits = vec![Edit { span: *one, text: b.to_owned() }, Edit { span: *other, text: a.to_owned() }];
                out.push((if site.role == Role::Input { 19 } else { 16 }, Fix::new(says, edits)));
            }
        }
    }
}

/// The axes of a row that is wholly known.
fn known(row: &DrawnRow) -> Option<Vec<&str>> {
    let all: Vec<&str> = row.lead.iter().chain(&row.trail).map(String::as_str).collect();
    let known = !row.open && all.iter().all(|axis| axis.parse::<u64>().is_ok());
    known.then_some(all)
}

/// The product of sizes.
fn elements(axes: &[&str]) -> Option<u64> {
    axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.parse().ok()?))
}

/// The row of the tensor that it meets: 28, 28 for 784, 64 where a batch is missing.
fn other_rows(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    let Some(clash) = scene.clash() else { return };
    for drawn in clash.operands.iter().filter(|drawn| drawn.id != site.id) {
        let whose = drawn.tensor.render(scene.source);
        for kind in Kind::ALL {
            let Some(axes) = known(drawn.rows.get(kind)).filter(|axes| !axes.is_empty()) else { continue };
            let row = join(&axes);
            for own in Kind::ALL {
                let is_operand = clash.operands.iter().any(|it| it.id == site.id);
                let crosses = own != kind && (own == Kind::Batch || kind == Kind::Batch);
                let mine = site.axes(own, scene);
                // Where only sizes differ, one of them is changed and not the row.
                if is_operand && !crosses && mine.len() != axes.len() {
                    let says = format!("give `{}` the {kind} row of {whose}", site.name);
                    let rank = if mine.len() < axes.len() { 24 } else { 26 };
                    out.push((rank, site.with(says, own, &row, scene)));
                }
                // One axis with as many elements as the row has.
                for axis in mine.iter().filter(|_| axes.len() > 1) {
                    let size = axis.text(scene.source);
                    if size.parse::<u64>().ok().is_some_and(|size| elements(&axes) == Some(size)) {
                        let says = format!("keep the axes apart in `{}`: {row} for {size}", site.name);
                        out.push((22, Fix::one(says, *axis, row.clone())));
                    }
                }
            }
        }
    }
}

/// 784 where the specification wants two axes: 28, 28.
fn squares(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    if scene.clash().is_none_or(|clash| Code::from(&clash.why) != Code::Axes) {
        return;
    }
    for axis in Kind::ALL.into_iter().flat_map(|kind| site.axes(kind, scene)) {
        let Ok(size) = axis.text(scene.source).parse::<u64>() else { continue };
        let side = size.isqrt();
        if side > 1 && side * side == size {
            let says = format!("keep the axes apart in `{}`: {side}, {side} for {size}", site.name);
            out.push((23, Fix::one(says, axis, format!("{side}, {side}"))));
        }
    }
}

/// The size of the other side, at the axis itself or wherever this size is written.
fn other_size(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    let [one, other] = scene.sides() else { return };
    let there = scene.clash().is_some_and(|clash| clash.operands.iter().any(|drawn| drawn.id == site.id));
    let rank = if site.role == Role::Param && there { 28 } else { 30 };
    for (mine, wanted) in [(one, other), (other, one)] {
        if mine.axis.is_none() {
            continue;
        }
        let Side { value: wanted, .. } = wanted;
        let says = format!("make it {wanted} in `{}`", site.name);
        for kind in Kind::ALL {
            let same: Vec<Span> =
                site.axes(kind, scene).into_iter().filter(|axis| axis.text(scene.source) == mine.value).collect();
            for axis in &same {
                out.push((rank, Fix::one(says.clone(), *axis, wanted.clone())));
            }
            let all = same.iter().map(|axis| Edit { span: *axis, text: wanted.clone() }).collect();
            out.push((rank + 1, Fix::new(says.clone(), all)));
        }
    }
}

/// Axes in another row.
fn moved(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    let sizes = scene.clash().is_some_and(|clash| Code::from(&clash.why) != Code::Axes);
    if sizes && site.role != Role::Literal {
        return;
    }
    let [batch, input, output] = Kind::ALL.map(|kind| site.text(kind, scene));
    let name = &site.name;
    if !input.is_empty() {
        let both = join(&[input, output].into_iter().filter(|row| !row.is_empty()).collect::<Vec<_>>());
        out.push((64, site.reshaped(format!("put all axes of `{name}` into its output row"), [batch, "", &both])));
    }
    if batch.is_empty() && !output.is_empty() {
        out.push((65, site.reshaped(format!("put the axes of `{name}` into its batch row"), [output, input, ""])));
        out.push((66, site.reshaped(format!("let `{name}` have a batch"), ["...", input, output])));
    }
    if let [first, rest @ ..] = site.axes(Kind::Output, scene).as_slice()
        && batch.is_empty()
        && !rest.is_empty()
    {
        let rest: Vec<&str> = rest.iter().map(|axis| axis.text(scene.source)).collect();
        let says = format!("make the first axis of `{name}` a batch axis");
        out.push((63, site.reshaped(says, [first.text(scene.source), input, &join(&rest)])));
    }
}

/// One axis less.
fn shorter(scene: &Scene<'_>, site: &Site, out: &mut Vec<(u8, Fix)>) {
    if scene.clash().is_some_and(|clash| Code::from(&clash.why) != Code::Axes) {
        return;
    }
    for kind in Kind::ALL {
        let axes: Vec<&str> = site.axes(kind, scene).iter().map(|axis| axis.text(scene.source)).collect();
        for (i, axis) in axes.iter().enumerate() {
            let rest: Vec<&str> = axes.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, axis)| *axis).collect();
            let says = format!("leave the axis `{axis}` of `{}` out", site.name);
            let rank = if matches!(*axis, "1" | "unit") { SHORTER } else { 68 };
            out.push((rank, site.with(says, kind, &join(&rest), scene)));
        }
    }
}

/// Numbers without a shape have output axes: the same numbers in the batch row, or in the input row.
fn literals(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    let Some(generated) = &scene.generated else { return };
    for id in scene.operations().flat_map(|op| op.operands.iter()) {
        let Some(tensor) = generated.tensors.get(*id).filter(|t| t.role == Role::Literal) else { continue };
        let text = tensor.span.text(scene.source);
        let Some(row) = tensor.shape.output.as_ground().filter(|_| text.starts_with('[')) else { continue };
        let sizes: Vec<String> = row.flat().map(|dim| dim.elements().to_string()).collect();
        let sizes = sizes.join(", ");
        let says = |kind: Kind| format!("the axes of written numbers are output axes; say that they are {kind} axes");
        out.push((14, Fix::one(says(Kind::Batch), tensor.span, format!("({text}: {sizes} | ->)"))));
        out.push((15, Fix::one(says(Kind::Input), tensor.span, format!("({text}: {sizes} ->)"))));
    }
}
