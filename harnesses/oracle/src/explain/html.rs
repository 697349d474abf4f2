//! A story as one HTML page: no scripts, nothing to load, readable on a phone and in print.

pub mod program;

use super::story::{Graph, Scene, Story};
use super::svg::{self, escaped};
use crate::output::Exit;

/// How pages look.
pub const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5d6670;--paper:#fff;--card:#f5f6f8;--line:#d5d9de;\
--axis:#dbe7ff;--marker:#ffe7b8;--variable:#dff3df;--bad:#b3261e;--good:#1a6b33}\
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a3abb5;--paper:#14171b;--card:#1d2227;--line:#3a424b;\
--axis:#24406e;--marker:#5f4714;--variable:#1f4a29;--bad:#ff8a80;--good:#7bd88f}}\
*{box-sizing:border-box}\
body{margin:0 auto;max-width:46rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);\
overflow-wrap:anywhere}\
h1{font-size:1.3rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.6rem 0 .5rem}h3{font-size:1rem;margin:0}\
code,.mono{font-family:ui-monospace,monospace;font-size:.92em}\
section.step{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.7rem;margin:.7rem 0}\
section.fails{border-color:var(--bad)}\
figure{margin:.5rem 0;overflow-x:auto}svg{display:block}\
ul,ol{margin:.3rem 0;padding-left:1.2rem}.soft{color:var(--soft)}.bad{color:var(--bad);font-weight:600}\
.good{color:var(--good);font-weight:600}.new{font-weight:600}\
.tag{border:1px solid var(--line);border-radius:4px;padding:0 .3rem;font-size:.85em;margin-left:.4rem}\
svg text{font:15px ui-monospace,monospace;fill:var(--ink)}svg text.label{font-size:13px;fill:var(--soft)}\
rect.axis{fill:var(--axis)}rect.marker{fill:var(--marker)}rect.variable{fill:var(--variable)}\
path.edge,path.cycle{fill:none;stroke:var(--soft);stroke-width:1.5}path.cycle{stroke:var(--bad);stroke-width:2.5}\
.edge-tip{fill:var(--soft)}.cycle-tip{fill:var(--bad)}circle.vertex{fill:var(--variable);stroke:var(--line)}\
svg text.vertex{font-size:13px}svg text.weight{font-size:12px}svg text.cycle{fill:var(--bad);font-weight:700}\
ol.source{list-style:none;margin:.5rem 0;padding:.5rem;background:var(--card);border:1px solid var(--line);border-radius:8px}\
ol.source li{display:flex;flex-wrap:wrap;gap:0 .8rem;min-height:1.5em;border-left:3px solid transparent;padding-left:.4rem}\
ol.source li.fails{border-left-color:var(--bad)}\
.number{color:var(--soft);min-width:1.6em;text-align:right;font:13px/1.8 ui-monospace,monospace}\
ol.source code{white-space:pre-wrap;flex:1 1 12rem}\
.beside{font:600 13px/1.7 ui-monospace,monospace;white-space:pre-wrap;color:var(--good);flex:0 1 auto;max-width:100%;padding-left:2.4em}\
details{margin:1.6rem 0;border-top:1px solid var(--line);padding-top:.6rem}summary{cursor:pointer;font-weight:600}\
@media print{body{max-width:none;padding:0}section.step,ol.source li{break-inside:avoid}\
details::details-content{content-visibility:visible!important;block-size:auto!important;opacity:1!important}}";

fn items(lines: impl Iterator<Item = String>) -> String {
    let items: String = lines.map(|line| format!("<li>{line}</li>")).collect();
    if items.is_empty() { items } else { format!("<ul>{items}</ul>") }
}

/// Text as code.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

fn step(number: usize, scene: &Scene) -> String {
    let fails = if scene.fails.is_some() { " fails" } else { "" };
    let mut html = format!(
        "<section class=\"step{fails}\" id=\"step-{number}\"><h3>{number}. {}<span class=\"tag\">{}</span></h3>",
        escaped(scene.rule),
        escaped(&scene.place())
    );
    html.push_str(&format!("<div class=\"soft\">{} · {}</div>", escaped(&scene.words), source(&scene.from)));
    match &scene.picture {
        Some(grid) => html.push_str(&format!("<figure>{}</figure>", svg::rows(grid, &scene.constraint))),
        None => html.push_str(&format!("<div>{}</div>", code(&scene.constraint))),
    }
    let results = scene.results.iter().map(|result| format!("→ {}", code(result)));
    html.push_str(&items(results));
    if scene.policy {
        html.push_str("<div>The place of the marker is a choice.</div>");
    } else if scene.tainted {
        html.push_str("<div class=\"soft\">Rests on a chosen placement.</div>");
    }
    if !scene.bounds.is_empty() {
        let bounds = scene.bounds.iter().map(|(bound, new)| {
            if *new { format!("<span class=\"new\">{}</span> new", code(bound)) } else { code(bound) }
        });
        html.push_str(&format!("<div class=\"soft\">bounds</div>{}", items(bounds)));
    }
    if scene.more_bounds > 0 {
        html.push_str(&format!("<div class=\"soft\">… and {} more bounds</div>", scene.more_bounds));
    }
    if !scene.facts.is_empty() {
        let facts = scene.facts.iter().map(|fact| code(fact));
        html.push_str(&format!("<div class=\"soft\">the guard learns</div>{}", items(facts)));
    }
    if let Some(why) = &scene.fails {
        html.push_str(&format!("<div class=\"bad\">fails: {}</div>", escaped(why)));
    }
    html.push_str("</section>\n");
    html
}

/// A step as a link to it.
fn source(from: &str) -> String {
    match from.strip_prefix("step ") {
        Some(number) => format!("<a href=\"#step-{number}\">from step {number}</a>"),
        None => escaped(from),
    }
}

fn graph(graph: &Graph) -> String {
    let picture = svg::graph(graph).map(|svg| format!("<figure>{svg}</figure>")).unwrap_or_default();
    let edges = graph.edges.iter().map(|edge| {
        let weight =
            if edge.weight < 0 { format!("− {}", edge.weight.unsigned_abs()) } else { format!("+ {}", edge.weight) };
        let line = code(&format!("{} ≥ {} {weight}", edge.greater, edge.lesser));
        if edge.in_cycle { format!("<span class=\"bad\">{line} in the cycle</span>") } else { line }
    });
    let more = (graph.more > 0).then(|| format!("… and {} more", graph.more));
    format!("<h3>{}</h3>{picture}{}", escaped(graph.name), items(edges.chain(more)))
}

/// Up to the title.
pub fn head(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n"
    )
}

/// The page.
pub fn page(story: &Story) -> String {
    format!("{}{}\n</body></html>\n", head(&story.title), body(story))
}

/// How it ends, in a word and a sentence.
pub fn ending(story: &Story) -> String {
    let class = if story.ending.exit() == Exit::Yes { "good" } else { "bad" };
    format!("<span class=\"{class}\">{}</span>: {}", story.ending.name(), escaped(&story.says))
}

/// All of the page below its title.
fn body(story: &Story) -> String {
    format!("<p>{}</p>\n{}", ending(story), told(story))
}

/// What is told below the ending: of a program, the calculus is one click away.
pub fn told(story: &Story) -> String {
    let mut html = String::new();
    if story.program {
        html.push_str(&program::told(story));
        html.push_str("<details><summary>The calculus: every step of the inference, drawn</summary>\n");
        html.push_str(&calculus(story));
        html.push_str("</details>\n");
    } else {
        html.push_str(&calculus(story));
    }
    html
}

/// Constraints, derivation, guard, values, assumptions.
pub fn calculus(story: &Story) -> String {
    let mut html = String::new();
    if !story.explanation.is_empty() {
        let explanation = escaped(&story.explanation);
        html.push_str(&format!(
            "<h2>As infer says it</h2>\n<figure><pre class=\"mono\">{explanation}</pre></figure>\n"
        ));
    }
    html.push_str("<h2>Constraints</h2>\n");
    let input = story.input.iter().chain(&story.claims).map(|input| {
        let from = if input.from.is_empty() {
            String::new()
        } else {
            format!(" <span class=\"soft\">{}</span>", escaped(&input.from))
        };
        format!("<span class=\"soft\">line {}</span> {}{from}", input.line, code(&input.text))
    });
    html.push_str(&items(input));
    html.push_str("\n<h2>Derivation</h2>\n");
    for (number, scene) in story.steps.iter().enumerate() {
        html.push_str(&step(number + 1, scene));
    }
    if let Some(more) = story.more_steps() {
        html.push_str(&format!("<p class=\"soft\">… and {more}.</p>\n"));
    }
    if !story.guard.is_empty() {
        html.push_str("<h2>The guard's graph</h2>\n<p class=\"soft\">An arrow with weight k says: this length is at least that one plus k.</p>\n");
        story.guard.iter().for_each(|it| html.push_str(&graph(it)));
    }
    let lists = [
        ("Bindings", &story.bindings),
        ("Indices that are read", &story.checks),
        ("Shapes", &story.shapes),
        ("Values after closing", &story.values),
        ("Markers placed by choice", &story.placements),
        ("A solution all the same", &story.witness),
    ];
    for (title, lines) in lists.iter().filter(|(_, lines)| !lines.0.is_empty()) {
        html.push_str(&format!("<h2>{title}</h2>\n{}", items(lines.0.iter().map(|line| code(line)))));
    }
    if let Some(why) = &story.closing {
        html.push_str(&format!("<h2>Closing</h2>\n<p class=\"bad\">{}</p>\n", escaped(why)));
    }
    if !story.assumptions.is_empty() {
        let assumed = story
            .assumptions
            .iter()
            .map(|(what, rule)| format!("{} <span class=\"soft\">{}</span>", code(what), escaped(rule)));
        html.push_str(&format!("<h2>Assumed beyond what follows</h2>\n{}", items(assumed)));
    }
    html
}
