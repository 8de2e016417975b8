"""Tables at every width: no line is too long, and no cell is lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bitmeter.reports.layout import fitted
from bitmeter.reports.tables import plain_table

WORDS = st.text(alphabet="abcdef0123456789", min_size=1, max_size=10)


def printed(titles: list[tuple[str, str]], rows: list[list[str]], width: int) -> list[str]:
    console = Console(width=10_000, highlight=False, markup=False)
    with console.capture() as capture:
        for part in fitted(plain_table(titles, rows), width):
            console.print(part)
    return [line.rstrip() for line in capture.get().splitlines()]


@given(
    st.lists(st.lists(WORDS, min_size=5, max_size=5), min_size=1, max_size=5), st.integers(min_value=24, max_value=100)
)
def test_nothing_is_lost_and_no_line_is_too_long(rows: list[list[str]], width: int) -> None:
    titles = [("name", "left"), ("kind", "left"), ("x", "right"), ("y", "right"), ("z", "left")]
    lines = printed(titles, rows, width)
    words = re.findall(r"[^ \s:;·]+", "\n".join(lines))
    for row in rows:
        assert set(row) <= set(words)
    assert {"x", "y", "z"} <= set(words)
    # A name of two texts stands in one line, however long it is.
    assert max(map(len, lines)) <= max(width, 23)


def test_an_interval_goes_below_its_figure() -> None:
    titles = [("model", "left"), ("bits/byte", "right"), ("Δ [95 %]", "left")]
    rows = [["a", "5.1 [4.4, 5.7]", "-2.894 [-3.503, -2.289]"], ["b", "8.0 ± 0", "baseline"]]
    assert printed(titles, rows, 40) == [
        "                     Δ",
        "model    bits/byte   [95 %]",
        "─────────────────────────────────────",
        "a              5.1   -2.894",
        "        [4.4, 5.7]   [-3.503, -2.289]",
        "b          8.0 ± 0   baseline",
    ]
    assert len(printed(titles, rows, 80)) == 4


def test_an_empty_table_is_as_it_is() -> None:
    assert printed([("a" * 60, "left"), ("b", "left")], [], 40)[0].startswith("a" * 60)
