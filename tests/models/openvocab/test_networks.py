"""Networks of words with an open vocabulary."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from tests.models.causal.trained.made import KINDS, trained


@pytest.mark.parametrize("kind", KINDS)
def test_spelled_words_are_a_distribution_over_bytes(kind: str) -> None:
    """Unknown words cost their class and their spelling; all blocks together cost what the whole does."""
    model = trained(kind, "words")
    text = b"the zebra sat on the mat\n\n  and the cat\n"
    spelled, plain = bm.score(model, text), bm.score(model, text, oov="class")
    assert "oov:spelled" in str(spelled.signature)
    assert spelled.oov == plain.oov == 1
    assert spelled.nats > plain.nats
    session = model.with_oov("spelled").with_context("auto", "bos").open()
    units = model.units
    cut = units.cut(text[:14])
    parts = []
    for data, continues, unfinished in ((text[:cut], False, True), (text[cut:], True, False)):
        ends = np.array([] if unfinished else [len(data)], dtype=np.int64)
        batch = bm.Batch(data, ends, units, continues=continues, unfinished=unfinished)
        parts.append(session.score(batch).logprobs)
    assert -np.concatenate(parts).sum() == pytest.approx(spelled.nats, rel=1e-6)
