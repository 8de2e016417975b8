"""Partial information decomposition: against dit, and textbook gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import ChoiceError

tables = st.lists(st.integers(0, 5), min_size=12, max_size=12).filter(any).map(lambda c: np.array(c).reshape(2, 2, 3))


def as_dit(table: Any) -> Any:
    import dit

    p = table / table.sum()
    places = [index for index in np.ndindex(table.shape) if p[index] > 0]
    return dit.Distribution([tuple(map(str, index)) for index in places], [p[index] for index in places])


@settings(deadline=None, max_examples=15)
@given(tables)
def test_decompositions_are_those_of_dit(table: Any) -> None:
    from dit.pid import PID_MMI, PID_WB

    for redundancy, theirs in (("i-min", PID_WB), ("mmi", PID_MMI)):
        found = bm.partial_information(table, redundancy=redundancy, normalise=True)
        other = theirs(as_dit(table), [[0], [1]], [2])
        expected = [other[node] for node in (((0,), (1,)), ((0,),), ((1,),), ((0, 1),))]
        parts = [found.redundant, found.unique_first, found.unique_second, found.synergistic]
        assert parts == pytest.approx(expected, abs=1e-8)
        assert sum(parts) == pytest.approx(found.total, abs=1e-9)
        assert found.total == pytest.approx(bm.mutual_information(table.reshape(4, 3), normalise=True), abs=1e-9)


def test_gates() -> None:
    x, y = "0011", "0101"
    assert bm.partial_information(x, y, "0110").synergistic == 1.0
    both = bm.partial_information(x, y, [a + b for a, b in zip(x, y, strict=True)])
    assert (both.redundant, both.synergistic, both.total) == (1.0, 1.0, 2.0)  # the known fault of I_min
    alone = bm.partial_information(x, y, x)
    assert (alone.unique_first, alone.redundant) == (1.0, 0.0)


def test_an_unknown_redundancy_is_refused() -> None:
    with pytest.raises(ChoiceError):
        bm.partial_information("ab", "ab", "ab", redundancy="broja")
