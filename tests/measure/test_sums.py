"""Adding up while a text streams by: exact sums, and documents that are joined when there are too many."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import _core
from bitmeter.measure import sums
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.sums import Counted, DocumentRows
from tests.measure.made import in_blocks

#: Log-probabilities as models give them, and numbers that no model gives.
COSTS = st.floats(min_value=-40.0, max_value=0.0)
FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def exactly(values: list[float]) -> float:
    """The sum by fractions, rounded once: the oracle."""
    return float(sum(map(Fraction, values), Fraction(0)))


@given(st.lists(FINITE | COSTS, max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_a_running_sum_is_rounded_once(values: list[float], first: int, second: int) -> None:
    x, cuts = np.array(values, dtype=np.float64), sorted(min(cut, len(values)) for cut in (first, second))
    total = _core.ExactSums(1)
    for start, stop in pairwise([0, *cuts, len(values)]):
        total.add(x, np.array([start, stop]))
    assert total.values().tolist() == [exactly(values)]
    assert exactly(total.parts().tolist()) == exactly(values)
    bounds = np.array([0, *cuts, len(values)])
    apart = [exactly(values[start:stop]) for start, stop in pairwise(bounds.tolist())]
    assert _core.segment_sums(x, bounds).tolist() == apart


@given(st.lists(COSTS, min_size=1, max_size=30))
def test_neighbours_are_joined_without_rounding(values: list[float]) -> None:
    x = np.array(values)
    found = _core.ExactSums(len(values))
    found.add(x, np.arange(len(values) + 1))
    while len(found) > 1:
        found.join_pairs()
    assert found.values().tolist() == [exactly(values)]


def test_infinity_stays() -> None:
    found = _core.ExactSums(2)
    found.add(np.array([-1.0, -math.inf, -2.0]), np.array([0, 2, 3]))
    assert found.values().tolist() == [-math.inf, -2.0]
    assert math.fsum(found.parts()) == -3.0


def test_segments_must_have_sums() -> None:
    found = _core.ExactSums(2)
    with pytest.raises(ValueError, match="more segments than sums"):
        found.add(np.zeros(3), np.array([0, 1, 2]), 1)
    with pytest.raises(ValueError, match="ascend"):
        found.add(np.zeros(3), np.array([0, 4]))


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 4))
def test_joined_rows_do_not_depend_on_batches(batches: list[int], most: int) -> None:
    number = sum(batches)
    values = np.random.default_rng(number).exponential(1.0, (number, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "MOST_DOCUMENTS", most)
        together, apart = DocumentRows(1, np.float64), DocumentRows(1, np.float64)
        together.add(values)
        for start, batch in zip(np.cumsum([0, *batches]), batches, strict=False):
            apart.add(values[start : start + batch])
    assert together.finished()[0].tolist() == apart.finished()[0].tolist()


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
    assert joined.nats == each.nats
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
            assert bm.score(model, LINES, docs=docs) == whole


def test_a_first_unit_is_skipped_once_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    in_blocks(monkeypatch, 5)
    corpus = bm.Corpus.from_documents(["abcde", "fgh", "", "i"])
    score = bm.score("uniform", corpus, first="skip")
    assert (score.skipped, score.tokens) == (3, 6)


def test_a_compressor_writes_no_trace(tmp_path: object) -> None:
    with pytest.raises(bm.errors.ModelError, match="zlib:9 gives only a total, so there is no trace"):
        bm.score("zlib", LINES, trace=f"{tmp_path}/trace.parquet")


def test_what_a_session_returned_is_left_as_it_is() -> None:
    """It may return the same object again."""
    batch = bm.Batch(b"ab", np.array([2]), bm.Uniform().units)
    scored = bm.Scored(batch.split, batch.blank, np.array([-1.0, -2.0]))
    counted = Counted(batch, scored, np.zeros(2, dtype=np.bool_))
    counted.change(np.zeros(2))
    assert scored.logprobs.tolist() == [-1.0, -2.0]
    assert counted.scored.logprobs.tolist() == [0.0, 0.0]
    assert counted.scored.split is scored.split
