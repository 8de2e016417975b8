"""The score of a table is a score like any other: added up by the same sums, saved, compared and explained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.explain import signature_lines
from tests.measure.audit import pieces


def test_it_is_saved_compared_and_explained(tmp_path: Path) -> None:
    found = bm.audit(pieces.table(), pieces.CORPUS).score
    assert found is not None
    found.save(tmp_path / "run.json")
    again = bm.Score.load(tmp_path / "run.json")
    assert again == found
    compared = bm.compare(again, bm.score("kt", pieces.CORPUS))
    assert compared.rows[1].difference is not None
    words = " ".join(" ".join(signature_lines(found.signature)).split())
    assert "log-probabilities from a table that another program wrote" in words
    assert any("not measured here" in note for note in found.notes)


def test_documents_and_blocks_have_their_own_sums() -> None:
    found = bm.audit(pieces.table(), pieces.CORPUS).score
    assert found is not None
    assert found.by_document is not None
    expected = np.bincount(pieces.DOC, weights=-pieces.LOGPROB)
    np.testing.assert_allclose(found.by_document.nats, expected, rtol=1e-12)
    assert found.tokens == len(pieces.PIECES)
    assert found.interval is not None


def test_the_trace_is_that_of_the_table() -> None:
    found = bm.audit(pieces.table(), pieces.CORPUS).score
    assert found is not None
    np.testing.assert_array_equal(found.trace.logprob, pieces.LOGPROB)
    np.testing.assert_array_equal(found.trace.doc, pieces.DOC)
    assert b"".join(found.trace.units) == pieces.TEXT


def test_units_without_bytes_at_the_very_end_are_scored() -> None:
    """The space that stands before an empty document is a unit of the tokenizer."""
    corpus = bm.Corpus.from_documents(["a", ""])
    found = bm.audit({"doc": [0, 1], "piece": ["▁a", "▁"], "logprob": [-1.0, -2.0]}, corpus).score
    assert found is not None
    assert found.nats == pytest.approx(3.0)
    assert found.tokens == 2
