#!/usr/bin/env python3
"""An engine in Python that shares no code with Lozenge: check, solve and version, and run where numpy is installed.

    lozenge conform --engine 'python3 tests/engines/python/engine.py'
"""

import sys

import solver
from client import Refused, serve
from order import holds
from terms import Reader, allow, variables, write, write_constraint


def check(request):
    """Def. 3.4 on ground values."""
    allow(request, ["constraints", "values"])
    reader = Reader()
    constraints, values = reader.constraints(request), reader.values(request)
    missing = [name for c in constraints for side in c[1:] for name, _ in variables(side) if name not in values]
    if missing:
        raise Refused("parse", f"no value for {missing[0]}", "/values")
    which = [i for i, constraint in enumerate(constraints) if not holds(values, constraint)]
    return {"verdict": "violated", "which": which} if which else {"verdict": "holds"}


def options(request):
    """Policy and limits, as far as this engine has them; the fields are checked all the same."""
    choices = {"guard": ("signed", "paper", "none"), "strategy": ("fifo", "lifo", "random", "rounds")}
    policy = request.get("policy", {})
    if not isinstance(policy, dict) or not set(policy) <= {*choices, "seed"}:
        raise Refused("parse", "policy has guard, strategy and seed", "/policy")
    for key, words in choices.items():
        if key in policy and policy[key] not in words:
            raise Refused("parse", f"{policy[key]!r} is none of {words}", f"/policy/{key}")
    limits = request.get("limits", {})
    if not isinstance(limits, dict) or not set(limits) <= {"fuel", "rank", "elements"}:
        raise Refused("parse", "limits has fuel, rank and elements", "/limits")
    for key, number in [*limits.items(), *((k, v) for k, v in policy.items() if k == "seed")]:
        if type(number) is not int or number < 0:
            raise Refused("parse", f"{number!r} is no whole number", f"/{'policy' if key == 'seed' else 'limits'}/{key}")
    if policy.get("guard", "signed") != "signed":
        raise Refused("unsupported", "this engine has the signed guard only", "/policy/guard")
    return limits.get("fuel", 1_000)


def solve(request):
    """Section 4."""
    allow(request, ["constraints", "policy", "limits", "trace", "certificate"])
    constraints = Reader().constraints(request)
    fuel = options(request)
    if request.get("trace") or request.get("certificate"):
        raise Refused("unsupported", "this engine keeps no derivation", "/trace")
    names = dict.fromkeys(name for c in constraints for side in c[1:] for name, _ in variables(side))
    sorts = dict(pair for c in constraints for side in c[1:] for pair in variables(side))
    try:
        run = solver.Run(constraints, fuel)
    except solver.Failed as failed:
        verdict = "rejected" if failed.tainted else "unsat"
        constraint = write_constraint(failed.constraint)
        return {"verdict": verdict, "rule": failed.rule, "constraint": constraint, "message": failed.message}
    except solver.OutOfFuel:
        return {"verdict": "limit", "which": "fuel"}
    sigma = {name: write(run.value(name, sorts[name])) for name in names if run.is_bound(name)}
    greatest = {name: run.greatest(name, sorts[name]) for name in names}
    # Only a deferred equation can rule out the tops (Prop. 5.4).
    solved = not run.deferred or all(holds(greatest, constraint) for constraint in constraints)
    return {
        "verdict": "solved",
        "sigma": sigma,
        "residual": run.residual(),
        "greatest": {name: write(value) for name, value in greatest.items()} if solved else None,
    }


def version(request):
    allow(request, [])
    return {"verdict": "version", "name": "lozenge-python", "version": "1", "wire": 1}


HANDLERS = {"check": check, "solve": solve, "version": version}

if __name__ == "__main__":
    sys.setrecursionlimit(5_000)
    serve(HANDLERS)
