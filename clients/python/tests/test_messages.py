"""The types of requests have the fields of the schema, and no others."""

import json
import unittest
from pathlib import Path
from typing import Any, Dict, FrozenSet, Set, get_args, get_type_hints

from lozenge_client import messages, terms

SCHEMA = Path(__file__).resolve().parents[3] / "spec/schema/request.v1.json"


def schema() -> Any:
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


class Requests(unittest.TestCase):
    def test_every_operation_has_its_fields(self) -> None:
        fields: Dict[str, Set[str]] = {}
        required: Dict[str, FrozenSet[str]] = {}
        for request in get_args(messages.Request):
            hints = get_type_hints(request)
            (op,) = get_args(hints["op"])
            fields.setdefault(op, set()).update(hints)
            required[op] = request.__required_keys__ & required.get(op, request.__required_keys__)
        for form in schema()["oneOf"]:
            op = form["properties"]["op"]["const"]
            self.assertEqual(fields.pop(op) | {"id"}, set(form["properties"]), op)
            self.assertEqual(required[op], set(form["required"]), op)
        self.assertEqual(fields, {})

    def test_policies_and_limits(self) -> None:
        defined = schema()["$defs"]
        for name in ("Policy", "Limits"):
            self.assertEqual(set(get_type_hints(getattr(messages, name))), set(defined[name]["properties"]), name)

    def test_constraints_have_one_relation(self) -> None:
        relations = [set(get_type_hints(relation)) for relation in get_args(terms.Constraint)]
        self.assertEqual(relations, [{"eq"}, {"le"}])


if __name__ == "__main__":
    unittest.main()
