"""Groups as text: figures that are those of the results, in 80 columns."""

from __future__ import annotations

import math

import bitmeter as bm
from bitmeter.measure.interval.base import Interval
from bitmeter.reports.groups import difference_lines, group_lines, groups_table, with_ends

ROWS = bm.Corpus.from_records([{"text": "ab " * (1 + i % 5), "domain": "xyz"[i % 3]} for i in range(30)])


def test_figures() -> None:
    found = Interval(1.9, 2.25, 2.0, None, 0.95, "x", 9, 8.0)
    assert with_ends(2.0, found) == "2.000 [1.900, 2.250]"
    assert with_ends(2.0, None, sign=True) == "+2.0000"
    assert (with_ends(None, None), with_ends(math.inf, None), with_ends(-math.inf, None)) == ("–", "∞", "−∞")


def test_one_score() -> None:
    score = bm.score("uniform", ROWS, group="domain")
    lines = group_lines(score)
    assert lines[0].split() == ["domain", "bits/byte", "docs", "bytes"]
    assert [line.split()[0] for line in lines[1:6]] == ["x", "y", "z", "micro", "macro"]
    assert all(len(line) <= 80 for line in str(score).splitlines())


def test_several_models_and_differences() -> None:
    scores = [bm.score(model, ROWS, group="domain") for model in ("uniform", "kt")]
    table = groups_table(scores)
    assert [column.header.plain for column in table.columns] == ["domain", "docs", "uniform:256", "kt"]  # type: ignore[union-attr]
    assert table.row_count == 5
    lines = list(difference_lines(bm.compare(*scores)))
    assert lines[0] == "p is corrected for 3 differences on groups (Holm)."


def test_one_difference_is_one() -> None:
    rows = bm.Corpus.from_records([{"text": "ab " * (1 + i % 5), "domain": "x"} for i in range(30)])
    scores = [bm.score(model, rows, group="domain") for model in ("uniform", "kt")]
    assert next(iter(difference_lines(bm.compare(*scores)))) == "p is corrected for 1 difference on groups (Holm)."
