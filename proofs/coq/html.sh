#!/bin/sh
# Writes html/index.html: the statements of ../README.md by number, each with a link to its theorem.
# Run through `make html`, after coqdoc.
set -eu
cd "$(dirname "$0")"
# Lines of the table: | claim id | theorem | file | sentence |
awk -F'|' '$4 ~ /\.v *$/ {
    claim = $2; name = $3; file = $4; sentence = $5
    for (i = 6; i < NF; i++) sentence = sentence "|" $i
    gsub(/[ `]/, "", claim); gsub(/[ `]/, "", name); gsub(/[ `]/, "", file)
    sub(/^coq\//, "", file); sub(/\.v$/, "", file); gsub(/\//, ".", file)
    gsub(/^ +| +$/, "", sentence)
    gsub(/&/, "\\&amp;", sentence); gsub(/</, "\\&lt;", sentence); gsub(/>/, "\\&gt;", sentence)
    while (match(sentence, /`[^`]*`/))
      sentence = substr(sentence, 1, RSTART - 1) "<code>" substr(sentence, RSTART + 1, RLENGTH - 2) "</code>" \
        substr(sentence, RSTART + RLENGTH)
    while (match(sentence, /\[[^]]*\]\([^)]*\)/)) {
      text = substr(sentence, RSTART + 1, RLENGTH - 2); sub(/\]\(.*/, "", text)
      sentence = substr(sentence, 1, RSTART - 1) text substr(sentence, RSTART + RLENGTH) }
    printf "%s\t<tr><td>%s</td><td><a href=\"Lozenge.%s.html#%s\">%s</a></td><td>%s</td></tr>\n",
      claim, claim, file, name, name, sentence }' ../README.md |
  sort -s -t "$(printf '\t')" -k1,1V | cut -f2- > html/rows
[ -s html/rows ] || { echo "html: no theorem found in ../README.md" >&2; exit 1; }
# Every link leads somewhere.
sed 's/.*href="\([^#]*\)#\([^"]*\)".*/\1 \2/' html/rows | while read -r page name; do
  grep -q "id=\"$name\"" "html/$page" || { echo "html: no $name in $page" >&2; exit 1; }
done
{
  cat <<'EOF'
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Lozenge: what is proved</title>
<link href="coqdoc.css" rel="stylesheet" type="text/css">
<style>#statements { border-collapse: collapse; } #statements td { padding: 0.2em 0.6em; vertical-align: top; }</style>
</head>
<body><div id="main">
<h1>What is proved</h1>
<p>By the numbers of the paper. <a href="toc.html">Files</a>, <a href="identifiers.html">identifiers</a>.</p>
<table id="statements">
EOF
  cat html/rows
  echo '</table></div></body></html>'
} > html/index.html
echo "html: $(wc -l < html/rows) statements in html/index.html"
rm html/rows
