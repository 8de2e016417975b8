"""Differences by group: those of the groups alone, corrected for their number."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.measure.interval.paired import holm

RECORDS = [{"text": "ab " * (3 + i * 7 % 5) + "c" * (i % 4), "d": "xyz"[i % 3]} for i in range(60)]
ROWS = bm.Corpus.from_records(RECORDS)
LETTERS = bm.NGram(order=2, units="bytes").fit(b"ab ab abc ")


def test_each_group_is_a_comparison_of_its_documents() -> None:
    """Of models that do not learn, the difference and its test are those of the group scored alone."""
    found = bm.compare("uniform", LETTERS, on=ROWS, group="d")
    assert [g.group for g in found.groups] == ["x", "y", "z"]
    p_values = []
    for got in found.groups:
        own = bm.Corpus.from_records([row for row in RECORDS if row["d"] == got.group])
        alone = bm.compare("uniform", LETTERS, on=own).rows[1]
        assert got.difference == pytest.approx(alone.difference)
        assert got.test is not None
        assert got.low == pytest.approx(alone.low)
        assert got.high == pytest.approx(alone.high)
        p_values.append(got.test.p_value)
    assert tuple(got.p_value for got in found.groups) == holm(p_values)


def test_saved_runs_are_compared_by_group(tmp_path: Path) -> None:
    for name, model in (("a", "uniform"), ("b", LETTERS)):
        bm.score(model, ROWS, group="d").save(tmp_path / f"{name}.json")
    found = bm.compare(tmp_path / "a.json", tmp_path / "b.json")
    live = bm.compare("uniform", LETTERS, on=ROWS, group="d")
    assert [g.to_dict() for g in found.groups] == [g.to_dict() for g in live.groups]
    assert "groups" in found.to_dict()


def test_without_groups_there_are_none() -> None:
    assert bm.compare("uniform", LETTERS, on=ROWS).groups == ()
    assert "groups" not in bm.compare("uniform", LETTERS, on=ROWS).to_dict()


def test_infinite_groups() -> None:
    rows = bm.Corpus.from_records([{"text": "a", "d": "x"}, {"text": "q", "d": "y"}])
    model = bm.Distribution({"a": 1.0})
    found = bm.compare("uniform", model, on=rows, group="d")
    assert found.groups[1].difference == math.inf
    assert found.groups[1].reason == "an infinite score has no interval"
