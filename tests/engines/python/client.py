"""The protocol for an engine in Python: read requests, answer them, stay alive.

    from client import serve, Refused
    def solve(request): ...
    serve({"solve": solve})

A handler gets the request as a dictionary and returns the answer as one, without the id. What it cannot answer it
refuses: `raise Refused("parse", "why", "/constraints/0")`. Everything else that goes wrong in a handler becomes an
error answer too, and the next line is served. `Engine` asks another program the same way.
"""

import json
import subprocess
import sys

MOST_BYTES = 64 << 20  # the longest line that is read


class Refused(Exception):
    """A request that gets an error for an answer: kind, message, and the place as a JSON pointer."""

    def __init__(self, kind, message, at=""):
        super().__init__(message)
        self.kind, self.message, self.at = kind, message, at

    def answer(self):
        return {"verdict": "error", "kind": self.kind, "message": self.message, "at": self.at}


def unsupported(op):
    return Refused("unsupported", f"this engine does not answer {op!r}", "/op")


def lines(stream):
    """The lines of a stream of bytes; None for one that is too long."""
    while True:
        line = stream.readline(MOST_BYTES + 1)
        if not line:
            return
        if len(line) > MOST_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(MOST_BYTES)
            yield None
        else:
            yield line


def parse(line):
    """A line as a request."""
    if line is None:
        raise Refused("limit", "the line is too long")
    try:
        request = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Refused("parse", f"not UTF-8: {error}") from None
    except RecursionError:
        raise Refused("limit", "lists and objects are nested too deeply") from None
    except ValueError as error:
        raise Refused("parse", f"not JSON: {error}") from None
    if not isinstance(request, dict):
        raise Refused("parse", "a request is a JSON object")
    return request


def answer(handlers, line):
    """The answer to a line, as a dictionary."""
    found = {"id": None}
    try:
        request = parse(line)
        found = {"id": request["id"]} if "id" in request else {}
        op = request.get("op")
        if not isinstance(op, str):
            raise Refused("parse", "the operation is a string", "/op" if "op" in request else "")
        if op not in handlers:
            raise unsupported(op)
        return {**found, **handlers[op](request)}
    except Refused as refused:
        return {**found, **refused.answer()}
    except (RecursionError, MemoryError) as error:
        return {**found, **Refused("limit", f"too large: {type(error).__name__}").answer()}


def serve(handlers, stdin=None, stdout=None):
    """Answers until the input ends or the reader leaves."""
    stdin, stdout = stdin or sys.stdin.buffer, stdout or sys.stdout.buffer
    try:
        for line in lines(stdin):
            text = json.dumps(answer(handlers, line), ensure_ascii=False, separators=(",", ":"))
            stdout.write(text.encode("utf-8", "surrogatepass") + b"\n")
            stdout.flush()
    except BrokenPipeError:
        # Nobody reads any more: not an error.
        sys.stderr.close()
    except KeyboardInterrupt:
        sys.exit(130)


class Engine:
    """Another engine, asked by its command line: `Engine(["lozenge", "oracle"]).ask({"op": "version"})`."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
