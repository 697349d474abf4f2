"""Asking an engine, such as `lozenge oracle`, over its standard input and output."""

import json
import os
import signal
import subprocess
import threading
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Sequence, Type, cast

from .errors import Refused
from .messages import (
    CheckAnswer,
    Claim,
    CloseAnswer,
    Data,
    DecideAnswer,
    InferAnswer,
    Limits,
    Parsed,
    Policy,
    Program,
    ProjectAnswer,
    RunAnswer,
    Scalar,
    SolveAnswer,
    Version,
)
from .serving import MOST_BYTES
from .terms import Constraint, Ground

Constraints = Sequence[Constraint]


class EngineError(Exception):
    """The engine gave no answer. It is ended, and this `Oracle` asks it nothing more."""


class NotStarted(EngineError):
    """The command of the engine cannot be run."""


class Ended(EngineError):
    """The engine ended before its answer."""


class TimedOut(EngineError):
    """There was no answer in time."""


class NotAnAnswer(EngineError):
    """What came is no answer to the request."""


def _written(request: Mapping[str, Any]) -> bytes:
    """A request as it is sent. What is no JSON is refused here: an engine would only say that it cannot read it."""
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    except (RecursionError, MemoryError) as error:
        raise Refused("limit", f"the request is too large: {type(error).__name__}") from None
    except (TypeError, ValueError) as error:
        raise Refused("parse", f"the request is no JSON: {error}") from None


class Oracle:
    """An engine that is started by its command, and ended with what it started at the end of the `with`.

    `timeout` is in seconds, for one answer. What the engine refuses raises `Refused`, and the next question can be
    asked; other faults raise an `EngineError`.
    """

    def __init__(
        self, command: Sequence[str] = ("lozenge", "oracle"), timeout: float = 60.0, most_bytes: int = MOST_BYTES
    ) -> None:
        self.timeout, self.most_bytes = timeout, most_bytes
        self._asked = 0
        self._lock = threading.Lock()
        # A group of its own, where there are groups, so that all of it can be ended.
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
            )
        except (OSError, ValueError, IndexError) as error:
            raise NotStarted(f"the engine does not start: {error}") from error

    def __enter__(self) -> "Oracle":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.end()

    def end(self) -> None:
        """Ends the engine: its input ends, and after a second it is killed."""
        process = self._process
        assert process.stdin and process.stdout
        try:
            process.stdin.close()
        except OSError:
            pass  # It ended before it read everything.
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            pass
        self._kill()
        process.stdout.close()

    def _kill(self) -> None:
        try:
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except (ProcessLookupError, PermissionError):
            pass  # There is nothing left of it.
        self._process.wait()

    def ask(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """The answer to any request, without its id, which this method gives."""
        with self._lock:
            line = _written({**request, "id": self._asked + 1})
            self._asked += 1
            answer = self._read(self._exchange(line))
            refused = answer["verdict"] == "error" and "kind" in answer
            # A request that an engine cannot read has no id for it.
            unread = refused and answer.get("id", 0) is None
            if answer.pop("id", None) != self._asked and not unread:
                raise self._fault(NotAnAnswer("the answer has another id than the request"))
        if refused:
            raise Refused(str(answer["kind"]), str(answer.get("message", "")), str(answer.get("at", "")))
        return answer

    def _fault(self, error: EngineError) -> EngineError:
        self._kill()
        return error

    def _exchange(self, line: bytes) -> bytes:
        """Writes a line and reads one. An engine that takes too long over either is killed, which ends both."""
        assert self._process.stdin and self._process.stdout
        late = threading.Event()

        def end() -> None:
            late.set()
            self._kill()

        watch = threading.Timer(self.timeout, end)
        watch.daemon = True
        watch.start()
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
            found: bytes = self._process.stdout.readline(self.most_bytes + 1)
        except (OSError, ValueError):
            found = b""  # The pipe is broken, or was closed.
        finally:
            watch.cancel()
        if late.is_set():
            raise TimedOut(f"no answer within {self.timeout:g} s")
        if not found.endswith(b"\n"):
            if len(found) > self.most_bytes:
                raise self._fault(NotAnAnswer(f"the answer is longer than {self.most_bytes} bytes"))
            self._kill()
            raise Ended(f"the engine ended before its answer: status {self._process.returncode}")
        return found

    def _read(self, line: bytes) -> Dict[str, Any]:
        try:
            answer = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise self._fault(NotAnAnswer(f"the answer is not JSON: {error}")) from None
        if not isinstance(answer, dict) or not isinstance(answer.get("verdict"), str):
            raise self._fault(NotAnAnswer("the answer is no object with a verdict"))
        return answer

    def _op(self, op: str, **fields: object) -> Any:
        """Fields that are None are left out: null is not the same."""
        return self.ask({"op": op, **{key: value for key, value in fields.items() if value is not None}})

    # The operations. What they mean, and what may be left out, is in spec/protocol.md.

    def version(self) -> Version:
        """Who answers?"""
        return cast(Version, self._op("version"))

    def solve(
        self,
        constraints: Constraints,
        *,
        claims: Optional[Sequence[Claim]] = None,
        discardable: Optional[Sequence[str]] = None,
        policy: Optional[Policy] = None,
        limits: Optional[Limits] = None,
        trace: Optional[bool] = None,
        certificate: Optional[bool] = None,
    ) -> SolveAnswer:
        """What does the solver make of these constraints?"""
        found = self._op(
            "solve",
            constraints=constraints,
            claims=claims,
            discardable=discardable,
            policy=policy,
            limits=limits,
            trace=trace,
            certificate=certificate,
        )
        return cast(SolveAnswer, found)

    def close(
        self,
        constraints: Constraints,
        *,
        leaves: Optional[Sequence[str]] = None,
        params: Optional[Sequence[str]] = None,
        claims: Optional[Sequence[Claim]] = None,
        discardable: Optional[Sequence[str]] = None,
        policy: Optional[Policy] = None,
        limits: Optional[Limits] = None,
    ) -> CloseAnswer:
        """Which ground solution does closing choose?"""
        found = self._op(
            "close",
            constraints=constraints,
            leaves=leaves,
            params=params,
            claims=claims,
            discardable=discardable,
            policy=policy,
            limits=limits,
        )
        return cast(CloseAnswer, found)

    def decide(
        self,
        constraints: Constraints,
        *,
        rank_bound: Optional[int] = None,
        claims: Optional[Sequence[Claim]] = None,
        discardable: Optional[Sequence[str]] = None,
        policy: Optional[Policy] = None,
        limits: Optional[Limits] = None,
    ) -> DecideAnswer:
        """Is there a solution at all?"""
        found = self._op(
            "decide",
            constraints=constraints,
            rank_bound=rank_bound,
            claims=claims,
            discardable=discardable,
            policy=policy,
            limits=limits,
        )
        return cast(DecideAnswer, found)

    def check(
        self,
        constraints: Constraints,
        values: Mapping[str, Ground],
        *,
        claims: Optional[Sequence[Claim]] = None,
        discardable: Optional[Sequence[str]] = None,
    ) -> CheckAnswer:
        """Do these values solve these constraints?"""
        found = self._op("check", constraints=constraints, values=values, claims=claims, discardable=discardable)
        return cast(CheckAnswer, found)

    def infer(
        self,
        program: Program,
        *,
        partial: Optional[bool] = None,
        trace: Optional[bool] = None,
        policy: Optional[Policy] = None,
        limits: Optional[Limits] = None,
    ) -> InferAnswer:
        """Which shapes does this program have?"""
        found = self._op("infer", program=program, partial=partial, trace=trace, policy=policy, limits=limits)
        return cast(InferAnswer, found)

    def project(
        self, program: Program, *, policy: Optional[Policy] = None, limits: Optional[Limits] = None
    ) -> ProjectAnswer:
        """Which loops and index maps?"""
        return cast(ProjectAnswer, self._op("project", program=program, policy=policy, limits=limits))

    def run(
        self,
        program: Program,
        *,
        data: Optional[Mapping[str, Data]] = None,
        fill: Optional[Data] = None,
        indices: Optional[Mapping[str, int]] = None,
        grad: Optional[str] = None,
        wrt: Optional[Sequence[str]] = None,
        scalar: Optional[Scalar] = None,
        policy: Optional[Policy] = None,
        limits: Optional[Limits] = None,
    ) -> RunAnswer:
        """Which numbers does it compute?"""
        found = self._op(
            "run",
            program=program,
            data=data,
            fill=fill,
            indices=indices,
            grad=grad,
            wrt=wrt,
            scalar=scalar,
            policy=policy,
            limits=limits,
        )
        return cast(RunAnswer, found)

    def parse_spec(self, spec: str) -> Parsed:
        """What is this specification, as a tree?"""
        return cast(Parsed, self._op("parse", spec=spec))

    def parse_shape(self, shape: str) -> Parsed:
        """What is this shape, as a tree?"""
        return cast(Parsed, self._op("parse", shape=shape))
