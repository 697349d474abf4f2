"""What the engines of NumPy, JAX and ONNX share.

Lozenge reads the program and writes it in the words of the other library: `lozenge export`. The engine computes with that,
so it tests shapes, values and gradients, and not the surface. The command is `lozenge`, or what LOZENGE says.
"""

import json
import math
import os
import subprocess

import numpy as np
from client import Refused

LOZENGE = os.environ.get("LOZENGE", "lozenge")
STORAGE = ("batch", "output", "input")
MOST_CELLS = 1 << 22  # of all arrays of one run


def beyond(what):
    return Refused("unsupported", what, "/program")


def export(request, *options):
    """The answer of `lozenge export` to the program of a request."""
    program = request.get("program")
    if not isinstance(program, (str, dict)):
        raise beyond("no program")
    text = program if isinstance(program, str) else json.dumps(program)
    command = [LOZENGE, "export", "-", *options, "--json"]
    done = subprocess.run(command, input=text.encode("utf-8", "surrogatepass"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    answer = json.loads(done.stdout or b"{}")
    if answer.get("verdict") != "exported":
        raise beyond(answer.get("message", "there is no export"))
    return answer


def axis(size, tag):
    """The size of an axis with what the array does not know: is it the unit, which basis does it have?"""
    if tag == "unit":
        return "unit" if size == 1 else size
    return {"n": size, **tag} if tag else size


def rows(told, dims):
    """The rows of a tensor whose array has these sizes."""
    found = iter(dims)
    count = sum(len(flank) for row in told["rows"].values() for flank in row.values())
    if len(dims) != count:
        raise beyond(f"an array with {len(dims)} axes for a tensor with {count}")
    return {
        kind: {flank: [axis(next(found), tag) for tag in told["rows"][kind][flank]] for flank in ("lead", "trail")}
        for kind in STORAGE
    }


def inferred(exported, dims_of):
    """The answer to `infer`. The sizes of leaves are given, and those of other tensors are asked for; captures are as
    they were told."""
    shapes = {}
    for name, told in exported["tensors"].items():
        known = told["value"] is None or ("leaf" in told and told["value"] == told["leaf"]["argument"])
        shapes[name] = rows(told, told["leaf"]["dims"] if known else dims_of(name, told))
    return {"verdict": "inferred", "shapes": shapes, "captures": exported["captures"], "assumptions": []}


def cell(x):
    """A number as JSON has it, or its name."""
    if type(x) in (int, float):
        return float(x)
    if isinstance(x, str) and x.lstrip("-") in ("inf", "nan"):
        return float(x)
    raise beyond(f"the number {x!r}")


def filled(fill, dims):
    if isinstance(fill, str) and fill.split(":")[0] == "range" and fill.count(":") in (0, 2):
        start, step = [float(part) for part in fill.split(":")[1:]] or [0.0, 1.0]
        return (start + step * np.arange(math.prod(dims))).reshape(dims)
    return np.full(dims, cell(fill))


def array(given, dims):
    if isinstance(given, dict):
        if given.get("dims") != dims or len(given.get("data", ())) != math.prod(dims):
            raise beyond("data of other sizes")
        return np.array([cell(x) for x in given["data"]]).reshape(dims)
    if isinstance(given, list):
        flat = np.array(given, dtype=object)
        if list(flat.shape) != dims:
            raise beyond("data of other sizes")
        return np.array([cell(x) for x in flat.ravel()]).reshape(dims)
    return filled(given, dims)


def leaves(request, exported):
    """The arrays of leaves and the indices from outside, by argument."""
    data, given = request.get("data", {}), {}
    if request.get("scalar", "f64") != "f64" or exported["cells"] > MOST_CELLS:
        raise beyond("other numbers than floats, or too many")
    taking = {name for name, told in exported["tensors"].items() if told.get("leaf", {}).get("argument")}
    if not set(data) <= taking or set(request.get("indices", {})) != set(exported["indices"]):
        raise beyond("data that the program does not take")
    for name in taking:
        leaf = exported["tensors"][name]["leaf"]
        if name in data:
            given[leaf["argument"]] = array(data[name], leaf["dims"])
        elif leaf["begins"]:
            continue
        elif "fill" in request:
            given[leaf["argument"]] = filled(request["fill"], leaf["dims"])
        else:
            raise beyond(f"no data for {name}")
    for name, index in exported["indices"].items():
        if not 0 <= request["indices"][name] < index["below"]:
            raise beyond(f"the index {name} is outside its axis")
        given[index["argument"]] = np.int64(request["indices"][name])
    return given


def written(x):
    x = float(x)
    return x if math.isfinite(x) else {math.inf: "inf", -math.inf: "-inf"}.get(x, "nan")


def value(found):
    found = np.asarray(found, dtype=np.float64)
    return {"dims": list(found.shape), "data": [written(x) for x in found.ravel()]}


def ran(values, **further):
    return {"verdict": "ran", "values": {name: value(found) for name, found in values.items()}, **further}


def function(exported):
    """The function that the exported text defines."""
    module = {}
    exec(exported["code"], module)
    return module["program"]


def attempt(verdict, compute):
    """What is computed; where the library refuses, that is its answer."""
    try:
        return compute()
    except Refused:
        raise
    except Exception as error:
        return {"verdict": verdict, "message": f"{type(error).__name__}: {error}"}


RUN = ["data", "fill", "indices", "scalar"]


def only(request, fields=()):
    """A request with further fields asks for more than the library has."""
    if not set(request) <= {"id", "op", "program", *fields}:
        raise beyond(f"this engine does not answer {sorted(set(request) - {'id', 'op', 'program', *fields})}")


def version(name, library):
    def answer(_):
        return {"verdict": "version", "name": name, "version": library.__version__, "wire": 1}

    return answer
