"""Texts going past an n-gram model."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.text.units.words import Words
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())


def test_a_long_document_goes_by_in_pieces() -> None:
    session = MODEL._unit_session()
    ids = MODEL.units.split(TEXT.replace("\n", " ").encode()).ids
    whole = MODEL.logprobs(ids, np.array([0, len(ids)]))
    parts = []
    for i in range(0, len(ids), 7):
        part = ids[i : i + 7]
        parts.append(session.logprobs(part, np.array([0, len(part)]), continues=i > 0))
    assert np.concatenate(parts).tolist() == whole.tolist()


@pytest.mark.parametrize("length", [2046, 2047, 2048, 2049, 4095, 4096, 5000])
def test_words_longer_than_what_is_looked_up_at_once_are_whole(length: int) -> None:
    """Against the words of the same text by the plain splitter, and by the model word after word."""
    model = bm.NGram(2).fit(b"to be or not to be\n" + b"x" * length + b" y\n")
    for lead in (0, 1, 2040, 2047, 2048, 2049):
        text = b"y" * lead + b" " + b"x" * length + b" to be  " + b"x" * (length + 1) + b"\n"
        found = model.score(text, docs="file", eos="no")
        split = model.units.split(text)
        assert found.cuts.tolist() == Words().split(text).cuts.tolist() == split.cuts.tolist()
        assert found.ids.tolist() == split.ids.tolist()
        known = [word in (b"to", b"be", b"y", b"x" * length) for word in text.split()]
        assert (~found.unknown).tolist() == known
