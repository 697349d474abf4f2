//! Markdown as HTML. Links lead to pages of the site, or are only text; HTML in the text is shown and does nothing.

use crate::explain::svg::escaped;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeMap;

/// How links and blocks of a text are turned into those of the site.
pub struct Reader<'a> {
    /// The address of a link's target; none for what the site does not have.
    pub link: &'a dyn Fn(&str) -> Option<String>,
    /// The address of what a piece of code names.
    pub code: &'a dyn Fn(&str) -> Option<String>,
    /// What stands below a block with this tag and text.
    pub block: &'a dyn Fn(&str, &str) -> Option<String>,
    /// What stands below a heading.
    pub heading: &'a dyn Fn(&str) -> Option<String>,
}

/// A reader for texts without links.
pub const PLAIN: Reader<'static> = Reader { link: &|_| None, code: &|_| None, block: &|_, _| None, heading: &|_| None };

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// The name of a heading in addresses, as code hosts make it.
fn slug(heading: &str, taken: &mut BTreeMap<String, usize>) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    let name: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
    let again = taken.entry(name.clone()).or_default();
    *again += 1;
    if *again == 1 { name } else { format!("{name}-{}", *again - 1) }
}

/// The text of the events up to the end of what was begun.
fn text_to(events: &[Event<'_>], end: impl Fn(&TagEnd) -> bool) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(tag) if end(tag)));
    let text = inside.map(|event| match event {
        Event::Text(text) | Event::Code(text) => text.as_ref(),
        Event::SoftBreak | Event::HardBreak => " ",
        _ => "",
    });
    text.collect()
}

/// The names of the headings of a document.
pub fn anchors(markdown: &str) -> Vec<String> {
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, options()).collect();
    let mut taken = BTreeMap::new();
    let starts = events.iter().enumerate().filter(|(_, event)| matches!(event, Event::Start(Tag::Heading { .. })));
    starts.map(|(i, _)| slug(&text_to(&events[i..], |tag| matches!(tag, TagEnd::Heading(_))), &mut taken)).collect()
}

/// Where a reader is in a text.
#[derive(Default)]
struct At {
    taken: BTreeMap<String, usize>,
    /// Inside of links, each with the end of its tag.
    links: Vec<String>,
    heading: String,
    block: Option<(String, String)>,
}

impl Reader<'_> {
    /// The text as HTML.
    pub fn html(&self, markdown: &str) -> String {
        let events: Vec<Event<'_>> = Parser::new_ext(markdown, options()).collect();
        let mut at = At::default();
        let mut told: Vec<Event<'_>> = Vec::with_capacity(events.len());
        for (i, event) in events.iter().enumerate() {
            self.event(event, &events[i..], &mut at, &mut told);
        }
        let mut out = String::new();
        html::push_html(&mut out, told.into_iter());
        out
    }

    fn event<'e>(&self, event: &Event<'e>, rest: &[Event<'e>], at: &mut At, told: &mut Vec<Event<'e>>) {
        let mut raw = |text: String| told.push(Event::InlineHtml(CowStr::from(text)));
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                at.heading = text_to(rest, |tag| matches!(tag, TagEnd::Heading(_)));
                raw(format!("<{level} id=\"{}\">", escaped(&slug(&at.heading, &mut at.taken))));
            }
            Event::End(TagEnd::Heading(level)) => {
                raw(format!("</{level}>\n{}", (self.heading)(&at.heading).unwrap_or_default()));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => match (self.link)(dest_url) {
                Some(to) => {
                    raw(format!("<a href=\"{}\">", escaped(&to)));
                    at.links.push("</a>".to_owned());
                }
                // The site has no such page: who wants it finds the address beside the words.
                None if dest_url.contains("://") => {
                    at.links.push(format!(" <span class=\"soft\">({})</span>", escaped(dest_url)));
                }
                None => at.links.push(String::new()),
            },
            Event::End(TagEnd::Link | TagEnd::Image) => raw(at.links.pop().unwrap_or_default()),
            Event::Code(text) => match (self.code)(text).filter(|_| at.links.is_empty()) {
                Some(to) => raw(format!("<a href=\"{}\"><code>{}</code></a>", escaped(&to), escaped(text))),
                None => told.push(event.clone()),
            },
            Event::Html(text) | Event::InlineHtml(text) if text.starts_with("<!--") => {}
            // Cells of a table may be broken; nothing else does anything.
            Event::InlineHtml(text) if matches!(text.as_ref(), "<br>" | "<br/>") => raw("<br>".to_owned()),
            Event::Html(text) | Event::InlineHtml(text) => told.push(Event::Text(text.clone())),
            Event::Start(Tag::Table(_)) => {
                raw("<div class=\"wide\">".to_owned());
                told.push(event.clone());
            }
            Event::End(TagEnd::Table) => {
                told.push(event.clone());
                told.push(Event::InlineHtml(CowStr::from("</div>\n")));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let tag = match kind {
                    CodeBlockKind::Fenced(tag) => tag.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                at.block = Some((tag, text_to(rest, |tag| *tag == TagEnd::CodeBlock)));
                told.push(Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)));
            }
            Event::End(TagEnd::CodeBlock) => {
                told.push(event.clone());
                let below = at.block.take().and_then(|(tag, text)| (self.block)(&tag, &text));
                told.extend(below.map(|below| Event::InlineHtml(CowStr::from(below))));
            }
            _ => told.push(event.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_links_and_code() {
        let link = |to: &str| (to == "a.md").then(|| "a.html".to_owned());
        let code = |text: &str| (text == "x.rs").then(|| "src/x.rs.html".to_owned());
        let reader = Reader { link: &link, code: &code, ..PLAIN };
        let html = reader.html("## A ⊑ `b`\n\n[a](a.md) [`x.rs`](b.md) `x.rs` [k](https://e.org)\n");
        assert_eq!(
            html,
            "<h2 id=\"a--b\">A ⊑ <code>b</code></h2>\n<p><a href=\"a.html\">a</a> <code>x.rs</code> \
             <a href=\"src/x.rs.html\"><code>x.rs</code></a> k <span class=\"soft\">(https://e.org)</span></p>\n"
        );
        assert_eq!(anchors("# A\n## A\n### W1. Runs, for ever\n"), ["a", "a-1", "w1-runs-for-ever"]);
    }

    #[test]
    fn html_in_a_text_does_nothing() {
        let html =
            PLAIN.html("a <script>alert(1)</script> <!-- b -->\n\n<img src=x onerror=y>\n\n| a |\n|---|\n| b |\n");
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("<!--"), "{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("<div class=\"wide\"><table>"), "{html}");
    }
}
