"""Terms are written as the wire format has them."""

import unittest

from lozenge_client import UNIT, dim, eq, le, row, var


class Terms(unittest.TestCase):
    def test_dimensions(self) -> None:
        self.assertEqual(dim(3), 3)
        self.assertEqual(dim(3, "rgb"), {"n": 3, "basis": "rgb"})
        self.assertEqual(dim("a"), {"var": "a"})
        self.assertEqual((dim("unit"), dim(UNIT)), ("unit", "unit"))
        self.assertEqual(dim(var("a")), {"var": "a"})

    def test_rows(self) -> None:
        self.assertEqual(row(), {"lead": [], "trail": []})
        self.assertEqual(row([3, "a"], [dim(2, "rgb")]), {"lead": [3, {"var": "a"}], "trail": [{"n": 2, "basis": "rgb"}]})
        self.assertEqual(row(["unit"], var="r"), {"lead": ["unit"], "trail": [], "var": "r"})

    def test_constraints(self) -> None:
        self.assertEqual(le(3, "a"), {"le": [3, {"var": "a"}]})
        self.assertEqual(eq(row(var="r"), row([3])), {"eq": [row(var="r"), {"lead": [3], "trail": []}]})

    def test_what_is_no_term(self) -> None:
        with self.assertRaises(TypeError):
            dim("a", "rgb")
        with self.assertRaises(TypeError):
            dim(True)
        with self.assertRaises(TypeError):
            row("ab")


if __name__ == "__main__":
    unittest.main()
