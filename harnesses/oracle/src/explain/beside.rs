//! A program in the terminal: its source with shapes beside the lines, and why there are none.

use super::listing::Line;
use super::story::Story;
use super::why::{Claim, Said, Why};
use crate::infer::show::print_telling;
use crate::output::{BAD, Exit, FAINT, GOOD, Output, TITLE, paint};
use crate::solve::heading;
use lozenge::text::left;
use std::io;

/// The widest source that has its notes in the same line.
const WIDEST: usize = 72;

/// Prints what people ask first; the derivation is for `--calculus`.
pub fn print(story: &Story, out: &mut Output) -> io::Result<()> {
    out.line(&paint(TITLE, &story.title))?;
    let good = story.ending.exit() == Exit::Yes;
    if good {
        out.line("")?;
        source(&story.source, out)?;
    }
    out.line("")?;
    let style = if good { GOOD } else { BAD };
    out.line(&format!("{}: {}", paint(style, story.ending.name()), story.says))?;
    if let Some(decided) = &story.decided {
        print_telling(decided, "infer --assumptions", out)?;
    }
    if let Some(why) = &story.why {
        reasons(why, out)?;
    }
    if !good && !story.source.is_empty() {
        heading("what is known so far", out)?;
        source(&story.source, out)?;
    }
    Ok(())
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The source with numbers; notes in one column, or below what is too wide for it.
fn source(lines: &[Line], out: &mut Output) -> io::Result<()> {
    let numbers = lines.len().to_string().len();
    let noted = lines.iter().filter(|line| !line.beside().is_empty()).map(|line| width(&line.text));
    let column = noted.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    for line in lines {
        let mark = if line.fails { paint(BAD, ">") } else { " ".to_owned() };
        let number = paint(FAINT, &format!("{:>numbers$}", line.line));
        let (text, beside) = (&line.text, paint(TITLE, &line.beside()));
        if beside.is_empty() {
            out.line(format!("{mark} {number}  {text}").trim_end())?;
        } else if width(text) <= column {
            out.line(&format!("{mark} {number}  {}   {beside}", left(text, column)))?;
        } else {
            out.line(&format!("{mark} {number}  {text}"))?;
            out.line(&format!("  {}  {}   {beside}", " ".repeat(numbers), " ".repeat(column)))?;
        }
    }
    Ok(())
}

fn reasons(why: &Why, out: &mut Output) -> io::Result<()> {
    if let Some(Said { line, text, .. }) = &why.place {
        let title = if why.claims.len() == 2 { "the two claims meet" } else { "it shows" };
        heading(&format!("{title} in line {line}, `{text}`"), out)?;
    }
    let wide = why.claims.iter().map(|claim| width(&claim.value)).max().unwrap_or(0);
    for Claim { value, said, .. } in &why.claims {
        let said = said.as_ref().map(|said| format!("   {}", said.text())).unwrap_or_default();
        out.line(format!("  {}{said}", left(value, wide)).trim_end())?;
    }
    for Claim { title, way, routine, .. } in why.claims.iter().filter(|claim| !claim.way.is_empty()) {
        heading(title, out)?;
        said(way, out)?;
        if let Some(steps) = steps(*routine) {
            out.line(&paint(FAINT, &format!("  {steps}")))?;
        }
    }
    list("what it rests on", &why.rests.iter().map(Said::text).collect::<Vec<_>>(), out)?;
    list("assumed before", &why.assumed, out)?;
    for help in &why.help {
        out.line("")?;
        out.line(&format!("help: {help}"))?;
    }
    Ok(())
}

/// `3 routine steps between`.
pub fn steps(routine: usize) -> Option<String> {
    match routine {
        0 => None,
        1 => Some("1 routine step between".to_owned()),
        n => Some(format!("{n} routine steps between")),
    }
}

fn said(them: &[Said], out: &mut Output) -> io::Result<()> {
    them.iter().try_for_each(|said| out.line(&format!("  {}", said.text())))
}

fn list(title: &str, lines: &[String], out: &mut Output) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    heading(title, out)?;
    lines.iter().try_for_each(|line| out.line(&format!("  {line}")))
}
