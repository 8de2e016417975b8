"""Bad input is a typed error, whatever function receives it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bitmeter.errors import BitmeterError, EmptyError, NegativeError, NotFiniteError, RangeError, ShapeError
from bitmeter.measure.interval.anytime import e_process
from bitmeter.measure.interval.blocks import block_ratio
from bitmeter.measure.interval.cluster import cluster_ratio
from bitmeter.measure.interval.paired import holm, paired


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([], []), EmptyError, "nothing to measure"),
        (([1.0], [1, 2]), ShapeError, "1 clusters and denominators 2"),
        (([[1.0]], [1]), ShapeError, "one axis"),
        (([1.0, math.nan], [1, 1]), NotFiniteError, r"numerators\[1\] is nan"),
        (([1.0, -math.inf], [1, 1]), NotFiniteError, r"numerators\[1\] is -inf"),
        (([1.0, 1.0], [1, math.inf]), NotFiniteError, r"denominators\[1\] is inf"),
        (([1.0, 1.0], [1, -1]), NegativeError, r"denominators\[1\] is -1"),
        (([0.0, 0.0], [0, 0]), EmptyError, "all 2 clusters are empty"),
        (([1e200, 1.0], [1, 1]), RangeError, "mistake in the units"),
        (([1.0, 1.0], [1, 1], 95), RangeError, r"for 95 % write 0.95"),
        (([1.0, 1.0], [1, 1], 0.0), RangeError, "between 0 and 1"),
    ],
)
def test_bad_input_is_a_typed_error(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    for method in (cluster_ratio, block_ratio):
        with pytest.raises(error, match=words):
            method(*arguments)


anything = st.one_of(
    st.none(), st.text(max_size=3), st.booleans(), st.integers(-3, 3), st.floats(),
    st.lists(st.one_of(st.floats(), st.none(), st.integers(-(10**30), 10**30)), max_size=4),
    arrays(np.float64, st.integers(0, 40), elements=st.floats(-1e5, 1e120)),
    arrays(np.float64, st.integers(0, 40), elements=st.floats(0, 1e-90)),
)  # fmt: skip


@given(anything, anything, anything, st.one_of(st.just(0.95), anything), st.booleans())
@settings(deadline=None, max_examples=300)
def test_nothing_but_typed_errors_and_no_nan(a: Any, b: Any, n: Any, confidence: Any, series: bool) -> None:
    for call in (
        lambda: cluster_ratio(a, n, confidence),
        lambda: block_ratio(a, n, confidence),
        lambda: paired(a, b, n, confidence, kind="block" if series else "file"),
        lambda: e_process(a, b, n),
        lambda: holm(a),
    ):
        try:
            found = call()
        except BitmeterError:
            continue
        assert "nan" not in str(found)
