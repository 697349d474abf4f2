"""What was found about NumPy, JAX and ONNX, observed again. Prints the name of each fact, in the order of
spec/translations.md; the first that is no longer so ends it."""
import os
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from onnx.shape_inference import infer_shapes

jax.config.update("jax_enable_x64", True)
FACTS = []


def fact(check):
    FACTS.append(check)


def model(op, shapes, values=None, **attributes):
    """One node with these inputs; `values` are whole numbers as further inputs."""
    double = TensorProto.DOUBLE
    inputs = [helper.make_tensor_value_info(f"x{i}", double, shape) for i, shape in enumerate(shapes)]
    constants = [helper.make_tensor(f"v{i}", TensorProto.INT64, dims, cells) for i, (dims, cells) in enumerate(values or [])]
    names = [*(value.name for value in inputs), *(value.name for value in constants)]
    nodes = [helper.make_node(op, names, ["y"], **attributes)]
    return graph(nodes, inputs, constants)


def graph(nodes, inputs, constants=()):
    output = helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)
    made = helper.make_graph(nodes, "fact", inputs, [output], list(constants))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)])


def inferred(it, **options):
    """The sizes that onnx.shape_inference finds."""
    kind = infer_shapes(it, strict_mode=True, check_type=True, **options).graph.output[0].type.tensor_type
    return tuple(dim.dim_value for dim in kind.shape.dim)


def evaluated(it, *shapes):
    """The sizes that the reference evaluator computes."""
    return ReferenceEvaluator(it).run(None, {f"x{i}": np.ones(shape) for i, shape in enumerate(shapes)})[0].shape


def refused(compute):
    try:
        compute()
    except Exception:
        return True
    return False


def lozenge(program, *words):
    done = subprocess.run([os.environ.get("LOZENGE", "lozenge"), *words, "-"], input=program, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@fact
def one_stretches():
    fine = np.ones(1) + np.ones(4)
    unit, one = "input a: unit\ninput b: 4\nlet c = a + b\n", "input a: 1\ninput b: 4\nlet c = a + b\n"
    assert fine.shape == (4,) == (jnp.ones(1) + jnp.ones(4)).shape == inferred(model("Add", [[1], [4]]))
    assert lozenge(unit, "infer")[0] == 0 and lozenge(one, "infer")[0] == 1


@fact
def from_the_right():
    assert refused(lambda: np.ones((3, 4)) + np.ones(3)) and refused(lambda: jnp.ones((3, 4)) + jnp.ones(3))
    assert refused(lambda: inferred(model("Add", [[3, 4], [3]])))
    program = 'input a: 3, ..., 4\ninput b: 3\nlet m = b ++ "i => i, ..."\nlet c = a + m\n'
    assert lozenge(program, "infer")[0] == 0
    assert "np.expand_dims(b, (1,))" in lozenge(program, "export", "--numpy")[1]


@fact
def einsum_sizes_unchecked():
    it = model("Einsum", [[2, 3], [5, 4]], equation="ij,jk->ik")
    assert inferred(it) == (2, 4) and refused(lambda: evaluated(it, (2, 3), (5, 4)))
    assert refused(lambda: inferred(model("MatMul", [[2, 3], [5, 4]])))


@fact
def einsum_takes_the_first_size():
    it = model("Einsum", [[2, 1], [3, 4]], equation="ij,jk->jk")
    assert inferred(it) == (1, 4) and evaluated(it, (2, 1), (3, 4)) == (3, 4)


@fact
def einsum_diagonal_unchecked():
    it = model("Einsum", [[3, 4]], equation="ii->i")
    assert inferred(it) == (3,) and refused(lambda: evaluated(it, (3, 4)))


@fact
def einsum_output_diagonal():
    it = model("Einsum", [[3]], equation="i->ii")
    assert inferred(it) == (3, 3) and refused(lambda: evaluated(it, (3,)))
    assert refused(lambda: np.einsum("i->ii", np.ones(3))) and refused(lambda: jnp.einsum("i->ii", jnp.ones(3)))
    assert lozenge('input a: 3\nlet c = a ++ "i => ii"\n', "infer")[0] == 0


@fact
def einsum_stretches_labels():
    assert np.einsum("ij,jk->ik", np.ones((2, 1)), np.ones((3, 4))).shape == (2, 4)
    assert jnp.einsum("ij,jk->ik", jnp.ones((2, 1)), jnp.ones((3, 4))).shape == (2, 4)
    assert lozenge('input a: 2, 1\ninput b: 3, 4\nlet c = a +* "ij; jk => ik" b\n', "infer")[0] == 1


@fact
def einsum_diagonal_stretches_in_jax():
    assert refused(lambda: np.einsum("ii->i", np.ones((1, 3))))
    assert jnp.einsum("ii->i", jnp.ones((1, 3))).shape == (3,)


@fact
def conv_negative_size():
    it = model("Conv", [[1, 1, 3], [1, 1, 5]])
    assert inferred(it) == (1, 1, -1) and refused(lambda: evaluated(it, (1, 1, 3), (1, 1, 5)))


@fact
def conv_channels_unchecked():
    it = model("Conv", [[1, 2, 5], [1, 3, 3]])
    assert inferred(it) == (1, 1, 3) and refused(lambda: evaluated(it, (1, 2, 5), (1, 3, 3)))


@fact
def conv_drops_the_rest():
    assert inferred(model("Conv", [[1, 1, 6], [1, 1, 2]], strides=[3])) == (1, 1, 2)
    status, text = lozenge('input a: 6\nparam w: 2\nlet c = a +* "3*o<+k; k => o" w\n', "infer")
    assert status == 1 and "6" in text


@fact
def gather_unchecked():
    it = model("Gather", [[3]], [([], [5])], axis=0)
    assert inferred(it) == () and refused(lambda: evaluated(it, (3,)))


@fact
def data_propagation_refuses():
    nodes = [helper.make_node("Unsqueeze", ["a", "axes"], ["t"]), helper.make_node("Add", ["t", "b"], ["y"])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [size]) for name, size in (("a", 5), ("b", 7))]
    it = graph(nodes, inputs, [helper.make_tensor("axes", TensorProto.INT64, [1], [1])])
    assert inferred(it) == (5, 7) and refused(lambda: inferred(it, data_prop=True))


@fact
def checker_wants_ranks():
    assert refused(lambda: onnx.checker.check_model(model("Relu", [[3]])))


@fact
def constant_outputs_stay_open():
    constant = helper.make_tensor("y", TensorProto.DOUBLE, [2], [1.0, 2.0])
    output = helper.make_tensor_value_info("y", TensorProto.DOUBLE, [None])
    made = helper.make_model(helper.make_graph([], "fact", [], [output], [constant]))
    onnx.checker.check_model(made)
    assert not infer_shapes(made, strict_mode=True).graph.output[0].type.tensor_type.shape.dim[0].HasField("dim_value")


@fact
def jax_reads_outside():
    x = np.arange(3.0)
    assert refused(lambda: np.take(x, 5)) and np.isnan(jnp.take(jnp.asarray(x), 5)) and jnp.asarray(x)[5] == 2.0


@fact
def jax_halves_ties():
    assert jax.grad(lambda x: jnp.maximum(x, 0.0))(0.0) == 0.5
    assert np.allclose(jax.grad(jnp.max)(jnp.ones(4)), 0.25)


@fact
def jax_is_single_without_asking():
    jax.config.update("jax_enable_x64", False)
    assert jnp.asarray(np.array([16777217.0])).dtype == jnp.float32
    jax.config.update("jax_enable_x64", True)


for check in FACTS:
    check()
    print(check.__name__)
