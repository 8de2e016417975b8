"""Pages: every line once, in order, and none higher than the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from bitmeter.tour.pages import Pages


def pages_of(lines: list[str], rows: int, columns: int) -> list[list[str]]:
    pages = Pages(Text(line) for line in lines)
    found, start = [], 0
    while pages.has(start):
        page = pages.page(start, rows=rows, columns=columns)
        assert page
        found.append([line.plain for line in page])
        start += len(page)
    return found


@given(st.lists(st.sampled_from(["", "a", "a" * 30, "a" * 80]), max_size=80), st.integers(-5, 60), st.integers(0, 100))
def test_pages_hold_every_line_once(lines: list[str], rows: int, columns: int) -> None:
    found = pages_of(lines, rows, columns)
    assert [line for page in found for line in page] == lines
    for page in found:
        height = sum(max(1, -(-len(line) // max(columns, 1))) for line in page)
        assert height <= max(rows, 3) or len(page) == 1


def test_a_paragraph_stays_whole_where_there_is_room() -> None:
    lines = ["one", "one", "one", "", "two", "two", "two", "two"]
    assert pages_of(lines, 6, 80) == [lines[:4], lines[4:]]
    # But not at the price of half of a page.
    lines = ["one", "", *["two"] * 9]
    assert pages_of(lines, 6, 80)[0] == lines[:6]


def test_lines_are_made_when_they_are_wanted() -> None:
    made: list[int] = []

    def lines() -> Iterator[Text]:
        for number in range(100):
            made.append(number)
            yield Text("line")

    pages = Pages(lines())
    pages.page(0, rows=10, columns=80)
    assert len(made) == 11


def test_the_page_of_a_line_is_found_again_at_any_height() -> None:
    lines = [f"line {number}" for number in range(50)]
    for rows in (3, 10, 100):
        pages = Pages(Text(line) for line in lines)
        start = pages.starts(31, rows=rows, columns=80)[-1]
        assert start <= 31 < start + rows
        assert pages.starts(10**9, rows=rows, columns=80)[-1] == (49 // rows) * rows
