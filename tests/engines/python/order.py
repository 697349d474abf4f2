"""Definitions 1.2, 2.3, 2.9 and 3.4: what constraints mean on ground values."""

from terms import UNIT, Row, is_row


def dim_le(result, operand):
    """Def. 1.2: everything is below the unit; else only the same dimension."""
    return operand == UNIT or result == operand


def expand(row, rank):
    """Def. 2.2: units at the marker, up to this rank."""
    return row.lead + (UNIT,) * (rank - len(row.content)) + row.trail


def row_le(result, operand):
    """Def. 2.3: the flanks fit, each on its own side, and every axis is below the operand's."""
    if len(result.lead) < len(operand.lead) or len(result.trail) < len(operand.trail):
        return False
    wide = expand(operand, len(result.content))
    return all(dim_le(d, e) for d, e in zip(result.content, wide))


def row_eq(left, right):
    """Def. 2.9: the same content, wherever the markers are."""
    return left.content == right.content


def apply(values, term):
    """Def. 3.2: a row value goes inside the flanks of its host."""
    if not is_row(term):
        return values.get(term[1], term) if term[0] == "var" else term
    lead, trail = (tuple(apply(values, d) for d in flank) for flank in (term.lead, term.trail))
    inner = values.get(term.var) if term.var else None
    if inner is None:
        return Row(lead, term.var, trail)
    return Row(lead + inner.lead, inner.var, inner.trail + trail)


def holds(values, constraint):
    """Def. 3.4."""
    relation, left, right = constraint
    left, right = apply(values, left), apply(values, right)
    if relation == "eq":
        return row_eq(left, right) if is_row(left) else left == right
    return row_le(left, right) if is_row(left) else dim_le(left, right)
