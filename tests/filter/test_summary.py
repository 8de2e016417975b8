"""The summary of a filter: counts, histogram, JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError
from bitmeter.filter.histogram import Histogram
from bitmeter.filter.tally import Tally
from tests.filter.made import rows, write_jsonl


def made(folder: Path) -> bm.FilterSummary:
    source = write_jsonl(folder / "a.jsonl", [*rows(), "broken"])
    return bm.filter_corpus("kt", source, folder / "out.jsonl", max=6.8)


def test_counts_and_json(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert found.documents == 10
    assert found.bytes == sum(len(row["text"]) for row in rows())
    saved = tmp_path / "summary.json"
    found.save(saved)
    read = json.loads(saved.read_text())
    assert read["schema"] == "bitmeter.filter-summary/1"
    assert sum(one["documents"] for one in read["outcomes"].values()) == read["documents"] == 10
    assert sum(count for _, _, count in read["histogram"]) == 10
    assert read["bad"]["records"] == 1
    assert bm.Signature.parse(read["signature"]) == found.signature
    with pytest.raises(FileFormatError):
        found.save(saved)


def test_the_signature_is_of_the_text_and_the_model(tmp_path: Path) -> None:
    signature = made(tmp_path).signature
    assert signature.model == bm.score("kt", b"x").signature.model
    assert signature.docs.startswith("record.10.")
    write_jsonl(tmp_path / "b.jsonl", rows()[:9])
    other = bm.filter_corpus("kt", tmp_path / "b.jsonl", dry_run=True, max=6.8).signature
    assert other.text != signature.text


def test_histograms_cover_all_values() -> None:
    import numpy as np

    histogram = Histogram()
    histogram.add(np.array([0.5, 1.0, 3.0, 1000.0, math.inf]))
    found = bm.FilterSummary("m", "perplexity", {"rule": "all"}, Tally(histograms={"": histogram}), bm.Signature(), 1)
    bars = found.histogram(5)
    assert sum(count for _, _, count in bars) == 5
    assert bars[-1] == (math.inf, math.inf, 1)
    assert len(bars) <= 6
    assert all(low < high for low, high, _ in bars[:-1])
    assert found.histogram() != []


def test_zero_has_a_row_of_its_own() -> None:
    import numpy as np

    def bars(values: list[float], bins: int = 16) -> list[tuple[float, float, int]]:
        histogram = Histogram()
        histogram.add(np.array(values))
        tally = Tally(histograms={"": histogram})
        return bm.FilterSummary("m", "oov", {"rule": "all"}, tally, bm.Signature(), 1).histogram(bins)

    assert bars([0.0, 0.0, -0.0]) == [(0.0, 0.0, 3)]
    found = bars([-2.0, 0.0, 0.0, 1.0, 3.0])
    assert [row for row in found if row[0] == 0.0] == [(0.0, 0.0, 2)]
    assert found == sorted(found)
    assert sum(count for _, _, count in found) == 5
    assert min(abs(edge) for low, high, _ in found for edge in (low, high) if edge) >= 1.0
