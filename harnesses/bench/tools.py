"""What asks, and how figures are told: for `run` and the parts of it."""
import os
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "harnesses" / "bench"

# No allocator gives memory back between two answers: to get it again would cost half as much as some of them. Ours does so
# after a second of its own accord, glibc's when the end of its heap is free or a large block.
KEPT = {"MIMALLOC_PURGE_DELAY": "-1", "MALLOC_TRIM_THRESHOLD_": str(2**40), "MALLOC_MMAP_THRESHOLD_": str(2**25)}


class Tool:
    """A process that answers one workload a line with seconds."""

    def __init__(self, name, command):
        self.name = name
        keep = {**os.environ, **KEPT}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=keep)
        self.version = "" if name == "ours" else self.process.stdout.readline().strip()
        if name != "ours" and not self.version:
            raise OSError(f"{name} does not start")

    def ask(self, workload):
        """Seconds, and how many things were done where the tool says so; an error as text."""
        try:
            self.process.stdin.write(workload + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer or answer.startswith("error"):
            return answer or "error: it ended"
        seconds, *count = answer.split()
        return float(seconds), int(count[0]) if count else None

    def done(self, workload):
        """The same of a workload that must not fail."""
        answer = self.ask(workload)
        if isinstance(answer, str):
            sys.exit(f"harnesses/bench/run: {self.name}, {workload}: {answer}")
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}"[: shutil.get_terminal_size().columns + 4])
        sys.stderr.flush()


def children():
    """The processor time of all processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def unit(seconds):
    for size, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def both(samples):
    return f"{unit(min(samples))} / {unit(statistics.median(samples))}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
