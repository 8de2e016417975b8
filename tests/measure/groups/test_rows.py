"""One row per group."""

from __future__ import annotations

import json
import math

import pytest

import bitmeter as bm
from bitmeter.measure.groups.rows import macro

ROWS = [{"text": "ab " * (1 + i % 5), "d": "xyz"[i % 3]} for i in range(30)]


def test_figures_and_intervals() -> None:
    found = bm.score("kt", bm.Corpus.from_records(ROWS), group="d")
    assert [group.name for group in found.groups] == ["x", "y", "z"]
    for group in found.groups:
        assert group.figure == pytest.approx(group.nats / group.bytes / math.log(2))
        assert group.interval is not None
        assert group.interval.estimate == pytest.approx(group.figure)
        assert group.interval.clusters == 10
    mean = macro(found)
    assert mean is not None
    assert mean.estimate == pytest.approx(sum(group.figure or 0.0 for group in found.groups) / 3)


def test_a_group_without_bytes_has_no_figure() -> None:
    found = bm.score("kt", bm.Corpus.from_records([{"text": "", "d": "x"}, {"text": "a", "d": "y"}]), group="d")
    assert found.groups[0].figure is None
    mean = macro(found)
    assert mean is not None
    assert mean.estimate == found.groups[1].figure


def test_without_groups() -> None:
    with pytest.raises(bm.BitmeterError, match="scored without groups"):
        _ = bm.score("kt", b"x").groups


def test_json_has_what_the_panel_shows() -> None:
    found = bm.score("kt", bm.Corpus.from_records(ROWS), group="d")
    stated, mean = found.to_dict()["groups"], macro(found)
    assert mean is not None
    assert found.interval is not None
    assert stated["macro"] == {"estimate": mean.estimate, "low": mean.low, "high": mean.high}
    assert stated["micro"]["low"] == found.interval.low
    assert [row["bits_per_byte"] for row in stated["rows"]] == [group.figure for group in found.groups]
    ends = [None if group.interval is None else group.interval.high for group in found.groups]
    assert [row["high"] for row in stated["rows"]] == ends
    assert bm.Score.from_json(found.to_json()) == found
    older = {key: value for key, value in found.to_dict().items() if key != "groups"}
    assert bm.Score.from_json(json.dumps(older)) == found


def test_json_has_the_macro_average_of_answers() -> None:
    rows = [{"q": "ab", "a": "ab " * (1 + i % 5)} for i in range(12)]
    found = bm.score("kt", bm.Corpus.from_records(rows, field="a"), given="q")
    assert found.macro is not None
    stated = {"estimate": found.macro.estimate, "low": found.macro.low, "high": found.macro.high}
    assert found.to_dict()["macro"] == stated
    assert bm.Score.from_json(found.to_json()) == found
    endless = bm.score(bm.Distribution({"a": 1.0}), bm.Corpus.from_records(rows, field="a"), given="q", group="q")
    assert bm.Score.from_json(endless.to_json()).nats == math.inf
