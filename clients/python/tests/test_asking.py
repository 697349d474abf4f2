"""Questions to `lozenge oracle`, and to engines that fail. LOZENGE_ORACLE is the command."""

import os
import shlex
import sys
import time
import unittest
from typing import Any, List, Type

from lozenge_client import Ended, EngineError, NotAnAnswer, NotStarted, Oracle, Refused, TimedOut, dim, eq, le, row

COMMAND = shlex.split(os.environ.get("LOZENGE_ORACLE", "lozenge oracle"))
# Newer versions of Python do not write so many digits.
LONG = [10**5000] if hasattr(sys, "get_int_max_str_digits") else []
PROGRAM = "input x: n | 3\nn = 2\nparam b: 3\nlet y = x *. b"


class Questions(unittest.TestCase):
    def setUp(self) -> None:
        self.oracle = Oracle(COMMAND)
        self.addCleanup(self.oracle.end)

    def test_version(self) -> None:
        found = self.oracle.version()
        self.assertEqual((found["name"], found["wire"]), ("lozenge", 1))

    def test_solve(self) -> None:
        found = self.oracle.solve([le(row(var="r"), row([3], [4])), le(5, "a")])
        assert found["verdict"] == "solved"
        self.assertEqual(found["greatest"], {"r": row([3], [4]), "a": "unit"})
        self.assertEqual(found["residual"]["caps"], [{"var": "a", "bound": 5}])

    def test_a_failure_is_an_answer(self) -> None:
        found = self.oracle.solve([eq("a", 3), le("a", 5)], policy={"guard": "signed"}, limits={"fuel": 100})
        assert found["verdict"] == "unsat"
        self.assertEqual(found["rule"], "DI-ground")

    def test_close(self) -> None:
        found = self.oracle.close([le(3, "a"), le("b", "a")], leaves=["a", "b"])
        assert found["verdict"] == "closed"
        self.assertEqual(found["values"], {"a": 3, "b": 3})

    def test_the_hole_of_a_parameter_is_an_answer(self) -> None:
        found = self.oracle.close([le("a", "b")], params=["a"])
        assert found["verdict"] == "error"
        self.assertEqual((found["var"], found["uses"]), ("a", [0]))

    def test_decide(self) -> None:
        found = self.oracle.decide([eq(row([3], var="r"), row([], [5], "r"))], rank_bound=3)
        assert found["verdict"] == "unknown"
        self.assertEqual(found["rank_bound"], 3)

    def test_check(self) -> None:
        self.assertEqual(self.oracle.check([le("a", 3)], {"a": 3}), {"verdict": "holds"})
        found = self.oracle.check([le("a", 3), le(dim(3, "rgb"), "a")], {"a": "unit"})
        self.assertEqual(found, {"verdict": "violated", "which": [0]})

    def test_claims(self) -> None:
        concat = [dim("a"), dim("b")]
        found = self.oracle.decide([eq("a", 2), eq("b", 3)], claims=[{"size": dim("x"), "concat": concat}])
        assert found["verdict"] == "sat"
        self.assertEqual(found["values"]["x"], 5)

    def test_programs(self) -> None:
        inferred = self.oracle.infer(PROGRAM)
        assert inferred["verdict"] == "inferred"
        self.assertEqual(inferred["shapes"]["y"]["output"], row([], [3]))
        projected = self.oracle.project(PROGRAM)
        assert projected["verdict"] == "projected"
        self.assertEqual(len(projected["operations"]), 1)
        ran = self.oracle.run(PROGRAM, data={"x": [[1, 2, 3], [4, 5, 6]]}, fill="range")
        assert ran["verdict"] == "ran"
        self.assertEqual(ran["values"]["y"], {"dims": [2, 3], "data": [0, 2, 6, 0, 5, 12]})

    def test_parse(self) -> None:
        self.assertEqual(self.oracle.parse_spec("ij; jk => ik")["mode"], "single")
        self.assertEqual(self.oracle.parse_shape("n | 3 -> 4")["canonical"], "n | 3 -> 4")

    def test_refusals_are_exceptions_and_the_next_question_is_answered(self) -> None:
        with self.assertRaises(Refused) as caught:
            self.oracle.solve([eq(0, 3)])
        self.assertEqual((caught.exception.kind, caught.exception.at), ("parse", "/constraints/0/eq/0"))
        with self.assertRaises(Refused) as caught:
            self.oracle.ask({"op": "fly"})
        self.assertEqual((caught.exception.kind, caught.exception.at), ("unsupported", "/op"))
        self.assertEqual(self.oracle.version()["verdict"], "version")


    def test_what_is_no_json_is_not_sent(self) -> None:
        for given in (float("nan"), float("inf"), "\ud800", {1, 2}, *LONG):
            with self.assertRaises(Refused) as caught:
                self.oracle.ask({"op": "run", "program": PROGRAM, "fill": given})
            self.assertEqual(caught.exception.kind, "parse")
        self.assertEqual(self.oracle.version()["verdict"], "version")

    def test_a_request_that_is_too_long_is_refused(self) -> None:
        with self.assertRaises(Refused) as caught:
            self.oracle.infer("#" * (65 << 20))
        self.assertEqual(caught.exception.kind, "limit")
        self.assertEqual(self.oracle.version()["verdict"], "version")


def engine(body: str) -> List[str]:
    """An engine of one line: what it does with a request."""
    return [sys.executable, "-c", f"import json, sys, time\nfor line in sys.stdin:\n    {body}\n    sys.stdout.flush()"]


class Faults(unittest.TestCase):
    def fails(self, body: str, error: Type[EngineError], says: str, **options: Any) -> None:
        with Oracle(engine(body), **options) as oracle:
            with self.assertRaisesRegex(error, says):
                oracle.version()
            with self.assertRaises(EngineError):
                oracle.version()

    def test_no_answer_in_time(self) -> None:
        started = time.monotonic()
        self.fails("time.sleep(60)", TimedOut, "0.3 s", timeout=0.3)
        self.assertLess(time.monotonic() - started, 20)

    def test_an_engine_that_does_not_read(self) -> None:
        with Oracle([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.3) as oracle:
            with self.assertRaises(TimedOut):
                oracle.ask({"op": "parse", "spec": "x" * (1 << 20)})

    def test_children_of_the_engine_do_not_hold_it(self) -> None:
        with Oracle(["sh", "-c", "sleep 60; echo"], timeout=0.3) as oracle:
            with self.assertRaises(TimedOut):
                oracle.version()

    def test_an_end(self) -> None:
        self.fails("sys.exit(3)", Ended, "status 3")
        self.fails("print('{', end=''); sys.exit(0)", Ended, "status 0")

    def test_garbage(self) -> None:
        self.fails("print('babble')", NotAnAnswer, "not JSON")
        self.fails("print('[1]')", NotAnAnswer, "verdict")
        self.fails("print('{}')", NotAnAnswer, "verdict")
        self.fails("print(json.dumps({'id': 'other', 'verdict': 'version'}))", NotAnAnswer, "another id")
        self.fails("print('[' * 100000)", NotAnAnswer, "not JSON")
        self.fails("print('x' * 2000)", NotAnAnswer, "longer than 1000", most_bytes=1000)

    def test_an_error_without_an_id_is_the_answer(self) -> None:
        error = "print(json.dumps({'id': None, 'verdict': 'error', 'kind': 'limit', 'message': 'why', 'at': '/x'}))"
        with Oracle(engine(error)) as oracle:
            for _ in range(2):
                with self.assertRaises(Refused) as caught:
                    oracle.version()
                found = caught.exception
                self.assertEqual((found.kind, found.message, found.at), ("limit", "why", "/x"))
        self.fails("print(json.dumps({'id': None, 'verdict': 'version'}))", NotAnAnswer, "another id")

    def test_a_command_that_is_not_there(self) -> None:
        for command in (["no-such-program"], ["a\0b"], []):
            with self.assertRaises(NotStarted):
                Oracle(command)


if __name__ == "__main__":
    unittest.main()
