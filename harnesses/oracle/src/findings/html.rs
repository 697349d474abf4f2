//! Findings as one HTML page: no scripts, nothing to load, constraints as pictures.

use super::cluster::Cluster;
use crate::explain::grid::Grid;
use crate::explain::html::{code, head};
use crate::explain::svg::{self, escaped};
use crate::made::Made;
use crate::output::{Output, visible};

/// The page: first lines about the run, then a section for each finding.
pub fn page(title: &str, about: &[String], findings: &[Cluster], gone: &[String], out: &Output) -> String {
    let mut html = head(title);
    for line in about {
        html.push_str(&format!("<p>{}</p>\n", escaped(line)));
    }
    if !gone.is_empty() {
        let ids: String = gone.iter().map(|id| format!("<li>{}</li>", code(&visible(id)))).collect();
        html.push_str(&format!("<h2>Known, and gone</h2>\n<ul>{ids}</ul>\n"));
    }
    for finding in findings {
        html.push_str(&section(finding, out));
    }
    html.push_str("</body></html>\n");
    html
}

fn section(finding: &Cluster, out: &Output) -> String {
    let Cluster { id, kind, op, definition, what, cases, .. } = finding;
    let place = if definition == "protocol" { "the protocol".to_owned() } else { format!("Def. {definition}") };
    let (class, state) = match (&finding.known, finding.is_fault()) {
        (Some(note), _) => ("", format!("known {}", visible(note))),
        (None, false) => ("", "a difference of reading".to_owned()),
        (None, true) => (" fails", "new".to_owned()),
    };
    let number = if *cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
    let mut html = format!(
        "<section class=\"step{class}\" id=\"{0}\"><h3>{1}, {2}<span class=\"tag\">{number}</span>\
         <span class=\"tag\">{3}</span></h3><div class=\"soft\">{0} · {4}</div><p>{5}</p>\n",
        escaped(id),
        escaped(&place),
        escaped(kind),
        escaped(state.trim()),
        escaped(op),
        escaped(&visible(what)),
    );
    html.push_str(&pictures(finding, out));
    let answer = finding.answer.as_deref().map_or_else(|| "none".to_owned(), visible);
    let lines =
        [("request", finding.request.to_string()), ("reference", finding.expected.to_string()), ("engine", answer)];
    for (label, text) in lines {
        html.push_str(&format!("<div class=\"soft\">{label}</div><div>{}</div>\n", code(&text)));
    }
    if let Some(stderr) = &finding.stderr {
        html.push_str(&format!("<div class=\"soft\">stderr</div><pre class=\"mono\">{}</pre>\n", escaped(stderr)));
    }
    html.push_str("</section>\n");
    html
}

/// The smallest case: constraints between rows as pictures, everything else as text.
fn pictures(finding: &Cluster, out: &Output) -> String {
    let Made::System { names, phi, .. } = Made::of_request(&finding.request) else {
        return format!("<pre class=\"mono\">{}</pre>\n", escaped(&finding.text.join("\n")));
    };
    let mut html = String::new();
    for phi in &phi {
        let words = names.show(phi).to_string();
        match Grid::of(phi, &names, out) {
            Some(grid) => html.push_str(&format!("<figure>{}</figure>\n", svg::rows(&grid, &words))),
            None => html.push_str(&format!("<div>{}</div>\n", code(&words))),
        }
    }
    for line in finding.text.iter().skip(phi.len()) {
        html.push_str(&format!("<div>{}</div>\n", code(line)));
    }
    html
}
