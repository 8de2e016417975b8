from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, EmptyError, InputError, ShapeError
from bitmeter.reports.plots.plot import bars, curves

FLOATS = st.floats(-1e300, 1e300)


def test_a_rising_line_rises() -> None:
    lines = curves({"up": (range(50), range(50))}, width=40, height=10).splitlines()
    first = [min((k for k, c in enumerate(line[4:]) if "⠀" < c <= "⣿"), default=99) for line in lines[:8]]
    assert first == sorted(first, reverse=True)
    assert lines[0].endswith("up")


def test_levels_and_names_stand_beside_their_height() -> None:
    text = curves({"low": ([0, 1], [0, 0]), "high": ([0, 1], [1, 1])}, levels={"middle": 0.5}, height=11)
    rows = [
        next(k for k, line in enumerate(text.splitlines()) if line.endswith(name)) for name in ("high", "middle", "low")
    ]
    assert rows == sorted(rows)


def test_names_that_would_meet_are_set_apart() -> None:
    text = curves({"one": ([0, 1], [1, 1]), "two": ([0, 1], [1, 1]), "six": ([0, 1], [0, 1])})
    assert all(f"  {name}" in text for name in ("one", "two", "six"))


def test_powers_of_ten_on_a_logarithmic_axis() -> None:
    text = curves({"": ([1, 10, 100, 1000], [0, 1, 2, 3])}, log_x=True)
    assert text.splitlines()[-1].split() == ["1", "10", "100", "1,000"]


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=30), st.integers(20, 100), st.integers(4, 30))
@settings(deadline=None, max_examples=200)
def test_any_finite_numbers_can_be_drawn(points: list[tuple[float, float]], width: int, height: int) -> None:
    xs, ys = zip(*points, strict=True)
    text = curves({"f": (xs, ys)}, width=width, height=height)
    assert text.count("\n") + 1 == max(height, 5)


def test_several_curves_of_one_name_are_named_once() -> None:
    text = curves({"pair": ([0, 1, 2], [[0, 0, 0], [1, 1, 1]])})
    assert text.count("pair") == 1
    assert text.splitlines()[0].endswith("pair")


def test_gaps_where_values_are_not_finite() -> None:
    text = curves({"": ([0, 1, 2, 3], [0, math.nan, math.inf, 1])})
    assert text.count("⠁") + text.count("⢀") <= 4


def test_bars_are_in_proportion() -> None:
    lines = bars({"whole": 1.0, "half": 0.5, "nothing": 0.0}, width=60).splitlines()
    assert lines[0].count("█") == 2 * lines[1].count("█") + (lines[1].count("▌"))
    assert "█" not in lines[2]
    assert bars({"x": math.inf}).endswith("▶ ∞")


@pytest.mark.parametrize("values", [{}, {"a": -1.0}, {"a": math.nan}])
def test_bars_that_cannot_be_drawn(values: dict[str, float]) -> None:
    with pytest.raises(BitmeterError):
        bars(values)


def test_curves_that_cannot_be_drawn() -> None:
    with pytest.raises(EmptyError):
        curves({})
    with pytest.raises(ShapeError, match="'f' has 2 x values and 1 y values"):
        curves({"f": ([0, 1], [0])})
    with pytest.raises(EmptyError, match="no finite value"):
        curves({"f": ([math.nan], [math.nan])})
    with pytest.raises(InputError):
        curves({"f": ([-1.0], [0.0])}, log_x=True)
