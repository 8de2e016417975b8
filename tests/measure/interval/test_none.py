"""Why a score has no interval."""

from __future__ import annotations

import pytest

import bitmeter as bm
from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import Per
from bitmeter.measure.interval.none import METHOD


@pytest.mark.parametrize(
    ("model", "per", "reason"),
    [
        (bm.Distribution({"a": 1.0}), "byte", "the score is infinite"),
        ("zlib", "byte", "only the total is known"),
        ("kt", "document", "too few documents"),
    ],
)
def test_it_always_applies_and_says_why(model: object, per: Per, reason: str) -> None:
    score = bm.score(model, b"ab" * 100)
    assert METHOD.applies(score, per)
    with pytest.raises(UndefinedError, match=reason):
        METHOD.interval(score, per, 0.95)
