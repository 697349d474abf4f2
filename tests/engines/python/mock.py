#!/usr/bin/env python3
"""The Python engine with five faults that are easy to count: what known differences are tried on.

    lozenge fuzz --engine 'python3 tests/engines/python/mock.py' --ops solve,check

`--faults 1,3` has only these. `--log FILE` gets a line for each question that a fault changed: its id and the fault.
"""

import argparse
import os
import sys

import engine
from client import serve
from terms import Reader, is_row

FAULTS = {}


def fault(number, op):
    """Registers a function that changes the right answer to a question, or gives None."""

    def register(change):
        FAULTS[number] = (op, change)
        return change

    return register


def sorts(request):
    """Which constraints there are: ("eq", True) is an equality of rows."""
    return {(relation, is_row(left)) for relation, left, _ in Reader().constraints(request)}


@fault(1, "solve")
def ends_on_an_equality_of_dimensions(request, right):
    if ("eq", False) in sorts(request):
        print("lost: an equality of dimensions", file=sys.stderr, flush=True)
        return "end"
    return None


@fault(2, "solve")
def refuses_equalities_of_rows(request, right):
    return {"verdict": "unsat"} if ("eq", True) in sorts(request) and right.get("greatest") is not None else None


@fault(3, "solve")
def forgets_the_greatest(request, right):
    return {**right, "greatest": 17} if ("le", True) in sorts(request) and right.get("greatest") is not None else None


@fault(4, "check")
def sees_markers(request, right):
    equalities = [i for i, c in enumerate(request["constraints"]) if "eq" in c and isinstance(c["eq"][0], dict) and "lead" in c["eq"][0]]
    satisfied = [i for i in equalities if i not in right.get("which", [])]
    return {"verdict": "violated", "which": sorted({*right.get("which", []), satisfied[0]})} if satisfied else None


@fault(5, "check")
def talks_about_dimensions(request, right):
    return "talk" if ("le", False) in sorts(request) else None


def planted(op, faults, log):
    """The handler of an operation with its faults, the first that applies."""

    def handler(request):
        right = engine.HANDLERS[op](request)
        for number in faults:
            changed = FAULTS[number][1](request, right) if FAULTS[number][0] == op else None
            if changed is None:
                continue
            if log:
                print(request.get("id"), number, file=log, flush=True)
            if changed == "end":
                os._exit(3)
            if changed == "talk":
                print("let me think", flush=True)
                return right
            return changed
        return right

    return handler


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", default="1,2,3,4,5")
    parser.add_argument("--log", type=argparse.FileType("a"))
    args = parser.parse_args()
    faults = [int(number) for number in args.faults.split(",") if number]
    handlers = {op: planted(op, faults, args.log) for op in ("solve", "check")}
    serve({"version": engine.version, **handlers})


if __name__ == "__main__":
    main()
