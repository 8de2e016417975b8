"""Texts going past an n-gram model."""

from __future__ import annotations

import numpy as np

import bitmeter as bm
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
