"""The width of lines: 80, or that of a narrow terminal."""

from __future__ import annotations

import pytest

from bitmeter._util.width import line_width, terminal_columns, terminal_width
from bitmeter.reports.figures import folded


@pytest.mark.parametrize(("columns", "width"), [("40", 40), ("60", 60), ("200", 80), ("7", 30), ("nonsense", 80)])
def test_lines_are_as_wide_as_a_narrow_terminal(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    with terminal_width():
        assert line_width() == width
        assert max(map(len, folded("note:", "word " * 40, 6))) <= width
    assert line_width() == 80


def test_the_terminal_says_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "123")
    assert terminal_columns() == 123
    monkeypatch.delenv("COLUMNS")
    assert terminal_columns() >= 1
