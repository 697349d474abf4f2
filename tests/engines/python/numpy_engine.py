#!/usr/bin/env python3
"""NumPy as an engine: `run` is the exported text, executed.

    LOZENGE=target/debug/lozenge lozenge conform --engine 'python3 tests/engines/python/numpy_engine.py'
"""

import numpy as np
from client import serve
from exported import RUN, attempt, export, function, leaves, only, ran, version


def run(request):
    only(request, RUN)
    exported = export(request, "--numpy")
    given = leaves(request, exported)
    with np.errstate(all="ignore"):
        return attempt("failed", lambda: ran(function(exported)(**given)))


if __name__ == "__main__":
    serve({"run": run, "version": version("numpy", np)})
