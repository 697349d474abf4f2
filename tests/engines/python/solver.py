"""Section 4: the rules for dimensions and rows, the bound store, and the signed guard R1.

Constraints are taken first in, first out. Every constraint in flight carries whether it rests on a placement.
"""

from collections import deque

from order import apply, dim_le
from terms import EMPTY, UNIT, Row, is_row, variables, write, write_constraint


class Failed(Exception):
    """A run that fails: the rule, the constraint, and whether a placement is to blame."""

    def __init__(self, rule, constraint, message, tainted):
        super().__init__(message)
        self.rule, self.constraint, self.message, self.tainted = rule, constraint, message, tainted


class OutOfFuel(Exception):
    """A run that takes too long."""


class Lengths:
    """R1: facts greater >= lesser + weight about one flank; None is 0. A positive cycle is a failure."""

    def __init__(self):
        self.least = {None: (0, False)}  # the longest path from 0, and whether it rests on a placement
        self.edges = {}

    def add(self, greater, lesser, weight, tainted):
        """Records a fact; True (or the taint) when it closes a positive cycle: (fails, tainted)."""
        self.edges.setdefault(lesser, []).append((greater, weight, tainted))
        for name in (greater, lesser):
            self.least.setdefault(name, (0, False))
        return self.raise_from(lesser)

    def raise_from(self, start):
        """Bellman and Ford from one vertex; a vertex raised too often lies behind a positive cycle."""
        count, queue = {}, deque([start])
        while queue:
            at = queue.popleft()
            base, _ = self.least[at]
            for greater, weight, tainted in self.edges.get(at, []):
                if base + weight <= self.least[greater][0]:
                    continue
                count[greater] = count.get(greater, 0) + 1
                if greater is None or count[greater] > len(self.least):
                    return self.blame(greater)
                self.least[greater] = (base + weight, tainted)
                queue.append(greater)
        return None

    def blame(self, _):
        """Is there a positive cycle of facts that rest on no placement? Then nothing is tainted."""
        least = dict.fromkeys(self.least, 0)
        for _ in range(len(least) + 1):
            raised = False
            for lesser, edges in self.edges.items():
                for greater, weight, tainted in edges:
                    if not tainted and least[lesser] + weight > least[greater]:
                        if greater is None:
                            return (True, False)
                        least[greater], raised = least[lesser] + weight, True
            if not raised:
                return (True, True)
        return (True, False)


class Run:
    """A configuration: constraints in flight, bindings, bounds."""

    def __init__(self, constraints, fuel):
        self.bindings = {}  # name -> (term, tainted, placement)
        self.age = {}
        for constraint in constraints:
            for side in constraint[1:]:
                for name, _ in variables(side):
                    self.age.setdefault(name, len(self.age))
        self.fresh_count = 0
        self.lower, self.below, self.caps, self.deferred = {}, [], [], []
        self.lengths = {"lead": Lengths(), "trail": Lengths()}
        self.queue = deque((constraint, False) for constraint in constraints)
        self.fuel = fuel
        while self.queue:
            self.fuel -= 1
            if self.fuel < 0:
                raise OutOfFuel
            self.step(*self.queue.popleft())

    # Bindings.

    def fresh(self, kind):
        self.fresh_count += 1
        name = f"?{1000 + self.fresh_count}"
        self.age[name] = len(self.age)
        return name

    def is_bound(self, name):
        return name in self.bindings

    def resolve(self, term, marked=True):
        """The term under the bindings, and whether a placement went into it."""
        tainted = False
        while True:
            bound = [name for name, _ in variables(term) if name in self.bindings]
            if not bound:
                return term, tainted
            for name in bound:
                _, taint, placement = self.bindings[name]
                tainted |= taint or (placement and marked)
            term = apply({name: self.bindings[name][0] for name in bound}, term)

    def value(self, name, sort):
        return self.resolve(Row((), name, ()) if sort == "row" else ("var", name))[0]

    def greatest(self, name, sort):
        """Prop. 5.4: free variables at the top."""
        value = self.value(name, sort)
        return apply({free: EMPTY if kind == "row" else UNIT for free, kind in variables(value)}, value)

    def residual(self):
        live = lambda term: self.resolve(term)[0]
        caps = [(name, ("atom", *atom)) for name, (atom, _) in self.lower.items()]
        caps = [{"var": name, "bound": write(bound)} for name, bound in caps + [(n, live(b)) for n, b, _ in self.caps]]
        below = [[a, b] for a, b, _ in self.below]
        deferred = [write_constraint(("eq", live(left), live(right))) for left, right, _ in self.deferred]
        return {"caps": caps, "below": below, "deferred": deferred}

    def emit(self, constraint, tainted):
        self.queue.append((constraint, tainted))

    def bind(self, name, term, tainted, placement=False):
        """Everything stored for the variable goes back into flight."""
        self.bindings[name] = (term, tainted, placement)
        if name in self.lower:
            atom, taint = self.lower.pop(name)
            self.emit(("le", ("atom", *atom), ("var", name)), taint)
        for a, b, taint in [edge for edge in self.below if name in edge[:2]]:
            self.below.remove((a, b, taint))
            self.emit(("le", ("var", a), ("var", b)), taint)
        if not is_row(term):
            return
        # A bound ⟨name⟩ below another variable comes back as well: it may say more now.
        for cap in [cap for cap in self.caps if cap[0] == name or cap[1] == Row((), name, ())]:
            self.caps.remove(cap)
            self.emit(("le", cap[1], Row((), cap[0], ())), cap[2])
        for equation in [eq for eq in self.deferred if name in (eq[0].var, eq[1].var)]:
            self.deferred.remove(equation)
            self.emit(("eq", equation[0], equation[1]), equation[2])
        for flank in ("lead", "trail"):
            length = len(getattr(term, flank))
            self.fact(flank, name, term.var, length, tainted or placement, ("eq", Row((), name, ()), term))
            self.fact(flank, term.var, name, -length, tainted or placement, ("eq", Row((), name, ()), term))

    def fact(self, flank, greater, lesser, weight, tainted, constraint):
        failed = self.lengths[flank].add(greater, lesser, weight, tainted)
        if failed:
            message = "a cycle of lengths would need more axes than it has"
            raise Failed(f"RG-{flank}", constraint, message, failed[1])

    # Rules.

    def step(self, constraint, tainted):
        relation, left, right = constraint
        marked = relation == "le"
        (left, l), (right, r) = self.resolve(left, marked), self.resolve(right, marked)
        tainted |= l or r
        rules = {("eq", False): self.dim_eq, ("le", False): self.dim_le, ("eq", True): self.row_eq, ("le", True): self.row_le}
        rules[relation, is_row(left)](left, right, tainted)

    def dim_eq(self, s, t, tainted):
        """DE-refl, DE-clash, DE-bind: the younger of two variables is bound to the older."""
        if s == t:
            return
        if s[0] != "var" and t[0] != "var":
            raise Failed("DE-clash", ("eq", s, t), "two different dimensions", tainted)
        if s[0] != "var" or (t[0] == "var" and self.age[s[1]] < self.age[t[1]]):
            s, t = t, s
        self.bind(s[1], t, tainted)

    def dim_le(self, s, t, tainted):
        """DI-top, DI-refl, DI-ground, DI-pin, DI-pin-top, DI-cap, DI-antisym, DI-adj."""
        if t == UNIT or s == t:
            return
        if s[0] != "var" and t[0] != "var":
            if not dim_le(s, t):
                raise Failed("DI-ground", ("le", s, t), "not below", tainted)
        elif s[0] == "var" and t[0] == "atom":
            self.dim_eq(s, t, tainted)
        elif s == UNIT:
            self.dim_eq(t, UNIT, tainted)
        elif s[0] == "atom":
            self.cap(t[1], s[1:], tainted)
        else:
            self.adjacent(s[1], t[1], tainted)

    def cap(self, name, atom, tainted):
        """DI-cap: above two sizes there is only the unit. An entailed bound replaces one through a placement."""
        if name not in self.lower or (self.lower[name][0] == atom and self.lower[name][1]):
            self.lower[name] = (atom, tainted)
        elif self.lower[name][0] != atom:
            self.dim_eq(("var", name), UNIT, tainted or self.lower[name][1])

    def adjacent(self, a, b, tainted):
        """DI-adj; DI-antisym where it closes a cycle."""
        known = [edge for edge in self.below if edge[:2] == (a, b)]
        if known:
            if known[0][2] and not tainted:
                self.below[self.below.index(known[0])] = (a, b, tainted)
            return
        path = self.path(b, a)
        if path is None:
            self.below.append((a, b, tainted))
            return
        tainted |= any(edge[2] for edge in path)
        for edge in path:
            self.emit(("eq", ("var", edge[0]), ("var", edge[1])), tainted)
        self.emit(("eq", ("var", a), ("var", b)), tainted)

    def path(self, start, end):
        """The edges of a way up from start to end, if there is one."""
        came, queue = {start: None}, deque([start])
        while queue:
            at = queue.popleft()
            if at == end:
                edges = []
                while came[at]:
                    edges.append(came[at])
                    at = came[at][0]
                return edges
            for edge in self.below:
                if edge[0] == at and edge[1] not in came:
                    came[edge[1]] = edge
                    queue.append(edge[1])
        return None

    def row_eq(self, left, right, tainted):
        """Def. 4.3 for ≈."""
        if left.var is None and right.var is None:
            return self.re_closed(left, right, tainted)
        if left.var is None or right.var is None:
            return self.re_open_closed(*((left, right) if left.var else (right, left)), tainted)
        if left.var == right.var and len(left.content) != len(right.content):
            raise Failed("RE-same-occurs", ("eq", left, right), "a row with more axes than itself", tainted)
        left, right = self.strip(left, right, tainted)
        if left.var == right.var:
            if left.content:
                self.deferred.append((left, right, tainted))
        elif not left.content and not right.content:
            younger, older = sorted((left.var, right.var), key=self.age.get, reverse=True)
            self.bind(younger, Row((), older, ()), tainted, placement=True)
        elif not left.content:
            self.bind(left.var, right, tainted, placement=True)
        elif not right.content:
            self.bind(right.var, left, tainted, placement=True)
        else:
            self.deferred.append((left, right, tainted))

    def equal(self, axes, others, tainted):
        for s, t in zip(axes, others):
            self.emit(("eq", s, t), tainted)

    def re_closed(self, left, right, tainted):
        if len(left.content) != len(right.content):
            raise Failed("RE-closed", ("eq", left, right), "rows of different rank", tainted)
        self.equal(left.content, right.content, tainted)

    def re_open_closed(self, open_row, closed, tainted):
        """The variable takes the middle; its marker goes where the closed side's is, else to the left edge."""
        content, l, r = closed.content, len(open_row.lead), len(open_row.trail)
        end = len(content) - r
        if l > end:
            raise Failed("RE-open-closed", ("eq", open_row, closed), "too few axes", tainted)
        split = len(closed.lead) if l <= len(closed.lead) <= end else l
        self.equal(open_row.lead, content[:l], tainted)
        self.equal(open_row.trail, content[end:], tainted)
        self.bind(open_row.var, Row(content[l:split], None, content[split:end]), tainted, placement=l < end)

    def strip(self, left, right, tainted):
        """Without the axes that face each other at the outer edges."""
        p, q = min(len(left.lead), len(right.lead)), min(len(left.trail), len(right.trail))
        cut = lambda row: Row(row.lead[p:], row.var, row.trail[: len(row.trail) - q])
        self.equal(left.lead[:p], right.lead[:p], tainted)
        self.equal(left.trail[len(left.trail) - q :], right.trail[len(right.trail) - q :], tainted)
        return cut(left), cut(right)

    def row_le(self, result, operand, tainted):
        """Def. 4.3 for ⊑, flank by flank."""
        constraint = ("le", result, operand)
        if result.var or operand.var:
            for flank in ("lead", "trail"):
                weight = len(getattr(operand, flank)) - len(getattr(result, flank))
                self.fact(flank, result.var, operand.var, weight, tainted, constraint)
        lead, trail = (max(0, len(o) - len(r)) for o, r in ((operand.lead, result.lead), (operand.trail, result.trail)))
        if lead or trail:
            if result.var is None:
                raise Failed("RI-short-closed", constraint, "the result has too few axes", tainted)
            axes = lambda count: tuple(("var", self.fresh("dim")) for _ in range(count))
            grown = Row(axes(lead), self.fresh("row"), axes(trail))
            self.bind(result.var, grown, tainted)
            self.queue.appendleft((constraint, tainted))
            return
        l, end = len(operand.lead), len(result.trail) - len(operand.trail)
        for s, t in [*zip(result.lead, operand.lead), *zip(result.trail[end:], operand.trail)]:
            self.emit(("le", s, t), tainted)
        residue = Row(result.lead[l:], result.var, result.trail[:end])
        if operand.var and residue != Row((), operand.var, ()):
            self.caps.append((operand.var, residue, tainted))
