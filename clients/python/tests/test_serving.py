"""An engine answers every line, and lives on."""

import io
import json
import sys
import unittest
from typing import Any, Dict, List, Mapping, Optional

from lozenge_client import Refused, answer, answer_line, lines, serve


def echo(request: Dict[str, Any]) -> Mapping[str, Any]:
    return {"verdict": "echo", "given": request.get("given")}


def refuse(request: Dict[str, Any]) -> Mapping[str, Any]:
    raise Refused("sort", "why", "/given")


def deep(request: Dict[str, Any]) -> Mapping[str, Any]:
    return deep(request)


HANDLERS = {"echo": echo, "refuse": refuse, "deep": deep}


class Answers(unittest.TestCase):
    def error(self, line: Optional[str], kind: str, at: str, **others: object) -> None:
        """The answer to a line is this error; the other fields are those given."""
        found = answer(HANDLERS, None if line is None else line.encode())
        self.assertEqual((found.pop("verdict"), found.pop("kind"), found.pop("at")), ("error", kind, at))
        self.assertTrue(found.pop("message"))
        self.assertEqual(found, others)

    def test_the_id_comes_back_where_it_was(self) -> None:
        self.assertEqual(answer(HANDLERS, b'{"op":"echo","given":3}'), {"verdict": "echo", "given": 3})
        found = answer(HANDLERS, b'{"id":[null],"op":"echo"}')
        self.assertEqual(found, {"id": [None], "verdict": "echo", "given": None})

    def test_what_is_no_request(self) -> None:
        for line in ["", "  ", "echo", "[1]", "17", '{"op":"echo"', '{"op":"echo",}', '{"op":"echo"}{}', '{"id":NaN}']:
            self.error(line, "parse", "", id=None)
        self.error(None, "limit", "", id=None)
        self.error("[" * 100_000, "limit", "", id=None)
        self.error('{"id":1,"op":"echo","given":1e999}', "limit", "", id=None)

    def test_bytes_that_are_no_text(self) -> None:
        self.assertEqual(answer(HANDLERS, b'{"id":"\xff"}')["kind"], "parse")

    def test_operations(self) -> None:
        self.error('{"id":1,"op":"fly"}', "unsupported", "/op", id=1)
        self.error('{"id":1,"op":3}', "parse", "/op", id=1)
        self.error('{"id":1}', "parse", "", id=1)
        self.error('{"id":1,"op":"refuse"}', "sort", "/given", id=1)
        self.error('{"id":1,"op":"deep"}', "limit", "", id=1)

    def test_a_key_stands_once(self) -> None:
        self.error('{"id":1,"op":"echo","op":"echo"}', "parse", "/op", id=1)
        self.error('{"id":1,"op":"echo","given":[{"a/b":1,"a/b":2}]}', "parse", "/given/0/a~1b", id=1)
        self.error('{"id":1,"id":2,"op":"echo"}', "parse", "/id", id=None)
        self.assertEqual(answer(HANDLERS, b'{"id":{"a":1,"a":2},"op":"echo"}')["verdict"], "echo")


class Lines(unittest.TestCase):
    def test_lines_that_are_too_long_are_passed_over(self) -> None:
        stream = io.BytesIO(b"abc\n" + b"x" * 50 + b"\n\nabcd\n" + b"y" * 9)
        self.assertEqual(list(lines(stream, 4)), [b"abc\n", None, b"\n", b"abcd\n", None])

    def test_every_line_is_answered(self) -> None:
        out = io.BytesIO()
        serve(HANDLERS, io.BytesIO(b'\n{"op":"echo","given":"\xe2\x8b\x84"}\nnothing'), out)
        found: List[Dict[str, Any]] = [json.loads(line) for line in out.getvalue().splitlines()]
        self.assertEqual([line["verdict"] for line in found], ["error", "echo", "error"])
        self.assertEqual(found[1]["given"], "⋄")

    def written(self, lines_in: bytes) -> List[bytes]:
        out = io.BytesIO()
        serve(HANDLERS, io.BytesIO(lines_in), out)
        return out.getvalue().splitlines()

    def test_ids_come_back_as_they_were_written(self) -> None:
        ids = ["12345678901234567890.123", '{"a":1,"a":2}', "-0", "1.0", '"\\u00e9\\ud800"', "[ 1, 2 ]", "null", "1E2"]
        for given in ids:
            for line in (f'{{"id":{given},"op":"echo"}}', f' {{ "op" : "echo" , "\\u0069d" : {given} }}'):
                [found] = self.written(line.encode())
                self.assertEqual(found.decode(), f'{{"id":{given},"verdict":"echo","given":null}}')

    def test_answers_are_json_in_utf_8(self) -> None:
        [found] = self.written(b'{"op":"echo","given":"\\ud800 \\ud83d\\ude00"}')
        self.assertEqual(json.loads(found.decode("utf-8"))["given"], "\ufffd \U0001f600")
        for given in (float("nan"), {1}, float("-inf")):
            found = answer_line({"echo": lambda _: {"verdict": "echo", "given": given}}, b'{"id":7,"op":"echo"}')
            said = json.loads(found)
            self.assertEqual((said["id"], said["verdict"], said["kind"]), (7, "error", "internal"))
        if hasattr(sys, "get_int_max_str_digits"):
            [found] = self.written(b'{"op":"echo","given":' + b"9" * 5000 + b"}")
            self.assertEqual(json.loads(found)["kind"], "limit")

    def test_a_mark_before_the_first_request_is_skipped(self) -> None:
        line = b'\xef\xbb\xbf{"op":"echo"}'
        found = [json.loads(it)["verdict"] for it in self.written(line + b"\n" + line)]
        self.assertEqual(found, ["echo", "error"])


if __name__ == "__main__":
    unittest.main()
