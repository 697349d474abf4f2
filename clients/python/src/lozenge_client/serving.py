"""The protocol for an engine: read requests, answer them, stay alive.

A handler gets the request as a dictionary and returns the answer as one, without the id. What it cannot answer it
refuses: `raise Refused("parse", "why", "/constraints/0")`. A request that is too large for Python gets an error as
well, and the next line is served.
"""

import json
import math
import sys
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from .errors import Refused

MOST_BYTES = 64 << 20  # the longest line that is read
MARK = b"\xef\xbb\xbf"  # a byte order mark, which may stand before all requests

Request = Dict[str, Any]
Handler = Callable[[Request], Mapping[str, Any]]


def unsupported(op: str) -> Refused:
    """The error for an operation that is not answered."""
    return Refused("unsupported", f"this engine does not answer {op!r}", "/op")


def lines(stream: BinaryIO, most: int = MOST_BYTES) -> Iterator[Optional[bytes]]:
    """The lines of a stream; None for one that is too long."""
    while True:
        line = stream.readline(most + 1)
        if not line:
            return
        if len(line) > most and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(most)
            yield None
        else:
            yield line


class _Twice(Dict[str, Any]):
    """An object with a key that stands twice."""

    key = ""


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    marked = _Twice(found)
    keys = [key for key, _ in pairs]
    marked.key = next(key for i, key in enumerate(keys) if key in keys[:i])
    return marked


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise Refused("limit", f"{text} is too large")
    return number


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        # Python reads so many digits and no more.
        raise Refused("limit", f"a number of {len(text)} digits is too large") from None


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _pointer(key: object) -> str:
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


def _twice(value: Any, at: str = "") -> Optional[str]:
    """The place of a key that stands twice in one object."""
    if isinstance(value, _Twice):
        return at + _pointer(value.key)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    # Only the id is not looked into.
    found = (_twice(item, at + _pointer(key)) for key, item in items if at or key != "id")
    return next((place for place in found if place is not None), None)


def parse(line: Optional[bytes]) -> Request:
    """A line as a request."""
    if line is None:
        raise Refused("limit", "the line is too long")
    try:
        text = line.decode("utf-8")
        request = json.loads(text, object_pairs_hook=_object, parse_float=_number, parse_int=_whole, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise Refused("parse", f"not UTF-8: {error}") from None
    except RecursionError:
        raise Refused("limit", "lists and objects are nested too deeply") from None
    except ValueError as error:
        raise Refused("parse", f"not JSON: {error}") from None
    if not isinstance(request, dict):
        raise Refused("parse", "a request is a JSON object")
    return request


def _answered(handlers: Mapping[str, Handler], request: Request) -> Mapping[str, Any]:
    place = _twice(request)
    if place is not None:
        raise Refused("parse", "a key stands twice in one object", place)
    op = request.get("op")
    if not isinstance(op, str):
        raise Refused("parse", "the operation is a string", "/op" if "op" in request else "")
    if op not in handlers:
        raise unsupported(op)
    return handlers[op](request)


def _past_space(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _written_id(text: str) -> str:
    """The id of a request that has one, as it is written: Python would change its digits and its keys."""
    values, at = json.JSONDecoder(), text.index("{") + 1
    while True:
        key, at = values.raw_decode(text, _past_space(text, at))
        start = _past_space(text, _past_space(text, at) + 1)
        _, end = values.raw_decode(text, start)
        if key == "id":
            return text[start:end]
        at = _past_space(text, end) + 1


def _written(found: Mapping[str, Any]) -> str:
    """An answer as JSON. Half of a pair of surrogates is no text, and stands as U+FFFD."""
    text = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def answer_line(handlers: Mapping[str, Handler], line: Optional[bytes]) -> bytes:
    """The answer to a line as it is written, the id as it came."""
    found = answer(handlers, line)
    ids: List[str] = []
    if "id" in found:
        given = found.pop("id")
        ids.append('"id":' + ("null" if given is None or line is None else _written_id(line.decode("utf-8"))))
    try:
        text = _written(found)
    except (RecursionError, MemoryError) as error:
        text = _written(Refused("limit", f"too large: {type(error).__name__}").answer())
    except (TypeError, ValueError) as error:
        text = _written(Refused("internal", f"the answer is no JSON: {error}").answer())
    return ("{" + ",".join(ids + [text[1:-1]]) + "}").encode("utf-8") + b"\n"


def answer(handlers: Mapping[str, Handler], line: Optional[bytes]) -> Dict[str, Any]:
    """The answer to a line."""
    found: Dict[str, Any] = {"id": None}
    try:
        request = parse(line)
        if not (isinstance(request, _Twice) and request.key == "id"):
            found = {"id": request["id"]} if "id" in request else {}
        return {**_answered(handlers, request), **found}
    except Refused as refused:
        return {**found, **refused.answer()}
    except (RecursionError, MemoryError) as error:
        return {**found, **Refused("limit", f"too large: {type(error).__name__}").answer()}


def serve(
    handlers: Mapping[str, Handler], stdin: Optional[BinaryIO] = None, stdout: Optional[BinaryIO] = None
) -> None:
    """Answers until the input ends or the reader leaves."""
    read, write = stdin or sys.stdin.buffer, stdout or sys.stdout.buffer
    try:
        for number, line in enumerate(lines(read)):
            if number == 0 and line is not None and line.startswith(MARK):
                line = line[len(MARK) :]
            write.write(answer_line(handlers, line))
            write.flush()
    except BrokenPipeError:
        # Nobody reads any more: not an error.
        sys.stderr.close()
    except KeyboardInterrupt:
        sys.exit(130)
