"""%%bitmeter: the text of a cell is scored as `score` scores it."""

from __future__ import annotations

from typing import Any

import pytest

import bitmeter as bm
from bitmeter.reports.notebook.magic import measure_cell

CELL = "to be or not to be\nthat is the question\n"


def test_the_figures_are_those_of_score() -> None:
    plain = bm.score("kt", CELL.encode())
    assert measure_cell("kt", CELL).nats == plain.nats  # type: ignore[union-attr]
    lines = measure_cell("kt --docs line --eos no", CELL)
    assert isinstance(lines, bm.Score)
    assert lines.documents == 2
    words = measure_cell("kt --by words", CELL)
    assert isinstance(words, bm.Trace)
    assert words.logprob.tolist() == plain.trace.group("word").logprob.tolist()
    assert isinstance(measure_cell("", CELL), bm.Score)


def test_variables_of_the_notebook() -> None:
    names: dict[str, Any] = {"mine": bm.Uniform()}
    found = measure_cell("mine -o result", CELL, names)
    assert names["result"] is found
    assert found.bits_per_byte == 8.0


@pytest.mark.parametrize(
    "line", ["kt --docs page", "kt more words", "kt -o 1x", "nomodel", "kt --by paragraph", "kt --x"]
)
def test_wrong_lines_are_typed_errors(line: str) -> None:
    with pytest.raises(bm.BitmeterError):
        measure_cell(line, CELL)


def test_in_ipython(capsys: pytest.CaptureFixture[str]) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "bitmeter")
    found = shell.run_cell(f"%%bitmeter uniform -o kept\n{CELL}").result
    assert found.bits_per_byte == 8.0
    assert shell.user_ns["kept"] is found
    assert "8.0000" in found._repr_html_()
    shell.run_cell(f"%%bitmeter kt --docs page\n{CELL}")
    said = capsys.readouterr()
    assert "UsageError" in said.err + said.out
    assert "Traceback" not in said.err + said.out
