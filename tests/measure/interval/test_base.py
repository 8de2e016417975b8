"""The interval as an object: containment, scaling and its text."""

from __future__ import annotations

import math

import pytest

from bitmeter.errors import RangeError
from bitmeter.measure.interval.base import Interval, IntervalMethod

FOUND = Interval(1.8, 2.4, 2.0, 0.1, 0.95, "serial-clusters(file)", 40, 39.0)
MISSING = Interval(
    None, None, 2.0, None, 0.95, "serial-clusters(file)", 1, None, ("one document does not show how documents differ",)
)


def test_it_holds_what_lies_between_its_ends() -> None:
    assert 1.8 in FOUND
    assert 2.4 in FOUND
    assert 1.79 not in FOUND
    assert 2.0 not in MISSING


def test_an_asymmetric_interval_keeps_its_ends() -> None:
    assert FOUND.half_width == pytest.approx(0.3)
    scaled = FOUND.scaled(1 / math.log(2))
    assert (scaled.low, scaled.high) == pytest.approx((1.8 / math.log(2), 2.4 / math.log(2)))
    assert (scaled.confidence, scaled.degrees, scaled.clusters) == (0.95, 39.0, 40)


@pytest.mark.parametrize("factor", [0.0, -1.0, 1e200])
def test_a_scale_is_positive(factor: float) -> None:
    with pytest.raises(RangeError):
        FOUND.scaled(factor)


def test_its_text() -> None:
    assert str(FOUND) == "2 [1.80, 2.40] (95 %, serial-clusters(file), 40 clusters)"
    assert str(MISSING) == "2 (no interval: one document does not show how documents differ)"


def test_a_method_must_say_when_it_applies_and_what_it_gives() -> None:
    with pytest.raises(TypeError, match="abstract"):
        IntervalMethod()  # type: ignore[abstract]
