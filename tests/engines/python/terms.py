"""Dimensions, rows and constraints, read from the wire format and written to it (spec/protocol.md).

A dimension is ("unit",), ("atom", n, basis) or ("var", name). A row is Row(lead, var, trail); var is None when the
row is closed. A constraint is (relation, left, right) with relation "eq" or "le".
"""

import re
from typing import NamedTuple, Optional

from client import Refused

UNIT = ("unit",)
NAME = re.compile(r"[^\W\d_][\w'′]*\Z")
MOST_SIZE = 2**64 - 1


class Row(NamedTuple):
    lead: tuple
    var: Optional[str]
    trail: tuple

    @property
    def content(self):
        return self.lead + self.trail


EMPTY = Row((), None, ())


def is_row(term):
    return isinstance(term, Row)


def variables(term):
    """The names of the variables of a term, in order, with their sorts."""
    if not is_row(term):
        return [(term[1], "dim")] if term[0] == "var" else []
    found = [pair for axis in term.content for pair in variables(axis)]
    return found + ([(term.var, "row")] if term.var else [])


def ground(term):
    return not variables(term)


class Reader:
    """Reads terms; one name has one sort in one message."""

    def __init__(self):
        self.sorts = {}

    def name(self, json, at, sort=None):
        if not isinstance(json, str) or not NAME.match(json) or json in ("unit", "bot"):
            raise Refused("parse", f"{json!r} is no name", at)
        if sort and self.sorts.setdefault(json, sort) != sort:
            raise Refused("sort", f"{json!r} is a {self.sorts[json]} variable", at)
        return json

    def size(self, json, at):
        if type(json) is not int or not 1 <= json <= MOST_SIZE:
            raise Refused("parse", f"{json!r} is no size", at)
        return json

    def fields(self, json, allowed, at):
        if not isinstance(json, dict) or not set(json) <= set(allowed):
            raise Refused("parse", f"{json!r} is not in the format", at)
        return json

    def dim(self, json, at):
        if json == "unit":
            return UNIT
        if type(json) in (int, float):
            return ("atom", self.size(json, at), "default")
        if isinstance(json, dict) and "var" in json:
            self.fields(json, ["var"], at)
            return ("var", self.name(json["var"], at + "/var", "dim"))
        self.fields(json, ["n", "basis"], at)
        if len(json) < 2:
            raise Refused("parse", f"{json!r} is no dimension", at)
        return ("atom", self.size(json["n"], at + "/n"), self.name(json["basis"], at + "/basis"))

    def flank(self, json, key, at):
        if key not in json:
            raise Refused("parse", f"the field {key!r} is missing", at)
        if not isinstance(json[key], list):
            raise Refused("parse", f"{json[key]!r} is no list of dimensions", f"{at}/{key}")
        return tuple(self.dim(item, f"{at}/{key}/{i}") for i, item in enumerate(json[key]))

    def term(self, json, at):
        if not isinstance(json, dict) or not ("lead" in json or "trail" in json):
            return self.dim(json, at)
        self.fields(json, ["lead", "var", "trail"], at)
        lead = self.flank(json, "lead", at)
        var = json.get("var")
        if var is not None:
            self.name(var, at + "/var", "row")
        return Row(lead, var, self.flank(json, "trail", at))

    def constraint(self, json, at):
        self.fields(json, ["eq", "le"], at)
        if len(json) != 1:
            raise Refused("parse", "a constraint has one relation", at)
        ((relation, pair),) = json.items()
        at = f"{at}/{relation}"
        if not isinstance(pair, list) or len(pair) != 2:
            raise Refused("parse", "a constraint relates two terms", at)
        left, right = (self.term(side, f"{at}/{i}") for i, side in enumerate(pair))
        if is_row(left) != is_row(right):
            raise Refused("sort", "a dimension and a row", at)
        return (relation, left, right)

    def constraints(self, request):
        if "constraints" not in request:
            raise Refused("parse", "the field `constraints` is missing")
        if not isinstance(request["constraints"], list):
            raise Refused("parse", "constraints is no list", "/constraints")
        return [self.constraint(c, f"/constraints/{i}") for i, c in enumerate(request["constraints"])]

    def values(self, request):
        if not isinstance(request.get("values"), dict):
            raise Refused("parse", "values is no object", "/values" if "values" in request else "")
        found = {}
        for name, json in request["values"].items():
            at = "/values/" + name.replace("~", "~0").replace("/", "~1")
            value = self.term(json, at)
            if not ground(value):
                raise Refused("parse", "a value has no variables", at)
            self.name(name, at, "row" if is_row(value) else "dim")
            found[name] = value
        return found


def allow(request, fields):
    """A request has no other fields than those its operation uses."""
    for key in request:
        if key not in ("id", "op", *fields):
            raise Refused("parse", f"unknown field {key!r}")


def write(term):
    """A term in the wire format."""
    if is_row(term):
        row = {"lead": [write(d) for d in term.lead], "trail": [write(d) for d in term.trail]}
        return {**row, "var": term.var} if term.var else row
    if term[0] == "unit":
        return "unit"
    if term[0] == "var":
        return {"var": term[1]}
    return term[1] if term[2] == "default" else {"n": term[1], "basis": term[2]}


def write_constraint(constraint):
    relation, left, right = constraint
    return {relation: [write(left), write(right)]}
