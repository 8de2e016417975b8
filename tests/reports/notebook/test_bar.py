"""The progress bar: in a notebook, at a terminal, and nowhere."""

from __future__ import annotations

from typing import Any

import pytest

import bitmeter as bm
from bitmeter._util.progress import Step
from bitmeter.reports.notebook import bar
from tests.cli.running import Terminal


def test_nothing_is_shown_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    shown = bm.ProgressBar("scoring")
    shown(Step(1, 2))
    assert capsys.readouterr() == ("", "")


def test_a_terminal_has_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    shown = bm.ProgressBar("scoring")
    shown(Step(50, 100, estimate=2.0))
    shown(Step(51, 100))  # too soon after
    shown(Step(100, 100))
    first, last = terminal.getvalue().split("\r")[1:]
    assert first == "scoring ━━━━━━━━━━━━────────────  50 %  2.000 bits/byte so far"
    assert last.endswith("100 %".ljust(len(first) - len(last.split("100 %", maxsplit=1)[0])) + "\n")
    assert len(last.rstrip("\n")) == len(first)  # nothing of the longer line stays


class Display:
    """Collects what a notebook would show, as IPython.display.display does."""

    def __init__(self) -> None:
        self.pages: list[str] = []

    def __call__(self, page: Any, *, display_id: bool) -> Display:
        assert display_id
        self.update(page)
        return self

    def update(self, page: Any) -> None:
        self.pages.append(page._repr_html_())
        assert repr(page)


def test_a_notebook_has_one_bar_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    display = Display()
    monkeypatch.setattr(bar, "_display", lambda: display)
    monkeypatch.setattr(bar, "_PAUSE", 0.0)
    shown = bm.ProgressBar("<b>")
    for done in (0, 50, 100):
        shown(Step(done, 100))
    assert ["width:0.0%" in display.pages[0], "width:50.0%" in display.pages[1]] == [True, True]
    assert "&lt;b&gt;" in display.pages[2]


def test_without_a_total_it_counts() -> None:
    assert bar.bar_text(Step(1234, None, "steps")).endswith("1,234 steps")
    assert "1,234 steps" in bar.bar_html(Step(1234, None, "steps"))


def test_it_goes_with_every_long_function(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    model = bm.NGram(order=2).fit(b"to be or not to be\n", progress=bm.ProgressBar())
    bm.score(model, b"to be\n", progress=bm.ProgressBar("scoring"))
    assert "100 %" in terminal.getvalue()
