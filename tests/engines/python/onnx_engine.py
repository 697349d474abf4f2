#!/usr/bin/env python3
"""ONNX as an engine: `infer` is what onnx.shape_inference finds in the exported graph, which says the shapes of its inputs
only; `run` is onnx.reference.ReferenceEvaluator.

    LOZENGE=target/debug/lozenge lozenge conform --engine 'python3 tests/engines/python/onnx_engine.py'
"""

import os
import tempfile

import numpy as np
import onnx
from client import serve
from exported import RUN, attempt, beyond, export, inferred, leaves, only, ran, version
from onnx.reference import ReferenceEvaluator
from onnx.shape_inference import infer_shapes


def exported_model(request, *options):
    """The answer to an export, and the model."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "program.onnx")
        exported = export(request, "--onnx", file, *options)
        model = onnx.load(file)
        onnx.checker.check_model(model)
        return exported, model


def infer(request):
    only(request)
    exported, model = exported_model(request)

    def dims(known, name, told):
        kind = known[told["output"]]
        sizes = [dim.dim_value for dim in kind.shape.dim]
        if 0 in sizes:
            raise beyond(f"onnx.shape_inference does not find the shape of {name}")
        return sizes

    def shapes():
        # With data_prop=True good graphs are refused: spec/translations.md.
        found = infer_shapes(model, check_type=True, strict_mode=True).graph
        known = {value.name: value.type.tensor_type for value in [*found.input, *found.output]}
        return inferred(exported, lambda name, told: dims(known, name, told))

    return attempt("unsat", shapes)


def run(request):
    only(request, RUN)
    exported, model = exported_model(request)
    given = leaves(request, exported)

    def values():
        evaluator = ReferenceEvaluator(model)
        found = dict(zip(evaluator.output_names, evaluator.run(None, given)))
        tensors = exported["tensors"].items()
        return ran({name: found[told["output"]] for name, told in tensors if told["output"] in found})

    with np.errstate(all="ignore"):
        return attempt("failed", values)


if __name__ == "__main__":
    serve({"infer": infer, "run": run, "version": version("onnx", onnx)})
