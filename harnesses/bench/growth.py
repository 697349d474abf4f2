"""How times grow with the size of what is asked."""
import math
import shutil
import statistics
import subprocess
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from tools import HERE, children, progress, table, unit

SHAPES = ["dimension-chain", "dimension-chain-backwards", "dimension-chain-pinned", "dimension-star", "dimension-grid",
          "row-chain", "row-equality-chain", "row-star", "random-row-dag",
          "dimension-cycle", "dimension-cycle-shuffled", "small-cycles", "nested-cycles", "star-of-cycles", "row-cycle",
          "dimension-equality-backwards", "row-equality-backwards",
          "joined-pieces", "dimension-grid-shuffled", "long-rows", "rows-that-grow", "deferred-equations"]
# A title and the workload without its size: first what the machine takes for walking alone, a cache line a place.
SYSTEMS = [("ten rounds through n places, as they lie", "walk in-order"), ("ten rounds through n places in no order", "walk in-no-order"),
           *((shape.replace("-", " "), f"solve {shape}") for shape in SHAPES)]
# Other questions whose growth is measured: a title, the workload without its size, and sizes.
QUESTIONS = [
    ("solving a random graph, most of it one cycle", "solve random-cycles", (10**3, 10**4, 10**5)),
    ("closing a dimension cycle", "close dimension-cycle", (10**3, 10**4, 10**5)),
    ("closing a row chain, every row a leaf", "close row-chain", (10**3, 10**4, 10**5)),
    ("closing rows that grow", "close rows-that-grow", (10**3, 10**4, 10**5)),
    ("closing deferred equations", "close deferred-equations", (100, 300, 1000, 3000)),
    ("deciding a row chain", "decide row-chain", (10**3, 10**4, 10**5)),
    ("deciding the constraints of a decoder", "decide-program", (3, 12, 48)),
    ("deciding rows that are equal, the last equation first", "decide row-equality-backwards", (10**3, 10**4, 10**5)),
    ("the loop nest of a sum, by its axes", "project", (100, 300, 1000, 3000)),
    ("a refutation with its derivation", "derive", (10**3, 10**4, 10**5)),
    ("checking a refutation", "certificate", (10**3, 10**4, 10**5)),
    ("a net of convolutions: claims about sizes", "convolutions", (10, 30, 100, 300)),
    ("claims that wait to the end", "open-claims", (300, 3_000, 30_000)),
    ("sizes in a chain, each chosen after the one before", "open-chain", (300, 3_000, 30_000)),
    ("one concatenation of unknown parts", "open-parts", (300, 3_000, 30_000)),
    ("an error after so many operations, explained", "explain", (10, 30, 100, 300)),
]


def slope(points):
    """Least squares of log time over log n."""
    xs, ys = [math.log(n) for n, _ in points], [math.log(t) for _, t in points]
    mx, my = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def instructions(binary, workload, sizes=(10**3, 10**4, 10**5)):
    """The slope of instructions over n, by callgrind; none where that is not installed."""
    if not shutil.which("valgrind"):
        return "–"
    loader = SourceFileLoader("instructions", str(HERE / "instructions"))
    counted = module_from_spec(spec_from_loader("instructions", loader))
    loader.exec_module(counted)
    nothing = counted.count(binary, "nothing")
    points = [(n, counted.count(binary, f"{workload} {n}") - nothing) for n in sizes]
    return f"{slope(points):.2f}"


# What takes less than so many seconds is asked more often: a cold cache would be most of it.
SHORT, OFTEN, ROUNDS = 0.01, 4, 5


def least(seconds, sizes):
    """The least time for each size. Every round asks for all of them, so that a machine that slows down slows them all."""
    times = {n: [] for n in sizes}
    for _ in range(ROUNDS):
        for n, known in times.items():
            known.append(seconds(n))
            if known[-1] < SHORT:
                known += [seconds(n) for _ in range(OFTEN - 1)]
    return [(n, min(known)) for n, known in times.items()]


def growth(ours, binary, lozenge, largest):
    sizes = [n for n in (10**3, 10**4, 10**5, 10**6) if n <= largest]
    rows = []
    for title, workload in SYSTEMS:
        progress(f"growth: {title}")
        points = least(lambda n: ours.done(f"{workload} {n}")[0], sizes)
        slopes = [f"{slope(points):.2f}", instructions(binary, workload)]
        rows.append([title] + [unit(t) for _, t in points] + slopes)
    layers = least(lambda n: ours.done(f"program {n}")[0], (12, 24, 48, 96))
    decoder = "decoder: " + ", ".join(f"{n} layers {unit(t)}" for n, t in layers) + f"; slope {slope(layers):.2f}"
    head = ["system"] + [f"n = {n:,}" for n in sizes] + ["slope of time", "of instructions"]
    return table(head, rows) + f"\n\n{questions(ours, binary, lozenge)}\n\nThe {decoder}."


def explained(binary, operations):
    """The processor time of `lozenge explain` on a program of so many operations that fits, of the whole process."""
    program = "input x0: 8 | 16\n" + "".join(f"let x{i + 1} = relu x{i} + {{ b{i} }}\n" for i in range(operations))
    before = children()
    subprocess.run([binary, "explain", "--program", "-"], input=program, text=True, stdout=subprocess.DEVNULL, check=True)
    return children() - before


def questions(ours, binary, lozenge):
    """The growth of what is asked beside solving."""
    rows = []

    def row(title, points, counted):
        rows.append([title, ", ".join(f"{n:,}: {unit(t)}" for n, t in points), f"{slope(points):.2f}", counted])

    for title, workload, sizes in QUESTIONS:
        progress(f"growth: {title}")
        points = least(lambda n: ours.done(f"{workload} {n}")[0], sizes)
        row(title, points, instructions(binary, workload, sizes[:3]))
    progress("growth: explain")
    points = least(lambda n: explained(lozenge, n), (1_000, 3_000, 10_000, 30_000))
    row("`lozenge explain` of a program that fits", points, "–")
    return table(["question", "n: time", "slope of time", "of instructions"], rows)
