"""Which documents are tried, and how they are scored."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.audit import subject as module
from bitmeter.measure.audit.subject import choose_samples, distance, tolerance_of
from tests.coding.models import words

LINES = b"".join(b"line %d of the text\n" % i for i in range(500))


def test_documents_are_drawn_with_their_places_and_their_costs_in_the_run() -> None:
    corpus = bm.Corpus.from_text(LINES, docs="line")
    model = bm.load("kt")
    score = bm.score(model, corpus)
    found = choose_samples(model, corpus, score, 3)
    assert found[0].document == 0
    assert len({sample.document for sample in found}) == len(found) > 100
    for sample in found:
        assert LINES[sample.offset :].startswith(sample.data)
        assert sample.data == b"line %d of the text\n" % sample.document
        assert bytes(sample.ids.tolist()) == sample.data
        assert sample.run is not None
        assert len(sample.run) == len(sample.ids)
    again = choose_samples(model, corpus, score, 3)
    assert [s.document for s in again] == [s.document for s in found]
    assert [s.document for s in choose_samples(model, corpus, score, 4)] != [s.document for s in found]


@pytest.mark.parametrize("kept", [True, False])
def test_of_a_long_document_the_beginning_in_whole_units(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    corpus = bm.Corpus.from_text(LINES)
    model = words()
    (found,) = choose_samples(model, corpus, bm.score(model, corpus) if kept else None, 0)
    assert 80 < len(found.data) <= 100
    assert LINES.startswith(found.data)
    assert found.cuts[-1] == len(found.data)
    assert (found.run is not None) == kept
    np.testing.assert_array_equal(model.units.split(found.data).ids, found.ids)


def test_documents_beyond_blocks_are_found(tmp_path: Path) -> None:
    """A document that begins in one block and goes on in the next."""
    long = b"x" * (3 << 20)
    (tmp_path / "t").write_bytes(b"first\n" + long + b"\nlast\n")
    corpus = bm.Corpus(str(tmp_path / "t"), docs="line")
    found = {s.document: s for s in choose_samples(bm.load("uniform"), corpus, None, 0)}
    assert found[0].data == b"first\n"
    assert found[1].offset == 6
    assert set(found[1].data) == {ord("x")}


def test_distances_and_tolerances() -> None:
    a, b = np.array([-1.0, -math.inf, -math.inf, math.nan]), np.array([-1.5, -math.inf, -1.0, -1.0])
    assert distance(a, b).tolist() == [0.5, 0.0, math.inf, math.inf]
    assert tolerance_of(bm.load("kt")) == module.LOG_TOLERANCE
