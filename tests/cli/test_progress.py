"""The progress bar: silent in a pipe, and what a terminal shows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, redirect_stderr
from typing import Any

import pytest

from bitmeter._util.progress import Step
from bitmeter.cli.progress import bar, coding, scoring, stages, steps, whole_share
from tests.cli.running import Terminal


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)


FORMS: list[Callable[[], AbstractContextManager[Any]]] = [
    lambda: bar("title"), lambda: scoring("title"), lambda: coding("coding", "title"), stages, lambda: steps("title"),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_in_a_pipe_there_is_none(
    form: Callable[[], AbstractContextManager[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    with form() as report:
        assert report is None
    assert capsys.readouterr() == ("", "")


def test_a_score_shows_its_running_value() -> None:
    with redirect_stderr(Terminal()) as terminal, scoring("kt on text") as report:
        assert report is not None
        report(Step(0, 100))
        report(Step(50, 100, estimate=2.34567))
    assert "scoring kt on text" in terminal.shown
    assert "50%" in terminal.shown
    assert "2.346 bits/byte so far" in terminal.shown
    assert "nan" not in terminal.shown


def test_the_second_pass_of_coding_is_decoding() -> None:
    with redirect_stderr(Terminal()) as terminal, coding("compressing", "text") as report:
        assert report is not None
        for done in (10, 1000):
            report(Step(done, 1000, stage="coding"))
    assert "compressing text" in terminal.shown
    assert "decoding" not in terminal.shown
    with redirect_stderr(Terminal()) as terminal, coding("compressing", "text") as report:
        assert report is not None
        report(Step(1000, 1000, stage="coding"))
        report(Step(10, 1000, stage="decoding"))
    assert "decoding text" in terminal.shown


def test_a_stage_is_named() -> None:
    with redirect_stderr(Terminal()) as terminal, stages() as report:
        assert report is not None
        report(Step.of_share("estimating", 1.0))
    assert "estimating" in terminal.shown
    assert "94%" in terminal.shown  # 0.15 + 0.28 + 0.12 + 0.24 + 0.15


def test_a_step_counts_when_the_next_begins() -> None:
    with redirect_stderr(Terminal()) as terminal, steps("measuring") as report:
        assert report is not None
        report(Step(0, 7, "steps", "order 0"))
        report(Step(1, 7, "steps", "order 1"))
    assert "measuring order 1" in terminal.shown
    assert "1/7" in terminal.shown


def test_a_chart_stands_above_the_bar() -> None:
    with redirect_stderr(Terminal()) as terminal, bar("training", "steps") as shown:
        assert shown is not None
        shown.draw("the curve")
        shown.update(3, 9, value="held out 2.000")
    last = terminal.shown[terminal.shown.rindex("the curve") :]
    assert last.index("training") < last.index("3/9") < last.index("held out 2.000")


def test_the_bar_moves_forward_through_all_stages() -> None:
    names = (
        "reading the text",
        "sorting n-grams on disk",
        "counting",
        "adjusting",
        "estimating",
        "finishing",
        "writing",
    )
    shares = [whole_share(name, done) for name in names for done in (0.0, 0.5, 1.0)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
