//! A story in the terminal.

use super::grid::Grid;
use super::story::{Graph, Scene, Story};
use crate::output::{BAD, Exit, FAINT, GOOD, Output, TITLE, paint};
use crate::solve::heading;
use lozenge::text::{centred, left};
use std::io;

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The rows of a picture, one line each, columns aligned.
pub fn picture(grid: &Grid) -> Vec<String> {
    let cells: Vec<_> = grid.rows.iter().map(|row| grid.cells(row)).collect();
    let columns = cells.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|i| cells.iter().filter_map(|row| row[i]).map(width).max().unwrap_or(0)).collect();
    let line = |(n, row): (usize, &Vec<Option<&str>>)| {
        let label = grid.rows[n].label;
        let mut line = format!("{label:<7}  ");
        for (cell, width) in row.iter().zip(&widths) {
            let text = cell.unwrap_or("");
            line.push_str(&format!(" {} ", centred(text, *width)));
        }
        if n == 0 {
            line.push_str(&format!(" {}", grid.relation));
        }
        line.trim_end().to_owned()
    };
    cells.iter().enumerate().map(line).collect()
}

fn edges(graph: &Graph, out: &Output) -> Vec<String> {
    let wide = graph.edges.iter().map(|edge| width(&edge.greater)).max().unwrap_or(0);
    let line = |edge: &super::story::Edge| {
        let sign = match edge.weight {
            k if k < 0 => format!("{}{}", out.text("−"), k.unsigned_abs()),
            k => format!("+{k}"),
        };
        let mark = if edge.in_cycle { paint(BAD, "  in the cycle") } else { String::new() };
        let greater = left(&edge.greater, wide);
        format!("{greater} {} {} {sign}{mark}", out.text("≥"), edge.lesser)
    };
    graph.edges.iter().map(line).collect()
}

fn scene(number: usize, scene: &Scene, out: &mut Output) -> io::Result<()> {
    out.line("")?;
    let title = format!("step {number}  {}", scene.rule);
    let from = if scene.from.is_empty() { String::new() } else { format!(", {}", scene.from) };
    out.line(&format!("{}  {}", paint(TITLE, &title), paint(FAINT, &format!("{}{from}", scene.place()))))?;
    match &scene.picture {
        Some(grid) => {
            for line in picture(grid) {
                out.line(&format!("  {line}"))?;
            }
        }
        None => out.line(&format!("  {}", scene.constraint))?,
    }
    out.line(&paint(FAINT, &format!("  {}", scene.words)))?;
    let arrow = out.text("→");
    for result in &scene.results {
        out.line(&format!("  {arrow} {result}"))?;
    }
    if scene.policy {
        out.line("  the place of the marker is a choice")?;
    } else if scene.tainted {
        out.line("  rests on a chosen placement")?;
    }
    for (bound, new) in &scene.bounds {
        let style = if *new { TITLE } else { FAINT };
        let mark = if *new { "+" } else { " " };
        out.line(&paint(style, &format!("  bound {mark} {bound}")))?;
    }
    if scene.more_bounds > 0 {
        out.line(&paint(FAINT, &format!("  bound   ... and {} more", scene.more_bounds)))?;
    }
    for fact in &scene.facts {
        out.line(&paint(FAINT, &format!("  guard   {fact}")))?;
    }
    if let Some(why) = &scene.fails {
        out.line(&format!("  {}: {why}", paint(BAD, "fails")))?;
    }
    Ok(())
}

/// Prints all of it.
pub fn print(story: &Story, out: &mut Output) -> io::Result<()> {
    out.line(&paint(TITLE, &story.title))?;
    for input in story.input.iter().chain(&story.claims) {
        let from = if input.from.is_empty() { String::new() } else { format!("   {}", first_line(&input.from)) };
        out.line(&format!("  line {:<3} {}{}", input.line, input.text, paint(FAINT, &from)))?;
    }
    for (number, it) in story.steps.iter().enumerate() {
        scene(number + 1, it, out)?;
    }
    if let Some(more) = story.more_steps() {
        out.line("")?;
        out.line(&format!("... and {more}: --steps N"))?;
    }
    out.line("")?;
    let style = if story.ending.exit() == Exit::Yes { GOOD } else { BAD };
    out.line(&format!("{}: {}", paint(style, story.ending.name()), story.says))?;
    let explained: Vec<String> = story.explanation.lines().map(str::to_owned).collect();
    list("as infer explains it", &explained, out)?;
    list("bindings", &story.bindings.0, out)?;
    for graph in &story.guard {
        let mut lines = edges(graph, out);
        if graph.more > 0 {
            lines.push(format!("... and {} more", graph.more));
        }
        list(&format!("the guard's graph: {}", graph.name), &lines, out)?;
    }
    if let Some(why) = &story.closing {
        list("closing", std::slice::from_ref(why), out)?;
    }
    let assumed: Vec<String> = story.assumptions.iter().map(|(what, rule)| format!("{what}  {rule}")).collect();
    list("assumed beyond what follows", &assumed, out)?;
    list("markers placed by choice", &story.placements.0, out)?;
    list("indices that are read", &story.checks.0, out)?;
    list("shapes", &story.shapes.0, out)?;
    list("values after closing", &story.values.0, out)?;
    list("a solution all the same", &story.witness.0, out)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn list(title: &str, lines: &[String], out: &mut Output) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    heading(title, out)?;
    for line in lines {
        out.line(&format!("  {line}"))?;
    }
    Ok(())
}
