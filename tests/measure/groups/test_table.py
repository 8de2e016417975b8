"""Models × groups."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import bitmeter as bm

ROWS = bm.Corpus.from_records([{"text": "ab " * (1 + i % 5), "d": "xyz"[i % 3]} for i in range(30)])


def test_matrix_files(tmp_path: Path) -> None:
    scores = [bm.score(model, ROWS, group="d") for model in ("kt", "uniform")]
    found = bm.group_matrix(scores)
    assert found["groups"] == ["x", "y", "z"]
    assert found["rows"][0]["figures"] == [group.figure for group in scores[0].groups]
    assert found["rows"][1]["macro"] == 8.0
    bm.write_matrix(scores, tmp_path / "m.csv")
    with open(tmp_path / "m.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["model", "x", "y", "z"]
    assert [float(value) for value in rows[1][1:]] == found["rows"][0]["figures"]
    bm.write_matrix(scores, tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text()) == found


def test_refusals(tmp_path: Path) -> None:
    one = bm.score("kt", ROWS, group="d")
    other = bm.score("kt", bm.Corpus.from_records([{"text": "a", "d": "q"}]), group="d")
    with pytest.raises(bm.BitmeterError, match="different groups"):
        bm.group_matrix([one, other])
    with pytest.raises(bm.BitmeterError, match=r"name it \.csv or \.json"):
        bm.write_matrix([one], tmp_path / "m.txt")
    bm.write_matrix([one], tmp_path / "m.csv")
    with pytest.raises(bm.BitmeterError):
        bm.write_matrix([one], tmp_path / "m.csv")


def test_infinity_is_written(tmp_path: Path) -> None:
    rows = bm.Corpus.from_records([{"text": "a", "d": "x"}, {"text": "q", "d": "y"}])
    found = bm.score(bm.Distribution({"a": 1.0}), rows, group="d")
    bm.write_matrix([found], tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["rows"][0]["figures"] == [0.0, "inf"]
