#!/usr/bin/env python3
"""JAX as an engine: the text that is exported for NumPy, with `np` as jax.numpy.

`infer` goes through jax.eval_shape, `run` computes, and where `grad` is asked for jax.grad differentiates.

    LOZENGE=target/debug/lozenge lozenge conform --engine 'python3 tests/engines/python/jax_engine.py'
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import functools

import jax
import jax.numpy as jnp
from client import serve
from exported import RUN, attempt, beyond, export, function, inferred, leaves, only, ran, value, version

jax.config.update("jax_enable_x64", True)


def infer(request):
    only(request)
    exported = export(request, "--numpy")
    given = {
        told["leaf"]["argument"]: jax.ShapeDtypeStruct(tuple(told["leaf"]["dims"]), jnp.float64)
        for told in exported["tensors"].values()
        if told.get("leaf", {}).get("argument")
    }
    given |= {index["argument"]: jax.ShapeDtypeStruct((), jnp.int64) for index in exported["indices"].values()}

    def shapes():
        found = jax.eval_shape(functools.partial(function(exported), np=jnp), **given)
        return inferred(exported, lambda name, _: list(found[name].shape))

    return attempt("unsat", shapes)


def run(request):
    only(request, [*RUN, "grad", "wrt"])
    exported = export(request, "--numpy")
    program = functools.partial(function(exported), np=jnp)
    given = {name: jnp.asarray(x) for name, x in leaves(request, exported).items()}
    return attempt("failed", lambda: values(request, exported, program, given))


def values(request, exported, program, given):
    values = program(**given)
    if "grad" not in request:
        return ran(values)
    loss = request["grad"]
    if loss not in values:
        raise beyond("the gradient of a leaf")
    tensors = exported["tensors"]
    leaf = {name: told["leaf"] for name, told in tensors.items() if told.get("leaf", {}).get("argument")}
    wanted = {name: it["argument"] for name, it in leaf.items() if it["role"] == "param" or name in request.get("wrt", ())}
    if not set(request.get("wrt", ())) <= set(wanted) or not set(wanted.values()) <= set(given):
        raise beyond("gradients for other tensors than leaves with data")

    def total(at):
        return jnp.sum(program(**{**given, **at})[loss])

    found = jax.grad(total)({argument: given[argument] for argument in wanted.values()})
    return ran(values, gradients={name: value(found[argument]) for name, argument in wanted.items()})


if __name__ == "__main__":
    serve({"infer": infer, "run": run, "version": version("jax", jax)})
