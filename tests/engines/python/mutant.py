#!/usr/bin/env python3
"""The Python engine with one bug planted: what `lozenge fuzz` has to find.

    lozenge fuzz --engine 'python3 tests/engines/python/mutant.py --bug pin-dropped' --findings 1

`--list` names the bugs. tests/engines/MUTANTS.md shows the smallest case of each.
"""

import argparse
import os
import sys

import engine
import order
import solver
from client import serve
from solver import Failed, Run
from terms import UNIT, Row

BUGS = {}


def bug(words):
    """Registers a function that plants a bug."""

    def register(plant):
        BUGS[plant.__name__.replace("_", "-")] = (words, plant)
        return plant

    return register


def replace(where, name, new):
    """Puts another function in place of one, everywhere it was imported; gives it the old one as `old`."""
    old = getattr(where, name)
    wrapped = lambda *args, **kwargs: new(old, *args, **kwargs)
    for module in (where, order, solver, engine):
        if getattr(module, name, None) is old:
            setattr(module, name, wrapped)


@bug("the order of dimensions is upside down")
def order_flipped():
    replace(order, "dim_le", lambda old, result, operand: old(operand, result))


@bug("the order of rows is upside down")
def rows_flipped():
    replace(order, "row_le", lambda old, result, operand: old(operand, result))


@bug("of two different sizes below a variable the second is forgotten")
def join_keeps_first():
    def cap(old, self, name, atom, tainted):
        if name not in self.lower:
            old(self, name, atom, tainted)

    replace(Run, "cap", cap)


@bug("two different sizes below a variable are a failure")
def cap_collapse_fails():
    def cap(old, self, name, atom, tainted):
        if name in self.lower and self.lower[name][0] != atom:
            raise Failed("DI-cap", ("le", ("atom", *atom), ("var", name)), "two caps", tainted)
        old(self, name, atom, tainted)

    replace(Run, "cap", cap)


@bug("a variable below a size is not pinned")
def pin_dropped():
    def rule(old, self, s, t, tainted):
        if not (s[0] == "var" and t[0] == "atom"):
            old(self, s, t, tainted)

    replace(Run, "dim_le", rule)


@bug("a variable above the unit is not pinned")
def pin_top_dropped():
    def rule(old, self, s, t, tainted):
        if not (s == UNIT and t[0] == "var"):
            old(self, s, t, tainted)

    replace(Run, "dim_le", rule)


@bug("variables below variables are not kept")
def adjacency_dropped():
    replace(Run, "adjacent", lambda old, self, a, b, tainted: None)


@bug("new axes go to the left edge, as in NumPy, and not to the marker")
def marker_at_the_left_edge():
    replace(order, "expand", lambda old, row, rank: (UNIT,) * (rank - len(row.content)) + row.content)


@bug("equal rows must have equal markers")
def equality_sees_markers():
    replace(order, "row_eq", lambda old, left, right: left == right)


@bug("what the result has inside the operand's flanks is forgotten")
def residue_dropped():
    def rule(old, self, result, operand, tainted):
        kept = list(self.caps)
        old(self, result, operand, tainted)
        self.caps = [cap for cap in self.caps if cap in kept]

    replace(Run, "row_le", rule)


@bug("all missing axes are added in front")
def deficit_in_front():
    def bind(old, self, name, term, tainted, placement=False):
        if isinstance(term, Row) and term.var and term.var.startswith("?") and not placement:
            term = Row(term.lead + term.trail, term.var, ())
        self.fuel = min(self.fuel, 100)
        old(self, name, term, tainted, placement)

    replace(Run, "bind", bind)


@bug("no guard: rows grow until the fuel is gone")
def guard_missing():
    replace(Run, "fact", lambda old, self, *args: None)
    replace(Run, "__init__", lambda old, self, constraints, fuel: old(self, constraints, min(fuel, 200)))


@bug("the guard of Def. 4.5: total ranks, no weight below 0, nothing for a surplus (F1, F2)")
def guard_of_the_paper():
    def fact(self, greater, lesser, weight, tainted, constraint):
        if greater and lesser and self.lengths["lead"].add(greater, lesser, weight, tainted):
            raise Failed("RG-rank", constraint, "a cycle of ranks would need more axes than it has", tainted)

    def bind(old, self, name, term, tainted, placement=False):
        old(self, name, term, tainted, placement)
        if isinstance(term, Row):
            fact(self, name, term.var, len(term.content), tainted or placement, ("eq", Row((), name, ()), term))

    def rule(old, self, result, operand, tainted):
        lead, trail = len(operand.lead) - len(result.lead), len(operand.trail) - len(result.trail)
        if lead > 0 or trail > 0 or lead == trail == 0:
            fact(self, result.var, operand.var, max(lead, 0) + max(trail, 0), tainted, ("le", result, operand))
        old(self, result, operand, tainted)

    replace(Run, "fact", lambda old, self, *args: None)
    replace(Run, "bind", bind)
    replace(Run, "row_le", rule)
    replace(Run, "__init__", lambda old, self, constraints, fuel: old(self, constraints, min(fuel, 200)))


@bug("a row below itself with fewer axes is refused (W4)")
def occurs_check_on_a_surplus():
    def rule(old, self, result, operand, tainted):
        if result.var and result.var == operand.var and len(result.content) != len(operand.content):
            raise Failed("RI-occurs", ("le", result, operand), "infinitely many axes", tainted)
        old(self, result, operand, tainted)

    replace(Run, "row_le", rule)


@bug("a failed placement is called unsatisfiable (Remark 2.11)")
def rejected_as_unsat():
    def step(old, self, constraint, tainted):
        try:
            old(self, constraint, tainted)
        except Failed as failed:
            failed.tainted = False
            raise

    replace(Run, "step", step)


@bug("crossing equations are forgotten")
def deferred_dropped():
    def rule(old, self, left, right, tainted):
        old(self, left, right, tainted)
        self.deferred.clear()

    replace(Run, "row_eq", rule)


@bug("closed rows of different rank are equal as far as they go")
def ranks_not_compared():
    def rule(old, self, left, right, tainted):
        self.equal(left.content, right.content, tainted)

    replace(Run, "re_closed", rule)


@bug("the basis of a size is not looked at")
def basis_ignored():
    plain = lambda d: ("atom", d[1], "default") if d[0] == "atom" else d
    replace(order, "dim_le", lambda old, s, t: old(plain(s), plain(t)))
    replace(Run, "dim_eq", lambda old, self, s, t, tainted: old(self, plain(s), plain(t), tainted))


@bug("a size 1 that was written stretches like the unit")
def one_is_the_unit():
    replace(order, "dim_le", lambda old, s, t: t[0] == "atom" and t[1] == 1 or old(s, t))


@bug("bounds of a variable are forgotten when it is bound")
def bounds_lost_at_binding():
    def bind(old, self, name, term, tainted, placement=False):
        self.lower.pop(name, None)
        self.caps = [cap for cap in self.caps if cap[0] != name]
        old(self, name, term, tainted, placement)

    replace(Run, "bind", bind)


@bug("a row's trailing axes go outside those of its host")
def splice_outside():
    def apply(old, values, term):
        inner = values.get(term.var) if isinstance(term, Row) and term.var else None
        if inner is None:
            return old(values, term)
        host = old({k: v for k, v in values.items() if k != term.var}, term)
        return Row(host.lead + inner.lead, inner.var, host.trail + inner.trail)

    replace(order, "apply", apply)


@bug("the process ends on a row that is its own rotation")
def crash_on_rotation():
    def rule(old, self, left, right, tainted):
        if left.var and left.var == right.var and len(left.lead) != len(right.lead):
            os._exit(3)
        old(self, left, right, tainted)

    replace(Run, "row_eq", rule)


@bug("an answer without a solution is written as prose")
def garbage_on_unsat():
    def solve(old, request):
        answer = old(request)
        if answer["verdict"] == "unsat":
            print("no solution", flush=True)
        return answer

    replace(engine, "solve", solve)
    engine.HANDLERS["solve"] = engine.solve


# A difference of reading, and no bug: rows of known length are compared by content (Remark 2.15).
def closed_rows_by_content():
    def rule(old, result, operand):
        wide = len(result.content) >= len(operand.content)
        return wide and all(map(order.dim_le, result.content, order.expand(operand, len(result.content))))

    replace(order, "row_le", rule)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bug", choices=[*BUGS, "reading"])
    parser.add_argument("--list", action="store_true", help="print the bugs and what they are")
    args = parser.parse_args()
    if args.list:
        for name, (words, _) in BUGS.items():
            print(f"{name}\t{words}")
        return
    if args.bug == "reading":
        closed_rows_by_content()
    elif args.bug:
        BUGS[args.bug][1]()
    sys.setrecursionlimit(5_000)
    serve(engine.HANDLERS)


if __name__ == "__main__":
    main()
