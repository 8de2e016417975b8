"""Adding up while a text streams by: exact sums, and documents that are joined when there are too many."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.measure import sums
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.sums import DocumentRows, ExactSum
from tests.measure.made import in_blocks

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(FINITE, max_size=40))
def test_a_running_sum_is_rounded_once(values: list[float]) -> None:
    total = ExactSum()
    for value in values:
        total.add(value)
    assert total.value == float(sum(map(Fraction, values), Fraction(0)))


def test_infinity_stays() -> None:
    total = ExactSum()
    for value in (1.0, math.inf, 2.0):
        total.add(value)
    assert total.value == math.inf


@given(st.lists(st.integers(0, 7), max_size=30), st.integers(1, 9))
def test_too_many_documents_are_joined_with_their_neighbours(batches: list[int], most: int) -> None:
    number = sum(batches)
    values = np.stack([np.arange(number), np.arange(number) ** 2], axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "MOST_DOCUMENTS", most)
        rows = DocumentRows(2, np.int64)
        for start, batch in zip(np.cumsum([0, *batches]), batches, strict=False):
            rows.add(values[start : start + batch])
        found, sizes = rows.finished()
    group = 1
    while number // group > most:
        group *= 2
    assert rows.documents == number
    assert (sizes is None) == (group == 1)
    assert len(found) <= most + 1
    expected = [values[i : i + group].sum(axis=0) for i in range(0, number, group)]
    assert found.tolist() == [row.tolist() for row in expected]
    if sizes is not None:
        assert sizes.tolist() == [min(group, number - i) for i in range(0, number, group)]


LINES = b"".join(b"%d apples and %d pears\n" % (i, i * i) for i in range(100))


def test_joined_documents_change_no_total(monkeypatch: pytest.MonkeyPatch) -> None:
    each = bm.score("kt", LINES, docs="line")
    monkeypatch.setattr(sums, "MOST_DOCUMENTS", 30)
    joined = bm.score("kt", LINES, docs="line")
    assert joined.documents == each.documents == 100
    assert joined.signature.docs == each.signature.docs
    assert joined.signature.short == each.signature.short
    assert joined.nats == pytest.approx(each.nats, rel=1e-15)
    assert (joined.bytes, joined.chars, joined.words, joined.tokens) == (
        each.bytes,
        each.chars,
        each.words,
        each.tokens,
    )
    assert joined.by_document is not None
    assert joined.by_document.documents.tolist() == [4] * 25
    assert joined.interval is not None
    assert each.interval is not None
    assert joined.interval_per("document") is not None
    assert bm.Score.from_json(joined.to_json()).to_json() == joined.to_json()
    with pytest.raises(bm.errors.UndefinedError, match="100 documents, of which only sums over neighbours are kept"):
        convention("hf-evaluate").figures(joined)


def test_joined_documents_are_compared_and_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MOST_DOCUMENTS", 30)
    found = bm.compare("uniform", "kt", on=LINES, docs="line")
    assert found.rows[1].p_value is not None
    assert found.rows[1].difference < 0
    first, second = (bm.score("uniform", part, docs="line") for part in (LINES, b"one more\nand two\n"))
    both = first + second
    assert both.documents == 102
    assert both.by_document is not None
    assert both.by_document.documents.tolist() == [4] * 25 + [1, 1]
    assert both.bits == pytest.approx(8 * both.bytes)


@pytest.mark.parametrize("model", ["uniform", "kt"])
@pytest.mark.parametrize("docs", ["file", "line"])
def test_the_size_of_blocks_changes_nothing(model: str, docs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bm.score(model, LINES, docs=docs)
    for size in (1, 7, 100, 1 << 20):
        with monkeypatch.context() as patch:
            in_blocks(patch, size)
            found = bm.score(model, LINES, docs=docs)
        assert found.by_document is not None
        assert whole.by_document is not None
        np.testing.assert_allclose(found.by_document.nats, whole.by_document.nats, rtol=1e-14)
        assert found.nats == pytest.approx(whole.nats, rel=1e-14)
        assert found.known_nats == pytest.approx(whole.known_nats, rel=1e-14)
        # The interval's batches of a constant cost hang on the last bit of their sums.
        assert found.signature.but(interval="") == whole.signature.but(interval="")


def test_a_first_unit_is_skipped_once_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    in_blocks(monkeypatch, 5)
    corpus = bm.Corpus.from_documents(["abcde", "fgh", "", "i"])
    score = bm.score("uniform", corpus, first="skip")
    assert (score.skipped, score.tokens) == (3, 6)


def test_a_compressor_writes_no_trace(tmp_path: object) -> None:
    with pytest.raises(bm.errors.ModelError, match="zlib:9 gives only a total, so there is no trace"):
        bm.score("zlib", LINES, trace=f"{tmp_path}/trace.parquet")
