#!/bin/sh
# Verifies the compiled development.  Run through `make check`.
# It fails when
#   - a .v file is missing from _CoqProject,
#   - a file contains a way to assume something without proof, or the extraction replaces a definition,
#   - coqchk, the independent checker, objects or finds an axiom,
#   - a theorem is missing from the table in ../README.md, or the other way round,
#   - a listed theorem rests on an axiom.
set -eu
cd "$(dirname "$0")"
mkdir -p build

fail() { echo "check: $*" >&2; exit 1; }

sources=$(grep '\.v$' _CoqProject)
for f in $(find . -path ./build -prune -o -name '*.v' -print | sed 's|^\./||'); do
  echo "$sources" | grep -qxF "$f" || fail "$f is not in _CoqProject"
done
if grep -Eq 'type-in-type|bypass|impredicative' _CoqProject; then
  fail "_CoqProject weakens the logic"
fi

# Words that assume something.  They may not occur even in comments.
# Declarations inside a module type are only requirements, so they are let through there.
for f in $sources; do
  awk -v file="$f" '
    /^[ \t]*Module Type[ \t]/ { depth++ ; name = $3; sub(/\.$/, "", name) }
    depth && $0 ~ ("^[ \t]*End[ \t]+" name "\\.") { depth-- }
    /(^|[^A-Za-z0-9_])(Admitted|admit|give_up|Axioms?|Conjectures?)([^A-Za-z0-9_]|$)/ ||
    /(bypass_check|Unset (Guard|Positivity|Universe) Checking)/ ||
    (!depth && /(^|[^A-Za-z0-9_])Parameters?([^A-Za-z0-9_]|$)/) {
      printf "check: %s:%d: %s\n", file, FNR, $0; bad = 1 }
    END { exit bad }' "$f" >&2 || fail "forbidden word"
done

# The extracted checker is what is proved, except for booleans, lists, pairs and options.
if grep -Ev '^From Coq Require Extraction ExtrOcamlBasic\.$' ../extract/Extract.v |
   grep -Eq '(^|[^A-Za-z])(Extract|Extr[A-Z][A-Za-z]*)[ .]'; then
  fail "../extract/Extract.v replaces a definition"
fi

modules=$(for f in $sources; do echo "Lozenge.$(echo "${f%.v}" | tr / .)"; done)
coqchk -silent -o -Q . Lozenge $modules > build/coqchk.log 2>&1 ||
  { cat build/coqchk.log >&2; fail "coqchk"; }
grep -q '^\* Axioms: <none>' build/coqchk.log ||
  { cat build/coqchk.log >&2; fail "coqchk found axioms"; }

# Table rows of ../README.md: | claim id | theorem | file | sentence |
# Only rows whose file is a .v file count.
awk -F'|' '{ gsub(/[ `]/, "", $3); gsub(/[ `]/, "", $4)
             if ($4 ~ /\.v$/) { sub(/^coq\//, "", $4); print $3, $4 } }' \
  ../README.md | sort > build/listed
grep -HoE '^ *(Theorem|Corollary|Proposition) +[A-Za-z0-9_]+' $sources /dev/null |
  sed -E 's/^([^:]*): *[A-Za-z]+ +(.*)$/\2 \1/' | sort > build/stated
[ -s build/listed ] || fail "no theorem found in ../README.md"
diff build/listed build/stated > build/diff || {
  sed -n 's/^< /listed in README.md but not stated: /p; s/^> /stated but not listed in README.md: /p' \
    build/diff >&2
  fail "the table in README.md and the theorems differ"; }

# One term that names every listed theorem: what one of them rests on, it rests on.  One question is asked
# about it; the same question about each theorem would walk through the same proofs again and again.
{
  echo "From Lozenge Require $(echo "$modules" | sed 's/^Lozenge\.//' | tr '\n' ' ')."
  echo "Definition all_listed : True :="
  while read -r name file; do
    echo "  let _ := @Lozenge.$(echo "${file%.v}" | tr / .).$name in"
  done < build/listed
  echo "  I."
  echo "Print Assumptions all_listed."
} > build/Assumptions.v
coqc -q -Q . Lozenge build/Assumptions.v > build/assumptions.log 2>&1 ||
  { cat build/assumptions.log >&2; fail "Print Assumptions"; }
[ "$(cat build/assumptions.log)" = 'Closed under the global context' ] ||
  { cat build/assumptions.log >&2; fail "a theorem rests on assumptions"; }
count=$(wc -l < build/listed)
echo "check: $count theorems, all closed under the global context"
