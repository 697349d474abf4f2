#!/usr/bin/env python3
"""Runs the recipes of a cookbook: the Python and the program of each get the same data and must give the same values.

usage: cookbook.py LOZENGE PAGE

A recipe is a section with one `python` block and one `loz recipe` block. The inputs and parameters of the program are
arrays in the Python, filled with small whole numbers; what the Python assigns to one of them goes before that. Whatever
both sides call by one name is compared: exactly where the values are whole numbers, else to nine digits. Axes of one
element are not compared: a program keeps some that NumPy drops.
"""

import json
import re
import subprocess
import sys

import numpy as np

FENCE = re.compile(r"^```(.*)$")
LEAF = re.compile(r"^(?:input|param|const) (\w+)(?![^#\n]*=)", re.MULTILINE)
KINDS = ("batch", "output", "input")


def recipes(page):
    """Titles, each with the blocks under it by their tags."""
    found, tag = [], None
    for line in page.splitlines():
        fence = FENCE.match(line)
        if fence and tag is None:
            tag = fence.group(1).strip()
            found[-1][1].append((tag, []))
        elif fence:
            tag = None
        elif tag is not None:
            found[-1][1][-1][1].append(line)
        elif line.startswith("#"):
            found.append((line.strip("# "), []))
    for title, blocks in found:
        python = ["\n".join(text) for tag, text in blocks if tag == "python"]
        program = ["\n".join(text) + "\n" for tag, text in blocks if tag == "loz recipe"]
        if python or program:
            assert len(python) == 1 and len(program) == 1, f"{title}: one block of Python and one program"
            yield title, python[0], program[0]


def ask(command, **request):
    out = subprocess.run([command, "oracle"], input=json.dumps(request) + "\n", capture_output=True, text=True)
    return json.loads(out.stdout)


def check(command, program):
    """The program is accepted without a warning."""
    how = [command, "infer", "-", "--deny-warnings", "--color", "never"]
    return subprocess.run(how, input=program, capture_output=True, text=True)


def sizes(shape):
    """The sizes of a closed shape in the order of storage."""
    dims = [dim for kind in KINDS for flank in ("lead", "trail") for dim in shape[kind][flank]]
    return tuple(dim if isinstance(dim, int) else 1 for dim in dims)


def without_ones(array):
    return array.reshape([n for n in array.shape if n != 1])


def same(found, expected):
    """None where the values agree, else what is wrong; and whether they were compared exactly."""
    found, expected = without_ones(found), without_ones(np.asarray(expected, dtype=float))
    if found.shape != expected.shape:
        return f"axes {found.shape} and, in NumPy, {expected.shape}", False
    exact = bool(np.all(expected == np.rint(expected)))
    fits = np.array_equal(found, expected) if exact else np.allclose(found, expected, rtol=1e-9, atol=1e-12)
    return (None if fits else f"{found}\nand in NumPy\n{expected}"), exact


def cook(command, title, python, program, rng):
    """The names that were compared, and how many exactly."""
    checked = check(command, program)
    assert checked.returncode == 0, f"{title}: {checked.stdout}{checked.stderr}"
    shapes = ask(command, id=0, op="infer", program=program)["shapes"]
    leaves = LEAF.findall(program)
    kitchen = {name: rng.integers(-3, 4, size=sizes(shapes[name])).astype(float) for name in leaves}
    kitchen["np"] = np
    exec(compile(python, title, "exec"), kitchen)
    arrays = {name: np.asarray(kitchen[name], dtype=float) for name in leaves}
    data = {name: {"dims": list(x.shape), "data": x.ravel().tolist()} for name, x in arrays.items()}
    answer = ask(command, id=1, op="run", program=program, data=data)
    assert answer.get("verdict") == "ran", f"{title}: {answer}"
    names = [name for name in answer["values"] if name in kitchen and name not in leaves]
    assert names, f"{title}: no name is in both"
    exact = 0
    for name in names:
        value = answer["values"][name]
        found = np.array(value["data"], dtype=float).reshape(value["dims"])
        wrong, is_exact = same(found, kitchen[name])
        assert wrong is None, f"{title}: {name} is\n{wrong}"
        exact += is_exact
    return names, exact


def main():
    command, page = sys.argv[1:]
    rng, done, compared, exactly = np.random.default_rng(0), 0, 0, 0
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for title, python, program in recipes(text):
        names, exact = cook(command, title, python, program, rng)
        done, compared, exactly = done + 1, compared + len(names), exactly + exact
    print(f"{done} recipes agree with NumPy: {compared} tensors, {exactly} of them exactly")


if __name__ == "__main__":
    main()
