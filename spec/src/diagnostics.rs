//! The page about diagnostics, `spec/diagnostics.md`, one section a code.

const PAGE: &str = include_str!("../diagnostics.md");

/// The section of a code, without its heading: what it means, and programs that get it and are mended.
#[must_use]
pub fn section(code: &str) -> Option<&'static str> {
    let head = format!("\n## {code}: ");
    let (_, rest) = PAGE.split_once(head.as_str())?;
    let (_, body) = rest.split_once('\n')?;
    Some(body.split("\n## ").next().unwrap_or(body).trim())
}
