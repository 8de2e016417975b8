"""Surprisals as a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from bitmeter.measure.surprisal.items import Stimulus, item_surprisals
from bitmeter.reports.records.surprisal import summary, surprisal_records

STIMULI = [
    Stimulus(1, b"one two three", ({"word": "theirs", "rt": 250, "item": 1},)),
    Stimulus(2, b"four", ({"word": "theirs", "rt": None, "item": 2},)),
]


def rows(spillover: int = 0, frequency: Path | None = None) -> list[dict[str, Any]]:
    found = item_surprisals("uniform", STIMULI, ("word", "rt", "item"), frequency=frequency)
    table = surprisal_records(found, spillover)
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_one_row_per_word_with_all_columns(tmp_path: Path) -> None:
    (tmp_path / "counts.txt").write_text("one 1\ntwo 3\n")
    found = rows(spillover=2, frequency=tmp_path / "counts.txt")
    assert [row["word"] for row in found] == ["one", "two", "three", "four"]
    assert [row["input_word"] for row in found] == ["theirs"] * 4
    assert [row["rt"] for row in found] == [250, 250, 250, None]
    assert [row["item"] for row in found] == [1, 1, 1, 2]
    assert [row["unigram_bits"] for row in found] == [2.0, pytest.approx(-math.log2(0.75)), None, None]
    assert [row["previous1_length"] for row in found] == [None, 3, 3, None]
    assert [row["previous2_surprisal_bits"] for row in found] == [None, None, found[0]["surprisal_bits"], None]
    assert [row["plain_bits"] for row in found] == [24.0, 32.0, 48.0, 32.0]
    assert found[0]["surprisal_bits"] == pytest.approx(24.0 + math.log2(256 / 6))
    for row in found:
        assert row["surprisal_nats"] == pytest.approx(row["surprisal_bits"] * math.log(2.0))
        assert row["surplus_bits"] == pytest.approx(row["surprisal_bits"] - row["entropy_bits"])
        assert row["short"].startswith("bm1-")
        assert not row["crossed"]


def test_in_a_sentence() -> None:
    found = item_surprisals("uniform", STIMULI)
    assert summary(found).startswith("4 words of 2 items, ")
    assert summary(item_surprisals("uniform", [Stimulus(1, b"")])).startswith("No words in 1 items")
