"""Two models on one text: hand-made costs whose tables can be summed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.measure.compare import compare_scores
from bitmeter.reports.html.against import buckets, literals, shared_segments, top_words
from bitmeter.reports.html.patterns import PATTERNS, pattern_of_bytes, pattern_of_segments
from bitmeter.reports.series.texts import traced_text
from bitmeter.reports.series.words import word_cuts

LINES = b"".join(b"line %d of text %d see https://a.org/%d\n" % (i, i * i % 7, i) for i in range(40))


def cuts_of(inner: set[int], size: int) -> np.ndarray:
    return np.array(sorted({0, size, *(k for k in inner if k < size)}), dtype=np.int64)


@given(st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_sums_over_shared_segments_are_exact(first: set[int], second: set[int]) -> None:
    a, b = cuts_of(first, 30), cuts_of(second, 30)
    found = shared_segments(b"x" * 30, (a, np.ones(len(a) - 1)), (b, np.full(len(b) - 1, 2.0)), np.array([30]))
    assert set(found.cuts.tolist()) == set(a.tolist()) & set(b.tolist())
    assert found.a.sum() == len(a) - 1
    assert found.b.sum() == 2.0 * (len(b) - 1)
    for k in range(len(found.cuts) - 1):  # slowly
        low, high = found.cuts[k], found.cuts[k + 1]
        assert found.a[k] == sum(low <= c < high for c in a[:-1].tolist())


def test_ends_of_documents_belong_to_what_is_before_them() -> None:
    cuts = np.array([0, 2, 2, 4, 4])  # two documents, each with its end as a unit of no bytes
    found = shared_segments(
        b"abcd", (cuts, np.array([1.0, 10.0, 2.0, 20.0])), (np.array([0, 2, 4]), np.ones(2)), np.array([2, 4])
    )
    assert found.a.tolist() == [11.0, 22.0]
    assert found.doc.tolist() == [0, 1]


def two() -> tuple[bm.Score, bm.Score]:
    return bm.score("uniform", LINES, docs="line"), bm.score("kt", LINES, docs="line")


def test_patterns_partition_the_text_and_the_gap() -> None:
    first, second = two()
    text = traced_text(first.trace)
    shared = shared_segments(text.data, (text.cuts, first.trace.bits), (text.cuts, second.trace.bits), text.ends)
    kinds = pattern_of_segments(pattern_of_bytes(text.data), shared.cuts)
    rows = buckets(first, second, shared, kinds, 0.95)
    assert sum(row.bytes for row in rows) == len(LINES)
    assert math.fsum(row.b - row.a for row in rows) == pytest.approx(second.bits - first.bits, rel=1e-12)
    names = {row.name for row in rows}
    assert names == {"word", "space", "number", "URL", "newline"}
    by_name = {row.name: row for row in rows}
    urls = LINES.count(b"https")
    assert by_name["newline"].count == urls == 40
    newline = np.array([byte == 10 for byte in LINES])
    assert by_name["newline"].difference == pytest.approx(float((second.trace.bits - 8.0)[newline].mean()), rel=1e-12)
    for row in rows:
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.difference <= row.high
        assert row.p_value is not None


def test_one_pattern_alone_has_the_test_of_the_whole() -> None:
    """With one row there is nothing to correct, so it is the comparison of the runs."""
    first, second = two()
    text = traced_text(first.trace)
    shared = shared_segments(text.data, (text.cuts, first.trace.bits), (text.cuts, second.trace.bits), text.ends)
    (row,) = buckets(first, second, shared, np.zeros(len(text.data), dtype=np.uint8), 0.95)
    whole = compare_scores([first, second], 0.95).rows[1]
    assert row.name == PATTERNS[0]
    assert row.difference == pytest.approx(whole.difference, rel=1e-12)
    assert row.low == pytest.approx(whole.low, rel=1e-9)
    assert row.high == pytest.approx(whole.high, rel=1e-9)
    assert row.p_value == pytest.approx(whole.p_value, rel=1e-6)


def test_intervals_of_more_rows_are_wider() -> None:
    first, second = two()
    text = traced_text(first.trace)
    shared = shared_segments(text.data, (text.cuts, first.trace.bits), (text.cuts, second.trace.bits), text.ends)
    kinds = np.zeros(len(text.data), dtype=np.uint8)
    (alone,) = buckets(first, second, shared, kinds, 0.95)
    kinds[-1] = 1
    first_of_two = max(buckets(first, second, shared, kinds, 0.95), key=lambda row: row.bytes)
    assert alone.low is not None
    assert alone.high is not None
    assert first_of_two.low is not None
    assert first_of_two.high is not None
    assert first_of_two.high - first_of_two.low > alone.high - alone.low


def test_blocks_of_one_text_give_no_p_value() -> None:
    first, second = bm.score("uniform", LINES), bm.score("kt", LINES)
    text = traced_text(first.trace)
    shared = shared_segments(text.data, (text.cuts, first.trace.bits), (text.cuts, second.trace.bits), text.ends)
    (row,) = buckets(first, second, shared, np.zeros(len(text.data), dtype=np.uint8), 0.95)
    assert row.p_value is None
    assert "one text" in row.reason
    assert row.low is not None


def test_infinite_scores_have_no_intervals() -> None:
    first = bm.score(bm.Distribution({"a": 1.0}), b"aaab\n", oov="none")
    second = bm.score("kt", b"aaab\n")
    text = traced_text(first.trace)
    shared = shared_segments(text.data, (text.cuts, first.trace.bits), (text.cuts, second.trace.bits), text.ends)
    rows = buckets(first, second, shared, np.zeros(5, dtype=np.uint8), 0.95)
    assert rows[0].low is None
    assert "infinite" in rows[0].reason


def test_top_words_each_way() -> None:
    a, b = np.array([1.0, 5.0, 3.0, np.inf]), np.array([4.0, 1.0, 3.0, np.inf])
    assert top_words(a, b) == ([0], [1])


def test_literals_are_corrected_for_all_that_were_tested() -> None:
    first, second = two()
    text = traced_text(first.trace)
    shared = shared_segments(text.data, (text.cuts, first.trace.bits), (text.cuts, second.trace.bits), text.ends)
    words = word_cuts(text.data, text.ends)
    gains, losses, tested = literals(first, second, text.data, words, shared, 0.95)
    # "line", "of", "text", "see", and the squares modulo 7 that occur six times or more: 0, 1, 2, 4.
    assert tested == 8
    assert not gains
    assert {row.name for row in losses} == {"line", "of", "text", "see", "0", "1", "2", "4"}
    by_name = {row.name: row for row in losses}
    assert by_name["see"].count == 40
    assert by_name["see"].a == 8.0 * 4 * 40  # with the space after it
