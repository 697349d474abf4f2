#!/bin/sh
# Builds coq/build/lozenge-check, the certificate checker, and coq/build/lozenge-model, the model that
# Rust is compared with, from what is extracted.  Run through `make checker` or `make model`.
# It compiles copies in a directory of its own, so it may run beside `make check` or another build; the
# programs are moved into place when they are complete.  Programs that recur on accessibility need the
# statements of theorems: proofs are not looked at here (-vos), `make all` does that.
set -eu
cd "$(dirname "$0")"

mkdir -p ../coq/build
work=$(mktemp -d "$PWD/../coq/build/extract.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

mkdir "$work/definitions" "$work/theorems"
cp ../coq/definitions/*.v "$work/definitions"
cp ../coq/theorems/*.v "$work/theorems"
cp Extract.v Extract_ranged.v Extract_bounds.v ./*.ml "$work"
cd "$work"
for file in $(coqdep -Q . Lozenge -sort Extract.v Extract_ranged.v Extract_bounds.v 2>/dev/null); do
  case ${file#./} in
  Extract*) coqc -q -vok -Q . Lozenge "$file" ;;
  *) coqc -q -vos -Q . Lozenge "$file" ;;
  esac
done
for name in extracted extracted_ranged extracted_bounds; do
  ocamlopt -w -a -c $name.mli $name.ml
done
compile() { ocamlopt -w +a-4-9-40-41-42-44-45-70 -warn-error +a "$@"; }
compile -o lozenge-check extracted.cmx json.ml wire.ml evidence.ml check.ml
compile -o lozenge-model extracted.cmx extracted_ranged.cmx extracted_bounds.cmx json.ml wire.ml ops.ml nests.ml \
  ranged.ml bounds.ml derivation.ml solving.ml model.ml
mv lozenge-check lozenge-model ..
