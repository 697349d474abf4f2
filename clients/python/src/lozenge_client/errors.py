"""The errors of the wire format."""

from typing import Dict, Literal, Tuple

Kind = Literal["parse", "sort", "limit", "unsupported", "internal"]
KINDS: Tuple[Kind, ...] = ("parse", "sort", "limit", "unsupported", "internal")


class Refused(Exception):
    """A request that gets an error for an answer: kind, message, and the place as a JSON pointer.

    An engine raises it in a handler; `Oracle` raises it where an engine answered so.
    """

    def __init__(self, kind: str, message: str, at: str = "") -> None:
        super().__init__(kind, message, at)
        self.kind, self.message, self.at = kind, message, at

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" + (f" ({self.at})" if self.at else "")

    def answer(self) -> Dict[str, str]:
        """The error as it is answered, without the id."""
        return {"verdict": "error", "kind": self.kind, "message": self.message, "at": self.at}
