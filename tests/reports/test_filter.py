"""The text of a summary: everything is said, in 80 columns."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.filter.histogram import Histogram
from bitmeter.filter.summary import Example
from bitmeter.filter.tally import Share, Tally
from bitmeter.reports.filter import describe_filter
from tests.filter.made import rows, write_jsonl


def summary(rule: dict[str, Any], **more: Any) -> bm.FilterSummary:
    histogram = Histogram()
    histogram.add(np.array([1.0, 2.0, math.inf]))
    tally = Tally(
        {"kept": Share(2, 10, 4, (3.0,)), "unscored": Share(1)}, {"": histogram}, 1, ["a.jsonl, line 3: broken"]
    )
    return bm.FilterSummary("kt", "perplexity", rule, tally, bm.Signature(), 2, **more)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"rule": "all"}, ""),
        ({"rule": "between", "limits": {"": ["-inf", 340.0]}, "above": False}, "up to 340.0"),
        (
            {"rule": "between", "limits": {"": [1.5, "inf"], "en": [1, 2]}, "above": True},
            "others: above 1.5000; en: above",
        ),
        ({"rule": "buckets", "cuts": {"en": [1.0, 2.0]}, "strict": True}, "en: head below 1.0000, middle below 2.0000"),
        ({"rule": "sample", "weight": "uniform:1", "seed": 3, "within": {}}, "sampled by uniform:1, seed 3"),
        ({"rule": "keep", "settled": {"rule": "between", "limits": {"": ["-inf", "inf"]}, "above": True}}, "none"),
        ({"rule": "between", "limits": {str(n): [1, 2] for n in range(30)}, "above": False}, "18 languages more"),
    ],
)
def test_limits_in_words(rule: dict[str, Any], said: str) -> None:
    assert said in " ".join(describe_filter(summary(rule)).split())


def test_everything_is_said_in_80_columns() -> None:
    example = Example(0.5, 2.0, "a.jsonl", 3, "a long text " * 30)
    text = describe_filter(
        summary(
            {"rule": "all"}, skipped=2, failed=(("b.jsonl", "b.jsonl is truncated"),), dry=True, examples=(example,)
        )
    )
    assert all(len(line) <= 80 for line in text.splitlines())
    for part in (
        "unscored",
        "infinite",
        "line 3: broken",
        "--bad OUT",
        "b.jsonl is truncated",
        "2 files",
        "nothing was written",
        "…",
    ):
        assert part in text


def test_a_summary_prints_itself(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", rows())
    found = bm.filter_corpus("kt", source, dry_run=True, keep="30%")
    assert str(found) == describe_filter(found)
    assert "kt: 10 documents, by bits/byte" in str(found)


def test_what_is_not_listed_is_counted_and_numbers_agree() -> None:
    found = summary({"rule": "all"})
    found.tally.bad = 22
    text = describe_filter(found)
    assert "22 records could not be scored" in text
    assert text.splitlines()[-2].strip() == "and 21 more"
    assert [line for line in text.splitlines() if "unscored" in line] == [
        "  unscored               1 doc   33.3 %               0 bytes   0.0 %"
    ]
    assert "  kept                   2 docs  66.7 %              10 bytes 100.0 %" in text.splitlines()
    found.tally.bad = 1
    assert "more" not in describe_filter(found)


def test_zero_is_a_row() -> None:
    found = summary({"rule": "all"})
    found.tally.histograms[""] = Histogram()
    found.tally.histograms[""].add(np.zeros(3))
    rows = [line.split() for line in describe_filter(found).splitlines() if "█" in line]
    assert [(row[0], row[-1]) for row in rows] == [("0", "3")]
