"""The wire format of Lozenge in Python: write an engine, or ask one.

    from lozenge_client import Oracle, le, row
    with Oracle() as oracle:
        oracle.solve([le(row(var="r"), row([3], [4]))])

    from lozenge_client import Refused, serve
    serve({"check": check, "version": version})
"""

from .asking import Ended, EngineError, NotAnAnswer, NotStarted, Oracle, TimedOut
from .errors import KINDS, Kind, Refused
from .serving import MOST_BYTES, Handler, Request, answer, answer_line, lines, parse, serve, unsupported
from .terms import UNIT, Atom, Constraint, Dim, Eq, Ground, Le, Row, Term, Var, dim, eq, le, row, var

__all__ = [
    "KINDS",
    "MOST_BYTES",
    "UNIT",
    "Atom",
    "Constraint",
    "Dim",
    "Ended",
    "EngineError",
    "Eq",
    "Ground",
    "Handler",
    "Kind",
    "Le",
    "NotAnAnswer",
    "NotStarted",
    "Oracle",
    "Refused",
    "Request",
    "Row",
    "Term",
    "TimedOut",
    "Var",
    "answer",
    "answer_line",
    "dim",
    "eq",
    "le",
    "lines",
    "parse",
    "row",
    "serve",
    "unsupported",
    "var",
]
