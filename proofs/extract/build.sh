#!/bin/sh
# Builds coq/build/lozenge-check, the extracted certificate checker.  Run through `make checker`.
# It compiles copies of the definitions in a directory of its own, so it may run beside `make check`
# or another build; the program is moved into place when it is complete.
set -eu
cd "$(dirname "$0")"

mkdir -p ../coq/build
work=$(mktemp -d "$PWD/../coq/build/extract.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

modules="Dim Row Term Semantics Rules Guard Certificate"
for m in $modules; do cp "../coq/$m.v" "$work"; done
cp Extract.v json.ml wire.ml main.ml "$work"
cd "$work"
for m in $modules Extract; do coqc -q -Q . Lozenge "$m.v"; done
ocamlopt -w -a -c checker.mli checker.ml
ocamlopt -w +a-4-9-40-41-42-44-45-70 -warn-error +a -o lozenge-check checker.cmx json.ml wire.ml main.ml
mv lozenge-check ..
