//! What stands around every page, and how pages look.

use super::address::way;
use super::made::Made;
use super::site::Page;
use crate::explain::html::STYLE;
use crate::explain::svg::escaped;

/// Beside what pages of `explain` have: the bar, tables and code that scroll in a box of their own, lines with numbers.
const MORE: &str = "\
body{max-width:60rem}h4{font-size:1rem;margin:.3rem 0}a{color:inherit}h2{border-top:1px solid var(--line);padding-top:.6rem}\
header{border-bottom:1px solid var(--line);padding-bottom:.6rem;margin-bottom:1rem}\
header nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:center}\
header input{font:inherit;max-width:100%;padding:.2rem .4rem;color:var(--ink);background:var(--card);\
border:1px solid var(--line);border-radius:4px}\
#hits{padding-left:1.2rem}#hits:empty{display:none}\
footer{border-top:1px solid var(--line);margin-top:2rem;padding-top:.6rem;color:var(--soft);font-size:.85rem}\
.wide,pre{overflow-x:auto;max-width:100%}table{border-collapse:collapse;overflow-wrap:normal}\
td,th{border-bottom:1px solid var(--line);padding:.25rem .6rem .25rem 0;text-align:left;vertical-align:top}\
td{min-width:4rem}pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem;\
font-size:13px;line-height:1.45;overflow-wrap:normal}pre code{font-size:1em}\
pre.lines a{color:var(--soft);text-decoration:none}pre.lines a:target{background:var(--marker);color:var(--ink)}\
.words{border-left:3px solid var(--line);padding-left:.8rem}.words h2{border:0;padding:0}\
.plain{font-weight:600}.evidence{font-size:.9rem}details.drawn{border:1px solid var(--line);border-radius:8px;padding:.6rem}\
@media print{header,#hits{display:none}pre{white-space:pre-wrap;overflow-wrap:anywhere}a{text-decoration:none}\
tr,h2,h3{break-inside:avoid}h2,h3{break-after:avoid}}\n";

/// The style of all pages.
pub fn style() -> String {
    format!("{STYLE}{MORE}")
}

/// A whole page.
pub fn around(page: &Page, made: &Made) -> String {
    let to = |target: &str| way(&page.path, target);
    let (title, up) = (escaped(&page.title), way(&page.path, ""));
    let tools: Vec<String> = made.tools.iter().map(|(name, it)| escaped(format!("{name} {it}").trim())).collect();
    let places = [
        ("index.html", "Statements"),
        ("spec/README.html", "Specification"),
        ("spec/findings/README.html", "Findings"),
        ("figures.html", "Figures"),
    ];
    let places = places.map(|(path, name)| format!("<a href=\"{}\">{name}</a>", to(path))).concat();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} · Lozenge</title>\
         <link rel=\"stylesheet\" href=\"{}\"><script src=\"{}\" defer data-up=\"{up}\"></script></head>\n<body>\n\
         <header><nav>{places}<input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\" \
         autocomplete=\"off\"></nav><ul id=\"hits\" aria-live=\"polite\"></ul></header>\n<main>\n{}</main>\n\
         <footer>Lozenge, {}. {}.</footer>\n</body></html>\n",
        to("style.css"),
        to("search.js"),
        page.body,
        escaped(&made.said()),
        tools.join(", ")
    )
}
