#!/bin/sh
# Runs the extracted checker on certificates that it must accept, refuse, or call unreadable; and the
# model on requests.  In samples/model.jsonl requests and the answers to them take turns.
set -eu
cd "$(dirname "$0")"
checker=../coq/build/lozenge-check
answers=../coq/build/samples.answers

fail() { echo "samples: $*" >&2; exit 1; }

# expect FILE ANSWER STATUS: every line of the file gets this answer.
expect() {
  status=0
  "$checker" < "samples/$1.jsonl" > "$answers" || status=$?
  [ "$status" -eq "$3" ] || fail "$1: exit status $status, expected $3"
  if grep -nv "^$2" "$answers" >&2; then fail "$1: expected $2 everywhere"; fi
  [ "$(wc -l < "$answers")" -eq "$(wc -l < "samples/$1.jsonl")" ] || fail "$1: not every line has an answer"
}

expect valid VALID 0
expect refused REFUSED: 1
expect unreadable UNREADABLE: 2
status=0
"$checker" < /dev/null > /dev/null 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "no input: exit status $status, expected 2"

echo "samples: $(cat samples/valid.jsonl samples/refused.jsonl samples/unreadable.jsonl | wc -l) certificates answered as expected"

awk 'NR % 2 == 1' samples/model.jsonl | ../coq/build/lozenge-model > "$answers"
awk 'NR % 2 == 0' samples/model.jsonl | diff - "$answers" >&2 || fail "model: expected the lines on the left"
echo "samples: $(wc -l < "$answers") requests answered as expected by the model"
