"""The observations of a score, and to which of them each unit belongs: sums by cluster must be those of the score."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.series.observed import observed, ratio_of_parts
from bitmeter.reports.series.texts import offsets_of

LINES = b"".join(b"line %d of a text, and %d more words\n" % (i, i * i) for i in range(60))
CHAPTERS = b"".join(b"# Chapter %d\n\n" % k + b"some words %d of it\n" % k * 30 + b"\n" for k in range(9))


@pytest.mark.parametrize(
    ("text", "docs", "noun"),
    [(LINES, "line", "line"), (LINES, "file", "block"), (CHAPTERS, "blank", "section"), (CHAPTERS, "file", "section")],
)
def test_units_belong_to_the_clusters_whose_costs_they_add_up_to(text: bytes, docs: str, noun: str) -> None:
    score = bm.score("kt", text, docs=docs)
    found = observed(score)
    assert found is not None
    assert found.clusters.noun == noun
    trace = score.trace
    cluster = found.of(trace.doc, offsets_of(trace.end - trace.start))
    assert np.allclose(np.bincount(cluster, trace.bits, len(found)), found.clusters.costs, rtol=1e-12)


def test_the_whole_as_a_part_has_the_interval_of_the_score() -> None:
    score = bm.score("uniform", LINES, docs="line")
    found = observed(score)
    assert found is not None
    trace = score.trace
    cluster = found.of(trace.doc, offsets_of(trace.end - trace.start))
    costs = trace.bits + (trace.start == 0)  # lines that differ
    interval = ratio_of_parts(found, cluster, costs, np.ones(len(trace)), 0.95)
    assert interval is not None
    assert interval.estimate == pytest.approx(8.0 + 60 / len(LINES), rel=1e-12)
    assert interval.clusters == 60


def test_nothing_is_known_of_a_total() -> None:
    assert observed(bm.score("zlib", LINES)) is None


def test_an_empty_part_has_no_interval() -> None:
    found = observed(bm.score("kt", LINES, docs="line"))
    assert found is not None
    empty = np.zeros(0)
    assert ratio_of_parts(found, empty.astype(np.int64), empty, empty, 0.95) is None
