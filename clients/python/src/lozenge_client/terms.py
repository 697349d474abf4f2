"""Terms and constraints as they are on the wire, and functions that write them.

Where a term is wanted, a number is a size and a text is a variable, as in the notation: `le(3, "a")`, `row([3, "a"])`.
"""

from typing import List, Literal, Optional, Sequence, TypedDict, Union

UNIT: Literal["unit"] = "unit"


class Atom(TypedDict):
    """A size with a basis."""

    n: int
    basis: str


class Var(TypedDict):
    """A dimension variable."""

    var: str


# 3, "unit", {"n":3,"basis":"rgb"}, {"var":"a"}
Dim = Union[int, Literal["unit"], Atom, Var]


class _Flanks(TypedDict):
    lead: Sequence[Dim]
    trail: Sequence[Dim]


class Row(_Flanks, total=False):
    """A row: closed, or open with a row variable at the marker."""

    var: str


Term = Union[Dim, Row]
# A term without variables.
Ground = Union[int, Literal["unit"], Atom, Row]


class Eq(TypedDict):
    """= between dimensions, ≈ between rows."""

    eq: Sequence[Term]


class Le(TypedDict):
    """result ⊑ operand."""

    le: Sequence[Term]


Constraint = Union[Eq, Le]

# What the functions below take for a dimension, and for a term.
Axis = Union[int, str, Atom, Var]
Side = Union[Axis, Row]


def var(name: str) -> Var:
    """A dimension variable."""
    return {"var": name}


def dim(of: Axis, basis: Optional[str] = None) -> Dim:
    """A dimension: `dim(3)`, `dim(3, "rgb")`, `dim("a")`, `dim("unit")`."""
    if isinstance(of, bool):
        raise TypeError(f"{of!r} is no dimension")
    if isinstance(of, int):
        return of if basis is None else {"n": of, "basis": basis}
    if basis is not None:
        raise TypeError("only a size has a basis")
    if isinstance(of, str):
        return UNIT if of == UNIT else var(of)
    return of


def row(lead: Sequence[Axis] = (), trail: Sequence[Axis] = (), var: Optional[str] = None) -> Row:
    """A row: `row([3], [4])` is `[3]·⋄·[4]`, and `row([3], [4], "r")` is `[3]·⟨r⟩·[4]`."""
    made: Row = {"lead": _flank(lead), "trail": _flank(trail)}
    if var is not None:
        made["var"] = var
    return made


def _flank(axes: Sequence[Axis]) -> List[Dim]:
    if isinstance(axes, str):
        raise TypeError(f"{axes!r} is no list of dimensions")
    return [dim(axis) for axis in axes]


def le(result: Side, operand: Side) -> Le:
    """result ⊑ operand."""
    return {"le": [_term(result), _term(operand)]}


def eq(left: Side, right: Side) -> Eq:
    """= between dimensions, ≈ between rows."""
    return {"eq": [_term(left), _term(right)]}


def _term(side: Side) -> Term:
    if isinstance(side, dict) and "lead" in side:
        return side
    return dim(side)
