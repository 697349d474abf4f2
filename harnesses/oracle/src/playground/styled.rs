//! Text with the styles of [`paint`] as HTML.

use crate::explain::svg::escaped;
use crate::output::{BAD, FAINT, GOOD, RESET, TITLE};

/// Escapes the text; styles become spans, and those that are left open end with it.
pub fn styled(text: &str) -> String {
    let classes = [(GOOD, "good"), (BAD, "bad"), (FAINT, "soft"), (TITLE, "title")];
    let spelled = classes.map(|(style, class)| (style.to_string(), class));
    let (mut html, mut rest, mut open) = (String::new(), text, false);
    while let Some(at) = rest.find('\u{1b}') {
        html.push_str(&escaped(&rest[..at]));
        rest = &rest[at..];
        if open {
            html.push_str("</span>");
            open = false;
        }
        if let Some((style, class)) = spelled.iter().find(|(style, _)| rest.starts_with(style.as_str())) {
            html.push_str(&format!("<span class=\"{class}\">"));
            open = true;
            rest = &rest[style.len()..];
        } else {
            rest = rest.strip_prefix(RESET).unwrap_or(&rest[1..]);
        }
    }
    html.push_str(&escaped(rest));
    if open {
        html.push_str("</span>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::paint;

    #[test]
    fn styles_become_spans_and_nothing_else_is_markup() {
        let text = format!("{} <b> {}", paint(BAD, "a<b"), paint(TITLE, "t"));
        assert_eq!(styled(&text), "<span class=\"bad\">a&lt;b</span> &lt;b&gt; <span class=\"title\">t</span>");
        assert_eq!(styled("\u{1b}[31mx"), "[31mx");
        assert_eq!(styled(&format!("{BAD}x")), "<span class=\"bad\">x</span>");
    }
}
