//! The search: one script with what it knows, so that it works where pages are files.

use super::site::Page;
use std::collections::BTreeSet;

/// Looks for pages that have every word; those with the words in their titles come first.
const SCRIPT: &str = r#"
const up = document.currentScript.dataset.up;
addEventListener('DOMContentLoaded', () => {
  const box = document.getElementById('search'), hits = document.getElementById('hits');
  const show = (title, path) => {
    const item = document.createElement('li'), link = document.createElement('a');
    link.textContent = title;
    if (path) link.href = up + path;
    item.append(path ? link : title);
    hits.append(item);
  };
  const look = () => {
    hits.textContent = '';
    const words = box.value.toLowerCase().split(/\s+/).filter(word => word);
    if (!words.length) return;
    const rank = ([path, title, text]) => {
      const head = title.toLowerCase();
      if (words.every(word => head.split(' ').includes(word))) return 0;
      if (words.every(word => head.includes(word))) return path.startsWith('s/') ? 1 : 2;
      return words.every(word => head.includes(word) || text.includes(word)) ? (path.startsWith('s/') ? 3 : 4) : 9;
    };
    const found = PAGES.map((page, i) => [rank(page), i]).filter(([rank]) => rank < 9);
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    found.slice(0, 30).forEach(([, i]) => show(PAGES[i][1], PAGES[i][0]));
    if (!found.length) show('Nothing has these words.');
    if (found.length > 30) show(`and ${found.length - 30} more: another word narrows it`);
  };
  box.addEventListener('input', look);
  look();
});
"#;

/// The text of a page without its tags.
fn text(body: &str) -> String {
    let mut inside = false;
    let shown = body.chars().map(|c| {
        let tag = inside || c == '<';
        inside = tag && c != '>';
        if tag { ' ' } else { c }
    });
    let text: String = shown.collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The words of a page, each once. Of a file, only what its statements say: its lines are for those who read it.
fn words(page: &Page) -> String {
    let body =
        if page.path.starts_with("src/") { page.body.split("<pre").next().unwrap_or_default() } else { &page.body };
    let mut seen = BTreeSet::new();
    let text = text(body).to_lowercase();
    let trimmed = text.split_whitespace().map(|word| word.trim_matches(|c: char| ",.;:()\"“”".contains(c)));
    trimmed.filter(|word| !word.is_empty() && seen.insert(*word)).collect::<Vec<_>>().join(" ")
}

/// The script with its pages: path, title, words.
pub fn script(pages: &[Page]) -> String {
    let row = |page: &Page| serde_json::json!([page.path, page.title, words(page)]).to_string();
    let rows: Vec<String> = pages.iter().map(row).collect();
    format!("'use strict';\nconst PAGES = [\n{}\n];{SCRIPT}", rows.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_tags_each_once() {
        let page = |path: &str| Page {
            path: path.to_owned(),
            title: "T".to_owned(),
            body: "<p class=\"a\">One, two &lt;one&gt;</p>two<pre>three</pre>".to_owned(),
        };
        assert_eq!(words(&page("s/1.html")), "one two <one> three");
        assert_eq!(words(&page("src/a.html")), "one two <one>");
    }
}
