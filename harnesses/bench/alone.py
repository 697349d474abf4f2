"""What has no peer: memory, the command, the oracle, fuzzing, fuel."""
import json
import statistics
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tools import Tool, both, children, progress, table, unit


def rate(title, rates):
    return [title, f"{max(rates):,.0f} / {statistics.median(rates):,.0f}"]


def memory(binary, n):
    rows = []
    for shape in ("dimension-chain", "dimension-chain-pinned", "row-chain"):
        progress(f"memory: {shape}")
        seconds, counts = 0, []
        # The kernel gives out huge pages whole, 2 MiB at a time, also to tables that need less.
        for pages in ([], ["env", "MIMALLOC_ALLOW_THP=0"]):
            fresh = Tool("ours", [*pages, str(binary)])
            took, count = fresh.done(f"memory {shape} {n}")
            fresh.end()
            seconds = seconds or took
            counts.append(f"{count / n:.0f}")
        rows.append([shape.replace("-", " "), f"{n:,}", unit(seconds), *counts])
    return table(["system", "n", "time", "bytes a constraint, the input included", "without huge pages"], rows)


PLAIN = " of what `cargo build --release` makes"
SYSTEM = "\n".join(f"a{i} ⊑ a{i + 1}" for i in range(9)) + "\na9 = 3\n"


def command(released, plain):
    """The command: cold start on a ten-line file, requests a second to one oracle, and cases a second of fuzzing."""
    starts = {released: [], plain: []}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "system.txt"
        file.write_text(SYSTEM)
        for _ in range(100):
            for binary, times in starts.items():
                start = time.perf_counter()
                subprocess.run([binary, "solve", str(file)], stdout=subprocess.DEVNULL, check=True)
                times.append(time.perf_counter() - start)
    rows = [["`lozenge solve` on ten lines, from start to end", both(starts[released])],
            [f"the same{PLAIN}", both(starts[plain])]]
    return rows + oracle(released, plain) + fuzz(released)


def oracle(released, plain, count=200_000, rounds=5):
    """Requests a second, from a file to a file, as whoever asks for many would have it."""
    var = lambda i: {"var": f"a{i}"}
    request = {"id": 1, "op": "solve", "constraints": [{"le": [var(i), var(i + 1)]} for i in range(9)] + [{"eq": [var(9), 3]}]}
    # A command, its jobs, and how many of it run beside each other. Two share nothing but the machine: what two jobs could reach.
    one, two, beside, built = ways = [(released, 1, 1), (released, 2, 1), (released, 1, 2), (plain, 1, 1)]
    rates, worked = {way: [] for way in ways}, {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        requests = Path(folder) / "requests"
        requests.write_text((json.dumps(request) + "\n") * count)

        def answered(binary, jobs, processes):
            """Requests a second of so many processes that begin together, until the last has ended, and a processor-second."""
            answers = [Path(folder) / f"answers{i}" for i in range(processes)]
            with ExitStack() as files:
                # What the round before has written is dropped before the clock starts.
                ends = [[files.enter_context(it) for it in (open(requests), open(file, "w"))] for file in answers]
                start, before = time.perf_counter(), children()
                asked = [binary, "oracle", "--jobs", str(jobs)]
                running = [subprocess.Popen(asked, stdin=read, stdout=written) for read, written in ends]
                assert [process.wait() for process in running] == [0] * processes
                seconds, work = time.perf_counter() - start, children() - before
            assert all(file.read_text().count('"solved"') == count for file in answers)
            return processes * count / seconds, processes * count / work

        for round in range(rounds):
            for way in ways:
                progress(f"oracle, round {round + 1} of {rounds}: --jobs {way[1]}")
                for kept, figure in zip((rates[way], worked[way]), answered(*way)):
                    kept.append(figure)
    rows = [rate(f"oracle, requests of ten constraints a second, `--jobs {way[1]}`", rates[way]) for way in (one, two)]
    rows += [rate("oracle, the same of two processes beside each other, `--jobs 1` each", rates[beside]),
             rate(f"oracle, the same{PLAIN}, `--jobs 1`", rates[built])]
    for title, more, less in (("`--jobs 2` over `--jobs 1`", two, one), ("two processes over `--jobs 1`", beside, one),
                              ("as in a release over `cargo build --release`", one, built)):
        ratios = [high / low for high, low in zip(rates[more], rates[less])]
        rows.append([f"oracle, {title}, of a round", f"{max(ratios):.2f} / {statistics.median(ratios):.2f}"])
    return rows + [rate(f"oracle, the same a processor-second, `--jobs {way[1]}`", worked[way]) for way in (one, two)]


# How many processes of an engine are compared.
JOBS = [1, 2]


def fuzz(binary, cases=20_000, rounds=3):
    """Cases a second where the engine is our own oracle: made, answered twice, and compared."""
    rates = {jobs: [] for jobs in JOBS}
    for round in range(rounds):
        for jobs in JOBS:
            progress(f"fuzz, round {round + 1} of {rounds}: --jobs {jobs}")
            options = ["--engine", f"'{binary}' oracle", "--cases", str(cases), "--jobs", str(jobs), "--ops", "solve=3,check=1"]
            start = time.perf_counter()
            subprocess.run([binary, "fuzz", *options], stdout=subprocess.DEVNULL, check=True)
            rates[jobs].append(cases / (time.perf_counter() - start))
    return [rate(f"fuzz against our own oracle, cases a second, `--jobs {jobs}`", rates[jobs]) for jobs in JOBS]


def alone(ours, released, plain):
    rows = command(released, plain)
    for title, workload in (("pairs of row inequalities closed a second", "exhaustive"),
                            ("lines of a refutation checked a second", "certificate 1000")):
        progress(title)
        rows.append(rate(title, [count / seconds for seconds, count in (ours.done(workload) for _ in range(5))]))
    for title, workload in (("parsing the text of the 12-layer decoder", "text 12"),
                            ("kernel matmul-256 by the definition, without a plan", "definition matmul-256")):
        rows.append([title, both([ours.done(workload)[0] for _ in range(5)])])
    return table(["what", "best / median"], rows)


# What uses up fuel in each of the questions of src/costly.rs.
COSTLY = {
    "cycle": "a cycle of dimensions that rests on a choice: paths of DI-antisym",
    "order": "adjacencies at random, most of them on one cycle",
    "guard": "lengths that grow through a long chain",
    "wide": "σ applied to rows of 4,000 axes",
    "lengths": "lengths that deciding tries",
    "words": "deferred equations, closed one by one",
    "joins": "caps inside caps",
    "claims": "totals in a chain, one size after the other",
}


def fuel(ours, units=300_000):
    rows = []
    for question, title in COSTLY.items():
        progress(f"fuel: {title}")
        times = [seconds / count for seconds, count in (ours.done(f"fuel {question} {units}") for _ in range(3))]
        rows.append([title, f"{min(times) * 1e9:,.0f} ns"])
    return table(["what uses it up", "a unit takes"], rows)
