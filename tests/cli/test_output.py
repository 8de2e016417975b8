"""Tables on stdout: as wide as they need, without markup and without trailing spaces."""

from __future__ import annotations

from contextlib import redirect_stdout

import pytest
from rich.text import Text

from bitmeter.cli.output import note, say, show
from bitmeter.reports.tables import plain_table
from tests.cli.running import Terminal


def test_nothing_is_cut_and_no_line_ends_in_spaces(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    show(plain_table([("name", "left"), ("value", "left")], [("x" * 300, "1"), ("short", "")]))
    printed = capsys.readouterr().out
    assert "x" * 300 in printed
    assert all(line == line.rstrip() for line in printed.splitlines())


def test_what_looks_like_markup_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    show("[bold]not bold[/bold] :car:")
    assert capsys.readouterr().out == "[bold]not bold[/bold] :car:\n"


def test_spaces_before_the_end_of_a_colour_go_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with redirect_stdout(Terminal()) as terminal:
        show(Text("loud   ", style="bold"))
    assert terminal.getvalue() == "\x1b[1mloud\x1b[0m\n"


def test_long_lines_are_folded_and_short_ones_are_as_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    say("a  b\n" + "word " * 30)
    note("word " * 30)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a  b"
    assert lines[2].startswith("  word")
    assert [line.startswith("note: word") for line in lines[3:]] == [True, False]
    assert all(len(line) <= 80 for line in lines)
    assert " ".join(lines[1:3]).split() == ["word"] * 30
