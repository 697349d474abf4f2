"""One peer, asked for one timed run at a time: `peer.py onnx|jax|torch|z3|numpy|blas`.

Reads a workload a line, answers with the seconds of processor time it took, or with `error: …`.
What is built once (a model, an expression, an array) is built before the clock starts.
"""
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import functools
import time

# A GPT-2-small-like decoder: batch, sequence, width, heads, vocabulary, width of a head, inner width.
B, S, D, H, V = 8, 1024, 768, 12, 50257
K, F = D // H, 4 * D


def timed(run, right):
    start = time.process_time()
    answer = run()
    seconds = time.process_time() - start
    if not right(answer):
        raise ValueError(f"the answer is wrong: {answer}")
    return seconds


class Onnx:
    """onnx.shape_inference, its C++ alone: bytes to bytes. It propagates forwards, over weights whose shapes are given."""

    def __init__(self):
        import onnx
        import onnx.onnx_cpp2py_export.shape_inference as native

        self.onnx, self.native, self.version = onnx, native, onnx.__version__

    @functools.cache
    def model(self, layers):
        from onnx import TensorProto as T, helper as h

        nodes, inputs = [], []

        def given(name, shape, kind=T.FLOAT):
            inputs.append(h.make_tensor_value_info(name, kind, shape))
            return name

        def op(kind, *operands, **attributes):
            result = f"t{len(nodes)}"
            nodes.append(h.make_node(kind, list(operands), [result], **attributes))
            return result

        def einsum(equation, *operands):
            return op("Einsum", *operands, equation=equation)

        tokens, wte, wpe = given("tok", [B, S], T.INT64), given("wte", [V, D]), given("wpe", [S, D])
        x = op("Add", op("Gather", wte, tokens), wpe)
        for i in range(layers):
            def w(name, *shape):
                return given(f"{name}_{i}", list(shape))

            a = op("LayerNormalization", x, w("g1", D), w("b1", D))
            q, k, v = (einsum("bsd,dhk->bshk", a, w(n, D, H, K)) for n in ("wq", "wk", "wv"))
            p = op("Softmax", einsum("bqhd,bkhd->bhqk", q, k))
            o = einsum("bhqk,bkhd->bqhd", p, v)
            x = op("Add", x, einsum("bqhd,hdm->bqm", o, w("wo", H, K, D)))
            a = op("LayerNormalization", x, w("g2", D), w("b2", D))
            u = op("Gelu", op("MatMul", a, w("wu", D, F)))
            x = op("Add", x, op("MatMul", u, w("wd", F, D)))
        x = op("LayerNormalization", x, given("gf", [D]), given("bf", [D]))
        x = einsum("bsd,vd->bsv", x, wte)
        graph = h.make_graph(nodes, "gpt", inputs, [h.make_tensor_value_info(x, T.FLOAT, None)])
        return h.make_model(graph, opset_imports=[h.make_opsetid("", 20)]).SerializeToString()

    def run(self, kind, layers):
        model = self.model(int(layers))
        run = lambda: self.native.infer_shapes(model, False, True, False)
        return timed(run, lambda found: self.result(found) == [B, S, V])

    def result(self, found):
        shape = self.onnx.load_from_string(found).graph.output[0].type.tensor_type.shape
        return [d.dim_value for d in shape.dim]


class Jax:
    """jax.eval_shape of a new function each time, in a warm process."""

    def __init__(self):
        import jax
        import jax.numpy as jnp

        self.jax, self.jnp, self.version = jax, jnp, jax.__version__

    def norm(self, x, g, b):
        m = x.mean(-1, keepdims=True)
        v = ((x - m) ** 2).mean(-1, keepdims=True)
        return (x - m) * self.jax.lax.rsqrt(v + 1e-5) * g + b

    def forward(self, p, tokens):
        e = self.jnp.einsum
        x = p["wte"][tokens] + p["wpe"]
        for w in p["blocks"]:
            y = self.norm(x, w["g1"], w["b1"])
            q, k, v = (e("bsd,dhk->bshk", y, w[n]) for n in ("wq", "wk", "wv"))
            a = self.jax.nn.softmax(e("bqhd,bkhd->bhqk", q, k), axis=-1)
            x = x + e("bqhd,hdm->bqm", e("bhqk,bkhd->bqhd", a, v), w["wo"])
            y = self.norm(x, w["g2"], w["b2"])
            x = x + e("bsf,fd->bsd", self.jax.nn.gelu(e("bsd,df->bsf", y, w["wu"])), w["wd"])
        return e("bsd,vd->bsv", self.norm(x, p["gf"], p["bf"]), p["wte"])

    @functools.cache
    def params(self, layers):
        t = lambda *shape: self.jax.ShapeDtypeStruct(shape, self.jnp.float32)
        block = lambda: dict(g1=t(D), b1=t(D), wq=t(D, H, K), wk=t(D, H, K), wv=t(D, H, K), wo=t(H, K, D),
                             g2=t(D), b2=t(D), wu=t(D, F), wd=t(F, D))
        params = dict(wte=t(V, D), wpe=t(S, D), blocks=[block() for _ in range(layers)], gf=t(D), bf=t(D))
        self.jax.eval_shape(lambda p, t: self.forward(p, t), params, self.tokens())
        return params

    def tokens(self):
        return self.jax.ShapeDtypeStruct((B, S), self.jnp.int32)

    def run(self, kind, layers):
        params, tokens = self.params(int(layers)), self.tokens()
        run = lambda: self.jax.eval_shape(lambda p, t: self.forward(p, t), params, tokens)
        return timed(run, lambda found: found.shape == (B, S, V))


class Torch:
    """A forward pass on torch's meta device, in a warm process."""

    def __init__(self):
        import torch

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        self.torch, self.version = torch, torch.__version__

    @functools.cache
    def params(self, layers):
        t = lambda *shape: self.torch.empty(*shape, device="meta")
        block = lambda: dict(g1=t(D), b1=t(D), wq=t(D, H, K), wk=t(D, H, K), wv=t(D, H, K), wo=t(H, K, D),
                             g2=t(D), b2=t(D), wu=t(D, F), wd=t(F, D))
        params = dict(wte=t(V, D), wpe=t(S, D), blocks=[block() for _ in range(layers)], gf=t(D), bf=t(D))
        self.forward(params)
        return params

    def forward(self, p):
        e, f = self.torch.einsum, self.torch.nn.functional
        x = f.embedding(self.torch.empty(B, S, dtype=self.torch.long, device="meta"), p["wte"]) + p["wpe"]
        for w in p["blocks"]:
            y = f.layer_norm(x, (D,), w["g1"], w["b1"])
            q, k, v = (e("bsd,dhk->bshk", y, w[n]) for n in ("wq", "wk", "wv"))
            a = f.softmax(e("bqhd,bkhd->bhqk", q, k), dim=-1)
            x = x + e("bqhd,hdm->bqm", e("bhqk,bkhd->bqhd", a, v), w["wo"])
            y = f.layer_norm(x, (D,), w["g2"], w["b2"])
            x = x + e("bsf,fd->bsd", f.gelu(e("bsd,df->bsf", y, w["wu"])), w["wd"])
        return e("bsd,vd->bsv", f.layer_norm(x, (D,), p["gf"], p["bf"]), p["wte"])

    def run(self, kind, layers):
        params = self.params(int(layers))
        return timed(lambda: self.forward(params), lambda found: tuple(found.shape) == (B, S, V))


class Z3:
    """z3 on chains of the dimension order, 0 for 1∅: x ⊑ y is y = 0 or x = y. The kindest encoding of each direction:
    integers where propagation decides, uninterpreted constants where it does not. Only check() is timed."""

    KIND = dict(down=("Int", "QF_LIA"), unsat=("Int", "QF_LIA"), up=("U", "QF_UF"), upfree=("U", "QF_UF"))

    def __init__(self):
        import z3

        self.z3, self.version = z3, z3.get_version_string()

    def text(self, direction, n):
        sort, logic = self.KIND[direction]
        lines, unit, seven, nine = [], "0", "7", "9"
        if sort == "U":
            unit, seven, nine = "u", "a", "c"
            lines += ["(declare-sort U 0)"] + [f"(declare-const {c} U)" for c in "uac"] + ["(assert (distinct u a c))"]
        lines += [f"(declare-const d{i} {sort})" for i in range(n + 1)]
        if sort == "Int":
            lines += [f"(assert (>= d{i} 0))" for i in range(n + 1)]
        for i in range(n):
            below, above = (i + 1, i) if direction in ("down", "unsat") else (i, i + 1)
            lines.append(f"(assert (or (= d{above} {unit}) (= d{below} d{above})))")
        lines.append(f"(assert (= d0 {seven}))")
        if direction == "up":
            lines.append(f"(assert (not (= d{n} {unit})))")
        if direction == "unsat":
            lines.append(f"(assert (= d{n} {nine}))")
        return "\n".join(lines)

    def run(self, kind, direction, n):
        context = self.z3.Context()
        solver = self.z3.SolverFor(self.KIND[direction][1], ctx=context)
        solver.set("timeout", 60000)
        solver.from_string(self.text(direction, int(n)))
        wanted = self.z3.unsat if direction == "unsat" else self.z3.sat
        return timed(solver.check, lambda found: found == wanted)


class Numpy:
    """numpy without BLAS, double precision, one thread: einsum(optimize=False), slices, pad and concatenate."""

    SHAPES = {
        "matmul-256": [(256, 256)] * 2,
        "attention-scores": [(2, 4, 128, 64)] * 2,
        "three-operands-64": [(64, 64)] * 3,
        # The weights lie as einsum is fastest with.
        "convolution-3x3": [(4, 32, 32, 16), (16, 3, 3, 16)],
        "padded-convolution-3x3": [(4, 32, 32, 16), (16, 3, 3, 16)],
        "strided-convolution-3x3": [(4, 32, 32, 16), (16, 3, 3, 16)],
        "dilated-convolution-3x3": [(4, 32, 32, 16), (16, 3, 3, 16)],
        "max-pooling-2x2": [(8, 64, 64, 16)],
        "mean-pooling-2x2": [(8, 64, 64, 16)],
        "concatenation": [(64, 64, 64), (64, 32, 64)],
    }

    def __init__(self):
        import numpy

        self.numpy, self.version = numpy, numpy.__version__

    @functools.cache
    def operands(self, name):
        fill = lambda shape: (self.numpy.arange(self.numpy.prod(shape)) / 1024.0 - 1.0).reshape(shape)
        return [fill(shape) for shape in self.SHAPES[name]]

    def run(self, kind, name):
        operands, code = self.operands(name), getattr(self, f"{kind}_{name}".replace("-", "_"))
        return timed(lambda: code(*operands), lambda found: found is not None)

    def einsum(self, equation, *operands):
        return self.numpy.einsum(equation, *operands, optimize=False)

    def padded(self, x):
        return self.numpy.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))

    def windows(self, x, w, size=3, step=1, every=1):
        """A contraction over a view of all windows."""
        windows = self.numpy.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))
        return self.einsum("bhwikl,okli->bhwo", windows[:, ::step, ::step, :, ::every, ::every], w)

    def kernel_matmul_256(self, a, b):
        return self.einsum("ij,jk->ik", a, b)

    def gradient_matmul_256(self, a, b):
        c = self.einsum("ij,jk->ik", a, b)
        g = self.numpy.ones_like(c)
        return c.sum(), self.einsum("ik,jk->ij", g, b), self.einsum("ij,ik->jk", a, g)

    def kernel_attention_scores(self, q, k):
        return self.einsum("bhqd,bhkd->bhqk", q, k)

    def kernel_three_operands_64(self, a, b, d):
        return self.einsum("ij,jk,kl->il", a, b, d)

    def kernel_convolution_3x3(self, x, w):
        return self.windows(x, w)

    def gradient_convolution_3x3(self, x, w):
        c = self.windows(x, w)
        g, to_x = self.numpy.ones_like(c), self.numpy.zeros_like(x)
        windows = self.numpy.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
        for k in range(3):
            for l in range(3):
                to_x[:, k:k + 30, l:l + 30] += self.einsum("bhwo,oi->bhwi", g, w[:, k, l])
        return c.sum(), to_x, self.einsum("bhwikl,bhwo->okli", windows, g)

    def kernel_padded_convolution_3x3(self, x, w):
        return self.windows(self.padded(x), w)

    def kernel_strided_convolution_3x3(self, x, w):
        return self.windows(self.padded(x), w, step=2)

    def kernel_dilated_convolution_3x3(self, x, w):
        return self.windows(x, w, size=5, every=2)

    # Slices are the fastest way numpy has for both: twice as fast as a reduction over two axes of a reshaped view.
    def kernel_max_pooling_2x2(self, x):
        larger = self.numpy.maximum
        return larger(larger(x[:, ::2, ::2], x[:, ::2, 1::2]), larger(x[:, 1::2, ::2], x[:, 1::2, 1::2]))

    def gradient_max_pooling_2x2(self, x):
        c, g = self.kernel_max_pooling_2x2(x), self.numpy.zeros_like(x)
        for k in range(2):
            for l in range(2):
                g[:, k::2, l::2] += x[:, k::2, l::2] == c
        return c.sum(), g

    def kernel_mean_pooling_2x2(self, x):
        return (x[:, ::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, ::2] + x[:, 1::2, 1::2]) / 4

    def kernel_concatenation(self, a, b):
        return self.numpy.concatenate((a, b), axis=1)


class Blas(Numpy):
    """numpy with what its BLAS has, one thread: products of matrices in any order of summation, fused. A convolution is
    a product for each cell of its weights, added up."""

    def __init__(self):
        super().__init__()
        blas = self.numpy.__config__.CONFIG["Build Dependencies"]["blas"]
        self.version = f"{blas['name']} {blas['version']}"

    @functools.cache
    def operands(self, name):
        operands = super().operands(name)
        if name.endswith("convolution-3x3"):
            # As matmul is fastest with.
            operands = [operands[0], self.numpy.ascontiguousarray(operands[1].transpose(1, 2, 3, 0))]
        return operands

    def shifted(self, x, w, rows, step=1, apart=1):
        c = self.numpy.zeros((x.shape[0], rows, rows, w.shape[3]))
        for k in range(3):
            for l in range(3):
                i, j = k * apart, l * apart
                c += x[:, i:i + rows * step:step, j:j + rows * step:step] @ w[k, l]
        return c

    def kernel_matmul_256(self, a, b):
        return self.numpy.matmul(a, b)

    def gradient_matmul_256(self, a, b):
        c = a @ b
        g = self.numpy.ones_like(c)
        return c.sum(), g @ b.T, a.T @ g

    def kernel_convolution_3x3(self, x, w):
        return self.shifted(x, w, 30)

    def kernel_padded_convolution_3x3(self, x, w):
        return self.shifted(self.padded(x), w, 32)

    def kernel_strided_convolution_3x3(self, x, w):
        return self.shifted(self.padded(x), w, 16, step=2)

    def kernel_dilated_convolution_3x3(self, x, w):
        return self.shifted(x, w, 28, apart=2)


def main():
    peer = dict(onnx=Onnx, jax=Jax, torch=Torch, z3=Z3, numpy=Numpy, blas=Blas)[sys.argv[1]]()
    print(peer.version, flush=True)
    for line in sys.stdin:
        try:
            print(f"{peer.run(*line.split()):e}", flush=True)
        except Exception as error:  # the driver reports it and goes on
            print(f"error: {type(error).__name__}: {error}".replace("\n", " "), flush=True)


main()
