#!/usr/bin/env python3
"""The Python engine that decides nothing: it defers every constraint, and claims no solution.

    lozenge conform --engine 'python3 tests/engines/python/lazy.py'

With `--forget` the constraints are left out, and the answer is a solved form that is wrong.
"""

import sys

import engine
from client import serve


def solve(request):
    answer = engine.solve(request)
    if answer["verdict"] not in ("solved", "unsat", "rejected"):
        return answer
    deferred = [] if "--forget" in sys.argv else request["constraints"]
    residual = {"caps": [], "below": [], "deferred": deferred}
    return {"verdict": "solved", "sigma": {}, "residual": residual, "greatest": None}


if __name__ == "__main__":
    sys.setrecursionlimit(5_000)
    serve({"solve": solve, "version": engine.version})
