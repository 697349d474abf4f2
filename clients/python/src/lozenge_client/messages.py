"""Requests and answers of the protocol, as types. spec/protocol.md says what the fields mean.

An answer is told apart by its `verdict`: `if answer["verdict"] == "solved": answer["sigma"]`.
"""

from typing import Any, Dict, List, Literal, Mapping, Sequence, Tuple, TypedDict, Union

from .terms import Constraint, Dim, Ground, Row, Term

# What requests are made of.


class Policy(TypedDict, total=False):
    guard: Literal["signed", "paper", "none"]
    strategy: Literal["fifo", "lifo", "random", "rounds"]
    seed: int


class Limits(TypedDict, total=False):
    fuel: int
    rank: int
    elements: int
    points: int


class _AffineOptions(TypedDict, total=False):
    stride: Dim
    kernel: Dim
    dilation: Dim
    offset: int


class Affine(_AffineOptions):
    mode: Literal["strided", "valid", "padded"]
    over: Dim


class AffineClaim(TypedDict):
    size: Dim
    affine: Affine


class ConcatClaim(TypedDict):
    size: Dim
    concat: Sequence[Dim]


class _Scaled(TypedDict):
    var: str


class Scaled(_Scaled, total=False):
    coeff: Dim
    denom: int


class _Total(TypedDict):
    rows: Sequence[Row]


class Total(_Total, total=False):
    """One of `count` and `scaled`."""

    count: int
    scaled: Scaled
    divided_by: Sequence[str]
    keep: int


class TotalClaim(TypedDict):
    total: Total


class _Exact(TypedDict):
    rows: Sequence[Row]
    axes: Sequence[Dim]


class Exact(_Exact, total=False):
    keep: int


class ExactClaim(TypedDict):
    exact: Exact


class AtLeastClaim(TypedDict):
    at_least: Dim
    count: int


Claim = Union[AffineClaim, ConcatClaim, TotalClaim, ExactClaim, AtLeastClaim]
# The text of a program, or its JSON form.
Program = Union[str, Mapping[str, Any]]
# {"dims":…,"data":…}, nested lists, a number, or a text as in `fill`.
Data = Union[Mapping[str, Any], Sequence[Any], int, float, str]
Scalar = Literal["f64", "i64", "rational", "tropical"]

# Requests, without their id. Fields that may be left out stand in a class of their own.


class _Claims(TypedDict, total=False):
    claims: Sequence[Claim]
    discardable: Sequence[str]


class _Solver(_Claims, total=False):
    policy: Policy
    limits: Limits


class _Solve(_Solver, total=False):
    trace: bool
    certificate: bool


class SolveRequest(_Solve):
    op: Literal["solve"]
    constraints: Sequence[Constraint]


class _Close(_Solver, total=False):
    leaves: Sequence[str]
    params: Sequence[str]


class CloseRequest(_Close):
    op: Literal["close"]
    constraints: Sequence[Constraint]


class _Decide(_Solver, total=False):
    rank_bound: int


class DecideRequest(_Decide):
    op: Literal["decide"]
    constraints: Sequence[Constraint]


class CheckRequest(_Claims):
    op: Literal["check"]
    constraints: Sequence[Constraint]
    values: Mapping[str, Ground]


class _OfProgram(TypedDict, total=False):
    policy: Policy
    limits: Limits


class _Infer(_OfProgram, total=False):
    partial: bool
    trace: bool


class InferRequest(_Infer):
    op: Literal["infer"]
    program: Program


class ProjectRequest(_OfProgram):
    op: Literal["project"]
    program: Program


class _Run(_OfProgram, total=False):
    data: Mapping[str, Data]
    fill: Union[int, float, str]
    indices: Mapping[str, int]
    grad: str
    wrt: Sequence[str]
    scalar: Scalar


class RunRequest(_Run):
    op: Literal["run"]
    program: Program


class ParseSpecRequest(TypedDict):
    op: Literal["parse"]
    spec: str


class ParseShapeRequest(TypedDict):
    op: Literal["parse"]
    shape: str


class VersionRequest(TypedDict):
    op: Literal["version"]


Request = Union[
    SolveRequest,
    CloseRequest,
    DecideRequest,
    CheckRequest,
    InferRequest,
    ProjectRequest,
    RunRequest,
    ParseSpecRequest,
    ParseShapeRequest,
    VersionRequest,
]

# Answers, without their id.

Terms = Dict[str, Term]
Values = Dict[str, Ground]


class Cap(TypedDict):
    var: str
    bound: Term


class Residual(TypedDict):
    caps: List[Cap]
    below: List[Tuple[str, str]]
    deferred: List[Constraint]


class _Solved(TypedDict, total=False):
    waiting: List[int]
    trace: List[Dict[str, Any]]
    certificate: Union[None, Dict[str, Any]]


class Solved(_Solved):
    verdict: Literal["solved"]
    sigma: Terms
    residual: Residual
    greatest: Union[None, Values]


class Searched(TypedDict):
    choices: int
    size: int


class _NotSolved(TypedDict, total=False):
    constraint: Constraint
    claim: int
    equation: str
    witness: Values
    searched: Searched
    trace: List[Dict[str, Any]]
    certificate: Union[None, Dict[str, Any]]


class NotSolved(_NotSolved):
    """`unsat`: there is no solution. `rejected`: a policy step led to the failure, and there may be one."""

    verdict: Literal["unsat", "rejected"]
    rule: str
    message: str


class LimitReached(TypedDict):
    verdict: Literal["limit"]
    which: str


class _Assumption(TypedDict):
    var: str
    value: Ground
    rule: str


class Assumption(_Assumption, total=False):
    within: str


class Placement(TypedDict):
    var: str
    value: Ground


class _Closed(TypedDict, total=False):
    placements: List[Placement]


class Closed(_Closed):
    verdict: Literal["closed"]
    values: Values
    assumptions: List[Assumption]


class _Hole(TypedDict, total=False):
    claims: List[int]


class Hole(_Hole):
    """A parameter that nothing says enough about. Unlike a refusal it has no `kind`."""

    verdict: Literal["error"]
    rule: str
    message: str
    var: str
    uses: List[int]


class Sat(TypedDict):
    verdict: Literal["sat"]
    values: Values


class _Unsat(TypedDict, total=False):
    rule: str
    message: str
    claim: int
    equation: str


class Unsat(_Unsat):
    verdict: Literal["unsat"]


class _Unknown(TypedDict, total=False):
    which: str
    searched: Searched


class Unknown(_Unknown):
    verdict: Literal["unknown"]
    rank_bound: int


class Holds(TypedDict):
    verdict: Literal["holds"]


class _Violated(TypedDict, total=False):
    claims: List[int]


class Violated(_Violated):
    verdict: Literal["violated"]
    which: List[int]


class Shape(TypedDict):
    batch: Row
    input: Row
    output: Row


class _Warned(TypedDict, total=False):
    warnings: List[Dict[str, Any]]


class _Inferred(_Warned, total=False):
    margins: Dict[str, Dict[str, List[Tuple[int, int]]]]
    markers: Dict[str, Dict[str, Dict[str, Any]]]


class Inferred(_Inferred):
    verdict: Literal["inferred"]
    shapes: Dict[str, Shape]
    captures: Dict[str, int]
    assumptions: List[Dict[str, Any]]


class Partial(TypedDict):
    verdict: Literal["partial"]
    shapes: Dict[str, Shape]


class _NotInferred(TypedDict, total=False):
    rule: str
    constraint: Constraint
    position: Tuple[int, int]
    text: str
    at: str
    equations: List[Dict[str, Any]]
    assumed: List[str]
    fits: Dict[str, Any]
    searched: Searched


class NotInferred(_NotInferred):
    """A program without shapes; `failed` is one with shapes that cannot be projected or run."""

    verdict: Literal["unsat", "rejected", "error", "failed"]
    message: str


class _Projected(_Warned, total=False):
    margins: Dict[str, Dict[str, List[Tuple[int, int]]]]


class Projected(_Projected):
    verdict: Literal["projected"]
    operations: List[Dict[str, Any]]


class Value(TypedDict):
    dims: List[int]
    data: List[Union[int, float, str]]


class _Ran(_Warned, total=False):
    gradients: Dict[str, Value]


class Ran(_Ran):
    verdict: Literal["ran"]
    values: Dict[str, Value]


class _Parsed(TypedDict, total=False):
    spec: Dict[str, Any]
    mode: Literal["single", "multi"]
    shape: Dict[str, Any]


class Parsed(_Parsed):
    verdict: Literal["parsed"]
    canonical: str


class Capabilities(TypedDict, total=False):
    """What an engine can say; spec/engines.md."""

    ops: List[str]
    failed: bool
    undecided: bool
    verdict_only: bool
    sigma: bool
    residual: bool
    greatest: bool
    order: Literal["marked", "one-shot"]


class _Version(TypedDict, total=False):
    capabilities: Capabilities


class Version(_Version):
    verdict: Literal["version"]
    name: str
    version: str
    wire: int


SolveAnswer = Union[Solved, NotSolved, LimitReached]
CloseAnswer = Union[Closed, Hole, NotSolved, LimitReached]
DecideAnswer = Union[Sat, Unsat, Unknown, LimitReached]
CheckAnswer = Union[Holds, Violated, LimitReached]
InferAnswer = Union[Inferred, Partial, NotInferred, LimitReached]
ProjectAnswer = Union[Projected, NotInferred, LimitReached]
RunAnswer = Union[Ran, NotInferred, LimitReached]
Answer = Union[
    SolveAnswer, CloseAnswer, DecideAnswer, CheckAnswer, InferAnswer, ProjectAnswer, RunAnswer, Parsed, Version
]
