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
from exported import RUN, beyond, export, inferred, leaves, only, ran, version
from onnx.reference import ReferenceEvaluator
from onnx.shape_inference import infer_shapes


def exported_model(request, *options):
    """The answer to an export, and the model."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "program.onnx")
        exported = export(request, "--onnx", file, *options)
        return exported, onnx.load(file)


def infer(request):
    only(request)
    exported, model = exported_model(request)
    found = infer_shapes(model, check_type=True, strict_mode=True, data_prop=True).graph
    known = {value.name: value.type.tensor_type for value in [*found.input, *found.output, *found.value_info]}

    def dims(name, told):
        kind = known[told["output"]]
        sizes = [dim.dim_value for dim in kind.shape.dim]
        if not kind.HasField("shape") or 0 in sizes:
            raise beyond(f"onnx.shape_inference does not find the shape of {name}")
        return sizes

    return inferred(exported, dims)


def run(request):
    only(request, RUN)
    exported, model = exported_model(request)
    given = leaves(request, exported)
    with np.errstate(all="ignore"):
        evaluator = ReferenceEvaluator(model)
        found = dict(zip(evaluator.output_names, evaluator.run(None, given)))
    outputs = {name: found[told["output"]] for name, told in exported["tensors"].items() if told["output"] in found}
    return ran(outputs)


if __name__ == "__main__":
    serve({"infer": infer, "run": run, "version": version("onnx", onnx)})
