#!/bin/sh
# Builds coq/build/lozenge-check, the certificate checker, and coq/build/lozenge-model, the model that
# Rust is compared with, from what is extracted.  Run through `make checker` or `make model`.
# It compiles copies of the definitions in a directory of its own, so it may run beside `make check`
# or another build; the programs are moved into place when they are complete.
set -eu
cd "$(dirname "$0")"

mkdir -p ../coq/build
work=$(mktemp -d "$PWD/../coq/build/extract.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

modules="Dim Row Rigid Term Semantics Rules Guard Solved Runs Taint Certificate Queue Cycle Fire Solver Model Projection IndexMap Assignment Elaboration Classes"
for m in $modules; do cp "../coq/definitions/$m.v" "$work"; done
cp Extract.v ./*.ml "$work"
cd "$work"
for m in $modules Extract; do coqc -q -Q . Lozenge "$m.v"; done
ocamlopt -w -a -c extracted.mli extracted.ml
compile() { ocamlopt -w +a-4-9-40-41-42-44-45-70 -warn-error +a "$@"; }
compile -o lozenge-check extracted.cmx json.ml wire.ml evidence.ml check.ml
compile -o lozenge-model extracted.cmx json.ml wire.ml ops.ml nests.ml derivation.ml model.ml
mv lozenge-check lozenge-model ..
