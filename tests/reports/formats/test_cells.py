"""Single values."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from bitmeter.reports.formats.cells import encoded, json_value, plain, readable
from bitmeter.reports.formats.table import Column

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(VALUES)
def test_json_is_strict_and_loads_again(value: object) -> None:
    written = encoded(value)
    json.loads(written, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
    written.encode("utf-8")


@given(st.floats(allow_nan=False))
def test_a_number_keeps_all_digits(value: float) -> None:
    assert float(plain(value)) == value
    assert json_value(value) == (value if math.isfinite(value) else str(value))


def test_what_a_reader_would_stumble_over_is_escaped() -> None:
    assert plain("a\x00b\x1bc\udcff") == r"a\x00b\x1bc\xff"
    assert plain("a\tb\nc") == "a\tb\nc"
    assert plain({"a": math.inf}) == '{"a": "inf"}'


def test_for_people() -> None:
    column = Column("x", "number", 2)
    assert [readable(x, column) for x in (1.005e7, -1.5, -math.inf, "as it is")] == [
        "10,050,000.00", "-1.50", "−∞", "as it is"
    ]  # fmt: skip
