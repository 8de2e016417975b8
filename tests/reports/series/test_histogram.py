from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.reports.series.histogram import histogram


def test_two_models_share_their_bins_and_the_last_takes_what_is_beyond() -> None:
    found = histogram([np.array([0.0, 1.0, 99.0]), np.array([2.0, 3.0])], bins=4)
    assert len(found.counts) == 2
    assert [sum(row) for row in found.counts] == [3, 2]
    assert found.counts[0][-1] == 1
    assert found.means == (100 / 3, 2.5)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.integers(1, 40))
def test_every_unit_is_in_one_bin(values: list[float], bins: int) -> None:
    found = histogram([np.array(values)], bins)
    assert sum(found.counts[0]) == len(values)
    assert len(found.edges) == len(found.counts[0]) + 1 <= bins + 1


def test_infinite_costs_are_counted_apart() -> None:
    found = histogram([np.array([1.0, np.inf, np.inf])])
    assert found.infinite == (2,)
    assert sum(found.counts[0]) == 1
    assert histogram([np.zeros(0)]).counts == ((0,),)
