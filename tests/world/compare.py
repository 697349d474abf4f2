"""Compares Lozenge's answers with numpy's and jax's. Reads JSON lines, prints one JSON object.

A case has a kind:
  einsum     numpy.einsum(spec, operands) equals `expect`, to the last bit
  pointwise  a numpy expression over x0, x1, … equals `expect`, to the last bit
  gradient   jax.grad of an expression over x0, x1, … is `expect`, up to rounding
"""
import json
import sys

import numpy as np


def array(value):
    return np.array(value["data"], dtype=np.float64).reshape(value["dims"])


def check_einsum(case):
    terms = case["spec"].split("->")[0].split(",")
    # A slot without axes is read at index 0 of an axis of size 1 here.
    operands = [array(v) if term else array(v).reshape(()) for term, v in zip(terms, case["operands"])]
    found = np.einsum(case["spec"], *operands, optimize=False)
    return exact(found, array(case["expect"]))


def check_pointwise(case):
    names = {f"x{i}": array(v) for i, v in enumerate(case["operands"])}
    return exact(eval(case["code"], {"np": np, **names}), array(case["expect"]))


def exact(found, expected):
    found = np.asarray(found, dtype=np.float64)
    if found.shape != expected.shape:
        # A result without axes has one of size 1 here.
        if found.size != expected.size or found.size != 1:
            return f"shape {found.shape}, expected {expected.shape}"
        found = found.reshape(expected.shape)
    return None if np.array_equal(found, expected) else f"{found.tolist()}, expected {expected.tolist()}"


def check_gradient(case):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    operands = [jnp.asarray(array(v)) for v in case["operands"]]

    def loss(*xs):
        return jnp.sum(eval(case["code"], {"jnp": jnp, **{f"x{i}": x for i, x in enumerate(xs)}}))

    value, found = jax.value_and_grad(loss, argnums=tuple(range(len(operands))))(*operands)
    if not np.allclose(value, case["value"], rtol=1e-9, atol=1e-9):
        return f"value {value}, expected {case['value']}"
    for i, (gradient, expected) in enumerate(zip(found, case["expect"])):
        if not np.allclose(gradient, array(expected), rtol=1e-8, atol=1e-9):
            return f"x{i}: {np.asarray(gradient).tolist()}, expected {array(expected).tolist()}"
    return None


CHECKS = {"einsum": check_einsum, "pointwise": check_pointwise, "gradient": check_gradient}

counts, failures = {}, []
for line in sys.stdin:
    case = json.loads(line)
    problem = CHECKS[case["kind"]](case)
    counts[case["kind"]] = counts.get(case["kind"], 0) + 1
    if problem:
        failures.append({"program": case["program"], "problem": problem})
json.dump({"counts": counts, "failures": failures[:5], "failed": len(failures)}, sys.stdout)
