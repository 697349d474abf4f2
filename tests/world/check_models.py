"""Checks every model of a folder with onnx.checker, shapes and all, and counts its operators.

usage: check_models.py FOLDER
"""
import collections
import json
import pathlib
import sys

import onnx

counts = collections.Counter()
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
    model = onnx.load(file)
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:
        sys.exit(f"{file}: {error}")
    counts["models"] += 1
    counts.update(node.op_type for node in model.graph.node)
json.dump(counts, sys.stdout)
