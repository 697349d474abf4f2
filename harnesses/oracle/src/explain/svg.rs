//! Pictures: rows as boxes under each other, and the guard's graph as circles and arrows.

use super::grid::Grid;
use super::story::Graph;
use std::f64::consts::TAU;

/// Text inside HTML and SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// How wide a text is drawn, in pixels.
fn wide(text: &str) -> f64 {
    text.chars().count() as f64 * 9.0 + 14.0
}

const HIGH: f64 = 30.0;
const GAP: f64 = 4.0;

/// Rows as boxes, aligned at their outer edges.
pub fn rows(grid: &Grid, words: &str) -> String {
    let cells: Vec<_> = grid.rows.iter().map(|row| grid.cells(row)).collect();
    let columns = cells.first().map_or(0, Vec::len);
    let widths: Vec<f64> =
        (0..columns).map(|i| cells.iter().filter_map(|row| row[i]).map(wide).fold(28.0, f64::max)).collect();
    let label = 66.0;
    let total = label + widths.iter().map(|w| w + GAP).sum::<f64>() + 26.0;
    let height = 2.0 * (HIGH + 12.0);
    let mut svg = format!(
        "<svg role=\"img\" aria-label=\"{}\" width=\"{total:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {total:.0} {height:.0}\">",
        escaped(words)
    );
    for (n, row) in cells.iter().enumerate() {
        let top = 4.0 + n as f64 * (HIGH + 12.0);
        let middle = top + HIGH / 2.0 + 5.0;
        svg.push_str(&format!("<text class=\"label\" x=\"0\" y=\"{middle:.0}\">{}</text>", grid.rows[n].label));
        let mut left = label;
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let marker = i == grid.lead;
            if let Some(text) = cell {
                let class = match (marker, grid.rows[n].open) {
                    (true, true) => "variable",
                    (true, false) => "marker",
                    (false, _) => "axis",
                };
                let center = left + width / 2.0;
                svg.push_str(&format!(
                    "<rect class=\"{class}\" x=\"{left:.0}\" y=\"{top:.0}\" width=\"{width:.0}\" height=\"{HIGH}\" rx=\"5\"/>\
                     <text class=\"{class}\" x=\"{center:.0}\" y=\"{middle:.0}\" text-anchor=\"middle\">{}</text>",
                    escaped(text)
                ));
            }
            left += width + GAP;
        }
        if n == 0 {
            let middle = height / 2.0 + 5.0;
            svg.push_str(&format!(
                "<text class=\"relation\" x=\"{:.0}\" y=\"{middle:.0}\">{}</text>",
                left + 2.0,
                grid.relation
            ));
        }
    }
    svg.push_str("</svg>");
    svg
}

/// More vertices than this are listed, not drawn.
pub const MOST_VERTICES: usize = 14;

/// The vertices of a graph, in order of appearance; one too many where there are too many to be drawn.
pub fn vertices(graph: &Graph) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for name in graph.edges.iter().flat_map(|edge| [edge.greater.as_str(), edge.lesser.as_str()]) {
        if !all.contains(&name) {
            all.push(name);
        }
        if all.len() > MOST_VERTICES {
            break;
        }
    }
    all
}

/// The radius of a vertex.
const DOT: f64 = 19.0;

/// A loop on the outside of its vertex, and where its weight stands.
fn looped((x, y): (f64, f64), center: f64, radius: f64) -> (String, f64, f64) {
    let (ox, oy) = ((x - center) / radius, (y - center) / radius);
    let (ax, ay) = (x + ox * DOT - oy * 9.0, y + oy * DOT + ox * 9.0);
    let (bx, by) = (x + ox * DOT + oy * 9.0, y + oy * DOT - ox * 9.0);
    (format!("M{ax:.1} {ay:.1} A14 14 0 1 1 {bx:.1} {by:.1}"), x - ox * 30.0, y - oy * 30.0)
}

/// An edge bent to one side, so that the way back has a place of its own, and where its weight stands.
fn bent((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> (String, f64, f64) {
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (mx, my) = ((x1 + x2) / 2.0 - uy * 26.0, (y1 + y2) / 2.0 + ux * 26.0);
    let ends = |x: f64, y: f64| {
        let (vx, vy) = (mx - x, my - y);
        let length = vx.hypot(vy).max(1.0);
        (x + vx / length * DOT, y + vy / length * DOT)
    };
    let ((sx, sy), (ex, ey)) = (ends(x1, y1), ends(x2, y2));
    let (tx, ty) = ((x1 + x2) / 2.0 - uy * 22.0, (y1 + y2) / 2.0 + ux * 22.0);
    (format!("M{sx:.1} {sy:.1} Q{mx:.1} {my:.1} {ex:.1} {ey:.1}"), tx, ty)
}

/// The guard's graph: an arrow from the greater length to the lesser, with the weight on it. None if it is too large.
pub fn graph(graph: &Graph) -> Option<String> {
    let names = vertices(graph);
    if names.len() > MOST_VERTICES {
        return None;
    }
    let radius = if names.len() < 4 { 85.0 } else { 115.0 };
    let center = radius + 45.0;
    let size = 2.0 * center;
    let place = |i: usize| {
        let angle = TAU * i as f64 / names.len() as f64 - TAU / 4.0;
        (center + radius * angle.cos(), center + radius * angle.sin())
    };
    let id = graph.name.replace(' ', "-");
    let mut svg = format!(
        "<svg role=\"img\" aria-label=\"{}\" width=\"{size:.0}\" height=\"{size:.0}\" viewBox=\"0 0 {size:.0} {size:.0}\"><defs>",
        escaped(&format!("graph of {}", graph.name))
    );
    for kind in ["edge", "cycle"] {
        svg.push_str(&format!(
            "<marker id=\"{id}-{kind}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto-start-reverse\"><path class=\"{kind}-tip\" d=\"M0 0 10 5 0 10z\"/></marker>"
        ));
    }
    svg.push_str("</defs>");
    for edge in &graph.edges {
        let index = |name: &str| names.iter().position(|n| *n == name).unwrap_or(0);
        let (from, to) = (index(&edge.greater), index(&edge.lesser));
        let kind = if edge.in_cycle { "cycle" } else { "edge" };
        let weight =
            if edge.weight < 0 { format!("−{}", edge.weight.unsigned_abs()) } else { format!("+{}", edge.weight) };
        let ((x1, y1), (x2, y2)) = (place(from), place(to));
        let (path, tx, ty) = if from == to { looped((x1, y1), center, radius) } else { bent((x1, y1), (x2, y2)) };
        svg.push_str(&format!("<path class=\"{kind}\" d=\"{path}\" marker-end=\"url(#{id}-{kind})\"/>"));
        svg.push_str(&format!(
            "<text class=\"weight {kind}\" x=\"{tx:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{weight}</text>",
            ty + 4.0
        ));
    }
    for (i, name) in names.iter().enumerate() {
        let (x, y) = place(i);
        svg.push_str(&format!(
            "<circle class=\"vertex\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{DOT}\"/>\
             <text class=\"vertex\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            y + 4.0,
            escaped(name.trim_matches(['⟨', '⟩', '<', '>']))
        ));
    }
    svg.push_str("</svg>");
    Some(svg)
}
