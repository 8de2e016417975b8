"""Markdown."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bitmeter.reports.formats.markdown import escape_markdown, markdown_lines


@given(st.lists(st.text(alphabet="ab|\\*_`[]<>\n "), min_size=2, max_size=2))
def test_a_cell_never_ends_early(cells: list[str]) -> None:
    line = list(markdown_lines([("x", False), ("y", True)], [cells]))[2]
    # A pipe after an even number of backslashes ends a cell: three of them for two cells.
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3


def test_a_caption_stands_below() -> None:
    assert list(markdown_lines([("x", False)], [["1"]], ["One.", "Two."]))[-2:] == ["", "One. Two."]
    assert escape_markdown("a_b") == r"a\_b"
