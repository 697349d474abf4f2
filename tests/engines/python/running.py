"""`run` through NumPy, for the programs that program.py reads. Axes are stored in the order batch, output, input."""

import math

import numpy as np
from client import Refused
from program import KINDS, beyond, statements
from terms import allow

POINTWISE = {
    "+": np.add, "-": np.subtract, "*.": np.multiply, "/.": np.divide, "**.": np.power,
    "<": np.less, "=": np.equal, "<>": np.not_equal,
}
UNARY = {
    "relu": lambda x: np.maximum(x, 0), "exp": np.exp, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "tanh": np.tanh,
    "neg": np.negative,
}


class Tensor:
    """An array and, for each kind of row, which of its axes are units that stretch."""

    def __init__(self, array, units):
        self.array, self.units = np.asarray(array, dtype=float), units

    def ranks(self):
        return [len(self.units[kind]) for kind in KINDS]

    def parts(self):
        """The sizes of each row."""
        shape, out = list(self.array.shape), []
        for rank in self.ranks():
            out.append(shape[:rank])
            shape = shape[rank:]
        return out


def leaf(rows, given):
    dims = [size for kind in KINDS for size in rows[kind]]
    if list(given["dims"]) != dims:
        raise Refused("parse", f"the data has the sizes {given['dims']}, they should be {dims}", "/data")
    return Tensor(np.reshape(np.asarray(given["data"], dtype=float), dims), {k: [False] * len(rows[k]) for k in KINDS})


def filled(rows, fill):
    dims = [size for kind in KINDS for size in rows[kind]]
    count = math.prod(dims)
    if isinstance(fill, str) and fill.split(":")[0] == "range":
        start, step = ([float(part) for part in fill.split(":")[1:]] + [0.0, 1.0])[:2] if ":" in fill else (0.0, 1.0)
        data = start + step * np.arange(count)
    elif type(fill) in (int, float):
        data = np.full(count, float(fill))
    else:
        raise beyond(f"the fill {fill!r}")
    return {"dims": dims, "data": data}


def widened(tensor, ranks):
    """New axes at the left edge of each row, where the markers of these programs stand."""
    shape = []
    for part, rank in zip(tensor.parts(), ranks):
        shape += [1] * (rank - len(part)) + part
    return np.reshape(tensor.array, shape)


def pointwise(operate, tensors):
    ranks = [max(column) for column in zip(*(tensor.ranks() for tensor in tensors))]
    units = {}
    for kind, rank in zip(KINDS, ranks):
        padded = [[True] * (rank - len(t.units[kind])) + t.units[kind] for t in tensors]
        units[kind] = [all(column) for column in zip(*padded)]
        sizes = [[1] * (rank - len(p)) + p for p in (t.parts()[KINDS.index(kind)] for t in tensors)]
        for i, column in enumerate(zip(*sizes)):
            if len({size for size, pad in zip(column, (p[i] for p in padded)) if not pad}) > 1:
                raise Unfit
    return Tensor(operate(*(widened(tensor, ranks) for tensor in tensors)), units)


class Unfit(Exception):
    """Shapes that do not fit."""


def compose(a, b):
    """Sums over the input axes of a, which are the output axes of b."""
    (ab, ao, ai), (bb, bo, bi) = a.parts(), b.parts()
    if any(a.units["input"]) or any(b.units["output"]):
        raise beyond("a composition over units")
    if ai != bo:
        raise Unfit if len(ai) == len(bo) else beyond("a composition that stretches")
    batch = pointwise(np.add, [Tensor(np.zeros(ab), {**dict.fromkeys(KINDS, []), "batch": a.units["batch"]}),
                               Tensor(np.zeros(bb), {**dict.fromkeys(KINDS, []), "batch": b.units["batch"]})])
    rank = len(batch.units["batch"])
    left = np.reshape(a.array, [1] * (rank - len(ab)) + ab + [math.prod(ao), math.prod(ai)])
    right = np.reshape(b.array, [1] * (rank - len(bb)) + bb + [math.prod(bo), math.prod(bi)])
    product = np.matmul(left, right)
    units = {"batch": batch.units["batch"], "output": a.units["output"], "input": b.units["input"]}
    return Tensor(np.reshape(product, list(product.shape[:rank]) + ao + bi), units)


def einsum(spec, tensors, added=False):
    """A specification of letters: a repeated letter is one index, a letter that the result lacks is summed over."""
    slots, result = spec
    if len(slots) != len(tensors) or added:
        raise beyond("this specification")
    arrays, terms, sizes, units = [], [], {}, {}
    for slot, tensor in zip(slots, tensors):
        if any(len(slot[kind]) != len(tensor.units[kind]) for kind in KINDS):
            raise Unfit
        axes = [axis for kind in KINDS for axis in slot[kind]]
        stretch = [unit for kind in KINDS for unit in tensor.units[kind]]
        array = tensor.array
        for i in reversed(range(len(axes))):
            if axes[i].isdigit():
                if int(axes[i]) >= array.shape[i]:
                    raise Unfit
                array = np.take(array, int(axes[i]), axis=i)
        kept = [axis for axis in axes if axis.isalpha()]
        for axis, unit, size in zip(axes, stretch, tensor.array.shape):
            if axis.isalpha() and (sizes.setdefault(axis, size) != size or units.setdefault(axis, unit) != unit):
                raise Unfit
        arrays.append(array)
        terms.append("".join(kept))
    out = [axis for kind in KINDS for axis in result[kind]]
    letters = [axis for axis in out if axis.isalpha()]
    if len(set(letters)) < len(letters) or not set(letters) <= set("".join(terms)) or any(a.isdigit() and a != "0" for a in out):
        raise beyond("this result")
    made = np.einsum(",".join(terms) + "->" + "".join(letters), *arrays)
    made = np.reshape(made, [sizes[axis] if axis.isalpha() else 1 for axis in out])
    return Tensor(made, {kind: [units.get(axis, True) for axis in result[kind]] for kind in KINDS})


def evaluate(tree, known):
    op, *rest = tree
    if op == "name":
        if rest[0] not in known:
            raise Refused("parse", f"{rest[0]!r} is not defined", "/program")
        return known[rest[0]]
    if op == "number":
        return Tensor([rest[0]], {"batch": [], "output": [True], "input": []})
    if op in UNARY:
        return pointwise(UNARY[op], [evaluate(rest[0], known)])
    if op in POINTWISE:
        return pointwise(POINTWISE[op], [evaluate(side, known) for side in rest])
    if op == "*":
        return compose(*(evaluate(side, known) for side in rest))
    return einsum(rest[0], [evaluate(side, known) for side in rest[1:]], added=op == "+++")


def run(request):
    """Every `let` with its elements."""
    allow(request, ["program", "policy", "limits", "data", "indices", "fill", "grad", "scalar"])
    if not isinstance(request.get("program"), str) or {"grad", "indices", "limits"} & set(request):
        raise beyond("this request")
    if request.get("scalar", "f64") != "f64":
        raise beyond("other numbers than floats")
    known, values = {}, {}
    try:
        with np.errstate(all="ignore"):
            for kind, name, what in statements(request["program"]):
                if name in known:
                    raise beyond("a name that is defined twice")
                if kind == "leaf":
                    data = request.get("data", {}).get(name)
                    if data is None and "fill" not in request:
                        raise beyond("a leaf without data")
                    known[name] = leaf(what, data if data is not None else filled(what, request["fill"]))
                else:
                    known[name] = values[name] = evaluate(what, known)
    except Unfit:
        return {"verdict": "unsat", "message": "the shapes do not fit"}
    if not all(np.isfinite(tensor.array).all() for tensor in values.values()):
        raise beyond("results that are not finite")
    write = lambda t: {"dims": list(t.array.shape), "data": t.array.ravel().tolist()}
    return {"verdict": "ran", "values": {name: write(tensor) for name, tensor in values.items()}}
