"""Lozenge beside its peers, interleaved."""
import statistics
import time
from itertools import chain

from tools import both, progress, table

# The kernels of src/kernels.rs that are compared, with whom.
KERNELS = {
    "matmul-256": ["numpy", "blas"], "attention-scores": ["numpy"], "three-operands-64": ["numpy"],
    "convolution-3x3": ["numpy", "blas"], "padded-convolution-3x3": ["numpy", "blas"],
    "strided-convolution-3x3": ["numpy", "blas"], "dilated-convolution-3x3": ["numpy", "blas"],
    "max-pooling-2x2": ["numpy"], "mean-pooling-2x2": ["numpy"], "concatenation": ["numpy"],
}
GRADIENTS = {"matmul-256": ["numpy", "blas"], "convolution-3x3": ["numpy"], "max-pooling-2x2": ["numpy"]}


# What is compared: a title, our workload, and each peer with its own.
def compared():
    for layers in (12, 96):
        for title, ours in ((f"decoder, {layers} layers: shapes", f"infer {layers}"),
                            (f"decoder, {layers} layers: shapes and projections", f"program {layers}"),
                            (f"decoder, {layers} layers, written out: both", f"program-written-out {layers}")):
            yield title, ours, [(peer, f"decoder {layers}") for peer in ("onnx", "jax", "torch")]
    for direction in ("down", "up", "upfree", "unsat"):
        yield f"chain of 1,000, {direction}", f"chain {direction} 1000", [("z3", f"chain {direction} 1000")]
    for kernel, peers in KERNELS.items():
        yield f"kernel {kernel}", f"kernel {kernel}", [(peer, f"kernel {kernel}") for peer in peers]
    for kernel, peers in GRADIENTS.items():
        yield f"kernel {kernel} and its gradients", f"gradient {kernel}", [(peer, f"gradient {kernel}") for peer in peers]


# In a round each tool is asked at least so often and so long: the machine has slow moments of some ten milliseconds, and one
# time of less than a millisecond says little.
OFTEN, LONG = 4, 0.2


def asked_often(tool, workload):
    """What is counted of one round: all but the first answer, which warms caches and memory that the tools before have used."""
    started, answers = time.perf_counter(), []
    while len(answers) < OFTEN or time.perf_counter() - started < LONG:
        answers.append(tool.ask(workload))
        if isinstance(answers[-1], str):
            return answers[-1:]
    return answers[1:]


def comparison(start, peers, rounds):
    """Interleaved: for each workload new processes, and each round asks every one of them and counts some times."""
    rows, cases = [], list(compared())
    for i, (title, ours, asked) in enumerate(cases):
        asked = [("ours", ours)] + [(peer, workload) for peer, workload in asked if peer in peers]
        tools = {name: start(name) for name, _ in asked}
        answers = {name: [] for name, _ in asked}
        for round in range(rounds):
            for name, workload in asked:
                progress(f"{i + 1} of {len(cases)}, round {round + 1} of {rounds}: {name}, {title}")
                answers[name].append(asked_often(tools[name], workload))
        for tool in tools.values():
            tool.end()
        rows += [compare(title, answers["ours"], name, answers[name]) for name, _ in asked[1:]]
    head = ["workload", "Lozenge, best / median", "peer", "peer, best / median", "ratio of bests", "of medians", "of a round"]
    return table(head, rows)


def compare(title, ours, peer, theirs):
    """One row of the comparison, from what was answered in each round."""
    error = next((answer for answer in chain(*ours, *theirs) if isinstance(answer, str)), None)
    if error:
        return [title, "–", peer, "–", "–", "–", error]
    ours, theirs = ([[seconds for seconds, _ in round] for round in rounds] for rounds in (ours, theirs))
    all_ours, all_theirs = list(chain(*ours)), list(chain(*theirs))
    # In a round one tool comes right after the other, and the machine has mostly one speed for both.
    by_rounds = statistics.median(min(peer) / min(own) for own, peer in zip(ours, theirs))
    ratios = [min(all_theirs) / min(all_ours), statistics.median(all_theirs) / statistics.median(all_ours), by_rounds]
    return [title, both(all_ours), peer, both(all_theirs)] + [f"{ratio:.2f}" for ratio in ratios]
