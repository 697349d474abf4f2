"""Programs, as far as this engine reads them: declared leaves of known shape, `let`, pointwise operators, composition,
and specifications of single letters without row variables. Everything else is refused as unsupported."""

import re

from client import Refused

TOKEN = re.compile(r'\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z]\w*)|"(?P<string>[^"]*)"|(?P<op>\*\*\.|\+\+\+|\+\*|\+\+|\*\.|/\.|<>|[-+*<=()]))')
FUNCTIONS = ("relu", "exp", "sin", "cos", "sqrt", "tanh", "neg")
LEVELS = [("<", "=", "<>"), ("+", "-", "+*", "+++", "++"), ("*", "*.", "/.")]
KINDS = ("batch", "output", "input")  # the order of storage


def beyond(what):
    return Refused("unsupported", f"this engine does not read {what}", "/program")


def rows(text, axis):
    """`batch | input -> output` as a list of axes for each kind."""
    batch, bar, rest = text.partition("|")
    if not bar:
        batch, rest = "", text
    inputs, arrow, outputs = rest.partition("->")
    if not arrow:
        inputs, outputs = "", rest
    return {kind: axis(part.strip()) for kind, part in zip(KINDS, (batch, outputs, inputs))}


def sizes(text):
    """The axes of a shape: sizes and nothing else."""
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdigit() and int(part) > 0 for part in parts):
        raise beyond(f"the shape {text!r}")
    return [int(part) for part in parts]


def labels(text):
    """The axes of a slot in single-character mode: letters, and indices of one digit."""
    text = text.replace(" ", "")
    if not all(c.isalpha() or c.isdigit() for c in text) or re.search(r"\d\d", text):
        raise beyond(f"the slot {text!r}")
    return list(text)


def specification(text):
    """Operands and result of a specification."""
    left, arrow, right = text.partition("=>")
    if not arrow or re.search(r"[,*+^<.]|=(?!>)", text):
        raise beyond(f"the specification {text!r}")
    return [rows(slot, labels) for slot in left.split(";")], rows(right, labels)


class Expression:
    """A recursive descent over tokens; precedence goes by the first character, as in OCaml."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if not match:
                raise beyond(repr(text[at:].strip()[:20]))
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()

    def peek(self):
        return self.tokens[0] if self.tokens else (None, None)

    def take(self):
        if not self.tokens:
            raise beyond("an expression that ends here")
        return self.tokens.pop(0)

    def whole(self):
        tree = self.level(0)
        if self.tokens:
            raise beyond(repr(self.tokens[0][1]))
        return tree

    def level(self, depth):
        if depth == len(LEVELS):
            return self.power()
        left = self.level(depth + 1)
        while self.peek()[0] == "op" and self.peek()[1] in LEVELS[depth]:
            op = self.take()[1]
            if op in ("+*", "+++", "++"):
                spec = self.string()
                left = (op, spec, left) if op == "++" else (op, spec, left, self.level(depth + 1))
            else:
                left = (op, left, self.level(depth + 1))
        return left

    def string(self):
        kind, text = self.take()
        if kind != "string":
            raise beyond("an operator without its specification")
        return specification(text)

    def power(self):
        left = self.prefix()
        if self.peek() == ("op", "**."):
            self.take()
            return ("**.", left, self.power())
        return left

    def prefix(self):
        kind, text = self.take()
        if kind == "number":
            return ("number", float(text))
        if (kind, text) == ("op", "-"):
            return ("neg", self.prefix())
        if (kind, text) == ("op", "("):
            inner = self.level(0)
            if self.take() != ("op", ")"):
                raise beyond("a parenthesis that does not close")
            return inner
        if kind != "name":
            raise beyond(repr(text))
        return (text, self.prefix()) if text in FUNCTIONS else ("name", text)


def statements(text):
    """Leaves with their rows, and `let` with its tree, in order."""
    found = []
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if not line.strip():
            continue
        match = re.match(r"(input|param|const)\s+([A-Za-z]\w*)\s*:(.*)$", line)
        if match:
            found.append(("leaf", match.group(2), rows(match.group(3), sizes)))
            continue
        match = re.match(r"let\s+([A-Za-z]\w*)\s*=(.*)$", line)
        if not match or " in " in match.group(2):
            raise beyond(repr(line))
        found.append(("let", match.group(1), Expression(match.group(2)).whole()))
    return found
