#!/usr/bin/env python3
"""Compares convolutions, pooling and concatenations, and their gradients, with numpy.

usage: convolutions.py LOZENGE [CONFIGURATIONS] [SEED]

LOZENGE is the command. Random configurations are written as programs, run by `lozenge oracle`, and compared
with references in numpy that know nothing of index maps: sliding windows, pads, concatenations. Invalid
configurations must be refused with the size equation that failed.
"""

import json
import random
import subprocess
import sys

import numpy as np

STRIDES, DILATIONS = (1, 2, 3), (1, 2)


class Oracle:
    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([command, "oracle"], stdin=pipe, stdout=pipe, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def array(value):
    return np.array(value["data"], dtype=float).reshape(value["dims"])


def given(x):
    return {"dims": list(x.shape), "data": [float(v) for v in x.ravel()]}


class Mode:
    """One spatial axis: valid or padded, with stride, dilation, kernel and output."""

    def __init__(self, rng, kernel=None, small=False):
        self.padded = rng.random() < 0.5
        self.stride, self.dilation = rng.choice(STRIDES), rng.choice(DILATIONS)
        self.kernel = kernel or rng.choice((1, 2, 3, 4, 5) if not small else (1, 2, 3))
        self.output = rng.randint(1, 4 if small else 6)
        reach = (self.kernel - 1) * self.dilation
        self.input = self.stride * self.output if self.padded else self.stride * (self.output - 1) + 1 + reach
        self.left = -(-reach // 2) if self.padded else 0
        # Enough on the right for every window; what is not read does not matter.
        self.right = max(0, self.stride * (self.output - 1) + reach + 1 - self.left - self.input)

    def spec(self, o, k):
        return f"{self.stride}*{o}{'=' if self.padded else '<'}+{self.dilation}*{k}"

    def windows(self):
        """For output o and kernel k, the place in the padded axis."""
        o, k = np.arange(self.output)[:, None], np.arange(self.kernel)[None, :]
        return o * self.stride + k * self.dilation

    def pads(self):
        return self.left, self.right


def gather(x, axes, modes, fill):
    """Windows over axes: each axis becomes (output, kernel). Reference by padding and fancy indexing."""
    pads = [(0, 0)] * x.ndim
    for axis, mode in zip(axes, modes):
        pads[axis] = mode.pads()
    x = np.pad(x, pads, constant_values=fill)
    for axis, mode in sorted(zip(axes, modes), key=lambda it: -it[0]):
        x = np.take(x, mode.windows(), axis=axis)
    return x


def scatter(g, shape, axes, modes):
    """The adjoint of gather: adds windows back and cuts the padding off."""
    padded = list(shape)
    for axis, mode in zip(axes, modes):
        padded[axis] += sum(mode.pads())
    out = np.zeros(padded)
    windows = [m.windows() for m in modes]
    # Bring (output, kernel) pairs into one flat index per axis.
    for index in np.ndindex(*g.shape):
        place, at = [], 0
        for axis in range(len(shape)):
            if axis in axes:
                place.append(windows[axes.index(axis)][index[at], index[at + 1]])
                at += 2
            else:
                place.append(index[at])
                at += 1
        out[tuple(place)] += g[index]
    cut = [slice(None)] * len(shape)
    for axis, mode in zip(axes, modes):
        cut[axis] = slice(mode.left, mode.left + shape[axis])
    return out[tuple(cut)]


def conv1(rng, data):
    m = Mode(rng)
    ic, oc, batch = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 2)
    x, w = data(batch, m.input, ic), data(oc, m.kernel, ic)
    program = (
        f"input x: {batch} | {m.input}, {ic}\nparam w: {m.kernel}, {ic} -> {oc}\n"
        f'let y = x +* "...| {m.spec("o", "k")}, ic; k, ic -> oc => ...| o, oc" w\nlet _ = x.grad'
    )
    win = gather(x, [1], [m], 0.0)  # batch, o, k, ic
    y = np.einsum("boki,cki->boc", win, w)
    g = np.ones_like(y)
    gw = np.einsum("boki,boc->cki", win, g)
    gx = scatter(np.einsum("cki,boc->boki", w, g), x.shape, [1], [m])
    return program, {"x": x, "w": w}, {"y": y}, {"w": gw, "x": gx}


def conv2(rng, data):
    m, n = Mode(rng, small=True), Mode(rng, small=True)
    ic, oc = rng.randint(1, 2), rng.randint(1, 2)
    x, w = data(m.input, n.input, ic), data(oc, m.kernel, n.kernel, ic)
    program = (
        f"input x: {m.input}, {n.input}, {ic}\nparam w: {m.kernel}, {n.kernel}, {ic} -> {oc}\n"
        f'let y = x +* "{m.spec("p", "h")}, {n.spec("q", "v")}, ic; h, v, ic -> oc => p, q, oc" w\nlet _ = x.grad'
    )
    win = gather(x, [0, 1], [m, n], 0.0)  # p, h, q, v, ic
    y = np.einsum("phqvi,chvi->pqc", win, w)
    g = np.ones_like(y)
    gw = np.einsum("phqvi,pqc->chvi", win, g)
    gx = scatter(np.einsum("chvi,pqc->phqvi", w, g), x.shape, [0, 1], [m, n])
    return program, {"x": x, "w": w}, {"y": y}, {"w": gw, "x": gx}


def pool(rng, data):
    m = Mode(rng)
    kind = rng.choice(("max", "sum"))
    c = rng.randint(1, 3)
    x = data(m.input, c)
    operator = "@^^" if kind == "max" else "++"
    program = (
        f"input x: {m.input}, {c}\nlet y = x {operator} \"{m.spec('o', 'k')}, c => o, c\" [\"k\"]\n"
        f"k = {m.kernel}\nlet _ = x.grad"
    )
    win = gather(x, [0], [m], -np.inf if kind == "max" else 0.0)  # o, k, c
    y = win.max(axis=1) if kind == "max" else win.sum(axis=1)
    each = (win == y[:, None, :]).astype(float) if kind == "max" else np.ones_like(win)
    return program, {"x": x}, {"y": y}, {"x": scatter(each, x.shape, [0], [m])}


def concat(rng, data):
    count = rng.choice((2, 3))
    sizes = [rng.randint(1, 4) for _ in range(count)]
    c = rng.randint(1, 3)
    labels = "ijk"[:count]
    parts = [data(n, c) for n in sizes]
    weights = data(sum(sizes), c)
    names = "abc"[:count]
    program = "".join(f"param {name}: {n}, {c}\n" for name, n in zip(names, sizes))
    program += f"input w: {sum(sizes)}, {c}\n"
    operands = "; ".join(f"{label}, c" for label in labels)
    program += f"let y = ({', '.join(names)}) ++^ \"{operands} => {'^'.join(labels)}, c\"\n"
    program += "let z = y *. w"
    y = np.concatenate(parts, axis=0)
    grads = dict(zip(names, np.split(weights, np.cumsum(sizes)[:-1], axis=0)))
    return program, {**dict(zip(names, parts)), "w": weights}, {"y": y, "z": y * weights}, grads


def split(rng, data):
    m, n = rng.randint(1, 4), rng.randint(1, 4)
    x = data(m + n, 2)
    program = (
        f"param x: {m + n}, 2\nlet p = x ++ \"i^j, c => i, c\" [\"i\"]\ni = {m}\n"
        f'let q = x ++ "s^t, c => t, c" ["t"]\nt = {n}\nlet z = (p, q) ++^ "a, c; b, c => b^a, c"'
    )
    # Parts change places, then each is weighed by 1.
    program = program.replace('"a, c; b, c => b^a, c"', '"a, c; b, c => b^a, c"')
    z = np.concatenate([x[m:], x[:m]], axis=0)
    return program, {"x": x}, {"p": x[:m], "q": x[m:], "z": z}, {"x": np.ones_like(x)}


def interleave(rng, data):
    n, stride = rng.randint(1, 5), rng.choice((2, 3))
    xs = [data(n) for _ in range(stride)]
    names = "abc"[:stride]
    program = "".join(f"param {name}: {n}\n" for name in names)
    terms = [f'({name} ++ "n => {stride}*n+{i}")' for i, name in enumerate(names)]
    program += f"let y = {' + '.join(terms)}"
    return program, dict(zip(names, xs)), {"y": np.stack(xs, axis=1).ravel()}, {m: np.ones(n) for m in names}


def blocks(rng, data):
    (a, b), (c, d) = [(rng.randint(1, 3), rng.randint(1, 3)) for _ in range(2)]
    parts = {"p": data(a, c), "q": data(a, d), "r": data(b, c), "s": data(b, d)}
    program = "".join(f"param {name}: {x.shape[0]}, {x.shape[1]}\n" for name, x in parts.items())
    program += 'let y = (p, q, r, s) ++^ "i, k; i, l; j, k; j, l => i^j, k^l"'
    y = np.block([[parts["p"], parts["q"]], [parts["r"], parts["s"]]])
    return program, parts, {"y": y}, {name: np.ones_like(x) for name, x in parts.items()}


def invalid(rng):
    """Programs that must be refused, with the rule whose equation fails."""
    kind = rng.choice(("stride", "pad", "valid", "concat", "total"))
    s = rng.choice((2, 3))
    n = s * rng.randint(1, 5) + rng.randint(1, s - 1)
    if kind == "stride":
        return f'input x: {n}\nlet y = x ++ "{s}*o => o"', "ST-stride"
    if kind == "pad":
        return f'input x: {n}\ninput w: 3\nlet y = x +* "{s}*o=+k; k => o" w', "ST-pad"
    if kind == "valid":
        k, d = rng.randint(2, 5), rng.choice(DILATIONS)
        n = rng.randint(1, (k - 1) * d)
        return f'input x: {n}\ninput w: {k}\nlet y = x +* "o<+{d}*k; k => o" w', "ST-valid"
    if kind == "concat":
        n = rng.randint(1, 4)
        return f'input x: {n}\nlet y = x ++ "i^j => j" ["i"]\ni = {n + rng.randint(0, 3)}', "ST-concat"
    a, b = rng.randint(2, 4), rng.randint(2, 4)
    return f'input x: {a}, {b}\nlet y = x ++ "..r.. => " ["r"]\nr = {a * b + 1}', "ST-total"


def main():
    command = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    oracle = Oracle(command)
    # Small whole numbers: sums and products are exact, so that nothing hides behind a tolerance.
    data = lambda *shape: numbers.integers(-4, 5, size=shape).astype(float)
    kinds = (conv1, conv1, conv2, conv2, pool, pool, concat, concat, split, interleave, blocks)
    done, refused, outputs = {}, 0, 0
    for i in range(count):
        kind = kinds[i % len(kinds)]
        program, inputs, values, gradients = kind(rng, data)
        loss = list(values)[-1]
        program = program.replace("\nlet _ = x.grad", "")
        if "param x" not in program:
            program = program.replace("input x", "param x")
        answer = oracle.ask(id=i, op="run", program=program, data={k: given(v) for k, v in inputs.items()}, grad=loss)
        assert answer.get("verdict") == "ran", (program, answer)
        for name, expected in values.items():
            found = array(answer["values"][name])
            assert found.shape == expected.shape and np.array_equal(found, expected), (program, name, found, expected)
            outputs += found.size
        for name, expected in gradients.items():
            found = array(answer["gradients"][name])
            assert np.array_equal(found, expected), (program, "gradient of " + name, found, expected)
            outputs += found.size
        done[kind.__name__] = done.get(kind.__name__, 0) + 1
        if i % 4 == 0:
            program, rule = invalid(rng)
            answer = oracle.ask(id=i, op="infer", program=program)
            assert answer.get("rule") == rule, (program, answer)
            assert "=" in answer["constraint"], answer
            refused += 1
    kinds = ", ".join(f"{name} {n}" for name, n in sorted(done.items()))
    print(f"{sum(done.values())} configurations agree with numpy ({kinds}), {outputs} numbers; {refused} invalid ones refused")


if __name__ == "__main__":
    main()
